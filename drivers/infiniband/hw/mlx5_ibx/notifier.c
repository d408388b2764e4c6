// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of mlx5_core, and the watch over a device that died.
 *
 * mlx5_core calls in hard interrupt context. What becomes of an event is in
 * verbs/event.c.
 *
 * When mlx5_core declares the device dead, nothing completes any more. Polling
 * then flushes in software (poll.c), but nobody would poll: so from that moment
 * on until the device is removed, every CQ of a QP with outstanding WRs is
 * reported again and again, which also covers WRs posted later, such as those
 * of ib_drain_qp(). That work is not on the queue of the QP events, where a
 * consumer's handler that waits for completions would hold it up.
 *
 * A dead device does not say either that it is done with the SRQ of a QP in
 * error, which ib_drain_qp() waits for: so that is said here, too.
 *
 * A CQ can fail alone, on a device that lives. Nothing is written to it any more,
 * and the device moves its QPs to error. The same is done for it then, but for a
 * QP only once its owner has moved it to error, as ib_drain_qp() does: the device
 * has answered that command, so it is done with the memory of what was posted.
 *
 * mlx5_core does not always say that the device died: it holds back the event
 * while it removes us, and consumers that drain their QPs then would wait for
 * ever. So the work starts with the event, with a CQ that fails or with our
 * removal, whichever comes first, looks by itself whether the device is dead, and
 * does nothing as long as it is not and no CQ failed. When the CQs that failed have
 * gone it ends.
 */
#include "main.h"
#include "trace.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

#define WATCH_MS	20

static int qp_event_type(u8 type, enum ib_event_type *ib)
{
	switch (type) {
	case MLX5_EVENT_TYPE_COMM_EST:
		*ib = IB_EVENT_COMM_EST;
		return 0;
	case MLX5_EVENT_TYPE_SQ_DRAINED:
		*ib = IB_EVENT_SQ_DRAINED;
		return 0;
	case MLX5_EVENT_TYPE_SRQ_LAST_WQE:
		*ib = IB_EVENT_QP_LAST_WQE_REACHED;
		return 0;
	case MLX5_EVENT_TYPE_WQ_CATAS_ERROR:
		*ib = IB_EVENT_QP_FATAL;
		return 0;
	case MLX5_EVENT_TYPE_WQ_INVAL_REQ_ERROR:
		*ib = IB_EVENT_QP_REQ_ERR;
		return 0;
	case MLX5_EVENT_TYPE_WQ_ACCESS_ERROR:
		*ib = IB_EVENT_QP_ACCESS_ERR;
		return 0;
	case MLX5_EVENT_TYPE_PATH_MIG:
		*ib = IB_EVENT_PATH_MIG;
		return 0;
	case MLX5_EVENT_TYPE_PATH_MIG_FAILED:
		*ib = IB_EVENT_PATH_MIG_ERR;
		return 0;
	default:
		return -ENOENT;
	}
}

static void qp_event(struct ibx_dev *dev, u32 qpn, enum ib_event_type type)
{
	struct ib_event event = { .device = &dev->ibdev, .event = type };
	bool last = type == IB_EVENT_QP_LAST_WQE_REACHED;
	unsigned long flags;
	struct ibx_qp *qp;

	xa_lock_irqsave(&dev->qps, flags);
	qp = xa_load(&dev->qps, qpn);
	if (qp)
		refcount_inc(&qp->ref.refs);
	xa_unlock_irqrestore(&dev->qps, flags);
	if (!qp)
		return;
	trace_ibx_event_qp(dev, type, qpn);

	event.element.qp = &qp->ibqp;
	if (last)
		WRITE_ONCE(qp->last_wqe_told, true);
	if (ibx_event_queue(dev, &qp->ref, &event, qp->ibqp.event_handler, qp->ibqp.qp_context))
		return;
	if (last)
		WRITE_ONCE(qp->last_wqe_told, false);
	ibx_ref_put(&qp->ref);
}

/* nothing completes on the QP any more; not told again if the device did so */
static void tell_last_wqe(struct ibx_dev *dev, struct ibx_qp *qp)
{
	if (qp->srq_ring && READ_ONCE(qp->state) == IB_QPS_ERR && !READ_ONCE(qp->last_wqe_told))
		qp_event(dev, qp->qpn, IB_EVENT_QP_LAST_WQE_REACHED);
}

static void kick_cq(struct ib_cq *ibcq)
{
	/* whoever polls directly needs no report, and the core warns of one */
	if (!ibcq->comp_handler || (ibcq->wc && ibcq->poll_ctx == IB_POLL_DIRECT))
		return;
	ibcq->comp_handler(ibcq, ibcq->cq_context);
}

/* everybody who waits for a completion that the device owes */
static void kick_cqs(struct ibx_dev *dev)
{
	unsigned long flags;
	struct ibx_qp *qp;

	spin_lock_irqsave(&dev->flush_lock, flags);
	list_for_each_entry(qp, &dev->qp_list, dev_link) {
		if (ibx_owed(to_icq(qp->ibqp.send_cq), qp) && !ibx_sq_idle(&qp->sq))
			kick_cq(qp->ibqp.send_cq);
		if (!ibx_owed(to_icq(qp->ibqp.recv_cq), qp))
			continue;
		if (!ibx_rq_idle(&qp->rq))
			kick_cq(qp->ibqp.recv_cq);
		tell_last_wqe(dev, qp);
	}
	spin_unlock_irqrestore(&dev->flush_lock, flags);
}

static void watch_work(struct work_struct *work)
{
	struct ibx_dev *dev = container_of(to_delayed_work(work), struct ibx_dev, watch);

	/* told once, and not before there is anybody to tell */
	if (ibx_dead(dev) && !dev->fatal_told && READ_ONCE(dev->active)) {
		dev->fatal_told = true;
		ibx_dispatch_port(dev, IB_EVENT_DEVICE_FATAL);
	}
	if (ibx_dead(dev) || atomic_read(&dev->cqs_failed))
		kick_cqs(dev);
	else if (READ_ONCE(dev->active))
		return;
	schedule_delayed_work(&dev->watch, msecs_to_jiffies(WATCH_MS));
}

static int core_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct ibx_dev *dev = container_of(nb, struct ibx_dev, event_nb);
	const struct mlx5_eqe *eqe = data;
	enum ib_event_type type;

	if (event == MLX5_DEV_EVENT_SYS_ERROR) {
		ibx_event_watch(dev);
		return NOTIFY_OK;
	}
	if (event == MLX5_EVENT_TYPE_SRQ_RQ_LIMIT || event == MLX5_EVENT_TYPE_SRQ_CATAS_ERROR) {
		ibx_srq_event(dev, be32_to_cpu(eqe->data.qp_srq.qp_srq_n) & 0xffffff, event);
		return NOTIFY_OK;
	}
	if (event == MLX5_EVENT_TYPE_DCT_DRAINED) {
		ibx_dct_drained(dev, be32_to_cpu(eqe->data.dct.dctn) & 0xffffff);
		return NOTIFY_OK;
	}
	if (event > U8_MAX || qp_event_type(event, &type))
		return NOTIFY_DONE;
	if (eqe->data.qp_srq.type != MLX5_EVENT_QUEUE_TYPE_QP)
		return NOTIFY_DONE;
	qp_event(dev, be32_to_cpu(eqe->data.qp_srq.qp_srq_n) & 0xffffff, type);
	return NOTIFY_OK;
}

/**
 * ibx_notifier_init - listen to mlx5_core
 * @dev: the function
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ibx_notifier_init(struct ibx_dev *dev)
{
	dev->event_wq = alloc_ordered_workqueue("mlx5_ibx_event", 0);
	if (!dev->event_wq)
		return -ENOMEM;

	INIT_DELAYED_WORK(&dev->watch, watch_work);
	dev->event_nb.notifier_call = core_event;
	mlx5_notifier_register(dev->mdev, &dev->event_nb);
	return 0;
}

/**
 * ibx_notifier_exit - undo ibx_notifier_init()
 * @dev: the function, without QPs
 *
 * Context: may sleep.
 */
void ibx_notifier_exit(struct ibx_dev *dev)
{
	mlx5_notifier_unregister(dev->mdev, &dev->event_nb);
	cancel_delayed_work_sync(&dev->watch);
	destroy_workqueue(dev->event_wq);
}
