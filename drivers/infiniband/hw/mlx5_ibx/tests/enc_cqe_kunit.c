// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of the decoders of CQEs and of the types of EQEs.
 */

#include "kunit.h"

struct syndrome_case {
	const char *name;
	u8 syndrome;
	enum ib_wc_status status;
};

/* numbers, not MLX5_CQE_SYNDROME_*: this finds a change of linux/mlx5/cq.h */
static const struct syndrome_case syndromes[] = {
	{ "local length", 0x01, IB_WC_LOC_LEN_ERR },
	{ "local QP operation", 0x02, IB_WC_LOC_QP_OP_ERR },
	{ "local protection", 0x04, IB_WC_LOC_PROT_ERR },
	{ "flushed", 0x05, IB_WC_WR_FLUSH_ERR },
	{ "memory window bind", 0x06, IB_WC_MW_BIND_ERR },
	{ "bad response", 0x10, IB_WC_BAD_RESP_ERR },
	{ "local access", 0x11, IB_WC_LOC_ACCESS_ERR },
	{ "remote invalid request", 0x12, IB_WC_REM_INV_REQ_ERR },
	{ "remote access", 0x13, IB_WC_REM_ACCESS_ERR },
	{ "remote operation", 0x14, IB_WC_REM_OP_ERR },
	{ "retries exceeded", 0x15, IB_WC_RETRY_EXC_ERR },
	{ "RNR retries exceeded", 0x16, IB_WC_RNR_RETRY_EXC_ERR },
	{ "remote aborted", 0x22, IB_WC_REM_ABORT_ERR },
	{ "zero", 0x00, IB_WC_GENERAL_ERR },
	{ "hole", 0x03, IB_WC_GENERAL_ERR },
	{ "one past the last", 0x23, IB_WC_GENERAL_ERR },
	{ "largest", 0xff, IB_WC_GENERAL_ERR },
};

KUNIT_ARRAY_PARAM_DESC(syndrome, syndromes, name);

static void check_syndrome(struct kunit *test)
{
	const struct syndrome_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, ibx_dec_syndrome(c->syndrome), c->status);
}

static void syndrome_never_success(struct kunit *test)
{
	int i;

	for (i = 0; i < 256; i++)
		KUNIT_EXPECT_NE(test, ibx_dec_syndrome(i), IB_WC_SUCCESS);
}

struct event_case {
	const char *name;
	unsigned long type;
	int event;
};

/* the numbers of the types in the PRM and in enum mlx5_event */
static const struct event_case events[] = {
	{ "completion", 0x00, -ENOENT },
	{ "path migrated", 0x01, IB_EVENT_PATH_MIG },
	{ "communication established", 0x02, IB_EVENT_COMM_EST },
	{ "send queue drained", 0x03, IB_EVENT_SQ_DRAINED },
	{ "CQ error", 0x04, -ENOENT },
	{ "catastrophic error", 0x05, IB_EVENT_QP_FATAL },
	{ "path migration failed", 0x07, IB_EVENT_PATH_MIG_ERR },
	{ "invalid request", 0x10, IB_EVENT_QP_REQ_ERR },
	{ "access error", 0x11, IB_EVENT_QP_ACCESS_ERR },
	{ "SRQ catastrophic error", 0x12, -ENOENT },
	{ "last WQE", 0x13, IB_EVENT_QP_LAST_WQE_REACHED },
	{ "SRQ limit", 0x14, -ENOENT },
	{ "general object", 0x45, -ENOENT },
	{ "one of mlx5_core's own", 0x105, -ENOENT },
};

KUNIT_ARRAY_PARAM_DESC(event, events, name);

static void check_event(struct kunit *test)
{
	const struct event_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, ibx_dec_qp_event(c->type), c->event);
}

struct ud_case {
	const char *name;
	const char *hex;		/* mlx5_cqe64 from rss_hash_type */
	int flags;
	u32 src_qp;
	u8 sl;
	u16 vlan;
	u8 l3;
};

#define UD_FLAGS	(IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE)

/* rss_hash_type ml_path rsvd check_sum slid flags_rqpn hds l3 vlan_info */
static const struct ud_case ud_cases[] = {
	{ "RoCE v1", "00 05 0000 0000 0000 10000017 00 00 0000", UD_FLAGS, 0x17, 0, 0,
	  RDMA_NETWORK_ROCE_V1 },
	{ "RoCE v2 over IPv6", "00 05 0000 0000 0000 11abcdef 00 00 0000", UD_FLAGS, 0xabcdef,
	  0, 0, RDMA_NETWORK_IPV6 },
	{ "RoCE v2 over IPv4", "00 05 0000 0000 0000 12000001 00 00 0000", UD_FLAGS, 1, 0, 0,
	  RDMA_NETWORK_IPV4 },
	{ "no GRH", "00 05 0000 0000 0000 02000001 00 00 0000", IB_WC_WITH_NETWORK_HDR_TYPE,
	  1, 0, 0, RDMA_NETWORK_IPV4 },
	{ "VLAN", "00 05 0000 0000 0000 12000001 00 01 a123", UD_FLAGS | IB_WC_WITH_VLAN, 1, 5,
	  0x123, RDMA_NETWORK_IPV4 },
	{ "unknown header", "00 05 0000 0000 0000 13000001 00 00 0000", IB_WC_GRH, 1, 0, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(ud, ud_cases, name);

static void check_ud(struct kunit *test)
{
	const struct ud_case *c = test->param_value;
	struct mlx5_cqe64 cqe = {};
	struct ib_wc wc = {};

	kt_parse_hex(test, c->hex, (u8 *)&cqe.rss_hash_type, 16);
	ibx_dec_ud(&wc, &cqe);
	KUNIT_EXPECT_EQ(test, wc.wc_flags, c->flags);
	KUNIT_EXPECT_EQ(test, wc.src_qp, c->src_qp);
	KUNIT_EXPECT_EQ(test, wc.sl, c->sl);
	KUNIT_EXPECT_EQ(test, wc.vlan_id, c->vlan);
	KUNIT_EXPECT_EQ(test, wc.network_hdr_type, c->l3);
	KUNIT_EXPECT_EQ(test, wc.dlid_path_bits, 5);
	KUNIT_EXPECT_EQ(test, wc.pkey_index, 0);
}

static struct kunit_case cqe_tests[] = {
	KUNIT_CASE_PARAM(check_event, event_gen_params),
	KUNIT_CASE_PARAM(check_syndrome, syndrome_gen_params),
	KUNIT_CASE(syndrome_never_success),
	KUNIT_CASE_PARAM(check_ud, ud_gen_params),
	{}
};

static struct kunit_suite cqe_suite = {
	.name = "mlx5_ibx_dec_cqe",
	.test_cases = cqe_tests,
};

kunit_test_suite(cqe_suite);
