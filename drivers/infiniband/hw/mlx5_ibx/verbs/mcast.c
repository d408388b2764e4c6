// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast groups of UD QPs, of the kernel and of processes. The device stores
 * the groups; no state is kept here. uverbs detaches the QP of a process before
 * the QP is destroyed, and the core refuses to destroy a QP of the kernel that
 * is attached.
 */
#include "cmd/mcg.h"
#include "verbs/verbs.h"

static bool has_groups(const struct ibx_dev *dev)
{
	return MLX5_CAP_GEN(dev->mdev, log_max_mcg) && MLX5_CAP_GEN(dev->mdev, max_qp_mcg);
}

/**
 * ibx_attach_mcast() - verb attach_mcast
 * @ibqp: UD QP; the core has checked its type and the address
 * @gid: address of the group
 * @lid: unused: Ethernet has no LIDs
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP on a device without groups; or an errno of ibx_cmd_attach_mcg().
 */
int ibx_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct ibx_dev *dev = to_idev(ibqp->device);

	return has_groups(dev) ? ibx_cmd_attach_mcg(dev, to_iqp(ibqp), gid) : -EOPNOTSUPP;
}

/**
 * ibx_detach_mcast() - verb detach_mcast
 * @ibqp: QP
 * @gid: address of the group
 * @lid: unused
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h, for example if the QP is not in the group.
 */
int ibx_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return ibx_cmd_detach_mcg(to_idev(ibqp->device), to_iqp(ibqp), gid);
}
