/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: which mkeys may be registered.
 *
 * An SG_GAPS MR has two mkeys, of which the map picks one. The device refuses
 * to register a key that is not free, but it knows nothing of pairs: of an MR
 * that is mapped and registered again without an invalidation in between, both
 * keys would be open if the map picks the other one. So a key is marked here
 * when its registration is posted, unmarked when its invalidation is posted or
 * a peer's arrives, and registering one of a pair is refused while the other is
 * marked.
 *
 * The map itself is no place to refuse: iSER maps while the old registration is
 * still there, and posts its invalidation in one chain with the new one.
 *
 * Doubt counts as registered. A registration or an invalidation that completes
 * in error marks its key, whatever happened to it; invalidating a key, which the
 * device also does to a free one, clears the doubt. WRs that vanish without a
 * completion, because their QP went to RESET, are taken for executed.
 *
 * All that LOCAL_INV and the completion of a SEND with invalidate have is the
 * number of a key. So this is one bit per number, in pieces that exist only
 * where an SG_GAPS MR has a key: no lookup, no lifetimes, no lock. A key of
 * another kind of MR may be marked, which nobody looks at.
 */
#ifndef MLX5_IBX_LIVE_H
#define MLX5_IBX_LIVE_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include "dev.h"

int ibx_live_add(struct ibx_live *live, u32 key);
void ibx_live_exit(struct ibx_live *live);

static inline unsigned long *ibx_live_piece(const struct ibx_live *live, u32 key)
{
	/* pairs with the release in ibx_live_add() */
	return smp_load_acquire(&live->piece[key >> (8 + IBX_LIVE_SHIFT)]);
}

static inline unsigned int ibx_live_bit(u32 key)
{
	return (key >> 8) & (BIT(IBX_LIVE_SHIFT) - 1);
}

/* is this key marked? */
static inline bool ibx_live_test(const struct ibx_live *live, u32 key)
{
	const unsigned long *piece = ibx_live_piece(live, key);

	return piece && test_bit(ibx_live_bit(key), piece);
}

static inline void ibx_live_mark(struct ibx_live *live, u32 key)
{
	unsigned long *piece = ibx_live_piece(live, key);

	if (piece)
		set_bit(ibx_live_bit(key), piece);
}

/* a key of whatever MR; writes nothing if it is not marked */
static __always_inline void ibx_live_clear(struct ibx_live *live, u32 key)
{
	unsigned long *piece = ibx_live_piece(live, key);

	if (unlikely(piece) && test_bit(ibx_live_bit(key), piece))
		clear_bit(ibx_live_bit(key), piece);
}

#endif /* MLX5_IBX_LIVE_H */
