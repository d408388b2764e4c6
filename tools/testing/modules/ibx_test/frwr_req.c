// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registration contexts: keys and addresses of requests, several requests
 * released together, and ib_frwr_abort() for requests of a QP in error.
 */
#include <linux/bvec.h>
#include <linux/completion.h>
#include <linux/delay.h>

#include "frwr_ctx.h"
#include "on_cq.h"

#define T_UPPER		0x12345678ULL	/* upper half of an iova */

/* maps and posts @n requests separately, as for several I/Os */
static int t_lend_each(struct t_ctx *c, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		c->lent[i].req.next = NULL;
		T_TRY(t_lend(c, i, DMA_TO_DEVICE));
		T_TRY(t_post_and_wait(c, i));
	}
	return 0;
}

/* end 0 sends the memory of a request by its lkey */
static int req_lkey(struct t_pair *p, struct t_ctx *c)
{
	struct ib_frwr_req *req = &c->lent[0].req;
	struct ib_send_wr send;
	struct ib_sge sge;

	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	sge = (struct ib_sge){ .addr = req->iova, .length = req->length, .lkey = req->lkey };
	t_fill(c->e, 600, T_PIECE, 3);
	t_set(&p->end[1], T_GUARD);
	T_TRY(t_post_recv(&p->end[1], 0));
	t_send_wr(&send, &sge, 0);
	T_TRY(ib_frwr_post(req, &send, NULL));
	T_EXPECT(t_wait(&c->e->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&p->end[1].rq, 0), IB_WC_SUCCESS);
	T_TRY(t_check_only(&p->end[1], 0, T_PIECE, 3));
	t_give_back(c, 0);
	return t_wait_released(c, 0);
}

/* the ULP chooses the upper half of the address that the peer uses */
static int req_iova(struct t_pair *p, struct t_ctx *c)
{
	struct ib_frwr_req *req = &c->lent[0].req;
	u64 was, iova;

	T_EXPECT(ib_frwr_set_iova(req, 0), -EINVAL);
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	was = req->iova;
	iova = T_UPPER << 32 | lower_32_bits(was);
	T_EXPECT(ib_frwr_set_iova(req, iova + 1), -EINVAL);
	T_EXPECT(ib_frwr_set_iova(req, (~0ULL << PAGE_SHIFT) + (was & ~PAGE_MASK)), -EINVAL);
	T_EXPECT(req->iova, was);
	T_TRY(ib_frwr_set_iova(req, iova));
	T_EXPECT(req->iova, iova);
	T_TRY(t_post_and_wait(c, 0));
	T_EXPECT(ib_frwr_set_iova(req, was), -EINVAL);
	T_TRY(t_lent_reads(p, c, 0, 1));
	/* the address from before ib_frwr_set_iova() is not valid with this key */
	req->iova = was;
	T_EXPECT(t_ctx_rdma(p, req, 2, IB_WR_RDMA_READ), IB_WC_REM_ACCESS_ERR);
	/* on iWARP the connection has ended, and the ULP moves the QP to ERR */
	if (t_is_iwarp(c->e))
		T_TRY(t_move(c->e->qp, IB_QPS_ERR));
	t_give_back(c, 0);
	return t_wait_released(c, 0);
}

/* a request cannot be released again until its release has completed; after that, it can */
static int req_release_twice(struct t_pair *p, struct t_ctx *c)
{
	struct ib_frwr_req *req = &c->lent[0].req;

	T_TRY(t_lend_each(c, 1));
	c->lent[0].given_back = true;
	T_EXPECT(ib_frwr_release(req), -EINPROGRESS);
	T_EXPECT(ib_frwr_release(req), -EBUSY);
	T_EXPECT(t_lend(c, 0, DMA_TO_DEVICE), -EBUSY);
	T_EXPECT(ib_frwr_post(req, NULL, NULL), -EINVAL);
	T_TRY(t_wait_released(c, 0));
	T_EXPECT(ib_frwr_release(req), 0);
	/* no key is valid: the release completes at once, and released() is not called */
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_EXPECT(ib_frwr_release(req), 0);
	T_EXPECT(c->lent[0].released, false);
	return 0;
}

/*
 * Requests of several I/Os are linked and released together, with one completion.
 * The first request of the chain may be unmapped.
 */
static int req_linked(struct t_pair *p, struct t_ctx *c)
{
	int i;

	T_TRY(t_lend_each(c, 3));
	T_TRY(t_settle(&c->e->sq));
	c->e->sq.called = 0;
	c->lent[3].req.next = &c->lent[0].req;
	for (i = 0; i < 2; i++)
		c->lent[i].req.next = &c->lent[i + 1].req;
	t_give_back(c, 3);
	T_TRY(t_wait_released(c, 3));
	T_TRY(t_settle(&c->e->sq));
	T_EXPECT(c->e->sq.called, 1);
	for (i = 0; i < 3; i++) {
		T_EXPECT(c->lent[i].req.mr ? 1 : 0, 0);
		T_EXPECT(t_read_elsewhere(p, &c->lent[i].req), IB_WC_REM_ACCESS_ERR);
	}
	return 0;
}

/*
 * Errors of a ULP: a map of a mapped request, a post before the map, a second post,
 * and ib_frwr_destroy() before the release.
 */
static int req_misuse(struct t_pair *p, struct t_ctx *c)
{
	struct ib_frwr_req *req = &c->lent[0].req;
	u32 rkey;

	T_EXPECT(ib_frwr_post(req, NULL, NULL), -EINVAL);
	T_EXPECT(ib_frwr_release(req), 0);
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	rkey = req->rkey;
	T_EXPECT(t_lend(c, 0, DMA_TO_DEVICE), -EBUSY);
	T_EXPECT(req->rkey, rkey);
	T_EXPECT(ib_frwr_destroy(c->frwr), -EBUSY);
	T_TRY(t_post_and_wait(c, 0));
	T_EXPECT(ib_frwr_post(req, NULL, NULL), -EINVAL);
	T_EXPECT(t_lend(c, 0, DMA_TO_DEVICE), -EBUSY);
	T_EXPECT(ib_frwr_destroy(c->frwr), -EBUSY);
	T_TRY(t_lent_reads(p, c, 0, 1));
	c->lent[0].given_back = true;
	T_EXPECT(ib_frwr_release(req), -EINPROGRESS);
	T_EXPECT(ib_frwr_destroy(c->frwr), -EBUSY);
	return t_wait_released(c, 0);
}

static int with_two(struct t_pair *p, struct t_ctx *c, struct ib_frwr *other)
{
	struct ib_frwr_req *req = &c->lent[0].req, foreign = { };
	struct bio_vec bv[T_VECS];

	t_vecs(c->e, 1, bv);
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_TRY(ib_frwr_map_biovec(other, &foreign, bv, T_VECS, DMA_TO_DEVICE));
	req->next = &foreign;
	T_EXPECT(ib_frwr_post(req, NULL, NULL), -EINVAL);
	T_EXPECT(ib_frwr_release(req), -EINVAL);
	req->next = NULL;
	T_EXPECT(ib_frwr_release(&foreign), 0);
	/* all requests of a chain must use the context that maps the first request */
	req->next = &foreign;
	T_EXPECT(ib_frwr_release(req), 0);
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_EXPECT(ib_frwr_map_biovec(other, &foreign, bv, T_VECS, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_frwr_release(req), 0);
	return 0;
}

/* the requests of one chain cannot use two contexts */
static int req_two_contexts(struct t_pair *p, struct t_ctx *c)
{
	const struct ib_frwr_attr attr = {
		.mr = { .mr_type = IB_MR_TYPE_FAST_REG, .max_reg_descs = T_PAGES,
			.create_flags = t_create_flags(c->e->dev) },
		.min_mrs = 2,
		.max_mrs = 2,
	};
	struct ib_frwr *other = ib_frwr_create(c->e->qp, &attr);
	int ret;

	T_TRY(PTR_ERR_OR_ZERO(other));
	ret = with_two(p, c, other);
	ib_frwr_destroy(other);
	return ret;
}

/*
 * ---- ib_frwr_abort() ----
 *
 * Request 0 is mapped only, 1 is posted, 2 is being released, 3 was invalidated by the peer.
 */

static int t_lend_all_ways(struct t_pair *p, struct t_ctx *c)
{
	struct ib_send_wr inv = {
		.opcode = IB_WR_SEND_WITH_INV,
		.send_flags = IB_SEND_SIGNALED,
	};

	T_TRY(t_lend_each(c, T_LENT));
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	inv.ex.invalidate_rkey = c->lent[3].req.rkey;
	T_TRY(t_post_recv(&p->end[0], 0));
	T_TRY(ib_post_send(p->end[1].qp, &inv, NULL));
	T_EXPECT(t_wait(&p->end[0].rq, 0), 0);
	T_TRY(ib_frwr_remote_inv(&c->lent[3].req, &p->end[0].rq.wc[0]));
	T_TRY(t_move(c->e->qp, IB_QPS_ERR));
	t_give_back(c, 2);
	/* drain the QP */
	return t_settle(&c->e->sq);
}

static int t_expect_aborted(struct t_pair *p, struct t_ctx *c, int err)
{
	int i;

	T_EXPECT(c->lent[2].released, true);
	T_EXPECT(c->lent[1].released || c->lent[3].released, false);
	for (i = 0; i < T_LENT; i++) {
		if (i == 2)
			continue;
		T_EXPECT(ib_frwr_release(&c->lent[i].req), 0);
		T_EXPECT(c->lent[i].req.mr ? 1 : 0, 0);
		T_EXPECT(c->lent[i].req.err, i == 1 ? err : 0);
	}
	T_EXPECT(t_read_elsewhere(p, &c->lent[1].req),
		 err ? IB_WC_SUCCESS : IB_WC_REM_ACCESS_ERR);
	T_EXPECT(t_read_elsewhere(p, &c->lent[2].req), IB_WC_REM_ACCESS_ERR);
	/* ib_frwr_abort() has posted no work request */
	T_TRY(t_settle(&c->e->sq));
	return 0;
}

static int ctx_abort(struct t_pair *p, struct t_ctx *c)
{
	unsigned int called;

	T_TRY(t_lend_all_ways(p, c));
	called = c->e->sq.called;
	ib_frwr_abort(c->frwr);
	T_TRY(t_expect_aborted(p, c, 0));
	T_EXPECT(c->e->sq.called, called);
	/* the pool has MRs again; a second abort finds no request to abort */
	ib_frwr_abort(c->frwr);
	T_EXPECT(t_lend(c, 0, DMA_TO_DEVICE), 0);
	T_EXPECT(t_lend(c, 1, DMA_TO_DEVICE), 0);
	T_EXPECT(t_lend(c, 2, DMA_TO_DEVICE), -EAGAIN);
	T_TRY(t_wait_available(c));
	T_EXPECT(t_lend(c, 2, DMA_TO_DEVICE), 0);
	ib_frwr_abort(c->frwr);
	return ib_frwr_release(&c->lent[0].req) ?: ib_frwr_release(&c->lent[1].req) ?:
	       ib_frwr_release(&c->lent[2].req);
}

static int t_refuse_to_dereg(struct ib_mr *mr, struct ib_udata *udata)
{
	return -EIO;
}

/* dereg_mr() fails during ib_frwr_abort(): req->err is set, and the keys stay valid */
static int ctx_abort_refused(struct t_pair *p, struct t_ctx *c)
{
	struct ib_device *dev = c->e->dev;
	int (*real)(struct ib_mr *mr, struct ib_udata *udata) = dev->ops.dereg_mr;

	T_TRY(t_lend_all_ways(p, c));
	T_TRY(t_wait_released(c, 2));
	dev->ops.dereg_mr = t_refuse_to_dereg;
	ib_frwr_abort(c->frwr);
	dev->ops.dereg_mr = real;
	return t_expect_aborted(p, c, -EIO);
}

/*
 * An aborted request that is not released is linked behind another request. The
 * map of the other request fails.
 */
static int ctx_abort_linked(struct t_pair *p, struct t_ctx *c)
{
	struct ib_frwr_req *req = &c->lent[0].req;

	T_TRY(t_lend_each(c, 2));
	T_TRY(t_move(c->e->qp, IB_QPS_ERR));
	T_TRY(t_settle(&c->e->sq));
	ib_frwr_abort(c->frwr);
	T_EXPECT(ib_frwr_release(req), 0);
	req->next = &c->lent[1].req;
	T_EXPECT(t_lend(c, 0, DMA_TO_DEVICE), -EBUSY);
	T_EXPECT(req->mr || c->lent[1].req.mr, 0);
	T_EXPECT(ib_frwr_release(req), 0);
	/* both MRs are in the pool again */
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_TRY(t_lend(c, 1, DMA_TO_DEVICE));
	return ib_frwr_release(req);
}

/* the request is released after the QP was drained, so the CQ contains a flushed LOCAL_INV */
static int ctx_abort_released(struct t_pair *p, struct ib_qp *qp)
{
	const struct ib_frwr_attr attr = {
		.mr = { .mr_type = IB_MR_TYPE_FAST_REG, .max_reg_descs = T_PAGES,
			.create_flags = t_create_flags(qp->device) },
		.min_mrs = 1,
		.max_mrs = 1,
	};
	struct ib_frwr_req req = { };
	struct ib_frwr *frwr;
	int ret;

	T_TRY(t_pair_connect_qp(p, qp));
	frwr = ib_frwr_create(qp, &attr);
	T_TRY(PTR_ERR_OR_ZERO(frwr));
	ret = ib_frwr_map_sg(frwr, &req, p->end[0].sgl, T_PAGES, DMA_TO_DEVICE) ?:
	      ib_frwr_post(&req, NULL, NULL);
	ib_drain_qp(qp);
	if (!ret && ib_frwr_release(&req) != -EINPROGRESS)
		ret = T_FAIL("the release has not begun");
	ib_frwr_abort(frwr);
	if (!ret && req.mr)
		ret = T_FAIL("the release has not ended");
	if (!ret && t_read_elsewhere(p, &req) != IB_WC_REM_ACCESS_ERR)
		ret = T_FAIL("the key is valid");
	ib_frwr_destroy(frwr);
	return ret;
}

/* ---- ib_frwr_destroy() while ib_frwr_attr.available() maps ---- */

struct t_late {
	struct t_end *e;
	struct ib_frwr *frwr;
	struct ib_frwr_req req;
	struct completion called;
	int err;
};

static void t_map_late(void *priv)
{
	struct t_late *late = priv;

	complete(&late->called);
	msleep(100);
	late->err = ib_frwr_map_sg(late->frwr, &late->req, late->e->sgl, T_PAGES, DMA_TO_DEVICE);
}

/* available() maps a request with the only MR, so ib_frwr_destroy() returns -EBUSY */
static int t_destroy_early(struct t_late *late)
{
	struct ib_frwr_req req = { };

	T_TRY(ib_frwr_map_sg(late->frwr, &req, late->e->sgl, T_PAGES, DMA_TO_DEVICE));
	T_EXPECT(ib_frwr_map_sg(late->frwr, &late->req, late->e->sgl, T_PAGES, DMA_TO_DEVICE),
		 -EAGAIN);
	T_TRY(ib_frwr_release(&req));
	wait_for_completion(&late->called);
	T_EXPECT(ib_frwr_destroy(late->frwr), -EBUSY);
	T_TRY(late->err);
	T_TRY(ib_frwr_release(&late->req));
	return ib_frwr_destroy(late->frwr);
}

static int ctx_destroy_early(struct t_pair *p)
{
	struct t_late late = { .e = &p->end[0] };
	const struct ib_frwr_attr attr = {
		.mr = { .mr_type = IB_MR_TYPE_FAST_REG, .max_reg_descs = T_PAGES,
			.create_flags = t_create_flags(late.e->dev) },
		.min_mrs = 1,
		.max_mrs = 1,
		.available = t_map_late,
		.priv = &late,
	};

	init_completion(&late.called);
	late.frwr = ib_frwr_create(late.e->qp, &attr);
	T_TRY(PTR_ERR_OR_ZERO(late.frwr));
	return t_destroy_early(&late);
}

const struct t_case t_frwr_req_cases[] = {
	T_CTX(req_lkey, 1, 1),
	T_CTX(req_iova, 1, 1),
	T_CTX(req_release_twice, 1, 1),
	T_CTX(req_linked, 3, 3),
	T_CTX(req_misuse, 1, 1),
	T_CTX(req_two_contexts, 2, 2),
	T_CTX(ctx_abort, T_LENT, T_LENT),
	T_CTX(ctx_abort_refused, T_LENT, T_LENT),
	T_CTX(ctx_abort_linked, 4, 4),
	T_ON_CQ(ctx_abort_released),
	{ "ctx_destroy_early", ctx_destroy_early },
	{ }
};
