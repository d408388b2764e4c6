// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: pools of mkeys. See struct mlx5dv_mkey_pool in <rdma/mlx5dv.h>.
 */
#include <linux/export.h>
#include <linux/list.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "dv/dv.h"
#include "dv/mkey.h"

#define GROW_BY		16	/* mkeys made at a time */

static struct workqueue_struct *pool_wq;

/**
 * struct mlx5dv_mkey_pool - see <rdma/mlx5dv.h>
 * @attr: of its mkeys
 * @max: mkeys at most
 * @work: makes more
 * @lock: protects what follows
 * @free: mkeys that are not out
 * @nr: mkeys there are
 * @out: of these not in @free
 * @err: why there are not more, if @work was tried and failed
 */
struct mlx5dv_mkey_pool {
	struct mlx5dv_mkey_init_attr attr;
	u32 max;
	struct work_struct work;
	spinlock_t lock;	/* what follows */
	struct list_head free;
	u32 nr;
	u32 out;
	int err;
};

/* @n more mkeys, or as many as can be had; only one call at a time */
static int grow(struct mlx5dv_mkey_pool *pool, u32 n)
{
	struct mlx5dv_mkey_init_attr attr;
	struct mlx5dv_mkey *dv;

	for (n = min(n, pool->max - pool->nr); n; n--) {
		/* which gets what the mkey holds */
		attr = pool->attr;
		dv = mlx5dv_create_mkey(&attr);
		if (IS_ERR(dv))
			return PTR_ERR(dv);
		spin_lock_irq(&pool->lock);
		list_add_tail(&to_imkey(dv)->entry, &pool->free);
		pool->nr++;
		spin_unlock_irq(&pool->lock);
	}
	return 0;
}

/*
 * No allocation here may wait for I/O: that may be the ULP's own, of requests that
 * wait for an mkey.
 */
static void grow_work(struct work_struct *work)
{
	struct mlx5dv_mkey_pool *pool = container_of(work, struct mlx5dv_mkey_pool, work);
	unsigned int noio = memalloc_noio_save();
	int err = grow(pool, GROW_BY);

	memalloc_noio_restore(noio);
	spin_lock_irq(&pool->lock);
	pool->err = err;
	spin_unlock_irq(&pool->lock);
}

static void free_mkeys(struct mlx5dv_mkey_pool *pool)
{
	struct ibx_mkey *mkey, *next;

	list_for_each_entry_safe(mkey, next, &pool->free, entry)
		mlx5dv_destroy_mkey(&mkey->dv);
	kfree(pool);
}

struct mlx5dv_mkey_pool *mlx5dv_create_mkey_pool(const struct mlx5dv_mkey_init_attr *attr,
						 u32 min, u32 max)
{
	struct mlx5dv_mkey_pool *pool;
	int err;

	if (!min || max < min)
		return ERR_PTR(-EINVAL);
	pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return ERR_PTR(-ENOMEM);
	pool->attr = *attr;
	pool->max = max;
	INIT_WORK(&pool->work, grow_work);
	spin_lock_init(&pool->lock);
	INIT_LIST_HEAD(&pool->free);
	err = grow(pool, min);
	if (err) {
		free_mkeys(pool);
		return ERR_PTR(err);
	}
	return pool;
}
EXPORT_SYMBOL_GPL(mlx5dv_create_mkey_pool);

void mlx5dv_destroy_mkey_pool(struct mlx5dv_mkey_pool *pool)
{
	cancel_work_sync(&pool->work);
	WARN(pool->out, "%u mkeys of a pool are out\n", pool->out);
	free_mkeys(pool);
}
EXPORT_SYMBOL_GPL(mlx5dv_destroy_mkey_pool);

struct mlx5dv_mkey *mlx5dv_get_mkey(struct mlx5dv_mkey_pool *pool)
{
	struct ibx_mkey *mkey;
	unsigned long flags;
	int err;

	spin_lock_irqsave(&pool->lock, flags);
	mkey = list_first_entry_or_null(&pool->free, struct ibx_mkey, entry);
	err = pool->nr == pool->max ? -ENOSPC : pool->err ?: -EAGAIN;
	if (mkey) {
		list_del(&mkey->entry);
		pool->out++;
	}
	spin_unlock_irqrestore(&pool->lock, flags);

	if (mkey)
		return &mkey->dv;
	if (err != -ENOSPC)
		queue_work(pool_wq, &pool->work);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(mlx5dv_get_mkey);

void mlx5dv_put_mkey(struct mlx5dv_mkey_pool *pool, struct mlx5dv_mkey *dv)
{
	struct ibx_mkey *mkey = to_imkey(dv);
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	/* what was used last is in the caches, the device's too */
	list_add(&mkey->entry, &pool->free);
	pool->out--;
	spin_unlock_irqrestore(&pool->lock, flags);
}
EXPORT_SYMBOL_GPL(mlx5dv_put_mkey);

/**
 * ibx_mkey_pool_init - what all pools share
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int ibx_mkey_pool_init(void)
{
	pool_wq = alloc_workqueue("mlx5_ibx_mkeys", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return pool_wq ? 0 : -ENOMEM;
}

/**
 * ibx_mkey_pool_exit - undo ibx_mkey_pool_init()
 *
 * Context: may sleep; there are no pools.
 */
void ibx_mkey_pool_exit(void)
{
	destroy_workqueue(pool_wq);
}
