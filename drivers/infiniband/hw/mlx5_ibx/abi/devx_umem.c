// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DEVX: UMEMs. A UMEM is pinned memory of a process or of a dma-buf. Commands
 * that create objects of DEVX contain the number of a UMEM and an offset in it.
 *
 * The device refuses to destroy a UMEM that an object uses. The memory stays
 * pinned until the device has destroyed the UMEM, also after the process has
 * closed its handle (abi/keep.c).
 */
#include <linux/slab.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME mlx5_ibx
#include <rdma/uverbs_named_ioctl.h>

#include "abi/devx.h"
#include "abi/keep.h"
#include "devx/obj.h"

struct ibx_devx_umem {
	struct ib_umem *umem;
	u32 id;
};

static void free_umem(void *mem)
{
	struct ibx_devx_umem *um = mem;

	ib_umem_release(um->umem);
	kfree(um);
}

static int keep_umem(struct ibx_uctx *uctx, struct ibx_devx_umem *um, bool must, int err)
{
	struct ibx_keep keep = { .what = "UMEM", .must = must, .unpin = free_umem, .mem = um };

	ibx_cmd_fill_undo(keep.undo, MLX5_CMD_OP_DESTROY_UMEM, uctx->uid, um->id);
	return ibx_keep_refused(uctx, &keep, err);
}

static int umem_cleanup(struct ib_uobject *uobj, enum rdma_remove_reason why,
			struct uverbs_attr_bundle *attrs)
{
	struct ibx_uctx *uctx = to_uctx(attrs->context);
	struct ibx_devx_umem *um = uobj->object;
	int err = ibx_cmd_destroy_umem(to_idev(uctx->ibuc.device), uctx->uid, um->id);

	if (err)
		return keep_umem(uctx, um, why == RDMA_REMOVE_ABORT, err);
	free_umem(um);
	return 0;
}

/* attributes of UMEM_REG; with a dma-buf, @addr is an offset in the dma-buf */
struct umem_attrs {
	u64 addr;
	u64 len;
	u64 sizes;
	u32 access;
	bool is_dmabuf;
	int fd;
};

/* page sizes, access and dma-buf are optional */
static int read_attrs(struct uverbs_attr_bundle *attrs, struct umem_attrs *a)
{
	int err;

	err = uverbs_copy_from(&a->addr, attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR);
	if (!err)
		err = uverbs_copy_from(&a->len, attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN);
	if (!err)
		err = uverbs_get_flags32(&a->access, attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS,
					 IBX_UMEM_ACCESS);
	if (!err)
		err = uverbs_get_const_default(&a->sizes, attrs,
					       MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, U64_MAX);
	a->is_dmabuf = uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD);
	if (!err && a->is_dmabuf)
		err = uverbs_get_raw_fd(&a->fd, attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD);
	return err;
}

static struct ib_umem *pin_memory(struct ib_device *ibdev, const struct umem_attrs *a)
{
	struct ib_umem_dmabuf *buf;

	if (!a->is_dmabuf)
		return ib_umem_get_va(ibdev, a->addr, a->len, a->access);
	buf = ib_umem_dmabuf_get_pinned(ibdev, a->addr, a->len, a->fd, a->access);
	return IS_ERR(buf) ? ERR_CAST(buf) : &buf->umem;
}

static int create_fw_umem(struct ibx_uctx *uctx, struct ibx_devx_umem *um, u64 sizes)
{
	struct ib_umem *umem = um->umem;
	struct ibx_umem_mem mem = {
		.sgl = umem->sgt_append.sgt.sgl,
		.nents = umem->sgt_append.sgt.nents,
		.skip = ib_umem_offset(umem),
		.length = umem->length,
		.sizes = sizes,
		.writable = umem->writable,
	};

	return ibx_cmd_create_umem(to_idev(uctx->ibuc.device), uctx->uid, &mem, &um->id);
}

/*
 * Clean up after a failed CREATE_UMEM: free the memory or, if the device may
 * still create the UMEM, keep it.
 */
static void drop_new_umem(struct ibx_uctx *uctx, struct ibx_devx_umem *um, int err)
{
	const struct ibx_keep keep = { .what = "a UMEM", .unpin = free_umem, .mem = um };

	ibx_keep_uncreated(uctx, &keep, err);
}

static struct ibx_devx_umem *reg_umem(struct ibx_uctx *uctx, struct uverbs_attr_bundle *attrs)
{
	struct ib_device *ibdev = uctx->ibuc.device;
	struct ibx_devx_umem *um;
	struct umem_attrs a;
	int err;

	err = read_attrs(attrs, &a);
	if (!err)
		err = ib_check_mr_access(ibdev, a.access);
	if (err)
		return ERR_PTR(err);
	um = kzalloc(sizeof(*um), GFP_KERNEL);
	if (!um)
		return ERR_PTR(-ENOMEM);
	um->umem = pin_memory(ibdev, &a);
	if (IS_ERR(um->umem)) {
		err = PTR_ERR(um->umem);
		goto free;
	}
	err = create_fw_umem(uctx, um, a.sizes);
	if (err) {
		drop_new_umem(uctx, um, err);
		return ERR_PTR(err);
	}
	return um;

free:
	kfree(um);
	return ERR_PTR(err);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_UMEM_REG)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE);
	struct ibx_uctx *uctx = ibx_devx_uctx(attrs);
	struct ibx_devx_umem *um;

	if (IS_ERR(uctx))
		return PTR_ERR(uctx);
	um = reg_umem(uctx, attrs);
	if (IS_ERR(um))
		return PTR_ERR(um);
	uobj->object = um;
	/* an error from here on makes the core call umem_cleanup() */
	uverbs_finalize_uobj_create(attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE);
	return uverbs_copy_to(attrs, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, &um->id, sizeof(um->id));
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_UMEM_REG,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE,
					    MLX5_IB_OBJECT_DEVX_UMEM, UVERBS_ACCESS_NEW,
					    UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR,
					       UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_UMEM_REG_LEN,
					       UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
			    UVERBS_ATTR_RAW_FD(MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD, UA_OPTIONAL),
			    UVERBS_ATTR_FLAGS_IN(MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS,
						 enum ib_access_flags),
			    UVERBS_ATTR_CONST_IN(MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, u64),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(MLX5_IB_METHOD_DEVX_UMEM_DEREG,
				    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE,
						    MLX5_IB_OBJECT_DEVX_UMEM,
						    UVERBS_ACCESS_DESTROY, UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_DEVX_UMEM, UVERBS_TYPE_ALLOC_IDR(umem_cleanup),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_UMEM_REG),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_UMEM_DEREG));

/* objects of the mlx5 namespace */
const struct uapi_definition ibx_devx_umem_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_DEVX_UMEM),
	{}
};
