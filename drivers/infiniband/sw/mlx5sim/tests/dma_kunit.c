// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pure parts of the DMA layer: bus addresses, ranges in a mapping, lines per
 * transaction, and positions in a queue buffer. Expected values follow from the
 * rules in host/dma.h.
 */
#include <kunit/test.h>

#include "core/core.h"
#include "host/host.h"

/* ---- bus addresses ---- */

struct bus_case {
	const char *name;
	u32 id;
	u64 phys;
	u64 bus;
};

static const struct bus_case bus_cases[] = {
	{ "lowest id", SIM_DMA_ID_MIN, 0x1000, 0x10000001000ULL },
	{ "page offset kept", 0x101, 0x12345678, 0x10112345678ULL },
	{ "30 bits kept, more dropped", 0x101, 0x1ffffffffULL, 0x1013fffffffULL },
	{ "highest id stays positive", SIM_DMA_ID_MAX, 0, 0x7fffffff00000000ULL },
};

KUNIT_ARRAY_PARAM_DESC(bus, bus_cases, name);

static void bus_address(struct kunit *test)
{
	const struct bus_case *c = test->param_value;
	u64 bus = sim_dma_bus(c->id, c->phys);

	KUNIT_EXPECT_EQ(test, bus, c->bus);
	KUNIT_EXPECT_EQ(test, sim_dma_id(bus), c->id);
}

/* The longest mapping at the largest offset must not reach the next window. */
static void window_holds_longest_mapping(struct kunit *test)
{
	u64 last = sim_dma_bus(0x200, GENMASK_ULL(29, 0)) + SIM_DMA_MAX_LEN - 1;

	KUNIT_EXPECT_EQ(test, sim_dma_id(last), 0x200);
}

/* ---- ranges in a mapping ---- */

struct clip_case {
	const char *name;
	u64 addr;
	u64 len;
	u64 clip;
};

#define MAP_BUS	0x10000001800ULL
#define MAP_LEN	0x1000

static const struct clip_case clip_cases[] = {
	{ "whole", MAP_BUS, MAP_LEN, MAP_LEN },
	{ "first byte", MAP_BUS, 1, 1 },
	{ "last byte", MAP_BUS + MAP_LEN - 1, 1, 1 },
	{ "one before", MAP_BUS - 1, 1, 0 },
	{ "begins one before", MAP_BUS - 1, MAP_LEN, 0 },
	{ "one after", MAP_BUS + MAP_LEN, 1, 0 },
	{ "runs off the end", MAP_BUS + MAP_LEN - 8, 64, 8 },
	{ "all ones", U64_MAX, 1, 0 },
	{ "zero", 0, 1, 0 },
	{ "longest length", MAP_BUS + 1, U64_MAX, MAP_LEN - 1 },
};

KUNIT_ARRAY_PARAM_DESC(clip, clip_cases, name);

static void clip_range(struct kunit *test)
{
	const struct sim_map map = { .bus = MAP_BUS, .len = MAP_LEN };
	const struct clip_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, sim_map_clip(&map, c->addr, c->len), c->clip);
}

/* ---- lines ---- */

struct lines_case {
	const char *name;
	u64 addr;
	u32 len;
	u64 lines;
};

static const struct lines_case lines_cases[] = {
	{ "nothing", 0x40, 0, 0 },
	{ "one byte", 0x7f, 1, 1 },
	{ "one line", 0x40, 64, 1 },
	{ "two bytes in two lines", 0x7f, 2, 2 },
	{ "64 bytes unaligned", 0x41, 64, 2 },
	{ "page", 0x1000, 0x1000, 64 },
	{ "page unaligned", 0x1001, 0x1000, 65 },
};

KUNIT_ARRAY_PARAM_DESC(lines, lines_cases, name);

static void count_lines(struct kunit *test)
{
	const struct lines_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, sim_dma_lines(c->addr, c->len), c->lines);
}

/* ---- buffers ---- */

struct buf_case {
	const char *name;
	u8 page_shift;
	u32 offset;
	u64 off;
	u32 len;
	u64 addr;
	u32 n;
};

/* Two pages, deliberately not in order */
static u64 buf_pas[] = { 0x10500000000ULL, 0x10400000000ULL };

static const struct buf_case buf_cases[] = {
	{ "first byte", 12, 0, 0, 64, 0x10500000000ULL, 64 },
	{ "up to the end of a page", 12, 0, 0xfc0, 64, 0x10500000fc0ULL, 64 },
	{ "across pages", 12, 0, 0xff0, 64, 0x10500000ff0ULL, 16 },
	{ "second page", 12, 0, 0x1000, 64, 0x10400000000ULL, 64 },
	{ "last byte", 12, 0, 0x1fff, 64, 0x10400000fffULL, 1 },
	{ "beyond", 12, 0, 0x2000, 64, 0, 0 },
	{ "offset moves everything", 12, 0x40, 0xfc0, 64, 0x10400000000ULL, 64 },
	{ "offset shortens the buffer", 12, 0x40, 0x1fc0, 64, 0, 0 },
	{ "offset wraps", 12, 0x40, U64_MAX, 64, 0, 0 },
	{ "large page", 16, 0, 0xfff0, 64, 0x1050000fff0ULL, 16 },
	{ "large page, second", 16, 0, 0x10010, 64, 0x10400000010ULL, 64 },
};

KUNIT_ARRAY_PARAM_DESC(buf, buf_cases, name);

static void locate_in_buffer(struct kunit *test)
{
	const struct buf_case *c = test->param_value;
	const struct sim_buf buf = {
		.pas = buf_pas,
		.npages = ARRAY_SIZE(buf_pas),
		.page_shift = c->page_shift,
		.offset = c->offset,
	};
	u64 addr = 0;

	KUNIT_EXPECT_EQ(test, sim_buf_locate(&buf, c->off, c->len, &addr), c->n);
	KUNIT_EXPECT_EQ(test, addr, c->addr);
}

static struct kunit_case sim_dma_cases[] = {
	KUNIT_CASE_PARAM(bus_address, bus_gen_params),
	KUNIT_CASE(window_holds_longest_mapping),
	KUNIT_CASE_PARAM(clip_range, clip_gen_params),
	KUNIT_CASE_PARAM(count_lines, lines_gen_params),
	KUNIT_CASE_PARAM(locate_in_buffer, buf_gen_params),
	{}
};

static struct kunit_suite sim_dma_suite = {
	.name = "mlx5sim_dma",
	.test_cases = sim_dma_cases,
};

kunit_test_suite(sim_dma_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's DMA layer");
MODULE_LICENSE("Dual BSD/GPL");
