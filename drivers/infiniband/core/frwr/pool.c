// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: the pool of MRs of a registration context.
 *
 * A map gets the MRs of all requests of a chain together. If fewer MRs are
 * free, the map fails with -EAGAIN, and starts the work item. @wanted of the
 * context is the smallest number of MRs that such a map needs. The work item
 * creates MRs, up to attr.max_mrs, and calls attr.available() when @wanted MRs
 * are free: new MRs, or MRs that requests have put back. Since no chain
 * holds some of its MRs while it waits for others, two chains do not wait for
 * each other. If no MR can be created, the work item runs again after
 * FRWR_RETRY_MS.
 *
 * An MR whose destruction fails is moved to @kept and is not counted in @nr.
 */
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "pool.h"
#include "trace.h"

#define FRWR_GROW_BY	16	/* MRs created at a time */

/**
 * frwr_pool_request() - let the work item create MRs after a map has failed
 * @f: registration context
 *
 * Context: any.
 */
void frwr_pool_request(struct ib_frwr *f)
{
	trace_frwr_pool_empty(f, -EAGAIN);
	queue_delayed_work(frwr_wq, &f->work, 0);
}

/**
 * frwr_pool_get_chain() - get MRs for the requests of a chain without an MR
 * @f: registration context
 * @first: first request of the chain
 *
 * Context: any.
 * Return:
 * * 0
 * * -EAGAIN: too few MRs are free; the pool is unchanged
 * * -EINVAL: the pool can never have that many MRs
 */
int frwr_pool_get_chain(struct ib_frwr *f, struct ib_frwr_req *first)
{
	struct ib_frwr_req *req;
	unsigned long flags;
	bool enough;
	u32 n = 0;

	for (req = first; req; req = req->next)
		n += !req->mr;
	if (unlikely(n > f->attr.max_mrs))
		return -EINVAL;

	spin_lock_irqsave(&f->lock, flags);
	enough = n <= f->nr_free;
	if (unlikely(!enough && (!f->wanted || n < f->wanted)))
		f->wanted = n;
	for (req = first; req && enough; req = req->next) {
		if (req->mr)
			continue;
		req->mr = f->free[--f->nr_free];
		req->frwr = f;
	}
	spin_unlock_irqrestore(&f->lock, flags);

	if (likely(enough))
		return 0;
	frwr_pool_request(f);
	return -EAGAIN;
}

/* Are enough MRs free for a map that has failed? */
static bool frwr_pool_has_wanted(const struct ib_frwr *f)
{
	lockdep_assert_held(&f->lock);
	return f->wanted && f->wanted <= f->nr_free;
}

/**
 * frwr_pool_put() - put the MR of a request into the pool
 * @f: registration context
 * @mr: MR of frwr_pool_get(), IDLE
 *
 * Context: any.
 */
void frwr_pool_put(struct ib_frwr *f, struct ib_mr *mr)
{
	unsigned long flags;

	spin_lock_irqsave(&f->lock, flags);
	f->free[f->nr_free++] = mr;
	/*
	 * queue the work item with the lock held: after the unlock, the ULP may
	 * destroy the context
	 */
	if (unlikely(frwr_pool_has_wanted(f)))
		mod_delayed_work(frwr_wq, &f->work, 0);
	spin_unlock_irqrestore(&f->lock, flags);
}

/**
 * frwr_pool_destroy_mr() - destroy an MR in doubt
 * @f: registration context
 * @mr: MR of frwr_pool_get()
 *
 * Context: may sleep.
 * Return: 0 or an error of frwr_destroy_mr(). In both cases, @f->nr no longer
 * includes the MR.
 */
int frwr_pool_destroy_mr(struct ib_frwr *f, struct ib_mr *mr)
{
	struct frwr_mr *fmr = frwr_mr_of(mr);
	int err;

	spin_lock_irq(&f->lock);
	list_del(&fmr->link);
	spin_unlock_irq(&f->lock);
	err = frwr_destroy_mr(fmr);
	spin_lock_irq(&f->lock);
	f->nr--;
	if (err)
		list_add(&fmr->link, &f->kept);
	spin_unlock_irq(&f->lock);
	return err;
}

static struct ib_mr *frwr_pool_create_mr(const struct ib_frwr *f)
{
	if (frwr_has_pi(f))
		return frwr_pi_create_mr(f->qp->pd, &f->attr.mr);
	return ib_create_mr(f->qp->pd, &f->attr.mr);
}

/**
 * frwr_pool_grow() - add new MRs to the pool
 * @f: registration context
 * @n: number of MRs, for which the pool has space
 *
 * Context: may sleep. One call at a time.
 * Return: 0; or an error of ib_create_mr(), when fewer than @n were added.
 */
int frwr_pool_grow(struct ib_frwr *f, u32 n)
{
	struct ib_mr *mr;

	for (; n; n--) {
		mr = frwr_pool_create_mr(f);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		spin_lock_irq(&f->lock);
		f->nr++;
		list_add(&frwr_mr_of(mr)->link, &f->mrs);
		f->free[f->nr_free++] = mr;
		spin_unlock_irq(&f->lock);
	}
	return 0;
}

/* number of MRs to create now */
static u32 frwr_pool_missing(struct ib_frwr *f)
{
	u32 n = 0;

	spin_lock_irq(&f->lock);
	if (f->wanted > f->nr_free)
		n = min(f->attr.max_mrs - f->nr,
			max_t(u32, f->wanted - f->nr_free, FRWR_GROW_BY));
	spin_unlock_irq(&f->lock);
	return n;
}

/* Return: true if a map that has failed can succeed now. */
static bool frwr_pool_end_shortage(struct ib_frwr *f)
{
	bool ended;

	spin_lock_irq(&f->lock);
	ended = frwr_pool_has_wanted(f);
	if (ended)
		f->wanted = 0;
	spin_unlock_irq(&f->lock);
	return ended;
}

/**
 * frwr_pool_refill() - create MRs if a map has failed, and call
 * attr.available()
 * @f: registration context, whose work item this is
 *
 * Context: may sleep.
 */
void frwr_pool_refill(struct ib_frwr *f)
{
	u32 n = frwr_pool_missing(f);
	int err = frwr_pool_grow(f, n);

	if (n)
		trace_frwr_pool_grown(f, err);
	if (frwr_pool_end_shortage(f)) {
		if (f->attr.available)
			f->attr.available(f->attr.priv);
	} else if (err) {
		/*
		 * Do not wait for a frwr_pool_put(): the ULP may hold all MRs
		 * for a request that waits for one more MR.
		 */
		queue_delayed_work(frwr_wq, &f->work, msecs_to_jiffies(FRWR_RETRY_MS));
	}
}

/* Destroy the MRs in @kept. A retry: the device may accept the command now. */
static void frwr_pool_destroy_kept(struct ib_frwr *f)
{
	struct frwr_mr *kept, *next;
	int err;

	list_for_each_entry_safe(kept, next, &f->kept, link) {
		list_del(&kept->link);
		err = frwr_destroy_mr(kept);
		if (err)
			ibdev_err(f->qp->device, "MR 0x%x cannot be destroyed and is leaked: %d\n",
				  kept->mr->rkey, err);
	}
}

/**
 * frwr_pool_empty() - destroy all MRs
 * @f: registration context, with all its MRs in the pool
 *
 * Context: may sleep.
 */
void frwr_pool_empty(struct ib_frwr *f)
{
	frwr_pool_destroy_kept(f);
	while (f->nr_free)
		frwr_destroy_mr(frwr_mr_of(f->free[--f->nr_free]));
}
