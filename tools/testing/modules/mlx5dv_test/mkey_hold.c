// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two mkeys that exist until the script has read them: a list and a pattern.
 */
#include <linux/delay.h>
#include <linux/module.h>

#include "dv.h"

static unsigned int hold_ms = 3000;
module_param(hold_ms, uint, 0444);
MODULE_PARM_DESC(hold_ms, "how long mkey_hold lasts");

static int hold_mkeys(struct t_pair *p, struct mlx5dv_mkey *list, struct mlx5dv_mkey *pattern)
{
	struct t_end *e = &p->end[0];
	const struct ib_sge sge[] = { t_sge(e, 0, 700), t_sge(e, 1000, 600) };
	const struct mlx5dv_mr_interleaved data[] = {
		{ .addr = e->dma, .bytes_count = 24, .bytes_skip = 8,
		  .lkey = e->pd->local_dma_lkey },
		{ .addr = e->dma + 2048, .bytes_count = 40, .bytes_skip = 0,
		  .lkey = e->pd->local_dma_lkey },
	};

	T_TRY(dv_start(e, 0, IB_SEND_INLINE));
	mlx5dv_wr_mr_list(dv_of(e), list, DV_REMOTE_RW, ARRAY_SIZE(sge), sge);
	dv_next(e, 1, IB_SEND_SIGNALED | IB_SEND_INLINE);
	mlx5dv_wr_mr_interleaved(dv_of(e), pattern, IB_ACCESS_REMOTE_READ, 5, ARRAY_SIZE(data),
				 data);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 1), IB_WC_SUCCESS);
	msleep(hold_ms);
	return 0;
}

static int mkey_hold(struct t_pair *p)
{
	struct mlx5dv_mkey *list, *pattern;
	int ret;

	list = dv_mkey(&p->end[0], 0, 4);
	if (IS_ERR(list))
		return T_FAIL("no mkey: %ld", PTR_ERR(list));
	pattern = dv_mkey(&p->end[0], 0, 8);
	if (IS_ERR(pattern)) {
		mlx5dv_destroy_mkey(list);
		return T_FAIL("no mkey: %ld", PTR_ERR(pattern));
	}
	ret = hold_mkeys(p, list, pattern);
	mlx5dv_destroy_mkey(pattern);
	mlx5dv_destroy_mkey(list);
	return ret;
}

const struct t_case dv_mkey_hold_cases[] = {
	{ "mkey_hold", mkey_hold, &dv_opts },
	{ }
};
