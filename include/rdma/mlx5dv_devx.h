/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: Firmware commands for kernel ULPs (DEVX)
 *
 * Included by <rdma/mlx5dv.h>. These manual pages apply: mlx5dv_devx_obj_create(3),
 * mlx5dv_devx_create_cmd_comp(3), mlx5dv_devx_alloc_uar(3), mlx5dv_devx_query_eqn(3). Commands
 * and answers have the layouts of <linux/mlx5/mlx5_ifc.h>, and
 * Documentation/infiniband/devx.rst lists the commands.
 *
 * A context (struct mlx5dv_devx_ctx) owns a user context of the device. The driver puts
 * the number of the user context, the uid, in every command. So the device refuses
 * commands that name an object of another context, of a process or of the driver. Unlike
 * a process, a ULP may also name memory by bus addresses, instead of UMEMs
 * (<rdma/mlx5dv_devx_umem.h>). A context of <rdma/mlx5dv_devx_verbs.h> has no user
 * context, and may name PDs and CQs of verbs.
 *
 * The driver has a table of commands (devx/table.c). mlx5dv_devx_general_cmd() accepts
 * the general commands of the table, and all commands from 0xb00 to 0xcff. The firmware
 * reserves this range for commands that create no object, so a new command of the range
 * needs no change of the driver. Any other new command needs a row in the table. The row of
 * a command that creates an object names the command that destroys the object.
 *
 * This example creates a PD, and a PSV in the PD. make_psv_in() is a function
 * of the ULP that destroys the PSV before it returns; MLX5_SET() and the
 * structures are in <linux/mlx5/device.h>::
 *
 *	static int make_psv(struct ib_device *ibdev)
 *	{
 *		u32 pd_in[MLX5_ST_SZ_DW(alloc_pd_in)] = {};
 *		u32 pd_out[MLX5_ST_SZ_DW(alloc_pd_out)] = {};
 *		struct mlx5dv_devx_ctx *ctx = mlx5dv_devx_open(ibdev);
 *		struct mlx5dv_devx_obj *pd;
 *
 *		if (IS_ERR(ctx))
 *			return PTR_ERR(ctx);
 *		MLX5_SET(alloc_pd_in, pd_in, opcode, MLX5_CMD_OP_ALLOC_PD);
 *		pd = mlx5dv_devx_obj_create(ctx, pd_in, sizeof(pd_in), pd_out, sizeof(pd_out));
 *		if (!IS_ERR(pd)) {
 *			make_psv_in(ctx, MLX5_GET(alloc_pd_out, pd_out, pd));
 *			mlx5dv_devx_obj_destroy(pd);
 *		}
 *		mlx5dv_devx_close(ctx);
 *		return PTR_ERR_OR_ZERO(pd);
 *	}
 *
 * Errors: a command that the device refuses fails with -EREMOTEIO, and its
 * answer has status and syndrome. Without an answer, a command fails with
 * -ENOMEM, or with an errno of mlx5_cmd_do(): -ETIMEDOUT, or -ENXIO and -EIO
 * for a device that was removed or is in error. After -ETIMEDOUT of a command
 * that creates an object, the device may still create the object: memory that
 * the command names must never be freed. All calls that execute a command return
 * -EINVAL in these cases:
 *
 * * the command is not in the table, or belongs to another call
 * * the command has a vhca_tunnel_id, or creates more than one PSV or flow counter
 * * the command, or the space for its answer, ends before the number of the object
 * * the length of the command or of the answer is below 16 or above 65535 bytes
 * * the command creates a CQ on an event queue that mlx5_core does not have
 */
#ifndef RDMA_MLX5DV_DEVX_H
#define RDMA_MLX5DV_DEVX_H

#include <linux/types.h>

struct ib_device;
struct mlx5dv_devx_cmd_comp;
struct mlx5dv_devx_ctx;
struct mlx5dv_devx_obj;

/**
 * mlx5dv_devx_open() - open a context for commands
 * @ibdev: device with direct verbs (<rdma/mlx5dv.h>)
 *
 * mlx5dv_devx_open() and mlx5dv_devx_close() are called between the add() and
 * remove() of an ib_client.
 *
 * Context: may sleep.
 * Return:
 * * the context
 * * ERR_PTR(-EOPNOTSUPP): the device has no direct verbs, or no user contexts
 * * ERR_PTR(-ENOMEM)
 * * an ERR_PTR() of the firmware command
 */
struct mlx5dv_devx_ctx *mlx5dv_devx_open(struct ib_device *ibdev);

/**
 * mlx5dv_devx_close() - close a context
 * @ctx: context without objects, UMEMs, UARs, queues of answers, event channels
 *	and attached CQs
 *
 * Context: may sleep.
 */
void mlx5dv_devx_close(struct mlx5dv_devx_ctx *ctx);

/**
 * mlx5dv_devx_obj_create() - create an object
 * @ctx: context
 * @in: command that creates an object
 * @inlen: bytes of @in
 * @out: gets the answer, also with -EREMOTEIO
 * @outlen: bytes of @out
 *
 * Several callers may use a context, and an object, at the same time.
 *
 * Context: may sleep.
 * Return: the object, or an ERR_PTR(); see above.
 */
struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct mlx5dv_devx_ctx *ctx, const void *in,
					       size_t inlen, void *out, size_t outlen);

/**
 * mlx5dv_devx_obj_query() - query an object
 * @obj: object
 * @in: command that queries @obj
 * @inlen: bytes of @in
 * @out: gets the answer, also with -EREMOTEIO
 * @outlen: bytes of @out
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the command names another object; or see above
 * * another errno, see above
 */
int mlx5dv_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
			  size_t outlen);

/**
 * mlx5dv_devx_obj_modify() - modify an object
 * @obj: object
 * @in: command that modifies @obj
 * @inlen: bytes of @in
 * @out: gets the answer, also with -EREMOTEIO
 * @outlen: bytes of @out
 *
 * Context: may sleep.
 * Return: as mlx5dv_devx_obj_query().
 */
int mlx5dv_devx_obj_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
			   size_t outlen);

/**
 * mlx5dv_devx_obj_destroy() - destroy an object
 * @obj: object that no other object uses, and whose queries have all completed
 *
 * The call ends the subscriptions to events of the object. Events that have arrived
 * in a channel can still be fetched.
 *
 * Unlike the other calls, this call does not return the answer of the firmware
 * command. On failure the object and its subscriptions are not destroyed, and
 * the call can be repeated; events that occurred during the call are lost.
 * After -ETIMEDOUT, a second call frees @obj without a command, because the
 * number of the object may belong to another object by then. For the same
 * reason, other calls on @obj return -EINVAL, and its subscriptions get no more
 * events. The device may still have the object, whose memory must never be
 * freed then.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EBUSY: another object uses the object
 * * another errno of the firmware command
 */
int mlx5dv_devx_obj_destroy(struct mlx5dv_devx_obj *obj);

/**
 * mlx5dv_devx_general_cmd() - execute a command that names no object
 * @ctx: context
 * @in: command
 * @inlen: bytes of @in
 * @out: gets the answer, also with -EREMOTEIO
 * @outlen: bytes of @out
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EREMOTEIO: the device refuses the command, or does not support a command
 *   from 0xb00 to 0xcff
 * * another errno, see above
 */
int mlx5dv_devx_general_cmd(struct mlx5dv_devx_ctx *ctx, const void *in, size_t inlen, void *out,
			    size_t outlen);

/* ---- event queues and doorbell registers ---- */

/**
 * mlx5dv_devx_query_eqn() - get the number of an event queue
 * @ctx: context
 * @vector: completion vector, below ib_device.num_comp_vectors
 * @eqn: gets the number, for a CREATE_CQ
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: @vector is too large
 * * an errno of mlx5_core, which creates the event queue of a vector at the first
 *   use of the vector
 */
int mlx5dv_devx_query_eqn(struct mlx5dv_devx_ctx *ctx, u32 vector, u32 *eqn);

/* types of UAR: BF (mapped write-combining, for whole WQEs) or NC (uncached) */
#define MLX5DV_UAR_ALLOC_TYPE_BF	0
#define MLX5DV_UAR_ALLOC_TYPE_NC	1

/**
 * struct mlx5dv_devx_uar - a page of doorbell registers
 * @reg_addr: doorbell register of send queues
 * @base_addr: beginning of the page; CQs are armed at MLX5_CQ_DOORBELL
 * @page_id: index of the page, for CREATE_CQ and CREATE_QP
 */
struct mlx5dv_devx_uar {
	void __iomem *reg_addr;
	void __iomem *base_addr;
	u32 page_id;
};

/**
 * mlx5dv_devx_alloc_uar() - allocate a UAR
 * @ctx: context
 * @flags: MLX5DV_UAR_ALLOC_TYPE_BF or MLX5DV_UAR_ALLOC_TYPE_NC
 *
 * Context: may sleep.
 * Return:
 * * the UAR
 * * ERR_PTR(-EINVAL): other flags
 * * ERR_PTR(-EOPNOTSUPP): @flags is MLX5DV_UAR_ALLOC_TYPE_BF, and the platform
 *   cannot combine writes
 * * ERR_PTR(-ENOMEM)
 * * an ERR_PTR() of the firmware command
 */
struct mlx5dv_devx_uar *mlx5dv_devx_alloc_uar(struct mlx5dv_devx_ctx *ctx, u32 flags);

/**
 * mlx5dv_devx_free_uar() - free a UAR
 * @ctx: context of the UAR
 * @uar: UAR that no CQ and no QP uses. A UAR that is in use is reported in the
 *	kernel log, and stays until the device is reset
 *
 * Context: may sleep.
 */
void mlx5dv_devx_free_uar(struct mlx5dv_devx_ctx *ctx, struct mlx5dv_devx_uar *uar);

/* ---- queries that do not wait ---- */

/**
 * struct mlx5dv_devx_async_cmd_hdr - an answer that has arrived
 * @wr_id: number that the caller gave to the query
 * @out_data: the answer, with status and syndrome
 */
struct mlx5dv_devx_async_cmd_hdr {
	u64 wr_id;
	u8 out_data[];
};

/**
 * mlx5dv_devx_create_cmd_comp() - create a queue of answers
 * @ctx: context
 *
 * Context: may sleep.
 * Return: the queue; or ERR_PTR(-ENOMEM).
 */
struct mlx5dv_devx_cmd_comp *mlx5dv_devx_create_cmd_comp(struct mlx5dv_devx_ctx *ctx);

/**
 * typedef mlx5dv_devx_cmd_cb - function that gets an answer
 * @arg: argument of mlx5dv_devx_create_cmd_comp_cb()
 * @wr_id: number that the caller gave to the query
 * @err: 0; -EREMOTEIO when the device refuses the query; or the errno of a query without an
 *	answer
 * @out: the answer, with status and syndrome; valid until the function returns
 * @outlen: bytes of @out
 *
 * Context: hard interrupt; with PREEMPT_RT a thread, under RCU.
 */
typedef void (*mlx5dv_devx_cmd_cb)(void *arg, u64 wr_id, int err, const void *out,
				   size_t outlen);

/**
 * mlx5dv_devx_create_cmd_comp_cb() - create a queue of answers for a function
 * @ctx: context
 * @cb: called for each answer, perhaps before mlx5dv_devx_obj_query_async() returns
 * @arg: first argument of @cb
 *
 * libmlx5 has no such call.
 *
 * Context: may sleep.
 * Return: the queue, which mlx5dv_devx_get_async_cmd_comp() does not accept; or
 * ERR_PTR(-ENOMEM).
 */
struct mlx5dv_devx_cmd_comp *mlx5dv_devx_create_cmd_comp_cb(struct mlx5dv_devx_ctx *ctx,
							    mlx5dv_devx_cmd_cb cb, void *arg);

/**
 * mlx5dv_devx_destroy_cmd_comp() - destroy a queue, and the answers in the
 *	queue
 * @cmd_comp: queue of answers that no caller uses any more
 *
 * Context: may sleep: waits for the queries that are under way.
 */
void mlx5dv_devx_destroy_cmd_comp(struct mlx5dv_devx_cmd_comp *cmd_comp);

/**
 * mlx5dv_devx_obj_query_async() - send a query, and do not wait for its answer
 * @obj: object
 * @in: command that queries @obj
 * @inlen: bytes of @in
 * @outlen: bytes of the answer
 * @wr_id: returned with the answer
 * @cmd_comp: queue of answers, of the same context
 *
 * Context: may sleep.
 * Return:
 * * 0: an answer will arrive, also if the device refuses the query
 * * -EAGAIN: the queries in progress, their answers, and the answers that were
 *   not fetched would have more than 1 MiB
 * * -EINVAL: as mlx5dv_devx_obj_query(); or @cmd_comp is of another context
 * * another errno, see above
 */
int mlx5dv_devx_obj_query_async(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen,
				size_t outlen, u64 wr_id, struct mlx5dv_devx_cmd_comp *cmd_comp);

/**
 * mlx5dv_devx_get_async_cmd_comp() - fetch the answer that arrived first
 * @cmd_comp: queue of answers
 * @cmd_resp: gets the answer
 * @cmd_resp_len: bytes of @cmd_resp
 *
 * Context: may sleep: waits for an answer.
 * Return:
 * * 0
 * * -ENOSPC: the answer is longer than @cmd_resp_len, and stays in the queue
 * * -ERESTARTSYS: a fatal signal has interrupted the wait
 * * -EINVAL: @cmd_comp is of mlx5dv_devx_create_cmd_comp_cb()
 * * the errno of a query that was not answered: wr_id is set, and out_data has
 *   only a status
 */
int mlx5dv_devx_get_async_cmd_comp(struct mlx5dv_devx_cmd_comp *cmd_comp,
				   struct mlx5dv_devx_async_cmd_hdr *cmd_resp,
				   size_t cmd_resp_len);

#endif /* RDMA_MLX5DV_DEVX_H */
