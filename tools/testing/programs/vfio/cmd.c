// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The command queue. Slot 0 executes commands, one at a time. The last slot
 * executes MANAGE_PAGES while the command in slot 0 waits for pages. Entries and
 * mailboxes are always signed. The signatures of the device are checked once
 * SET_HCA_CAP has enabled them.
 */
#include <sched.h>
#include <string.h>

#include "referee.h"

#define INLINE		16u
#define BLOCK_DATA	512u
#define BLOCK_STRIDE	1024u		/* mailboxes are aligned: a next pointer has no bits 9:0 */
#define CMD_TIMEOUT_MS	60000u
#define CMDIF_REV	5

static u8 xor_bytes(const u8 *p, unsigned int n)
{
	u8 x = 0;

	while (n--)
		x ^= *p++;
	return x;
}

static u8 *block(u8 *boxes, unsigned int i)
{
	return boxes + i * BLOCK_STRIDE;
}

static unsigned int num_blocks(unsigned int len)
{
	return len > INLINE ? (len - INLINE + BLOCK_DATA - 1) / BLOCK_DATA : 0;
}

/* the control signature covers the bytes from CTRL_OFF, after the data, to CTRL_SIG_OFF */
#define CTRL_OFF	BYTE_OFF(cmd_if_box, reserved_at_1000)
#define CTRL_SIG_OFF	BYTE_OFF(cmd_if_box, ctrl_signature)
#define SIG_OFF		BYTE_OFF(cmd_if_box, signature)

static void sign_block(u8 *b)
{
	b[CTRL_SIG_OFF] = ~xor_bytes(b + CTRL_OFF, CTRL_SIG_OFF - CTRL_OFF);
	b[SIG_OFF] = ~xor_bytes(b, SIG_OFF);
}

static void check_block(const u8 *b, unsigned int i)
{
	if (xor_bytes(b + CTRL_OFF, SIG_OFF - CTRL_OFF) != 0xff)
		die("mailbox %u: control signature", i);
	if (xor_bytes(b, BYTES(cmd_if_box)) != 0xff)
		die("mailbox %u: signature", i);
}

static void chain_blocks(u8 *boxes, unsigned int n, u8 token)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		u8 *b = block(boxes, i);
		u64 next = i + 1 < n ? memory_bus(block(boxes, i + 1)) : 0;

		memset(b, 0, BYTES(cmd_if_box));
		SET(cmd_if_box, b, next_pointer_63_32, next >> 32);
		SET(cmd_if_box, b, next_pointer_31_10, (u32)next >> 10);
		SET(cmd_if_box, b, block_number, i);
		SET(cmd_if_box, b, token, token);
	}
}

static u8 next_token(struct referee *r)
{
	if (!++r->token)
		r->token = 1;
	return r->token;
}

static void fill_entry(struct slot *s, u8 token, const u8 *in, unsigned int ilen, unsigned int olen)
{
	u8 *e = s->entry;

	memset(PTR(cmd_queue_entry, e, command_input_inline_data), 0, INLINE);
	memset(PTR(cmd_queue_entry, e, command_output_inline_data), 0, INLINE);
	memcpy(PTR(cmd_queue_entry, e, command_input_inline_data), in,
	       ilen < INLINE ? ilen : INLINE);
	SET(cmd_queue_entry, e, input_length, ilen);
	SET(cmd_queue_entry, e, output_length, olen);
	SET(cmd_queue_entry, e, token, token);
	SET(cmd_queue_entry, e, status, 0);
	SET(cmd_queue_entry, e, signature, 0);
	/* cmd_post() sets the ownership bit later; the signature includes it (^ 1) */
	SET(cmd_queue_entry, e, signature,
	    (u8)~(xor_bytes(e, BYTES(cmd_queue_entry)) ^ 1));
}

void cmd_post(struct referee *r, struct slot *s, const void *in, unsigned int ilen,
	      unsigned int olen)
{
	unsigned int i, n = num_blocks(ilen), m = num_blocks(olen), left, at = INLINE;
	u8 token = next_token(r);

	if (n > BLOCKS || m > BLOCKS)
		die("command too long");
	chain_blocks(s->in, n, token);
	chain_blocks(s->out, m, token);
	for (i = 0; i < n; i++, at += BLOCK_DATA) {
		left = ilen - at;
		memcpy(block(s->in, i), (const u8 *)in + at, left < BLOCK_DATA ? left : BLOCK_DATA);
		sign_block(block(s->in, i));
	}
	for (i = 0; i < m; i++)
		sign_block(block(s->out, i));
	fill_entry(s, token, in, ilen, olen);
	__sync_synchronize();
	__atomic_store_n(s->entry + BYTES(cmd_queue_entry) - 1, 1, __ATOMIC_RELAXED);
	reg_write32(r, BYTE_OFF(initial_seg, command_doorbell_vector), 1u << s->index);
}

/* Return: true while the device executes the command in the slot */
bool cmd_owned(struct slot *s)
{
	return load_byte(s->entry + BYTES(cmd_queue_entry) - 1) & 1;
}

void cmd_read(struct referee *r, struct slot *s, void *out, unsigned int olen)
{
	unsigned int i, m = num_blocks(olen), left, at = INLINE;

	__sync_synchronize();
	if (GET(cmd_queue_entry, s->entry, status))
		die("delivery status %#x", (unsigned int)GET(cmd_queue_entry, s->entry, status));
	if (r->checksums && xor_bytes(s->entry, BYTES(cmd_queue_entry)) != 0xff)
		die("signature of the command entry");
	memcpy(out, PTR(cmd_queue_entry, s->entry, command_output_inline_data),
	       olen < INLINE ? olen : INLINE);
	for (i = 0; i < m; i++, at += BLOCK_DATA) {
		left = olen - at;
		if (r->checksums)
			check_block(block(s->out, i), i);
		memcpy((u8 *)out + at, block(s->out, i), left < BLOCK_DATA ? left : BLOCK_DATA);
	}
	if (GET(enable_hca_out, out, status))
		die("command %#x: status %#x, syndrome %#x",
		    (unsigned int)GET(enable_hca_in,
				      PTR(cmd_queue_entry, s->entry, command_input_inline_data),
				      opcode),
		    (unsigned int)GET(enable_hca_out, out, status),
		    (unsigned int)GET(enable_hca_out, out, syndrome));
}

/* Executes a command in slot 0 and waits for its response; handles page requests meanwhile. */
void cmd_exec(struct referee *r, const void *in, unsigned int ilen, void *out, unsigned int olen)
{
	struct slot *s = &r->cmds[0];
	u64 end = now_ms() + CMD_TIMEOUT_MS;

	cmd_post(r, s, in, ilen, olen);
	while (cmd_owned(s)) {
		if (r->idle)
			r->idle(r);
		sched_yield();
		if (now_ms() > end)
			die("command %#x: no response",
			    (unsigned int)GET(enable_hca_in, in, opcode));
	}
	cmd_read(r, s, out, olen);
}

static void open_slot(struct slot *s, u8 *entry, unsigned int index)
{
	s->index = index;
	s->entry = entry;
	s->in = memory_get(BLOCKS * BLOCK_STRIDE, BLOCK_STRIDE);
	s->out = memory_get(BLOCKS * BLOCK_STRIDE, BLOCK_STRIDE);
	SET(cmd_queue_entry, entry, type, MLX5_CMD_QUEUE_ENTRY_TYPE_PCIE_CMD_IF_TRANSPORT);
	SET(cmd_queue_entry, entry, input_mailbox_pointer_63_32, memory_bus(s->in) >> 32);
	SET(cmd_queue_entry, entry, input_mailbox_pointer_31_9, (u32)memory_bus(s->in) >> 9);
	SET(cmd_queue_entry, entry, output_mailbox_pointer_63_32, memory_bus(s->out) >> 32);
	SET(cmd_queue_entry, entry, output_mailbox_pointer_31_9, (u32)memory_bus(s->out) >> 9);
}

void cmd_open(struct referee *r)
{
	u32 rev = reg_read32(r, BYTE_OFF(initial_seg, cmd_interface_rev)) >> 16;
	u32 low = reg_read32(r, BYTE_OFF(initial_seg, cmdq_phy_addr_31_12));
	unsigned int log_stride = low & 0xf, log_size = low >> 4 & 0xf;
	u8 *queue = memory_get(HW_PAGE, HW_PAGE);
	u64 bus = memory_bus(queue);

	if (rev != CMDIF_REV)
		die("command interface revision %u", rev);
	if (1u << log_size > 32 || 1u << log_stride < BYTES(cmd_queue_entry) ||
	    1u << (log_size + log_stride) > HW_PAGE)
		die("command queue of 2^%u entries of 2^%u bytes", log_size, log_stride);
	open_slot(&r->cmds[0], queue, 0);
	open_slot(&r->cmds[1], queue + (((1u << log_size) - 1) << log_stride),
		  (1u << log_size) - 1);
	reg_write32(r, BYTE_OFF(initial_seg, cmdq_phy_addr_63_32), bus >> 32);
	reg_write32(r, BYTE_OFF(initial_seg, cmdq_phy_addr_31_12), bus);
}
