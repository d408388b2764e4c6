// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive rings: rings of QPs, and shared rings (SRQ, RMP, XRC SRQ).
 *
 * The ring of a QP is consumed in order; its doorbell record counts the WQEs
 * posted. A shared ring is a chain: each WQE begins with the index of the next
 * WQE, which the driver writes before it posts the WQE. A cyclic RMP is a
 * shared ring that is consumed in order; indices in its WQEs are not used. The
 * doorbell record of a shared ring counts the WQEs posted, too. Both counters
 * have 16 bits. Reading the head of a ring consumes no WQE: after a message is
 * refused, the next message uses the same WQE.
 *
 * For a ring consumed in order, the wqe_counter of a CQE is the number of WQEs
 * consumed before, 16 bits for every size of the ring: the driver masks it to
 * get the index. For a chain, the wqe_counter is the index. Unrefereed: U-190.
 */

#include "core/core.h"
#include "dp/dp.h"
#include "host/host.h"
#include "obj/obj.h"

/**
 * sim_dbr_read() - read a doorbell record
 * @sdev: simulated function
 * @addr: bus address
 * @val: out: counter, 16 bits
 *
 * The read is not counted as a DMA transaction: this device polls records to
 * detect doorbells, while a real device reads the record once per doorbell.
 * WQEs that the counter covers may be read afterwards.
 *
 * Context: hardware thread.
 * Return: 0, or -EFAULT when the record is not mapped.
 */
int sim_dbr_read(struct sim_dev *sdev, u64 addr, u16 *val)
{
	u32 len = sizeof(__be32);
	const __be32 *p;

	p = sim_dma_span(sdev, addr, &len, false);
	if (IS_ERR(p) || len < sizeof(*p))
		return -EFAULT;
	/*
	 * read the record before the WQEs that it counts, and before writing to
	 * their buffers: pairs with the driver's barrier before the record,
	 * dma_wmb() in mlx5_ibx and wmb() in mlx5_ib
	 */
	*val = be32_to_cpu(smp_load_acquire(p));
	return 0;
}

static int sim_rq_avail(struct sim_dev *sdev, struct sim_qp *qp, u16 *avail)
{
	u16 pi;

	if (qp->dp->rq_dead)
		return -EIO;
	if (qp->rq_type != MLX5_NON_ZERO_RQ) {
		*avail = 0;
		return 0;
	}
	if (sim_dbr_read(sdev, qp->dbr_addr, &pi)) {
		sim_qp_dbr_broken(qp);
		return -EIO;
	}
	*avail = pi - (u16)qp->rq.ci;
	if (*avail > BIT(qp->rq.log_size)) {
		qp->dp->rq_dead = true;
		sim_violation(sdev, SIM_VIO_rq_counter,
			      "QP 0x%x: record 0x%x, consumed 0x%x, size %lu", sim_qp_qpn(qp),
			      pi, (u16)qp->rq.ci, BIT(qp->rq.log_size));
		return -EIO;
	}
	return 0;
}

static int sim_rq_peek(struct sim_dev *sdev, struct sim_qp *qp, struct sim_rwqe *rwqe)
{
	u32 stride = BIT(qp->rq.log_stride);
	u16 avail;
	int err;

	err = sim_rq_avail(sdev, qp, &avail);
	if (err)
		return err;
	if (!avail)
		return -EAGAIN;
	if (stride > SIM_RWQE_MAX_BYTES)
		return -EIO;

	rwqe->counter = qp->rq.ci;
	rwqe->index = rwqe->counter & (BIT(qp->rq.log_size) - 1);
	if (sim_buf_read(sdev, &qp->buf, qp->rq.off + (u64)rwqe->index * stride, rwqe->buf,
			 stride))
		return -EIO;
	if (sim_rwqe_decode(rwqe, 0, stride, sim_terminate_lkey(sdev))) {
		sim_violation(sdev, SIM_VIO_wqe_segment, "QP 0x%x: receive WQE %u malformed",
			      sim_qp_qpn(qp), rwqe->index);
		return -EIO;
	}
	return 0;
}

/**
 * sim_srq_fail() - put an SRQ in error and raise its event
 * @sdev: simulated function
 * @srq: SRQ that is not in error yet
 *
 * Context: hardware thread.
 */
void sim_srq_fail(struct sim_dev *sdev, struct sim_srq *srq)
{
	srq->error = true;
	sim_event_qp(sdev, MLX5_EVENT_TYPE_SRQ_CATAS_ERROR, MLX5_EVENT_QUEUE_TYPE_RQ,
		     srq->obj.id);
}

/* Unrefereed: U-57. */
static void sim_srq_break(struct sim_dev *sdev, struct sim_srq *srq, const char *why, u32 val)
{
	sim_violation(sdev, SIM_VIO_srq_list, "SRQ 0x%x: %s 0x%x, %u WQEs consumed, size %lu",
		      srq->obj.id, why, val, srq->counter, BIT(srq->log_size));
	sim_srq_fail(sdev, srq);
}

static int sim_srq_avail(struct sim_dev *sdev, struct sim_srq *srq, u16 *avail)
{
	u16 pi;

	if (srq->error)
		return -EIO;
	if (sim_dbr_read(sdev, srq->dbr_addr, &pi)) {
		sim_srq_fail(sdev, srq);
		return -EIO;
	}
	*avail = pi - srq->counter;
	if (*avail > BIT(srq->log_size)) {
		sim_srq_break(sdev, srq, "record", pi);
		return -EIO;
	}
	return 0;
}

/*
 * Check the first segment of a WQE, which contains the index of the next WQE.
 */
static int sim_srq_link(struct sim_dev *sdev, struct sim_srq *srq, struct sim_rwqe *rwqe)
{
	const struct mlx5_wqe_srq_next_seg *next = (const void *)rwqe->buf;

	if (next->signature) {
		sim_srq_break(sdev, srq, "reserved field of WQE", rwqe->index);
		return -EIO;
	}
	/* UCX stores private data in reserved fields of this segment */
	if (memchr_inv(next->rsvd0, 0, sizeof(next->rsvd0)) ||
	    memchr_inv(next->rsvd1, 0, sizeof(next->rsvd1)))
		sim_ignored(sdev, "SRQ 0x%x WQE %u: reserved bytes next to the next index",
			    srq->obj.id, rwqe->index);
	if (srq->cyclic)
		return 0;
	rwqe->next = be16_to_cpu(next->next_wqe_index);
	if (rwqe->next >= BIT(srq->log_size)) {
		sim_srq_break(sdev, srq, "next index", rwqe->next);
		return -EIO;
	}
	return 0;
}

/* Unrefereed: U-60, U-61, U-191. */
static int sim_srq_peek(struct sim_dev *sdev, struct sim_srq *srq, struct sim_rwqe *rwqe)
{
	u32 head = srq->basic ? 0 : sizeof(struct mlx5_wqe_srq_next_seg);
	u32 stride = BIT(srq->log_stride);
	u16 avail;
	int err;

	err = sim_srq_avail(sdev, srq, &avail);
	if (err)
		return err;
	if (!avail)
		return -EAGAIN;
	if (stride > SIM_RWQE_MAX_BYTES || stride < head)
		return -EIO;

	rwqe->counter = srq->cyclic ? srq->counter : srq->next;
	rwqe->index = rwqe->counter & (BIT(srq->log_size) - 1);
	if (sim_buf_read(sdev, &srq->buf, (u64)rwqe->index * stride, rwqe->buf, stride)) {
		sim_srq_fail(sdev, srq);
		return -EIO;
	}
	if (head && sim_srq_link(sdev, srq, rwqe))
		return -EIO;
	if (sim_rwqe_decode(rwqe, head, stride, sim_terminate_lkey(sdev))) {
		sim_srq_break(sdev, srq, "malformed WQE", rwqe->index);
		return -EIO;
	}
	return 0;
}

/* Convert the space of a receive WQE from byte counts to bytes on the wire. */
static void sim_recv_space(struct sim_dev *sdev, struct sim_rwqe *rwqe)
{
	const struct sim_mkey *mkey;
	u32 i, wire;

	for (i = 0; sdev->bsf_mkeys && i < rwqe->nseg; i++) {
		mkey = sim_seg_key(sdev, &rwqe->seg[i]);
		if (mkey && !sim_sig_wire_len(mkey->bsf, rwqe->seg[i].len, &wire))
			rwqe->space += (s64)wire - rwqe->seg[i].len;
	}
}

/**
 * sim_recv_peek() - read the WQE that the next message will consume
 * @sdev: simulated function
 * @qp: receiving QP
 * @rwqe: out: decoded WQE
 *
 * Return: 0; -EAGAIN when no WQE is posted; -EIO when the ring is unusable or
 * the WQE is malformed. A breach by the driver has been recorded as a
 * violation.
 */
int sim_recv_peek(struct sim_dev *sdev, struct sim_qp *qp, struct sim_rwqe *rwqe)
{
	int err = sim_qp_has_srq(qp) ? sim_srq_peek(sdev, qp->srq, rwqe) :
				       sim_rq_peek(sdev, qp, rwqe);

	if (!err)
		sim_recv_space(sdev, rwqe);
	return err;
}

/**
 * sim_dp_srq_limit() - raise the limit event of an SRQ if it is due
 * @sdev: simulated function
 * @srq: the SRQ
 *
 * Called when the limit is armed and after each WQE consumed.
 *
 * Unrefereed: U-58.
 *
 * Context: hardware thread.
 */
void sim_dp_srq_limit(struct sim_dev *sdev, struct sim_srq *srq)
{
	u16 avail;

	if (!srq->lwm || sim_srq_avail(sdev, srq, &avail) || avail >= srq->lwm)
		return;
	srq->lwm = 0;
	sim_event_qp(sdev, MLX5_EVENT_TYPE_SRQ_RQ_LIMIT, MLX5_EVENT_QUEUE_TYPE_RQ, srq->obj.id);
}

/**
 * sim_recv_consume() - consume the WQE that sim_recv_peek() read
 * @sdev: simulated function
 * @qp: receiving QP
 * @rwqe: WQE from sim_recv_peek()
 */
void sim_recv_consume(struct sim_dev *sdev, struct sim_qp *qp, const struct sim_rwqe *rwqe)
{
	sim_count(sdev, rwqes);
	if (!sim_qp_has_srq(qp)) {
		qp->rq.ci++;
		return;
	}
	qp->srq->counter++;
	if (!qp->srq->cyclic)
		qp->srq->next = rwqe->next;
	sim_dp_srq_limit(sdev, qp->srq);
}

/**
 * sim_recv_flush() - flush receive WQEs of a QP in ERR
 * @sdev: simulated function
 * @qp: QP in ERR
 * @budget: maximum number of WQEs to flush in this call
 *
 * A shared ring is not flushed: its WQEs belong to no QP.
 *
 * Return: true if a WQE was flushed.
 */
bool sim_recv_flush(struct sim_dev *sdev, struct sim_qp *qp, u32 budget)
{
	struct mlx5_cqe64 cqe;
	u16 avail, n;

	if (sim_rq_avail(sdev, qp, &avail))
		return false;
	for (n = 0; n < avail && n < budget; n++) {
		sim_cqe_err(&cqe, qp, false, qp->rq.ci, 0, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		qp->rq.ci++;
		sim_count(sdev, wqes_flushed);
		sim_qcount_syndrome(sdev, qp, false, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		sim_dp_post_cqe(sdev, qp, qp->rcq, &cqe, true);
	}
	return n;
}
