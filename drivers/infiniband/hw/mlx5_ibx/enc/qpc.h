/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * QP contexts, QP geometry and the QP state machine as pure functions: values
 * in, words in the device's layout out; no locks, no device, nothing that
 * sleeps.
 */
#ifndef MLX5_IBX_QPC_H
#define MLX5_IBX_QPC_H

#include <linux/mlx5/device.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/mlx5/qp.h>
#include <rdma/ib_verbs.h>

#define IBX_NO_USER_INDEX	0xffffff	/* CQEs carry the QP number */

/**
 * struct ibx_qp_limits - what the device allows
 * @max_wqes: entries of a ring, send basic blocks or receive WQEs
 * @max_sq_wqe: bytes of a send WQE
 * @max_rq_wqe: bytes of a receive WQE
 * @max_send_sge: entries of a send WR, as promised to consumers
 * @layouts: not a limit: max_inline_data is to be room for a layout, too
 */
struct ibx_qp_limits {
	u32 max_wqes;
	u32 max_sq_wqe;
	u32 max_rq_wqe;
	u32 max_send_sge;
	bool layouts;
};

/**
 * struct ibx_qp_geom - geometry of the two rings of a QP
 * @sq_bbs: send ring in basic blocks, a power of two, 0 = no send ring
 * @sq_wqe: bytes reserved for a send WR, a multiple of the basic block
 * @sq_wrs: send WRs that fit
 * @sq_sges: scatter/gather entries of a send WR
 * @sq_inline: bytes of inline data of a send WR
 * @rq_wqes: receive WQEs, a power of two, 0 = no receive ring
 * @rq_shift: log2 of the bytes of one
 * @rq_sges: entries of one
 */
struct ibx_qp_geom {
	u32 sq_bbs;
	u32 sq_wqe;
	u32 sq_wrs;
	u32 sq_sges;
	u32 sq_inline;
	u32 rq_wqes;
	u32 rq_shift;
	u32 rq_sges;
};

int ibx_qp_geometry(enum ib_qp_type type, const struct ib_qp_cap *cap,
		    const struct ibx_qp_limits *lim, struct ibx_qp_geom *geom);

/* bytes of the receive ring, which comes first */
static inline size_t ibx_geom_rq_bytes(const struct ibx_qp_geom *g)
{
	return (size_t)g->rq_wqes << g->rq_shift;
}

static inline size_t ibx_geom_sq_bytes(const struct ibx_qp_geom *g)
{
	return (size_t)g->sq_bbs * MLX5_SEND_WQE_BB;
}

/**
 * struct ibx_qpc_new - what CREATE_QP is told
 * @st: MLX5_QP_ST_*
 * @pdn: protection domain
 * @uar: page with its doorbell register
 * @scqn: CQ of the sends
 * @rcqn: CQ of the receives
 * @dbr: bus address of the doorbell records
 * @ts_format: MLX5_TIMESTAMP_FORMAT_* of its completions
 * @cqe_v1: the device has CQE version 1, so a user index must be given
 * @srq: it receives from an SRQ
 * @srqn: from this one
 * @log_streams: of a DCI, log2 of its streams
 * @log_errored: of a DCI, log2 of the streams in error that put it in error
 * @geom: its rings
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
 * struct ibx_qpc_mod - what a state change is told
 * @attr: attributes, valid where @mask says so
 * @mask: IB_QP_*
 * @st: MLX5_QP_ST_*
 * @pdn: as at creation
 * @scqn: as at creation
 * @rcqn: as at creation
 * @qpn: own number, for the UDP source port
 * @port: as set earlier, when @mask lacks IB_QP_PORT
 * @access: IB_ACCESS_* to be in force
 * @resp_depth: max_dest_rd_atomic to be in force
 * @rate: static rate as the device counts
 * @roce_v2: the source GID is of type RoCE v2
 * @atomics: the device does IB atomics
 * @log_max_msg: of the device
 * @init: RESET to INIT
 * @qset: counter set, for @init
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
 * struct ibx_qp_step - a state change
 * @opcode: MLX5_CMD_OP_*
 * @opt_mask: optional fields the command takes from the context
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
 * struct ibx_dctc_new - what CREATE_DCT is told
 * @attr: path_mtu, min_rnr_timer and ah_attr count, in range
 * @pdn: protection domain
 * @srqn: SRQ that it receives from
 * @cqn: CQ of the receives
 * @key: access key
 * @access: IB_ACCESS_*
 * @atomics: the device does IB atomics
 * @cqe_v1: the device has CQE version 1, so a user index must be given
 * @port: port
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

/* ---- srq_geom.c ---- */

/**
 * struct ibx_srq_limits - what the device allows
 * @max_wqes: WQEs of a ring
 * @max_wqe: bytes of a WQE
 */
struct ibx_srq_limits {
	u32 max_wqes;
	u32 max_wqe;
};

/**
 * struct ibx_srq_geom - geometry of a shared ring
 * @wqe_cnt: WQEs, a power of two, one of which stays unused
 * @wqe_shift: log2 of the bytes of one
 * @sges: entries of one
 */
struct ibx_srq_geom {
	u32 wqe_cnt;
	u32 wqe_shift;
	u32 sges;
};

int ibx_srq_geometry(const struct ib_srq_attr *attr, const struct ibx_srq_limits *lim,
		     struct ibx_srq_geom *geom);
u32 ibx_srq_max_sge(u32 max_wqe);

/* ---- rate.c ---- */
int ibx_rate(u16 has, u8 rate);
u8 ibx_rate_of(u8 hw);

#endif /* MLX5_IBX_QPC_H */
