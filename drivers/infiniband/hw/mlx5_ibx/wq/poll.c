// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: consuming completions.
 *
 * A CQE belongs to software when its owner bit equals the parity of the
 * consumer's lap around the ring and its opcode is not MLX5_CQE_INVALID, with
 * which the ring was filled. Only then is the rest of the CQE read. Every such
 * CQE is consumed, except a CQE that may belong to a new DCT (see below). A CQE
 * whose QP number is not in the table of QPs is passed to the ULP that has
 * attached the CQ (dv/devx_verbs.c), or skipped. Numbers from the device are
 * masked or looked up before they are used as an index. The entries of skipped
 * CQEs are freed at the end of a poll, so a poll skips at most as many CQEs as
 * the ring has entries.
 *
 * A send CQE completes its WR and all earlier WRs of that QP; the receives of a
 * QP complete in order. The streams of a DCI are no exception: in libmlx5 and
 * UCX, which uses DCIs with streams, a CQE also completes all earlier WQEs. On
 * an error the consumer gets wr_id, status and vendor_err; the device then
 * flushes every later WQE, with one CQE each. A WR of several WQEs completes
 * with its last WQE: the error of an earlier WQE is kept until then
 * (keep_part()).
 *
 * A CQE of a signature error completes no WR (sig.c). The CQE contains the key
 * of the mkey that has the error, and a QP number. The driver may have no QP
 * with this number. When the QP is destroyed, the number is used to disown the
 * CQE. If the driver has neither the QP nor the mkey, the CQE is passed to the
 * ULP like any other CQE.
 *
 * A DCT receives before the driver gets its number. While a DCT is being
 * created (ibx_cq.dcts_new), polling stops at a CQE of an unknown QP: the CQE
 * may belong to the DCT.
 *
 * CQEs of a QP that is destroyed or reset may still be in the ring.
 * ibx_cq_clean() disowns them: it replaces their QP number, under the lock of
 * the CQ. So polling skips them, even if a later QP has the old number.
 * ibx_cq_drop_sig_errors() disowns the signature errors of a destroyed mkey.
 *
 * The CQE of a receive of an SRQ contains the index of its WQE, which is appended to
 * the list of the SRQ; ibx_cq_clean() does this for the CQEs that it disowns.
 *
 * While a CQ is resized, the device changes to a second ring. The last CQE of
 * the first ring has the opcode MLX5_CQE_RESIZE_CQ. After this CQE, polling
 * goes on in the second ring. ibx_cqb_move() moves unpolled CQEs there.
 *
 * After a fatal error CQEs are ignored. Outstanding WRs are completed in
 * software with IB_WC_WR_FLUSH_ERR from the shadow arrays. Receives of an SRQ
 * are not completed: until a message consumes them they belong to no QP, and
 * ib_drain_qp() waits for an event instead (notifier.c). Sends of the GSI QP
 * complete with IB_WC_FATAL_ERR. With a flush error, ib_cm would treat the MAD
 * as cancelled and report no event, and a consumer that waits for the end of
 * its connection would wait without limit. ib_cm reports any other error as if
 * the peer had not answered.
 *
 * After a CQ error, QPs that are stopped are flushed in software, too. Their
 * CQEs are polled first: the device wrote all of them before the QP was marked
 * as stopped under the lock of the CQ.
 */

#include "enc/enc.h"
#include "trace.h"
#include "wq/wq.h"

static struct mlx5_cqe64 *cqe_at(const struct ibx_cqb *cqb, u32 n)
{
	return cqb->buf + (n & (cqb->cqe_cnt - 1)) * sizeof(struct mlx5_cqe64);
}

/* has the device written @cqe, the CQE with index @n? */
static __always_inline bool is_ready(const struct ibx_cqb *cqb, u32 n,
				     const struct mlx5_cqe64 *cqe)
{
	u8 own = READ_ONCE(cqe->op_own);

	if ((own & MLX5_CQE_OWNER_MASK) != !!(n & cqb->cqe_cnt) ||
	    unlikely(own >> 4 == MLX5_CQE_INVALID))
		return false;

	/*
	 * owner bit before the rest of the CQE: pairs with the device, which
	 * writes the owner bit last, after it has read the WQE
	 */
	dma_rmb();
	return true;
}

/* CQE with index @n, or NULL when the device has not written it yet */
static __always_inline struct mlx5_cqe64 *cqe_ready(const struct ibx_cqb *cqb, u32 n)
{
	struct mlx5_cqe64 *cqe = cqe_at(cqb, n);

	return is_ready(cqb, n, cqe) ? cqe : NULL;
}

static void clear_qp_cache(struct ibx_cqb *cqb)
{
	cqb->last_qp = NULL;
	cqb->last_qpn = IBX_NO_CACHED_QPN;
}

/**
 * ibx_cqb_init() - prepare a completion ring
 * @cqb: ring
 * @buf: memory of the ring, @cqe_cnt * 64 bytes
 * @cqe_cnt: number of CQEs, a power of two, at most 2^23
 * @set_ci: doorbell record of the consumer index
 *
 * Context: before the CQ is created on the device.
 */
void ibx_cqb_init(struct ibx_cqb *cqb, void *buf, u32 cqe_cnt, __be32 *set_ci)
{
	cqb->buf = buf;
	cqb->cqe_cnt = cqe_cnt;
	cqb->ci = 0;
	cqb->set_ci = set_ci;
	cqb->next_buf = NULL;
	clear_qp_cache(cqb);
	ibx_cqb_fill(buf, cqe_cnt);
}

/**
 * ibx_cqb_fill() - mark all CQEs of a ring as not written by the device
 * @buf: memory of the ring, @cqe_cnt * 64 bytes
 * @cqe_cnt: number of CQEs
 *
 * Context: before the device may write to the ring.
 */
void ibx_cqb_fill(void *buf, u32 cqe_cnt)
{
	struct mlx5_cqe64 *cqe = buf;

	while (cqe_cnt--)
		cqe++->op_own = MLX5_CQE_INVALID << 4;
}

static __always_inline void assert_cq_locked(const struct ibx_cqb *cqb)
{
	lockdep_assert_held(&container_of(cqb, struct ibx_cq, cqb)->lock);
}

/* all CQEs with an index below @ci were consumed */
static __always_inline void set_consumed(struct ibx_cqb *cqb, u32 ci)
{
	assert_cq_locked(cqb);
	if (ci == cqb->ci)
		return;
	WRITE_ONCE(cqb->ci, ci);
	/*
	 * reads and writes of CQEs before the record: pairs with the device,
	 * which reads the record before it overwrites CQEs
	 */
	smp_store_release(cqb->set_ci, cpu_to_be32(ci & 0xffffff));
}

static bool ends_ring(const struct mlx5_cqe64 *cqe)
{
	return cqe->op_own >> 4 == MLX5_CQE_RESIZE_CQ;
}

/* the RESIZE_CQ entry was consumed: the CQE with the next index is in the next ring */
static void next_ring(struct ibx_cqb *cqb)
{
	cqb->buf = cqb->next_buf;
	cqb->cqe_cnt = cqb->next_cnt;
	cqb->next_buf = NULL;
}

/**
 * ibx_cqb_move() - change to the next ring, and move unpolled CQEs there
 * @cqb: ring; @cqb->next_buf is not NULL
 *
 * The RESIZE_CQ entry takes an index, so the index of each CQE before it
 * increases by one.
 *
 * Context: the lock of the CQ is held.
 * Return: true; false if the device has not written the RESIZE_CQ entry yet.
 */
bool ibx_cqb_move(struct ibx_cqb *cqb)
{
	struct mlx5_cqe64 *from, *to;
	u32 i, end = cqb->ci;

	assert_cq_locked(cqb);
	for (;;) {
		from = cqe_ready(cqb, end);
		if (!from)
			return false;
		if (ends_ring(from))
			break;
		end++;
	}
	for (i = cqb->ci; i != end; i++) {
		from = cqe_at(cqb, i);
		to = cqb->next_buf + ((i + 1) & (cqb->next_cnt - 1)) * sizeof(*to);
		*to = *from;
		to->op_own = from->op_own & ~MLX5_CQE_OWNER_MASK;
		if ((i + 1) & cqb->next_cnt)
			to->op_own |= MLX5_CQE_OWNER_MASK;
	}
	next_ring(cqb);
	set_consumed(cqb, cqb->ci + 1);
	return true;
}

/* cache the QP with hardware number @qpn; false if there is no such QP */
static noinline bool cache_qp(struct ibx_dev *dev, struct ibx_cqb *cqb, u32 qpn)
{
	struct ibx_qp *qp = qpn == IBX_NO_QPN ? NULL : xa_load(&dev->qps, qpn);

	if (unlikely(!qp))
		return false;
	cqb->last_qp = qp;
	cqb->last_qpn = qpn;
	return true;
}

/* complete the WR whose WQE starts at block @index, and all earlier WRs; the ring exists */
static __always_inline void complete_send(struct ibx_sq *sq, u16 index, struct ib_wc *wc)
{
	const struct ibx_sqe *sqe = &sq->shadow[index & sq->mask];

	wc->wr_id = sqe->wr_id;
	wc->opcode = sqe->wc_opcode;
	/* a CQE that is not in order does not move the tail back: WRs would complete twice */
	if (unlikely((s32)(sqe->seq - sq->tail) <= 0))
		return;
	/*
	 * pairs with smp_load_acquire() in ibx_chain_has_space(): the shadow
	 * entry may be overwritten now
	 */
	smp_store_release(&sq->tail, sqe->seq);
}

/* complete the oldest receive */
static __always_inline void complete_recv(struct ibx_rq *rq, struct ib_wc *wc)
{
	u32 tail = rq->tail;

	wc->wr_id = rq->wrid[tail & rq->mask];
	/*
	 * pairs with smp_load_acquire() in recv_one(): wrid may be overwritten
	 * now
	 */
	smp_store_release(&rq->tail, tail + 1);
}

/* is @cq the send CQ of a QP that has a send ring? */
static __always_inline bool sends_here(const struct ibx_cq *cq, const struct ibx_qp *qp)
{
	return likely(qp->ibqp.send_cq == &cq->ibcq && qp->sq.shadow);
}

/* complete the receive of a CQE, with or without error; false if none exists */
static __always_inline bool consume_recv(struct ibx_cq *cq, struct ibx_qp *qp,
					 const struct mlx5_cqe64 *cqe, struct ib_wc *wc)
{
	if (unlikely(qp->ibqp.recv_cq != &cq->ibcq))
		return false;
	if (qp->srq_ring)
		return ibx_srq_ring_complete(qp->srq_ring, be16_to_cpu(cqe->wqe_counter),
					     &wc->wr_id);
	if (unlikely(!qp->rq.wrid))
		return false;

	complete_recv(&qp->rq, wc);
	return true;
}

/* fields in the CQE of a receive that a plain SEND does not set */
static __always_inline void recv_more(const struct ibx_qp *qp, const struct mlx5_cqe64 *cqe,
				      u8 opcode, struct ib_wc *wc)
{
	switch (opcode) {
	case MLX5_CQE_RESP_WR_IMM:
		wc->opcode = IB_WC_RECV_RDMA_WITH_IMM;
		fallthrough;
	case MLX5_CQE_RESP_SEND_IMM:
		wc->wc_flags = IB_WC_WITH_IMM;
		wc->ex.imm_data = cqe->immediate;
		break;
	case MLX5_CQE_RESP_SEND_INV:
		wc->wc_flags = IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = be32_to_cpu(cqe->inval_rkey);
		ibx_key_mark_clear(&to_idev(qp->ibqp.device)->key_marks, wc->ex.invalidate_rkey);
		break;
	}
}

static __always_inline bool recv_wc(struct ibx_cq *cq, struct ibx_qp *qp,
				    const struct mlx5_cqe64 *cqe, u8 opcode, struct ib_wc *wc)
{
	if (unlikely(!consume_recv(cq, qp, cqe, wc)))
		return false;
	wc->byte_len = be32_to_cpu(cqe->byte_cnt);
	wc->opcode = IB_WC_RECV;
	wc->wc_flags = 0;
	if (opcode != MLX5_CQE_RESP_SEND)
		recv_more(qp, cqe, opcode, wc);
	if (unlikely(qp->ibqp.qp_type != IB_QPT_RC && qp->ibqp.qp_type != IB_QPT_UC &&
		     qp->ibqp.qp_type != IB_QPT_DRIVER))
		ibx_dec_ud(wc, cqe);
	return true;
}

/* mark the key of a registration or invalidation that failed (key_marks.c) */
static void mark_unknown_key(const struct ibx_sq *sq, u16 index)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = sq->buf + (index & sq->mask) * IBX_BB;
	u8 wc_opcode = sq->shadow[index & sq->mask].wc_opcode;

	if (wc_opcode == IB_WC_REG_MR || wc_opcode == IB_WC_LOCAL_INV)
		ibx_key_mark_set(sq->key_marks, be32_to_cpu(ctrl->imm));
}

/*
 * Errors that peers and networks cause in normal operation are not logged.
 * Errors that may be a fault of the peer are logged for debugging only: the
 * same choice as in mlx5_ib.
 */
static noinline void log_error_cqe(const struct ibx_qp *qp, const struct mlx5_err_cqe *err)
{
	struct device *dev = to_idev(qp->ibqp.device)->mdev->device;

	static_assert(sizeof(*err) == 64);
	switch (err->syndrome) {
	case MLX5_CQE_SYNDROME_WR_FLUSH_ERR:
	case MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR:
	case MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR:
		break;
	case MLX5_CQE_SYNDROME_LOCAL_PROT_ERR:
	case MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR:
	case MLX5_CQE_SYNDROME_REMOTE_OP_ERR:
		dev_dbg_ratelimited(dev, KBUILD_MODNAME ": QP 0x%x: error CQE %64ph\n", qp->qpn,
				    err);
		break;
	default:
		dev_warn_ratelimited(dev, KBUILD_MODNAME ": QP 0x%x: error CQE %64ph\n", qp->qpn,
				     err);
	}
}

/* is the WQE at block @index followed by another WQE of the same WR? */
static bool is_part(const struct ibx_sq *sq, u16 index)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = sq->buf + (index & sq->mask) * IBX_BB;
	const u32 ds = be32_to_cpu(ctrl->qpn_ds) & MLX5_WQE_CTRL_DS_MASK;
	const u16 end = index + DIV_ROUND_UP(ds, IBX_BB / IBX_DS);

	return end != sq->shadow[index & sq->mask].next;
}

/*
 * A WQE that is not the last WQE of its WR has failed or was flushed. The WR
 * stays in the ring until its last WQE is flushed: the device still reads that
 * WQE.
 */
static void keep_part(struct ibx_sq *sq, const struct mlx5_err_cqe *err)
{
	if (err->syndrome == MLX5_CQE_SYNDROME_WR_FLUSH_ERR)
		return;
	sq->part_seq = sq->shadow[be16_to_cpu(err->wqe_counter) & sq->mask].seq;
	sq->part_syndrome = err->syndrome;
	sq->part_vendor = err->vendor_err_synd;
}

static void error_status(const struct mlx5_err_cqe *err, struct ib_wc *wc)
{
	wc->status = ibx_dec_syndrome(err->syndrome);
	wc->vendor_err = err->vendor_err_synd;
	wc->byte_len = 0;
	wc->wc_flags = 0;
}

/*
 * the last WQE of a WR was flushed after an earlier WQE had failed: report the
 * earlier error
 */
static void part_status(const struct ibx_sq *sq, u16 index, struct ib_wc *wc)
{
	if (likely(!sq->part_syndrome) || sq->part_seq != sq->shadow[index & sq->mask].seq ||
	    wc->status != IB_WC_WR_FLUSH_ERR)
		return;
	wc->status = ibx_dec_syndrome(sq->part_syndrome);
	wc->vendor_err = sq->part_vendor;
}

/*
 * Return: 1 if @wc is filled; 0 if the CQE completes no WR; -ENOENT if the QP
 * has no WR for the CQE
 */
static noinline int error_wc(struct ibx_cq *cq, struct ibx_qp *qp, const struct mlx5_cqe64 *cqe,
			     struct ib_wc *wc)
{
	bool send = cqe->op_own >> 4 == MLX5_CQE_REQ_ERR;
	const struct mlx5_err_cqe *err = (const struct mlx5_err_cqe *)cqe;
	const u16 index = be16_to_cpu(err->wqe_counter);

	if (unlikely(send ? !sends_here(cq, qp) : !consume_recv(cq, qp, cqe, wc)))
		return -ENOENT;
	trace_ibx_cqe_error(qp, err, send);
	log_error_cqe(qp, err);
	error_status(err, wc);
	wc->opcode = IB_WC_RECV;
	if (!send)
		return 1;
	if (unlikely(is_part(&qp->sq, index))) {
		keep_part(&qp->sq, err);
		return 0;
	}
	mark_unknown_key(&qp->sq, index);
	part_status(&qp->sq, index, wc);
	complete_send(&qp->sq, index, wc);
	return 1;
}

static bool is_sig_error(const struct mlx5_cqe64 *cqe)
{
	return cqe->op_own >> 4 == MLX5_CQE_SIG_ERR;
}

/*
 * pass a CQE whose QP is not in the table to the ULP, or a signature error to
 * its mkey. While a DCT is being created, no CQE is passed to the ULP: the CQE
 * is polled again
 */
static noinline void pass_cqe(struct ibx_dev *dev, const struct ibx_cq *cq,
			      const struct mlx5_cqe64 *cqe, u32 qpn)
{
	lockdep_assert_held(&cq->lock);
	if (qpn == IBX_NO_QPN || ends_ring(cqe))
		return;
	if (is_sig_error(cqe) && ibx_sig_error(dev, cqe))
		return;
	if (cq->cqe_cb && !cq->dcts_new)
		cq->cqe_cb(cq->cqe_arg, cqe);
}

/* fill @wc from a CQE; false when the CQE completes no WR */
static __always_inline bool poll_one(struct ibx_dev *dev, struct ibx_cq *cq,
				     const struct mlx5_cqe64 *cqe, struct ib_wc *wc)
{
	u32 qpn = be32_to_cpu(cqe->sop_drop_qpn) & 0xffffff;
	u8 opcode = cqe->op_own >> 4;
	struct ibx_qp *qp;
	int ret;

	if (unlikely(qpn != cq->cqb.last_qpn) && !cache_qp(dev, &cq->cqb, qpn)) {
		pass_cqe(dev, cq, cqe, qpn);
		return false;
	}

	qp = cq->cqb.last_qp;
	wc->qp = &qp->ibqp;
	wc->status = IB_WC_SUCCESS;
	switch (opcode) {
	case MLX5_CQE_REQ:
		if (!sends_here(cq, qp))
			break;
		complete_send(&qp->sq, be16_to_cpu(cqe->wqe_counter), wc);
		wc->byte_len = be32_to_cpu(cqe->byte_cnt);
		wc->wc_flags = 0;
		return true;
	case MLX5_CQE_RESP_WR_IMM:
	case MLX5_CQE_RESP_SEND:
	case MLX5_CQE_RESP_SEND_IMM:
	case MLX5_CQE_RESP_SEND_INV:
		if (unlikely(!recv_wc(cq, qp, cqe, opcode, wc)))
			break;
		return true;
	case MLX5_CQE_REQ_ERR:
	case MLX5_CQE_RESP_ERR:
		ret = error_wc(cq, qp, cqe, wc);
		if (unlikely(ret < 0))
			break;
		return ret;
	case MLX5_CQE_RESIZE_CQ:
		return false;
	case MLX5_CQE_SIG_ERR:
		ibx_sig_error(dev, cqe);
		return false;
	}
	ibx_mdev_warn_ratelimited(dev->mdev, "QP 0x%x: unexpected CQE, opcode %u WQE %u\n",
				  qpn, opcode, be16_to_cpu(cqe->wqe_counter));
	return false;
}

/* is a CQE a signature error that the ULP does not get? */
static bool has_sig_owner(struct ibx_dev *dev, const struct ibx_cq *cq,
			  const struct mlx5_cqe64 *cqe)
{
	const struct mlx5_sig_err_cqe *err;

	err = (const struct mlx5_sig_err_cqe *)cqe;
	return is_sig_error(cqe) &&
	       (!cq->cqe_cb ||
		xa_load(&dev->sigs, mlx5_mkey_to_idx(be32_to_cpu(err->mkey))));
}

/* may a CQE that completed no WR be for a DCT that is not in the table yet? */
static bool is_early(struct ibx_dev *dev, const struct ibx_cq *cq, const struct mlx5_cqe64 *cqe)
{
	u32 qpn = be32_to_cpu(cqe->sop_drop_qpn) & 0xffffff;

	lockdep_assert_held(&cq->lock);
	return cq->dcts_new && qpn != IBX_NO_QPN && !ends_ring(cqe) &&
	       !has_sig_owner(dev, cq, cqe) && !xa_load(&dev->qps, qpn);
}

static void flush_wc(struct ibx_qp *qp, struct ib_wc *wc)
{
	wc->qp = &qp->ibqp;
	wc->status = IB_WC_WR_FLUSH_ERR;
	wc->vendor_err = 0;
	wc->byte_len = 0;
	wc->wc_flags = 0;
}

/* index of the first block of a WQE of the oldest outstanding WR */
static u16 oldest_send(const struct ibx_sq *sq)
{
	u32 i, ahead, least = U32_MAX;
	u16 oldest = 0;

	/*
	 * a WR may add more than 1 to head: the oldest outstanding WR need not
	 * have the number tail + 1
	 */
	for (i = 0; i <= sq->mask; i++) {
		/* posting may be writing the entries of later WRs */
		ahead = READ_ONCE(sq->shadow[i].seq) - sq->tail - 1;
		if (ahead < least) {
			least = ahead;
			oldest = i;
		}
	}
	return oldest;
}

static int flush_send(struct ibx_cq *cq, struct ibx_qp *qp, int num, struct ib_wc *wc)
{
	struct ibx_sq *sq = &qp->sq;
	u16 index;
	u32 head;
	int n;

	/*
	 * pairs with smp_store_release() in ibx_chain_post(): the shadow
	 * entries were written before head
	 */
	head = smp_load_acquire(&sq->head);
	if (head == sq->tail)
		return 0;

	index = oldest_send(sq);
	for (n = 0; n < num && sq->tail != head; n++, wc++) {
		u16 next = sq->shadow[index & sq->mask].next;

		flush_wc(qp, wc);
		if (unlikely(qp->ibqp.qp_type == IB_QPT_GSI))
			wc->status = IB_WC_FATAL_ERR;
		mark_unknown_key(sq, index);
		complete_send(sq, index, wc);
		trace_ibx_comp(cq, wc);
		index = next;
	}
	return n;
}

static int flush_recv(struct ibx_cq *cq, struct ibx_qp *qp, int num, struct ib_wc *wc)
{
	struct ibx_rq *rq = &qp->rq;
	u32 head;
	int n;

	/*
	 * pairs with smp_store_release() in ibx_post_recv(): wrid was written
	 * before head
	 */
	head = smp_load_acquire(&rq->head);
	for (n = 0; n < num && rq->tail != head; n++, wc++) {
		flush_wc(qp, wc);
		wc->opcode = IB_WC_RECV;
		complete_recv(rq, wc);
		trace_ibx_comp(cq, wc);
	}
	return n;
}

/* flush the outstanding WRs on this CQ that the device will not complete */
static int flush_cq(struct ibx_cq *cq, int num, struct ib_wc *wc)
{
	struct ibx_qp *qp;
	int n = 0;

	lockdep_assert_held(&cq->lock);
	list_for_each_entry(qp, &cq->send_qps, send_link)
		if (ibx_qp_is_flushed(cq, qp))
			n += flush_send(cq, qp, num - n, wc + n);
	list_for_each_entry(qp, &cq->recv_qps, recv_link)
		if (ibx_qp_is_flushed(cq, qp))
			n += flush_recv(cq, qp, num - n, wc + n);
	return n;
}

/**
 * ibx_poll_cq() - ib_poll_cq()
 * @ibcq: CQ
 * @num: number of entries of @wc
 * @wc: array for the completions
 *
 * Context: any; takes the lock of the CQ.
 * Return: number of completions stored.
 */
int ibx_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct ibx_dev *dev = to_idev(ibcq->device);
	struct ibx_cq *cq = to_icq(ibcq);
	struct ibx_cqb *cqb = &cq->cqb;
	struct mlx5_cqe64 *cqe;
	unsigned long flags;
	int n = 0;
	u32 ci;

	spin_lock_irqsave(&cq->lock, flags);
	if (unlikely(ibx_dead(dev))) {
		n = flush_cq(cq, num, wc);
		goto unlock;
	}

	ci = cqb->ci;
	while (n < num) {
		cqe = cqe_at(cqb, ci);
		if (!is_ready(cqb, ci, cqe))
			break;
		ci++;
		if (likely(poll_one(dev, cq, cqe, wc))) {
			trace_ibx_comp(cq, wc);
			wc++;
			n++;
			continue;
		}
		/*
		 * the cached QP may have other CQs: the destruction of such a
		 * QP does not clear the cache
		 */
		clear_qp_cache(cqb);
		if (unlikely(cqb->next_buf) && ends_ring(cqe)) {
			next_ring(cqb);
		} else if (unlikely(is_early(dev, cq, cqe))) {
			ci--;
			break;
		}
	}
	set_consumed(cqb, ci);
	if (unlikely(cq->flushes))
		n += flush_cq(cq, num - n, wc);
unlock:
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/* are there outstanding WRs on this CQ that the device will not complete? */
static bool has_flushed_wrs(struct ibx_cq *cq)
{
	struct ibx_qp *qp;

	lockdep_assert_held(&cq->lock);
	list_for_each_entry(qp, &cq->send_qps, send_link)
		if (ibx_qp_is_flushed(cq, qp) && !ibx_sq_idle(&qp->sq))
			return true;
	list_for_each_entry(qp, &cq->recv_qps, recv_link)
		if (ibx_qp_is_flushed(cq, qp) && !ibx_rq_idle(&qp->rq))
			return true;
	return false;
}

/**
 * ibx_req_notify_cq() - ib_req_notify_cq()
 * @ibcq: CQ
 * @flags: IB_CQ_SOLICITED or IB_CQ_NEXT_COMP, and IB_CQ_REPORT_MISSED_EVENTS or not
 *
 * The doorbell that arms the CQ contains the consumer index. The device raises
 * the event at once if it has already written CQEs beyond this index, so no
 * completion is missed. It raises no event after a fatal error, or for a CQ
 * that is in error or about to be destroyed. In these cases this function looks
 * for completions itself.
 *
 * Context: any; takes the lock of the CQ after a fatal error of the device and for
 * a silent CQ.
 * Return: 0; 1 when @flags has IB_CQ_REPORT_MISSED_EVENTS and completions are
 * ready that will raise no event.
 */
int ibx_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct ibx_dev *dev = to_idev(ibcq->device);
	struct ibx_cq *cq = to_icq(ibcq);
	unsigned long irq;
	int ret;

	if (unlikely(ibx_dead(dev) || READ_ONCE(cq->silent))) {
		spin_lock_irqsave(&cq->lock, irq);
		ret = (flags & IB_CQ_REPORT_MISSED_EVENTS) &&
		      (has_flushed_wrs(cq) || (!ibx_dead(dev) && cqe_ready(&cq->cqb, cq->cqb.ci)));
		spin_unlock_irqrestore(&cq->lock, irq);
		return ret;
	}

	/*
	 * No lock, as in mlx5_ib: an old consumer index at worst raises an
	 * event that is not needed. mlx5_cq_arm() has wmb() between the record
	 * and the register: pairs with the device, which reads the record after
	 * a write to the register, and compares the index with the CQEs that it
	 * wrote
	 */
	mlx5_cq_arm(&cq->mcq,
		    (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ?
		    MLX5_CQ_DB_REQ_NOT_SOL : MLX5_CQ_DB_REQ_NOT,
		    dev->bfreg.up->map, READ_ONCE(cq->cqb.ci));
	return 0;
}

static bool is_recv(const struct mlx5_cqe64 *cqe)
{
	switch (cqe->op_own >> 4) {
	case MLX5_CQE_RESP_WR_IMM:
	case MLX5_CQE_RESP_SEND:
	case MLX5_CQE_RESP_SEND_IMM:
	case MLX5_CQE_RESP_SEND_INV:
	case MLX5_CQE_RESP_ERR:
		return true;
	default:
		return false;
	}
}

/*
 * during a resize, moves all unpolled CQEs to one ring, the ring that is polled
 * next
 */
static void gather_cqes(struct ibx_cqb *cqb)
{
	if (cqb->next_buf)
		ibx_cqb_move(cqb);
}

/* CQEs that were not polled yet; @n counts from 0 at the consumer index */
#define for_each_unpolled(cqb, cqe, n)						\
	for (n = 0; n < (cqb)->cqe_cnt &&					\
		    (cqe = cqe_ready(cqb, (cqb)->ci + n)); n++)

static void disown_cqe(struct mlx5_cqe64 *cqe)
{
	cqe->sop_drop_qpn |= cpu_to_be32(IBX_NO_QPN);
}

/* free the entries of disowned CQEs at the consumer index, without waiting for a poll */
static void skip_disowned(struct ibx_cqb *cqb)
{
	const struct mlx5_cqe64 *cqe;
	u32 ci = cqb->ci;

	while ((cqe = cqe_ready(cqb, ci)) && !ends_ring(cqe) &&
	       (be32_to_cpu(cqe->sop_drop_qpn) & 0xffffff) == IBX_NO_QPN)
		ci++;
	set_consumed(cqb, ci);
}

/**
 * ibx_cq_clean() - disown the CQEs of a QP
 * @cq: CQ
 * @qpn: hardware number of a QP that is in RESET, or is destroyed and no longer in
 *	the table of QPs
 * @ring: ring of the SRQ, to which the WQEs of these CQEs are appended; or NULL
 * @listed: the QP was in the list for ibx_qps_drop_sig_errors(): the mkeys of
 *	signature errors among these CQEs are valid, and the errors are stored
 *
 * Context: @cq->lock held, interrupts are off.
 */
void ibx_cq_clean(struct ibx_cq *cq, u32 qpn, struct ibx_srq_ring *ring, bool listed)
{
	struct ibx_cqb *cqb = &cq->cqb;
	struct mlx5_cqe64 *cqe;
	u64 wr_id;
	u32 i;

	lockdep_assert_held(&cq->lock);

	if (cqb->last_qpn == qpn)
		clear_qp_cache(cqb);
	gather_cqes(cqb);
	for_each_unpolled(cqb, cqe, i) {
		if ((be32_to_cpu(cqe->sop_drop_qpn) & 0xffffff) != qpn)
			continue;
		/* count the error: the next configuration acknowledges it */
		if (listed && is_sig_error(cqe))
			ibx_sig_error(to_idev(cq->ibcq.device), cqe);
		if (ring && is_recv(cqe))
			ibx_srq_ring_complete(ring, be16_to_cpu(cqe->wqe_counter), &wr_id);
		disown_cqe(cqe);
	}
	skip_disowned(cqb);
}

/**
 * ibx_cq_drop_sig_errors() - disown the CQEs of signature errors of an mkey
 * @cq: CQ
 * @key: key of an mkey that the device has destroyed
 *
 * The device may give the index of the mkey to another mkey; the CQEs must not
 * be reported for the other mkey.
 *
 * Context: @cq->lock held, interrupts are off.
 */
void ibx_cq_drop_sig_errors(struct ibx_cq *cq, u32 key)
{
	const struct mlx5_sig_err_cqe *err;
	struct ibx_cqb *cqb = &cq->cqb;
	struct mlx5_cqe64 *cqe;
	u32 i;

	lockdep_assert_held(&cq->lock);

	gather_cqes(cqb);
	for_each_unpolled(cqb, cqe, i) {
		err = (const struct mlx5_sig_err_cqe *)cqe;
		if (is_sig_error(cqe) &&
		    mlx5_mkey_to_idx(be32_to_cpu(err->mkey)) == mlx5_mkey_to_idx(key))
			disown_cqe(cqe);
	}
	skip_disowned(cqb);
}
