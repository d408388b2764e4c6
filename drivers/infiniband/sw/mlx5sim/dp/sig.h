/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The signature engine, and the ends of a transfer.
 */
#ifndef MLX5SIM_DP_SIG_H
#define MLX5SIM_DP_SIG_H

#include "dp/access.h"
#include "obj/sig.h"

/**
 * struct sim_guard - the calculation of the guard or CRC of one block
 * @dom: signatures of the domain
 * @crc: CRC so far
 * @sum: IP checksum so far
 * @off: bytes of data so far
 */
struct sim_guard {
	const struct sim_sig_domain *dom;
	u64 crc;
	__wsum sum;
	u32 off;
};

/* Syndromes of signature errors, with the values of mlx5_ib and libmlx5 */
#define SIM_SIGERR_REFTAG	BIT(11)
#define SIM_SIGERR_APPTAG	BIT(12)
#define SIM_SIGERR_GUARD	BIT(13)

/**
 * struct sim_sig_err - first signature error of a transfer
 * @mkey: key of the transfer; in sim_port.err, NULL if all signatures were
 *	valid
 * @psv: PSV of the domain
 * @memory: the domain is the memory, not the wire
 * @syndrome: SIM_SIGERR_*; 0 if no signature was wrong
 * @expected: signature that followed the data
 * @actual: signature calculated from the data
 * @offset: bytes of the domain from the start of the key to the block
 */
struct sim_sig_err {
	struct sim_mkey *mkey;
	struct sim_psv *psv;
	bool memory;
	u16 syndrome;
	u64 expected;
	u64 actual;
	u64 offset;
};

/**
 * struct sim_sig_side - one domain in a transfer
 * @dom: signatures of the domain
 * @seed: initial signature
 * @block: index of the current block, from the start of the key
 * @pos: bytes of data of the current block so far
 * @guard: calculation of the signature of the current block
 */
struct sim_sig_side {
	const struct sim_sig_domain *dom;
	u64 seed;
	u32 block;
	u32 pos;
	struct sim_guard guard;
};

/**
 * struct sim_sig - a stream of bytes from one domain of a key to the other
 * @bsf: signatures of the key
 * @in: domain of the input bytes
 * @out: domain of the output bytes
 * @check: signatures are checked
 * @in_len: bytes in @in_sig
 * @in_sig: signature being received
 * @checked: signatures that were compared
 * @generated: signatures that were written
 * @fed: bytes that were passed to sim_sig_spoil()
 * @spoil: 1 + index of the byte that a signature fault changes; 0 = no fault
 * @err: first error
 */
struct sim_sig {
	const struct sim_bsf *bsf;
	struct sim_sig_side in;
	struct sim_sig_side out;
	bool check;
	u32 in_len;
	u8 in_sig[SIM_SIG_MAX_LEN];
	u32 checked;
	u32 generated;
	u64 fed;
	u64 spoil;
	struct sim_sig_err err;
};

/* Largest number of bytes that sim_sig_feed() outputs for @n input bytes */
#define SIM_SIG_ROOM(n)		((n) + ((n) / 512 + 2) * SIM_SIG_MAX_LEN)

/**
 * struct sim_end - an end of a transfer
 * @sdev: simulated function
 * @qp: QP of @sdev
 * @seg: segment list that has passed sim_access_check()
 * @nseg: number of elements of @seg
 * @remote: the lengths in @seg count bytes on the wire; otherwise sim_sig_count
 *	defines the bytes that they count
 * @req: @qp is the requester
 */
struct sim_end {
	struct sim_dev *sdev;
	struct sim_qp *qp;
	const struct sim_seg *seg;
	u32 nseg;
	bool remote;
	bool req;
};

#endif /* MLX5SIM_DP_SIG_H */
