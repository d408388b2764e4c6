// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: indirect mkeys. See mlx5dv_create_mkey() in <rdma/mlx5dv.h>.
 *
 * An mkey is created in the free state: it cannot be used until a UMR configures it
 * (wr_mkey.c).
 */
#include <linux/export.h>
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "dv/companion.h"
#include "dv/dv.h"
#include "dv/mkey.h"
#include "enc/bsf.h"
#include "enc/crypto.h"
#include "enc/layout.h"
#include "verbs/verbs.h"

#define KNOWN_FLAGS								\
	(MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |					\
	 MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE |				\
	 MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO |					\
	 MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG |				\
	 MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE)

/**
 * ibx_mkey_max_entries() - entries of the longest layout that a device supports
 * @dev: device
 *
 * Context: any.
 * Return: number of entries; 0 when the device does not support indirect mkeys.
 */
u32 ibx_mkey_max_entries(const struct ibx_dev *dev)
{
	return ibx_mr_has_gaps(dev) ? min_t(u32, ibx_mr_max_mtt(dev), IBX_LAYOUT_MAX) : 0;
}

static bool has_sig(const struct mlx5dv_mkey_init_attr *attr)
{
	return attr->create_flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE;
}

static int check_mkey_attr(const struct ibx_dev *dev, const struct mlx5dv_mkey_init_attr *attr)
{
	u32 max;

	if (attr->create_flags & ~KNOWN_FLAGS ||
	    !(attr->create_flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT))
		return -EINVAL;
	max = ibx_mkey_max_entries(dev);
	if (!max || (has_sig(attr) && !dev->sig_caps.block_prot))
		return -EOPNOTSUPP;
	if (attr->create_flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO &&
	    !dev->crypto_caps.crypto_engines)
		return -EOPNOTSUPP;
	return attr->max_entries && attr->max_entries <= max ? 0 : -EINVAL;
}

/* create the mkey on the device, with its PSVs */
static int create_fw_mkey(struct ibx_dev *dev, struct ibx_mkey *mkey)
{
	const u32 flags = mkey->has.flags;
	const bool crypto = flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO;
	const bool sig = flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE;
	const struct ibx_mkey_params p = {
		.mode = MLX5_MKC_ACCESS_MODE_KLMS,
		.pdn = ibx_dv_pdn(dev, mkey->pd),
		.octwords = mkey->has.max_entries,
		.bsf_octwords = (sig ? IBX_BSF_OCTWORDS : 0) +
				(crypto ? IBX_CRYPTO_BSF_OCTWORDS : 0),
		.crypto = crypto,
		.free = true,
		.rinval = flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE,
	};

	if (!sig)
		return ibx_cmd_create_mkey(dev, &p, &mkey->key);
	mkey->sig = ibx_sig_create_mkey(dev, &p, &mkey->key);
	return PTR_ERR_OR_ZERO(mkey->sig);
}

static void destroy_fw_mkey(struct ibx_dev *dev, struct ibx_mkey *mkey)
{
	if (mkey->sig)
		ibx_sig_destroy_mkey(dev, mkey->sig, mkey->key);
	else
		ibx_cmd_left(dev, "mkey", mkey->key, ibx_cmd_destroy_mkey(dev, mkey->key));
}

static struct mlx5dv_mkey *create_mkey(struct ibx_dev *dev, struct mlx5dv_mkey_init_attr *attr)
{
	struct ibx_mkey *mkey;
	int err;

	err = check_mkey_attr(dev, attr);
	if (err)
		return ERR_PTR(err);
	mkey = kzalloc(sizeof(*mkey), GFP_KERNEL);
	if (!mkey)
		return ERR_PTR(-ENOMEM);

	mkey->dev = dev;
	mkey->pd = attr->pd;
	mkey->has.flags = attr->create_flags;
	mkey->has.max_entries = ibx_layout_octwords(attr->max_entries);
	if (attr->create_flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO && !has_sig(attr))
		mkey->unit = &mkey->own_unit;
	err = create_fw_mkey(dev, mkey);
	if (err) {
		kfree(mkey);
		return ERR_PTR(err);
	}
	/* the PD cannot be destroyed while it has mkeys */
	atomic_inc(&attr->pd->usecnt);
	mkey->dv.lkey = mkey->key;
	mkey->dv.rkey = mkey->key;
	mutex_lock(&dev->mkeys_lock);
	list_add_tail(&mkey->dev_entry, &dev->mkeys);
	mutex_unlock(&dev->mkeys_lock);
	attr->max_entries = mkey->has.max_entries;
	return &mkey->dv;
}

struct mlx5dv_mkey *mlx5dv_create_mkey(struct mlx5dv_mkey_init_attr *attr)
{
	struct ibx_dev *dev = ibx_dv_get(attr->pd->device);
	struct mlx5dv_mkey *mkey;

	if (!dev)
		return ERR_PTR(-EOPNOTSUPP);
	mkey = create_mkey(dev, attr);
	if (IS_ERR(mkey))
		ibx_dv_put(dev);
	return mkey;
}
EXPORT_SYMBOL_GPL(mlx5dv_create_mkey);

void mlx5dv_destroy_mkey(struct mlx5dv_mkey *dv)
{
	struct ibx_mkey *mkey = to_imkey(dv);
	struct ibx_dev *dev = mkey->dev;

	mutex_lock(&dev->mkeys_lock);
	list_del(&mkey->dev_entry);
	mutex_unlock(&dev->mkeys_lock);
	destroy_fw_mkey(dev, mkey);
	atomic_dec(&mkey->pd->usecnt);
	ibx_dv_put(dev);
	kfree(mkey);
}
EXPORT_SYMBOL_GPL(mlx5dv_destroy_mkey);
