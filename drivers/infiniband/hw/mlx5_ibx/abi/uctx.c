// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Contexts of processes, and mappings of device memory into processes.
 *
 * The driver allocates no UARs for a new context: the library must allocate
 * each UAR as an object (MLX5_LIB_CAP_DYN_UAR), as libmlx5 does since version
 * 27. Older libraries are refused. A context for DEVX, which libmlx5 requests
 * first, owns a user context of the device. The commands of all its objects
 * carry the number of the user context (uid). A context without DEVX has uid 0.
 */
#include <linux/mlx5/vport.h>
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <uapi/rdma/mlx5-abi.h>

#define UVERBS_MODULE_NAME mlx5_ibx
#include <rdma/uverbs_named_ioctl.h>

#include "abi/abi.h"
#include "abi/check.h"
#include "abi/keep.h"
#include "devx/obj.h"
#include "keys/mr_key.h"

static int check_req(const struct mlx5_ib_alloc_ucontext_req_v2 *req)
{
	if (req->flags & ~MLX5_IB_ALLOC_UCTX_DEVX || req->comp_mask || req->reserved0 ||
	    req->reserved1 || req->reserved2)
		return -EOPNOTSUPP;
	/*
	 * the other bits of lib_caps are capabilities of the library; ignored
	 */
	return req->lib_caps & MLX5_LIB_CAP_DYN_UAR ? 0 : -EOPNOTSUPP;
}

/* tot_bfregs stays 0, which makes the library allocate UARs */
static void fill_resp(const struct ibx_uctx *uctx, struct mlx5_ib_alloc_ucontext_resp *resp)
{
	const struct ibx_dev *dev = to_idev(uctx->ibuc.device);
	struct mlx5_core_dev *mdev = dev->mdev;

	resp->qp_tab_size = BIT(MLX5_CAP_GEN(mdev, log_max_qp));
	resp->bf_reg_size = ibx_has_wc(dev) ? BIT(MLX5_CAP_GEN(mdev, log_bf_reg_size)) : 0;
	resp->cache_line_size = cache_line_size();
	resp->max_sq_desc_sz = MLX5_CAP_GEN(mdev, max_wqe_sz_sq);
	resp->max_rq_desc_sz = MLX5_CAP_GEN(mdev, max_wqe_sz_rq);
	resp->max_send_wqebb = BIT(MLX5_CAP_GEN(mdev, log_max_qp_sz));
	resp->max_recv_wr = resp->max_send_wqebb;
	resp->max_srq_recv_wr = BIT(MLX5_CAP_GEN(mdev, log_max_srq_sz));
	resp->num_ports = 1;
	resp->cqe_version = uctx->cqe_version;
	resp->cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE |
			      MLX5_USER_CMDS_SUPP_UHW_CREATE_AH;
	mlx5_query_min_inline(mdev, &resp->eth_min_inline);
	/* 0 means that the mode is not reported, so the modes begin with 1 */
	resp->eth_min_inline++;
	resp->log_uar_size = PAGE_SHIFT;
	resp->num_uars_per_page = 1;
	if (MLX5_CAP_GEN(mdev, uar_4k)) {
		resp->log_uar_size = MLX5_ADAPTER_PAGE_SHIFT;
		resp->num_uars_per_page = MLX5_CAP_GEN(mdev, num_of_uars_per_page);
	}
	if (MLX5_CAP_GEN(mdev, drain_sigerr))
		resp->comp_mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_SQD2RTS;
	/*
	 * a UMR of the process may change the variant (bits 7:0) of an mkey:
	 * commands name an mkey by its index (bits 31:8)
	 */
	resp->comp_mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_MKEY_UPDATE_TAG;
	/* a larger page would also contain registers for the kernel only */
	if (PAGE_SIZE <= 4096) {
		resp->comp_mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET;
		resp->hca_core_clock_offset =
			offsetof(struct mlx5_init_seg, internal_timer_h) % PAGE_SIZE;
	}
	if (mdev->clock_info)
		resp->clock_info_versions = BIT(MLX5_IB_CLOCK_INFO_V1);
}

/**
 * ibx_query_ucontext() - verb query_ucontext, for the importer of a context
 * @ibuc: context of the core
 * @attrs: attributes of the method; the core has filled in its attributes
 *
 * The response is the same as from ibx_alloc_ucontext(), truncated to the space
 * of the process.
 *
 * Context: process.
 * Return: 0 or -EFAULT.
 */
int ibx_query_ucontext(struct ib_ucontext *ibuc, struct uverbs_attr_bundle *attrs)
{
	struct mlx5_ib_alloc_ucontext_resp resp = {};
	int len = uverbs_attr_get_len(attrs, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX);

	if (len < 0)
		return len;
	fill_resp(to_uctx(ibuc), &resp);
	resp.response_length = min_t(size_t, len, sizeof(resp));
	return uverbs_copy_to_struct_or_zero(attrs, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, &resp,
					     sizeof(resp));
}

/* attribute of a core method; its structure includes at least dump_fill_mkey */
ADD_UVERBS_ATTRIBUTES_SIMPLE(query_context_tree, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT,
			     UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX,
						 UVERBS_ATTR_STRUCT(struct
								    mlx5_ib_alloc_ucontext_resp,
								    dump_fill_mkey),
						 UA_MANDATORY));

const struct uapi_definition ibx_uctx_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &query_context_tree),
	{}
};

static int init_uctx(struct ibx_uctx *uctx, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(uctx->ibuc.device);
	struct mlx5_ib_alloc_ucontext_resp resp = {};
	struct mlx5_ib_alloc_ucontext_req_v2 req;
	int err;

	err = ibx_udata_read(udata, &req, sizeof(req), offsetof(typeof(req), max_cqe_version));
	if (!err)
		err = check_req(&req);
	if (err)
		return err;

	if (req.flags & MLX5_IB_ALLOC_UCTX_DEVX) {
		err = ibx_cmd_create_uctx(dev, &uctx->uid);
		if (err)
			return err;
	}
	ibx_keep_open(uctx);
	uctx->cqe_version = min_t(u8, MLX5_CAP_GEN(dev->mdev, cqe_version), req.max_cqe_version);
	fill_resp(uctx, &resp);
	resp.response_length = min(udata->outlen, sizeof(resp));
	err = ibx_udata_write(udata, &resp, sizeof(resp),
			      offsetofend(typeof(resp), response_length));
	if (err)
		ibx_keep_close(uctx);
	return err;
}

/*
 * Put the reference to the process of a context that the driver refuses. The
 * ioctl of Linux 6.12 frees the context without this put. The write() command
 * puts the reference only while res.task is set.
 */
static void put_owner(struct ib_ucontext *ibuc)
{
	if (!ibuc->res.task)
		return;
	put_task_struct(ibuc->res.task);
	ibuc->res.task = NULL;
}

/**
 * ibx_alloc_ucontext() - verb alloc_ucontext
 * @ibuc: context of the core
 * @udata: struct mlx5_ib_alloc_ucontext_req_v2, and space for its response
 *
 * Context: process.
 * Return:
 * * 0
 * * -EOPNOTSUPP: DEVX on a device without user contexts, an unknown flag, or a
 *   library that cannot allocate UARs
 * * -EINVAL: the request ends before max_cqe_version, or the response has no
 *   space for response_length
 * * -EFAULT
 * * an errno from cmd.h
 */
int ibx_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	int err = init_uctx(to_uctx(ibuc), udata);

	if (err)
		put_owner(ibuc);
	else
		ibx_mr_keys_open(to_idev(ibuc->device));
	return err;
}

/**
 * ibx_dealloc_ucontext() - verb dealloc_ucontext
 * @ibuc: context without objects
 *
 * Context: process.
 */
void ibx_dealloc_ucontext(struct ib_ucontext *ibuc)
{
	ibx_keep_close(to_uctx(ibuc));
	ibx_mr_keys_close(to_idev(ibuc->device));
}

/* map the page of the BAR that contains only the clock, read-only */
static int map_clock(struct ibx_uctx *uctx, struct vm_area_struct *vma)
{
	struct mlx5_core_dev *mdev = to_idev(uctx->ibuc.device)->mdev;
	phys_addr_t clock = mdev->bar_addr + offsetof(struct mlx5_init_seg, internal_timer_h);

	if (PAGE_SIZE > 4096)
		return -EOPNOTSUPP;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	return rdma_user_mmap_io(&uctx->ibuc, vma, PHYS_PFN(clock), PAGE_SIZE,
				 pgprot_noncached(vma->vm_page_prot), NULL);
}

/*
 * Map the page of mlx5_core with the conversion of the clock to nanoseconds,
 * read-only. A process that has mapped the page keeps it after the device was
 * removed.
 */
static int map_clock_info(struct ibx_uctx *uctx, struct vm_area_struct *vma)
{
	const struct mlx5_core_dev *mdev = to_idev(uctx->ibuc.device)->mdev;

	if (!mdev->clock_info)
		return -EOPNOTSUPP;
	if (vma->vm_end - vma->vm_start != PAGE_SIZE || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	return vm_insert_page(vma, vma->vm_start, virt_to_page(mdev->clock_info));
}

/**
 * ibx_mmap() - verb mmap
 * @ibuc: context of the core
 * @vma: range of addresses; its page offset names the object to map
 *
 * Context: process; the core holds the lock of the process's mappings.
 * Return:
 * * 0
 * * -EOPNOTSUPP: a command of mlx5_ib that is not supported
 * * -EINVAL: the offset names no object of the context, or the range is private
 *   or not a single page
 * * -EPERM: the range is executable, or is writable and for a page of the clock
 * * -ENOMEM
 * * -EAGAIN: the page tables have no space
 */
int ibx_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	int kind = ibx_mmap_kind(vma->vm_pgoff);

	switch (kind) {
	case IBX_MMAP_KIND_UAR:
		return ibx_uar_mmap(to_uctx(ibuc), vma);
	case IBX_MMAP_KIND_CLOCK:
		return map_clock(to_uctx(ibuc), vma);
	case IBX_MMAP_KIND_CLOCK_INFO:
		return map_clock_info(to_uctx(ibuc), vma);
	default:
		return kind;
	}
}
