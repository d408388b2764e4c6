// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The list of the faults that are armed on a simulated function. The list is
 * created at load and cleared at plug and unplug.
 */
#include <linux/slab.h>

#include "core/core.h"
#include "device/device.h"

/**
 * sim_fault_init() - create the empty list of faults of a simulated function
 * @sdev: simulated function
 *
 * Return: 0 or -ENOMEM.
 */
int sim_fault_init(struct sim_dev *sdev)
{
	sdev->faults = kzalloc(sizeof(*sdev->faults), GFP_KERNEL);
	return sdev->faults ? 0 : -ENOMEM;
}

/**
 * sim_fault_exit() - undo sim_fault_init()
 * @sdev: simulated function
 */
void sim_fault_exit(struct sim_dev *sdev)
{
	kfree(sdev->faults);
	sdev->faults = NULL;
}

/**
 * sim_fault_reset() - clear every fault
 * @sdev: simulated function that is being plugged or unplugged
 *
 * Context: hardware thread.
 */
void sim_fault_reset(struct sim_dev *sdev)
{
	memset(sdev->faults, 0, sizeof(*sdev->faults));
	WRITE_ONCE(sdev->link_down, false);
}
