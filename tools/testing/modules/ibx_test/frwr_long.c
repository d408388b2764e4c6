// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * <rdma/ib_frwr.h>: lists that are too long for a work request, so that the device
 * reads them from memory. The peer accesses a list in steps of half its buffer.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "frwr.h"

#define T_LONG		256		/* pages */
#define T_STRIDE	101		/* step that makes successive pages not adjacent */
#define T_ODD_OFFSET	500
#define T_ODD_LEN	3001

/**
 * struct t_long - a list and its memory
 * @page: T_LONG pages, allocated one by one
 * @list: these pages, in the order of the list
 * @bv: the list, as bio_vecs
 * @sgl: the list, as a scatterlist
 * @n: pieces
 * @len: bytes
 */
struct t_long {
	struct page *page[T_LONG];
	struct page *list[T_LONG];
	struct bio_vec bv[T_LONG];
	struct scatterlist sgl[T_LONG];
	int n;
	u32 len;
};

static u8 t_long_byte(u32 n, u32 seed)
{
	return n * 31 + n / 256 * 7 + seed;
}

static int t_long_alloc(struct t_long *l)
{
	int i;

	for (i = 0; i < T_LONG; i++) {
		l->page[i] = alloc_page(GFP_KERNEL);
		if (!l->page[i])
			return -ENOMEM;
	}
	return 0;
}

static void t_long_free(struct t_long *l)
{
	int i;

	for (i = 0; i < T_LONG && l->page[i]; i++)
		__free_page(l->page[i]);
	kvfree(l);
}

/* a list of @n pages without a few bytes at both ends; if @odd, of T_ODD_LEN bytes of each page */
static void t_long_list(struct t_long *l, int n, bool odd)
{
	u32 offset, len;
	int i;

	l->n = n;
	l->len = 0;
	for (i = 0; i < n; i++) {
		l->list[i] = l->page[i * T_STRIDE % T_LONG];
		offset = odd ? T_ODD_OFFSET + i : i ? 0 : 72;
		len = odd ? T_ODD_LEN : PAGE_SIZE - offset - (i == n - 1 ? 40 : 0);
		bvec_set_page(&l->bv[i], l->list[i], len, offset);
		l->len += len;
	}
}

static void t_long_fill(struct t_long *l, u32 seed)
{
	u32 at = 0, k;
	int i;

	for (i = 0; i < l->n; i++) {
		u8 *bytes = page_address(l->list[i]);

		memset(bytes, T_GUARD, PAGE_SIZE);
		for (k = 0; k < l->bv[i].bv_len; k++)
			bytes[l->bv[i].bv_offset + k] = t_long_byte(at++, seed);
	}
}

/* all bytes of the list have the pattern, and all other bytes of the pages are T_GUARD */
static int t_long_check(struct t_long *l, u32 seed)
{
	u32 at = 0, k;
	int i;

	for (i = 0; i < l->n; i++) {
		const u8 *bytes = page_address(l->list[i]);
		u32 start = l->bv[i].bv_offset, end = start + l->bv[i].bv_len;

		for (k = 0; k < PAGE_SIZE; k++) {
			u8 want = k < start || k >= end ? T_GUARD : t_long_byte(at++, seed);

			if (bytes[k] != want)
				return T_FAIL("piece %d: byte %u is %#x, expected %#x", i, k,
					      bytes[k], want);
		}
	}
	return 0;
}

static int t_long_set_sg(struct t_frwr *t, struct t_long *l)
{
	int i;

	sg_init_table(l->sgl, l->n);
	for (i = 0; i < l->n; i++)
		sg_set_page(&l->sgl[i], l->bv[i].bv_page, l->bv[i].bv_len, l->bv[i].bv_offset);
	T_EXPECT(ib_dma_map_sg(t->owner->dev, l->sgl, l->n, DMA_BIDIRECTIONAL), l->n);
	return ib_mr_set_sg(t->mr, l->sgl, l->n);
}

static int t_long_set(struct t_frwr *t, struct t_long *l, enum t_form form)
{
	t->dir = DMA_BIDIRECTIONAL;
	switch (form) {
	case T_FORM_SG:
		return t_long_set_sg(t, l);
	case T_FORM_PAGES:
		return ib_mr_set_pages(t->mr, l->list, l->n, l->bv[0].bv_offset, l->len, t->dir);
	default:
		return ib_mr_set_biovec(t->mr, l->bv, l->n, t->dir);
	}
}

static int t_long_read(struct t_frwr *t, u32 at, u32 len, u32 seed)
{
	const u8 *got = t->peer->buf + T_HALF;
	u32 i;

	T_EXPECT(t_frwr_rdma(t, IB_WR_RDMA_READ, t->mr->iova + at, t->mr->rkey, len),
		 IB_WC_SUCCESS);
	t_sync(t->peer);
	for (i = 0; i < len; i++)
		if (got[i] != t_long_byte(at + i, seed))
			return T_FAIL("byte %u is %#x, expected %#x", at + i, got[i],
				      t_long_byte(at + i, seed));
	return 0;
}

static int t_long_write(struct t_frwr *t, u32 at, u32 len, u32 seed)
{
	u8 *bytes = t->peer->buf;
	u32 i;

	for (i = 0; i < len; i++)
		bytes[i] = t_long_byte(at + i, seed);
	ib_dma_sync_single_for_device(t->peer->dev, t->peer->dma, T_BUF_SIZE, DMA_BIDIRECTIONAL);
	T_EXPECT(t_frwr_rdma(t, IB_WR_RDMA_WRITE, t->mr->iova + at, t->mr->rkey, len),
		 IB_WC_SUCCESS);
	return 0;
}

/* the peer READs each part of the list, and then WRITEs other bytes to it */
static int t_long_shuttle(struct t_frwr *t, struct t_long *l)
{
	u32 at, len;

	T_EXPECT(t->mr->length, l->len);
	T_TRY(t_frwr_open(t));
	for (at = 0; at < l->len; at += len) {
		len = min_t(u32, T_HALF, l->len - at);
		T_TRY(t_long_read(t, at, len, 1));
		T_TRY(t_long_write(t, at, len, 2));
	}
	return t_frwr_close(t);
}

static int t_long_live(struct t_frwr *t, struct t_long *l, enum t_form form)
{
	int ret;

	t_long_fill(l, 1);
	ret = t_long_set(t, l, form);
	if (ret)
		return T_FAIL("%d pieces: %d", l->n, ret);
	ret = t_long_shuttle(t, l);
	if (form == T_FORM_SG)
		ib_dma_unmap_sg(t->owner->dev, l->sgl, l->n, DMA_BIDIRECTIONAL);
	return ret ? ret : t_long_check(l, 2);
}

/* the shortest list that does not fit in a work request, and the longest list */
static int t_long_run(struct t_frwr *t, enum t_form form, bool odd)
{
	const int lengths[] = { odd ? 17 : 33, T_LONG };
	struct t_long *l;
	int i, ret;

	l = kvzalloc(sizeof(*l), GFP_KERNEL);
	if (!l)
		return -ENOMEM;
	ret = t_long_alloc(l);
	for (i = 0; i < ARRAY_SIZE(lengths) && !ret; i++) {
		t_long_list(l, lengths[i], odd);
		ret = t_long_live(t, l, form);
	}
	t_long_free(l);
	return ret;
}

static int t_long_even(struct t_frwr *t)
{
	return t_long_run(t, t->arg, false);
}

static int frwr_long_odd(struct t_frwr *t)
{
	T_TRY(t_long_run(t, T_FORM_SG, true));
	return t_long_run(t, T_FORM_BIOVEC, true);
}

const struct t_case t_frwr_long_cases[] = {
	T_FRWR_OF(frwr_long_sg, T_LONG, 0, t_long_even, T_FORM_SG),
	T_FRWR_OF(frwr_long_pages, T_LONG, 0, t_long_even, T_FORM_PAGES),
	T_FRWR_OF(frwr_long_biovec, T_LONG, 0, t_long_even, T_FORM_BIOVEC),
	T_FRWR(frwr_long_odd, T_LONG, IB_MR_REG_ARB_SG),
	{ }
};
