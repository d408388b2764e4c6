// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Encryption of mkeys: each combination of data unit, key size, direction, operation and layout,
 * compared with the kernel's cipher. Parameter of the module: crypto_every.
 */
#include <linux/module.h>

#include "crypto.h"

static unsigned int crypto_every = 1;
module_param(crypto_every, uint, 0644);
MODULE_PARM_DESC(crypto_every, "crypto_product tries one combination in so many");

#define UNITS		5
#define PRODUCT		(UNITS * 2 * 2 * 2 * 2 * MOVE_OPS)

/* sets the @n-th combination; the operation is not a part of it */
static void set_case(struct crypto_case *c, u32 n)
{
	const u32 unit = crypto_unit(n % UNITS);

	*c = (struct crypto_case){
		.unit = n % UNITS,
		.key_size = n / UNITS % 2,
		.encrypt_on_tx = n / UNITS / 2 % 2,
		.pieces = n / UNITS / 4 % 2 ? MOVE_PIECES : 1,
		.has_keytag = n / UNITS / 8 % 2,
		.tweak = { 0x1234567 + n, n % 3 ? 0 : ~0ull - n },
	};
	/*
	 * complete data units; or the last data unit is shorter, if possible by
	 * a multiple of the cipher block
	 */
	c->len = 3 * unit + (n & 1 ? 0 : unit / 2);
	if (c->len % unit)
		c->len &= ~15;
}

static int crypto_product(struct crypto_run *r)
{
	unsigned int n, cases = 0;

	for (n = 0; n < PRODUCT; n++) {
		if (n % crypto_every)
			continue;
		set_case(&r->c, n);
		T_TRY(crypto_new_dek(r));
		T_TRY(crypto_configure(r));
		T_TRY(crypto_move(r, n / (PRODUCT / MOVE_OPS), n));
		cases++;
	}
	t_log("cases %u mismatches 0\n", cases);
	return 0;
}

/* the tweak of later data units carries over from 64 bits, and wraps at 128 bits */
static int crypto_tweak(struct crypto_run *r)
{
	static const u64 tweaks[][2] = {
		{ ~0ull, 0 }, { ~0ull - 1, 0x0123456789abcdef }, { ~0ull, ~0ull }, { 0, ~0ull },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(tweaks); i++) {
		set_case(&r->c, 1);
		memcpy(r->c.tweak, tweaks[i], sizeof(r->c.tweak));
		T_TRY(crypto_new_dek(r));
		T_TRY(crypto_configure(r));
		T_TRY(crypto_move(r, MOVE_SEND, i));
		T_TRY(crypto_move(r, MOVE_WRITE_BY_PEER, i));
	}
	return 0;
}

/* one configuration is used by many transfers: each starts with the same tweak */
static int crypto_again(struct crypto_run *r)
{
	int i;

	set_case(&r->c, 3 + UNITS * 4);
	T_TRY(crypto_new_dek(r));
	T_TRY(crypto_configure(r));
	for (i = 0; i < 2 * MOVE_OPS; i++)
		T_TRY(crypto_move(r, i % MOVE_OPS, i));
	return 0;
}

/* a configuration without the crypto setter keeps the crypto attributes */
static int crypto_keep(struct crypto_run *r)
{
	set_case(&r->c, 0);
	T_TRY(crypto_new_dek(r));
	T_TRY(crypto_configure(r));
	r->c.pieces = MOVE_PIECES;
	T_TRY(crypto_configure_with(r, NULL));
	T_TRY(crypto_move(r, MOVE_READ_BY_PEER, 5));
	/* a configuration with the setter replaces the attributes */
	r->c.encrypt_on_tx = !r->c.encrypt_on_tx;
	r->c.tweak[0] += 99;
	T_TRY(crypto_new_dek(r));
	T_TRY(crypto_configure(r));
	return crypto_move(r, MOVE_SEND, 6);
}

/* a message that begins at the third data unit of the mkey */
static int crypto_offset(struct crypto_run *r)
{
	struct t_end *owner = &r->p->end[0], *e = &r->p->end[1];
	u32 unit;

	set_case(&r->c, 1 + UNITS * 2);
	r->c.pieces = 1;
	unit = crypto_unit(r->c.unit);
	T_TRY(crypto_new_dek(r));
	T_TRY(crypto_configure(r));
	t_fill(owner, MOVE_AT, r->c.len, 4);
	t_sync(owner);
	memcpy(r->out, owner->buf + MOVE_AT + 2 * unit, unit);
	T_TRY(crypto_reference(&r->c, r->c.encrypt_on_tx, 2, r->out, unit));
	T_EXPECT(crypto_read_by_peer(r, 2 * unit, unit), IB_WC_SUCCESS);
	t_sync(e);
	T_EXPECT(memcmp(e->buf + MOVE_FAR, r->out, unit), 0);
	return 0;
}

const struct t_case dv_crypto_cases[] = {
	DV_CRYPTO(crypto_product),
	DV_CRYPTO(crypto_tweak),
	DV_CRYPTO(crypto_again),
	DV_CRYPTO(crypto_keep),
	DV_CRYPTO(crypto_offset),
	{ }
};
