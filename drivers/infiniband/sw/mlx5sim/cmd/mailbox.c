// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Signatures of command slots and mailboxes.
 *
 * A signature is one byte. The exclusive or of the signature and of the bytes
 * that it covers is 0xff. A slot contains one signature, which covers all bytes
 * of the slot. A mailbox contains two signatures: the first covers the control
 * part after the data, without the second signature, and the second covers all
 * bytes of the mailbox.
 *
 * The driver always signs the slot. If the capability cmdif_checksum is
 * SIM_CMDIF_SIGNED, the driver also signs the mailboxes of input and output,
 * and the device signs slot and output mailboxes when it completes the command.
 */
#include <kunit/visibility.h>
#include <linux/mlx5/device.h>

#include "cmd/handlers.h"
#include "core/core.h"

#define SIM_MBOX_CTRL	offsetof(struct mlx5_cmd_prot_block, rsvd0)

static_assert(offsetofend(struct mlx5_cmd_prot_block, sig) == sizeof(struct mlx5_cmd_prot_block));

/**
 * sim_slot_sign() - sign a slot
 * @lay: the slot, complete except for the signature
 *
 * Context: any; depends on its arguments only.
 */
void sim_slot_sign(struct mlx5_cmd_layout *lay)
{
	lay->sig = 0;
	lay->sig = ~sim_xor8(lay, sizeof(*lay));
}
EXPORT_SYMBOL_IF_KUNIT(sim_slot_sign);

/**
 * sim_mbox_sign() - sign a mailbox
 * @blk: the mailbox, complete except for the signatures
 *
 * Context: any; depends on its arguments only.
 */
void sim_mbox_sign(struct mlx5_cmd_prot_block *blk)
{
	blk->ctrl_sig = 0;
	blk->ctrl_sig = ~sim_xor8(blk->rsvd0, sizeof(*blk) - SIM_MBOX_CTRL - sizeof(blk->sig));
	blk->sig = 0;
	blk->sig = ~sim_xor8(blk, sizeof(*blk));
}
EXPORT_SYMBOL_IF_KUNIT(sim_mbox_sign);

/**
 * sim_mbox_signed() - check both signatures of a mailbox
 * @blk: the mailbox
 *
 * Context: any; depends on its arguments only.
 * Return: true if both signatures are valid.
 */
bool sim_mbox_signed(const struct mlx5_cmd_prot_block *blk)
{
	size_t ctrl = sizeof(*blk) - SIM_MBOX_CTRL - sizeof(blk->sig);

	return sim_xor8((const u8 *)blk + SIM_MBOX_CTRL, ctrl) == 0xff &&
	       sim_xor8(blk, sizeof(*blk)) == 0xff;
}
EXPORT_SYMBOL_IF_KUNIT(sim_mbox_signed);
