// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Stubs of cmd/, for suites that are built without the driver.
 */
#include <linux/string.h>

#include "cmd/handlers.h"

/* Two rows of the device's table, with opcodes that the suites use */
static const struct sim_cmd_desc rows[] = {
	{ .opcode = 0x200, .name = "CREATE_MKEY" },
	{ .opcode = 0x50a, .name = "2RST_QP" },
};

const struct sim_cmd_desc *sim_cmd_find(u16 opcode)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return NULL;
}

const struct sim_cmd_desc *sim_cmd_find_name(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

u8 sim_cmd_breach(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_vio vio, u8 status,
		  const char *fmt, ...)
{
	return status;
}
