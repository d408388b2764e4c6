// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * dma-bufs of memory of a file (/dev/udmabuf), and UMEMs of dma-bufs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "devx.h"

/*
 * Return: file descriptor of a dma-buf of complete pages, which are also mapped
 * in the process
 */
int open_dmabuf(size_t bytes, u8 **mem)
{
	struct udmabuf_create create = { .size = bytes };
	int device = open("/dev/udmabuf", O_RDWR), fd;

	create.memfd = memfd_create("umem", MFD_ALLOW_SEALING);
	if (ftruncate(create.memfd, bytes) || fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		die("no file: %s", strerror(errno));
	*mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, create.memfd, 0);
	fd = ioctl(device, UDMABUF_CREATE, &create);
	if (*mem == MAP_FAILED || fd < 0)
		die("no dma-buf: %s", strerror(errno));
	close(device);
	close(create.memfd);
	return fd;
}

/* Return: a UMEM of a part of a dma-buf, or NULL */
struct mlx5dv_devx_umem *reg_dmabuf(struct end *e, int fd, u64 offset, size_t len)
{
	struct mlx5dv_devx_umem_in in = {
		.addr = (void *)(uintptr_t)offset, .size = len, .access = IBV_ACCESS_LOCAL_WRITE,
		.pgsz_bitmap = UINT64_MAX, .comp_mask = MLX5DV_UMEM_MASK_DMABUF, .dmabuf_fd = fd,
	};

	errno = 0;
	return mlx5dv_devx_umem_reg_ex(e->ctx, &in);
}
