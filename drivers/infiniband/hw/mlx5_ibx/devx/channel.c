// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Channels of DEVX: events wait here until a process or a ULP fetches them.
 *
 * Without omit_data, a channel holds MAX_QUEUED events. Further events, and
 * events for which memory cannot be allocated, are lost; the next
 * ibx_devx_channel_get() returns -EOVERFLOW once. With omit_data, a
 * subscription has at most one queued event: later events are merged into it,
 * and none is lost.
 *
 * The quota (struct ibx_devx_quota) is part of the context, which is freed
 * after the channel is closed. A process may still read from the channel then.
 * So a subscription is subtracted from quota->subs before it is freed, under
 * the lock of the channel, and only while the channel is not closed.
 */
#include <linux/slab.h>

#include "devx/event.h"

#define MAX_QUEUED	4096

/**
 * ibx_devx_channel_init() - prepare a channel
 * @ch: channel
 * @dev: device
 * @quota: counts of the subscriptions of the context; must be valid until the
 *	channel is closed
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

/* Return: the item to queue for an event; NULL if the event is not queued */
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
 * @sub: subscription, which does not end during the call
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
	/*
	 * under the lock, so that the channel is not freed before wake_up() has
	 * returned
	 */
	wake_up(&ch->arrived);
	spin_unlock_irqrestore(&ch->lock, flags);
}

/**
 * ibx_devx_channel_lose() - note that an event of a channel was lost
 * @ch: channel
 *
 * Context: any but hard interrupts; interrupts are enabled.
 */
void ibx_devx_channel_lose(struct ibx_devx_channel *ch)
{
	spin_lock_irq(&ch->lock);
	ch->overflow = true;
	wake_up(&ch->arrived);
	spin_unlock_irq(&ch->lock);
}

/*
 * Subtract subscriptions from the counts. The caller frees the subscriptions.
 * drop_sub() subtracts from the count of subscriptions to events of the device.
 */
static void uncount_subs(struct ibx_devx_channel *ch, int num)
{
	lockdep_assert_held(&ch->lock);
	atomic_sub(num, &ch->num);
	atomic_sub(num, &ch->quota->subs);
}

static struct ibx_devx_sub *sub_of(struct ibx_devx_item *item)
{
	return container_of(item, struct ibx_devx_sub, item);
}

/*
 * Remove an item from the queue. Return: true if the caller must free the item,
 * by free_item() and without the lock. With omit_data, the item is part of a
 * subscription, and must be freed only if the subscription is an orphan.
 */
static bool take_item(struct ibx_devx_channel *ch, struct ibx_devx_item *item)
{
	lockdep_assert_held(&ch->lock);
	list_del_init(&item->link);
	ch->queued--;
	if (!ch->omit_data)
		return true;
	if (!sub_of(item)->orphan)
		return false;
	uncount_subs(ch, 1);
	return true;
}

static void free_item(struct ibx_devx_channel *ch, struct ibx_devx_item *item)
{
	if (ch->omit_data)
		kfree(sub_of(item));
	else
		kfree(item);
}

/**
 * ibx_devx_channel_get() - fetch the event that arrived first
 * @ch: channel
 * @buf_len: length of the buffer of the caller in bytes
 * @event: gets the event
 *
 * Context: any but hard interrupts; interrupts are enabled.
 * Return:
 * * number of bytes of the event; with omit_data, number of bytes of the cookie
 * * -EAGAIN: the channel has no event
 * * -EINVAL: the event has more bytes than @buf_len, and stays in the channel
 * * -EOVERFLOW: events were lost; returned once
 * * -EIO: the channel is closed
 */
ssize_t ibx_devx_channel_get(struct ibx_devx_channel *ch, size_t buf_len,
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
	} else if (buf_len < ret) {
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
 * ibx_devx_channel_ready() - check whether there is an event, or an error, to
 * fetch
 * @ch: channel
 *
 * Context: any but hard interrupts; interrupts are enabled.
 * Return: true if ibx_devx_channel_get() does not return -EAGAIN.
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
 * ibx_devx_channel_empty() - drop the events of a channel, and close it
 * @ch: channel whose subscriptions have ended; orphans in the queue are freed
 *
 * Interrupts are disabled for a short time that does not depend on the number
 * of events.
 *
 * Context: may sleep.
 */
void ibx_devx_channel_empty(struct ibx_devx_channel *ch)
{
	struct ibx_devx_item *item, *next;
	LIST_HEAD(left);

	spin_lock_irq(&ch->lock);
	ch->closed = true;
	/* the remaining subscriptions are orphans, and all are in the queue */
	uncount_subs(ch, atomic_read(&ch->num));
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
 * ibx_devx_sub_free() - free a subscription, now or when its queued event is
 *	fetched or dropped
 * @sub: subscription that was removed from the lists of its source and its
 *	channel; its item may still be in the queue of the channel
 *
 * Context: any but hard interrupts; interrupts are enabled.
 */
void ibx_devx_sub_free(struct ibx_devx_sub *sub)
{
	struct ibx_devx_channel *ch = sub->channel;
	bool orphan;

	spin_lock_irq(&ch->lock);
	orphan = !list_empty(&sub->item.link);
	sub->orphan = orphan;
	if (!orphan)
		uncount_subs(ch, 1);
	spin_unlock_irq(&ch->lock);
	if (!orphan)
		kfree(sub);
}
