// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Geometry of a QP's rings from the capabilities its owner asks for. Pure.
 *
 * A send WR is charged with the largest WQE it may become, so a ring with room
 * for a WR has room for its blocks (wq.h). What comes out is never less than
 * what was asked for; what does not fit the device is refused.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "enc/qpc.h"
#include "ring.h"

static u32 overhead_of(enum ib_qp_type type)
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

static int geom_sq(enum ib_qp_type type, const struct ib_qp_cap *cap,
		   const struct ibx_qp_limits *lim, struct ibx_qp_geom *g)
{
	u32 overhead = overhead_of(type);
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

static int geom_rq(const struct ib_qp_cap *cap, const struct ibx_qp_limits *lim,
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
	/* the send ring after it starts on a basic block */
	g->rq_wqes = max_t(u32, roundup_pow_of_two(cap->max_recv_wr), IBX_BB / wqe);
	g->rq_sges = wqe / IBX_DS;
	return 0;
}

/**
 * ibx_qp_geometry - choose the rings of a QP
 * @type: IB_QPT_RC, _UC, _UD or _GSI; _DRIVER is a DCI
 * @cap: what is asked for; 0 WRs mean no such ring
 * @lim: what the device allows
 * @geom: gets the rings
 *
 * Return: 0, or -EINVAL when more is asked for than the device has.
 */
int ibx_qp_geometry(enum ib_qp_type type, const struct ib_qp_cap *cap,
		    const struct ibx_qp_limits *lim, struct ibx_qp_geom *geom)
{
	int err;

	memset(geom, 0, sizeof(*geom));
	err = geom_sq(type, cap, lim, geom);
	if (err)
		return err;
	return geom_rq(cap, lim, geom);
}
