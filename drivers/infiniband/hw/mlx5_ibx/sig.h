/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: structures of block signatures; no prototypes.
 *
 * The device keeps the attributes of a signature mkey in its BSF (byte stream format), and
 * the running signature of each domain in a PSV (protection signature value).
 * The UMR of a configuration writes the BSF. A SET_PSV WQE behind the UMR
 * writes each PSV.
 */
#ifndef MLX5_IBX_SIG_H
#define MLX5_IBX_SIG_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/mlx5dv_sig.h>

struct ibx_both;
struct ibx_dev;
struct mlx5_core_sig_ctx;

/* index of a domain; the PSV of the memory domain is set first */
enum ibx_sig_domain {
	IBX_SIG_MEM,
	IBX_SIG_WIRE,
	IBX_SIG_DOMAINS,
};

/* syndrome in the CQE of a signature error; several bits may be set */
#define IBX_SIGERR_REF_TAG	BIT(11)
#define IBX_SIGERR_APP_TAG	BIT(12)
#define IBX_SIGERR_GUARD	BIT(13)

/**
 * enum ibx_sig_kind - bytes of the signature of a domain
 * @IBX_SIG_NONE: no signature
 * @IBX_SIG_T10DIF: 2 bytes of guard, 2 of application tag, 4 of reference tag
 * @IBX_SIG_CRC4: 4 bytes of CRC
 * @IBX_SIG_CRC8: 8 bytes of CRC
 */
enum ibx_sig_kind {
	IBX_SIG_NONE,
	IBX_SIG_T10DIF,
	IBX_SIG_CRC4,
	IBX_SIG_CRC8,
};

/**
 * struct ibx_sig_state - signature attributes of an mkey after the last configuration
 * @start: values of the PSVs at the start of a transfer
 * @length: bytes of the layout
 * @errs: value of ibx_sig.errs that the last configuration acknowledged; 0
 *	before the first configuration
 * @confs: number of configurations with signature attributes, modulo 2^32
 * @kind: enum ibx_sig_kind of each domain; IBX_SIG_NONE uses no PSV
 * @on: the mkey has signature attributes
 * @several: the mkey was configured again without ibx_sig_take_error() in
 *	between (wq/sig.c)
 */
struct ibx_sig_state {
	u64 start[IBX_SIG_DOMAINS];
	u64 length;
	u32 errs;
	u32 confs;
	u8 kind[IBX_SIG_DOMAINS];
	bool on;
	bool several;
};

/**
 * struct ibx_sig_foreign - source of the signature errors of a device of mlx5_ib
 * @dev: companion of the device
 * @ctx: where mlx5_ib stores the errors of the mkey
 * @seen: number of errors that were read from @ctx, modulo 2^32; ibx_sig.lock
 *	protects it
 */
struct ibx_sig_foreign {
	const struct ibx_dev *dev;
	struct mlx5_core_sig_ctx *ctx;
	u32 seen;
};

/**
 * struct ibx_sig - block signatures of an mkey
 * @state: attributes after the last configuration, which an open chain may
 *	contain
 * @undo: @state before the open chain
 * @chain: send queue whose open chain configures the mkey, or NULL
 * @next: next mkey of that chain
 * @psv: numbers of the PSVs
 * @caps: signatures that the device supports
 * @both: BSFs of an mkey that has encryption too, or NULL
 * @foreign: source of the errors of a device of mlx5_ib, or NULL
 * @is_special: @both or @foreign is not NULL: one test in each configuration
 * @errs: one more than the number of errors that the device reported, modulo 2^32
 * @checked: value of state.confs at the last ibx_sig_take_error()
 * @mixed: configurations of different kinds were built without
 *	ibx_sig_take_error() in between: the kind of an error is not known. Set
 *	before state.kind changes
 * @lock: protects the error
 * @err: first error since mlx5dv_mkey_check() was called
 * @has_err: an error is stored
 * @bad_err: the meaning of the stored error is not known: @err is not valid
 * @rcu: frees the structure after a grace period, because polling looks it up
 */
struct ibx_sig {
	struct ibx_sig_state state;
	struct ibx_sig_state undo;
	struct ibx_wr *chain;
	struct ibx_sig *next;
	u32 psv[IBX_SIG_DOMAINS];
	const struct mlx5dv_sig_caps *caps;
	struct ibx_both *both;
	struct ibx_sig_foreign *foreign;
	bool is_special;
	atomic_t errs;
	u32 checked;
	bool mixed;
	spinlock_t lock;	/* the error */
	struct mlx5dv_mkey_err err;
	bool has_err;
	bool bad_err;
	struct rcu_head rcu;
};

#endif /* MLX5_IBX_SIG_H */
