// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pair state changes.
 *
 * Every transition has a row with the states before and after the transition,
 * the fields of the context that it always applies, and the fields that it
 * applies if their bits in the optional parameter mask are set. Other fields
 * are ignored, since drivers send a complete context each time. All fields of a
 * transition are checked before the first field is applied, so a transition
 * that is refused changes no field.
 *
 * A QP may go from any state to RESET or ERR. For RESET, this file changes the
 * state and then resets the data path; for ERR, the data path changes the
 * state. All functions run on the hardware thread.
 */
#include <linux/etherdevice.h>
#include <linux/mlx5/qp.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "dp/dp.h"
#include "obj/caps.h"
#include "obj/obj.h"

/* Groups of context fields */
#define QPF_PORT	BIT(0)	/* port */
#define QPF_PKEY	BIT(1)
#define QPF_RRE		BIT(2)
#define QPF_RWE		BIT(3)
#define QPF_RAE		BIT(4)
#define QPF_QKEY	BIT(5)
#define QPF_MTU		BIT(6)	/* MTU and longest message */
#define QPF_DEST	BIT(7)	/* remote QP number */
#define QPF_PATH	BIT(8)	/* address vector */
#define QPF_RECV	BIT(9)	/* receive PSN, reads as responder */
#define QPF_RNR_TIMER	BIT(10)
#define QPF_SEND	BIT(11)	/* send PSN, reads as requester */
#define QPF_RETRY	BIT(12)	/* timeout and retries */
#define QPF_RNR_RETRY	BIT(13)
#define QPF_QSET	BIT(14)	/* counter set */
#define QPF_DRAIN	BIT(15)	/* drain the SQ after a signature error */

#define QPF_ACCESS	(QPF_RRE | QPF_RWE | QPF_RAE)

/*
 * A bit of the opt_param_mask of INIT2INIT_QP, as in libmlx5;
 * <linux/mlx5/qp.h> does not define the bit
 */
#define SIM_OPTPAR_DRAIN_SIGERR	BIT(11)

/* Classes of service types whose transitions apply the same fields */
enum sim_qp_class { QPC_RC, QPC_UC, QPC_UD, QPC_DCI, QPC_PLAIN, QPC_CLASSES };

static enum sim_qp_class sim_qp_class(u8 st)
{
	switch (st) {
	case MLX5_QP_ST_RC:
	case MLX5_QP_ST_XRC:
		return QPC_RC;
	case MLX5_QP_ST_UC:
		return QPC_UC;
	case MLX5_QP_ST_UD:
	case MLX5_QP_ST_QP1:
		return QPC_UD;
	case MLX5_QP_ST_DCI:
		return QPC_DCI;
	default:
		return QPC_PLAIN;
	}
}

/**
 * struct sim_qp_step - a transition
 * @opcode: the command
 * @from: state before the transition
 * @to: state after the transition
 * @must: QPF_* that the transition always applies, per class
 * @may: QPF_* that the transition applies if their bits in the optional
 *	parameter mask are set, per class
 */
struct sim_qp_step {
	u16 opcode;
	u8 from;
	u8 to;
	u32 must[QPC_CLASSES];
	u32 may[QPC_CLASSES];
};

static const struct sim_qp_step sim_qp_steps[] = {
	{
		.opcode = MLX5_CMD_OP_RST2INIT_QP,
		.from = MLX5_QP_STATE_RST,
		.to = MLX5_QP_STATE_INIT,
		.must = {
			[QPC_RC] = QPF_PORT | QPF_PKEY | QPF_QSET | QPF_ACCESS,
			[QPC_UC] = QPF_PORT | QPF_PKEY | QPF_QSET | QPF_RWE,
			[QPC_UD] = QPF_PORT | QPF_PKEY | QPF_QSET | QPF_QKEY,
			[QPC_DCI] = QPF_PORT | QPF_PKEY | QPF_QSET,
			[QPC_PLAIN] = QPF_PORT | QPF_QSET,
		},
	}, {
		.opcode = MLX5_CMD_OP_INIT2INIT_QP,
		.from = MLX5_QP_STATE_INIT,
		.to = MLX5_QP_STATE_INIT,
		.may = {
			[QPC_RC] = QPF_ACCESS | QPF_PKEY | QPF_PORT | QPF_DRAIN,
			[QPC_UC] = QPF_RWE | QPF_PKEY | QPF_PORT,
			[QPC_UD] = QPF_QKEY | QPF_PKEY | QPF_PORT,
			[QPC_DCI] = QPF_PKEY | QPF_PORT,
		},
	}, {
		.opcode = MLX5_CMD_OP_INIT2RTR_QP,
		.from = MLX5_QP_STATE_INIT,
		.to = MLX5_QP_STATE_RTR,
		.must = {
			[QPC_RC] = QPF_MTU | QPF_DEST | QPF_PATH | QPF_RECV | QPF_RNR_TIMER,
			[QPC_UC] = QPF_MTU | QPF_DEST | QPF_PATH | QPF_RECV,
			[QPC_UD] = QPF_MTU,
			[QPC_DCI] = QPF_MTU,
			[QPC_PLAIN] = QPF_MTU,
		},
		.may = {
			[QPC_RC] = QPF_ACCESS | QPF_PKEY,
			[QPC_UC] = QPF_RWE | QPF_PKEY,
			[QPC_UD] = QPF_QKEY | QPF_PKEY,
			[QPC_DCI] = QPF_PKEY,
		},
	}, {
		.opcode = MLX5_CMD_OP_RTR2RTS_QP,
		.from = MLX5_QP_STATE_RTR,
		.to = MLX5_QP_STATE_RTS,
		.must = {
			[QPC_RC] = QPF_SEND | QPF_RETRY | QPF_RNR_RETRY,
			[QPC_UC] = QPF_SEND,
			[QPC_UD] = QPF_SEND,
			[QPC_DCI] = QPF_SEND | QPF_RETRY | QPF_RNR_RETRY,
		},
		.may = {
			[QPC_RC] = QPF_ACCESS | QPF_RNR_TIMER,
			[QPC_UC] = QPF_RWE,
			[QPC_UD] = QPF_QKEY,
		},
	}, {
		.opcode = MLX5_CMD_OP_RTS2RTS_QP,
		.from = MLX5_QP_STATE_RTS,
		.to = MLX5_QP_STATE_RTS,
		.may = {
			[QPC_RC] = QPF_QSET | QPF_ACCESS | QPF_RNR_TIMER,
			[QPC_UC] = QPF_QSET | QPF_RWE,
			[QPC_UD] = QPF_QSET | QPF_QKEY,
			[QPC_DCI] = QPF_QSET,
		},
	}, {
		.opcode = MLX5_CMD_OP_SQERR2RTS_QP,
		.from = MLX5_QP_STATE_SQER,
		.to = MLX5_QP_STATE_RTS,
		.may = {
			[QPC_RC] = QPF_ACCESS | QPF_RNR_TIMER,
			[QPC_UC] = QPF_RWE,
			[QPC_UD] = QPF_QKEY,
		},
	}, {
		/* a QP enters SQD only after a signature error */
		.opcode = MLX5_CMD_OP_SQD_RTS_QP,
		.from = MLX5_QP_STATE_SQD,
		.to = MLX5_QP_STATE_RTS,
		.may = {
			[QPC_RC] = QPF_ACCESS | QPF_RNR_TIMER,
			[QPC_UC] = QPF_RWE,
		},
	},
};

/*
 * Bits of the optional parameter mask that the device supports, with their
 * fields
 */
static const struct {
	u32 opt;
	u32 field;
} sim_qp_opts[] = {
	{ SIM_OPTPAR_DRAIN_SIGERR, QPF_DRAIN },
	{ MLX5_QP_OPTPAR_RRE, QPF_RRE },
	{ MLX5_QP_OPTPAR_RAE, QPF_RAE },
	{ MLX5_QP_OPTPAR_RWE, QPF_RWE },
	{ MLX5_QP_OPTPAR_PKEY_INDEX, QPF_PKEY },
	{ MLX5_QP_OPTPAR_Q_KEY, QPF_QKEY },
	{ MLX5_QP_OPTPAR_RNR_TIMEOUT, QPF_RNR_TIMER },
	{ MLX5_QP_OPTPAR_PRI_PORT, QPF_PORT },
	{ MLX5_QP_OPTPAR_COUNTER_SET_ID, QPF_QSET },
};

/**
 * sim_qp_opt_fields() - convert an optional parameter mask to context fields
 * @mask: MLX5_QP_OPTPAR_*
 * @fields: set to QPF_*
 *
 * Context: any; depends on its arguments only.
 * Return: the bits of @mask that the device does not support.
 */
static u32 sim_qp_opt_fields(u32 mask, u32 *fields)
{
	int i;

	*fields = 0;
	for (i = 0; i < ARRAY_SIZE(sim_qp_opts); i++) {
		if (!(mask & sim_qp_opts[i].opt))
			continue;
		*fields |= sim_qp_opts[i].field;
		mask &= ~sim_qp_opts[i].opt;
	}
	return mask;
}

static const struct sim_qp_step *sim_qp_step_find(u16 opcode)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sim_qp_steps); i++)
		if (sim_qp_steps[i].opcode == opcode)
			return &sim_qp_steps[i];
	return NULL;
}

/*
 * Does the device allow force loopback on RC QPs? The capability for enabled
 * RoCE is in the ROCE page. The capability for disabled RoCE is also in the
 * GENERAL page, because a device without RoCE has no ROCE page.
 */
static bool sim_qp_may_loop(struct sim_dev *sdev)
{
	void *roce = sim_caps_page(sdev, MLX5_CAP_ROCE, false);

	if (sdev->roce_enabled)
		return roce && MLX5_GET(roce_cap, roce, fl_rc_qp_when_roce_enabled);
	return SIM_CAP(sdev, fl_rc_qp_when_roce_disabled) ||
	       (roce && MLX5_GET(roce_cap, roce, fl_rc_qp_when_roce_disabled));
}

/* A forced loopback uses no address: the rest of the path is ignored. */
static u8 sim_qp_check_loop(struct sim_dev *sdev, struct sim_cmd *cmd, u8 st)
{
	if (st != MLX5_QP_ST_RC || !sim_qp_may_loop(sdev))
		return sim_cmd_bad_param(sdev, cmd,
					 "force loopback, service type %#x, RoCE enabled %d", st,
					 sdev->roce_enabled);
	return MLX5_CMD_STAT_OK;
}

/*
 * Check the UDP source port of RoCE v2. A driver that has enabled the
 * capability sw_r_roce_src_udp_port must set the port, in the range that
 * r_roce_min_src_udp_port and r_roce_max_src_udp_port report.
 */
static u8 sim_qp_check_sport(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_gid *gid,
			     u32 sport)
{
	void *roce = sim_caps_page(sdev, MLX5_CAP_ROCE, false);

	if (!roce || !MLX5_GET(roce_cap, roce, sw_r_roce_src_udp_port) || !gid->valid ||
	    gid->roce_version != MLX5_ROCE_VERSION_2)
		return MLX5_CMD_STAT_OK;
	if (sport < MLX5_GET(roce_cap, roce, r_roce_min_src_udp_port) ||
	    sport > MLX5_GET(roce_cap, roce, r_roce_max_src_udp_port))
		return sim_cmd_bad_param(sdev, cmd, "udp_sport %#x", sport);
	return MLX5_CMD_STAT_OK;
}

/* Unrefereed: U-21, U-23, U-75. */
static u8 sim_qp_check_path(struct sim_dev *sdev, struct sim_cmd *cmd, void *ads)
{
	const u8 *mac = MLX5_ADDR_OF(ads, ads, rmac_47_32);
	u32 sgid = MLX5_GET(ads, ads, src_addr_index);
	u32 rate = MLX5_GET(ads, ads, stat_rate);

	if (sgid >= SIM_GID_TABLE_LEN)
		return sim_cmd_bad_param(sdev, cmd, "src_addr_index %u", sgid);
	if (rate && !(SIM_CAP(sdev, stat_rate_support) & BIT(rate)))
		return sim_cmd_bad_param(sdev, cmd, "stat_rate %u", rate);
	if (!is_valid_ether_addr(mac))
		return sim_cmd_bad_param(sdev, cmd, "rmac %pM", mac);
	return sim_qp_check_sport(sdev, cmd, &sdev->gid[sgid], MLX5_GET(ads, ads, udp_sport));
}

static u8 sim_qp_check(struct sim_dev *sdev, struct sim_cmd *cmd, u8 st, void *qpc, u32 fields)
{
	u32 max_sra = st == MLX5_QP_ST_DCI ? SIM_CAP(sdev, log_max_ra_res_dc) :
					     SIM_CAP(sdev, log_max_ra_res_qp);
	void *ads = MLX5_ADDR_OF(qpc, qpc, primary_address_path);
	u32 mtu = MLX5_GET(qpc, qpc, mtu);
	u32 port = MLX5_GET(ads, ads, vhca_port_num);
	u32 qset = MLX5_GET(qpc, qpc, counter_set_id);
	u32 mode = MLX5_GET(qpc, qpc, atomic_mode);

	if (fields & QPF_DRAIN && !SIM_CAP(sdev, drain_sigerr))
		return sim_cmd_bad_param(sdev, cmd, "drain_sigerr");
	/* higher modes have operands longer than 8 bytes */
	if (fields & QPF_RAE && (mode > MLX5_ATOMIC_MODE_8B || (MLX5_GET(qpc, qpc, rae) && !mode)))
		return sim_cmd_bad_param(sdev, cmd, "atomic_mode %u", mode);
	if (fields & QPF_QSET && qset && !sim_obj_find(sdev, SIM_OBJ_QSET, qset))
		return sim_cmd_bad_resource(sdev, cmd, "no counter set %u", qset);
	if (fields & QPF_PORT && port != 1)
		return sim_cmd_bad_param(sdev, cmd, "port %u", port);
	if (fields & QPF_PKEY && MLX5_GET(ads, ads, pkey_index))
		return sim_cmd_bad_param(sdev, cmd, "pkey_index %u",
					 MLX5_GET(ads, ads, pkey_index));
	if (fields & QPF_MTU && (mtu < 1 || mtu > 5))
		return sim_cmd_bad_param(sdev, cmd, "mtu %u", mtu);
	if (fields & QPF_MTU && MLX5_GET(qpc, qpc, log_msg_max) > SIM_CAP(sdev, log_max_msg))
		return sim_cmd_bad_param(sdev, cmd, "log_msg_max %u",
					 MLX5_GET(qpc, qpc, log_msg_max));
	if (fields & QPF_RECV &&
	    MLX5_GET(qpc, qpc, log_rra_max) > SIM_CAP(sdev, log_max_ra_req_qp))
		return sim_cmd_bad_param(sdev, cmd, "log_rra_max %u",
					 MLX5_GET(qpc, qpc, log_rra_max));
	if (fields & QPF_SEND && MLX5_GET(qpc, qpc, log_sra_max) > max_sra)
		return sim_cmd_bad_param(sdev, cmd, "log_sra_max %u",
					 MLX5_GET(qpc, qpc, log_sra_max));
	if (MLX5_GET(ads, ads, fl))
		return fields & QPF_PATH ? sim_qp_check_loop(sdev, cmd, st) :
			sim_cmd_reserved(sdev, cmd, "force loopback without an address path");
	if (fields & QPF_PATH)
		return sim_qp_check_path(sdev, cmd, ads);
	return MLX5_CMD_STAT_OK;
}

#define QPC_COPY(_to, _from, _fld)						\
	MLX5_SET(qpc, _to, _fld, MLX5_GET(qpc, _from, _fld))

static void sim_qp_set_path(struct sim_qp *qp, void *from)
{
	void *to = MLX5_ADDR_OF(qpc, qp->qpc, primary_address_path);
	struct sim_path *path = &qp->path;
	u32 pkey = MLX5_GET(ads, to, pkey_index);
	u32 port = MLX5_GET(ads, to, vhca_port_num);

	/* keep P_Key index and port, which QPF_PKEY and QPF_PORT change */
	memcpy(to, from, MLX5_ST_SZ_BYTES(ads));
	MLX5_SET(ads, to, pkey_index, pkey);
	MLX5_SET(ads, to, vhca_port_num, port);

	path->fl = MLX5_GET(ads, from, fl);
	memcpy(path->rgid, MLX5_ADDR_OF(ads, from, rgid_rip), sizeof(path->rgid));
	ether_addr_copy(path->rmac, MLX5_ADDR_OF(ads, from, rmac_47_32));
	path->sgid_index = MLX5_GET(ads, from, src_addr_index);
	path->hop_limit = MLX5_GET(ads, from, hop_limit);
	path->tclass = MLX5_GET(ads, from, tclass);
	path->flow_label = MLX5_GET(ads, from, flow_label);
	path->udp_sport = MLX5_GET(ads, from, udp_sport);
	path->sl = MLX5_GET(ads, from, eth_prio);
}

/* Applies all fields that are not fields of the connection. */
static void sim_qp_set_basic(struct sim_qp *qp, void *qpc, u32 fields)
{
	void *from = MLX5_ADDR_OF(qpc, qpc, primary_address_path);
	void *to = MLX5_ADDR_OF(qpc, qp->qpc, primary_address_path);

	if (fields & QPF_PORT) {
		qp->path.port = MLX5_GET(ads, from, vhca_port_num);
		MLX5_SET(ads, to, vhca_port_num, qp->path.port);
	}
	if (fields & QPF_PKEY) {
		qp->path.pkey_index = MLX5_GET(ads, from, pkey_index);
		MLX5_SET(ads, to, pkey_index, qp->path.pkey_index);
	}
	if (fields & QPF_RRE) {
		qp->rre = MLX5_GET(qpc, qpc, rre);
		QPC_COPY(qp->qpc, qpc, rre);
	}
	if (fields & QPF_RWE) {
		qp->rwe = MLX5_GET(qpc, qpc, rwe);
		QPC_COPY(qp->qpc, qpc, rwe);
	}
	if (fields & QPF_RAE) {
		qp->rae = MLX5_GET(qpc, qpc, rae);
		QPC_COPY(qp->qpc, qpc, rae);
		QPC_COPY(qp->qpc, qpc, atomic_mode);
	}
	if (fields & QPF_QSET) {
		qp->qset = MLX5_GET(qpc, qpc, counter_set_id);
		QPC_COPY(qp->qpc, qpc, counter_set_id);
	}
	if (fields & QPF_DRAIN)
		qp->drain_sigerr = MLX5_GET(qpc, qpc, drain_sigerr);
	if (fields & QPF_QKEY) {
		qp->qkey = MLX5_GET(qpc, qpc, q_key);
		QPC_COPY(qp->qpc, qpc, q_key);
	}
}

/*
 * Applies the fields of the connection: MTU, peer, path, sequence numbers,
 * timers and retries.
 */
static void sim_qp_set_conn(struct sim_qp *qp, void *qpc, u32 fields)
{
	void *ads = MLX5_ADDR_OF(qpc, qpc, primary_address_path);

	if (fields & QPF_MTU) {
		qp->mtu = MLX5_GET(qpc, qpc, mtu);
		qp->log_msg_max = MLX5_GET(qpc, qpc, log_msg_max);
		QPC_COPY(qp->qpc, qpc, mtu);
		QPC_COPY(qp->qpc, qpc, log_msg_max);
	}
	if (fields & QPF_DEST) {
		qp->remote_qpn = MLX5_GET(qpc, qpc, remote_qpn);
		QPC_COPY(qp->qpc, qpc, remote_qpn);
	}
	if (fields & QPF_PATH)
		sim_qp_set_path(qp, ads);
	if (fields & QPF_RECV) {
		qp->recv_psn = MLX5_GET(qpc, qpc, next_rcv_psn);
		qp->max_dest_rd_atomic = BIT(MLX5_GET(qpc, qpc, log_rra_max));
		QPC_COPY(qp->qpc, qpc, log_rra_max);
	}
	if (fields & QPF_RNR_TIMER) {
		qp->min_rnr_nak = MLX5_GET(qpc, qpc, min_rnr_nak);
		QPC_COPY(qp->qpc, qpc, min_rnr_nak);
	}
	if (fields & QPF_SEND) {
		qp->send_psn = MLX5_GET(qpc, qpc, next_send_psn);
		qp->max_rd_atomic = BIT(MLX5_GET(qpc, qpc, log_sra_max));
		QPC_COPY(qp->qpc, qpc, log_sra_max);
		QPC_COPY(qp->qpc, qpc, log_ack_req_freq);
	}
	if (fields & QPF_RETRY) {
		qp->path.ack_timeout = MLX5_GET(ads, ads, ack_timeout);
		qp->retry_count = MLX5_GET(qpc, qpc, retry_count);
		MLX5_SET(ads, MLX5_ADDR_OF(qpc, qp->qpc, primary_address_path), ack_timeout,
			 qp->path.ack_timeout);
		QPC_COPY(qp->qpc, qpc, retry_count);
	}
	if (fields & QPF_RNR_RETRY) {
		qp->rnr_retry = MLX5_GET(qpc, qpc, rnr_retry);
		QPC_COPY(qp->qpc, qpc, rnr_retry);
	}
}

u8 sim_cmd_modify_qp(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const struct sim_qp_step *step = sim_qp_step_find(cmd->opcode);
	void *qpc = MLX5_ADDR_OF(rst2init_qp_in, cmd->in, qpc);
	u32 opt = MLX5_GET(rst2init_qp_in, cmd->in, opt_param_mask);
	enum sim_qp_class class;
	struct sim_qp_ext ext;
	struct sim_qp *qp;
	u32 fields, left;
	u8 status;

	if (!step)
		return MLX5_CMD_STAT_BAD_OP_ERR;
	qp = sim_cmd_obj(sdev, cmd, SIM_OBJ_QP, MLX5_GET(rst2init_qp_in, cmd->in, qpn), &status);
	if (!qp)
		return status;
	if (qp->state != step->from) {
		/*
		 * no violation: the QP may have entered ERR or SQER since the
		 * driver read its state
		 */
		if (qp->state != MLX5_QP_STATE_ERR && qp->state != MLX5_QP_STATE_SQER)
			sim_cmd_bad_state(sdev, cmd, "qp %#x is in state %u", sim_qp_qpn(qp),
					  qp->state);
		return MLX5_CMD_STAT_BAD_QP_STATE_ERR;
	}
	class = sim_qp_class(qp->st);
	left = sim_qp_opt_fields(opt, &fields);
	if (left || fields & ~step->may[class])
		return sim_cmd_bad_param(sdev, cmd, "opt_param_mask %#x for service type %#x", opt,
					 qp->st);
	fields |= step->must[class];
	status = sim_qp_check(sdev, cmd, qp->st, qpc, fields);
	if (!status)
		status = sim_qp_ext_check(sdev, cmd, qp, &ext);
	if (status)
		return status;
	sim_qp_set_basic(qp, qpc, fields);
	sim_qp_set_conn(qp, qpc, fields);
	sim_qp_ext_apply(qp, &ext);
	if (step->from == MLX5_QP_STATE_SQER)
		sim_dp_sq_flush(sdev, qp);
	qp->state = step->to;
	/* RTS to RTS keeps the timers and retries of messages in progress */
	if (qp->state >= MLX5_QP_STATE_RTR && step->from != MLX5_QP_STATE_RTS)
		sim_dp_qp_rts(sdev, qp);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_qp_2err(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_qp *qp;
	u8 status;

	qp = sim_cmd_obj(sdev, cmd, SIM_OBJ_QP, MLX5_GET(qp_2err_in, cmd->in, qpn), &status);
	if (!qp)
		return status;
	sim_dp_qp_error(sdev, qp);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_qp_2rst(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_qp *qp;
	u8 status;

	qp = sim_cmd_obj(sdev, cmd, SIM_OBJ_QP, MLX5_GET(qp_2rst_in, cmd->in, qpn), &status);
	if (!qp)
		return status;
	qp->state = MLX5_QP_STATE_RST;
	qp->mmo = false;
	qp->drain_sigerr = false;
	sim_dci_reset(&qp->dci);
	sim_dp_qp_reset(sdev, qp);
	qp->sq.ci = 0;
	qp->sq.pi = 0;
	qp->rq.ci = 0;
	return MLX5_CMD_STAT_OK;
}
