// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5dv_qp_add_builders(): QPs of ib_create_qp() that get builders later. End 1 owns the memory.
 */
#include "dv.h"

#define PIECES	16	/* entries of a layout that fits in each work request */
#define PIECE	96	/* bytes of an entry */
#define LENGTH	(PIECES * PIECE)
#define SEED	7

/* builders of the cases */
#define SEND_OPS	(IB_QP_EX_WITH_RDMA_WRITE | IB_QP_EX_WITH_RDMA_READ)
#define MKEY_OPS	MLX5DV_QP_EX_WITH_MKEY_CONFIGURE

static int build_write(struct t_pair *p, u64 id)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];

	T_TRY(dv_start(e, id, IB_SEND_SIGNALED));
	ib_wr_rdma_write(dv_qpx(e), to->mr[0]->rkey, to->mr[0]->iova);
	ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, PIECE);
	return ib_wr_complete(dv_qpx(e));
}

static int configure(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	struct mlx5dv_mkey_conf_attr attr = {};
	struct ib_sge sge[PIECES];
	int i;

	for (i = 0; i < PIECES; i++)
		sge[i] = t_sge(e, 2 * i * PIECE, PIECE);
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), DV_REMOTE_RW);
	mlx5dv_wr_set_mkey_layout_list(dv_of(e), PIECES, sge);
	return ib_wr_complete(dv_qpx(e));
}

/* the peer READs the pieces by one key */
static int read_mkey(struct t_pair *p, struct mlx5dv_mkey *mkey)
{
	struct t_end *peer = &p->end[0], *e = &p->end[1];
	struct ib_sge into = t_sge(peer, 0, LENGTH);
	int i;

	T_EXPECT(configure(e, mkey), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_set(peer, T_GUARD);
	for (i = 0; i < PIECES; i++)
		t_fill(e, 2 * i * PIECE, PIECE, SEED + i);
	T_EXPECT(t_rdma(peer, 1, IB_WR_RDMA_READ, &into, 0, mkey->rkey), IB_WC_SUCCESS);
	for (i = 0; i < PIECES; i++)
		T_TRY(t_check(peer, i * PIECE, PIECE, SEED + i));
	return 0;
}

static int with_mkey(struct t_pair *p)
{
	struct mlx5dv_mkey *mkey = dv_mkey(&p->end[1], 0, PIECES);
	int ret;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	ret = read_mkey(p, mkey);
	mlx5dv_destroy_mkey(mkey);
	return ret;
}

/* a connected QP gets builders in two calls, uses them, loses them, and is destroyed as usual */
static int wr_add_connected(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, PIECE);

	T_TRY(t_open(p, DV_REMOTE_RW));
	T_EXPECT(mlx5dv_qp_add_builders(e->qp, SEND_OPS, 0), 0);
	t_fill(e, 0, PIECE, SEED);
	T_EXPECT(build_write(p, 0), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	T_TRY(t_check(to, 0, PIECE, SEED));
	t_clear_counts(&e->sq);

	T_EXPECT(mlx5dv_qp_add_builders(e->qp, 0, MKEY_OPS), 0);
	T_TRY(with_mkey(p));
	t_clear_counts(&e->sq);
	/* the second call has kept the builders of the first */
	T_EXPECT(build_write(p, 2), 0);
	T_EXPECT(t_wait(&e->sq, 2), IB_WC_SUCCESS);
	T_EXPECT(t_rdma(e, 3, IB_WR_RDMA_WRITE, &sge, to->mr[0]->iova, to->mr[0]->rkey),
		 IB_WC_SUCCESS);
	mlx5dv_qp_remove_builders(e->qp);
	if (mlx5dv_qp_ex_from_ib_qp(e->qp))
		T_EXPECT(build_write(p, 4), -EOPNOTSUPP);
	T_EXPECT(t_rdma(e, 5, IB_WR_RDMA_WRITE, &sge, to->mr[0]->iova, to->mr[0]->rkey),
		 IB_WC_SUCCESS);
	return 0;
}

/* a builder that was not added is refused */
static int wr_add_other(struct t_pair *p)
{
	struct t_end *e = &p->end[1];

	T_EXPECT(mlx5dv_qp_add_builders(e->qp, IB_QP_EX_WITH_SEND, 0), 0);
	T_EXPECT(build_write(p, 0), -EOPNOTSUPP);
	mlx5dv_qp_remove_builders(e->qp);
	/* without builders, there is nothing to remove */
	mlx5dv_qp_remove_builders(e->qp);
	return 0;
}

/* the QP is connected: it is too late for memory copies that INIT2INIT must enable */
static int wr_add_bad(struct t_pair *p)
{
	struct ib_qp *qp = p->end[1].qp;

	T_EXPECT(mlx5dv_qp_add_builders(qp, BIT_ULL(32), 0), -EOPNOTSUPP);
	T_EXPECT(mlx5dv_qp_add_builders(qp, 0, BIT_ULL(32)), -EOPNOTSUPP);
	T_EXPECT(mlx5dv_qp_add_builders(qp, 0, BIT(31)), -EOPNOTSUPP);
	T_EXPECT(mlx5dv_qp_add_builders(qp, 0, MLX5DV_QP_EX_WITH_MEMCPY), -EINVAL);
	/* nothing was added */
	if (mlx5dv_qp_ex_from_ib_qp(qp))
		T_EXPECT(build_write(p, 0), -EOPNOTSUPP);
	return 0;
}

static int wr_add_bad_ud(struct t_pair *p)
{
	struct ib_qp *qp = p->end[1].qp;

	T_EXPECT(mlx5dv_qp_add_builders(qp, IB_QP_EX_WITH_RDMA_WRITE, 0), -EOPNOTSUPP);
	T_EXPECT(mlx5dv_qp_add_builders(qp, 0, MKEY_OPS), -EOPNOTSUPP);
	T_EXPECT(mlx5dv_qp_add_builders(qp, IB_QP_EX_WITH_SEND, 0), 0);
	mlx5dv_qp_remove_builders(qp);
	return 0;
}

static int add_copies(struct ib_qp *qp)
{
	return mlx5dv_qp_add_builders(qp, 0, MLX5DV_QP_EX_WITH_MEMCPY);
}

static int copy_once(struct t_end *e, u64 id)
{
	const u32 lkey = e->pd->local_dma_lkey, to = 2048;

	t_set(e, T_GUARD);
	t_fill(e, 0, PIECE, SEED + id);
	T_TRY(dv_start(e, id, IB_SEND_SIGNALED));
	mlx5dv_wr_memcpy(dv_of(e), lkey, e->dma + to, lkey, e->dma, PIECE);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, id), IB_WC_SUCCESS);
	return t_check(e, to, PIECE, SEED + id);
}

/* memory copies are added in INIT, also when the QP is moved to INIT again */
static int wr_add_memcpy(struct t_pair *p)
{
	T_TRY(copy_once(&p->end[1], 0));
	T_TRY(t_move(p->end[0].qp, IB_QPS_RESET));
	T_TRY(t_move(p->end[1].qp, IB_QPS_RESET));
	T_TRY(t_pair_connect_path(p, &t_default_path));
	return copy_once(&p->end[1], 1);
}

static const struct t_opts plain = { .inline_size = 248 };
static const struct t_opts plain_ud = { .type = IB_QPT_UD };
static const struct t_opts with_copies = {
	.in_init = add_copies, .destroy_qp = mlx5dv_destroy_qp,
};

const struct t_case dv_wr_add_cases[] = {
	{ "wr_add_connected", wr_add_connected, &plain },
	{ "wr_add_other", wr_add_other, &plain },
	{ "wr_add_bad", wr_add_bad, &plain },
	{ "wr_add_bad_ud", wr_add_bad_ud, &plain_ud },
	{ "wr_add_memcpy", wr_add_memcpy, &with_copies },
	{ }
};
