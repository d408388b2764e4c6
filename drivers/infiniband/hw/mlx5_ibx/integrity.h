/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: structures of INTEGRITY MRs; no prototypes.
 *
 * An INTEGRITY MR has a signature mkey, with a BSF and two PSVs. Consumers use
 * its key. Its layout is one range for data without protection information, or
 * a repeat block that takes a block of data and 8 bytes of protection
 * information in turn. If data and protection information have one element
 * each, the layout refers to memory by bus address. Otherwise the layout refers
 * to a list: a second mkey of all elements, first the elements of data. The
 * list is an SG_GAPS MR that is registered together with the signature mkey.
 */
#ifndef MLX5_IBX_INTEGRITY_H
#define MLX5_IBX_INTEGRITY_H

#include "ibx.h"

/* bytes of protection information of a block: T10-DIF is the only kind */
#define IBX_PI_BYTES		8

/**
 * struct ibx_pi_span - data or protection information of the last map
 * @addr: address of the first byte, under ibx_pi.lkey
 * @length: bytes
 */
struct ibx_pi_span {
	u64 addr;
	u32 length;
};

/**
 * struct ibx_pi - an INTEGRITY MR
 * @list: mkeys and list of all elements
 * @sig: signatures of the signature mkey
 * @key: key of the signature mkey, with its variant at creation
 * @data: data; of length 0 before a map
 * @meta: protection information; of length 0 if it is not in separate memory
 * @lkey: key of the memory of @data and @meta
 * @listed: @lkey is a key of @list
 */
struct ibx_pi {
	struct ibx_mr list;
	struct ibx_sig *sig;
	u32 key;
	struct ibx_pi_span data;
	struct ibx_pi_span meta;
	u32 lkey;
	bool listed;
};

#endif /* MLX5_IBX_INTEGRITY_H */
