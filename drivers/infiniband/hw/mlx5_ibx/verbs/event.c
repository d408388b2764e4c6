// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Delivery of asynchronous events to consumers. Events of mlx5_core arrive in
 * notifier.c.
 *
 * Events of a QP or an SRQ go through a work queue, because handlers of
 * consumers expect process context. An event holds a reference to its object,
 * and destroying the object waits until the event is handled. Errors of a CQ
 * are in cq.c, the state of the port is in port.c.
 */
#include <linux/slab.h>

#include "trace.h"
#include "verbs/verbs.h"

/* an event that is queued for a consumer */
struct async_event {
	struct work_struct work;
	struct ib_event event;
	void (*handler)(struct ib_event *event, void *context);
	void *context;
	struct ibx_ref *ref;
};

static void async_event_work(struct work_struct *work)
{
	struct async_event *e = container_of(work, struct async_event, work);

	e->handler(&e->event, e->context);
	ibx_ref_put(e->ref);
	kfree(e);
}

/**
 * ibx_event_queue() - report an event to a consumer, from a work item
 * @dev: device
 * @ref: reference to the object; belongs to the event after success
 * @event: event
 * @handler: handler of the consumer, or NULL
 * @context: argument of @handler
 *
 * Context: any, hard interrupts too.
 * Return: true; false, and the caller keeps @ref, if there is no handler or no
 * memory. The allocator logs a warning if there is no memory.
 */
bool ibx_event_queue(struct ibx_dev *dev, struct ibx_ref *ref, const struct ib_event *event,
		     void (*handler)(struct ib_event *event, void *context), void *context)
{
	struct async_event *e;

	if (!handler)
		return false;
	e = kzalloc(sizeof(*e), GFP_ATOMIC);
	if (!e)
		return false;
	INIT_WORK(&e->work, async_event_work);
	e->event = *event;
	e->handler = handler;
	e->context = context;
	e->ref = ref;
	queue_work(dev->event_wq, &e->work);
	return true;
}

/**
 * ibx_event_watch() - start to check the device for a fatal error
 * @dev: device, before ibx_notifier_exit()
 *
 * Context: any.
 */
void ibx_event_watch(struct ibx_dev *dev)
{
	mod_delayed_work(system_percpu_wq, &dev->watch, 0);
}

/**
 * ibx_dispatch_port() - report an event of the port or the device to consumers
 * @dev: device; no report before it is registered or while it is removed
 * @type: IB_EVENT_*
 *
 * Context: any.
 */
void ibx_dispatch_port(struct ibx_dev *dev, enum ib_event_type type)
{
	struct ib_event event = {
		.device = &dev->ibdev,
		.element.port_num = IBX_PORT,
		.event = type,
	};

	if (!READ_ONCE(dev->active))
		return;
	trace_ibx_event_port(dev, type, IBX_PORT);
	ib_dispatch_event(&event);
}
