/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the pages of a UMEM. Pure functions: no locks, no device.
 */
#ifndef MLX5_IBX_DEVX_PAGES_H
#define MLX5_IBX_DEVX_PAGES_H

#include <linux/scatterlist.h>

/**
 * struct ibx_umem_mem - memory that is to be a UMEM
 * @sgl: list of memory that is mapped for DMA
 * @nents: number of elements of @sgl
 * @skip: bytes of the first element that are before the memory
 * @length: bytes of the memory
 * @sizes: bitmap of the page sizes in bytes that the UMEM may have
 * @writable: the device may write to the memory
 */
struct ibx_umem_mem {
	struct scatterlist *sgl;
	unsigned int nents;
	u32 skip;
	u64 length;
	u64 sizes;
	bool writable;
};

/**
 * struct ibx_umem_pages - the pages of a UMEM
 * @n: number of pages
 * @offset: offset of the first byte in the first page
 * @shift: log2 of the bytes of a page
 */
struct ibx_umem_pages {
	u64 n;
	u32 offset;
	u8 shift;
};

int ibx_umem_choose_pages(const struct ibx_umem_mem *mem, struct ibx_umem_pages *p);
void ibx_umem_list_pages(const struct ibx_umem_mem *mem, const struct ibx_umem_pages *p,
			 __be64 *mtt);

#endif /* MLX5_IBX_DEVX_PAGES_H */
