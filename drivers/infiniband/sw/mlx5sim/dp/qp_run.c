// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs while they run: their run-time state, its changes, and how they fail.
 *
 * Every QP in RTS or in error is on the list sim_dev.qps and gets its turn in
 * sim_qp_poll(). Going to error only marks the QP: it is flushed when its turn comes, so an
 * error inside a run cannot recurse into it.
 */
#include <linux/slab.h>

#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"

/**
 * sim_dp_qp_create() - create the run-time state of a QP
 * @sdev: the function
 * @qp: in RESET; its type, rings and CQs are set
 *
 * Return: 0 or -ENOMEM.
 */
int sim_dp_qp_create(struct sim_dev *sdev, struct sim_qp *qp)
{
	qp->dp = kzalloc(sizeof(*qp->dp), GFP_KERNEL);
	if (!qp->dp)
		return -ENOMEM;
	qp->dp->qp = qp;
	INIT_LIST_HEAD(&qp->active);
	list_add_tail(&qp->dp->all, &sdev->all_qps);
	return 0;
}

/**
 * sim_dp_qp_destroy() - undo sim_dp_qp_create()
 * @sdev: the function
 * @qp: in any state
 */
void sim_dp_qp_destroy(struct sim_dev *sdev, struct sim_qp *qp)
{
	if (!qp->dp)
		return;
	list_del_init(&qp->active);
	list_del(&qp->dp->all);
	kfree(qp->dp);
	qp->dp = NULL;
}

/**
 * sim_dp_qp_reset() - put a QP's rings into their initial state
 * @sdev: the function
 * @qp: going to RESET
 */
void sim_dp_qp_reset(struct sim_dev *sdev, struct sim_qp *qp)
{
	struct sim_qp_dp *dp = qp->dp;

	list_del_init(&qp->active);
	dp->sq_dead = false;
	dp->rq_dead = false;
	dp->failed = false;
	dp->waiting = false;
	dp->established = false;
	dp->seq_nak = false;
	qp->sq.ci = 0;
	qp->sq.pi = 0;
	qp->rq.ci = 0;
}

/**
 * sim_retry_reset() - start counting retries from the QP's limits
 * @qp: the QP
 */
void sim_retry_reset(struct sim_qp *qp)
{
	qp->dp->waiting = false;
	qp->dp->retry_left = qp->retry_count;
	qp->dp->rnr_left = qp->rnr_retry;
}

static void sim_qp_activate(struct sim_dev *sdev, struct sim_qp *qp)
{
	if (list_empty(&qp->active))
		list_add_tail(&qp->active, &sdev->qps);
}

/**
 * sim_dp_qp_rts() - a QP reached RTR or RTS
 * @sdev: the function
 * @qp: its state, path and sequence numbers are set
 */
void sim_dp_qp_rts(struct sim_dev *sdev, struct sim_qp *qp)
{
	if (qp->state != MLX5_QP_STATE_RTS)
		return;
	sim_retry_reset(qp);
	sim_qp_activate(sdev, qp);
}

/**
 * sim_dp_qp_error() - a QP is moved to error by command
 * @sdev: the function
 * @qp: in any state
 *
 * Its WQEs are flushed when its turn comes, after the command has completed.
 * The only event is the one that says no more WQEs of its SRQ will be used.
 */
void sim_dp_qp_error(struct sim_dev *sdev, struct sim_qp *qp)
{
	sim_qp_fail(sdev, qp, 0);
}

/**
 * sim_dp_cq_error() - a CQ cannot take completions any more
 * @sdev: the function
 * @cq: the CQ
 */
void sim_dp_cq_error(struct sim_dev *sdev, struct sim_cq *cq)
{
	struct sim_qp_dp *dp;

	list_for_each_entry(dp, &sdev->all_qps, all)
		if ((dp->qp->scq == cq || dp->qp->rcq == cq) &&
		    dp->qp->state != MLX5_QP_STATE_RST)
			sim_qp_fail(sdev, dp->qp, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
}

/**
 * sim_qp_fail() - move a QP to error
 * @sdev: the function
 * @qp: any QP; nothing happens if it is in error already, or is a DCT
 * @event: MLX5_EVENT_TYPE_* to raise, or 0
 */
void sim_qp_fail(struct sim_dev *sdev, struct sim_qp *qp, u8 event)
{
	/* a DCT answers the peer and goes on */
	if (qp->dp->failed || qp->st == MLX5_QP_ST_DCT)
		return;
	sim_trace(sdev, "QP 0x%x to error from state %u, event 0x%x", sim_qp_qpn(qp),
		  qp->state, event);
	qp->dp->failed = true;
	qp->dp->waiting = false;
	qp->state = MLX5_QP_STATE_ERR;
	sim_qp_activate(sdev, qp);

	if (event)
		sim_event_qp(sdev, event, MLX5_EVENT_QUEUE_TYPE_QP, sim_qp_qpn(qp));
	if (sim_qp_has_srq(qp))
		sim_event_qp(sdev, MLX5_EVENT_TYPE_SRQ_LAST_WQE, MLX5_EVENT_QUEUE_TYPE_QP,
			     sim_qp_qpn(qp));
}

/**
 * sim_qp_acc() - describe an access made for a QP by its own function
 * @acc: out
 * @sdev: the function
 * @qp: the QP
 * @rights: SIM_MKEY_*
 */
void sim_qp_acc(struct sim_acc *acc, struct sim_dev *sdev, const struct sim_qp *qp, u8 rights)
{
	acc->sdev = sdev;
	acc->pdn = sim_qp_pdn(qp);
	acc->any_pd = qp->st == MLX5_QP_ST_REG_UMR;
	acc->qpn = sim_qp_qpn(qp);
	acc->rights = rights;
	acc->local = true;
}

/**
 * sim_dp_post_cqe() - write a completion of a QP
 * @sdev: the function
 * @qp: the QP
 * @cq: its send or receive CQ; without one the completion is dropped
 * @cqe: the entry
 * @solicited: counts for an arm that waits for solicited completions
 *
 * When the CQ is or goes in error, so does the QP.
 */
void sim_dp_post_cqe(struct sim_dev *sdev, struct sim_qp *qp, struct sim_cq *cq,
		     struct mlx5_cqe64 *cqe, bool solicited)
{
	if (!cq || !sim_cq_post(sdev, cq, cqe, solicited))
		return;
	sim_qcount(sdev, qp, cq_overflow);
	sim_qp_fail(sdev, qp, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
}
