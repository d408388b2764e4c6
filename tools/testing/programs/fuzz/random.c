// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random numbers of a thread, and random changes to bytes.
 */
#include <string.h>

#include "fuzz.h"

static __thread u64 state = 1;

void seed_random(u64 seed)
{
	state = seed * 0x9e3779b97f4a7c15ull | 1;
	next_random();
}

/* xorshift64 */
u64 next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

u32 below(u32 n)
{
	return n ? (next_random() >> 16) % n : 0;
}

bool in_percent(unsigned int p)
{
	return below(100) < p;
}

static void mutate_once(u8 *data, size_t len)
{
	static const u8 values[] = { 0, 1, 2, 0x7f, 0x80, 0xfe, 0xff };
	size_t at = below(len), from = below(len), n = 1 + below(8);

	switch (below(4)) {
	case 0:
		data[at] ^= 1 << below(8);
		break;
	case 1:
		data[at] = values[below(sizeof(values))];
		break;
	case 2:
		data[at] = next_random();
		break;
	default:
		if (n > len - at)
			n = len - at;
		if (n > len - from)
			n = len - from;
		memmove(data + at, data + from, n);
	}
}

void mutate_bytes(void *data, size_t len)
{
	unsigned int n = 1 + below(3);

	while (len && n--)
		mutate_once(data, len);
}

/* Changes a command of DEVX. Returns its new length, at most @max_len. */
size_t mutate_command(u8 *cmd, size_t len, size_t max_len)
{
	static const u16 lens[] = { 0, 1, 15, 16, 17, 63, 64, 255, 256, 4096, 0xffff };

	if (in_percent(60))
		mutate_bytes(cmd, len < 64 || in_percent(50) ? len : 64);
	if (in_percent(10))
		len = lens[below(ARRAY_SIZE(lens))];
	else if (in_percent(10))
		len += below(64) - below(64);
	return len < max_len ? len : max_len;
}
