/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Taking a device away from processes: by a write to a file of sysfs or debugfs, at a random time.
 */
#ifndef RACE_ACT_H
#define RACE_ACT_H

#include <sys/types.h>

/**
 * struct act - what takes the device away
 * @file: file to write to
 * @text: text to write
 * @begun: not 0 when the processes are at work, in memory that they share
 * @acted: set before the write, in memory that they share
 */
struct act {
	const char *file;
	const char *text;
	const unsigned long *begun;
	int *acted;
};

void sleep_us(unsigned int us);
pid_t start_act(const struct act *act, unsigned int us);

#endif /* RACE_ACT_H */
