// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of DEVX: subscriptions, and delivery of events to subscriptions.
 * devx/event.h describes sources, channels and locks. mlx5_core reports events
 * in hard interrupt context: completions of a CQ of DEVX by its table of CQs,
 * and all other events by its chain of notifiers.
 *
 * While an object is being destroyed, its sources are hidden: no event is
 * delivered to its subscriptions. The number of the object may then belong to
 * an object of another context, so that two sources have the same key. If the
 * device refuses to destroy the object, its sources are visible again.
 *
 * Any number of processes may subscribe to an event of the device. The
 * interrupt copies the event, and a work item delivers it to the channels of
 * processes. While MAX_LATE events wait, further events are dropped, and the
 * work item then reports a lost event to every subscription of a process to
 * events of the device.
 */
#include <linux/eventfd.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/eq.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "devx/event.h"
#include "trace.h"
#include "verbs/verbs.h"

#define MAX_LATE	32

static const struct rhashtable_params source_params = {
	.key_len = sizeof(struct ibx_devx_key),
	.key_offset = offsetof(struct ibx_devx_source, key),
	.head_offset = offsetof(struct ibx_devx_source, node),
	.automatic_shrinking = true,
};

/* the key is hashed as bytes */
static_assert(sizeof(struct ibx_devx_key) == 2 * sizeof(u16) + sizeof(u32));

/* an event of the device that was not delivered to processes yet */
struct late_event {
	u16 event;
	struct mlx5_eqe eqe;
};

/**
 * struct ibx_devx_events - subscriptions to events of a device
 * @dev: device
 * @nb: notifier of all events except completions
 * @caps: masks of the events that the device permits to subscribe to
 * @has_caps: the device reports @caps
 * @mutex: protects @device, and the lists of sources of objects and of subscriptions of channels
 * @sources: sources by their keys
 * @device: sources of the device
 * @late_lock: protects the members below, except @late_work
 * @late: events of the device to deliver to processes; the first @late_num
 *	entries are valid
 * @late_num: number of events in @late
 * @late_lost: an event was dropped because @late was full
 * @late_work: delivers the events in @late
 */
struct ibx_devx_events {
	struct ibx_dev *dev;
	struct mlx5_nb nb;
	struct ibx_devx_event_caps caps;
	bool has_caps;
	struct mutex mutex;	/* lists of sources and of subscriptions */
	struct rhltable sources;
	struct list_head device;
	spinlock_t late_lock;	/* late */
	struct late_event late[MAX_LATE];
	unsigned int late_num;
	bool late_lost;
	struct work_struct late_work;
};

static const struct ibx_devx_event_caps *caps_of(const struct ibx_devx_events *events)
{
	return events->has_caps ? &events->caps : NULL;
}

static void report_event(struct ibx_devx_sub *sub, u16 event, const struct mlx5_eqe *eqe)
{
	if (sub->eventfd)
		eventfd_signal(sub->eventfd);
	else if (sub->cb)
		sub->cb(sub->arg, event, eqe);
	else
		ibx_devx_channel_put(sub, eqe);
}

/* Return: number of subscriptions that got the event */
static u32 report_to_source(struct ibx_devx_source *source, const struct mlx5_eqe *eqe)
{
	struct ibx_devx_sub *sub;
	unsigned long flags;
	u32 walked = 0;

	spin_lock_irqsave(&source->lock, flags);
	if (!source->hidden) {
		list_for_each_entry(sub, &source->subs, link) {
			walked++;
			report_event(sub, source->key.event, eqe);
		}
	}
	spin_unlock_irqrestore(&source->lock, flags);
	return walked;
}

static void report_to_all(struct ibx_devx_events *events, const struct ibx_devx_key *key,
			  const struct mlx5_eqe *eqe)
{
	struct ibx_devx_source *source;
	struct rhlist_head *pos, *found;
	u32 walked = 0;

	rcu_read_lock();
	found = rhltable_lookup(&events->sources, key, source_params);
	rhl_for_each_entry_rcu(source, pos, found, node)
		walked += report_to_source(source, eqe);
	rcu_read_unlock();
	trace_ibx_devx_event(events->dev, key->event, key->type, key->nr, walked);
}

/* queue an event of the device for the work item */
static void report_later(struct ibx_devx_events *events, u16 event, const struct mlx5_eqe *eqe)
{
	struct late_event *late;
	unsigned long flags;

	spin_lock_irqsave(&events->late_lock, flags);
	if (events->late_num < MAX_LATE) {
		late = &events->late[events->late_num++];
		late->event = event;
		late->eqe = *eqe;
	} else {
		events->late_lost = true;
	}
	spin_unlock_irqrestore(&events->late_lock, flags);
	schedule_work(&events->late_work);
}

static noinline_for_stack void report_eqe(struct ibx_devx_events *events, unsigned long event,
					  struct mlx5_eqe *eqe)
{
	struct ibx_devx_key key;

	ibx_devx_key_of_eqe(caps_of(events), event, eqe, &key);
	report_to_all(events, &key, eqe);
	if (ibx_devx_may_subscribe(caps_of(events), false, event) && !list_empty(&events->device))
		report_later(events, event, eqe);
}

static int any_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct ibx_devx_events *events = container_of(nb, struct ibx_devx_events, nb.nb);
	struct mlx5_eqe *eqe = data;

	/* frequent events that only mlx5_core handles */
	if (event == MLX5_EVENT_TYPE_CMD || event == MLX5_EVENT_TYPE_PAGE_REQUEST)
		return NOTIFY_DONE;
	/*
	 * notifier.c handles this event of a claimed device; a companion has no
	 * such notifier
	 */
	if (event == MLX5_EVENT_TYPE_DCT_DRAINED && events->dev->backend)
		ibx_dct_drained(events->dev, be32_to_cpu(eqe->data.dct.dctn) & 0xffffff);
	report_eqe(events, event, eqe);
	return NOTIFY_OK;
}

static void cq_comp(struct mlx5_core_cq *mcq, struct mlx5_eqe *eqe)
{
	struct ibx_devx_obj *obj = container_of(mcq, struct ibx_devx_obj, mcq);
	struct ibx_devx_key key;

	ibx_devx_key_of_obj(&obj->id, MLX5_EVENT_TYPE_COMP, &key);
	report_to_all(obj->dev->devx_events, &key, eqe);
}

static void read_caps(struct ibx_devx_events *events)
{
	struct mlx5_core_dev *mdev = events->dev->mdev;

	events->has_caps = MLX5_CAP_GEN(mdev, event_cap);
	if (!events->has_caps)
		return;
	events->caps.object = MLX5_CAP_DEV_EVENT(mdev, user_affiliated_events);
	events->caps.device = MLX5_CAP_DEV_EVENT(mdev, user_unaffiliated_events);
}

/* Return: true with an event in @late, or with @lost set (events were lost) */
static bool take_late(struct ibx_devx_events *events, struct late_event *late, bool *lost)
{
	bool taken;

	spin_lock_irq(&events->late_lock);
	taken = events->late_num;
	*lost = !taken && events->late_lost;
	if (taken) {
		*late = events->late[0];
		events->late_num--;
		memmove(events->late, events->late + 1, events->late_num * sizeof(*late));
	} else {
		events->late_lost = false;
	}
	spin_unlock_irq(&events->late_lock);
	return taken || *lost;
}

/* report that events were lost: by an event without data, or by -EOVERFLOW */
static void report_lost(struct ibx_devx_sub *sub)
{
	static const struct mlx5_eqe none;

	if (sub->eventfd || sub->channel->omit_data)
		report_event(sub, sub->source->key.event, &none);
	else
		ibx_devx_channel_lose(sub->channel);
}

static void deliver_late(struct work_struct *work)
{
	struct ibx_devx_events *events = container_of(work, struct ibx_devx_events, late_work);
	struct ibx_devx_source *source;
	struct ibx_devx_sub *sub;
	struct late_event late;
	bool lost;

	while (take_late(events, &late, &lost)) {
		mutex_lock(&events->mutex);
		list_for_each_entry(source, &events->device, link) {
			if (!lost && source->key.event != late.event)
				continue;
			list_for_each_entry(sub, &source->late, link) {
				if (lost)
					report_lost(sub);
				else
					report_event(sub, late.event, &late.eqe);
				cond_resched();
			}
		}
		mutex_unlock(&events->mutex);
	}
}

/**
 * ibx_devx_events_init() - prepare for subscriptions to events
 * @dev: device
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ibx_devx_events_init(struct ibx_dev *dev)
{
	struct ibx_devx_events *events = kzalloc(sizeof(*events), GFP_KERNEL);
	int err;

	if (!events)
		return -ENOMEM;
	err = rhltable_init(&events->sources, &source_params);
	if (err) {
		kfree(events);
		return err;
	}
	events->dev = dev;
	mutex_init(&events->mutex);
	INIT_LIST_HEAD(&events->device);
	spin_lock_init(&events->late_lock);
	INIT_WORK(&events->late_work, deliver_late);
	read_caps(events);
	dev->devx_events = events;
	MLX5_NB_INIT(&events->nb, any_event, NOTIFY_ANY);
	mlx5_eq_notifier_register(dev->mdev, &events->nb);
	return 0;
}

/**
 * ibx_devx_events_exit() - undo ibx_devx_events_init()
 * @dev: device without contexts of DEVX
 *
 * Context: may sleep.
 */
void ibx_devx_events_exit(struct ibx_dev *dev)
{
	struct ibx_devx_events *events = dev->devx_events;

	mlx5_eq_notifier_unregister(dev->mdev, &events->nb);
	cancel_work_sync(&events->late_work);
	rhltable_destroy(&events->sources);
	mutex_destroy(&events->mutex);
	kfree(events);
}

static struct list_head *sources_of(struct ibx_devx_events *events, struct ibx_devx_obj *obj)
{
	return obj ? &obj->sources : &events->device;
}

/* find the source of an event, or create it for the first subscription */
static struct ibx_devx_source *get_source(struct ibx_devx_events *events, struct ibx_devx_obj *obj,
					  u16 event)
{
	struct list_head *list = sources_of(events, obj);
	struct ibx_devx_source *source;
	int err;

	lockdep_assert_held(&events->mutex);
	list_for_each_entry(source, list, link)
		if (source->key.event == event)
			return source;
	source = kzalloc(sizeof(*source), GFP_KERNEL_ACCOUNT);
	if (!source)
		return ERR_PTR(-ENOMEM);
	source->key.event = event;
	source->of_device = !obj;
	if (obj)
		ibx_devx_key_of_obj(&obj->id, event, &source->key);
	spin_lock_init(&source->lock);
	INIT_LIST_HEAD(&source->subs);
	INIT_LIST_HEAD(&source->late);
	err = rhltable_insert(&events->sources, &source->node, source_params);
	if (err) {
		kfree(source);
		return ERR_PTR(-ENOMEM);
	}
	list_add_tail(&source->link, list);
	return source;
}

static void put_source(struct ibx_devx_events *events, struct ibx_devx_source *source)
{
	lockdep_assert_held(&events->mutex);
	if (source->num)
		return;
	rhltable_remove(&events->sources, &source->node, source_params);
	list_del(&source->link);
	kfree_rcu(source, rcu);
}

static bool is_late(const struct ibx_devx_sub *sub)
{
	return sub->channel->late && sub->source->of_device;
}

static void show_sub(struct ibx_devx_sub *sub)
{
	struct ibx_devx_source *source = sub->source;

	spin_lock_irq(&source->lock);
	list_add_tail(&sub->link, is_late(sub) ? &source->late : &source->subs);
	spin_unlock_irq(&source->lock);
}

static void drop_sub(struct ibx_devx_events *events, struct ibx_devx_sub *sub)
{
	struct ibx_devx_source *source = sub->source;

	lockdep_assert_held(&events->mutex);
	spin_lock_irq(&source->lock);
	list_del(&sub->link);
	spin_unlock_irq(&source->lock);
	list_del(&sub->channel_link);
	if (sub->eventfd)
		eventfd_ctx_put(sub->eventfd);
	if (source->of_device)
		atomic_dec(&sub->channel->quota->device);
	source->num--;
	put_source(events, source);
	ibx_devx_sub_free(sub);
}

static void drop_source(struct ibx_devx_events *events, struct ibx_devx_source *source)
{
	unsigned int left = source->num;

	while (left--)
		drop_sub(events, list_first_entry(&source->subs, struct ibx_devx_sub, link));
}

static void hide_sources(struct ibx_devx_obj *obj, bool hidden)
{
	struct ibx_devx_events *events = obj->dev->devx_events;
	struct ibx_devx_source *source;

	lockdep_assert_held(&events->mutex);
	list_for_each_entry(source, &obj->sources, link) {
		spin_lock_irq(&source->lock);
		source->hidden = hidden;
		spin_unlock_irq(&source->lock);
	}
}

static struct ibx_devx_sub *alloc_sub(struct ibx_devx_channel *ch,
				      const struct ibx_devx_order *order)
{
	struct ibx_devx_sub *sub = kzalloc(sizeof(*sub), GFP_KERNEL_ACCOUNT);

	if (!sub)
		return ERR_PTR(-ENOMEM);
	if (order->has_fd) {
		sub->eventfd = eventfd_ctx_fdget(order->fd);
		if (IS_ERR(sub->eventfd)) {
			long err = PTR_ERR(sub->eventfd);

			kfree(sub);
			return ERR_PTR(err);
		}
	}
	sub->channel = ch;
	sub->cb = order->cb;
	sub->arg = order->arg;
	sub->item.event.cookie = order->cookie;
	INIT_LIST_HEAD(&sub->item.link);
	INIT_LIST_HEAD(&sub->link);
	return sub;
}

/* create a subscription; it gets no event before show_sub() */
static struct ibx_devx_sub *new_sub(struct ibx_devx_channel *ch, struct ibx_devx_obj *obj,
				    const struct ibx_devx_order *order, u16 event)
{
	struct ibx_devx_events *events = ch->dev->devx_events;
	struct ibx_devx_source *source;
	struct ibx_devx_sub *sub;

	source = get_source(events, obj, event);
	if (IS_ERR(source))
		return ERR_CAST(source);
	if (obj && source->num >= IBX_DEVX_MAX_SOURCE)
		return ERR_PTR(-ENOSPC);
	sub = alloc_sub(ch, order);
	if (IS_ERR(sub)) {
		put_source(events, source);
		return sub;
	}
	sub->source = source;
	source->num++;
	atomic_inc(&ch->num);
	atomic_inc(&ch->quota->subs);
	if (!obj)
		atomic_inc(&ch->quota->device);
	list_add_tail(&sub->channel_link, &ch->subs);
	return sub;
}

static bool has_space(const struct ibx_devx_channel *ch, const struct ibx_devx_obj *obj,
		      unsigned int num)
{
	lockdep_assert_held(&ch->dev->devx_events->mutex);
	return atomic_read(&ch->num) + num <= IBX_DEVX_MAX_CHANNEL &&
	       atomic_read(&ch->quota->subs) + num <= IBX_DEVX_MAX_CONTEXT &&
	       (obj || atomic_read(&ch->quota->device) + num <= IBX_DEVX_MAX_DEVICE);
}

/* subscribe to all events of @order, or on failure to no event */
static int subscribe_all(struct ibx_devx_channel *ch, struct ibx_devx_obj *obj,
			 const struct ibx_devx_order *order)
{
	struct ibx_devx_events *events = ch->dev->devx_events;
	struct ibx_devx_sub *subs[IBX_DEVX_MAX_ORDER];
	unsigned int i, made;

	if (!has_space(ch, obj, order->num))
		return -ENOSPC;
	for (made = 0; made < order->num; made++) {
		subs[made] = new_sub(ch, obj, order, order->events[made]);
		if (IS_ERR(subs[made]))
			break;
	}
	for (i = 0; i < made; i++) {
		if (made == order->num)
			show_sub(subs[i]);
		else
			drop_sub(events, subs[i]);
	}
	return made == order->num ? 0 : PTR_ERR(subs[made]);
}

/**
 * ibx_devx_subscribe() - subscribe to events
 * @ch: channel
 * @obj: object of the events, or NULL for events of the device
 * @order: events to subscribe to; on failure, the channel is subscribed to no
 *	event. A channel may subscribe to an event more than once
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: there is no event or there are more than IBX_DEVX_MAX_ORDER
 *   events, or an event cannot be subscribed to
 * * -ENOSPC: an event of the object, the channel or its context would exceed
 *   its number of subscriptions (IBX_DEVX_MAX_*)
 * * -EBADF or -EINVAL: the file descriptor is no eventfd
 * * -ENOMEM
 */
int ibx_devx_subscribe(struct ibx_devx_channel *ch, struct ibx_devx_obj *obj,
		       const struct ibx_devx_order *order)
{
	struct ibx_devx_events *events = ch->dev->devx_events;
	unsigned int i;
	int err;

	if (!order->num || order->num > IBX_DEVX_MAX_ORDER)
		return -EINVAL;
	for (i = 0; i < order->num; i++)
		if (!ibx_devx_may_subscribe(caps_of(events), obj, order->events[i]))
			return -EINVAL;
	mutex_lock(&events->mutex);
	err = subscribe_all(ch, obj, order);
	mutex_unlock(&events->mutex);
	return err;
}

/**
 * ibx_devx_channel_close() - end the subscriptions of a channel, and drop its events
 * @ch: channel; its memory stays valid for threads that still wait for an event
 *
 * Context: may sleep.
 */
void ibx_devx_channel_close(struct ibx_devx_channel *ch)
{
	struct ibx_devx_events *events = ch->dev->devx_events;
	struct ibx_devx_sub *sub, *next;

	mutex_lock(&events->mutex);
	list_for_each_entry_safe(sub, next, &ch->subs, channel_link) {
		drop_sub(events, sub);
		cond_resched();
	}
	/*
	 * this also frees the orphans: subscriptions that have ended while
	 * their event is queued
	 */
	ibx_devx_channel_empty(ch);
	mutex_unlock(&events->mutex);
}

/**
 * ibx_devx_obj_create() - create an object that may have events
 * @dev: device
 * @uid: user context that is to own the object
 * @row: row of the command in the table of commands
 * @box: command that ibx_devx_check() has accepted, and space for the answer
 * @obj: zeroed; gets the object
 *
 * Context: may sleep.
 * Return: as ibx_devx_create().
 */
int ibx_devx_obj_create(struct ibx_dev *dev, u16 uid, const struct ibx_devx_row *row,
			const struct ibx_devx_box *box, struct ibx_devx_obj *obj)
{
	INIT_LIST_HEAD(&obj->sources);
	obj->mcq.comp = cq_comp;
	return ibx_devx_create(dev, uid, row, box, obj);
}

/*
 * Drain a DCT before it is destroyed; the device drains a DCT only once. Most
 * failures are ignored: the device refuses to destroy a DCT that is not
 * drained. Return: -ETIMEDOUT if the object must not be destroyed, else 0
 */
static int stop_obj(struct ibx_dev *dev, struct ibx_devx_obj *obj)
{
	int err;

	if (obj->id.creator != MLX5_CMD_OP_CREATE_DCT || obj->left || obj->stopped)
		return 0;
	err = ibx_dct_stop(dev, obj->id.nr, obj->uid);
	obj->stopped = !err;
	return ibx_cmd_lost(err) ? err : 0;
}

/**
 * ibx_devx_obj_destroy() - destroy an object, and end the subscriptions to its events
 * @dev: device
 * @obj: object that nothing else uses at the same time
 *
 * On failure the object still has its subscriptions, which get no event until
 * ibx_devx_obj_show(): the caller may destroy the object in another way, or its
 * number may belong to another object.
 *
 * Context: may sleep.
 * Return: as ibx_devx_destroy().
 */
int ibx_devx_obj_destroy(struct ibx_dev *dev, struct ibx_devx_obj *obj)
{
	struct ibx_devx_events *events = dev->devx_events;
	struct ibx_devx_source *source, *next;
	int err;

	mutex_lock(&events->mutex);
	hide_sources(obj, true);
	mutex_unlock(&events->mutex);
	err = stop_obj(dev, obj);
	if (!err)
		err = ibx_devx_destroy(dev, obj);
	if (err)
		return err;
	mutex_lock(&events->mutex);
	list_for_each_entry_safe(source, next, &obj->sources, link)
		drop_source(events, source);
	mutex_unlock(&events->mutex);
	return 0;
}

/**
 * ibx_devx_obj_show() - let the subscriptions of an object get events again
 * @obj: object that ibx_devx_obj_destroy() could not destroy, and whose number
 *	belongs to no other object. Events in the meantime are lost
 *
 * Context: may sleep.
 */
void ibx_devx_obj_show(struct ibx_devx_obj *obj)
{
	struct ibx_devx_events *events = obj->dev->devx_events;

	mutex_lock(&events->mutex);
	hide_sources(obj, false);
	mutex_unlock(&events->mutex);
}
