// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Dynamically connected transport: DCTs, which receive. DCIs are created in
 * qp.c, like other QPs.
 *
 * A DCT has no rings: receives come from its SRQ. RESET, INIT and RTR are its
 * only states. A DCT is created on the device when it enters RTR. It gets its
 * number then, and receives at once.
 *
 * Destruction: DRAIN_DCT makes the device accept no more messages, and an event
 * reports when no message is in progress. Then the CQ is cleaned and the DCT
 * destroyed. After a fatal error there is no event.
 *
 * If DRAIN_DCT is not answered and no event shows that it was executed, the DCT
 * is not destroyed: its number would be used again, and the late command would
 * drain another DCT.
 */
#include "cmd/cmd.h"
#include "enc/qpc.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

#define DRAIN_POLL_MS	20
#define DRAIN_MAX_MS	60000

/**
 * ibx_dct_create() - create a DCT in software only
 * @qp: QP with pd, CQs and SRQ set; its attributes are checked
 * @key: access key of the DCT
 * @user_index: user index of the DCT, which CQEs of version 1 contain
 *
 * Context: may sleep.
 * Return: 0, -EINVAL without an SRQ, or an errno of ibx_sq_init() or
 * ibx_rq_init().
 */
int ibx_dct_create(struct ibx_qp *qp, u64 key, u32 user_index)
{
	const struct ibx_sq_params no_sq = {};
	const struct ibx_rq_params no_rq = {};
	int err;

	if (!qp->ibqp.srq)
		return -EINVAL;
	err = ibx_sq_init(&qp->sq, &no_sq);
	if (!err)
		err = ibx_rq_init(&qp->rq, &no_rq);
	if (err)
		return err;
	qp->dc.key = key;
	qp->dc.user_index = user_index;
	/* the DCT has no number yet under which the core could list it */
	rdma_restrack_no_track(&qp->ibqp.res);
	return 0;
}

/**
 * ibx_dct_drained() - handle the event that a DCT is drained
 * @dev: device
 * @dctn: number of the DCT
 *
 * Context: any, hard interrupts too.
 */
void ibx_dct_drained(struct ibx_dev *dev, u32 dctn)
{
	struct ibx_dct_drain *drain;
	unsigned long flags;

	xa_lock_irqsave(&dev->qps, flags);
	list_for_each_entry(drain, &dev->draining, link)
		if (drain->dctn == dctn)
			complete(&drain->done);
	xa_unlock_irqrestore(&dev->qps, flags);
}

static bool wait_drained(struct ibx_dev *dev, struct ibx_dct_drain *drain,
			 int max_ms)
{
	const unsigned long end = jiffies + msecs_to_jiffies(max_ms);

	while (time_before(jiffies, end) && !ibx_dead(dev))
		if (wait_for_completion_timeout(&drain->done, msecs_to_jiffies(DRAIN_POLL_MS)))
			return true;
	return ibx_dead(dev);
}

static int dct_drain(struct ibx_dev *dev, struct ibx_dct_drain *drain)
{
	int err = ibx_cmd_drain_dct(dev, drain->dctn, drain->uid);
	int max_ms = DRAIN_MAX_MS;

	/*
	 * A DCT that is not drained cannot be destroyed, so a DRAIN_DCT that
	 * the device refuses is retried once. If the device has executed the
	 * first DRAIN_DCT although its answer is an error, the device refuses
	 * the second DRAIN_DCT, and the event arrives soon. If the second
	 * DRAIN_DCT is lost, an event proves nothing: it may belong to the
	 * first DRAIN_DCT. If the first DRAIN_DCT is lost, there is no retry,
	 * so an event shows that the device has executed it.
	 */
	if (err && !ibx_cmd_lost(err)) {
		err = ibx_cmd_drain_dct(dev, drain->dctn, drain->uid);
		if (ibx_cmd_lost(err))
			return ibx_dead(dev) ? 0 : err;
		if (err)
			max_ms = DRAIN_POLL_MS;
	}
	return wait_drained(dev, drain, max_ms) ? 0 : err ?: -EBUSY;
}

/**
 * ibx_dct_stop() - drain a DCT, so that it can be destroyed
 * @dev: device
 * @dctn: number of a DCT; the device drains a DCT only once
 * @uid: user context of the DCT
 *
 * Context: may sleep, for at most a minute after the command; takes the lock of
 * dev->qps.
 * Return:
 * * 0: the device accepts no more messages to the DCT and has completed the
 *   last one, or the device is in fatal error
 * * -ETIMEDOUT: the device may still execute the command, so the DCT must not
 *   be destroyed
 * * -EBUSY or an errno from cmd.h: the device may still write to the CQ of the
 *   DCT and to the buffers of its SRQ, or has completed the last message before
 *   this call. In the first case, the device refuses to destroy the DCT
 */
int ibx_dct_stop(struct ibx_dev *dev, u32 dctn, u16 uid)
{
	struct ibx_dct_drain drain = { .dctn = dctn, .uid = uid };
	int err;

	init_completion(&drain.done);
	xa_lock_irq(&dev->qps);
	list_add(&drain.link, &dev->draining);
	xa_unlock_irq(&dev->qps);
	err = dct_drain(dev, &drain);
	xa_lock_irq(&dev->qps);
	list_del(&drain.link);
	xa_unlock_irq(&dev->qps);
	return err;
}

/*
 * @stop: result of ibx_dct_stop(). Return: for a DCT of a process, 0 or an
 * errno; for a DCT of the kernel, 0
 */
static int destroy_fw_dct(struct ibx_dev *dev, struct ibx_qp *qp, int stop)
{
	int err = ibx_cmd_lost(stop) ? stop : ibx_cmd_destroy_dct(dev, qp);

	if (ibx_qp_of_process(qp))
		return err;
	ibx_cmd_left(dev, "DCT", qp->qpn, err);
	if (err && stop)
		ibx_qp_leak(dev, qp);
	return 0;
}

/* until dct_end_create(), polling the CQ stops at a CQE of an unknown QP */
static void dct_begin_create(struct ibx_qp *qp)
{
	struct ibx_cq *cq = to_icq(qp->ibqp.recv_cq);

	spin_lock_irq(&cq->lock);
	cq->dcts_new++;
	spin_unlock_irq(&cq->lock);
}

static void dct_end_create(struct ibx_qp *qp)
{
	struct ibx_cq *cq = to_icq(qp->ibqp.recv_cq);

	spin_lock_irq(&cq->lock);
	cq->dcts_new--;
	spin_unlock_irq(&cq->lock);
}

/*
 * destroy a DCT that is not in the table. @own: no other QP has the number of
 * the DCT, so CQEs with the number belong to the DCT
 */
static void destroy_unlisted(struct ibx_dev *dev, struct ibx_qp *qp, bool own)
{
	if (destroy_fw_dct(dev, qp, ibx_dct_stop(dev, qp->qpn, qp->uid)))
		qp->dc.left = true;
	if (own)
		ibx_qp_clean_cqs(qp);
}

/*
 * mark the CQ and the SRQ of a DCT that the device may still create, under an
 * unknown number: the DCT may write to their rings
 */
static void expose_rings(struct ibx_qp *qp)
{
	to_icq(qp->ibqp.recv_cq)->exposed = true;
	to_isrq(qp->ibqp.srq)->exposed = true;
}

/* the DCT receives once CREATE_DCT is executed, before qp->qpn is set */
static int create_fw_dct(struct ibx_dev *dev, struct ibx_qp *qp, const struct ibx_dctc_new *p)
{
	u32 dctc[MLX5_ST_SZ_DW(dctc)] = {};
	int err;

	ibx_dctc_create(dctc, p);
	err = ibx_cmd_create_dct(dev, dctc, qp);
	if (err) {
		if (ibx_cmd_lost(err) && !ibx_qp_of_process(qp))
			expose_rings(qp);
		return err;
	}
	err = ibx_qp_publish(dev, qp);
	if (err) {
		destroy_unlisted(dev, qp, err != -EBUSY);
		return err;
	}
	qp->ibqp.qp_num = qp->qpn;
	return 0;
}

/**
 * ibx_dct_modify() - change the state of a DCT
 * @dev: device
 * @qp: DCT, with its mutex held
 * @attr: attributes, checked by the caller
 * @next: IB_QPS_INIT or IB_QPS_RTR
 * @set: number of the counter set of the DCT
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EBUSY: the device has assigned the number of an existing QP to the DCT
 * * -ENOMEM
 * * an errno from cmd.h
 */
int ibx_dct_modify(struct ibx_dev *dev, struct ibx_qp *qp, const struct ib_qp_attr *attr,
		   enum ib_qp_state next, u8 set)
{
	struct ibx_dctc_new p = {
		.attr = attr,
		.pdn = to_ipd(qp->ibqp.pd)->pdn,
		.cqn = to_icq(qp->ibqp.recv_cq)->mcq.cqn,
		.key = qp->dc.key,
		.access = qp->access,
		.atomics = ibx_has_atomics(dev),
		.cqe_v1 = MLX5_CAP_GEN(dev->mdev, cqe_version) == 1,
		.user_index = qp->dc.user_index,
		.port = qp->port,
		.qset = set,
	};
	int err;

	lockdep_assert_held(&qp->mutex);
	if (next == IB_QPS_INIT) {
		qp->access = attr->qp_access_flags;
		return 0;
	}
	p.srqn = to_isrq(qp->ibqp.srq)->srqn;
	qp->dc.mtu = attr->path_mtu;
	qp->dc.min_rnr_timer = attr->min_rnr_timer;
	dct_begin_create(qp);
	err = create_fw_dct(dev, qp, &p);
	dct_end_create(qp);
	return err;
}

/**
 * ibx_dct_destroy() - destroy a DCT
 * @dev: device
 * @qp: a DCT
 *
 * Context: may sleep. Unpolled completions of the DCT are dropped, and their
 * WQEs return to the SRQ.
 * Return:
 * * 0
 * * for a DCT of a process, the errno of the command: the device still has the
 *   DCT, which uses the CQ and the SRQ. After -ETIMEDOUT, no further command
 *   must destroy the DCT
 */
int ibx_dct_destroy(struct ibx_dev *dev, struct ibx_qp *qp)
{
	int err, stop;

	if (qp->state != IB_QPS_RTR)
		return 0;
	stop = ibx_dct_stop(dev, qp->qpn, qp->uid);
	ibx_qp_unpublish(dev, qp);
	err = destroy_fw_dct(dev, qp, stop);
	/* drop CQEs written meanwhile, because the number may be used again */
	if (stop)
		ibx_qp_clean_cqs(qp);
	return err;
}

/**
 * ibx_dct_query() - get the attributes of a DCT
 * @qp: DCT, with its mutex held
 * @attr: zeroed by the caller; gets the attributes
 *
 * Context: the caller holds qp->mutex.
 */
void ibx_dct_query(const struct ibx_qp *qp, struct ib_qp_attr *attr)
{
	lockdep_assert_held(&qp->mutex);
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->qp_access_flags = qp->access;
	attr->path_mtu = qp->dc.mtu;
	attr->min_rnr_timer = qp->dc.min_rnr_timer;
	attr->port_num = qp->port;
}
