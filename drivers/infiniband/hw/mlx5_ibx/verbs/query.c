// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of the device and its port, for the core and for `rdma`. No state
 * is kept here.
 */
#include <linux/mlx5/vport.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>

#include "cmd/cmd.h"
#include "enc/devattr.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

/**
 * ibx_has_atomics() - does a device support IB atomics?
 * @dev: device
 *
 * Return: true if the device has compare-and-swap and fetch-and-add of 8 bytes.
 */
bool ibx_has_atomics(const struct ibx_dev *dev)
{
	const u32 both = MLX5_ATOMIC_OPS_CMP_SWAP | MLX5_ATOMIC_OPS_FETCH_ADD;

	return MLX5_CAP_GEN(dev->mdev, atomic) &&
	       (MLX5_CAP_ATOMIC(dev->mdev, atomic_operations) & both) == both;
}

static void get_caps(const struct ibx_dev *dev, struct ibx_caps *c)
{
	const struct mlx5_core_dev *mdev = dev->mdev;

	c->log_max_qp = MLX5_CAP_GEN(mdev, log_max_qp);
	c->log_max_qp_sz = MLX5_CAP_GEN(mdev, log_max_qp_sz);
	c->log_max_cq = MLX5_CAP_GEN(mdev, log_max_cq);
	c->log_max_cq_sz = MLX5_CAP_GEN(mdev, log_max_cq_sz);
	c->log_max_srq = MLX5_CAP_GEN(mdev, log_max_srq);
	c->log_max_srq_sz = MLX5_CAP_GEN(mdev, log_max_srq_sz);
	c->log_max_mkey = MLX5_CAP_GEN(mdev, log_max_mkey);
	c->log_max_pd = MLX5_CAP_GEN(mdev, log_max_pd);
	c->log_max_ra_req = MLX5_CAP_GEN(mdev, log_max_ra_req_qp);
	c->log_max_ra_res = MLX5_CAP_GEN(mdev, log_max_ra_res_qp);
	c->log_max_mcg = MLX5_CAP_GEN(mdev, log_max_mcg);
	c->max_qp_mcg = MLX5_CAP_GEN(mdev, max_qp_mcg);
	c->log_pg_sz = MLX5_CAP_GEN(mdev, log_pg_sz);
	c->max_wqe_sz_sq = MLX5_CAP_GEN(mdev, max_wqe_sz_sq);
	c->max_wqe_sz_rq = MLX5_CAP_GEN(mdev, max_wqe_sz_rq);
	c->max_mtt = ibx_mr_max_mtt(dev);
	c->max_sgl_rd = MLX5_CAP_GEN(mdev, max_sgl_for_optimized_performance);
	c->rmp = mdev->issi >= 1;
	c->gaps = ibx_mr_has_gaps(dev);
	c->integrity = ibx_has_integrity(dev);
	c->atomics = ibx_has_atomics(dev);
	c->umr = !MLX5_CAP_GEN(mdev, umr_modify_entity_size_disabled);
}

/**
 * ibx_query_device() - verb query_device
 * @ibdev: device
 * @attr: gets the attributes
 * @udata: NULL or without data; user space is not supported
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP for user space, or if the device's limits allow no QP;
 * or an errno from cmd.h.
 */
int ibx_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		     struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibdev);
	struct mlx5_core_dev *mdev = dev->mdev;
	struct ibx_caps caps;
	u64 guid;
	int err;

	if (udata && (udata->inlen || udata->outlen))
		return -EOPNOTSUPP;

	memset(attr, 0, sizeof(*attr));
	get_caps(dev, &caps);
	err = ibx_limits(&caps, attr);
	if (err)
		return err;
	err = mlx5_query_nic_vport_system_image_guid(mdev, &guid);
	if (err)
		return err;
	attr->sys_image_guid = cpu_to_be64(guid);
	err = mlx5_core_query_vendor_id(mdev, &attr->vendor_id);
	if (err)
		return err;

	attr->vendor_part_id = mdev->pdev->device;
	attr->hw_ver = mdev->pdev->revision;
	attr->fw_ver = (u64)fw_rev_maj(mdev) << 32 | (u32)fw_rev_min(mdev) << 16 |
		       fw_rev_sub(mdev);
	attr->device_cap_flags |= IB_DEVICE_CHANGE_PHY_PORT | IB_DEVICE_PORT_ACTIVE_EVENT |
				  IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN;
	attr->local_ca_ack_delay = MLX5_CAP_GEN(mdev, local_ca_ack_delay);
	attr->hca_core_clock = MLX5_CAP_GEN(mdev, device_frequency_khz);
	if (mlx5_core_is_vf(mdev))
		attr->kernel_cap_flags |= IBK_VIRTUAL_FUNCTION;
	if (MLX5_CAP_GEN(mdev, cq_moderation)) {
		attr->cq_caps.max_cq_moderation_count = MLX5_MAX_CQ_COUNT;
		attr->cq_caps.max_cq_moderation_period = MLX5_MAX_CQ_PERIOD;
	}
	return 0;
}

/**
 * ibx_query_pkey() - verb query_pkey
 * @ibdev: device
 * @port: 1
 * @index: 0, because Ethernet has a single P_Key
 * @pkey: gets the P_Key
 *
 * Return: 0, or -EINVAL for another index.
 */
int ibx_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = IBX_PKEY_DEFAULT;
	return 0;
}

static void query_netdev(struct ib_device *ibdev, struct ib_port_attr *attr)
{
	struct net_device *ndev = ib_device_get_netdev(ibdev, IBX_PORT);

	attr->state = IB_PORT_DOWN;
	attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	attr->active_mtu = IB_MTU_256;
	if (!ndev)
		return;
	if (netif_running(ndev) && netif_carrier_ok(ndev)) {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	}
	attr->active_mtu = min(attr->max_mtu, iboe_get_mtu(ndev->mtu));
	dev_put(ndev);
}

/**
 * ibx_query_port() - verb query_port
 * @ibdev: device
 * @port: 1
 * @attr: zeroed by the caller; gets the attributes. State and MTU are the
 *	netdev's.
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct ibx_dev *dev = to_idev(ibdev);
	u16 viol = 0;
	u32 oper;
	bool ext;
	int err;

	err = ibx_cmd_get_eth_proto(dev, &oper, &ext);
	if (err)
		return err;
	err = mlx5_query_nic_vport_qkey_viol_cntr(dev->mdev, &viol);
	if (err)
		return err;

	ibx_eth_speed(oper, ext, &attr->active_speed, &attr->active_width);
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->ip_gids = true;
	attr->gid_tbl_len = MLX5_CAP_ROCE(dev->mdev, roce_address_table_size);
	attr->qkey_viol_cntr = viol;
	attr->max_mtu = IB_MTU_4096;
	attr->max_msg_sz = BIT(MLX5_CAP_GEN(dev->mdev, log_max_msg));
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	query_netdev(ibdev, attr);
	return 0;
}

/**
 * ibx_port_immutable() - verb get_port_immutable
 * @ibdev: device that is not registered yet
 * @port: 1
 * @imm: zeroed by the caller; gets the attributes
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_port_immutable(struct ib_device *ibdev, u32 port, struct ib_port_immutable *imm)
{
	struct ibx_dev *dev = to_idev(ibdev);
	u8 version = MLX5_CAP_ROCE(dev->mdev, roce_version);
	struct ib_port_attr attr = {};
	int err;

	if (version & MLX5_ROCE_VERSION_1_CAP)
		imm->core_cap_flags |= RDMA_CORE_PORT_IBA_ROCE;
	if (version & MLX5_ROCE_VERSION_2_CAP)
		imm->core_cap_flags |= RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	err = ib_query_port(ibdev, port, &attr);
	if (err)
		return err;
	imm->pkey_tbl_len = attr.pkey_tbl_len;
	imm->gid_tbl_len = attr.gid_tbl_len;
	imm->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

/**
 * ibx_link_layer() - verb get_link_layer
 * @ibdev: device
 * @port: 1
 *
 * Return: IB_LINK_LAYER_ETHERNET; probing fails with other link layers.
 */
enum rdma_link_layer ibx_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

/**
 * ibx_dev_fw_str() - verb get_dev_fw_str
 * @ibdev: device
 * @str: buffer of IB_FW_VERSION_NAME_MAX bytes; gets the firmware version
 */
void ibx_dev_fw_str(struct ib_device *ibdev, char *str)
{
	struct mlx5_core_dev *mdev = to_idev(ibdev)->mdev;

	snprintf(str, IB_FW_VERSION_NAME_MAX, "%d.%d.%04d", fw_rev_maj(mdev),
		 fw_rev_min(mdev), fw_rev_sub(mdev));
}

/**
 * ibx_modify_device() - verb modify_device
 * @ibdev: device
 * @mask: IB_DEVICE_MODIFY_NODE_DESC
 * @modify: new node description
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP for other bits of @mask, or an errno from cmd.h.
 */
int ibx_modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *modify)
{
	int err;

	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (!(mask & IB_DEVICE_MODIFY_NODE_DESC))
		return 0;

	err = ibx_cmd_set_node_desc(to_idev(ibdev), modify->node_desc);
	if (!err)
		memcpy(ibdev->node_desc, modify->node_desc, IB_DEVICE_NODE_DESC_MAX);
	return err;
}

/**
 * ibx_is_ours() - does this module drive a device?
 * @ibdev: any RDMA device
 *
 * Context: any.
 * Return: true if the device has the verbs of this module.
 */
bool ibx_is_ours(const struct ib_device *ibdev)
{
	/* no other provider has this function in its table of verbs */
	return ibdev->ops.post_send == ibx_post_send;
}
