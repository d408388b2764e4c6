// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Calls for mkeys that rdma-core does not have: layouts of kernel memory, and pools.
 */
#include <linux/bvec.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "dv.h"

/* configures the mkey with access flags and a prepared layout, and waits */
static int configure_layout(struct t_end *e, struct mlx5dv_mkey *mkey,
			    const struct mlx5dv_layout *lay)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), DV_REMOTE_RW);
	mlx5dv_wr_set_mkey_layout(dv_of(e), lay);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

static int invalidate_mkey(struct t_end *e, const struct mlx5dv_mkey *mkey)
{
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	ib_wr_local_inv(dv_qpx(e), mkey->rkey);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/* end 1 WRITEs @len bytes of the pattern @seed with the rkey of @mkey */
static int write_by(struct t_pair *p, const struct mlx5dv_mkey *mkey, u32 len, u32 seed)
{
	struct t_end *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, len);

	t_fill(e, 0, len, seed);
	T_EXPECT(dv_rdma(e, 0, IB_WR_RDMA_WRITE, &sge, 0, mkey->rkey), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

typedef int (*layout_case)(struct t_pair *p, struct mlx5dv_mkey *mkey,
			   struct mlx5dv_layout *lay);

/* runs a case with an mkey of four entries and a layout of @entries entries */
static int with_layout(struct t_pair *p, u32 entries, layout_case run)
{
	struct mlx5dv_mkey *mkey = dv_mkey(&p->end[0], 0, 4);
	struct mlx5dv_layout *lay;
	int ret;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	lay = mlx5dv_alloc_layout(p->end[0].dev, entries, GFP_KERNEL);
	if (IS_ERR(lay)) {
		mlx5dv_destroy_mkey(mkey);
		return T_FAIL("no layout: %ld", PTR_ERR(lay));
	}
	ret = run(p, mkey, lay);
	mlx5dv_free_layout(lay);
	mlx5dv_destroy_mkey(mkey);
	return ret;
}

static int from_sg(struct t_pair *p, struct mlx5dv_mkey *mkey, struct mlx5dv_layout *lay)
{
	struct t_end *owner = &p->end[0];

	T_TRY(mlx5dv_layout_sg(lay, owner->sgl, T_PAGES, owner->pd->local_dma_lkey));
	T_TRY(configure_layout(owner, mkey, lay));
	t_set(owner, T_GUARD);
	T_TRY(write_by(p, mkey, T_BUF_SIZE, 2));
	return t_check(owner, 0, T_BUF_SIZE, 2);
}

static int mkey_from_sg(struct t_pair *p)
{
	/* one entry is sufficient, because the pages are adjacent */
	return with_layout(p, 1, from_sg);
}

/* the pieces of a layout, in a buffer of four pages */
#define BUF_ORDER	2
#define BUF_SIZE	(PAGE_SIZE << BUF_ORDER)
#define PIECES		3
#define ALL_PIECES	(300 + PAGE_SIZE + 50)

static void buf_pieces(void *buf, struct bio_vec *bvec)
{
	struct page *page = virt_to_page(buf);

	bvec_set_page(&bvec[0], page, 300, 100);
	bvec_set_page(&bvec[1], page + 2, PAGE_SIZE, 0);
	bvec_set_page(&bvec[2], page + 3, 50, 0);
}

/* checks that the pieces have the bytes of the message, and that no other byte was written */
static int check_buf(const struct t_end *e, const u8 *buf)
{
	u8 *expected = kmalloc(BUF_SIZE, GFP_KERNEL);
	int diff;

	if (!expected)
		return -ENOMEM;
	memset(expected, T_GUARD, BUF_SIZE);
	memcpy(expected + 100, e->buf, 300);
	memcpy(expected + 2 * PAGE_SIZE, e->buf + 300, PAGE_SIZE + 50);
	diff = memcmp(expected, buf, BUF_SIZE);
	kfree(expected);
	T_EXPECT(diff, 0);
	return 0;
}

/* fills in the layout where sleeping is not allowed, as for I/O that a softirq submits */
static int lay_out_atomic(struct mlx5dv_layout *lay, const struct bio_vec *bvec, u32 n, u32 lkey)
{
	int ret;

	local_bh_disable();
	ret = mlx5dv_layout_biovec(lay, bvec, n, DMA_FROM_DEVICE, lkey);
	local_bh_enable();
	return ret;
}

static int bvec_moves(struct t_pair *p, struct mlx5dv_mkey *mkey, struct mlx5dv_layout *lay,
		      void *buf)
{
	struct t_end *owner = &p->end[0];
	const u32 lkey = owner->pd->local_dma_lkey;
	struct bio_vec bvec[PIECES];
	int i;

	buf_pieces(buf, bvec);
	/* mlx5dv_layout_biovec() unmaps the memory of the previous call first */
	for (i = 0; i < 2; i++) {
		memset(buf, T_GUARD, BUF_SIZE);
		T_TRY(lay_out_atomic(lay, bvec, PIECES, lkey));
		T_TRY(configure_layout(owner, mkey, lay));
		T_TRY(write_by(p, mkey, ALL_PIECES, i));
		T_TRY(invalidate_mkey(owner, mkey));
	}
	mlx5dv_layout_unmap(lay);
	return check_buf(&p->end[1], buf);
}

/* a layout that could not be filled in is empty */
static int bvec_fails(struct t_pair *p, struct mlx5dv_mkey *mkey, struct mlx5dv_layout *lay,
		      void *buf)
{
	struct t_end *owner = &p->end[0];
	const u32 lkey = owner->pd->local_dma_lkey;
	struct mlx5dv_mkey_conf_attr attr = {};
	struct bio_vec bvec[PIECES];

	buf_pieces(buf, bvec);
	T_TRY(mlx5dv_layout_biovec(lay, bvec, 2, DMA_FROM_DEVICE, lkey));
	/* three pieces fit in two entries, because the last two pieces are adjacent */
	T_TRY(mlx5dv_layout_biovec(lay, bvec, PIECES, DMA_FROM_DEVICE, lkey));
	T_EXPECT(mlx5dv_layout_biovec(lay, bvec, 0, DMA_FROM_DEVICE, lkey), -EINVAL);
	T_EXPECT(mlx5dv_layout_biovec(lay, bvec, 2, DMA_NONE, lkey), -EINVAL);
	bvec[1].bv_len = 0;
	T_EXPECT(mlx5dv_layout_biovec(lay, bvec, PIECES, DMA_FROM_DEVICE, lkey), -EINVAL);
	bvec[1].bv_len = 10;
	T_EXPECT(mlx5dv_layout_biovec(lay, bvec, PIECES, DMA_FROM_DEVICE, lkey), -ENOSPC);
	T_TRY(dv_start(owner, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(owner), mkey, 1, &attr);
	mlx5dv_wr_set_mkey_layout(dv_of(owner), lay);
	T_EXPECT(ib_wr_complete(dv_qpx(owner)), -EINVAL);
	return 0;
}

struct buf_case {
	int (*run)(struct t_pair *p, struct mlx5dv_mkey *mkey, struct mlx5dv_layout *lay,
		   void *buf);
	u32 entries;
};

static int with_buf(struct t_pair *p, struct mlx5dv_mkey *mkey, struct mlx5dv_layout *lay)
{
	const struct buf_case *c = p->arg;
	unsigned long buf = __get_free_pages(GFP_KERNEL, BUF_ORDER);
	int ret;

	if (!buf)
		return -ENOMEM;
	ret = c->run(p, mkey, lay, (void *)buf);
	mlx5dv_layout_unmap(lay);
	free_pages(buf, BUF_ORDER);
	return ret;
}

static int run_buf(struct t_pair *p)
{
	return with_layout(p, ((const struct buf_case *)p->arg)->entries, with_buf);
}

/* entry of the table of cases, with a layout of @entries entries */
#define DV_BUF(name, run, entries)					\
	{ #name, run_buf, &dv_opts, &(const struct buf_case){ run, entries } }

/* fills in a layout of the buffer, one bio_vec a page, with entries of at most @max bytes */
static int fill_whole(struct t_pair *p, struct mlx5dv_layout *lay, void *buf, u32 max)
{
	struct ib_device *dev = p->end[0].dev;
	u32 before = ib_dma_max_seg_size(dev);
	struct bio_vec bvec[BUF_SIZE / PAGE_SIZE];
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(bvec); i++)
		bvec_set_page(&bvec[i], virt_to_page(buf) + i, PAGE_SIZE, 0);
	dma_set_max_seg_size(dev->dma_device, max);
	ret = mlx5dv_layout_biovec(lay, bvec, ARRAY_SIZE(bvec), DMA_FROM_DEVICE,
				   p->end[0].pd->local_dma_lkey);
	dma_set_max_seg_size(dev->dma_device, before);
	return ret;
}

/* adjacent bio_vecs are joined up to the maximum segment size of the device, and no further */
static int bvec_joins(struct t_pair *p, struct mlx5dv_mkey *mkey, struct mlx5dv_layout *lay,
		      void *buf)
{
	struct t_end *owner = &p->end[0];

	T_EXPECT(fill_whole(p, lay, buf, PAGE_SIZE / 2), -ENOSPC);
	T_EXPECT(fill_whole(p, lay, buf, 2 * PAGE_SIZE - 1), -ENOSPC);
	T_EXPECT(fill_whole(p, lay, buf, 2 * PAGE_SIZE), 0);
	T_TRY(configure_layout(owner, mkey, lay));
	T_TRY(write_by(p, mkey, BUF_SIZE, 0));
	T_TRY(invalidate_mkey(owner, mkey));
	mlx5dv_layout_unmap(lay);
	T_EXPECT(memcmp(buf, p->end[1].buf, BUF_SIZE), 0);
	return 0;
}

/* ---- pools ---- */

#define POOL_MAX	20

/* gets an mkey from the pool, and waits while the pool creates one */
static struct mlx5dv_mkey *pool_get(struct mlx5dv_mkey_pool *pool)
{
	struct mlx5dv_mkey *mkey;
	int i;

	for (i = 0; i < 250; i++) {
		mkey = mlx5dv_get_mkey(pool);
		if (mkey != ERR_PTR(-EAGAIN))
			break;
		msleep(20);
	}
	return mkey;
}

/* gets all mkeys that the pool may have, and checks that they differ */
static int take_all(struct mlx5dv_mkey_pool *pool, struct mlx5dv_mkey **mkeys)
{
	int i, j;

	mkeys[0] = mlx5dv_get_mkey(pool);
	mkeys[1] = mlx5dv_get_mkey(pool);
	T_EXPECT(IS_ERR(mkeys[0]) || IS_ERR(mkeys[1]), false);
	T_EXPECT(PTR_ERR_OR_ZERO(mlx5dv_get_mkey(pool)), -EAGAIN);
	for (i = 2; i < POOL_MAX; i++) {
		mkeys[i] = pool_get(pool);
		T_EXPECT(PTR_ERR_OR_ZERO(mkeys[i]), 0);
	}
	for (i = 0; i < POOL_MAX; i++)
		for (j = 0; j < i; j++)
			T_EXPECT(mkeys[i]->lkey == mkeys[j]->lkey, false);
	T_EXPECT(PTR_ERR_OR_ZERO(mlx5dv_get_mkey(pool)), -ENOSPC);
	return 0;
}

static int pool_works(struct t_pair *p, struct mlx5dv_mkey_pool *pool)
{
	struct mlx5dv_mkey *mkeys[POOL_MAX], *again;
	struct t_end *owner = &p->end[0];
	const struct ib_sge sge = t_sge(owner, 0, 1000);
	int i;

	T_TRY(take_all(pool, mkeys));
	for (i = 0; i < POOL_MAX; i += POOL_MAX - 1) {
		T_TRY(dv_start(owner, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
		mlx5dv_wr_mr_list(dv_of(owner), mkeys[i], DV_REMOTE_RW, 1, &sge);
		T_EXPECT(ib_wr_complete(dv_qpx(owner)), 0);
		T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
		t_clear_counts(&owner->sq);
		T_TRY(write_by(p, mkeys[i], 1000, i));
		T_TRY(t_check(owner, 0, 1000, i));
	}
	for (i = 0; i < POOL_MAX; i++)
		mlx5dv_put_mkey(pool, mkeys[i]);
	again = mlx5dv_get_mkey(pool);
	T_EXPECT(again == mkeys[POOL_MAX - 1], true);
	mlx5dv_put_mkey(pool, again);
	return 0;
}

static int mkey_pool(struct t_pair *p)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = p->end[0].pd, .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = 4,
	};
	struct mlx5dv_mkey_pool *pool;
	int ret;

	T_EXPECT(PTR_ERR_OR_ZERO(mlx5dv_create_mkey_pool(&attr, 0, 4)), -EINVAL);
	T_EXPECT(PTR_ERR_OR_ZERO(mlx5dv_create_mkey_pool(&attr, 5, 4)), -EINVAL);
	attr.create_flags = 0;
	T_EXPECT(PTR_ERR_OR_ZERO(mlx5dv_create_mkey_pool(&attr, 1, 4)), -EINVAL);
	attr.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT;

	pool = mlx5dv_create_mkey_pool(&attr, 2, POOL_MAX);
	if (IS_ERR(pool))
		return T_FAIL("no pool: %ld", PTR_ERR(pool));
	ret = pool_works(p, pool);
	mlx5dv_destroy_mkey_pool(pool);
	return ret;
}

const struct t_case dv_mkey_kernel_cases[] = {
	{ "mkey_from_sg", mkey_from_sg, &dv_opts },
	DV_BUF(mkey_from_bvec, bvec_moves, PIECES),
	DV_BUF(mkey_bad_bvec, bvec_fails, 2),
	DV_BUF(mkey_joined_bvec, bvec_joins, 2),
	{ "mkey_pool", mkey_pool, &dv_opts },
	{ }
};
