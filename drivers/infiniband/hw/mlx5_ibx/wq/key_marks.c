// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
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

#include <linux/atomic.h>
#include <linux/slab.h>

#include "wq/wq.h"

/**
 * ibx_key_mark_add() - a key whose marks will be looked at
 * @marks: marks
 * @key: of an mkey that was just created; it is not marked then
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM. There is nothing to undo when the key goes away.
 */
int ibx_key_mark_add(struct ibx_key_marks *marks, u32 key)
{
	unsigned long **at = &marks->piece[key >> (8 + IBX_KEY_MARK_SHIFT)];
	unsigned long *piece;

	if (!READ_ONCE(*at)) {
		piece = kcalloc(BITS_TO_LONGS(BIT(IBX_KEY_MARK_SHIFT)), sizeof(*piece), GFP_KERNEL);
		if (!piece)
			return -ENOMEM;
		/* zeroed before it is seen; somebody else may have been quicker */
		if (cmpxchg_release(at, NULL, piece))
			kfree(piece);
	}
	ibx_key_mark_clear(marks, key);
	return 0;
}

/**
 * ibx_key_marks_exit() - free the marks
 * @marks: marks, not used any more
 *
 * Context: may sleep.
 */
void ibx_key_marks_exit(struct ibx_key_marks *marks)
{
	unsigned int i;

	for (i = 0; i < IBX_KEY_MARK_PIECES; i++)
		kfree(marks->piece[i]);
}
