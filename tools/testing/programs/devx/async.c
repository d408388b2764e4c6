// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queries that do not wait for their responses.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devx.h"

#define QUERIES		32u
#define WAIT_MS		120000
#define BIG		65000u
#define BIG_RESPS	16u	/* 16 responses stay below 1 MiB */
#define RESP_LEN	BYTES(query_q_counter_out)

/* a set of queue counters, and the channel that receives the responses to queries of the set */
struct asker {
	struct end e;
	struct made set;
	struct mlx5dv_devx_cmd_comp *comp;
	struct mlx5dv_devx_async_cmd_hdr *resp;
};

static void open_asker(struct asker *a, const char *device)
{
	open_end(&a->e, device);
	a->set = create_plain(&a->e, MLX5_CMD_OP_ALLOC_Q_COUNTER);
	a->comp = mlx5dv_devx_create_cmd_comp(a->e.ctx);
	a->resp = malloc(sizeof(*a->resp) + BIG);
	if (!a->set.obj || !a->comp || !a->resp)
		die("no place for responses: %s", strerror(errno));
}

static void close_asker(struct asker *a)
{
	mlx5dv_devx_destroy_cmd_comp(a->comp);
	free(a->resp);
	destroy(&a->set, "queue counters");
	close_end(&a->e);
}

static int ask_for(struct asker *a, u32 set, u64 wr_id, size_t outlen)
{
	u8 in[BYTES(query_q_counter_in)] = {};

	SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_QUERY_Q_COUNTER);
	SET(query_q_counter_in, in, counter_set_id, set);
	return mlx5dv_devx_obj_query_async(a->set.obj, in, sizeof(in), outlen, wr_id, a->comp);
}

static int ask(struct asker *a, u64 wr_id, size_t outlen)
{
	return ask_for(a, a->set.nr, wr_id, outlen);
}

static int get(struct asker *a, size_t outlen)
{
	return mlx5dv_devx_get_async_cmd_comp(a->comp, a->resp, sizeof(*a->resp) + outlen);
}

static bool is_ready(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1 && p.revents == POLLIN;
}

static void async_queries(const char *device)
{
	struct asker a;
	unsigned int i;
	u64 seen = 0;

	open_asker(&a, device);
	if (is_ready(a.comp->fd, 0))
		tell("a response, but no query");
	for (i = 0; i < QUERIES; i++)
		want_errno("query", ask(&a, 1000 + i, RESP_LEN), 0);
	if (!is_ready(a.comp->fd, WAIT_MS))
		die("no response");
	want_errno("response without space", get(&a, RESP_LEN - 1), ENOSPC);
	for (i = 0; i < QUERIES; i++) {
		memset(a.resp, 0xee, sizeof(*a.resp) + RESP_LEN);
		want_errno("response", get(&a, RESP_LEN), 0);
		if (GET(query_q_counter_out, a.resp->out_data, status))
			tell("response %u has a status", i);
		if (a.resp->wr_id - 1000 >= QUERIES)
			tell("response %u has number %#llx", i, (unsigned long long)a.resp->wr_id);
		else
			seen |= 1ull << (a.resp->wr_id - 1000);
	}
	if (seen != (1ull << QUERIES) - 1)
		tell("responses %#llx", (unsigned long long)seen);
	fcntl(a.comp->fd, F_SETFL, O_NONBLOCK);
	want_errno("no response", get(&a, RESP_LEN), EAGAIN);
	close_asker(&a);
}

/*
 * Refused: a query of another set of counters, a command that is no query, and a
 * query of the set through an object of another kind.
 */
static void async_refused(const char *device)
{
	u8 in[BYTES(query_q_counter_in)] = {};
	struct asker a;
	struct made pd;

	open_asker(&a, device);
	pd = create_plain(&a.e, MLX5_CMD_OP_ALLOC_PD);
	want_errno("another set", ask_for(&a, a.set.nr + 1, 0, RESP_LEN), EINVAL);
	SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_ALLOC_PD);
	want_errno("no query", mlx5dv_devx_obj_query_async(a.set.obj, in, sizeof(in), RESP_LEN, 0,
							   a.comp), EINVAL);
	SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_QUERY_Q_COUNTER);
	SET(query_q_counter_in, in, counter_set_id, a.set.nr);
	want_errno("object of another kind",
		   mlx5dv_devx_obj_query_async(pd.obj, in, sizeof(in), RESP_LEN, 0, a.comp),
		   EINVAL);
	destroy(&pd, "PD");
	close_asker(&a);
}

/* the device refuses a query whose response has space for 16 bytes, and returns a status */
static void async_short(const char *device)
{
	struct asker a;

	open_asker(&a, device);
	want_errno("query", ask(&a, 7, 16), 0);
	want_errno("response", get(&a, 16), 0);
	if (a.resp->wr_id != 7 || !GET(query_q_counter_out, a.resp->out_data, status))
		tell("number %u status %u", (u32)a.resp->wr_id,
		     (u32)GET(query_q_counter_out, a.resp->out_data, status));
	close_asker(&a);
}

/* the unread responses fill 1 MiB: the driver refuses a query until a response has been read */
static void async_overflow(const char *device)
{
	struct asker a;
	unsigned int i;

	open_asker(&a, device);
	for (i = 0; i < BIG_RESPS; i++)
		want_errno("query", ask(&a, i, BIG), 0);
	want_errno("one too many", ask(&a, i, BIG), EAGAIN);
	want_errno("response", get(&a, BIG), 0);
	want_errno("query", ask(&a, i, BIG), 0);
	want_errno("one too many", ask(&a, i, BIG), EAGAIN);
	/*
	 * closing the file drops the unread responses, some before they have
	 * arrived
	 */
	close_asker(&a);
}

/* the process ends with outstanding queries and unread responses */
static void async_left(const char *device)
{
	struct asker a;
	unsigned int i;

	open_asker(&a, device);
	for (i = 0; i < QUERIES; i++)
		want_errno("query", ask(&a, i, RESP_LEN), 0);
	_exit(faults ? 1 : 0);
}

/* no query is outstanding: the read of a response blocks until the device is removed */
static void async_unbound(const char *device)
{
	struct asker a;

	open_asker(&a, device);
	puts("ready");
	fflush(stdout);
	want_errno("response of a removed device", get(&a, RESP_LEN), EIO);
	if (!is_ready(a.comp->fd, 0))
		tell("poll() waits for a removed device");
	_exit(faults ? 1 : 0);
}

const struct test async_tests[] = {
	{ "async_queries", async_queries },
	{ "async_refused", async_refused },
	{ "async_short", async_short },
	{ "async_overflow", async_overflow },
	{ "async_left", async_left },
	{ "async_unbound", async_unbound },
	{}
};
