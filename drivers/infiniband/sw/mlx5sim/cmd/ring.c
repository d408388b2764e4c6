// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The command ring.
 *
 * The driver fills a slot of the ring, sets the ownership bit of the slot,
 * signs the slot, updates the driver's data structures, and writes the bit of
 * the slot to the doorbell register (rings the doorbell of the slot). The
 * device executes a command only after this write. If the device executed a
 * signed slot at once, the command could complete before the driver is ready
 * for the completion.
 *
 * The simulated doorbell register is memory, and a write overwrites an earlier
 * write that the device has not read. So the ring has one slot for commands,
 * whose doorbell is not rung twice before the command completes, and the slot
 * that drivers reserve for MANAGE_PAGES. If the write for a slot overwrites the
 * write for the other slot, the other slot is executed when it has been signed
 * for SIM_CMD_UNNAMED.
 *
 * To complete a command, the device writes the output, then the status byte
 * with the ownership bit. The device then raises an event, if an EQ is
 * subscribed to command events both when the command starts and when the
 * command completes. The driver polls for the completion of the command that
 * creates this EQ.
 *
 * A fault (core/fault.h) may hold a slot back for some time or forever, and a
 * command may wait for pages of the host (cmd/pages.c), which arrive through
 * the other slot. A doorbell of such a slot means that the driver has abandoned
 * the old command, and that the slot contains a new command.
 *
 * mailbox.c describes signatures. A command uses the mode (signed mailboxes or
 * not) that is set when it starts. So the mailboxes of a SET_HCA_CAP that
 * changes the mode are still in the previous mode.
 *
 * If the envelope is invalid (signature, token, block number, alignment,
 * length), the device writes a delivery status to the slot. If the command is
 * invalid, the device writes a status to the output. All functions except
 * sim_cmdq_init() and sim_cmdq_exit() run on the hardware thread.
 */
#include <linux/mlx5/driver.h>
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "host/host.h"
#include "obj/caps.h"
#include "obj/obj.h"

#define SIM_CMD_MAX_LEN		ALIGN_DOWN(INT_MAX, 8)	/* Unrefereed: U-195. */
#define SIM_CMD_PTR_ALIGN	512	/* in the slot: address bits 31:9 */
#define SIM_CMD_NEXT_ALIGN	1024	/* in a mailbox: address bits 31:10 */
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

/*
 * The register cmdq_addr_l_sz reports 2 slots of 64 bytes. The last slot is for
 * MANAGE_PAGES.
 */
#define SIM_CMDQ_LOG_SZ		1
#define SIM_CMDQ_LOG_STRIDE	6
#define SIM_CMDQ_SLOTS		BIT(SIM_CMDQ_LOG_SZ)
#define SIM_CMDQ_SZ		(SIM_CMDQ_LOG_SZ << 4 | SIM_CMDQ_LOG_STRIDE)

/* Bytes of input and of output that are in the slot itself */
#define SIM_CMD_INLINE		16

/* Jiffies after which a signed slot is executed without its doorbell */
#define SIM_CMD_UNNAMED		(HZ / 5)

/**
 * struct sim_cmdq - the command ring of one simulated function
 * @addr: bus address of the ring, 0 until the driver has set it
 * @unnamed: a signed slot was found without a doorbell
 * @unnamed_until: time in jiffies at which a slot without a doorbell is
 *	executed
 * @delayed: slots that a fault holds back for some time, one bit per slot
 * @hung: slots that a fault holds back forever, one bit per slot
 * @starved: slots that wait for pages of the host, one bit per slot
 * @signing: the mailboxes of the command in progress are signed
 * @delayed_until: time in jiffies at which a slot of @delayed is executed
 */
struct sim_cmdq {
	u64 addr;
	bool unnamed;
	unsigned long unnamed_until;
	u32 delayed;
	u32 hung;
	u32 starved;
	bool signing;
	unsigned long delayed_until[SIM_CMDQ_SLOTS];
};

#define SIM_ISEG(field)	offsetof(struct mlx5_init_seg, field)

/**
 * sim_cmdq_init() - allocate the state of the command ring
 * @sdev: simulated function
 *
 * Context: process context.
 * Return: 0 or -ENOMEM.
 */
int sim_cmdq_init(struct sim_dev *sdev)
{
	sdev->cmdq = kzalloc(sizeof(*sdev->cmdq), GFP_KERNEL);
	return sdev->cmdq ? 0 : -ENOMEM;
}

/**
 * sim_cmdq_exit() - undo sim_cmdq_init()
 * @sdev: simulated function
 */
void sim_cmdq_exit(struct sim_dev *sdev)
{
	kfree(sdev->cmdq);
	sdev->cmdq = NULL;
}

/**
 * sim_cmdq_reset() - drop the command ring and reset its registers
 * @sdev: simulated function
 *
 * Context: hardware thread.
 */
void sim_cmdq_reset(struct sim_dev *sdev)
{
	memset(sdev->cmdq, 0, sizeof(*sdev->cmdq));
	sim_bar_write_be32(sdev, SIM_ISEG(cmdq_addr_h), 0);
	/* "disabled" indicates to the driver a reset that it did not request */
	sim_bar_write_be32(sdev, SIM_ISEG(cmdq_addr_l_sz),
			   MLX5_INITIAL_SEG_NIC_INTERFACE_DISABLED << MLX5_NIC_IFC_OFFSET |
			   SIM_CMDQ_SZ);
}

/*
 * Read the address of the ring. The driver writes the address with the size
 * fields zero; the size fields are restored, since the driver reads them again
 * at its next load.
 */
static void sim_cmdq_latch(struct sim_dev *sdev)
{
	u32 lo = sim_bar_read_be32(sdev, SIM_ISEG(cmdq_addr_l_sz));

	if (lo & 0xff)
		return;
	/* a new ring: the device no longer owns slots of the old ring */
	sdev->cmdq->delayed = 0;
	sdev->cmdq->hung = 0;
	sdev->cmdq->starved = 0;
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

/* Can @addr be the pointer to mailbox @n of a message? Unrefereed: U-68. */
static bool sim_mbox_aligned(u64 addr, u32 n)
{
	return addr && IS_ALIGNED(addr, n ? SIM_CMD_NEXT_ALIGN : SIM_CMD_PTR_ALIGN);
}

/*
 * Read a mailbox and check that it belongs to this message. Unrefereed: U-69.
 */
static u8 sim_mbox_read(struct sim_dev *sdev, const struct mlx5_cmd_layout *lay, u64 addr, u32 n,
			struct mlx5_cmd_prot_block *blk)
{
	if (sim_dma_read(sdev, addr, blk, sizeof(*blk)))
		return SIM_DELIV_INTERNAL;
	if (sdev->cmdq->signing && !sim_mbox_signed(blk))
		return sim_deliv_bad(sdev, SIM_DELIV_SIGNATURE, SIM_VIO_cmd_signature,
				     "mailbox signature", blk->sig);
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
		if (!sim_mbox_aligned(addr, n))
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

/*
 * Write @len bytes of output to a mailbox, and its signatures if mailboxes are
 * signed. @blk is a copy of the mailbox.
 */
static int sim_mbox_write(struct sim_dev *sdev, u64 addr, struct mlx5_cmd_prot_block *blk,
			  const void *from, u32 len)
{
	if (!sdev->cmdq->signing)
		return sim_dma_write(sdev, addr, from, len);
	memcpy(blk->data, from, len);
	sim_mbox_sign(blk);
	return sim_dma_write(sdev, addr, blk, sizeof(*blk));
}

/* Writes the output to the copy of the slot and to the mailboxes in memory. */
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
		if (!sim_mbox_aligned(addr, n))
			return sim_deliv_bad(sdev, SIM_DELIV_OUT_ALIGN, SIM_VIO_cmd_signature,
					     "output pointer", addr);
		deliv = sim_mbox_read(sdev, lay, addr, n, blk);
		if (deliv)
			return deliv;
		part = min_t(u32, left, sizeof(blk->data));
		if (sim_mbox_write(sdev, addr, blk, from, part))
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

/* A fault that completes a command */
struct sim_slot_fault {
	u8 status;		/* of the command; 0 without a fault */
	bool executed;		/* the command is executed first */
};

/*
 * Sets the syndrome of a command that a fault completes with @status, and
 * returns @status.
 */
static u8 sim_cmd_refuse(struct sim_dev *sdev, struct sim_cmd *cmd, u8 status)
{
	cmd->syndrome = SIM_FAULT_SYNDROME;
	sim_count(sdev, commands_failed);
	sim_trace(sdev, "fault: cmd %#x: status %#x", MLX5_GET(create_cq_in, cmd->in, opcode),
		  status);
	return status;
}

/*
 * Executes the command in a private copy of the slot, unless @fault prevents
 * that, and writes the output to the copy and to the mailboxes. Returns the
 * delivery status.
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
	cmd.in = kvzalloc(ALIGN(cmd.in_len, 8), GFP_KERNEL | __GFP_NOWARN);
	cmd.out = kvzalloc(ALIGN(cmd.out_len, 8), GFP_KERNEL | __GFP_NOWARN);
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
	if (status && MLX5_GET(manage_pages_in, cmd.in, opcode) == MLX5_CMD_OP_MANAGE_PAGES)
		sim_pages_failed(sdev);
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

/* Does the command in a slot wait for pages? */
static bool sim_slot_starves(struct sim_dev *sdev, u32 slot, const struct mlx5_cmd_layout *lay)
{
	u16 op = MLX5_GET(create_cq_in, lay->in, opcode);

	if (!sim_pages_hold(sdev, op))
		return false;
	sim_trace(sdev, "cmd %#x in slot %u waits for pages", op, slot);
	sdev->cmdq->starved |= BIT(slot);
	return true;
}

/*
 * Finds the fault of the command in a slot. Returns true if the fault holds the
 * slot back; otherwise sets *@fault.
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
		/*
		 * MANAGE_PAGES is not executed: mlx5_core handles its failure
		 * as if no page had moved
		 */
		fault->executed = kind == SIM_FAULT_LIE && op != MLX5_CMD_OP_MANAGE_PAGES;
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

static int sim_slot_write_sig(struct sim_dev *sdev, u64 addr, struct mlx5_cmd_layout *lay)
{
	sim_slot_sign(lay);
	return sim_dma_write(sdev, addr + offsetof(struct mlx5_cmd_layout, sig), &lay->sig, 1);
}

/*
 * @again: a fault has delayed the command in the slot, which is now executed
 *	without a search for another fault
 */
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
	if (!bad && !again && (sim_slot_starves(sdev, slot, &lay) ||
			       sim_slot_fault(sdev, slot, &lay, &fault)))
		return;
	sdev->cmdq->signing = SIM_CAP(sdev, cmdif_checksum) == SIM_CMDIF_SIGNED;
	if (bad)
		status = sim_deliv_bad(sdev, SIM_DELIV_SIGNATURE, SIM_VIO_cmd_signature,
				       "slot signature", lay.sig);
	else
		status = sim_slot_run(sdev, &lay, &fault);
	lay.status_own = status << 1;

	/* an unplug or a reset caused by the command drops the ring */
	if (!sdev->cmdq->addr)
		return;
	if (sim_dma_write(sdev, addr + offsetof(struct mlx5_cmd_layout, out), lay.out,
			  sizeof(lay.out)) ||
	    (sdev->cmdq->signing && sim_slot_write_sig(sdev, addr, &lay)))
		return;
	/*
	 * The ownership bit is written last: after the output, and after
	 * mailboxes were read, since the driver may then free them. Pairs with
	 * mlx5_core, which reads the output after the ownership bit or after
	 * the event
	 */
	smp_mb();
	if (sim_dma_write(sdev, addr + offsetof(struct mlx5_cmd_layout, status_own),
			  &lay.status_own, 1))
		return;
	if (events && sim_cmd_events_on(sdev)) {
		data.cmd.vector = cpu_to_be32(BIT(slot));
		sim_event(sdev, MLX5_EVENT_TYPE_CMD, 0, &data);
	}
}

/*
 * Is a slot owned by the device, and complete? A slot with a doorbell (@named)
 * is complete. Another slot is complete if its signature is valid.
 */
static bool sim_slot_ready(const struct mlx5_cmd_layout *lay, bool named)
{
	if (!(READ_ONCE(lay->status_own) & SIM_CMD_OWN_HW))
		return false;
	/*
	 * read the ownership bit before the rest of the slot. The bit of a slot
	 * with a doorbell is valid already: see sim_cmdq_poll()
	 */
	dma_rmb();
	return named || sim_xor8(lay, sizeof(*lay)) == 0xff;
}

/* Slots that are held back, one bit per slot */
static u32 sim_cmdq_held(const struct sim_cmdq *cmdq)
{
	return cmdq->delayed | cmdq->hung | cmdq->starved;
}

/*
 * Execute the slots of @named, and record whether another slot is signed. All
 * slots are read before the first slot is executed: the driver may unmap the
 * ring once its last command has completed.
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
	if (ready & ~named & ~sim_cmdq_held(cmdq)) {
		cmdq->unnamed = true;
		cmdq->unnamed_until = jiffies + SIM_CMD_UNNAMED;
	}
	for (slot = 0; slot < SIM_CMDQ_SLOTS && cmdq->addr; slot++)
		if (ready & named & BIT(slot))
			sim_slot_exec(sdev, slot, false);
}

/*
 * Execute the slots whose delay is over. When the host has served or refused
 * the request for pages, also execute the slots that wait for pages. Return:
 * true if a slot was executed.
 */
static bool sim_cmdq_resume(struct sim_dev *sdev)
{
	struct sim_cmdq *cmdq = sdev->cmdq;
	bool any = false, late, fed;
	u32 slot;

	for (slot = 0; slot < SIM_CMDQ_SLOTS; slot++) {
		late = cmdq->delayed & BIT(slot) &&
		       !time_before(jiffies, cmdq->delayed_until[slot]);
		fed = cmdq->starved & BIT(slot) && !sim_pages_pending(sdev);
		if (!late && !fed)
			continue;
		cmdq->delayed &= ~BIT(slot);
		cmdq->starved &= ~BIT(slot);
		sim_slot_exec(sdev, slot, late);
		any = true;
	}
	return any;
}

/**
 * sim_cmdq_poll() - execute the commands whose doorbells were written
 * @sdev: simulated function
 *
 * Context: hardware thread.
 * Return: true if a doorbell was written, or a slot that was held back or whose
 * doorbell was overwritten was due.
 */
bool sim_cmdq_poll(struct sim_dev *sdev)
{
	u32 __force *dbell = (u32 __force *)(sdev->bar + SIM_ISEG(cmd_dbell));
	struct sim_cmdq *cmdq = sdev->cmdq;
	u32 named;

	if (likely(!READ_ONCE(*dbell))) {
		if (unlikely(cmdq->delayed | cmdq->starved) && sim_cmdq_resume(sdev))
			return true;
		if (likely(!cmdq->unnamed) || time_before(jiffies, cmdq->unnamed_until))
			return false;
		cmdq->unnamed = false;
		sim_cmdq_scan(sdev, ~sim_cmdq_held(cmdq));
		return true;
	}
	/*
	 * fully ordered: pairs with wmb() in cmd_work_handler() of mlx5_core,
	 * which writes slot and mailboxes before the doorbell
	 */
	named = be32_to_cpu((__be32 __force)xchg(dbell, 0));
	sim_cmdq_latch(sdev);
	if (cmdq->addr) {
		cmdq->unnamed = false;
		cmdq->delayed &= ~named;
		cmdq->hung &= ~named;
		cmdq->starved &= ~named;
		sim_cmdq_scan(sdev, named);
	}
	return true;
}
