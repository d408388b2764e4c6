/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ib_frwr: private part of an MR, and the files:
 *
 *	mr.c		MRs, their states, attaching lists
 *	build.c		building a scatterlist from pages, bio_vecs or bios
 *	part.c		attaching the first part of a list
 *	fallback.c	attaching lists by ib_map_mr_sg(), for drivers without a hook
 *	pi.c		MRs with protection information, of registration contexts
 *	wr.c		access flags, and the work request of a registration
 *	provider.c	hooks of drivers
 *	dma.c		mapping for DMA
 *	pool.[ch]	registration context with its pool of MRs
 *	release.[ch]	states of requests, release and abort
 *	ctx.c		create, map, post
 *	trace.[ch]	tracepoints
 *	main.c		the module
 *	compat.h	functions that older kernels lack
 */
#ifndef IB_FRWR_PRIVATE_H
#define IB_FRWR_PRIVATE_H

#include <linux/list.h>
#include <rdma/ib_frwr.h>
#include <rdma/ib_frwr_pi.h>
#include <rdma/ib_frwr_provider.h>

#include "compat.h"

#define FRWR_MAX_PAGE_SHIFT	31	/* page sizes are unsigned int */

enum frwr_state {
	FRWR_IDLE,
	FRWR_SET,
	FRWR_POSTED,
};

/**
 * struct frwr_mr - private part of an MR
 * @sig: target of mr->sig_attrs; zero, unless the MR has protection information
 * @mr: the MR
 * @provider: hook of the driver; or NULL, for ib_map_mr_sg()
 * @iova: first address of the list; ib_init_fast_reg_wr() may change mr->iova
 * @length: length of the list in bytes; ib_init_fast_reg_wr() may reduce mr->length
 * @max_descs: ib_mr_init_attr.max_reg_descs of the MR
 * @max_meta: ib_mr_init_attr.max_meta_descs of the MR
 * @state: state of enum frwr_state
 * @arb: the MR was created with IB_MR_REG_ARB_SG, or has protection information
 * @page_shift: log2 of the page size of lists
 * @large_shift: log2 of the page size of a list that is longer than @max_descs pages
 * @dir: direction that @sgl is mapped with; DMA_NONE when @sgl is not mapped
 * @nents: number of elements of @sgl that are mapped as a scatterlist; 0 when
 *	only the first element is mapped, by ib_dma_map_page()
 * @max_seg: maximum number of bytes of an element of @sgl
 * @sgl: scatterlist for pages and bio_vecs, with space for @max_descs elements,
 *	in chunks of a page each; NULL if the MR was created with
 *	IB_MR_REG_SG_ONLY
 * @meta: structure for the list of protection information, if the MR has such
 *	lists and @sgl; only @max_descs, @arb, @dir, @nents, @max_seg, @sgl and
 *	@dev are used
 * @dev: device of the MR
 * @req: request of a registration context that uses the MR; set when the
 *	request is mapped
 * @link: entry of ib_frwr.mrs or ib_frwr.kept
 */
struct frwr_mr {
	struct ib_sig_attrs sig;
	struct ib_mr *mr;
	const struct ib_frwr_provider *provider;
	u64 iova;
	u64 length;
	u32 max_descs;
	u32 max_meta;
	u8 state;
	bool arb;
	u8 page_shift;
	u8 large_shift;
	enum dma_data_direction dir;
	u32 nents;
	u32 max_seg;
	struct scatterlist *sgl;
	struct frwr_mr *meta;
	struct ib_device *dev;
	struct ib_frwr_req *req;
	struct list_head link;
};

/* the private part of an MR of ib_create_mr() or frwr_pi_create_mr() */
static inline struct frwr_mr *frwr_mr_of(const struct ib_mr *mr)
{
	/*
	 * sig is the first member: the result is NULL if mr->sig_attrs is NULL,
	 * and the core frees the private part when it frees mr->sig_attrs.
	 */
	static_assert(offsetof(struct frwr_mr, sig) == 0);
	return container_of(mr->sig_attrs, struct frwr_mr, sig);
}

/**
 * frwr_mr_from() - get the private part of an MR that the ULP has passed
 * @mr: MR of ib_create_mr(), or any other MR
 *
 * The core sets mr->sig_attrs only for an MR of ib_alloc_mr_integrity(). In all
 * other MRs the core leaves mr->sig_attrs NULL, and ib_create_mr() sets it to
 * the private part. So the core frees the private part if the ULP calls
 * ib_dereg_mr() of the core.
 *
 * Context: any.
 * Return: the private part, or NULL when ib_create_mr() did not create @mr.
 */
static inline struct frwr_mr *frwr_mr_from(const struct ib_mr *mr)
{
	if (unlikely(mr->type == IB_MR_TYPE_INTEGRITY))
		return NULL;
	return frwr_mr_of(mr);
}

/**
 * struct frwr_saved - values of an MR that a failed ib_mr_set_*() restores
 * @iova: first address
 * @length: number of bytes
 * @lkey: key of local work requests
 * @rkey: key of the peer
 */
struct frwr_saved {
	u64 iova;
	u64 length;
	u32 lkey;
	u32 rkey;
};

/* Set the key of an MR to its next value, before a list is attached. */
static __always_inline struct frwr_saved frwr_begin_set(struct ib_mr *mr)
{
	struct frwr_saved saved = {
		.iova = mr->iova,
		.length = mr->length,
		.lkey = mr->lkey,
		.rkey = mr->rkey,
	};

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	return saved;
}

/* Set the state of a SET MR whose registration is about to be posted. */
static inline void frwr_mark_posted(struct frwr_mr *f)
{
	f->state = FRWR_POSTED;
}

/* the bits of an address that are inside a page of the MR */
static inline u64 frwr_in_page(const struct frwr_mr *f)
{
	return BIT_ULL(f->page_shift) - 1;
}

/*
 * Number of pages, in the page size of the MR, that contain the @length bytes
 * from @start on.
 */
static inline u64 frwr_pages(const struct frwr_mr *f, u64 start, u64 length)
{
	return ((start & frwr_in_page(f)) + length + frwr_in_page(f)) >> f->page_shift;
}

/*
 * Does a list have more pages, in the page size of the MR, than the MR was
 * created for?
 */
static inline bool frwr_is_long(const struct frwr_mr *f, u64 start, u64 length)
{
	return !f->arb && frwr_pages(f, start, length) > f->max_descs;
}

/* mr.c */
bool frwr_flags_valid(const struct ib_mr_init_attr *attr);
struct frwr_mr *frwr_alloc_private(struct ib_device *dev, const struct ib_mr_init_attr *attr);
void frwr_attach_private(struct ib_mr *mr, struct frwr_mr *f);
int frwr_destroy_mr(struct frwr_mr *f);
int frwr_undo_set(struct ib_mr *mr, struct frwr_mr *f, struct frwr_saved saved, int err);

/* pi.c */
int frwr_pi_check_attr(const struct ib_device *dev, const struct ib_mr_init_attr *attr);
struct ib_mr *frwr_pi_create_mr(struct ib_pd *pd, const struct ib_mr_init_attr *attr);
int frwr_pi_map(struct ib_frwr_pi_req *pi, const struct ib_frwr_pi_lists *lists,
		const struct ib_sig_attrs *attrs);
int frwr_pi_map_bvecs(struct ib_frwr_pi_req *pi, const struct ib_frwr_pi_bvecs *vecs,
		      const struct ib_sig_attrs *attrs, enum dma_data_direction dir);
void frwr_pi_take_status(struct ib_frwr_pi_req *pi);

/* build.c */
int frwr_build_init(struct frwr_mr *f);
void frwr_build_fini(struct frwr_mr *f);
int frwr_build_pages(struct frwr_mr *f, struct page **pages, size_t offset, size_t length,
		     enum dma_data_direction dir);
int frwr_build_biovec(struct frwr_mr *f, const struct bio_vec *bvec, unsigned int bi_vcnt,
		      enum dma_data_direction dir);
int frwr_build_bvec_iter(struct frwr_mr *f, const struct bio_vec *bvec, struct bvec_iter iter,
			 enum dma_data_direction dir);
int frwr_build_bio(struct frwr_mr *f, struct bio *bio, enum dma_data_direction dir);

/**
 * struct frwr_part - first part of a scatterlist
 * @sg: first element of the part
 * @last: last element of the part
 * @nents: number of elements of the part
 * @skip: number of bytes of the first element that precede the part
 * @rest: number of bytes of the last element that follow the part
 */
struct frwr_part {
	struct scatterlist *sg;
	struct scatterlist *last;
	int nents;
	u32 skip;
	u32 rest;
};

/* part.c */
int frwr_part_find(const struct frwr_mr *f, struct frwr_part *p, int sg_nents);
void frwr_part_cut(const struct frwr_part *p);
int frwr_part_restore(const struct frwr_part *p, u32 *mapped);

/*
 * Set opcode, MR, key and access flags of the registration @reg. The caller sets
 * the other members.
 */
static inline void frwr_fill_reg(struct ib_reg_wr *reg, struct ib_mr *mr, int access)
{
	reg->wr.opcode = IB_WR_REG_MR;
	reg->mr = mr;
	reg->key = mr->rkey;
	reg->access = access;
}

/* wr.c */
int frwr_min_flags(struct ib_device *dev, enum ib_mr_role role, enum dma_data_direction dir);
int frwr_init_reg(struct ib_reg_wr *reg, struct ib_mr *mr, u64 iova, u64 length, int access);

/* fallback.c */
int frwr_fallback_sg(struct ib_mr *mr, const struct frwr_mr *f, struct scatterlist *sg,
		     int sg_nents);
int frwr_fallback_list(struct ib_mr *mr, const struct frwr_mr *f, struct scatterlist *sg,
		       int nents);
int frwr_attach_large(struct ib_mr *mr, struct frwr_mr *f, struct scatterlist *sg, int nents);

/* provider.c */
const struct ib_frwr_provider *frwr_find_provider(const struct ib_device *dev);

/* dma.c */
u32 frwr_dma_max_seg(struct ib_device *dev);
int frwr_dma_map(struct frwr_mr *f, u32 nents, enum dma_data_direction dir);
void frwr_dma_unmap(struct frwr_mr *f);

/*
 * Detach the list from an MR whose key is invalid, or whose registration was
 * not posted.
 */
static inline void frwr_detach_list(struct frwr_mr *f)
{
	f->state = FRWR_IDLE;
	frwr_dma_unmap(f);
}

#endif /* IB_FRWR_PRIVATE_H */
