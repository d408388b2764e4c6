// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: states of requests, and the release of their memory.
 *
 * A request holds an MR of the pool from its map until its release is complete:
 *
 *	IDLE -> MAPPED -> POSTED -> RELEASING -> IDLE
 *	           |        |  |        |
 *	           |        |  |        +-> IN_DOUBT -> IDLE	QP in ERR
 *	           |        |  +----------> INVALID --> IDLE	by the peer, or never posted
 *	           |        |  +----------> ABORTED --> IDLE	ib_frwr_abort() destroyed the MR
 *	           +----------------------> IDLE	released without a post
 *
 * If the QP does not accept the invalidation of a RELEASING request, the
 * request is REFUSED until the work item posts the invalidation again or drains
 * the send queue.
 *
 * The release is safe because of the order of a send queue. Completions arrive
 * in the order of posting, and a work request that is flushed always has a
 * completion. So when the last invalidation of a chain has completed, each
 * invalidation before it was executed or has completed in error; after an error
 * its request is IN_DOUBT. No completion of the chain's registrations can
 * arrive after that, when the ULP owns the memory again and may have freed the
 * requests.
 *
 * The key of an MR in doubt may be valid. Such an MR is destroyed, which makes
 * its key invalid; after that, its memory is unmapped. Destroying an MR sleeps,
 * so a work item does it. The work item also creates MRs when the pool is
 * empty.
 */
#include <linux/export.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "release.h"
#include "trace.h"

/* ---- end of a release ---- */

/* Read the signature status, while the request still has its MR. */
static void frwr_req_take_status(struct ib_frwr_req *req)
{
	if (unlikely(frwr_has_pi(req->frwr)))
		frwr_pi_take_status(container_of(req, struct ib_frwr_pi_req, req));
}

/* The key is invalid: unmap the memory and put the MR. */
static void frwr_req_end_release(struct ib_frwr_req *req)
{
	frwr_req_take_status(req);
	frwr_detach_list(frwr_mr_of(req->mr));
	trace_frwr_release(req);
	frwr_req_put_mr(req);
}

/*
 * If the MR cannot be destroyed, its memory stays mapped, and req->err is set.
 */
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

/**
 * frwr_req_note_error() - record the status of the first completion in error
 * @req: request
 * @wc: completion in error of its registration or its invalidation
 * @what: the work request, for the kernel log
 *
 * Context: any.
 */
void frwr_req_note_error(struct ib_frwr_req *req, const struct ib_wc *wc,
			 const char *what)
{
	const struct ib_qp *qp = req->frwr->qp;

	if (req->status == IB_WC_SUCCESS)
		req->status = wc->status;
	if (wc->status != IB_WC_WR_FLUSH_ERR)
		ibdev_err_ratelimited(qp->device,
				      "QP 0x%x: %s of key 0x%x failed: %s (vendor error 0x%x)\n",
				      qp->qp_num, what, req->rkey, ib_wc_status_msg(wc->status),
				      wc->vendor_err);
}

/* End the release of a chain. Sleeps if the chain has an MR in doubt. */
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
 * Only the last invalidation of a chain is signaled. Send queues execute in
 * order and stop at the first error. So if the last invalidation succeeds, all
 * keys are invalid; if it fails, all keys are in doubt. The other invalidations
 * have completions only in error; the release does not wait for these.
 *
 * A release ends when both have happened: the last invalidation has completed,
 * and ib_post_send() has returned. first->pending counts both. After an error
 * of ib_post_send(), completions of posted invalidations do not end a release.
 */

/* Pass a chain to the work item, which runs within @ms milliseconds. */
static void frwr_chain_defer(struct ib_frwr_req *first, unsigned int ms)
{
	struct ib_frwr *f = first->frwr;
	unsigned long flags;

	spin_lock_irqsave(&f->lock, flags);
	first->deferred = f->deferred;
	f->deferred = first;
	/*
	 * queue the work item with the lock held: after the unlock, a running
	 * work item may release the last request, and the ULP may destroy the
	 * context
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

/*
 * The invalidations from @bad on were not posted: set the state of their
 * requests to REFUSED.
 */
static void frwr_chain_mark_refused(struct ib_frwr_req *first, const struct ib_send_wr *bad)
{
	struct ib_frwr_req *req = first;

	while (req && &req->inv != bad)
		req = req->next;
	for (; req; req = req->next)
		if (req->state == FRWR_REQ_RELEASING)
			req->state = FRWR_REQ_REFUSED;
}

/*
 * The invalidations that were not posted, for another ib_post_send(); NULL if
 * all were posted.
 */
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

/* Continue after the last completion and the return of ib_post_send(). */
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
	/*
	 * If a driver returns an error and does not set *bad_wr, the driver has
	 * posted all invalidations or no invalidation: all requests are
	 * REFUSED.
	 */
	const struct ib_send_wr *bad = inv;
	const struct ib_qp *qp = first->frwr->qp;
	int err;

	err = ib_post_send(first->frwr->qp, inv, &bad);
	if (likely(!err)) {
		/*
		 * fully ordered, as in frwr_inv_done(): the later of the two
		 * functions reads the states that the earlier function has set
		 */
		if (atomic_dec_and_test(&first->pending))
			frwr_chain_inv_done(first);
		return;
	}
	/*
	 * mlx5_ibx returns -EBUSY while the QP is open for the builders of
	 * <rdma/mlx5dv.h>
	 */
	first->full = bad && (err == -ENOMEM || err == -EBUSY);
	if (!first->full)
		ibdev_err_ratelimited(qp->device, "QP 0x%x refuses invalidations: %d\n",
				      qp->qp_num, err);
	frwr_chain_mark_refused(first, bad ?: inv);
	frwr_chain_defer(first, first->full ? FRWR_RETRY_MS : 0);
}

/*
 * If the send queue was full, post the refused invalidations again. Otherwise
 * drain the queue: the MRs are in doubt.
 */
static void frwr_chain_retry_inv(struct ib_frwr_req *first, const struct ib_send_wr *inv)
{
	if (first->full) {
		frwr_chain_post_inv(first, inv);
		return;
	}
	/*
	 * The driver may have posted the invalidations although it returned an
	 * error. Once the SQ is drained, they have completed. The states do not
	 * show the result, because the requests were REFUSED at the completion.
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

/**
 * frwr_run_deferred() - continue the releases that wait for the work item
 * @f: registration context
 *
 * Context: may sleep.
 */
void frwr_run_deferred(struct ib_frwr *f)
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
	/*
	 * fully ordered: pairs with the atomic operation in
	 * frwr_chain_post_inv()
	 */
	if (atomic_dec_and_test(&first->pending))
		frwr_chain_inv_done(first);
}

/*
 * Put the MRs that need no invalidation. Return: the chain of the other
 * requests' invalidations.
 */
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

/*
 * May the chain be released? *@f becomes its context, or NULL if the requests
 * have nothing to release. Return: 0, or an errno
 */
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

	/* the common case: one request, whose key the peer has invalidated */
	if (likely(first->state == FRWR_REQ_INVALID && !first->next)) {
		frwr_req_end_release(first);
		return 0;
	}
	err = frwr_chain_get_context(first, &f);
	if (unlikely(err || !f))
		return err;
	/*
	 * @first may be IDLE, without a context, if the chain was linked later.
	 */
	first->frwr = f;
	inv = frwr_chain_build_inv(first);
	if (!inv)
		return 0;
	frwr_chain_post_inv(first, inv);
	return -EINPROGRESS;
}
EXPORT_SYMBOL_GPL(ib_frwr_release);

/* ---- abort ---- */

/*
 * Return: a request whose MR is POSTED and whose state is from @min to @max, or
 * NULL.
 */
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
	/*
	 * End the releases in progress. When the SQ is drained, all their
	 * invalidations have completed.
	 */
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
