/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The initiator's connection by the RDMA CM, for first_ulp.c and mkey_demo.
 *
 * first_conn_up() opens the connection, first_conn_down() closes it. The
 * connection is also closed after the peer has disconnected, and when the device
 * is removed: the handler of CM events cannot destroy the id, so it schedules a
 * work item. The removal of the device waits until the id is destroyed.
 *
 * Each step of connecting starts an operation of the CM, and waits for the event
 * that reports the end of the operation.
 */
#ifndef FIRST_CONN_H
#define FIRST_CONN_H

#include <linux/completion.h>
#include <linux/inet.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>
#include "first_ulp.h"

#define FIRST_TIMEOUT_MS	5000	/* to resolve an address or a route */

/**
 * struct first_conn - a connection of the initiator
 * @lock: held to open, use and close the connection, but not in the handlers of
 *	completions and of CM events
 * @id: NULL without a connection
 * @open: opens the connection: first_resolve(), creation of the QP and the other
 *	objects, and first_connect()
 * @lost: called when the connection has ended: ends each wait under @lock. Must
 *	not take @lock
 * @close: destroys the objects of @open except @id; @open may have failed after
 *	any of its steps
 * @close_work: closes the connection
 * @step: completed when a step of connecting ends
 * @step_err: result of the step
 */
struct first_conn {
	struct mutex lock;		/* opening, use and closing of the connection */
	struct rdma_cm_id *id;
	int (*open)(struct first_conn *conn);
	void (*lost)(void);
	void (*close)(struct rdma_cm_id *id);
	struct work_struct close_work;
	struct completion step;
	int step_err;
};

/**
 * first_conn_close() - close a connection, unless it is closed
 * @conn: connection
 *
 * Context: process context, may sleep. The caller holds conn->lock.
 */
static inline void first_conn_close(struct first_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->id)
		return;
	conn->close(conn->id);
	rdma_destroy_id(conn->id);
	conn->id = NULL;
}

static inline void first_conn_close_work(struct work_struct *work)
{
	struct first_conn *conn = container_of(work, struct first_conn, close_work);

	mutex_lock(&conn->lock);
	first_conn_close(conn);
	mutex_unlock(&conn->lock);
}

/* initializer of a connection with the functions PREFIX_open, _lost and _close */
#define FIRST_CONN_INIT(conn_, prefix_) {						\
	.lock = __MUTEX_INITIALIZER((conn_).lock),					\
	.open = prefix_##_open,								\
	.lost = prefix_##_lost,								\
	.close = prefix_##_close,							\
	.close_work = __WORK_INITIALIZER((conn_).close_work, first_conn_close_work),	\
	.step = COMPLETION_INITIALIZER((conn_).step),					\
}

static inline int first_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct first_conn *conn = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
	case RDMA_CM_EVENT_ESTABLISHED:
		conn->step_err = 0;
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		/* the removal of the device waits until the id is destroyed */
		conn->step_err = -ECONNRESET;
		conn->lost();
		schedule_work(&conn->close_work);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
		conn->step_err = -ECONNREFUSED;
		break;
	default:
		return 0;
	}
	complete(&conn->step);
	return 0;
}

/* @err: 0, or errno of the call that begins a step. Return: result of the step */
static inline int first_wait_step(struct first_conn *conn, int err)
{
	if (!err)
		err = wait_for_completion_killable(&conn->step);
	return err ?: conn->step_err;
}

/**
 * first_resolve() - create the id of a connection, and find its device and route
 * @conn: connection, in open()
 * @local: IP address of the local device
 * @peer: IP address of the peer
 *
 * Context: process context, may sleep. The caller holds conn->lock.
 * Return: 0 or a negative errno.
 */
static inline int first_resolve(struct first_conn *conn, const char *local, const char *peer)
{
	struct sockaddr_storage src, dst;
	struct rdma_cm_id *id;
	int err;

	lockdep_assert_held(&conn->lock);
	err = inet_pton_with_scope(&init_net, AF_UNSPEC, local, NULL, &src) ?:
	      inet_pton_with_scope(&init_net, AF_UNSPEC, peer, __stringify(FIRST_PORT), &dst);
	if (err)
		return err;
	id = rdma_create_id(&init_net, first_cm_event, conn, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	conn->id = id;
	return first_wait_step(conn, rdma_resolve_addr(id, (struct sockaddr *)&src,
						       (struct sockaddr *)&dst,
						       FIRST_TIMEOUT_MS)) ?:
	       first_wait_step(conn, rdma_resolve_route(id, FIRST_TIMEOUT_MS));
}

/**
 * first_connect() - connect the QP of conn->id to the peer
 * @conn: connection after first_resolve()
 * @reads: highest number of RDMA READs of the peer at a time
 *
 * Context: process context, may sleep. The caller holds conn->lock.
 * Return: 0 or a negative errno.
 */
static inline int first_connect(struct first_conn *conn, int reads)
{
	struct rdma_conn_param param = {
		.responder_resources = min(conn->id->device->attrs.max_qp_rd_atom, reads),
		.retry_count = 7,
		.rnr_retry_count = 7,
	};

	lockdep_assert_held(&conn->lock);
	return first_wait_step(conn, rdma_connect(conn->id, &param));
}

/**
 * first_conn_up() - open a connection, once
 * @conn: connection with an initializer of FIRST_CONN_INIT()
 *
 * Context: process context, may sleep.
 * Return: 0, or the errno of open(); the connection is closed then.
 */
static inline int first_conn_up(struct first_conn *conn)
{
	int err;

	mutex_lock(&conn->lock);
	err = conn->open(conn);
	if (err)
		first_conn_close(conn);
	mutex_unlock(&conn->lock);
	if (err)
		cancel_work_sync(&conn->close_work);
	return err;
}

/**
 * first_conn_down() - close a connection that may have been closed already
 * @conn: connection of first_conn_up()
 *
 * Context: process context, may sleep.
 */
static inline void first_conn_down(struct first_conn *conn)
{
	mutex_lock(&conn->lock);
	first_conn_close(conn);
	mutex_unlock(&conn->lock);
	/* no event follows the destruction of the id */
	cancel_work_sync(&conn->close_work);
}

#endif /* FIRST_CONN_H */
