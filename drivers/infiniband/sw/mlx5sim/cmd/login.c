// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * General objects of type crypto login, which wrapped DEKs need. The device
 * stores an import KEK and a credential for logins, both with number 0. On a
 * real device a crypto officer stores the KEK and the credential. All simulated
 * devices have the same KEK and credential. A write of 0 to the debugfs file
 * "officer" deletes both, and a write of 1 stores both again.
 *
 * CREATE of a login contains the credential, wrapped with the import KEK. The
 * command that creates a wrapped DEK contains no login; the device uses the
 * login of the user context. Unrefereed: U-141, U-142.
 */
#include <crypto/utils.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "cmd/cmd.h"
#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/caps.h"
#include "obj/crypto.h"
#include "obj/obj.h"

#define LOGIN_HDR	MLX5_ST_SZ_BYTES(general_obj_in_cmd_hdr)
#define LOGIN_SIZE	256		/* bytes of the object */

/* Fields of the object: bit offset from its first byte, and width in bits */
#define LOGIN_STATE		{ 0x84, 4 }
#define LOGIN_CREDENTIAL	{ 0x88, 24 }
#define LOGIN_KEK		{ 0xa8, 24 }
#define LOGIN_WRAPPED_AT	(0x200 / 8)	/* bytes */
#define LOGIN_WRAPPED		(SIM_CREDENTIAL + 8)

#define LOGIN_INVALID	1

/* The import KEK is not secret: it is the same on all simulated devices. */
static const u8 login_kek[] = {
	0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e,
	0x0f,
};

/* the credential of all simulated devices */
static const u8 login_credential[SIM_CREDENTIAL] __nonstring =
	 "mlx5sim: credential 0 of all its devices";

static void sim_login_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	sim_obj_del(sdev, obj);
	kfree(container_of(obj, struct sim_login, obj));
}

static struct sim_login *login_of(struct sim_dev *sdev, u16 uid)
{
	struct sim_obj *obj;
	unsigned long id;

	xa_for_each(&sdev->objs->xa[SIM_OBJ_LOGIN], id, obj)
		if (obj->uid == uid)
			return container_of(obj, struct sim_login, obj);
	return NULL;
}

static bool login_is_valid(struct sim_dev *sdev, const struct sim_login *login)
{
	return !sdev->officer.deleted && login->deletions == sdev->officer.deletions;
}

/**
 * sim_login_valid() - check whether a user context has a valid login
 * @sdev: simulated function
 * @uid: user context
 *
 * Context: hardware thread.
 * Return: true if the user context may create and query wrapped DEKs.
 */
bool sim_login_valid(struct sim_dev *sdev, u16 uid)
{
	const struct sim_login *login = login_of(sdev, uid);

	return login && login_is_valid(sdev, login);
}

/**
 * sim_login_unwrap() - unwrap a key or credential with the import KEK
 * @in: wrapped key or credential
 * @len: bytes at @in; a multiple of 8
 * @out: out: unwrapped key or credential, @len - 8 bytes; cleared when the
 *	wrapping is wrong
 *
 * Context: hardware thread.
 * Return: MLX5_CMD_STAT_*.
 */
u8 sim_login_unwrap(const u8 *in, u32 len, u8 *out)
{
	int err = sim_unwrap(login_kek, sizeof(login_kek), in, len, out);

	return err == -EBADMSG ? MLX5_CMD_STAT_BAD_PARAM_ERR : sim_cmd_errno_ok(err);
}

/*
 * Check the credential in a CREATE command. A wrong credential is refused, but
 * is not counted as an error of the driver (a violation).
 */
static u8 login_check(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const u8 *obj = cmd->in + LOGIN_HDR;
	u8 credential[SIM_CREDENTIAL];
	u8 status;

	if (sim_bits_get(obj, (struct sim_field)LOGIN_CREDENTIAL) ||
	    sim_bits_get(obj, (struct sim_field)LOGIN_KEK) || sdev->officer.deleted)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	status = sim_login_unwrap(obj + LOGIN_WRAPPED_AT, LOGIN_WRAPPED, credential);
	if (!status && crypto_memneq(credential, login_credential, sizeof(credential)))
		status = MLX5_CMD_STAT_BAD_PARAM_ERR;
	memzero_explicit(credential, sizeof(credential));
	return status;
}

static bool login_is_clean(const u8 *obj)
{
	static const struct sim_field fields[] = { LOGIN_CREDENTIAL, LOGIN_KEK, {} };
	const u32 end = LOGIN_WRAPPED_AT + LOGIN_WRAPPED;

	return sim_fields_only(obj, LOGIN_WRAPPED_AT, fields) &&
	       !memchr_inv(obj + end, 0, LOGIN_SIZE - end);
}

static u8 login_add(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_login *login;
	u8 status;

	if (login_of(sdev, cmd->uid))
		return sim_cmd_bad_state(sdev, cmd, "second login of uid %#x", cmd->uid);
	status = login_check(sdev, cmd);
	if (status)
		return status;
	login = kzalloc(sizeof(*login), GFP_KERNEL);
	if (!login)
		return sim_cmd_errno(-ENOMEM);
	login->deletions = sdev->officer.deletions;
	status = sim_cmd_errno_ok(sim_obj_add(sdev, &login->obj, SIM_OBJ_LOGIN, cmd->uid,
					      sim_login_free));
	if (status)
		kfree(login);
	else
		MLX5_SET(general_obj_out_cmd_hdr, cmd->out, obj_id, login->obj.id);
	return status;
}

/**
 * sim_login_create() - CREATE_GENERAL_OBJECT of a login
 * @sdev: simulated function
 * @cmd: the command; its credential is cleared
 *
 * Context: hardware thread. May sleep.
 * Return: MLX5_CMD_STAT_*.
 */
u8 sim_login_create(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u8 status;

	if (!SIM_CAP(sdev, crypto) || !SIM_CAP_AT(sdev, SIM_CAP_OBJ_LOGIN) ||
	    !SIM_CAP_CRYPTO(sdev, SIM_CRYPTO_WRAPPED_WORKS))
		return MLX5_CMD_STAT_BAD_OP_ERR;
	if (cmd->in_len != LOGIN_HDR + LOGIN_SIZE)
		return sim_cmd_size(sdev, cmd, "login of %u bytes", cmd->in_len);
	if (MLX5_GET(general_obj_in_cmd_hdr, cmd->in, obj_id) ||
	    !login_is_clean(cmd->in + LOGIN_HDR))
		return sim_cmd_reserved(sdev, cmd, "reserved bits of a login");
	status = login_add(sdev, cmd);
	memzero_explicit(cmd->in + LOGIN_HDR, LOGIN_SIZE);
	return status;
}

static struct sim_login *login_named(struct sim_dev *sdev, struct sim_cmd *cmd, u8 *status)
{
	return sim_cmd_obj(sdev, cmd, SIM_OBJ_LOGIN,
			   MLX5_GET(general_obj_in_cmd_hdr, cmd->in, obj_id), status);
}

/**
 * sim_login_query() - QUERY_GENERAL_OBJECT of a login
 * @sdev: simulated function
 * @cmd: the command
 *
 * Context: hardware thread.
 * Return: MLX5_CMD_STAT_*.
 */
u8 sim_login_query(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u8 *obj = cmd->out + LOGIN_HDR;
	struct sim_login *login;
	u8 status;

	if (cmd->out_len < LOGIN_HDR + LOGIN_SIZE) {
		sim_cmd_size(sdev, cmd, "output of %u bytes for a login", cmd->out_len);
		return MLX5_CMD_STAT_BAD_OUTP_LEN_ERR;
	}
	login = login_named(sdev, cmd, &status);
	if (!login)
		return status;
	/* the output is zeroed, and a state of 0 means valid */
	if (!login_is_valid(sdev, login))
		sim_bits_set(obj, (struct sim_field)LOGIN_STATE, LOGIN_INVALID);
	MLX5_SET(general_obj_out_cmd_hdr, cmd->out, obj_id, login->obj.id);
	return MLX5_CMD_STAT_OK;
}

/**
 * sim_login_destroy() - DESTROY_GENERAL_OBJECT of a login
 * @sdev: simulated function
 * @cmd: the command
 *
 * DEKs that were created with the login continue to exist.
 *
 * Context: hardware thread.
 * Return: MLX5_CMD_STAT_*.
 */
u8 sim_login_destroy(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_login *login;
	u8 status;

	login = login_named(sdev, cmd, &status);
	if (!login)
		return status;
	sim_login_free(sdev, &login->obj);
	return MLX5_CMD_STAT_OK;
}

/**
 * sim_officer_delete() - delete import KEK and credential
 * @arg: struct sim_dev
 *
 * Existing logins become invalid, and stay invalid after sim_officer_store().
 *
 * Context: hardware thread.
 * Return: 0.
 */
int sim_officer_delete(void *arg)
{
	struct sim_dev *sdev = arg;

	if (!sdev->officer.deleted)
		sdev->officer.deletions++;
	sdev->officer.deleted = true;
	return 0;
}

/**
 * sim_officer_store() - store import KEK and credential again, for new logins
 * @arg: struct sim_dev
 *
 * Context: hardware thread.
 * Return: 0.
 */
int sim_officer_store(void *arg)
{
	struct sim_dev *sdev = arg;

	sdev->officer.deleted = false;
	return 0;
}
