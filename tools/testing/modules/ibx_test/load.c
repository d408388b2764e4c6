// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Several threads at once: they post to one QP, or to QPs that share CQs. At
 * the same time, other threads create and destroy objects, or QPs with traffic
 * are destroyed.
 *
 * Each message carries the number of its lane and its place in the sequence of that
 * lane, so that a case finds messages that are missing, repeated or out of order.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "ibx_test.h"

#define T_LANES		4
#define T_MESSAGES	64	/* messages of each lane */
#define T_SLOT		16	/* bytes from one message to the next in a buffer */

struct t_load;

/**
 * struct t_lane - a thread that sends, and its two QPs
 * @load: load that the lane belongs to
 * @nr: index of the lane in t_load.lane
 * @qp: [0] receives at end 0, [1] sends at end 1; the QPs of lane 0 if
 *	t_load.one_qp is set
 * @task: the thread
 * @ret: 0, or the error of the send that failed
 * @sent: number of sends whose completions were polled
 * @next: place in the sequence of the next message to be received
 * @dead: the QPs are destroyed: no completion of this lane may follow
 */
struct t_lane {
	struct t_load *load;
	int nr;
	struct ib_qp *qp[2];
	struct task_struct *task;
	int ret;
	u32 sent;
	u32 next;
	bool dead;
};

/**
 * struct t_load - lanes that send at the same time
 * @p: pair whose CQs and buffers the lanes use
 * @one_qp: all lanes use the QPs of lane 0
 * @lane: the lanes
 */
struct t_load {
	struct t_pair *p;
	bool one_qp;
	struct t_lane lane[T_LANES];
};

/* content of a message: number of the lane, and place in its sequence */
struct t_stamp {
	u32 lane;
	u32 seq;
};

static u64 t_load_id(int lane, u32 seq)
{
	return lane * T_MESSAGES + seq;
}

/*
 * Retries while the send queue is full, or until the thread is stopped: only the case polls, and it
 * does not poll while it waits in kthread_stop().
 */
static int t_post_patiently(struct ib_qp *qp, const struct ib_send_wr *wr)
{
	int ret;

	while (!kthread_should_stop()) {
		ret = ib_post_send(qp, wr, NULL);
		if (ret != -ENOMEM)
			return ret;
		usleep_range(50, 100);
	}
	return 0;
}

static int t_lane_send(struct t_lane *lane, u32 seq)
{
	struct t_end *e = &lane->load->p->end[1];
	u64 id = t_load_id(lane->nr, seq);
	struct t_stamp *stamp = e->buf + id * T_SLOT;
	struct ib_sge sge = t_sge(e, id * T_SLOT, sizeof(*stamp));
	struct ib_send_wr wr;

	stamp->lane = lane->nr;
	stamp->seq = seq;
	t_send_wr(&wr, &sge, id);
	return t_post_patiently(lane->qp[1], &wr);
}

static int t_lane_thread(void *data)
{
	struct t_lane *lane = data;
	u32 seq;

	for (seq = 0; seq < T_MESSAGES && !lane->ret && !kthread_should_stop(); seq++)
		lane->ret = t_lane_send(lane, seq);
	/* the thread must not exit before kthread_stop() */
	while (!kthread_should_stop())
		usleep_range(1000, 2000);
	return 0;
}

static void t_lane_stop(struct t_lane *lane)
{
	if (!IS_ERR_OR_NULL(lane->task))
		kthread_stop(lane->task);
	lane->task = NULL;
}

static void t_lane_destroy_qps(struct t_lane *lane)
{
	int end;

	for (end = 1; end >= 0; end--) {
		if (!IS_ERR_OR_NULL(lane->qp[end]))
			ib_destroy_qp(lane->qp[end]);
		lane->qp[end] = NULL;
	}
	lane->dead = true;
}

static void t_load_destroy(struct t_load *load)
{
	int i;

	for (i = 0; i < T_LANES; i++)
		t_lane_stop(&load->lane[i]);
	for (i = 0; i < T_LANES && (!i || !load->one_qp); i++)
		t_lane_destroy_qps(&load->lane[i]);
}

static int t_lane_create(struct t_load *load, struct t_lane *lane)
{
	struct t_end *e;
	int end;

	for (end = 0; end < 2; end++) {
		e = &load->p->end[end];
		lane->qp[end] = t_qp_create(e, e->sq.cq, e->rq.cq, load->p->opts);
		if (IS_ERR(lane->qp[end]))
			return T_FAIL("lane %d: %ld", lane->nr, PTR_ERR(lane->qp[end]));
	}
	for (end = 0; end < 2; end++)
		T_TRY(t_qp_connect(&load->p->end[end], lane->qp[end], &load->p->end[!end],
				   lane->qp[!end]->qp_num, &t_default_path));
	return 0;
}

static int t_load_create(struct t_load *load)
{
	struct t_end *rx = &load->p->end[0];
	struct t_lane *lane;
	struct ib_sge sge;
	int i, j;

	for (i = 0; i < T_LANES; i++) {
		lane = &load->lane[i];
		lane->load = load;
		lane->nr = i;
		if (i && load->one_qp)
			memcpy(lane->qp, load->lane[0].qp, sizeof(lane->qp));
		else
			T_TRY(t_lane_create(load, lane));
		for (j = 0; j < T_MESSAGES; j++) {
			struct ib_recv_wr wr = {
				.wr_id = t_load_id(i, j), .sg_list = &sge, .num_sge = 1,
			};

			sge = t_sge(rx, t_load_id(i, j) * T_SLOT, T_SLOT);
			T_TRY(ib_post_recv(lane->qp[0], &wr, NULL));
		}
	}
	return 0;
}

static int t_load_start(struct t_load *load)
{
	struct t_lane *lane;
	int i;

	for (i = 0; i < T_LANES; i++) {
		lane = &load->lane[i];
		lane->task = kthread_run(t_lane_thread, lane, "ibx_test/%d", i);
		if (IS_ERR(lane->task))
			return T_FAIL("no thread: %ld", PTR_ERR(lane->task));
	}
	return 0;
}

static int t_load_sent(struct t_load *load, const struct ib_wc *wc)
{
	struct t_lane *lane = &load->lane[wc->wr_id / T_MESSAGES];

	T_EXPECT(wc->status, IB_WC_SUCCESS);
	T_EXPECT(lane->dead, false);
	T_EXPECT(wc->qp == lane->qp[1], 1);
	/* the sends of a lane complete in the order of posting */
	T_EXPECT(wc->wr_id % T_MESSAGES, lane->sent);
	lane->sent++;
	return 0;
}

static int t_load_received(struct t_load *load, const struct ib_wc *wc)
{
	struct t_end *e = &load->p->end[0];
	const struct t_stamp *stamp = e->buf + wc->wr_id * T_SLOT;
	struct t_lane *lane;

	T_EXPECT(wc->status, IB_WC_SUCCESS);
	T_EXPECT(wc->byte_len, sizeof(*stamp));
	t_sync(e);
	T_EXPECT(stamp->lane < T_LANES, 1);
	lane = &load->lane[stamp->lane];
	T_EXPECT(lane->dead, false);
	T_EXPECT(wc->qp == lane->qp[0], 1);
	T_EXPECT(stamp->seq, lane->next);
	lane->next++;
	return 0;
}

static int t_load_poll_one(struct t_load *load, struct ib_cq *cq, bool sent)
{
	struct ib_wc wc[4];
	int i, n = ib_poll_cq(cq, ARRAY_SIZE(wc), wc);

	for (i = 0; i < n; i++) {
		if (wc[i].wr_id >= T_LANES * T_MESSAGES)
			return T_FAIL("wr_id %llu", wc[i].wr_id);
		T_TRY(sent ? t_load_sent(load, &wc[i]) : t_load_received(load, &wc[i]));
	}
	return n;
}

/* polls until @want messages of each lane whose QPs exist were sent and received */
static int t_load_poll(struct t_load *load, u32 want)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);
	struct t_lane *lane;
	int i, n, left;

	do {
		n = t_load_poll_one(load, load->p->end[1].sq.cq, true);
		T_TRY(n);
		n += t_load_poll_one(load, load->p->end[0].rq.cq, false);
		T_TRY(n);
		for (i = 0, left = 0; i < T_LANES; i++) {
			lane = &load->lane[i];
			T_TRY(lane->ret);
			left += !lane->dead && (lane->sent < want || lane->next < want);
		}
		if (time_after(jiffies, end))
			return T_FAIL("%d lanes do not get on", left);
		if (!n)
			usleep_range(50, 100);
	} while (left);
	return 0;
}

static int t_load_all(struct t_load *load)
{
	T_TRY(t_load_create(load));
	T_TRY(t_load_start(load));
	T_TRY(t_load_poll(load, T_MESSAGES));
	T_TRY(t_settle(&load->p->end[1].sq));
	T_TRY(t_settle(&load->p->end[0].rq));
	T_EXPECT(load->p->end[1].sq.nr + load->p->end[0].rq.nr, 0);
	return 0;
}

struct t_load_case {
	int (*run)(struct t_load *load);
	bool one_qp;
};

static int t_with_load(struct t_pair *p)
{
	const struct t_load_case *c = p->arg;
	struct t_load *load;
	int ret;

	load = kzalloc(sizeof(*load), GFP_KERNEL);
	if (!load)
		return -ENOMEM;
	load->p = p;
	load->one_qp = c->one_qp;
	ret = c->run(load);
	t_load_destroy(load);
	kfree(load);
	return ret;
}

/* the QPs of half the lanes are destroyed with messages outstanding; the other lanes continue */
static int t_load_lose_half(struct t_load *load)
{
	int i;

	T_TRY(t_load_create(load));
	T_TRY(t_load_start(load));
	T_TRY(t_load_poll(load, 8));
	for (i = 1; i < T_LANES; i += 2) {
		/* a thread must not post to a destroyed QP; its earlier sends may be outstanding */
		t_lane_stop(&load->lane[i]);
		t_lane_destroy_qps(&load->lane[i]);
	}
	return t_load_poll(load, T_MESSAGES);
}

/* ---- objects created and destroyed during the traffic ---- */

/**
 * struct t_maker - a thread that creates and destroys objects of an end
 * @e: the end
 * @task: the thread
 * @made: number of calls of t_make_set(), and of calls skipped after an error
 * @ret: 0, or the errno of the first t_make_set() that failed
 */
struct t_maker {
	struct t_end *e;
	struct task_struct *task;
	atomic_t made;
	int ret;
};

static int t_make_set(struct t_end *e)
{
	static const struct t_opts opts;
	struct ib_cq_init_attr attr = { .cqe = 16 };
	struct ib_mr *mr;
	struct ib_cq *cq;
	struct ib_qp *qp;
	int ret;

	cq = ib_create_cq(e->dev, NULL, NULL, NULL, &attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	mr = ib_alloc_mr(e->pd, IB_MR_TYPE_MEM_REG, 16);
	ret = PTR_ERR_OR_ZERO(mr);
	if (ret)
		goto free_cq;
	qp = t_qp_create(e, cq, cq, &opts);
	ret = PTR_ERR_OR_ZERO(qp);
	if (ret)
		goto free_mr;
	ret = t_to_init(qp, &t_default_path);
	if (!ret)
		ret = t_move(qp, IB_QPS_ERR);
	ib_destroy_qp(qp);
free_mr:
	ib_dereg_mr(mr);
free_cq:
	ib_destroy_cq(cq);
	return ret;
}

static int t_maker_thread(void *data)
{
	struct t_maker *maker = data;

	while (!kthread_should_stop()) {
		if (!maker->ret)
			maker->ret = t_make_set(maker->e);
		atomic_inc(&maker->made);
		usleep_range(100, 200);
	}
	return 0;
}

static int t_load_beside_makers(struct t_load *load)
{
	struct t_maker maker[4] = {};
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(maker); i++) {
		maker[i].e = &load->p->end[i % 2];
		maker[i].task = kthread_run(t_maker_thread, &maker[i], "ibx_make/%d", i);
	}
	ret = t_load_all(load);
	for (i = 0; i < ARRAY_SIZE(maker); i++) {
		if (IS_ERR(maker[i].task)) {
			ret = T_FAIL("no thread: %ld", PTR_ERR(maker[i].task));
			continue;
		}
		while (atomic_read(&maker[i].made) < 8)
			usleep_range(1000, 2000);
		kthread_stop(maker[i].task);
		if (maker[i].ret)
			ret = T_FAIL("maker %d: %d", i, maker[i].ret);
	}
	return ret;
}

static const struct t_opts t_lanes = {
	.rq_depth = T_LANES * T_MESSAGES,
	.cqe = 2 * T_LANES * T_MESSAGES,
	.unconnected = true,
};

/* entry of the table of cases */
#define T_LOAD(name, run, one_qp)					\
	{ #name, t_with_load, &t_lanes, &(const struct t_load_case){ run, one_qp } }

const struct t_case t_load_cases[] = {
	/* four threads post to one send queue more SENDs than it has entries */
	T_LOAD(threads_on_one_qp, t_load_all, true),
	T_LOAD(threads_on_own_qps, t_load_all, false),
	T_LOAD(destroyed_under_traffic, t_load_lose_half, false),
	T_LOAD(made_beside_traffic, t_load_beside_makers, false),
	{ }
};
