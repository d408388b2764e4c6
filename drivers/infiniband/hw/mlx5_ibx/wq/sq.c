// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: setup, reset and release of a send ring. See wq.h for the rules, wqe.h
 * for posting.
 */

#include <linux/slab.h>

#include "enc/enc.h"
#include "wq/wq.h"

static bool sq_params_ok(const struct ibx_sq_params *p)
{
	return is_power_of_2(p->wqe_cnt) && p->wqe_cnt <= IBX_RING_MAX &&
	       p->max_wqe && p->max_wqe <= IBX_SQ_WQE_MAX &&
	       IS_ALIGNED(p->max_wqe, IBX_BB) && p->max_post &&
	       (u64)p->max_post * p->max_wqe <= (u64)p->wqe_cnt * IBX_BB;
}

/**
 * ibx_sq_init() - prepare a send ring
 * @sq: send ring, zeroed
 * @p: geometry and resources of the ring
 *
 * A QP without sends (@p->wqe_cnt is 0) gets a ring that is always full.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the geometry breaks the rules of ibx_sq_params
 * * -ENOMEM
 *
 * On failure nothing stays allocated.
 */
int ibx_sq_init(struct ibx_sq *sq, const struct ibx_sq_params *p)
{
	spin_lock_init(&sq->lock);
	if (!p->wqe_cnt)
		return 0;
	if (!sq_params_ok(p))
		return -EINVAL;

	sq->shadow = kvcalloc_node(p->wqe_cnt, sizeof(*sq->shadow), GFP_KERNEL, p->node);
	if (!sq->shadow)
		return -ENOMEM;

	sq->buf = p->buf;
	sq->end = p->buf + (size_t)p->wqe_cnt * IBX_BB;
	sq->mask = p->wqe_cnt - 1;
	sq->max_post = p->max_post;
	sq->max_gs = p->max_gs;
	sq->max_inline = p->max_inline;
	sq->max_ds = p->max_wqe / IBX_DS;
	if (p->max_wqe > IBX_UMR_OVERHEAD)
		sq->max_umr_inline = p->max_wqe - IBX_UMR_OVERHEAD;
	sq->dbr = p->dbr;
	sq->db_reg = p->db_reg;
	sq->db_toggle = p->db_toggle;
	sq->dma_lkey = cpu_to_be32(p->dma_lkey);
	sq->umr_fence = p->umr_fence;
	sq->fence = MLX5_FENCE_MODE_FENCE;
	if (p->copies)
		ibx_sq_allow_copies(sq);
	sq->reg_access = IBX_REG_ACCESS & ~(p->umr_atomic ? 0 : IB_ACCESS_REMOTE_ATOMIC);
	sq->reg_mask = ibx_reg_mask(p->umr_atomic);
	sq->key_marks = p->key_marks;
	sq->fm_ce_se = p->sig_all ? MLX5_WQE_CTRL_CQ_UPDATE : 0;
	return 0;
}

/**
 * ibx_sq_allow_copies() - prepare a send ring for memory copies
 * @sq: send ring to which nothing is being posted
 *
 * IB_SEND_FENCE must also wait for copies.
 *
 * Context: any.
 */
void ibx_sq_allow_copies(struct ibx_sq *sq)
{
	sq->fence = MLX5_FENCE_MODE_SMALL_AND_FENCE;
}

/**
 * ibx_sq_set_qpn() - set the QP number in the WQEs of a send ring
 * @sq: send ring
 * @qpn: hardware number, which the device returns when the QP is created
 *
 * Context: before the first post.
 */
void ibx_sq_set_qpn(struct ibx_sq *sq, u32 qpn)
{
	sq->qpn_be = qpn << MLX5_WQE_CTRL_QPN_SHIFT;
}

/**
 * ibx_sq_reset() - empty the send ring of a QP that enters RESET
 * @sq: send ring
 *
 * The numbers of WRs (head and tail) do not return to 0, so that no shadow entry
 * from before the reset has the number of a WR that is posted after it.
 *
 * Context: sq->lock held, so that no WQE is being built, and the lock of the
 * CQ, so that the CQ is not being polled.
 */
void ibx_sq_reset(struct ibx_sq *sq)
{
	lockdep_assert_held(&sq->lock);
	if (!sq->shadow)
		return;
	WRITE_ONCE(sq->tail, sq->head);
	sq->cur_post = 0;
	sq->next_fence = 0;
	sq->db_offset = 0;
	*sq->dbr = 0;
}

/**
 * ibx_sq_fini() - undo ibx_sq_init()
 * @sq: send ring, initialised or zeroed; may be called again
 *
 * Context: may sleep. The ring must not be posted to or polled any more.
 */
void ibx_sq_fini(struct ibx_sq *sq)
{
	kvfree(sq->shadow);
	sq->shadow = NULL;
	sq->max_post = 0;
}
