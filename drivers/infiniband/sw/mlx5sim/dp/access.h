/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Segments of memory, accesses to them, and the iterator that walks a list of them.
 */
#ifndef MLX5SIM_DP_ACCESS_H
#define MLX5SIM_DP_ACCESS_H

#include "obj/klm.h"
#include "obj/objects.h"

/**
 * struct sim_seg - a piece of a gather or scatter list
 * @va: address within @key
 * @key: memory key
 * @len: bytes, 1 to 2^31
 * @kmem: the bytes themselves, when they are inline in a WQE or the device's own
 */
struct sim_seg {
	u64 va;
	u32 key;
	u32 len;
	void *kmem;
};

/**
 * struct sim_acc - who wants to access memory, and how
 * @sdev: the function whose memory it is
 * @pdn: protection domain of whoever asks
 * @any_pd: @pdn is not compared (REG_UMR QPs)
 * @qpn: QP that asks
 * @rights: SIM_MKEY_* all of which the key must grant
 * @local: asked by the function's own driver, so a breach is a violation
 */
struct sim_acc {
	struct sim_dev *sdev;
	u32 pdn;
	bool any_pd;
	u32 qpn;
	u8 rights;
	bool local;
};

/**
 * struct sim_iter - walks a list of segments piece by piece
 * @sdev: the function whose memory it is
 * @seg: current segment
 * @nseg: segments left, the current one included
 * @off: bytes of the current segment already handed out
 * @write: memory is written
 * @mkey: key of the current segment, NULL when not looked up yet
 * @at: where the last lookup ended, on each level of indirect keys
 * @p: the piece at hand
 * @bus: bus address of @p
 * @left: bytes left in @p
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
