// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The page pool: the commands that need pages, the pages that the host may give
 * and reclaim, and the times of requests. Expected values follow from the rules
 * at the top of obj/pool.c; a page has space for 8 QPs or DCTs, 16 SRQs, 32 CQs
 * or mkeys, or one EQ.
 */
#include <kunit/test.h>
#include <linux/mlx5/device.h>

#include "obj/pool.h"

#define BOOT	3
#define INIT	5
#define SPARE	2
#define START	(BOOT + INIT)
#define FW	(START - SPARE)		/* pages that the firmware uses */
#define BUS(n)	(0x8000000000ULL + (n) * 0x1000ULL)
#define PAGE(n)	cpu_to_be64(BUS(n))

static struct sim_pool *pool_new(struct kunit *test)
{
	struct sim_pool *pool = kunit_kzalloc(test, sizeof(*pool), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pool);
	sim_pool_init(pool, BOOT, INIT, SPARE);
	sim_pool_open(pool);
	return pool;
}

/* Gives @n pages from page @first on. */
static int pool_give(struct sim_pool *pool, u32 first, u32 n)
{
	__be64 pas[64];
	u32 i, bad;

	for (i = 0; i < n; i++)
		pas[i] = PAGE(first + i);
	return sim_pool_give(pool, pas, n, &bad);
}

static struct sim_pool *pool_started(struct kunit *test)
{
	struct sim_pool *pool = pool_new(test);

	KUNIT_ASSERT_EQ(test, pool_give(pool, 0, START), 0);
	return pool;
}

/* ---- charges ---- */

struct charge_case {
	const char *name;
	u16 opcode;
	enum sim_obj_type type;
	u32 count;
	u32 pages;
};

static const struct charge_case charge_cases[] = {
	{ "CREATE_EQ", 0x301, SIM_OBJ_EQ, 3, 3 },
	{ "CREATE_CQ", 0x400, SIM_OBJ_CQ, 32, 1 },
	{ "CREATE_CQ, one more", 0x400, SIM_OBJ_CQ, 33, 2 },
	{ "CREATE_MKEY", 0x200, SIM_OBJ_MKEY, 64, 2 },
	{ "CREATE_QP", 0x500, SIM_OBJ_QP, 1, 1 },
	{ "CREATE_QP, full page", 0x500, SIM_OBJ_QP, 8, 1 },
	{ "CREATE_QP, second page", 0x500, SIM_OBJ_QP, 9, 2 },
	{ "CREATE_DCT", 0x710, SIM_OBJ_DCT, 9, 2 },
	{ "CREATE_SRQ", 0x700, SIM_OBJ_SRQ, 17, 2 },
	{ "CREATE_XRC_SRQ", 0x705, SIM_OBJ_SRQ, 16, 1 },
	{ "CREATE_RMP", 0x90c, SIM_OBJ_SRQ, 1, 1 },
	{ "ALLOC_PD", 0x800, SIM_OBJ_MAX, 0, 0 },
	{ "DESTROY_QP", 0x501, SIM_OBJ_MAX, 0, 0 },
	{ "MANAGE_PAGES", 0x108, SIM_OBJ_MAX, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(charge, charge_cases, name);

static void charge_of_command(struct kunit *test)
{
	const struct charge_case *c = test->param_value;
	struct sim_pool *pool = pool_new(test);
	u32 count[SIM_OBJ_MAX] = {};

	KUNIT_EXPECT_EQ(test, sim_pool_creates(c->opcode), c->type);
	if (c->type < SIM_OBJ_MAX)
		count[c->type] = c->count;
	KUNIT_EXPECT_EQ(test, sim_pool_used(pool, count), FW + c->pages);
}

/* Types do not share pages. UARs, PDs and other small objects need no page. */
static void charges_add_up(struct kunit *test)
{
	struct sim_pool *pool = pool_new(test);
	u32 count[SIM_OBJ_MAX] = {
		[SIM_OBJ_UAR] = 100, [SIM_OBJ_PD] = 100, [SIM_OBJ_TD] = 100,
		[SIM_OBJ_EQ] = 4, [SIM_OBJ_CQ] = 1, [SIM_OBJ_MKEY] = 33, [SIM_OBJ_QP] = 8,
	};

	KUNIT_EXPECT_EQ(test, sim_pool_used(pool, count), FW + 4 + 1 + 2 + 1);
}

/* ---- give ---- */

static void expect_want(struct kunit *test, struct sim_pool *pool, s32 boot, s32 init, s32 regular)
{
	s32 n;

	KUNIT_EXPECT_TRUE(test, sim_pool_want(pool, 1, &n));
	KUNIT_EXPECT_EQ(test, n, boot);
	KUNIT_EXPECT_TRUE(test, sim_pool_want(pool, 2, &n));
	KUNIT_EXPECT_EQ(test, n, init);
	KUNIT_EXPECT_TRUE(test, sim_pool_want(pool, 3, &n));
	KUNIT_EXPECT_EQ(test, n, regular);
	KUNIT_EXPECT_FALSE(test, sim_pool_want(pool, 0, &n));
	KUNIT_EXPECT_FALSE(test, sim_pool_want(pool, 4, &n));
}

static void startup(struct kunit *test)
{
	struct sim_pool *pool = pool_new(test);

	expect_want(test, pool, BOOT, START, 0);
	KUNIT_EXPECT_EQ(test, pool_give(pool, 0, BOOT), 0);
	expect_want(test, pool, 0, INIT, 0);
	KUNIT_EXPECT_EQ(test, pool_give(pool, BOOT, INIT), 0);
	expect_want(test, pool, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, pool_give(pool, START, 1), -ENOSPC);
	sim_pool_clear(pool);
	KUNIT_EXPECT_EQ(test, pool->n, 0);
	KUNIT_EXPECT_EQ(test, pool_give(pool, 0, 1), -ENOSPC);
}

/*
 * A list with a bad page is refused completely. The good pages of the list can
 * be given later.
 */
static void bad_lists(struct kunit *test)
{
	static const struct {
		__be64 pas[3];
		int err;
		u32 bad;
	} lists[] = {
		{ { PAGE(1), PAGE(2), PAGE(1) }, -EEXIST, 2 },
		{ { PAGE(1), PAGE(0), PAGE(2) }, -EEXIST, 1 },
		{ { PAGE(1), 0, PAGE(2) }, -EINVAL, 1 },
		{ { cpu_to_be64(0x8000001800ULL), PAGE(2), PAGE(3) }, -EINVAL, 0 },
		{ { PAGE(1), PAGE(2), cpu_to_be64(0x8000003001ULL) }, -EINVAL, 2 },
	};
	struct sim_pool *pool = pool_new(test);
	u32 i, bad;

	KUNIT_ASSERT_EQ(test, pool_give(pool, 0, 1), 0);
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		KUNIT_EXPECT_EQ(test, sim_pool_give(pool, lists[i].pas, 3, &bad), lists[i].err);
		KUNIT_EXPECT_EQ(test, bad, lists[i].bad);
		KUNIT_EXPECT_EQ(test, pool->n, 1);
	}
	KUNIT_EXPECT_EQ(test, pool_give(pool, 1, START), -ENOSPC);
	KUNIT_EXPECT_EQ(test, pool_give(pool, 1, START - 1), 0);
	sim_pool_clear(pool);
}

/* ---- take ---- */

static u64 bus_at(const __be64 *pas, u32 i)
{
	return be64_to_cpu(pas[i]);
}

static void take_unused_only(struct kunit *test)
{
	struct sim_pool *pool = pool_started(test);
	__be64 pas[16];
	u32 i;

	KUNIT_EXPECT_EQ(test, sim_pool_take(pool, START, pas, 16), 0);
	KUNIT_EXPECT_EQ(test, sim_pool_take(pool, START + 1, pas, 16), 0);
	KUNIT_EXPECT_EQ(test, sim_pool_take(pool, START - 1, pas, 16), 1);
	KUNIT_EXPECT_EQ(test, bus_at(pas, 0), BUS(START - 1));
	/* the host may give pages again that it reclaimed without a request */
	KUNIT_EXPECT_EQ(test, pool_give(pool, START - 1, 2), -ENOSPC);
	KUNIT_EXPECT_EQ(test, pool_give(pool, START - 1, 1), 0);

	/* after TEARDOWN_HCA no page is in use */
	KUNIT_EXPECT_EQ(test, sim_pool_take(pool, 0, pas, 5), 5);
	KUNIT_EXPECT_EQ(test, sim_pool_take(pool, 0, pas + 5, 16 - 5), START - 5);
	for (i = 0; i < START; i++)
		KUNIT_EXPECT_EQ(test, bus_at(pas, i), BUS(START - 1 - i));
	KUNIT_EXPECT_EQ(test, sim_pool_take(pool, 0, pas, 16), 0);
	expect_want(test, pool, BOOT, START, 0);
	sim_pool_clear(pool);
}

/* ---- requests ---- */

static void growth(struct kunit *test)
{
	struct sim_pool *pool = pool_started(test);

	KUNIT_EXPECT_EQ(test, sim_pool_request(pool, START), 0);
	KUNIT_EXPECT_EQ(test, sim_pool_request(pool, START + 1), 8);
	expect_want(test, pool, 0, 0, 8);
	KUNIT_EXPECT_EQ(test, pool_give(pool, START, 9), -ENOSPC);
	KUNIT_EXPECT_EQ(test, pool_give(pool, START, 3), 0);
	expect_want(test, pool, 0, 0, 5);
	KUNIT_EXPECT_EQ(test, pool_give(pool, START + 3, 5), 0);
	expect_want(test, pool, 0, 0, 0);
	KUNIT_EXPECT_FALSE(test, pool->refused);
	KUNIT_EXPECT_EQ(test, sim_pool_request(pool, START + 8 + 20), 20);
	sim_pool_clear(pool);
}

static void growth_refused(struct kunit *test)
{
	struct sim_pool *pool = pool_started(test);

	KUNIT_EXPECT_EQ(test, sim_pool_request(pool, START + 1), 8);
	sim_pool_refuse(pool);
	KUNIT_EXPECT_TRUE(test, pool->refused);
	expect_want(test, pool, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, pool_give(pool, START, 1), -ENOSPC);

	/* a refusal without a request does not end the next request */
	pool->refused = false;
	sim_pool_refuse(pool);
	KUNIT_EXPECT_FALSE(test, pool->refused);
	sim_pool_clear(pool);
}

static void surplus(struct kunit *test)
{
	struct sim_pool *pool = pool_started(test);
	__be64 pas[32];

	KUNIT_ASSERT_EQ(test, sim_pool_request(pool, START + 30), 30);
	KUNIT_ASSERT_EQ(test, pool_give(pool, START, 30), 0);
	KUNIT_EXPECT_EQ(test, sim_pool_surplus(pool, START + 6), 0);
	KUNIT_EXPECT_EQ(test, sim_pool_surplus(pool, START + 5), 17);
	expect_want(test, pool, 0, 0, -17);
	/* one request at a time */
	KUNIT_EXPECT_EQ(test, sim_pool_surplus(pool, START), 0);
	KUNIT_EXPECT_EQ(test, sim_pool_take(pool, START + 5, pas, 16), 16);
	KUNIT_EXPECT_EQ(test, sim_pool_take(pool, START + 5, pas, 1), 1);
	expect_want(test, pool, 0, 0, 0);
	/*
	 * the host must not give pages again that it reclaimed on request, but
	 * may give a page again that it reclaimed without a request
	 */
	KUNIT_EXPECT_EQ(test, pool_give(pool, START + 13, 1), -ENOSPC);
	KUNIT_EXPECT_EQ(test, sim_pool_take(pool, START + 5, pas, 1), 1);
	KUNIT_EXPECT_EQ(test, pool_give(pool, START + 12, 1), 0);
	sim_pool_clear(pool);
}

static struct kunit_case pool_cases[] = {
	KUNIT_CASE_PARAM(charge_of_command, charge_gen_params),
	KUNIT_CASE(charges_add_up),
	KUNIT_CASE(startup),
	KUNIT_CASE(bad_lists),
	KUNIT_CASE(take_unused_only),
	KUNIT_CASE(growth),
	KUNIT_CASE(growth_refused),
	KUNIT_CASE(surplus),
	{}
};

static struct kunit_suite pool_suite = {
	.name = "mlx5sim_pool",
	.test_cases = pool_cases,
};

kunit_test_suite(pool_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's page pool");
MODULE_LICENSE("Dual BSD/GPL");
