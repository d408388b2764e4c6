// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of the WQEs of the UMR QP, for mkeys of MRs of processes.
 *
 * Vectors are written by hand from the structures that they name. Each vector
 * is posted at each block of the ring, so that it wraps at each possible place.
 */

#include "kunit.h"

#define DEVICE_H	"linux/mlx5/device.h "
#define PDN		0x00c0de
#define KEY		(KT_MKEY | 0x18)

struct umr_case {
	const char *name;
	const char *source;
	u32 list_bytes;		/* 0: set free, or change access flags */
	u32 access;
	const char *hex;
	bool rights;
	u64 more;
};

static const struct umr_case umr_cases[] = {
	{ "inline", DEVICE_H "mlx5_wqe_umr_ctrl_seg, mlx5_mkey_seg", 64,
	  IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE,
	  HEX(00000025 1234560c 00000068 00abcd18
	      a0 000000 0004 0000 0000000020be21c3 00000000
	      00000000 000000000000000000000000000000000000000000000000
	      00 00 bd 00 ffffff18 00000000 0000c0de 0000700012345678 0000000000002a00
	      00000000 00000000000000000000000000000000 00000004 000000 0c 00000000
	      000000000aaaa003 000000000bbbb003 000000000cccc003 0000000000000000
	      0000000000000000 0000000000000000 0000000000000000 0000000000000000) },
	{ "fetched, with atomics", DEVICE_H "mlx5_wqe_umr_ctrl_seg, mlx5_mkey_seg", 128,
	  IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_ATOMIC,
	  HEX(00000025 12345609 00000068 00abcd18
	      20 000000 0008 0000 0000000020be21c3 00000000
	      00000000 000000000000000000000000000000000000000000000000
	      00 00 cd 00 ffffff18 00000000 0000c0de 0000700012345678 0000000000002a00
	      00000000 00000000000000000000000000000000 00000008 000000 0c 00000000
	      00000080 00010203 000000123456f800) },
	{ "free", DEVICE_H "MLX5_MKEY_MASK_FREE, MLX5_MKEY_MASK_PD, mlx5_mkey_seg.status", 0, 0,
	  HEX(00000025 12345608 00000068 00abcd18
	      80 000000 0000 0000 0000000020000080 00000000
	      00000000 000000000000000000000000000000000000000000000000
	      40 00 00 00 00000000 00000000 0000c0de 0000000000000000 0000000000000000
	      00000000 00000000000000000000000000000000 00000000 000000 00 00000000) },
	{ "rights", DEVICE_H "MLX5_UMR_CHECK_FREE, MLX5_MKEY_MASK_LR to _RW, mlx5_mkey_seg", 0,
	  IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE |
	  IB_ACCESS_RELAXED_ORDERING,
	  HEX(00000025 12345608 00000068 00abcd18
	      c0 000000 0000 0000 00000000001e0080 00000000
	      00000000 000000000000000000000000000000000000000000000000
	      00 00 bc 00 ffffff18 00000000 0000c0de 0000000000000000 0000000000000000
	      00000000 00000000000000000000000000000000 00000000 000000 00 00000000), true },
	{ "rights with all", "linux/mlx5/mlx5_ifc.h mkc.relaxed_ordering_write, _read", 0,
	  IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_RELAXED_ORDERING,
	  HEX(00000025 12345608 00000068 00abcd18
	      c0 000000 0000 0000 00008000023e0080 00000000
	      00000000 000000000000000000000000000000000000000000000000
	      00 04 cc 00 ffffff18 00000000 0000c0de 0000000000000000 0000000000000000
	      00000000 00000000000000000000000000000000 00000000 000000 40 00000000), true,
	  MLX5_MKEY_MASK_A | MLX5_MKEY_MASK_RELAXED_ORDERING_WRITE |
	  MLX5_MKEY_MASK_RELAXED_ORDERING_READ },
};

static void to_desc(const struct umr_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s (%s)", c->name, c->source);
}

KUNIT_ARRAY_PARAM(umr, umr_cases, to_desc);

static const __be64 pages[16] = {
	cpu_to_be64(0xaaaa003), cpu_to_be64(0xbbbb003), cpu_to_be64(0xcccc003),
};

static int post(struct kt *kt, const struct umr_case *c, struct ib_cqe *cqe)
{
	const struct ibx_umr_mr mr = {
		.iova = 0x0000700012345678,
		.length = 0x2a00,
		.list = pages,
		.list_dma = 0x123456f800,
		.list_bytes = c->list_bytes,
		.key = KEY,
		.pdn = PDN,
		.access = c->access,
		.page_shift = 12,
	};

	const struct ibx_umr_rights rights = {
		.key = KEY,
		.pdn = PDN,
		.access = c->access,
		.more = c->more,
	};

	if (c->rights)
		return ibx_post_umr_rights(kt->qp, &rights, cqe);
	return c->list_bytes ? ibx_post_umr_mr(kt->qp, &mr, cqe) :
			       ibx_post_umr_free(kt->qp, KEY, PDN, cqe);
}

static void wqe(struct kunit *test)
{
	const struct umr_case *c = test->param_value;
	struct kt *kt = kt_create(test, IB_QPT_DRIVER);
	struct ib_cqe cqe;
	u32 pos;

	for (pos = 0; pos < KT_BBS; pos++) {
		kt_rewind(kt, pos);
		KUNIT_ASSERT_EQ(test, post(kt, c, &cqe), 0);
		kt_expect_wqe(kt, c->name, c->hex, pos);
		KUNIT_EXPECT_EQ(test, kt->qp->sq.shadow[pos].wr_id, (u64)(uintptr_t)&cqe);
	}
	kt_rewind(kt, 0xffff);
	KUNIT_ASSERT_EQ(test, post(kt, c, &cqe), 0);
	kt_expect_wqe(kt, c->name, c->hex, 0xffff);
}

/* nothing is posted in RTR, after a fatal error, or to a full ring */
static void refused(struct kunit *test)
{
	const struct umr_case *c = test->param_value;
	struct kt *kt = kt_create(test, IB_QPT_DRIVER);
	struct ibx_sq *sq = &kt->qp->sq;
	struct ib_cqe cqe;

	kt->qp->state = IB_QPS_RTR;
	KUNIT_EXPECT_EQ(test, post(kt, c, &cqe), -EINVAL);
	kt->qp->state = IB_QPS_RTS;
	kt->mdev->state = MLX5_DEVICE_STATE_INTERNAL_ERROR;
	KUNIT_EXPECT_EQ(test, post(kt, c, &cqe), -EIO);
	kt->mdev->state = MLX5_DEVICE_STATE_UP;
	sq->head = sq->tail + KT_MAX_POST;
	KUNIT_EXPECT_EQ(test, post(kt, c, &cqe), -ENOMEM);
	KUNIT_EXPECT_EQ(test, sq->cur_post, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), 0);
	sq->head = sq->tail + KT_MAX_POST - 1;
	KUNIT_EXPECT_EQ(test, post(kt, c, &cqe), 0);
}

static struct kunit_case umr_tests[] = {
	KUNIT_CASE_PARAM(wqe, umr_gen_params),
	KUNIT_CASE_PARAM(refused, umr_gen_params),
	{}
};

static struct kunit_suite umr_suite = {
	.name = "mlx5_ibx_umr_qp",
	.test_cases = umr_tests,
};

kunit_test_suite(umr_suite);
