// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: fixture of the KUnit suites. The memory of a fixture is freed at
 * the end of its test.
 */

#include <linux/hex.h>

#include "kunit.h"

/**
 * kt_parse_hex() - convert hexadecimal text to bytes
 * @test: test, which fails if the text is malformed
 * @hex: pairs of digits, with or without blanks between pairs
 * @bytes: array for the bytes
 * @max: size of @bytes
 *
 * Return: number of bytes.
 */
size_t kt_parse_hex(struct kunit *test, const char *hex, u8 *bytes, size_t max)
{
	size_t n = 0;

	while (*hex) {
		if (*hex == ' ') {
			hex++;
			continue;
		}
		KUNIT_ASSERT_LT(test, n, max);
		KUNIT_ASSERT_EQ(test, hex2bin(&bytes[n++], hex, 1), 0);
		hex += 2;
	}
	return n;
}

/**
 * kt_first_diff() - find the first byte in which two arrays differ
 * @a: array of @n bytes
 * @b: array of @n bytes
 * @n: size of each array in bytes
 *
 * Return: offset of that byte, or @n if the arrays are equal.
 */
size_t kt_first_diff(const u8 *a, const u8 *b, size_t n)
{
	size_t i;

	for (i = 0; i < n && a[i] == b[i]; i++)
		;
	return i;
}

/**
 * kt_expect_bytes() - compare bytes with a vector
 * @test: test, which fails if the bytes differ from the vector
 * @name: name of the vector
 * @got: bytes to compare
 * @hex: vector
 *
 * If the bytes are equal to the vector, each byte is changed in turn, and the
 * comparison must find each change. This proves that every byte is compared.
 */
void kt_expect_bytes(struct kunit *test, const char *name, const void *got, const char *hex)
{
	static u8 want[1024], flipped[1024];	/* too much for the stack; one case at a time */
	size_t n = kt_parse_hex(test, hex, want, sizeof(want)), i;

	KUNIT_EXPECT_NE(test, n, 0);
	if (kt_first_diff(got, want, n) < n) {
		KUNIT_EXPECT_MEMEQ_MSG(test, got, want, n, "%s", name);
		return;
	}
	memcpy(flipped, got, n);
	for (i = 0; i < n; i++) {
		flipped[i] ^= 1 << i % 8;
		KUNIT_EXPECT_EQ_MSG(test, kt_first_diff(flipped, want, n), i, "%s", name);
		flipped[i] ^= 1 << i % 8;
	}
}

/**
 * kt_unroll() - copy the send ring, rotated so that one block comes first
 * @kt: fixture
 * @pos: index of the block, not masked
 * @flat: destination, KT_BBS * 64 bytes
 */
void kt_unroll(const struct kt *kt, u16 pos, u8 *flat)
{
	size_t first = (KT_BBS - pos % KT_BBS) * IBX_BB;

	memcpy(flat, kt->sq_ring + KT_BBS * IBX_BB - first, first);
	memcpy(flat + first, kt->sq_ring, KT_BBS * IBX_BB - first);
}

/**
 * kt_rewind() - reset the send ring as if blocks had been posted and completed
 * @kt: fixture
 * @pos: number of these blocks
 *
 * The ring is filled with POISON.
 */
void kt_rewind(struct kt *kt, u16 pos)
{
	memset(kt->sq_ring, POISON, KT_BBS * IBX_BB);
	kt_sq_reset(&kt->qp->sq);
	kt->qp->sq.cur_post = pos;
}

/**
 * kt_expect_wqe() - compare the WQE that was posted after kt_rewind() with a vector
 * @kt: fixture; its test fails if the WQE differs or other bytes have changed
 * @name: name of the vector
 * @hex: vector with an index of 0; may omit bytes after the end of inline data
 * @pos: block at which the WQE begins, not masked
 */
void kt_expect_wqe(struct kt *kt, const char *name, const char *hex, u16 pos)
{
	struct ibx_sq *sq = &kt->qp->sq;
	u8 *flat = kunit_kzalloc(kt->test, KT_BBS * IBX_BB, GFP_KERNEL), want[512];
	size_t n = kt_parse_hex(kt->test, hex, want, sizeof(want)), i;

	KUNIT_ASSERT_NOT_NULL(kt->test, flat);
	kt_unroll(kt, pos, flat);
	KUNIT_EXPECT_EQ_MSG(kt->test, flat[1] << 8 | flat[2], pos, "index");
	KUNIT_EXPECT_EQ_MSG(kt->test, (flat[7] & 0x3f) * IBX_DS, ALIGN(n, IBX_DS), "length");
	flat[1] = 0;
	flat[2] = 0;
	kt_expect_bytes(kt->test, name, flat, hex);
	for (i = ALIGN(n, IBX_DS); i < KT_BBS * IBX_BB; i++)
		KUNIT_EXPECT_EQ_MSG(kt->test, flat[i], POISON, "byte %zu outside", i);
	KUNIT_EXPECT_EQ(kt->test, sq->cur_post, (u16)(pos + DIV_ROUND_UP(n, IBX_BB)));
	KUNIT_EXPECT_EQ(kt->test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), sq->cur_post);
	KUNIT_EXPECT_MEMEQ(kt->test, kt->reg,
			   kt->sq_ring + pos % KT_BBS * IBX_BB, sizeof(kt->reg[0]));
	kunit_kfree(kt->test, flat);
}

KUNIT_DEFINE_ACTION_WRAPPER(sq_fini, ibx_sq_fini, struct ibx_sq *);
KUNIT_DEFINE_ACTION_WRAPPER(rq_fini, ibx_rq_fini, struct ibx_rq *);
KUNIT_DEFINE_ACTION_WRAPPER(srq_ring_fini, ibx_srq_ring_fini, struct ibx_srq_ring *);

static void *zalloc(struct kunit *test, size_t size)
{
	void *p = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

static void create_dev(struct kt *kt)
{
	kt->mdev = zalloc(kt->test, sizeof(*kt->mdev));
	kt->mdev->state = MLX5_DEVICE_STATE_UP;
	kt->dev = zalloc(kt->test, sizeof(*kt->dev));
	kt->dev->mdev = kt->mdev;
	kt->dev->ib = &kt->dev->ibdev;
	xa_init(&kt->dev->qps);
	xa_init(&kt->dev->deks);
	xa_init(&kt->dev->sigs);
}

static void create_cq(struct kt *kt)
{
	struct ibx_cq *cq = zalloc(kt->test, sizeof(*cq));

	cq->ibcq.device = &kt->dev->ibdev;
	cq->ibcq.cqe = KT_CQES - 1;
	spin_lock_init(&cq->lock);
	INIT_LIST_HEAD(&cq->send_qps);
	INIT_LIST_HEAD(&cq->recv_qps);
	ibx_cqb_init(&cq->cqb, zalloc(kt->test, KT_CQES * 64), KT_CQES, &kt->set_ci);
	kt->cq = cq;
}

static void create_sq(struct kt *kt)
{
	struct ibx_sq_params p = {
		.wqe_cnt = KT_BBS,
		.max_wqe = KT_MAX_WQE,
		.max_post = KT_MAX_POST,
		.max_gs = KT_MAX_GS,
		.max_inline = KT_MAX_INLINE,
		.dbr = &kt->dbr[MLX5_SND_DBR],
		.db_reg = (void __iomem __force *)kt->reg,
		.db_toggle = KT_TOGGLE,
		.dma_lkey = KT_DMA_LKEY,
		.umr_fence = MLX5_FENCE_MODE_STRONG_ORDERING,
		.umr_atomic = true,
		.key_marks = &kt->dev->key_marks,
		.node = NUMA_NO_NODE,
	};

	kt->sq_ring = zalloc(kt->test, KT_BBS * IBX_BB);
	memset(kt->sq_ring, POISON, KT_BBS * IBX_BB);
	p.buf = kt->sq_ring;
	KUNIT_ASSERT_EQ(kt->test, ibx_sq_init(&kt->qp->sq, &p), 0);
	KUNIT_ASSERT_EQ(kt->test, kunit_add_action_or_reset(kt->test, sq_fini, &kt->qp->sq), 0);
	ibx_sq_set_qpn(&kt->qp->sq, KT_QPN);
}

static void create_rq(struct kt *kt)
{
	struct ibx_rq_params p = {
		.wqe_cnt = KT_RQ_WQES,
		.wqe_shift = KT_RQ_SHIFT,
		.max_gs = KT_RQ_GS,
		.dbr = &kt->dbr[MLX5_RCV_DBR],
		.term_lkey = MLX5_TERMINATE_SCATTER_LIST_LKEY,
		.node = NUMA_NO_NODE,
	};

	kt->rq_ring = zalloc(kt->test, KT_RQ_WQES << KT_RQ_SHIFT);
	memset(kt->rq_ring, POISON, KT_RQ_WQES << KT_RQ_SHIFT);
	p.buf = kt->rq_ring;
	KUNIT_ASSERT_EQ(kt->test, ibx_rq_init(&kt->qp->rq, &p), 0);
	KUNIT_ASSERT_EQ(kt->test, kunit_add_action_or_reset(kt->test, rq_fini, &kt->qp->rq), 0);
}

static void erase_tables(void *kt)
{
	xa_destroy(&((struct kt *)kt)->dev->deks);
	xa_destroy(&((struct kt *)kt)->dev->sigs);
	xa_destroy(&((struct kt *)kt)->dev->qps);
}

/**
 * kt_set_pages() - put an MR into the state after the map of a list of 4 KiB pages
 * @mr: MR; its iova, start and length do not change
 * @list: entries of the list, padded
 * @dma: bus address of @list
 * @pages: number of pages
 */
void kt_set_pages(struct ibx_mr *mr, void *list, u64 dma, u32 pages)
{
	mr->mode = MLX5_MKC_ACCESS_MODE_MTT;
	mr->page_shift = 12;
	mr->list = list;
	mr->list_dma = dma;
	mr->max_ents = pages;
	mr->nents = pages;
	mr->list_bytes = ALIGN(pages, 8) * 8;
	mr->key_octwords = ALIGN(pages, 8) / 2;
}

/**
 * kt_set_ranges() - put an MR into the state after the map of a list of ranges
 * @mr: MR; its iova, start and length do not change
 * @list: entries of the list, padded
 * @dma: bus address of @list
 * @ranges: number of ranges
 */
void kt_set_ranges(struct ibx_mr *mr, void *list, u64 dma, u32 ranges)
{
	mr->mode = MLX5_MKC_ACCESS_MODE_KLMS;
	mr->page_shift = 0;
	mr->list = list;
	mr->list_dma = dma;
	mr->max_ents = ranges;
	mr->nents = ranges;
	mr->list_bytes = ALIGN(ranges, 4) * 16;
	mr->key_octwords = ALIGN(ranges, 8);
}

/**
 * kt_create() - create a QP in RTS with one CQ, and fill its rings with POISON
 * @test: test that owns the fixture
 * @type: type of the QP
 *
 * Return: the fixture; the test is aborted on failure.
 */
struct kt *kt_create(struct kunit *test, enum ib_qp_type type)
{
	struct kt *kt = zalloc(test, sizeof(*kt));

	kt->test = test;
	create_dev(kt);
	create_cq(kt);
	kt->qp = zalloc(test, sizeof(*kt->qp));
	kt->qp->qpn = KT_QPN;
	kt->qp->state = IB_QPS_RTS;
	kt->qp->ibqp.device = &kt->dev->ibdev;
	kt->qp->dev = kt->dev;
	kt->qp->ibqp.qp_type = type;
	kt->qp->ibqp.send_cq = &kt->cq->ibcq;
	kt->qp->ibqp.recv_cq = &kt->cq->ibcq;
	kt->qp->st = type == IB_QPT_UD ? MLX5_QP_ST_UD :
		     type == IB_QPT_DRIVER ? MLX5_QP_ST_DCI : MLX5_QP_ST_RC;
	kt->qp->dv.qp_ex.qp = &kt->qp->ibqp;
	kt->qp->wr.chain.sq = &kt->qp->sq;
	kt->qp->wr.ops = ~0ULL;
	create_sq(kt);
	create_rq(kt);
	list_add_tail(&kt->qp->send_link, &kt->cq->send_qps);
	list_add_tail(&kt->qp->recv_link, &kt->cq->recv_qps);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, erase_tables, kt), 0);
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(&kt->dev->qps, KT_QPN, kt->qp, GFP_KERNEL)), 0);
	return kt;
}

/**
 * kt_create_srq() - create an SRQ and make the QP use it
 * @kt: fixture
 *
 * Return: the SRQ, without receives; the test is aborted on failure.
 */
struct ibx_srq *kt_create_srq(struct kt *kt)
{
	struct ibx_srq *srq = zalloc(kt->test, sizeof(*srq));
	struct ibx_srq_ring_params p = {
		.wqe_cnt = KT_SRQ_WQES,
		.wqe_shift = KT_SRQ_SHIFT,
		.dbr = &kt->srq_dbr,
		.term_lkey = MLX5_TERMINATE_SCATTER_LIST_LKEY,
		.node = NUMA_NO_NODE,
	};

	kt->srq_ring = zalloc(kt->test, KT_SRQ_WQES << KT_SRQ_SHIFT);
	p.buf = kt->srq_ring;
	kt->srq_dbr = cpu_to_be32(~0);
	srq->ibsrq.device = &kt->dev->ibdev;
	KUNIT_ASSERT_EQ(kt->test, ibx_srq_ring_init(&srq->ring, &p), 0);
	KUNIT_ASSERT_EQ(kt->test,
			kunit_add_action_or_reset(kt->test, srq_ring_fini, &srq->ring), 0);
	kt->qp->srq_ring = &srq->ring;
	return srq;
}
