// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of DEVX with fields and lengths that are changed, on objects that exist, and those of
 * others; queries that do not wait, subscriptions, UMEMs.
 */
#include <fcntl.h>
#include <string.h>

#include "fuzz.h"

#define KEPT	32

static struct end e;
static struct made kept[KEPT];
static struct mlx5dv_devx_umem *umems[KEPT];
static struct mlx5dv_devx_cmd_comp *comp;
static struct mlx5dv_devx_event_channel *channels[2];
static int dmabuf;

void devx_begin(const char *device)
{
	const int omit = MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA;
	u8 *dmabuf_mem;

	open_end(&e, device);
	fuzzed_fd = e.ctx->cmd_fd;
	comp = mlx5dv_devx_create_cmd_comp(e.ctx);
	channels[0] = mlx5dv_devx_create_event_channel(e.ctx, 0);
	channels[1] = mlx5dv_devx_create_event_channel(e.ctx, omit);
	dmabuf = open_dmabuf(MEM_BYTES, &dmabuf_mem);
	if (!comp || !channels[0] || !channels[1])
		die("no files: %s", strerror(errno));
	fcntl(comp->fd, F_SETFL, O_NONBLOCK);
	fcntl(channels[0]->fd, F_SETFL, O_NONBLOCK);
	fcntl(channels[1]->fd, F_SETFL, O_NONBLOCK);
}

/* mostly the number of an object, or one near it */
static u32 any_number(void)
{
	return in_percent(90) ? kept[below(KEPT)].nr : below(1 << 24);
}

static struct want any_want(void)
{
	struct want w = want_of(&e);

	w.cqn = any_number();
	w.mode = below(4);
	if (in_percent(10))
		w.pdn = any_number();
	if (in_percent(10))
		w.ring = below(64);
	if (in_percent(10))
		w.dbr = below(64);
	w.umr = in_percent(20);
	w.rlky = in_percent(10);
	w.pas = in_percent(10);
	return w;
}

static struct made create_any(void)
{
	static const u16 plain[] = {
		MLX5_CMD_OP_ALLOC_PD, MLX5_CMD_OP_ALLOC_TRANSPORT_DOMAIN, MLX5_CMD_OP_ALLOC_XRCD,
		MLX5_CMD_OP_ALLOC_Q_COUNTER, MLX5_CMD_OP_CREATE_GENERAL_OBJECT,
	};
	struct want w = any_want();

	switch (below(7)) {
	case 0:
		return create_cq(&e, &w);
	case 1:
		w.mode = 0;
		return create_qp(&e, &w);
	case 2:
		return create_rmp(&e, &w);
	case 3:
		return create_mkey(&e, &w);
	case 4:
		return create_klm(&e, w.pdn, any_number() << 8);
	case 5:
		return create_psv(&e, w.pdn, 1 + below(2));
	default:
		return create_plain(&e, plain[below(ARRAY_SIZE(plain))]);
	}
}

static void fill_command(u8 *in, size_t room, size_t *len)
{
	static const u16 ops[] = {
		MLX5_CMD_OP_QUERY_MKEY, MLX5_CMD_OP_QUERY_CQ, MLX5_CMD_OP_MODIFY_CQ,
		MLX5_CMD_OP_QUERY_QP, MLX5_CMD_OP_RST2INIT_QP, MLX5_CMD_OP_INIT2RTR_QP,
		MLX5_CMD_OP_RTR2RTS_QP, MLX5_CMD_OP_RTS2RTS_QP, MLX5_CMD_OP_SQERR2RTS_QP,
		MLX5_CMD_OP_2ERR_QP, MLX5_CMD_OP_2RST_QP, MLX5_CMD_OP_INIT2INIT_QP,
		MLX5_CMD_OP_QUERY_RMP, MLX5_CMD_OP_MODIFY_RMP, MLX5_CMD_OP_QUERY_Q_COUNTER,
		MLX5_CMD_OP_QUERY_GENERAL_OBJECT, MLX5_CMD_OP_MODIFY_GENERAL_OBJECT,
	};

	memset(in, 0, room);
	SET(query_qp_in, in, opcode, in_percent(95) ? ops[below(ARRAY_SIZE(ops))] : below(0x1000));
	SET(query_qp_in, in, qpn, any_number());
	*len = in_percent(50) ? BYTES(rst2init_qp_in) : BYTES(query_qp_in);
	*len = mutate_command(in, *len, room);
}

static void change_object(struct made *m)
{
	static u8 in[BOX_MAX], out[BOX_MAX];
	size_t len, outlen = in_percent(80) ? 512 : below(sizeof(out));

	fill_command(in, sizeof(in), &len);
	/* the right number for the most part */
	if (in_percent(70))
		SET(query_qp_in, in, qpn, m->nr);
	switch (below(4)) {
	case 0:
		mlx5dv_devx_obj_query(m->obj, in, len, out, outlen);
		break;
	case 1:
		mlx5dv_devx_obj_query_async(m->obj, in, len, outlen, below(100), comp);
		break;
	case 2:
		mlx5dv_devx_general_cmd(e.ctx, in, len, out, outlen);
		break;
	default:
		mlx5dv_devx_obj_modify(m->obj, in, len, out, outlen);
	}
}

static void change_umem(struct mlx5dv_devx_umem **umem)
{
	if (!*umem && in_percent(20))
		*umem = reg_dmabuf(&e, in_percent(90) ? dmabuf : (int)below(20), below(MEM_BYTES),
				   below(2 * PAGE));
	else if (!*umem)
		*umem = mlx5dv_devx_umem_reg(e.ctx, e.mem + below(MEM_BYTES), 1 + below(2 * PAGE),
					     below(8));
	else if (!mlx5dv_devx_umem_dereg(*umem))
		*umem = NULL;
}

static void use_files(struct mlx5dv_devx_obj *obj)
{
	static u64 answer[BOX_MAX / 8 + 2];
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
		mlx5dv_devx_subscribe_devx_event_fd(ch, below(16), obj, events[0]);
		break;
	case 2:
		mlx5dv_devx_get_event(ch, (void *)answer, below(100));
		break;
	default:
		mlx5dv_devx_get_async_cmd_comp(comp, (void *)answer, 8 + below(sizeof(answer) - 8));
	}
}

/* One call, or one request without a library. */
void devx_step(void)
{
	struct made *m = &kept[below(KEPT)];

	switch (below(10)) {
	case 0:
		raw_ioctl();
		break;
	case 1:
		raw_write();
		break;
	case 2:
		raw_mmap();
		break;
	case 3:
		change_umem(&umems[below(KEPT)]);
		break;
	case 4:
		use_files(m->obj);
		break;
	case 5:
		verbs_step(e.ctx, e.pd, e.mem);
		break;
	default:
		if (!m->obj)
			*m = create_any();
		else if (in_percent(80))
			change_object(m);
		else if (!mlx5dv_devx_obj_destroy(m->obj))
			m->obj = NULL;
	}
}
