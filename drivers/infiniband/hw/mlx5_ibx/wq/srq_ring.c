// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the ring of an SRQ: setup, posting, completion, release.
 *
 * The QPs of an SRQ complete its WQEs in any order, so the "ring" is a list:
 * the first 16 bytes of each WQE (mlx5_wqe_srq_next_seg) contain the index of
 * the next WQE. The list links all WQEs. Posting takes the WQE at the head; a
 * completed WQE is appended at the tail. The device follows the same links, for
 * as many WQEs as the doorbell record counts. The link of a WQE must be valid
 * before the WQE is posted, and the tail's link is set only when a WQE is
 * appended. So the tail is never posted, and one WQE stays unused.
 *
 * A CQE contains the index of its WQE. A CQE is ignored if that WQE is not posted: a
 * WQE that is appended twice would turn the list into a loop.
 *
 * Tracepoints rely on each ring being a member of a struct ibx_srq. The verbs
 * layer allocates the memory of a ring before ibx_srq_ring_init() and frees it
 * after ibx_srq_ring_fini().
 *
 * Lock: posting and polling take @lock; polling takes it inside the lock of the CQ.
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

static bool srq_params_ok(const struct ibx_srq_ring_params *p)
{
	return is_power_of_2(p->wqe_cnt) && p->wqe_cnt >= 2 && p->wqe_cnt <= IBX_RING_MAX &&
	       p->wqe_shift <= 16 && BIT(p->wqe_shift) >= IBX_SRQ_WQE_MIN;
}

/**
 * ibx_srq_ring_init() - prepare the ring of an SRQ
 * @ring: ring, zeroed
 * @p: geometry and resources of the ring
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the geometry breaks the rules of ibx_srq_ring_params
 * * -ENOMEM
 *
 * On failure nothing stays allocated.
 */
int ibx_srq_ring_init(struct ibx_srq_ring *ring, const struct ibx_srq_ring_params *p)
{
	u32 i;

	if (!srq_params_ok(p))
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
 * Context: may sleep. The ring must not be posted to or polled any more.
 */
void ibx_srq_ring_fini(struct ibx_srq_ring *ring)
{
	kvfree(ring->shadow);
	ring->shadow = NULL;
}

/* write the WQE at the head of the list, and advance the head */
static int srq_post_one(struct ibx_srq_ring *ring, const struct ib_recv_wr *wr)
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
 * @wr: chain of WRs; on failure, set to the first WR that was not posted
 *
 * The doorbell record is written once, after all WQEs.
 *
 * Context: any; takes the lock of the ring.
 * Return:
 * * 0
 * * -ENOMEM: all WQEs except the unused WQE are posted
 * * -EINVAL: a WR has too many SGEs, or an SGE is longer than IBX_SGE_MAX bytes
 */
int ibx_srq_ring_post(struct ibx_srq_ring *ring, const struct ib_recv_wr **wr)
{
	unsigned long flags;
	int err = 0;
	u16 n = 0;

	spin_lock_irqsave(&ring->lock, flags);
	for (; likely(*wr); *wr = (*wr)->next, n++) {
		err = srq_post_one(ring, *wr);
		if (unlikely(err))
			break;
	}
	if (likely(n)) {
		ring->posted += n;
		/*
		 * WQEs before the record: pairs with the device's read of the
		 * record
		 */
		dma_wmb();
		/*
		 * earlier reads of the caller from the buffers before the
		 * record: pairs with the device, which reads the record and the
		 * WQE before it writes to the buffers
		 */
		smp_store_release(ring->dbr, cpu_to_be32(ring->posted));
	}
	spin_unlock_irqrestore(&ring->lock, flags);
	return err;
}

/**
 * ibx_srq_ring_complete() - free the WQE that a CQE completes
 * @ring: ring
 * @index: index of the WQE, from the CQE; not checked yet
 * @wr_id: set to the wr_id of the receive
 *
 * Context: interrupts are off; takes the lock of the ring.
 * Return: true; false, and nothing is changed, when no such WQE is posted.
 */
bool ibx_srq_ring_complete(struct ibx_srq_ring *ring, u16 index, u64 *wr_id)
{
	struct ibx_srq_wqe *e = ring->shadow + index;
	bool ours;

	ibx_assert_irqs_off();
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
