/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: what the encoders of lists share (enc_list.c, sg_list.c).
 *
 * Everything here is inlined where it is used, so that no element costs a call.
 */
#ifndef MLX5_IBX_SG_LIST_H
#define MLX5_IBX_SG_LIST_H

#include "enc/enc.h"

#define IBX_MAX_PAGE_SHIFT	31	/* what a registration can say */

/**
 * struct ibx_cursor - an element of a mapped scatterlist
 * @sg: the element
 * @left: elements from this one on
 */
struct ibx_cursor {
	struct scatterlist *sg;
	int left;
};

static __always_inline u64 ibx_cur_addr(const struct ibx_cursor *c)
{
	return sg_dma_address(c->sg);
}

static __always_inline u32 ibx_cur_len(const struct ibx_cursor *c)
{
	return sg_dma_len(c->sg);
}

/* out of the way of the loops, which meet one every hundred elements or so */
static noinline struct scatterlist *ibx_follow_chain(struct scatterlist *sg)
{
	return sg_chain_ptr(sg);
}

/* the next element, which there is */
static __always_inline struct scatterlist *ibx_sg_next(struct scatterlist *sg)
{
	sg++;
	/* or there are copies of it in the loops */
	OPTIMIZER_HIDE_VAR(sg);
	if (unlikely(sg_is_chain(sg)))
		sg = ibx_follow_chain(sg);
	return sg;
}

/* to the next element; false if there is none */
static __always_inline bool ibx_cur_next(struct ibx_cursor *c)
{
	if (!--c->left)
		return false;
	c->sg = ibx_sg_next(c->sg);
	return true;
}

/* zero up to the grain of 64 bytes; the list has room for it */
static inline void ibx_pad_mtt(__be64 *mtt, u32 n)
{
	while (n & (IBX_MTT_ALIGN - 1))
		mtt[n++] = 0;
}

static __always_inline u64 ibx_pages_of(u64 iova, u64 length, u8 shift)
{
	u64 in_page = (1ULL << shift) - 1;

	return ((iova & in_page) + length + in_page) >> shift;
}

void ibx_enc_run_on(__be64 *mtt, u64 page, u64 n, u8 shift);

/**
 * ibx_enc_run() - write bytes without a gap, in pages no larger than they are
 * @m: where, and what it says; the list is padded
 * @start: bus address of the first byte
 * @end: bus address behind the last byte; more than @start
 *
 * That makes one page or two, or more of the largest there are.
 *
 * Context: any.
 * Return: true; false when @m has no room for them as pages of PAGE_SIZE, and
 * nothing was written.
 */
static __always_inline bool ibx_enc_run(struct ibx_mtt_list *m, u64 start, u64 end)
{
	const u64 length = end - start;
	const u8 shift = clamp(fls64(length - 1), PAGE_SHIFT, IBX_MAX_PAGE_SHIFT);
	const u64 page = start >> shift, n = ((end - 1) >> shift) - page + 1;
	__be64 *mtt = m->mtt;

	if (unlikely(ibx_pages_of(start, length, PAGE_SHIFT) > m->max))
		return false;
	m->iova = start;
	m->length = length;
	m->page_shift = shift;
	m->n = n;
	mtt[0] = cpu_to_be64(page << shift | IBX_MTT_PRESENT);
	mtt[1] = 0;
	mtt[2] = 0;
	mtt[3] = 0;
	mtt[4] = 0;
	mtt[5] = 0;
	mtt[6] = 0;
	mtt[7] = 0;
	static_assert(IBX_MTT_ALIGN == 8);
	if (unlikely(n > 1))
		ibx_enc_run_on(mtt, page, n, shift);
	return true;
}

static __always_inline void ibx_put_klm(struct mlx5_klm *klm, u64 va, u32 len, u32 lkey)
{
	klm->bcount = cpu_to_be32(len);
	klm->key = cpu_to_be32(lkey);
	klm->va = cpu_to_be64(va);
}

/* as ibx_pad_mtt() */
static inline void ibx_pad_klm(struct mlx5_klm *klm, u32 n)
{
	while (n & (IBX_KLM_ALIGN - 1))
		ibx_put_klm(&klm[n++], 0, 0, 0);
}

/* bytes of @l up to bus address @end: what its ends do not use is all that is missing */
static inline u64 ibx_mtt_length(const struct ibx_mtt_list *l, u64 end)
{
	const u64 in_page = (1ULL << l->page_shift) - 1;

	if (!l->n)
		return 0;
	return ((u64)l->n << l->page_shift) - (l->iova & in_page) - (-end & in_page);
}

/*
 * Goes on with a list of ranges, whose last one may still grow, from the element
 * at @c on, of which the first @skip bytes do not count. Stops at the first
 * element for which there is no room, or, if @strict, which is empty or wraps.
 */
static __always_inline int ibx_klm_walk(struct ibx_klm_list *l, struct ibx_cursor *c, u32 skip,
					bool strict)
{
	u64 va = 0, len = 0;		/* the range that may still grow */
	u64 start, more;
	int err = 0;

	if (l->n) {
		va = be64_to_cpu(l->klm[l->n - 1].va);
		len = be32_to_cpu(l->klm[l->n - 1].bcount);
	}
	do {
		start = ibx_cur_addr(c) + skip;
		more = ibx_cur_len(c) - skip;
		skip = 0;
		if (strict && unlikely(start + more <= start)) {
			err = -EINVAL;
			break;
		}
		if (start == va + len && len && len + more <= IBX_SGE_MAX) {
			len += more;
		} else if (more) {
			if (unlikely(l->n == l->max)) {
				err = -ENOSPC;
				break;
			}
			if (l->n)
				ibx_put_klm(&l->klm[l->n - 1], va, len, l->lkey);
			else
				l->iova = start;
			l->n++;
			va = start;
			len = more;
		}
		l->length += more;
	} while (ibx_cur_next(c));
	if (l->n)
		ibx_put_klm(&l->klm[l->n - 1], va, len, l->lkey);
	ibx_pad_klm(l->klm, l->n);
	return err;
}

#endif /* MLX5_IBX_SG_LIST_H */
