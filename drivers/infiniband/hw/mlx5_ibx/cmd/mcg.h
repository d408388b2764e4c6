/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: commands for multicast groups. The rules of cmd.h apply.
 */
#ifndef MLX5_IBX_CMD_MCG_H
#define MLX5_IBX_CMD_MCG_H

#include "cmd/cmd.h"

int ibx_cmd_attach_mcg(struct ibx_dev *dev, struct ibx_qp *qp, const union ib_gid *gid);
int ibx_cmd_detach_mcg(struct ibx_dev *dev, struct ibx_qp *qp, const union ib_gid *gid);

#endif /* MLX5_IBX_CMD_MCG_H */
