// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* struct bvec_iter has bi_offset; the older name is bi_bvec_done */
#include <linux/bvec.h>

unsigned int probe(const struct bvec_iter *iter);
unsigned int probe(const struct bvec_iter *iter)
{
	return iter->bi_offset;
}
