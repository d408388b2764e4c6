/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: types of extended reliable connections (XRC), which only processes use.
 */
#ifndef MLX5_IBX_XRC_H
#define MLX5_IBX_XRC_H

#include "ibx.h"

/**
 * struct ibx_xrcd - an XRC domain; processes share it, so that it has no uid
 * @ibxrcd: domain of the core
 * @xrcdn: its number
 * @held: a command was not answered, so the device may have an SRQ or QP in the
 *	domain, or create it later: the domain is not deallocated, so that its
 *	number is not used again
 */
struct ibx_xrcd {
	struct ib_xrcd ibxrcd;
	u32 xrcdn;
	bool held;
};

/**
 * struct ibx_xrc - objects that the context of an XRC QP must name, although
 *	the QP does not use them (abi/xrc.c)
 * @users: number of XRC QPs, under ibx_dev.xrc_lock
 * @left: the device may have an XRC QP that the driver cannot destroy, because
 *	a command was not answered; under ibx_dev.xrc_lock
 * @pd: PD of target QPs, which have no PD of a process
 * @xrcdn: XRC domain of initiator QPs
 * @cq: CQ of receives, and of the sends of target QPs
 * @cq_buf: ring of @cq
 * @cq_db: doorbell records of @cq
 * @srq: XRC SRQ without WQEs
 */
struct ibx_xrc {
	unsigned int users;
	bool left;
	struct ibx_pd pd;
	u32 xrcdn;
	struct mlx5_core_cq cq;
	struct ibx_buf cq_buf;
	struct mlx5_db cq_db;
	struct ibx_srq srq;
};

static inline struct ibx_xrcd *to_xrcd(struct ib_xrcd *ibxrcd)
{
	return container_of(ibxrcd, struct ibx_xrcd, ibxrcd);
}

#endif /* MLX5_IBX_XRC_H */
