/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: fixture and helpers of the KUnit suites.
 *
 * Expected bytes are hexadecimal text, most significant byte first, with blanks
 * between groups, as in a manual or a trace. A vector covers each byte that the
 * device reads, and names the source of its bytes.
 *
 * The fixture is a QP on a device that has only what posting and polling use:
 * state, rings, doorbell records, and a doorbell register in memory.
 */
#ifndef MLX5_IBX_TESTS_KUNIT_H
#define MLX5_IBX_TESTS_KUNIT_H

#include <kunit/test.h>
#include <linux/scatterlist.h>
#include <linux/stringify.h>

#include "dv/wr.h"
#include "enc/enc.h"
#include "ibx.h"
#include "wq/wqe.h"

/* hexadecimal text of the arguments; the text may take several lines */
#define HEX(...)	__stringify(__VA_ARGS__)

#define POISON		0xa5
#define KT_QPN		0x123456
#define KT_BBS		16
#define KT_MAX_WQE	192
#define KT_MAX_POST	5
#define KT_MAX_GS	4
#define KT_MAX_INLINE	92
#define KT_RQ_WQES	4
#define KT_RQ_SHIFT	6
#define KT_RQ_GS	3
#define KT_SRQ_WQES	4
#define KT_SRQ_SHIFT	6
#define KT_SRQ_GS	3
#define KT_CQES		8
#define KT_DMA_LKEY	0x00010203
#define KT_TOGGLE	0x100
#define KT_MKEY		0xabcd00

/* bus address and bytes of an element of a scatterlist */
struct kt_sg {
	u64 addr;
	u32 len;
};

struct kt {
	struct kunit *test;
	struct mlx5_core_dev *mdev;
	struct ibx_dev *dev;
	struct ibx_cq *cq;
	struct ibx_qp *qp;
	u8 *sq_ring;
	u8 *rq_ring;
	u8 *srq_ring;
	__be32 dbr[2];
	__be32 srq_dbr;
	__be32 set_ci;
	u64 reg[2 * KT_TOGGLE / 8];
};

/* fills in @sgl with @nents elements, mapped at the addresses in @sg */
static inline void kt_fill_sg(struct scatterlist *sgl, const struct kt_sg *sg, unsigned int nents)
{
	unsigned int i;

	/* a table has at least one element */
	sg_init_table(sgl, max(nents, 1U));
	for (i = 0; i < nents; i++) {
		sg_dma_address(&sgl[i]) = sg[i].addr;
		sg_dma_len(&sgl[i]) = sg[i].len;
	}
}

size_t kt_parse_hex(struct kunit *test, const char *hex, u8 *bytes, size_t max);
size_t kt_first_diff(const u8 *a, const u8 *b, size_t n);
void kt_expect_bytes(struct kunit *test, const char *name, const void *got, const char *hex);
void kt_unroll(const struct kt *kt, u16 pos, u8 *flat);
void kt_rewind(struct kt *kt, u16 pos);
void kt_expect_wqe(struct kt *kt, const char *name, const char *hex, u16 pos);
void kt_set_pages(struct ibx_mr *mr, void *list, u64 dma, u32 pages);
void kt_set_ranges(struct ibx_mr *mr, void *list, u64 dma, u32 ranges);
struct kt *kt_create(struct kunit *test, enum ib_qp_type type);
struct ibx_srq *kt_create_srq(struct kt *kt);

/* ibx_sq_reset() with the lock that it expects */
static inline void kt_sq_reset(struct ibx_sq *sq)
{
	spin_lock_irq(&sq->lock);
	ibx_sq_reset(sq);
	spin_unlock_irq(&sq->lock);
}

#endif /* MLX5_IBX_TESTS_KUNIT_H */
