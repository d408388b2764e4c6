// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers of objects, including objects of other contexts and destroyed objects. The device assigns
 * numbers in order. A number slightly above the last number may belong to an object that another
 * thread is just creating.
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

	/* entry 0 is the number that the device assigned last; a random entry gets the old value */
	__atomic_store_n(&of[i], __atomic_load_n(&of[0], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	__atomic_store_n(&of[0], nr, __ATOMIC_RELAXED);
}

/* Sets the number that the device assigned last; the object is already destroyed. */
void set_last(enum kind kind, u32 nr)
{
	__atomic_store_n(&shared->numbers[kind][0], nr, __ATOMIC_RELAXED);
}

/* Adds 1 to the last number: an object was created and destroyed, and its number was not read. */
void skip_number(enum kind kind)
{
	__atomic_add_fetch(&shared->numbers[kind][0], 1, __ATOMIC_RELAXED);
}

/* Return: mostly the number that the next object will get, else a slightly higher number */
u32 next_number(enum kind kind)
{
	return number_at(kind, 0) + 1 + (below(4) ? 0 : below(3));
}

/*
 * Return: mostly a stored number of @kind; else one of the next three numbers of @kind, a stored
 * number of any kind, or a random number
 */
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

/* Return: any_number() of a random kind */
u32 random_number(void)
{
	return any_number(below(KINDS));
}
