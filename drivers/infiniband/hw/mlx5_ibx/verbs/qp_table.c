// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tables and lists in which completions, events and the watch (notifier.c) find
 * QPs. All files that create or change QPs use these functions.
 */
#include "cmd/cmd.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

static void list_qp(struct ibx_dev *dev, struct ibx_qp *qp)
{
	struct ibx_cq *scq = to_icq(qp->ibqp.send_cq);
	struct ibx_cq *rcq = to_icq(qp->ibqp.recv_cq);
	unsigned long flags;

	spin_lock_irqsave(&dev->flush_lock, flags);
	ibx_cqs_lock(scq, rcq);
	list_add_tail(&qp->dev_link, &dev->qp_list);
	list_add_tail(&qp->send_link, &scq->send_qps);
	list_add_tail(&qp->recv_link, &rcq->recv_qps);
	ibx_cqs_unlock(scq, rcq);
	spin_unlock_irqrestore(&dev->flush_lock, flags);
	/*
	 * The watch may have ended because the CQ in error had no QP. The watch
	 * walks the list under flush_lock after failed was set. A walk that has
	 * not found this QP took the lock before this function, so this
	 * function reads failed as true
	 */
	if (ibx_qp_cq_failed(qp))
		ibx_event_watch(dev);
}

/**
 * ibx_qp_publish() - add a QP to the table and the lists of QPs
 * @dev: device
 * @qp: QP that has its hardware number. A QP of a process is added to no list:
 *	the process consumes the completions
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EBUSY: the table has a QP of this number
 * * -ENOMEM
 */
int ibx_qp_publish(struct ibx_dev *dev, struct ibx_qp *qp)
{
	int err = xa_insert_irq(&dev->qps, qp->qpn, qp, GFP_KERNEL);

	if (!err && !ibx_qp_of_process(qp))
		list_qp(dev, qp);
	return err;
}

/**
 * ibx_qp_set_stopped() - let polling flush the outstanding WRs of a QP
 * @qp: QP that is in ERR for its consumers, and in RESET on the device
 *
 * Context: process; the caller holds qp->mutex.
 */
void ibx_qp_set_stopped(struct ibx_qp *qp)
{
	struct ibx_cq *scq = to_icq(qp->ibqp.send_cq);
	struct ibx_cq *rcq = to_icq(qp->ibqp.recv_cq);

	lockdep_assert_held(&qp->mutex);
	ibx_cqs_lock_irq(scq, rcq);
	WRITE_ONCE(qp->stopped, true);
	scq->flushes = true;
	rcq->flushes = true;
	ibx_cqs_unlock_irq(scq, rcq);
}

static void clean_cqs_locked(struct ibx_qp *qp, bool listed)
{
	struct ibx_cq *scq = to_icq(qp->ibqp.send_cq);
	struct ibx_cq *rcq = to_icq(qp->ibqp.recv_cq);

	lockdep_assert_held(&scq->lock);
	lockdep_assert_held(&rcq->lock);
	ibx_cq_clean(rcq, qp->qpn, qp->srq_ring, listed);
	if (scq != rcq)
		ibx_cq_clean(scq, qp->qpn, NULL, listed);
}

static void drop_wrs(struct ibx_qp *qp, bool rings)
{
	struct ibx_cq *scq = to_icq(qp->ibqp.send_cq);
	struct ibx_cq *rcq = to_icq(qp->ibqp.recv_cq);
	unsigned long flags;

	/* sq.lock: an open queue (ib_wr_start()) may build WQEs in any state */
	spin_lock_irqsave(&qp->sq.lock, flags);
	ibx_cqs_lock(scq, rcq);
	/* without @rings, the QP is in no list: removed, or never added */
	clean_cqs_locked(qp, rings);
	if (rings) {
		ibx_sq_reset(&qp->sq);
		ibx_rq_reset(&qp->rq);
		WRITE_ONCE(qp->stopped, false);
	}
	ibx_cqs_unlock(scq, rcq);
	spin_unlock_irqrestore(&qp->sq.lock, flags);
}

/**
 * ibx_qp_clean_cqs() - drop the completions of a QP that its CQs hold
 * @qp: QP that is in no list of QPs and not in the table; a QP of a process is
 *	ignored
 *
 * Context: process.
 */
void ibx_qp_clean_cqs(struct ibx_qp *qp)
{
	if (!ibx_qp_of_process(qp))
		drop_wrs(qp, false);
}

/**
 * ibx_qp_drop_wrs() - drop the posted WRs of a QP and the completions that its CQs hold
 * @qp: QP in RESET, on the device and in qp->state
 *
 * Rings and CQs are cleaned in one critical section, so that the software flush
 * after a fatal error sees all WRs or no WR.
 *
 * Context: process.
 */
void ibx_qp_drop_wrs(struct ibx_qp *qp)
{
	drop_wrs(qp, true);
}

/* remove a QP from lists and table and clean its CQs, in one section */
static void unlist_qp(struct ibx_dev *dev, struct ibx_qp *qp)
{
	struct ibx_cq *scq = to_icq(qp->ibqp.send_cq);
	struct ibx_cq *rcq = to_icq(qp->ibqp.recv_cq);
	unsigned long flags;

	spin_lock_irqsave(&dev->flush_lock, flags);
	ibx_cqs_lock(scq, rcq);
	xa_erase(&dev->qps, qp->qpn);
	list_del(&qp->dev_link);
	list_del(&qp->send_link);
	list_del(&qp->recv_link);
	clean_cqs_locked(qp, true);
	ibx_cqs_unlock(scq, rcq);
	spin_unlock_irqrestore(&dev->flush_lock, flags);
}

/**
 * ibx_qp_unpublish() - undo ibx_qp_publish(), and drop the completions in the CQs
 * @dev: device
 * @qp: QP for which the device writes no more CQEs, or QP of a process
 *
 * Context: may sleep: waits for queued events.
 */
void ibx_qp_unpublish(struct ibx_dev *dev, struct ibx_qp *qp)
{
	if (ibx_qp_of_process(qp))
		xa_erase_irq(&dev->qps, qp->qpn);
	else
		unlist_qp(dev, qp);
	ibx_ref_last(&qp->ref);
}

/**
 * ibx_qps_drop_sig_errors() - drop the signature errors of an mkey that the CQs hold
 * @dev: device
 * @key: key of an mkey that was destroyed on the device
 *
 * CQEs in the CQs of processes stay. The CQEs of QPs that are no longer in the
 * list are disowned already (ibx_cq_clean()), and are reported for no mkey.
 *
 * Context: process.
 */
void ibx_qps_drop_sig_errors(struct ibx_dev *dev, u32 key)
{
	struct ibx_cq *scq = NULL, *rcq = NULL;
	unsigned long flags;
	struct ibx_qp *qp;

	spin_lock_irqsave(&dev->flush_lock, flags);
	list_for_each_entry(qp, &dev->qp_list, dev_link) {
		/* QPs with the same CQs often follow each other */
		if (scq == to_icq(qp->ibqp.send_cq) && rcq == to_icq(qp->ibqp.recv_cq))
			continue;
		scq = to_icq(qp->ibqp.send_cq);
		rcq = to_icq(qp->ibqp.recv_cq);
		ibx_cqs_lock(scq, rcq);
		ibx_cq_drop_sig_errors(scq, key);
		if (rcq != scq)
			ibx_cq_drop_sig_errors(rcq, key);
		ibx_cqs_unlock(scq, rcq);
	}
	spin_unlock_irqrestore(&dev->flush_lock, flags);
}

/**
 * ibx_qp_leak() - keep everything that the device may still use for a QP
 * @dev: device
 * @qp: QP that the device may still process
 *
 * Context: process.
 */
void ibx_qp_leak(struct ibx_dev *dev, struct ibx_qp *qp)
{
	ibx_err(dev, "QP 0x%x may still run: its rings are leaked\n", qp->qpn);
	to_icq(qp->ibqp.send_cq)->exposed = true;
	to_icq(qp->ibqp.recv_cq)->exposed = true;
	if (qp->srq_ring)
		to_isrq(qp->ibqp.srq)->exposed = true;
	ibx_rq_fini(&qp->rq);
	ibx_sq_fini(&qp->sq);
	ibx_buf_leak(&qp->buf);
}
