/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: mkeys that MRs of processes use one after the other.
 */
#ifndef MLX5_IBX_MR_KEY_H
#define MLX5_IBX_MR_KEY_H

#include <linux/types.h>

struct ib_umem;
struct ibx_dev;
struct ibx_mkey_params;
struct ibx_mr_key;

int ibx_mr_keys_init(struct ibx_dev *dev);
void ibx_mr_keys_exit(struct ibx_dev *dev);
void ibx_mr_keys_open(struct ibx_dev *dev);
void ibx_mr_keys_close(struct ibx_dev *dev);
void ibx_mr_fill_pages(struct ib_umem *umem, u8 shift, u64 bits, __be64 *mtt);
struct ibx_mr_key *ibx_mr_key_get(struct ibx_dev *dev, const struct ibx_mkey_params *p,
				  struct ib_umem *umem, u32 *value);
bool ibx_mr_key_fits(const struct ibx_dev *dev, const struct ibx_mr_key *key,
		     const struct ibx_mkey_params *p);
int ibx_mr_key_clear(struct ibx_dev *dev, struct ibx_mr_key *key);
int ibx_mr_key_fill(struct ibx_dev *dev, struct ibx_mr_key *key, const struct ibx_mkey_params *p,
		    struct ib_umem *umem);
bool ibx_mr_rights_fit(const struct ibx_dev *dev, int from, int to);
int ibx_mr_set_rights(struct ibx_dev *dev, u32 value, struct ibx_mr_key *key, u32 pdn, int access);
int ibx_mr_key_destroy(struct ibx_dev *dev, u32 value);
int ibx_mr_key_put(struct ibx_dev *dev, struct ibx_mr_key *key);
void ibx_mr_key_forget(struct ibx_mr_key *key);

#endif /* MLX5_IBX_MR_KEY_H */
