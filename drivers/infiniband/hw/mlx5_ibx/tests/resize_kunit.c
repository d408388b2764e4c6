// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of the change from one completion ring to another. The test
 * acts as the device: it ends the old ring with a CQE of opcode RESIZE_CQ
 * (linux/mlx5/cq.h), which consumes an index, and continues in the new ring at
 * the next index. mlx5_ib copies the remaining CQEs on the same assumption.
 * Each completion must be polled once and in order, whether ibx_poll_cq() or
 * ibx_cqb_move() changes to the new ring. After a resize that the device may
 * have executed without an answer, the memory of the new ring must not be
 * freed.
 */

#include "cmd/cmd.h"
#include "kunit.h"

#define NEW_MAX		32

/**
 * struct ring - a completion ring as the device uses it
 * @kt: fixture, whose CQ is the consumer
 * @cqb: the ring as the consumer uses it
 * @buf: memory of the ring, to which the device writes
 * @cnt: number of CQEs in @buf
 * @pi: producer index: index of the next CQE
 * @told: number of completions written; the byte count of each is its number
 * @seen: number of completions polled
 * @wc: array for polled completions
 */
struct ring {
	struct kt *kt;
	struct ibx_cqb *cqb;
	void *buf;
	u32 cnt;
	u32 pi;
	u32 told;
	u32 seen;
	struct ib_wc wc[NEW_MAX + 1];
};

static struct ring *new_ring(struct kunit *test, u32 ci, u32 new_cnt)
{
	struct ring *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	void *next = kunit_kzalloc(test, NEW_MAX * 64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_ASSERT_NOT_NULL(test, next);
	r->kt = kt_create(test, IB_QPT_RC);
	r->cqb = &r->kt->cq->cqb;
	r->cqb->ci = ci;
	r->buf = r->cqb->buf;
	r->cnt = r->cqb->cqe_cnt;
	r->pi = ci;
	ibx_cqb_fill(next, new_cnt);
	r->cqb->next_buf = next;
	r->cqb->next_cnt = new_cnt;
	return r;
}

static struct mlx5_cqe64 *write_cqe(struct ring *r, u8 opcode, u32 qpn)
{
	struct mlx5_cqe64 *cqe = r->buf + (r->pi & (r->cnt - 1)) * sizeof(*cqe);

	memset(cqe, 0, sizeof(*cqe));
	cqe->sop_drop_qpn = cpu_to_be32(qpn);
	cqe->op_own = opcode << 4 | (r->pi & r->cnt ? MLX5_CQE_OWNER_MASK : 0);
	r->pi++;
	return cqe;
}

static void completes(struct ring *r, int n)
{
	while (n--)
		write_cqe(r, MLX5_CQE_REQ, KT_QPN)->byte_cnt = cpu_to_be32(r->told++);
}

/* ends the old ring with a CQE of @qpn, and continues in the new ring */
static void ends(struct ring *r, u32 qpn)
{
	write_cqe(r, MLX5_CQE_RESIZE_CQ, qpn);
	r->buf = r->cqb->next_buf;
	r->cnt = r->cqb->next_cnt;
}

static void expect_polled(struct ring *r, int n)
{
	int i;

	KUNIT_ASSERT_EQ(r->kt->test,
			ibx_poll_cq(&r->kt->cq->ibcq, ARRAY_SIZE(r->wc), r->wc), n);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(r->kt->test, r->wc[i].byte_len, r->seen++);
}

static bool move(struct ring *r)
{
	bool done;

	spin_lock(&r->kt->cq->lock);
	done = ibx_cqb_move(r->cqb);
	spin_unlock(&r->kt->cq->lock);
	return done;
}

/* checks that the consumer uses only the new ring, over several rounds */
static void expect_changed(struct ring *r)
{
	u32 n;

	KUNIT_EXPECT_NULL(r->kt->test, r->cqb->next_buf);
	KUNIT_EXPECT_PTR_EQ(r->kt->test, r->cqb->buf, r->buf);
	KUNIT_EXPECT_EQ(r->kt->test, r->cqb->cqe_cnt, r->cnt);
	for (n = 0; n < 3 * r->cnt; n++) {
		completes(r, 1);
		expect_polled(r, 1);
		KUNIT_EXPECT_EQ(r->kt->test, be32_to_cpu(r->kt->set_ci), r->pi & 0xffffff);
	}
	expect_polled(r, 0);
}

static const u32 sizes[] = { 2, 4, 8, 16, 32 };

/*
 * Start index number @i: each entry of the ring with each owner bit, from 0 on,
 * and around the wraps at 24 and at 32 bits.
 */
static u32 start(u32 i)
{
	static const u32 bases[] = { 0, 0xfffff8, 0xfffffff8 };

	return bases[i % 3] + i / 3;
}

#define STARTS	(3 * 2 * KT_CQES)

static void poller_changes_over(struct kunit *test)
{
	struct ring *r;
	u32 i, s;

	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		for (i = 0; i < STARTS; i++) {
			/*
			 * The CQEs before and after the RESIZE_CQ, and the
			 * RESIZE_CQ, must fit in the new ring.
			 */
			u32 before = min(3U, sizes[s] - 1);
			u32 after = min(3U, sizes[s] - 1 - before);

			r = new_ring(test, start(i), sizes[s]);
			completes(r, before);
			/* QP numbers of an existing QP, and of no QP */
			ends(r, i & 1 ? KT_QPN : 0);
			completes(r, after);
			expect_polled(r, before + after);
			expect_changed(r);
		}
	}
}

static void rest_is_moved(struct kunit *test)
{
	struct ring *r;
	u32 i, s, left;

	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		for (i = 0; i < STARTS; i++) {
			left = min(i % KT_CQES, sizes[s] - 1);
			r = new_ring(test, start(i), sizes[s]);
			completes(r, left);
			KUNIT_EXPECT_FALSE(test, move(r));
			ends(r, KT_QPN);
			KUNIT_EXPECT_TRUE(test, move(r));
			KUNIT_EXPECT_EQ(test, be32_to_cpu(r->kt->set_ci),
					(start(i) + 1) & 0xffffff);
			expect_polled(r, left);
			expect_changed(r);
		}
	}
}

/* the device has written CQEs to the new ring before ibx_cqb_move() */
static void rest_is_moved_late(struct kunit *test)
{
	struct ring *r = new_ring(test, 5, 16);

	completes(r, 4);
	ends(r, 0);
	completes(r, 4);
	KUNIT_EXPECT_TRUE(test, move(r));
	expect_polled(r, 8);
	expect_changed(r);
}

/* during a resize, CQEs of a destroyed QP are disowned in both rings */
static void cleaned_in_both(struct kunit *test)
{
	struct ring *r = new_ring(test, 6, 16);

	completes(r, 2);
	ends(r, 0);
	completes(r, 2);
	spin_lock(&r->kt->cq->lock);
	ibx_cq_clean(r->kt->cq, KT_QPN, NULL, true);
	spin_unlock(&r->kt->cq->lock);
	r->seen = r->told;
	expect_polled(r, 0);
	expect_changed(r);
}

/* a RESIZE_CQ CQE without a new ring is skipped */
static void end_out_of_the_blue(struct kunit *test)
{
	struct ring *r = new_ring(test, 0, 16);

	r->cqb->next_buf = NULL;
	completes(r, 1);
	write_cqe(r, MLX5_CQE_RESIZE_CQ, KT_QPN);
	completes(r, 1);
	expect_polled(r, 2);
	KUNIT_EXPECT_EQ(test, r->cqb->cqe_cnt, KT_CQES);
}

struct unanswered_case {
	int err;
	bool unanswered;
};

/* values that mlx5_cmd_do() of Linux 6.12 returns, and their causes */
static const struct unanswered_case unanswered_cases[] = {
	{ 0, false },
	{ -EREMOTEIO, false },	/* a status of the device */
	{ -ENOMEM, false },	/* no mailbox */
	{ -EBUSY, false },	/* no slot free in time */
	{ -EAGAIN, false },	/* no command entry is free */
	{ -ETIMEDOUT, true },
	{ -ECANCELED, true },
	{ -EIO, true },		/* delivery status FW_ERR */
	{ -ENXIO, true },	/* the device was removed or reset */
};

static void unanswered_to_desc(const struct unanswered_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%pe", ERR_PTR(c->err));
}

KUNIT_ARRAY_PARAM(unanswered, unanswered_cases, unanswered_to_desc);

static void may_be_executed(struct kunit *test)
{
	const struct unanswered_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, ibx_cmd_unanswered(c->err), c->unanswered);
}

static struct kunit_case resize_tests[] = {
	KUNIT_CASE(poller_changes_over),
	KUNIT_CASE(rest_is_moved),
	KUNIT_CASE(rest_is_moved_late),
	KUNIT_CASE(cleaned_in_both),
	KUNIT_CASE(end_out_of_the_blue),
	KUNIT_CASE_PARAM(may_be_executed, unanswered_gen_params),
	{}
};

static struct kunit_suite resize_suite = {
	.name = "mlx5_ibx_resize",
	.test_cases = resize_tests,
};

kunit_test_suite(resize_suite);
