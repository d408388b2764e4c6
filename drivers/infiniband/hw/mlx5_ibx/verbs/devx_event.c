// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of DEVX: which subscriptions there are, and which of them an event finds.
 *
 * Completions of a CQ of DEVX arrive by mlx5_core's table of CQs, other events by its chain of
 * notifiers; both in hard interrupt context.
 *
 * While an object is being destroyed no event finds its subscriptions: its number may soon be
 * that of an object of another context. They are back if the device refuses to destroy it.
 */
#include <linux/eventfd.h>
#include <linux/hash.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/eq.h>
#include <linux/slab.h>

#include "trace.h"
#include "verbs/devx_event.h"

#define BUCKET_BITS	6

/* subscriptions whose keys have the same hash */
struct bucket {
	spinlock_t lock;	/* subs */
	struct hlist_head subs;
};

/**
 * struct ibx_devx_events - subscriptions to events of a device
 * @dev: device
 * @nb: notifier of all events but completions
 * @caps: masks of the device
 * @has_caps: there are masks
 * @mutex: protects the lists of subscriptions of channels and of objects
 * @buckets: the subscriptions that events find, by the hash of their keys
 */
struct ibx_devx_events {
	struct ibx_dev *dev;
	struct mlx5_nb nb;
	struct ibx_devx_event_caps caps;
	bool has_caps;
	struct mutex mutex;	/* lists of subscriptions */
	struct bucket buckets[BIT(BUCKET_BITS)];
};

static const struct ibx_devx_event_caps *caps_of(const struct ibx_devx_events *events)
{
	return events->has_caps ? &events->caps : NULL;
}

static struct bucket *bucket_of(struct ibx_devx_events *events, const struct ibx_devx_key *key)
{
	u64 all = (u64)key->event << 48 | (u64)key->type << 32 | key->nr;

	return &events->buckets[hash_64(all, BUCKET_BITS)];
}

static bool same_key(const struct ibx_devx_key *a, const struct ibx_devx_key *b)
{
	return a->event == b->event && a->type == b->type && a->nr == b->nr;
}

static void report_event(struct ibx_devx_sub *sub, const struct mlx5_eqe *eqe)
{
	if (sub->eventfd)
		eventfd_signal(sub->eventfd);
	else if (sub->cb)
		sub->cb(sub->arg, sub->key.event, eqe);
	else
		ibx_devx_channel_put(sub, eqe);
}

static void report_to_all(struct ibx_devx_events *events, const struct ibx_devx_key *key,
			  const struct mlx5_eqe *eqe)
{
	struct bucket *b = bucket_of(events, key);
	struct ibx_devx_sub *sub;
	unsigned long flags;
	u32 walked = 0;

	spin_lock_irqsave(&b->lock, flags);
	hlist_for_each_entry(sub, &b->subs, hash) {
		walked++;
		if (same_key(&sub->key, key))
			report_event(sub, eqe);
	}
	spin_unlock_irqrestore(&b->lock, flags);
	trace_ibx_devx_event(events->dev, key->event, key->type, key->nr, walked);
}

static noinline_for_stack void report_eqe(struct ibx_devx_events *events, unsigned long event,
					  struct mlx5_eqe *eqe)
{
	struct ibx_devx_key key;

	ibx_devx_key_of_eqe(caps_of(events), event, eqe, &key);
	report_to_all(events, &key, eqe);
}

static int any_event(struct notifier_block *nb, unsigned long event, void *data)
{
	/* of mlx5_core, and frequent */
	if (event == MLX5_EVENT_TYPE_CMD || event == MLX5_EVENT_TYPE_PAGE_REQUEST)
		return NOTIFY_DONE;
	report_eqe(container_of(nb, struct ibx_devx_events, nb.nb), event, data);
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
	int i;

	if (!events)
		return -ENOMEM;
	events->dev = dev;
	mutex_init(&events->mutex);
	for (i = 0; i < ARRAY_SIZE(events->buckets); i++) {
		spin_lock_init(&events->buckets[i].lock);
		INIT_HLIST_HEAD(&events->buckets[i].subs);
	}
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
	mutex_destroy(&events->mutex);
	kfree(events);
}

static void hide_sub(struct ibx_devx_events *events, struct ibx_devx_sub *sub)
{
	struct bucket *b = bucket_of(events, &sub->key);

	spin_lock_irq(&b->lock);
	hlist_del_init(&sub->hash);
	spin_unlock_irq(&b->lock);
}

static void show_sub(struct ibx_devx_events *events, struct ibx_devx_sub *sub)
{
	struct bucket *b = bucket_of(events, &sub->key);

	spin_lock_irq(&b->lock);
	hlist_add_head(&sub->hash, &b->subs);
	spin_unlock_irq(&b->lock);
}

static void drop_sub(struct ibx_devx_events *events, struct ibx_devx_sub *sub)
{
	lockdep_assert_held(&events->mutex);
	hide_sub(events, sub);
	list_del(&sub->channel_link);
	list_del(&sub->obj_link);
	if (sub->eventfd)
		eventfd_ctx_put(sub->eventfd);
	ibx_devx_sub_free(sub);
}

static struct ibx_devx_sub *new_sub(struct ibx_devx_channel *ch, struct ibx_devx_obj *obj,
				    const struct ibx_devx_order *order, u16 event)
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
	sub->key.event = event;
	if (obj)
		ibx_devx_key_of_obj(&obj->id, event, &sub->key);
	sub->channel = ch;
	sub->cb = order->cb;
	sub->arg = order->arg;
	sub->item.event.cookie = order->cookie;
	INIT_LIST_HEAD(&sub->item.link);
	INIT_LIST_HEAD(&sub->obj_link);
	return sub;
}

/**
 * ibx_devx_subscribe() - subscribe to events
 * @ch: channel
 * @obj: object whose events they are, or NULL for events of the device
 * @order: events; all or none
 *
 * Context: may sleep.
 * Return: 0; -EINVAL for more than IBX_DEVX_MAX_ORDER events, and for one that cannot be
 * subscribed to; -EBADF or -EINVAL for a file descriptor that is no eventfd; or -ENOMEM.
 */
int ibx_devx_subscribe(struct ibx_devx_channel *ch, struct ibx_devx_obj *obj,
		       const struct ibx_devx_order *order)
{
	struct ibx_devx_events *events = ch->dev->devx_events;
	struct ibx_devx_sub *subs[IBX_DEVX_MAX_ORDER];
	unsigned int i, made;

	if (!order->num || order->num > IBX_DEVX_MAX_ORDER)
		return -EINVAL;
	for (i = 0; i < order->num; i++)
		if (!ibx_devx_may_subscribe(caps_of(events), obj, order->events[i]))
			return -EINVAL;
	mutex_lock(&events->mutex);
	for (made = 0; made < order->num; made++) {
		subs[made] = new_sub(ch, obj, order, order->events[made]);
		if (IS_ERR(subs[made]))
			break;
		list_add_tail(&subs[made]->channel_link, &ch->subs);
		if (obj)
			list_add_tail(&subs[made]->obj_link, &obj->subs);
	}
	for (i = 0; i < made; i++) {
		if (made == order->num)
			show_sub(events, subs[i]);
		else
			drop_sub(events, subs[i]);
	}
	mutex_unlock(&events->mutex);
	return made == order->num ? 0 : PTR_ERR(subs[made]);
}

/**
 * ibx_devx_channel_close() - end the subscriptions of a channel, and drop its events
 * @ch: channel; its memory stays, for those that still wait for an event
 *
 * Context: may sleep.
 */
void ibx_devx_channel_close(struct ibx_devx_channel *ch)
{
	struct ibx_devx_events *events = ch->dev->devx_events;
	struct ibx_devx_sub *sub, *next;

	mutex_lock(&events->mutex);
	list_for_each_entry(sub, &ch->subs, channel_link)
		hide_sub(events, sub);
	ibx_devx_channel_empty(ch);
	list_for_each_entry_safe(sub, next, &ch->subs, channel_link)
		drop_sub(events, sub);
	mutex_unlock(&events->mutex);
}

/**
 * ibx_devx_obj_create() - create an object that may have events
 * @dev: device
 * @uid: user context that is to own it
 * @row: row of the command
 * @box: command that ibx_devx_check() has accepted, and room for the answer
 * @obj: zeroed; gets the object
 *
 * Context: may sleep.
 * Return: as ibx_devx_create().
 */
int ibx_devx_obj_create(struct ibx_dev *dev, u16 uid, const struct ibx_devx_row *row,
			const struct ibx_devx_box *box, struct ibx_devx_obj *obj)
{
	INIT_LIST_HEAD(&obj->subs);
	obj->mcq.comp = cq_comp;
	return ibx_devx_create(dev, uid, row, box, obj);
}

/**
 * ibx_devx_obj_destroy() - destroy an object, and end the subscriptions to its events
 * @dev: device
 * @obj: object that nothing else uses at the same time
 *
 * Context: may sleep.
 * Return: as ibx_devx_destroy(). On failure the object still has its subscriptions; events
 * that occurred meanwhile are lost.
 */
int ibx_devx_obj_destroy(struct ibx_dev *dev, struct ibx_devx_obj *obj)
{
	struct ibx_devx_events *events = dev->devx_events;
	struct ibx_devx_sub *sub, *next;
	int err;

	mutex_lock(&events->mutex);
	list_for_each_entry(sub, &obj->subs, obj_link)
		hide_sub(events, sub);
	mutex_unlock(&events->mutex);
	err = ibx_devx_destroy(dev, obj);
	mutex_lock(&events->mutex);
	list_for_each_entry_safe(sub, next, &obj->subs, obj_link) {
		if (err)
			show_sub(events, sub);
		else
			drop_sub(events, sub);
	}
	mutex_unlock(&events->mutex);
	return err;
}
