// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which functions are ours.
 *
 * This module never takes a function nobody gave it: parameter claim= names
 * them. A claimed function is ours whoever bound to it first: mlx5_ib when it
 * was loaded earlier, or when mlx5_core re-creates its auxiliary device after a
 * recovery or reload and mlx5_ib registered earlier. Drivers cannot be asked to
 * stand aside on the auxiliary bus, so we watch for others that bind to a
 * claimed function, and take it from a work item: unbinding from within the
 * notification would deadlock on the device lock.
 *
 * The list is fixed at load; the work queue and the notifier live as long as
 * the driver is registered.
 */
#include <linux/auxiliary_bus.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "claim_list.h"
#include "ibx.h"

static char *claim = "";
module_param(claim, charp, 0444);
MODULE_PARM_DESC(claim, "PCI functions to take: addresses with commas between them, or all; default none");

static struct ibx_claim_list list;
static struct workqueue_struct *claim_wq;
static struct device_driver *our_driver;

struct take_work {
	struct work_struct work;
	struct device *dev;
};

/**
 * ibx_claimed - is a function ours
 * @dev: parent of the auxiliary device
 *
 * Return: true if the user named it.
 */
bool ibx_claimed(struct device *dev)
{
	struct pci_dev *pdev;

	if (!dev || !dev_is_pci(dev))
		return false;
	pdev = to_pci_dev(dev);
	return ibx_claim_has(&list, pci_domain_nr(pdev->bus), pdev->bus->number, pdev->devfn);
}

/**
 * ibx_claim_parse_param - read the parameter
 *
 * Return: 0, or -EINVAL after telling the user what is wrong. Nothing else:
 * modprobe takes some other errnos for success.
 */
int ibx_claim_parse_param(void)
{
	switch (ibx_claim_parse(claim, &list)) {
	case 0:
		return 0;
	case -EEXIST:
		pr_err("mlx5_ibx: claim: named twice: '%s'\n", list.bad);
		break;
	case -E2BIG:
		pr_err("mlx5_ibx: claim: more than %d functions\n", IBX_CLAIM_MAX);
		break;
	default:
		pr_err("mlx5_ibx: claim: expected 'all' or PCI addresses such as 0000:3b:00.0 with commas between them, found '%s'\n",
		       list.bad);
	}
	return -EINVAL;
}

static bool wanted(struct device *dev)
{
	const struct device_driver *drv = READ_ONCE(dev->driver);

	return drv && drv != our_driver && ibx_is_rdma_adev(dev) && ibx_claimed(dev->parent);
}

static void take_fn(struct work_struct *work)
{
	struct take_work *t = container_of(work, struct take_work, work);
	int err;

	if (wanted(t->dev)) {
		device_release_driver(t->dev);
		err = device_driver_attach(our_driver, t->dev);
		if (err && err != -ENODEV && err != -EBUSY)
			dev_warn(t->dev, "mlx5_ibx: cannot bind it: %d\n", err);
	}
	put_device(t->dev);
	kfree(t);
}

static int queue_take(struct device *dev, void *unused)
{
	struct take_work *t;

	if (!wanted(dev))
		return 0;
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	INIT_WORK(&t->work, take_fn);
	t->dev = get_device(dev);
	queue_work(claim_wq, &t->work);
	return 0;
}

static int bus_event(struct notifier_block *nb, unsigned long action, void *data)
{
	struct device *dev = data;

	if (action == BUS_NOTIFY_BOUND_DRIVER && queue_take(dev, NULL))
		dev_warn(dev, "mlx5_ibx: no memory to bind it\n");
	return NOTIFY_DONE;
}

static struct notifier_block bus_nb = { .notifier_call = bus_event };

/**
 * ibx_claim_start - take the claimed functions, now and whenever they appear
 * @drv: our driver, registered
 *
 * Context: may sleep; returns after those that are there were taken.
 * Return: 0 or -ENOMEM.
 */
int ibx_claim_start(struct device_driver *drv)
{
	int err;

	our_driver = drv;
	claim_wq = alloc_ordered_workqueue("mlx5_ibx_claim", 0);
	if (!claim_wq)
		return -ENOMEM;
	err = bus_register_notifier(our_driver->bus, &bus_nb);
	if (err)
		goto destroy_wq;
	err = bus_for_each_dev(our_driver->bus, NULL, NULL, queue_take);
	if (err)
		goto unregister;
	flush_workqueue(claim_wq);
	return 0;

unregister:
	bus_unregister_notifier(our_driver->bus, &bus_nb);
destroy_wq:
	destroy_workqueue(claim_wq);
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
	destroy_workqueue(claim_wq);
}
