// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQ commands. CQs must be created and destroyed through mlx5_core, which keeps
 * them in tables for its event queues. The rules of cmd.h apply.
 */
#include <linux/interrupt.h>

#include "cmd/cmd.h"

/**
 * ibx_cmd_create_cq() - CREATE_CQ
 * @dev: device
 * @mcq: CQ with set_ci_db, arm_db, comp and event set; gets its number
 * @p: parameters
 *
 * Completions and events may be reported before this returns.
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
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

	MLX5_SET(create_cq_in, in, uid, p->uid);
	cqc = MLX5_ADDR_OF(create_cq_in, in, cq_context);
	MLX5_SET(cqc, cqc, cqe_sz, p->cqe_128 ? CQE_STRIDE_128 : CQE_STRIDE_64);
	MLX5_SET(cqc, cqc, oi, p->overrun);
	MLX5_SET(cqc, cqc, log_cq_size, p->log_size);
	MLX5_SET(cqc, cqc, uar_page, p->uar);
	MLX5_SET(cqc, cqc, c_eqn_or_apu_element, p->eqn);
	MLX5_SET(cqc, cqc, log_page_size, IBX_PAGE_SHIFT - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET(cqc, cqc, page_offset, ibx_buf_page_offset(p->buf));
	MLX5_SET64(cqc, cqc, dbr_addr, p->dbr);
	ibx_buf_fill_pas(p->buf, MLX5_ADDR_OF(create_cq_in, in, pas));

	start = ibx_cmd_start();
	err = mlx5_core_create_cq(dev->mdev, mcq, in, inlen, out, sizeof(out));
	ibx_cmd_done(dev, MLX5_CMD_OP_CREATE_CQ, start, err);
	kvfree(in);
	return err;
}

/**
 * ibx_cmd_destroy_cq() - DESTROY_CQ
 * @dev: device
 * @mcq: CQ
 *
 * Context: may sleep; waits until no event of the CQ is being handled.
 * Return: 0, or an errno from cmd.h. After an error the device still has the
 * CQ, but mlx5_core does not use @mcq. The caller may free @mcq in either case.
 */
int ibx_cmd_destroy_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq)
{
	ktime_t start = ibx_cmd_start();
	int err = mlx5_core_destroy_cq(dev->mdev, mcq);

	/*
	 * on an error, mlx5_core has removed the CQ from its tables, but not
	 * waited for its events
	 */
	if (err) {
		synchronize_irq(mcq->irqn);
		ibx_cmd_forget_cq(mcq);
	}
	return ibx_cmd_done(dev, MLX5_CMD_OP_DESTROY_CQ, start, err);
}

/**
 * ibx_cmd_forget_cq() - wait until mlx5_core no longer uses a CQ that the device refused to destroy
 * @mcq: CQ after ibx_cmd_try_destroy_cq() has failed; the caller may free it
 *	afterwards
 *
 * Context: may sleep.
 */
void ibx_cmd_forget_cq(struct mlx5_core_cq *mcq)
{
	mlx5_cq_put(mcq);
	wait_for_completion(&mcq->free);
}

/**
 * ibx_cmd_try_destroy_cq() - DESTROY_CQ, of a CQ that other objects may use
 * @dev: device
 * @mcq: CQ
 *
 * Context: may sleep; waits until no event of the CQ is being handled.
 * Return: 0; -EBUSY when a QP uses the CQ; or an errno from cmd.h. After an
 * error, the device still has the CQ, but no event is reported. The caller must
 * not free @mcq, and may call this function again.
 */
int ibx_cmd_try_destroy_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq)
{
	ktime_t start = ibx_cmd_start();
	int err = mlx5_core_destroy_cq(dev->mdev, mcq);

	/*
	 * on an error, mlx5_core has removed the CQ from its tables, but not
	 * waited for an event that is being handled
	 */
	if (err)
		synchronize_irq(mcq->irqn);
	return ibx_cmd_done(dev, MLX5_CMD_OP_DESTROY_CQ, start, err);
}

/**
 * ibx_cmd_moderate_cq() - MODIFY_CQ: set the event moderation
 * @dev: device
 * @mcq: CQ
 * @period: time in us after which an event is raised at the latest, 0 = at once
 * @count: number of completions after which an event is raised, 0 = at once
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_moderate_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq, u16 period, u16 count)
{
	ktime_t start = ibx_cmd_start();

	return ibx_cmd_done(dev, MLX5_CMD_OP_MODIFY_CQ, start,
			    mlx5_core_modify_cq_moderation(dev->mdev, mcq, period, count));
}

/**
 * ibx_cmd_resize_cq() - MODIFY_CQ: switch to another ring
 * @dev: device
 * @mcq: CQ
 * @p: buf, log_size and cqe_128 of the new ring; the length of an entry must
 *	not change
 * @unknown: gets true if the device may have executed the command although this
 *	function fails (ibx_cmd_unanswered()): the device may write to the new
 *	ring
 *
 * On success, a RESIZE_CQ entry is the last CQE in the old ring.
 *
 * Does not use ibx_cmd_exec(), whose errno is not sufficient for @unknown.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the new ring is too small for the outstanding CQEs
 * * -ENOMEM
 * * an errno from cmd.h
 */
int ibx_cmd_resize_cq(struct ibx_dev *dev, const struct mlx5_core_cq *mcq,
		      const struct ibx_cq_params *p, bool *unknown)
{
	u32 out[MLX5_ST_SZ_DW(modify_cq_out)] = {};
	ktime_t start;
	void *cqc;
	int inlen;
	int err;
	u32 *in;

	inlen = MLX5_ST_SZ_BYTES(modify_cq_in) +
		ibx_buf_npages(p->buf) * MLX5_FLD_SZ_BYTES(modify_cq_in, pas[0]);
	*unknown = false;
	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;

	MLX5_SET(modify_cq_in, in, opcode, MLX5_CMD_OP_MODIFY_CQ);
	MLX5_SET(modify_cq_in, in, uid, mcq->uid);
	MLX5_SET(modify_cq_in, in, op_mod, MLX5_CQ_OPMOD_RESIZE);
	MLX5_SET(modify_cq_in, in, cqn, mcq->cqn);
	MLX5_SET(modify_cq_in, in,
		 modify_field_select_resize_field_select.resize_field_select.resize_field_select,
		 MLX5_MODIFY_CQ_MASK_LOG_SIZE | MLX5_MODIFY_CQ_MASK_PG_OFFSET |
		 MLX5_MODIFY_CQ_MASK_PG_SIZE);
	cqc = MLX5_ADDR_OF(modify_cq_in, in, cq_context);
	MLX5_SET(cqc, cqc, cqe_sz, p->cqe_128 ? CQE_STRIDE_128 : CQE_STRIDE_64);
	MLX5_SET(cqc, cqc, log_cq_size, p->log_size);
	MLX5_SET(cqc, cqc, log_page_size, IBX_PAGE_SHIFT - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET(cqc, cqc, page_offset, ibx_buf_page_offset(p->buf));
	ibx_buf_fill_pas(p->buf, MLX5_ADDR_OF(modify_cq_in, in, pas));

	start = ibx_cmd_start();
	err = mlx5_cmd_do(dev->mdev, in, inlen, out, sizeof(out));
	*unknown = ibx_cmd_unanswered(err);
	err = ibx_cmd_done(dev, MLX5_CMD_OP_MODIFY_CQ, start,
			   mlx5_cmd_check(dev->mdev, err, in, out));
	kvfree(in);
	return err;
}

/**
 * ibx_cmd_query_cq() - QUERY_CQ
 * @dev: device
 * @mcq: CQ
 * @cqc: MLX5_ST_SZ_DW(cqc) words for its context
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_query_cq(struct ibx_dev *dev, struct mlx5_core_cq *mcq, u32 *cqc)
{
	u32 in[MLX5_ST_SZ_DW(query_cq_in)] = {};

	MLX5_SET(query_cq_in, in, opcode, MLX5_CMD_OP_QUERY_CQ);
	MLX5_SET(query_cq_in, in, cqn, mcq->cqn);
	return ibx_cmd_query_ctx(dev, query_cq, in, cq_context, cqc, cqc);
}
