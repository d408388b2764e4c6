// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Calls of <rdma/ib_frwr.h> that are refused: each has the right errno and leaves
 * the MR unchanged. MRs are destroyed in each state.
 */
#include "frwr.h"

#define P	PAGE_SIZE

static const struct t_list t_page = {
	.name = "page", .of_pages = true, .part = { { 3 * P, P } },
};

static const struct t_list t_four = {
	.name = "four", .of_pages = true,
	.part = { { 0, P }, { 2 * P, P }, { 4 * P, P }, { 6 * P, P } },
};

/* the MR still works: it can be registered, written to by the peer, and invalidated */
static int t_works(struct t_frwr *t)
{
	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_page, DMA_FROM_DEVICE));
	T_TRY(t_frwr_open(t));
	T_TRY(t_peer_writes(t, P, 1));
	T_TRY(t_frwr_close(t));
	return t_list_check(t, &t_page, P, 1);
}

static int frwr_bad_create(struct t_frwr *t)
{
	struct ib_device *dev = t->owner->dev;
	u32 max = dev->attrs.max_fast_reg_page_list_len;
	bool gaps = dev->attrs.kernel_cap_flags & IBK_SG_GAPS_REG;
	struct {
		struct ib_mr_init_attr attr;
		long err;
	} rows[] = {
		{ { IB_MR_TYPE_FAST_REG, 0, 0 }, -EINVAL },
		{ { IB_MR_TYPE_FAST_REG, max + 1, 0 }, -EINVAL },
		{ { IB_MR_TYPE_FAST_REG, U32_MAX, 0 }, -EINVAL },
		{ { IB_MR_TYPE_SG_GAPS, 4, 0 }, -EOPNOTSUPP },
		{ { IB_MR_TYPE_INTEGRITY, 4, 0 }, -EOPNOTSUPP },
		{ { IB_MR_TYPE_DMA, 4, 0 }, -EOPNOTSUPP },
		{ { IB_MR_TYPE_FAST_REG, 4, BIT(3) }, -EINVAL },
		{ { IB_MR_TYPE_FAST_REG, 4, 0, 11 }, -EINVAL },
		{ { IB_MR_TYPE_FAST_REG, 4, 0, PAGE_SHIFT + 1 }, -EINVAL },
		{ { IB_MR_TYPE_FAST_REG, 4, BIT(31) }, -EINVAL },
		{ { IB_MR_TYPE_FAST_REG, 4, IB_MR_REG_ARB_SG }, gaps ? 0 : -EOPNOTSUPP },
		{ { IB_MR_TYPE_FAST_REG, min_t(u32, max, 512), 0 }, 0 },
		{ { IB_MR_TYPE_FAST_REG, 4, IB_MR_REG_PEER_MAY_READ }, 0 },
	};
	struct ib_mr *mr;
	int i;

	T_EXPECT(max > 0, 1);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i].attr.create_flags |= t_create_flags(dev);
		mr = ib_create_mr(t->owner->pd, &rows[i].attr);
		if (PTR_ERR_OR_ZERO(mr) != rows[i].err)
			t_log("row %d\n", i);
		if (!IS_ERR(mr))
			T_EXPECT(ib_destroy_mr(mr), 0);
		T_EXPECT(PTR_ERR_OR_ZERO(mr), rows[i].err);
	}
	return 0;
}

/* the list is parts of the owner's buffer; offset 0 is an element that wraps around address 0 */
static int t_set_raw_sg(struct t_frwr *t, const struct t_part *part, int nr)
{
	struct scatterlist sgl[T_PIECES];
	int i;

	sg_init_table(sgl, T_PIECES);
	for (i = 0; i < nr; i++) {
		sg_dma_address(&sgl[i]) = part[i].offset ? t->owner->dma + part[i].offset :
							   (dma_addr_t)-P;
		sg_dma_len(&sgl[i]) = part[i].len;
	}
	return ib_mr_set_sg(t->mr, sgl, nr);
}

/* bad lists for an MR of two pages */
static int frwr_bad_sg(struct t_frwr *t)
{
	static const struct t_part good[] = { { P, P }, { 3 * P, P } };
	static const struct t_part empty[] = { { P, P }, { 2 * P, 0 } };
	static const struct t_part wraps[] = { { P, P }, { 0, P } };
	static const struct t_part gap[] = { { P, P - 1 }, { 3 * P, 1 } };
	static const struct t_part gap2[] = { { P, P }, { 3 * P + 8, 1 } };
	static const struct t_part overlap[] = { { P, P }, { P + 8, P } };
	static const struct t_part gap_and_long[] = { { P, P }, { 3 * P, P }, { 5 * P, P },
						      { 7 * P + 8, 8 } };
	static const struct t_part long_one[] = { { P, P }, { 3 * P, P + 1 } };
	static const struct t_part three[] = { { P, P }, { 3 * P, P }, { 5 * P, 1 } };
	struct ib_mr was = *t->mr;

	T_EXPECT(t_set_raw_sg(t, good, 0), -EINVAL);
	T_EXPECT(t_set_raw_sg(t, good, -1), -EINVAL);
	T_EXPECT(t_set_raw_sg(t, empty + 1, 1), -EINVAL);
	T_EXPECT(t_set_raw_sg(t, empty, 2), -EINVAL);
	T_EXPECT(t_set_raw_sg(t, wraps, 2), -EINVAL);
	T_EXPECT(t_set_raw_sg(t, gap, 2), -EINVAL);
	T_EXPECT(t_set_raw_sg(t, gap2, 2), -EINVAL);
	T_EXPECT(t_set_raw_sg(t, overlap, 2), -EINVAL);
	/* the first error in the list determines the errno */
	T_EXPECT(t_set_raw_sg(t, gap_and_long, 4), -ENOSPC);
	T_EXPECT(t_set_raw_sg(t, long_one, 2), -ENOSPC);
	T_EXPECT(t_set_raw_sg(t, three, 3), -ENOSPC);
	T_EXPECT(memcmp(t->mr, &was, sizeof(was)), 0);
	T_EXPECT(t_set_raw_sg(t, good, 2), 0);
	T_EXPECT(ib_mr_unset(t->mr), 0);
	return t_works(t);
}

static int frwr_bad_pages(struct t_frwr *t)
{
	struct page *pages[] = { t->block, t->block + 2, t->block + 4 };
	struct ib_mr *mr = t->mr, was = *mr;

	T_EXPECT(ib_mr_set_pages(mr, pages, 0, 0, 1, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_set_pages(mr, pages, 1, 0, 0, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_set_pages(mr, pages, 2, P, 1, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_set_pages(mr, pages, 1, 1, P, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_set_pages(mr, pages, 2, 0, 2 * P + 1, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_set_pages(mr, pages, 2, 0, SIZE_MAX, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_set_pages(mr, pages, 1, 0, P, DMA_NONE), -EINVAL);
	T_EXPECT(ib_mr_set_pages(mr, pages, 3, 0, 2 * P + 1, DMA_TO_DEVICE), -ENOSPC);
	T_EXPECT(ib_mr_set_pages(mr, pages, 3, P - 1, P + 2, DMA_TO_DEVICE), -ENOSPC);
	T_EXPECT(memcmp(mr, &was, sizeof(was)), 0);
	T_EXPECT(ib_mr_set_pages(mr, pages, 3, P - 1, P + 1, DMA_TO_DEVICE), 0);
	T_EXPECT(ib_mr_unset(mr), 0);
	return t_works(t);
}

static int frwr_bad_biovec(struct t_frwr *t)
{
	struct bio_vec bv[3], gap[2], empty[2], overlap[2];
	struct ib_mr *mr = t->mr, was = *mr;

	bvec_set_page(&bv[0], t->block, P, 0);
	bvec_set_page(&bv[1], t->block + 2, P, 0);
	bvec_set_page(&bv[2], t->block + 4, P, 0);
	bvec_set_page(&gap[0], t->block, 8, 0);
	bvec_set_page(&gap[1], t->block, 8, 9);
	bvec_set_page(&overlap[0], t->block, P, 0);
	bvec_set_page(&overlap[1], t->block, P, 8);
	bvec_set_page(&empty[0], t->block, P, 0);
	bvec_set_page(&empty[1], t->block + 1, 0, 0);
	T_EXPECT(ib_mr_set_biovec(mr, bv, 0, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_set_biovec(mr, bv, 1, DMA_NONE), -EINVAL);
	T_EXPECT(ib_mr_set_biovec(mr, empty, 2, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_set_biovec(mr, empty + 1, 1, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_set_biovec(mr, gap, 2, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_set_biovec(mr, overlap, 2, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_set_biovec(mr, bv, 3, DMA_TO_DEVICE), -ENOSPC);
	T_EXPECT(memcmp(mr, &was, sizeof(was)), 0);
	T_EXPECT(ib_mr_set_biovec(mr, bv, 2, DMA_TO_DEVICE), 0);
	T_EXPECT(ib_mr_unset(mr), 0);
	return t_works(t);
}

/* bad lists for an MR of three pieces */
static int frwr_bad_pieces(struct t_frwr *t)
{
	static const struct t_part part[] = { { 5, 1 }, { 9, 2 }, { 2 * P + 1, P }, { 1, 1 } };
	static const struct t_part empty[] = { { 5, 1 }, { 9, 0 } };
	static const struct t_part wraps[] = { { 5, 1 }, { 0, P } };
	u32 low = t->mr->rkey & 0xff;
	struct bio_vec bv[4];
	int i;

	for (i = 0; i < ARRAY_SIZE(bv); i++)
		bvec_set_page(&bv[i], t->block + i, 8, 100);
	T_EXPECT(t_set_raw_sg(t, empty, 2), -EINVAL);
	T_EXPECT(t_set_raw_sg(t, wraps, 2), -EINVAL);
	T_EXPECT(t_set_raw_sg(t, part, 4), -ENOSPC);
	T_EXPECT(ib_mr_set_biovec(t->mr, bv, 4, DMA_TO_DEVICE), -ENOSPC);
	T_EXPECT(t->mr->rkey & 0xff, low);
	T_EXPECT(t_set_raw_sg(t, part, 3), 0);
	T_EXPECT(ib_mr_unset(t->mr), 0);
	T_EXPECT(ib_mr_set_biovec(t->mr, bv, 3, DMA_TO_DEVICE), 0);
	T_EXPECT(ib_mr_unset(t->mr), 0);
	return t_works(t);
}

static int frwr_bad_wr(struct t_frwr *t)
{
	struct ib_mr *mr = t->mr;
	struct ib_fast_reg_wr wr;
	u64 iova;
	int atomic;

	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, 0, 1, 0), -EINVAL);
	T_TRY(t_list_set(t, T_FORM_PAGES, &t_page, DMA_TO_DEVICE));
	iova = mr->iova;
	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, iova, 0, 0), -EINVAL);
	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, iova, P + 1, 0), -EINVAL);
	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, iova + 1, 1, 0), -EINVAL);
	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, -P, P, 0), -EINVAL);
	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, iova, P, IB_ACCESS_LOCAL_WRITE), -EINVAL);
	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, iova, P, IB_ACCESS_REMOTE_WRITE), -EINVAL);
	T_EXPECT(ib_mr_unset(mr), 0);
	T_TRY(t_list_set(t, T_FORM_PAGES, &t_page, DMA_FROM_DEVICE));
	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, mr->iova, P, IB_ACCESS_REMOTE_READ), -EINVAL);
	T_EXPECT(ib_mr_unset(mr), 0);
	T_TRY(t_list_set(t, T_FORM_PAGES, &t_page, DMA_BIDIRECTIONAL));
	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, mr->iova, P, IB_ACCESS_MW_BIND), -EOPNOTSUPP);
	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, mr->iova, P, IB_ACCESS_ON_DEMAND), -EOPNOTSUPP);
	atomic = t->owner->dev->attrs.atomic_cap == IB_ATOMIC_NONE ? -EOPNOTSUPP : 0;
	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, mr->iova, P, IB_ACCESS_REMOTE_ATOMIC |
				     IB_ACCESS_LOCAL_WRITE), atomic);
	T_EXPECT(ib_mr_unset(mr), 0);
	return t_works(t);
}

/* each call is refused in the wrong states; afterwards the registration works */
static int frwr_states(struct t_frwr *t)
{
	struct ib_fast_reg_wr wr;
	struct ib_mr *mr = t->mr;
	enum t_form form;
	u32 rkey;

	T_EXPECT(ib_mr_unset(mr), -EINVAL);
	T_EXPECT(ib_mr_posted(mr), -EINVAL);
	T_EXPECT(ib_mr_invalidated(mr), -EINVAL);
	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_four, DMA_FROM_DEVICE));
	rkey = mr->rkey;
	T_EXPECT(ib_mr_invalidated(mr), -EINVAL);
	for (form = T_FORM_PAGES; form < T_FORMS; form++)
		T_EXPECT(t_list_set(t, form, &t_page, DMA_FROM_DEVICE), -EBUSY);
	T_EXPECT(ib_mr_set_sg(mr, t->owner->sgl, 1), -EBUSY);
	T_TRY(t_frwr_open(t));
	for (form = T_FORM_PAGES; form < T_FORMS; form++)
		T_EXPECT(t_list_set(t, form, &t_page, DMA_FROM_DEVICE), -EBUSY);
	T_EXPECT(ib_mr_set_sg(mr, t->owner->sgl, 1), -EBUSY);
	T_EXPECT(ib_init_fast_reg_wr(&wr, mr, mr->iova, 1, 0), -EBUSY);
	T_EXPECT(ib_mr_posted(mr), -EBUSY);
	T_EXPECT(ib_mr_unset(mr), -EBUSY);
	T_EXPECT(mr->rkey, rkey);
	T_EXPECT(mr->length, 4 * P);
	T_TRY(t_peer_writes(t, 4 * P, 2));
	T_TRY(t_frwr_close(t));
	return t_list_check(t, &t_four, 4 * P, 2);
}

/* the registration follows a WR that cannot be posted, so the MR may be unset without waiting */
static int frwr_not_taken(struct t_frwr *t)
{
	struct ib_sge sge = t_sge(t->owner, 0, 1);
	struct ib_fast_reg_wr wr;
	struct ib_send_wr bad;

	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_page, DMA_FROM_DEVICE));
	T_TRY(ib_init_fast_reg_wr(&wr, t->mr, t->mr->iova, P, IB_ACCESS_LOCAL_WRITE));
	T_EXPECT(ib_mr_posted(t->mr), 0);
	t_send_wr(&bad, &sge, 2);
	bad.num_sge = 200;
	bad.next = &wr.reg.wr;
	T_EXPECT(ib_post_send(t->owner->qp, &bad, NULL) < 0, 1);
	T_EXPECT(ib_mr_invalidated(t->mr), 0);
	T_TRY(t_expect_mapped(t, 0));
	return t_works(t);
}

static int frwr_contexts(struct t_frwr *t)
{
	static DEFINE_SPINLOCK(lock);
	unsigned long flags;
	int ret;

	/* all calls on an MR but create and destroy may be made under a spin lock */
	spin_lock_irqsave(&lock, flags);
	ret = t_list_set(t, T_FORM_PAGES, &t_four, DMA_TO_DEVICE) ?: ib_mr_unset(t->mr) ?:
	      t_list_set(t, T_FORM_BIOVEC, &t_four, DMA_TO_DEVICE) ?: ib_mr_posted(t->mr) ?:
	      ib_mr_invalidated(t->mr);
	spin_unlock_irqrestore(&lock, flags);
	T_EXPECT(ret, 0);
	return t_works(t);
}

/* an MR of ib_alloc_mr() is refused and unchanged */
static int frwr_foreign_mr(struct t_frwr *t)
{
	struct ib_mr *mr = t->owner->mr[0];

	T_EXPECT(ib_mr_set_sg(mr, t->owner->sgl, 1), -EINVAL);
	T_EXPECT(ib_mr_set_pages(mr, &t->block, 1, 0, 1, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_mr_posted(mr), -EINVAL);
	T_EXPECT(ib_mr_invalidated(mr), -EINVAL);
	T_EXPECT(ib_mr_unset(mr), -EINVAL);
	return t_open(t->p, IB_ACCESS_REMOTE_READ);
}

static int t_foreign_reg(struct t_frwr *t)
{
	struct ib_fast_reg_wr wr;

	T_TRY(t_list_set(t, T_FORM_PAGES, &t_page, DMA_FROM_DEVICE));
	T_TRY(ib_init_fast_reg_wr(&wr, t->mr, t->mr->iova, P,
				  ib_mr_access(t->mr, IB_MR_REMOTE, DMA_FROM_DEVICE)));
	wr.reg.wr.wr_id = 7;
	wr.reg.wr.send_flags = IB_SEND_SIGNALED;
	T_EXPECT(ib_mr_posted(t->mr), 0);
	/* some drivers refuse the work request; otherwise the device does */
	if (ib_post_send(t->owner->qp, &wr.reg.wr, NULL))
		return 0;
	T_EXPECT(t_wait(&t->owner->sq, 7) != IB_WC_SUCCESS, 1);
	T_EXPECT(t_frwr_rdma(t, IB_WR_RDMA_WRITE, t->mr->iova, t->mr->rkey, P) != IB_WC_SUCCESS, 1);
	return t_list_untouched(t);
}

/* an MR of another PD than the QP's cannot be registered */
static int frwr_foreign_pd(struct t_frwr *t)
{
	struct ib_mr_init_attr attr = { IB_MR_TYPE_FAST_REG, 4, t_create_flags(t->owner->dev) };
	struct ib_pd *pd = ib_alloc_pd(t->owner->dev, 0);
	int ret, err = 0;

	T_TRY(PTR_ERR_OR_ZERO(pd));
	t->mr = ib_create_mr(pd, &attr);
	ret = PTR_ERR_OR_ZERO(t->mr);
	if (!ret) {
		ret = t_foreign_reg(t);
		err = ib_destroy_mr(t->mr);
	}
	t->mr = NULL;
	ib_dealloc_pd(pd);
	return ret ?: err;
}

/* ---- a device that does not check the access of READs (siw) ---- */

static int t_created_without(struct t_frwr *t, u32 flags)
{
	struct ib_frwr_attr attr = {
		.mr = {
			.mr_type = IB_MR_TYPE_FAST_REG,
			.max_reg_descs = 4,
			.create_flags = flags,
		},
		.min_mrs = 1,
		.max_mrs = 1,
	};
	struct ib_frwr *frwr;
	struct ib_mr *mr;

	mr = ib_create_mr(t->owner->pd, &attr.mr);
	if (!IS_ERR(mr))
		ib_destroy_mr(mr);
	T_EXPECT(PTR_ERR_OR_ZERO(mr), -EOPNOTSUPP);
	frwr = ib_frwr_create(t->owner->qp, &attr);
	if (!IS_ERR(frwr))
		ib_frwr_destroy(frwr);
	T_EXPECT(PTR_ERR_OR_ZERO(frwr), -EOPNOTSUPP);
	return 0;
}

/*
 * Both layers refuse the registration, unless the ULP sets the flag IB_MR_REG_PEER_MAY_READ. With
 * the flag, the peer can READ memory that was registered for WRITEs only.
 */
static int frwr_reads_unchecked(struct t_frwr *t)
{
	const u8 *got = t->peer->buf + T_HALF;

	T_TRY(t_created_without(t, 0));
	T_TRY(t_created_without(t, IB_MR_REG_SG_ONLY));
	T_TRY(t_list_set(t, T_FORM_PAGES, &t_page, DMA_FROM_DEVICE));
	T_TRY(t_frwr_open(t));
	memset(t->mem + 3 * P, 0x33, P);
	t_set(t->peer, 0x55);
	T_EXPECT(t_frwr_rdma(t, IB_WR_RDMA_READ, t->mr->iova, t->mr->rkey, P), IB_WC_SUCCESS);
	t_sync(t->peer);
	T_EXPECT(memchr_inv(got, 0x33, P) ? 1 : 0, 0);
	return t_frwr_close(t);
}

/* ---- destroyed in each state ---- */

static int t_destroy(struct t_frwr *t)
{
	struct ib_mr *mr = t->mr;

	t->mr = NULL;
	T_EXPECT(ib_destroy_mr(mr), 0);
	return t_expect_mapped(t, 0);
}

static int t_make(struct t_frwr *t)
{
	struct ib_mr_init_attr attr = { IB_MR_TYPE_FAST_REG, 4, t_create_flags(t->owner->dev) };
	struct ib_mr *mr = ib_create_mr(t->owner->pd, &attr);

	T_TRY(PTR_ERR_OR_ZERO(mr));
	t->mr = mr;
	return 0;
}

static int frwr_destroy_states(struct t_frwr *t)
{
	T_TRY(t_make(t));
	T_TRY(t_destroy(t));
	T_TRY(t_make(t));
	T_TRY(t_list_set(t, T_FORM_PAGES, &t_four, DMA_FROM_DEVICE));
	T_TRY(t_destroy(t));
	/* in state POSTED */
	T_TRY(t_make(t));
	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_four, DMA_FROM_DEVICE));
	T_EXPECT(ib_mr_posted(t->mr), 0);
	T_TRY(t_destroy(t));
	return 0;
}

/* the MR is registered: destroying it invalidates the key, and accesses of the peer fail */
static int frwr_destroy_registered(struct t_frwr *t)
{
	u32 rkey;
	u64 iova;

	T_TRY(t_make(t));
	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_four, DMA_FROM_DEVICE));
	T_TRY(t_frwr_open(t));
	rkey = t->mr->rkey;
	iova = t->mr->iova;
	T_TRY(t_destroy(t));
	T_EXPECT(t_frwr_rdma(t, IB_WR_RDMA_WRITE, iova, rkey, P), IB_WC_REM_ACCESS_ERR);
	return t_list_untouched(t);
}

/* LOCAL_INV is flushed, so the key may still be valid; destroying the MR invalidates it */
static int frwr_destroy_flushed(struct t_frwr *t)
{
	T_TRY(t_make(t));
	T_TRY(t_list_set(t, T_FORM_PAGES, &t_four, DMA_FROM_DEVICE));
	T_TRY(t_frwr_open(t));
	T_TRY(t_peer_writes(t, 4 * P, 6));
	T_TRY(t_move(t->owner->qp, IB_QPS_ERR));
	T_TRY(t_post_inv(t->owner, 1, t->mr->rkey));
	T_EXPECT(t_wait(&t->owner->sq, 1), IB_WC_WR_FLUSH_ERR);
	T_TRY(t_destroy(t));
	return t_list_check(t, &t_four, 4 * P, 6);
}

const struct t_case t_frwr_bad_cases[] = {
	T_FRWR(frwr_bad_create, 0, 0),
	T_FRWR(frwr_bad_sg, 2, 0),
	T_FRWR(frwr_bad_pages, 2, 0),
	T_FRWR(frwr_bad_biovec, 2, 0),
	T_FRWR(frwr_bad_pieces, 3, IB_MR_REG_ARB_SG),
	T_FRWR(frwr_bad_wr, 1, 0),
	T_FRWR(frwr_states, 4, 0),
	T_FRWR(frwr_not_taken, 1, 0),
	T_FRWR(frwr_contexts, 4, 0),
	T_FRWR(frwr_foreign_mr, 0, 0),
	T_FRWR(frwr_foreign_pd, 0, 0),
	T_FRWR(frwr_destroy_states, 0, 0),
	T_FRWR(frwr_destroy_registered, 0, 0),
	T_FRWR(frwr_destroy_flushed, 0, 0),
	/* passes on siw only */
	T_FRWR(frwr_reads_unchecked, 1, 0),
	{ }
};
