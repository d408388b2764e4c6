/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: geometry of the rings of QPs and SRQs, from the requests of
 * consumers. Pure: values in, values out.
 */
#ifndef MLX5_IBX_GEOM_H
#define MLX5_IBX_GEOM_H

#include <linux/mlx5/qp.h>
#include <rdma/ib_verbs.h>

/* ---- QPs ---- */

/**
 * struct ibx_qp_limits - limits of the device, and requirements of the rings
 * @max_wqes: entries of a ring, basic blocks of sends or receive WQEs
 * @max_sq_wqe: bytes of a send WQE
 * @max_rq_wqe: bytes of a receive WQE
 * @max_send_sge: scatter/gather entries of a send WR, as reported to consumers
 * @layouts: a send WR must have space for a layout of max_inline_data bytes
 * @integrity: a send WR must have space for the registration of an INTEGRITY MR
 */
struct ibx_qp_limits {
	u32 max_wqes;
	u32 max_sq_wqe;
	u32 max_rq_wqe;
	u32 max_send_sge;
	bool layouts;
	bool integrity;
};

/**
 * struct ibx_qp_geom - geometry of the two rings of a QP
 * @sq_bbs: basic blocks of the send ring, a power of two; 0 without a send ring
 * @sq_wqe: bytes reserved for a send WR, a multiple of the basic block
 * @sq_wrs: send WRs that fit the ring
 * @sq_sges: scatter/gather entries of a send WR
 * @sq_inline: bytes of inline data of a send WR
 * @rq_wqes: receive WQEs, a power of two; 0 without a receive ring
 * @rq_shift: log2 of the bytes of a receive WQE
 * @rq_sges: scatter entries of a receive WQE
 */
struct ibx_qp_geom {
	u32 sq_bbs;
	u32 sq_wqe;
	u32 sq_wrs;
	u32 sq_sges;
	u32 sq_inline;
	u32 rq_wqes;
	u32 rq_shift;
	u32 rq_sges;
};

int ibx_qp_geometry(enum ib_qp_type type, const struct ib_qp_cap *cap,
		    const struct ibx_qp_limits *lim, struct ibx_qp_geom *geom);

/* bytes of the receive ring, which is in front of the send ring */
static inline size_t ibx_geom_rq_bytes(const struct ibx_qp_geom *g)
{
	return (size_t)g->rq_wqes << g->rq_shift;
}

static inline size_t ibx_geom_sq_bytes(const struct ibx_qp_geom *g)
{
	return (size_t)g->sq_bbs * MLX5_SEND_WQE_BB;
}

/* ---- SRQs ---- */

/**
 * struct ibx_srq_limits - limits of the device
 * @max_wqes: WQEs of a ring
 * @max_wqe: bytes of a WQE
 */
struct ibx_srq_limits {
	u32 max_wqes;
	u32 max_wqe;
};

/**
 * struct ibx_srq_geom - geometry of the ring of an SRQ
 * @wqe_cnt: WQEs, a power of two; one WQE is never posted
 * @wqe_shift: log2 of the bytes of a WQE
 * @sges: scatter entries of a WQE
 */
struct ibx_srq_geom {
	u32 wqe_cnt;
	u32 wqe_shift;
	u32 sges;
};

int ibx_srq_geometry(const struct ib_srq_attr *attr, const struct ibx_srq_limits *lim,
		     struct ibx_srq_geom *geom);
u32 ibx_srq_max_sge(u32 max_wqe);

#endif /* MLX5_IBX_GEOM_H */
