// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Claiming devices: binding this driver to the devices that the user named.
 *
 * Parameter claim= names the devices to claim, when the module is loaded or
 * later through sysfs; other devices are not claimed. The auxiliary bus has no
 * priorities of drivers, so another driver may bind to a claimed device first:
 * mlx5_ib when it was loaded earlier, or when it registered earlier and
 * mlx5_core re-creates the auxiliary device after a recovery or reload. A
 * notifier watches for other drivers that bind to a claimed device, and a work
 * item rebinds the device. The notifier itself cannot unbind a driver: it would
 * deadlock on the device lock.
 *
 * No reference to an auxiliary device is kept beyond one step of a walk over
 * the bus. mlx5_core's release function clears its pointer to the auxiliary
 * device, so a late put after a reload would clear the pointer to the new
 * device. The work item therefore looks for devices when it runs.
 *
 * A device that cannot be driven is refused before the other driver is unbound.
 * If binding fails nevertheless, the device has no driver as long as it is
 * claimed: rebinding the other driver would only start the next attempt.
 *
 * Locks, outermost first: settle_mutex, held while devices change drivers;
 * device locks; list_lock, because probing reads the list under the device
 * lock.
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
 * struct settling - one walk over the auxiliary devices
 * @unbound: also bind claimed devices that have no driver, and reprobe devices
 *	that are bound to this driver and not claimed
 * @undo: devices in this list that are not claimed and have no driver are
 *	reprobed; may be NULL
 * @before: failures of devices in this list are ignored; may be NULL
 * @err: errno of the first failure that is not ignored, or 0
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
 * ibx_claimed() - is a device claimed?
 * @dev: PCI device, the parent of the auxiliary device
 *
 * Context: any.
 * Return: true if parameter claim= names the device.
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

/* errno with which binding will fail; 0 if no reason is found */
static int check_fn(struct device *dev)
{
	struct mlx5_adev *madev = container_of(dev, struct mlx5_adev, adev.dev);
	int err = 0;

	/* mlx5_core cannot unload a device that has a driver and whose lock is held */
	device_lock(dev);
	if (dev->driver)
		err = ibx_check_fn(madev->mdev);
	device_unlock(dev);
	return err;
}

static int bind_fn(struct device *dev)
{
	int err;

	err = check_fn(dev);
	if (err)
		return err;
	device_release_driver(dev);
	err = device_driver_attach(our_driver, dev);
	/*
	 * These errors are no failures. The device is being removed; or the
	 * device is being added, and device_add() probes it later with the new
	 * list; or another driver has bound first, and bus_event() is called
	 * for that driver.
	 */
	if (err == -ENODEV || err == -EAGAIN || (err && READ_ONCE(dev->driver)))
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
		err = bind_fn(dev);
	} else if (s->unbound && ibx_is_rdma_adev(dev)) {
		if (!drv && ibx_claimed(dev->parent))
			err = bind_fn(dev);
		else if (drv == our_driver && !ibx_claimed(dev->parent))
			err = device_reprobe(dev);
		else if (!drv && s->undo && list_has_dev(s->undo, dev->parent))
			err = device_reprobe(dev);
	}
	if (err && !s->err && !(s->before && list_has_dev(s->before, dev->parent)))
		s->err = err;
	return 0;
}

/* binds and unbinds devices as the list requires */
static int settle_all(struct settling *s)
{
	lockdep_assert_held(&settle_mutex);
	bus_for_each_dev(our_driver->bus, NULL, s, settle_fn);
	return s->err;
}

static void rebind_claimed(struct work_struct *work)
{
	struct settling bound = {};

	mutex_lock(&settle_mutex);
	settle_all(&bound);
	mutex_unlock(&settle_mutex);
}

static DECLARE_WORK(rebind_work, rebind_claimed);

static int bus_event(struct notifier_block *nb, unsigned long action, void *data)
{
	struct device *dev = data;

	if (action == BUS_NOTIFY_BOUND_DRIVER && held_by_other(dev, dev->driver))
		queue_work(system_long_wq, &rebind_work);
	return NOTIFY_DONE;
}

static struct notifier_block bus_nb = { .notifier_call = bus_event };

/**
 * ibx_claim_start() - bind claimed devices, now and when they appear later
 * @drv: registered driver of this module
 *
 * Existing devices are bound when this returns. A device that cannot be bound
 * is no error; the kernel log has the reason.
 *
 * Context: may sleep.
 * Return: 0, or the errno of bus_register_notifier().
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
 * ibx_claim_stop() - undo ibx_claim_start(), before the driver is unregistered
 *
 * Devices keep their drivers.
 *
 * Context: may sleep.
 */
void ibx_claim_stop(void)
{
	bus_unregister_notifier(our_driver->bus, &bus_nb);
	cancel_work_sync(&rebind_work);
	/* set_claim() may read our_driver until the module is unloaded */
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
	/* always -EINVAL: modprobe treats some other errnos as success */
	return -EINVAL;
}

/*
 * Replaces the list. If the driver is registered, devices change drivers before
 * this returns: newly named devices are bound, and devices of ours that are no
 * longer named are reprobed by other drivers. If a newly named device cannot be
 * bound, and was named by its address, the old list is restored; devices that
 * only the new list names and that have no driver are reprobed by other
 * drivers.
 *
 * The caller holds the module's parameter lock, so there is one writer at a
 * time.
 */
static int set_claim(const char *text, const struct kernel_param *kp)
{
	/* static: when built in, this runs before memory can be allocated */
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

	/*
	 * no list_lock: set_claim() writes the list under the parameter lock,
	 * which is held here, too
	 */
	len = ibx_claim_format(&list, buf, PAGE_SIZE - 1);
	buf[len++] = '\n';
	return len;
}

static const struct kernel_param_ops claim_ops = {
	.set = set_claim,
	.get = get_claim,
};

module_param_cb(claim, &claim_ops, NULL, 0644);
MODULE_PARM_DESC(claim, "PCI functions to take: addresses with commas between them, or all; default none; writing it moves functions");
