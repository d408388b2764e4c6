// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A pass of the hardware thread: the work that is polled on each simulated
 * function, in order.
 *
 * A pass polls a stopped simulated function only for a reset and for a disabled
 * interface. If a simulated function is not stopped, a pass also polls its
 * command queue and, between INIT_HCA and TEARDOWN_HCA, its UARs, QPs and CQs.
 */
#include "cmd/cmd.h"
#include "core/core.h"
#include "device/device.h"
#include "dp/dp.h"
#include "host/host.h"
#include "net/net.h"
#include "obj/obj.h"

/**
 * sim_beat() - update the init segments of all simulated functions
 *
 * Updates health counter and timers of running devices. After a surprise
 * removal, restores the value of all ones.
 *
 * Context: hardware thread; also in the middle of a pass.
 */
void sim_beat(void)
{
	struct sim_dev *sdev;
	int i;

	for (i = 0; i < sim_num_devs(); i++) {
		sdev = sim_get_dev(i);
		if (!sdev->present)
			continue;
		if (sdev->power == SIM_POWER_ON)
			sim_bar_tick(sdev);
		else if (sdev->power == SIM_POWER_GONE)
			sim_bar_gone(sdev);	/* undo writes of the driver */
	}
}

/**
 * sim_tick() - check the pages that the host gave, and poll the netdevs
 *
 * The hardware thread calls this function about once a millisecond.
 *
 * Context: hardware thread.
 */
void sim_tick(void)
{
	struct sim_dev *sdev;
	int i;

	for (i = 0; i < sim_num_devs(); i++) {
		sdev = sim_get_dev(i);
		if (!sdev->present)
			continue;
		if (!sdev->stopped)
			sim_pages_tick(sdev);
		sim_netdev_poll(sdev);
	}
}

/*
 * Do the resets that the driver requested. Returns true after a function level
 * reset.
 */
static bool sim_pass_reset(struct sim_dev *sdev)
{
	bool flr = unlikely(sim_pci_reset_wanted(sdev)) && sdev->power != SIM_POWER_GONE;

	if (flr) {
		sim_trace(sdev, "function level reset");
		sim_dev_reset(sdev);
		sim_pci_reset(sdev);
	}
	if (sim_power_wants_reset(sdev)) {
		sim_trace(sdev, "reset requested by the driver");
		sim_dev_reset(sdev);
	}
	return flr;
}

/**
 * sim_pass() - poll each present simulated function once
 *
 * Context: hardware thread.
 * Return: true if a simulated function had work.
 */
bool sim_pass(void)
{
	struct sim_dev *sdev;
	bool work = false;
	int i;

	for (i = 0; i < sim_num_devs(); i++) {
		sdev = sim_get_dev(i);
		if (!sdev->present)
			continue;
		work |= sim_pass_reset(sdev);
		sim_power_disable(sdev);
		if (!sim_power_poll(sdev))
			continue;
		work |= sim_cmdq_poll(sdev);
		if (!sdev->hca_inited)
			continue;
		work |= sim_uar_poll(sdev);
		work |= sim_qp_poll(sdev);
		work |= sim_cq_poll_pending(sdev);
	}
	return work;
}
