// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This sample of <rdma/ib_frwr.h> is an initiator that lends memory to its peer.
 *
 * A request registers memory and sends the key to the peer in a command. The
 * peer reads or writes the memory and answers with a SEND that invalidates the
 * key. Many requests may wait for their answers, which come in any order: the
 * key in an answer names its request. So a receive belongs to no request. The
 * number of posted receives is the number of requests without an answer, plus
 * @spare_recvs.
 *
 * From the beginning of a connection to its end:
 *
 * 1. frwr_initiator_slots() is the number of entries for the send queue and the CQ. The
 *    caller creates a CQ by ib_alloc_cq() and an RC QP with these entries, and connects the QP.
 * 2. frwr_initiator_open() creates the registration context.
 * 3. frwr_initiator_lend() is called for each request, with at most @requests
 *    outstanding. The caller provides coherent memory for the commands
 *    (@rq->cmd, @rq->cmd_sge).
 * 4. frwr_initiator_close() ends the requests that have no answer, for example
 *    after an error of the connection, and destroys the context. The caller
 *    destroys the QP afterwards.
 */
#include "frwr_initiator.h"

static void frwr_request_released(struct ib_frwr_req *reg)
{
	struct frwr_request *rq = container_of(reg, struct frwr_request, reg);

	/* the peer may access the memory until the device is reset */
	if (reg->err)
		rq->status = -ENOTRECOVERABLE;
	complete(&rq->done);
}

/* the request ends when its SEND has completed and its answer was received */
static void frwr_request_step(struct frwr_request *rq, int err)
{
	if (err)
		cmpxchg(&rq->status, 0, err);
	if (atomic_dec_and_test(&rq->pending) && ib_frwr_release(&rq->reg) != -EINPROGRESS)
		frwr_request_released(&rq->reg);
}

static void frwr_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct frwr_request *rq = container_of(wc->wr_cqe, struct frwr_request, send_cqe);

	frwr_request_step(rq, wc->status ? -EIO : 0);
}

/*
 * Find the request whose key an answer names, and remove the request from the list.
 * If there is no such request, remove the oldest request: after an error each request
 * gets a completion, and an answer without a key belongs to one of the requests.
 */
static struct frwr_request *frwr_initiator_take(struct frwr_initiator *in,
						const struct ib_wc *wc)
{
	struct frwr_request *rq, *found;
	unsigned long flags;

	spin_lock_irqsave(&in->lock, flags);
	found = list_first_entry_or_null(&in->unanswered, struct frwr_request, entry);
	list_for_each_entry(rq, &in->unanswered, entry) {
		if (!wc->status && wc->wc_flags & IB_WC_WITH_INVALIDATE &&
		    wc->ex.invalidate_rkey == rq->reg.rkey) {
			found = rq;
			break;
		}
	}
	if (found)
		list_del_init(&found->entry);
	else
		in->spare_recvs--;
	spin_unlock_irqrestore(&in->lock, flags);
	return found;
}

static void frwr_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct frwr_initiator *in = container_of(wc->wr_cqe, struct frwr_initiator, recv_cqe);
	struct frwr_request *rq = frwr_initiator_take(in, wc);
	int err = wc->status ? -EIO : 0;

	if (!rq)
		return;
	/* the peer must invalidate the key; if not, the release is still safe */
	if (!err && !(wc->wc_flags & IB_WC_WITH_INVALIDATE))
		err = -EPROTO;
	frwr_request_step(rq, err ?: ib_frwr_remote_inv(&rq->reg, wc));
}

/* list the request, and post a receive for its answer, before the command is sent */
static int frwr_initiator_expect(struct frwr_initiator *in, struct frwr_request *rq)
{
	struct ib_recv_wr recv = { .wr_cqe = &in->recv_cqe };
	unsigned long flags;
	bool spare;

	spin_lock_irqsave(&in->lock, flags);
	list_add_tail(&rq->entry, &in->unanswered);
	spare = in->spare_recvs > 0;
	in->spare_recvs -= spare;
	spin_unlock_irqrestore(&in->lock, flags);
	return spare ? 0 : ib_post_recv(in->qp, &recv, NULL);
}

/*
 * Undo frwr_initiator_expect(), because the command was not sent. @recv is true if a
 * receive was posted, or was spare. A flushed receive may have removed the request
 * from the list already.
 */
static void frwr_initiator_unexpect(struct frwr_initiator *in, struct frwr_request *rq,
				    bool recv, int err)
{
	unsigned long flags;
	bool listed;

	spin_lock_irqsave(&in->lock, flags);
	listed = !list_empty(&rq->entry);
	list_del_init(&rq->entry);
	in->spare_recvs += listed - !recv;
	spin_unlock_irqrestore(&in->lock, flags);
	if (listed)
		frwr_request_step(rq, err);
	frwr_request_step(rq, err);
}

static u64 frwr_length(const struct bio_vec *bvec, unsigned int bi_vcnt)
{
	u64 length = 0;

	while (bi_vcnt--)
		length += bvec[bi_vcnt].bv_len;
	return length;
}

static void frwr_initiator_attr(struct ib_frwr_attr *attr, u32 requests, u32 pages, u32 flags)
{
	*attr = (struct ib_frwr_attr) {
		.mr = {
			.mr_type = IB_MR_TYPE_FAST_REG,
			.max_reg_descs = pages,
			.create_flags = flags,
		},
		.min_mrs = 1,
		.max_mrs = requests,
	};
}

/**
 * frwr_initiator_slots() - size of the queues of an initiator
 * @requests: highest number of requests at a time
 *
 * Context: any.
 * Return: number of entries of the send queue and of its CQ. The receive queue
 * and its CQ have @requests entries; a CQ for both queues has the sum.
 */
u32 frwr_initiator_slots(u32 requests)
{
	struct ib_frwr_attr attr;

	frwr_initiator_attr(&attr, requests, 1, 0);
	/* one command for each request */
	return requests + ib_frwr_slots(&attr);
}

/**
 * frwr_initiator_open() - create the registration context of an initiator
 * @in: initiator, zeroed
 * @qp: RC QP with the number of entries of frwr_initiator_slots()
 * @requests: highest number of requests at a time
 * @pages: highest number of pages of 4 KiB that the memory of a request touches
 * @flags: flags of enum ib_mr_create_flags
 *
 * Context: process context, may sleep.
 * Return: 0, or an error of ib_frwr_create().
 */
int frwr_initiator_open(struct frwr_initiator *in, struct ib_qp *qp, u32 requests, u32 pages,
			u32 flags)
{
	struct ib_frwr_attr attr;

	frwr_initiator_attr(&attr, requests, pages, flags);
	in->frwr = ib_frwr_create(qp, &attr);
	if (IS_ERR(in->frwr))
		return PTR_ERR(in->frwr);
	in->qp = qp;
	frwr_initiator_init(in);
	return 0;
}

/**
 * frwr_initiator_close() - end all requests and destroy the registration context
 * @in: initiator; the caller no longer calls frwr_initiator_lend()
 *
 * Outstanding commands and receives are flushed, which ends their requests;
 * ib_frwr_abort() completes the release of their MRs. When the call returns,
 * @rq->done of each request is completed.
 *
 * Context: process context, may sleep.
 * Return: 0, or an error of ib_frwr_destroy().
 */
int frwr_initiator_close(struct frwr_initiator *in)
{
	ib_drain_qp(in->qp);
	ib_frwr_abort(in->frwr);
	return ib_frwr_destroy(in->frwr);
}

/**
 * frwr_initiator_init() - initialize an initiator
 * @in: initiator, zeroed except for @in->frwr and @in->qp
 *
 * Context: any.
 */
void frwr_initiator_init(struct frwr_initiator *in)
{
	in->recv_cqe.done = frwr_recv_done;
	spin_lock_init(&in->lock);
	INIT_LIST_HEAD(&in->unanswered);
}

/**
 * frwr_initiator_lend() - lend memory to the peer
 * @in: initiator
 * @rq: request, zeroed except for @rq->cmd and @rq->cmd_sge
 * @bvec: memory to lend
 * @bi_vcnt: number of bio_vecs
 * @dir: DMA_TO_DEVICE if the peer reads the memory, DMA_FROM_DEVICE if the peer
 *	writes it
 *
 * Context: any.
 * Return:
 * * 0: @rq->done will be completed. @rq->status is the result then: 0, or an errno. If
 *   @rq->status is -ENOTRECOVERABLE, the memory must be neither freed nor used again
 * * -EMSGSIZE: the length exceeds the field of a command; no memory was lent
 * * an error of ib_frwr_map_biovec(); no memory was lent
 */
int frwr_initiator_lend(struct frwr_initiator *in, struct frwr_request *rq,
			const struct bio_vec *bvec, unsigned int bi_vcnt,
			enum dma_data_direction dir)
{
	struct ib_send_wr send = {
		.wr_cqe = &rq->send_cqe,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
		.sg_list = &rq->cmd_sge,
		.num_sge = 1,
	};
	int err;

	if (frwr_length(bvec, bi_vcnt) > U32_MAX)
		return -EMSGSIZE;
	init_completion(&rq->done);
	rq->reg.released = frwr_request_released;
	rq->send_cqe.done = frwr_send_done;
	atomic_set(&rq->pending, 2);

	err = ib_frwr_map_biovec(in->frwr, &rq->reg, bvec, bi_vcnt, dir);
	if (err)
		return err;
	rq->cmd->iova = cpu_to_be64(rq->reg.iova);
	rq->cmd->rkey = cpu_to_be32(rq->reg.rkey);
	rq->cmd->length = cpu_to_be32(rq->reg.length);

	err = frwr_initiator_expect(in, rq);
	if (err) {
		frwr_initiator_unexpect(in, rq, false, err);
		return 0;
	}
	err = ib_frwr_post(&rq->reg, &send, NULL);
	if (err)
		frwr_initiator_unexpect(in, rq, true, err);
	return 0;
}
