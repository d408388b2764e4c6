// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * fuzz DEVICE SEED SECONDS [FILE TEXT]: runs processes, two at a time, whose requests are changed
 * at random. Up to four threads of a process share one or two contexts. A process ends when its
 * threads have executed their steps, or earlier by SIGKILL at a random time. The kernel destroys
 * the objects of the process.
 *
 * With FILE, the program writes TEXT to FILE at a random time, which removes the device. The
 * running processes continue without the device until they end, and no further process is started.
 *
 * SEED and the number of the process determine its random numbers. The scheduler determines the
 * order of the threads and of the two processes. A library that gets an unexpected response may
 * crash. The program counts such processes, but does not report a failure.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kill/race/act.h"
#include "fuzz.h"

#define PROCESSES	2
#define THREADS		4
#define STEPS		400	/* steps of all threads of a process */
#define HUNT_STEPS	2000	/* steps of a process that hunts numbers (hunt.c) */
#define MAX_SECONDS	30	/* then a signal ends a process that waits */
#define LATEST_KILL_MS	2000
#define GONE_MS		300	/* time that a process runs without its device */
#define UNUSABLE	2

struct worker {
	pthread_t thread;
	u64 seed;
	struct end e;
};

static struct worker workers[THREADS];
static struct end contexts[CONTEXTS];
static u32 num_contexts, num_threads;
static bool hunting;

/* one thread creates objects, and the other threads use the numbers of these objects in advance */
static void one_hunt(struct worker *w)
{
	if (w == workers)
		bar_step(&w->e);
	else
		hunt_step(&w->e);
}

static void one_step(struct end *e)
{
	u32 p = below(100);

	if (p < 25)
		replay_step();
	else if (p < 31)
		raw_ioctl();
	else if (p < 34)
		raw_write();
	else if (p < 37)
		raw_mmap();
	else if (p < 39)
		raw_fork();
	else if (p < 50)
		data_step(e);
	else if (p < 65)
		verbs_step(e);
	else if (p < 80)
		kinds_step(e);
	else
		devx_step(e);
}

/* gives a thread its own memory and UMEM; the context may belong to several threads */
static void begin_thread(struct worker *w, const struct end *context)
{
	w->e = *context;
	w->e.mem = mmap(NULL, MEM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	if (w->e.mem == MAP_FAILED)
		die("no memory");
	w->e.umem = mlx5dv_devx_umem_reg(w->e.ctx, w->e.mem, MEM_BYTES, IBV_ACCESS_LOCAL_WRITE);
	if (!w->e.umem)
		die("no UMEM: %s", strerror(errno));
	devx_begin(&w->e);
	verbs_begin(&w->e);
}

static void *run_thread(void *arg)
{
	struct worker *w = arg;
	u32 steps = (hunting ? HUNT_STEPS : STEPS) / num_threads;
	const struct end *context;

	seed_random(w->seed);
	context = &contexts[below(num_contexts)];
	my_fd = context->ctx->cmd_fd;
	cover_thread();
	begin_thread(w, context);
	percent = hunting ? 0 : 5 + below(60);
	hunts = hunting;
	while (steps--) {
		if (hunting)
			one_hunt(w);
		else
			one_step(&w->e);
		if (__atomic_load_n(&shared->acted, __ATOMIC_RELAXED))
			sleep_us(GONE_MS * 1000 / STEPS * num_threads);
	}
	return NULL;
}

/* SIGKILL ends this process after @ms milliseconds */
static void arm_kill(u32 ms)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	struct itimerspec when = {
		.it_value = { .tv_sec = ms / 1000, .tv_nsec = 1 + ms % 1000 * 1000000 },
	};
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) || timer_settime(timer, 0, &when, NULL))
		die("no timer");
}

static void run_process(const char *device, u64 seed)
{
	u32 i;

	/* discard the messages of the libraries and of box.c about refused requests */
	if (!freopen("/dev/null", "w", stderr))
		exit(UNUSABLE);
	alarm(MAX_SECONDS);
	seed_random(seed);
	num_contexts = 1 + in_percent(40);
	num_threads = 1 + below(THREADS);
	hunting = in_percent(25);
	if (hunting) {
		num_contexts = 1;
		num_threads = THREADS;
	}
	for (i = 0; i < num_contexts; i++) {
		open_end(&contexts[i], device);
		fuzzed_fds[i] = contexts[i].ctx->cmd_fd;
	}
	if (in_percent(30))
		arm_kill(below(LATEST_KILL_MS));
	for (i = 0; i < num_threads; i++) {
		workers[i].seed = next_random();
		if (pthread_create(&workers[i].thread, NULL, run_thread, &workers[i]))
			die("no thread");
	}
	for (i = 0; i < num_threads; i++)
		pthread_join(workers[i].thread, NULL);
	_exit(0);
}

struct run {
	const char *device;
	u64 seed;
	time_t end;
	unsigned long processes;
	unsigned long signals;
	u32 running;
	pid_t act;
};

static void start_process(struct run *run)
{
	pid_t pid = fork();

	if (pid < 0)
		die("no process");
	if (!pid)
		run_process(run->device, run->seed + run->processes);
	run->processes++;
	run->running++;
}

static void wait_process(struct run *run)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	if (pid < 0)
		die("waitpid: %s", strerror(errno));
	if (pid == run->act) {
		run->act = 0;
		if (status)
			die("the device did not go");
		return;
	}
	run->running--;
	run->signals += WIFSIGNALED(status);
	if (WIFEXITED(status) && WEXITSTATUS(status) && !shared->acted)
		die("a process of %lu with seed %llu cannot use the device", run->processes,
		    (unsigned long long)run->seed);
}

static void run_all(struct run *run)
{
	for (;;) {
		bool more = time(NULL) < run->end && !shared->acted;

		while (more && run->running < PROCESSES)
			start_process(run);
		if (!run->running && !run->act)
			return;
		wait_process(run);
	}
}

int main(int argc, char **argv)
{
	struct act act = {};
	struct run run = {};
	u32 seconds;

	if (argc != 4 && argc != 6)
		die("fuzz DEVICE SEED SECONDS [FILE TEXT]");
	run.device = argv[1];
	run.seed = strtoull(argv[2], NULL, 0);
	seconds = atoi(argv[3]);
	run.end = time(NULL) + seconds;
	share_memory();
	has_kcov = !access("/sys/kernel/debug/kcov", F_OK);
	if (argc == 6) {
		act = (struct act){ argv[4], argv[5], &shared->changed, &shared->acted };
		run.end += MAX_SECONDS;
		seed_random(run.seed);
		run.act = start_act(&act, below(seconds * 1000) * 1000);
		if (run.act < 0)
			die("no process");
	}
	run_all(&run);
	printf("seed %llu: %lu processes, %lu ended by a signal, ", (unsigned long long)run.seed,
	       run.processes, run.signals);
	printf("%lu requests, %lu changed, ", shared->requests, shared->changed);
	printf("%lu without a place for the response, %lu sequences repeated\n", shared->barred,
	       shared->repeated);
	printf("%u %s, %u sequences\n", shared->found,
	       has_kcov ? "edges of mlx5_ibx" : "kinds of responses", shared->entries);
	return 0;
}
