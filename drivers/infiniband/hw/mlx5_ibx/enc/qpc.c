// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: QP contexts and the state machine of QPs.
 *
 * This file converts attributes to contexts and back, and finds the command and
 * the optional fields of a state change. Callers have checked that every value
 * is in the range of the device.
 */
#include <linux/etherdevice.h>
#include <linux/log2.h>

#include "enc/qpc.h"
#include "enc/rate.h"

/*
 * log2 of the number of packets after which a QP requests an ACK at the latest
 */
#define LOG_ACK_REQ_FREQ	8
#define GSI_LOG_MSG_MAX		8
#define UD_LOG_MSG_MAX		12

/**
 * ibx_qpc_create() - write the context for CREATE_QP
 * @qpc: MLX5_ST_SZ_DW(qpc) zeroed words
 * @p: parameters of the QP
 *
 * Context: any.
 */
void ibx_qpc_create(u32 *qpc, const struct ibx_qpc_new *p)
{
	const struct ibx_qp_geom *g = p->geom;

	MLX5_SET(qpc, qpc, st, p->st);
	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	MLX5_SET(qpc, qpc, pd, p->pdn);
	MLX5_SET(qpc, qpc, uar_page, p->uar);
	MLX5_SET(qpc, qpc, ts_format, p->ts_format);
	/*
	 * only QPs of the kernel may register memory (fre), and use the
	 * reserved lkey (rlky), which covers all memory
	 */
	MLX5_SET(qpc, qpc, fre, !p->user);
	MLX5_SET(qpc, qpc, latency_sensitive, p->st == MLX5_QP_ST_REG_UMR);
	MLX5_SET(qpc, qpc, rlky, !p->user);
	if (p->cqe_v1)
		MLX5_SET(qpc, qpc, user_index, p->user ? p->user_index : IBX_NO_USER_INDEX);

	if (p->srq) {
		MLX5_SET(qpc, qpc, rq_type, MLX5_SRQ_RQ);
		MLX5_SET(qpc, qpc, srqn_rmpn_xrqn, p->srqn);
	} else if (g->rq_wqes) {
		MLX5_SET(qpc, qpc, rq_type, MLX5_NON_ZERO_RQ);
		MLX5_SET(qpc, qpc, log_rq_size, ilog2(g->rq_wqes));
		MLX5_SET(qpc, qpc, log_rq_stride, g->rq_shift - 4);
	} else {
		MLX5_SET(qpc, qpc, rq_type, MLX5_ZERO_LEN_RQ);
	}
	if (g->sq_bbs)
		MLX5_SET(qpc, qpc, log_sq_size, ilog2(g->sq_bbs));
	else
		MLX5_SET(qpc, qpc, no_sq, 1);

	MLX5_SET(qpc, qpc, xrcd, p->xrcdn);
	MLX5_SET(qpc, qpc, cqn_snd, p->scqn);
	MLX5_SET(qpc, qpc, cqn_rcv, p->rcqn);
	MLX5_SET64(qpc, qpc, dbr_addr, p->dbr);
	MLX5_SET(qpc, qpc, log_num_dci_stream_channels, p->log_streams);
	MLX5_SET(qpc, qpc, log_num_dci_errored_streams, p->log_errored);
}

/**
 * ibx_dctc_create() - write the context for CREATE_DCT
 * @dctc: MLX5_ST_SZ_DW(dctc) zeroed words
 * @p: parameters of the DCT
 *
 * Context: any.
 */
void ibx_dctc_create(u32 *dctc, const struct ibx_dctc_new *p)
{
	const struct rdma_ah_attr *ah = &p->attr->ah_attr;
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);

	MLX5_SET(dctc, dctc, pd, p->pdn);
	MLX5_SET(dctc, dctc, srqn_xrqn, p->srqn);
	MLX5_SET(dctc, dctc, cqn, p->cqn);
	MLX5_SET64(dctc, dctc, dc_access_key, p->key);
	MLX5_SET(dctc, dctc, port, p->port);
	MLX5_SET(dctc, dctc, counter_set_id, p->qset);
	if (p->cqe_v1)
		MLX5_SET(dctc, dctc, user_index, p->user_index);

	MLX5_SET(dctc, dctc, rre, !!(p->access & IB_ACCESS_REMOTE_READ));
	MLX5_SET(dctc, dctc, rwe, !!(p->access & IB_ACCESS_REMOTE_WRITE));
	if (p->access & IB_ACCESS_REMOTE_ATOMIC && p->atomics) {
		MLX5_SET(dctc, dctc, rae, 1);
		MLX5_SET(dctc, dctc, atomic_mode, MLX5_QPC_ATOMIC_MODE_IB_SPEC);
	}

	MLX5_SET(dctc, dctc, mtu, p->attr->path_mtu);
	MLX5_SET(dctc, dctc, min_rnr_nak, p->attr->min_rnr_timer);
	MLX5_SET(dctc, dctc, my_addr_index, grh->sgid_index);
	MLX5_SET(dctc, dctc, hop_limit, grh->hop_limit);
	MLX5_SET(dctc, dctc, tclass, grh->traffic_class);
	MLX5_SET(dctc, dctc, flow_label, grh->flow_label);
	MLX5_SET(dctc, dctc, eth_prio, rdma_ah_get_sl(ah) & 0x7);
}

static void set_path(void *path, const struct ibx_qpc_mod *p)
{
	const struct rdma_ah_attr *ah = &p->attr->ah_attr;
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	u32 flow = grh->flow_label;

	ether_addr_copy(MLX5_ADDR_OF(ads, path, rmac_47_32), ah->roce.dmac);
	MLX5_SET(ads, path, eth_prio, rdma_ah_get_sl(ah) & 0x7);
	MLX5_SET(ads, path, stat_rate, p->rate);
	MLX5_SET(ads, path, src_addr_index, grh->sgid_index);
	MLX5_SET(ads, path, hop_limit, grh->hop_limit);
	MLX5_SET(ads, path, tclass, grh->traffic_class);
	MLX5_SET(ads, path, flow_label, grh->flow_label);
	memcpy(MLX5_ADDR_OF(ads, path, rgid_rip), grh->dgid.raw, sizeof(grh->dgid.raw));

	if (!p->roce_v2)
		return;
	MLX5_SET(ads, path, dscp, grh->traffic_class >> 2);
	if (p->mask & IB_QP_DEST_QPN) {
		if (!flow)
			flow = rdma_calc_flow_label(p->qpn, p->attr->dest_qp_num);
		MLX5_SET(ads, path, udp_sport, rdma_flow_label_to_udp_sport(flow));
	}
}

static void qpc_set_access(u32 *qpc, const struct ibx_qpc_mod *p)
{
	u32 access = p->access;

	/* a READ or an atomic needs responder resources */
	if (!p->resp_depth)
		access &= IB_ACCESS_REMOTE_WRITE;

	MLX5_SET(qpc, qpc, rre, !!(access & IB_ACCESS_REMOTE_READ));
	MLX5_SET(qpc, qpc, rwe, !!(access & IB_ACCESS_REMOTE_WRITE));
	if ((access & IB_ACCESS_REMOTE_ATOMIC) && p->atomics) {
		MLX5_SET(qpc, qpc, rae, 1);
		MLX5_SET(qpc, qpc, atomic_mode, MLX5_QPC_ATOMIC_MODE_IB_SPEC);
	}
}

static void set_mtu(u32 *qpc, const struct ibx_qpc_mod *p)
{
	if (p->st == MLX5_QP_ST_QP1) {
		MLX5_SET(qpc, qpc, mtu, IB_MTU_256);
		MLX5_SET(qpc, qpc, log_msg_max, GSI_LOG_MSG_MAX);
	} else if (p->st == MLX5_QP_ST_UD || p->st == MLX5_QP_ST_REG_UMR) {
		MLX5_SET(qpc, qpc, mtu, IB_MTU_4096);
		MLX5_SET(qpc, qpc, log_msg_max, UD_LOG_MSG_MAX);
	} else if (p->mask & IB_QP_PATH_MTU) {
		MLX5_SET(qpc, qpc, mtu, p->attr->path_mtu);
		MLX5_SET(qpc, qpc, log_msg_max, p->log_max_msg);
	}
}

static void set_reliability(u32 *qpc, const struct ibx_qpc_mod *p)
{
	const struct ib_qp_attr *attr = p->attr;

	if (p->mask & IB_QP_RNR_RETRY)
		MLX5_SET(qpc, qpc, rnr_retry, attr->rnr_retry);
	if (p->mask & IB_QP_RETRY_CNT)
		MLX5_SET(qpc, qpc, retry_count, attr->retry_cnt);
	if (p->mask & IB_QP_MIN_RNR_TIMER)
		MLX5_SET(qpc, qpc, min_rnr_nak, attr->min_rnr_timer);
	if (p->mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic)
		MLX5_SET(qpc, qpc, log_sra_max, order_base_2(attr->max_rd_atomic));
	if (p->mask & IB_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic)
		MLX5_SET(qpc, qpc, log_rra_max, order_base_2(attr->max_dest_rd_atomic));
	if (p->mask & IB_QP_SQ_PSN)
		MLX5_SET(qpc, qpc, next_send_psn, attr->sq_psn);
	if (p->mask & IB_QP_RQ_PSN)
		MLX5_SET(qpc, qpc, next_rcv_psn, attr->rq_psn);
}

/**
 * ibx_qpc_modify() - write the context for a state change
 * @qpc: MLX5_ST_SZ_DW(qpc) zeroed words
 * @p: parameters of the change, every attribute in range
 *
 * Context: any.
 */
void ibx_qpc_modify(u32 *qpc, const struct ibx_qpc_mod *p)
{
	void *path = MLX5_ADDR_OF(qpc, qpc, primary_address_path);
	const struct ib_qp_attr *attr = p->attr;

	MLX5_SET(qpc, qpc, st, p->st);
	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	MLX5_SET(qpc, qpc, pd, p->pdn);
	MLX5_SET(qpc, qpc, cqn_snd, p->scqn);
	MLX5_SET(qpc, qpc, cqn_rcv, p->rcqn);
	MLX5_SET(qpc, qpc, log_ack_req_freq, LOG_ACK_REQ_FREQ);
	if (p->init) {
		MLX5_SET(qpc, qpc, rlky, !p->user);
		MLX5_SET(qpc, qpc, counter_set_id, p->qset);
	}

	set_mtu(qpc, p);
	set_reliability(qpc, p);
	if (p->mask & (IB_QP_ACCESS_FLAGS | IB_QP_MAX_DEST_RD_ATOMIC))
		qpc_set_access(qpc, p);
	if (p->mask & IB_QP_DEST_QPN)
		MLX5_SET(qpc, qpc, remote_qpn, attr->dest_qp_num);
	if (p->mask & IB_QP_QKEY)
		MLX5_SET(qpc, qpc, q_key, attr->qkey);

	if (p->mask & IB_QP_AV)
		set_path(path, p);
	if (p->mask & IB_QP_PKEY_INDEX)
		MLX5_SET(ads, path, pkey_index, attr->pkey_index);
	if (p->mask & IB_QP_TIMEOUT)
		MLX5_SET(ads, path, ack_timeout, attr->timeout);
	if (p->mask & IB_QP_PORT)
		MLX5_SET(ads, path, vhca_port_num, attr->port_num);
	else if (p->mask & IB_QP_AV || p->st == MLX5_QP_ST_QP1)
		MLX5_SET(ads, path, vhca_port_num, p->port);
}

#define OPT_ACCESS	(MLX5_QP_OPTPAR_RRE | MLX5_QP_OPTPAR_RAE | MLX5_QP_OPTPAR_RWE)
#define OPT_PKEY	MLX5_QP_OPTPAR_PKEY_INDEX
#define OPT_PORT	MLX5_QP_OPTPAR_PRI_PORT
#define OPT_QKEY	MLX5_QP_OPTPAR_Q_KEY
#define OPT_RNR		MLX5_QP_OPTPAR_RNR_TIMEOUT
#define OPT_RC_ONLY	(MLX5_QP_OPTPAR_RRE | MLX5_QP_OPTPAR_RAE | OPT_RNR)

/*
 * State changes that take a context. @rc and @ud are the optional fields that
 * the firmware reads at the change; it always reads all other fields that the
 * change needs. XRC has the optional fields of RC. UC has the same fields,
 * except for READs, atomics and ACKs. QP1 has no optional fields.
 */
static const struct {
	u8 cur;
	u8 next;
	u16 opcode;
	u32 rc;
	u32 ud;
} steps[] = {
	{ IB_QPS_RESET, IB_QPS_INIT, MLX5_CMD_OP_RST2INIT_QP, 0, 0 },
	{ IB_QPS_INIT, IB_QPS_INIT, MLX5_CMD_OP_INIT2INIT_QP,
	  OPT_ACCESS | OPT_PKEY | OPT_PORT, OPT_PKEY | OPT_QKEY | OPT_PORT },
	{ IB_QPS_INIT, IB_QPS_RTR, MLX5_CMD_OP_INIT2RTR_QP,
	  OPT_ACCESS | OPT_PKEY, OPT_PKEY | OPT_QKEY },
	{ IB_QPS_RTR, IB_QPS_RTS, MLX5_CMD_OP_RTR2RTS_QP,
	  OPT_ACCESS | OPT_RNR, OPT_QKEY },
	{ IB_QPS_RTS, IB_QPS_RTS, MLX5_CMD_OP_RTS2RTS_QP,
	  OPT_ACCESS | OPT_RNR, OPT_QKEY },
	{ IB_QPS_SQE, IB_QPS_RTS, MLX5_CMD_OP_SQERR2RTS_QP,
	  OPT_ACCESS | OPT_RNR, OPT_QKEY },
	{ IB_QPS_SQD, IB_QPS_RTS, MLX5_CMD_OP_SQD_RTS_QP,
	  OPT_ACCESS | OPT_RNR, OPT_QKEY },
};

static u32 mask_to_opt(int mask)
{
	u32 opt = 0;

	if (mask & (IB_QP_ACCESS_FLAGS | IB_QP_MAX_DEST_RD_ATOMIC))
		opt |= OPT_ACCESS;
	if (mask & IB_QP_PKEY_INDEX)
		opt |= OPT_PKEY;
	if (mask & (IB_QP_PORT | IB_QP_AV))
		opt |= OPT_PORT;
	if (mask & IB_QP_QKEY)
		opt |= OPT_QKEY;
	if (mask & IB_QP_MIN_RNR_TIMER)
		opt |= OPT_RNR;
	return opt;
}

/**
 * ibx_qp_step() - find the command for a state change
 * @st: MLX5_QP_ST_RC, _XRC, _UC, _UD, _QP1, _DCI or _REG_UMR
 * @cur: current state of the QP
 * @next: state after the change
 * @mask: IB_QP_* that change
 * @step: receives the command
 *
 * Context: any.
 * Return: 0, or -EOPNOTSUPP when the device has no command for this change.
 */
int ibx_qp_step(u8 st, enum ib_qp_state cur, enum ib_qp_state next, int mask,
		struct ibx_qp_step *step)
{
	u32 opt = mask_to_opt(mask);
	int i;

	step->opt_mask = 0;
	if (next == IB_QPS_RESET || next == IB_QPS_ERR) {
		step->opcode = next == IB_QPS_ERR ? MLX5_CMD_OP_2ERR_QP : MLX5_CMD_OP_2RST_QP;
		return 0;
	}

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		if (steps[i].cur != cur || steps[i].next != next)
			continue;
		step->opcode = steps[i].opcode;
		if (st == MLX5_QP_ST_RC || st == MLX5_QP_ST_XRC)
			step->opt_mask = opt & steps[i].rc;
		else if (st == MLX5_QP_ST_UC)
			step->opt_mask = opt & steps[i].rc & ~OPT_RC_ONLY;
		else if (st == MLX5_QP_ST_UD)
			step->opt_mask = opt & steps[i].ud;
		else if (st == MLX5_QP_ST_DCI)
			step->opt_mask = opt & steps[i].rc & (OPT_PKEY | OPT_PORT);
		return 0;
	}
	return -EOPNOTSUPP;
}

/*
 * required (@must) and optional (@may) attributes, in addition to the state, of
 * QP types that ib_modify_qp_is_ok() does not support
 */
static const struct {
	u8 st;
	u8 cur;
	u8 next;
	int must;
	int may;
} mlx5_steps[] = {
	{ MLX5_QP_ST_REG_UMR, IB_QPS_RESET, IB_QPS_INIT, IB_QP_PORT },
	{ MLX5_QP_ST_REG_UMR, IB_QPS_INIT, IB_QPS_RTR },
	{ MLX5_QP_ST_REG_UMR, IB_QPS_RTR, IB_QPS_RTS },
	{ MLX5_QP_ST_DCI, IB_QPS_RESET, IB_QPS_INIT, IB_QP_PKEY_INDEX | IB_QP_PORT },
	{ MLX5_QP_ST_DCI, IB_QPS_INIT, IB_QPS_INIT, 0, IB_QP_PKEY_INDEX | IB_QP_PORT },
	{ MLX5_QP_ST_DCI, IB_QPS_INIT, IB_QPS_RTR, IB_QP_PATH_MTU, IB_QP_PKEY_INDEX | IB_QP_AV },
	{ MLX5_QP_ST_DCI, IB_QPS_RTR, IB_QPS_RTS,
	  IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC |
	  IB_QP_SQ_PSN, IB_QP_MIN_RNR_TIMER },
	{ MLX5_QP_ST_DCT, IB_QPS_RESET, IB_QPS_INIT,
	  IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS },
	{ MLX5_QP_ST_DCT, IB_QPS_INIT, IB_QPS_RTR,
	  IB_QP_AV | IB_QP_PATH_MTU | IB_QP_MIN_RNR_TIMER },
};

/**
 * ibx_mlx5_step_is_ok() - check a state change of a DCI, a DCT or the UMR QP
 * @st: MLX5_QP_ST_DCI, _DCT or _REG_UMR
 * @cur: current state
 * @next: state after the change
 * @mask: IB_QP_* that the caller sets
 *
 * Context: any.
 * Return: true if there is such a change with these attributes.
 */
bool ibx_mlx5_step_is_ok(u8 st, enum ib_qp_state cur, enum ib_qp_state next, int mask)
{
	int i;

	if (st != MLX5_QP_ST_DCT &&
	    (next == IB_QPS_RESET || (next == IB_QPS_ERR && cur != IB_QPS_RESET)))
		return mask == IB_QP_STATE;
	for (i = 0; i < ARRAY_SIZE(mlx5_steps); i++) {
		if (mlx5_steps[i].st == st && mlx5_steps[i].cur == cur &&
		    mlx5_steps[i].next == next)
			return (mask & ~mlx5_steps[i].may) == (IB_QP_STATE | mlx5_steps[i].must);
	}
	return false;
}

/**
 * ibx_qpc_state() - read the state from a context
 * @qpc: context from QUERY_QP
 * @state: receives the state
 * @draining: receives true while the send queue drains
 *
 * Context: any.
 * Return: 0, or -EIO for a state that verbs do not have.
 */
int ibx_qpc_state(const u32 *qpc, enum ib_qp_state *state, bool *draining)
{
	u8 hw = MLX5_GET(qpc, qpc, state);

	*draining = hw == MLX5_QP_STATE_SQ_DRAINING;
	switch (hw) {
	case MLX5_QP_STATE_RST:
		*state = IB_QPS_RESET;
		return 0;
	case MLX5_QP_STATE_INIT:
		*state = IB_QPS_INIT;
		return 0;
	case MLX5_QP_STATE_RTR:
		*state = IB_QPS_RTR;
		return 0;
	case MLX5_QP_STATE_RTS:
		*state = IB_QPS_RTS;
		return 0;
	case MLX5_QP_STATE_SQER:
		*state = IB_QPS_SQE;
		return 0;
	case MLX5_QP_STATE_SQD:
	case MLX5_QP_STATE_SQ_DRAINING:
		*state = IB_QPS_SQD;
		return 0;
	case MLX5_QP_STATE_ERR:
	case MLX5_QP_STATE_SUSPENDED:
		*state = IB_QPS_ERR;
		return 0;
	default:
		return -EIO;
	}
}

static void path_to_ah(const void *path, struct rdma_ah_attr *ah)
{
	u8 dgid[16];

	ah->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(ah, MLX5_GET(ads, path, vhca_port_num));
	rdma_ah_set_sl(ah, MLX5_GET(ads, path, eth_prio));
	rdma_ah_set_static_rate(ah, ibx_rate_of(MLX5_GET(ads, path, stat_rate)));
	rdma_ah_set_grh(ah, NULL, MLX5_GET(ads, path, flow_label),
			MLX5_GET(ads, path, src_addr_index),
			MLX5_GET(ads, path, hop_limit),
			MLX5_GET(ads, path, tclass));
	memcpy(dgid, MLX5_ADDR_OF(ads, path, rgid_rip), sizeof(dgid));
	rdma_ah_set_dgid_raw(ah, dgid);
	memcpy(ah->roce.dmac, MLX5_ADDR_OF(ads, path, rmac_47_32), ETH_ALEN);
}

static bool has_path(u8 st)
{
	return st == MLX5_QP_ST_RC || st == MLX5_QP_ST_XRC || st == MLX5_QP_ST_UC;
}

/**
 * ibx_qpc_to_attr() - read the attributes from a context
 * @qpc: context from QUERY_QP
 * @attr: receives all attributes but state and capabilities; zeroed by the caller
 *
 * Context: any.
 */
void ibx_qpc_to_attr(const u32 *qpc, struct ib_qp_attr *attr)
{
	const void *path = MLX5_ADDR_OF(qpc, qpc, primary_address_path);

	attr->path_mtu = MLX5_GET(qpc, qpc, mtu);
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->qkey = MLX5_GET(qpc, qpc, q_key);
	attr->rq_psn = MLX5_GET(qpc, qpc, next_rcv_psn);
	attr->sq_psn = MLX5_GET(qpc, qpc, next_send_psn);
	attr->dest_qp_num = MLX5_GET(qpc, qpc, remote_qpn);
	if (MLX5_GET(qpc, qpc, rre))
		attr->qp_access_flags |= IB_ACCESS_REMOTE_READ;
	if (MLX5_GET(qpc, qpc, rwe))
		attr->qp_access_flags |= IB_ACCESS_REMOTE_WRITE;
	if (MLX5_GET(qpc, qpc, rae))
		attr->qp_access_flags |= IB_ACCESS_REMOTE_ATOMIC;
	attr->max_rd_atomic = 1 << MLX5_GET(qpc, qpc, log_sra_max);
	attr->max_dest_rd_atomic = 1 << MLX5_GET(qpc, qpc, log_rra_max);
	attr->min_rnr_timer = MLX5_GET(qpc, qpc, min_rnr_nak);
	attr->retry_cnt = MLX5_GET(qpc, qpc, retry_count);
	attr->rnr_retry = MLX5_GET(qpc, qpc, rnr_retry);
	attr->pkey_index = MLX5_GET(ads, path, pkey_index);
	attr->port_num = MLX5_GET(ads, path, vhca_port_num);
	attr->timeout = MLX5_GET(ads, path, ack_timeout);
	if (has_path(MLX5_GET(qpc, qpc, st)))
		path_to_ah(path, &attr->ah_attr);
}
