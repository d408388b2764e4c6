// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5sim module: the order of its parts at load and unload.
 *
 * The state of each simulated device exists from load to unload; the device is
 * plugged and unplugged in between. Load claims the BAR memory, creates the
 * cache for DMA mappings and the state of the devices, starts the hardware
 * thread and the watch of the auxiliary bus, creates the PCI bus and the
 * debugfs files, and plugs the devices, in this order. Unload undoes these
 * steps in reverse. When the hardware thread stops, every device is unplugged
 * and no driver is bound, so no request is waiting for the thread.
 */
#define pr_fmt(fmt) "mlx5sim: " fmt

#include <linux/module.h>

#include "cmd/cmd.h"
#include "core/core.h"
#include "device/device.h"
#include "dp/dp.h"
#include "fs/fs.h"
#include "host/host.h"
#include "net/net.h"
#include "obj/obj.h"

/* ---- one simulated function ---- */

typedef int (*sim_init_fn)(struct sim_dev *sdev);
typedef void (*sim_exit_fn)(struct sim_dev *sdev);

static const struct {
	sim_init_fn init;
	sim_exit_fn exit;
} sim_dev_stages[] = {
	{ sim_bar_dev_init, sim_bar_dev_exit },
	{ sim_dma_init, sim_dma_exit },
	{ sim_pci_dev_init, sim_pci_dev_exit },
	{ sim_msix_dev_init, sim_msix_dev_exit },
	{ sim_caps_init, sim_caps_exit },
	{ sim_objs_init, sim_objs_exit },
	{ sim_pages_init, sim_pages_exit },
	{ sim_umr_init, sim_umr_exit },
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
	spin_lock_init(&sdev->vio.lock);
	sim_dev_identify(sdev);

	for (i = 0; i < ARRAY_SIZE(sim_dev_stages); i++) {
		ret = sim_dev_stages[i].init(sdev);
		if (ret) {
			sim_dev_unwind(sdev, i);
			return ret;
		}
	}
	sim_set_dev(index, sdev);
	return 0;
}

static void sim_devs_destroy(void)
{
	int i;

	for (i = sim_num_devs() - 1; i >= 0; i--) {
		if (sim_get_dev(i))
			sim_dev_unwind(sim_get_dev(i), ARRAY_SIZE(sim_dev_stages));
		sim_set_dev(i, NULL);
	}
}

static int sim_devs_create(void)
{
	int i, ret;

	for (i = 0; i < sim_num_devs(); i++) {
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

	for (i = 0; i < sim_num_devs(); i++) {
		ret = sim_plug(sim_get_dev(i));
		if (ret) {
			sim_plug_close();
			return ret;
		}
	}
	return 0;
}

/* ---- the module ---- */

static int sim_thread_start(void)
{
	static const struct sim_hw_ops ops = {
		.pass = sim_pass,
		.beat = sim_beat,
		.tick = sim_tick,
	};

	return sim_hw_start(&ops);
}

/* Started in this order, stopped in reverse. */
static const struct {
	int (*init)(void);
	void (*exit)(void);
} sim_stages[] = {
	{ sim_bar_init, sim_bar_exit },
	{ sim_dma_module_init, sim_dma_module_exit },
	{ sim_devs_create, sim_devs_destroy },
	{ sim_thread_start, sim_hw_stop },
	{ sim_uplink_init, sim_uplink_exit },
	{ sim_plug_init, sim_pci_exit },
	{ sim_debugfs_init, sim_debugfs_exit },
	{ sim_plug_all, sim_plug_close },
};

static void sim_unwind(int stages)
{
	while (stages--)
		sim_stages[stages].exit();
}

static int __init sim_module_init(void)
{
	int i, ret;

	ret = sim_devs_check();
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
