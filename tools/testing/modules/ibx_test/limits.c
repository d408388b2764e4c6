// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A case creates objects of one kind until the device refuses to create another one. The creation
 * fails with an errno for a limit, the existing objects work, and the case destroys all objects.
 * After that, the same number of objects can be created: the failed creation has leaked no object.
 *
 * The device must support less than T_MOST objects of each kind.
 */
#include <linux/slab.h>

#include "ibx_test.h"

#define T_LEAST	16
#define T_MOST	300

/**
 * struct t_kind - a kind of object
 * @make: creates one more object; ERR_PTR() on failure
 * @destroy: destroys such an object
 */
struct t_kind {
	void *(*make)(struct t_pair *p);
	void (*destroy)(void *object);
};

static void *t_make_pd(struct t_pair *p)
{
	return ib_alloc_pd(p->end[0].dev, 0);
}

static void t_destroy_pd(void *object)
{
	ib_dealloc_pd(object);
}

static void *t_make_cq(struct t_pair *p)
{
	struct ib_cq_init_attr attr = { .cqe = 4 };

	return ib_create_cq(p->end[0].dev, NULL, NULL, NULL, &attr);
}

static void t_destroy_cq(void *object)
{
	ib_destroy_cq(object);
}

static void *t_make_qp(struct t_pair *p)
{
	static const struct t_opts opts = { .sq_depth = 1, .rq_depth = 1, .send_sges = 1 };
	struct t_end *e = &p->end[0];

	return t_qp_create(e, e->sq.cq, e->rq.cq, &opts);
}

static void t_destroy_qp(void *object)
{
	ib_destroy_qp(object);
}

static void *t_make_mr(struct t_pair *p)
{
	return ib_alloc_mr(p->end[0].pd, IB_MR_TYPE_MEM_REG, 4);
}

static void t_destroy_mr(void *object)
{
	ib_dereg_mr(object);
}

static int t_make_all(struct t_pair *p, const struct t_kind *kind, void **objects)
{
	int n;

	for (n = 0; n < T_MOST; n++) {
		objects[n] = kind->make(p);
		if (IS_ERR(objects[n]))
			break;
	}
	return n;
}

static int t_made(struct t_pair *p, const struct t_kind *kind, void **objects)
{
	const struct t_msg m = { .op = IB_WR_SEND, .len = 100 };
	int n, i, before = 0, round;
	long err;
	int ret;

	for (round = 0; round < 2; round++) {
		n = t_make_all(p, kind, objects);
		err = n < T_MOST ? PTR_ERR(objects[n]) : 0;
		/* existing objects still work */
		ret = t_message(p, &m);
		for (i = n - 1; i >= 0; i--)
			kind->destroy(objects[i]);
		T_TRY(ret);
		/* a device returns LIM_ERR or NO_RES_ERR */
		if (err != -ENOMEM && err != -ENOSPC && err != -EAGAIN)
			return T_FAIL("round %d: number %d: %ld", round, n, err);
		if (round)
			T_EXPECT(n, before);
		before = n;
	}
	T_EXPECT(n >= T_LEAST, 1);
	return 0;
}

static int t_limit(struct t_pair *p, const struct t_kind *kind)
{
	void **objects;
	int ret;

	objects = kvcalloc(T_MOST, sizeof(*objects), GFP_KERNEL);
	if (!objects)
		return -ENOMEM;
	ret = t_made(p, kind, objects);
	kvfree(objects);
	return ret;
}

static int all_pds(struct t_pair *p)
{
	const struct t_kind kind = { t_make_pd, t_destroy_pd };

	return t_limit(p, &kind);
}

static int all_cqs(struct t_pair *p)
{
	const struct t_kind kind = { t_make_cq, t_destroy_cq };

	return t_limit(p, &kind);
}

static int all_qps(struct t_pair *p)
{
	const struct t_kind kind = { t_make_qp, t_destroy_qp };

	return t_limit(p, &kind);
}

static int all_mrs(struct t_pair *p)
{
	const struct t_kind kind = { t_make_mr, t_destroy_mr };

	return t_limit(p, &kind);
}

/* creates a QP with max_qp_wr receives and a quarter as many sends, each of one element */
static int deepest_qp(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	const struct t_opts opts = {
		.sq_depth = e->dev->attrs.max_qp_wr / 4, .rq_depth = e->dev->attrs.max_qp_wr,
		.send_sges = 1,
	};
	struct ib_qp *qp = t_qp_create(e, e->sq.cq, e->rq.cq, &opts);

	if (IS_ERR(qp))
		return T_FAIL("%u receives: %ld", opts.rq_depth, PTR_ERR(qp));
	T_TRY(ib_destroy_qp(qp));
	return 0;
}

const struct t_case t_limits_cases[] = {
	{ "all_pds", all_pds },
	{ "all_cqs", all_cqs },
	{ "all_qps", all_qps },
	{ "all_mrs", all_mrs },
	{ "deepest_qp", deepest_qp },
	{ }
};
