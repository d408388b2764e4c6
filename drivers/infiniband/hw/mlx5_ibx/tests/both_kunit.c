// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of mkeys with signatures and encryption: configurations that
 * libmlx5 wrote (see recorded.h), and refused attributes.
 *
 * All recorded configurations are posted for one mkey, one after the other:
 * attributes that a configuration does not set are kept.
 */

#include <linux/unaligned.h>

#include "recorded.h"

#define REC_MKEY	0x1800
#define REC_PSV		3	/* PSV of the memory, then of the wire */

/* pairs of signature and crypto attributes that can be combined */
static const struct {
	u8 sig;
	u8 crypto;
} pairs[] = { { 0, 3 }, { 1, 0 }, { 2, 2 }, { 5, 1 } };

static void both_list(struct rec *r, int n)
{
	rec_begin(r, 4, 0);
	rec_set_crypto(r, pairs[n].crypto);
	rec_set_list(r);
	rec_set_sig(r, pairs[n].sig);
}

static void both_first(struct rec *r, int n)
{
	rec_begin(r, 3, 0);
	rec_set_sig(r, pairs[n].sig);
	rec_set_crypto(r, pairs[n].crypto);
	mlx5dv_wr_set_mkey_layout_interleaved(r->mqp, 2, 3, r->data);
}

static const struct rec_case rec_cases[] = {
	{ "both_keep", rec_keep, 1,
	  HEX(0000a525 0000420c 00000028 00001800 80000000 00040000 00000000 20002201
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 04000000 00000000 00000000 00000000 00000040
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "both_crypto", rec_crypto_alone, 2,
	  HEX(0000a825 00004210 00000028 00001800 80000000 00000008 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c0000000 ffffffff 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c1000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "both_sig", rec_sig_alone, 2,
	  HEX(0000ac25 00004210 00000020 00001800 80000000 00000008 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      d050ff01 ffffffff 00000004 00000003 00000000 00000000 00000000 00000000
	      c0001234 00000005 01800000 0040ffff c0001234 00000005 01800000 0040ffff
	      c1000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  { HEX(0000b020 00004202 00000020 00000000 00000003 00000000 00001234 00000005),
	    HEX(0000b120 00004202 00000028 00000003 00000004 00000000 00001234 00000005) } },
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
	    HEX(0000b920 00004202 00000028 a1b2c3d4 00000004 00000000 00001234 00000005) } },
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
	  { HEX(0000c020 00004202 00000028 a1b2c3d4 00000003 00000000 ffffffff 00000000) } },
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
	  { HEX(0000c720 00004202 00000028 00001600 00000004 00000000 ffff1234 56789abc) } },
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
	    HEX(0000ce20 00004202 00000028 22000001 00000004 00000000 ffffffff ffffffff) } },
	{ "both_crypto", rec_crypto_alone, 2,
	  HEX(0000cf25 00004210 00000028 00001800 80000000 00000008 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c0ff0406 ffffffff 52000004 43000003 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c1000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "both_keep", rec_keep, 2,
	  HEX(0000d325 0000420c 00000028 00001800 80000000 00040000 00000000 20002001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000081
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "both_reset", rec_reset, 0,
	  HEX(0000d625 00004210 00000028 00001800 80000000 00000008 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c0000000 ffffffff 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c1000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "both_sig", rec_sig_alone, 7,
	  HEX(0000da25 00004210 00000020 00001800 80000000 00000008 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      c0ff0101 ffffffff 23000004 00000003 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 c0000000 00000000 01880000 0002ffff
	      c1000000 ffffffff 06000000 00000000 00000000 00000000 00000000 00000000
	      00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  { HEX(0000de20 00004202 00000020 00000000 00000003 00000000 ffff0000 00000000),
	    HEX(0000df20 00004202 00000028 00000000 00000004 00000000 00000000 00000000) } },
};

static struct rec *create_rec(struct kunit *test)
{
	struct rec *r = rec_create(test, REC_MKEY, MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO |
						   MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE);

	r->sig.psv[IBX_SIG_MEM] = REC_PSV;
	r->sig.psv[IBX_SIG_WIRE] = REC_PSV + 1;
	return r;
}

static void recorded_both(struct kunit *test)
{
	struct rec *r = create_rec(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(rec_cases); i++)
		rec_expect(r, &rec_cases[i]);
}

/*
 * at each position of the ring, only the indices of the WQEs differ
 */
static void ring_wraps(struct kunit *test)
{
	u8 *flat = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);
	u8 *first = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);
	struct rec *r = create_rec(test);
	const u32 umr = 6 * IBX_BB;	/* bytes, with 5 entries */
	u16 cur, i;

	KUNIT_ASSERT_TRUE(test, flat && first);
	for (cur = 0; cur < KT_BBS; cur++) {
		KUNIT_ASSERT_EQ(test, rec_post_at(r, cur, both_list, 2), 0);
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
	rec_begin(r, 2, 0);
	rec_set_crypto(r, n % 10);
	rec_set_sig(r, n / 10);
}

static void sig_then_crypto(struct rec *r, int n)
{
	rec_begin(r, 2, 0);
	rec_set_sig(r, n / 10);
	rec_set_crypto(r, n % 10);
}

/* ciphertext signed in both domains is refused in any order of setters */
static void order_refused(struct kunit *test)
{
	struct rec *r = create_rec(test);

	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, crypto_then_sig, 20), -EINVAL);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, sig_then_crypto, 20), -EINVAL);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, sig_then_crypto, 23), -EINVAL);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, sig_then_crypto, 22), 0);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_crypto_alone, 0), -EINVAL);
	/* a refused call has changed no attribute */
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_keep, 1), 0);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, sig_then_crypto, 10), 0);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_sig_alone, 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_sig_alone, 0), 0);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_reset, 0), 0);
}

/*
 * A crypto BSF must not be written again after its DEK was destroyed, even if
 * a new DEK has the number of the old DEK.
 */
static void dead_dek_refused(struct kunit *test)
{
	struct rec *r = create_rec(test);
	struct xarray *deks = &r->kt->dev->deks;

	KUNIT_ASSERT_EQ(test, rec_post_at(r, 0, both_list, 2), 0);
	xa_erase(deks, REC_DEK);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_sig_alone, 2), -EINVAL);
	/* a configuration that does not write the BSFs is accepted */
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_keep, 3), 0);
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(deks, REC_DEK, xa_mk_value(REC_SERIAL + 1),
					      GFP_KERNEL)), 0);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_sig_alone, 2), -EINVAL);
	r->dek.serial++;
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_crypto_alone, 2), 0);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_sig_alone, 2), 0);
}

/* the layout of both_first() has 64 bytes, and each BSF has 64 bytes */
static void space_refused(struct kunit *test)
{
	struct rec *r = create_rec(test);
	struct ibx_sq *sq = &r->kt->qp->sq;

	sq->max_umr_inline = 64;
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_sig_alone, 2), 0);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_crypto_alone, 2), -ENOMEM);
	sq->max_umr_inline = 192 - 1;
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, both_first, 2), -ENOMEM);
	sq->max_umr_inline = 192;
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, both_first, 2), 0);
}

/*
 * On a device with one data unit for each mkey, a layout that is longer than
 * the data unit is refused, even if the crypto attributes were set before.
 */
static void length_refused(struct kunit *test)
{
	struct rec *r = create_rec(test);

	r->kt->dev->crypto_caps.crypto_engines = 0;
	/* two entries have 64 and 65 bytes, a data unit has 512 */
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_keep, 2), 0);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, sig_then_crypto, 10), 0);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_keep, 48), -EINVAL);
	KUNIT_EXPECT_EQ(test, rec_post_at(r, 0, rec_keep, 5), 0);
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
	rec_reset(r, 0);
	ib_wr_abort(r->qpx);
	return 0;
}

/* an aborted chain changes neither BSF */
static void abort_restores(struct kunit *test)
{
	struct ibx_both_state *was = kunit_kzalloc(test, sizeof(*was), GFP_KERNEL);
	struct rec *r = create_rec(test);

	KUNIT_ASSERT_NOT_NULL(test, was);
	KUNIT_ASSERT_EQ(test, rec_post_at(r, 0, both_list, 3), 0);
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
