/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: structures of the mkey configuration that a send queue is building;
 * no prototypes.
 */
#ifndef MLX5_IBX_CONF_H
#define MLX5_IBX_CONF_H

#include <linux/build_bug.h>
#include <linux/mlx5/qp.h>
#include <linux/types.h>

#include "sig.h"

/**
 * struct ibx_crypto_bsf - crypto attributes of an mkey in the format of the
 * device, from wqe.h in providers/mlx5 of rdma-core
 * @size_type: size and type of the BSF
 * @order: domain with the ciphertext, and order of signatures and encryption
 * @rsvd0: 0
 * @standard: cipher
 * @raw_size: bytes that the mkey may move
 * @unit: code of the size of data units
 * @rsvd1: 0
 * @tweak: tweak of the first data unit
 * @dekn: number of the DEK
 * @rsvd2: 0
 * @keytag: keytag of the DEK
 * @rsvd3: 0
 */
struct ibx_crypto_bsf {
	u8 size_type;
	u8 order;
	u8 rsvd0;
	u8 standard;
	__be32 raw_size;
	u8 unit;
	u8 rsvd1[7];
	u8 tweak[16];
	__be32 dekn;
	u8 rsvd2[4];
	u8 keytag[8];
	u8 rsvd3[16];
};

static_assert(sizeof(struct ibx_crypto_bsf) == sizeof(struct mlx5_bsf));

/**
 * struct ibx_mkey_has - attributes with which an mkey was created, for builders
 * @max_entries: number of entries that the mkey has space for
 * @flags: MLX5DV_MKEY_INIT_ATTR_FLAGS_*
 */
struct ibx_mkey_has {
	u32 max_entries;
	u32 flags;
};

/**
 * struct ibx_sig_set - signature attributes that a configuration sets
 * @bsf: BSF of the mkey
 * @start: see struct ibx_sig_state
 * @kind: see struct ibx_sig_state
 */
struct ibx_sig_set {
	struct mlx5_bsf bsf;
	u64 start[IBX_SIG_DOMAINS];
	u8 kind[IBX_SIG_DOMAINS];
};

/**
 * struct ibx_unit_state - lengths of an mkey with encryption and without signatures
 * @length: bytes of the layout after the last configuration
 * @limit: bytes of the longest layout that the crypto attributes permit; 0
 *	without crypto attributes
 */
struct ibx_unit_state {
	u64 length;
	u32 limit;
};

/**
 * struct ibx_unit - an mkey with encryption and without signatures (wq/unit.c)
 * @state: lengths after the last configuration, which an open chain may contain
 * @undo: @state before the open chain
 * @chain: send queue whose open chain configures the mkey, or NULL
 * @next: next mkey of that chain
 */
struct ibx_unit {
	struct ibx_unit_state state;
	struct ibx_unit_state undo;
	struct ibx_wr *chain;
	struct ibx_unit *next;
};

/**
 * struct ibx_wr_conf - an mkey configuration that is being built
 * @seg: mkey context segment of its WQE
 * @has: attributes with which the mkey was created
 * @sig: signatures of the mkey, or NULL
 * @unit: lengths of an mkey with encryption and without signatures, or NULL
 * @inlined: wr_flags had IB_SEND_INLINE in the builder: the layout is in the
 *	WQE
 * @sig_reset: the signature attributes are reset
 * @sig_set: the signature attributes are set to @sig_attrs
 * @crypto_set: the crypto attributes are set to @crypto_bsf. Like @sig_reset
 *	and @sig_set, false unless a configuration is being built
 * @sig_attrs: signature attributes
 * @crypto_unit: bytes of the longest layout with @crypto_bsf; 0 without a limit
 * @crypto_dek: serial number of the DEK
 * @crypto_bsf: crypto BSF of the mkey
 */
struct ibx_wr_conf {
	struct mlx5_mkey_seg *seg;
	struct ibx_mkey_has has;
	struct ibx_sig *sig;
	struct ibx_unit *unit;
	bool inlined;
	bool sig_reset;
	bool sig_set;
	bool crypto_set;
	struct ibx_sig_set sig_attrs;
	u32 crypto_unit;
	unsigned long crypto_dek;
	struct ibx_crypto_bsf crypto_bsf;
};

/**
 * struct ibx_both_state - BSFs of an mkey with signatures and encryption, kept
 *	because a configuration that changes one BSF writes both BSFs
 * @sig: BSF of the signatures; without domains if the mkey has no signature
 *	attributes
 * @crypto: crypto BSF
 * @dek: serial number of the DEK of @crypto
 * @unit: bytes of the longest layout with @crypto; 0 without a limit
 * @on: the mkey has crypto attributes: @crypto, @dek and @unit are valid
 */
struct ibx_both_state {
	struct mlx5_bsf sig;
	struct ibx_crypto_bsf crypto;
	unsigned long dek;
	u32 unit;
	bool on;
};

/**
 * struct ibx_both - state of an mkey with both signatures and encryption
 * @state: BSFs after the last configuration, which an open chain may contain
 * @undo: @state before the open chain
 */
struct ibx_both {
	struct ibx_both_state state;
	struct ibx_both_state undo;
};

/**
 * enum ibx_wr_todo - duties of ib_wr_complete() in addition to posting
 * @IBX_TODO_INV: the chain has local invalidations
 * @IBX_TODO_SIGS: the chain has configurations of signature mkeys
 * @IBX_TODO_UNITS: the chain has configurations of mkeys with encryption and
 *	without signatures
 * @IBX_TODO_BACKEND: the chain of a stand-in is posted to its QP
 */
enum ibx_wr_todo {
	IBX_TODO_INV	= BIT(0),
	IBX_TODO_SIGS	= BIT(1),
	IBX_TODO_UNITS	= BIT(2),
	IBX_TODO_BACKEND = BIT(3),
};

#endif /* MLX5_IBX_CONF_H */
