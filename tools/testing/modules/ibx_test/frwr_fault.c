// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registration contexts: drivers that refuse or fail work requests, chains that
 * need more MRs than are free, and memory reclaim that waits for MRs.
 *
 * For a fault, a case replaces a verb of end 0's device for a while. The fault
 * affects only QPs of this module, and only one case runs at a time.
 */
#include <linux/delay.h>
#include <linux/sched/mm.h>

#include "frwr_ctx.h"

/* link requests @i to @i + @n - 1, which are not mapped, to a chain */
static void t_link(struct t_ctx *c, int i, int n)
{
	for (; n > 1; n--, i++)
		c->lent[i].req.next = &c->lent[i + 1].req;
	c->lent[i].req.next = NULL;
}

static int t_lend_chain(struct t_ctx *c, int i, int n)
{
	int k, err;

	t_link(c, i, n);
	for (k = i; k < i + n; k++) {
		err = t_lend(c, k, DMA_TO_DEVICE);
		if (err)
			return err;
	}
	return 0;
}

/* ---- invalidations that a driver refuses ---- */

enum t_refusal {
	T_UNSET,		/* nothing is posted, and *bad_wr is not set */
	T_SAID,			/* nothing is posted, and *bad_wr is the first WR */
	T_FIRST_ONLY,		/* the first WR is posted, and *bad_wr is the second */
	T_POSTED_UNSET,		/* all WRs are posted, and *bad_wr is not set */
	T_POSTED_NULL,		/* all WRs are posted, and *bad_wr is NULL */
	T_REFUSALS,
};

typedef int (*t_post_send)(struct ib_qp *qp, const struct ib_send_wr *wr,
			   const struct ib_send_wr **bad);

static t_post_send t_real_post;
static enum t_refusal t_refusal;

static int t_refuse_inv(struct ib_qp *qp, const struct ib_send_wr *wr,
			const struct ib_send_wr **bad)
{
	struct ib_send_wr one = *wr;

	if (wr->opcode != IB_WR_LOCAL_INV)
		return t_real_post(qp, wr, bad);
	one.next = NULL;
	if (t_refusal == T_FIRST_ONLY && t_real_post(qp, &one, bad))
		return -EIO;
	if (t_refusal >= T_POSTED_UNSET && t_real_post(qp, wr, bad))
		return -EIO;
	if (t_refusal == T_SAID)
		*bad = wr;
	else if (t_refusal == T_FIRST_ONLY)
		*bad = wr->next;
	else if (t_refusal == T_POSTED_NULL)
		*bad = NULL;
	return -EINVAL;
}

static int (*t_real_dereg)(struct ib_mr *mr, struct ib_udata *udata);
static atomic_t t_deregs;

static int t_count_dereg(struct ib_mr *mr, struct ib_udata *udata)
{
	atomic_inc(&t_deregs);
	return t_real_dereg(mr, udata);
}

/* releases the first chain. Return: number of calls of dereg_mr(), or a negative errno */
static int t_release_refused(struct t_ctx *c, enum t_refusal refusal)
{
	struct ib_device *dev = c->e->dev;
	int ret;

	t_refusal = refusal;
	atomic_set(&t_deregs, 0);
	t_real_dereg = dev->ops.dereg_mr;
	t_real_post = dev->ops.post_send;
	dev->ops.dereg_mr = t_count_dereg;
	dev->ops.post_send = t_refuse_inv;
	t_give_back(c, 0);
	dev->ops.post_send = t_real_post;
	ret = t_wait_released(c, 0);
	dev->ops.dereg_mr = t_real_dereg;
	return ret ?: atomic_read(&t_deregs);
}

/*
 * A driver refuses to invalidate two valid keys. Both MRs are destroyed, even if
 * both invalidations were executed: ib_frwr cannot rely on *bad_wr.
 */
static int t_refused_release(struct t_pair *p, struct t_ctx *c)
{
	const enum t_refusal refusal = ((const struct t_ctx_case *)p->arg)->arg;
	int i;

	T_TRY(t_lend_chain(c, 0, 2));
	T_TRY(t_post_and_wait(c, 0));
	for (i = 0; i < 2; i++)
		T_TRY(t_lent_reads(p, c, i, 1 + i));

	T_EXPECT(t_release_refused(c, refusal), 2);
	for (i = 0; i < 2; i++)
		T_EXPECT(t_read_elsewhere(p, &c->lent[i].req), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* ---- registrations and MRs that the device refuses ---- */

static int t_refuse_dereg(struct ib_mr *mr, struct ib_udata *udata)
{
	return -EIO;
}

/*
 * The QP is in ERR, and dereg_mr() fails. req.err of both requests is -EIO, their memory stays
 * mapped, and their keys stay valid. The pool creates new MRs in the place of these MRs. The
 * destruction of the context destroys the mkeys.
 */
static int key_stays(struct t_pair *p, struct t_ctx *c)
{
	int (*real)(struct ib_mr *mr, struct ib_udata *udata) = c->e->dev->ops.dereg_mr;
	int i, ret;

	T_TRY(t_lend_chain(c, 0, 2));
	T_TRY(t_post_and_wait(c, 0));
	T_TRY(t_move(c->e->qp, IB_QPS_ERR));
	c->e->dev->ops.dereg_mr = t_refuse_dereg;
	t_give_back(c, 0);
	ret = t_wait_released(c, 0);
	c->e->dev->ops.dereg_mr = real;
	T_TRY(ret);
	for (i = 0; i < 2; i++) {
		T_EXPECT(c->lent[i].req.err, -EIO);
		T_EXPECT(c->lent[i].req.status, IB_WC_WR_FLUSH_ERR);
		T_EXPECT(t_read_elsewhere(p, &c->lent[i].req), IB_WC_SUCCESS);
	}
	/* dereg_mr() is the driver's again, so the next release succeeds */
	if (t_lend_chain(c, 0, 2) == -EAGAIN) {
		T_TRY(t_wait_available(c));
		T_TRY(t_lend_chain(c, 0, 2));
	}
	T_TRY(ib_frwr_post(&c->lent[0].req, NULL, NULL));
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));
	T_EXPECT(c->lent[0].req.err, 0);
	T_EXPECT(c->lent[0].req.status, IB_WC_WR_FLUSH_ERR);
	return 0;
}

static int ctx_key_stays(struct t_pair *p)
{
	struct ib_pd *pd = p->end[0].pd;
	int before = atomic_read(&pd->usecnt);

	T_TRY(t_with_ctx(p, 2, 2, key_stays));
	T_EXPECT(atomic_read(&pd->usecnt), before);
	return 0;
}

/* the MRs of the context have another PD than the QP, so the device refuses registrations */
static int foreign_pd(struct t_pair *p, struct t_ctx *c)
{
	c->e->qp->pd = c->e->pd;
	T_TRY(t_lend_chain(c, 0, 2));
	T_TRY(ib_frwr_post(&c->lent[0].req, NULL, NULL));
	T_TRY(t_settle(&c->e->sq));
	/* on iWARP, the ULP moves a QP to ERR when its connection ends */
	if (t_is_iwarp(c->e))
		T_TRY(t_move(c->e->qp, IB_QPS_ERR));
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));
	T_EXPECT(c->lent[0].req.status != IB_WC_SUCCESS, 1);
	/* rxe flushes the failed work request too, so its status is WR_FLUSH_ERR */
	if (c->e->dev->ops.driver_id != RDMA_DRIVER_RXE)
		T_EXPECT(c->lent[0].req.status != IB_WC_WR_FLUSH_ERR, 1);
	T_EXPECT(c->lent[1].req.status, IB_WC_WR_FLUSH_ERR);
	T_EXPECT(c->lent[0].req.err, 0);
	return 0;
}

static int ctx_foreign_pd(struct t_pair *p)
{
	struct ib_qp *qp = p->end[0].qp;
	struct ib_pd *other;
	int ret;

	other = ib_alloc_pd(p->end[0].dev, 0);
	T_TRY(PTR_ERR_OR_ZERO(other));
	/* ib_frwr_create() creates all MRs, in this PD */
	qp->pd = other;
	ret = t_with_ctx(p, 2, 2, foreign_pd);
	qp->pd = p->end[0].pd;
	ib_dealloc_pd(other);
	return ret;
}

/* ---- chains ---- */

/* a chain needs two MRs, and one is free: available() is called when two are free */
static int ctx_chain_waits(struct t_pair *p, struct t_ctx *c)
{
	T_TRY(t_lend_chain(c, 0, 1));
	T_EXPECT(t_lend_chain(c, 1, 2), -EAGAIN);
	T_EXPECT(c->lent[1].req.mr ? 1 : 0, 0);
	t_give_back(c, 1);
	T_EXPECT(c->lent[1].released, 1);
	msleep(100);
	T_EXPECT(atomic_read(&c->available), 0);
	/* the MR that is free serves a request that needs one MR */
	T_TRY(t_lend_chain(c, 3, 1));
	t_give_back(c, 3);
	msleep(100);
	T_EXPECT(atomic_read(&c->available), 0);
	t_give_back(c, 0);
	T_TRY(t_wait_available(c));
	T_TRY(t_lend_chain(c, 1, 2));
	T_TRY(t_post_and_wait(c, 1));
	T_TRY(t_lent_reads(p, c, 2, 1));
	t_give_back(c, 1);
	return t_wait_released(c, 1);
}

/* two chains, each of two requests, and two MRs: one chain gets both MRs, the other gets no MR */
static int ctx_chain_takes_all(struct t_pair *p, struct t_ctx *c)
{
	t_link(c, 0, 2);
	t_link(c, 2, 2);
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_EXPECT(t_lend(c, 2, DMA_TO_DEVICE), -EAGAIN);
	T_TRY(t_lend(c, 1, DMA_TO_DEVICE));
	T_TRY(t_post_and_wait(c, 0));
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));
	T_TRY(t_wait_available(c));
	T_TRY(t_lend_chain(c, 2, 2));
	/*
	 * a map in the middle fails: the ULP releases the requests that were
	 * mapped before
	 */
	t_give_back(c, 2);
	t_link(c, 0, 2);
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_EXPECT(ib_frwr_map_pages(c->frwr, &c->lent[1].req, NULL, 0, SIZE_MAX, DMA_TO_DEVICE),
		 -EINVAL);
	T_TRY(t_lend(c, 3, DMA_TO_DEVICE));
	t_give_back(c, 3);
	t_give_back(c, 0);
	/* a chain whose first request was mapped holds the MRs of all its requests */
	t_link(c, 0, 2);
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_EXPECT(t_lend(c, 3, DMA_TO_DEVICE), -EAGAIN);
	T_EXPECT(ib_frwr_post(&c->lent[0].req, NULL, NULL), -EINVAL);
	t_give_back(c, 0);
	T_TRY(t_lend(c, 3, DMA_TO_DEVICE));
	t_give_back(c, 3);
	/* the chain needs more MRs than max_mrs */
	T_EXPECT(t_lend_chain(c, 0, 3), -EINVAL);
	return 0;
}

/* the pool grows for a chain that needs more MRs than exist */
static int ctx_chain_grows(struct t_pair *p, struct t_ctx *c)
{
	int i;

	T_EXPECT(t_lend_chain(c, 0, 3), -EAGAIN);
	T_TRY(t_wait_available(c));
	T_TRY(t_lend_chain(c, 0, 3));
	T_TRY(t_post_and_wait(c, 0));
	for (i = 0; i < 3; i++)
		T_TRY(t_lent_reads(p, c, i, 1 + i));
	t_give_back(c, 0);
	return t_wait_released(c, 0);
}

/* ---- no memory: reclaim waits for I/O that needs more MRs ---- */

static struct ib_mr *(*t_real_alloc)(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg);
static bool t_starved;			/* allocations of MRs fail */
static atomic_t t_allocs;
static atomic_t t_allocs_io;		/* allocations that may wait for I/O */

static struct ib_mr *t_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	atomic_inc(&t_allocs);
	if (current_gfp_context(GFP_KERNEL) & __GFP_IO)
		atomic_inc(&t_allocs_io);
	return READ_ONCE(t_starved) ? ERR_PTR(-ENOMEM) : t_real_alloc(pd, type, max_num_sg);
}

/* no MR becomes available for request @i, even if the map is repeated */
static int t_stays_empty(struct t_ctx *c, int i)
{
	T_EXPECT(t_lend(c, i, DMA_TO_DEVICE), -EAGAIN);
	msleep(100);
	T_EXPECT(t_lend(c, i, DMA_TO_DEVICE), -EAGAIN);
	T_EXPECT(atomic_read(&c->available), 0);
	return 0;
}

/*
 * The second MR is created once memory is available, although no request was
 * released. A third MR is never created: max_mrs is two.
 */
static int t_wait_in_reclaim(struct t_pair *p, struct t_ctx *c)
{
	int i;

	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_TRY(t_stays_empty(c, 1));
	T_EXPECT(atomic_read(&t_allocs) > 1, 1);
	WRITE_ONCE(t_starved, false);
	T_TRY(t_wait_available(c));
	T_TRY(t_lend(c, 1, DMA_TO_DEVICE));
	T_TRY(t_stays_empty(c, 2));
	WRITE_ONCE(t_starved, true);
	for (i = 0; i < 2; i++) {
		T_TRY(t_post_and_wait(c, i));
		T_TRY(t_lent_reads(p, c, i, 1 + i));
	}
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));
	T_TRY(t_wait_available(c));
	T_TRY(t_lend(c, 2, DMA_TO_DEVICE));
	T_TRY(t_post_and_wait(c, 2));
	T_TRY(t_lent_reads(p, c, 2, 3));
	for (i = 1; i < 3; i++) {
		t_give_back(c, i);
		T_TRY(t_wait_released(c, i));
	}
	T_EXPECT(atomic_read(&t_allocs_io), 0);
	return 0;
}

/*
 * The map runs in a task in direct reclaim, which writes back the mapped memory:
 * no other task frees memory, so allocations of MRs must not wait for I/O.
 */
static int ctx_reclaim_waits(struct t_pair *p, struct t_ctx *c)
{
	struct ib_device *dev = c->e->dev;
	unsigned int flags;
	int ret;

	t_starved = true;
	atomic_set(&t_allocs, 0);
	atomic_set(&t_allocs_io, 0);
	t_real_alloc = dev->ops.alloc_mr;
	dev->ops.alloc_mr = t_alloc_mr;
	flags = memalloc_noreclaim_save();
	ret = t_wait_in_reclaim(p, c);
	memalloc_noreclaim_restore(flags);
	WRITE_ONCE(t_starved, false);
	dev->ops.alloc_mr = t_real_alloc;
	return ret;
}

const struct t_case t_frwr_fault_cases[] = {
	T_CTX_OF(inv_refused_unset, 2, 2, t_refused_release, T_UNSET),
	T_CTX_OF(inv_refused_said, 2, 2, t_refused_release, T_SAID),
	T_CTX_OF(inv_refused_second, 2, 2, t_refused_release, T_FIRST_ONLY),
	T_CTX_OF(inv_posted_unset, 2, 2, t_refused_release, T_POSTED_UNSET),
	T_CTX_OF(inv_posted_null, 2, 2, t_refused_release, T_POSTED_NULL),
	{ "ctx_key_stays", ctx_key_stays },
	T_CTX(ctx_chain_waits, 2, 2),
	T_CTX(ctx_chain_takes_all, 2, 2),
	T_CTX(ctx_chain_grows, 1, 3),
	T_CTX(ctx_reclaim_waits, 1, 2),
	/* the device counts a violation in this case */
	{ "ctx_foreign_pd", ctx_foreign_pd },
	{ }
};
