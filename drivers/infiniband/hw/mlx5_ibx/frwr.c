// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: ib_mr_set_*().
 *
 * ib_frwr hands lists over as the ULP has them. Pages and bio_vecs that continue
 * one another in physical memory are mapped for DMA as one run, and the runs are
 * noted for ib_frwr, who unmaps them. From there on they are a list like any
 * other: enc_whole.c makes the most of it.
 *
 * A run that is as long as the device takes ends where a page does, so that the
 * next one may be mapped to anywhere.
 */

#include <linux/bvec.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "enc.h"
#include "ibx.h"
#include "trace.h"

/**
 * struct pieces - runs in the making
 * @ibdev: the device
 * @runs: those that are mapped
 * @start: physical address of the run at hand
 * @end: where it ends; @start before the first
 * @limit: where it must end
 * @max: longest run, a multiple of PAGE_SIZE
 */
struct pieces {
	struct ib_device *ibdev;
	struct ib_frwr_runs *runs;
	phys_addr_t start;
	phys_addr_t end;
	phys_addr_t limit;
	u32 max;
};

static __always_inline int map_at_hand(const struct pieces *p)
{
	return ibx_map_run(p->ibdev, p->runs, p->start, p->end - p->start);
}

static __always_inline int add_piece(struct pieces *p, phys_addr_t at, u32 len)
{
	const phys_addr_t stop = at + len;
	int err;

	if (at == p->end) {
		p->end = min(stop, p->limit);
		at = p->end;
	}
	while (at != stop) {
		if (likely(p->start != p->end)) {
			err = map_at_hand(p);
			if (unlikely(err))
				return err;
		}
		p->start = at;
		p->limit = (at & PAGE_MASK) + p->max;
		p->end = min(stop, p->limit);
		at = p->end;
	}
	return 0;
}

static __always_inline int took(struct ibx_mr *mr, const struct ibx_list *l, int nents, int err)
{
	if (unlikely(err))
		return err;
	ibx_mr_took(mr, l);
	/* users may move iova by this, whatever the pages of the list are */
	mr->ibmr.page_size = PAGE_SIZE;
	trace_ibx_map_mr(mr, nents, nents);
	return 0;
}

static int set_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents)
{
	struct ibx_mr *mr = to_imr(ibmr);
	struct ibx_list l;

	mr->nents = 0;
	ibx_mr_list(mr, &l);
	return took(mr, &l, sg_nents, ibx_enc_list_sg(&l, sg, sg_nents));
}

static struct pieces begin_pieces(struct ibx_mr *mr, struct ib_frwr_runs *runs)
{
	mr->nents = 0;
	return (struct pieces){
		.ibdev = mr->ibmr.device,
		.runs = runs,
		.max = to_idev(mr->ibmr.device)->max_run,
	};
}

/* the last run, and the list of all */
static int end_pieces(struct ibx_mr *mr, const struct pieces *p)
{
	struct ib_frwr_runs *runs = p->runs;
	struct ibx_list l;
	int err;

	err = map_at_hand(p);
	if (unlikely(err))
		return err;
	ibx_mr_list(mr, &l);
	return took(mr, &l, runs->nr, ibx_enc_list_runs(&l, runs->run, runs->nr));
}

static int set_pages(struct ib_mr *ibmr, struct page **pages, size_t offset, size_t length,
		     struct ib_frwr_runs *runs)
{
	struct ibx_mr *mr = to_imr(ibmr);
	struct pieces p = begin_pieces(mr, runs);
	size_t n = min(PAGE_SIZE - offset, length);
	int err;

	for (;;) {
		err = add_piece(&p, page_to_phys(*pages++) + offset, n);
		if (unlikely(err))
			return err;
		length -= n;
		if (!length)
			return end_pieces(mr, &p);
		offset = 0;
		n = min(PAGE_SIZE, length);
	}
}

static int set_biovec(struct ib_mr *ibmr, const struct bio_vec *bvec, unsigned int bi_vcnt,
		      struct ib_frwr_runs *runs)
{
	const struct bio_vec *const end = bvec + bi_vcnt;
	struct ibx_mr *mr = to_imr(ibmr);
	struct pieces p = begin_pieces(mr, runs);
	int err;

	for (; bvec < end; bvec++) {
		if (unlikely(!bvec->bv_len))
			return -EINVAL;
		err = add_piece(&p, bvec_phys(bvec), bvec->bv_len);
		if (unlikely(err))
			return err;
	}
	return end_pieces(mr, &p);
}

struct ib_frwr_provider ibx_frwr = {
	.owner = THIS_MODULE,
	.set_sg = set_sg,
	.set_pages = set_pages,
	.set_biovec = set_biovec,
};
