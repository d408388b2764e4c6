// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Decoding of send and receive WQEs.
 *
 * The WQEs are written out byte by byte, with segments in the order of stock
 * mlx5_ib. The layouts are struct mlx5_wqe_ctrl_seg, _raddr_seg, _data_seg,
 * _inline_seg, _datagram_seg and struct mlx5_av in <linux/mlx5/qp.h>; opcodes
 * and MLX5_INLINE_SEG are in <linux/mlx5/device.h>.
 */
#include <kunit/test.h>

#include "core/core.h"
#include "dp/dp.h"

#define QPN	0x123456
#define COUNTER	0x8001

/*
 * The first line of each WQE is the control segment: modifier, index, opcode;
 * QP number, size; signature, reserved, fence and completion bits; immediate
 * data.
 */
static const u8 wqe_send[] = {
	0, 0x80, 0x01, 0x0a, 0x12, 0x34, 0x56, 3, 0, 0, 0, 0x0a, 0, 0, 0, 0,
	0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x07, 0x01, 0x11, 2, 3, 4, 5, 6, 7, 8,
	0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x07, 0x02, 0x22, 2, 3, 4, 5, 6, 7, 8,
};

static const u8 wqe_send_inv[] = {
	0, 0x80, 0x01, 0x01, 0x12, 0x34, 0x56, 2, 0, 0, 0, 0x48, 0, 0, 0, 0x77,
	0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x07, 0x01, 0x11, 2, 3, 4, 5, 6, 7, 8,
};

static const u8 wqe_write_inline[] = {
	0, 0x80, 0x01, 0x08, 0x12, 0x34, 0x56, 3, 0, 0, 0, 0x08, 0, 0, 0, 0,
	0xaa, 1, 2, 3, 4, 5, 6, 7, 0x00, 0x00, 0x09, 0x01, 0, 0, 0, 0,
	0x80, 0x00, 0x00, 0x0c, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l',
};

static const u8 wqe_read[] = {
	0, 0x80, 0x01, 0x10, 0x12, 0x34, 0x56, 3, 0, 0, 0, 0x28, 0, 0, 0, 0,
	0xaa, 1, 2, 3, 4, 5, 6, 7, 0x00, 0x00, 0x09, 0x01, 0, 0, 0, 0,
	0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x01, 0x11, 2, 3, 4, 5, 6, 7, 8,
};

static const u8 wqe_write_empty[] = {
	0, 0x80, 0x01, 0x09, 0x12, 0x34, 0x56, 2, 0, 0, 0, 0x08, 0, 0, 0, 0x05,
	0xaa, 1, 2, 3, 4, 5, 6, 7, 0x00, 0x00, 0x09, 0x01, 0, 0, 0, 0,
};

static const u8 wqe_cas[] = {
	0, 0x80, 0x01, 0x11, 0x12, 0x34, 0x56, 4, 0, 0, 0, 0x08, 0, 0, 0, 0,
	0xaa, 1, 2, 3, 4, 5, 6, 8, 0x00, 0x00, 0x09, 0x01, 0, 0, 0, 0,
	0xa1, 1, 2, 3, 4, 5, 6, 7, 0xb1, 1, 2, 3, 4, 5, 6, 7,
	0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x07, 0x01, 0x11, 2, 3, 4, 5, 6, 7, 8,
};

static const u8 wqe_ud[] = {
	0, 0x80, 0x01, 0x0a, 0x12, 0x34, 0x56, 5, 0, 0, 0, 0x08, 0, 0, 0, 0,
	0x80, 0x01, 0x00, 0x00, 0, 0, 0, 0, 0x80, 0, 0, 1, 0x02, 0, 0xc0, 0,
	0, 0, 0, 0, 2, 0, 0, 0, 0, 9, 3, 64, 0x40, 0x50, 0, 7,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2,
	0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x07, 0x01, 0x11, 2, 3, 4, 5, 6, 7, 8,
};

/* A memory copy: opaque segment, source, destination, as in libmlx5 */
static const u8 wqe_mmo[] = {
	1, 0x80, 0x01, 0x2f, 0x12, 0x34, 0x56, 4, 0, 0, 0, 0x88, 0, 0, 0, 0,
	0, 0, 0, 0, 0x00, 0x00, 0x07, 0x09, 0x99, 2, 3, 4, 5, 6, 7, 0x40,
	0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x07, 0x01, 0x11, 2, 3, 4, 5, 6, 7, 8,
	0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x07, 0x02, 0x22, 2, 3, 4, 5, 6, 7, 8,
};

/*
 * A message of a DCI: stream, address vector with access key and DCT number,
 * then as for RC
 */
static const u8 wqe_dc_fa[] = {
	0, 0x80, 0x01, 0x12, 0x12, 0x34, 0x56, 7, 0, 0x01, 0x05, 0x08, 0, 0, 0, 0,
	0, 0, 0, 0, 0x0b, 0xad, 0xc0, 0xde, 0x80, 0x04, 0, 1, 0x02, 0, 0xc0, 0,
	0, 0, 0, 0, 2, 0, 0, 0, 0, 9, 3, 64, 0x40, 0x50, 0, 7,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2,
	0xaa, 1, 2, 3, 4, 5, 6, 8, 0x00, 0x00, 0x09, 0x01, 0, 0, 0, 0,
	0xa1, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0,
	0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x07, 0x01, 0x11, 2, 3, 4, 5, 6, 7, 8,
};

/* A message of an XRC initiator: number of the SRQ, then as for RC */
static const u8 wqe_xrc_read[] = {
	0, 0x80, 0x01, 0x10, 0x12, 0x34, 0x56, 4, 0, 0, 0, 0x08, 0, 0, 0, 0,
	0x00, 0x65, 0x43, 0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0xaa, 1, 2, 3, 4, 5, 6, 7, 0x00, 0x00, 0x09, 0x01, 0, 0, 0, 0,
	0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x01, 0x11, 2, 3, 4, 5, 6, 7, 8,
};

static int decode(struct sim_wqe *wqe, const u8 *bytes, size_t len, u8 st)
{
	const char *why;
	int vio;

	memset(wqe, 0, sizeof(*wqe));
	memcpy(wqe->buf, bytes, len);
	vio = sim_wqe_decode_ctrl(wqe, QPN, COUNTER, &why);
	return vio == SIM_WQE_OK ? sim_wqe_decode(wqe, st, &why) : vio;
}

static struct sim_wqe *new_wqe(struct kunit *test)
{
	struct sim_wqe *wqe = kunit_kzalloc(test, sizeof(*wqe), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, wqe);
	return wqe;
}

static void xrc_names_the_srq(struct kunit *test)
{
	u8 bytes[sizeof(wqe_xrc_read)];
	struct sim_wqe *w = new_wqe(test);

	memcpy(bytes, wqe_xrc_read, sizeof(bytes));
	KUNIT_ASSERT_EQ(test, decode(w, bytes, sizeof(bytes), MLX5_QP_ST_XRC), SIM_WQE_OK);
	KUNIT_EXPECT_EQ(test, w->xrc_srqn, 0x654321);
	KUNIT_EXPECT_EQ(test, w->rkey, 0x901);
	KUNIT_EXPECT_EQ(test, w->raddr, 0xaa01020304050607ULL);
	KUNIT_ASSERT_EQ(test, w->nseg, 1);
	KUNIT_EXPECT_EQ(test, w->seg[1].key, 0x701);
	KUNIT_EXPECT_NULL(test, w->ignored);

	bytes[31] = 1;
	KUNIT_ASSERT_EQ(test, decode(w, bytes, sizeof(bytes), MLX5_QP_ST_XRC), SIM_WQE_OK);
	KUNIT_EXPECT_NOT_NULL(test, w->ignored);
}

static void send_two_segments(struct kunit *test)
{
	struct sim_wqe *w = new_wqe(test);

	KUNIT_ASSERT_EQ(test, decode(w, wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC), SIM_WQE_OK);
	KUNIT_EXPECT_EQ(test, w->opcode, MLX5_OPCODE_SEND);
	KUNIT_EXPECT_EQ(test, w->bbs, 1);
	KUNIT_EXPECT_TRUE(test, w->cqe);
	KUNIT_EXPECT_TRUE(test, w->se);
	KUNIT_EXPECT_EQ(test, w->fence, SIM_FENCE_NONE);
	KUNIT_EXPECT_EQ(test, w->nseg, 2);
	KUNIT_EXPECT_EQ(test, w->len, 0x1040);
	KUNIT_EXPECT_EQ(test, w->seg[1].key, 0x701);
	KUNIT_EXPECT_EQ(test, w->seg[1].va, 0x1102030405060708ULL);
	KUNIT_EXPECT_EQ(test, w->seg[2].len, 0x40);
	KUNIT_EXPECT_EQ(test, w->seg[2].key, 0x702);
}

static void send_invalidate_fenced(struct kunit *test)
{
	struct sim_wqe *w = new_wqe(test);

	KUNIT_ASSERT_EQ(test, decode(w, wqe_send_inv, sizeof(wqe_send_inv), MLX5_QP_ST_RC),
			SIM_WQE_OK);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(w->imm), 0x77);
	KUNIT_EXPECT_EQ(test, w->fence, SIM_FENCE_READS);
	KUNIT_EXPECT_FALSE(test, w->se);
}

static void write_inline(struct kunit *test)
{
	struct sim_wqe *w = new_wqe(test);

	KUNIT_ASSERT_EQ(test, decode(w, wqe_write_inline, sizeof(wqe_write_inline),
				     MLX5_QP_ST_RC), SIM_WQE_OK);
	KUNIT_EXPECT_EQ(test, w->raddr, 0xaa01020304050607ULL);
	KUNIT_EXPECT_EQ(test, w->rkey, 0x901);
	KUNIT_EXPECT_EQ(test, w->nseg, 1);
	KUNIT_EXPECT_EQ(test, w->len, 12);
	KUNIT_EXPECT_MEMEQ(test, w->seg[1].kmem, "abcdefghijkl", 12);
}

static void write_empty(struct kunit *test)
{
	struct sim_wqe *w = new_wqe(test);

	KUNIT_ASSERT_EQ(test, decode(w, wqe_write_empty, sizeof(wqe_write_empty),
				     MLX5_QP_ST_RC), SIM_WQE_OK);
	KUNIT_EXPECT_EQ(test, w->nseg, 0);
	KUNIT_EXPECT_EQ(test, w->len, 0);
}

static void compare_and_swap(struct kunit *test)
{
	struct sim_wqe *w = new_wqe(test);

	KUNIT_ASSERT_EQ(test, decode(w, wqe_cas, sizeof(wqe_cas), MLX5_QP_ST_RC), SIM_WQE_OK);
	KUNIT_EXPECT_EQ(test, w->swap_add, 0xa101020304050607ULL);
	KUNIT_EXPECT_EQ(test, w->compare, 0xb101020304050607ULL);
	KUNIT_EXPECT_EQ(test, w->nseg, 1);
	KUNIT_EXPECT_EQ(test, w->len, 8);
}

static void datagram(struct kunit *test)
{
	struct sim_wqe *w = new_wqe(test);

	KUNIT_ASSERT_EQ(test, decode(w, wqe_ud, sizeof(wqe_ud), MLX5_QP_ST_QP1), SIM_WQE_OK);
	KUNIT_ASSERT_NOT_NULL(test, w->av);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(w->av->key.qkey.qkey), 0x80010000);
	KUNIT_EXPECT_EQ(test, w->av->rmac[5], 9);
	KUNIT_EXPECT_EQ(test, w->av->hop_limit, 64);
	KUNIT_EXPECT_EQ(test, w->seg[1].len, 0x100);
	KUNIT_EXPECT_EQ(test, w->bbs, 2);
}

/*
 * The decoder ignores the four reserved bytes before the MAC, because UCX does
 * not clear these bytes.
 */
static void datagram_with_leftovers(struct kunit *test)
{
	struct sim_wqe *w = new_wqe(test);
	u8 bytes[sizeof(wqe_ud)];

	memcpy(bytes, wqe_ud, sizeof(bytes));
	KUNIT_ASSERT_EQ(test, decode(w, bytes, sizeof(bytes), MLX5_QP_ST_UD), SIM_WQE_OK);
	KUNIT_EXPECT_NULL(test, w->ignored);
	bytes[35] = 1;
	KUNIT_ASSERT_EQ(test, decode(w, bytes, sizeof(bytes), MLX5_QP_ST_UD), SIM_WQE_OK);
	KUNIT_EXPECT_NOT_NULL(test, w->ignored);
	KUNIT_EXPECT_EQ(test, w->av->rmac[5], 9);
}

static void memory_copy(struct kunit *test)
{
	struct sim_wqe *w = new_wqe(test);

	KUNIT_ASSERT_EQ(test, decode(w, wqe_mmo, sizeof(wqe_mmo), MLX5_QP_ST_RC), SIM_WQE_OK);
	KUNIT_EXPECT_EQ(test, w->opmod, SIM_OPMOD_MMO_DMA);
	KUNIT_EXPECT_EQ(test, w->fence, SIM_FENCE_SMALL_READS);
	KUNIT_EXPECT_EQ(test, w->len, 0x400);
	KUNIT_EXPECT_EQ(test, w->nseg, 3);
	KUNIT_EXPECT_EQ(test, w->seg[1].key, 0x701);
	KUNIT_EXPECT_EQ(test, w->seg[1].va, 0x1102030405060708ULL);
	KUNIT_EXPECT_EQ(test, w->seg[2].key, 0x702);
	KUNIT_EXPECT_EQ(test, w->seg[2].va, 0x2202030405060708ULL);
	KUNIT_EXPECT_EQ(test, w->seg[3].key, 0x709);
	KUNIT_EXPECT_EQ(test, w->seg[3].va, 0x9902030405060740ULL);
	KUNIT_EXPECT_EQ(test, w->seg[3].len, 64);
}

/* A byte count of 0 means 2^31 bytes, because the field has only 31 bits. */
static void memory_copy_of_all(struct kunit *test)
{
	struct sim_wqe *w = new_wqe(test);
	u8 bytes[sizeof(wqe_mmo)];

	memcpy(bytes, wqe_mmo, sizeof(bytes));
	bytes[34] = 0;
	bytes[50] = 0;
	KUNIT_ASSERT_EQ(test, decode(w, bytes, sizeof(bytes), MLX5_QP_ST_DCI), SIM_WQE_OK);
	KUNIT_EXPECT_EQ(test, w->len, 1ULL << 31);
	KUNIT_EXPECT_EQ(test, w->seg[2].len, 1U << 31);
}

static void dc_atomic(struct kunit *test)
{
	struct sim_wqe *w = new_wqe(test);

	KUNIT_ASSERT_EQ(test, decode(w, wqe_dc_fa, sizeof(wqe_dc_fa), MLX5_QP_ST_DCI),
			SIM_WQE_OK);
	KUNIT_EXPECT_EQ(test, w->stream, 0x105);
	KUNIT_ASSERT_NOT_NULL(test, w->av);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(w->av->key.dc_key), 0xbadc0deULL);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(w->av->dqp_dct) & 0xffffff, 0x40001);
	KUNIT_EXPECT_EQ(test, w->raddr, 0xaa01020304050608ULL);
	KUNIT_EXPECT_EQ(test, w->rkey, 0x901);
	KUNIT_EXPECT_EQ(test, w->swap_add, 0xa101020304050607ULL);
	KUNIT_EXPECT_EQ(test, w->seg[1].key, 0x701);
	KUNIT_EXPECT_EQ(test, w->bbs, 2);
}

/* ---- every byte counts ---- */

struct flip_case {
	const char *name;
	const u8 *wqe;
	u32 len;
	u8 st;
};

static const struct flip_case flip_cases[] = {
	{ "send", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC },
	{ "send with invalidate", wqe_send_inv, sizeof(wqe_send_inv), MLX5_QP_ST_RC },
	{ "inline write", wqe_write_inline, sizeof(wqe_write_inline), MLX5_QP_ST_RC },
	{ "read", wqe_read, sizeof(wqe_read), MLX5_QP_ST_RC },
	{ "empty write", wqe_write_empty, sizeof(wqe_write_empty), MLX5_QP_ST_RC },
	{ "compare and swap", wqe_cas, sizeof(wqe_cas), MLX5_QP_ST_RC },
	{ "datagram", wqe_ud, sizeof(wqe_ud), MLX5_QP_ST_UD },
	{ "memory copy", wqe_mmo, sizeof(wqe_mmo), MLX5_QP_ST_RC },
	{ "atomic of a DCI", wqe_dc_fa, sizeof(wqe_dc_fa), MLX5_QP_ST_DCI },
};

KUNIT_ARRAY_PARAM_DESC(flip, flip_cases, name);

/*
 * Compare fields of two decoded WQEs. For pointers into the WQEs, compare the
 * bytes that they point to.
 */
static bool same(const struct sim_wqe *a, const struct sim_wqe *b)
{
	u32 i;

	if (a->opcode != b->opcode || a->ds != b->ds || a->fence != b->fence ||
	    a->cqe != b->cqe || a->no_flush != b->no_flush || a->se != b->se ||
	    a->imm != b->imm || a->raddr != b->raddr || a->rkey != b->rkey || a->len != b->len ||
	    a->nseg != b->nseg ||
	    a->swap_add != b->swap_add || a->compare != b->compare || a->stream != b->stream)
		return false;
	if (a->av && memcmp(a->av, b->av, sizeof(*a->av)))
		return false;
	for (i = 1; i <= a->nseg; i++) {
		if (a->seg[i].va != b->seg[i].va || a->seg[i].key != b->seg[i].key ||
		    a->seg[i].len != b->seg[i].len || !a->seg[i].kmem != !b->seg[i].kmem)
			return false;
		if (a->seg[i].kmem && memcmp(a->seg[i].kmem, b->seg[i].kmem, a->seg[i].len))
			return false;
	}
	return true;
}

static void every_byte_counts(struct kunit *test)
{
	const struct flip_case *c = test->param_value;
	struct sim_wqe *good = new_wqe(test), *bad = new_wqe(test);
	u8 bytes[128];
	u32 i;

	KUNIT_ASSERT_EQ(test, decode(good, c->wqe, c->len, c->st), SIM_WQE_OK);
	for (i = 0; i < c->len; i++) {
		if (i == offsetof(struct mlx5_wqe_ctrl_seg, signature))
			continue;	/* unsupported, so not checked */
		memcpy(bytes, c->wqe, c->len);
		bytes[i] ^= 0xff;
		KUNIT_EXPECT_TRUE_MSG(test,
				      decode(bad, bytes, c->len, c->st) != SIM_WQE_OK ||
				      !same(good, bad), "byte %u does not matter", i);
	}
}

/* ---- WQEs that are refused, and their errors ---- */

struct bad_case {
	const char *name;
	const u8 *wqe;
	u32 len;
	u8 st;
	u8 at;
	u8 val;
	int vio;
};

static const struct bad_case bad_cases[] = {
	{ "wrong index", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC, 2, 2, SIM_VIO_wqe_index },
	{ "wrong QP", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC, 6, 0x57, SIM_VIO_wqe_qpn },
	{ "no size", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC, 7, 0, SIM_VIO_wqe_size },
	{ "copy without modifier", wqe_mmo, sizeof(wqe_mmo), MLX5_QP_ST_RC, 0, 0,
	  SIM_VIO_wqe_opcode },
	{ "copy on UC", wqe_mmo, sizeof(wqe_mmo), MLX5_QP_ST_UC, 0, 1, SIM_VIO_wqe_opcode },
	{ "copy without destination", wqe_mmo, sizeof(wqe_mmo), MLX5_QP_ST_RC, 7, 3,
	  SIM_VIO_wqe_size },
	{ "copy with a fourth segment", wqe_mmo, sizeof(wqe_mmo), MLX5_QP_ST_RC, 7, 5,
	  SIM_VIO_wqe_size },
	{ "control bits of a copy", wqe_mmo, sizeof(wqe_mmo), MLX5_QP_ST_RC, 16, 1,
	  SIM_VIO_wqe_reserved },
	{ "copy of inline data", wqe_mmo, sizeof(wqe_mmo), MLX5_QP_ST_RC, 32, 0x80,
	  SIM_VIO_wqe_segment },
	{ "copy into inline data", wqe_mmo, sizeof(wqe_mmo), MLX5_QP_ST_RC, 48, 0x80,
	  SIM_VIO_wqe_segment },
	{ "copy of unequal lengths", wqe_mmo, sizeof(wqe_mmo), MLX5_QP_ST_RC, 50, 0,
	  SIM_VIO_wqe_segment },
	{ "stream on RC", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC, 10, 1,
	  SIM_VIO_wqe_reserved },
	{ "short AV of a DCI", wqe_dc_fa, sizeof(wqe_dc_fa), MLX5_QP_ST_DCI, 24, 0,
	  SIM_VIO_wqe_segment },
	{ "reserved in the AV of a DCI", wqe_dc_fa, sizeof(wqe_dc_fa), MLX5_QP_ST_DCI, 24, 0x81,
	  SIM_VIO_wqe_reserved },
	{ "XRC without SRQ", wqe_xrc_read, sizeof(wqe_xrc_read), MLX5_QP_ST_XRC, 7, 1,
	  SIM_VIO_wqe_size },
	{ "SRQ number of 25 bits", wqe_xrc_read, sizeof(wqe_xrc_read), MLX5_QP_ST_XRC, 16, 1,
	  SIM_VIO_wqe_reserved },
	{ "copy on XRC", wqe_mmo, sizeof(wqe_mmo), MLX5_QP_ST_XRC, 0, 1, SIM_VIO_wqe_opcode },
	{ "DCI without AV", wqe_dc_fa, sizeof(wqe_dc_fa), MLX5_QP_ST_DCI, 7, 3,
	  SIM_VIO_wqe_size },
	{ "modifier", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC, 0, 1, SIM_VIO_wqe_opcode },
	{ "unknown opcode", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC, 3, 0x3f,
	  SIM_VIO_wqe_opcode },
	{ "opcode not known yet, GET_PSV", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC, 3, 0x21,
	  SIM_VIO_wqe_opcode },
	{ "send on UMR QP", wqe_send, sizeof(wqe_send), MLX5_QP_ST_REG_UMR, 3, 0x0a,
	  SIM_VIO_wqe_opcode },
	{ "read on UD QP", wqe_ud, sizeof(wqe_ud), MLX5_QP_ST_UD, 3, 0x10, SIM_VIO_wqe_opcode },
	{ "reserved in ctrl", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC, 9, 1,
	  SIM_VIO_wqe_reserved },
	{ "fence mode 5", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC, 11, 0xa8,
	  SIM_VIO_wqe_reserved },
	{ "completion mode 3", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC, 11, 0x0c,
	  SIM_VIO_wqe_reserved },
	{ "reserved in raddr", wqe_read, sizeof(wqe_read), MLX5_QP_ST_RC, 31, 1,
	  SIM_VIO_wqe_reserved },
	{ "no raddr", wqe_read, sizeof(wqe_read), MLX5_QP_ST_RC, 7, 1, SIM_VIO_wqe_size },
	{ "short AV", wqe_ud, sizeof(wqe_ud), MLX5_QP_ST_UD, 24, 0, SIM_VIO_wqe_segment },
	{ "no AV", wqe_ud, sizeof(wqe_ud), MLX5_QP_ST_UD, 7, 3, SIM_VIO_wqe_size },
	{ "inline beyond WQE", wqe_write_inline, sizeof(wqe_write_inline), MLX5_QP_ST_RC, 35,
	  0x0d, SIM_VIO_wqe_size },
	{ "inline too long", wqe_write_inline, sizeof(wqe_write_inline), MLX5_QP_ST_RC, 34, 4,
	  SIM_VIO_wqe_segment },
	{ "atomic of 9 bytes", wqe_cas, sizeof(wqe_cas), MLX5_QP_ST_RC, 51, 9,
	  SIM_VIO_wqe_segment },
	{ "inline into a read", wqe_read, sizeof(wqe_read), MLX5_QP_ST_RC, 32, 0x80,
	  SIM_VIO_wqe_segment },
	{ "inline into an atomic", wqe_cas, sizeof(wqe_cas), MLX5_QP_ST_RC, 48, 0x80,
	  SIM_VIO_wqe_segment },
	{ "atomic without operands", wqe_cas, sizeof(wqe_cas), MLX5_QP_ST_RC, 7, 2,
	  SIM_VIO_wqe_size },
	{ "UMR without segments", wqe_send, sizeof(wqe_send), MLX5_QP_ST_RC, 3, 0x25,
	  SIM_VIO_wqe_size },
};

KUNIT_ARRAY_PARAM_DESC(bad, bad_cases, name);

static void refused(struct kunit *test)
{
	const struct bad_case *c = test->param_value;
	struct sim_wqe *w = new_wqe(test);
	u8 bytes[128];

	memcpy(bytes, c->wqe, c->len);
	bytes[c->at] = c->val;
	KUNIT_EXPECT_EQ(test, decode(w, bytes, c->len, c->st), c->vio);
}

static void no_count_is_all(struct kunit *test)
{
	struct sim_wqe *w = new_wqe(test);
	u8 bytes[sizeof(wqe_send)];

	memcpy(bytes, wqe_send, sizeof(bytes));
	memset(bytes + 16, 0, 4);
	KUNIT_ASSERT_EQ(test, decode(w, bytes, sizeof(bytes), MLX5_QP_ST_RC), SIM_WQE_OK);
	KUNIT_EXPECT_EQ(test, w->seg[1].len, 0x80000000U);
	KUNIT_EXPECT_EQ(test, w->len, 0x80000040ULL);
}

/* ---- receive ---- */

static const u8 rwqe_bytes[] = {
	0, 0, 0x10, 0, 0, 0, 7, 1, 0x11, 2, 3, 4, 5, 6, 7, 8,
	0, 0, 0x02, 0, 0, 0, 7, 2, 0x22, 2, 3, 4, 5, 6, 7, 8,
	0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,	/* the invalid lkey */
	0, 0, 0x30, 0, 0, 0, 7, 3, 0x33, 2, 3, 4, 5, 6, 7, 8,
};

static void receive_ends_at_invalid_lkey(struct kunit *test)
{
	struct sim_rwqe *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	memcpy(r->buf, rwqe_bytes, sizeof(rwqe_bytes));
	KUNIT_ASSERT_EQ(test, sim_rwqe_decode(r, 0, sizeof(rwqe_bytes), 0x100), 0);
	KUNIT_EXPECT_EQ(test, r->nseg, 2);
	KUNIT_EXPECT_EQ(test, r->space, 0x1200);
	KUNIT_EXPECT_EQ(test, r->seg[1].key, 0x702);
	KUNIT_EXPECT_EQ(test, r->seg[1].va, 0x2202030405060708ULL);

	/* decode from byte 16: an SRQ WQE begins with a 16-byte link segment */
	KUNIT_ASSERT_EQ(test, sim_rwqe_decode(r, 16, sizeof(rwqe_bytes), 0x100), 0);
	KUNIT_EXPECT_EQ(test, r->space, 0x200);

	/* a device that reports another invalid lkey */
	KUNIT_ASSERT_EQ(test, sim_rwqe_decode(r, 0, sizeof(rwqe_bytes), 0x702), 0);
	KUNIT_EXPECT_EQ(test, r->space, 0x1000);
}

static void receive_refuses_inline(struct kunit *test)
{
	struct sim_rwqe *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	memcpy(r->buf, rwqe_bytes, sizeof(rwqe_bytes));
	r->buf[0] = 0x80;
	KUNIT_EXPECT_EQ(test, sim_rwqe_decode(r, 0, sizeof(rwqe_bytes), 0x100), -EINVAL);
	memset(r->buf + 1, 0, 3);
	KUNIT_EXPECT_EQ(test, sim_rwqe_decode(r, 0, sizeof(rwqe_bytes), 0x100), -EINVAL);
}

static struct kunit_case wqe_cases[] = {
	KUNIT_CASE(send_two_segments),
	KUNIT_CASE(xrc_names_the_srq),
	KUNIT_CASE(send_invalidate_fenced),
	KUNIT_CASE(write_inline),
	KUNIT_CASE(write_empty),
	KUNIT_CASE(compare_and_swap),
	KUNIT_CASE(datagram),
	KUNIT_CASE(datagram_with_leftovers),
	KUNIT_CASE(memory_copy),
	KUNIT_CASE(memory_copy_of_all),
	KUNIT_CASE(dc_atomic),
	KUNIT_CASE_PARAM(every_byte_counts, flip_gen_params),
	KUNIT_CASE_PARAM(refused, bad_gen_params),
	KUNIT_CASE(no_count_is_all),
	KUNIT_CASE(receive_ends_at_invalid_lkey),
	KUNIT_CASE(receive_refuses_inline),
	{}
};

static struct kunit_suite wqe_suite = {
	.name = "sim_wqe",
	.test_cases = wqe_cases,
};

kunit_test_suite(wqe_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's WQE decoder");
MODULE_LICENSE("Dual BSD/GPL");
