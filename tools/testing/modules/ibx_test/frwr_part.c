// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lists that are longer than an MR, registered part by part.
 */
#include "frwr.h"
#include "frwr_ctx.h"

#define P	PAGE_SIZE
#define T_MOST	16		/* parts of a list, at most */

struct t_parts {
	const char *name;
	struct t_part part[T_PIECES + 1];
	int parts;		/* expected number of parts for an MR of two pages */
	int parts_arb;		/* the same, with IB_MR_REG_ARB_SG */
};

static const struct t_parts t_parts[] = {
	{ "a page", { { 3 * P, P } }, 1, 1 },
	{ "a long one", { { 2 * P, 5 * P } }, 3, 1 },
	{ "a long one from inside a page", { { 2 * P + 100, 5 * P } }, 3, 1 },
	{ "pages apart", { { 0, P }, { 2 * P, P }, { 4 * P, P }, { 6 * P, P }, { 8 * P, 9 } },
	  3, 3 },
	{ "long ones", { { P / 2, 3 * P - P / 2 }, { 5 * P, 3 * P }, { 10 * P, 77 } }, 4, 2 },
	{ "with gaps", { { 8, 16 }, { 2 * P + 4, P }, { 5 * P, P }, { 7 * P, 8 }, { 9 * P, 8 } },
	  4, 3 },
};

static int t_map_parts(struct t_frwr *t, const struct t_parts *l)
{
	int n;

	sg_init_table(t->sgl, T_PIECES);
	for (n = 0; l->part[n].len; n++)
		sg_set_buf(&t->sgl[n], t->mem + l->part[n].offset, l->part[n].len);
	T_EXPECT(ib_dma_map_sg(t->owner->dev, t->sgl, n, DMA_FROM_DEVICE), n);
	t->sg_nents = n;
	t->dir = DMA_FROM_DEVICE;
	return 0;
}

static int t_finish_parts(struct t_frwr *t, const struct t_parts *l, u32 len)
{
	struct t_list list = { .name = l->name };

	memcpy(list.part, l->part, sizeof(list.part));
	T_EXPECT(len, t_list_len(&list));
	t_list_unmap(t);
	return t_list_check(t, &list, len, 5);
}

/* the peer WRITEs bytes @from to @from + @len - 1 of the message to the beginning of the MR */
static int t_peer_writes_from(struct t_frwr *t, u32 from, u32 len)
{
	/*
	 * byte 0 of seed s + 7 n is byte n of seed s, so the parts form one pattern
	 */
	return t_peer_writes(t, len, 5 + 7 * from);
}

static int t_part_by_part(struct t_frwr *t, const struct t_parts *l, int want)
{
	struct scatterlist *sg = t->sgl;
	unsigned int offset = 0;
	int left, parts = 0, n;
	u32 done = 0;

	T_TRY(t_map_parts(t, l));
	left = t->sg_nents;
	while (left && parts < T_MOST) {
		n = ib_mr_set_sg_part(t->mr, sg, left, &offset);
		T_TRY(n);
		T_TRY(t_frwr_open(t));
		T_TRY(t_peer_writes_from(t, done, t->mr->length));
		T_TRY(t_post_inv(t->owner, 1, t->mr->rkey));
		T_EXPECT(t_wait(&t->owner->sq, 1), IB_WC_SUCCESS);
		T_EXPECT(ib_mr_invalidated(t->mr), 0);
		done += t->mr->length;
		parts++;
		for (left -= n; n; n--)
			sg = sg_next(sg);
	}
	T_EXPECT(parts, want);
	return t_finish_parts(t, l, done);
}

static int t_all_parts(struct t_frwr *t)
{
	const bool arb = t->arg;
	int i;

	for (i = 0; i < ARRAY_SIZE(t_parts); i++)
		if (t_part_by_part(t, &t_parts[i], arb ? t_parts[i].parts_arb : t_parts[i].parts))
			return T_FAIL("list %s", t_parts[i].name);
	return 0;
}

static int frwr_part_bad(struct t_frwr *t)
{
	struct ib_mr *mr = t->mr, was = *mr;
	unsigned int offset = P;

	T_TRY(t_map_parts(t, &t_parts[0]));
	T_EXPECT(ib_mr_set_sg_part(mr, t->sgl, 1, &offset), -EINVAL);
	offset = U32_MAX;
	T_EXPECT(ib_mr_set_sg_part(mr, t->sgl, 1, &offset), -EINVAL);
	T_EXPECT(offset, U32_MAX);
	offset = 8;
	T_EXPECT(ib_mr_set_sg_part(mr, t->sgl, 0, &offset), -EINVAL);
	T_EXPECT(ib_mr_set_sg_part(mr, t->sgl, -1, &offset), -EINVAL);
	T_EXPECT(memcmp(mr, &was, sizeof(was)), 0);
	T_EXPECT(ib_mr_set_sg_part(mr, t->sgl, 1, &offset), 1);
	T_EXPECT(mr->length, P - 8);
	T_EXPECT(ib_mr_set_sg_part(mr, t->sgl, 1, &offset), -EBUSY);
	T_EXPECT(offset, 0);
	return ib_mr_unset(mr);
}

/*
 * A list as long as the buffer of end 0 is mapped by a chain of three requests of
 * a context, whose MRs have three pages each.
 */

static int t_map_chain(struct ib_frwr *frwr, struct t_end *e, struct ib_frwr_req *req)
{
	struct scatterlist *sg = e->sgl;
	unsigned int offset = 100;
	int left = T_PAGES, i, n;

	for (i = 0; i < 2; i++)
		req[i].next = &req[i + 1];
	for (i = 0; i < 3; i++) {
		n = ib_frwr_map_sg_part(frwr, &req[i], sg, left, &offset, DMA_TO_DEVICE);
		T_TRY(n);
		T_EXPECT(offset, 0);
		for (left -= n; n; n--)
			sg = sg_next(sg);
	}
	T_EXPECT(left, 0);
	return 0;
}

static int t_chain_reads(struct t_pair *p, struct ib_frwr *frwr, struct ib_frwr_req *req)
{
	struct t_end *e = &p->end[0];
	struct ib_rdma_wr empty;
	struct ib_sge sge;
	u32 done = 100;
	int i;

	T_TRY(t_map_chain(frwr, e, req));
	t_write_wr(&empty, &sge, e, 0);
	empty.wr.num_sge = 0;
	T_TRY(ib_frwr_post(req, &empty.wr, NULL));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	t_fill(e, 0, T_BUF_SIZE, 3);
	for (i = 0; i < 3; i++) {
		sge = t_sge(&p->end[1], done, req[i].length);
		T_EXPECT(t_rdma(&p->end[1], i, IB_WR_RDMA_READ, &sge, req[i].iova, req[i].rkey), 0);
		done += req[i].length;
	}
	T_EXPECT(done, T_BUF_SIZE);
	t_sync(&p->end[1]);
	T_EXPECT(memcmp(p->end[1].buf + 100, e->buf + 100, T_BUF_SIZE - 100), 0);
	return 0;
}

static int ctx_part(struct t_pair *p)
{
	const struct ib_frwr_attr attr = {
		.mr = { .mr_type = IB_MR_TYPE_FAST_REG, .max_reg_descs = 3,
			.create_flags = IB_MR_REG_SG_ONLY | t_create_flags(p->end[0].dev) },
		.min_mrs = 3,
		.max_mrs = 3,
	};
	struct ib_frwr_req req[3] = { };
	struct ib_frwr *frwr;
	int ret;

	frwr = ib_frwr_create(p->end[0].qp, &attr);
	T_TRY(PTR_ERR_OR_ZERO(frwr));
	ret = t_chain_reads(p, frwr, req);
	/* this case polls the CQ, so ib_drain_qp() cannot be used to drain the QP */
	t_move(p->end[0].qp, IB_QPS_ERR);
	t_settle(&p->end[0].sq);
	ib_frwr_abort(frwr);
	ib_frwr_release(req);
	return ret ?: ib_frwr_destroy(frwr);
}

const struct t_case t_frwr_part_cases[] = {
	T_FRWR_OF(frwr_part, 2, 0, t_all_parts, false),
	T_FRWR_OF(frwr_part_odd, 2, IB_MR_REG_ARB_SG, t_all_parts, true),
	T_FRWR(frwr_part_bad, 2, 0),
	{ "ctx_part", ctx_part },
	{ }
};
