// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queues that need much memory: the sizes that ULPs request, and the largest sizes
 * that the device reports. Messages wrap around each ring.
 */
#include <linux/slab.h>

#include "compat.h"
#include "ibx_test.h"

#define T_BATCH		32	/* messages in a round */
#define T_MESSAGE	128	/* bytes of a message */
#define T_PIECE		4	/* bytes of each SGE but the last */

/* ---- messages ---- */

static void t_cut_message(const struct t_end *e, struct ib_sge *sges, int nr, u32 offset)
{
	int i;

	for (i = 0; i < nr; i++)
		sges[i] = t_sge(e, offset + i * T_PIECE, T_PIECE);
	sges[nr - 1].length = T_MESSAGE - (nr - 1) * T_PIECE;
}

static int t_post_one(struct t_pair *p, u64 id)
{
	struct ib_sge sges[T_MESSAGE / T_PIECE];
	struct ib_send_wr wr;

	t_cut_message(&p->end[0], sges, p->opts->recv_sges ?: 1, id * T_MESSAGE);
	T_TRY(t_post_recv_sges(&p->end[0], id, sges, p->opts->recv_sges ?: 1));
	t_send_wr(&wr, sges, id);
	wr.num_sge = p->opts->send_sges ?: 2;
	t_cut_message(&p->end[1], sges, wr.num_sge, id * T_MESSAGE);
	return ib_post_send(p->end[1].qp, &wr, NULL);
}

static int t_round(struct t_pair *p, u32 seed)
{
	u64 id;

	t_fill(&p->end[1], 0, T_BATCH * T_MESSAGE, seed);
	t_set(&p->end[0], T_GUARD);
	for (id = 0; id < T_BATCH; id++)
		T_TRY(t_post_one(p, id));
	for (id = 0; id < T_BATCH; id++) {
		T_EXPECT(t_wait(&p->end[0].rq, id), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&p->end[1].sq, id), IB_WC_SUCCESS);
	}
	T_TRY(t_check_only(&p->end[0], 0, T_BATCH * T_MESSAGE, seed));
	t_clear_counts(&p->end[0].rq);
	t_clear_counts(&p->end[1].sq);
	return 0;
}

static int t_rounds(struct t_pair *p, u32 messages)
{
	u32 i;

	for (i = 0; i <= messages / T_BATCH; i++)
		T_TRY(t_round(p, i));
	return 0;
}

/* ---- cases ---- */

/* creates a pair with @opts on the devices of @p, and moves @messages between its ends */
static int t_with_pair(struct t_pair *p, const struct t_opts *opts, u32 messages)
{
	struct t_pair *large;
	int ret;

	large = kvzalloc(sizeof(*large), GFP_KERNEL);
	if (!large)
		return -ENOMEM;
	ret = t_pair_create(large, p->end[0].dev, p->end[1].dev, opts);
	if (ret) {
		t_log("cannot make a pair: %d\n", ret);
		goto free;
	}
	ret = t_pair_connect(large);
	if (!ret)
		ret = t_rounds(large, messages);
	t_pair_destroy(large);
free:
	kvfree(large);
	return ret;
}

/* queues that nvme-rdma creates for p->arg entries; the WQE of an RC send has at most 384 bytes */
static int nvme_queues(struct t_pair *p)
{
	u32 entries = (uintptr_t)p->arg;
	const struct t_opts opts = {
		.sq_depth = 3 * entries + 1, .rq_depth = entries + 1, .send_sges = 22,
		.cqe = 4 * entries + 1,
	};

	return t_with_pair(p, &opts, 8 * entries);
}

static int large_srq(struct t_pair *p)
{
	const struct t_opts opts = { .srq_depth = 4000, .recv_sges = 20, .send_sges = 22 };

	return t_with_pair(p, &opts, 5000);
}

static int large_resizes(struct t_pair *p)
{
	static const int sizes[] = { 16383, 1023, 65535, 127 };
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		T_TRY(t_ib_resize_cq(p->end[0].rq.cq, sizes[i]));
		T_TRY(t_ib_resize_cq(p->end[1].sq.cq, sizes[i]));
		T_TRY(t_rounds(p, 300));
	}
	return 0;
}

/*
 * mlx5_ib creates WQEs of 512 bytes for these attributes, and allows at most
 * 32768 basic blocks
 */
static int largest_qp(struct t_pair *p)
{
	const struct ib_device_attr *attrs = &p->end[0].dev->attrs;
	u32 wrs = min(attrs->max_qp_wr, 4096);
	const struct t_opts opts = {
		.sq_depth = wrs, .rq_depth = wrs, .send_sges = 22,
		.recv_sges = min(attrs->max_recv_sge, T_MESSAGE / T_PIECE), .cqe = 2 * wrs,
	};

	return t_with_pair(p, &opts, 2 * wrs);
}

static int largest_cq(struct t_pair *p)
{
	const struct t_opts opts = { .cqe = min(p->end[0].dev->attrs.max_cqe, 131071) };

	return t_with_pair(p, &opts, 1000);
}

/* a CQ has the largest size that the device reports, and no larger size */
static int largest_cqe(struct t_pair *p)
{
	struct ib_device *dev = p->end[0].dev;
	struct ib_cq_init_attr attr = { .cqe = dev->attrs.max_cqe };
	struct ib_cq *cq;
	int cqe;

	cq = ib_create_cq(dev, NULL, NULL, NULL, &attr);
	T_TRY(PTR_ERR_OR_ZERO(cq));
	cqe = cq->cqe;
	ib_destroy_cq(cq);
	T_EXPECT(cqe, dev->attrs.max_cqe);
	attr.cqe++;
	cq = ib_create_cq(dev, NULL, NULL, NULL, &attr);
	if (!IS_ERR(cq)) {
		ib_destroy_cq(cq);
		return T_FAIL("%u CQEs were accepted", attr.cqe);
	}
	T_EXPECT(PTR_ERR(cq), -EINVAL);
	return 0;
}

/* a CQ in use is resized to the largest size that the device reports */
static int largest_resize(struct t_pair *p)
{
	struct ib_cq *cq = p->end[1].sq.cq;

	T_TRY(t_rounds(p, 100));
	T_TRY(t_ib_resize_cq(cq, cq->device->attrs.max_cqe));
	T_EXPECT(cq->cqe, cq->device->attrs.max_cqe);
	T_TRY(t_rounds(p, 1000));
	T_TRY(t_ib_resize_cq(cq, 127));
	return t_rounds(p, 1000);
}

const struct t_case t_rings_cases[] = {
	{ "nvme_queues_128", nvme_queues, NULL, (void *)128 },
	{ "nvme_queues_1024", nvme_queues, NULL, (void *)1024 },
	{ "large_srq", large_srq },
	{ "large_resizes", large_resizes },
	{ "largest_qp", largest_qp },
	{ "largest_cq", largest_cq },
	{ "largest_cqe", largest_cqe },
	{ "largest_resize", largest_resize },
	{ }
};
