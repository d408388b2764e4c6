// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Direct verbs on mlx5_ib: refused calls, the send ring of a QP that builders and ib_post_send()
 * share, states and destruction of QPs.
 */
#include <linux/delay.h>

#include "sig.h"

#define PLAIN_WR_ID	0x1234567890abcdefULL
#define ROUNDS	300	/* more WQEs than the ring has blocks */

static struct ib_qp *create(struct t_end *e, enum ib_qp_type type, u64 mlx5_ops,
			    const struct mlx5dv_qp_init_attr *more)
{
	struct ib_qp_init_attr_ex ex = {
		.base = { .send_cq = e->sq.cq, .recv_cq = e->rq.cq, .qp_type = type,
			  .cap = { .max_send_wr = 4, .max_send_sge = 1 } },
		.comp_mask = IB_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IB_QP_EX_WITH_SEND,
	};
	struct mlx5dv_qp_init_attr mlx5 = more ? *more : (struct mlx5dv_qp_init_attr){};

	mlx5.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
	mlx5.send_ops_flags = mlx5_ops;
	return mlx5dv_create_qp(e->pd, &ex, &mlx5);
}

/* calls that would need a change of mlx5_ib fail with -EOPNOTSUPP */
static int backend_refused(struct t_pair *p)
{
	const struct mlx5dv_qp_init_attr piped = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		.create_flags = MLX5DV_QP_CREATE_SIG_PIPELINING,
	};
	const struct mlx5dv_qp_init_attr dci = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI,
	};
	struct mlx5dv_context caps = {
		.comp_mask = MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD |
			     MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH | MLX5DV_CONTEXT_MASK_MKEY,
	};
	struct t_end *e = &p->end[0];
	struct mlx5dv_devx_ctx *ctx;
	int attached;

	T_TRY(mlx5dv_query_device(e->dev, &caps));
	T_EXPECT(caps.sig_caps.block_prot & MLX5DV_SIG_PROT_CAP_T10DIF,
		 MLX5DV_SIG_PROT_CAP_T10DIF);
	T_EXPECT(!(caps.sig_caps.block_prot & MLX5DV_SIG_PROT_CAP_CRC), dv_on_unchanged(e->dev));
	T_EXPECT(!caps.sig_caps.crc_type, dv_on_unchanged(e->dev));
	T_EXPECT(caps.max_wr_memcpy_length > 0, 1);
	T_EXPECT(caps.max_mkey_entries > 0, 1);
	T_EXPECT(PTR_ERR(create(e, IB_QPT_RC, MLX5DV_QP_EX_WITH_MEMCPY, NULL)), -EOPNOTSUPP);
	T_EXPECT(PTR_ERR(create(e, IB_QPT_RC, 0, &piped)), -EOPNOTSUPP);
	T_EXPECT(PTR_ERR(create(e, IB_QPT_DRIVER, 0, &dci)), -EOPNOTSUPP);
	T_EXPECT(mlx5dv_dci_stream_id_reset(e->qp, 1), -EOPNOTSUPP);
	ctx = mlx5dv_devx_open_verbs(e->dev);
	T_TRY(PTR_ERR_OR_ZERO(ctx));
	attached = mlx5dv_devx_attach_cq(ctx, e->sq.cq, NULL, NULL);
	mlx5dv_devx_close(ctx);
	T_EXPECT(attached, -EOPNOTSUPP);
	return 0;
}

/* an unchanged mlx5_ib stores errors of T10-DIF only */
static int backend_no_crc(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0];
	struct sig_case c = {
		.mem = { .on = true, .type = MLX5DV_SIG_TYPE_CRC, .size = MLX5DV_BLOCK_SIZE_512 },
	};
	int crc;

	for (crc = MLX5DV_SIG_CRC_TYPE_CRC32; crc <= MLX5DV_SIG_CRC_TYPE_CRC64_XP10; crc++) {
		c.mem.crc.type = crc;
		T_EXPECT(sig_try(e, r->mkey, &c), -EOPNOTSUPP);
	}
	return 0;
}

static int configure_sig(struct ib_qp *qp, struct mlx5dv_mkey *mkey)
{
	const struct mlx5dv_sig_t10dif dif = { .bg_type = MLX5DV_SIG_T10DIF_CRC };
	const struct mlx5dv_sig_block_domain mem = {
		.sig_type = MLX5DV_SIG_TYPE_T10DIF, .sig.dif = &dif,
	};
	const struct mlx5dv_sig_block_attr attr = { .mem = &mem };
	struct mlx5dv_qp_ex *mqp = mlx5dv_qp_ex_from_ib_qp(qp);
	struct mlx5dv_mkey_conf_attr conf = {};

	T_TRY(ib_wr_start(&mqp->qp_ex));
	mqp->qp_ex.wr_id = PLAIN_WR_ID;
	mqp->qp_ex.wr_flags = IB_SEND_INLINE;
	mlx5dv_wr_mkey_configure(mqp, mkey, 1, &conf);
	mlx5dv_wr_set_mkey_sig_block(mqp, &attr);
	return ib_wr_complete(&mqp->qp_ex);
}

static int move_to_err(struct ib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1 };

	T_TRY(ib_modify_qp(qp, &attr,
			   IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS));
	return t_move(qp, IB_QPS_ERR);
}

/* the WR of configure_sig() was flushed, and completes once */
static int expect_one_flushed(struct ib_cq *cq)
{
	struct ib_wc wc[4];
	int i, n = 0;

	for (i = 0; i < 500 && !n; i++) {
		msleep(20);
		n = ib_poll_cq(cq, ARRAY_SIZE(wc), wc);
	}
	T_EXPECT(n, 1);
	T_EXPECT(wc[0].status, IB_WC_WR_FLUSH_ERR);
	T_EXPECT(wc[0].wr_id, PLAIN_WR_ID);
	msleep(100);
	T_EXPECT(ib_poll_cq(cq, ARRAY_SIZE(wc), wc), 0);
	return 0;
}

/* try to configure r->mkey on a QP in ERR whose CQ is @cq */
static int try_on_cq(struct sig_run *r, struct ib_cq *cq)
{
	struct t_end *e = &r->p->end[0];
	struct ib_cq *own = e->sq.cq;
	struct ib_qp *qp;
	int ret;

	e->sq.cq = cq;
	qp = create(e, IB_QPT_RC, MLX5DV_QP_EX_WITH_MKEY_CONFIGURE, NULL);
	e->sq.cq = own;
	T_TRY(PTR_ERR_OR_ZERO(qp));
	ret = move_to_err(qp) ? -EIO : configure_sig(qp, r->mkey);
	if (!ret && cq != own)
		ret = expect_one_flushed(cq);
	if (mlx5dv_destroy_qp(qp))
		return T_FAIL("the QP was not destroyed");
	return ret;
}

/*
 * On an unchanged mlx5_ib, the WQEs of a configuration with signatures complete separately if the
 * configuration fails. So the poller of the CQ must call the callback of wr_cqe.
 */
static int backend_plain_cq(struct sig_run *r)
{
	const struct ib_cq_init_attr attr = { .cqe = 16 };
	struct ib_cq *cq;
	int ret;

	cq = ib_create_cq(r->p->end[0].dev, NULL, NULL, NULL, &attr);
	T_TRY(PTR_ERR_OR_ZERO(cq));
	ret = try_on_cq(r, cq);
	ib_destroy_cq(cq);
	T_EXPECT(ret, dv_on_unchanged(r->p->end[0].dev) ? -EOPNOTSUPP : 0);
	T_EXPECT(try_on_cq(r, r->p->end[0].sq.cq), 0);
	return 0;
}

/*
 * The script makes the UMR fail, the first WQE of the configuration. The other WQEs are flushed.
 * The WR completes once, with the status of the UMR; on an unchanged mlx5_ib, as flushed.
 */
static int backend_part_fails(struct sig_run *r)
{
	const struct sig_case c = {
		.mem = { .on = true, .type = MLX5DV_SIG_TYPE_T10DIF },
	};
	struct mlx5dv_mkey_conf_attr attr = {};
	struct t_end *e = &r->p->end[0];

	T_TRY(dv_start(e, 1, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 1, &attr);
	sig_build(e, &c);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 1),
		 dv_on_unchanged(e->dev) ? IB_WC_WR_FLUSH_ERR : IB_WC_MW_BIND_ERR);
	T_TRY(t_settle(&e->sq));
	T_EXPECT(e->sq.nr, 1);
	return 0;
}

/* only mlx5dv_destroy_qp() destroys a QP with builders; it also destroys other QPs */
static int backend_destroy(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_qp_init_attr plain = {
		.send_cq = e->sq.cq, .recv_cq = e->rq.cq, .qp_type = IB_QPT_RC,
		.cap = { .max_send_wr = 4, .max_send_sge = 1 },
	};
	struct ib_qp *qp = create(e, IB_QPT_RC, MLX5DV_QP_EX_WITH_MKEY_CONFIGURE, NULL);
	int refused, found;

	T_TRY(PTR_ERR_OR_ZERO(qp));
	refused = ib_destroy_qp(qp);
	found = mlx5dv_qp_ex_from_ib_qp(qp) && mlx5dv_qp_ex_from_ib_qp(qp)->qp_ex.qp == qp;
	T_TRY(mlx5dv_destroy_qp(qp));
	T_EXPECT(refused, -EBUSY);
	T_EXPECT(found, 1);

	qp = ib_create_qp(e->pd, &plain);
	T_TRY(PTR_ERR_OR_ZERO(qp));
	found = mlx5dv_qp_ex_from_ib_qp(qp) ? 1 : 0;
	T_TRY(mlx5dv_destroy_qp(qp));
	T_EXPECT(found, 0);
	return 0;
}

static void build_write(struct t_pair *p, u32 i, u32 flags)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];

	dv_next(e, i % T_WRS, flags);
	ib_wr_rdma_write(dv_qpx(e), to->mr[0]->rkey, to->mr[0]->iova + 8 * (i % 64));
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma + 8 * (i % 64), 8);
}

static int post_write(struct t_pair *p, u32 i)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 8 * (i % 64), 8);
	struct ib_rdma_wr wr = {
		.wr = { .wr_id = i % T_WRS, .opcode = IB_WR_RDMA_WRITE, .num_sge = 1,
			.sg_list = &sge, .send_flags = IB_SEND_SIGNALED },
		.rkey = to->mr[0]->rkey,
		.remote_addr = to->mr[0]->iova + 8 * (i % 64),
	};

	return ib_post_send(e->qp, &wr.wr, NULL);
}

/* ib_post_send() posts while a chain of builders is open; this is repeated until the ring wraps */
static int backend_in_turn(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	u32 i;

	T_TRY(t_open(p, DV_REMOTE_RW));
	for (i = 0; i < ROUNDS; i += 2) {
		t_fill(e, 0, 512, i / 64);
		T_TRY(dv_start(e, i, IB_SEND_SIGNALED));
		build_write(p, i, IB_SEND_SIGNALED);
		T_EXPECT(post_write(p, i + 1), 0);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		T_EXPECT(t_wait(&e->sq, i % T_WRS), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&e->sq, (i + 1) % T_WRS), IB_WC_SUCCESS);
		/* the WRITE of ib_post_send() was posted first, and completes first */
		T_EXPECT(e->sq.order[0], (i + 1) % T_WRS);
		T_EXPECT(e->sq.order[1], i % T_WRS);
		T_EXPECT(e->sq.nr, 2);
		T_EXPECT(memcmp(to->buf + 8 * (i % 64), e->buf + 8 * (i % 64), 16), 0);
		t_clear_counts(&e->sq);
	}
	return 0;
}

/* the ring has space for max_send_wr work requests of both kinds together */
static int backend_full(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	u32 i, depth;

	T_TRY(t_open(p, DV_REMOTE_RW));
	T_TRY(ib_query_qp(e->qp, &attr, IB_QP_CAP, &init));
	depth = init.cap.max_send_wr;
	T_EXPECT(depth > 2 && depth < T_WRS, 1);
	T_TRY(dv_start(e, 0, 0));
	for (i = 0; i < depth; i++)
		build_write(p, i, i == depth - 1 ? IB_SEND_SIGNALED : 0);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	/* no completion was polled: there is no space for another work request */
	T_TRY(dv_start(e, 0, 0));
	build_write(p, depth, IB_SEND_SIGNALED);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -ENOMEM);
	T_EXPECT(post_write(p, depth), -ENOMEM);
	T_EXPECT(t_wait(&e->sq, depth - 1), IB_WC_SUCCESS);
	T_TRY(t_settle(&e->sq));
	T_EXPECT(e->sq.nr, 1);
	/* a chain longer than the ring is dropped as a whole */
	T_TRY(dv_start(e, 0, 0));
	for (i = 0; i <= depth; i++)
		build_write(p, i, IB_SEND_SIGNALED);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -ENOMEM);
	T_TRY(t_settle(&e->sq));
	T_EXPECT(e->sq.nr, 1);
	t_clear_counts(&e->sq);
	T_TRY(dv_start(e, 0, 0));
	build_write(p, 0, IB_SEND_SIGNALED);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	return dv_expect_only(&e->sq, 0, 0);
}

/* work requests after a failed one are flushed, each once, in order, of both kinds */
static int backend_flushed(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	u32 i;

	T_TRY(t_open(p, DV_REMOTE_RW));
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	ib_wr_rdma_write(dv_qpx(e), ~p->end[0].mr[0]->rkey, 0);
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
	for (i = 1; i < 4; i++)
		build_write(p, i, 0);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(post_write(p, 4), 0);
	T_TRY(dv_start(e, 0, 0));
	build_write(p, 5, IB_SEND_SIGNALED);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_REM_ACCESS_ERR);
	return t_expect_flushed(&e->sq, 1, 5);
}

/* RESET empties the ring, builders post nothing in RESET, and after RTS they begin at block 0 */
static int backend_reset(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	u32 i;

	T_TRY(t_open(p, DV_REMOTE_RW));
	for (i = 0; i < 5; i++) {
		T_TRY(dv_start(e, 0, 0));
		build_write(p, i, IB_SEND_SIGNALED);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
	}
	t_clear_counts(&e->sq);
	T_TRY(dv_start(e, 0, 0));
	build_write(p, 5, IB_SEND_SIGNALED);
	ib_wr_abort(dv_qpx(e));
	T_TRY(t_move(p->end[0].qp, IB_QPS_RESET));
	T_TRY(t_move(e->qp, IB_QPS_RESET));
	T_TRY(dv_start(e, 0, 0));
	build_write(p, 6, IB_SEND_SIGNALED);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	T_TRY(t_pair_connect_path(p, &t_default_path));
	for (i = 0; i < 5; i++) {
		T_TRY(dv_start(e, 0, 0));
		build_write(p, i, IB_SEND_SIGNALED);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
	}
	T_EXPECT(e->sq.nr, 5);
	return 0;
}

/* keeps an mkey; meanwhile the test tries to unload the module, or removes the device */
static int backend_hold(struct t_pair *p)
{
	struct mlx5dv_mkey *mkey = dv_mkey(&p->end[0], 0, 4);

	T_TRY(PTR_ERR_OR_ZERO(mkey));
	msleep(10000);
	mlx5dv_destroy_mkey(mkey);
	return 0;
}

const struct t_case dv_backend_cases[] = {
	DV_SIG(backend_part_fails, sig_with, &dv_opts),
	{ "backend_refused", backend_refused, &dv_opts },
	DV_SIG(backend_no_crc, sig_with, &dv_opts),
	DV_SIG(backend_plain_cq, sig_with, &dv_opts),
	{ "backend_sig_full", sig_full, &dv_opts },
	{ "backend_sig_full_refused", sig_full_refused, &dv_opts },
	{ "backend_sig_left", sig_left, &dv_opts },
	{ "backend_destroy", backend_destroy, &dv_opts },
	{ "backend_in_turn", backend_in_turn, &dv_opts },
	{ "backend_full", backend_full, &dv_opts },
	{ "backend_flushed", backend_flushed, &dv_opts },
	{ "backend_reset", backend_reset, &dv_opts },
	{ "backend_hold", backend_hold, &dv_opts },
	{ }
};
