/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Suites about mkeys with signatures and encryption. End 0 has the mkey, end 1 plain memory.
 */
#ifndef MLX5DV_TEST_BOTH_H
#define MLX5DV_TEST_BOTH_H

#include "crypto.h"
#include "sig.h"

#define BOTH_BLOCKS	4	/* blocks of data in a transfer */

/* parts of a configuration */
#define BOTH_SIG	BIT(0)	/* signature attributes */
#define BOTH_CRYPTO	BIT(1)	/* crypto attributes */
#define BOTH_LAYOUT	BIT(2)	/* access and layout */
#define BOTH_RESET	BIT(3)	/* resets the signature attributes */
#define BOTH_ALL	(BOTH_SIG | BOTH_CRYPTO | BOTH_LAYOUT)

/**
 * struct both_run - mkey and buffers of a case
 * @sig: mkey, signatures and bytes of a transfer
 * @crypto: encryption of the same mkey; the pieces and the length in its
 *	configuration are not used
 * @order: signature_crypto_order of mlx5dv_crypto_attr
 * @tmp: buffer in memory of kmalloc()
 */
struct both_run {
	struct sig_run sig;
	struct crypto_run crypto;
	enum mlx5dv_signature_crypto_order order;
	u8 *tmp;
};

/* both_run.c */
extern const struct sig_dom both_dif, both_crc;

/**
 * struct dv_both_case - a case with an mkey for signatures and encryption, and with buffers
 * @run: runs the case
 */
struct dv_both_case {
	int (*run)(struct both_run *r);
};

int dv_both_run(struct t_pair *p);

/* DV_BOTH(name): entry of a table of cases, for the function @name */
#define DV_BOTH(name)							\
	{ #name, dv_both_run, &dv_wide_opts, &(const struct dv_both_case){ name } }

void both_build(struct both_run *r, u32 what);
int both_configure(struct both_run *r, u32 what);
bool both_unit_fits(const struct both_run *r);
int both_make(struct both_run *r, bool to_memory, u32 seed);
int both_move(struct both_run *r, enum move_op op, u32 seed);

#endif /* MLX5DV_TEST_BOTH_H */
