// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Channels of DEVX: events wait here until a process or a ULP fetches them.
 *
 * A channel holds MAX_QUEUED events. Those that find no room, or no memory, are lost, and the
 * next attempt to fetch an event says so once.
 */
#include <linux/slab.h>

#include "verbs/devx_event.h"

#define MAX_QUEUED	4096

/**
 * ibx_devx_channel_init() - prepare a channel
 * @ch: channel
 * @dev: device
 * @quota: subscriptions of its context, which ends after the channel
 * @omit_data: see struct ibx_devx_channel
 *
 * Context: any.
 */
void ibx_devx_channel_init(struct ibx_devx_channel *ch, struct ibx_dev *dev,
			   struct ibx_devx_quota *quota, bool omit_data)
{
	ch->dev = dev;
	ch->quota = quota;
	ch->late = false;
	atomic_set(&ch->num, 0);
	ch->omit_data = omit_data;
	ch->queued = 0;
	ch->overflow = false;
	ch->closed = false;
	INIT_LIST_HEAD(&ch->subs);
	INIT_LIST_HEAD(&ch->queue);
	spin_lock_init(&ch->lock);
	init_waitqueue_head(&ch->arrived);
}

/* the item to queue for an event, or NULL if none is */
static struct ibx_devx_item *item_of(struct ibx_devx_sub *sub, const struct mlx5_eqe *eqe)
{
	struct ibx_devx_channel *ch = sub->channel;
	struct ibx_devx_item *item;

	lockdep_assert_held(&ch->lock);
	if (ch->omit_data)
		return list_empty(&sub->item.link) ? &sub->item : NULL;
	item = ch->queued < MAX_QUEUED ? kzalloc(sizeof(*item), GFP_ATOMIC | __GFP_NOWARN) : NULL;
	if (!item) {
		ch->overflow = true;
		return NULL;
	}
	item->event.cookie = sub->item.event.cookie;
	item->event.eqe = *eqe;
	return item;
}

/**
 * ibx_devx_channel_put() - put an event in the channel of a subscription
 * @sub: subscription, which cannot end
 * @eqe: entry of the event queue
 *
 * Context: any, hard interrupts too.
 */
void ibx_devx_channel_put(struct ibx_devx_sub *sub, const struct mlx5_eqe *eqe)
{
	struct ibx_devx_channel *ch = sub->channel;
	struct ibx_devx_item *item;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	item = item_of(sub, eqe);
	if (item) {
		list_add_tail(&item->link, &ch->queue);
		ch->queued++;
	}
	/* under the lock: then the channel cannot go before this has ended */
	wake_up(&ch->arrived);
	spin_unlock_irqrestore(&ch->lock, flags);
}

/**
 * ibx_devx_channel_lose() - an event was lost: the next attempt to fetch one says so
 * @ch: channel
 *
 * Context: any but hard interrupts.
 */
void ibx_devx_channel_lose(struct ibx_devx_channel *ch)
{
	spin_lock_irq(&ch->lock);
	ch->overflow = true;
	wake_up(&ch->arrived);
	spin_unlock_irq(&ch->lock);
}

/* the last step of a subscription; events of the device are not counted here */
static void free_sub(struct ibx_devx_sub *sub)
{
	atomic_dec(&sub->channel->num);
	atomic_dec(&sub->channel->quota->subs);
	kfree(sub);
}

/*
 * The item leaves the queue. Return: true if it is to be freed, by free_item(), without the lock:
 * always, but with omit_data only for an object that is gone
 */
static bool take_item(struct ibx_devx_channel *ch, struct ibx_devx_item *item)
{
	lockdep_assert_held(&ch->lock);
	list_del_init(&item->link);
	ch->queued--;
	return !ch->omit_data || container_of(item, struct ibx_devx_sub, item)->orphan;
}

static void free_item(struct ibx_devx_channel *ch, struct ibx_devx_item *item)
{
	if (ch->omit_data)
		free_sub(container_of(item, struct ibx_devx_sub, item));
	else
		kfree(item);
}

/**
 * ibx_devx_channel_get() - fetch the event that arrived first
 * @ch: channel
 * @room: bytes that the caller has room for
 * @event: gets the event
 *
 * Context: any but hard interrupts.
 * Return: number of bytes, which with omit_data is that of the cookie; -EAGAIN without an
 * event; -EINVAL when the event has more bytes than @room, and stays; -EOVERFLOW, once, after
 * events were lost; -EIO for a closed channel.
 */
ssize_t ibx_devx_channel_get(struct ibx_devx_channel *ch, size_t room,
			     struct ibx_devx_event *event)
{
	ssize_t ret = ch->omit_data ? sizeof(event->cookie) : sizeof(*event);
	struct ibx_devx_item *item;
	bool taken = false;

	spin_lock_irq(&ch->lock);
	item = list_first_entry_or_null(&ch->queue, struct ibx_devx_item, link);
	if (ch->closed) {
		ret = -EIO;
	} else if (ch->overflow) {
		ch->overflow = false;
		ret = -EOVERFLOW;
	} else if (!item) {
		ret = -EAGAIN;
	} else if (room < ret) {
		ret = -EINVAL;
	} else {
		*event = item->event;
		taken = take_item(ch, item);
	}
	spin_unlock_irq(&ch->lock);
	if (taken)
		free_item(ch, item);
	return ret;
}

/**
 * ibx_devx_channel_ready() - tell whether there is an event, or an error, to fetch
 * @ch: channel
 *
 * Context: any but hard interrupts.
 * Return: true if it does not return -EAGAIN.
 */
bool ibx_devx_channel_ready(struct ibx_devx_channel *ch)
{
	bool ready;

	spin_lock_irq(&ch->lock);
	ready = !list_empty(&ch->queue) || ch->overflow || ch->closed;
	spin_unlock_irq(&ch->lock);
	return ready;
}

/**
 * ibx_devx_channel_empty() - drop the events of a channel, and let no other arrive
 * @ch: channel without subscriptions
 *
 * Interrupts are off for a few instructions, however many events there are.
 *
 * Context: may sleep.
 */
void ibx_devx_channel_empty(struct ibx_devx_channel *ch)
{
	struct ibx_devx_item *item, *next;
	LIST_HEAD(left);

	spin_lock_irq(&ch->lock);
	ch->closed = true;
	list_splice_init(&ch->queue, &left);
	ch->queued = 0;
	wake_up(&ch->arrived);
	spin_unlock_irq(&ch->lock);
	list_for_each_entry_safe(item, next, &left, link) {
		free_item(ch, item);
		cond_resched();
	}
}

/**
 * ibx_devx_sub_free() - free a subscription, at the latest when its event is fetched
 * @sub: subscription that is in no list
 *
 * Context: any but hard interrupts.
 */
void ibx_devx_sub_free(struct ibx_devx_sub *sub)
{
	struct ibx_devx_channel *ch = sub->channel;
	bool orphan;

	spin_lock_irq(&ch->lock);
	orphan = !list_empty(&sub->item.link);
	sub->orphan = orphan;
	spin_unlock_irq(&ch->lock);
	if (!orphan)
		free_sub(sub);
}
