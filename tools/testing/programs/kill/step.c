// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The end of a process by SIGKILL. The seed of the process determines the call
 * that arms the timer, and the time until the timer expires.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kill.h"

#define STEPS		200u	/* more than the calls of a cycle */
#define LATEST_US	3000u	/* longest time of the timer */

static uint64_t state;
static unsigned int left, delay_us;

/* ends the process with status 1, because a call or a work request failed; prints errno */
void die(const char *what)
{
	fprintf(stderr, "victim: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Return: a number less than @below; the seed determines the sequence of the numbers */
unsigned int draw(unsigned int below)
{
	uint64_t x;

	state += 0x9e3779b97f4a7c15ull;
	x = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (x ^ x >> 31) % below;
}

/* Chooses the call that arms the timer, and the time of the timer. Return: number of the call */
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

/* Counts a call; @what is its name. Arms the timer before the call that plan_end() chose. */
void step(const char *what)
{
	if (!left || --left)
		return;
	printf("%u us later: %s\n", delay_us, what);
	fflush(stdout);
	arm_kill();
}
