// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suites of device limits, of the ring geometry that is granted, of
 * link speeds, and of the list of claimed devices.
 */
#include <kunit/test.h>
#include <linux/mlx5/port.h>
#include <linux/pci.h>

#include "enc/devattr.h"
#include "enc/geom.h"
#include "main.h"
#include "ring.h"

/* ---- geometry ---- */

struct geom_case {
	const char *name;
	enum ib_qp_type type;
	struct ib_qp_cap cap;
	int err;
	struct ibx_qp_geom want;
};

static const struct ibx_qp_limits lim = {
	.max_wqes = 32768, .max_sq_wqe = 1024, .max_rq_wqe = 512, .max_send_sge = 60,
};

static const struct ibx_qp_limits reported = {
	.max_wqes = 32768, .max_sq_wqe = 1024, .max_rq_wqe = 512, .max_send_sge = 30,
};

static const struct geom_case geom_cases[] = {
	{ "nothing", IB_QPT_UD, {}, 0, {} },
	{ "RC always has space for a registration", IB_QPT_RC,
	  { .max_send_wr = 1, .max_send_sge = 1, .max_recv_wr = 1, .max_recv_sge = 1 }, 0,
	  { .sq_bbs = 8, .sq_wqe = 384, .sq_wrs = 1, .sq_sges = 22, .sq_inline = 348,
	    .rq_wqes = 4, .rq_shift = 4, .rq_sges = 1 } },
	{ "RC with long lists", IB_QPT_RC,
	  { .max_send_wr = 100, .max_send_sge = 20, .max_recv_wr = 100, .max_recv_sge = 3 }, 0,
	  { .sq_bbs = 1024, .sq_wqe = 384, .sq_wrs = 170, .sq_sges = 22, .sq_inline = 348,
	    .rq_wqes = 128, .rq_shift = 6, .rq_sges = 4 } },
	{ "UC needs no space for a registration", IB_QPT_UC,
	  { .max_send_wr = 4, .max_send_sge = 2, .max_recv_wr = 4, .max_recv_sge = 1 }, 0,
	  { .sq_bbs = 4, .sq_wqe = 64, .sq_wrs = 4, .sq_sges = 2, .sq_inline = 28,
	    .rq_wqes = 4, .rq_shift = 4, .rq_sges = 1 } },
	{ "inline data decides", IB_QPT_RC,
	  { .max_send_wr = 10, .max_send_sge = 1, .max_inline_data = 512 }, 0,
	  { .sq_bbs = 128, .sq_wqe = 576, .sq_wrs = 14, .sq_sges = 34, .sq_inline = 540 } },
	{ "UD", IB_QPT_GSI,
	  { .max_send_wr = 128, .max_send_sge = 2, .max_recv_wr = 512, .max_recv_sge = 1 }, 0,
	  { .sq_bbs = 256, .sq_wqe = 128, .sq_wrs = 128, .sq_sges = 4, .sq_inline = 60,
	    .rq_wqes = 512, .rq_shift = 4, .rq_sges = 1 } },
	{ "receive without entries", IB_QPT_UD, { .max_recv_wr = 5 }, 0,
	  { .rq_wqes = 8, .rq_shift = 4, .rq_sges = 1 } },
	{ "largest send list", IB_QPT_RC, { .max_send_wr = 1, .max_send_sge = 58 }, 0,
	  { .sq_bbs = 16, .sq_wqe = 960, .sq_wrs = 1, .sq_sges = 58, .sq_inline = 924 } },
	{ "send list longer than a WQE", IB_QPT_RC,
	  { .max_send_wr = 1, .max_send_sge = 59 }, -EINVAL },
	{ "send list beyond any sum", IB_QPT_RC,
	  { .max_send_wr = 1, .max_send_sge = U32_MAX }, -EINVAL },
	{ "too much inline data", IB_QPT_RC,
	  { .max_send_wr = 1, .max_inline_data = 925 }, -EINVAL },
	{ "inline data beyond any sum", IB_QPT_RC,
	  { .max_send_wr = 1, .max_inline_data = U32_MAX }, -EINVAL },
	{ "most sends", IB_QPT_RC, { .max_send_wr = 5461, .max_send_sge = 1 }, 0,
	  { .sq_bbs = 32768, .sq_wqe = 384, .sq_wrs = 5461, .sq_sges = 22,
	    .sq_inline = 348 } },
	{ "too many sends", IB_QPT_RC, { .max_send_wr = 5462, .max_send_sge = 1 }, -EINVAL },
	{ "sends beyond any sum", IB_QPT_UD, { .max_send_wr = U32_MAX }, -EINVAL },
	{ "most receives", IB_QPT_RC, { .max_recv_wr = 32768, .max_recv_sge = 32 }, 0,
	  { .rq_wqes = 32768, .rq_shift = 9, .rq_sges = 32 } },
	{ "too many receives", IB_QPT_RC, { .max_recv_wr = 32769 }, -EINVAL },
	{ "receive list too long", IB_QPT_RC,
	  { .max_recv_wr = 1, .max_recv_sge = 33 }, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(geom, geom_cases, name);

static void check_geom(struct kunit *test)
{
	const struct geom_case *c = test->param_value;
	struct ibx_qp_geom got;

	KUNIT_ASSERT_EQ(test, ibx_qp_geometry(c->type, &c->cap, &lim, &got), c->err);
	if (c->err)
		return;
	KUNIT_EXPECT_MEMEQ(test, &got, &c->want, sizeof(got));
	KUNIT_EXPECT_LE(test, (u64)got.sq_wrs * got.sq_wqe, (u64)got.sq_bbs * IBX_BB);
	KUNIT_EXPECT_GE(test, got.sq_wrs, c->cap.max_send_wr);
	KUNIT_EXPECT_GE(test, got.rq_wqes, c->cap.max_recv_wr);
	KUNIT_EXPECT_TRUE(test, IS_ALIGNED(ibx_geom_rq_bytes(&got), IBX_BB));
}

/* ---- geometry of shared rings ---- */

struct srq_geom_case {
	const char *name;
	struct ib_srq_attr attr;
	struct ibx_srq_limits lim;
	int err;
	struct ibx_srq_geom want;
};

static const struct srq_geom_case srq_geom_cases[] = {
	{ "one", { .max_wr = 1, .max_sge = 1 }, { 32768, 512 }, 0, { 2, 5, 1 } },
	{ "without entries", { .max_wr = 1 }, { 32768, 512 }, 0, { 2, 5, 1 } },
	{ "two entries and the link are not a power of two", { .max_wr = 3, .max_sge = 2 },
	  { 32768, 512 }, 0, { 4, 6, 3 } },
	{ "three entries and the link are", { .max_wr = 4, .max_sge = 3 },
	  { 32768, 512 }, 0, { 8, 6, 3 } },
	{ "most of all", { .max_wr = 32767, .max_sge = 31 }, { 32768, 512 }, 0,
	  { 32768, 9, 31 } },
	{ "no WRs", { .max_sge = 1 }, { 32768, 512 }, -EINVAL },
	{ "too many WRs", { .max_wr = 32768, .max_sge = 1 }, { 32768, 512 }, -EINVAL },
	{ "WRs beyond any sum", { .max_wr = U32_MAX }, { 32768, 512 }, -EINVAL },
	{ "too many entries", { .max_wr = 1, .max_sge = 32 }, { 32768, 512 }, -EINVAL },
	{ "entries beyond any sum", { .max_wr = 1, .max_sge = U32_MAX }, { 32768, 512 },
	  -EINVAL },
	{ "WQE of the device not a power of two", { .max_wr = 1, .max_sge = 16 },
	  { 32768, 511 }, -EINVAL },
	{ "WQE of the device too short", { .max_wr = 1 }, { 32768, 16 }, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(srq_geom, srq_geom_cases, name);

static void check_srq_geom(struct kunit *test)
{
	const struct srq_geom_case *c = test->param_value;
	struct ibx_srq_geom got;

	KUNIT_ASSERT_EQ(test, ibx_srq_geometry(&c->attr, &c->lim, &got), c->err);
	if (!c->err)
		KUNIT_EXPECT_MEMEQ(test, &got, &c->want, sizeof(got));
}

/* ---- device limits ---- */

static const struct ibx_caps small_device = {
	.log_max_srq = 16, .log_max_srq_sz = 15, .rmp = true,
	.log_max_qp = 18, .log_max_qp_sz = 15, .log_max_cq = 24, .log_max_cq_sz = 22,
	.log_max_mkey = 24, .log_max_pd = 23, .log_max_ra_req = 4, .log_max_ra_res = 5,
	.log_pg_sz = 12, .max_wqe_sz_sq = 1024, .max_wqe_sz_rq = 512, .max_mtt = 65536,
	.max_sgl_rd = 64, .gaps = true, .umr = true, .atomics = true,
};

static void limits_of_device(struct kunit *test)
{
	struct ib_device_attr a = {};

	KUNIT_ASSERT_EQ(test, ibx_limits(&small_device, &a), 0);
	KUNIT_EXPECT_EQ(test, a.max_qp, 1 << 18);
	KUNIT_EXPECT_EQ(test, a.max_qp_wr, 32768 / 6);
	KUNIT_EXPECT_EQ(test, a.max_send_sge, 30);
	KUNIT_EXPECT_EQ(test, a.max_recv_sge, 32);
	KUNIT_EXPECT_EQ(test, a.max_sge_rd, 30);
	KUNIT_EXPECT_EQ(test, a.max_cq, 1 << 24);
	KUNIT_EXPECT_EQ(test, a.max_cqe, (1 << 22) - 1);
	KUNIT_EXPECT_EQ(test, a.max_srq, 1 << 16);
	KUNIT_EXPECT_EQ(test, a.max_srq_wr, (1 << 15) - 1);
	KUNIT_EXPECT_EQ(test, a.max_srq_sge, 31);
	KUNIT_EXPECT_EQ(test, a.max_mr, 1 << 24);
	KUNIT_EXPECT_EQ(test, a.max_pd, 1 << 23);
	KUNIT_EXPECT_EQ(test, a.page_size_cap, 0xfffffffffffff000);
	KUNIT_EXPECT_EQ(test, a.max_qp_rd_atom, 16);
	KUNIT_EXPECT_EQ(test, a.max_qp_init_rd_atom, 32);
	KUNIT_EXPECT_EQ(test, a.max_res_rd_atom, 16 << 18);
	KUNIT_EXPECT_EQ(test, a.max_fast_reg_page_list_len, 65536);
	KUNIT_EXPECT_EQ(test, a.max_sgl_rd, 64);
	KUNIT_EXPECT_EQ(test, a.atomic_cap, IB_ATOMIC_HCA);
	KUNIT_EXPECT_TRUE(test, a.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS);
	KUNIT_EXPECT_EQ(test, a.kernel_cap_flags, IBK_SG_GAPS_REG);
	KUNIT_EXPECT_EQ(test, a.max_pi_fast_reg_page_list_len, 0);
	KUNIT_EXPECT_EQ(test, a.sig_prot_cap, 0);
}

/* data and protection information share a list, so each has half its entries */
static void limits_with_integrity(struct kunit *test)
{
	struct ibx_caps caps = small_device;
	struct ib_device_attr a = {};

	caps.integrity = true;
	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &a), 0);
	KUNIT_EXPECT_EQ(test, a.kernel_cap_flags, IBK_SG_GAPS_REG | IBK_INTEGRITY_HANDOVER);
	KUNIT_EXPECT_EQ(test, a.max_pi_fast_reg_page_list_len, a.max_fast_reg_page_list_len / 2);
	KUNIT_EXPECT_EQ(test, a.sig_prot_cap, 7);
	KUNIT_EXPECT_EQ(test, a.sig_guard_cap, IB_GUARD_T10DIF_CRC | IB_GUARD_T10DIF_CSUM);
}

static void limits_without_registration(struct kunit *test)
{
	struct ibx_caps caps = small_device;
	struct ib_device_attr a = {}, b = {};

	caps.gaps = false;
	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &a), 0);
	KUNIT_EXPECT_TRUE(test, a.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS);
	KUNIT_EXPECT_EQ(test, a.kernel_cap_flags, 0);

	caps.umr = false;
	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &b), 0);
	KUNIT_EXPECT_FALSE(test, b.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS);
	KUNIT_EXPECT_EQ(test, b.kernel_cap_flags, 0);
	KUNIT_EXPECT_EQ(test, b.max_fast_reg_page_list_len, 0);
}

/* ibx_qp_geometry() and ibx_srq_geometry() accept the reported limits */
static void limits_are_granted(struct kunit *test)
{
	static const enum ib_qp_type types[] = { IB_QPT_RC, IB_QPT_UC, IB_QPT_UD };
	const struct ibx_srq_limits lim = { .max_wqes = 32768, .max_wqe = 512 };
	struct ib_device_attr a = {};
	struct ib_srq_attr srq = {};
	struct ibx_srq_geom sg;
	struct ibx_qp_geom g;
	int i;

	KUNIT_ASSERT_EQ(test, ibx_limits(&small_device, &a), 0);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct ib_qp_cap wide = {
			.max_send_wr = 1, .max_send_sge = a.max_send_sge,
			.max_recv_wr = 1, .max_recv_sge = a.max_recv_sge,
		};
		struct ib_qp_cap deep = {
			.max_send_wr = a.max_qp_wr, .max_send_sge = 1,
			.max_recv_wr = a.max_qp_wr, .max_recv_sge = 1,
		};

		KUNIT_EXPECT_EQ(test, ibx_qp_geometry(types[i], &wide, &reported, &g), 0);
		KUNIT_EXPECT_EQ(test, ibx_qp_geometry(types[i], &deep, &reported, &g), 0);
		wide.max_send_sge++;
		KUNIT_EXPECT_EQ(test, ibx_qp_geometry(types[i], &wide, &reported, &g), -EINVAL);
	}
	srq.max_wr = a.max_srq_wr;
	srq.max_sge = a.max_srq_sge;
	KUNIT_EXPECT_EQ(test, ibx_srq_geometry(&srq, &lim, &sg), 0);
	srq.max_wr++;
	KUNIT_EXPECT_EQ(test, ibx_srq_geometry(&srq, &lim, &sg), -EINVAL);
}

/* a device may support longer rings than the driver */
static void limits_of_rings(struct kunit *test)
{
	struct ibx_caps caps = small_device;
	struct ib_device_attr a = {};

	caps.log_max_qp_sz = 31;
	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &a), 0);
	KUNIT_EXPECT_EQ(test, a.max_qp_wr, IBX_RING_MAX / 6);
	KUNIT_EXPECT_EQ(test, ibx_ring_max(31), IBX_RING_MAX);
	KUNIT_EXPECT_EQ(test, ibx_ring_max(10), 1024);
}

static void limits_without_umr(struct kunit *test)
{
	struct ibx_caps caps = small_device;
	struct ib_device_attr a = {};

	caps.umr = false;
	caps.atomics = false;
	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &a), 0);
	KUNIT_EXPECT_EQ(test, a.atomic_cap, IB_ATOMIC_NONE);
	KUNIT_EXPECT_EQ(test, a.max_fast_reg_page_list_len, 0);
	KUNIT_EXPECT_FALSE(test, a.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS);
}

static void limits_without_srq(struct kunit *test)
{
	struct ibx_caps caps = small_device;
	struct ib_device_attr a = {};

	caps.rmp = false;
	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &a), 0);
	KUNIT_EXPECT_EQ(test, a.max_srq, 0);
	KUNIT_EXPECT_EQ(test, a.max_srq_wr, 0);
	KUNIT_EXPECT_EQ(test, a.max_srq_sge, 0);
	caps.rmp = true;
	caps.max_wqe_sz_rq = 16;
	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &a), 0);
	KUNIT_EXPECT_EQ(test, a.max_srq, 0);
}

static void limits_of_groups(struct kunit *test)
{
	struct ibx_caps caps = small_device;
	struct ib_device_attr a = {}, b = {};

	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &a), 0);
	KUNIT_EXPECT_EQ(test, a.max_mcast_grp, 0);
	caps.log_max_mcg = 21;
	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &a), 0);
	KUNIT_EXPECT_EQ(test, a.max_mcast_grp, 0);
	caps.max_qp_mcg = 240;
	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &a), 0);
	KUNIT_EXPECT_EQ(test, a.max_mcast_grp, 1 << 21);
	KUNIT_EXPECT_EQ(test, a.max_mcast_qp_attach, 240);
	KUNIT_EXPECT_EQ(test, a.max_total_mcast_qp_attach, 240 << 21);
	/* max_mcast_grp * max_mcast_qp_attach does not fit in the member */
	caps.log_max_mcg = 24;
	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &b), 0);
	KUNIT_EXPECT_EQ(test, b.max_total_mcast_qp_attach, INT_MAX);
	caps.log_max_mcg = U8_MAX;
	KUNIT_ASSERT_EQ(test, ibx_limits(&caps, &b), 0);
	KUNIT_EXPECT_EQ(test, b.max_mcast_grp, 1 << 30);
}

static void limits_too_small(struct kunit *test)
{
	struct ibx_caps caps = small_device;
	struct ib_device_attr a = {};

	caps.max_wqe_sz_sq = 128;
	KUNIT_EXPECT_EQ(test, ibx_limits(&caps, &a), -EOPNOTSUPP);
	caps = small_device;
	caps.max_wqe_sz_rq = 0;
	KUNIT_EXPECT_EQ(test, ibx_limits(&caps, &a), -EOPNOTSUPP);
	caps = small_device;
	caps.log_max_qp_sz = 1;
	KUNIT_EXPECT_EQ(test, ibx_limits(&caps, &a), -EOPNOTSUPP);
}

/* ---- link speeds ---- */

struct speed_case {
	u8 bit;
	u16 speed;
	u8 width;
};

/* as translate_eth_legacy_proto_oper() of mlx5_ib converts them */
static const struct speed_case legacy_speeds[] = {
	{ MLX5E_1000BASE_CX_SGMII, IB_SPEED_SDR, IB_WIDTH_1X },
	{ MLX5E_1000BASE_KX, IB_SPEED_SDR, IB_WIDTH_1X },
	{ MLX5E_100BASE_TX, IB_SPEED_SDR, IB_WIDTH_1X },
	{ MLX5E_1000BASE_T, IB_SPEED_SDR, IB_WIDTH_1X },
	{ MLX5E_10GBASE_T, IB_SPEED_QDR, IB_WIDTH_1X },
	{ MLX5E_10GBASE_CX4, IB_SPEED_QDR, IB_WIDTH_1X },
	{ MLX5E_10GBASE_KX4, IB_SPEED_QDR, IB_WIDTH_1X },
	{ MLX5E_10GBASE_KR, IB_SPEED_QDR, IB_WIDTH_1X },
	{ MLX5E_10GBASE_CR, IB_SPEED_QDR, IB_WIDTH_1X },
	{ MLX5E_10GBASE_SR, IB_SPEED_QDR, IB_WIDTH_1X },
	{ MLX5E_10GBASE_ER, IB_SPEED_QDR, IB_WIDTH_1X },
	{ MLX5E_25GBASE_CR, IB_SPEED_EDR, IB_WIDTH_1X },
	{ MLX5E_25GBASE_KR, IB_SPEED_EDR, IB_WIDTH_1X },
	{ MLX5E_25GBASE_SR, IB_SPEED_EDR, IB_WIDTH_1X },
	{ MLX5E_40GBASE_CR4, IB_SPEED_QDR, IB_WIDTH_4X },
	{ MLX5E_40GBASE_KR4, IB_SPEED_QDR, IB_WIDTH_4X },
	{ MLX5E_40GBASE_SR4, IB_SPEED_QDR, IB_WIDTH_4X },
	{ MLX5E_40GBASE_LR4, IB_SPEED_QDR, IB_WIDTH_4X },
	{ MLX5E_50GBASE_CR2, IB_SPEED_HDR, IB_WIDTH_1X },
	{ MLX5E_50GBASE_KR2, IB_SPEED_HDR, IB_WIDTH_1X },
	{ MLX5E_50GBASE_SR2, IB_SPEED_HDR, IB_WIDTH_1X },
	{ MLX5E_56GBASE_R4, IB_SPEED_FDR, IB_WIDTH_4X },
	{ MLX5E_100GBASE_CR4, IB_SPEED_EDR, IB_WIDTH_4X },
	{ MLX5E_100GBASE_SR4, IB_SPEED_EDR, IB_WIDTH_4X },
	{ MLX5E_100GBASE_KR4, IB_SPEED_EDR, IB_WIDTH_4X },
	{ MLX5E_100GBASE_LR4, IB_SPEED_EDR, IB_WIDTH_4X },
};

/* as translate_eth_ext_proto_oper() of mlx5_ib converts them */
static const struct speed_case ext_speeds[] = {
	{ MLX5E_SGMII_100M, IB_SPEED_SDR, IB_WIDTH_1X },
	{ MLX5E_1000BASE_X_SGMII, IB_SPEED_SDR, IB_WIDTH_1X },
	{ MLX5E_5GBASE_R, IB_SPEED_DDR, IB_WIDTH_1X },
	{ MLX5E_10GBASE_XFI_XAUI_1, IB_SPEED_QDR, IB_WIDTH_1X },
	{ MLX5E_40GBASE_XLAUI_4_XLPPI_4, IB_SPEED_QDR, IB_WIDTH_4X },
	{ MLX5E_25GAUI_1_25GBASE_CR_KR, IB_SPEED_EDR, IB_WIDTH_1X },
	{ MLX5E_50GAUI_2_LAUI_2_50GBASE_CR2_KR2, IB_SPEED_EDR, IB_WIDTH_2X },
	{ MLX5E_50GAUI_1_LAUI_1_50GBASE_CR_KR, IB_SPEED_HDR, IB_WIDTH_1X },
	{ MLX5E_CAUI_4_100GBASE_CR4_KR4, IB_SPEED_EDR, IB_WIDTH_4X },
	{ MLX5E_100GAUI_2_100GBASE_CR2_KR2, IB_SPEED_HDR, IB_WIDTH_2X },
	{ MLX5E_100GAUI_1_100GBASE_CR_KR, IB_SPEED_NDR, IB_WIDTH_1X },
	{ MLX5E_200GAUI_4_200GBASE_CR4_KR4, IB_SPEED_HDR, IB_WIDTH_4X },
	{ MLX5E_200GAUI_2_200GBASE_CR2_KR2, IB_SPEED_NDR, IB_WIDTH_2X },
	{ MLX5E_400GAUI_8_400GBASE_CR8, IB_SPEED_HDR, IB_WIDTH_8X },
	{ MLX5E_400GAUI_4_400GBASE_CR4_KR4, IB_SPEED_NDR, IB_WIDTH_4X },
	{ MLX5E_800GAUI_8_800GBASE_CR8_KR8, IB_SPEED_NDR, IB_WIDTH_8X },
};

static void expect_speed(struct kunit *test, u32 oper, bool ext, u16 speed,
			 u8 width)
{
	u16 got_speed = 0;
	u8 got_width = 0;

	ibx_eth_speed(oper, ext, &got_speed, &got_width);
	KUNIT_EXPECT_EQ_MSG(test, got_speed, speed, "mode %#x, ext %d", oper,
			    ext);
	KUNIT_EXPECT_EQ_MSG(test, got_width, width, "mode %#x, ext %d", oper,
			    ext);
}

static void expect_speeds(struct kunit *test, const struct speed_case *want,
			  int n, bool ext)
{
	u32 known = 0;
	int i;

	for (i = 0; i < n; i++) {
		expect_speed(test, BIT(want[i].bit), ext, want[i].speed,
			     want[i].width);
		known |= BIT(want[i].bit);
	}
	/* an unknown mode, no mode, and several modes */
	for (i = 0; i < 32; i++) {
		if (known & BIT(i))
			continue;
		expect_speed(test, BIT(i), ext, IB_SPEED_QDR, IB_WIDTH_4X);
	}
	expect_speed(test, 0, ext, IB_SPEED_QDR, IB_WIDTH_4X);
	expect_speed(test, BIT(0) | BIT(1), ext, IB_SPEED_QDR, IB_WIDTH_4X);
}

static void check_speeds(struct kunit *test)
{
	expect_speeds(test, legacy_speeds, ARRAY_SIZE(legacy_speeds), false);
	expect_speeds(test, ext_speeds, ARRAY_SIZE(ext_speeds), true);
}

/* ---- claim= ---- */

struct claim_case {
	const char *name;
	const char *text;
	int err;
	const char *bad;
	bool all;
	int n;
	struct ibx_claim_addr addr[2];
};

static const struct claim_case claim_cases[] = {
	{ "empty", "", 0 },
	{ "newline", "\n", 0 },
	{ "all", "all", 0, NULL, true },
	{ "all from sysfs", "all\n", 0, NULL, true },
	{ "one", "0000:3b:00.1", 0, NULL, false, 1, { { 0, 0x3b, PCI_DEVFN(0, 1) } } },
	{ "one without domain", "5e:1f.7", 0, NULL, false, 1,
	  { { 0, 0x5e, PCI_DEVFN(0x1f, 7) } } },
	{ "two, large domain, upper case", "10000:AB:00.0,0:0:0.0\n", 0, NULL, false, 2,
	  { { 0x10000, 0xab, 0 }, { 0, 0, 0 } } },
	{ "word", "none", -EINVAL, "none" },
	{ "all and more", "all,0000:3b:00.1", -EINVAL, "all,0000:3b:00.1" },
	{ "empty entry", "3b:00.1,,3b:00.2", -EINVAL, ",3b:00.2" },
	{ "trailing comma", "3b:00.1,", -EINVAL, "" },
	{ "blank", "3b:00.1, 3b:00.2", -EINVAL, " 3b:00.2" },
	{ "text behind", "3b:00.1x", -EINVAL, "3b:00.1x" },
	{ "no function", "0000:3b:00", -EINVAL, "0000:3b:00" },
	{ "function out of range", "3b:00.8", -EINVAL, "3b:00.8" },
	{ "device out of range", "3b:20.0", -EINVAL, "3b:20.0" },
	{ "bus out of range", "100:00.0", -EINVAL, "100:00.0" },
	{ "domain too long", "123456789:3b:00.0", -EINVAL, "123456789:3b:00.0" },
	{ "twice", "3b:00.1,0000:3b:00.1", -EEXIST, "0000:3b:00.1" },
};

KUNIT_ARRAY_PARAM_DESC(claim, claim_cases, name);

static void check_claim(struct kunit *test)
{
	const struct claim_case *c = test->param_value;
	struct ibx_claim_list *list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_ASSERT_EQ(test, ibx_claim_parse(c->text, list), c->err);
	if (c->err) {
		KUNIT_EXPECT_STREQ(test, list->bad, c->bad);
		return;
	}
	KUNIT_EXPECT_EQ(test, list->all, c->all);
	KUNIT_ASSERT_EQ(test, list->n, c->n);
	for (i = 0; i < c->n; i++) {
		KUNIT_EXPECT_EQ(test, list->addr[i].domain, c->addr[i].domain);
		KUNIT_EXPECT_EQ(test, list->addr[i].bus, c->addr[i].bus);
		KUNIT_EXPECT_EQ(test, list->addr[i].devfn, c->addr[i].devfn);
		KUNIT_EXPECT_TRUE(test, ibx_claim_has(list, c->addr[i].domain, c->addr[i].bus,
						      c->addr[i].devfn));
	}
	KUNIT_EXPECT_EQ(test, ibx_claim_has(list, 7, 7, 7), c->all);
}

static void claim_too_many(struct kunit *test)
{
	struct ibx_claim_list *list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);
	char *text = kunit_kzalloc(test, (IBX_CLAIM_MAX + 1) * 8 + 1, GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_ASSERT_NOT_NULL(test, text);
	for (i = 0; i < IBX_CLAIM_MAX + 1; i++)
		sprintf(text + i * 8, "%02x:00.0,", i);
	text[IBX_CLAIM_MAX * 8 - 1] = 0;
	KUNIT_EXPECT_EQ(test, ibx_claim_parse(text, list), 0);
	KUNIT_EXPECT_EQ(test, list->n, IBX_CLAIM_MAX);
	text[IBX_CLAIM_MAX * 8 - 1] = ',';
	text[(IBX_CLAIM_MAX + 1) * 8 - 1] = 0;
	KUNIT_EXPECT_EQ(test, ibx_claim_parse(text, list), -E2BIG);
}

struct format_case {
	const char *text;
	const char *canonical;
};

static const struct format_case format_cases[] = {
	{ "", "" },
	{ "all\n", "all" },
	{ "3b:00.1", "0000:3b:00.1" },
	{ "10000:AB:1f.7,0:0:0.0\n", "10000:ab:1f.7,0000:00:00.0" },
};

/* text that is read from sysfs can be written to sysfs */
static void claim_formats(struct kunit *test)
{
	struct ibx_claim_list *list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);
	char buf[32];
	int i;

	KUNIT_ASSERT_NOT_NULL(test, list);
	for (i = 0; i < ARRAY_SIZE(format_cases); i++) {
		KUNIT_ASSERT_EQ(test, ibx_claim_parse(format_cases[i].text, list), 0);
		KUNIT_EXPECT_EQ(test, ibx_claim_format(list, buf, sizeof(buf)),
				strlen(format_cases[i].canonical));
		KUNIT_EXPECT_STREQ(test, buf, format_cases[i].canonical);
	}
	KUNIT_EXPECT_EQ(test, ibx_claim_format(list, buf, 8), 7);
	KUNIT_EXPECT_STREQ(test, buf, "10000:a");
}

static struct kunit_case geom_tests[] = {
	KUNIT_CASE_PARAM(check_geom, geom_gen_params),
	KUNIT_CASE_PARAM(check_srq_geom, srq_geom_gen_params),
	{}
};

static struct kunit_suite geom_suite = {
	.name = "mlx5_ibx_qp_geom",
	.test_cases = geom_tests,
};

static struct kunit_case limits_tests[] = {
	KUNIT_CASE(limits_of_device),
	KUNIT_CASE(limits_with_integrity),
	KUNIT_CASE(limits_without_registration),
	KUNIT_CASE(limits_are_granted),
	KUNIT_CASE(limits_of_rings),
	KUNIT_CASE(limits_without_umr),
	KUNIT_CASE(limits_without_srq),
	KUNIT_CASE(limits_of_groups),
	KUNIT_CASE(limits_too_small),
	KUNIT_CASE(check_speeds),
	{}
};

static struct kunit_suite limits_suite = {
	.name = "mlx5_ibx_limits",
	.test_cases = limits_tests,
};

static struct kunit_case claim_tests[] = {
	KUNIT_CASE_PARAM(check_claim, claim_gen_params),
	KUNIT_CASE(claim_too_many),
	KUNIT_CASE(claim_formats),
	{}
};

static struct kunit_suite claim_suite = {
	.name = "mlx5_ibx_claim",
	.test_cases = claim_tests,
};

kunit_test_suites(&geom_suite, &limits_suite, &claim_suite);
