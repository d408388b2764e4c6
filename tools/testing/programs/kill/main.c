// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * victim DEVICE_A GID_INDEX_A DEVICE_B GID_INDEX_B SEED COUNT
 *
 * Runs COUNT processes, one after the other. Each creates and destroys objects
 * on both devices in a cycle, and sends data between the devices. A random call
 * arms a timer that sends SIGKILL: the process ends in the call that it executes
 * when the timer expires. SEED, SEED + 1 and so on determine the calls and the
 * times. Exits with 0 if each process ended by SIGKILL.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kill.h"

#define STUCK_SECONDS	900u	/* then SIGALRM ends a process that SIGKILL has not ended */

static noreturn void live(struct end *a, struct end *b)
{
	alarm(STUCK_SECONDS);
	start_pump(a, b);
	for (;;) {
		open_end(a);
		open_end(b);
		make_objects(a);
		make_objects(b);
		make_ah(a, b);
		make_ah(b, a);
		make_qps(a);
		make_qps(b);
		join_group(a);
		join_group(b);
		connect_qps(a, b);
		move_data(a, b);
		drop_all();
	}
}

/* Return: 0 if SIGKILL ended the process, else 1 */
static int kill_one(struct end *a, struct end *b, unsigned int seed)
{
	int status;
	pid_t pid;

	printf("seed %u, call %u, ", seed, plan_end(seed));
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		live(a, b);
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return 0;
	fprintf(stderr, "victim: seed %u: ended with status %#x\n", seed, status);
	return 1;
}

int main(int argc, char **argv)
{
	struct end a = {}, b = {};
	unsigned int seed, count;
	int bad = 0;

	if (argc != 7) {
		fprintf(stderr, "victim DEVICE_A GID_A DEVICE_B GID_B SEED COUNT\n");
		return 2;
	}
	a.device = argv[1];
	a.gid_index = atoi(argv[2]);
	b.device = argv[3];
	b.gid_index = atoi(argv[4]);
	seed = strtoul(argv[5], NULL, 0);
	for (count = strtoul(argv[6], NULL, 0); count; count--)
		bad += kill_one(&a, &b, seed++);
	return bad ? 1 : 0;
}
