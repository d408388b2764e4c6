// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: ib_map_mr_sg_pi(). See integrity.h for the parts of an INTEGRITY MR.
 *
 * If data and protection information have one element each, the signature mkey
 * refers to both by bus address. Otherwise both are written to one list: pages
 * of 4 KiB if all elements are such pages and the pages fit, else ranges.
 */
#include <linux/scatterlist.h>

#include "enc/sg_list.h"
#include "integrity.h"
#include "trace.h"
#include "wq/wq.h"

/**
 * struct pi_lists - arguments of ib_map_mr_sg_pi()
 * @data: list of data
 * @meta: list of protection information
 * @data_nents: elements of @data
 * @meta_nents: elements of @meta; 0 without protection information
 * @data_offset: bytes to skip in @data, set to 0 on success; or NULL
 * @meta_offset: bytes to skip in @meta, set to 0 on success; or NULL
 */
struct pi_lists {
	struct scatterlist *data;
	struct scatterlist *meta;
	int data_nents;
	int meta_nents;
	unsigned int *data_offset;
	unsigned int *meta_offset;
};

static __always_inline u32 pi_skip(const unsigned int *offset)
{
	return offset ? *offset : 0;
}

/* the bytes of an element after @skip; false if not 1 to IBX_SGE_MAX bytes */
static bool set_span(struct ibx_pi_span *span, const struct scatterlist *sg, u32 skip)
{
	const u32 length = sg_dma_len(sg) - skip;

	if (skip >= sg_dma_len(sg) || length - 1 >= IBX_SGE_MAX)
		return false;
	span->addr = sg_dma_address(sg) + skip;
	span->length = length;
	return true;
}

/* the spans of the MR have bus addresses */
static __always_inline void use_memory(struct ibx_pi *pi)
{
	pi->lkey = pi->list.ibmr.pd->local_dma_lkey;
	pi->listed = false;
}

/* map one element of data, and one or no element of protection information */
static bool map_direct(struct ibx_pi *pi, const struct pi_lists *l)
{
	pi->meta.length = 0;
	if (!set_span(&pi->data, l->data, pi_skip(l->data_offset)) ||
	    (l->meta_nents && !set_span(&pi->meta, l->meta, pi_skip(l->meta_offset))))
		return false;
	use_memory(pi);
	return true;
}

/* the MR is mapped: set the members that ULPs read */
static __always_inline void finish_map(struct ib_mr *ibmr, int nents, u32 data, u32 meta)
{
	ibmr->iova = 0;
	ibmr->length = (u64)data + meta;
	ibmr->sig_attrs->meta_length = meta;
	trace_ibx_map_mr(to_imr(ibmr), nents, nents);
}

/*
 * The fast path of map_direct(), for lists without offsets. Return: false if a
 * length is not 1 to IBX_SGE_MAX; the caller then calls map_lists().
 */
static __always_inline bool map_whole(struct ib_mr *ibmr, const struct scatterlist *data,
				      const struct scatterlist *meta, int meta_nents)
{
	const u32 data_length = sg_dma_len(data);
	struct ibx_pi *pi = to_imr(ibmr)->pi;
	u32 meta_length = 0;

	if (unlikely(data_length - 1 >= IBX_SGE_MAX))
		return false;
	if (meta_nents) {
		meta_length = sg_dma_len(meta);
		if (unlikely(meta_length - 1 >= IBX_SGE_MAX))
			return false;
		pi->meta.addr = sg_dma_address(meta);
	}
	pi->data.addr = sg_dma_address(data);
	pi->data.length = data_length;
	pi->meta.length = meta_length;
	use_memory(pi);
	finish_map(ibmr, 1 + meta_nents, data_length, meta_length);
	return true;
}

/* set both lengths; false without data, or if the sum is above IBX_SGE_MAX */
static __always_inline bool set_lengths(struct ibx_pi *pi, u64 data, u64 meta)
{
	if (!data || data + meta > IBX_SGE_MAX)
		return false;
	pi->data.length = data;
	pi->meta.length = meta;
	return true;
}

/* the spans of the MR have addresses in its list, which was written */
static __always_inline void use_list(struct ibx_pi *pi)
{
	pi->lkey = pi->list.mkey;
	pi->listed = true;
}

static bool pi_map_pages(struct ibx_pi *pi, const struct pi_lists *l)
{
	struct ibx_list list = {
		.mtt = {
			.mtt = pi->list.list, .max = pi->list.max_ents,
			.page_shift = IBX_PAGE_SHIFT,
		},
	};
	struct ibx_mtt_list *data = &list.mtt;
	struct ibx_mtt_list meta = { .page_shift = IBX_PAGE_SHIFT };
	const u64 in_page = BIT(IBX_PAGE_SHIFT) - 1;
	unsigned int skip = pi_skip(l->data_offset);

	if (ibx_mtt_from_sg_partial(data, l->data, l->data_nents, &skip) != l->data_nents)
		return false;
	if (l->meta_nents) {
		if (data->n == data->max)
			return false;
		meta.mtt = data->mtt + data->n;
		meta.max = data->max - data->n;
		skip = pi_skip(l->meta_offset);
		if (ibx_mtt_from_sg_partial(&meta, l->meta, l->meta_nents, &skip) !=
		    l->meta_nents)
			return false;
		ibx_mtt_pad(data->mtt, data->n + meta.n);
	}
	if (!set_lengths(pi, data->length, meta.length))
		return false;
	/* the first page of protection information follows the last one of data */
	pi->data.addr = data->iova;
	pi->meta.addr = (data->iova & ~in_page) + ((u64)data->n << IBX_PAGE_SHIFT) +
			(meta.iova & in_page);
	if (meta.n)
		data->length = pi->meta.addr + meta.length - data->iova;
	data->n += meta.n;
	ibx_mr_set_list(&pi->list, &list);
	use_list(pi);
	return true;
}

/* @n ranges were written: @data bytes from address 0, then @meta bytes */
static __always_inline bool finish_ranges(struct ibx_pi *pi, u32 n, u64 data, u64 meta)
{
	if (unlikely(!set_lengths(pi, data, meta)))
		return false;
	pi->data.addr = 0;
	pi->meta.addr = data;
	ibx_mr_set_ranges(&pi->list, n, data + meta);
	use_list(pi);
	return true;
}

/* write ranges; elements may be empty, long, or continue the element before */
static noinline bool join_ranges(struct ibx_pi *pi, const struct pi_lists *l)
{
	struct ibx_klm_list data = {
		.klm = pi->list.list, .max = pi->list.max_ents,
		.lkey = pi->list.ibmr.pd->local_dma_lkey,
	};
	struct ibx_klm_list meta = { .lkey = data.lkey };
	unsigned int skip = pi_skip(l->data_offset);

	if (ibx_klm_from_sg_partial(&data, l->data, l->data_nents, &skip) != l->data_nents)
		return false;
	if (l->meta_nents) {
		meta.klm = data.klm + data.n;
		meta.max = data.max - data.n;
		skip = pi_skip(l->meta_offset);
		if (ibx_klm_from_sg_partial(&meta, l->meta, l->meta_nents, &skip) !=
		    l->meta_nents)
			return false;
		ibx_klm_pad(data.klm, data.n + meta.n);
	}
	return finish_ranges(pi, data.n + meta.n, data.length, meta.length);
}

/* write one range. Return: its bytes; 0 if the element is empty or too long */
static __always_inline u32 put_range(struct mlx5_klm *klm, const struct scatterlist *sg, u32 lkey)
{
	const u32 length = sg_dma_len(sg);

	if (unlikely(length - 1 >= IBX_SGE_MAX))
		return 0;
	ibx_put(klm, 0, IBX_FIELD(struct mlx5_klm, bcount, length) |
			IBX_FIELD(struct mlx5_klm, key, lkey));
	ibx_put(klm, 1, sg_dma_address(sg));
	return length;
}

/*
 * write a range for each element; false if an element is not one range, or
 * there are offsets or too many elements: the caller then tries join_ranges()
 */
static __always_inline bool put_ranges(struct ibx_pi *pi, const struct pi_lists *l)
{
	const u32 lkey = pi->list.ibmr.pd->local_dma_lkey, n = l->data_nents + l->meta_nents;
	struct mlx5_klm *klm = pi->list.list;
	u64 data, meta = 0;

	if (unlikely(n > pi->list.max_ents || pi_skip(l->data_offset) ||
		     pi_skip(l->meta_offset)))
		return false;
	data = ibx_klm_put_ranges(klm, l->data, l->data_nents, lkey);
	if (unlikely(!data))
		return false;
	if (l->meta_nents) {
		klm += l->data_nents;
		meta = l->meta_nents == 1 ? put_range(klm, l->meta, lkey) :
					    ibx_klm_put_ranges(klm, l->meta, l->meta_nents, lkey);
		if (unlikely(!meta))
			return false;
		ibx_klm_pad(pi->list.list, n);
	}
	return finish_ranges(pi, n, data, meta);
}

static bool pi_map_ranges(struct ibx_pi *pi, const struct pi_lists *l)
{
	return likely(put_ranges(pi, l)) || join_ranges(pi, l);
}

static __always_inline bool lists_ok(const struct pi_lists *l)
{
	return l->data_nents > 0 && l->meta_nents >= 0 &&
	       pi_skip(l->data_offset) < sg_dma_len(l->data) &&
	       (!l->meta_nents || pi_skip(l->meta_offset) < sg_dma_len(l->meta));
}

static __always_inline int map_several(struct ibx_pi *pi, const struct pi_lists *l)
{
	bool mapped;

	if (!lists_ok(l))
		return -EINVAL;
	if (ibx_list_begins_with_hole(l->data, l->data_nents, IBX_PAGE_SHIFT))
		mapped = pi_map_ranges(pi, l);
	else
		mapped = pi_map_pages(pi, l) || pi_map_ranges(pi, l);
	return likely(mapped) ? 0 : -ENOMEM;
}

/*
 * @l is passed by value, so that ibx_map_mr_sg_pi() writes the lists to memory
 * only for this call
 */
static noinline int map_lists(struct ib_mr *ibmr, struct pi_lists l)
{
	struct ibx_pi *pi = to_imr(ibmr)->pi;
	int err;

	if (l.data_nents != 1 || (u32)l.meta_nents > 1 || !map_direct(pi, &l)) {
		err = map_several(pi, &l);
		if (unlikely(err)) {
			pi->data.length = 0;
			return err;
		}
	}
	if (l.data_offset)
		*l.data_offset = 0;
	if (l.meta_offset)
		*l.meta_offset = 0;
	finish_map(ibmr, l.data_nents + l.meta_nents, pi->data.length, pi->meta.length);
	return 0;
}

/**
 * ibx_map_mr_sg_pi() - ib_map_mr_sg_pi()
 * @ibmr: an INTEGRITY MR
 * @data_sg: list of data that is mapped for DMA
 * @data_nents: number of its elements
 * @data_offset: bytes of its first element to skip; 0 on success. May be NULL
 * @meta_sg: list of protection information that is mapped for DMA, or NULL
 * @meta_nents: number of its elements, or 0
 * @meta_offset: bytes of its first element to skip; 0 on success. May be NULL
 *
 * The MR begins at address 0. Its length is the sum of both lists; meta_length
 * of its signature attributes is the length of the second list. The
 * registration compares the lengths with the signature attributes.
 *
 * Context: any; the caller owns the MR, which may still be registered with
 * earlier lists.
 * Return:
 * * 0
 * * -EINVAL: @data_nents is 0, the first element of a list is empty, or an
 *   offset is beyond the first element
 * * -ENOMEM: the lists have more elements than the MR has space for, or more
 *   than IBX_SGE_MAX bytes
 *
 * After an error the MR cannot be registered.
 */
int ibx_map_mr_sg_pi(struct ib_mr *ibmr, struct scatterlist *data_sg, int data_nents,
		     unsigned int *data_offset, struct scatterlist *meta_sg, int meta_nents,
		     unsigned int *meta_offset)
{
	if (data_nents == 1 && (u32)meta_nents <= 1 && !data_offset && !meta_offset &&
	    likely(map_whole(ibmr, data_sg, meta_sg, meta_nents)))
		return 0;
	return map_lists(ibmr, (struct pi_lists){
		.data = data_sg, .data_nents = data_nents, .data_offset = data_offset,
		.meta = meta_sg, .meta_nents = meta_nents, .meta_offset = meta_offset,
	});
}
