/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: checks of values that processes pass. Pure functions: no locks, no
 * access to the device or to memory of a process.
 */
#ifndef MLX5_IBX_ABI_CHECK_H
#define MLX5_IBX_ABI_CHECK_H

#include <linux/types.h>

#include "enc/geom.h"

/*
 * Page offsets for mmap(). Offsets below IBX_MMAP_UAR are commands of enum
 * mlx5_ib_mmap_cmd. A UAR of the context has the offset IBX_MMAP_UAR plus the
 * number of its PAGE_SIZE page in the BAR.
 */
#define IBX_MMAP_UAR	BIT(16)

/**
 * enum ibx_mmap_kind - objects that a process can map
 * @IBX_MMAP_KIND_UAR: a UAR of the context
 * @IBX_MMAP_KIND_CLOCK: the page of the device's clock
 * @IBX_MMAP_KIND_CLOCK_INFO: the page with the conversion of the clock to
 *	nanoseconds
 */
enum ibx_mmap_kind {
	IBX_MMAP_KIND_UAR,
	IBX_MMAP_KIND_CLOCK,
	IBX_MMAP_KIND_CLOCK_INFO,
};

/**
 * struct ibx_user_rings - geometry that a process passes for the rings of a QP
 * @sq_wqes: number of basic blocks of the send ring; 0 without a send ring
 * @rq_wqes: number of WQEs of the receive ring; 0 without a receive ring
 * @rq_shift: log2 of the bytes of a receive WQE
 * @srq: receives come from an SRQ
 */
struct ibx_user_rings {
	u32 sq_wqes;
	u32 rq_wqes;
	u32 rq_shift;
	bool srq;
};

ssize_t ibx_abi_len(size_t len, size_t min, size_t max);
int ibx_mmap_kind(unsigned long pgoff);
int ibx_user_rings_geometry(const struct ibx_user_rings *rings, const struct ibx_qp_limits *lim,
			    struct ibx_qp_geom *geom);

#endif /* MLX5_IBX_ABI_CHECK_H */
