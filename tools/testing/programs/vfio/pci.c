// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Access to the PCI function by vfio: BAR 0, config space, one interrupt */
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "referee.h"

/* opens /dev/vfio/noiommu-N, where N is the IOMMU group of the function */
static int open_group(const char *address)
{
	char path[128], link[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/iommu_group", address);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		die("%s: %m", path);
	link[n] = 0;
	snprintf(path, sizeof(path), "/dev/vfio/noiommu-%s", strrchr(link, '/') + 1);
	fd = open(path, O_RDWR);
	if (fd < 0)
		die("%s: %m", path);
	return fd;
}

static struct vfio_region_info region(int device, u32 index)
{
	struct vfio_region_info info = { .argsz = sizeof(info), .index = index };

	if (ioctl(device, VFIO_DEVICE_GET_REGION_INFO, &info))
		die("VFIO_DEVICE_GET_REGION_INFO %u: %m", index);
	return info;
}

void pci_open(struct referee *r, const char *address)
{
	int container = open("/dev/vfio/vfio", O_RDWR), group = open_group(address);
	struct vfio_region_info info;
	void *bar;

	if (container < 0 || ioctl(group, VFIO_GROUP_SET_CONTAINER, &container) ||
	    ioctl(container, VFIO_SET_IOMMU, VFIO_NOIOMMU_IOMMU))
		die("vfio container: %m");
	r->device = ioctl(group, VFIO_GROUP_GET_DEVICE_FD, address);
	if (r->device < 0)
		die("vfio device: %m");
	info = region(r->device, VFIO_PCI_BAR0_REGION_INDEX);
	bar = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, r->device, info.offset);
	if (bar == MAP_FAILED)
		die("BAR 0: %m");
	r->bar = bar;
	r->config = region(r->device, VFIO_PCI_CONFIG_REGION_INDEX).offset;
}

void pci_bus_master(struct referee *r, bool on)
{
	u16 cmd;

	if (pread(r->device, &cmd, 2, r->config + PCI_COMMAND) != 2)
		die("config space: %m");
	cmd = on ? cmd | PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY : cmd & ~PCI_COMMAND_MASTER;
	if (pwrite(r->device, &cmd, 2, r->config + PCI_COMMAND) != 2)
		die("config space: %m");
}

/* Enables MSI-X vectors 0 to MSI_VECTOR, each with an eventfd. Only MSI_VECTOR is used. */
void pci_interrupt(struct referee *r)
{
	struct vfio_irq_set *set;
	int fds[MSI_VECTOR + 1];
	unsigned int i;

	for (i = 0; i <= MSI_VECTOR; i++) {
		fds[i] = eventfd(0, EFD_NONBLOCK);
		if (fds[i] < 0)
			die("eventfd: %m");
	}
	set = calloc(1, sizeof(*set) + sizeof(fds));
	if (!set)
		die("out of memory");
	set->argsz = sizeof(*set) + sizeof(fds);
	set->flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	set->index = VFIO_PCI_MSIX_IRQ_INDEX;
	set->count = MSI_VECTOR + 1;
	memcpy(set->data, fds, sizeof(fds));
	if (ioctl(r->device, VFIO_DEVICE_SET_IRQS, set))
		die("MSI-X: %m");
	free(set);
	r->eventfd = fds[MSI_VECTOR];
}

/* Return: true if an interrupt arrived since the last call, or arrives within @ms milliseconds */
bool pci_interrupted(struct referee *r, int ms)
{
	struct pollfd p = { .fd = r->eventfd, .events = POLLIN };
	u64 count;

	return poll(&p, 1, ms) == 1 && read(r->eventfd, &count, sizeof(count)) == sizeof(count);
}

void reg_write32(struct referee *r, unsigned int at, u32 v)
{
	__sync_synchronize();
	__atomic_store_n((u32 *)(r->bar + at), htobe32(v), __ATOMIC_RELAXED);
}

void reg_write64(struct referee *r, unsigned int at, u64 v)
{
	__sync_synchronize();
	__atomic_store_n((u64 *)(r->bar + at), htobe64(v), __ATOMIC_RELAXED);
}

u32 reg_read32(struct referee *r, unsigned int at)
{
	return be32toh(__atomic_load_n((u32 *)(r->bar + at), __ATOMIC_RELAXED));
}
