// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions.
 *
 * DMA MR: a PA mkey over all of memory, one per kernel PD.
 *
 * MEM_REG MR: one MTT mkey created free, with entries for its longest list, and
 * a coherent descriptor list in host memory. map.c writes the list, and the
 * device fetches it when it is too long to be inline in an IB_WR_REG_MR. The
 * device reads the list until the registration completes, so ibx_dereg_mr()
 * destroys the mkey first.
 *
 * SG_GAPS MR: two such mkeys, MTT and KLM, because a registration cannot change
 * the access mode of an mkey. The map selects one, and both share the list.
 * wq/key_marks.c ensures that only one of them is registered.
 */
#include <linux/pci.h>
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "enc/enc.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

#define MAX_KLMS	65528	/* octwords of the mkey, a multiple of 8 below 2^16 */

static void get_mkey_caps(struct mlx5_core_dev *mdev, struct ibx_mkey_caps *caps)
{
	caps->ro_write = MLX5_CAP_GEN(mdev, relaxed_ordering_write);
	caps->ro_read = MLX5_CAP_GEN(mdev, relaxed_ordering_read);
	caps->ro_read_pci = MLX5_CAP_GEN(mdev, relaxed_ordering_read_pci_enabled);
	caps->pci_ro = pcie_relaxed_ordering_enabled(mdev->pdev);
	caps->ats = MLX5_CAP_GEN(mdev, ats);
}

/* no limit is announced as 0 */
static u8 max_page_shift(struct mlx5_core_dev *mdev)
{
	u8 shift = MLX5_CAP_GEN_2(mdev, max_mkey_log_entity_size_mtt);

	return shift ? min_t(u8, shift, IBX_MAX_PAGE_SHIFT) : IBX_MAX_PAGE_SHIFT;
}

/**
 * ibx_mr_init() - prepare a device for MRs
 * @dev: device
 *
 * Context: may sleep.
 * Return: 0.
 */
int ibx_mr_init(struct ibx_dev *dev)
{
	atomic_set(&dev->mkey_variant, 0);
	get_mkey_caps(dev->mdev, &dev->mkey_caps);
	dev->max_page_shift = max_page_shift(dev->mdev);
	spin_lock_init(&dev->lists_lock);
	INIT_LIST_HEAD(&dev->list_pages);
	return 0;
}

/**
 * ibx_mr_exit() - undo ibx_mr_init()
 * @dev: device without MRs
 *
 * Context: may sleep.
 */
void ibx_mr_exit(struct ibx_dev *dev)
{
	WARN_ON(!list_empty(&dev->list_pages));
	ibx_key_marks_exit(&dev->key_marks);
}

/**
 * ibx_mr_has_gaps() - does a device support SG_GAPS MRs?
 * @dev: device
 *
 * Return: true if a UMR can register indirect mkeys.
 */
bool ibx_mr_has_gaps(const struct ibx_dev *dev)
{
	return MLX5_CAP_GEN(dev->mdev, imaicl) &&
	       !MLX5_CAP_GEN(dev->mdev, umr_indirect_mkey_disabled) &&
	       !MLX5_CAP_GEN(dev->mdev, umr_modify_entity_size_disabled);
}

/*
 * Number of entries in the longest list of an MR. Consumers read one attribute for
 * both types of MRs.
 */
u32 ibx_mr_max_mtt(const struct ibx_dev *dev)
{
	u32 max = BIT(min_t(u32, MLX5_CAP_GEN(dev->mdev, log_max_klm_list_size), 16));

	return ibx_mr_has_gaps(dev) ? min_t(u32, max, MAX_KLMS) : max;
}

/* entries in the longest list of a type, 0 if unsupported */
static u32 max_ents(const struct ibx_dev *dev, enum ib_mr_type type)
{
	switch (type) {
	case IB_MR_TYPE_MEM_REG:
		/* a registration sets the length of the list */
		return MLX5_CAP_GEN(dev->mdev, umr_modify_entity_size_disabled) ?
			       0 : ibx_mr_max_mtt(dev);
	case IB_MR_TYPE_SG_GAPS:
		return ibx_mr_has_gaps(dev) ? ibx_mr_max_mtt(dev) : 0;
	default:
		return 0;
	}
}

static void destroy_key(struct ibx_dev *dev, u32 key)
{
	ibx_cmd_left(dev, "mkey", key, ibx_cmd_destroy_mkey(dev, key));
}

static struct ib_mr *finish_mr(struct ibx_mr *mr)
{
	mr->ibmr.lkey = mr->mkey;
	mr->ibmr.rkey = mr->mkey;
	return &mr->ibmr;
}

/**
 * ibx_get_dma_mr() - verb get_dma_mr
 * @ibpd: PD of the MR
 * @access: IB_ACCESS_*
 *
 * Context: may sleep.
 * Return: an MR over all of memory, or -EOPNOTSUPP for access flags other than
 * local write, remote read, write and atomic, and optional ones, -ENOMEM, or an
 * errno from cmd.h.
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
		if (ibx_cmd_lost(err))
			to_ipd(ibpd)->held = true;
		kfree(mr);
		return ERR_PTR(err);
	}
	return finish_mr(mr);
}

/*
 * an mkey that a registration enables; it gets a mark if the MR has two
 * (wq/key_marks.c)
 */
static int create_free_key(struct ibx_dev *dev, struct ibx_mr *mr, u8 mode, u32 *key)
{
	struct ibx_mkey_params p = {
		.mode = mode,
		.pdn = to_ipd(mr->ibmr.pd)->pdn,
		.octwords = mode == MLX5_MKC_ACCESS_MODE_MTT ?
				    ibx_mtt_bytes(mr->max_ents) / IBX_DS :
				    ibx_klm_key_octwords(mr->max_ents),
		.free = true,
	};
	int err;

	err = ibx_cmd_create_mkey(dev, &p, key);
	if (err || !mr->gaps)
		return err;
	err = ibx_key_mark_add(&dev->key_marks, *key);
	if (err)
		destroy_key(dev, *key);
	return err;
}

static int create_keys(struct ibx_dev *dev, struct ibx_mr *mr)
{
	int err;

	mr->mode = MLX5_MKC_ACCESS_MODE_MTT;
	err = create_free_key(dev, mr, MLX5_MKC_ACCESS_MODE_MTT, &mr->mkey);
	if (err || !mr->gaps)
		return err;
	err = create_free_key(dev, mr, MLX5_MKC_ACCESS_MODE_KLMS, &mr->other);
	if (err)
		destroy_key(dev, mr->mkey);
	return err;
}

/* list memory and mkeys of an MR; @bytes of list memory */
static int create_list(struct ib_pd *ibpd, struct ibx_mr *mr, u32 bytes)
{
	struct ibx_dev *dev = to_idev(ibpd->device);
	int err;

	mr->ibmr.pd = ibpd;
	mr->max_shift = dev->max_page_shift;
	err = ibx_mr_list_alloc(dev, mr, bytes);
	if (err)
		return err;
	err = create_keys(dev, mr);
	if (err)
		ibx_mr_list_free(dev, mr);
	return err;
}

/**
 * ibx_mr_create_list() - create the list of an INTEGRITY MR
 * @ibpd: PD of the MR
 * @mr: zeroed; an SG_GAPS MR afterwards, which the core does not know
 * @max_ents: maximum of pages, or of ranges; of two lists one after the other
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM or an errno from cmd.h.
 */
int ibx_mr_create_list(struct ib_pd *ibpd, struct ibx_mr *mr, u32 max_ents)
{
	mr->ibmr.device = ibpd->device;
	mr->gaps = true;
	mr->max_ents = max_ents;
	/* padding of the second list: see ibx_map_mr_sg_pi() */
	return create_list(ibpd, mr, ibx_klm_bytes(max_ents) + IBX_BB);
}

/**
 * ibx_mr_destroy_list() - destroy the mkeys of an MR, and its list if it has one
 * @dev: device
 * @mr: any MR but an INTEGRITY MR; or the list of one
 *
 * Context: may sleep.
 */
void ibx_mr_destroy_list(struct ibx_dev *dev, struct ibx_mr *mr)
{
	destroy_key(dev, mr->mkey);
	if (mr->gaps)
		destroy_key(dev, mr->other);
	ibx_mr_list_free(dev, mr);
}

/**
 * ibx_alloc_mr() - verb alloc_mr
 * @ibpd: PD of the MR
 * @type: IB_MR_TYPE_MEM_REG or _SG_GAPS
 * @max_num_sg: number of entries of the longest list: pages, or ranges for an
 *	SG_GAPS list that does not consist of pages
 *
 * Context: may sleep.
 * Return: the MR, or -EOPNOTSUPP for other types and on devices without fast
 * registration (for SG_GAPS, of indirect mkeys), -EINVAL if @max_num_sg is 0 or
 * above ibx_mr_max_mtt(), -ENOMEM, or an errno from cmd.h.
 */
struct ib_mr *ibx_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_num_sg)
{
	struct ibx_dev *dev = to_idev(ibpd->device);
	u32 max = max_ents(dev, type);
	struct ibx_mr *mr;
	int err;

	if (!max)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > max)
		return ERR_PTR(-EINVAL);

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);

	mr->gaps = type == IB_MR_TYPE_SG_GAPS;
	mr->max_ents = max_num_sg;
	err = create_list(ibpd, mr, mr->gaps ? ibx_klm_bytes(max_num_sg) :
					       ibx_mtt_bytes(max_num_sg));
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return finish_mr(mr);
}

/**
 * ibx_no_user_mr() - verb reg_user_mr
 * @ibpd: unused
 * @start: unused
 * @length: unused
 * @va: unused
 * @access: unused
 * @udata: unused
 *
 * The core requires this verb of a provider of kernel verbs. A kernel with
 * CONFIG_INFINIBAND_USER_ACCESS has that of abi/ops.c instead.
 *
 * Return: -EOPNOTSUPP.
 */
struct ib_mr *ibx_no_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 va,
			     int access, struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP);
}
