/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: tracepoints.
 *
 * Fields name objects by the numbers that the device and "rdma resource" use:
 * qpn, cqn, mkey (index << 8, with the variant where a WR names the key), and
 * WRs by the consumer's wr_id. "seq" counts the WRs of one queue of one QP; it
 * continues across resets for sends, and restarts from 1 for receives. A
 * completion has the seq of its WR, and completes all unsignalled WRs before
 * it.
 *
 * An event of a WR is recorded after its WQE is built and before the doorbell,
 * so that it precedes all effects of the WR. A disabled tracepoint costs a
 * patched-out branch: its arguments are pointers that the caller has anyway,
 * and all computation is done in the enabled tracepoint.
 *
 * tools/ibx-trace combines the events to follow one I/O.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mlx5_ibx

#if !defined(MLX5_IBX_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MLX5_IBX_TRACE_H

#include <linux/ktime.h>
#include <linux/mlx5/device.h>
#include <linux/tracepoint.h>
#include <rdma/ib_cm.h>		/* enums that trace/misc/rdma.h uses */
#include <rdma/mlx5dv_sig.h>
#include <rdma/rdma_cm.h>	/* enums that trace/misc/rdma.h uses */
#include <trace/misc/rdma.h>

#include "ibx.h"

/* enum ib_wr_opcode, values that kernel consumers may post */
#define IBX_WR_OPCODES(f, last)		\
	f(RDMA_WRITE)			\
	f(RDMA_WRITE_WITH_IMM)		\
	f(SEND)				\
	f(SEND_WITH_IMM)		\
	f(RDMA_READ)			\
	f(ATOMIC_CMP_AND_SWP)		\
	f(ATOMIC_FETCH_AND_ADD)		\
	f(SEND_WITH_INV)		\
	f(LOCAL_INV)			\
	f(REG_MR)			\
	last(REG_MR_INTEGRITY)

#define ibx_def_wr(x)	TRACE_DEFINE_ENUM(IB_WR_##x);
IBX_WR_OPCODES(ibx_def_wr, ibx_def_wr)
#define ibx_last_wr(x)	{ IB_WR_##x, #x }
#define ibx_sym_wr(x)	ibx_last_wr(x),
#define ibx_show_wr_opcode(x)	\
	__print_symbolic(x, IBX_WR_OPCODES(ibx_sym_wr, ibx_last_wr))

/* enum ib_wc_opcode of these WRs */
#define IBX_WC_OPCODES(f)		\
	f(SEND)				\
	f(RDMA_WRITE)			\
	f(RDMA_READ)			\
	f(COMP_SWAP)			\
	f(FETCH_ADD)			\
	f(LOCAL_INV)			\
	f(REG_MR)			\
	f(RECV)				\
	f(RECV_RDMA_WITH_IMM)

/*
 * opcodes of direct verbs: as numbers, because a "format" file cannot resolve
 * MLX5DV_WC_UMR
 */
#define IBX_WC_UMR	0x7d
#define IBX_WC_RAW_WQE	0x7e
#define IBX_WC_MEMCPY	0x7f

#define ibx_def_wc(x)	TRACE_DEFINE_ENUM(IB_WC_##x);
IBX_WC_OPCODES(ibx_def_wc)
#define ibx_sym_wc(x)	{ IB_WC_##x, #x },
#define ibx_show_wc_opcode(x)					\
	__print_symbolic(x, IBX_WC_OPCODES(ibx_sym_wc)		\
			 { IBX_WC_UMR, "UMR" },			\
			 { IBX_WC_RAW_WQE, "RAW_WQE" },		\
			 { IBX_WC_MEMCPY, "MEMCPY" })

/* enum mlx5dv_mkey_err_type */
TRACE_DEFINE_ENUM(MLX5DV_MKEY_NO_ERR);
TRACE_DEFINE_ENUM(MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
TRACE_DEFINE_ENUM(MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG);
TRACE_DEFINE_ENUM(MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG);
#define ibx_show_sig_error(x)						\
	__print_symbolic(x,						\
			 { MLX5DV_MKEY_NO_ERR, "UNKNOWN" },		\
			 { MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, "GUARD" },	\
			 { MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG, "REFTAG" },	\
			 { MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG, "APPTAG" })

TRACE_DEFINE_ENUM(IB_ACCESS_LOCAL_WRITE);
TRACE_DEFINE_ENUM(IB_ACCESS_REMOTE_WRITE);
TRACE_DEFINE_ENUM(IB_ACCESS_REMOTE_READ);
TRACE_DEFINE_ENUM(IB_ACCESS_REMOTE_ATOMIC);
#define ibx_show_access(x)					\
	__print_flags(x, "|",					\
		      { IB_ACCESS_LOCAL_WRITE, "LW" },		\
		      { IB_ACCESS_REMOTE_WRITE, "RW" },		\
		      { IB_ACCESS_REMOTE_READ, "RR" },		\
		      { IB_ACCESS_REMOTE_ATOMIC, "RA" })

/* firmware commands that cmd/ issues */
#define IBX_COMMANDS(f, last)		\
	f(CREATE_MKEY)			\
	f(QUERY_MKEY)			\
	f(DESTROY_MKEY)			\
	f(CREATE_PSV)			\
	f(DESTROY_PSV)			\
	f(CREATE_GENERAL_OBJECT)	\
	f(QUERY_GENERAL_OBJECT)		\
	f(DESTROY_GENERAL_OBJECT)	\
	f(CREATE_CQ)			\
	f(DESTROY_CQ)			\
	f(QUERY_CQ)			\
	f(MODIFY_CQ)			\
	f(CREATE_QP)			\
	f(DESTROY_QP)			\
	f(CREATE_DCT)			\
	f(DRAIN_DCT)			\
	f(DESTROY_DCT)			\
	f(RST2INIT_QP)			\
	f(INIT2RTR_QP)			\
	f(RTR2RTS_QP)			\
	f(RTS2RTS_QP)			\
	f(SQERR2RTS_QP)			\
	f(2ERR_QP)			\
	f(2RST_QP)			\
	f(QUERY_QP)			\
	f(SQD_RTS_QP)			\
	f(INIT2INIT_QP)			\
	f(SET_ROCE_ADDRESS)		\
	f(CREATE_RMP)			\
	f(MODIFY_RMP)			\
	f(DESTROY_RMP)			\
	f(QUERY_RMP)			\
	f(QUERY_VPORT_COUNTER)		\
	f(ALLOC_Q_COUNTER)		\
	f(DEALLOC_Q_COUNTER)		\
	f(QUERY_Q_COUNTER)		\
	f(ALLOC_PD)			\
	f(DEALLOC_PD)			\
	last(ACCESS_REG)

#define ibx_def_cmd(x)	TRACE_DEFINE_ENUM(MLX5_CMD_OP_##x);
IBX_COMMANDS(ibx_def_cmd, ibx_def_cmd)
#define ibx_last_cmd(x)	{ MLX5_CMD_OP_##x, #x }
#define ibx_sym_cmd(x)	ibx_last_cmd(x),
#define ibx_show_command(x)	\
	__print_symbolic(x, IBX_COMMANDS(ibx_sym_cmd, ibx_last_cmd))

/* status of a command that mlx5_core issued without returning the status */
#define IBX_CMD_STAT_NONE	0xff

#define IBX_CMD_STATUSES(f, last)	\
	f(OK)				\
	f(INT_ERR)			\
	f(BAD_OP_ERR)			\
	f(BAD_PARAM_ERR)		\
	f(BAD_SYS_STATE_ERR)		\
	f(BAD_RES_ERR)			\
	f(RES_BUSY)			\
	f(NOT_READY)			\
	f(LIM_ERR)			\
	f(BAD_RES_STATE_ERR)		\
	f(IX_ERR)			\
	f(NO_RES_ERR)			\
	f(BAD_QP_STATE_ERR)		\
	f(BAD_PKT_ERR)			\
	f(BAD_SIZE_OUTS_CQES_ERR)	\
	f(BAD_INP_LEN_ERR)		\
	last(BAD_OUTP_LEN_ERR)

#define ibx_def_stat(x)	TRACE_DEFINE_ENUM(MLX5_CMD_STAT_##x);
IBX_CMD_STATUSES(ibx_def_stat, ibx_def_stat)
#define ibx_last_stat(x)	{ MLX5_CMD_STAT_##x, #x }
#define ibx_sym_stat(x)	ibx_last_stat(x),
#define ibx_show_status(x)	\
	__print_symbolic(x, { IBX_CMD_STAT_NONE, "-" }, \
			 IBX_CMD_STATUSES(ibx_sym_stat, ibx_last_stat))

/*
 * ibx_map_mr: an MR was mapped
 *
 * mkey has no variant, because the consumer chooses the variant later. "mapped"
 * of "nents" elements were mapped. page_size is 0 if the entries are ranges. An
 * INTEGRITY MR has entries=0, because its list has another mkey.
 */
TRACE_EVENT(ibx_map_mr,
	TP_PROTO(const struct ibx_mr *mr, int nents, int mapped),

	TP_ARGS(mr, nents, mapped),

	TP_STRUCT__entry(
		__string(dev, mr->ibmr.device->name)
		__field(u64, iova)
		__field(u64, length)
		__field(u32, mkey)
		__field(u32, entries)
		__field(u32, page_size)
		__field(int, nents)
		__field(int, mapped)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->iova = mr->ibmr.iova;
		__entry->length = mr->ibmr.length;
		__entry->mkey = mr->mkey & ~0xff;
		__entry->entries = mr->nents;
		__entry->page_size = mr->page_shift ? BIT(mr->page_shift) : 0;
		__entry->nents = nents;
		__entry->mapped = mapped;
	),

	TP_printk("dev=%s mkey=0x%08x iova=0x%llx length=%llu entries=%u page_size=%u nents=%d mapped=%d",
		  __get_str(dev), __entry->mkey, __entry->iova, __entry->length,
		  __entry->entries, __entry->page_size, __entry->nents, __entry->mapped)
);

/*
 * ibx_reg_mr: a registration is about to be posted
 *
 * An ibx_post_send with the same qpn and seq follows.
 */
TRACE_EVENT(ibx_reg_mr,
	TP_PROTO(const struct ibx_sq *sq, const struct ib_reg_wr *wr, u32 seq, bool inlined),

	TP_ARGS(sq, wr, seq, inlined),

	TP_STRUCT__entry(
		__string(dev, wr->mr->device->name)
		__field(u64, wr_id)
		__field(u64, iova)
		__field(u64, length)
		__field(u32, qpn)
		__field(u32, seq)
		__field(u32, key)
		__field(u32, entries)
		__field(u32, page_size)
		__field(u32, access)
		__field(bool, inlined)
	),

	TP_fast_assign(
		const struct ibx_mr *mr = to_imr(wr->mr);

		__assign_str(dev);
		__entry->wr_id = wr->wr.wr_id;
		__entry->iova = mr->ibmr.iova;
		__entry->length = mr->ibmr.length;
		__entry->qpn = container_of(sq, struct ibx_qp, sq)->qpn;
		__entry->seq = seq;
		__entry->key = wr->key;
		__entry->entries = mr->nents;
		__entry->page_size = mr->page_shift ? BIT(mr->page_shift) : 0;
		__entry->access = wr->access;
		__entry->inlined = inlined;
	),

	TP_printk("dev=%s qpn=0x%06x seq=%u wr_id=0x%llx mkey=0x%08x iova=0x%llx length=%llu entries=%u page_size=%u access=%s list=%s",
		  __get_str(dev), __entry->qpn, __entry->seq, __entry->wr_id, __entry->key,
		  __entry->iova, __entry->length, __entry->entries, __entry->page_size,
		  ibx_show_access(__entry->access), __entry->inlined ? "inline" : "fetched")
);

/*
 * ibx_post_send: a WQE is in the send ring
 *
 * "wqe" is the index of the first block of the WQE, as in ibx_cqe_error. A
 * "signalled" WQE has a completion. The doorbell rings after the "last" WQE of
 * a chain.
 */
TRACE_EVENT(ibx_post_send,
	TP_PROTO(const struct ibx_qp *qp, const struct ib_send_wr *wr,
		 const struct mlx5_wqe_ctrl_seg *ctrl, u32 seq),

	TP_ARGS(qp, wr, ctrl, seq),

	TP_STRUCT__entry(
		__string(dev, qp->ibqp.device->name)
		__field(u64, wr_id)
		__field(u64, bytes)
		__field(u32, qpn)
		__field(u32, seq)
		__field(u32, key)
		__field(u16, wqe)
		__field(u8, opcode)
		__field(bool, signalled)
		__field(bool, last)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->wr_id = wr->wr_id;
		__entry->bytes = ibx_wr_bytes(wr);
		__entry->qpn = qp->qpn;
		__entry->seq = seq;
		__entry->key = ibx_wr_key(wr);
		__entry->wqe = be32_to_cpu(ctrl->opmod_idx_opcode) >> 8;
		__entry->opcode = wr->opcode;
		__entry->signalled = ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE;
		__entry->last = !wr->next;
	),

	TP_printk("dev=%s qpn=0x%06x seq=%u wr_id=0x%llx op=%s key=0x%08x bytes=%llu wqe=%u signalled=%u last=%u",
		  __get_str(dev), __entry->qpn, __entry->seq, __entry->wr_id,
		  ibx_show_wr_opcode(__entry->opcode), __entry->key, __entry->bytes,
		  __entry->wqe, __entry->signalled, __entry->last)
);

/*
 * ibx_wr_complete: the work request API closes a send queue
 *
 * "wrs" is the number of WRs built; each SET_PSV WQE counts as a WR. The WRs
 * are posted unless "err" is set, or the back end for mlx5_ib fails, which the
 * event does not show. "seq" is the number of the last WR.
 */
TRACE_EVENT(ibx_wr_complete,
	TP_PROTO(const struct ibx_qp *qp, const struct ibx_chain *c, int err),

	TP_ARGS(qp, c, err),

	TP_STRUCT__entry(
		__string(dev, qp->ibqp.device->name)
		__field(u32, qpn)
		__field(u32, seq)
		__field(u32, wrs)
		__field(int, err)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->qpn = qp->qpn;
		__entry->seq = c->head;
		__entry->wrs = c->head - qp->sq.head;
		__entry->err = err;
	),

	TP_printk("dev=%s qpn=0x%06x seq=%u wrs=%u err=%d", __get_str(dev), __entry->qpn,
		  __entry->seq, __entry->wrs, __entry->err)
);

/* ibx_post_recv: a WQE is in the receive ring */
TRACE_EVENT(ibx_post_recv,
	TP_PROTO(const struct ibx_qp *qp, const struct ib_recv_wr *wr, u32 seq),

	TP_ARGS(qp, wr, seq),

	TP_STRUCT__entry(
		__string(dev, qp->ibqp.device->name)
		__field(u64, wr_id)
		__field(u64, bytes)
		__field(u32, qpn)
		__field(u32, seq)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->wr_id = wr->wr_id;
		__entry->bytes = ibx_sge_bytes(wr->sg_list, wr->num_sge);
		__entry->qpn = qp->qpn;
		__entry->seq = seq;
	),

	TP_printk("dev=%s qpn=0x%06x seq=%u wr_id=0x%llx bytes=%llu", __get_str(dev),
		  __entry->qpn, __entry->seq, __entry->wr_id, __entry->bytes)
);

/*
 * ibx_post_srq_recv: a WQE is in the list of an SRQ
 *
 * The completion of the WQE names the QP that consumed the WQE.
 */
TRACE_EVENT(ibx_post_srq_recv,
	TP_PROTO(const struct ibx_srq_ring *ring, const struct ib_recv_wr *wr, u16 wqe),

	TP_ARGS(ring, wr, wqe),

	TP_STRUCT__entry(
		__string(dev, container_of(ring, struct ibx_srq, ring)->ibsrq.device->name)
		__field(u64, wr_id)
		__field(u64, bytes)
		__field(u32, srqn)
		__field(u16, wqe)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->wr_id = wr->wr_id;
		__entry->bytes = ibx_sge_bytes(wr->sg_list, wr->num_sge);
		__entry->srqn = container_of(ring, struct ibx_srq, ring)->srqn;
		__entry->wqe = wqe;
	),

	TP_printk("dev=%s srqn=0x%x wqe=%u wr_id=0x%llx bytes=%llu", __get_str(dev),
		  __entry->srqn, __entry->wqe, __entry->wr_id, __entry->bytes)
);

/*
 * ibx_comp: the consumer gets a completion
 *
 * A send that completes in error has the opcode of its WR; a receive in error
 * always has RECV. "inv" is the key that the peer's SEND invalidated. Receives
 * of an SRQ have seq 0.
 */
TRACE_EVENT(ibx_comp,
	TP_PROTO(const struct ibx_cq *cq, const struct ib_wc *wc),

	TP_ARGS(cq, wc),

	TP_STRUCT__entry(
		__string(dev, cq->ibcq.device->name)
		__field(u64, wr_id)
		__field(u32, cqn)
		__field(u32, qpn)
		__field(u32, seq)
		__field(u32, bytes)
		__field(u32, inv)
		__field(u32, opcode)
		__field(u32, status)
	),

	TP_fast_assign(
		const struct ibx_qp *qp = to_iqp(wc->qp);

		__assign_str(dev);
		__entry->wr_id = wc->wr_id;
		__entry->cqn = cq->mcq.cqn;
		__entry->qpn = qp->qpn;
		__entry->seq = wc->opcode & IB_WC_RECV ? qp->rq.tail : qp->sq.tail;
		__entry->bytes = wc->byte_len;
		__entry->inv = wc->wc_flags & IB_WC_WITH_INVALIDATE ?
			       wc->ex.invalidate_rkey : 0;
		__entry->opcode = wc->opcode;
		__entry->status = wc->status;
	),

	TP_printk("dev=%s cqn=0x%x qpn=0x%06x seq=%u wr_id=0x%llx op=%s status=%s bytes=%u inv=0x%08x",
		  __get_str(dev), __entry->cqn, __entry->qpn, __entry->seq, __entry->wr_id,
		  ibx_show_wc_opcode(__entry->opcode), rdma_show_wc_status(__entry->status),
		  __entry->bytes, __entry->inv)
);

/*
 * ibx_cqe_error: fields of the error CQE of a WR that failed or was flushed
 *
 * The completion, ibx_comp, follows, unless the WQE is not the last WQE of its
 * WR: such a CQE completes no WR. An error completion without this event is a
 * flush in software, for example after a fatal error.
 */
TRACE_EVENT(ibx_cqe_error,
	TP_PROTO(const struct ibx_qp *qp, const struct mlx5_err_cqe *cqe, bool send),

	TP_ARGS(qp, cqe, send),

	TP_STRUCT__entry(
		__string(dev, qp->ibqp.device->name)
		__field(u32, qpn)
		__field(u16, wqe)
		__field(u8, syndrome)
		__field(u8, vendor)
		__field(bool, send)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->qpn = qp->qpn;
		__entry->wqe = be16_to_cpu(cqe->wqe_counter);
		__entry->syndrome = cqe->syndrome;
		__entry->vendor = cqe->vendor_err_synd;
		__entry->send = send;
	),

	TP_printk("dev=%s qpn=0x%06x queue=%s wqe=%u syndrome=0x%02x vendor=0x%02x", __get_str(dev),
		  __entry->qpn, __entry->send ? "send" : "recv", __entry->wqe,
		  __entry->syndrome, __entry->vendor)
);

/*
 * ibx_sig_error: the device reports a bad signature
 *
 * mkey is the key of the signature mkey, qpn the QP of the transfer. The
 * transfer completes without an error. "offset" is in the transfer. An error
 * whose meaning is not known has type UNKNOWN and values of 0; its offset may
 * be 0, too. ib_check_mr_status() and mlx5dv_mkey_check() return -EIO for such
 * an error.
 * These functions return the first error since their last call. The trace shows
 * all errors, except errors of a destroyed mkey.
 */
TRACE_EVENT(ibx_sig_error,
	TP_PROTO(const struct ibx_dev *dev, const struct mlx5_sig_err_cqe *cqe,
		 const struct mlx5dv_mkey_err *err),

	TP_ARGS(dev, cqe, err),

	TP_STRUCT__entry(
		__string(dev, dev->ib->name)
		__field(u64, expected)
		__field(u64, actual)
		__field(u64, offset)
		__field(u32, qpn)
		__field(u32, mkey)
		__field(u32, type)
		__field(u16, syndrome)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->expected = err->err.sig.expected_value;
		__entry->actual = err->err.sig.actual_value;
		__entry->offset = err->err.sig.offset;
		__entry->qpn = be32_to_cpu(cqe->qpn) & 0xffffff;
		__entry->mkey = be32_to_cpu(cqe->mkey);
		__entry->type = err->err_type;
		__entry->syndrome = be16_to_cpu(cqe->syndrome);
	),

	TP_printk("dev=%s qpn=0x%06x mkey=0x%08x type=%s expected=0x%llx actual=0x%llx offset=%llu syndrome=0x%04x",
		  __get_str(dev), __entry->qpn, __entry->mkey,
		  ibx_show_sig_error(__entry->type), __entry->expected, __entry->actual,
		  __entry->offset, __entry->syndrome)
);

/*
 * ibx_cmd: a firmware command ended
 *
 * The event has the PCI address, because the first commands precede the name of
 * the RDMA device. "us" is the duration, including the wait for a command slot;
 * 0 if the command began before the trace did. The status is "-" if mlx5_core
 * does not return the status; the event mlx5:mlx5_cmd of mlx5_core reports
 * failures.
 */
TRACE_EVENT(ibx_cmd,
	TP_PROTO(const struct ibx_dev *dev, u16 opcode, int err, const void *out,
		 ktime_t start),

	TP_ARGS(dev, opcode, err, out, start),

	TP_STRUCT__entry(
		__string(pci, dev_name(dev->mdev->device))
		__field(u64, us)
		__field(u32, syndrome)
		__field(int, err)
		__field(u16, opcode)
		__field(u8, status)
	),

	TP_fast_assign(
		__assign_str(pci);
		__entry->us = start ? ktime_us_delta(ktime_get(), start) : 0;
		__entry->syndrome =
			out ? MLX5_GET(general_obj_out_cmd_hdr, out, syndrome) : 0;
		__entry->err = err;
		__entry->opcode = opcode;
		__entry->status = out ? MLX5_GET(general_obj_out_cmd_hdr, out, status) :
					IBX_CMD_STAT_NONE;
	),

	TP_printk("pci=%s op=%s err=%d status=%s syndrome=0x%x us=%llu", __get_str(pci),
		  ibx_show_command(__entry->opcode), __entry->err,
		  ibx_show_status(__entry->status),
		  __entry->syndrome, __entry->us)
);

/* asynchronous events reported to consumers; @num is the number of the object or port */
DECLARE_EVENT_CLASS(ibx_async,
	TP_PROTO(const struct ibx_dev *dev, enum ib_event_type type, u32 num),

	TP_ARGS(dev, type, num),

	TP_STRUCT__entry(
		__string(dev, dev->ib->name)
		__field(u32, type)
		__field(u32, num)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->type = type;
		__entry->num = num;
	),

	TP_printk("dev=%s port=%u event=%s", __get_str(dev), __entry->num,
		  rdma_show_ib_event(__entry->type))
);

DEFINE_EVENT(ibx_async, ibx_event_port,
	TP_PROTO(const struct ibx_dev *dev, enum ib_event_type type, u32 num),
	TP_ARGS(dev, type, num)
);

DEFINE_EVENT_PRINT(ibx_async, ibx_event_qp,
	TP_PROTO(const struct ibx_dev *dev, enum ib_event_type type, u32 num),
	TP_ARGS(dev, type, num),
	TP_printk("dev=%s qpn=0x%06x event=%s", __get_str(dev), __entry->num,
		  rdma_show_ib_event(__entry->type))
);

DEFINE_EVENT_PRINT(ibx_async, ibx_event_cq,
	TP_PROTO(const struct ibx_dev *dev, enum ib_event_type type, u32 num),
	TP_ARGS(dev, type, num),
	TP_printk("dev=%s cqn=0x%x event=%s", __get_str(dev), __entry->num,
		  rdma_show_ib_event(__entry->type))
);

DEFINE_EVENT_PRINT(ibx_async, ibx_event_srq,
	TP_PROTO(const struct ibx_dev *dev, enum ib_event_type type, u32 num),
	TP_ARGS(dev, type, num),
	TP_printk("dev=%s srqn=0x%x event=%s", __get_str(dev), __entry->num,
		  rdma_show_ib_event(__entry->type))
);

/*
 * ibx_devx_event: subscriptions of DEVX were looked up for an event. @walked is
 * the number of subscriptions that got the event
 */
TRACE_EVENT(ibx_devx_event,
	TP_PROTO(const struct ibx_dev *dev, u16 event, u16 type, u32 nr, u32 walked),

	TP_ARGS(dev, event, type, nr, walked),

	TP_STRUCT__entry(
		__string(dev, dev->ib->name)
		__field(u32, nr)
		__field(u32, walked)
		__field(u16, event)
		__field(u16, type)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->nr = nr;
		__entry->walked = walked;
		__entry->event = event;
		__entry->type = type;
	),

	TP_printk("dev=%s event=0x%x type=0x%x nr=0x%x walked=%u", __get_str(dev),
		  __entry->event, __entry->type, __entry->nr, __entry->walked)
);

#endif /* MLX5_IBX_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
