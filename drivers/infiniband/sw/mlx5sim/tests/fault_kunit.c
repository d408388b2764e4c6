// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The lines that arm faults, and the conditions on which faults fire.
 *
 * Opcodes and statuses are MLX5_CMD_OP_* of <linux/mlx5/mlx5_ifc.h> and
 * MLX5_CMD_STAT_* of <linux/mlx5/device.h>.
 */
#include <kunit/test.h>

#include "core/core.h"
#include "fs/fs.h"

struct line_case {
	const char *line;
	const char *listed;	/* NULL: refused */
	enum sim_fault_kind kind;
	u32 op;
	u32 nth;
	u32 arg;
};

static const struct line_case lines[] = {
	{ "fail any 3 INT_ERR", "fail any 3 INT_ERR fired 0 -",
	  SIM_FAULT_FAIL, SIM_FAULT_ANY, 3, 0x1 },
	{ "  fail\tCREATE_MKEY 1   BAD_RES_STATE ", "fail CREATE_MKEY 1 BAD_RES_STATE fired 0 -",
	  SIM_FAULT_FAIL, 0x200, 1, 0x9 },
	{ "fail 2RST_QP 1 BAD_RES", "fail 2RST_QP 1 BAD_RES fired 0 -",
	  SIM_FAULT_FAIL, 0x50a, 1, 0x5 },
	{ "fail 0x200 0x10 BAD_INP_LEN_ERR", "fail CREATE_MKEY 16 BAD_INP_LEN fired 0 -",
	  SIM_FAULT_FAIL, 0x200, 16, 0x50 },
	{ "fail 8ff 1 0x51", "fail 0x8ff 1 BAD_OUTP_LEN fired 0 -",
	  SIM_FAULT_FAIL, 0x8ff, 1, 0x51 },
	{ "fail any 1 16", "fail any 1 BAD_QP_STATE fired 0 -",
	  SIM_FAULT_FAIL, SIM_FAULT_ANY, 1, 0x10 },
	{ "fail any 1 0xee", "fail any 1 0xee fired 0 -",
	  SIM_FAULT_FAIL, SIM_FAULT_ANY, 1, 0xee },
	{ "fail any 1 NO_RES_ERR", "fail any 1 NO_RES_ERR fired 0 -",
	  SIM_FAULT_FAIL, SIM_FAULT_ANY, 1, 0xf },
	{ "fail any 1 RES_BUSY", "fail any 1 RES_BUSY fired 0 -",
	  SIM_FAULT_FAIL, SIM_FAULT_ANY, 1, 0x6 },
	{ "delay CREATE_MKEY 2 1500", "delay CREATE_MKEY 2 1500 fired 0 -",
	  SIM_FAULT_DELAY, 0x200, 2, 1500 },
	{ "lie 2RST_QP 3 INT_ERR", "lie 2RST_QP 3 INT_ERR fired 0 -",
	  SIM_FAULT_LIE, 0x50a, 3, 0x1 },
	{ "hang any 1", "hang any 1 fired 0 -", SIM_FAULT_HANG, SIM_FAULT_ANY, 1, 0 },
	{ "" },
	{ "fail" },
	{ "fail any" },
	{ "fail any 1" },
	{ "fail any 0 INT_ERR" },
	{ "fail any -1 INT_ERR" },
	{ "fail any 1 OK" },
	{ "fail any 1 0" },
	{ "fail any 1 256" },
	{ "fail any 1 INT" },
	{ "fail any 1 BAD_RES_STAT" },
	{ "fail any 1 INT_ERR more" },
	{ "fail any 1 INT_ERR even more" },
	{ "fail CREATE_NOTHING 1 INT_ERR" },
	{ "fail 0x10000 1 INT_ERR" },
	{ "fail any 1000001 INT_ERR" },
	{ "delay any 1 0" },
	{ "delay any 1 600001" },
	{ "delay any 1" },
	{ "lie any 1" },
	{ "lie any 1 OK" },
	{ "hang any 1 1" },
	{ "hang any" },
	{ "drop any 1 1" },
	{ "clear any 1 1" },
	{ "fail any 1 INT_ERR                                                              x" },
};

/*
 * A line is parsed or refused. The part of a printed fault before "fired" is a
 * line for the same fault.
 */
static void lines_are_read(struct kunit *test)
{
	const struct line_case *c;
	struct sim_fault_cmd f, g;
	char listed[SIM_FAULT_LINE];

	for (c = lines; c < lines + ARRAY_SIZE(lines); c++) {
		int ret = sim_fault_parse(c->line, &f);

		KUNIT_EXPECT_EQ_MSG(test, ret, c->listed ? 0 : -EINVAL, "\"%s\"", c->line);
		if (ret || !c->listed)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, f.kind, c->kind, "\"%s\"", c->line);
		KUNIT_EXPECT_EQ_MSG(test, f.op, c->op, "\"%s\"", c->line);
		KUNIT_EXPECT_EQ_MSG(test, f.nth, c->nth, "\"%s\"", c->line);
		KUNIT_EXPECT_EQ_MSG(test, f.left, c->nth, "\"%s\"", c->line);
		KUNIT_EXPECT_EQ_MSG(test, f.arg, c->arg, "\"%s\"", c->line);
		KUNIT_EXPECT_EQ(test, sim_fault_print(&f, listed, sizeof(listed)),
				strlen(c->listed));
		KUNIT_EXPECT_STREQ(test, listed, c->listed);

		*strstr(listed, " fired") = 0;
		KUNIT_EXPECT_EQ_MSG(test, sim_fault_parse(listed, &g), 0, "\"%s\"", listed);
		KUNIT_EXPECT_MEMEQ(test, &f, &g, sizeof(f));
	}
}

/* Each status has its name in the header, without MLX5_CMD_STAT_. */
static void statuses_have_names(struct kunit *test)
{
	static const struct {
		const char *name;
		u8 status;
	} all[] = {
#define STAT(s)	{ #s, MLX5_CMD_STAT_##s }
		STAT(INT_ERR), STAT(BAD_OP_ERR), STAT(BAD_PARAM_ERR), STAT(BAD_SYS_STATE_ERR),
		STAT(BAD_RES_ERR), STAT(RES_BUSY), STAT(NOT_READY), STAT(LIM_ERR),
		STAT(BAD_RES_STATE_ERR), STAT(IX_ERR), STAT(NO_RES_ERR), STAT(BAD_INP_LEN_ERR),
		STAT(BAD_OUTP_LEN_ERR), STAT(BAD_QP_STATE_ERR), STAT(BAD_PKT_ERR),
		STAT(BAD_SIZE_OUTS_CQES_ERR),
#undef STAT
	};
	struct sim_fault_cmd f;
	char line[SIM_FAULT_LINE];
	int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		snprintf(line, sizeof(line), "fail any 1 %s", all[i].name);
		KUNIT_EXPECT_EQ_MSG(test, sim_fault_parse(line, &f), 0, "%s", line);
		KUNIT_EXPECT_EQ_MSG(test, f.arg, all[i].status, "%s", line);
	}
}

static void arm(struct kunit *test, struct sim_faults *faults, const char *line)
{
	struct sim_fault_cmd f;

	KUNIT_ASSERT_EQ(test, sim_fault_parse(line, &f), 0);
	KUNIT_ASSERT_EQ(test, sim_fault_arm(faults, &f), 0);
}

static void expect_listed(struct kunit *test, struct sim_faults *faults, int i, const char *line)
{
	char listed[SIM_FAULT_LINE];

	sim_fault_print(&faults->cmd[i], listed, sizeof(listed));
	KUNIT_EXPECT_STREQ(test, listed, line);
}

/*
 * A fault fires once, on the nth matching command, with any other commands in
 * between.
 */
static void the_nth_fires_once(struct kunit *test)
{
	struct sim_faults *faults = kunit_kzalloc(test, sizeof(*faults), GFP_KERNEL);
	u32 arg = 0;

	KUNIT_ASSERT_NOT_NULL(test, faults);
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x200, &arg), SIM_FAULT_NONE);
	arm(test, faults, "fail CREATE_MKEY 2 LIM_ERR");
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x200, &arg), SIM_FAULT_NONE);
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x50a, &arg), SIM_FAULT_NONE);
	expect_listed(test, faults, 0, "fail CREATE_MKEY 2 LIM_ERR fired 0 -");
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x200, &arg), SIM_FAULT_FAIL);
	KUNIT_EXPECT_EQ(test, arg, MLX5_CMD_STAT_LIM_ERR);
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x200, &arg), SIM_FAULT_NONE);
	expect_listed(test, faults, 0, "fail CREATE_MKEY 2 LIM_ERR fired 1 CREATE_MKEY");
}

/*
 * A command counts for every fault that it matches. If two faults are due, one
 * fault waits.
 */
static void one_fault_a_command(struct kunit *test)
{
	struct sim_faults *faults = kunit_kzalloc(test, sizeof(*faults), GFP_KERNEL);
	u32 arg = 0;

	KUNIT_ASSERT_NOT_NULL(test, faults);
	arm(test, faults, "delay any 2 7");
	arm(test, faults, "hang CREATE_MKEY 1");
	arm(test, faults, "fail any 4 0xee");
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x50a, &arg), SIM_FAULT_NONE);
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x200, &arg), SIM_FAULT_DELAY);
	KUNIT_EXPECT_EQ(test, arg, 7);
	expect_listed(test, faults, 1, "hang CREATE_MKEY 1 fired 0 -");
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x200, &arg), SIM_FAULT_HANG);
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x8ff, &arg), SIM_FAULT_FAIL);
	KUNIT_EXPECT_EQ(test, arg, 0xee);
	expect_listed(test, faults, 0, "delay any 2 7 fired 1 CREATE_MKEY");
	expect_listed(test, faults, 1, "hang CREATE_MKEY 1 fired 1 CREATE_MKEY");
	expect_listed(test, faults, 2, "fail any 4 0xee fired 1 0x8ff");
}

/*
 * "any" does not match MANAGE_PAGES, which is a response to a request of the
 * device.
 */
static void any_spares_pages(struct kunit *test)
{
	struct sim_faults *faults = kunit_kzalloc(test, sizeof(*faults), GFP_KERNEL);
	u32 arg = 0;

	KUNIT_ASSERT_NOT_NULL(test, faults);
	arm(test, faults, "fail any 2 LIM_ERR");
	arm(test, faults, "fail 0x108 2 INT_ERR");
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x200, &arg), SIM_FAULT_NONE);
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x108, &arg), SIM_FAULT_NONE);
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x108, &arg), SIM_FAULT_FAIL);
	KUNIT_EXPECT_EQ(test, arg, 0x1);
	KUNIT_EXPECT_EQ(test, sim_fault_match(faults, 0x200, &arg), SIM_FAULT_FAIL);
	KUNIT_EXPECT_EQ(test, arg, 0x8);
}

static void the_list_is_bounded(struct kunit *test)
{
	struct sim_faults *faults = kunit_kzalloc(test, sizeof(*faults), GFP_KERNEL);
	struct sim_fault_cmd f;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, faults);
	for (i = 0; i < SIM_FAULT_CMDS; i++)
		arm(test, faults, "hang any 1000000");
	KUNIT_ASSERT_EQ(test, sim_fault_parse("hang any 1", &f), 0);
	KUNIT_EXPECT_EQ(test, sim_fault_arm(faults, &f), -ENOSPC);
}

/* The count of a vector is used first, then the count for any vector. */
static void messages_are_dropped(struct kunit *test)
{
	struct sim_faults *faults = kunit_kzalloc(test, sizeof(*faults), GFP_KERNEL);
	struct sim_fault_irq *irq;

	KUNIT_ASSERT_NOT_NULL(test, faults);
	irq = &faults->irq;
	KUNIT_EXPECT_FALSE(test, sim_fault_irq_drops(irq, 0));
	KUNIT_EXPECT_EQ(test, sim_fault_irq_write(irq, "drop 3 1"), 0);
	KUNIT_EXPECT_EQ(test, sim_fault_irq_write(irq, "drop any 2"), 0);
	KUNIT_EXPECT_TRUE(test, sim_fault_irq_drops(irq, 3));
	KUNIT_EXPECT_EQ(test, irq->left[SIM_FAULT_VECTORS], 2);
	KUNIT_EXPECT_TRUE(test, sim_fault_irq_drops(irq, 3));
	KUNIT_EXPECT_TRUE(test, sim_fault_irq_drops(irq, 63));
	KUNIT_EXPECT_FALSE(test, sim_fault_irq_drops(irq, 3));
	KUNIT_EXPECT_EQ(test, irq->dropped[3], 2);
	KUNIT_EXPECT_EQ(test, irq->dropped[63], 1);
	KUNIT_EXPECT_EQ(test, sim_fault_irq_write(irq, "drop 5 9"), 0);
	KUNIT_EXPECT_EQ(test, sim_fault_irq_write(irq, " clear "), 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(irq, 0, sizeof(*irq)));
}

static void bad_interrupt_lines(struct kunit *test)
{
	static const char * const bad[] = {
		"", "drop", "drop 0", "drop 64 1", "drop -1 1", "drop any 0", "drop any x",
		"drop any 1 1", "lose any 1", "clear all", "drop all 1",
	};
	struct sim_fault_irq irq = {};
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, sim_fault_irq_write(&irq, bad[i]), -EINVAL, "\"%s\"",
				    bad[i]);
	KUNIT_EXPECT_NULL(test, memchr_inv(&irq, 0, sizeof(irq)));
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(lines_are_read),
	KUNIT_CASE(statuses_have_names),
	KUNIT_CASE(the_nth_fires_once),
	KUNIT_CASE(one_fault_a_command),
	KUNIT_CASE(any_spares_pages),
	KUNIT_CASE(the_list_is_bounded),
	KUNIT_CASE(messages_are_dropped),
	KUNIT_CASE(bad_interrupt_lines),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "sim_fault",
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
