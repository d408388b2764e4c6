// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What it costs a process to create and to destroy objects:
 *
 *	control DEVICE COMMANDS
 *
 * COMMANDS is the file of the simulated device that counts firmware commands. A line for each
 * operation has the time of the calling thread in nanoseconds, the least of PASSES times ROUNDS,
 * and the number of firmware commands of the last pass:
 *
 *	control OPERATION OBJECT SIZE NANOSECONDS COMMANDS OPERATIONS
 *
 * A nanosecond is an instruction in a VM that counts those. The time of the thread has no
 * instructions of the simulated device, which runs in threads of its own, but those of interrupts,
 * so that the least of few operations varies.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <infiniband/verbs.h>

#define PASSES	16
#define ROUNDS	32
#define PAGE	4096
#define PAGES	256

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static char *buf;
static const char *counts;

static void die(const char *what)
{
	fprintf(stderr, "control: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *create_cq(int size)
{
	return ibv_create_cq(ctx, size, NULL, NULL, 0);
}

static int destroy_cq(void *obj)
{
	return ibv_destroy_cq(obj);
}

static void *create_qp(int size)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { size, size, 1, 1, 0 },
	};

	return ibv_create_qp(pd, &attr);
}

static int destroy_qp(void *obj)
{
	return ibv_destroy_qp(obj);
}

static void *reg_mr(int pages)
{
	return ibv_reg_mr(pd, buf, (size_t)pages * PAGE,
			  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
}

static int dereg_mr(void *obj)
{
	return ibv_dereg_mr(obj);
}

static const struct object {
	const char *name;
	int size;
	void *(*create)(int size);
	int (*destroy)(void *obj);
} objects[] = {
	{ "cq", 64, create_cq, destroy_cq },
	{ "qp", 16, create_qp, destroy_qp },
	{ "mr", 1, reg_mr, dereg_mr },
	{ "mr", PAGES, reg_mr, dereg_mr },
};

struct cost {
	uint64_t create, destroy;
	unsigned long create_commands, destroy_commands;
};

static uint64_t now(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t))
		die("clock");
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* of all kinds, so far */
static unsigned long commands(void)
{
	unsigned long sum = 0, n;
	FILE *f = fopen(counts, "r");
	char line[200];

	if (!f)
		die(counts);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %*s %lu", &n) == 1)
			sum += n;
	fclose(f);
	return sum;
}

static void print(const char *operation, const struct object *o, uint64_t best, unsigned long sent)
{
	printf("control %s %s %d %llu %lu %d\n", operation, o->name, o->size,
	       (unsigned long long)best, sent, ROUNDS);
}

/* creates ROUNDS objects, which exist at the same time, and destroys them */
static void measure(const struct object *o, struct cost *cost)
{
	unsigned long before, between;
	void *obj[ROUNDS];
	uint64_t t;
	int i;

	before = commands();
	for (i = 0; i < ROUNDS; i++) {
		t = now();
		obj[i] = o->create(o->size);
		t = now() - t;
		if (!obj[i])
			die(o->name);
		cost->create = t < cost->create ? t : cost->create;
	}
	between = commands();
	for (i = 0; i < ROUNDS; i++) {
		t = now();
		errno = o->destroy(obj[i]);
		t = now() - t;
		if (errno)
			die(o->name);
		cost->destroy = t < cost->destroy ? t : cost->destroy;
	}
	cost->create_commands = between - before;
	cost->destroy_commands = commands() - between;
}

/*
 * Memory of PAGES pages, few of which are neighbours in physical memory: the number of those that
 * are decides what registering costs. Addresses that are touched one after the other usually get
 * neighbouring pages, so pages of the MR and pages for no use are touched in turn.
 */
static char *scattered_memory(void)
{
	size_t len = PAGES * PAGE;
	char *mem, *between;
	size_t i;

	mem = mmap(NULL, 2 * len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED || madvise(mem, 2 * len, MADV_NOHUGEPAGE))
		die("memory");
	between = mem + len;
	for (i = 0; i < len; i += PAGE) {
		mem[i] = 1;
		between[i] = 1;
	}
	return mem;
}

static void open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (!ctx)
		die(name);
}

int main(int argc, char **argv)
{
	uint64_t none = UINT64_MAX, t;
	unsigned int i, pass;

	if (argc != 3) {
		fprintf(stderr, "control DEVICE COMMANDS\n");
		return 1;
	}
	counts = argv[2];
	open_device(argv[1]);
	pd = ibv_alloc_pd(ctx);
	cq = ibv_create_cq(ctx, 64, NULL, NULL, 0);
	buf = scattered_memory();
	if (!pd || !cq)
		die("PD or CQ");
	for (i = 0; i < ROUNDS; i++) {
		t = now();
		t = now() - t;
		none = t < none ? t : none;
	}
	for (i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		struct cost cost = { .create = UINT64_MAX, .destroy = UINT64_MAX };

		for (pass = 0; pass < PASSES; pass++)
			measure(&objects[i], &cost);
		print("create", &objects[i], cost.create - none, cost.create_commands);
		print("destroy", &objects[i], cost.destroy - none, cost.destroy_commands);
	}
	return 0;
}
