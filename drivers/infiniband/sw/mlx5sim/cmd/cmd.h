/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The firmware command interface: one handler per opcode.
 *
 * cmdq.c takes a command off the ring, checks signatures and tokens, gathers
 * the input mailboxes into one buffer and finds the opcode in sim_cmd_table[]
 * (cmd_table.c). It checks the input length against the table, calls the
 * handler with a zeroed output buffer, and writes status, syndrome and output
 * back. Handlers run on the hardware thread and may allocate with GFP_KERNEL.
 */
#ifndef MLX5SIM_CMD_H
#define MLX5SIM_CMD_H

#include "obj/objects.h"

struct sim_cmd_desc;

/**
 * struct sim_cmd - one command being executed
 * @in: whole input
 * @out: whole output, zeroed
 * @in_len: bytes of input
 * @out_len: bytes of output the driver has room for
 * @desc: its row in the table of commands, NULL when the opcode is not known
 * @opcode: MLX5_CMD_OP_*
 * @op_mod: operation modifier
 * @uid: user context the command is issued for, 0 = kernel
 * @syndrome: the handler may set it when it fails
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

typedef u8 (*sim_cmd_fn)(struct sim_dev *sdev, struct sim_cmd *cmd);

/**
 * struct sim_field - a field of a command that means something to the device
 * @off: its offset in the command, in bits, most significant first
 * @len: its length in bits
 */
struct sim_field {
	u16 off;
	u16 len;
};

#define SIM_F(typ, fld)	{ __mlx5_bit_off(typ, fld), __mlx5_bit_sz(typ, fld) }

/* The largest fixed part whose reserved bits a field list can describe */
#define SIM_CMD_FIXED_MAX	640

/**
 * struct sim_cmd_desc - how to execute an opcode
 * @opcode: MLX5_CMD_OP_*
 * @in_var: input is followed by a list
 * @op_mod: the handler checks the modifier; otherwise it must be 0
 * @early: allowed before INIT_HCA and after TEARDOWN_HCA
 * @in_min: exact input size, or the least when @in_var
 * @out_min: least output size
 * @name: for the trace
 * @fields: what may be non-zero in the fixed part behind the header, ended by
 *	a field of length 0; NULL when the handler checks that itself
 * @fn: returns MLX5_CMD_STAT_*
 */
struct sim_cmd_desc {
	u16 opcode;
	bool in_var;
	bool op_mod;
	bool early;
	u16 in_min;
	u16 out_min;
	const char *name;
	const struct sim_field *fields;
	sim_cmd_fn fn;
};

const struct sim_cmd_desc *sim_cmd_find(u16 opcode);
const struct sim_cmd_desc *sim_cmd_find_name(const char *name);
u8 sim_cmd_exec(struct sim_dev *sdev, struct sim_cmd *cmd);

/*
 * For handlers: record a violation and hand back the status that goes with it,
 *	return sim_cmd_bad_param(sdev, cmd, "log_size %u > %u", a, b);
 */
__printf(5, 6)
u8 sim_cmd_breach(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_vio vio, u8 status,
		  const char *fmt, ...);

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

/* status of an errno that is nobody's fault: -ENOMEM, -ENOSPC */
u8 sim_cmd_errno(int err);
static inline u8 sim_cmd_errno_ok(int err)
{
	return err ? sim_cmd_errno(err) : MLX5_CMD_STAT_OK;
}

/*
 * For handlers that name an object: find it, check that the command's uid may
 * use it. On failure record the violation, set *status and return NULL.
 * sim_cmd_unused() is for destroying: it refuses an object with dependents.
 */
void *sim_cmd_obj(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_obj_type type, u32 id,
		  u8 *status);
bool sim_cmd_unused(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_obj *obj, u8 *status);

/**
 * struct sim_cmd_buf - what a command says about a queue's memory
 * @log_page_size: as in the context, in units of 4 KiB
 * @page_offset: as in the context, in 64ths of a page
 * @align: what the offset must be a multiple of, in bytes
 * @size: bytes the queue takes, 0 for none
 * @pas: list of page addresses, big-endian
 * @pas_bytes: its length in the command
 */
struct sim_cmd_buf {
	u32 log_page_size;
	u32 page_offset;
	u32 align;
	u64 size;
	const void *pas;
	u32 pas_bytes;
};

u8 sim_cmd_take_buf(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_cmd_buf *desc,
		    struct sim_buf *buf);

/* ---- the command ring (cmdq.c) ---- */

/* Advertised in cmdq_addr_l_sz: 2 slots of 64 bytes, the last for MANAGE_PAGES (see cmdq.c) */
#define SIM_CMDQ_LOG_SZ		1
#define SIM_CMDQ_LOG_STRIDE	6
#define SIM_CMDQ_SLOTS		BIT(SIM_CMDQ_LOG_SZ)
#define SIM_CMDQ_SZ		(SIM_CMDQ_LOG_SZ << 4 | SIM_CMDQ_LOG_STRIDE)

/* bytes of input and of output that are in the slot itself */
#define SIM_CMD_INLINE		16

/* ---- cmd_pure.c, entry.c ---- */

u8 sim_xor8(const void *buf, size_t len);
bool sim_fields_only(const u8 *p, u32 len, const struct sim_field *fields);
u32 sim_bits_get(const void *p, struct sim_field f);
void sim_bits_set(void *p, struct sim_field f, u32 val);
void sim_eqe_fill(struct mlx5_eqe *eqe, u8 type, u8 sub_type, const void *data, u32 lap);
u8 sim_cqe_owner(u32 index, u8 log_size);
bool sim_cq_armed(u32 arm, u32 sn, u32 pi, u32 solicited_pi);

/* ---- DCIs (dc.c) ---- */

u8 sim_dci_parse(struct sim_dev *sdev, struct sim_cmd *cmd, const void *qpc, struct sim_qp *qp);

/* ---- the extended QP context (qp_ext.c) ---- */

/**
 * struct sim_qp_ext - the extension of a state change
 * @present: it has one
 * @mask: which of the fields below are meant
 * @mmo: enable memory copies
 * @stream: of a DCI: forget its error
 */
struct sim_qp_ext {
	bool present;
	u32 mask;
	bool mmo;
	u16 stream;
};

int sim_qp_ext_parse(const void *in, u32 in_len, struct sim_qp_ext *ext);
u8 sim_qp_ext_check(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_qp *qp,
		    struct sim_qp_ext *ext);
void sim_qp_ext_take(struct sim_qp *qp, const struct sim_qp_ext *ext);

/* ---- capabilities (caps.c) ---- */

/**
 * struct sim_cap_def - a capability field
 * @type: MLX5_CAP_*: the page
 * @rw: SET_HCA_CAP may change it
 * @name: as in the parameter
 * @f: where it is
 * @cur: value after power-on
 * @max: the most it can be
 */
struct sim_cap_def {
	u16 type;
	bool rw;
	const char *name;
	struct sim_field f;
	u32 cur;
	u32 max;
};

#define SIM_CAPS_PAGE_SIZE	MLX5_UN_SZ_BYTES(hca_cap_union)

void *sim_caps_page(struct sim_dev *sdev, u16 type, bool max);
u8 sim_caps_set(struct sim_dev *sdev, struct sim_cmd *cmd, u16 type, const void *page);
const struct sim_cap_def *sim_caps_merge(struct sim_dev *sdev, u16 type, const void *want,
					 void *page);
int sim_caps_parse(const char *word, u16 *type, struct sim_field *f, u32 *val);

#define SIM_CAP(sdev, f)							\
	MLX5_GET(cmd_hca_cap, sim_caps_page(sdev, MLX5_CAP_GENERAL, false), f)

/* Fields of the GENERAL page that <linux/mlx5/mlx5_ifc.h> has no name for */
#define SIM_CAP_LOG_DMA_MMO_MAX_SIZE	{ 0x6b, 5 }
#define SIM_CAP_DMA_MMO_SQ		{ 0x153, 1 }
#define SIM_CAP_DMA_MMO_QP		{ 0x748, 1 }

#define SIM_CAP_AT(sdev, field)							\
	sim_bits_get(sim_caps_page(sdev, MLX5_CAP_GENERAL, false), (struct sim_field)field)

/* ---- handlers, by file ---- */

/* cmd_hca.c */
u8 sim_cmd_enable_hca(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_disable_hca(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_issi(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_set_issi(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_pages(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_manage_pages(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_hca_cap(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_set_hca_cap(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_init_hca(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_teardown_hca(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_adapter(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_access_reg(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_nop(struct sim_dev *sdev, struct sim_cmd *cmd);
/* cmd_port.c */
u8 sim_cmd_query_nic_vport(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_modify_nic_vport(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_set_roce_address(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_roce_address(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_pkey(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_vport_counter(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_special_contexts(struct sim_dev *sdev, struct sim_cmd *cmd);
/* cmd_qcounter.c */
u8 sim_cmd_alloc_q_counter(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_dealloc_q_counter(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_q_counter(struct sim_dev *sdev, struct sim_cmd *cmd);
/* uar.c */
u8 sim_cmd_alloc_uar(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_dealloc_uar(struct sim_dev *sdev, struct sim_cmd *cmd);
/* pd.c */
u8 sim_cmd_plain_alloc(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_plain_dealloc(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_create_uctx(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_uctx(struct sim_dev *sdev, struct sim_cmd *cmd);
/* eq.c */
u8 sim_cmd_create_eq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_eq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_eq(struct sim_dev *sdev, struct sim_cmd *cmd);
/* cq.c */
u8 sim_cmd_create_cq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_cq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_cq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_modify_cq(struct sim_dev *sdev, struct sim_cmd *cmd);
/* mkey.c */
u8 sim_cmd_create_mkey(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_mkey(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_mkey(struct sim_dev *sdev, struct sim_cmd *cmd);
int sim_mkeys_show(struct seq_file *m, void *unused);
/* srq.c */
u8 sim_cmd_create_rmp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_modify_rmp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_rmp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_rmp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_create_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_arm_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_create_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_arm_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd);
/* qp.c */
u8 sim_cmd_create_qp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_qp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_qp(struct sim_dev *sdev, struct sim_cmd *cmd);
/* dct.c */
u8 sim_cmd_create_dct(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_drain_dct(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_destroy_dct(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_query_dct(struct sim_dev *sdev, struct sim_cmd *cmd);
/* qp_modify.c */
u8 sim_cmd_modify_qp(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_qp_2err(struct sim_dev *sdev, struct sim_cmd *cmd);
u8 sim_cmd_qp_2rst(struct sim_dev *sdev, struct sim_cmd *cmd);
#endif /* MLX5SIM_CMD_H */
