// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages between keys with signatures: the bytes at each stage, errors and
 * their reports, retries, draining.
 *
 * SIG_KEY covers the first PLAIN bytes of the page of end a or b. Its BSF has
 * blocks of 512 bytes and CRC32, with an initial value of ones, if a case does
 * not set other values.
 * Numbered examples are examples in mlx5dv_wr_set_mkey_sig_block(3).
 */
#include <kunit/test.h>
#include <linux/crc32.h>
#include <linux/unaligned.h>

#include "core/core.h"
#include "dp/dp.h"
#include "obj/caps.h"
#include "obj/obj.h"
#include "tests/flow.h"

#define SIG_KEY		0x301
#define PLAIN		1024		/* bytes that SIG_KEY covers */
#define SIGNALED	MLX5_WQE_CTRL_CQ_UPDATE
#define FENCED		(SIGNALED | 1 << 5)
#define SIG_SYNDROME(cqe)	be16_to_cpu(((struct mlx5_sig_err_cqe *)(cqe))->syndrome)

struct sig_flow {
	struct flow *f;
	struct sim_mkey key;
	struct sim_bsf bsf;
	struct sim_psv psv[2];
};

static int sig_flow_init(struct kunit *test)
{
	struct sig_flow *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	flow_init(test);
	s->f = test->priv;
	test->priv = s;
	for (i = 0; i < 2; i++) {
		s->psv[i].obj.id = i + 1;
		s->psv[i].pd = &s->f->a.pd;
		s->psv[i].sig = U64_MAX;
		sim_dp_stub.psv[i] = &s->psv[i];
	}
	for (i = 0; i < PLAIN; i++) {
		s->f->a.mem[i] = i * 3;
		s->f->b.mem[i] = i * 5;
	}
	return 0;
}

static void sig_flow_exit(struct kunit *test)
{
	struct sig_flow *s = test->priv;

	if (!s)
		return;
	test->priv = s->f;
	flow_exit(test);
}

/*
 * Set up SIG_KEY for the first PLAIN bytes of an end, with these signatures in
 * memory and on the wire.
 */
static void sign(struct sig_flow *s, struct flow_end *e, enum sim_sig_type mem,
		 enum sim_sig_type wire)
{
	s->bsf = (struct sim_bsf) {
		.mem = { .type = mem, .block = 512, .psv = 1, .app_mask = 0xffff },
		.wire = { .type = wire, .block = 512, .psv = 2, .app_mask = 0xffff },
		.check_mask = 0xff, .raw_size = U32_MAX,
	};
	s->key = (struct sim_mkey) {
		.obj.id = SIG_KEY >> 8, .variant = SIG_KEY & 0xff, .mode = SIM_MKEY_PA,
		.start = (uintptr_t)e->mem, .len = PLAIN, .access = 0x1f,
		.qpn = SIM_ANY_QPN, .pdn = 7, .bsf = &s->bsf, .bsf_octwords = 4, .bsf_en = true,
		.sigerr_expected = true,
	};
	e->sdev->bsf_mkeys = 1;
	sim_dp_stub.mkey[2] = &s->key;
}

/*
 * Sets the key of the data segment of the last WQE. @remote: the WQE has a
 * remote address segment before the data segment.
 */
static void use_lkey(struct flow_end *e, bool remote)
{
	u8 *wqe = e->ring + ((e->posted - 1) % FLOW_RING) * MLX5_SEND_WQE_BB;
	struct mlx5_wqe_data_seg *data = (void *)(wqe + (remote ? 32 : 16));

	data->lkey = cpu_to_be32(SIG_KEY);
}

static void use_rkey(struct flow_end *e)
{
	u8 *wqe = e->ring + ((e->posted - 1) % FLOW_RING) * MLX5_SEND_WQE_BB;

	((struct mlx5_wqe_raddr_seg *)(wqe + 16))->rkey = cpu_to_be32(SIG_KEY);
}

static u32 crc_of(const u8 *data)
{
	return ~crc32_le(~0, data, 512);
}

static void expect_sigerr(struct kunit *test, u32 *next, const struct sim_cq *cq, bool memory)
{
	struct mlx5_sig_err_cqe *cqe = (void *)&sim_dp_stub.cqe[*next];
	struct sig_flow *s = test->priv;

	KUNIT_ASSERT_LT(test, *next, sim_dp_stub.cqes);
	KUNIT_EXPECT_PTR_EQ(test, sim_dp_stub.cqe_cq[*next], (struct sim_cq *)cq);
	KUNIT_EXPECT_EQ(test, cqe->op_own >> 4, MLX5_CQE_SIG_ERR);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(cqe->syndrome), SIM_SIGERR_GUARD);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(cqe->mkey), SIG_KEY);
	KUNIT_EXPECT_EQ(test, cqe->rsvd22[1], memory);
	KUNIT_EXPECT_TRUE(test, s->psv[memory ? 0 : 1].error);
	++*next;
}

/* Example 1: a SEND checks and removes signatures in memory */
static void send_strips(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	sign(s, &f->a, SIM_SIG_CRC32, SIM_SIG_NONE);
	put_unaligned_le32(crc_of(f->a.mem), f->a.mem + 512);
	flow_post_recv(&f->b, f->b.mem, 1024);
	flow_post(&f->a, MLX5_OPCODE_SEND, SIGNALED, f->a.mem, 512, NULL);
	use_lkey(&f->a, false);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sim_dp_stub.cqe[0].byte_cnt), 512);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_MEMEQ(test, f->b.mem, f->a.mem, 512);
	KUNIT_EXPECT_EQ(test, f->b.mem[512], (512 * 5) & 0xff);
}

/*
 * The signature of a block of 4096 bytes is checked, although it follows the
 * last byte that goes to the wire.
 */
static void last_signature_is_checked(struct kunit *test)
{
	u8 *mem = kunit_kzalloc(test, 4100, GFP_KERNEL);
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	sign(s, &f->a, SIM_SIG_CRC32, SIM_SIG_NONE);
	s->bsf.mem.block = 4096;
	s->key.start = (uintptr_t)mem;
	s->key.len = 4100;
	flow_post_recv(&f->b, f->b.mem, 4096);
	flow_post(&f->a, MLX5_OPCODE_SEND, SIGNALED, mem, 4096, NULL);
	use_lkey(&f->a, false);
	sim_qp_poll(f->a.sdev);
	expect_sigerr(test, &next, &f->a.scq, true);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
}

/* Example 1.1: a receive inserts signatures in memory */
static void receive_inserts(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	sign(s, &f->b, SIM_SIG_CRC32, SIM_SIG_NONE);
	flow_post_recv(&f->b, f->b.mem, 512);
	((struct mlx5_wqe_data_seg *)(f->b.ring + FLOW_RQ))->lkey = cpu_to_be32(SIG_KEY);
	flow_post(&f->a, MLX5_OPCODE_SEND, SIGNALED, f->a.mem, 512, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_MEMEQ(test, f->b.mem, f->a.mem, 512);
	KUNIT_EXPECT_EQ(test, get_unaligned_le32(f->b.mem + 512), crc_of(f->a.mem));
}

/* Example 2: a peer READs signatures that are not in memory */
static void read_generates(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	sign(s, &f->b, SIM_SIG_NONE, SIM_SIG_CRC32);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, SIGNALED, f->a.mem, 516, f->b.mem);
	use_rkey(&f->a);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_MEMEQ(test, f->a.mem, f->b.mem, 512);
	KUNIT_EXPECT_EQ(test, get_unaligned_le32(f->a.mem + 512), crc_of(f->b.mem));
}

/* Example 2.1: a peer WRITEs, and the signature is wrong */
static void write_validates(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	sign(s, &f->b, SIM_SIG_NONE, SIM_SIG_CRC32);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, SIGNALED, f->a.mem, 516, f->b.mem);
	use_rkey(&f->a);
	sim_qp_poll(f->a.sdev);
	expect_sigerr(test, &next, &f->b.rcq, false);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_MEMEQ(test, f->b.mem, f->a.mem, 512);
	KUNIT_EXPECT_EQ(test, f->b.mem[512], (512 * 5) & 0xff);
}

static void read_validates(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	sign(s, &f->a, SIM_SIG_NONE, SIM_SIG_CRC32);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, SIGNALED, f->a.mem, 512, f->b.mem);
	use_lkey(&f->a, true);
	sim_qp_poll(f->a.sdev);
	expect_sigerr(test, &next, &f->a.scq, false);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_MEMEQ(test, f->a.mem, f->b.mem, 512);
}

static void send_bad(struct kunit *test, u32 *next, bool reported)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u16 n = f->a.posted;

	flow_post_recv(&f->b, f->b.mem, 1024);
	flow_post(&f->a, MLX5_OPCODE_SEND, SIGNALED, f->a.mem, 512, NULL);
	use_lkey(&f->a, false);
	sim_qp_poll(f->a.sdev);
	if (reported)
		expect_sigerr(test, next, &f->a.scq, true);
	flow_expect(test, next, &f->b.rcq, n, 0);
	flow_expect(test, next, &f->a.scq, n, 0);
}

/* One report. The next report needs SET_PSV and an acknowledgment. */
static void reports_once(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	u32 next = 0;

	sign(s, &s->f->a, SIM_SIG_CRC32, SIM_SIG_NONE);
	send_bad(test, &next, true);
	send_bad(test, &next, false);
	KUNIT_EXPECT_EQ(test, s->f->a.sdev->ctr[SIM_CTR_sig_errors], 1);
	s->psv[0].error = false;
	send_bad(test, &next, false);
	KUNIT_EXPECT_EQ(test, s->f->a.sdev->ctr[SIM_CTR_sig_errors], 2);
	KUNIT_EXPECT_EQ(test, s->f->a.sdev->ctr[SIM_CTR_sig_errors_reported], 1);
	s->psv[0].error = false;
	s->key.sigerr_expected = false;
	send_bad(test, &next, true);
	flow_no_more(test, next);
}

/*
 * A message without a receive WQE is retransmitted; its error is reported with
 * the second transmission.
 */
static void retry_reports_once(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	sign(s, &f->a, SIM_SIG_CRC32, SIM_SIG_NONE);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE_IMM, SIGNALED, f->a.mem, 512, f->b.mem);
	use_lkey(&f->a, true);
	sim_qp_poll(f->a.sdev);
	flow_no_more(test, next);
	flow_post_recv(&f->b, f->b.mem, 0);
	sim_dp_stub.time = U64_MAX / 2;
	sim_qp_poll(f->a.sdev);
	expect_sigerr(test, &next, &f->a.scq, true);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_sig_errors], 1);
}

/*
 * The send queue stops after the message with the error, and continues in RTS.
 */
static void drains(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	sign(s, &f->a, SIM_SIG_CRC32, SIM_SIG_NONE);
	f->a.qp->drain_sigerr = true;
	flow_post_recv(&f->b, f->b.mem + PLAIN, 64);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, 0, f->a.mem, 512, f->b.mem);
	use_lkey(&f->a, true);
	flow_post(&f->a, MLX5_OPCODE_SEND, SIGNALED, f->a.mem + PLAIN, 16, NULL);
	sim_qp_poll(f->a.sdev);
	expect_sigerr(test, &next, &f->a.scq, true);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_SQD);
	KUNIT_EXPECT_EQ(test, f->a.qp->sq.ci, 1);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_SQ_DRAINED);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 1);

	f->a.qp->state = MLX5_QP_STATE_RTS;
	sim_dp_qp_rts(f->a.sdev, f->a.qp);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, 0);
	flow_no_more(test, next);
}

static void refused(struct kunit *test, u8 opcode, u32 len, u8 synd, enum sim_vio vio)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	flow_post_recv(&f->b, f->b.mem, 1024);
	flow_post(&f->a, opcode, SIGNALED, f->a.mem, len, NULL);
	use_lkey(&f->a, false);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, synd);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[vio], 1);
}

static void refuses_byte_count(struct kunit *test)
{
	struct sig_flow *s = test->priv;

	sign(s, &s->f->a, SIM_SIG_CRC32, SIM_SIG_CRC32);
	refused(test, MLX5_OPCODE_SEND, 513, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR,
		SIM_VIO_mkey_range);
}

static void refuses_range(struct kunit *test)
{
	struct sig_flow *s = test->priv;

	sign(s, &s->f->a, SIM_SIG_CRC32, SIM_SIG_NONE);
	s->key.len = 515;
	refused(test, MLX5_OPCODE_SEND, 512, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR,
		SIM_VIO_mkey_range);
}

static void refuses_raw_size(struct kunit *test)
{
	struct sig_flow *s = test->priv;

	sign(s, &s->f->a, SIM_SIG_CRC32, SIM_SIG_NONE);
	s->bsf.raw_size = 511;
	refused(test, MLX5_OPCODE_SEND, 512, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR,
		SIM_VIO_mkey_range);
}

/*
 * The receive counts 4128 bytes in memory, which correspond to 4100 bytes on
 * the wire.
 */
static void receive_too_short(struct kunit *test)
{
	u8 *mem = kunit_kzalloc(test, 2 * 4128, GFP_KERNEL);
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	sign(s, &f->b, SIM_SIG_CRC32, SIM_SIG_CRC32);
	s->bsf.wire.block = 4096;
	s->key.start = (uintptr_t)mem;
	s->key.len = 4128;
	flow_post_recv(&f->b, mem, 4128);
	((struct mlx5_wqe_data_seg *)(f->b.ring + FLOW_RQ))->lkey = cpu_to_be32(SIG_KEY);
	flow_post(&f->a, MLX5_OPCODE_SEND, SIGNALED, mem + 4128, 4128, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_range], 0);
}

static void refuses_raw_size_to_peer(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	sign(s, &f->b, SIM_SIG_NONE, SIM_SIG_CRC32);
	s->bsf.raw_size = 511;
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, SIGNALED, f->a.mem, 516, f->b.mem);
	use_rkey(&f->a);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

static void refuses_no_psv(struct kunit *test)
{
	struct sig_flow *s = test->priv;

	sign(s, &s->f->a, SIM_SIG_CRC32, SIM_SIG_NONE);
	sim_dp_stub.psv[0] = NULL;
	refused(test, MLX5_OPCODE_SEND, 512, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, SIM_VIO_sig_psv);
}

/* A KLM key with an entry for a key with signatures */
static void refuses_nesting(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct sim_klm klm = { .byte_count = 512, .key = SIG_KEY,
			       .va = (uintptr_t)s->f->a.mem };
	struct sim_mkey outer = {
		.obj.id = 4, .variant = 1, .mode = SIM_MKEY_KLM, .len = 512, .access = 0x1f,
		.qpn = SIM_ANY_QPN, .pdn = 7, .xlt_octwords = 1, .xlt_used = 1, .klm = &klm,
	};
	struct sim_seg seg = { .key = 0x401, .len = 512 };
	struct sim_acc acc;

	sign(s, &s->f->a, SIM_SIG_CRC32, SIM_SIG_NONE);
	sim_dp_stub.mkey[3] = &outer;
	sim_qp_acc(&acc, s->f->a.sdev, s->f->a.qp, SIM_MKEY_LR);
	acc.sig = true;
	KUNIT_EXPECT_EQ(test, sim_access_check(&acc, &seg, 1, 512), -EPERM);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_access], 1);
	s->key.bsf_en = false;
	KUNIT_EXPECT_EQ(test, sim_access_check(&acc, &seg, 1, 512), 0);
}

static void post_bsf_umr(struct flow_end *e, u8 op)
{
	u8 *wqe = e->ring + (e->posted % FLOW_RING) * MLX5_SEND_WQE_BB;
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)wqe;
	struct mlx5_wqe_umr_ctrl_seg *umr = (void *)(ctrl + 1);
	struct mlx5_mkey_seg *seg = (void *)(umr + 1);
	struct mlx5_bsf *bsf = (void *)(seg + 1);

	memset(wqe, 0, 3 * MLX5_SEND_WQE_BB);
	ctrl->opmod_idx_opcode = cpu_to_be32((u32)e->posted << 8 | MLX5_OPCODE_UMR);
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(e->qp) << 8 | 12);
	ctrl->imm = cpu_to_be32(SIG_KEY);
	umr->flags = MLX5_UMR_INLINE;
	umr->bsf_octowords = cpu_to_be16(MLX5_MKEY_BSF_OCTO_SIZE);
	umr->mkey_mask = cpu_to_be64(MLX5_MKEY_MASK_BSF_EN | MLX5_MKEY_MASK_EN_SIGERR);
	seg->flags_pd = cpu_to_be32(MLX5_MKEY_BSF_EN | BIT(26));
	bsf->basic.bsf_size_sbs = 0x80;
	bsf->basic.check_byte_mask = 0xf0;
	bsf->basic.mem.bs_selector = 1;
	bsf->basic.raw_data_size = cpu_to_be32(U32_MAX);
	bsf->basic.m_bfs_psv = cpu_to_be32(op << 24 | 1);
	e->posted += 3;
	e->dbr[MLX5_SND_DBR] = cpu_to_be32(e->posted);
}

static void post_set_psv(struct flow_end *e, u8 fm, u32 psvn, u32 high)
{
	u8 *wqe = e->ring + (e->posted % FLOW_RING) * MLX5_SEND_WQE_BB;
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)wqe;
	struct mlx5_seg_set_psv *seg = (void *)(ctrl + 1);

	memset(wqe, 0, MLX5_SEND_WQE_BB);
	ctrl->opmod_idx_opcode = cpu_to_be32((u32)e->posted << 8 | MLX5_OPCODE_SET_PSV);
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(e->qp) << 8 | 2);
	ctrl->fm_ce_se = fm;
	seg->psv_num = cpu_to_be32(psvn);
	seg->transient_sig = cpu_to_be32(high);
	e->dbr[MLX5_SND_DBR] = cpu_to_be32(++e->posted);
}

/* The three work requests of libmlx5: UMR with a BSF, SET_PSV, SEND */
static void configures(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	sign(s, &f->a, SIM_SIG_NONE, SIM_SIG_NONE);
	s->key.umr_en = true;
	s->key.bsf_en = false;
	s->key.sigerr_expected = false;
	s->psv[0].sig = 0;
	s->psv[0].error = true;
	put_unaligned_le32(crc_of(f->a.mem), f->a.mem + 512);
	post_bsf_umr(&f->a, 0x22);
	post_set_psv(&f->a, FENCED, 1, 0xffffffff);
	flow_post_recv(&f->b, f->b.mem, 1024);
	flow_post(&f->a, MLX5_OPCODE_SEND, FENCED, f->a.mem, 512, NULL);
	use_lkey(&f->a, false);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 3, 0);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 4, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_TRUE(test, s->key.bsf_en);
	KUNIT_EXPECT_TRUE(test, s->key.sigerr_expected);
	KUNIT_EXPECT_EQ(test, s->bsf.mem.type, SIM_SIG_CRC32);
	KUNIT_EXPECT_EQ(test, s->psv[0].sig, 0xffffffffull << 32);
	KUNIT_EXPECT_FALSE(test, s->psv[0].error);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_sig_blocks_checked], 1);
	KUNIT_EXPECT_MEMEQ(test, f->b.mem, f->a.mem, 512);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_fence_missing], 0);
}

static void wants_fence_behind_psv(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;

	post_set_psv(&f->a, SIGNALED, 1, 1);
	flow_post_recv(&f->b, f->b.mem, 1024);
	flow_post(&f->a, MLX5_OPCODE_SEND, SIGNALED, f->a.mem, 16, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_fence_missing], 1);
}

static void umr_refused(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	sign(s, &f->a, SIM_SIG_NONE, SIM_SIG_NONE);
	s->key.umr_en = true;
	s->key.bsf_en = false;
	post_bsf_umr(&f->a, 0x20);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_sig_bsf], 1);
	KUNIT_EXPECT_FALSE(test, s->key.bsf_en);
}

static void umr_psv_refused(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	sign(s, &f->a, SIM_SIG_NONE, SIM_SIG_NONE);
	s->key.umr_en = true;
	s->key.bsf_en = false;
	s->psv[0].pd = &f->b.pd;
	f->b.pd.obj.id = 8;
	post_bsf_umr(&f->a, 0x22);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_sig_psv], 1);
}

/* A fault corrupts a byte before the check. */
static void fault_is_found(struct kunit *test)
{
	struct sim_faults *faults = kunit_kzalloc(test, sizeof(*faults), GFP_KERNEL);
	struct sig_flow *s = test->priv;
	struct flow *f = s->f;
	u32 next = 0;

	KUNIT_ASSERT_NOT_NULL(test, faults);
	faults->sig = (struct sim_fault_sig) { .left = 1, .byte = 511 };
	sign(s, &f->a, SIM_SIG_CRC32, SIM_SIG_NONE);
	put_unaligned_le32(crc_of(f->a.mem), f->a.mem + 512);
	f->a.sdev->faults = faults;
	send_bad(test, &next, true);
	KUNIT_EXPECT_EQ(test, faults->sig.fired, 1);
	KUNIT_EXPECT_EQ(test, f->b.mem[511], (u8)~f->a.mem[511]);
	flow_no_more(test, next);
}

/*
 * A memory copy removes signatures. Source and destination must have the same
 * length on the wire.
 */
static void copies_between_signatures(struct kunit *test)
{
	struct sig_flow *s = test->priv;
	struct flow_end *e = &s->f->a;
	struct sim_seg seg[] = {
		{ .va = (uintptr_t)e->mem, .key = SIG_KEY, .len = 512 },
		{ .va = (uintptr_t)e->mem + PLAIN, .key = FLOW_PA_KEY, .len = 512 },
		{ .va = (uintptr_t)e->mem + 2 * PLAIN, .key = FLOW_PA_KEY, .len = 64 },
	};
	u32 next = 0;

	sign(s, e, SIM_SIG_CRC32, SIM_SIG_NONE);
	KUNIT_EXPECT_EQ(test, sim_mmo_copy(e->sdev, e->qp, seg, 512), 0);
	KUNIT_EXPECT_MEMEQ(test, e->mem + PLAIN, e->mem, 512);
	expect_sigerr(test, &next, &e->scq, true);
	sign(s, e, SIM_SIG_NONE, SIM_SIG_CRC32);
	KUNIT_EXPECT_EQ(test, sim_mmo_copy(e->sdev, e->qp, seg, 512),
			MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_wqe_segment], 1);
}

static struct kunit_case sig_flow_cases[] = {
	KUNIT_CASE(send_strips),
	KUNIT_CASE(last_signature_is_checked),
	KUNIT_CASE(receive_inserts),
	KUNIT_CASE(read_generates),
	KUNIT_CASE(write_validates),
	KUNIT_CASE(read_validates),
	KUNIT_CASE(reports_once),
	KUNIT_CASE(retry_reports_once),
	KUNIT_CASE(drains),
	KUNIT_CASE(refuses_byte_count),
	KUNIT_CASE(refuses_range),
	KUNIT_CASE(refuses_raw_size),
	KUNIT_CASE(receive_too_short),
	KUNIT_CASE(refuses_raw_size_to_peer),
	KUNIT_CASE(refuses_no_psv),
	KUNIT_CASE(refuses_nesting),
	KUNIT_CASE(configures),
	KUNIT_CASE(wants_fence_behind_psv),
	KUNIT_CASE(umr_refused),
	KUNIT_CASE(umr_psv_refused),
	KUNIT_CASE(fault_is_found),
	KUNIT_CASE(copies_between_signatures),
	{}
};

static struct kunit_suite sig_flow_suite = {
	.name = "sim_sig_flow",
	.init = sig_flow_init,
	.exit = sig_flow_exit,
	.test_cases = sig_flow_cases,
};

kunit_test_suite(sig_flow_suite);

MODULE_DESCRIPTION("KUnit tests of messages with signatures in mlx5sim");
MODULE_LICENSE("Dual BSD/GPL");
