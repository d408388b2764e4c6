// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of INTEGRITY MRs: maps, registrations that are refused, and
 * the ring around a WR of several WQEs.
 *
 * In a list of pages, protection information has the same addresses as in
 * mlx5_ib: its first page follows the last page of data.
 *
 * The bytes of registrations are those of stock mlx5_ib (Linux 6.12.117):
 * mlx5sim read them while the suite integrity of ibx_test ran with mlx5_ib.
 * mlx5_ibx differs on purpose in three points. It leaves out the number of the
 * PD, which the UMR does not set. The length of a signature mkey on a list of
 * pages excludes the unused end of the last page of data. A domain without
 * signature gets no SET_PSV WQE.
 */

#include "enc/geom.h"
#include "enc/pi.h"
#include "kunit.h"

#define PI_KEY		0x00345600
#define PI_PAGES_KEY	0x00345700
#define PI_RANGES_KEY	0x00345800
#define PI_MAX		8
#define PI_PSV		0x000777
#define PAGE(n)		(0x100000000ULL + (n) * 0x1000ULL)

/* a QP, and an INTEGRITY MR of PI_MAX elements */
struct ktp {
	struct kt *kt;
	struct ibx_mr mr;
	struct ibx_pi pi;
	struct ibx_sig sig;
	struct ib_pd pd;
	struct ib_sig_attrs attrs;
	/* IBX_BB bytes more than PI_MAX ranges need (ibx_mr_create_list()) */
	u64 list[PI_MAX * 2 + 8];
};

static const struct ib_sig_domain dif_512 = {
	.sig_type = IB_SIG_TYPE_T10_DIF,
	.sig.dif = {
		.bg_type = IB_T10DIF_CRC, .pi_interval = 512, .app_tag = 0x1234,
		.ref_tag = 0x56789abc, .ref_remap = true, .apptag_check_mask = 0xffff,
	},
};

static struct ktp *create(struct kunit *test)
{
	struct ktp *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);
	struct ibx_mr *list;

	KUNIT_ASSERT_NOT_NULL(test, k);
	k->kt = kt_create(test, IB_QPT_RC);
	k->kt->qp->ibqp.integrity_en = true;
	k->pd.local_dma_lkey = KT_DMA_LKEY;
	k->sig.psv[IBX_SIG_MEM] = PI_PSV;
	k->sig.psv[IBX_SIG_WIRE] = PI_PSV + 1;
	spin_lock_init(&k->sig.lock);
	atomic_set(&k->sig.errs, 1);
	k->attrs = (struct ib_sig_attrs){ .check_mask = 0xff, .mem = dif_512, .wire = dif_512 };

	list = &k->pi.list;
	list->ibmr.pd = &k->pd;
	list->ibmr.device = &k->kt->dev->ibdev;
	list->mkey = PI_PAGES_KEY;
	list->other = PI_RANGES_KEY;
	list->mode = MLX5_MKC_ACCESS_MODE_MTT;
	list->gaps = true;
	list->list = k->list;
	list->list_dma = 0x5000;
	list->max_ents = PI_MAX;
	k->pi.sig = &k->sig;
	k->pi.key = PI_KEY;
	k->mr.pi = &k->pi;
	k->mr.mkey = PI_KEY;
	k->mr.ibmr.pd = &k->pd;
	k->mr.ibmr.device = &k->kt->dev->ibdev;
	k->mr.ibmr.lkey = PI_KEY;
	k->mr.ibmr.rkey = PI_KEY;
	k->mr.ibmr.sig_attrs = &k->attrs;
	return k;
}

static int map(struct ktp *k, const struct kt_sg *data, u32 data_nents, const struct kt_sg *meta,
	       u32 meta_nents)
{
	struct scatterlist data_sg[PI_MAX + 1], meta_sg[PI_MAX + 1];

	kt_fill_sg(data_sg, data, data_nents);
	kt_fill_sg(meta_sg, meta, meta_nents);
	memset(k->list, POISON, sizeof(k->list));
	return ibx_map_mr_sg_pi(&k->mr.ibmr, data_sg, data_nents, NULL, meta_sg, meta_nents, NULL);
}

static struct ib_reg_wr pi_wr(struct ktp *k, u32 flags, int access)
{
	return (struct ib_reg_wr){
		.wr = {
			.wr_id = 7, .opcode = IB_WR_REG_MR_INTEGRITY, .send_flags = flags,
		},
		.mr = &k->mr.ibmr, .key = k->mr.ibmr.rkey, .access = access,
	};
}

static int post(struct ktp *k, u32 flags, int access)
{
	const struct ib_reg_wr wr = pi_wr(k, flags, access);
	const struct ib_send_wr *bad;

	return ibx_post_send(&k->kt->qp->ibqp, &wr.wr, &bad);
}

static void expect_spans(struct kunit *test, const struct ktp *k, u32 lkey, u64 data, u64 meta)
{
	KUNIT_EXPECT_EQ(test, k->pi.lkey, lkey);
	KUNIT_EXPECT_EQ(test, k->pi.data.addr, data);
	KUNIT_EXPECT_EQ(test, k->pi.meta.addr, meta);
	KUNIT_EXPECT_EQ(test, k->mr.ibmr.iova, 0);
	KUNIT_EXPECT_EQ(test, k->mr.ibmr.length, k->pi.data.length + k->pi.meta.length);
	KUNIT_EXPECT_EQ(test, k->attrs.meta_length, k->pi.meta.length);
}

static void map_of_one_each_has_no_list(struct kunit *test)
{
	static const struct kt_sg data = { 0x12345678, 4096 }, meta = { 0x9000, 64 };
	struct ktp *k = create(test);

	KUNIT_ASSERT_EQ(test, map(k, &data, 1, &meta, 1), 0);
	KUNIT_EXPECT_FALSE(test, k->pi.listed);
	expect_spans(test, k, KT_DMA_LKEY, 0x12345678, 0x9000);
	KUNIT_EXPECT_EQ(test, k->pi.data.length, 4096);
	KUNIT_EXPECT_EQ(test, k->pi.meta.length, 64);
}

static void map_of_pages(struct kunit *test)
{
	static const struct kt_sg data[] = { { PAGE(1) + 0xe00, 0x200 }, { PAGE(5), 0x1000 } };
	static const struct kt_sg meta[] = { { PAGE(9) + 0xff8, 8 }, { PAGE(11), 64 } };
	struct ktp *k = create(test);

	KUNIT_ASSERT_EQ(test, map(k, data, 2, meta, 2), 0);
	KUNIT_EXPECT_TRUE(test, k->pi.listed);
	expect_spans(test, k, PI_PAGES_KEY, PAGE(1) + 0xe00, PAGE(1) + 0x2ff8);
	KUNIT_EXPECT_EQ(test, k->pi.data.length, 0x1200);
	KUNIT_EXPECT_EQ(test, k->pi.meta.length, 72);
	KUNIT_EXPECT_EQ(test, k->pi.list.start, PAGE(1) + 0xe00);
	/* the length ends with protection information, on the fourth page */
	KUNIT_EXPECT_EQ(test, k->pi.list.length, 0x3040 - 0xe00);
	KUNIT_EXPECT_EQ(test, k->pi.list.list_bytes, 64);
	kt_expect_bytes(test, "pages", k->list,
			HEX(0000000100001003 0000000100005003 0000000100009003 000000010000b003
			    0000000000000000 0000000000000000 0000000000000000 0000000000000000));
}

static void map_of_ranges(struct kunit *test)
{
	static const struct kt_sg data[] = { { 0x1003, 0x200 }, { 0x2205, 0x200 } };
	static const struct kt_sg meta[] = { { 0x7001, 16 } };
	struct ktp *k = create(test);

	KUNIT_ASSERT_EQ(test, map(k, data, 2, meta, 1), 0);
	KUNIT_EXPECT_TRUE(test, k->pi.listed);
	expect_spans(test, k, PI_RANGES_KEY, 0, 0x400);
	KUNIT_EXPECT_EQ(test, k->pi.list.start, 0);
	KUNIT_EXPECT_EQ(test, k->pi.list.length, 0x410);
	KUNIT_EXPECT_EQ(test, k->pi.list.list_bytes, 64);
	KUNIT_EXPECT_EQ(test, k->pi.list.key_octwords, 8);
	kt_expect_bytes(test, "ranges", k->list,
			HEX(00000200 00010203 0000000000001003 00000200 00010203 0000000000002205
			    00000010 00010203 0000000000007001 00000000 00000000 0000000000000000));
	/* maps that pick the mkey for ranges, and again the mkey for pages */
	KUNIT_ASSERT_EQ(test, map(k, (const struct kt_sg[]){ { PAGE(1), 512 }, { PAGE(2), 512 } },
				  2, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, k->pi.lkey, PI_RANGES_KEY);
	KUNIT_ASSERT_EQ(test, map(k, (const struct kt_sg[]){ { PAGE(1), 4096 }, { PAGE(3), 512 } },
				  2, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, k->pi.lkey, PI_PAGES_KEY);
}

static void map_skips_offsets(struct kunit *test)
{
	struct scatterlist data_sg[1], meta_sg[1];
	unsigned int data_at = 0x200, meta_at = 8;
	struct ktp *k = create(test);

	kt_fill_sg(data_sg, &(const struct kt_sg){ 0x1000, 0x400 }, 1);
	kt_fill_sg(meta_sg, &(const struct kt_sg){ 0x3000, 16 }, 1);
	KUNIT_ASSERT_EQ(test, ibx_map_mr_sg_pi(&k->mr.ibmr, data_sg, 1, &data_at, meta_sg, 1,
					       &meta_at), 0);
	expect_spans(test, k, KT_DMA_LKEY, 0x1200, 0x3008);
	KUNIT_EXPECT_EQ(test, k->pi.data.length, 0x200);
	KUNIT_EXPECT_EQ(test, k->pi.meta.length, 8);
	KUNIT_EXPECT_EQ(test, data_at, 0);
	KUNIT_EXPECT_EQ(test, meta_at, 0);

	data_at = 0x400;
	KUNIT_EXPECT_EQ(test, ibx_map_mr_sg_pi(&k->mr.ibmr, data_sg, 1, &data_at, meta_sg, 1,
					       &meta_at), -EINVAL);
	KUNIT_EXPECT_EQ(test, k->pi.data.length, 0);
}

static void map_fills_the_list_and_no_more(struct kunit *test)
{
	struct kt_sg data[PI_MAX + 1], meta[PI_MAX];
	struct ktp *k = create(test);
	int i;

	for (i = 0; i < PI_MAX; i++) {
		data[i] = (struct kt_sg){ 0x10003 + i * 0x1000, 512 };
		meta[i] = (struct kt_sg){ 0x90005 + i * 0x1000, 8 };
	}
	data[PI_MAX] = (struct kt_sg){ 0x70003, 512 };
	KUNIT_EXPECT_EQ(test, map(k, data, 5, meta, 3), 0);
	KUNIT_EXPECT_EQ(test, k->pi.list.nents, PI_MAX);
	KUNIT_EXPECT_EQ(test, map(k, data, 5, meta, 4), -ENOMEM);
	KUNIT_EXPECT_EQ(test, k->pi.data.length, 0);
	KUNIT_EXPECT_EQ(test, map(k, data, PI_MAX, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, map(k, data, PI_MAX, meta, 1), -ENOMEM);
	KUNIT_EXPECT_EQ(test, map(k, data, PI_MAX + 1, NULL, 0), -ENOMEM);
	KUNIT_EXPECT_EQ(test, map(k, data, 0, NULL, 0), -EINVAL);
	/* a range of a layout has at most 2 GiB; these data are longer */
	data[0] = (struct kt_sg){ 0x1000, 0x80000000 };
	data[1] = (struct kt_sg){ 0x90001000, 0x1000 };
	KUNIT_EXPECT_EQ(test, map(k, data, 2, NULL, 0), -ENOMEM);
}

static int check(const struct ib_sig_attrs *attrs, u32 data, u32 meta)
{
	struct ibx_pi_attrs a;

	return ibx_pi_convert(&a, attrs, data, meta);
}

/* attributes and lengths with one bad value are refused */
static void attributes_are_checked(struct kunit *test)
{
	static const struct ib_sig_attrs good = { .mem = dif_512, .wire = dif_512 };
	const struct ib_sig_domain none = { .sig_type = IB_SIG_TYPE_NONE };
	struct ib_sig_attrs a = good;

	KUNIT_EXPECT_EQ(test, check(&a, 1024, 16), 0);
	KUNIT_EXPECT_EQ(test, check(&a, 1040, 0), 0);
	KUNIT_EXPECT_EQ(test, check(&a, 1024, 24), -EINVAL);
	KUNIT_EXPECT_EQ(test, check(&a, 1024, 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, check(&a, 1025, 16), -EINVAL);
	/* half a block of data, and half of its protection information */
	KUNIT_EXPECT_EQ(test, check(&a, 256, 4), -EINVAL);
	a.mem = none;
	KUNIT_EXPECT_EQ(test, check(&a, 1024, 0), 0);
	KUNIT_EXPECT_EQ(test, check(&a, 1024, 16), -EINVAL);
	a.wire = none;
	KUNIT_EXPECT_EQ(test, check(&a, 1024, 0), -EINVAL);
	a = good;
	a.wire.sig.dif.pi_interval = 513;
	KUNIT_EXPECT_EQ(test, check(&a, 1024, 16), -EINVAL);
	a = good;
	a.mem.sig.dif.pi_interval = 4096;
	KUNIT_EXPECT_EQ(test, check(&a, 8192, 16), 0);
	a.mem.sig.dif.bg = 1;
	KUNIT_EXPECT_EQ(test, check(&a, 8192, 16), -EINVAL);
	a.mem.sig.dif.bg = 0xffff;
	KUNIT_EXPECT_EQ(test, check(&a, 8192, 16), 0);
	a.mem.sig.dif.bg_type = 2;
	KUNIT_EXPECT_EQ(test, check(&a, 8192, 16), -EINVAL);
	a = good;
	a.wire.sig_type = 2;
	KUNIT_EXPECT_EQ(test, check(&a, 1024, 16), -EINVAL);
}

static void refused_post_leaves_the_ring(struct kunit *test)
{
	static const struct kt_sg data = { 0x1000, 1024 }, meta = { 0x9000, 16 };
	struct ktp *k = create(test);
	const struct ibx_sq *sq = &k->kt->qp->sq;

	KUNIT_EXPECT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE), -EINVAL);
	KUNIT_ASSERT_EQ(test, map(k, &data, 1, &meta, 1), 0);
	KUNIT_EXPECT_EQ(test, post(k, IB_SEND_INLINE, IB_ACCESS_LOCAL_WRITE), -EINVAL);
	KUNIT_EXPECT_EQ(test, post(k, 0, IB_ACCESS_REMOTE_ATOMIC), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, post(k, 0, IB_ACCESS_MW_BIND), -EINVAL);
	k->mr.ibmr.rkey += 0x100;
	KUNIT_EXPECT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE), -EINVAL);
	k->mr.ibmr.rkey -= 0x100;
	k->attrs.mem.sig.dif.pi_interval = 520;
	KUNIT_EXPECT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE), -EINVAL);
	k->attrs.mem.sig.dif.pi_interval = 512;
	k->kt->qp->ibqp.integrity_en = false;
	KUNIT_EXPECT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE), -EOPNOTSUPP);
	k->kt->qp->ibqp.integrity_en = true;
	k->mr.pi = NULL;
	KUNIT_EXPECT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE), -EINVAL);
	k->mr.pi = &k->pi;
	KUNIT_EXPECT_EQ(test, sq->head, 0);
	KUNIT_EXPECT_EQ(test, sq->cur_post, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(k->kt->dbr[MLX5_SND_DBR]), 0);
	KUNIT_EXPECT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE), 0);
	KUNIT_EXPECT_EQ(test, sq->head, 1);
}

/*
 * As in mlx5_ib, a registration is refused until the status of the previous
 * registration was read.
 */
static void unchecked_is_refused(struct kunit *test)
{
	static const struct kt_sg data = { 0x1000, 1024 }, meta = { 0x9000, 16 };
	struct ktp *k = create(test);
	struct mlx5dv_mkey_err err;
	int i;

	KUNIT_ASSERT_EQ(test, map(k, &data, 1, &meta, 1), 0);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE), 0);
		KUNIT_EXPECT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE), -EINVAL);
		KUNIT_EXPECT_EQ(test, ibx_sig_take_error(&k->sig, &err), 0);
		KUNIT_EXPECT_EQ(test, err.err_type, MLX5DV_MKEY_NO_ERR);
	}
	/* an error that is polled after the next registration is kept */
	k->sig.has_err = true;
	k->sig.err.err_type = MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD;
	atomic_inc(&k->sig.errs);
	KUNIT_EXPECT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE), 0);
	KUNIT_EXPECT_EQ(test, ibx_sig_take_error(&k->sig, &err), 0);
	KUNIT_EXPECT_EQ(test, err.err_type, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
}

/* attributes that no recorded registration has; the domains differ */
struct bsf_case {
	const char *name;
	struct ib_t10_dif_domain mem;
	struct ib_t10_dif_domain wire;
	const char *bsf;
};

static const struct bsf_case bsf_cases[] = {
	{ "same but for the guard",
	  { IB_T10DIF_CSUM, 512, 0, 1, 2, true, .apptag_check_mask = 0xffff },
	  { IB_T10DIF_CRC, 512, 0, 1, 2, true, .apptag_check_mask = 0xffff },
	  HEX(90ff3f01000010000000077800000777 00000000000000000000000000000000
	      c000000100000002018000000040ffff c000000100000002028000000040ffff) },
	{ "same but for the seed",
	  { IB_T10DIF_CRC, 520, 0xffff, 1, 2, .apptag_check_mask = 0xffff },
	  { IB_T10DIF_CRC, 520, 0, 1, 2, .apptag_check_mask = 0xffff },
	  HEX(90ff3f02000010000000077800000777 00000000000000000000000000000000
	      c000000100000002018000000000ffff c000000100000002018800000000ffff) },
	{ "same but for the application tag and its mask",
	  { IB_T10DIF_CRC, 4096, 0, 3, 2, .apptag_check_mask = 0x00ff },
	  { IB_T10DIF_CRC, 4096, 0, 1, 2, .apptag_check_mask = 0xff00 },
	  HEX(90ffcf03000010000000077800000777 00000000000000000000000000000000
	      c000000100000002018000000000ff00 c00000030000000201800000000000ff) },
	{ "same but for the reference tag",
	  { IB_T10DIF_CRC, 4160, 0, 1, 0x80000000, .apptag_check_mask = 0xffff },
	  { IB_T10DIF_CRC, 4160, 0, 1, 0, .apptag_check_mask = 0xffff },
	  HEX(90fff004000010000000077800000777 00000000000000000000000000000000
	      c000000100000000018000000000ffff c000000180000000018000000000ffff) },
	{ "same but for the remapping and the escapes",
	  { IB_T10DIF_CRC, 512, 0, 1, 2, true, true, false, 0xffff },
	  { IB_T10DIF_CRC, 512, 0, 1, 2, false, true, true, 0xffff },
	  HEX(90fff001000010000000077800000777 00000000000000000000000000000000
	      c000000100000002018000000002ffff c000000100000002018000000041ffff) },
	{ "other blocks, and an escape of no tag",
	  { IB_T10DIF_CRC, 512, 0, 1, 2, false, false, true, 0xffff },
	  { IB_T10DIF_CRC, 4096, 0, 1, 2, .apptag_check_mask = 0xffff },
	  HEX(80ff0301000010000000077800000777 00000000000000000000000000000000
	      c000000100000002018000000000ffff c000000100000002018000000000ffff) },
};

static void name_bsf(const struct bsf_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bsf, bsf_cases, name_bsf);

static void bsf_has_the_attributes(struct kunit *test)
{
	static const struct kt_sg data = { 0x1000, 0x1000 };
	const struct bsf_case *c = test->param_value;
	struct ktp *k = create(test);

	k->attrs.mem.sig.dif = c->mem;
	k->attrs.wire.sig.dif = c->wire;
	KUNIT_ASSERT_EQ(test, map(k, &data, 1, NULL, 0), 0);
	KUNIT_ASSERT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE), 0);
	kt_expect_bytes(test, c->name, k->kt->sq_ring + 3 * IBX_BB, c->bsf);
}

/* an unknown flag of the second WR of a chain: only the first WR is posted */
static void unknown_flags_are_refused(struct kunit *test)
{
	static const struct kt_sg data = { 0x1000, 1024 }, meta = { 0x9000, 16 };
	struct ktp *k = create(test);
	struct ib_reg_wr first = pi_wr(k, 0, IB_ACCESS_LOCAL_WRITE);
	struct ib_reg_wr second = pi_wr(k, IB_SEND_IP_CSUM, IB_ACCESS_LOCAL_WRITE);
	const struct ib_send_wr *bad = NULL;

	KUNIT_ASSERT_EQ(test, map(k, &data, 1, &meta, 1), 0);
	KUNIT_EXPECT_EQ(test, post(k, IB_SEND_IP_CSUM, IB_ACCESS_LOCAL_WRITE), -EINVAL);
	first.wr.next = &second.wr;
	KUNIT_EXPECT_EQ(test, ibx_post_send(&k->kt->qp->ibqp, &first.wr, &bad), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, bad, &second.wr);
	KUNIT_EXPECT_EQ(test, k->kt->qp->sq.head, 1);
}

/* a registration of mlx5_ib without control segments */
struct recorded_pi {
	const char *name;
	struct kt_sg data[4];
	struct kt_sg meta[4];
	u32 nents;			/* of data; of meta if not empty */
	bool mem;
	bool wire;
	u32 list_key;			/* of pages or ranges; 0: no list */
	u32 key;
	const char *mkey;		/* UMR and mkey segment */
	const char *layout;
	const char *bsf;
};

#define REC(n)	(0xc5c058e8000ULL + (n))
static const struct recorded_pi recorded_pis[] = {
	{ "memory itself, both domains", { { REC(0), 2048 } }, { { REC(0x4000), 32 } }, 1,
	  true, true, 0, 0x191a,
	  HEX(0000be00ffffff1a 0000000045000000 0000000000000000 0000000000000820
	      0000000400000000 0000000000000000 0000000000000004 0000000000000000),
	  HEX(00000208000004000000000400000002 02000200000015060000 0c5c058e8000
	      00080008000015060000 0c5c058ec000 00000000000000000000000000000000),
	  HEX(90ffff01000008000000000200000001 00000000000000000000000000000000
	      c0001234fffffffe018000000040ffff c0001234fffffffe018000000040ffff) },
	{ "pages, memory domain",
	  { { REC(0), 512 }, { REC(512), 512 }, { REC(1024), 512 }, { REC(1536), 512 } },
	  { { REC(0x4000), 8 }, { REC(0x4008), 8 }, { REC(0x4010), 8 }, { REC(0x4018), 8 } },
	  4, true, false, 0x1809, 0x190c,
	  HEX(0000be00ffffff0c 0000000045000000 0000000000000000 0000000000000820
	      0000000400000000 0000000000000000 0000000000000004 0000000000000000),
	  HEX(00000208000004000000000400000002 02000200000018090000 0c5c058e8000
	      00080008000018090000 0c5c058e9000 00000000000000000000000000000000),
	  HEX(80ff0001000008000000000000000001 00000000000000000000000000000000
	      00000000000000000000000000000000 c0001234fffffffe018000000040ffff) },
	{ "ranges, memory domain",
	  { { REC(3), 512 }, { REC(0xb03), 512 }, { REC(0x1603), 512 }, { REC(0x2103), 512 } },
	  { { REC(0x4000), 8 }, { REC(0x4008), 8 }, { REC(0x4010), 8 }, { REC(0x4018), 8 } },
	  4, true, false, 0x1708, 0x190d,
	  HEX(0000be00ffffff0d 0000000045000000 0000000000000000 0000000000000820
	      0000000400000000 0000000000000000 0000000000000004 0000000000000000),
	  HEX(00000208000004000000000400000002 02000200000017080000000000000000
	      00080008000017080000000000000800 00000000000000000000000000000000),
	  HEX(80ff0001000008000000000000000001 00000000000000000000000000000000
	      00000000000000000000000000000000 c0001234fffffffe018000000040ffff) },
	{ "memory itself, wire domain", { { REC(0), 2048 } }, {}, 1, false, true, 0, 0x1911,
	  HEX(0000be00ffffff11 0000000045000000 0000000000000000 0000000000000800
	      0000000400000000 0000000000000000 0000000000000004 0000000000000000),
	  HEX(00000800000015060000 0c5c058e8000 00000000000000000000000000000000
	      00000000000000000000000000000000 00000000000000000000000000000000),
	  HEX(80ff0100000008000000000200000000 00000000000000000000000000000000
	      c0001234fffffffe018000000040ffff 00000000000000000000000000000000) },
};

static void set_recorded(struct ktp *k, const struct recorded_pi *r)
{
	const struct ib_sig_domain none = { .sig_type = IB_SIG_TYPE_NONE };
	struct ib_sig_domain dif = dif_512;

	dif.sig.dif.ref_tag = 0xfffffffe;
	k->attrs.mem = r->mem ? dif : none;
	k->attrs.wire = r->wire ? dif : none;
	k->pd.local_dma_lkey = 0x1506;
	k->pi.list.mkey = r->list_key;
	k->pi.list.other = r->list_key;
	k->pi.key = r->key;
	k->mr.ibmr.lkey = r->key;
	k->mr.ibmr.rkey = r->key;
	k->sig.psv[IBX_SIG_MEM] = 1;
	k->sig.psv[IBX_SIG_WIRE] = 2;
}

static void registrations_equal_recorded(struct kunit *test)
{
	const struct recorded_pi *r = test->param_value;
	struct ktp *k = create(test);
	const u8 *at;

	set_recorded(k, r);
	KUNIT_ASSERT_EQ(test, map(k, r->data, r->nents, r->meta, r->mem ? r->nents : 0), 0);
	KUNIT_ASSERT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ |
					 IB_ACCESS_REMOTE_WRITE), 0);
	/* the signature mkey follows the WQE of the list, if there is a list */
	at = k->kt->sq_ring + (r->list_key ? 3 * IBX_BB : 0);
	kt_expect_bytes(test, r->name, at + IBX_DS,
			HEX(a000000000040004 00000000209e3343 0000000000000000 0000000000000000
			    0000000000000000 0000000000000000));
	kt_expect_bytes(test, r->name, at + IBX_BB, r->mkey);
	kt_expect_bytes(test, r->name, at + 2 * IBX_BB, r->layout);
	kt_expect_bytes(test, r->name, at + 3 * IBX_BB, r->bsf);
	at += IBX_PI_UMR_BBS * IBX_BB;
	if (r->mem) {
		kt_expect_bytes(test, r->name, at + IBX_DS,
				HEX(0000000100000000 00001234fffffffe));
		at += IBX_BB;
	}
	if (r->wire)
		kt_expect_bytes(test, r->name, at + IBX_DS,
				HEX(0000000200000000 00001234fffffffe));
}

static void name_recorded(const struct recorded_pi *r, char *desc)
{
	strscpy(desc, r->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(recorded_pi, recorded_pis, name_recorded);

static u8 ctrl_bits(const struct ktp *k, u16 block)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (void *)(k->kt->sq_ring + block * IBX_BB);

	return ctrl->fm_ce_se;
}

/* one WR has a list inline, the signature mkey, and a PSV for each domain */
static void parts_are_one_wr(struct kunit *test)
{
	static const struct kt_sg data[] = { { PAGE(1), 0x1000 }, { PAGE(5), 0x1000 } };
	static const struct kt_sg meta = { 0x9000, 128 };
	struct ktp *k = create(test);
	const struct ibx_sq *sq = &k->kt->qp->sq;
	struct mlx5dv_mkey_err err;

	KUNIT_ASSERT_EQ(test, map(k, data, 2, &meta, 1), 0);
	KUNIT_ASSERT_EQ(test, post(k, IB_SEND_SIGNALED, IB_ACCESS_LOCAL_WRITE), 0);
	KUNIT_EXPECT_EQ(test, sq->head, 1);
	/* 3 blocks of the list, 4 of the signature mkey, 2 PSVs */
	KUNIT_EXPECT_EQ(test, sq->cur_post, 9);
	KUNIT_EXPECT_EQ(test, sq->next_fence, MLX5_FENCE_MODE_INITIATOR_SMALL);
	KUNIT_EXPECT_FALSE(test, ctrl_bits(k, 0) & MLX5_WQE_CTRL_CQ_UPDATE);
	KUNIT_EXPECT_FALSE(test, ctrl_bits(k, 3) & MLX5_WQE_CTRL_CQ_UPDATE);
	KUNIT_EXPECT_FALSE(test, ctrl_bits(k, 7) & MLX5_WQE_CTRL_CQ_UPDATE);
	KUNIT_EXPECT_TRUE(test, ctrl_bits(k, 8) & MLX5_WQE_CTRL_CQ_UPDATE);
	KUNIT_EXPECT_EQ(test, sq->shadow[0].next, 9);
	KUNIT_EXPECT_EQ(test, sq->shadow[8].next, 9);
	KUNIT_EXPECT_EQ(test, sq->shadow[8].seq, 1);
	KUNIT_EXPECT_EQ(test, sq->shadow[8].wr_id, 7);
	KUNIT_EXPECT_EQ(test, sq->shadow[8].wc_opcode, IB_WC_REG_MR);

	KUNIT_ASSERT_EQ(test, ibx_sig_take_error(&k->sig, &err), 0);
	k->attrs.wire.sig_type = IB_SIG_TYPE_NONE;
	KUNIT_ASSERT_EQ(test, map(k, data, 1, &(const struct kt_sg){ 0x9000, 64 }, 1), 0);
	KUNIT_ASSERT_EQ(test, post(k, 0, IB_ACCESS_LOCAL_WRITE), 0);
	/* behind the first WR: 4 blocks of the signature mkey, 1 PSV */
	KUNIT_EXPECT_EQ(test, sq->cur_post, 14);
	KUNIT_EXPECT_EQ(test, sq->shadow[9].next, 14);
	KUNIT_EXPECT_EQ(test, sq->shadow[13].seq, 2);
}

static void rings_have_space_for_parts(struct kunit *test)
{
	const struct ibx_qp_limits lim = {
		.max_wqes = 32768, .max_sq_wqe = 960, .max_rq_wqe = 512, .max_send_sge = 30,
		.integrity = true,
	};
	struct ib_qp_cap cap = { .max_send_wr = 16, .max_send_sge = 1 };
	struct ibx_qp_geom g;

	KUNIT_ASSERT_EQ(test, ibx_qp_geometry(IB_QPT_RC, &cap, &lim, &g), 0);
	/* 3 blocks for the list, 4 for the signature mkey, 2 for PSVs */
	KUNIT_EXPECT_EQ(test, g.sq_wqe, 9 * 64);
	KUNIT_EXPECT_EQ(test, g.sq_bbs, 256);
	KUNIT_EXPECT_EQ(test, g.sq_wrs, 28);

	/* iSER: 512 commands of 6 WRs each, 10 other WRs, one to drain */
	cap.max_send_wr = 512 * 6 + 10 + 1;
	KUNIT_ASSERT_EQ(test, ibx_qp_geometry(IB_QPT_RC, &cap, &lim, &g), 0);
	KUNIT_EXPECT_GE(test, g.sq_wrs, cap.max_send_wr);
}

static struct kunit_case pi_cases[] = {
	KUNIT_CASE(map_of_one_each_has_no_list),
	KUNIT_CASE(map_of_pages),
	KUNIT_CASE(map_of_ranges),
	KUNIT_CASE(map_skips_offsets),
	KUNIT_CASE(map_fills_the_list_and_no_more),
	KUNIT_CASE(attributes_are_checked),
	KUNIT_CASE_PARAM(registrations_equal_recorded, recorded_pi_gen_params),
	KUNIT_CASE(refused_post_leaves_the_ring),
	KUNIT_CASE(unchecked_is_refused),
	KUNIT_CASE(unknown_flags_are_refused),
	KUNIT_CASE_PARAM(bsf_has_the_attributes, bsf_gen_params),
	KUNIT_CASE(parts_are_one_wr),
	KUNIT_CASE(rings_have_space_for_parts),
	{ }
};

static struct kunit_suite pi_suite = {
	.name = "mlx5_ibx_pi",
	.test_cases = pi_cases,
};

kunit_test_suite(pi_suite);
