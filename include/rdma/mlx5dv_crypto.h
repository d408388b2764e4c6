/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: Encryption of mkeys
 *
 * Included by <rdma/mlx5dv.h>. These manual pages apply: mlx5dv_wr_set_mkey_crypto(3) and
 * mlx5dv_dek_create(3).
 *
 * The device encrypts or decrypts data that moves through an mkey with crypto
 * attributes. The cipher is AES-XTS (IEEE 1619). Either the memory of the mkey
 * holds ciphertext and the wire plaintext, or the reverse. The data encryption key
 * (DEK) is an object of the device. This example encrypts a sector of 4 KiB on its
 * way to the peer::
 *
 *	struct mlx5dv_dek_init_attr init = {
 *		.key_size = MLX5DV_CRYPTO_KEY_SIZE_256,
 *		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
 *		.pd = pd,
 *		.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN,
 *	};
 *	struct mlx5dv_crypto_attr crypto = {
 *		.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
 *		.encrypt_on_tx = true,
 *		.data_unit_size = MLX5DV_BLOCK_SIZE_4096,
 *	};
 *
 *	memcpy(init.key, key, 64);
 *	crypto.dek = mlx5dv_dek_create(pd->device, &init);
 *	memzero_explicit(&init, sizeof(init));
 *	put_unaligned_le64(sector, crypto.initial_tweak);
 *
 *	mlx5dv_wr_mkey_configure(mqpx, mkey, 3, &conf_attr);
 *	mlx5dv_wr_set_mkey_access_flags(mqpx, IB_ACCESS_REMOTE_READ);
 *	mlx5dv_wr_set_mkey_layout_list(mqpx, 1, &sge);
 *	mlx5dv_wr_set_mkey_crypto(mqpx, &crypto);
 *
 * An mkey that was created for encryption moves no data before its crypto attributes are set, so
 * nothing leaves the host in plaintext by mistake.
 *
 * An mkey that was also created for signatures may have signature and crypto
 * attributes; signature_crypto_order is their order. A device that requires
 * wrapped DEKs also requires a login, see <rdma/mlx5dv_crypto_login.h>.
 */
#ifndef RDMA_MLX5DV_CRYPTO_H
#define RDMA_MLX5DV_CRYPTO_H

#include <linux/bits.h>
#include <linux/types.h>
#include <rdma/mlx5dv_crypto_login.h>
#include <rdma/mlx5dv_sig.h>

struct ib_device;
struct ib_pd;
struct mlx5dv_dek;
struct mlx5dv_qp_ex;

/* ---- capabilities ---- */

/**
 * enum mlx5dv_crypto_engines_caps - engines that a device has
 * @MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS: old name of the next flag; never set
 * @MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK: AES-XTS; without the next
 *	flag, an mkey may have a single data unit
 * @MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK: AES-XTS with any number of data units
 */
enum mlx5dv_crypto_engines_caps {
	MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS		= BIT(0),
	MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK	= BIT(1),
	MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK	= BIT(2),
};

/**
 * enum mlx5dv_crypto_wrapped_import_method_caps - engines whose DEKs must be wrapped
 * @MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS: AES-XTS
 */
enum mlx5dv_crypto_wrapped_import_method_caps {
	MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS	= BIT(0),
};

/**
 * enum mlx5dv_crypto_caps_flags - state of encryption on a device
 * @MLX5DV_CRYPTO_CAPS_CRYPTO: encryption is enabled
 * @MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL: engines with wrapped DEKs work
 * @MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_GOING_TO_COMMISSIONING: engines with
 *	wrapped DEKs do not work after the next reset
 */
enum mlx5dv_crypto_caps_flags {
	MLX5DV_CRYPTO_CAPS_CRYPTO				= BIT(0),
	MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL		= BIT(1),
	MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_GOING_TO_COMMISSIONING	= BIT(2),
};

/**
 * struct mlx5dv_crypto_caps - encryption that a device supports; all 0 without
 * encryption
 * @failed_selftests: not 0 if the device found engines that do not work
 * @crypto_engines: flags of enum mlx5dv_crypto_engines_caps
 * @wrapped_import_method: flags of enum
 *	mlx5dv_crypto_wrapped_import_method_caps
 * @log_max_num_deks: log2 of the maximum number of DEKs
 * @flags: flags of enum mlx5dv_crypto_caps_flags
 */
struct mlx5dv_crypto_caps {
	u16 failed_selftests;
	u8 crypto_engines;
	u8 wrapped_import_method;
	u8 log_max_num_deks;
	u32 flags;
};

/* ---- DEKs ---- */

/**
 * enum mlx5dv_crypto_key_size - size of each of the two keys of AES-XTS
 * @MLX5DV_CRYPTO_KEY_SIZE_128: 128 bits
 * @MLX5DV_CRYPTO_KEY_SIZE_256: 256 bits
 */
enum mlx5dv_crypto_key_size {
	MLX5DV_CRYPTO_KEY_SIZE_128,
	MLX5DV_CRYPTO_KEY_SIZE_256,
};

/**
 * enum mlx5dv_crypto_key_purpose - use of a DEK
 * @MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS: AES-XTS
 */
enum mlx5dv_crypto_key_purpose {
	MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
};

/**
 * enum mlx5dv_dek_state - state of a DEK
 * @MLX5DV_DEK_STATE_READY: the DEK can be used
 * @MLX5DV_DEK_STATE_ERROR: the DEK cannot be used, and must be destroyed
 */
enum mlx5dv_dek_state {
	MLX5DV_DEK_STATE_READY,
	MLX5DV_DEK_STATE_ERROR,
};

/**
 * enum mlx5dv_dek_init_attr_mask - fields of struct mlx5dv_dek_init_attr that are set
 * @MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN: crypto_login
 */
enum mlx5dv_dek_init_attr_mask {
	MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN	= BIT(0),
};

/**
 * struct mlx5dv_dek_init_attr - attributes of a DEK to create
 * @key_size: size of each of the two keys
 * @has_keytag: @key has a keytag, which crypto attributes of mkeys must have, too
 * @key_purpose: use of the DEK
 * @pd: PD of the mkeys that use the DEK
 * @opaque: any description, which mlx5dv_dek_query() returns; not secret
 * @key: the key for data, the key for tweaks and, with @has_keytag, a keytag of 8 bytes, in a row
 *	without gaps. With @crypto_login, the wrapped form of these bytes, which
 *	is 8 bytes longer. The caller clears @key after the call
 * @comp_mask: MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, always
 * @crypto_login: login, if @key is wrapped with the import KEK of the login;
 *	NULL if @key is in plaintext
 */
struct mlx5dv_dek_init_attr {
	enum mlx5dv_crypto_key_size key_size;
	bool has_keytag;
	enum mlx5dv_crypto_key_purpose key_purpose;
	struct ib_pd *pd;
	char opaque[8];
	char key[128];
	u64 comp_mask;
	struct mlx5dv_crypto_login_obj *crypto_login;
};

/**
 * struct mlx5dv_dek_attr - attributes of a DEK
 * @state: state of the DEK
 * @opaque: opaque of struct mlx5dv_dek_init_attr
 * @comp_mask: reserved, 0
 */
struct mlx5dv_dek_attr {
	enum mlx5dv_dek_state state;
	char opaque[8];
	u64 comp_mask;
};

/**
 * mlx5dv_dek_create() - create a DEK
 * @device: device with direct verbs
 * @init_attr: attributes
 *
 * mlx5_ibx keeps no copy of the key, and clears the key in its command.
 * mlx5_core copies the command to mailboxes, which mlx5_core does not clear.
 *
 * Context: process context, may sleep.
 * Return:
 * * the DEK
 * * ERR_PTR(-EOPNOTSUPP): the device has no direct verbs or no AES-XTS; the key is
 *   in plaintext and the device accepts only wrapped keys, or the reverse; or
 *   MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN is not set, which in userspace requests
 *   the login of a context
 * * ERR_PTR(-EINVAL): a value is unknown, the PD or the login is of another
 *   device, the key is not wrapped with the import KEK, or the login is no
 *   longer valid
 * * ERR_PTR(-ENOMEM)
 * * the ERR_PTR() of the firmware command
 */
struct mlx5dv_dek *mlx5dv_dek_create(struct ib_device *device,
				     const struct mlx5dv_dek_init_attr *init_attr);

/**
 * mlx5dv_dek_query() - query a DEK
 * @dek: DEK
 * @attr: receives the attributes; attr->comp_mask is 0
 *
 * Context: process context, may sleep.
 * Return:
 * * 0
 * * -EINVAL: comp_mask is not 0, the device reports an unknown state, or a wrapped DEK has no
 *   valid login
 * * the error of the firmware command
 */
int mlx5dv_dek_query(struct mlx5dv_dek *dek, struct mlx5dv_dek_attr *attr);

/**
 * mlx5dv_dek_destroy() - destroy a DEK
 * @dek: DEK
 *
 * An mkey that was configured with the DEK moves no data after the call. No
 * open chain may refer to the DEK.
 *
 * Context: process context, may sleep.
 */
void mlx5dv_dek_destroy(struct mlx5dv_dek *dek);

/* ---- crypto attributes of mkeys ---- */

/**
 * enum mlx5dv_crypto_standard - ciphers
 * @MLX5DV_CRYPTO_STANDARD_AES_XTS: AES-XTS of IEEE 1619-2007
 */
enum mlx5dv_crypto_standard {
	MLX5DV_CRYPTO_STANDARD_AES_XTS,
};

/**
 * enum mlx5dv_signature_crypto_order - order of signature and encryption
 * @MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX: encryption is next to the memory
 * @MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX: encryption is next to the wire
 */
enum mlx5dv_signature_crypto_order {
	MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX,
	MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX,
};

/**
 * struct mlx5dv_crypto_attr - crypto attributes of an mkey
 * @crypto_standard: cipher
 * @encrypt_on_tx: the memory holds plaintext and the wire ciphertext; otherwise the reverse
 * @signature_crypto_order: without effect while the mkey has no signature attributes. Signatures of
 *	the ciphertext are supported in one domain, not in both
 * @data_unit_size: bytes that are encrypted with one tweak
 * @initial_tweak: tweak of the first data unit of the mkey, little-endian; the
 *	tweak increases by 1 from data unit to data unit
 * @dek: DEK of the PD of the QP that configures the mkey
 * @keytag: keytag of the DEK; 0 for a DEK without keytag
 * @comp_mask: reserved, 0
 */
struct mlx5dv_crypto_attr {
	enum mlx5dv_crypto_standard crypto_standard;
	bool encrypt_on_tx;
	enum mlx5dv_signature_crypto_order signature_crypto_order;
	enum mlx5dv_block_size data_unit_size;
	char initial_tweak[16];
	struct mlx5dv_dek *dek;
	char keytag[8];
	u64 comp_mask;
};

/**
 * mlx5dv_wr_set_mkey_crypto() - set the crypto attributes of an mkey
 * @mqp: QP on which mlx5dv_wr_mkey_configure() was called
 * @attr: crypto attributes; not used after the call, except for the DEK
 *
 * The mkey must have been created with MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO. A
 * configuration without this setter keeps the attributes. After an invalidation
 * of any kind, the mkey moves no data until the attributes are set again. With
 * this setter, the maximum number of layout entries that fit in the work
 * request is lower by 4 (see mlx5dv_create_qp()).
 *
 * If the mkey was also created for signatures, a configuration that changes
 * signature or crypto attributes writes both kinds of attributes. So the maximum
 * number of layout entries is lower by 8, and the DEK must still exist, even if the
 * configuration does not change the crypto attributes.
 *
 * A message begins at a data unit of the mkey. The length of a message is a multiple
 * of the data unit, or a multiple of 16 bytes with an incomplete last data unit that
 * has at least 16 bytes and lacks at least 16 bytes. Other messages complete with an
 * error. Messages through an mkey also complete with an error if the keytag of the
 * crypto attributes differs from the keytag of the DEK, or if the DEK was destroyed.
 * A work request that uses the lkey of the mkey completes with IB_WC_LOC_PROT_ERR. A
 * work request of the peer that uses the rkey completes with IB_WC_REM_ACCESS_ERR or
 * IB_WC_REM_OP_ERR.
 *
 * The chain fails with one of these errors:
 *
 * * -EINVAL: the mkey was not created for encryption, a value is malformed or
 *   unknown, the DEK is of another PD, the attributes have a keytag and the DEK has
 *   no keytag, or both domains have signatures of the ciphertext
 * * -EINVAL: the layout is longer than a data unit on a device without
 *   MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK, or longer than 2^32 - 1 bytes on
 *   a device with this capability. The error also occurs when the layout is set by a
 *   later configuration
 * * -EINVAL: the mkey was also created for signatures, and the DEK does not exist
 * * -EOPNOTSUPP: the work request also sets a layout that the device has to fetch
 *   from memory
 * * -ENOMEM: the work request is too long
 * * -EBUSY: the mkey is part of an open chain of another QP
 */
void mlx5dv_wr_set_mkey_crypto(struct mlx5dv_qp_ex *mqp, const struct mlx5dv_crypto_attr *attr);

#endif /* RDMA_MLX5DV_CRYPTO_H */
