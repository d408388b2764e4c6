// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of DEVX, for processes and for ULPs of the kernel: user contexts, and the objects
 * and queries that devx/table.c has a row for.
 *
 * The number of a user context (uid) is in every command. The device then
 * refuses the number of any object that another user context, or the driver,
 * has created, in all fields of the command. The driver checks that the command
 * names the object of the caller's handle.
 *
 * When the device refuses a command, ibx_devx_exec(), ibx_devx_create() and
 * ibx_devx_access() return -EREMOTEIO, and the answer has status and syndrome.
 */
#include "cmd/cmd.h"
#include "devx/obj.h"

/**
 * ibx_cmd_create_uctx() - CREATE_UCTX
 * @dev: device
 * @uid: gets the number of the user context, never 0
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP if the device has no user contexts, or an errno from cmd.h.
 */
int ibx_cmd_create_uctx(struct ibx_dev *dev, u16 *uid)
{
	u32 out[MLX5_ST_SZ_DW(create_uctx_out)] = {};
	u32 in[MLX5_ST_SZ_DW(create_uctx_in)] = {};
	int err;

	if (!MLX5_CAP_GEN(dev->mdev, log_max_uctx))
		return -EOPNOTSUPP;
	MLX5_SET(create_uctx_in, in, opcode, MLX5_CMD_OP_CREATE_UCTX);
	err = ibx_cmd_exec_inout(dev, create_uctx, in, out);
	if (!err)
		*uid = MLX5_GET(create_uctx_out, out, uid);
	return err;
}

/**
 * ibx_cmd_try_destroy_uctx() - DESTROY_UCTX, of a user context that may have objects
 * @dev: device
 * @uid: number of the user context
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EBUSY: the user context has objects
 * * an errno from cmd.h
 */
int ibx_cmd_try_destroy_uctx(struct ibx_dev *dev, u16 uid)
{
	u32 in[MLX5_ST_SZ_DW(destroy_uctx_in)] = {};

	MLX5_SET(destroy_uctx_in, in, opcode, MLX5_CMD_OP_DESTROY_UCTX);
	MLX5_SET(destroy_uctx_in, in, uid, uid);
	return ibx_cmd_exec_in(dev, destroy_uctx, in);
}

/**
 * ibx_cmd_destroy_uctx() - DESTROY_UCTX
 * @dev: device
 * @uid: number of a user context without objects; with 0 nothing is destroyed
 *
 * A user context that the device keeps is reported in the kernel log.
 *
 * Context: may sleep.
 */
void ibx_cmd_destroy_uctx(struct ibx_dev *dev, u16 uid)
{
	if (uid)
		ibx_cmd_left(dev, "user context", uid, ibx_cmd_try_destroy_uctx(dev, uid));
}

/**
 * ibx_devx_exec() - execute a command of DEVX
 * @dev: device
 * @uid: user context
 * @box: command that ibx_devx_check() has accepted, and space for the answer
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EREMOTEIO: the device refuses the command
 * * -ENOMEM
 * * an errno of mlx5_cmd_do(), for a command without an answer
 */
int ibx_devx_exec(struct ibx_dev *dev, u16 uid, const struct ibx_devx_box *box)
{
	ktime_t start = ibx_cmd_start();
	int err;

	ibx_devx_stamp(box->in, uid);
	err = mlx5_cmd_do(dev->mdev, box->in, box->inlen, box->out, box->outlen);
	return ibx_cmd_done(dev, MLX5_GET(general_obj_in_cmd_hdr, box->in, opcode), start, err);
}

static void async_done(int status, struct mlx5_async_work *work)
{
	struct ibx_devx_async *cmd = container_of(work, struct ibx_devx_async, work);

	cmd->done(cmd, ibx_cmd_done(cmd->dev, cmd->opcode, cmd->start, status));
}

/**
 * ibx_devx_exec_async() - start a command of DEVX
 * @ctx: counts the commands under way
 * @uid: user context
 * @box: command that ibx_devx_check() has accepted, and space for the answer;
 *	the space must stay valid until cmd->done() is called
 * @cmd: done() is called on completion, perhaps before this function returns
 *
 * Context: may sleep.
 * Return: 0 if done() will be called or was called; otherwise -ENOMEM, or an errno of
 * mlx5_cmd_exec_cb().
 */
int ibx_devx_exec_async(struct mlx5_async_ctx *ctx, u16 uid, const struct ibx_devx_box *box,
			struct ibx_devx_async *cmd)
{
	ibx_devx_stamp(box->in, uid);
	cmd->opcode = MLX5_GET(general_obj_in_cmd_hdr, box->in, opcode);
	cmd->start = ibx_cmd_start();
	return mlx5_cmd_exec_cb(ctx, box->in, box->inlen, box->out, box->outlen, async_done,
				&cmd->work);
}

static int devx_create_cq(struct ibx_dev *dev, u16 uid,
			  const struct ibx_devx_box *box,
			  struct ibx_devx_obj *obj)
{
	ktime_t start = ibx_cmd_start();
	int err;

	if (box->inlen < MLX5_ST_SZ_BYTES(create_cq_in))
		return -EINVAL;
	ibx_devx_stamp(box->in, uid);
	err = mlx5_create_cq(dev->mdev, &obj->mcq, box->in, box->inlen, box->out, box->outlen);
	/* mlx5_core does not have the event queue that the command names */
	if (err == -ENOENT)
		err = -EINVAL;
	return ibx_cmd_done(dev, MLX5_CMD_OP_CREATE_CQ, start, err);
}

/**
 * ibx_devx_create() - create an object
 * @dev: device
 * @uid: user context that is to own the object
 * @row: row of the command
 * @box: command that ibx_devx_check() has accepted, and space for the answer
 * @obj: receives the object; zeroed except for sources and mcq.comp(), which
 *	mlx5_core calls for each completion event of a CQ
 *
 * Context: may sleep.
 * Return: as ibx_devx_exec(), and -EINVAL for a CREATE_CQ that is too short or
 * names an event queue that mlx5_core does not have.
 */
int ibx_devx_create(struct ibx_dev *dev, u16 uid, const struct ibx_devx_row *row,
		    const struct ibx_devx_box *box, struct ibx_devx_obj *obj)
{
	int err;

	obj->dev = dev;
	obj->uid = uid;
	if (row->opcode == MLX5_CMD_OP_CREATE_CQ)
		err = devx_create_cq(dev, uid, box, obj);
	else
		err = ibx_devx_exec(dev, uid, box);
	if (!err)
		ibx_devx_created(row, box, &obj->id);
	return err;
}

/**
 * ibx_devx_destroy() - destroy an object
 * @dev: device
 * @obj: object
 *
 * A CQ that the device refuses to destroy raises no more events. If @obj->left
 * is set, an earlier call has failed: no command is issued, and the caller may
 * free @obj although the device still has the object.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY when another object uses @obj; or an errno from cmd.h. On
 * an error the device still has the object, and this can be called again.
 */
int ibx_devx_destroy(struct ibx_dev *dev, struct ibx_devx_obj *obj)
{
	u32 out[IBX_DEVX_MIN / sizeof(u32)] = {};
	u32 in[IBX_DEVX_MIN / sizeof(u32)];

	bool is_cq = obj->id.creator == MLX5_CMD_OP_CREATE_CQ;

	if (obj->left) {
		if (is_cq)
			ibx_cmd_forget_cq(&obj->mcq);
		return 0;
	}
	if (is_cq)
		return ibx_cmd_try_destroy_cq(dev, &obj->mcq);
	ibx_devx_undo(&obj->id, obj->uid, in);
	return ibx_cmd_exec(dev, in, sizeof(in), out, sizeof(out));
}

/**
 * ibx_devx_access() - execute a command that modifies or queries an object
 * @dev: device
 * @uid: user context
 * @row: row of the command
 * @box: command that ibx_devx_check() has accepted, and space for the answer
 * @id: object that the command must name
 *
 * Context: may sleep.
 * Return: as ibx_devx_exec(), and -EINVAL for a command that names another object.
 */
int ibx_devx_access(struct ibx_dev *dev, u16 uid, const struct ibx_devx_row *row,
		    const struct ibx_devx_box *box, const struct ibx_devx_id *id)
{
	struct ibx_devx_id named;

	ibx_devx_named(row, box->in, &named);
	if (!ibx_devx_same(&named, id))
		return -EINVAL;
	return ibx_devx_exec(dev, uid, box);
}
