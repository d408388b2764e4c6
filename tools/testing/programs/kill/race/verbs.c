// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects of the verbs: MRs that are reregistered, and memory windows; CQs that are resized; QPs
 * that send to themselves, with and without an SRQ; XRC and DC; a thread that waits for events.
 */
#include <string.h>

#include "race.h"

#define MRS		4
#define READS		40
#define ALL_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ)

/* Return: true if @err is 0; else failed(@what), with errno @err */
static bool done(int err, const char *what)
{
	if (!err)
		return true;
	errno = err;
	return failed(what);
}

static bool rereg_any(struct worker *w, struct ibv_mr *mr, struct ibv_pd *pd)
{
	/* at least one of memory, PD and access */
	int flags = 1 + draw(w, 7);
	int access = flags & IBV_REREG_MR_CHANGE_ACCESS ? ALL_ACCESS : 0;

	if (!ibv_rereg_mr(mr, flags, pd, w->e.mem + draw(w, PAGE), 1 + draw(w, 4 * PAGE), access))
		return true;
	return failed("rereg of an MR");
}

bool mrs_round(struct worker *w)
{
	struct ibv_pd *pd = ibv_alloc_pd(w->e.ctx);
	struct ibv_mr *mrs[MRS];
	struct ibv_mw *mw;
	int i;

	if (!pd)
		return failed("PD");
	mw = ibv_alloc_mw(pd, draw(w, 2) ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2);
	if (!mw)
		return failed("window");
	for (i = 0; i < MRS; i++) {
		mrs[i] = ibv_reg_mr(w->e.pd, w->e.mem + draw(w, PAGE), 1 + draw(w, 4 * PAGE),
				    ALL_ACCESS | (draw(w, 4) ? 0 : IBV_ACCESS_MW_BIND));
		if (!mrs[i])
			return failed("MR");
		if (!rereg_any(w, mrs[i], draw(w, 2) ? pd : w->e.pd))
			return false;
	}
	for (i = 0; i < MRS; i++)
		if (!done(ibv_dereg_mr(mrs[i]), "dereg of an MR"))
			return false;
	return done(ibv_dealloc_mw(mw), "dealloc of a window") &&
	       done(ibv_dealloc_pd(pd), "dealloc of a PD");
}

bool cqs_round(struct worker *w)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(w->e.ctx);
	struct ibv_cq *cq;
	int i;

	if (!channel)
		return failed("channel");
	cq = ibv_create_cq(w->e.ctx, 1 + draw(w, 60), NULL, draw(w, 2) ? channel : NULL, 0);
	if (!cq)
		return failed("CQ");
	for (i = draw(w, 3); i; i--)
		if (!done(ibv_resize_cq(cq, 1 + draw(w, 300)), "resize of a CQ") ||
		    !done(ibv_req_notify_cq(cq, 0), "request of an event"))
			return false;
	return done(ibv_destroy_cq(cq), "destruction of a CQ") &&
	       done(ibv_destroy_comp_channel(channel), "destruction of a channel");
}

/* a QP that is connected to itself, and its resources */
struct loop {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
};

static bool find_gid(struct worker *w, struct ibv_ah_attr *ah)
{
	struct ibv_gid_entry entries[64];
	ssize_t i, num = ibv_query_gid_table(w->e.ctx, entries, ARRAY_SIZE(entries), 0);

	for (i = 0; i < num; i++) {
		if (entries[i].gid_type == IBV_GID_TYPE_ROCE_V2) {
			ah->is_global = 1;
			ah->port_num = 1;
			ah->grh.dgid = entries[i].gid;
			ah->grh.sgid_index = entries[i].gid_index;
			ah->grh.hop_limit = 64;
			return true;
		}
	}
	errno = ENOENT;
	return failed("GID");
}

static bool connect_loop(struct worker *w, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = ALL_ACCESS,
		.path_mtu = IBV_MTU_1024, .dest_qp_num = qp->qp_num, .max_dest_rd_atomic = 1,
		.max_rd_atomic = 1, .min_rnr_timer = 1, .timeout = 14, .retry_cnt = 7,
		.rnr_retry = 7,
	};

	if (!find_gid(w, &attr.ah_attr))
		return false;
	if (!done(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				IBV_QP_ACCESS_FLAGS), "INIT"))
		return false;
	attr.qp_state = IBV_QPS_RTR;
	if (!done(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				IBV_QP_MIN_RNR_TIMER), "RTR"))
		return false;
	attr.qp_state = IBV_QPS_RTS;
	return done(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
		    "RTS");
}

static bool open_loop(struct worker *w, struct loop *l, bool with_srq)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .cap = { 8, with_srq ? 0 : 8, 1, with_srq ? 0 : 1, 0 },
	};

	memset(l, 0, sizeof(*l));
	l->channel = ibv_create_comp_channel(w->e.ctx);
	if (!l->channel)
		return failed("channel");
	l->cq = ibv_create_cq(w->e.ctx, 32, NULL, l->channel, 0);
	l->mr = ibv_reg_mr(w->e.pd, w->e.mem, MEM_BYTES, ALL_ACCESS);
	if (!l->cq || !l->mr)
		return failed("CQ or MR");
	if (with_srq) {
		l->srq = ibv_create_srq(w->e.pd, &srq);
		if (!l->srq)
			return failed("SRQ");
	}
	init.send_cq = l->cq;
	init.recv_cq = l->cq;
	init.srq = l->srq;
	l->qp = ibv_create_qp(w->e.pd, &init);
	return (l->qp || failed("QP")) && connect_loop(w, l->qp);
}

static bool close_loop(struct loop *l)
{
	return done(ibv_destroy_qp(l->qp), "destruction of a QP") &&
	       (!l->srq || done(ibv_destroy_srq(l->srq), "destruction of an SRQ")) &&
	       done(ibv_dereg_mr(l->mr), "dereg of an MR") &&
	       done(ibv_destroy_cq(l->cq), "destruction of a CQ") &&
	       done(ibv_destroy_comp_channel(l->channel), "destruction of a channel");
}

/* posts a receive and a SEND; the QP is connected to itself */
static bool post_loop(struct worker *w, struct loop *l)
{
	struct ibv_sge sge = { (uintptr_t)w->e.mem, 1 + draw(w, PAGE), l->mr->lkey };
	struct ibv_sge to = { (uintptr_t)w->e.mem + PAGE, PAGE, l->mr->lkey };
	struct ibv_recv_wr recv = { .sg_list = &to, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;

	return done(l->srq ? ibv_post_srq_recv(l->srq, &recv, &bad_recv) :
			     ibv_post_recv(l->qp, &recv, &bad_recv), "receive") &&
	       done(ibv_post_send(l->qp, &wr, &bad), "SEND");
}

/* posts up to three SENDs and destroys the QP, which may still move data */
bool qps_round(struct worker *w)
{
	struct loop l;
	u32 i;

	if (!open_loop(w, &l, draw(w, 2)))
		return false;
	for (i = draw(w, 4); i; i--)
		if (!post_loop(w, &l))
			return false;
	return close_loop(&l);
}

/* creates and destroys objects of XRC and DC; they move no data */
bool xrc_round(struct worker *w)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1,
	};
	struct ibv_srq_init_attr_ex xsrq = {
		.attr = { .max_wr = 16, .max_sge = 1 }, .srq_type = IBV_SRQT_XRC,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.pd = w->e.pd, .xrcd = ibv_open_xrcd(w->e.ctx, &domain),
		.cq = ibv_create_cq(w->e.ctx, 8, NULL, NULL, 0),
	};
	struct ibv_qp_init_attr_ex target = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = xsrq.xrcd,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI,
	};
	struct ibv_qp_init_attr_ex dci = {
		.qp_type = IBV_QPT_DRIVER, .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = w->e.pd,
		.send_cq = xsrq.cq, .recv_cq = xsrq.cq, .cap = { 4, 0, 1, 0, 0 },
	};
	struct ibv_qp *qps[2];
	struct ibv_srq *srq;

	if (!xsrq.xrcd || !xsrq.cq)
		return failed("XRC domain or CQ");
	srq = ibv_create_srq_ex(w->e.ctx, &xsrq);
	if (!srq)
		return failed("XRC SRQ");
	qps[0] = ibv_create_qp_ex(w->e.ctx, &target);
	if (!qps[0])
		return failed("XRC target");
	qps[1] = mlx5dv_create_qp(w->e.ctx, &dci, &dv);
	if (!qps[1])
		return failed("DCI");
	return done(ibv_destroy_qp(qps[1]), "destruction of a DCI") &&
	       done(ibv_destroy_qp(qps[0]), "destruction of an XRC target") &&
	       done(ibv_destroy_srq(srq), "destruction of an XRC SRQ") &&
	       done(ibv_close_xrcd(xsrq.xrcd), "close of an XRC domain") &&
	       done(ibv_destroy_cq(xsrq.cq), "destruction of a CQ");
}

static bool reap(struct loop *l, u32 num)
{
	struct ibv_wc wc;

	while (num) {
		int n = ibv_poll_cq(l->cq, 1, &wc);

		if (n < 0 || (n && wc.status)) {
			errno = EIO;
			return failed("completion");
		}
		if (!n)
			return true;
		num -= n;
	}
	return true;
}

/* waits for completion events; after READS rounds, for an asynchronous event of the device */
bool events_round(struct worker *w)
{
	static __thread struct loop l;
	static __thread u32 rounds;
	struct ibv_async_event event;
	struct ibv_cq *cq;
	void *cookie;

	if (!l.qp && !open_loop(w, &l, false))
		return false;
	if (++rounds > READS) {
		if (!ibv_get_async_event(w->e.ctx, &event))
			ibv_ack_async_event(&event);
		return true;
	}
	if (!done(ibv_req_notify_cq(l.cq, 0), "request of an event") || !post_loop(w, &l))
		return false;
	if (ibv_get_cq_event(l.channel, &cq, &cookie))
		return failed("event of a CQ");
	ibv_ack_cq_events(cq, 1);
	return reap(&l, 2);
}
