/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ib_frwr: tracepoints of registration contexts.
 *
 * dev and qpn identify the QP, cqn identifies the CQ that reports completions,
 * with the numbers that "rdma resource" shows. rkey identifies the
 * registration: it has the same value from frwr_map to frwr_release, and the
 * next registration of the MR has another rkey.
 *
 * frwr_post is recorded before the work request is posted, so that it precedes
 * all events of the work request.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ib_frwr

#if !defined(IB_FRWR_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define IB_FRWR_TRACE_H

#include <linux/tracepoint.h>
#include <rdma/ib_cm.h>		/* for trace/misc/rdma.h */
#include <rdma/rdma_cm.h>	/* for trace/misc/rdma.h */
#include <trace/misc/rdma.h>

#include "pool.h"

TRACE_DEFINE_ENUM(IB_ACCESS_LOCAL_WRITE);
TRACE_DEFINE_ENUM(IB_ACCESS_REMOTE_WRITE);
TRACE_DEFINE_ENUM(IB_ACCESS_REMOTE_READ);

#define frwr_show_access(x)					\
	__print_flags(x, "|",					\
		      { IB_ACCESS_LOCAL_WRITE, "LW" },		\
		      { IB_ACCESS_REMOTE_WRITE, "RW" },		\
		      { IB_ACCESS_REMOTE_READ, "RR" })

/* frwr_map: memory was mapped to an MR of the pool */
TRACE_EVENT(frwr_map,
	TP_PROTO(const struct ib_frwr_req *req),

	TP_ARGS(req),

	TP_STRUCT__entry(
		__string(dev, req->frwr->qp->device->name)
		__field(u64, iova)
		__field(u64, length)
		__field(u32, qpn)
		__field(u32, rkey)
		__field(u32, access)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->iova = req->iova;
		__entry->length = req->length;
		__entry->qpn = req->frwr->qp->qp_num;
		__entry->rkey = req->rkey;
		__entry->access = req->reg.access;
	),

	TP_printk("dev=%s qpn=0x%06x rkey=0x%08x iova=0x%llx length=%llu access=%s",
		  __get_str(dev), __entry->qpn, __entry->rkey, __entry->iova,
		  __entry->length, frwr_show_access(__entry->access))
);

DECLARE_EVENT_CLASS(frwr_req,
	TP_PROTO(const struct ib_frwr_req *req),

	TP_ARGS(req),

	TP_STRUCT__entry(
		__string(dev, req->frwr->qp->device->name)
		__field(u32, qpn)
		__field(u32, rkey)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->qpn = req->frwr->qp->qp_num;
		__entry->rkey = req->rkey;
	),

	TP_printk("dev=%s qpn=0x%06x rkey=0x%08x", __get_str(dev), __entry->qpn, __entry->rkey)
);

/* frwr_post: the registration will be posted now */
DEFINE_EVENT(frwr_req, frwr_post,
	TP_PROTO(const struct ib_frwr_req *req),
	TP_ARGS(req));

/* frwr_remote_inv: the peer has invalidated the key */
DEFINE_EVENT(frwr_req, frwr_remote_inv,
	TP_PROTO(const struct ib_frwr_req *req),
	TP_ARGS(req));

/* frwr_in_doubt: the key may be valid; the MR will be destroyed */
DEFINE_EVENT(frwr_req, frwr_in_doubt,
	TP_PROTO(const struct ib_frwr_req *req),
	TP_ARGS(req));

/*
 * frwr_release: the memory is unmapped, or stays mapped if err is set. The
 * request has no MR after this event.
 */
TRACE_EVENT(frwr_release,
	TP_PROTO(const struct ib_frwr_req *req),

	TP_ARGS(req),

	TP_STRUCT__entry(
		__string(dev, req->frwr->qp->device->name)
		__field(u32, qpn)
		__field(u32, rkey)
		__field(int, err)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->qpn = req->frwr->qp->qp_num;
		__entry->rkey = req->rkey;
		__entry->err = req->err;
	),

	TP_printk("dev=%s qpn=0x%06x rkey=0x%08x err=%d", __get_str(dev), __entry->qpn,
		  __entry->rkey, __entry->err)
);

DECLARE_EVENT_CLASS(frwr_completion,
	TP_PROTO(const struct ib_cq *cq, const struct ib_frwr_req *req, const struct ib_wc *wc),

	TP_ARGS(cq, req, wc),

	TP_STRUCT__entry(
		__string(dev, cq->device->name)
		__field(u32, cqn)
		__field(u32, qpn)
		__field(u32, rkey)
		__field(u32, status)
		__field(u32, vendor_err)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->cqn = cq->res.id;
		__entry->qpn = req->frwr->qp->qp_num;
		__entry->rkey = req->rkey;
		__entry->status = wc->status;
		__entry->vendor_err = wc->status ? wc->vendor_err : 0;
	),

	TP_printk("dev=%s cqn=0x%x qpn=0x%06x rkey=0x%08x status=%s vendor_err=0x%x",
		  __get_str(dev), __entry->cqn, __entry->qpn, __entry->rkey,
		  rdma_show_wc_status(__entry->status), __entry->vendor_err)
);

/*
 * frwr_reg_done: a registration completed, in error or on a QP that signals all
 * WRs; other registrations have no completion
 */
DEFINE_EVENT(frwr_completion, frwr_reg_done,
	TP_PROTO(const struct ib_cq *cq, const struct ib_frwr_req *req, const struct ib_wc *wc),
	TP_ARGS(cq, req, wc));

/*
 * frwr_inv_done: the last invalidation of a chain completed, or another
 * invalidation in error
 */
DEFINE_EVENT(frwr_completion, frwr_inv_done,
	TP_PROTO(const struct ib_cq *cq, const struct ib_frwr_req *req, const struct ib_wc *wc),
	TP_ARGS(cq, req, wc));

DECLARE_EVENT_CLASS(frwr_pool,
	TP_PROTO(const struct ib_frwr *f, int err),

	TP_ARGS(f, err),

	TP_STRUCT__entry(
		__string(dev, f->qp->device->name)
		__field(u32, qpn)
		__field(u32, mrs)
		__field(u32, max_mrs)
		__field(int, err)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->qpn = f->qp->qp_num;
		__entry->mrs = READ_ONCE(f->nr);
		__entry->max_mrs = f->attr.max_mrs;
		__entry->err = err;
	),

	TP_printk("dev=%s qpn=0x%06x mrs=%u max_mrs=%u err=%d", __get_str(dev), __entry->qpn,
		  __entry->mrs, __entry->max_mrs, __entry->err)
);

/* frwr_pool_empty: a map has found fewer free MRs than it needs */
DEFINE_EVENT(frwr_pool, frwr_pool_empty,
	TP_PROTO(const struct ib_frwr *f, int err),
	TP_ARGS(f, err));

/*
 * frwr_pool_grown: MRs were added to the pool, fewer than needed if err is set
 */
DEFINE_EVENT(frwr_pool, frwr_pool_grown,
	TP_PROTO(const struct ib_frwr *f, int err),
	TP_ARGS(f, err));

#endif /* IB_FRWR_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
