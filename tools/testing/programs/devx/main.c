// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * devx DEVICE CASE [SEED]: exits with 0 on success. Failures are printed on
 * standard error.
 */
#include <stdlib.h>
#include <string.h>

#include "devx.h"

static const struct test *const lists[] = {
	good_tests, recv_tests, bad_tests, async_tests, event_tests, kept_tests, limit_tests,
	killed_tests, dmabuf_tests,
};

static const struct test *find(const char *name)
{
	const struct test *t;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		for (t = lists[i]; t->name; t++)
			if (!strcmp(t->name, name))
				return t;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct test *t;

	if (argc != 3 && argc != 4)
		die("devx DEVICE CASE [SEED]");
	if (argc == 4)
		seed = strtoul(argv[3], NULL, 0);
	t = find(argv[2]);
	if (!t)
		die("no case %s", argv[2]);
	t->run(argv[1]);
	return faults ? 1 : 0;
}
