// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* bio_inline_vecs(); older kernels have the member bi_inline_vecs */
#include <linux/bio.h>

struct bio_vec *probe(struct bio *bio);
struct bio_vec *probe(struct bio *bio)
{
	return bio_inline_vecs(bio);
}
