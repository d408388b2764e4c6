// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: registration contexts with protection information.
 *
 * The transfers of integrity.c, with a registration context of end 0. Either end 0 posts the RDMA
 * requests, as a target does, or end 1 posts RDMA requests to memory that end 0 has registered, as
 * for an initiator. In the second case, end 1 sends an empty message when it has finished.
 */
#include <linux/slab.h>
#include <rdma/ib_frwr_pi.h>

#include "integrity.h"

#define T_FPI_REQS	3
#define T_FPI_MADE	(T_WRS - 1)	/* wr_id of the WRITE in t_fpi_lend() */

/**
 * struct t_fpi_req - a request
 * @pi: the request
 * @given_back: the case has called ib_frwr_release()
 * @released: the release is complete
 */
struct t_fpi_req {
	struct ib_frwr_pi_req pi;
	bool given_back;
	bool released;
};

/**
 * struct t_fpi - a registration context with protection information
 * @p: pair of the case
 * @frwr: context of end 0
 * @reqs: requests of @frwr
 * @bvecs: lists are passed as bio_vecs, not as scatterlists
 * @stream: bytes of a transfer on the wire
 */
struct t_fpi {
	struct t_pair *p;
	struct ib_frwr *frwr;
	struct t_fpi_req reqs[T_FPI_REQS];
	bool bvecs;
	u8 stream[T_PI_STREAM];
};

static void t_fpi_released(struct ib_frwr_req *req)
{
	WRITE_ONCE(container_of(req, struct t_fpi_req, pi.req)->released, true);
}

static void t_fpi_attr(struct ib_frwr_attr *attr)
{
	*attr = (struct ib_frwr_attr) {
		.mr = { .mr_type = IB_MR_TYPE_INTEGRITY, .max_reg_descs = T_PI_BLOCKS,
			.max_meta_descs = T_PI_BLOCKS },
		.min_mrs = 1,
		.max_mrs = T_FPI_REQS,
	};
}

static struct ib_frwr_req *t_fpi_req(struct t_fpi *c, int i)
{
	return &c->reqs[i].pi.req;
}

static int t_fpi_map_bvecs(struct t_fpi *c, int i, struct t_pi_lists *l,
			   const struct ib_sig_attrs *attrs, enum dma_data_direction dir)
{
	struct bio_vec data[T_PI_BLOCKS], meta[T_PI_BLOCKS];
	const struct ib_frwr_pi_bvecs vecs = { data, l->data_nents, meta, l->meta_nents };
	int n;

	for (n = 0; n < l->data_nents; n++)
		bvec_set_virt(&data[n], sg_virt(&l->data[n]), l->data[n].length);
	for (n = 0; n < l->meta_nents; n++)
		bvec_set_virt(&meta[n], sg_virt(&l->meta[n]), l->meta[n].length);
	return ib_frwr_map_pi_biovec(c->frwr, &c->reqs[i].pi, &vecs, attrs, dir);
}

static int t_fpi_map(struct t_fpi *c, int i, const struct t_pi *k)
{
	const enum dma_data_direction dir = k->op == IB_WR_RDMA_WRITE ? DMA_TO_DEVICE :
									DMA_FROM_DEVICE;
	struct ib_frwr_pi_lists lists;
	struct ib_sig_attrs attrs;
	struct t_pi_lists l;

	t_pi_lists(&c->p->end[0], k, &l);
	lists = (struct ib_frwr_pi_lists) {
		.data = l.data, .data_nents = l.data_nents,
		.meta = l.meta_nents ? l.meta : NULL, .meta_nents = l.meta_nents,
	};
	t_pi_attrs(&attrs, k);
	c->reqs[i].given_back = false;
	c->reqs[i].released = false;
	if (c->bvecs)
		return t_fpi_map_bvecs(c, i, &l, &attrs, dir);
	return ib_frwr_map_pi(c->frwr, &c->reqs[i].pi, &lists, &attrs, dir);
}

/* Releases the chain of request @i. Return: the result of ib_frwr_release(). */
static int t_fpi_give_back(struct t_fpi *c, int i)
{
	struct ib_frwr_req *req;
	int ret;

	for (req = t_fpi_req(c, i); req; req = req->next)
		container_of(req, struct t_fpi_req, pi.req)->given_back = true;
	ret = ib_frwr_release(t_fpi_req(c, i));
	if (ret != -EINPROGRESS)
		t_fpi_released(t_fpi_req(c, i));
	return ret;
}

static int t_fpi_release(struct t_fpi *c, int i)
{
	T_EXPECT(t_fpi_give_back(c, i), -EINPROGRESS);
	return t_wait_set(&c->p->end[0].sq, &c->reqs[i].released);
}

/* checks the number of bytes for accesses of the peer and of end 0 */
static int t_fpi_lengths(const struct ib_frwr_pi_req *pi, const struct t_pi *k)
{
	T_EXPECT(pi->req.length, k->wire ? T_PI_STREAM : T_PI_DATA);
	T_EXPECT(pi->local_length, pi->req.length);
	return 0;
}

/* end 0 registers and moves the blocks: the registration and the RDMA request are one chain */
static int t_fpi_move(struct t_fpi *c, const struct t_pi *k)
{
	struct t_end *e = &c->p->end[0], *peer = &c->p->end[1];
	struct ib_frwr_pi_req *pi = &c->reqs[0].pi;
	struct ib_sge sge = {
		.addr = pi->req.iova,
		.length = pi->local_length,
		.lkey = pi->req.lkey,
	};
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_id = 2,
			.opcode = k->op,
			.send_flags = IB_SEND_SIGNALED,
			.sg_list = &sge,
			.num_sge = 1,
		},
		.remote_addr = peer->mr[0]->iova,
		.rkey = peer->mr[0]->rkey,
	};

	T_TRY(ib_frwr_post(&pi->req, &wr.wr, NULL));
	T_EXPECT(t_wait(&e->sq, 2), IB_WC_SUCCESS);
	return 0;
}

/* Registrations are unsignaled. A WRITE of 0 bytes behind them has a completion. */
static int t_fpi_lend(struct t_fpi *c, int i)
{
	struct ib_rdma_wr write = {
		.wr = {
			.wr_id = T_FPI_MADE,
			.opcode = IB_WR_RDMA_WRITE,
			.send_flags = IB_SEND_SIGNALED,
		},
	};

	T_TRY(ib_frwr_post(t_fpi_req(c, i), &write.wr, NULL));
	T_EXPECT(t_wait(&c->p->end[0].sq, T_FPI_MADE), IB_WC_SUCCESS);
	t_clear_counts(&c->p->end[0].sq);
	return 0;
}

/* end 1 moves the blocks with the key of request @i */
static int t_fpi_peer_rdma(struct t_fpi *c, int i, const struct t_pi *k)
{
	struct ib_frwr_req *req = t_fpi_req(c, i);
	struct t_end *peer = &c->p->end[1];
	struct ib_sge sge = t_sge(peer, 0, req->length);

	t_clear_counts(&peer->sq);
	T_EXPECT(t_rdma(peer, 3,
			k->op == IB_WR_RDMA_WRITE ? IB_WR_RDMA_READ : IB_WR_RDMA_WRITE,
			&sge, req->iova, req->rkey), IB_WC_SUCCESS);
	return 0;
}

/* end 1 announces the end of the transfer by SEND or by SEND with invalidate */
static int t_fpi_peer_done(struct t_fpi *c, enum ib_wr_opcode op, u32 rkey)
{
	struct t_end *e = &c->p->end[0], *peer = &c->p->end[1];
	struct ib_send_wr done = {
		.wr_id = 4,
		.opcode = op,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = rkey,
	};

	t_clear_counts(&e->rq);
	T_TRY(t_post_recv(e, 4));
	T_TRY(ib_post_send(peer->qp, &done, NULL));
	T_EXPECT(t_wait(&e->rq, 4), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&peer->sq, 4), IB_WC_SUCCESS);
	return 0;
}

static int t_fpi_check(struct t_fpi *c, int i, const struct t_pi *k)
{
	const struct ib_frwr_pi_req *pi = &c->reqs[i].pi;

	T_EXPECT(pi->req.mr ? 1 : 0, 0);
	T_EXPECT(pi->req.status, IB_WC_SUCCESS);
	T_EXPECT(pi->req.err, 0);
	T_EXPECT(pi->status_err, 0);
	return t_pi_check_status(&pi->status, k);
}

static int t_fpi_transfer(struct t_fpi *c, const struct t_pi *k, bool by_peer)
{
	struct ib_frwr_pi_req *pi = &c->reqs[0].pi;
	u32 len = t_pi_prepare(c->p, k, c->stream);

	t_clear_counts(&c->p->end[0].sq);
	T_TRY(t_fpi_map(c, 0, k));
	T_TRY(t_fpi_lengths(pi, k));
	if (by_peer) {
		T_TRY(t_fpi_lend(c, 0));
		T_TRY(t_fpi_peer_rdma(c, 0, k));
		T_TRY(t_fpi_peer_done(c, IB_WR_SEND, 0));
	} else {
		T_TRY(t_fpi_move(c, k));
	}
	T_TRY(t_fpi_release(c, 0));
	t_sync(&c->p->end[0]);
	t_sync(&c->p->end[1]);
	T_TRY(t_fpi_check(c, 0, k));
	return k->spoil == T_PI_GOOD ? t_pi_arrived(c->p, k, c->stream, len) : 0;
}

/* after a failed case: move the QP to ERR, and release its requests */
static void t_fpi_take_back(struct t_fpi *c)
{
	int i;

	t_move(c->p->end[0].qp, IB_QPS_ERR);
	t_settle(&c->p->end[0].sq);
	for (i = 0; i < T_FPI_REQS; i++) {
		if (!t_fpi_req(c, i)->mr)
			continue;
		if (!c->reqs[i].given_back) {
			t_fpi_req(c, i)->next = NULL;
			t_fpi_give_back(c, i);
		}
		t_wait_set(&c->p->end[0].sq, &c->reqs[i].released);
	}
}

/* runs a case with a context whose MRs have @flags of enum ib_mr_create_flags */
static int t_with_fpi(struct t_pair *p, u32 flags, int (*run)(struct t_fpi *c))
{
	struct ib_frwr_attr attr;
	struct t_fpi *c;
	int i, ret;

	T_TRY(t_pi_open(p));
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	c->p = p;
	for (i = 0; i < T_FPI_REQS; i++)
		t_fpi_req(c, i)->released = t_fpi_released;
	t_fpi_attr(&attr);
	attr.min_mrs = T_FPI_REQS;
	attr.mr.create_flags = flags;
	c->frwr = ib_frwr_create(p->end[0].qp, &attr);
	if (IS_ERR(c->frwr)) {
		ret = T_FAIL("no context: %ld", PTR_ERR(c->frwr));
		goto free;
	}
	ret = run(c);
	if (ret)
		t_fpi_take_back(c);
	if (ib_frwr_destroy(c->frwr))
		ret = T_FAIL("the context has requests, and is leaked");
free:
	kfree(c);
	return ret;
}

struct t_fpi_case {
	int (*run)(struct t_fpi *c);
	u32 flags;
};

static int t_fpi_run(struct t_pair *p)
{
	const struct t_fpi_case *c = p->arg;

	return t_with_fpi(p, c->flags, c->run);
}

/* entry of the table of cases, for the function @name */
#define T_FPI(name, flags)						\
	{ #name, t_fpi_run, &t_pi_opts, &(const struct t_fpi_case){ name, flags } }

/* a transfer by RDMA requests of end 0, and a transfer by RDMA requests of end 1 */
static int t_fpi_both(struct t_fpi *c, const struct t_pi *k)
{
	int by_peer, ret = 0;

	for (by_peer = 0; by_peer < 2 && !ret; by_peer++) {
		ret = t_fpi_transfer(c, k, by_peer);
		if (!ret)
			continue;
		t_log("by end %d\n", by_peer);
		t_pi_log(k);
	}
	return ret;
}

static int t_fpi_good(struct t_fpi *c, bool between)
{
	static const enum ib_wr_opcode ops[] = { IB_WR_RDMA_WRITE, IB_WR_RDMA_READ };
	int domain, op, way, ret = 0;

	for (domain = 1; domain < 4 && !ret; domain++) {
		for (op = 0; op < ARRAY_SIZE(ops) && !ret; op++) {
			for (way = 0; way < 3 && !ret && (domain & 1 || !between); way++) {
				const struct t_pi k = {
					.mem = domain & 1, .between = between, .wire = domain & 2,
					.op = ops[op], .pieces = way ? 4 : 1, .gaps = way == 2,
				};

				ret = t_fpi_both(c, &k);
			}
		}
	}
	return ret;
}

/* all domains and both directions; data in one piece, in pages and in any pieces */
static int frwr_pi_good(struct t_fpi *c)
{
	return t_fpi_good(c, false);
}

/* protection information between the blocks, for both kinds of list; one block has a bad tag */
static int frwr_pi_between(struct t_fpi *c)
{
	const struct t_pi bad = {
		.mem = true, .between = true, .op = IB_WR_RDMA_WRITE, .pieces = 2,
		.spoil = T_PI_REF_TAG, .block = 3,
	};

	T_TRY(t_fpi_good(c, true));
	T_TRY(t_fpi_both(c, &bad));
	c->bvecs = true;
	return t_fpi_good(c, true);
}

/* maps bio_vecs with one error in them; @err is the expected errno */
static int t_fpi_refuses_bvecs(struct t_fpi *c, const struct ib_frwr_pi_bvecs *vecs, int err)
{
	const struct t_pi k = { .mem = true, .wire = true, .op = IB_WR_RDMA_WRITE };
	struct ib_sig_attrs attrs;

	t_pi_attrs(&attrs, &k);
	T_EXPECT(ib_frwr_map_pi_biovec(c->frwr, &c->reqs[0].pi, vecs, &attrs, DMA_TO_DEVICE), err);
	T_EXPECT(c->reqs[0].pi.req.mr ? 1 : 0, 0);
	return 0;
}

/* @n pieces of data of one block each; the protection information of all blocks is one piece */
static void t_fpi_blocks(struct t_end *e, struct bio_vec *data, struct bio_vec *meta, int n)
{
	int i;

	for (i = 0; i < n; i++)
		bvec_set_virt(&data[i], e->buf + i * 2 * T_PI_BLOCK, T_PI_BLOCK);
	bvec_set_virt(meta, e->buf + 4 * PAGE_SIZE, n * 8);
}

static int bad_bvecs(struct t_fpi *c)
{
	struct bio_vec data[T_PI_BLOCKS + 1], meta;
	struct ib_frwr_pi_bvecs vecs = { data, T_PI_BLOCKS + 1, &meta, 1 };

	t_fpi_blocks(&c->p->end[0], data, &meta, T_PI_BLOCKS + 1);
	T_TRY(t_fpi_refuses_bvecs(c, &vecs, -ENOSPC));
	/* too much protection information, and no protection information */
	vecs.data_vcnt = T_PI_BLOCKS;
	T_TRY(t_fpi_refuses_bvecs(c, &vecs, -EINVAL));
	vecs.meta_vcnt = 0;
	T_TRY(t_fpi_refuses_bvecs(c, &vecs, -EINVAL));
	vecs.meta_vcnt = 1;
	meta.bv_len = 0;
	T_TRY(t_fpi_refuses_bvecs(c, &vecs, -EINVAL));
	vecs.data_vcnt = 0;
	T_TRY(t_fpi_refuses_bvecs(c, &vecs, -EINVAL));
	return 0;
}

/*
 * All domains, both directions and all lists are passed as bio_vecs. Then the peer
 * detects a bad tag.
 */
static int frwr_pi_bvecs(struct t_fpi *c)
{
	const struct t_pi bad = {
		.mem = true, .wire = true, .op = IB_WR_RDMA_WRITE, .pieces = 4, .gaps = true,
		.spoil = T_PI_REF_TAG, .block = 3,
	};

	T_TRY(bad_bvecs(c));
	c->bvecs = true;
	T_TRY(frwr_pi_good(c));
	T_TRY(t_fpi_transfer(c, &bad, true));
	T_TRY(bad_bvecs(c));
	/* the same MRs are used with lists that the ULP has mapped */
	c->bvecs = false;
	return frwr_pi_good(c);
}

/* a context that was created only for mapped lists refuses bio_vecs */
static int frwr_pi_sg_only(struct t_fpi *c)
{
	struct bio_vec data[1], meta;

	t_fpi_blocks(&c->p->end[0], data, &meta, 1);
	return t_fpi_refuses_bvecs(c, &(struct ib_frwr_pi_bvecs){ data, 1, &meta, 1 }, -EINVAL);
}

/* spoils each part of each block once; each time, a transfer without error follows */
static int t_fpi_bad(struct t_fpi *c, enum ib_wr_opcode op)
{
	int block, spoil, ret = 0;

	for (block = 0; block < T_PI_BLOCKS && !ret; block++) {
		for (spoil = T_PI_GUARD; spoil <= T_PI_BYTE && !ret; spoil++) {
			struct t_pi k = {
				.mem = true, .wire = true, .op = op, .pieces = 1 + block % 2,
				.spoil = spoil, .block = block,
			};

			/*
			 * for every second kind of error, the output domain has no
			 * signature
			 */
			if (spoil & 1 && op == IB_WR_RDMA_WRITE)
				k.wire = false;
			else if (spoil & 1)
				k.mem = false;
			ret = t_fpi_both(c, &k);
			k.spoil = T_PI_GOOD;
			if (!ret)
				ret = t_fpi_both(c, &k);
		}
	}
	return ret;
}

static int frwr_pi_bad_memory(struct t_fpi *c)
{
	return t_fpi_bad(c, IB_WR_RDMA_WRITE);
}

static int frwr_pi_bad_wire(struct t_fpi *c)
{
	return t_fpi_bad(c, IB_WR_RDMA_READ);
}

static const struct t_pi t_fpi_spoilt = {
	.mem = true, .wire = true, .op = IB_WR_RDMA_WRITE, .pieces = 2, .spoil = T_PI_BYTE,
	.block = 2,
};

static const struct t_pi t_fpi_unspoilt = {
	.mem = true, .wire = true, .op = IB_WR_RDMA_WRITE, .pieces = 2,
};

/* The peer READs a bad block, and invalidates the key: the release is complete at once. */
static int frwr_pi_remote_inv(struct t_fpi *c)
{
	struct ib_frwr_req *req = t_fpi_req(c, 0);

	t_pi_prepare(c->p, &t_fpi_spoilt, c->stream);
	T_TRY(t_fpi_map(c, 0, &t_fpi_spoilt));
	T_TRY(t_fpi_lend(c, 0));
	T_TRY(t_fpi_peer_rdma(c, 0, &t_fpi_spoilt));
	T_TRY(t_fpi_peer_done(c, IB_WR_SEND_WITH_INV, req->rkey));
	T_TRY(ib_frwr_remote_inv(req, &c->p->end[0].rq.wc[4]));
	T_EXPECT(t_fpi_give_back(c, 0), 0);
	T_TRY(t_fpi_check(c, 0, &t_fpi_spoilt));
	/* the error does not affect the next request of the MR */
	return t_fpi_both(c, &t_fpi_unspoilt);
}

/*
 * The QP enters ERR after a transfer of a bad block: the release reports both
 * errors.
 */
static int frwr_pi_broken(struct t_fpi *c)
{
	struct ib_frwr_pi_req *pi = &c->reqs[0].pi;

	t_pi_prepare(c->p, &t_fpi_spoilt, c->stream);
	T_TRY(t_fpi_map(c, 0, &t_fpi_spoilt));
	T_TRY(t_fpi_move(c, &t_fpi_spoilt));
	T_TRY(t_move(c->p->end[0].qp, IB_QPS_ERR));
	T_TRY(t_fpi_release(c, 0));
	T_EXPECT(pi->req.status, IB_WC_WR_FLUSH_ERR);
	T_EXPECT(pi->req.err || pi->status_err, 0);
	return t_pi_check_status(&pi->status, &t_fpi_spoilt);
}

static int t_fpi_creates(struct t_pair *p, const struct ib_frwr_attr *attr)
{
	struct ib_frwr *frwr = ib_frwr_create(p->end[0].qp, attr);

	if (IS_ERR(frwr))
		return PTR_ERR(frwr);
	ib_frwr_destroy(frwr);
	return 0;
}

/*
 * The QP enters ERR while three requests exist: the peer has READ a bad block of
 * request 0, request 1 is posted, and request 2 is only mapped. ib_frwr_abort()
 * keeps the signature status of each request.
 */
static int frwr_pi_abort(struct t_fpi *c)
{
	struct t_end *e = &c->p->end[0];

	t_pi_prepare(c->p, &t_fpi_spoilt, c->stream);
	T_TRY(t_fpi_map(c, 0, &t_fpi_spoilt));
	T_TRY(t_fpi_lend(c, 0));
	T_TRY(t_fpi_peer_rdma(c, 0, &t_fpi_spoilt));
	T_TRY(t_fpi_peer_done(c, IB_WR_SEND, 0));
	T_TRY(t_fpi_map(c, 1, &t_fpi_spoilt));
	T_TRY(t_fpi_lend(c, 1));
	T_TRY(t_fpi_map(c, 2, &t_fpi_spoilt));
	T_TRY(t_move(e->qp, IB_QPS_ERR));
	/* drain the QP */
	T_TRY(t_settle(&e->sq));
	ib_frwr_abort(c->frwr);
	T_EXPECT(t_fpi_give_back(c, 0), 0);
	T_EXPECT(t_fpi_give_back(c, 1), 0);
	T_EXPECT(t_fpi_give_back(c, 2), 0);
	T_TRY(t_fpi_check(c, 0, &t_fpi_spoilt));
	T_TRY(t_fpi_check(c, 1, &t_fpi_unspoilt));
	T_TRY(t_fpi_check(c, 2, &t_fpi_unspoilt));
	/* no work request was posted */
	return t_settle(&e->sq);
}

/*
 * The device refuses the second CREATE_PSV: no context is created, and no
 * object is left.
 */
static int frwr_pi_refused_psv(struct t_pair *p)
{
	struct ib_frwr_attr attr;

	t_fpi_attr(&attr);
	attr.min_mrs = 2;
	T_EXPECT(t_fpi_creates(p, &attr), -EIO);
	return t_fpi_creates(p, &attr);
}

/*
 * Two requests are released together, and the second has a signature error. The
 * first request and a later request do not get this error.
 */
static int frwr_pi_chain(struct t_fpi *c)
{
	t_pi_prepare(c->p, &t_fpi_spoilt, c->stream);
	t_fpi_req(c, 0)->next = t_fpi_req(c, 1);
	T_TRY(t_fpi_map(c, 0, &t_fpi_spoilt));
	T_TRY(t_fpi_map(c, 1, &t_fpi_spoilt));
	T_TRY(t_fpi_lend(c, 0));
	T_TRY(t_fpi_peer_rdma(c, 1, &t_fpi_spoilt));
	T_TRY(t_fpi_peer_done(c, IB_WR_SEND, 0));
	T_TRY(t_fpi_release(c, 0));
	T_TRY(t_fpi_check(c, 0, &t_fpi_unspoilt));
	T_TRY(t_fpi_check(c, 1, &t_fpi_spoilt));
	t_fpi_req(c, 0)->next = NULL;
	T_TRY(t_fpi_both(c, &t_fpi_unspoilt));
	return t_fpi_both(c, &t_fpi_unspoilt);
}

/* maps lists with one error in them; @err is the expected errno */
static int t_fpi_refuses(struct t_fpi *c, const struct ib_frwr_pi_lists *l,
			 const struct ib_sig_attrs *attrs, int err)
{
	T_EXPECT(ib_frwr_map_pi(c->frwr, &c->reqs[0].pi, l, attrs, DMA_TO_DEVICE), err);
	T_EXPECT(c->reqs[0].pi.req.mr ? 1 : 0, 0);
	return 0;
}

static int frwr_pi_bad_lists(struct t_fpi *c)
{
	struct ib_frwr_pi_lists lists;
	struct ib_sig_attrs attrs;
	struct t_pi_lists l;

	t_pi_attrs(&attrs, &t_fpi_unspoilt);
	t_pi_lists(&c->p->end[0], &t_fpi_unspoilt, &l);
	lists = (struct ib_frwr_pi_lists){ l.data, 2, l.meta, 1 };
	T_TRY(t_fpi_refuses(c, &lists, &attrs, -EINVAL));
	/* the end of the list is not the end of a block and its protection information */
	lists.meta_nents = 0;
	T_TRY(t_fpi_refuses(c, &lists, &attrs, -EINVAL));
	lists.meta_nents = T_PI_BLOCKS + 1;
	T_TRY(t_fpi_refuses(c, &lists, &attrs, -ENOSPC));
	lists = (struct ib_frwr_pi_lists){ l.data, 1, l.meta, 2 };
	T_TRY(t_fpi_refuses(c, &lists, &attrs, -EINVAL));
	lists.data_nents = 0;
	T_TRY(t_fpi_refuses(c, &lists, &attrs, -EINVAL));
	lists.data_nents = 2;
	sg_dma_len(&l.data[1]) -= 1;
	T_TRY(t_fpi_refuses(c, &lists, &attrs, -EINVAL));
	sg_dma_len(&l.data[1]) += 1;
	attrs.mem.sig_type = IB_SIG_TYPE_NONE;
	T_TRY(t_fpi_refuses(c, &lists, &attrs, -EINVAL));
	lists.meta_nents = 0;
	attrs.wire.sig_type = IB_SIG_TYPE_NONE;
	T_TRY(t_fpi_refuses(c, &lists, &attrs, -EINVAL));
	/* the refused maps have not changed the pool: transfers still work */
	return t_fpi_both(c, &t_fpi_unspoilt);
}

/*
 * a context with protection information refuses maps without protection information; a context
 * without protection information refuses maps with protection information
 */
static int wrong_context(struct t_fpi *c)
{
	struct ib_frwr_req *req = t_fpi_req(c, 0);
	struct t_end *e = &c->p->end[0];
	struct bio_vec bv;

	bvec_set_virt(&bv, e->buf, PAGE_SIZE);
	T_EXPECT(ib_frwr_map_sg(c->frwr, req, e->sgl, 1, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_frwr_map_biovec(c->frwr, req, &bv, 1, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(req->mr ? 1 : 0, 0);
	T_TRY(t_fpi_map(c, 0, &t_fpi_unspoilt));
	T_EXPECT(t_fpi_map(c, 0, &t_fpi_unspoilt), -EBUSY);
	T_EXPECT(ib_frwr_set_iova(req, req->iova + PAGE_SIZE), -EINVAL);
	/* the request was not posted, so its release is complete at once */
	T_EXPECT(t_fpi_give_back(c, 0), 0);
	return t_fpi_both(c, &t_fpi_unspoilt);
}

static int frwr_pi_wrong_context(struct t_pair *p)
{
	struct ib_frwr_attr attr = {
		.mr = { .mr_type = IB_MR_TYPE_FAST_REG, .max_reg_descs = 1 },
		.min_mrs = 1, .max_mrs = 1,
	};
	struct ib_frwr_pi_lists lists;
	struct ib_frwr_pi_req pi = { };
	struct ib_sig_attrs sig;
	struct ib_frwr *plain;
	struct t_pi_lists l;
	int ret;

	T_TRY(t_with_fpi(p, 0, wrong_context));
	plain = ib_frwr_create(p->end[0].qp, &attr);
	T_TRY(PTR_ERR_OR_ZERO(plain));
	t_pi_lists(&p->end[0], &t_fpi_unspoilt, &l);
	lists = (struct ib_frwr_pi_lists){ l.data, l.data_nents, l.meta, l.meta_nents };
	t_pi_attrs(&sig, &t_fpi_unspoilt);
	ret = ib_frwr_map_pi(plain, &pi, &lists, &sig, DMA_TO_DEVICE);
	T_EXPECT(ib_frwr_destroy(plain), 0);
	T_EXPECT(ret, -EINVAL);
	return 0;
}

/* bad attributes of a context; the QPs of the pair can register integrity MRs */
static int frwr_pi_attrs(struct t_pair *p)
{
	const u32 max = p->end[0].dev->attrs.max_pi_fast_reg_page_list_len;
	struct ib_frwr_attr attr;

	t_fpi_attr(&attr);
	T_EXPECT(PTR_ERR(ib_create_mr(p->end[0].pd, &attr.mr)), -EOPNOTSUPP);
	attr.mr.max_meta_descs = 0;
	T_EXPECT(t_fpi_creates(p, &attr), -EINVAL);
	attr.mr.max_meta_descs = max + 1;
	T_EXPECT(t_fpi_creates(p, &attr), -EINVAL);
	attr.mr.max_meta_descs = 1;
	attr.mr.max_reg_descs = max + 1;
	T_EXPECT(t_fpi_creates(p, &attr), -EINVAL);
	attr.mr.max_reg_descs = 1;
	T_EXPECT(t_fpi_creates(p, &attr), 0);
	attr.mr.mr_type = IB_MR_TYPE_FAST_REG;
	T_EXPECT(t_fpi_creates(p, &attr), -EINVAL);
	return 0;
}

/* any device refuses this context: the QPs of the pair cannot register integrity MRs */
static int frwr_pi_refused(struct t_pair *p)
{
	const bool has = p->end[0].dev->attrs.kernel_cap_flags & IBK_INTEGRITY_HANDOVER;
	struct ib_frwr_attr attr;

	t_fpi_attr(&attr);
	T_EXPECT(t_fpi_creates(p, &attr), has ? -EINVAL : -EOPNOTSUPP);
	return 0;
}

const struct t_case t_frwr_pi_cases[] = {
	T_FPI(frwr_pi_good, 0),
	T_FPI(frwr_pi_between, 0),
	T_FPI(frwr_pi_bvecs, 0),
	T_FPI(frwr_pi_sg_only, IB_MR_REG_SG_ONLY),
	T_FPI(frwr_pi_bad_memory, 0),
	T_FPI(frwr_pi_bad_wire, 0),
	T_FPI(frwr_pi_remote_inv, 0),
	T_FPI(frwr_pi_broken, 0),
	T_FPI(frwr_pi_abort, 0),
	{ "frwr_pi_refused_psv", frwr_pi_refused_psv, &t_pi_opts },
	T_FPI(frwr_pi_chain, 0),
	T_FPI(frwr_pi_bad_lists, 0),
	{ "frwr_pi_wrong_context", frwr_pi_wrong_context, &t_pi_opts },
	{ "frwr_pi_attrs", frwr_pi_attrs, &t_pi_opts },
	{ "frwr_pi_refused", frwr_pi_refused },
	{ }
};
