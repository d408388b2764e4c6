// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of the rings of SRQs. WQEs are compared with vectors that follow
 * mlx5_wqe_srq_next_seg and mlx5_wqe_data_seg of linux/mlx5/qp.h. The list is
 * compared with a model of a device, which uses only the links.
 */

#include <linux/prandom.h>

#include "kunit.h"

#define MODEL_WQES	8

/* the device: next WQE according to the links, and number of consumed WQEs */
struct model {
	u16 next;
	u16 consumed;
};

static u16 link_of(const u8 *buf, u16 index, u32 shift)
{
	const u8 *wqe = buf + ((size_t)index << shift);

	return wqe[2] << 8 | wqe[3];
}

static int post(struct ibx_srq_ring *ring, u64 wr_id)
{
	struct ib_recv_wr wr = { .wr_id = wr_id };
	const struct ib_recv_wr *one = &wr;

	return ibx_srq_ring_post(ring, &one);
}

static bool complete_wqe(struct ibx_srq_ring *ring, u16 index, u64 *wr_id)
{
	/* the lock takes the place of the lock of a CQ */
	static DEFINE_SPINLOCK(lock);
	unsigned long flags;
	bool ours;

	spin_lock_irqsave(&lock, flags);
	ours = ibx_srq_ring_complete(ring, index, wr_id);
	spin_unlock_irqrestore(&lock, flags);
	return ours;
}

/* the links contain all WQEs before a receive is posted */
static void chained(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	u32 i;

	kt_create_srq(kt);
	for (i = 0; i < KT_SRQ_WQES; i++)
		KUNIT_EXPECT_EQ(test, link_of(kt->srq_ring, i, KT_SRQ_SHIFT),
				(i + 1) % KT_SRQ_WQES);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->srq_dbr), 0);
}

static void wqes(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_srq_ring *ring = &kt_create_srq(kt)->ring;
	struct ib_sge sges[2][KT_SRQ_GS] = {
		{ { 0x1122334455667788, 0x1000, 0xabcdef }, { 1, 0, 2 }, { 0x99, 0x10, 0x11 } },
		{ { 0x10, 1, 2 }, { 0x20, 3, 4 }, { 0x30, IBX_SGE_MAX, 5 } },
	};
	struct ib_recv_wr wr[2] = {
		{ .sg_list = sges[0], .num_sge = 3, .next = &wr[1] },
		{ .sg_list = sges[1], .num_sge = 3 },
	};
	const struct ib_recv_wr *at = wr;

	KUNIT_ASSERT_EQ(test, ibx_srq_ring_post(ring, &at), 0);
	kt_expect_bytes(test, "an element of no bytes is left out, the list ends early",
			kt->srq_ring,
			HEX(0000 0001 00 0000000000000000000000
			    00001000 00abcdef 1122334455667788 00000010 00000011 0000000000000099
			    00000000 00000100 0000000000000000));
	kt_expect_bytes(test, "a full WQE has no end", kt->srq_ring + (1 << KT_SRQ_SHIFT),
			HEX(0000 0002 00 0000000000000000000000
			    00000001 00000002 0000000000000010 00000003 00000004 0000000000000020
			    00000000 00000005 0000000000000030));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->srq_dbr), 2);
}

/* one WQE stays unused; *wr is set to the first WR that does not fit */
static void full(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_srq_ring *ring = &kt_create_srq(kt)->ring;
	struct ib_recv_wr wr[KT_SRQ_WQES] = {};
	const struct ib_recv_wr *at = wr;
	u64 wr_id;
	int i;

	for (i = 0; i + 1 < KT_SRQ_WQES; i++)
		wr[i].next = &wr[i + 1];
	KUNIT_EXPECT_EQ(test, ibx_srq_ring_post(ring, &at), -ENOMEM);
	KUNIT_EXPECT_PTR_EQ(test, at, &wr[KT_SRQ_WQES - 1]);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->srq_dbr), KT_SRQ_WQES - 1);
	KUNIT_EXPECT_EQ(test, post(ring, 1), -ENOMEM);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->srq_dbr), KT_SRQ_WQES - 1);

	KUNIT_ASSERT_TRUE(test, complete_wqe(ring, 1, &wr_id));
	KUNIT_EXPECT_EQ(test, post(ring, 1), 0);
	KUNIT_EXPECT_EQ(test, post(ring, 1), -ENOMEM);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->srq_dbr), KT_SRQ_WQES);
}

struct bad_case {
	const char *name;
	int num_sge;
	u32 length;
};

static const struct bad_case bad_cases[] = {
	{ "too many elements", KT_SRQ_GS + 1, 1 },
	{ "negative elements", -1, 1 },
	{ "element too long", 1, IBX_SGE_MAX + 1 },
};

KUNIT_ARRAY_PARAM_DESC(bad, bad_cases, name);

/* only the WRs before the bad WR are posted; the others change nothing */
static void refused(struct kunit *test)
{
	const struct bad_case *c = test->param_value;
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_srq_ring *ring = &kt_create_srq(kt)->ring;
	struct ib_sge sges[KT_SRQ_GS + 1] = { { .length = c->length } };
	struct ib_recv_wr wr[3] = {
		{ .next = &wr[1] },
		{ .next = &wr[2], .sg_list = sges, .num_sge = c->num_sge },
		{},
	};
	const struct ib_recv_wr *at = wr;

	KUNIT_EXPECT_EQ(test, ibx_srq_ring_post(ring, &at), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, at, &wr[1]);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->srq_dbr), 1);
	KUNIT_EXPECT_FALSE(test, ring->shadow[1].posted);
	KUNIT_EXPECT_EQ(test, link_of(kt->srq_ring, 1, KT_SRQ_SHIFT), 2);
	KUNIT_EXPECT_EQ(test, ring->head, 1);
}

/* completions are ignored if no WQE with the index exists or is posted */
static void strangers(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_srq_ring *ring = &kt_create_srq(kt)->ring;
	u64 wr_id = 0;
	int i;

	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, post(ring, 100 + i), 0);
	KUNIT_EXPECT_FALSE(test, complete_wqe(ring, KT_SRQ_WQES, &wr_id));
	KUNIT_EXPECT_FALSE(test, complete_wqe(ring, 0xffff, &wr_id));
	KUNIT_EXPECT_FALSE(test, complete_wqe(ring, 3, &wr_id));
	KUNIT_EXPECT_EQ(test, wr_id, 0);
	KUNIT_EXPECT_EQ(test, ring->tail, 3);
	KUNIT_EXPECT_TRUE(test, complete_wqe(ring, 1, &wr_id));
	KUNIT_EXPECT_EQ(test, wr_id, 101);
	KUNIT_EXPECT_EQ(test, ring->tail, 1);
	KUNIT_EXPECT_FALSE(test, complete_wqe(ring, 1, &wr_id));
	KUNIT_EXPECT_EQ(test, ring->tail, 1);
	KUNIT_EXPECT_EQ(test, link_of(kt->srq_ring, 3, KT_SRQ_SHIFT), 1);
}

/* consumes a WQE as the device does, only with links; returns its index */
static u16 model_take(struct model *m, const u8 *buf)
{
	u16 index = m->next;

	m->next = link_of(buf, index, 5);
	m->consumed++;
	return index;
}

/*
 * WQEs are posted, consumed and completed in random order until the 16-bit
 * doorbell record has wrapped. The device finds the WQEs in the order of
 * posting. A post fails only if all WQEs but one are posted.
 */
static void any_order(struct kunit *test)
{
	static const struct ibx_srq_ring_params geom = { .wqe_cnt = MODEL_WQES, .wqe_shift = 5 };
	u16 taken[MODEL_WQES], n = 0, at;
	struct ibx_srq_ring_params p = geom;
	u64 posted = 0, next_wr = 0, wr_id;
	struct ibx_srq_ring ring = {};
	struct rnd_state rnd;
	struct model m = {};
	__be32 dbr = 0;
	u8 *buf;

	buf = kunit_kzalloc(test, MODEL_WQES * 32, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	p.buf = buf;
	p.dbr = &dbr;
	KUNIT_ASSERT_EQ(test, ibx_srq_ring_init(&ring, &p), 0);
	prandom_seed_state(&rnd, 1);
	while (posted < 70000) {
		u32 waiting = (u16)(be32_to_cpu(dbr) - m.consumed);
		u32 out = waiting + n;

		switch (prandom_u32_state(&rnd) % 3) {
		case 0:
			if (post(&ring, posted) != (out < MODEL_WQES - 1 ? 0 : -ENOMEM))
				goto bad;
			posted += out < MODEL_WQES - 1;
			break;
		case 1:
			if (!waiting)
				break;
			at = model_take(&m, buf);
			if (at >= MODEL_WQES || ring.shadow[at].wr_id != next_wr++)
				goto bad;
			taken[n++] = at;
			break;
		default:
			if (!n)
				break;
			at = prandom_u32_state(&rnd) % n;
			if (!complete_wqe(&ring, taken[at], &wr_id))
				goto bad;
			taken[at] = taken[--n];
		}
	}
	KUNIT_EXPECT_EQ(test, be32_to_cpu(dbr), (u16)posted);
	ibx_srq_ring_fini(&ring);
	return;
bad:
	ibx_srq_ring_fini(&ring);
	KUNIT_FAIL(test, "list and device part after %llu posts", posted);
}

/* a QP with an SRQ has no receive ring */
static void not_by_the_qp(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	const struct ib_recv_wr *bad = NULL;
	struct ib_recv_wr wr = {};

	kt_create_srq(kt);
	ibx_rq_fini(&kt->qp->rq);
	KUNIT_EXPECT_EQ(test, ibx_post_recv(&kt->qp->ibqp, &wr, &bad), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, bad, &wr);
}

static void params(struct kunit *test)
{
	static const struct ibx_srq_ring_params bad_params[] = {
		{ .wqe_cnt = 1, .wqe_shift = 5 },
		{ .wqe_cnt = 6, .wqe_shift = 5 },
		{ .wqe_cnt = 2 * IBX_RING_MAX, .wqe_shift = 5 },
		{ .wqe_cnt = 4, .wqe_shift = 4 },
		{ .wqe_cnt = 4, .wqe_shift = 17 },
	};
	struct ibx_srq_ring ring = {};
	int i;

	for (i = 0; i < ARRAY_SIZE(bad_params); i++)
		KUNIT_EXPECT_EQ_MSG(test, ibx_srq_ring_init(&ring, &bad_params[i]), -EINVAL,
				    "%d", i);
	ibx_srq_ring_fini(&ring);
}

static struct kunit_case srq_ring_tests[] = {
	KUNIT_CASE(chained),
	KUNIT_CASE(wqes),
	KUNIT_CASE(full),
	KUNIT_CASE_PARAM(refused, bad_gen_params),
	KUNIT_CASE(strangers),
	KUNIT_CASE(any_order),
	KUNIT_CASE(not_by_the_qp),
	KUNIT_CASE(params),
	{}
};

static struct kunit_suite srq_ring_suite = {
	.name = "mlx5_ibx_srq_ring",
	.test_cases = srq_ring_tests,
};

kunit_test_suite(srq_ring_suite);
