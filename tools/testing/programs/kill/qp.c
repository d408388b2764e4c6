// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs of each kind. A QP is connected to the QP of the same kind at the other end; an XRC initiator
 * to the XRC target, and vice versa.
 */
#include <errno.h>

#include "kill.h"

#define INIT	(IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define ACCESS	IBV_QP_ACCESS_FLAGS
#define PATH	(IBV_QP_AV | IBV_QP_PATH_MTU)
#define PEER	(PATH | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define RESP	(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define REQ	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | \
		 IBV_QP_MAX_QP_RD_ATOMIC)

const char *const kind_names[KINDS] = {
	"RC QP", "UC QP", "UD QP", "XRC QP to send", "XRC QP to receive", "DCI", "DCT",
};

/* attribute masks of INIT, RTR and RTS, in addition to IBV_QP_STATE; a DCT has no RTS */
static const int masks[KINDS][3] = {
	[RC] = { INIT | ACCESS, PEER | RESP, REQ },
	[UC] = { INIT | ACCESS, PEER, IBV_QP_SQ_PSN },
	[UD] = { INIT | IBV_QP_QKEY, 0, IBV_QP_SQ_PSN },
	[XRC_SEND] = { INIT | ACCESS, PEER, REQ },
	[XRC_RECV] = { INIT | ACCESS, PEER | RESP, IBV_QP_TIMEOUT | IBV_QP_SQ_PSN },
	[DCI] = { INIT, IBV_QP_PATH_MTU, REQ },
	[DCT] = { INIT | ACCESS, PATH | IBV_QP_MIN_RNR_TIMER, 0 },
};

static struct ibv_qp *create_dc(struct end *e, struct ibv_qp_init_attr_ex *attr, enum kind kind)
{
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI },
	};

	if (kind == DCI) {
		attr->comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr->send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND;
	} else {
		dv.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCT;
		dv.dc_init_attr.dct_access_key = DC_KEY;
		attr->srq = e->srq;
	}
	return mlx5dv_create_qp(e->ctx, attr, &dv);
}

static struct ibv_qp *create_qp(struct end *e, enum kind kind)
{
	static const enum ibv_qp_type types[KINDS] = {
		IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV,
		IBV_QPT_DRIVER, IBV_QPT_DRIVER,
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = types[kind], .send_cq = e->cq, .recv_cq = e->rcq,
		.cap = { .max_send_wr = 16, .max_send_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD, .pd = e->pd,
	};

	if (kind == RC)
		attr.srq = e->srq;
	if (kind == UC || kind == UD) {
		attr.cap.max_recv_wr = 16;
		attr.cap.max_recv_sge = 1;
	}
	if (kind == XRC_RECV) {
		attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
		attr.xrcd = e->xrcd;
	}
	if (kind >= DCI)
		return create_dc(e, &attr, kind);
	return ibv_create_qp_ex(e->ctx, &attr);
}

/* Creates one QP of each kind. */
void make_qps(struct end *e)
{
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		step(kind_names[kind]);
		e->qp[kind] = create_qp(e, kind);
		keep_qp(e->qp[kind], kind_names[kind]);
	}
}

static enum kind peer_kind(enum kind kind)
{
	return kind == XRC_SEND ? XRC_RECV : kind == XRC_RECV ? XRC_SEND : kind;
}

/* @nr: 0 for INIT, 1 for RTR, 2 for RTS */
static void change_state(struct end *e, const struct end *peer, enum kind kind, int nr)
{
	static const enum ibv_qp_state states[] = { IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS };
	struct ibv_qp_attr attr = {
		.qp_state = states[nr], .port_num = 1, .qkey = QKEY, .path_mtu = IBV_MTU_1024,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.dest_qp_num = peer->qp[peer_kind(kind)]->qp_num, .max_dest_rd_atomic = 1,
		.max_rd_atomic = 1, .min_rnr_timer = 1, .timeout = 14, .retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = {
			.is_global = 1, .port_num = 1,
			.grh = { .dgid = peer->gid, .sgid_index = e->gid_index, .hop_limit = 64 },
		},
	};

	step(kind_names[kind]);
	errno = ibv_modify_qp(e->qp[kind], &attr, IBV_QP_STATE | masks[kind][nr]);
	if (errno)
		die(kind_names[kind]);
}

/* Connects the QPs of one kind at both ends, and moves the QPs to RTS, or DCTs to RTR. */
void connect_kind(struct end *a, struct end *b, enum kind kind)
{
	int nr;

	for (nr = 0; nr < (kind == DCT ? 2 : 3); nr++) {
		change_state(a, b, kind, nr);
		change_state(b, a, kind, nr);
	}
}

/* Connects the QPs of all kinds; XRC in both directions. */
void connect_qps(struct end *a, struct end *b)
{
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		connect_kind(a, b, kind);
}
