// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: ib_map_mr_sg_pi(). See integrity.h for the parts of an INTEGRITY MR.
 *
 * Lists of one element each need no list: the signature mkey names memory by its bus address.
 * Otherwise both lists become one, of pages of 4 KiB if both consist of pages and there are
 * not too many, or else of ranges.
 */
#include <linux/scatterlist.h>

#include "enc/sg_list.h"
#include "integrity.h"
#include "trace.h"
#include "wq/wq.h"

/**
 * struct pi_lists - the lists of a call
 * @data: list of data
 * @meta: list of protection information
 * @data_nents: elements of @data
 * @meta_nents: elements of @meta; 0 without list
 * @data_skip: bytes of the first element of @data to skip
 * @meta_skip: bytes of the first element of @meta to skip
 */
struct pi_lists {
	struct scatterlist *data;
	struct scatterlist *meta;
	int data_nents;
	int meta_nents;
	u32 data_skip;
	u32 meta_skip;
};

static __always_inline bool set_span(struct ibx_pi_span *span, const struct scatterlist *sg,
				     u32 skip)
{
	const u32 length = sg_dma_len(sg) - skip;

	/* also if there is nothing behind the bytes to skip */
	if (unlikely(skip > sg_dma_len(sg) || length - 1 >= IBX_SGE_MAX))
		return false;
	span->addr = sg_dma_address(sg) + skip;
	span->length = length;
	return true;
}

/* @meta: NULL without protection information */
static __always_inline bool map_direct(struct ibx_pi *pi, const struct scatterlist *data,
				       u32 data_skip, const struct scatterlist *meta, u32 meta_skip)
{
	pi->meta.length = 0;
	if (!set_span(&pi->data, data, data_skip) ||
	    (meta && !set_span(&pi->meta, meta, meta_skip)))
		return false;
	pi->lkey = pi->list.ibmr.pd->local_dma_lkey;
	pi->listed = false;
	return true;
}

/* lengths are of 64 bits in lists, and of 32 in layouts and BSFs; false if they do not fit */
static bool set_lengths(struct ibx_pi *pi, u64 data, u64 meta)
{
	if (!data || data + meta > IBX_SGE_MAX)
		return false;
	pi->data.length = data;
	pi->meta.length = meta;
	return true;
}

/* the MR has a list, which was written to its list memory */
static void use_list(struct ibx_pi *pi, const struct ibx_list *list)
{
	ibx_mr_set_list(&pi->list, list);
	pi->lkey = pi->list.mkey;
	pi->listed = true;
}

static bool map_pages(struct ibx_pi *pi, const struct pi_lists *l)
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
	unsigned int skip = l->data_skip;

	if (ibx_mtt_from_sg_partial(data, l->data, l->data_nents, &skip) != l->data_nents)
		return false;
	if (l->meta_nents) {
		if (data->n == data->max)
			return false;
		meta.mtt = data->mtt + data->n;
		meta.max = data->max - data->n;
		skip = l->meta_skip;
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
	use_list(pi, &list);
	return true;
}

static bool map_ranges(struct ibx_pi *pi, const struct pi_lists *l)
{
	struct ibx_list list = {
		.klm = {
			.klm = pi->list.list, .max = pi->list.max_ents,
			.lkey = pi->list.ibmr.pd->local_dma_lkey,
		},
		.ranges = true,
	};
	struct ibx_klm_list *data = &list.klm;
	struct ibx_klm_list meta = { .lkey = data->lkey };
	unsigned int skip = l->data_skip;

	if (ibx_klm_from_sg_partial(data, l->data, l->data_nents, &skip) != l->data_nents)
		return false;
	if (l->meta_nents) {
		meta.klm = data->klm + data->n;
		meta.max = data->max - data->n;
		skip = l->meta_skip;
		if (ibx_klm_from_sg_partial(&meta, l->meta, l->meta_nents, &skip) !=
		    l->meta_nents)
			return false;
		ibx_klm_pad(data->klm, data->n + meta.n);
	}
	if (!set_lengths(pi, data->length, meta.length))
		return false;
	/* the list begins at address 0 */
	pi->data.addr = 0;
	pi->meta.addr = data->length;
	data->iova = 0;
	data->length += meta.length;
	data->n += meta.n;
	use_list(pi, &list);
	return true;
}

static bool lists_ok(const struct pi_lists *l)
{
	return l->data_nents > 0 && l->meta_nents >= 0 && l->data_skip < sg_dma_len(l->data) &&
	       (!l->meta_nents || l->meta_skip < sg_dma_len(l->meta));
}

static noinline int map_lists(struct ibx_pi *pi, const struct pi_lists *l)
{
	const int nents = l->data_nents + l->meta_nents;
	bool mapped;

	pi->data.length = 0;
	if (!lists_ok(l))
		return -EINVAL;
	if (ibx_list_begins_with_hole(l->data, l->data_nents, IBX_PAGE_SHIFT))
		mapped = map_ranges(pi, l);
	else
		mapped = map_pages(pi, l) || map_ranges(pi, l);
	if (!mapped) {
		pi->data.length = 0;
		return -ENOMEM;
	}
	trace_ibx_map_mr(&pi->list, nents, nents);
	return 0;
}

/**
 * ibx_map_mr_sg_pi() - ib_map_mr_sg_pi()
 * @ibmr: an INTEGRITY MR
 * @data_sg: list of data that is mapped for DMA
 * @data_nents: number of its elements
 * @data_offset: bytes of its first element to skip; 0 on success. May be NULL
 * @meta_sg: list of protection information that is mapped for DMA; NULL without
 * @meta_nents: number of its elements, or 0
 * @meta_offset: bytes of its first element to skip; 0 on success. May be NULL
 *
 * The MR begins at address 0. Its length is that of both lists, meta_length of its signature
 * attributes that of the second. Blocks and attributes are compared when the MR is registered.
 *
 * Context: any; the caller owns the MR, which may be registered with its lists before.
 * Return: 0; -EINVAL for a list without bytes, or an offset beyond its first element; -ENOMEM
 * when the lists have more elements than the MR has space for, or more than IBX_SGE_MAX bytes.
 * After an error the MR cannot be registered.
 */
int ibx_map_mr_sg_pi(struct ib_mr *ibmr, struct scatterlist *data_sg, int data_nents,
		     unsigned int *data_offset, struct scatterlist *meta_sg, int meta_nents,
		     unsigned int *meta_offset)
{
	const u32 data_skip = data_offset ? *data_offset : 0;
	const u32 meta_skip = meta_offset ? *meta_offset : 0;
	struct ibx_pi *pi = to_imr(ibmr)->pi;
	int err;

	if (data_nents != 1 || (u32)meta_nents > 1 ||
	    !map_direct(pi, data_sg, data_skip, meta_nents ? meta_sg : NULL, meta_skip)) {
		const struct pi_lists l = {
			.data = data_sg, .data_nents = data_nents, .data_skip = data_skip,
			.meta = meta_sg, .meta_nents = meta_nents, .meta_skip = meta_skip,
		};

		err = map_lists(pi, &l);
		if (err)
			return err;
	}
	if (data_offset)
		*data_offset = 0;
	if (meta_offset)
		*meta_offset = 0;
	ibmr->iova = 0;
	ibmr->length = (u64)pi->data.length + pi->meta.length;
	ibmr->sig_attrs->meta_length = pi->meta.length;
	return 0;
}
