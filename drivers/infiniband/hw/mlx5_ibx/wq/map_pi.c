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
	unsigned int data_skip;
	unsigned int meta_skip;
};

static bool set_span(struct ibx_pi_span *span, const struct scatterlist *sg, unsigned int skip)
{
	if (skip >= sg_dma_len(sg) || sg_dma_len(sg) - skip > IBX_SGE_MAX)
		return false;
	span->addr = sg_dma_address(sg) + skip;
	span->length = sg_dma_len(sg) - skip;
	return true;
}

static bool map_direct(struct ibx_pi *pi, const struct pi_lists *l)
{
	if (l->data_nents != 1 || l->meta_nents > 1)
		return false;
	pi->meta.length = 0;
	if (!set_span(&pi->data, l->data, l->data_skip) ||
	    (l->meta_nents && !set_span(&pi->meta, l->meta, l->meta_skip)))
		return false;
	pi->lkey = pi->list.ibmr.pd->local_dma_lkey;
	pi->listed = false;
	return true;
}

/* the list has @n entries, and the mkey of @mode is registered with it */
static void use_list(struct ibx_pi *pi, u8 mode, u32 n)
{
	struct ibx_mr *list = &pi->list;

	if (list->mode != mode) {
		swap(list->mkey, list->other);
		list->mode = mode;
	}
	list->nents = n;
	pi->lkey = list->mkey;
	pi->listed = true;
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

static bool map_pages(struct ibx_pi *pi, const struct pi_lists *l)
{
	struct ibx_mr *list = &pi->list;
	struct ibx_mtt_list data = {
		.mtt = list->list, .max = list->max_ents, .page_shift = IBX_PAGE_SHIFT,
	};
	struct ibx_mtt_list meta = { .page_shift = IBX_PAGE_SHIFT };
	const u64 in_page = BIT(IBX_PAGE_SHIFT) - 1;
	unsigned int skip = l->data_skip;
	u64 meta_at;

	if (ibx_mtt_from_sg_partial(&data, l->data, l->data_nents, &skip) != l->data_nents)
		return false;
	if (l->meta_nents) {
		if (data.n == data.max)
			return false;
		meta.mtt = data.mtt + data.n;
		meta.max = data.max - data.n;
		skip = l->meta_skip;
		if (ibx_mtt_from_sg_partial(&meta, l->meta, l->meta_nents, &skip) !=
		    l->meta_nents)
			return false;
		ibx_mtt_pad(data.mtt, data.n + meta.n);
	}
	if (!set_lengths(pi, data.length, meta.length))
		return false;
	use_list(pi, MLX5_MKC_ACCESS_MODE_MTT, data.n + meta.n);
	/* the first page of protection information follows the last one of data */
	meta_at = (data.iova & ~in_page) + ((u64)data.n << IBX_PAGE_SHIFT) +
		  (meta.iova & in_page);
	pi->data.addr = data.iova;
	pi->meta.addr = meta_at;
	list->start = data.iova;
	list->length = meta.n ? meta_at + meta.length - data.iova : data.length;
	list->page_shift = IBX_PAGE_SHIFT;
	list->list_bytes = ibx_mtt_bytes(list->nents);
	list->key_octwords = list->list_bytes / IBX_DS;
	return true;
}

static void pad_ranges(struct mlx5_klm *klm, u32 n)
{
	for (; n % IBX_KLM_ALIGN; n++)
		klm[n] = (struct mlx5_klm){};
}

static bool map_ranges(struct ibx_pi *pi, const struct pi_lists *l)
{
	struct ibx_mr *list = &pi->list;
	struct ibx_klm_list data = {
		.klm = list->list, .max = list->max_ents,
		.lkey = list->ibmr.pd->local_dma_lkey,
	};
	struct ibx_klm_list meta = { .lkey = data.lkey };
	unsigned int skip = l->data_skip;

	if (ibx_klm_from_sg_partial(&data, l->data, l->data_nents, &skip) != l->data_nents)
		return false;
	if (l->meta_nents) {
		meta.klm = data.klm + data.n;
		meta.max = data.max - data.n;
		skip = l->meta_skip;
		if (ibx_klm_from_sg_partial(&meta, l->meta, l->meta_nents, &skip) !=
		    l->meta_nents)
			return false;
		pad_ranges(data.klm, data.n + meta.n);
	}
	if (!set_lengths(pi, data.length, meta.length))
		return false;
	use_list(pi, MLX5_MKC_ACCESS_MODE_KLMS, data.n + meta.n);
	pi->data.addr = 0;
	pi->meta.addr = data.length;
	list->start = 0;
	list->length = data.length + meta.length;
	list->page_shift = 0;
	list->list_bytes = ibx_klm_bytes(list->nents);
	list->key_octwords = ibx_klm_key_octwords(list->nents);
	return true;
}

static bool lists_ok(const struct pi_lists *l)
{
	return l->data_nents > 0 && l->meta_nents >= 0 && l->data_skip < sg_dma_len(l->data) &&
	       (!l->meta_nents || l->meta_skip < sg_dma_len(l->meta));
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
	const struct pi_lists l = {
		.data = data_sg, .data_nents = data_nents,
		.data_skip = data_offset ? *data_offset : 0,
		.meta = meta_sg, .meta_nents = meta_nents,
		.meta_skip = meta_offset ? *meta_offset : 0,
	};
	struct ibx_pi *pi = to_imr(ibmr)->pi;

	pi->data.length = 0;
	if (!lists_ok(&l))
		return -EINVAL;
	if (!map_direct(pi, &l) && !map_pages(pi, &l) && !map_ranges(pi, &l)) {
		pi->data.length = 0;
		return -ENOMEM;
	}
	if (data_offset)
		*data_offset = 0;
	if (meta_offset)
		*meta_offset = 0;
	ibmr->iova = 0;
	ibmr->length = (u64)pi->data.length + pi->meta.length;
	ibmr->sig_attrs->meta_length = pi->meta.length;
	if (pi->listed)
		trace_ibx_map_mr(&pi->list, data_nents + meta_nents, data_nents + meta_nents);
	return 0;
}
