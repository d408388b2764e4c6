// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: geometry of the rings of QPs and SRQs.
 *
 * Each send WR counts as the largest WQE that a WR of the QP may need. So a send
 * ring with space for a WR has space for all basic blocks of its WQE. A ring is
 * never smaller than the consumer requests. A request above the limits of the
 * device is refused.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "enc/geom.h"
#include "ring.h"

static u32 send_overhead(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
		return IBX_RC_OVERHEAD;
	case IB_QPT_DRIVER:
		return IBX_DCI_OVERHEAD;
	default:
		return IBX_UD_OVERHEAD;
	}
}

static int choose_sq(enum ib_qp_type type, const struct ib_qp_cap *cap,
		     const struct ibx_qp_limits *lim, struct ibx_qp_geom *g)
{
	u32 overhead = send_overhead(type);
	u32 max_wqe = min_t(u32, lim->max_sq_wqe, IBX_SQ_WQE_MAX);
	u32 wqe;

	if (!cap->max_send_wr)
		return 0;
	if (cap->max_send_wr > lim->max_wqes || cap->max_send_sge > lim->max_send_sge ||
	    cap->max_inline_data > max_wqe)
		return -EINVAL;

	wqe = overhead + cap->max_send_sge * IBX_DS;
	if (cap->max_inline_data)
		wqe = max(wqe, overhead + IBX_INLINE_HDR + cap->max_inline_data);
	if (type == IB_QPT_RC)
		wqe = max_t(u32, wqe, IBX_RC_WQE_MIN);
	if (type == IB_QPT_DRIVER)
		wqe = max_t(u32, wqe, IBX_DCI_WQE_MIN);
	if (lim->layouts)
		wqe = max_t(u32, wqe, IBX_UMR_OVERHEAD + cap->max_inline_data);
	if (lim->integrity)
		wqe = max_t(u32, wqe, IBX_PI_WR_MAX);
	wqe = ALIGN(wqe, IBX_BB);
	if (wqe > max_wqe)
		return -EINVAL;

	g->sq_wqe = wqe;
	g->sq_bbs = roundup_pow_of_two(cap->max_send_wr * (wqe / IBX_BB));
	if (g->sq_bbs > lim->max_wqes)
		return -EINVAL;
	g->sq_wrs = g->sq_bbs / (wqe / IBX_BB);
	g->sq_sges = (wqe - overhead) / IBX_DS;
	g->sq_inline = wqe > overhead ? wqe - overhead - IBX_INLINE_HDR : 0;
	return 0;
}

static int choose_rq(const struct ib_qp_cap *cap, const struct ibx_qp_limits *lim,
		     struct ibx_qp_geom *g)
{
	u32 wqe;

	if (!cap->max_recv_wr)
		return 0;
	if (cap->max_recv_wr > lim->max_wqes || cap->max_recv_sge > lim->max_rq_wqe / IBX_DS)
		return -EINVAL;

	wqe = roundup_pow_of_two(max_t(u32, cap->max_recv_sge, 1) * IBX_DS);
	if (wqe > lim->max_rq_wqe)
		return -EINVAL;
	g->rq_shift = ilog2(wqe);
	/* whole basic blocks, because the send ring follows the receive ring */
	g->rq_wqes = max_t(u32, roundup_pow_of_two(cap->max_recv_wr), IBX_BB / wqe);
	g->rq_sges = wqe / IBX_DS;
	return 0;
}

/**
 * ibx_qp_geometry() - choose the rings of a QP
 * @type: IB_QPT_RC, _UC, _UD or _GSI, or _DRIVER for a DCI
 * @cap: capabilities that the consumer requests; a queue of 0 WRs has no ring
 * @lim: limits of the device, and space that send WRs need for layouts and
 *	INTEGRITY MRs
 * @geom: receives the geometry
 *
 * Context: any.
 * Return: 0, or -EINVAL when the consumer requests more than the device allows.
 */
int ibx_qp_geometry(enum ib_qp_type type, const struct ib_qp_cap *cap,
		    const struct ibx_qp_limits *lim, struct ibx_qp_geom *geom)
{
	int err;

	memset(geom, 0, sizeof(*geom));
	err = choose_sq(type, cap, lim, geom);
	if (err)
		return err;
	return choose_rq(cap, lim, geom);
}

/**
 * ibx_srq_max_sge() - maximum number of scatter entries in a WQE of an SRQ
 * @max_wqe: maximum size of a WQE on the device, in bytes
 *
 * Context: any.
 * Return: number of scatter entries; 0 if a WQE has no space for one.
 */
u32 ibx_srq_max_sge(u32 max_wqe)
{
	if (max_wqe < IBX_SRQ_WQE_MIN)
		return 0;
	return rounddown_pow_of_two(max_wqe) / IBX_DS - 1;
}

/**
 * ibx_srq_geometry() - choose the ring of an SRQ
 * @attr: max_wr and max_sge that the consumer requests
 * @lim: limits of the device
 * @geom: receives the geometry
 *
 * Context: any.
 * Return: 0, or -EINVAL when max_wr is 0 or the consumer requests more than the
 * device allows.
 */
int ibx_srq_geometry(const struct ib_srq_attr *attr, const struct ibx_srq_limits *lim,
		     struct ibx_srq_geom *geom)
{
	u32 wqe;

	if (!attr->max_wr || attr->max_wr >= lim->max_wqes ||
	    attr->max_sge > ibx_srq_max_sge(lim->max_wqe))
		return -EINVAL;

	wqe = roundup_pow_of_two((1 + max_t(u32, attr->max_sge, 1)) * IBX_DS);
	/* a WQE has one entry even for a max_sge of 0, and may be too large */
	if (wqe > lim->max_wqe)
		return -EINVAL;
	geom->wqe_cnt = roundup_pow_of_two(attr->max_wr + 1);
	geom->wqe_shift = ilog2(wqe);
	geom->sges = wqe / IBX_DS - 1;
	return 0;
}
