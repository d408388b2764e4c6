// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Verbs that need code for processes. If the kernel uses such a verb, too, the
 * same function handles the calls of the kernel and of processes. The other
 * verbs are in ibx_ops (ops.c).
 */
#include "abi/abi.h"

IBX_DEFINE_REG_USER_MR(op_reg_user_mr, ibx_user_reg_mr)
IBX_DEFINE_REG_USER_MR_DMABUF(op_reg_user_mr_dmabuf, ibx_user_reg_mr_dmabuf)

static const struct ib_device_ops abi_ops = {
	.alloc_ucontext = ibx_alloc_ucontext,
	.dealloc_ucontext = ibx_dealloc_ucontext,
	.query_ucontext = ibx_query_ucontext,
	.mmap = ibx_mmap,
	.mmap_free = ibx_uar_free,
	.query_device = ibx_user_query_device,

	.alloc_pd = ibx_user_alloc_pd,
	.dealloc_pd = ibx_user_dealloc_pd,
	.create_user_ah = ibx_user_create_ah,

	.create_cq = ibx_user_create_cq,
	.resize_user_cq = ibx_user_resize_cq,
	.destroy_cq = ibx_user_destroy_cq,

	.create_qp = ibx_user_create_qp,
	.modify_qp = ibx_user_modify_qp,
	.destroy_qp = ibx_user_destroy_qp,

	.create_srq = ibx_user_create_srq,
	.modify_srq = ibx_user_modify_srq,
	.destroy_srq = ibx_user_destroy_srq,

	.alloc_xrcd = ibx_alloc_xrcd,
	.dealloc_xrcd = ibx_dealloc_xrcd,

	.reg_user_mr = op_reg_user_mr,
	.reg_user_mr_dmabuf = op_reg_user_mr_dmabuf,
	.rereg_user_mr = ibx_user_rereg_mr,
	.dereg_mr = ibx_user_dereg_mr,
	.alloc_mw = ibx_alloc_mw,
	.dealloc_mw = ibx_dealloc_mw,

	INIT_RDMA_OBJ_SIZE(ib_cq, ibx_user_cq, cq.ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, ibx_user_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_qp, ibx_user_qp, qp.ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, ibx_user_srq, srq.ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, ibx_uctx, ibuc),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, ibx_xrcd, ibxrcd),
};

/* objects and methods of the mlx5 namespace of uverbs */
static const struct uapi_definition ibx_defs[] = {
	UAPI_DEF_CHAIN(ibx_uctx_defs),
	UAPI_DEF_CHAIN(ibx_device_defs),
	UAPI_DEF_CHAIN(ibx_pd_defs),
	UAPI_DEF_CHAIN(ibx_uar_defs),
	UAPI_DEF_CHAIN(ibx_devx_defs),
	UAPI_DEF_CHAIN(ibx_devx_async_defs),
	UAPI_DEF_CHAIN(ibx_devx_event_defs),
	UAPI_DEF_CHAIN(ibx_devx_obj_defs),
	UAPI_DEF_CHAIN(ibx_devx_umem_defs),
	{}
};

/**
 * ibx_abi_set_ops() - set the verbs that need code for processes
 * @dev: device, not registered. abi_ops must be set before ibx_ops: if two
 *	tables have the same verb, ib_set_device_ops() keeps the first
 */
void ibx_abi_set_ops(struct ibx_dev *dev)
{
	ib_set_device_ops(&dev->ibdev, &abi_ops);
	dev->ibdev.driver_def = ibx_defs;
}
