// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * General objects of type DEK: data encryption keys for AES-XTS, in plaintext,
 * or wrapped with the import KEK (login.c) on a device that requires wrapped
 * keys.
 *
 * The object has two sizes: 256 bytes in libmlx5, and 512 bytes in
 * <linux/mlx5/mlx5_ifc.h>. All bytes after the key field must be 0, also in the
 * field sw_wrapped_dek of the longer object. A BSF contains the number of its
 * DEK and is not a user of the DEK (sim_obj_use()), as with PSVs: a process of
 * libmlx5 can destroy the DEK of a key before the key.
 *
 * The key material in the command is cleared after the cipher was prepared.
 * QUERY does not return key material.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/caps.h"
#include "obj/crypto.h"
#include "obj/obj.h"

#define DEK_HDR		MLX5_ST_SZ_BYTES(general_obj_in_cmd_hdr)
#define DEK_SIZE	256		/* bytes of the object of libmlx5 */
#define DEK_SIZE_KERNEL	512
#define DEK_KEY_ROOM	128

/* Fields of the object: bit offset from its first byte, and width in bits */
#define DEK_STATE	{ 0x40, 8 }
#define DEK_KEY_SIZE	{ 0x54, 4 }
#define DEK_HAS_KEYTAG	{ 0x58, 1 }
#define DEK_PURPOSE	{ 0x5c, 4 }
#define DEK_PD		{ 0x68, 24 }
#define DEK_OPAQUE_AT	(0x180 / 8)	/* bytes */
#define DEK_KEY_AT	(0x200 / 8)

#define DEK_GET(obj, field)	sim_bits_get(obj, (struct sim_field)field)
#define DEK_SET(obj, field, val) sim_bits_set(obj, (struct sim_field)field, val)

#define PURPOSE_AES_XTS	3

static void sim_dek_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	struct sim_dek *dek = container_of(obj, struct sim_dek, obj);

	sim_obj_del(sdev, obj);
	sim_obj_unuse(&dek->pd->obj);
	sim_xts_exit(&dek->xts);
	kfree_sensitive(dek);
}

static bool wants_wrapped(struct sim_dev *sdev)
{
	return SIM_CAP_CRYPTO(sdev, SIM_CRYPTO_WRAPPED_METHOD) & SIM_CRYPTO_WRAPPED_XTS;
}

/* Bytes of the two AES keys of AES-XTS together */
static u32 dek_key_len(const struct sim_dek *dek)
{
	return dek->size ? SIM_XTS_MAX_KEY : SIM_XTS_MAX_KEY / 2;
}

/*
 * Are all bits outside of the fields 0? The bytes of the key field after the
 * key may have any value: rdma-core's test_mlx5_crypto does not initialize
 * these bytes.
 */
static bool dek_is_clean(const u8 *obj, u32 size)
{
	static const struct sim_field fields[] = {
		DEK_KEY_SIZE, DEK_HAS_KEYTAG, DEK_PURPOSE, DEK_PD, {}
	};

	return sim_fields_only(obj, DEK_OPAQUE_AT, fields) &&
	       !memchr_inv(obj, 0, 8) &&
	       !memchr_inv(obj + DEK_OPAQUE_AT + SIM_DEK_OPAQUE, 0,
			   DEK_KEY_AT - DEK_OPAQUE_AT - SIM_DEK_OPAQUE) &&
	       !memchr_inv(obj + DEK_KEY_AT + DEK_KEY_ROOM, 0,
			   size - DEK_KEY_AT - DEK_KEY_ROOM);
}

/*
 * A wrapped key is 8 bytes longer than the key. A wrong wrapping is not a
 * violation.
 * Unrefereed: U-143.
 */
static u8 dek_unwrap(struct sim_dev *sdev, struct sim_cmd *cmd, const u8 *key, u32 len, u8 *out)
{
	if (!sim_login_valid(sdev, cmd->uid))
		return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
	return sim_login_unwrap(key, len + 8, out);
}

/*
 * Prepares the cipher with the plaintext key at @key, and stores the keytag
 * that follows the key.
 */
static u8 dek_take(struct sim_dek *dek, const u8 *key)
{
	if (dek->has_keytag)
		memcpy(dek->keytag, key + dek_key_len(dek), sizeof(dek->keytag));
	return sim_cmd_errno_ok(sim_xts_init(&dek->xts, key, dek_key_len(dek)));
}

/* Parses the object into @dek, except for its PD. Unrefereed: U-127. */
static u8 dek_read(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_dek *dek)
{
	const u8 *obj = cmd->in + DEK_HDR;
	const u8 *key = obj + DEK_KEY_AT;
	u8 plain[SIM_XTS_MAX_KEY + SIM_KEYTAG];
	u8 status;

	dek->size = DEK_GET(obj, DEK_KEY_SIZE);
	dek->has_keytag = DEK_GET(obj, DEK_HAS_KEYTAG);
	if (dek->size > 1 || DEK_GET(obj, DEK_PURPOSE) != PURPOSE_AES_XTS)
		return sim_cmd_bad_param(sdev, cmd, "DEK of size %u for purpose %u", dek->size,
					 DEK_GET(obj, DEK_PURPOSE));
	if (!dek_is_clean(obj, cmd->in_len - DEK_HDR))
		return sim_cmd_reserved(sdev, cmd, "reserved bits of a DEK");
	memcpy(dek->opaque, obj + DEK_OPAQUE_AT, sizeof(dek->opaque));
	dek->wrapped = wants_wrapped(sdev);
	if (!dek->wrapped)
		return dek_take(dek, key);
	status = dek_unwrap(sdev, cmd, key, dek_key_len(dek) + (dek->has_keytag ? SIM_KEYTAG : 0),
			    plain);
	if (!status)
		status = dek_take(dek, plain);
	memzero_explicit(plain, sizeof(plain));
	return status;
}

static u8 dek_add(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_pd *pd)
{
	struct sim_dek *dek = kzalloc(sizeof(*dek), GFP_KERNEL);
	u8 status;

	if (!dek)
		return sim_cmd_errno(-ENOMEM);
	status = dek_read(sdev, cmd, dek);
	if (status)
		goto free;
	status = sim_cmd_errno_ok(sim_obj_add(sdev, &dek->obj, SIM_OBJ_DEK, cmd->uid,
					      sim_dek_free));
	if (status) {
		sim_xts_exit(&dek->xts);
		goto free;
	}
	dek->pd = pd;
	dek->serial = sdev->deks++;
	sim_obj_use(&pd->obj);
	MLX5_SET(general_obj_out_cmd_hdr, cmd->out, obj_id, dek->obj.id);
	return MLX5_CMD_STAT_OK;

free:
	kfree_sensitive(dek);
	return status;
}

/**
 * sim_dek_create() - CREATE_GENERAL_OBJECT of a DEK
 * @sdev: simulated function
 * @cmd: the command; its key material is cleared
 *
 * Context: hardware thread. May sleep.
 * Return: MLX5_CMD_STAT_*.
 */
u8 sim_dek_create(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 size = cmd->in_len - DEK_HDR;
	struct sim_pd *pd;
	u8 status;

	if (!SIM_CAP(sdev, crypto) || !SIM_CAP_AT(sdev, SIM_CAP_OBJ_DEK))
		return MLX5_CMD_STAT_BAD_OP_ERR;
	if (size != DEK_SIZE && size != DEK_SIZE_KERNEL)
		return sim_cmd_size(sdev, cmd, "DEK of %u bytes", size);
	if (MLX5_GET(general_obj_in_cmd_hdr, cmd->in, obj_id))
		return sim_cmd_reserved(sdev, cmd, "number of a DEK to create");
	pd = sim_cmd_obj(sdev, cmd, SIM_OBJ_PD, DEK_GET(cmd->in + DEK_HDR, DEK_PD), &status);
	if (pd)
		status = dek_add(sdev, cmd, pd);
	memzero_explicit(cmd->in + DEK_HDR, size);
	return status;
}

/**
 * sim_dek_query() - QUERY_GENERAL_OBJECT of a DEK
 * @sdev: simulated function
 * @cmd: the command
 *
 * Context: hardware thread.
 * Return: MLX5_CMD_STAT_*.
 */
u8 sim_dek_query(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u8 *obj = cmd->out + DEK_HDR;
	struct sim_dek *dek;
	u8 status;

	if (cmd->out_len < DEK_HDR + DEK_SIZE) {
		sim_cmd_size(sdev, cmd, "output of %u bytes for a DEK", cmd->out_len);
		return MLX5_CMD_STAT_BAD_OUTP_LEN_ERR;
	}
	dek = sim_cmd_obj(sdev, cmd, SIM_OBJ_DEK,
			  MLX5_GET(general_obj_in_cmd_hdr, cmd->in, obj_id), &status);
	if (!dek)
		return status;
	if (dek->wrapped && !sim_login_valid(sdev, cmd->uid))
		return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
	/* the state field stays 0, which means ready */
	DEK_SET(obj, DEK_KEY_SIZE, dek->size);
	DEK_SET(obj, DEK_HAS_KEYTAG, dek->has_keytag);
	DEK_SET(obj, DEK_PURPOSE, PURPOSE_AES_XTS);
	DEK_SET(obj, DEK_PD, dek->pd->obj.id);
	memcpy(obj + DEK_OPAQUE_AT, dek->opaque, sizeof(dek->opaque));
	MLX5_SET(general_obj_out_cmd_hdr, cmd->out, obj_id, dek->obj.id);
	return MLX5_CMD_STAT_OK;
}

/**
 * sim_dek_destroy() - DESTROY_GENERAL_OBJECT of a DEK
 * @sdev: simulated function
 * @cmd: the command
 *
 * Context: hardware thread.
 * Return: MLX5_CMD_STAT_*.
 */
u8 sim_dek_destroy(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_dek *dek;
	u8 status;

	dek = sim_cmd_obj(sdev, cmd, SIM_OBJ_DEK,
			  MLX5_GET(general_obj_in_cmd_hdr, cmd->in, obj_id), &status);
	if (!dek)
		return status;
	sim_dek_free(sdev, &dek->obj);
	return MLX5_CMD_STAT_OK;
}
