// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The run-time state of QPs: creation, state changes, errors.
 *
 * Every QP in RTS or in error is on the list sim_dev.qps, and sim_qp_poll()
 * runs each in turn. A QP that enters ERR is only marked: it is flushed in its
 * next turn, so that an error inside a run cannot recurse into the run.
 */
#include <linux/slab.h>

#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"

/**
 * sim_dp_qp_create() - create the run-time state of a QP
 * @sdev: simulated function
 * @qp: QP in RESET; its type, rings and CQs are set
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
 * @sdev: simulated function
 * @qp: QP in any state
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
 * sim_dp_qp_reset() - reset the run-time state and the ring indices of a QP
 * @sdev: simulated function
 * @qp: QP that enters RESET
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
	dp->draining = false;
	qp->sq.ci = 0;
	qp->sq.pi = 0;
	qp->rq.ci = 0;
}

/**
 * sim_retry_reset() - set the retry counters of a QP to its limits, and end a
 * wait for a retry
 * @qp: QP
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
 * sim_dp_qp_rts() - start the send queue of a QP that has entered RTS
 * @sdev: simulated function
 * @qp: QP; its state, path and sequence numbers are set. The call has no effect
 *	unless the QP is in RTS
 */
void sim_dp_qp_rts(struct sim_dev *sdev, struct sim_qp *qp)
{
	if (qp->state != MLX5_QP_STATE_RTS)
		return;
	sim_retry_reset(qp);
	sim_qp_activate(sdev, qp);
}

/**
 * sim_dp_qp_error() - move a QP to ERR on command
 * @sdev: simulated function
 * @qp: QP in any state
 *
 * The WQEs are flushed in the next turn of the QP, after the command has
 * completed. The only event is MLX5_EVENT_TYPE_SRQ_LAST_WQE, if the QP has an
 * SRQ.
 */
void sim_dp_qp_error(struct sim_dev *sdev, struct sim_qp *qp)
{
	sim_qp_fail(sdev, qp, 0);
}

/**
 * sim_dp_cq_error() - move the QPs of a CQ in error to ERR
 * @sdev: simulated function
 * @cq: CQ in error
 *
 * QPs in RESET stay there.
 *
 * Unrefereed: U-51.
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
 * sim_qp_fail() - move a QP to ERR
 * @sdev: simulated function
 * @qp: any QP; the call has no effect if the QP is in ERR already, or belongs
 *	to a DCT
 * @event: MLX5_EVENT_TYPE_* to raise, or 0
 *
 * A QP with an SRQ raises MLX5_EVENT_TYPE_SRQ_LAST_WQE, too. An XRC target does
 * not raise the event, because it is not bound to an SRQ.
 */
void sim_qp_fail(struct sim_dev *sdev, struct sim_qp *qp, u8 event)
{
	/* a DCT never enters ERR */
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
	if (sim_qp_has_srq(qp) && qp->st != MLX5_QP_ST_XRC)
		sim_event_qp(sdev, MLX5_EVENT_TYPE_SRQ_LAST_WQE, MLX5_EVENT_QUEUE_TYPE_QP,
			     sim_qp_qpn(qp));
}

/**
 * sim_qp_stall() - stall or continue a QP
 * @qp: QP in RTS or in error
 * @stalled: true: the QP executes and flushes no WQE
 *
 * A stalled QP receives packets and can be modified.
 */
void sim_qp_stall(struct sim_qp *qp, bool stalled)
{
	qp->dp->stalled = stalled;
}

/**
 * sim_qp_acc() - describe an access of a QP to the memory of its function
 * @acc: out: access
 * @sdev: simulated function
 * @qp: QP
 * @rights: SIM_MKEY_* bits that the keys must grant
 */
void sim_qp_acc(struct sim_acc *acc, struct sim_dev *sdev, const struct sim_qp *qp, u8 rights)
{
	acc->sdev = sdev;
	acc->pdn = sim_qp_pdn(qp);
	acc->any_pd = qp->st == MLX5_QP_ST_REG_UMR;
	acc->qpn = sim_qp_qpn(qp);
	acc->rights = rights;
	acc->local = true;
	acc->quiet = false;
	acc->sig = false;
}

/**
 * sim_dp_post_cqe() - write a completion of a QP
 * @sdev: simulated function
 * @qp: QP
 * @cq: send or receive CQ of @qp; NULL: the completion is dropped
 * @cqe: entry
 * @solicited: fires a CQ that is armed for solicited completions only
 *
 * If the CQ is in error, or this entry puts it in error, the QP moves to ERR.
 */
void sim_dp_post_cqe(struct sim_dev *sdev, struct sim_qp *qp, struct sim_cq *cq,
		     struct mlx5_cqe64 *cqe, bool solicited)
{
	if (!cq || !sim_cq_post(sdev, cq, cqe, solicited))
		return;
	sim_qcount(sdev, qp, cq_overflow);
	sim_qp_fail(sdev, qp, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
}
