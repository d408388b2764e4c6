// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of signature mkeys: work requests of several WQEs in the
 * ring, chains that are not posted, refused attributes, and errors.
 * recorded_sig_kunit.c compares the bytes.
 *
 * CQEs of errors are struct mlx5_sig_err_cqe of linux/mlx5/device.h; cq.c of
 * rdma-core shows the meaning of its reserved bytes.
 */
#include "backend.h"
#include "dv/mkey.h"
#include "enc/bsf.h"
#include "kunit.h"

#define SIG_MKEY	0x0012ab00
#define SIG_LKEY	0x00c0ffee
#define SIG_PSV		0x000777

static const struct mlx5dv_sig_t10dif dif = {
	.bg_type = MLX5DV_SIG_T10DIF_CRC, .bg = 0xffff, .app_tag = 0x1234, .ref_tag = 0x56789abc,
};

static const struct mlx5dv_sig_crc crc32 = { MLX5DV_SIG_CRC_TYPE_CRC32, U32_MAX };
static const struct mlx5dv_sig_crc crc64 = { MLX5DV_SIG_CRC_TYPE_CRC64_XP10, 0 };

static const struct mlx5dv_sig_block_domain dif_512 = {
	MLX5DV_SIG_TYPE_T10DIF, { .dif = &dif }, MLX5DV_BLOCK_SIZE_512,
};

static const struct mlx5dv_sig_block_domain crc32_4096 = {
	MLX5DV_SIG_TYPE_CRC, { .crc = &crc32 }, MLX5DV_BLOCK_SIZE_4096,
};

static const struct mlx5dv_sig_block_domain crc64_4160 = {
	MLX5DV_SIG_TYPE_CRC, { .crc = &crc64 }, MLX5DV_BLOCK_SIZE_4160,
};

static const struct mlx5dv_sig_block_attr one_domain = { .mem = &crc32_4096 };
static const struct mlx5dv_sig_block_attr two_domains = { .mem = &dif_512, .wire = &crc64_4160 };

/* a QP, and an mkey with signatures */
struct kts {
	struct kt *kt;
	struct mlx5dv_qp_ex *mqp;
	struct ib_qp_ex *qpx;
	struct ibx_mkey mkey;
	struct ibx_sig sig;
	struct mlx5dv_sig_caps caps;
	u32 cqes;
};

static struct kts *create(struct kunit *test)
{
	struct kts *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->kt = kt_create(test, IB_QPT_RC);
	s->mqp = &s->kt->qp->dv;
	s->qpx = &s->mqp->qp_ex;
	s->caps = (struct mlx5dv_sig_caps){ 0x1f, 0x3, 0x3, 0x7 };
	s->sig.caps = &s->caps;
	s->sig.psv[IBX_SIG_MEM] = SIG_PSV;
	s->sig.psv[IBX_SIG_WIRE] = SIG_PSV + 1;
	spin_lock_init(&s->sig.lock);
	atomic_set(&s->sig.errs, 1);
	s->mkey.dv.lkey = SIG_MKEY;
	s->mkey.dv.rkey = SIG_MKEY;
	s->mkey.key = SIG_MKEY;
	s->mkey.has.max_entries = 8;
	s->mkey.sig = &s->sig;
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(&s->kt->dev->sigs, SIG_MKEY >> 8, &s->sig,
					      GFP_KERNEL)), 0);
	return s;
}

static void start(struct kts *s, u64 wr_id, unsigned int flags)
{
	KUNIT_ASSERT_EQ(s->kt->test, ib_wr_start(s->qpx), 0);
	s->qpx->wr_id = wr_id;
	s->qpx->wr_flags = flags;
}

static void begin(struct kts *s, u8 setters, u32 conf_flags)
{
	const struct mlx5dv_mkey_conf_attr attr = { .conf_flags = conf_flags };

	mlx5dv_wr_mkey_configure(s->mqp, &s->mkey.dv, setters, &attr);
}

static void build_sig(struct kts *s, const struct mlx5dv_sig_block_attr *attr)
{
	begin(s, 1, 0);
	mlx5dv_wr_set_mkey_sig_block(s->mqp, attr);
}

static int configure(struct kts *s, u64 wr_id, const struct mlx5dv_sig_block_attr *attr)
{
	start(s, wr_id, IB_SEND_SIGNALED | IB_SEND_INLINE);
	build_sig(s, attr);
	return ib_wr_complete(s->qpx);
}

static void send_nothing(struct kts *s, u64 wr_id)
{
	start(s, wr_id, IB_SEND_SIGNALED);
	ib_wr_send(s->qpx);
	ib_wr_set_sge_list(s->qpx, 0, NULL);
	KUNIT_ASSERT_EQ(s->kt->test, ib_wr_complete(s->qpx), 0);
}

static struct mlx5_cqe64 *write_cqe(struct kts *s, u8 opcode, u16 counter)
{
	struct mlx5_cqe64 *cqe = s->kt->cq->cqb.buf + s->cqes % KT_CQES * 64;

	memset(cqe, 0, sizeof(*cqe));
	cqe->sop_drop_qpn = cpu_to_be32(0x0a000000 | KT_QPN);
	cqe->wqe_counter = cpu_to_be16(counter);
	cqe->op_own = opcode << 4 | (s->cqes++ / KT_CQES & 1);
	return cqe;
}

static void write_error(struct kts *s, u16 counter, u8 syndrome)
{
	struct mlx5_err_cqe *cqe = (void *)write_cqe(s, MLX5_CQE_REQ_ERR, counter);

	cqe->syndrome = syndrome;
	cqe->vendor_err_synd = syndrome + 1;
}

static struct mlx5_sig_err_cqe *write_sig_error(struct kts *s, u16 syndrome, u8 domain)
{
	struct mlx5_sig_err_cqe *cqe = (void *)write_cqe(s, MLX5_CQE_SIG_ERR, 0);

	cqe->expected_trans_sig = cpu_to_be32(0x11223344);
	cqe->expected_reftag = cpu_to_be32(0x55667788);
	cqe->actual_trans_sig = cpu_to_be32(0x99aabbcc);
	cqe->actual_reftag = cpu_to_be32(0xddeeff00);
	cqe->syndrome = cpu_to_be16(syndrome);
	cqe->rsvd22[1] = domain;
	/* the low byte of a key is chosen by the owner of the mkey */
	cqe->mkey = cpu_to_be32(SIG_MKEY | 0x77);
	cqe->err_offset = cpu_to_be64(0x100000208);
	return cqe;
}

static int poll(struct kts *s, int num, struct ib_wc *wc)
{
	memset(wc, POISON, num * sizeof(*wc));
	return ibx_poll_cq(&s->kt->cq->ibcq, num, wc);
}

/* type of the error of the mkey, or an errno of mlx5dv_mkey_check() */
static int error_type(struct kts *s)
{
	struct mlx5dv_mkey_err err;
	int ret = mlx5dv_mkey_check(&s->mkey.dv, &err);

	return ret ?: err.err_type;
}

static u8 opcode_at(const struct kts *s, u16 block)
{
	return s->kt->sq_ring[block % KT_BBS * IBX_BB + 3];
}

static bool signalled_at(const struct kts *s, u16 block)
{
	return s->kt->sq_ring[block % KT_BBS * IBX_BB + 11] & MLX5_WQE_CTRL_CQ_UPDATE;
}

/* a UMR and 1 or 2 SET_PSVs, anywhere in the ring: only the last is signaled */
static void one_completion(struct kunit *test)
{
	struct kts *s = create(test);
	struct ibx_sq *sq = &s->kt->qp->sq;
	struct ib_wc wc[2];
	u16 at, last;
	int i;

	for (i = 0; i < 2 * KT_BBS; i++) {
		at = sq->cur_post;
		KUNIT_ASSERT_EQ(test, configure(s, i, i % 3 ? &two_domains : &one_domain), 0);
		last = sq->cur_post - 1;
		/* UMR and mkey context, BSF, and a block for each PSV */
		KUNIT_EXPECT_EQ(test, last - at, i % 3 ? 4 : 3);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(s->kt->dbr[MLX5_SND_DBR]), sq->cur_post);
		KUNIT_EXPECT_EQ(test, opcode_at(s, at), MLX5_OPCODE_UMR);
		KUNIT_EXPECT_EQ(test, opcode_at(s, at + 3), MLX5_OPCODE_SET_PSV);
		KUNIT_EXPECT_EQ(test, opcode_at(s, last), MLX5_OPCODE_SET_PSV);
		KUNIT_EXPECT_FALSE(test, signalled_at(s, at));
		KUNIT_EXPECT_TRUE(test, signalled_at(s, last));
		KUNIT_EXPECT_EQ(test, signalled_at(s, at + 3), last == (u16)(at + 3));
		write_cqe(s, MLX5_CQE_REQ, last);
		KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 1);
		KUNIT_EXPECT_EQ(test, wc->wr_id, i);
		KUNIT_EXPECT_EQ(test, wc->opcode, MLX5DV_WC_UMR);
		KUNIT_EXPECT_TRUE(test, ibx_sq_idle(sq));
	}
}

/* only the last WQE is signaled with IB_SIGNAL_ALL_WR too */
static void signal_all(struct kunit *test)
{
	struct kts *s = create(test);

	s->kt->qp->sq.fm_ce_se = MLX5_WQE_CTRL_CQ_UPDATE;
	start(s, 1, IB_SEND_INLINE);
	build_sig(s, &two_domains);
	KUNIT_ASSERT_EQ(test, ib_wr_complete(s->qpx), 0);
	KUNIT_EXPECT_FALSE(test, signalled_at(s, 0));
	KUNIT_EXPECT_FALSE(test, signalled_at(s, 3));
	KUNIT_EXPECT_TRUE(test, signalled_at(s, 4));
}

/*
 * A configuration counts as one work request, and as one more for each domain
 * with signatures.
 */
static void space(struct kunit *test)
{
	static const struct mlx5dv_sig_block_attr *attrs[] = { &one_domain, &two_domains };
	struct ib_wc wc[2];
	struct kts *s;
	int i, n;

	for (n = 0; n < ARRAY_SIZE(attrs); n++) {
		s = create(test);
		for (i = 0; i < KT_MAX_POST - 1 - n; i++)
			send_nothing(s, i);
		KUNIT_EXPECT_EQ(test, configure(s, 10, attrs[n]), -ENOMEM);
		KUNIT_EXPECT_FALSE(test, s->sig.state.on);
		write_cqe(s, MLX5_CQE_REQ, 0);
		KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 1);
		KUNIT_EXPECT_EQ(test, configure(s, 10, attrs[n]), 0);
		KUNIT_EXPECT_EQ(test, s->kt->qp->sq.head - s->kt->qp->sq.tail, KT_MAX_POST);
		start(s, 11, 0);
		ib_wr_send(s->qpx);
		ib_wr_set_sge_list(s->qpx, 0, NULL);
		KUNIT_EXPECT_EQ(test, ib_wr_complete(s->qpx), -ENOMEM);
	}
}

/* the WQE needs space for the BSF behind the layout */
static void space_in_wqe(struct kunit *test)
{
	struct ib_sge sge[4] = {
		{ 0x1000, 16, SIG_LKEY }, { 0x2000, 16, SIG_LKEY },
		{ 0x3000, 16, SIG_LKEY }, { 0x4000, 16, SIG_LKEY },
	};
	struct kts *s = create(test);
	int i;

	for (i = 0; i < 2; i++) {
		s->kt->qp->sq.max_umr_inline = 64 + 64 * i;
		start(s, 0, IB_SEND_INLINE);
		begin(s, 2, 0);
		mlx5dv_wr_set_mkey_sig_block(s->mqp, &one_domain);
		mlx5dv_wr_set_mkey_layout_list(s->mqp, 4, sge);
		KUNIT_EXPECT_EQ(test, ib_wr_complete(s->qpx), i ? 0 : -ENOMEM);
		KUNIT_EXPECT_EQ(test, s->sig.state.on, i);
	}
}

/*
 * The UMR fails, or all WQEs are flushed. There is one completion, after the
 * CQE of the last WQE.
 */
static void failed(struct kunit *test)
{
	static const u8 syndromes[] = {
		MLX5_CQE_SYNDROME_WR_FLUSH_ERR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR,
	};
	struct kts *s = create(test);
	struct ib_wc wc[4];
	const u8 *umr;
	int i;

	for (i = 0; i < ARRAY_SIZE(syndromes); i++) {
		const u16 at = s->kt->qp->sq.cur_post;

		KUNIT_ASSERT_EQ(test, configure(s, 5, &two_domains), 0);
		/*
		 * the UMR writes the number of errors, even if the device did
		 * not execute the previous configuration
		 */
		umr = s->kt->sq_ring + at % KT_BBS * IBX_BB + 16;
		KUNIT_EXPECT_TRUE(test, get_unaligned_be64(umr + 8) & MLX5_MKEY_MASK_EN_SIGERR);
		send_nothing(s, 6);
		write_error(s, at, syndromes[i]);
		KUNIT_EXPECT_EQ(test, poll(s, 4, wc), 0);
		KUNIT_EXPECT_FALSE(test, ibx_sq_idle(&s->kt->qp->sq));
		write_error(s, at + 3, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		write_error(s, at + 4, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		write_error(s, at + 5, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		KUNIT_ASSERT_EQ(test, poll(s, 4, wc), 2);
		KUNIT_EXPECT_EQ(test, wc[0].wr_id, 5);
		KUNIT_EXPECT_EQ(test, wc[0].status, i ? IB_WC_LOC_QP_OP_ERR : IB_WC_WR_FLUSH_ERR);
		KUNIT_EXPECT_EQ(test, wc[0].opcode, MLX5DV_WC_UMR);
		KUNIT_EXPECT_EQ(test, wc[0].vendor_err, syndromes[i] + 1);
		KUNIT_EXPECT_EQ(test, wc[1].wr_id, 6);
		KUNIT_EXPECT_EQ(test, wc[1].status, IB_WC_WR_FLUSH_ERR);
	}
}

/* fatal error: each WR is flushed once, from any position of the oldest WR */
static void dead(struct kunit *test)
{
	struct kts *s;
	struct ib_wc wc[5];
	int i, at;

	for (at = 0; at < KT_BBS; at++) {
		s = create(test);
		for (i = 0; i < at; i++) {
			send_nothing(s, 0xdead);
			write_cqe(s, MLX5_CQE_REQ, i);
			KUNIT_ASSERT_EQ(test, poll(s, 1, wc), 1);
		}
		/*
		 * the configurations count as three and as two work requests,
		 * which fill the ring
		 */
		KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
		KUNIT_ASSERT_EQ(test, configure(s, 1, &one_domain), 0);
		s->kt->mdev->state = MLX5_DEVICE_STATE_INTERNAL_ERROR;
		KUNIT_ASSERT_EQ(test, poll(s, 5, wc), 2);
		for (i = 0; i < 2; i++) {
			KUNIT_EXPECT_EQ(test, wc[i].wr_id, i);
			KUNIT_EXPECT_EQ(test, wc[i].status, IB_WC_WR_FLUSH_ERR);
		}
		KUNIT_EXPECT_EQ(test, poll(s, 5, wc), 0);
	}
}

/* an aborted or failed chain restores the state of the mkey */
static void dropped(struct kunit *test)
{
	struct kts *s = create(test);
	struct ibx_sig_state before;

	KUNIT_ASSERT_EQ(test, configure(s, 0, &one_domain), 0);
	kt_sq_reset(&s->kt->qp->sq);
	before = s->sig.state;
	atomic_inc(&s->sig.errs);

	start(s, 1, IB_SEND_INLINE);
	build_sig(s, &two_domains);
	begin(s, 0, MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR);
	KUNIT_EXPECT_FALSE(test, s->sig.state.on);
	ib_wr_abort(s->qpx);
	KUNIT_EXPECT_MEMEQ(test, &s->sig.state, &before, sizeof(before));
	KUNIT_EXPECT_NULL(test, s->sig.chain);

	start(s, 1, IB_SEND_INLINE);
	begin(s, 0, MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR);
	begin(s, 1, 0);
	KUNIT_EXPECT_EQ(test, ib_wr_complete(s->qpx), -EINVAL);
	KUNIT_EXPECT_MEMEQ(test, &s->sig.state, &before, sizeof(before));
	KUNIT_EXPECT_NULL(test, s->sig.chain);
	KUNIT_EXPECT_NULL(test, s->kt->qp->wr.sigs);

	/* a reset of the attributes that is posted changes the state */
	start(s, 1, IB_SEND_INLINE);
	begin(s, 0, MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR);
	KUNIT_EXPECT_EQ(test, ib_wr_complete(s->qpx), 0);
	KUNIT_EXPECT_FALSE(test, s->sig.state.on);
	KUNIT_EXPECT_NULL(test, s->sig.chain);
}

/* a reset of an mkey without signatures does not affect other mkeys */
static void reset_of_plain(struct kunit *test)
{
	const struct mlx5dv_mkey_conf_attr reset = {
		.conf_flags = MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR,
	};
	struct kts *s = create(test);
	struct ibx_mkey plain = s->mkey;

	plain.sig = NULL;
	KUNIT_ASSERT_EQ(test, configure(s, 0, &one_domain), 0);
	start(s, 1, IB_SEND_INLINE);
	mlx5dv_wr_mkey_configure(s->mqp, &plain.dv, 0, &reset);
	KUNIT_ASSERT_EQ(test, ib_wr_complete(s->qpx), 0);
	start(s, 2, IB_SEND_INLINE);
	begin(s, 0, 0);
	KUNIT_ASSERT_EQ(test, ib_wr_complete(s->qpx), 0);
	KUNIT_EXPECT_TRUE(test, s->sig.state.on);
}

/* the mkey is part of a started chain of another QP */
static void busy(struct kunit *test)
{
	struct kts *s = create(test);
	struct ibx_wr other = {};

	s->sig.chain = &other;
	KUNIT_EXPECT_EQ(test, configure(s, 0, &one_domain), -EBUSY);
	KUNIT_EXPECT_PTR_EQ(test, s->sig.chain, &other);
	KUNIT_EXPECT_FALSE(test, s->sig.state.on);
	s->sig.chain = NULL;
	KUNIT_EXPECT_EQ(test, configure(s, 0, &one_domain), 0);
}

struct bad_attr {
	const char *name;
	struct mlx5dv_sig_block_domain mem;
	bool wire;		/* crc64_4160 */
	u32 flags;
	u64 comp_mask;
	int err;
};

/* domains with blocks of 512 bytes, or of @size, and signature attributes */
#define DIF_OF(size, ...)	{ MLX5DV_SIG_TYPE_T10DIF, {			\
	.dif = &(const struct mlx5dv_sig_t10dif){ __VA_ARGS__ } }, size }
#define CRC_OF(size, ...)	{ MLX5DV_SIG_TYPE_CRC, {			\
	.crc = &(const struct mlx5dv_sig_crc){ __VA_ARGS__ } }, size }
#define DIF(...)	DIF_OF(MLX5DV_BLOCK_SIZE_512, __VA_ARGS__)
#define CRC(...)	CRC_OF(MLX5DV_BLOCK_SIZE_512, __VA_ARGS__)
#define COPY		MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK
#define ABSENT		{ .comp_mask = U64_MAX }

static const struct bad_attr bad_attrs[] = {
	{ "no domain", ABSENT, .err = -EINVAL },
	{ "unknown type", { 2, {}, 0 }, .err = -EINVAL },
	{ "comp_mask of a domain", { MLX5DV_SIG_TYPE_CRC, { .crc = &crc32 }, 0, 1 },
	  .err = -EINVAL },
	{ "comp_mask", CRC(0), .comp_mask = 1, .err = -EINVAL },
	{ "unknown flag", CRC(0), .flags = 2, .err = -EINVAL },
	{ "unknown block size", CRC_OF(5, 0), .err = -EINVAL },
	{ "negative block size", CRC_OF(-1, 0), .err = -EINVAL },
	{ "unknown CRC", CRC(3), .err = -EINVAL },
	{ "seed of CRC32", CRC(0, 1), .err = -EINVAL },
	{ "seed of CRC32C", CRC(1, 0x80000000), .err = -EINVAL },
	{ "seed of CRC64", CRC(2, U32_MAX), .err = -EINVAL },
	{ "unknown guard", DIF(2), .err = -EINVAL },
	{ "seed of T10-DIF", DIF(0, 1), .err = -EINVAL },
	{ "flag of T10-DIF", DIF(0, .flags = 8), .err = -EINVAL },
	{ "copy without wire", CRC(0), .flags = COPY, .err = -EINVAL },
	{ "copy without memory", ABSENT, true, COPY, .err = -EINVAL },
	{ "copy of another type", DIF_OF(MLX5DV_BLOCK_SIZE_4160, 0), true, COPY, .err = -EINVAL },
	{ "copy of another CRC", CRC_OF(MLX5DV_BLOCK_SIZE_4160, 0), true, COPY, .err = -EINVAL },
	{ "copy of another size", CRC_OF(MLX5DV_BLOCK_SIZE_4096, 2), true, COPY, .err = -EINVAL },
	/* attributes that are unusual, but valid */
	{ "high bits of a 4-byte seed", CRC(0, 0xabcdef00ffffffff) },
	{ "high bits of a seed of 0", CRC(1, 0xabcdef0000000000) },
	{ "copy of the same structure", CRC_OF(MLX5DV_BLOCK_SIZE_4160, 2, U64_MAX), true, COPY },
};

static void bad_desc(const struct bad_attr *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bad, bad_attrs, bad_desc);

static void bad_attr(struct kunit *test)
{
	const struct bad_attr *c = test->param_value;
	const struct mlx5dv_sig_block_attr attr = {
		.mem = c->mem.comp_mask == U64_MAX ? NULL : &c->mem,
		.wire = c->wire ? &crc64_4160 : NULL,
		.flags = c->flags,
		.comp_mask = c->comp_mask,
	};
	struct kts *s = create(test);

	KUNIT_EXPECT_EQ(test, configure(s, 0, &attr), c->err);
	KUNIT_EXPECT_EQ(test, s->sig.state.on, !c->err);
	/*
	 * the setter is refused if it is called twice, or for an mkey without
	 * signatures
	 */
	start(s, 0, IB_SEND_INLINE);
	build_sig(s, &one_domain);
	mlx5dv_wr_set_mkey_sig_block(s->mqp, &one_domain);
	KUNIT_EXPECT_EQ(test, ib_wr_complete(s->qpx), -EINVAL);
	s->mkey.sig = NULL;
	KUNIT_EXPECT_EQ(test, configure(s, 0, &one_domain), -EINVAL);
}

/* one capability after the other is absent, and all others are present */
static void caps_absent(struct kunit *test)
{
	struct kts *s = create(test);
	struct mlx5dv_sig_block_domain domain = {};
	const struct mlx5dv_sig_block_attr attr = { .wire = &domain };
	struct mlx5dv_sig_t10dif d = {};
	struct mlx5dv_sig_crc c = {};
	int i, used, n = 0;

	for (i = 0; i < 2 * 3 * 5; i++) {
		domain.sig_type = i & 1;
		domain.block_size = i / 6;
		if (domain.sig_type == MLX5DV_SIG_TYPE_CRC)
			domain.sig.crc = &c;
		else
			domain.sig.dif = &d;
		c.type = i / 2 % 3;
		d.bg_type = i / 2 % 2;
		for (used = 0; used < 4; used++) {
			s->caps = (struct mlx5dv_sig_caps){ 0x1f, 0x3, 0x3, 0x7 };
			if (used == 0)
				s->caps.block_size &= ~BIT(domain.block_size);
			else if (used == 1)
				s->caps.block_prot &= ~BIT(domain.sig_type);
			else if (used == 2 && domain.sig_type == MLX5DV_SIG_TYPE_CRC)
				s->caps.crc_type &= ~BIT(c.type);
			else if (used == 2)
				s->caps.t10dif_bg &= ~BIT(d.bg_type);
			start(s, 0, IB_SEND_INLINE);
			build_sig(s, &attr);
			if (used < 3) {
				KUNIT_EXPECT_EQ(test, ib_wr_complete(s->qpx), -EOPNOTSUPP);
				continue;
			}
			KUNIT_EXPECT_TRUE(test, s->sig.state.on);
			ib_wr_abort(s->qpx);
			n++;
		}
	}
	KUNIT_EXPECT_EQ(test, n, 30);
}

/* a signature mkey has less than 2^32 bytes, in any order of configurations */
static void too_long(struct kunit *test)
{
	struct mlx5dv_mr_interleaved data = { 0x1000, 0x8000, 0, SIG_LKEY };
	struct kts *s = create(test);
	int i;

	s->kt->qp->sq.max_umr_inline = 128;
	for (i = 0; i < 3; i++) {
		start(s, 0, IB_SEND_INLINE);
		begin(s, 1, 0);
		/* 2^32 bytes, or 0x8000 bytes less */
		mlx5dv_wr_set_mkey_layout_interleaved(s->mqp, 0x20000 - (i == 1), 1, &data);
		if (i < 2)
			build_sig(s, &one_domain);
		KUNIT_EXPECT_EQ(test, ib_wr_complete(s->qpx), i == 1 ? 0 : -EINVAL);
		kt_sq_reset(&s->kt->qp->sq);
	}
}

struct sigerr_case {
	const char *name;
	const struct mlx5dv_sig_block_attr *attr;
	u16 syndrome;
	u8 domain;
	enum mlx5dv_mkey_err_type type;
	u64 expected;
	u64 actual;
};

#define REF	BIT(11)
#define APP	BIT(12)
#define GUARD	BIT(13)

static const struct sigerr_case sigerr_cases[] = {
	{ "guard of T10-DIF", &two_domains, GUARD, 1, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD,
	  0x1122, 0x99aa },
	{ "application tag", &two_domains, APP, 1, MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG,
	  0x3344, 0xbbcc },
	{ "reference tag", &two_domains, REF, 1, MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG,
	  0x55667788, 0xddeeff00 },
	{ "all of T10-DIF", &two_domains, GUARD | APP | REF, 1, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD,
	  0x1122, 0x99aa },
	{ "both tags", &two_domains, APP | REF, 1, MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG,
	  0x3344, 0xbbcc },
	{ "CRC64", &two_domains, GUARD, 0, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD,
	  0x1122334455667788, 0x99aabbccddeeff00 },
	{ "CRC32", &one_domain, GUARD, 1, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD,
	  0x11223344, 0x99aabbcc },
	{ "domain without signature", &one_domain, GUARD, 0, MLX5DV_MKEY_NO_ERR },
	{ "no such domain", &two_domains, GUARD, 2, MLX5DV_MKEY_NO_ERR },
	{ "no known syndrome", &two_domains, BIT(3), 1, MLX5DV_MKEY_NO_ERR },
};

static void sigerr_desc(const struct sigerr_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(sigerr, sigerr_cases, sigerr_desc);

/*
 * An error is reported once with its details. After that, mlx5dv_mkey_check()
 * returns -EIO until the mkey is configured, because the device does not check
 * the mkey.
 */
static void expect_error(struct kunit *test, struct kts *s)
{
	const struct sigerr_case *c = test->param_value;
	const int ret = c->type == MLX5DV_MKEY_NO_ERR ? -EIO : 0;
	struct mlx5dv_mkey_err err;

	KUNIT_EXPECT_EQ(test, mlx5dv_mkey_check(&s->mkey.dv, &err), ret);
	if (!ret) {
		KUNIT_EXPECT_EQ(test, err.err_type, c->type);
		KUNIT_EXPECT_EQ(test, err.err.sig.expected_value, c->expected);
		KUNIT_EXPECT_EQ(test, err.err.sig.actual_value, c->actual);
		KUNIT_EXPECT_EQ(test, err.err.sig.offset, 0x100000208);
	}
	KUNIT_EXPECT_EQ(test, error_type(s), -EIO);
	KUNIT_ASSERT_EQ(test, configure(s, 0, c->attr), 0);
	KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_NO_ERR);
}

/* an error completes no WR */
static void sigerr(struct kunit *test)
{
	const struct sigerr_case *c = test->param_value;
	struct kts *s = create(test);
	struct ib_wc wc[2];

	KUNIT_ASSERT_EQ(test, configure(s, 0, c->attr), 0);
	KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_NO_ERR);
	write_sig_error(s, c->syndrome, c->domain);
	write_cqe(s, MLX5_CQE_REQ, s->kt->qp->sq.cur_post - 1);
	KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 1);
	expect_error(test, s);
}

/*
 * The configuration after an error writes the number of errors, and sets the
 * PSVs again.
 */
static void restart(struct kunit *test)
{
	struct kts *s = create(test);
	struct ibx_sq *sq = &s->kt->qp->sq;
	const u64 en_sigerr = MLX5_MKEY_MASK_EN_SIGERR;
	struct ib_wc wc[2];
	u8 *umr, *seg;
	int i;

	KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
	KUNIT_ASSERT_EQ(test, error_type(s), MLX5DV_MKEY_NO_ERR);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(s->kt->sq_ring + 64 + 12), BIT(30) | BIT(26));
	for (i = 0; i < 4; i++) {
		kt_sq_reset(sq);
		start(s, 1, IB_SEND_INLINE);
		begin(s, 0, 0);
		KUNIT_ASSERT_EQ(test, ib_wr_complete(s->qpx), 0);
		umr = s->kt->sq_ring + 16;
		seg = s->kt->sq_ring + 64;
		KUNIT_EXPECT_EQ(test, !!(get_unaligned_be64(umr + 8) & en_sigerr), !!i);
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(seg + 12), i == 2 ? BIT(26) : 0);
		KUNIT_EXPECT_EQ(test, sq->cur_post, i ? 4 : 2);
		KUNIT_EXPECT_EQ(test, opcode_at(s, 2) == MLX5_OPCODE_SET_PSV, !!i);
		write_sig_error(s, GUARD, 1);
		KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 0);
		KUNIT_ASSERT_EQ(test, error_type(s), MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	}
}

/*
 * A configuration must not acknowledge an error that was polled but not read.
 */
static void unread(struct kunit *test)
{
	struct kts *s = create(test);
	struct ib_wc wc[2];
	int i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
		write_sig_error(s, GUARD, 1);
		KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 0);
		KUNIT_EXPECT_EQ(test, configure(s, 0, &one_domain), -EBUSY);
		KUNIT_EXPECT_EQ(test, s->sig.state.kind[IBX_SIG_MEM], IBX_SIG_T10DIF);
		KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
		kt_sq_reset(&s->kt->qp->sq);
	}
}

/*
 * After two configurations without a check in between, mlx5dv_mkey_check()
 * returns -EIO for an error.
 */
static void several(struct kunit *test)
{
	struct kts *s = create(test);
	struct ib_wc wc[2];
	int i;

	KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
	kt_sq_reset(&s->kt->qp->sq);
	KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
	write_sig_error(s, APP, 1);
	KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 0);
	kt_sq_reset(&s->kt->qp->sq);
	KUNIT_EXPECT_EQ(test, configure(s, 0, &two_domains), -EIO);
	KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, error_type(s), -EIO);
		KUNIT_EXPECT_EQ(test, configure(s, 0, &two_domains), -EIO);
	}
	/*
	 * transfers of the previous owner of a pooled mkey do not affect the
	 * next owner
	 */
	ibx_sig_forget(&s->sig);
	KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_NO_ERR);
	KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(s->kt->sq_ring + 64 + 12), BIT(30));
	KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_NO_ERR);
}

/* an aborted chain does not count as a configuration */
static void several_dropped(struct kunit *test)
{
	struct kts *s = create(test);
	struct ib_wc wc[2];

	KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
	kt_sq_reset(&s->kt->qp->sq);
	start(s, 0, IB_SEND_INLINE);
	build_sig(s, &two_domains);
	KUNIT_EXPECT_TRUE(test, s->sig.state.several);
	ib_wr_abort(s->qpx);
	write_sig_error(s, APP, 1);
	KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 0);
	KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG);
	KUNIT_EXPECT_EQ(test, configure(s, 0, &two_domains), 0);
}

/* after two configurations of different kinds, an error has no details */
static void mixed(struct kunit *test)
{
	struct mlx5dv_mkey_err err;
	struct ib_wc wc[2];
	struct kts *s;
	int i;

	for (i = 0; i < 3; i++) {
		s = create(test);
		KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
		kt_sq_reset(&s->kt->qp->sq);
		if (i < 2)
			KUNIT_ASSERT_EQ(test, configure(s, 0, i ? &two_domains : &one_domain), 0);
		start(s, 0, IB_SEND_INLINE);
		if (i == 2)
			begin(s, 0, MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR);
		KUNIT_ASSERT_EQ(test, ib_wr_complete(s->qpx), 0);
		write_sig_error(s, GUARD, 1);
		KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 0);
		KUNIT_EXPECT_EQ(test, mlx5dv_mkey_check(&s->mkey.dv, &err), i == 1 ? 0 : -EIO);
		if (i == 1)
			KUNIT_EXPECT_EQ(test, err.err.sig.expected_value, 0x1122);
	}
}

/* an error is assigned to its mkey, even if the CQE has QP number 0 */
static void no_qpn(struct kunit *test)
{
	struct kts *s = create(test);
	struct ib_wc wc[2];
	int i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
		write_sig_error(s, GUARD, 1)->qpn = 0;
		/*
		 * even while a DCT is being created and CQEs of unknown QPs are
		 * not polled
		 */
		s->kt->cq->dcts_new = i;
		KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 0);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(s->kt->set_ci), i + 1);
		KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
		kt_sq_reset(&s->kt->qp->sq);
	}
	/* a disowned error is dropped */
	write_sig_error(s, GUARD, 1)->qpn = cpu_to_be32(IBX_NO_QPN);
	KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->sig.errs), 3);
}

/* the first error is kept; an error of an unknown mkey is dropped */
static void first_error(struct kunit *test)
{
	struct kts *s = create(test);
	struct ib_wc wc[2];

	KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
	write_sig_error(s, REF, 1);
	write_sig_error(s, GUARD, 1);
	write_sig_error(s, GUARD, 1)->mkey = cpu_to_be32(SIG_MKEY + 0x100);
	KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(s->kt->set_ci), 3);
	KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->sig.errs), 3);
	s->mkey.sig = NULL;
	KUNIT_EXPECT_EQ(test, error_type(s), -EINVAL);
}

/* disowns the CQEs of the QP; @listed: argument of ibx_cq_clean() */
static void clean_cq(struct kts *s, bool listed)
{
	unsigned long flags;

	spin_lock_irqsave(&s->kt->cq->lock, flags);
	ibx_cq_clean(s->kt->cq, KT_QPN, NULL, listed);
	spin_unlock_irqrestore(&s->kt->cq->lock, flags);
}

/* an error of a destroyed QP is still assigned to its mkey */
static void cleaned(struct kunit *test)
{
	struct kts *s = create(test);

	KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
	write_sig_error(s, APP, 1);
	clean_cq(s, true);
	KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG);
}

/* with @listed false, a new mkey may have the index: the error is dropped */
static void cleaned_late(struct kunit *test)
{
	struct kts *s = create(test);
	struct ib_wc wc[2];

	KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
	write_sig_error(s, APP, 1);
	clean_cq(s, false);
	KUNIT_EXPECT_EQ(test, poll(s, 2, wc), 0);
	KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_NO_ERR);
}

/* a later mkey with the same index gets no error of a destroyed mkey */
static void destroyed(struct kunit *test)
{
	struct kts *s = create(test);
	struct mlx5_sig_err_cqe *cqe;
	struct ib_wc wc[2];
	unsigned long flags;

	KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
	cqe = write_sig_error(s, GUARD, 1);
	cqe->mkey = cpu_to_be32(SIG_MKEY + 0x100);
	write_cqe(s, MLX5_CQE_REQ, 0);
	cqe = write_sig_error(s, REF, 1);
	cqe->mkey = cpu_to_be32(SIG_MKEY + 0x1ff);
	write_sig_error(s, APP, 1);
	spin_lock_irqsave(&s->kt->cq->lock, flags);
	ibx_cq_drop_sig_errors(s->kt->cq, SIG_MKEY + 0x110);
	spin_unlock_irqrestore(&s->kt->cq->lock, flags);
	/* the entry of the first error is free without a poll */
	KUNIT_EXPECT_EQ(test, be32_to_cpu(s->kt->set_ci), 1);
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(&s->kt->dev->sigs, (SIG_MKEY >> 8) + 1, &s->sig,
					      GFP_KERNEL)), 0);
	KUNIT_ASSERT_EQ(test, poll(s, 2, wc), 1);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(s->kt->set_ci), 4);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->sig.errs), 2);
	KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG);
}

/* errors of an mkey of a device of mlx5_ib, as mlx5_ib would store them */
static struct ibx_backend_err stored;
static u32 stored_nr;

static u32 read_stored(struct ib_device *ibdev, struct mlx5_core_sig_ctx *sig, u32 seen,
		       struct ibx_backend_err *err)
{
	*err = stored;
	return stored_nr;
}

static const struct ibx_backend fake_backend = { .read_sig = read_stored };

static struct kts *create_foreign(struct kunit *test, bool is_patched)
{
	struct kts *s = create(test);

	s->sig.foreign = kunit_kzalloc(test, sizeof(*s->sig.foreign), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s->sig.foreign);
	s->sig.foreign->dev = s->kt->dev;
	s->kt->dev->backend = &fake_backend;
	s->kt->dev->is_patched = is_patched;
	s->sig.is_special = true;
	stored_nr = 0;
	if (is_patched)
		return s;
	KUNIT_EXPECT_EQ(test, configure(s, 0, &two_domains), -EOPNOTSUPP);
	/* ib_alloc_cq() sets wc */
	s->kt->cq->ibcq.wc = kunit_kzalloc(test, sizeof(struct ib_wc), GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
	KUNIT_ASSERT_EQ(test, error_type(s), MLX5DV_MKEY_NO_ERR);
	return s;
}

static void store(enum ib_sig_err_type type)
{
	stored.item = (struct ib_sig_err){
		.err_type = type, .expected = 0x1122, .actual = 0x99aa,
		.sig_err_offset = 0x100000208,
	};
	stored_nr++;
}

/* each error is read once, with its details; an unknown error is -EIO */
static void foreign_errors(struct kunit *test)
{
	static const struct {
		enum ib_sig_err_type stored;
		int type;
	} rows[] = {
		{ IB_SIG_BAD_GUARD, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD },
		{ IB_SIG_BAD_REFTAG, MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG },
		{ IB_SIG_BAD_APPTAG, MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG },
		{ (enum ib_sig_err_type)-1, -EIO },
	};
	struct kts *s = create_foreign(test, false);
	struct mlx5dv_mkey_err err;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		store(rows[i].stored);
		kt_sq_reset(&s->kt->qp->sq);
		KUNIT_EXPECT_EQ(test, configure(s, 0, &two_domains), -EBUSY);
		ret = mlx5dv_mkey_check(&s->mkey.dv, &err);
		KUNIT_EXPECT_EQ(test, ret ?: err.err_type, rows[i].type);
		if (!ret) {
			KUNIT_EXPECT_EQ(test, err.err.sig.expected_value, 0x1122);
			KUNIT_EXPECT_EQ(test, err.err.sig.actual_value, 0x99aa);
			KUNIT_EXPECT_EQ(test, err.err.sig.offset, 0x100000208);
		}
		KUNIT_EXPECT_EQ(test, error_type(s), -EIO);
		KUNIT_ASSERT_EQ(test, configure(s, 0, &two_domains), 0);
		/* the configuration has acknowledged the error */
		KUNIT_EXPECT_EQ(test, !!(get_unaligned_be32(s->kt->sq_ring + 64 + 12) & BIT(26)),
				!!(i & 1));
		KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_NO_ERR);
	}
}

/* the errors of the previous owner of a pooled mkey are not errors of the next owner */
static void foreign_forgotten(struct kunit *test)
{
	struct kts *s = create_foreign(test, false);

	store(IB_SIG_BAD_GUARD);
	ibx_sig_forget(&s->sig);
	KUNIT_EXPECT_EQ(test, error_type(s), MLX5DV_MKEY_NO_ERR);
	kt_sq_reset(&s->kt->qp->sq);
	KUNIT_EXPECT_EQ(test, configure(s, 0, &two_domains), 0);
}

/* a patched mlx5_ib stores the CQE, and needs no CQ of ib_alloc_cq() */
static void foreign_cqe(struct kunit *test)
{
	const struct sigerr_case *c = test->param_value;
	struct kts *s = create_foreign(test, true);

	KUNIT_ASSERT_EQ(test, configure(s, 0, c->attr), 0);
	kt_sq_reset(&s->kt->qp->sq);
	stored.cqe = *write_sig_error(s, c->syndrome, c->domain);
	stored_nr++;
	expect_error(test, s);
}

static struct kunit_case sig_tests[] = {
	KUNIT_CASE(one_completion),
	KUNIT_CASE(signal_all),
	KUNIT_CASE(space),
	KUNIT_CASE(space_in_wqe),
	KUNIT_CASE(failed),
	KUNIT_CASE(dead),
	KUNIT_CASE(dropped),
	KUNIT_CASE(reset_of_plain),
	KUNIT_CASE(busy),
	KUNIT_CASE_PARAM(bad_attr, bad_gen_params),
	KUNIT_CASE(caps_absent),
	KUNIT_CASE(too_long),
	KUNIT_CASE_PARAM(sigerr, sigerr_gen_params),
	KUNIT_CASE(restart),
	KUNIT_CASE(unread),
	KUNIT_CASE(several),
	KUNIT_CASE(several_dropped),
	KUNIT_CASE(mixed),
	KUNIT_CASE(no_qpn),
	KUNIT_CASE(first_error),
	KUNIT_CASE(cleaned),
	KUNIT_CASE(cleaned_late),
	KUNIT_CASE(destroyed),
	KUNIT_CASE(foreign_errors),
	KUNIT_CASE(foreign_forgotten),
	KUNIT_CASE_PARAM(foreign_cqe, sigerr_gen_params),
	{}
};

static struct kunit_suite sig_suite = {
	.name = "mlx5_ibx_sig",
	.test_cases = sig_tests,
};

kunit_test_suite(sig_suite);
