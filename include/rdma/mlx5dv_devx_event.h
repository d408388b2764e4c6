/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: Events of firmware objects for kernel ULPs (DEVX)
 *
 * Included by <rdma/mlx5dv.h>. These manual pages apply: mlx5dv_devx_create_event_channel(3),
 * mlx5dv_devx_subscribe_devx_event(3), mlx5dv_devx_get_event(3).
 *
 * A ULP subscribes to events of an object that it has created (<rdma/mlx5dv_devx.h>), or of the
 * device. The events arrive in a channel, from which the ULP fetches them, or a
 * function is called for each event.
 *
 * This example subscribes to the completions of a CQ. The ULP requests each
 * event by arming the CQ::
 *
 *	static void cq_event(void *arg, u16 event_num, const void *eqe)
 *	{
 *		struct my_ulp *ulp = arg;
 *
 *		complete(&ulp->cq_event);
 *	}
 *
 *	channel = mlx5dv_devx_create_event_channel(ctx, 0);
 *	if (IS_ERR(channel))
 *		return PTR_ERR(channel);
 *	return mlx5dv_devx_subscribe_devx_event_cb(channel, cq, MLX5_EVENT_TYPE_COMP,
 *						   cq_event, ulp);
 *
 * samples/devx_writer.c is a complete example: a CQ and a QP that move data.
 */
#ifndef RDMA_MLX5DV_DEVX_EVENT_H
#define RDMA_MLX5DV_DEVX_EVENT_H

#include <linux/types.h>

struct mlx5dv_devx_ctx;
struct mlx5dv_devx_event_channel;
struct mlx5dv_devx_obj;

/**
 * enum mlx5dv_devx_create_event_channel_flags - flags of an event channel
 * @MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA: an event consists only of
 *	the cookie of its subscription. The channel holds at most one event for each
 *	subscription; later events are merged into this event until it is fetched
 */
enum mlx5dv_devx_create_event_channel_flags {
	MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA = 1 << 0,
};

/**
 * struct mlx5dv_devx_async_event_hdr - an event that has arrived
 * @cookie: number that the subscriber chose
 * @out_data: entry of the event queue, struct mlx5_eqe
 */
struct mlx5dv_devx_async_event_hdr {
	u64 cookie;
	u8 out_data[];
};

/**
 * mlx5dv_devx_create_event_channel() - create a channel of events
 * @ctx: context
 * @flags: enum mlx5dv_devx_create_event_channel_flags
 *
 * Context: may sleep.
 * Return:
 * * the channel
 * * ERR_PTR(-EINVAL): other flags
 * * ERR_PTR(-ENOMEM)
 */
struct mlx5dv_devx_event_channel *mlx5dv_devx_create_event_channel(struct mlx5dv_devx_ctx *ctx,
								   u32 flags);

/**
 * mlx5dv_devx_destroy_event_channel() - destroy a channel and its subscriptions
 * @channel: channel that no caller uses any more
 *
 * After the call has returned, no function of a subscription is called.
 *
 * Context: may sleep.
 */
void mlx5dv_devx_destroy_event_channel(struct mlx5dv_devx_event_channel *channel);

/**
 * mlx5dv_devx_subscribe_devx_event() - subscribe to events
 * @channel: channel in which the events arrive
 * @obj: object of the same context; NULL for events of the device
 * @events_sz: bytes of @events_num, for 1 to 16 events
 * @events_num: MLX5_EVENT_TYPE_*; for each MLX5_EVENT_TYPE_COMP, the ULP must
 *	arm the CQ
 * @cookie: returned with the events
 *
 * On failure there is no new subscription.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the object is of another context, @events_sz is out of range, or the
 *   device does not permit subscriptions to an event
 * * -ENOSPC: more than 64 subscriptions to one event of an object, 16384 of a
 *   channel, 65536 of a context, or 256 of a context to events of the device
 * * -ENOMEM
 */
int mlx5dv_devx_subscribe_devx_event(struct mlx5dv_devx_event_channel *channel,
				     struct mlx5dv_devx_obj *obj, u16 events_sz,
				     const u16 *events_num, u64 cookie);

/**
 * typedef mlx5dv_devx_event_cb - function that is called for an event
 * @arg: argument of mlx5dv_devx_subscribe_devx_event_cb()
 * @event_num: MLX5_EVENT_TYPE_*
 * @eqe: entry of the event queue, struct mlx5_eqe
 *
 * Context: hard interrupt, or with PREEMPT_RT a thread; under locks. The function
 * must not call functions of this header.
 */
typedef void (*mlx5dv_devx_event_cb)(void *arg, u16 event_num, const void *eqe);

/**
 * mlx5dv_devx_subscribe_devx_event_cb() - have a function called for an event
 * @channel: channel that owns the subscription: the subscription ends when the channel
 *	is destroyed. Events of the subscription do not arrive in the channel
 * @obj: as in mlx5dv_devx_subscribe_devx_event()
 * @event_num: MLX5_EVENT_TYPE_*
 * @cb: function
 * @arg: first argument of @cb
 *
 * Replaces mlx5dv_devx_subscribe_devx_event_fd() of userspace.
 *
 * Context: may sleep.
 * Return: as mlx5dv_devx_subscribe_devx_event().
 */
int mlx5dv_devx_subscribe_devx_event_cb(struct mlx5dv_devx_event_channel *channel,
					struct mlx5dv_devx_obj *obj, u16 event_num,
					mlx5dv_devx_event_cb cb, void *arg);

/**
 * mlx5dv_devx_get_event() - fetch the event that arrived first
 * @channel: channel of the event
 * @event_data: gets the event
 * @event_resp_len: bytes of @event_data
 *
 * Context: may sleep: waits for an event.
 * Return:
 * * number of bytes: 8 with OMIT_EV_DATA, otherwise 72
 * * -EINVAL: the event has more bytes than @event_resp_len, and stays in the
 *   channel
 * * -EOVERFLOW: events were lost, because the channel held 4096 events or memory
 *   could not be allocated; returned once. With OMIT_EV_DATA, no event is lost
 * * -ERESTARTSYS: a fatal signal has interrupted the wait
 */
ssize_t mlx5dv_devx_get_event(struct mlx5dv_devx_event_channel *channel,
			      struct mlx5dv_devx_async_event_hdr *event_data,
			      size_t event_resp_len);

#endif /* RDMA_MLX5DV_DEVX_EVENT_H */
