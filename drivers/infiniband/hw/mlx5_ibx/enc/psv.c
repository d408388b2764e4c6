// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: values of PSVs. See enc/psv.h.
 */
#include "enc/psv.h"
#include "sig.h"

/**
 * ibx_sig_start() - value of the PSV of a domain at the start of a transfer
 * @domain: valid attributes of the domain
 *
 * Context: any.
 * Return: the value, as it is in a SET_PSV WQE.
 */
u64 ibx_sig_start(const struct mlx5dv_sig_block_domain *domain)
{
	const struct mlx5dv_sig_t10dif *dif = domain->sig.dif;
	const struct mlx5dv_sig_crc *crc = domain->sig.crc;

	if (domain->sig_type == MLX5DV_SIG_TYPE_T10DIF)
		return (u64)dif->bg << 48 | (u64)dif->app_tag << 32 | dif->ref_tag;
	/* the high bits of the seed of a 4-byte CRC are ignored */
	return crc->type == MLX5DV_SIG_CRC_TYPE_CRC64_XP10 ? crc->seed : crc->seed << 32;
}
