// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the ring of a shared receive queue: its life, posting to it, completing
 * from it.
 *
 * QPs that share it consume WQEs in any order, so it is not a ring but a list:
 * the first 16 bytes of each WQE (mlx5_wqe_srq_next_seg) name the next one. The
 * list is one chain through all WQEs; posting takes from its head, a completed
 * WQE is appended at its tail. The device follows the same chain, as far as the
 * doorbell record counts. The link of a WQE must be there before the WQE is
 * posted, and the tail has none that is good: so the tail is never posted, and
 * one WQE stays unused.
 *
 * Completions name the WQE. What they name is believed only if it is posted: a
 * WQE appended twice would turn the list into a loop.
 *
 * The ring is a member of struct ibx_srq, which tracepoints look at. Its memory
 * belongs to the verbs layer, which allocates it before ibx_lrq_init() and frees it
 * after ibx_lrq_fini().
 *
 * Lock: @lock, inside the lock of a CQ, for posters and pollers alike.
 */

#include <linux/slab.h>

#include "enc/enc.h"
#include "trace.h"
#include "wq/wq.h"

static struct mlx5_wqe_srq_next_seg *wqe_at(const struct ibx_lrq *lrq, u16 index)
{
	return lrq->buf + ((size_t)index << lrq->wqe_shift);
}

static void link_wqe(struct ibx_lrq *lrq, u16 index, u16 next)
{
	lrq->shadow[index].next = next;
	wqe_at(lrq, index)->next_wqe_index = cpu_to_be16(next);
}

static bool params_ok(const struct ibx_lrq_params *p)
{
	return is_power_of_2(p->wqe_cnt) && p->wqe_cnt >= 2 && p->wqe_cnt <= IBX_RING_MAX &&
	       p->wqe_shift <= 16 && BIT(p->wqe_shift) >= IBX_LRQ_WQE_MIN;
}

/**
 * ibx_lrq_init() - prepare a shared receive ring
 * @lrq: ring, zeroed
 * @p: its geometry and surroundings
 *
 * Context: may sleep.
 * Return: 0; -EINVAL when the geometry breaks the rules of ibx_lrq_params;
 * -ENOMEM. On failure there is nothing to undo.
 */
int ibx_lrq_init(struct ibx_lrq *lrq, const struct ibx_lrq_params *p)
{
	u32 i;

	if (!params_ok(p))
		return -EINVAL;
	lrq->shadow = kvcalloc_node(p->wqe_cnt, sizeof(*lrq->shadow), GFP_KERNEL, p->node);
	if (!lrq->shadow)
		return -ENOMEM;

	spin_lock_init(&lrq->lock);
	lrq->buf = p->buf;
	lrq->wqe_cnt = p->wqe_cnt;
	lrq->wqe_shift = p->wqe_shift;
	lrq->max_gs = (1U << p->wqe_shift) / IBX_DS - 1;
	lrq->dbr = p->dbr;
	lrq->term_lkey = p->term_lkey;
	lrq->head = 0;
	lrq->tail = p->wqe_cnt - 1;
	lrq->posted = 0;
	*lrq->dbr = 0;
	for (i = 0; i < p->wqe_cnt; i++)
		link_wqe(lrq, i, (i + 1) & (p->wqe_cnt - 1));
	return 0;
}

/**
 * ibx_lrq_fini() - undo ibx_lrq_init()
 * @lrq: ring, initialised or zeroed; may be called again
 *
 * Context: nobody posts or polls; may sleep.
 */
void ibx_lrq_fini(struct ibx_lrq *lrq)
{
	kvfree(lrq->shadow);
	lrq->shadow = NULL;
}

/* writes the WQE at the head of the list and takes it */
static int post_one(struct ibx_lrq *lrq, const struct ib_recv_wr *wr)
{
	struct ibx_lrqe *e = &lrq->shadow[lrq->head];
	int err;

	if (unlikely(lrq->head == lrq->tail))
		return -ENOMEM;
	if (unlikely((u32)wr->num_sge > lrq->max_gs))
		return -EINVAL;
	err = ibx_enc_scatter((struct mlx5_wqe_data_seg *)(wqe_at(lrq, lrq->head) + 1),
			      lrq->max_gs, wr, lrq->term_lkey);
	if (unlikely(err))
		return err;

	e->wr_id = wr->wr_id;
	e->posted = true;
	trace_ibx_post_srq_recv(lrq, wr, lrq->head);
	lrq->head = e->next;
	return 0;
}

/**
 * ibx_lrq_post() - post a chain of receives
 * @lrq: ring
 * @wr: the chain; on failure the first WR that was not posted
 *
 * The doorbell record is written once, after all of them.
 *
 * Context: any; takes the ring's lock.
 * Return: 0; -ENOMEM, all WQEs but the spare one are posted; -EINVAL, the list
 * of a WR is too long or an element of it is.
 */
int ibx_lrq_post(struct ibx_lrq *lrq, const struct ib_recv_wr **wr)
{
	unsigned long flags;
	int err = 0;
	u16 n = 0;

	spin_lock_irqsave(&lrq->lock, flags);
	for (; likely(*wr); *wr = (*wr)->next, n++) {
		err = post_one(lrq, *wr);
		if (unlikely(err))
			break;
	}
	if (likely(n)) {
		lrq->posted += n;
		/* the WQEs before the record that counts them */
		dma_wmb();
		*lrq->dbr = cpu_to_be32(lrq->posted);
	}
	spin_unlock_irqrestore(&lrq->lock, flags);
	return err;
}

/**
 * ibx_lrq_complete() - the device is done with a WQE
 * @lrq: ring
 * @index: the WQE, as the device says
 * @wr_id: gets the cookie it was posted with
 *
 * Context: interrupts are off; takes the ring's lock.
 * Return: false, and nothing is changed, when no such WQE is posted.
 */
bool ibx_lrq_complete(struct ibx_lrq *lrq, u16 index, u64 *wr_id)
{
	struct ibx_lrqe *e = lrq->shadow + index;
	bool ours;

	lockdep_assert_irqs_disabled();
	spin_lock(&lrq->lock);
	ours = likely(index < lrq->wqe_cnt) && likely(e->posted);
	if (likely(ours)) {
		*wr_id = e->wr_id;
		e->posted = false;
		link_wqe(lrq, lrq->tail, index);
		lrq->tail = index;
	}
	spin_unlock(&lrq->lock);
	return ours;
}
