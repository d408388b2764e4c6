// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of the contexts of mkeys that are created.
 *
 * The expected words are those that mlx5_ib of Linux 6.12 sends for the same
 * mkeys in mlx5_ib_get_dma_mr() and mlx5_set_umr_free_mkey(). Their positions
 * are from mlx5_ifc_mkc_bits. set_mkc_access_pd_addr_fields() has the rules of
 * relaxed ordering. The mkey with en_rinval is compared with
 * mlx5dv_create_mkey() of libmlx5.
 */
#include <linux/mlx5/device.h>

#include "enc/mkc.h"
#include "kunit.h"

#define MKC_WORDS	16

/* word 0 */
#define W_FREE		0x40000000
#define W_RO_WRITE	0x00040000
#define W_UMR_EN	0x00008000
#define W_A		0x00004000
#define W_RW		0x00002000
#define W_RR		0x00001000
#define W_LW		0x00000800
#define W_LR		0x00000400
#define W_MTT		0x00000100
#define W_KLM		0x00000200
#define W_ATS		0x00000010
/* word 3 */
#define W_LENGTH64	0x80000000
#define W_RINVAL	0x01000000
/* word 14 */
#define W_RO_READ	0x00000040

#define PDN		0x123456
#define VARIANT		0xa5

struct mkc_caps_case {
	const char *name;
	struct ibx_mkey_caps caps;
	u32 word0;	/* bits of a PA or MTT mkey */
	u32 word14;
};

static const struct mkc_caps_case mkc_caps_cases[] = {
	{ "no capability", {}, 0, 0 },
	{ "writes", { .ro_write = true }, W_RO_WRITE, 0 },
	{ "reads", { .ro_read = true }, 0, W_RO_READ },
	{ "reads if enabled, disabled", { .ro_read_pci = true }, 0, 0 },
	{ "reads if enabled, enabled", { .ro_read_pci = true, .pci_ro = true }, 0, W_RO_READ },
	{ "reads, also if disabled", { .ro_read = true, .ro_read_pci = true }, 0, W_RO_READ },
	{ "no reads, enabled", { .pci_ro = true }, 0, 0 },
	{ "no reads, writes, enabled", { .ro_write = true, .pci_ro = true }, W_RO_WRITE, 0 },
	{ "translation", { .ats = true }, W_ATS, 0 },
	{ "all", { true, true, true, true, true }, W_RO_WRITE | W_ATS, W_RO_READ },
};

KUNIT_ARRAY_PARAM_DESC(mkc_caps, mkc_caps_cases, name);

static void expect_words(struct kunit *test, const struct ibx_mkey_params *p,
			 const struct ibx_mkey_caps *caps, const u32 *want)
{
	__be32 mkc[MKC_WORDS] = {};
	int i;

	static_assert(sizeof(mkc) == MLX5_ST_SZ_BYTES(mkc));
	ibx_mkc_create(mkc, p, caps, VARIANT);
	for (i = 0; i < MKC_WORDS; i++)
		KUNIT_EXPECT_EQ_MSG(test, be32_to_cpu(mkc[i]), want[i], "word %d", i);
}

/* the mkey whose lkey is the local_dma_lkey of a PD */
static void dma_mkey(struct kunit *test)
{
	const struct mkc_caps_case *c = test->param_value;
	const struct ibx_mkey_params p = {
		.mode = MLX5_MKC_ACCESS_MODE_PA,
		.pdn = PDN,
		.access = IB_ACCESS_LOCAL_WRITE,
		.length64 = true,
	};
	const u32 want[MKC_WORDS] = {
		[0] = W_LR | W_LW | c->word0,
		[1] = 0xffffff00 | VARIANT,
		[3] = W_LENGTH64 | PDN,
		[14] = c->word14,
	};

	expect_words(test, &p, &c->caps, want);
}

static void free_mtt_mkey(struct kunit *test)
{
	const struct mkc_caps_case *c = test->param_value;
	const struct ibx_mkey_params p = {
		.mode = MLX5_MKC_ACCESS_MODE_MTT,
		.pdn = PDN,
		.octwords = 0x88,
		.free = true,
	};
	const u32 want[MKC_WORDS] = {
		[0] = W_FREE | W_UMR_EN | W_LR | W_MTT | c->word0,
		[1] = 0xffffff00 | VARIANT,
		[3] = PDN,
		[13] = 0x88,
		[14] = c->word14 | PAGE_SHIFT,
	};

	expect_words(test, &p, &c->caps, want);
}

/* entries refer to other mkeys; addresses are not translated, so ATS is off */
static void free_klm_mkey(struct kunit *test)
{
	const struct mkc_caps_case *c = test->param_value;
	const struct ibx_mkey_params p = {
		.mode = MLX5_MKC_ACCESS_MODE_KLMS,
		.pdn = PDN,
		.octwords = 0x10,
		.free = true,
		.rinval = true,
	};
	const u32 want[MKC_WORDS] = {
		[0] = W_FREE | W_UMR_EN | W_LR | W_KLM | (c->word0 & ~W_ATS),
		[1] = 0xffffff00 | VARIANT,
		[3] = W_RINVAL | PDN,
		[13] = 0x10,
		[14] = c->word14,
	};

	expect_words(test, &p, &c->caps, want);
}

/* MRs of processes, with and without ATS: as reg_create() of mlx5_ib */
static void user_mkey(struct kunit *test)
{
	const struct mkc_caps_case *c = test->param_value;
	struct ibx_mkey_params p = {
		.mode = MLX5_MKC_ACCESS_MODE_MTT,
		.pdn = PDN,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ,
		.strict = true,
		.start = 0x123456789abcdef0,
		.length = 0x0fedcba987654321,
		.page_shift = 21,
		.octwords = 0x123456,
		.umr = true,
	};
	u32 want[MKC_WORDS] = {
		[0] = W_UMR_EN | W_LR | W_LW | W_RR | W_MTT | (c->word0 & W_ATS),
		[1] = 0xffffff00 | VARIANT,
		[3] = PDN,
		[4] = 0x12345678, [5] = 0x9abcdef0,
		[6] = 0x0fedcba9, [7] = 0x87654321,
		[13] = 0x123456,
		[14] = 21,
	};

	expect_words(test, &p, &c->caps, want);
	p.strict = false;
	want[0] |= c->word0;
	want[14] |= c->word14;
	expect_words(test, &p, &c->caps, want);
	p.no_ats = true;
	want[0] &= ~W_ATS;
	expect_words(test, &p, &c->caps, want);
}

struct mkc_access_case {
	const char *name;
	u32 access;
	u32 word0;
};

static const struct mkc_access_case mkc_access_cases[] = {
	{ "none", 0, 0 },
	{ "local write", IB_ACCESS_LOCAL_WRITE, W_LW },
	{ "remote write", IB_ACCESS_REMOTE_WRITE, W_RW },
	{ "remote read", IB_ACCESS_REMOTE_READ, W_RR },
	{ "remote atomic", IB_ACCESS_REMOTE_ATOMIC, W_A },
	/* the capability of the device decides, not the access flag */
	{ "relaxed ordering", IB_ACCESS_RELAXED_ORDERING, 0 },
};

KUNIT_ARRAY_PARAM_DESC(mkc_access, mkc_access_cases, name);

static void mkey_access(struct kunit *test)
{
	const struct mkc_access_case *c = test->param_value;
	const struct ibx_mkey_caps caps = {};
	const struct ibx_mkey_params p = { .access = c->access, .length64 = true };
	const u32 want[MKC_WORDS] = {
		[0] = W_LR | c->word0,
		[1] = 0xffffff00 | VARIANT,
		[3] = W_LENGTH64,
	};

	expect_words(test, &p, &caps, want);
}

static struct kunit_case mkc_tests[] = {
	KUNIT_CASE_PARAM(dma_mkey, mkc_caps_gen_params),
	KUNIT_CASE_PARAM(free_mtt_mkey, mkc_caps_gen_params),
	KUNIT_CASE_PARAM(free_klm_mkey, mkc_caps_gen_params),
	KUNIT_CASE_PARAM(user_mkey, mkc_caps_gen_params),
	KUNIT_CASE_PARAM(mkey_access, mkc_access_gen_params),
	{}
};

static struct kunit_suite mkc_suite = {
	.name = "mlx5_ibx_mkc",
	.test_cases = mkc_tests,
};

kunit_test_suite(mkc_suite);
