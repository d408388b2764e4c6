// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RMP commands. In interface revision 1 (ISSI), an RMP is a shared receive
 * queue. The rules of cmd.h apply.
 */
#include "cmd/cmd.h"

/**
 * ibx_cmd_create_rmp() - CREATE_RMP
 * @dev: device
 * @p: parameters
 * @srq: SRQ with its uid set; gets the number of its RMP
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_create_rmp(struct ibx_dev *dev, const struct ibx_rmp_params *p, struct ibx_srq *srq)
{
	u32 out[MLX5_ST_SZ_DW(create_rmp_out)] = {};
	void *rmpc, *wq;
	int inlen;
	int err;
	u32 *in;

	inlen = MLX5_ST_SZ_BYTES(create_rmp_in) +
		ibx_buf_npages(p->buf) * MLX5_ST_SZ_BYTES(cmd_pas);
	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	MLX5_SET(create_rmp_in, in, opcode, MLX5_CMD_OP_CREATE_RMP);
	MLX5_SET(create_rmp_in, in, uid, srq->uid);
	rmpc = MLX5_ADDR_OF(create_rmp_in, in, ctx);
	MLX5_SET(rmpc, rmpc, state, MLX5_RMPC_STATE_RDY);
	wq = MLX5_ADDR_OF(rmpc, rmpc, wq);
	MLX5_SET(wq, wq, wq_type, MLX5_WQ_TYPE_LINKED_LIST);
	MLX5_SET(wq, wq, pd, p->pdn);
	MLX5_SET64(wq, wq, dbr_addr, p->dbr);
	MLX5_SET(wq, wq, log_wq_stride, p->log_stride);
	MLX5_SET(wq, wq, log_wq_pg_sz, IBX_PAGE_SHIFT - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET(wq, wq, page_offset, ibx_buf_page_offset(p->buf));
	MLX5_SET(wq, wq, log_wq_sz, p->log_size);
	ibx_buf_fill_pas(p->buf, MLX5_ADDR_OF(wq, wq, pas));

	err = ibx_cmd_exec(dev, in, inlen, out, sizeof(out));
	if (!err)
		srq->srqn = MLX5_GET(create_rmp_out, out, rmpn);
	kvfree(in);
	return err;
}

/**
 * ibx_cmd_destroy_rmp() - DESTROY_RMP
 * @dev: device
 * @srq: SRQ that no QP uses
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_destroy_rmp(struct ibx_dev *dev, const struct ibx_srq *srq)
{
	u32 in[MLX5_ST_SZ_DW(destroy_rmp_in)] = {};

	MLX5_SET(destroy_rmp_in, in, opcode, MLX5_CMD_OP_DESTROY_RMP);
	MLX5_SET(destroy_rmp_in, in, uid, srq->uid);
	MLX5_SET(destroy_rmp_in, in, rmpn, srq->srqn);
	return ibx_cmd_exec_in(dev, destroy_rmp, in);
}

/**
 * ibx_cmd_arm_rmp() - MODIFY_RMP: arm or disarm the limit
 * @dev: device
 * @srq: SRQ
 * @limit: raise one event when fewer WQEs than @limit are posted; 0 disarms
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_arm_rmp(struct ibx_dev *dev, const struct ibx_srq *srq, u16 limit)
{
	u32 out[MLX5_ST_SZ_DW(modify_rmp_out)] = {};
	const int inlen = MLX5_ST_SZ_BYTES(modify_rmp_in);
	void *rmpc;
	u32 *in;
	int err;

	in = kzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	MLX5_SET(modify_rmp_in, in, opcode, MLX5_CMD_OP_MODIFY_RMP);
	MLX5_SET(modify_rmp_in, in, rmp_state, MLX5_RMPC_STATE_RDY);
	MLX5_SET(modify_rmp_in, in, uid, srq->uid);
	MLX5_SET(modify_rmp_in, in, rmpn, srq->srqn);
	MLX5_SET(modify_rmp_in, in, bitmask.lwm, 1);
	rmpc = MLX5_ADDR_OF(modify_rmp_in, in, ctx);
	MLX5_SET(rmpc, rmpc, state, MLX5_RMPC_STATE_RDY);
	MLX5_SET(rmpc, rmpc, wq.lwm, limit);

	err = ibx_cmd_exec(dev, in, inlen, out, sizeof(out));
	kfree(in);
	return err;
}

/**
 * ibx_cmd_query_rmp() - QUERY_RMP
 * @dev: device
 * @rmpn: number of the RMP
 * @rmpc: MLX5_ST_SZ_DW(rmpc) words for its context
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_query_rmp(struct ibx_dev *dev, u32 rmpn, u32 *rmpc)
{
	u32 in[MLX5_ST_SZ_DW(query_rmp_in)] = {};

	MLX5_SET(query_rmp_in, in, opcode, MLX5_CMD_OP_QUERY_RMP);
	MLX5_SET(query_rmp_in, in, rmpn, rmpn);
	return ibx_cmd_query_ctx(dev, query_rmp, in, rmp_context, rmpc, rmpc);
}
