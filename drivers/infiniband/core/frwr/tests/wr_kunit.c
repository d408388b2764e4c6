// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: access flags, and work requests of registrations.
 */
#include "kunit.h"

#define L	IB_ACCESS_LOCAL_WRITE
#define W	IB_ACCESS_REMOTE_WRITE
#define R	IB_ACCESS_REMOTE_READ
#define A	IB_ACCESS_REMOTE_ATOMIC

struct access_case {
	const char *name;
	enum ib_mr_role role;
	enum dma_data_direction dir;
	int roce;
	int iwarp;
};

static const struct access_case access_cases[] = {
	{ "local reads", IB_MR_LOCAL, DMA_TO_DEVICE, 0, 0 },
	{ "local writes", IB_MR_LOCAL, DMA_FROM_DEVICE, L, L | W },
	{ "local both", IB_MR_LOCAL, DMA_BIDIRECTIONAL, L, L | W },
	{ "local none", IB_MR_LOCAL, DMA_NONE, 0, 0 },
	{ "remote reads", IB_MR_REMOTE, DMA_TO_DEVICE, R, R },
	{ "remote writes", IB_MR_REMOTE, DMA_FROM_DEVICE, L | W, L | W },
	{ "remote both", IB_MR_REMOTE, DMA_BIDIRECTIONAL, L | W | R, L | W | R },
	{ "remote none", IB_MR_REMOTE, DMA_NONE, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(access, access_cases, name);

static void access(struct kunit *test)
{
	const struct access_case *c = test->param_value;
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 1, 0);

	ft->port[1].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	KUNIT_EXPECT_EQ(test, ib_mr_access(mr, c->role, c->dir), c->roce);
	ft->port[1].immutable.core_cap_flags = RDMA_CORE_PORT_IWARP;
	KUNIT_EXPECT_EQ(test, ib_mr_access(mr, c->role, c->dir), c->iwarp);
}

struct init_case {
	const char *name;
	u64 move;		/* iova minus the start of the list */
	u64 iova;		/* iova, if not 0, instead of @move */
	s64 longer;		/* length minus the length of the list */
	u64 length;		/* length, if not 0, instead of @longer */
	int access;
	enum dma_data_direction dir;
	bool hook;
	int err;
};

/* the list is one page */
static const struct init_case init_cases[] = {
	{ "as it is", .access = R, .dir = DMA_TO_DEVICE },
	{ "no right", .dir = DMA_TO_DEVICE },
	{ "moved by a page", .move = PAGE_SIZE, .access = R, .dir = DMA_TO_DEVICE },
	{ "moved far", .move = -PAGE_SIZE * 0x123456ULL, .access = R, .dir = DMA_TO_DEVICE },
	{ "another offset", .move = 1, .dir = DMA_TO_DEVICE, .err = -EINVAL },
	{ "half a page away", .move = PAGE_SIZE / 2, .dir = DMA_TO_DEVICE, .err = -EINVAL },
	{ "prefix", .longer = -1, .access = R, .dir = DMA_TO_DEVICE, .hook = true },
	{ "one byte", .length = 1, .access = R, .dir = DMA_TO_DEVICE, .hook = true },
	{ "prefix without a hook", .longer = -1, .access = R, .dir = DMA_TO_DEVICE,
	  .err = -EOPNOTSUPP },
	{ "nothing", .longer = -(s64)PAGE_SIZE, .dir = DMA_TO_DEVICE, .err = -EINVAL },
	{ "one too long", .longer = 1, .dir = DMA_TO_DEVICE, .err = -EINVAL },
	{ "far too long", .length = U64_MAX, .dir = DMA_TO_DEVICE, .err = -EINVAL },
	{ "wraps", .iova = -PAGE_SIZE, .dir = DMA_TO_DEVICE, .err = -EINVAL },
	{ "almost wraps", .iova = -PAGE_SIZE, .longer = -1, .dir = DMA_TO_DEVICE, .hook = true },
	{ "remote write alone", .access = W, .dir = DMA_BIDIRECTIONAL, .err = -EINVAL },
	{ "atomics alone", .access = A, .dir = DMA_BIDIRECTIONAL, .err = -EINVAL },
	{ "local write, mapped to read", .access = L, .dir = DMA_TO_DEVICE, .err = -EINVAL },
	{ "remote write, mapped to read", .access = L | W, .dir = DMA_TO_DEVICE, .err = -EINVAL },
	{ "atomics, mapped to read", .access = L | A, .dir = DMA_TO_DEVICE, .err = -EINVAL },
	{ "remote write", .access = L | W, .dir = DMA_FROM_DEVICE },
	{ "local write", .access = L, .dir = DMA_FROM_DEVICE },
	{ "remote read, mapped to write", .access = R, .dir = DMA_FROM_DEVICE, .err = -EINVAL },
	{ "atomics, mapped to write", .access = L | A, .dir = DMA_FROM_DEVICE, .err = -EINVAL },
	{ "both", .access = L | W | R, .dir = DMA_BIDIRECTIONAL },
	{ "caller's memory", .access = L | W | R, .dir = DMA_NONE },
	{ "relaxed ordering", .access = R | IB_ACCESS_RELAXED_ORDERING, .dir = DMA_TO_DEVICE },
	{ "no atomics here", .access = L | A, .dir = DMA_NONE, .err = -EOPNOTSUPP },
	{ "windows", .access = IB_ACCESS_MW_BIND, .dir = DMA_NONE, .err = -EOPNOTSUPP },
	{ "zero based", .access = IB_ZERO_BASED, .dir = DMA_NONE, .err = -EOPNOTSUPP },
	{ "on demand", .access = IB_ACCESS_ON_DEMAND, .dir = DMA_NONE, .err = -EOPNOTSUPP },
	{ "huge pages", .access = IB_ACCESS_HUGETLB, .dir = DMA_NONE, .err = -EOPNOTSUPP },
	{ "flush", .access = IB_ACCESS_FLUSH_GLOBAL, .dir = DMA_NONE, .err = -EOPNOTSUPP },
	{ "persistent", .access = IB_ACCESS_FLUSH_PERSISTENT, .dir = DMA_NONE,
	  .err = -EOPNOTSUPP },
	{ "unknown", .access = INT_MIN, .dir = DMA_NONE, .err = -EOPNOTSUPP },
};

KUNIT_ARRAY_PARAM_DESC(init, init_cases, name);

static void init(struct kunit *test)
{
	const struct init_case *c = test->param_value;
	struct ft *ft = ft_create(test);
	struct ib_fast_reg_wr wr, old;
	struct ib_mr *mr, was;
	u64 iova, length;

	if (c->hook)
		KUNIT_ASSERT_EQ(test, ft_add_hooks(ft), 0);
	mr = ft_mr(ft, 1, 0);

	memset(&wr, 0xa5, sizeof(wr));
	old = wr;
	KUNIT_ASSERT_EQ(test, ft_set_page(ft, mr, c->dir), 0);
	was = *mr;
	iova = c->iova ? c->iova : mr->iova + c->move;
	length = c->length ? c->length : mr->length + c->longer;
	KUNIT_ASSERT_EQ(test, ib_init_fast_reg_wr(&wr, mr, iova, length, c->access), c->err);
	if (c->err) {
		KUNIT_EXPECT_MEMEQ(test, &wr, &old, sizeof(wr));
		KUNIT_EXPECT_MEMEQ(test, mr, &was, sizeof(was));
		return;
	}
	KUNIT_EXPECT_EQ(test, mr->iova, iova);
	KUNIT_EXPECT_EQ(test, mr->length, length);
	KUNIT_EXPECT_EQ(test, wr.reg.wr.opcode, IB_WR_REG_MR);
	KUNIT_EXPECT_PTR_EQ(test, wr.reg.mr, mr);
	KUNIT_EXPECT_EQ(test, wr.reg.key, mr->rkey);
	KUNIT_EXPECT_EQ(test, wr.reg.access, c->access);
	KUNIT_EXPECT_NULL(test, wr.reg.wr.next);
	KUNIT_EXPECT_NULL(test, wr.reg.wr.wr_cqe);
	KUNIT_EXPECT_EQ(test, wr.reg.wr.send_flags, 0);
	KUNIT_EXPECT_EQ(test, wr.reg.wr.num_sge, 0);
}

/* each capability of the device permits its access flag and no other */
static void capabilities(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 1, 0);
	struct ib_fast_reg_wr wr;

	KUNIT_ASSERT_EQ(test, ft_set_page(ft, mr, DMA_BIDIRECTIONAL), 0);
	ft->dev->attrs.atomic_cap = IB_ATOMIC_HCA;
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, mr->iova, PAGE_SIZE, L | A), 0);
	ft->dev->attrs.device_cap_flags |= IB_DEVICE_FLUSH_GLOBAL;
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, mr->iova, PAGE_SIZE,
						  IB_ACCESS_FLUSH_GLOBAL), 0);
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, mr->iova, PAGE_SIZE,
						  IB_ACCESS_FLUSH_PERSISTENT), -EOPNOTSUPP);
	ft->dev->attrs.device_cap_flags |= IB_DEVICE_FLUSH_PERSISTENT;
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, mr->iova, PAGE_SIZE,
						  IB_ACCESS_FLUSH_PERSISTENT), 0);
}

/* iova and length are checked against the list, not against the previous registration */
static void again(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_fast_reg_wr wr;
	struct ib_mr *mr;

	KUNIT_ASSERT_EQ(test, ft_add_hooks(ft), 0);
	mr = ft_mr(ft, 1, 0);
	KUNIT_ASSERT_EQ(test, ib_mr_set_pages(mr, &ft->page, 1, 40, 100, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, 40, 10, R), 0);
	KUNIT_EXPECT_EQ(test, mr->length, 10);
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, 0, 10, R), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, PAGE_SIZE + 40, 100, R), 0);
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, 40, 101, R), -EINVAL);
	KUNIT_EXPECT_EQ(test, mr->iova, PAGE_SIZE + 40);
	KUNIT_EXPECT_EQ(test, mr->length, 100);
}

static void states(struct kunit *test)
{
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 1, 0), foreign = {};
	struct ib_fast_reg_wr wr;

	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, mr->iova, PAGE_SIZE, R), -EINVAL);
	KUNIT_ASSERT_EQ(test, ft_set_page(ft, mr, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, mr->iova, PAGE_SIZE, R), 0);
	KUNIT_EXPECT_EQ(test, ib_mr_posted(mr), 0);
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, mr->iova, PAGE_SIZE, R), -EBUSY);
	KUNIT_EXPECT_EQ(test, ib_mr_invalidated(mr), 0);
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, mr, mr->iova, PAGE_SIZE, R), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_init_fast_reg_wr(&wr, &foreign, 0, 1, R), -EINVAL);
}

/* ---- ib_fast_reg_post_send() ---- */

static void set_fast_reg(struct ib_fast_reg_wr *wr, struct ib_mr *mr, u64 iova, u64 length)
{
	*wr = (struct ib_fast_reg_wr){
		.reg.wr.opcode = IB_WR_FAST_REG_MR,
		.reg.wr.wr_id = 17,
		.reg.wr.send_flags = IB_SEND_SIGNALED,
		.fast_reg = { mr, iova, length, R },
	};
}

/*
 * A registration, a SEND and a registration. Each MR has a list of one page,
 * mapped for reading.
 */
struct post {
	struct ft *ft;
	struct ib_qp qp;
	struct ib_mr *mr[2];
	struct ib_fast_reg_wr reg[2];
	struct ib_send_wr send;
};

static struct post *make_post(struct kunit *test)
{
	struct post *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->ft = ft_create(test);
	KUNIT_ASSERT_EQ(test, ft_add_hooks(p->ft), 0);
	p->qp.device = p->ft->dev;
	for (i = 0; i < 2; i++) {
		p->mr[i] = ft_mr(p->ft, 1, 0);
		KUNIT_ASSERT_EQ(test, ft_set_page(p->ft, p->mr[i], DMA_TO_DEVICE), 0);
		set_fast_reg(&p->reg[i], p->mr[i], (i + 1) * PAGE_SIZE, 100 + i);
	}
	p->send.opcode = IB_WR_SEND;
	p->reg[0].reg.wr.next = &p->send;
	p->send.next = &p->reg[1].reg.wr;
	return p;
}

static int post(struct post *p, const struct ib_send_wr **bad)
{
	return ib_fast_reg_post_send(&p->qp, &p->reg[0].reg.wr, bad);
}

static void expect_states(struct kunit *test, struct post *p, int first, int second)
{
	KUNIT_EXPECT_EQ(test, frwr_mr_from(p->mr[0])->state, first);
	KUNIT_EXPECT_EQ(test, frwr_mr_from(p->mr[1])->state, second);
}

/* the driver gets the values that the ULP sets in fast_reg */
static void post_applies(struct kunit *test)
{
	struct post *p = make_post(test);
	int i;

	KUNIT_ASSERT_EQ(test, post(p, NULL), 0);
	KUNIT_EXPECT_EQ(test, p->ft->posts, 1);
	KUNIT_EXPECT_EQ(test, p->ft->others, 1);
	KUNIT_ASSERT_EQ(test, p->ft->regs, 2);
	expect_states(test, p, FRWR_POSTED, FRWR_POSTED);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_PTR_EQ(test, p->ft->reg[i].mr, p->mr[i]);
		KUNIT_EXPECT_EQ(test, p->ft->reg[i].key, p->mr[i]->rkey);
		KUNIT_EXPECT_EQ(test, p->ft->reg[i].access, R);
		KUNIT_EXPECT_EQ(test, p->ft->reg[i].wr.wr_id, 17);
		KUNIT_EXPECT_EQ(test, p->ft->reg[i].wr.send_flags, IB_SEND_SIGNALED);
		KUNIT_EXPECT_EQ(test, p->mr[i]->iova, (i + 1) * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, p->mr[i]->length, 100 + i);
	}
}

/* ib_frwr refuses the second registration: the driver gets no work request */
static void post_refuses(struct kunit *test)
{
	struct post *p = make_post(test);
	const struct ib_send_wr *bad;
	struct ib_mr foreign = {};
	const struct {
		struct ib_mr *mr;
		u64 iova;
		u64 length;
		int access;
		int err;
	} rows[] = {
		{ p->mr[1], 1, 1, R, -EINVAL },
		{ p->mr[1], 0, PAGE_SIZE + 1, R, -EINVAL },
		{ p->mr[1], 0, 1, L | W, -EINVAL },
		{ p->mr[1], 0, 1, IB_ACCESS_ON_DEMAND, -EOPNOTSUPP },
		{ p->mr[0], 0, 1, R, -EBUSY },
		{ &foreign, 0, 1, R, -EINVAL },
		{ NULL, 0, 1, R, -EINVAL },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		set_fast_reg(&p->reg[1], rows[i].mr, rows[i].iova, rows[i].length);
		p->reg[1].fast_reg.access_flags = rows[i].access;
		bad = NULL;
		KUNIT_EXPECT_EQ(test, post(p, &bad), rows[i].err);
		KUNIT_EXPECT_PTR_EQ(test, bad, &p->reg[0].reg.wr);
		expect_states(test, p, FRWR_SET, FRWR_SET);
	}
	KUNIT_EXPECT_EQ(test, p->ft->posts, 0);
	/* the first registration was valid, so it can be posted afterwards */
	set_fast_reg(&p->reg[1], p->mr[1], 0, 1);
	KUNIT_EXPECT_EQ(test, post(p, &bad), 0);
	KUNIT_EXPECT_EQ(test, p->ft->regs, 2);
}

/* the driver posts the first part of the chain */
static void post_part(struct kunit *test)
{
	struct post *p = make_post(test);
	const struct ib_send_wr *bad = NULL;

	p->ft->post_err = -ENOMEM;
	p->ft->post_bad = &p->send;
	KUNIT_EXPECT_EQ(test, post(p, &bad), -ENOMEM);
	KUNIT_EXPECT_PTR_EQ(test, bad, &p->send);
	expect_states(test, p, FRWR_POSTED, FRWR_SET);
	/* post the rest of the chain: the iova of fast_reg is set again */
	p->ft->post_err = 0;
	p->mr[1]->iova = 0;
	KUNIT_EXPECT_EQ(test, ib_fast_reg_post_send(&p->qp, &p->send, &bad), 0);
	expect_states(test, p, FRWR_POSTED, FRWR_POSTED);
	KUNIT_EXPECT_EQ(test, p->mr[1]->iova, 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, p->ft->regs, 2);
}

/* if the driver does not set *bad_wr, all MRs stay POSTED */
static void post_mute(struct kunit *test)
{
	struct post *p = make_post(test);
	const struct ib_send_wr *bad = &p->send;

	p->ft->post_err = -EIO;
	p->ft->post_bad = &p->reg[0].reg.wr;
	p->ft->post_mute = true;
	KUNIT_EXPECT_EQ(test, post(p, &bad), -EIO);
	KUNIT_EXPECT_NULL(test, bad);
	expect_states(test, p, FRWR_POSTED, FRWR_POSTED);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(p->mr[0]), -EBUSY);
}

/*
 * A chain of a work request of ib_init_fast_reg_wr() and a registration of an
 * MR that ib_frwr did not create.
 */
static void post_mixed(struct kunit *test)
{
	struct post *p = make_post(test);
	struct ib_mr other = { .rkey = 5 };
	struct ib_reg_wr plain = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = &other,
		.key = 4,
	};

	KUNIT_ASSERT_EQ(test, ib_init_fast_reg_wr(&p->reg[0], p->mr[0], 0, 50, R), 0);
	p->reg[0].reg.wr.next = &plain.wr;
	p->reg[0].fast_reg.length = 49;
	KUNIT_EXPECT_EQ(test, post(p, NULL), 0);
	KUNIT_EXPECT_EQ(test, p->ft->regs, 2);
	KUNIT_EXPECT_EQ(test, p->mr[0]->length, 49);
	KUNIT_EXPECT_EQ(test, p->ft->reg[1].key, 4);
	expect_states(test, p, FRWR_POSTED, FRWR_SET);
	KUNIT_EXPECT_EQ(test, post(p, NULL), -EBUSY);
	expect_states(test, p, FRWR_POSTED, FRWR_SET);
}

/* the RFC's example, in full */
static void rfc_example(struct kunit *test)
{
	struct ib_mr_init_attr attr = { IB_MR_TYPE_FAST_REG, 4, 0 };
	struct ib_fast_reg_wr wr = { .reg.wr.opcode = IB_WR_FAST_REG_MR };
	struct ib_send_wr inv = { .opcode = IB_WR_LOCAL_INV };
	struct ft *ft = ft_create(test);
	struct ib_qp qp = { .device = ft->dev };
	const struct ib_send_wr *bad;
	struct scatterlist sg;
	struct ib_mr *mr;

	mr = ib_create_mr(&ft->pd, &attr);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mr));
	sg_init_table(&sg, 1);
	sg_dma_address(&sg) = ft->base + FT_BUS;
	sg_dma_len(&sg) = PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg(mr, &sg, 1), 0);
	wr.fast_reg.mr = mr;
	wr.fast_reg.iova = mr->iova;
	wr.fast_reg.length = mr->length;
	wr.fast_reg.access_flags = R;
	KUNIT_EXPECT_EQ(test, ib_fast_reg_post_send(&qp, &wr.reg.wr, &bad), 0);
	KUNIT_EXPECT_EQ(test, ft->regs, 1);
	inv.ex.invalidate_rkey = mr->rkey;
	KUNIT_EXPECT_EQ(test, ib_post_send(&qp, &inv, &bad), 0);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	KUNIT_EXPECT_EQ(test, ft->mrs, 0);
}

/* ---- drivers with the opcode IB_WR_FAST_REG_MR ---- */

static void driver_posts(struct kunit *test)
{
	struct post *p = make_post(test);
	const struct ib_fast_reg_wr was = p->reg[0];
	struct ib_reg_wr reg, again;

	KUNIT_ASSERT_EQ(test, ib_frwr_begin_reg(&p->qp, &p->reg[0].wr, &reg), 0);
	KUNIT_EXPECT_MEMEQ(test, &p->reg[0], &was, sizeof(was));
	KUNIT_EXPECT_EQ(test, reg.wr.opcode, IB_WR_REG_MR);
	KUNIT_EXPECT_EQ(test, reg.wr.wr_id, 17);
	KUNIT_EXPECT_EQ(test, reg.wr.send_flags, IB_SEND_SIGNALED);
	KUNIT_EXPECT_PTR_EQ(test, reg.mr, p->mr[0]);
	KUNIT_EXPECT_EQ(test, reg.key, p->mr[0]->rkey);
	KUNIT_EXPECT_EQ(test, reg.access, R);
	KUNIT_EXPECT_EQ(test, p->mr[0]->iova, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, p->mr[0]->length, 100);
	expect_states(test, p, FRWR_POSTED, FRWR_SET);
	KUNIT_EXPECT_EQ(test, ib_frwr_begin_reg(&p->qp, &p->reg[0].wr, &again), -EBUSY);
	ib_frwr_cancel_reg(&reg);
	expect_states(test, p, FRWR_SET, FRWR_SET);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(p->mr[0]), 0);
}

static void driver_refuses(struct kunit *test)
{
	struct post *p = make_post(test);
	struct ib_device *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct ib_mr foreign = { .device = p->ft->dev };
	struct ib_reg_wr reg;

	KUNIT_ASSERT_NOT_NULL(test, other);
	set_fast_reg(&p->reg[0], p->mr[0], 1, 1);
	KUNIT_EXPECT_EQ(test, ib_frwr_begin_reg(&p->qp, &p->reg[0].wr, &reg), -EINVAL);
	set_fast_reg(&p->reg[0], NULL, 0, 1);
	KUNIT_EXPECT_EQ(test, ib_frwr_begin_reg(&p->qp, &p->reg[0].wr, &reg), -EINVAL);
	set_fast_reg(&p->reg[0], &foreign, 0, 1);
	KUNIT_EXPECT_EQ(test, ib_frwr_begin_reg(&p->qp, &p->reg[0].wr, &reg), -EINVAL);
	set_fast_reg(&p->reg[0], p->mr[0], 0, 1);
	p->qp.device = other;
	KUNIT_EXPECT_EQ(test, ib_frwr_begin_reg(&p->qp, &p->reg[0].wr, &reg), -EINVAL);
	expect_states(test, p, FRWR_SET, FRWR_SET);
}

static struct kunit_case wr_tests[] = {
	KUNIT_CASE_PARAM(access, access_gen_params),
	KUNIT_CASE_PARAM(init, init_gen_params),
	KUNIT_CASE(capabilities),
	KUNIT_CASE(again),
	KUNIT_CASE(states),
	KUNIT_CASE(post_applies),
	KUNIT_CASE(post_refuses),
	KUNIT_CASE(post_part),
	KUNIT_CASE(post_mute),
	KUNIT_CASE(post_mixed),
	KUNIT_CASE(rfc_example),
	KUNIT_CASE(driver_posts),
	KUNIT_CASE(driver_refuses),
	{}
};

static struct kunit_suite wr_suite = {
	.name = "ib_frwr_wr",
	.test_cases = wr_tests,
};

kunit_test_suite(wr_suite);
