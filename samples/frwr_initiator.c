// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Example of <rdma/ib_frwr.h>: lend bio_vecs to the peer of a QP.
 *
 * The memory is registered, and the peer invited to it, by one chain of work
 * requests and one doorbell. The peer READs or WRITEs and answers by a SEND with
 * invalidate. Then, or when the QP breaks, the memory is ours again: nobody here
 * rolled a key, chose access flags, mapped anything for DMA, or posted an
 * invalidation.
 *
 * The caller has made a connected QP with ib_frwr_slots() more entries in its
 * send queue and CQ than its own requests need, an ib_frwr for it, a coherent buffer
 * for the invitation (@t->inv, @t->inv_sge), and polls the CQ.
 */
#include "frwr_initiator.h"

static void released(struct ib_frwr_req *req)
{
	struct frwr_target *t = container_of(req, struct frwr_target, req);

	complete(&t->done);
}

/* the request is over when the invitation has left and the answer is here */
static void step(struct frwr_target *t, int err)
{
	if (err)
		cmpxchg(&t->status, 0, err);
	if (atomic_dec_and_test(&t->pending))
		ib_frwr_release(&t->req);
}

static void sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct frwr_target *t = container_of(wc->wr_cqe, struct frwr_target, sent);

	step(t, wc->status ? -EIO : 0);
}

static void answered(struct ib_cq *cq, struct ib_wc *wc)
{
	struct frwr_target *t = container_of(wc->wr_cqe, struct frwr_target, answered);

	/* a key that is not ours would mean that the peer is broken */
	step(t, wc->status ? -EIO : ib_frwr_remote_inv(&t->req, wc));
}

/**
 * frwr_target_lend - lend memory to the peer
 * @t: zeroed, but for @t->inv and @t->inv_sge
 * @frwr: registration context of @qp
 * @qp: RC, in RTS
 * @bvec: the memory
 * @bi_vcnt: bio_vecs it has
 * @dir: DMA_TO_DEVICE for the peer to read, DMA_FROM_DEVICE to write
 *
 * Context: process context.
 * Return: 0 when @t->done will be completed, with the outcome in @t->status;
 * otherwise nothing was lent: as ib_frwr_map_biovec() or ib_post_recv().
 */
int frwr_target_lend(struct frwr_target *t, struct ib_frwr *frwr, struct ib_qp *qp,
		     const struct bio_vec *bvec, unsigned int bi_vcnt,
		     enum dma_data_direction dir)
{
	struct ib_recv_wr recv = { .wr_cqe = &t->answered };
	struct ib_send_wr send = {
		.wr_cqe = &t->sent,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
		.sg_list = &t->inv_sge,
		.num_sge = 1,
	};
	struct ib_qp_attr broken = { .qp_state = IB_QPS_ERR };
	int err;

	init_completion(&t->done);
	t->req.released = released;
	t->sent.done = sent;
	t->answered.done = answered;
	atomic_set(&t->pending, 2);

	err = ib_frwr_map_biovec(frwr, &t->req, bvec, bi_vcnt, dir);
	if (err)
		return err;
	t->inv->iova = cpu_to_be64(t->req.iova);
	t->inv->rkey = cpu_to_be32(t->req.rkey);
	t->inv->length = cpu_to_be32(t->req.length);

	err = ib_post_recv(qp, &recv, NULL);
	if (err) {
		ib_frwr_release(&t->req);
	} else if (ib_frwr_post(&t->req, &send, NULL)) {
		ib_modify_qp(qp, &broken, IB_QP_STATE);	/* which flushes the receive */
		step(t, -EIO);
	}
	return err;
}
