// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Limits of the number of subscriptions and of outstanding commands; and events of one context
 * while another context has thousands of subscriptions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devx.h"

#define OTHERS		128u	/* CQs of another context */
#define PER_OTHER	32u	/* subscriptions to each of these CQs */
#define PER_EVENT	64u	/* subscriptions to one event of an object */
#define PER_CHANNEL	16384u
#define PER_CONTEXT	65536u
#define DEVICE_EVENTS	256u	/* subscriptions of a context to events of the device */
#define BIG_COMMAND	32768u
#define MAX_QUERIES	64u

static u16 qp_events[] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x07, 0x10, 0x11, 0x12, 0x13, 0x14,
};

/* events of a CQ while another context has 4096 subscriptions; prints the number of that CQ */
static void limit_others(const char *device)
{
	struct mlx5dv_devx_event_channel *ch, *many;
	struct made cqs[OTHERS];
	unsigned int i, j;
	struct mover m;
	struct want w;
	struct end e;

	open_end(&e, device);
	w = want_of(&e);
	many = open_channel(&e, false);
	for (i = 0; i < OTHERS; i++) {
		cqs[i] = create_cq(&e, &w);
		if (!cqs[i].obj)
			die("CQ %u: errno %d", i, cqs[i].err);
		for (j = 0; j < PER_OTHER; j++)
			want_errno("subscription", subscribe(many, &cqs[i], COMP), 0);
	}
	open_mover(&m, device);
	ch = open_channel(&m.e, false);
	want_errno("subscription", subscribe(ch, &m.cq, COMP), 0);
	printf("victim %#x\n", m.cq.nr);
	for (i = 0; i < 4; i++) {
		arm_cq(&m);
		move(&m, key_of(&m), 64);
		want_event(ch, COMP, m.cq.nr);
	}
	mlx5dv_devx_destroy_event_channel(ch);
	close_mover(&m);
	mlx5dv_devx_destroy_event_channel(many);
	for (i = 0; i < OTHERS; i++)
		destroy(&cqs[i], "CQ");
	close_end(&e);
}

static int subscribe_all(struct mlx5dv_devx_event_channel *ch, struct made *m, u16 *events,
			 size_t bytes)
{
	return mlx5dv_devx_subscribe_devx_event(ch, m->obj, bytes, events, COOKIE) ? errno : 0;
}

/* the limit PER_EVENT counts the subscriptions of two channels to one event of one object */
static void limit_object(const char *device)
{
	static u16 both[] = { CQ_ERROR, COMP };
	struct mlx5dv_devx_event_channel *first, *second;
	struct made cq, next;
	struct want w;
	struct end e;
	unsigned int i;

	open_end(&e, device);
	w = want_of(&e);
	cq = create_cq(&e, &w);
	next = create_cq(&e, &w);
	first = open_channel(&e, false);
	second = open_channel(&e, true);
	for (i = 0; i < PER_EVENT; i++)
		want_errno("subscription", subscribe(i ? first : second, &cq, COMP), 0);
	want_errno("one too many", subscribe(first, &cq, COMP), ENOSPC);
	want_errno("one too many of another channel", subscribe(second, &cq, COMP), ENOSPC);
	want_errno("one of two too many", subscribe_all(first, &cq, both, sizeof(both)), ENOSPC);
	want_errno("another object", subscribe(first, &next, COMP), 0);
	/* refused subscriptions do not count */
	for (i = 0; i < PER_EVENT; i++)
		want_errno("another event", subscribe(first, &cq, CQ_ERROR), 0);
	want_errno("one too many of that", subscribe(first, &cq, CQ_ERROR), ENOSPC);
	mlx5dv_devx_destroy_event_channel(second);
	want_errno("after a channel was closed", subscribe(first, &cq, COMP), 0);
	want_errno("one too many again", subscribe(first, &cq, COMP), ENOSPC);
	destroy(&cq, "CQ");
	destroy(&next, "CQ");
	mlx5dv_devx_destroy_event_channel(first);
	close_end(&e);
}

/**
 * struct filler - QPs whose events channels subscribe to
 * @e: context
 * @cq: CQ of the QPs
 * @qps: QPs, of which @made exist
 * @made: number of QPs
 * @left: subscriptions that are left for each event of the last QP
 */
struct filler {
	struct end e;
	struct made cq;
	struct made qps[PER_CONTEXT / (ARRAY_SIZE(qp_events) * PER_EVENT) + 2];
	unsigned int made, left;
};

static void open_filler(struct filler *f, const char *device)
{
	struct want w;

	memset(f, 0, sizeof(*f));
	open_end(&f->e, device);
	w = want_of(&f->e);
	f->cq = create_cq(&f->e, &w);
}

static struct made *current_qp(struct filler *f)
{
	struct want w = want_of(&f->e);

	if (f->left)
		return &f->qps[f->made - 1];
	if (f->made == ARRAY_SIZE(f->qps))
		die("more than %u subscriptions", PER_CONTEXT);
	w.cqn = f->cq.nr;
	f->qps[f->made] = create_qp(&f->e, &w);
	if (!f->qps[f->made].obj)
		die("QP %u: errno %d", f->made, f->qps[f->made].err);
	f->left = PER_EVENT;
	return &f->qps[f->made++];
}

/* Subscribes until the driver refuses, at most @max times. Return: number of subscriptions */
static unsigned int fill_channel(struct filler *f, struct mlx5dv_devx_event_channel *ch,
				 unsigned int max)
{
	const unsigned int each = ARRAY_SIZE(qp_events);
	unsigned int n;
	int err = 0;

	for (n = 0; n + each <= max; n += each) {
		err = subscribe_all(ch, current_qp(f), qp_events, sizeof(qp_events));
		if (err)
			break;
		f->left--;
	}
	if (!err)
		return n;
	want_errno("eleven too many", err, ENOSPC);
	/*
	 * The channel has space for less than eleven subscriptions: fill it with one event.
	 */
	for (; !(err = subscribe(ch, current_qp(f), qp_events[0])); n++)
		f->left--;
	want_errno("one too many", err, ENOSPC);
	return n;
}

static void close_filler(struct filler *f)
{
	unsigned int i;

	for (i = 0; i < f->made; i++)
		destroy(&f->qps[i], "QP");
	destroy(&f->cq, "CQ");
	close_end(&f->e);
}

static void limit_channel(const char *device)
{
	static struct filler f;
	struct mlx5dv_devx_event_channel *ch, *other;
	unsigned int n;

	open_filler(&f, device);
	ch = open_channel(&f.e, false);
	other = open_channel(&f.e, false);
	n = fill_channel(&f, ch, 2 * PER_CHANNEL);
	if (n != PER_CHANNEL)
		tell("%u subscriptions of a channel", n);
	want_errno("another channel", subscribe(other, &f.cq, COMP), 0);
	want_errno("the channel", subscribe(ch, &f.cq, COMP), ENOSPC);
	/* the destruction of a QP ends the subscriptions to its events */
	f.made--;
	destroy(&f.qps[f.made], "QP");
	want_errno("after an object was destroyed", subscribe(ch, &f.cq, COMP), 0);
	mlx5dv_devx_destroy_event_channel(ch);
	mlx5dv_devx_destroy_event_channel(other);
	close_filler(&f);
}

static void limit_context(const char *device)
{
	struct mlx5dv_devx_event_channel *ch[PER_CONTEXT / PER_CHANNEL], *one, *apart;
	static struct filler f;
	unsigned int i, n;
	struct made cq;
	struct want w;
	struct end e;

	open_filler(&f, device);
	for (i = 0; i < ARRAY_SIZE(ch); i++) {
		ch[i] = open_channel(&f.e, i & 1);
		n = fill_channel(&f, ch[i], 2 * PER_CHANNEL);
		if (n != PER_CHANNEL)
			tell("%u subscriptions of channel %u", n, i);
	}
	one = open_channel(&f.e, false);
	want_errno("the context", subscribe(one, &f.cq, COMP), ENOSPC);
	want_errno("event of the device", subscribe(one, NULL, PORT_CHANGE), ENOSPC);
	open_end(&e, device);
	w = want_of(&e);
	cq = create_cq(&e, &w);
	apart = open_channel(&e, false);
	want_errno("another context", subscribe(apart, &cq, COMP), 0);
	mlx5dv_devx_destroy_event_channel(ch[0]);
	want_errno("after a channel was closed", subscribe(one, &f.cq, COMP), 0);
	for (i = 0; i < DEVICE_EVENTS; i++)
		want_errno("event of the device", subscribe(one, NULL, PORT_CHANGE), 0);
	want_errno("one too many of the device", subscribe(one, NULL, PORT_CHANGE), ENOSPC);
	want_errno("event of the device", subscribe(apart, NULL, PORT_CHANGE), 0);
	mlx5dv_devx_destroy_event_channel(apart);
	destroy(&cq, "CQ");
	close_end(&e);
	mlx5dv_devx_destroy_event_channel(one);
	for (i = 1; i < ARRAY_SIZE(ch); i++)
		mlx5dv_devx_destroy_event_channel(ch[i]);
	close_filler(&f);
}

/* closes a channel without data that has unread events of a destroyed CQ */
static void limit_close(const char *device)
{
	struct mlx5dv_devx_event_channel *omit, *full;
	struct mover gone, stays;
	unsigned int i;

	open_mover(&gone, device);
	open_mover(&stays, device);
	omit = open_channel(&gone.e, true);
	full = open_channel(&stays.e, false);
	for (i = 0; i < PER_EVENT; i++) {
		want_errno("subscription", subscribe(omit, &gone.cq, COMP), 0);
		want_errno("subscription", subscribe(full, &stays.cq, COMP), 0);
	}
	arm_cq(&gone);
	move(&gone, key_of(&gone), 64);
	arm_cq(&stays);
	move(&stays, key_of(&stays), 64);
	want_event(full, COMP, stays.cq.nr);
	sleep(1);
	destroy(&gone.qp, "QP");
	destroy(&gone.cq, "CQ");
	mlx5dv_devx_destroy_event_channel(omit);
	mlx5dv_devx_destroy_event_channel(full);
	close_mover(&gone);
	close_mover(&stays);
}

/* the long commands of outstanding queries may have 1 MiB; the test makes the device slow */
static void limit_commands(const char *device)
{
	static u8 in[BIG_COMMAND];
	struct mlx5dv_devx_async_cmd_hdr *resp;
	struct mlx5dv_devx_cmd_comp *comp;
	struct made set;
	unsigned int i;
	struct end e;
	int err = 0;

	open_end(&e, device);
	set = create_plain(&e, MLX5_CMD_OP_ALLOC_Q_COUNTER);
	comp = mlx5dv_devx_create_cmd_comp(e.ctx);
	resp = malloc(sizeof(*resp) + 16);
	if (!set.obj || !comp || !resp)
		die("no place for responses: %s", strerror(errno));
	SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_QUERY_Q_COUNTER);
	SET(query_q_counter_in, in, counter_set_id, set.nr);
	for (i = 0; i < MAX_QUERIES && !err; i++)
		err = mlx5dv_devx_obj_query_async(set.obj, in, sizeof(in), 16, i, comp);
	want_errno("too many bytes of commands", err, EAGAIN);
	i--;
	if (i != (1 << 20) / (BIG_COMMAND + 16))
		tell("%u commands of %u bytes under way", i, BIG_COMMAND);
	/* a completed command frees its bytes */
	want_errno("response", mlx5dv_devx_get_async_cmd_comp(comp, resp, sizeof(*resp) + 16), 0);
	want_errno("next query",
		   mlx5dv_devx_obj_query_async(set.obj, in, sizeof(in), 16, i, comp), 0);
	mlx5dv_devx_destroy_cmd_comp(comp);
	free(resp);
	destroy(&set, "queue counters");
	close_end(&e);
}

const struct test limit_tests[] = {
	{ "limit_others", limit_others },
	{ "limit_object", limit_object },
	{ "limit_channel", limit_channel },
	{ "limit_context", limit_context },
	{ "limit_close", limit_close },
	{ "limit_commands", limit_commands },
	{}
};
