// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* freezing a queue returns flags of the memory allocator, and unfreezing takes them */
#include <linux/blk-mq.h>

void probe(struct request_queue *q);
void probe(struct request_queue *q)
{
	unsigned int memflags = blk_mq_freeze_queue(q);

	blk_mq_unfreeze_queue(q, memflags);
}
