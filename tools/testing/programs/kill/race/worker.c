// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random numbers of a thread, and its handling of calls that fail.
 */
#include <stdlib.h>
#include <string.h>

#include "race.h"

int *acted;

u64 mix(u64 *state)
{
	u64 x = *state += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

u32 draw(struct worker *w, u32 below)
{
	return mix(&w->state) % below;
}

bool is_gone(void)
{
	return __atomic_load_n(acted, __ATOMIC_SEQ_CST);
}

/* Called after a failed call: ends the program unless the device was removed. Return: false */
bool failed(const char *what)
{
	if (!is_gone())
		die("%s: %s", what, strerror(errno));
	return false;
}
