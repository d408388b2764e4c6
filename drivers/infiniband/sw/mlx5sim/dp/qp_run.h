/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The run-time state of a QP.
 */
#ifndef MLX5SIM_DP_QP_RUN_H
#define MLX5SIM_DP_QP_RUN_H

#include <linux/list.h>
#include <linux/mlx5/mlx5_ifc.h>

#include "obj/objects.h"

/**
 * struct sim_qp_dp - run-time state of a QP
 * @all: entry of sim_dev.all_qps
 * @qp: QP that the state belongs to
 * @sq_dead: the send ring is unusable and is no longer read
 * @rq_dead: the receive ring is unusable and is no longer read
 * @failed: the QP is in ERR, until RESET
 * @waiting: a timer runs until @wait_until; then the WQE at sq.ci is sent again
 * @wait_until: device time at which an RNR or retry timer ends
 * @retry_left: transport retries left for the WQE at sq.ci
 * @rnr_left: RNR retries left; not used when the QP has no limit of RNR retries
 * @established: the first message has arrived
 * @seq_nak: a sequence NAK was sent, and no message with the expected number
 *     has arrived since
 * @draining: the QP will enter SQD when all outstanding WQEs have completed
 * @stalled: by a fault, no WQE of the QP is executed or flushed
 */
struct sim_qp_dp {
	struct list_head all;
	struct sim_qp *qp;
	bool sq_dead;
	bool rq_dead;
	bool failed;
	bool waiting;
	u64 wait_until;
	u8 retry_left;
	u8 rnr_left;
	bool established;
	bool seq_nak;
	bool draining;
	bool stalled;
};

/*
 * Both rings are unusable after a failed read of the doorbell record, which
 * contains both counters. The failure was recorded as a violation; the record
 * is not read again.
 */
static inline void sim_qp_dbr_broken(struct sim_qp *qp)
{
	qp->dp->sq_dead = true;
	qp->dp->rq_dead = true;
}

/* Does the QP execute a message to an XRC SRQ? */
static inline bool sim_qp_in_xrc(const struct sim_qp *qp)
{
	return qp->st == MLX5_QP_ST_XRC && qp->srq;
}

/* The PD of the QP; for a message to an XRC SRQ, the PD of the SRQ */
static inline u32 sim_qp_pdn(const struct sim_qp *qp)
{
	if (sim_qp_in_xrc(qp))
		return qp->srq->pd->obj.id;
	return qp->pd ? qp->pd->obj.id : U32_MAX;
}

/* The CQ of receives; for a message to an XRC SRQ, the CQ of the SRQ */
static inline struct sim_cq *sim_qp_rcq(const struct sim_qp *qp)
{
	return sim_qp_in_xrc(qp) ? qp->srq->cq : qp->rcq;
}

static inline bool sim_qp_has_srq(const struct sim_qp *qp)
{
	return qp->rq_type == MLX5_SRQ_RQ && qp->srq;
}

#endif /* MLX5SIM_DP_QP_RUN_H */
