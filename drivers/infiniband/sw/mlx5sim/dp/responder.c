// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Execution of a message at the receiving QP.
 *
 * The responder first checks the sequence number, the receive WQE if the
 * message needs one, space and rights. The checks of memory find the first
 * packet that the keys of the sender or the receiver do not allow. All packets
 * before that packet move from the sender's memory to the receiver's memory
 * (wire.c). If all packets have moved, the receive completion is written. The
 * sender gets a verdict as the response (enum sim_verdict). With the module
 * parameter atomic_messages a message that fails moves no data.
 *
 * Immediate data and the key of a SEND with invalidate are in the last packet.
 * So a missing receive WQE of a WRITE, and a missing right to invalidate, are
 * errors of that packet: the packets before it have moved.
 *
 * Errors, as in the InfiniBand responder error table. Each of these errors
 * moves the receiving QP to ERR:
 *  - The peer has no right to the memory (key, right, range): NAK remote access
 *    error. A WQ access event is raised. The message consumes no receive WQE;
 *    posted receives are flushed.
 *  - The QP does not accept messages of the opcode, or the message is too long
 *    for the receive WQE: NAK invalid request. If the message is too long, the
 *    WQE completes with a length error, otherwise a WQ invalid request event is
 *    raised.
 *  - The receive WQE of the local driver is bad: NAK remote operational error.
 *    The WQE completes with a protection error.
 * A SEND with invalidate of a key that the sender may not invalidate is an
 * access error.
 *
 * There are no responses on an unreliable connection. A message without rights,
 * without a receive WQE, or too long for the WQE is dropped, and the receiver
 * does not change state. Sequence numbers detect lost packets only within a
 * message, and the simulation loses only complete messages: the next message is
 * accepted with any sequence number. Errors of the local driver are handled as
 * on a reliable connection.
 *
 * A DCT (dct.c) returns the responses of RC, but never enters ERR and raises no
 * event.
 *
 * A message to an XRC target contains the number of an XRC SRQ of the target's
 * domain. sim_qp.srq is that SRQ while the message executes. The message uses
 * the receive WQEs, the CQ and the PD of the SRQ; the PD also applies to the
 * accesses of the peer.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "net/net.h"
#include "obj/obj.h"

/* Used by one message at a time: there is only one hardware thread. */
static struct sim_rwqe sim_resp_rwqe;

static void sim_count_data(struct sim_dev *from, struct sim_dev *to, const struct sim_msg *m)
{
	sim_count_add(from, tx_bytes, m->len);
	sim_count_add(from, tx_packets, m->packets);
	sim_count_add(to, rx_bytes, m->len);
	sim_count_add(to, rx_packets, m->packets);
}

static bool sim_is_uc(const struct sim_msg *m)
{
	return m->dqp->st == MLX5_QP_ST_UC;
}

/* Unrefereed: U-01. */
static enum sim_verdict sim_nak_access(struct sim_msg *m)
{
	if (sim_is_uc(m))
		return SIM_LOST;
	sim_qcount(m->rt.dst, m->dqp, resp_remote_access_errors);
	sim_qp_fail(m->rt.dst, m->dqp, MLX5_EVENT_TYPE_WQ_ACCESS_ERROR);
	return SIM_NAK_ACCESS;
}

/* Unrefereed: U-07. */
static enum sim_verdict sim_nak_invalid(struct sim_msg *m)
{
	if (sim_is_uc(m))
		return SIM_LOST;
	sim_qcount(m->rt.dst, m->dqp, resp_remote_invalid_request);
	sim_qp_fail(m->rt.dst, m->dqp, MLX5_EVENT_TYPE_WQ_INVAL_REQ_ERROR);
	return SIM_NAK_INVALID;
}

/* The memory of the remote key is inaccessible: a fault of the local driver. */
static enum sim_verdict sim_nak_op(struct sim_msg *m)
{
	sim_qp_fail(m->rt.dst, m->dqp, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
	return SIM_NAK_OP;
}

/* Complete the receive WQE in error and move the QP to ERR. */
static void sim_recv_fail(struct sim_msg *m, const struct sim_rwqe *rwqe, u8 syndrome)
{
	struct mlx5_cqe64 cqe;

	sim_recv_consume(m->rt.dst, m->dqp, rwqe);
	sim_qcount_syndrome(m->rt.dst, m->dqp, false, syndrome);
	sim_cqe_err(&cqe, m->dqp, false, rwqe->counter, 0, syndrome);
	sim_dp_post_cqe(m->rt.dst, m->dqp, sim_qp_rcq(m->dqp), &cqe, true);
	sim_qp_fail(m->rt.dst, m->dqp, 0);
}

/*
 * Find the XRC SRQ of a message. False if the target's domain has no SRQ with
 * the number in the message. Unrefereed: U-112.
 */
static bool sim_xrc_begin(struct sim_msg *m)
{
	struct sim_srq *srq;

	if (m->dqp->st != MLX5_QP_ST_XRC)
		return true;
	srq = sim_obj_find(m->rt.dst, SIM_OBJ_SRQ, m->xrc_srqn);
	if (!srq || srq->kind != SIM_SRQ_XRC || srq->xrcd != m->dqp->xrcd)
		return false;
	m->dqp->srq = srq;
	return true;
}

static void sim_xrc_end(struct sim_msg *m)
{
	if (m->dqp->st == MLX5_QP_ST_XRC)
		m->dqp->srq = NULL;
}

static enum sim_verdict sim_recv_get(struct sim_msg *m, struct sim_rwqe *rwqe)
{
	switch (sim_recv_peek(m->rt.dst, m->dqp, rwqe)) {
	case 0:
		return SIM_ACK;
	case -EAGAIN:
		sim_qcount(m->rt.dst, m->dqp, out_of_buffer);
		if (sim_is_uc(m))
			return SIM_LOST;
		sim_count(m->rt.dst, rnr_naks);
		return SIM_RNR;
	default:
		return sim_nak_op(m);
	}
}

/*
 * Find the key of a SEND with invalidate; NULL if the sender may not invalidate
 * the key.
 * Unrefereed: U-02, U-14.
 */
static struct sim_mkey *sim_inval_target(struct sim_msg *m)
{
	struct sim_mkey *mkey = sim_mkey_find(m->rt.dst, be32_to_cpu(m->imm));

	if (!mkey || mkey->free || !mkey->rinval_en || mkey->pdn != sim_qp_pdn(m->dqp))
		return NULL;
	if (mkey->qpn != SIM_ANY_QPN && mkey->qpn != sim_qp_qpn(m->dqp))
		return NULL;
	return mkey;
}

/* A WQE of a shared queue is checked against the PD of the queue. */
static void sim_recv_acc(struct sim_acc *acc, struct sim_msg *m)
{
	sim_qp_acc(acc, m->rt.dst, m->dqp, SIM_MKEY_LW);
	acc->sig = m->dqp->st != MLX5_QP_ST_UD && m->dqp->st != MLX5_QP_ST_QP1;
	if (sim_qp_has_srq(m->dqp))
		acc->pdn = m->dqp->srq->pd->obj.id;
}

/* Unrefereed: U-59. */
static int sim_recv_check(struct sim_msg *m, const struct sim_rwqe *rwqe, u32 len)
{
	struct sim_acc acc;

	sim_recv_acc(&acc, m);
	return sim_access_check(&acc, rwqe->seg, rwqe->nseg, len);
}

static u32 sim_packet_bytes(const struct sim_msg *m)
{
	return sim_mtu_bytes(m->sqp->mtu);
}

/* Bytes of the message, in complete packets, that a receive WQE can take */
static u32 sim_recv_reach(struct sim_msg *m, const struct sim_rwqe *rwqe)
{
	struct sim_acc acc;

	sim_recv_acc(&acc, m);
	return sim_access_reach(&acc, rwqe->seg, rwqe->nseg, m->len, sim_packet_bytes(m));
}

/*
 * Handle a receive WQE that sim_recv_reach() found too short or without rights.
 */
static enum sim_verdict sim_recv_refuse(struct sim_msg *m, const struct sim_rwqe *rwqe)
{
	if (sim_recv_check(m, rwqe, min_t(u64, m->len, rwqe->space))) {
		sim_recv_fail(m, rwqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		return SIM_NAK_OP;
	}
	if (sim_is_uc(m))
		return SIM_LOST;
	sim_recv_fail(m, rwqe, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	return SIM_NAK_INVALID;
}

/* Number of bytes that move if the last packet is refused */
static u32 sim_before_last(const struct sim_msg *m)
{
	if (sim_atomic_messages || !m->len)
		return 0;
	return rounddown(m->len - 1, sim_packet_bytes(m));
}

static void sim_recv_complete(struct sim_msg *m, const struct sim_rwqe *rwqe, u8 opcode)
{
	struct mlx5_cqe64 cqe;

	sim_recv_consume(m->rt.dst, m->dqp, rwqe);
	sim_cqe_resp(&cqe, m->dqp, opcode, rwqe->counter, m->len);
	cqe.flags_rqpn = cpu_to_be32(sim_qp_qpn(m->sqp));
	if (opcode != MLX5_CQE_RESP_SEND)
		cqe.immediate = m->imm;
	sim_dp_post_cqe(m->rt.dst, m->dqp, sim_qp_rcq(m->dqp), &cqe, m->se);
}

static struct sim_end sim_sender_end(const struct sim_msg *m)
{
	return (struct sim_end) {
		.sdev = m->rt.src, .qp = m->sqp, .seg = m->seg, .nseg = m->nseg, .req = true,
	};
}

/* The receiver's end: a receive WQE, or a segment with the remote key */
static struct sim_end sim_recv_end(const struct sim_msg *m, const struct sim_rwqe *rwqe)
{
	return (struct sim_end) {
		.sdev = m->rt.dst, .qp = m->dqp, .seg = rwqe->seg, .nseg = rwqe->nseg,
	};
}

static struct sim_end sim_remote_end(const struct sim_msg *m, const struct sim_seg *seg)
{
	return (struct sim_end) {
		.sdev = m->rt.dst, .qp = m->dqp, .seg = seg, .nseg = 1, .remote = true,
	};
}

/*
 * Move the packets in the first @reach bytes, as far as the sender's keys allow
 * the packets.
 * Unrefereed: U-13.
 */
static enum sim_verdict sim_msg_copy(struct sim_msg *m, const struct sim_end *to, u32 reach)
{
	struct sim_end from = sim_sender_end(m);
	u32 len = min(reach, m->reach);

	switch (sim_wire_copy(to, &from, len, len == m->len)) {
	case SIM_COPY_SRC:
		return SIM_SRC_FAULT;
	case SIM_COPY_DST:
		return SIM_NAK_OP;
	default:
		return m->reach < m->len && m->reach <= reach ? SIM_SRC_FAULT : SIM_ACK;
	}
}

/* Unrefereed: U-16. */
static enum sim_verdict sim_resp_send(struct sim_msg *m)
{
	struct sim_rwqe *rwqe = &sim_resp_rwqe;
	struct sim_mkey *inval = NULL;
	u8 opcode = MLX5_CQE_RESP_SEND;
	enum sim_verdict v;
	struct sim_end to;
	u32 reach, moved;

	v = sim_recv_get(m, rwqe);
	if (v != SIM_ACK)
		return v;
	reach = sim_recv_reach(m, rwqe);
	moved = reach;
	if (m->opcode == MLX5_OPCODE_SEND_INVAL) {
		opcode = MLX5_CQE_RESP_SEND_INV;
		inval = sim_inval_target(m);
		if (!inval)
			moved = min(reach, sim_before_last(m));
	} else if (m->opcode == MLX5_OPCODE_SEND_IMM) {
		opcode = MLX5_CQE_RESP_SEND_IMM;
	}

	to = sim_recv_end(m, rwqe);
	v = sim_msg_copy(m, &to, moved);
	if (v == SIM_NAK_OP)
		sim_recv_fail(m, rwqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	if (v != SIM_ACK)
		return v;
	if (reach < m->len)
		return sim_recv_refuse(m, rwqe);
	if (opcode == MLX5_CQE_RESP_SEND_INV && !inval)
		return sim_nak_access(m);
	if (inval) {
		sim_mkey_invalidate(inval);
		sim_count(m->rt.dst, invalidations);
		sim_count(m->rt.dst, invalidations_remote);
	}
	sim_wire_commit();
	sim_recv_complete(m, rwqe, opcode);
	return SIM_ACK;
}

static void sim_remote_acc(struct sim_acc *acc, struct sim_msg *m, struct sim_seg *seg, u8 right)
{
	memset(seg, 0, sizeof(*seg));
	seg->key = m->rkey;
	seg->va = m->raddr;
	seg->len = m->len;
	sim_qp_acc(acc, m->rt.dst, m->dqp, right);
	acc->local = false;
	acc->sig = right != SIM_MKEY_A;
}

static int sim_check_remote(struct sim_msg *m, struct sim_seg *seg, u8 right)
{
	struct sim_acc acc;

	sim_remote_acc(&acc, m, seg, right);
	return sim_access_check(&acc, seg, 1, m->len);
}

/* Number of bytes in the packets that the remote key allows */
static u32 sim_remote_reach(struct sim_msg *m, struct sim_seg *seg, u8 right)
{
	struct sim_acc acc;

	sim_remote_acc(&acc, m, seg, right);
	return sim_access_reach(&acc, seg, 1, m->len, sim_packet_bytes(m));
}

/* Deny the first packet that the remote key does not allow: record and NAK. */
static enum sim_verdict sim_remote_deny(struct sim_msg *m, struct sim_seg *seg, u8 right)
{
	sim_check_remote(m, seg, right);
	return sim_nak_access(m);
}

/* Unrefereed: U-15. */
static enum sim_verdict sim_resp_write(struct sim_msg *m)
{
	struct sim_rwqe *rwqe = NULL;
	enum sim_verdict v;
	struct sim_end end;
	struct sim_seg to;
	u32 reach;

	if (!m->dqp->rwe)
		return sim_nak_invalid(m);
	reach = sim_remote_reach(m, &to, SIM_MKEY_RW);
	end = sim_remote_end(m, &to);
	if (m->opcode == MLX5_OPCODE_RDMA_WRITE_IMM && min(reach, m->reach) == m->len) {
		rwqe = &sim_resp_rwqe;
		v = sim_recv_get(m, rwqe);
		if (v != SIM_ACK) {
			sim_msg_copy(m, &end, sim_before_last(m));
			return v;
		}
	}
	v = sim_msg_copy(m, &end, reach);
	if (v == SIM_NAK_OP)
		sim_qp_fail(m->rt.dst, m->dqp, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
	if (v != SIM_ACK)
		return v;
	if (reach < m->len)
		return sim_remote_deny(m, &to, SIM_MKEY_RW);
	sim_wire_commit();
	if (rwqe)
		sim_recv_complete(m, rwqe, MLX5_CQE_RESP_WR_IMM);
	return SIM_ACK;
}

static enum sim_verdict sim_resp_read_accept(struct sim_msg *m)
{
	struct sim_seg from;

	if (!m->dqp->rre)
		return sim_nak_invalid(m);
	if (m->reads >= m->dqp->max_dest_rd_atomic)
		return sim_nak_invalid(m);	/* beyond the resources of the responder */
	if (m->len && !sim_remote_reach(m, &from, SIM_MKEY_RR))
		return sim_remote_deny(m, &from, SIM_MKEY_RR);
	sim_count_add(m->rt.src, tx_packets, 1);
	sim_count_add(m->rt.dst, rx_packets, 1);
	return SIM_ACK;
}

/**
 * sim_atomic_result() - compute the new value of an atomic
 * @opcode: MLX5_OPCODE_ATOMIC_CS or _FA
 * @old: value before
 * @swap_add: swap or add operand
 * @compare: compare operand of compare and swap
 *
 * Context: any; pure.
 * Return: the new value.
 */
u64 sim_atomic_result(u8 opcode, u64 old, u64 swap_add, u64 compare)
{
	if (opcode == MLX5_OPCODE_ATOMIC_FA)
		return old + swap_add;
	return old == compare ? swap_add : old;
}

/*
 * Memory holds the value in host order and changes at once. The sender gets the
 * old value with sim_responder_atomic(). The byte order of the old value, host
 * order or big-endian, is configured by the driver of the sender. The operation
 * is atomic with respect to this device only, not to the CPUs: IB_ATOMIC_HCA.
 */
static enum sim_verdict sim_resp_atomic(struct sim_msg *m)
{
	void *caps = sim_caps_page(m->rt.src, MLX5_CAP_ATOMIC, false);
	struct sim_iter mem, reg;
	struct sim_seg at, val;
	u64 old, new;

	if (!m->dqp->rae || m->raddr % sizeof(u64))
		return sim_nak_invalid(m);
	if (m->reads >= m->dqp->max_dest_rd_atomic)
		return sim_nak_invalid(m);
	if (sim_check_remote(m, &at, SIM_MKEY_A))
		return sim_nak_access(m);

	val = (struct sim_seg) { .kmem = &old, .len = sizeof(old) };
	sim_iter_init(&mem, m->rt.dst, &at, 1, false);
	sim_iter_init(&reg, m->rt.dst, &val, 1, true);
	if (sim_copy(&reg, &mem, sizeof(old)) != SIM_COPIED)
		return sim_nak_op(m);
	new = sim_atomic_result(m->opcode, old, m->swap_add, m->compare);
	val.kmem = &new;
	sim_iter_init(&mem, m->rt.dst, &at, 1, true);
	sim_iter_init(&reg, m->rt.dst, &val, 1, false);
	if (sim_copy(&mem, &reg, sizeof(new)) != SIM_COPIED)
		return sim_nak_op(m);

	if (!caps || !MLX5_GET(atomic_caps, caps, atomic_req_8B_endianness_mode))
		old = (__force u64)cpu_to_be64(old);
	m->old = old;
	return SIM_ACK;
}

/*
 * Handle an unexpected sequence number. For a higher number, the responder
 * returns one NAK until the expected number arrives. A lower number belongs to
 * a duplicate, which gets no response. Unrefereed: U-09.
 */
static enum sim_verdict sim_bad_psn(struct sim_msg *m)
{
	struct sim_qp *dqp = m->dqp;
	u32 ahead = (m->psn - dqp->recv_psn) & SIM_PSN_MASK;

	sim_trace(m->rt.dst, "QP 0x%x: PSN 0x%x, expected 0x%x", sim_qp_qpn(dqp), m->psn,
		  dqp->recv_psn);
	if (ahead > SIM_PSN_MASK / 2) {
		sim_qcount(m->rt.dst, dqp, duplicate_request);
		return SIM_LOST;
	}
	sim_qcount(m->rt.dst, dqp, out_of_sequence);
	if (dqp->dp->seq_nak)
		return SIM_LOST;
	dqp->dp->seq_nak = true;
	return SIM_NAK_SEQ;
}

static void sim_count_accepted(const struct sim_msg *m)
{
	switch (m->opcode) {
	case MLX5_OPCODE_RDMA_WRITE:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
		sim_qcount(m->rt.dst, m->dqp, rx_write_requests);
		break;
	case MLX5_OPCODE_RDMA_READ:
		sim_qcount(m->rt.dst, m->dqp, rx_read_requests);
		break;
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
		sim_qcount(m->rt.dst, m->dqp, rx_atomic_requests);
		break;
	}
}

/**
 * sim_packet_too_long() - check packets of a message against the receiver's MTU
 * @m: message
 *
 * The MTU of the sending QP determines the packets of a message.
 *
 * Unrefereed: U-10.
 *
 * Context: any; pure.
 * Return: true if the packets exceed the MTU; false for READs and atomics,
 * whose requests are short.
 */
bool sim_packet_too_long(const struct sim_msg *m)
{
	switch (m->opcode) {
	case MLX5_OPCODE_RDMA_READ:
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
		return false;
	}
	return min(m->len, sim_mtu_bytes(m->sqp->mtu)) > sim_mtu_bytes(m->dqp->mtu);
}

/**
 * sim_msg_fits() - check packets of a message against the MTU of their ports
 * @m: message with its sender and its route
 *
 * For a READ, the packets of the response are checked. These packets pass the
 * same ports in the other direction.
 *
 * Context: hardware thread.
 * Return: true if the packets are short enough. Otherwise the first packet is
 * lost, so that no part of the message arrives.
 */
bool sim_msg_fits(const struct sim_msg *m)
{
	return sim_fabric_fits(&m->rt, min(m->len, sim_packet_bytes(m)));
}

static enum sim_verdict sim_resp_execute(struct sim_msg *m)
{
	enum sim_verdict v;

	if (!sim_xrc_begin(m))
		return sim_nak_invalid(m);
	switch (m->opcode) {
	case MLX5_OPCODE_RDMA_WRITE:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
		v = sim_resp_write(m);
		break;
	case MLX5_OPCODE_RDMA_READ:
		v = sim_resp_read_accept(m);
		break;
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
		v = sim_resp_atomic(m);
		break;
	default:
		v = sim_resp_send(m);
		break;
	}
	sim_xrc_end(m);
	return v;
}

/* Does the QP require sequence numbers without a gap? */
static bool sim_qp_sequenced(const struct sim_qp *qp)
{
	return qp->st == MLX5_QP_ST_RC || qp->st == MLX5_QP_ST_XRC;
}

/**
 * sim_responder() - execute a message that arrived on a connection
 * @m: message; the first @m->reach bytes of its segment list have passed
 *     sim_access_reach()
 *
 * A read is accepted here, but its data moves when the sender calls
 * sim_responder_read(). An atomic changes memory here, but its old value moves
 * when the sender calls sim_responder_atomic().
 *
 * Context: hardware thread.
 * Return: the response to the sender. On an unreliable connection the sender
 * ignores all responses except SIM_SRC_FAULT. After a response other than
 * SIM_ACK, the expected sequence number is unchanged, so a retry is accepted.
 */
enum sim_verdict sim_responder(struct sim_msg *m)
{
	struct sim_qp *dqp = m->dqp;
	enum sim_verdict v;

	if (m->psn != dqp->recv_psn && sim_qp_sequenced(dqp))
		return sim_bad_psn(m);
	dqp->dp->seq_nak = false;
	if (!dqp->dp->established) {
		dqp->dp->established = true;
		if (dqp->state == MLX5_QP_STATE_RTR)
			sim_event_qp(m->rt.dst, MLX5_EVENT_TYPE_COMM_EST,
				     MLX5_EVENT_QUEUE_TYPE_QP, sim_qp_qpn(dqp));
	}
	if (sim_packet_too_long(m))
		return sim_nak_invalid(m);
	v = sim_resp_execute(m);
	if (v != SIM_ACK)
		return v;

	dqp->recv_psn = (m->psn + m->packets) & SIM_PSN_MASK;
	sim_count_accepted(m);
	if (m->opcode != MLX5_OPCODE_RDMA_READ)
		sim_count_data(m->rt.src, m->rt.dst, m);
	return SIM_ACK;
}

static enum sim_verdict sim_resp_read_send(struct sim_msg *m)
{
	struct sim_end dst = sim_sender_end(m), src;
	struct sim_seg from;
	u32 reach, len;

	reach = sim_remote_reach(m, &from, SIM_MKEY_RR);
	src = sim_remote_end(m, &from);
	len = min(reach, m->reach);
	switch (sim_wire_copy(&dst, &src, len, len == m->len)) {
	case SIM_COPY_SRC:
		return sim_nak_op(m);
	case SIM_COPY_DST:
		return SIM_SRC_FAULT;
	default:
		break;
	}
	if (reach < m->len && reach <= m->reach)
		return sim_remote_deny(m, &from, SIM_MKEY_RR);
	if (m->reach < m->len)
		return SIM_SRC_FAULT;
	sim_wire_commit();
	sim_count_data(m->rt.dst, m->rt.src, m);
	return SIM_ACK;
}

/**
 * sim_responder_read() - send the data of an accepted read
 * @m: accepted message; the first @m->reach bytes of its scatter list have
 *     passed sim_access_reach()
 *
 * The remote key is checked again: it may have been invalidated meanwhile.
 *
 * Return: SIM_ACK; SIM_NAK_ACCESS; SIM_NAK_OP; SIM_SRC_FAULT for an error of
 * the memory or keys of the reader.
 */
enum sim_verdict sim_responder_read(struct sim_msg *m)
{
	enum sim_verdict v;

	if (!sim_xrc_begin(m))
		return sim_nak_invalid(m);
	v = sim_resp_read_send(m);
	sim_xrc_end(m);
	return v;
}

/**
 * sim_responder_atomic() - send the old value of an accepted atomic
 * @m: accepted message; its scatter list has passed sim_access_check()
 *
 * Return: SIM_ACK, or SIM_SRC_FAULT when the sender's memory is inaccessible.
 */
enum sim_verdict sim_responder_atomic(struct sim_msg *m)
{
	struct sim_seg val = { .kmem = &m->old, .len = sizeof(m->old) };
	struct sim_iter src, dst;

	sim_iter_init(&src, m->rt.dst, &val, 1, false);
	sim_iter_init(&dst, m->rt.src, m->seg, m->nseg, true);
	return sim_copy(&dst, &src, sizeof(m->old)) == SIM_COPIED ? SIM_ACK : SIM_SRC_FAULT;
}

/*
 * Add source, GRH flag, type of L3 header, immediate data or P_Key, and VLAN to
 * a completion.
 */
static void sim_ud_cqe(struct mlx5_cqe64 *cqe, const struct sim_msg *m, u8 l3_type)
{
	cqe->flags_rqpn = cpu_to_be32(m->src_qpn | (u32)l3_type << 24 | 1U << 28);
	if (m->opcode == MLX5_OPCODE_SEND_IMM)
		cqe->immediate = m->imm;
	else if (m->dqp->st == MLX5_QP_ST_QP1)
		cqe->pkey = cpu_to_be32(0xffff);
	if (m->rt.dgid->vlan_valid) {
		cqe->l4_l3_hdr_type |= 1;
		cqe->vlan_info = cpu_to_be16(m->prio << 13 | m->rt.dgid->vlan_id);
	}
}

/**
 * sim_responder_ud() - deliver a datagram
 * @m: datagram; the element before @m->seg is spare and is overwritten
 * @grh: SIM_GRH_LEN bytes that precede the payload
 * @l3_type: MLX5_CQE_ROCE_L3_HEADER_TYPE_*
 *
 * Without a receive WQE the datagram is dropped. If the datagram is too long
 * for the WQE, the WQE completes with a length error and the QP moves to ERR. A
 * protection error moves the QP to ERR, too.
 *
 * Unrefereed: U-08.
 */
void sim_responder_ud(struct sim_msg *m, void *grh, u8 l3_type)
{
	struct sim_rwqe *rwqe = &sim_resp_rwqe;
	struct sim_seg *head = (struct sim_seg *)m->seg - 1;
	u32 payload = m->len;
	struct mlx5_cqe64 cqe;
	struct sim_end to;

	switch (sim_recv_peek(m->rt.dst, m->dqp, rwqe)) {
	case 0:
		break;
	case -EAGAIN:
		sim_qcount(m->rt.dst, m->dqp, out_of_buffer);
		return;
	default:
		return;
	}

	memset(head, 0, sizeof(*head));
	head->kmem = grh;
	head->len = SIM_GRH_LEN;
	m->seg = head;
	m->nseg++;
	m->len += SIM_GRH_LEN;
	m->reach = m->len;

	if (m->len > rwqe->space) {
		sim_recv_fail(m, rwqe, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
		return;
	}
	if (sim_recv_check(m, rwqe, m->len)) {
		sim_recv_fail(m, rwqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		return;
	}
	to = sim_recv_end(m, rwqe);
	switch (sim_msg_copy(m, &to, m->len)) {
	case SIM_ACK:
		break;
	case SIM_NAK_OP:
		sim_recv_fail(m, rwqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		return;
	default:
		return;
	}

	sim_recv_consume(m->rt.dst, m->dqp, rwqe);
	sim_cqe_resp(&cqe, m->dqp, m->opcode == MLX5_OPCODE_SEND_IMM ? MLX5_CQE_RESP_SEND_IMM :
								       MLX5_CQE_RESP_SEND,
		     rwqe->counter, m->len);
	sim_ud_cqe(&cqe, m, l3_type);
	sim_dp_post_cqe(m->rt.dst, m->dqp, m->dqp->rcq, &cqe, m->se);
	sim_count_add(m->rt.dst, rx_bytes, payload);
	sim_count(m->rt.dst, rx_packets);
}
