// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registrations as the RFC has them: work requests IB_WR_FAST_REG_MR.
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

/* the example: create, set, post, invalidate, dereg; from scatterlists and from pages */
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

/* length and access flags that the ULP sets in the work request are those of the key */
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

/* refused before anything is posted: the MR can be registered afterwards */
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

/* a work request before it that the driver refuses: the MR is SET as before */
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
	/* the opcode is for one call only; rxe does not check opcodes */
	if (t->owner->dev->ops.driver_id == RDMA_DRIVER_RXE)
		return 0;
	T_TRY(t_list_set(t, T_FORM_PAGES, &t_pages, DMA_FROM_DEVICE));
	t_fast_reg_wr(t, &wr, t->mr->iova, t->mr->length);
	T_EXPECT(ib_post_send(t->owner->qp, &wr.reg.wr, NULL) < 0, 1);
	T_EXPECT(ib_mr_unset(t->mr), 0);
	return 0;
}

const struct t_case t_frwr_post_cases[] = {
	T_FRWR(post_example, 0, 0),
	T_FRWR(post_length, 2, 0),
	T_FRWR(post_access, 2, 0),
	T_FRWR(post_bad, 2, 0),
	T_FRWR(post_behind_bad, 2, 0),
	{ }
};
