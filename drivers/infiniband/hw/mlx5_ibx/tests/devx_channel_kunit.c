// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of the channels of DEVX (devx/channel.c).
 *
 * After a reader of a channel has released the lock of the channel, it may be
 * interrupted, and the context may be closed and freed. The counts of
 * subscriptions are part of the context, so they must be correct before the
 * lock is released. A case checks the counts in an interrupt that is pending
 * when the lock is released.
 */
#include <kunit/test.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "devx/event.h"

#define COOKIE		0x1122334455667788ULL
#define PENDING_NS	(30 * NSEC_PER_MSEC)	/* longer than a tick */
#define NOT_SEEN	(-1)

/**
 * struct kc - a channel, and an interrupt that reads the counts
 * @test: test
 * @quota: counts of the context
 * @ch: channel
 * @timer: raises the interrupt
 * @subs: subscriptions of the context at the time of the interrupt, or NOT_SEEN
 * @num: subscriptions of the channel at the time of the interrupt
 */
struct kc {
	struct kunit *test;
	struct ibx_devx_quota quota;
	struct ibx_devx_channel ch;
	struct hrtimer timer;
	int subs;
	int num;
};

static enum hrtimer_restart look_at_counts(struct hrtimer *timer)
{
	struct kc *kc = container_of(timer, struct kc, timer);

	kc->subs = atomic_read(&kc->quota.subs);
	kc->num = atomic_read(&kc->ch.num);
	return HRTIMER_NORESTART;
}

static struct kc *new_channel(struct kunit *test, bool omit_data)
{
	struct kc *kc = kunit_kzalloc(test, sizeof(*kc), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, kc);
	kc->test = test;
	ibx_devx_channel_init(&kc->ch, NULL, &kc->quota, omit_data);
	hrtimer_init(&kc->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	kc->timer.function = look_at_counts;
	kc->subs = NOT_SEEN;
	return kc;
}

/* disables interrupts, and waits until the interrupt of the timer is pending */
static void make_pending(struct kc *kc)
{
	u64 end;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(kc->test, "locks of the channel sleep and leave interrupts on");
	local_irq_disable();
	hrtimer_start(&kc->timer, 0, HRTIMER_MODE_REL_HARD);
	end = ktime_get_ns() + PENDING_NS;
	while (ktime_get_ns() < end)
		cpu_relax();
}

/* checks that interrupts are enabled, and that the interrupt has read @left */
static void expect_seen(struct kc *kc, int left)
{
	hrtimer_cancel(&kc->timer);
	KUNIT_EXPECT_FALSE(kc->test, irqs_disabled());
	KUNIT_EXPECT_EQ(kc->test, kc->subs, left);
	KUNIT_EXPECT_EQ(kc->test, kc->num, left);
}

static void expect_counts(struct kc *kc, int left)
{
	KUNIT_EXPECT_EQ(kc->test, atomic_read(&kc->quota.subs), left);
	KUNIT_EXPECT_EQ(kc->test, atomic_read(&kc->ch.num), left);
}

/* creates a subscription, counted as new_sub() in devx/event.c counts it */
static struct ibx_devx_sub *new_sub(struct kc *kc)
{
	struct ibx_devx_sub *sub = kzalloc(sizeof(*sub), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(kc->test, sub);
	sub->channel = &kc->ch;
	sub->item.event.cookie = COOKIE;
	INIT_LIST_HEAD(&sub->item.link);
	atomic_inc(&kc->ch.num);
	atomic_inc(&kc->quota.subs);
	return sub;
}

static void raise_event(struct ibx_devx_sub *sub)
{
	const struct mlx5_eqe eqe = {};

	ibx_devx_channel_put(sub, &eqe);
}

/* queues an orphan: an event whose subscription has ended */
static void queue_orphan(struct kc *kc)
{
	struct ibx_devx_sub *sub = new_sub(kc);

	raise_event(sub);
	ibx_devx_sub_free(sub);
}

static ssize_t fetch_event(struct kc *kc)
{
	struct ibx_devx_event event = {};
	ssize_t len = ibx_devx_channel_get(&kc->ch, sizeof(event), &event);

	if (len > 0)
		KUNIT_EXPECT_EQ(kc->test, event.cookie, COOKIE);
	return len;
}

/* the count excludes a fetched orphan before the channel is unlocked */
static void fetch_orphan(struct kunit *test)
{
	struct kc *kc = new_channel(test, true);
	ssize_t len;

	queue_orphan(kc);
	queue_orphan(kc);
	expect_counts(kc, 2);
	make_pending(kc);
	len = fetch_event(kc);
	expect_seen(kc, 1);
	KUNIT_EXPECT_EQ(test, len, sizeof(u64));
	KUNIT_EXPECT_EQ(test, fetch_event(kc), sizeof(u64));
	expect_counts(kc, 0);
	KUNIT_EXPECT_EQ(test, fetch_event(kc), -EAGAIN);
}

/* the counts exclude all orphans before a closed channel is unlocked */
static void drop_orphans(struct kunit *test)
{
	struct kc *kc = new_channel(test, true);
	int i;

	for (i = 0; i < 5; i++)
		queue_orphan(kc);
	expect_counts(kc, 5);
	make_pending(kc);
	ibx_devx_channel_empty(&kc->ch);
	expect_seen(kc, 0);
	KUNIT_EXPECT_EQ(test, fetch_event(kc), -EIO);
	expect_counts(kc, 0);
}

/* a subscription that has not ended can raise events after each fetch */
static void fetch_and_end(struct kunit *test)
{
	struct kc *kc = new_channel(test, true);
	struct ibx_devx_sub *sub = new_sub(kc);
	int i;

	for (i = 0; i < 2; i++) {
		raise_event(sub);
		raise_event(sub);
		KUNIT_EXPECT_EQ(test, fetch_event(kc), sizeof(u64));
		KUNIT_EXPECT_EQ(test, fetch_event(kc), -EAGAIN);
		expect_counts(kc, 1);
	}
	ibx_devx_sub_free(sub);
	expect_counts(kc, 0);
}

/* events with data do not count as orphans: they contain no subscription */
static void end_with_data(struct kunit *test)
{
	struct kc *kc = new_channel(test, false);
	struct ibx_devx_sub *sub = new_sub(kc);
	int i;

	for (i = 0; i < 3; i++)
		raise_event(sub);
	ibx_devx_sub_free(sub);
	expect_counts(kc, 0);
	KUNIT_EXPECT_EQ(test, fetch_event(kc), sizeof(struct ibx_devx_event));
	expect_counts(kc, 0);
	ibx_devx_channel_empty(&kc->ch);
	expect_counts(kc, 0);
	KUNIT_EXPECT_EQ(test, fetch_event(kc), -EIO);
}

static struct kunit_case devx_channel_cases[] = {
	KUNIT_CASE(fetch_orphan),
	KUNIT_CASE(drop_orphans),
	KUNIT_CASE(fetch_and_end),
	KUNIT_CASE(end_with_data),
	{}
};

static struct kunit_suite devx_channel_suite = {
	.name = "mlx5_ibx_devx_channel",
	.test_cases = devx_channel_cases,
};

kunit_test_suite(devx_channel_suite);
