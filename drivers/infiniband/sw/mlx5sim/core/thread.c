// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The hardware thread: one kernel thread that runs every simulated function.
 *
 * The thread makes one pass after the other, as long as they find work, and yields the CPU
 * when another task wants it. Without work it polls for a moment more (not on a machine
 * with one CPU, where the driver can only ring a doorbell while the thread sleeps). Then it
 * sleeps: for a short time at first, since a driver that just had an answer is likely to
 * send the next command soon, and longer the longer the device is idle. Doorbells are
 * memory and cannot wake the thread, so the longest sleep bounds the latency of the first
 * command after a pause.
 *
 * Requests of other contexts (sim_hw_call()) are run between passes, in their order. What a
 * pass does is given to sim_hw_start().
 */
#define pr_fmt(fmt) "mlx5sim: " fmt

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/sched/clock.h>
#include <linux/sched/mm.h>

#include "core/core.h"

struct sim_hw_request {
	struct llist_node node;
	struct completion done;
	int (*fn)(void *arg);
	void *arg;
	int ret;
};

static struct task_struct *sim_hw_task;
static LLIST_HEAD(sim_hw_requests);
static bool sim_hw_kicked;
static bool sim_hw_asleep;

/* Idle for so long (ns): sleep so long (ns) */
static const struct {
	u64 idle;
	u64 sleep;
} sim_hw_naps[] = {
	{   2 * NSEC_PER_MSEC,   20 * NSEC_PER_USEC },
	{  20 * NSEC_PER_MSEC,  100 * NSEC_PER_USEC },
	{ 100 * NSEC_PER_MSEC,  500 * NSEC_PER_USEC },
	{ U64_MAX,		  2 * NSEC_PER_MSEC },
};

#define SIM_HW_SPIN_NS	(50 * NSEC_PER_USEC)

/**
 * sim_hw_kick() - wake the thread from its idle sleep
 *
 * Any context.
 */
void sim_hw_kick(void)
{
	WRITE_ONCE(sim_hw_kicked, true);
	smp_mb();	/* pairs with set_current_state() in sim_hw_nap() */
	if (READ_ONCE(sim_hw_asleep))
		wake_up_process(sim_hw_task);
}

/**
 * sim_hw_call() - run a function on the hardware thread and wait for it
 * @fn: what to run; may not sleep long
 * @arg: passed to @fn
 *
 * Process context, between sim_hw_start() and sim_hw_stop(). On the hardware
 * thread itself it just calls @fn.
 *
 * Return: what @fn returns.
 */
int sim_hw_call(int (*fn)(void *arg), void *arg)
{
	struct sim_hw_request req = { .fn = fn, .arg = arg };

	if (current == sim_hw_task)
		return fn(arg);

	init_completion(&req.done);
	llist_add(&req.node, &sim_hw_requests);
	sim_hw_kick();
	wait_for_completion(&req.done);
	return req.ret;
}

static bool sim_hw_serve(void)
{
	struct sim_hw_request *req, *next;
	struct llist_node *list;

	if (llist_empty(&sim_hw_requests))
		return false;
	list = llist_reverse_order(llist_del_all(&sim_hw_requests));
	llist_for_each_entry_safe(req, next, list, node) {
		req->ret = req->fn(req->arg);
		complete(&req->done);
	}
	return true;
}

static void sim_hw_nap(u64 idle)
{
	ktime_t nap;
	int i;

	for (i = 0; idle >= sim_hw_naps[i].idle; i++)
		;
	nap = ns_to_ktime(sim_hw_naps[i].sleep);

	WRITE_ONCE(sim_hw_asleep, true);
	set_current_state(TASK_IDLE);
	if (!READ_ONCE(sim_hw_kicked) && !kthread_should_stop())
		schedule_hrtimeout_range(&nap, sim_hw_naps[i].sleep / 4, HRTIMER_MODE_REL);
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(sim_hw_asleep, false);
	WRITE_ONCE(sim_hw_kicked, false);
}

static int sim_hw_thread(void *data)
{
	const struct sim_hw_ops *ops = data;
	u64 last_work = local_clock(), next_tick = 0;

	/* memory must not wait for a disk that is reached through this very thread */
	memalloc_noio_save();
	while (!kthread_should_stop()) {
		bool work = sim_hw_serve();
		u64 now;

		work |= ops->pass();
		now = local_clock();
		if (now >= next_tick) {
			ops->tick();
			next_tick = now + NSEC_PER_MSEC;
		}
		if (work)
			last_work = now;
		else if (now - last_work > SIM_HW_SPIN_NS || num_online_cpus() == 1)
			sim_hw_nap(now - last_work);
		cond_resched();
	}
	sim_hw_serve();
	return 0;
}

/**
 * sim_hw_start() - start the hardware thread
 * @ops: the work of the thread
 *
 * Process context.
 *
 * Return: 0 or a negative errno from kthread_run().
 */
int sim_hw_start(const struct sim_hw_ops *ops)
{
	struct task_struct *task = kthread_run(sim_hw_thread, (void *)ops, SIM_NAME);

	if (IS_ERR(task))
		return PTR_ERR(task);
	sim_hw_task = task;
	return 0;
}

/**
 * sim_hw_stop() - stop the hardware thread
 *
 * Process context. No function is present any more, and there are no more calls of
 * sim_hw_call().
 */
void sim_hw_stop(void)
{
	kthread_stop(sim_hw_task);
	sim_hw_task = NULL;
}
