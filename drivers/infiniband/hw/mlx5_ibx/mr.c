// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions.
 *
 * DMA MR: a PA mkey over all of memory, one per kernel PD.
 * MEM_REG MR: one MTT mkey created free, with room for its longest list, and a
 * coherent descriptor list in host memory which map.c writes and the device
 * fetches when an IB_WR_REG_MR is too long to be inline. The device reads the
 * list until the registration completes, so dereg destroys the mkey first.
 *
 * Lists of up to IBX_DESC_ALIGN bytes come from a pool, longer ones are
 * allocations of their own; both are aligned as a UMR wants them.
 */
#include <linux/dmapool.h>
#include <linux/slab.h>

#include "cmd.h"
#include "enc.h"
#include "ibx.h"

/**
 * ibx_mr_init - prepare a function for MRs
 * @dev: the function
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ibx_mr_init(struct ibx_dev *dev)
{
	atomic_set(&dev->mkey_variant, 0);
	dev->desc_pool = dma_pool_create("mlx5_ibx_desc", dev->mdev->device, IBX_DESC_ALIGN,
					 IBX_DESC_ALIGN, 0);
	return dev->desc_pool ? 0 : -ENOMEM;
}

/**
 * ibx_mr_exit - undo ibx_mr_init()
 * @dev: the function, without MRs
 *
 * Context: may sleep.
 */
void ibx_mr_exit(struct ibx_dev *dev)
{
	dma_pool_destroy(dev->desc_pool);
}

/* longest list an mkey of ours takes */
u32 ibx_mr_max_mtt(const struct ibx_dev *dev)
{
	return BIT(min_t(u32, MLX5_CAP_GEN(dev->mdev, log_max_klm_list_size), 16));
}

static int alloc_list(struct ibx_dev *dev, struct ibx_mr *mr)
{
	mr->mtt_bytes = ibx_mtt_bytes(mr->max_mtt);
	if (mr->mtt_bytes <= IBX_DESC_ALIGN)
		mr->mtt = dma_pool_zalloc(dev->desc_pool, GFP_KERNEL, &mr->mtt_dma);
	else
		mr->mtt = dma_alloc_coherent(dev->mdev->device, mr->mtt_bytes, &mr->mtt_dma,
					     GFP_KERNEL | __GFP_NOWARN);
	return mr->mtt ? 0 : -ENOMEM;
}

static void free_list(struct ibx_dev *dev, struct ibx_mr *mr)
{
	if (!mr->mtt)
		return;
	if (mr->mtt_bytes <= IBX_DESC_ALIGN)
		dma_pool_free(dev->desc_pool, mr->mtt, mr->mtt_dma);
	else
		dma_free_coherent(dev->mdev->device, mr->mtt_bytes, mr->mtt, mr->mtt_dma);
}

static struct ib_mr *finish_mr(struct ibx_mr *mr)
{
	mr->ibmr.lkey = mr->mkey;
	mr->ibmr.rkey = mr->mkey;
	return &mr->ibmr;
}

/**
 * ibx_get_dma_mr - verb get_dma_mr
 * @ibpd: its PD
 * @access: IB_ACCESS_*
 *
 * Context: may sleep.
 * Return: an MR over all of memory, or -EOPNOTSUPP for access that is not a
 * plain one, -ENOMEM, or as cmd.h says.
 */
struct ib_mr *ibx_get_dma_mr(struct ib_pd *ibpd, int access)
{
	const int known = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ |
			  IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC |
			  IB_ACCESS_OPTIONAL;
	struct ibx_mkey_params p = {
		.mode = MLX5_MKC_ACCESS_MODE_PA,
		.pdn = to_ipd(ibpd)->pdn,
		.access = access,
		.length64 = true,
	};
	struct ibx_mr *mr;
	int err;

	if (access & ~known)
		return ERR_PTR(-EOPNOTSUPP);

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);

	err = ibx_cmd_create_mkey(to_idev(ibpd->device), &p, &mr->mkey);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return finish_mr(mr);
}

/**
 * ibx_alloc_mr - verb alloc_mr
 * @ibpd: its PD
 * @type: IB_MR_TYPE_MEM_REG
 * @max_num_sg: pages of the longest list, 1 to ibx_mr_max_mtt()
 *
 * Context: may sleep.
 * Return: the MR, or -EOPNOTSUPP for other types and on devices without fast
 * registration, -EINVAL for a length out of range, -ENOMEM, or as cmd.h says.
 */
struct ib_mr *ibx_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_num_sg)
{
	struct ibx_dev *dev = to_idev(ibpd->device);
	struct ibx_mkey_params p = {
		.mode = MLX5_MKC_ACCESS_MODE_MTT,
		.pdn = to_ipd(ibpd)->pdn,
		.free = true,
	};
	struct ibx_mr *mr;
	int err;

	/* a registration sets the length of the list */
	if (type != IB_MR_TYPE_MEM_REG ||
	    MLX5_CAP_GEN(dev->mdev, umr_modify_entity_size_disabled))
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > ibx_mr_max_mtt(dev))
		return ERR_PTR(-EINVAL);

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);

	mr->max_mtt = max_num_sg;
	err = alloc_list(dev, mr);
	if (err)
		goto free_mr;

	p.octwords = mr->mtt_bytes / 16;
	err = ibx_cmd_create_mkey(dev, &p, &mr->mkey);
	if (err)
		goto free_list;
	return finish_mr(mr);

free_list:
	free_list(dev, mr);
free_mr:
	kfree(mr);
	return ERR_PTR(err);
}

/**
 * ibx_dereg_mr - verb dereg_mr
 * @ibmr: the MR, gone afterwards; no request that uses it is outstanding
 * @udata: unused
 *
 * Context: may sleep.
 * Return: 0. An mkey that the device does not give up is reported in the kernel
 * log: if it was not invalidated, peers can go on using it. Its descriptor list
 * is read by registrations only and goes in any case.
 */
int ibx_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibmr->device);
	struct ibx_mr *mr = to_imr(ibmr);

	ibx_cmd_left(dev, "mkey", mr->mkey, ibx_cmd_destroy_mkey(dev, mr->mkey));
	free_list(dev, mr);
	kfree(mr);
	return 0;
}

/**
 * ibx_reg_user_mr - verb reg_user_mr
 * @ibpd: unused
 * @start: unused
 * @length: unused
 * @va: unused
 * @access: unused
 * @udata: unused
 *
 * There are no user contexts yet; the core wants the verb before it calls a
 * device a provider of kernel verbs.
 * Return: -EOPNOTSUPP.
 */
struct ib_mr *ibx_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 va,
			      int access, struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP);
}
