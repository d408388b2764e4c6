// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: KUnit suite of MRs: creation and destruction, states, keys, and the
 * hooks of drivers.
 */
#include "kunit.h"

struct create_case {
	const char *name;
	enum ib_mr_type type;
	u32 max;
	u32 flags;
	u64 lacks;		/* flags IB_DEVICE_* that the device lacks */
	bool gaps;
	u32 limit;
	u32 shift;
	enum rdma_driver_id driver;
	int alloc_err;
	int err;
};

#define FR	IB_MR_TYPE_FAST_REG
#define ARB	IB_MR_REG_ARB_SG
#define READS	IB_MR_REG_PEER_MAY_READ

static const struct create_case create_cases[] = {
	{ "one", FR, 1, .limit = FT_LIMIT },
	{ "as long as it goes", FR, FT_LIMIT, .limit = FT_LIMIT },
	{ "longer", FR, FT_LIMIT + 1, .limit = FT_LIMIT, .err = -EINVAL },
	{ "no limit said", FR, FT_LIMIT + 1 },
	{ "no length", FR, 0, .limit = FT_LIMIT, .err = -EINVAL },
	{ "no length, no limit said", FR, 0, .err = -EINVAL },
	{ "arbitrary", FR, 8, ARB, .gaps = true, .limit = FT_LIMIT },
	{ "arbitrary, too long", FR, 9, ARB, .gaps = true, .limit = 8, .err = -EINVAL },
	{ "arbitrary, cannot", FR, 8, ARB, .limit = FT_LIMIT, .err = -EOPNOTSUPP },
	{ "type with gaps", IB_MR_TYPE_SG_GAPS, 8, .gaps = true, .limit = FT_LIMIT,
	  .err = -EOPNOTSUPP },
	{ "integrity", IB_MR_TYPE_INTEGRITY, 8, .limit = FT_LIMIT, .err = -EOPNOTSUPP },
	{ "scatterlists only", FR, 8, IB_MR_REG_SG_ONLY, .limit = FT_LIMIT },
	{ "pages of 4 KiB", FR, 8, .limit = FT_LIMIT, .shift = 12 },
	{ "pages of PAGE_SIZE", FR, 8, .limit = FT_LIMIT, .shift = PAGE_SHIFT },
	{ "pages that are too small", FR, 8, .limit = FT_LIMIT, .shift = 11, .err = -EINVAL },
	{ "pages that are too large", FR, 8, .limit = FT_LIMIT, .shift = PAGE_SHIFT + 1,
	  .err = -EINVAL },
	{ "pages of no size", FR, 8, .limit = FT_LIMIT, .shift = U32_MAX, .err = -EINVAL },
	{ "peer may read", FR, 8, READS, .limit = FT_LIMIT },
	{ "READs unchecked", FR, 8, .limit = FT_LIMIT, .driver = RDMA_DRIVER_SIW,
	  .err = -EOPNOTSUPP },
	{ "READs unchecked, other flags", FR, 8, IB_MR_REG_SG_ONLY, .limit = FT_LIMIT,
	  .driver = RDMA_DRIVER_SIW, .err = -EOPNOTSUPP },
	{ "READs unchecked, accepted", FR, 8, READS, .limit = FT_LIMIT,
	  .driver = RDMA_DRIVER_SIW },
	{ "READs checked", FR, 8, .limit = FT_LIMIT, .driver = RDMA_DRIVER_RXE },
	{ "unknown flag", FR, 8, BIT(3), .limit = FT_LIMIT, .err = -EINVAL },
	{ "and one more", FR, 8, BIT(31) | ARB, .gaps = true, .limit = FT_LIMIT, .err = -EINVAL },
	{ "no registration", FR, 8, .lacks = IB_DEVICE_MEM_MGT_EXTENSIONS, .limit = FT_LIMIT,
	  .err = -EOPNOTSUPP },
	{ "driver out of memory", FR, 8, .limit = FT_LIMIT, .alloc_err = -ENOMEM, .err = -ENOMEM },
	{ "driver says something", FR, 8, .limit = FT_LIMIT, .alloc_err = -EIO, .err = -EIO },
};

KUNIT_ARRAY_PARAM_DESC(create, create_cases, name);

static void create(struct kunit *test)
{
	const struct create_case *c = test->param_value;
	struct ib_mr_init_attr attr = { c->type, c->max, c->flags, c->shift };
	struct ft *ft = ft_create(test);
	struct ib_mr *mr;

	ft->alloc_err = c->alloc_err;
	ft->dev->ops.driver_id = c->driver;
	ft->dev->attrs.device_cap_flags &= ~c->lacks;
	ft->dev->attrs.max_fast_reg_page_list_len = c->limit;
	if (c->gaps)
		ft->dev->attrs.kernel_cap_flags |= IBK_SG_GAPS_REG;
	mr = ib_create_mr(&ft->pd, &attr);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(mr), c->err);
	if (c->err) {
		KUNIT_EXPECT_EQ(test, ft->mrs, 0);
		return;
	}
	KUNIT_EXPECT_EQ(test, ft->type, c->flags & ARB ? IB_MR_TYPE_SG_GAPS : IB_MR_TYPE_MEM_REG);
	KUNIT_EXPECT_EQ(test, ft->max_num_sg, c->max);
	KUNIT_EXPECT_EQ(test, mr->page_size, c->shift ? 1U << c->shift : 4096);
	KUNIT_EXPECT_EQ(test, ib_destroy_mr(mr), 0);
	KUNIT_EXPECT_EQ(test, ft->mrs, 0);
}

/* ib_frwr allocates no scatterlist for an MR with IB_MR_REG_SG_ONLY */
static void sg_only(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 1, IB_MR_REG_SG_ONLY);
	struct bio_vec bv = { ft->page, PAGE_SIZE, 0 };

	KUNIT_EXPECT_NULL(test, frwr_mr_from(mr)->sgl);
	KUNIT_EXPECT_EQ(test, ft_set_page(ft, mr, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_biovec(mr, &bv, 1, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ft_set_page(ft, mr, DMA_NONE), 0);
}

static void no_alloc_mr(struct kunit *test)
{
	struct ib_mr_init_attr attr = { FR, 1, 0 };
	struct ft *ft = ft_create(test);

	ft->dev->ops.alloc_mr = NULL;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_create_mr(&ft->pd, &attr)), -EOPNOTSUPP);
}

static void no_map_mr_sg(struct kunit *test)
{
	struct ib_mr_init_attr attr = { FR, 1, 0 };
	struct ft *ft = ft_create(test);

	ft->dev->ops.map_mr_sg = NULL;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_create_mr(&ft->pd, &attr)), -EOPNOTSUPP);
}

static bool is_zero(const struct ib_sig_attrs *sig)
{
	return !memchr_inv(sig, 0, sizeof(*sig));
}

static void expect_foreign(struct ft *ft, struct ib_mr *mr)
{
	struct kunit *test = ft->test;

	KUNIT_EXPECT_EQ(test, ft_set_page(ft, mr, DMA_NONE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ft_set_page(ft, mr, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_biovec(mr, NULL, 1, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_posted(mr), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_invalidated(mr), -EINVAL);
}

/*
 * The calls for MRs of ib_create_mr() refuse MRs of ib_alloc_mr(), with and
 * without signature attributes, in the pool of a QP and outside of a pool.
 * ib_destroy_mr() accepts MRs of ib_alloc_mr().
 */
static void foreign(struct kunit *test)
{
	struct ib_sig_attrs *sig = kunit_kzalloc(test, sizeof(*sig), GFP_KERNEL);
	struct ft *ft = ft_create(test);
	struct ib_mr *mr[2];
	struct ib_qp *qp;
	int i;

	qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, qp);
	INIT_LIST_HEAD(&qp->rdma_mrs);
	for (i = 0; i < 2; i++) {
		mr[i] = ib_alloc_mr(&ft->pd, IB_MR_TYPE_MEM_REG, 1);
		KUNIT_ASSERT_FALSE(test, IS_ERR(mr[i]));
		expect_foreign(ft, mr[i]);
		list_add(&mr[i]->qp_entry, &qp->rdma_mrs);
		expect_foreign(ft, mr[0]);
	}
	expect_foreign(ft, mr[1]);
	mr[0]->type = IB_MR_TYPE_INTEGRITY;
	mr[0]->sig_attrs = sig;
	expect_foreign(ft, mr[0]);
	mr[0]->sig_attrs = NULL;
	ft->dereg_err = -EIO;
	mr[0]->uobject = NULL;
	KUNIT_EXPECT_EQ(test, ib_destroy_mr(mr[0]), -EIO);
	ft->dereg_err = 0;
	for (i = 0; i < 2; i++) {
		mr[i]->uobject = NULL;
		KUNIT_EXPECT_EQ(test, ib_destroy_mr(mr[i]), 0);
	}
}

/*
 * ib_frwr.h defines ib_dereg_mr() as ib_destroy_mr(), which unmaps memory.
 * Files that do not include ib_frwr.h call the core's function.
 */
static void dereg(struct kunit *test)
{
	struct ib_mr_init_attr attr = { FR, 1, 0 };
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ib_create_mr(&ft->pd, &attr);

	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	KUNIT_ASSERT_EQ(test, ft_set_page(ft, mr, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	KUNIT_EXPECT_EQ(test, ft->mapped, 0);
	KUNIT_EXPECT_EQ(test, ft->mrs, 0);

	/*
	 * the core frees the private part; an MR with IB_MR_REG_SG_ONLY has no
	 * other resources
	 */
	attr.create_flags = IB_MR_REG_SG_ONLY;
	mr = ib_create_mr(&ft->pd, &attr);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	KUNIT_EXPECT_PTR_EQ(test, (void *)frwr_mr_from(mr), (void *)mr->sig_attrs);
	KUNIT_EXPECT_TRUE(test, is_zero(&frwr_mr_from(mr)->sig));
	KUNIT_EXPECT_EQ(test, ib_dereg_mr_user(mr, NULL), 0);
	KUNIT_EXPECT_EQ(test, ft->mrs, 0);
}

/* ---- states ---- */

enum act { SET_SG, SET_PAGES, SET_BIOVEC, UNSET, POSTED, INVALIDATED };

static int do_op(struct ft *ft, struct ib_mr *mr, enum act op)
{
	struct bio_vec bv = { ft->page, PAGE_SIZE, 0 };

	switch (op) {
	case SET_SG:
		return ft_set_page(ft, mr, DMA_NONE);
	case SET_PAGES:
		return ft_set_page(ft, mr, DMA_FROM_DEVICE);
	case SET_BIOVEC:
		return ib_mr_set_biovec(mr, &bv, 1, DMA_FROM_DEVICE);
	case UNSET:
		return ib_mr_unset(mr);
	case POSTED:
		return ib_mr_posted(mr);
	case INVALIDATED:
		return ib_mr_invalidated(mr);
	}
	return -EDOM;
}

static void to_state(struct ft *ft, struct ib_mr *mr, enum frwr_state state, enum act set)
{
	if (state != FRWR_IDLE)
		KUNIT_ASSERT_EQ(ft->test, do_op(ft, mr, set), 0);
	if (state == FRWR_POSTED)
		KUNIT_ASSERT_EQ(ft->test, ib_mr_posted(mr), 0);
}

struct state_case {
	const char *name;
	enum frwr_state from;
	enum act op;
	int ret;
	enum frwr_state to;
};

static const struct state_case state_cases[] = {
	{ "idle, set_sg", FRWR_IDLE, SET_SG, 0, FRWR_SET },
	{ "idle, set_pages", FRWR_IDLE, SET_PAGES, 0, FRWR_SET },
	{ "idle, set_biovec", FRWR_IDLE, SET_BIOVEC, 0, FRWR_SET },
	{ "idle, unset", FRWR_IDLE, UNSET, -EINVAL, FRWR_IDLE },
	{ "idle, posted", FRWR_IDLE, POSTED, -EINVAL, FRWR_IDLE },
	{ "idle, invalidated", FRWR_IDLE, INVALIDATED, -EINVAL, FRWR_IDLE },
	{ "set, set_sg", FRWR_SET, SET_SG, -EBUSY, FRWR_SET },
	{ "set, set_pages", FRWR_SET, SET_PAGES, -EBUSY, FRWR_SET },
	{ "set, set_biovec", FRWR_SET, SET_BIOVEC, -EBUSY, FRWR_SET },
	{ "set, unset", FRWR_SET, UNSET, 0, FRWR_IDLE },
	{ "set, posted", FRWR_SET, POSTED, 0, FRWR_POSTED },
	{ "set, invalidated", FRWR_SET, INVALIDATED, -EINVAL, FRWR_SET },
	{ "posted, set_sg", FRWR_POSTED, SET_SG, -EBUSY, FRWR_POSTED },
	{ "posted, set_pages", FRWR_POSTED, SET_PAGES, -EBUSY, FRWR_POSTED },
	{ "posted, set_biovec", FRWR_POSTED, SET_BIOVEC, -EBUSY, FRWR_POSTED },
	{ "posted, unset", FRWR_POSTED, UNSET, -EBUSY, FRWR_POSTED },
	{ "posted, posted", FRWR_POSTED, POSTED, -EBUSY, FRWR_POSTED },
	{ "posted, invalidated", FRWR_POSTED, INVALIDATED, 0, FRWR_IDLE },
};

KUNIT_ARRAY_PARAM_DESC(state, state_cases, name);

/*
 * Checks the return value and the state, and that only a successful set changes
 * the MR. @set moves the MR from IDLE to c->from.
 */
static void check_state(struct ft *ft, const struct state_case *c, enum act set)
{
	struct ib_mr_init_attr attr = { FR, 1, 0 };
	struct ib_mr *mr = ib_create_mr(&ft->pd, &attr), before;
	bool sets = c->to == FRWR_SET && c->from == FRWR_IDLE;
	bool ours = (sets ? c->op : set) != SET_SG;

	KUNIT_ASSERT_FALSE(ft->test, IS_ERR(mr));
	to_state(ft, mr, c->from, set);
	before = *mr;
	KUNIT_EXPECT_EQ(ft->test, do_op(ft, mr, c->op), c->ret);
	KUNIT_EXPECT_EQ(ft->test, frwr_mr_from(mr)->state, c->to);
	KUNIT_EXPECT_EQ(ft->test, ft->mapped, ours && c->to != FRWR_IDLE ? 1 : 0);
	if (!sets)
		KUNIT_EXPECT_MEMEQ(ft->test, mr, &before, sizeof(before));
	KUNIT_EXPECT_EQ(ft->test, ib_destroy_mr(mr), 0);
	KUNIT_EXPECT_EQ(ft->test, ft->mapped, 0);
}

static void state(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	enum act set;

	for (set = SET_SG; set <= SET_BIOVEC; set++)
		check_state(ft, test->param_value, set);
	KUNIT_ASSERT_EQ(test, ft_add_hooks(ft), 0);
	for (set = SET_SG; set <= SET_BIOVEC; set++)
		check_state(ft, test->param_value, set);
}

/*
 * ib_destroy_mr() unmaps memory after the driver's dereg_mr(); if dereg_mr()
 * fails, the memory stays mapped
 */
static void destroy_in(struct kunit *test, enum frwr_state state, enum act set)
{
	struct ib_mr_init_attr attr = { FR, 1, 0 };
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ib_create_mr(&ft->pd, &attr), before;
	int mapped = state != FRWR_IDLE && set != SET_SG;

	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	to_state(ft, mr, state, set);
	before = *mr;
	ft->dereg_err = -EIO;
	KUNIT_EXPECT_EQ(test, ib_destroy_mr(mr), -EIO);
	KUNIT_EXPECT_EQ(test, ft->mapped, mapped);
	KUNIT_EXPECT_EQ(test, frwr_mr_from(mr)->state, state);
	/* the core no longer tracks the MR in mr->res; all other members are unchanged */
	KUNIT_EXPECT_MEMEQ(test, mr, &before, offsetof(struct ib_mr, res));
	ft->dereg_err = 0;
	ft->dereg_mapped = -1;
	KUNIT_EXPECT_EQ(test, ib_destroy_mr(mr), 0);
	KUNIT_EXPECT_EQ(test, ft->dereg_mapped, mapped);
	KUNIT_EXPECT_EQ(test, ft->mapped, 0);
	KUNIT_EXPECT_EQ(test, ft->mrs, 0);
}

static void destroy_idle(struct kunit *test)
{
	destroy_in(test, FRWR_IDLE, SET_SG);
}

static void destroy_set_sg(struct kunit *test)
{
	destroy_in(test, FRWR_SET, SET_SG);
}

static void destroy_set_pages(struct kunit *test)
{
	destroy_in(test, FRWR_SET, SET_PAGES);
}

static void destroy_posted_biovec(struct kunit *test)
{
	destroy_in(test, FRWR_POSTED, SET_BIOVEC);
}

/* ---- keys ---- */

static void one_life(struct ft *ft, struct ib_mr *mr)
{
	KUNIT_ASSERT_EQ(ft->test, ft_set_page(ft, mr, DMA_NONE), 0);
	KUNIT_ASSERT_EQ(ft->test, ib_mr_posted(mr), 0);
	KUNIT_ASSERT_EQ(ft->test, ib_mr_invalidated(mr), 0);
}

static void keys_roll(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 1, 0);
	DECLARE_BITMAP(seen, 256);
	int i;

	bitmap_zero(seen, 256);
	__set_bit(mr->rkey & 0xff, seen);
	for (i = 0; i < 255; i++) {
		one_life(ft, mr);
		KUNIT_EXPECT_EQ(test, mr->rkey & ~0xff, FT_KEY);
		KUNIT_EXPECT_EQ(test, mr->lkey, mr->rkey);
		KUNIT_EXPECT_FALSE(test, __test_and_set_bit(mr->rkey & 0xff, seen));
		KUNIT_EXPECT_EQ(test, ft->keys, mr->lkey);
	}
	one_life(ft, mr);
	KUNIT_EXPECT_EQ(test, mr->rkey, FT_KEY | 0x22);
}

/* a failed set changes nothing in an MR that has the values of an earlier registration */
static void failed_set(struct ft *ft, enum act op, int err)
{
	struct ib_mr *mr = ft_mr(ft, 1, 0), before;
	struct ib_fast_reg_wr wr;

	KUNIT_ASSERT_EQ(ft->test, ft_set_page(ft, mr, DMA_NONE), 0);
	KUNIT_ASSERT_EQ(ft->test, ib_init_fast_reg_wr(&wr, mr, 0, PAGE_SIZE,
						      IB_ACCESS_REMOTE_READ), 0);
	KUNIT_ASSERT_EQ(ft->test, ib_mr_unset(mr), 0);
	before = *mr;
	ft->map_says = err == -ENOMEM ? -EIO : err;
	ft->hook_err = err;
	KUNIT_EXPECT_EQ(ft->test, do_op(ft, mr, op),
			frwr_mr_from(mr)->provider ? err : ft->map_says);
	KUNIT_EXPECT_MEMEQ(ft->test, mr, &before, sizeof(before));
	KUNIT_EXPECT_EQ(ft->test, ft->mapped, 0);
	KUNIT_EXPECT_EQ(ft->test, frwr_mr_from(mr)->state, FRWR_IDLE);
	ft->map_says = 0;
	ft->hook_err = 0;
	KUNIT_EXPECT_EQ(ft->test, do_op(ft, mr, op), 0);
	KUNIT_EXPECT_EQ(ft->test, mr->rkey, ib_inc_rkey(before.rkey));
	KUNIT_EXPECT_EQ(ft->test, ib_mr_unset(mr), 0);
}

static void failed_sets(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	enum act op;

	for (op = SET_SG; op <= SET_BIOVEC; op++)
		failed_set(ft, op, -EINVAL);
	KUNIT_ASSERT_EQ(test, ft_add_hooks(ft), 0);
	for (op = SET_SG; op <= SET_BIOVEC; op++) {
		failed_set(ft, op, -EINVAL);
		failed_set(ft, op, -ENOSPC);
		failed_set(ft, op, -ENOMEM);
	}
}

/* A failed first set: lkey and rkey keep the low bytes that the driver set. */
static void failed_first_set(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 1, 0);

	ft->map_says = -EIO;
	KUNIT_EXPECT_EQ(test, ft_set_page(ft, mr, DMA_NONE), -EIO);
	KUNIT_EXPECT_EQ(test, mr->lkey, FT_KEY | 0x11);
	KUNIT_EXPECT_EQ(test, mr->rkey, FT_KEY | 0x22);
}

/* ---- hooks ---- */

static void hooks_by_owner(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct module *owner = ft->dev->ops.owner;
	struct ib_mr *before = ft_mr(ft, 2, 0), *mr, *other;

	KUNIT_ASSERT_EQ(test, ft_add_hooks(ft), 0);
	mr = ft_mr(ft, 2, 0);
	ft->dev->ops.owner = kunit_kzalloc(test, 1, GFP_KERNEL);
	other = ft_mr(ft, 2, 0);
	ft->dev->ops.owner = NULL;	/* a built-in driver */
	ft_mr(ft, 2, 0);
	ft->dev->ops.owner = owner;

	KUNIT_EXPECT_EQ(test, ft_set_page(ft, before, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ft_set_page(ft, other, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ft->hooks, 0);
	KUNIT_EXPECT_EQ(test, ft_set_page(ft, mr, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ft->hooks, 1);
	KUNIT_EXPECT_EQ(test, mr->iova, ft->base + FT_BUS);
	KUNIT_EXPECT_EQ(test, mr->length, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, ft->page_size, 4096);
	/* the key is rolled before the hook is called */
	KUNIT_EXPECT_EQ(test, ft->keys, mr->lkey);
	KUNIT_EXPECT_EQ(test, mr->rkey, FT_KEY | 0x23);
}

/* ib_frwr refuses a list of more than max_reg_descs pages, although the hook accepts it */
static void hooks_take_too_much(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr;
	enum act op;

	KUNIT_ASSERT_EQ(test, ft_add_hooks(ft), 0);
	mr = ft_mr(ft, 2, 0);
	for (op = SET_SG; op <= SET_BIOVEC; op++) {
		struct ib_mr was = *mr;

		ft->hook_len = 2 * PAGE_SIZE + 1;
		KUNIT_EXPECT_EQ(test, do_op(ft, mr, op), -ENOSPC);
		KUNIT_EXPECT_MEMEQ(test, mr, &was, sizeof(was));
		KUNIT_EXPECT_EQ(test, ft->mapped, 0);
		ft->hook_len--;
		KUNIT_EXPECT_EQ(test, do_op(ft, mr, op), 0);
		KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
	}
}

/* arguments that are refused before the hook is called */
static void hooks_not_called(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct bio_vec bv[3] = {};
	struct scatterlist sg[3];
	struct page *pages[3] = { ft->page, ft->page, ft->page };
	struct ib_mr *mr, *arb;

	KUNIT_ASSERT_EQ(test, ft_add_hooks(ft), 0);
	mr = ft_mr(ft, 2, 0);
	arb = ft_mr(ft, 2, ARB);
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg(mr, sg, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg(mr, sg, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg(arb, sg, 3), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ib_mr_set_biovec(mr, bv, 0, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_biovec(mr, bv, 1, DMA_NONE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_biovec(arb, bv, 3, DMA_TO_DEVICE), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, pages, 0, 0, 1, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, pages, 0, 1, 1, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, pages, 1, 0, 0, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, pages, 1, 0, 1, DMA_NONE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, pages, 3, PAGE_SIZE, 1, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, pages, 1, 1, PAGE_SIZE, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, pages, 1, 1, SIZE_MAX, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, pages, 3, 1, 2 * PAGE_SIZE, DMA_TO_DEVICE),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(arb, pages, 3, 1, 2 * PAGE_SIZE, DMA_TO_DEVICE),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, ft->hooks, 0);
	KUNIT_EXPECT_EQ(test, mr->rkey, FT_KEY | 0x22);
	KUNIT_EXPECT_EQ(test, ib_mr_set_pages(mr, pages, 3, 1, 2 * PAGE_SIZE - 1, DMA_TO_DEVICE),
			0);
	KUNIT_EXPECT_EQ(test, ft->hooks, 1);
}

static void registering(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_frwr_provider none = {}, p;

	KUNIT_ASSERT_EQ(test, ft_add_hooks(ft), 0);
	p = *frwr_find_provider(ft->dev);
	KUNIT_EXPECT_EQ(test, ib_frwr_register_provider(&p), -EEXIST);
	KUNIT_EXPECT_EQ(test, ib_frwr_register_provider(&none), -EINVAL);
	none.owner = p.owner;
	KUNIT_EXPECT_EQ(test, ib_frwr_register_provider(&none), -EINVAL);
	p.owner = NULL;
	KUNIT_EXPECT_EQ(test, ib_frwr_register_provider(&p), -EINVAL);
	p.owner = (struct module *)test;
	KUNIT_EXPECT_EQ(test, ib_frwr_register_provider(&p), 0);
	ib_frwr_unregister_provider(&p);
	KUNIT_EXPECT_PTR_NE(test, frwr_find_provider(ft->dev), NULL);
}

static struct kunit_case mr_tests[] = {
	KUNIT_CASE_PARAM(create, create_gen_params),
	KUNIT_CASE(sg_only),
	KUNIT_CASE(no_alloc_mr),
	KUNIT_CASE(no_map_mr_sg),
	KUNIT_CASE(foreign),
	KUNIT_CASE(dereg),
	KUNIT_CASE_PARAM(state, state_gen_params),
	KUNIT_CASE(destroy_idle),
	KUNIT_CASE(destroy_set_sg),
	KUNIT_CASE(destroy_set_pages),
	KUNIT_CASE(destroy_posted_biovec),
	KUNIT_CASE(keys_roll),
	KUNIT_CASE(failed_sets),
	KUNIT_CASE(failed_first_set),
	KUNIT_CASE(hooks_by_owner),
	KUNIT_CASE(hooks_take_too_much),
	KUNIT_CASE(hooks_not_called),
	KUNIT_CASE(registering),
	{}
};

static struct kunit_suite mr_suite = {
	.name = "ib_frwr_mr",
	.test_cases = mr_tests,
};

kunit_test_suite(mr_suite);

MODULE_DESCRIPTION("KUnit tests of ib_frwr");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_LICENSE("Dual BSD/GPL");
