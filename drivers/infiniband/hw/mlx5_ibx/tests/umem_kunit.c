// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of the pages of UMEMs.
 *
 * A row has a scatterlist, and the list of pages for the device: the address of
 * a page, with the permissions in its low bits. Rows with pages larger than
 * PAGE_SIZE assume a PAGE_SIZE of 4 KiB.
 *
 * Further cases use random scatterlists: each byte must have the same address
 * according to the list of pages and according to the scatterlist.
 */
#include <linux/prandom.h>
#include <linux/sizes.h>

#include "devx/pages.h"
#include "kunit.h"

#define MAX_SG		6
#define MAX_PAGES	64
#define ANY		U64_MAX
#define RUNS		300

struct umem_case {
	const char *name;
	struct kt_sg sg[MAX_SG];
	u32 nents;
	u32 skip;
	u64 length;
	u64 sizes;
	/* results */
	int ret;
	u8 shift;
	u32 offset;
	u64 n;
	const char *hex;
};

static const struct umem_case umem_cases[] = {
	{ "a page", { { 0x10000, 0x1000 } }, 1, 0, 0x1000, ANY, 0, 12, 0, 1,
	  HEX(0000000000010003) },
	{ "a byte", { { 0x10fff, 1 } }, 1, 0, 1, ANY, 0, 12, 0xfff, 1, HEX(0000000000010003) },
	{ "a byte of a list of pages", { { 0x10000, 0x1000 } }, 1, 0x80, 1, ANY, 0, 12, 0x80, 1,
	  HEX(0000000000010003) },
	{ "parts of two pages", { { 0x10ff0, 0x20 } }, 1, 0, 0x20, ANY, 0, 12, 0xff0, 2,
	  HEX(0000000000010003 0000000000011003) },
	{ "a large page", { { 0x200000, 0x200000 } }, 1, 0, 0x200000, ANY, 0, 21, 0, 1,
	  HEX(0000000000200003) },
	{ "two pages at the start of four", { { 0x10000, 0x2000 } }, 1, 0, 0x2000, ANY, 0, 13, 0, 1,
	  HEX(0000000000010003) },
	{ "three pages are no large page", { { 0x10000, 0x3000 } }, 1, 0, 0x3000, ANY, 0, 12, 0, 3,
	  HEX(0000000000010003 0000000000011003 0000000000012003) },
	{ "a large page that begins inside", { { 0x12000, 0x4000 } }, 1, 0, 0x4000, ANY, 0, 13, 0,
	  2, HEX(0000000000012003 0000000000014003) },
	{ "only small pages allowed", { { 0x10000, 0x2000 } }, 1, 0, 0x2000, SZ_4K, 0, 12, 0, 2,
	  HEX(0000000000010003 0000000000011003) },
	{ "a size that is not allowed is skipped", { { 0x10000, 0x4000 } }, 1, 0, 0x4000,
	  SZ_64K | SZ_8K, 0, 13, 0, 2, HEX(0000000000010003 0000000000012003) },
	{ "elements that continue one another", { { 0x10000, 0x1800 }, { 0x11800, 0x1800 } }, 2, 0,
	  0x3000, SZ_4K, 0, 12, 0, 3,
	  HEX(0000000000010003 0000000000011003 0000000000012003) },
	{ "memory behind the first page of the list", { { 0x10800, 0x1800 } }, 1, 0x900, 0x100, ANY,
	  0, 12, 0x100, 1, HEX(0000000000011003) },
	{ "the same page twice", { { 0x10000, 0x1000 }, { 0x10000, 0x1000 } }, 2, 0, 0x2000, ANY,
	  0, 12, 0, 2, HEX(0000000000010003 0000000000010003) },
	{ "runs apart, in pages of both", { { 0x20000, 0x4000 }, { 0x8000, 0x2000 } }, 2, 0, 0x6000,
	  ANY, 0, 13, 0, 3, HEX(0000000000020003 0000000000022003 0000000000008003) },
	{ "less than the list", { { 0x10000, 0x4000 } }, 1, 0, 0x1001, ANY, 0, 12, 0, 2,
	  HEX(0000000000010003 0000000000011003) },

	{ "a hole inside of a page", { { 0x10000, 0x800 }, { 0x20800, 0x800 } }, 2, 0, 0x1000, ANY,
	  -EINVAL },
	{ "no page size", { { 0x10000, 0x1000 } }, 1, 0, 0x1000, 0, -EINVAL },
	{ "pages of 2 KiB", { { 0x10000, 0x1000 } }, 1, 0, 0x1000, SZ_2K, -EINVAL },
	{ "pages larger than the memory", { { 0x200000, 0x1000 } }, 1, 0, 0x1000, SZ_2M, -EINVAL },
	{ "pages of 4 GiB", { { 0x100000000, 0x80000000 }, { 0x180000000, 0x80000000 } }, 2, 0,
	  0x100000000, SZ_4G, -EINVAL },
	{ "no bytes", { { 0x10000, 0x1000 } }, 1, 0, 0, ANY, -EINVAL },
	{ "behind the end of the list", { { 0x10000, 0x1000 } }, 1, 0x2000, 1, ANY, -EINVAL },
	{ "more than the list has", { { 0x10000, 0x1000 } }, 1, 1, 0x1000, ANY, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(umem_case, umem_cases, name);

static struct ibx_umem_mem mem_of(struct scatterlist *sgl, const struct umem_case *c)
{
	const struct ibx_umem_mem mem = {
		.sgl = sgl, .nents = c->nents, .skip = c->skip, .length = c->length,
		.sizes = c->sizes, .writable = true,
	};

	kt_fill_sg(sgl, c->sg, c->nents);
	return mem;
}

static void umem_pages(struct kunit *test)
{
	const struct umem_case *c = test->param_value;
	__be64 mtt[8];
	struct scatterlist sgl[MAX_SG];
	struct ibx_umem_mem mem = mem_of(sgl, c);
	struct ibx_umem_pages p;

	if (c->shift > PAGE_SHIFT && PAGE_SIZE != SZ_4K)
		kunit_skip(test, "pages of the CPU are larger");
	KUNIT_ASSERT_EQ(test, ibx_umem_choose_pages(&mem, &p), c->ret);
	if (c->ret)
		return;
	KUNIT_EXPECT_EQ(test, p.shift, c->shift);
	KUNIT_EXPECT_EQ(test, p.offset, c->offset);
	KUNIT_ASSERT_EQ(test, p.n, c->n);
	memset(mtt, POISON, sizeof(mtt));
	ibx_umem_list_pages(&mem, &p, mtt);
	kt_expect_bytes(test, c->name, mtt, c->hex);
	KUNIT_EXPECT_EQ(test, *(u8 *)&mtt[c->n], POISON);
}

static void umem_read_only(struct kunit *test)
{
	struct scatterlist sgl[MAX_SG];
	struct ibx_umem_mem mem = mem_of(sgl, &umem_cases[0]);
	struct ibx_umem_pages p;
	__be64 mtt;

	mem.writable = false;
	KUNIT_ASSERT_EQ(test, ibx_umem_choose_pages(&mem, &p), 0);
	ibx_umem_list_pages(&mem, &p, &mtt);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(mtt), 0x10001);
}

/* address of byte @at of the memory, according to the scatterlist */
static u64 addr_by_sg(const struct umem_case *c, u64 at)
{
	u32 i;

	at += c->skip;
	for (i = 0; at >= c->sg[i].len; i++)
		at -= c->sg[i].len;
	return c->sg[i].addr + at;
}

/*
 * pages of 4 KiB, some adjacent; the memory begins and ends anywhere in a page
 */
static void random_case(struct umem_case *c, struct rnd_state *rnd)
{
	u64 bytes = 0;
	u32 i;

	memset(c, 0, sizeof(*c));
	c->nents = 1 + prandom_u32_state(rnd) % MAX_SG;
	c->sizes = ANY;
	for (i = 0; i < c->nents; i++) {
		c->sg[i].len = (1 + prandom_u32_state(rnd) % 8) * SZ_4K;
		c->sg[i].addr = i && prandom_u32_state(rnd) % 2 ?
				c->sg[i - 1].addr + c->sg[i - 1].len :
				(1 + prandom_u32_state(rnd) % 1024) * SZ_4K;
		bytes += c->sg[i].len;
	}
	if (prandom_u32_state(rnd) % 2)
		c->skip = prandom_u32_state(rnd) % SZ_4K;
	c->length = bytes - c->skip;
	if (prandom_u32_state(rnd) % 2)
		c->length -= prandom_u32_state(rnd) % SZ_4K % c->length;
}

static void umem_random(struct kunit *test)
{
	struct umem_case *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	__be64 *mtt = kunit_kcalloc(test, MAX_PAGES, sizeof(*mtt), GFP_KERNEL);
	struct scatterlist sgl[MAX_SG];
	struct ibx_umem_pages p;
	struct ibx_umem_mem mem;
	struct rnd_state rnd;
	u64 at, in_page;
	u32 run;

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_ASSERT_NOT_NULL(test, mtt);
	prandom_seed_state(&rnd, 24);
	for (run = 0; run < RUNS; run++) {
		random_case(c, &rnd);
		mem = mem_of(sgl, c);
		KUNIT_ASSERT_EQ(test, ibx_umem_choose_pages(&mem, &p), 0);
		KUNIT_ASSERT_LE(test, p.n, MAX_PAGES);
		ibx_umem_list_pages(&mem, &p, mtt);
		for (at = 0; at < c->length; at += 64) {
			in_page = (p.offset + at) & (BIT_ULL(p.shift) - 1);
			KUNIT_ASSERT_EQ(test, addr_by_sg(c, at),
					(be64_to_cpu(mtt[(p.offset + at) >> p.shift]) & ~3ull) +
					in_page);
		}
	}
}

static struct kunit_case umem_kunit_cases[] = {
	KUNIT_CASE_PARAM(umem_pages, umem_case_gen_params),
	KUNIT_CASE(umem_read_only),
	KUNIT_CASE(umem_random),
	{}
};

static struct kunit_suite umem_suite = {
	.name = "mlx5_ibx_umem",
	.test_cases = umem_kunit_cases,
};

kunit_test_suite(umem_suite);
