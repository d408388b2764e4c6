// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which functions are ours.
 *
 * This module never takes a function nobody gave it: parameter claim= names
 * them, when the module is loaded or later through sysfs. A claimed function is
 * ours whoever bound to it first: mlx5_ib when it was loaded earlier, or when
 * mlx5_core re-creates its auxiliary device after a recovery or reload and
 * mlx5_ib registered earlier. Drivers cannot be asked to stand aside on the
 * auxiliary bus, so we watch for others that bind to a claimed function, and
 * take it from a work item: unbinding from within the notification would
 * deadlock on the device lock.
 *
 * Nothing here keeps a reference to an auxiliary device for longer than it is
 * looked at. mlx5_core's release function writes to its own data of the
 * function, so a reference that outlives a reload would make it forget the new
 * device. The work item therefore looks for devices when it runs.
 *
 * What can be seen not to work is refused before the other driver is unbound.
 * A function that we fail to bind all the same has no driver as long as it is
 * claimed: giving it back would be an invitation to take it again.
 *
 * Locks: settle_mutex is held while functions change hands, and taken before
 * device locks. list_lock is innermost: probing looks at the list under the
 * device lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/auxiliary_bus.h>
#include <linux/mlx5/driver.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/spinlock.h>

#include "main.h"

static DEFINE_SPINLOCK(list_lock);
static struct ibx_claim_list list;

static DEFINE_MUTEX(settle_mutex);
static struct device_driver *our_driver;	/* while the notifier is registered */

/**
 * struct settling - one walk over the functions
 * @unbound: also take claimed ones that have no driver, and hand back those
 *	that are not claimed
 * @undo: functions on this list, and not claimed, go to whichever driver wants
 *	them if they have none; may be NULL
 * @before: functions on this list need not be taken; may be NULL
 * @err: of the first function that could not be taken
 */
struct settling {
	bool unbound;
	const struct ibx_claim_list *undo;
	const struct ibx_claim_list *before;
	int err;
};

static bool list_has_dev(const struct ibx_claim_list *l, struct device *dev)
{
	struct pci_dev *pdev;

	if (!dev || !dev_is_pci(dev))
		return false;
	pdev = to_pci_dev(dev);
	return ibx_claim_has(l, pci_domain_nr(pdev->bus), pdev->bus->number, pdev->devfn);
}

/**
 * ibx_claimed - is a function ours
 * @dev: parent of the auxiliary device
 *
 * Context: any.
 * Return: true if the user named it.
 */
bool ibx_claimed(struct device *dev)
{
	unsigned long flags;
	bool has;

	spin_lock_irqsave(&list_lock, flags);
	has = list_has_dev(&list, dev);
	spin_unlock_irqrestore(&list_lock, flags);
	return has;
}

/* exchanges the list with *@other */
static void swap_list(struct ibx_claim_list *other)
{
	unsigned long flags;

	spin_lock_irqsave(&list_lock, flags);
	swap(list, *other);
	spin_unlock_irqrestore(&list_lock, flags);
}

static bool held_by_other(struct device *dev, const struct device_driver *drv)
{
	return drv && drv != our_driver && ibx_is_rdma_adev(dev) && ibx_claimed(dev->parent);
}

/* 0 if there is no reason to think that binding will fail */
static int check_fn(struct device *dev)
{
	struct mlx5_adev *madev = container_of(dev, struct mlx5_adev, adev.dev);
	int err = 0;

	/* with a driver, and under its lock, mlx5_core cannot take the device down */
	device_lock(dev);
	if (dev->driver)
		err = ibx_check_fn(madev->mdev);
	device_unlock(dev);
	return err;
}

static int take_fn(struct device *dev)
{
	int err;

	err = check_fn(dev);
	if (err)
		return err;
	device_release_driver(dev);
	err = device_driver_attach(our_driver, dev);
	/* gone or going, or somebody else was quicker, whose binding is notified */
	if (err == -ENODEV || (err && READ_ONCE(dev->driver)))
		return 0;
	if (err)
		dev_warn(dev, "mlx5_ibx: cannot bind it: %d\n", err);
	return err;
}

static int settle_fn(struct device *dev, void *data)
{
	const struct device_driver *drv = READ_ONCE(dev->driver);
	struct settling *s = data;
	int err = 0;

	if (held_by_other(dev, drv)) {
		err = take_fn(dev);
	} else if (s->unbound && ibx_is_rdma_adev(dev)) {
		if (!drv && ibx_claimed(dev->parent))
			err = take_fn(dev);
		else if (drv == our_driver && !ibx_claimed(dev->parent))
			err = device_reprobe(dev);
		else if (!drv && s->undo && list_has_dev(s->undo, dev->parent))
			err = device_reprobe(dev);
	}
	if (err && !s->err && !(s->before && list_has_dev(s->before, dev->parent)))
		s->err = err;
	return 0;
}

/* the functions go where the list says */
static int settle_all(struct settling *s)
{
	lockdep_assert_held(&settle_mutex);
	bus_for_each_dev(our_driver->bus, NULL, s, settle_fn);
	return s->err;
}

static void retake_fn(struct work_struct *work)
{
	struct settling bound = {};

	mutex_lock(&settle_mutex);
	settle_all(&bound);
	mutex_unlock(&settle_mutex);
}

static DECLARE_WORK(retake_work, retake_fn);

static int bus_event(struct notifier_block *nb, unsigned long action, void *data)
{
	struct device *dev = data;

	if (action == BUS_NOTIFY_BOUND_DRIVER && held_by_other(dev, dev->driver))
		queue_work(system_long_wq, &retake_work);
	return NOTIFY_DONE;
}

static struct notifier_block bus_nb = { .notifier_call = bus_event };

/**
 * ibx_claim_start - take the claimed functions, now and whenever they appear
 * @drv: our driver, registered
 *
 * Context: may sleep; returns after those that are there were taken. One that
 * cannot be taken is no error; the kernel log says why.
 * Return: 0, or what registering the notifier returned.
 */
int ibx_claim_start(struct device_driver *drv)
{
	struct settling bound = {};
	int err;

	mutex_lock(&settle_mutex);
	our_driver = drv;
	err = bus_register_notifier(our_driver->bus, &bus_nb);
	if (err)
		our_driver = NULL;
	else
		settle_all(&bound);
	mutex_unlock(&settle_mutex);
	return err;
}

/**
 * ibx_claim_stop - undo ibx_claim_start(), before the driver is unregistered
 *
 * Functions stay where they are.
 * Context: may sleep.
 */
void ibx_claim_stop(void)
{
	bus_unregister_notifier(our_driver->bus, &bus_nb);
	cancel_work_sync(&retake_work);
	/* the parameter can be written until the module is gone */
	mutex_lock(&settle_mutex);
	our_driver = NULL;
	mutex_unlock(&settle_mutex);
}

/* ---- the parameter ---- */

static int parse_claim(const char *text, struct ibx_claim_list *to)
{
	int err = ibx_claim_parse(text, to);
	int len;

	if (!err)
		return 0;
	len = strcspn(to->bad, "\n");
	switch (err) {
	case -EEXIST:
		pr_err("claim: named twice: '%.*s'\n", len, to->bad);
		break;
	case -E2BIG:
		pr_err("claim: more than %d functions\n", IBX_CLAIM_MAX);
		break;
	default:
		pr_err("claim: expected 'all' or PCI addresses such as 0000:3b:00.0 with commas between them, found '%.*s'\n",
		       len, to->bad);
	}
	/* nothing else: modprobe takes some other errnos for success */
	return -EINVAL;
}

/*
 * Replaces the list. When the driver is there already, functions change hands
 * before this returns: those named now and not ours are taken, those that are
 * ours and not named any more go to whichever driver wants them. If one that is
 * new, and named by its address, cannot be taken, everything goes back to where
 * it was; those named that have no driver then go to whichever wants them.
 *
 * The module's lock of parameters is held: one writer at a time.
 */
static int set_claim(const char *text, const struct kernel_param *kp)
{
	/* built in, this runs before there is memory to allocate */
	static struct ibx_claim_list other;
	struct settling change = { .unbound = true, .before = &other };
	struct settling back = { .unbound = true, .undo = &other };
	int err;

	err = parse_claim(text, &other);
	if (err)
		return err;

	mutex_lock(&settle_mutex);
	swap_list(&other);
	if (our_driver) {
		err = settle_all(&change);
		if (err && list.all)
			err = 0;
		if (err) {
			swap_list(&other);
			settle_all(&back);
		}
	}
	mutex_unlock(&settle_mutex);
	return err;
}

static int get_claim(char *buf, const struct kernel_param *kp)
{
	int len;

	/* written under the same lock of parameters that is held here */
	len = ibx_claim_format(&list, buf, PAGE_SIZE - 1);
	buf[len++] = '\n';
	buf[len] = 0;
	return len;
}

static const struct kernel_param_ops claim_ops = {
	.set = set_claim,
	.get = get_claim,
};

module_param_cb(claim, &claim_ops, NULL, 0644);
MODULE_PARM_DESC(claim, "PCI functions to take: addresses with commas between them, or all; default none; writing it moves functions");
