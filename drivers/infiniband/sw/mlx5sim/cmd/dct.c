// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DCTs: the receivers of dynamically connected transport.
 *
 * A DCT accepts messages from every DCI that uses the access key of the DCT.
 * Messages consume receives of the DCT's SRQ and complete in the DCT's CQ. In
 * the data path a DCT is a QP that only receives and never enters ERR. After an
 * error of a peer or of the DCT's driver, the DCT returns a NAK to the peer. If
 * the message has consumed a receive, the receive completes in error. In all
 * cases the next message is accepted.
 *
 * The numbers of DCTs are above the numbers of QPs, since completions do not
 * distinguish the two. A DCT is drained before it is destroyed: it accepts no
 * more messages, and an event reports that no message is in progress. The
 * simulated device raises the event at once, since every message ends in the
 * pass in which it is sent.
 *
 * DCTs belong to the hardware thread. A DCT is a user of its PD, CQ and SRQ
 * (sim_obj_use()).
 */
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "dp/dp.h"
#include "obj/caps.h"
#include "obj/obj.h"

static_assert(offsetof(struct sim_dct, qp.obj) == 0);

static void sim_dct_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	struct sim_dct *dct = container_of(obj, struct sim_dct, qp.obj);
	struct sim_qp *qp = &dct->qp;

	sim_dp_qp_destroy(sdev, qp);
	sim_obj_unuse(&qp->pd->obj);
	sim_obj_unuse(&qp->rcq->obj);
	sim_obj_unuse(&qp->srq->obj);
	sim_obj_del(sdev, obj);
	kfree(dct);
}

static u8 sim_dct_check(struct sim_dev *sdev, struct sim_cmd *cmd, const void *dctc)
{
	u32 mtu = MLX5_GET(dctc, dctc, mtu);
	u32 qset = MLX5_GET(dctc, dctc, counter_set_id);
	u32 mode = MLX5_GET(dctc, dctc, atomic_mode);

	if (!SIM_CAP(sdev, dct))
		return MLX5_CMD_STAT_BAD_OP_ERR;
	if (MLX5_GET(dctc, dctc, port) != 1)
		return sim_cmd_bad_param(sdev, cmd, "port %u", MLX5_GET(dctc, dctc, port));
	if (MLX5_GET(dctc, dctc, pkey_index))
		return sim_cmd_bad_param(sdev, cmd, "pkey_index %u",
					 MLX5_GET(dctc, dctc, pkey_index));
	if (mtu < MLX5_DCTC_MTU_256_BYTES || mtu > MLX5_DCTC_MTU_4K_BYTES)
		return sim_cmd_bad_param(sdev, cmd, "mtu %u", mtu);
	if (MLX5_GET(dctc, dctc, my_addr_index) >= SIM_GID_TABLE_LEN)
		return sim_cmd_bad_param(sdev, cmd, "my_addr_index %u",
					 MLX5_GET(dctc, dctc, my_addr_index));
	/* higher modes have operands longer than 8 bytes */
	if (mode > MLX5_ATOMIC_MODE_8B || (MLX5_GET(dctc, dctc, rae) && !mode))
		return sim_cmd_bad_param(sdev, cmd, "atomic_mode %u", mode);
	if (qset && !sim_obj_find(sdev, SIM_OBJ_QSET, qset))
		return sim_cmd_bad_resource(sdev, cmd, "no counter set %u", qset);
	return MLX5_CMD_STAT_OK;
}

static u8 sim_dct_deps(struct sim_dev *sdev, struct sim_cmd *cmd, const void *dctc,
		       struct sim_qp *qp)
{
	u8 status;

	qp->pd = sim_cmd_obj(sdev, cmd, SIM_OBJ_PD, MLX5_GET(dctc, dctc, pd), &status);
	if (!qp->pd)
		return status;
	qp->rcq = sim_cmd_obj(sdev, cmd, SIM_OBJ_CQ, MLX5_GET(dctc, dctc, cqn), &status);
	if (!qp->rcq)
		return status;
	qp->srq = sim_cmd_obj(sdev, cmd, SIM_OBJ_SRQ, MLX5_GET(dctc, dctc, srqn_xrqn), &status);
	if (!qp->srq)
		return status;
	if (qp->srq->kind == SIM_SRQ_XRC)
		return sim_cmd_bad_resource(sdev, cmd, "srq %#x is an XRC SRQ", qp->srq->obj.id);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_create_dct(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const void *dctc = MLX5_ADDR_OF(create_dct_in, cmd->in, dct_context_entry);
	struct sim_dct *dct;
	struct sim_qp *qp;
	u8 status;

	status = sim_dct_check(sdev, cmd, dctc);
	if (status)
		return status;
	dct = kzalloc(sizeof(*dct), GFP_KERNEL);
	if (!dct)
		return sim_cmd_errno(-ENOMEM);
	qp = &dct->qp;
	sim_dct_fill(dct, dctc, SIM_CAP(sdev, log_max_ra_req_dc));
	status = sim_dct_deps(sdev, cmd, dctc, qp);
	if (status)
		goto free;
	status = sim_cmd_errno_ok(sim_obj_add(sdev, &qp->obj, SIM_OBJ_DCT, cmd->uid, sim_dct_free));
	if (status)
		goto free;
	status = sim_cmd_errno_ok(sim_dp_qp_create(sdev, qp));
	if (status)
		goto del;
	qp->dp->established = true;	/* no COMM_EST event */
	sim_obj_use(&qp->pd->obj);
	sim_obj_use(&qp->rcq->obj);
	sim_obj_use(&qp->srq->obj);
	MLX5_SET(create_dct_out, cmd->out, dctn, sim_qp_qpn(qp));
	return MLX5_CMD_STAT_OK;

del:
	sim_obj_del(sdev, &qp->obj);
free:
	kfree(dct);
	return status;
}

u8 sim_cmd_drain_dct(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 dctn = MLX5_GET(drain_dct_in, cmd->in, dctn);
	union ev_data data = {};
	struct sim_dct *dct;
	u8 status;

	dct = sim_cmd_obj(sdev, cmd, SIM_OBJ_DCT, dctn, &status);
	if (!dct)
		return status;
	if (dct->state != MLX5_DCTC_STATE_ACTIVE)
		return sim_cmd_bad_state(sdev, cmd, "dct %#x is in state %u", dctn, dct->state);
	dct->state = MLX5_DCTC_STATE_DRAINED;
	data.dct.dctn = cpu_to_be32(dctn);
	sim_event(sdev, MLX5_EVENT_TYPE_DCT_DRAINED, 0, &data);
	return MLX5_CMD_STAT_OK;
}

/* Unrefereed: U-81. */
u8 sim_cmd_destroy_dct(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 dctn = MLX5_GET(destroy_dct_in, cmd->in, dctn);
	struct sim_dct *dct;
	u8 status;

	dct = sim_cmd_obj(sdev, cmd, SIM_OBJ_DCT, dctn, &status);
	if (!dct || !sim_cmd_unused(sdev, cmd, &dct->qp.obj, &status))
		return status;
	if (dct->state != MLX5_DCTC_STATE_DRAINED)
		return sim_cmd_bad_state(sdev, cmd, "dct %#x is not drained", dctn);
	sim_dct_free(sdev, &dct->qp.obj);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_dct(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *dctc = MLX5_ADDR_OF(query_dct_out, cmd->out, dct_context_entry);
	struct sim_dct *dct;
	u8 status;

	dct = sim_cmd_obj(sdev, cmd, SIM_OBJ_DCT, MLX5_GET(query_dct_in, cmd->in, dctn), &status);
	if (!dct)
		return status;
	memcpy(dctc, dct->dctc, sizeof(dct->dctc));
	MLX5_SET(dctc, dctc, state, dct->state);
	MLX5_SET(dctc, dctc, dc_access_key_violation_count, dct->key_violations);
	return MLX5_CMD_STAT_OK;
}
