/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Finds an RDMA device by its name, for modules that have no client of the RDMA core.
 */
#ifndef TEST_MODULES_FIND_DEVICE_H
#define TEST_MODULES_FIND_DEVICE_H

#include <linux/string.h>
#include <rdma/ib_verbs.h>

static const char *t_wanted_name;
static struct ib_device *t_found_device;

static inline int t_look_at_device(struct ib_device *dev)
{
	if (!strcmp(dev_name(&dev->dev), t_wanted_name) && ib_device_try_get(dev))
		t_found_device = dev;
	return -EOPNOTSUPP;
}

/*
 * Registers a client, because the core then calls add() of the client for every device. Two calls
 * of t_find_device() must not run at the same time.
 *
 * Return: the device, with a reference that ib_device_put() drops; or NULL.
 */
static inline struct ib_device *t_find_device(const char *name)
{
	static struct ib_client client = { .name = "find_device", .add = t_look_at_device };

	t_wanted_name = name;
	t_found_device = NULL;
	if (!ib_register_client(&client))
		ib_unregister_client(&client);
	return t_found_device;
}

#endif /* TEST_MODULES_FIND_DEVICE_H */
