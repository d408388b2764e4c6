// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Signature errors: the CQE, the counts of the mkey, and draining.
 *
 * The first error of a message puts the PSV of its domain in error: no
 * signature is checked with this PSV until SET_PSV. A CQE reports the error if
 * the mkey is armed. Device and driver both count the reported errors of an
 * mkey, and a UMR contains the low bit of (the driver's count + 1). The mkey is
 * armed while that bit differs from the low bit of the device's count. So the
 * driver acknowledges each report before the next report. Errors of an mkey
 * that is not armed are counted (sig_errors), but not reported.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/caps.h"
#include "obj/obj.h"

/* as in libmlx5; <linux/mlx5/device.h> does not define these fields */
struct sim_sigerr_where {
	u8 sig_type;		/* 0: block */
	u8 domain;		/* 0: wire, 1: memory */
};

static bool sigerr_armed(const struct sim_mkey *mkey)
{
	return (mkey->sigerrs & 1) != mkey->sigerr_expected;
}

/**
 * sim_cqe_sigerr() - build the completion queue entry of a signature error
 * @cqe: out: entry
 * @qp: QP
 * @err: the error
 * @where: the entry contains the domain of the error
 *
 * Context: any; pure.
 */
void sim_cqe_sigerr(struct mlx5_cqe64 *cqe, const struct sim_qp *qp,
		    const struct sim_sig_err *err, bool where)
{
	struct mlx5_sig_err_cqe *sig = (struct mlx5_sig_err_cqe *)cqe;
	struct sim_sigerr_where *w = (struct sim_sigerr_where *)sig->rsvd22;

	BUILD_BUG_ON(sizeof(*sig) != sizeof(*cqe) || sizeof(*w) != sizeof(sig->rsvd22));
	memset(sig, 0, sizeof(*sig));
	sig->expected_trans_sig = cpu_to_be32(err->expected >> 32);
	sig->expected_reftag = cpu_to_be32(err->expected);
	sig->actual_trans_sig = cpu_to_be32(err->actual >> 32);
	sig->actual_reftag = cpu_to_be32(err->actual);
	sig->syndrome = cpu_to_be16(err->syndrome);
	if (where)
		w->domain = err->memory;
	sig->mkey = cpu_to_be32(err->mkey->obj.id << 8 | err->mkey->variant);
	sig->err_offset = cpu_to_be64(err->offset);
	sig->qpn = cpu_to_be32(sim_qp_qpn(qp));
	sig->op_own = MLX5_CQE_SIG_ERR << 4;
}

/**
 * sim_sigerr_report() - report the signature error of an end, if any
 * @end: end of a message that has succeeded
 * @err: error of the end; without an error, its mkey is NULL
 *
 * Unrefereed: U-107, U-108.
 *
 * Context: hardware thread.
 */
void sim_sigerr_report(const struct sim_end *end, const struct sim_sig_err *err)
{
	struct sim_dev *sdev = end->sdev;
	struct mlx5_cqe64 cqe;

	if (!err->mkey)
		return;
	err->psv->error = true;
	sim_count(sdev, sig_errors);
	sim_trace(sdev, "QP 0x%x: signature error on key 0x%x: syndrome 0x%x at %llu, %llx is %llx",
		  sim_qp_qpn(end->qp), err->mkey->obj.id << 8, err->syndrome, err->offset,
		  err->expected, err->actual);
	if (sigerr_armed(err->mkey) && SIM_CAP(sdev, sigerr_cqe)) {
		err->mkey->sigerrs++;
		sim_count(sdev, sig_errors_reported);
		sim_cqe_sigerr(&cqe, end->qp, err, SIM_CAP_AT(sdev, SIM_CAP_SIGERR_DOMAIN));
		sim_dp_post_cqe(sdev, end->qp, end->req ? end->qp->scq : sim_qp_rcq(end->qp), &cqe,
				true);
	}
	if (end->req && end->qp->drain_sigerr)
		end->qp->dp->draining = true;
}

/**
 * sim_sq_drained() - move a draining QP to SQD
 * @sdev: simulated function
 * @qp: QP without outstanding WQEs
 *
 * The remaining WQEs stay in the ring. The QP still receives.
 *
 * Unrefereed: U-109.
 *
 * Context: hardware thread.
 */
void sim_sq_drained(struct sim_dev *sdev, struct sim_qp *qp)
{
	qp->dp->draining = false;
	if (qp->state != MLX5_QP_STATE_RTS)
		return;
	qp->state = MLX5_QP_STATE_SQD;
	sim_event_qp(sdev, MLX5_EVENT_TYPE_SQ_DRAINED, MLX5_EVENT_QUEUE_TYPE_QP, sim_qp_qpn(qp));
}
