/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: QP contexts and the state machine of QPs. Pure: values in, words in
 * the layout of the device out; no locks, no device, nothing that sleeps.
 */
#ifndef MLX5_IBX_QPC_H
#define MLX5_IBX_QPC_H

#include <linux/mlx5/device.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/mlx5/qp.h>
#include <rdma/ib_verbs.h>

#include "enc/geom.h"

#define IBX_NO_USER_INDEX	0xffffff	/* CQEs carry the QP number */

/**
 * struct ibx_qpc_new - parameters of CREATE_QP
 * @st: MLX5_QP_ST_*
 * @pdn: protection domain
 * @uar: index of the UAR page that has the doorbell register
 * @scqn: CQ of sends
 * @rcqn: CQ of receives
 * @dbr: bus address of the doorbell records
 * @ts_format: MLX5_TIMESTAMP_FORMAT_* of completions
 * @cqe_v1: the device writes CQEs of version 1, which need a user index
 * @srq: receives come from an SRQ
 * @srqn: number of the SRQ, if @srq
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
	bool srq;
	u32 srqn;
	u8 log_streams;
	u8 log_errored;
	const struct ibx_qp_geom *geom;
};

void ibx_qpc_create(u32 *qpc, const struct ibx_qpc_new *p);

/**
 * struct ibx_qpc_mod - parameters of a state change
 * @attr: attributes, valid as @mask says
 * @mask: IB_QP_*
 * @st: MLX5_QP_ST_*
 * @pdn: protection domain, as at creation
 * @scqn: CQ of sends, as at creation
 * @rcqn: CQ of receives, as at creation
 * @qpn: number of the QP, from which the UDP source port is calculated
 * @port: port set by an earlier change, used without IB_QP_PORT in @mask
 * @access: IB_ACCESS_* after the change
 * @resp_depth: max_dest_rd_atomic after the change
 * @rate: static rate, as a number of the device
 * @roce_v2: the source GID is of type RoCE v2
 * @atomics: the device supports IB atomics
 * @log_max_msg: log2 of the longest message of the device
 * @init: the change is RESET to INIT
 * @qset: counter set, if @init
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
	bool init;
	u8 qset;
};

void ibx_qpc_modify(u32 *qpc, const struct ibx_qpc_mod *p);

/**
 * struct ibx_qp_step - the command for a state change
 * @opcode: MLX5_CMD_OP_*
 * @opt_mask: MLX5_QP_OPTPAR_*, optional fields that the command reads from the
 *	context
 */
struct ibx_qp_step {
	u16 opcode;
	u32 opt_mask;
};

int ibx_qp_step(u8 st, enum ib_qp_state cur, enum ib_qp_state next, int mask,
		struct ibx_qp_step *step);
bool ibx_dc_step_is_ok(u8 st, enum ib_qp_state cur, enum ib_qp_state next, int mask);
int ibx_qpc_state(const u32 *qpc, enum ib_qp_state *state, bool *draining);
void ibx_qpc_to_attr(const u32 *qpc, struct ib_qp_attr *attr);

/**
 * struct ibx_dctc_new - parameters of CREATE_DCT
 * @attr: attributes of which path_mtu, min_rnr_timer and ah_attr are used, in range
 * @pdn: protection domain
 * @srqn: SRQ from which receives come
 * @cqn: CQ of receives
 * @key: access key
 * @access: IB_ACCESS_*
 * @atomics: the device supports IB atomics
 * @cqe_v1: the device writes CQEs of version 1, which need a user index
 * @port: port number
 * @qset: counter set
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
	u8 port;
	u8 qset;
};

void ibx_dctc_create(u32 *dctc, const struct ibx_dctc_new *p);

#endif /* MLX5_IBX_QPC_H */
