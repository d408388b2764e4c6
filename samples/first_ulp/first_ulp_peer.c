// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The peer of first_ulp.c. The peer has a block of memory for each request of
 * the ULP. On FIRST_STORE, the peer READs the memory of the ULP into the block.
 * On FIRST_FETCH, it WRITEs the block to the memory of the ULP. The answer
 * invalidates the key.
 *
 * The peer accepts one connection at a time and rejects others.
 * peer_close_work() ends the connection: after an error, a disconnect or the
 * removal of the device, and when the module is removed.
 *
 * The peer does not lend its memory, so it does not use ib_frwr.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/crc32.h>
#include <linux/in.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>
#include "first_ulp.h"

static bool mute;
module_param(mute, bool, 0644);
MODULE_PARM_DESC(mute, "answer no command");

static bool spoil;
module_param(spoil, bool, 0644);
MODULE_PARM_DESC(spoil, "change a byte of each block that is fetched");

struct peer_recv {
	struct ib_cqe cqe;
	int nr;				/* index in peer.cmds */
};

/* a request of the ULP */
struct peer_job {
	struct ib_cqe stored;		/* completion of the RDMA READ */
	struct ib_cqe written;		/* completion of an RDMA WRITE that fails */
	struct ib_cqe answered;		/* completion of the SEND */
	struct first_buf block;		/* FIRST_BYTES */
	u64 iova;
	u32 rkey;
	u32 length;
	u32 crc;			/* of the data that was stored */
};

static void peer_close_work(struct work_struct *work);

static struct first_peer {
	struct mutex lock;		/* held while a connection begins or ends */
	struct rdma_cm_id *listener;
	struct rdma_cm_id *id;		/* NULL without a connection */
	bool broken;			/* the connection has ended */
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct first_buf cmds;		/* FIRST_REQUESTS of struct first_cmd */
	struct first_buf answers;	/* FIRST_REQUESTS of struct first_answer */
	struct peer_job jobs[FIRST_REQUESTS];
	struct peer_recv recvs[FIRST_REQUESTS];
	struct work_struct close_work;
} peer = {
	.lock = __MUTEX_INITIALIZER(peer.lock),
	.close_work = __WORK_INITIALIZER(peer.close_work, peer_close_work),
};

/* ---- requests ---- */

static void peer_break(void)
{
	WRITE_ONCE(peer.broken, true);
	schedule_work(&peer.close_work);
}

static int peer_post_recv(struct peer_recv *recv)
{
	struct ib_sge sge = {
		.addr = peer.cmds.dma + recv->nr * sizeof(struct first_cmd),
		.length = sizeof(struct first_cmd),
		.lkey = peer.pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = { .wr_cqe = &recv->cqe, .sg_list = &sge, .num_sge = 1 };

	ib_dma_sync_single_for_device(peer.id->device, sge.addr, sge.length, DMA_FROM_DEVICE);
	return ib_post_recv(peer.id->qp, &wr, NULL);
}

/* post the answer, after an RDMA WRITE unless @write is NULL */
static int peer_answer(struct peer_job *job, struct ib_rdma_wr *write)
{
	int slot = job - peer.jobs;
	struct first_answer *answer = peer.answers.mem + slot * sizeof(*answer);
	struct ib_sge sge = {
		.addr = peer.answers.dma + slot * sizeof(*answer),
		.length = sizeof(*answer),
		.lkey = peer.pd->local_dma_lkey,
	};
	struct ib_send_wr send = {
		.wr_cqe = &job->answered,
		.opcode = IB_WR_SEND_WITH_INV,
		.send_flags = IB_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
		.ex.invalidate_rkey = job->rkey,
	};

	answer->slot = cpu_to_be32(slot);
	answer->crc = cpu_to_be32(job->crc);
	ib_dma_sync_single_for_device(peer.id->device, sge.addr, sge.length, DMA_TO_DEVICE);
	if (write)
		write->wr.next = &send;
	return ib_post_send(peer.id->qp, write ? &write->wr : &send, NULL);
}

static int peer_start(struct peer_job *job, u32 op)
{
	struct ib_sge sge = {
		.addr = job->block.dma,
		.length = job->length,
		.lkey = peer.pd->local_dma_lkey,
	};
	struct ib_rdma_wr rdma = {
		.wr = { .sg_list = &sge, .num_sge = 1 },
		.remote_addr = job->iova,
		.rkey = job->rkey,
	};

	switch (op) {
	case FIRST_STORE:
		rdma.wr.opcode = IB_WR_RDMA_READ;
		rdma.wr.wr_cqe = &job->stored;
		rdma.wr.send_flags = IB_SEND_SIGNALED;
		return ib_post_send(peer.id->qp, &rdma.wr, NULL);
	case FIRST_FETCH:
		rdma.wr.opcode = IB_WR_RDMA_WRITE;
		rdma.wr.wr_cqe = &job->written;
		if (spoil)
			*(u8 *)job->block.mem ^= 1;
		ib_dma_sync_single_for_device(peer.id->device, sge.addr, sge.length,
					      DMA_BIDIRECTIONAL);
		return peer_answer(job, &rdma);
	default:
		return -EINVAL;
	}
}

static void peer_command(struct ib_cq *cq, struct ib_wc *wc)
{
	struct peer_recv *recv = container_of(wc->wr_cqe, struct peer_recv, cqe);
	struct first_cmd *cmd = peer.cmds.mem + recv->nr * sizeof(*cmd);
	struct peer_job *job;
	u32 slot, op;

	if (wc->status || wc->byte_len != sizeof(*cmd)) {
		peer_break();
		return;
	}
	ib_dma_sync_single_for_cpu(peer.id->device, peer.cmds.dma + recv->nr * sizeof(*cmd),
				   sizeof(*cmd), DMA_FROM_DEVICE);
	op = be32_to_cpu(cmd->op);
	slot = be32_to_cpu(cmd->slot);
	if (slot >= FIRST_REQUESTS || be32_to_cpu(cmd->length) > FIRST_BYTES) {
		peer_break();
		return;
	}
	job = &peer.jobs[slot];
	job->iova = be64_to_cpu(cmd->iova);
	job->rkey = be32_to_cpu(cmd->rkey);
	job->length = be32_to_cpu(cmd->length);
	if (peer_post_recv(recv) || (!mute && peer_start(job, op)))
		peer_break();
}

static void peer_stored(struct ib_cq *cq, struct ib_wc *wc)
{
	struct peer_job *job = container_of(wc->wr_cqe, struct peer_job, stored);

	if (!wc->status) {
		ib_dma_sync_single_for_cpu(peer.id->device, job->block.dma, job->length,
					   DMA_BIDIRECTIONAL);
		job->crc = crc32_le(~0, job->block.mem, job->length);
	}
	if (wc->status || peer_answer(job, NULL))
		peer_break();
}

static void peer_done(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->status)
		peer_break();
}

/* ---- the connection ---- */

static int peer_create_qp(void)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = {
			/* the last entry is for ib_drain_qp() */
			.max_send_wr = 2 * FIRST_REQUESTS + 1,
			.max_recv_wr = FIRST_REQUESTS + 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	peer.cq = ib_alloc_cq_any(peer.id->device, NULL,
				  init.cap.max_send_wr + init.cap.max_recv_wr,
				  IB_POLL_WORKQUEUE);
	if (IS_ERR(peer.cq))
		return PTR_ERR(peer.cq);
	init.send_cq = peer.cq;
	init.recv_cq = peer.cq;
	return rdma_create_qp(peer.id, peer.pd, &init);
}

static int peer_prepare(void)
{
	struct ib_device *dev = peer.id->device;
	struct peer_job *job;
	int i, err;

	peer.pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(peer.pd))
		return PTR_ERR(peer.pd);
	err = first_buf_alloc(dev, &peer.cmds, FIRST_REQUESTS * sizeof(struct first_cmd),
			      DMA_FROM_DEVICE) ?:
	      first_buf_alloc(dev, &peer.answers, FIRST_REQUESTS * sizeof(struct first_answer),
			      DMA_TO_DEVICE);
	if (err)
		return err;
	for (job = peer.jobs; job < peer.jobs + FIRST_REQUESTS; job++) {
		job->stored.done = peer_stored;
		job->written.done = peer_done;
		job->answered.done = peer_done;
		err = first_buf_alloc(dev, &job->block, FIRST_BYTES, DMA_BIDIRECTIONAL);
		if (err)
			return err;
	}
	err = peer_create_qp();
	for (i = 0; i < FIRST_REQUESTS && !err; i++) {
		peer.recvs[i].cqe.done = peer_command;
		peer.recvs[i].nr = i;
		err = peer_post_recv(&peer.recvs[i]);
	}
	return err;
}

/* end a connection after any step of peer_accept(), but keep its id */
static void peer_release(struct rdma_cm_id *id)
{
	struct peer_job *job;

	if (id->qp) {
		rdma_disconnect(id);
		ib_drain_qp(id->qp);
		rdma_destroy_qp(id);
	}
	if (!IS_ERR_OR_NULL(peer.cq))
		ib_free_cq(peer.cq);
	peer.cq = NULL;
	for (job = peer.jobs; job < peer.jobs + FIRST_REQUESTS; job++)
		first_buf_free(id->device, &job->block);
	first_buf_free(id->device, &peer.answers);
	first_buf_free(id->device, &peer.cmds);
	if (!IS_ERR_OR_NULL(peer.pd))
		ib_dealloc_pd(peer.pd);
	peer.pd = NULL;
	peer.id = NULL;
}

static void peer_close_work(struct work_struct *work)
{
	struct rdma_cm_id *id;

	mutex_lock(&peer.lock);
	id = peer.broken ? peer.id : NULL;
	if (id)
		peer_release(id);
	mutex_unlock(&peer.lock);
	/* waits for handlers, which may take peer.lock */
	if (id)
		rdma_destroy_id(id);
}

static int peer_accept(struct rdma_cm_id *id, const struct rdma_conn_param *asked)
{
	struct rdma_conn_param param = { .rnr_retry_count = 7 };
	int err;

	param.initiator_depth = min_t(int, asked->initiator_depth,
				      id->device->attrs.max_qp_init_rd_atom);
	peer.id = id;
	peer.broken = false;
	err = peer_prepare() ?: rdma_accept(id, &param);
	if (err)
		peer_release(id);
	return err;
}

static int peer_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	int err = 0;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		/* after an error the CM rejects the request and destroys the id */
		mutex_lock(&peer.lock);
		err = peer.id ? -EBUSY : peer_accept(id, &event->param.conn);
		mutex_unlock(&peer.lock);
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		/* the removal of the device waits until the id is destroyed */
		if (id == READ_ONCE(peer.id))
			peer_break();
		break;
	default:
		break;
	}
	return err;
}

static int __init peer_init(void)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons(FIRST_PORT),
	};
	int err;

	peer.listener = rdma_create_id(&init_net, peer_cm_event, NULL, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(peer.listener))
		return PTR_ERR(peer.listener);
	err = rdma_bind_addr(peer.listener, (struct sockaddr *)&addr) ?:
	      rdma_listen(peer.listener, 1);
	if (err)
		rdma_destroy_id(peer.listener);
	return err;
}

static void __exit peer_exit(void)
{
	rdma_destroy_id(peer.listener);
	peer_break();
	flush_work(&peer.close_work);
	/* no completion and no event follows the end of the connection */
	cancel_work_sync(&peer.close_work);
}

module_init(peer_init);
module_exit(peer_exit);
MODULE_DESCRIPTION("Peer of the first ULP on ib_frwr");
MODULE_LICENSE("Dual BSD/GPL");
