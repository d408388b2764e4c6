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
 * belongs to the verbs layer, which allocates it before ibx_srq_ring_init() and frees it
 * after ibx_srq_ring_fini().
 *
 * Lock: @lock, inside the lock of a CQ, for posters and pollers alike.
 */

#include <linux/slab.h>

#include "enc/enc.h"
#include "trace.h"
#include "wq/wq.h"

static struct mlx5_wqe_srq_next_seg *wqe_at(const struct ibx_srq_ring *ring, u16 index)
{
	return ring->buf + ((size_t)index << ring->wqe_shift);
}

static void link_wqe(struct ibx_srq_ring *ring, u16 index, u16 next)
{
	ring->shadow[index].next = next;
	wqe_at(ring, index)->next_wqe_index = cpu_to_be16(next);
}

static bool params_ok(const struct ibx_srq_ring_params *p)
{
	return is_power_of_2(p->wqe_cnt) && p->wqe_cnt >= 2 && p->wqe_cnt <= IBX_RING_MAX &&
	       p->wqe_shift <= 16 && BIT(p->wqe_shift) >= IBX_SRQ_WQE_MIN;
}

/**
 * ibx_srq_ring_init() - prepare a shared receive ring
 * @ring: ring, zeroed
 * @p: its geometry and surroundings
 *
 * Context: may sleep.
 * Return: 0; -EINVAL when the geometry breaks the rules of ibx_srq_ring_params;
 * -ENOMEM. On failure there is nothing to undo.
 */
int ibx_srq_ring_init(struct ibx_srq_ring *ring, const struct ibx_srq_ring_params *p)
{
	u32 i;

	if (!params_ok(p))
		return -EINVAL;
	ring->shadow = kvcalloc_node(p->wqe_cnt, sizeof(*ring->shadow), GFP_KERNEL, p->node);
	if (!ring->shadow)
		return -ENOMEM;

	spin_lock_init(&ring->lock);
	ring->buf = p->buf;
	ring->wqe_cnt = p->wqe_cnt;
	ring->wqe_shift = p->wqe_shift;
	ring->max_gs = (1U << p->wqe_shift) / IBX_DS - 1;
	ring->dbr = p->dbr;
	ring->term_lkey = p->term_lkey;
	ring->head = 0;
	ring->tail = p->wqe_cnt - 1;
	ring->posted = 0;
	*ring->dbr = 0;
	for (i = 0; i < p->wqe_cnt; i++)
		link_wqe(ring, i, (i + 1) & (p->wqe_cnt - 1));
	return 0;
}

/**
 * ibx_srq_ring_fini() - undo ibx_srq_ring_init()
 * @ring: ring, initialised or zeroed; may be called again
 *
 * Context: nobody posts or polls; may sleep.
 */
void ibx_srq_ring_fini(struct ibx_srq_ring *ring)
{
	kvfree(ring->shadow);
	ring->shadow = NULL;
}

/* writes the WQE at the head of the list and takes it */
static int post_one(struct ibx_srq_ring *ring, const struct ib_recv_wr *wr)
{
	struct ibx_srq_wqe *e = &ring->shadow[ring->head];
	int err;

	if (unlikely(ring->head == ring->tail))
		return -ENOMEM;
	if (unlikely((u32)wr->num_sge > ring->max_gs))
		return -EINVAL;
	err = ibx_enc_scatter((struct mlx5_wqe_data_seg *)(wqe_at(ring, ring->head) + 1),
			      ring->max_gs, wr, ring->term_lkey);
	if (unlikely(err))
		return err;

	e->wr_id = wr->wr_id;
	e->posted = true;
	trace_ibx_post_srq_recv(ring, wr, ring->head);
	ring->head = e->next;
	return 0;
}

/**
 * ibx_srq_ring_post() - post a chain of receives
 * @ring: ring
 * @wr: the chain; on failure the first WR that was not posted
 *
 * The doorbell record is written once, after all of them.
 *
 * Context: any; takes the ring's lock.
 * Return: 0; -ENOMEM, all WQEs but the spare one are posted; -EINVAL, the list
 * of a WR is too long or an element of it is.
 */
int ibx_srq_ring_post(struct ibx_srq_ring *ring, const struct ib_recv_wr **wr)
{
	unsigned long flags;
	int err = 0;
	u16 n = 0;

	spin_lock_irqsave(&ring->lock, flags);
	for (; likely(*wr); *wr = (*wr)->next, n++) {
		err = post_one(ring, *wr);
		if (unlikely(err))
			break;
	}
	if (likely(n)) {
		ring->posted += n;
		/* the WQEs before the record that counts them */
		dma_wmb();
		*ring->dbr = cpu_to_be32(ring->posted);
	}
	spin_unlock_irqrestore(&ring->lock, flags);
	return err;
}

/**
 * ibx_srq_ring_complete() - the device is done with a WQE
 * @ring: ring
 * @index: the WQE, as the device says
 * @wr_id: gets the cookie it was posted with
 *
 * Context: interrupts are off; takes the ring's lock.
 * Return: false, and nothing is changed, when no such WQE is posted.
 */
bool ibx_srq_ring_complete(struct ibx_srq_ring *ring, u16 index, u64 *wr_id)
{
	struct ibx_srq_wqe *e = ring->shadow + index;
	bool ours;

	lockdep_assert_irqs_disabled();
	spin_lock(&ring->lock);
	ours = likely(index < ring->wqe_cnt) && likely(e->posted);
	if (likely(ours)) {
		*wr_id = e->wr_id;
		e->posted = false;
		link_wqe(ring, ring->tail, index);
		ring->tail = index;
	}
	spin_unlock(&ring->lock);
	return ours;
}
