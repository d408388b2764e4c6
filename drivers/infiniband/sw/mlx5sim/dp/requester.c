// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queues: scheduling, execution, completion.
 *
 * Every QP in RTS or in error is on the list of its simulated function, and the
 * QPs run in turn. The doorbell record counts the WQEs that the driver has
 * posted. A run executes up to SIM_RUN_WQES WQEs or SIM_RUN_BYTES bytes, then
 * the next QP runs.
 *
 * Order. WQEs execute in the order posted. Reads, atomics, memory copies, UMRs
 * and SET_PSVs are exceptions that a driver can observe: their execution only
 * starts them. Their effect (data, the old value of an atomic, a change of the
 * mkey or PSV) arrives after the execution of later WQEs: before a WQE with a
 * fence for this kind of WQE, before a read or atomic that would exceed
 * max_rd_atomic, when a WQE fails, and at the latest when the run ends. A small
 * fence (mode 1) waits for UMRs, SET_PSVs and copies, a fence of mode 2 for
 * reads and atomics, and a fence of mode 3 or 4 for all. So a driver that omits
 * a necessary fence is detected: a later WQE uses old data or an old mkey.
 * After a SET_PSV, and after a UMR that does not free its mkey, the next WQE
 * other than a UMR, SET_PSV or NOP requires a fence. UMRs and SET_PSVs take
 * effect in the order posted. Completions always come in posting order: a WQE
 * that executes after an outstanding WQE waits in the run's list of pending
 * WQEs. At the end of a run no WQE is pending.
 *
 * Errors. The first WQE that fails completes with its error and moves the QP to
 * ERR (UC and datagram QPs: to SQE, in which they still receive). Every later
 * WQE is flushed exactly once: executed or not, signalled or not, also if it is
 * posted after the error. Only a WQE whose CE field is 1 is flushed without a
 * completion. The same rule applies to each stream of a DCI (stream.c). An
 * error only marks the QP: it is flushed in its next turn, so that flushing
 * cannot recurse into a run.
 *
 * Draining. On a QP with drain_sigerr, a message with a signature error is the
 * last message that is executed. Outstanding WQEs complete, the QP enters SQD,
 * and the later WQEs stay in the ring (sigerr.c).
 *
 * Retries. A message that reaches no QP, or has the wrong sequence number, is
 * sent again after the ACK timeout. A message that finds no receive WQE is sent
 * again after the receiver's RNR timer. Both timers run on device time
 * (core/thread.c). The WQE stays at the head of the ring and is fetched again;
 * the failed attempt had no effect at the peer, except that a WRITE with
 * immediate without a receive WQE has moved all packets except the last. There
 * are no responses on an unreliable connection: a message completes once it is
 * sent, and only faults of the sender's WQE and memory are errors.
 */
#include <linux/slab.h>

#include "core/core.h"
#include "dp/dp.h"
#include "host/host.h"
#include "net/net.h"
#include "obj/obj.h"

#define SIM_RUN_WQES	64
#define SIM_RUN_BYTES	SZ_4M
#define SIM_FLUSH_WQES	128

/**
 * struct sim_late - an outstanding read, atomic, memory copy, UMR or SET_PSV
 * @m: accepted request; for other WQEs than a read or atomic, only the fields
 *     that sim_exec_local() sets. @m.seg points to @seg
 * @umr: WQE of a UMR, else NULL
 * @seg: scatter list, or segments of the memory copy
 */
struct sim_late {
	struct sim_msg m;
	struct sim_wqe *umr;
	struct sim_seg seg[];
};

/* A WQE that was executed and has not completed */
struct sim_pend {
	u16 counter;
	u16 stream;
	u8 opcode;
	bool cqe;
	bool no_flush;
	u8 syndrome;			/* result of @late, once it has arrived */
	u32 bytes;
	struct sim_late *late;		/* NULL: waits only for earlier WQEs */
};

/**
 * struct sim_run - the turn of a QP
 * @sdev: simulated function
 * @qp: QP that runs
 * @bytes: payload bytes moved so far
 * @first: index in @pend of the oldest pending WQE
 * @n: number of entries written to @pend; equal to @first if no WQE is pending
 * @reads: number of reads and atomics that are outstanding
 * @umr_unfenced: no WQE had a fence for UMRs after the last SET_PSV, or after
 *	the last UMR that did not free its mkey
 * @pend: pending WQEs; not a ring, since a run executes at most SIM_RUN_WQES
 *	WQEs
 */
struct sim_run {
	struct sim_dev *sdev;
	struct sim_qp *qp;
	u64 bytes;
	u32 first;
	u32 n;
	u32 reads;
	bool umr_unfenced;
	struct sim_pend pend[SIM_RUN_WQES];
};

/*
 * Result of a step for the WQE at the head of the ring. If the QP has left RTS
 * or is draining, the result is SIM_STEP_DONE, and the WQE may still be at the
 * head.
 */
enum sim_step {
	SIM_STEP_DONE,		/* executed or failed */
	SIM_STEP_WAIT,		/* a timer runs; still at the head */
};

/* Used by one run at a time: there is only one hardware thread. */
static struct sim_run sim_run;
static struct sim_wqe sim_run_wqe;

/* ---- completion ---- */

/* Unrefereed: U-04. */
static void sim_complete_bad(struct sim_dev *sdev, struct sim_qp *qp, u16 counter, u8 opcode,
			     u8 syndrome)
{
	struct mlx5_cqe64 cqe;

	if (syndrome == MLX5_CQE_SYNDROME_WR_FLUSH_ERR)
		sim_count(sdev, wqes_flushed);
	sim_qcount_syndrome(sdev, qp, true, syndrome);
	sim_trace(sdev, "QP 0x%x WQE 0x%x opcode 0x%x failed: syndrome 0x%x", sim_qp_qpn(qp),
		  counter, opcode, syndrome);
	sim_cqe_err(&cqe, qp, true, counter, opcode, syndrome);
	sim_dp_post_cqe(sdev, qp, qp->scq, &cqe, true);
}

/* @quiet: the WQE requested no completion when flushed */
static void sim_complete_flush(struct sim_dev *sdev, struct sim_qp *qp, u16 counter, u8 opcode,
			       bool quiet)
{
	if (quiet)
		sim_count(sdev, wqes_flushed);
	else
		sim_complete_bad(sdev, qp, counter, opcode, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
}

/* True if WQEs of the stream are executed, false if they are flushed. */
static bool sim_stream_sends(const struct sim_qp *qp, u16 stream)
{
	return qp->state == MLX5_QP_STATE_RTS && !sim_dci_bad(&qp->dci, stream);
}

/*
 * Complete the first WQE that fails, with its error. An unreliable QP then goes
 * to SQE: it still receives, and can be recovered. Unrefereed: U-06.
 */
static void sim_fail_first(struct sim_run *run, const struct sim_pend *p, u8 syndrome)
{
	struct sim_qp *qp = run->qp;

	sim_complete_bad(run->sdev, qp, p->counter, p->opcode, syndrome);
	if (qp->state != MLX5_QP_STATE_RTS)
		return;
	if (qp->st == MLX5_QP_ST_UD || qp->st == MLX5_QP_ST_QP1 || qp->st == MLX5_QP_ST_UC)
		qp->state = MLX5_QP_STATE_SQER;
	else if (syndrome != MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR &&
		 sim_dci_fail(&qp->dci, p->stream))
		sim_retry_reset(qp);	/* the next WQE has all retries */
	else
		sim_qp_fail(run->sdev, qp, 0);
}

static void sim_complete_good(struct sim_run *run, u8 opcode, u16 counter, u32 bytes)
{
	struct mlx5_cqe64 cqe;

	sim_cqe_req(&cqe, run->qp, opcode, counter, bytes);
	sim_dp_post_cqe(run->sdev, run->qp, run->qp->scq, &cqe, false);
}

static u8 sim_nak_syndrome(enum sim_verdict v)
{
	switch (v) {
	case SIM_NAK_INVALID:
		return MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	case SIM_NAK_ACCESS:
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	case SIM_NAK_OP:
		return MLX5_CQE_SYNDROME_REMOTE_OP_ERR;
	default:
		return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	}
}

/* Requests whose response contains data */
static bool sim_is_read(u8 opcode)
{
	return opcode == MLX5_OPCODE_RDMA_READ || opcode == MLX5_OPCODE_ATOMIC_CS ||
	       opcode == MLX5_OPCODE_ATOMIC_FA;
}

/* Does a WQE with this fence wait for outstanding WQEs with this opcode? */
static bool sim_fence_waits(u8 fence, u8 opcode)
{
	switch (fence) {
	case SIM_FENCE_NONE:
		return false;
	case SIM_FENCE_SMALL:
		return !sim_is_read(opcode);
	case SIM_FENCE_READS:
		return sim_is_read(opcode);
	default:
		return true;
	}
}

static bool sim_is_atomic(u8 opcode)
{
	return opcode == MLX5_OPCODE_ATOMIC_CS || opcode == MLX5_OPCODE_ATOMIC_FA;
}

/* The access of a message to the memory of its sender */
static void sim_msg_acc(struct sim_acc *acc, struct sim_run *run, u8 opcode)
{
	sim_qp_acc(acc, run->sdev, run->qp, sim_is_read(opcode) ? SIM_MKEY_LW : SIM_MKEY_LR);
	acc->sig = !sim_is_atomic(opcode);
}

/*
 * Number of bytes of a message on the wire; false if the byte counts do not
 * match the signatures.
 */
static bool sim_msg_wire(struct sim_run *run, const struct sim_wqe *wqe, u64 *wire)
{
	struct sim_acc acc;

	sim_msg_acc(&acc, run, wqe->opcode);
	return !sim_access_wire(&acc, &wqe->seg[1], wqe->nseg, wqe->len, wire);
}

/*
 * Find the number of bytes that the sender's keys allow. False if they do not
 * allow the first packet.
 */
static bool sim_msg_reach(struct sim_run *run, struct sim_msg *m)
{
	struct sim_acc acc;

	sim_msg_acc(&acc, run, m->opcode);
	m->reach = sim_access_reach(&acc, m->seg, m->nseg, m->len, sim_mtu_bytes(run->qp->mtu));
	return m->reach || !m->len;
}

/* Record the violation of the first packet that was denied. */
static void sim_msg_denied(struct sim_run *run, const struct sim_msg *m)
{
	struct sim_acc acc;

	sim_msg_acc(&acc, run, m->opcode);
	sim_access_check(&acc, m->seg, m->nseg, m->len);
}

/*
 * Move the data of an accepted request, or change the mkey or PSV. Return: 0 or
 * a syndrome.
 */
static u8 sim_late_finish(struct sim_run *run, struct sim_late *late)
{
	enum sim_verdict v = SIM_SRC_FAULT;
	struct sim_msg *m = &late->m;

	if (m->opcode == SIM_OPCODE_MMO)
		return sim_mmo_copy(run->sdev, run->qp, m->seg, m->len);
	if (m->opcode == MLX5_OPCODE_UMR)
		return sim_umr(run->sdev, run->qp, late->umr);
	if (m->opcode == MLX5_OPCODE_SET_PSV)
		return sim_psv_set(run->sdev, run->qp, m->rkey, m->swap_add);
	if (sim_msg_reach(run, m))
		v = m->opcode == MLX5_OPCODE_RDMA_READ ? sim_responder_read(m) :
							 sim_responder_atomic(m);
	if (v == SIM_SRC_FAULT)
		sim_msg_denied(run, m);
	return v == SIM_ACK ? 0 : sim_nak_syndrome(v);
}

/* Apply the effect of a pending WQE, unless the WQE will be flushed. */
static void sim_pend_finish(struct sim_run *run, struct sim_pend *p)
{
	if (!p->late)
		return;
	if (sim_stream_sends(run->qp, p->stream))
		p->syndrome = sim_late_finish(run, p->late);
	if (sim_is_read(p->opcode))
		run->reads--;
	kfree(p->late->umr);
	kfree(p->late);
	p->late = NULL;
}

/*
 * Complete pending WQEs in order until at most @reads reads and atomics are
 * outstanding. 0 completes all pending WQEs; U32_MAX completes the WQEs that
 * wait for no effect.
 * Unrefereed: U-40, U-45, U-46, U-47.
 */
static void sim_run_drain(struct sim_run *run, u32 reads)
{
	struct sim_qp *qp = run->qp;
	struct sim_pend *p;

	for (; run->first < run->n; run->first++) {
		p = &run->pend[run->first];
		if (p->late && reads && run->reads <= reads)
			return;
		sim_pend_finish(run, p);
		if (!sim_stream_sends(qp, p->stream))
			sim_complete_flush(run->sdev, qp, p->counter, p->opcode, p->no_flush);
		else if (p->syndrome)
			sim_fail_first(run, p, p->syndrome);
		else if (p->cqe)
			sim_complete_good(run, p->opcode, p->counter, p->bytes);
	}
}

/*
 * Apply the effects of the WQEs that a fence waits for. After the first
 * failure, all outstanding WQEs are completed or flushed.
 */
static void sim_run_fence(struct sim_run *run, u8 fence)
{
	u32 i;

	if (fence == SIM_FENCE_NONE)
		return;
	for (i = run->first; i < run->n; i++) {
		if (!sim_fence_waits(fence, run->pend[i].opcode))
			continue;
		sim_pend_finish(run, &run->pend[i]);
		if (run->pend[i].syndrome) {
			sim_run_drain(run, 0);
			return;
		}
	}
	sim_run_drain(run, U32_MAX);
}

/* Does the WQE change an mkey, or a PSV of an mkey? */
static bool sim_changes_mkey(u8 opcode)
{
	return opcode == MLX5_OPCODE_UMR || opcode == MLX5_OPCODE_SET_PSV;
}

/*
 * Without a fence, a WQE after a UMR or SET_PSV may use the previous state of
 * the mkey. UMRs, SET_PSVs and NOPs do not use the target mkey of a UMR.
 */
static void sim_check_fence(struct sim_run *run, const struct sim_wqe *wqe)
{
	if (sim_fence_waits(wqe->fence, MLX5_OPCODE_UMR))
		run->umr_unfenced = false;
	if (sim_changes_mkey(wqe->opcode)) {
		run->umr_unfenced |= wqe->opcode != MLX5_OPCODE_UMR || !sim_umr_frees(wqe);
	} else if (run->umr_unfenced && wqe->opcode != MLX5_OPCODE_NOP) {
		sim_violation(run->sdev, SIM_VIO_fence_missing,
			      "QP 0x%x WQE 0x%x opcode 0x%x: fence mode %u behind a UMR",
			      sim_qp_qpn(run->qp), wqe->counter, wqe->opcode, wqe->fence);
		run->umr_unfenced = false;
	}
}

/* A WQE succeeded: complete it, or add it to the pending WQEs. */
static void sim_wqe_done(struct sim_run *run, const struct sim_wqe *wqe, struct sim_late *late)
{
	sim_count(run->sdev, wqes);
	run->bytes += wqe->len;
	run->qp->sq.ci += wqe->bbs;
	if (run->first == run->n && !late) {
		if (wqe->cqe)
			sim_complete_good(run, wqe->opcode, wqe->counter, wqe->len);
		return;
	}
	run->pend[run->n++] = (struct sim_pend) {
		.counter = wqe->counter,
		.stream = wqe->stream,
		.opcode = wqe->opcode,
		.cqe = wqe->cqe,
		.no_flush = wqe->no_flush,
		.bytes = wqe->len,
		.late = late,
	};
	if (sim_is_read(wqe->opcode))
		run->reads++;
}

/* Unrefereed: U-84. */
static void sim_wqe_failed(struct sim_run *run, const struct sim_wqe *wqe, u8 syndrome)
{
	struct sim_pend p = {
		.counter = wqe->counter,
		.stream = wqe->stream,
		.opcode = wqe->opcode,
	};
	struct sim_qp *qp = run->qp;

	sim_run_drain(run, 0);
	qp->sq.ci += wqe->bbs;
	if (sim_stream_sends(qp, wqe->stream))
		sim_fail_first(run, &p, syndrome);
	else
		sim_complete_flush(run->sdev, qp, wqe->counter, wqe->opcode, wqe->no_flush);
}

/* ---- retries ---- */

/*
 * @nak: the peer sent a sequence NAK; otherwise it sent no response.
 *	Unrefereed: U-18.
 */
static enum sim_step sim_retry_timeout(struct sim_run *run, const struct sim_wqe *wqe, bool nak)
{
	struct sim_qp_dp *dp = run->qp->dp;
	u64 ns = sim_ack_timeout_ns(run->qp->path.ack_timeout);

	if (!dp->retry_left) {
		sim_wqe_failed(run, wqe, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
		return SIM_STEP_DONE;
	}
	dp->retry_left--;
	dp->waiting = true;
	dp->wait_until = ns ? sim_hw_time() + ns : U64_MAX;
	sim_count(run->sdev, retries);
	if (nak)
		sim_qcount(run->sdev, run->qp, packet_seq_err);
	else
		sim_qcount(run->sdev, run->qp, local_ack_timeout_err);
	return SIM_STEP_WAIT;
}

static enum sim_step sim_retry_rnr(struct sim_run *run, const struct sim_wqe *wqe, u8 timer)
{
	struct sim_qp_dp *dp = run->qp->dp;

	if (run->qp->rnr_retry != 7 && !dp->rnr_left--) {
		sim_wqe_failed(run, wqe, MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
		return SIM_STEP_DONE;
	}
	dp->retry_left = run->qp->retry_count;
	dp->waiting = true;
	dp->wait_until = sim_hw_time() + sim_rnr_ns(timer);
	sim_qcount(run->sdev, run->qp, rnr_nak_retry_err);
	return SIM_STEP_WAIT;
}

/* ---- execution ---- */

static void sim_count_request(struct sim_dev *sdev, u8 opcode)
{
	switch (opcode) {
	case MLX5_OPCODE_RDMA_WRITE:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
		sim_count(sdev, rdma_writes);
		break;
	case MLX5_OPCODE_RDMA_READ:
		sim_count(sdev, rdma_reads);
		break;
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
		break;
	default:
		sim_count(sdev, sends);
		break;
	}
}

/* Unrefereed: U-41, U-43. */
static struct sim_late *sim_late_alloc(const struct sim_msg *m)
{
	struct sim_late *late;

	late = kmalloc(struct_size(late, seg, m->nseg), GFP_KERNEL | __GFP_NOFAIL);
	late->m = *m;
	late->umr = NULL;
	memcpy(late->seg, m->seg, m->nseg * sizeof(*m->seg));
	late->m.seg = late->seg;
	return late;
}

/* A message was accepted, or sent on an unreliable transport. */
static enum sim_step sim_msg_sent(struct sim_run *run, const struct sim_wqe *wqe,
				  const struct sim_msg *m)
{
	run->qp->send_psn = (run->qp->send_psn + m->packets) & SIM_PSN_MASK;
	sim_count_request(run->sdev, wqe->opcode);
	sim_wqe_done(run, wqe, sim_is_read(wqe->opcode) ? sim_late_alloc(m) : NULL);
	return SIM_STEP_DONE;
}

/* Unrefereed: U-17. */
static enum sim_step sim_answered_rc(struct sim_run *run, const struct sim_wqe *wqe,
				     const struct sim_msg *m, enum sim_verdict v)
{
	switch (v) {
	case SIM_ACK:
		sim_retry_reset(run->qp);
		return sim_msg_sent(run, wqe, m);
	case SIM_LOST:
		return sim_retry_timeout(run, wqe, false);
	case SIM_NAK_SEQ:
		return sim_retry_timeout(run, wqe, true);
	case SIM_RNR:
		return sim_retry_rnr(run, wqe, m->dqp->min_rnr_nak);
	default:
		sim_wqe_failed(run, wqe, sim_nak_syndrome(v));
		return SIM_STEP_DONE;
	}
}

/* Unrefereed: U-05. */
static enum sim_step sim_answered_uc(struct sim_run *run, const struct sim_wqe *wqe,
				     const struct sim_msg *m, enum sim_verdict v)
{
	if (v == SIM_SRC_FAULT) {
		sim_wqe_failed(run, wqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		return SIM_STEP_DONE;
	}
	if (v != SIM_ACK) {
		sim_count_add(run->sdev, tx_bytes, m->len);
		sim_count_add(run->sdev, tx_packets, m->packets);
		sim_trace(run->sdev, "QP 0x%x WQE 0x%x: message lost", sim_qp_qpn(run->qp),
			  wqe->counter);
	}
	return sim_msg_sent(run, wqe, m);
}

/* Find the receiver and deliver the message. */
static enum sim_verdict sim_msg_transmit(struct sim_run *run, struct sim_msg *m,
					 const struct sim_wqe *wqe)
{
	const struct sim_qp *qp = run->qp;

	if (qp->st == MLX5_QP_ST_DCI)
		return sim_dc_send(m, run->sdev, wqe->av);
	if (qp->path.fl ? !sim_fabric_loop(&m->rt, run->sdev) :
	    !sim_fabric_route(&m->rt, run->sdev, qp->path.sgid_index, qp->path.rmac,
			      qp->path.rgid))
		return SIM_LOST;
	if (!sim_msg_fits(m))
		return SIM_LOST;
	m->dqp = sim_fabric_conn_target(&m->rt, qp);
	return m->dqp ? sim_responder(m) : SIM_LOST;
}

/* Execute a WQE that sends a message on a connection, reliable or not. */
static enum sim_step sim_exec_conn(struct sim_run *run, struct sim_wqe *wqe)
{
	struct sim_qp *qp = run->qp;
	struct sim_msg m = {
		.sqp = qp,
		.opcode = wqe->opcode,
		.se = wqe->se,
		.imm = wqe->imm,
		.raddr = wqe->raddr,
		.rkey = wqe->rkey,
		.xrc_srqn = wqe->xrc_srqn,
		.swap_add = wqe->swap_add,
		.compare = wqe->compare,
		.psn = qp->send_psn,
		.reads = run->reads,
		.seg = &wqe->seg[1],
		.nseg = wqe->nseg,
	};
	enum sim_verdict v = SIM_SRC_FAULT;
	u64 wire;

	if (!sim_msg_wire(run, wqe, &wire)) {
		sim_wqe_failed(run, wqe, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		return SIM_STEP_DONE;
	}
	if (wire > min_t(u64, BIT_ULL(qp->log_msg_max), SIM_MAX_MSG)) {
		sim_wqe_failed(run, wqe, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
		return SIM_STEP_DONE;
	}
	m.len = wire;
	m.packets = sim_packets(wire, qp->mtu);
	if (sim_msg_reach(run, &m))
		v = sim_msg_transmit(run, &m, wqe);
	if (v == SIM_SRC_FAULT)
		sim_msg_denied(run, &m);
	return qp->st == MLX5_QP_ST_UC ? sim_answered_uc(run, wqe, &m, v) :
					 sim_answered_rc(run, wqe, &m, v);
}

static bool sim_is_connected(u8 st)
{
	return st == MLX5_QP_ST_RC || st == MLX5_QP_ST_UC || st == MLX5_QP_ST_XRC ||
	       st == MLX5_QP_ST_DCI;
}

static bool sim_is_local(u8 opcode)
{
	return opcode == MLX5_OPCODE_NOP || opcode == SIM_OPCODE_MMO || sim_changes_mkey(opcode);
}

/* Execute a WQE without a connection: NOP, UMR, SET_PSV, memory copy, datagram. */
static enum sim_step sim_exec_local(struct sim_run *run, struct sim_wqe *wqe)
{
	struct sim_msg m = {
		.opcode = wqe->opcode,
		.rkey = wqe->rkey,
		.swap_add = wqe->swap_add,
		.len = wqe->len,
		.seg = &wqe->seg[1],
		.nseg = wqe->nseg,
	};
	struct sim_late *late = NULL;
	int syndrome = 0;

	if (wqe->opcode == SIM_OPCODE_MMO)
		syndrome = sim_mmo_check(run->sdev, run->qp, wqe);
	else if (wqe->opcode == MLX5_OPCODE_NOP)
		sim_count(run->sdev, nops);
	else if (!sim_changes_mkey(wqe->opcode))
		syndrome = sim_ud_send(run->sdev, run->qp, wqe);

	if (syndrome) {
		sim_wqe_failed(run, wqe, syndrome);
		return SIM_STEP_DONE;
	}
	if (wqe->opcode == SIM_OPCODE_MMO || sim_changes_mkey(wqe->opcode))
		late = sim_late_alloc(&m);
	if (wqe->opcode == MLX5_OPCODE_UMR)
		late->umr = sim_wqe_dup(wqe);
	sim_wqe_done(run, wqe, late);
	return SIM_STEP_DONE;
}

/* Unrefereed: U-03, U-44. */
static enum sim_step sim_wqe_exec(struct sim_run *run, u16 avail)
{
	struct sim_wqe *wqe = &sim_run_wqe;
	struct sim_qp *qp = run->qp;

	switch (sim_wqe_fetch(run->sdev, qp, avail, wqe)) {
	case 0:
		break;
	case -EINVAL:
		sim_wqe_failed(run, wqe, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
		return SIM_STEP_DONE;
	default:
		sim_run_drain(run, 0);
		qp->dp->sq_dead = true;
		sim_qp_fail(run->sdev, qp, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
		return SIM_STEP_DONE;
	}

	sim_run_fence(run, wqe->fence);
	if (sim_is_read(wqe->opcode) && run->reads >= qp->max_rd_atomic)
		sim_run_drain(run, max_t(u32, qp->max_rd_atomic, 1) - 1);
	if (qp->state != MLX5_QP_STATE_RTS || qp->dp->draining)
		/*
		 * an outstanding WQE failed, and this WQE is flushed in the
		 * next turn; or a signature was wrong, and the QP is draining
		 */
		return SIM_STEP_DONE;
	if (!sim_stream_sends(qp, wqe->stream)) {
		sim_wqe_failed(run, wqe, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		return SIM_STEP_DONE;
	}

	sim_check_fence(run, wqe);
	sim_trace(run->sdev,
		  "QP 0x%x WQE 0x%x opcode 0x%x ds %u fence %u cqe %u len %llu stream 0x%x uar 0x%x",
		  sim_qp_qpn(qp), wqe->counter, wqe->opcode, wqe->ds, wqe->fence, wqe->cqe,
		  wqe->len, wqe->stream, qp->uar ? qp->uar->obj.id : 0);
	if (sim_is_connected(qp->st) && !sim_is_local(wqe->opcode))
		return sim_exec_conn(run, wqe);
	return sim_exec_local(run, wqe);
}

/* ---- scheduling ---- */

/*
 * Number of basic blocks posted and not executed; -EIO when the ring is
 * unusable.
 */
static int sim_sq_avail(struct sim_dev *sdev, struct sim_qp *qp)
{
	u16 avail;

	if (qp->no_sq || qp->dp->sq_dead)
		return 0;
	if (sim_dbr_read(sdev, qp->dbr_addr + sizeof(__be32), &qp->sq.pi)) {
		sim_qp_dbr_broken(qp);
		return -EIO;
	}
	avail = qp->sq.pi - qp->sq.ci;
	if (avail <= BIT(qp->sq.log_size))
		return avail;
	qp->dp->sq_dead = true;
	sim_violation(sdev, SIM_VIO_sq_counter, "QP 0x%x: record 0x%x, executed 0x%x of %lu",
		      sim_qp_qpn(qp), qp->sq.pi, qp->sq.ci, BIT(qp->sq.log_size));
	return -EIO;
}

static bool sim_qp_run(struct sim_dev *sdev, struct sim_qp *qp)
{
	struct sim_run *run = &sim_run;
	int avail, i;

	avail = sim_sq_avail(sdev, qp);
	if (avail < 0)
		sim_qp_fail(sdev, qp, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
	if (avail <= 0)
		return false;

	run->sdev = sdev;
	run->qp = qp;
	run->bytes = 0;
	run->first = 0;
	run->n = 0;
	run->reads = 0;
	run->umr_unfenced = false;
	for (i = 0; i < SIM_RUN_WQES && run->bytes < SIM_RUN_BYTES; i++) {
		avail = (u16)(qp->sq.pi - qp->sq.ci);
		if (!avail || qp->state != MLX5_QP_STATE_RTS || qp->dp->draining)
			break;
		if (sim_wqe_exec(run, avail) == SIM_STEP_WAIT)
			break;
	}
	sim_run_drain(run, 0);
	if (qp->dp->draining)
		sim_sq_drained(sdev, qp);
	return i > 0;
}

static bool sim_sq_flush(struct sim_dev *sdev, struct sim_qp *qp)
{
	u32 ring = MLX5_SEND_WQE_BB << qp->sq.log_size;
	struct sim_wqe *wqe = &sim_run_wqe;
	int avail = sim_sq_avail(sdev, qp);
	const char *why;
	int i;

	for (i = 0; i < SIM_FLUSH_WQES && avail > 0; i++) {
		if (sim_buf_read(sdev, &qp->buf,
				 qp->sq.off + ((qp->sq.ci * MLX5_SEND_WQE_BB) & (ring - 1)),
				 wqe->buf, sizeof(struct mlx5_wqe_ctrl_seg))) {
			qp->dp->sq_dead = true;
			break;
		}
		/* a flushed WQE may be malformed: the result is ignored */
		sim_wqe_decode_ctrl(wqe, sim_qp_qpn(qp), qp->sq.ci, &why);
		sim_complete_flush(sdev, qp, wqe->counter, wqe->opcode, wqe->no_flush);
		avail -= wqe->bbs;
		qp->sq.ci = avail > 0 ? qp->sq.ci + wqe->bbs : qp->sq.pi;
	}
	return i;
}

/**
 * sim_dp_sq_flush() - flush all WQEs posted to a send queue in SQE
 * @sdev: simulated function
 * @qp: QP that is leaving SQE: WQEs posted later are executed
 *
 * Context: hardware thread; may reschedule.
 */
void sim_dp_sq_flush(struct sim_dev *sdev, struct sim_qp *qp)
{
	while (sim_sq_flush(sdev, qp))
		sim_hw_yield();
}

static bool sim_qp_turn(struct sim_dev *sdev, struct sim_qp *qp)
{
	bool busy;

	switch (qp->state) {
	case MLX5_QP_STATE_RTS:
		if (qp->dp->waiting && sim_hw_time() < qp->dp->wait_until)
			return false;
		qp->dp->waiting = false;
		return sim_qp_run(sdev, qp);
	case MLX5_QP_STATE_SQER:
		return sim_sq_flush(sdev, qp);
	case MLX5_QP_STATE_ERR:
		busy = sim_sq_flush(sdev, qp);
		return sim_recv_flush(sdev, qp, SIM_FLUSH_WQES) || busy;
	default:
		return false;
	}
}

/**
 * sim_qp_poll() - run each QP in RTS or in error
 * @sdev: simulated function
 *
 * Context: hardware thread; may reschedule.
 * Return: true if a WQE was executed or flushed.
 */
bool sim_qp_poll(struct sim_dev *sdev)
{
	struct sim_qp *qp;
	bool busy = false;

	list_for_each_entry(qp, &sdev->qps, active)
		if (!qp->dp->stalled)
			busy |= sim_qp_turn(sdev, qp);
	return busy;
}
