// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The Ethernet port of a simulated function, and the switch that connects all
 * ports.
 *
 * Each plugged simulated function has a netdev whose parent is its PCI device.
 * The netdev starts in init_net and may be moved. The switch is a table of
 * ports under RCU: a frame to a known MAC goes to its port, any other frame
 * goes to all ports except the port of the sender. As in veth, the skb is
 * passed to the receiver's namespace, without a copy where possible. The switch
 * runs in softirq or process context under RCU; its table changes under RTNL.
 *
 * RoCE packets do not pass through the switch: fabric.c moves them. The device
 * uses the state and the MTU of the netdev; the hardware thread polls the state
 * and raises port events.
 */
#define pr_fmt(fmt) "mlx5sim: " fmt

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>

#include "core/core.h"
#include "host/host.h"
#include "net/net.h"
#include "obj/obj.h"

#define SIM_NETDEV_FEATURES	(NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HW_CSUM | \
				 NETIF_F_HIGHDMA | NETIF_F_GSO_SOFTWARE)
#define SIM_NETDEV_MAX_MTU	9978

/**
 * struct sim_netdev - private part of a netdev
 * @sdev: simulated function
 * @dev: netdev with this private part
 */
struct sim_netdev {
	struct sim_dev *sdev;
	struct net_device *dev;
};

static struct net_device __rcu *sim_ports[SIM_MAX_DEVS];

/* ---- the switch ---- */

/*
 * A device that was pulled out has no link, though its netdev still has a
 * carrier.
 */
static bool sim_netdev_unplugged(struct net_device *dev)
{
	struct sim_netdev *net = netdev_priv(dev);

	return READ_ONCE(net->sdev->power) == SIM_POWER_GONE;
}

/* Consumes @skb. Caller is in an RCU read-side section. */
static void sim_switch_deliver(struct net_device *to, struct sk_buff *skb)
{
	unsigned int len = skb->len;

	if (!netif_running(to) || !netif_carrier_ok(to) || sim_netdev_unplugged(to)) {
		kfree_skb(skb);
		return;
	}
	if (dev_forward_skb(to, skb) == NET_RX_SUCCESS)
		dev_sw_netstats_rx_add(to, len);
	else
		dev_core_stats_rx_dropped_inc(to);
}

static struct net_device *sim_switch_lookup(const u8 *mac)
{
	struct net_device *port;
	int i;

	for (i = 0; i < SIM_MAX_DEVS; i++) {
		port = rcu_dereference(sim_ports[i]);
		if (port && ether_addr_equal(port->dev_addr, mac))
			return port;
	}
	return NULL;
}

static void sim_switch_flood(struct net_device *from, struct sk_buff *skb)
{
	struct net_device *port;
	struct sk_buff *copy;
	int i;

	for (i = 0; i < SIM_MAX_DEVS; i++) {
		port = rcu_dereference(sim_ports[i]);
		if (!port || port == from)
			continue;
		copy = skb_clone(skb, GFP_ATOMIC);
		if (copy)
			sim_switch_deliver(port, copy);
		else
			dev_core_stats_rx_dropped_inc(port);
	}
	consume_skb(skb);
}

static netdev_tx_t sim_netdev_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct net_device *to;

	if (skb->len < ETH_HLEN || !pskb_may_pull(skb, ETH_HLEN) || sim_netdev_unplugged(dev)) {
		dev_core_stats_tx_dropped_inc(dev);
		kfree_skb(skb);
		return NETDEV_TX_OK;
	}
	dev_sw_netstats_tx_add(dev, 1, skb->len);
	skb_tx_timestamp(skb);

	rcu_read_lock();
	to = sim_switch_lookup(eth_hdr(skb)->h_dest);
	if (!to)
		sim_switch_flood(dev, skb);
	else if (to == dev)
		kfree_skb(skb);		/* no frame goes back to its port */
	else
		sim_switch_deliver(to, skb);
	rcu_read_unlock();
	return NETDEV_TX_OK;
}

/* ---- the netdev ---- */

/* Does the device have a link? */
static bool sim_link_ok(const struct sim_dev *sdev)
{
	return !READ_ONCE(sdev->link_down) && READ_ONCE(sdev->power) <= SIM_POWER_STALLED;
}

static int sim_netdev_open(struct net_device *dev)
{
	struct sim_netdev *net = netdev_priv(dev);

	if (sim_link_ok(net->sdev))
		netif_carrier_on(dev);
	netif_start_queue(dev);
	sim_hw_kick();
	return 0;
}

static int sim_netdev_stop(struct net_device *dev)
{
	netif_stop_queue(dev);
	netif_carrier_off(dev);
	sim_hw_kick();
	return 0;
}

static const struct net_device_ops sim_netdev_ops = {
	.ndo_open		= sim_netdev_open,
	.ndo_stop		= sim_netdev_stop,
	.ndo_start_xmit		= sim_netdev_xmit,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
};

static int sim_get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *cmd)
{
	cmd->base.speed = SPEED_100000;
	cmd->base.duplex = DUPLEX_FULL;
	cmd->base.port = PORT_DA;
	cmd->base.autoneg = AUTONEG_DISABLE;
	return 0;
}

static void sim_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, SIM_NAME, sizeof(info->driver));
	strscpy(info->bus_info, dev_name(dev->dev.parent), sizeof(info->bus_info));
}

static const struct ethtool_ops sim_ethtool_ops = {
	.get_drvinfo		= sim_get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_link_ksettings	= sim_get_link_ksettings,
};

static void sim_netdev_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &sim_netdev_ops;
	dev->ethtool_ops = &sim_ethtool_ops;
	dev->pcpu_stat_type = NETDEV_PCPU_STAT_TSTATS;
	dev->lltx = true;
	dev->features |= SIM_NETDEV_FEATURES;
	dev->hw_features |= SIM_NETDEV_FEATURES;
	dev->vlan_features |= SIM_NETDEV_FEATURES;
	dev->max_mtu = SIM_NETDEV_MAX_MTU;
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
}

/**
 * sim_netdev_init() - create and register the netdev of a simulated function
 * @sdev: simulated function, in its slot and with no driver bound
 *
 * Context: process context. Takes RTNL.
 * Return: 0; -ENOMEM; an errno of register_netdevice().
 */
int sim_netdev_init(struct sim_dev *sdev)
{
	struct sim_netdev *net;
	struct net_device *dev;
	int ret;

	dev = alloc_netdev(sizeof(*net), "sim%d", NET_NAME_ENUM, sim_netdev_setup);
	if (!dev)
		return -ENOMEM;
	net = netdev_priv(dev);
	net->sdev = sdev;
	net->dev = dev;
	SET_NETDEV_DEV(dev, sim_pci_device(sdev));
	eth_hw_addr_set(dev, sdev->mac);
	netif_carrier_off(dev);

	rtnl_lock();
	ret = register_netdevice(dev);
	if (!ret) {
		rcu_assign_pointer(sim_ports[sdev->index], dev);
		sdev->net = net;
	}
	rtnl_unlock();
	if (ret)
		free_netdev(dev);
	return ret;
}

/**
 * sim_netdev_exit() - unregister and free the netdev
 * @sdev: simulated function with no driver bound; it may have no netdev
 *
 * Context: process context. Takes RTNL and waits for the users of the netdev.
 */
void sim_netdev_exit(struct sim_dev *sdev)
{
	struct sim_netdev *net = sdev->net;

	if (!net)
		return;
	rtnl_lock();
	RCU_INIT_POINTER(sim_ports[sdev->index], NULL);
	WRITE_ONCE(sdev->net, NULL);
	unregister_netdevice(net->dev);	/* waits for RCU readers */
	rtnl_unlock();
	free_netdev(net->dev);
}

/**
 * sim_netdev_get() - get the netdev of a simulated function
 * @sdev: simulated function
 *
 * Context: any.
 * Return: the netdev with a reference, or NULL without a netdev.
 */
struct net_device *sim_netdev_get(struct sim_dev *sdev)
{
	struct net_device *dev;

	rcu_read_lock();
	dev = rcu_dereference(sim_ports[sdev->index]);
	dev_hold(dev);
	rcu_read_unlock();
	return dev;
}

/**
 * sim_netdev_mtu() - MTU of the port
 * @sdev: simulated function
 *
 * Context: any.
 * Return: MTU of the netdev in bytes, 0 without a netdev.
 */
u32 sim_netdev_mtu(struct sim_dev *sdev)
{
	struct net_device *dev;
	u32 mtu;

	rcu_read_lock();
	dev = rcu_dereference(sim_ports[sdev->index]);
	mtu = dev ? READ_ONCE(dev->mtu) : 0;
	rcu_read_unlock();
	return mtu;
}

/**
 * sim_netdev_stats() - number of frames that the netdev sent and received
 * @sdev: simulated function
 * @tx: set to the number of frames sent, 0 without a netdev
 * @rx: set to the number of frames received, 0 without a netdev
 *
 * Context: process context.
 */
void sim_netdev_stats(struct sim_dev *sdev, u64 *tx, u64 *rx)
{
	struct net_device *dev = sim_netdev_get(sdev);
	struct rtnl_link_stats64 st = {};

	if (dev)
		dev_get_stats(dev, &st);
	dev_put(dev);
	*tx = st.tx_packets;
	*rx = st.rx_packets;
}

static void sim_netdev_carrier(struct net_device *dev, bool on)
{
	if (on)
		netif_carrier_on(dev);
	else
		netif_carrier_off(dev);
}

/**
 * sim_netdev_poll() - update the carrier, and report that the port went up or down
 * @sdev: simulated function
 *
 * Context: hardware thread.
 */
void sim_netdev_poll(struct sim_dev *sdev)
{
	struct net_device *dev;
	bool up;

	/* a device that was pulled out cannot report its link */
	if (sdev->power == SIM_POWER_GONE)
		return;

	rcu_read_lock();
	dev = rcu_dereference(sim_ports[sdev->index]);
	up = dev && netif_running(dev) && sim_link_ok(sdev);
	if (dev && up != netif_carrier_ok(dev))
		sim_netdev_carrier(dev, up);
	rcu_read_unlock();

	/* events wait until the device works */
	if (up == sdev->port_up || sdev->stopped)
		return;
	sdev->port_up = up;
	if (!up)
		sim_count(sdev, link_downs);
	sim_trace(sdev, "port %s", up ? "up" : "down");
	if (sdev->hca_inited)
		sim_event_port(sdev, up);
}
