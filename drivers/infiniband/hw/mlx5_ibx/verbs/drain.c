// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Draining of a QP whose CQs ib_alloc_cq() has allocated: ib_drain_sq() and
 * ib_drain_rq().
 *
 * The QP is moved to ERR, where the device flushes all WRs. One more WR is
 * posted; the drain ends with the completion of this WR. In the send queue,
 * this WR is a NOP, because some QPs refuse the RDMA WRITE that the core's own
 * drain posts: datagram QPs, and DCIs, for which the WRITE names no DCT. A DCT
 * has no rings and is drained when it is destroyed.
 *
 * After a fatal error the watch (notifier.c) reports CQs until all WRs are
 * flushed.
 */
#include "verbs/verbs.h"
#include "wq/wq.h"

#define DIRECT_POLL	(HZ / 10)

struct ibx_drain {
	struct ib_cqe cqe;
	struct completion done;
};

static void drain_done(struct ib_cq *cq, struct ib_wc *wc)
{
	complete(&container_of(wc->wr_cqe, struct ibx_drain, cqe)->done);
}

static void drain_init(struct ibx_drain *drain)
{
	drain->cqe.done = drain_done;
	init_completion(&drain->done);
}

static void drain_wait(struct ibx_drain *drain, struct ib_cq *cq)
{
	if (cq->poll_ctx != IB_POLL_DIRECT) {
		wait_for_completion(&drain->done);
		return;
	}
	while (!wait_for_completion_timeout(&drain->done, DIRECT_POLL))
		ib_process_cq_direct(cq, -1);
}

static int drain_to_error(struct ib_qp *ibqp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	return ib_modify_qp(ibqp, &attr, IB_QP_STATE);
}

/* a DCI in RESET has no WRs, and cannot be moved to ERR */
static bool drain_has_sends(const struct ibx_qp *qp)
{
	return qp->sq.max_post &&
	       !(qp->st == MLX5_QP_ST_DCI && READ_ONCE(qp->state) == IB_QPS_RESET);
}

/**
 * ibx_drain_sq() - verb drain_sq
 * @ibqp: QP of any type; the caller posts no WR meanwhile
 *
 * Context: may sleep. ib_alloc_cq() has allocated the send CQ. Send CQ and send
 * queue have space for one more WR. Returns at once for a QP that cannot send.
 */
void ibx_drain_sq(struct ib_qp *ibqp)
{
	struct ibx_qp *qp = to_iqp(ibqp);
	struct ibx_drain drain;
	int err;

	if (!drain_has_sends(qp))
		return;
	drain_init(&drain);
	err = drain_to_error(ibqp);
	if (!err)
		err = ibx_post_nop(qp, &drain.cqe);
	if (!WARN_ONCE(err, "send queue is not drained: %d\n", err))
		drain_wait(&drain, ibqp->send_cq);
}

/**
 * ibx_drain_rq() - verb drain_rq
 * @ibqp: QP of any type; the caller posts no WR meanwhile
 *
 * Context: may sleep. ib_alloc_cq() has allocated the receive CQ. Receive CQ
 * and receive queue have space for one more WR. Returns at once for a QP
 * without a receive queue.
 */
void ibx_drain_rq(struct ib_qp *ibqp)
{
	struct ibx_drain drain;
	struct ib_recv_wr wr = { .wr_cqe = &drain.cqe };
	int err;

	if (!to_iqp(ibqp)->rq.wqe_cnt)
		return;
	drain_init(&drain);
	err = drain_to_error(ibqp);
	if (!err)
		err = ib_post_recv(ibqp, &wr, NULL);
	if (!WARN_ONCE(err, "receive queue is not drained: %d\n", err))
		drain_wait(&drain, ibqp->recv_cq);
}
