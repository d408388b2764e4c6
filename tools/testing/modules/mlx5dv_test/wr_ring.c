// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The work request API and the ring: WQEs of each length at each offset of the ring, a
 * full ring, and WQEs that the caller has built.
 */
#include <linux/mlx5/qp.h>

#include "dv.h"

#define RING_TURNS	3

/* inline data of 1 to 700 bytes: WQEs begin at each block, and wrap around the end of the ring */
static int ring_wrap(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	struct ib_sge into = t_sge(to, 0, 1024);
	u32 i, len;

	for (i = 0; i < 400; i++) {
		len = 1 + i * 53 % 700;
		t_set(to, T_GUARD);
		t_fill(e, 0, len, i);
		T_TRY(t_post_recv_sges(to, 0, &into, 1));
		T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
		ib_wr_send(dv_qpx(e));
		ib_wr_set_inline_data(dv_qpx(e), e->buf, len);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		T_EXPECT(t_wait(&to->rq, 0), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
		T_TRY(t_check_only(to, 0, len, i));
		t_clear_counts(&e->sq);
		t_clear_counts(&to->rq);
	}
	return 0;
}

/*
 * A chain with one work request more than fits is not posted; after completions, a chain is posted.
 */
static int ring_full(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	u32 n, i;

	T_TRY(ib_query_qp(e->qp, &attr, IB_QP_CAP, &init));
	n = init.cap.max_send_wr;
	T_EXPECT(n > 1 && n < T_WRS, 1);
	T_TRY(t_open(p, DV_REMOTE_RW));
	for (i = 0; i < RING_TURNS; i++) {
		struct ib_mr *mr = p->end[0].mr[0];
		u32 k;

		T_TRY(dv_start(e, 0, 0));
		for (k = 0; k <= n; k++) {
			dv_next(e, k, IB_SEND_SIGNALED);
			ib_wr_rdma_write(dv_qpx(e), mr->rkey, mr->iova);
			ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
		}
		T_EXPECT(ib_wr_complete(dv_qpx(e)), -ENOMEM);
		T_TRY(dv_start(e, 0, 0));
		for (k = 0; k < n; k++) {
			dv_next(e, k, IB_SEND_SIGNALED);
			ib_wr_rdma_write(dv_qpx(e), mr->rkey, mr->iova);
			ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, 8);
		}
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		T_TRY(dv_expect_only(&e->sq, 0, n - 1));
		t_clear_counts(&e->sq);
	}
	return 0;
}

/* builds a SEND of two pieces; the ring must replace its index and its signature */
static u32 raw_send(__be32 *wqe, const struct t_end *e, u32 len)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe;
	struct mlx5_wqe_data_seg *data = (void *)(ctrl + 1);
	int i;

	memset(wqe, 0, 48);
	ctrl->opmod_idx_opcode = cpu_to_be32(0x00abcd00 | MLX5_OPCODE_SEND);
	ctrl->qpn_ds = cpu_to_be32(e->qp->qp_num << 8 | 3);
	ctrl->signature = 0x77;
	ctrl->fm_ce_se = MLX5_WQE_CTRL_CQ_UPDATE;
	for (i = 0; i < 2; i++) {
		data[i].byte_count = cpu_to_be32(len / 2);
		data[i].lkey = cpu_to_be32(e->pd->local_dma_lkey);
		data[i].addr = cpu_to_be64(e->dma + i * (len / 2));
	}
	return len;
}

/* raw WQEs and work requests of builders in turn */
static int raw_wqe(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	struct ib_sge into = t_sge(to, 0, 1024);
	__be32 wqe[16];
	u32 i, len;
	int ret;

	for (i = 0; i < 40; i++) {
		t_set(to, T_GUARD);
		t_fill(e, 0, 600, i);
		T_TRY(t_post_recv_sges(to, 0, &into, 1));
		T_TRY(t_post_recv_sges(to, 1, &into, 1));
		len = raw_send(wqe, e, 100 + 8 * i);
		/*
		 * the WQE contains the flags of a raw WQE; the flags of dv_start() have no effect
		 */
		T_TRY(dv_start(e, 0, IB_SEND_IP_CSUM));
		ret = mlx5dv_wr_raw_wqe(dv_of(e), wqe);
		dv_next(e, 1, IB_SEND_SIGNALED);
		ib_wr_send(dv_qpx(e));
		ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma, len);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		T_EXPECT(ret, 0);
		T_TRY(dv_expect_only(&e->sq, 0, 1));
		T_TRY(dv_expect_only(&to->rq, 0, 1));
		T_EXPECT(e->sq.wc[0].opcode, dv_wc_raw_send(e));
		T_EXPECT(e->sq.wc[1].opcode, IB_WC_SEND);
		T_TRY(t_check_only(to, 0, len, i));
		t_clear_counts(&e->sq);
		t_clear_counts(&to->rq);
	}
	return 0;
}

static const struct t_opts small_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .sq_depth = 4, .inline_size = 704,
};

static const struct t_opts uc_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .type = IB_QPT_UC,
};

const struct t_case dv_wr_ring_cases[] = {
	{ "ring_wrap", ring_wrap, &small_opts },
	{ "ring_full", ring_full, &dv_opts },
	{ "raw_wqe", raw_wqe, &dv_opts },
	{ "raw_wqe_uc", raw_wqe, &uc_opts },
	{ }
};
