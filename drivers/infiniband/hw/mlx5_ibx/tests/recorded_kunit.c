// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of recorded WQEs, which stock mlx5_ib (Linux 6.12.117) wrote.
 *
 * The bytes are unchanged: mlx5sim read them from the rings of mlx5_ib while
 * nvme-rdma, nvmet-rdma, ib_mad and a test of the public verbs ran. Each row
 * has the WR that was posted to mlx5_ib, as derived from the ring and the WQE.
 * The same WR must give the same bytes in mlx5_ibx.
 *
 * mlx5_ibx differs on purpose in two fields, which the suite sets to the values
 * of mlx5_ib. If a registration has no remote atomic access, mlx5_ib leaves the
 * bit of this access out of the mask. mlx5_ib sets no fence on the WQE after an
 * invalidation.
 */

#include <rdma/ib_mad.h>

#include "kunit.h"

#define RECORDED_SGE	4

struct recorded {
	union {
		struct ib_send_wr send;
		struct ib_rdma_wr rdma;
		struct ib_ud_wr ud;
		struct ib_reg_wr reg;
	};
	struct ib_sge sge[RECORDED_SGE];
	struct ibx_mr mr;
	struct ibx_ah ah;
	__be64 mtt[256];
};

struct recorded_case {
	const char *name;
	enum ib_qp_type type;
	u32 qpn;
	u16 index;
	u8 pending_fence;		/* required by the previous WQE */
	void (*set)(struct recorded *r);
	const char *hex;
	u32 dma_lkey;			/* 0 for the lkey of most rows */
};

static void add_sge(struct recorded *r, u64 addr, u32 len, u32 lkey)
{
	r->sge[r->send.num_sge++] = (struct ib_sge){ addr, len, lkey };
	r->send.sg_list = r->sge;
}

static void send(struct recorded *r)
{
	r->send.opcode = IB_WR_SEND;
	r->send.send_flags = IB_SEND_SIGNALED;
	add_sge(r, 0x90a06c9df40, 0x40, 0x1bebec);
}

static void send_inv(struct recorded *r)
{
	r->send.opcode = IB_WR_SEND_WITH_INV;
	r->send.send_flags = IB_SEND_SIGNALED;
	r->send.ex.invalidate_rkey = 0x1becee;
	add_sge(r, 0x79c01a86af0, 0x10, 0x1bebec);
}

static void rdma(struct recorded *r, enum ib_wr_opcode opcode, u64 addr, u32 rkey)
{
	r->send.opcode = opcode;
	r->rdma.remote_addr = addr;
	r->rdma.rkey = rkey;
}

static void read(struct recorded *r)
{
	rdma(r, IB_WR_RDMA_READ, 0x90b01cbd800, 0x1becee);
	r->send.send_flags = IB_SEND_SIGNALED;
	add_sge(r, 0x96106e0c000, 0x400, 0x1bebec);
}

static void write_one(struct recorded *r)
{
	rdma(r, IB_WR_RDMA_WRITE, 0x91301f97000, 0x1becef);
	add_sge(r, 0x96206e0c000, 0x1000, 0x1bebec);
}

static void write_three(struct recorded *r)
{
	rdma(r, IB_WR_RDMA_WRITE, 0x91701cc8000, 0x1becf1);
	add_sge(r, 0x96406e0c000, 0x1000, 0x1bebec);
	add_sge(r, 0x96506e0d000, 0x1000, 0x1bebec);
	add_sge(r, 0x96606e0e000, 0x10, 0x1bebec);
}

static void reg(struct recorded *r, u32 key, u64 iova, u64 length, u32 pages)
{
	r->send.opcode = IB_WR_REG_MR;
	r->reg.mr = &r->mr.ibmr;
	r->reg.key = key;
	r->reg.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE;
	r->mr.mkey = key & ~0xff;
	kt_set_pages(&r->mr, r->mtt, 0x9bc07261000, pages);
	r->mr.ibmr.iova = iova;
	r->mr.start = iova;
	r->mr.ibmr.length = length;
}

static void reg_one(struct recorded *r)
{
	reg(r, 0x1becee, 0x90b01cbd800, 0x400, 1);
	r->mtt[0] = cpu_to_be64(0x90b01cbd003);
}

static void reg_three(struct recorded *r)
{
	reg(r, 0x1becf1, 0x91701cc8000, 0x2010, 3);
	r->mtt[0] = cpu_to_be64(0x91701cc8003);
	r->mtt[1] = cpu_to_be64(0x91701cc9003);
	r->mtt[2] = cpu_to_be64(0x91701cca003);
}

static void reg_fetched(struct recorded *r)
{
	reg(r, 0x1c0c51, 0xae106a4f000, 0x100000, 256);
}

static void reg_eight(struct recorded *r)
{
	int i;

	reg(r, 0x1becee, 0x7a504e68000, 0x8000, 8);
	r->send.send_flags = IB_SEND_SIGNALED;
	for (i = 0; i < 8; i++)
		r->mtt[i] = cpu_to_be64(0x7a504e68003 + 0x1000 * i);
}

/* registers an SG_GAPS MR with the ranges that the test of the verbs mapped */
static void reg_ranges(struct recorded *r, u32 key, u64 length, u32 n)
{
	static const struct { u32 len; u64 va; } ranges[] = {
		{ 0x33, 0x7b2043c8010 }, { 0x2, 0x7b2043cafff }, { 0x200, 0x7b2043c9000 },
	};
	struct mlx5_klm *klm = (struct mlx5_klm *)r->mtt;
	int i;

	reg(r, key, 0x7b2043c8010, length, 0);
	r->send.send_flags = IB_SEND_SIGNALED;
	kt_set_ranges(&r->mr, klm, 0x7b304354800, n);
	for (i = 0; i < min_t(u32, n, ARRAY_SIZE(ranges)); i++) {
		klm[i].bcount = cpu_to_be32(ranges[i].len);
		klm[i].key = cpu_to_be32(0x40506);
		klm[i].va = cpu_to_be64(ranges[i].va);
	}
}

static void reg_one_range(struct recorded *r)
{
	reg_ranges(r, 0x40608, 0x33, 1);
}

static void reg_three_ranges(struct recorded *r)
{
	reg_ranges(r, 0x4060a, 0x235, 3);
}

static void reg_fetched_ranges(struct recorded *r)
{
	reg_ranges(r, 0x4060c, 0x444, 5);
}

static void local_inv(struct recorded *r)
{
	r->send.opcode = IB_WR_LOCAL_INV;
	r->send.send_flags = IB_SEND_SIGNALED;
	r->send.ex.invalidate_rkey = 0x1becee;
}

static void mad(struct recorded *r)
{
	static const u8 mac[6] = { 0x02, 0x15, 0xb3, 0x00, 0x00, 0x01 };
	static const u8 gid[16] = { [10] = 0xff, 0xff, 0xc0, 0xa8, 0x4d, 0x01 };
	static const struct ibx_enc_av av = {
		.dgid = gid, .dmac = mac, .sgid_index = 3, .flow_label = 0x6f36b,
		.udp_sport = 0xf370, .tclass = 2, .hop_limit = 64,
	};

	ibx_enc_av(&r->ah.av, &av);
	r->send.opcode = IB_WR_SEND;
	r->send.send_flags = IB_SEND_SIGNALED;
	r->ud.ah = &r->ah.ibah;
	r->ud.remote_qpn = 1;
	r->ud.remote_qkey = IB_QP_SET_QKEY;
	add_sge(r, 0x90301caa400, 0x18, 0x40001);
	add_sge(r, 0x90401caa418, 0xe8, 0x40001);
}

static const struct recorded_case recorded_cases[] = {
	{ "SEND after REG_MR", IB_QPT_RC, 0x41, 3, MLX5_FENCE_MODE_INITIATOR_SMALL, send,
	  HEX(0000030a 00004102 00000028 00000000 00000040 001bebec 0000090a06c9df40) },
	{ "SEND_INV", IB_QPT_RC, 0x41, 1, 0, send_inv,
	  HEX(00000101 00004102 00000008 001becee 00000010 001bebec 0000079c01a86af0) },
	{ "READ", IB_QPT_RC, 0x41, 0, 0, read,
	  HEX(00000010 00004103 00000008 00000000 0000090b01cbd800 001becee 00000000
	      00000400 001bebec 0000096106e0c000) },
	{ "WRITE", IB_QPT_RC, 0x41, 8, 0, write_one,
	  HEX(00000808 00004103 00000000 00000000 0000091301f97000 001becef 00000000
	      00001000 001bebec 0000096206e0c000) },
	{ "WRITE of three elements", IB_QPT_RC, 0x41, 0xc, 0, write_three,
	  HEX(00000c08 00004105 00000000 00000000 0000091701cc8000 001becf1 00000000
	      00001000 001bebec 0000096406e0c000 00001000 001bebec 0000096506e0d000
	      00000010 001bebec 0000096606e0e000) },
	{ "REG_MR of one page", IB_QPT_RC, 0x41, 0, 0, reg_one,
	  HEX(00000025 0000410c 00000020 001becee a0000000 00040000 00000000209e2143
	      0000000000000000000000000000000000000000000000000000000000000000
	      0000bd00 ffffffee 00000000 01000000 0000090b01cbd800 0000000000000400
	      0000000000000000000000000000000000000000 00000004 0000000c 00000000
	      0000090b01cbd003 0000000000000000 0000000000000000 0000000000000000
	      0000000000000000 0000000000000000 0000000000000000 0000000000000000) },
	{ "REG_MR of three pages", IB_QPT_RC, 0x41, 0x12, 0, reg_three,
	  HEX(00001225 0000410c 00000020 001becf1 a0000000 00040000 00000000209e2143
	      0000000000000000000000000000000000000000000000000000000000000000
	      0000bd00 fffffff1 00000000 01000000 0000091701cc8000 0000000000002010
	      0000000000000000000000000000000000000000 00000004 0000000c 00000000
	      0000091701cc8003 0000091701cc9003 0000091701cca003 0000000000000000
	      0000000000000000 0000000000000000 0000000000000000 0000000000000000) },
	{ "REG_MR of eight pages", IB_QPT_RC, 0x41, 0, 0, reg_eight,
	  HEX(00000025 0000410c 00000028 001becee a0000000 00040000 00000000209e2143
	      0000000000000000000000000000000000000000000000000000000000000000
	      0000bd00 ffffffee 00000000 01000000 000007a504e68000 0000000000008000
	      0000000000000000000000000000000000000000 00000004 0000000c 00000000
	      000007a504e68003 000007a504e69003 000007a504e6a003 000007a504e6b003
	      000007a504e6c003 000007a504e6d003 000007a504e6e003 000007a504e6f003) },
	{ "LOCAL_INV after REG_MR", IB_QPT_RC, 0x41, 3, MLX5_FENCE_MODE_INITIATOR_SMALL, local_inv,
	  HEX(00000325 00004108 00000028 001becee 80000000 00000000 0000000020000000
	      0000000000000000000000000000000000000000000000000000000000000000
	      40000000 00000000 00000000 00000000 0000000000000000 0000000000000000
	      0000000000000000000000000000000000000000 00000000 00000000 00000000) },
	{ "REG_MR of 256 pages", IB_QPT_RC, 0x42, 0x10d, 0, reg_fetched,
	  HEX(00010d25 00004209 00000020 001c0c51 20000000 00800000 00000000209e2143
	      0000000000000000000000000000000000000000000000000000000000000000
	      0000bd00 ffffff51 00000000 01000000 00000ae106a4f000 0000000000100000
	      0000000000000000000000000000000000000000 00000080 0000000c 00000000
	      00000800 001bebec 000009bc07261000) },
	{ "REG_MR of one range", IB_QPT_RC, 0x42, 0, 0, reg_one_range,
	  HEX(00000025 0000420c 00000028 00040608 a0000000 00040000 00000000209e2143
	      0000000000000000000000000000000000000000000000000000000000000000
	      0000be00 ffffff08 00000000 01000000 000007b2043c8010 0000000000000033
	      0000000000000000000000000000000000000000 00000008 00000000 00000000
	      00000033 00040506 000007b2043c8010 00000000 00000000 0000000000000000
	      00000000 00000000 0000000000000000 00000000 00000000 0000000000000000) },
	{ "REG_MR of three ranges", IB_QPT_RC, 0x42, 0xa, 0, reg_three_ranges,
	  HEX(00000a25 0000420c 00000028 0004060a a0000000 00040000 00000000209e2143
	      0000000000000000000000000000000000000000000000000000000000000000
	      0000be00 ffffff0a 00000000 01000000 000007b2043c8010 0000000000000235
	      0000000000000000000000000000000000000000 00000008 00000000 00000000
	      00000033 00040506 000007b2043c8010 00000002 00040506 000007b2043cafff
	      00000200 00040506 000007b2043c9000 00000000 00000000 0000000000000000) },
	{ "REG_MR of five ranges", IB_QPT_RC, 0x42, 0x14, 0, reg_fetched_ranges,
	  HEX(00001425 00004209 00000028 0004060c 20000000 00080000 00000000209e2143
	      0000000000000000000000000000000000000000000000000000000000000000
	      0000be00 ffffff0c 00000000 01000000 000007b2043c8010 0000000000000444
	      0000000000000000000000000000000000000000 00000008 00000000 00000000
	      00000080 00040506 000007b304354800), 0x40506 },
	{ "MAD", IB_QPT_GSI, 0x40, 0, 0, mad,
	  HEX(0000000a 00004006 00000008 00000000 80000000 00000000 80000001 0000f370
	      00000000 0215b3000001 0240 4036f36b 00000000000000000000ffffc0a84d01
	      00000018 00040001 0000090301caa400 000000e8 00040001 0000090401caa418) },
};

static void recorded_desc(const struct recorded_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s (recorded from mlx5_ib)", c->name);
}

KUNIT_ARRAY_PARAM(recorded, recorded_cases, recorded_desc);

static void recorded(struct kunit *test)
{
	const struct recorded_case *c = test->param_value;
	struct kt *kt = kt_create(test, c->type);
	struct recorded *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct ibx_sq *sq = &kt->qp->sq;
	const struct ib_send_wr *bad;
	u8 *flat = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_ASSERT_NOT_NULL(test, flat);
	ibx_sq_set_qpn(sq, c->qpn);
	sq->cur_post = c->index;
	sq->next_fence = c->pending_fence;
	sq->umr_fence = MLX5_FENCE_MODE_INITIATOR_SMALL;
	sq->reg_mask = ibx_reg_mask(false);
	sq->dma_lkey = cpu_to_be32(c->dma_lkey ?: 0x1bebec);
	c->set(r);

	KUNIT_ASSERT_EQ(test, ibx_post_send(&kt->qp->ibqp, &r->send, &bad), 0);
	kt_unroll(kt, c->index, flat);
	kt_expect_bytes(test, c->name, flat, c->hex);
}

static struct kunit_case recorded_tests[] = {
	KUNIT_CASE_PARAM(recorded, recorded_gen_params),
	{}
};

static struct kunit_suite recorded_suite = {
	.name = "mlx5_ibx_recorded",
	.test_cases = recorded_tests,
};

kunit_test_suite(recorded_suite);
