// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SET_HCA_CAP: the capabilities that a driver may change, and their limits.
 */
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/caps.h"
#include "obj/obj.h"

static bool sim_checksum_known(const void *page)
{
	u32 mode = MLX5_GET(cmd_hca_cap, page, cmdif_checksum);

	return mode == SIM_CMDIF_UNSIGNED || mode == SIM_CMDIF_SIGNED;
}

/**
 * sim_caps_set() - execute SET_HCA_CAP for one page
 * @sdev: simulated function
 * @cmd: the command, for violations
 * @type: MLX5_CAP_*
 * @page: the complete page that the driver requests
 *
 * Applies the writable fields. All other fields must have their current values,
 * except in the ATOMIC page, in which drivers leave all other fields 0.
 *
 * Context: hardware thread.
 * Return: MLX5_CMD_STAT_*.
 */
u8 sim_caps_set(struct sim_dev *sdev, struct sim_cmd *cmd, u16 type, const void *page)
{
	u8 *cur = sim_caps_page(sdev, type, false);
	const u8 *want = page;
	const struct sim_cap_def *def;
	u8 *new;
	u32 i;

	if (!cur)
		return sim_cmd_bad_param(sdev, cmd, "no capability page %#x", type);
	new = kmemdup(cur, SIM_CAPS_PAGE_SIZE, GFP_KERNEL);
	if (!new)
		return sim_cmd_errno(-ENOMEM);
	def = sim_caps_merge(sdev, type, page, new);
	if (def) {
		kfree(new);
		return sim_cmd_bad_param(sdev, cmd, "%s = %u", def->name,
					 sim_bits_get(page, def->f));
	}
	if (type == MLX5_CAP_GENERAL && !sim_checksum_known(new)) {
		kfree(new);
		return sim_cmd_bad_param(sdev, cmd, "cmdif_checksum %u",
					 MLX5_GET(cmd_hca_cap, page, cmdif_checksum));
	}
	for (i = 0; type != MLX5_CAP_ATOMIC && i < SIM_CAPS_PAGE_SIZE; i++) {
		if (new[i] == want[i])
			continue;
		sim_cmd_bad_param(sdev, cmd, "page %#x byte %#x: %#x, is read-only at %#x", type,
				  i, want[i], new[i]);
		kfree(new);
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	}
	memcpy(cur, new, SIM_CAPS_PAGE_SIZE);
	kfree(new);
	return MLX5_CMD_STAT_OK;
}
