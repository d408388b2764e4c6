// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of encryption: configurations that libmlx5 wrote (see
 * recorded.h), attributes that the setter refuses, DEK objects and logins.
 */

#include <linux/unaligned.h>

#include "enc/crypto.h"
#include "recorded.h"

#define REC_MKEY	0x1700

static void crypto_list(struct rec *r, int n)
{
	rec_begin(r, 3, 0);
	rec_set_list(r);
	rec_set_crypto(r, n);
}

static void crypto_first(struct rec *r, int n)
{
	rec_begin(r, 2, 0);
	rec_set_crypto(r, n);
	mlx5dv_wr_set_mkey_layout_interleaved(r->mqp, 2, 3, r->data);
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
	{ "crypto_keep", rec_keep, 2,
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
	{ "crypto_alone", rec_crypto_alone, 2,
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

KUNIT_ARRAY_PARAM(rec, rec_cases, rec_desc);

static struct rec *create_rec(struct kunit *test)
{
	return rec_create(test, REC_MKEY, MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO);
}

static void recorded_crypto(struct kunit *test)
{
	rec_expect(create_rec(test), test->param_value);
}

/* posts a configuration with @attr and a layout of @len bytes */
static int try_crypto(struct rec *r, const struct mlx5dv_crypto_attr *attr, u32 len)
{
	struct ib_sge sge = { REC_BUF, len, REC_LKEY };
	int err;

	r->qpx->wr_flags = IB_SEND_INLINE | IB_SEND_SIGNALED;
	err = ib_wr_start(r->qpx);
	if (err)
		return err;
	rec_begin(r, 2, 0);
	mlx5dv_wr_set_mkey_crypto(r->mqp, attr);
	mlx5dv_wr_set_mkey_layout_list(r->mqp, 1, &sge);
	return ib_wr_complete(r->qpx);
}

static void setter_refuses(struct kunit *test)
{
	struct rec *r = create_rec(test);
	struct mlx5dv_crypto_attr attr = rec_cryptos[0];
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
	TRY_WITH(r->kt->qp->sq.max_umr_inline, 64, -ENOMEM);
	/* one data unit, of 512 bytes, for each mkey */
	TRY_WITH(r->kt->dev->crypto_caps.crypto_engines, 0, -EINVAL);
#undef TRY_WITH
	KUNIT_EXPECT_EQ(test, try_crypto(r, &attr, 1024), 0);
	r->kt->dev->crypto_caps.crypto_engines = 0;
	KUNIT_EXPECT_EQ(test, try_crypto(r, &attr, 512), 0);
}

/*
 * Posts a configuration of a layout of @len bytes, or of the crypto attributes
 * if @len is 0.
 */
static int try_part(struct rec *r, u32 len)
{
	struct ib_sge sge = { REC_BUF, len, REC_LKEY };
	struct mlx5dv_crypto_attr attr = rec_cryptos[0];
	int err;

	attr.dek = &r->dek;
	r->qpx->wr_flags = IB_SEND_INLINE | IB_SEND_SIGNALED;
	err = ib_wr_start(r->qpx);
	if (err)
		return err;
	rec_begin(r, 1, 0);
	if (len)
		mlx5dv_wr_set_mkey_layout_list(r->mqp, 1, &sge);
	else
		mlx5dv_wr_set_mkey_crypto(r->mqp, &attr);
	err = ib_wr_complete(r->qpx);
	kt_sq_reset(&r->kt->qp->sq);
	return err;
}

/*
 * On a device with one data unit (512 bytes) for each mkey, a longer layout is
 * refused, even if the crypto attributes are set after the layout.
 */
static void unit_length(struct kunit *test)
{
	struct rec *r = create_rec(test);

	r->kt->dev->crypto_caps.crypto_engines = 0;
	KUNIT_EXPECT_EQ(test, try_part(r, 1024), 0);
	KUNIT_EXPECT_EQ(test, try_part(r, 0), -EINVAL);
	/* a chain that fails does not change the length of the mkey */
	KUNIT_EXPECT_EQ(test, try_part(r, 1024), 0);
	KUNIT_EXPECT_EQ(test, try_part(r, 512), 0);
	KUNIT_EXPECT_EQ(test, try_part(r, 0), 0);
	KUNIT_EXPECT_EQ(test, try_part(r, 513), -EINVAL);
	KUNIT_EXPECT_EQ(test, try_part(r, 0), 0);
	KUNIT_EXPECT_EQ(test, try_part(r, 512), 0);
	KUNIT_EXPECT_NULL(test, r->mkey.unit->chain);
	/* the mkey is part of a started chain of another QP */
	r->mkey.unit->chain = (struct ibx_wr *)r;
	KUNIT_EXPECT_EQ(test, try_part(r, 512), -EBUSY);
}

/* a device with one data unit for each mkey has little-endian tweaks */
static void tweak_order(struct kunit *test)
{
	struct ibx_crypto_bsf bsf;

	ibx_enc_crypto_bsf(&bsf, &rec_cryptos[0], 0xabcdef, false);
	KUNIT_EXPECT_EQ(test, bsf.tweak[0], 1);
	KUNIT_EXPECT_EQ(test, bsf.tweak[15], 16);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(bsf.dekn), 0xabcdef);
	ibx_enc_crypto_bsf(&bsf, &rec_cryptos[0], 0xabcdef, true);
	KUNIT_EXPECT_EQ(test, bsf.tweak[0], 16);
	KUNIT_EXPECT_EQ(test, bsf.tweak[15], 1);
}

/*
 * A DEK object in the layout of mlx5_ifc.h of libmlx5. It contains no byte of
 * the key beyond the size of the key.
 */
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
	/* AES key wrap makes the key 8 bytes longer */
	attr->crypto_login = (void *)attr;
	ibx_enc_dek(obj, attr, 1);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(obj + 8), 0x0000018300000001);
	KUNIT_EXPECT_EQ(test, obj[0x40 + 79], 0x5a);
	KUNIT_EXPECT_EQ(test, obj[0x40 + 80], 0);
}

/* a login object, also in the layout of mlx5_ifc.h of libmlx5 */
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
	KUNIT_CASE(unit_length),
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
