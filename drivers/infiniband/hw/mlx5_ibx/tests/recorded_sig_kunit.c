// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of configurations of block signatures that libmlx5 (rdma-core 44) wrote.
 *
 * As in recorded_dv_kunit.c: tools/testing/libmlx5/probe.c makes the calls, on stock mlx5_ib
 * (Linux 6.12.117), record.sh there prints the bytes, and they are unchanged. A configuration of
 * signatures is a UMR with the BSF behind the layout, and a SET_PSV WQE for each domain.
 *
 * mlx5_ibx differs in the fence of a UMR, which the suite sets to that of libmlx5. With all new
 * attributes it tells the device how many errors it knows, libmlx5 only after an error: the suite
 * checks that, and clears it (told_again()). And on purpose it copies less between domains with the
 * same CRC and different seeds, and of reference tags that increase in one domain only; these are
 * not recorded (copy_masks()).
 */

#include <linux/unaligned.h>

#include "dv/mkey.h"
#include "enc/bsf.h"
#include "kunit.h"

#define SIG_LKEY	0x1300
#define SIG_MKEY	0x1600
#define SIG_BUF		0x700000000000
#define SIG_ENTRIES	48

/* attributes of probe.c; a domain with a comp_mask is not there */
struct sig_attr {
	struct mlx5dv_sig_block_domain mem;
	struct mlx5dv_sig_block_domain wire;
	u8 check_mask;
	u8 copy_mask;
	u32 flags;
};

#define T10(size, type, seed, app, ref, f)	{ MLX5DV_SIG_TYPE_T10DIF, {		\
	.dif = &(const struct mlx5dv_sig_t10dif){					\
		MLX5DV_SIG_T10DIF_##type, seed, app, ref, f } },			\
	MLX5DV_BLOCK_SIZE_##size, 0 }
#define CRC(size, type, seed)	{ MLX5DV_SIG_TYPE_CRC, {				\
	.crc = &(const struct mlx5dv_sig_crc){ MLX5DV_SIG_CRC_TYPE_##type, seed } },	\
	MLX5DV_BLOCK_SIZE_##size, 0 }
#define NO_DOMAIN	{ .comp_mask = 1 }

#define REMAP		MLX5DV_SIG_T10DIF_FLAG_REF_REMAP
#define ESC_APP		MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE
#define ESC_REF		MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE

static const struct sig_attr sig_attrs[] = {
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

struct rec {
	struct mlx5dv_qp_ex *mqp;
	struct ib_qp_ex *qpx;
	struct ibx_mkey mkey;
	struct ibx_sig sig;
	struct ib_sge sge[SIG_ENTRIES];
	struct mlx5dv_mr_interleaved data[SIG_ENTRIES];
};

/**
 * struct rec_case - a recorded work request
 * @name: name in probe.c
 * @build: makes the calls
 * @n: argument of the calls
 * @hex: UMR
 * @psv: SET_PSV WQEs behind it
 * @on: the mkey has signature attributes before
 * @first: it is the first configuration of the mkey
 */
struct rec_case {
	const char *name;
	void (*build)(struct rec *r, int n);
	int n;
	const char *hex;
	const char *psv[IBX_SIG_DOMAINS];
	bool on;
	bool first;
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
		.flags = a->flags, .check_mask = a->check_mask, .copy_mask = a->copy_mask,
	};

	mlx5dv_wr_set_mkey_sig_block(r->mqp, &attr);
}

static void sig_list(struct rec *r, int n)
{
	begin(r, 3, 0);
	mlx5dv_wr_set_mkey_access_flags(r->mqp, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_list(r->mqp, 5, r->sge);
	set_sig(r, n);
}

static void sig_first(struct rec *r, int n)
{
	begin(r, 2, 0);
	set_sig(r, n);
	mlx5dv_wr_set_mkey_layout_interleaved(r->mqp, 2, 3, r->data);
}

static void sig_alone(struct rec *r, int n)
{
	begin(r, 1, 0);
	set_sig(r, n);
}

/* with the attributes that the mkey has, or without any */
static void sig_keep(struct rec *r, int n)
{
	begin(r, 1, 0);
	mlx5dv_wr_set_mkey_layout_list(r->mqp, n, r->sge);
}

static void sig_none(struct rec *r, int n)
{
	sig_keep(r, n);
}

static void sig_reset(struct rec *r, int n)
{
	begin(r, 0, MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR);
}

static const struct rec_case rec_cases[] = {
	{ "sig_none", sig_none, 1,
	  HEX(00004725 0000420c 00000008 00001600 80000000 00040000 00000000 20003201
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 04000000 00000000 00000000 00000000 00000040
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  .first = true },
	{ "sig_list", sig_list, 0,
	  HEX(00004a25 00004214 00000020 00001600 80000000 00080004 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      80f00001 ffffffff 00000000 22000001 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  { HEX(00004f20 00004202 00000028 00000000 00000001 00000000 ffffffff 00000000) } },
	{ "sig_keep", sig_keep, 2,
	  HEX(00005025 0000420c 00000028 00001600 80000000 00040000 00000000 20002001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000081
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  .on = true },
	{ "sig_list", sig_list, 1,
	  HEX(00005325 00004214 00000020 00001600 80000000 00080004 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      80ff0300 ffffffff 00000002 00000000 00000000 00000000 00000000 00000000
	      c0001234 56789abc 01880000 0040ffff 00000000 00000000 00000000 00000000),
	  { HEX(00005820 00004202 00000028 00000000 00000002 00000000 ffff1234 56789abc) } },
	{ "sig_list", sig_list, 2,
	  HEX(00005925 00004214 00000020 00001600 80000000 00080004 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      9050ff01 ffffffff 00000002 00000001 00000000 00000000 00000000 00000000
	      c0001234 00000005 01800000 0040ffff c0001234 00000005 01800000 0040ffff),
	  { HEX(00005e20 00004202 00000020 00000000 00000001 00000000 00001234 00000005),
	    HEX(00005f20 00004202 00000028 00000000 00000002 00000000 00001234 00000005) } },
	{ "sig_list", sig_list, 3,
	  HEX(00006025 00004214 00000020 00001600 80000000 00080004 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      90ff3f02 ffffffff 00000002 00000001 00000000 00000000 00000000 00000000
	      c0008001 00000007 01800000 0000ffff c0008001 00000007 02800000 0000ffff),
	  { HEX(00006520 00004202 00000020 00000000 00000001 00000000 00008001 00000007),
	    HEX(00006620 00004202 00000028 00000000 00000002 00000000 00008001 00000007) } },
	{ "sig_list", sig_list, 4,
	  HEX(00006725 00004214 00000020 00001600 80000000 00080004 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      90cf3004 ffffffff 00000002 00000001 00000000 00000000 00000000 00000000
	      c0000003 00000004 01800000 0002ffff c0000001 00000002 01800000 0001ffff),
	  { HEX(00006c20 00004202 00000020 00000000 00000001 00000000 00000001 00000002),
	    HEX(00006d20 00004202 00000028 00000000 00000002 00000000 00000003 00000004) } },
	{ "sig_first", sig_first, 5,
	  HEX(00006e25 00004210 00000020 00001600 80000000 00040004 00000000 20003001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000306
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000183 00000400 00000002 00000003 00800080 00001300 00007000 00000000
	      00820081 00001300 00007000 00000200 00840082 00001300 00007000 00000400
	      80ff0406 ffffffff 52000002 43000001 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  { HEX(00007220 00004202 00000020 00000000 00000001 00000000 00000000 00000000),
	    HEX(00007320 00004202 00000028 00000000 00000002 00000000 ffffffff ffffffff) } },
	{ "sig_list", sig_list, 6,
	  HEX(00007425 00004214 00000020 00001600 80000000 00080004 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      9000ff03 ffffffff 53000002 53000001 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  { HEX(00007920 00004202 00000020 00000000 00000001 00000000 00000000 00000000),
	    HEX(00007a20 00004202 00000028 00000000 00000002 00000000 00000000 00000000) } },
	{ "sig_alone", sig_alone, 7,
	  HEX(00007b25 0000420c 00000020 00001600 80000000 00000004 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 40000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      80ff0101 ffffffff 23000002 00000001 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 c0000000 00000000 01880000 0002ffff),
	  { HEX(00007e20 00004202 00000020 00000000 00000001 00000000 ffff0000 00000000),
	    HEX(00007f20 00004202 00000028 00000000 00000002 00000000 00000000 00000000) } },
	{ "sig_reset", sig_reset, 0,
	  HEX(00008025 00004208 00000028 00001600 80000000 00000000 00000000 20003000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000) },
	{ "sig_none", sig_none, 3,
	  HEX(00008225 0000420c 00000028 00001600 80000000 00040000 00000000 20003001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000000 ffffff00 00000000 00000000 00000000 00000000 00000000 000000c3
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000000 00000000 00000000 00000000) },
	{ "sig_list", sig_list, 8,
	  HEX(00008525 00004214 00000020 00001600 80000000 00080004 00000000 203c3001
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00003000 ffffff00 00000000 40000000 00000000 00000000 00000000 0000014a
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      00000040 00001300 00007000 00000000 00000041 00001300 00007000 00000200
	      00000042 00001300 00007000 00000400 00000043 00001300 00007000 00000600
	      00000044 00001300 00007000 00000800 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
	      90f0c002 ffffffff 42000002 42000001 00000000 00000000 00000000 00000000
	      00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000),
	  { HEX(00008a20 00004202 00000020 00000000 00000001 00000000 ffffffff 00000000),
	    HEX(00008b20 00004202 00000028 00000000 00000002 00000000 ffffffff 00000000) } },
};

static void rec_desc(const struct rec_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %d (recorded from libmlx5)", c->name, c->n);
}

KUNIT_ARRAY_PARAM(rec, rec_cases, rec_desc);

static const struct mlx5dv_sig_caps all_caps = { 0x1f, 0x3, 0x3, 0x7 };

static struct rec *create_rec(struct kt *kt)
{
	struct rec *r = kunit_kzalloc(kt->test, sizeof(*r), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(kt->test, r);
	r->mqp = &kt->qp->dv;
	r->qpx = &r->mqp->qp_ex;
	r->mkey.dv.lkey = SIG_MKEY;
	r->mkey.key = SIG_MKEY;
	r->mkey.has.max_entries = SIG_ENTRIES;
	r->mkey.sig = &r->sig;
	r->sig.caps = &all_caps;
	KUNIT_ASSERT_EQ(kt->test, xa_err(xa_store(&kt->dev->sigs, SIG_MKEY >> 8, &r->sig,
						  GFP_KERNEL)), 0);
	for (i = 0; i < SIG_ENTRIES; i++) {
		r->sge[i] = (struct ib_sge){ SIG_BUF + 512 * i, 64 + i, SIG_LKEY };
		r->data[i] = (struct mlx5dv_mr_interleaved){
			SIG_BUF + 512 * i, 128 + i, i, SIG_LKEY,
		};
	}
	return r;
}

/* the QP and the mkey as they were when probe.c posted the case */
static void set_state(struct kt *kt, struct rec *r, const struct rec_case *c, const u8 *umr)
{
	struct ibx_sq *sq = &kt->qp->sq;
	u8 psv[64];
	int i;

	ibx_sq_set_qpn(sq, get_unaligned_be24(umr + 4));
	sq->cur_post = get_unaligned_be16(umr + 1);
	sq->umr_fence = umr[11] & 0xe0;
	sq->max_umr_inline = SIG_ENTRIES * 16;
	r->sig.state.on = c->on;
	atomic_set(&r->sig.errs, 1);
	r->sig.state.errs = !c->first;
	/* of one domain the suite need not know which it is */
	for (i = 0; i < IBX_SIG_DOMAINS && c->psv[i]; i++) {
		kt_parse_hex(kt->test, c->psv[i], psv, sizeof(psv));
		r->sig.psv[i] = get_unaligned_be32(psv + 16);
		if (!c->psv[1])
			r->sig.psv[1] = r->sig.psv[0];
	}
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

static void recorded_sig(struct kunit *test)
{
	const struct rec_case *c = test->param_value;
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct rec *r = create_rec(kt);
	u8 *flat = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);
	static u8 umr[1024];
	u32 at, i;

	KUNIT_ASSERT_NOT_NULL(test, flat);
	at = ALIGN(kt_parse_hex(test, c->hex, umr, sizeof(umr)), IBX_BB);
	set_state(kt, r, c, umr);
	r->qpx->wr_flags = IB_SEND_INLINE | IB_SEND_SIGNALED;
	KUNIT_ASSERT_EQ(test, ib_wr_start(r->qpx), 0);
	c->build(r, c->n);
	KUNIT_ASSERT_EQ(test, ib_wr_complete(r->qpx), 0);
	kt_unroll(kt, get_unaligned_be16(umr + 1), flat);
	if (c->psv[0])
		told_again(test, flat);
	kt_expect_bytes(test, c->name, flat, c->hex);
	for (i = 0; i < IBX_SIG_DOMAINS && c->psv[i]; i++, at += IBX_BB)
		kt_expect_bytes(test, c->name, flat + at, c->psv[i]);
	/* and nothing behind */
	KUNIT_EXPECT_EQ(test, (u16)(kt->qp->sq.cur_post - get_unaligned_be16(umr + 1)),
			at / IBX_BB);
}

struct copy_case {
	const char *name;
	struct mlx5dv_sig_block_domain mem;
	struct mlx5dv_sig_block_domain wire;
	u8 mask;
};

/* where libmlx5 copies more: all of a CRC, and the reference tag */
static const struct copy_case copy_cases[] = {
	{ "other seed", CRC(512, CRC32, 0), CRC(512, CRC32, U32_MAX), 0 },
	{ "same seed", CRC(512, CRC32, 0x100000000), CRC(512, CRC32, 0), 0xf0 },
	{ "remapped reference tag", T10(512, CRC, 0, 1, 2, REMAP), T10(512, CRC, 0, 1, 2, 0),
	  0xf0 },
	{ "other seed of the guard", T10(512, CRC, 0, 1, 2, 0), T10(512, CRC, 0xffff, 1, 2, 0),
	  0x3f },
};

static void copy_desc(const struct copy_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(copy, copy_cases, copy_desc);

static void copy_masks(struct kunit *test)
{
	const struct copy_case *c = test->param_value;
	const struct mlx5dv_sig_block_attr attr = { .mem = &c->mem, .wire = &c->wire };
	const u32 psv[IBX_SIG_DOMAINS] = { 1, 2 };
	struct ibx_sig_set set;

	ibx_enc_bsf(&set, &attr, psv);
	/* the bit that says that there is a mask */
	KUNIT_EXPECT_EQ(test, set.bsf.basic.bsf_size_sbs, 0x90);
	KUNIT_EXPECT_EQ(test, set.bsf.basic.wire.copy_byte_mask, c->mask);
}

static struct kunit_case recorded_sig_tests[] = {
	KUNIT_CASE_PARAM(recorded_sig, rec_gen_params),
	KUNIT_CASE_PARAM(copy_masks, copy_gen_params),
	{}
};

static struct kunit_suite recorded_sig_suite = {
	.name = "mlx5_ibx_recorded_sig",
	.test_cases = recorded_sig_tests,
};

kunit_test_suite(recorded_sig_suite);
