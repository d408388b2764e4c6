// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A registration context under load. Threads map and post chains of one to three requests. The pool
 * is too small for the chains of all threads. Completions in softirq release the requests. In every
 * second round, the QP enters ERR under this load. After released() was called, the thread poisons
 * and frees the chain.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <rdma/ib_frwr.h>

#include "ibx_test.h"

#define T_THREADS	4
#define T_CHAIN		3
#define T_MAX_MRS	4
#define T_ROUNDS	6
#define T_ROUND_MS	300
#define T_POISON	0x5a

/**
 * struct t_load - a round
 * @cq: CQs of the QPs, polled in softirq
 * @qp: connected QPs; end 0 has the context
 * @frwr: registration context
 * @wait: threads that wait for @freed to change
 * @freed: number of calls of ib_frwr_attr.available
 * @stop: threads start no further chain
 * @ops: number of chains that were released
 * @waits: number of maps that returned -EAGAIN
 * @flushed: number of chains whose registration or invalidation was flushed
 * @err: error of a thread, or 0
 */
struct t_load {
	struct ib_cq *cq[2];
	struct ib_qp *qp[2];
	struct ib_frwr *frwr;
	wait_queue_head_t wait;
	atomic_t freed;
	bool stop;
	atomic_t ops;
	atomic_t waits;
	atomic_t flushed;
	int err;
};

/**
 * struct t_chain - a chain of requests
 * @req: requests
 * @page: memory of each request
 * @n: number of requests
 * @cqe: ib_cqe of the work request behind the registrations
 * @released: completed when the release is complete
 */
struct t_chain {
	struct ib_frwr_req req[T_CHAIN];
	struct page *page[T_CHAIN];
	int n;
	struct ib_cqe cqe;
	struct completion released;
};

static void t_load_available(void *priv)
{
	struct t_load *l = priv;

	atomic_inc(&l->freed);
	wake_up_all(&l->wait);
}

/* ---- one chain ---- */

static void t_chain_released(struct ib_frwr_req *first)
{
	complete(&container_of(first, struct t_chain, req[0])->released);
}

static void t_chain_release(struct t_chain *ch)
{
	if (ib_frwr_release(ch->req) != -EINPROGRESS)
		complete(&ch->released);
}

/* Context: softirq. */
static void t_chain_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	t_chain_release(container_of(wc->wr_cqe, struct t_chain, cqe));
}

static void t_chain_free(struct t_chain *ch)
{
	int i;

	for (i = 0; i < ch->n; i++)
		if (ch->page[i])
			__free_page(ch->page[i]);
	memset(ch, T_POISON, sizeof(*ch));
	kfree(ch);
}

static struct t_chain *t_chain_alloc(void)
{
	struct t_chain *ch = kzalloc(sizeof(*ch), GFP_KERNEL);
	int i;

	if (!ch)
		return NULL;
	ch->n = get_random_u32_inclusive(1, T_CHAIN);
	for (i = 0; i < ch->n; i++) {
		ch->page[i] = alloc_page(GFP_KERNEL);
		if (!ch->page[i]) {
			t_chain_free(ch);
			return NULL;
		}
		if (i)
			ch->req[i - 1].next = &ch->req[i];
	}
	ch->req[0].released = t_chain_released;
	ch->cqe.done = t_chain_sent;
	init_completion(&ch->released);
	return ch;
}

static int t_chain_map(struct t_load *l, struct t_chain *ch)
{
	enum dma_data_direction dir;
	u32 offset;
	int i, err;

	for (i = 0; i < ch->n; i++) {
		dir = get_random_u32_below(2) ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
		offset = get_random_u32_below(PAGE_SIZE);
		err = ib_frwr_map_pages(l->frwr, &ch->req[i], &ch->page[i], offset,
					PAGE_SIZE - offset, dir);
		if (err == -EAGAIN && i)
			return -EBADE;	/* the map of the first request gets all MRs */
		if (err)
			return err;
	}
	return 0;
}

/* Return: 0, -ECANCELED when the round ends before MRs are available, or another errno. */
static int t_chain_map_wait(struct t_load *l, struct t_chain *ch)
{
	int freed, err;

	for (;;) {
		freed = atomic_read(&l->freed);
		err = t_chain_map(l, ch);
		if (err != -EAGAIN)
			return err;
		atomic_inc(&l->waits);
		if (!wait_event_timeout(l->wait, atomic_read(&l->freed) != freed ||
					READ_ONCE(l->stop), msecs_to_jiffies(T_TIMEOUT_MS)))
			return -ETIMEDOUT;
		if (READ_ONCE(l->stop))
			return -ECANCELED;
	}
}

static int t_chain_post(struct t_load *l, struct t_chain *ch)
{
	struct ib_rdma_wr write = {
		.wr = {
			.wr_cqe = &ch->cqe,
			.opcode = IB_WR_RDMA_WRITE,
			.send_flags = IB_SEND_SIGNALED,
		},
	};
	int err = ib_frwr_post(ch->req, &write.wr, NULL);

	if (err)
		t_chain_release(ch);
	return err;
}

/* checks that all requests of the chain have completed with success or were flushed */
static int t_chain_check(struct t_load *l, const struct t_chain *ch)
{
	bool flushed = false;
	int i;

	for (i = 0; i < ch->n; i++) {
		if (ch->req[i].mr || ch->req[i].err)
			return -EBADE;
		if (ch->req[i].status && ch->req[i].status != IB_WC_WR_FLUSH_ERR)
			return -EREMOTEIO;
		flushed |= ch->req[i].status;
	}
	if (flushed)
		atomic_inc(&l->flushed);
	atomic_inc(&l->ops);
	return 0;
}

static int t_chain_run(struct t_load *l)
{
	struct t_chain *ch = t_chain_alloc();
	int err;

	if (!ch)
		return -ENOMEM;
	err = t_chain_map_wait(l, ch);
	if (err == -ECANCELED) {
		t_chain_free(ch);
		return 0;
	}
	if (err)
		return err;	/* and leak memory that may still be in use */
	err = t_chain_post(l, ch);
	/* siw refuses work requests until the connection of a QP in ERR is closed */
	if (err == -ENOTCONN)
		err = 0;
	if (!wait_for_completion_timeout(&ch->released, msecs_to_jiffies(3 * T_TIMEOUT_MS)))
		return -ETIME;
	if (!err)
		err = t_chain_check(l, ch);
	t_chain_free(ch);
	return err;
}

static int t_load_thread(void *priv)
{
	struct t_load *l = priv;
	int err;

	while (!kthread_should_stop()) {
		if (READ_ONCE(l->stop)) {
			msleep(20);
			continue;
		}
		err = t_chain_run(l);
		if (err) {
			cmpxchg(&l->err, 0, err);
			WRITE_ONCE(l->stop, true);
		}
	}
	return 0;
}

/* ---- one round ---- */

static int t_load_run(struct t_load *l, bool breaks)
{
	struct task_struct *thread[T_THREADS];
	int n, err = 0;

	for (n = 0; n < T_THREADS; n++) {
		thread[n] = kthread_run(t_load_thread, l, "frwr_stress/%d", n);
		if (IS_ERR(thread[n])) {
			err = PTR_ERR(thread[n]);
			break;
		}
	}
	msleep(T_ROUND_MS);
	if (breaks)
		err = err ?: t_move(l->qp[0], IB_QPS_ERR);
	msleep(T_ROUND_MS / 3);
	WRITE_ONCE(l->stop, true);
	wake_up_all(&l->wait);
	while (n--)
		kthread_stop(thread[n]);
	return err ?: l->err;
}

static int t_load_connect(struct t_pair *p, struct t_load *l)
{
	int i;

	for (i = 0; i < 2; i++) {
		l->cq[i] = ib_alloc_cq(p->end[i].dev, NULL, 64, 0, IB_POLL_SOFTIRQ);
		T_TRY(PTR_ERR_OR_ZERO(l->cq[i]));
		l->qp[i] = t_qp_create(&p->end[i], l->cq[i], l->cq[i], p->opts);
		T_TRY(PTR_ERR_OR_ZERO(l->qp[i]));
	}
	for (i = 0; i < 2; i++)
		T_TRY(t_qp_connect(&p->end[i], l->qp[i], &p->end[!i], l->qp[!i]->qp_num,
				   &t_default_path));
	return 0;
}

static void t_load_disconnect(struct t_load *l)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (!IS_ERR_OR_NULL(l->qp[i])) {
			ib_drain_qp(l->qp[i]);
			ib_destroy_qp(l->qp[i]);
		}
		if (!IS_ERR_OR_NULL(l->cq[i]))
			ib_free_cq(l->cq[i]);
	}
}

static int t_load_round(struct t_pair *p, struct t_load *l, bool breaks)
{
	const struct ib_frwr_attr attr = {
		.mr = { .mr_type = IB_MR_TYPE_FAST_REG, .max_reg_descs = 1,
			.create_flags = t_create_flags(p->end[0].dev) },
		.min_mrs = 1,
		.max_mrs = T_MAX_MRS,
		.available = t_load_available,
		.priv = l,
	};
	int ret;

	l->frwr = ib_frwr_create(l->qp[0], &attr);
	if (IS_ERR(l->frwr)) {
		ret = PTR_ERR(l->frwr);
		l->frwr = NULL;
		return ret;
	}
	ret = t_load_run(l, breaks);
	t_log("%d chains, %d waits, %d flushed, error %d\n", atomic_read(&l->ops),
	      atomic_read(&l->waits), atomic_read(&l->flushed), ret);
	if (!ret)
		ib_frwr_destroy(l->frwr);
	return ret;
}

static int frwr_stress(struct t_pair *p)
{
	int waits = 0, flushed = 0, i, ret;
	struct t_load *l;

	for (i = 0; i < T_ROUNDS; i++) {
		l = kzalloc(sizeof(*l), GFP_KERNEL);
		if (!l)
			return -ENOMEM;
		init_waitqueue_head(&l->wait);
		ret = t_load_connect(p, l) ?: t_load_round(p, l, i & 1);
		if (ret && l->frwr)
			return ret;	/* a chain may still use the QP */
		t_load_disconnect(l);
		waits += atomic_read(&l->waits);
		flushed += atomic_read(&l->flushed);
		if (!ret && !atomic_read(&l->ops))
			ret = T_FAIL("round %d: no chain was released", i);
		kfree(l);
		if (ret)
			return ret;
	}
	/* otherwise the load was too small: no map had to wait, or no request was flushed */
	T_EXPECT(waits > 0, 1);
	T_EXPECT(flushed > 0, 1);
	return 0;
}

static const struct t_opts stress = {
	/* entries of the context, of a WRITE for each MR, and of draining */
	.sq_depth = 2 * T_MAX_MRS + 1 + T_MAX_MRS + 1,
	.rq_depth = 4,
};

const struct t_case t_frwr_stress_cases[] = {
	{ "frwr_stress", frwr_stress, &stress },
	{ }
};
