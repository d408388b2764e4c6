// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The list of simulated functions, and the ConnectX model that they simulate.
 *
 * Simulated functions are added at load and removed at unload. Their number and
 * the model are module parameters and do not change in between, so both may be
 * read in any context.
 */
#define pr_fmt(fmt) "mlx5sim: " fmt

#include <linux/module.h>
#include <linux/string.h>

#include "core/core.h"

static int devices = 2;
module_param(devices, int, 0444);
MODULE_PARM_DESC(devices, "number of simulated functions, 1 to 8 (default 2)");

bool sim_strict_dma = true;
module_param_named(strict_dma, sim_strict_dma, bool, 0444);
MODULE_PARM_DESC(strict_dma, "device may access mapped memory only (default y; n for benchmarks)");

bool sim_atomic_messages;
module_param_named(atomic_messages, sim_atomic_messages, bool, 0444);
MODULE_PARM_DESC(atomic_messages,
		 "a message that fails moves nothing (default n: its packets before the failure move)");

bool sim_reuse;
module_param_named(reuse, sim_reuse, bool, 0444);
MODULE_PARM_DESC(reuse, "allocate the lowest free number for each new object (default n: cyclic)");

unsigned int sim_max_psvs = SIM_MAX_PSVS;
module_param_named(psvs, sim_max_psvs, uint, 0444);
MODULE_PARM_DESC(psvs, "PSVs of a device (default and at most 65536)");

unsigned int sim_cmd_timeout;
module_param_named(cmd_timeout, sim_cmd_timeout, uint, 0444);
MODULE_PARM_DESC(cmd_timeout,
		 "command timeout of a driver in seconds (default 0: default of the driver)");

static char *sig_count = "wire";
module_param(sig_count, charp, 0444);
MODULE_PARM_DESC(sig_count,
		 "byte count of a work request on a signature key: wire (default), data or memory");

enum sim_sig_count sim_sig_count;

static const char * const sim_sig_counts[] = {
	[SIM_SIG_COUNT_DATA] = "data",
	[SIM_SIG_COUNT_WIRE] = "wire",
	[SIM_SIG_COUNT_MEMORY] = "memory",
};

static char *model = "cx6dx";
module_param(model, charp, 0444);
MODULE_PARM_DESC(model, "ConnectX to simulate (default cx6dx)");

static const struct sim_model sim_models[] = {
	{
		.name = "cx6dx",
		.device_id = 0x101d,
		.fw_major = 22,
		.fw_minor = 41,
		.fw_sub = 1000,
		.board_id = "SIM0000000001",
		.boot_pages = 160,
		.init_pages = 1024,
		.spare_pages = 4,
	},
};

static const struct sim_model *sim_the_model;
static struct sim_dev *sim_devs[SIM_MAX_DEVS];

/**
 * sim_devs_check() - check the module parameters and find the model
 *
 * Context: process context, at load, before any other call into this file.
 * Return: 0; -EINVAL, with a line in the log, for an invalid value of devices=,
 * model= or sig_count=.
 */
int sim_devs_check(void)
{
	int i;

	i = match_string(sim_sig_counts, ARRAY_SIZE(sim_sig_counts), sig_count);
	if (i < 0) {
		pr_err("sig_count=%s is not wire, data or memory\n", sig_count);
		return -EINVAL;
	}
	sim_sig_count = i;

	if (devices < 1 || devices > SIM_MAX_DEVS) {
		pr_err("devices=%d is not between 1 and %d\n", devices, SIM_MAX_DEVS);
		return -EINVAL;
	}
	for (i = 0; i < ARRAY_SIZE(sim_models); i++)
		if (!strcmp(model, sim_models[i].name))
			sim_the_model = &sim_models[i];
	if (!sim_the_model) {
		pr_err("model=%s is not supported, cx6dx is\n", model);
		return -EINVAL;
	}
	return 0;
}

/**
 * sim_set_dev() - add or remove a simulated function
 * @index: number of the simulated function, less than sim_num_devs()
 * @sdev: simulated function, or NULL to remove it
 *
 * Context: process context, at load and unload.
 */
void sim_set_dev(int index, struct sim_dev *sdev)
{
	sim_devs[index] = sdev;
}

/**
 * sim_get_dev() - find a simulated function by its number
 * @index: number
 *
 * Context: any.
 * Return: the simulated function, plugged or not; NULL when no simulated
 * function has this number.
 */
struct sim_dev *sim_get_dev(int index)
{
	if (index < 0 || index >= devices)
		return NULL;
	return sim_devs[index];
}

/**
 * sim_num_devs() - number of simulated functions
 *
 * Context: any.
 * Return: the module parameter devices=.
 */
int sim_num_devs(void)
{
	return devices;
}

/**
 * sim_model() - the ConnectX model that is simulated
 *
 * Context: any.
 * Return: description of the model.
 */
const struct sim_model *sim_model(void)
{
	return sim_the_model;
}
