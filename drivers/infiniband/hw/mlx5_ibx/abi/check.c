// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: checks of values that processes pass.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <uapi/rdma/mlx5-abi.h>

#include "abi/check.h"
#include "ring.h"

/* below IBX_MMAP_UAR, bits 15:8 of a page offset are a command, 7:0 an index */
#define CMD_SHIFT	8

/**
 * ibx_abi_len() - negotiate the length of a structure with a process
 * @len: number of bytes that the process passes, or has space for
 * @min: number of bytes that all versions of the structure have
 * @max: size in bytes of the structure that this driver uses
 *
 * Context: any.
 * Return: the number of bytes to copy, at most @max; -EINVAL if @len is below
 * @min.
 */
ssize_t ibx_abi_len(size_t len, size_t min, size_t max)
{
	return len < min ? -EINVAL : min(len, max);
}

/**
 * ibx_mmap_kind() - find the object that a process wants to map
 * @pgoff: offset of the mapping, in pages
 *
 * Context: any.
 * Return:
 * * enum ibx_mmap_kind
 * * -EOPNOTSUPP: a command of mlx5_ib that this driver does not support, or an
 *   unknown version of the page of the clock
 * * -EINVAL: any other offset
 */
int ibx_mmap_kind(unsigned long pgoff)
{
	unsigned long index = pgoff & (BIT(CMD_SHIFT) - 1);

	if (pgoff >= IBX_MMAP_UAR)
		return IBX_MMAP_KIND_UAR;
	switch (pgoff >> CMD_SHIFT) {
	case MLX5_IB_MMAP_CORE_CLOCK:
		return index ? -EINVAL : IBX_MMAP_KIND_CLOCK;
	case MLX5_IB_MMAP_CLOCK_INFO:
		/* the index is the version of the page */
		return index == MLX5_IB_CLOCK_INFO_V1 ? IBX_MMAP_KIND_CLOCK_INFO : -EOPNOTSUPP;
	case MLX5_IB_MMAP_REGULAR_PAGE:
	case MLX5_IB_MMAP_GET_CONTIGUOUS_PAGES:
	case MLX5_IB_MMAP_WC_PAGE:
	case MLX5_IB_MMAP_NC_PAGE:
	case MLX5_IB_MMAP_ALLOC_WC:
	case MLX5_IB_MMAP_DEVICE_MEM:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

static bool count_is_ok(u32 wqes, u32 max)
{
	return !wqes || (is_power_of_2(wqes) && wqes <= max);
}

/**
 * ibx_user_rings_geometry() - check the rings of a QP that a process has laid out
 * @rings: rings as the process describes them
 * @lim: max_wqes and max_rq_wqe of the device
 * @geom: gets sq_bbs and the members of the receive ring. The other members are
 *	0: the driver does not use them for a QP of a process
 *
 * The process posts without the kernel, and the device checks each WQE. So the
 * function checks only the size and the place of the rings.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: a number of WQEs is no power of two or above the limit, the device
 *   does not support the size of a receive WQE, the QP has a receive ring and
 *   an SRQ, or the send ring does not begin at a basic block
 */
int ibx_user_rings_geometry(const struct ibx_user_rings *rings, const struct ibx_qp_limits *lim,
			    struct ibx_qp_geom *geom)
{
	memset(geom, 0, sizeof(*geom));
	if (!count_is_ok(rings->sq_wqes, lim->max_wqes) ||
	    !count_is_ok(rings->rq_wqes, lim->max_wqes))
		return -EINVAL;
	geom->sq_bbs = rings->sq_wqes;
	if (!rings->rq_wqes)
		return 0;
	if (rings->srq || rings->rq_shift < ilog2(IBX_DS) || rings->rq_shift > 16 ||
	    BIT(rings->rq_shift) > lim->max_rq_wqe)
		return -EINVAL;
	geom->rq_wqes = rings->rq_wqes;
	geom->rq_shift = rings->rq_shift;
	geom->rq_sges = BIT(rings->rq_shift) / IBX_DS;
	if (geom->sq_bbs && ibx_geom_rq_bytes(geom) % IBX_BB)
		return -EINVAL;
	return 0;
}
