// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: MRs with protection information, of registration contexts. See
 * <rdma/ib_frwr_pi.h>.
 *
 * ib_alloc_mr_integrity() allocates signature attributes for its MR. As in all
 * MRs of ib_frwr, mr->sig_attrs is then set to the private part, which begins
 * with signature attributes. ULPs have no pointer to these MRs, and the
 * functions of <rdma/ib_frwr.h> for single MRs refuse MRs of this type.
 *
 * Drivers check different attributes. mlx5_ib reports no error for an interval
 * that it does not support, nor for a list that is too short. So this file
 * checks lists and attributes, and the same calls fail on all devices.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/t10-pi.h>

#include "frwr.h"

#define FRWR_PI_BYTES	sizeof(struct t10_pi_tuple)

static bool frwr_pi_has_device(const struct ib_device *dev)
{
	return dev->attrs.kernel_cap_flags & IBK_INTEGRITY_HANDOVER &&
	       dev->ops.alloc_mr_integrity && dev->ops.map_mr_sg_pi && dev->ops.check_mr_status;
}

/**
 * frwr_pi_check_attr() - check attributes of MRs with protection information
 * @dev: RDMA device
 * @attr: attributes, with IB_MR_TYPE_INTEGRITY
 *
 * Context: any.
 * Return: 0 or an error of ib_create_mr(); -EINVAL also when a list has no
 * element, or more than the device permits for integrity MRs.
 */
int frwr_pi_check_attr(const struct ib_device *dev, const struct ib_mr_init_attr *attr)
{
	u32 max = dev->attrs.max_pi_fast_reg_page_list_len;

	if (!frwr_pi_has_device(dev))
		return -EOPNOTSUPP;
	if (!frwr_flags_valid(attr))
		return -EINVAL;
	if (!attr->max_reg_descs || !attr->max_meta_descs)
		return -EINVAL;
	/* if the device has no limit, the driver checks the length */
	if (max && (attr->max_reg_descs > max || attr->max_meta_descs > max))
		return -EINVAL;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(frwr_pi_check_attr);

/*
 * allocate the scatterlists for bio_vecs of data and of protection information
 */
static int frwr_pi_init_lists(struct frwr_mr *f)
{
	struct frwr_mr *meta;
	int err;

	err = frwr_build_init(f);
	if (err)
		return err;
	meta = kzalloc(sizeof(*meta), GFP_KERNEL);
	if (!meta)
		return -ENOMEM;
	f->meta = meta;
	meta->dev = f->dev;
	meta->dir = DMA_NONE;
	meta->max_descs = f->max_meta;
	meta->arb = true;
	return frwr_build_init(meta);
}

/**
 * frwr_pi_create_mr() - create an MR with protection information
 * @pd: PD of the MR
 * @attr: attributes that frwr_pi_check_attr() accepts
 *
 * Context: may sleep.
 * Return: the MR, IDLE; or ERR_PTR() of an error of ib_create_mr().
 */
struct ib_mr *frwr_pi_create_mr(struct ib_pd *pd, const struct ib_mr_init_attr *attr)
{
	struct frwr_mr *f;
	struct ib_mr *mr;
	int err;

	f = frwr_alloc_private(pd->device, attr);
	if (!f)
		return ERR_PTR(-ENOMEM);
	mr = ib_alloc_mr_integrity(pd, attr->max_reg_descs, attr->max_meta_descs);
	if (IS_ERR(mr)) {
		kfree(f);
		return mr;
	}
	/* free the signature attributes that the core has allocated */
	kfree(mr->sig_attrs);
	frwr_attach_private(mr, f);
	f->arb = true;
	f->max_meta = attr->max_meta_descs;
	if (attr->create_flags & IB_MR_REG_SG_ONLY)
		return mr;
	err = frwr_pi_init_lists(f);
	if (err) {
		frwr_destroy_mr(f);
		return ERR_PTR(err);
	}
	return mr;
}
EXPORT_SYMBOL_IF_KUNIT(frwr_pi_create_mr);

static int frwr_pi_check_interval(u16 interval)
{
	switch (interval) {
	case 512:
	case 520:
	case 4096:
	case 4160:
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int frwr_pi_check_domain(const struct ib_device *dev, const struct ib_sig_domain *domain)
{
	const struct ib_t10_dif_domain *dif = &domain->sig.dif;

	if (domain->sig_type == IB_SIG_TYPE_NONE)
		return 0;
	if (domain->sig_type != IB_SIG_TYPE_T10_DIF || (dif->bg && dif->bg != U16_MAX))
		return -EINVAL;
	switch (dif->bg_type) {
	case IB_T10DIF_CRC:
		if (!(dev->attrs.sig_guard_cap & IB_GUARD_T10DIF_CRC))
			return -EOPNOTSUPP;
		break;
	case IB_T10DIF_CSUM:
		if (!(dev->attrs.sig_guard_cap & IB_GUARD_T10DIF_CSUM))
			return -EOPNOTSUPP;
		break;
	default:
		return -EINVAL;
	}
	return frwr_pi_check_interval(dif->pi_interval);
}

static int frwr_pi_check_sig(const struct ib_device *dev, const struct ib_sig_attrs *attrs)
{
	int err = frwr_pi_check_domain(dev, &attrs->mem);

	if (err)
		return err;
	if (attrs->mem.sig_type == IB_SIG_TYPE_NONE && attrs->wire.sig_type == IB_SIG_TYPE_NONE)
		return -EINVAL;
	return frwr_pi_check_domain(dev, &attrs->wire);
}

/* check a mapped list, which may be empty, and set @length to the number of its bytes */
static int frwr_pi_check_list(struct scatterlist *sg, int nents, u32 max, u64 *length)
{
	struct scatterlist *s;
	int i;

	*length = 0;
	if (nents < 0)
		return -EINVAL;
	if (nents > max)
		return -ENOSPC;
	for_each_sg(sg, s, nents, i) {
		if ((dma_addr_t)(sg_dma_address(s) + sg_dma_len(s)) <= sg_dma_address(s))
			return -EINVAL;
		*length += sg_dma_len(s);
	}
	return 0;
}

/*
 * Set @pi to the number of bytes of protection information that @data bytes
 * have in a domain.
 */
static int frwr_pi_count(const struct ib_sig_domain *domain, u64 data, u64 *pi)
{
	u64 blocks;

	*pi = 0;
	if (domain->sig_type == IB_SIG_TYPE_NONE)
		return 0;
	blocks = div_u64(data, domain->sig.dif.pi_interval);
	if (blocks * domain->sig.dif.pi_interval != data)
		return -EINVAL;
	*pi = blocks * FRWR_PI_BYTES;
	return 0;
}

/**
 * struct frwr_pi_lengths - numbers of bytes of a registration
 * @data: data
 * @mem: protection information in memory
 * @wire: protection information on the wire
 */
struct frwr_pi_lengths {
	u64 data;
	u64 mem;
	u64 wire;
};

/*
 * @n->data includes the protection information after each block: subtract it
 */
static int frwr_pi_split(const struct ib_sig_domain *mem, struct frwr_pi_lengths *n)
{
	const u32 step = mem->sig.dif.pi_interval + FRWR_PI_BYTES;
	const u64 blocks = div_u64(n->data, step);

	if (blocks * step != n->data)
		return -EINVAL;
	n->mem = blocks * FRWR_PI_BYTES;
	n->data -= n->mem;
	return 0;
}

/*
 * Check the protection information in memory: it is in the list @meta, or
 * between the blocks of data.
 */
static int frwr_pi_check_mem(const struct ib_sig_domain *mem, int meta_nents, u64 meta,
			     struct frwr_pi_lengths *n)
{
	int err;

	if (mem->sig_type != IB_SIG_TYPE_NONE && !meta_nents)
		return frwr_pi_split(mem, n);
	err = frwr_pi_count(mem, n->data, &n->mem);
	if (err)
		return err;
	return n->mem == meta ? 0 : -EINVAL;
}

/* Check lists that fit the MR against valid attributes. */
static int frwr_pi_check_lists(const struct frwr_mr *f, const struct ib_frwr_pi_lists *lists,
			       const struct ib_sig_attrs *attrs, struct frwr_pi_lengths *n)
{
	u64 meta;
	int err;

	err = frwr_pi_check_list(lists->data, lists->data_nents, f->max_descs, &n->data);
	if (!err)
		err = frwr_pi_check_list(lists->meta, lists->meta_nents, f->max_meta, &meta);
	if (err)
		return err;
	if (!n->data)
		return -EINVAL;
	err = frwr_pi_check_mem(&attrs->mem, lists->meta_nents, meta, n);
	if (!err)
		err = frwr_pi_count(&attrs->wire, n->data, &n->wire);
	if (err)
		return err;
	/* lengths in struct ib_sig_attrs and on devices have 31 bits */
	return n->data + max(n->mem, n->wire) > INT_MAX ? -ENOSPC : 0;
}

static int frwr_pi_attach_lists(struct ib_mr *mr, const struct ib_frwr_pi_lists *lists)
{
	int err = ib_map_mr_sg_pi(mr, lists->data, lists->data_nents, NULL, lists->meta,
				  lists->meta_nents, NULL, BIT(frwr_mr_of(mr)->page_shift));

	/*
	 * The lists are valid, so -ENOMEM means that the driver has too little
	 * space.
	 */
	return err == -ENOMEM ? -ENOSPC : err;
}

/**
 * frwr_pi_map() - attach lists to the MR of a request, and set the lengths of the request
 * @pi: request with an MR of frwr_pi_create_mr(), IDLE; the MR is SET after success
 * @lists: lists
 * @attrs: signature attributes
 *
 * If the driver has recorded a signature error after the release of the
 * previous registration, the error is dropped.
 *
 * Context: any.
 * Return: 0 or an error of ib_frwr_map_pi().
 */
int frwr_pi_map(struct ib_frwr_pi_req *pi, const struct ib_frwr_pi_lists *lists,
		const struct ib_sig_attrs *attrs)
{
	struct frwr_mr *f = frwr_mr_of(pi->req.mr);
	struct frwr_pi_lengths n = { };
	struct frwr_saved saved;
	int err;

	err = frwr_pi_check_sig(f->dev, attrs);
	if (!err)
		err = frwr_pi_check_lists(f, lists, attrs, &n);
	if (err)
		return err;
	frwr_pi_take_status(pi);
	f->sig = *attrs;
	saved = frwr_begin_set(f->mr);
	err = frwr_pi_attach_lists(f->mr, lists);
	if (unlikely(err))
		return frwr_undo_set(f->mr, f, saved, err);
	f->iova = f->mr->iova;
	f->length = f->mr->length;
	f->state = FRWR_SET;
	pi->req.length = n.data + n.wire;
	/* The devices count bytes on the wire. Unrefereed: U-98 */
	pi->local_length = pi->req.length;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(frwr_pi_map);

/**
 * frwr_pi_map_bvecs() - frwr_pi_map() of bio_vecs, which are mapped for DMA here
 * @pi: request with an MR of frwr_pi_create_mr(), IDLE; the MR is SET after success
 * @vecs: bio_vecs
 * @attrs: signature attributes
 * @dir: direction of the device's accesses
 *
 * Context: any.
 * Return: 0 or an error of ib_frwr_map_pi_biovec(); nothing is mapped after an error.
 */
int frwr_pi_map_bvecs(struct ib_frwr_pi_req *pi, const struct ib_frwr_pi_bvecs *vecs,
		      const struct ib_sig_attrs *attrs, enum dma_data_direction dir)
{
	struct frwr_mr *f = frwr_mr_of(pi->req.mr);
	struct ib_frwr_pi_lists lists = { };
	int n;

	if (!f->meta || !vecs->data_vcnt)
		return -EINVAL;
	n = frwr_build_biovec(f, vecs->data, vecs->data_vcnt, dir);
	if (n < 0)
		return n;
	lists.data = f->sgl;
	lists.data_nents = n;
	if (vecs->meta_vcnt) {
		n = frwr_build_biovec(f->meta, vecs->meta, vecs->meta_vcnt, dir);
		lists.meta = f->meta->sgl;
		lists.meta_nents = n;
	}
	if (n >= 0)
		n = frwr_pi_map(pi, &lists, attrs);
	if (n)
		frwr_dma_unmap(f);
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(frwr_pi_map_bvecs);

/**
 * frwr_pi_take_status() - read the signature status of a request's MR
 * @pi: request with an MR of frwr_pi_create_mr(); status and status_err are set
 *
 * The driver reports an error once, and may fail further queries of the status
 * until the next registration. The status of a request that was mapped but not
 * posted is not queried, because no data was transferred.
 *
 * Context: any.
 */
void frwr_pi_take_status(struct ib_frwr_pi_req *pi)
{
	pi->status = (struct ib_mr_status){ };
	pi->status_err = 0;
	if (frwr_mr_of(pi->req.mr)->state == FRWR_SET)
		return;
	pi->status_err = ib_check_mr_status(pi->req.mr, IB_MR_CHECK_SIG_STATUS, &pi->status);
}
EXPORT_SYMBOL_IF_KUNIT(frwr_pi_take_status);
