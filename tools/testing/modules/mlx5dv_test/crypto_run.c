// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Common functions of the suites of encryption. */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "crypto.h"

static const char keytag[8] = "keytag!";

/* the values in cmd/login.c of mlx5sim */
const u8 crypto_kek[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
const char crypto_credential[40] __nonstring = "mlx5sim: credential 0 of all its devices";

/**
 * crypto_with() - run a case with an mkey, a DEK and two buffers
 * @p: the pair
 * @run: the case
 *
 * Return: the result of @run, or a negative errno.
 */
int crypto_with(struct t_pair *p, int (*run)(struct crypto_run *r))
{
	struct crypto_run r = { .p = p };
	int ret = -ENOMEM;

	r.mkey = dv_mkey(&p->end[0], MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO, 4);
	if (IS_ERR(r.mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(r.mkey));
	r.in = kzalloc(T_BUF_SIZE, GFP_KERNEL);
	r.out = kzalloc(T_BUF_SIZE, GFP_KERNEL);
	if (r.in && r.out)
		ret = run(&r);
	kfree(r.out);
	kfree(r.in);
	mlx5dv_destroy_mkey(r.mkey);
	if (r.dek)
		mlx5dv_dek_destroy(r.dek);
	return ret;
}

/**
 * crypto_with_peer() - crypto_with() after the peer's buffer was registered for operations of the
 * owner
 * @p: the pair
 * @run: the case
 *
 * Return: the result of @run, or a negative errno.
 */
int crypto_with_peer(struct t_pair *p, int (*run)(struct crypto_run *r))
{
	T_TRY(move_register_peer(p));
	return crypto_with(p, run);
}

/**
 * dv_crypto_run() - run a case with an mkey, a DEK and two buffers
 * @p: pair of the case, whose @arg is a struct dv_crypto_case
 *
 * Return: as crypto_with_peer().
 */
int dv_crypto_run(struct t_pair *p)
{
	const struct dv_crypto_case *c = p->arg;

	return crypto_with_peer(p, c->run);
}

/**
 * crypto_dek_attr() - attributes of the DEK of a configuration
 * @c: configuration
 * @pd: PD of the DEK
 * @attr: receives the attributes
 */
void crypto_dek_attr(const struct crypto_case *c, struct ib_pd *pd,
		     struct mlx5dv_dek_init_attr *attr)
{
	u8 key[CRYPTO_KEY_MAX];

	crypto_key(c, key);
	*attr = (struct mlx5dv_dek_init_attr){
		.key_size = c->key_size,
		.has_keytag = c->has_keytag,
		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
		.pd = pd,
		.opaque = "opaque7",
		.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN,
	};
	memcpy(attr->key, key, crypto_key_len(c->key_size));
	if (c->has_keytag)
		memcpy(attr->key + crypto_key_len(c->key_size), keytag, sizeof(keytag));
}

/**
 * crypto_wrap_key() - wrap the key of a DEK, with its keytag, in @attr
 * @attr: attributes of the DEK
 * @kek: key encryption key
 *
 * Return: 0 or a negative errno.
 */
int crypto_wrap_key(struct mlx5dv_dek_init_attr *attr, const u8 *kek)
{
	u8 wrapped[CRYPTO_KEY_MAX + sizeof(keytag) + 8];
	const u32 len = crypto_key_len(attr->key_size) + (attr->has_keytag ? sizeof(keytag) : 0);

	T_TRY(crypto_wrap(kek, attr->key, len, wrapped));
	memcpy(attr->key, wrapped, len + 8);
	return 0;
}

/**
 * crypto_try_dek() - create a DEK, and destroy it
 * @dev: device
 * @attr: attributes of the DEK
 *
 * Return: 0, or the errno of mlx5dv_dek_create().
 */
int crypto_try_dek(struct ib_device *dev, const struct mlx5dv_dek_init_attr *attr)
{
	struct mlx5dv_dek *dek = mlx5dv_dek_create(dev, attr);

	if (IS_ERR(dek))
		return PTR_ERR(dek);
	mlx5dv_dek_destroy(dek);
	return 0;
}

/**
 * crypto_new_dek() - replace the DEK of a run by a new DEK for r->c
 * @r: the run
 *
 * Return: 0 or a negative errno.
 */
int crypto_new_dek(struct crypto_run *r)
{
	struct mlx5dv_dek_init_attr attr;
	struct mlx5dv_dek *dek;

	crypto_dek_attr(&r->c, r->p->end[0].pd, &attr);
	if (r->login)
		T_TRY(crypto_wrap_key(&attr, crypto_kek));
	attr.crypto_login = r->login;
	dek = mlx5dv_dek_create(r->p->end[0].dev, &attr);
	if (IS_ERR(dek))
		return T_FAIL("no DEK: %ld", PTR_ERR(dek));
	if (r->dek)
		mlx5dv_dek_destroy(r->dek);
	r->dek = dek;
	return 0;
}

/**
 * crypto_attr() - fill in the crypto attributes of r->c
 * @r: the run
 * @attr: receives the attributes
 */
void crypto_attr(const struct crypto_run *r, struct mlx5dv_crypto_attr *attr)
{
	*attr = (struct mlx5dv_crypto_attr){
		.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
		.encrypt_on_tx = r->c.encrypt_on_tx,
		/* has no effect on an mkey without signatures */
		.signature_crypto_order = r->c.unit & 1,
		.data_unit_size = r->c.unit,
		.dek = r->dek,
	};
	put_unaligned_le64(r->c.tweak[0], attr->initial_tweak);
	put_unaligned_le64(r->c.tweak[1], attr->initial_tweak + 8);
	if (r->c.has_keytag)
		memcpy(attr->keytag, keytag, sizeof(keytag));
}

/**
 * crypto_configure_with() - post a configuration of the mkey, and wait for its completion
 * @r: the run
 * @attr: crypto attributes; NULL for a configuration without the crypto setter
 *
 * Return: the errno of ib_wr_complete(), or -EIO if the work request fails.
 */
int crypto_configure_with(struct crypto_run *r, const struct mlx5dv_crypto_attr *attr)
{
	struct mlx5dv_mkey_conf_attr conf = {};
	struct t_end *e = &r->p->end[0];
	struct ib_sge sge[MOVE_PIECES];
	int ret, n = move_cut(e, r->c.pieces, r->c.len, sge);
	/* the order of setters does not matter */
	const bool first = r->c.len & 16;

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, attr ? 3 : 2, &conf);
	if (attr && first)
		mlx5dv_wr_set_mkey_crypto(dv_of(e), attr);
	mlx5dv_wr_set_mkey_access_flags(dv_of(e), DV_REMOTE_RW);
	mlx5dv_wr_set_mkey_layout_list(dv_of(e), n, sge);
	if (attr && !first)
		mlx5dv_wr_set_mkey_crypto(dv_of(e), attr);
	ret = ib_wr_complete(dv_qpx(e));
	if (ret)
		return ret;
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/**
 * crypto_configure() - configure the mkey with the attributes of r->c and r->dek
 * @r: the run
 *
 * Return: as crypto_configure_with().
 */
int crypto_configure(struct crypto_run *r)
{
	struct mlx5dv_crypto_attr attr;

	crypto_attr(r, &attr);
	return crypto_configure_with(r, &attr);
}

/**
 * crypto_move() - move new data by an operation, and compare the received bytes
 * with the reference
 * @r: the run; the mkey is configured by r->c, and the peer's MR is registered
 * @op: the operation
 * @seed: seed of the data
 *
 * Return: 0 or a negative errno.
 */
int crypto_move(struct crypto_run *r, enum move_op op, u32 seed)
{
	const struct move m = {
		.p = r->p, .mkey = r->mkey, .pieces = r->c.pieces,
		.mem = r->c.len, .wire = r->c.len, .local = r->c.len,
	};
	struct t_end *e = &r->p->end[1];

	/* the data are made in the peer's buffer, which is overwritten later */
	t_fill(e, 0, r->c.len, seed);
	memcpy(r->in, e->buf, r->c.len);
	memcpy(r->out, r->in, r->c.len);
	T_TRY(crypto_reference(&r->c, r->c.encrypt_on_tx != move_to_memory(op), 0, r->out,
			       r->c.len));
	T_TRY(move_bytes(&m, op, r->in));
	return move_compare(&m, op, r->out);
}

/**
 * crypto_read_by_peer() - the peer READs a part of the mkey
 * @r: the run
 * @off: offset in the mkey
 * @len: bytes
 *
 * Return: the status of the completion, or a negative errno.
 */
int crypto_read_by_peer(struct crypto_run *r, u32 off, u32 len)
{
	struct t_end *e = &r->p->end[1];
	struct ib_sge plain = t_sge(e, MOVE_FAR, len);
	int ret = dv_rdma(e, 0, IB_WR_RDMA_READ, &plain, off, r->mkey->rkey);

	t_clear_counts(&e->sq);
	return ret;
}
