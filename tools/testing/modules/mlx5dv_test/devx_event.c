// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The example samples/devx_writer.c: a CQ, a QP and an mkey of DEVX move data.
 * Events of these objects, and queries whose responses call a function:
 * <rdma/mlx5dv_devx_event.h>, <rdma/mlx5dv_devx.h>.
 */
#include <linux/mlx5/device.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../../../../samples/devx_writer.h"
#include "dv.h"

#define WRITES		150	/* the rings wrap more than twice */
#define HALF		(T_BUF_SIZE / 2)
#define QUERIES		32
#define EQE_EVENT	(sizeof(struct mlx5dv_devx_async_event_hdr) + sizeof(struct mlx5_eqe))
#define WAIT_MS		60000

/* call @run with a writer on the first device, whose memory has T_BUF_SIZE bytes */
static int with_writer(struct t_pair *p, int (*run)(struct devx_writer *w, struct t_end *e))
{
	struct devx_writer *w = kzalloc(sizeof(*w), GFP_KERNEL);
	void *mem = vzalloc(T_BUF_SIZE);
	int ret;

	T_EXPECT(!w || !mem, 0);
	ret = devx_writer_open(w, p->end[0].dev, mem, T_BUF_SIZE);
	if (!ret) {
		ret = run(w, &p->end[0]);
		devx_writer_close(w);
	} else {
		ret = T_FAIL("no writer: %d", ret);
	}
	vfree(mem);
	kfree(w);
	return ret;
}

struct writer_case {
	int (*run)(struct devx_writer *w, struct t_end *e);
};

static int run_writer(struct t_pair *p)
{
	return with_writer(p, ((const struct writer_case *)p->arg)->run);
}

/* entry of the table of cases, for the function @name */
#define DV_WRITER(name)	{ #name, run_writer, .arg = &(const struct writer_case){ name } }

/* the writer writes @len bytes from the first half of its memory to the second half */
static int write_half(struct devx_writer *w, u32 rkey, u32 len)
{
	return devx_writer_write(w, (uintptr_t)w->mem + HALF, rkey, w->mem, len);
}

static int devx_writes(struct devx_writer *w, struct t_end *e)
{
	u8 *from = w->mem, *to = from + HALF;
	u32 i, j, len;

	for (i = 0; i < WRITES; i++) {
		len = 1 + i * 37 % (HALF - 1);
		memset(to, 0, HALF);
		for (j = 0; j < HALF; j++)
			from[j] = j * 13 + i + 1;
		T_EXPECT(write_half(w, w->key, len), 0);
		T_EXPECT(memcmp(to, from, len), 0);
		T_EXPECT(to[len], 0);
	}
	return 0;
}

/* a WRITE with a wrong rkey raises an event of the QP */
static int devx_access_error(struct devx_writer *w, struct t_end *e)
{
	struct mlx5dv_devx_async_event_hdr *ev = kzalloc(EQE_EVENT, GFP_KERNEL);
	const struct mlx5_eqe *eqe;

	T_EXPECT(!ev, 0);
	eqe = (const void *)ev->out_data;
	T_EXPECT(write_half(w, w->key ^ 1, 64), -EIO);
	T_EXPECT(mlx5dv_devx_get_event(w->channel, ev, EQE_EVENT - 1), -EINVAL);
	T_EXPECT(mlx5dv_devx_get_event(w->channel, ev, EQE_EVENT), EQE_EVENT);
	T_EXPECT(ev->cookie, w->qpn);
	T_EXPECT(eqe->type, MLX5_EVENT_TYPE_WQ_ACCESS_ERROR);
	T_EXPECT(be32_to_cpu(eqe->data.qp_srq.qp_srq_n) & 0xffffff, w->qpn);
	kfree(ev);
	return 0;
}

/* the device refuses to destroy the QP: its events still arrive */
static int devx_event_kept(struct devx_writer *w, struct t_end *e)
{
	T_EXPECT(mlx5dv_devx_obj_destroy(w->qp), -EIO);
	return devx_access_error(w, e);
}

static void never_called(void *arg, u16 event_num, const void *eqe)
{
	WARN(1, "event %#x\n", event_num);
}

static int devx_bad_events(struct devx_writer *w, struct t_end *e)
{
	static const u16 many[17], mixed[] = { MLX5_EVENT_TYPE_COMP, 0x30 };
	static const u16 port = MLX5_EVENT_TYPE_PORT_CHANGE;
	struct mlx5dv_devx_ctx *other = mlx5dv_devx_open(e->dev);
	struct mlx5dv_devx_event_channel *ch, *foreign;
	u32 eqn;

	T_EXPECT(PTR_ERR_OR_ZERO(other), 0);
	T_EXPECT(PTR_ERR(mlx5dv_devx_create_event_channel(w->ctx, 2)), -EINVAL);
	ch = mlx5dv_devx_create_event_channel(w->ctx, 1);
	T_EXPECT(PTR_ERR_OR_ZERO(ch), 0);
	foreign = mlx5dv_devx_create_event_channel(other, 0);
	T_EXPECT(PTR_ERR_OR_ZERO(foreign), 0);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event(ch, w->cq, 0, many, 0), -EINVAL);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event(ch, w->cq, 3, many, 0), -EINVAL);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event(ch, w->cq, sizeof(many), many, 0), -EINVAL);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event(ch, w->cq, sizeof(mixed), mixed, 0), -EINVAL);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event(ch, NULL, 2, many, 0), -EINVAL);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event(ch, w->cq, 2, &port, 0), -EINVAL);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event(foreign, w->cq, 2, many, 0), -EINVAL);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event_cb(ch, w->cq, 0, NULL, NULL), -EINVAL);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event_cb(foreign, w->cq, 0, never_called, NULL),
		 -EINVAL);
	/* valid subscriptions that end before an event occurs */
	T_EXPECT(mlx5dv_devx_subscribe_devx_event(ch, NULL, 2, &port, 0), 0);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event_cb(ch, w->cq, 0, never_called, NULL), 0);
	mlx5dv_devx_destroy_event_channel(foreign);
	mlx5dv_devx_destroy_event_channel(ch);
	T_EXPECT(write_half(w, w->key, 64), 0);
	T_EXPECT(mlx5dv_devx_query_eqn(w->ctx, e->dev->num_comp_vectors, &eqn), -EINVAL);
	T_EXPECT(PTR_ERR(mlx5dv_devx_alloc_uar(w->ctx, 2)), -EINVAL);
	mlx5dv_devx_close(other);
	return 0;
}

/*
 * A channel that omits the data of events merges the events of a subscription
 * until they are fetched.
 */
static int devx_omitted(struct devx_writer *w, struct t_end *e)
{
	const u32 omit = MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA;
	static const u16 comp = MLX5_EVENT_TYPE_COMP;
	struct mlx5dv_devx_async_event_hdr ev = {};
	struct mlx5dv_devx_event_channel *ch;
	int i;

	ch = mlx5dv_devx_create_event_channel(w->ctx, omit);
	T_EXPECT(PTR_ERR_OR_ZERO(ch), 0);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event(ch, w->cq, 2, &comp, 77), 0);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event(ch, w->cq, 2, &comp, 78), 0);
	for (i = 0; i < 3; i++)
		T_EXPECT(write_half(w, w->key, 64), 0);
	for (i = 0; i < 2; i++) {
		T_EXPECT(mlx5dv_devx_get_event(ch, &ev, sizeof(ev)), sizeof(ev));
		T_EXPECT(ev.cookie == 77 || ev.cookie == 78, 1);
	}
	/* each subscription has one more event, which destroying the channel drops */
	T_EXPECT(write_half(w, w->key, 64), 0);
	mlx5dv_devx_destroy_event_channel(ch);
	return 0;
}

/* ---- responses that call a function ---- */

struct answers {
	atomic_t left;
	unsigned long seen;
	int err;
	u8 status;
	struct completion all;
};

static void count_answer(void *arg, u64 wr_id, int err, const void *out, size_t outlen)
{
	struct answers *a = arg;

	set_bit(wr_id, &a->seen);
	if (err)
		a->err = err;
	a->status |= MLX5_GET(query_q_counter_out, out, status);
	if (atomic_dec_and_test(&a->left))
		complete(&a->all);
}

static int ask(struct mlx5dv_devx_obj *set, u32 nr, u64 wr_id, size_t outlen,
	       struct mlx5dv_devx_cmd_comp *comp)
{
	u32 in[MLX5_ST_SZ_DW(query_q_counter_in)] = {};

	MLX5_SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_QUERY_Q_COUNTER);
	MLX5_SET(query_q_counter_in, in, counter_set_id, nr);
	return mlx5dv_devx_obj_query_async(set, in, sizeof(in), outlen, wr_id, comp);
}

static int devx_answer_cb(struct t_pair *p)
{
	u32 in[MLX5_ST_SZ_DW(alloc_q_counter_in)] = {}, out[MLX5_ST_SZ_DW(alloc_q_counter_out)];
	struct answers a = { .left = ATOMIC_INIT(QUERIES) };
	struct mlx5dv_devx_async_cmd_hdr hdr;
	struct mlx5dv_devx_cmd_comp *comp;
	struct mlx5dv_devx_ctx *ctx;
	struct mlx5dv_devx_obj *set;
	u32 nr, i;

	init_completion(&a.all);
	ctx = mlx5dv_devx_open(p->end[0].dev);
	T_EXPECT(PTR_ERR_OR_ZERO(ctx), 0);
	MLX5_SET(alloc_q_counter_in, in, opcode, MLX5_CMD_OP_ALLOC_Q_COUNTER);
	set = mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out));
	T_EXPECT(PTR_ERR_OR_ZERO(set), 0);
	nr = MLX5_GET(alloc_q_counter_out, out, counter_set_id);
	comp = mlx5dv_devx_create_cmd_comp_cb(ctx, count_answer, &a);
	T_EXPECT(PTR_ERR_OR_ZERO(comp), 0);
	for (i = 0; i < QUERIES; i++)
		T_EXPECT(ask(set, nr, i, MLX5_ST_SZ_BYTES(query_q_counter_out), comp), 0);
	T_EXPECT(!wait_for_completion_timeout(&a.all, msecs_to_jiffies(WAIT_MS)), 0);
	T_EXPECT(a.seen == GENMASK(QUERIES - 1, 0), 1);
	T_EXPECT(a.err, 0);
	T_EXPECT(a.status, 0);
	T_EXPECT(mlx5dv_devx_get_async_cmd_comp(comp, &hdr, sizeof(hdr)), -EINVAL);
	/*
	 * destroying the channel waits until count_answer() was called for each
	 * outstanding query
	 */
	atomic_set(&a.left, QUERIES);
	a.seen = 0;
	for (i = 0; i < QUERIES; i++)
		T_EXPECT(ask(set, nr, i, MLX5_ST_SZ_BYTES(query_q_counter_out), comp), 0);
	mlx5dv_devx_destroy_cmd_comp(comp);
	T_EXPECT(a.seen == GENMASK(QUERIES - 1, 0), 1);
	T_EXPECT(mlx5dv_devx_obj_destroy(set), 0);
	mlx5dv_devx_close(ctx);
	return 0;
}

const struct t_case dv_devx_event_cases[] = {
	DV_WRITER(devx_writes),
	DV_WRITER(devx_access_error),
	DV_WRITER(devx_event_kept),
	DV_WRITER(devx_bad_events),
	DV_WRITER(devx_omitted),
	{ "devx_answer_cb", devx_answer_cb },
	{ }
};
