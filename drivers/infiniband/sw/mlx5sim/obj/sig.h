/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Signatures of a memory key: the two domains that a BSF describes, and PSVs.
 *
 * A domain is the memory of the key, or the wire. A domain has either no
 * signatures, or a signature after each block of data. <linux/mlx5/qp.h>
 * defines the BSF of T10-DIF; the selectors of CRCs are defined in libmlx5.
 */
#ifndef MLX5SIM_OBJ_SIG_H
#define MLX5SIM_OBJ_SIG_H

#include <linux/types.h>

#include "obj/objects.h"

enum sim_sig_type {
	SIM_SIG_NONE,
	SIM_SIG_T10DIF,		/* guard, application tag, reference tag */
	SIM_SIG_CRC32,
	SIM_SIG_CRC32C,
	SIM_SIG_CRC64,		/* XP10 */
};

#define SIM_BSF_SIZE		64	/* bytes of a BSF, of signatures or crypto */
#define SIM_SIG_MAX_LEN		8	/* bytes of the longest signature */

/**
 * struct sim_sig_domain - the signatures of one domain
 * @type: type of the signatures
 * @block: bytes of data before each signature
 * @psv: number of the PSV with the initial signature
 * @csum: the guard of T10-DIF is the IP checksum, not the CRC
 * @ref_inc: the reference tag grows by one with each block
 * @app_escape: a block with application tag ffff is not checked
 * @ref_escape: a block with application tag ffff and reference tag ffffffff is
 *	not checked
 * @app_mask: bits of the application tag that are checked
 */
struct sim_sig_domain {
	enum sim_sig_type type;
	u16 block;
	u32 psv;
	bool csum;
	bool ref_inc;
	bool app_escape;
	bool ref_escape;
	u16 app_mask;
};

/**
 * struct sim_bsf - signatures of a memory key, decoded
 * @mem: domain of the memory
 * @wire: domain of the wire
 * @check_mask: bytes of the received signature that are checked, bit 7 the most
 *	significant byte
 * @copy_mask: bytes of the received signature that are copied to the other
 *	domain; 0 unless both have the same structure
 * @raw_size: length limit of the key in bytes of data, without signatures
 */
struct sim_bsf {
	struct sim_sig_domain mem;
	struct sim_sig_domain wire;
	u8 check_mask;
	u8 copy_mask;
	u32 raw_size;
};

/**
 * struct sim_psv - the initial signature of a domain
 * @obj: obj.id is the number
 * @pd: protection domain
 * @sig: initial signature, in the format of SET_PSV
 * @error: a check has failed; no signature is checked until SET_PSV
 */
struct sim_psv {
	struct sim_obj obj;
	struct sim_pd *pd;
	u64 sig;
	bool error;
};

/* Bytes of a signature. */
static inline u32 sim_sig_len(enum sim_sig_type type)
{
	switch (type) {
	case SIM_SIG_T10DIF:
	case SIM_SIG_CRC64:
		return 8;
	case SIM_SIG_CRC32:
	case SIM_SIG_CRC32C:
		return 4;
	default:
		return 0;
	}
}

#endif /* MLX5SIM_OBJ_SIG_H */
