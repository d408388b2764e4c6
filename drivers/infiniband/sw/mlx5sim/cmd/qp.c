// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands that create, query and destroy queue pairs. State changes are in
 * qp_modify.c, and the work of the queues is in dp/requester.c and
 * dp/responder.c.
 *
 * The buffer consists of the receive ring, then the send ring. The QP context
 * is stored as the driver sent it, for QUERY_QP; the fields that the device
 * uses are also stored in struct sim_qp. A QP is a user of its PD, CQs, SRQ,
 * XRC domain, doorbell page and UMEMs (sim_obj_use()).
 *
 * Drivers fill in an SRQ and an XRC domain also for a QP without SRQ and XRC
 * domain. The XRC domain is used only if the QP is an XRC QP. The SRQ is used
 * only if the receive queue type is MLX5_SRQ_RQ and the QP is no DCI and no XRC
 * QP: a DCI and an XRC initiator never receive, and messages to an XRC target
 * contain the number of their SRQ.
 */
#include <linux/mlx5/qp.h>
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "dp/dp.h"
#include "host/host.h"
#include "obj/caps.h"
#include "obj/obj.h"

static void sim_qp_unuse(struct sim_qp *qp)
{
	if (qp->pd)
		sim_obj_unuse(&qp->pd->obj);
	if (qp->scq)
		sim_obj_unuse(&qp->scq->obj);
	if (qp->rcq)
		sim_obj_unuse(&qp->rcq->obj);
	if (qp->srq)
		sim_obj_unuse(&qp->srq->obj);
	if (qp->xrcd)
		sim_obj_unuse(&qp->xrcd->obj);
	if (qp->uar)
		sim_uar_unuse(qp->uar);
	sim_umems_unuse(&qp->umems);
}

static void sim_qp_use(struct sim_qp *qp)
{
	if (qp->pd)
		sim_obj_use(&qp->pd->obj);
	if (qp->scq)
		sim_obj_use(&qp->scq->obj);
	if (qp->rcq)
		sim_obj_use(&qp->rcq->obj);
	if (qp->srq)
		sim_obj_use(&qp->srq->obj);
	if (qp->xrcd)
		sim_obj_use(&qp->xrcd->obj);
	if (qp->uar)
		sim_obj_use(&qp->uar->obj);
	sim_umems_use(&qp->umems);
}

static void sim_qp_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	struct sim_qp *qp = container_of(obj, struct sim_qp, obj);

	sim_dp_qp_destroy(sdev, qp);
	list_del_init(&qp->active);
	if (sdev->objs->gsi == qp)
		sdev->objs->gsi = NULL;
	sim_qp_unuse(qp);
	sim_obj_del(sdev, obj);
	sim_buf_free(&qp->buf);
	sim_dci_exit(&qp->dci);
	kfree(qp);
}

static bool sim_qp_st_known(struct sim_dev *sdev, u8 st)
{
	switch (st) {
	case MLX5_QP_ST_RC:
		return SIM_CAP(sdev, rc);
	case MLX5_QP_ST_UC:
		return SIM_CAP(sdev, uc);
	case MLX5_QP_ST_UD:
	case MLX5_QP_ST_QP1:
		return SIM_CAP(sdev, ud);
	case MLX5_QP_ST_XRC:
		return SIM_CAP(sdev, xrc);
	case MLX5_QP_ST_DCI:
		return SIM_CAP(sdev, dct);
	case MLX5_QP_ST_REG_UMR:
		return true;
	default:
		return false;
	}
}

static bool sim_qp_has_rq(const struct sim_qp *qp)
{
	return qp->rq_type == MLX5_NON_ZERO_RQ;
}

/* Checks the sizes of the rings, and places them in the buffer. */
static u8 sim_qp_rings(struct sim_dev *sdev, struct sim_cmd *cmd, void *qpc, struct sim_qp *qp)
{
	u64 rq_bytes = 0;

	if (sim_qp_has_rq(qp)) {
		qp->rq.log_size = MLX5_GET(qpc, qpc, log_rq_size);
		qp->rq.log_stride = MLX5_GET(qpc, qpc, log_rq_stride) + 4;
		rq_bytes = BIT_ULL(qp->rq.log_size + qp->rq.log_stride);
		if (qp->rq.log_size > SIM_CAP(sdev, log_max_qp_sz) ||
		    BIT(qp->rq.log_stride) > SIM_CAP(sdev, max_wqe_sz_rq))
			return sim_cmd_bad_param(sdev, cmd, "rq log size %u log stride %u",
						 qp->rq.log_size, qp->rq.log_stride);
	}
	if (qp->no_sq)
		return MLX5_CMD_STAT_OK;
	qp->sq.log_size = MLX5_GET(qpc, qpc, log_sq_size);
	qp->sq.off = rq_bytes;
	if (qp->sq.log_size > SIM_CAP(sdev, log_max_qp_sz))
		return sim_cmd_bad_param(sdev, cmd, "sq log size %u", qp->sq.log_size);
	if (rq_bytes % MLX5_SEND_WQE_BB)
		return sim_cmd_bad_param(sdev, cmd, "rq of %llu bytes misaligns the sq", rq_bytes);
	return MLX5_CMD_STAT_OK;
}

static u8 sim_qp_buf(struct sim_dev *sdev, struct sim_cmd *cmd, void *qpc, struct sim_qp *qp)
{
	struct sim_cmd_buf desc = {
		.log_page_size = MLX5_GET(qpc, qpc, log_page_size),
		.page_offset = MLX5_GET(qpc, qpc, page_offset),
		.align = 1,
		.pas = MLX5_ADDR_OF(create_qp_in, cmd->in, pas),
		.pas_bytes = cmd->in_len - MLX5_ST_SZ_BYTES(create_qp_in),
		.umem = MLX5_GET(create_qp_in, cmd->in, wq_umem_valid),
		.umem_id = MLX5_GET(create_qp_in, cmd->in, wq_umem_id),
		.umem_offset = MLX5_GET64(create_qp_in, cmd->in, wq_umem_offset),
	};

	if (sim_qp_has_rq(qp))
		desc.size += BIT_ULL(qp->rq.log_size + qp->rq.log_stride);
	if (!qp->no_sq)
		desc.size += (u64)MLX5_SEND_WQE_BB << qp->sq.log_size;
	return sim_cmd_read_buf(sdev, cmd, &desc, &qp->buf, &qp->umems.ring);
}

static u8 sim_qp_dbr(struct sim_dev *sdev, struct sim_cmd *cmd, void *qpc, struct sim_qp *qp)
{
	const struct sim_cmd_dbr desc = {
		.addr = MLX5_GET64(qpc, qpc, dbr_addr),
		.size = 8,
		.umem = MLX5_GET(qpc, qpc, dbr_umem_valid),
		.umem_id = sim_bits_get(cmd->in, (struct sim_field)SIM_QP_DBR_UMEM),
	};

	return sim_cmd_read_dbr(sdev, cmd, &desc, &qp->dbr_addr, &qp->umems.dbr);
}

/* Unrefereed: U-88. */
static u8 sim_qp_srq(struct sim_dev *sdev, struct sim_cmd *cmd, void *qpc, struct sim_qp *qp)
{
	u8 status = MLX5_CMD_STAT_OK;

	if (qp->rq_type != MLX5_SRQ_RQ)
		return MLX5_CMD_STAT_OK;
	qp->srq = sim_cmd_obj(sdev, cmd, SIM_OBJ_SRQ, MLX5_GET(qpc, qpc, srqn_rmpn_xrqn), &status);
	if (qp->srq && qp->srq->kind == SIM_SRQ_XRC)
		return sim_cmd_bad_resource(sdev, cmd, "srq %#x is an XRC SRQ", qp->srq->obj.id);
	return status;
}

/*
 * The context of an XRC QP must contain the number of an XRC SRQ, of any
 * domain. The number is checked but not used.
 */
static u8 sim_qp_xrc(struct sim_dev *sdev, struct sim_cmd *cmd, void *qpc, struct sim_qp *qp)
{
	struct sim_srq *srq;
	u8 status;

	srq = sim_cmd_obj(sdev, cmd, SIM_OBJ_SRQ, MLX5_GET(qpc, qpc, srqn_rmpn_xrqn), &status);
	if (!srq)
		return status;
	if (srq->kind != SIM_SRQ_XRC)
		return sim_cmd_bad_resource(sdev, cmd, "srq %#x is no XRC SRQ", srq->obj.id);
	qp->xrcd = sim_cmd_obj(sdev, cmd, SIM_OBJ_XRCD, MLX5_GET(qpc, qpc, xrcd), &status);
	return qp->xrcd ? MLX5_CMD_STAT_OK : status;
}

/* Finds the objects that the QP depends on. */
static u8 sim_qp_deps(struct sim_dev *sdev, struct sim_cmd *cmd, void *qpc, struct sim_qp *qp)
{
	u8 status;

	if (qp->st != MLX5_QP_ST_REG_UMR) {
		qp->pd = sim_cmd_obj(sdev, cmd, SIM_OBJ_PD, MLX5_GET(qpc, qpc, pd), &status);
		if (!qp->pd)
			return status;
	}
	if (!qp->no_sq) {
		qp->scq = sim_cmd_obj(sdev, cmd, SIM_OBJ_CQ, MLX5_GET(qpc, qpc, cqn_snd), &status);
		if (!qp->scq)
			return status;
		qp->uar = sim_cmd_obj(sdev, cmd, SIM_OBJ_UAR, MLX5_GET(qpc, qpc, uar_page),
				      &status);
		if (!qp->uar)
			return status;
	}
	if (qp->rq_type != MLX5_ZERO_LEN_RQ) {
		qp->rcq = sim_cmd_obj(sdev, cmd, SIM_OBJ_CQ, MLX5_GET(qpc, qpc, cqn_rcv), &status);
		if (!qp->rcq)
			return status;
	}
	return qp->st == MLX5_QP_ST_XRC ? sim_qp_xrc(sdev, cmd, qpc, qp) :
					  sim_qp_srq(sdev, cmd, qpc, qp);
}

/*
 * Does the device support the clock for the timestamps in CQEs of the QP?
 */
static bool sim_qp_ts_known(struct sim_dev *sdev, u8 format)
{
	void *roce = sim_caps_page(sdev, MLX5_CAP_ROCE, false);
	u8 cap = roce ? MLX5_GET(roce_cap, roce, qp_ts_format) :
			MLX5_TIMESTAMP_FORMAT_CAP_FREE_RUNNING;

	switch (format) {
	case MLX5_TIMESTAMP_FORMAT_FREE_RUNNING:
		return cap != MLX5_TIMESTAMP_FORMAT_CAP_REAL_TIME;
	case MLX5_TIMESTAMP_FORMAT_DEFAULT:
		return true;
	case MLX5_TIMESTAMP_FORMAT_REAL_TIME:
		return cap != MLX5_TIMESTAMP_FORMAT_CAP_FREE_RUNNING;
	default:
		return false;
	}
}

/* Checks the fields of a CREATE_QP that need no other object. */
static u8 sim_qp_check_fields(struct sim_dev *sdev, struct sim_cmd *cmd, void *qpc,
			      const struct sim_qp *qp)
{
	if (!sim_qp_st_known(sdev, qp->st))
		return sim_cmd_bad_param(sdev, cmd, "service type %#x", qp->st);
	if (qp->rq_type == MLX5_CRQ_RQ || qp->rq_type > MLX5_ZERO_LEN_RQ ||
	    (qp->st == MLX5_QP_ST_XRC && qp->rq_type != MLX5_SRQ_RQ))
		return sim_cmd_bad_param(sdev, cmd, "rq type %u", qp->rq_type);
	/* Unrefereed: U-123. */
	if (cmd->uid && (MLX5_GET(qpc, qpc, rlky) || qp->fre || qp->st == MLX5_QP_ST_REG_UMR))
		return sim_cmd_bad_uid(sdev, cmd, "a QP with all of memory for uid %#x", cmd->uid);
	if (qp->log_msg_max > SIM_CAP(sdev, log_max_msg))
		return sim_cmd_bad_param(sdev, cmd, "log_msg_max %u", qp->log_msg_max);
	if (!sim_qp_ts_known(sdev, MLX5_GET(qpc, qpc, ts_format)))
		return sim_cmd_bad_param(sdev, cmd, "ts_format %u",
					 MLX5_GET(qpc, qpc, ts_format));
	return MLX5_CMD_STAT_OK;
}

/*
 * Checks a CREATE_QP and fills the object, except its buffer. Unrefereed: U-67,
 * U-71.
 */
static u8 sim_qp_parse(struct sim_dev *sdev, struct sim_cmd *cmd, void *qpc, struct sim_qp *qp)
{
	u8 status;

	INIT_LIST_HEAD(&qp->active);
	qp->st = MLX5_GET(qpc, qpc, st);
	qp->state = MLX5_QP_STATE_RST;
	qp->rq_type = MLX5_GET(qpc, qpc, rq_type);
	qp->no_sq = MLX5_GET(qpc, qpc, no_sq);
	qp->fre = MLX5_GET(qpc, qpc, fre);
	qp->user_index = MLX5_GET(qpc, qpc, user_index);
	qp->log_msg_max = MLX5_GET(qpc, qpc, log_msg_max);
	memcpy(qp->qpc, qpc, sizeof(qp->qpc));

	status = sim_qp_check_fields(sdev, cmd, qpc, qp);
	if (!status)
		status = sim_qp_dbr(sdev, cmd, qpc, qp);
	if (status)
		return status;
	if (qp->st == MLX5_QP_ST_DCI) {
		if (qp->rq_type == MLX5_NON_ZERO_RQ || qp->no_sq)
			return sim_cmd_bad_param(sdev, cmd, "DCI with rq type %u, no_sq %d",
						 qp->rq_type, qp->no_sq);
		qp->rq_type = MLX5_ZERO_LEN_RQ;
	}
	if (qp->st == MLX5_QP_ST_QP1 && sdev->objs->gsi)
		return sim_cmd_bad_resource(sdev, cmd, "there is a GSI QP, %#x",
					    sim_qp_qpn(sdev->objs->gsi));
	status = sim_qp_rings(sdev, cmd, qpc, qp);
	if (!status)
		status = sim_qp_deps(sdev, cmd, qpc, qp);
	if (!status)
		status = sim_dci_parse(sdev, cmd, qpc, qp);
	return status;
}

u8 sim_cmd_create_qp(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *qpc = MLX5_ADDR_OF(create_qp_in, cmd->in, qpc);
	struct sim_qp *qp;
	u8 status;

	qp = kzalloc(sizeof(*qp), GFP_KERNEL);
	if (!qp)
		return sim_cmd_errno(-ENOMEM);
	status = sim_qp_parse(sdev, cmd, qpc, qp);
	if (status)
		goto free;
	status = sim_qp_buf(sdev, cmd, qpc, qp);
	if (status)
		goto free;
	status = sim_cmd_errno_ok(sim_obj_add(sdev, &qp->obj, SIM_OBJ_QP, cmd->uid, sim_qp_free));
	if (status)
		goto free_buf;
	status = sim_cmd_errno_ok(sim_dp_qp_create(sdev, qp));
	if (status)
		goto del;
	sim_qp_use(qp);
	if (qp->st == MLX5_QP_ST_QP1)
		sdev->objs->gsi = qp;
	MLX5_SET(create_qp_out, cmd->out, qpn, sim_qp_qpn(qp));
	return MLX5_CMD_STAT_OK;

del:
	sim_obj_del(sdev, &qp->obj);
free_buf:
	sim_buf_free(&qp->buf);
free:
	sim_dci_exit(&qp->dci);
	kfree(qp);
	return status;
}

u8 sim_cmd_destroy_qp(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_qp *qp;
	u8 status;

	qp = sim_cmd_obj(sdev, cmd, SIM_OBJ_QP, MLX5_GET(destroy_qp_in, cmd->in, qpn), &status);
	if (!qp || !sim_cmd_unused(sdev, cmd, &qp->obj, &status))
		return status;
	sim_qp_free(sdev, &qp->obj);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_qp(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *qpc = MLX5_ADDR_OF(query_qp_out, cmd->out, qpc);
	struct sim_qp *qp;
	u8 status;

	qp = sim_cmd_obj(sdev, cmd, SIM_OBJ_QP, MLX5_GET(query_qp_in, cmd->in, qpn), &status);
	if (!qp)
		return status;
	memcpy(qpc, qp->qpc, sizeof(qp->qpc));
	MLX5_SET(qpc, qpc, state, qp->state);
	MLX5_SET(qpc, qpc, next_send_psn, qp->send_psn);
	MLX5_SET(qpc, qpc, next_rcv_psn, qp->recv_psn);
	MLX5_SET(qpc, qpc, hw_sq_wqebb_counter, qp->sq.ci);
	MLX5_SET(qpc, qpc, sw_sq_wqebb_counter, qp->sq.pi);
	MLX5_SET(qpc, qpc, hw_rq_counter, qp->rq.ci);
	return MLX5_CMD_STAT_OK;
}
