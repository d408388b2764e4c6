/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: commands for extended reliable connections. The rules of cmd.h apply.
 */
#ifndef MLX5_IBX_CMD_XRC_H
#define MLX5_IBX_CMD_XRC_H

#include "cmd/cmd.h"

/**
 * struct ibx_xrc_srq_params - an XRC SRQ to create
 * @ring: ring, PD and doorbell record
 * @xrcdn: number of the XRC domain
 * @cqn: number of the CQ of its receives
 * @cqe_v1: the device writes CQEs of version 1, for which the SRQ needs a user index
 * @user_index: user index in the CQEs; used only with @cqe_v1
 */
struct ibx_xrc_srq_params {
	struct ibx_rmp_params ring;
	u32 xrcdn;
	u32 cqn;
	bool cqe_v1;
	u32 user_index;
};

int ibx_cmd_alloc_xrcd(struct ibx_dev *dev, u32 *xrcdn);
int ibx_cmd_dealloc_xrcd(struct ibx_dev *dev, u32 xrcdn);
int ibx_cmd_create_xrc_srq(struct ibx_dev *dev, const struct ibx_xrc_srq_params *p,
			   struct ibx_srq *srq);
int ibx_cmd_destroy_xrc_srq(struct ibx_dev *dev, const struct ibx_srq *srq);
int ibx_cmd_arm_xrc_srq(struct ibx_dev *dev, const struct ibx_srq *srq, u16 limit);
int ibx_cmd_query_xrc_srq(struct ibx_dev *dev, u32 srqn, u32 *srqc);

#endif /* MLX5_IBX_CMD_XRC_H */
