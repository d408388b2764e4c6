/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5dv_ib and a patched mlx5_ib: marks of the WQEs of direct verbs, and storage
 * of their signature errors.
 *
 * tools/ulps/mlx5_ib_dv patches cq.c of mlx5_ib to call the functions below. An
 * unchanged mlx5_ib does not read the marks.
 */
#ifndef MLX5_IB_DV_H
#define MLX5_IB_DV_H

#include <linux/bitfield.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/driver.h>

#include "mlx5_ib.h"

/* MODULE_VERSION() of a patched mlx5_ib; changes with this file */
#define MLX5_IB_DV_VERSION	"direct-verbs-1"

/* wr_list.opcode of a WQE of direct verbs; ib_post_send() stores an opcode below 0x100 */
#define MLX5_IB_DV_WC	0x8000	/* the low byte is the enum ib_wc_opcode of the completion */
#define MLX5_IB_DV_PART	0x4000	/* a later WQE completes the WR */
#define MLX5_IB_DV_LAST	0x2000	/* the last of several WQEs of a WR */

/* mlx5_ib_wq.wr_data of the last WQE of a WR if another WQE of the WR has failed */
#define MLX5_IB_DV_FAILED	BIT(31)
#define MLX5_IB_DV_STATUS	GENMASK(15, 8)	/* enum ib_wc_status */
#define MLX5_IB_DV_VENDOR	GENMASK(7, 0)	/* vendor_err */

/* psv_memory.psv_idx in a struct mlx5_ib_dv_sig: no PSV, whose numbers have 24 bits */
#define MLX5_IB_DV_SIG	U32_MAX

/**
 * struct mlx5_ib_dv_sig - signature errors of an mkey
 * @ctx: errors as mlx5_ib stores them; the entry in mlx5_ib_dev.sig_mrs. Its
 *	number of a PSV is MLX5_IB_DV_SIG, unlike the numbers of an MR of mlx5_ib
 * @cqe: CQE of the last error that a patched mlx5_ib has polled
 */
struct mlx5_ib_dv_sig {
	struct mlx5_core_sig_ctx ctx;
	struct mlx5_sig_err_cqe cqe;
};

/* the WQE @idx has succeeded, and mlx5_ib has set @wc */
static inline void mlx5_ib_dv_set_opcode(struct ib_wc *wc, const struct mlx5_ib_wq *wq, u32 idx)
{
	const u16 mark = wq->w_list[idx].opcode;

	if (unlikely(mark & MLX5_IB_DV_WC))
		wc->opcode = mark & 0xff;
}

/* Return: the last WQE of the WR to which the WQE @idx belongs */
static inline u32 mlx5_ib_dv_last_of(const struct mlx5_ib_wq *wq, u32 idx)
{
	while (wq->w_list[idx].opcode & MLX5_IB_DV_PART)
		idx = wq->w_list[idx].next & (wq->wqe_cnt - 1);
	return idx;
}

/*
 * The WQE @idx has failed or was flushed, and mlx5_ib has set @wc. A WR of several
 * WQEs gets the status of the WQE that failed first. Return: true if the WQE has no
 * completion.
 */
static inline bool mlx5_ib_dv_take_part(struct ib_wc *wc, struct mlx5_ib_wq *wq, u32 idx)
{
	u32 *failed = &wq->wr_data[mlx5_ib_dv_last_of(wq, idx)];
	const u16 mark = wq->w_list[idx].opcode;

	if (mark & MLX5_IB_DV_PART) {
		if (!(*failed & MLX5_IB_DV_FAILED))
			*failed = MLX5_IB_DV_FAILED |
				  FIELD_PREP(MLX5_IB_DV_STATUS, wc->status) |
				  FIELD_PREP(MLX5_IB_DV_VENDOR, wc->vendor_err);
		return true;
	}
	if (mark & MLX5_IB_DV_LAST && *failed & MLX5_IB_DV_FAILED) {
		wc->status = FIELD_GET(MLX5_IB_DV_STATUS, *failed);
		wc->vendor_err = FIELD_GET(MLX5_IB_DV_VENDOR, *failed);
	}
	return false;
}

/* Store the CQE of a signature error; sig_mrs is locked and has @sig at the index of the mkey */
static inline void mlx5_ib_dv_store_cqe(struct mlx5_core_sig_ctx *sig,
					const struct mlx5_sig_err_cqe *cqe)
{
	if (sig->psv_memory.psv_idx == MLX5_IB_DV_SIG)
		container_of(sig, struct mlx5_ib_dv_sig, ctx)->cqe = *cqe;
}

#endif /* MLX5_IB_DV_H */
