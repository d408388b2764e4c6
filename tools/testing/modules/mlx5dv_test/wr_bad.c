// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The work request API: each mistake has an errno, a chain with a mistake is not posted, and the
 * QP continues to work.
 */
#include <linux/slab.h>

#include "dv.h"

/* builds a chain with one mistake in it, after dv_start() */
typedef void (*mistake)(struct t_pair *p, struct t_end *e);

static void build_write(struct t_end *e)
{
	ib_wr_send(dv_qpx(e));
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
}

static void setter_missing(struct t_pair *p, struct t_end *e)
{
	ib_wr_send(dv_qpx(e));
}

static void missing_in_chain(struct t_pair *p, struct t_end *e)
{
	ib_wr_send(dv_qpx(e));
	build_write(e);
}

static void setter_repeated(struct t_pair *p, struct t_end *e)
{
	build_write(e);
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
}

static void before_any(struct t_pair *p, struct t_end *e)
{
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
}

static void ud_setter_on_rc(struct t_pair *p, struct t_end *e)
{
	ib_wr_send(dv_qpx(e));
	ib_wr_set_ud_addr(dv_qpx(e), NULL, 1, 1);
}

static void data_after_local_inv(struct t_pair *p, struct t_end *e)
{
	ib_wr_local_inv(dv_qpx(e), e->mr[0]->rkey);
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
}

static void mkey_setter_on_send(struct t_pair *p, struct t_end *e)
{
	ib_wr_send(dv_qpx(e));
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), 0);
}

static void inline_read(struct t_pair *p, struct t_end *e)
{
	ib_wr_rdma_read(dv_qpx(e), 0x100, 0);
	ib_wr_set_inline_data(dv_qpx(e), e->buf, 8);
}

static void too_many_sges(struct t_pair *p, struct t_end *e)
{
	struct ib_sge sge[64];
	int i;

	for (i = 0; i < ARRAY_SIZE(sge); i++)
		sge[i] = t_sge(e, 8 * i, 8);
	ib_wr_send(dv_qpx(e));
	ib_wr_set_sge_list(dv_qpx(e), ARRAY_SIZE(sge), sge);
}

static void too_long(struct t_pair *p, struct t_end *e)
{
	ib_wr_send(dv_qpx(e));
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, BIT(31) + 1);
}

static void too_long_inline(struct t_pair *p, struct t_end *e)
{
	ib_wr_send(dv_qpx(e));
	ib_wr_set_inline_data(dv_qpx(e), e->buf, PAGE_SIZE);
}

static void atomic_of_four(struct t_pair *p, struct t_end *e)
{
	ib_wr_atomic_fetch_add(dv_qpx(e), 0x100, 0, 1);
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 4);
}

static void atomic_of_none(struct t_pair *p, struct t_end *e)
{
	ib_wr_atomic_fetch_add(dv_qpx(e), 0x100, 0, 1);
	ib_wr_set_sge_list(dv_qpx(e), 0, NULL);
}

static void unknown_flag(struct t_pair *p, struct t_end *e)
{
	dv_next(e, 3, IB_SEND_IP_CSUM);
	build_write(e);
}

static void second_is_wrong(struct t_pair *p, struct t_end *e)
{
	build_write(e);
	build_write(e);
	too_long(p, e);
	build_write(e);
}

/* ib_wr_complete() returns the errno of the first mistake */
static void two_mistakes(struct t_pair *p, struct t_end *e)
{
	too_many_sges(p, e);
	too_long(p, e);
}

static void short_raw(struct t_pair *p, struct t_end *e)
{
	static const __be32 wqe[16] = {};

	mlx5dv_wr_raw_wqe(dv_of(e), wqe);
}

static void long_raw(struct t_pair *p, struct t_end *e)
{
	static __be32 wqe[256];

	wqe[1] = cpu_to_be32(63);
	mlx5dv_wr_raw_wqe(dv_of(e), wqe);
}

static int nothing_posted(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];

	T_TRY(t_settle(&e->sq));
	T_TRY(t_settle(&to->rq));
	T_EXPECT(e->sq.nr, 0);
	T_EXPECT(to->rq.nr, 0);
	return 0;
}

static int still_works(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	build_write(e);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_TRY(dv_expect_only(&e->sq, 0, 0));
	T_TRY(dv_expect_only(&to->rq, 0, 0));
	t_clear_counts(&e->sq);
	t_clear_counts(&to->rq);
	return 0;
}

static int wr_bad_calls(struct t_pair *p)
{
	static const struct {
		const char *name;
		mistake make;
		int err;
	} bad[] = {
		{ "missing", setter_missing, -EINVAL },
		{ "missing_in_chain", missing_in_chain, -EINVAL },
		{ "repeated", setter_repeated, -EINVAL },
		{ "before_any", before_any, -EINVAL },
		{ "ud_setter_on_rc", ud_setter_on_rc, -EINVAL },
		{ "data_after_local_inv", data_after_local_inv, -EINVAL },
		{ "mkey_setter_on_send", mkey_setter_on_send, -EINVAL },
		{ "inline_read", inline_read, -EINVAL },
		{ "too_many_sges", too_many_sges, -ENOMEM },
		{ "too_long", too_long, -EINVAL },
		{ "too_long_inline", too_long_inline, -ENOMEM },
		{ "atomic_of_four", atomic_of_four, -EINVAL },
		{ "atomic_of_none", atomic_of_none, -EINVAL },
		{ "unknown_flag", unknown_flag, -EINVAL },
		{ "second_is_wrong", second_is_wrong, -EINVAL },
		{ "two_mistakes", two_mistakes, -ENOMEM },
		{ "short_raw", short_raw, -EINVAL },
		{ "long_raw", long_raw, -EINVAL },
	};
	struct t_end *to = &p->end[0], *e = &p->end[1];
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		T_TRY(t_post_recv(to, 0));
		T_TRY(dv_start(e, 1, IB_SEND_SIGNALED));
		bad[i].make(p, e);
		ret = ib_wr_complete(dv_qpx(e));
		if (ret != bad[i].err)
			return T_FAIL("%s: %d, expected %d", bad[i].name, ret, bad[i].err);
		T_TRY(nothing_posted(p));
		T_TRY(still_works(p));
	}
	return 0;
}

/* builders without ib_wr_start(): no work request is posted, and ib_wr_complete() fails */
static int wr_bad_not_open(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	static const __be32 wqe[16] = { 0, cpu_to_be32(1) };

	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	build_write(e);
	T_EXPECT(mlx5dv_wr_raw_wqe(dv_of(e), wqe), -EINVAL);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	T_TRY(nothing_posted(p));
	T_TRY(t_post_recv(&p->end[0], 0));
	return still_works(p);
}

/*
 * While a chain is started, ib_wr_start() of another QP and ib_post_send() of the same QP return
 * -EBUSY, and the chain can continue. On mlx5_ib, ib_post_send() posts.
 */
static int wr_bad_busy(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, 8);
	const struct ib_send_wr *bad = NULL;
	struct ib_send_wr wr;
	int other, post;

	t_send_wr(&wr, &sge, 5);
	T_TRY(t_post_recv(to, 0));
	if (dv_on_mlx5_ib(e->dev))
		T_TRY(t_post_recv(to, 1));
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	other = ib_wr_start(dv_qpx(to));
	post = ib_post_send(e->qp, &wr, &bad);
	/* builds for a QP whose ib_wr_start() has failed */
	build_write(to);
	build_write(e);
	T_EXPECT(ib_wr_complete(dv_qpx(to)), -EINVAL);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(other, -EBUSY);
	if (dv_on_mlx5_ib(e->dev)) {
		/* a started chain does not lock the ring of mlx5_ib: ib_post_send() posts first */
		T_EXPECT(post, 0);
		T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
		T_EXPECT(e->sq.order[0], 5);
		T_EXPECT(e->sq.nr, 2);
		return 0;
	}
	T_EXPECT(post, -EBUSY);
	T_EXPECT(bad == &wr, 1);
	T_TRY(dv_expect_only(&e->sq, 0, 0));
	T_EXPECT(to->sq.nr, 0);
	return 0;
}

/*
 * A second ib_wr_start() of the same QP returns -EBUSY, and the started chain is not posted. If the
 * second caller ignores the errno, ib_wr_complete() returns -EBUSY to the second caller and -EINVAL
 * to the first caller. Otherwise ib_wr_complete() returns -EBUSY to the first caller.
 */
static int wr_bad_again(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	int again, inner, outer;

	T_TRY(t_post_recv(to, 0));
	T_TRY(dv_start(e, 1, IB_SEND_SIGNALED));
	build_write(e);
	again = ib_wr_start(dv_qpx(e));
	build_write(e);
	inner = ib_wr_complete(dv_qpx(e));
	build_write(e);
	outer = ib_wr_complete(dv_qpx(e));
	T_EXPECT(again, -EBUSY);
	T_EXPECT(inner, -EBUSY);
	T_EXPECT(outer, -EINVAL);
	T_TRY(nothing_posted(p));
	T_TRY(still_works(p));

	T_TRY(t_post_recv(to, 0));
	T_TRY(dv_start(e, 1, IB_SEND_SIGNALED));
	again = ib_wr_start(dv_qpx(e));
	build_write(e);
	outer = ib_wr_complete(dv_qpx(e));
	T_EXPECT(again, -EBUSY);
	T_EXPECT(outer, -EBUSY);
	T_TRY(nothing_posted(p));
	return still_works(p);
}

/* a QP created without operations refuses all builders with an error */
static int wr_bad_ops(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct mlx5dv_mkey *mkey = dv_mkey(e, 0, 4);
	struct mlx5dv_mkey_conf_attr attr = {};
	static const __be32 wqe[16] = { 0, cpu_to_be32(1) };
	int raw;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	if (!mlx5dv_qp_ex_from_ib_qp(e->qp)) {
		/* a QP that ib_create_qp() of mlx5_ib has created */
		mlx5dv_destroy_mkey(mkey);
		return 0;
	}
	T_TRY(dv_start(e, 0, 0));
	build_write(e);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EOPNOTSUPP);
	T_TRY(dv_start(e, 0, 0));
	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 0, &attr);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EOPNOTSUPP);
	T_TRY(dv_start(e, 0, 0));
	raw = mlx5dv_wr_raw_wqe(dv_of(e), wqe);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EOPNOTSUPP);
	T_EXPECT(raw, -EOPNOTSUPP);
	T_TRY(nothing_posted(p));
	mlx5dv_destroy_mkey(mkey);
	return 0;
}

/* attributes with which no QP can be created */
static int wr_bad_create(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_qp_init_attr_ex ex = {
		.base = { .send_cq = e->sq.cq, .recv_cq = e->rq.cq, .qp_type = IB_QPT_UD,
			  .cap = { .max_send_wr = 1, .max_send_sge = 1 } },
		.comp_mask = IB_QP_INIT_ATTR_SEND_OPS_FLAGS,
	};
	struct mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
	};

	ex.send_ops_flags = IB_QP_EX_WITH_RDMA_WRITE;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EOPNOTSUPP);
	ex.send_ops_flags = IB_QP_EX_WITH_SEND;
	mlx5.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EOPNOTSUPP);
	mlx5.send_ops_flags = BIT_ULL(40);
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EOPNOTSUPP);
	mlx5.send_ops_flags = 0;
	mlx5.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS;
	mlx5.create_flags = BIT(0);
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EOPNOTSUPP);
	/* signature pipelining is supported only by RC QPs */
	mlx5.create_flags = MLX5DV_QP_CREATE_SIG_PIPELINING;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EOPNOTSUPP);
	mlx5.comp_mask = BIT(10);
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EINVAL);
	mlx5.comp_mask = 0;
	ex.comp_mask = BIT(0);
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, NULL)), -EINVAL);
	ex.comp_mask = 0;
	ex.base.create_flags = IB_QP_CREATE_RESERVED_START;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, NULL)), -EOPNOTSUPP);
	ex.base.create_flags = 0;
	ex.base.cap.max_inline_data = 4096;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, NULL)), -EINVAL);
	return 0;
}

static int expect_foreign(struct ib_device *ibdev)
{
	struct mlx5dv_context limits = { .comp_mask = U64_MAX, .max_wr_memcpy_length = 7 };
	struct ib_qp_init_attr_ex qp_attr = { .base.qp_type = IB_QPT_RC };
	struct ib_qp qp = { .device = ibdev };
	struct ib_pd pd = { .device = ibdev };
	struct mlx5dv_mkey_init_attr mkey_attr = {
		.pd = &pd, .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, .max_entries = 4,
	};

	T_EXPECT(mlx5dv_qp_ex_from_ib_qp(&qp) ? 1 : 0, 0);
	T_EXPECT(mlx5dv_query_device(ibdev, &limits), -EOPNOTSUPP);
	T_EXPECT(limits.comp_mask == U64_MAX, 1);
	T_EXPECT(limits.max_wr_memcpy_length, 7);
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(&pd, &qp_attr, NULL)), -EOPNOTSUPP);
	T_EXPECT(PTR_ERR(mlx5dv_create_mkey(&mkey_attr)), -EOPNOTSUPP);
	T_EXPECT(PTR_ERR(mlx5dv_create_mkey_pool(&mkey_attr, 1, 1)), -EOPNOTSUPP);
	T_EXPECT(PTR_ERR(mlx5dv_alloc_layout(ibdev, 4, GFP_KERNEL)), -EOPNOTSUPP);
	T_EXPECT(mlx5dv_dci_stream_id_reset(&qp, 1), -EOPNOTSUPP);
	return 0;
}

/* a zeroed struct ib_device, as of another driver: mlx5dv refuses all calls and uses no member */
static int wr_bad_foreign(struct t_pair *p)
{
	struct ib_device *ibdev = kzalloc(sizeof(*ibdev), GFP_KERNEL);
	int ret;

	if (!ibdev)
		return -ENOMEM;
	ret = expect_foreign(ibdev);
	kfree(ibdev);
	return ret;
}

/* flags that the core leaves to drivers do not make ib_create_qp() accept attributes of mlx5dv */
static int wr_bad_flags(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_qp_init_attr attr = {
		.send_cq = e->sq.cq, .recv_cq = e->rq.cq, .qp_type = IB_QPT_RC,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};
	struct ib_qp *qp;
	u32 flag;

	for (flag = IB_QP_CREATE_RESERVED_START; flag; flag <<= 1) {
		attr.create_flags = flag;
		qp = ib_create_qp(e->pd, &attr);
		if (!IS_ERR(qp))
			mlx5dv_destroy_qp(qp);
		T_EXPECT(PTR_ERR_OR_ZERO(qp), -EOPNOTSUPP);
	}
	return 0;
}

/* a QP in a state without a send queue posts no work request */
static int wr_bad_state(struct t_pair *p)
{
	static const __be32 wqe[4] = { 0, cpu_to_be32(1) };
	struct t_end *e = &p->end[1];
	int ret;

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	build_write(e);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	/* mlx5dv_wr_raw_wqe(), the only builder that returns an errno, returns the errno too */
	T_TRY(dv_start(e, 0, 0));
	ret = mlx5dv_wr_raw_wqe(dv_of(e), wqe);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	T_EXPECT(ret, -EINVAL);
	T_TRY(nothing_posted(p));
	return 0;
}

static const struct t_opts plain_opts;
static const struct t_opts reset_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .unconnected = true,
};

const struct t_case dv_wr_bad_cases[] = {
	{ "wr_bad_calls", wr_bad_calls, &dv_opts },
	{ "wr_bad_not_open", wr_bad_not_open, &dv_opts },
	{ "wr_bad_busy", wr_bad_busy, &dv_opts },
	{ "wr_bad_again", wr_bad_again, &dv_opts },
	{ "wr_bad_ops", wr_bad_ops, &plain_opts },
	{ "wr_bad_create", wr_bad_create, &dv_opts },
	{ "wr_bad_flags", wr_bad_flags, &dv_opts },
	{ "wr_bad_foreign", wr_bad_foreign, &dv_opts },
	{ "wr_bad_state", wr_bad_state, &reset_opts },
	{ }
};
