// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suites of the encoders of segments; each row has one vector.
 */

#include "kunit.h"

#define QP_H		"linux/mlx5/qp.h "
#define DEVICE_H	"linux/mlx5/device.h "

struct seg_case {
	const char *name;
	const char *source;
	void (*encode)(void *seg);
	const char *hex;
};

static void to_desc(const struct seg_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s (%s)", c->name, c->source);
}

/* the segment has the bytes of the vector, and later bytes are not written */
static void check_segment(struct kunit *test)
{
	const struct seg_case *c = test->param_value;
	u8 seg[128] __aligned(64), bytes[128];
	size_t n, i;

	memset(seg, POISON, sizeof(seg));
	c->encode(seg);
	kt_expect_bytes(test, c->name, seg, c->hex);
	n = kt_parse_hex(test, c->hex, bytes, sizeof(bytes));
	for (i = n; i < sizeof(seg); i++)
		KUNIT_EXPECT_EQ_MSG(test, seg[i], POISON, "byte %zu written", i);
}

static void ctrl_send(void *seg)
{
	ibx_enc_ctrl(seg, MLX5_OPCODE_SEND, 0, KT_QPN << 8 | 2, 0, 0);
}

static void ctrl_index(void *seg)
{
	ibx_enc_ctrl(seg, MLX5_OPCODE_UMR, 0xfedc, KT_QPN << 8 | 63,
		     MLX5_WQE_CTRL_CQ_UPDATE | MLX5_WQE_CTRL_SOLICITED |
		     MLX5_FENCE_MODE_SMALL_AND_FENCE, cpu_to_be32(0x01020304));
}

static void ctrl_qpn(void *seg)
{
	ibx_enc_ctrl(seg, MLX5_OPCODE_NOP, 0xffff, 0xffffff01,
		     MLX5_FENCE_MODE_INITIATOR_SMALL, cpu_to_be32(0xffffffff));
}

static void put_data(void *seg)
{
	ibx_enc_data(seg, 0x1122334455667788, 0x1000, 0x00abcdef);
}

static void data_longest(void *seg)
{
	ibx_enc_data(seg, ~0ULL, IBX_SGE_MAX, 1);
}

static void data_end(void *seg)
{
	ibx_enc_data_end(seg, MLX5_TERMINATE_SCATTER_LIST_LKEY);
}

static void inline_hdr(void *seg)
{
	ibx_enc_inline_hdr(seg, 0x3ff);
}

static void put_raddr(void *seg)
{
	ibx_enc_raddr(seg, 0x8877665544332211, 0x00c0ffee);
}

static const struct seg_case basic_cases[] = {
	{ "ctrl SEND", QP_H "mlx5_wqe_ctrl_seg", ctrl_send,
	  HEX(0000000a 12345602 00000000 00000000) },
	{ "ctrl all fields", QP_H "mlx5_wqe_ctrl_seg, CTRL_*, FENCE_MODE_*", ctrl_index,
	  HEX(00fedc25 1234563f 0000008a 01020304) },
	{ "ctrl extremes", QP_H "mlx5_wqe_ctrl_seg", ctrl_qpn,
	  HEX(00ffff00 ffffff01 00000020 ffffffff) },
	{ "data", QP_H "mlx5_wqe_data_seg", put_data,
	  HEX(00001000 00abcdef 1122334455667788) },
	{ "data of 2^31 bytes", "rdma-core providers/mlx5/qp.c: 2^31 is written as 0", data_longest,
	  HEX(00000000 00000001 ffffffffffffffff) },
	{ "data terminator", QP_H "MLX5_TERMINATE_SCATTER_LIST_LKEY", data_end,
	  HEX(00000000 00000100 0000000000000000) },
	{ "inline header", QP_H "MLX5_INLINE_SEG, 10 bits of length", inline_hdr,
	  HEX(800003ff) },
	{ "remote address", QP_H "mlx5_wqe_raddr_seg", put_raddr,
	  HEX(8877665544332211 00c0ffee 00000000) },
};

KUNIT_ARRAY_PARAM(basic, basic_cases, to_desc);

static const u8 dgid[16] = {
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x02, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55,
};

static const u8 dmac[6] = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 };

static const struct ibx_enc_av av_params = {
	.dgid = dgid,
	.sgid_index = 0x7f,
	.flow_label = 0xabcde,
	.udp_sport = 0xc123,
	.dmac = dmac,
	.rate = 5,
	.sl = 6,
	.tclass = 0x6a,
	.hop_limit = 64,
};

static void put_av(void *seg)
{
	ibx_enc_av(seg, &av_params);
}

static void av_masks(void *seg)
{
	struct ibx_enc_av p = av_params;

	p.sgid_index = 255;
	p.flow_label = ~0;
	p.sl = 0xf;
	ibx_enc_av(seg, &p);
}

static void put_datagram(void *seg)
{
	struct mlx5_av a;

	ibx_enc_av(&a, &av_params);
	ibx_enc_datagram(seg, &a, 0xff000001, 0x80010000);
}

static const struct seg_case av_cases[] = {
	{ "address vector", QP_H "mlx5_av", put_av,
	  HEX(0000000000000000 00000000 5c 00 c123 00000000 021122334455 6a 40
	      47fabcde fe80000000000000021122fffe334455) },
	{ "address vector, widest", QP_H "mlx5_av", av_masks,
	  HEX(0000000000000000 00000000 5e 00 c123 00000000 021122334455 6a 40
	      4fffffff fe80000000000000021122fffe334455) },
	{ "datagram", QP_H "mlx5_av, MLX5_EXTENDED_UD_AV", put_datagram,
	  HEX(80010000 00000000 80000001 5c 00 c123 00000000 021122334455 6a 40
	      47fabcde fe80000000000000021122fffe334455) },
};

KUNIT_ARRAY_PARAM(av, av_cases, to_desc);

static const struct ibx_enc_reg reg_params = {
	.iova = 0x0000700012345678,
	.length = 0x2a00,
	.mkey = KT_MKEY | 0x17,
	.list_octwords = 4,
	.key_octwords = 4,
	.page_shift = 12,
	.mode = MLX5_MKC_ACCESS_MODE_MTT,
	.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE,
	.inlined = true,
	.mask = cpu_to_be64(IBX_UMR_REG_MASK),
};

static void umr_reg_inline(void *seg)
{
	ibx_enc_umr_reg(seg, &reg_params);
}

static void umr_reg_fetched(void *seg)
{
	struct ibx_enc_reg p = reg_params;

	p.inlined = false;
	p.mask = ibx_reg_mask(true);
	p.list_octwords = 132;
	ibx_enc_umr_reg(seg, &p);
}

static void umr_inv(void *seg)
{
	ibx_enc_umr_inv(seg, 0);
}

static const struct seg_case umr_cases[] = {
	{ "register, inline", DEVICE_H "MLX5_UMR_*, MLX5_MKEY_MASK_*", umr_reg_inline,
	  HEX(a0 000000 0004 0000 00000000209e2143 00000000
	      00000000 000000000000000000000000000000000000000000000000) },
	{ "register, fetched, atomic", DEVICE_H "MLX5_UMR_*, MLX5_MKEY_MASK_*", umr_reg_fetched,
	  HEX(20 000000 0084 0000 0000000020be2143 00000000
	      00000000 000000000000000000000000000000000000000000000000) },
	{ "invalidate", DEVICE_H "MLX5_MKEY_MASK_FREE", umr_inv,
	  HEX(80 000000 0000 0000 0000000020000000 00000000
	      00000000 000000000000000000000000000000000000000000000000) },
};

KUNIT_ARRAY_PARAM(umr, umr_cases, to_desc);

static void mkey_reg(void *seg)
{
	ibx_enc_mkey_reg(seg, &reg_params);
}

static void mkey_access(void *seg, u8 access)
{
	struct ibx_enc_reg p = reg_params;

	p.access = access;
	ibx_enc_mkey_reg(seg, &p);
}

static void mkey_read_only(void *seg)
{
	mkey_access(seg, 0);
}

static void mkey_remote_read(void *seg)
{
	mkey_access(seg, IB_ACCESS_REMOTE_READ);
}

static void mkey_remote_write(void *seg)
{
	mkey_access(seg, IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE);
}

static void mkey_atomic(void *seg)
{
	mkey_access(seg, IB_ACCESS_REMOTE_ATOMIC);
}

static void mkey_large(void *seg)
{
	struct ibx_enc_reg p = reg_params;

	p.key_octwords = 32768;
	p.page_shift = 21;
	p.length = 1ULL << 37;
	p.iova = 0xffffffffffe00000;
	ibx_enc_mkey_reg(seg, &p);
}

static void mkey_inv(void *seg)
{
	ibx_enc_mkey_inv(seg);
}

#define MKEY_H		DEVICE_H "mlx5_mkey_seg, MLX5_PERM_*"

static const struct seg_case mkey_cases[] = {
	{ "register", MKEY_H, mkey_reg,
	  HEX(00 00 bd 00 ffffff17 00000000 01000000 0000700012345678 0000000000002a00
	      00000000 00000000000000000000000000000000 00000004 000000 0c 00000000) },
	{ "local read only", MKEY_H, mkey_read_only,
	  HEX(00 00 85 00 ffffff17 00000000 01000000 0000700012345678 0000000000002a00
	      00000000 00000000000000000000000000000000 00000004 000000 0c 00000000) },
	{ "remote read", MKEY_H, mkey_remote_read,
	  HEX(00 00 95 00 ffffff17 00000000 01000000 0000700012345678 0000000000002a00
	      00000000 00000000000000000000000000000000 00000004 000000 0c 00000000) },
	{ "remote write", MKEY_H, mkey_remote_write,
	  HEX(00 00 ad 00 ffffff17 00000000 01000000 0000700012345678 0000000000002a00
	      00000000 00000000000000000000000000000000 00000004 000000 0c 00000000) },
	{ "remote atomic", MKEY_H, mkey_atomic,
	  HEX(00 00 c5 00 ffffff17 00000000 01000000 0000700012345678 0000000000002a00
	      00000000 00000000000000000000000000000000 00000004 000000 0c 00000000) },
	{ "65536 pages of 2 MiB", MKEY_H, mkey_large,
	  HEX(00 00 bd 00 ffffff17 00000000 01000000 ffffffffffe00000 0000002000000000
	      00000000 00000000000000000000000000000000 00008000 000000 15 00000000) },
	{ "invalidate", DEVICE_H "mlx5_mkey_seg.status", mkey_inv,
	  HEX(40 00 00 00 00000000 00000000 00000000 0000000000000000 0000000000000000
	      00000000 00000000000000000000000000000000 00000000 000000 00 00000000) },
};

KUNIT_ARRAY_PARAM(mkey, mkey_cases, to_desc);

static struct kunit_case basic_tests[] = {
	KUNIT_CASE_PARAM(check_segment, basic_gen_params),
	{}
};

static struct kunit_suite basic_suite = {
	.name = "mlx5_ibx_enc_basic",
	.test_cases = basic_tests,
};

static struct kunit_case av_tests[] = {
	KUNIT_CASE_PARAM(check_segment, av_gen_params),
	{}
};

static struct kunit_suite av_suite = {
	.name = "mlx5_ibx_enc_av",
	.test_cases = av_tests,
};

static struct kunit_case umr_tests[] = {
	KUNIT_CASE_PARAM(check_segment, umr_gen_params),
	{}
};

static struct kunit_suite umr_suite = {
	.name = "mlx5_ibx_enc_umr",
	.test_cases = umr_tests,
};

static struct kunit_case mkey_tests[] = {
	KUNIT_CASE_PARAM(check_segment, mkey_gen_params),
	{}
};

static struct kunit_suite mkey_suite = {
	.name = "mlx5_ibx_enc_mkey",
	.test_cases = mkey_tests,
};

kunit_test_suites(&basic_suite, &av_suite, &umr_suite, &mkey_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5_ibx");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_LICENSE("Dual BSD/GPL");
