/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Exports of device/: a pass of the hardware thread, reset, power, plug and
 * unplug, and the list of faults.
 */
#ifndef MLX5SIM_DEVICE_DEVICE_H
#define MLX5SIM_DEVICE_DEVICE_H

#include <linux/types.h>

struct sim_dev;

/* ---- device.c ---- */

void sim_dev_reset(struct sim_dev *sdev);

/* ---- fault_state.c ---- */

int sim_fault_init(struct sim_dev *sdev);
void sim_fault_exit(struct sim_dev *sdev);
void sim_fault_reset(struct sim_dev *sdev);

/* ---- pass.c ---- */

void sim_beat(void);
void sim_tick(void);
bool sim_pass(void);

/* ---- plug.c ---- */

int sim_plug(struct sim_dev *sdev);
int sim_unplug(struct sim_dev *sdev, u32 ms);
void sim_plug_close(void);
int sim_plug_init(void);

/* ---- power.c ---- */

const char *sim_power_name(struct sim_dev *sdev);
bool sim_power_wants_reset(struct sim_dev *sdev);
void sim_power_disable(struct sim_dev *sdev);
bool sim_power_poll(struct sim_dev *sdev);
void sim_power_reset(struct sim_dev *sdev);
int sim_power_stall(struct sim_dev *sdev);
int sim_power_resume(struct sim_dev *sdev);
int sim_power_fatal(struct sim_dev *sdev);
void sim_power_gone(struct sim_dev *sdev);

#endif /* MLX5SIM_DEVICE_DEVICE_H */
