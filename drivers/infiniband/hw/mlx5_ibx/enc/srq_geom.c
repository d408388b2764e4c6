// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Geometry of a shared receive ring from what its owner asks for. Pure.
 */
#include <linux/log2.h>
#include <linux/minmax.h>

#include "enc/qpc.h"
#include "ring.h"

/**
 * ibx_srq_max_sge - entries of the longest WQE
 * @max_wqe: bytes of a WQE that the device allows
 *
 * Return: 0 if not even one entry fits.
 */
u32 ibx_srq_max_sge(u32 max_wqe)
{
	if (max_wqe < IBX_SRQ_WQE_MIN)
		return 0;
	return rounddown_pow_of_two(max_wqe) / IBX_DS - 1;
}

/**
 * ibx_srq_geometry - choose the ring of an SRQ
 * @attr: what is asked for: max_wr and max_sge
 * @lim: what the device allows
 * @geom: gets the ring
 *
 * Return: 0, or -EINVAL for no WRs at all or when more is asked for than the
 * device has.
 */
int ibx_srq_geometry(const struct ib_srq_attr *attr, const struct ibx_srq_limits *lim,
		     struct ibx_srq_geom *geom)
{
	u32 wqe;

	if (!attr->max_wr || attr->max_wr >= lim->max_wqes ||
	    attr->max_sge > ibx_srq_max_sge(lim->max_wqe))
		return -EINVAL;

	wqe = roundup_pow_of_two((1 + max_t(u32, attr->max_sge, 1)) * IBX_DS);
	/* max_sge 0 was not compared with a limit of 0 */
	if (wqe > lim->max_wqe)
		return -EINVAL;
	geom->wqe_cnt = roundup_pow_of_two(attr->max_wr + 1);
	geom->wqe_shift = ilog2(wqe);
	geom->sges = wqe / IBX_DS - 1;
	return 0;
}
