/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A QP while it runs.
 */
#ifndef MLX5SIM_DP_QP_RUN_H
#define MLX5SIM_DP_QP_RUN_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mlx5/mlx5_ifc.h>

#include "obj/objects.h"

/**
 * struct sim_qp_dp - run-time state of a QP
 * @all: in sim_dev.all_qps
 * @qp: whose it is
 * @sq_dead: the send ring cannot be believed; nothing more is read from it
 * @rq_dead: nor the receive ring
 * @failed: in error; stays so until reset
 * @waiting: for @wait_until, to send the WQE at sq.ci again
 * @wait_until: end of an RNR or retry timer
 * @retry_left: transport retries left for the WQE at sq.ci
 * @rnr_left: RNR retries left, not counted when the QP retries for ever
 * @established: the first message has come in
 * @seq_nak: a sequence NAK was sent, and nothing with the right number came since
 */
struct sim_qp_dp {
	struct list_head all;
	struct sim_qp *qp;
	bool sq_dead;
	bool rq_dead;
	bool failed;
	bool waiting;
	ktime_t wait_until;
	u8 retry_left;
	u8 rnr_left;
	bool established;
	bool seq_nak;
};

/* One record has both counters; it is reported once and not looked at again. */
static inline void sim_qp_dbr_broken(struct sim_qp *qp)
{
	qp->dp->sq_dead = true;
	qp->dp->rq_dead = true;
}

static inline u32 sim_qp_pdn(const struct sim_qp *qp)
{
	return qp->pd ? qp->pd->obj.id : U32_MAX;
}

static inline bool sim_qp_has_srq(const struct sim_qp *qp)
{
	return qp->rq_type == MLX5_SRQ_RQ && qp->srq;
}

#endif /* MLX5SIM_DP_QP_RUN_H */
