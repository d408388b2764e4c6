// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mkeys: creations and configurations that are refused, and accesses that a key does
 * not permit.
 */
#include <linux/slab.h>

#include "dv.h"

static int mkey_bad_create(struct t_pair *p)
{
	const u32 indirect = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT;
	struct mlx5dv_mkey_init_attr attr = { .pd = p->end[0].pd, .max_entries = 4 };
	struct mlx5dv_context limits = { .comp_mask = MLX5DV_CONTEXT_MASK_MKEY | BIT(0) };
	struct mlx5dv_mkey *mkey;

	T_EXPECT(PTR_ERR(mlx5dv_create_mkey(&attr)), -EINVAL);
	attr.create_flags = indirect | BIT(20);
	T_EXPECT(PTR_ERR(mlx5dv_create_mkey(&attr)), -EINVAL);
	attr.create_flags = indirect;
	attr.max_entries = 0;
	T_EXPECT(PTR_ERR(mlx5dv_create_mkey(&attr)), -EINVAL);
	attr.max_entries = U16_MAX;
	T_EXPECT(PTR_ERR(mlx5dv_create_mkey(&attr)), -EINVAL);

	T_EXPECT(mlx5dv_query_device(p->end[0].dev, &limits), 0);
	T_EXPECT(limits.comp_mask == MLX5DV_CONTEXT_MASK_MKEY, 1);
	attr.max_entries = limits.max_mkey_entries;
	mkey = mlx5dv_create_mkey(&attr);
	T_EXPECT(IS_ERR(mkey), 0);
	T_EXPECT(attr.max_entries, limits.max_mkey_entries);
	mlx5dv_destroy_mkey(mkey);
	return 0;
}

/**
 * struct mistake - a configuration that must be refused
 * @name: name of the mistake, for the log
 * @err: errno of ib_wr_complete()
 * @build: builds the configuration after ib_wr_start(); if NULL, the configuration is one
 *	interleaved layout with the members below
 * @repeat: repeat count of the layout
 * @entries: number of entries, all with the same values
 * @bytes: bytes of an entry
 * @skip: bytes after an entry
 * @addr: address of an entry; 0 is the buffer
 */
struct mistake {
	const char *name;
	int err;
	void (*build)(struct t_end *e, struct mlx5dv_mkey *mkey);
	u32 repeat;
	u16 entries;
	u32 bytes;
	u32 skip;
	u64 addr;
};

static void configure_mkey(struct t_end *e, struct mlx5dv_mkey *mkey, u8 setters)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(dv_of(e), mkey, setters, &attr);
}

static void list_of(struct t_end *e, int n)
{
	static struct ib_sge sge[64];
	int i;

	for (i = 0; i < n; i++)
		sge[i] = t_sge(e, 8 * i, 8);
	mlx5dv_wr_set_mkey_layout_list(dv_of(e), n, sge);
}

static void turns_of(struct t_end *e, u32 repeat, u16 n, u32 bytes, u32 skip, u64 addr)
{
	struct mlx5dv_mr_interleaved data[8];
	int i;

	for (i = 0; i < n && i < ARRAY_SIZE(data); i++)
		data[i] = (struct mlx5dv_mr_interleaved){
			.addr = addr, .bytes_count = bytes, .bytes_skip = skip,
			.lkey = e->pd->local_dma_lkey,
		};
	mlx5dv_wr_set_mkey_layout_interleaved(dv_of(e), repeat, n, data);
}

static void setter_missing(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	configure_mkey(e, mkey, 2);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), 0);
}

static void setter_twice(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	configure_mkey(e, mkey, 2);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), 0);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), 0);
}

static void two_layouts(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	configure_mkey(e, mkey, 2);
	list_of(e, 1);
	turns_of(e, 1, 1, 8, 0, e->dma);
}

static void setter_too_many(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	configure_mkey(e, mkey, 1);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), 0);
	list_of(e, 1);
}

static void setters_beyond_all(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	configure_mkey(e, mkey, 3);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), 0);
	list_of(e, 1);
}

static void unknown_access(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	configure_mkey(e, mkey, 1);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), IB_ACCESS_MW_BIND);
}

static void unknown_conf(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	struct mlx5dv_mkey_conf_attr attr = { .conf_flags = BIT(5) };

	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 0, &attr);
}

static void unknown_mask(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	struct mlx5dv_mkey_conf_attr attr = { .comp_mask = 1 };

	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 0, &attr);
}

static void empty_list(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	configure_mkey(e, mkey, 1);
	list_of(e, 0);
}

static void empty_piece(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	struct ib_sge sge[2] = { t_sge(e, 0, 8), t_sge(e, 8, 0) };

	configure_mkey(e, mkey, 1);
	mlx5dv_wr_set_mkey_layout_list(dv_of(e), 2, sge);
}

static void beyond_mkey(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	configure_mkey(e, mkey, 1);
	list_of(e, 5);
}

static void not_inline(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	dv_next(e, 0, IB_SEND_SIGNALED);
	configure_mkey(e, mkey, 1);
	list_of(e, 1);
}

static void other_index(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	struct mlx5dv_mkey wrong = *mkey;

	mkey->lkey += 0x100;
	configure_mkey(e, mkey, 0);
	*mkey = wrong;
}

static void other_tag(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	struct mlx5dv_mkey wrong = *mkey;

	mkey->lkey ^= 1;
	configure_mkey(e, mkey, 0);
	*mkey = wrong;
}

static const struct mistake mistakes[] = {
	{ "setter_missing", -EINVAL, setter_missing },
	{ "setter_twice", -EINVAL, setter_twice },
	{ "two_layouts", -EINVAL, two_layouts },
	{ "setter_too_many", -EINVAL, setter_too_many },
	{ "setters_beyond_all", -EINVAL, setters_beyond_all },
	{ "unknown_access", -EINVAL, unknown_access },
	{ "unknown_conf", -EOPNOTSUPP, unknown_conf },
	{ "unknown_mask", -EOPNOTSUPP, unknown_mask },
	{ "empty_list", -EINVAL, empty_list },
	{ "empty_piece", -EINVAL, empty_piece },
	{ "beyond_mkey", -ENOMEM, beyond_mkey },
	{ "beyond_mkey_interleaved", -ENOMEM, NULL, 1, 4, 8, 0 },
	{ "not_inline", -EOPNOTSUPP, not_inline },
	{ "no_turn", -EINVAL, NULL, 0, 1, 8, 0 },
	{ "no_entry", -EINVAL, NULL, 1, 0, 8, 0 },
	{ "no_bytes", -EINVAL, NULL, 1, 1, 0, 8 },
	{ "long_block", -EINVAL, NULL, 1, 1, 65536, 0 },
	{ "long_stride", -EINVAL, NULL, 1, 1, 65535, 1 },
	{ "beyond_memory", -EINVAL, NULL, 3, 1, 8, 8, -16ULL },
	{ "other_index", -EINVAL, other_index },
	{ "other_tag", -EINVAL, other_tag },
};

static int expect_refused(struct t_end *e, struct mlx5dv_mkey *mkey, const struct mistake *m)
{
	int ret;

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	if (m->build) {
		m->build(e, mkey);
	} else {
		configure_mkey(e, mkey, 1);
		turns_of(e, m->repeat, m->entries, m->bytes, m->skip,
			 m->addr ? m->addr : e->dma);
	}
	ret = ib_wr_complete(dv_qpx(e));
	if (ret != m->err)
		return T_FAIL("%s: %d, expected %d", m->name, ret, m->err);
	T_TRY(t_settle(&e->sq));
	return e->sq.nr ? T_FAIL("%s was posted", m->name) : 0;
}

static int mkey_bad_conf(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct mlx5dv_mkey *mkey = dv_mkey(e, 0, 4);
	int i, ret = 0;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	for (i = 0; i < ARRAY_SIZE(mistakes) && !ret; i++)
		ret = expect_refused(e, mkey, &mistakes[i]);
	mlx5dv_destroy_mkey(mkey);
	return ret;
}

/*
 * The list has more entries than fit in the work request, but not too many for the mkey.
 */
static int mkey_bad_room(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct mlx5dv_mkey *mkey = dv_mkey(e, 0, 64);
	int ret;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	ret = dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE);
	if (!ret) {
		configure_mkey(e, mkey, 1);
		list_of(e, 64);
		ret = ib_wr_complete(dv_qpx(e));
	}
	mlx5dv_destroy_mkey(mkey);
	T_EXPECT(ret, -ENOMEM);
	return 0;
}

/* returns the errno of configuring an mkey, which must post nothing, and destroys the mkey */
static int conf_foreign(struct t_end *e, struct mlx5dv_mkey *mkey)
{
	int ret, err;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	err = dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE);
	if (!err) {
		configure_mkey(e, mkey, 0);
		ret = ib_wr_complete(dv_qpx(e));
	}
	mlx5dv_destroy_mkey(mkey);
	if (err)
		return T_FAIL("the queue does not open: %d", err);
	T_TRY(t_settle(&e->sq));
	T_EXPECT(e->sq.nr, 0);
	return ret;
}

/* an mkey of another device, and an mkey of another PD, cannot be configured */
static int mkey_bad_pd(struct t_pair *p)
{
	struct mlx5dv_mkey_init_attr attr = {
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, .max_entries = 4,
	};
	struct t_end *e = &p->end[0];
	int ret;

	T_EXPECT(conf_foreign(e, dv_mkey(&p->end[1], 0, 4)), -EINVAL);
	attr.pd = ib_alloc_pd(e->dev, 0);
	if (IS_ERR(attr.pd))
		return T_FAIL("no PD: %ld", PTR_ERR(attr.pd));
	ret = conf_foreign(e, mlx5dv_create_mkey(&attr));
	ib_dealloc_pd(attr.pd);
	T_EXPECT(ret, -EINVAL);
	return 0;
}

static const int bad_fills[] = { -ENOSPC, -EINVAL, -ENOSPC, -EINVAL, -EINVAL };

/* attempt number @i to fill a layout of four entries, which fails with bad_fills[i] */
static int fill_badly(struct t_end *e, struct mlx5dv_layout *lay, int i)
{
	struct mlx5dv_mr_interleaved data[4] = {
		{ e->dma, 8, 0, e->pd->local_dma_lkey },
	};
	struct ib_sge sge[5] = { t_sge(e, 0, 8), t_sge(e, 8, 8), t_sge(e, 32, 8),
				 t_sge(e, 64, 8), t_sge(e, 96, 8) };

	T_EXPECT(mlx5dv_layout_list(lay, 4, sge), 0);
	switch (i) {
	case 0:
		return mlx5dv_layout_list(lay, 5, sge);
	case 1:
		return mlx5dv_layout_list(lay, 0, sge);
	case 2:
		return mlx5dv_layout_interleaved(lay, 1, 4, data);
	case 3:
		return mlx5dv_layout_interleaved(lay, 0, 1, data);
	default:
		return mlx5dv_layout_sg(lay, e->sgl, 0, 0);
	}
}

static int expect_empty(struct t_end *e, struct mlx5dv_mkey *mkey, struct mlx5dv_layout *lay)
{
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	configure_mkey(e, mkey, 1);
	mlx5dv_wr_set_mkey_layout(dv_of(e), lay);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	return 0;
}

static int expect_bad_fill(struct t_end *e, struct mlx5dv_mkey *mkey, struct mlx5dv_layout *lay,
			   int i)
{
	T_EXPECT(fill_badly(e, lay, i), bad_fills[i]);
	return expect_empty(e, mkey, lay);
}

/* bad sizes of prepared layouts; a layout that could not be filled in is empty */
static int mkey_bad_layout(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct mlx5dv_mkey *mkey;
	struct mlx5dv_layout *lay;
	int ret = 0;
	int i;

	T_EXPECT(PTR_ERR(mlx5dv_alloc_layout(e->dev, 0, GFP_KERNEL)), -EINVAL);
	T_EXPECT(PTR_ERR(mlx5dv_alloc_layout(e->dev, U32_MAX, GFP_KERNEL)), -EINVAL);
	mkey = dv_mkey(e, 0, 4);
	T_EXPECT(IS_ERR(mkey), 0);
	lay = mlx5dv_alloc_layout(e->dev, 4, GFP_KERNEL);
	if (IS_ERR(lay)) {
		mlx5dv_destroy_mkey(mkey);
		return T_FAIL("no layout: %ld", PTR_ERR(lay));
	}

	for (i = 0; i < ARRAY_SIZE(bad_fills) && !ret; i++)
		ret = expect_bad_fill(e, mkey, lay, i);
	mlx5dv_free_layout(lay);
	mlx5dv_destroy_mkey(mkey);
	T_EXPECT(ret, 0);
	return 0;
}

/* an entry has an invalid lkey: the device detects it when the mkey is used */
static int mkey_stale_piece(struct t_pair *p)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct mlx5dv_mkey *mkey = dv_mkey(owner, 0, 4);
	struct ib_sge sge[2], from = t_sge(e, 0, 16);
	int ret;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	/* the lkey of the second piece is an MR's that was never registered */
	sge[0] = t_sge(owner, 0, 8);
	sge[1] = t_sge(owner, 8, 8);
	sge[1].lkey = owner->mr[0]->lkey;
	ret = dv_start(owner, 0, IB_SEND_SIGNALED | IB_SEND_INLINE);
	if (!ret) {
		mlx5dv_wr_mr_list(dv_of(owner), mkey, DV_REMOTE_RW, 2, sge);
		ret = ib_wr_complete(dv_qpx(owner));
	}
	if (!ret)
		ret = t_wait(&owner->sq, 0);
	if (!ret)
		ret = dv_rdma(e, 0, IB_WR_RDMA_WRITE, &from, 0, mkey->rkey);
	mlx5dv_destroy_mkey(mkey);
	T_EXPECT(ret, IB_WC_REM_ACCESS_ERR);
	return 0;
}

const struct t_case dv_mkey_bad_cases[] = {
	{ "mkey_bad_create", mkey_bad_create, &dv_opts },
	{ "mkey_bad_conf", mkey_bad_conf, &dv_opts },
	{ "mkey_bad_room", mkey_bad_room, &dv_opts },
	{ "mkey_bad_pd", mkey_bad_pd, &dv_opts },
	{ "mkey_bad_layout", mkey_bad_layout, &dv_opts },
	{ "mkey_stale_piece", mkey_stale_piece, &dv_opts },
	{ }
};
