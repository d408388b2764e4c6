// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registrations in the form of the RFC: work requests IB_WR_FAST_REG_MR.
 */
#include <linux/module.h>

#include "frwr.h"

#define P	PAGE_SIZE

static const struct t_list t_pages = {
	.name = "pages", .of_pages = true, .part = { { 3 * P, P }, { P, P } },
};

static bool t_has_hook(const struct t_frwr *t)
{
	return !strcmp(module_name(t->owner->dev->ops.owner), "mlx5_ibx");
}

static void t_fast_reg_wr(struct t_frwr *t, struct ib_fast_reg_wr *wr, u64 iova, u64 length)
{
	*wr = (struct ib_fast_reg_wr){
		.reg.wr.opcode = IB_WR_FAST_REG_MR,
		.reg.wr.send_flags = IB_SEND_SIGNALED,
		.fast_reg.mr = t->mr,
		.fast_reg.iova = iova,
		.fast_reg.length = length,
		.fast_reg.access_flags = ib_mr_access(t->mr, IB_MR_REMOTE, t->dir),
	};
}

static int t_create(struct t_frwr *t)
{
	struct ib_mr_init_attr attr = { IB_MR_TYPE_FAST_REG, 2, t_create_flags(t->owner->dev) };
	struct ib_mr *mr = ib_create_mr(t->owner->pd, &attr);

	T_TRY(PTR_ERR_OR_ZERO(mr));
	t->mr = mr;
	return 0;
}

/* the example of the RFC: create, set, post, invalidate and destroy an MR, for one form of list */
static int t_example_of(struct t_frwr *t, enum t_form form)
{
	struct ib_fast_reg_wr wr;
	struct ib_mr *mr;

	T_TRY(t_create(t));
	T_TRY(t_list_set(t, form, &t_pages, DMA_FROM_DEVICE));
	t_fast_reg_wr(t, &wr, 0x1230000, t->mr->length);
	t_clear_counts(&t->owner->sq);
	T_TRY(ib_fast_reg_post_send(t->owner->qp, &wr.reg.wr, NULL));
	T_EXPECT(t_wait(&t->owner->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t->owner->sq.wc[0].opcode, IB_WC_REG_MR);
	T_EXPECT(t->mr->iova, 0x1230000);
	T_TRY(t_peer_writes(t, 2 * P, 5));
	T_TRY(t_post_inv(t->owner, 1, t->mr->rkey));
	T_EXPECT(t_wait(&t->owner->sq, 1), IB_WC_SUCCESS);
	mr = t->mr;
	t->mr = NULL;
	T_EXPECT(ib_dereg_mr(mr), 0);
	t_list_unmap(t);
	T_TRY(t_expect_mapped(t, 0));
	return t_list_check(t, &t_pages, 2 * P, 5);
}

static int post_example(struct t_frwr *t)
{
	enum t_form form;

	for (form = T_FORM_SG; form < T_FORMS; form++)
		T_TRY(t_example_of(t, form));
	return 0;
}

/*
 * The ULP sets a length and access flags in the work request. The key gives access to that length
 * only, with these flags (post_access()).
 */
static int post_length(struct t_frwr *t)
{
	struct ib_fast_reg_wr wr;
	int err = t_has_hook(t) ? 0 : -EOPNOTSUPP;

	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_pages, DMA_FROM_DEVICE));
	t_fast_reg_wr(t, &wr, t->mr->iova, P + 100);
	T_EXPECT(ib_fast_reg_post_send(t->owner->qp, &wr.reg.wr, NULL), err);
	if (err)
		return ib_mr_unset(t->mr);
	T_EXPECT(t_wait(&t->owner->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_frwr_rdma(t, IB_WR_RDMA_WRITE, t->mr->iova, t->mr->rkey, P + 101),
		 IB_WC_REM_ACCESS_ERR);
	return t_list_beyond_untouched(t, &t_pages, P + 100);
}

static int post_access(struct t_frwr *t)
{
	struct ib_fast_reg_wr wr;

	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_pages, DMA_BIDIRECTIONAL));
	t_fast_reg_wr(t, &wr, t->mr->iova, t->mr->length);
	wr.fast_reg.access_flags = IB_ACCESS_REMOTE_READ;
	T_TRY(ib_fast_reg_post_send(t->owner->qp, &wr.reg.wr, NULL));
	T_EXPECT(t_wait(&t->owner->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_frwr_rdma(t, IB_WR_RDMA_WRITE, t->mr->iova, t->mr->rkey, 64),
		 IB_WC_REM_ACCESS_ERR);
	return t_list_untouched(t);
}

/*
 * Registrations that are refused before they are posted. The MR can be registered
 * afterwards.
 */
static int post_bad(struct t_frwr *t)
{
	const struct ib_send_wr *bad = NULL;
	struct ib_fast_reg_wr wr;
	struct ib_rdma_wr write;
	struct ib_sge sge;

	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_pages, DMA_FROM_DEVICE));
	t_write_wr(&write, &sge, t->owner, 9);
	write.wr.num_sge = 0;
	write.wr.next = &wr.reg.wr;
	t_fast_reg_wr(t, &wr, t->mr->iova + 1, t->mr->length);
	T_EXPECT(ib_fast_reg_post_send(t->owner->qp, &write.wr, &bad), -EINVAL);
	T_EXPECT(bad == &write.wr, 1);
	t_fast_reg_wr(t, &wr, t->mr->iova, t->mr->length);
	wr.fast_reg.mr = t->owner->mr[0];
	T_EXPECT(ib_fast_reg_post_send(t->owner->qp, &write.wr, &bad), -EINVAL);
	wr.fast_reg.mr = NULL;
	T_EXPECT(ib_fast_reg_post_send(t->owner->qp, &write.wr, &bad), -EINVAL);
	wr.fast_reg.mr = t->mr;
	wr.fast_reg.access_flags = IB_ACCESS_REMOTE_READ;
	T_EXPECT(ib_fast_reg_post_send(t->owner->qp, &write.wr, &bad), -EINVAL);
	T_TRY(t_settle(&t->owner->sq));
	T_EXPECT(t->owner->sq.nr, 0);

	t_fast_reg_wr(t, &wr, t->mr->iova, t->mr->length);
	T_TRY(ib_fast_reg_post_send(t->owner->qp, &write.wr, NULL));
	T_EXPECT(t_wait(&t->owner->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&t->owner->sq, 9), IB_WC_SUCCESS);
	T_EXPECT(ib_fast_reg_post_send(t->owner->qp, &wr.reg.wr, NULL), -EBUSY);
	T_TRY(t_peer_writes(t, 2 * P, 1));
	T_TRY(t_frwr_close(t));
	return t_list_check(t, &t_pages, 2 * P, 1);
}

/*
 * The driver refuses the work request in front of the registration. The MR stays SET.
 */
static int post_behind_bad(struct t_frwr *t)
{
	const struct ib_send_wr *bad = NULL;
	struct ib_fast_reg_wr wr;
	struct ib_rdma_wr write;
	struct ib_sge sge;

	T_TRY(t_list_set(t, T_FORM_PAGES, &t_pages, DMA_FROM_DEVICE));
	t_write_wr(&write, &sge, t->owner, 9);
	write.wr.num_sge = 200;
	write.wr.next = &wr.reg.wr;
	t_fast_reg_wr(t, &wr, t->mr->iova, t->mr->length);
	T_EXPECT(ib_fast_reg_post_send(t->owner->qp, &write.wr, &bad) < 0, 1);
	T_EXPECT(bad == &write.wr, 1);
	T_EXPECT(ib_mr_unset(t->mr), 0);
	T_TRY(t_expect_mapped(t, 0));
	/* only ib_post_send() of mlx5_ibx supports the opcode; rxe does not check opcodes */
	if (t_has_hook(t) || t->owner->dev->ops.driver_id == RDMA_DRIVER_RXE)
		return 0;
	T_TRY(t_list_set(t, T_FORM_PAGES, &t_pages, DMA_FROM_DEVICE));
	t_fast_reg_wr(t, &wr, t->mr->iova, t->mr->length);
	T_EXPECT(ib_post_send(t->owner->qp, &wr.reg.wr, NULL) < 0, 1);
	T_EXPECT(ib_mr_unset(t->mr), 0);
	return 0;
}

/* ---- IB_WR_FAST_REG_MR by ib_post_send(), which mlx5_ibx supports ---- */

/* a WRITE without data, a registration, and another WRITE, in one chain */
struct t_chain {
	struct ib_rdma_wr first;
	struct ib_fast_reg_wr reg;
	struct ib_rdma_wr last;
	struct ib_sge sge;
	const struct ib_send_wr *bad;
};

static void t_chain_init(struct t_frwr *t, struct t_chain *c)
{
	c->bad = NULL;
	t_write_wr(&c->first, &c->sge, t->owner, 8);
	c->first.wr.num_sge = 0;
	c->first.wr.next = &c->reg.wr;
	t_fast_reg_wr(t, &c->reg, 0x4560000, t->mr->length);
	c->reg.wr.wr_id = 9;
	t_write_wr(&c->last, &c->sge, t->owner, 10);
	c->last.wr.num_sge = 0;
	c->reg.wr.next = &c->last.wr;
}

/* checks a posted chain: three completions, and the address that the ULP has chosen for the MR */
static int t_chain_done(struct t_frwr *t)
{
	T_EXPECT(t_wait(&t->owner->sq, 8), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&t->owner->sq, 9), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&t->owner->sq, 10), IB_WC_SUCCESS);
	T_EXPECT(t->owner->sq.wc[9].opcode, IB_WC_REG_MR);
	T_EXPECT(t->mr->iova, 0x4560000);
	return 0;
}

static int post_send_example(struct t_frwr *t)
{
	struct ib_fast_reg_wr was;
	struct t_chain c;

	if (!t_has_hook(t))
		return 0;
	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_pages, DMA_FROM_DEVICE));
	t_chain_init(t, &c);
	was = c.reg;
	T_TRY(ib_post_send(t->owner->qp, &c.first.wr, &c.bad));
	T_EXPECT(memcmp(&c.reg, &was, sizeof(was)), 0);
	T_TRY(t_chain_done(t));
	T_TRY(t_peer_writes(t, 2 * P, 3));
	/* the MR is POSTED: the registration is refused, but the WRITE in front of it is posted */
	t_clear_counts(&t->owner->sq);
	T_EXPECT(ib_post_send(t->owner->qp, &c.first.wr, &c.bad), -EBUSY);
	T_EXPECT(c.bad == &c.reg.wr, 1);
	T_EXPECT(t_wait(&t->owner->sq, 8), IB_WC_SUCCESS);
	T_TRY(t_frwr_close(t));
	T_TRY(t_list_check(t, &t_pages, 2 * P, 3));
	/* the same work requests register the next list */
	T_TRY(t_list_set(t, T_FORM_PAGES, &t_pages, DMA_FROM_DEVICE));
	t_clear_counts(&t->owner->sq);
	T_TRY(ib_post_send(t->owner->qp, &c.first.wr, &c.bad));
	T_TRY(t_chain_done(t));
	T_TRY(t_peer_writes(t, 2 * P, 4));
	T_TRY(t_frwr_close(t));
	return t_list_check(t, &t_pages, 2 * P, 4);
}

/* the registration is refused with the errno of ib_init_fast_reg_wr(), and the MR is still SET */
static int t_post_send_refused(struct t_frwr *t, struct t_chain *c, int err)
{
	t_clear_counts(&t->owner->sq);
	T_EXPECT(ib_post_send(t->owner->qp, &c->first.wr, &c->bad), err);
	T_EXPECT(c->bad == &c->reg.wr, 1);
	T_EXPECT(t_wait(&t->owner->sq, 8), IB_WC_SUCCESS);
	T_TRY(t_settle(&t->owner->sq));
	T_EXPECT(t->owner->sq.nr, 1);
	return 0;
}

static int post_send_bad(struct t_frwr *t)
{
	struct ib_mr_init_attr attr = { IB_MR_TYPE_FAST_REG, 2, 0 };
	struct t_chain c;
	struct ib_mr *mr;

	if (!t_has_hook(t))
		return 0;
	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_pages, DMA_FROM_DEVICE));
	t_chain_init(t, &c);
	c.reg.fast_reg.iova++;
	T_TRY(t_post_send_refused(t, &c, -EINVAL));
	t_chain_init(t, &c);
	c.reg.fast_reg.length++;
	T_TRY(t_post_send_refused(t, &c, -EINVAL));
	c.reg.fast_reg.mr = t->owner->mr[0];
	T_TRY(t_post_send_refused(t, &c, -EINVAL));
	c.reg.fast_reg.mr = NULL;
	T_TRY(t_post_send_refused(t, &c, -EINVAL));
	/* an MR of the other device */
	mr = ib_create_mr(t->peer->pd, &attr);
	T_TRY(PTR_ERR_OR_ZERO(mr));
	c.reg.fast_reg.mr = mr;
	T_TRY(t_post_send_refused(t, &c, -EINVAL));
	T_EXPECT(ib_destroy_mr(mr), 0);
	/* ib_frwr accepts this work request, and the driver refuses it */
	t_chain_init(t, &c);
	c.reg.wr.send_flags |= IB_SEND_INLINE;
	T_TRY(t_post_send_refused(t, &c, -EINVAL));
	T_EXPECT(ib_mr_unset(t->mr), 0);
	return t_expect_mapped(t, 0);
}

/* if the send queue is full, the MR is SET again */
static int post_send_full(struct t_frwr *t)
{
	struct t_chain c;
	int i, n = 0;

	if (!t_has_hook(t))
		return 0;
	T_TRY(t_list_set(t, T_FORM_BIOVEC, &t_pages, DMA_FROM_DEVICE));
	t_chain_init(t, &c);
	c.first.wr.next = NULL;
	/* fill the send queue, without polling */
	for (i = 0; i < T_WRS; i++) {
		if (ib_post_send(t->owner->qp, &c.first.wr, &c.bad))
			break;
		n++;
	}
	T_EXPECT(n < T_WRS, 1);
	T_EXPECT(ib_post_send(t->owner->qp, &c.reg.wr, &c.bad), -ENOMEM);
	T_EXPECT(c.bad == &c.reg.wr, 1);
	return ib_mr_unset(t->mr);
}

/* ---- max_reg_descs of the example: number of elements that are longer than a page ---- */

static int post_long_elements(struct t_frwr *t)
{
	static const struct t_list two = {
		.name = "two of two pages", .part = { { 0, 2 * P }, { 4 * P, 2 * P } },
	};
	static const struct t_list bound = {
		.name = "bound of a page", .part = { { 0, 2 * P }, { 5 * P, 2 * P } },
	};
	struct ib_fast_reg_wr wr;

	/* siw has only PAGE_SIZE, so its MR does not take long elements */
	if (!(t->owner->dev->attrs.page_size_cap & (2 * P))) {
		T_EXPECT(t_list_set(t, T_FORM_SG, &two, DMA_FROM_DEVICE), -ENOSPC);
		return 0;
	}
	T_EXPECT(t_list_set(t, T_FORM_SG, &bound, DMA_FROM_DEVICE), -ENOSPC);
	t_list_unmap(t);
	T_TRY(t_list_set(t, T_FORM_SG, &two, DMA_BIDIRECTIONAL));
	t_fast_reg_wr(t, &wr, t->mr->iova + P, t->mr->length);
	T_EXPECT(ib_fast_reg_post_send(t->owner->qp, &wr.reg.wr, NULL), -EINVAL);
	t_fast_reg_wr(t, &wr, 0x1230000 + t->mr->iova % (2 * P), t->mr->length);
	t_clear_counts(&t->owner->sq);
	T_TRY(ib_fast_reg_post_send(t->owner->qp, &wr.reg.wr, NULL));
	T_EXPECT(t_wait(&t->owner->sq, 0), IB_WC_SUCCESS);
	T_TRY(t_peer_writes(t, 4 * P, 7));
	T_TRY(t_peer_reads(t, 4 * P, 7));
	T_TRY(t_frwr_close(t));
	t_list_unmap(t);
	T_TRY(t_list_check(t, &two, 4 * P, 7));
	/* the same MR takes bio_vecs, and then pages of PAGE_SIZE */
	T_TRY(t_list_set(t, T_FORM_BIOVEC, &two, DMA_BIDIRECTIONAL));
	T_TRY(t_frwr_open(t));
	T_TRY(t_peer_writes(t, 4 * P, 8));
	T_TRY(t_frwr_close(t));
	T_TRY(t_list_check(t, &two, 4 * P, 8));
	T_TRY(t_list_set(t, T_FORM_PAGES, &t_pages, DMA_FROM_DEVICE));
	T_TRY(t_frwr_open(t));
	T_TRY(t_peer_writes(t, 2 * P, 9));
	T_TRY(t_frwr_close(t));
	return t_list_check(t, &t_pages, 2 * P, 9);
}

const struct t_case t_frwr_post_cases[] = {
	T_FRWR(post_example, 0, 0),
	T_FRWR(post_length, 2, 0),
	T_FRWR(post_access, 2, 0),
	T_FRWR(post_bad, 2, 0),
	T_FRWR(post_behind_bad, 2, 0),
	T_FRWR(post_send_example, 2, 0),
	T_FRWR(post_send_bad, 2, 0),
	T_FRWR(post_send_full, 2, 0),
	T_FRWR(post_long_elements, 2, 0),
	{ }
};
