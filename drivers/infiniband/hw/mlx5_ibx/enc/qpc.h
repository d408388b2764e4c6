/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: QP contexts and the state machine of QPs. Pure functions, which convert
 * attributes to contexts in the layout of the device, and back: no locks, no access
 * to the device, no sleeping.
 */
#ifndef MLX5_IBX_QPC_H
#define MLX5_IBX_QPC_H

#include <linux/mlx5/device.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/mlx5/qp.h>
#include <rdma/ib_verbs.h>

#include "enc/geom.h"

#define IBX_NO_USER_INDEX	0xffffff	/* CQEs carry the QP number instead */

/**
 * struct ibx_qpc_new - parameters of CREATE_QP
 * @st: type of the QP, MLX5_QP_ST_*
 * @pdn: number of the PD
 * @uar: index of the UAR page that has the doorbell register
 * @scqn: number of the CQ of sends
 * @rcqn: number of the CQ of receives
 * @dbr: bus address of the doorbell records
 * @ts_format: MLX5_TIMESTAMP_FORMAT_* of completions
 * @cqe_v1: the device writes CQEs of version 1, for which the QP needs a user index
 * @user: a QP of user space, which must not use the reserved lkey
 * @user_index: user index of CQEs of version 1, if @user
 * @srq: receives come from an SRQ
 * @srqn: number of the SRQ, if @srq
 * @xrcdn: number of the XRC domain of an XRC QP
 * @log_streams: for a DCI, log2 of the number of streams
 * @log_errored: for a DCI, log2 of the number of streams in error at which the
 *	DCI itself enters ERR
 * @geom: geometry of the rings
 */
struct ibx_qpc_new {
	u8 st;
	u32 pdn;
	u32 uar;
	u32 scqn;
	u32 rcqn;
	u64 dbr;
	u8 ts_format;
	bool cqe_v1;
	bool user;
	u32 user_index;
	bool srq;
	u32 srqn;
	u32 xrcdn;
	u8 log_streams;
	u8 log_errored;
	const struct ibx_qp_geom *geom;
};

void ibx_qpc_create(u32 *qpc, const struct ibx_qpc_new *p);

/**
 * struct ibx_qpc_mod - parameters of a state change
 * @attr: attributes; @mask selects the valid members
 * @mask: IB_QP_* flags of the valid members of @attr
 * @st: type of the QP, MLX5_QP_ST_*
 * @pdn: number of the PD, as at creation
 * @scqn: number of the CQ of sends, as at creation
 * @rcqn: number of the CQ of receives, as at creation
 * @qpn: number of the QP, from which the UDP source port is calculated
 * @port: port number from an earlier change, used if @mask lacks IB_QP_PORT
 * @access: IB_ACCESS_* flags of the QP after the change
 * @resp_depth: max_dest_rd_atomic of the QP after the change
 * @rate: static rate in the encoding of the device; used with IB_QP_AV
 * @roce_v2: the source GID is of type RoCE v2; used with IB_QP_AV
 * @atomics: the device supports IB atomics
 * @log_max_msg: log2 of the bytes of the longest message of the device
 * @user: a QP of user space, as at creation
 * @init: the change is from RESET to INIT
 * @qset: number of the counter set, used if @init
 */
struct ibx_qpc_mod {
	const struct ib_qp_attr *attr;
	int mask;
	u8 st;
	u32 pdn;
	u32 scqn;
	u32 rcqn;
	u32 qpn;
	u32 port;
	u32 access;
	u8 resp_depth;
	u8 rate;
	bool roce_v2;
	bool atomics;
	u8 log_max_msg;
	bool user;
	bool init;
	u8 qset;
};

/*
 * optional field of INIT2INIT_QP that enum mlx5_qp_optpar lacks: drain_sigerr
 */
#define IBX_QP_OPT_DRAIN_SIGERR		BIT(11)

void ibx_qpc_modify(u32 *qpc, const struct ibx_qpc_mod *p);

/**
 * struct ibx_qp_step - the command for a state change
 * @opcode: MLX5_CMD_OP_*
 * @opt_mask: MLX5_QP_OPTPAR_* flags of the optional fields that the command reads
 *	from the context
 */
struct ibx_qp_step {
	u16 opcode;
	u32 opt_mask;
};

int ibx_qp_step(u8 st, enum ib_qp_state cur, enum ib_qp_state next, int mask,
		struct ibx_qp_step *step);
bool ibx_mlx5_step_is_ok(u8 st, enum ib_qp_state cur, enum ib_qp_state next, int mask);
int ibx_qpc_state(const u32 *qpc, enum ib_qp_state *state, bool *draining);
void ibx_qpc_to_attr(const u32 *qpc, struct ib_qp_attr *attr);

/**
 * struct ibx_dctc_new - parameters of CREATE_DCT
 * @attr: attributes, in range; only path_mtu, min_rnr_timer and ah_attr are used
 * @pdn: number of the PD
 * @srqn: number of the SRQ from which receives come
 * @cqn: number of the CQ of receives
 * @key: access key, which a message to the DCT must carry
 * @access: IB_ACCESS_* flags
 * @atomics: the device supports IB atomics
 * @cqe_v1: the device writes CQEs of version 1, for which the DCT needs a user index
 * @user_index: the user index
 * @port: port number
 * @qset: number of the counter set
 */
struct ibx_dctc_new {
	const struct ib_qp_attr *attr;
	u32 pdn;
	u32 srqn;
	u32 cqn;
	u64 key;
	u32 access;
	bool atomics;
	bool cqe_v1;
	u32 user_index;
	u8 port;
	u8 qset;
};

void ibx_dctc_create(u32 *dctc, const struct ibx_dctc_new *p);

#endif /* MLX5_IBX_QPC_H */
