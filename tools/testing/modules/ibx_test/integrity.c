// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Integrity MRs: T10-DIF that the device generates, checks, removes and passes on.
 *
 * End 0 has blocks of data and, in other memory, their protection information.
 * Both are under an integrity MR. End 0 WRITEs to or READs from plain memory of
 * end 1, which holds the bytes as they are on the wire. The cases calculate the
 * protection information with the CRC of the kernel.
 *
 * Lengths of RDMA requests are the lengths on the wire. rdma_rw_ctx_signature_init() uses the same
 * lengths, with one exception: if only the wire has protection information, the lengths of
 * rdma_rw_ctx_signature_init() do not include the protection information. Unrefereed: U-98.
 */
#include <linux/crc-t10dif.h>

#include "integrity.h"

#define T_PI_META_AT	(4 * PAGE_SIZE)		/* offset of the metadata in the buffer of end 0 */
#define T_PI_APP	0x1234
#define T_PI_REF	0xfffffffe		/* wraps at the third block */

/* create_qp of struct t_opts, for QPs that register integrity MRs */
struct ib_qp *t_create_pi_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr)
{
	attr->create_flags |= IB_QP_CREATE_INTEGRITY_EN;
	return ib_create_qp(pd, attr);
}

const struct t_opts t_pi_opts = { .create_qp = t_create_pi_qp };

/* number of bytes in the list of data */
static u32 t_pi_listed(const struct t_pi *k)
{
	return k->between ? T_PI_STREAM : T_PI_DATA;
}

/* number of bytes for one block in the list of data */
static u32 t_pi_step(const struct t_pi *k)
{
	return t_pi_listed(k) / T_PI_BLOCKS;
}

/*
 * Offset in end 0's buffer of byte @n of the list of data. With gaps, blocks are
 * not adjacent, and not aligned to pages.
 */
static u32 t_pi_at(const struct t_pi *k, u32 n)
{
	return n + (k->gaps ? 3 + n / (t_pi_listed(k) / k->pieces) * 0x900 : 0);
}

static u8 t_pi_byte(u32 n)
{
	return 3 + n * 11 + n / 256;
}

static void t_pi_tuple(struct t10_pi_tuple *t, const u8 *data, u32 block)
{
	t->guard_tag = cpu_to_be16(crc_t10dif(data, T_PI_BLOCK));
	t->app_tag = cpu_to_be16(T_PI_APP);
	t->ref_tag = cpu_to_be32(T_PI_REF + block);
}

/* writes the data; if @pi, protection information follows each block; returns the length */
static u32 t_pi_stream(u8 *to, bool pi)
{
	u32 n, block, at = 0;

	for (block = 0; block < T_PI_BLOCKS; block++) {
		for (n = 0; n < T_PI_BLOCK; n++)
			to[at + n] = t_pi_byte(block * T_PI_BLOCK + n);
		at += T_PI_BLOCK;
		if (!pi)
			continue;
		t_pi_tuple((struct t10_pi_tuple *)(to + at), to + at - T_PI_BLOCK, block);
		at += sizeof(struct t10_pi_tuple);
	}
	return at;
}

/* writes to memory of end 0: the data, and the metadata if the transfer has a list of metadata */
static void t_pi_fill(struct t_end *e, const struct t_pi *k, u8 *stream)
{
	struct t10_pi_tuple *meta = e->buf + T_PI_META_AT;
	u32 n;

	t_pi_stream(stream, k->between);
	for (n = 0; n < t_pi_listed(k); n++)
		((u8 *)e->buf)[t_pi_at(k, n)] = stream[n];
	for (n = 0; k->mem && !k->between && n < T_PI_BLOCKS; n++)
		t_pi_tuple(&meta[n], stream + n * T_PI_BLOCK, n);
}

static void t_pi_spoil_tuple(const struct t_pi *k, struct t10_pi_tuple *t, u8 *data)
{
	switch (k->spoil) {
	case T_PI_GUARD:
		t->guard_tag ^= cpu_to_be16(1);
		break;
	case T_PI_APP_TAG:
		t->app_tag ^= cpu_to_be16(1);
		break;
	case T_PI_REF_TAG:
		t->ref_tag ^= cpu_to_be32(1);
		break;
	case T_PI_BYTE:
		*data ^= 1;
		break;
	default:
		break;
	}
}

/*
 * Changes a byte of the input of the transfer. The input is memory of end 0 for a
 * WRITE, and memory of end 1 for a READ.
 */
static void t_pi_spoil(struct t_pair *p, const struct t_pi *k)
{
	u8 *mine = p->end[0].buf, *theirs = p->end[1].buf;
	const u32 block = k->block * t_pi_step(k);
	struct t10_pi_tuple *meta = (void *)(mine + T_PI_META_AT);

	if (k->op == IB_WR_RDMA_WRITE)
		t_pi_spoil_tuple(k, k->between ? (void *)(mine + t_pi_at(k, block + T_PI_BLOCK)) :
					      &meta[k->block],
				 mine + t_pi_at(k, block + 17));
	else
		t_pi_spoil_tuple(k, (struct t10_pi_tuple *)(theirs + k->block * 520 + 512),
				 theirs + k->block * 520 + 17);
}

static void t_pi_sg(struct t_end *e, struct scatterlist *sg, u32 at, u32 len)
{
	sg_set_buf(sg, e->buf + at, len);
	sg_dma_address(sg) = e->dma + at;
	sg_dma_len(sg) = len;
}

/**
 * t_pi_lists() - fill in the lists of the memory of end 0
 * @e: end 0
 * @k: transfer
 * @l: receives the lists
 */
void t_pi_lists(struct t_end *e, const struct t_pi *k, struct t_pi_lists *l)
{
	u32 data = t_pi_listed(k) / k->pieces, meta = T_PI_META / k->pieces;
	int i;

	sg_init_table(l->data, k->pieces);
	sg_init_table(l->meta, k->pieces);
	for (i = 0; i < k->pieces; i++) {
		t_pi_sg(e, &l->data[i], t_pi_at(k, i * data), data);
		t_pi_sg(e, &l->meta[i], T_PI_META_AT + i * meta, meta);
	}
	l->data_nents = k->pieces;
	l->meta_nents = k->mem && !k->between ? k->pieces : 0;
}

static int t_pi_map(struct t_end *e, struct ib_mr *mr, const struct t_pi *k)
{
	struct t_pi_lists l;

	t_pi_lists(e, k, &l);
	T_EXPECT(ib_map_mr_sg_pi(mr, l.data, l.data_nents, NULL, l.meta_nents ? l.meta : NULL,
				 l.meta_nents, NULL, PAGE_SIZE), 0);
	return 0;
}

static void t_pi_domain(struct ib_sig_domain *dom, bool pi)
{
	*dom = (struct ib_sig_domain) { .sig_type = IB_SIG_TYPE_NONE };
	if (!pi)
		return;
	dom->sig_type = IB_SIG_TYPE_T10_DIF;
	dom->sig.dif = (struct ib_t10_dif_domain) {
		.bg_type = IB_T10DIF_CRC,
		.pi_interval = T_PI_BLOCK,
		.app_tag = T_PI_APP,
		.ref_tag = T_PI_REF,
		.ref_remap = true,
		.apptag_check_mask = 0xffff,
	};
}

/**
 * t_pi_attrs() - fill in the signature attributes of a transfer
 * @attrs: receives the attributes; guard and both tags are checked
 * @k: transfer
 */
void t_pi_attrs(struct ib_sig_attrs *attrs, const struct t_pi *k)
{
	attrs->check_mask = IB_SIG_CHECK_GUARD | IB_SIG_CHECK_APPTAG | IB_SIG_CHECK_REFTAG;
	t_pi_domain(&attrs->mem, k->mem);
	t_pi_domain(&attrs->wire, k->wire);
}

/* maps and registers the MR; returns the errno of ib_post_send() */
static int t_pi_post(struct t_end *e, struct ib_mr *mr, const struct t_pi *k)
{
	struct ib_reg_wr wr = {
		.wr = { .wr_id = 1, .opcode = IB_WR_REG_MR_INTEGRITY,
			.send_flags = IB_SEND_SIGNALED },
		.mr = mr, .access = T_PI_ACCESS,
	};

	t_pi_attrs(mr->sig_attrs, k);
	T_TRY(t_pi_map(e, mr, k));
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	wr.key = mr->rkey;
	return ib_post_send(e->qp, &wr.wr, NULL);
}

static int t_pi_register(struct t_end *e, struct ib_mr *mr, const struct t_pi *k)
{
	T_TRY(t_pi_post(e, mr, k));
	T_EXPECT(t_wait(&e->sq, 1), IB_WC_SUCCESS);
	return 0;
}

/**
 * t_pi_check_status() - check that the status of an MR is the expected status of a transfer
 * @st: status
 * @k: transfer
 *
 * Return: 0 or -EIO.
 */
int t_pi_check_status(const struct ib_mr_status *st, const struct t_pi *k)
{
	static const enum ib_sig_err_type types[] = {
		[T_PI_GUARD] = IB_SIG_BAD_GUARD, [T_PI_BYTE] = IB_SIG_BAD_GUARD,
		[T_PI_APP_TAG] = IB_SIG_BAD_APPTAG, [T_PI_REF_TAG] = IB_SIG_BAD_REFTAG,
	};

	T_EXPECT(!!(st->fail_status & IB_MR_CHECK_SIG_STATUS), k->spoil != T_PI_GOOD);
	if (k->spoil == T_PI_GOOD)
		return 0;
	T_EXPECT(st->sig_err.err_type, types[k->spoil]);
	T_EXPECT(st->sig_err.sig_err_offset, k->block * (T_PI_BLOCK + 8));
	T_EXPECT(st->sig_err.expected == st->sig_err.actual, 0);
	return 0;
}

static int t_pi_status(struct ib_mr *mr, const struct t_pi *k)
{
	struct ib_mr_status st = {};

	T_TRY(ib_check_mr_status(mr, IB_MR_CHECK_SIG_STATUS, &st));
	return t_pi_check_status(&st, k);
}

/*
 * Compares the protection information that a READ has written for block @n: behind the block, or in
 * the second list.
 */
static int t_pi_arrived_tuple(struct t_end *e, const struct t_pi *k, u32 n)
{
	struct t10_pi_tuple *meta = e->buf + T_PI_META_AT, want;
	u8 block[T_PI_BLOCK];
	u32 i;

	for (i = 0; i < T_PI_BLOCK; i++)
		block[i] = t_pi_byte(n * T_PI_BLOCK + i);
	t_pi_tuple(&want, block, n);
	if (k->between)
		T_EXPECT(memcmp(e->buf + t_pi_at(k, n * t_pi_step(k) + T_PI_BLOCK), &want,
				sizeof(want)), 0);
	if (!k->mem || k->between)
		memset(&want, T_GUARD, sizeof(want));
	T_EXPECT(memcmp(&meta[n], &want, sizeof(want)), 0);
	return 0;
}

/**
 * t_pi_arrived() - compare received bytes with sent bytes
 * @p: pair; memory of end 1 is compared after a WRITE, of end 0 after a READ
 * @k: transfer
 * @stream: bytes on the wire
 * @len: bytes at @stream
 *
 * Return: 0 or -EIO.
 */
int t_pi_arrived(struct t_pair *p, const struct t_pi *k, const u8 *stream, u32 len)
{
	u8 *mine = p->end[0].buf, *theirs = p->end[1].buf;
	u32 n;

	if (k->op == IB_WR_RDMA_WRITE) {
		T_EXPECT(memcmp(theirs, stream, len), 0);
		T_EXPECT(memchr_inv(theirs + len, T_GUARD, PAGE_SIZE - len) ? 1 : 0, 0);
		return 0;
	}
	for (n = 0; n < T_PI_DATA; n++)
		T_EXPECT(mine[t_pi_at(k, n / T_PI_BLOCK * t_pi_step(k) + n % T_PI_BLOCK)],
			 t_pi_byte(n));
	for (n = 0; n < T_PI_BLOCKS; n++)
		T_TRY(t_pi_arrived_tuple(&p->end[0], k, n));
	return 0;
}

/**
 * t_pi_prepare() - write the input of a transfer, with the byte that @k spoils
 * @p: pair
 * @k: transfer
 * @stream: T_PI_STREAM bytes, receives the bytes on the wire without the spoiled byte
 *
 * Return: number of bytes on the wire.
 */
u32 t_pi_prepare(struct t_pair *p, const struct t_pi *k, u8 *stream)
{
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	u32 len;

	t_set(e, T_GUARD);
	t_set(peer, T_GUARD);
	if (k->op == IB_WR_RDMA_WRITE)
		t_pi_fill(e, k, stream);
	len = t_pi_stream(stream, k->wire);
	if (k->op == IB_WR_RDMA_READ)
		memcpy(peer->buf, stream, len);
	t_pi_spoil(p, k);
	return len;
}

static int t_pi_transfer(struct t_pair *p, struct ib_mr *mr, const struct t_pi *k, u8 *stream)
{
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct ib_sge sge;
	u32 len;

	len = t_pi_prepare(p, k, stream);
	T_TRY(t_pi_register(e, mr, k));
	T_EXPECT(mr->length, k->mem ? T_PI_STREAM : T_PI_DATA);
	sge = (struct ib_sge) { .addr = mr->iova, .length = len, .lkey = mr->lkey };
	t_clear_counts(&e->sq);
	T_EXPECT(t_rdma(e, 2, k->op, &sge, peer->mr[0]->iova, peer->mr[0]->rkey), IB_WC_SUCCESS);
	t_sync(e);
	t_sync(peer);
	T_TRY(t_pi_status(mr, k));
	if (k->spoil == T_PI_GOOD)
		T_TRY(t_pi_arrived(p, k, stream, len));
	T_TRY(t_post_inv(e, 3, mr->rkey));
	T_EXPECT(t_wait(&e->sq, 3), IB_WC_SUCCESS);
	t_clear_counts(&e->sq);
	return 0;
}

/**
 * t_pi_log() - log the attributes of a transfer that failed
 * @k: transfer
 */
void t_pi_log(const struct t_pi *k)
{
	t_log("memory %d between %d wire %d opcode %d pieces %d gaps %d spoil %d block %u\n",
	      k->mem, k->between, k->wire, k->op, k->pieces, k->gaps, k->spoil, k->block);
}

/**
 * t_pi_open() - register the buffer of end 1 for the RDMA requests of end 0
 * @p: pair
 *
 * Return: 0 or -EIO.
 */
int t_pi_open(struct t_pair *p)
{
	struct t_end *peer = &p->end[1];

	T_TRY(t_post_reg(peer, 1, peer->mr[0], T_PI_ACCESS));
	T_EXPECT(t_wait(&peer->sq, 1), IB_WC_SUCCESS);
	t_clear_counts(&peer->sq);
	return 0;
}

/* runs transfers with one MR; the buffer of end 1 is registered */
static int t_pi_run_open(struct t_pair *p, const struct t_pi *k, int n)
{
	struct t_end *e = &p->end[0];
	struct ib_mr *mr;
	u8 *stream;
	int ret = 0;

	stream = kmalloc(2 * PAGE_SIZE, GFP_KERNEL);
	if (!stream)
		return -ENOMEM;
	mr = ib_alloc_mr_integrity(e->pd, T_PI_BLOCKS, T_PI_BLOCKS);
	if (IS_ERR(mr)) {
		kfree(stream);
		return T_FAIL("no integrity MR: %ld", PTR_ERR(mr));
	}
	for (; !ret && n; n--, k++) {
		ret = t_pi_transfer(p, mr, k, stream);
		if (ret)
			t_pi_log(k);
	}
	ib_dereg_mr(mr);
	kfree(stream);
	return ret;
}

static int t_pi_run(struct t_pair *p, const struct t_pi *k, int n)
{
	return t_pi_open(p) ?: t_pi_run_open(p, k, n);
}

/* all domains, both directions; data in one piece (no list), pages (MTTs), any pieces (KLMs) */
static int t_pi_good(struct t_pair *p, bool between)
{
	static const enum ib_wr_opcode ops[] = { IB_WR_RDMA_WRITE, IB_WR_RDMA_READ };
	struct t_pi k[3 * 2 * 3] = {};
	int domain, op, way, n = 0;

	for (domain = 1; domain < 4; domain++)
		for (op = 0; op < ARRAY_SIZE(ops); op++)
			for (way = 0; way < 3 && (domain & 1 || !between); way++)
				k[n++] = (struct t_pi) {
					.mem = domain & 1, .between = between, .wire = domain & 2,
					.op = ops[op], .pieces = way ? 4 : 1, .gaps = way == 2,
				};
	return t_pi_run(p, k, n);
}

static int pi_good(struct t_pair *p)
{
	return t_pi_good(p, false);
}

/* protection information is between the blocks, so there is only the list of data */
static int pi_between(struct t_pair *p)
{
	return t_pi_good(p, true);
}

/*
 * Each part of each block is spoiled once. A transfer without error follows each
 * time.
 */
static int t_pi_bad(struct t_pair *p)
{
	const struct t_pi *base = p->arg;
	struct t_pi k[T_PI_BYTE * 2 * T_PI_BLOCKS] = {};
	int block, spoil, n = 0;

	for (block = 0; block < T_PI_BLOCKS; block++) {
		for (spoil = T_PI_GUARD; spoil <= T_PI_BYTE; spoil++) {
			k[n] = *base;
			k[n].pieces = 1 + block % 2;
			k[n].spoil = spoil;
			k[n].block = block;
			k[n + 1] = k[n];
			k[n + 1].spoil = T_PI_GOOD;
			n += 2;
		}
	}
	return t_pi_run(p, k, n);
}

/* entry of the table of cases, for transfers by @opcode */
#define T_PI_BAD(name, opcode, ...)					\
	{ #name, t_pi_bad, &t_pi_opts, &(const struct t_pi){ .op = opcode, __VA_ARGS__ } }

/*
 * An MR is deregistered while it has an error that was not queried. The next MR
 * has no error.
 */
static int pi_left_error(struct t_pair *p)
{
	static const struct t_pi spoilt = {
		.mem = true, .wire = true, .op = IB_WR_RDMA_WRITE, .pieces = 1,
		.spoil = T_PI_GUARD, .block = 1,
	};
	struct t_pi good = spoilt;
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct ib_mr *mr = ib_alloc_mr_integrity(e->pd, T_PI_BLOCKS, T_PI_BLOCKS);
	struct ib_sge sge;
	u8 *stream;
	int ret;

	if (IS_ERR(mr))
		return T_FAIL("no integrity MR: %ld", PTR_ERR(mr));
	stream = kmalloc(2 * PAGE_SIZE, GFP_KERNEL);
	ret = stream ? t_pi_open(p) : -ENOMEM;
	if (!ret) {
		t_pi_prepare(p, &spoilt, stream);
		ret = t_pi_register(e, mr, &spoilt);
	}
	sge = (struct ib_sge) { .addr = mr->iova, .length = mr->length, .lkey = mr->lkey };
	t_clear_counts(&e->sq);
	ret = ret ?: t_rdma(e, 2, IB_WR_RDMA_WRITE, &sge, peer->mr[0]->iova, peer->mr[0]->rkey);
	t_clear_counts(&e->sq);
	ret = ret ?: t_post_inv(e, 3, mr->rkey) ?: t_wait(&e->sq, 3);
	t_clear_counts(&e->sq);
	ib_dereg_mr(mr);
	kfree(stream);
	good.spoil = T_PI_GOOD;
	return ret ?: t_pi_run_open(p, &good, 1);
}

/* A registration is refused until ib_check_mr_status() was called for the registration before. */
static int t_pi_unchecked(struct t_end *e, struct ib_mr *mr)
{
	static const struct t_pi good = {
		.mem = true, .wire = true, .op = IB_WR_RDMA_WRITE, .pieces = 1,
	};
	int i;

	for (i = 0; i < 3; i++) {
		T_TRY(t_pi_register(e, mr, &good));
		t_clear_counts(&e->sq);
		T_TRY(t_post_inv(e, 3, mr->rkey));
		T_EXPECT(t_wait(&e->sq, 3), IB_WC_SUCCESS);
		t_clear_counts(&e->sq);
		T_EXPECT(t_pi_post(e, mr, &good), -EINVAL);
		T_TRY(t_pi_status(mr, &good));
	}
	return 0;
}

static int pi_unchecked(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_mr *mr = ib_alloc_mr_integrity(e->pd, T_PI_BLOCKS, T_PI_BLOCKS);
	int ret;

	if (IS_ERR(mr))
		return T_FAIL("no integrity MR: %ld", PTR_ERR(mr));
	ret = t_pi_unchecked(e, mr);
	ib_dereg_mr(mr);
	return ret;
}

/* The device refuses CREATE_PSV. The script checks that no object is left. */
static int pi_refused_psv(struct t_pair *p)
{
	struct ib_mr *mr = ib_alloc_mr_integrity(p->end[0].pd, 4, 4);

	if (!IS_ERR(mr)) {
		ib_dereg_mr(mr);
		return T_FAIL("the MR was allocated");
	}
	T_EXPECT(PTR_ERR(mr), -EIO);
	return 0;
}

const struct t_case t_integrity_cases[] = {
	{ "pi_good", pi_good, &t_pi_opts },
	{ "pi_between", pi_between, &t_pi_opts },
	T_PI_BAD(pi_bad_memory, IB_WR_RDMA_WRITE, .mem = true),
	T_PI_BAD(pi_bad_wire, IB_WR_RDMA_READ, .wire = true),
	T_PI_BAD(pi_bad_memory_passed_on, IB_WR_RDMA_WRITE, .mem = true, .wire = true),
	T_PI_BAD(pi_bad_wire_passed_on, IB_WR_RDMA_READ, .mem = true, .wire = true),
	T_PI_BAD(pi_bad_between, IB_WR_RDMA_WRITE, .mem = true, .between = true, .wire = true),
	{ "pi_left_error", pi_left_error, &t_pi_opts },
	{ "pi_unchecked", pi_unchecked, &t_pi_opts },
	{ "pi_refused_psv", pi_refused_psv, &t_pi_opts },
	{ }
};
