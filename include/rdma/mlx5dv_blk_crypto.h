/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: Keys of the block layer
 *
 * The driver of a remote block device whose data the mlx5 device encrypts gets
 * keys as struct blk_crypto_key and tweaks as data unit numbers (DUNs). These
 * functions make a DEK and crypto attributes from keys and DUNs, so that the
 * ciphertext is the same as in the block layer (blk-crypto-fallback)::
 *
 *	dek = mlx5dv_dek_create_blk(pd, key);
 *	...
 *	err = mlx5dv_crypto_attr_blk(&crypto, dek, key, dun);
 *	crypto.encrypt_on_tx = true;
 *
 * The functions need only the header of the block layer, and are available
 * without CONFIG_BLK_INLINE_ENCRYPTION, too. samples/crypto_disk.c is a block
 * device that uses them.
 */
#ifndef RDMA_MLX5DV_BLK_CRYPTO_H
#define RDMA_MLX5DV_BLK_CRYPTO_H

#include <linux/blk-crypto.h>
#include <rdma/mlx5dv.h>

/**
 * mlx5dv_dek_create_blk() - create a DEK of a key of the block layer
 * @pd: PD of the mkeys that use the DEK, on a device with direct verbs
 * @key: key
 *
 * The DEK is created from a key in plaintext, without a keytag. As in
 * mlx5dv_dek_create(), mlx5_ibx keeps no copy of the key. @key is not used
 * after the call.
 *
 * Context: process context, may sleep.
 * Return:
 * * the DEK
 * * ERR_PTR(-EOPNOTSUPP): the cipher is not BLK_ENCRYPTION_MODE_AES_256_XTS, the
 *   data unit has neither 512 nor 4096 bytes, or the key is not raw (in kernels
 *   that have types of keys)
 * * ERR_PTR(-EINVAL): the size of the key does not fit its cipher
 * * an ERR_PTR() of mlx5dv_dek_create()
 */
struct mlx5dv_dek *mlx5dv_dek_create_blk(struct ib_pd *pd, const struct blk_crypto_key *key);

/**
 * mlx5dv_crypto_attr_blk() - set crypto attributes for data of the block layer
 * @attr: gets the attributes; encrypt_on_tx and signature_crypto_order are set
 *	to 0
 * @dek: DEK from mlx5dv_dek_create_blk()
 * @key: key from which @dek was created
 * @dun: DUN of the first data unit, as in struct bio_crypt_ctx
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: the DUN has more than 128 bits
 * * -EOPNOTSUPP: as in mlx5dv_dek_create_blk()
 */
int mlx5dv_crypto_attr_blk(struct mlx5dv_crypto_attr *attr, struct mlx5dv_dek *dek,
			   const struct blk_crypto_key *key,
			   const u64 dun[BLK_CRYPTO_DUN_ARRAY_SIZE]);

#endif /* RDMA_MLX5DV_BLK_CRYPTO_H */
