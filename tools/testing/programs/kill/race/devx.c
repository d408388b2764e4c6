// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rounds of the threads that use objects of DEVX. One thread registers UMEMs. One moves data with a
 * CQ, a QP and an mkey, and reads their events. One closes channels while events arrive. One sends
 * asynchronous queries. One waits for events, and at last for an event that does not arrive.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "race.h"

#define UMEMS		8
#define MOVES		6
#define CHANNELS	4
#define QUERIES		8
#define COMP		0x00
#define QP_ERROR	0x11
#define READS		40	/* reader_round() posts no WRITE from this round on */

static bool destroyed(struct made *m, const char *what)
{
	int err = mlx5dv_devx_obj_destroy(m->obj);

	if (!err)
		return true;
	errno = err;
	return failed(what);
}

bool umems_round(struct worker *w)
{
	struct mlx5dv_devx_umem *umems[UMEMS];
	int dmabuf, i, err;
	u8 *mem;

	dmabuf = open_dmabuf(MEM_BYTES, &mem);
	for (i = 0; i < UMEMS; i++) {
		if (draw(w, 2))
			umems[i] = reg_dmabuf(&w->e, dmabuf, 0, 1 + draw(w, MEM_BYTES));
		else
			umems[i] = mlx5dv_devx_umem_reg(w->e.ctx, w->e.mem + draw(w, PAGE),
							1 + draw(w, 5 * PAGE),
							IBV_ACCESS_LOCAL_WRITE);
		if (!umems[i])
			break;
	}
	close(dmabuf);
	munmap(mem, MEM_BYTES);
	if (i < UMEMS)
		return failed("UMEM");
	for (i = 0; i < UMEMS; i++) {
		err = mlx5dv_devx_umem_dereg(umems[i]);
		if (err) {
			errno = err;
			return failed("dereg of a UMEM");
		}
	}
	return true;
}

static struct mlx5dv_devx_event_channel *subscribed(struct worker *w, struct made *m, u16 event,
						    int flags)
{
	struct mlx5dv_devx_event_channel *ch = mlx5dv_devx_create_event_channel(w->e.ctx, flags);

	if (!ch)
		return NULL;
	fcntl(ch->fd, F_SETFL, O_NONBLOCK);
	if (!mlx5dv_devx_subscribe_devx_event(ch, m->obj, sizeof(event), &event, 1))
		return ch;
	mlx5dv_devx_destroy_event_channel(ch);
	return NULL;
}

static void read_events(struct mlx5dv_devx_event_channel *ch)
{
	u64 answer[16];

	while (mlx5dv_devx_get_event(ch, (void *)answer, sizeof(answer)) > 0)
		;
}

/* Creates a CQ, a QP that is connected to itself, and an mkey. Return: false after a failure */
static bool open_mover_of(struct worker *w, struct mover *m)
{
	struct want want;

	memset(m, 0, sizeof(*m));
	m->e = w->e;
	/* the last CQ and QP left values in the doorbell records */
	memset(m->e.mem + AT_DBR_CQ, 0, AT_DBR_QP + 64 - AT_DBR_CQ);
	want = want_of(&m->e);
	m->cq = create_cq(&m->e, &want);
	want.cqn = m->cq.nr;
	m->qp = create_qp(&m->e, &want);
	want.mode = 1;
	m->mkey = create_mkey(&m->e, &want);
	if (!m->cq.obj || !m->qp.obj || !m->mkey.obj)
		return failed("objects of DEVX");
	connect_qp(&m->qp);
	return true;
}

/* Executes a WRITE whose completion raises an event. Return: false if the WRITE failed */
static bool move_once(struct worker *w, struct mover *m)
{
	arm_cq(m);
	return !move(m, key_of(m), 1 + draw(w, PAGE)) || failed("completion");
}

/*
 * Creates a CQ and a QP with subscriptions to both, moves data that causes events, and destroys
 * the objects and the channels, in either order.
 */
bool mover_round(struct worker *w)
{
	struct mlx5dv_devx_event_channel *of_cq, *of_qp;
	u32 i, moves = 1 + draw(w, MOVES);
	bool channels_first = draw(w, 2);
	struct mover m;

	if (!open_mover_of(w, &m))
		return false;
	of_cq = subscribed(w, &m.cq, COMP, 0);
	of_qp = subscribed(w, &m.qp, QP_ERROR, 0);
	if (!of_cq || !of_qp)
		return failed("subscription");
	for (i = 0; i < moves; i++) {
		if (!move_once(w, &m))
			return false;
		read_events(of_cq);
	}
	/* a WRITE with an invalid rkey raises an error event of the QP */
	if (draw(w, 2))
		move(&m, key_of(&m) ^ 1, 64);
	if (channels_first) {
		mlx5dv_devx_destroy_event_channel(of_qp);
		mlx5dv_devx_destroy_event_channel(of_cq);
	}
	if (!destroyed(&m.qp, "QP") || !destroyed(&m.mkey, "mkey") || !destroyed(&m.cq, "CQ"))
		return false;
	if (!channels_first) {
		mlx5dv_devx_destroy_event_channel(of_cq);
		mlx5dv_devx_destroy_event_channel(of_qp);
	}
	return true;
}

/* Return: the mover of this thread, which exists until the process ends; NULL after a failure */
static struct mover *own_mover(struct worker *w)
{
	static __thread struct mover m;

	if (m.qp.obj || open_mover_of(w, &m))
		return &m;
	return NULL;
}

/* closes channels while events arrive in them */
bool channels_round(struct worker *w)
{
	const int omit = MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA;
	struct mlx5dv_devx_event_channel *ch[CHANNELS];
	struct mover *m = own_mover(w);
	int i, fd = eventfd(0, EFD_NONBLOCK);

	if (!m || fd < 0)
		return failed("eventfd");
	for (i = 0; i < CHANNELS; i++) {
		ch[i] = subscribed(w, &m->cq, COMP, draw(w, 2) ? omit : 0);
		if (!ch[i])
			return failed("subscription");
	}
	if (mlx5dv_devx_subscribe_devx_event_fd(ch[0], fd, m->cq.obj, COMP))
		return failed("eventfd of a CQ");
	close(fd);
	for (i = 0; i < CHANNELS; i++) {
		if (!move_once(w, m))
			return false;
		if (draw(w, 2))
			read_events(ch[i]);
		mlx5dv_devx_destroy_event_channel(ch[i]);
	}
	return true;
}

/* closes the channel of responses with outstanding queries and unread responses */
bool queries_round(struct worker *w)
{
	struct made set = create_plain(&w->e, MLX5_CMD_OP_ALLOC_Q_COUNTER);
	struct mlx5dv_devx_cmd_comp *comp = mlx5dv_devx_create_cmd_comp(w->e.ctx);
	u64 answer[2 + BYTES(query_q_counter_out) / 8];
	u8 in[BYTES(query_q_counter_in)] = {};
	u32 i, reads = draw(w, QUERIES + 1);

	if (!set.obj || !comp)
		return failed("place for answers");
	SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_QUERY_Q_COUNTER);
	SET(query_q_counter_in, in, counter_set_id, set.nr);
	for (i = 0; i < QUERIES; i++) {
		errno = mlx5dv_devx_obj_query_async(set.obj, in, sizeof(in),
						    BYTES(query_q_counter_out), i, comp);
		if (errno)
			return failed("query");
	}
	for (i = 0; i < reads; i++) {
		errno = mlx5dv_devx_get_async_cmd_comp(comp, (void *)answer, sizeof(answer));
		if (errno)
			return failed("answer");
	}
	if (draw(w, 2)) {
		mlx5dv_devx_destroy_cmd_comp(comp);
		return destroyed(&set, "counters");
	}
	if (!destroyed(&set, "counters"))
		return false;
	mlx5dv_devx_destroy_cmd_comp(comp);
	return true;
}

/*
 * Waits for an event of the CQ of this thread. From round READS on, no event arrives, and the
 * thread sleeps until the process is killed or the device is removed.
 */
bool reader_round(struct worker *w)
{
	static __thread struct mlx5dv_devx_event_channel *ch;
	static __thread u32 rounds;
	struct mover *m = own_mover(w);
	u64 answer[16];

	if (!m)
		return false;
	if (!ch) {
		ch = subscribed(w, &m->cq, COMP, 0);
		if (!ch)
			return failed("subscription");
		fcntl(ch->fd, F_SETFL, 0);
	}
	if (++rounds < READS && !move_once(w, m))
		return false;
	if (mlx5dv_devx_get_event(ch, (void *)answer, sizeof(answer)) < 0)
		return failed("event");
	return true;
}
