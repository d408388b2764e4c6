// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Verbs, whose requests are changed on their way.
 */
#include <string.h>

#include "fuzz.h"

#define KEPT	8	/* objects of each kind */

static struct ibv_cq *cqs[KEPT];
static struct ibv_qp *qps[KEPT];
static struct ibv_srq *srqs[KEPT];
static struct ibv_mr *mrs[KEPT];

static void change_cq(struct ibv_context *ctx, struct ibv_cq **cq)
{
	if (!*cq)
		*cq = ibv_create_cq(ctx, 1 + below(64), NULL, NULL, 0);
	else if (in_percent(30))
		ibv_resize_cq(*cq, 1 + below(200));
	else if (!ibv_destroy_cq(*cq))
		*cq = NULL;
}

static void change_srq(struct ibv_pd *pd, struct ibv_srq **srq)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 1 + below(64), .max_sge = 1 } };
	struct ibv_srq_attr attr = { .srq_limit = below(8) };

	if (!*srq)
		*srq = ibv_create_srq(pd, &init);
	else if (in_percent(50))
		ibv_modify_srq(*srq, &attr, IBV_SRQ_LIMIT);
	else if (!ibv_destroy_srq(*srq))
		*srq = NULL;
}

static void change_mr(struct ibv_pd *pd, struct ibv_mr **mr, u8 *mem)
{
	if (!*mr)
		*mr = ibv_reg_mr(pd, mem + below(PAGE), 1 + below(4 * PAGE), below(16));
	else if (in_percent(20))
		ibv_rereg_mr(*mr, IBV_REREG_MR_CHANGE_ACCESS, pd, mem, PAGE, below(16));
	else if (!ibv_dereg_mr(*mr))
		*mr = NULL;
}

static void modify_qp(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = below(8), .port_num = 1, .path_mtu = 1 + below(6),
		.dest_qp_num = qp->qp_num, .max_dest_rd_atomic = below(20),
		.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = below(256) } },
	};
	int mask = IBV_QP_STATE;

	if (attr.qp_state == IBV_QPS_INIT)
		mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	else if (attr.qp_state == IBV_QPS_RTR)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	else if (attr.qp_state == IBV_QPS_RTS)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			IBV_QP_MAX_QP_RD_ATOMIC;
	ibv_modify_qp(qp, &attr, mask);
}

static void change_qp(struct ibv_pd *pd, struct ibv_qp **qp)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct ibv_qp_init_attr init = {
		.send_cq = cqs[below(KEPT)], .recv_cq = cqs[below(KEPT)],
		.srq = in_percent(30) ? srqs[below(KEPT)] : NULL,
		.cap = { .max_send_wr = 1 + below(64), .max_recv_wr = below(64),
			 .max_send_sge = 1 + below(4), .max_recv_sge = 1 },
		.qp_type = types[below(ARRAY_SIZE(types))],
	};
	struct ibv_qp_attr attr;

	if (!*qp && init.send_cq && init.recv_cq)
		*qp = ibv_create_qp(pd, &init);
	else if (*qp && in_percent(60))
		modify_qp(*qp);
	else if (*qp && in_percent(40))
		ibv_query_qp(*qp, &attr, IBV_QP_STATE, &init);
	else if (*qp && !ibv_destroy_qp(*qp))
		*qp = NULL;
}

/* One verb. An object may be there although the library saw a failure, and the other way round. */
void verbs_step(struct ibv_context *ctx, struct ibv_pd *pd, u8 *mem)
{
	u32 i = below(KEPT);

	switch (below(5)) {
	case 0:
		change_cq(ctx, &cqs[i]);
		break;
	case 1:
		change_srq(pd, &srqs[i]);
		break;
	case 2:
		change_mr(pd, &mrs[i], mem);
		break;
	default:
		change_qp(pd, &qps[i]);
	}
}
