// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Three mkeys: with a list, with a pattern (interleaved), and with a pattern and signatures. The
 * case keeps them for hold_ms, while selftests/mkey/test.sh reads them from debugfs.
 */
#include <linux/delay.h>
#include <linux/module.h>

#include "sig.h"

static unsigned int hold_ms = 3000;
module_param(hold_ms, uint, 0444);
MODULE_PARM_DESC(hold_ms, "how long mkey_hold lasts");

enum {
	HOLD_LIST,
	HOLD_PATTERN,
	HOLD_SIGNED,
	HOLD_KINDS,
};

static const struct {
	u32 flags;
	u16 entries;
} kinds[HOLD_KINDS] = {
	[HOLD_LIST]    = { 0, 4 },
	[HOLD_PATTERN] = { 0, 8 },
	[HOLD_SIGNED]  = { MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, 8 },
};

static void post_list(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	const struct ib_sge sge[] = { t_sge(e, 0, 700), t_sge(e, 1000, 600) };

	mlx5dv_wr_mr_list(dv_of(e), mkey, DV_REMOTE_RW, ARRAY_SIZE(sge), sge);
}

static void post_pattern(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	const struct mlx5dv_mr_interleaved data[] = {
		{ .addr = e->dma, .bytes_count = 24, .bytes_skip = 8,
		  .lkey = e->pd->local_dma_lkey },
		{ .addr = e->dma + 2048, .bytes_count = 40, .bytes_skip = 0,
		  .lkey = e->pd->local_dma_lkey },
	};

	mlx5dv_wr_mr_interleaved(dv_of(e), mkey, IB_ACCESS_REMOTE_READ, 5, ARRAY_SIZE(data), data);
}

/* T10-DIF in memory (a buffer of sectors, a buffer of DIFs), and CRC32C on the wire */
static void post_signed(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	static const struct sig_case sig = {
		.mem = { .on = true, .type = MLX5DV_SIG_TYPE_T10DIF,
			 .size = MLX5DV_BLOCK_SIZE_512,
			 .dif = { MLX5DV_SIG_T10DIF_CRC, 0xffff, 1, 1,
				  MLX5DV_SIG_T10DIF_FLAG_REF_REMAP } },
		.wire = { .on = true, .type = MLX5DV_SIG_TYPE_CRC, .size = MLX5DV_BLOCK_SIZE_512,
			  .crc = { MLX5DV_SIG_CRC_TYPE_CRC32C, U32_MAX } },
		.check_mask = 0xff,
	};
	const struct mlx5dv_mr_interleaved data[] = {
		{ .addr = e->dma, .bytes_count = 512, .bytes_skip = 0,
		  .lkey = e->pd->local_dma_lkey },
		{ .addr = e->dma + 3072, .bytes_count = 8, .bytes_skip = 0,
		  .lkey = e->pd->local_dma_lkey },
	};
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 3, &attr);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), DV_REMOTE_RW);
	mlx5dv_wr_set_mkey_layout_interleaved(dv_of(e), 4, ARRAY_SIZE(data), data);
	sig_build(e, &sig);
}

static int hold_mkeys(struct t_pair *p, struct mlx5dv_mkey **mkeys)
{
	struct t_end *e = &p->end[0];

	T_TRY(dv_start(e, 0, IB_SEND_INLINE));
	post_list(e, mkeys[HOLD_LIST]);
	dv_next(e, 1, IB_SEND_INLINE);
	post_pattern(e, mkeys[HOLD_PATTERN]);
	dv_next(e, 2, IB_SEND_SIGNALED | IB_SEND_INLINE);
	post_signed(e, mkeys[HOLD_SIGNED]);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 2), IB_WC_SUCCESS);
	msleep(hold_ms);
	return 0;
}

static int mkey_hold(struct t_pair *p)
{
	struct mlx5dv_mkey *mkeys[HOLD_KINDS];
	int i, ret = 0;

	for (i = 0; i < HOLD_KINDS; i++) {
		mkeys[i] = dv_mkey(&p->end[0], kinds[i].flags, kinds[i].entries);
		if (IS_ERR(mkeys[i])) {
			ret = T_FAIL("no mkey: %ld", PTR_ERR(mkeys[i]));
			break;
		}
	}
	if (!ret)
		ret = hold_mkeys(p, mkeys);
	while (i--)
		mlx5dv_destroy_mkey(mkeys[i]);
	return ret;
}

const struct t_case dv_mkey_hold_cases[] = {
	{ "mkey_hold", mkey_hold, &dv_opts },
	{ }
};
