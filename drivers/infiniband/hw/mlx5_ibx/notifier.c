// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of mlx5_core, and the watch over devices and CQs in error.
 *
 * mlx5_core reports events in hard interrupt context. verbs/event.c delivers them to
 * consumers.
 *
 * After a fatal error of the device, the device writes no more CQEs. Polling
 * then flushes posted WRs in software (poll.c), but consumers poll only after a
 * completion event. So the watch reports every CQ of a QP with outstanding WRs:
 * it calls the completion handler of the CQ. It repeats the calls every
 * WATCH_MS until the device is removed, because WRs may be posted later, for
 * example by ib_drain_qp(). The watch is not on the work queue of QP events: an
 * event handler that waits for completions would block the watch.
 *
 * ib_drain_qp() also waits for the last WQE event of a QP in ERR with an SRQ.
 * For a QP that is flushed in software, the watch reports this event, unless
 * the device has already raised it.
 *
 * A CQ can be in error while the device works. The device then writes no more
 * CQEs to this CQ and moves its QPs to ERR. The watch reports the CQ for a QP
 * only once the owner has moved the QP to ERR, as ib_drain_qp() does, and the
 * QP is stopped: until then the device may use the memory of posted WRs
 * (qp_modify.c). If the owner moved the QP to ERR before the CQ error, a work
 * item stops the QP, because the watch must not wait for commands.
 *
 * mlx5_core reports no fatal error to this driver while it removes the driver.
 * Consumers that drain their QPs during the removal would wait without limit.
 * So the watch starts with the event of a fatal error, with a CQ error or with
 * the removal of the driver, whichever is first. The watch polls for a fatal
 * error. It ends when the device works, no CQ in error has a QP, and the driver
 * is not being removed. CQs in error without QPs do not keep the watch running,
 * because a CQ of the core's pool exists until the device is removed.
 */
#include "enc/enc.h"
#include "main.h"
#include "trace.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

#define WATCH_MS	20

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

/* report the last WQE event of a QP in ERR, unless reported since RESET */
static void send_last_wqe(struct ibx_dev *dev, struct ibx_qp *qp)
{
	if (qp->srq_ring && READ_ONCE(qp->state) == IB_QPS_ERR && !READ_ONCE(qp->last_wqe_told))
		qp_event(dev, qp->qpn, IB_EVENT_QP_LAST_WQE_REACHED);
}

static void report_cq(struct ib_cq *ibcq)
{
	/* IB_POLL_DIRECT needs no report, and the core would warn */
	if (!ibcq->comp_handler || (ibcq->wc && ibcq->poll_ctx == IB_POLL_DIRECT))
		return;
	ibcq->comp_handler(ibcq, ibcq->cq_context);
}

static bool must_stop(const struct ibx_qp *qp)
{
	return ibx_qp_cq_failed(qp) && READ_ONCE(qp->stopping) && !READ_ONCE(qp->stopped);
}

/*
 * Report every CQ on which polling will flush WRs in software. Return: true if
 * a CQ in error has QPs.
 */
static bool report_flushed_cqs(struct ibx_dev *dev)
{
	unsigned long flags;
	struct ibx_qp *qp;
	bool any = false;

	spin_lock_irqsave(&dev->flush_lock, flags);
	list_for_each_entry(qp, &dev->qp_list, dev_link) {
		any |= ibx_qp_cq_failed(qp);
		if (must_stop(qp))
			queue_work(system_long_wq, &dev->stop_qps);
		if (ibx_qp_is_flushed(to_icq(qp->ibqp.send_cq), qp) && !ibx_sq_idle(&qp->sq))
			report_cq(qp->ibqp.send_cq);
		if (!ibx_qp_is_flushed(to_icq(qp->ibqp.recv_cq), qp))
			continue;
		if (!ibx_rq_idle(&qp->rq))
			report_cq(qp->ibqp.recv_cq);
		send_last_wqe(dev, qp);
	}
	spin_unlock_irqrestore(&dev->flush_lock, flags);
	return any;
}

/* find a QP to stop. Return: the QP, with a reference; or NULL */
static struct ibx_qp *next_to_stop(struct ibx_dev *dev)
{
	struct ibx_qp *qp, *found = NULL;

	spin_lock_irq(&dev->flush_lock);
	list_for_each_entry(qp, &dev->qp_list, dev_link) {
		if (must_stop(qp)) {
			refcount_inc(&qp->ref.refs);
			found = qp;
			break;
		}
	}
	spin_unlock_irq(&dev->flush_lock);
	return found;
}

static void stop_qps_work(struct work_struct *work)
{
	struct ibx_dev *dev = container_of(work, struct ibx_dev, stop_qps);
	struct ibx_qp *qp;

	while ((qp = next_to_stop(dev))) {
		ibx_qp_stop(qp);
		ibx_ref_put(&qp->ref);
	}
}

static void watch_work(struct work_struct *work)
{
	struct ibx_dev *dev = container_of(to_delayed_work(work), struct ibx_dev, watch);
	bool cqs_failed;

	/* report the fatal error once, after the device was registered */
	if (ibx_dead(dev) && !dev->fatal_told && READ_ONCE(dev->active)) {
		dev->fatal_told = true;
		ibx_dispatch_port(dev, IB_EVENT_DEVICE_FATAL);
	}
	cqs_failed = report_flushed_cqs(dev);
	if (!ibx_dead(dev) && !cqs_failed && READ_ONCE(dev->active))
		return;
	schedule_delayed_work(&dev->watch, msecs_to_jiffies(WATCH_MS));
}

static int core_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct ibx_dev *dev = container_of(nb, struct ibx_dev, event_nb);
	const struct mlx5_eqe *eqe = data;
	int type;

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
	type = ibx_dec_qp_event(event);
	if (type < 0)
		return NOTIFY_DONE;
	if (eqe->data.qp_srq.type != MLX5_EVENT_QUEUE_TYPE_QP)
		return NOTIFY_DONE;
	qp_event(dev, be32_to_cpu(eqe->data.qp_srq.qp_srq_n) & 0xffffff, type);
	return NOTIFY_OK;
}

/**
 * ibx_notifier_init() - register for events of mlx5_core
 * @dev: device
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
	INIT_WORK(&dev->stop_qps, stop_qps_work);
	dev->event_nb.notifier_call = core_event;
	mlx5_notifier_register(dev->mdev, &dev->event_nb);
	return 0;
}

/**
 * ibx_notifier_exit() - undo ibx_notifier_init()
 * @dev: device without QPs
 *
 * Context: may sleep.
 */
void ibx_notifier_exit(struct ibx_dev *dev)
{
	mlx5_notifier_unregister(dev->mdev, &dev->event_nb);
	cancel_delayed_work_sync(&dev->watch);
	cancel_work_sync(&dev->stop_qps);
	destroy_workqueue(dev->event_wq);
}
