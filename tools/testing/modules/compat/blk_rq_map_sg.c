// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * blk_rq_map_sg() has no argument for the queue, and requests are always merged
 */
#include <linux/blk-mq.h>

int probe(struct request *rq, struct scatterlist *sgl);
int probe(struct request *rq, struct scatterlist *sgl)
{
	return blk_rq_map_sg(rq, sgl);
}
