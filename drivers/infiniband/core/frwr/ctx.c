// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: registration contexts.
 *
 * A request holds an MR of the pool from its map until it was released:
 *
 *	IDLE -> MAPPED -> POSTED -> RELEASING -> IDLE
 *	           |        |  |        |
 *	           |        |  |        +-> DOUBT -> IDLE	the QP broke
 *	           |        |  +----------> GONE --> IDLE	the peer invalidated it
 *	           +--------+-------------> GONE, IDLE		it never was posted
 *
 * What makes this safe is the order of a send queue. Completions come in the
 * order of posting, and a request that was flushed always has one. So when the
 * last invalidation of a chain completed, however it did, each one before it has
 * either completed in error, and is in DOUBT, or was executed; and no completion
 * of the chain's registrations can come after it, when the ULP has its memory
 * back and may have freed it.
 *
 * An MR in doubt may be valid at the device. It is destroyed, which the device
 * answers when it has forgotten the key; only then is memory unmapped. Destroying
 * sleeps, so it is done by a work item, as is making MRs when the pool is empty.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "frwr.h"

enum req_state {
	FRWR_REQ_IDLE,
	FRWR_REQ_MAPPED,
	FRWR_REQ_POSTED,
	FRWR_REQ_GONE,
	FRWR_REQ_RELEASING,
	FRWR_REQ_DOUBT,
};

static void back_to_pool(struct ib_frwr_req *req)
{
	struct ib_mr *mr = req->mr;

	req->mr = NULL;
	req->state = FRWR_REQ_IDLE;
	frwr_pool_put(req->frwr, mr);
}

/* ---- MRs in doubt ---- */

static void destroy_in_doubt(struct ib_frwr_req *req)
{
	struct ib_frwr *f = req->frwr;
	int err = ib_destroy_mr(req->mr);

	/* then it stays mapped, too: better lost than written to by a peer */
	if (err)
		ibdev_err(f->qp->device, "MR 0x%x in doubt cannot be destroyed: %d\n",
			  req->rkey, err);
	req->mr = NULL;
	req->state = FRWR_REQ_IDLE;
	frwr_pool_forget(f);
}

static void retire(struct ib_frwr_req *first)
{
	struct ib_frwr_req *req;

	for (req = first; req; req = req->next) {
		if (req->state == FRWR_REQ_DOUBT) {
			destroy_in_doubt(req);
		} else if (req->state == FRWR_REQ_RELEASING) {
			ib_mr_invalidated(req->mr);
			back_to_pool(req);
		}
	}
	if (first->released)
		first->released(first);
}

/* ---- invalidations ---- */

static void add_broken(struct ib_frwr_req *first, unsigned int ms)
{
	struct ib_frwr *f = first->frwr;
	unsigned long flags;

	spin_lock_irqsave(&f->lock, flags);
	list_add_tail(&first->entry, &f->broken);
	/* not after the lock: work that was queued already may release the last request */
	if (ms)
		queue_delayed_work(frwr_wq, &f->work, msecs_to_jiffies(ms));
	else
		mod_delayed_work(frwr_wq, &f->work, 0);
	spin_unlock_irqrestore(&f->lock, flags);
}

/* the last of them is signaled, so as long as one is not posted the chain stays */
static void post_inv(struct ib_frwr_req *first, const struct ib_send_wr *inv)
{
	const struct ib_send_wr *bad;
	int err;

	err = ib_post_send(first->frwr->qp, inv, &bad);
	if (likely(!err))
		return;
	first->unposted = bad;
	/* no room; or, of mlx5_ibx, the QP is open for the builders of <rdma/mlx5dv.h> */
	first->full = err == -ENOMEM || err == -EBUSY;
	add_broken(first, first->full ? FRWR_RETRY_MS : 0);
}

/* invalidations that could not be posted */
static void mend(struct ib_frwr_req *first)
{
	const struct ib_send_wr *inv = first->unposted;

	first->unposted = NULL;
	if (first->full) {
		post_inv(first, inv);
		return;
	}
	/* the QP takes none. What was posted has completed when it is drained */
	ib_drain_sq(first->frwr->qp);
	for (; inv; inv = inv->next)
		container_of(inv, struct ib_frwr_req, inv)->state = FRWR_REQ_DOUBT;
	retire(first);
}

/*
 * No allocation here may wait for I/O: that may be the ULP's own, of requests that
 * wait for this.
 */
static void frwr_work(struct work_struct *work)
{
	struct ib_frwr *f = container_of(to_delayed_work(work), struct ib_frwr, work);
	struct ib_frwr_req *first, *next;
	LIST_HEAD(broken);
	unsigned int noio = memalloc_noio_save();

	spin_lock_irq(&f->lock);
	list_splice_init(&f->broken, &broken);
	spin_unlock_irq(&f->lock);
	list_for_each_entry_safe(first, next, &broken, entry) {
		list_del(&first->entry);
		if (first->unposted)
			mend(first);
		else
			retire(first);
	}

	frwr_pool_refill(f);
	memalloc_noio_restore(noio);
}

/* ---- create, destroy ---- */

u32 ib_frwr_slots(const struct ib_frwr_attr *attr)
{
	/* a registration and an invalidation each, and one to drain */
	return 2 * attr->max_mrs + 1;
}
EXPORT_SYMBOL_GPL(ib_frwr_slots);

struct ib_frwr *ib_frwr_create(struct ib_qp *qp, const struct ib_frwr_attr *attr)
{
	struct ib_frwr *f;
	int err;

	might_sleep();
	if (!attr->min_mrs || attr->min_mrs > attr->max_mrs ||
	    attr->max_mrs > (u32)qp->device->attrs.max_mr || qp->qp_type != IB_QPT_RC)
		return ERR_PTR(-EINVAL);

	f = kvzalloc(struct_size(f, free, attr->max_mrs), GFP_KERNEL);
	if (!f)
		return ERR_PTR(-ENOMEM);
	f->qp = qp;
	f->attr = *attr;
	INIT_DELAYED_WORK(&f->work, frwr_work);
	INIT_LIST_HEAD(&f->broken);
	spin_lock_init(&f->lock);

	err = frwr_pool_grow(f, attr->min_mrs);
	if (err) {
		ib_frwr_destroy(f);
		return ERR_PTR(err);
	}
	return f;
}
EXPORT_SYMBOL_GPL(ib_frwr_create);

void ib_frwr_destroy(struct ib_frwr *f)
{
	might_sleep();
	cancel_delayed_work_sync(&f->work);
	/* a request that is not released: its MR, and this, are lost */
	if (WARN_ON(f->nr != f->nr_free))
		return;
	frwr_pool_empty(f);
	kvfree(f);
}
EXPORT_SYMBOL_GPL(ib_frwr_destroy);

/* ---- map ---- */

static int map_begin(struct ib_frwr *f, struct ib_frwr_req *req)
{
	if (unlikely(req->state != FRWR_REQ_IDLE))
		return -EBUSY;
	req->mr = frwr_pool_get(f);
	if (unlikely(!req->mr))
		return -EAGAIN;
	req->frwr = f;
	return 0;
}

static int map_end(struct ib_frwr_req *req, enum dma_data_direction dir, int err)
{
	struct ib_mr *mr = req->mr;

	if (likely(!err)) {
		err = ib_init_fast_reg_wr(&req->reg, mr, mr->iova, mr->length,
					  ib_mr_access(mr, IB_MR_REMOTE, dir));
		if (unlikely(err))
			ib_mr_unset(mr);
	}
	if (unlikely(err)) {
		back_to_pool(req);
		return err;
	}

	req->rkey = mr->rkey;
	req->iova = mr->iova;
	req->length = mr->length;
	req->state = FRWR_REQ_MAPPED;
	return 0;
}

int ib_frwr_map_sg(struct ib_frwr *f, struct ib_frwr_req *req, struct scatterlist *sg,
		   int sg_nents, enum dma_data_direction dir)
{
	int err;

	if (unlikely(!valid_dma_direction(dir)))
		return -EINVAL;
	err = map_begin(f, req);
	if (unlikely(err))
		return err;
	return map_end(req, dir, ib_mr_set_sg(req->mr, sg, sg_nents));
}
EXPORT_SYMBOL_GPL(ib_frwr_map_sg);

int ib_frwr_map_pages(struct ib_frwr *f, struct ib_frwr_req *req, struct page **pages,
		      size_t offset, size_t length, enum dma_data_direction dir)
{
	/* if that overflows, there are too few pages for the length, which is refused */
	unsigned int npages = DIV_ROUND_UP(offset + length, PAGE_SIZE);
	int err = map_begin(f, req);

	if (unlikely(err))
		return err;
	return map_end(req, dir,
		       ib_mr_set_pages(req->mr, pages, npages, offset, length, dir));
}
EXPORT_SYMBOL_GPL(ib_frwr_map_pages);

int ib_frwr_map_biovec(struct ib_frwr *f, struct ib_frwr_req *req,
		       const struct bio_vec *bvec, unsigned int bi_vcnt,
		       enum dma_data_direction dir)
{
	int err = map_begin(f, req);

	if (unlikely(err))
		return err;
	return map_end(req, dir, ib_mr_set_biovec(req->mr, bvec, bi_vcnt, dir));
}
EXPORT_SYMBOL_GPL(ib_frwr_map_biovec);

/* ---- post ---- */

/* unsignaled: comes after an error only, and the invalidation will have one, too */
static void reg_done(struct ib_cq *cq, struct ib_wc *wc)
{
}

/* what was posted from bad on never reached the device; true if bad is one of ours */
static bool not_posted(struct ib_frwr_req *first, const struct ib_send_wr *bad)
{
	struct ib_frwr_req *req = first;

	while (req && &req->reg.reg.wr != bad)
		req = req->next;
	if (!req)
		return false;
	for (; req; req = req->next)
		req->state = FRWR_REQ_GONE;
	return true;
}

int ib_frwr_post(struct ib_frwr_req *first, const struct ib_send_wr *wr,
		 const struct ib_send_wr **bad_wr)
{
	struct ib_frwr *f = first->frwr;
	const struct ib_send_wr *bad = wr;
	struct ib_frwr_req *req;
	int err = -EINVAL;

	for (req = first; req; req = req->next)
		if (unlikely(req->state != FRWR_REQ_MAPPED || req->frwr != f))
			goto out;

	for (req = first; req; req = req->next) {
		struct ib_send_wr *reg = &req->reg.reg.wr;

		req->reg_cqe.done = reg_done;
		reg->wr_cqe = &req->reg_cqe;
		reg->next = req->next ? &req->next->reg.reg.wr : (struct ib_send_wr *)wr;
		ib_mr_posted(req->mr);
		req->state = FRWR_REQ_POSTED;
	}

	err = ib_post_send(f->qp, &first->reg.reg.wr, &bad);
	if (unlikely(err) && not_posted(first, bad))
		bad = wr;
out:
	if (unlikely(err) && bad_wr)
		*bad_wr = bad;
	return err;
}
EXPORT_SYMBOL_GPL(ib_frwr_post);

/* ---- release ---- */

int ib_frwr_remote_inv(struct ib_frwr_req *first, const struct ib_wc *wc)
{
	struct ib_frwr_req *req;

	/* of one that failed the flags mean nothing */
	if (wc->status != IB_WC_SUCCESS || !(wc->wc_flags & IB_WC_WITH_INVALIDATE))
		return 0;
	for (req = first; req; req = req->next) {
		if (req->rkey == wc->ex.invalidate_rkey && req->state == FRWR_REQ_POSTED) {
			req->state = FRWR_REQ_GONE;
			return 0;
		}
	}
	return -EINVAL;
}
EXPORT_SYMBOL_GPL(ib_frwr_remote_inv);

/* all invalidations of the chain are over */
static void finish(struct ib_frwr_req *first)
{
	struct ib_frwr_req *req;
	bool doubt = false;

	for (req = first; req; req = req->next)
		doubt |= req->state == FRWR_REQ_DOUBT;
	if (unlikely(doubt))
		add_broken(first, 0);
	else
		retire(first);
}

static void inv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ib_frwr_req *req = container_of(wc->wr_cqe, struct ib_frwr_req, inv_cqe);

	if (unlikely(wc->status != IB_WC_SUCCESS))
		req->state = FRWR_REQ_DOUBT;
	if (req->first)
		finish(req->first);
}

/* what needs no invalidation goes at once; returns the invalidations of the others */
static struct ib_send_wr *release_chain(struct ib_frwr_req *first)
{
	struct ib_frwr_req *req, *last = NULL;
	struct ib_send_wr *head = NULL;
	struct ib_send_wr **link = &head;

	for (req = first; req; req = req->next) {
		switch (req->state) {
		case FRWR_REQ_MAPPED:
			ib_mr_unset(req->mr);
			back_to_pool(req);
			break;
		case FRWR_REQ_GONE:
			ib_mr_invalidated(req->mr);
			back_to_pool(req);
			break;
		case FRWR_REQ_POSTED:
			req->state = FRWR_REQ_RELEASING;
			req->first = NULL;
			req->inv_cqe.done = inv_done;
			req->inv = (struct ib_send_wr) {
				.wr_cqe = &req->inv_cqe,
				.opcode = IB_WR_LOCAL_INV,
				.ex.invalidate_rkey = req->rkey,
			};
			*link = &req->inv;
			link = &req->inv.next;
			last = req;
			break;
		}
	}
	if (last) {
		last->inv.send_flags = IB_SEND_SIGNALED;
		last->first = first;
	}
	return head;
}

void ib_frwr_release(struct ib_frwr_req *first)
{
	const struct ib_send_wr *inv;
	struct ib_frwr_req *req;

	/* released already, and not back: memory may still be written to */
	for (req = first; req; req = req->next)
		if (WARN_ON_ONCE(req->state == FRWR_REQ_RELEASING || req->state == FRWR_REQ_DOUBT))
			return;
	first->unposted = NULL;
	inv = release_chain(first);
	if (inv)
		post_inv(first, inv);
	else if (first->released)
		first->released(first);
}
EXPORT_SYMBOL_GPL(ib_frwr_release);
