// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory copies (MMO with the DMA modifier).
 *
 * The device copies between two ranges of the memory of its host. The WQE has a
 * control segment, an opaque segment, a data segment for the source and a data
 * segment of the same length for the destination. The opaque segment refers to
 * 64 bytes that belong to the device during the copy. Access to these bytes is
 * checked, but they are not written.
 *
 * A copy is executed later than its place in the queue: as late as the data of
 * a READ at its place could arrive (requester.c). So a later WQE that uses the
 * copied data without a fence gets old data, and the driver's error is
 * detected. The keys are checked when the copy is executed.
 *
 * <linux/mlx5/qp.h> does not describe MMO: the layout is taken from libmlx5.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/caps.h"
#include "obj/obj.h"

#define SIM_MMO_OPAQUE_LEN	64

/* Indices of the three segments from sim_wqe.seg[1] on, and in sim_late.seg */
enum {
	SIM_MMO_SRC,
	SIM_MMO_DST,
	SIM_MMO_OPAQUE,
	SIM_MMO_SEGS
};

struct sim_mmo_seg {
	__be32 control;
	__be32 key;
	__be64 addr;
};

static int sim_mmo_data(struct sim_seg *seg, const struct mlx5_wqe_data_seg *dseg,
			const char **why)
{
	u32 count = be32_to_cpu(dseg->byte_count);

	if (count & MLX5_INLINE_SEG) {
		*why = "inline data in a memory copy";
		return SIM_VIO_wqe_segment;
	}
	*seg = (struct sim_seg) {
		.va = be64_to_cpu(dseg->addr),
		.key = be32_to_cpu(dseg->lkey),
		.len = count ?: MLX5_INLINE_SEG,	/* 0 means 2 GB */
	};
	return SIM_WQE_OK;
}

/**
 * sim_mmo_decode() - decode a memory copy after its control segment
 * @wqe: WQE; its seg[1], seg[2] and seg[3] are set to source, destination and
 *	opaque segment
 * @p: first byte after the control segment
 * @end: end of the WQE, exclusive
 * @why: out: reason of a failure
 *
 * Context: any; pure.
 * Return: SIM_WQE_OK, or the enum sim_vio of the rule that the WQE breaks.
 */
int sim_mmo_decode(struct sim_wqe *wqe, u8 *p, const u8 *end, const char **why)
{
	const struct sim_mmo_seg *mmo = (const struct sim_mmo_seg *)p;
	const struct mlx5_wqe_data_seg *data = (const struct mlx5_wqe_data_seg *)(mmo + 1);
	struct sim_seg *seg = &wqe->seg[1];
	int vio;

	if (end - p != sizeof(*mmo) + 2 * sizeof(*data)) {
		*why = "a memory copy has an opaque segment and two of data";
		return SIM_VIO_wqe_size;
	}
	if (mmo->control) {
		*why = "control bits of a memory copy";
		return SIM_VIO_wqe_reserved;
	}
	vio = sim_mmo_data(&seg[SIM_MMO_SRC], &data[0], why);
	if (vio == SIM_WQE_OK)
		vio = sim_mmo_data(&seg[SIM_MMO_DST], &data[1], why);
	if (vio != SIM_WQE_OK)
		return vio;
	if (seg[SIM_MMO_SRC].len != seg[SIM_MMO_DST].len) {
		*why = "source and destination differ in length";
		return SIM_VIO_wqe_segment;
	}
	seg[SIM_MMO_OPAQUE] = (struct sim_seg) {
		.va = be64_to_cpu(mmo->addr),
		.key = be32_to_cpu(mmo->key),
		.len = SIM_MMO_OPAQUE_LEN,
	};
	wqe->len = seg[SIM_MMO_SRC].len;
	wqe->nseg = SIM_MMO_SEGS;
	return SIM_WQE_OK;
}

/* Bytes of the longest copy. A capability of 0 means 2 GB, as in libmlx5. */
static u64 sim_mmo_max(struct sim_dev *sdev)
{
	u32 log = SIM_CAP_AT(sdev, SIM_CAP_LOG_DMA_MMO_MAX_SIZE);

	return BIT_ULL(log ?: 31);
}

/**
 * sim_mmo_check() - check that a QP may execute a memory copy
 * @sdev: simulated function
 * @qp: QP of @sdev
 * @wqe: decoded WQE
 *
 * A device that has only the capability for send queues requires no permission
 * per QP. A failed check is recorded as a violation.
 *
 * Unrefereed: U-77.
 *
 * Return: 0, or the MLX5_CQE_SYNDROME_* that the WQE completes with.
 */
int sim_mmo_check(struct sim_dev *sdev, const struct sim_qp *qp, const struct sim_wqe *wqe)
{
	bool any = !SIM_CAP_AT(sdev, SIM_CAP_DMA_MMO_QP) &&
		   SIM_CAP_AT(sdev, SIM_CAP_DMA_MMO_SQ);

	if (!qp->mmo && !any) {
		sim_violation(sdev, SIM_VIO_wqe_opcode,
			      "QP 0x%x WQE 0x%x: memory copies are not enabled", sim_qp_qpn(qp),
			      wqe->counter);
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	}
	if (wqe->len > sim_mmo_max(sdev)) {
		sim_violation(sdev, SIM_VIO_wqe_segment,
			      "QP 0x%x WQE 0x%x: copy of %llu bytes, at most %llu",
			      sim_qp_qpn(qp), wqe->counter, wqe->len, sim_mmo_max(sdev));
		return MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR;
	}
	return 0;
}

/*
 * Compute the number of bytes on the wire between the two keys, which must be
 * the same for both. Return: 0 or a syndrome.
 */
static int sim_mmo_wire(const struct sim_acc *acc, const struct sim_seg *seg, u32 len, u64 *wire)
{
	u64 want;

	if (sim_access_wire(acc, &seg[SIM_MMO_SRC], 1, len, wire) ||
	    sim_access_wire(acc, &seg[SIM_MMO_DST], 1, len, &want))
		return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	if (*wire == want)
		return 0;
	sim_violation(acc->sdev, SIM_VIO_wqe_segment,
		      "QP 0x%x: copy of %llu bytes to %llu, signatures included", acc->qpn, *wire,
		      want);
	return MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR;
}

/**
 * sim_mmo_copy() - execute a memory copy
 * @sdev: simulated function
 * @qp: QP of @sdev
 * @seg: the three segments of sim_mmo_decode()
 * @len: bytes to copy
 *
 * Where source and destination overlap, the result is undefined. Signatures are
 * processed as if the copy was a message of the QP to itself.
 *
 * Unrefereed: U-76, U-111.
 *
 * Context: hardware thread; may reschedule.
 * Return: 0, or the MLX5_CQE_SYNDROME_* that the WQE completes with.
 */
int sim_mmo_copy(struct sim_dev *sdev, struct sim_qp *qp, const struct sim_seg *seg, u32 len)
{
	struct sim_end src = { sdev, qp, &seg[SIM_MMO_SRC], 1, .req = true };
	struct sim_end dst = { sdev, qp, &seg[SIM_MMO_DST], 1, .req = true };
	struct sim_acc acc;
	int syndrome;
	u64 wire;

	sim_qp_acc(&acc, sdev, qp, SIM_MKEY_LW);
	if (sim_access_check(&acc, &seg[SIM_MMO_OPAQUE], 1, SIM_MMO_OPAQUE_LEN))
		return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	acc.sig = true;
	syndrome = sim_mmo_wire(&acc, seg, len, &wire);
	if (syndrome)
		return syndrome;
	if (sim_access_check(&acc, dst.seg, 1, wire))
		return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	acc.rights = SIM_MKEY_LR;
	if (sim_access_check(&acc, src.seg, 1, wire))
		return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	if (sim_wire_copy(&dst, &src, wire, true) != SIM_COPIED)
		return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	sim_wire_commit();
	sim_count(sdev, copies);
	sim_count_add(sdev, copied_bytes, len);
	return 0;
}
