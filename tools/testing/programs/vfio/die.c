// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The end of the program after a failed check. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "referee.h"

static const char *running = "nothing";

/* @name: the case that begins; die() prints the name */
void case_begin(const char *name)
{
	running = name;
}

void die(const char *fmt, ...)
{
	va_list args;

	printf("not ok %s: ", running);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	exit(1);
}
