// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The process creates objects of each kind, in a fixed order, and then uses the objects. The seed
 * determines the step at which the process kills itself (SIGKILL). The kernel must destroy the
 * objects of the process.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devx.h"

#define MANY		12
#define WORK_STEPS	60	/* the kill is at one of this many calls of work() */
#define MAX_DELAY_US	3000
#define RESP_LEN	BYTES(query_q_counter_out)

static struct mover m;
static struct made counters, many[MANY];
static struct mlx5dv_devx_umem *umems[MANY];
static struct mlx5dv_devx_cmd_comp *comp;
static struct mlx5dv_devx_event_channel *channel;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static sem_t at_point;
static u32 state;

static u32 below(u32 n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % n;
}

/* ---- steps: create one object of each kind ---- */

static void make_cq(const char *device)
{
	struct want w = want_of(&m.e);

	(void)device;
	m.cq = create_cq(&m.e, &w);
}

static void make_qp(const char *device)
{
	struct want w = want_of(&m.e);

	(void)device;
	w.cqn = m.cq.nr;
	m.qp = create_qp(&m.e, &w);
	if (!m.qp.obj)
		die("no QP: errno %d status %#x", m.qp.err, m.qp.status);
}

static void make_mkey(const char *device)
{
	struct want w = want_of(&m.e);

	(void)device;
	w.mode = 1;
	m.mkey = create_mkey(&m.e, &w);
}

static void open_context(const char *device)
{
	open_end(&m.e, device);
}

static void connect(const char *device)
{
	(void)device;
	connect_qp(&m.qp);
}

static void make_verbs(const char *device)
{
	(void)device;
	cq = ibv_create_cq(m.e.ctx, 8, NULL, NULL, 0);
	mr = ibv_reg_mr(m.e.pd, m.e.mem + AT_DATA, PAGE, IBV_ACCESS_LOCAL_WRITE);
	if (!cq || !mr)
		die("no objects of the verbs: %s", strerror(errno));
}

static void make_counters(const char *device)
{
	(void)device;
	counters = create_plain(&m.e, MLX5_CMD_OP_ALLOC_Q_COUNTER);
}

static void make_files(const char *device)
{
	u16 event = COMP;

	(void)device;
	comp = mlx5dv_devx_create_cmd_comp(m.e.ctx);
	channel = mlx5dv_devx_create_event_channel(m.e.ctx, 0);
	if (!comp || !channel ||
	    mlx5dv_devx_subscribe_devx_event(channel, m.cq.obj, sizeof(event), &event, 1))
		die("no files: %s", strerror(errno));
}

/* posts 8 queries; the process does not read the responses */
static void ask(const char *device)
{
	u8 in[BYTES(query_q_counter_in)] = {};
	u32 i;

	(void)device;
	SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_QUERY_Q_COUNTER);
	SET(query_q_counter_in, in, counter_set_id, counters.nr);
	for (i = 0; i < 8; i++)
		mlx5dv_devx_obj_query_async(counters.obj, in, sizeof(in), RESP_LEN, i, comp);
}

static struct made make_any(u32 kind)
{
	static const u32 plain[] = {
		MLX5_CMD_OP_ALLOC_PD, MLX5_CMD_OP_ALLOC_TRANSPORT_DOMAIN, MLX5_CMD_OP_ALLOC_XRCD,
	};
	struct want w = want_of(&m.e);

	switch (kind) {
	case 0:
		return create_cq(&m.e, &w);
	case 1:
		w.cqn = m.cq.nr;
		return create_qp(&m.e, &w);
	case 2:
		return create_rmp(&m.e, &w);
	case 3:
		return create_psv(&m.e, m.e.pdn, 1);
	case 4:
		return create_klm(&m.e, m.e.pdn, mr->lkey);
	default:
		return create_plain(&m.e, plain[kind % ARRAY_SIZE(plain)]);
	}
}

/* destroys object @i if it exists, and creates it otherwise */
static void change_any(u32 i)
{
	if (many[i].obj) {
		destroy(&many[i], "object");
		return;
	}
	many[i] = make_any(i % 8);
	if (!many[i].obj)
		die("object %u: errno %d status %#x", i, many[i].err, many[i].status);
}

static void make_many(const char *device)
{
	u32 i;

	(void)device;
	for (i = 0; i < MANY; i += 2)
		change_any(i);
}

static void change_umem(u32 i)
{
	if (umems[i]) {
		want_errno("dereg of a UMEM", mlx5dv_devx_umem_dereg(umems[i]), 0);
		umems[i] = NULL;
		return;
	}
	umems[i] = mlx5dv_devx_umem_reg(m.e.ctx, m.e.mem + below(PAGE), 1 + below(5 * PAGE),
					IBV_ACCESS_LOCAL_WRITE);
	if (!umems[i])
		die("no UMEM: %s", strerror(errno));
}

static void make_umems(const char *device)
{
	u32 i;

	(void)device;
	for (i = 0; i < MANY; i++)
		change_umem(i);
}

static void move_some(const char *device)
{
	(void)device;
	arm_cq(&m);
	if (move(&m, key_of(&m), 1 + below(PAGE)))
		die("completion with an error");
}

/* uses or changes an object, chosen at random */
static void work(const char *device)
{
	switch (below(4)) {
	case 0:
		move_some(device);
		break;
	case 1:
		ask(device);
		break;
	case 2:
		change_umem(below(MANY));
		break;
	default:
		change_any(below(MANY));
	}
}

static void *kill_process(void *arg)
{
	sem_wait(&at_point);
	usleep(*(u32 *)arg);
	kill(getpid(), SIGKILL);
	return NULL;
}

/*
 * Seed n kills the process in steps[n - 1]. A seed greater than the number of
 * steps kills it in a call of work(), chosen at random.
 */
static void killed(const char *device)
{
	static void (*const steps[])(const char *device) = {
		open_context, make_cq, make_qp, make_mkey, connect, make_verbs, make_counters,
		make_files, ask, make_many, make_umems, move_some,
	};
	static u32 delay;
	pthread_t thread;
	u32 point, i;

	state = seed;
	point = seed <= ARRAY_SIZE(steps) ? seed - 1 : ARRAY_SIZE(steps) + below(WORK_STEPS);
	delay = below(MAX_DELAY_US);
	printf("SIGKILL %u us after the beginning of step %u\n", delay, point);
	fflush(stdout);
	if (sem_init(&at_point, 0, 0) || pthread_create(&thread, NULL, kill_process, &delay))
		die("no thread");
	for (i = 0;; i++) {
		if (i == point)
			sem_post(&at_point);
		if (i < ARRAY_SIZE(steps))
			steps[i](device);
		else
			work(device);
	}
}

const struct test killed_tests[] = {
	{ "killed", killed },
	{}
};
