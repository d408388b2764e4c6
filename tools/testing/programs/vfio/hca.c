// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Start (ENABLE_HCA to the first EQ) and stop of the PCI function. */
#include <string.h>
#include <unistd.h>

#include "referee.h"

#define INIT_TIMEOUT_MS	120000u
#define CAPS_BYTES	(BYTES(query_hca_cap_out))
#define CURRENT		1	/* bit 0 of op_mod; the higher bits are the type of capabilities */
#define GENERAL		(0 << 1)
#define ROCE		(4 << 1)
#define CHECKSUM_BOTH	3

static void simple_cmd(struct referee *r, unsigned int opcode)
{
	u8 in[BYTES(enable_hca_in)] = {}, out[BYTES(enable_hca_out)];

	SET(enable_hca_in, in, opcode, opcode);
	cmd_exec(r, in, sizeof(in), out, sizeof(out));
}

static void set_issi(struct referee *r)
{
	u8 in[BYTES(set_issi_in)] = {}, out[BYTES(set_issi_out)];

	SET(set_issi_in, in, opcode, MLX5_CMD_OP_SET_ISSI);
	SET(set_issi_in, in, current_issi, 1);
	cmd_exec(r, in, sizeof(in), out, sizeof(out));
}

static void query_caps(struct referee *r, unsigned int op_mod, u8 *out)
{
	u8 in[BYTES(query_hca_cap_in)] = {};

	SET(query_hca_cap_in, in, opcode, MLX5_CMD_OP_QUERY_HCA_CAP);
	SET(query_hca_cap_in, in, op_mod, op_mod);
	cmd_exec(r, in, sizeof(in), out, CAPS_BYTES);
}

/* Opens the command queue, enables the HCA with ISSI 1, and gives the boot pages. */
void hca_start(struct referee *r)
{
	u64 end = now_ms() + INIT_TIMEOUT_MS;

	pci_bus_master(r, true);
	while (reg_read32(r, BYTE_OFF(initial_seg, initializing)) >> 31) {
		usleep(10000);
		if (now_ms() > end)
			die("the firmware does not start");
	}
	cmd_open(r);
	simple_cmd(r, MLX5_CMD_OP_ENABLE_HCA);
	set_issi(r);
	pages_boot(r, MLX5_QUERY_PAGES_IN_OP_MOD_BOOT_PAGES);
}

/*
 * Enables signatures of commands in both directions, and checks that the device
 * supports force loopback. The program ends if the device lacks one of these.
 */
void hca_capabilities(struct referee *r)
{
	static u8 out[BYTES(query_hca_cap_out)], in[BYTES(set_hca_cap_in)];
	u8 done[BYTES(set_hca_cap_out)], *caps = PTR(query_hca_cap_out, out, capability);
	unsigned int checksum;
	bool loopback;

	query_caps(r, GENERAL, out);
	checksum = GET(cmd_hca_cap, caps, cmdif_checksum);
	query_caps(r, GENERAL | CURRENT, out);
	r->log_max_msg = GET(cmd_hca_cap, caps, log_max_msg);
	loopback = GET(cmd_hca_cap, caps, fl_rc_qp_when_roce_disabled);

	memset(in, 0, sizeof(in));
	SET(set_hca_cap_in, in, opcode, MLX5_CMD_OP_SET_HCA_CAP);
	SET(set_hca_cap_in, in, op_mod, GENERAL);
	memcpy(PTR(set_hca_cap_in, in, capability), caps, BYTES(cmd_hca_cap));
	caps = PTR(set_hca_cap_in, in, capability);
	SET(cmd_hca_cap, caps, cmdif_checksum, checksum);
	SET(cmd_hca_cap, caps, log_uar_page_sz, 0);
	cmd_exec(r, in, sizeof(in), done, sizeof(done));
	r->checksums = checksum == CHECKSUM_BOTH;

	query_caps(r, ROCE | CURRENT, out);
	caps = PTR(query_hca_cap_out, out, capability);
	if (!loopback && !GET(roce_cap, caps, fl_rc_qp_when_roce_disabled) &&
	    !GET(roce_cap, caps, fl_rc_qp_when_roce_enabled))
		die("no force loopback");
	if (!r->checksums)
		die("no signatures of commands (cmdif_checksum %u)", checksum);
}

void hca_init(struct referee *r)
{
	u8 in[BYTES(init_hca_in)] = {}, out[BYTES(init_hca_out)];
	u8 uar_in[BYTES(alloc_uar_in)] = {}, uar_out[BYTES(alloc_uar_out)];

	pages_boot(r, MLX5_QUERY_PAGES_IN_OP_MOD_INIT_PAGES);
	SET(init_hca_in, in, opcode, MLX5_CMD_OP_INIT_HCA);
	/* 16 bytes, as ENABLE_HCA: the first version of INIT_HCA, without sw_owner_id */
	cmd_exec(r, in, BYTES(enable_hca_in), out, sizeof(out));
	SET(alloc_uar_in, uar_in, opcode, MLX5_CMD_OP_ALLOC_UAR);
	cmd_exec(r, uar_in, sizeof(uar_in), uar_out, sizeof(uar_out));
	r->uar = GET(alloc_uar_out, uar_out, uar);
	events_create(r);
}

static void destroy_eq(struct referee *r, struct eq *eq)
{
	u8 in[BYTES(destroy_eq_in)] = {}, out[BYTES(destroy_eq_out)];
	u32 eqn = eq->eqn;

	eq->eqn = 0;	/* not polled from here on */
	SET(destroy_eq_in, in, opcode, MLX5_CMD_OP_DESTROY_EQ);
	SET(destroy_eq_in, in, eq_number, eqn);
	cmd_exec(r, in, sizeof(in), out, sizeof(out));
}

void hca_stop(struct referee *r)
{
	u8 in[BYTES(dealloc_uar_in)] = {}, out[BYTES(dealloc_uar_out)];
	u8 down[BYTES(teardown_hca_in)] = {}, done[BYTES(teardown_hca_out)];

	destroy_eq(r, &r->msi);
	while (r->pages_busy)
		events_poll(r);
	destroy_eq(r, &r->events);
	SET(dealloc_uar_in, in, opcode, MLX5_CMD_OP_DEALLOC_UAR);
	SET(dealloc_uar_in, in, uar, r->uar);
	cmd_exec(r, in, sizeof(in), out, sizeof(out));
	SET(teardown_hca_in, down, opcode, MLX5_CMD_OP_TEARDOWN_HCA);
	cmd_exec(r, down, sizeof(down), done, sizeof(done));
	pages_take_all(r);
	simple_cmd(r, MLX5_CMD_OP_DISABLE_HCA);
	pci_bus_master(r, false);
}
