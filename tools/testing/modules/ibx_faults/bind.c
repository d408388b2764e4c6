// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Binding a driver to the RDMA part of a PCI function, and unbinding it. Both run in
 * the task of the case, because the kernel's fault injection makes allocations fail
 * for one task.
 */
#include <linux/mlx5/driver.h>
#include <linux/pci.h>

#include "ibx_faults.h"

static int find_rdma_part(struct device *dev, void *found)
{
	if (strncmp(dev_name(dev), MLX5_ADEV_NAME ".rdma.", strlen(MLX5_ADEV_NAME ".rdma.")))
		return 0;
	*(struct device **)found = get_device(dev);
	return 1;
}

/* the RDMA part of a PCI function, with a reference; NULL if there is none */
static struct device *rdma_part(const char *pci)
{
	struct device *part = NULL, *dev;

	dev = pci ? bus_find_device_by_name(&pci_bus_type, NULL, pci) : NULL;
	if (!dev) {
		f_log("no function %s\n", pci);
		return NULL;
	}
	device_for_each_child(dev, &part, find_rdma_part);
	if (!part)
		f_log("%s has no RDMA part\n", pci);
	put_device(dev);
	return part;
}

/**
 * f_bind() - case "bind"
 * @args: PCI address, name of a driver on the auxiliary bus, argument of f_arm()
 *
 * Return: the result of the driver's probe or of f_arm(); -ENODEV if the device or the driver
 * does not exist.
 */
int f_bind(char *args)
{
	char *pci = strsep(&args, " "), *name = strsep(&args, " ");
	struct device *dev = rdma_part(pci);
	struct device_driver *drv;
	int ret;

	if (!dev)
		return -ENODEV;
	drv = name ? driver_find(name, dev->bus) : NULL;
	ret = drv ? f_arm(args) : -ENODEV;
	if (!ret) {
		ret = device_driver_attach(drv, dev);
		f_disarm();
	}
	put_device(dev);
	return ret;
}

/**
 * f_unbind() - case "unbind"
 * @args: PCI address, argument of f_arm()
 *
 * Return: 0, -ENODEV if the device does not exist, or the result of f_arm().
 */
int f_unbind(char *args)
{
	struct device *dev = rdma_part(strsep(&args, " "));
	int ret;

	if (!dev)
		return -ENODEV;
	ret = f_arm(args);
	if (!ret) {
		device_release_driver(dev);
		f_disarm();
	}
	put_device(dev);
	return ret;
}
