// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DEVX: event channels of processes, and subscriptions to events. A channel is
 * a file; a process reads one event at a time, and may wait by poll(). The
 * events of a subscription may instead signal an eventfd.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME mlx5_ibx
#include <rdma/uverbs_named_ioctl.h>

#include "abi/devx.h"
#include "devx/event.h"

struct event_file {
	struct ib_uobject uobj;
	struct ibx_devx_channel channel;
};

static struct event_file *to_event_file(struct ib_uobject *uobj)
{
	return container_of(uobj, struct event_file, uobj);
}

static ssize_t event_file_read(struct file *filp, char __user *buf, size_t count, loff_t *pos)
{
	struct event_file *file = filp->private_data;
	struct ibx_devx_event event;
	ssize_t len;
	int err;

	static_assert(offsetof(struct ibx_devx_event, eqe) ==
		      sizeof(struct mlx5_ib_uapi_devx_async_event_hdr));
	while ((len = ibx_devx_channel_get(&file->channel, count, &event)) == -EAGAIN) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(file->channel.arrived,
					       ibx_devx_channel_ready(&file->channel));
		if (err)
			return err;
	}
	if (len > 0 && copy_to_user(buf, &event, len))
		return -EFAULT;
	return len;
}

static __poll_t event_file_poll(struct file *filp, struct poll_table_struct *wait)
{
	struct event_file *file = filp->private_data;

	poll_wait(filp, &file->channel.arrived, wait);
	if (!ibx_devx_channel_ready(&file->channel))
		return 0;
	return EPOLLIN | EPOLLRDNORM | (READ_ONCE(file->channel.closed) ? EPOLLRDHUP : 0);
}

static const struct file_operations event_file_fops = {
	.owner = THIS_MODULE,
	.read = event_file_read,
	.poll = event_file_poll,
	.release = uverbs_uobject_fd_release,
};

static void event_file_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why)
{
	ibx_devx_channel_close(&to_event_file(uobj)->channel);
}

static int
UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE);
	struct ibx_devx_channel *ch = &to_event_file(uobj)->channel;
	struct ibx_uctx *uctx = ibx_devx_uctx(attrs);
	u32 flags;
	int err;

	if (IS_ERR(uctx))
		return PTR_ERR(uctx);
	err = uverbs_get_flags32(&flags, attrs, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS,
				 MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA);
	if (err)
		return err;
	ibx_devx_channel_init(ch, to_idev(uctx->ibuc.device), &uctx->quota,
			      flags & MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA);
	ch->late = true;
	return 0;
}

/*
 * read a subscription. Eventfd and cookie are optional; a request with both is
 * refused
 */
static int event_read_order(struct uverbs_attr_bundle *attrs,
			    struct ibx_devx_order *order)
{
	const u16 list = MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST;
	const u16 cookie = MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE;
	const u16 fd = MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM;
	int num = uverbs_attr_ptr_get_array_size(attrs, list, sizeof(u16));
	int err = 0;

	if (num < 0)
		return num;
	order->events = uverbs_attr_get_alloced_ptr(attrs, list);
	order->num = num;
	order->has_fd = uverbs_attr_is_valid(attrs, fd);
	if (order->has_fd)
		err = uverbs_copy_from(&order->fd, attrs, fd);
	if (err || !uverbs_attr_is_valid(attrs, cookie))
		return err;
	return order->has_fd ? -EINVAL : uverbs_copy_from(&order->cookie, attrs, cookie);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *obj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE);
	struct ib_uobject *file =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE);
	struct ibx_uctx *uctx = ibx_devx_uctx(attrs);
	struct ibx_devx_order order = {};
	int err;

	if (IS_ERR(uctx))
		return PTR_ERR(uctx);
	err = event_read_order(attrs, &order);
	if (err)
		return err;
	return ibx_devx_subscribe(&to_event_file(file)->channel, IS_ERR(obj) ? NULL : obj->object,
				  &order);
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC,
			    UVERBS_ATTR_FD(MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE,
					   MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, UVERBS_ACCESS_NEW,
					   UA_MANDATORY),
			    UVERBS_ATTR_FLAGS_IN(MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS,
						 enum mlx5_ib_uapi_devx_create_event_channel_flags,
						 UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT,
			    UVERBS_ATTR_FD(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE,
					   MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, UVERBS_ACCESS_READ,
					   UA_MANDATORY),
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE,
					    MLX5_IB_OBJECT_DEVX_OBJ, UVERBS_ACCESS_READ,
					    UA_OPTIONAL),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST,
					       UVERBS_ATTR_MIN_SIZE(sizeof(u16)), UA_MANDATORY,
					       UA_ALLOC_AND_COPY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE,
					       UVERBS_ATTR_TYPE(u64), UA_OPTIONAL),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM,
					       UVERBS_ATTR_TYPE(u32), UA_OPTIONAL));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD,
			    UVERBS_TYPE_ALLOC_FD(sizeof(struct event_file), event_file_destroy,
						 &event_file_fops, "[devx_async_event]", O_RDONLY),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC));

/* add the method to the object that devx.c declares */
ADD_UVERBS_METHODS(subscribe_event, MLX5_IB_OBJECT_DEVX,
		   &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT));

/* objects of the mlx5 namespace */
const struct uapi_definition ibx_devx_event_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD),
	UAPI_DEF_CHAIN_OBJ_TREE(MLX5_IB_OBJECT_DEVX, &subscribe_event),
	{}
};
