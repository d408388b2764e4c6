// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connecting QPs of iWARP devices. A QP enters RTS only with a TCP connection,
 * which the iWARP connection manager makes: the first of two QPs listens, the
 * second one connects. Connections stay until t_iw_end(), after their QPs were
 * destroyed.
 */
#include <linux/inetdevice.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <rdma/iw_cm.h>

#include "ibx_test.h"

#define T_IW_FIRST_PORT	20000
#define T_IW_READS	8		/* outstanding READs */

/**
 * struct t_iw_conn - a connection of two QPs
 * @entry: entry of t_iw_conns
 * @listen: ID that listens
 * @id: ID of each QP, or NULL before the connection request
 * @qp: QPs; [0] listens, [1] has connected or is NULL
 * @port: TCP port of [0]
 * @done: completed, for each QP, when the connection is established or has failed
 * @status: for each QP, 0 or the errno of the connection
 */
struct t_iw_conn {
	struct list_head entry;
	struct iw_cm_id *listen;
	struct iw_cm_id *id[2];
	struct ib_qp *qp[2];
	u16 port;
	struct completion done[2];
	int status[2];
};

static LIST_HEAD(t_iw_conns);		/* cases run one at a time */
static u16 t_iw_ports;

static struct iw_cm_conn_param t_iw_param(const struct ib_qp *qp)
{
	return (struct iw_cm_conn_param){
		.ord = T_IW_READS,
		.ird = T_IW_READS,
		.qpn = qp->qp_num,
	};
}

static void t_iw_established(struct t_iw_conn *c, int i, int status)
{
	c->status[i] = status;
	complete(&c->done[i]);
}

static int t_iw_accept(struct t_iw_conn *c, struct iw_cm_id *id)
{
	struct iw_cm_conn_param param = t_iw_param(c->qp[0]);
	int err = iw_cm_accept(id, &param);

	if (err) {
		t_iw_established(c, 0, err);
		return err;
	}
	c->id[0] = id;
	return 0;
}

/* handles events of a connection; when the connection ends, its QPs may not exist any longer */
static int t_iw_event(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct t_iw_conn *c = id->context;

	switch (event->event) {
	case IW_CM_EVENT_CONNECT_REQUEST:
		return t_iw_accept(c, id);
	case IW_CM_EVENT_ESTABLISHED:
		t_iw_established(c, 0, event->status);
		return 0;
	case IW_CM_EVENT_CONNECT_REPLY:
		t_iw_established(c, 1, event->status);
		return 0;
	default:
		return 0;
	}
}

static int t_iw_address(struct ib_device *dev, struct sockaddr_storage *addr, u16 port)
{
	struct sockaddr_in *in = (struct sockaddr_in *)addr;
	struct net_device *netdev = ib_device_get_netdev(dev, 1);

	if (!netdev)
		return -ENODEV;
	memset(addr, 0, sizeof(*addr));
	in->sin_family = AF_INET;
	in->sin_addr.s_addr = inet_select_addr(netdev, 0, RT_SCOPE_UNIVERSE);
	in->sin_port = htons(port);
	dev_put(netdev);
	return 0;
}

static int t_iw_listen(struct ib_qp *qp)
{
	struct t_iw_conn *c = kzalloc(sizeof(*c), GFP_KERNEL);
	struct iw_cm_id *id;
	int i;

	if (!c)
		return -ENOMEM;
	c->qp[0] = qp;
	c->port = T_IW_FIRST_PORT + t_iw_ports++ % T_IW_FIRST_PORT;
	for (i = 0; i < 2; i++)
		init_completion(&c->done[i]);
	list_add(&c->entry, &t_iw_conns);
	id = iw_create_cm_id(qp->device, t_iw_event, c);
	T_TRY(PTR_ERR_OR_ZERO(id));
	c->listen = id;
	T_TRY(t_iw_address(qp->device, &id->local_addr, c->port));
	return iw_cm_listen(id, 1);
}

static int t_iw_wait(struct t_iw_conn *c, int i)
{
	if (!wait_for_completion_timeout(&c->done[i], msecs_to_jiffies(T_TIMEOUT_MS)))
		return -ETIMEDOUT;
	return c->status[i];
}

static int t_iw_join(struct t_iw_conn *c, struct ib_qp *qp)
{
	struct iw_cm_conn_param param = t_iw_param(qp);
	struct iw_cm_id *id;

	c->qp[1] = qp;
	id = iw_create_cm_id(qp->device, t_iw_event, c);
	T_TRY(PTR_ERR_OR_ZERO(id));
	c->id[1] = id;
	T_TRY(t_iw_address(qp->device, &id->local_addr, 0));
	T_TRY(t_iw_address(c->qp[0]->device, &id->remote_addr, c->port));
	T_TRY(iw_cm_connect(id, &param));
	T_TRY(t_iw_wait(c, 1));
	return t_iw_wait(c, 0);
}

/**
 * t_iw_connect() - connect a QP of an iWARP device
 * @qp: QP
 * @peer: device of the other QP of the connection
 * @peer_qpn: number of that QP
 *
 * The first call for two QPs listens. The second call has the other QP as @qp, and
 * connects the two QPs.
 *
 * Return: 0 or an error of the connection manager.
 */
int t_iw_connect(struct ib_qp *qp, const struct ib_device *peer, u32 peer_qpn)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ,
	};
	struct t_iw_conn *c;
	int ret;

	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS);
	if (ret)
		return ret;
	list_for_each_entry(c, &t_iw_conns, entry)
		if (!c->qp[1] && c->qp[0]->device == peer && c->qp[0]->qp_num == peer_qpn)
			return t_iw_join(c, qp);
	return t_iw_listen(qp);
}

/**
 * t_iw_end() - end all connections
 *
 * The caller has destroyed the QPs of the connections.
 */
void t_iw_end(void)
{
	struct t_iw_conn *c, *next;
	int i;

	list_for_each_entry_safe(c, next, &t_iw_conns, entry) {
		if (c->listen)
			iw_destroy_cm_id(c->listen);
		for (i = 0; i < 2; i++)
			if (c->id[i])
				iw_destroy_cm_id(c->id[i]);
		list_del(&c->entry);
		kfree(c);
	}
}
