// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Example of <rdma/ib_frwr.h>: an initiator lends bio_vecs to the peer of its QP.
 *
 * One chain of work requests, with one doorbell, registers the memory and sends
 * its address and key to the peer. The peer READs or WRITEs the memory and answers
 * with a SEND with invalidate. After that, or when the QP breaks, the memory
 * belongs to the initiator again. None of the code below rolls a key, chooses
 * access flags, maps memory for DMA, or posts an invalidation.
 *
 * The caller provides a connected QP whose send queue and CQ have ib_frwr_slots()
 * more entries than its own requests need, a registration context for that QP,
 * and coherent memory for the command (@rq->cmd, @rq->cmd_sge). It polls the CQ.
 */
#include "frwr_initiator.h"

static void frwr_request_released(struct ib_frwr_req *reg)
{
	struct frwr_request *rq = container_of(reg, struct frwr_request, reg);

	complete(&rq->done);
}

/* the request ends when both its SEND and the receive of the answer have completed */
static void frwr_request_step(struct frwr_request *rq, int err)
{
	if (err)
		cmpxchg(&rq->status, 0, err);
	if (atomic_dec_and_test(&rq->pending))
		ib_frwr_release(&rq->reg);
}

static void frwr_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct frwr_request *rq = container_of(wc->wr_cqe, struct frwr_request, send_cqe);

	frwr_request_step(rq, wc->status ? -EIO : 0);
}

static void frwr_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct frwr_request *rq = container_of(wc->wr_cqe, struct frwr_request, recv_cqe);

	/* a peer that invalidates a key which is not in the request is broken */
	frwr_request_step(rq, wc->status ? -EIO : ib_frwr_remote_inv(&rq->reg, wc));
}

/**
 * frwr_initiator_lend() - lend memory to the peer
 * @rq: request, zeroed except for @rq->cmd and @rq->cmd_sge
 * @frwr: registration context of @qp
 * @qp: RC QP in RTS
 * @bvec: memory to lend
 * @bi_vcnt: number of bio_vecs
 * @dir: DMA_TO_DEVICE if the peer reads the memory, DMA_FROM_DEVICE if it writes it
 *
 * Context: process context.
 * Return: 0 when @rq->done will be completed, with the result in @rq->status;
 * otherwise an error of ib_frwr_map_biovec() or ib_post_recv(), and no memory was
 * lent.
 */
int frwr_initiator_lend(struct frwr_request *rq, struct ib_frwr *frwr, struct ib_qp *qp,
			const struct bio_vec *bvec, unsigned int bi_vcnt,
			enum dma_data_direction dir)
{
	struct ib_recv_wr recv = { .wr_cqe = &rq->recv_cqe };
	struct ib_send_wr send = {
		.wr_cqe = &rq->send_cqe,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
		.sg_list = &rq->cmd_sge,
		.num_sge = 1,
	};
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	int err;

	init_completion(&rq->done);
	rq->reg.released = frwr_request_released;
	rq->send_cqe.done = frwr_send_done;
	rq->recv_cqe.done = frwr_recv_done;
	atomic_set(&rq->pending, 2);

	err = ib_frwr_map_biovec(frwr, &rq->reg, bvec, bi_vcnt, dir);
	if (err)
		return err;
	rq->cmd->iova = cpu_to_be64(rq->reg.iova);
	rq->cmd->rkey = cpu_to_be32(rq->reg.rkey);
	rq->cmd->length = cpu_to_be32(rq->reg.length);

	err = ib_post_recv(qp, &recv, NULL);
	if (err) {
		ib_frwr_release(&rq->reg);
	} else if (ib_frwr_post(&rq->reg, &send, NULL)) {
		/* the receive is flushed and ends the request */
		ib_modify_qp(qp, &attr, IB_QP_STATE);
		frwr_request_step(rq, -EIO);
	}
	return err;
}
