// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands for XRC domains and XRC SRQs. The rules of cmd.h apply.
 */
#include "cmd/xrc.h"

/**
 * ibx_cmd_alloc_xrcd() - ALLOC_XRCD
 * @dev: device
 * @xrcdn: gets the number of the XRC domain
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_alloc_xrcd(struct ibx_dev *dev, u32 *xrcdn)
{
	u32 out[MLX5_ST_SZ_DW(alloc_xrcd_out)] = {};
	u32 in[MLX5_ST_SZ_DW(alloc_xrcd_in)] = {};
	int err;

	MLX5_SET(alloc_xrcd_in, in, opcode, MLX5_CMD_OP_ALLOC_XRCD);
	err = ibx_cmd_exec_inout(dev, alloc_xrcd, in, out);
	if (!err)
		*xrcdn = MLX5_GET(alloc_xrcd_out, out, xrcd);
	return err;
}

/**
 * ibx_cmd_dealloc_xrcd() - DEALLOC_XRCD
 * @dev: device
 * @xrcdn: number of an XRC domain without users
 *
 * Context: may sleep.
 * Return: 0, -EBUSY when an object uses the XRC domain, or an errno from cmd.h.
 */
int ibx_cmd_dealloc_xrcd(struct ibx_dev *dev, u32 xrcdn)
{
	u32 in[MLX5_ST_SZ_DW(dealloc_xrcd_in)] = {};

	MLX5_SET(dealloc_xrcd_in, in, opcode, MLX5_CMD_OP_DEALLOC_XRCD);
	MLX5_SET(dealloc_xrcd_in, in, xrcd, xrcdn);
	return ibx_cmd_exec_in(dev, dealloc_xrcd, in);
}

static void fill_srqc(void *srqc, const struct ibx_xrc_srq_params *p)
{
	const struct ibx_rmp_params *ring = &p->ring;

	MLX5_SET(xrc_srqc, srqc, log_xrc_srq_size, ring->log_size);
	MLX5_SET(xrc_srqc, srqc, log_rq_stride, ring->log_stride - 4);
	MLX5_SET(xrc_srqc, srqc, log_page_size, IBX_PAGE_SHIFT - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET(xrc_srqc, srqc, page_offset, ibx_buf_page_offset(ring->buf));
	MLX5_SET(xrc_srqc, srqc, pd, ring->pdn);
	MLX5_SET(xrc_srqc, srqc, xrcd, p->xrcdn);
	MLX5_SET(xrc_srqc, srqc, cqn, p->cqn);
	/* db_record_addr_l has no bits 1:0 of the address, which are 0 */
	MLX5_SET(xrc_srqc, srqc, db_record_addr_h, upper_32_bits(ring->dbr));
	MLX5_SET(xrc_srqc, srqc, db_record_addr_l, lower_32_bits(ring->dbr) >> 2);
	if (p->cqe_v1)
		MLX5_SET(xrc_srqc, srqc, user_index, p->user_index);
}

/**
 * ibx_cmd_create_xrc_srq() - CREATE_XRC_SRQ
 * @dev: device
 * @p: parameters
 * @srq: SRQ with its uid set; gets its number
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_create_xrc_srq(struct ibx_dev *dev, const struct ibx_xrc_srq_params *p,
			   struct ibx_srq *srq)
{
	u32 out[MLX5_ST_SZ_DW(create_xrc_srq_out)] = {};
	int inlen;
	int err;
	u32 *in;

	inlen = MLX5_ST_SZ_BYTES(create_xrc_srq_in) +
		ibx_buf_npages(p->ring.buf) * MLX5_FLD_SZ_BYTES(create_xrc_srq_in, pas[0]);
	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	MLX5_SET(create_xrc_srq_in, in, opcode, MLX5_CMD_OP_CREATE_XRC_SRQ);
	MLX5_SET(create_xrc_srq_in, in, uid, srq->uid);
	fill_srqc(MLX5_ADDR_OF(create_xrc_srq_in, in, xrc_srq_context_entry), p);
	ibx_buf_fill_pas(p->ring.buf, MLX5_ADDR_OF(create_xrc_srq_in, in, pas));

	err = ibx_cmd_exec(dev, in, inlen, out, sizeof(out));
	if (!err)
		srq->srqn = MLX5_GET(create_xrc_srq_out, out, xrc_srqn);
	kvfree(in);
	return err;
}

/**
 * ibx_cmd_destroy_xrc_srq() - DESTROY_XRC_SRQ
 * @dev: device
 * @srq: XRC SRQ
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_destroy_xrc_srq(struct ibx_dev *dev, const struct ibx_srq *srq)
{
	u32 in[MLX5_ST_SZ_DW(destroy_xrc_srq_in)] = {};

	MLX5_SET(destroy_xrc_srq_in, in, opcode, MLX5_CMD_OP_DESTROY_XRC_SRQ);
	MLX5_SET(destroy_xrc_srq_in, in, uid, srq->uid);
	MLX5_SET(destroy_xrc_srq_in, in, xrc_srqn, srq->srqn);
	return ibx_cmd_exec_in(dev, destroy_xrc_srq, in);
}

/**
 * ibx_cmd_arm_xrc_srq() - ARM_XRC_SRQ: arm or disarm the limit
 * @dev: device
 * @srq: XRC SRQ
 * @limit: raise one event when fewer WQEs than @limit are posted; 0 disarms
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_arm_xrc_srq(struct ibx_dev *dev, const struct ibx_srq *srq, u16 limit)
{
	u32 in[MLX5_ST_SZ_DW(arm_xrc_srq_in)] = {};

	MLX5_SET(arm_xrc_srq_in, in, opcode, MLX5_CMD_OP_ARM_XRC_SRQ);
	MLX5_SET(arm_xrc_srq_in, in, op_mod, MLX5_ARM_XRC_SRQ_IN_OP_MOD_XRC_SRQ);
	MLX5_SET(arm_xrc_srq_in, in, uid, srq->uid);
	MLX5_SET(arm_xrc_srq_in, in, xrc_srqn, srq->srqn);
	MLX5_SET(arm_xrc_srq_in, in, lwm, limit);
	return ibx_cmd_exec_in(dev, arm_xrc_srq, in);
}

/**
 * ibx_cmd_query_xrc_srq() - QUERY_XRC_SRQ
 * @dev: device
 * @srqn: number of the XRC SRQ
 * @srqc: MLX5_ST_SZ_DW(xrc_srqc) words for its context
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_query_xrc_srq(struct ibx_dev *dev, u32 srqn, u32 *srqc)
{
	u32 in[MLX5_ST_SZ_DW(query_xrc_srq_in)] = {};

	MLX5_SET(query_xrc_srq_in, in, opcode, MLX5_CMD_OP_QUERY_XRC_SRQ);
	MLX5_SET(query_xrc_srq_in, in, xrc_srqn, srqn);
	return ibx_cmd_query_ctx(dev, query_xrc_srq, in, xrc_srq_context_entry, xrc_srqc, srqc);
}
