// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory copies: bytes, order, keys, and each kind of mistake. End 1 copies within its buffer.
 */
#include <linux/slab.h>

#include "dv.h"

/* offsets of source and destination: they differ in a page, and in a word */
#define FROM	72
#define TO	(4 * PAGE_SIZE + 1021)

static void build_copy(struct t_end *e, u32 to, u32 from, size_t len)
{
	const u32 lkey = e->pd->local_dma_lkey;

	mlx5dv_wr_memcpy(dv_of(e), lkey, e->dma + to, lkey, e->dma + from, len);
}

/* posts a copy with the keys of the SGEs, and waits. Return: status of the completion */
static int copy_by(struct t_end *e, u64 id, const struct ib_sge *to, const struct ib_sge *from)
{
	T_TRY(dv_start(e, id, IB_SEND_SIGNALED));
	mlx5dv_wr_memcpy(dv_of(e), to->lkey, to->addr, from->lkey, from->addr, to->length);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_TRY(t_wait(&e->sq, id));
	/* an unchanged mlx5_ib does not set the opcode */
	T_EXPECT(e->sq.wc[id].status != IB_WC_SUCCESS || dv_on_unchanged(e->dev) ||
		 e->sq.wc[id].opcode == MLX5DV_WC_MEMCPY, 1);
	return e->sq.wc[id].status;
}

/* checks that the bytes were copied, and that the bytes before and behind did not change */
static int check_copied(struct t_end *e, u32 to, u32 len, u32 seed)
{
	const u8 *buf = e->buf;

	T_TRY(t_check(e, to, len, seed));
	T_EXPECT(buf[to - 1], T_GUARD);
	T_EXPECT(buf[to + len], T_GUARD);
	return 0;
}

static int memcpy_lengths(struct t_pair *p)
{
	static const u32 lens[] = { 1, 8, 63, 64, 65, 1024, 4095, 4096, 4097, 9000 };
	struct t_end *e = &p->end[1];
	struct ib_sge from, to;
	int i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		t_set(e, T_GUARD);
		t_fill(e, FROM, lens[i], i);
		from = t_sge(e, FROM, lens[i]);
		to = t_sge(e, TO, lens[i]);
		T_EXPECT(copy_by(e, i, &to, &from), IB_WC_SUCCESS);
		T_TRY(check_copied(e, TO, lens[i], i));
		T_TRY(t_check(e, FROM, lens[i], i));
	}
	T_EXPECT(e->sq.nr, ARRAY_SIZE(lens));
	return 0;
}

/*
 * In one chain, each copy copies the result of the previous copy, and a SEND sends the
 * last result. There is one doorbell.
 */
static int memcpy_chain(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	struct ib_sge into = t_sge(to, 500, 200);
	int i;

	t_set(to, T_GUARD);
	t_set(e, T_GUARD);
	t_fill(e, 0, 100, 11);
	T_TRY(t_post_recv_sges(to, 0, &into, 1));
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_FENCE));
	for (i = 0; i < 16; i++) {
		dv_next(e, i, IB_SEND_SIGNALED | IB_SEND_FENCE);
		build_copy(e, 150 * (i + 1), 150 * i, 100);
	}
	dv_next(e, 16, IB_SEND_SIGNALED | IB_SEND_FENCE);
	ib_wr_send(dv_qpx(e));
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma + 150 * 16, 100);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&to->rq, 0), IB_WC_SUCCESS);
	T_TRY(t_check_only(to, 500, 100, 11));
	return dv_expect_only(&e->sq, 0, 16);
}

/* ib_post_send() of a SEND with a fence sends the result of a copy that a builder has posted */
static int memcpy_then_post(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	struct ib_sge into = t_sge(to, 500, 100), sge;
	struct ib_send_wr wr;
	int i;

	for (i = 0; i < 8; i++) {
		t_set(to, T_GUARD);
		t_set(e, T_GUARD);
		t_fill(e, FROM, 100, i);
		T_TRY(t_post_recv_sges(to, i, &into, 1));
		T_TRY(dv_start(e, 0, 0));
		build_copy(e, TO, FROM, 100);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		t_send_wr(&wr, &sge, i);
		sge = t_sge(e, TO, 100);
		wr.send_flags |= IB_SEND_FENCE;
		T_EXPECT(ib_post_send(e->qp, &wr, NULL), 0);
		T_EXPECT(t_wait(&to->rq, i), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
		T_TRY(t_check_only(to, 500, 100, i));
	}
	return 0;
}

/* an unsignaled copy between SENDs of other data */
static int memcpy_mixed(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	struct ib_sge into[2] = { t_sge(to, 500, 100), t_sge(to, 900, 100) };

	t_set(to, T_GUARD);
	t_set(e, T_GUARD);
	t_fill(e, FROM, 100, 5);
	T_TRY(t_post_recv_sges(to, 0, &into[0], 1));
	T_TRY(t_post_recv_sges(to, 1, &into[1], 1));
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	ib_wr_send(dv_qpx(e));
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma + FROM, 100);
	dv_next(e, 1, 0);
	build_copy(e, TO, FROM, 100);
	dv_next(e, 2, IB_SEND_SIGNALED | IB_SEND_FENCE);
	ib_wr_send(dv_qpx(e));
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma + TO, 100);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 2), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&to->rq, 1), IB_WC_SUCCESS);
	T_TRY(t_check(to, 500, 100, 5));
	T_TRY(t_check(to, 900, 100, 5));
	T_EXPECT(e->sq.seen[1], 0);
	T_EXPECT(e->sq.nr, 2);
	return check_copied(e, TO, 100, 5);
}

/* an interleaved mkey of two buffers is copied to one buffer */
static int memcpy_mkey(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	const u32 lkey = e->pd->local_dma_lkey;
	const struct mlx5dv_mr_interleaved data[2] = {
		{ e->dma, 512, 0, lkey }, { e->dma + PAGE_SIZE, 8, 0, lkey },
	};
	struct mlx5dv_mkey *mkey = dv_mkey(e, 0, 4);
	struct ib_sge from, to = t_sge(e, TO, 4 * 520);
	int i;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	t_set(e, T_GUARD);
	t_fill(e, 0, 4 * 512, 1);
	t_fill(e, PAGE_SIZE, 4 * 8, 2);
	T_TRY(dv_start(e, 0, IB_SEND_INLINE));
	mlx5dv_wr_mr_interleaved(dv_of(e), mkey, IB_ACCESS_LOCAL_WRITE, 4, 2, data);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	from = (struct ib_sge){ .lkey = mkey->lkey, .length = to.length };
	T_EXPECT(copy_by(e, 1, &to, &from), IB_WC_SUCCESS);
	t_sync(e);
	for (i = 0; i < 4; i++) {
		T_EXPECT(memcmp(e->buf + TO + i * 520, e->buf + i * 512, 512), 0);
		T_EXPECT(memcmp(e->buf + TO + i * 520 + 512, e->buf + PAGE_SIZE + i * 8, 8), 0);
	}

	/* the reverse copy: from the buffer to the mkey */
	memset(e->buf, T_GUARD, 2 * PAGE_SIZE);
	t_sync(e);
	T_EXPECT(copy_by(e, 2, &from, &to), IB_WC_SUCCESS);
	T_TRY(t_check(e, 0, 4 * 512, 1));
	T_TRY(t_check(e, PAGE_SIZE, 4 * 8, 2));
	mlx5dv_destroy_mkey(mkey);
	return 0;
}

/* a layout of @n entries, each of which is the complete buffer */
static int lay_out(struct t_end *e, struct mlx5dv_layout *layout, u32 n)
{
	struct ib_sge *sges = kcalloc(n, sizeof(*sges), GFP_KERNEL);
	int i, ret;

	if (!sges)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		sges[i] = t_sge(e, 0, T_BUF_SIZE);
	ret = mlx5dv_layout_list(layout, n, sges);
	kfree(sges);
	return ret;
}

static int copy_longest(struct t_end *e, size_t max)
{
	const struct mlx5dv_mkey_conf_attr attr = {};
	const u32 n = max / T_BUF_SIZE;
	struct mlx5dv_layout *layout = mlx5dv_alloc_layout(e->dev, n, GFP_KERNEL);
	struct mlx5dv_mkey *mkey = dv_mkey(e, 0, n);
	struct ib_sge all;
	int ret;

	if (IS_ERR(layout) || IS_ERR(mkey))
		return T_FAIL("no layout or mkey of %u entries", n);
	T_TRY(lay_out(e, layout, n));
	t_fill(e, 0, T_BUF_SIZE, 4);
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), IB_ACCESS_LOCAL_WRITE);
	mlx5dv_wr_set_mkey_layout(dv_of(e), layout);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	all = (struct ib_sge){ .lkey = mkey->lkey, .length = max };
	ret = copy_by(e, 1, &all, &all);
	mlx5dv_free_layout(layout);
	mlx5dv_destroy_mkey(mkey);
	T_EXPECT(ret, IB_WC_SUCCESS);
	return t_check(e, 0, T_BUF_SIZE, 4);
}

static size_t max_length(struct t_end *e)
{
	struct mlx5dv_context ctx = { .comp_mask = MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH };

	if (mlx5dv_query_device(e->dev, &ctx) ||
	    ctx.comp_mask != MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH)
		return 0;
	return ctx.max_wr_memcpy_length;
}

/* a copy of the maximum length succeeds; one byte more is refused */
static int memcpy_longest(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	const size_t max = max_length(e);
	struct ib_sge sge = t_sge(e, FROM, 8), to = t_sge(e, TO, 8);

	T_EXPECT(max >= T_BUF_SIZE && max <= BIT_ULL(31), 1);
	T_TRY(dv_start(e, 0, 0));
	build_copy(e, TO, FROM, max + 1);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	T_TRY(dv_start(e, 0, 0));
	build_copy(e, TO, FROM, BIT_ULL(32));
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	T_TRY(dv_start(e, 0, 0));
	build_copy(e, TO, FROM, 0);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	T_TRY(t_settle(&e->sq));
	T_EXPECT(e->sq.nr, 0);
	T_EXPECT(copy_by(e, 2, &to, &sge), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return copy_longest(e, max);
}

/* a QP that leaves RESET again can copy memory again */
static int memcpy_again(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_sge from = t_sge(e, FROM, 64), to = t_sge(e, TO, 64);

	T_EXPECT(copy_by(e, 0, &to, &from), IB_WC_SUCCESS);
	T_TRY(t_move(p->end[0].qp, IB_QPS_RESET));
	T_TRY(t_move(e->qp, IB_QPS_RESET));
	T_TRY(t_pair_connect_path(p, &t_default_path));
	t_set(e, T_GUARD);
	t_fill(e, FROM, 64, 8);
	T_EXPECT(copy_by(e, 1, &to, &from), IB_WC_SUCCESS);
	return check_copied(e, TO, 64, 8);
}

/* a copy to an mkey without write access fails, and later work requests are flushed */
static int memcpy_access(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_sge from = t_sge(e, FROM, 64), to = t_sge(e, TO, 64), read_only;

	t_set(e, T_GUARD);
	T_TRY(t_post_reg(e, 0, e->mr[0], IB_ACCESS_REMOTE_READ));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	read_only = (struct ib_sge){ e->mr[0]->iova + FROM, 64, e->mr[0]->lkey };
	t_fill(e, FROM, 64, 8);
	T_EXPECT(copy_by(e, 1, &to, &read_only), IB_WC_SUCCESS);
	T_TRY(check_copied(e, TO, 64, 8));
	t_set(e, T_GUARD);
	T_EXPECT(copy_by(e, 2, &read_only, &to), IB_WC_LOC_PROT_ERR);
	T_TRY(t_untouched(e, T_GUARD));
	T_EXPECT(t_state(e), IB_QPS_ERR);
	T_EXPECT(copy_by(e, 3, &to, &from), IB_WC_WR_FLUSH_ERR);
	return 0;
}

/* a copy with the lkey of another PD fails */
static int memcpy_pd(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_sge from = t_sge(e, FROM, 64), to = t_sge(e, TO, 64);
	struct ib_pd *pd = ib_alloc_pd(e->dev, 0);
	int status;

	if (IS_ERR(pd))
		return T_FAIL("no PD: %ld", PTR_ERR(pd));
	t_set(e, T_GUARD);
	from.lkey = pd->local_dma_lkey;
	status = copy_by(e, 0, &to, &from);
	ib_dealloc_pd(pd);
	T_EXPECT(status, IB_WC_LOC_PROT_ERR);
	return t_untouched(e, T_GUARD);
}

/* a copy beyond the range of an MR fails: no byte is copied */
static int memcpy_beyond(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_sge from = t_sge(e, FROM, 64), to;

	t_set(e, T_GUARD);
	T_TRY(t_post_reg(e, 0, e->mr[0], IB_ACCESS_LOCAL_WRITE));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	to = (struct ib_sge){ e->mr[0]->iova + T_BUF_SIZE - 63, 64, e->mr[0]->lkey };
	T_EXPECT(copy_by(e, 1, &to, &from), IB_WC_LOC_PROT_ERR);
	return t_untouched(e, T_GUARD);
}

/* a QP that was created without memory copies, and QP types that cannot copy memory */
static int memcpy_ops(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_qp_init_attr_ex ex = {
		.base = { .send_cq = e->sq.cq, .recv_cq = e->rq.cq,
			  .cap = { .max_send_wr = 1, .max_send_sge = 1 } },
	};
	struct mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MEMCPY,
	};

	T_EXPECT(mlx5dv_qp_add_builders(e->qp, IB_QP_EX_WITH_SEND, 0), 0);
	T_TRY(dv_start(e, 0, 0));
	build_copy(e, TO, FROM, 8);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EOPNOTSUPP);
	mlx5dv_qp_remove_builders(e->qp);
	ex.base.qp_type = IB_QPT_UD;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EOPNOTSUPP);
	ex.base.qp_type = IB_QPT_UC;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EOPNOTSUPP);
	return 0;
}

/* a copy has no setters */
static int memcpy_setters(struct t_pair *p)
{
	struct t_end *e = &p->end[1];

	T_TRY(dv_start(e, 0, 0));
	build_copy(e, TO, FROM, 8);
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	T_TRY(t_settle(&e->sq));
	T_EXPECT(e->sq.nr, 0);
	return 0;
}

static const struct t_opts plain_opts;

const struct t_case dv_memcpy_cases[] = {
	{ "memcpy_lengths", memcpy_lengths, &dv_opts },
	{ "memcpy_chain", memcpy_chain, &dv_opts },
	{ "memcpy_mixed", memcpy_mixed, &dv_opts },
	{ "memcpy_then_post", memcpy_then_post, &dv_opts },
	{ "memcpy_mkey", memcpy_mkey, &dv_wide_opts },
	{ "memcpy_longest", memcpy_longest, &dv_opts },
	{ "memcpy_again", memcpy_again, &dv_opts },
	{ "memcpy_access", memcpy_access, &dv_opts },
	{ "memcpy_pd", memcpy_pd, &dv_opts },
	{ "memcpy_beyond", memcpy_beyond, &dv_opts },
	{ "memcpy_ops", memcpy_ops, &plain_opts },
	{ "memcpy_setters", memcpy_setters, &dv_opts },
	{ }
};
