// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Moving QPs from state to state.
 */
#include "ibx_test.h"

const struct t_path t_default_path = {
	.mtu = IB_MTU_1024,		/* T_MTU */
	.access = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ,
	.rd_atomic = 1,
	.psn = 0x1234,
	.timeout = 17,
	.retry_cnt = 7,
	.rnr_retry = 7,
	.min_rnr_timer = 12,
};
EXPORT_SYMBOL_GPL(t_default_path);

/**
 * t_to_init() - move a QP from RESET to INIT
 * @qp: the QP
 * @path: access rights
 *
 * Return: the result of ib_modify_qp().
 */
int t_to_init(struct ib_qp *qp, const struct t_path *path)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = path->access,
		.qkey = T_QKEY,
	};
	int mask = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT;

	if (qp->qp_type == IB_QPT_UC)
		attr.qp_access_flags &= IB_ACCESS_REMOTE_WRITE;
	mask |= qp->qp_type == IB_QPT_UD ? IB_QP_QKEY : IB_QP_ACCESS_FLAGS;
	return ib_modify_qp(qp, &attr, mask);
}
EXPORT_SYMBOL_GPL(t_to_init);

static void t_ah_attr(struct rdma_ah_attr *attr, struct t_end *e, const struct t_end *peer)
{
	memset(attr, 0, sizeof(*attr));
	attr->type = rdma_ah_find_type(e->dev, 1);
	rdma_ah_set_port_num(attr, 1);
	rdma_ah_set_grh(attr, (union ib_gid *)&peer->gid, 0, e->gid_index, 64, T_TCLASS);
	memcpy(attr->roce.dmac, peer->mac, ETH_ALEN);
	if (e->vlan != T_NO_VLAN)
		rdma_ah_set_sl(attr, T_SL);
}

/**
 * t_to_rtr() - move a QP from INIT to RTR, where it receives
 * @e: end of the QP
 * @qp: the QP
 * @peer: the other end
 * @peer_qpn: number of the QP at @peer; not used for UD
 * @path: attributes of the path
 *
 * Return: the result of ib_modify_qp().
 */
int t_to_rtr(struct t_end *e, struct ib_qp *qp, const struct t_end *peer, u32 peer_qpn,
	     const struct t_path *path)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = path->mtu,
		.dest_qp_num = peer_qpn,
		.rq_psn = path->psn,
		.max_dest_rd_atomic = path->rd_atomic,
		.min_rnr_timer = path->min_rnr_timer,
	};
	int mask = IB_QP_STATE;

	t_ah_attr(&attr.ah_attr, e, peer);
	if (qp->qp_type != IB_QPT_UD)
		mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	return ib_modify_qp(qp, &attr, mask);
}

/**
 * t_to_rts() - move a QP from RTR to RTS, where it sends
 * @qp: the QP
 * @path: attributes of the path
 *
 * Return: the result of ib_modify_qp().
 */
int t_to_rts(struct ib_qp *qp, const struct t_path *path)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.sq_psn = path->psn,
		.timeout = path->timeout,
		.retry_cnt = path->retry_cnt,
		.rnr_retry = path->rnr_retry,
		.max_rd_atomic = path->rd_atomic,
	};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(qp, &attr, mask);
}

/**
 * t_qp_connect() - bring a QP from RESET to RTS
 * @e: end of the QP
 * @qp: the QP
 * @peer: other end of the connection
 * @peer_qpn: number of the QP at @peer, which may be in any state; not used for
 *	UD
 * @path: attributes of the path; not used for iWARP
 *
 * On iWARP both QPs are in RTS after the call for the second one.
 *
 * Return: 0 or the errno of ib_modify_qp(), t_opts.in_init() or, on iWARP, of t_iw_connect().
 */
int t_qp_connect(struct t_end *e, struct ib_qp *qp, const struct t_end *peer, u32 peer_qpn,
		 const struct t_path *path)
{
	int ret;

	if (t_is_iwarp(e))
		return t_iw_connect(qp, peer->dev, peer_qpn);
	ret = t_to_init(qp, path);
	if (!ret && e->in_init)
		ret = e->in_init(qp);
	if (!ret)
		ret = t_to_rtr(e, qp, peer, peer_qpn, path);
	if (!ret)
		ret = t_to_rts(qp, path);
	return ret;
}
EXPORT_SYMBOL_GPL(t_qp_connect);

/* Create the address handle that the work requests of a UD QP contain. */
static int t_address(struct t_end *e, const struct t_end *peer)
{
	struct rdma_ah_attr attr;
	struct ib_ah *ah;

	if (e->qp->qp_type != IB_QPT_UD || e->ah)
		return 0;
	t_ah_attr(&attr, e, peer);
	ah = rdma_create_ah(e->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	e->ah = ah;
	return 0;
}

/**
 * t_pair_connect_path() - bring both ends from RESET to RTS
 * @p: the pair
 * @path: attributes of the path
 *
 * Return: 0 or the errno of the verb that failed.
 */
int t_pair_connect_path(struct t_pair *p, const struct t_path *path)
{
	struct t_end *e, *peer;
	int i, ret;

	for (i = 0; i < 2; i++) {
		e = &p->end[i];
		peer = &p->end[!i];
		ret = t_qp_connect(e, e->qp, peer, peer->qp->qp_num, path);
		if (!ret)
			ret = t_address(e, peer);
		if (ret)
			return ret;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(t_pair_connect_path);

/**
 * t_pair_connect() - bring both ends from RESET to RTS with t_default_path
 * @p: the pair
 *
 * Return: the result of t_pair_connect_path().
 */
int t_pair_connect(struct t_pair *p)
{
	return t_pair_connect_path(p, &t_default_path);
}

/**
 * t_move() - move a QP to a state that needs no other attribute
 * @qp: the QP
 * @state: IB_QPS_RESET, IB_QPS_ERR, IB_QPS_SQD, or IB_QPS_RTS from SQD and SQE
 *
 * Return: the result of ib_modify_qp().
 */
int t_move(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}
EXPORT_SYMBOL_GPL(t_move);

/* Replace the QP of an end: a QP of an iWARP device cannot be connected twice. */
static int t_replace_qp(struct t_pair *p, struct t_end *e)
{
	struct ib_qp *qp = t_qp_create(e, e->sq.cq, e->rq.cq ?: e->sq.cq, p->opts);

	T_TRY(PTR_ERR_OR_ZERO(qp));
	t_qp_destroy(e->qp, p->opts);
	e->qp = qp;
	return 0;
}

/**
 * t_pair_connect_qp() - connect end 1 to another QP of end 0
 * @p: the pair; the QP of end 1 is moved to RESET first or, on iWARP, replaced by a new one
 * @qp: QP of end 0 in RESET
 *
 * Return: 0; -EIO if the QP of end 1 cannot be prepared or @qp cannot be
 * connected; else the errno of the connect of end 1.
 */
int t_pair_connect_qp(struct t_pair *p, struct ib_qp *qp)
{
	struct t_end *a = &p->end[0], *b = &p->end[1];

	T_TRY(t_is_iwarp(b) ? t_replace_qp(p, b) : t_move(b->qp, IB_QPS_RESET));
	T_TRY(t_qp_connect(a, qp, b, b->qp->qp_num, &t_default_path));
	return t_qp_connect(b, b->qp, a, qp->qp_num, &t_default_path);
}

/**
 * t_state() - query the state of an end's QP
 * @e: the end
 *
 * Return: IB_QPS_* or a negative errno.
 */
int t_state(struct t_end *e)
{
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr;
	int ret;

	ret = ib_query_qp(e->qp, &attr, IB_QP_STATE, &init_attr);
	return ret ? ret : attr.qp_state;
}
EXPORT_SYMBOL_GPL(t_state);
