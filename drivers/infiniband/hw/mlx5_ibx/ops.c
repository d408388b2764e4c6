// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Table of the verbs that this provider implements. The core returns
 * -EOPNOTSUPP for the others, such as flow steering. The verbs of processes,
 * with XRC and memory windows, are in abi/ops.c.
 *
 * XRC is of no use to the kernel: a send must name an SRQ of the peer, and
 * struct ib_send_wr has no field for that. No ULP uses XRC.
 */
#include <linux/module.h>
#include <rdma/mlx5-abi.h>

#include "abi/abi.h"
#include "main.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

/*
 * This function is empty: the core unmaps the UARs from the process and
 * destroys the objects of the process. Without this operation, the core would
 * wait until the process ends, and would not move the device to another network
 * namespace.
 */
static void ibx_disassociate_ucontext(struct ib_ucontext *ucontext)
{
}

IBX_DEFINE_REG_USER_MR(op_no_user_mr, ibx_no_user_mr)

static const struct ib_device_ops ibx_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_MLX5,
	.uverbs_abi_ver = MLX5_IB_UVERBS_ABI_VERSION,

	.query_device = ibx_query_device,
	.modify_device = ibx_modify_device,
	.get_dev_fw_str = ibx_dev_fw_str,
	.device_group = &ibx_attr_group,
	.disassociate_ucontext = ibx_disassociate_ucontext,

	.query_port = ibx_query_port,
	.get_port_immutable = ibx_port_immutable,
	.get_link_layer = ibx_link_layer,
	IBX_REPORT_PORT_EVENT(ibx_report_port_event)
	.query_pkey = ibx_query_pkey,
	.process_mad = ibx_process_mad,
	.add_gid = ibx_add_gid,
	.del_gid = ibx_del_gid,

	.alloc_pd = ibx_alloc_pd,
	.dealloc_pd = ibx_dealloc_pd,
	.create_ah = ibx_create_ah,
	.query_ah = ibx_query_ah,
	.destroy_ah = ibx_destroy_ah,

	.create_cq = ibx_create_cq,
	.modify_cq = ibx_modify_cq,
	.resize_user_cq = ibx_resize_cq,
	.destroy_cq = ibx_destroy_cq,
	IBX_DESTROY_CQ_STEPS(ibx_pre_destroy_cq, ibx_post_destroy_cq)
	.poll_cq = ibx_poll_cq,
	.req_notify_cq = ibx_req_notify_cq,

	.create_qp = ibx_create_qp,
	.modify_qp = ibx_modify_qp,
	.query_qp = ibx_query_qp,
	.destroy_qp = ibx_destroy_qp,
	.post_send = ibx_post_send,
	.post_recv = ibx_post_recv,
	.drain_sq = ibx_drain_sq,
	.drain_rq = ibx_drain_rq,

	.attach_mcast = ibx_attach_mcast,
	.detach_mcast = ibx_detach_mcast,

	.create_srq = ibx_create_srq,
	.modify_srq = ibx_modify_srq,
	.query_srq = ibx_query_srq,
	.destroy_srq = ibx_destroy_srq,
	.post_srq_recv = ibx_post_srq_recv,

	.get_dma_mr = ibx_get_dma_mr,
	.reg_user_mr = op_no_user_mr,
	.alloc_mr = ibx_alloc_mr,
	.map_mr_sg = ibx_map_mr_sg,
	.alloc_mr_integrity = ibx_alloc_mr_integrity,
	.map_mr_sg_pi = ibx_map_mr_sg_pi,
	.check_mr_status = ibx_check_mr_status,
	.dereg_mr = ibx_dereg_mr,

	.fill_res_qp_entry = ibx_res_qp,
	.fill_res_cq_entry = ibx_res_cq,
	.fill_res_mr_entry = ibx_res_mr,
	.fill_res_qp_entry_raw = ibx_res_qp_raw,
	.fill_res_cq_entry_raw = ibx_res_cq_raw,
	.fill_res_mr_entry_raw = ibx_res_mr_raw,
	.fill_res_srq_entry = ibx_res_srq,
	.fill_res_srq_entry_raw = ibx_res_srq_raw,

	INIT_RDMA_OBJ_SIZE(ib_pd, ibx_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_ah, ibx_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, ibx_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_qp, ibx_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, ibx_srq, ibsrq),
};

/**
 * ibx_set_ops() - set the table of verbs of a device
 * @dev: device, not registered yet
 */
void ibx_set_ops(struct ibx_dev *dev)
{
	/* first: if two tables have the same verb, the core keeps the first */
	if (IS_ENABLED(CONFIG_INFINIBAND_USER_ACCESS))
		ibx_abi_set_ops(dev);
	ib_set_device_ops(&dev->ibdev, &ibx_ops);
}
