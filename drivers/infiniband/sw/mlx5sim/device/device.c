// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The power-on state of a simulated function.
 */
#include "cmd/cmd.h"
#include "device/device.h"
#include "host/host.h"
#include "obj/obj.h"

/**
 * sim_dev_reset() - put a simulated function into its power-on state
 * @sdev: simulated function
 *
 * Removes every object and GID, and sets capabilities and registers to their
 * power-on values. Used for plug, unplug and every kind of reset.
 *
 * Context: hardware thread.
 */
void sim_dev_reset(struct sim_dev *sdev)
{
	sim_power_reset(sdev);
	sim_bar_reset(sdev);
	sim_objs_reset(sdev);
	sim_cmdq_reset(sdev);
	sim_caps_reset(sdev);
	sim_pages_reset(sdev);
	sdev->hca_enabled = false;
	sdev->hca_inited = false;
	sdev->fast_teardown = false;
	sdev->roce_enabled = false;
	sdev->issi = 0;
	memset(sdev->gid, 0, sizeof(sdev->gid));
}
