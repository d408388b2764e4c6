// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * NFS over RDMA on ib_frwr: registration of the memory of RPCs.
 *
 * build.sh links this file, instead of frwr_ops.c of net/sunrpc/xprtrdma, with the other files of
 * that directory, which frwr.cocci patches. The page "xprtrdma on ib_frwr" of the documentation
 * explains both.
 *
 * Four paths use the MRs of a request, one after the other:
 *
 *	send		with the lock of the transport: map, and post with the Send
 *	reply		in the receive CQ: release, and complete the RPC
 *	free		in the task of an RPC that ends without a reply: release, and wait
 *	disconnect	with the lock of the transport, after the QP was drained: abort all
 *
 * The lock of the transport excludes send and disconnect. Send and reply pin the request, and the
 * RPC layer runs free only for a request that is not pinned. The receive queue is drained before
 * disconnect: no reply runs then. rb_frwr_lock excludes free and disconnect.
 */
#include <linux/sched/mm.h>
#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"
#include <trace/events/rpcrdma.h>

static struct rpcrdma_req *frwr_req_of(struct ib_frwr_req *reg)
{
	return container_of(reg, struct rpcrdma_mr, mr_reg)->mr_req;
}

static struct ib_frwr_req *frwr_chain_of(struct rpcrdma_req *req)
{
	return &req->rl_mrs[0].mr_reg;
}

static void frwr_clear_mrs(struct rpcrdma_req *req)
{
	req->rl_nr_mrs = 0;
	req->rl_nr_linked = 0;
}

/* ---- the device ---- */

static void frwr_available(void *priv)
{
	struct rpcrdma_xprt *r_xprt = priv;

	xprt_write_space(&r_xprt->rx_xprt);
}

/* Sets the number of MRs for re_max_requests requests. Return: WRs that the send queue needs */
static int frwr_count_send_wrs(struct rpcrdma_ep *ep)
{
	struct ib_frwr_attr *attr = &ep->re_frwr_attr;

	/* one MR is for the padding of Write chunks */
	attr->max_mrs = ep->re_max_requests * ep->re_max_rdma_segs + 1;
	return ep->re_max_requests + RPCRDMA_BACKWARD_WRS + ib_frwr_slots(attr);
}

/**
 * frwr_query_device() - fit an endpoint to a device
 * @ep: endpoint; re_max_requests is reduced until the device supports the send queue and the MRs
 * @device: device
 *
 * Sets the sizes of the QP, the attributes of the registration context, and the number of MRs for
 * a request. An MR has at most max_sge_rd pages, the length that the device prefers, if
 * RPCRDMA_MAX_HDR_SEGS is less than max_sge_rd.
 *
 * Return: 0
 * * -EINVAL: the device has no fast registration
 * * -ENOMEM: the device cannot register a message of the largest size
 */
int frwr_query_device(struct rpcrdma_ep *ep, const struct ib_device *device)
{
	const struct ib_device_attr *dev = &device->attrs;
	struct ib_mr_init_attr *mr = &ep->re_frwr_attr.mr;
	struct ib_qp_cap *cap = &ep->re_attr.cap;
	u32 depth = dev->max_fast_reg_page_list_len;

	if (!(dev->device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS) || !depth) {
		dev_err(&device->dev, "rpcrdma: no fast registration\n");
		return -EINVAL;
	}
	if (dev->max_send_sge < RPCRDMA_MIN_SEND_SGES)
		return -ENOMEM;
	if (dev->max_sge_rd > RPCRDMA_MAX_HDR_SEGS)
		depth = dev->max_sge_rd;

	mr->mr_type = IB_MR_TYPE_FAST_REG;
	mr->page_shift = PAGE_SHIFT;
	mr->max_reg_descs = min_t(u32, depth, RPCRDMA_MAX_DATA_SEGS);
	if (dev->kernel_cap_flags & IBK_SG_GAPS_REG)
		mr->create_flags = IB_MR_REG_ARB_SG;

	/* the head and the tail of a message may need separate MRs */
	ep->re_max_rdma_segs = DIV_ROUND_UP(RPCRDMA_MAX_DATA_SEGS, mr->max_reg_descs) + 2;
	ep->re_max_rdma_segs = min_t(u32, ep->re_max_rdma_segs, RPCRDMA_MAX_HDR_SEGS);
	if (ep->re_max_rdma_segs * mr->max_reg_descs < RPCRDMA_MAX_SEGS)
		return -ENOMEM;

	while (frwr_count_send_wrs(ep) > dev->max_qp_wr ||
	       ep->re_frwr_attr.max_mrs > (u32)dev->max_mr)
		if (!--ep->re_max_requests)
			return -ENOMEM;
	ep->re_frwr_attr.min_mrs = min(ep->re_max_rdma_segs, ep->re_frwr_attr.max_mrs);

	cap->max_send_sge = min_t(u32, dev->max_send_sge, RPCRDMA_MAX_SEND_SGES);
	cap->max_send_wr = frwr_count_send_wrs(ep);
	cap->max_recv_sge = 1;
	/* the last 1 is a Receive that drains the queue */
	cap->max_recv_wr = ep->re_max_requests + RPCRDMA_BACKWARD_WRS + RPCRDMA_MAX_RECV_BATCH + 1;
	return 0;
}

/* ---- map ---- */

/* Return: number of elements of @seg, from the first on, that fit into one MR */
static int frwr_count_piece(const struct rpcrdma_ep *ep, const struct bio_vec *seg, int nsegs)
{
	const struct ib_mr_init_attr *attr = &ep->re_frwr_attr.mr;
	int n = 1;

	nsegs = min_t(int, nsegs, attr->max_reg_descs);
	if (attr->create_flags & IB_MR_REG_ARB_SG)
		return nsegs;
	while (n < nsegs && !seg[n].bv_offset &&
	       !offset_in_page(seg[n - 1].bv_offset + seg[n - 1].bv_len))
		n++;
	return n;
}

/* Links an MR for each piece of a list to the chain of the request, before the first map. */
static int frwr_link_list(const struct rpcrdma_ep *ep, struct rpcrdma_req *req,
			  const struct bio_vec *seg, int nsegs)
{
	struct rpcrdma_mr *mr = &req->rl_mrs[req->rl_nr_linked];

	for (; nsegs; mr++) {
		if (req->rl_nr_linked == ARRAY_SIZE(req->rl_mrs))
			return -EMSGSIZE;
		mr->mr_req = req;
		mr->mr_nents = frwr_count_piece(ep, seg, nsegs);
		mr->mr_reg.next = NULL;
		if (req->rl_nr_linked++)
			mr[-1].mr_reg.next = &mr->mr_reg;
		seg += mr->mr_nents;
		nsegs -= mr->mr_nents;
	}
	return 0;
}

static int frwr_map_mr(struct rpcrdma_ep *ep, struct rpcrdma_mr *mr, const struct bio_vec *seg,
		       __be32 xid)
{
	struct ib_frwr_req *reg = &mr->mr_reg;
	int err;

	err = ib_frwr_map_biovec(ep->re_frwr, reg, seg, mr->mr_nents, mr->mr_dir);
	if (err)
		return err;
	/* the XID is for readers of a trace; a device that cannot set an iova keeps the old one */
	ib_frwr_set_iova(reg, (u64)be32_to_cpu(xid) << 32 | lower_32_bits(reg->iova));
	trace_xprtrdma_mr_map(mr);
	return 0;
}

/**
 * frwr_map() - map the beginning of a list to the next MR of a request
 * @r_xprt: transport, with its lock held
 * @req: request
 * @seg: rest of the list
 * @nsegs: number of elements in @seg
 * @writing: true if the server writes
 * @mr: set to the MR, whose mr_nents is the number of elements of @seg that were mapped
 *
 * After an error the MRs of the request must be released by frwr_reset().
 *
 * Return: the rest of the list, or an ERR_PTR()
 * * -EAGAIN: MRs must be created first; the transport waits for them
 * * -EMSGSIZE: the request has no MR left
 * * -EIO: the mapping failed
 */
struct bio_vec *frwr_map(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req, struct bio_vec *seg,
			 int nsegs, bool writing, struct rpcrdma_mr **mr)
{
	__be32 xid = req->rl_slot.rq_xid;
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	int err;

	if (req->rl_nr_mrs == req->rl_nr_linked) {
		err = frwr_link_list(ep, req, seg, nsegs);
		if (err)
			return ERR_PTR(err);
	}
	*mr = &req->rl_mrs[req->rl_nr_mrs];
	(*mr)->mr_dir = rpcrdma_data_dir(writing);
	err = frwr_map_mr(ep, *mr, seg, xid);
	if (err == -EAGAIN) {
		trace_xprtrdma_nomrs_err(r_xprt, req);
		xprt_wait_for_buffer_space(&r_xprt->rx_xprt);
		/* frwr_available() may have been called before the transport waited */
		err = frwr_map_mr(ep, *mr, seg, xid);
		if (err == -EAGAIN)
			return ERR_PTR(err);
		xprt_write_space(&r_xprt->rx_xprt);
	}
	if (err)
		return ERR_PTR(-EIO);
	req->rl_nr_mrs++;
	return seg + (*mr)->mr_nents;
}

/**
 * frwr_reset() - release the MRs of a request that was not sent, or whose QP was destroyed
 * @req: request whose MRs are not posted, or were aborted
 */
void frwr_reset(struct rpcrdma_req *req)
{
	WARN_ON_ONCE(ib_frwr_release(frwr_chain_of(req)));
	frwr_clear_mrs(req);
}

/* ---- send ---- */

/* Signals a Send with pages to unmap, and otherwise one Send of each batch of re_send_batch WRs. */
static void frwr_signal_send(struct rpcrdma_ep *ep, struct rpcrdma_req *req)
{
	unsigned int wrs = req->rl_nr_mrs + 1;

	if (req->rl_sendctx->sc_unmap_count || wrs > ep->re_send_count) {
		req->rl_wr.send_flags |= IB_SEND_SIGNALED;
		ep->re_send_count = ep->re_send_batch;
	} else {
		req->rl_wr.send_flags &= ~IB_SEND_SIGNALED;
		ep->re_send_count -= wrs;
	}
}

/**
 * frwr_send() - post the registrations of a request and its Send
 * @r_xprt: transport, with its lock held
 * @req: request
 *
 * Return: 0; or an error of ib_post_send(), after which the transport must be disconnected.
 */
int frwr_send(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	int i, err;

	frwr_signal_send(ep, req);
	trace_xprtrdma_post_send(req);
	for (i = 0; i < req->rl_nr_mrs; i++)
		trace_xprtrdma_mr_fastreg(&req->rl_mrs[i]);
	if (req->rl_nr_mrs)
		err = ib_frwr_post(frwr_chain_of(req), &req->rl_wr, NULL);
	else
		err = ib_post_send(ep->re_id->qp, &req->rl_wr, NULL);
	if (err)
		trace_xprtrdma_post_send_err(r_xprt, req, err);
	return err;
}

/* ---- the end of a request ---- */

/* The keys of an RPC with a reply are invalid, or were destroyed after an error of the QP. */
static void frwr_reply_released(struct ib_frwr_req *reg)
{
	struct rpcrdma_req *req = frwr_req_of(reg);

	frwr_clear_mrs(req);
	rpcrdma_complete_rqst(req->rl_reply);
}

/**
 * frwr_reply() - complete an RPC once all of its keys are invalid
 * @rep: reply, whose rr_rqst is the RPC
 * @wc: completion of the Receive of the reply
 */
void frwr_reply(struct rpcrdma_rep *rep, const struct ib_wc *wc)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rep->rr_rqst);
	struct ib_frwr_req *reg = frwr_chain_of(req);
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;

	/* the server violates the protocol if it invalidates a key that this RPC does not have */
	if (ib_frwr_remote_inv(reg, wc))
		rpcrdma_force_disconnect(r_xprt->rx_ep);
	if (req->rl_nr_mrs) {
		r_xprt->rx_stats.local_inv_needed +=
			req->rl_nr_mrs - !!(wc->wc_flags & IB_WC_WITH_INVALIDATE);
		reg->released = frwr_reply_released;
		if (ib_frwr_release(reg))
			return;
		frwr_clear_mrs(req);
	}
	rpcrdma_complete_rqst(rep);
}

static void frwr_unmap_released(struct ib_frwr_req *reg)
{
	complete(&frwr_req_of(reg)->rl_released);
}

/**
 * frwr_unmap_sync() - end the access of the server to the memory of an RPC without a reply
 * @r_xprt: transport
 * @req: request
 *
 * Context: process context, sleeps.
 */
void frwr_unmap_sync(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req)
{
	struct ib_frwr_req *reg = frwr_chain_of(req);

	mutex_lock(&r_xprt->rx_buf.rb_frwr_lock);
	if (req->rl_nr_mrs) {
		r_xprt->rx_stats.local_inv_needed += req->rl_nr_mrs;
		init_completion(&req->rl_released);
		reg->released = frwr_unmap_released;
		if (ib_frwr_release(reg) == -EINPROGRESS)
			wait_for_completion(&req->rl_released);
		frwr_clear_mrs(req);
	}
	mutex_unlock(&r_xprt->rx_buf.rb_frwr_lock);
}

/* ---- connect, disconnect ---- */

/* Maps the padding of Write chunks, which the server may write until the disconnect, to an MR. */
static int frwr_map_write_pad(struct rpcrdma_ep *ep)
{
	struct rpcrdma_mr *mr = &ep->re_write_pad_mr;
	struct bio_vec seg;
	int err;

	bvec_set_virt(&seg, ep->re_write_pad, sizeof(ep->re_write_pad));
	mr->mr_nents = 1;
	mr->mr_dir = DMA_FROM_DEVICE;
	err = frwr_map_mr(ep, mr, &seg, xdr_zero);
	return err ?: ib_frwr_post(&mr->mr_reg, NULL, NULL);
}

/**
 * frwr_create() - create the registration context of a connected endpoint
 * @r_xprt: transport
 *
 * Context: process context, sleeps. A write-back may wait for the connection: GFP_NOFS.
 * Return: 0, or an error of ib_frwr_create() or ib_post_send(). After an error, the disconnect
 * calls frwr_destroy(), too.
 */
int frwr_create(struct rpcrdma_xprt *r_xprt)
{
	unsigned int nofs = memalloc_nofs_save();
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct ib_frwr *frwr;

	ep->re_frwr_attr.available = frwr_available;
	ep->re_frwr_attr.priv = r_xprt;
	frwr = ib_frwr_create(ep->re_id->qp, &ep->re_frwr_attr);
	memalloc_nofs_restore(nofs);
	if (IS_ERR(frwr))
		return PTR_ERR(frwr);
	ep->re_frwr = frwr;
	r_xprt->rx_stats.mrs_allocated += ep->re_frwr_attr.min_mrs;
	return frwr_map_write_pad(ep);
}

/**
 * frwr_destroy() - end the access of the server to the memory of all RPCs
 * @r_xprt: transport, with its lock held and its QP drained
 *
 * RPCs with a reply are completed. The other RPCs can be sent again.
 *
 * Context: process context, sleeps.
 */
void frwr_destroy(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_buffer *buf = &r_xprt->rx_buf;
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct rpcrdma_req *req;

	if (!ep->re_frwr)
		return;
	mutex_lock(&buf->rb_frwr_lock);
	ib_frwr_abort(ep->re_frwr);
	list_for_each_entry(req, &buf->rb_allreqs, rl_all)
		frwr_reset(req);
	ib_frwr_release(&ep->re_write_pad_mr.mr_reg);
	WARN_ON_ONCE(ib_frwr_destroy(ep->re_frwr));
	ep->re_frwr = NULL;
	mutex_unlock(&buf->rb_frwr_lock);
}
