// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Common functions of the suites that test registration contexts: a context of end 0, its requests,
 * and accesses of end 1.
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "frwr_ctx.h"

#define T_MADE		(T_WRS - 1)

static void t_released(struct ib_frwr_req *req)
{
	WRITE_ONCE(container_of(req, struct t_lent, req)->released, true);
}

static void t_available(void *priv)
{
	struct t_ctx *c = priv;

	atomic_inc(&c->available);
}

static int t_ctx_create(struct t_ctx *c, struct t_end *e, u32 min, u32 max)
{
	const struct ib_frwr_attr attr = {
		.mr = { .mr_type = IB_MR_TYPE_FAST_REG, .max_reg_descs = T_PAGES,
			.create_flags = t_create_flags(e->dev) },
		.min_mrs = min,
		.max_mrs = max,
		.available = t_available,
		.priv = c,
	};
	int i;

	memset(c, 0, sizeof(*c));
	c->e = e;
	for (i = 0; i < T_LENT; i++)
		c->lent[i].req.released = t_released;
	c->frwr = ib_frwr_create(e->qp, &attr);
	return PTR_ERR_OR_ZERO(c->frwr);
}

/**
 * t_vecs() - describe the memory of a request
 * @e: end 0
 * @i: number of the request
 * @bv: T_VECS bio_vecs to fill in
 */
void t_vecs(struct t_end *e, int i, struct bio_vec *bv)
{
	void *buf = e->buf + 2 * i * PAGE_SIZE;

	bvec_set_virt(&bv[0], buf + 600, PAGE_SIZE - 600);
	bvec_set_virt(&bv[1], buf + PAGE_SIZE, PAGE_SIZE - 400);
}

/**
 * t_lend() - map the memory of a request
 * @c: registration context
 * @i: number of the request
 * @dir: direction of the peer's accesses
 *
 * Return: result of ib_frwr_map_biovec().
 */
int t_lend(struct t_ctx *c, int i, enum dma_data_direction dir)
{
	struct bio_vec bv[T_VECS];

	t_vecs(c->e, i, bv);
	c->lent[i].given_back = false;
	c->lent[i].released = false;
	return ib_frwr_map_biovec(c->frwr, &c->lent[i].req, bv, T_VECS, dir);
}

/**
 * t_give_back() - release a chain
 * @c: registration context
 * @i: number of the first request of the chain
 */
void t_give_back(struct t_ctx *c, int i)
{
	struct ib_frwr_req *req;

	for (req = &c->lent[i].req; req; req = req->next)
		container_of(req, struct t_lent, req)->given_back = true;
	if (ib_frwr_release(&c->lent[i].req) != -EINPROGRESS)
		t_released(&c->lent[i].req);
}

/**
 * t_post_and_wait() - register the memory of a chain
 * @c: registration context
 * @i: number of the first request of the chain
 *
 * Registrations are unsignaled. A WRITE of 0 bytes behind them has a completion.
 *
 * Return: 0 or -EIO.
 */
int t_post_and_wait(struct t_ctx *c, int i)
{
	struct ib_rdma_wr write = {
		.wr = {
			.wr_id = T_MADE,
			.opcode = IB_WR_RDMA_WRITE,
			.send_flags = IB_SEND_SIGNALED,
		},
	};

	T_TRY(ib_frwr_post(&c->lent[i].req, &write.wr, NULL));
	T_EXPECT(t_wait(&c->e->sq, T_MADE), IB_WC_SUCCESS);
	c->e->sq.seen[T_MADE] = 0;
	return 0;
}

/**
 * t_wait_released() - wait until the release of a chain is complete
 * @c: registration context
 * @i: number of the first request of the chain
 *
 * Return: 0 or -EIO.
 */
int t_wait_released(struct t_ctx *c, int i)
{
	return t_wait_set(&c->e->sq, &c->lent[i].released);
}

/**
 * t_wait_available() - wait for a call of ib_frwr_attr.available
 * @c: registration context
 *
 * Return: 0 or -EIO.
 */
int t_wait_available(struct t_ctx *c)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);

	while (!atomic_read(&c->available)) {
		T_TRY(t_collect(&c->e->sq));
		if (time_after(jiffies, end))
			return T_FAIL("no MR becomes available");
		usleep_range(100, 200);
	}
	atomic_set(&c->available, 0);
	return 0;
}

/**
 * t_ctx_rdma() - RDMA between the buffer of end 1 and all memory of a request
 * @p: pair of the case
 * @req: request, with the key and the address
 * @id: wr_id of end 1's work request
 * @op: RDMA READ or WRITE
 *
 * Return: status of the completion, or -EIO.
 */
int t_ctx_rdma(struct t_pair *p, const struct ib_frwr_req *req, u64 id,
	       enum ib_wr_opcode op)
{
	struct t_end *peer = &p->end[1];
	struct ib_sge sge = t_sge(peer, 0, req->length);

	return t_rdma(peer, id, op, &sge, req->iova, req->rkey);
}

static int t_read_on(struct t_pair *p, const struct ib_frwr_req *req, struct ib_qp *qp,
		     struct ib_qp *peer)
{
	struct ib_qp *was = p->end[1].qp;
	int ret;

	T_TRY(t_qp_connect(&p->end[0], qp, &p->end[1], peer->qp_num, &t_default_path));
	T_TRY(t_qp_connect(&p->end[1], peer, &p->end[0], qp->qp_num, &t_default_path));
	t_clear_counts(&p->end[1].sq);
	p->end[1].qp = peer;
	ret = t_ctx_rdma(p, req, 1, IB_WR_RDMA_READ);
	p->end[1].qp = was;
	return ret;
}

/**
 * t_read_elsewhere() - READ with the key of a request, on two new QPs of the same PDs
 * @p: pair of the case, whose QPs may be in ERR
 * @req: request, with the key and the address
 *
 * Return: status of the completion, or an error.
 */
int t_read_elsewhere(struct t_pair *p, const struct ib_frwr_req *req)
{
	struct t_end *e = &p->end[0], *f = &p->end[1];
	struct ib_qp *qp, *peer;
	int ret;

	qp = t_qp_create(e, e->sq.cq, e->rq.cq, p->opts);
	T_TRY(PTR_ERR_OR_ZERO(qp));
	peer = t_qp_create(f, f->sq.cq, f->rq.cq, p->opts);
	ret = PTR_ERR_OR_ZERO(peer);
	if (!ret) {
		ret = t_read_on(p, req, qp, peer);
		ib_destroy_qp(peer);
	}
	ib_destroy_qp(qp);
	return ret;
}

/**
 * t_lent_reads() - end 1 READs the memory of a request
 * @p: pair of the case
 * @c: registration context
 * @i: number of the request
 * @id: wr_id of end 1's work request
 *
 * Return: 0 or -EIO.
 */
int t_lent_reads(struct t_pair *p, struct t_ctx *c, int i, u64 id)
{
	t_fill(c->e, 2 * i * PAGE_SIZE + 600, T_PIECE, id);
	t_set(&p->end[1], T_GUARD);
	T_EXPECT(c->lent[i].req.length, T_PIECE);
	T_EXPECT(t_ctx_rdma(p, &c->lent[i].req, id, IB_WR_RDMA_READ), 0);
	return t_check_only(&p->end[1], 0, T_PIECE, id);
}

/* after a failed case: the QP enters ERR, and the requests are released */
static void t_take_back(struct t_pair *p, struct t_ctx *c)
{
	int i;

	t_move(p->end[0].qp, IB_QPS_ERR);
	t_settle(&p->end[0].sq);
	for (i = 0; i < T_LENT; i++) {
		if (!c->lent[i].req.mr)
			continue;
		if (!c->lent[i].given_back) {
			c->lent[i].req.next = NULL;
			t_give_back(c, i);
		}
		t_wait_released(c, i);
	}
}

/**
 * t_with_ctx() - run a case with a registration context of end 0
 * @p: pair of the case
 * @min: ib_frwr_attr.min_mrs
 * @max: ib_frwr_attr.max_mrs
 * @run: runs the case; the context is destroyed even if the case fails
 *
 * Return: result of @run, or an error of ib_frwr_create().
 */
int t_with_ctx(struct t_pair *p, u32 min, u32 max,
	       int (*run)(struct t_pair *p, struct t_ctx *c))
{
	struct t_ctx *c;
	int ret;

	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	ret = t_ctx_create(c, &p->end[0], min, max);
	if (ret) {
		t_log("cannot make a context: %d\n", ret);
		goto free;
	}
	ret = run(p, c);
	if (ret)
		t_take_back(p, c);
	if (ib_frwr_destroy(c->frwr))
		t_log("the context has requests, and is leaked\n");
free:
	kfree(c);
	return ret;
}

/**
 * t_ctx_run() - run a case with a registration context
 * @p: pair of the case, whose @arg is a struct t_ctx_case
 *
 * Return: as t_with_ctx().
 */
int t_ctx_run(struct t_pair *p)
{
	const struct t_ctx_case *c = p->arg;

	return t_with_ctx(p, c->min, c->max, c->run);
}
