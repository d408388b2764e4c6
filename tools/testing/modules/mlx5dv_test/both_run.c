// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Common functions of the suites of mkeys with signatures and encryption. The reference combines
 * the references of sig_ref.c and crypto_ref.c.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "both.h"

/* signatures; the cases set the block size */
const struct sig_dom both_dif = {
	.on = true, .type = MLX5DV_SIG_TYPE_T10DIF,
	.dif = { MLX5DV_SIG_T10DIF_CRC, 0xffff, 0xabcd, 0x12345678,
		 MLX5DV_SIG_T10DIF_FLAG_REF_REMAP },
};

const struct sig_dom both_crc = {
	.on = true, .type = MLX5DV_SIG_TYPE_CRC,
	.crc = { MLX5DV_SIG_CRC_TYPE_CRC32C, U32_MAX },
};

/**
 * dv_both_run() - run a case with an mkey for signatures and encryption, and with buffers
 * @p: pair of the case, whose @arg is a struct dv_both_case
 *
 * Registers the peer's buffer before the case, and destroys the DEK of the case after the case.
 *
 * Return: the result of the case, or a negative errno.
 */
int dv_both_run(struct t_pair *p)
{
	const struct dv_both_case *c = p->arg;
	struct both_run r = { .sig.p = p, .crypto.p = p };
	int ret = -ENOMEM;

	T_TRY(move_register_peer(p));
	T_TRY(sig_query(&r.sig));
	r.sig.mkey = dv_mkey(&p->end[0], MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE |
					 MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO, 8);
	if (IS_ERR(r.sig.mkey))
		return T_FAIL("no mkey: %ld", PTR_ERR(r.sig.mkey));
	r.crypto.mkey = r.sig.mkey;
	r.sig.in = kzalloc(T_BUF_SIZE, GFP_KERNEL);
	r.sig.out = kzalloc(T_BUF_SIZE, GFP_KERNEL);
	r.tmp = kzalloc(T_BUF_SIZE, GFP_KERNEL);
	if (r.sig.in && r.sig.out && r.tmp)
		ret = c->run(&r);
	kfree(r.tmp);
	kfree(r.sig.out);
	kfree(r.sig.in);
	mlx5dv_destroy_mkey(r.sig.mkey);
	if (r.crypto.dek)
		mlx5dv_dek_destroy(r.crypto.dek);
	return ret;
}

/**
 * both_build() - build a configuration, after sig_fit_case()
 * @r: the run; ib_wr_start() was called for the owner's send queue
 * @what: BOTH_*, parts of the configuration
 */
void both_build(struct both_run *r, u32 what)
{
	struct t_end *e = &r->sig.p->end[0];
	const struct mlx5dv_mkey_conf_attr conf = {
		.conf_flags = what & BOTH_RESET ? MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR : 0,
	};
	const u8 setters = !!(what & BOTH_SIG) + !!(what & BOTH_CRYPTO) +
			   (what & BOTH_LAYOUT ? 2 : 0);
	/* the order of setters does not matter */
	const bool layout_first = r->crypto.c.tweak[0] & 1, sig_first = r->crypto.c.tweak[0] & 2;
	struct mlx5dv_crypto_attr attr;

	sig_fit_case(&r->sig);
	crypto_attr(&r->crypto, &attr);
	attr.signature_crypto_order = r->order;
	mlx5dv_wr_mkey_configure(dv_of(e), r->sig.mkey, setters, &conf);
	if (what & BOTH_LAYOUT && layout_first)
		sig_set_layout(&r->sig);
	if (what & BOTH_SIG && sig_first)
		sig_build(e, &r->sig.c);
	if (what & BOTH_CRYPTO)
		mlx5dv_wr_set_mkey_crypto(dv_of(e), &attr);
	if (what & BOTH_SIG && !sig_first)
		sig_build(e, &r->sig.c);
	if (what & BOTH_LAYOUT && !layout_first)
		sig_set_layout(&r->sig);
}

/**
 * both_configure() - post a configuration, and wait for its completion
 * @r: the run
 * @what: BOTH_*, parts of the configuration
 *
 * Return: the errno of ib_wr_complete(), or -EIO if the work request fails.
 */
int both_configure(struct both_run *r, u32 what)
{
	struct t_end *e = &r->sig.p->end[0];
	int ret;

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED | IB_SEND_INLINE));
	both_build(r, what);
	ret = ib_wr_complete(dv_qpx(e));
	if (ret)
		return ret;
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/* whether the signatures cover the ciphertext; otherwise the signatures are encrypted */
static bool signs_ciphertext(const struct both_run *r)
{
	const bool after = r->order == MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX;

	return r->crypto.c.encrypt_on_tx == after;
}

/* the domain whose bytes are encrypted */
static const struct sig_dom *encrypted_domain(const struct both_run *r)
{
	return r->crypto.c.encrypt_on_tx ? &r->sig.c.wire : &r->sig.c.mem;
}

/**
 * both_unit_fits() - check whether XTS supports the length of the ciphertext
 * @r: the run
 *
 * Return: true if it does, according to mlx5dv_wr_set_mkey_crypto(3).
 */
bool both_unit_fits(const struct both_run *r)
{
	const u32 data = r->sig.c.data, unit = crypto_unit(r->crypto.c.unit);
	const struct sig_dom dom = sig_fit(&r->sig, encrypted_domain(r));
	const u32 len = signs_ciphertext(r) ? data : sig_bytes(&dom, data);
	const u32 rest = len % unit;

	return !rest || (!(len % 16) && rest >= 16 && rest <= unit - 16);
}

/*
 * Writes the bytes that the data have in a domain. Returns the number of bytes, or a
 * negative errno.
 */
static int encode(struct both_run *r, const struct sig_dom *dom, const u8 *data, u8 *out)
{
	const u32 n = r->sig.c.data;
	u32 len;

	if (dom != encrypted_domain(r))
		return sig_encode(dom, data, n, out);
	if (signs_ciphertext(r)) {
		memcpy(r->tmp, data, n);
		T_TRY(crypto_reference(&r->crypto.c, true, 0, r->tmp, n));
		return sig_encode(dom, r->tmp, n, out);
	}
	len = sig_encode(dom, data, n, out);
	T_TRY(crypto_reference(&r->crypto.c, true, 0, out, len));
	return len;
}

/**
 * both_make() - fill in the input and output bytes of r->sig
 * @r: the run
 * @to_memory: the wire is the input domain, else memory is
 * @seed: seed of the data
 *
 * Return: number of output bytes, or a negative errno.
 */
int both_make(struct both_run *r, bool to_memory, u32 seed)
{
	struct sig_run *s = &r->sig;
	/* the data are made in the peer's buffer, which is overwritten later */
	struct t_end *e = &s->p->end[1];
	int in;

	t_fill(e, 0, s->c.data, seed);
	in = encode(r, to_memory ? &s->c.wire : &s->c.mem, e->buf, s->in);
	if (in < 0)
		return in;
	s->in_len = in;
	return encode(r, to_memory ? &s->c.mem : &s->c.wire, e->buf, s->out);
}

/**
 * both_move() - move new data with valid signatures, and compare the received
 * bytes
 * @r: the run; the mkey is configured
 * @op: the operation
 * @seed: seed of the data
 *
 * Return: 0 or a negative errno.
 */
int both_move(struct both_run *r, enum move_op op, u32 seed)
{
	T_TRY(both_make(r, move_to_memory(op), seed));
	T_TRY(sig_move(&r->sig, op));
	T_TRY(sig_compare(&r->sig, op));
	return sig_check(&r->sig, MLX5DV_MKEY_NO_ERR, NULL);
}
