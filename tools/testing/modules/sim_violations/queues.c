// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbell records and rings with invalid values, and memory that is not mapped
 * for the access that a WQE requests.
 */
#include <linux/delay.h>

#include "sim_violations.h"

static void v_nops(struct v_set *s, int n)
{
	while (n--)
		v_wqe(s, MLX5_OPCODE_NOP, 1);
	v_ring_sq(s);
}

static int v_wait_nops(struct v_set *s, int n)
{
	struct mlx5_cqe64 cqe;
	int ret;

	while (n--) {
		ret = v_wait_cqe(s, &cqe);
		if (ret)
			return ret;
		if (cqe.op_own >> 4 != MLX5_CQE_REQ)
			return -EPROTO;
	}
	return 0;
}

/* The device does not report these errors to the driver: wait until it has processed them. */
static int v_unanswered(void)
{
	msleep(300);
	return 0;
}

/* one completion more than the CQ has entries, while the consumer index stays 0 */
static int cq_overrun(struct v_set *s)
{
	v_nops(s, (1 << V_LOG_CQ) + 1);
	return v_wait_nops(s, 1 << V_LOG_CQ) ?: v_unanswered();
}

/* the consumer index is beyond the CQEs that exist */
static int cq_consumer(struct v_set *s)
{
	s->scq.db.db[0] = cpu_to_be32(100);
	v_nops(s, (1 << V_LOG_CQ) + 1);
	return v_wait_nops(s, 1 << V_LOG_CQ) ?: v_unanswered();
}

static int sq_counter(struct v_set *s)
{
	s->qp.db.db[MLX5_SND_DBR] = cpu_to_be32((1 << V_LOG_SQ) + 1);
	return v_unanswered();
}

/* A SEND of the QP to itself, which makes the device read the receive queue */
static void v_send(struct v_set *s)
{
	void *wqe = v_wqe(s, MLX5_OPCODE_SEND, 2);

	v_data_seg(wqe + 16, 64, s->mkey, s->dma);
	v_ring_sq(s);
}

static int rq_counter(struct v_set *s)
{
	struct mlx5_cqe64 cqe;

	s->qp.db.db[MLX5_RCV_DBR] = cpu_to_be32((1 << V_LOG_RQ) + 1);
	wmb(); /* the record before the message that makes the device read it */
	v_send(s);
	return v_wait_cqe(s, &cqe);
}

/* the next index of an SRQ WQE is beyond the ring */
static int srq_list(struct v_set *s)
{
	struct mlx5_wqe_srq_next_seg *next = s->srq.va;
	struct mlx5_cqe64 cqe;

	next->next_wqe_index = cpu_to_be16(7);
	wmb(); /* the chain before the message that follows it */
	v_send(s);
	return v_wait_cqe(s, &cqe);
}

/* not a violation: reserved bytes of an SRQ WQE are set, which the device ignores and counts */
static int ignored(struct v_set *s)
{
	struct mlx5_wqe_srq_next_seg *next = s->srq.va;
	struct mlx5_cqe64 cqe;
	int ret;

	memset(next->rsvd1, 0x5a, sizeof(next->rsvd1));
	wmb(); /* the chain before the message that follows it */
	v_send(s);
	ret = v_wait_cqe(s, &cqe);
	return ret ? ret : cqe.op_own >> 4 == MLX5_CQE_REQ ? 0 : -EPROTO;
}

static int dma_unmapped(struct v_set *s)
{
	struct mlx5_cqe64 cqe;
	int ret;

	v_write_wqe(s, s->mkey, V_NO_ADDR, 64, s->dma);
	ret = v_wait_cqe(s, &cqe);
	return ret ? ret : cqe.op_own >> 4 == MLX5_CQE_REQ_ERR ? 0 : -EPROTO;
}

/* the target of a WRITE is mapped for reading by the device only */
static int dma_direction(struct v_set *s)
{
	struct device *dev = s->mdev->device;
	struct mlx5_cqe64 cqe;
	dma_addr_t dma;
	void *page;
	int ret;

	page = (void *)get_zeroed_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	dma = dma_map_single(dev, page, PAGE_SIZE, DMA_TO_DEVICE);
	ret = dma_mapping_error(dev, dma);
	if (ret)
		goto free;
	v_write_wqe(s, s->mkey, s->dma, 64, dma);
	ret = v_wait_cqe(s, &cqe);
	if (!ret && cqe.op_own >> 4 != MLX5_CQE_REQ_ERR)
		ret = -EPROTO;
	dma_unmap_single(dev, dma, PAGE_SIZE, DMA_TO_DEVICE);
free:
	free_page((unsigned long)page);
	return ret;
}

const struct v_case v_queues_cases[] = {
	{ "cq_overrun", cq_overrun },
	{ "cq_consumer", cq_consumer },
	{ "sq_counter", sq_counter },
	{ "rq_counter", rq_counter },
	{ "srq_list", srq_list, V_SRQ },
	{ "ignored", ignored, V_SRQ },
	{ "dma_unmapped", dma_unmapped },
	{ "dma_direction", dma_direction },
	{ }
};
