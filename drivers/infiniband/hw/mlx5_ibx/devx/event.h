/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: events for subscribers to DEVX, processes and ULPs (event.c, channel.c).
 *
 * A source is one type of event of one object, or of the device, and has a list
 * of subscriptions. When an event arrives, its source is looked up by a key
 * (type of event and object). A subscription also belongs to a channel; it ends
 * when its object or its channel is destroyed.
 *
 * The interrupt of an event walks only the subscriptions of its source. A
 * source of an object has at most IBX_DEVX_MAX_SOURCE subscriptions. A source
 * of the device may have subscriptions of every context: a work item delivers
 * these events to processes.
 *
 * Locks, outermost first:
 *
 *   events->mutex         lists of sources, and of subscriptions of a channel
 *   source->lock          subscriptions that an interrupt walks; irq safe
 *   channel->lock         events that were not fetched; irq safe
 *   events->late_lock     events that the work item has not delivered; irq safe
 *
 * Interrupts look up sources under RCU.
 */
#ifndef MLX5_IBX_DEVX_EVENT_H
#define MLX5_IBX_DEVX_EVENT_H

#include <linux/rhashtable-types.h>
#include <linux/wait.h>

#include "devx/event_key.h"
#include "devx/obj.h"

struct eventfd_ctx;

#define IBX_DEVX_MAX_SOURCE	64	/* subscriptions to one event of an object */
#define IBX_DEVX_MAX_CHANNEL	16384	/* subscriptions of a channel */
#define IBX_DEVX_MAX_CONTEXT	65536	/* subscriptions of a context */
#define IBX_DEVX_MAX_DEVICE	256	/* subscriptions of a context to events of the device */

/**
 * struct ibx_devx_source - an event of an object, or of the device, with subscriptions
 * @node: entry in ibx_devx_events.sources
 * @key: event
 * @link: entry in ibx_devx_obj.sources, or in ibx_devx_events.device
 * @of_device: @key is an event of the device
 * @num: number of subscriptions, under the mutex of the device's events
 * @lock: protects @subs and @hidden
 * @subs: subscriptions that the interrupt walks
 * @hidden: the object is being destroyed, or could not be destroyed and is not
 *	shown again (ibx_devx_obj_show()): no event is delivered
 * @late: subscriptions of processes to an event of the device, under the mutex
 * @rcu: frees the source after the interrupts that have looked it up
 */
struct ibx_devx_source {
	struct rhlist_head node;
	struct ibx_devx_key key;
	struct list_head link;
	bool of_device;
	unsigned int num;
	spinlock_t lock;	/* subs, hidden */
	struct list_head subs;
	bool hidden;
	struct list_head late;
	struct rcu_head rcu;
};

/**
 * struct ibx_devx_channel - a queue of events for a process or a ULP
 * @dev: device
 * @quota: counts of the subscriptions of the context; quota->subs decreases
 *	under @lock only, and no count is used after @closed is set
 * @num: number of subscriptions, including orphans in @queue; decreases under
 *	@lock only
 * @late: a work item delivers events of the device (for a process)
 * @subs: subscriptions of the channel, under the mutex of the device's events
 * @lock: protects @queue, @queued, @overflow and @closed, and orphan of the
 *	subscriptions
 * @queue: events that were not fetched
 * @queued: number of events in @queue
 * @overflow: an event was lost; the next fetch returns -EOVERFLOW
 * @closed: no event arrives any more
 * @omit_data: an event consists only of the cookie of its subscription, which
 *	has at most one event in @queue
 * @arrived: wakes threads that wait for an event
 */
struct ibx_devx_channel {
	struct ibx_dev *dev;
	struct ibx_devx_quota *quota;
	atomic_t num;
	bool late;
	struct list_head subs;
	spinlock_t lock;	/* queue, queued, overflow, closed */
	struct list_head queue;
	unsigned int queued;
	bool overflow;
	bool closed;
	bool omit_data;
	wait_queue_head_t arrived;
};

/**
 * struct ibx_devx_event - an event that a process or a ULP fetches
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
 * @num: number of @events, at most IBX_DEVX_MAX_ORDER
 * @cookie: number that the subscriber chooses
 * @has_fd: events signal an eventfd, and do not arrive in the channel
 * @fd: file descriptor of the eventfd
 * @cb: callback for each event, in hard interrupt context with locks held; the
 *	events do not go to the channel. NULL: no callback, as always for
 *	processes
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
 * @source: source of the events
 * @link: entry in ibx_devx_source.subs or ibx_devx_source.late
 * @channel: channel
 * @channel_link: entry in ibx_devx_channel.subs
 * @eventfd: eventfd to signal, or NULL
 * @cb: function to call, or NULL
 * @arg: argument of @cb
 * @item: entry in the queue of a channel with omit_data; event.cookie is set in any case
 * @orphan: the subscription has ended, and @item is still queued
 */
struct ibx_devx_sub {
	struct ibx_devx_source *source;
	struct list_head link;
	struct ibx_devx_channel *channel;
	struct list_head channel_link;
	struct eventfd_ctx *eventfd;
	void (*cb)(void *arg, u16 event, const void *eqe);
	void *arg;
	struct ibx_devx_item item;
	bool orphan;
};

/* ---- event.c ---- */
int ibx_devx_events_init(struct ibx_dev *dev);
void ibx_devx_events_exit(struct ibx_dev *dev);
int ibx_devx_subscribe(struct ibx_devx_channel *ch, struct ibx_devx_obj *obj,
		       const struct ibx_devx_order *order);
int ibx_devx_obj_create(struct ibx_dev *dev, u16 uid, const struct ibx_devx_row *row,
			const struct ibx_devx_box *box, struct ibx_devx_obj *obj);
int ibx_devx_obj_destroy(struct ibx_dev *dev, struct ibx_devx_obj *obj);
void ibx_devx_obj_show(struct ibx_devx_obj *obj);
void ibx_devx_channel_close(struct ibx_devx_channel *ch);

/* ---- channel.c ---- */
void ibx_devx_channel_init(struct ibx_devx_channel *ch, struct ibx_dev *dev,
			   struct ibx_devx_quota *quota, bool omit_data);
void ibx_devx_channel_put(struct ibx_devx_sub *sub, const struct mlx5_eqe *eqe);
void ibx_devx_channel_lose(struct ibx_devx_channel *ch);
ssize_t ibx_devx_channel_get(struct ibx_devx_channel *ch, size_t buf_len,
			     struct ibx_devx_event *event);
bool ibx_devx_channel_ready(struct ibx_devx_channel *ch);
void ibx_devx_channel_empty(struct ibx_devx_channel *ch);
void ibx_devx_sub_free(struct ibx_devx_sub *sub);

#endif /* MLX5_IBX_DEVX_EVENT_H */
