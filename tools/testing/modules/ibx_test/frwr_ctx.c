// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: registration contexts, and the example ULP. End 0 registers parts of
 * its buffer, which end 1 READs and WRITEs.
 */
#include <linux/blk_types.h>
#include <linux/delay.h>

#include "../../../../samples/frwr_initiator.h"
#include "compat.h"
#include "frwr_ctx.h"
#include "on_cq.h"

#define T_MANY		128		/* more work requests than the smallest send queue holds */
#define T_SLOTS		(2 * T_LENT + 2)

/* end 1 invalidates a key of end 0; the completion of end 0's receive reports the key */
static int t_peer_invalidates(struct t_pair *p, u64 id, u32 rkey, struct ib_wc *wc)
{
	struct ib_send_wr wr = {
		.wr_id = id,
		.opcode = IB_WR_SEND_WITH_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = rkey,
	};

	T_TRY(t_post_recv(&p->end[0], id));
	T_TRY(ib_post_send(p->end[1].qp, &wr, NULL));
	T_EXPECT(t_wait(&p->end[0].rq, id), 0);
	*wc = p->end[0].rq.wc[id];
	return t_wait(&p->end[1].sq, id);
}

static int ctx_local_inv(struct t_pair *p, struct t_ctx *c)
{
	struct ib_frwr_req *req = &c->lent[0].req;

	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_EXPECT(t_lend(c, 0, DMA_TO_DEVICE), -EBUSY);
	T_TRY(t_post_and_wait(c, 0));
	T_EXPECT(ib_frwr_post(req, NULL, NULL), -EINVAL);
	T_TRY(t_lent_reads(p, c, 0, 1));
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));
	/* the key is invalid: a READ with it moves the peer's QP to ERR */
	T_EXPECT(t_ctx_rdma(p, req, 2, IB_WR_RDMA_READ), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* a WRITE with a key for reading is refused */
static int ctx_read_only(struct t_pair *p, struct t_ctx *c)
{
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_TRY(t_post_and_wait(c, 0));
	t_set(&p->end[0], T_GUARD);
	T_EXPECT(t_ctx_rdma(p, &c->lent[0].req, 1, IB_WR_RDMA_WRITE), IB_WC_REM_ACCESS_ERR);
	T_TRY(t_untouched(&p->end[0], T_GUARD));
	t_give_back(c, 0);
	return t_wait_released(c, 0);
}

static int ctx_write_only(struct t_pair *p, struct t_ctx *c)
{
	T_TRY(t_lend(c, 0, DMA_FROM_DEVICE));
	T_TRY(t_post_and_wait(c, 0));
	t_set(&p->end[0], T_GUARD);
	t_fill(&p->end[1], 0, T_PIECE, 9);
	T_EXPECT(t_ctx_rdma(p, &c->lent[0].req, 1, IB_WR_RDMA_WRITE), 0);
	T_TRY(t_check_only(&p->end[0], 600, T_PIECE, 9));
	T_EXPECT(t_ctx_rdma(p, &c->lent[0].req, 2, IB_WR_RDMA_READ), IB_WC_REM_ACCESS_ERR);
	t_give_back(c, 0);
	return t_wait_released(c, 0);
}

/* three registrations and a SEND in one chain; the peer invalidates the one in the middle */
static int ctx_chain(struct t_pair *p, struct t_ctx *c)
{
	struct ib_sge sge = t_sge(&p->end[0], 0, 16);
	struct ib_send_wr send;
	struct ib_wc wc;
	int i;

	T_TRY(t_post_recv(&p->end[1], 0));
	for (i = 0; i < 3; i++) {
		T_TRY(t_lend(c, i, DMA_TO_DEVICE));
		c->lent[i].req.next = i < 2 ? &c->lent[i + 1].req : NULL;
	}
	t_send_wr(&send, &sge, 0);
	T_TRY(ib_frwr_post(&c->lent[0].req, &send, NULL));
	T_EXPECT(t_wait(&p->end[1].rq, 0), 0);
	T_EXPECT(t_wait(&p->end[0].sq, 0), 0);
	T_EXPECT(p->end[0].sq.nr, 1);
	for (i = 0; i < 3; i++)
		T_TRY(t_lent_reads(p, c, i, 1 + i));
	T_TRY(t_settle(&p->end[0].sq));
	T_EXPECT(p->end[0].sq.called, 0);

	T_TRY(t_peer_invalidates(p, 9, c->lent[1].req.rkey, &wc));
	/* a completion with an error does not count: the key must still be invalidated */
	wc.status = IB_WC_WR_FLUSH_ERR;
	T_TRY(ib_frwr_remote_inv(&c->lent[0].req, &wc));
	wc.status = IB_WC_SUCCESS;
	T_TRY(ib_frwr_remote_inv(&c->lent[0].req, &wc));
	/* no request has the key any longer */
	T_EXPECT(ib_frwr_remote_inv(&c->lent[0].req, &wc), -EINVAL);
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));
	/* the invalidations of the two remaining keys have one completion */
	T_TRY(t_settle(&p->end[0].sq));
	T_EXPECT(p->end[0].sq.called, 1);
	for (i = 0; i < 3; i++)
		T_EXPECT(c->lent[i].req.mr ? 1 : 0, 0);
	/* released() is called only for the first request of a chain */
	T_EXPECT(c->lent[1].released || c->lent[2].released, 0);
	for (i = 0; i < 3; i++)
		T_TRY(t_lend(c, i, DMA_TO_DEVICE));
	for (i = 0; i < 3; i++)
		c->lent[i].req.next = i < 2 ? &c->lent[i + 1].req : NULL;
	t_give_back(c, 0);
	T_EXPECT(c->lent[0].released, 1);
	return 0;
}

/* available() is called once when an empty pool has MRs again */
static int ctx_pool_empty(struct t_pair *p, struct t_ctx *c)
{
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_TRY(t_lend(c, 1, DMA_TO_DEVICE));
	T_EXPECT(t_lend(c, 2, DMA_TO_DEVICE), -EAGAIN);
	T_EXPECT(t_lend(c, 3, DMA_TO_DEVICE), -EAGAIN);
	msleep(100);
	T_EXPECT(atomic_read(&c->available), 0);
	T_TRY(ib_frwr_post(&c->lent[0].req, NULL, NULL));
	t_give_back(c, 0);
	T_TRY(t_wait_available(c));
	T_TRY(t_lend(c, 2, DMA_TO_DEVICE));
	t_give_back(c, 1);
	t_give_back(c, 2);
	msleep(100);
	T_EXPECT(atomic_read(&c->available), 0);
	return 0;
}

/*
 * Maps of chains of three, two and three requests fail. available() is called
 * once, when two MRs are free.
 */
static int ctx_chains_wait(struct t_pair *p, struct t_ctx *c)
{
	struct ib_frwr_req third = { };
	int i;

	for (i = 0; i < 2; i++) {
		T_TRY(t_lend(c, i, DMA_TO_DEVICE));
		c->lent[i].req.next = NULL;
	}
	c->lent[2].req.next = &c->lent[3].req;
	for (i = 0; i < 3; i++) {
		c->lent[3].req.next = i == 1 ? NULL : &third;
		T_EXPECT(t_lend(c, 2, DMA_TO_DEVICE), -EAGAIN);
	}
	c->lent[3].req.next = NULL;
	msleep(100);
	T_EXPECT(atomic_read(&c->available), 0);
	t_give_back(c, 0);
	T_TRY(t_wait_available(c));
	T_TRY(t_lend(c, 2, DMA_TO_DEVICE));
	T_TRY(t_lend(c, 3, DMA_TO_DEVICE));
	t_give_back(c, 1);
	t_give_back(c, 2);
	msleep(100);
	T_EXPECT(atomic_read(&c->available), 0);
	return 0;
}

/* an empty pool grows up to max_mrs */
static int ctx_pool_grows(struct t_pair *p, struct t_ctx *c)
{
	int i, err;

	for (i = 0; i < 3; i++) {
		err = t_lend(c, i, DMA_TO_DEVICE);
		if (err == -EAGAIN) {
			T_TRY(t_wait_available(c));
			err = t_lend(c, i, DMA_TO_DEVICE);
		}
		T_TRY(err);
		T_TRY(t_post_and_wait(c, i));
	}
	T_EXPECT(t_lend(c, 3, DMA_TO_DEVICE), -EAGAIN);
	msleep(100);
	T_EXPECT(t_lend(c, 3, DMA_TO_DEVICE), -EAGAIN);
	for (i = 0; i < 3; i++) {
		T_TRY(t_lent_reads(p, c, i, 1 + i));
		t_give_back(c, i);
		T_TRY(t_wait_released(c, i));
	}
	return 0;
}

/* if a map fails, the MR returns to the pool */
static int ctx_map_fails(struct t_pair *p, struct t_ctx *c)
{
	struct ib_frwr_req *req = &c->lent[0].req;
	unsigned int offset = PAGE_SIZE;
	struct bio_vec bv[T_VECS];

	t_vecs(c->e, 0, bv);
	bv[0].bv_len -= 8;
	T_EXPECT(ib_frwr_map_biovec(c->frwr, req, bv, T_VECS, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_frwr_map_biovec(c->frwr, req, bv, 0, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_frwr_map_biovec(c->frwr, req, bv, 1, DMA_NONE), -EINVAL);
	T_EXPECT(ib_frwr_map_sg(c->frwr, req, c->e->sgl, 1, DMA_NONE), -EINVAL);
	T_EXPECT(ib_frwr_map_sg(c->frwr, req, c->e->sgl, 0, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_frwr_map_pages(c->frwr, req, NULL, 1, SIZE_MAX, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_frwr_map_pages(c->frwr, req, NULL, SIZE_MAX, 1, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_frwr_map_pages(c->frwr, req, NULL, 0, SIZE_MAX, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_frwr_map_bvec_iter(c->frwr, req, bv, (struct bvec_iter){ }, DMA_TO_DEVICE),
		 -EINVAL);
	T_EXPECT(ib_frwr_map_bio(c->frwr, req, NULL, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_frwr_map_sg_part(c->frwr, req, c->e->sgl, 1, &offset, DMA_TO_DEVICE), -EINVAL);
	T_EXPECT(ib_frwr_map_sg_part(c->frwr, req, c->e->sgl, 1, &offset, DMA_NONE), -EINVAL);
	T_EXPECT(offset, PAGE_SIZE);
	T_EXPECT(ib_frwr_post(req, NULL, NULL), -EINVAL);
	T_TRY(ib_frwr_map_sg(c->frwr, req, c->e->sgl, T_PAGES, DMA_TO_DEVICE));
	T_EXPECT(req->length, T_BUF_SIZE);
	t_give_back(c, 0);
	T_EXPECT(c->lent[0].released, 1);
	/* a second release changes nothing */
	t_give_back(c, 0);
	return 0;
}

/* maps the memory of request 0 as two bios of one bio_vec each, or with @iter by an iterator */
static int t_lend_bios(struct t_ctx *c, bool iter)
{
	struct ib_frwr_req *req = &c->lent[0].req;
	struct bio first = { }, second = { };
	struct bio_vec bv[T_VECS];
	struct bvec_iter it;

	t_vecs(c->e, 0, bv);
	/* the request begins 600 bytes after the first bio_vec */
	bv[0].bv_offset -= 600;
	bv[0].bv_len += 600;
	it = (struct bvec_iter){ .bi_size = T_PIECE, .bi_offset = 600 };
	c->lent[0].released = false;
	if (iter)
		return ib_frwr_map_bvec_iter(c->frwr, req, bv, it, DMA_TO_DEVICE);
	first.bi_io_vec = bv;
	first.bi_iter = it;
	first.bi_iter.bi_size = PAGE_SIZE - 600;
	first.bi_next = &second;
	second.bi_io_vec = &bv[1];
	second.bi_iter.bi_size = PAGE_SIZE - 400;
	return ib_frwr_map_bio(c->frwr, req, &first, DMA_TO_DEVICE);
}

/* memory is registered in each form, and the peer READs it */
static int ctx_forms(struct t_pair *p, struct t_ctx *c)
{
	struct ib_frwr_req *req = &c->lent[0].req;
	struct page *pages[2];
	int i;

	for (i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = virt_to_page(c->e->buf + i * PAGE_SIZE);
	T_TRY(ib_frwr_map_pages(c->frwr, req, pages, 600, T_PIECE, DMA_TO_DEVICE));
	T_TRY(t_post_and_wait(c, 0));
	T_TRY(t_lent_reads(p, c, 0, 1));
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));

	c->lent[0].released = false;
	T_TRY(ib_frwr_map_sg(c->frwr, req, c->e->sgl, T_PAGES, DMA_TO_DEVICE));
	T_TRY(t_post_and_wait(c, 0));
	t_fill(c->e, 0, T_BUF_SIZE, 2);
	T_EXPECT(req->length, T_BUF_SIZE);
	T_EXPECT(t_ctx_rdma(p, req, 2, IB_WR_RDMA_READ), 0);
	T_TRY(t_check_only(&p->end[1], 0, T_BUF_SIZE, 2));
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));

	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_TRY(t_post_and_wait(c, 0));
	T_TRY(t_lent_reads(p, c, 0, 3));
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));

	T_TRY(t_lend_bios(c, false));
	T_TRY(t_post_and_wait(c, 0));
	T_TRY(t_lent_reads(p, c, 0, 4));
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));

	T_TRY(t_lend_bios(c, true));
	T_TRY(t_post_and_wait(c, 0));
	T_TRY(t_lent_reads(p, c, 0, 5));
	t_give_back(c, 0);
	return t_wait_released(c, 0);
}

/* a queue of ib_frwr_slots() entries holds all registrations, invalidations and one SEND */
static int run_slots(struct t_pair *p, struct t_ctx *c)
{
	struct ib_send_wr send;
	int i, id;

	for (id = 0; id < 2 * T_SLOTS; id++) {
		for (i = 0; i < T_LENT; i++) {
			T_TRY(t_lend(c, i, DMA_TO_DEVICE));
			c->lent[i].req.next = NULL;
			T_TRY(ib_frwr_post(&c->lent[i].req, NULL, NULL));
		}
		t_send_wr(&send, NULL, id);
		send.num_sge = 0;
		T_TRY(t_post_recv(&p->end[1], id));
		T_TRY(ib_post_send(p->end[0].qp, &send, NULL));
		for (i = 0; i < T_LENT; i++) {
			t_give_back(c, i);
			T_EXPECT(c->lent[i].req.full, 0);
		}
		T_EXPECT(t_wait(&p->end[0].sq, id), 0);
		T_EXPECT(t_wait(&p->end[1].rq, id), 0);
		for (i = 0; i < T_LENT; i++)
			T_TRY(t_wait_released(c, i));
	}
	return 0;
}

static int ctx_slots(struct t_pair *p)
{
	const struct ib_frwr_attr attr = { .min_mrs = 1, .max_mrs = T_LENT };

	T_EXPECT(ib_frwr_slots(&attr) + 1, T_SLOTS);
	return t_with_ctx(p, T_LENT, T_LENT, run_slots);
}

/* the device refuses the third CREATE_MKEY: the MRs created before are destroyed */
static int ctx_create_fails(struct t_pair *p)
{
	const struct ib_frwr_attr attr = {
		.mr = { .mr_type = IB_MR_TYPE_FAST_REG, .max_reg_descs = T_PAGES,
			.create_flags = t_create_flags(p->end[0].dev) },
		.min_mrs = 4,
		.max_mrs = 4,
	};
	struct ib_frwr *frwr;

	frwr = ib_frwr_create(p->end[0].qp, &attr);
	if (!IS_ERR(frwr))
		ib_frwr_destroy(frwr);
	T_EXPECT(PTR_ERR(frwr), -EIO);
	return 0;
}

/* one creation of a further MR fails: a retry creates it, although no MR was released */
static int ctx_grow_fails(struct t_pair *p, struct t_ctx *c)
{
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_EXPECT(t_lend(c, 1, DMA_TO_DEVICE), -EAGAIN);
	T_TRY(t_wait_available(c));
	T_TRY(t_lend(c, 1, DMA_TO_DEVICE));
	/* the pool has max_mrs MRs now */
	T_EXPECT(t_lend(c, 2, DMA_TO_DEVICE), -EAGAIN);
	msleep(100);
	T_EXPECT(atomic_read(&c->available), 0);
	t_give_back(c, 0);
	T_TRY(t_wait_available(c));
	T_TRY(t_lend(c, 2, DMA_TO_DEVICE));
	t_give_back(c, 1);
	t_give_back(c, 2);
	return 0;
}

/*
 * Posts SENDs until the send queue is full. They stay in the queue until t_drain_queue(), because
 * the peer has posted no receives. Return: number of SENDs, which have wr_ids from 0; or an error.
 */
static int t_fill_queue(struct t_pair *p)
{
	struct ib_send_wr send;
	int n;

	for (n = 0; n < T_MANY; n++) {
		t_send_wr(&send, NULL, n);
		send.num_sge = 0;
		if (ib_post_send(p->end[0].qp, &send, NULL))
			return n;
	}
	return T_FAIL("a queue of %d takes %d requests", p->opts->sq_depth, n);
}

static int t_drain_queue(struct t_pair *p, int n)
{
	int i;

	for (i = 0; i < n; i++)
		T_TRY(t_post_recv(&p->end[1], i));
	for (i = 0; i < n; i++)
		T_EXPECT(t_wait(&p->end[0].sq, i), IB_WC_SUCCESS);
	return 0;
}

/*
 * There is no space for the registration. Nothing was posted, so the release is
 * complete at once.
 */
static int ctx_post_refused(struct t_pair *p, struct t_ctx *c)
{
	struct ib_sge sge = t_sge(&p->end[0], 0, 16);
	const struct ib_send_wr *bad = NULL;
	struct ib_send_wr send;
	int n;

	n = t_fill_queue(p);
	T_TRY(n);
	t_send_wr(&send, &sge, 0);
	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	if (!ib_frwr_post(&c->lent[0].req, &send, &bad))
		return T_FAIL("a full queue takes requests");
	T_EXPECT(bad == &send, 1);
	t_give_back(c, 0);
	T_EXPECT(c->lent[0].released, 1);
	return t_drain_queue(p, n);
}

/* the QP enters ERR with three requests: one posted, one invalidated by the peer, one mapped */
static int ctx_broken(struct t_pair *p, struct t_ctx *c)
{
	struct ib_wc wc;
	int i;

	for (i = 0; i < 3; i++) {
		T_TRY(t_lend(c, i, DMA_TO_DEVICE));
		c->lent[i].req.next = NULL;
	}
	c->lent[0].req.next = &c->lent[1].req;
	T_TRY(t_post_and_wait(c, 0));
	T_TRY(t_peer_invalidates(p, 1, c->lent[1].req.rkey, &wc));
	T_TRY(ib_frwr_remote_inv(&c->lent[0].req, &wc));

	T_TRY(t_move(p->end[0].qp, IB_QPS_ERR));
	c->lent[1].req.next = &c->lent[2].req;
	t_give_back(c, 0);
	T_TRY(t_wait_released(c, 0));
	for (i = 0; i < 3; i++)
		T_EXPECT(c->lent[i].req.mr ? 1 : 0, 0);
	/* the MR whose key may still be valid was destroyed; the pool may create another one */
	for (i = 0; i < 3; i++) {
		int err = t_lend(c, i, DMA_TO_DEVICE);

		if (err == -EAGAIN) {
			T_TRY(t_wait_available(c));
			err = t_lend(c, i, DMA_TO_DEVICE);
		}
		T_TRY(err);
		c->lent[i].req.next = NULL;
	}
	/* the QP is in ERR, so these registrations are flushed */
	T_TRY(ib_frwr_post(&c->lent[0].req, NULL, NULL));
	for (i = 0; i < 3; i++) {
		t_give_back(c, i);
		T_TRY(t_wait_released(c, i));
	}
	return 0;
}

/*
 * There is no space for the invalidation. It is posted once there is, and the QP stays in RTS.
 */
static int ctx_queue_full(struct t_pair *p, struct t_ctx *c)
{
	int n;

	T_TRY(t_lend(c, 0, DMA_TO_DEVICE));
	T_TRY(t_post_and_wait(c, 0));
	T_TRY(t_lent_reads(p, c, 0, 0));
	n = t_fill_queue(p);
	T_TRY(n);
	t_give_back(c, 0);
	msleep(50);
	T_EXPECT(c->lent[0].released, 0);
	T_TRY(t_drain_queue(p, n));
	return t_wait_released(c, 0);
}

/* attributes with invalid numbers of MRs, or that do not fit the QP */
static int ctx_bad_attr(struct t_pair *p)
{
	struct ib_frwr_attr attr = {
		.mr = { .mr_type = IB_MR_TYPE_FAST_REG, .max_reg_descs = T_PAGES,
			.create_flags = t_create_flags(p->end[0].dev) },
		.max_mrs = 2,
	};

	T_EXPECT(PTR_ERR(ib_frwr_create(p->end[0].qp, &attr)), -EINVAL);
	attr.min_mrs = 3;
	T_EXPECT(PTR_ERR(ib_frwr_create(p->end[0].qp, &attr)), -EINVAL);
	attr.min_mrs = 1;
	attr.max_mrs = U32_MAX;
	T_EXPECT(PTR_ERR(ib_frwr_create(p->end[0].qp, &attr)), -EINVAL);
	attr.max_mrs = 1;
	attr.mr.mr_type = IB_MR_TYPE_DMA;
	T_EXPECT(PTR_ERR(ib_frwr_create(p->end[0].qp, &attr)), -EOPNOTSUPP);
	return 0;
}

static int ctx_not_rc(struct t_pair *p)
{
	const struct ib_frwr_attr attr = {
		.mr = { .mr_type = IB_MR_TYPE_FAST_REG, .max_reg_descs = T_PAGES,
			.create_flags = t_create_flags(p->end[0].dev) },
		.min_mrs = 1,
		.max_mrs = 1,
	};

	T_EXPECT(PTR_ERR(ib_frwr_create(p->end[0].qp, &attr)), -EINVAL);
	return 0;
}

/*
 * ---- the example: end 1 executes commands for memory of end 0 ----
 *
 * End 0 has commands in its page 7, end 1 receives them in its page 4.
 */

#define T_LOANS		2
#define T_CMD		sizeof(struct frwr_command)

struct t_example {
	struct frwr_initiator in;
	struct frwr_request rq[T_LOANS];
};

static void t_example_cmd(struct t_end *e, struct frwr_request *rq, int i)
{
	rq->cmd = e->buf + 7 * PAGE_SIZE + i * T_CMD;
	rq->cmd_sge = t_sge(e, 7 * PAGE_SIZE + i * T_CMD, T_CMD);
}

static int t_example_lend(struct t_pair *p, struct t_example *x, int i,
			  enum dma_data_direction dir)
{
	struct ib_sge sge = t_sge(&p->end[1], 4 * PAGE_SIZE + i * T_CMD, T_CMD);
	struct frwr_request *rq = &x->rq[i];
	struct bio_vec bv[T_VECS];

	t_example_cmd(&p->end[0], rq, i);
	t_vecs(&p->end[0], i, bv);
	T_TRY(t_post_recv_sges(&p->end[1], i, &sge, 1));
	T_TRY(frwr_initiator_lend(&x->in, rq, bv, T_VECS, dir));
	return 0;
}

/* end 1 executes command @i and sends the answer, which invalidates the key of the command */
static int t_example_answer(struct t_pair *p, int i, enum ib_wr_opcode op,
			    struct ib_frwr_req *seen)
{
	const struct frwr_command *cmd = p->end[1].buf + 4 * PAGE_SIZE + i * T_CMD;
	struct ib_send_wr answer = {
		.wr_id = 10 + i,
		.opcode = IB_WR_SEND_WITH_INV,
		.send_flags = IB_SEND_SIGNALED,
	};

	T_EXPECT(t_wait(&p->end[1].rq, i), 0);
	t_sync(&p->end[1]);
	seen->iova = be64_to_cpu(cmd->iova);
	seen->rkey = be32_to_cpu(cmd->rkey);
	seen->length = be32_to_cpu(cmd->length);
	T_EXPECT(t_ctx_rdma(p, seen, 20 + i, op), 0);
	answer.ex.invalidate_rkey = seen->rkey;
	T_TRY(ib_post_send(p->end[1].qp, &answer, NULL));
	return t_wait(&p->end[1].sq, 10 + i);
}

static int t_example_end(struct t_pair *p, struct frwr_request *rq)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);
	struct t_end *e = &p->end[0];

	while (!try_wait_for_completion(&rq->done)) {
		T_TRY(t_collect(&e->sq));
		T_TRY(t_collect(&e->rq));
		if (time_after(jiffies, end))
			return T_FAIL("the request does not end");
		usleep_range(100, 200);
	}
	return rq->status;
}

static void t_example_init(struct t_pair *p, struct t_ctx *c, struct t_example *x)
{
	*x = (struct t_example){ .in = { .frwr = c->frwr, .qp = p->end[0].qp } };
	frwr_initiator_init(&x->in);
}

static int t_example(struct t_pair *p, struct t_ctx *c)
{
	const enum dma_data_direction dir = ((const struct t_ctx_case *)p->arg)->arg;
	bool reads = dir == DMA_TO_DEVICE;
	struct t_end *e = &p->end[0];
	struct ib_frwr_req seen = {};
	struct t_example x;

	t_example_init(p, c, &x);
	t_fill(&p->end[!reads], reads ? 600 : 0, T_PIECE, dir);
	T_TRY(t_example_lend(p, &x, 0, dir));
	T_TRY(t_example_answer(p, 0, reads ? IB_WR_RDMA_READ : IB_WR_RDMA_WRITE, &seen));
	T_EXPECT(t_example_end(p, &x.rq[0]), 0);
	/* the only completion is the command's: the answer has invalidated the key */
	T_TRY(t_settle(&e->sq));
	T_EXPECT(e->sq.called, 1);
	T_TRY(t_check(&p->end[reads], reads ? 0 : 600, T_PIECE, dir));
	T_EXPECT(t_ctx_rdma(p, &seen, 4, IB_WR_RDMA_READ), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* two requests; the answer to the second request arrives first */
static int frwr_example_order(struct t_pair *p, struct t_ctx *c)
{
	struct ib_frwr_req seen[T_LOANS] = {};
	struct t_example x;
	int i;

	t_example_init(p, c, &x);
	for (i = 0; i < T_LOANS; i++)
		T_TRY(t_example_lend(p, &x, i, DMA_TO_DEVICE));
	for (i = T_LOANS - 1; i >= 0; i--) {
		T_TRY(t_example_answer(p, i, IB_WR_RDMA_READ, &seen[i]));
		T_EXPECT(t_example_end(p, &x.rq[i]), 0);
	}
	T_EXPECT(x.in.spare_recvs, 0);
	return 0;
}

/* an answer invalidates no key: the request fails, and its key is invalidated locally */
static int frwr_example_no_key(struct t_pair *p, struct t_ctx *c)
{
	struct t_example x;
	struct ib_send_wr answer;

	t_example_init(p, c, &x);
	T_TRY(t_example_lend(p, &x, 0, DMA_TO_DEVICE));
	T_EXPECT(t_wait(&p->end[1].rq, 0), 0);
	t_send_wr(&answer, NULL, 9);
	answer.num_sge = 0;
	T_TRY(ib_post_send(p->end[1].qp, &answer, NULL));
	T_EXPECT(t_example_end(p, &x.rq[0]), -EPROTO);
	T_EXPECT(t_ctx_rdma(p, &x.rq[0].reg, 4, IB_WR_RDMA_READ), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* commands that are not sent: too long, no space in the queue, a QP in error */
static int frwr_example_not_sent(struct t_pair *p, struct t_ctx *c)
{
	struct bio_vec bv[2] = { };
	struct t_example x;
	int n;

	t_example_init(p, c, &x);
	bvec_set_page(&bv[0], virt_to_page(c->e->buf), U32_MAX, 0);
	bvec_set_page(&bv[1], virt_to_page(c->e->buf), 1, 0);
	T_EXPECT(frwr_initiator_lend(&x.in, &x.rq[0], bv, 2, DMA_TO_DEVICE), -EMSGSIZE);

	n = t_fill_queue(p);
	T_TRY(n);
	/* the peer posts no receive, which would empty the queue */
	t_example_cmd(c->e, &x.rq[0], 0);
	t_vecs(c->e, 0, bv);
	T_TRY(frwr_initiator_lend(&x.in, &x.rq[0], bv, T_VECS, DMA_TO_DEVICE));
	T_EXPECT(t_example_end(p, &x.rq[0]) < 0, 1);
	T_EXPECT(x.in.spare_recvs, 1);
	T_TRY(t_move(c->e->qp, IB_QPS_ERR));
	T_EXPECT(t_wait(&c->e->sq, n - 1), IB_WC_WR_FLUSH_ERR);
	x.rq[0].status = 0;
	T_TRY(frwr_initiator_lend(&x.in, &x.rq[0], bv, T_VECS, DMA_TO_DEVICE));
	T_EXPECT(t_example_end(p, &x.rq[0]), -EIO);
	T_EXPECT(x.in.spare_recvs, 0);
	return 0;
}

/* frwr_initiator_open() to frwr_initiator_close(), with a request that the peer never answers */
static int frwr_example_life(struct t_pair *p, struct ib_qp *qp)
{
	struct ib_sge sge = t_sge(&p->end[1], 4 * PAGE_SIZE, T_CMD);
	struct t_example x = {};
	struct bio_vec bv[T_VECS];
	int ret, closed;

	T_TRY(t_pair_connect_qp(p, qp));
	T_TRY(t_post_recv_sges(&p->end[1], 0, &sge, 1));
	T_TRY(frwr_initiator_open(&x.in, qp, T_LOANS, 2 * T_VECS, t_create_flags(qp->device)));
	t_example_cmd(&p->end[0], &x.rq[0], 0);
	t_vecs(&p->end[0], 0, bv);
	ret = frwr_initiator_lend(&x.in, &x.rq[0], bv, T_VECS, DMA_TO_DEVICE);
	if (!ret && t_wait(&p->end[1].rq, 0) != IB_WC_SUCCESS)
		ret = T_FAIL("no command has arrived");
	closed = frwr_initiator_close(&x.in);
	T_TRY(ret);
	T_EXPECT(closed, 0);
	T_EXPECT(try_wait_for_completion(&x.rq[0].done), true);
	T_EXPECT(x.rq[0].status, -EIO);
	T_EXPECT(x.rq[0].reg.err, 0);
	T_EXPECT(t_read_elsewhere(p, &x.rq[0].reg), IB_WC_REM_ACCESS_ERR);
	/* for each request: a command, a registration, and one or two invalidations */
	T_EXPECT(frwr_initiator_slots(T_LOANS) > T_LOANS, 1);
	return 0;
}

/* queues with only the entries that the context and one request need */
static const struct t_opts tight = { .sq_depth = T_SLOTS, .cqe = T_SLOTS };
static const struct t_opts small = { .sq_depth = 4, .rq_depth = T_MANY };
static const struct t_opts uc = { .type = IB_QPT_UC, .unconnected = true };

const struct t_case t_frwr_ctx_cases[] = {
	T_CTX(ctx_local_inv, 1, 1),
	T_CTX(ctx_read_only, 1, 1),
	T_CTX(ctx_write_only, 1, 1),
	T_CTX(ctx_chain, 3, 3),
	T_CTX(ctx_pool_empty, 2, 2),
	T_CTX(ctx_chains_wait, 3, 3),
	T_CTX(ctx_pool_grows, 1, 3),
	T_CTX(ctx_map_fails, 1, 1),
	T_CTX(ctx_forms, 1, 1),
	{ "ctx_slots", ctx_slots, &tight },
	T_CTX(ctx_post_refused, 1, 1, .opts = &small),
	T_CTX(ctx_broken, 3, 3),
	T_CTX(ctx_queue_full, 1, 1, .opts = &small),
	{ "ctx_bad_attr", ctx_bad_attr },
	{ "ctx_not_rc", ctx_not_rc, &uc },
	T_CTX_OF(frwr_example_read, 1, 1, t_example, DMA_TO_DEVICE),
	T_CTX_OF(frwr_example_written, 1, 1, t_example, DMA_FROM_DEVICE),
	T_CTX(frwr_example_order, T_LOANS, T_LOANS),
	T_CTX(frwr_example_no_key, 1, 1),
	T_ON_CQ(frwr_example_life),
	T_CTX(frwr_example_not_sent, 1, 1, .opts = &small),
	/* in these cases, the script makes the device fail CREATE_MKEY */
	{ "ctx_create_fails", ctx_create_fails },
	T_CTX(ctx_grow_fails, 1, 2),
	{ }
};
