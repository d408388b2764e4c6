// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Encryption: calls that are refused. The script counts violations of the device;
 * only cases whose names end with "_local" cause violations.
 */
#include "crypto.h"

static const struct crypto_case plain = {
	.unit = MLX5DV_BLOCK_SIZE_512, .encrypt_on_tx = true, .pieces = 1, .len = 1024,
};

static int setup(struct crypto_run *r, bool keytag)
{
	r->c = plain;
	r->c.has_keytag = keytag;
	return crypto_new_dek(r);
}

/* attributes with one wrong value each, which must not change the mkey */
static int crypto_bad_attrs(struct crypto_run *r)
{
	struct mlx5dv_crypto_attr good, bad;

	T_TRY(setup(r, false));
	crypto_attr(r, &good);
	T_TRY(crypto_configure_with(r, &good));
#define BAD(field, value)							\
	do {									\
		bad = good;							\
		bad.field = (value);						\
		T_EXPECT(crypto_configure_with(r, &bad), -EINVAL);		\
	} while (0)
	BAD(crypto_standard, 1);
	BAD(signature_crypto_order, 2);
	BAD(data_unit_size, 5);
	BAD(data_unit_size, -1);
	BAD(comp_mask, 1);
	BAD(dek, NULL);
	BAD(keytag[7], 1);
#undef BAD
	return crypto_move(r, MOVE_SEND, 1);
}

/* calls the setter with a DEK of @pd, which must be refused */
static int try_dek_of(struct crypto_run *r, struct ib_pd *pd)
{
	struct mlx5dv_dek_init_attr attr;
	struct mlx5dv_crypto_attr crypto;
	struct mlx5dv_dek *dek;
	int ret;

	r->c = plain;
	crypto_dek_attr(&r->c, pd, &attr);
	dek = mlx5dv_dek_create(pd->device, &attr);
	if (IS_ERR(dek))
		return T_FAIL("no DEK: %ld", PTR_ERR(dek));
	crypto_attr(r, &crypto);
	crypto.dek = dek;
	ret = crypto_configure_with(r, &crypto);
	mlx5dv_dek_destroy(dek);
	return ret == -EINVAL ? 0 : T_FAIL("%d", ret);
}

/* a DEK of another PD; and a DEK of another device, which may have the same number */
static int crypto_foreign_dek(struct crypto_run *r)
{
	struct ib_pd *pd = ib_alloc_pd(r->p->end[0].dev, 0);
	int ret;

	if (IS_ERR(pd))
		return PTR_ERR(pd);
	ret = try_dek_of(r, pd);
	ib_dealloc_pd(pd);
	return ret ?: try_dek_of(r, r->p->end[1].pd);
}

/* the setter for an mkey that was created without encryption, and the setter called twice */
static int crypto_bad_mkey(struct crypto_run *r)
{
	struct t_end *e = &r->p->end[0];
	struct mlx5dv_mkey_conf_attr conf = {};
	struct mlx5dv_mkey *mkey = dv_mkey(e, 0, 4);
	struct mlx5dv_crypto_attr attr;
	int ret = 0, i;

	if (IS_ERR(mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(mkey));
	ret = setup(r, false);
	crypto_attr(r, &attr);
	for (i = 0; i < 2 && !ret; i++) {
		ret = dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE);
		mlx5dv_wr_mkey_configure(dv_of(e), i ? r->mkey : mkey, 2, &conf);
		mlx5dv_wr_set_mkey_crypto(dv_of(e), &attr);
		mlx5dv_wr_set_mkey_crypto(dv_of(e), &attr);
		ret = ib_wr_complete(dv_qpx(e));
		ret = ret == -EINVAL ? 0 : T_FAIL("%d", ret);
	}
	mlx5dv_destroy_mkey(mkey);
	return ret;
}

/* a layout that the device reads from memory cannot be set with attributes in one work request */
static int crypto_bad_fetched(struct crypto_run *r)
{
	struct t_end *e = &r->p->end[0];
	struct mlx5dv_layout *lay = mlx5dv_alloc_layout(e->dev, 4, GFP_KERNEL);
	struct mlx5dv_mkey_conf_attr conf = {};
	struct ib_sge sge = t_sge(e, 0, 1024);
	struct mlx5dv_crypto_attr attr;
	int ret;

	if (IS_ERR(lay))
		return T_FAIL("no layout: %ld", PTR_ERR(lay));
	ret = mlx5dv_layout_list(lay, 1, &sge) ?: setup(r, false) ?:
	      dv_start(e, 0, IB_SEND_SIGNALED);
	if (!ret) {
		crypto_attr(r, &attr);
		mlx5dv_wr_mkey_configure(dv_of(e), r->mkey, 2, &conf);
		mlx5dv_wr_set_mkey_layout(dv_of(e), lay);
		mlx5dv_wr_set_mkey_crypto(dv_of(e), &attr);
		ret = ib_wr_complete(dv_qpx(e));
		ret = ret == -EOPNOTSUPP ? 0 : T_FAIL("%d", ret);
	}
	mlx5dv_free_layout(lay);
	return ret;
}

static int crypto_bad_dek(struct t_pair *p)
{
	struct ib_device *dev = p->end[0].dev;
	struct mlx5dv_dek_init_attr good, bad;

	crypto_dek_attr(&plain, p->end[0].pd, &good);
	T_EXPECT(crypto_try_dek(dev, &good), 0);
#define BAD(field, value, err)							\
	do {									\
		bad = good;							\
		bad.field = (value);						\
		T_EXPECT(crypto_try_dek(dev, &bad), err);				\
	} while (0)
	BAD(key_size, 2, -EINVAL);
	BAD(key_purpose, 1, -EINVAL);
	BAD(pd, NULL, -EINVAL);
	BAD(pd, p->end[1].pd, -EINVAL);
	BAD(comp_mask, 3, -EINVAL);
	BAD(comp_mask, 0, -EOPNOTSUPP);
	BAD(crypto_login, (void *)&good, -EOPNOTSUPP);
#undef BAD
	return 0;
}

static int crypto_query_dek(struct crypto_run *r)
{
	struct mlx5dv_dek_attr attr = { .state = MLX5DV_DEK_STATE_ERROR };

	T_TRY(setup(r, true));
	T_EXPECT(mlx5dv_dek_query(r->dek, &attr), 0);
	T_EXPECT(attr.state, MLX5DV_DEK_STATE_READY);
	T_EXPECT(memcmp(attr.opaque, "opaque7", 8), 0);
	attr.comp_mask = 1;
	T_EXPECT(mlx5dv_dek_query(r->dek, &attr), -EINVAL);
	return 0;
}

/* ---- transfers that fail, after which the QP is in ERR ---- */

/*
 * An mkey that was created for encryption cannot be accessed before its crypto
 * attributes are set.
 */
static int crypto_unset(struct crypto_run *r)
{
	r->c = plain;
	T_TRY(crypto_configure_with(r, NULL));
	T_EXPECT(crypto_read_by_peer(r, 0, 512), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/*
 * After LOCAL_INV, the mkey cannot be accessed until its crypto attributes are set again.
 */
static int crypto_invalidated(struct crypto_run *r)
{
	struct t_end *e = &r->p->end[0];

	T_TRY(setup(r, false));
	T_TRY(crypto_configure(r));
	T_TRY(crypto_move(r, MOVE_READ_BY_PEER, 1));
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	ib_wr_local_inv(dv_qpx(e), r->mkey->rkey);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	T_TRY(crypto_configure_with(r, NULL));
	T_EXPECT(crypto_read_by_peer(r, 0, 512), IB_WC_REM_ACCESS_ERR);
	return 0;
}

static int set_wrong_keytag(struct crypto_run *r)
{
	struct mlx5dv_crypto_attr attr;

	T_TRY(setup(r, true));
	crypto_attr(r, &attr);
	attr.keytag[0] ^= 1;
	return crypto_configure_with(r, &attr);
}

static int crypto_keytag(struct crypto_run *r)
{
	T_TRY(set_wrong_keytag(r));
	T_EXPECT(crypto_read_by_peer(r, 0, 512), IB_WC_REM_ACCESS_ERR);
	return 0;
}

static int crypto_keytag_local(struct crypto_run *r)
{
	struct t_end *owner = &r->p->end[0], *e = &r->p->end[1];
	struct ib_sge key = { 0, 512, r->mkey->lkey };

	T_TRY(set_wrong_keytag(r));
	T_EXPECT(dv_rdma(owner, 0, IB_WR_RDMA_WRITE, &key, e->mr[0]->iova, e->mr[0]->rkey),
		 IB_WC_LOC_PROT_ERR);
	return 0;
}

/* the DEK of the mkey was destroyed; a new DEK, which may have the same number, is not used */
static int crypto_destroyed(struct crypto_run *r)
{
	T_TRY(setup(r, false));
	T_TRY(crypto_configure(r));
	T_TRY(crypto_move(r, MOVE_READ_BY_PEER, 1));
	mlx5dv_dek_destroy(r->dek);
	r->dek = NULL;
	T_TRY(crypto_new_dek(r));
	T_EXPECT(crypto_read_by_peer(r, 0, 512), IB_WC_REM_ACCESS_ERR);
	return 0;
}

static int crypto_middle(struct crypto_run *r)
{
	T_TRY(setup(r, false));
	T_TRY(crypto_configure(r));
	T_EXPECT(crypto_read_by_peer(r, 16, 512), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* a message of 47 bytes, the example in the manual page */
static int crypto_length_local(struct crypto_run *r)
{
	T_TRY(setup(r, false));
	T_TRY(crypto_configure(r));
	T_EXPECT(crypto_read_by_peer(r, 0, 47), IB_WC_REM_OP_ERR);
	return 0;
}

/*
 * The length of a layout is no multiple of the data unit, and XTS does not support the
 * length of the last unit. Complete data units can be moved. Access to the last one is
 * an error for peer and owner.
 */
static int set_ragged(struct crypto_run *r)
{
	T_TRY(setup(r, false));
	r->c.len = 1000;
	T_TRY(crypto_configure(r));
	r->c.len = 512;
	return crypto_move(r, MOVE_READ_BY_PEER, 1) ?: crypto_move(r, MOVE_WRITE, 2);
}

static int crypto_ragged_local(struct crypto_run *r)
{
	T_TRY(set_ragged(r));
	T_EXPECT(crypto_read_by_peer(r, 0, 1000), IB_WC_REM_OP_ERR);
	return 0;
}

static int crypto_ragged_owner_local(struct crypto_run *r)
{
	struct t_end *owner = &r->p->end[0], *e = &r->p->end[1];
	struct ib_sge key = { 0, 1000, r->mkey->lkey };

	T_TRY(set_ragged(r));
	T_EXPECT(dv_rdma(owner, 0, IB_WR_RDMA_WRITE, &key, e->mr[0]->iova, e->mr[0]->rkey),
		 IB_WC_LOC_PROT_ERR);
	return 0;
}

const struct t_case dv_crypto_bad_cases[] = {
	DV_CRYPTO(crypto_bad_attrs),
	DV_CRYPTO(crypto_foreign_dek),
	DV_CRYPTO(crypto_bad_mkey),
	DV_CRYPTO(crypto_bad_fetched),
	{ "crypto_bad_dek", crypto_bad_dek, &dv_opts },
	DV_CRYPTO(crypto_query_dek),
	DV_CRYPTO(crypto_unset),
	DV_CRYPTO(crypto_invalidated),
	DV_CRYPTO(crypto_keytag),
	DV_CRYPTO(crypto_keytag_local),
	DV_CRYPTO(crypto_destroyed),
	DV_CRYPTO(crypto_middle),
	DV_CRYPTO(crypto_length_local),
	DV_CRYPTO(crypto_ragged_local),
	DV_CRYPTO(crypto_ragged_owner_local),
	{ }
};
