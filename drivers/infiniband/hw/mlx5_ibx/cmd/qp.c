// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QP commands. enc/qpc.c encodes QP contexts; this file adds the list of the
 * pages of the rings. The rules of cmd.h apply.
 */
#include "cmd/cmd.h"
#include "enc/qpc.h"

/**
 * ibx_cmd_create_qp() - CREATE_QP
 * @dev: device
 * @p: parameters
 * @buf: memory of the rings; size 0 for a QP without rings
 * @qp: QP with its uid set; @qp->qpn gets the number of the QP
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_create_qp(struct ibx_dev *dev, const struct ibx_qpc_new *p, const struct ibx_buf *buf,
		      struct ibx_qp *qp)
{
	u32 out[MLX5_ST_SZ_DW(create_qp_out)] = {};
	u32 npages = ibx_buf_npages(buf);
	void *ctx;
	int inlen;
	int err;
	u32 *in;

	inlen = MLX5_ST_SZ_BYTES(create_qp_in) +
		npages * MLX5_FLD_SZ_BYTES(create_qp_in, pas[0]);
	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	MLX5_SET(create_qp_in, in, opcode, MLX5_CMD_OP_CREATE_QP);
	MLX5_SET(create_qp_in, in, uid, qp->uid);
	ctx = MLX5_ADDR_OF(create_qp_in, in, qpc);
	ibx_qpc_create(ctx, p);
	MLX5_SET(qpc, ctx, log_page_size, IBX_PAGE_SHIFT - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET(qpc, ctx, page_offset, ibx_buf_page_offset(buf));
	ibx_buf_fill_pas(buf, MLX5_ADDR_OF(create_qp_in, in, pas));

	err = ibx_cmd_exec(dev, in, inlen, out, sizeof(out));
	if (!err)
		qp->qpn = MLX5_GET(create_qp_out, out, qpn);
	kvfree(in);
	return err;
}

/**
 * ibx_cmd_destroy_qp() - DESTROY_QP
 * @dev: device
 * @qp: QP in RESET, or one that could not be reset
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_destroy_qp(struct ibx_dev *dev, const struct ibx_qp *qp)
{
	u32 in[MLX5_ST_SZ_DW(destroy_qp_in)] = {};

	MLX5_SET(destroy_qp_in, in, opcode, MLX5_CMD_OP_DESTROY_QP);
	MLX5_SET(destroy_qp_in, in, uid, qp->uid);
	MLX5_SET(destroy_qp_in, in, qpn, qp->qpn);
	return ibx_cmd_exec_in(dev, destroy_qp, in);
}

/**
 * ibx_cmd_note_lost() - record that a command that changes a QP was not answered
 * @qp: QP
 * @err: errno of the command
 *
 * Context: any. Nothing clears the flag, so it needs no lock. ibx_qp_unpublish()
 * waits for work items that may set it, before the destruction reads it.
 * Return: @err.
 */
int ibx_cmd_note_lost(struct ibx_qp *qp, int err)
{
	if (ibx_cmd_lost(err))
		WRITE_ONCE(qp->lost, true);
	return err;
}

/**
 * ibx_cmd_may_change_qp() - may the device still execute a lost command that changes a QP?
 * @dev: device
 * @qp: QP
 *
 * Context: any.
 * Return: true if the QP must not be destroyed: the command would change the
 * next QP with that number.
 */
bool ibx_cmd_may_change_qp(const struct ibx_dev *dev, const struct ibx_qp *qp)
{
	return qp->lost && !ibx_cmd_is_over(dev);
}

/**
 * ibx_cmd_step_qp() - issue a state change that takes a context
 * @dev: device
 * @opcode: RST2INIT, INIT2INIT, INIT2RTR, RTR2RTS, RTS2RTS, SQERR2RTS or
 *	SQD_RTS; all have the layout of RST2INIT
 * @qp: QP
 * @opt_mask: MLX5_QP_OPTPAR_*: optional fields to take from @qpc
 * @qpc: MLX5_ST_SZ_DW(qpc) words of context
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the QP is not in the initial state of @opcode
 * * -ENOMEM
 * * an errno from cmd.h
 */
int ibx_cmd_step_qp(struct ibx_dev *dev, u16 opcode, struct ibx_qp *qp,
		    u32 opt_mask, const u32 *qpc)
{
	u32 out[MLX5_ST_SZ_DW(rst2init_qp_out)] = {};
	const int inlen = MLX5_ST_SZ_BYTES(rst2init_qp_in);
	u32 *in;
	int err;

	in = kzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	MLX5_SET(rst2init_qp_in, in, opcode, opcode);
	MLX5_SET(rst2init_qp_in, in, uid, qp->uid);
	MLX5_SET(rst2init_qp_in, in, qpn, qp->qpn);
	MLX5_SET(rst2init_qp_in, in, opt_param_mask, opt_mask);
	memcpy(MLX5_ADDR_OF(rst2init_qp_in, in, qpc), qpc, MLX5_ST_SZ_BYTES(qpc));

	err = ibx_cmd_exec(dev, in, inlen, out, sizeof(out));
	kfree(in);
	return ibx_cmd_note_lost(qp, err);
}

/*
 * layout of a command with an extension of the QP context: behind the context
 * are the mask of the extension and the extension itself
 */
#define EXT_IN_DW		(0xe80 / 32)
#define EXT_PRESENT_DW		(0x40 / 32)
#define EXT_PRESENT		BIT(31)
#define EXT_MASK_DW		(0x860 / 32)
#define EXT_DW			(0x880 / 32)

/* all fields are in the first word of the extension */
static const struct {
	u32 mask;
	u8 shift;
} qp_exts[] = {
	[IBX_QP_EXT_MMO] = { BIT(3), 29 },
	[IBX_QP_EXT_STREAM] = { BIT(0), 0 },
};

/**
 * ibx_cmd_extend_qp() - set a field of the extension of a QP context
 * @dev: device with capability qpc_extension
 * @opcode: MLX5_CMD_OP_INIT2INIT_QP or MLX5_CMD_OP_RTS2RTS_QP
 * @qp: QP in the initial state of @opcode
 * @field: field to set
 * @value: value of the field
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_extend_qp(struct ibx_dev *dev, u16 opcode, struct ibx_qp *qp,
		      enum ibx_qp_ext field, u32 value)
{
	u32 out[MLX5_ST_SZ_DW(rst2init_qp_out)] = {};
	__be32 in[EXT_IN_DW] = {};

	MLX5_SET(rst2init_qp_in, in, opcode, opcode);
	MLX5_SET(rst2init_qp_in, in, uid, qp->uid);
	MLX5_SET(rst2init_qp_in, in, qpn, qp->qpn);
	in[EXT_PRESENT_DW] |= cpu_to_be32(EXT_PRESENT);
	in[EXT_MASK_DW] = cpu_to_be32(qp_exts[field].mask);
	in[EXT_DW] = cpu_to_be32(value << qp_exts[field].shift);
	return ibx_cmd_note_lost(qp, ibx_cmd_exec(dev, in, sizeof(in), out, sizeof(out)));
}

/**
 * ibx_cmd_reset_qp() - 2RST_QP
 * @dev: device
 * @qp: QP in any state
 *
 * After success the device accesses neither rings nor memory for the QP.
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_reset_qp(struct ibx_dev *dev, struct ibx_qp *qp)
{
	u32 in[MLX5_ST_SZ_DW(qp_2rst_in)] = {};

	MLX5_SET(qp_2rst_in, in, opcode, MLX5_CMD_OP_2RST_QP);
	MLX5_SET(qp_2rst_in, in, uid, qp->uid);
	MLX5_SET(qp_2rst_in, in, qpn, qp->qpn);
	return ibx_cmd_note_lost(qp, ibx_cmd_exec_in(dev, qp_2rst, in));
}

/**
 * ibx_cmd_error_qp() - 2ERR_QP
 * @dev: device
 * @qp: QP in any state
 *
 * The device flushes outstanding WRs and those posted later.
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_error_qp(struct ibx_dev *dev, struct ibx_qp *qp)
{
	u32 in[MLX5_ST_SZ_DW(qp_2err_in)] = {};

	MLX5_SET(qp_2err_in, in, opcode, MLX5_CMD_OP_2ERR_QP);
	MLX5_SET(qp_2err_in, in, uid, qp->uid);
	MLX5_SET(qp_2err_in, in, qpn, qp->qpn);
	return ibx_cmd_note_lost(qp, ibx_cmd_exec_in(dev, qp_2err, in));
}

/**
 * ibx_cmd_query_qp() - QUERY_QP
 * @dev: device
 * @qpn: number of the QP
 * @qpc: MLX5_ST_SZ_DW(qpc) words that get the context of the QP
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_query_qp(struct ibx_dev *dev, u32 qpn, u32 *qpc)
{
	u32 in[MLX5_ST_SZ_DW(query_qp_in)] = {};

	MLX5_SET(query_qp_in, in, opcode, MLX5_CMD_OP_QUERY_QP);
	MLX5_SET(query_qp_in, in, qpn, qpn);
	return ibx_cmd_query_ctx(dev, query_qp, in, qpc, qpc, qpc);
}
