// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mkeys with signatures and encryption: refused calls and refused commands.
 */
#include "both.h"

#define AFTER	MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX
#define BEFORE	MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX

/*
 * Configures row E: the domains have different signatures, and the wire is encrypted
 * with its signatures.
 */
static int setup(struct both_run *r)
{
	r->sig.c = (struct sig_case){
		.mem = both_dif, .wire = both_crc, .check_mask = 0xff, .data = BOTH_BLOCKS * 512,
	};
	r->order = BEFORE;
	r->crypto.c = (struct crypto_case){ .encrypt_on_tx = true, .tweak = { 5, 6 } };
	T_TRY(crypto_new_dek(&r->crypto));
	return both_configure(r, BOTH_ALL);
}

/*
 * Signatures of the ciphertext in both domains are not supported by any device. They
 * are set in one call or in two calls. A refused call changes no attribute.
 */
static int both_order(struct both_run *r)
{
	T_TRY(setup(r));
	r->order = AFTER;
	T_EXPECT(both_configure(r, BOTH_ALL), -EINVAL);
	T_EXPECT(both_configure(r, BOTH_CRYPTO), -EINVAL);
	r->crypto.c.encrypt_on_tx = false;
	r->order = BEFORE;
	T_EXPECT(both_configure(r, BOTH_ALL), -EINVAL);
	T_EXPECT(both_configure(r, BOTH_CRYPTO), -EINVAL);
	r->crypto.c.encrypt_on_tx = true;
	T_TRY(both_move(r, MOVE_WRITE, 1));
	/*
	 * signatures of the ciphertext in one domain are supported; signatures
	 * of the other domain cannot be added
	 */
	r->sig.c.mem.on = false;
	r->order = AFTER;
	T_TRY(both_configure(r, BOTH_ALL));
	r->sig.c.mem.on = true;
	T_EXPECT(both_configure(r, BOTH_SIG), -EINVAL);
	r->sig.c.mem.on = false;
	return both_move(r, MOVE_WRITE_BY_PEER, 2);
}

/* a setter that is called twice, or with a bad value, is refused */
static int both_setters(struct both_run *r)
{
	struct t_end *e = &r->sig.p->end[0];
	const struct mlx5dv_mkey_conf_attr conf = {};
	struct mlx5dv_crypto_attr attr;
	int i;

	T_TRY(setup(r));
	crypto_attr(&r->crypto, &attr);
	attr.signature_crypto_order = BEFORE;
	for (i = 0; i < 2; i++) {
		T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
		mlx5dv_wr_mkey_configure(dv_of(e), r->sig.mkey, 3, &conf);
		mlx5dv_wr_set_mkey_crypto(dv_of(e), &attr);
		sig_build(e, &r->sig.c);
		if (i)
			sig_build(e, &r->sig.c);
		else
			mlx5dv_wr_set_mkey_crypto(dv_of(e), &attr);
		T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	}
	r->sig.c.check_mask = 0;
	r->sig.c.flags = ~0;
	T_EXPECT(both_configure(r, BOTH_ALL), -EINVAL);
	r->sig.c.check_mask = 0xff;
	r->sig.c.flags = 0;
	r->crypto.c.unit = 5;
	T_EXPECT(both_configure(r, BOTH_SIG | BOTH_CRYPTO), -EINVAL);
	r->crypto.c.unit = 0;
	return both_move(r, MOVE_SEND, 3);
}

/*
 * A configuration of the signature attributes writes the crypto attributes too. It
 * is refused if their DEK was destroyed.
 */
static int both_dead_dek(struct both_run *r)
{
	T_TRY(setup(r));
	mlx5dv_dek_destroy(r->crypto.dek);
	r->crypto.dek = NULL;
	T_EXPECT(both_configure(r, BOTH_SIG), -EINVAL);
	/* a new DEK, which may have the number of the destroyed DEK, must be set first */
	T_TRY(crypto_new_dek(&r->crypto));
	T_EXPECT(both_configure(r, BOTH_SIG), -EINVAL);
	T_TRY(both_configure(r, BOTH_CRYPTO));
	T_TRY(both_configure(r, BOTH_SIG));
	return both_move(r, MOVE_READ, 4);
}

/* a layout that the device reads from memory cannot be set with attributes in one work request */
static int both_fetched(struct both_run *r)
{
	struct t_end *e = &r->sig.p->end[0];
	struct mlx5dv_layout *lay = mlx5dv_alloc_layout(e->dev, 4, GFP_KERNEL);
	const struct mlx5dv_mkey_conf_attr conf = {};
	struct ib_sge sge = t_sge(e, 0, 4 * 520);
	int ret;

	if (IS_ERR(lay))
		return T_FAIL("no layout: %ld", PTR_ERR(lay));
	ret = mlx5dv_layout_list(lay, 1, &sge) ?: setup(r) ?: dv_start(e, 0, IB_SEND_SIGNALED);
	if (!ret) {
		mlx5dv_wr_mkey_configure(dv_of(e), r->sig.mkey, 2, &conf);
		sig_build(e, &r->sig.c);
		mlx5dv_wr_set_mkey_layout(dv_of(e), lay);
		ret = ib_wr_complete(dv_qpx(e));
		ret = ret == -EOPNOTSUPP ? 0 : T_FAIL("%d", ret);
	}
	mlx5dv_free_layout(lay);
	return ret ?: both_move(r, MOVE_SEND, 5);
}

/* ---- transfers that fail, after which the QP is in ERR ---- */

/* with signatures only, the mkey cannot be accessed: it was created for encryption too */
static int both_unset(struct both_run *r)
{
	r->sig.c = (struct sig_case){ .mem = both_crc, .check_mask = 0xff, .data = 512 };
	T_TRY(both_configure(r, BOTH_SIG | BOTH_LAYOUT));
	T_EXPECT(crypto_read_by_peer(&r->crypto, 0, 512), IB_WC_REM_ACCESS_ERR);
	return 0;
}

static int both_invalidated(struct both_run *r)
{
	struct t_end *e = &r->sig.p->end[0];

	T_TRY(setup(r));
	T_TRY(both_move(r, MOVE_SEND, 6));
	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	ib_wr_local_inv(dv_qpx(e), r->sig.mkey->rkey);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	T_TRY(both_configure(r, BOTH_LAYOUT));
	T_EXPECT(crypto_read_by_peer(&r->crypto, 0, 4 * 516), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/*
 * A message whose ciphertext has a length that XTS does not support is not sent.
 */
static int both_length_local(struct both_run *r)
{
	r->sig.c = (struct sig_case){ .wire = both_crc, .check_mask = 0xff, .data = 512 };
	r->order = BEFORE;
	r->crypto.c = (struct crypto_case){ .encrypt_on_tx = true };
	T_TRY(crypto_new_dek(&r->crypto));
	T_TRY(both_configure(r, BOTH_ALL));
	T_EXPECT(crypto_read_by_peer(&r->crypto, 0, 516), IB_WC_REM_OP_ERR);
	return 0;
}

const struct t_case dv_both_bad_cases[] = {
	DV_BOTH(both_order),
	DV_BOTH(both_setters),
	DV_BOTH(both_dead_dek),
	DV_BOTH(both_fetched),
	DV_BOTH(both_unset),
	DV_BOTH(both_invalidated),
	DV_BOTH(both_length_local),
	{ }
};
