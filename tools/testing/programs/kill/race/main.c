// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * racer DEVICE SEED COUNT [FILE TEXT]: runs COUNT processes, one after the other. The ten threads
 * of a process share a context. Each process ends by SIGKILL at a random time. With FILE there is
 * only one process, and TEXT is written to FILE at a random time: this removes the device. SIGKILL
 * is sent before, during or after the removal.
 *
 * SEED, SEED + 1 and so on determine the times and the actions of each thread; the scheduler
 * determines the order of the threads. Exits with 0 if every thread of every process has completed
 * a round, no call failed before the removal, and each process ended by SIGKILL.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act.h"
#include "race.h"

#define WORKERS		10
#define READY_SECONDS	240	/* time limit for the first rounds of all threads; debug kernel */
#define LATEST_US	1000000	/* latest time of SIGKILL and of the removal */
#define POLL_US		5000

static struct worker workers[WORKERS] = {
	{ .name = "umems", .round = umems_round },
	{ .name = "mover", .round = mover_round },
	{ .name = "channels", .round = channels_round },
	{ .name = "queries", .round = queries_round },
	{ .name = "reader", .round = reader_round },
	{ .name = "mrs", .round = mrs_round },
	{ .name = "cqs", .round = cqs_round },
	{ .name = "qps", .round = qps_round },
	{ .name = "xrc", .round = xrc_round },
	{ .name = "events", .round = events_round },
};

/* memory shared by the program and its processes. @ready: all threads have completed a round */
static struct {
	int acted;
	unsigned long ready;
	u32 rounds[WORKERS];
} *shared;

static struct end context;

/* Handler of exit(): after the removal, a thread that calls exit() waits for SIGKILL instead. */
static void wait_for_kill(void)
{
	while (is_gone())
		pause();
}

static void *run_worker(void *arg)
{
	struct worker *w = arg;
	u32 *rounds = &shared->rounds[w - workers];

	w->e.mem = mmap(NULL, MEM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	if (w->e.mem == MAP_FAILED)
		die("no memory");
	w->e.umem = mlx5dv_devx_umem_reg(w->e.ctx, w->e.mem, MEM_BYTES, IBV_ACCESS_LOCAL_WRITE);
	if (!w->e.umem)
		failed("UMEM");
	for (;;) {
		if (!w->round(w))
			sleep_us(POLL_US);
		__atomic_add_fetch(rounds, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static noreturn void run_process(const char *device, u64 state)
{
	pthread_t thread;
	int i;

	atexit(wait_for_kill);
	open_end(&context, device);
	for (i = 0; i < WORKERS; i++) {
		workers[i].e = context;
		workers[i].state = mix(&state);
		if (pthread_create(&thread, NULL, run_worker, &workers[i]))
			die("no thread");
	}
	for (;;)
		pause();
}

/* Waits until each thread has completed a round. Return: false if one has not */
static bool wait_ready(pid_t pid, int *status)
{
	u32 i, tries;

	for (tries = 0; tries < READY_SECONDS * (1000000 / POLL_US); tries++) {
		for (i = 0; i < WORKERS; i++)
			if (!__atomic_load_n(&shared->rounds[i], __ATOMIC_RELAXED))
				break;
		if (i == WORKERS)
			return true;
		if (waitpid(pid, status, WNOHANG) == pid)
			return false;
		sleep_us(POLL_US);
	}
	printf("%s has done nothing\n", workers[i].name);
	kill(pid, SIGKILL);
	return false;
}

static void say_rounds(void)
{
	u32 i;

	printf("rounds:");
	for (i = 0; i < WORKERS; i++)
		printf(" %s %u", workers[i].name, shared->rounds[i]);
	printf("\n");
	fflush(stdout);
}

/* @act: NULL to kill the process without a removal. Return: false after a failure */
static bool run_one(const char *device, unsigned int seed, struct act *act)
{
	u64 state = (u64)seed << 32;
	u32 kill_us = mix(&state) % LATEST_US, act_us = mix(&state) % LATEST_US;
	int status = 0;
	pid_t pid, actor = 0;
	bool ok = true;

	memset(shared, 0, sizeof(*shared));
	printf("seed %u: SIGKILL after %u us", seed, kill_us);
	if (act)
		printf(", device goes after %u us", act_us);
	printf("\n");
	fflush(stdout);
	pid = fork();
	if (!pid)
		run_process(device, state);
	if (pid > 0 && act)
		actor = start_act(act, act_us);
	if (pid < 0 || actor < 0)
		die("no process");
	ok = wait_ready(pid, &status);
	__atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
	sleep_us(kill_us);
	kill(pid, SIGKILL);
	if (ok && waitpid(pid, &status, 0) != pid)
		die("waitpid: %s", strerror(errno));
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
		printf("ended with status %#x\n", status);
		ok = false;
	}
	if (actor && (waitpid(actor, &status, 0) != actor || status))
		ok = false;
	say_rounds();
	return ok;
}

int main(int argc, char **argv)
{
	struct act act = {};
	unsigned int seed, count;
	bool ok = true;

	if (argc != 4 && argc != 6)
		die("racer DEVICE SEED COUNT [FILE TEXT]");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		die("no memory");
	acted = &shared->acted;
	seed = strtoul(argv[2], NULL, 0);
	count = argc == 6 ? 1 : strtoul(argv[3], NULL, 0);
	act.begun = &shared->ready;
	act.acted = acted;
	act.file = argv[4];
	act.text = argc == 6 ? argv[5] : NULL;
	for (; ok && count; count--)
		ok = run_one(argv[1], seed++, argc == 6 ? &act : NULL);
	return ok ? 0 : 1;
}
