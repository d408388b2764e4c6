// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The power state of a simulated device: running, stalled, in fatal error, or
 * removed.
 *
 * A stopped device executes no command and no WQE, receives no packet and
 * raises no interrupt. It is stopped
 *
 *  - while bus mastering is off: work that needs DMA waits for bus mastering;
 *  - while it is stalled: the health counter does not advance, no register
 *    shows the reason, and the device may be resumed later without a loss of
 *    state;
 *  - after a fatal error: the health buffer describes the error and requests a
 *    reset. The driver starts the reset by a write to the NIC interface field
 *    of the init segment. The reset, like a function level reset, returns the
 *    device to its power-on state, in which the NIC interface is disabled;
 *  - after surprise removal: the init segment reads all ones.
 *
 * After a fatal error or surprise removal the link is down, too. After surprise
 * removal the netdev gets no event: it keeps its carrier until the driver
 * unbinds. All functions except sim_power_name() run on the hardware thread.
 */
#include <linux/io.h>
#include <linux/ktime.h>

#include "cmd/cmd.h"
#include "core/core.h"
#include "device/device.h"
#include "host/host.h"
#include "obj/obj.h"

#define SIM_ISEG(field)		offsetof(struct mlx5_init_seg, field)
#define SIM_NIC_IFC_MASK	7

/* Recognizable values for the rest of the health buffer after a fatal error */
#define SIM_ASSERT_VAR		0xa55e0000
#define SIM_ASSERT_EXIT_PTR	0xdead0001
#define SIM_ASSERT_CALLRA	0xdead0002
#define SIM_ASSERT_IRISC	3
#define SIM_ASSERT_EXT_SYND	0x5150

static const char * const sim_power_names[] = {
	[SIM_POWER_ON] = "running",
	[SIM_POWER_STALLED] = "stalled",
	[SIM_POWER_DEAD] = "fatal",
	[SIM_POWER_GONE] = "gone",
};

/**
 * sim_power_name() - name of the power state in debugfs
 * @sdev: simulated function
 *
 * Context: any.
 * Return: name of the state; "off" while the function is not plugged.
 */
const char *sim_power_name(struct sim_dev *sdev)
{
	return READ_ONCE(sdev->present) ? sim_power_names[READ_ONCE(sdev->power)] : "off";
}

static void sim_power_note(struct sim_dev *sdev)
{
	WRITE_ONCE(sdev->stopped, sdev->power != SIM_POWER_ON || !sim_pci_master(sdev));
}

static void sim_power_set(struct sim_dev *sdev, enum sim_power power)
{
	sim_trace(sdev, "device %s, was %s", sim_power_names[power],
		  sim_power_names[sdev->power]);
	WRITE_ONCE(sdev->power, power);
	sim_power_note(sdev);
	if (power < SIM_POWER_DEAD)
		return;
	/* the link is down now; the link of a stalled device stays up */
	WRITE_ONCE(sdev->port_up, false);
	/* the driver frees the pages of the device without a command */
	sim_pages_reset(sdev);
}

static u32 sim_nic_ifc(struct sim_dev *sdev)
{
	return sim_bar_read_be32(sdev, SIM_ISEG(cmdq_addr_l_sz)) >> MLX5_NIC_IFC_OFFSET &
	       SIM_NIC_IFC_MASK;
}

/**
 * sim_power_wants_reset() - check for a reset request after a fatal error
 * @sdev: simulated function that is plugged
 *
 * Context: hardware thread.
 * Return: true from the request to the reset.
 */
bool sim_power_wants_reset(struct sim_dev *sdev)
{
	return unlikely(sdev->power == SIM_POWER_DEAD) &&
	       sim_nic_ifc(sdev) == MLX5_INITIAL_SEG_NIC_INTERFACE_SW_RESET;
}

/**
 * sim_power_disable() - end a fast teardown once the interface is disabled
 * @sdev: simulated function that is plugged
 *
 * The device is then in the state after TEARDOWN_HCA: it accesses no memory.
 *
 * Context: hardware thread.
 */
void sim_power_disable(struct sim_dev *sdev)
{
	if (likely(!sdev->fast_teardown) ||
	    sim_nic_ifc(sdev) != MLX5_INITIAL_SEG_NIC_INTERFACE_DISABLED)
		return;
	sim_trace(sdev, "interface disabled by the driver");
	sim_objs_reset(sdev);
	sdev->hca_inited = false;
	sdev->fast_teardown = false;
}

/**
 * sim_power_poll() - update whether the simulated function is stopped
 * @sdev: simulated function that is plugged
 *
 * Called once in each pass, because bus mastering may have changed.
 *
 * Context: hardware thread.
 * Return: true if the simulated function is not stopped.
 */
bool sim_power_poll(struct sim_dev *sdev)
{
	sim_power_note(sdev);
	return !sdev->stopped;
}

/**
 * sim_power_reset() - return to the running state
 * @sdev: simulated function that is being reset
 *
 * Unrefereed: U-64.
 */
void sim_power_reset(struct sim_dev *sdev)
{
	if (sdev->power != SIM_POWER_ON)
		sim_power_set(sdev, SIM_POWER_ON);
}

/**
 * sim_power_stall() - stop the device without any sign in its registers
 * @sdev: simulated function
 *
 * Return: 0, or -EBUSY after a fatal error or surprise removal.
 */
int sim_power_stall(struct sim_dev *sdev)
{
	if (sdev->power > SIM_POWER_STALLED)
		return -EBUSY;
	sim_power_set(sdev, SIM_POWER_STALLED);
	return 0;
}

/**
 * sim_power_resume() - resume a stalled device where it stopped
 * @sdev: simulated function
 *
 * Return: 0, or -EBUSY after a fatal error or surprise removal.
 */
int sim_power_resume(struct sim_dev *sdev)
{
	if (sdev->power > SIM_POWER_STALLED)
		return -EBUSY;
	sim_power_set(sdev, SIM_POWER_ON);
	return 0;
}

/**
 * sim_power_fatal() - put the device in fatal error
 * @sdev: simulated function
 *
 * Fills in the health buffer as mlx5_core reads it: an internal error of
 * critical severity that requests a reset.
 *
 * Return: 0, or -EBUSY after surprise removal.
 */
int sim_power_fatal(struct sim_dev *sdev)
{
	u32 severity = BIT(MLX5_RFR_BIT_OFFSET) | SIM_SEVERITY_VALID | LOGLEVEL_CRIT;
	int i;

	if (sdev->power == SIM_POWER_GONE)
		return -EBUSY;
	sim_power_set(sdev, SIM_POWER_DEAD);
	for (i = 0; i < ARRAY_SIZE(((struct health_buffer *)0)->assert_var); i++)
		sim_bar_write_be32(sdev, SIM_ISEG(health.assert_var) + i * 4,
				   SIM_ASSERT_VAR + i);
	sim_bar_write_be32(sdev, SIM_ISEG(health.assert_exit_ptr), SIM_ASSERT_EXIT_PTR);
	sim_bar_write_be32(sdev, SIM_ISEG(health.assert_callra), SIM_ASSERT_CALLRA);
	sim_bar_write_be32(sdev, SIM_ISEG(health.time), ktime_get_real_seconds());
	sim_bar_write_be32(sdev, SIM_ISEG(health.irisc_index),
			   SIM_ASSERT_IRISC << 24 |
			   MLX5_INITIAL_SEG_HEALTH_SYNDROME_FW_INTERNAL_ERR << 16 |
			   SIM_ASSERT_EXT_SYND);
	/* mlx5_core detects the error by this field */
	sim_bar_write_be32(sdev, SIM_ISEG(health.rfr_severity), severity << 24);
	return 0;
}

/**
 * sim_power_gone() - mark a simulated function as pulled out of its slot
 * @sdev: simulated function whose config space has vanished
 */
void sim_power_gone(struct sim_dev *sdev)
{
	sim_power_set(sdev, SIM_POWER_GONE);
	sim_bar_gone(sdev);
}
