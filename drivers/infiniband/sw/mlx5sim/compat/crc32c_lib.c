// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* crc32c() is in the CRC library, which does not call the crypto API */
#include <linux/crc32.h>

u32 probe(const void *p, size_t len);
u32 probe(const void *p, size_t len)
{
	return crc32c(~0, p, len);
}
