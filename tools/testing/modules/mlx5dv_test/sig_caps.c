// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Block signatures on devices without some capabilities. For each case but
 * sig_caps_all, the script loads the simulator with other capabilities, or with
 * a fault.
 */
#include "sig.h"

static const struct sig_case plain = {
	.mem = { .on = true, .type = MLX5DV_SIG_TYPE_CRC, .size = MLX5DV_BLOCK_SIZE_512 },
	.check_mask = 0xff,
};

/* the device refuses CREATE_PSV or CREATE_MKEY; the script checks that no object is left */
static int sig_refused(struct t_pair *p)
{
	struct mlx5dv_mkey *mkey = dv_mkey(&p->end[0], MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
					   4);

	if (!IS_ERR(mkey)) {
		mlx5dv_destroy_mkey(mkey);
		return T_FAIL("the mkey was created");
	}
	T_EXPECT(PTR_ERR(mkey), -EIO);
	return 0;
}

/* a pool of three mkeys: the device refuses CREATE_PSV for the third mkey once */
static int sig_refused_pool(struct t_pair *p)
{
	const struct mlx5dv_mkey_init_attr attr = {
		.pd = p->end[0].pd, .max_entries = 4,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
	};
	struct mlx5dv_mkey_pool *pool = mlx5dv_create_mkey_pool(&attr, 3, 3);

	if (!IS_ERR(pool)) {
		mlx5dv_destroy_mkey_pool(pool);
		return T_FAIL("the pool was created");
	}
	T_EXPECT(PTR_ERR(pool), -EIO);
	pool = mlx5dv_create_mkey_pool(&attr, 3, 3);
	if (IS_ERR(pool))
		return T_FAIL("no pool after that: %ld", PTR_ERR(pool));
	mlx5dv_destroy_mkey_pool(pool);
	return 0;
}

#define FEW_MKEYS	3

/* creating an mkey or an MR fails: each needs two PSVs, and one PSV is free */
static int expect_no_psvs(struct t_end *e)
{
	struct mlx5dv_mkey *mkey = dv_mkey(e, MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, 4);
	struct ib_mr *mr = ib_alloc_mr_integrity(e->pd, 1, 1);

	if (!IS_ERR(mkey))
		mlx5dv_destroy_mkey(mkey);
	if (!IS_ERR(mr))
		ib_dereg_mr(mr);
	T_EXPECT(PTR_ERR_OR_ZERO(mkey), -ENOMEM);
	T_EXPECT(PTR_ERR_OR_ZERO(mr), -ENOMEM);
	return 0;
}

static int use_psvs_up(struct t_end *e, struct mlx5dv_mkey **mkeys)
{
	const struct sig_case dif = {
		.mem = { .on = true, .type = MLX5DV_SIG_TYPE_T10DIF, .size = MLX5DV_BLOCK_SIZE_512,
			 .dif.bg_type = MLX5DV_SIG_T10DIF_CRC },
	};
	int i;

	for (i = 0; i < FEW_MKEYS; i++) {
		mkeys[i] = dv_mkey(e, MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, 4);
		if (IS_ERR(mkeys[i]))
			return T_FAIL("mkey %d: %ld", i, PTR_ERR(mkeys[i]));
	}
	T_TRY(expect_no_psvs(e));
	/*
	 * PSVs of a destroyed mkey, and of a failed creation, can be created again
	 */
	mlx5dv_destroy_mkey(mkeys[1]);
	mkeys[1] = dv_mkey(e, MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, 4);
	if (IS_ERR(mkeys[1]))
		return T_FAIL("no mkey again: %ld", PTR_ERR(mkeys[1]));
	T_TRY(expect_no_psvs(e));
	/* the mkeys work */
	return sig_try(e, mkeys[1], &dif);
}

/* the script loads the simulator with seven PSVs */
static int sig_psv_limit(struct t_pair *p)
{
	struct mlx5dv_mkey *mkeys[FEW_MKEYS] = {};
	int i, ret;

	ret = use_psvs_up(&p->end[0], mkeys);
	for (i = 0; i < FEW_MKEYS; i++)
		if (!IS_ERR_OR_NULL(mkeys[i]))
			mlx5dv_destroy_mkey(mkeys[i]);
	return ret;
}

/*
 * A device without the capability reports no signature capabilities, and no mkey can be
 * created. An integrity MR fails with the errno in the table of cases.
 */
static int sig_caps_none(struct t_pair *p)
{
	struct ib_mr *mr = ib_alloc_mr_integrity(p->end[0].pd, 1, 1);
	struct mlx5dv_context ctx = { .comp_mask = MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD };
	struct mlx5dv_mkey *mkey;

	if (!IS_ERR(mr))
		ib_dereg_mr(mr);
	/* mlx5_ib has integrity MRs of its own */
	if (!dv_on_mlx5_ib(p->end[0].dev))
		T_EXPECT(PTR_ERR_OR_ZERO(mr), *(const int *)p->arg);
	T_EXPECT(mlx5dv_query_device(p->end[0].dev, &ctx), 0);
	T_EXPECT(ctx.comp_mask == MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD, 1);
	T_EXPECT(ctx.sig_caps.block_size || ctx.sig_caps.block_prot || ctx.sig_caps.t10dif_bg ||
		 ctx.sig_caps.crc_type, 0);
	mkey = dv_mkey(&p->end[0], MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, 4);
	T_EXPECT(PTR_ERR(mkey), -EOPNOTSUPP);
	return 0;
}

/* a type, block size or CRC is refused if, and only if, the device does not report it */
static int run_caps_some(struct sig_run *r)
{
	struct mlx5dv_context ctx = { .comp_mask = MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD };
	struct t_end *e = &r->p->end[0];
	int size, crc, refused = 0;
	struct sig_case c = plain;

	T_EXPECT(mlx5dv_query_device(e->dev, &ctx), 0);
	for (size = 0; size < 5; size++) {
		for (crc = 0; crc < 3; crc++) {
			const bool ok = ctx.sig_caps.block_size & BIT(size) &&
					ctx.sig_caps.crc_type & BIT(crc);
			c.mem.size = size;
			c.mem.crc.type = crc;
			T_EXPECT(sig_try(e, r->mkey, &c), ok ? 0 : -EOPNOTSUPP);
			refused += !ok;
		}
	}
	T_EXPECT(refused, *(const int *)r->p->arg);
	return 0;
}

static int sig_caps_some(struct t_pair *p)
{
	return sig_with(p, run_caps_some);
}

/*
 * A device that does not report errors moves data with wrong signatures as other
 * data.
 */
static int sig_caps_no_cqe(struct sig_run *r)
{
	r->c = plain;
	r->c.data = 512;
	T_TRY(sig_configure(r));
	sig_make(r, false, 1);
	r->in[0] ^= 0x10;
	r->out[0] ^= 0x10;
	T_TRY(sig_move(r, MOVE_WRITE));
	T_TRY(sig_compare(r, MOVE_WRITE));
	return sig_check(r, MLX5DV_MKEY_NO_ERR, NULL);
}

static const int none_refused, one_size = 3, one_crc = 5, no_integrity = -EOPNOTSUPP;

const struct t_case dv_sig_caps_cases[] = {
	{ "sig_caps_all", sig_caps_some, &dv_opts, &none_refused },
	{ "sig_refused_psv", sig_refused, &dv_opts },
	{ "sig_refused_mkey", sig_refused, &dv_opts },
	{ "sig_refused_pool", sig_refused_pool, &dv_opts },
	{ "sig_psv_limit", sig_psv_limit, &dv_opts },
	{ "sig_caps_no_sho", sig_caps_none, &dv_opts, &no_integrity },
	{ "sig_caps_no_domain", sig_caps_none, &dv_opts, &none_refused },
	DV_SIG(sig_caps_no_cqe, sig_with_peer, &dv_opts),
	{ "sig_caps_no_4048", sig_caps_some, &dv_opts, &one_size },
	{ "sig_caps_no_crc32c", sig_caps_some, &dv_opts, &one_crc },
	{ "sig_caps_no_crc64", sig_caps_some, &dv_opts, &one_crc },
	{ }
};
