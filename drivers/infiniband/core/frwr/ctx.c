// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: registration contexts: create, map, post. release.c describes the
 * states of a request.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "release.h"
#include "trace.h"

/* ULPs embed this structure in each of their requests: it must stay small */
static_assert(sizeof(struct ib_frwr_req) <= 150);

/* ---- create, destroy ---- */

/*
 * The allocations of the work item must not wait for I/O: the I/O could be of a
 * ULP whose requests wait for this work item.
 */
static void frwr_run_work(struct work_struct *work)
{
	struct ib_frwr *f = container_of(to_delayed_work(work), struct ib_frwr, work);
	unsigned int noio = memalloc_noio_save();

	frwr_run_deferred(f);
	frwr_pool_refill(f);
	memalloc_noio_restore(noio);
}

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

/*
 * Check that all MRs are back in the pool. A request that was not released has
 * an MR and uses the context.
 */
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
	/*
	 * attr.available(), which the work item calls, may have mapped a
	 * request
	 */
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

/*
 * Get MRs for the requests from @first on, unless an earlier map got them.
 */
static int frwr_chain_get_mrs(struct ib_frwr *f, struct ib_frwr_req *first)
{
	struct ib_frwr_req *req;

	if (first->mr)
		return first->frwr == f ? 0 : -EINVAL;
	/* an ABORTED request gets an MR only after its release */
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

/* Put the MRs of the requests from @req on that are not mapped. */
static void frwr_chain_put_unmapped(struct ib_frwr_req *req)
{
	for (; req; req = req->next)
		if (req->mr && req->state == FRWR_REQ_IDLE)
			frwr_req_put_mr(req);
}

/*
 * Move a request, whose memory is attached to its MR, to MAPPED. Sets its keys,
 * iova, status and registration, but not its length.
 */
static __always_inline void frwr_req_set_mapped(struct ib_frwr_req *req,
						enum dma_data_direction dir)
{
	struct ib_mr *mr = req->mr;

	/* ib_frwr_post() sets wr_cqe and next of the work request. */
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
	/*
	 * If offset + length overflows, npages is too small, and
	 * ib_mr_set_pages() returns -EINVAL.
	 */
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
 * Registrations are unsignaled: they have a completion only in error, or if the
 * QP signals all WRs. After a registration in error, the invalidation of its
 * key completes in error, too. frwr_inv_done() handles the error.
 */
static void frwr_reg_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ib_frwr_req *req = container_of(wc->wr_cqe, struct ib_frwr_req, reg_cqe);

	trace_frwr_reg_done(cq, req, wc);
	frwr_req_note_failure(req, wc, "registration");
}

/*
 * The WRs from @bad on were not posted. Set the states of the requests whose
 * registrations were not posted. Return: true if @bad is a registration.
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
