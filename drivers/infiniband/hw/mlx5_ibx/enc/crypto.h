/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: crypto BSFs (the crypto attributes of mkeys), DEK objects and login
 * objects. Pure functions, as in enc.h.
 *
 * The kernel's headers do not define these formats. They are from wqe.h and
 * mlx5_ifc.h in providers/mlx5 of rdma-core.
 */
#ifndef MLX5_IBX_ENC_CRYPTO_H
#define MLX5_IBX_ENC_CRYPTO_H

#include <rdma/mlx5dv_crypto.h>

#include "conf.h"
#include "enc/umr.h"

/* size of a crypto BSF, in units of 16 bytes */
#define IBX_CRYPTO_BSF_OCTWORDS	(sizeof(struct ibx_crypto_bsf) / 16)

/* a DEK object: its size; byte offsets of its state, opaque bytes and key */
#define IBX_DEK_BYTES		256
#define IBX_DEK_STATE_AT	0x8
#define IBX_DEK_OPAQUE_AT	0x30
#define IBX_DEK_KEY_AT		0x40

/* a login object: its size, byte offset and bits of its state, and its longest credential */
#define IBX_LOGIN_BYTES		256
#define IBX_LOGIN_STATE_AT	0x10
#define IBX_LOGIN_STATE		0xf
#define IBX_LOGIN_CREDENTIAL	48

bool ibx_crypto_of_data(const struct ibx_crypto_bsf *bsf);
u32 ibx_crypto_unit_bytes(enum mlx5dv_block_size size);
void ibx_enc_crypto_bsf(struct ibx_crypto_bsf *bsf, const struct mlx5dv_crypto_attr *attr, u32 dekn,
			bool be_tweak);
void ibx_enc_dek(void *obj, const struct mlx5dv_dek_init_attr *attr, u32 pdn);
void ibx_enc_login(void *obj, const struct mlx5dv_crypto_login_attr_ex *attr);

#endif /* MLX5_IBX_ENC_CRYPTO_H */
