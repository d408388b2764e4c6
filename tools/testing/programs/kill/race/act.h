/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Removal of the device of running processes, by a write to a file of sysfs or debugfs at a random
 * time.
 */
#ifndef RACE_ACT_H
#define RACE_ACT_H

#include <sys/types.h>

/**
 * struct act - a removal of the device
 * @file: file to write to
 * @text: text to write
 * @begun: not 0 once the processes use the device; in shared memory
 * @acted: set before the write; in shared memory
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
