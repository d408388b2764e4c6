// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of DEKs, the keys of encrypted mkeys, and of logins. The rules of
 * cmd.h apply. Each function clears the key material in its command and answer,
 * and the trace of the command does not show key material.
 */
#include <linux/string.h>

#include "cmd/cmd.h"
#include "enc/crypto.h"

#define HDR_IN	MLX5_ST_SZ_BYTES(general_obj_in_cmd_hdr)
#define HDR_OUT	MLX5_ST_SZ_BYTES(general_obj_out_cmd_hdr)

#define TYPE_DEK	MLX5_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY
/*
 * <linux/mlx5/mlx5_ifc.h> does not define this type; it is from rdma-core's
 * mlx5_ifc.h
 */
#define TYPE_LOGIN	0x1f

static void set_hdr(void *in, u16 opcode, u16 type, u32 id)
{
	MLX5_SET(general_obj_in_cmd_hdr, in, opcode, opcode);
	MLX5_SET(general_obj_in_cmd_hdr, in, obj_type, type);
	MLX5_SET(general_obj_in_cmd_hdr, in, obj_id, id);
}

static int destroy_obj(struct ibx_dev *dev, u16 type, u32 id)
{
	u32 out[MLX5_ST_SZ_DW(general_obj_out_cmd_hdr)] = {};
	u32 in[MLX5_ST_SZ_DW(general_obj_in_cmd_hdr)] = {};

	set_hdr(in, MLX5_CMD_OP_DESTROY_GENERAL_OBJECT, type, id);
	return ibx_cmd_exec(dev, in, sizeof(in), out, sizeof(out));
}

/**
 * ibx_cmd_create_dek() - CREATE_GENERAL_OBJECT of a DEK
 * @dev: device
 * @attr: valid attributes
 * @pdn: number of the DEK's PD
 * @dekn: gets the number
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_create_dek(struct ibx_dev *dev, const struct mlx5dv_dek_init_attr *attr, u32 pdn,
		       u32 *dekn)
{
	u32 out[MLX5_ST_SZ_DW(general_obj_out_cmd_hdr)] = {};
	u32 in[(HDR_IN + IBX_DEK_BYTES) / sizeof(u32)] = {};
	int err;

	set_hdr(in, MLX5_CMD_OP_CREATE_GENERAL_OBJECT, TYPE_DEK, 0);
	ibx_enc_dek((void *)in + HDR_IN, attr, pdn);
	err = ibx_cmd_exec(dev, in, sizeof(in), out, sizeof(out));
	memzero_explicit(in, sizeof(in));
	if (!err)
		*dekn = MLX5_GET(general_obj_out_cmd_hdr, out, obj_id);
	return err;
}

/**
 * ibx_cmd_query_dek() - QUERY_GENERAL_OBJECT of a DEK
 * @dev: device
 * @dekn: number of the DEK
 * @state: gets the state
 * @opaque: gets the 8 opaque bytes with which the DEK was created
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_query_dek(struct ibx_dev *dev, u32 dekn, u8 *state, char *opaque)
{
	u32 out[(HDR_OUT + IBX_DEK_BYTES) / sizeof(u32)] = {};
	u32 in[MLX5_ST_SZ_DW(general_obj_in_cmd_hdr)] = {};
	const void *obj = (void *)out + HDR_OUT;
	int err;

	set_hdr(in, MLX5_CMD_OP_QUERY_GENERAL_OBJECT, TYPE_DEK, dekn);
	err = ibx_cmd_exec(dev, in, sizeof(in), out, sizeof(out));
	if (!err) {
		*state = *(const u8 *)(obj + IBX_DEK_STATE_AT);
		memcpy(opaque, obj + IBX_DEK_OPAQUE_AT, 8);
	}
	/* a device may return the key */
	memzero_explicit(out, sizeof(out));
	return err;
}

/**
 * ibx_cmd_destroy_dek() - DESTROY_GENERAL_OBJECT of a DEK
 * @dev: device
 * @dekn: number of the DEK
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_destroy_dek(struct ibx_dev *dev, u32 dekn)
{
	return destroy_obj(dev, TYPE_DEK, dekn);
}

/**
 * ibx_cmd_create_login() - CREATE_GENERAL_OBJECT of a login
 * @dev: device
 * @attr: valid attributes
 * @id: gets the number
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_create_login(struct ibx_dev *dev, const struct mlx5dv_crypto_login_attr_ex *attr,
			 u32 *id)
{
	u32 out[MLX5_ST_SZ_DW(general_obj_out_cmd_hdr)] = {};
	u32 in[(HDR_IN + IBX_LOGIN_BYTES) / sizeof(u32)] = {};
	int err;

	set_hdr(in, MLX5_CMD_OP_CREATE_GENERAL_OBJECT, TYPE_LOGIN, 0);
	ibx_enc_login((void *)in + HDR_IN, attr);
	err = ibx_cmd_exec(dev, in, sizeof(in), out, sizeof(out));
	memzero_explicit(in, sizeof(in));
	if (!err)
		*id = MLX5_GET(general_obj_out_cmd_hdr, out, obj_id);
	return err;
}

/**
 * ibx_cmd_query_login() - QUERY_GENERAL_OBJECT of a login
 * @dev: device
 * @id: number of the login
 * @state: gets the state
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_query_login(struct ibx_dev *dev, u32 id, u8 *state)
{
	u32 out[(HDR_OUT + IBX_LOGIN_BYTES) / sizeof(u32)] = {};
	u32 in[MLX5_ST_SZ_DW(general_obj_in_cmd_hdr)] = {};
	int err;

	set_hdr(in, MLX5_CMD_OP_QUERY_GENERAL_OBJECT, TYPE_LOGIN, id);
	err = ibx_cmd_exec(dev, in, sizeof(in), out, sizeof(out));
	if (!err)
		*state = ((const u8 *)out)[HDR_OUT + IBX_LOGIN_STATE_AT] & IBX_LOGIN_STATE;
	/* a device may return the credential */
	memzero_explicit(out, sizeof(out));
	return err;
}

/**
 * ibx_cmd_destroy_login() - DESTROY_GENERAL_OBJECT of a login
 * @dev: device
 * @id: number of the login
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_destroy_login(struct ibx_dev *dev, u32 id)
{
	return destroy_obj(dev, TYPE_LOGIN, id);
}
