// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The end of a process: its seed determines the call and the time.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kill.h"

#define STEPS		200u	/* a cycle has fewer calls */
#define LATEST_US	3000u	/* of the timer */

static uint64_t state;
static unsigned int left, delay_us;

/* ends the process after a failure of its traffic or its objects */
void die(const char *what)
{
	fprintf(stderr, "victim: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* a number that the seed determines; successive seeds give unrelated numbers */
unsigned int draw(unsigned int below)
{
	uint64_t x;

	state += 0x9e3779b97f4a7c15ull;
	x = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (x ^ x >> 31) % below;
}

/* Choose when the process ends. Return: number of the call that arms the timer */
unsigned int plan_end(unsigned int seed)
{
	state = (uint64_t)seed << 32;
	left = 1 + draw(STEPS);
	delay_us = draw(4) ? draw(LATEST_US) : 0;
	return left;
}

static void arm_kill(void)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	struct itimerspec when = { .it_value.tv_nsec = delay_us * 1000 };
	timer_t timer;

	if (!delay_us)
		kill(getpid(), SIGKILL);
	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) || timer_settime(timer, 0, &when, NULL))
		die("timer");
}

/* Called before each call. @what: for the log */
void step(const char *what)
{
	if (!left || --left)
		return;
	printf("%u us later: %s\n", delay_us, what);
	fflush(stdout);
	arm_kill();
}
