// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages to XRC targets, as in the annex on the XRC transport service of the
 * InfiniBand Architecture. The fixture is flow.h, with two ends.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"
#include "tests/flow.h"

/* Change both QPs to XRC QPs, and the SRQ of end b to an XRC SRQ. */
static void make_xrc(struct flow *f, struct sim_xrcd *xrcd, struct sim_cq *cq)
{
	flow_make_srq(f);
	f->srq.kind = SIM_SRQ_XRC;
	f->srq.xrcd = xrcd;
	f->srq.cq = cq;
	f->srq.user_index = 0x99;
	sim_dp_stub.srq = &f->srq;
	f->a.qp->st = MLX5_QP_ST_XRC;
	f->b.qp->st = MLX5_QP_ST_XRC;
	f->b.qp->no_sq = true;
	f->b.qp->srq = NULL;
	f->b.qp->xrcd = xrcd;
}

/*
 * Post a message to an SRQ. The only data segment is the first 8 bytes of the
 * memory of end a.
 */
static void post_xrc(struct flow *f, u8 opcode, u32 srqn, void *remote)
{
	u8 *wqe = f->a.ring + (f->a.posted % FLOW_RING) * MLX5_SEND_WQE_BB;
	u32 rest = (remote ? 2 : 1) * MLX5_WQE_DS_UNITS;
	struct mlx5_wqe_xrc_seg *xrc = (void *)(wqe + MLX5_WQE_DS_UNITS);

	flow_post(&f->a, opcode, MLX5_WQE_CTRL_CQ_UPDATE, f->a.mem, 8, remote);
	memmove(xrc + 1, xrc, rest);
	memset(xrc, 0, sizeof(*xrc));
	xrc->xrc_srqn = cpu_to_be32(srqn);
	be32_add_cpu(&((struct mlx5_wqe_ctrl_seg *)wqe)->qpn_ds, 1);
	sim_qp_poll(f->a.sdev);
}

/*
 * A message uses the WQEs, the CQ and the user index of the SRQ in the message.
 */
static void xrc_arrives(struct kunit *test)
{
	struct flow *f = test->priv;
	struct sim_xrcd xrcd = {};
	struct sim_cq cq = {};
	u32 next = 0;

	make_xrc(f, &xrcd, &cq);
	flow_post_srq(f, 0, f->b.mem, 8);
	memcpy(f->a.mem, "to XRC.", 8);
	post_xrc(f, MLX5_OPCODE_SEND, 0x77, NULL);
	flow_expect(test, &next, &cq, 0, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sim_dp_stub.cqe[0].srqn), 0x99);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_STREQ(test, f->b.mem, "to XRC.");
	KUNIT_EXPECT_NULL(test, f->b.qp->srq);
	flow_no_more(test, next);
}

/*
 * The keys of a message belong to the PD of the SRQ; the PD of the target is
 * not used.
 */
static void xrc_pd_is_the_srqs(struct kunit *test)
{
	struct flow *f = test->priv;
	struct sim_xrcd xrcd = {};
	struct sim_cq cq = {};
	u32 next = 0;

	make_xrc(f, &xrcd, &cq);
	f->b.pd.obj.id = 9;
	f->b.mem[16] = 5;
	post_xrc(f, MLX5_OPCODE_RDMA_READ, 0x77, f->b.mem + 16);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_EQ(test, f->a.mem[0], 5);
	post_xrc(f, MLX5_OPCODE_RDMA_WRITE, 0x77, f->b.mem);
	flow_expect(test, &next, &f->a.scq, 1, 0);
	KUNIT_EXPECT_EQ(test, f->b.mem[0], 5);

	f->srq_pd.obj.id = 9;
	post_xrc(f, MLX5_OPCODE_RDMA_WRITE, 0x77, f->b.mem);
	flow_expect(test, &next, &f->a.scq, 2, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
	/* a target raises no event for the last WQE */
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_WQ_ACCESS_ERROR);
	flow_no_more(test, next);
}

static const struct xrc_case {
	const char *name;
	u32 srqn;
	bool basic;	/* the SRQ is a basic SRQ */
	bool other;	/* the SRQ belongs to another domain */
} xrc_cases[] = {
	{ "no such SRQ", 0x78 },
	{ "SRQ that is no XRC SRQ", 0x77, true },
	{ "SRQ of another domain", 0x77, false, true },
};

KUNIT_ARRAY_PARAM_DESC(xrc, xrc_cases, name);

static void xrc_refuses(struct kunit *test)
{
	const struct xrc_case *c = test->param_value;
	struct sim_xrcd xrcd = {}, other = {};
	struct flow *f = test->priv;
	struct sim_cq cq = {};
	u32 next = 0;

	make_xrc(f, &xrcd, &cq);
	flow_post_srq(f, 0, f->b.mem, 8);
	if (c->basic)
		f->srq.kind = SIM_SRQ_BASIC;
	if (c->other)
		f->srq.xrcd = &other;
	post_xrc(f, MLX5_OPCODE_SEND, c->srqn, NULL);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_EQ(test, f->srq.counter, 0);
	flow_no_more(test, next);
}

/* An XRC QP with a send queue is an initiator, which receives no messages. */
static void xrc_initiator_is_deaf(struct kunit *test)
{
	struct flow *f = test->priv;
	struct sim_xrcd xrcd = {};
	struct sim_cq cq = {};

	make_xrc(f, &xrcd, &cq);
	f->b.qp->no_sq = false;
	flow_post_srq(f, 0, f->b.mem, 8);
	post_xrc(f, MLX5_OPCODE_SEND, 0x77, NULL);
	KUNIT_EXPECT_EQ(test, f->srq.counter, 0);
	KUNIT_EXPECT_TRUE(test, f->a.qp->dp->waiting);
	flow_no_more(test, 0);
}

static struct kunit_case xrc_kunit_cases[] = {
	KUNIT_CASE(xrc_arrives),
	KUNIT_CASE(xrc_pd_is_the_srqs),
	KUNIT_CASE_PARAM(xrc_refuses, xrc_gen_params),
	KUNIT_CASE(xrc_initiator_is_deaf),
	{ }
};

static struct kunit_suite xrc_kunit_suite = {
	.name = "sim_xrc",
	.init = flow_init,
	.exit = flow_exit,
	.test_cases = xrc_kunit_cases,
};

kunit_test_suite(xrc_kunit_suite);

MODULE_DESCRIPTION("KUnit tests of messages to XRC targets");
MODULE_LICENSE("Dual BSD/GPL");
