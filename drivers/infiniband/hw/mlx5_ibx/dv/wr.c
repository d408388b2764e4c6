// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the calls of <rdma/ib_wr.h>: opening and closing a send queue, builders and
 * setters. wr.h explains how they work together. The builders and setters of
 * <rdma/mlx5dv.h> are in wr_mkey.c, wr_sig.c, set_crypto.c, dc.c and memcpy.c.
 */
#include <linux/export.h>

#include "backend.h"
#include "enc/enc.h"
#include "trace.h"
#include "dv/wr.h"

/* drop attributes that wait for the end of a configuration */
static void drop_attrs(struct ibx_wr *wr)
{
	wr->conf.sig_set = false;
	wr->conf.sig_reset = false;
	wr->conf.crypto_set = false;
}

/**
 * ibx_wr_fail() - spoil the chain
 * @wr: send queue that the caller has open
 * @err: errno that ib_wr_complete() returns, unless the chain is spoiled already
 */
void ibx_wr_fail(struct ibx_wr *wr, int err)
{
	if (!wr->err)
		wr->err = err;
	wr->allowed = 0;
	wr->left = IBX_WR_SPOILED;
	drop_attrs(wr);
}

/*
 * ibx_may_post() has refused: the QP is in another state, or is a stand-in,
 * which stays in RESET
 */
static noinline void start_refused(struct ibx_qp *iqp)
{
	struct ibx_wr *wr = &iqp->wr;

	if (wr->backend) {
		wr->err = wr->backend->may_post(iqp->dv.qp_ex.qp);
		wr->todo = IBX_TODO_BACKEND;
	}
	/* build no WQE in a QP state that does not allow posting */
	wr->left = wr->err ? IBX_WR_SPOILED : 0;
}

int ib_wr_start(struct ib_qp_ex *qp)
{
	struct ibx_qp *iqp = ibx_qp_of(qp);
	struct ibx_wr *wr = &iqp->wr;

	if (unlikely(!ibx_sq_open(&iqp->sq, wr))) {
		/*
		 * the next calls may belong to the first or to the second
		 * ib_wr_start(): post no WR
		 */
		if (ibx_wr_is_open(wr))
			ibx_wr_fail(wr, -EBUSY);
		return -EBUSY;
	}
	ibx_chain_init(&wr->chain, &iqp->sq);
	wr->allowed = 0;
	wr->todo = 0;
	wr->left = 0;
	wr->err = ibx_may_post(iqp, IBX_SEND_STATES);
	if (unlikely(wr->err))
		start_refused(iqp);
	WRITE_ONCE(wr->open, true);
	return 0;
}
EXPORT_SYMBOL_GPL(ib_wr_start);

static void close_sq(struct ibx_qp *iqp)
{
	WRITE_ONCE(iqp->wr.open, false);
	ibx_sq_close(&iqp->sq, &iqp->wr);
}

/* clear the mark of each key that the chain invalidates (key_marks.c) */
static void clear_key_marks(const struct ibx_chain *c)
{
	const struct ibx_sq *sq = c->sq;
	u16 cur = sq->cur_post;

	while (cur != c->cur) {
		const struct mlx5_wqe_ctrl_seg *ctrl = sq->buf + (cur & sq->mask) * IBX_BB;
		const struct ibx_sqe *sqe = &sq->shadow[cur & sq->mask];

		if (sqe->wc_opcode == IB_WC_LOCAL_INV)
			ibx_key_mark_clear(sq->key_marks, be32_to_cpu(ctrl->imm));
		cur = sqe->next;
	}
}

static __always_inline void settle_mkeys(struct ibx_wr *wr)
{
	if (wr->todo & IBX_TODO_INV)
		clear_key_marks(&wr->chain);
	if (wr->todo & IBX_TODO_SIGS)
		ibx_sigs_leave(wr, true);
	if (wr->todo & IBX_TODO_UNITS)
		ibx_units_leave(wr, true);
}

static void drop_chain(struct ibx_wr *wr)
{
	ibx_chain_drop(&wr->chain);
	/* a configuration may be unfinished */
	drop_attrs(wr);
	if (wr->todo & IBX_TODO_SIGS)
		ibx_sigs_leave(wr, false);
	if (wr->todo & IBX_TODO_UNITS)
		ibx_units_leave(wr, false);
}

/* post the chain of a stand-in to its QP; after an error (wr->err) nothing is posted */
static noinline void post_to_backend(struct ibx_wr *wr)
{
	struct ib_qp *qp = container_of(wr, struct ibx_qp, wr)->dv.qp_ex.qp;
	struct ibx_chain *c = &wr->chain;

	wr->err = wr->backend->lock_sq(qp, c->head - c->sq->head);
	if (wr->err) {
		drop_chain(wr);
	} else {
		settle_mkeys(wr);
		wr->backend->post_sq(qp, c);
	}
	/* for ibx_chain_post(), the chain is empty */
	c->last = NULL;
}

/* do the work that builders have left until a chain is posted (wr->todo) */
static noinline void settle_chain(struct ibx_wr *wr)
{
	if (unlikely(wr->todo & IBX_TODO_BACKEND))
		post_to_backend(wr);
	else
		settle_mkeys(wr);
}

int ib_wr_complete(struct ib_qp_ex *qp)
{
	struct ibx_qp *iqp = ibx_qp_of(qp);
	struct ibx_wr *wr = &iqp->wr;
	int err;

	if (unlikely(!ibx_wr_is_open(wr)))
		return -EINVAL;
	if (unlikely(wr->left))
		ibx_wr_fail(wr, -EINVAL);
	err = wr->err;
	trace_ibx_wr_complete(iqp, &wr->chain, err);
	if (unlikely(err)) {
		drop_chain(wr);
	} else {
		if (unlikely(wr->todo)) {
			settle_chain(wr);
			err = wr->err;
		}
		ibx_chain_post(&wr->chain);
	}
	close_sq(iqp);
	return err;
}
EXPORT_SYMBOL_GPL(ib_wr_complete);

void ib_wr_abort(struct ib_qp_ex *qp)
{
	struct ibx_qp *iqp = ibx_qp_of(qp);

	if (unlikely(!ibx_wr_is_open(&iqp->wr)))
		return;
	drop_chain(&iqp->wr);
	close_sq(iqp);
}
EXPORT_SYMBOL_GPL(ib_wr_abort);

/* ---- builders ---- */

/*
 * A WQE with data needs a setter for the data and, on UD QPs and DCIs, a setter
 * for the address. The address comes right after the control segment: leave
 * space there.
 */
static __always_inline void want_setters(const struct ib_qp_ex *qp, struct ibx_wr *wr)
{
	const u8 st = container_of(qp, struct ibx_qp, dv.qp_ex)->st;

	wr->left = 1;
	if (likely(st == MLX5_QP_ST_RC || st == MLX5_QP_ST_UC))
		return;
	ibx_wqe_advance(&wr->w, sizeof(struct mlx5_wqe_datagram_seg));
	wr->allowed = st == MLX5_QP_ST_DCI ? IBX_SET_DC : IBX_SET_ADDR;
	wr->left = 2;
}

static __always_inline void begin_send(struct ib_qp_ex *qp, u64 op, u8 opcode, __be32 imm)
{
	const struct ibx_wr_op what = {
		.op = op, .opcode = opcode, .wc_opcode = IB_WC_SEND, .imm = imm,
	};
	struct ibx_wr *wr = &ibx_qp_of(qp)->wr;

	if (unlikely(!ibx_wr_begin(wr, qp, &what)))
		return;
	want_setters(qp, wr);
	wr->allowed |= IBX_SET_DATA | IBX_SET_INLINE;
}

void ib_wr_send(struct ib_qp_ex *qp)
{
	begin_send(qp, IB_QP_EX_WITH_SEND, MLX5_OPCODE_SEND, 0);
}
EXPORT_SYMBOL_GPL(ib_wr_send);

void ib_wr_send_imm(struct ib_qp_ex *qp, __be32 imm_data)
{
	begin_send(qp, IB_QP_EX_WITH_SEND_WITH_IMM, MLX5_OPCODE_SEND_IMM, imm_data);
}
EXPORT_SYMBOL_GPL(ib_wr_send_imm);

void ib_wr_send_inv(struct ib_qp_ex *qp, u32 invalidate_rkey)
{
	begin_send(qp, IB_QP_EX_WITH_SEND_WITH_INV, MLX5_OPCODE_SEND_INVAL,
		   cpu_to_be32(invalidate_rkey));
}
EXPORT_SYMBOL_GPL(ib_wr_send_inv);

static __always_inline void begin_rdma(struct ib_qp_ex *qp, const struct ibx_wr_op *what,
				       u32 rkey, u64 remote_addr, u8 allowed)
{
	struct ibx_wr *wr = &ibx_qp_of(qp)->wr;

	if (unlikely(!ibx_wr_begin(wr, qp, what)))
		return;
	want_setters(qp, wr);
	ibx_wqe_raddr(&wr->w, remote_addr, rkey);
	wr->allowed |= allowed;
}

void ib_wr_rdma_write(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr)
{
	const struct ibx_wr_op what = {
		.op = IB_QP_EX_WITH_RDMA_WRITE,
		.opcode = MLX5_OPCODE_RDMA_WRITE,
		.wc_opcode = IB_WC_RDMA_WRITE,
	};

	begin_rdma(qp, &what, rkey, remote_addr, IBX_SET_DATA | IBX_SET_INLINE);
}
EXPORT_SYMBOL_GPL(ib_wr_rdma_write);

void ib_wr_rdma_write_imm(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr, __be32 imm_data)
{
	const struct ibx_wr_op what = {
		.op = IB_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
		.opcode = MLX5_OPCODE_RDMA_WRITE_IMM,
		.wc_opcode = IB_WC_RDMA_WRITE,
		.imm = imm_data,
	};

	begin_rdma(qp, &what, rkey, remote_addr, IBX_SET_DATA | IBX_SET_INLINE);
}
EXPORT_SYMBOL_GPL(ib_wr_rdma_write_imm);

void ib_wr_rdma_read(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr)
{
	const struct ibx_wr_op what = {
		.op = IB_QP_EX_WITH_RDMA_READ,
		.opcode = MLX5_OPCODE_RDMA_READ,
		.wc_opcode = IB_WC_RDMA_READ,
	};

	begin_rdma(qp, &what, rkey, remote_addr, IBX_SET_DATA);
}
EXPORT_SYMBOL_GPL(ib_wr_rdma_read);

static __always_inline void begin_atomic(struct ib_qp_ex *qp, const struct ibx_wr_op *what,
					 u32 rkey, u64 remote_addr, u64 swap_add, u64 compare)
{
	struct ibx_wr *wr = &ibx_qp_of(qp)->wr;

	if (unlikely(!ibx_wr_begin(wr, qp, what)))
		return;
	want_setters(qp, wr);
	ibx_wqe_raddr(&wr->w, remote_addr, rkey);
	ibx_wqe_atomic(&wr->w, swap_add, compare);
	wr->allowed |= IBX_SET_DATA | IBX_SET_WORD;
}

void ib_wr_atomic_cmp_swp(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr, u64 compare, u64 swap)
{
	const struct ibx_wr_op what = {
		.op = IB_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
		.opcode = MLX5_OPCODE_ATOMIC_CS,
		.wc_opcode = IB_WC_COMP_SWAP,
	};

	begin_atomic(qp, &what, rkey, remote_addr, swap, compare);
}
EXPORT_SYMBOL_GPL(ib_wr_atomic_cmp_swp);

void ib_wr_atomic_fetch_add(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr, u64 add)
{
	const struct ibx_wr_op what = {
		.op = IB_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
		.opcode = MLX5_OPCODE_ATOMIC_FA,
		.wc_opcode = IB_WC_FETCH_ADD,
	};

	begin_atomic(qp, &what, rkey, remote_addr, add, 0);
}
EXPORT_SYMBOL_GPL(ib_wr_atomic_fetch_add);

/*
 * An invalidation sets the key free, and clears access and length, which the
 * next configuration of the mkey could otherwise keep. A registration sets
 * these fields again. Local read is always allowed, and atomic access is 0 on a
 * device that does not let a UMR change it.
 */
#define INV_CLEARS								\
	(MLX5_MKEY_MASK_LEN | MLX5_MKEY_MASK_LW | MLX5_MKEY_MASK_RR | MLX5_MKEY_MASK_RW |	\
	 MLX5_MKEY_MASK_A)

void ib_wr_local_inv(struct ib_qp_ex *qp, u32 invalidate_rkey)
{
	const struct ibx_wr_op what = {
		.op = IB_QP_EX_WITH_LOCAL_INV,
		.opcode = MLX5_OPCODE_UMR,
		.wc_opcode = IB_WC_LOCAL_INV,
		.imm = cpu_to_be32(invalidate_rkey),
		.next_fence = MLX5_FENCE_MODE_INITIATOR_SMALL,
	};
	struct ibx_wr *wr = &ibx_qp_of(qp)->wr;

	if (unlikely(!ibx_wr_begin(wr, qp, &what)))
		return;
	wr->todo |= IBX_TODO_INV;
	ibx_wqe_umr_inv(&wr->w, wr->w.sq->reg_mask & cpu_to_be64(INV_CLEARS));
	ibx_wr_finish(wr);
}
EXPORT_SYMBOL_GPL(ib_wr_local_inv);

/* ---- setters ---- */

#define ANY_DATA	(IBX_SET_DATA | IBX_SET_INLINE)

static __always_inline int set_piece(struct ibx_wr *wr, u64 addr, u32 length, u32 lkey)
{
	if (unlikely(wr->allowed & IBX_SET_WORD) && length != sizeof(u64))
		return -EINVAL;
	if (unlikely(length - 1 >= IBX_SGE_MAX))
		return length ? -EINVAL : 0;
	ibx_wqe_data(&wr->w, addr, length, lkey);
	return 0;
}

void ib_wr_set_sge(struct ib_qp_ex *qp, u32 lkey, u64 addr, u32 length)
{
	struct ibx_wr *wr = &ibx_qp_of(qp)->wr;
	int err;

	if (!ibx_wr_setter_begin(wr, IBX_SET_DATA, ANY_DATA))
		return;
	if (unlikely(!wr->w.sq->max_gs && length))
		err = -ENOMEM;
	else
		err = set_piece(wr, addr, length, lkey);
	ibx_wr_setter_end(wr, err);
}
EXPORT_SYMBOL_GPL(ib_wr_set_sge);

static __always_inline int set_pieces(struct ibx_wr *wr, size_t n, const struct ib_sge *sge)
{
	const struct ib_sge *end = sge + n;
	int err = 0;

	if (unlikely(n > wr->w.sq->max_gs))
		return -ENOMEM;
	if (unlikely(wr->allowed & IBX_SET_WORD) && n != 1)
		return -EINVAL;
	for (; sge != end && likely(!err); sge++)
		err = set_piece(wr, sge->addr, sge->length, sge->lkey);
	return err;
}

void ib_wr_set_sge_list(struct ib_qp_ex *qp, size_t num_sge, const struct ib_sge *sg_list)
{
	struct ibx_wr *wr = &ibx_qp_of(qp)->wr;

	if (ibx_wr_setter_begin(wr, IBX_SET_DATA, ANY_DATA))
		ibx_wr_setter_end(wr, set_pieces(wr, num_sge, sg_list));
}
EXPORT_SYMBOL_GPL(ib_wr_set_sge_list);

static __always_inline int wr_set_inline(struct ibx_wr *wr, size_t n,
					 const struct ib_data_buf *buf)
{
	void *p = wr->w.seg + sizeof(struct mlx5_wqe_inline_seg);
	const struct ibx_sq *sq = wr->w.sq;
	u32 total = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (unlikely(buf[i].length > sq->max_inline - total))
			return -ENOMEM;
		p = ibx_ring_copy(sq, p, buf[i].addr, buf[i].length);
		total += buf[i].length;
	}
	if (total)
		ibx_wqe_inlined(&wr->w, p, total);
	return 0;
}

void ib_wr_set_inline_data_list(struct ib_qp_ex *qp, size_t num_buf,
				const struct ib_data_buf *buf_list)
{
	struct ibx_wr *wr = &ibx_qp_of(qp)->wr;

	if (ibx_wr_setter_begin(wr, IBX_SET_INLINE, ANY_DATA))
		ibx_wr_setter_end(wr, wr_set_inline(wr, num_buf, buf_list));
}
EXPORT_SYMBOL_GPL(ib_wr_set_inline_data_list);

void ib_wr_set_inline_data(struct ib_qp_ex *qp, const void *addr, size_t length)
{
	const struct ib_data_buf buf = { .addr = (void *)addr, .length = length };

	ib_wr_set_inline_data_list(qp, 1, &buf);
}
EXPORT_SYMBOL_GPL(ib_wr_set_inline_data);

static int set_ud_addr(struct ibx_wr *wr, const struct ib_qp *qp, struct ib_ah *ah, u32 qpn,
		       u32 qkey)
{
	if (unlikely(!ah || ah->pd != qp->pd || qpn > 0xffffff))
		return -EINVAL;
	ibx_enc_datagram((void *)(wr->w.ctrl + 1),
			 likely(!wr->backend) ? &to_iah(ah)->av : wr->backend->av(ah), qpn, qkey);
	return 0;
}

void ib_wr_set_ud_addr(struct ib_qp_ex *qp, struct ib_ah *ah, u32 remote_qpn, u32 remote_qkey)
{
	struct ibx_wr *wr = &ibx_qp_of(qp)->wr;

	if (ibx_wr_setter_begin(wr, IBX_SET_ADDR, IBX_SET_ADDR))
		ibx_wr_setter_end(wr, set_ud_addr(wr, qp->qp, ah, remote_qpn, remote_qkey));
}
EXPORT_SYMBOL_GPL(ib_wr_set_ud_addr);
