// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Dynamically connected transport: a DCI at end a, a DCT with a shared receive
 * queue at end b.
 *
 * The expected results of messages come from rdma-core's test_mlx5_dc.py and
 * from the rules of RC. The expected results of streams come from
 * mlx5dv_create_qp(3) and mlx5dv_dci_stream_id_reset(3).
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"
#include "tests/flow.h"

#define DCTN	0x40000
#define KEY	0xbadc0deULL
#define CE	MLX5_WQE_CTRL_CQ_UPDATE

static struct sim_dct *dc_target(struct kunit *test, struct flow *f)
{
	struct sim_dct *dct = kunit_kzalloc(test, sizeof(*dct), GFP_KERNEL);
	u32 dctc[MLX5_ST_SZ_DW(dctc)] = {};

	KUNIT_ASSERT_NOT_NULL(test, dct);
	MLX5_SET64(dctc, dctc, dc_access_key, KEY);
	MLX5_SET(dctc, dctc, mtu, MLX5_DCTC_MTU_1K_BYTES);
	MLX5_SET(dctc, dctc, min_rnr_nak, 12);
	MLX5_SET(dctc, dctc, rre, 1);
	MLX5_SET(dctc, dctc, rwe, 1);
	MLX5_SET(dctc, dctc, rae, 1);
	MLX5_SET(dctc, dctc, user_index, 0x5678);
	MLX5_SET(dctc, dctc, counter_set_id, 1);
	sim_dct_fill(dct, dctc, 2);
	dct->qp.obj.id = DCTN;
	dct->qp.pd = &f->b.pd;
	dct->qp.rcq = &f->b.rcq;
	flow_make_srq(f);
	dct->qp.srq = &f->srq;
	KUNIT_ASSERT_EQ(test, sim_dp_qp_create(f->b.sdev, &dct->qp), 0);
	dct->qp.dp->established = true;
	sim_dp_stub.dct = dct;
	return dct;
}

/*
 * Sets 2^@log_streams streams; the QP goes to error with 2^@log_errored streams
 * in error.
 */
static void dc_streams(struct kunit *test, struct flow *f, u8 log_streams, u8 log_errored)
{
	sim_dci_exit(&f->a.qp->dci);
	KUNIT_ASSERT_EQ(test, sim_dci_init(&f->a.qp->dci, log_streams, log_errored), 0);
}

static int dc_init(struct kunit *test)
{
	struct flow *f;
	int err;

	err = flow_init(test);
	if (err)
		return err;
	f = test->priv;
	f->a.qp->st = MLX5_QP_ST_DCI;
	f->a.qp->rq_type = MLX5_ZERO_LEN_RQ;
	f->a.qp->remote_qpn = 0;
	dc_target(test, f);
	dc_streams(test, f, 0, 0);
	return 0;
}

static void dc_exit(struct kunit *test)
{
	struct flow *f = test->priv;

	if (!f)
		return;
	sim_dci_exit(&f->a.qp->dci);
	if (sim_dp_stub.dct)
		sim_dp_qp_destroy(f->b.sdev, &sim_dp_stub.dct->qp);
	flow_exit(test);
}

static struct mlx5_av *av_of(struct flow_end *e, u16 counter)
{
	return (struct mlx5_av *)(e->ring + (counter % FLOW_RING) * MLX5_SEND_WQE_BB +
				  sizeof(struct mlx5_wqe_ctrl_seg));
}

/*
 * Post a WQE of two basic blocks with a message to the DCT. The second block
 * contains @remote if not NULL, and for an atomic the operands: swap or add 1,
 * compare 0.
 */
static void post_dc(struct flow_end *e, u8 opcode, u16 stream, void *at, u32 len, void *remote)
{
	bool atomic = opcode == MLX5_OPCODE_ATOMIC_FA || opcode == MLX5_OPCODE_ATOMIC_CS;
	struct mlx5_av *av = av_of(e, e->posted);
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)av - 1;
	struct mlx5_wqe_raddr_seg *raddr = (struct mlx5_wqe_raddr_seg *)(av + 1);
	struct mlx5_wqe_atomic_seg *aseg = (struct mlx5_wqe_atomic_seg *)(raddr + 1);
	struct mlx5_wqe_data_seg *data = (struct mlx5_wqe_data_seg *)raddr + !!remote + atomic;

	memset(ctrl, 0, 2 * MLX5_SEND_WQE_BB);
	ctrl->opmod_idx_opcode = cpu_to_be32((u32)e->posted << 8 | opcode);
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(e->qp) << 8 | (5 + !!remote + atomic));
	ctrl->rsvd[0] = stream >> 8;
	ctrl->rsvd[1] = stream;
	ctrl->fm_ce_se = CE;
	ctrl->imm = cpu_to_be32(FLOW_MR_KEY);	/* immediate data, or key to invalidate */
	av->key.dc_key = cpu_to_be64(KEY);
	av->dqp_dct = cpu_to_be32(MLX5_EXTENDED_UD_AV | DCTN);
	av->rmac[5] = 2;
	av->rgid[15] = 2;
	av->grh_gid_fl = cpu_to_be32(BIT(30));
	if (remote) {
		raddr->raddr = cpu_to_be64((uintptr_t)remote);
		raddr->rkey = cpu_to_be32(FLOW_MR_KEY);
	}
	if (atomic)
		aseg->swap_add = cpu_to_be64(1);
	data->byte_count = cpu_to_be32(len);
	data->lkey = cpu_to_be32(FLOW_PA_KEY);
	data->addr = cpu_to_be64((uintptr_t)at);
	e->posted += 2;
	e->dbr[MLX5_SND_DBR] = cpu_to_be32(e->posted);
}

static struct mlx5_wqe_raddr_seg *raddr_of(struct flow_end *e, u16 counter)
{
	return (struct mlx5_wqe_raddr_seg *)(av_of(e, counter) + 1);
}

static void no_violation(struct kunit *test)
{
	int i;

	for (i = 0; i < SIM_VIO_MAX; i++)
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[i], 0);
}

/* ---- messages ---- */

static void send_arrives(struct kunit *test)
{
	struct flow *f = test->priv;
	struct mlx5_cqe64 *cqe;
	u32 next = 0;

	strscpy(f->a.mem, "to whom it may concern", 32);
	flow_post_srq(f, 0, f->b.mem, 32);
	post_dc(&f->a, MLX5_OPCODE_SEND_IMM, 0, f->a.mem, 32, NULL);
	sim_qp_poll(f->a.sdev);
	cqe = &sim_dp_stub.cqe[0];
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_STREQ(test, f->b.mem, "to whom it may concern");
	KUNIT_EXPECT_EQ(test, cqe->op_own >> 4, MLX5_CQE_RESP_SEND_IMM);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(cqe->immediate), FLOW_MR_KEY);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(cqe->srqn), 0x5678);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(cqe->sop_drop_qpn), DCTN);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(cqe->flags_rqpn), sim_qp_qpn(f->a.qp));
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 0);
}

/*
 * A DCT does not check sequence numbers, because each message uses a new
 * connection.
 */
static void no_sequence(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	flow_post_srq(f, 0, f->b.mem, 8);
	flow_post_srq(f, 1, f->b.mem, 8);
	post_dc(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	f->a.qp->send_psn = 0x123456;
	post_dc(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->b.rcq, 1, 0);
	flow_expect(test, &next, &f->a.scq, 2, 0);
	flow_no_more(test, next);
}

static void remote_memory(struct kunit *test)
{
	struct flow *f = test->priv;
	u64 *word = (u64 *)(f->b.mem + 64), *reply = (u64 *)(f->a.mem + 64);
	u32 next = 0;

	*word = 41;
	strscpy(f->a.mem, "written", 8);
	flow_post_srq(f, 0, f->b.mem, 8);
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE_IMM, 0, f->a.mem, 8, f->b.mem);
	post_dc(&f->a, MLX5_OPCODE_RDMA_READ, 0, f->a.mem + 32, 8, f->b.mem);
	post_dc(&f->a, MLX5_OPCODE_ATOMIC_FA, 0, reply, 8, word);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 2, 0);
	flow_expect(test, &next, &f->a.scq, 4, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.cqe[0].op_own >> 4, MLX5_CQE_RESP_WR_IMM);
	KUNIT_EXPECT_STREQ(test, f->b.mem, "written");
	KUNIT_EXPECT_STREQ(test, f->a.mem + 32, "written");
	KUNIT_EXPECT_EQ(test, *word, 42);
	KUNIT_EXPECT_EQ(test, be64_to_cpup((__be64 *)reply), 41);
	no_violation(test);
}

static void send_invalidates(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	flow_post_srq(f, 0, f->b.mem, 8);
	post_dc(&f->a, MLX5_OPCODE_SEND_INVAL, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_TRUE(test, f->mr.free);
	flow_no_more(test, next);
}

static void rnr_waits(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	post_dc(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->b.sdev->ctr[SIM_CTR_rnr_naks], 1);
	flow_post_srq(f, 0, f->b.mem, 8);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_no_more(test, next);
}

/*
 * ---- messages that are refused; the DCT still accepts the next message ----
 */

enum trouble_kind { OTHER_KEY, NO_DCT, DRAINED, NO_WRITE, NO_ATOMIC, BAD_RKEY, TOO_LONG, BAD_RECV,
	       CQ_GONE, BIG_MTU, OTHER_GID };

static const struct trouble_case {
	const char *name;
	enum trouble_kind trouble;
	u8 opcode;
	u8 synd;
} trouble_cases[] = {
	{ "other access key", OTHER_KEY, MLX5_OPCODE_SEND, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR },
	{ "no such DCT", NO_DCT, MLX5_OPCODE_SEND, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR },
	{ "drained", DRAINED, MLX5_OPCODE_SEND, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR },
	{ "no right to write", NO_WRITE, MLX5_OPCODE_RDMA_WRITE,
	  MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR },
	{ "no right to atomics", NO_ATOMIC, MLX5_OPCODE_ATOMIC_FA,
	  MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR },
	{ "unknown remote key", BAD_RKEY, MLX5_OPCODE_RDMA_READ,
	  MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR },
	{ "longer than the receive", TOO_LONG, MLX5_OPCODE_SEND,
	  MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR },
	{ "receive with a bad key", BAD_RECV, MLX5_OPCODE_SEND, MLX5_CQE_SYNDROME_REMOTE_OP_ERR },
	{ "CQ in error", CQ_GONE, MLX5_OPCODE_SEND, MLX5_CQE_SYNDROME_REMOTE_OP_ERR },
	{ "longer packets than the DCT takes", BIG_MTU, MLX5_OPCODE_SEND,
	  MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR },
	{ "wrong way", OTHER_GID, MLX5_OPCODE_SEND, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR },
};

KUNIT_ARRAY_PARAM_DESC(trouble, trouble_cases, name);

static void make_trouble(struct flow *f, enum trouble_kind trouble, bool on)
{
	struct sim_dct *dct = sim_dp_stub.dct;

	switch (trouble) {
	case OTHER_KEY:
		av_of(&f->a, 0)->key.dc_key = cpu_to_be64(KEY + 1);
		break;
	case NO_DCT:
		av_of(&f->a, 0)->dqp_dct = cpu_to_be32(MLX5_EXTENDED_UD_AV | 0x41);
		break;
	case DRAINED:
		dct->state = on ? MLX5_DCTC_STATE_DRAINED : MLX5_DCTC_STATE_ACTIVE;
		break;
	case NO_WRITE:
		dct->qp.rwe = !on;
		break;
	case NO_ATOMIC:
		dct->qp.rae = !on;
		break;
	case BAD_RKEY:
		raddr_of(&f->a, 0)->rkey = cpu_to_be32(FLOW_MR_KEY + 1);
		break;
	case CQ_GONE:
		f->b.rcq.error = on;
		break;
	case BIG_MTU:
		f->a.qp->mtu = on ? 4 : 3;
		break;
	case OTHER_GID:
		av_of(&f->a, 0)->rgid[15] = 3;
		break;
	default:
		break;
	}
}

/*
 * A message that is too long, or whose receive has a bad key, consumes the
 * receive.
 */
static void dct_survives(struct kunit *test)
{
	const struct trouble_case *c = test->param_value;
	bool bad_recv = c->trouble == TOO_LONG || c->trouble == BAD_RECV;
	struct flow *f = test->priv;
	void *remote = c->opcode == MLX5_OPCODE_SEND ? NULL : f->b.mem;
	u32 next = 0;

	dc_streams(test, f, 1, 1);
	f->a.qp->retry_count = 0;
	sim_dp_qp_rts(f->a.sdev, f->a.qp);
	flow_post_srq(f, 0, f->b.mem, c->trouble == TOO_LONG ? 4 : 2048);
	flow_post_srq(f, 1, f->b.mem, 2048);
	if (c->trouble == BAD_RECV)
		f->srq_ring[16 + 7] ^= 2;	/* variant byte of the key */
	post_dc(&f->a, c->opcode, 0, f->a.mem, c->trouble == BIG_MTU ? 2048 : 8, remote);
	make_trouble(f, c->trouble, true);
	sim_qp_poll(f->a.sdev);
	if (bad_recv)
		flow_expect(test, &next, &f->b.rcq, 0, c->trouble == TOO_LONG ?
			    MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR : MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	flow_expect(test, &next, &f->a.scq, 0, c->synd);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.dct->key_violations, c->trouble == OTHER_KEY);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_lookup], c->trouble == BAD_RECV);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 0);

	make_trouble(f, c->trouble, false);
	post_dc(&f->a, MLX5_OPCODE_SEND, 1, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, bad_recv, 0);
	flow_expect(test, &next, &f->a.scq, 2, 0);
	flow_no_more(test, next);
}

/* ---- streams ---- */

/*
 * An error on one of four streams: the next WQEs of the stream are flushed, the
 * other streams continue.
 */
static void stream_fails_alone(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	dc_streams(test, f, 2, 1);
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 1, f->a.mem, 8, f->b.mem);
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 2, f->a.mem, 8, f->b.mem);
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 1, f->a.mem, 8, f->b.mem);
	raddr_of(&f->a, 0)->rkey = 0;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	flow_expect(test, &next, &f->a.scq, 2, 0);
	flow_expect(test, &next, &f->a.scq, 4, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_RTS);

	/* only the low bits of a stream id are used */
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 5, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 6, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, sim_dci_recover(&f->a.qp->dci, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, sim_dci_recover(&f->a.qp->dci, 9), 0);
	KUNIT_EXPECT_EQ(test, sim_dci_recover(&f->a.qp->dci, 1), -EINVAL);
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 1, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 8, 0);
	flow_no_more(test, next);
	no_violation(test);
}

/*
 * An error of local memory puts a stream in error, too. Here the second stream
 * in error moves the QP to ERR.
 */
static void streams_take_the_qp(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	dc_streams(test, f, 2, 1);
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 3, f->a.mem, 8, f->b.mem);
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 3, f->a.mem, 8, f->b.mem);
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 0, f->a.mem, 8, f->b.mem);
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 1, f->a.mem, 8, f->b.mem);
	f->pa.free = true;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	flow_expect(test, &next, &f->a.scq, 2, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_expect(test, &next, &f->a.scq, 4, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_ERR);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 6, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_lookup], 2);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 0);

	sim_dci_reset(&f->a.qp->dci);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_FALSE(test, sim_dci_bad(&f->a.qp->dci, i));
}

/*
 * A read that fails late flushes only the pending WQEs of its stream.
 */
static void late_failure(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	dc_streams(test, f, 2, 2);
	post_dc(&f->a, MLX5_OPCODE_RDMA_READ, 1, f->a.mem, 8, f->b.mem);
	post_dc(&f->a, MLX5_OPCODE_RDMA_READ, 1, f->a.mem, 8, f->b.mem);
	post_dc(&f->a, MLX5_OPCODE_RDMA_READ, 2, f->a.mem + 8, 8, f->b.mem);
	sim_dp_stub.hole = (uintptr_t)f->a.mem;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	flow_expect(test, &next, &f->a.scq, 2, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_expect(test, &next, &f->a.scq, 4, 0);
	flow_no_more(test, next);
}

/* After a stream has used its retries, the next stream has all its retries. */
static void retries_of_each(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	dc_streams(test, f, 2, 2);
	flow_post_srq(f, 0, f->b.mem, 8);
	post_dc(&f->a, MLX5_OPCODE_SEND, 1, f->a.mem, 8, NULL);
	post_dc(&f->a, MLX5_OPCODE_SEND, 2, f->a.mem, 8, NULL);
	f->b.sdev->port_up = false;
	for (i = 0; i < 2; i++) {
		sim_qp_poll(f->a.sdev);
		KUNIT_EXPECT_EQ(test, sim_dp_stub.cqes, i);
		f->a.qp->dp->wait_until = 0;
	}
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	f->b.sdev->port_up = true;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 2, 0);
	flow_no_more(test, next);
}

/* A malformed WQE is an error of the QP, not of the stream. */
static void malformed(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	dc_streams(test, f, 2, 2);
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 1, f->a.mem, 8, f->b.mem);
	raddr_of(&f->a, 0)->reserved = 1;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_wqe_reserved], 1);
	flow_no_more(test, next);
}

/*
 * Without streams the stream id is ignored: ib_send_bw -c DC sets the id on any
 * DCI. All WQEs belong to one stream, and its first error moves the QP to ERR.
 */
static void without_streams(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 1, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 0xffff, f->a.mem, 8, f->b.mem);
	raddr_of(&f->a, 2)->rkey = 0;
	post_dc(&f->a, MLX5_OPCODE_RDMA_WRITE, 2, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 2, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	flow_expect(test, &next, &f->a.scq, 4, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_ERR);
	no_violation(test);
}

static struct kunit_case dc_cases[] = {
	KUNIT_CASE(send_arrives),
	KUNIT_CASE(no_sequence),
	KUNIT_CASE(remote_memory),
	KUNIT_CASE(send_invalidates),
	KUNIT_CASE(rnr_waits),
	KUNIT_CASE_PARAM(dct_survives, trouble_gen_params),
	KUNIT_CASE(stream_fails_alone),
	KUNIT_CASE(streams_take_the_qp),
	KUNIT_CASE(late_failure),
	KUNIT_CASE(retries_of_each),
	KUNIT_CASE(malformed),
	KUNIT_CASE(without_streams),
	{}
};

static struct kunit_suite dc_suite = {
	.name = "sim_dc",
	.init = dc_init,
	.exit = dc_exit,
	.test_cases = dc_cases,
};

kunit_test_suite(dc_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's dynamically connected transport");
MODULE_LICENSE("Dual BSD/GPL");
