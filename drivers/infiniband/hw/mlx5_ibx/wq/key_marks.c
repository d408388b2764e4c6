// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: marks of keys that may be registered.
 *
 * An SG_GAPS MR has two mkeys, and each map picks one. The device refuses to
 * register an mkey that is not free, but it does not relate the two mkeys of an
 * MR. If an MR is mapped and registered twice without an invalidation in between,
 * and the second map picks the other mkey, both mkeys would be valid. So a key is
 * marked when its registration is posted. The mark is cleared when an invalidation
 * of the key is posted, or the completion of a SEND with invalidate is polled. A
 * registration is refused while the other key of its MR is marked.
 *
 * A map does not check marks, because iSER maps an MR while the old
 * registration is still valid, and then posts the invalidation of the old
 * registration in one chain with the new registration.
 *
 * A key whose state is unknown counts as registered: a registration or an
 * invalidation that completes in error marks its key. An invalidation clears the
 * mark; the device accepts the invalidation of a free mkey, too. WRs without a
 * completion, because their QP entered RESET, count as executed.
 *
 * LOCAL_INV and the completion of a SEND with invalidate contain only a key,
 * not an MR. So the marks are bits by mkey index, in pieces: a piece is
 * allocated when an SG_GAPS MR gets a key in its range. There is no lookup, no
 * reference count and no lock. A key of another kind of MR may be marked; that
 * mark is never tested.
 */

#include <linux/atomic.h>
#include <linux/slab.h>

#include "wq/wq.h"

/**
 * ibx_key_mark_add() - allocate and clear the mark of a key
 * @marks: marks of all keys
 * @key: key of an mkey that was just created
 *
 * The mark needs no release when the mkey is destroyed.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ibx_key_mark_add(struct ibx_key_marks *marks, u32 key)
{
	unsigned long **at = &marks->piece[key >> (8 + IBX_KEY_MARK_SHIFT)];
	unsigned long *piece;

	if (!READ_ONCE(*at)) {
		piece = kcalloc(BITS_TO_LONGS(BIT(IBX_KEY_MARK_SHIFT)), sizeof(*piece), GFP_KERNEL);
		if (!piece)
			return -ENOMEM;
		/*
		 * zeroes before the pointer: pairs with smp_load_acquire() in
		 * ibx_key_mark_piece(). If another caller was first, its piece
		 * stays
		 */
		if (cmpxchg_release(at, NULL, piece))
			kfree(piece);
	}
	ibx_key_mark_clear(marks, key);
	return 0;
}

/**
 * ibx_key_marks_exit() - free the marks
 * @marks: marks of all keys, not used any more
 *
 * Context: may sleep.
 */
void ibx_key_marks_exit(struct ibx_key_marks *marks)
{
	unsigned int i;

	for (i = 0; i < IBX_KEY_MARK_PIECES; i++)
		kfree(marks->piece[i]);
}
