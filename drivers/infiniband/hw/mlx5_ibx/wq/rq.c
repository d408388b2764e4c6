// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: setup, reset and release of a receive ring. See wq.h for the rules,
 * post.c for posting.
 */

#include <linux/slab.h>

#include "wq/wq.h"

static bool rq_params_ok(const struct ibx_rq_params *p)
{
	return is_power_of_2(p->wqe_cnt) && p->wqe_cnt <= IBX_RING_MAX &&
	       p->wqe_shift >= 4 && p->wqe_shift <= 16 &&
	       p->max_gs <= (1U << p->wqe_shift) / IBX_DS;
}

/**
 * ibx_rq_init() - prepare a receive ring
 * @rq: receive ring, zeroed
 * @p: geometry and resources of the ring
 *
 * A QP without receives (@p->wqe_cnt is 0) gets a ring that is always full.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the geometry breaks the rules of ibx_rq_params
 * * -ENOMEM
 *
 * On failure nothing stays allocated.
 */
int ibx_rq_init(struct ibx_rq *rq, const struct ibx_rq_params *p)
{
	spin_lock_init(&rq->lock);
	if (!p->wqe_cnt)
		return 0;
	if (!rq_params_ok(p))
		return -EINVAL;

	rq->wrid = kvcalloc_node(p->wqe_cnt, sizeof(*rq->wrid), GFP_KERNEL, p->node);
	if (!rq->wrid)
		return -ENOMEM;

	rq->buf = p->buf;
	rq->wqe_cnt = p->wqe_cnt;
	rq->mask = p->wqe_cnt - 1;
	rq->wqe_shift = p->wqe_shift;
	rq->wqe_gs = (1U << p->wqe_shift) / IBX_DS;
	rq->max_gs = p->max_gs;
	rq->dbr = p->dbr;
	rq->term_lkey = p->term_lkey;
	return 0;
}

/**
 * ibx_rq_reset() - empty the receive ring of a QP that enters RESET
 * @rq: receive ring
 *
 * Head and tail return to 0, because the device counts receives from 0 after RESET.
 *
 * Context: the state of the QP does not allow posting. The lock of the CQ is
 * held, so that the CQ is not being polled.
 */
void ibx_rq_reset(struct ibx_rq *rq)
{
	if (!rq->wrid)
		return;
	WRITE_ONCE(rq->head, 0);
	WRITE_ONCE(rq->tail, 0);
	*rq->dbr = 0;
}

/**
 * ibx_rq_fini() - undo ibx_rq_init()
 * @rq: receive ring, initialised or zeroed; may be called again
 *
 * Context: may sleep. The ring must not be posted to or polled any more.
 */
void ibx_rq_fini(struct ibx_rq *rq)
{
	kvfree(rq->wrid);
	rq->wrid = NULL;
	rq->wqe_cnt = 0;
}
