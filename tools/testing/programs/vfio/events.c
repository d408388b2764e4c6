// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two EQs: EQ "events" is polled for page requests and completions of commands; EQ "msi" raises an
 * interrupt for completions of work requests.
 */
#include "referee.h"

/* offsets in the UAR page */
#define REG_EQ_ARM	0x40
#define REG_EQ		0x48

#define EVENT_CMD	0x0a
#define EVENT_PAGES	0x0b
#define EVENT_COMP	0x00
#define EQE_BYTES	64

static void eq_consume(struct referee *r, struct eq *eq, unsigned int n, bool arm)
{
	eq->ci += n;
	reg_write32(r, uar_reg(r, arm ? REG_EQ_ARM : REG_EQ), eq->eqn << 24 | (eq->ci & 0xffffff));
}

static u8 *eq_next(struct eq *eq, unsigned int ahead)
{
	u32 i = eq->ci + ahead;
	u8 *eqe = eq->buf + i % EQ_ENTRIES * EQE_BYTES;

	if ((load_byte(eqe + EQE_BYTES - 1) & 1) != !!(i & EQ_ENTRIES))
		return NULL;
	__sync_synchronize();
	return eqe;
}

static void create_eq(struct referee *r, struct eq *eq, u64 events, unsigned int vector)
{
	u8 in[BYTES(create_eq_in) + 8] = {}, out[BYTES(create_eq_out)];
	u8 *eqc = PTR(create_eq_in, in, eq_context_entry);
	unsigned int i;

	eq->buf = memory_get(EQ_ENTRIES * EQE_BYTES, HW_PAGE);
	for (i = 0; i < EQ_ENTRIES; i++)
		eq->buf[i * EQE_BYTES + EQE_BYTES - 1] = 1;
	SET(create_eq_in, in, opcode, MLX5_CMD_OP_CREATE_EQ);
	put_bits(PTR(create_eq_in, in, event_bitmask), 0, 64, events);
	SET(eqc, eqc, log_eq_size, LOG_EQ_ENTRIES);
	SET(eqc, eqc, uar_page, r->uar);
	SET(eqc, eqc, intr, vector);
	put_bits(in + BYTES(create_eq_in), 0, 64, memory_bus(eq->buf));
	cmd_exec(r, in, sizeof(in), out, sizeof(out));
	eq->eqn = GET(create_eq_out, out, eq_number);
	eq->ci = 0;
}

/* Handles page requests, and completions of the MANAGE_PAGES commands that answer them. */
void events_poll(struct referee *r)
{
	unsigned int n = 0;
	u8 *eqe, *data;

	if (!r->events.eqn)
		return;
	for (; (eqe = eq_next(&r->events, n)); n++) {
		data = PTR(eqe, eqe, event_data);
		switch (GET(eqe, eqe, event_type)) {
		case EVENT_PAGES:
			pages_request(r, GET(pages_req_event, data, function_id),
				      (int32_t)GET(pages_req_event, data, num_pages));
			break;
		case EVENT_CMD:
			if (GET(cmd_inter_comp_event, data, command_completion_vector) >>
			    r->cmds[1].index & 1)
				pages_done(r);
			break;
		default:
			die("event %#x", (unsigned int)GET(eqe, eqe, event_type));
		}
	}
	if (n)
		eq_consume(r, &r->events, n, false);
}

/* Creates the EQ of commands and page requests. It is polled and never armed. */
void events_create(struct referee *r)
{
	struct eq eq = {};

	create_eq(r, &eq, 1ull << EVENT_CMD | 1ull << EVENT_PAGES, 0);
	r->events = eq;
	r->idle = events_poll;
	eq_consume(r, &r->events, 0, false);
}

void msi_create(struct referee *r)
{
	create_eq(r, &r->msi, 0, MSI_VECTOR);
}

/*
 * @arm: the next event raises an interrupt
 * Return: number of consumed events; the program ends if one is not a completion
 */
unsigned int msi_poll(struct referee *r, bool arm)
{
	unsigned int n = 0;
	u8 *eqe;

	for (; (eqe = eq_next(&r->msi, n)); n++)
		if (GET(eqe, eqe, event_type) != EVENT_COMP)
			die("event %#x", (unsigned int)GET(eqe, eqe, event_type));
	eq_consume(r, &r->msi, n, arm);
	return n;
}
