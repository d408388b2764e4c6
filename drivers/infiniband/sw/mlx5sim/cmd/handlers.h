/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Internals of cmd/: the command being executed, helpers of handlers, and the
 * handlers.
 *
 * ring.c reads a command from the ring, checks signatures and tokens, and
 * gathers the input from the slot and its mailboxes into one buffer. table.c
 * finds the row of the opcode, executes the common checks of all commands, and
 * calls the handler with a zeroed output buffer. Then ring.c writes output,
 * status and syndrome to memory.
 *
 * Handlers run on the hardware thread and may allocate with GFP_KERNEL. They
 * return MLX5_CMD_STAT_*.
 */
#ifndef MLX5SIM_CMD_HANDLERS_H
#define MLX5SIM_CMD_HANDLERS_H

#include "cmd/cmd.h"
#include "core/core.h"
#include "obj/objects.h"

/**
 * struct sim_cmd - one command being executed
 * @in: complete input
 * @out: complete output, zeroed
 * @in_len: bytes of input
 * @out_len: bytes of output that the driver has space for
 * @desc: row in the table of commands, NULL for an opcode without a row
 * @opcode: MLX5_CMD_OP_*
 * @op_mod: operation modifier
 * @uid: user context of the command, 0 = kernel
 * @syndrome: syndrome of a command that fails; may be 0
 */
struct sim_cmd {
	void *in;
	void *out;
	u32 in_len;
	u32 out_len;
	const struct sim_cmd_desc *desc;
	u16 opcode;
	u16 op_mod;
	u16 uid;
	u32 syndrome;
};

/**
 * struct sim_cmd_buf - memory of a queue, as a command describes it
 * @log_page_size: as in the context, log2 of the page size in units of 4 KiB
 * @page_offset: as in the context, in 64ths of a page
 * @align: required alignment of the first byte of the queue, in bytes
 * @size: bytes of the queue, 0 for a queue without memory
 * @pas: list of page addresses, big-endian
 * @pas_bytes: bytes of @pas in the command
 * @umem: the memory is in a UMEM, and the command has no page addresses
 * @umem_id: number of the UMEM
 * @umem_offset: bytes from the first byte of the UMEM; the queue begins
 *	@page_offset after this byte
 */
struct sim_cmd_buf {
	u32 log_page_size;
	u32 page_offset;
	u32 align;
	u64 size;
	const void *pas;
	u32 pas_bytes;
	bool umem;
	u32 umem_id;
	u64 umem_offset;
};

/**
 * struct sim_cmd_dbr - doorbell record of a queue, as a command describes it
 * @addr: bus address, or with @umem the offset in the UMEM in bytes
 * @size: bytes of the record
 * @umem: the record is in a UMEM
 * @umem_id: number of the UMEM
 */
struct sim_cmd_dbr {
	u64 addr;
	u32 size;
	bool umem;
	u32 umem_id;
};

/* Fields of rdma-core's and UCX's headers that <linux/mlx5/mlx5_ifc.h> lacks */
#define SIM_CQ_DBR_UMEM		{ 0xa0, 32 }	/* cq_context.dbr_umem_id */
#define SIM_CQ_UMEM_OFFSET	{ 0x280, 64 }	/* of CREATE_CQ and MODIFY_CQ */
#define SIM_CQ_UMEM_ID		{ 0x2c0, 32 }
#define SIM_QP_DBR_UMEM		{ 0x7e0, 32 }	/* qpc.dbr_umem_id */
#define SIM_MKEY_UMEM_ID	{ 0x320, 32 }
#define SIM_MKEY_UMEM_OFFSET	{ 0x340, 64 }

/* A 64-bit field of a command */
static inline u64 sim_cmd_get64(const struct sim_cmd *cmd, struct sim_field f)
{
	return be64_to_cpu(((const __be64 *)cmd->in)[f.off / 64]);
}

/**
 * struct sim_qp_ext - extension of the QP context in a state change
 * @present: qpc_ext is set: @mask and the fields are valid
 * @mask: parameter mask of the extension: one bit for each valid field
 * @mmo: memory copies are enabled
 * @stream: stream of a DCI to take out of error
 */
struct sim_qp_ext {
	bool present;
	u32 mask;
	bool mmo;
	u16 stream;
};

/* ---- cmd.c ---- */

__printf(5, 6)
u8 sim_cmd_breach(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_vio vio, u8 status,
		  const char *fmt, ...);
u8 sim_cmd_errno(int err);
void *sim_cmd_obj(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_obj_type type, u32 id,
		  u8 *status);
bool sim_cmd_unused(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_obj *obj, u8 *status);

/*
 * Record a violation and return the matching status:
 *	return sim_cmd_bad_param(sdev, cmd, "log_size %u > %u", a, b);
 */
#define sim_cmd_broke(sdev, cmd, vio, status, fmt, ...)				\
	sim_cmd_breach(sdev, cmd, SIM_VIO_##vio, MLX5_CMD_STAT_##status, fmt, ##__VA_ARGS__)
#define sim_cmd_bad_param(sdev, cmd, fmt, ...)					\
	sim_cmd_broke(sdev, cmd, cmd_bad_param, BAD_PARAM_ERR, fmt, ##__VA_ARGS__)
#define sim_cmd_bad_resource(sdev, cmd, fmt, ...)				\
	sim_cmd_broke(sdev, cmd, cmd_bad_resource, BAD_RES_ERR, fmt, ##__VA_ARGS__)
#define sim_cmd_bad_state(sdev, cmd, fmt, ...)					\
	sim_cmd_broke(sdev, cmd, cmd_bad_state, BAD_RES_STATE_ERR, fmt, ##__VA_ARGS__)
#define sim_cmd_in_use(sdev, cmd, fmt, ...)					\
	sim_cmd_broke(sdev, cmd, cmd_in_use, RES_BUSY, fmt, ##__VA_ARGS__)
#define sim_cmd_reserved(sdev, cmd, fmt, ...)					\
	sim_cmd_broke(sdev, cmd, cmd_reserved, BAD_PARAM_ERR, fmt, ##__VA_ARGS__)
#define sim_cmd_size(sdev, cmd, fmt, ...)					\
	sim_cmd_broke(sdev, cmd, cmd_size, BAD_INP_LEN_ERR, fmt, ##__VA_ARGS__)
#define sim_cmd_bad_uid(sdev, cmd, fmt, ...)					\
	sim_cmd_broke(sdev, cmd, cmd_uid, BAD_RES_ERR, fmt, ##__VA_ARGS__)

static inline u8 sim_cmd_errno_ok(int err)
{
	return err ? sim_cmd_errno(err) : MLX5_CMD_STAT_OK;
}

/* ---- buf.c ---- */

u8 sim_cmd_read_buf(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_cmd_buf *desc,
		    struct sim_buf *buf, struct sim_umem **umem);
u8 sim_cmd_read_dbr(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_cmd_dbr *desc,
		    u64 *addr, struct sim_umem **umem);
struct sim_umem *sim_cmd_umem(struct sim_dev *sdev, struct sim_cmd *cmd, u32 id, u64 off, u64 len,
			      u8 *status);
void sim_umems_use(const struct sim_umems *umems);
void sim_umems_unuse(const struct sim_umems *umems);

/* ---- cq.c ---- */

u8 sim_cmd_create_cq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_cq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_cq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_modify_cq(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- dci.c ---- */

u8 sim_dci_parse(struct sim_dev *sdev, struct sim_cmd *cmd, const void *qpc, struct sim_qp *qp);

/* ---- dct.c ---- */

u8 sim_cmd_create_dct(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_drain_dct(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_dct(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_dct(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- login.c, dek.c ---- */

bool sim_login_valid(struct sim_dev *sdev, u16 uid);
u8 sim_login_unwrap(const u8 *in, u32 len, u8 *out);
u8 sim_login_create(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_login_query(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_login_destroy(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_dek_create(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_dek_query(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_dek_destroy(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- eq.c ---- */

u8 sim_cmd_create_eq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_eq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_eq(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- genobj.c ---- */

u8 sim_cmd_create_general_object(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_general_object(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_general_object(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- hca.c ---- */

u8 sim_cmd_enable_hca(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_disable_hca(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_issi(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_set_issi(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_hca_cap(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_set_hca_cap(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_init_hca(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_teardown_hca(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_adapter(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_nop(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_access_reg(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- mailbox.c ---- */

void sim_slot_sign(struct mlx5_cmd_layout *lay);
void sim_mbox_sign(struct mlx5_cmd_prot_block *blk);
bool sim_mbox_signed(const struct mlx5_cmd_prot_block *blk);

/* ---- mcg.c ---- */

u8 sim_cmd_attach_to_mcg(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_detach_from_mcg(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- mkey.c ---- */

u8 sim_cmd_create_mkey(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_mkey(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_mkey(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- pages.c ---- */

bool sim_pages_short(struct sim_dev *sdev, u16 opcode);
bool sim_pages_hold(struct sim_dev *sdev, u16 opcode);
bool sim_pages_pending(struct sim_dev *sdev);
void sim_pages_failed(struct sim_dev *sdev);
u8 sim_cmd_query_pages(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_manage_pages(struct sim_dev *sdev, struct sim_cmd *cmd);
void sim_pages_enable(struct sim_dev *sdev);
bool sim_pages_ready(struct sim_dev *sdev);

/* ---- pd.c ---- */

u8 sim_cmd_plain_alloc(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_plain_dealloc(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_flow_counter(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_create_uctx(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_uctx(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- port.c ---- */

u8 sim_cmd_query_vport_state(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_lag(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_nic_vport(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_modify_nic_vport(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_set_roce_address(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_roce_address(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_special_contexts(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_pkey(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_vport_counter(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- psv.c ---- */

u8 sim_cmd_create_psv(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_psv(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- qp.c ---- */

u8 sim_cmd_create_qp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_qp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_qp(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- qp_ext.c ---- */

int sim_qp_ext_parse(const void *in, u32 in_len, struct sim_qp_ext *ext);
u8 sim_qp_ext_check(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_qp *qp,
		    struct sim_qp_ext *ext);
void sim_qp_ext_apply(struct sim_qp *qp, const struct sim_qp_ext *ext);

/* ---- qp_modify.c ---- */

u8 sim_cmd_modify_qp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_qp_2err(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_qp_2rst(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- qset.c ---- */

u8 sim_cmd_alloc_q_counter(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_dealloc_q_counter(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_q_counter(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- set_caps.c ---- */

u8 sim_caps_set(struct sim_dev *sdev, struct sim_cmd *cmd, u16 type, const void *page);

/* ---- srq.c ---- */

u8 sim_cmd_create_rmp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_create_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_create_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_rmp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_modify_rmp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_arm_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_arm_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_rmp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- table.c ---- */

u8 sim_cmd_exec(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- uar.c ---- */

void sim_uar_unuse(struct sim_uar *uar);
u8 sim_cmd_alloc_uar(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_dealloc_uar(struct sim_dev *sdev, struct sim_cmd *cmd);

/* ---- umem.c ---- */

u8 sim_cmd_create_umem(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_umem(struct sim_dev *sdev, struct sim_cmd *cmd);

#endif /* MLX5SIM_CMD_HANDLERS_H */
