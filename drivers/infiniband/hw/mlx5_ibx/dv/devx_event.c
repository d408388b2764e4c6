// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events for ULPs: <rdma/mlx5dv_devx.h>.
 */
#include <linux/export.h>
#include <linux/slab.h>

#include "devx/event.h"
#include "dv/devx.h"

struct mlx5dv_devx_event_channel {
	struct mlx5dv_devx_ctx *ctx;
	struct ibx_devx_channel channel;
};

struct mlx5dv_devx_event_channel *mlx5dv_devx_create_event_channel(struct mlx5dv_devx_ctx *ctx,
								   u32 flags)
{
	struct mlx5dv_devx_event_channel *ch;

	if (flags & ~MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA)
		return ERR_PTR(-EINVAL);
	ch = kzalloc(sizeof(*ch), GFP_KERNEL);
	if (!ch)
		return ERR_PTR(-ENOMEM);
	ch->ctx = ctx;
	ibx_devx_channel_init(&ch->channel, ctx->dev, &ctx->quota, flags);
	atomic_inc(&ctx->users);
	return ch;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_create_event_channel);

void mlx5dv_devx_destroy_event_channel(struct mlx5dv_devx_event_channel *channel)
{
	ibx_devx_channel_close(&channel->channel);
	atomic_dec(&channel->ctx->users);
	kfree(channel);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_destroy_event_channel);

static int subscribe_order(struct mlx5dv_devx_event_channel *channel, struct mlx5dv_devx_obj *obj,
			   const struct ibx_devx_order *order)
{
	if (obj && (obj->ctx != channel->ctx || obj->obj.left))
		return -EINVAL;
	return ibx_devx_subscribe(&channel->channel, obj ? &obj->obj : NULL, order);
}

int mlx5dv_devx_subscribe_devx_event(struct mlx5dv_devx_event_channel *channel,
				     struct mlx5dv_devx_obj *obj, u16 events_sz,
				     const u16 *events_num, u64 cookie)
{
	struct ibx_devx_order order = { .events = events_num, .cookie = cookie };

	if (events_sz % sizeof(*events_num))
		return -EINVAL;
	order.num = events_sz / sizeof(*events_num);
	return subscribe_order(channel, obj, &order);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_subscribe_devx_event);

int mlx5dv_devx_subscribe_devx_event_cb(struct mlx5dv_devx_event_channel *channel,
					struct mlx5dv_devx_obj *obj, u16 event_num,
					mlx5dv_devx_event_cb cb, void *arg)
{
	struct ibx_devx_order order = { .events = &event_num, .num = 1, .cb = cb, .arg = arg };

	return cb ? subscribe_order(channel, obj, &order) : -EINVAL;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_subscribe_devx_event_cb);

ssize_t mlx5dv_devx_get_event(struct mlx5dv_devx_event_channel *channel,
			      struct mlx5dv_devx_async_event_hdr *event_data,
			      size_t event_resp_len)
{
	struct ibx_devx_channel *ch = &channel->channel;
	struct ibx_devx_event event;
	ssize_t len;
	int err;

	/* another caller may fetch the event first */
	while ((len = ibx_devx_channel_get(ch, event_resp_len, &event)) == -EAGAIN) {
		err = wait_event_killable(ch->arrived, ibx_devx_channel_ready(ch));
		if (err)
			return err;
	}
	if (len > 0)
		memcpy(event_data, &event, len);
	return len;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_get_event);
