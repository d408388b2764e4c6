// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers of objects, including objects of other contexts and destroyed objects. A number slightly
 * above the last one may be the number of the next object of another thread, whose creation has not
 * returned yet.
 */
#include "fuzz.h"

static u32 number_at(enum kind kind, u32 i)
{
	return __atomic_load_n(&shared->numbers[kind][i], __ATOMIC_RELAXED);
}

void note_number(enum kind kind, u32 nr)
{
	u32 *of = shared->numbers[kind];
	u32 i = 1 + below(NUMBERS - 1);

	/* the first entry is the number that was assigned last */
	__atomic_store_n(&of[i], __atomic_load_n(&of[0], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	__atomic_store_n(&of[0], nr, __ATOMIC_RELAXED);
}

/* Set the number of the last object of a kind, which is already destroyed. */
void set_last(enum kind kind, u32 nr)
{
	__atomic_store_n(&shared->numbers[kind][0], nr, __ATOMIC_RELAXED);
}

/* Count an object of a kind that was created and destroyed without its number being read. */
void skip_number(enum kind kind)
{
	__atomic_add_fetch(&shared->numbers[kind][0], 1, __ATOMIC_RELAXED);
}

/* The number of the next object, unless others are created before it. */
u32 next_number(enum kind kind)
{
	return number_at(kind, 0) + 1 + (below(4) ? 0 : below(3));
}

/* A number, mostly of the given kind. */
u32 any_number(enum kind kind)
{
	u32 p = below(100);

	if (p < 70)
		return number_at(kind, below(NUMBERS));
	if (p < 88)
		return number_at(kind, 0) + 1 + below(3);
	if (p < 95)
		return number_at(below(KINDS), below(NUMBERS));
	return below(1 << 24);
}

/* A number of any kind. */
u32 random_number(void)
{
	return any_number(below(KINDS));
}
