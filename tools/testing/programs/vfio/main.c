// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs the cases in the order of the table; each case needs the results of the cases before it:
 *
 *	referee PCI-ADDRESS
 *
 * Prints "ok CASE" for each case that passes. The first failure ends the program with
 * "not ok CASE: " and the reason.
 */
#include <stdio.h>
#include <string.h>

#include "referee.h"

#define BUF_SIZE	(256u << 10)
#define MANY_KEYS	2000u		/* mkeys, so that the device needs more pages */
#define QUIET_MS	300		/* time without an interrupt when none is expected */
#define LOUD_MS		120000

static u8 *from, *to;

static void fill(u8 *p, unsigned int len, unsigned int seed)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		p[i] = i * 31 + (i >> 8) * 7 + seed;
}

/* Executes a WRITE of @len bytes, and checks that it changes these bytes and no others. */
static void write_and_compare(struct referee *r, unsigned int len, unsigned int seed)
{
	unsigned int i;

	fill(from, len, seed);
	memset(to, 0xee, BUF_SIZE);
	post_write(r, from, to, len, true);
	wait_completion(r, r->sq_pi - 1);
	if (memcmp(from, to, len))
		die("%u bytes: other data", len);
	for (i = len; i < BUF_SIZE; i++)
		if (to[i] != 0xee)
			die("%u bytes: byte %u was written", len, i);
}

static void prepare_events(struct referee *r)
{
	msi_create(r);
	from = memory_get(BUF_SIZE, HW_PAGE);
	to = memory_get(BUF_SIZE, HW_PAGE);
}

static void write_loopback(struct referee *r)
{
	static const unsigned int sizes[] = { 1, 63, 64, 1024, 1025, 4096, 65536, BUF_SIZE };
	unsigned int i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		write_and_compare(r, sizes[i], i);
}

/* Posts chains of WQEs with one completion each, until the rings have wrapped several times. */
static void rings_wrap(struct referee *r)
{
	unsigned int i, n, total = 0;

	for (n = 1; total < 20 * SQ_ENTRIES; n = n % (SQ_ENTRIES - 1) + 1) {
		fill(from, n * 64, n);
		memset(to, 0, n * 64);
		for (i = 0; i < n; i++)
			post_write(r, from + i * 64, to + i * 64, 64, i == n - 1);
		wait_completion(r, r->sq_pi - 1);
		if (memcmp(from, to, n * 64))
			die("chain of %u: other data", n);
		total += n;
	}
}

/* With the CQ and the EQ armed, a completion raises an event and an interrupt. */
static void take_interrupt(struct referee *r)
{
	msi_poll(r, true);
	cq_arm(r);
	write_and_compare(r, 64, 1);
	if (!pci_interrupted(r, LOUD_MS))
		die("no interrupt");
	if (msi_poll(r, false) != 1)
		die("not one event");
}

/* An event does not interrupt until the EQ is armed again. */
static void single_shot(struct referee *r)
{
	cq_arm(r);
	write_and_compare(r, 64, 2);
	if (pci_interrupted(r, QUIET_MS))
		die("an interrupt of an EQ that is not armed");
	msi_poll(r, true);
	cq_arm(r);
	write_and_compare(r, 64, 3);
	if (!pci_interrupted(r, LOUD_MS))
		die("no interrupt after arming");
	if (msi_poll(r, false) != 1)
		die("not one event");
}

/* A CQ that was not armed raises no event. */
static void cq_not_armed(struct referee *r)
{
	msi_poll(r, true);
	write_and_compare(r, 64, 4);
	if (pci_interrupted(r, QUIET_MS) || msi_poll(r, false))
		die("an event of a CQ that is not armed");
}

/*
 * Creates so many mkeys that the device requests pages during a command
 */
static void page_requests(struct referee *r)
{
	unsigned int i, given = r->pages_given;
	static u32 index[MANY_KEYS];

	for (i = 0; i < MANY_KEYS; i++) {
		u8 in[BYTES(create_mkey_in)] = {}, out[BYTES(create_mkey_out)];
		u8 *mkc = PTR(create_mkey_in, in, memory_key_mkey_entry);

		SET(create_mkey_in, in, opcode, MLX5_CMD_OP_CREATE_MKEY);
		SET(mkc, mkc, length64, 1);
		SET(mkc, mkc, pd, r->pdn);
		SET(mkc, mkc, qpn, 0xffffff);
		SET(mkc, mkc, lr, 1);
		cmd_exec(r, in, sizeof(in), out, sizeof(out));
		index[i] = GET(create_mkey_out, out, mkey_index);
	}
	if (!r->page_requests || r->pages_given <= given)
		die("%u page requests, %u pages before, %u now", r->page_requests, given,
		    r->pages_given);
	for (i = 0; i < MANY_KEYS; i++) {
		u8 in[BYTES(destroy_mkey_in)] = {}, out[BYTES(destroy_mkey_out)];

		SET(destroy_mkey_in, in, opcode, MLX5_CMD_OP_DESTROY_MKEY);
		SET(destroy_mkey_in, in, mkey_index, index[i]);
		cmd_exec(r, in, sizeof(in), out, sizeof(out));
	}
	write_and_compare(r, 4096, 5);
}

/* Destroys all objects, stops the function, and checks that the device returned all pages. */
static void stop_function(struct referee *r)
{
	datapath_destroy(r);
	hca_stop(r);
	if (r->pages_given)
		die("%u pages are missing", r->pages_given);
}

static const struct {
	const char *name;
	void (*run)(struct referee *r);
} cases[] = {
	{ "start", hca_start },
	{ "capabilities", hca_capabilities },
	{ "init", hca_init },
	{ "events", prepare_events },
	{ "datapath", datapath_create },
	{ "write_loopback", write_loopback },
	{ "rings_wrap", rings_wrap },
	{ "interrupt", take_interrupt },
	{ "single_shot", single_shot },
	{ "cq_not_armed", cq_not_armed },
	{ "page_requests", page_requests },
	{ "stop", stop_function },
};

int main(int argc, char **argv)
{
	static struct referee r;
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 2) {
		fprintf(stderr, "usage: referee PCI-ADDRESS\n");
		return 2;
	}
	memory_open();
	pci_open(&r, argv[1]);
	pci_interrupt(&r);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		case_begin(cases[i].name);
		cases[i].run(&r);
		printf("ok %s\n", cases[i].name);
	}
	return 0;
}
