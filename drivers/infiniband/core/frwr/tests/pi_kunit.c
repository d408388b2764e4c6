// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: MRs with protection information.
 */
#include "kunit.h"

#define PT_MAX		4	/* elements of each list of an MR */
#define PT_LIMIT	64	/* max_pi_fast_reg_page_list_len */

static struct ft *pt_create(struct kunit *test)
{
	struct ft *ft = ft_create(test);

	ft->dev->attrs.kernel_cap_flags |= IBK_INTEGRITY_HANDOVER;
	ft->dev->attrs.max_pi_fast_reg_page_list_len = PT_LIMIT;
	ft->dev->attrs.sig_guard_cap = IB_GUARD_T10DIF_CRC | IB_GUARD_T10DIF_CSUM;
	return ft;
}

static void pt_destroy_mr(void *mr)
{
	frwr_destroy_mr(frwr_mr_of(mr));
}

static struct ib_mr *pt_mr(struct ft *ft)
{
	const struct ib_mr_init_attr attr = {
		.mr_type = IB_MR_TYPE_INTEGRITY,
		.max_reg_descs = PT_MAX,
		.max_meta_descs = PT_MAX,
	};
	struct ib_mr *mr = frwr_pi_create_mr(&ft->pd, &attr);

	KUNIT_ASSERT_FALSE(ft->test, IS_ERR(mr));
	KUNIT_ASSERT_EQ(ft->test, kunit_add_action_or_reset(ft->test, pt_destroy_mr, mr), 0);
	return mr;
}

/* ---- attributes of MRs ---- */

struct attr_case {
	const char *name;
	struct ib_mr_init_attr attr;
	bool no_cap;
	bool no_limit;
	int err;
};

#define PI(data, meta, ...)						\
	.attr = { .mr_type = IB_MR_TYPE_INTEGRITY, .max_reg_descs = data, \
		  .max_meta_descs = meta, __VA_ARGS__ }

static const struct attr_case attr_cases[] = {
	{ "usual", PI(8, 8) },
	{ "at the limit", PI(PT_LIMIT, PT_LIMIT) },
	{ "too much data", PI(PT_LIMIT + 1, 1), .err = -EINVAL },
	{ "too much protection information", PI(1, PT_LIMIT + 1), .err = -EINVAL },
	{ "no limit", PI(PT_LIMIT + 1, PT_LIMIT + 1), .no_limit = true },
	{ "no data", PI(0, 1), .err = -EINVAL },
	{ "no protection information", PI(1, 0), .err = -EINVAL },
	{ "flags without effect", PI(1, 1, .create_flags = IB_MR_REG_ARB_SG | IB_MR_REG_SG_ONLY) },
	{ "unknown flag", PI(1, 1, .create_flags = BIT(3)), .err = -EINVAL },
	{ "pages that are too small", PI(1, 1, .page_shift = 11), .err = -EINVAL },
	{ "device without", PI(8, 8), .no_cap = true, .err = -EOPNOTSUPP },
};

KUNIT_ARRAY_PARAM_DESC(attr, attr_cases, name);

static void check_attr(struct kunit *test)
{
	const struct attr_case *c = test->param_value;
	struct ft *ft = pt_create(test);

	if (c->no_cap)
		ft->dev->attrs.kernel_cap_flags &= ~IBK_INTEGRITY_HANDOVER;
	if (c->no_limit)
		ft->dev->attrs.max_pi_fast_reg_page_list_len = 0;
	KUNIT_EXPECT_EQ(test, frwr_pi_check_attr(ft->dev, &c->attr), c->err);
	/* ib_create_mr() does not create such MRs */
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_create_mr(&ft->pd, &c->attr)), -EOPNOTSUPP);
}

/*
 * a driver that lacks a verb although the device has announced the capability
 */
static void check_verbs(struct kunit *test)
{
	static const struct ib_mr_init_attr attr = {
		.mr_type = IB_MR_TYPE_INTEGRITY, .max_reg_descs = 1, .max_meta_descs = 1,
	};
	struct ft *ft = pt_create(test);
	const struct ib_device_ops ops = ft->dev->ops;

	KUNIT_EXPECT_EQ(test, frwr_pi_check_attr(ft->dev, &attr), 0);
	ft->dev->ops.alloc_mr_integrity = NULL;
	KUNIT_EXPECT_EQ(test, frwr_pi_check_attr(ft->dev, &attr), -EOPNOTSUPP);
	ft->dev->ops = ops;
	ft->dev->ops.map_mr_sg_pi = NULL;
	KUNIT_EXPECT_EQ(test, frwr_pi_check_attr(ft->dev, &attr), -EOPNOTSUPP);
	ft->dev->ops = ops;
	ft->dev->ops.check_mr_status = NULL;
	KUNIT_EXPECT_EQ(test, frwr_pi_check_attr(ft->dev, &attr), -EOPNOTSUPP);
}

static void plain_with_meta(struct kunit *test)
{
	struct ib_mr_init_attr attr = { IB_MR_TYPE_FAST_REG, 8, .max_meta_descs = 1 };
	struct ft *ft = ft_create(test);

	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_create_mr(&ft->pd, &attr)), -EINVAL);
}

static void alloc_fails(struct kunit *test)
{
	const struct ib_mr_init_attr attr = { IB_MR_TYPE_INTEGRITY, 1, .max_meta_descs = 1 };
	struct ft *ft = pt_create(test);

	ft->alloc_err = -EIO;
	KUNIT_EXPECT_EQ(test, PTR_ERR(frwr_pi_create_mr(&ft->pd, &attr)), -EIO);
}

static void destroy_fails(struct kunit *test)
{
	struct ft *ft = pt_create(test);
	struct ib_mr *mr = pt_mr(ft);
	struct frwr_mr *f = frwr_mr_of(mr);

	KUNIT_EXPECT_EQ(test, ft->metas, PT_MAX);
	KUNIT_EXPECT_EQ(test, ft->max_num_sg, PT_MAX);
	ft->dereg_err = -EBUSY;
	KUNIT_EXPECT_EQ(test, frwr_destroy_mr(f), -EBUSY);
	KUNIT_EXPECT_PTR_EQ(test, frwr_mr_of(mr), f);
	ft->dereg_err = 0;
}

/* the functions for single MRs refuse an MR of a registration context */
static void single_calls(struct kunit *test)
{
	struct ft *ft = pt_create(test);
	struct ib_mr *mr = pt_mr(ft);

	KUNIT_EXPECT_NULL(test, frwr_mr_from(mr));
	KUNIT_EXPECT_EQ(test, ft_set_page(ft, mr, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ft_set_page(ft, mr, DMA_NONE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_posted(mr), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_invalidated(mr), -EINVAL);
}

/* ---- lists and attributes ---- */

#define NONE	{ .sig_type = IB_SIG_TYPE_NONE }
#define DIF(block, ...)							\
	{ .sig_type = IB_SIG_TYPE_T10_DIF, .sig.dif = { .pi_interval = block, __VA_ARGS__ } }

struct map_case {
	const char *name;
	u32 data[PT_MAX + 2];
	u32 meta[PT_MAX + 2];
	struct ib_sig_domain mem;
	struct ib_sig_domain wire;
	int guards;		/* sig_guard_cap, if not 0 */
	u64 length;
	u64 local;
	int err;
};

static const struct map_case map_cases[] = {
	{ "both", { 1024 }, { 16 }, DIF(512), DIF(512), .length = 1040, .local = 1040 },
	{ "memory", { 1024 }, { 16 }, DIF(512), NONE, .length = 1024, .local = 1024 },
	{ "wire", { 1024 }, { }, NONE, DIF(512), .length = 1040, .local = 1040 },
	{ "pieces", { 1, 2000, 47 }, { 31, 1 }, DIF(512), DIF(512), .length = 2080, .local = 2080 },
	{ "large blocks", { 8192 }, { 16 }, DIF(4096), NONE, .length = 8192, .local = 8192 },
	{ "odd blocks", { 1040 }, { 16 }, DIF(520), NONE, .length = 1040, .local = 1040 },
	{ "odd large blocks", { 4160 }, { 8 }, DIF(4160), NONE, .length = 4160, .local = 4160 },
	{ "two sizes", { 4096 }, { 64 }, DIF(512), DIF(4096), .length = 4104, .local = 4104 },
	{ "seed", { 512 }, { 8 }, DIF(512, .bg = 0xffff), NONE, .length = 512, .local = 512 },
	{ "checksum", { 512 }, { 8 }, DIF(512, .bg_type = IB_T10DIF_CSUM), NONE, .length = 512,
	  .local = 512 },
	{ "full", { 512, 512, 512, 512 }, { 8, 8, 8, 8 }, DIF(512), NONE, .length = 2048,
	  .local = 2048 },
	{ "nothing", { 1024 }, { }, NONE, NONE, .err = -EINVAL },
	{ "list for nothing", { 1024 }, { 16 }, NONE, DIF(512), .err = -EINVAL },
	{ "no list", { 1024 }, { }, DIF(512), NONE, .err = -EINVAL },
	{ "between the blocks", { 1040 }, { }, DIF(512), DIF(512), .length = 1040, .local = 1040 },
	{ "removed between the blocks", { 513, 527 }, { }, DIF(512), NONE, .length = 1024,
	  .local = 1024 },
	{ "between blocks of two sizes", { 4160 }, { }, DIF(512), DIF(4096), .length = 4104,
	  .local = 4104 },
	{ "part of a tuple between", { 1039 }, { }, DIF(512), DIF(512), .err = -EINVAL },
	{ "between too few for the wire", { 2080 }, { }, DIF(512), DIF(4096), .err = -EINVAL },
	{ "a tuple less", { 1024 }, { 8 }, DIF(512), DIF(512), .err = -EINVAL },
	{ "a byte less", { 1024 }, { 15 }, DIF(512), DIF(512), .err = -EINVAL },
	{ "a tuple more", { 1024 }, { 16, 8 }, DIF(512), DIF(512), .err = -EINVAL },
	{ "part of a block", { 1024, 1 }, { 16 }, DIF(512), DIF(512), .err = -EINVAL },
	{ "part of a block on the wire", { 1000 }, { }, NONE, DIF(512), .err = -EINVAL },
	{ "part of a large block", { 2048 }, { 32 }, DIF(512), DIF(4096), .err = -EINVAL },
	{ "no data", { }, { }, NONE, DIF(512), .err = -EINVAL },
	{ "too much data", { 512, 512, 512, 512, 512 }, { 40 }, DIF(512), NONE, .err = -ENOSPC },
	{ "too many tuples", { 2560 }, { 8, 8, 8, 8, 8 }, DIF(512), NONE, .err = -ENOSPC },
	{ "2 GiB", { 1U << 30, 1U << 30 }, { }, NONE, DIF(512), .err = -ENOSPC },
	{ "2 GiB with tuples", { (1U << 31) - (1U << 24) }, { }, NONE, DIF(512), .err = -ENOSPC },
	{ "8 GiB", { 0xfffffe00, 0xfffffe00 }, { }, NONE, DIF(512), .err = -ENOSPC },
	{ "unknown type", { 512 }, { 8 }, { .sig_type = 2 }, NONE, .err = -EINVAL },
	{ "unknown type on the wire", { 512 }, { }, NONE, { .sig_type = 2 }, .err = -EINVAL },
	{ "unknown guard", { 512 }, { 8 }, DIF(512, .bg_type = 2), NONE, .err = -EINVAL },
	{ "seed that is none", { 512 }, { 8 }, DIF(512, .bg = 1), NONE, .err = -EINVAL },
	{ "no block", { 512 }, { 8 }, DIF(0), NONE, .err = -EOPNOTSUPP },
	{ "unknown block", { 512 }, { 8 }, DIF(1024), NONE, .err = -EOPNOTSUPP },
	{ "unknown block on the wire", { 512 }, { 8 }, DIF(512), DIF(8), .err = -EOPNOTSUPP },
	{ "no such guard", { 512 }, { 8 }, DIF(512), NONE, IB_GUARD_T10DIF_CSUM,
	  .err = -EOPNOTSUPP },
	{ "no such guard on the wire", { 512 }, { }, NONE, DIF(512, .bg_type = IB_T10DIF_CSUM),
	  IB_GUARD_T10DIF_CRC, .err = -EOPNOTSUPP },
};

KUNIT_ARRAY_PARAM_DESC(map, map_cases, name);

/* @len ends with 0. Returns the number of elements. */
static int pt_list(struct ft *ft, struct scatterlist *sg, const u32 *len)
{
	int n;

	sg_init_table(sg, PT_MAX + 1);
	for (n = 0; len[n]; n++) {
		sg_dma_address(&sg[n]) = ft->base + FT_BUS + n * PAGE_SIZE;
		sg_dma_len(&sg[n]) = len[n];
	}
	return n;
}

static int pt_map(struct ft *ft, struct ib_frwr_pi_req *pi, const struct map_case *c)
{
	const struct ib_sig_attrs attrs = {
		.check_mask = 0xc3, .mem = c->mem, .wire = c->wire, .meta_length = 77,
	};
	struct scatterlist data[PT_MAX + 1], meta[PT_MAX + 1];
	const struct ib_frwr_pi_lists lists = {
		.data = data, .data_nents = pt_list(ft, data, c->data),
		.meta = meta, .meta_nents = pt_list(ft, meta, c->meta),
	};

	return frwr_pi_map(pi, &lists, &attrs);
}

static void map(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	struct ib_frwr_pi_req pi = { };
	struct ft *ft = pt_create(test);
	struct ib_mr *mr = pt_mr(ft);
	const u32 key = mr->rkey;

	pi.req.mr = mr;
	if (c->guards)
		ft->dev->attrs.sig_guard_cap = c->guards;
	KUNIT_ASSERT_EQ(test, pt_map(ft, &pi, c), c->err);
	KUNIT_EXPECT_EQ(test, pi.req.length, c->length);
	KUNIT_EXPECT_EQ(test, pi.local_length, c->local);
	KUNIT_EXPECT_EQ(test, frwr_mr_of(mr)->state, c->err ? FRWR_IDLE : FRWR_SET);
	/* an invalid list does not reach the driver */
	KUNIT_EXPECT_EQ(test, ft->nr ? 1 : 0, !c->err);
	KUNIT_EXPECT_EQ(test, mr->rkey == key, !!c->err);
	if (c->err)
		return;
	KUNIT_EXPECT_EQ(test, ft->sig.check_mask, 0xc3);
	KUNIT_EXPECT_EQ(test, ft->sig.mem.sig_type, c->mem.sig_type);
	KUNIT_EXPECT_EQ(test, ft->sig.wire.sig_type, c->wire.sig_type);
	KUNIT_EXPECT_EQ(test, ft->page_size, 4096);
	/* as after a release */
	frwr_detach_list(frwr_mr_of(mr));
}

/*
 * Elements that are empty or wrap, and negative numbers of elements, are
 * refused. A list of protection information may have 0 elements.
 */
static void bad_elements(struct kunit *test)
{
	static const struct ib_sig_attrs attrs = { .wire = DIF(512) };
	struct scatterlist sg[2];
	struct ib_frwr_pi_lists lists = { .data = sg, .data_nents = 2 };
	struct ib_frwr_pi_req pi = { };
	struct ft *ft = pt_create(test);

	pi.req.mr = pt_mr(ft);
	sg_init_table(sg, 2);
	sg_dma_address(&sg[0]) = FT_BUS;
	sg_dma_len(&sg[0]) = 512;
	sg_dma_address(&sg[1]) = FT_BUS + 512;
	sg_dma_len(&sg[1]) = 0;
	KUNIT_EXPECT_EQ(test, frwr_pi_map(&pi, &lists, &attrs), -EINVAL);
	sg_dma_address(&sg[1]) = (dma_addr_t)-256;
	sg_dma_len(&sg[1]) = 512;
	KUNIT_EXPECT_EQ(test, frwr_pi_map(&pi, &lists, &attrs), -EINVAL);
	lists.data_nents = -1;
	KUNIT_EXPECT_EQ(test, frwr_pi_map(&pi, &lists, &attrs), -EINVAL);
	lists.data_nents = 1;
	lists.meta_nents = -1;
	KUNIT_EXPECT_EQ(test, frwr_pi_map(&pi, &lists, &attrs), -EINVAL);
	lists.meta_nents = 0;
	KUNIT_EXPECT_EQ(test, frwr_pi_map(&pi, &lists, &attrs), 0);
	KUNIT_EXPECT_EQ(test, ft->metas, 0);
}

/* if the driver does not attach the lists, the MR is unchanged */
static void driver_fails(struct kunit *test)
{
	const struct map_case *c = &map_cases[0];
	struct ib_frwr_pi_req pi = { };
	struct ft *ft = pt_create(test);
	struct ib_mr *mr = pt_mr(ft);
	u32 key;

	pi.req.mr = mr;
	KUNIT_ASSERT_EQ(test, pt_map(ft, &pi, c), 0);
	frwr_detach_list(frwr_mr_of(mr));
	key = mr->rkey;
	ft->pi_err = -ENOMEM;
	KUNIT_EXPECT_EQ(test, pt_map(ft, &pi, &map_cases[3]), -ENOSPC);
	ft->pi_err = -EIO;
	KUNIT_EXPECT_EQ(test, pt_map(ft, &pi, &map_cases[3]), -EIO);
	KUNIT_EXPECT_EQ(test, mr->rkey, key);
	KUNIT_EXPECT_EQ(test, mr->length, 1040);
	KUNIT_EXPECT_EQ(test, frwr_mr_of(mr)->state, FRWR_IDLE);
}

/*
 * bio_vecs are mapped for DMA until the release ends, and are unmapped after an
 * error
 */
static void bvecs(struct kunit *test)
{
	static const struct ib_sig_attrs attrs = { .mem = DIF(512) };
	struct bio_vec data[2], meta;
	struct ib_frwr_pi_bvecs vecs = { data, 2, &meta, 1 };
	struct ib_frwr_pi_req pi = { };
	struct ft *ft = pt_create(test);

	bvec_set_page(&data[0], ft->page, 512, 8);
	bvec_set_page(&data[1], frwr_nth_page(ft->page, 2), 512, 1024);
	bvec_set_page(&meta, frwr_nth_page(ft->page, 4), 16, 40);
	pi.req.mr = pt_mr(ft);
	KUNIT_ASSERT_EQ(test, frwr_pi_map_bvecs(&pi, &vecs, &attrs, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, ft->mapped, 2);
	KUNIT_EXPECT_EQ(test, ft->dir, DMA_TO_DEVICE);
	KUNIT_EXPECT_EQ(test, ft->nr, 2);
	KUNIT_EXPECT_EQ(test, ft->metas, 1);
	KUNIT_EXPECT_EQ(test, pi.req.length, 1024);
	frwr_detach_list(frwr_mr_of(pi.req.mr));
	KUNIT_EXPECT_EQ(test, ft->mapped, 0);

	/*
	 * errors: an empty bio_vec of protection information, too little
	 * protection information, an error of the driver, an error of mapping
	 * for DMA, no bio_vec of data
	 */
	meta.bv_len = 0;
	KUNIT_EXPECT_EQ(test, frwr_pi_map_bvecs(&pi, &vecs, &attrs, DMA_TO_DEVICE), -EINVAL);
	meta.bv_len = 8;
	KUNIT_EXPECT_EQ(test, frwr_pi_map_bvecs(&pi, &vecs, &attrs, DMA_TO_DEVICE), -EINVAL);
	meta.bv_len = 16;
	ft->pi_err = -EIO;
	KUNIT_EXPECT_EQ(test, frwr_pi_map_bvecs(&pi, &vecs, &attrs, DMA_TO_DEVICE), -EIO);
	KUNIT_EXPECT_EQ(test, ft->mapped, 0);
	ft->dma_err = -EREMOTEIO;
	KUNIT_EXPECT_EQ(test, frwr_pi_map_bvecs(&pi, &vecs, &attrs, DMA_TO_DEVICE), -EREMOTEIO);
	vecs.data_vcnt = 0;
	KUNIT_EXPECT_EQ(test, frwr_pi_map_bvecs(&pi, &vecs, &attrs, DMA_TO_DEVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, ft->mapped, 0);
}

/*
 * An MR with a list of bio_vecs is destroyed: its key is invalid before the
 * memory is unmapped.
 */
static void destroyed_with_bvecs(struct kunit *test)
{
	static const struct ib_sig_attrs attrs = { .mem = DIF(512) };
	const struct ib_mr_init_attr attr = {
		.mr_type = IB_MR_TYPE_INTEGRITY, .max_reg_descs = 1, .max_meta_descs = 1,
	};
	struct bio_vec data, meta;
	const struct ib_frwr_pi_bvecs vecs = { &data, 1, &meta, 1 };
	struct ib_frwr_pi_req pi = { };
	struct ft *ft = pt_create(test);

	bvec_set_page(&data, ft->page, 512, 0);
	bvec_set_page(&meta, frwr_nth_page(ft->page, 4), 8, 0);
	pi.req.mr = frwr_pi_create_mr(&ft->pd, &attr);
	KUNIT_ASSERT_FALSE(test, IS_ERR(pi.req.mr));
	KUNIT_EXPECT_EQ(test, frwr_pi_map_bvecs(&pi, &vecs, &attrs, DMA_FROM_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, frwr_destroy_mr(frwr_mr_of(pi.req.mr)), 0);
	KUNIT_EXPECT_EQ(test, ft->dereg_mapped, 2);
	KUNIT_EXPECT_EQ(test, ft->mapped, 0);
}

/* ---- status ---- */

static void status(struct kunit *test)
{
	struct ib_frwr_pi_req pi = { };
	struct ft *ft = pt_create(test);

	pi.req.mr = pt_mr(ft);
	ft->sig_errs = 1;
	frwr_pi_take_status(&pi);
	KUNIT_EXPECT_EQ(test, pi.status_err, 0);
	KUNIT_EXPECT_EQ(test, pi.status.fail_status, IB_MR_CHECK_SIG_STATUS);
	KUNIT_EXPECT_EQ(test, pi.status.sig_err.err_type, IB_SIG_BAD_APPTAG);
	KUNIT_EXPECT_EQ(test, pi.status.sig_err.sig_err_offset, 520);
	/* the driver reports the error once */
	frwr_pi_take_status(&pi);
	KUNIT_EXPECT_EQ(test, pi.status.fail_status, 0);
	KUNIT_EXPECT_EQ(test, pi.status.sig_err.sig_err_offset, 0);
	ft->status_err = -EIO;
	frwr_pi_take_status(&pi);
	KUNIT_EXPECT_EQ(test, pi.status_err, -EIO);
	KUNIT_EXPECT_EQ(test, pi.status.fail_status, 0);
}

/*
 * an error that arrives after the release is not reported for the next
 * registration
 */
static void late_error(struct kunit *test)
{
	struct ib_frwr_pi_req pi = { };
	struct ft *ft = pt_create(test);

	pi.req.mr = pt_mr(ft);
	ft->sig_errs = 1;
	KUNIT_ASSERT_EQ(test, pt_map(ft, &pi, &map_cases[0]), 0);
	frwr_pi_take_status(&pi);
	KUNIT_EXPECT_EQ(test, pi.status.fail_status, 0);
	/* no error is reported for a registration that was not posted */
	ft->sig_errs = 1;
	ft->status_err = -EIO;
	frwr_pi_take_status(&pi);
	KUNIT_EXPECT_EQ(test, pi.status_err, 0);
	KUNIT_EXPECT_EQ(test, pi.status.fail_status, 0);
	frwr_mr_of(pi.req.mr)->state = FRWR_POSTED;
	frwr_pi_take_status(&pi);
	KUNIT_EXPECT_EQ(test, pi.status_err, -EIO);
}

/* the signature error of each MR takes one CQE */
static void entries_of_errors(struct kunit *test)
{
	struct ib_frwr_attr attr = { .mr.mr_type = IB_MR_TYPE_INTEGRITY, .max_mrs = 17 };

	KUNIT_EXPECT_EQ(test, ib_frwr_pi_errors(&attr), 17);
	attr.mr.mr_type = IB_MR_TYPE_FAST_REG;
	KUNIT_EXPECT_EQ(test, ib_frwr_pi_errors(&attr), 0);
}

static struct kunit_case pi_cases[] = {
	KUNIT_CASE_PARAM(check_attr, attr_gen_params),
	KUNIT_CASE(check_verbs),
	KUNIT_CASE(plain_with_meta),
	KUNIT_CASE(alloc_fails),
	KUNIT_CASE(destroy_fails),
	KUNIT_CASE(single_calls),
	KUNIT_CASE_PARAM(map, map_gen_params),
	KUNIT_CASE(bad_elements),
	KUNIT_CASE(driver_fails),
	KUNIT_CASE(bvecs),
	KUNIT_CASE(destroyed_with_bvecs),
	KUNIT_CASE(status),
	KUNIT_CASE(late_error),
	KUNIT_CASE(entries_of_errors),
	{ }
};

static struct kunit_suite pi_suite = {
	.name = "ib_frwr_pi",
	.test_cases = pi_cases,
};

kunit_test_suite(pi_suite);
