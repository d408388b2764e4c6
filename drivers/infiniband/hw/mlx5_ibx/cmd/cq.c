// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQ commands. mlx5_core wraps create and destroy, because it also enters the
 * CQ in the tables its event queues look completions up in; nothing else may
 * issue them. The rules of cmd.h apply.
 */
#include <linux/interrupt.h>

#include "cmd/cmd.h"

/**
 * ibx_cmd_create_cq - CREATE_CQ
 * @dev: the function
 * @mcq: with set_ci_db, arm_db, comp and event set; gets its number
 * @p: what to create
 *
 * Completions and events may be reported before this returns.
 * Context: may sleep.
 * Return: 0, -ENOMEM, or as cmd.h says.
 */
int ibx_cmd_create_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq,
		      const struct ibx_cq_params *p)
{
	u32 out[MLX5_ST_SZ_DW(create_cq_out)];
	u32 npages = ibx_buf_npages(p->buf);
	ktime_t start;
	void *cqc;
	int inlen;
	int err;
	u32 *in;

	inlen = MLX5_ST_SZ_BYTES(create_cq_in) +
		npages * MLX5_FLD_SZ_BYTES(create_cq_in, pas[0]);
	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	cqc = MLX5_ADDR_OF(create_cq_in, in, cq_context);
	MLX5_SET(cqc, cqc, cqe_sz, CQE_STRIDE_64);
	MLX5_SET(cqc, cqc, log_cq_size, p->log_size);
	MLX5_SET(cqc, cqc, uar_page, p->uar);
	MLX5_SET(cqc, cqc, c_eqn_or_apu_element, p->eqn);
	MLX5_SET(cqc, cqc, log_page_size, IBX_PAGE_SHIFT - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET64(cqc, cqc, dbr_addr, p->dbr);
	ibx_buf_fill_pas(p->buf, MLX5_ADDR_OF(create_cq_in, in, pas));

	start = ktime_get();
	err = mlx5_core_create_cq(dev->mdev, mcq, in, inlen, out, sizeof(out));
	ibx_cmd_done(dev, MLX5_CMD_OP_CREATE_CQ, start, err);
	kvfree(in);
	return err;
}

/**
 * ibx_cmd_destroy_cq - DESTROY_CQ
 * @dev: the function
 * @mcq: the CQ
 *
 * Context: may sleep; waits until no event of the CQ is being handled.
 * Return: 0, or as cmd.h says. The device still has the CQ then, but @mcq is
 * unknown to mlx5_core and may be freed in either case.
 */
int ibx_cmd_destroy_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq)
{
	ktime_t start = ktime_get();
	int err = mlx5_core_destroy_cq(dev->mdev, mcq);

	/* refused: it left mlx5_core's tables, but nobody has waited for its events */
	if (err) {
		synchronize_irq(mcq->irqn);
		mlx5_cq_put(mcq);
		wait_for_completion(&mcq->free);
	}
	return ibx_cmd_done(dev, MLX5_CMD_OP_DESTROY_CQ, start, err);
}

/**
 * ibx_cmd_moderate_cq - MODIFY_CQ of the event moderation
 * @dev: the function
 * @mcq: the CQ
 * @period: report at the latest after this many microseconds, 0 = at once
 * @count: or after this many completions, 0 = at once
 *
 * Context: may sleep.
 * Return: 0, or as cmd.h says.
 */
int ibx_cmd_moderate_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq, u16 period, u16 count)
{
	ktime_t start = ktime_get();

	return ibx_cmd_done(dev, MLX5_CMD_OP_MODIFY_CQ, start,
			    mlx5_core_modify_cq_moderation(dev->mdev, mcq, period, count));
}

/**
 * ibx_cmd_resize_cq - MODIFY_CQ to another ring
 * @dev: the function
 * @mcq: the CQ
 * @buf: the new ring
 * @log_size: its entries
 * @unknown: set if it fails and nobody knows whether the device did it: it was
 *	asked and did not answer. It may write to @buf then
 *
 * Once it worked the old ring ends with a RESIZE_CQ entry.
 *
 * Not through ibx_cmd_exec(), which cannot tell about @unknown.
 * Context: may sleep.
 * Return: 0, -ENOMEM, -EINVAL for more outstanding entries than the ring holds,
 * or as cmd.h says.
 */
int ibx_cmd_resize_cq(struct ibx_dev *dev, const struct mlx5_core_cq *mcq,
		      const struct ibx_buf *buf, u8 log_size, bool *unknown)
{
	u32 out[MLX5_ST_SZ_DW(modify_cq_out)] = {};
	ktime_t start;
	void *cqc;
	int inlen;
	int err;
	u32 *in;

	inlen = MLX5_ST_SZ_BYTES(modify_cq_in) +
		ibx_buf_npages(buf) * MLX5_FLD_SZ_BYTES(modify_cq_in, pas[0]);
	*unknown = false;
	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	MLX5_SET(modify_cq_in, in, opcode, MLX5_CMD_OP_MODIFY_CQ);
	MLX5_SET(modify_cq_in, in, op_mod, MLX5_CQ_OPMOD_RESIZE);
	MLX5_SET(modify_cq_in, in, cqn, mcq->cqn);
	MLX5_SET(modify_cq_in, in,
		 modify_field_select_resize_field_select.resize_field_select.resize_field_select,
		 MLX5_MODIFY_CQ_MASK_LOG_SIZE | MLX5_MODIFY_CQ_MASK_PG_OFFSET |
		 MLX5_MODIFY_CQ_MASK_PG_SIZE);
	cqc = MLX5_ADDR_OF(modify_cq_in, in, cq_context);
	MLX5_SET(cqc, cqc, cqe_sz, CQE_STRIDE_64);
	MLX5_SET(cqc, cqc, log_cq_size, log_size);
	MLX5_SET(cqc, cqc, log_page_size, IBX_PAGE_SHIFT - MLX5_ADAPTER_PAGE_SHIFT);
	ibx_buf_fill_pas(buf, MLX5_ADDR_OF(modify_cq_in, in, pas));

	start = ktime_get();
	err = mlx5_cmd_do(dev->mdev, in, inlen, out, sizeof(out));
	/* answered, or not even asked: no memory, no command slot */
	*unknown = err && err != -EREMOTEIO && err != -ENOMEM && err != -EBUSY && err != -EAGAIN;
	err = ibx_cmd_done(dev, MLX5_CMD_OP_MODIFY_CQ, start,
			   mlx5_cmd_check(dev->mdev, err, in, out));
	kvfree(in);
	return err;
}

/**
 * ibx_cmd_query_cq - QUERY_CQ
 * @dev: the function
 * @mcq: the CQ
 * @cqc: MLX5_ST_SZ_DW(cqc) words for its context
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or as cmd.h says.
 */
int ibx_cmd_query_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq, u32 *cqc)
{
	u32 in[MLX5_ST_SZ_DW(query_cq_in)] = {};

	MLX5_SET(query_cq_in, in, opcode, MLX5_CMD_OP_QUERY_CQ);
	MLX5_SET(query_cq_in, in, cqn, mcq->cqn);
	return ibx_cmd_query_ctx(dev, query_cq, in, cq_context, cqc, cqc);
}
