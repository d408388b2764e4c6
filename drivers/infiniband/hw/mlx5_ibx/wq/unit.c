// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: mkeys with encryption and without signatures, in open chains.
 *
 * One configuration may set the layout and another the crypto attributes; the
 * layout must not be longer than the attributes permit. So the driver records
 * for each mkey the length of the layout and the longest permitted length. A
 * configuration changes these lengths while its chain is open. The first
 * configuration of an mkey in a chain saves the old lengths, which are restored
 * if the chain is dropped. An mkey is part of one open chain at a time.
 */
#include "wq/wq.h"

/**
 * ibx_unit_join() - make an mkey with encryption part of an open chain
 * @wr: send queue that the caller has open
 * @unit: lengths of the mkey; its state may be changed after success
 *
 * Context: the lock of the ring is held.
 * Return: 0; -EBUSY if the mkey is part of the open chain of another send queue.
 */
int ibx_unit_join(struct ibx_wr *wr, struct ibx_unit *unit)
{
	struct ibx_wr *chain = READ_ONCE(unit->chain);

	lockdep_assert_held(&wr->chain.sq->lock);
	if (chain == wr)
		return 0;
	/* pairs with smp_store_release() in ibx_units_leave() */
	if (chain || cmpxchg_acquire(&unit->chain, NULL, wr))
		return -EBUSY;
	unit->undo = unit->state;
	unit->next = wr->units;
	wr->units = unit;
	wr->todo |= IBX_TODO_UNITS;
	return 0;
}

/**
 * ibx_units_leave() - remove mkeys with encryption from a chain that ends
 * @wr: send queue that the caller has open
 * @posted: true: the chain is about to be posted, and the new states stay;
 *	false: the chain was dropped, and the old states are restored
 *
 * Context: the lock of the ring is held.
 */
void ibx_units_leave(struct ibx_wr *wr, bool posted)
{
	struct ibx_unit *unit, *next;

	lockdep_assert_held(&wr->chain.sq->lock);
	for (unit = wr->units; unit; unit = next) {
		next = unit->next;
		if (!posted)
			unit->state = unit->undo;
		/*
		 * pairs with cmpxchg_acquire() in ibx_unit_join(): the next
		 * chain reads the new state
		 */
		smp_store_release(&unit->chain, NULL);
	}
	wr->units = NULL;
}
