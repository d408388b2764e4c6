// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UMR on a table of mkeys.
 *
 * The segments are equal to the segments that stock mlx5_ib posts for
 * IB_WR_REG_MR (inline list), IB_WR_LOCAL_INV and the revocation by its UMR QP.
 * The suite builds the segments from struct mlx5_wqe_umr_ctrl_seg
 * (<linux/mlx5/qp.h>), struct mlx5_mkey_seg and masks (<linux/mlx5/device.h>).
 */
#include <kunit/test.h>

#include "core/core.h"
#include "dp/dp.h"
#include "obj/caps.h"
#include "obj/obj.h"
#include "tests/dp_stubs.h"

#define INDEX	5

struct umr_ctx {
	struct sim_dev *sdev;
	struct sim_qp *qp;
	struct sim_wqe *wqe;
	struct mlx5_wqe_umr_ctrl_seg *umr;
	struct mlx5_mkey_seg *seg;
	struct sim_mkey mkey;
	struct sim_pd pd;
	u64 mtt[16];
};

static void post(struct umr_ctx *c, u32 key, u32 xlt_bytes)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)c->wqe->buf;
	u32 size = sizeof(*ctrl) + sizeof(*c->umr) + sizeof(*c->seg) + xlt_bytes;

	ctrl->opmod_idx_opcode = cpu_to_be32(MLX5_OPCODE_UMR);
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(c->qp) << 8 | size / 16);
	ctrl->fm_ce_se = MLX5_WQE_CTRL_CQ_UPDATE;
	ctrl->imm = cpu_to_be32(key);
}

static int run(struct umr_ctx *c)
{
	const char *why;

	if (sim_wqe_decode_ctrl(c->wqe, sim_qp_qpn(c->qp), 0, &why) != SIM_WQE_OK ||
	    sim_wqe_decode(c->wqe, c->qp->st, &why) != SIM_WQE_OK)
		return -EINVAL;
	return sim_umr(c->sdev, c->qp, c->wqe);
}

/* Posts IB_WR_REG_MR of two pages with key 0x502 and the list in the WQE. */
static void post_reg(struct umr_ctx *c)
{
	__be64 *mtt = (__be64 *)(c->seg + 1);

	memset(c->wqe, 0, sizeof(*c->wqe));
	post(c, INDEX << 8 | 2, 64);
	c->umr->flags = MLX5_UMR_INLINE | MLX5_UMR_CHECK_NOT_FREE;
	c->umr->xlt_octowords = cpu_to_be16(4);
	c->umr->mkey_mask =
		cpu_to_be64(MLX5_MKEY_MASK_LEN | MLX5_MKEY_MASK_PAGE_SIZE |
			    MLX5_MKEY_MASK_START_ADDR | MLX5_MKEY_MASK_EN_RINVAL |
			    MLX5_MKEY_MASK_KEY | MLX5_MKEY_MASK_LR | MLX5_MKEY_MASK_LW |
			    MLX5_MKEY_MASK_RR | MLX5_MKEY_MASK_RW | MLX5_MKEY_MASK_SMALL_FENCE |
			    MLX5_MKEY_MASK_FREE);
	c->seg->flags = MLX5_PERM_LOCAL_READ | MLX5_PERM_LOCAL_WRITE | MLX5_PERM_REMOTE_WRITE |
			MLX5_PERM_UMR_EN | SIM_MKEY_MTT;
	c->seg->qpn_mkey7_0 = cpu_to_be32(0xffffff02);
	c->seg->flags_pd = cpu_to_be32(MLX5_MKEY_REMOTE_INVAL);
	c->seg->start_addr = cpu_to_be64(0x7000123);
	c->seg->len = cpu_to_be64(0x1100);
	c->seg->xlt_oct_size = cpu_to_be32(4);
	c->seg->log2_page_size = 12;
	mtt[0] = cpu_to_be64(0xaaaa000 | 3);
	mtt[1] = cpu_to_be64(0xbbbb000 | 3);
}

static void post_inv(struct umr_ctx *c, u32 key)
{
	memset(c->wqe, 0, sizeof(*c->wqe));
	post(c, key, 0);
	c->umr->flags = MLX5_UMR_INLINE;
	c->umr->mkey_mask = cpu_to_be64(MLX5_MKEY_MASK_FREE);
	c->seg->status = MLX5_MKEY_STATUS_FREE;
}

static int umr_init(struct kunit *test)
{
	struct umr_ctx *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->sdev = kunit_kzalloc(test, sizeof(*c->sdev), GFP_KERNEL);
	c->qp = kunit_kzalloc(test, sizeof(*c->qp), GFP_KERNEL);
	c->wqe = kunit_kzalloc(test, sizeof(*c->wqe), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c->sdev);
	KUNIT_ASSERT_NOT_NULL(test, c->qp);
	KUNIT_ASSERT_NOT_NULL(test, c->wqe);
	c->umr = (void *)(c->wqe->buf + sizeof(struct mlx5_wqe_ctrl_seg));
	c->seg = (void *)(c->umr + 1);
	c->qp->obj.id = 0x99;
	c->qp->st = MLX5_QP_ST_REG_UMR;
	c->qp->fre = true;
	c->mkey = (struct sim_mkey) {
		.obj.id = INDEX, .variant = 1, .mode = SIM_MKEY_MTT, .free = true, .umr_en = true,
		.access = SIM_MKEY_LR | SIM_MKEY_RR, .access_made = SIM_MKEY_LR | SIM_MKEY_RR,
		.qpn = SIM_ANY_QPN, .log_page_size = 12, .xlt_octwords = 8, .mtt = c->mtt,
	};
	sim_dp_stub_reset();
	sim_dp_stub.mkey[0] = &c->mkey;
	test->priv = c;
	KUNIT_ASSERT_EQ(test, sim_caps_init(c->sdev), 0);
	KUNIT_ASSERT_EQ(test, sim_umr_init(c->sdev), 0);
	return 0;
}

static void umr_exit(struct kunit *test)
{
	struct umr_ctx *c = test->priv;

	if (!c)
		return;
	sim_umr_exit(c->sdev);
	sim_caps_exit(c->sdev);
}

static void registers_and_invalidates(struct kunit *test)
{
	struct umr_ctx *c = test->priv;
	struct sim_mkey *m = &c->mkey;

	post_reg(c);
	KUNIT_ASSERT_EQ(test, run(c), 0);
	KUNIT_EXPECT_FALSE(test, m->free);
	KUNIT_EXPECT_EQ(test, m->variant, 2);
	KUNIT_EXPECT_EQ(test, m->access, SIM_MKEY_LR | SIM_MKEY_LW | SIM_MKEY_RW);
	KUNIT_EXPECT_TRUE(test, m->rinval_en);
	KUNIT_EXPECT_EQ(test, m->start, 0x7000123);
	KUNIT_EXPECT_EQ(test, m->len, 0x1100);
	KUNIT_EXPECT_EQ(test, m->mtt[0], 0xaaaa000);
	KUNIT_EXPECT_EQ(test, m->mtt[1], 0xbbbb000);
	KUNIT_EXPECT_EQ(test, m->xlt_used, 4);
	KUNIT_EXPECT_EQ(test, c->sdev->ctr[SIM_CTR_registrations], 1);
	KUNIT_EXPECT_EQ(test, c->sdev->ctr[SIM_CTR_registrations_remote_write], 1);
	KUNIT_EXPECT_EQ(test, c->sdev->ctr[SIM_CTR_registrations_remote_read], 0);
	KUNIT_EXPECT_EQ(test, c->sdev->ctr[SIM_CTR_registrations_remote_both], 0);
	KUNIT_EXPECT_EQ(test, c->sdev->ctr[SIM_CTR_desc_inline], 1);

	post_inv(c, INDEX << 8 | 2);
	KUNIT_ASSERT_EQ(test, run(c), 0);
	KUNIT_EXPECT_TRUE(test, m->free);
	KUNIT_EXPECT_EQ(test, m->variant, 2);
	KUNIT_EXPECT_EQ(test, c->sdev->ctr[SIM_CTR_invalidations], 1);
	/* only the settings from the creation of the key are inherited */
	KUNIT_EXPECT_EQ(test, m->access, SIM_MKEY_LR | SIM_MKEY_RR);
	KUNIT_EXPECT_EQ(test, m->len, 0);
	KUNIT_EXPECT_EQ(test, m->xlt_used, 0);

	/* a second invalidation succeeds, and is not counted */
	KUNIT_ASSERT_EQ(test, run(c), 0);
	KUNIT_EXPECT_EQ(test, c->sdev->ctr[SIM_CTR_invalidations], 1);
}

static void only_masked_fields_change(struct kunit *test)
{
	struct umr_ctx *c = test->priv;
	struct sim_mkey before;

	post_reg(c);
	c->umr->mkey_mask = cpu_to_be64(MLX5_MKEY_MASK_LEN);
	post(c, INDEX << 8 | 1, 64);
	before = c->mkey;
	KUNIT_ASSERT_EQ(test, run(c), 0);
	KUNIT_EXPECT_EQ(test, c->mkey.len, 0x1100);
	before.len = c->mkey.len;
	before.xlt_used = c->mkey.xlt_used;
	KUNIT_EXPECT_MEMEQ(test, &c->mkey, &before, sizeof(before));
}

/*
 * Relaxed ordering of reads and of writes have separate mask bits, as in
 * get_umr_update_access_mask() of mlx5_ib.
 */
static void ordering_changes(struct kunit *test)
{
	struct umr_ctx *c = test->priv;
	static const struct { u64 mask; u8 pci; } tries[] = {
		{ MLX5_MKEY_MASK_RELAXED_ORDERING_WRITE, SIM_MKEY_RO_WRITE },
		{ MLX5_MKEY_MASK_RELAXED_ORDERING_READ, SIM_MKEY_RO_READ },
	};
	void *page = sim_caps_page(c->sdev, MLX5_CAP_GENERAL, false);
	int i;

	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		MLX5_SET(cmd_hca_cap, page, relaxed_ordering_write_umr, 0);
		MLX5_SET(cmd_hca_cap, page, relaxed_ordering_read_umr, 0);
		post_reg(c);
		c->umr->flags = MLX5_UMR_INLINE;
		c->umr->mkey_mask |= cpu_to_be64(tries[i].mask);
		MLX5_SET(mkc, c->seg, relaxed_ordering_write, 1);
		MLX5_SET(mkc, c->seg, relaxed_ordering_read, 1);
		KUNIT_EXPECT_EQ(test, run(c), MLX5_CQE_SYNDROME_MW_BIND_ERR);
		KUNIT_EXPECT_EQ(test, c->mkey.pci, 0);
		MLX5_SET(cmd_hca_cap, page, relaxed_ordering_write_umr, 1);
		MLX5_SET(cmd_hca_cap, page, relaxed_ordering_read_umr, 1);
		KUNIT_EXPECT_EQ(test, run(c), 0);
		KUNIT_EXPECT_EQ(test, c->mkey.pci, tries[i].pci);
		MLX5_SET(mkc, c->seg, relaxed_ordering_write, 0);
		MLX5_SET(mkc, c->seg, relaxed_ordering_read, 0);
		KUNIT_EXPECT_EQ(test, run(c), 0);
		KUNIT_EXPECT_EQ(test, c->mkey.pci, 0);
	}
}

/*
 * libmlx5 frees a window that is bound to this QP, or to no QP. The unused
 * fields of the mkey segment contain values of an earlier WQE.
 */
static void check_of_the_qp(struct kunit *test)
{
	struct umr_ctx *c = test->priv;
	static const struct { u32 qpn; int vio; } tries[] = {
		{ 0x98, 1 }, { 0x99, 0 }, { SIM_ANY_QPN, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		c->mkey.free = false;
		c->mkey.qpn = tries[i].qpn;
		post_inv(c, INDEX << 8 | 1);
		memset(c->seg, 0xaa, sizeof(*c->seg));
		c->seg->status = MLX5_MKEY_STATUS_FREE;
		c->seg->qpn_mkey7_0 = cpu_to_be32(0xffffff01);
		c->umr->flags |= MLX5_UMR_TRANSLATION_OFFSET_EN | BIT(3);
		c->umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_KEY | MLX5_MKEY_MASK_QPN);
		KUNIT_EXPECT_EQ(test, !!run(c), tries[i].vio);
		KUNIT_EXPECT_EQ(test, c->mkey.free, !tries[i].vio);
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_umr_state], tries[i].vio);
		sim_dp_stub.vio[SIM_VIO_umr_state] = 0;
	}
	KUNIT_EXPECT_EQ(test, c->mkey.qpn, SIM_ANY_QPN);
}

/*
 * Posts a UMR with a strided pattern of three laps of two blocks. The pattern
 * has three entries and is padded to four entries; the key has space for eight
 * entries.
 */
static void post_pattern(struct umr_ctx *c)
{
	struct mlx5_stride_block_ctrl_seg *head = (void *)(c->seg + 1);
	struct mlx5_stride_block_entry *block = (void *)(head + 1);

	memset(c->wqe, 0, sizeof(*c->wqe));
	post(c, INDEX << 8 | 1, 64);
	c->umr->flags = MLX5_UMR_INLINE;
	c->umr->xlt_octowords = cpu_to_be16(4);
	c->umr->mkey_mask = cpu_to_be64(MLX5_MKEY_MASK_LEN | MLX5_MKEY_MASK_KEY |
					MLX5_MKEY_MASK_FREE);
	c->seg->qpn_mkey7_0 = cpu_to_be32(0xffffff01);
	c->seg->len = cpu_to_be64(48);
	head->bcount_per_cycle = cpu_to_be32(16);
	head->op = cpu_to_be32(MLX5_STRIDE_BLOCK_OP);
	head->repeat_count = cpu_to_be32(3);
	head->num_entries = cpu_to_be16(2);
	block[0].stride = cpu_to_be16(10);
	block[0].bcount = cpu_to_be16(8);
	block[1] = block[0];
}

static void patterns(struct kunit *test)
{
	struct umr_ctx *c = test->priv;
	struct mlx5_stride_block_ctrl_seg *head = (void *)(c->seg + 1);

	c->mkey.mode = SIM_MKEY_KLM;
	c->mkey.klm = kunit_kcalloc(test, 8, sizeof(*c->mkey.klm), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c->mkey.klm);
	post_pattern(c);
	KUNIT_ASSERT_EQ(test, run(c), 0);
	KUNIT_EXPECT_FALSE(test, c->mkey.free);
	KUNIT_EXPECT_TRUE(test, sim_klm_pattern(&c->mkey));

	/* a part of a pattern cannot be changed */
	c->umr->flags |= MLX5_UMR_TRANSLATION_OFFSET_EN;
	c->umr->xlt_offset = cpu_to_be16(4);
	KUNIT_EXPECT_EQ(test, run(c), MLX5_CQE_SYNDROME_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_umr_entries], 1);

	/* a wrong pattern does not change the key */
	post_pattern(c);
	head->num_entries = cpu_to_be16(4);
	c->seg->len = cpu_to_be64(47);
	KUNIT_EXPECT_EQ(test, run(c), MLX5_CQE_SYNDROME_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_umr_entries], 2);
	KUNIT_EXPECT_EQ(test, c->mkey.len, 48);
	KUNIT_EXPECT_EQ(test, c->mkey.klm[0].va, 3ULL << 32 | 2);
}

/*
 * Only the entries that the length needs are checked, not the entries added by
 * rounding up.
 */
static void klm_padding(struct kunit *test)
{
	struct umr_ctx *c = test->priv;
	struct mlx5_klm *klm = (void *)(c->seg + 1);

	c->mkey.mode = SIM_MKEY_KLM;
	c->mkey.klm = kunit_kcalloc(test, 8, sizeof(*c->mkey.klm), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c->mkey.klm);
	post_pattern(c);
	memset(klm, 0xff, 4 * sizeof(*klm));
	klm[0].bcount = cpu_to_be32(47);
	klm[1].bcount = cpu_to_be32(1);
	KUNIT_EXPECT_EQ(test, run(c), 0);

	klm[1].bcount = cpu_to_be32(0);
	KUNIT_EXPECT_EQ(test, run(c), MLX5_CQE_SYNDROME_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_umr_entries], 1);
}

static void partial_list_at_offset(struct kunit *test)
{
	struct umr_ctx *c = test->priv;

	/*
	 * refused: entries before the offset are from an earlier configuration
	 */
	c->mtt[0] = 0xcccc000;
	post_reg(c);
	c->umr->flags = MLX5_UMR_INLINE | MLX5_UMR_TRANSLATION_OFFSET_EN;
	c->umr->xlt_offset = cpu_to_be16(4);
	KUNIT_EXPECT_EQ(test, run(c), MLX5_CQE_SYNDROME_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_umr_entries], 1);
	KUNIT_EXPECT_TRUE(test, c->mkey.free);
	sim_dp_stub.vio[SIM_VIO_umr_entries] = 0;

	c->mtt[0] = 0;
	c->mkey.xlt_used = 4;
	KUNIT_ASSERT_EQ(test, run(c), 0);
	KUNIT_EXPECT_EQ(test, c->mtt[0], 0);
	KUNIT_EXPECT_EQ(test, c->mtt[8], 0xaaaa000);
	KUNIT_EXPECT_EQ(test, c->mkey.xlt_used, 8);

	/* mlx5_ib: UMR copies MTTs in units of MLX5_UMR_FLEX_ALIGNMENT bytes */
	c->umr->xlt_offset = cpu_to_be16(2);
	KUNIT_EXPECT_EQ(test, run(c), MLX5_CQE_SYNDROME_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_umr_list_align], 1);
	c->umr->xlt_offset = cpu_to_be16(4);
	c->umr->xlt_offset_47_16 = cpu_to_be32(1);
	KUNIT_EXPECT_NE(test, run(c), 0);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_umr_entries], 1);
}

/*
 * A list in memory is aligned to 2 KiB, the value of MLX5_UMR_ALIGN in mlx5_ib.
 * Only a part of the last 64 bytes need be mapped.
 */
static void fetched_list(struct kunit *test)
{
	struct umr_ctx *c = test->priv;
	struct mlx5_wqe_data_seg *dseg = (void *)(c->seg + 1);
	static const u32 off[] = { 8, 64, 1024, SZ_2K };
	struct sim_mkey pa = {
		.obj.id = 0x33, .len64 = true, .access = SIM_MKEY_LR, .qpn = SIM_ANY_QPN,
	};
	__be64 *list = kunit_kzalloc(test, SZ_4K, GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_ASSERT_TRUE(test, IS_ALIGNED((uintptr_t)list, SZ_2K));
	sim_dp_stub.mkey[1] = &pa;
	for (i = 0; i < ARRAY_SIZE(off); i++) {
		bool good = off[i] == SZ_2K;

		post_reg(c);
		post(c, INDEX << 8 | 2, sizeof(*dseg));
		c->umr->flags &= ~MLX5_UMR_INLINE;
		memcpy(&list[off[i] / 8], dseg, 64);
		memset(dseg, 0, 64);
		dseg->byte_count = cpu_to_be32(64);
		dseg->lkey = cpu_to_be32(0x3300);
		dseg->addr = cpu_to_be64((uintptr_t)list + off[i]);
		sim_dp_stub.hole = (uintptr_t)list + off[i] + 16;
		KUNIT_EXPECT_EQ(test, run(c), good ? 0 : MLX5_CQE_SYNDROME_MW_BIND_ERR);
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_umr_list_align], min(i + 1, 3));
		KUNIT_EXPECT_EQ(test, c->mkey.free, !good);
	}
	KUNIT_EXPECT_EQ(test, c->mtt[1], 0xbbbb000);
	KUNIT_EXPECT_EQ(test, c->sdev->ctr[SIM_CTR_desc_fetched], 1);
}

/*
 * Stock mlx5_ib writes 64 bytes to a key of two octowords; the other bytes are
 * padding.
 */
static void padding_is_not_in_force(struct kunit *test)
{
	struct umr_ctx *c = test->priv;

	c->mkey.xlt_octwords = 2;
	post_reg(c);
	KUNIT_ASSERT_EQ(test, run(c), 0);
	KUNIT_EXPECT_EQ(test, c->mkey.xlt_used, 2);
}

/*
 * mlx5_ib copies the entries of a short list into the ring, and rounds the size
 * up: the entries after the two entries that the range needs are from an
 * earlier WQE.
 */
static void leftovers_are_no_pages(struct kunit *test)
{
	struct umr_ctx *c = test->priv;

	post_reg(c);
	((__be64 *)(c->seg + 1))[2] = cpu_to_be64(0x1234567890123458);
	KUNIT_ASSERT_EQ(test, run(c), 0);
	KUNIT_EXPECT_EQ(test, c->mtt[1], 0xbbbb000);
}

/* a range may end with the last byte of the address space, but not behind it */
static void last_byte(struct kunit *test)
{
	struct umr_ctx *c = test->priv;

	post_reg(c);
	c->seg->start_addr = cpu_to_be64(-0x2000ULL);
	c->seg->len = cpu_to_be64(0x2001);
	((__be64 *)(c->seg + 1))[2] = cpu_to_be64(0xcccc000 | 3);
	KUNIT_EXPECT_EQ(test, run(c), MLX5_CQE_SYNDROME_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_umr_mask], 1);
	KUNIT_EXPECT_TRUE(test, c->mkey.free);

	c->seg->len = cpu_to_be64(0x2000);
	KUNIT_ASSERT_EQ(test, run(c), 0);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_umr_mask], 1);
	KUNIT_EXPECT_FALSE(test, c->mkey.free);
	KUNIT_EXPECT_EQ(test, c->mkey.start, -0x2000ULL);
	KUNIT_EXPECT_EQ(test, c->mkey.len, 0x2000);
}

struct refuse_case {
	const char *name;
	void (*spoil)(struct umr_ctx *c);
	int vio;
};

static void spoil_not_free(struct umr_ctx *c)
{
	c->mkey.free = false;
}

static void spoil_umr_en(struct umr_ctx *c)
{
	c->mkey.umr_en = false;
}

static void spoil_mask(struct umr_ctx *c)
{
	c->umr->mkey_mask |= cpu_to_be64(1ULL << 30);
}

static void spoil_bsf(struct umr_ctx *c)
{
	c->umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_BSF_EN);
	c->seg->flags_pd |= cpu_to_be32(MLX5_MKEY_BSF_EN);
}

static void spoil_bsf_words(struct umr_ctx *c)
{
	c->umr->bsf_octowords = cpu_to_be16(12);
}

static void spoil_index(struct umr_ctx *c)
{
	post(c, (INDEX + 1) << 8 | 2, 64);
}

static void spoil_flags(struct umr_ctx *c)
{
	c->umr->flags |= 1;
}

static void spoil_rsvd(struct umr_ctx *c)
{
	c->umr->rsvd1[27] = 1;
}

static void spoil_mkey_rsvd(struct umr_ctx *c)
{
	c->seg->rsvd1[0] = 1;
}

static void spoil_bsf_size(struct umr_ctx *c)
{
	c->seg->bsfs_octo_size = cpu_to_be32(4);
}

static void spoil_mode(struct umr_ctx *c)
{
	c->seg->flags ^= SIM_MKEY_MTT ^ SIM_MKEY_KLM;
}

static void spoil_high_mode(struct umr_ctx *c)
{
	c->seg->status |= 1 << 2;
}

static void spoil_offset(struct umr_ctx *c)
{
	c->umr->xlt_offset_47_16 = cpu_to_be32(4);
}

static void spoil_pd(struct umr_ctx *c)
{
	c->umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_PD);
}

static void spoil_page_size(struct umr_ctx *c)
{
	c->seg->log2_page_size = 11;
}

/*
 * Only bit 5 of the page size is changed, which has a separate mask bit. The
 * resulting page size is refused.
 */
static void spoil_page_size_5(struct umr_ctx *c)
{
	c->mkey.log_page_size = 0x20 | 11;
	c->umr->mkey_mask &= ~cpu_to_be64(MLX5_MKEY_MASK_PAGE_SIZE);
	c->umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_PAGE_SIZE_5);
}

/* The UMR does not set the page size, which was 0 at creation. */
static void spoil_page_size_left(struct umr_ctx *c)
{
	c->mkey.log_page_size = 0;
	c->umr->mkey_mask &= ~cpu_to_be64(MLX5_MKEY_MASK_PAGE_SIZE);
}

static void spoil_range(struct umr_ctx *c)
{
	c->seg->start_addr = cpu_to_be64(-0x10ffULL);
}

static void spoil_pages(struct umr_ctx *c)
{
	c->seg->len = cpu_to_be64(8 * SZ_4K);
}

/* Only the driver's UMR QP moves keys to other PDs or to other QPs. */
static void on_rc(struct umr_ctx *c)
{
	c->pd.obj.id = 0;
	sim_dp_stub.pd = &c->pd;
	c->qp->st = MLX5_QP_ST_RC;
	c->qp->pd = &c->pd;
}

static void spoil_pd_on_rc(struct umr_ctx *c)
{
	on_rc(c);
	c->umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_PD);
}

static void spoil_qpn_on_rc(struct umr_ctx *c)
{
	on_rc(c);
	c->umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_QPN);
	c->seg->qpn_mkey7_0 = cpu_to_be32(0x9802);
}

#define CAP(_c)	sim_caps_page((_c)->sdev, MLX5_CAP_GENERAL, false)

static void spoil_cap_page_size(struct umr_ctx *c)
{
	MLX5_SET(cmd_hca_cap, CAP(c), umr_modify_entity_size_disabled, 1);
}

static void spoil_cap_atomic(struct umr_ctx *c)
{
	MLX5_SET(cmd_hca_cap, CAP(c), umr_modify_atomic_disabled, 1);
	c->umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_A);
}

static void spoil_cap_ordering(struct umr_ctx *c)
{
	c->umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_RELAXED_ORDERING_READ);
}

static void spoil_cap_indirect(struct umr_ctx *c)
{
	MLX5_SET(cmd_hca_cap, CAP(c), umr_indirect_mkey_disabled, 1);
	c->mkey.mode = SIM_MKEY_KLM;
	c->seg->flags ^= SIM_MKEY_MTT ^ SIM_MKEY_KLM;
}

static void spoil_room(struct umr_ctx *c)
{
	c->mkey.xlt_octwords = 0;
}

static void spoil_units(struct umr_ctx *c)
{
	c->umr->xlt_octowords = cpu_to_be16(3);
}

static void spoil_size(struct umr_ctx *c)
{
	post(c, INDEX << 8 | 2, 48);
}

static void spoil_pa(struct umr_ctx *c)
{
	c->mkey.mode = SIM_MKEY_PA;
	c->seg->flags ^= SIM_MKEY_MTT;
}

static void spoil_mtt(struct umr_ctx *c)
{
	((__be64 *)(c->seg + 1))[1] &= ~cpu_to_be64(MLX5_EN_WR);
}

static void spoil_check(struct umr_ctx *c)
{
	c->umr->flags ^= 3 << 5;
}

static void spoil_variant(struct umr_ctx *c)
{
	c->umr->mkey_mask &= ~cpu_to_be64(MLX5_MKEY_MASK_KEY);
}

static void spoil_fre(struct umr_ctx *c)
{
	c->qp->fre = false;
}

static const struct refuse_case refuse_cases[] = {
	{ "not free", spoil_not_free, SIM_VIO_umr_state },
	{ "free", spoil_check, SIM_VIO_umr_state },
	{ "not enabled for UMR", spoil_umr_en, SIM_VIO_umr_state },
	{ "QP of a process", spoil_fre, SIM_VIO_umr_state },
	{ "unknown mask bit", spoil_mask, SIM_VIO_umr_mask },
	{ "no space for a BSF", spoil_bsf, SIM_VIO_sig_bsf },
	{ "BSF of 192 bytes", spoil_bsf_words, SIM_VIO_sig_bsf },
	{ "offset not enabled", spoil_offset, SIM_VIO_umr_mask },
	{ "no such PD", spoil_pd, SIM_VIO_umr_mask },
	{ "page size", spoil_page_size, SIM_VIO_umr_mask },
	{ "upper bit of page size", spoil_page_size_5, SIM_VIO_umr_mask },
	{ "page size that was left", spoil_page_size_left, SIM_VIO_umr_mask },
	{ "range that wraps", spoil_range, SIM_VIO_umr_mask },
	{ "more pages than translations", spoil_pages, SIM_VIO_umr_entries },
	{ "another PD", spoil_pd_on_rc, SIM_VIO_umr_mask },
	{ "another QP", spoil_qpn_on_rc, SIM_VIO_umr_mask },
	{ "page size without the capability", spoil_cap_page_size, SIM_VIO_umr_mask },
	{ "atomic without the capability", spoil_cap_atomic, SIM_VIO_umr_mask },
	{ "ordering without the capability", spoil_cap_ordering, SIM_VIO_umr_mask },
	{ "list of keys without the capability", spoil_cap_indirect, SIM_VIO_umr_entries },
	{ "no such mkey", spoil_index, SIM_VIO_mkey_lookup },
	{ "stale key", spoil_variant, SIM_VIO_mkey_lookup },
	{ "unknown flag", spoil_flags, SIM_VIO_wqe_reserved },
	{ "reserved in control", spoil_rsvd, SIM_VIO_wqe_reserved },
	{ "reserved in mkey", spoil_mkey_rsvd, SIM_VIO_wqe_reserved },
	{ "size of a BSF", spoil_bsf_size, SIM_VIO_wqe_reserved },
	{ "other access mode", spoil_mode, SIM_VIO_umr_mask },
	{ "access mode above 3", spoil_high_mode, SIM_VIO_umr_mask },
	{ "no room", spoil_room, SIM_VIO_umr_entries },
	{ "odd units", spoil_units, SIM_VIO_umr_entries },
	{ "physical mkey", spoil_pa, SIM_VIO_umr_entries },
	{ "page without the write bit", spoil_mtt, SIM_VIO_umr_entries },
	{ "list cut short", spoil_size, SIM_VIO_wqe_size },
};

KUNIT_ARRAY_PARAM_DESC(refuse, refuse_cases, name);

static void refused_and_unchanged(struct kunit *test)
{
	const struct refuse_case *k = test->param_value;
	struct umr_ctx *c = test->priv;
	struct sim_mkey before;
	int i;

	post_reg(c);
	k->spoil(c);
	before = c->mkey;
	KUNIT_EXPECT_GT(test, run(c), 0);
	KUNIT_EXPECT_MEMEQ(test, &c->mkey, &before, sizeof(before));
	for (i = 0; i < SIM_VIO_MAX; i++)
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[i], i == k->vio);
}

static struct kunit_case umr_cases[] = {
	KUNIT_CASE(registers_and_invalidates),
	KUNIT_CASE(only_masked_fields_change),
	KUNIT_CASE(ordering_changes),
	KUNIT_CASE(check_of_the_qp),
	KUNIT_CASE(patterns),
	KUNIT_CASE(klm_padding),
	KUNIT_CASE(partial_list_at_offset),
	KUNIT_CASE(fetched_list),
	KUNIT_CASE(padding_is_not_in_force),
	KUNIT_CASE(leftovers_are_no_pages),
	KUNIT_CASE(last_byte),
	KUNIT_CASE_PARAM(refused_and_unchanged, refuse_gen_params),
	{}
};

static struct kunit_suite umr_suite = {
	.name = "sim_umr",
	.init = umr_init,
	.exit = umr_exit,
	.test_cases = umr_cases,
};

kunit_test_suite(umr_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's UMR");
MODULE_LICENSE("Dual BSD/GPL");
