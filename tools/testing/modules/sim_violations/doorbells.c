// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbell registers: each object has its page, and its doorbell rings on no other page.
 */
#include <linux/delay.h>
#include <linux/io.h>

#include "sim_violations.h"

#define V_CQ_DB		0x20
#define V_EQ_ARM	0x40

/* Allocates and maps a doorbell page that belongs to no object. */
static void __iomem *v_other_page(struct v_set *s, u32 *uar)
{
	u32 in[MLX5_ST_SZ_DW(alloc_uar_in)] = {};
	u32 out[MLX5_ST_SZ_DW(alloc_uar_out)] = {};

	MLX5_SET(alloc_uar_in, in, opcode, MLX5_CMD_OP_ALLOC_UAR);
	if (v_cmd(s, in, sizeof(in), out, sizeof(out)))
		return NULL;
	*uar = MLX5_GET(alloc_uar_out, out, uar);
	return ioremap(s->mdev->bar_addr + (phys_addr_t)*uar * PAGE_SIZE, PAGE_SIZE);
}

static int v_free_page(struct v_set *s, void __iomem *page, u32 uar)
{
	u32 in[MLX5_ST_SZ_DW(dealloc_uar_in)] = {};
	u32 out[MLX5_ST_SZ_DW(dealloc_uar_out)] = {};

	iounmap(page);
	MLX5_SET(dealloc_uar_in, in, opcode, MLX5_CMD_OP_DEALLOC_UAR);
	MLX5_SET(dealloc_uar_in, in, uar, uar);
	return v_cmd(s, in, sizeof(in), out, sizeof(out));
}

/* Writes one or two words to a register of a page of v_other_page(), and waits for the device. */
static int v_ring_other(struct v_set *s, u32 off, u32 hi, u32 lo, bool two)
{
	void __iomem *page;
	__be32 db[2] = { cpu_to_be32(hi), cpu_to_be32(lo) };
	u32 uar;

	page = v_other_page(s, &uar);
	if (!page)
		return -ENOMEM;
	if (two)
		mlx5_write64(db, page + off);
	else
		iowrite32be(hi, page + off);
	msleep(100);
	return v_free_page(s, page, uar);
}

static int doorbell_sq(struct v_set *s)
{
	return v_ring_other(s, MLX5_BF_OFFSET, MLX5_OPCODE_NOP, s->qp.num << 8 | 1, true);
}

static int doorbell_cq(struct v_set *s)
{
	return v_ring_other(s, V_CQ_DB, MLX5_CQ_DB_REQ_NOT, s->scq.num, true);
}

static int doorbell_eq(struct v_set *s)
{
	return v_ring_other(s, V_EQ_ARM, (u32)s->eqn << 24, 0, false);
}

/* The doorbell page of the EQ, with a consumer index far beyond the producer index */
static int doorbell_consumer(struct v_set *s)
{
	iowrite32be((u32)s->eqn << 24 | 0x700000, s->mdev->priv.bfreg.up->map + V_EQ_ARM);
	msleep(100);
	return 0;
}

const struct v_case v_doorbells_cases[] = {
	{ "doorbell-sq", doorbell_sq },
	{ "doorbell-cq", doorbell_cq },
	{ "doorbell-eq", doorbell_eq },
	{ "doorbell-consumer", doorbell_consumer },
	{ }
};
