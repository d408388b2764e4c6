/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A UMR, from its checks (umr_check.c) to its execution (umr.c). */
#ifndef MLX5SIM_DP_UMR_H
#define MLX5SIM_DP_UMR_H

#include "dp/dp.h"
#include "obj/crypto.h"
#include "obj/obj.h"

/**
 * struct sim_umr - a UMR being executed
 * @mkey: mkey to change, NULL if it does not exist
 * @seg: mkey segment
 * @flags: flags of the control segment
 * @mask: mkey mask, host order
 * @first: index of the first translation octword to write
 * @noct: number of translation octwords
 * @raw: BSFs in the WQE, or NULL
 * @raw_len: bytes at @raw
 * @has_crypto: the last BSF is a crypto BSF
 * @bsf: signatures in @raw, decoded; empty if @raw has only a crypto BSF
 * @crypto: crypto BSF in @raw, decoded
 */
struct sim_umr {
	struct sim_mkey *mkey;
	const struct mlx5_mkey_seg *seg;
	u8 flags;
	u64 mask;
	u64 first;
	u32 noct;
	const void *raw;
	u32 raw_len;
	bool has_crypto;
	struct sim_bsf bsf;
	struct sim_crypto crypto;
};

/* log_page_size after the UMR. Bit 5 of the field has a separate mask bit. */
static inline u8 sim_umr_page_size(const struct sim_umr *u)
{
	u8 take = (u->mask & MLX5_MKEY_MASK_PAGE_SIZE ? 0x1f : 0) |
		  (u->mask & MLX5_MKEY_MASK_PAGE_SIZE_5 ? 0x20 : 0);

	return (u->mkey->log_page_size & ~take) | (u->seg->log2_page_size & take);
}

static inline u32 sim_umr_qpn(const struct sim_umr *u)
{
	return be32_to_cpu(u->seg->qpn_mkey7_0) >> 8;
}

/* Number of translation octwords in force after the UMR. */
static inline u32 sim_umr_used(const struct sim_umr *u)
{
	u32 used = u->first + u->noct;

	if (!u->noct)
		return u->mkey->xlt_used;
	if (u->flags & MLX5_UMR_TRANSLATION_OFFSET_EN)
		used = max(used, u->mkey->xlt_used);
	return min(used, u->mkey->xlt_octwords);
}

int sim_umr_check(struct sim_dev *sdev, struct sim_qp *qp, struct sim_umr *u,
		  const struct sim_wqe *wqe, const char **why);
int sim_umr_check_list(const struct sim_umr *u, const void *list, const char **why);

#endif /* MLX5SIM_DP_UMR_H */
