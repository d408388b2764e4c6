// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Signature pipelining. A fenced SEND behind a transfer with a wrong signature is not
 * executed and can be cancelled. The QP continues after that.
 */
#include "sig.h"

static struct ib_qp *create_piped(struct ib_pd *pd, struct ib_qp_init_attr *attr)
{
	struct ib_qp_init_attr_ex ex = {
		.base = *attr,
		.comp_mask = IB_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IB_QP_EX_WITH_SEND | IB_QP_EX_WITH_RDMA_WRITE |
				  IB_QP_EX_WITH_RDMA_READ,
	};
	struct mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS |
			     MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
		.create_flags = MLX5DV_QP_CREATE_SIG_PIPELINING,
	};

	return mlx5dv_create_qp(pd, &ex, &mlx5);
}

static void build_send(struct t_end *e, u64 id, u32 at)
{
	const struct ib_sge sge = t_sge(e, at, 16);

	dv_next(e, id, IB_SEND_SIGNALED | IB_SEND_FENCE);
	ib_wr_send(dv_qpx(e));
	ib_wr_set_sge_list(dv_qpx(e), 1, &sge);
}

/* one chain: a WRITE from the mkey (1), a SEND for success (2), and another SEND (3) */
static int post_chain(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0], *peer = &r->p->end[1];

	T_TRY(t_post_recv(peer, 0));
	T_TRY(t_post_recv(peer, 1));
	T_TRY(dv_start(e, 1, IB_SEND_SIGNALED));
	ib_wr_rdma_write(dv_qpx(e), peer->mr[0]->rkey, peer->mr[0]->iova + 4096);
	ib_wr_set_sge(dv_qpx(e), r->mkey->lkey, 0, sig_local_len(&r->c));
	build_send(e, 2, 8192);
	build_send(e, 3, 8192 + 16);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	return 0;
}

static int fill(struct sig_run *r, bool bad)
{
	struct t_end *e = &r->p->end[0], *peer = &r->p->end[1];
	int i;

	t_fill(peer, 0, r->c.data, 5);
	sig_encode(&r->c.mem, peer->buf, r->c.data, r->in);
	r->in[1] ^= bad;
	/* the memory of the mkey is one piece, at offset 0 of the buffer */
	memcpy(e->buf, r->in, sig_bytes(&r->c.mem, r->c.data));
	for (i = 0; i < 2; i++)
		memset(e->buf + 8192 + 16 * i, 0xa0 + i, 16);
	t_set(peer, T_GUARD);
	return 0;
}

static int configure(struct sig_run *r)
{
	struct mlx5dv_mkey_conf_attr attr = {};
	struct t_end *e = &r->p->end[0];
	const struct ib_sge sge = t_sge(e, 0, sig_bytes(&r->c.mem, r->c.data));

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 2, &attr);
	mlx5dv_wr_set_mkey_layout_list(dv_of(e), 1, &sge);
	sig_build(e, &r->c);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

static const struct sig_case crc_in_memory = {
	.mem = { .on = true, .type = MLX5DV_SIG_TYPE_CRC, .size = MLX5DV_BLOCK_SIZE_512,
		 .crc = { MLX5DV_SIG_CRC_TYPE_CRC32, U32_MAX } },
	.check_mask = 0xff, .data = 1024,
};

static int sig_pipe_good(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0], *peer = &r->p->end[1];

	r->c = crc_in_memory;
	T_TRY(configure(r));
	T_TRY(fill(r, false));
	T_TRY(post_chain(r));
	T_TRY(dv_expect_only(&e->sq, 1, 3));
	T_EXPECT(t_wait(&peer->rq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&peer->rq, 1), IB_WC_SUCCESS);
	/* the QP does not enter SQD, and no SEND can be cancelled */
	T_EXPECT(mlx5dv_qp_cancel_posted_send_wrs(dv_of(e), 2), -EINVAL);
	T_EXPECT(t_state(e), IB_QPS_RTS);
	return sig_check(r, MLX5DV_MKEY_NO_ERR, NULL);
}

static int sig_pipe_bad(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0], *peer = &r->p->end[1];
	struct ib_qp_attr rts = { .qp_state = IB_QPS_RTS };
	int i;

	r->c = crc_in_memory;
	for (i = 0; i < 3; i++) {
		T_TRY(configure(r));
		T_TRY(fill(r, true));
		T_TRY(post_chain(r));
		T_TRY(t_wait_event(e, IB_EVENT_SQ_DRAINED));
		T_EXPECT(t_wait(&e->sq, 1), IB_WC_SUCCESS);
		T_TRY(t_settle(&e->sq));
		T_EXPECT(e->sq.nr, 1);
		T_TRY(sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL));
		T_EXPECT(t_state(e), IB_QPS_SQD);
		T_EXPECT(mlx5dv_qp_cancel_posted_send_wrs(dv_of(e), 77), 0);
		T_EXPECT(mlx5dv_qp_cancel_posted_send_wrs(dv_of(e), 2), 1);
		T_EXPECT(ib_modify_qp(e->qp, &rts, IB_QP_STATE), 0);
		/* both SENDs complete in order, and only the second SEND was sent */
		T_EXPECT(t_wait(&e->sq, 3), IB_WC_SUCCESS);
		T_EXPECT(e->sq.wc[2].status, IB_WC_SUCCESS);
		T_EXPECT(e->sq.wc[2].opcode, IB_WC_SEND);
		T_EXPECT(e->sq.nr, 3);
		T_EXPECT(t_wait(&peer->rq, 0), IB_WC_SUCCESS);
		T_TRY(t_settle(&peer->rq));
		T_EXPECT(peer->rq.nr, 1);
		t_clear_counts(&e->sq);
		t_clear_counts(&peer->rq);
		/* a SEND consumes the second receive of this round */
		T_TRY(dv_start(e, 0, 0));
		build_send(e, 4, 8192);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
		T_EXPECT(t_wait(&e->sq, 4), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&peer->rq, 1), IB_WC_SUCCESS);
		t_clear_counts(&e->sq);
		t_clear_counts(&peer->rq);
		atomic_set(&e->events[IB_EVENT_SQ_DRAINED], 0);
	}
	return 0;
}

/* a SEND is cancelled, and the QP is then moved to ERR instead of RTS */
static int sig_pipe_flushed(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0];

	r->c = crc_in_memory;
	T_TRY(configure(r));
	T_TRY(fill(r, true));
	T_TRY(post_chain(r));
	T_TRY(t_wait_event(e, IB_EVENT_SQ_DRAINED));
	T_EXPECT(mlx5dv_qp_cancel_posted_send_wrs(dv_of(e), 2), 1);
	T_TRY(t_move(e->qp, IB_QPS_ERR));
	T_EXPECT(t_wait(&e->sq, 1), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&e->sq, 2), IB_WC_WR_FLUSH_ERR);
	T_EXPECT(t_wait(&e->sq, 3), IB_WC_WR_FLUSH_ERR);
	return sig_check(r, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, NULL);
}

/* a QP without signature pipelining has no SEND to cancel; a UC QP cannot have it */
static int sig_pipe_absent(struct t_pair *p)
{
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_UC, .send_cq = p->end[0].sq.cq, .recv_cq = p->end[0].rq.cq,
		.cap = { .max_send_wr = 4 },
	};

	T_EXPECT(mlx5dv_qp_cancel_posted_send_wrs(dv_of(&p->end[0]), 0), -EOPNOTSUPP);
	T_EXPECT(PTR_ERR(create_piped(p->end[0].pd, &attr)), -EOPNOTSUPP);
	return 0;
}

/*
 * The script loads devices without drain_sigerr, which support signatures but no pipelining.
 */
static int sig_caps_no_drain(struct t_pair *p)
{
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_RC, .send_cq = p->end[0].sq.cq, .recv_cq = p->end[0].rq.cq,
		.cap = { .max_send_wr = 4 },
	};
	struct mlx5dv_mkey *mkey = dv_mkey(&p->end[0], MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
					   4);
	int ret;

	T_EXPECT(PTR_ERR_OR_ZERO(mkey), 0);
	ret = sig_try(&p->end[0], mkey, &crc_in_memory);
	mlx5dv_destroy_mkey(mkey);
	T_EXPECT(ret, 0);
	T_EXPECT(PTR_ERR(create_piped(p->end[0].pd, &attr)), -EOPNOTSUPP);
	return 0;
}

static const struct t_opts piped = { .create_qp = create_piped, .destroy_qp = mlx5dv_destroy_qp,
.inline_size = 60 };

const struct t_case dv_sig_pipe_cases[] = {
	DV_SIG(sig_pipe_good, sig_with_peer, &piped),
	DV_SIG(sig_pipe_bad, sig_with_peer, &piped),
	DV_SIG(sig_pipe_flushed, sig_with_peer, &piped),
	{ "sig_pipe_absent", sig_pipe_absent, &dv_opts },
	{ "sig_caps_no_drain", sig_caps_no_drain, &dv_opts },
	{ }
};
