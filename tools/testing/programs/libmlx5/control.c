// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cost of creating and destroying objects in a process:
 *
 *	control DEVICE COMMANDS
 *
 * COMMANDS is the file of the simulated device that counts firmware commands. The program prints a
 * line for each operation. NANOSECONDS is the time of the calling thread, the median of PASSES
 * times ROUNDS operations. COMMANDS is the number of firmware commands of the last pass:
 *
 *	control OPERATION OBJECT SIZE NANOSECONDS COMMANDS OPERATIONS
 *
 * In a VM that counts instructions, a nanosecond is an instruction. The time of
 * the thread includes interrupts, but not the simulated device, which runs in
 * other threads. Two runs print the same figures only if the program has a
 * real-time priority (it is not preempted) and if another process keeps the
 * processor busy: after an idle time, the kernel may omit many instructions
 * from the time of a thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#define PASSES	16
#define ROUNDS	32
#define PAGE	4096
#define PAGES	256
#define SPARE	8	/* unused pages for each page of the MR */

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
	uint64_t create[PASSES * ROUNDS], destroy[PASSES * ROUNDS];
	unsigned long create_commands, destroy_commands;
};

static uint64_t now(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t))
		die("clock");
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Return: number of firmware commands that the device has executed */
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

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print(const char *operation, const struct object *o, uint64_t *times, uint64_t clock,
		  unsigned long sent)
{
	qsort(times, PASSES * ROUNDS, sizeof(*times), compare);
	printf("control %s %s %d %llu %lu %d\n", operation, o->name, o->size,
	       (unsigned long long)(times[PASSES * ROUNDS / 2] - clock), sent, ROUNDS);
}

/* creates ROUNDS objects, and then destroys all of them */
static void measure(const struct object *o, struct cost *cost, int pass)
{
	uint64_t *create = &cost->create[pass * ROUNDS], *destroy = &cost->destroy[pass * ROUNDS];
	unsigned long before, between;
	void *obj[ROUNDS];
	uint64_t t;
	int i;

	before = commands();
	for (i = 0; i < ROUNDS; i++) {
		t = now();
		obj[i] = o->create(o->size);
		create[i] = now() - t;
		if (!obj[i])
			die(o->name);
	}
	between = commands();
	for (i = 0; i < ROUNDS; i++) {
		t = now();
		errno = o->destroy(obj[i]);
		destroy[i] = now() - t;
		if (errno)
			die(o->name);
	}
	cost->create_commands = between - before;
	cost->destroy_commands = commands() - between;
}

/* Return: page frame number of @mem; only root may read it */
static uint64_t frame(int pagemap, const char *mem)
{
	uint64_t entry;

	if (pread(pagemap, &entry, sizeof(entry), (uintptr_t)mem / PAGE * sizeof(entry)) !=
	    sizeof(entry))
		die("pagemap");
	/* bits 55 to 63 are flags */
	return entry & ((1ull << 55) - 1);
}

/*
 * Return: PAGES pages that are not adjacent in physical memory, because the registration of
 * adjacent pages costs less. If the frame of a page follows the frame of the page before, the frame
 * is freed, a spare page gets this frame, and the page gets another frame.
 */
static char *scattered_memory(void)
{
	size_t len = PAGES * PAGE, spare = 0;
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	char *mem, *between;
	size_t i;

	mem = mmap(NULL, (1 + SPARE) * len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	if (mem == MAP_FAILED || madvise(mem, (1 + SPARE) * len, MADV_NOHUGEPAGE))
		die("memory");
	between = mem + len;
	for (i = 0; i < len; i += PAGE) {
		mem[i] = 1;
		while (i && frame(pagemap, mem + i) == frame(pagemap, mem + i - PAGE) + 1) {
			if (spare == SPARE * len)
				die("spare pages");
			between[spare] = 1;
			spare += PAGE;
			if (madvise(mem + i, PAGE, MADV_DONTNEED))
				die("page");
			between[spare] = 1;
			spare += PAGE;
			mem[i] = 1;
		}
	}
	close(pagemap);
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

/* Return: median time of reading the clock, in nanoseconds */
static uint64_t cost_of_clock(void)
{
	uint64_t times[ROUNDS], t;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		t = now();
		times[i] = now() - t;
	}
	qsort(times, ROUNDS, sizeof(*times), compare);
	return times[ROUNDS / 2];
}

int main(int argc, char **argv)
{
	static struct cost cost;
	uint64_t clock;
	unsigned int i;
	int pass;

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
	clock = cost_of_clock();
	for (i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		for (pass = 0; pass < PASSES; pass++)
			measure(&objects[i], &cost, pass);
		print("create", &objects[i], cost.create, clock, cost.create_commands);
		print("destroy", &objects[i], cost.destroy, clock, cost.destroy_commands);
	}
	return 0;
}
