// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mkeys with signatures and encryption. The cases combine each row of the table in
 * mlx5dv_wr_set_mkey_crypto(3) with types, sizes and operations, and compare the bytes with a
 * reference in software. Other cases have wrong signatures, with each order of signature and
 * encryption, or change either the signatures or the encryption. Parameter of the module:
 * both_every.
 */
#include <linux/module.h>

#include "both.h"

static unsigned int both_every = 1;
module_param(both_every, uint, 0644);
MODULE_PARM_DESC(both_every, "both_product tries one combination in so many");

#define AFTER	MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX
#define BEFORE	MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX

static const struct row {
	char name;
	bool mem;
	bool wire;
	bool encrypt_on_tx;
	enum mlx5dv_signature_crypto_order order;
} rows[] = {
	{ 'A', false, false, true, AFTER },
	{ 'B', false, true, true, AFTER },
	{ 'C', false, true, true, BEFORE },
	{ 'D', true, false, true, BEFORE },
	{ 'E', true, true, true, BEFORE },
	{ 'F', false, false, false, BEFORE },
	{ 'G', false, true, false, AFTER },
	{ 'H', true, false, false, AFTER },
	{ 'I', true, true, false, AFTER },
	{ 'J', true, false, false, BEFORE },
};

/* a combination: row, type of the signatures, size of blocks, data unit, operation */
#define SIZES		2
#define UNITS		5
#define PRODUCT		(ARRAY_SIZE(rows) * 2 * SIZES * UNITS * MOVE_OPS)

/* sets row @row with signatures of @type; if @mixed, signatures on the wire have the other type */
static void set_row(struct both_run *r, const struct row *row, int type, bool mixed)
{
	r->sig.c = (struct sig_case){ .check_mask = 0xff };
	if (row->mem)
		r->sig.c.mem = type ? both_crc : both_dif;
	if (row->wire)
		r->sig.c.wire = (type ^ mixed) ? both_crc : both_dif;
	r->order = row->order;
	r->crypto.c = (struct crypto_case){ .encrypt_on_tx = row->encrypt_on_tx };
}

static void set_sizes(struct both_run *r, enum mlx5dv_block_size block,
		      enum mlx5dv_block_size unit)
{
	r->sig.c.mem.size = block;
	r->sig.c.wire.size = block;
	r->sig.c.data = BOTH_BLOCKS * sig_block(&r->sig.c.mem);
	r->crypto.c.unit = unit;
}

/* sets the @n-th combination, and returns its operation */
static enum move_op set_case(struct both_run *r, u32 n)
{
	static const enum mlx5dv_block_size sizes[] = {
		MLX5DV_BLOCK_SIZE_512, MLX5DV_BLOCK_SIZE_4096,
	};
	const struct row *row = &rows[n % ARRAY_SIZE(rows)];
	u32 rest = n / ARRAY_SIZE(rows);

	set_row(r, row, rest % 2, rest % 3 == 0);
	rest /= 2;
	set_sizes(r, sizes[rest % SIZES], rest / SIZES % UNITS);
	r->crypto.c.key_size = n % 3 == 0;
	r->crypto.c.has_keytag = n % 4 == 0;
	r->crypto.c.tweak[0] = ~0ull - n % 7;
	r->crypto.c.tweak[1] = n;
	return rest / SIZES / UNITS;
}

static bool has_sig(const struct both_run *r)
{
	return r->sig.c.mem.on || r->sig.c.wire.on;
}

static int configure_all(struct both_run *r)
{
	T_TRY(crypto_new_dek(&r->crypto));
	return both_configure(r, has_sig(r) ? BOTH_ALL : BOTH_CRYPTO | BOTH_LAYOUT | BOTH_RESET);
}

static int both_product(struct both_run *r)
{
	u32 n, cases = 0, seen = 0;
	enum move_op op;

	for (n = 0; n < PRODUCT; n++) {
		op = set_case(r, n);
		if (n % both_every || !both_unit_fits(r))
			continue;
		T_TRY(configure_all(r));
		if (both_move(r, op, n))
			return T_FAIL("row %c, block %u, unit %u, operation %u",
				      rows[n % ARRAY_SIZE(rows)].name, sig_block(&r->sig.c.mem),
				      crypto_unit(r->crypto.c.unit), op);
		seen |= BIT(n % ARRAY_SIZE(rows));
		cases++;
	}
	T_EXPECT(seen, (1 << ARRAY_SIZE(rows)) - 1);
	t_log("cases %u mismatches 0\n", cases);
	return 0;
}

static int set_letter(struct both_run *r, char name, int type)
{
	set_row(r, &rows[name - 'A'], type, true);
	set_sizes(r, MLX5DV_BLOCK_SIZE_512, MLX5DV_BLOCK_SIZE_512);
	r->crypto.c.tweak[0] = name;
	return configure_all(r);
}

/*
 * A byte of block @index of the input is wrong. The message succeeds, and a guard
 * error is reported.
 */
static int spoil(struct both_run *r, enum move_op op, u32 index)
{
	const struct sig_dom *in = move_to_memory(op) ? &r->sig.c.wire : &r->sig.c.mem;
	const u32 step = sig_block(in) + sig_len(in);
	struct mlx5dv_sig_err err;

	T_TRY(both_make(r, move_to_memory(op), index));
	r->sig.in[index * step + 100] ^= 4;
	T_TRY(sig_move(&r->sig, op));
	T_TRY(sig_check(&r->sig, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, &err));
	T_EXPECT(err.offset, index * step);
	return sig_check_stopped(&r->sig);
}

/*
 * Changed ciphertext is detected in both orders: if the signatures are encrypted
 * too, the decryption of a changed cipher block is wrong.
 */
static int both_spoiled(struct both_run *r)
{
	static const struct {
		char name;
		enum move_op op;
	} cases[] = {
		{ 'B', MOVE_RECV }, { 'B', MOVE_WRITE_BY_PEER }, { 'C', MOVE_READ },
		{ 'C', MOVE_WRITE_BY_PEER }, { 'D', MOVE_SEND }, { 'E', MOVE_WRITE },
		{ 'E', MOVE_RECV }, { 'G', MOVE_WRITE_BY_PEER }, { 'H', MOVE_SEND },
		{ 'H', MOVE_READ_BY_PEER }, { 'I', MOVE_READ_BY_PEER }, { 'J', MOVE_WRITE },
		{ 'J', MOVE_READ_BY_PEER },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		T_TRY(set_letter(r, cases[i].name, i & 1));
		T_TRY(both_move(r, cases[i].op, 9));
		T_TRY(spoil(r, cases[i].op, i % BOTH_BLOCKS));
		/* a configuration of the signature or the crypto attributes arms the mkey again */
		T_TRY(both_configure(r, i & 1 ? BOTH_SIG : BOTH_CRYPTO));
		T_TRY(both_move(r, cases[i].op, i));
		T_TRY(spoil(r, cases[i].op, (i + 1) % BOTH_BLOCKS));
	}
	return 0;
}

/* attributes that a configuration does not set are kept */
static int both_keep(struct both_run *r)
{
	T_TRY(set_letter(r, 'E', 0));
	T_TRY(both_move(r, MOVE_WRITE, 1));
	r->crypto.c.tweak[1] = 0x1122334455667788;
	T_TRY(both_configure(r, BOTH_CRYPTO));
	T_TRY(both_move(r, MOVE_SEND, 2));
	r->sig.c.mem.dif.app_tag ^= 0x1234;
	r->sig.c.wire.crc.seed = 0;
	T_TRY(both_configure(r, BOTH_SIG));
	T_TRY(both_move(r, MOVE_READ_BY_PEER, 3));
	T_TRY(both_move(r, MOVE_WRITE_BY_PEER, 4));
	r->sig.c.data = 8 * 512;
	T_TRY(both_configure(r, BOTH_LAYOUT));
	T_TRY(both_move(r, MOVE_RECV, 5));
	/*
	 * a reset of the signature attributes keeps the encryption; the memory
	 * then has no signatures
	 */
	r->sig.c.mem.on = false;
	r->sig.c.wire.on = false;
	T_TRY(both_configure(r, BOTH_LAYOUT | BOTH_RESET));
	T_TRY(both_move(r, MOVE_WRITE, 6));
	r->sig.c.wire.on = true;
	T_TRY(both_configure(r, BOTH_SIG));
	return both_move(r, MOVE_WRITE, 7);
}

/*
 * A chain that is aborted does not change the attributes of the mkey: the next configuration keeps
 * the attributes that the mkey had before the chain.
 */
static int both_abort(struct both_run *r)
{
	struct t_end *e = &r->sig.p->end[0];

	T_TRY(set_letter(r, 'I', 1));
	T_TRY(dv_start(e, 0, IB_SEND_INLINE));
	r->crypto.c.tweak[1] = 77;
	both_build(r, BOTH_CRYPTO | BOTH_RESET);
	ib_wr_abort(dv_qpx(e));
	r->crypto.c.tweak[1] = 0;
	T_TRY(both_configure(r, BOTH_SIG));
	T_TRY(both_move(r, MOVE_READ, 1));
	T_TRY(dv_start(e, 0, IB_SEND_INLINE));
	both_build(r, BOTH_RESET);
	ib_wr_abort(dv_qpx(e));
	T_TRY(both_configure(r, BOTH_CRYPTO));
	return both_move(r, MOVE_SEND, 2);
}

/* one configuration is used by many transfers */
static int both_again(struct both_run *r)
{
	int i;

	T_TRY(set_letter(r, 'C', 1));
	for (i = 0; i < 2 * MOVE_OPS; i++)
		T_TRY(both_move(r, i % MOVE_OPS, i));
	return 0;
}

const struct t_case dv_both_cases[] = {
	DV_BOTH(both_product),
	DV_BOTH(both_spoiled),
	DV_BOTH(both_keep),
	DV_BOTH(both_abort),
	DV_BOTH(both_again),
	{ }
};
