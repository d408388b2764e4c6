/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: Crypto logins
 *
 * Included by <rdma/mlx5dv_crypto.h>. This manual page applies: mlx5dv_crypto_login_create(3).
 *
 * A device may accept only wrapped DEKs, so that the keys are secret from
 * hosts: see wrapped_import_method of &struct mlx5dv_crypto_caps. A wrapped DEK is
 * created with a login, which proves that the owner of the login has a credential
 * that a crypto officer has stored on the device. The ULP gets the credential and
 * the key in wrapped form: both were encrypted by AES key wrap (RFC 3394) with an
 * import key encryption key (KEK), which is also stored on the device. Neither the
 * ULP nor the driver has the KEK. For example::
 *
 *	struct mlx5dv_crypto_login_attr_ex attr = {
 *		.credential = wrapped_credential,
 *		.credential_len = sizeof(wrapped_credential),
 *	};
 *
 *	init.crypto_login = mlx5dv_crypto_login_create(pd->device, &attr);
 *	memcpy(init.key, wrapped_key, 72);
 *	crypto.dek = mlx5dv_dek_create(pd->device, &init);
 *
 * After its creation, a DEK needs the login only for mlx5dv_dek_query().
 *
 * mlx5dv_crypto_login(3), the login of a whole context, is not supported: in
 * the kernel, all consumers of a device share a context.
 */
#ifndef RDMA_MLX5DV_CRYPTO_LOGIN_H
#define RDMA_MLX5DV_CRYPTO_LOGIN_H

#include <linux/types.h>

struct ib_device;
struct mlx5dv_crypto_login_obj;

/**
 * enum mlx5dv_crypto_login_state - state of a login
 * @MLX5DV_CRYPTO_LOGIN_STATE_VALID: the login can be used
 * @MLX5DV_CRYPTO_LOGIN_STATE_NO_LOGIN: never returned; the state of a context
 *	without a login
 * @MLX5DV_CRYPTO_LOGIN_STATE_INVALID: the credential or the import KEK was
 *	deleted on the device. The login can only be destroyed
 */
enum mlx5dv_crypto_login_state {
	MLX5DV_CRYPTO_LOGIN_STATE_VALID,
	MLX5DV_CRYPTO_LOGIN_STATE_NO_LOGIN,
	MLX5DV_CRYPTO_LOGIN_STATE_INVALID,
};

/**
 * struct mlx5dv_crypto_login_attr_ex - attributes of a login to create
 * @credential_id: number of the credential on the device, 24 bits
 * @import_kek_id: number of the import KEK on the device, 24 bits
 * @credential: the credential, wrapped
 * @credential_len: bytes of @credential, 48 at most
 * @comp_mask: reserved, 0
 */
struct mlx5dv_crypto_login_attr_ex {
	u32 credential_id;
	u32 import_kek_id;
	const void *credential;
	size_t credential_len;
	u64 comp_mask;
};

/**
 * struct mlx5dv_crypto_login_query_attr - attributes of a login
 * @state: state of the login
 * @comp_mask: reserved, 0
 */
struct mlx5dv_crypto_login_query_attr {
	enum mlx5dv_crypto_login_state state;
	u64 comp_mask;
};

/**
 * mlx5dv_crypto_login_create() - log in
 * @device: device with direct verbs
 * @login_attr: attributes; not used after the call
 *
 * Each context of a device can have a single login at a time, and the kernel is
 * one context. Consumers must agree on the login. As with DEKs, mlx5_core
 * copies the command with the wrapped credential to mailboxes.
 *
 * Context: process context, may sleep.
 * Return:
 * * the login
 * * ERR_PTR(-EOPNOTSUPP): the device has no direct verbs, or no wrapped DEKs
 * * ERR_PTR(-EINVAL): a field of @login_attr is out of range, or the device
 *   refuses the credential, its number, or the number of the KEK
 * * ERR_PTR(-EEXIST): the kernel already has a login on the device
 * * ERR_PTR(-ENOMEM)
 * * the ERR_PTR() of the firmware command
 */
struct mlx5dv_crypto_login_obj *
mlx5dv_crypto_login_create(struct ib_device *device,
			   const struct mlx5dv_crypto_login_attr_ex *login_attr);

/**
 * mlx5dv_crypto_login_query() - query a login
 * @crypto_login: login
 * @query_attr: receives the attributes; query_attr->comp_mask is 0
 *
 * Context: process context, may sleep.
 * Return:
 * * 0
 * * -EINVAL: comp_mask is not 0, or the device reports an unknown state
 * * the error of the firmware command
 */
int mlx5dv_crypto_login_query(struct mlx5dv_crypto_login_obj *crypto_login,
			      struct mlx5dv_crypto_login_query_attr *query_attr);

/**
 * mlx5dv_crypto_login_destroy() - log out
 * @crypto_login: login
 *
 * DEKs that were created with the login stay.
 *
 * Context: process context, may sleep.
 */
void mlx5dv_crypto_login_destroy(struct mlx5dv_crypto_login_obj *crypto_login);

#endif /* RDMA_MLX5DV_CRYPTO_LOGIN_H */
