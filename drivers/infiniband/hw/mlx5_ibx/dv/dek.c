// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: encryption of mkeys, see <rdma/mlx5dv_crypto.h>: capabilities and DEKs. The setter is
 * in set_crypto.c, logins are in login.c.
 */
#include <linux/export.h>
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "dv/companion.h"
#include "dv/crypto.h"
#include "dv/dv.h"
#include "verbs/verbs.h"

/*
 * <linux/mlx5/mlx5_ifc.h> does not have these capabilities. The positions are
 * from rdma-core's mlx5_ifc.h.
 */
static const struct ibx_cap_at xts_single_block = { 0x3f1, 1 };
static const struct ibx_cap_at xts_multi_block = { 0x3f2, 1 };
static const struct ibx_cap_at type_dek = { 0x433, 1 };

/* words of the page of crypto capabilities, and their fields */
#define CRYPTO_WRAPPED_WORD	0
#define CRYPTO_WRAPPED_WORKS	BIT(31)
#define CRYPTO_WRAPPED_GOES	BIT(30)
#define CRYPTO_WRAPPED_XTS	BIT(2)
#define CRYPTO_DEKS_WORD	1
#define CRYPTO_DEKS_SHIFT	16
#define CRYPTO_DEKS_MASK	0x1f
#define CRYPTO_TESTS_WORD	2
#define CRYPTO_TESTS_SHIFT	16

static u32 crypto_word(const struct ibx_dev *dev, u32 n)
{
	return be32_to_cpu(((const __be32 *)dev->mdev->caps.hca[MLX5_CAP_CRYPTO]->cur)[n]);
}

static void init_engines(struct ibx_dev *dev, struct mlx5dv_crypto_caps *caps)
{
	if (ibx_cap_get(dev, xts_single_block))
		caps->crypto_engines |= MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK;
	if (ibx_cap_get(dev, xts_multi_block))
		caps->crypto_engines |= MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK |
					MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK;
}

/**
 * ibx_crypto_init() - probe stage: find the encryption that a device supports
 * @dev: device that is being probed
 *
 * Context: may sleep.
 * Return: 0.
 */
int ibx_crypto_init(struct ibx_dev *dev)
{
	struct mlx5dv_crypto_caps *caps = &dev->crypto_caps;
	u32 wrapped;

	xa_init(&dev->deks);
	/* without the general capability, mlx5_core does not query the page */
	if (!MLX5_CAP_GEN(dev->mdev, crypto) || !ibx_cap_get(dev, type_dek) ||
	    !ibx_mr_has_gaps(dev))
		return 0;
	wrapped = crypto_word(dev, CRYPTO_WRAPPED_WORD);
	caps->flags = MLX5DV_CRYPTO_CAPS_CRYPTO;
	if (wrapped & CRYPTO_WRAPPED_WORKS)
		caps->flags |= MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL;
	if (wrapped & CRYPTO_WRAPPED_GOES)
		caps->flags |= MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_GOING_TO_COMMISSIONING;
	if (wrapped & CRYPTO_WRAPPED_XTS)
		caps->wrapped_import_method = MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS;
	caps->log_max_num_deks = crypto_word(dev, CRYPTO_DEKS_WORD) >> CRYPTO_DEKS_SHIFT &
				 CRYPTO_DEKS_MASK;
	caps->failed_selftests = crypto_word(dev, CRYPTO_TESTS_WORD) >> CRYPTO_TESTS_SHIFT;
	init_engines(dev, caps);
	return 0;
}

/**
 * ibx_crypto_exit() - undo ibx_crypto_init()
 * @dev: device that has no DEKs and no login any more
 *
 * Context: may sleep.
 */
void ibx_crypto_exit(struct ibx_dev *dev)
{
	WARN_ON(!xa_empty(&dev->deks) || atomic_read(&dev->logins));
	xa_destroy(&dev->deks);
}

/* a device accepts either only DEKs in plaintext or only wrapped DEKs */
static int check_import(const struct ibx_dev *dev, const struct mlx5dv_dek_init_attr *attr)
{
	const bool wrapped = dev->crypto_caps.wrapped_import_method &
			     MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS;

	/*
	 * a comp_mask of 0 selects the login of the context in libmlx5; in
	 * the kernel there is no context
	 */
	if (!attr->comp_mask || wrapped != !!attr->crypto_login)
		return -EOPNOTSUPP;
	return wrapped && attr->crypto_login->dev != dev ? -EINVAL : 0;
}

static int check_dek_attr(const struct ibx_dev *dev, const struct mlx5dv_dek_init_attr *attr)
{
	if (!dev->crypto_caps.crypto_engines)
		return -EOPNOTSUPP;
	if (attr->comp_mask & ~MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN ||
	    (u32)attr->key_size > MLX5DV_CRYPTO_KEY_SIZE_256 ||
	    attr->key_purpose != MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS ||
	    !attr->pd || attr->pd->device != dev->ib)
		return -EINVAL;
	return check_import(dev, attr);
}

static void destroy_fw_dek(struct ibx_dev *dev, const struct mlx5dv_dek *dek)
{
	/* first: after the command, another DEK may have the number */
	xa_erase(&dev->deks, dek->dekn);
	ibx_cmd_left(dev, "DEK", dek->dekn, ibx_cmd_destroy_dek(dev, dek->dekn));
}

/* create the DEK on the device, and store its serial number for builders */
static int create_fw_dek(struct ibx_dev *dev, struct mlx5dv_dek *dek,
			 const struct mlx5dv_dek_init_attr *attr)
{
	int err;

	err = ibx_cmd_create_dek(dev, attr, ibx_dv_pdn(dev, dek->pd), &dek->dekn);
	if (err)
		return err;
	dek->serial = atomic_long_inc_return(&dev->dek_serial);
	err = xa_err(xa_store(&dev->deks, dek->dekn, xa_mk_value(dek->serial), GFP_KERNEL));
	if (err)
		destroy_fw_dek(dev, dek);
	return err;
}

static struct mlx5dv_dek *create_dek(struct ibx_dev *dev,
				     const struct mlx5dv_dek_init_attr *init_attr)
{
	struct mlx5dv_dek *dek;
	int err;

	err = check_dek_attr(dev, init_attr);
	if (err)
		return ERR_PTR(err);
	dek = kzalloc(sizeof(*dek), GFP_KERNEL);
	if (!dek)
		return ERR_PTR(-ENOMEM);
	dek->dev = dev;
	dek->pd = init_attr->pd;
	dek->has_keytag = init_attr->has_keytag;
	err = create_fw_dek(dev, dek, init_attr);
	if (err) {
		kfree(dek);
		return ERR_PTR(err);
	}
	/* the PD cannot be deallocated while it has DEKs */
	atomic_inc(&dek->pd->usecnt);
	return dek;
}

struct mlx5dv_dek *mlx5dv_dek_create(struct ib_device *device,
				     const struct mlx5dv_dek_init_attr *init_attr)
{
	struct ibx_dev *dev = ibx_dv_get(device);
	struct mlx5dv_dek *dek;

	if (!dev)
		return ERR_PTR(-EOPNOTSUPP);
	dek = create_dek(dev, init_attr);
	if (IS_ERR(dek))
		ibx_dv_put(dev);
	return dek;
}
EXPORT_SYMBOL_GPL(mlx5dv_dek_create);

int mlx5dv_dek_query(struct mlx5dv_dek *dek, struct mlx5dv_dek_attr *attr)
{
	u8 state;
	int err;

	if (attr->comp_mask)
		return -EINVAL;
	err = ibx_cmd_query_dek(dek->dev, dek->dekn, &state, attr->opaque);
	if (err)
		return err;
	if (state > 1)
		return -EINVAL;
	attr->state = state ? MLX5DV_DEK_STATE_ERROR : MLX5DV_DEK_STATE_READY;
	return 0;
}
EXPORT_SYMBOL_GPL(mlx5dv_dek_query);

void mlx5dv_dek_destroy(struct mlx5dv_dek *dek)
{
	destroy_fw_dek(dek->dev, dek);
	atomic_dec(&dek->pd->usecnt);
	ibx_dv_put(dek->dev);
	kfree(dek);
}
EXPORT_SYMBOL_GPL(mlx5dv_dek_destroy);
