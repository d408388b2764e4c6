/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the UMR that registers the signature mkey of an INTEGRITY MR, and its BSF from
 * the signature attributes of the core. As in enc.h: no locks, no allocation, no device.
 */
#ifndef MLX5_IBX_ENC_PI_H
#define MLX5_IBX_ENC_PI_H

#include <rdma/ib_verbs.h>
#include <rdma/signature.h>

#include "enc/bsf.h"
#include "enc/layout.h"
#include "integrity.h"

/* entries of the signature mkey: header, data and protection information, padded */
#define IBX_PI_OCTWORDS		4
/* blocks of that UMR: control and UMR segment, mkey context, layout, BSF */
#define IBX_PI_UMR_BBS		4

/* fields that the UMR sets */
#define IBX_UMR_PI_MASK								\
	(MLX5_MKEY_MASK_LEN | MLX5_MKEY_MASK_PAGE_SIZE |			\
	 MLX5_MKEY_MASK_START_ADDR | MLX5_MKEY_MASK_EN_SIGERR |			\
	 MLX5_MKEY_MASK_EN_RINVAL | MLX5_MKEY_MASK_KEY |			\
	 MLX5_MKEY_MASK_LR | MLX5_MKEY_MASK_LW | MLX5_MKEY_MASK_RR |		\
	 MLX5_MKEY_MASK_RW | MLX5_MKEY_MASK_SMALL_FENCE | MLX5_MKEY_MASK_FREE |	\
	 MLX5_MKEY_MASK_BSF_EN)

/**
 * struct ibx_enc_pi - parameters of a registration of a signature mkey
 * @length: bytes of data and protection information
 * @mkey: key: index in the upper 24 bits, variant in the lower 8
 * @errs: see ibx_enc_conf_sig_errs()
 * @access: IB_ACCESS_*
 */
struct ibx_enc_pi {
	u64 length;
	u32 mkey;
	u32 errs;
	u8 access;
};

int ibx_pi_check(const struct ib_sig_attrs *attrs, u64 data, u64 meta);
void ibx_enc_pi_umr(struct mlx5_wqe_umr_ctrl_seg *umr);
void ibx_enc_pi_mkey(struct mlx5_mkey_seg *seg, const struct ibx_enc_pi *p);
void ibx_enc_pi_layout(void *layout, const struct ibx_pi *pi, u16 block);
void ibx_enc_pi_bsf(struct mlx5_bsf *bsf, const struct ib_sig_attrs *attrs, const u32 *psv,
		    u32 length);
u64 ibx_pi_start(const struct ib_sig_domain *domain);

#endif /* MLX5_IBX_ENC_PI_H */
