// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The port: its netdev, its state and its addresses.
 *
 * The netdev of a port has the PCI device as its parent. The netdev can be
 * registered, unregistered and moved to another network namespace at any time.
 * The notifier of this driver runs before the core's notifier, so that the core
 * looks for GIDs on the new netdev. Notifiers run under rtnl, which protects
 * dev->port_state and the list of ports.
 *
 * There is one notifier for all ports, registered while the module is loaded. A
 * notifier per device would deadlock: (un)registering takes pernet_ops_rwsem
 * for writing, and a device may be probed and removed by a task that holds
 * pernet_ops_rwsem for reading. The removal of a network namespace, which
 * reloads the devlink instances in the namespace, is such a task.
 *
 * GIDs: the core manages the table, this file writes its entries to the device.
 */
#include <linux/etherdevice.h>
#include <linux/mlx5/vport.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <rdma/ib_cache.h>

#include "cmd/cmd.h"
#include "verbs/verbs.h"

/**
 * ibx_roce_init() - enable RoCE
 * @dev: device
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_roce_init(struct ibx_dev *dev)
{
	return mlx5_nic_vport_enable_roce(dev->mdev);
}

/**
 * ibx_roce_exit() - undo ibx_roce_init()
 * @dev: device
 *
 * Context: may sleep.
 */
void ibx_roce_exit(struct ibx_dev *dev)
{
	int err = mlx5_nic_vport_disable_roce(dev->mdev);

	if (err)
		ibx_err(dev, "RoCE stays on: error %d\n", err);
}

static void report_state(struct ibx_dev *dev)
{
	ibx_dispatch_port(dev, dev->port_state == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE :
								   IB_EVENT_PORT_ERR);
}

static void update_state(struct ibx_dev *dev, const struct net_device *ndev)
{
	enum ib_port_state state = IB_PORT_DOWN;

	ASSERT_RTNL();
	if (ndev && netif_running(ndev) && netif_carrier_ok(ndev))
		state = IB_PORT_ACTIVE;
	if (state == dev->port_state)
		return;
	dev->port_state = state;
	report_state(dev);
}

static bool netdev_is_bound(struct ibx_dev *dev, const struct net_device *ndev)
{
	struct net_device *bound = ib_device_get_netdev(&dev->ibdev, IBX_PORT);

	dev_put(bound);
	return bound == ndev;
}

static void port_event(struct ibx_dev *dev, unsigned long event, struct net_device *ndev)
{
	switch (event) {
	case NETDEV_REGISTER:
		if (netdev_is_bound(dev, NULL))
			ib_device_set_netdev(&dev->ibdev, ndev, IBX_PORT);
		break;
	case NETDEV_UNREGISTER:
		if (netdev_is_bound(dev, ndev)) {
			ib_device_set_netdev(&dev->ibdev, NULL, IBX_PORT);
			update_state(dev, NULL);
		}
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		if (netdev_is_bound(dev, ndev))
			update_state(dev, ndev);
		break;
	}
}

/**
 * ibx_report_port_event() - verb report_port_event
 * @ibdev: unused
 * @ndev: unused
 * @event: unused
 *
 * Does nothing: the notifier of the driver has reported the state of the port.
 * Without this verb, the core would report the state a second time.
 *
 * Context: rtnl.
 */
void ibx_report_port_event(struct ib_device *ibdev, struct net_device *ndev,
			   unsigned long event)
{
}

static LIST_HEAD(ports);	/* ibx_dev.port_link of all devices, under rtnl */

static int netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct ibx_dev *dev;

	ASSERT_RTNL();
	list_for_each_entry(dev, &ports, port_link)
		if (ndev->dev.parent == dev->mdev->device)
			port_event(dev, event, ndev);
	return NOTIFY_DONE;
}

/*
 * find a netdev that was registered before the device was in the list of ports
 */
static void find_netdev(struct ibx_dev *dev)
{
	struct net_device *ndev;
	struct net *net;

	ASSERT_RTNL();
	down_read(&net_rwsem);
	for_each_net(net) {
		for_each_netdev(net, ndev) {
			if (ndev->dev.parent != dev->mdev->device)
				continue;
			port_event(dev, NETDEV_REGISTER, ndev);
			port_event(dev, NETDEV_UP, ndev);
		}
	}
	up_read(&net_rwsem);
}

static struct notifier_block netdev_nb = {
	.notifier_call = netdev_event,
	.priority = 1,
};

/**
 * ibx_netdev_start() - start to follow the netdevs of all ports
 *
 * Context: loading of the module; may sleep, takes pernet_ops_rwsem and rtnl.
 * Return: 0, or an errno from register_netdevice_notifier().
 */
int ibx_netdev_start(void)
{
	return register_netdevice_notifier(&netdev_nb);
}

/**
 * ibx_netdev_stop() - undo ibx_netdev_start(); no device is bound any more
 *
 * Context: unloading of the module; may sleep, takes pernet_ops_rwsem and rtnl.
 */
void ibx_netdev_stop(void)
{
	unregister_netdevice_notifier(&netdev_nb);
}

/**
 * ibx_netdev_init() - find the netdev of the port and follow its changes
 * @dev: device that is not registered yet
 *
 * A netdev in a network namespace that is being removed is found once it has
 * been moved to the initial namespace.
 *
 * Context: may sleep; takes rtnl.
 * Return: 0 or -ENOMEM. A missing netdev is no error.
 */
int ibx_netdev_init(struct ibx_dev *dev)
{
	int err;

	/* this call allocates the core's port data; later calls cannot fail */
	err = ib_device_set_netdev(&dev->ibdev, NULL, IBX_PORT);
	if (err)
		return err;
	dev->port_state = IB_PORT_DOWN;
	rtnl_lock();
	list_add_tail(&dev->port_link, &ports);
	find_netdev(dev);
	rtnl_unlock();
	return 0;
}

/**
 * ibx_netdev_announce() - start to dispatch events to consumers
 * @dev: device that was just registered
 *
 * Reports the port state again: it may have changed after consumers read it
 * during registration.
 *
 * Context: may sleep; takes rtnl.
 */
void ibx_netdev_announce(struct ibx_dev *dev)
{
	rtnl_lock();
	WRITE_ONCE(dev->active, true);
	report_state(dev);
	rtnl_unlock();
}

/**
 * ibx_netdev_exit() - stop following the netdev
 * @dev: device that is unregistered
 *
 * Context: may sleep; takes rtnl.
 */
void ibx_netdev_exit(struct ibx_dev *dev)
{
	rtnl_lock();
	list_del(&dev->port_link);
	/*
	 * a netdev may have been registered since the device was unregistered
	 */
	ib_device_set_netdev(&dev->ibdev, NULL, IBX_PORT);
	rtnl_unlock();
}

/**
 * ibx_add_gid() - verb add_gid
 * @attr: entry and its index in the table
 * @context: unused
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the type is neither RoCE v1 nor v2
 * * -ENODEV: there is no netdev
 * * an errno from cmd.h
 */
int ibx_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct ibx_roce_addr addr = { .vlan = 0xffff };
	int err;

	err = rdma_read_gid_l2_fields(attr, &addr.vlan, addr.mac);
	if (err)
		return err;

	memcpy(addr.gid, attr->gid.raw, sizeof(addr.gid));
	switch (attr->gid_type) {
	case IB_GID_TYPE_ROCE:
		addr.version = MLX5_ROCE_VERSION_1;
		break;
	case IB_GID_TYPE_ROCE_UDP_ENCAP:
		addr.version = MLX5_ROCE_VERSION_2;
		addr.l3_type = ipv6_addr_v4mapped((const struct in6_addr *)addr.gid) ?
			       MLX5_ROCE_L3_TYPE_IPV4 : MLX5_ROCE_L3_TYPE_IPV6;
		break;
	default:
		return -EINVAL;
	}
	return ibx_cmd_set_roce_addr(to_idev(attr->device), attr->index, &addr);
}

/**
 * ibx_del_gid() - verb del_gid
 * @attr: entry to delete
 * @context: unused
 *
 * The core ignores errors. After an error, the device keeps the entry until the
 * index is used again, and the kernel log has the index.
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct ibx_dev *dev = to_idev(attr->device);
	int err = ibx_cmd_set_roce_addr(dev, attr->index, NULL);

	ibx_cmd_left(dev, "GID", attr->index, err);
	return err;
}
