// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: ib_post_send() and ib_post_recv().
 *
 * Each WR of a chain becomes calls of the WQE builder. The first WR that cannot
 * be posted ends the chain: *bad_wr is this WR, the WRs before it are posted,
 * and the WRs from it on are not. The doorbell rings once, at the end.
 *
 * Posting is refused in the QP states in which the IBTA specification refuses it.
 * In ERR posting is allowed: the device flushes the posted WRs, on which
 * ib_drain_qp() relies. After a fatal error of the device, posting is allowed
 * only in ERR and to the GSI QP, and polling flushes the WRs.
 *
 * The order among WQEs is explained in wqe.h.
 */

#include <linux/mlx5/device.h>
#include <linux/unaligned.h>
#include <rdma/ib_frwr.h>

#include "enc/enc.h"
#include "trace.h"
#include "wq/open.h"
#include "wq/wqe.h"

enum op_kind {
	OP_UNSUPPORTED,
	OP_SEND,
	OP_WRITE,
	OP_READ,
};

enum op_imm {
	IMM_NONE,
	IMM_DATA,
	IMM_RKEY,
};

/*
 * services, as bits; GSI is UD. A DCI has no bit: struct ib_send_wr has no
 * field for a DCT
 */
#define SVC_RC		BIT(0)
#define SVC_UC		BIT(1)
#define SVC_UD		BIT(2)
#define SVC_CONN	(SVC_RC | SVC_UC)
#define SVC_ALL		(SVC_CONN | SVC_UD)

/*
 * An opcode of verbs that carries data: its kind (enum op_kind), its immediate (enum op_imm),
 * the opcodes of its WQE and its completion, and the services on which it may be posted.
 */
struct op {
	u8 kind;
	u8 imm;
	u8 opcode;
	u8 wc_opcode;
	u8 svc;
};

static const struct op ops[] = {
	[IB_WR_SEND] = { OP_SEND, IMM_NONE, MLX5_OPCODE_SEND, IB_WC_SEND, SVC_ALL },
	[IB_WR_SEND_WITH_IMM] = {
		OP_SEND, IMM_DATA, MLX5_OPCODE_SEND_IMM, IB_WC_SEND, SVC_ALL
	},
	[IB_WR_SEND_WITH_INV] = {
		OP_SEND, IMM_RKEY, MLX5_OPCODE_SEND_INVAL, IB_WC_SEND, SVC_RC
	},
	[IB_WR_RDMA_WRITE] = {
		OP_WRITE, IMM_NONE, MLX5_OPCODE_RDMA_WRITE, IB_WC_RDMA_WRITE, SVC_CONN
	},
	[IB_WR_RDMA_WRITE_WITH_IMM] = {
		OP_WRITE, IMM_DATA, MLX5_OPCODE_RDMA_WRITE_IMM, IB_WC_RDMA_WRITE, SVC_CONN
	},
	[IB_WR_RDMA_READ] = {
		OP_READ, IMM_NONE, MLX5_OPCODE_RDMA_READ, IB_WC_RDMA_READ, SVC_RC
	},

	/* of these opcodes, post_any() supports the two unmasked atomics */
	[IB_WR_ATOMIC_CMP_AND_SWP] = { OP_UNSUPPORTED, .svc = SVC_RC },
	[IB_WR_ATOMIC_FETCH_AND_ADD] = { OP_UNSUPPORTED, .svc = SVC_RC },
	[IB_WR_MASKED_ATOMIC_CMP_AND_SWP] = { OP_UNSUPPORTED, .svc = SVC_RC },
	[IB_WR_MASKED_ATOMIC_FETCH_AND_ADD] = { OP_UNSUPPORTED, .svc = SVC_RC },
	[IB_WR_BIND_MW] = { OP_UNSUPPORTED, .svc = SVC_CONN },
	[IB_WR_LSO] = { OP_UNSUPPORTED, .svc = SVC_UD },
	[IB_WR_RDMA_READ_WITH_INV] = { OP_UNSUPPORTED, .svc = SVC_RC },
	[IB_WR_FLUSH] = { OP_UNSUPPORTED, .svc = SVC_RC },
	[IB_WR_ATOMIC_WRITE] = { OP_UNSUPPORTED, .svc = SVC_RC },
};

/* states in which receives may be posted */
#define RECV_STATES	(IBX_SEND_STATES | BIT(IB_QPS_INIT) | BIT(IB_QPS_RTR))

/*
 * Does the caller have the send queue open, by ib_wr_start()? Then taking its lock would
 * deadlock. A caller with an open queue cannot migrate. So a caller that can migrate between
 * the two reads has no queue open, and a stale value is harmless.
 */
static __always_inline bool sq_is_open_here(const struct ibx_qp *qp)
{
	if (likely(!READ_ONCE(qp->wr.open)))
		return false;
	return ibx_caller_sq(&qp->wr) == &qp->sq;
}

static inline u8 fence_bits(const struct ibx_chain *c, u32 flags)
{
	if (unlikely(flags & IB_SEND_FENCE))
		return c->next_fence ? MLX5_FENCE_MODE_SMALL_AND_FENCE : c->sq->fence;
	return c->next_fence;
}

static u8 qp_service(enum ib_qp_type type)
{
	if (likely(type == IB_QPT_RC))
		return SVC_RC;
	if (unlikely(type == IB_QPT_DRIVER))
		return 0;
	return type == IB_QPT_UC ? SVC_UC : SVC_UD;
}

static __always_inline __be32 imm_of(const struct op *op, const struct ib_send_wr *wr)
{
	switch (op->imm) {
	case IMM_DATA:
		return wr->ex.imm_data;
	case IMM_RKEY:
		return cpu_to_be32(wr->ex.invalidate_rkey);
	default:
		return 0;
	}
}

/*
 * Write an inline segment from one SGE at a kernel virtual address. The length
 * must be 16 bytes or a multiple, as in the commands of ULPs. Return: false,
 * and nothing is written, for another length or if the segment would wrap.
 */
static __always_inline bool wqe_set_inline_units(struct ibx_wqe *w,
						 const struct ib_sge *sge)
{
	const u64 *src = (const u64 *)(uintptr_t)sge->addr;
	const u64 *const end = (const void *)src + sge->length;
	u64 *p = w->seg + sizeof(struct mlx5_wqe_inline_seg);

	if (unlikely(!sge->length || sge->length % IBX_DS ||
		     w->sq->end - w->seg < sge->length + IBX_DS))
		return false;
	ibx_enc_inline_hdr(w->seg, sge->length);
	for (; src != end; src += 2, p += 2) {
		put_unaligned(get_unaligned(src), p);
		put_unaligned(get_unaligned(src + 1), p + 1);
	}
	/* header and data end 4 bytes into a unit: zero its other 12 bytes */
	memset(p, 0, IBX_DS - sizeof(struct mlx5_wqe_inline_seg));
	ibx_wqe_advance(w, sge->length + IBX_DS);
	return true;
}

static __always_inline int wqe_set_inline(struct ibx_wqe *w,
					  const struct ib_send_wr *wr)
{
	u32 total = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		if (unlikely(wr->sg_list[i].length > w->sq->max_inline - total))
			return -EINVAL;
		total += wr->sg_list[i].length;
	}
	if (wr->num_sge == 1 && likely(wqe_set_inline_units(w, wr->sg_list)))
		return 0;
	if (total)
		ibx_wqe_inline(w, wr->sg_list, wr->num_sge, total);
	return 0;
}

static __always_inline int set_data(struct ibx_wqe *w, const struct ib_send_wr *wr)
{
	const struct ib_sge *sge = wr->sg_list;
	const struct ib_sge *end = sge + wr->num_sge;

	if (unlikely((u32)wr->num_sge > w->sq->max_gs))
		return -EINVAL;
	if (wr->send_flags & IB_SEND_INLINE)
		return wqe_set_inline(w, wr);

	for (; sge < end; sge++) {
		if (unlikely(sge->length - 1 >= IBX_SGE_MAX)) {
			if (!sge->length)
				continue;
			return -EINVAL;
		}
		ibx_wqe_data(w, sge->addr, sge->length, sge->lkey);
	}
	return 0;
}

/* does the iova have the same offset in a page as the start of the list? */
static __always_inline bool mr_in_place(const struct ibx_mr *mr)
{
	const u64 moved = mr->ibmr.iova ^ mr->start;

	return likely(!moved) || !(moved & ((1ULL << mr->page_shift) - 1));
}

/* Return: 0 if a registration may be posted, or an errno */
static __always_inline int check_reg(const struct ibx_sq *sq, const struct ib_reg_wr *wr)
{
	struct ibx_mr *mr = to_imr(wr->mr);

	if (unlikely(!mr->nents || (wr->key ^ mr->mkey) & ~0xff ||
		     wr->wr.send_flags & IB_SEND_INLINE))
		return -EINVAL;
	if (unlikely(wr->access & ~sq->reg_access))
		return wr->access & ~IBX_REG_ACCESS ? -EINVAL : -EOPNOTSUPP;
	if (unlikely(!mr_in_place(mr)))
		return ibx_mr_resplit(mr);
	return 0;
}

static __always_inline void begin_reg(struct ibx_wqe *w, const struct ib_reg_wr *wr,
				      const struct ibx_mr *mr, bool inlined)
{
	const struct ibx_enc_reg reg = {
		.iova = mr->ibmr.iova,
		.length = mr->ibmr.length,
		.mkey = wr->key,
		.list_octwords = mr->list_bytes / IBX_DS,
		.key_octwords = mr->key_octwords,
		.page_shift = mr->page_shift,
		.mode = mr->mode,
		.access = wr->access,
		.inlined = inlined,
		.mask = w->sq->reg_mask,
	};

	ibx_wqe_umr_reg(w, &reg);
}

/* a registration: its list is inline if it fits in the WQE; else the device fetches it */
static __always_inline int post_reg(struct ibx_chain *c, const struct ib_reg_wr *wr)
{
	struct ibx_mr *mr = to_imr(wr->mr);
	struct ibx_wqe w = ibx_wqe_begin(c);
	struct ibx_sq *sq = c->sq;
	int err = check_reg(sq, wr);
	struct ibx_wqe_fin fin;

	if (unlikely(err))
		return err;
	if (unlikely(mr->gaps)) {
		if (ibx_key_mark_test(sq->key_marks, mr->other))
			return -EBUSY;
		ibx_key_mark_set(sq->key_marks, mr->mkey);
	}

	if (mr->list_bytes <= sq->max_umr_inline) {
		begin_reg(&w, wr, mr, true);
		ibx_wqe_list(&w, mr->list, mr->list_bytes);
	} else {
		begin_reg(&w, wr, mr, false);
		ibx_wqe_last_data(&w, mr->list_dma, mr->list_bytes,
				  be32_to_cpu(sq->dma_lkey));
	}
	/* set late: values that are set earlier are kept in memory instead of registers */
	fin = (struct ibx_wqe_fin){
		.wr_id = wr->wr.wr_id,
		.imm = cpu_to_be32(wr->key),
		.opcode = MLX5_OPCODE_UMR,
		.fm_ce_se = ibx_flag_bits(wr->wr.send_flags) |
			    ibx_reg_fence(c, wr->wr.send_flags),
		.wc_opcode = IB_WC_REG_MR,
		.next_fence = MLX5_FENCE_MODE_INITIATOR_SMALL,
	};
	ibx_wqe_finish(c, &w, &fin);
	trace_ibx_reg_mr(sq, wr, c->head, mr->list_bytes <= sq->max_umr_inline);
	return 0;
}

static __always_inline int post_inv(struct ibx_chain *c, const struct ib_send_wr *wr)
{
	const struct ibx_wqe_fin fin = {
		.wr_id = wr->wr_id,
		.imm = cpu_to_be32(wr->ex.invalidate_rkey),
		.opcode = MLX5_OPCODE_UMR,
		.fm_ce_se = ibx_flag_bits(wr->send_flags) | fence_bits(c, wr->send_flags),
		.wc_opcode = IB_WC_LOCAL_INV,
		.next_fence = MLX5_FENCE_MODE_INITIATOR_SMALL,
	};
	struct ibx_wqe w = ibx_wqe_begin(c);

	ibx_key_mark_clear(c->sq->key_marks, wr->ex.invalidate_rkey);
	ibx_wqe_umr_inv(&w, 0);
	ibx_wqe_finish(c, &w, &fin);
	return 0;
}

static __always_inline int check_op(const struct op *op, const struct ib_send_wr *wr, u8 svc)
{
	/* an opcode that is not in the table has no service */
	if (unlikely(!(op->svc & svc)))
		return -EINVAL;
	if (unlikely(op->kind == OP_UNSUPPORTED))
		return -EOPNOTSUPP;
	if (unlikely(svc == SVC_UD && !ud_wr(wr)->ah))
		return -EINVAL;
	if (unlikely(op->kind == OP_READ && wr->send_flags & IB_SEND_INLINE))
		return -EINVAL;
	return 0;
}

/* any opcode that carries data; @op describes the opcode */
static __always_inline int post_data(struct ibx_chain *c, const struct ib_send_wr *wr, u8 svc,
				     const struct op op)
{
	const struct ibx_wqe_fin fin = {
		.wr_id = wr->wr_id,
		.imm = imm_of(&op, wr),
		.opcode = op.opcode,
		.fm_ce_se = ibx_flag_bits(wr->send_flags) | fence_bits(c, wr->send_flags),
		.wc_opcode = op.wc_opcode,
		.next_fence = MLX5_FENCE_MODE_NONE,
	};
	struct ibx_wqe w = ibx_wqe_begin(c);
	int err;

	err = check_op(&op, wr, svc);
	if (unlikely(err))
		return err;
	if (op.kind != OP_SEND)
		ibx_wqe_raddr(&w, rdma_wr(wr)->remote_addr, rdma_wr(wr)->rkey);
	else if (svc == SVC_UD)
		ibx_wqe_datagram(&w, &to_iah(ud_wr(wr)->ah)->av, ud_wr(wr)->remote_qpn,
				 ud_wr(wr)->remote_qkey);
	err = set_data(&w, wr);
	if (unlikely(err))
		return err;
	ibx_wqe_finish(c, &w, &fin);
	return 0;
}

/* build one WQE */
static __always_inline int qp_post_one(struct ibx_chain *c,
				       const struct ib_send_wr *wr,
				       enum ib_qp_type type)
{
	if (unlikely(wr->send_flags & ~IBX_SEND_FLAGS))
		return -EINVAL;
	if (unlikely(!ibx_chain_has_space(c)))
		return -ENOMEM;

	/* UMRs are for RC, as in mlx5_ib: they do not fit in a UC ring */
	if (wr->opcode == IB_WR_REG_MR)
		return likely(type == IB_QPT_RC) ? post_reg(c, reg_wr(wr)) : -EINVAL;
	/* the most frequent opcode, as a constant for the compiler */
	if (wr->opcode == IB_WR_SEND && likely(type == IB_QPT_RC))
		return post_data(c, wr, SVC_RC, ops[IB_WR_SEND]);
	if (wr->opcode == IB_WR_LOCAL_INV)
		return likely(type == IB_QPT_RC) ? post_inv(c, wr) : -EINVAL;
	/* this WR consists of several WQEs: post_any() posts them */
	if (wr->opcode == IB_WR_REG_MR_INTEGRITY)
		return likely(type == IB_QPT_RC) ? -EOPNOTSUPP : -EINVAL;
	if (unlikely((u32)wr->opcode >= ARRAY_SIZE(ops)))
		return wr->opcode == IB_WR_FAST_REG_MR ? -EOPNOTSUPP : -EINVAL;
	return post_data(c, wr, qp_service(type), ops[wr->opcode]);
}

/* an atomic returns 8 bytes: do the SGEs have 8 bytes, and are not inline? */
static bool atomic_list_ok(const struct ib_send_wr *wr)
{
	u64 total = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		total += wr->sg_list[i].length;
	return total == sizeof(u64) && !(wr->send_flags & IB_SEND_INLINE);
}

/* an atomic on a QP that allows atomics, in a chain with space */
static int post_atomic(struct ibx_chain *c, const struct ib_send_wr *wr,
		       const struct ib_device *ibdev)
{
	const bool swap = wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP;
	const struct ib_atomic_wr *op = atomic_wr(wr);
	const struct ibx_wqe_fin fin = {
		.wr_id = wr->wr_id,
		.opcode = swap ? MLX5_OPCODE_ATOMIC_CS : MLX5_OPCODE_ATOMIC_FA,
		.fm_ce_se = ibx_flag_bits(wr->send_flags) | fence_bits(c, wr->send_flags),
		.wc_opcode = swap ? IB_WC_COMP_SWAP : IB_WC_FETCH_ADD,
		.next_fence = MLX5_FENCE_MODE_NONE,
	};
	struct ibx_wqe w = ibx_wqe_begin(c);
	int err;

	if (ibdev->attrs.atomic_cap == IB_ATOMIC_NONE)
		return -EOPNOTSUPP;
	if (!atomic_list_ok(wr))
		return -EINVAL;
	ibx_wqe_raddr(&w, op->remote_addr, op->rkey);
	if (swap)
		ibx_wqe_atomic(&w, op->swap, op->compare_add);
	else
		ibx_wqe_atomic(&w, op->compare_add, 0);
	err = set_data(&w, wr);
	if (!err)
		ibx_wqe_finish(c, &w, &fin);
	return err;
}

/* qp_post_one(), and the opcodes that qp_post_one() does not support */
static int post_any(struct ibx_chain *c, const struct ib_send_wr *wr, const struct ib_qp *ibqp)
{
	int err = qp_post_one(c, wr, ibqp->qp_type);

	if (err != -EOPNOTSUPP)
		return err;
	switch (wr->opcode) {
	case IB_WR_REG_MR_INTEGRITY:
		return ibx_post_reg_pi(c, reg_wr(wr));
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return post_atomic(c, wr, ibqp->device);
	default:
		return err;
	}
}

/*
 * Add the WRs from @wr on to chain @c, and post the chain. qp_post_one() has
 * returned -EOPNOTSUPP for @wr: a registration of an INTEGRITY MR, an
 * IB_WR_FAST_REG_MR, an atomic, or a WR that the device or the driver does not
 * support. These WRs are rare, so @c may be in memory instead of registers.
 */
static noinline int post_rest(struct ibx_qp *qp, const struct ib_send_wr *wr,
			      const struct ib_send_wr **bad_wr, struct ibx_chain c)
{
	const struct ib_send_wr *as;
	struct ib_reg_wr reg;
	int err = 0;

	for (; wr; wr = wr->next) {
		as = wr;
		if (wr->opcode == IB_WR_FAST_REG_MR) {
			/*
			 * ib_frwr checks the WR, and fills in an IB_WR_REG_MR
			 */
			err = ib_frwr_begin_reg(&qp->ibqp, wr, &reg);
			as = &reg.wr;
		}
		if (!err) {
			err = post_any(&c, as, &qp->ibqp);
			if (err && as != wr)
				ib_frwr_cancel_reg(&reg);
		}
		if (err) {
			*bad_wr = wr;
			break;
		}
		trace_ibx_post_send(qp, as, c.last, c.head);
	}
	ibx_chain_post(&c);
	return err;
}

/*
 * Post the WRs from @wr on. The chain is initialized in its declaration: otherwise the compiler
 * may zero it first, and then keeps it in memory.
 */
static __always_inline int post_all(struct ibx_qp *qp, const struct ib_send_wr *wr,
				    const struct ib_send_wr **bad_wr)
{
	struct ibx_chain c = ibx_chain_begin(&qp->sq);
	int err = ibx_may_post(qp, IBX_SEND_STATES);

	for (; likely(!err) && wr; wr = wr->next) {
		err = qp_post_one(&c, wr, qp->ibqp.qp_type);
		if (unlikely(err))
			break;
		trace_ibx_post_send(qp, wr, c.last, c.head);
	}
	if (unlikely(err)) {
		if (err == -EOPNOTSUPP)
			return post_rest(qp, wr, bad_wr, c);
		*bad_wr = wr;
	}
	ibx_chain_post(&c);
	return err;
}

/**
 * ibx_post_send() - ib_post_send()
 * @ibqp: QP
 * @wr: chain of WRs
 * @bad_wr: set to the first WR that was not posted, on failure
 *
 * Context: any; takes the lock of the send ring.
 * Return:
 * * 0
 * * -ENOMEM: the ring is full
 * * -EINVAL: the state or type of the QP does not allow the WR, or a field of
 *   the WR is out of range
 * * -EOPNOTSUPP: the driver or this device does not support the operation
 * * -EBUSY: a registration of an SG_GAPS MR whose other key may still be
 *   registered and must be invalidated first (key_marks.c), or the caller has the
 *   send queue open (open.h)
 * * -EIO: after a fatal error of the device, unless the QP is in ERR or is the
 *   GSI QP
 * * for IB_WR_FAST_REG_MR, an errno of ib_frwr_begin_reg()
 */
int ibx_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr)
{
	struct ibx_qp *qp = to_iqp(ibqp);
	struct ibx_sq *sq = &qp->sq;
	unsigned long flags;
	int err;

	if (sq_is_open_here(qp)) {
		*bad_wr = wr;
		return -EBUSY;
	}
	spin_lock_irqsave(&sq->lock, flags);
	err = post_all(qp, wr, bad_wr);
	spin_unlock_irqrestore(&sq->lock, flags);
	return err;
}

/* write the receive WQE at @head */
static int recv_one(struct ibx_rq *rq, const struct ib_recv_wr *wr, u32 head)
{
	struct mlx5_wqe_data_seg *d = rq->buf + ((size_t)(head & rq->mask) << rq->wqe_shift);
	int err;

	/*
	 * pairs with smp_store_release() in complete_recv(): entries of
	 * completed WRs may be overwritten
	 */
	if (unlikely(head - smp_load_acquire(&rq->tail) >= rq->wqe_cnt))
		return rq->wqe_cnt ? -ENOMEM : -EINVAL;
	if (unlikely((u32)wr->num_sge > rq->max_gs))
		return -EINVAL;
	err = ibx_enc_scatter(d, rq->wqe_gs, wr, rq->term_lkey);
	if (unlikely(err))
		return err;

	rq->wrid[head & rq->mask] = wr->wr_id;
	return 0;
}

/**
 * ibx_post_recv() - ib_post_recv()
 * @ibqp: QP
 * @wr: chain of WRs
 * @bad_wr: set to the first WR that was not posted, on failure
 *
 * Context: any; takes the lock of the receive ring.
 * Return:
 * * 0
 * * -ENOMEM: the ring is full
 * * -EINVAL: the QP is in RESET or has no receive ring, or a field of the WR is
 *   out of range
 * * -EIO: after a fatal error of the device, unless the QP is in ERR or is the
 *   GSI QP
 */
int ibx_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	struct ibx_qp *qp = to_iqp(ibqp);
	struct ibx_rq *rq = &qp->rq;
	unsigned long flags;
	u32 first, head;
	int err;

	spin_lock_irqsave(&rq->lock, flags);
	/* ibx_rq_reset() may clear head meanwhile: no WR is posted then */
	first = READ_ONCE(rq->head);
	head = first;
	err = ibx_may_post(qp, RECV_STATES);
	for (; likely(!err) && wr; wr = wr->next) {
		err = recv_one(rq, wr, head);
		if (unlikely(err))
			break;
		head++;
		trace_ibx_post_recv(qp, wr, head);
	}
	if (likely(head != first)) {
		/*
		 * wrid before head: pairs with smp_load_acquire() in
		 * flush_recv(). Orders reads of the caller, too (wq.h)
		 */
		smp_store_release(&rq->head, head);
		/*
		 * WQEs before the record: pairs with the device's read of the
		 * record
		 */
		dma_wmb();
		*rq->dbr = cpu_to_be32(head & 0xffff);
	}
	spin_unlock_irqrestore(&rq->lock, flags);

	if (unlikely(err))
		*bad_wr = wr;
	return err;
}

/**
 * ibx_post_nop() - post a WQE that does nothing but complete
 * @qp: QP of any type that has a send ring
 * @cqe: its done() is called at the completion, with opcode IB_WC_RDMA_WRITE
 *
 * A NOP has no address, so it is the same WQE on QPs of all types.
 *
 * Context: any; takes the lock of the send ring, which the caller does not have open.
 * Return:
 * * 0
 * * -ENOMEM: the ring is full
 * * -EINVAL: the state does not allow posting
 * * -EIO: after a fatal error of the device, unless the QP is in ERR or is the
 *   GSI QP
 */
int ibx_post_nop(struct ibx_qp *qp, struct ib_cqe *cqe)
{
	/* the trace shows this WR: the core drains with such a WR */
	const struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe = cqe, .opcode = IB_WR_RDMA_WRITE,
			.send_flags = IB_SEND_SIGNALED,
		},
	};
	struct ibx_wqe_fin fin = {
		.wr_id = wr.wr.wr_id,
		.opcode = MLX5_OPCODE_NOP,
		.wc_opcode = IB_WC_RDMA_WRITE,
		.next_fence = MLX5_FENCE_MODE_NONE,
	};
	struct ibx_sq *sq = &qp->sq;
	struct ibx_chain c;
	unsigned long flags;
	struct ibx_wqe w;
	int err;

	spin_lock_irqsave(&sq->lock, flags);
	ibx_chain_init(&c, sq);
	err = ibx_may_post(qp, IBX_SEND_STATES);
	if (!err && !ibx_chain_has_space(&c))
		err = -ENOMEM;
	if (!err) {
		fin.fm_ce_se = ibx_flag_bits(wr.wr.send_flags) | c.next_fence;
		w = ibx_wqe_begin(&c);
		ibx_wqe_finish(&c, &w, &fin);
		trace_ibx_post_send(qp, &wr.wr, c.last, c.head);
		ibx_chain_post(&c);
	}
	spin_unlock_irqrestore(&sq->lock, flags);
	return err;
}
