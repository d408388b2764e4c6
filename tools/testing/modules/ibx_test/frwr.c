// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lists registered with <rdma/ib_frwr.h> in each form, which the peer then writes and reads;
 * accesses that must be refused; the time when memory is unmapped.
 */
#include <linux/module.h>

#include "frwr.h"

#define P	PAGE_SIZE

/* each list needs at most 4 pages */
static const struct t_list t_lists[] = {
	{ .name = "page", .of_pages = true, .part = { { 3 * P, P } } },
	{ .name = "bytes", .of_pages = true, .part = { { 3 * P + 0x128, 1000 } } },
	{ .name = "byte", .of_pages = true, .part = { { 4 * P - 1, 1 } } },
	{ .name = "row", .of_pages = true, .part = { { 2 * P, P }, { 3 * P, P }, { 4 * P, P } } },
	{ .name = "scattered", .of_pages = true,
	  .part = { { 2 * P + 100, P - 100 }, { 9 * P, P }, { 5 * P, P }, { 0, 200 } } },
	{ .name = "backwards", .of_pages = true,
	  .part = { { 3 * P, P }, { 2 * P, P }, { 1 * P, P }, { 0, P } } },
	{ .name = "runs", .of_pages = true,
	  .part = { { 6 * P + 8, P - 8 }, { 7 * P, P }, { 12 * P, P }, { 13 * P, 9 } } },
	{ .name = "large", .part = { { 2 * P + P / 2, 3 * P } } },
	{ .name = "adjoining", .adjoining = true,
	  .part = { { 8, 8 }, { 16, 100 }, { 116, P - 116 }, { P, P + 1 } } },
};

/* lists for MRs with IB_MR_REG_ARB_SG; a driver may use other translations for a list of pages */
static const struct t_list t_odd_lists[] = {
	{ .name = "pieces",
	  .part = { { 0x10, 0x33 }, { 0x2fff, 2 }, { 0x1000, 0x200 }, { 0x1200, 0x10 },
		    { 0x5001, 0x1ff }, { 0x7ff0, 0x10 }, { 0x4000, 1 }, { 0x3210, 0x123 } } },
	{ .name = "two", .part = { { 3 * P + 1, 2 }, { 3, P } } },
	{ .name = "one", .part = { { 8 * P - 5, P + 9 } } },
	{ .name = "pages", .of_pages = true, .part = { { 2 * P, P }, { 9 * P, P }, { 5 * P, P } } },
	{ .name = "gap behind", .part = { { 0, P - 8 }, { 9 * P, P } } },
};

static int t_shuttle(struct t_frwr *t, const struct t_list *l, enum dma_data_direction dir)
{
	u32 len = t_list_len(l);

	T_EXPECT(t->mr->length, len);
	T_EXPECT(t->mr->lkey, t->mr->rkey);
	T_TRY(t_frwr_open(t));
	if (dir != DMA_TO_DEVICE)
		T_TRY(t_peer_writes(t, len, 5));
	if (dir != DMA_FROM_DEVICE)
		T_TRY(t_peer_reads(t, len, 5));
	return t_frwr_close(t);
}

/* sets a list, registers it, has the peer write and read it, and invalidates the MR */
static int t_live(struct t_frwr *t, enum t_form form, const struct t_list *l,
		  enum dma_data_direction dir)
{
	int ret;

	if (dir == DMA_TO_DEVICE)
		t_list_fill(t, l, 5);
	ret = t_list_set(t, form, l, dir);
	if (ret)
		return T_FAIL("list %s, form %d: %d", l->name, form, ret);
	if (t_shuttle(t, l, dir))
		return T_FAIL("list %s, form %d, direction %d", l->name, form, dir);
	return t_list_check(t, l, t_list_len(l), 5);
}

static int t_live_all(struct t_frwr *t, enum t_form form, const struct t_list *lists, int nr)
{
	enum dma_data_direction dir;
	int i;

	for (i = 0; i < nr; i++) {
		if (form == T_FORM_PAGES && !lists[i].of_pages)
			continue;
		if (form == T_FORM_SG && lists[i].adjoining)
			continue;
		for (dir = DMA_BIDIRECTIONAL; dir <= DMA_FROM_DEVICE; dir++)
			T_TRY(t_live(t, form, &lists[i], dir));
	}
	return 0;
}

static int t_live_lists(struct t_frwr *t)
{
	return t_live_all(t, t->arg, t_lists, ARRAY_SIZE(t_lists));
}

static int frwr_odd_pieces(struct t_frwr *t)
{
	enum t_form form;

	for (form = T_FORM_SG; form < T_FORMS; form++)
		T_TRY(t_live_all(t, form, t_odd_lists, ARRAY_SIZE(t_odd_lists)));
	return 0;
}

/* one MR with all forms and all lists, one after the other */
static int frwr_mixed(struct t_frwr *t)
{
	int i;

	for (i = 0; i < 3 * ARRAY_SIZE(t_lists); i++) {
		const struct t_list *l = &t_lists[i % ARRAY_SIZE(t_lists)];
		enum t_form form = i % T_FORMS;

		if (!l->of_pages)
			form = T_FORM_BIOVEC;
		T_TRY(t_live(t, form, l, DMA_BIDIRECTIONAL));
	}
	return 0;
}

/* ib_map_mr_sg() has no length: the registration of a part of the list is refused */
static int t_prefix_refused(struct t_frwr *t, const struct t_list *l)
{
	struct ib_fast_reg_wr wr;

	T_TRY(t_list_set(t, T_FORM_BIOVEC, l, DMA_FROM_DEVICE));
	T_EXPECT(ib_init_fast_reg_wr(&wr, t->mr, t->mr->iova, t->mr->length - 1,
				     ib_mr_access(t->mr, IB_MR_REMOTE, DMA_FROM_DEVICE)),
		 -EOPNOTSUPP);
	T_TRY(t_frwr_open(t));
	T_TRY(t_peer_writes(t, t_list_len(l), 3));
	T_TRY(t_frwr_close(t));
	return t_list_check(t, l, t_list_len(l), 3);
}

/* a registration of fewer bytes than the list: the peer can access these bytes, and no more */
static int frwr_prefix(struct t_frwr *t)
{
	const struct t_list *l = &t_lists[4];
	u32 cut = P + 77, all = t_list_len(l);

	if (strcmp(module_name(t->owner->dev->ops.owner), "mlx5_ibx"))
		return t_prefix_refused(t, l);
	T_TRY(t_list_set(t, T_FORM_BIOVEC, l, DMA_FROM_DEVICE));
	T_TRY(t_frwr_register(t, t->mr->iova, cut,
			      ib_mr_access(t->mr, IB_MR_REMOTE, DMA_FROM_DEVICE)));
	T_TRY(t_peer_writes(t, cut, 3));
	T_TRY(t_frwr_close(t));
	T_TRY(t_list_check(t, l, cut, 3));

	T_TRY(t_list_set(t, T_FORM_PAGES, l, DMA_FROM_DEVICE));
	T_EXPECT(t->mr->length, all);
	T_TRY(t_frwr_register(t, t->mr->iova, cut,
			      ib_mr_access(t->mr, IB_MR_REMOTE, DMA_FROM_DEVICE)));
	T_EXPECT(t_frwr_rdma(t, IB_WR_RDMA_WRITE, t->mr->iova, t->mr->rkey, cut + 1),
		 IB_WC_REM_ACCESS_ERR);
	return t_list_beyond_untouched(t, l, cut);
}

/* the ULP chooses the address that the peer uses, except its offset in a page */
static int frwr_iova(struct t_frwr *t)
{
	static const u64 to[] = { 0, P, 0x123456789000, 0x7fff000 };
	const struct t_list *l = &t_lists[4];
	struct ib_fast_reg_wr wr;
	int access, i;

	for (i = 0; i < ARRAY_SIZE(to); i++) {
		T_TRY(t_list_set(t, i % T_FORMS, l, DMA_BIDIRECTIONAL));
		access = ib_mr_access(t->mr, IB_MR_REMOTE, DMA_BIDIRECTIONAL);
		T_EXPECT(ib_init_fast_reg_wr(&wr, t->mr, to[i] + 99, 1, access), -EINVAL);
		T_TRY(t_frwr_register(t, to[i] + 100, t->mr->length, access));
		T_TRY(t_peer_writes(t, t_list_len(l), i));
		T_TRY(t_peer_reads(t, t_list_len(l), i));
		T_TRY(t_frwr_close(t));
		T_TRY(t_list_check(t, l, t_list_len(l), i));
	}
	return 0;
}

/* the peer cannot write memory that was registered for reading, nor the reverse */
static int t_refused(struct t_frwr *t)
{
	const enum dma_data_direction dir = t->arg;
	const enum ib_wr_opcode op = dir == DMA_TO_DEVICE ? IB_WR_RDMA_WRITE : IB_WR_RDMA_READ;

	T_TRY(t_list_set(t, T_FORM_PAGES, &t_lists[0], dir));
	T_TRY(t_frwr_open(t));
	t_set(t->peer, 0x55);
	T_EXPECT(t_frwr_rdma(t, op, t->mr->iova, t->mr->rkey, 64), IB_WC_REM_ACCESS_ERR);
	T_TRY(t_list_untouched(t));
	return t_untouched(t->peer, 0x55);
}

/* uses the key of an invalidated MR; with t->arg, the MR is registered again before */
static int t_stale(struct t_frwr *t)
{
	u32 rkey;
	u64 iova;

	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_lists[0], DMA_FROM_DEVICE));
	T_TRY(t_frwr_open(t));
	rkey = t->mr->rkey;
	iova = t->mr->iova;
	T_TRY(t_frwr_close(t));
	if (t->arg) {
		T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_lists[1], DMA_FROM_DEVICE));
		T_EXPECT(t->mr->rkey != rkey, 1);
		T_TRY(t_frwr_open(t));
		iova = t->mr->iova;
	}
	t_set(t->peer, 0x55);
	T_EXPECT(t_frwr_rdma(t, IB_WR_RDMA_WRITE, iova, rkey, 64), IB_WC_REM_ACCESS_ERR);
	return t_list_untouched(t);
}

/* uses more than 512 keys: each differs from the 255 keys before it */
static int frwr_reuse(struct t_frwr *t)
{
	unsigned int used[256] = {}, i;

	for (i = 1; i <= T_KEY_USES; i++) {
		const struct t_list *l = &t_lists[i % 3];
		u8 low;

		T_TRY(t_list_set(t, i % T_FORMS, l, DMA_FROM_DEVICE));
		low = t->mr->rkey;
		T_EXPECT(!used[low] || i - used[low] > 255, 1);
		used[low] = i;
		T_TRY(t_frwr_open(t));
		T_TRY(t_peer_writes(t, t_list_len(l), i));
		T_TRY(t_frwr_close(t));
		T_TRY(t_list_check(t, l, t_list_len(l), i));
	}
	return 0;
}

/* the peer invalidates the key with SEND_WITH_INV */
static int frwr_remote_inv(struct t_frwr *t)
{
	struct ib_send_wr wr;
	struct ib_sge sge;
	int i;

	for (i = 0; i < 4; i++) {
		const struct t_list *l = &t_lists[3 + i];

		T_TRY(t_list_set(t, i % T_FORMS, l, DMA_FROM_DEVICE));
		T_TRY(t_frwr_open(t));
		T_TRY(t_peer_writes(t, t_list_len(l), i));
		T_TRY(t_post_recv(t->owner, i));
		sge = t_sge(t->peer, 0, 1);
		t_send_wr(&wr, &sge, 1);
		wr.opcode = IB_WR_SEND_WITH_INV;
		wr.ex.invalidate_rkey = t->mr->rkey;
		T_TRY(ib_post_send(t->peer->qp, &wr, NULL));
		T_EXPECT(t_wait(&t->peer->sq, 1), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&t->owner->rq, i), IB_WC_SUCCESS);
		T_EXPECT(t->owner->rq.wc[i].ex.invalidate_rkey, t->mr->rkey);
		T_EXPECT(ib_mr_invalidated(t->mr), 0);
		t_list_unmap(t);
		T_TRY(t_list_check(t, l, t_list_len(l), i));
	}
	return 0;
}

static struct ib_sge t_all_of(const struct ib_mr *mr)
{
	return (struct ib_sge){ .addr = mr->iova, .length = mr->length, .lkey = mr->lkey };
}

/* the lkey with local access: a SEND reads the list, and a receive writes it */
static int frwr_local(struct t_frwr *t)
{
	const struct t_list *l = &t_lists[4];
	struct ib_recv_wr recv = { .wr_id = 3, .num_sge = 1 };
	u32 len = t_list_len(l);
	struct ib_send_wr wr;
	struct ib_sge sge;

	t_list_fill(t, l, 7);
	T_TRY(t_list_set(t, T_FORM_BIOVEC, l, DMA_TO_DEVICE));
	T_TRY(t_frwr_register(t, t->mr->iova, len,
			      ib_mr_access(t->mr, IB_MR_LOCAL, DMA_TO_DEVICE)));
	T_TRY(t_post_recv(t->peer, 2));
	sge = t_all_of(t->mr);
	t_send_wr(&wr, &sge, 2);
	T_TRY(ib_post_send(t->owner->qp, &wr, NULL));
	T_EXPECT(t_wait(&t->owner->sq, 2), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&t->peer->rq, 2), IB_WC_SUCCESS);
	T_TRY(t_frwr_close(t));
	T_TRY(t_list_check(t, l, len, 7));

	/*
	 * the peer sends the data that it has received back to the list
	 */
	T_TRY(t_list_set(t, T_FORM_PAGES, l, DMA_FROM_DEVICE));
	T_TRY(t_frwr_register(t, t->mr->iova, len,
			      ib_mr_access(t->mr, IB_MR_LOCAL, DMA_FROM_DEVICE)));
	sge = t_all_of(t->mr);
	recv.sg_list = &sge;
	T_TRY(ib_post_recv(t->owner->qp, &recv, NULL));
	sge = t_sge(t->peer, 0, len);
	t_send_wr(&wr, &sge, 3);
	T_TRY(ib_post_send(t->peer->qp, &wr, NULL));
	T_EXPECT(t_wait(&t->owner->rq, 3), IB_WC_SUCCESS);
	T_TRY(t_frwr_close(t));
	return t_list_check(t, l, len, 7);
}

/* ---- mapped memory, and the time of unmapping ---- */

/* pages that are not adjacent, so that each page is mapped separately */
static const struct t_list t_apart = {
	.name = "apart", .of_pages = true,
	.part = { { 0, P }, { 2 * P, P }, { 4 * P, P }, { 6 * P, P } },
};

static int t_mapped_until(struct t_frwr *t, enum t_form form)
{
	/* the caller unmaps a scatterlist, so its mappings remain after the MR is unset */
	int idle = form == T_FORM_SG ? 4 : 0;

	T_TRY(t_list_set(t, form, &t_apart, DMA_FROM_DEVICE));
	T_TRY(t_expect_mapped(t, 4));
	T_EXPECT(ib_mr_unset(t->mr), 0);
	T_TRY(t_expect_mapped(t, idle));
	t_list_unmap(t);
	T_TRY(t_expect_mapped(t, 0));

	T_TRY(t_list_set(t, form, &t_apart, DMA_FROM_DEVICE));
	T_TRY(t_frwr_open(t));
	T_TRY(t_peer_writes(t, 4 * P, 9));
	T_TRY(t_expect_mapped(t, 4));
	T_TRY(t_post_inv(t->owner, 1, t->mr->rkey));
	T_EXPECT(t_wait(&t->owner->sq, 1), IB_WC_SUCCESS);
	T_TRY(t_expect_mapped(t, 4));
	T_EXPECT(ib_mr_invalidated(t->mr), 0);
	T_TRY(t_expect_mapped(t, idle));
	t_list_unmap(t);
	return t_list_check(t, &t_apart, 4 * P, 9);
}

static int frwr_mapped_until(struct t_frwr *t)
{
	enum t_form form;

	for (form = T_FORM_SG; form < T_FORMS; form++)
		T_TRY(t_mapped_until(t, form));
	return 0;
}

/* a list that is one page too long, and a list with a gap: nothing stays mapped */
static int frwr_failed_unmaps(struct t_frwr *t)
{
	static const struct t_list gap = {
		.name = "gap", .part = { { 0, P }, { 2 * P, P }, { 4 * P + 8, 8 } },
	};
	enum t_form form;

	for (form = T_FORM_SG; form < T_FORMS; form++) {
		T_EXPECT(t_list_set(t, form, &t_lists[5], DMA_FROM_DEVICE), -ENOSPC);
		T_TRY(t_expect_mapped(t, 0));
		if (form != T_FORM_PAGES)
			T_EXPECT(t_list_set(t, form, &gap, DMA_FROM_DEVICE), -EINVAL);
		T_TRY(t_expect_mapped(t, 0));
		T_TRY(t_live(t, form, &t_lists[3], DMA_BIDIRECTIONAL));
	}
	return 0;
}

/* a call that cannot map memory returns the errno of the DMA layer to the ULP */
static int frwr_dma_errno(struct t_frwr *t)
{
	static const int errs[] = { -EREMOTEIO, -ENOMEM, -EIO };
	enum t_form form;
	int i;

	for (i = 0; i < ARRAY_SIZE(errs) && t_fail_maps(t, errs[i]); i++)
		for (form = T_FORM_PAGES; form < T_FORMS; form++)
			T_EXPECT(t_list_set(t, form, &t_lists[3], DMA_FROM_DEVICE), errs[i]);
	t_fail_maps(t, 0);
	T_TRY(t_expect_mapped(t, 0));
	return t_live(t, T_FORM_BIOVEC, &t_lists[3], DMA_BIDIRECTIONAL);
}

/* an MR that was created only for scatterlists refuses the other forms */
static int frwr_sg_only(struct t_frwr *t)
{
	T_EXPECT(t_list_set(t, T_FORM_PAGES, &t_lists[0], DMA_FROM_DEVICE), -EINVAL);
	T_EXPECT(t_list_set(t, T_FORM_BIOVEC, &t_lists[0], DMA_FROM_DEVICE), -EINVAL);
	return t_live_all(t, T_FORM_SG, t_lists, ARRAY_SIZE(t_lists));
}

const struct t_case t_frwr_cases[] = {
	T_FRWR_OF(frwr_sg, 4, 0, t_live_lists, T_FORM_SG),
	T_FRWR_OF(frwr_pages, 4, 0, t_live_lists, T_FORM_PAGES),
	T_FRWR_OF(frwr_biovec, 4, 0, t_live_lists, T_FORM_BIOVEC),
	T_FRWR_OF(frwr_bio, 4, 0, t_live_lists, T_FORM_BIO),
	T_FRWR(frwr_odd_pieces, T_PIECES, IB_MR_REG_ARB_SG),
	T_FRWR(frwr_mixed, T_BLOCK_PAGES, 0),
	T_FRWR(frwr_prefix, 4, 0),
	T_FRWR(frwr_iova, 4, 0),
	T_FRWR_OF(frwr_refused_write, 1, 0, t_refused, DMA_TO_DEVICE),
	T_FRWR_OF(frwr_refused_read, 1, 0, t_refused, DMA_FROM_DEVICE),
	T_FRWR_OF(frwr_stale_key, 1, 0, t_stale, false),
	T_FRWR_OF(frwr_old_key, 1, 0, t_stale, true),
	T_FRWR(frwr_reuse, 1, 0),
	T_FRWR(frwr_remote_inv, 4, 0),
	T_FRWR(frwr_local, 4, 0),
	T_FRWR(frwr_mapped_until, 4, 0),
	T_FRWR(frwr_failed_unmaps, 3, 0),
	T_FRWR(frwr_dma_errno, 4, 0),
	T_FRWR(frwr_sg_only, 4, IB_MR_REG_SG_ONLY),
	{ }
};
