/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef FIRST_ULP_H
#define FIRST_ULP_H

#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#define FIRST_PORT	18600
#define FIRST_REQUESTS	8	/* highest number at a time */
#define FIRST_PAGES	32	/* lent by each request */
#define FIRST_BYTES	(FIRST_PAGES * PAGE_SIZE)

enum first_op {
	FIRST_STORE = 1,	/* the peer reads the memory */
	FIRST_FETCH,		/* the peer writes the data that it has read */
};

/* from the ULP to the peer: memory that the peer may access */
struct first_cmd {
	__be64 iova;
	__be32 rkey;
	__be32 length;
	__be32 op;
	__be32 slot;		/* number of the request */
};

/* from the peer to the ULP, in a SEND that invalidates the rkey */
struct first_answer {
	__be32 slot;
	__be32 crc;		/* of the data that the peer has */
};

/* memory that is mapped for DMA for the time of a connection */
struct first_buf {
	void *mem;
	u64 dma;
	size_t size;
	enum dma_data_direction dir;
};

static inline int first_buf_alloc(struct ib_device *dev, struct first_buf *buf, size_t size,
				  enum dma_data_direction dir)
{
	buf->mem = kzalloc(size, GFP_KERNEL);
	if (!buf->mem)
		return -ENOMEM;
	buf->size = size;
	buf->dir = dir;
	buf->dma = ib_dma_map_single(dev, buf->mem, size, dir);
	if (ib_dma_mapping_error(dev, buf->dma)) {
		kfree(buf->mem);
		buf->mem = NULL;
		return -ENOMEM;
	}
	return 0;
}

static inline void first_buf_free(struct ib_device *dev, struct first_buf *buf)
{
	if (!buf->mem)
		return;
	ib_dma_unmap_single(dev, buf->dma, buf->size, buf->dir);
	kfree(buf->mem);
	buf->mem = NULL;
}

#endif /* FIRST_ULP_H */
