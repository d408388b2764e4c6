// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lists that need several MRs. ib_map_mr_sg() returns the number of elements that it
 * has mapped completely, and in sg_offset the number of mapped bytes of the next
 * element; SRP calls it in a loop. A driver may end parts where it needs to. Each part
 * is registered, and the peer READs it. The bytes of all parts together must be the
 * bytes of the list.
 */
#include "ibx_test.h"

#define T_MR_PAGES	3

/* a part of end 0's buffer */
struct t_piece {
	u32 offset;
	u32 len;
};

#define T_SEED		21

/*
 * Writes the bytes of the list to the pieces of end 0's buffer: @first bytes are 0,
 * the others have a pattern. Returns the number of bytes that have the pattern.
 */
static u32 t_scatter(struct t_pair *p, const struct t_piece *pieces, int nr, u32 first)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	u32 len = 0;
	int i;

	for (i = 0; i < nr; i++)
		len += pieces[i].len;
	t_set(e, 0);
	t_fill(e, first, len - first, T_SEED);
	t_set(owner, T_GUARD);
	for (i = 0, len = 0; i < nr; len += pieces[i++].len)
		memcpy(owner->buf + pieces[i].offset, e->buf + len, pieces[i].len);
	t_set(e, T_GUARD);
	return len - first;
}

static void t_make_sgl(struct t_end *e, struct scatterlist *sgl, const struct t_piece *pieces,
		       int nr)
{
	int i;

	sg_init_table(sgl, nr);
	for (i = 0; i < nr; i++) {
		sg_set_buf(&sgl[i], e->buf + pieces[i].offset, pieces[i].len);
		sg_dma_address(&sgl[i]) = e->dma + pieces[i].offset;
		sg_dma_len(&sgl[i]) = pieces[i].len;
	}
}

/* end 1 READs all bytes of end 0's MR to offset @at of its buffer */
static int t_read_part(struct t_pair *p, u32 at)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_mr *mr = owner->mr[0];
	struct ib_sge sge = t_sge(e, at, mr->length);
	struct ib_reg_wr reg = {
		.wr = { .opcode = IB_WR_REG_MR, .send_flags = IB_SEND_SIGNALED },
		.mr = mr,
		.access = IB_ACCESS_REMOTE_READ,
	};
	struct ib_rdma_wr wr = {};

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	reg.key = mr->rkey;
	T_TRY(ib_post_send(owner->qp, &reg.wr, NULL));
	T_EXPECT(t_wait(&owner->sq, 0), IB_WC_SUCCESS);
	t_send_wr(&wr.wr, &sge, 0);
	wr.wr.opcode = IB_WR_RDMA_READ;
	wr.rkey = mr->rkey;
	wr.remote_addr = mr->iova;
	T_TRY(ib_post_send(e->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	T_TRY(t_post_inv(owner, 1, mr->rkey));
	T_EXPECT(t_wait(&owner->sq, 1), IB_WC_SUCCESS);
	t_clear_counts(&owner->sq);
	t_clear_counts(&e->sq);
	return 0;
}

/*
 * Maps the list in parts, without its @first bytes. End 1 READs each part, and the bytes are
 * compared. Returns the number of parts.
 */
static int t_map_parts(struct t_pair *p, const struct t_piece *pieces, int nr, u32 first)
{
	u32 len = t_scatter(p, pieces, nr, first), done = 0;
	struct ib_mr *mr = p->end[0].mr[0];
	struct scatterlist list[16], *sg = list;
	unsigned int offset = first;
	int n, parts;

	t_make_sgl(&p->end[0], list, pieces, nr);
	for (parts = 0; nr; parts++) {
		u64 start = sg_dma_address(sg) + offset;

		n = ib_map_mr_sg(mr, sg, nr, &offset, PAGE_SIZE);
		if (n < 0 || n > nr || !mr->length || mr->length > len - done)
			return T_FAIL("part %d: %d of %d elements, %llu bytes", parts, n, nr,
				      mr->length);
		T_EXPECT(mr->iova, start);
		T_TRY(t_read_part(p, done));
		done += mr->length;
		for (nr -= n; n; n--)
			sg = sg_next(sg);
	}
	T_EXPECT(offset, 0);
	T_EXPECT(done, len);
	T_TRY(t_check_only(&p->end[1], 0, len, T_SEED));
	return parts;
}

/* twice as many pages as the MR can map, not adjacent: two parts */
static int parts_of_pages(struct t_pair *p)
{
	const struct t_piece pieces[] = {
		{ 0 * PAGE_SIZE, PAGE_SIZE }, { 2 * PAGE_SIZE, PAGE_SIZE },
		{ 4 * PAGE_SIZE, PAGE_SIZE }, { 6 * PAGE_SIZE, PAGE_SIZE },
		{ 1 * PAGE_SIZE, PAGE_SIZE }, { 3 * PAGE_SIZE, PAGE_SIZE },
	};
	int parts = t_map_parts(p, pieces, ARRAY_SIZE(pieces), 0);

	if (parts < 0)
		return parts;
	T_EXPECT(parts, 2);
	return 0;
}

/* one element is larger than the MR: the parts end in the element, at sg_offset */
static int parts_of_one_element(struct t_pair *p)
{
	const struct t_piece pieces[] = {
		{ 40, 6 * PAGE_SIZE + 100 },
	};
	int parts = t_map_parts(p, pieces, ARRAY_SIZE(pieces), 0);

	if (parts < 0)
		return parts;
	T_EXPECT(parts >= 2, 1);
	return 0;
}

static int parts_from_an_offset(struct t_pair *p)
{
	const struct t_piece pieces[] = {
		{ 0, PAGE_SIZE }, { 2 * PAGE_SIZE, 3 * PAGE_SIZE }, { 6 * PAGE_SIZE, 1000 },
	};
	int parts = t_map_parts(p, pieces, ARRAY_SIZE(pieces), 300);

	if (parts < 0)
		return parts;
	T_EXPECT(parts >= 2, 1);
	return 0;
}

/* elements that do not begin or end at page boundaries: a part ends at each gap */
static int parts_with_gaps(struct t_pair *p)
{
	const struct t_piece pieces[] = {
		{ 512, PAGE_SIZE - 512 },		/* ends at a page boundary */
		{ 2 * PAGE_SIZE, 100 },			/* ends in a page: a gap follows */
		{ 3 * PAGE_SIZE, PAGE_SIZE },
		{ 5 * PAGE_SIZE + 8, 16 },		/* a gap before and after the element */
		{ 6 * PAGE_SIZE, 1 },
		{ 7 * PAGE_SIZE - 100, 100 },
		{ 7 * PAGE_SIZE, PAGE_SIZE },
	};
	int parts = t_map_parts(p, pieces, ARRAY_SIZE(pieces), 0);

	if (parts < 0)
		return parts;
	T_EXPECT(parts, 5);
	return 0;
}

/* elements of any size that adjoin in memory: there is no gap, so one part */
static int parts_merge(struct t_pair *p)
{
	const struct t_piece pieces[] = {
		{ 100, 50 }, { 150, 1 }, { 151, 3000 }, { 3151, PAGE_SIZE - 3151 },
		{ PAGE_SIZE, 5 }, { PAGE_SIZE + 5, 600 },
	};
	int parts = t_map_parts(p, pieces, ARRAY_SIZE(pieces), 0);

	if (parts < 0)
		return parts;
	T_EXPECT(parts, 1);
	return 0;
}

static const struct t_opts t_small_mr = { .mr_entries = T_MR_PAGES };

const struct t_case t_sg_cases[] = {
	{ "parts_of_pages", parts_of_pages, &t_small_mr },
	{ "parts_of_one_element", parts_of_one_element, &t_small_mr },
	{ "parts_from_an_offset", parts_from_an_offset, &t_small_mr },
	{ "parts_with_gaps", parts_with_gaps, &t_small_mr },
	{ "parts_merge", parts_merge, &t_small_mr },
	{ }
};
