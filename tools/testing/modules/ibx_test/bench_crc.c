// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cost of a WRITE of blocks, each with a CRC32C, for a ULP that calculates the CRCs on the CPU. The
 * measurement begins before the first CRC and ends after ib_post_send(). mlx5dv_test/bench_dv.c
 * measures the same WRITE with CRCs that the device calculates. See bench.c.
 *
 * Lines in the log: "bench write_crc32c ulp BYTES INSTRUCTIONS".
 */
#include <linux/crc32c.h>
#include <linux/slab.h>
#include <linux/timex.h>

#include "compat.h"
#include "crc.h"

#define T_ROUNDS	8
#define T_REMOTE	(T_CRC_MAX / PAGE_SIZE + 1)	/* pages */

/* registers @mr for T_REMOTE pages that repeat the peer's buffer: received data are not used */
static int t_crc_register(struct t_end *peer, struct ib_mr *mr)
{
	struct ib_reg_wr wr = {
		.wr = { .opcode = IB_WR_REG_MR, .send_flags = IB_SEND_SIGNALED },
		.mr = mr, .access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};
	struct scatterlist sg[T_REMOTE];
	int i;

	sg_init_table(sg, T_REMOTE);
	for (i = 0; i < T_REMOTE; i++) {
		sg_dma_address(&sg[i]) = peer->dma + i % T_PAGES * PAGE_SIZE;
		sg_dma_len(&sg[i]) = PAGE_SIZE;
	}
	T_EXPECT(ib_map_mr_sg(mr, sg, T_REMOTE, NULL, PAGE_SIZE), T_REMOTE);
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	wr.key = mr->rkey;
	T_TRY(ib_post_send(peer->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&peer->sq, 0), IB_WC_SUCCESS);
	t_clear_counts(&peer->sq);
	return 0;
}

/**
 * t_crc_open() - prepare writes from end 0 to end 1
 * @p: pair
 * @c: receives the memory and the MR of the writes
 *
 * Return: 0 or a negative errno.
 */
int t_crc_open(struct t_pair *p, struct t_crc *c)
{
	const size_t bytes = T_CRC_MAX + T_CRC_SUMS;
	int ret;

	c->e = &p->end[0];
	c->data = kzalloc(bytes, GFP_KERNEL);
	if (!c->data)
		return -ENOMEM;
	c->dma = ib_dma_map_single(c->e->dev, c->data, bytes, DMA_TO_DEVICE);
	ret = ib_dma_mapping_error(c->e->dev, c->dma);
	if (ret)
		goto free;
	c->remote = ib_alloc_mr(p->end[1].pd, IB_MR_TYPE_MEM_REG, T_REMOTE);
	ret = PTR_ERR_OR_ZERO(c->remote);
	if (ret)
		goto unmap;
	ret = t_crc_register(&p->end[1], c->remote);
	if (ret)
		goto dereg;
	return 0;

dereg:
	ib_dereg_mr(c->remote);
unmap:
	ib_dma_unmap_single(c->e->dev, c->dma, bytes, DMA_TO_DEVICE);
free:
	kfree(c->data);
	return ret;
}
EXPORT_SYMBOL_GPL(t_crc_open);

/**
 * t_crc_close() - undo t_crc_open()
 * @c: memory and MR of the writes; no write may be outstanding
 */
void t_crc_close(struct t_crc *c)
{
	ib_dereg_mr(c->remote);
	ib_dma_unmap_single(c->e->dev, c->dma, T_CRC_MAX + T_CRC_SUMS, DMA_TO_DEVICE);
	kfree(c->data);
}
EXPORT_SYMBOL_GPL(t_crc_close);

#ifdef T_HAS_CRC32C
/*
 * The ULP sends the data in one element and all CRCs in a second element: a list with an element
 * for each block and each CRC could be too long.
 */
static int t_crc_write(struct t_crc *c, u32 bytes)
{
	const u32 blocks = bytes / T_CRC_BLOCK, lkey = c->e->pd->local_dma_lkey;
	__le32 *sums = (__le32 *)(c->data + T_CRC_MAX);
	struct ib_sge sge[] = {
		{ .addr = c->dma, .length = bytes, .lkey = lkey },
		{ .addr = c->dma + T_CRC_MAX, .length = blocks * sizeof(*sums), .lkey = lkey },
	};
	const struct ib_rdma_wr wr = {
		.wr = {
			.opcode = IB_WR_RDMA_WRITE, .send_flags = IB_SEND_SIGNALED,
			.sg_list = sge, .num_sge = ARRAY_SIZE(sge),
		},
		.remote_addr = c->remote->iova,
		.rkey = c->remote->rkey,
	};
	u32 i;

	for (i = 0; i < blocks; i++)
		sums[i] = cpu_to_le32(~crc32c(~0, c->data + i * T_CRC_BLOCK, T_CRC_BLOCK));
	return ib_post_send(c->e->qp, &wr.wr, NULL);
}

static int t_crc_measure(struct t_crc *c, u32 bytes)
{
	u64 best = U64_MAX, start, end;
	unsigned long flags;
	int i, ret;

	for (i = 0; i < T_ROUNDS; i++) {
		local_irq_save(flags);
		start = get_cycles();
		ret = t_crc_write(c, bytes);
		end = get_cycles();
		local_irq_restore(flags);
		T_EXPECT(ret, 0);
		T_EXPECT(t_wait(&c->e->sq, 0), IB_WC_SUCCESS);
		t_clear_counts(&c->e->sq);
		best = min(best, end - start);
	}
	t_log("bench write_crc32c ulp %u %llu\n", bytes, best);
	return 0;
}

static int t_crc_all(struct t_crc *c)
{
	static const u32 lengths[] = T_CRC_LENGTHS;
	int i, ret = 0;

	for (i = 0; i < ARRAY_SIZE(lengths) && !ret; i++)
		ret = t_crc_measure(c, lengths[i]);
	return ret;
}

static int bench_crc(struct t_pair *p)
{
	struct t_crc c;
	int ret;

	T_TRY(t_crc_open(p, &c));
	ret = t_crc_all(&c);
	t_crc_close(&c);
	return ret;
}
#endif

const struct t_case t_bench_crc_cases[] = {
#ifdef T_HAS_CRC32C
	{ "bench_crc", bench_crc },
#endif
	{ }
};
