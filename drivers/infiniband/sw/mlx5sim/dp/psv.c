// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SET_PSV: a WQE that sets the initial signature of a domain.
 *
 * A SET_PSV also takes its PSV out of error. Like a UMR, a SET_PSV may take
 * effect after the execution of later WQEs (requester.c), so the next WQE other
 * than a UMR, SET_PSV or NOP needs a fence.
 *
 * The signature is 64 bits: guard, application tag and reference tag of
 * T10-DIF, a CRC of 64 bits, or a CRC of 32 bits in the upper half.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"

/**
 * sim_psv_decode() - decode a SET_PSV after its control segment
 * @wqe: WQE; its rkey is set to the number of the PSV, and swap_add to the
 *	signature
 * @p: first byte after the control segment
 * @end: end of the WQE, exclusive
 * @why: out: reason of a failure
 *
 * Unrefereed: U-101.
 *
 * Context: any; pure.
 * Return: SIM_WQE_OK, or the enum sim_vio of the rule that the WQE breaks.
 */
int sim_psv_decode(struct sim_wqe *wqe, const u8 *p, const u8 *end, const char **why)
{
	const struct mlx5_seg_set_psv *seg = (const struct mlx5_seg_set_psv *)p;

	if (end - p != sizeof(*seg)) {
		*why = "SET_PSV has one segment of 16 bytes";
		return SIM_VIO_wqe_size;
	}
	if (be32_to_cpu(seg->psv_num) >> 24 || seg->syndrome || seg->status) {
		*why = "reserved field or status of SET_PSV";
		return SIM_VIO_wqe_reserved;
	}
	wqe->rkey = be32_to_cpu(seg->psv_num);
	wqe->swap_add = (u64)be32_to_cpu(seg->transient_sig) << 32 | be32_to_cpu(seg->ref_tag);
	return SIM_WQE_OK;
}

/**
 * sim_psv_set() - execute a SET_PSV
 * @sdev: simulated function
 * @qp: QP of @sdev
 * @psvn: number of the PSV
 * @sig: signature
 *
 * If the PSV does not exist or is of another PD than @qp, a violation is
 * recorded.
 *
 * Unrefereed: U-101.
 *
 * Context: hardware thread.
 * Return: 0, or the MLX5_CQE_SYNDROME_* that the WQE completes with.
 */
int sim_psv_set(struct sim_dev *sdev, const struct sim_qp *qp, u32 psvn, u64 sig)
{
	struct sim_psv *psv = sim_obj_find(sdev, SIM_OBJ_PSV, psvn);

	if (!psv || psv->pd != qp->pd) {
		sim_violation(sdev, SIM_VIO_sig_psv, "QP 0x%x: SET_PSV 0x%x: %s", sim_qp_qpn(qp),
			      psvn, psv ? "of another PD" : "does not exist");
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	}
	psv->sig = sig;
	psv->error = false;
	sim_count(sdev, psvs_set);
	return 0;
}
