// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whether the device works: running, stalled, dead or gone.
 *
 * A stopped device executes no command and no WQE, receives no packet and sends
 * no interrupt. It is stopped
 *
 *  - when bus mastering is off: what needs DMA waits until it is on;
 *  - when it is stalled: its health counter stands still, no register says why, and it
 *    may continue later as if nothing had happened;
 *  - when it is dead: the health buffer says what firmware found, and requests a
 *    reset. The driver asks for the reset in the field of the init segment that
 *    otherwise selects the interface, and the function is then as after power-on, with
 *    that interface disabled. A function level reset does the same;
 *  - when it is gone: every register reads all ones.
 *
 * A dead or missing device has no link either. The host is not told of the link of a
 * missing device, and the netdev keeps its carrier until the driver unbinds. Everything
 * here runs on the hardware thread.
 */
#include <linux/io.h>
#include <linux/ktime.h>

#include "core/core.h"
#include "device/device.h"
#include "host/host.h"

#define SIM_ISEG(field)		offsetof(struct mlx5_init_seg, field)
#define SIM_NIC_IFC_MASK	7

/* What a dead device's health buffer holds beside severity and syndrome: easy to tell */
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
 * sim_power_name() - what debugfs calls the state of the device
 * @sdev: the function
 *
 * Any context.
 *
 * Return: its name; "off" while nothing is plugged.
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
	/* a stalled device keeps its link; nobody answers on it */
	if (power >= SIM_POWER_DEAD)
		WRITE_ONCE(sdev->port_up, false);
}

static u32 sim_nic_ifc(struct sim_dev *sdev)
{
	return sim_bar_read_be32(sdev, SIM_ISEG(cmdq_addr_l_sz)) >> MLX5_NIC_IFC_OFFSET &
	       SIM_NIC_IFC_MASK;
}

/**
 * sim_power_wants_reset() - has the driver asked a dead device for a reset?
 * @sdev: a function that is plugged
 *
 * Hardware thread.
 *
 * Return: true until the reset.
 */
bool sim_power_wants_reset(struct sim_dev *sdev)
{
	return unlikely(sdev->power == SIM_POWER_DEAD) &&
	       sim_nic_ifc(sdev) == MLX5_INITIAL_SEG_NIC_INTERFACE_SW_RESET;
}

/**
 * sim_power_poll() - does the function work?
 * @sdev: a function that is plugged
 *
 * Hardware thread, once in each pass. Notes whether bus mastering is on.
 *
 * Return: true if it does.
 */
bool sim_power_poll(struct sim_dev *sdev)
{
	sim_power_note(sdev);
	return !sdev->stopped;
}

/**
 * sim_power_reset() - the function works again
 * @sdev: the function, being reset
 */
void sim_power_reset(struct sim_dev *sdev)
{
	if (sdev->power != SIM_POWER_ON)
		sim_power_set(sdev, SIM_POWER_ON);
}

/**
 * sim_power_stall() - the device hangs, and nothing says so
 * @sdev: the function
 *
 * Return: 0, or -EBUSY when it is dead or gone.
 */
int sim_power_stall(struct sim_dev *sdev)
{
	if (sdev->power > SIM_POWER_STALLED)
		return -EBUSY;
	sim_power_set(sdev, SIM_POWER_STALLED);
	return 0;
}

/**
 * sim_power_resume() - a stalled device goes on where it stopped
 * @sdev: the function
 *
 * Return: 0, or -EBUSY when it is dead or gone.
 */
int sim_power_resume(struct sim_dev *sdev)
{
	if (sdev->power > SIM_POWER_STALLED)
		return -EBUSY;
	sim_power_set(sdev, SIM_POWER_ON);
	return 0;
}

/**
 * sim_power_fatal() - firmware dies of an internal error
 * @sdev: the function
 *
 * Fills the health buffer in as mlx5_core reads it: an internal error, critical,
 * reset requested.
 *
 * Return: 0, or -EBUSY when it is gone.
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
	/* the driver takes notice of this one */
	sim_bar_write_be32(sdev, SIM_ISEG(health.rfr_severity), severity << 24);
	return 0;
}

/**
 * sim_power_gone() - the function is pulled out of its slot
 * @sdev: the function; its config space is gone already
 */
void sim_power_gone(struct sim_dev *sdev)
{
	sim_power_set(sdev, SIM_POWER_GONE);
	sim_bar_gone(sdev);
}
