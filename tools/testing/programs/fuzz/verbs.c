// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Verbs, whose requests intercept.c changes: CQs with a completion channel, SRQs, MRs, and QPs that
 * send to themselves.
 */
#include <fcntl.h>
#include <string.h>

#include "fuzz.h"

#define KEPT	6	/* objects of each kind */

static __thread struct ibv_cq *cqs[KEPT];
static __thread struct ibv_qp *qps[KEPT];
static __thread struct ibv_srq *srqs[KEPT];
static __thread struct ibv_mr *mrs[KEPT];
static __thread struct ibv_pd *pds[2];
static __thread struct ibv_comp_channel *channel;
static __thread union ibv_gid gid;
static __thread int gid_index;

/* Creates a second PD and an event channel, and finds the GID of the port. */
void verbs_begin(struct end *e)
{
	struct ibv_gid_entry entries[64];
	ssize_t i, num = ibv_query_gid_table(e->ctx, entries, ARRAY_SIZE(entries), 0);

	for (i = num - 1; i >= 0; i--) {
		if (entries[i].gid_type == IBV_GID_TYPE_ROCE_V2) {
			gid = entries[i].gid;
			gid_index = entries[i].gid_index;
		}
	}
	pds[0] = e->pd;
	pds[1] = ibv_alloc_pd(e->ctx);
	channel = ibv_create_comp_channel(e->ctx);
	if (!pds[1] || !channel)
		die("no PD or no channel: %s", strerror(errno));
	fcntl(channel->fd, F_SETFL, O_NONBLOCK);
	fcntl(e->ctx->async_fd, F_SETFL, O_NONBLOCK);
}

struct ibv_cq *any_cq(void)
{
	return cqs[below(KEPT)];
}

struct ibv_qp *any_qp(void)
{
	return qps[below(KEPT)];
}

struct ibv_srq *any_srq(void)
{
	return srqs[below(KEPT)];
}

static void create_cq_of(struct end *e, struct ibv_cq **cq)
{
	struct mlx5dv_cq dv = {};
	struct mlx5dv_obj obj = {};

	*cq = ibv_create_cq(e->ctx, 1 + below(64), NULL, in_percent(50) ? channel : NULL, 0);
	obj.cq.in = *cq;
	obj.cq.out = &dv;
	if (*cq && !mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ))
		note_number(CQ, dv.cqn);
}

static void use_cq(struct ibv_cq *cq)
{
	struct ibv_cq *fired;
	struct ibv_wc wc[8];
	void *cookie;

	ibv_req_notify_cq(cq, below(2));
	ibv_poll_cq(cq, ARRAY_SIZE(wc), wc);
	if (!ibv_get_cq_event(channel, &fired, &cookie))
		ibv_ack_cq_events(fired, 1);
}

static void change_cq(struct end *e, struct ibv_cq **cq)
{
	if (!*cq)
		create_cq_of(e, cq);
	else if (in_percent(40))
		use_cq(*cq);
	else if (in_percent(50))
		ibv_resize_cq(*cq, 1 + below(200));
	else if (!ibv_destroy_cq(*cq))
		*cq = NULL;
}

static void change_srq(struct ibv_pd *pd, struct ibv_srq **srq)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 1 + below(64), .max_sge = 1 } };
	struct ibv_srq_attr attr = { .srq_limit = below(8) };
	struct mlx5dv_srq dv = { .comp_mask = MLX5DV_SRQ_MASK_SRQN };
	struct mlx5dv_obj obj = {};

	if (!*srq) {
		*srq = ibv_create_srq(pd, &init);
		obj.srq.in = *srq;
		obj.srq.out = &dv;
		if (*srq && !mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ))
			note_number(RMP, dv.srqn);
	} else if (in_percent(30)) {
		ibv_query_srq(*srq, &attr);
	} else if (in_percent(50)) {
		ibv_modify_srq(*srq, &attr, IBV_SRQ_LIMIT);
	} else if (!ibv_destroy_srq(*srq)) {
		*srq = NULL;
	}
}

/* changes memory, access or PD of an MR, or several of these */
static void rereg_mr(struct ibv_mr *mr, u8 *mem)
{
	int flags = below(8);

	/* libibverbs refuses access flags without IBV_REREG_MR_CHANGE_ACCESS */
	ibv_rereg_mr(mr, flags, pds[below(2)], mem + below(PAGE), 1 + below(4 * PAGE),
		     flags & IBV_REREG_MR_CHANGE_ACCESS ? below(16) : 0);
}

static void change_mr(struct ibv_pd *pd, struct ibv_mr **mr, u8 *mem)
{
	if (!*mr)
		*mr = ibv_reg_mr(pd, mem + below(PAGE), 1 + below(4 * PAGE), below(16) |
				 (in_percent(20) ? IBV_ACCESS_MW_BIND : 0));
	else if (in_percent(50))
		rereg_mr(*mr, mem);
	else if (!ibv_dereg_mr(*mr))
		*mr = NULL;
	if (*mr)
		note_number(MKEY, (*mr)->lkey >> 8);
}

static void modify_qp(struct ibv_qp *qp)
{
	/* mostly the next state, so that some QPs reach RTS and move data */
	u32 next = in_percent(75) ? qp->state + 1 : below(8);
	struct ibv_qp_attr attr = {
		.qp_state = next, .port_num = 1,
		.path_mtu = in_percent(80) ? IBV_MTU_1024 : 1 + below(6),
		.dest_qp_num = qp->qp_num, .max_dest_rd_atomic = below(20), .retry_cnt = 7,
		.qkey = below(3), .timeout = 14, .rnr_retry = 1, .min_rnr_timer = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
		.ah_attr = {
			.is_global = 1, .port_num = 1,
			.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = below(256) },
		},
	};
	int mask = IBV_QP_STATE;
	bool ud = qp->qp_type == IBV_QPT_UD, rc = qp->qp_type == IBV_QPT_RC;

	if (next == IBV_QPS_INIT)
		mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	else if (next == IBV_QPS_RTR && !ud)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			(rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0);
	else if (next == IBV_QPS_RTS)
		mask |= IBV_QP_SQ_PSN | (rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					      IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0);
	ibv_modify_qp(qp, &attr, mask);
}

static void post_to(struct ibv_qp *qp, u8 *mem)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND, IBV_WR_SEND,
	};
	struct ibv_mr *from = mrs[below(KEPT)], *to = mrs[below(KEPT)];
	struct ibv_sge sge = { (uintptr_t)mem + below(PAGE), 1 + below(2 * PAGE), 0 };
	struct ibv_recv_wr recv = { .sg_list = &sge, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = ops[below(ARRAY_SIZE(ops))],
		.send_flags = in_percent(80) ? IBV_SEND_SIGNALED : 0,
		.wr.rdma.remote_addr = (uintptr_t)mem,
	}, *bad;

	/* a UD work request needs an AH, which only kinds.c creates */
	if (qp->qp_type == IBV_QPT_UD)
		return;
	sge.lkey = from ? from->lkey : any_number(MKEY) << 8;
	wr.wr.rdma.rkey = to ? to->rkey : any_number(MKEY) << 8;
	if (qp->srq)
		ibv_post_srq_recv(qp->srq, &recv, &bad_recv);
	else
		ibv_post_recv(qp, &recv, &bad_recv);
	ibv_post_send(qp, &wr, &bad);
}

static void change_qp(struct end *e, struct ibv_qp **qp)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct ibv_qp_init_attr init = {
		.send_cq = any_cq(), .recv_cq = any_cq(),
		.srq = in_percent(30) ? any_srq() : NULL,
		.cap = { .max_send_wr = 1 + below(64), .max_recv_wr = below(64),
			 .max_send_sge = 1 + below(4), .max_recv_sge = 1 },
		.qp_type = types[below(ARRAY_SIZE(types))],
	};
	struct ibv_qp_attr attr;

	if (!*qp && init.send_cq && init.recv_cq) {
		*qp = ibv_create_qp(e->pd, &init);
		if (*qp)
			note_number(QP, (*qp)->qp_num);
	} else if (*qp && in_percent(40)) {
		modify_qp(*qp);
	} else if (*qp && in_percent(60)) {
		post_to(*qp, e->mem);
	} else if (*qp && in_percent(50)) {
		ibv_query_qp(*qp, &attr, IBV_QP_STATE, &init);
	} else if (*qp && !ibv_destroy_qp(*qp)) {
		*qp = NULL;
	}
}

/*
 * One random call. After a changed request, the kernel may have an object that
 * the library does not have, or the library an object that the kernel lacks.
 */
void verbs_step(struct end *e)
{
	u32 i = below(KEPT);

	switch (below(6)) {
	case 0:
		change_cq(e, &cqs[i]);
		break;
	case 1:
		change_srq(e->pd, &srqs[i]);
		break;
	case 2:
		change_mr(e->pd, &mrs[i], e->mem);
		break;
	default:
		change_qp(e, &qps[i]);
	}
}
