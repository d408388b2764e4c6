/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: BSFs (byte stream formats), the signature attributes of mkeys. As in enc.h: no
 * locks, no allocation, no device.
 *
 * <linux/mlx5/qp.h> has the structure. Its codes of block sizes and CRCs are not public in the
 * kernel; they are those of wqe.h in providers/mlx5 of rdma-core.
 */
#ifndef MLX5_IBX_ENC_BSF_H
#define MLX5_IBX_ENC_BSF_H

#include <linux/mlx5/qp.h>

#include "enc/umr.h"
#include "sig.h"

static_assert(sizeof(struct mlx5_bsf) == 64);
static_assert(offsetof(struct mlx5_bsf, w_inl) == 32);

/* size of a BSF, in units of 16 bytes */
#define IBX_BSF_OCTWORDS	(sizeof(struct mlx5_bsf) / 16)
/* the BSF has 32 bits for the length of the mkey */
#define IBX_SIG_MAX_LENGTH	U32_MAX
/* position of the number of errors, modulo 2, in flags_pd of an mkey context */
#define IBX_SIG_ERRS_SHIFT	26

u8 ibx_block_selector(enum mlx5dv_block_size size);
enum ibx_sig_kind ibx_sig_kind(const struct mlx5dv_sig_block_domain *domain);
bool ibx_sig_same_structure(const struct mlx5dv_sig_block_attr *attr);
void ibx_enc_bsf(struct mlx5_bsf *bsf, const struct mlx5dv_sig_block_attr *attr, const u32 *psv);

/**
 * ibx_copy_bsf() - copy a BSF, in fewer instructions than memcpy() of this size takes
 * @to: memory for a BSF, aligned to 8 bytes
 * @from: BSF
 *
 * Context: any.
 */
static inline void ibx_copy_bsf(void *to, const struct mlx5_bsf *from)
{
	const u64 *f = (const u64 *)from;
	u64 *t = to;

	/* each word is written by itself: otherwise the compiler calls memcpy() */
	WRITE_ONCE(t[0], f[0]);
	WRITE_ONCE(t[1], f[1]);
	WRITE_ONCE(t[2], f[2]);
	WRITE_ONCE(t[3], f[3]);
	WRITE_ONCE(t[4], f[4]);
	WRITE_ONCE(t[5], f[5]);
	WRITE_ONCE(t[6], f[6]);
	WRITE_ONCE(t[7], f[7]);
}

/**
 * ibx_enc_conf_bsf() - add a BSF to a configuration, or disable the one that the mkey has
 * @umr: segment from ibx_enc_umr_conf()
 * @seg: segment from ibx_enc_mkey_conf()
 * @on: the BSF follows the layout; false: the mkey has no signature attributes afterwards
 *
 * Context: any.
 */
static inline void ibx_enc_conf_bsf(struct mlx5_wqe_umr_ctrl_seg *umr, struct mlx5_mkey_seg *seg,
				    bool on)
{
	umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_BSF_EN);
	if (!on)
		return;
	umr->bsf_octowords = cpu_to_be16(IBX_BSF_OCTWORDS);
	seg->flags_pd |= cpu_to_be32(MLX5_MKEY_BSF_EN);
}

/**
 * ibx_enc_conf_sig_errs() - add the number of signature errors to a configuration
 * @umr: segment from ibx_enc_umr_conf()
 * @seg: segment from ibx_enc_mkey_conf()
 * @errs: one more than the number of errors that the device reported. It reports one only
 *	when it is told of a number that differs from the one before
 *
 * Context: any.
 */
static inline void ibx_enc_conf_sig_errs(struct mlx5_wqe_umr_ctrl_seg *umr,
					 struct mlx5_mkey_seg *seg, u32 errs)
{
	umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_EN_SIGERR);
	seg->flags_pd |= cpu_to_be32((errs & 1) << IBX_SIG_ERRS_SHIFT);
}

#endif /* MLX5_IBX_ENC_BSF_H */
