// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting, and collecting completions.
 */
#include <linux/delay.h>

#include "ibx_test.h"
#include "on_cq.h"

#define T_IW_FENCE	(T_WRS - 2)	/* wr_id of the READ of t_fence_iw() */

/**
 * t_sge() - make an SGE for a part of an end's buffer
 * @e: the end
 * @offset: offset of the part in the buffer
 * @length: bytes of the part
 *
 * Return: the SGE, with the local_dma_lkey of the PD.
 */
struct ib_sge t_sge(const struct t_end *e, u32 offset, u32 length)
{
	return (struct ib_sge) {
		.addr = e->dma + offset,
		.length = length,
		.lkey = e->pd->local_dma_lkey,
	};
}
EXPORT_SYMBOL_GPL(t_sge);

/**
 * t_post_recv_sges() - post one receive
 * @e: the end; with an SRQ, the receive is posted to the SRQ
 * @id: wr_id
 * @sges: SGEs of the receive
 * @nr: number of SGEs, may be 0
 *
 * Return: the result of ib_post_recv() or ib_post_srq_recv().
 */
int t_post_recv_sges(struct t_end *e, u64 id, struct ib_sge *sges, int nr)
{
	struct ib_recv_wr wr = { .wr_id = id, .sg_list = sges, .num_sge = nr };

	return e->srq ? ib_post_srq_recv(e->srq, &wr, NULL) : ib_post_recv(e->qp, &wr, NULL);
}
EXPORT_SYMBOL_GPL(t_post_recv_sges);

/**
 * t_post_recv() - post the complete buffer of the end as a receive
 * @e: the end
 * @id: wr_id
 *
 * Return: the result of ib_post_recv() or ib_post_srq_recv().
 */
int t_post_recv(struct t_end *e, u64 id)
{
	struct ib_sge sge = t_sge(e, 0, T_BUF_SIZE);

	return t_post_recv_sges(e, id, &sge, 1);
}
EXPORT_SYMBOL_GPL(t_post_recv);

/**
 * t_post_reg() - map the end's buffer to an MR and register it, signaled
 * @e: the end
 * @id: wr_id
 * @mr: MR of the end's device; gets a new key
 * @access: IB_ACCESS_*
 *
 * Return: 0, -EIO when the MR does not map the complete list, or the errno of
 * ib_post_send().
 */
int t_post_reg(struct t_end *e, u64 id, struct ib_mr *mr, int access)
{
	struct ib_reg_wr wr = {
		.wr = {
			.wr_id = id,
			.opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = mr,
		.access = access,
	};

	if (ib_map_mr_sg(mr, e->sgl, T_PAGES, NULL, PAGE_SIZE) != T_PAGES)
		return -EIO;
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	wr.key = mr->rkey;
	return ib_post_send(e->qp, &wr.wr, NULL);
}
EXPORT_SYMBOL_GPL(t_post_reg);

/**
 * t_post_inv() - post a signaled LOCAL_INV
 * @e: the end
 * @id: wr_id
 * @rkey: the key
 *
 * Return: the result of ib_post_send().
 */
int t_post_inv(struct t_end *e, u64 id, u32 rkey)
{
	struct ib_send_wr wr = {
		.wr_id = id,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = rkey,
	};

	return ib_post_send(e->qp, &wr, NULL);
}
EXPORT_SYMBOL_GPL(t_post_inv);

/**
 * t_write_wr() - fill in a signaled RDMA WRITE of the first page of the buffer
 * @wr: receives the work request; the caller sets remote_addr and rkey, which are 0
 * @sge: receives the SGE of the work request
 * @e: the end that posts the work request
 * @id: wr_id
 */
void t_write_wr(struct ib_rdma_wr *wr, struct ib_sge *sge, struct t_end *e, u64 id)
{
	*sge = t_sge(e, 0, PAGE_SIZE);
	*wr = (struct ib_rdma_wr) {
		.wr = {
			.wr_id = id,
			.opcode = IB_WR_RDMA_WRITE,
			.send_flags = IB_SEND_SIGNALED,
			.sg_list = sge,
			.num_sge = 1,
		},
	};
}
EXPORT_SYMBOL_GPL(t_write_wr);

/*
 * Reads the first byte of a WRITE back to its source. siw does not check the access of READs.
 * (For other devices a READ of 0 bytes is sufficient. For such a READ, siw may return bytes of the
 * previous READ: siw_activate_tx() leaves the length in sqe.sge[0], and siw_qp_sq_proc_tx() sets
 * num_sge to 1 for each READ Response. The QP of the requester then enters the error state.)
 */
static int t_fence_iw(struct t_end *e, const struct ib_rdma_wr *write)
{
	struct ib_sge byte = write->wr.sg_list[0];
	struct ib_rdma_wr read = *write;
	int ret;

	byte.length = 1;
	read.wr.wr_id = T_IW_FENCE;
	read.wr.opcode = IB_WR_RDMA_READ;
	read.wr.sg_list = &byte;
	e->sq.seen[T_IW_FENCE] = 0;
	ret = ib_post_send(e->qp, &read.wr, NULL) ? IB_WC_WR_FLUSH_ERR :
						    t_wait(&e->sq, T_IW_FENCE);
	e->sq.seen[T_IW_FENCE] = 0;
	return ret;
}

/*
 * On iWARP a WRITE completes when it was sent, so a READ follows. If the peer refuses the WRITE or
 * the READ, the connection ends, and the completions do not contain the cause.
 */
static int t_wait_iw(struct t_end *e, const struct ib_rdma_wr *wr)
{
	int ret = t_wait(&e->sq, wr->wr.wr_id);

	if (!ret && wr->wr.opcode == IB_WR_RDMA_WRITE)
		ret = t_fence_iw(e, wr);
	return ret > 0 ? IB_WC_REM_ACCESS_ERR : ret;
}

/**
 * t_rdma() - post one RDMA WRITE or READ, and wait for its completion
 * @e: end that posts
 * @id: wr_id
 * @op: IB_WR_RDMA_WRITE or IB_WR_RDMA_READ
 * @sge: memory of @e
 * @addr: address of the peer's memory
 * @rkey: key of the peer's memory
 *
 * Context: process context; sleeps.
 *
 * Return: the status of the completion, or a negative errno. On iWARP each failure has
 * the status IB_WC_REM_ACCESS_ERR.
 */
int t_rdma(struct t_end *e, u64 id, enum ib_wr_opcode op, const struct ib_sge *sge, u64 addr,
	   u32 rkey)
{
	struct ib_rdma_wr wr;
	struct ib_sge local;

	t_write_wr(&wr, &local, e, id);
	local = *sge;
	wr.wr.opcode = op;
	wr.remote_addr = addr;
	wr.rkey = rkey;
	T_TRY(ib_post_send(e->qp, &wr.wr, NULL));
	return t_is_iwarp(e) ? t_wait_iw(e, &wr) : t_wait(&e->sq, id);
}
EXPORT_SYMBOL_GPL(t_rdma);

/**
 * t_send_wr() - fill in a signaled SEND
 * @wr: the work request
 * @sge: SGE of the work request, which the caller fills in before the post
 * @id: wr_id
 */
void t_send_wr(struct ib_send_wr *wr, struct ib_sge *sge, u64 id)
{
	*wr = (struct ib_send_wr) {
		.wr_id = id,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
		.sg_list = sge,
		.num_sge = 1,
	};
}
EXPORT_SYMBOL_GPL(t_send_wr);

/**
 * t_collect() - poll one completion and count it
 * @q: queue of the work request; must have a CQ
 *
 * A completion with a wr_cqe is not counted in @q->seen: t_collect() calls done() of the wr_cqe.
 *
 * Return:
 * * 1: a completion was polled
 * * 0: the CQ has no completion
 * * -EIO: the wr_id is unknown, or @q->order is full
 * * a negative errno of ib_poll_cq()
 */
int t_collect(struct t_queue *q)
{
	struct ib_wc wc;
	int ret;

	ret = ib_poll_cq(q->cq, 1, &wc);
	if (ret <= 0)
		return ret;
	/* a wr_cqe is a kernel address, so it is larger than each wr_id */
	if (wc.wr_id >= TASK_SIZE_MAX) {
		q->called++;
		wc.wr_cqe->done(q->cq, &wc);
		return 1;
	}
	if (wc.wr_id >= T_WRS || q->nr == ARRAY_SIZE(q->order))
		return T_FAIL("completion %u has wr_id %llu", q->nr, wc.wr_id);
	q->wc[wc.wr_id] = wc;
	q->seen[wc.wr_id]++;
	q->order[q->nr++] = wc.wr_id;
	return 1;
}
EXPORT_SYMBOL_GPL(t_collect);

/**
 * t_wait() - wait for the completion of a work request
 * @q: queue of the work request
 * @id: wr_id of the work request
 *
 * Return: the status of the completion (0 is success), -EIO when the work request does not complete
 * in time, or an errno of t_collect().
 */
int t_wait(struct t_queue *q, u64 id)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);
	int ret;

	while (!q->seen[id]) {
		ret = t_collect(q);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		if (time_after(jiffies, end))
			return T_FAIL("no completion of wr_id %llu", id);
		usleep_range(100, 200);
	}
	return q->wc[id].status;
}
EXPORT_SYMBOL_GPL(t_wait);

/**
 * t_wait_set() - collect until a flag is set
 * @q: queue whose completions are collected
 * @flag: flag that done() of a completion, or a worker, sets
 *
 * Return: 0, or -EIO when @flag is not set in time.
 */
int t_wait_set(struct t_queue *q, const bool *flag)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);

	while (!READ_ONCE(*flag)) {
		T_TRY(t_collect(q));
		if (time_after(jiffies, end))
			return T_FAIL("what was to be called was not");
		usleep_range(100, 200);
	}
	return 0;
}
EXPORT_SYMBOL_GPL(t_wait_set);

/**
 * t_settle() - collect completions until no more come
 * @q: a queue
 *
 * Return: 0, or an errno of t_collect().
 */
int t_settle(struct t_queue *q)
{
	int quiet, ret;

	for (quiet = 0; quiet < 50; quiet++) {
		ret = t_collect(q);
		if (ret < 0)
			return ret;
		if (ret)
			quiet = 0;
		usleep_range(1000, 2000);
	}
	return 0;
}
EXPORT_SYMBOL_GPL(t_settle);

/**
 * t_clear_counts() - clear the counts of a queue
 * @q: a queue without outstanding work requests
 */
void t_clear_counts(struct t_queue *q)
{
	memset(q->seen, 0, sizeof(q->seen));
	q->nr = 0;
}
EXPORT_SYMBOL_GPL(t_clear_counts);

/**
 * t_expect_flushed() - check that work requests were flushed, once, in order, and as the last ones
 * @q: queue of the work requests
 * @from: first wr_id
 * @to: last wr_id
 *
 * Return: 0 or -EIO.
 */
int t_expect_flushed(struct t_queue *q, u64 from, u64 to)
{
	u64 id;

	T_EXPECT(t_wait(q, to), IB_WC_WR_FLUSH_ERR);
	T_TRY(t_settle(q));
	for (id = from; id <= to; id++) {
		T_EXPECT(q->seen[id], 1);
		T_EXPECT(q->wc[id].status, IB_WC_WR_FLUSH_ERR);
		T_EXPECT(q->order[q->nr - 1 - (to - id)], id);
	}
	return 0;
}
EXPORT_SYMBOL_GPL(t_expect_flushed);

/**
 * t_wait_event() - wait for an asynchronous event of an end's QP or SRQ
 * @e: the end, whose handler counts the event
 * @event: the event to wait for
 *
 * Return: 0, or -EIO when the event does not come in time.
 */
int t_wait_event(struct t_end *e, enum ib_event_type event)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);

	while (!atomic_read(&e->events[event])) {
		if (time_after(jiffies, end))
			return T_FAIL("no event %d", event);
		usleep_range(100, 200);
	}
	return 0;
}
EXPORT_SYMBOL_GPL(t_wait_event);

/**
 * t_on_cq() - run a case with a QP of end 0 on a CQ that the core polls
 * @p: pair of the case, whose @arg is a struct t_on_cq_case
 *
 * Return: the result of the case, or the errno of creating the CQ or QP.
 */
int t_on_cq(struct t_pair *p)
{
	const struct t_on_cq_case *c = p->arg;
	struct t_end *e = &p->end[0];
	struct ib_cq *cq = ib_alloc_cq(e->dev, NULL, 64, 0, IB_POLL_WORKQUEUE);
	struct ib_qp *qp;
	int ret;

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	qp = t_qp_create(e, cq, cq, p->opts);
	ret = PTR_ERR_OR_ZERO(qp);
	if (!ret) {
		ret = c->run(p, qp);
		t_qp_destroy(qp, p->opts);
	}
	ib_free_cq(cq);
	return ret;
}
EXPORT_SYMBOL_GPL(t_on_cq);
