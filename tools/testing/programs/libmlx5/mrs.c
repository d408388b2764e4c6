// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Many MRs of a process:
 *
 *	mrs DEVICE NUMBER
 *
 * registers NUMBER MRs of a page each, prints "ready", and exits at the end of its input. Each MR
 * has an mkey of the device.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#define PAGE	4096

static void die(const char *what)
{
	fprintf(stderr, "mrs: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list && list[i] && !ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (!ctx)
		die(name);
	return ctx;
}

int main(int argc, char **argv)
{
	char *page = aligned_alloc(PAGE, PAGE);
	struct ibv_pd *pd;
	long i;

	if (argc != 3) {
		fprintf(stderr, "usage: mrs DEVICE NUMBER\n");
		return 1;
	}
	pd = ibv_alloc_pd(open_device(argv[1]));
	if (!pd || !page)
		die("PD or page");
	for (i = 0; i < atol(argv[2]); i++)
		if (!ibv_reg_mr(pd, page, PAGE, IBV_ACCESS_LOCAL_WRITE))
			die("MR");
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
