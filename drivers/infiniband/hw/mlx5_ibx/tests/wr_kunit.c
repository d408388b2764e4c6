// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of builders and setters: the WQEs that they write at each
 * position of the ring, and chains that are not posted because of an error.
 *
 * The vectors are structures of mlx5dv.h of rdma-core, filled in by hand as
 * mlx5dv_wr_mkey_configure(3) and ibv_wr_post(3) describe:
 * mlx5_wqe_ctrl_seg, mlx5_wqe_umr_ctrl_seg, mlx5_wqe_mkey_context_seg,
 * mlx5_wqe_data_seg, mlx5_wqe_umr_repeat_block_seg and
 * mlx5_wqe_umr_repeat_ent_seg, and for DCIs mlx5_wqe_av; mlx5_mmo_wqe is from
 * wqe.h of rdma-core. An invalidation differs from the invalidation of mlx5_ib
 * in its mask, which also has the fields in which a configuration stores access
 * and length.
 */

#include "dv/mkey.h"
#include "kunit.h"

#define LKEY	0x00c0ffee

struct wr_case {
	const char *name;
	enum ib_qp_type type;
	unsigned int flags;
	void (*build)(struct kt *kt);
	const char *hex;
};

static struct ibx_mkey mkey = {
	.dv = { KT_MKEY, KT_MKEY }, .key = KT_MKEY, .has.max_entries = 8,
};

static struct mlx5dv_qp_ex *mqp(struct kt *kt)
{
	return &kt->qp->dv;
}

static struct ib_qp_ex *qpx(struct kt *kt)
{
	return &kt->qp->dv.qp_ex;
}

static void send_one(struct kt *kt)
{
	ib_wr_send(qpx(kt));
	ib_wr_set_sge(qpx(kt), LKEY, 0x1122334455667788, 0x40);
}

static void send_imm_inline(struct kt *kt)
{
	ib_wr_send_imm(qpx(kt), cpu_to_be32(0xa1b2c3d4));
	ib_wr_set_inline_data(qpx(kt), "\x01\x02\x03\x04\x05", 5);
}

static void send_inv_none(struct kt *kt)
{
	ib_wr_send_inv(qpx(kt), 0x00abcdef);
	ib_wr_set_sge_list(qpx(kt), 0, NULL);
}

static void write_two(struct kt *kt)
{
	const struct ib_sge sges[2] = { { 0x1000, 0x10, LKEY }, { 0x2000, 0x20, LKEY } };

	ib_wr_rdma_write(qpx(kt), 0x00bbbb01, 0x8877665544332211);
	ib_wr_set_sge_list(qpx(kt), 2, sges);
}

static void cmp_swp(struct kt *kt)
{
	ib_wr_atomic_cmp_swp(qpx(kt), 0x00bbbb01, 0x1000, 0x0102030405060708,
			     0x1112131415161718);
	ib_wr_set_sge(qpx(kt), LKEY, 0x2000, 8);
}

static void fetch_add(struct kt *kt)
{
	ib_wr_atomic_fetch_add(qpx(kt), 0x00bbbb01, 0x1000, 0x1112131415161718);
	ib_wr_set_sge(qpx(kt), LKEY, 0x2000, 8);
}

static void local_inv(struct kt *kt)
{
	ib_wr_local_inv(qpx(kt), KT_MKEY | 0x12);
}

static void begin_conf(struct kt *kt, u8 setters)
{
	const struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp(kt), &mkey.dv, setters, &attr);
}

static void conf_nothing(struct kt *kt)
{
	begin_conf(kt, 0);
}

static void conf_access(struct kt *kt)
{
	begin_conf(kt, 1);
	mlx5dv_wr_set_mkey_access_flags(mqp(kt), IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
					IB_ACCESS_REMOTE_ATOMIC);
}

/* the list in the example of the manual page */
static const struct ib_sge manual_list[] = {
	{ 0x0000700000001000, 64, LKEY }, { 0x0000700000002000, 4096, LKEY + 1 },
};

static void conf_list(struct kt *kt)
{
	begin_conf(kt, 2);
	mlx5dv_wr_set_mkey_access_flags(mqp(kt), IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_list(mqp(kt), 2, manual_list);
}

static void conf_list_first(struct kt *kt)
{
	begin_conf(kt, 2);
	mlx5dv_wr_set_mkey_layout_list(mqp(kt), 2, manual_list);
	mlx5dv_wr_set_mkey_access_flags(mqp(kt), IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
}

static void mr_list(struct kt *kt)
{
	mlx5dv_wr_mr_list(mqp(kt), &mkey.dv, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE, 2,
			  manual_list);
}

/* the interleaved layout in the example of the manual page */
static const struct mlx5dv_mr_interleaved manual_data[] = {
	{ 0x0000700000001000, 512, 4, LKEY }, { 0x0000700000002000, 8, 0, LKEY + 1 },
};

static void conf_interleaved(struct kt *kt)
{
	begin_conf(kt, 2);
	mlx5dv_wr_set_mkey_access_flags(mqp(kt), IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_interleaved(mqp(kt), 2, 2, manual_data);
}

static void mr_interleaved(struct kt *kt)
{
	mlx5dv_wr_mr_interleaved(mqp(kt), &mkey.dv,
				 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE, 2, 2,
				 manual_data);
}

/* a layout of two blocks, which wraps between the blocks or before both */
static void mr_strides(struct kt *kt)
{
	static const struct mlx5dv_mr_interleaved data[] = {
		{ 0x0000700000001000, 0x10, 4, LKEY }, { 0x0000700000002000, 0x20, 4, LKEY + 1 },
		{ 0x0000700000003000, 0x30, 4, LKEY + 2 },
		{ 0x0000700000004000, 0x40, 4, LKEY + 3 },
		{ 0x0000700000005000, 0x50, 4, LKEY + 4 },
	};

	kt->qp->sq.max_umr_inline = 8 * IBX_DS;
	mlx5dv_wr_mr_interleaved(mqp(kt), &mkey.dv,
				 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE, 3, 5, data);
}

static void conf_fetched(struct kt *kt)
{
	static struct mlx5dv_layout lay = { .dma = 0x00007000aaaa0000, .n = 5, .length = 0x50 };

	lay.dev = kt->dev;
	begin_conf(kt, 1);
	mlx5dv_wr_set_mkey_layout(mqp(kt), &lay);
}

static void copy_memory(struct kt *kt)
{
	kt->dev->mmo.max = BIT_ULL(31);
	kt->dev->mmo.opaque_dma = 0x0000600055550040;
	mlx5dv_wr_memcpy(mqp(kt), LKEY + 1, 0x0000700000002000, LKEY, 0x0000700000001000, 0x40);
}

static void copy_longest(struct kt *kt)
{
	kt->dev->mmo.max = BIT_ULL(31);
	kt->dev->mmo.opaque_dma = 0x0000600055550040;
	mlx5dv_wr_memcpy(mqp(kt), LKEY + 1, 0x2000, LKEY, 0x1000, BIT_ULL(31));
}

static struct ibx_ah dc_ah = {
	.av = {
		.stat_rate_sl = 0x02,
		.udp_sport = cpu_to_be16(0xc001),
		.rmac = { 0x02, 0x00, 0x00, 0x00, 0x00, 0x05 },
		.tclass = 0x02,
		.hop_limit = 0x40,
		.grh_gid_fl = cpu_to_be32(0x40300000),
		.rgid = { [10] = 0xff, 0xff, 0xc0, 0xa8, 0x00, 0x01 },
	},
};

static void dc_send(struct kt *kt)
{
	kt->qp->dc.streams = true;
	ib_wr_send(qpx(kt));
	mlx5dv_wr_set_dc_addr_stream(mqp(kt), &dc_ah.ibah, 0xabcdef, 0x112233440badc0de, 0x5a5);
	ib_wr_set_sge(qpx(kt), LKEY, 0x1122334455667788, 0x40);
}

static void dc_write(struct kt *kt)
{
	ib_wr_rdma_write_imm(qpx(kt), 0x00bbbb01, 0x8877665544332211, cpu_to_be32(0xa1b2c3d4));
	ib_wr_set_inline_data(qpx(kt), "\x01\x02\x03\x04\x05", 5);
	mlx5dv_wr_set_dc_addr(mqp(kt), &dc_ah.ibah, 0xabcdef, 0x112233440badc0de);
}

static void dc_fetch_add(struct kt *kt)
{
	ib_wr_atomic_fetch_add(qpx(kt), 0x00bbbb01, 0x1000, 0x1112131415161718);
	ib_wr_set_sge(qpx(kt), LKEY, 0x2000, 8);
	mlx5dv_wr_set_dc_addr(mqp(kt), &dc_ah.ibah, 0xabcdef, 0x112233440badc0de);
}

static void post_raw(struct kt *kt)
{
	/* the ring replaces the index and the signature */
	static const __be32 wqe[] = {
		cpu_to_be32(0x0199990a), cpu_to_be32(0x12345602), cpu_to_be32(0x77000008), 0,
		cpu_to_be32(0x40), cpu_to_be32(LKEY), 0, cpu_to_be32(0x1000),
	};

	KUNIT_EXPECT_EQ(kt->test, mlx5dv_wr_raw_wqe(mqp(kt), wqe), 0);
}

#define EMPTY_16	00000000000000000000000000000000
#define EMPTY_32	0000000000000000000000000000000000000000000000000000000000000000

static const char list_hex[] =
	HEX(00000025 1234560c 00000060 00abcd00
	    80000000 00040000 00000000203c2001 EMPTY_32
	    00003000 ffffff00 0000000000000000 0000000000000000 0000000000001040 EMPTY_32
	    00000040 00c0ffee 0000700000001000 00001000 00c0ffef 0000700000002000 EMPTY_32);

static const char interleaved_hex[] =
	HEX(00000025 1234560c 00000060 00abcd00
	    80000000 00040000 00000000203c2001 EMPTY_32
	    00003000 ffffff00 0000000000000000 0000000000000000 0000000000000410 EMPTY_32
	    00000208 00000400 00000002 0000 0002 0204 0200 00c0ffee 0000700000001000
	    0008 0008 00c0ffef 0000700000002000 EMPTY_16);

#define DC_AV									\
	HEX(112233440badc0de 80abcdef 02 00 c001 00000000 020000000005 02 40 40300000	\
	    00000000 00000000 0000ffff c0a80001)

static const struct wr_case wr_cases[] = {
	{ "SEND", IB_QPT_RC, IB_SEND_SIGNALED, send_one,
	  HEX(0000000a 12345602 00000008 00000000 00000040 00c0ffee 1122334455667788) },
	{ "SEND with immediate, inline", IB_QPT_RC, IB_SEND_SOLICITED, send_imm_inline,
	  HEX(0000000b 12345602 00000002 a1b2c3d4 80000005 0102030405 00000000000000) },
	{ "SEND with invalidate, no data", IB_QPT_RC, IB_SEND_FENCE, send_inv_none,
	  HEX(00000001 12345601 00000080 00abcdef) },
	{ "WRITE of two pieces", IB_QPT_RC, 0, write_two,
	  HEX(00000008 12345604 00000000 00000000 8877665544332211 00bbbb01 00000000
	      00000010 00c0ffee 0000000000001000 00000020 00c0ffee 0000000000002000) },
	{ "compare and swap", IB_QPT_RC, 0, cmp_swp,
	  HEX(00000011 12345604 00000000 00000000 0000000000001000 00bbbb01 00000000
	      1112131415161718 0102030405060708 00000008 00c0ffee 0000000000002000) },
	{ "fetch and add", IB_QPT_RC, 0, fetch_add,
	  HEX(00000012 12345604 00000000 00000000 0000000000001000 00bbbb01 00000000
	      1112131415161718 0000000000000000 00000008 00c0ffee 0000000000002000) },
	{ "local invalidate", IB_QPT_RC, 0, local_inv,
	  HEX(00000025 12345608 00000000 00abcd12 80000000 00000000 00000000203c0001 EMPTY_32
	      40000000 00000000 0000000000000000 EMPTY_16 EMPTY_32) },
	{ "configure nothing", IB_QPT_RC, IB_SEND_INLINE, conf_nothing,
	  HEX(00000025 12345608 00000060 00abcd00 80000000 00000000 0000000020002000 EMPTY_32
	      00000000 ffffff00 0000000000000000 EMPTY_16 EMPTY_32) },
	{ "configure access", IB_QPT_RC, IB_SEND_INLINE | IB_SEND_SIGNALED, conf_access,
	  HEX(00000025 12345608 00000068 00abcd00 80000000 00000000 00000000203c2000 EMPTY_32
	      00006800 ffffff00 0000000000000000 EMPTY_16 EMPTY_32) },
	{ "configure a list", IB_QPT_RC, IB_SEND_INLINE, conf_list, list_hex },
	{ "configure a list, then access", IB_QPT_RC, IB_SEND_INLINE, conf_list_first, list_hex },
	{ "mr_list", IB_QPT_RC, IB_SEND_INLINE, mr_list, list_hex },
	{ "configure interleaved", IB_QPT_RC, IB_SEND_INLINE, conf_interleaved, interleaved_hex },
	{ "mr_interleaved", IB_QPT_RC, IB_SEND_INLINE, mr_interleaved, interleaved_hex },
	{ "mr_interleaved, two blocks", IB_QPT_RC, IB_SEND_INLINE, mr_strides,
	  HEX(00000025 12345610 00000060 00abcd00
	      80000000 00080000 00000000203c2001 EMPTY_32
	      00003000 ffffff00 0000000000000000 0000000000000000 00000000000002d0 EMPTY_32
	      000000f0 00000400 00000003 0000 0005 0014 0010 00c0ffee 0000700000001000
	      0024 0020 00c0ffef 0000700000002000 0034 0030 00c0fff0 0000700000003000
	      0044 0040 00c0fff1 0000700000004000 0054 0050 00c0fff2 0000700000005000
	      EMPTY_32) },
	{ "configure, fetched", IB_QPT_RC, 0, conf_fetched,
	  HEX(00000025 12345609 00000060 00abcd00 00000000 00080000 0000000020002001 EMPTY_32
	      00000000 ffffff00 0000000000000000 0000000000000000 0000000000000050 EMPTY_32
	      00000080 00010203 00007000aaaa0000) },
	{ "memcpy", IB_QPT_RC, IB_SEND_SIGNALED, copy_memory,
	  HEX(0100002f 12345604 00000008 00000000 00000000 00010203 0000600055550040
	      00000040 00c0ffee 0000700000001000 00000040 00c0ffef 0000700000002000) },
	{ "memcpy of 2 GB", IB_QPT_RC, IB_SEND_FENCE, copy_longest,
	  HEX(0100002f 12345604 00000080 00000000 00000000 00010203 0000600055550040
	      00000000 00c0ffee 0000000000001000 00000000 00c0ffef 0000000000002000) },
	{ "SEND of a DCI, on a stream", IB_QPT_DRIVER, IB_SEND_SIGNALED, dc_send,
	  HEX(0000000a 12345605 0005a508 00000000) DC_AV
	  HEX(00000040 00c0ffee 1122334455667788) },
	{ "WRITE with immediate of a DCI, inline", IB_QPT_DRIVER, 0, dc_write,
	  HEX(00000009 12345606 00000000 a1b2c3d4) DC_AV
	  HEX(8877665544332211 00bbbb01 00000000 80000005 0102030405 00000000000000) },
	{ "fetch and add of a DCI", IB_QPT_DRIVER, 0, dc_fetch_add,
	  HEX(00000012 12345607 00000000 00000000) DC_AV
	  HEX(0000000000001000 00bbbb01 00000000 1112131415161718 0000000000000000
	      00000008 00c0ffee 0000000000002000) },
	{ "raw WQE", IB_QPT_RC, 0, post_raw,
	  HEX(0100000a 12345602 00000008 00000000 00000040 00c0ffee 0000000000001000) },
};

static void wr_desc(const struct wr_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s (mlx5dv.h)", c->name);
}

KUNIT_ARRAY_PARAM(wr, wr_cases, wr_desc);

static void wr_vectors(struct kunit *test)
{
	const struct wr_case *c = test->param_value;
	struct kt *kt = kt_create(test, c->type);
	u16 pos;

	kt->qp->sq.umr_fence = MLX5_FENCE_MODE_STRONG_ORDERING;
	for (pos = 0xffff - KT_BBS; pos != KT_BBS; pos++) {
		kt_rewind(kt, pos);
		qpx(kt)->wr_id = 7;
		qpx(kt)->wr_flags = c->flags;
		KUNIT_ASSERT_EQ(test, ib_wr_start(qpx(kt)), 0);
		c->build(kt);
		KUNIT_ASSERT_EQ(test, ib_wr_complete(qpx(kt)), 0);
		kt_expect_wqe(kt, c->name, c->hex, pos);
	}
}

/* an aborted chain changes neither ring indices nor shadow entries */
static void wr_dropped(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_sq *sq = &kt->qp->sq;
	u32 i;

	KUNIT_ASSERT_EQ(test, ib_wr_start(qpx(kt)), 0);
	send_one(kt);
	write_two(kt);
	send_one(kt);
	ib_wr_abort(qpx(kt));
	KUNIT_EXPECT_EQ(test, sq->cur_post, 0);
	KUNIT_EXPECT_EQ(test, sq->head, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), 0);
	for (i = 0; i < KT_BBS; i++)
		KUNIT_EXPECT_EQ(test, sq->shadow[i].seq, 0);
	KUNIT_EXPECT_EQ(test, ib_wr_start(qpx(kt)), 0);
	ib_wr_abort(qpx(kt));
}

/* a chain with an error changes neither ring indices nor shadow entries */
static void wr_spoiled(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_sq *sq = &kt->qp->sq;

	KUNIT_ASSERT_EQ(test, ib_wr_start(qpx(kt)), 0);
	send_one(kt);
	ib_wr_send(qpx(kt));
	KUNIT_EXPECT_EQ(test, ib_wr_complete(qpx(kt)), -EINVAL);
	KUNIT_EXPECT_EQ(test, sq->cur_post, 0);
	KUNIT_EXPECT_EQ(test, sq->head, 0);
	KUNIT_EXPECT_EQ(test, sq->shadow[0].seq, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), 0);
}

/* one setter more than the builder has announced writes no byte */
static void wr_too_many(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	u32 i;

	qpx(kt)->wr_flags = IB_SEND_INLINE;
	KUNIT_ASSERT_EQ(test, ib_wr_start(qpx(kt)), 0);
	begin_conf(kt, 1);
	mlx5dv_wr_set_mkey_access_flags(mqp(kt), IB_ACCESS_REMOTE_READ);
	mlx5dv_wr_set_mkey_layout_list(mqp(kt), 2, manual_list);
	KUNIT_EXPECT_EQ(test, ib_wr_complete(qpx(kt)), -EINVAL);
	for (i = 2 * IBX_BB; i < KT_BBS * IBX_BB; i++)
		KUNIT_EXPECT_EQ_MSG(test, kt->sq_ring[i], POISON, "byte %u", i);
}

static void expect_nothing_posted(struct kt *kt)
{
	struct ibx_sq *sq = &kt->qp->sq;

	KUNIT_EXPECT_EQ(kt->test, sq->cur_post, 0);
	KUNIT_EXPECT_EQ(kt->test, sq->head, 0);
	KUNIT_EXPECT_EQ(kt->test, sq->shadow[0].seq, 0);
	KUNIT_EXPECT_EQ(kt->test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), 0);
}

/* no chain is started, and the QP can post again */
static void expect_usable(struct kt *kt)
{
	KUNIT_ASSERT_EQ(kt->test, ib_wr_start(qpx(kt)), 0);
	send_one(kt);
	KUNIT_EXPECT_EQ(kt->test, ib_wr_complete(qpx(kt)), 0);
	KUNIT_EXPECT_EQ(kt->test, kt->qp->sq.cur_post, 1);
	KUNIT_EXPECT_EQ(kt->test, kt->qp->sq.head, 1);
}

/* a caller that ignores -EBUSY cannot add to the started chain or post it */
static void wr_busy_ignored(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	static const __be32 wqe[4] = { 0, cpu_to_be32(1) };
	u32 i;

	KUNIT_ASSERT_EQ(test, ib_wr_start(qpx(kt)), 0);
	send_one(kt);
	KUNIT_EXPECT_EQ(test, ib_wr_start(qpx(kt)), -EBUSY);
	write_two(kt);
	KUNIT_EXPECT_EQ(test, mlx5dv_wr_raw_wqe(mqp(kt), wqe), -EBUSY);
	KUNIT_EXPECT_EQ(test, ib_wr_complete(qpx(kt)), -EBUSY);
	/* calls of the caller that has started the chain */
	send_one(kt);
	KUNIT_EXPECT_EQ(test, mlx5dv_wr_raw_wqe(mqp(kt), wqe), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_wr_complete(qpx(kt)), -EINVAL);

	expect_nothing_posted(kt);
	for (i = IBX_BB; i < KT_BBS * IBX_BB; i++)
		KUNIT_EXPECT_EQ_MSG(test, kt->sq_ring[i], POISON, "byte %u", i);
	expect_usable(kt);
}

/*
 * A caller that ignores -EBUSY, and calls only setters that the builder of the
 * started chain still needs, cannot complete the chain.
 */
static void wr_busy_setters(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);

	KUNIT_ASSERT_EQ(test, ib_wr_start(qpx(kt)), 0);
	ib_wr_send(qpx(kt));
	KUNIT_EXPECT_EQ(test, ib_wr_start(qpx(kt)), -EBUSY);
	ib_wr_set_sge(qpx(kt), LKEY, 0, 8);
	ib_wr_abort(qpx(kt));
	ib_wr_set_sge(qpx(kt), LKEY, 0, 8);
	KUNIT_EXPECT_EQ(test, ib_wr_complete(qpx(kt)), -EINVAL);
	expect_nothing_posted(kt);
	expect_usable(kt);
}

/* if a second caller returns on -EBUSY, the first cannot post its chain */
static void wr_busy_checked(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);

	KUNIT_ASSERT_EQ(test, ib_wr_start(qpx(kt)), 0);
	send_one(kt);
	KUNIT_EXPECT_EQ(test, ib_wr_start(qpx(kt)), -EBUSY);
	send_one(kt);
	KUNIT_EXPECT_EQ(test, ib_wr_complete(qpx(kt)), -EBUSY);
	expect_nothing_posted(kt);
	expect_usable(kt);
}

/* a started chain on another QP is not affected */
static void wr_busy_other(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC), *other = kt_create(test, IB_QPT_RC);

	KUNIT_ASSERT_EQ(test, ib_wr_start(qpx(kt)), 0);
	KUNIT_EXPECT_EQ(test, ib_wr_start(qpx(other)), -EBUSY);
	send_one(other);
	KUNIT_EXPECT_EQ(test, ib_wr_complete(qpx(other)), -EINVAL);
	ib_wr_abort(qpx(other));
	send_one(kt);
	KUNIT_EXPECT_EQ(test, ib_wr_complete(qpx(kt)), 0);
	KUNIT_EXPECT_EQ(test, kt->qp->sq.cur_post, 1);
	expect_nothing_posted(other);
	expect_usable(other);
}

/* the WQE after a configuration has a fence, unless the configuration was aborted */
static void wr_fences(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct mlx5_wqe_ctrl_seg *ctrl;

	qpx(kt)->wr_flags = IB_SEND_INLINE;
	KUNIT_ASSERT_EQ(test, ib_wr_start(qpx(kt)), 0);
	conf_nothing(kt);
	ib_wr_abort(qpx(kt));
	KUNIT_EXPECT_EQ(test, kt->qp->sq.next_fence, 0);

	KUNIT_ASSERT_EQ(test, ib_wr_start(qpx(kt)), 0);
	conf_nothing(kt);
	send_one(kt);
	send_one(kt);
	KUNIT_ASSERT_EQ(test, ib_wr_complete(qpx(kt)), 0);
	ctrl = (void *)kt->sq_ring + 2 * IBX_BB;
	KUNIT_EXPECT_EQ(test, ctrl->fm_ce_se, MLX5_FENCE_MODE_INITIATOR_SMALL);
	ctrl = (void *)kt->sq_ring + 3 * IBX_BB;
	KUNIT_EXPECT_EQ(test, ctrl->fm_ce_se, 0);
}

/* @prepared: a prepared layout, else a list; @flags: inline or not */
static int conf_flagged(struct kt *kt, bool prepared, unsigned int flags)
{
	static u8 entry[IBX_BB] __aligned(IBX_BB) = { 0x12, 0x34 };
	static struct mlx5dv_layout lay = {
		.buf = entry, .dma = 0x00007000aaaa0000, .n = 1, .length = 0x50,
	};

	lay.dev = kt->dev;
	kt_rewind(kt, 0);
	qpx(kt)->wr_flags = flags;
	KUNIT_ASSERT_EQ(kt->test, ib_wr_start(qpx(kt)), 0);
	begin_conf(kt, 1);
	/* wr_flags for the next builder, which do not apply to the setters */
	qpx(kt)->wr_flags = flags ^ IB_SEND_INLINE;
	if (prepared)
		mlx5dv_wr_set_mkey_layout(mqp(kt), &lay);
	else
		mlx5dv_wr_set_mkey_layout_list(mqp(kt), 1, manual_list);
	return ib_wr_complete(qpx(kt));
}

/* the flags of a WQE are the wr_flags at the builder, not at its setters */
static void wr_flags_of_builder(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	const u8 *layout = kt->sq_ring + 2 * IBX_BB;

	KUNIT_EXPECT_EQ(test, conf_flagged(kt, false, IB_SEND_INLINE), 0);
	kt_expect_bytes(test, "list", layout, HEX(00000040 00c0ffee 0000700000001000));
	KUNIT_EXPECT_EQ(test, conf_flagged(kt, false, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, conf_flagged(kt, true, IB_SEND_INLINE), 0);
	kt_expect_bytes(test, "copy of a layout", layout, HEX(12340000));
	KUNIT_EXPECT_EQ(test, conf_flagged(kt, true, 0), 0);
	kt_expect_bytes(test, "address of a layout", layout,
			HEX(00000040 00010203 00007000aaaa0000));
}

/* a chain with all kinds of builders fails with @err, and writes no byte */
static void expect_refused(struct kt *kt, int err)
{
	static const __be32 wqe[4] = { 0, cpu_to_be32(1) };
	u32 i;

	qpx(kt)->wr_flags = IB_SEND_INLINE;
	KUNIT_ASSERT_EQ(kt->test, ib_wr_start(qpx(kt)), 0);
	conf_list(kt);
	send_one(kt);
	local_inv(kt);
	KUNIT_EXPECT_EQ(kt->test, mlx5dv_wr_raw_wqe(mqp(kt), wqe), err);
	KUNIT_EXPECT_EQ(kt->test, ib_wr_complete(qpx(kt)), err);
	expect_nothing_posted(kt);
	for (i = 0; i < KT_BBS * IBX_BB; i++)
		KUNIT_EXPECT_EQ_MSG(kt->test, kt->sq_ring[i], POISON, "byte %u", i);
}

/* a QP in a state in which it cannot post */
static void wr_refused(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);

	kt->qp->state = IB_QPS_RESET;
	expect_refused(kt, -EINVAL);
	kt->qp->state = IB_QPS_RTR;
	expect_refused(kt, -EINVAL);
	kt->qp->state = IB_QPS_RTS;
	kt->mdev->state = MLX5_DEVICE_STATE_INTERNAL_ERROR;
	expect_refused(kt, -EIO);
	kt->mdev->state = MLX5_DEVICE_STATE_UP;
	qpx(kt)->wr_flags = 0;
	expect_usable(kt);
}

static int post_atomic(struct kt *kt, struct ib_atomic_wr *wr, enum ib_wr_opcode opcode, u32 len)
{
	struct ib_sge sge = { 0x2000, len, LKEY };

	wr->wr.opcode = opcode;
	wr->wr.sg_list = &sge;
	wr->wr.num_sge = 1;
	return ibx_post_send(&kt->qp->ibqp, &wr->wr, &(const struct ib_send_wr *){ NULL });
}

/*
 * ib_post_send() writes the same atomics as the builder, on a device that
 * supports atomics.
 */
static void wr_atomics_posted(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_atomic_wr wr = {
		.remote_addr = 0x1000, .rkey = 0x00bbbb01, .compare_add = 0x0102030405060708,
		.swap = 0x1112131415161718,
	};

	KUNIT_EXPECT_EQ(test, post_atomic(kt, &wr, IB_WR_ATOMIC_CMP_AND_SWP, 8), -EOPNOTSUPP);
	kt->dev->ibdev.attrs.atomic_cap = IB_ATOMIC_HCA;
	KUNIT_EXPECT_EQ(test, post_atomic(kt, &wr, IB_WR_ATOMIC_CMP_AND_SWP, 4), -EINVAL);
	wr.wr.send_flags = IB_SEND_INLINE;
	KUNIT_EXPECT_EQ(test, post_atomic(kt, &wr, IB_WR_ATOMIC_CMP_AND_SWP, 8), -EINVAL);
	wr.wr.send_flags = 0;
	expect_nothing_posted(kt);
	KUNIT_EXPECT_EQ(test, post_atomic(kt, &wr, IB_WR_MASKED_ATOMIC_CMP_AND_SWP, 8),
			-EOPNOTSUPP);
	expect_nothing_posted(kt);
	KUNIT_ASSERT_EQ(test, post_atomic(kt, &wr, IB_WR_ATOMIC_CMP_AND_SWP, 8), 0);
	kt_expect_bytes(test, "compare and swap", kt->sq_ring,
			HEX(00000011 12345604 00000000 00000000 0000000000001000 00bbbb01 00000000
			    1112131415161718 0102030405060708
			    00000008 00c0ffee 0000000000002000));
	KUNIT_ASSERT_EQ(test, post_atomic(kt, &wr, IB_WR_ATOMIC_FETCH_AND_ADD, 8), 0);
	kt_expect_bytes(test, "fetch and add", kt->sq_ring + IBX_BB,
			HEX(00000112 12345604 00000000 00000000 0000000000001000 00bbbb01 00000000
			    0102030405060708 0000000000000000
			    00000008 00c0ffee 0000000000002000));
}

static int send_ud(struct kt *kt, u32 qpn)
{
	KUNIT_ASSERT_EQ(kt->test, ib_wr_start(qpx(kt)), 0);
	send_one(kt);
	ib_wr_set_ud_addr(qpx(kt), &dc_ah.ibah, qpn, 0x11112222);
	return ib_wr_complete(qpx(kt));
}

/* a QP number has 24 bits, as the number of a DCT has */
static void wr_long_qpn(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_UD);

	KUNIT_EXPECT_EQ(test, send_ud(kt, BIT(24)), -EINVAL);
	KUNIT_EXPECT_EQ(test, send_ud(kt, ~0), -EINVAL);
	expect_nothing_posted(kt);
	KUNIT_EXPECT_EQ(test, send_ud(kt, BIT(24) - 1), 0);
}

static struct kunit_case wr_tests[] = {
	KUNIT_CASE_PARAM(wr_vectors, wr_gen_params),
	KUNIT_CASE(wr_dropped),
	KUNIT_CASE(wr_spoiled),
	KUNIT_CASE(wr_too_many),
	KUNIT_CASE(wr_busy_ignored),
	KUNIT_CASE(wr_busy_setters),
	KUNIT_CASE(wr_busy_checked),
	KUNIT_CASE(wr_busy_other),
	KUNIT_CASE(wr_fences),
	KUNIT_CASE(wr_flags_of_builder),
	KUNIT_CASE(wr_refused),
	KUNIT_CASE(wr_atomics_posted),
	KUNIT_CASE(wr_long_qpn),
	{}
};

static struct kunit_suite wr_suite = {
	.name = "mlx5_ibx_wr",
	.test_cases = wr_tests,
};

kunit_test_suite(wr_suite);
