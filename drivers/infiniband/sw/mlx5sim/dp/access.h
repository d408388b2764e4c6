/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Segments of memory, access rights, and the iterator over a segment list.
 */
#ifndef MLX5SIM_DP_ACCESS_H
#define MLX5SIM_DP_ACCESS_H

#include "obj/klm.h"
#include "obj/mkey.h"

/**
 * struct sim_seg - an element of a gather or scatter list
 * @va: address within @key
 * @key: memory key
 * @len: bytes, 1 to 2^31
 * @kmem: kernel address of the bytes, when they are inline in a WQE or device
 *     memory; else NULL
 */
struct sim_seg {
	u64 va;
	u32 key;
	u32 len;
	void *kmem;
};

/**
 * struct sim_acc - the requester of a memory access, and the required rights
 * @sdev: simulated function whose memory is accessed
 * @pdn: protection domain that the key must belong to
 * @any_pd: do not compare @pdn (REG_UMR QPs)
 * @qpn: number of the QP of the access
 * @rights: SIM_MKEY_* bits; the key must grant all bits
 * @local: requested by the driver of @sdev, so that a denial is a violation
 * @quiet: a denial is not recorded
 * @sig: keys with signatures or encryption are allowed
 */
struct sim_acc {
	struct sim_dev *sdev;
	u32 pdn;
	bool any_pd;
	u32 qpn;
	u8 rights;
	bool local;
	bool quiet;
	bool sig;
};

/**
 * struct sim_iter - an iterator over a segment list, span by span
 * @sdev: simulated function whose memory the list describes
 * @seg: current segment
 * @nseg: number of segments left, the current one included
 * @off: number of bytes of the current segment before the current position
 * @write: memory is written
 * @mkey: key of the current segment, NULL until it is looked up
 * @at: position of the last lookup in each level of indirect keys
 * @p: host memory of the current span
 * @bus: bus address of @p
 * @left: bytes left at @p
 */
struct sim_iter {
	struct sim_dev *sdev;
	const struct sim_seg *seg;
	u32 nseg;
	u32 off;
	bool write;
	const struct sim_mkey *mkey;
	struct sim_klm_pos at[SIM_MAX_INDIRECTION];
	u8 *p;
	u64 bus;
	u32 left;
};

enum sim_copy_result {
	SIM_COPIED,
	SIM_COPY_SRC,		/* the source could not be read */
	SIM_COPY_DST,		/* the destination could not be written */
};

#endif /* MLX5SIM_DP_ACCESS_H */
