// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: memory of the marks in live.h.
 */

#include <linux/atomic.h>
#include <linux/slab.h>

#include "wq/key_marks.h"

/**
 * ibx_live_add() - a key whose marks will be looked at
 * @live: marks
 * @key: of an mkey that was just created; it is not marked then
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM. There is nothing to undo when the key goes away.
 */
int ibx_live_add(struct ibx_live *live, u32 key)
{
	unsigned long **at = &live->piece[key >> (8 + IBX_LIVE_SHIFT)];
	unsigned long *piece;

	if (!READ_ONCE(*at)) {
		piece = kcalloc(BITS_TO_LONGS(BIT(IBX_LIVE_SHIFT)), sizeof(*piece), GFP_KERNEL);
		if (!piece)
			return -ENOMEM;
		/* zeroed before it is seen; somebody else may have been quicker */
		if (cmpxchg_release(at, NULL, piece))
			kfree(piece);
	}
	ibx_live_clear(live, key);
	return 0;
}

/**
 * ibx_live_exit() - free the marks
 * @live: marks, not used any more
 *
 * Context: may sleep.
 */
void ibx_live_exit(struct ibx_live *live)
{
	unsigned int i;

	for (i = 0; i < IBX_LIVE_PIECES; i++)
		kfree(live->piece[i]);
}
