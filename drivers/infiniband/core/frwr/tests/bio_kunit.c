// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: MRs of parts of bio_vecs, of bios, and of several chunks.
 */
#include <linux/bio.h>

#include "kunit.h"

#define P	PAGE_SIZE
#define NR	6
#define BIOS	3
#define ARB	IB_MR_REG_ARB_SG

/* ---- struct bvec_iter ---- */

struct iter_case {
	const char *name;
	struct ft_elem in[NR];	/* bio_vecs; ends with a length of 0 */
	struct bvec_iter iter;
	u32 flags;
	int err;
	struct ft_elem out[NR];
};

#define ITER(idx, done, size)	\
	{ .bi_idx = (idx), .bi_offset = (done), .bi_size = (size) }

/* cases for an MR of 5 pages */
static const struct iter_case iter_cases[] = {
	{ "all", { { 0, P }, { 3 * P, P } }, ITER(0, 0, 2 * P), 0, 0, { { 0, P }, { 3 * P, P } } },
	{ "from the second", { { 0, P }, { 3 * P, P } }, ITER(1, 0, P), 0, 0, { { 3 * P, P } } },
	{ "without the second", { { 0, P }, { 3 * P, P } }, ITER(0, 0, P), 0, 0, { { 0, P } } },
	{ "inside the first", { { 8, P - 8 }, { 3 * P, P } }, ITER(0, 4, 100), 0, 0,
	  { { 12, 100 } } },
	{ "ends inside", { { 8, P - 8 }, { 3 * P, P }, { 5 * P, P } }, ITER(0, 4, P - 12 + 20), 0,
	  0, { { 12, P - 12 }, { 3 * P, 20 } } },
	{ "ends inside after pages", { { 0, P }, { 3 * P, P }, { 5 * P, P } },
	  ITER(0, 0, 2 * P + 1), 0, 0, { { 0, P }, { 3 * P, P }, { 5 * P, 1 } } },
	{ "beyond the first page", { { 8, 3 * P } }, ITER(0, 2 * P, P), 0, 0,
	  { { 2 * P + 8, P } } },
	{ "pages in a row", { { 0, P }, { P, P }, { 2 * P, P }, { 8 * P, P } }, ITER(1, 0, 3 * P),
	  0, 0, { { P, 2 * P }, { 8 * P, P } } },
	{ "long ones", { { 0, 2 * P }, { 4 * P, 3 * P } }, ITER(0, P, 3 * P), 0, 0,
	  { { P, P }, { 4 * P, 2 * P } } },
	{ "gap that is not in it", { { 0, P }, { 2 * P, 8 }, { 4 * P, 8 } }, ITER(0, 0, P + 8), 0,
	  0, { { 0, P }, { 2 * P, 8 } } },
	{ "gap", { { 0, P }, { 2 * P, 8 }, { 4 * P, 8 } }, ITER(0, 0, P + 9), 0, -EINVAL },
	{ "gap for an MR that may have one", { { 0, P }, { 2 * P, 8 }, { 4 * P, 8 } },
	  ITER(0, 0, P + 9), ARB, 0, { { 0, P }, { 2 * P, 8 }, { 4 * P, 1 } } },
	{ "nothing", { { 0, P } }, ITER(0, 0, 0), 0, -EINVAL },
	{ "begins at the end of a bio_vec", { { 0, P }, { P, P } }, ITER(0, P, P), 0, -EINVAL },
	{ "too many pages", { { 0, P }, { 2 * P, P }, { 4 * P, P }, { 6 * P, 3 * P } },
	  ITER(0, 0, 6 * P), 0, -ENOSPC },
	{ "as many pages as possible", { { 0, P }, { 2 * P, P }, { 4 * P, P }, { 6 * P, 3 * P } },
	  ITER(0, 0, 5 * P), 0, 0,
	  { { 0, P }, { 2 * P, P }, { 4 * P, P }, { 6 * P, 2 * P } } },
};

KUNIT_ARRAY_PARAM_DESC(iter, iter_cases, name);

static u32 set_vecs(struct ft *ft, struct bio_vec *bv, const struct ft_elem *in)
{
	u32 n;

	for (n = 0; n < NR && in[n].len; n++)
		bvec_set_page(&bv[n], frwr_nth_page(ft->page, in[n].at / P), in[n].len,
			      in[n].at % P);
	return n;
}

static void expect_elems(struct ft *ft, const struct ft_elem *out)
{
	u32 n;

	for (n = 0; n < NR && out[n].len; n++) {
		KUNIT_EXPECT_EQ(ft->test, ft->elem[n].at, out[n].at);
		KUNIT_EXPECT_EQ(ft->test, ft->elem[n].len, out[n].len);
	}
	KUNIT_EXPECT_EQ(ft->test, ft->nr, n);
}

static void iter(struct kunit *test)
{
	const struct iter_case *c = test->param_value;
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 5, c->flags), was = *mr;
	struct bio_vec bv[NR];

	set_vecs(ft, bv, c->in);
	KUNIT_ASSERT_EQ(test, ib_mr_set_bvec_iter(mr, bv, c->iter, DMA_FROM_DEVICE), c->err);
	KUNIT_EXPECT_EQ(test, ft->mapped, c->err ? 0 : 1);
	if (c->err) {
		KUNIT_EXPECT_MEMEQ(test, mr, &was, sizeof(was));
		return;
	}
	expect_elems(ft, c->out);
	KUNIT_EXPECT_EQ(test, mr->length, c->iter.bi_size);
	KUNIT_EXPECT_EQ(test, ft->dir, DMA_FROM_DEVICE);
}

static void iter_refused(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 5, 0), *sg_mr = ft_mr(ft, 5, IB_MR_REG_SG_ONLY);
	struct bio_vec bv = { ft->page, P, 0 };
	struct bvec_iter all = ITER(0, 0, P);

	KUNIT_EXPECT_EQ(test, ib_mr_set_bvec_iter(mr, &bv, all, DMA_NONE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_bvec_iter(sg_mr, &bv, all, DMA_TO_DEVICE), -EINVAL);
	bv.bv_offset = U32_MAX;
	KUNIT_EXPECT_EQ(test, ib_mr_set_bvec_iter(mr, &bv, all, DMA_TO_DEVICE), -EINVAL);
	bv.bv_offset = 0;
	KUNIT_EXPECT_EQ(test, ib_mr_set_bvec_iter(mr, &bv, all, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ib_mr_set_bvec_iter(mr, &bv, all, DMA_TO_DEVICE), -EBUSY);
}

/* ---- bios ---- */

struct bios {
	struct bio *bio;
	struct bio_vec bv[BIOS][NR];
};

/*
 * Three bios of 2 pages each, from pages 0, 4 and 8 on. @apart: one page lies
 * between the two pages of a bio.
 */
static struct bios *make_bios(struct ft *ft, bool apart)
{
	struct bios *b = kunit_kzalloc(ft->test, sizeof(*b), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(ft->test, b);
	b->bio = kunit_kcalloc(ft->test, BIOS, sizeof(*b->bio), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(ft->test, b->bio);
	for (i = 0; i < BIOS; i++) {
		struct ft_elem in[NR] = { { 4 * i * P, P }, { (4 * i + 1 + apart) * P, P } };

		set_vecs(ft, b->bv[i], in);
		b->bio[i].bi_io_vec = b->bv[i];
		b->bio[i].bi_iter.bi_size = 2 * P;
		b->bio[i].bi_next = i + 1 < BIOS ? &b->bio[i + 1] : NULL;
	}
	return b;
}

static void bios(struct kunit *test)
{
	static const struct ft_elem out[NR] = { { 0, 2 * P }, { 4 * P, 2 * P }, { 8 * P, 2 * P } };
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 6, 0);
	struct bios *b = make_bios(ft, false);

	KUNIT_ASSERT_EQ(test, ib_mr_set_bio(mr, b->bio, DMA_TO_DEVICE), 0);
	expect_elems(ft, out);
	KUNIT_EXPECT_EQ(test, mr->length, 6 * P);
	KUNIT_EXPECT_EQ(test, ft->mapped, 1);
	KUNIT_EXPECT_EQ(test, ft->dir, DMA_TO_DEVICE);
	KUNIT_EXPECT_EQ(test, b->bio[0].bi_iter.bi_size, 2 * P);
}

/*
 * a split bio without its first 8 bytes, a complete bio, and a clone of the
 * first 100 bytes of a bio
 */
static void bios_cut(struct kunit *test)
{
	static const struct ft_elem out[NR] = {
		{ 8, P - 8 }, { 2 * P, P }, { 4 * P, P }, { 6 * P, P }, { 8 * P, 100 },
	};
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 5, 0);
	struct bios *b = make_bios(ft, true);

	b->bio[0].bi_iter = (struct bvec_iter)ITER(0, 8, 2 * P - 8);
	b->bio[2].bi_iter = (struct bvec_iter)ITER(0, 0, 100);
	KUNIT_ASSERT_EQ(test, ib_mr_set_bio(mr, b->bio, DMA_FROM_DEVICE), 0);
	expect_elems(ft, out);
	KUNIT_EXPECT_EQ(test, mr->length, 4 * P - 8 + 100);
}

/* the end of one bio and the beginning of the next are adjacent */
static void bios_adjoin(struct kunit *test)
{
	static const struct ft_elem out[NR] = { { 0, 3 * P } };
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 3, 0);
	struct bios *b = make_bios(ft, false);

	b->bio[1].bi_next = NULL;
	bvec_set_page(&b->bv[1][0], ft->page + 2, 8, 0);
	bvec_set_page(&b->bv[1][1], ft->page + 2, P - 8, 8);
	b->bio[1].bi_iter.bi_size = P;
	KUNIT_ASSERT_EQ(test, ib_mr_set_bio(mr, b->bio, DMA_TO_DEVICE), 0);
	expect_elems(ft, out);
}

static void bios_refused(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 6, 0), *little = ft_mr(ft, 5, 0), was = *mr;
	struct bios *b = make_bios(ft, true);

	KUNIT_EXPECT_EQ(test, ib_mr_set_bio(mr, NULL, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_bio(mr, b->bio, DMA_NONE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_bio(little, b->bio, DMA_TO_DEVICE), -ENOSPC);
	b->bio[1].bi_iter.bi_size = 0;
	KUNIT_EXPECT_EQ(test, ib_mr_set_bio(mr, b->bio, DMA_TO_DEVICE), -EINVAL);
	b->bio[1].bi_iter.bi_size = 2 * P;
	b->bio[2].bi_opf = REQ_OP_DISCARD;
	KUNIT_EXPECT_EQ(test, ib_mr_set_bio(mr, b->bio, DMA_TO_DEVICE), -EINVAL);
	b->bio[2].bi_opf = REQ_OP_WRITE;
	/* a gap between two bios */
	b->bio[0].bi_iter.bi_size--;
	KUNIT_EXPECT_EQ(test, ib_mr_set_bio(mr, b->bio, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_MEMEQ(test, mr, &was, sizeof(was));
	KUNIT_EXPECT_EQ(test, ft->mapped, 0);
	b->bio[0].bi_iter.bi_size++;
	KUNIT_EXPECT_EQ(test, ib_mr_set_bio(mr, b->bio, DMA_TO_DEVICE), 0);
}

/* ---- scatterlists of several chunks ---- */

#define CHUNK	((u32)SG_MAX_SINGLE_ALLOC)

/* lengths of MRs near the lengths at which a further chunk begins */
static const u32 chunk_lengths[] = {
	CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 2, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1,
};

/* attach every second page of the block, so that each page is an element */
static void attach_apart(struct ft *ft, struct ib_mr *mr, struct page **list, u32 n, int err)
{
	struct kunit *test = ft->test;
	u32 i;

	for (i = 0; i < n; i++)
		list[i] = ft->page + 2 * i % FT_PAGES;
	KUNIT_ASSERT_EQ(test, ib_mr_set_pages(mr, list, n, 0, n * P, DMA_TO_DEVICE), err);
	if (err)
		return;
	/* the fixture checks that the end mark is at the last element */
	KUNIT_EXPECT_EQ(test, ft->nr, n);
	KUNIT_EXPECT_EQ(test, mr->length, n * P);
	for (i = 0; i < min_t(u32, n, FT_ELEMS); i++)
		KUNIT_EXPECT_EQ(test, ft->elem[i].at, 2 * i % FT_PAGES * P);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
}

static void chunks(struct kunit *test)
{
	struct page **list = kunit_kcalloc(test, 3 * CHUNK, sizeof(*list), GFP_KERNEL);
	struct ft *ft = ft_create(test);
	struct ib_mr *mr;
	u32 i, max;

	KUNIT_ASSERT_NOT_NULL(test, list);
	for (i = 0; i < ARRAY_SIZE(chunk_lengths); i++) {
		max = chunk_lengths[i];
		ft->dev->attrs.max_fast_reg_page_list_len = max;
		mr = ft_mr(ft, max, 0);
		attach_apart(ft, mr, list, max, 0);
		attach_apart(ft, mr, list, 1, 0);
		attach_apart(ft, mr, list, CHUNK - 1, 0);
		attach_apart(ft, mr, list, max, 0);
	}
}

/*
 * Each piece of one byte is an element. An MR holds max_reg_descs pieces, and
 * not one more.
 */
static void chunks_full(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr;
	struct bio_vec *bv;
	u32 i, n, max;

	bv = kunit_kcalloc(test, 3 * CHUNK, sizeof(*bv), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, bv);
	for (n = 0; n < 3 * CHUNK; n++)
		bvec_set_page(&bv[n], ft->page, 1, 2 * n);
	for (i = 0; i < ARRAY_SIZE(chunk_lengths); i++) {
		struct bvec_iter it = ITER(0, 0, 0);

		max = chunk_lengths[i];
		ft->dev->attrs.max_fast_reg_page_list_len = max;
		mr = ft_mr(ft, max, ARB);
		it.bi_size = max;
		KUNIT_EXPECT_EQ(test, ib_mr_set_bvec_iter(mr, bv, it, DMA_TO_DEVICE), 0);
		KUNIT_EXPECT_EQ(test, ft->nr, max);
		KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
		it.bi_size = max + 1;
		KUNIT_EXPECT_EQ(test, ib_mr_set_bvec_iter(mr, bv, it, DMA_TO_DEVICE), -ENOSPC);
	}
}

static struct kunit_case bio_tests[] = {
	KUNIT_CASE_PARAM(iter, iter_gen_params),
	KUNIT_CASE(iter_refused),
	KUNIT_CASE(bios),
	KUNIT_CASE(bios_cut),
	KUNIT_CASE(bios_adjoin),
	KUNIT_CASE(bios_refused),
	KUNIT_CASE(chunks),
	KUNIT_CASE(chunks_full),
	{}
};

static struct kunit_suite bio_suite = {
	.name = "ib_frwr_bio",
	.test_cases = bio_tests,
};

kunit_test_suite(bio_suite);
