// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions.
 *
 * DMA MR: a PA mkey over all of memory, one per kernel PD.
 *
 * MEM_REG MR: one MTT mkey that is created free, with entries for the longest
 * list, and a coherent descriptor list in host memory. map.c writes the list.
 * The device fetches a list that is too long to be inline in an IB_WR_REG_MR.
 * The device may read the list until the registration completes, so
 * ibx_dereg_mr() destroys the mkey before it frees the list.
 *
 * SG_GAPS MR: two such mkeys, MTT and KLM, because a registration cannot change
 * the access mode of an mkey. The map selects one, and both share the list.
 * wq/key_marks.c ensures that only one mkey is registered.
 */
#include <linux/pci.h>
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "enc/enc.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

static void get_mkey_caps(struct mlx5_core_dev *mdev, struct ibx_mkey_caps *caps)
{
	caps->ro_write = MLX5_CAP_GEN(mdev, relaxed_ordering_write);
	caps->ro_read = MLX5_CAP_GEN(mdev, relaxed_ordering_read);
	caps->ro_read_pci = MLX5_CAP_GEN(mdev, relaxed_ordering_read_pci_enabled);
	caps->pci_ro = pcie_relaxed_ordering_enabled(mdev->pdev);
	caps->ats = MLX5_CAP_GEN(mdev, ats);
}

/* the device reports 0 for no limit */
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

/* entries in the longest list of a type, 0 if unsupported */
static u32 max_ents(const struct ibx_dev *dev, enum ib_mr_type type)
{
	switch (type) {
	case IB_MR_TYPE_MEM_REG:
		/* a registration must be able to set the length of the list */
		return MLX5_CAP_GEN(dev->mdev, umr_modify_entity_size_disabled) ?
			       0 : ibx_mr_max_mtt(dev);
	case IB_MR_TYPE_SG_GAPS:
		return ibx_mr_has_gaps(dev) ? ibx_mr_max_mtt(dev) : 0;
	default:
		return 0;
	}
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
 * Return:
 * * an MR over all of memory
 * * ERR_PTR(-EOPNOTSUPP): an access flag other than local write, remote read,
 *   remote write, remote atomic and the optional flags
 * * ERR_PTR(-ENOMEM)
 * * an ERR_PTR() from cmd.h
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

/**
 * ibx_alloc_mr() - verb alloc_mr
 * @ibpd: PD of the MR
 * @type: IB_MR_TYPE_MEM_REG or _SG_GAPS
 * @max_num_sg: number of entries of the longest list: pages, or ranges for an
 *	SG_GAPS list that does not consist of pages
 *
 * Context: may sleep.
 * Return:
 * * the MR
 * * ERR_PTR(-EOPNOTSUPP): another type, or the device does not support fast
 *   registration (for SG_GAPS: fast registration of indirect mkeys)
 * * ERR_PTR(-EINVAL): @max_num_sg is 0 or above ibx_mr_max_mtt()
 * * ERR_PTR(-ENOMEM)
 * * an ERR_PTR() from cmd.h
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
	err = ibx_mr_create_list(ibpd, mr,
				 mr->gaps ? ibx_klm_bytes(max_num_sg) :
					    ibx_mtt_bytes(max_num_sg));
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return finish_mr(mr);
}

/**
 * ibx_dereg_mr() - verb dereg_mr
 * @ibmr: MR, freed here; no outstanding WR uses it
 * @udata: unused
 *
 * Context: may sleep.
 * Return: 0. An mkey that the device refuses to destroy is reported in the
 * kernel log: unless it was invalidated, peers can still use it. The other mkey
 * of an SG_GAPS MR is destroyed nevertheless. The descriptor list is read by
 * registrations only and always freed.
 */
int ibx_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibmr->device);
	struct ibx_mr *mr = to_imr(ibmr);

	if (mr->pi)
		ibx_pi_destroy(dev, mr->pi);
	else
		ibx_mr_destroy_list(dev, mr);
	kfree(mr);
	return 0;
}

/**
 * ibx_no_user_mr() - verb reg_user_mr
 * @ibpd: unused
 * @start: unused
 * @length: unused
 * @va: unused
 * @access: unused
 * @dmah: unused
 * @udata: unused
 *
 * The core requires this verb of a provider of kernel verbs. In a kernel with
 * CONFIG_INFINIBAND_USER_ACCESS, abi/ops.c replaces it.
 *
 * Return: -EOPNOTSUPP.
 */
struct ib_mr *ibx_no_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 va,
			     int access, struct ib_dmah *dmah, struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP);
}
