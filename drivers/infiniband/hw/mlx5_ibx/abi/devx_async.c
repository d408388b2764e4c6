// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DEVX: files in which the answers to queries arrive. A query names the file in which its answer
 * is to arrive (devx_obj.c); a process reads one answer at a time, and may wait by poll().
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME mlx5_ibx
#include <rdma/uverbs_named_ioctl.h>

#include "abi/devx.h"

static struct ibx_devx_cmd_file *to_cmd_file(struct ib_uobject *uobj)
{
	return container_of(uobj, struct ibx_devx_cmd_file, uobj);
}

static ssize_t cmd_file_read(struct file *filp, char __user *buf, size_t count, loff_t *pos)
{
	struct ibx_devx_cmd_file *file = filp->private_data;
	struct ibx_devx_answer *a;
	ssize_t len;
	int err;

	static_assert(offsetof(struct ibx_devx_answer, out) -
		      offsetof(struct ibx_devx_answer, wr_id) ==
		      sizeof(struct mlx5_ib_uapi_devx_async_cmd_hdr));
	while ((a = ibx_devx_answers_get(&file->answers, count)) == ERR_PTR(-EAGAIN)) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(file->answers.arrived,
					       ibx_devx_answers_ready(&file->answers));
		if (err)
			return err;
	}
	if (IS_ERR(a))
		return PTR_ERR(a);
	len = sizeof(a->wr_id) + a->len;
	if (copy_to_user(buf, &a->wr_id, len))
		len = -EFAULT;
	ibx_devx_answer_free(a);
	return len;
}

static __poll_t cmd_file_poll(struct file *filp, struct poll_table_struct *wait)
{
	struct ibx_devx_cmd_file *file = filp->private_data;

	poll_wait(filp, &file->answers.arrived, wait);
	if (!ibx_devx_answers_ready(&file->answers))
		return 0;
	return EPOLLIN | EPOLLRDNORM | (READ_ONCE(file->answers.closed) ? EPOLLRDHUP : 0);
}

static const struct file_operations cmd_file_fops = {
	.owner = THIS_MODULE,
	.read = cmd_file_read,
	.poll = cmd_file_poll,
	.release = uverbs_uobject_fd_release,
};

static void cmd_file_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why)
{
	ibx_devx_answers_close(&to_cmd_file(uobj)->answers);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE);
	struct ibx_uctx *uctx = ibx_devx_uctx(attrs);

	if (IS_ERR(uctx))
		return PTR_ERR(uctx);
	ibx_devx_answers_init(&to_cmd_file(uobj)->answers, to_idev(uctx->ibuc.device), uctx->uid);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC,
			    UVERBS_ATTR_FD(MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE,
					   MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, UVERBS_ACCESS_NEW,
					   UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD,
			    UVERBS_TYPE_ALLOC_FD(sizeof(struct ibx_devx_cmd_file),
						 cmd_file_destroy, &cmd_file_fops,
						 "[devx_async_cmd]", O_RDONLY),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC));

/* objects of the mlx5 namespace */
const struct uapi_definition ibx_devx_async_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD),
	{}
};
