// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of DEVX with changed fields and lengths, on objects of this and other threads and
 * processes; asynchronous queries, subscriptions, UMEMs.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fuzz.h"

#define KEPT	12

static __thread struct {
	struct made m;
	enum kind kind;
} kept[KEPT];
static __thread struct mlx5dv_devx_umem *umems[KEPT];
static __thread struct mlx5dv_devx_cmd_comp *comp;
static __thread struct mlx5dv_devx_event_channel *channels[2];
static __thread int dmabuf = -1;

/* Opens the files of the thread: responses, events, and a dma-buf. */
void devx_begin(const struct end *e)
{
	const int omit = MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA;
	u8 *dmabuf_mem;

	comp = mlx5dv_devx_create_cmd_comp(e->ctx);
	channels[0] = mlx5dv_devx_create_event_channel(e->ctx, 0);
	channels[1] = mlx5dv_devx_create_event_channel(e->ctx, omit);
	dmabuf = open_dmabuf(MEM_BYTES, &dmabuf_mem);
	if (!comp || !channels[0] || !channels[1])
		die("no files: %s", strerror(errno));
	fcntl(comp->fd, F_SETFL, O_NONBLOCK);
	fcntl(channels[0]->fd, F_SETFL, O_NONBLOCK);
	fcntl(channels[1]->fd, F_SETFL, O_NONBLOCK);
	note_number(PD, e->pdn);
	note_number(UMEM, e->umem->umem_id);
}

static struct want any_want(const struct end *e)
{
	struct want w = want_of(e);

	w.cqn = any_number(CQ);
	w.mode = below(4);
	if (in_percent(10))
		w.pdn = any_number(PD);
	if (in_percent(15))
		w.ring = any_number(UMEM);
	if (in_percent(15))
		w.dbr = any_number(UMEM);
	if (in_percent(5))
		w.uar = below(1 << 12);
	w.umr = in_percent(20);
	w.rlky = in_percent(5);
	w.fre = in_percent(5);
	w.pas = in_percent(5);
	return w;
}

static struct made create_any(struct end *e, enum kind *kind)
{
	static const struct {
		enum kind kind;
		u16 opcode;
	} plain[] = {
		{ PD, MLX5_CMD_OP_ALLOC_PD },
		{ DOMAIN, MLX5_CMD_OP_ALLOC_TRANSPORT_DOMAIN },
		{ XRCD, MLX5_CMD_OP_ALLOC_XRCD },
		{ COUNTERS, MLX5_CMD_OP_ALLOC_Q_COUNTER },
		{ GENERAL, MLX5_CMD_OP_CREATE_GENERAL_OBJECT },
	};
	struct want w = any_want(e);
	u32 i;

	*kind = below(PSV + 1);
	switch (*kind) {
	case CQ:
		return create_cq(e, &w);
	case QP:
		w.mode = 0;
		return create_qp(e, &w);
	case RMP:
		return create_rmp(e, &w);
	case MKEY:
		if (in_percent(50))
			return create_mkey(e, &w);
		return create_klm(e, w.pdn, any_number(MKEY) << 8 | 0x42);
	case PSV:
		return create_psv(e, w.pdn, 1 + below(2));
	default:
		i = below(ARRAY_SIZE(plain));
		*kind = plain[i].kind;
		return create_plain(e, plain[i].opcode);
	}
}

static enum kind fill_command(u8 *in, size_t space, size_t *len)
{
	static const struct {
		u16 opcode;
		enum kind kind;
	} ops[] = {
		{ MLX5_CMD_OP_QUERY_MKEY, MKEY }, { MLX5_CMD_OP_QUERY_CQ, CQ },
		{ MLX5_CMD_OP_MODIFY_CQ, CQ }, { MLX5_CMD_OP_QUERY_QP, QP },
		{ MLX5_CMD_OP_RST2INIT_QP, QP }, { MLX5_CMD_OP_INIT2RTR_QP, QP },
		{ MLX5_CMD_OP_RTR2RTS_QP, QP }, { MLX5_CMD_OP_RTS2RTS_QP, QP },
		{ MLX5_CMD_OP_SQERR2RTS_QP, QP }, { MLX5_CMD_OP_2ERR_QP, QP },
		{ MLX5_CMD_OP_2RST_QP, QP }, { MLX5_CMD_OP_INIT2INIT_QP, QP },
		{ MLX5_CMD_OP_QUERY_RMP, RMP }, { MLX5_CMD_OP_MODIFY_RMP, RMP },
		{ MLX5_CMD_OP_QUERY_Q_COUNTER, COUNTERS },
		{ MLX5_CMD_OP_QUERY_GENERAL_OBJECT, GENERAL },
		{ MLX5_CMD_OP_MODIFY_GENERAL_OBJECT, GENERAL },
	};
	u32 i = below(ARRAY_SIZE(ops));
	u16 opcode = in_percent(95) ? ops[i].opcode : below(0x1000);

	memset(in, 0, space);
	SET(query_qp_in, in, opcode, opcode);
	SET(query_qp_in, in, qpn, any_number(ops[i].kind));
	*len = in_percent(50) ? BYTES(rst2init_qp_in) : BYTES(query_qp_in);
	*len = mutate_command(in, *len, space);
	return ops[i].kind;
}

/* sends a command of DEVX with the handle of a verbs object */
static void command_verbs(const u8 *in, size_t len, u8 *out, size_t outlen)
{
	struct ibv_cq *cq = any_cq();
	struct ibv_qp *qp = any_qp();
	struct ibv_srq *srq = any_srq();
	bool query = in_percent(50);

	switch (below(3)) {
	case 0:
		if (cq && query)
			mlx5dv_devx_cq_query(cq, in, len, out, outlen);
		else if (cq)
			mlx5dv_devx_cq_modify(cq, in, len, out, outlen);
		break;
	case 1:
		if (srq && query)
			mlx5dv_devx_srq_query(srq, in, len, out, outlen);
		else if (srq)
			mlx5dv_devx_srq_modify(srq, in, len, out, outlen);
		break;
	default:
		if (qp && query)
			mlx5dv_devx_qp_query(qp, in, len, out, outlen);
		else if (qp)
			mlx5dv_devx_qp_modify(qp, in, len, out, outlen);
	}
}

static void change_object(struct end *e, struct made *m, enum kind kind)
{
	static __thread u8 in[BOX_MAX], out[BOX_MAX];
	size_t len, outlen = in_percent(80) ? 512 : below(sizeof(out));
	u32 tries = 8;

	/* most commands match the kind of @m, and most have the number of @m */
	while (fill_command(in, sizeof(in), &len) != kind && --tries)
		;
	if (in_percent(70))
		SET(query_qp_in, in, qpn, m->nr);
	switch (below(5)) {
	case 0:
		mlx5dv_devx_obj_query(m->obj, in, len, out, outlen);
		break;
	case 1:
		mlx5dv_devx_obj_query_async(m->obj, in, len, outlen, below(100), comp);
		break;
	case 2:
		mlx5dv_devx_general_cmd(e->ctx, in, len, out, outlen);
		break;
	case 3:
		command_verbs(in, len, out, outlen);
		break;
	default:
		mlx5dv_devx_obj_modify(m->obj, in, len, out, outlen);
	}
}

static void change_umem(struct end *e, struct mlx5dv_devx_umem **umem)
{
	if (!*umem && in_percent(20))
		*umem = reg_dmabuf(e, in_percent(90) ? dmabuf : (int)below(20), below(MEM_BYTES),
				   below(2 * PAGE));
	else if (!*umem)
		*umem = mlx5dv_devx_umem_reg(e->ctx, e->mem + below(MEM_BYTES), 1 + below(2 * PAGE),
					     below(8));
	else if (!mlx5dv_devx_umem_dereg(*umem))
		*umem = NULL;
	if (*umem)
		note_number(UMEM, (*umem)->umem_id);
}

static void subscribe_eventfd(struct mlx5dv_devx_event_channel *ch, struct mlx5dv_devx_obj *obj,
			      u16 event)
{
	int fd = in_percent(80) ? eventfd(0, EFD_NONBLOCK) : (int)below(16);

	mlx5dv_devx_subscribe_devx_event_fd(ch, fd, obj, event);
	/* The subscription holds a reference to the eventfd. Files below 16 stay open. */
	if (fd >= 16)
		close(fd);
}

static void use_files(struct mlx5dv_devx_obj *obj)
{
	static __thread u64 resp[BOX_MAX / 8 + 2];
	static const u16 all[] = { 0, 4, 9, 0x11, 0x14, 0x27, 0xffff };
	struct mlx5dv_devx_event_channel *ch = channels[below(2)];
	u16 events[20];
	u32 i, n = in_percent(80) ? 1 : 1 + below(ARRAY_SIZE(events));

	for (i = 0; i < n; i++)
		events[i] = all[in_percent(80) ? 0 : below(ARRAY_SIZE(all))];
	switch (below(4)) {
	case 0:
		mlx5dv_devx_subscribe_devx_event(ch, obj, n * sizeof(u16), events, below(100));
		break;
	case 1:
		subscribe_eventfd(ch, obj, events[0]);
		break;
	case 2:
		mlx5dv_devx_get_event(ch, (void *)resp, below(100));
		break;
	default:
		mlx5dv_devx_get_async_cmd_comp(comp, (void *)resp, 8 + below(sizeof(resp) - 8));
	}
}

static void change_any(struct end *e, u32 i)
{
	struct made *m = &kept[i].m;

	if (!m->obj) {
		*m = create_any(e, &kept[i].kind);
		if (m->obj)
			note_number(kept[i].kind, m->nr);
	} else if (in_percent(80)) {
		change_object(e, m, kept[i].kind);
	} else if (!mlx5dv_devx_obj_destroy(m->obj)) {
		m->obj = NULL;
	}
}

/* One random call. */
void devx_step(struct end *e)
{
	u32 i = below(KEPT);

	switch (below(8)) {
	case 0:
		change_umem(e, &umems[i]);
		break;
	case 1:
		use_files(kept[i].m.obj);
		break;
	default:
		change_any(e, i);
	}
}
