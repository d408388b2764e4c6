// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: logins for wrapped DEKs, see <rdma/mlx5dv_crypto_login.h>.
 */
#include <linux/export.h>
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "dv/companion.h"
#include "dv/crypto.h"
#include "enc/crypto.h"
#include "verbs/verbs.h"

/* not in <linux/mlx5/mlx5_ifc.h>; from rdma-core's mlx5_ifc.h */
static const struct ibx_cap_at type_login = { 0x420, 1 };

#define ID_MAX	0xffffff

static int check_login_attr(const struct ibx_dev *dev,
			    const struct mlx5dv_crypto_login_attr_ex *attr)
{
	if (!(dev->crypto_caps.flags & MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL) ||
	    !ibx_cap_get(dev, type_login))
		return -EOPNOTSUPP;
	if (attr->comp_mask || attr->credential_id > ID_MAX || attr->import_kek_id > ID_MAX ||
	    !attr->credential_len || attr->credential_len > IBX_LOGIN_CREDENTIAL)
		return -EINVAL;
	return 0;
}

static struct mlx5dv_crypto_login_obj *
create_login(struct ibx_dev *dev, const struct mlx5dv_crypto_login_attr_ex *login_attr)
{
	struct mlx5dv_crypto_login_obj *login;
	int err;

	err = check_login_attr(dev, login_attr);
	if (err)
		return ERR_PTR(err);
	login = kzalloc(sizeof(*login), GFP_KERNEL);
	if (!login)
		return ERR_PTR(-ENOMEM);
	login->dev = dev;
	err = atomic_cmpxchg(&dev->logins, 0, 1) ? -EEXIST : 0;
	if (err)
		goto free_login;
	err = ibx_cmd_create_login(dev, login_attr, &login->id);
	if (err)
		goto clear_logins;
	return login;

clear_logins:
	atomic_set(&dev->logins, 0);
free_login:
	kfree(login);
	return ERR_PTR(err);
}

struct mlx5dv_crypto_login_obj *
mlx5dv_crypto_login_create(struct ib_device *device,
			   const struct mlx5dv_crypto_login_attr_ex *login_attr)
{
	struct mlx5dv_crypto_login_obj *login;
	struct ibx_dev *dev = ibx_dv_get(device);

	if (!dev)
		return ERR_PTR(-EOPNOTSUPP);
	login = create_login(dev, login_attr);
	if (IS_ERR(login))
		ibx_dv_put(dev);
	return login;
}
EXPORT_SYMBOL_GPL(mlx5dv_crypto_login_create);

int mlx5dv_crypto_login_query(struct mlx5dv_crypto_login_obj *crypto_login,
			      struct mlx5dv_crypto_login_query_attr *query_attr)
{
	u8 state;
	int err;

	if (query_attr->comp_mask)
		return -EINVAL;
	err = ibx_cmd_query_login(crypto_login->dev, crypto_login->id, &state);
	if (err)
		return err;
	if (state > 1)
		return -EINVAL;
	query_attr->state = state ? MLX5DV_CRYPTO_LOGIN_STATE_INVALID :
				    MLX5DV_CRYPTO_LOGIN_STATE_VALID;
	return 0;
}
EXPORT_SYMBOL_GPL(mlx5dv_crypto_login_query);

void mlx5dv_crypto_login_destroy(struct mlx5dv_crypto_login_obj *crypto_login)
{
	struct ibx_dev *dev = crypto_login->dev;

	ibx_cmd_left(dev, "crypto login", crypto_login->id,
		     ibx_cmd_destroy_login(dev, crypto_login->id));
	atomic_set(&dev->logins, 0);
	ibx_dv_put(dev);
	kfree(crypto_login);
}
EXPORT_SYMBOL_GPL(mlx5dv_crypto_login_destroy);
