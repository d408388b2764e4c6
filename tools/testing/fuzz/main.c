// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * fuzz DEVICE SEED SECONDS: processes one after the other, each with a context, whose requests are
 * changed at random. The numbers of a process follow from SEED and the number of the process, which
 * are printed. The kernel destroys the objects that a process leaves. The libraries that the
 * program links to see answers that they do not expect, so a process may end by a signal; that is
 * counted, and no fault.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define STEPS		400
#define MAX_SECONDS	30	/* of a process; one that waits is killed */

struct sums {
	unsigned long requests;
	unsigned long changed;
};

static void run_process(const char *device, u64 seed, struct sums *sums)
{
	unsigned int i;

	/* without the messages of the libraries and of box.c about refused requests */
	if (!freopen("/dev/null", "w", stderr))
		exit(2);
	alarm(MAX_SECONDS);
	seed_random(seed);
	devx_begin(device);
	percent = 5 + below(60);
	for (i = 0; i < STEPS; i++) {
		devx_step();
		sums->requests = requests;
		sums->changed = changed;
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned long processes = 0, signals = 0, total = 0, mutated = 0;
	struct sums *sums;
	time_t end;
	pid_t pid;
	u64 seed;
	int status;

	if (argc != 4)
		die("fuzz DEVICE SEED SECONDS");
	seed = strtoull(argv[2], NULL, 0);
	end = time(NULL) + atoi(argv[3]);
	sums = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sums == MAP_FAILED)
		die("no memory");
	for (; time(NULL) < end; processes++) {
		memset(sums, 0, sizeof(*sums));
		pid = fork();
		if (pid < 0)
			die("no process");
		if (!pid)
			run_process(argv[1], seed + processes, sums);
		waitpid(pid, &status, 0);
		signals += WIFSIGNALED(status);
		if (WIFEXITED(status) && WEXITSTATUS(status))
			die("process %lu of seed %llu cannot use the device", processes,
			    (unsigned long long)seed);
		total += sums->requests;
		mutated += sums->changed;
	}
	printf("seed %llu: %lu processes, %lu ended by a signal, %lu requests, %lu changed\n",
	       (unsigned long long)seed, processes, signals, total, mutated);
	return 0;
}
