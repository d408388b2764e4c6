// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of encryption: configurations that libmlx5 (rdma-core 44) wrote, what the setter
 * refuses, DEK objects and logins.
 *
 * As in recorded_dv_kunit.c: tools/testing/libmlx5/probe.c makes the calls, on stock mlx5_ib
 * (Linux 6.12.117), record.sh there prints the bytes, and they are unchanged. mlx5_ibx differs in
 * the fence of a UMR, which the suite sets to that of libmlx5.
 */

#include <linux/unaligned.h>

#include "dv/crypto.h"
#include "dv/mkey.h"
#include "enc/crypto.h"
#include "kunit.h"

#define REC_LKEY	0x1300
#define REC_MKEY	0x1700
#define REC_BUF		0x700000000000
#define REC_ENTRIES	48
#define REC_DEK		1
#define REC_BE_TWEAK	MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK

/* attributes of probe.c */
static const struct mlx5dv_crypto_attr attrs[] = {
	{ .encrypt_on_tx = true, .data_unit_size = MLX5DV_BLOCK_SIZE_512, .keytag = "keytag!",
	  .initial_tweak = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } },
	{ .data_unit_size = MLX5DV_BLOCK_SIZE_520, .initial_tweak = { [15] = 0x7f } },
	{ .encrypt_on_tx = true, .data_unit_size = MLX5DV_BLOCK_SIZE_4048,
	  .signature_crypto_order =
		  MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX },
	{ .data_unit_size = MLX5DV_BLOCK_SIZE_4096, .initial_tweak = { 0x7f },
	  .signature_crypto_order =
		  MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX },
	{ .encrypt_on_tx = true, .data_unit_size = MLX5DV_BLOCK_SIZE_4160 },
};

struct rec {
	struct mlx5dv_qp_ex *mqp;
	struct ib_qp_ex *qpx;
	struct ibx_mkey mkey;
	struct mlx5dv_dek dek;
	struct ib_sge sge[REC_ENTRIES];
	struct mlx5dv_mr_interleaved data[REC_ENTRIES];
};

/**
 * struct rec_case - a recorded work request
 * @name: name in probe.c
 * @build: makes the calls
 * @n: argument of the calls
 * @hex: UMR
 */
struct rec_case {
	const char *name;
	void (*build)(struct rec *r, int n);
	int n;
	const char *hex;
};

static void begin(struct rec *r, u8 setters)
{
	const struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(r->mqp, &r->mkey.dv, setters, &attr);
}

static void set_crypto(struct rec *r, int n)
{
	struct mlx5dv_crypto_attr attr = attrs[n];

	attr.dek = &r->dek;
	mlx5dv_wr_set_mkey_crypto(r->mqp, &attr);
}

static void crypto_list(struct rec *r, int n)
{
	begin(r, 3);
	mlx5dv_wr_set_mkey_access_flags(r->mqp, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_list(r->mqp, 5, r->sge);
	set_crypto(r, n);
}

static void crypto_first(struct rec *r, int n)
{
	begin(r, 2);
	set_crypto(r, n);
	mlx5dv_wr_set_mkey_layout_interleaved(r->mqp, 2, 3, r->data);
}

static void crypto_alone(struct rec *r, int n)
{
	begin(r, 1);
	set_crypto(r, n);
}

static void crypto_keep(struct rec *r, int n)
{
	begin(r, 1);
	mlx5dv_wr_set_mkey_layout_list(r->mqp, n, r->sge);
}

static const struct rec_case rec_cases[] = {
	{ "crypto_list", crypto_list, 0,
	  HEX(00008c25 00004214 00000028 00001700 80000000 00080004 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      81020000 ffffffff 01000000 00000000 100f0e0d 0c0b0a09 08070605 04030201
	      00000001 00000000 6b657974 61672100 00000000 00000000 00000000 00000000) },
	{ "crypto_keep", crypto_keep, 2,
	  HEX(00009125 0000420c 00000028 00001700 80000000 00040000 00000000 20002001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000081
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "crypto_first", crypto_first, 1,
	  HEX(00009425 00004210 00000028 00001700 80000000 00040004 00000000 20003001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000306
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000183 00000400 00000002 00000003 00800080 00001300 00007000 00000000
	      00820081 00001300 00007000 00000200 00840082 00001300 00007000 00000400
	      81010000 ffffffff 02000000 00000000 7f000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "crypto_alone", crypto_alone, 2,
	  HEX(00009825 0000420c 00000028 00001700 80000000 00000004 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      81000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "crypto_list", crypto_list, 3,
	  HEX(00009b25 00004214 00000028 00001700 80000000 00080004 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      81030000 ffffffff 03000000 00000000 00000000 00000000 00000000 0000007f
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "crypto_list", crypto_list, 4,
	  HEX(0000a025 00004214 00000028 00001700 80000000 00080004 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      81020000 ffffffff 04000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
};

static void rec_desc(const struct rec_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %d (recorded from libmlx5)", c->name, c->n);
}

KUNIT_ARRAY_PARAM(rec, rec_cases, rec_desc);

static struct rec *create_rec(struct kt *kt)
{
	struct rec *r = kunit_kzalloc(kt->test, sizeof(*r), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(kt->test, r);
	r->mqp = &kt->qp->dv;
	r->qpx = &r->mqp->qp_ex;
	r->mkey.pd = kt->qp->ibqp.pd;
	r->mkey.dv.lkey = REC_MKEY;
	r->mkey.key = REC_MKEY;
	r->mkey.has.max_entries = REC_ENTRIES;
	r->mkey.has.flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO;
	r->dek.pd = kt->qp->ibqp.pd;
	r->dek.dekn = REC_DEK;
	r->dek.has_keytag = true;
	kt->dev->crypto_caps.crypto_engines = REC_BE_TWEAK;
	kt->qp->sq.max_umr_inline = REC_ENTRIES * 16;
	for (i = 0; i < REC_ENTRIES; i++) {
		r->sge[i] = (struct ib_sge){ REC_BUF + 512 * i, 64 + i, REC_LKEY };
		r->data[i] = (struct mlx5dv_mr_interleaved){
			REC_BUF + 512 * i, 128 + i, i, REC_LKEY,
		};
	}
	return r;
}

static void recorded_crypto(struct kunit *test)
{
	const struct rec_case *c = test->param_value;
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct rec *r = create_rec(kt);
	u8 *flat = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);
	static u8 umr[1024];

	KUNIT_ASSERT_NOT_NULL(test, flat);
	kt_parse_hex(test, c->hex, umr, sizeof(umr));
	ibx_sq_set_qpn(&kt->qp->sq, get_unaligned_be24(umr + 4));
	kt->qp->sq.cur_post = get_unaligned_be16(umr + 1);
	kt->qp->sq.umr_fence = umr[11] & 0xe0;
	r->qpx->wr_flags = IB_SEND_INLINE | IB_SEND_SIGNALED;
	KUNIT_ASSERT_EQ(test, ib_wr_start(r->qpx), 0);
	c->build(r, c->n);
	KUNIT_ASSERT_EQ(test, ib_wr_complete(r->qpx), 0);
	kt_unroll(kt, get_unaligned_be16(umr + 1), flat);
	kt_expect_bytes(test, c->name, flat, c->hex);
}

/* post a configuration of @len bytes with these attributes */
static int try_crypto(struct rec *r, const struct mlx5dv_crypto_attr *attr, u32 len)
{
	struct ib_sge sge = { REC_BUF, len, REC_LKEY };
	int err;

	r->qpx->wr_flags = IB_SEND_INLINE | IB_SEND_SIGNALED;
	err = ib_wr_start(r->qpx);
	if (err)
		return err;
	begin(r, 2);
	mlx5dv_wr_set_mkey_crypto(r->mqp, attr);
	mlx5dv_wr_set_mkey_layout_list(r->mqp, 1, &sge);
	return ib_wr_complete(r->qpx);
}

static void setter_refuses(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct rec *r = create_rec(kt);
	struct mlx5dv_crypto_attr attr = attrs[0];
	struct ib_pd pd;

	attr.dek = &r->dek;
#define TRY_WITH(lvalue, value, err)						\
	do {									\
		typeof(lvalue) was_ = (lvalue);					\
										\
		(lvalue) = (value);						\
		KUNIT_EXPECT_EQ_MSG(test, try_crypto(r, &attr, 1024), err, #lvalue);	\
		(lvalue) = was_;						\
	} while (0)
	TRY_WITH(attr.comp_mask, 1, -EINVAL);
	TRY_WITH(attr.crypto_standard, 1, -EINVAL);
	TRY_WITH(attr.signature_crypto_order, 2, -EINVAL);
	TRY_WITH(attr.data_unit_size, 5, -EINVAL);
	TRY_WITH(attr.dek, NULL, -EINVAL);
	TRY_WITH(r->dek.pd, &pd, -EINVAL);
	TRY_WITH(r->dek.has_keytag, false, -EINVAL);
	TRY_WITH(r->mkey.has.flags, 0, -EINVAL);
	TRY_WITH(kt->qp->sq.max_umr_inline, 64, -ENOMEM);
	/* single data units, of 512 bytes */
	TRY_WITH(kt->dev->crypto_caps.crypto_engines, 0, -EINVAL);
#undef TRY_WITH
	KUNIT_EXPECT_EQ(test, try_crypto(r, &attr, 1024), 0);
	kt->dev->crypto_caps.crypto_engines = 0;
	KUNIT_EXPECT_EQ(test, try_crypto(r, &attr, 512), 0);
}

/* a device with single data units has little-endian tweaks */
static void tweak_order(struct kunit *test)
{
	struct ibx_crypto_bsf bsf;

	ibx_enc_crypto_bsf(&bsf, &attrs[0], 0xabcdef, false);
	KUNIT_EXPECT_EQ(test, bsf.tweak[0], 1);
	KUNIT_EXPECT_EQ(test, bsf.tweak[15], 16);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(bsf.dekn), 0xabcdef);
	ibx_enc_crypto_bsf(&bsf, &attrs[0], 0xabcdef, true);
	KUNIT_EXPECT_EQ(test, bsf.tweak[0], 16);
	KUNIT_EXPECT_EQ(test, bsf.tweak[15], 1);
}

/* an object as the layout of libmlx5's mlx5_ifc.h has it; nothing of the key beyond its size */
static void dek_object(struct kunit *test)
{
	struct mlx5dv_dek_init_attr *attr = kunit_kzalloc(test, sizeof(*attr), GFP_KERNEL);
	u8 obj[IBX_DEK_BYTES] = {};

	KUNIT_ASSERT_NOT_NULL(test, attr);
	memset(attr->key, 0x5a, sizeof(attr->key));
	memcpy(attr->opaque, "12345678", 8);
	ibx_enc_dek(obj, attr, 0x123456);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(obj + 8), 0x0000000300123456);
	KUNIT_EXPECT_MEMEQ(test, obj + 0x30, "12345678", 8);
	KUNIT_EXPECT_EQ(test, obj[0x40 + 31], 0x5a);
	KUNIT_EXPECT_EQ(test, obj[0x40 + 32], 0);
	memset(obj, 0, sizeof(obj));
	attr->key_size = MLX5DV_CRYPTO_KEY_SIZE_256;
	attr->has_keytag = true;
	ibx_enc_dek(obj, attr, 1);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(obj + 8), 0x0000018300000001);
	KUNIT_EXPECT_EQ(test, obj[0x40 + 71], 0x5a);
	KUNIT_EXPECT_EQ(test, obj[0x40 + 72], 0);
	/* AES key wrap makes it 8 bytes longer */
	attr->crypto_login = (void *)attr;
	ibx_enc_dek(obj, attr, 1);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(obj + 8), 0x0000018300000001);
	KUNIT_EXPECT_EQ(test, obj[0x40 + 79], 0x5a);
	KUNIT_EXPECT_EQ(test, obj[0x40 + 80], 0);
}

/* likewise */
static void login_object(struct kunit *test)
{
	const struct mlx5dv_crypto_login_attr_ex attr = {
		.credential_id = 0x123456, .import_kek_id = 0x789abc,
		.credential = "abcdefgh", .credential_len = 7,
	};
	u8 obj[IBX_LOGIN_BYTES] = {};

	ibx_enc_login(obj, &attr);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(obj + 8), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(obj + 16), 0x0012345600789abc);
	KUNIT_EXPECT_MEMEQ(test, obj + 0x40, "abcdefg", 8);
}

static struct kunit_case crypto_tests[] = {
	KUNIT_CASE_PARAM(recorded_crypto, rec_gen_params),
	KUNIT_CASE(setter_refuses),
	KUNIT_CASE(tweak_order),
	KUNIT_CASE(dek_object),
	KUNIT_CASE(login_object),
	{}
};

static struct kunit_suite crypto_suite = {
	.name = "mlx5_ibx_crypto",
	.test_cases = crypto_tests,
};

kunit_test_suite(crypto_suite);
