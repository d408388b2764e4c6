// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: MRs, their states, and attaching lists.
 *
 * A list is attached by the driver's hook or by ib_map_mr_sg(). Before that,
 * this file checks arguments and state and rolls the key. A list that has more
 * pages, of the page size of the MR, than the MR was created for is attached in
 * larger pages if possible (frwr_attach_large()). If no larger page size fits,
 * attaching fails, even if the device has space for the list.
 *
 * When attaching fails, iova, length and the low byte of the key get their
 * previous values. The driver owns the upper 24 bits of the key, since it may
 * switch between several keys.
 *
 * Only the functions that create and destroy MRs allocate, free or sleep. The
 * exception is the driver hns, which allocates memory in ib_map_mr_sg().
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "frwr.h"

#define FRWR_DEF_PAGE_SHIFT	12
#define FRWR_CREATE_FLAGS	(IB_MR_REG_ARB_SG | IB_MR_REG_SG_ONLY | IB_MR_REG_PEER_MAY_READ)

static u32 frwr_page_shift(const struct ib_mr_init_attr *attr)
{
	return attr->page_shift ?: FRWR_DEF_PAGE_SHIFT;
}

/*
 * Does the device execute READs of memory that was registered without
 * IB_ACCESS_REMOTE_READ? Before siw sends the READ Response,
 * siw_qp_sq_proc_tx() checks PD, key and bounds of the memory, but no access
 * flag.
 */
static bool frwr_reads_unchecked(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_SIW;
}

/**
 * frwr_flags_valid() - check flags and page size of MRs
 * @attr: attributes of MRs of any type
 *
 * Context: any.
 * Return: true if flags and page size are in range.
 */
bool frwr_flags_valid(const struct ib_mr_init_attr *attr)
{
	return !(attr->create_flags & ~FRWR_CREATE_FLAGS) &&
	       frwr_page_shift(attr) >= FRWR_DEF_PAGE_SHIFT && frwr_page_shift(attr) <= PAGE_SHIFT;
}

static int frwr_check_attr(const struct ib_device *dev, const struct ib_mr_init_attr *attr)
{
	u32 max = dev->attrs.max_fast_reg_page_list_len;

	if (attr->mr_type != IB_MR_TYPE_FAST_REG)
		return -EOPNOTSUPP;
	if (!frwr_flags_valid(attr) || attr->max_meta_descs)
		return -EINVAL;
	if (!(dev->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS) ||
	    !dev->ops.alloc_mr || !dev->ops.map_mr_sg)
		return -EOPNOTSUPP;
	if (frwr_reads_unchecked(dev) && !(attr->create_flags & IB_MR_REG_PEER_MAY_READ))
		return -EOPNOTSUPP;
	if (attr->create_flags & IB_MR_REG_ARB_SG &&
	    !(dev->attrs.kernel_cap_flags & IBK_SG_GAPS_REG))
		return -EOPNOTSUPP;
	/* if the device has no limit, the driver checks the length */
	if (!attr->max_reg_descs || (max && attr->max_reg_descs > max))
		return -EINVAL;
	return 0;
}

/**
 * frwr_alloc_private() - allocate the private part of an MR
 * @dev: RDMA device
 * @attr: attributes of the MR
 *
 * Context: may sleep.
 * Return: the private part, or NULL.
 */
struct frwr_mr *frwr_alloc_private(struct ib_device *dev, const struct ib_mr_init_attr *attr)
{
	struct frwr_mr *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return NULL;
	f->dev = dev;
	f->dir = DMA_NONE;
	f->max_descs = attr->max_reg_descs;
	f->arb = attr->create_flags & IB_MR_REG_ARB_SG;
	f->page_shift = frwr_page_shift(attr);
	f->provider = frwr_find_provider(dev);
	return f;
}

/**
 * frwr_attach_private() - attach the private part to its MR
 * @mr: MR without signature attributes
 * @f: private part
 *
 * Context: any.
 */
void frwr_attach_private(struct ib_mr *mr, struct frwr_mr *f)
{
	f->mr = mr;
	mr->sig_attrs = &f->sig;
}

struct ib_mr *ib_create_mr(struct ib_pd *pd, const struct ib_mr_init_attr *attr)
{
	struct frwr_mr *f;
	struct ib_mr *mr;
	int err;

	might_sleep();
	err = frwr_check_attr(pd->device, attr);
	if (err)
		return ERR_PTR(err);
	f = frwr_alloc_private(pd->device, attr);
	if (!f)
		return ERR_PTR(-ENOMEM);
	mr = ib_alloc_mr(pd, f->arb ? IB_MR_TYPE_SG_GAPS : IB_MR_TYPE_MEM_REG, f->max_descs);
	if (IS_ERR(mr)) {
		kfree(f);
		return mr;
	}
	frwr_attach_private(mr, f);
	mr->page_size = BIT(f->page_shift);
	/* if the device has no limit, ib_alloc_mr() has checked the length */
	if (!(attr->create_flags & IB_MR_REG_SG_ONLY))
		err = frwr_build_init(f);
	if (err) {
		ib_destroy_mr(mr);
		return ERR_PTR(err);
	}
	return mr;
}
EXPORT_SYMBOL_GPL(ib_create_mr);

static void frwr_free_lists(struct frwr_mr *f)
{
	if (f->sgl)
		frwr_build_fini(f);
	kfree(f);
}

/**
 * frwr_destroy_mr() - destroy an MR in any state
 * @f: private part of the MR
 *
 * Context: may sleep.
 * Return: 0, or an error of the driver's dereg_mr(). The MR is unchanged after an error.
 */
int frwr_destroy_mr(struct frwr_mr *f)
{
	struct ib_mr *mr = f->mr;
	int err;

	mr->sig_attrs = NULL;
	err = ib_dereg_mr_user(mr, NULL);
	if (err) {
		frwr_attach_private(mr, f);
		return err;
	}
	frwr_dma_unmap(f);
	if (f->meta)
		frwr_free_lists(f->meta);
	frwr_free_lists(f);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(frwr_destroy_mr);

int ib_destroy_mr(struct ib_mr *mr)
{
	struct frwr_mr *f = frwr_mr_from(mr);

	might_sleep();
	return f ? frwr_destroy_mr(f) : ib_dereg_mr_user(mr, NULL);
}
EXPORT_SYMBOL_GPL(ib_destroy_mr);

static __always_inline int frwr_check_idle(const struct frwr_mr *f)
{
	if (unlikely(!f))
		return -EINVAL;
	return likely(f->state == FRWR_IDLE) ? 0 : -EBUSY;
}

/*
 * Check the arguments of a list that ib_frwr will map for DMA. @some: the list
 * has at least one element.
 */
static __always_inline int frwr_check_build(const struct frwr_mr *f, bool some,
					    enum dma_data_direction dir)
{
	int err = frwr_check_idle(f);

	if (unlikely(err))
		return err;
	return likely(f->sgl && some && valid_dma_direction(dir)) ? 0 : -EINVAL;
}

/**
 * struct frwr_list - a list that is being attached
 * @sg: scatterlist, mapped for DMA
 * @nents: number of DMA segments. 0 or a negative errno: the list cannot be
 *	attached in larger pages.
 */
struct frwr_list {
	struct scatterlist *sg;
	int nents;
};

static u32 frwr_with_low_byte(u32 key, u32 low)
{
	return (key & ~0xff) | (low & 0xff);
}

/**
 * frwr_undo_set() - restore an MR after attaching a list has failed
 * @mr: MR
 * @f: its private part
 * @saved: result of frwr_begin_set()
 * @err: errno of the failed call
 *
 * Context: any.
 * Return: @err.
 */
noinline int frwr_undo_set(struct ib_mr *mr, struct frwr_mr *f, struct frwr_saved saved, int err)
{
	frwr_dma_unmap(f);
	mr->lkey = frwr_with_low_byte(mr->lkey, saved.lkey);
	mr->rkey = frwr_with_low_byte(mr->rkey, saved.rkey);
	mr->iova = saved.iova;
	mr->length = saved.length;
	return err;
}

static __always_inline int frwr_set_done(struct ib_mr *mr, struct frwr_mr *f)
{
	f->iova = mr->iova;
	f->length = mr->length;
	f->state = FRWR_SET;
	return 0;
}

/*
 * Attaching the list has failed with @err, or the list has too many pages in
 * the page size of the MR: attach the list in larger pages, or restore the MR.
 */
static noinline int frwr_end_long(struct ib_mr *mr, struct frwr_mr *f, struct frwr_saved saved,
				  struct frwr_list list, int err)
{
	if (!err)
		err = -ENOSPC;
	if (err == -ENOSPC && !f->arb && list.nents > 0)
		err = frwr_attach_large(mr, f, list.sg, list.nents);
	return err ? frwr_undo_set(mr, f, saved, err) : frwr_set_done(mr, f);
}

static __always_inline int frwr_end_set(struct ib_mr *mr, struct frwr_mr *f,
					struct frwr_saved saved, struct frwr_list list, int err)
{
	if (unlikely(err || frwr_is_long(f, mr->iova, mr->length)))
		return frwr_end_long(mr, f, saved, list, err);
	return frwr_set_done(mr, f);
}

/* @nents: result of frwr_build_*(), the number of DMA segments or an error */
static __always_inline int frwr_attach_list(struct ib_mr *mr, struct frwr_mr *f, int nents)
{
	if (unlikely(nents < 0))
		return nents;
	if (f->provider)
		return f->provider->set_sg(mr, f->sgl, nents);
	return frwr_fallback_list(mr, f, f->sgl, nents);
}

int ib_mr_set_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents)
{
	struct frwr_mr *f = frwr_mr_from(mr);
	struct frwr_saved saved;
	int err;

	err = frwr_check_idle(f);
	if (unlikely(err))
		return err;
	if (unlikely(sg_nents <= 0))
		return -EINVAL;
	if (unlikely(f->arb && sg_nents > f->max_descs))
		return -ENOSPC;
	saved = frwr_begin_set(mr);
	if (f->provider)
		err = f->provider->set_sg(mr, sg, sg_nents);
	else
		err = frwr_fallback_sg(mr, f, sg, sg_nents);
	return frwr_end_set(mr, f, saved, (struct frwr_list){ sg, sg_nents }, err);
}
EXPORT_SYMBOL_GPL(ib_mr_set_sg);

int ib_mr_set_sg_part(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
		      unsigned int *sg_offset)
{
	struct frwr_part part = { .sg = sg, .skip = *sg_offset };
	struct frwr_mr *f = frwr_mr_from(mr);
	struct frwr_saved saved;
	u32 mapped;
	int err, n;

	err = frwr_check_idle(f);
	if (unlikely(err))
		return err;
	if (unlikely(sg_nents <= 0))
		return -EINVAL;
	err = frwr_part_find(f, &part, sg_nents);
	if (unlikely(err))
		return err;
	saved = frwr_begin_set(mr);
	frwr_part_cut(&part);
	if (f->provider)
		err = f->provider->set_sg(mr, sg, part.nents);
	else
		err = frwr_fallback_list(mr, f, sg, part.nents);
	n = frwr_part_restore(&part, &mapped);
	/*
	 * The part has no more pages than the MR, so larger pages are not
	 * needed.
	 */
	err = frwr_end_set(mr, f, saved, (struct frwr_list){ }, err);
	if (unlikely(err))
		return err;
	*sg_offset = mapped;
	return n;
}
EXPORT_SYMBOL_GPL(ib_mr_set_sg_part);

int ib_mr_set_pages(struct ib_mr *mr, struct page **pages, unsigned int npages,
		    size_t offset, size_t length, enum dma_data_direction dir)
{
	struct frwr_mr *f = frwr_mr_from(mr);
	struct frwr_saved saved;
	int err, n;

	err = frwr_check_build(f, npages && length, dir);
	if (unlikely(err))
		return err;
	if (unlikely(offset >= PAGE_SIZE || length > ((u64)npages << PAGE_SHIFT) - offset))
		return -EINVAL;
	if (unlikely((f->arb ? PFN_UP(offset + length) : frwr_pages(f, offset, length)) >
		     f->max_descs))
		return -ENOSPC;
	saved = frwr_begin_set(mr);
	n = frwr_build_pages(f, pages, offset, length, dir);
	err = frwr_attach_list(mr, f, n);
	return frwr_end_set(mr, f, saved, (struct frwr_list){ f->sgl, n }, err);
}
EXPORT_SYMBOL_GPL(ib_mr_set_pages);

int ib_mr_set_biovec(struct ib_mr *mr, const struct bio_vec *bvec, unsigned int bi_vcnt,
		     enum dma_data_direction dir)
{
	struct frwr_mr *f = frwr_mr_from(mr);
	struct frwr_saved saved;
	int err, n;

	err = frwr_check_build(f, bi_vcnt, dir);
	if (unlikely(err))
		return err;
	if (unlikely(f->arb && bi_vcnt > f->max_descs))
		return -ENOSPC;
	saved = frwr_begin_set(mr);
	n = frwr_build_biovec(f, bvec, bi_vcnt, dir);
	err = frwr_attach_list(mr, f, n);
	return frwr_end_set(mr, f, saved, (struct frwr_list){ f->sgl, n }, err);
}
EXPORT_SYMBOL_GPL(ib_mr_set_biovec);

int ib_mr_set_bvec_iter(struct ib_mr *mr, const struct bio_vec *bvec, struct bvec_iter iter,
			enum dma_data_direction dir)
{
	struct frwr_mr *f = frwr_mr_from(mr);
	struct frwr_saved saved;
	int err, n;

	err = frwr_check_build(f, iter.bi_size, dir);
	if (unlikely(err))
		return err;
	saved = frwr_begin_set(mr);
	n = frwr_build_bvec_iter(f, bvec, iter, dir);
	err = frwr_attach_list(mr, f, n);
	return frwr_end_set(mr, f, saved, (struct frwr_list){ f->sgl, n }, err);
}
EXPORT_SYMBOL_GPL(ib_mr_set_bvec_iter);

int ib_mr_set_bio(struct ib_mr *mr, struct bio *bio, enum dma_data_direction dir)
{
	struct frwr_mr *f = frwr_mr_from(mr);
	struct frwr_saved saved;
	int err, n;

	err = frwr_check_build(f, bio, dir);
	if (unlikely(err))
		return err;
	saved = frwr_begin_set(mr);
	n = frwr_build_bio(f, bio, dir);
	err = frwr_attach_list(mr, f, n);
	return frwr_end_set(mr, f, saved, (struct frwr_list){ f->sgl, n }, err);
}
EXPORT_SYMBOL_GPL(ib_mr_set_bio);

int ib_mr_unset(struct ib_mr *mr)
{
	struct frwr_mr *f = frwr_mr_from(mr);

	if (unlikely(!f || f->state == FRWR_IDLE))
		return -EINVAL;
	if (unlikely(f->state == FRWR_POSTED))
		return -EBUSY;
	frwr_detach_list(f);
	return 0;
}
EXPORT_SYMBOL_GPL(ib_mr_unset);

int ib_mr_posted(struct ib_mr *mr)
{
	struct frwr_mr *f = frwr_mr_from(mr);

	if (unlikely(!f || f->state == FRWR_IDLE))
		return -EINVAL;
	if (unlikely(f->state == FRWR_POSTED))
		return -EBUSY;
	frwr_mark_posted(f);
	return 0;
}
EXPORT_SYMBOL_GPL(ib_mr_posted);

int ib_mr_invalidated(struct ib_mr *mr)
{
	struct frwr_mr *f = frwr_mr_from(mr);

	if (unlikely(!f || f->state != FRWR_POSTED))
		return -EINVAL;
	frwr_detach_list(f);
	return 0;
}
EXPORT_SYMBOL_GPL(ib_mr_invalidated);
