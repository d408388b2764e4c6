// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SG_GAPS MRs: lists of any pieces, the memory that their keys open, and the state of each key when
 * the MR is registered again with a list of another kind.
 *
 * End 0 owns the memory. It maps pieces of its buffer, in any order, and end 1 accesses the pieces
 * as one range. End 1 writes from the first two pages of its buffer and reads back to the next two.
 */
#include "ibx_test.h"

#define T_RW	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)
#define T_MAX_PIECES	8

/* part of the owner's buffer; all pieces of a list have at most two pages of bytes */
struct t_piece {
	u32 offset;
	u32 len;
};

static const struct t_piece t_gappy[T_MAX_PIECES] = {
	{ 0x10, 0x33 }, { 0x2fff, 2 }, { 0x1000, 0x200 }, { 0x1200, 0x10 },
	{ 0x5001, 0x1ff }, { 0x7ff0, 0x10 }, { 0x4000, 1 }, { 0x3210, 0x123 },
};

static const struct t_piece t_pages[2] = { { 0x3000, 0x1000 }, { 0x1000, 0x10 } };

static u32 t_pieces_to_sg(const struct t_end *e, struct scatterlist *sgl,
			  const struct t_piece *pieces, int nr)
{
	u32 total = 0;
	int i;

	sg_init_table(sgl, nr);
	for (i = 0; i < nr; i++) {
		sg_set_buf(&sgl[i], e->buf + pieces[i].offset, pieces[i].len);
		sg_dma_address(&sgl[i]) = e->dma + pieces[i].offset;
		sg_dma_len(&sgl[i]) = pieces[i].len;
		total += pieces[i].len;
	}
	return total;
}

static int t_map(struct t_end *e, struct ib_mr *mr, const struct t_piece *pieces, int nr)
{
	struct scatterlist sgl[T_MAX_PIECES];
	u32 total = t_pieces_to_sg(e, sgl, pieces, nr);

	T_EXPECT(ib_map_mr_sg(mr, sgl, nr, NULL, PAGE_SIZE), nr);
	T_EXPECT(mr->length, total);
	T_EXPECT(mr->lkey, mr->rkey);
	return 0;
}

static void t_reg_wr(struct ib_reg_wr *wr, struct ib_mr *mr, u64 id)
{
	*wr = (struct ib_reg_wr) {
		.wr = {
			.wr_id = id,
			.opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = mr,
		.key = mr->rkey,
		.access = T_RW,
	};
}

/* map the pieces, change the key, and register */
static int t_reg_pieces(struct t_end *e, u64 id, const struct t_piece *pieces, int nr)
{
	struct ib_mr *mr = e->mr[0];
	struct ib_reg_wr wr;

	T_TRY(t_map(e, mr, pieces, nr));
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	t_reg_wr(&wr, mr, id);
	T_TRY(ib_post_send(e->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&e->sq, id), IB_WC_SUCCESS);
	return 0;
}

/* RDMA between @len bytes at @page of end 1's buffer and @addr; returns the completion's status */
static int t_gaps_rdma(struct t_pair *p, enum ib_wr_opcode op, u64 addr, u32 rkey, int page,
		       u32 len)
{
	struct t_end *e = &p->end[1];
	struct ib_sge sge = t_sge(e, page * PAGE_SIZE, len);

	t_clear_counts(&e->sq);
	return t_rdma(e, 0, op, &sge, addr, rkey);
}

static u8 t_byte(u32 n, u32 seed)
{
	return 1 + (n * 7 + seed) % 250;
}

/* the pieces in their order have the bytes of the pattern, and all other bytes are 0 */
static int t_check_pieces(struct t_end *e, const struct t_piece *pieces, int nr, u32 seed)
{
	u8 *buf = e->buf;
	u32 n = 0, j;
	int i;

	t_sync(e);
	for (i = 0; i < nr; i++) {
		for (j = 0; j < pieces[i].len; j++, n++)
			if (buf[pieces[i].offset + j] != t_byte(n, seed))
				return T_FAIL("piece %d byte %u is 0x%x, expected 0x%x", i, j,
					      buf[pieces[i].offset + j], t_byte(n, seed));
		memset(buf + pieces[i].offset, 0, pieces[i].len);
	}
	T_EXPECT(memchr_inv(buf, 0, T_BUF_SIZE) ? 1 : 0, 0);
	return 0;
}

/* end 1 WRITEs a pattern with the key and READs it back; the pattern must be in the pieces */
static int t_through(struct t_pair *p, const struct t_piece *pieces, int nr, u32 seed)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	u32 len = owner->mr[0]->length, i;
	u8 *buf = e->buf;

	for (i = 0; i < len; i++)
		buf[i] = t_byte(i, seed);
	memset(buf + 2 * PAGE_SIZE, 0, 2 * PAGE_SIZE);
	T_EXPECT(t_gaps_rdma(p, IB_WR_RDMA_WRITE, owner->mr[0]->iova, owner->mr[0]->rkey, 0, len),
		 IB_WC_SUCCESS);
	T_EXPECT(t_gaps_rdma(p, IB_WR_RDMA_READ, owner->mr[0]->iova, owner->mr[0]->rkey, 2, len),
		 IB_WC_SUCCESS);
	t_sync(e);
	T_EXPECT(memcmp(buf, buf + 2 * PAGE_SIZE, len), 0);
	return t_check_pieces(owner, pieces, nr, seed);
}

static int t_inv(struct t_end *e, u64 id, u32 rkey)
{
	T_TRY(t_post_inv(e, id, rkey));
	T_EXPECT(t_wait(&e->sq, id), IB_WC_SUCCESS);
	return 0;
}

/* each number of pieces: short lists are in the WQE, the device reads longer lists from memory */
static int gaps_counts(struct t_pair *p)
{
	struct t_end *owner = &p->end[0];
	int nr;

	T_EXPECT(owner->dev->attrs.kernel_cap_flags & IBK_SG_GAPS_REG, IBK_SG_GAPS_REG);
	for (nr = 1; nr <= T_MAX_PIECES; nr++) {
		T_TRY(t_reg_pieces(owner, 2 * nr, t_gappy, nr));
		T_TRY(t_through(p, t_gappy, nr, nr));
		T_TRY(t_inv(owner, 2 * nr + 1, owner->mr[0]->rkey));
	}
	return 0;
}

/* READs of ranges of the MR return the right bytes, across gaps between pieces */
static int gaps_parts(struct t_pair *p)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_mr *mr = owner->mr[0];
	u8 *buf = e->buf;
	u32 from, len, i;

	for (i = 0; i < PAGE_SIZE; i++)
		buf[i] = t_byte(i, 1);
	T_TRY(t_reg_pieces(owner, 0, t_gappy, T_MAX_PIECES));
	T_EXPECT(t_gaps_rdma(p, IB_WR_RDMA_WRITE, mr->iova, mr->rkey, 0, mr->length),
		 IB_WC_SUCCESS);
	for (from = 0, len = 1; from + len <= mr->length; from += 29, len += 11) {
		memset(buf + 2 * PAGE_SIZE, 0, PAGE_SIZE);
		T_EXPECT(t_gaps_rdma(p, IB_WR_RDMA_READ, mr->iova + from, mr->rkey, 2, len),
			 IB_WC_SUCCESS);
		t_sync(e);
		T_EXPECT(memcmp(buf + from, buf + 2 * PAGE_SIZE, len), 0);
		T_EXPECT(memchr_inv(buf + 2 * PAGE_SIZE + len, 0, PAGE_SIZE - len) ? 1 : 0, 0);
	}
	return t_check_pieces(owner, t_gappy, T_MAX_PIECES, 1);
}

/* the ULP chooses the address of the first byte, after the map */
static int gaps_iova_is_chosen(struct t_pair *p)
{
	struct t_end *owner = &p->end[0];
	struct ib_mr *mr = owner->mr[0];
	struct ib_reg_wr wr;

	T_TRY(t_map(owner, mr, t_gappy, 5));
	mr->iova = 0x123456700000001;
	t_reg_wr(&wr, mr, 0);
	T_TRY(ib_post_send(owner->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
	return t_through(p, t_gappy, 5, 9);
}

/* the ULP may increment the low byte of the key before the map, as SRP and iSER do */
static int gaps_key_before_map(struct t_pair *p)
{
	struct t_end *owner = &p->end[0];
	struct ib_mr *mr = owner->mr[0];
	struct ib_reg_wr wr;
	int i, nr;

	for (i = 0; i < 6; i++) {
		const struct t_piece *pieces = i % 3 ? t_gappy : t_pages;

		nr = i % 3 ? 5 : ARRAY_SIZE(t_pages);
		ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
		T_TRY(t_map(owner, mr, pieces, nr));
		t_reg_wr(&wr, mr, 2 * i);
		T_TRY(ib_post_send(owner->qp, &wr.wr, NULL));
		T_EXPECT(t_wait(&owner->sq, 2 * i), IB_WC_SUCCESS);
		if (i % 3)
			T_TRY(t_through(p, pieces, nr, i));
		T_TRY(t_inv(owner, 2 * i + 1, mr->rkey));
	}
	return 0;
}

/* one MR has lists of both kinds in turn: each key is new and works */
static int gaps_both_kinds(struct t_pair *p)
{
	struct t_end *owner = &p->end[0];
	u32 seen[8];
	int i, j;

	for (i = 0; i < ARRAY_SIZE(seen); i++) {
		bool gappy = i & 1 || i == 4;
		const struct t_piece *pieces = gappy ? t_gappy : t_pages;
		int nr = gappy ? 6 : 1 + (i & 2) / 2;

		T_TRY(t_reg_pieces(owner, 2 * i, pieces, nr));
		T_TRY(t_through(p, pieces, nr, i));
		seen[i] = owner->mr[0]->rkey;
		for (j = 0; j < i; j++)
			T_EXPECT(seen[j] != seen[i], 1);
		T_TRY(t_inv(owner, 2 * i + 1, seen[i]));
	}
	return 0;
}

/* as iSER: map while the old list is registered; INV, REG and SEND are one chain */
static int gaps_chain(struct t_pair *p)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_mr *mr = owner->mr[0];
	struct ib_send_wr inv, send;
	struct ib_reg_wr reg;
	struct ib_sge sge;
	int i, nr;

	T_TRY(t_reg_pieces(owner, 0, t_pages, 2));
	for (i = 1; i < 6; i++) {
		const struct t_piece *pieces = i & 1 ? t_gappy : t_pages;

		nr = i & 1 ? 7 : 1;
		t_clear_counts(&owner->sq);
		t_clear_counts(&e->rq);
		T_TRY(t_post_recv(e, i));
		inv = (struct ib_send_wr) {
			.opcode = IB_WR_LOCAL_INV,
			.ex.invalidate_rkey = mr->rkey,
			.next = &reg.wr,
		};
		ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
		T_TRY(t_map(owner, mr, pieces, nr));
		t_reg_wr(&reg, mr, 1);
		reg.wr.send_flags = 0;
		reg.wr.next = &send;
		sge = t_sge(owner, 0x6000, 8);
		t_send_wr(&send, &sge, 2);
		T_TRY(ib_post_send(owner->qp, &inv, NULL));
		T_EXPECT(t_wait(&owner->sq, 2), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&e->rq, i), IB_WC_SUCCESS);
		T_TRY(t_through(p, pieces, nr, i));
	}
	return 0;
}

/* the peer invalidates the key of one kind of list; the next list is of the other kind */
static int gaps_remote_inv(struct t_pair *p)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_send_wr wr;
	struct ib_sge sge;
	int i;

	for (i = 0; i < 4; i++) {
		const struct t_piece *pieces = i & 1 ? t_pages : t_gappy;
		int nr = i & 1 ? 1 : 4;

		t_clear_counts(&e->sq);
		T_TRY(t_reg_pieces(owner, i, pieces, nr));
		T_TRY(t_through(p, pieces, nr, i));
		T_TRY(t_post_recv(owner, i));
		sge = t_sge(e, 0, 1);
		t_send_wr(&wr, &sge, 1);
		wr.opcode = IB_WR_SEND_WITH_INV;
		wr.ex.invalidate_rkey = owner->mr[0]->rkey;
		T_TRY(ib_post_send(e->qp, &wr, NULL));
		T_EXPECT(t_wait(&e->sq, 1), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&owner->rq, i), IB_WC_SUCCESS);
		T_EXPECT(owner->rq.wc[i].ex.invalidate_rkey, owner->mr[0]->rkey);
		memset(owner->buf, 0, T_BUF_SIZE);
	}
	return 0;
}

/* by the lkey, a SEND gathers from the pieces, and a receive scatters to the pieces */
static int gaps_local(struct t_pair *p)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_mr *mr = owner->mr[0];
	struct ib_recv_wr recv = { .wr_id = 1, .num_sge = 1 };
	struct ib_send_wr wr;
	struct ib_sge sge;
	u8 *buf = e->buf;
	u32 i;

	T_TRY(t_reg_pieces(owner, 0, t_gappy, T_MAX_PIECES));
	sge = (struct ib_sge){ .addr = mr->iova, .length = mr->length, .lkey = mr->lkey };
	recv.sg_list = &sge;
	T_TRY(ib_post_recv(owner->qp, &recv, NULL));
	for (i = 0; i < mr->length; i++)
		buf[i] = t_byte(i, 3);
	sge = t_sge(e, 0, mr->length);
	t_send_wr(&wr, &sge, 1);
	T_TRY(ib_post_send(e->qp, &wr, NULL));
	T_EXPECT(t_wait(&owner->rq, 1), IB_WC_SUCCESS);

	memset(buf, 0, T_BUF_SIZE);
	T_TRY(t_post_recv(e, 2));
	sge = (struct ib_sge){ .addr = mr->iova, .length = mr->length, .lkey = mr->lkey };
	t_send_wr(&wr, &sge, 2);
	T_TRY(ib_post_send(owner->qp, &wr, NULL));
	T_EXPECT(t_wait(&e->rq, 2), IB_WC_SUCCESS);
	t_sync(e);
	for (i = 0; i < mr->length; i++)
		T_EXPECT(buf[i], t_byte(i, 3));
	return t_check_pieces(owner, t_gappy, T_MAX_PIECES, 3);
}

/* as SRP: one list is registered in several small MRs, each continuing where the previous ended */
static int gaps_partial(struct t_pair *p)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct scatterlist sgl[T_MAX_PIECES], *sg = sgl;
	u32 total = t_pieces_to_sg(owner, sgl, t_gappy, T_MAX_PIECES);
	unsigned int offset = 5;
	int left = T_MAX_PIECES, k = 0, n;
	struct ib_reg_wr wr;
	u8 *buf = e->buf;
	u32 done, i;

	for (i = 0; i < total; i++)
		buf[i] = t_byte(i, 2);
	for (done = offset; left; k++) {
		struct ib_mr *mr = owner->mr[k];

		T_EXPECT(k < T_MRS, 1);
		n = ib_map_mr_sg(mr, sg, left, &offset, PAGE_SIZE);
		T_EXPECT(n > 0 && n <= left, 1);
		T_EXPECT(offset, 0);
		t_reg_wr(&wr, mr, k);
		T_TRY(ib_post_send(owner->qp, &wr.wr, NULL));
		T_EXPECT(t_wait(&owner->sq, k), IB_WC_SUCCESS);
		/* the source begins at a page, because @done need not be aligned */
		memcpy(buf + 2 * PAGE_SIZE, buf + done, mr->length);
		T_EXPECT(t_gaps_rdma(p, IB_WR_RDMA_WRITE, mr->iova, mr->rkey, 2, mr->length),
			 IB_WC_SUCCESS);
		done += mr->length;
		left -= n;
		sg += n;
	}
	T_EXPECT(done, total);
	T_EXPECT(k > 1, 1);
	/* memory between the pieces was not written */
	T_EXPECT(memchr_inv(owner->buf + t_gappy[0].offset, 0, 5) ? 1 : 0, 0);
	memcpy(owner->buf + t_gappy[0].offset, buf, 5);
	return t_check_pieces(owner, t_gappy, T_MAX_PIECES, 2);
}

/*
 * No byte after the last piece is accessible, although another piece of the buffer
 * follows in t_gappy.
 */
static int gaps_refused_past_the_end(struct t_pair *p)
{
	struct ib_mr *mr = p->end[0].mr[0];

	memset(p->end[1].buf, 0x55, PAGE_SIZE);
	T_TRY(t_reg_pieces(&p->end[0], 0, t_gappy, 3));
	T_EXPECT(t_gaps_rdma(p, IB_WR_RDMA_WRITE, mr->iova, mr->rkey, 0, mr->length + 1),
		 IB_WC_REM_ACCESS_ERR);
	return t_untouched(&p->end[0], 0);
}

static int gaps_refused_rights(struct t_pair *p)
{
	struct t_end *owner = &p->end[0];
	struct ib_mr *mr = owner->mr[0];
	struct ib_reg_wr wr;

	memset(p->end[1].buf, 0x55, PAGE_SIZE);
	T_TRY(t_map(owner, mr, t_gappy, 3));
	t_reg_wr(&wr, mr, 0);
	wr.access = IB_ACCESS_REMOTE_READ;
	T_TRY(ib_post_send(owner->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_gaps_rdma(p, IB_WR_RDMA_READ, mr->iova, mr->rkey, 0, 16), IB_WC_SUCCESS);
	T_EXPECT(t_gaps_rdma(p, IB_WR_RDMA_WRITE, mr->iova, mr->rkey, 0, 16), IB_WC_REM_ACCESS_ERR);
	return t_untouched(owner, 0);
}

static int t_old_key(struct t_pair *p, const struct t_piece *old, const struct t_piece *new)
{
	struct t_end *owner = &p->end[0];
	u32 rkey;
	u64 iova;

	T_TRY(t_reg_pieces(owner, 0, old, 2));
	rkey = owner->mr[0]->rkey;
	iova = owner->mr[0]->iova;
	T_TRY(t_inv(owner, 1, rkey));
	T_TRY(t_reg_pieces(owner, 2, new, 2));
	memset(p->end[1].buf, 0x55, PAGE_SIZE);
	T_EXPECT(t_gaps_rdma(p, IB_WR_RDMA_WRITE, iova, rkey, 0, 1), IB_WC_REM_ACCESS_ERR);
	return t_untouched(owner, 0);
}

static int gaps_refused_old_pages(struct t_pair *p)
{
	return t_old_key(p, t_pages, t_gappy);
}

static int gaps_refused_old_pieces(struct t_pair *p)
{
	return t_old_key(p, t_gappy, t_pages);
}

/*
 * The MR is registered again without an invalidation. Two valid keys must not
 * result: either the registration cannot be posted, or the device refuses it.
 */
static int gaps_registered_twice(struct t_pair *p)
{
	struct t_end *owner = &p->end[0];
	struct ib_reg_wr wr;
	int ret;

	T_TRY(t_reg_pieces(owner, 0, t_gappy, 4));
	T_TRY(t_map(owner, owner->mr[0], t_pages, 2));
	ib_update_fast_reg_key(owner->mr[0], ib_inc_rkey(owner->mr[0]->rkey));
	t_reg_wr(&wr, owner->mr[0], 1);
	ret = ib_post_send(owner->qp, &wr.wr, NULL);
	if (ret) {
		T_EXPECT(ret, -EBUSY);
		return 0;
	}
	T_EXPECT(t_wait(&owner->sq, 1), IB_WC_MW_BIND_ERR);
	return 0;
}

/* in mlx5_ibx, an MR has a separate mkey for lists with gaps; an MR of the largest size works */
static int gaps_two_keys(struct t_pair *p)
{
	struct t_end *owner = &p->end[0];
	struct ib_mr *mr = owner->mr[0];
	struct ib_mr *large;
	u32 gappy;

	T_TRY(t_map(owner, mr, t_gappy, 3));
	gappy = mr->rkey >> 8;
	T_TRY(t_map(owner, mr, t_pages, 2));
	T_EXPECT(mr->rkey >> 8 != gappy, 1);
	T_TRY(t_map(owner, mr, t_gappy, 1));
	T_EXPECT(mr->rkey >> 8 != gappy, 1);
	T_TRY(t_map(owner, mr, t_gappy, 2));
	T_EXPECT(mr->rkey >> 8, gappy);

	T_EXPECT(PTR_ERR(ib_alloc_mr(owner->pd, IB_MR_TYPE_SG_GAPS, 0)), -EINVAL);
	T_EXPECT(PTR_ERR(ib_alloc_mr(owner->pd, IB_MR_TYPE_SG_GAPS, 65529)), -EINVAL);
	/* the limits that the device reports are accepted */
	T_EXPECT(owner->dev->attrs.max_fast_reg_page_list_len, 65528);
	large = ib_alloc_mr(owner->pd, IB_MR_TYPE_SG_GAPS, 65528);
	if (IS_ERR(large))
		return T_FAIL("65528 entries: %ld", PTR_ERR(large));
	T_EXPECT(ib_dereg_mr(large), 0);
	return 0;
}

static const struct t_opts t_gaps = { .mr_type = IB_MR_TYPE_SG_GAPS };
static const struct t_opts t_small_gaps = {
	.mr_type = IB_MR_TYPE_SG_GAPS,
	.mr_entries = 3,
	.nr_mrs = T_MRS,
};

const struct t_case t_gaps_cases[] = {
	{ "gaps_counts", gaps_counts, &t_gaps },
	{ "gaps_parts", gaps_parts, &t_gaps },
	{ "gaps_iova_is_chosen", gaps_iova_is_chosen, &t_gaps },
	{ "gaps_key_before_map", gaps_key_before_map, &t_gaps },
	{ "gaps_both_kinds", gaps_both_kinds, &t_gaps },
	{ "gaps_chain", gaps_chain, &t_gaps },
	{ "gaps_remote_inv", gaps_remote_inv, &t_gaps },
	{ "gaps_local", gaps_local, &t_gaps },
	{ "gaps_partial", gaps_partial, &t_small_gaps },
	{ "gaps_refused_past_the_end", gaps_refused_past_the_end, &t_gaps },
	{ "gaps_refused_rights", gaps_refused_rights, &t_gaps },
	{ "gaps_refused_old_pages", gaps_refused_old_pages, &t_gaps },
	{ "gaps_refused_old_pieces", gaps_refused_old_pieces, &t_gaps },
	{ "gaps_registered_twice", gaps_registered_twice, &t_gaps },
	{ "gaps_two_keys", gaps_two_keys, &t_gaps },
	{ }
};
