// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suites of QP contexts and of the state machine of QPs.
 *
 * A vector lists the words of a context that are not zero. All words of the
 * context are compared. The words were calculated by hand from the bit offsets
 * of qpc and ads in linux/mlx5/mlx5_ifc.h, not with its macros, so that a field
 * in a wrong place is detected. Word n is at bit offset 32 * n; the primary
 * path starts at word 6.
 */
#include <kunit/test.h>

#include "enc/qpc.h"

#define QPC_WORDS	MLX5_ST_SZ_DW(qpc)
#define PATH		6

struct word {
	u8 index;
	u32 value;
};

#define MAX_WORDS	12

/* a list ends at value 0; @common: further lists, shared by several contexts */
struct qpc_case {
	const char *name;
	void (*fill)(u32 *qpc);
	struct word words[MAX_WORDS];
	const struct word *common[2];
};

static void to_desc(const struct qpc_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s (linux/mlx5/mlx5_ifc.h qpc, ads)", c->name);
}

static u32 word_of_list(const struct word *list, int index)
{
	for (; list && list->value; list++)
		if (list->index == index)
			return list->value;
	return 0;
}

static u32 expected_word(const struct qpc_case *c, int index)
{
	return word_of_list(c->words, index) | word_of_list(c->common[0], index) |
	       word_of_list(c->common[1], index);
}

static void check_words(struct kunit *test)
{
	const struct qpc_case *c = test->param_value;
	__be32 qpc[QPC_WORDS] = {};
	int i;

	c->fill((u32 *)qpc);
	for (i = 0; i < QPC_WORDS; i++)
		KUNIT_EXPECT_EQ_MSG(test, be32_to_cpu(qpc[i]), expected_word(c, i), "word %d", i);
}

static const struct ibx_qp_geom both_rings = {
	.sq_bbs = 512, .sq_wqe = 256, .sq_wrs = 128, .rq_wqes = 64, .rq_shift = 5,
};

static const struct ibx_qp_geom no_rings;

static const struct ibx_qpc_new rc_new = {
	.st = MLX5_QP_ST_RC, .pdn = 0x123456, .uar = 0x000789, .scqn = 0xabcdef,
	.rcqn = 0xfedcba, .dbr = 0x1122334455667780, .ts_format = 1, .cqe_v1 = true,
	.geom = &both_rings,
};

static void new_rc(u32 *qpc)
{
	ibx_qpc_create(qpc, &rc_new);
}

static void new_ud_empty(u32 *qpc)
{
	struct ibx_qpc_new p = rc_new;

	p.st = MLX5_QP_ST_UD;
	p.cqe_v1 = false;
	p.ts_format = 2;
	p.geom = &no_rings;
	ibx_qpc_create(qpc, &p);
}

static void new_uc_srq(u32 *qpc)
{
	static const struct ibx_qp_geom g = { .sq_bbs = 512 };
	struct ibx_qpc_new p = rc_new;

	p.st = MLX5_QP_ST_UC;
	p.geom = &g;
	p.srq = true;
	p.srqn = 0x0ace05;
	ibx_qpc_create(qpc, &p);
}

/* without fre and rlky, which allow access to all of memory */
static void new_user(u32 *qpc)
{
	struct ibx_qpc_new p = rc_new;

	p.user = true;
	p.user_index = 0x000042;
	ibx_qpc_create(qpc, &p);
}

/* the XRC initiator of a process */
static void new_xrc(u32 *qpc)
{
	static const struct ibx_qp_geom g = { .sq_bbs = 512 };
	struct ibx_qpc_new p = rc_new;

	p.st = MLX5_QP_ST_XRC;
	p.geom = &g;
	p.user = true;
	p.user_index = 0x000042;
	p.srq = true;
	p.srqn = 0x0ace05;
	p.xrcdn = 0x0dabcd;
	ibx_qpc_create(qpc, &p);
}

static void base_mod(struct ibx_qpc_mod *p, const struct ib_qp_attr *attr, int mask)
{
	*p = (struct ibx_qpc_mod) {
		.attr = attr, .mask = mask, .st = MLX5_QP_ST_RC, .pdn = 0x123456,
		.scqn = 0xabcdef, .rcqn = 0xfedcba, .qpn = 0x000321, .port = 1,
		.atomics = true, .log_max_msg = 30,
	};
}

static void init_rc(u32 *qpc)
{
	struct ib_qp_attr attr = { .port_num = 1 };
	struct ibx_qpc_mod p;

	base_mod(&p, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	p.access = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC;
	p.init = true;
	p.qset = 0x5a;
	ibx_qpc_modify(qpc, &p);
}

static void init_user(u32 *qpc)
{
	struct ib_qp_attr attr = { .port_num = 1 };
	struct ibx_qpc_mod p;

	base_mod(&p, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	p.init = true;
	p.user = true;
	p.qset = 0x5a;
	ibx_qpc_modify(qpc, &p);
}

/* access flags that UC does not support are left out */
static void init_uc(u32 *qpc)
{
	struct ib_qp_attr attr = { .port_num = 1 };
	struct ibx_qpc_mod p;

	base_mod(&p, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	p.st = MLX5_QP_ST_UC;
	p.access = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC;
	p.init = true;
	ibx_qpc_modify(qpc, &p);
}

static void init_gsi(u32 *qpc)
{
	struct ib_qp_attr attr = { .qkey = 0x80010000, .pkey_index = 0 };
	struct ibx_qpc_mod p;

	base_mod(&p, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_QKEY);
	p.st = MLX5_QP_ST_QP1;
	p.init = true;
	ibx_qpc_modify(qpc, &p);
}

static void init_ud(u32 *qpc)
{
	struct ib_qp_attr attr = { .qkey = 0x11111111, .pkey_index = 2, .port_num = 1 };
	struct ibx_qpc_mod p;

	base_mod(&p, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_QKEY | IB_QP_PORT);
	p.st = MLX5_QP_ST_UD;
	p.init = true;
	ibx_qpc_modify(qpc, &p);
}

static const u8 dgid[16] = {
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef
};

static void rtr_attr(struct ib_qp_attr *attr)
{
	static const u8 dmac[ETH_ALEN] = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 };
	struct rdma_ah_attr *ah = &attr->ah_attr;

	memset(attr, 0, sizeof(*attr));
	attr->path_mtu = IB_MTU_1024;
	attr->dest_qp_num = 0x00fade;
	attr->rq_psn = 0x765432;
	attr->max_dest_rd_atomic = 16;
	attr->min_rnr_timer = 12;
	ah->type = RDMA_AH_ATTR_TYPE_ROCE;
	ah->sl = 5;
	memcpy(ah->roce.dmac, dmac, sizeof(dmac));
	rdma_ah_set_grh(ah, NULL, 0xbeef1, 7, 64, 0xa8);
	memcpy(ah->grh.dgid.raw, dgid, sizeof(dgid));
}

#define RTR_MASK	(IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN | \
			 IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER)

static void rtr_rc(u32 *qpc, bool v2, bool atomics)
{
	struct ib_qp_attr attr;
	struct ibx_qpc_mod p;

	rtr_attr(&attr);
	base_mod(&p, &attr, RTR_MASK);
	p.qset = 0x5a;	/* ignored: only INIT sets it */
	p.access = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC;
	p.resp_depth = 16;
	p.rate = 9;
	p.roce_v2 = v2;
	p.atomics = atomics;
	ibx_qpc_modify(qpc, &p);
}

static void rtr_uc(u32 *qpc)
{
	struct ib_qp_attr attr;
	struct ibx_qpc_mod p;

	rtr_attr(&attr);
	base_mod(&p, &attr, IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
		 IB_QP_RQ_PSN);
	p.st = MLX5_QP_ST_UC;
	p.rate = 9;
	ibx_qpc_modify(qpc, &p);
}

static void rtr_v1(u32 *qpc)
{
	rtr_rc(qpc, false, true);
}

static void rtr_v2(u32 *qpc)
{
	rtr_rc(qpc, true, false);
}

static void rts_rc(u32 *qpc)
{
	struct ib_qp_attr attr = {
		.timeout = 20, .retry_cnt = 7, .rnr_retry = 6, .max_rd_atomic = 5,
		.sq_psn = 0x0a0b0c,
	};
	struct ibx_qpc_mod p;

	base_mod(&p, &attr, IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
		 IB_QP_MAX_QP_RD_ATOMIC | IB_QP_SQ_PSN);
	ibx_qpc_modify(qpc, &p);
}

/* ibx_qpc_modify() always writes PD, CQs and log_ack_req_freq */
static const struct word mod[] = {
	{ 1, 0x00123456 }, { 28, 8u << 28 }, { 31, 0x00abcdef }, { 39, 0x00fedcba }, {}
};

static const struct word path[] = {
	{ PATH + 2, 7 << 16 | 9 << 8 | 64 }, { PATH + 3, 0xa8 << 20 | 0xbeef1 },
	{ PATH + 4, 0xfe800000 }, { PATH + 6, 0x01234567 }, { PATH + 7, 0x89abcdef },
	{ PATH + 9, 5 << 28 | 1 << 16 | 0x0211 }, { PATH + 10, 0x22334455 }, {}
};

static const struct qpc_case qpc_cases[] = {
	{ "create RC", new_rc, {
		{ 0, 3 << 11 }, { 1, 0x123456 },
		{ 2, 6 << 19 | 1 << 16 | 9 << 11 | 1 << 6 | 1 << 4 },
		{ 3, 0x789 }, { 4, 0xffffff }, { 28, 1 << 11 }, { 31, 0xabcdef },
		{ 39, 0xfedcba }, { 40, 0x11223344 }, { 41, 0x55667780 } } },
	{ "create UD without rings, CQE version 0", new_ud_empty, {
		{ 0, 2 << 16 | 3 << 11 }, { 1, 0x123456 }, { 2, 1 << 15 | 2 << 6 | 1 << 4 },
		{ 3, 0x789 }, { 28, 1 << 11 }, { 31, 0xabcdef }, { 39, 0xfedcba },
		{ 40, 0x11223344 }, { 41, 0x55667780 }, { 43, 3 << 24 } } },
	{ "create UC with SRQ", new_uc_srq, {
		{ 0, 1 << 16 | 3 << 11 }, { 1, 0x123456 }, { 2, 9 << 11 | 1 << 6 | 1 << 4 },
		{ 3, 0x789 }, { 4, 0xffffff }, { 28, 1 << 11 }, { 31, 0xabcdef },
		{ 39, 0xfedcba }, { 40, 0x11223344 }, { 41, 0x55667780 },
		{ 43, 1 << 24 | 0x0ace05 } } },
	{ "create RC of a process", new_user, {
		{ 0, 3 << 11 }, { 1, 0x123456 }, { 2, 6 << 19 | 1 << 16 | 9 << 11 | 1 << 6 },
		{ 3, 0x789 }, { 4, 0x42 }, { 31, 0xabcdef },
		{ 39, 0xfedcba }, { 40, 0x11223344 }, { 41, 0x55667780 } } },
	{ "create XRC of a process", new_xrc, {
		{ 0, 3 << 16 | 3 << 11 }, { 1, 0x123456 }, { 2, 9 << 11 | 1 << 6 }, { 3, 0x789 },
		{ 4, 0x42 }, { 31, 0xabcdef }, { 38, 0x0dabcd }, { 39, 0xfedcba },
		{ 40, 0x11223344 }, { 41, 0x55667780 }, { 43, 1 << 24 | 0x0ace05 } } },
	{ "RESET to INIT, RC of a process", init_user, {
		{ 0, 3 << 11 }, { 3, 0x5a << 24 }, { PATH + 9, 1 << 16 } },
	  { mod } },
	{ "RESET to INIT, UC", init_uc, {
		{ 0, 1 << 16 | 3 << 11 }, { 2, 1 << 4 }, { PATH + 9, 1 << 16 },
		{ 36, 1 << 14 } },
	  { mod } },
	{ "INIT to RTR, UC", rtr_uc, {
		{ 0, 1 << 16 | 3 << 11 }, { 2, 3 << 29 | 30 << 24 }, { 5, 0xfade },
		{ 37, 0x765432 } },
	  { mod, path } },
	{ "RESET to INIT, RC: no READs and atomics without resources", init_rc, {
		{ 0, 3 << 11 }, { 2, 1 << 4 }, { 3, 0x5a << 24 }, { PATH + 9, 1 << 16 },
		{ 36, 1 << 14 } },
	  { mod } },
	{ "RESET to INIT, GSI", init_gsi, {
		{ 0, 8 << 16 | 3 << 11 }, { 2, 1 << 29 | 8 << 24 | 1 << 4 },
		{ PATH + 9, 1 << 16 }, { 42, 0x80010000 } },
	  { mod } },
	{ "RESET to INIT, UD", init_ud, {
		{ 0, 2 << 16 | 3 << 11 }, { 2, 5u << 29 | 12 << 24 | 1 << 4 }, { PATH, 2 },
		{ PATH + 9, 1 << 16 }, { 42, 0x11111111 } },
	  { mod } },
	{ "INIT to RTR, RoCE v1 with atomics", rtr_v1, {
		{ 0, 3 << 11 }, { 2, 3 << 29 | 30 << 24 }, { 5, 0xfade },
		{ 36, 4 << 21 | 1 << 16 | 1 << 15 | 1 << 14 | 1 << 13 },
		{ 37, 12 << 24 | 0x765432 } },
	  { mod, path } },
	{ "INIT to RTR, RoCE v2, device without atomics", rtr_v2, {
		{ 0, 3 << 11 }, { 2, 3 << 29 | 30 << 24 }, { 5, 0xfade },
		/* port: low 14 bits of the label ^ its high 6 bits | 0xc000 */
		{ PATH + 8, 0x2a << 16 | ((0xbeef1 & 0x3fff) ^ (0xbeef1 >> 14)) | 0xc000 },
		{ 36, 4 << 21 | 1 << 15 | 1 << 14 }, { 37, 12 << 24 | 0x765432 } },
	  { mod, path } },
	{ "RTR to RTS", rts_rc, {
		{ 0, 3 << 11 }, { PATH + 2, 20u << 27 },
		{ 28, 8u << 28 | 3 << 21 | 7 << 16 | 6 << 13 }, { 30, 0x0a0b0c } },
	  { mod } },
};

KUNIT_ARRAY_PARAM(qpc, qpc_cases, to_desc);

static void context_read_back(struct kunit *test)
{
	struct ib_qp_attr want, got = {};
	u32 qpc[QPC_WORDS] = {};

	rtr_attr(&want);
	rtr_v1(qpc);
	ibx_qpc_to_attr(qpc, &got);
	KUNIT_EXPECT_EQ(test, got.path_mtu, want.path_mtu);
	KUNIT_EXPECT_EQ(test, got.dest_qp_num, want.dest_qp_num);
	KUNIT_EXPECT_EQ(test, got.rq_psn, want.rq_psn);
	KUNIT_EXPECT_EQ(test, got.max_dest_rd_atomic, want.max_dest_rd_atomic);
	KUNIT_EXPECT_EQ(test, got.min_rnr_timer, want.min_rnr_timer);
	KUNIT_EXPECT_EQ(test, got.port_num, 1);
	KUNIT_EXPECT_EQ(test, got.qp_access_flags, IB_ACCESS_REMOTE_WRITE |
			IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC);
	KUNIT_EXPECT_EQ(test, got.ah_attr.type, RDMA_AH_ATTR_TYPE_ROCE);
	KUNIT_EXPECT_EQ(test, got.ah_attr.sl, want.ah_attr.sl);
	KUNIT_EXPECT_EQ(test, got.ah_attr.ah_flags, IB_AH_GRH);
	KUNIT_EXPECT_EQ(test, got.ah_attr.static_rate, IB_RATE_30_GBPS);
	KUNIT_EXPECT_EQ(test, got.ah_attr.grh.sgid_index, want.ah_attr.grh.sgid_index);
	KUNIT_EXPECT_EQ(test, got.ah_attr.grh.flow_label, want.ah_attr.grh.flow_label);
	KUNIT_EXPECT_EQ(test, got.ah_attr.grh.hop_limit, want.ah_attr.grh.hop_limit);
	KUNIT_EXPECT_EQ(test, got.ah_attr.grh.traffic_class, want.ah_attr.grh.traffic_class);
	KUNIT_EXPECT_MEMEQ(test, got.ah_attr.grh.dgid.raw, dgid, sizeof(dgid));
	KUNIT_EXPECT_MEMEQ(test, got.ah_attr.roce.dmac, want.ah_attr.roce.dmac, ETH_ALEN);
}

static void check_states(struct kunit *test)
{
	static const struct {
		u8 hw;
		enum ib_qp_state ib;
		bool draining;
	} want[] = {
		{ 0, IB_QPS_RESET }, { 1, IB_QPS_INIT }, { 2, IB_QPS_RTR }, { 3, IB_QPS_RTS },
		{ 4, IB_QPS_SQE }, { 5, IB_QPS_SQD }, { 6, IB_QPS_ERR },
		{ 7, IB_QPS_SQD, true }, { 9, IB_QPS_ERR },
	};
	__be32 qpc[QPC_WORDS] = {};
	enum ib_qp_state state;
	bool draining;
	int i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		qpc[0] = cpu_to_be32((u32)want[i].hw << 28);
		KUNIT_EXPECT_EQ(test, ibx_qpc_state((u32 *)qpc, &state, &draining), 0);
		KUNIT_EXPECT_EQ(test, state, want[i].ib);
		KUNIT_EXPECT_EQ(test, draining, want[i].draining);
	}
	qpc[0] = cpu_to_be32(8u << 28);
	KUNIT_EXPECT_EQ(test, ibx_qpc_state((u32 *)qpc, &state, &draining), -EIO);
}

struct step_case {
	const char *name;
	u8 st;
	enum ib_qp_state cur;
	enum ib_qp_state next;
	int mask;
	int err;
	u16 opcode;
	u32 opt;
};

#define RC	MLX5_QP_ST_RC
#define UC	MLX5_QP_ST_UC
#define XRC	MLX5_QP_ST_XRC
#define UD	MLX5_QP_ST_UD
#define QP1	MLX5_QP_ST_QP1
#define OPT_ACC	(BIT(1) | BIT(2) | BIT(3))

static const struct step_case step_cases[] = {
	{ "RC to INIT", RC, IB_QPS_RESET, IB_QPS_INIT,
	  IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS, 0, 0x502, 0 },
	{ "RC INIT to INIT", RC, IB_QPS_INIT, IB_QPS_INIT,
	  IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS, 0, 0x50e,
	  OPT_ACC | BIT(4) | BIT(16) },
	{ "XRC INIT to INIT", XRC, IB_QPS_INIT, IB_QPS_INIT,
	  IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS, 0, 0x50e,
	  OPT_ACC | BIT(4) | BIT(16) },
	{ "XRC to RTS with RNR timer", XRC, IB_QPS_RTR, IB_QPS_RTS,
	  IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
	  IB_QP_MAX_QP_RD_ATOMIC | IB_QP_MIN_RNR_TIMER, 0, 0x504, BIT(6) },
	{ "UC INIT to INIT", UC, IB_QPS_INIT, IB_QPS_INIT,
	  IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS, 0, 0x50e,
	  BIT(3) | BIT(4) | BIT(16) },
	{ "UC to RTR", UC, IB_QPS_INIT, IB_QPS_RTR,
	  IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN | IB_QP_ACCESS_FLAGS |
	  IB_QP_PKEY_INDEX, 0, 0x503, BIT(3) | BIT(4) },
	{ "UC to RTS: no RNR timer", UC, IB_QPS_RTR, IB_QPS_RTS,
	  IB_QP_SQ_PSN | IB_QP_ACCESS_FLAGS | IB_QP_MIN_RNR_TIMER, 0, 0x504, BIT(3) },
	{ "UC SQE to RTS", UC, IB_QPS_SQE, IB_QPS_RTS, IB_QP_ACCESS_FLAGS, 0, 0x506, BIT(3) },
	{ "UD INIT to INIT", UD, IB_QPS_INIT, IB_QPS_INIT,
	  IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY, 0, 0x50e, BIT(4) | BIT(5) | BIT(16) },
	{ "RC to RTR: path and depth are required, access optional", RC, IB_QPS_INIT,
	  IB_QPS_RTR, IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
	  IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER, 0, 0x503, OPT_ACC },
	{ "UD to RTR with Q_Key", UD, IB_QPS_INIT, IB_QPS_RTR, IB_QP_QKEY, 0, 0x503, BIT(5) },
	{ "RC to RTS with RNR timer", RC, IB_QPS_RTR, IB_QPS_RTS,
	  IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
	  IB_QP_MAX_QP_RD_ATOMIC | IB_QP_MIN_RNR_TIMER, 0, 0x504, BIT(6) },
	{ "UD to RTS", UD, IB_QPS_RTR, IB_QPS_RTS, IB_QP_SQ_PSN, 0, 0x504, 0 },
	{ "GSI has nothing optional", QP1, IB_QPS_INIT, IB_QPS_RTR, IB_QP_QKEY, 0, 0x503, 0 },
	{ "RC RTS to RTS", RC, IB_QPS_RTS, IB_QPS_RTS, IB_QP_ACCESS_FLAGS, 0, 0x505, OPT_ACC },
	{ "UD SQE to RTS", UD, IB_QPS_SQE, IB_QPS_RTS, IB_QP_QKEY, 0, 0x506, BIT(5) },
	{ "RC SQD to RTS", RC, IB_QPS_SQD, IB_QPS_RTS, 0, 0, 0x50c, 0 },
	{ "any to ERR", RC, IB_QPS_RTS, IB_QPS_ERR, 0, 0, 0x507, 0 },
	{ "any to RESET", UD, IB_QPS_ERR, IB_QPS_RESET, 0, 0, 0x50a, 0 },
	{ "RTS to SQD: there is no command", RC, IB_QPS_RTS, IB_QPS_SQD, 0, -EOPNOTSUPP },
	{ "RESET to RTS", RC, IB_QPS_RESET, IB_QPS_RTS, 0, -EOPNOTSUPP },
};

KUNIT_ARRAY_PARAM_DESC(step, step_cases, name);

static void check_step(struct kunit *test)
{
	const struct step_case *c = test->param_value;
	struct ibx_qp_step step = {};

	KUNIT_ASSERT_EQ(test, ibx_qp_step(c->st, c->cur, c->next, c->mask, &step), c->err);
	if (c->err)
		return;
	KUNIT_EXPECT_EQ(test, step.opcode, c->opcode);
	KUNIT_EXPECT_EQ(test, step.opt_mask, c->opt);
}

#define DCI_RTS									\
	(IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |		\
	 IB_QP_MAX_QP_RD_ATOMIC | IB_QP_SQ_PSN)
#define DCT_INIT	(IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS)
#define DCT_RTR		(IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_MIN_RNR_TIMER)

/*
 * the step needs each attribute in @mask, and refuses IB_QP_QKEY and
 * IB_QP_DEST_QPN, which no step has
 */
static void check_mlx5_step(struct kunit *test, u8 st, enum ib_qp_state cur, enum ib_qp_state next,
			    int mask)
{
	int bit;

	KUNIT_EXPECT_TRUE(test, ibx_mlx5_step_is_ok(st, cur, next, mask));
	KUNIT_EXPECT_FALSE(test, ibx_mlx5_step_is_ok(st, cur, next, mask | IB_QP_QKEY));
	KUNIT_EXPECT_FALSE(test, ibx_mlx5_step_is_ok(st, cur, next, mask | IB_QP_DEST_QPN));
	for (bit = 1; bit <= IB_QP_RATE_LIMIT; bit <<= 1)
		if (mask & bit)
			KUNIT_EXPECT_FALSE(test, ibx_mlx5_step_is_ok(st, cur, next, mask & ~bit));
}

/* as modify_dci_qp_is_ok() and mlx5_ib_modify_dct() of mlx5_ib */
static void dc_steps(struct kunit *test)
{
	const u8 dci = MLX5_QP_ST_DCI, dct = MLX5_QP_ST_DCT;
	enum ib_qp_state cur;

	check_mlx5_step(test, dci, IB_QPS_RESET, IB_QPS_INIT,
			IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT);
	check_mlx5_step(test, dci, IB_QPS_INIT, IB_QPS_RTR, IB_QP_STATE | IB_QP_PATH_MTU);
	check_mlx5_step(test, dci, IB_QPS_RTR, IB_QPS_RTS, DCI_RTS);
	check_mlx5_step(test, dct, IB_QPS_RESET, IB_QPS_INIT, DCT_INIT);
	check_mlx5_step(test, dct, IB_QPS_INIT, IB_QPS_RTR, DCT_RTR);
	KUNIT_EXPECT_TRUE(test, ibx_mlx5_step_is_ok(dci, IB_QPS_INIT, IB_QPS_INIT,
						    IB_QP_STATE | IB_QP_PORT));
	/* optional attributes, which mlx5_ib accepts from a process */
	KUNIT_EXPECT_TRUE(test, ibx_mlx5_step_is_ok(dci, IB_QPS_INIT, IB_QPS_RTR,
						    IB_QP_STATE | IB_QP_PATH_MTU | IB_QP_AV));
	KUNIT_EXPECT_TRUE(test, ibx_mlx5_step_is_ok(dci, IB_QPS_RTR, IB_QPS_RTS,
						    DCI_RTS | IB_QP_MIN_RNR_TIMER));
	for (cur = IB_QPS_INIT; cur <= IB_QPS_ERR; cur++) {
		check_mlx5_step(test, dci, cur, IB_QPS_RESET, IB_QP_STATE);
		check_mlx5_step(test, dci, cur, IB_QPS_ERR, IB_QP_STATE);
		KUNIT_EXPECT_FALSE(test, ibx_mlx5_step_is_ok(dct, cur, IB_QPS_RESET, IB_QP_STATE));
		KUNIT_EXPECT_FALSE(test, ibx_mlx5_step_is_ok(dct, cur, IB_QPS_ERR, IB_QP_STATE));
	}
	KUNIT_EXPECT_FALSE(test, ibx_mlx5_step_is_ok(dci, IB_QPS_RESET, IB_QPS_ERR, IB_QP_STATE));
	KUNIT_EXPECT_FALSE(test, ibx_mlx5_step_is_ok(dct, IB_QPS_RTR, IB_QPS_RTS, DCI_RTS));
}

static void umr_steps(struct kunit *test)
{
	const u8 umr = MLX5_QP_ST_REG_UMR;

	check_mlx5_step(test, umr, IB_QPS_RESET, IB_QPS_INIT, IB_QP_STATE | IB_QP_PORT);
	check_mlx5_step(test, umr, IB_QPS_INIT, IB_QPS_RTR, IB_QP_STATE);
	check_mlx5_step(test, umr, IB_QPS_RTR, IB_QPS_RTS, IB_QP_STATE);
	check_mlx5_step(test, umr, IB_QPS_RTS, IB_QPS_ERR, IB_QP_STATE);
	check_mlx5_step(test, umr, IB_QPS_ERR, IB_QPS_RESET, IB_QP_STATE);
	KUNIT_EXPECT_FALSE(test, ibx_mlx5_step_is_ok(umr, IB_QPS_RESET, IB_QPS_ERR, IB_QP_STATE));
	KUNIT_EXPECT_FALSE(test, ibx_mlx5_step_is_ok(umr, IB_QPS_RTS, IB_QPS_RTS, IB_QP_STATE));
}

static struct kunit_case qpc_tests[] = {
	KUNIT_CASE_PARAM(check_words, qpc_gen_params),
	KUNIT_CASE(context_read_back),
	KUNIT_CASE(check_states),
	{}
};

static struct kunit_suite qpc_suite = {
	.name = "mlx5_ibx_qpc",
	.test_cases = qpc_tests,
};

static struct kunit_case step_tests[] = {
	KUNIT_CASE_PARAM(check_step, step_gen_params),
	KUNIT_CASE(dc_steps),
	KUNIT_CASE(umr_steps),
	{}
};

static struct kunit_suite step_suite = {
	.name = "mlx5_ibx_qp_step",
	.test_cases = step_tests,
};

kunit_test_suites(&qpc_suite, &step_suite);
