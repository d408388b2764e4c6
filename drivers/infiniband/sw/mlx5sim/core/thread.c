// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The hardware thread: one kernel thread that runs every simulated function.
 *
 * As long as passes find work, the thread makes one pass after the other, and
 * yields the CPU when another task needs it. After the last pass with work, the
 * thread polls for SIM_HW_SPIN_NS and then sleeps. With one CPU the thread
 * sleeps at once, because the driver can ring a doorbell only during the sleep.
 * The first sleeps are short, since a driver that has just received a response
 * is likely to send the next command soon. Later sleeps are longer.
 * Doorbells are plain memory and cannot wake the thread, so the longest sleep
 * bounds the latency of the first command after a pause.
 *
 * Requests of other contexts (sim_hw_call()) run between passes, in the order
 * of the calls. The work of a pass is an argument of sim_hw_start().
 *
 * The timers of the transport run on device time. Between two passes device
 * time advances by the time that has passed, but by no more than
 * SIM_HW_STEP_NS, which is above the longest sleep. So device time is equal to
 * wall time if the thread always gets a CPU. It falls behind while the thread
 * does not get a CPU or moves a long message. During that time no peer can
 * respond, because all peers run on this thread, and the driver of the peer may
 * not get a CPU.
 *
 * A pass never waits for anything outside the device: no lock that another task
 * holds for long, no module to load, no cipher of the crypto API. While the
 * thread sleeps in a pass, health counters do not advance and commands do not
 * complete, and the driver reports a fatal error of the device. Memory is
 * allocated with reclaim, but not with writes to a disk. Voluntary context
 * switches outside sim_hw_nap() are counted as sleeps, and debugfs "thread"
 * shows them. Long loops call sim_hw_yield(), so that health counters advance
 * in a long pass.
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
static const struct sim_hw_ops *sim_hw_ops;
/* hardware thread */
static u64 sim_hw_now;			/* device time */
static u64 sim_hw_last_beat;
static unsigned long sim_hw_switches;	/* voluntary context switches so far */
static struct sim_hw_stats sim_hw_stats;

/* After less than @idle ns without work, the thread sleeps for @sleep ns */
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
#define SIM_HW_STEP_NS	(4 * NSEC_PER_MSEC)

/**
 * sim_hw_kick() - wake the thread from its idle sleep
 *
 * Context: any.
 */
void sim_hw_kick(void)
{
	/*
	 * the work is stored before sim_hw_kicked: pairs with xchg() in
	 * sim_hw_nap(), after which the thread looks for work
	 */
	smp_store_release(&sim_hw_kicked, true);
	/*
	 * sim_hw_kicked is stored before sim_hw_asleep is read: pairs with
	 * set_current_state() in sim_hw_nap()
	 */
	smp_mb();
	if (READ_ONCE(sim_hw_asleep))
		wake_up_process(sim_hw_task);
}

/**
 * sim_hw_call() - run a function on the hardware thread and wait for it
 * @fn: function to run; it must not sleep for long
 * @arg: argument of @fn
 *
 * On the hardware thread itself, @fn is called directly.
 *
 * Context: process context, between sim_hw_start() and sim_hw_stop().
 * Return: return value of @fn.
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
	/*
	 * sim_hw_asleep is stored before sim_hw_kicked is read: pairs with
	 * smp_mb() in sim_hw_kick()
	 */
	set_current_state(TASK_IDLE);
	if (!READ_ONCE(sim_hw_kicked) && !kthread_should_stop())
		schedule_hrtimeout_range(&nap, sim_hw_naps[i].sleep / 4, HRTIMER_MODE_REL);
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(sim_hw_asleep, false);
	/*
	 * fully ordered: either the next pass finds the work of a kick, or
	 * sim_hw_kicked stays true. Pairs with smp_store_release() in
	 * sim_hw_kick()
	 */
	xchg(&sim_hw_kicked, false);
	sim_hw_switches = current->nvcsw;
}

/*
 * Count a sleep if the thread made a voluntary context switch in a pass of @ns.
 */
static void sim_hw_note_sleep(u64 ns)
{
	unsigned long sleeps = current->nvcsw - sim_hw_switches;

	if (likely(!sleeps))
		return;
	sim_hw_switches += sleeps;
	WRITE_ONCE(sim_hw_stats.sleeps, sim_hw_stats.sleeps + sleeps);
	if (ns > sim_hw_stats.longest_sleep)
		WRITE_ONCE(sim_hw_stats.longest_sleep, ns);
}

/* Call beat() about once a millisecond, also in the middle of a pass. */
static void sim_hw_beat(u64 now)
{
	u64 gap = now - sim_hw_last_beat;

	if (gap < NSEC_PER_MSEC)
		return;
	sim_hw_last_beat = now;
	if (gap > sim_hw_stats.longest_gap)
		WRITE_ONCE(sim_hw_stats.longest_gap, gap);
	sim_hw_ops->beat();
}

/**
 * sim_hw_yield() - run other tasks and update health counters during a pass
 *
 * Context: hardware thread, in a loop that may be long.
 */
void sim_hw_yield(void)
{
	cond_resched();
	sim_hw_beat(local_clock());
}

/**
 * sim_hw_get_stats() - get the counters of the hardware thread
 * @stats: out: the counters
 *
 * Context: any.
 */
void sim_hw_get_stats(struct sim_hw_stats *stats)
{
	stats->sleeps = READ_ONCE(sim_hw_stats.sleeps);
	stats->longest_sleep = READ_ONCE(sim_hw_stats.longest_sleep);
	stats->longest_gap = READ_ONCE(sim_hw_stats.longest_gap);
}

/**
 * sim_hw_time() - device time
 *
 * Context: hardware thread.
 * Return: nanoseconds since some time in the past; constant during a pass.
 */
u64 sim_hw_time(void)
{
	return sim_hw_now;
}

static int sim_hw_thread(void *data)
{
	const struct sim_hw_ops *ops = sim_hw_ops;
	u64 last_work = local_clock(), last_pass = last_work, next_tick = 0;

	/*
	 * memory reclaim must not wait for a disk that is reached through this
	 * thread
	 */
	memalloc_noio_save();
	sim_hw_last_beat = last_work;
	sim_hw_switches = current->nvcsw;
	while (!kthread_should_stop()) {
		u64 begin = local_clock();
		bool work = sim_hw_serve();
		u64 now;

		work |= ops->pass();
		now = local_clock();
		sim_hw_note_sleep(now - begin);
		sim_hw_now += min_t(u64, now - last_pass, SIM_HW_STEP_NS);
		last_pass = now;
		sim_hw_beat(now);
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
 * @ops: the work of the thread; valid until sim_hw_stop()
 *
 * Context: process context.
 * Return: 0; an errno of kthread_run().
 */
int sim_hw_start(const struct sim_hw_ops *ops)
{
	struct task_struct *task;

	sim_hw_ops = ops;
	task = kthread_run(sim_hw_thread, NULL, SIM_NAME);
	if (IS_ERR(task))
		return PTR_ERR(task);
	sim_hw_task = task;
	return 0;
}

/**
 * sim_hw_stop() - stop the hardware thread
 *
 * Context: process context. No simulated function is present, and no further
 * sim_hw_call() is made.
 */
void sim_hw_stop(void)
{
	kthread_stop(sim_hw_task);
	sim_hw_task = NULL;
}
