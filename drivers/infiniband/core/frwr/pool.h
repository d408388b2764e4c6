/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ib_frwr: a registration context and its pool of MRs.
 */
#ifndef IB_FRWR_POOL_H
#define IB_FRWR_POOL_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "frwr.h"

/* milliseconds until a retry if no MR was created, or if the SQ is full */
#define FRWR_RETRY_MS	20

/**
 * struct ib_frwr - registration context
 * @qp: QP that the context was created for
 * @attr: attributes with which the context was created
 * @access: access flags of the peer for each direction
 * @work: work item: creates MRs, destroys MRs in doubt, calls attr.available()
 * @lock: protects all members below
 * @deferred: chains whose release @work continues: list of their first
 *	requests, linked by ib_frwr_req.deferred
 * @wanted: smallest number of MRs for which a map has returned -EAGAIN since
 *	the last call of attr.available(); 0 if no map has failed since then
 * @nr: number of MRs
 * @mrs: all MRs
 * @nr_free: number of MRs in @free
 * @kept: MRs whose destruction has failed; not in @mrs
 * @free: pool, with space for attr.max_mrs
 */
struct ib_frwr {
	struct ib_qp *qp;
	struct ib_frwr_attr attr;
	int access[DMA_NONE];
	struct delayed_work work;
	spinlock_t lock;	/* all members below */
	struct ib_frwr_req *deferred;
	u32 wanted;
	u32 nr;
	u32 nr_free;
	struct list_head mrs;
	struct list_head kept;
	struct ib_mr *free[];
};

/* does a context have MRs with protection information? */
static inline bool frwr_has_pi(const struct ib_frwr *f)
{
	return f->attr.mr.mr_type == IB_MR_TYPE_INTEGRITY;
}

/* pool.c */
void frwr_pool_request(struct ib_frwr *f);
int frwr_pool_get_chain(struct ib_frwr *f, struct ib_frwr_req *first);
void frwr_pool_put(struct ib_frwr *f, struct ib_mr *mr);
int frwr_pool_destroy_mr(struct ib_frwr *f, struct ib_mr *mr);
int frwr_pool_grow(struct ib_frwr *f, u32 n);
void frwr_pool_refill(struct ib_frwr *f);
void frwr_pool_empty(struct ib_frwr *f);

/**
 * frwr_pool_get() - get an MR for a request that is not part of a chain
 * @f: registration context
 *
 * Context: any.
 * Return: an MR, IDLE; or NULL when the pool is empty. The work item then
 * creates MRs.
 */
static inline struct ib_mr *frwr_pool_get(struct ib_frwr *f)
{
	struct ib_mr *mr = NULL;
	unsigned long flags;

	spin_lock_irqsave(&f->lock, flags);
	if (likely(f->nr_free))
		mr = f->free[--f->nr_free];
	else
		f->wanted = 1;
	spin_unlock_irqrestore(&f->lock, flags);

	if (unlikely(!mr))
		frwr_pool_request(f);
	return mr;
}

/* main.c */
extern struct workqueue_struct *frwr_wq;

#endif /* IB_FRWR_POOL_H */
