/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Exports of net/: the netdev of a simulated function, and the RoCE fabric that
 * connects simulated functions.
 */
#ifndef MLX5SIM_NET_NET_H
#define MLX5SIM_NET_NET_H

#include <linux/types.h>

struct net_device;
struct sim_dev;
struct sim_gid;
struct sim_qp;

/**
 * struct sim_route - a route from one port to another
 * @src: sending simulated function
 * @dst: receiving simulated function
 * @sgid: entry of the GID table of @src; NULL for a forced loopback
 * @dgid: entry of the GID table of @dst; NULL for a forced loopback
 */
struct sim_route {
	struct sim_dev *src;
	struct sim_dev *dst;
	const struct sim_gid *sgid;
	const struct sim_gid *dgid;
};

/* ---- fabric.c ---- */

bool sim_fabric_route(struct sim_route *rt, struct sim_dev *src, u8 sgid_index,
		      const u8 *rmac, const u8 *rgid);
bool sim_fabric_group(struct sim_route *rt, struct sim_dev *src, u8 sgid_index, int nr);
bool sim_fabric_loop(struct sim_route *rt, struct sim_dev *sdev);
bool sim_fabric_fits(const struct sim_route *rt, u32 bytes);
struct sim_qp *sim_fabric_conn_target(const struct sim_route *rt, const struct sim_qp *qp);
struct sim_qp *sim_fabric_ud_target(const struct sim_route *rt, u32 qpn);
u32 sim_mtu_bytes(u8 mtu);
u32 sim_packets(u64 len, u8 mtu);
u64 sim_rnr_ns(u8 code);
u64 sim_ack_timeout_ns(u8 code);

/* ---- netdev.c ---- */

int sim_netdev_init(struct sim_dev *sdev);
void sim_netdev_exit(struct sim_dev *sdev);
struct net_device *sim_netdev_get(struct sim_dev *sdev);
u32 sim_netdev_mtu(struct sim_dev *sdev);
void sim_netdev_stats(struct sim_dev *sdev, u64 *tx, u64 *rx);
void sim_netdev_poll(struct sim_dev *sdev);

/* ---- uplink.c ---- */

int sim_uplink_init(void);
void sim_uplink_exit(void);

#endif /* MLX5SIM_NET_NET_H */
