// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of mkeys with signatures and encryption: configurations that libmlx5 (rdma-core
 * 44) wrote, and what is refused.
 *
 * As in recorded_sig_kunit.c: tools/testing/libmlx5/probe.c makes the calls, on stock mlx5_ib
 * (Linux 6.12.117), record.sh there prints the bytes, and they are unchanged. They are those of one
 * mkey in a row: what a configuration does not set comes from the ones before. mlx5_ibx differs as
 * in that suite: in the fence of a UMR, and in the number of errors. And libmlx5 leaves what was in
 * the ring in the fourth word of a SET_PSV WQE, which is reserved there; mlx5_ibx clears it.
 */

#include <linux/unaligned.h>

#include "dv/crypto.h"
#include "dv/mkey.h"
#include "enc/bsf.h"
#include "enc/crypto.h"
#include "kunit.h"

#define REC_LKEY	0x1300
#define REC_MKEY	0x1800
#define REC_BUF		0x700000000000
#define REC_ENTRIES	48
#define REC_DEK		1
#define REC_SERIAL	7
#define REC_PSV		3	/* of the memory; the next one is that of the wire */
#define REC_MULTI	MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK

/* signatures of probe.c, by their index there; a domain with a comp_mask is not there */
struct sig_attr {
	struct mlx5dv_sig_block_domain mem;
	struct mlx5dv_sig_block_domain wire;
	u8 check_mask;
};

#define T10(size, seed, app, ref, f)	{ MLX5DV_SIG_TYPE_T10DIF, {			\
	.dif = &(const struct mlx5dv_sig_t10dif){					\
		MLX5DV_SIG_T10DIF_CRC, seed, app, ref, f } },				\
	MLX5DV_BLOCK_SIZE_##size, 0 }
#define CRC(size, type, seed)	{ MLX5DV_SIG_TYPE_CRC, {				\
	.crc = &(const struct mlx5dv_sig_crc){ MLX5DV_SIG_CRC_TYPE_##type, seed } },	\
	MLX5DV_BLOCK_SIZE_##size, 0 }
#define NO_DOMAIN	{ .comp_mask = 1 }

#define REMAP		MLX5DV_SIG_T10DIF_FLAG_REF_REMAP
#define ESCAPES		(MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE | MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE)

static const struct sig_attr sig_attrs[] = {
	[0] = { CRC(512, CRC32, U32_MAX), NO_DOMAIN, 0xf0 },
	[1] = { NO_DOMAIN, T10(4096, 0xffff, 0x1234, 0x56789abc, REMAP), 0xff },
	[2] = { T10(512, 0, 0x1234, 5, REMAP), T10(512, 0, 0x1234, 5, REMAP), 0x50 },
	[5] = { CRC(4048, CRC32C, 0), CRC(4160, CRC64_XP10, U64_MAX), 0xff },
	[7] = { T10(512, 0xffff, 0, 0, ESCAPES), CRC(512, CRC32, 0), 0xff },
};

static const struct mlx5dv_crypto_attr crypto_attrs[] = {
	{ .encrypt_on_tx = true, .data_unit_size = MLX5DV_BLOCK_SIZE_512, .keytag = "keytag!",
	  .initial_tweak = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } },
	{ .data_unit_size = MLX5DV_BLOCK_SIZE_520, .initial_tweak = { [15] = 0x7f } },
	{ .encrypt_on_tx = true, .data_unit_size = MLX5DV_BLOCK_SIZE_4048,
	  .signature_crypto_order =
		  MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX },
	{ .data_unit_size = MLX5DV_BLOCK_SIZE_4096, .initial_tweak = { 0x7f },
	  .signature_crypto_order =
		  MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX },
};

/* those that go together */
static const struct {
	u8 sig;
	u8 crypto;
} pairs[] = { { 0, 3 }, { 1, 0 }, { 2, 2 }, { 5, 1 } };

struct rec {
	struct kt *kt;
	struct mlx5dv_qp_ex *mqp;
	struct ib_qp_ex *qpx;
	struct ibx_mkey mkey;
	struct ibx_sig sig;
	struct ibx_both both;
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
 * @psv: SET_PSV WQEs behind it
 * @told: mlx5_ibx alone tells the device of the number of errors
 */
struct rec_case {
	const char *name;
	void (*build)(struct rec *r, int n);
	int n;
	const char *hex;
	const char *psv[IBX_SIG_DOMAINS];
	bool told;
};

static void begin(struct rec *r, u8 setters, u32 conf_flags)
{
	const struct mlx5dv_mkey_conf_attr attr = { .conf_flags = conf_flags };

	mlx5dv_wr_mkey_configure(r->mqp, &r->mkey.dv, setters, &attr);
}

static void set_sig(struct rec *r, int n)
{
	const struct sig_attr *a = &sig_attrs[n];
	const struct mlx5dv_sig_block_attr attr = {
		.mem = a->mem.comp_mask ? NULL : &a->mem,
		.wire = a->wire.comp_mask ? NULL : &a->wire,
		.check_mask = a->check_mask,
	};

	mlx5dv_wr_set_mkey_sig_block(r->mqp, &attr);
}

static void set_crypto(struct rec *r, int n)
{
	struct mlx5dv_crypto_attr attr = crypto_attrs[n];

	attr.dek = &r->dek;
	mlx5dv_wr_set_mkey_crypto(r->mqp, &attr);
}

static void both_list(struct rec *r, int n)
{
	begin(r, 4, 0);
	mlx5dv_wr_set_mkey_access_flags(r->mqp, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	set_crypto(r, pairs[n].crypto);
	mlx5dv_wr_set_mkey_layout_list(r->mqp, 5, r->sge);
	set_sig(r, pairs[n].sig);
}

static void both_first(struct rec *r, int n)
{
	begin(r, 3, 0);
	set_sig(r, pairs[n].sig);
	set_crypto(r, pairs[n].crypto);
	mlx5dv_wr_set_mkey_layout_interleaved(r->mqp, 2, 3, r->data);
}

static void both_sig(struct rec *r, int n)
{
	begin(r, 1, 0);
	set_sig(r, n);
}

static void both_crypto(struct rec *r, int n)
{
	begin(r, 1, 0);
	set_crypto(r, n);
}

static void both_keep(struct rec *r, int n)
{
	begin(r, 1, 0);
	mlx5dv_wr_set_mkey_layout_list(r->mqp, n, r->sge);
}

static void both_reset(struct rec *r, int n)
{
	begin(r, 0, MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR);
}

static const struct rec_case rec_cases[] = {
	{ "both_keep", both_keep, 1,
	  HEX(0000a525 0000420c 00000028 00001800 80000000 00040000 00000000 20002201
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 04000000 00000000 00000000 00000000 00000040
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "both_crypto", both_crypto, 2,
	  HEX(0000a825 00004210 00000028 00001800 80000000 00000008 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c0000000 ffffffff 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c1000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "both_sig", both_sig, 2,
	  HEX(0000ac25 00004210 00000020 00001800 80000000 00000008 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      d050ff01 ffffffff 00000004 00000003 00000000 00000000 00000000 00000000
	      c0001234 00000005 01800000 0040ffff c0001234 00000005 01800000 0040ffff
	      c1000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  { HEX(0000b020 00004202 00000020 00000000 00000003 00000000 00001234 00000005),
	    HEX(0000b120 00004202 00000028 00000003 00000004 00000000 00001234 00000005) },
	  .told = true },
	{ "both_list", both_list, 2,
	  HEX(0000b225 00004218 00000020 00001800 80000000 00080008 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      d050ff01 ffffffff 00000004 00000003 00000000 00000000 00000000 00000000
	      c0001234 00000005 01800000 0040ffff c0001234 00000005 01800000 0040ffff
	      c1000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  { HEX(0000b820 00004202 00000020 00000000 00000003 00000000 00001234 00000005),
	    HEX(0000b920 00004202 00000028 a1b2c3d4 00000004 00000000 00001234 00000005) },
	  .told = true },
	{ "both_list", both_list, 0,
	  HEX(0000ba25 00004218 00000020 00001800 80000000 00080008 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c0f00001 ffffffff 00000000 22000003 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c1030000 ffffffff 03000000 00000000 00000000 00000000 00000000 0000007f
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  { HEX(0000c020 00004202 00000028 a1b2c3d4 00000003 00000000 ffffffff 00000000) },
	  .told = true },
	{ "both_list", both_list, 1,
	  HEX(0000c125 00004218 00000020 00001800 80000000 00080008 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c0ff0300 ffffffff 00000004 00000000 00000000 00000000 00000000 00000000
	      c0001234 56789abc 01880000 0040ffff 00000000 00000000 00000000 00000000
	      c1020000 ffffffff 01000000 00000000 100f0e0d 0c0b0a09 08070605 04030201
	      00000001 00000000 6b657974 61672100 00000000 00000000 00000000 00000000),
	  { HEX(0000c720 00004202 00000028 00001600 00000004 00000000 ffff1234 56789abc) },
	  .told = true },
	{ "both_first", both_first, 3,
	  HEX(0000c825 00004214 00000020 00001800 80000000 00040008 00000000 20003001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000306
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000183 00000400 00000002 00000003 00800080 00001300 00007000 00000000
	      00820081 00001300 00007000 00000200 00840082 00001300 00007000 00000400
	      c0ff0406 ffffffff 52000004 43000003 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c1010000 ffffffff 02000000 00000000 7f000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  { HEX(0000cd20 00004202 00000020 00000800 00000003 00000000 00000000 00000000),
	    HEX(0000ce20 00004202 00000028 22000001 00000004 00000000 ffffffff ffffffff) },
	  .told = true },
	{ "both_crypto", both_crypto, 2,
	  HEX(0000cf25 00004210 00000028 00001800 80000000 00000008 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c0ff0406 ffffffff 52000004 43000003 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c1000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "both_keep", both_keep, 2,
	  HEX(0000d325 0000420c 00000028 00001800 80000000 00040000 00000000 20002001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000081
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "both_reset", both_reset, 0,
	  HEX(0000d625 00004210 00000028 00001800 80000000 00000008 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c0000000 ffffffff 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c1000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "both_sig", both_sig, 7,
	  HEX(0000da25 00004210 00000020 00001800 80000000 00000008 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c0ff0101 ffffffff 23000004 00000003 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 c0000000 00000000 01880000 0002ffff
	      c1000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  { HEX(0000de20 00004202 00000020 00000000 00000003 00000000 ffff0000 00000000),
	    HEX(0000df20 00004202 00000028 00000000 00000004 00000000 00000000 00000000) },
	  .told = true },
};

static const struct mlx5dv_sig_caps all_caps = { 0x1f, 0x3, 0x3, 0x7 };

static struct rec *create_rec(struct kunit *test)
{
	struct rec *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct kt *kt = kt_create(test, IB_QPT_RC);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->kt = kt;
	r->mqp = &kt->qp->dv;
	r->qpx = &r->mqp->qp_ex;
	r->mkey.pd = kt->qp->ibqp.pd;
	r->mkey.dv.lkey = REC_MKEY;
	r->mkey.key = REC_MKEY;
	r->mkey.has.max_entries = REC_ENTRIES;
	r->mkey.has.flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO |
			    MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE;
	r->mkey.sig = &r->sig;
	r->sig.caps = &all_caps;
	r->sig.both = &r->both;
	r->sig.psv[IBX_SIG_MEM] = REC_PSV;
	r->sig.psv[IBX_SIG_WIRE] = REC_PSV + 1;
	atomic_set(&r->sig.errs, 1);
	ibx_enc_bsf_none(&r->both.state.sig);
	r->dek.pd = kt->qp->ibqp.pd;
	r->dek.dekn = REC_DEK;
	r->dek.serial = REC_SERIAL;
	r->dek.has_keytag = true;
	kt->dev->crypto_caps.crypto_engines = REC_MULTI;
	kt->qp->sq.max_umr_inline = REC_ENTRIES * 16;
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(&kt->dev->deks, REC_DEK, xa_mk_value(REC_SERIAL),
					      GFP_KERNEL)), 0);
	for (i = 0; i < REC_ENTRIES; i++) {
		r->sge[i] = (struct ib_sge){ REC_BUF + 512 * i, 64 + i, REC_LKEY };
		r->data[i] = (struct mlx5dv_mr_interleaved){
			REC_BUF + 512 * i, 128 + i, i, REC_LKEY,
		};
	}
	return r;
}

/* post a configuration that begins at block @cur of an empty ring; the errno */
static int post_at(struct rec *r, u16 cur, void (*build)(struct rec *r, int n), int n)
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

/* check and clear the number of errors, 1, and its bit of the mask */
static void told_again(struct kunit *test, u8 *wqe)
{
	const u64 mask = get_unaligned_be64(wqe + 16 + 8);
	const u32 flags = get_unaligned_be32(wqe + 64 + 12);

	KUNIT_EXPECT_TRUE(test, mask & MLX5_MKEY_MASK_EN_SIGERR);
	KUNIT_EXPECT_TRUE(test, flags & BIT(26));
	put_unaligned_be64(mask & ~(u64)MLX5_MKEY_MASK_EN_SIGERR, wqe + 16 + 8);
	put_unaligned_be32(flags & ~BIT(26), wqe + 64 + 12);
}

/* a SET_PSV WQE, but for its fourth word */
static void expect_psv(struct kunit *test, u8 *wqe, const char *hex)
{
	u8 psv[64] = {};
	size_t n = kt_parse_hex(test, hex, psv, sizeof(psv));

	KUNIT_EXPECT_EQ(test, get_unaligned_be32(wqe + 12), 0);
	put_unaligned_be32(0, psv + 12);
	KUNIT_EXPECT_EQ(test, n, 32);
	KUNIT_EXPECT_MEMEQ(test, wqe, psv, n);
}

static void expect_recorded(struct kunit *test, struct rec *r, const struct rec_case *c, u8 *flat)
{
	static u8 umr[1024];
	u16 cur;
	u32 at, i;

	at = ALIGN(kt_parse_hex(test, c->hex, umr, sizeof(umr)), IBX_BB);
	cur = get_unaligned_be16(umr + 1);
	ibx_sq_set_qpn(&r->kt->qp->sq, get_unaligned_be24(umr + 4));
	r->kt->qp->sq.umr_fence = umr[11] & 0xe0;
	KUNIT_ASSERT_EQ_MSG(test, post_at(r, cur, c->build, c->n), 0, "%s %d", c->name, c->n);
	kt_unroll(r->kt, cur, flat);
	if (c->told)
		told_again(test, flat);
	kt_expect_bytes(test, c->name, flat, c->hex);
	for (i = 0; i < IBX_SIG_DOMAINS && c->psv[i]; i++, at += IBX_BB)
		expect_psv(test, flat + at, c->psv[i]);
	/* and nothing behind */
	KUNIT_EXPECT_EQ(test, (u16)(r->kt->qp->sq.cur_post - cur), at / IBX_BB);
}

static void recorded_both(struct kunit *test)
{
	u8 *flat = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);
	struct rec *r = create_rec(test);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, flat);
	for (i = 0; i < ARRAY_SIZE(rec_cases); i++)
		expect_recorded(test, r, &rec_cases[i], flat);
}

/* wherever the ring ends, the bytes are the same, but for the index of each WQE */
static void ring_wraps(struct kunit *test)
{
	u8 *flat = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);
	u8 *first = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);
	struct rec *r = create_rec(test);
	const u32 umr = 6 * IBX_BB;	/* with 5 entries */
	u16 cur, i;

	KUNIT_ASSERT_TRUE(test, flat && first);
	for (cur = 0; cur < KT_BBS; cur++) {
		KUNIT_ASSERT_EQ(test, post_at(r, cur, both_list, 2), 0);
		KUNIT_EXPECT_EQ(test, (u16)(r->kt->qp->sq.cur_post - cur), 8);
		kt_unroll(r->kt, cur, flat);
		put_unaligned_be16(0, flat + 1);
		for (i = 0; i < IBX_SIG_DOMAINS; i++) {
			put_unaligned_be16(0, flat + umr + i * IBX_BB + 1);
			/* a SET_PSV WQE is half a block */
			memset(flat + umr + i * IBX_BB + IBX_BB / 2, 0, IBX_BB / 2);
		}
		if (!cur)
			memcpy(first, flat, KT_BBS * IBX_BB);
		KUNIT_EXPECT_EQ_MSG(test, kt_first_diff(flat, first, 8 * IBX_BB), 8 * IBX_BB,
				    "at block %u", cur);
	}
}

static void crypto_then_sig(struct rec *r, int n)
{
	begin(r, 2, 0);
	set_crypto(r, n % 10);
	set_sig(r, n / 10);
}

static void sig_then_crypto(struct rec *r, int n)
{
	begin(r, 2, 0);
	set_sig(r, n / 10);
	set_crypto(r, n % 10);
}

/* signatures of the ciphertext are in one domain, whichever setter is called last, or later */
static void order_refused(struct kunit *test)
{
	struct rec *r = create_rec(test);

	KUNIT_EXPECT_EQ(test, post_at(r, 0, crypto_then_sig, 20), -EINVAL);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, sig_then_crypto, 20), -EINVAL);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, sig_then_crypto, 23), -EINVAL);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, sig_then_crypto, 22), 0);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_crypto, 0), -EINVAL);
	/* the refusal changed nothing */
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_keep, 1), 0);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, sig_then_crypto, 10), 0);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_sig, 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_sig, 0), 0);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_reset, 0), 0);
}

/* a crypto BSF that is written once more has the DEK that it had, not another with its number */
static void dead_dek_refused(struct kunit *test)
{
	struct rec *r = create_rec(test);
	struct xarray *deks = &r->kt->dev->deks;

	KUNIT_ASSERT_EQ(test, post_at(r, 0, both_list, 2), 0);
	xa_erase(deks, REC_DEK);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_sig, 2), -EINVAL);
	/* the BSFs stay as they are */
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_keep, 3), 0);
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(deks, REC_DEK, xa_mk_value(REC_SERIAL + 1),
					      GFP_KERNEL)), 0);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_sig, 2), -EINVAL);
	r->dek.serial++;
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_crypto, 2), 0);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_sig, 2), 0);
}

/* 64 bytes of layout, and two BSFs of 64, or one while the mkey has no crypto attributes */
static void space_refused(struct kunit *test)
{
	struct rec *r = create_rec(test);
	struct ibx_sq *sq = &r->kt->qp->sq;

	sq->max_umr_inline = 64;
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_sig, 2), 0);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_crypto, 2), -ENOMEM);
	sq->max_umr_inline = 192 - 1;
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_first, 2), -ENOMEM);
	sq->max_umr_inline = 192;
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_first, 2), 0);
}

/* single data units: a layout that comes later is checked, too */
static void length_refused(struct kunit *test)
{
	struct rec *r = create_rec(test);

	r->kt->dev->crypto_caps.crypto_engines = 0;
	/* two entries of 64 and 65 bytes, a data unit of 512 */
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_keep, 2), 0);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, sig_then_crypto, 10), 0);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_keep, 48), -EINVAL);
	KUNIT_EXPECT_EQ(test, post_at(r, 0, both_keep, 5), 0);
}

static int abort_chain(struct rec *r)
{
	int err;

	kt_sq_reset(&r->kt->qp->sq);
	r->qpx->wr_flags = IB_SEND_INLINE;
	err = ib_wr_start(r->qpx);
	if (err)
		return err;
	sig_then_crypto(r, 2);
	both_reset(r, 0);
	ib_wr_abort(r->qpx);
	return 0;
}

/* a chain that is not posted changes neither BSF */
static void abort_restores(struct kunit *test)
{
	struct ibx_both_state *was = kunit_kzalloc(test, sizeof(*was), GFP_KERNEL);
	struct rec *r = create_rec(test);

	KUNIT_ASSERT_NOT_NULL(test, was);
	KUNIT_ASSERT_EQ(test, post_at(r, 0, both_list, 3), 0);
	*was = r->both.state;
	KUNIT_ASSERT_EQ(test, abort_chain(r), 0);
	KUNIT_EXPECT_MEMEQ(test, &r->both.state.sig, &was->sig, sizeof(was->sig));
	KUNIT_EXPECT_MEMEQ(test, &r->both.state.crypto, &was->crypto, sizeof(was->crypto));
	KUNIT_EXPECT_EQ(test, r->both.state.on, true);
	KUNIT_EXPECT_EQ(test, r->sig.state.on, true);
	KUNIT_EXPECT_FALSE(test, r->kt->qp->wr.conf.crypto_set);
}

static struct kunit_case both_tests[] = {
	KUNIT_CASE(recorded_both),
	KUNIT_CASE(ring_wraps),
	KUNIT_CASE(order_refused),
	KUNIT_CASE(dead_dek_refused),
	KUNIT_CASE(space_refused),
	KUNIT_CASE(length_refused),
	KUNIT_CASE(abort_restores),
	{}
};

static struct kunit_suite both_suite = {
	.name = "mlx5_ibx_both",
	.test_cases = both_tests,
};

kunit_test_suite(both_suite);
