// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands for multicast groups. The rules of cmd.h apply.
 */
#include "cmd/mcg.h"

/**
 * ibx_cmd_attach_mcg() - ATTACH_TO_MCG
 * @dev: device
 * @qp: UD QP that is not in the group
 * @gid: address of the group
 *
 * Context: may sleep.
 * Return: 0; -ENOMEM when the group or the table of groups is full; or an errno from cmd.h.
 */
int ibx_cmd_attach_mcg(struct ibx_dev *dev, struct ibx_qp *qp, const union ib_gid *gid)
{
	u32 in[MLX5_ST_SZ_DW(attach_to_mcg_in)] = {};

	MLX5_SET(attach_to_mcg_in, in, opcode, MLX5_CMD_OP_ATTACH_TO_MCG);
	MLX5_SET(attach_to_mcg_in, in, uid, qp->uid);
	MLX5_SET(attach_to_mcg_in, in, qpn, qp->qpn);
	memcpy(MLX5_ADDR_OF(attach_to_mcg_in, in, multicast_gid), gid->raw, sizeof(gid->raw));
	return ibx_cmd_note_lost(qp, ibx_cmd_exec_in(dev, attach_to_mcg, in));
}

/**
 * ibx_cmd_detach_mcg() - DETACH_FROM_MCG
 * @dev: device
 * @qp: QP in the group
 * @gid: address of the group
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_detach_mcg(struct ibx_dev *dev, struct ibx_qp *qp, const union ib_gid *gid)
{
	u32 in[MLX5_ST_SZ_DW(detach_from_mcg_in)] = {};

	MLX5_SET(detach_from_mcg_in, in, opcode, MLX5_CMD_OP_DETACH_FROM_MCG);
	MLX5_SET(detach_from_mcg_in, in, uid, qp->uid);
	MLX5_SET(detach_from_mcg_in, in, qpn, qp->qpn);
	memcpy(MLX5_ADDR_OF(detach_from_mcg_in, in, multicast_gid), gid->raw, sizeof(gid->raw));
	return ibx_cmd_note_lost(qp, ibx_cmd_exec_in(dev, detach_from_mcg, in));
}
