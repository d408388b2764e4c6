// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5sim module: parameters, the functions, and the order things start in.
 *
 * The functions' states exist from load to unload and are plugged and unplugged
 * in between. Load goes upwards: memory, functions, hardware thread, bus,
 * plugs; unload goes down the same steps. By the time the hardware thread stops
 * every function is unplugged and no driver is bound, so nobody waits for it.
 */
#define pr_fmt(fmt) "mlx5sim: " fmt

#include <linux/module.h>

#include "fault.h"
#include "sim.h"

static int devices = 2;
module_param(devices, int, 0444);
MODULE_PARM_DESC(devices, "number of simulated functions, 1 to 8 (default 2)");

static unsigned long long base;
module_param(base, ullong, 0444);
MODULE_PARM_DESC(base, "physical address of the reserved memory for the BARs (kernel command line: memmap=SIZE$BASE)");

static unsigned long long size;
module_param(size, ullong, 0444);
MODULE_PARM_DESC(size, "bytes of it, 16 MiB per device");

bool sim_strict_dma = true;
module_param_named(strict_dma, sim_strict_dma, bool, 0444);
MODULE_PARM_DESC(strict_dma, "device may only touch what is mapped (default y; n for benchmarks)");

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
	},
};

static const struct sim_model *sim_the_model;
static struct sim_dev *sim_devs[SIM_MAX_DEVS];

/**
 * sim_get_dev - find a function
 * @index: its number
 *
 * Any context.
 *
 * Return: the function, plugged or not; NULL when there is no such.
 */
struct sim_dev *sim_get_dev(int index)
{
	if (index < 0 || index >= devices)
		return NULL;
	return sim_devs[index];
}

/**
 * sim_num_devs - how many functions there are
 *
 * Return: the parameter devices=.
 */
int sim_num_devs(void)
{
	return devices;
}

/**
 * sim_model - which device is simulated
 *
 * Return: its description.
 */
const struct sim_model *sim_model(void)
{
	return sim_the_model;
}

/* kernel-doc in sim.h */
void sim_dev_reset(struct sim_dev *sdev)
{
	sim_power_reset(sdev);
	sim_bar_reset(sdev);
	sim_objs_reset(sdev);
	sim_cmdq_reset(sdev);
	sim_caps_reset(sdev);
	sdev->hca_enabled = false;
	sdev->hca_inited = false;
	sdev->roce_enabled = false;
	sdev->issi = 0;
	memset(sdev->gid, 0, sizeof(sdev->gid));
}

/* ---- one function ---- */

typedef int (*sim_init_fn)(struct sim_dev *sdev);
typedef void (*sim_exit_fn)(struct sim_dev *sdev);

static const struct {
	sim_init_fn init;
	sim_exit_fn exit;
} sim_dev_stages[] = {
	{ sim_dma_init, sim_dma_exit },
	{ sim_pci_dev_init, sim_pci_dev_exit },
	{ sim_msix_dev_init, sim_msix_dev_exit },
	{ sim_caps_init, sim_caps_exit },
	{ sim_objs_init, sim_objs_exit },
	{ sim_fault_init, sim_fault_exit },
	{ sim_cmdq_init, sim_cmdq_exit },
};

static void sim_dev_unwind(struct sim_dev *sdev, int stages)
{
	while (stages--)
		sim_dev_stages[stages].exit(sdev);
	kvfree(sdev->trace.line);
	kvfree(sdev);
}

static void sim_dev_identify(struct sim_dev *sdev)
{
	static const u8 mac[ETH_ALEN] = { 0x02, 0x15, 0xb3, 0x00, 0x00, 0x01 };

	memcpy(sdev->mac, mac, ETH_ALEN);
	sdev->mac[ETH_ALEN - 1] += sdev->index;
	sdev->node_guid = 0x0215b3fffe000001ULL + sdev->index;
	sdev->sys_image_guid = sdev->node_guid;
}

static int sim_dev_create(int index)
{
	struct sim_dev *sdev;
	int i, ret;

	sdev = kvzalloc(sizeof(*sdev), GFP_KERNEL);
	if (!sdev)
		return -ENOMEM;
	sdev->index = index;
	sdev->bar = sim_bar_virt(index);
	sdev->bar_phys = sim_bar_phys(index);
	INIT_LIST_HEAD(&sdev->qps);
	INIT_LIST_HEAD(&sdev->cqs_pending);
	spin_lock_init(&sdev->vio.lock);
	sim_dev_identify(sdev);

	for (i = 0; i < ARRAY_SIZE(sim_dev_stages); i++) {
		ret = sim_dev_stages[i].init(sdev);
		if (ret) {
			sim_dev_unwind(sdev, i);
			return ret;
		}
	}
	sim_devs[index] = sdev;
	return 0;
}

static void sim_devs_destroy(void)
{
	int i;

	for (i = devices - 1; i >= 0; i--) {
		if (sim_devs[i])
			sim_dev_unwind(sim_devs[i], ARRAY_SIZE(sim_dev_stages));
		sim_devs[i] = NULL;
	}
}

static int sim_devs_create(void)
{
	int i, ret;

	for (i = 0; i < devices; i++) {
		ret = sim_dev_create(i);
		if (ret) {
			sim_devs_destroy();
			return ret;
		}
	}
	return 0;
}

static int sim_plug_all(void)
{
	int i, ret;

	for (i = 0; i < devices; i++) {
		ret = sim_pci_plug(sim_devs[i]);
		if (ret) {
			sim_pci_close();
			return ret;
		}
	}
	return 0;
}

/* ---- the module ---- */

static int __init sim_check_params(void)
{
	int i;

	if (devices < 1 || devices > SIM_MAX_DEVS) {
		pr_err("devices=%d is not between 1 and %d\n", devices, SIM_MAX_DEVS);
		return -EINVAL;
	}
	for (i = 0; i < ARRAY_SIZE(sim_models); i++)
		if (!strcmp(model, sim_models[i].name))
			sim_the_model = &sim_models[i];
	if (!sim_the_model) {
		pr_err("model=%s is not known, cx6dx is\n", model);
		return -EINVAL;
	}
	return 0;
}

static int sim_bar_init_step(void)
{
	return sim_bar_init(base, size, devices);
}

/* Up in this order, down in reverse. */
static const struct {
	int (*init)(void);
	void (*exit)(void);
} sim_stages[] = {
	{ sim_bar_init_step, sim_bar_exit },
	{ sim_dma_module_init, sim_dma_module_exit },
	{ sim_devs_create, sim_devs_destroy },
	{ sim_hw_start, sim_hw_stop },
	{ sim_uplink_init, sim_uplink_exit },
	{ sim_pci_init, sim_pci_exit },
	{ sim_debugfs_init, sim_debugfs_exit },
	{ sim_plug_all, sim_pci_close },
};

static void sim_unwind(int stages)
{
	while (stages--)
		sim_stages[stages].exit();
}

static int __init sim_module_init(void)
{
	int i, ret;

	ret = sim_check_params();
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(sim_stages); i++) {
		ret = sim_stages[i].init();
		if (ret) {
			sim_unwind(i);
			return ret;
		}
	}
	return 0;
}

static void __exit sim_module_exit(void)
{
	sim_unwind(ARRAY_SIZE(sim_stages));
}

module_init(sim_module_init);
module_exit(sim_module_exit);

MODULE_DESCRIPTION("Simulated ConnectX for mlx5_core, mlx5_ib and mlx5_ibx");
MODULE_LICENSE("Dual BSD/GPL");
