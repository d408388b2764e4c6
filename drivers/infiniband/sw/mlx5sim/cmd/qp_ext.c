// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The extension of the QP context, which INIT2INIT_QP and RTS2RTS_QP may carry.
 *
 * The kernel's <linux/mlx5/mlx5_ifc.h> does not define the extension; the
 * layout is taken from rdma-core, which sends these commands from user space.
 * In a command with an extension, the bytes after the context, which are
 * reserved otherwise, contain another parameter mask. The extension follows and
 * makes the command longer. Mask and extension are valid if the qpc_ext bit is
 * set; otherwise both must be zero.
 *
 * Two fields of the extension are supported: the field that enables memory
 * copies, and the stream of a DCI to take out of error.
 */
#include <kunit/visibility.h>
#include <linux/mlx5/qp.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "dp/dp.h"
#include "obj/caps.h"
#include "obj/obj.h"

/* Bit offsets and length in the longer command */
#define SIM_EXT_MASK_OFF	0x840
#define SIM_EXT_OFF		0x880
#define SIM_EXT_LEN		0x600

static const struct sim_field sim_ext_present = { 0x40, 1 };
static const struct sim_field sim_ext_mask_hi = { SIM_EXT_MASK_OFF, 32 };
static const struct sim_field sim_ext_mask_lo = { SIM_EXT_MASK_OFF + 32, 32 };
static const struct sim_field sim_ext_mmo = { SIM_EXT_OFF + 2, 1 };
static const struct sim_field sim_ext_stream = { SIM_EXT_OFF + 0x10, 16 };

#define SIM_EXT_MASK_STREAM	BIT(0)
#define SIM_EXT_MASK_MMO	BIT(3)

/**
 * sim_qp_ext_parse() - parse the extension of a command
 * @in: the command
 * @in_len: bytes of @in, at least the length of a command without extension
 * @ext: filled in
 *
 * Context: any; depends on its arguments only.
 * Return:
 * * 0
 * * -EMSGSIZE: the command has another length than with or without extension,
 *   or the qpc_ext bit is set in a command without extension
 * * -EINVAL: a field outside of the mask is set, the mask is set while the
 *   qpc_ext bit is clear, or a bit in the upper half of the mask is set
 */
int sim_qp_ext_parse(const void *in, u32 in_len, struct sim_qp_ext *ext)
{
	const u32 base = SIM_EXT_OFF / 8;
	const u8 *data = (const u8 *)in + base;
	u32 mask_hi = sim_bits_get(in, sim_ext_mask_hi);
	u8 first[4] = {};
	bool extended;

	memset(ext, 0, sizeof(*ext));
	ext->present = sim_bits_get(in, sim_ext_present);
	extended = in_len == base + SIM_EXT_LEN / 8;
	if (!extended && (in_len != base || ext->present))
		return -EMSGSIZE;
	ext->mask = sim_bits_get(in, sim_ext_mask_lo);
	if (mask_hi || (ext->mask && !ext->present))
		return -EINVAL;
	if (!extended)
		return 0;

	if (ext->mask & SIM_EXT_MASK_MMO) {
		ext->mmo = sim_bits_get(in, sim_ext_mmo);
		first[0] |= 0x20;
	}
	if (ext->mask & SIM_EXT_MASK_STREAM) {
		ext->stream = sim_bits_get(in, sim_ext_stream);
		first[2] = 0xff;
		first[3] = 0xff;
	}
	if (data[0] & ~first[0] || data[1] || data[2] & ~first[2] || data[3] & ~first[3] ||
	    memchr_inv(data + sizeof(first), 0, SIM_EXT_LEN / 8 - sizeof(first)))
		return -EINVAL;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(sim_qp_ext_parse);

static bool sim_qp_ext_known(const struct sim_qp *qp, u16 opcode, u32 mask)
{
	switch (opcode) {
	case MLX5_CMD_OP_INIT2INIT_QP:
		return !(mask & ~SIM_EXT_MASK_MMO) &&
		       (qp->st == MLX5_QP_ST_RC || qp->st == MLX5_QP_ST_DCI);
	case MLX5_CMD_OP_RTS2RTS_QP:
		return !(mask & ~SIM_EXT_MASK_STREAM) && qp->st == MLX5_QP_ST_DCI;
	default:
		return false;
	}
}

/**
 * sim_qp_ext_check() - check the extension of a state change
 * @sdev: simulated function
 * @cmd: the command
 * @qp: QP in the state from which the change starts
 * @ext: filled in for sim_qp_ext_apply()
 *
 * Unrefereed: U-66.
 *
 * Context: hardware thread.
 * Return: MLX5_CMD_STAT_*.
 */
u8 sim_qp_ext_check(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_qp *qp,
		    struct sim_qp_ext *ext)
{
	switch (sim_qp_ext_parse(cmd->in, cmd->in_len, ext)) {
	case 0:
		break;
	case -EMSGSIZE:
		return sim_cmd_size(sdev, cmd, "%u bytes, extension %d", cmd->in_len,
				    ext->present);
	default:
		return sim_cmd_reserved(sdev, cmd, "extension with mask %#x", ext->mask);
	}
	if (!ext->present)
		return MLX5_CMD_STAT_OK;
	if (!SIM_CAP(sdev, qpc_extension) || !sim_qp_ext_known(qp, cmd->opcode, ext->mask))
		return sim_cmd_bad_param(sdev, cmd, "extension mask %#x, service type %#x",
					 ext->mask, qp->st);
	if (ext->mmo && !SIM_CAP_AT(sdev, SIM_CAP_DMA_MMO_QP))
		return sim_cmd_bad_param(sdev, cmd, "no memory copies on this device");
	if (ext->mask & SIM_EXT_MASK_STREAM && !sim_dci_bad(&qp->dci, ext->stream))
		return sim_cmd_bad_state(sdev, cmd, "stream %u of qp %#x is not in error",
					 ext->stream, sim_qp_qpn(qp));
	return MLX5_CMD_STAT_OK;
}

/**
 * sim_qp_ext_apply() - apply an extension
 * @qp: the QP
 * @ext: extension, from sim_qp_ext_check()
 *
 * Context: hardware thread.
 */
void sim_qp_ext_apply(struct sim_qp *qp, const struct sim_qp_ext *ext)
{
	if (ext->mask & SIM_EXT_MASK_MMO)
		qp->mmo = ext->mmo;
	if (ext->mask & SIM_EXT_MASK_STREAM)
		sim_dci_recover(&qp->dci, ext->stream);
}
