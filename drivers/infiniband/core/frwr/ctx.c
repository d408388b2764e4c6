// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: registration contexts.
 *
 * A request holds an MR of the pool from its map until its release is complete:
 *
 *	IDLE -> MAPPED -> POSTED -> RELEASING -> IDLE
 *	           |        |  |        |
 *	           |        |  |        +-> IN_DOUBT -> IDLE	the QP broke
 *	           |        |  +----------> INVALID --> IDLE	the peer invalidated the key
 *	           |        |  +----------> ABORTED --> IDLE	ib_frwr_abort() destroyed the MR
 *	           +--------+-------------> INVALID, IDLE	the registration was not posted
 *
 * An invalidation that the QP has not accepted makes a RELEASING request REFUSED, until
 * the work item posts it again.
 *
 * The order of a send queue makes the release safe. Completions arrive in the
 * order of posting, and a work request that is flushed always has a completion.
 * So when the last invalidation of a chain has completed, each invalidation before
 * it has either completed in error, and its request is IN_DOUBT, or was executed.
 * No completion of the chain's registrations can arrive after that, when the ULP
 * owns the memory again and may have freed the requests.
 *
 * The key of an MR in doubt may be valid. Such an MR is destroyed, after which the
 * device does not know the key; only then is its memory unmapped. Destroying an MR
 * sleeps, so a work item does it. The work item also makes MRs for an empty pool.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "frwr.h"
#include "trace.h"

enum frwr_req_state {
	FRWR_REQ_IDLE,
	FRWR_REQ_MAPPED,
	FRWR_REQ_POSTED,
	FRWR_REQ_INVALID,
	FRWR_REQ_ABORTED,
	/* in release */
	FRWR_REQ_RELEASING,
	FRWR_REQ_REFUSED,
	FRWR_REQ_IN_DOUBT,
};

/* it is part of each request of a ULP */
static_assert(sizeof(struct ib_frwr_req) <= 150);

static void frwr_req_put_mr(struct ib_frwr_req *req)
{
	struct ib_mr *mr = req->mr;

	req->mr = NULL;
	req->state = FRWR_REQ_IDLE;
	frwr_pool_put(req->frwr, mr);
}

/* ---- end of a release ---- */

/* while the request has its MR */
static void frwr_req_take_status(struct ib_frwr_req *req)
{
	if (unlikely(frwr_has_pi(req->frwr)))
		frwr_pi_take_status(container_of(req, struct ib_frwr_pi_req, req));
}

/* the device does not know the key: the memory and the MR are free */
static void frwr_req_end_release(struct ib_frwr_req *req)
{
	frwr_req_take_status(req);
	frwr_detach_list(frwr_mr_of(req->mr));
	trace_frwr_release(req);
	frwr_req_put_mr(req);
}

/* if the device refuses, the memory stays mapped, and the ULP finds req->err */
static void frwr_req_destroy_mr(struct ib_frwr_req *req)
{
	struct ib_frwr *f = req->frwr;

	frwr_req_take_status(req);
	req->err = frwr_pool_destroy_mr(f, req->mr);
	if (req->err)
		ibdev_err(f->qp->device,
			  "QP 0x%x: key 0x%x in doubt cannot be destroyed, its memory is lost: %d\n",
			  f->qp->qp_num, req->rkey, req->err);
	trace_frwr_release(req);
	req->mr = NULL;
	req->state = FRWR_REQ_IDLE;
}

/* note the first completion with an error, which has the cause */
static void frwr_req_note_failure(struct ib_frwr_req *req, const struct ib_wc *wc,
				  const char *what)
{
	const struct ib_qp *qp = req->frwr->qp;

	if (likely(wc->status == IB_WC_SUCCESS))
		return;
	if (req->status == IB_WC_SUCCESS)
		req->status = wc->status;
	if (wc->status != IB_WC_WR_FLUSH_ERR)
		ibdev_err_ratelimited(qp->device,
				      "QP 0x%x: %s of key 0x%x failed: %s (vendor error 0x%x)\n",
				      qp->qp_num, what, req->rkey, ib_wc_status_msg(wc->status),
				      wc->vendor_err);
}

/* sleeps if an MR of the chain is in doubt */
static void frwr_chain_end_release(struct ib_frwr_req *first)
{
	struct ib_frwr_req *req;

	for (req = first; req; req = req->next) {
		if (req->state == FRWR_REQ_IN_DOUBT) {
			trace_frwr_in_doubt(req);
			frwr_req_destroy_mr(req);
		} else if (req->state == FRWR_REQ_RELEASING) {
			frwr_req_end_release(req);
		}
	}
	if (first->released)
		first->released(first);
}

/*
 * ---- invalidations ----
 *
 * The last invalidation of a chain is the signaled one. Send queues execute in order
 * and stop at the first error, so its completion tells of all: after a success all
 * keys are invalid, after an error all are in doubt. Completions of the others, which
 * only an error has, need not come.
 *
 * A release ends when both have happened: the last invalidation has completed, and
 * ib_post_send() has returned. That is counted in first->pending, because a driver may
 * post work requests and return an error nevertheless.
 */

/* hand a chain to the work item, which runs after @ms milliseconds at the latest */
static void frwr_chain_defer(struct ib_frwr_req *first, unsigned int ms)
{
	struct ib_frwr *f = first->frwr;
	unsigned long flags;

	spin_lock_irqsave(&f->lock, flags);
	first->deferred = f->deferred;
	f->deferred = first;
	/*
	 * With the lock held: when it is released, a work item that is running may
	 * release the last request, and the ULP destroy the context.
	 */
	if (ms)
		queue_delayed_work(frwr_wq, &f->work, msecs_to_jiffies(ms));
	else
		mod_delayed_work(frwr_wq, &f->work, 0);
	spin_unlock_irqrestore(&f->lock, flags);
}

static void frwr_chain_mark_doubt(struct ib_frwr_req *first)
{
	struct ib_frwr_req *req;

	for (req = first; req; req = req->next)
		if (req->state == FRWR_REQ_RELEASING || req->state == FRWR_REQ_REFUSED)
			req->state = FRWR_REQ_IN_DOUBT;
}

/* of a chain of which the invalidations from @bad on were not posted, note these */
static void frwr_chain_mark_refused(struct ib_frwr_req *first, const struct ib_send_wr *bad)
{
	struct ib_frwr_req *req = first;

	while (req && &req->inv != bad)
		req = req->next;
	for (; req; req = req->next)
		if (req->state == FRWR_REQ_RELEASING)
			req->state = FRWR_REQ_REFUSED;
}

/* the invalidations that were not posted, which will be now; NULL if all were */
static const struct ib_send_wr *frwr_chain_take_refused(struct ib_frwr_req *first)
{
	const struct ib_send_wr *inv = NULL;
	struct ib_frwr_req *req;

	for (req = first; req; req = req->next) {
		if (req->state != FRWR_REQ_REFUSED)
			continue;
		req->state = FRWR_REQ_RELEASING;
		inv = inv ?: &req->inv;
	}
	return inv;
}

/* both have happened */
static void frwr_chain_inv_done(struct ib_frwr_req *first)
{
	struct ib_frwr_req *req;
	bool in_doubt = false;

	for (req = first; req; req = req->next)
		in_doubt |= req->state == FRWR_REQ_IN_DOUBT;
	if (unlikely(in_doubt))
		frwr_chain_defer(first, 0);
	else
		frwr_chain_end_release(first);
}

static void frwr_chain_post_inv(struct ib_frwr_req *first, const struct ib_send_wr *inv)
{
	/* a driver that refuses without a word on *bad_wr has posted nothing, or all */
	const struct ib_send_wr *bad = inv;
	const struct ib_qp *qp = first->frwr->qp;
	int err;

	err = ib_post_send(first->frwr->qp, inv, &bad);
	if (likely(!err)) {
		if (atomic_dec_and_test(&first->pending))
			frwr_chain_inv_done(first);
		return;
	}
	/* -EBUSY: mlx5_ibx, while the QP is open for the builders of <rdma/mlx5dv.h> */
	first->full = bad && (err == -ENOMEM || err == -EBUSY);
	if (!first->full)
		ibdev_err_ratelimited(qp->device, "QP 0x%x refuses invalidations: %d\n",
				      qp->qp_num, err);
	frwr_chain_mark_refused(first, bad ?: inv);
	frwr_chain_defer(first, first->full ? FRWR_RETRY_MS : 0);
}

/* deal with invalidations that could not be posted: post them now, if the QP accepts WRs */
static void frwr_chain_retry_inv(struct ib_frwr_req *first, const struct ib_send_wr *inv)
{
	if (first->full) {
		frwr_chain_post_inv(first, inv);
		return;
	}
	/*
	 * Invalidations that were posted all the same have completed when the SQ is drained.
	 * Their states do not tell how: they were marked refused meanwhile.
	 */
	ib_drain_sq(first->frwr->qp);
	frwr_chain_mark_doubt(first);
	frwr_chain_end_release(first);
}

static void frwr_chain_continue_release(struct ib_frwr_req *first)
{
	const struct ib_send_wr *inv = frwr_chain_take_refused(first);

	if (inv)
		frwr_chain_retry_inv(first, inv);
	else
		frwr_chain_end_release(first);
}

static void frwr_run_deferred(struct ib_frwr *f)
{
	struct ib_frwr_req *first, *next;

	spin_lock_irq(&f->lock);
	first = f->deferred;
	f->deferred = NULL;
	spin_unlock_irq(&f->lock);
	for (; first; first = next) {
		next = first->deferred;
		frwr_chain_continue_release(first);
	}
}

/*
 * No allocation in here may wait for I/O: that could be I/O of the ULP, whose
 * requests wait for this work item.
 */
static void frwr_run_work(struct work_struct *work)
{
	struct ib_frwr *f = container_of(to_delayed_work(work), struct ib_frwr, work);
	unsigned int noio = memalloc_noio_save();

	frwr_run_deferred(f);
	frwr_pool_refill(f);
	memalloc_noio_restore(noio);
}

/* ---- create, destroy ---- */

u32 ib_frwr_slots(const struct ib_frwr_attr *attr)
{
	/* a registration and an invalidation for each MR, and one WR to drain the queue */
	return 2 * attr->max_mrs + 1;
}
EXPORT_SYMBOL_GPL(ib_frwr_slots);

static void frwr_set_access(struct ib_frwr *f)
{
	enum dma_data_direction dir;

	for (dir = DMA_BIDIRECTIONAL; dir < DMA_NONE; dir++)
		f->access[dir] = frwr_min_flags(f->qp->device, IB_MR_REMOTE, dir);
}

static int frwr_check_ctx(const struct ib_qp *qp, const struct ib_frwr_attr *attr)
{
	int err;

	if (!attr->min_mrs || attr->min_mrs > attr->max_mrs ||
	    attr->max_mrs > (u32)qp->device->attrs.max_mr || qp->qp_type != IB_QPT_RC)
		return -EINVAL;
	if (attr->mr.mr_type != IB_MR_TYPE_INTEGRITY)
		return 0;
	err = frwr_pi_check_attr(qp->device, &attr->mr);
	if (!err && !qp->integrity_en)
		err = -EINVAL;
	return err;
}

struct ib_frwr *ib_frwr_create(struct ib_qp *qp, const struct ib_frwr_attr *attr)
{
	struct ib_frwr *f;
	int err;

	might_sleep();
	err = frwr_check_ctx(qp, attr);
	if (err)
		return ERR_PTR(err);

	f = kvzalloc(struct_size(f, free, attr->max_mrs), GFP_KERNEL);
	if (!f)
		return ERR_PTR(-ENOMEM);
	f->qp = qp;
	f->attr = *attr;
	frwr_set_access(f);
	INIT_DELAYED_WORK(&f->work, frwr_run_work);
	INIT_LIST_HEAD(&f->mrs);
	INIT_LIST_HEAD(&f->kept);
	spin_lock_init(&f->lock);

	err = frwr_pool_grow(f, attr->min_mrs);
	if (err) {
		ib_frwr_destroy(f);
		return ERR_PTR(err);
	}
	return f;
}
EXPORT_SYMBOL_GPL(ib_frwr_create);

/* a request that was not released has an MR, and uses the context */
static int frwr_check_unused(struct ib_frwr *f)
{
	u32 lent;

	spin_lock_irq(&f->lock);
	lent = f->nr - f->nr_free;
	spin_unlock_irq(&f->lock);
	if (!lent)
		return 0;
	ibdev_err(f->qp->device, "QP 0x%x: %u requests are not released\n", f->qp->qp_num, lent);
	return -EBUSY;
}

int ib_frwr_destroy(struct ib_frwr *f)
{
	int err;

	might_sleep();
	err = frwr_check_unused(f);
	if (err)
		return err;
	disable_delayed_work_sync(&f->work);
	/* attr.available() may have mapped a request until then */
	err = frwr_check_unused(f);
	if (err) {
		enable_delayed_work(&f->work);
		queue_delayed_work(frwr_wq, &f->work, 0);
		return err;
	}
	frwr_pool_empty(f);
	kvfree(f);
	return 0;
}
EXPORT_SYMBOL_GPL(ib_frwr_destroy);

/* ---- map ---- */

/* for a request of a chain; the map of an earlier request may have got its MR */
static int frwr_chain_get_mrs(struct ib_frwr *f, struct ib_frwr_req *first)
{
	struct ib_frwr_req *req;

	if (first->mr)
		return first->frwr == f ? 0 : -EINVAL;
	/* an ABORTED request takes no MR before it is released */
	for (req = first; req; req = req->next)
		if (unlikely(req->state == FRWR_REQ_ABORTED))
			return -EBUSY;
	return frwr_pool_get_chain(f, first);
}

static int frwr_req_begin_map(struct ib_frwr *f, struct ib_frwr_req *req)
{
	if (unlikely(req->state != FRWR_REQ_IDLE))
		return -EBUSY;
	if (unlikely(req->next || req->mr))
		return frwr_chain_get_mrs(f, req);
	req->mr = frwr_pool_get(f);
	if (unlikely(!req->mr))
		return -EAGAIN;
	req->frwr = f;
	return 0;
}

/* put back the MRs of a request that is not mapped, and of those behind it */
static void frwr_chain_put_unmapped(struct ib_frwr_req *req)
{
	for (; req; req = req->next)
		if (req->mr && req->state == FRWR_REQ_IDLE)
			frwr_req_put_mr(req);
}

/* a list is attached to the MR of the request: set all but the length */
static __always_inline void frwr_req_set_mapped(struct ib_frwr_req *req,
						enum dma_data_direction dir)
{
	struct ib_mr *mr = req->mr;

	/* ib_frwr_post() sets the other members */
	req->reg.wr.sg_list = NULL;
	req->reg.wr.num_sge = 0;
	req->reg.wr.send_flags = 0;
	req->reg.wr.ex.imm_data = 0;
	frwr_fill_reg(&req->reg, mr, req->frwr->access[dir]);
	frwr_mr_of(mr)->req = req;
	req->rkey = mr->rkey;
	req->lkey = mr->lkey;
	req->iova = mr->iova;
	req->status = IB_WC_SUCCESS;
	req->err = 0;
	req->state = FRWR_REQ_MAPPED;
}

/* @err: result of ib_mr_set_*() on the MR of the request */
static int frwr_req_end_map(struct ib_frwr_req *req, enum dma_data_direction dir, int err)
{
	if (unlikely(err)) {
		frwr_chain_put_unmapped(req);
		return err;
	}
	frwr_req_set_mapped(req, dir);
	req->length = req->mr->length;
	trace_frwr_map(req);
	return 0;
}

int ib_frwr_map_sg(struct ib_frwr *f, struct ib_frwr_req *req, struct scatterlist *sg,
		   int sg_nents, enum dma_data_direction dir)
{
	int err;

	if (unlikely(!valid_dma_direction(dir)))
		return -EINVAL;
	err = frwr_req_begin_map(f, req);
	if (unlikely(err))
		return err;
	return frwr_req_end_map(req, dir, ib_mr_set_sg(req->mr, sg, sg_nents));
}
EXPORT_SYMBOL_GPL(ib_frwr_map_sg);

int ib_frwr_map_sg_part(struct ib_frwr *f, struct ib_frwr_req *req, struct scatterlist *sg,
			int sg_nents, unsigned int *sg_offset, enum dma_data_direction dir)
{
	unsigned int offset = *sg_offset;
	int err, n;

	if (unlikely(!valid_dma_direction(dir)))
		return -EINVAL;
	err = frwr_req_begin_map(f, req);
	if (unlikely(err))
		return err;
	n = ib_mr_set_sg_part(req->mr, sg, sg_nents, &offset);
	err = frwr_req_end_map(req, dir, min(n, 0));
	if (unlikely(err))
		return err;
	*sg_offset = offset;
	return n;
}
EXPORT_SYMBOL_GPL(ib_frwr_map_sg_part);

int ib_frwr_map_pages(struct ib_frwr *f, struct ib_frwr_req *req, struct page **pages,
		      size_t offset, size_t length, enum dma_data_direction dir)
{
	/* after an overflow there are too few pages for the length, which is refused */
	unsigned int npages = DIV_ROUND_UP(offset + length, PAGE_SIZE);
	int err = frwr_req_begin_map(f, req);

	if (unlikely(err))
		return err;
	return frwr_req_end_map(req, dir,
				ib_mr_set_pages(req->mr, pages, npages, offset, length, dir));
}
EXPORT_SYMBOL_GPL(ib_frwr_map_pages);

int ib_frwr_map_biovec(struct ib_frwr *f, struct ib_frwr_req *req,
		       const struct bio_vec *bvec, unsigned int bi_vcnt,
		       enum dma_data_direction dir)
{
	int err = frwr_req_begin_map(f, req);

	if (unlikely(err))
		return err;
	return frwr_req_end_map(req, dir, ib_mr_set_biovec(req->mr, bvec, bi_vcnt, dir));
}
EXPORT_SYMBOL_GPL(ib_frwr_map_biovec);

int ib_frwr_map_bvec_iter(struct ib_frwr *f, struct ib_frwr_req *req,
			  const struct bio_vec *bvec, struct bvec_iter iter,
			  enum dma_data_direction dir)
{
	int err = frwr_req_begin_map(f, req);

	if (unlikely(err))
		return err;
	return frwr_req_end_map(req, dir, ib_mr_set_bvec_iter(req->mr, bvec, iter, dir));
}
EXPORT_SYMBOL_GPL(ib_frwr_map_bvec_iter);

int ib_frwr_map_bio(struct ib_frwr *f, struct ib_frwr_req *req, struct bio *bio,
		    enum dma_data_direction dir)
{
	int err = frwr_req_begin_map(f, req);

	if (unlikely(err))
		return err;
	return frwr_req_end_map(req, dir, ib_mr_set_bio(req->mr, bio, dir));
}
EXPORT_SYMBOL_GPL(ib_frwr_map_bio);

/* get an MR for a request with protection information */
static int frwr_pi_begin_map(struct ib_frwr *f, struct ib_frwr_pi_req *pi,
			     enum dma_data_direction dir)
{
	if (unlikely(!frwr_has_pi(f) || !valid_dma_direction(dir)))
		return -EINVAL;
	return frwr_req_begin_map(f, &pi->req);
}

/* @err: result of frwr_pi_map*() on the MR of the request */
static int frwr_pi_end_map(struct ib_frwr_pi_req *pi, enum dma_data_direction dir, int err)
{
	struct ib_frwr_req *req = &pi->req;

	if (unlikely(err)) {
		frwr_chain_put_unmapped(req);
		return err;
	}
	frwr_req_set_mapped(req, dir);
	req->reg.wr.opcode = IB_WR_REG_MR_INTEGRITY;
	trace_frwr_map(req);
	return 0;
}

int ib_frwr_map_pi(struct ib_frwr *f, struct ib_frwr_pi_req *pi,
		   const struct ib_frwr_pi_lists *lists, const struct ib_sig_attrs *attrs,
		   enum dma_data_direction dir)
{
	int err = frwr_pi_begin_map(f, pi, dir);

	if (unlikely(err))
		return err;
	return frwr_pi_end_map(pi, dir, frwr_pi_map(pi, lists, attrs));
}
EXPORT_SYMBOL_GPL(ib_frwr_map_pi);

int ib_frwr_map_pi_biovec(struct ib_frwr *f, struct ib_frwr_pi_req *pi,
			  const struct ib_frwr_pi_bvecs *vecs, const struct ib_sig_attrs *attrs,
			  enum dma_data_direction dir)
{
	int err = frwr_pi_begin_map(f, pi, dir);

	if (unlikely(err))
		return err;
	return frwr_pi_end_map(pi, dir, frwr_pi_map_bvecs(pi, vecs, attrs, dir));
}
EXPORT_SYMBOL_GPL(ib_frwr_map_pi_biovec);

int ib_frwr_set_iova(struct ib_frwr_req *req, u64 iova)
{
	int err;

	if (unlikely(req->state != FRWR_REQ_MAPPED))
		return -EINVAL;
	err = frwr_init_reg(&req->reg, req->mr, iova, req->length, req->reg.access);
	if (likely(!err))
		req->iova = iova;
	return err;
}
EXPORT_SYMBOL_GPL(ib_frwr_set_iova);

/* ---- post ---- */

/*
 * Registrations are unsignaled: only one that failed has a completion, unless the QP
 * signals all WRs. The invalidation of its key fails, too, and that is where the
 * failure is handled.
 */
static void frwr_reg_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ib_frwr_req *req = container_of(wc->wr_cqe, struct ib_frwr_req, reg_cqe);

	trace_frwr_reg_done(cq, req, wc);
	frwr_req_note_failure(req, wc, "registration");
}

/*
 * Of a chain of which the WRs from @bad on were not posted, note the registrations
 * among them. Return: true if @bad is a registration.
 */
static bool frwr_chain_mark_unposted(struct ib_frwr_req *first, const struct ib_send_wr *bad)
{
	struct ib_frwr_req *req = first;

	while (req && &req->reg.wr != bad)
		req = req->next;
	if (!req)
		return false;
	for (; req; req = req->next)
		req->state = FRWR_REQ_INVALID;
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
		struct ib_send_wr *reg = &req->reg.wr;

		req->reg_cqe.done = frwr_reg_done;
		reg->wr_cqe = &req->reg_cqe;
		reg->next = req->next ? &req->next->reg.wr : (struct ib_send_wr *)wr;
		frwr_mark_posted(frwr_mr_of(req->mr));
		req->state = FRWR_REQ_POSTED;
		trace_frwr_post(req);
	}

	err = ib_post_send(f->qp, &first->reg.wr, &bad);
	if (unlikely(err) && frwr_chain_mark_unposted(first, bad))
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

	/* wc_flags are undefined in a completion with an error */
	if (wc->status != IB_WC_SUCCESS || !(wc->wc_flags & IB_WC_WITH_INVALIDATE))
		return 0;
	for (req = first; req; req = req->next) {
		if (req->rkey == wc->ex.invalidate_rkey && req->state == FRWR_REQ_POSTED) {
			req->state = FRWR_REQ_INVALID;
			trace_frwr_remote_inv(req);
			return 0;
		}
	}
	return -EINVAL;
}
EXPORT_SYMBOL_GPL(ib_frwr_remote_inv);

static void frwr_inv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ib_frwr_req *req = container_of(wc->wr_cqe, struct ib_frwr_req, inv_cqe);
	struct ib_frwr_req *first = req->first;

	frwr_req_note_failure(req, wc, "invalidation");
	trace_frwr_inv_done(cq, req, wc);
	if (!first)
		return;
	if (unlikely(wc->status != IB_WC_SUCCESS))
		frwr_chain_mark_doubt(first);
	if (atomic_dec_and_test(&first->pending))
		frwr_chain_inv_done(first);
}

/* put MRs back that need no invalidation. Return: the chain of invalidations of the others */
static struct ib_send_wr *frwr_chain_build_inv(struct ib_frwr_req *first)
{
	struct ib_frwr_req *req, *last = NULL;
	struct ib_send_wr *head = NULL;
	struct ib_send_wr **link = &head;

	for (req = first; req; req = req->next) {
		switch (req->state) {
		case FRWR_REQ_IDLE:
			if (req->mr)
				frwr_req_put_mr(req);
			break;
		case FRWR_REQ_MAPPED:
		case FRWR_REQ_INVALID:
			frwr_req_end_release(req);
			break;
		case FRWR_REQ_ABORTED:
			req->state = FRWR_REQ_IDLE;
			break;
		case FRWR_REQ_POSTED:
			req->state = FRWR_REQ_RELEASING;
			req->first = NULL;
			req->inv_cqe.done = frwr_inv_done;
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
		atomic_set(&first->pending, 2);
	}
	return head;
}

/* find the context of a chain that may be released; NULL if no request is mapped */
static int frwr_chain_get_context(struct ib_frwr_req *first, struct ib_frwr **f)
{
	struct ib_frwr_req *req;

	*f = NULL;
	for (req = first; req; req = req->next) {
		if (unlikely(req->state >= FRWR_REQ_RELEASING))
			return -EBUSY;
		if (req->state == FRWR_REQ_IDLE && !req->mr)
			continue;
		if (unlikely(*f && *f != req->frwr))
			return -EINVAL;
		*f = req->frwr;
	}
	return 0;
}

int ib_frwr_release(struct ib_frwr_req *first)
{
	const struct ib_send_wr *inv;
	struct ib_frwr *f;
	int err;

	/* the common case: the peer has invalidated the one key of the request */
	if (likely(first->state == FRWR_REQ_INVALID && !first->next)) {
		frwr_req_end_release(first);
		return 0;
	}
	err = frwr_chain_get_context(first, &f);
	if (unlikely(err || !f))
		return err;
	/* the first request of a chain that was linked for the release may be IDLE */
	first->frwr = f;
	inv = frwr_chain_build_inv(first);
	if (!inv)
		return 0;
	frwr_chain_post_inv(first, inv);
	return -EINPROGRESS;
}
EXPORT_SYMBOL_GPL(ib_frwr_release);

/* ---- abort ---- */

/* Return: a request in a state from @min to @max that holds an MR, or NULL */
static struct ib_frwr_req *frwr_find_req(struct ib_frwr *f, u8 min, u8 max)
{
	struct ib_frwr_req *req;
	struct frwr_mr *fmr;

	spin_lock_irq(&f->lock);
	list_for_each_entry(fmr, &f->mrs, link) {
		req = fmr->req;
		if (fmr->state == FRWR_POSTED && req->state >= min && req->state <= max)
			goto out;
	}
	req = NULL;
out:
	spin_unlock_irq(&f->lock);
	return req;
}

void ib_frwr_abort(struct ib_frwr *f)
{
	struct ib_frwr_req *req;

	might_sleep();
	/* releases in progress: their invalidations have completed, or do so now */
	flush_delayed_work(&f->work);
	while (frwr_find_req(f, FRWR_REQ_RELEASING, FRWR_REQ_IN_DOUBT)) {
		ib_drain_sq(f->qp);
		flush_delayed_work(&f->work);
	}
	while ((req = frwr_find_req(f, FRWR_REQ_POSTED, FRWR_REQ_POSTED))) {
		frwr_req_destroy_mr(req);
		req->state = FRWR_REQ_ABORTED;
	}
}
EXPORT_SYMBOL_GPL(ib_frwr_abort);
