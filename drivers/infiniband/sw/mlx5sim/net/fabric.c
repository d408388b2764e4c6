// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The RoCE fabric: all simulated functions, like hosts on one switch.
 *
 * A packet carries the GID and MAC of its sender. It reaches the simulated
 * function whose GID table has an entry with the destination GID and MAC, the
 * RoCE version, the IP version and the VLAN, provided that the device is not
 * stopped and its port is up. A QP of a connection receives only packets from
 * the GID of its peer to the GID of its path. A datagram to a multicast group
 * reaches every port. A packet without a receiver, or longer than the MTU of a
 * port, is lost silently, as in a switch or a NIC. Frames of the netdev use
 * another path (netdev.c), with the same MAC addresses. A QP with force
 * loopback sends to a QP of the same device, without an address.
 */
#include <kunit/visibility.h>
#include <linux/etherdevice.h>
#include <linux/mlx5/qp.h>

#include "core/core.h"
#include "net/net.h"
#include "obj/obj.h"

#define SIM_ROCE_HEADERS	96	/* IPv6, UDP, longest IBA headers */

static bool sim_port_ready(const struct sim_dev *sdev)
{
	return sdev->present && !sdev->stopped && sdev->hca_inited && sdev->roce_enabled &&
	       READ_ONCE(sdev->port_up);
}

/*
 * True if both addresses accept packets with the same headers: the same RoCE
 * version, the same VLAN and, for RoCE v2, the same IP version.
 */
static bool sim_gids_speak(const struct sim_gid *a, const struct sim_gid *b)
{
	return a->roce_version == b->roce_version &&
	       (a->roce_version == MLX5_ROCE_VERSION_1 || a->l3_type == b->l3_type) &&
	       a->vlan_valid == b->vlan_valid && (!a->vlan_valid || a->vlan_id == b->vlan_id);
}

static bool sim_fabric_source(struct sim_route *rt, struct sim_dev *src, u8 sgid_index)
{
	if (!sim_port_ready(src) || sgid_index >= SIM_GID_TABLE_LEN ||
	    !src->gid[sgid_index].valid)
		return false;
	rt->src = src;
	rt->sgid = &src->gid[sgid_index];
	return true;
}

static const struct sim_gid *sim_fabric_gid(const struct sim_dev *sdev,
					    const struct sim_gid *sgid, const u8 *rmac,
					    const u8 *rgid)
{
	const struct sim_gid *gid;

	for (gid = sdev->gid; gid < sdev->gid + SIM_GID_TABLE_LEN; gid++)
		if (gid->valid && !memcmp(gid->raw, rgid, sizeof(gid->raw)) &&
		    ether_addr_equal_unaligned(gid->mac, rmac) && sim_gids_speak(gid, sgid))
			return gid;
	return NULL;
}

/**
 * sim_fabric_route() - find the receiver of a packet
 * @rt: filled in
 * @src: sending simulated function
 * @sgid_index: index of the sender's address in the GID table of @src
 * @rmac: destination MAC
 * @rgid: destination GID
 *
 * Context: hardware thread.
 * Return: true; false when no port has the destination address, the sender's
 * port is down, or the sender's GID is not set.
 */
bool sim_fabric_route(struct sim_route *rt, struct sim_dev *src, u8 sgid_index,
		      const u8 *rmac, const u8 *rgid)
{
	struct sim_dev *dst;
	int i;

	if (!sim_fabric_source(rt, src, sgid_index))
		return false;
	for (i = 0; i < sim_num_devs(); i++) {
		dst = sim_get_dev(i);
		if (!dst || !sim_port_ready(dst))
			continue;
		rt->dgid = sim_fabric_gid(dst, rt->sgid, rmac, rgid);
		if (rt->dgid) {
			rt->dst = dst;
			return true;
		}
	}
	return false;
}

/**
 * sim_fabric_group() - find one of the receivers of a packet to a multicast
 * group
 * @rt: filled in
 * @src: sending simulated function
 * @sgid_index: index of the sender's address in the GID table of @src
 * @nr: number of the simulated function that may receive the packet, from 0
 *
 * The switch forwards the packet to all ports, including the sender's port. A
 * device accepts the packet if its GID table has an entry with the headers of
 * the sender's GID: same RoCE version and VLAN and, for RoCE v2, IP version.
 *
 * Unrefereed: U-170.
 *
 * Context: hardware thread.
 * Return: true; false when the device does not accept the packet, the sender's
 * port is down, or the sender's GID is not set.
 */
bool sim_fabric_group(struct sim_route *rt, struct sim_dev *src, u8 sgid_index, int nr)
{
	struct sim_dev *dst = sim_get_dev(nr);
	const struct sim_gid *gid;

	if (!sim_fabric_source(rt, src, sgid_index) || !dst || !sim_port_ready(dst))
		return false;
	rt->dst = dst;
	for (gid = dst->gid; gid < dst->gid + SIM_GID_TABLE_LEN; gid++) {
		if (!gid->valid || !sim_gids_speak(gid, rt->sgid))
			continue;
		rt->dgid = gid;
		return true;
	}
	return false;
}

/**
 * sim_fabric_loop() - build the route of a forced loopback
 * @rt: filled in; without addresses
 * @sdev: simulated function, sender and receiver
 *
 * The packets do not leave the device: the port may be down, and RoCE may be
 * disabled.
 *
 * Context: hardware thread.
 * Return: true; false when the device is unplugged, stopped, or not initialised
 * by INIT_HCA.
 */
bool sim_fabric_loop(struct sim_route *rt, struct sim_dev *sdev)
{
	*rt = (struct sim_route){ .src = sdev, .dst = sdev };
	return sdev->present && !sdev->stopped && sdev->hca_inited;
}

static bool sim_qp_receives(const struct sim_qp *qp)
{
	switch (qp->state) {
	case MLX5_QP_STATE_RTR:
	case MLX5_QP_STATE_RTS:
	case MLX5_QP_STATE_SQER:
	case MLX5_QP_STATE_SQD:
	case MLX5_QP_STATE_SQ_DRAINING:
		return true;
	default:
		return false;
	}
}

/*
 * Does a packet match the path of the receiving QP? Its source must be the
 * remote GID of the path, its destination the GID at the path's sgid_index.
 * Unrefereed: U-22.
 */
static bool sim_path_matches(const struct sim_route *rt, const struct sim_path *path)
{
	const struct sim_gid *own = &rt->dst->gid[path->sgid_index];

	return !memcmp(path->rgid, rt->sgid->raw, sizeof(path->rgid)) && own->valid &&
	       !memcmp(own->raw, rt->dgid->raw, sizeof(own->raw)) &&
	       sim_gids_speak(own, rt->dgid);
}

/**
 * sim_fabric_fits() - check whether a packet is short enough for its ports
 * @rt: route to the receiver
 * @bytes: bytes of payload
 *
 * A packet that does not leave the device passes no port and always fits. Any
 * other packet must fit the netdev MTU of both ports with 96 bytes of headers:
 * drivers subtract the same number to derive the MTU of a RoCE port.
 *
 * Unrefereed: U-196.
 *
 * Context: hardware thread.
 * Return: true if the packet is short enough; otherwise it is lost.
 */
bool sim_fabric_fits(const struct sim_route *rt, u32 bytes)
{
	return rt->src == rt->dst || bytes + SIM_ROCE_HEADERS <= min(sim_netdev_mtu(rt->src),
								     sim_netdev_mtu(rt->dst));
}

/**
 * sim_fabric_conn_target() - find the QP at the other end of a connection
 * @rt: route to the receiver
 * @qp: sending QP, RC, UC or XRC
 *
 * Only the default partition exists, at index 0 of the P_Key table of every
 * port: a QP with another P_Key index neither sends nor receives.
 *
 * Context: hardware thread.
 * Return: the QP; NULL when the receiver has no QP that is connected to @qp and
 * can receive. An XRC QP with a send queue (an initiator) does not receive.
 */
struct sim_qp *sim_fabric_conn_target(const struct sim_route *rt, const struct sim_qp *qp)
{
	struct sim_qp *dqp = sim_obj_find(rt->dst, SIM_OBJ_QP, qp->remote_qpn);

	if (!dqp || dqp->st != qp->st || !sim_qp_receives(dqp))
		return NULL;
	if (dqp->st == MLX5_QP_ST_XRC && !dqp->no_sq)
		return NULL;
	if (dqp->remote_qpn != sim_qp_qpn(qp) || dqp->path.pkey_index || qp->path.pkey_index)
		return NULL;
	if (dqp->path.fl != qp->path.fl)
		return NULL;
	if (!qp->path.fl && !sim_path_matches(rt, &dqp->path))
		return NULL;
	return dqp;
}

/**
 * sim_fabric_ud_target() - find the QP that receives a datagram
 * @rt: route to the receiver
 * @qpn: destination QP number; 1 is the general services (GSI) QP
 *
 * Context: hardware thread.
 * Return: the QP; NULL when no QP of this number can receive datagrams.
 */
struct sim_qp *sim_fabric_ud_target(const struct sim_route *rt, u32 qpn)
{
	struct sim_qp *qp;

	if (qpn == 1) {
		qp = rt->dst->objs->gsi;
		return qp && sim_qp_receives(qp) ? qp : NULL;
	}
	qp = sim_obj_find(rt->dst, SIM_OBJ_QP, qpn);
	if (!qp || qp->st != MLX5_QP_ST_UD || !sim_qp_receives(qp))
		return NULL;
	return qp;
}

/**
 * sim_mtu_bytes() - bytes of payload of a packet
 * @mtu: encoded path MTU: 1 = 256 ... 5 = 4096 bytes
 *
 * Context: any.
 * Return: number of bytes.
 */
u32 sim_mtu_bytes(u8 mtu)
{
	return 128 << clamp_t(u8, mtu, 1, 5);
}

/**
 * sim_packets() - number of packets of a message
 * @len: bytes of the message
 * @mtu: encoded path MTU
 *
 * Context: any.
 * Return: number of packets, which is also the number of packet sequence
 * numbers.
 */
u32 sim_packets(u64 len, u8 mtu)
{
	return len ? DIV_ROUND_UP_ULL(len, sim_mtu_bytes(mtu)) : 1;
}
EXPORT_SYMBOL_IF_KUNIT(sim_packets);

/**
 * sim_rnr_ns() - decode an RNR NAK timer
 * @code: code of the table of RNR NAK timers in the InfiniBand Architecture
 *
 * Context: any.
 * Return: time in nanoseconds.
 */
u64 sim_rnr_ns(u8 code)
{
	static const u16 table_10us[32] = {
		0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
		1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
	};

	/* code 0 is the longest, 655.36 ms */
	return 10000ULL * (code & 31 ? table_10us[code & 31] : 65536);
}
EXPORT_SYMBOL_IF_KUNIT(sim_rnr_ns);

/**
 * sim_ack_timeout_ns() - decode a local ACK timeout
 * @code: encoded timeout
 *
 * Context: any.
 * Return: timeout in nanoseconds; 0 = no timeout.
 */
u64 sim_ack_timeout_ns(u8 code)
{
	return code & 31 ? 4096ULL << (code & 31) : 0;
}
EXPORT_SYMBOL_IF_KUNIT(sim_ack_timeout_ns);
