// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: pools of mkeys, see <rdma/mlx5dv.h>.
 *
 * If the pool is empty, mlx5dv_get_mkey() fails and starts the work item of the
 * pool, which creates more mkeys, up to the maximum. mlx5dv_get_mkey() returns
 * the mkey that was put last.
 */
#include <linux/export.h>
#include <linux/list.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "dv/dv.h"
#include "dv/mkey.h"
#include "wq/wq.h"

#define MKEY_POOL_GROW_BY	16	/* mkeys that the work item creates at a time */

static struct workqueue_struct *pool_wq;

/**
 * struct mlx5dv_mkey_pool - mkeys for contexts that cannot sleep
 * @attr: attributes of each mkey
 * @max: maximum of @nr
 * @work: creates more mkeys
 * @lock: protects the fields below
 * @free: mkeys in the pool
 * @nr: number of mkeys that exist, in the pool or not
 * @out: number of mkeys that are not in the pool
 * @err: error of the last run of @work, or 0
 */
struct mlx5dv_mkey_pool {
	struct mlx5dv_mkey_init_attr attr;
	u32 max;
	struct work_struct work;
	spinlock_t lock;	/* the fields below */
	struct list_head free;
	u32 nr;
	u32 out;
	int err;
};

/* add @n mkeys, or fewer when the maximum is reached; one call at a time */
static int mkey_pool_grow(struct mlx5dv_mkey_pool *pool, u32 n)
{
	struct mlx5dv_mkey_init_attr attr;
	struct mlx5dv_mkey *dv;

	for (n = min(n, pool->max - pool->nr); n; n--) {
		/* mlx5dv_create_mkey() changes attr.max_entries */
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

/* allocations must not wait for I/O, which may itself wait for an mkey of this pool */
static void mkey_pool_refill(struct work_struct *work)
{
	struct mlx5dv_mkey_pool *pool = container_of(work, struct mlx5dv_mkey_pool, work);
	unsigned int noio = memalloc_noio_save();
	int err = mkey_pool_grow(pool, MKEY_POOL_GROW_BY);

	memalloc_noio_restore(noio);
	spin_lock_irq(&pool->lock);
	pool->err = err;
	spin_unlock_irq(&pool->lock);
}

static void mkey_pool_free(struct mlx5dv_mkey_pool *pool)
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
	INIT_WORK(&pool->work, mkey_pool_refill);
	spin_lock_init(&pool->lock);
	INIT_LIST_HEAD(&pool->free);
	err = mkey_pool_grow(pool, min);
	if (err) {
		mkey_pool_free(pool);
		return ERR_PTR(err);
	}
	return pool;
}
EXPORT_SYMBOL_GPL(mlx5dv_create_mkey_pool);

void mlx5dv_destroy_mkey_pool(struct mlx5dv_mkey_pool *pool)
{
	cancel_work_sync(&pool->work);
	WARN(pool->out, "%u mkeys of a pool are out\n", pool->out);
	mkey_pool_free(pool);
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

	/*
	 * the next owner must not get a signature error of a transfer of the
	 * present owner
	 */
	if (mkey->sig)
		ibx_sig_forget(mkey->sig);
	spin_lock_irqsave(&pool->lock, flags);
	/* the mkey that was used last is the likeliest to be in caches, also in the device */
	list_add(&mkey->entry, &pool->free);
	pool->out--;
	spin_unlock_irqrestore(&pool->lock, flags);
}
EXPORT_SYMBOL_GPL(mlx5dv_put_mkey);

/**
 * ibx_mkey_pool_init() - create the workqueue of all pools
 *
 * Context: module load, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ibx_mkey_pool_init(void)
{
	pool_wq = alloc_workqueue("mlx5_ibx_mkeys", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return pool_wq ? 0 : -ENOMEM;
}

/**
 * ibx_mkey_pool_exit() - undo ibx_mkey_pool_init()
 *
 * Context: module unload or a failed load, when no pool exists; may sleep.
 */
void ibx_mkey_pool_exit(void)
{
	destroy_workqueue(pool_wq);
}
