// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The command ring.
 *
 * The driver fills a slot of the ring, hands it over with the ownership bit,
 * signs it, does some more bookkeeping of its own, and writes the slot's bit to
 * the doorbell. Only the doorbell says that the command may run: a device that
 * took a signed slot earlier would complete a command whose driver is not ready.
 *
 * Doorbell writes are plain memory here and a later one hides an earlier one
 * that was not yet seen. So the ring has one slot for commands, which cannot be
 * rung twice before it has completed, and the one that drivers keep for
 * MANAGE_PAGES. If the two slots' doorbells ever collide, the slot that was not
 * named is executed when it has stood there signed for a long time.
 *
 * A command completes by writing its output, then the status byte that gives the
 * slot back, then, if an event queue takes command events and took them when the
 * command was started, an event. The command that creates that queue is polled.
 *
 * A fault (core/fault.h) may hold a slot back: it is then looked at again when its time
 * comes, or never. A doorbell for a slot that is held means that the driver has
 * given up on what was in it; what is there now is a new command.
 *
 * Anything wrong with the envelope (signature, token, block number, alignment,
 * length) is a delivery status in the slot; anything wrong with the command is a
 * status in its output. Everything here runs on the hardware thread.
 */
#include <linux/mlx5/driver.h>
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "host/host.h"
#include "obj/obj.h"

#define SIM_CMD_MAX_LEN		SZ_4M
#define SIM_CMD_PTR_ALIGN	512
#define SIM_CMD_TYPE_PCI	7
#define SIM_CMD_OWN_HW		BIT(0)

/* Delivery status, in the status byte above the ownership bit */
enum {
	SIM_DELIV_OK		= 0x0,
	SIM_DELIV_SIGNATURE	= 0x1,
	SIM_DELIV_TOKEN		= 0x2,
	SIM_DELIV_BLOCK_NUM	= 0x3,
	SIM_DELIV_OUT_ALIGN	= 0x4,
	SIM_DELIV_IN_ALIGN	= 0x5,
	SIM_DELIV_INTERNAL	= 0x6,
	SIM_DELIV_IN_LENGTH	= 0x7,
	SIM_DELIV_OUT_LENGTH	= 0x8,
	SIM_DELIV_RESERVED	= 0x9,
	SIM_DELIV_DESCRIPTOR	= 0x10,
};

/* Advertised in cmdq_addr_l_sz: 2 slots of 64 bytes, the last for MANAGE_PAGES */
#define SIM_CMDQ_LOG_SZ		1
#define SIM_CMDQ_LOG_STRIDE	6
#define SIM_CMDQ_SLOTS		BIT(SIM_CMDQ_LOG_SZ)
#define SIM_CMDQ_SZ		(SIM_CMDQ_LOG_SZ << 4 | SIM_CMDQ_LOG_STRIDE)

/* bytes of input and of output that are in the slot itself */
#define SIM_CMD_INLINE		16

/* How long a signed slot may stand without a doorbell before it counts as rung */
#define SIM_CMD_UNNAMED		(HZ / 5)

/**
 * struct sim_cmdq - the command ring of one function
 * @addr: bus address of the ring, 0 before the driver gave one
 * @unnamed: a signed slot was seen whose doorbell was not
 * @unnamed_until: when to give up waiting for it, in jiffies
 * @delayed: slots held back for a while
 * @hung: slots held back for ever
 * @delayed_until: for how long, of each slot, in jiffies
 */
struct sim_cmdq {
	u64 addr;
	bool unnamed;
	unsigned long unnamed_until;
	u32 delayed;
	u32 hung;
	unsigned long delayed_until[SIM_CMDQ_SLOTS];
};

#define SIM_ISEG(field)	offsetof(struct mlx5_init_seg, field)

int sim_cmdq_init(struct sim_dev *sdev)
{
	sdev->cmdq = kzalloc(sizeof(*sdev->cmdq), GFP_KERNEL);
	return sdev->cmdq ? 0 : -ENOMEM;
}

void sim_cmdq_exit(struct sim_dev *sdev)
{
	kfree(sdev->cmdq);
	sdev->cmdq = NULL;
}

void sim_cmdq_reset(struct sim_dev *sdev)
{
	memset(sdev->cmdq, 0, sizeof(*sdev->cmdq));
	sim_bar_write_be32(sdev, SIM_ISEG(cmdq_addr_h), 0);
	/* nobody uses the interface: how a driver notices a reset that it did not ask for */
	sim_bar_write_be32(sdev, SIM_ISEG(cmdq_addr_l_sz),
			   MLX5_INITIAL_SEG_NIC_INTERFACE_DISABLED << MLX5_NIC_IFC_OFFSET |
			   SIM_CMDQ_SZ);
}

/*
 * The driver writes the address with the size fields zero. Put them back once
 * the address is taken: they are read again at the next load.
 */
static void sim_cmdq_latch(struct sim_dev *sdev)
{
	u32 lo = sim_bar_read_be32(sdev, SIM_ISEG(cmdq_addr_l_sz));

	if (lo & 0xff)
		return;
	/* a new ring: nothing of the old one is the device's any more */
	sdev->cmdq->delayed = 0;
	sdev->cmdq->hung = 0;
	sdev->cmdq->addr = (u64)sim_bar_read_be32(sdev, SIM_ISEG(cmdq_addr_h)) << 32 |
			   (lo & ~0xfffU);
	sim_bar_write_be32(sdev, SIM_ISEG(cmdq_addr_l_sz), (lo & ~0xffU) | SIM_CMDQ_SZ);
}

static u8 sim_deliv_bad(struct sim_dev *sdev, u8 deliv, enum sim_vio vio, const char *what,
			u64 val)
{
	sim_violation(sdev, vio, "command %s: %#llx", what, val);
	return deliv;
}

/* Reads one mailbox and checks that it belongs to this message. */
static u8 sim_mbox_read(struct sim_dev *sdev, const struct mlx5_cmd_layout *lay, u64 addr, u32 n,
			struct mlx5_cmd_prot_block *blk)
{
	if (sim_dma_read(sdev, addr, blk, sizeof(*blk)))
		return SIM_DELIV_INTERNAL;
	if (blk->token != lay->token)
		return sim_deliv_bad(sdev, SIM_DELIV_TOKEN, SIM_VIO_cmd_signature,
				     "mailbox token", blk->token);
	if (be32_to_cpu(blk->block_num) != n)
		return sim_deliv_bad(sdev, SIM_DELIV_BLOCK_NUM, SIM_VIO_cmd_signature,
				     "mailbox number", be32_to_cpu(blk->block_num));
	return SIM_DELIV_OK;
}

/* Gathers the input of a command from its slot and mailboxes. */
static u8 sim_cmd_gather(struct sim_dev *sdev, const struct mlx5_cmd_layout *lay,
			 struct sim_cmd *cmd, struct mlx5_cmd_prot_block *blk)
{
	u32 left, n, part = min_t(u32, cmd->in_len, SIM_CMD_INLINE);
	u64 addr = be64_to_cpu(lay->in_ptr);
	u8 *to = cmd->in;
	u8 deliv;

	memcpy(to, lay->in, part);
	to += part;
	left = cmd->in_len - part;
	for (n = 0; left; n++) {
		if (!addr || addr % SIM_CMD_PTR_ALIGN)
			return sim_deliv_bad(sdev, SIM_DELIV_IN_ALIGN, SIM_VIO_cmd_signature,
					     "input pointer", addr);
		deliv = sim_mbox_read(sdev, lay, addr, n, blk);
		if (deliv)
			return deliv;
		part = min_t(u32, left, sizeof(blk->data));
		memcpy(to, blk->data, part);
		to += part;
		left -= part;
		addr = be64_to_cpu(blk->next);
	}
	return SIM_DELIV_OK;
}

/* Spreads the output over the slot's copy and the mailboxes in memory. */
static u8 sim_cmd_scatter(struct sim_dev *sdev, struct mlx5_cmd_layout *lay,
			  const struct sim_cmd *cmd, struct mlx5_cmd_prot_block *blk)
{
	u32 left, n, part = min_t(u32, cmd->out_len, SIM_CMD_INLINE);
	u64 addr = be64_to_cpu(lay->out_ptr);
	const u8 *from = cmd->out;
	u8 deliv;

	memcpy(lay->out, from, part);
	from += part;
	left = cmd->out_len - part;
	for (n = 0; left; n++) {
		if (!addr || addr % SIM_CMD_PTR_ALIGN)
			return sim_deliv_bad(sdev, SIM_DELIV_OUT_ALIGN, SIM_VIO_cmd_signature,
					     "output pointer", addr);
		deliv = sim_mbox_read(sdev, lay, addr, n, blk);
		if (deliv)
			return deliv;
		part = min_t(u32, left, sizeof(blk->data));
		if (sim_dma_write(sdev, addr, from, part))
			return SIM_DELIV_INTERNAL;
		from += part;
		left -= part;
		addr = be64_to_cpu(blk->next);
	}
	return SIM_DELIV_OK;
}

static u8 sim_slot_check(struct sim_dev *sdev, const struct mlx5_cmd_layout *lay,
			 struct sim_cmd *cmd)
{
	cmd->in_len = be32_to_cpu(lay->inlen);
	cmd->out_len = be32_to_cpu(lay->outlen);

	if (lay->type != SIM_CMD_TYPE_PCI)
		return sim_deliv_bad(sdev, SIM_DELIV_DESCRIPTOR, SIM_VIO_cmd_reserved, "type",
				     lay->type);
	if (lay->rsvd0[0] | lay->rsvd0[1] | lay->rsvd0[2] | lay->rsvd1)
		return sim_deliv_bad(sdev, SIM_DELIV_RESERVED, SIM_VIO_cmd_reserved,
				     "slot reserved bytes", lay->rsvd1);
	if (cmd->in_len < MLX5_ST_SZ_BYTES(query_issi_in) || cmd->in_len > SIM_CMD_MAX_LEN)
		return sim_deliv_bad(sdev, SIM_DELIV_IN_LENGTH, SIM_VIO_cmd_size, "input length",
				     cmd->in_len);
	if (cmd->out_len < 8 || cmd->out_len > SIM_CMD_MAX_LEN)
		return sim_deliv_bad(sdev, SIM_DELIV_OUT_LENGTH, SIM_VIO_cmd_size,
				     "output length", cmd->out_len);
	return SIM_DELIV_OK;
}

/* What a fault has a command answered with: a status if not 0, executed or not. */
struct sim_slot_fault {
	u8 status;
	bool executed;
};

/* Answers a command as a fault says. */
static u8 sim_cmd_refuse(struct sim_dev *sdev, struct sim_cmd *cmd, u8 status)
{
	cmd->syndrome = SIM_FAULT_SYNDROME;
	sim_count(sdev, commands_failed);
	sim_trace(sdev, "fault: cmd %#x: status %#x", MLX5_GET(create_cq_in, cmd->in, opcode),
		  status);
	return status;
}

/*
 * Runs the command in a private copy of the slot, unless @fault says something
 * else; leaves the inline output there.
 */
static u8 sim_slot_run(struct sim_dev *sdev, struct mlx5_cmd_layout *lay,
		       const struct sim_slot_fault *fault)
{
	struct mlx5_cmd_prot_block *blk;
	struct sim_cmd cmd = {};
	u8 deliv, status = 0;

	deliv = sim_slot_check(sdev, lay, &cmd);
	if (deliv)
		return deliv;
	deliv = SIM_DELIV_INTERNAL;
	blk = kmalloc(sizeof(*blk), GFP_KERNEL);
	cmd.in = kvzalloc(ALIGN(cmd.in_len, 8), GFP_KERNEL);
	cmd.out = kvzalloc(ALIGN(cmd.out_len, 8), GFP_KERNEL);
	if (!blk || !cmd.in || !cmd.out)
		goto free;
	deliv = sim_cmd_gather(sdev, lay, &cmd, blk);
	if (deliv)
		goto free;

	if (!fault->status || fault->executed)
		status = sim_cmd_exec(sdev, &cmd);
	if (fault->status && !status)
		status = sim_cmd_refuse(sdev, &cmd, fault->status);
	if (status)
		memset(cmd.out, 0, cmd.out_len);
	*(u8 *)cmd.out = status;
	((__be32 *)cmd.out)[1] = cpu_to_be32(cmd.syndrome);
	deliv = sim_cmd_scatter(sdev, lay, &cmd, blk);
free:
	kvfree(cmd.out);
	kvfree(cmd.in);
	kfree(blk);
	return deliv;
}

static bool sim_cmd_events_on(struct sim_dev *sdev)
{
	struct sim_eq *eq;
	unsigned long id;

	xa_for_each(&sdev->objs->xa[SIM_OBJ_EQ], id, eq)
		if (eq->events[0] & BIT_ULL(MLX5_EVENT_TYPE_CMD))
			return true;
	return false;
}

/*
 * Asks for a fault of the command in a slot. Returns true if the slot is held
 * back; else *@fault is how to answer.
 */
static bool sim_slot_fault(struct sim_dev *sdev, u32 slot, const struct mlx5_cmd_layout *lay,
			   struct sim_slot_fault *fault)
{
	u16 op = MLX5_GET(create_cq_in, lay->in, opcode);
	struct sim_cmdq *cmdq = sdev->cmdq;
	enum sim_fault_kind kind;
	u32 arg;

	kind = sim_fault_match(sdev->faults, op, &arg);
	switch (kind) {
	case SIM_FAULT_FAIL:
	case SIM_FAULT_LIE:
		fault->status = arg;
		fault->executed = kind == SIM_FAULT_LIE;
		return false;
	case SIM_FAULT_DELAY:
		sim_trace(sdev, "fault: cmd %#x in slot %u: in %u ms", op, slot, arg);
		cmdq->delayed |= BIT(slot);
		cmdq->delayed_until[slot] = jiffies + msecs_to_jiffies(arg);
		return true;
	case SIM_FAULT_HANG:
		sim_trace(sdev, "fault: cmd %#x in slot %u: never", op, slot);
		cmdq->hung |= BIT(slot);
		return true;
	default:
		return false;
	}
}

/* @again: it was held back; its fault has fired */
static void sim_slot_exec(struct sim_dev *sdev, u32 slot, bool again)
{
	u64 addr = sdev->cmdq->addr + (slot << SIM_CMDQ_LOG_STRIDE);
	bool events = sim_cmd_events_on(sdev);
	struct sim_slot_fault fault = {};
	struct mlx5_cmd_layout lay;
	union ev_data data = {};
	u8 status;
	bool bad;

	if (sim_dma_read(sdev, addr, &lay, sizeof(lay)))
		return;
	bad = sim_xor8(&lay, sizeof(lay)) != 0xff;
	if (!bad && !again && sim_slot_fault(sdev, slot, &lay, &fault))
		return;
	if (bad)
		status = sim_deliv_bad(sdev, SIM_DELIV_SIGNATURE, SIM_VIO_cmd_signature,
				       "slot signature", lay.sig);
	else
		status = sim_slot_run(sdev, &lay, &fault);
	status <<= 1;

	/* An unplug or a reset may have come out of the command itself. */
	if (!sdev->cmdq->addr)
		return;
	if (sim_dma_write(sdev, addr + offsetof(struct mlx5_cmd_layout, out), lay.out,
			  sizeof(lay.out)))
		return;
	dma_wmb();
	if (sim_dma_write(sdev, addr + offsetof(struct mlx5_cmd_layout, status_own), &status, 1))
		return;
	if (events && sim_cmd_events_on(sdev)) {
		data.cmd.vector = cpu_to_be32(BIT(slot));
		sim_event(sdev, MLX5_EVENT_TYPE_CMD, 0, &data);
	}
}

/* Is this slot the device's? A slot whose doorbell was not seen may be half written. */
static bool sim_slot_ready(const struct mlx5_cmd_layout *lay, bool named)
{
	if (!(READ_ONCE(lay->status_own) & SIM_CMD_OWN_HW))
		return false;
	dma_rmb();
	return named || sim_xor8(lay, sizeof(*lay)) == 0xff;
}

/*
 * Executes the slots of @named and notes whether others look as if they should.
 * All slots are looked at before the first is executed: once the last command of
 * a driver has completed, the ring is no longer the device's to read.
 */
static void sim_cmdq_scan(struct sim_dev *sdev, u32 named)
{
	u32 slot, ready = 0, want = SIM_CMDQ_SLOTS << SIM_CMDQ_LOG_STRIDE;
	struct sim_cmdq *cmdq = sdev->cmdq;
	const struct mlx5_cmd_layout *ring;
	u32 len = want;

	ring = sim_dma_span(sdev, cmdq->addr, &len, false);
	if (IS_ERR(ring) || len != want)
		return;
	for (slot = 0; slot < SIM_CMDQ_SLOTS; slot++)
		if (sim_slot_ready(&ring[slot], named & BIT(slot)))
			ready |= BIT(slot);
	if (ready & ~named & ~(cmdq->delayed | cmdq->hung)) {
		cmdq->unnamed = true;
		cmdq->unnamed_until = jiffies + SIM_CMD_UNNAMED;
	}
	for (slot = 0; slot < SIM_CMDQ_SLOTS && cmdq->addr; slot++)
		if (ready & named & BIT(slot))
			sim_slot_exec(sdev, slot, false);
}

/* Executes the slots whose delay is over. Returns true if there was one. */
static bool sim_cmdq_resume(struct sim_dev *sdev)
{
	struct sim_cmdq *cmdq = sdev->cmdq;
	bool any = false;
	u32 slot;

	for (slot = 0; slot < SIM_CMDQ_SLOTS; slot++) {
		if (!(cmdq->delayed & BIT(slot)) ||
		    time_before(jiffies, cmdq->delayed_until[slot]))
			continue;
		cmdq->delayed &= ~BIT(slot);
		sim_slot_exec(sdev, slot, true);
		any = true;
	}
	return any;
}

/**
 * sim_cmdq_poll - execute the commands the driver has rung for
 * @sdev: the function
 *
 * Hardware thread.
 *
 * Return: true if a doorbell had been rung.
 */
bool sim_cmdq_poll(struct sim_dev *sdev)
{
	u32 __force *dbell = (u32 __force *)(sdev->bar + SIM_ISEG(cmd_dbell));
	struct sim_cmdq *cmdq = sdev->cmdq;
	u32 named;

	if (likely(!READ_ONCE(*dbell))) {
		if (unlikely(cmdq->delayed) && sim_cmdq_resume(sdev))
			return true;
		if (likely(!cmdq->unnamed) || time_before(jiffies, cmdq->unnamed_until))
			return false;
		cmdq->unnamed = false;
		sim_cmdq_scan(sdev, ~(cmdq->delayed | cmdq->hung));
		return true;
	}
	named = be32_to_cpu((__be32 __force)xchg(dbell, 0));
	sim_cmdq_latch(sdev);
	if (cmdq->addr) {
		cmdq->unnamed = false;
		cmdq->delayed &= ~named;
		cmdq->hung &= ~named;
		sim_cmdq_scan(sdev, named);
	}
	return true;
}
