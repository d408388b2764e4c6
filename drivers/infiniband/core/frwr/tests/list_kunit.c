// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: lists on drivers without hooks: lists that are refused, and the
 * lists that the driver gets for pages and bio_vecs.
 *
 * Lists are written as pieces of one block of FT_PAGES pages.
 */
#include "kunit.h"

#define P	PAGE_SIZE
#define NR	8

struct list_case {
	const char *name;
	u32 max;
	u32 flags;
	struct ft_elem in[NR];	/* as set_sg or set_biovec gets it; ends with a length of 0 */
	int err;
	struct ft_elem out[NR];	/* list of the driver; @in if not set */
	u32 max_seg;
	u32 nents;		/* number of elements, if an element is empty */
};

#define ARB	IB_MR_REG_ARB_SG

static const struct list_case sg_cases[] = {
	{ "a page", 1, 0, { { 0, P } } },
	{ "part of a page", 1, 0, { { 40, 100 } } },
	{ "two halves of pages", 2, 0, { { P / 2, P } } },
	{ "too long by a byte", 2, 0, { { P / 2, 3 * P / 2 + 1 } }, -ENOSPC },
	{ "any order", 3, 0, { { 5 * P, P }, { 2 * P, P }, { 9 * P, P } } },
	{ "one page too many", 2, 0, { { 5 * P, P }, { 2 * P, P }, { 9 * P, P } }, -ENOSPC },
	{ "pages in an element count", 3, 0, { { 0, 3 * P }, { 8 * P, 1 } }, -ENOSPC },
	{ "ends inside", 2, 0, { { P + 8, P - 8 }, { 4 * P, 9 } } },
	{ "goes on", 1, 0, { { 8, 8 }, { 16, 8 }, { 24, P - 24 } } },
	{ "gap in a page", 4, 0, { { 8, 8 }, { 17, 8 } }, -EINVAL },
	{ "gap behind", 4, 0, { { 0, P - 1 }, { 2 * P, P } }, -EINVAL },
	{ "gap before", 4, 0, { { 0, P }, { 2 * P + 1, P } }, -EINVAL },
	{ "overlaps", 4, 0, { { 0, P }, { P / 2, P / 2 } }, -EINVAL },
	{ "same page twice", 2, 0, { { 0, P }, { 0, P } } },
	{ "gap far behind", 8, 0, { { 0, P }, { 3 * P, P }, { 5 * P, P }, { 7 * P + 1, 2 } },
	  -EINVAL },
	{ "empty first", 4, 0, { { 0, 0 } }, -EINVAL, .nents = 1 },
	{ "empty in the middle", 4, 0, { { 0, P }, { P, 0 }, { P, P } }, -EINVAL, .nents = 3 },
	{ "empty at the end", 4, 0, { { 0, P }, { P, 0 } }, -EINVAL, .nents = 2 },
	{ "wraps", 4, 0, { { -FT_BUS - 1, 2 } }, -EINVAL },
	{ "wraps in the middle", 4, 0, { { 0, P }, { -FT_BUS - P, P }, { P, P } }, -EINVAL },
	{ "pieces", 4, ARB, { { 3, 1 }, { 2, 1 }, { 2 * P - 1, 2 }, { 0, 2 * P } } },
	{ "one piece too many", 3, ARB, { { 3, 1 }, { 2, 1 }, { 2 * P - 1, 2 }, { 0, 2 * P } },
	  -ENOSPC },
	{ "more pages than pieces", 1, ARB, { { 0, 4 * P } } },
	{ "empty piece", 4, ARB, { { 3, 1 }, { 2, 0 }, { 0, 2 * P } }, -EINVAL, .nents = 3 },
	{ "piece wraps", 4, ARB, { { 3, 1 }, { -FT_BUS - 1, 2 } }, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(sg, sg_cases, name);

static u32 count(const struct ft_elem *in, u32 nents)
{
	u32 nr = nents;

	if (!nr)
		while (nr < NR && in[nr].len)
			nr++;
	return nr;
}

/* negative offsets are relative to the end of the address space, not to the block */
static u64 bus(const struct ft *ft, u64 at)
{
	return (at > S64_MAX ? 0 : ft->base) + FT_BUS + at;
}

static void expect_elems(struct ft *ft, const struct ft_elem *out)
{
	u32 nr = count(out, 0), i;

	KUNIT_ASSERT_EQ(ft->test, ft->nr, nr);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(ft->test, ft->elem[i].at, out[i].at);
		KUNIT_EXPECT_EQ(ft->test, ft->elem[i].len, out[i].len);
	}
}

static void expect_list(struct ft *ft, const struct ft_elem *out)
{
	expect_elems(ft, out);
	KUNIT_EXPECT_EQ(ft->test, ft->page_size, 4096);
}

static u64 total(const struct ft_elem *in, u32 nr)
{
	u64 sum = 0;

	while (nr--)
		sum += in[nr].len;
	return sum;
}

static void sg(struct kunit *test)
{
	const struct list_case *c = test->param_value;
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, c->max, c->flags), was = *mr;
	u32 nr = count(c->in, c->nents), i;
	struct scatterlist sgl[NR];

	sg_init_table(sgl, nr);
	for (i = 0; i < nr; i++) {
		sg_dma_address(&sgl[i]) = bus(ft, c->in[i].at);
		sg_dma_len(&sgl[i]) = c->in[i].len;
	}
	KUNIT_ASSERT_EQ(test, ib_mr_set_sg(mr, sgl, nr), c->err);
	KUNIT_EXPECT_EQ(test, ft->mapped, 0);
	if (c->err) {
		KUNIT_EXPECT_MEMEQ(test, mr, &was, sizeof(was));
		KUNIT_EXPECT_EQ(test, ft->nr, 0);
		return;
	}
	expect_list(ft, c->in);
	KUNIT_EXPECT_EQ(test, mr->iova, bus(ft, c->in[0].at));
	KUNIT_EXPECT_EQ(test, mr->length, total(c->in, nr));
}

static const struct list_case bvec_cases[] = {
	{ "a page", 1, 0, { { 0, P } }, 0, { { 0, P } } },
	{ "pages in a row", 3, 0, { { 0, P }, { P, P }, { 2 * P, P } }, 0, { { 0, 3 * P } } },
	{ "pages apart", 3, 0, { { 0, P }, { 2 * P, P }, { 5 * P, P } }, 0,
	  { { 0, P }, { 2 * P, P }, { 5 * P, P } } },
	{ "backwards", 2, 0, { { P, P }, { 0, P } }, 0, { { P, P }, { 0, P } } },
	{ "runs", 6, 0, { { P / 2, P / 2 }, { P, P }, { 4 * P, P }, { 5 * P, 3 * P } }, 0,
	  { { P / 2, 3 * P / 2 }, { 4 * P, 4 * P } } },
	{ "bytes of a page", 1, 0, { { 8, 8 }, { 16, 8 }, { 24, 1 }, { 25, 7 } }, 0,
	  { { 8, 24 } } },
	{ "over a page's end", 2, 0, { { P - 1, 1 }, { P, 1 } }, 0, { { P - 1, 2 } } },
	{ "too long", 2, 0, { { P - 1, P + 1 }, { 2 * P, 1 } }, -ENOSPC },
	{ "too many pages", 2, 0, { { 0, P }, { 2 * P, P }, { 4 * P, P } }, -ENOSPC },
	{ "gap in a page", 4, 0, { { 8, 8 }, { 17, 8 } }, -EINVAL },
	{ "gap behind", 4, 0, { { 0, P - 1 }, { 2 * P, P } }, -EINVAL },
	{ "gap before", 4, 0, { { 0, P }, { 2 * P + 1, P } }, -EINVAL },
	{ "overlaps", 4, 0, { { 0, P }, { P / 2, P / 2 } }, -EINVAL },
	{ "empty first", 4, 0, { { 0, 0 } }, -EINVAL, .nents = 1 },
	{ "empty at the end", 4, 0, { { 0, P }, { P, 0 } }, -EINVAL, .nents = 2 },
	{ "as long as one can be", 4, 0, { { 0, U32_MAX } }, -ENOSPC },
	{ "pieces", 3, ARB, { { 3, 1 }, { 2, 1 }, { 2 * P - 1, 2 } }, 0,
	  { { 3, 1 }, { 2, 1 }, { 2 * P - 1, 2 } } },
	{ "pieces in a row", 3, ARB, { { 3, 1 }, { 4, 10 }, { 1, 2 } }, 0,
	  { { 3, 11 }, { 1, 2 } } },
	{ "one piece too many", 2, ARB, { { 3, 1 }, { 4, 10 }, { 14, 2 } }, -ENOSPC },
	{ "more pages than pieces", 1, ARB, { { 0, 4 * P } }, 0, { { 0, 4 * P } } },
	{ "segments of a page", 4, 0, { { 0, 3 * P } }, 0, { { 0, P }, { P, P }, { 2 * P, P } },
	  .max_seg = P },
	{ "segments not from a page's start", 4, 0, { { 100, 3 * P } }, 0,
	  { { 100, P - 100 }, { P, P }, { 2 * P, P }, { 3 * P, 100 } }, .max_seg = P },
	{ "segments of one page and a half", 3, 0, { { 0, P }, { P, P }, { 2 * P, 1 } }, 0,
	  { { 0, P }, { P, P + 1 } }, .max_seg = P + P / 2 },
	{ "segments that fill while they grow", 4, 0, { { P / 2, P / 2 }, { P, P }, { 2 * P, P } },
	  0, { { P / 2, 3 * P / 2 }, { 2 * P, P } }, .max_seg = 2 * P },
	{ "segments and bytes", 2, 0, { { P - 8, 8 }, { P, 8 }, { P + 8, 8 } }, 0,
	  { { P - 8, 24 } }, .max_seg = P },
	{ "segments beyond the table", 1, ARB, { { 0, 2 * P } }, -ENOSPC, .max_seg = P },
};

KUNIT_ARRAY_PARAM_DESC(bvec, bvec_cases, name);

static void bvec(struct kunit *test)
{
	const struct list_case *c = test->param_value;
	struct ft *ft = ft_create(test);
	u32 nr = count(c->in, c->nents), i;
	struct bio_vec bv[NR];
	struct ib_mr *mr, was;

	if (c->max_seg)
		ft->max_seg = c->max_seg;
	mr = ft_mr(ft, c->max, c->flags);
	was = *mr;
	for (i = 0; i < nr; i++)
		bvec_set_page(&bv[i], frwr_nth_page(ft->page, c->in[i].at / P), c->in[i].len,
			      c->in[i].at % P);
	KUNIT_ASSERT_EQ(test, ib_mr_set_biovec(mr, bv, nr, DMA_FROM_DEVICE), c->err);
	KUNIT_EXPECT_EQ(test, ft->mapped, c->err ? 0 : 1);
	if (c->err) {
		KUNIT_EXPECT_MEMEQ(test, mr, &was, sizeof(was));
		return;
	}
	expect_list(ft, c->out);
	KUNIT_EXPECT_EQ(test, mr->length, total(c->in, nr));
	KUNIT_EXPECT_EQ(test, mr->iova, bus(ft, c->in[0].at));
	KUNIT_EXPECT_EQ(test, ft->dir, DMA_FROM_DEVICE);
}

/*
 * bio_vecs with an offset beyond the first page, or with an overflow of the end
 */
static void bvec_offsets(struct kunit *test)
{
	static const struct ft_elem out[NR] = { { 2 * P + 8, 2 * P - 8 }, { 9 * P, 8 } };
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 4, 0);
	struct bio_vec bv[2];

	bvec_set_page(&bv[0], ft->page, 2 * P - 8, 2 * P + 8);
	bvec_set_page(&bv[1], ft->page + 1, 8, 8 * P);
	KUNIT_ASSERT_EQ(test, ib_mr_set_biovec(mr, bv, 2, DMA_TO_DEVICE), 0);
	expect_list(ft, out);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	bvec_set_page(&bv[0], ft->page, U32_MAX, 1);
	KUNIT_EXPECT_EQ(test, ib_mr_set_biovec(mr, bv, 1, DMA_TO_DEVICE), -EINVAL);
}

struct pages_case {
	const char *name;
	u8 page[NR];
	unsigned int npages;
	size_t offset;
	size_t length;
	struct ft_elem out[NR];
};

/* an MR of 4 pages; refused calls are in suite ib_frwr_mr */
static const struct pages_case pages_cases[] = {
	{ "one", { 3 }, 1, 0, P, { { 3 * P, P } } },
	{ "a byte", { 3 }, 1, P - 1, 1, { { 4 * P - 1, 1 } } },
	{ "row", { 3, 4, 5, 6 }, 4, 0, 4 * P, { { 3 * P, 4 * P } } },
	{ "apart", { 3, 5, 1 }, 3, 0, 3 * P, { { 3 * P, P }, { 5 * P, P }, { P, P } } },
	{ "part of the ends", { 3, 5, 1 }, 3, 8, 2 * P + 1,
	  { { 3 * P + 8, P - 8 }, { 5 * P, P }, { P, 9 } } },
	{ "part of a row", { 3, 4, 1 }, 3, 8, 2 * P + 1, { { 3 * P + 8, 2 * P - 8 }, { P, 9 } } },
	{ "not all pages", { 3, 5, 1, 8, 9, 10 }, 6, 100, P, { { 3 * P + 100, P - 100 },
	  { 5 * P, 100 } } },
	{ "same page twice", { 3, 3 }, 2, 0, 2 * P, { { 3 * P, P }, { 3 * P, P } } },
};

KUNIT_ARRAY_PARAM_DESC(pages, pages_cases, name);

static void pages(struct kunit *test)
{
	const struct pages_case *c = test->param_value;
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 4, 0);
	struct page *list[NR] = {};
	u32 i;

	for (i = 0; i < c->npages; i++)
		list[i] = ft->page + c->page[i];
	KUNIT_ASSERT_EQ(test, ib_mr_set_pages(mr, list, c->npages, c->offset, c->length,
					      DMA_BIDIRECTIONAL), 0);
	expect_list(ft, c->out);
	KUNIT_EXPECT_EQ(test, mr->length, c->length);
	KUNIT_EXPECT_EQ(test, ft->mapped, 1);
	KUNIT_EXPECT_EQ(test, ft->dir, DMA_BIDIRECTIONAL);
	/*
	 * an MR uses one table: attach a shorter list after a longer one, and
	 * the reverse
	 */
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	KUNIT_EXPECT_EQ(test, ft->mapped, 0);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, list, 1, 0, 1, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ft->nr, 1);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	KUNIT_ASSERT_EQ(test, ib_mr_set_pages(mr, list, c->npages, c->offset, c->length,
					      DMA_BIDIRECTIONAL), 0);
	expect_list(ft, c->out);
}

/* An IOMMU merges elements into one DMA segment. All elements are unmapped. */
static void merged(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 4, 0);
	struct page *list[] = { ft->page, ft->page + 3, ft->page + 6 };

	ft->dma_merges = true;
	KUNIT_ASSERT_EQ(test, ib_mr_set_pages(mr, list, 3, 0, 3 * P, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ft->nr, 1);
	KUNIT_EXPECT_EQ(test, ft->elem[0].len, 3 * P);
	KUNIT_EXPECT_EQ(test, frwr_mr_from(mr)->nents, 3);
}

static void no_dma(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 4, 0), was = *mr;
	static const int errs[] = { -ENOMEM, -EREMOTEIO, -EIO, -EINVAL };
	struct bio_vec bv;
	int i;

	bvec_set_page(&bv, ft->page, P, 0);
	for (i = 0; i < ARRAY_SIZE(errs); i++) {
		ft->dma_err = errs[i];
		KUNIT_EXPECT_EQ(test, ft_set_page(ft, mr, DMA_TO_DEVICE), errs[i]);
		KUNIT_EXPECT_EQ(test, ib_mr_set_biovec(mr, &bv, 1, DMA_TO_DEVICE), errs[i]);
	}
	KUNIT_EXPECT_MEMEQ(test, mr, &was, sizeof(was));
	KUNIT_EXPECT_EQ(test, ft->nr, 0);
	/* a scatterlist that the caller mapped is not affected */
	KUNIT_EXPECT_EQ(test, ft_set_page(ft, mr, DMA_NONE), 0);
}

/*
 * ib_frwr returns -ENOSPC if the driver attaches only a part of the list or
 * returns -ENOMEM, and -ENOMEM if the driver attaches no element. Other errors
 * of the driver are returned unchanged.
 */
static void driver_stops(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 4, 0), was = *mr;
	struct page *list[] = { ft->page, ft->page + 3, ft->page + 6 };
	static const int says[][2] = {
		{ 1, -ENOSPC }, { 2, -ENOSPC }, { -ENOMEM, -ENOSPC }, { -EINVAL, -EINVAL },
		{ -EIO, -EIO }, { FT_NONE, -ENOMEM },
	};
	struct bio_vec bv;
	int i;

	for (i = 0; i < ARRAY_SIZE(says); i++) {
		ft->map_says = says[i][0];
		KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, list, 3, 0, 3 * P, DMA_TO_DEVICE),
				says[i][1]);
		KUNIT_EXPECT_EQ(test, ft->mapped, 0);
		KUNIT_EXPECT_MEMEQ(test, mr, &was, sizeof(was));
	}
	/* an element has more pages than the MR can hold */
	bvec_set_page(&bv, ft->page, 5 * P, 0);
	KUNIT_EXPECT_EQ(test, ib_mr_set_biovec(mr, &bv, 1, DMA_TO_DEVICE), -ENOSPC);
}

/*
 * MRs with pages smaller than PAGE_SIZE, such as pages of 4 KiB on a kernel
 * with pages of 64 KiB. The pages have an eighth of PAGE_SIZE, so that the
 * cases run on every kernel.
 */
#define E	(P / 8)

static const struct list_case small_cases[] = {
	{ "blocks of two pages", 2, 0, { { E, E }, { 5 * P + 3 * E, E } }, 0,
	  { { E, E }, { 5 * P + 3 * E, E } } },
	{ "ends inside blocks", 3, 0, { { 2 * E - 8, 8 }, { 3 * P, P / 2 - 8 } }, -ENOSPC },
	{ "ends inside more blocks", 5, 0, { { 2 * E - 8, 8 }, { 3 * P, P / 2 - 8 } }, 0,
	  { { 2 * E - 8, 8 }, { 3 * P, P / 2 - 8 } } },
	{ "a page is eight blocks", 8, 0, { { 3 * P, P } }, 0, { { 3 * P, P } } },
	{ "a page is more than seven blocks", 7, 0, { { 3 * P, P } }, -ENOSPC },
	{ "pages", 16, 0, { { 3 * P, P }, { 6 * P, P } }, 0, { { 3 * P, P }, { 6 * P, P } } },
	{ "gap inside a block", 4, 0, { { 0, E - 1 }, { 2 * E, E } }, -EINVAL },
	{ "gap before a block", 4, 0, { { 0, E }, { 2 * E + 1, E } }, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(small, small_cases, name);

static struct ib_mr *small_mr(struct ft *ft, const struct list_case *c)
{
	struct ib_mr *mr = ft_mr(ft, c->max, c->flags);

	frwr_mr_from(mr)->page_shift = PAGE_SHIFT - 3;
	return mr;
}

static void small_pages(struct kunit *test)
{
	const struct list_case *c = test->param_value;
	struct ft *ft = ft_create(test);
	u32 nr = count(c->in, 0), i;
	struct scatterlist sgl[NR];
	struct bio_vec bv[NR];
	struct ib_mr *mr;

	sg_init_table(sgl, nr);
	for (i = 0; i < nr; i++) {
		bvec_set_page(&bv[i], frwr_nth_page(ft->page, c->in[i].at / P), c->in[i].len,
			      c->in[i].at % P);
		sg_dma_address(&sgl[i]) = bus(ft, c->in[i].at);
		sg_dma_len(&sgl[i]) = c->in[i].len;
	}
	mr = small_mr(ft, c);
	KUNIT_EXPECT_EQ(test, ib_mr_set_biovec(mr, bv, nr, DMA_TO_DEVICE), c->err);
	if (!c->err) {
		expect_elems(ft, c->out);
		KUNIT_EXPECT_EQ(test, ft->page_size, E);
	}
	mr = small_mr(ft, c);
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg(mr, sgl, nr), c->err);
	if (c->err)
		return;
	expect_elems(ft, c->in);
	KUNIT_EXPECT_EQ(test, ft->page_size, E);
}

/*
 * Pages of ib_mr_set_pages() have PAGE_SIZE, independent of the MR's page size.
 */
static void small_in_pages(struct kunit *test)
{
	struct list_case c = { .max = 9 }, gaps = { .max = 2, .flags = IB_MR_REG_ARB_SG };
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = small_mr(ft, &c);
	struct page *list[] = { ft->page, ft->page + 3 };
	struct page *three[] = { ft->page, ft->page + 3, ft->page + 6 };

	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, list, 2, 7 * E, P, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, list, 2, 7 * E + 8, P, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, list, 2, 6 * E + 8, P + E, DMA_TO_DEVICE),
			-ENOSPC);
	/* with IB_MR_REG_ARB_SG, each page is an element */
	mr = small_mr(ft, &gaps);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, list, 2, 7 * E + 8, P, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	mr = small_mr(ft, &gaps);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, three, 3, 7 * E + 8, 2 * P, DMA_TO_DEVICE),
			-ENOSPC);
}

/* two blocks of 4 KiB, in pages of 4 KiB and of 64 KiB */
static void blocks_of_4k(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 2, 0);
	struct scatterlist sgl[2];

	sg_init_table(sgl, 2);
	sg_dma_address(&sgl[0]) = 0x11000;
	sg_dma_len(&sgl[0]) = 0x1000;
	sg_dma_address(&sgl[1]) = 0x53000;
	sg_dma_len(&sgl[1]) = 0x1000;
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg(mr, sgl, 2), 0);
	KUNIT_EXPECT_EQ(test, ft->page_size, 0x1000);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	frwr_mr_from(mr)->page_shift = 16;
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg(mr, sgl, 2), -EINVAL);
	sg_dma_address(&sgl[0]) = 0x1f000;
	sg_dma_address(&sgl[1]) = 0x50000;
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg(mr, sgl, 2), 0);
	KUNIT_EXPECT_EQ(test, ft->page_size, 0x10000);
}

/* ---- elements longer than a page, in larger pages ---- */

struct large_case {
	const char *name;
	u32 max;
	struct ft_elem in[NR];
	u32 pages;	/* page size for the driver / PAGE_SIZE; 0: -ENOSPC */
	u32 nents;	/* number of elements of @in; 0: up to a length of 0 */
};

static const struct large_case large_cases[] = {
	{ "two of two pages", 2, { { 0, 2 * P }, { 4 * P, 2 * P } }, 2 },
	{ "backwards", 2, { { 8 * P, 4 * P }, { 4 * P, 4 * P } }, 4 },
	{ "begins and ends inside", 2, { { P + 8, P - 8 }, { 4 * P, P + 1 } }, 2 },
	{ "one element", 1, { { 0, 4 * P } }, 4 },
	{ "one element across a bound", 2, { { P, 6 * P } }, 4 },
	{ "elements of one run", 1, { { 0, P }, { P, 2 * P }, { 3 * P, P } }, 4 },
	{ "no larger than needed", 4, { { 0, 4 * P }, { 8 * P, 4 * P } }, 2 },
	{ "bound of a page behind", 2, { { 0, 3 * P }, { 4 * P, 2 * P } } },
	{ "bound of a page before", 2, { { 0, 2 * P }, { 5 * P, 2 * P } } },
	{ "three", 2, { { 0, 2 * P }, { 4 * P, 2 * P }, { 8 * P, 2 * P } } },
	{ "hole", 2, { { 0, 2 * P }, { 4 * P, 2 * P }, { 8 * P + 8, 8 } } },
	{ "empty at the end", 1, { { 0, 2 * P }, { 2 * P, 0 } }, .nents = 2 },
	{ "wraps", 2, { { 0, 4 * P }, { -FT_BUS - 2 * P, 4 * P } } },
	{ "larger than the device's", 1, { { 0, 16 * P } } },
};

KUNIT_ARRAY_PARAM_DESC(large, large_cases, name);

/* a device with page sizes from PAGE_SIZE to 8 * PAGE_SIZE */
static struct ft *large_ft(struct kunit *test)
{
	struct ft *ft = ft_create(test);

	ft->dev->ops.driver_id = RDMA_DRIVER_RXE;
	ft->dev->attrs.page_size_cap = 15 * P;
	return ft;
}

static int set_large(struct ft *ft, struct ib_mr *mr, const struct large_case *c)
{
	u32 nr = count(c->in, c->nents), i;
	struct scatterlist sgl[NR];

	sg_init_table(sgl, nr);
	for (i = 0; i < nr; i++) {
		sg_dma_address(&sgl[i]) = bus(ft, c->in[i].at);
		sg_dma_len(&sgl[i]) = c->in[i].len;
	}
	return ib_mr_set_sg(mr, sgl, nr);
}

static void large(struct kunit *test)
{
	const struct large_case *c = test->param_value;
	struct ft *ft = large_ft(test);
	struct ib_mr *mr = ft_mr(ft, c->max, 0), was = *mr;

	KUNIT_ASSERT_EQ(test, set_large(ft, mr, c), c->pages ? 0 : -ENOSPC);
	if (!c->pages) {
		KUNIT_EXPECT_MEMEQ(test, mr, &was, sizeof(was));
		KUNIT_EXPECT_EQ(test, ft->nr, 0);
		return;
	}
	expect_elems(ft, c->in);
	KUNIT_EXPECT_EQ(test, ft->page_size, c->pages * P);
	KUNIT_EXPECT_EQ(test, mr->page_size, c->pages * P);
	KUNIT_EXPECT_EQ(test, mr->iova, bus(ft, c->in[0].at));
	KUNIT_EXPECT_EQ(test, mr->length, total(c->in, count(c->in, 0)));
	/* the next list is attached in pages of the page size of the MR */
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	KUNIT_EXPECT_EQ(test, ft_set_page(ft, mr, DMA_NONE), 0);
	KUNIT_EXPECT_EQ(test, ft->page_size, 4096);
}

/*
 * After the hook has returned -ENOSPC, ib_map_mr_sg() gets larger pages.
 * Afterwards mr->page_size is restored.
 */
static void large_hook(struct kunit *test)
{
	struct ft *ft = large_ft(test);
	struct ib_mr *mr;

	KUNIT_ASSERT_EQ(test, ft_add_hooks(ft), 0);
	mr = ft_mr(ft, 2, 0);
	ft->hook_err = -ENOSPC;
	KUNIT_EXPECT_EQ(test, set_large(ft, mr, &large_cases[0]), 0);
	KUNIT_EXPECT_EQ(test, ft->hooks, 1);
	KUNIT_EXPECT_EQ(test, ft->page_size, 2 * P);
	KUNIT_EXPECT_EQ(test, mr->page_size, 4096);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	/* an errno of the driver is returned */
	ft->map_says = -EIO;
	KUNIT_EXPECT_EQ(test, set_large(ft, mr, &large_cases[0]), -EIO);
	KUNIT_EXPECT_EQ(test, mr->page_size, 4096);
}

/*
 * bio_vecs are attached in larger pages, too. ib_mr_set_pages() counts pages of
 * PAGE_SIZE.
 */
static void large_bvecs(struct kunit *test)
{
	struct ft *ft = large_ft(test);
	struct ib_mr *mr = ft_mr(ft, 2, 0);
	struct page *list[] = { ft->page, ft->page + 1, ft->page + 2 };
	struct bio_vec bv[2];

	bvec_set_page(&bv[0], ft->page + 4, 2 * P, 0);
	bvec_set_page(&bv[1], ft->page, 2 * P, 0);
	KUNIT_EXPECT_EQ(test, ib_mr_set_biovec(mr, bv, 2, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ft->page_size, 2 * P);
	KUNIT_EXPECT_EQ(test, ft->mapped, 1);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	bvec_set_page(&bv[0], ft->page + 5, 2 * P, 0);
	KUNIT_EXPECT_EQ(test, ib_mr_set_biovec(mr, bv, 2, DMA_TO_DEVICE), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ft->mapped, 0);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, list, 3, 0, 3 * P, DMA_TO_DEVICE), -ENOSPC);
}

/* Only drivers that are known to register larger pages get larger pages. */
static void large_unknown_driver(struct kunit *test)
{
	struct ft *ft = large_ft(test);
	struct ib_mr *mr = ft_mr(ft, 2, 0);

	ft->dev->ops.driver_id = RDMA_DRIVER_UNKNOWN;
	KUNIT_EXPECT_EQ(test, set_large(ft, mr, &large_cases[0]), -ENOSPC);
}

/*
 * the iova may change by multiples of the page size in which the list is
 * attached
 */
static void large_iova(struct kunit *test)
{
	struct ft *ft = large_ft(test);
	struct ib_mr *mr = ft_mr(ft, 2, 0);
	struct ib_fast_reg_wr wr = {};
	u64 iova;

	KUNIT_ASSERT_EQ(test, set_large(ft, mr, &large_cases[0]), 0);
	iova = mr->iova;
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, iova + P, 4 * P, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, iova + 2 * P, 4 * P, 0), 0);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	KUNIT_ASSERT_EQ(test, ft_set_page(ft, mr, DMA_NONE), 0);
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, iova + P, P, 0), 0);
}

static struct kunit_case list_tests[] = {
	KUNIT_CASE_PARAM(sg, sg_gen_params),
	KUNIT_CASE_PARAM(bvec, bvec_gen_params),
	KUNIT_CASE(bvec_offsets),
	KUNIT_CASE_PARAM(pages, pages_gen_params),
	KUNIT_CASE(merged),
	KUNIT_CASE(no_dma),
	KUNIT_CASE(driver_stops),
	KUNIT_CASE_PARAM(small_pages, small_gen_params),
	KUNIT_CASE(small_in_pages),
	KUNIT_CASE(blocks_of_4k),
	KUNIT_CASE_PARAM(large, large_gen_params),
	KUNIT_CASE(large_hook),
	KUNIT_CASE(large_bvecs),
	KUNIT_CASE(large_unknown_driver),
	KUNIT_CASE(large_iova),
	{}
};

static struct kunit_suite list_suite = {
	.name = "ib_frwr_list",
	.test_cases = list_tests,
};

kunit_test_suite(list_suite);
