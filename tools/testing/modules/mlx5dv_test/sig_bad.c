// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Block signatures: calls that are refused. The KUnit suite mlx5_ibx_sig tests bad
 * values of each attribute.
 */
#include "sig.h"

static const struct sig_case plain = {
	.mem = { .on = true, .type = MLX5DV_SIG_TYPE_CRC, .size = MLX5DV_BLOCK_SIZE_512 },
	.check_mask = 0xff,
};

static int sig_bad_mkey(struct t_pair *p)
{
	struct mlx5dv_mkey *mkey = dv_mkey(&p->end[0], 0, 4);
	struct mlx5dv_mkey_err err;
	int ret, checked;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	ret = sig_try(&p->end[0], mkey, &plain);
	checked = mlx5dv_mkey_check(mkey, &err);
	mlx5dv_destroy_mkey(mkey);
	T_EXPECT(ret, -EINVAL);
	T_EXPECT(checked, -EINVAL);
	return 0;
}

/*
 * A layout that the device reads from memory cannot be set together with signature
 * attributes in one work request; without signatures, it can.
 */
static int sig_bad_fetched(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0];
	struct mlx5dv_layout *lay = mlx5dv_alloc_layout(e->dev, 4, GFP_KERNEL);
	struct mlx5dv_mkey_conf_attr attr = {};
	struct ib_sge sge = t_sge(e, 0, 516);
	int i, ret = 0;

	if (IS_ERR(lay))
		return T_FAIL("no layout: %ld", PTR_ERR(lay));
	ret = mlx5dv_layout_list(lay, 1, &sge);
	for (i = 0; i < 2 && !ret; i++) {
		ret = dv_start(e, 0, IB_SEND_SIGNALED);
		mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 2 - i, &attr);
		mlx5dv_wr_set_mkey_layout(dv_of(e), lay);
		if (!i)
			sig_build(e, &plain);
		ret = ib_wr_complete(dv_qpx(e));
		if (!i)
			ret = ret == -EOPNOTSUPP ? 0 : T_FAIL("%d", ret);
		else
			ret = ret ?: t_wait(&e->sq, 0);
	}
	t_clear_counts(&e->sq);
	mlx5dv_free_layout(lay);
	return ret;
}

const struct t_case dv_sig_bad_cases[] = {
	{ "sig_bad_mkey", sig_bad_mkey, &dv_opts },
	DV_SIG(sig_bad_fetched, sig_with, &dv_opts),
	{ }
};
