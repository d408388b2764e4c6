// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The kernel has crc64_nvme(); the older name is crc64_rocksoft_generic() */
#include <linux/crc64.h>

u64 probe(const void *p, size_t len);
u64 probe(const void *p, size_t len)
{
	return crc64_nvme(0, p, len);
}
