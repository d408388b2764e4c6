// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A first ULP on <rdma/ib_frwr.h>. It lends pages to a peer (first_ulp_peer.c),
 * which reads them, and later writes the same data to other pages.
 * Documentation/infiniband/first-ulp.rst explains this file.
 *
 * One request:
 *
 *	map       an MR of the pool, and its key        first_start()
 *	post      registration and command, one doorbell
 *	sent      the command has completed             first_sent()
 *	answered  the peer has invalidated the key      first_answered()
 *	release   after both: the pages are the ULP's   first_released()
 *
 * A connection ends after an error, when the peer disconnects, when the device is
 * removed, or when this module is removed. In each case first_abort() drains the QP, so
 * that no completion is processed any more, and ends the requests that have no answer.
 *
 * first_conn.h has the connection. conn.lock is held to open, use and close the connection,
 * but not in the handlers of completions and of CM events.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bvec.h>
#include <linux/crc32.h>
#include <linux/module.h>
#include <linux/random.h>
#include <rdma/ib_frwr.h>
#include "first_conn.h"
#include "first_ulp.h"

static char *local = "";
module_param(local, charp, 0444);
MODULE_PARM_DESC(local, "IP address of the local device");

static char *peer = "";
module_param(peer, charp, 0444);
MODULE_PARM_DESC(peer, "IP address of the peer");

struct first_request {
	struct ib_frwr_req reg;		/* registration of the pages */
	struct bio_vec bvec[FIRST_PAGES];
	struct ib_cqe sent;
	atomic_t pending;		/* outstanding: completion of the command, answer */
	atomic_t answered;		/* 1 if no answer is expected */
	int err;
	u32 want;			/* CRC of the data that is stored */
	u32 crc;			/* CRC that the peer has calculated */
};

struct first_recv {
	struct ib_cqe cqe;
	int nr;				/* index in ulp.answers */
};

static int first_open(struct first_conn *conn);
static void first_lost(void);
static void first_close(struct rdma_cm_id *id);

static struct first_ulp {
	struct first_conn conn;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_frwr *frwr;
	struct first_buf cmds;		/* FIRST_REQUESTS of struct first_cmd */
	struct first_buf answers;	/* FIRST_REQUESTS of struct first_answer */
	struct first_request requests[FIRST_REQUESTS];
	struct first_recv recvs[FIRST_REQUESTS];
	atomic_t outstanding;		/* requests that were not released */
	bool broken;			/* the connection has ended */
	wait_queue_head_t wait;		/* for outstanding and broken */
} ulp = {
	.conn = FIRST_CONN_INIT(ulp.conn, first),
	.wait = __WAIT_QUEUE_HEAD_INITIALIZER(ulp.wait),
};

/* ---- one request ---- */

static void first_lost(void)
{
	WRITE_ONCE(ulp.broken, true);
	wake_up(&ulp.wait);
}

static void first_end(struct first_request *rq, int err)
{
	if (err)
		cmpxchg(&rq->err, 0, err);
	if (atomic_dec_and_test(&ulp.outstanding))
		wake_up(&ulp.wait);
}

static void first_released(struct ib_frwr_req *reg)
{
	struct first_request *rq = container_of(reg, struct first_request, reg);

	/* the peer may still access the pages: leak them */
	if (reg->err)
		first_lost();
	first_end(rq, reg->err ? -ENOTRECOVERABLE : 0);
}

static void first_release(struct first_request *rq)
{
	if (ib_frwr_release(&rq->reg) != -EINPROGRESS)
		first_released(&rq->reg);
}

static void first_step(struct first_request *rq, int err)
{
	if (err)
		cmpxchg(&rq->err, 0, err);
	if (atomic_dec_and_test(&rq->pending))
		first_release(rq);
}

static void first_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct first_request *rq = container_of(wc->wr_cqe, struct first_request, sent);

	if (wc->status)
		first_lost();
	first_step(rq, wc->status ? -EIO : 0);
}

static int first_post_recv(struct first_recv *recv)
{
	struct ib_sge sge = {
		.addr = ulp.answers.dma + recv->nr * sizeof(struct first_answer),
		.length = sizeof(struct first_answer),
		.lkey = ulp.pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = { .wr_cqe = &recv->cqe, .sg_list = &sge, .num_sge = 1 };

	ib_dma_sync_single_for_device(ulp.conn.id->device, sge.addr, sge.length, DMA_FROM_DEVICE);
	return ib_post_recv(ulp.conn.id->qp, &wr, NULL);
}

static void first_answered(struct ib_cq *cq, struct ib_wc *wc)
{
	struct first_recv *recv = container_of(wc->wr_cqe, struct first_recv, cqe);
	const struct first_answer *answer = ulp.answers.mem + recv->nr * sizeof(*answer);
	u64 dma = ulp.answers.dma + recv->nr * sizeof(*answer);
	struct first_request *rq;
	u32 slot, crc;
	int err;

	if (wc->status) {
		first_lost();
		return;
	}
	ib_dma_sync_single_for_cpu(ulp.conn.id->device, dma, sizeof(*answer), DMA_FROM_DEVICE);
	slot = be32_to_cpu(answer->slot);
	crc = be32_to_cpu(answer->crc);
	if (first_post_recv(recv) || wc->byte_len != sizeof(*answer) ||
	    slot >= FIRST_REQUESTS || atomic_xchg(&ulp.requests[slot].answered, 1)) {
		first_lost();
		return;
	}
	rq = &ulp.requests[slot];
	rq->crc = crc;
	err = ib_frwr_remote_inv(&rq->reg, wc);
	if (err)
		first_lost();
	first_step(rq, err);
}

static void first_start(struct first_request *rq, enum first_op op)
{
	int slot = rq - ulp.requests, err;
	struct first_cmd *cmd = ulp.cmds.mem + slot * sizeof(*cmd);
	struct ib_sge sge = {
		.addr = ulp.cmds.dma + slot * sizeof(*cmd),
		.length = sizeof(*cmd),
		.lkey = ulp.pd->local_dma_lkey,
	};
	struct ib_send_wr send = {
		.wr_cqe = &rq->sent,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
	};

	rq->err = 0;
	err = ib_frwr_map_biovec(ulp.frwr, &rq->reg, rq->bvec, FIRST_PAGES,
				 op == FIRST_STORE ? DMA_TO_DEVICE : DMA_FROM_DEVICE);
	if (err) {
		first_end(rq, err);
		return;
	}
	cmd->iova = cpu_to_be64(rq->reg.iova);
	cmd->rkey = cpu_to_be32(rq->reg.rkey);
	cmd->length = cpu_to_be32(rq->reg.length);
	cmd->op = cpu_to_be32(op);
	cmd->slot = cpu_to_be32(slot);
	ib_dma_sync_single_for_device(ulp.conn.id->device, sge.addr, sge.length, DMA_TO_DEVICE);

	atomic_set(&rq->pending, 2);
	atomic_set(&rq->answered, 0);
	err = ib_frwr_post(&rq->reg, &send, NULL);
	if (err) {
		/* neither a completion of the command nor an answer follows */
		atomic_set(&rq->answered, 1);
		first_step(rq, err);
		first_step(rq, err);
	}
}

/* ---- all requests ---- */

/* end the requests that have no answer; the connection cannot be used afterwards */
static void first_abort(void)
{
	struct first_request *rq;

	first_lost();
	rdma_disconnect(ulp.conn.id);
	ib_drain_qp(ulp.conn.id->qp);
	if (!ulp.frwr)
		return;
	ib_frwr_abort(ulp.frwr);
	for (rq = ulp.requests; rq < ulp.requests + FIRST_REQUESTS; rq++) {
		if (!atomic_xchg(&rq->pending, 0))
			continue;
		cmpxchg(&rq->err, 0, -ECONNRESET);
		first_release(rq);
	}
}

static void first_fill(struct first_request *rq)
{
	int i;

	rq->want = ~0;
	for (i = 0; i < FIRST_PAGES; i++) {
		get_random_bytes(page_address(rq->bvec[i].bv_page), PAGE_SIZE);
		rq->want = crc32_le(rq->want, page_address(rq->bvec[i].bv_page), PAGE_SIZE);
	}
}

static void first_clear(struct first_request *rq)
{
	int i;

	for (i = 0; i < FIRST_PAGES; i++)
		clear_page(page_address(rq->bvec[i].bv_page));
}

/*
 * Compare the CRCs of this end and of the peer with the CRC of the stored
 * data.
 */
static int first_compare(const struct first_request *rq)
{
	u32 crc = ~0;
	int i;

	for (i = 0; i < FIRST_PAGES; i++)
		crc = crc32_le(crc, page_address(rq->bvec[i].bv_page), PAGE_SIZE);
	return crc == rq->want && rq->crc == rq->want ? 0 : -EBADMSG;
}

static int first_exchange(enum first_op op)
{
	int i, err = 0;

	atomic_set(&ulp.outstanding, FIRST_REQUESTS);
	for (i = 0; i < FIRST_REQUESTS; i++)
		first_start(&ulp.requests[i], op);
	wait_event(ulp.wait, !atomic_read(&ulp.outstanding) || READ_ONCE(ulp.broken));
	if (READ_ONCE(ulp.broken))
		first_abort();
	for (i = 0; i < FIRST_REQUESTS && !err; i++)
		err = ulp.requests[i].err ?: first_compare(&ulp.requests[i]);
	return err;
}

/* lend random data to the peer, and have the peer write it to cleared pages */
static int first_move(void)
{
	int i, err;

	if (!ulp.conn.id || READ_ONCE(ulp.broken))
		return -ENOTCONN;
	for (i = 0; i < FIRST_REQUESTS; i++)
		first_fill(&ulp.requests[i]);
	err = first_exchange(FIRST_STORE);
	if (err)
		return err;
	for (i = 0; i < FIRST_REQUESTS; i++)
		first_clear(&ulp.requests[i]);
	return first_exchange(FIRST_FETCH);
}

/* called by, for example: echo 10 > /sys/module/first_ulp/parameters/move */
static int first_move_set(const char *val, const struct kernel_param *kp)
{
	u32 rounds;
	int err;

	err = kstrtou32(val, 0, &rounds);
	if (err)
		return err;
	mutex_lock(&ulp.conn.lock);
	while (rounds-- && !err)
		err = first_move();
	mutex_unlock(&ulp.conn.lock);
	return err;
}

static const struct kernel_param_ops first_move_ops = { .set = first_move_set };
module_param_cb(move, &first_move_ops, NULL, 0200);
MODULE_PARM_DESC(move, "store and fetch this many times 1 MiB, and compare");

/* ---- the connection ---- */

static void first_attr(struct ib_frwr_attr *attr)
{
	*attr = (struct ib_frwr_attr) {
		.mr = {
			.mr_type = IB_MR_TYPE_FAST_REG,
			.max_reg_descs = FIRST_BYTES / SZ_4K,
		},
		.min_mrs = FIRST_REQUESTS,
		.max_mrs = FIRST_REQUESTS,
	};
}

static int first_create_qp(const struct ib_frwr_attr *attr)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = {
			/* commands, work requests of ib_frwr, and one for ib_drain_qp() */
			.max_send_wr = FIRST_REQUESTS + ib_frwr_slots(attr) + 1,
			.max_recv_wr = FIRST_REQUESTS + 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	ulp.cq = ib_alloc_cq_any(ulp.conn.id->device, NULL,
				 init.cap.max_send_wr + init.cap.max_recv_wr, IB_POLL_SOFTIRQ);
	if (IS_ERR(ulp.cq))
		return PTR_ERR(ulp.cq);
	init.send_cq = ulp.cq;
	init.recv_cq = ulp.cq;
	return rdma_create_qp(ulp.conn.id, ulp.pd, &init);
}

static int first_alloc_pages(void)
{
	struct page *page;
	int i, j;

	for (i = 0; i < FIRST_REQUESTS; i++) {
		for (j = 0; j < FIRST_PAGES; j++) {
			page = alloc_page(GFP_KERNEL | __GFP_ZERO);
			if (!page)
				return -ENOMEM;
			bvec_set_page(&ulp.requests[i].bvec[j], page, PAGE_SIZE, 0);
		}
	}
	return 0;
}

static void first_free_pages(struct first_request *rq)
{
	int i;

	for (i = 0; i < FIRST_PAGES; i++) {
		/* pages that the peer may still access are leaked */
		if (rq->bvec[i].bv_page && !rq->reg.err)
			__free_page(rq->bvec[i].bv_page);
	}
	memset(rq, 0, sizeof(*rq));
}

static int first_prepare(void)
{
	struct ib_device *dev = ulp.conn.id->device;
	struct ib_frwr_attr attr;
	int i, err;

	err = first_alloc_pages() ?:
	      first_buf_alloc(dev, &ulp.cmds, FIRST_REQUESTS * sizeof(struct first_cmd),
			      DMA_TO_DEVICE) ?:
	      first_buf_alloc(dev, &ulp.answers, FIRST_REQUESTS * sizeof(struct first_answer),
			      DMA_FROM_DEVICE);
	if (err)
		return err;
	ulp.pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(ulp.pd))
		return PTR_ERR(ulp.pd);
	first_attr(&attr);
	err = first_create_qp(&attr);
	if (err)
		return err;
	ulp.frwr = ib_frwr_create(ulp.conn.id->qp, &attr);
	if (IS_ERR(ulp.frwr)) {
		err = PTR_ERR(ulp.frwr);
		ulp.frwr = NULL;
		return err;
	}
	for (i = 0; i < FIRST_REQUESTS; i++) {
		ulp.requests[i].sent.done = first_sent;
		ulp.requests[i].reg.released = first_released;
		atomic_set(&ulp.requests[i].answered, 1);
		ulp.recvs[i].cqe.done = first_answered;
		ulp.recvs[i].nr = i;
		err = first_post_recv(&ulp.recvs[i]);
		if (err)
			return err;
	}
	return 0;
}

static int first_open(struct first_conn *conn)
{
	return first_resolve(conn, local, peer) ?:
	       first_prepare() ?:
	       first_connect(conn, FIRST_REQUESTS);
}

/* undo first_open(), which may have failed after any of its steps */
static void first_close(struct rdma_cm_id *id)
{
	int i;

	if (id->qp)
		first_abort();
	if (ulp.frwr && ib_frwr_destroy(ulp.frwr))
		pr_err("the registration context is in use\n");
	if (id->qp)
		rdma_destroy_qp(id);
	if (!IS_ERR_OR_NULL(ulp.cq))
		ib_free_cq(ulp.cq);
	if (!IS_ERR_OR_NULL(ulp.pd))
		ib_dealloc_pd(ulp.pd);
	first_buf_free(id->device, &ulp.answers);
	first_buf_free(id->device, &ulp.cmds);
	for (i = 0; i < FIRST_REQUESTS; i++)
		first_free_pages(&ulp.requests[i]);
}

static int __init first_init(void)
{
	return first_conn_up(&ulp.conn);
}

static void __exit first_exit(void)
{
	first_conn_down(&ulp.conn);
}

module_init(first_init);
module_exit(first_exit);
MODULE_DESCRIPTION("A first ULP on ib_frwr");
MODULE_LICENSE("Dual BSD/GPL");
