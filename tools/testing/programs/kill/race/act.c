// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Removal of a device. A separate process writes to the file, because the write() blocks until the
 * driver has released the device.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "act.h"

#define POLL_US	5000

void sleep_us(unsigned int us)
{
	struct timespec time = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };

	nanosleep(&time, NULL);
}

/*
 * Starts a process that removes the device @us microseconds after act->begun is set.
 *
 * Return: pid of the process, which exits with 0 after a successful write; -1 if fork() fails
 */
pid_t start_act(const struct act *act, unsigned int us)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	while (!__atomic_load_n(act->begun, __ATOMIC_ACQUIRE))
		sleep_us(POLL_US);
	sleep_us(us);
	__atomic_store_n(act->acted, 1, __ATOMIC_SEQ_CST);
	fd = open(act->file, O_WRONLY);
	if (fd >= 0 && syscall(SYS_write, fd, act->text, strlen(act->text)) > 0)
		_exit(0);
	fprintf(stderr, "%s: %s\n", act->file, strerror(errno));
	_exit(1);
}
