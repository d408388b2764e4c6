// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The work request API with two threads on one CPU. A thread with a real-time priority is woken
 * while the other thread has a started chain. With PREEMPT_RT the woken thread runs at once,
 * otherwise after the chain was completed. In both cases the woken thread may start a chain on
 * another QP: ib_wr_start() returns -EBUSY only to the thread whose chain is started.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "dv.h"

#define NOT_RUN		1	/* no errno */

/**
 * struct preempt - two threads on the QPs of a pair
 * @p: pair; the first thread starts chains on the QP of end 1, the second on the QP of end 0
 * @go: the second thread may run
 * @done: completed by each thread
 * @task: threads
 * @open: the first thread has started a chain on the QP of end 1
 * @preempted: value of @open after the second thread had started its chain
 * @first: result of the chain of the first thread
 * @foreign: result of ib_wr_complete() for the QP of end 1, by the second thread
 * @second: result of ib_wr_start() for the QP of end 0
 * @nested: result of ib_wr_start() for the QP of end 1 while the second thread has a chain
 * @chain: result of the chain of the second thread
 * @post: result of ib_post_send() on the QP of end 1, by the second thread
 */
struct preempt {
	struct t_pair *p;
	struct completion go;
	struct completion done;
	struct task_struct *task[2];
	bool open;
	bool preempted;
	int first;
	int foreign;
	int second;
	int nested;
	int chain;
	int post;
};

static void build_send(struct t_end *e)
{
	ib_wr_send(dv_qpx(e));
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
}

static int wait_for_stop(struct preempt *t)
{
	complete(&t->done);
	while (!kthread_should_stop())
		usleep_range(1000, 2000);
	return 0;
}

static int run_first(void *data)
{
	struct preempt *t = data;
	struct t_end *e = &t->p->end[1];

	t->first = dv_start(e, 0, IB_SEND_SIGNALED);
	if (t->first) {
		complete(&t->go);
		return wait_for_stop(t);
	}
	WRITE_ONCE(t->open, true);
	/* with PREEMPT_RT, the second thread runs before complete() returns */
	complete(&t->go);
	build_send(e);
	WRITE_ONCE(t->open, false);
	t->first = ib_wr_complete(dv_qpx(e));
	return wait_for_stop(t);
}

static int run_second(void *data)
{
	struct preempt *t = data;
	struct t_end *own = &t->p->end[0], *other = &t->p->end[1];
	struct ib_sge sge = t_sge(other, 0, 8);
	const struct ib_send_wr *bad;
	struct ib_send_wr wr;

	sched_set_fifo(current);
	wait_for_completion(&t->go);
	t->foreign = ib_wr_complete(dv_qpx(other));
	t->second = dv_start(own, 0, IB_SEND_SIGNALED);
	if (!t->second) {
		t->preempted = READ_ONCE(t->open);
		t->nested = ib_wr_start(dv_qpx(other));
		build_send(own);
		t->chain = ib_wr_complete(dv_qpx(own));
	}
	/* ib_post_send() waits until the first thread has completed its chain */
	t_send_wr(&wr, &sge, 1);
	t->post = ib_post_send(other->qp, &wr, &bad);
	return wait_for_stop(t);
}

static int thread_start(struct preempt *t, int i, int (*run)(void *data))
{
	struct task_struct *task = kthread_create(run, t, "mlx5dv_test/%d", i);

	if (IS_ERR(task))
		return T_FAIL("no thread: %ld", PTR_ERR(task));
	kthread_bind(task, cpumask_first(cpu_online_mask));
	t->task[i] = task;
	wake_up_process(task);
	return 0;
}

static int run_threads(struct preempt *t)
{
	struct t_end *to = &t->p->end[0], *e = &t->p->end[1];

	T_TRY(t_post_recv(to, 0));
	T_TRY(t_post_recv(to, 1));
	T_TRY(t_post_recv(e, 0));
	T_TRY(thread_start(t, 1, run_second));
	T_TRY(thread_start(t, 0, run_first));
	wait_for_completion(&t->done);
	wait_for_completion(&t->done);
	T_EXPECT(t->first, 0);
	T_EXPECT(t->second, 0);
	T_EXPECT(t->preempted, IS_ENABLED(CONFIG_PREEMPT_RT));
	T_EXPECT(t->foreign, -EINVAL);
	T_EXPECT(t->nested, -EBUSY);
	T_EXPECT(t->chain, 0);
	T_EXPECT(t->post, 0);
	T_TRY(dv_expect_only(&e->sq, 0, 1));
	T_TRY(dv_expect_only(&to->sq, 0, 0));
	T_EXPECT(t_wait(&to->rq, 1), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&e->rq, 0), IB_WC_SUCCESS);
	return 0;
}

static int wr_preempt(struct t_pair *p)
{
	struct preempt *t = kzalloc(sizeof(*t), GFP_KERNEL);
	int i, ret;

	if (!t)
		return -ENOMEM;
	t->p = p;
	init_completion(&t->go);
	init_completion(&t->done);
	t->first = NOT_RUN;
	t->post = NOT_RUN;
	t->chain = NOT_RUN;
	ret = run_threads(t);
	complete_all(&t->go);
	for (i = 0; i < ARRAY_SIZE(t->task); i++)
		if (t->task[i])
			kthread_stop(t->task[i]);
	kfree(t);
	return ret;
}

const struct t_case dv_wr_preempt_cases[] = {
	{ "wr_preempt", wr_preempt, &dv_opts },
	{ }
};
