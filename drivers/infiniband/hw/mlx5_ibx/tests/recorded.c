// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: common code of the suites described in recorded.h.
 */
#include <linux/unaligned.h>

#include "recorded.h"

/* signature attributes in probe.c */
struct rec_sig {
	struct mlx5dv_sig_block_domain mem;
	struct mlx5dv_sig_block_domain wire;
	u8 check_mask;
	u8 copy_mask;
	u32 flags;
};

static const struct rec_sig sigs[] = {
	{ CRC(512, CRC32, U32_MAX), NO_DOMAIN, 0xf0 },
	{ NO_DOMAIN, T10(4096, CRC, 0xffff, 0x1234, 0x56789abc, REMAP), 0xff },
	{ T10(512, CRC, 0, 0x1234, 5, REMAP), T10(512, CRC, 0, 0x1234, 5, REMAP), 0x50 },
	{ T10(520, CSUM, 0, 0x8001, 7, 0), T10(520, CRC, 0, 0x8001, 7, 0), 0xff },
	{ T10(4160, CRC, 0, 1, 2, ESC_APP), T10(4160, CRC, 0, 3, 4, ESC_REF), 0xcf, 0x30,
	  MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK },
	{ CRC(4048, CRC32C, 0), CRC(4160, CRC64_XP10, U64_MAX), 0xff },
	{ CRC(4096, CRC64_XP10, 0), CRC(4096, CRC64_XP10, 0), 0 },
	{ T10(512, CRC, 0xffff, 0, 0, ESC_APP | ESC_REF), CRC(512, CRC32, 0), 0xff },
	{ CRC(520, CRC32C, U32_MAX), CRC(520, CRC32C, U32_MAX), 0xf0, 0xc0,
	  MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK },
};

const struct mlx5dv_crypto_attr rec_cryptos[] = {
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

/**
 * rec_desc() - describe a case
 * @c: case
 * @desc: receives the description
 */
void rec_desc(const struct rec_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %d (recorded from libmlx5)", c->name, c->n);
}

/* ---- calls ---- */

/**
 * rec_begin() - begin a configuration
 * @r: mkey and QP
 * @setters: number of setters
 * @conf_flags: flags of enum mlx5dv_mkey_conf_flags
 */
void rec_begin(struct rec *r, u8 setters, u32 conf_flags)
{
	const struct mlx5dv_mkey_conf_attr attr = { .conf_flags = conf_flags };

	mlx5dv_wr_mkey_configure(r->mqp, &r->mkey.dv, setters, &attr);
}

/**
 * rec_set_list() - set access flags, and a layout of 5 entries
 * @r: mkey and QP
 */
void rec_set_list(struct rec *r)
{
	mlx5dv_wr_set_mkey_access_flags(r->mqp, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_list(r->mqp, 5, r->sge);
}

/**
 * rec_set_sig() - set signature attributes
 * @r: mkey and QP
 * @n: index of the attributes in probe.c
 */
void rec_set_sig(struct rec *r, int n)
{
	const struct mlx5dv_sig_block_attr attr = {
		.mem = sigs[n].mem.comp_mask ? NULL : &sigs[n].mem,
		.wire = sigs[n].wire.comp_mask ? NULL : &sigs[n].wire,
		.flags = sigs[n].flags, .check_mask = sigs[n].check_mask,
		.copy_mask = sigs[n].copy_mask,
	};

	mlx5dv_wr_set_mkey_sig_block(r->mqp, &attr);
}

/**
 * rec_set_crypto() - set crypto attributes
 * @r: mkey and QP
 * @n: index of the attributes in probe.c
 */
void rec_set_crypto(struct rec *r, int n)
{
	struct mlx5dv_crypto_attr attr = rec_cryptos[n];

	attr.dek = &r->dek;
	mlx5dv_wr_set_mkey_crypto(r->mqp, &attr);
}

/**
 * rec_sig_alone() - configure only signature attributes
 * @r: mkey and QP
 * @n: index of the attributes in probe.c
 */
void rec_sig_alone(struct rec *r, int n)
{
	rec_begin(r, 1, 0);
	rec_set_sig(r, n);
}

/**
 * rec_crypto_alone() - configure only crypto attributes
 * @r: mkey and QP
 * @n: index of the attributes in probe.c
 */
void rec_crypto_alone(struct rec *r, int n)
{
	rec_begin(r, 1, 0);
	rec_set_crypto(r, n);
}

/**
 * rec_keep() - configure only a layout; other attributes of the mkey are kept
 * @r: mkey and QP
 * @n: number of entries
 */
void rec_keep(struct rec *r, int n)
{
	rec_begin(r, 1, 0);
	mlx5dv_wr_set_mkey_layout_list(r->mqp, n, r->sge);
}

/**
 * rec_reset() - reset the signature attributes
 * @r: mkey and QP
 * @n: not used
 */
void rec_reset(struct rec *r, int n)
{
	rec_begin(r, 0, MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR);
}

/* ---- mkeys ---- */

static void create_sig(struct rec *r)
{
	static const struct mlx5dv_sig_caps all_caps = { 0x1f, 0x3, 0x3, 0x7 };
	struct kt *kt = r->kt;

	r->mkey.sig = &r->sig;
	r->sig.caps = &all_caps;
	atomic_set(&r->sig.errs, 1);
	KUNIT_ASSERT_EQ(kt->test, xa_err(xa_store(&kt->dev->sigs, r->mkey.key >> 8, &r->sig,
						  GFP_KERNEL)), 0);
	if (!(r->mkey.has.flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO))
		return;
	r->sig.both = &r->both;
	r->sig.is_special = true;
	ibx_enc_bsf_none(&r->both.state.sig);
}

static void create_dek(struct rec *r)
{
	struct kt *kt = r->kt;

	r->dek.pd = kt->qp->ibqp.pd;
	r->dek.dekn = REC_DEK;
	r->dek.serial = REC_SERIAL;
	r->dek.has_keytag = true;
	kt->dev->crypto_caps.crypto_engines = MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK;
	KUNIT_ASSERT_EQ(kt->test, xa_err(xa_store(&kt->dev->deks, REC_DEK, xa_mk_value(REC_SERIAL),
						  GFP_KERNEL)), 0);
}

/**
 * rec_create() - create an mkey, and a device with a QP
 * @test: test
 * @key: key of the mkey in probe.c
 * @flags: flags of enum mlx5dv_mkey_init_attr_flags
 *
 * Return: the mkey, without attributes; its PSVs have number 0.
 */
struct rec *rec_create(struct kunit *test, u32 key, u32 flags)
{
	struct rec *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->kt = kt_create(test, IB_QPT_RC);
	r->mqp = &r->kt->qp->dv;
	r->qpx = &r->mqp->qp_ex;
	r->mkey.pd = r->kt->qp->ibqp.pd;
	r->mkey.dv.lkey = key;
	r->mkey.key = key;
	r->mkey.has.max_entries = REC_ENTRIES;
	r->mkey.has.flags = flags;
	if (flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE)
		create_sig(r);
	else if (flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO)
		r->mkey.unit = &r->mkey.own_unit;
	create_dek(r);
	r->kt->qp->sq.max_umr_inline = REC_ENTRIES * 16;
	for (i = 0; i < REC_ENTRIES; i++) {
		r->sge[i] = (struct ib_sge){ REC_BUF + 512 * i, 64 + i, REC_LKEY };
		r->data[i] = (struct mlx5dv_mr_interleaved){
			REC_BUF + 512 * i, 128 + i, i, REC_LKEY,
		};
	}
	return r;
}

/* ---- work requests ---- */

/**
 * rec_post_at() - post a configuration to an empty ring
 * @r: mkey and QP
 * @cur: index of the first block
 * @build: makes the calls between ib_wr_start() and ib_wr_complete()
 * @n: argument of @build
 *
 * Return: the errno of ib_wr_start() or ib_wr_complete().
 */
int rec_post_at(struct rec *r, u16 cur, void (*build)(struct rec *r, int n), int n)
{
	struct ibx_sq *sq = &r->kt->qp->sq;
	int err;

	kt_sq_reset(sq);
	sq->cur_post = cur;
	r->qpx->wr_flags = IB_SEND_INLINE | IB_SEND_SIGNALED;
	err = ib_wr_start(r->qpx);
	if (err)
		return err;
	build(r, n);
	return ib_wr_complete(r->qpx);
}

/* checks the number of errors, 1, and its bit of the mask, and clears both */
static void told_again(struct kunit *test, u8 *wqe)
{
	const u64 mask = get_unaligned_be64(wqe + 16 + 8);
	const u32 flags = get_unaligned_be32(wqe + 64 + 12);

	KUNIT_EXPECT_TRUE(test, mask & MLX5_MKEY_MASK_EN_SIGERR);
	KUNIT_EXPECT_TRUE(test, flags & BIT(26));
	put_unaligned_be64(mask & ~(u64)MLX5_MKEY_MASK_EN_SIGERR, wqe + 16 + 8);
	put_unaligned_be32(flags & ~BIT(26), wqe + 64 + 12);
}

/* compares a SET_PSV WQE, except its fourth word, which must be 0 */
static void expect_psv(struct kunit *test, u8 *wqe, const char *hex)
{
	u8 psv[64] = {};
	size_t n = kt_parse_hex(test, hex, psv, sizeof(psv));

	KUNIT_EXPECT_EQ(test, get_unaligned_be32(wqe + 12), 0);
	put_unaligned_be32(0, psv + 12);
	KUNIT_EXPECT_EQ(test, n, 32);
	KUNIT_EXPECT_MEMEQ(test, wqe, psv, n);
}

/**
 * rec_expect() - post a configuration, and compare its WQEs with recorded WQEs
 * @r: mkey and QP
 * @c: case
 */
void rec_expect(struct rec *r, const struct rec_case *c)
{
	struct kunit *test = r->kt->test;
	u8 *flat = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);
	static u8 umr[1024];
	u16 cur;
	u32 at, i;

	KUNIT_ASSERT_NOT_NULL(test, flat);
	at = ALIGN(kt_parse_hex(test, c->hex, umr, sizeof(umr)), IBX_BB);
	cur = get_unaligned_be16(umr + 1);
	ibx_sq_set_qpn(&r->kt->qp->sq, get_unaligned_be24(umr + 4));
	r->kt->qp->sq.umr_fence = umr[11] & 0xe0;
	KUNIT_ASSERT_EQ_MSG(test, rec_post_at(r, cur, c->build, c->n), 0, "%s %d", c->name, c->n);
	kt_unroll(r->kt, cur, flat);
	if (c->psv[0])
		told_again(test, flat);
	kt_expect_bytes(test, c->name, flat, c->hex);
	for (i = 0; i < IBX_SIG_DOMAINS && c->psv[i]; i++, at += IBX_BB)
		expect_psv(test, flat + at, c->psv[i]);
	/* no WQE follows */
	KUNIT_EXPECT_EQ(test, (u16)(r->kt->qp->sq.cur_post - cur), at / IBX_BB);
}
