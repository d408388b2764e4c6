// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bad input: attributes out of range, unsupported kinds, full queues, wrong states.
 *
 * A provider must follow two rules. A verb with invalid arguments returns EINVAL (EOPNOTSUPP for
 * valid arguments that it does not support) and leaves no object. A chain of work requests stops at
 * the first one that is refused: bad_wr names this work request, all work requests before it were
 * posted and complete, and no later ones were posted.
 */
#include <linux/slab.h>

#include "compat.h"
#include "ibx_test.h"

#define T_CHAIN		(T_WRS - 8)
#define T_MANY_SGES	200

static int t_refusal(long err)
{
	return err == -EINVAL || err == -EOPNOTSUPP;
}

static int bad_cq(struct t_pair *p)
{
	struct ib_device *dev = p->end[0].dev;
	struct ib_cq_init_attr attrs[] = {
		{ .cqe = dev->attrs.max_cqe + 1 },
		{ .cqe = UINT_MAX },
		T_CQ_OF_0_CQES
		{ .cqe = 16, .flags = BIT(31) },
	};
	struct ib_cq *cq;
	int i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		cq = ib_create_cq(dev, NULL, NULL, NULL, &attrs[i]);
		if (!IS_ERR(cq)) {
			ib_destroy_cq(cq);
			return T_FAIL("row %d was accepted", i);
		}
		if (!t_refusal(PTR_ERR(cq)))
			return T_FAIL("row %d: %ld", i, PTR_ERR(cq));
	}
	return 0;
}

static int bad_cq_vector(struct t_pair *p)
{
	struct ib_cq_init_attr attr = { .cqe = 16, .comp_vector = 100000 };
	struct ib_cq *cq;

	cq = ib_create_cq(p->end[0].dev, NULL, NULL, NULL, &attr);
	if (!IS_ERR(cq)) {
		ib_destroy_cq(cq);
		return T_FAIL("vector 100000 was accepted");
	}
	T_EXPECT(t_refusal(PTR_ERR(cq)) || PTR_ERR(cq) == -ENOENT, 1);
	return 0;
}

static void t_qp_attr(struct ib_qp_init_attr *attr, struct t_end *e)
{
	*attr = (struct ib_qp_init_attr) {
		.send_cq = e->sq.cq,
		.recv_cq = e->rq.cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
}

static int bad_qp(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_qp_init_attr attrs[8];
	struct ib_qp *qp;
	int i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		t_qp_attr(&attrs[i], e);
	/*
	 * Sizes far beyond the limits, because stock mlx5_ib accepts slightly more
	 * than it reports. But not 1 << 24: in mlx5_ib the product with the WQE size
	 * overflows.
	 */
	attrs[0].cap.max_send_wr = 1 << 20;
	attrs[1].cap.max_recv_wr = 1 << 20;
	attrs[2].cap.max_send_sge = e->dev->attrs.max_send_sge + 1;
	attrs[3].cap.max_recv_sge = e->dev->attrs.max_recv_sge + 1;
	attrs[4].cap.max_inline_data = 1 << 20;
	attrs[5].qp_type = IB_QPT_RAW_IPV6;
	attrs[6].qp_type = IB_QPT_RAW_ETHERTYPE;
	attrs[7].create_flags = BIT(30);
	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		qp = ib_create_qp(e->pd, &attrs[i]);
		if (!IS_ERR(qp)) {
			ib_destroy_qp(qp);
			return T_FAIL("row %d was accepted", i);
		}
		/* some drivers return ENOMEM for a size that does not fit */
		if (!t_refusal(PTR_ERR(qp)) && !(i < 5 && PTR_ERR(qp) == -ENOMEM))
			return T_FAIL("row %d: %ld", i, PTR_ERR(qp));
	}
	return 0;
}

static int bad_mr(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	const struct {
		enum ib_mr_type type;
		u32 num;
	} rows[] = {
		{ IB_MR_TYPE_MEM_REG, e->dev->attrs.max_fast_reg_page_list_len + 1 },
		{ IB_MR_TYPE_MEM_REG, U32_MAX },
		{ IB_MR_TYPE_USER, 4 },
		{ IB_MR_TYPE_DMA, 4 },
	};
	struct ib_mr *mr;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		mr = ib_alloc_mr(e->pd, rows[i].type, rows[i].num);
		if (!IS_ERR(mr)) {
			ib_dereg_mr(mr);
			return T_FAIL("row %d was accepted", i);
		}
		if (!t_refusal(PTR_ERR(mr)))
			return T_FAIL("row %d: %ld", i, PTR_ERR(mr));
	}
	return 0;
}

/*
 * an MR shorter than the list maps the first elements and returns their number
 */
static int small_mr(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_mr *mr;
	int n;

	mr = ib_alloc_mr(e->pd, IB_MR_TYPE_MEM_REG, T_PAGES / 2);
	if (IS_ERR(mr))
		return T_FAIL("ib_alloc_mr: %ld", PTR_ERR(mr));
	/* scattered, because a provider may merge a contiguous list into one entry */
	swap(sg_dma_address(&e->sgl[1]), sg_dma_address(&e->sgl[3]));
	swap(sg_dma_address(&e->sgl[4]), sg_dma_address(&e->sgl[6]));
	n = ib_map_mr_sg(mr, e->sgl, T_PAGES, NULL, PAGE_SIZE);
	ib_dereg_mr(mr);
	T_EXPECT(n, T_PAGES / 2);
	return 0;
}

/* a hole inside the list ends it: a MEM_REG MR cannot have holes */
static int gap_in_list(struct t_pair *p)
{
	struct t_end *e = &p->end[0];

	sg_dma_address(&e->sgl[3]) += 512;
	sg_dma_len(&e->sgl[3]) -= 512;
	T_EXPECT(ib_map_mr_sg(e->mr[0], e->sgl, T_PAGES, NULL, PAGE_SIZE), 3);
	return 0;
}

static int bad_modify(struct t_pair *p)
{
	struct ib_qp_attr init = {
		.qp_state = IB_QPS_INIT, .port_num = 1,
	};
	const int init_mask = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS;
	struct ib_qp_attr rts = { .qp_state = IB_QPS_RTS };
	struct ib_qp_init_attr attr;
	struct ib_qp *qp;
	int err[4];
	int i;

	t_qp_attr(&attr, &p->end[0]);
	qp = ib_create_qp(p->end[0].pd, &attr);
	if (IS_ERR(qp))
		return T_FAIL("ib_create_qp: %ld", PTR_ERR(qp));
	err[0] = ib_modify_qp(qp, &rts, IB_QP_STATE);		/* RESET to RTS */
	err[1] = ib_modify_qp(qp, &init, IB_QP_STATE);		/* required attributes missing */
	/* no bad port number: the core does not check it, and reads data beyond the last port */
	init.pkey_index = 0x7fff;
	err[2] = ib_modify_qp(qp, &init, init_mask);
	init.pkey_index = 0;
	err[3] = ib_modify_qp(qp, &init, init_mask | IB_QP_DEST_QPN);
	ib_destroy_qp(qp);
	for (i = 0; i < ARRAY_SIZE(err); i++)
		if (err[i] != -EINVAL)
			return T_FAIL("row %d: %d", i, err[i]);
	return 0;
}

/* QPs and SRQs that mlx5_ibx refuses without a command to the device */
static int bad_creations(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_srq_init_attr srq_attr = {
		.attr = { .max_wr = 4, .max_sge = 1 },
		.srq_type = IB_SRQT_TM,
		.ext.cq = e->sq.cq,
	};
	struct ib_qp_init_attr attrs[5];
	struct ib_qp *qp;
	struct ib_srq *srq;
	int i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		t_qp_attr(&attrs[i], e);
	attrs[0].send_cq = NULL;
	attrs[1].recv_cq = NULL;
	attrs[2].sq_sig_type = IB_SIGNAL_REQ_WR + 1;
	attrs[3].qp_type = IB_QPT_DRIVER;
	attrs[4].qp_type = IB_QPT_XRC_INI;
	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		qp = ib_create_qp(e->pd, &attrs[i]);
		if (!IS_ERR(qp)) {
			ib_destroy_qp(qp);
			return T_FAIL("row %d was accepted", i);
		}
		if (PTR_ERR(qp) != (i < 3 ? -EINVAL : -EOPNOTSUPP))
			return T_FAIL("row %d: %ld", i, PTR_ERR(qp));
	}
	srq = ib_create_srq(e->pd, &srq_attr);
	if (!IS_ERR(srq)) {
		ib_destroy_srq(srq);
		return T_FAIL("an SRQ for tag matching was created");
	}
	T_EXPECT(PTR_ERR(srq), -EOPNOTSUPP);
	T_EXPECT(ib_modify_device(e->dev, IB_DEVICE_MODIFY_SYS_IMAGE_GUID, NULL), -EOPNOTSUPP);
	return 0;
}

static void t_send_chain(struct ib_rdma_wr *wr, struct ib_sge *sge, struct t_end *e, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		t_write_wr(&wr[i], sge, e, i);
		wr[i].wr.opcode = IB_WR_SEND;
		wr[i].wr.next = i + 1 < n ? &wr[i + 1].wr : NULL;
	}
	sge->length = 64;
}

/* wr_id of the work request that bad_wr names */
static long t_bad_id(const struct ib_send_wr *bad)
{
	return bad ? (long)bad->wr_id : -1;
}

/* The peer posts receives, so all posted SENDs complete; no other work request completes. */
static int t_drain_sends(struct t_pair *p, int posted)
{
	int i;

	for (i = 0; i < posted; i++) {
		T_TRY(t_post_recv(&p->end[0], i));
		T_EXPECT(t_wait(&p->end[1].sq, i), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&p->end[0].rq, i), IB_WC_SUCCESS);
	}
	T_TRY(t_settle(&p->end[1].sq));
	T_EXPECT(p->end[1].sq.nr, posted);
	return 0;
}

static int t_full_send(struct t_pair *p, struct ib_rdma_wr *wr)
{
	struct t_end *e = &p->end[1];
	const struct ib_send_wr *bad = NULL;
	struct ib_sge sge;
	long id;

	t_send_chain(wr, &sge, e, T_CHAIN);
	T_EXPECT(ib_post_send(e->qp, &wr[0].wr, &bad), -ENOMEM);
	id = t_bad_id(bad);
	T_EXPECT(id >= T_DEPTH && id < T_CHAIN, 1);
	/* still full: the peer has no receive yet */
	T_EXPECT(ib_post_send(e->qp, bad, &bad), -ENOMEM);
	T_EXPECT(t_bad_id(bad), id);
	return t_drain_sends(p, id);
}

static int full_send_queue(struct t_pair *p)
{
	struct ib_rdma_wr *wr;
	int ret;

	wr = kcalloc(T_CHAIN, sizeof(*wr), GFP_KERNEL);
	if (!wr)
		return -ENOMEM;
	ret = t_full_send(p, wr);
	kfree(wr);
	return ret;
}

static int t_full_recv(struct t_pair *p, struct ib_recv_wr *wr)
{
	struct t_end *e = &p->end[0];
	const struct ib_recv_wr *bad = NULL;
	struct ib_sge sge = t_sge(e, 0, 64);
	int i;

	for (i = 0; i < T_CHAIN; i++)
		wr[i] = (struct ib_recv_wr) {
			.wr_id = i,
			.sg_list = &sge,
			.num_sge = 1,
			.next = i + 1 < T_CHAIN ? &wr[i + 1] : NULL,
		};
	T_EXPECT(ib_post_recv(e->qp, wr, &bad), -ENOMEM);
	T_EXPECT(bad && bad->wr_id >= T_DEPTH && bad->wr_id < T_CHAIN, 1);
	i = bad->wr_id;
	T_TRY(t_move(e->qp, IB_QPS_ERR));
	T_TRY(t_expect_flushed(&e->rq, 0, i - 1));
	T_EXPECT(e->rq.nr, i);
	return 0;
}

static int full_recv_queue(struct t_pair *p)
{
	struct ib_recv_wr *wr;
	int ret;

	wr = kcalloc(T_CHAIN, sizeof(*wr), GFP_KERNEL);
	if (!wr)
		return -ENOMEM;
	ret = t_full_recv(p, wr);
	kfree(wr);
	return ret;
}

static int t_chain_stops(struct t_pair *p, struct ib_rdma_wr *wr)
{
	const struct ib_send_wr *bad = NULL;
	int ret;

	ret = ib_post_send(p->end[1].qp, &wr[0].wr, &bad);
	T_EXPECT(t_refusal(ret), 1);
	T_EXPECT(t_bad_id(bad), 2);
	return t_drain_sends(p, 2);
}

static int too_many_sges(struct t_pair *p)
{
	struct ib_rdma_wr wr[5];
	struct ib_sge one, *many;
	int i, ret;

	many = kcalloc(T_MANY_SGES, sizeof(*many), GFP_KERNEL);
	if (!many)
		return -ENOMEM;
	t_send_chain(wr, &one, &p->end[1], ARRAY_SIZE(wr));
	for (i = 0; i < T_MANY_SGES; i++)
		many[i] = one;
	wr[2].wr.sg_list = many;
	wr[2].wr.num_sge = T_MANY_SGES;
	ret = t_chain_stops(p, wr);
	kfree(many);
	return ret;
}

/* an opcode that the providers tested here do not support */
static int unknown_opcode(struct t_pair *p)
{
	struct ib_rdma_wr wr[5];
	struct ib_sge sge;

	t_send_chain(wr, &sge, &p->end[1], ARRAY_SIZE(wr));
	wr[2].wr.opcode = IB_WR_LSO;
	return t_chain_stops(p, wr);
}

static int post_in_reset(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	const struct ib_send_wr *bad = NULL;
	struct ib_rdma_wr wr[2];
	struct ib_sge sge;

	T_TRY(t_move(e->qp, IB_QPS_RESET));
	t_send_chain(wr, &sge, e, ARRAY_SIZE(wr));
	T_EXPECT(ib_post_send(e->qp, &wr[0].wr, &bad), -EINVAL);
	T_EXPECT(t_bad_id(bad), 0);
	T_EXPECT(t_post_recv(e, 0), -EINVAL);
	T_TRY(t_settle(&e->sq));
	T_EXPECT(e->sq.nr, 0);
	return 0;
}

/* after RESET, a QP has no completions of work requests that were posted before */
static int reset_and_again(struct t_pair *p)
{
	struct ib_rdma_wr wr[2];
	struct ib_sge sge;
	int i;

	T_TRY(t_post_recv(&p->end[0], 50));
	for (i = 0; i < 2; i++) {
		T_TRY(t_move(p->end[i].qp, IB_QPS_ERR));
		T_TRY(t_move(p->end[i].qp, IB_QPS_RESET));
	}
	T_TRY(t_pair_connect(p));
	t_send_chain(wr, &sge, &p->end[1], ARRAY_SIZE(wr));
	T_TRY(ib_post_send(p->end[1].qp, &wr[0].wr, NULL));
	T_TRY(t_drain_sends(p, 2));
	T_EXPECT(t_wait(&p->end[0].rq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&p->end[0].rq, 1), IB_WC_SUCCESS);
	T_EXPECT(p->end[0].rq.wc[0].byte_len, 64);
	return 0;
}

const struct t_case t_badinput_cases[] = {
	{ "bad_cq", bad_cq },
	{ "bad_cq_vector", bad_cq_vector },
	{ "bad_qp", bad_qp },
	{ "bad_mr", bad_mr },
	{ "small_mr", small_mr },
	{ "gap_in_list", gap_in_list },
	{ "bad_modify", bad_modify },
	{ "bad_creations", bad_creations },
	{ "full_send_queue", full_send_queue },
	{ "full_recv_queue", full_recv_queue },
	{ "too_many_sges", too_many_sges },
	{ "unknown_opcode", unknown_opcode },
	{ "post_in_reset", post_in_reset },
	{ "reset_and_again", reset_and_again },
	{ }
};
