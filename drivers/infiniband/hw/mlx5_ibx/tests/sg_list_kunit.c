// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of complete lists, of pages or of ranges.
 *
 * A row has a scatterlist, and the bytes of the list that is written from it in
 * the layouts of the PRM: an MTT is the address of a page, with both
 * permissions in its low bits; a KLM is byte count, key and address.
 *
 * Further cases use random scatterlists: each byte must have the same address
 * according to the list and according to the scatterlist.
 */

#include <linux/prandom.h>

#include "enc/sg_list.h"
#include "kunit.h"

#define MAX_SG		8
#define MAX_DESC	16
#define LKEY		0x00c0ffee
#define GAPS		true

struct list_case {
	const char *name;
	struct kt_sg sg[MAX_SG];
	int nents;
	u32 max;
	bool gaps;
	/* results */
	int ret;
	u8 shift;	/* 0 for ranges */
	u32 n;
	u64 length;
	const char *hex;
	u8 min_shift;	/* 0 for 12 */
};

static const struct list_case list_cases[] = {
	/* one contiguous range, in pages that are not larger than the range */
	{ "a page", { { 0x10000, 0x1000 } }, 1, 8, !GAPS, 0, 12, 1, 0x1000,
	  HEX(0000000000010003) },
	{ "a byte", { { 0x10fff, 1 } }, 1, 1, !GAPS, 0, 12, 1, 1, HEX(0000000000010003) },
	{ "part of two pages", { { 0x10ff0, 0x20 } }, 1, 2, !GAPS, 0, 12, 2, 0x20,
	  HEX(0000000000010003 0000000000011003) },
	{ "address zero", { { 0, 0x1000 } }, 1, 1, !GAPS, 0, 12, 1, 0x1000,
	  HEX(0000000000000003) },
	{ "two pages", { { 0x12000, 0x2000 } }, 1, 2, !GAPS, 0, 13, 1, 0x2000,
	  HEX(0000000000012003) },
	{ "two pages across a bound", { { 0x11000, 0x2000 } }, 1, 2, !GAPS, 0, 13, 2, 0x2000,
	  HEX(0000000000010003 0000000000012003) },
	{ "three pages are one of four", { { 0x10000, 0x3000 } }, 1, 3, !GAPS, 0, 14, 1, 0x3000,
	  HEX(0000000000010003) },
	{ "1 MiB", { { 0x12300000, 0x100000 } }, 1, 256, !GAPS, 0, 20, 1, 0x100000,
	  HEX(0000000012300003) },
	{ "1 MiB anywhere", { { 0x12345678, 0x100000 } }, 1, 257, !GAPS, 0, 20, 2, 0x100000,
	  HEX(0000000012300003 0000000012400003) },
	{ "a byte more than 1 MiB", { { 0x12300000, 0x100001 } }, 1, 257, !GAPS, 0, 21, 2,
	  0x100001, HEX(0000000012200003 0000000012400003) },
	{ "highest addresses", { { 0xfffffffffffff000, 0xfff } }, 1, 8, !GAPS, 0, 12, 1, 0xfff,
	  HEX(fffffffffffff003) },
	{ "four pages, four elements",
	  { { 0x10000, 0x1000 }, { 0x11000, 0x1000 }, { 0x12000, 0x1000 }, { 0x13000, 0x1000 } },
	  4, 4, !GAPS, 0, 14, 1, 0x4000, HEX(0000000000010003) },
	{ "crumbs that continue one another",
	  { { 0x10100, 0x10 }, { 0x10110, 0x10 }, { 0x10120, 0x1000 } }, 3, 2, !GAPS, 0, 13, 1,
	  0x1020, HEX(0000000000010003) },

	/* several ranges, in pages of the alignment of all their bounds */
	{ "two runs, far apart, well aligned", { { 0x10000, 0x4000 }, { 0x28000, 0x4000 } }, 2, 8,
	  !GAPS, 0, 14, 2, 0x8000, HEX(0000000000010003 0000000000028003) },
	{ "the end of the first decides", { { 0x10000, 0x2000 }, { 0x28000, 0x4000 } }, 2, 8,
	  !GAPS, 0, 13, 3, 0x6000,
	  HEX(0000000000010003 0000000000028003 000000000002a003) },
	{ "the start of the second decides", { { 0x10000, 0x4000 }, { 0x2a000, 0x4000 } }, 2, 8,
	  !GAPS, 0, 13, 4, 0x8000,
	  HEX(0000000000010003 0000000000012003 000000000002a003 000000000002c003) },
	{ "start and end inside large pages", { { 0x11010, 0x2ff0 }, { 0x28000, 0x1234 } }, 2, 8,
	  !GAPS, 0, 14, 2, 0x4224, HEX(0000000000010003 0000000000028003) },
	{ "three runs, the third splits", { { 0x11000, 0x7000 }, { 0x28000, 0x8000 },
	    { 0x42000, 0x2000 } }, 3, 17, !GAPS, 0, 13, 9, 0x11000,
	  HEX(0000000000010003 0000000000012003 0000000000014003 0000000000016003
	      0000000000028003 000000000002a003 000000000002c003 000000000002e003
	      0000000000042003) },
	{ "split, and the first page is not of the list", { { 0x13000, 0x5000 },
	    { 0x28000, 0x8000 }, { 0x41000, 0x1000 } }, 3, 16, !GAPS, 0, 12, 14, 0xe000,
	  HEX(0000000000013003 0000000000014003 0000000000015003 0000000000016003
	      0000000000017003 0000000000028003 0000000000029003 000000000002a003
	      000000000002b003 000000000002c003 000000000002d003 000000000002e003
	      000000000002f003 0000000000041003) },
	{ "64 KiB, each in two elements", { { 0x20000, 0x8000 }, { 0x28000, 0x8000 },
	    { 0x90000, 0x4000 }, { 0x94000, 0xc000 } }, 4, 32, !GAPS, 0, 16, 2, 0x20000,
	  HEX(0000000000020003 0000000000090003) },
	{ "2 GiB and more are pages of 2 GiB",
	  { { 0x100000000, 0x80000000 }, { 0x200000000, 0x80000000 } }, 2, 0x100000, !GAPS,
	  0, 31, 2, 0x100000000, HEX(0000000100000003 0000000200000003) },

	/* pages of PAGE_SIZE */
	{ "two scattered pages", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 } }, 2, 2, !GAPS,
	  0, 12, 2, 0x2000, HEX(0000000000011003 0000000000033003) },
	{ "scattered pages", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 }, { 0x22000, 0x1000 },
	    { 0x50000, 0x1000 } }, 4, 4, !GAPS, 0, 12, 4, 0x4000,
	  HEX(0000000000011003 0000000000033003 0000000000022003 0000000000050003) },
	{ "first starts inside, last ends inside", { { 0x11800, 0x800 }, { 0x33000, 0x1000 },
	    { 0x55000, 0x10 } }, 3, 3, !GAPS, 0, 12, 3, 0x1810,
	  HEX(0000000000011003 0000000000033003 0000000000055003) },
	{ "runs among pages", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 }, { 0x34000, 0x800 },
	    { 0x34800, 0x1800 }, { 0x50000, 0x2001 } }, 5, 7, !GAPS, 0, 12, 7, 0x6001,
	  HEX(0000000000011003 0000000000033003 0000000000034003 0000000000035003
	      0000000000050003 0000000000051003 0000000000052003) },
	{ "the same page again", { { 0x11000, 0x1000 }, { 0x11000, 0x1000 } }, 2, 2, !GAPS,
	  0, 12, 2, 0x2000, HEX(0000000000011003 0000000000011003) },
	{ "backwards", { { 0x12000, 0x1000 }, { 0x11000, 0x1000 } }, 2, 2, !GAPS,
	  0, 12, 2, 0x2000, HEX(0000000000012003 0000000000011003) },

	/* MRs with pages of 4 KiB on any PAGE_SIZE, MRs with larger pages */
	{ "blocks of 4 KiB in pages of 4 KiB", { { 0x11000, 0x1000 }, { 0x53000, 0x1000 } }, 2, 2,
	  !GAPS, 0, 12, 2, 0x2000, HEX(0000000000011003 0000000000053003), .min_shift = 12 },
	{ "blocks of 4 KiB in pages of 64 KiB", { { 0x11000, 0x1000 }, { 0x53000, 0x1000 } }, 2, 2,
	  !GAPS, -EINVAL, .min_shift = 16 },
	{ "the same as ranges", { { 0x11000, 0x1000 }, { 0x53000, 0x1000 } }, 2, 2, GAPS, 0, 0, 2,
	  0x2000, HEX(00001000 00c0ffee 0000000000011000 00001000 00c0ffee 0000000000053000),
	  .min_shift = 16 },
	{ "pages of 64 KiB", { { 0x10000, 0x10000 }, { 0x50000, 0x10000 }, { 0x30000, 0x10000 } },
	  3, 3, !GAPS, 0, 16, 3, 0x30000,
	  HEX(0000000000010003 0000000000050003 0000000000030003), .min_shift = 16 },
	{ "ends inside pages of 64 KiB", { { 0x1f000, 0x1000 }, { 0x50000, 0x10000 },
	    { 0x30000, 0x8 } }, 3, 3, !GAPS, 0, 16, 3, 0x11008,
	  HEX(0000000000010003 0000000000050003 0000000000030003), .min_shift = 16 },
	{ "elements of two pages of 64 KiB", { { 0x10000, 0x10000 }, { 0x50000, 0x10000 },
	    { 0x30000, 0x20000 } }, 3, 4, !GAPS, 0, 16, 4, 0x40000,
	  HEX(0000000000010003 0000000000050003 0000000000030003 0000000000040003),
	  .min_shift = 16 },
	{ "bytes of a page of 64 KiB", { { 0x12345, 0x100 } }, 1, 1, !GAPS, 0, 16, 1, 0x100,
	  HEX(0000000000010003), .min_shift = 16 },
	{ "a page of 64 KiB too many", { { 0x10000, 0x20001 } }, 1, 2, !GAPS, -ENOSPC,
	  .min_shift = 16 },
	{ "17 pages of 4 KiB are two of 64 KiB", { { 0x10000, 0x10000 }, { 0x50000, 0x1000 } }, 2,
	  2, !GAPS, 0, 16, 2, 0x11000, HEX(0000000000010003 0000000000050003),
	  .min_shift = 16 },

	/* lists that are refused */
	{ "empty", { { 0x10000, 0 } }, 1, 8, GAPS, -EINVAL },
	{ "empty at address zero", { { 0, 0 } }, 1, 8, GAPS, -EINVAL },
	{ "empty second", { { 0x10000, 0x1000 }, { 0x11000, 0 } }, 2, 8, GAPS, -EINVAL },
	{ "empty after scattered pages", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 },
	    { 0x55000, 0 } }, 3, 8, GAPS, -EINVAL },
	{ "empty after a gap", { { 0x11001, 0x1000 }, { 0x33001, 0x1000 }, { 0x55000, 0 } }, 3, 8,
	  GAPS, -EINVAL },
	{ "wraps", { { 0xfffffffffffff000, 0x2000 } }, 1, 8, GAPS, -EINVAL },
	{ "ends where addresses do", { { 0xfffffffffffff000, 0x1000 } }, 1, 8, GAPS, -EINVAL },
	{ "second wraps", { { 0x10000, 0x1000 }, { 0xfffffffffffff000, 0x2000 } }, 2, 8, GAPS,
	  -EINVAL },
	{ "third wraps", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 },
	    { 0xfffffffffffff000, 0x2000 } }, 3, 8, GAPS, -EINVAL },
	{ "wraps after a gap", { { 0x11001, 0x1000 }, { 0x33001, 0x1000 },
	    { 0xfffffffffffff000, 0x2000 } }, 3, 8, GAPS, -EINVAL },
	{ "hole before the second", { { 0x10000, 0x800 }, { 0x30000, 0x1000 } }, 2, 8, !GAPS,
	  -EINVAL },
	{ "second starts inside", { { 0x10000, 0x1000 }, { 0x30010, 0x1000 } }, 2, 8, !GAPS,
	  -EINVAL },
	{ "hole after scattered pages", { { 0x11000, 0x1000 }, { 0x33000, 0x800 },
	    { 0x55000, 0x1000 } }, 3, 8, !GAPS, -EINVAL },
	{ "hole after large pages", { { 0x10000, 0x4000 }, { 0x28000, 0x4000 },
	    { 0x40010, 0x1000 } }, 3, 8, !GAPS, -EINVAL },
	{ "a page too many", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 }, { 0x55000, 0x1000 } },
	  3, 2, !GAPS, -ENOSPC },
	{ "one run is a page too many", { { 0x10000, 0x2001 } }, 1, 2, !GAPS, -ENOSPC },
	{ "first page too many", { { 0x11000, 0x2000 }, { 0x34000, 0x1000 } }, 2, 1, !GAPS,
	  -ENOSPC },
	{ "one too many in large pages", { { 0x10000, 0x4000 }, { 0x28000, 0x4000 } }, 2, 7,
	  !GAPS, -ENOSPC },
	{ "split is too many", { { 0x10000, 0x4000 }, { 0x28000, 0x4000 }, { 0x41000, 0x1000 } },
	  3, 8, !GAPS, -ENOSPC },
	{ "last of an element too many", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 },
	    { 0x55000, 0x2000 } }, 3, 3, !GAPS, -ENOSPC },

	/* ranges, for lists that are not pages or need too many pages */
	{ "pages, though gaps may be", { { 0x11800, 0x800 }, { 0x33000, 0x1001 } }, 2, 4, GAPS,
	  0, 12, 3, 0x1801, HEX(0000000000011003 0000000000033003 0000000000034003) },
	{ "odd pieces", { { 0x10010, 0x20 }, { 0x30030, 1 }, { 0x20000, 0x1fff } }, 3, 4, GAPS,
	  0, 0, 3, 0x2020,
	  HEX(00000020 00c0ffee 0000000000010010 00000001 00c0ffee 0000000000030030
	      00001fff 00c0ffee 0000000000020000) },
	{ "a gap behind one run in three", { { 0x10010, 0x20 }, { 0x10030, 0x10 },
	    { 0x10040, 0x10 }, { 0x30000, 8 } }, 4, 4, GAPS, 0, 0, 2, 0x48,
	  HEX(00000040 00c0ffee 0000000000010010 00000008 00c0ffee 0000000000030000) },
	{ "a gap behind large pages", { { 0x11010, 0x2ff0 }, { 0x28000, 0x8000 },
	    { 0x30000, 0x4000 }, { 0x40010, 8 } }, 4, 32, GAPS, 0, 0, 3, 0xeff8,
	  HEX(00002ff0 00c0ffee 0000000000011010 0000c000 00c0ffee 0000000000028000
	      00000008 00c0ffee 0000000000040010) },
	{ "a gap behind scattered pages", { { 0x11010, 0xff0 }, { 0x33000, 0x1000 },
	    { 0x34000, 0x1000 }, { 0x50000, 0x1000 }, { 0x70001, 8 }, { 0x70009, 7 } }, 6, 6,
	  GAPS, 0, 0, 4, 0x3fff,
	  HEX(00000ff0 00c0ffee 0000000000011010 00002000 00c0ffee 0000000000033000
	      00001000 00c0ffee 0000000000050000 0000000f 00c0ffee 0000000000070001) },
	{ "behind a page that ends inside", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 },
	    { 0x50000, 0x10 }, { 0x70000, 0x1000 } }, 4, 4, GAPS, 0, 0, 4, 0x3010,
	  HEX(00001000 00c0ffee 0000000000011000 00001000 00c0ffee 0000000000033000
	      00000010 00c0ffee 0000000000050000 00001000 00c0ffee 0000000000070000) },
	{ "too many pages, few ranges: one run", { { 0x10000, 0x5000 } }, 1, 2, GAPS, 0, 0, 1,
	  0x5000, HEX(00005000 00c0ffee 0000000000010000) },
	{ "too many pages, few ranges: large pages", { { 0x10000, 0x8000 }, { 0x28000, 0x8000 } },
	  2, 2, GAPS, 0, 0, 2, 0x10000,
	  HEX(00008000 00c0ffee 0000000000010000 00008000 00c0ffee 0000000000028000) },
	{ "too many pages, few ranges: a split", { { 0x10000, 0x4000 }, { 0x28000, 0x4000 },
	    { 0x41000, 0x1000 } }, 3, 3, GAPS, 0, 0, 3, 0x9000,
	  HEX(00004000 00c0ffee 0000000000010000 00004000 00c0ffee 0000000000028000
	      00001000 00c0ffee 0000000000041000) },
	{ "too many pages, few ranges: small pages", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 },
	    { 0x34000, 0x1000 }, { 0x55000, 0x2000 } }, 4, 3, GAPS, 0, 0, 3, 0x5000,
	  HEX(00001000 00c0ffee 0000000000011000 00002000 00c0ffee 0000000000033000
	      00002000 00c0ffee 0000000000055000) },
	{ "too many pages, first of them", { { 0x11000, 0x3000 }, { 0x33000, 0x1000 } }, 2, 2,
	  GAPS, 0, 0, 2, 0x4000,
	  HEX(00003000 00c0ffee 0000000000011000 00001000 00c0ffee 0000000000033000) },
	{ "too many ranges", { { 0x10010, 8 }, { 0x30010, 8 }, { 0x50010, 8 } }, 3, 2, GAPS,
	  -ENOSPC },
	{ "too many ranges, a run among them", { { 0x10000, 0x2000 }, { 0x30010, 8 } }, 2,
	  1, GAPS, -ENOSPC },
	{ "too many of both", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 }, { 0x55000, 0x1000 } },
	  3, 2, GAPS, -ENOSPC },
};

KUNIT_ARRAY_PARAM_DESC(list, list_cases, name);

struct list {
	u8 desc[(MAX_DESC + 8) * 16];
	struct ibx_list l;
	struct scatterlist sgl[MAX_SG];
};

static struct list *new_list(struct kunit *test, u32 max, bool gaps)
{
	struct list *li = kunit_kzalloc(test, sizeof(*li), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, li);
	memset(li->desc, POISON, sizeof(li->desc));
	li->l.mtt.mtt = (__be64 *)li->desc;
	li->l.mtt.max = max;
	li->l.mtt.max_shift = IBX_MAX_PAGE_SHIFT;
	li->l.mtt.min_shift = 12;
	li->l.klm.klm = (struct mlx5_klm *)li->desc;
	li->l.klm.max = max;
	li->l.klm.lkey = LKEY;
	li->l.gaps = gaps;
	return li;
}

/* compares entries with the row; zeroes up to a multiple of 64 bytes follow */
static void check_row(struct kunit *test, const struct list_case *c, const struct list *li)
{
	const struct ibx_list *l = &li->l;
	size_t used, i;

	KUNIT_EXPECT_EQ(test, l->ranges, !c->shift);
	if (c->shift) {
		KUNIT_EXPECT_EQ(test, l->mtt.page_shift, c->shift);
		KUNIT_EXPECT_EQ(test, l->mtt.n, c->n);
		KUNIT_EXPECT_EQ(test, l->mtt.iova, c->sg[0].addr);
		KUNIT_EXPECT_EQ(test, l->mtt.length, c->length);
	} else {
		KUNIT_EXPECT_EQ(test, l->klm.n, c->n);
		KUNIT_EXPECT_EQ(test, l->klm.iova, c->sg[0].addr);
		KUNIT_EXPECT_EQ(test, l->klm.length, c->length);
	}
	kt_expect_bytes(test, c->name, li->desc, c->hex);
	used = c->n * (c->shift ? 8 : 16);
	for (i = used; i < ALIGN(used, 64); i++)
		KUNIT_EXPECT_EQ(test, li->desc[i], 0);
}

static void list_complete(struct kunit *test)
{
	const struct list_case *c = test->param_value;
	struct list *li = new_list(test, c->max, c->gaps);
	int ret;

	if (c->min_shift)
		li->l.mtt.min_shift = c->min_shift;
	kt_fill_sg(li->sgl, c->sg, c->nents);
	ret = ibx_list_from_sg(&li->l, li->sgl, c->nents);
	KUNIT_EXPECT_EQ(test, ret, c->ret);
	if (!c->ret && !ret)
		check_row(test, c, li);
}

/* two chained tables, for a run, for scattered pages, and for ranges */
static void list_chained(struct kunit *test)
{
	static const struct kt_sg pieces[][4] = {
		{ { 0x10000, 4096 }, { 0x11000, 4096 }, { 0x12000, 4096 }, { 0x13000, 4096 } },
		{ { 0x11000, 4096 }, { 0x22000, 4096 }, { 0x33000, 4096 }, { 0x44000, 4096 } },
		{ { 0x11001, 1 }, { 0x22001, 1 }, { 0x33001, 1 }, { 0x44001, 1 } },
	};
	static const char *const hex[] = {
		HEX(0000000000010003),
		HEX(0000000000011003 0000000000022003 0000000000033003 0000000000044003),
		HEX(00000001 00c0ffee 0000000000011001 00000001 00c0ffee 0000000000022001
		    00000001 00c0ffee 0000000000033001 00000001 00c0ffee 0000000000044001),
	};
	struct scatterlist a[3], b[2], *sg;
	int i, row;

	sg_init_table(a, 3);
	sg_init_table(b, 2);
	sg_chain(a, 3, b);
	for (row = 0; row < ARRAY_SIZE(pieces); row++) {
		struct list *li = new_list(test, 8, GAPS);

		for_each_sg(a, sg, 4, i) {
			sg_dma_address(sg) = pieces[row][i].addr;
			sg_dma_len(sg) = pieces[row][i].len;
		}
		KUNIT_EXPECT_EQ(test, ibx_list_from_sg(&li->l, a, 4), 0);
		kt_expect_bytes(test, "chained", li->desc, hex[row]);
	}
}

/* a device whose largest page is 2 MiB */
static void list_of_smaller_pages(struct kunit *test)
{
	static const struct kt_sg run = { 0x40000000, 0x700000 };
	static const struct kt_sg two[] = {
		{ 0x40000000, 0x400000 }, { 0x80000000, 0x200001 },
	};
	struct list *li = new_list(test, 0x1000, !GAPS);

	li->l.mtt.max_shift = 21;
	kt_fill_sg(li->sgl, &run, 1);
	KUNIT_EXPECT_EQ(test, ibx_list_from_sg(&li->l, li->sgl, 1), 0);
	KUNIT_EXPECT_EQ(test, li->l.mtt.page_shift, 21);
	KUNIT_EXPECT_EQ(test, li->l.mtt.n, 4);
	kt_expect_bytes(test, "one run", li->desc,
			HEX(0000000040000003 0000000040200003 0000000040400003
			    0000000040600003));

	kt_fill_sg(li->sgl, two, 2);
	KUNIT_EXPECT_EQ(test, ibx_list_from_sg(&li->l, li->sgl, 2), 0);
	KUNIT_EXPECT_EQ(test, li->l.mtt.page_shift, 21);
	KUNIT_EXPECT_EQ(test, li->l.mtt.n, 4);
	kt_expect_bytes(test, "two runs", li->desc,
			HEX(0000000040000003 0000000040200003 0000000080000003
			    0000000080200003));
}

/* ---- random lists ---- */

/* bus address of byte @at, according to the list */
static u64 find_byte(const struct ibx_list *l, u64 at)
{
	const struct ibx_mtt_list *m = &l->mtt;
	u32 i;

	if (!l->ranges) {
		at += m->iova & ((1ULL << m->page_shift) - 1);
		i = at >> m->page_shift;
		if (i >= m->n)
			return ~0ULL;
		return (be64_to_cpu(m->mtt[i]) ^ IBX_MTT_PRESENT) +
		       (at & ((1ULL << m->page_shift) - 1));
	}
	for (i = 0; i < l->klm.n; i++) {
		if (at < be32_to_cpu(l->klm.klm[i].bcount))
			return be64_to_cpu(l->klm.klm[i].va) + at;
		at -= be32_to_cpu(l->klm.klm[i].bcount);
	}
	return ~0ULL;
}

/* checks the first and the last byte of each element, and some in between */
static void check_bytes(struct kunit *test, const struct ibx_list *l, const struct kt_sg *p, int n)
{
	u64 at = 0;
	u32 off;
	int i;

	for (i = 0; i < n; i++) {
		for (off = 0; off < p[i].len; off += 0x7ff)
			KUNIT_ASSERT_EQ(test, find_byte(l, at + off), p[i].addr + off);
		at += p[i].len;
		KUNIT_ASSERT_EQ(test, find_byte(l, at - 1), p[i].addr + p[i].len - 1);
	}
	KUNIT_ASSERT_EQ(test, l->ranges ? l->klm.length : l->mtt.length, at);
}

/*
 * Runs of pages of 2^@shift bytes. The first element may begin inside a page,
 * and the last element may end inside a page. If @holes is not 0, about one
 * element in @holes may end inside a page, too.
 */
static int make_random_list(struct rnd_state *rnd, struct kt_sg *p, u8 shift, u32 holes)
{
	int n = 1 + prandom_u32_state(rnd) % MAX_SG, i;
	u64 end = 0;

	for (i = 0; i < n; i++) {
		p[i].addr = (u64)(0x100 + prandom_u32_state(rnd) % 0x1000) << shift;
		if (i && !(prandom_u32_state(rnd) % 3))
			p[i].addr = end;
		p[i].len = (1 + prandom_u32_state(rnd) % 4) << shift;
		if (!i && prandom_u32_state(rnd) % 2) {
			p[i].addr += 0x234;
			p[i].len -= 0x234;
		}
		if ((holes && !(prandom_u32_state(rnd) % holes)) || i == n - 1)
			p[i].len -= prandom_u32_state(rnd) % 0x100;
		end = p[i].addr + p[i].len;
	}
	return n;
}

static u32 count_pages(const struct kt_sg *p, int n)
{
	u64 length = 0;
	int i;

	for (i = 0; i < n; i++)
		length += p[i].len;
	return (offset_in_page(p[0].addr) + length + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

static bool has_holes(const struct kt_sg *p, int n)
{
	int i;

	for (i = 1; i < n; i++) {
		u64 end = p[i - 1].addr + p[i - 1].len;

		if (p[i].addr != end && (p[i].addr | end) & ~PAGE_MASK)
			return true;
	}
	return false;
}

#define BIG	2048

static void list_random(struct kunit *test)
{
	__be64 *desc = kunit_kzalloc(test, 2 * BIG * sizeof(*desc), GFP_KERNEL);
	struct list *li = new_list(test, BIG, false);
	struct kt_sg p[MAX_SG];
	struct rnd_state rnd;
	int round, n, ret;
	u32 pages;

	KUNIT_ASSERT_NOT_NULL(test, desc);
	prandom_seed_state(&rnd, 20151);
	li->l.mtt.mtt = desc;
	li->l.klm.klm = (struct mlx5_klm *)desc;
	for (round = 0; round < 4000; round++) {
		n = make_random_list(&rnd, p, PAGE_SHIFT + prandom_u32_state(&rnd) % 4,
				     prandom_u32_state(&rnd) % 4);
		pages = count_pages(p, n);
		li->l.gaps = prandom_u32_state(&rnd) % 2;
		li->l.mtt.max = prandom_u32_state(&rnd) % 8 ? BIG : pages;
		li->l.klm.max = li->l.mtt.max;
		kt_fill_sg(li->sgl, p, n);
		ret = ibx_list_from_sg(&li->l, li->sgl, n);
		if (!li->l.gaps && has_holes(p, n)) {
			KUNIT_ASSERT_EQ(test, ret, -EINVAL);
			continue;
		}
		KUNIT_ASSERT_EQ(test, ret, 0);
		KUNIT_ASSERT_EQ(test, li->l.ranges, has_holes(p, n));
		check_bytes(test, &li->l, p, n);
		if (li->l.ranges)
			continue;
		/* a list that is split maps the same bytes, and fits */
		li->l.mtt.max = pages;
		while (li->l.mtt.page_shift > PAGE_SHIFT) {
			u8 down = 1 + prandom_u32_state(&rnd) % (li->l.mtt.page_shift - PAGE_SHIFT);

			KUNIT_ASSERT_TRUE(test, ibx_mtt_split(&li->l.mtt,
							      li->l.mtt.page_shift - down));
			check_bytes(test, &li->l, p, n);
		}
		KUNIT_ASSERT_EQ(test, li->l.mtt.n, pages);
		/* the list does not fit if max is one page less */
		li->l.mtt.max = pages - 1;
		KUNIT_ASSERT_EQ(test, ibx_list_from_sg(&li->l, li->sgl, n) == -ENOSPC, !li->l.gaps);
	}
}

/* a partial list with gaps maps as many elements as a partial list of ranges */
static void partial_random(struct kunit *test)
{
	struct list *li = new_list(test, MAX_DESC, GAPS);
	struct mlx5_klm klm[MAX_DESC + 4];
	struct ibx_klm_list alone = { .klm = klm, .lkey = LKEY };
	struct kt_sg p[MAX_SG];
	struct rnd_state rnd;
	int round, n, mapped, i;
	unsigned int offset, alone_offset;

	prandom_seed_state(&rnd, 20151);
	for (round = 0; round < 4000; round++) {
		n = make_random_list(&rnd, p, PAGE_SHIFT, 1 + prandom_u32_state(&rnd) % 4);
		li->l.mtt.max = 1 + prandom_u32_state(&rnd) % MAX_DESC;
		li->l.klm.max = li->l.mtt.max;
		li->l.mtt.page_shift = PAGE_SHIFT;
		alone.max = li->l.mtt.max;
		kt_fill_sg(li->sgl, p, n);
		offset = prandom_u32_state(&rnd) % 2 ? 0 : prandom_u32_state(&rnd) % (p[0].len + 1);
		alone_offset = offset;
		p[0].addr += offset;
		p[0].len -= offset;
		mapped = ibx_list_from_sg_partial(&li->l, li->sgl, n, &offset);
		KUNIT_ASSERT_GT(test, mapped, 0);
		KUNIT_ASSERT_EQ(test, offset, 0);
		KUNIT_ASSERT_EQ(test, mapped,
				ibx_klm_from_sg_partial(&alone, li->sgl, n, &alone_offset));
		i = !p[0].len;
		check_bytes(test, &li->l, p + i, mapped - i);
		if (!li->l.ranges)
			continue;
		KUNIT_ASSERT_EQ(test, li->l.klm.n, alone.n);
		KUNIT_ASSERT_EQ(test, li->l.klm.iova, alone.iova);
		KUNIT_ASSERT_MEMEQ(test, li->l.klm.klm, klm, alone.n * sizeof(*klm));
	}
}

static struct kunit_case list_tests[] = {
	KUNIT_CASE_PARAM(list_complete, list_gen_params),
	KUNIT_CASE(list_chained),
	KUNIT_CASE(list_of_smaller_pages),
	KUNIT_CASE(list_random),
	KUNIT_CASE(partial_random),
	{}
};

static struct kunit_suite list_suite = {
	.name = "mlx5_ibx_sg_list",
	.test_cases = list_tests,
};

kunit_test_suite(list_suite);
