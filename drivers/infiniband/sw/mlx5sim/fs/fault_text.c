// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parsing and printing the lines of the fault files.
 *
 * Context: any, except for sim_fault_irq_write().
 */
#include <kunit/visibility.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "cmd/cmd.h"
#include "core/core.h"
#include "fs/fs.h"

#define SIM_FAULT_WORDS	4

/*
 * Names of MLX5_CMD_STAT_* in <linux/mlx5/device.h>, most names without the
 * suffix _ERR
 */
static const struct {
	const char *name;
	u8 status;
} sim_fault_status[] = {
	{ "INT_ERR", MLX5_CMD_STAT_INT_ERR },
	{ "BAD_OP", MLX5_CMD_STAT_BAD_OP_ERR },
	{ "BAD_PARAM", MLX5_CMD_STAT_BAD_PARAM_ERR },
	{ "BAD_SYS_STATE", MLX5_CMD_STAT_BAD_SYS_STATE_ERR },
	{ "BAD_RES", MLX5_CMD_STAT_BAD_RES_ERR },
	{ "RES_BUSY", MLX5_CMD_STAT_RES_BUSY },
	{ "NOT_READY", MLX5_CMD_STAT_NOT_READY },
	{ "LIM_ERR", MLX5_CMD_STAT_LIM_ERR },
	{ "BAD_RES_STATE", MLX5_CMD_STAT_BAD_RES_STATE_ERR },
	{ "IX_ERR", MLX5_CMD_STAT_IX_ERR },
	{ "NO_RES_ERR", MLX5_CMD_STAT_NO_RES_ERR },
	{ "BAD_INP_LEN", MLX5_CMD_STAT_BAD_INP_LEN_ERR },
	{ "BAD_OUTP_LEN", MLX5_CMD_STAT_BAD_OUTP_LEN_ERR },
	{ "BAD_QP_STATE", MLX5_CMD_STAT_BAD_QP_STATE_ERR },
	{ "BAD_PKT", MLX5_CMD_STAT_BAD_PKT_ERR },
	{ "BAD_SIZE_OUTS_CQES", MLX5_CMD_STAT_BAD_SIZE_OUTS_CQES_ERR },
};

static const char * const sim_fault_kinds[] = {
	[SIM_FAULT_FAIL] = "fail",
	[SIM_FAULT_DELAY] = "delay",
	[SIM_FAULT_HANG] = "hang",
	[SIM_FAULT_LIE] = "lie",
};

/*
 * Split a line, and return the number of words. All words after the first
 * SIM_FAULT_WORDS words count as one word.
 */
static int sim_fault_split(char *line, char *words[SIM_FAULT_WORDS])
{
	int n = 0;

	for (;;) {
		line = skip_spaces(line);
		if (!*line)
			return n;
		if (n == SIM_FAULT_WORDS)
			return n + 1;
		words[n++] = line;
		while (*line && !isspace(*line))
			line++;
		if (*line)
			*line++ = 0;
	}
}

static int sim_fault_number(const char *word, u32 min, u32 max, u32 *val)
{
	return kstrtou32(word, 0, val) || *val < min || *val > max ? -EINVAL : 0;
}

static int sim_fault_op(const char *word, u32 *op)
{
	const struct sim_cmd_desc *desc;

	if (!strcmp(word, "any")) {
		*op = SIM_FAULT_ANY;
		return 0;
	}
	desc = sim_cmd_find_name(word);
	if (desc) {
		*op = desc->opcode;
		return 0;
	}
	return kstrtou32(word, 16, op) || *op > U16_MAX ? -EINVAL : 0;
}

static int sim_fault_stat(const char *word, u32 *status)
{
	size_t len;
	int i;

	for (i = 0; i < ARRAY_SIZE(sim_fault_status); i++) {
		len = strlen(sim_fault_status[i].name);
		if (strncmp(word, sim_fault_status[i].name, len))
			continue;
		if (word[len] && strcmp(word + len, "_ERR"))
			continue;
		*status = sim_fault_status[i].status;
		return 0;
	}
	/* status 0 would mean success */
	return sim_fault_number(word, 1, U8_MAX, status);
}

/**
 * sim_fault_parse() - parse a line of the file "command"
 * @line: line that was written
 * @f: out: fault
 *
 * The line is "fail OP NTH STATUS", "lie OP NTH STATUS", "delay OP NTH MS" or
 * "hang OP NTH" (Documentation/infiniband/mlx5sim.rst).
 *
 * Return: 0, or -EINVAL for a line of another form.
 */
int sim_fault_parse(const char *line, struct sim_fault_cmd *f)
{
	char copy[SIM_FAULT_LINE], *words[SIM_FAULT_WORDS];
	int i, n;

	memset(f, 0, sizeof(*f));
	if (strscpy(copy, line, sizeof(copy)) < 0)
		return -EINVAL;
	n = sim_fault_split(copy, words);
	if (n < 3)
		return -EINVAL;
	for (i = SIM_FAULT_FAIL; i < ARRAY_SIZE(sim_fault_kinds); i++)
		if (!strcmp(words[0], sim_fault_kinds[i]))
			f->kind = i;
	if (sim_fault_op(words[1], &f->op) ||
	    sim_fault_number(words[2], 1, SIM_FAULT_MAX_NTH, &f->nth))
		return -EINVAL;
	f->left = f->nth;
	switch (f->kind) {
	case SIM_FAULT_FAIL:
	case SIM_FAULT_LIE:
		return n != 4 ? -EINVAL : sim_fault_stat(words[3], &f->arg);
	case SIM_FAULT_DELAY:
		return n != 4 ? -EINVAL : sim_fault_number(words[3], 1, SIM_FAULT_MAX_MS, &f->arg);
	case SIM_FAULT_HANG:
		return n != 3 ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}
EXPORT_SYMBOL_IF_KUNIT(sim_fault_parse);

static int sim_fault_print_op(u32 op, char *buf, size_t size)
{
	const struct sim_cmd_desc *desc = op == SIM_FAULT_ANY ? NULL : sim_cmd_find(op);

	if (desc)
		return scnprintf(buf, size, " %s", desc->name);
	if (op == SIM_FAULT_ANY)
		return scnprintf(buf, size, " any");
	return scnprintf(buf, size, " %#05x", op);
}

static int sim_fault_print_arg(const struct sim_fault_cmd *f, char *buf, size_t size)
{
	int i;

	if (f->kind == SIM_FAULT_HANG)
		return 0;
	if (f->kind == SIM_FAULT_DELAY)
		return scnprintf(buf, size, " %u", f->arg);
	for (i = 0; i < ARRAY_SIZE(sim_fault_status); i++)
		if (sim_fault_status[i].status == f->arg)
			return scnprintf(buf, size, " %s", sim_fault_status[i].name);
	return scnprintf(buf, size, " %#x", f->arg);
}

/**
 * sim_fault_print() - print a fault as a line of the file "command"
 * @f: fault
 * @buf: out: line, without a newline; SIM_FAULT_LINE bytes are enough
 * @size: bytes of @buf
 *
 * The line has the words of sim_fault_parse(), "fired", the number of times the
 * fault has fired (0 or 1), and the command on which it has fired or "-".
 *
 * Return: length of the line.
 */
int sim_fault_print(const struct sim_fault_cmd *f, char *buf, size_t size)
{
	int n = scnprintf(buf, size, "%s", sim_fault_kinds[f->kind]);

	n += sim_fault_print_op(f->op, buf + n, size - n);
	n += scnprintf(buf + n, size - n, " %u", f->nth);
	n += sim_fault_print_arg(f, buf + n, size - n);
	n += scnprintf(buf + n, size - n, " fired %d", !f->left);
	if (f->left)
		return n + scnprintf(buf + n, size - n, " -");
	return n + sim_fault_print_op(f->last_op, buf + n, size - n);
}
EXPORT_SYMBOL_IF_KUNIT(sim_fault_print);

/**
 * sim_fault_irq_write() - execute a line of the file "interrupt"
 * @irq: interrupt faults of the simulated function
 * @line: line that was written: "drop VECTOR N", "drop any N" or "clear"
 *
 * The next N messages of the vector, or of any vector, are dropped. A new line
 * for the same vector, or for any vector, replaces N.
 *
 * Context: hardware thread.
 * Return: 0, or -EINVAL for a line of another form, which has no effect.
 */
int sim_fault_irq_write(struct sim_fault_irq *irq, const char *line)
{
	char copy[SIM_FAULT_LINE], *words[SIM_FAULT_WORDS];
	u32 vector = SIM_FAULT_VECTORS, count;
	int n;

	if (strscpy(copy, line, sizeof(copy)) < 0)
		return -EINVAL;
	n = sim_fault_split(copy, words);
	if (n == 1 && !strcmp(words[0], "clear")) {
		memset(irq, 0, sizeof(*irq));
		return 0;
	}
	if (n != 3 || strcmp(words[0], "drop"))
		return -EINVAL;
	if (strcmp(words[1], "any") &&
	    sim_fault_number(words[1], 0, SIM_FAULT_VECTORS - 1, &vector))
		return -EINVAL;
	if (sim_fault_number(words[2], 1, SIM_FAULT_MAX_NTH, &count))
		return -EINVAL;
	irq->left[vector] = count;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(sim_fault_irq_write);
