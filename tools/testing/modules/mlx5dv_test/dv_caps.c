// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices without some capabilities: before each case the script loads the simulator with the
 * parameters that the headings below name.
 */
#include "dc_pair.h"

/* ---- umr_modify_atomic_disabled=1 ---- */

static int build_pieces(struct t_end *e, struct mlx5dv_mkey *mkey, u32 access)
{
	const struct ib_sge pieces[2] = { t_sge(e, 0, 100), t_sge(e, 200, 100) };
	int ret;

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mr_list(dv_of(e), mkey, access, 2, pieces);
	ret = ib_wr_complete(dv_qpx(e));
	if (ret)
		return ret;
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/* an mkey cannot allow atomics; all other access can be set, invalidated and set again */
static int no_atomics(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	const struct ib_sge sge = t_sge(e, 0, 200);
	int i;

	T_EXPECT(build_pieces(owner, mkey, DV_REMOTE_RW | IB_ACCESS_REMOTE_ATOMIC), -EOPNOTSUPP);
	for (i = 0; i < 2; i++) {
		T_EXPECT(build_pieces(owner, mkey, DV_REMOTE_RW), 0);
		T_EXPECT(dv_rdma(e, 0, IB_WR_RDMA_READ, &sge, 0, mkey->rkey), IB_WC_SUCCESS);
		t_clear_counts(&e->sq);
		T_TRY(dv_start(owner, 0, IB_SEND_SIGNALED));
		ib_wr_local_inv(dv_qpx(owner), mkey->lkey);
		T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
		T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
		t_clear_counts(&owner->sq);
	}
	return 0;
}

static int caps_no_atomics(struct t_pair *p)
{
	struct mlx5dv_mkey *mkey = dv_mkey(&p->end[0], 0, 4);
	int ret;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	ret = no_atomics(p, mkey);
	mlx5dv_destroy_mkey(mkey);
	return ret;
}

/* ---- log_max_ra_res_dc and log_max_ra_req_dc ---- */

/* a DCI can enter RTS with the largest depth, but not with one more */
static int run_depth(struct dc *dc, u8 depth)
{
	T_TRY(t_move(dc->dci, IB_QPS_RESET));
	T_EXPECT(dv_connect_dci(dc->dci, depth), 0);
	T_TRY(t_move(dc->dci, IB_QPS_RESET));
	T_EXPECT(dv_connect_dci(dc->dci, depth + 1), -EINVAL);
	return 0;
}

/* depth 4 of the requester, 16 of the responder */
static int caps_depth_4(struct dc *dc)
{
	return run_depth(dc, 4);
}

/* depth 16 of the requester, 4 of the responder */
static int caps_depth_16(struct dc *dc)
{
	return run_depth(dc, 16);
}

/* ---- log_max_dci_errored_streams=0 ---- */

static int run_no_errored(struct dc *dc)
{
	T_EXPECT(mlx5dv_dci_stream_id_reset(dc->dci, 1), -EOPNOTSUPP);
	return 0;
}

static int caps_no_errored(struct t_pair *p)
{
	const struct mlx5dv_dci_streams streams = { .log_num_concurent = 2 };

	return dv_dc_with(p, &streams, run_no_errored);
}

/* ---- no memory copies ---- */

static int caps_no_memcpy(struct t_pair *p)
{
	struct mlx5dv_context ctx = { .comp_mask = MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH };
	struct t_end *e = &p->end[1];
	struct ib_qp_init_attr_ex ex = {
		.base = { .send_cq = e->sq.cq, .recv_cq = e->rq.cq, .qp_type = IB_QPT_RC,
			  .cap = { .max_send_wr = 1, .max_send_sge = 1 } },
	};
	const struct mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MEMCPY,
	};

	T_TRY(mlx5dv_query_device(e->dev, &ctx));
	T_EXPECT(ctx.max_wr_memcpy_length, 0);
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EOPNOTSUPP);
	return 0;
}

static const struct t_opts caps_dc_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .srq_depth = T_DEPTH,
};

const struct t_case dv_dv_caps_cases[] = {
	{ "caps_no_atomics", caps_no_atomics, &dv_opts },
	DV_DC(caps_depth_4, NULL, &caps_dc_opts),
	DV_DC(caps_depth_16, NULL, &caps_dc_opts),
	{ "caps_no_errored", caps_no_errored, &caps_dc_opts },
	{ "caps_no_memcpy", caps_no_memcpy },
	{ }
};
