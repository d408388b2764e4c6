/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: SET_PSV WQEs. A PSV has the value of a signature at the start of a
 * transfer: guard, application tag and reference tag of T10-DIF, or the seed of
 * a CRC in the high bytes. Pure functions, as in enc.h.
 */
#ifndef MLX5_IBX_ENC_PSV_H
#define MLX5_IBX_ENC_PSV_H

#include <rdma/mlx5dv_sig.h>

#include "enc/enc.h"

/* PSVs have 24-bit numbers */
#define IBX_PSV_MASK		0xffffff
/* size of a SET_PSV WQE, in units of 16 bytes */
#define IBX_SET_PSV_DS		2

IBX_ASSERT_WORD(struct mlx5_seg_set_psv, psv_num, 0);
IBX_ASSERT_WORD(struct mlx5_seg_set_psv, transient_sig, 1);
IBX_ASSERT_WORD(struct mlx5_seg_set_psv, ref_tag, 1);
static_assert(sizeof(struct mlx5_seg_set_psv) == (IBX_SET_PSV_DS - 1) * 16);

/**
 * ibx_enc_set_psv() - write the segment of a SET_PSV WQE
 * @seg: segment; every byte is written. The WQE also clears an error in the PSV
 * @psv: number of the PSV
 * @start: value of the PSV at the start of a transfer
 *
 * Context: any.
 */
static inline void ibx_enc_set_psv(struct mlx5_seg_set_psv *seg, u32 psv, u64 start)
{
	ibx_put(seg, 0, IBX_FIELD(struct mlx5_seg_set_psv, psv_num, psv & IBX_PSV_MASK));
	ibx_put(seg, 1, start);
}

/**
 * ibx_sig_crc_start() - value of the PSV of a domain with a CRC at the start of a transfer
 * @crc: valid CRC
 *
 * Context: any.
 * Return: the value, as it is in a SET_PSV WQE.
 */
static __always_inline u64 ibx_sig_crc_start(const struct mlx5dv_sig_crc *crc)
{
	/* the high bits of the seed of a 4-byte CRC are ignored */
	return crc->type == MLX5DV_SIG_CRC_TYPE_CRC64_XP10 ? crc->seed : crc->seed << 32;
}

#endif /* MLX5_IBX_ENC_PSV_H */
