/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the ring of a shared receive queue ("linked" receive queue).
 *
 * QPs that share it consume WQEs in any order, so it is not a ring but a list:
 * the first 16 bytes of each WQE (mlx5_wqe_srq_next_seg) name the next one. The
 * list is one chain through all WQEs; posting takes from its head, a completed
 * WQE is appended at its tail. The device follows the same chain, as far as the
 * doorbell record counts. The link of a WQE must be there before the WQE is
 * posted, and the tail has none that is good: so the tail is never posted, and
 * one WQE stays unused.
 *
 * Completions name the WQE. What they name is believed only if it is posted: a
 * WQE appended twice would turn the list into a loop.
 *
 * The ring is a member of struct ibx_srq, which tracepoints look at. Its memory
 * belongs to the verbs layer, which allocates it before ibx_lrq_init() and frees it
 * after ibx_lrq_fini().
 *
 * Lock: @lock, inside the lock of a CQ, for posters and pollers alike.
 */
#ifndef MLX5_IBX_LRQ_H
#define MLX5_IBX_LRQ_H

#include <linux/mlx5/qp.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "ring.h"

/* the smallest WQE: link and one entry */
#define IBX_LRQ_WQE_MIN	(sizeof(struct mlx5_wqe_srq_next_seg) + \
			 sizeof(struct mlx5_wqe_data_seg))

/**
 * struct ibx_lrq_params - how the verbs layer describes a shared ring
 * @buf: ring, @wqe_cnt << @wqe_shift bytes, zeroed
 * @wqe_cnt: WQEs, a power of two, 2 to IBX_RING_MAX
 * @wqe_shift: log2 of a WQE's bytes, at least that of IBX_LRQ_WQE_MIN
 * @dbr: the doorbell record
 * @term_lkey: ends a list of entries that does not fill its WQE
 * @node: NUMA node of the shadow
 */
struct ibx_lrq_params {
	void *buf;
	u32 wqe_cnt;
	u32 wqe_shift;
	__be32 *dbr;
	__be32 term_lkey;
	int node;
};

int ibx_lrq_init(struct ibx_lrq *lrq, const struct ibx_lrq_params *p);
void ibx_lrq_fini(struct ibx_lrq *lrq);
int ibx_lrq_post(struct ibx_lrq *lrq, const struct ib_recv_wr **wr);
bool ibx_lrq_complete(struct ibx_lrq *lrq, u16 index, u64 *wr_id);

/* ---- srq_geom.c ---- */

/**
 * struct ibx_srq_limits - what the device allows
 * @max_wqes: WQEs of a ring
 * @max_wqe: bytes of a WQE
 */
struct ibx_srq_limits {
	u32 max_wqes;
	u32 max_wqe;
};

/**
 * struct ibx_srq_geom - geometry of a shared ring
 * @wqe_cnt: WQEs, a power of two, one of which stays unused
 * @wqe_shift: log2 of the bytes of one
 * @sges: entries of one
 */
struct ibx_srq_geom {
	u32 wqe_cnt;
	u32 wqe_shift;
	u32 sges;
};

int ibx_srq_geometry(const struct ib_srq_attr *attr, const struct ibx_srq_limits *lim,
		     struct ibx_srq_geom *geom);
u32 ibx_srq_max_sge(u32 max_wqe);

#endif /* MLX5_IBX_LRQ_H */
