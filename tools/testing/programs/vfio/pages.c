// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pages for the firmware. At boot and before INIT_HCA, the program gives the number of pages that
 * the firmware reports. Later, an event requests pages. The program gives these by a command in the
 * second slot, because the command in the first slot may wait for them. In the end all pages are
 * reclaimed.
 */
#include <stdlib.h>
#include <string.h>

#include "referee.h"

#define PER_CMD		480u		/* most pages of a MANAGE_PAGES command */
#define IN_BYTES	(BYTES(manage_pages_in) + PER_CMD * 8)
#define OUT_BYTES	(BYTES(manage_pages_out) + PER_CMD * 8)

/* in the command and in the response, the list of pages follows the first 16 bytes */
static void put_page(u8 *cmd, unsigned int i, u64 bus)
{
	put_bits(cmd + BYTES(manage_pages_in), i * 64, 64, bus);
}

static u64 get_page(const u8 *cmd, unsigned int i)
{
	return get_bits(cmd + BYTES(manage_pages_out), i * 64, 64);
}

static unsigned int batch_of(unsigned int n)
{
	return n < PER_CMD ? n : PER_CMD;
}

static void fill_header(struct referee *r, u8 *in, unsigned int op_mod, unsigned int n)
{
	memset(in, 0, IN_BYTES);
	SET(manage_pages_in, in, opcode, MLX5_CMD_OP_MANAGE_PAGES);
	SET(manage_pages_in, in, op_mod, op_mod);
	SET(manage_pages_in, in, function_id, r->function_id);
	SET(manage_pages_in, in, input_num_entries, n);
}

static unsigned int fill_give(struct referee *r, u8 *in, unsigned int n)
{
	unsigned int i;

	fill_header(r, in, MLX5_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_SUCCESS, n);
	for (i = 0; i < n; i++)
		put_page(in, i, memory_bus(memory_page_get()));
	r->pages_given += n;
	return BYTES(manage_pages_in) + n * 8;
}

static unsigned int taken_back(struct referee *r, const u8 *out)
{
	unsigned int i, n = GET(manage_pages_out, out, output_num_entries);

	if (n > PER_CMD || n > r->pages_given)
		die("the device returned %u pages of %u", n, r->pages_given);
	for (i = 0; i < n; i++)
		memory_page_put(get_page(out, i));
	r->pages_given -= n;
	return n;
}

/* Gives the pages that the firmware needs. @op_mod: for boot or for INIT_HCA */
void pages_boot(struct referee *r, unsigned int op_mod)
{
	u8 q[BYTES(query_pages_in)] = {}, a[BYTES(query_pages_out)], in[IN_BYTES];
	u8 out[BYTES(manage_pages_out)];
	unsigned int n, len;

	SET(query_pages_in, q, opcode, MLX5_CMD_OP_QUERY_PAGES);
	SET(query_pages_in, q, op_mod, op_mod);
	cmd_exec(r, q, sizeof(q), a, sizeof(a));
	r->function_id = GET(query_pages_out, a, function_id);
	for (n = GET(query_pages_out, a, num_pages); n; n -= batch_of(n)) {
		len = fill_give(r, in, batch_of(n));
		cmd_exec(r, in, len, out, sizeof(out));
	}
}

/* posts the next MANAGE_PAGES if the second slot is free and pages are requested or offered */
static void kick_pages(struct referee *r)
{
	u8 in[IN_BYTES];
	unsigned int n;

	if (r->pages_busy)
		return;
	if (r->pages_wanted) {
		n = batch_of(r->pages_wanted);
		r->pages_wanted -= n;
		r->pages_taking = false;
		cmd_post(r, &r->cmds[1], in, fill_give(r, in, n), BYTES(manage_pages_out));
		r->pages_busy = true;
	} else if (r->pages_surplus) {
		n = batch_of(r->pages_surplus);
		r->pages_surplus -= n;
		r->pages_taking = true;
		fill_header(r, in, MLX5_MANAGE_PAGES_IN_OP_MOD_HCA_RETURN_PAGES, n);
		cmd_post(r, &r->cmds[1], in, BYTES(manage_pages_in), OUT_BYTES);
		r->pages_busy = true;
	}
}

/* The device requests @n pages, or offers -@n pages if @n is negative. */
void pages_request(struct referee *r, u16 function_id, int n)
{
	if (function_id != r->function_id)
		die("page request of function %u", function_id);
	r->page_requests++;
	if (n > 0)
		r->pages_wanted += n;
	else
		r->pages_surplus += -n;
	kick_pages(r);
}

/* The MANAGE_PAGES in the second slot has completed. */
void pages_done(struct referee *r)
{
	u8 out[OUT_BYTES];

	if (!r->pages_busy)
		die("a response in the second slot, and no command");
	cmd_read(r, &r->cmds[1], out, r->pages_taking ? OUT_BYTES : BYTES(manage_pages_out));
	if (r->pages_taking)
		taken_back(r, out);
	r->pages_busy = false;
	kick_pages(r);
}

void pages_take_all(struct referee *r)
{
	u8 in[IN_BYTES], out[OUT_BYTES];

	while (r->pages_given) {
		unsigned int n = batch_of(r->pages_given);

		fill_header(r, in, MLX5_MANAGE_PAGES_IN_OP_MOD_HCA_RETURN_PAGES, n);
		cmd_exec(r, in, BYTES(manage_pages_in), out, BYTES(manage_pages_out) + n * 8);
		if (!taken_back(r, out))
			die("the device keeps %u pages", r->pages_given);
	}
}
