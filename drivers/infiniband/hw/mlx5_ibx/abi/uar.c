// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UARs of processes: objects of the mlx5 namespace of uverbs. A process allocates
 * a UAR, maps it, and names it when it creates CQs and QPs.
 *
 * A UAR is an entry in the table of mappings of its context, at a page offset
 * that follows from its index. So a context finds only its own UARs, by offset
 * and by index. The process may destroy its handle at any time: new objects
 * cannot use the UAR then. The UAR is deallocated after the last mapping, CQ
 * and QP that uses it. Otherwise another process could get the UAR while this
 * process can still write to its doorbells.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME mlx5_ibx
#include <rdma/uverbs_named_ioctl.h>

#include "abi/abi.h"
#include "abi/check.h"
#include "abi/keep.h"
#include "cmd/cmd.h"

static struct ibx_uar *to_uar(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct ibx_uar, entry);
}

/* number of the PAGE_SIZE page of the BAR that contains a UAR */
static u32 uar_page(const struct ibx_dev *dev, u32 index)
{
	return MLX5_CAP_GEN(dev->mdev, uar_4k) ? index / MLX5_UARS_IN_PAGE : index;
}

/**
 * ibx_has_wc() - can doorbell registers be mapped write-combining?
 * @dev: device
 *
 * Context: may sleep; the first call makes mlx5_core test the device with NOPs.
 * Return: true if write-combining mappings (BlueFlame) are possible.
 */
bool ibx_has_wc(const struct ibx_dev *dev)
{
	return mlx5_wc_support_get(dev->mdev);
}

static void free_uar(struct ibx_uctx *uctx, struct ibx_uar *uar)
{
	struct ibx_dev *dev = to_idev(uctx->ibuc.device);
	int err;

	if (!uar->keep) {
		err = ibx_cmd_dealloc_uar(dev, uctx->uid, uar->index);
		ibx_cmd_left(dev, "UAR", uar->index, err);
		ibx_keep_note(uctx, err);
	}
	kfree(uar);
}

/**
 * ibx_uar_free() - verb mmap_free: deallocate a UAR
 * @entry: entry of the UAR in the table of mappings, without references
 *
 * Context: may sleep.
 */
void ibx_uar_free(struct rdma_user_mmap_entry *entry)
{
	free_uar(to_uctx(entry->ucontext), to_uar(entry));
}

static struct ibx_uar *alloc_uar(struct ibx_uctx *uctx, bool wc)
{
	struct ibx_dev *dev = to_idev(uctx->ibuc.device);
	struct ibx_uar *uar;
	u32 pgoff;
	int err;

	uar = kzalloc(sizeof(*uar), GFP_KERNEL);
	if (!uar)
		return ERR_PTR(-ENOMEM);
	uar->wc = wc;
	err = ibx_cmd_alloc_uar(dev, uctx->uid, &uar->index);
	if (err) {
		ibx_keep_note(uctx, err);
		kfree(uar);
		return ERR_PTR(err);
	}
	pgoff = IBX_MMAP_UAR + uar_page(dev, uar->index);
	err = rdma_user_mmap_entry_insert_range(&uctx->ibuc, &uar->entry, PAGE_SIZE, pgoff, pgoff);
	if (err) {
		free_uar(uctx, uar);
		return ERR_PTR(err);
	}
	return uar;
}

/**
 * ibx_uar_get() - find a UAR of a context, and get a reference
 * @uctx: context
 * @index: index of the UAR
 *
 * Context: process.
 * Return: the UAR; ERR_PTR(-EINVAL) if the context has no UAR in the BAR page
 * of this index, or the process has destroyed the handle of the UAR.
 */
struct ibx_uar *ibx_uar_get(struct ibx_uctx *uctx, u32 index)
{
	struct ibx_dev *dev = to_idev(uctx->ibuc.device);
	struct rdma_user_mmap_entry *entry;

	entry = rdma_user_mmap_entry_get_pgoff(&uctx->ibuc,
					       (u64)IBX_MMAP_UAR + uar_page(dev, index));
	return entry ? to_uar(entry) : ERR_PTR(-EINVAL);
}

/**
 * ibx_uar_put() - put a reference to a UAR
 * @uar: UAR
 *
 * Context: may sleep.
 */
void ibx_uar_put(struct ibx_uar *uar)
{
	rdma_user_mmap_entry_put(&uar->entry);
}

/**
 * ibx_uar_mmap() - map a UAR into a process
 * @uctx: context
 * @vma: range of addresses, of one page; its page offset names a UAR
 *
 * Context: process; the caller holds mmap_lock of the process for writing.
 * Return:
 * * 0
 * * -EINVAL: the context has no UAR at the offset, or the range has another
 *   size or is private
 * * -EPERM: the range is executable
 * * -ENOMEM
 * * -EAGAIN: the page tables have no space
 */
int ibx_uar_mmap(struct ibx_uctx *uctx, struct vm_area_struct *vma)
{
	struct ibx_dev *dev = to_idev(uctx->ibuc.device);
	struct rdma_user_mmap_entry *entry;
	struct ibx_uar *uar;
	unsigned long pfn;
	pgprot_t prot;
	int err;

	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	entry = rdma_user_mmap_entry_get(&uctx->ibuc, vma);
	if (!entry)
		return -EINVAL;
	vm_flags_clear(vma, VM_MAYEXEC);
	uar = to_uar(entry);
	pfn = PHYS_PFN(dev->mdev->bar_addr) + uar_page(dev, uar->index);
	prot = uar->wc ? pgprot_writecombine(vma->vm_page_prot) :
			 pgprot_noncached(vma->vm_page_prot);
	err = rdma_user_mmap_io(&uctx->ibuc, vma, pfn, PAGE_SIZE, prot, entry);
	rdma_user_mmap_entry_put(entry);
	return err;
}

/*
 * the process destroys its handle or ends, or the response of ALLOC cannot be
 * written
 */
static int uar_cleanup(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs)
{
	struct ibx_uar *uar = uobj->object;

	rdma_user_mmap_entry_remove(&uar->entry);
	return 0;
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_UAR_OBJ_ALLOC)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE);
	struct ib_ucontext *ibuc = ib_uverbs_get_ucontext(attrs);
	enum mlx5_ib_uapi_uar_alloc_type type;
	u32 length = PAGE_SIZE;
	struct ibx_uar *uar;
	u64 offset;
	int err;

	if (IS_ERR(ibuc))
		return PTR_ERR(ibuc);
	err = uverbs_get_const(&type, attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE);
	if (err)
		return err;
	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC &&
	    (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF || !ibx_has_wc(to_idev(ibuc->device))))
		return -EOPNOTSUPP;

	uar = alloc_uar(to_uctx(ibuc), type == MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF);
	if (IS_ERR(uar))
		return PTR_ERR(uar);
	uobj->object = uar;
	/* an error from here on makes the core call uar_cleanup() */
	uverbs_finalize_uobj_create(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE);

	offset = rdma_user_mmap_get_offset(&uar->entry);
	err = uverbs_copy_to(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset,
			     sizeof(offset));
	if (!err)
		err = uverbs_copy_to(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &uar->index,
				     sizeof(uar->index));
	if (!err)
		err = uverbs_copy_to(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &length,
				     sizeof(length));
	return err;
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_UAR_OBJ_ALLOC,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE,
					    MLX5_IB_OBJECT_UAR, UVERBS_ACCESS_NEW, UA_MANDATORY),
			    UVERBS_ATTR_CONST_IN(MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE,
						 enum mlx5_ib_uapi_uar_alloc_type, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET,
						UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(MLX5_IB_METHOD_UAR_OBJ_DESTROY,
				    UVERBS_ATTR_IDR(MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE,
						    MLX5_IB_OBJECT_UAR, UVERBS_ACCESS_DESTROY,
						    UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_UAR, UVERBS_TYPE_ALLOC_IDR(uar_cleanup),
			    &UVERBS_METHOD(MLX5_IB_METHOD_UAR_OBJ_ALLOC),
			    &UVERBS_METHOD(MLX5_IB_METHOD_UAR_OBJ_DESTROY));

/* objects of the mlx5 namespace */
const struct uapi_definition ibx_uar_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_UAR),
	{}
};
