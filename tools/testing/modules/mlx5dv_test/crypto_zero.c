// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx must not leave key material in memory: neither on the stack below the
 * caller of a function that has a key as argument, nor in a copy of a DEVX command
 * that contains a key. Each case also finds a key that was left on purpose. The
 * copies in mailboxes of mlx5_core are not searched, because mlx5_core keeps its
 * mailboxes.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <rdma/mlx5dv_blk_crypto.h>

#include "compat.h"
#include "crypto.h"

#define SECRET_BYTES	40		/* length of the shortest secret */
#define TRIES		10

/* ---- the stack ---- */

/**
 * struct zero_run - a function that gets a secret, called on a stack without a copy of the secret
 * @p: the pair
 * @call: calls the function, without a copy of the secret on the stack; must
 *	not destroy objects, because a further command would overwrite the
 *	stack
 * @secret: SECRET_BYTES bytes, in the memory of one of the members below
 * @dek: attributes of a DEK
 * @key: key of the block layer
 * @login: attributes of a login, which point to @credential
 * @credential: wrapped credential
 * @made_dek: DEK that @call created, or NULL
 * @made_login: login that @call created, or NULL
 * @before: copies on the stack before the call
 * @after: copies on the stack after the call
 * @control: copies after a function that leaves one on purpose
 * @err: return value of @call
 * @done: completed when the thread has set the results
 */
struct zero_run {
	struct t_pair *p;
	int (*call)(struct zero_run *z);
	const void *secret;
	struct mlx5dv_dek_init_attr dek;
	struct blk_crypto_key key;
	struct mlx5dv_crypto_login_attr_ex login;
	u8 credential[sizeof(crypto_credential) + 8];
	struct mlx5dv_dek *made_dek;
	struct mlx5dv_crypto_login_obj *made_login;
	int before;
	int after;
	int control;
	int err;
	struct completion done;
};

/*
 * Count places below the frame of this function that contain the first bytes of
 * the secret. The comparison uses inverted bytes, so that neither this function
 * nor an interrupt, which saves registers below the frame, leaves a copy.
 */
static noinline int find_below(const void *secret)
{
	const void *at = end_of_stack(current) + 1;
	unsigned long inverted, flags;
	int n = 0;

	local_irq_save(flags);
	inverted = ~get_unaligned((const unsigned long *)secret);
	/* prevents the compiler from comparing bytes that are not inverted */
	OPTIMIZER_HIDE_VAR(inverted);
	for (; at < __builtin_frame_address(0); at += sizeof(u32))
		n += ~READ_ONCE_NOCHECK(*(const unsigned long *)at) == inverted;
	local_irq_restore(flags);
	return n;
}

/* @pad moves the frames of @call far below the frames of find_below() */
static noinline int call_deep(struct zero_run *z, int (*call)(struct zero_run *z))
{
	u8 pad[1024];
	int ret;

	memset(pad, 0, sizeof(pad));
	barrier_data(pad);
	ret = call(z);
	barrier_data(pad);
	return ret;
}

static noinline int leave_secret(struct zero_run *z)
{
	u8 copy[SECRET_BYTES];

	memcpy(copy, z->secret, sizeof(copy));
	barrier_data(copy);
	return 0;
}

/* the kernel zeroes the stack of a new thread */
static int zero_thread(void *arg)
{
	struct zero_run *z = arg;

	z->before = find_below(z->secret);
	z->err = call_deep(z, z->call);
	z->after = find_below(z->secret);
	call_deep(z, leave_secret);
	z->control = find_below(z->secret);
	complete(&z->done);
	return 0;
}

static int run_thread(struct zero_run *z)
{
	struct task_struct *task = kthread_create(zero_thread, z, "mlx5dv_zero");

	if (IS_ERR(task))
		return PTR_ERR(task);
	get_task_struct(task);
	init_completion(&z->done);
	wake_up_process(task);
	wait_for_completion(&z->done);
	/* waits for the end of the thread */
	kthread_stop(task);
	put_task_struct(task);
	if (z->made_dek)
		mlx5dv_dek_destroy(z->made_dek);
	if (z->made_login)
		mlx5dv_crypto_login_destroy(z->made_login);
	z->made_dek = NULL;
	z->made_login = NULL;
	T_EXPECT(z->err, 0);
	T_EXPECT(z->before, 0);
	T_EXPECT(!z->control, false);
	T_EXPECT(z->after, 0);
	return 0;
}

/* sets the attributes of a DEK and the key of the block layer, for cases with and without login */
static void set_keys(struct zero_run *z, bool has_keytag)
{
	const struct crypto_case c = {
		.unit = MLX5DV_BLOCK_SIZE_512, .key_size = MLX5DV_CRYPTO_KEY_SIZE_256,
		.has_keytag = has_keytag,
	};

	crypto_dek_attr(&c, z->p->end[0].pd, &z->dek);
	z->key = (struct blk_crypto_key){
		.crypto_cfg = {
			.crypto_mode = BLK_ENCRYPTION_MODE_AES_256_XTS,
			.data_unit_size = 512,
			.dun_bytes = 16,
			T_BLK_KEY_IS_RAW
		},
		.data_unit_size_bits = 9,
		.size = CRYPTO_KEY_MAX,
	};
	memcpy(t_blk_key_bytes(&z->key), z->dek.key, CRYPTO_KEY_MAX);
}

static int keep_dek(struct zero_run *z, struct mlx5dv_dek *dek)
{
	if (IS_ERR(dek))
		return PTR_ERR(dek);
	z->made_dek = dek;
	return 0;
}

static int call_dek(struct zero_run *z)
{
	return keep_dek(z, mlx5dv_dek_create(z->p->end[0].dev, &z->dek));
}

static int call_dek_refused(struct zero_run *z)
{
	return call_dek(z) == -EINVAL ? 0 : -EIO;
}

static int call_dek_blk(struct zero_run *z)
{
	return keep_dek(z, mlx5dv_dek_create_blk(z->p->end[0].pd, &z->key));
}

static int call_login(struct zero_run *z)
{
	struct mlx5dv_crypto_login_obj *obj;

	obj = mlx5dv_crypto_login_create(z->p->end[0].dev, &z->login);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	z->made_login = obj;
	return 0;
}

struct zero_case {
	int (*run)(struct zero_run *z);
};

/* runs a case with zeroed memory, and clears the memory afterwards */
static int with_zero_run(struct t_pair *p)
{
	const struct zero_case *c = p->arg;
	struct zero_run *z = kzalloc(sizeof(*z), GFP_KERNEL);
	int ret;

	if (!z)
		return -ENOMEM;
	z->p = p;
	ret = c->run(z);
	kfree_sensitive(z);
	return ret;
}

/* entry of the table of cases, for the function @name */
#define DV_ZERO(name)	{ #name, with_zero_run, &dv_opts, &(const struct zero_case){ name } }

static int crypto_zero_stack(struct zero_run *z)
{
	set_keys(z, false);
	z->secret = z->dek.key;
	z->call = call_dek;
	T_TRY(run_thread(z));
	z->secret = t_blk_key_bytes(&z->key);
	z->call = call_dek_blk;
	return run_thread(z);
}

static int set_credential(struct zero_run *z)
{
	T_TRY(crypto_wrap(crypto_kek, crypto_credential, sizeof(crypto_credential),
			  z->credential));
	z->login.credential = z->credential;
	z->login.credential_len = sizeof(z->credential);
	return 0;
}

/* two wrapped keys: the device accepts the first, and refuses the second */
static int zero_wrapped(struct zero_run *z, struct mlx5dv_crypto_login_obj *login)
{
	set_keys(z, true);
	z->dek.crypto_login = login;
	T_TRY(crypto_wrap_key(&z->dek, crypto_kek));
	z->secret = z->dek.key;
	z->call = call_dek;
	T_TRY(run_thread(z));
	z->dek.key[50] ^= 1;
	z->call = call_dek_refused;
	return run_thread(z);
}

static int login_zero(struct zero_run *z)
{
	struct mlx5dv_crypto_login_obj *login;
	int ret;

	T_TRY(set_credential(z));
	z->secret = z->credential;
	z->call = call_login;
	T_TRY(run_thread(z));
	login = mlx5dv_crypto_login_create(z->p->end[0].dev, &z->login);
	T_EXPECT(PTR_ERR_OR_ZERO(login), 0);
	ret = zero_wrapped(z, login);
	mlx5dv_crypto_login_destroy(login);
	return ret;
}

/* ---- a copy of a command ---- */

/* the copy of the command that mlx5_ibx has passed to mlx5_core */
static const void *seen_cmd;

static int see_cmd(struct kprobe *kp, struct pt_regs *regs)
{
	void *in = (void *)regs_get_kernel_argument(regs, 1);

	if (MLX5_GET(general_obj_in_cmd_hdr, in, opcode) == MLX5_CMD_OP_CREATE_GENERAL_OBJECT)
		WRITE_ONCE(seen_cmd, in);
	return 0;
}

static struct kprobe see_cmds = { .symbol_name = "mlx5_cmd_do", .pre_handler = see_cmd };

#define CMD_BYTES	MLX5_ST_SZ_BYTES(create_encryption_key_in)

/* reads freed memory, and checks whether it contains the secret */
static bool has_secret(const void *freed, const void *secret, u8 *buf)
{
	int at;

	if (copy_from_kernel_nofault(buf, freed, CMD_BYTES))
		return false;
	for (at = 0; at <= CMD_BYTES - SECRET_BYTES; at++)
		if (!memcmp(buf + at, secret, SECRET_BYTES))
			return true;
	return false;
}

/*
 * Proves that the search finds a secret in freed memory. Repeats the search, because
 * another allocation may reuse the memory before it is read.
 */
static int find_freed(const void *cmd, const void *secret, u8 *buf)
{
	void *copy;
	int i;

	for (i = 0; i < TRIES; i++) {
		copy = kvmemdup(cmd, CMD_BYTES, GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
		kvfree(copy);
		if (has_secret(copy, secret, buf))
			return 0;
	}
	return T_FAIL("a copy that was freed is not found");
}

static struct mlx5dv_devx_obj *alloc_pd_of(struct mlx5dv_devx_ctx *ctx, u32 *pdn)
{
	u32 out[MLX5_ST_SZ_DW(alloc_pd_out)], in[MLX5_ST_SZ_DW(alloc_pd_in)] = {};
	struct mlx5dv_devx_obj *obj;

	MLX5_SET(alloc_pd_in, in, opcode, MLX5_CMD_OP_ALLOC_PD);
	obj = mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out));
	*pdn = MLX5_GET(alloc_pd_out, out, pd);
	return obj;
}

/* a DEK of two keys of 256 bits; returns the address of the keys */
static void *fill_cmd(void *cmd, u32 pdn, const u8 *key)
{
	void *obj = MLX5_ADDR_OF(create_encryption_key_in, cmd, encryption_key_object);

	MLX5_SET(general_obj_in_cmd_hdr, cmd, opcode, MLX5_CMD_OP_CREATE_GENERAL_OBJECT);
	MLX5_SET(general_obj_in_cmd_hdr, cmd, obj_type,
		 MLX5_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	MLX5_SET(encryption_key_obj, obj, key_size, 1);
	MLX5_SET(encryption_key_obj, obj, key_purpose, 3);
	MLX5_SET(encryption_key_obj, obj, pd, pdn);
	memcpy(MLX5_ADDR_OF(encryption_key_obj, obj, key), key, CRYPTO_KEY_MAX);
	return MLX5_ADDR_OF(encryption_key_obj, obj, key);
}

static int create_and_look(struct mlx5dv_devx_ctx *ctx, const void *cmd, const void *secret,
			   u8 *buf)
{
	u32 out[MLX5_ST_SZ_DW(general_obj_out_cmd_hdr)];
	struct mlx5dv_devx_obj *obj;
	bool found;

	seen_cmd = NULL;
	T_EXPECT(register_kprobe(&see_cmds), 0);
	obj = mlx5dv_devx_obj_create(ctx, cmd, CMD_BYTES, out, sizeof(out));
	found = has_secret(READ_ONCE(seen_cmd), secret, buf);
	unregister_kprobe(&see_cmds);
	T_EXPECT(PTR_ERR_OR_ZERO(obj), 0);
	T_EXPECT(mlx5dv_devx_obj_destroy(obj), 0);
	T_EXPECT(!seen_cmd || seen_cmd == cmd, false);
	T_EXPECT(found, false);
	return find_freed(cmd, secret, buf);
}

static int crypto_zero_devx(struct zero_run *z)
{
	struct mlx5dv_devx_ctx *ctx = mlx5dv_devx_open(z->p->end[0].dev);
	u8 *cmd = kzalloc(2 * CMD_BYTES, GFP_KERNEL);
	struct mlx5dv_devx_obj *pd;
	void *secret;
	u32 pdn;
	int ret;

	T_EXPECT(PTR_ERR_OR_ZERO(ctx), 0);
	T_EXPECT(!cmd, false);
	set_keys(z, false);
	pd = alloc_pd_of(ctx, &pdn);
	T_EXPECT(PTR_ERR_OR_ZERO(pd), 0);
	secret = fill_cmd(cmd, pdn, z->dek.key);
	ret = create_and_look(ctx, cmd, secret, cmd + CMD_BYTES);
	mlx5dv_devx_obj_destroy(pd);
	mlx5dv_devx_close(ctx);
	kfree_sensitive(cmd);
	return ret;
}

const struct t_case dv_crypto_zero_cases[] = {
	DV_ZERO(crypto_zero_stack),
	DV_ZERO(crypto_zero_devx),
	DV_ZERO(login_zero),
	{ }
};
