/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: events for subscribers to DEVX, processes and ULPs (devx_event.c, devx_channel.c).
 *
 * A subscription is found by the key of its event, in a bucket of the device. It belongs to a
 * channel, and to an object unless the event is one of the device; it ends with either.
 *
 * Locks, outermost first:
 *
 *   events->mutex         which subscriptions a channel and an object have
 *   bucket->lock          which subscriptions an event finds; irq safe
 *   channel->lock         events that were not fetched; irq safe
 */
#ifndef MLX5_IBX_DEVX_EVENT_H
#define MLX5_IBX_DEVX_EVENT_H

#include <linux/wait.h>

#include "cmd/devx.h"
#include "enc/devx_event.h"

struct eventfd_ctx;

/**
 * struct ibx_devx_channel - a place where events arrive
 * @dev: device
 * @subs: its subscriptions, under the mutex of the device's events
 * @lock: protects what follows
 * @queue: events that were not fetched
 * @queued: number of these
 * @overflow: an event was lost
 * @closed: no event arrives any more
 * @omit_data: an event has only the number that its subscriber chose; it is not queued a
 *	second time before it is fetched
 * @arrived: wakes those that wait for an event
 */
struct ibx_devx_channel {
	struct ibx_dev *dev;
	struct list_head subs;
	spinlock_t lock;	/* queue */
	struct list_head queue;
	unsigned int queued;
	bool overflow;
	bool closed;
	bool omit_data;
	wait_queue_head_t arrived;
};

/**
 * struct ibx_devx_event - an event as it is fetched
 * @cookie: number that the subscriber chose
 * @eqe: entry of the event queue
 */
struct ibx_devx_event {
	u64 cookie;
	struct mlx5_eqe eqe;
};

/**
 * struct ibx_devx_order - events to subscribe to
 * @events: MLX5_EVENT_TYPE_*
 * @num: number of these, at most IBX_DEVX_MAX_ORDER
 * @cookie: number that the subscriber chooses
 * @has_fd: events signal an eventfd, and do not arrive in the channel
 * @fd: file descriptor of the eventfd
 * @cb: called with @arg in hard interrupt context, under locks, for each event, which does not
 *	arrive in the channel; or NULL
 * @arg: first argument of @cb
 */
struct ibx_devx_order {
	const u16 *events;
	unsigned int num;
	u64 cookie;
	bool has_fd;
	int fd;
	void (*cb)(void *arg, u16 event, const void *eqe);
	void *arg;
};

#define IBX_DEVX_MAX_ORDER	16

/* a queued event */
struct ibx_devx_item {
	struct list_head link;
	struct ibx_devx_event event;
};

/**
 * struct ibx_devx_sub - a subscription
 * @hash: entry in a bucket
 * @key: event
 * @channel: channel
 * @channel_link: entry in ibx_devx_channel.subs
 * @obj_link: entry in ibx_devx_obj.subs; empty for an event of the device
 * @eventfd: eventfd to signal, or NULL
 * @cb: function to call, or NULL
 * @arg: argument of @cb
 * @item: entry in the queue of a channel with omit_data; event.cookie is set in any case
 * @orphan: the object is gone, and @item is still queued
 */
struct ibx_devx_sub {
	struct hlist_node hash;
	struct ibx_devx_key key;
	struct ibx_devx_channel *channel;
	struct list_head channel_link;
	struct list_head obj_link;
	struct eventfd_ctx *eventfd;
	void (*cb)(void *arg, u16 event, const void *eqe);
	void *arg;
	struct ibx_devx_item item;
	bool orphan;
};

/* ---- devx_event.c ---- */
int ibx_devx_events_init(struct ibx_dev *dev);
void ibx_devx_events_exit(struct ibx_dev *dev);
int ibx_devx_subscribe(struct ibx_devx_channel *ch, struct ibx_devx_obj *obj,
		       const struct ibx_devx_order *order);
int ibx_devx_obj_create(struct ibx_dev *dev, u16 uid, const struct ibx_devx_row *row,
			const struct ibx_devx_box *box, struct ibx_devx_obj *obj);
int ibx_devx_obj_destroy(struct ibx_dev *dev, struct ibx_devx_obj *obj);
void ibx_devx_channel_close(struct ibx_devx_channel *ch);

/* ---- devx_channel.c ---- */
void ibx_devx_channel_init(struct ibx_devx_channel *ch, struct ibx_dev *dev, bool omit_data);
void ibx_devx_channel_put(struct ibx_devx_sub *sub, const struct mlx5_eqe *eqe);
ssize_t ibx_devx_channel_get(struct ibx_devx_channel *ch, size_t room,
			     struct ibx_devx_event *event);
bool ibx_devx_channel_ready(struct ibx_devx_channel *ch);
void ibx_devx_channel_empty(struct ibx_devx_channel *ch);
void ibx_devx_sub_free(struct ibx_devx_sub *sub);

#endif /* MLX5_IBX_DEVX_EVENT_H */
