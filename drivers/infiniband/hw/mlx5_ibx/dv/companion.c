// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: devices for direct verbs: claimed devices, and companions of devices
 * that mlx5_ib drives (companion.h).
 *
 * A client of the RDMA core follows the devices of mlx5_ib. A companion is
 * created when both the device and the back end for mlx5_ib exist. Its first
 * reference is put when the device or the back end is removed. Each object of a
 * ULP holds a reference to the companion and a reference to the module of the
 * back end. A ULP may destroy its objects after the device was removed from
 * this client, because the core removes a device from its clients one after the
 * other.
 *
 * A companion holds a reference to the ib_device. So ib_unregister_device()
 * waits until the companion is released, and mlx5_core's device exists until
 * then.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "dv/companion.h"
#include "dv/register.h"
#include "verbs/verbs.h"

/**
 * struct companion - a companion
 * @dev: the companion
 * @refs: 1 while ibx_dv_get() finds @dev, and 1 for each ibx_dv_get() without
 *	its ibx_dv_put()
 * @release: releases the companion when @refs is 0
 */
struct companion {
	struct ibx_dev dev;
	refcount_t refs;
	struct work_struct release;
};

/**
 * struct foreign - a device of mlx5_ib
 * @ibdev: device
 * @link: entry of foreigns
 * @companion: companion, under RCU; or NULL
 */
struct foreign {
	struct ib_device *ibdev;
	struct list_head link;
	struct companion __rcu *companion;
};

static struct workqueue_struct *release_wq;
static DEFINE_MUTEX(lock);		/* everything below */
static LIST_HEAD(foreigns);
static const struct ibx_backend *registered;
static int (*bring_up)(struct ibx_dev *dev);
static void (*bring_down)(struct ibx_dev *dev);

static void release_companion(struct work_struct *work)
{
	struct companion *c = container_of(work, struct companion, release);

	bring_down(&c->dev);
	ib_device_put(c->dev.ib);
	kvfree(c);
}

static void put_companion(struct companion *c)
{
	/* the last object may be a layout, which ULPs may free in softirqs */
	if (refcount_dec_and_test(&c->refs))
		queue_work(release_wq, &c->release);
}

static int start_companion(struct companion *c, struct ib_device *ibdev, struct mlx5_core_dev *mdev)
{
	int err;

	if (!ib_device_try_get(ibdev))
		return -ENODEV;
	c->dev.mdev = mdev;
	c->dev.ib = ibdev;
	c->dev.backend = registered;
	c->dev.is_patched = registered->is_patched(ibdev);
	refcount_set(&c->refs, 1);
	INIT_WORK(&c->release, release_companion);
	err = bring_up(&c->dev);
	if (err)
		ib_device_put(ibdev);
	return err;
}

static void create_companion(struct foreign *f)
{
	struct mlx5_core_dev *mdev = registered->mdev(f->ibdev);
	struct companion *c;
	int err;

	lockdep_assert_held(&lock);
	if (!mdev)
		return;
	c = kvzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return;
	err = start_companion(c, f->ibdev, mdev);
	if (err) {
		ibdev_warn(f->ibdev, "no direct verbs: error %d\n", err);
		kvfree(c);
		return;
	}
	rcu_assign_pointer(f->companion, c);
}

static void drop_companion(struct foreign *f)
{
	struct companion *c = rcu_replace_pointer(f->companion, NULL, lockdep_is_held(&lock));

	if (!c)
		return;
	/* ibx_dv_get() may still take a reference */
	synchronize_rcu();
	put_companion(c);
}

static struct ib_client client;

static int add_device(struct ib_device *ibdev)
{
	struct foreign *f;

	if (ibx_is_ours(ibdev) || ibdev->ops.driver_id != RDMA_DRIVER_MLX5)
		return -EOPNOTSUPP;
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	f->ibdev = ibdev;
	mutex_lock(&lock);
	list_add_tail(&f->link, &foreigns);
	if (registered)
		create_companion(f);
	mutex_unlock(&lock);
	ib_set_client_data(ibdev, &client, f);
	return 0;
}

static void remove_device(struct ib_device *ibdev, void *client_data)
{
	struct foreign *f = client_data;

	mutex_lock(&lock);
	drop_companion(f);
	list_del(&f->link);
	mutex_unlock(&lock);
	/* the core clears the client data only after this function */
	ib_set_client_data(ibdev, &client, NULL);
	kfree_rcu_mightsleep(f);
}

static struct ib_client client = {
	.name = "mlx5dv",
	.add = add_device,
	.remove = remove_device,
};

/**
 * ibx_companions_start() - follow the devices of mlx5_ib
 * @up: initializes a companion, whose members mdev, ib and backend are set; may
 *	sleep
 * @down: undoes @up
 *
 * Context: may sleep; when the module is loaded.
 * Return: 0, -ENOMEM, or an errno of ib_register_client().
 */
int ibx_companions_start(int (*up)(struct ibx_dev *dev), void (*down)(struct ibx_dev *dev))
{
	int err;

	release_wq = alloc_workqueue("mlx5dv", WQ_UNBOUND, 0);
	if (!release_wq)
		return -ENOMEM;
	bring_up = up;
	bring_down = down;
	err = ib_register_client(&client);
	if (err)
		destroy_workqueue(release_wq);
	return err;
}

/**
 * ibx_companions_stop() - undo ibx_companions_start()
 *
 * Context: may sleep; when the module is unloaded.
 */
void ibx_companions_stop(void)
{
	ib_unregister_client(&client);
	destroy_workqueue(release_wq);
}

/**
 * ibx_backend_register() - create companions for the devices of mlx5_ib
 * @backend: functions of the back end for mlx5_ib; valid until
 *	ibx_backend_unregister()
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EBUSY: another module is registered
 */
int ibx_backend_register(const struct ibx_backend *backend)
{
	struct foreign *f;
	int err = 0;

	mutex_lock(&lock);
	if (registered) {
		err = -EBUSY;
	} else {
		registered = backend;
		list_for_each_entry(f, &foreigns, link)
			create_companion(f);
	}
	mutex_unlock(&lock);
	return err;
}
EXPORT_SYMBOL_GPL(ibx_backend_register);

/**
 * ibx_backend_unregister() - undo ibx_backend_register()
 * @backend: functions of the module that is being unloaded: no ULP has an object
 *	of a companion
 *
 * Context: may sleep.
 */
void ibx_backend_unregister(const struct ibx_backend *backend)
{
	struct foreign *f;

	mutex_lock(&lock);
	if (!WARN_ON(registered != backend)) {
		list_for_each_entry(f, &foreigns, link)
			drop_companion(f);
		registered = NULL;
	}
	mutex_unlock(&lock);
	flush_workqueue(release_wq);
}
EXPORT_SYMBOL_GPL(ibx_backend_unregister);

/**
 * ibx_dv_get() - find a device for direct verbs
 * @ibdev: any RDMA device
 *
 * The caller must call ibx_dv_put() after it has destroyed the objects that it
 * creates on the device.
 *
 * Context: any.
 * Return: the claimed device, or the companion of a device of mlx5_ib; NULL for
 * a device of another driver, and for a device of mlx5_ib that has no companion
 * or whose back end is being unloaded.
 */
struct ibx_dev *ibx_dv_get(struct ib_device *ibdev)
{
	struct companion *c = NULL;
	struct foreign *f;

	if (ibx_is_ours(ibdev))
		return to_idev(ibdev);
	rcu_read_lock();
	f = ib_get_client_data(ibdev, &client);
	if (f)
		c = rcu_dereference(f->companion);
	if (c && !try_module_get(c->dev.backend->owner))
		c = NULL;
	if (c)
		refcount_inc(&c->refs);
	rcu_read_unlock();
	return c ? &c->dev : NULL;
}

/**
 * ibx_dv_put() - undo ibx_dv_get()
 * @dev: device
 *
 * Context: any.
 */
void ibx_dv_put(struct ibx_dev *dev)
{
	struct module *owner;

	if (!dev->backend)
		return;
	owner = dev->backend->owner;
	put_companion(container_of(dev, struct companion, dev));
	module_put(owner);
}
