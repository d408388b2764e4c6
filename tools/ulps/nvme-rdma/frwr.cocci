// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
//
// Semantic patch for Coccinelle: turns drivers/nvme/host/rdma.c of Linux into an NVMe host that
// registers memory with ib_frwr. The page "nvme-rdma on ib_frwr" of the documentation explains it.
//
// Requests with protection information still use the MR pool of the QP and scatterlists.

@ headers @
@@
 #include <rdma/rdma_cm.h>
+#include <rdma/ib_frwr.h>
+#include <linux/memremap.h>

// ---- data of requests and queues ----

@ request_members @
@@
 struct nvme_rdma_request {
 	...
+	struct ib_frwr_req	reg;
+	bool			use_frwr;
+	bool			use_sg;
+	bool			use_page;
+	bool			inline_cmd;
+	int			sent_before;
+	atomic_t		reg_ended;
 	struct nvme_rdma_qe	sqe;
 	...
 };

@ queue_members @
@@
+enum nvme_rdma_poll_state {
+	NVME_RDMA_POLL_IDLE,
+	NVME_RDMA_POLL_RUNS,
+	NVME_RDMA_POLL_OFF,
+};
+
 struct nvme_rdma_queue {
 	...
 	struct ib_qp		*qp;
+	struct ib_frwr		*frwr;
+	bool			aborted;
+	atomic_t		poll_state;
+	struct nvme_rdma_qe	*capsules;
+	int			nr_capsules;
+	bool			inline_cmds;
+	int			max_unsignaled;
+	int			freed;
+	atomic_t		reserved;
+	atomic_t		sent;
 	...
 };

// ---- a registration context for each queue ----

@ queue_entries @
identifier queue, factor;
expression pd;
@@
 nvme_rdma_create_qp(struct nvme_rdma_queue *queue, const int
-	factor
+	slots
 	)
 {
 	...
 	init_attr.cap.max_send_wr =
-		factor * queue->queue_size
+		queue->queue_size + slots + 2 * queue->max_unsignaled
 		+ 1;
+	init_attr.cap.max_inline_data = sizeof(struct nvme_command);
 	...
 	ret = rdma_create_qp(queue->cm_id, pd, &init_attr);
+	/* some drivers create a QP without inline data, and return max_inline_data 0 */
+	queue->inline_cmds = !ret &&
+		init_attr.cap.max_inline_data >= sizeof(struct nvme_command);
+	if (ret) {
+		/* retry without inline data and with fewer WRs */
+		init_attr.cap.max_send_wr = queue->queue_size + slots + 1;
+		init_attr.cap.max_inline_data = 0;
+		ret = rdma_create_qp(queue->cm_id, pd, &init_attr);
+	}
 	...
 }

@ context @
identifier queue, factor, cq_factor;
expression three;
@@
+static struct ib_frwr_attr nvme_rdma_frwr_attr(struct nvme_rdma_queue *queue)
+{
+	struct ib_frwr_attr attr = {
+		.mr.mr_type = IB_MR_TYPE_FAST_REG,
+		.min_mrs = queue->queue_size,
+		.max_mrs = queue->queue_size,
+	};
+
+	attr.mr.max_reg_descs = nvme_rdma_get_max_fr_pages(queue->device->dev,
+							   queue->pi_support) + 1;
+	return attr;
+}
+
 nvme_rdma_create_queue_ib(struct nvme_rdma_queue *queue)
 {
 	...
-	const int factor = three;
-	const int cq_factor = factor + 1;
+	struct ib_frwr_attr attr;
+	int slots;
 	...
-	queue->cq_size = cq_factor * queue->queue_size + 1;
+	attr = nvme_rdma_frwr_attr(queue);
+	slots = ib_frwr_slots(&attr);
+	queue->max_unsignaled = queue->queue_size / 2;
+	queue->freed = 0;
+	atomic_set(&queue->reserved, 0);
+	atomic_set(&queue->sent, 0);
+	queue->cq_size = 2 * queue->queue_size + slots + 2 * queue->max_unsignaled + 1;
+	/* one CQE for the signature error of each MR with protection information */
+	if (queue->pi_support)
+		queue->cq_size += queue->queue_size;
 	...
-	ret = nvme_rdma_create_qp(queue, factor);
+	ret = nvme_rdma_create_qp(queue, slots);
 	...
 }

@ create_context @
identifier queue;
symbol IB_MR_TYPE_MEM_REG;
expression pages;
statement S;
@@
-	ret = ib_mr_pool_init(queue->qp, &queue->qp->rdma_mrs, queue->queue_size,
-			IB_MR_TYPE_MEM_REG, pages, 0);
-	if (ret)
+	WRITE_ONCE(queue->aborted, false);
+	queue->frwr = ib_frwr_create(queue->qp, &attr);
+	ret = PTR_ERR_OR_ZERO(queue->frwr);
+	if (ret)
 	S

@ destroy_context @
identifier queue;
@@
-	ib_mr_pool_destroy(queue->qp, &queue->qp->rdma_mrs);
+	WARN_ON_ONCE(ib_frwr_destroy(queue->frwr));
+	queue->frwr = NULL;

// ---- polled queues: one task at a time polls a CQ, but not while it is drained or freed ----
//
// After the drain, tasks poll again: the release of a request that timed out may need their polls.

@ stop_polls @
identifier queue;
@@
+static void nvme_rdma_stop_polls(struct nvme_rdma_queue *queue)
+{
+	while (atomic_cmpxchg(&queue->poll_state, NVME_RDMA_POLL_IDLE,
+			      NVME_RDMA_POLL_OFF) == NVME_RDMA_POLL_RUNS)
+		usleep_range(10, 50);
+}
+
 nvme_rdma_destroy_queue_ib(struct nvme_rdma_queue *queue)
 {
 	...
 	dev = queue->device;
+	nvme_rdma_stop_polls(queue);
 	...
 }

@ stop_polls_before_drain @
expression queue;
@@
 rdma_disconnect(queue->cm_id);
+nvme_rdma_stop_polls(queue);
 ib_drain_qp(queue->qp);
+atomic_set_release(&queue->poll_state, NVME_RDMA_POLL_IDLE);

@ start_polls @
expression queue;
symbol NVME_RDMA_Q_TR_READY;
@@
 set_bit(NVME_RDMA_Q_TR_READY, &queue->flags);
+atomic_set_release(&queue->poll_state, NVME_RDMA_POLL_IDLE);

@ poll_in_turn @
identifier hctx, iob, queue;
@@
 nvme_rdma_poll(struct blk_mq_hw_ctx *hctx, struct io_comp_batch *iob)
 {
 	struct nvme_rdma_queue *queue = hctx->driver_data;
+	int completed;
 	...
-	return ib_process_cq_direct(queue->ib_cq, -1);
+	if (atomic_cmpxchg(&queue->poll_state, NVME_RDMA_POLL_IDLE,
+			   NVME_RDMA_POLL_RUNS) != NVME_RDMA_POLL_IDLE)
+		return 0;
+	completed = ib_process_cq_direct(queue->ib_cq, -1);
+	atomic_set_release(&queue->poll_state, NVME_RDMA_POLL_IDLE);
+	return completed;
 }

// ---- map and post ----

@ delete_map_sg_fr @
identifier map =~ "^nvme_rdma_map_sg_fr$";
@@
-static int map(...) { ... }

@ delete_memreg_done @
identifier done =~ "^nvme_rdma_memreg_done$";
@@
-static void done(...) { ... }

@ map_data @
identifier queue, rq, c, req, ibdev, count, pi_count, ret;
@@
+/* maps the data of a request whose data is one bio_vec, for the capsule. Return: 0, or 1 */
+static int nvme_rdma_map_page(struct nvme_rdma_queue *queue, struct nvme_rdma_request *req,
+		struct nvme_command *c)
+{
+	struct nvme_sgl_desc *sg = &c->common.dptr.sgl;
+	struct request *rq = blk_mq_rq_from_pdu(req);
+	struct ib_device *ibdev = queue->device->dev;
+	struct ib_sge *sge = &req->sge[1];
+	struct bio_vec bv = req_bvec(rq);
+
+	if (unlikely(bv.bv_len != blk_rq_payload_bytes(rq) || is_pci_p2pdma_page(bv.bv_page)))
+		return 1;
+	sge->addr = ib_dma_map_page(ibdev, bv.bv_page, bv.bv_offset, bv.bv_len, DMA_TO_DEVICE);
+	if (unlikely(ib_dma_mapping_error(ibdev, sge->addr)))
+		return 1;
+	sge->length = bv.bv_len;
+	sge->lkey = queue->device->pd->local_dma_lkey;
+	req->num_sge = 2;
+	req->use_page = true;
+	sg->addr = cpu_to_le64(queue->ctrl->ctrl.icdoff);
+	sg->length = cpu_to_le32(bv.bv_len);
+	sg->type = (NVME_SGL_FMT_DATA_DESC << 4) | NVME_SGL_FMT_OFFSET;
+	return 0;
+}
+
+static int nvme_rdma_map_frwr(struct nvme_rdma_queue *queue, struct nvme_rdma_request *req,
+		struct nvme_command *c)
+{
+	struct nvme_keyed_sgl_desc *sg = &c->common.dptr.ksgl;
+	struct request *rq = blk_mq_rq_from_pdu(req);
+	int ret;
+
+	if (unlikely(rq->rq_flags & RQF_SPECIAL_PAYLOAD))
+		ret = ib_frwr_map_biovec(queue->frwr, &req->reg, &rq->special_vec, 1,
+					 rq_dma_dir(rq));
+	else
+		ret = ib_frwr_map_bio(queue->frwr, &req->reg, rq->bio, rq_dma_dir(rq));
+	if (unlikely(ret))
+		return ret;
+	req->use_frwr = true;
+	req->reg.released = NULL;
+	atomic_set(&req->reg_ended, 0);
+	sg->addr = cpu_to_le64(req->reg.iova);
+	put_unaligned_le24(req->reg.length, sg->length);
+	put_unaligned_le32(req->reg.rkey, sg->key);
+	sg->type = (NVME_KEY_SGL_FMT_DATA_DESC << 4) | NVME_SGL_FMT_INVALIDATE;
+	return 0;
+}
+
+static bool nvme_rdma_fits_capsule(struct nvme_rdma_queue *queue, struct request *rq)
+{
+	return rq_data_dir(rq) == WRITE && nvme_rdma_queue_idx(queue) &&
+	       queue->ctrl->use_inline_data &&
+	       blk_rq_nr_phys_segments(rq) <= queue->device->num_inline_segments &&
+	       blk_rq_payload_bytes(rq) <= nvme_rdma_inline_data_size(queue);
+}
+
+/* Return: 0; an errno; or 1 if nvme_rdma_map_data() must map the request by a scatterlist */
+static int nvme_rdma_map_without_sg(struct nvme_rdma_queue *queue,
+		struct nvme_rdma_request *req, struct nvme_command *c)
+{
+	struct request *rq = blk_mq_rq_from_pdu(req);
+	bool one = blk_rq_nr_phys_segments(rq) == 1;
+
+	if (req->use_sig_mr)
+		return 1;
+	if (nvme_rdma_fits_capsule(queue, rq))
+		return one ? nvme_rdma_map_page(queue, req, c) : 1;
+	/* nvme_rdma_map_data() uses the global rkey only if a SEND may have several SGEs */
+	if (one && queue->device->num_inline_segments &&
+	    queue->device->pd->flags & IB_PD_UNSAFE_GLOBAL_RKEY)
+		return 1;
+	return nvme_rdma_map_frwr(queue, req, c);
+}
+
 nvme_rdma_map_data(struct nvme_rdma_queue *queue, struct request *rq, struct nvme_command *c)
 {
 	...
 	req->num_sge = 1;
+	req->use_frwr = false;
+	req->use_sg = false;
+	req->use_page = false;
 	...
+	ret = nvme_rdma_map_without_sg(queue, req, c);
+	if (ret <= 0)
+		return ret;
+	req->use_sg = true;
 	ret = nvme_rdma_dma_map_req(ibdev, rq, &count, &pi_count);
 	...
-	ret = nvme_rdma_map_sg_fr(queue, req, c, count);
+	ret = -EIO;
 	...
 }

@ unmap_data @
identifier queue, rq, req, dev, ibdev;
@@
 nvme_rdma_unmap_data(struct nvme_rdma_queue *queue, struct request *rq)
 {
 	...
 	struct nvme_rdma_request *req = blk_mq_rq_to_pdu(rq);
 	...
 	struct ib_device *ibdev = dev->dev;
 	...
 	if (!blk_rq_nr_phys_segments(rq))
 		return;
+	if (req->use_page)
+		ib_dma_unmap_page(ibdev, req->sge[1].addr, req->sge[1].length, DMA_TO_DEVICE);
+	if (!req->use_sg)
+		return;
 	...
 }

// ---- the command is inside the WR, or in memory of the queue if its capsule has data ----

@ free_capsules @
expression size, dir;
symbol queue, ibdev;
@@
+	nvme_rdma_free_ring(ibdev, queue->capsules, queue->nr_capsules,
+			    sizeof(struct nvme_command), DMA_TO_DEVICE);
 	nvme_rdma_free_ring(ibdev, queue->rsp_ring, queue->queue_size, size, dir);

@ alloc_capsules @
expression size, dir;
statement S;
symbol queue, ibdev, ret;
@@
 	queue->rsp_ring = nvme_rdma_alloc_ring(ibdev, queue->queue_size, size, dir);
 	if (!queue->rsp_ring)
 		S
+	/* a reconnected queue may be shorter, but the number of tags does not shrink */
+	queue->nr_capsules = max_t(int, queue->queue_size, queue->ctrl->tag_set.queue_depth);
+	queue->capsules = nvme_rdma_alloc_ring(ibdev, queue->nr_capsules,
+					       sizeof(struct nvme_command), DMA_TO_DEVICE);
+	if (!queue->capsules) {
+		nvme_rdma_free_ring(ibdev, queue->rsp_ring, queue->queue_size, size, dir);
+		ret = -ENOMEM;
+		goto out_destroy_qp;
+	}

@ place_cmd @
identifier hctx, bd, dev, sqe;
expression size, dir;
symbol queue, req, err;
@@
+/*
+ * Copies a command that does not go into the WR to the capsule with the number of the
+ * tag. That capsule is free: a tag has at most one outstanding SEND.
+ */
+static int nvme_rdma_place_cmd(struct nvme_rdma_queue *queue, struct nvme_rdma_request *req)
+{
+	unsigned int tag = blk_mq_rq_from_pdu(req)->tag;
+	struct ib_device *ibdev = queue->device->dev;
+	struct nvme_rdma_qe *qe;
+
+	req->inline_cmd = queue->inline_cmds && req->num_sge == 1;
+	if (req->inline_cmd)
+		return 0;
+	if (WARN_ON_ONCE(tag >= queue->nr_capsules))
+		return -EIO;
+	qe = &queue->capsules[tag];
+	ib_dma_sync_single_for_cpu(ibdev, qe->dma, sizeof(struct nvme_command), DMA_TO_DEVICE);
+	memcpy(qe->data, req->sqe.data, sizeof(struct nvme_command));
+	ib_dma_sync_single_for_device(ibdev, qe->dma, sizeof(struct nvme_command),
+				      DMA_TO_DEVICE);
+	req->sqe.dma = qe->dma;
+	return 0;
+}
+
 nvme_rdma_queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
 {
 	<...
(
-	req->sqe.dma = ib_dma_map_single(dev, req->sqe.data, size, dir);
-	err = ib_dma_mapping_error(dev, req->sqe.dma);
-	if (unlikely(err))
-		return BLK_STS_RESOURCE;
-	ib_dma_sync_single_for_cpu(dev, sqe->dma, size, dir);
|
-	ib_dma_sync_single_for_device(dev, sqe->dma, size, dir);
+	err = nvme_rdma_place_cmd(queue, req);
+	if (unlikely(err))
+		goto err_unmap;
|
-	ib_dma_unmap_single(dev, req->sqe.dma, size, dir);
)
 	...>
 }

@ queue_rq_device @
identifier hctx, bd, dev;
symbol queue;
@@
 nvme_rdma_queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
 {
 	...
-	struct ib_device *dev;
 	...
-	dev = queue->device->dev;
 	...
 }

@ complete_cmd @
identifier rq, ibdev, req;
symbol queue;
expression size, dir;
@@
 nvme_rdma_complete_rq(struct request *rq)
 {
 	...
-	struct ib_device *ibdev = queue->device->dev;
 	...
-	ib_dma_unmap_single(ibdev, req->sqe.dma, size, dir);
 	...
 }

// ---- posting: a command inside the WR needs no completion ----

@ post_send @
identifier queue, qe, sge, num_sge, first, wr, ret;
@@
+/*
+ * Reserves space in the send queue for a WR without a completion. @middle: half of the
+ * space is used; this WR gets a completion, which frees space before the queue is full.
+ */
+static bool nvme_rdma_reserve(struct nvme_rdma_queue *queue, bool *middle)
+{
+	int n = atomic_inc_return(&queue->reserved) - READ_ONCE(queue->freed);
+
+	*middle = n == queue->max_unsignaled / 2;
+	if (likely(n <= queue->max_unsignaled))
+		return true;
+	atomic_dec(&queue->reserved);
+	return false;
+}
+
+/* Return: true if nvme_rdma_reserve() has reserved space for the WR */
+static bool nvme_rdma_prepare_send(struct nvme_rdma_queue *queue,
+		struct nvme_rdma_request *req, struct ib_send_wr *wr)
+{
+	bool middle = true, reserved = false;
+
+	if (req->inline_cmd) {
+		wr->sg_list->addr = (unsigned long)req->sqe.data;
+		wr->send_flags |= IB_SEND_INLINE;
+		reserved = !req->use_sig_mr && nvme_rdma_reserve(queue, &middle);
+	}
+	if (likely(reserved && !middle)) {
+		wr->send_flags &= ~IB_SEND_SIGNALED;
+		refcount_set(&req->ref, 1);
+	} else {
+		req->sent_before = atomic_read(&queue->sent);
+	}
+	return reserved;
+}
+
 nvme_rdma_post_send(struct nvme_rdma_queue *queue, struct nvme_rdma_qe *qe, struct ib_sge *sge,
-	u32 num_sge, struct ib_send_wr *first
+	u32 num_sge, struct ib_send_wr *first, struct nvme_rdma_request *req
 	)
 {
 	struct ib_send_wr wr;
+	bool reserved;
 	int ret;
 	...
 	wr.send_flags = IB_SEND_SIGNALED;
+	reserved = req && nvme_rdma_prepare_send(queue, req, &wr);
 	...
-	ret = ib_post_send(queue->qp, first, NULL);
+	if (req && req->use_frwr)
+		ret = ib_frwr_post(&req->reg, first, NULL);
+	else
+		ret = ib_post_send(queue->qp, first, NULL);
+	if (reserved) {
+		if (likely(!ret))
+			atomic_inc(&queue->sent);
+		else
+			atomic_dec(&queue->reserved);
+	}
 	...
 }

@ send_done @
identifier cq, wc, qe, req;
@@
+/* a SEND has completed: the space of this WR and of all earlier WRs is free */
+static void nvme_rdma_end_send(struct nvme_rdma_request *req)
+{
+	struct nvme_rdma_queue *queue = req->queue;
+
+	if (req->sent_before - queue->freed > 0)
+		WRITE_ONCE(queue->freed, req->sent_before);
+	nvme_rdma_end_request(req);
+}
+
 nvme_rdma_send_done(struct ib_cq *cq, struct ib_wc *wc)
 {
 	...
 	if (unlikely(wc->status != IB_WC_SUCCESS))
 		nvme_rdma_wr_error(cq, wc, "SEND");
 	else
-		nvme_rdma_end_request(req);
+		nvme_rdma_end_send(req);
 }

@ post_event @
expression queue, sqe, sge;
@@
 nvme_rdma_post_send(queue, sqe, sge, 1, NULL
+	, NULL
 	)

// ---- the response ----

@ response @
identifier queue, cqe, wc, req;
@@
+/* the key of a request is invalid now; a timeout or an error had completed the request */
+static void nvme_rdma_rq_released(struct ib_frwr_req *reg)
+{
+	struct nvme_rdma_request *req = container_of(reg, struct nvme_rdma_request, reg);
+
+	req->use_frwr = false;
+	nvme_rdma_complete_rq(blk_mq_rq_from_pdu(req));
+}
+
+/* the key of a request with a response is invalid now; the host has invalidated the key */
+static void nvme_rdma_rsp_released(struct ib_frwr_req *reg)
+{
+	struct nvme_rdma_request *req = container_of(reg, struct nvme_rdma_request, reg);
+
+	if (unlikely(atomic_xchg(&req->reg_ended, 1))) {
+		nvme_rdma_rq_released(reg);
+		return;
+	}
+	/* the error recovery completes all requests of the queue */
+	if (unlikely(reg->status != IB_WC_SUCCESS)) {
+		nvme_rdma_error_recovery(req->queue->ctrl);
+		return;
+	}
+	nvme_rdma_end_request(req);
+}
+
+/*
+ * Return: false if a callback completes the request later. A request with a response may
+ * also time out or be cancelled: then the later of the two events completes the request.
+ */
+static bool nvme_rdma_release_rq(struct nvme_rdma_request *req)
+{
+	if (!req->use_frwr)
+		return true;
+	if (req->reg.released)
+		return atomic_xchg(&req->reg_ended, 1);
+	req->reg.released = nvme_rdma_rq_released;
+	return !ib_frwr_release(&req->reg);
+}
+
+static void nvme_rdma_release_rsp(struct nvme_rdma_request *req, struct ib_wc *wc)
+{
+	struct nvme_rdma_ctrl *ctrl = req->queue->ctrl;
+
+	if (unlikely(ib_frwr_remote_inv(&req->reg, wc))) {
+		dev_err(ctrl->ctrl.device, "Bogus remote invalidation for rkey %#x\n",
+			req->reg.rkey);
+		nvme_rdma_error_recovery(ctrl);
+		return;
+	}
+	req->reg.released = nvme_rdma_rsp_released;
+	if (ib_frwr_release(&req->reg))
+		return;
+	req->use_frwr = false;
+	nvme_rdma_end_request(req);
+}
+
 nvme_rdma_process_nvme_rsp(struct nvme_rdma_queue *queue, struct nvme_completion *cqe,
 	struct ib_wc *wc)
 {
 	...
 	req->result = cqe->result;
+	if (req->use_frwr) {
+		nvme_rdma_release_rsp(req, wc);
+		return;
+	}
 	...
 }

// ---- the end of a request ----

@ complete @
identifier rq, req, queue;
@@
 nvme_rdma_complete_rq(struct request *rq)
 {
 	struct nvme_rdma_request *req = blk_mq_rq_to_pdu(rq);
 	struct nvme_rdma_queue *queue = req->queue;
 	...
+	if (!nvme_rdma_release_rq(req))
+		return;
 	nvme_rdma_unmap_data(queue, rq);
 	...
 }

@ queue_rq_post @
expression queue, sqe, sge, num_sge, first;
@@
 nvme_rdma_post_send(queue, sqe, sge, num_sge,
	req->mr ? first : NULL
+	, req
 	)

@ queue_rq_failure @
identifier hctx, bd;
@@
 nvme_rdma_queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
 {
 	<...
+	/* a callback may complete the request: set its status like nvme_host_path_error() */
+	nvme_req(rq)->status = NVME_SC_HOST_PATH_ERROR;
+	blk_mq_set_request_complete(rq);
+	if (!nvme_rdma_release_rq(req))
+		return BLK_STS_OK;
 	nvme_rdma_unmap_data(queue, rq);
 	...>
 }

// ---- a queue that is stopped ----

@ abort_functions @
identifier ctrl;
@@
+/* drains the send queue: no task may poll for the completion of a LOCAL_INV */
+static void nvme_rdma_drain_polled(struct nvme_rdma_queue *queue)
+{
+	mutex_lock(&queue->queue_lock);
+	nvme_rdma_stop_polls(queue);
+	ib_drain_sq(queue->qp);
+	atomic_set_release(&queue->poll_state, NVME_RDMA_POLL_IDLE);
+	mutex_unlock(&queue->queue_lock);
+}
+
+static void nvme_rdma_abort_queue(struct nvme_rdma_queue *queue)
+{
+	if (IS_ERR_OR_NULL(queue->frwr))
+		return;
+	nvme_rdma_stop_polls(queue);
+	ib_frwr_abort(queue->frwr);
+}
+
+/*
+ * After this function, no request of the queues times out. The queues were synced before,
+ * but a timer may run: the timeout work for which the sync waited may have armed it.
+ */
+static void nvme_rdma_end_timeouts(struct nvme_rdma_ctrl *ctrl, int first, int end)
+{
+	int i;
+
+	for (i = first; i < end; i++)
+		WRITE_ONCE(ctrl->queues[i].aborted, true);
+	if (first) {
+		nvme_sync_io_queues(&ctrl->ctrl);
+		return;
+	}
+	blk_sync_queue(ctrl->ctrl.admin_q);
+	blk_sync_queue(ctrl->ctrl.fabrics_q);
+}
+
+/*
+ * The queues are drained. Requests that have already completed, for example by a timeout,
+ * release their keys. Requests of polled queues have begun; the abort of the queue ends the
+ * release. A softirq may complete requests of other queues later.
+ */
+static void nvme_rdma_abort_queues(struct nvme_rdma_ctrl *ctrl, int first, int end,
+		struct blk_mq_tag_set *set)
+{
+	int i;
+
+	nvme_rdma_end_timeouts(ctrl, first, end);
+	for (i = first; i < end; i++)
+		if (ctrl->queues[i].frwr && nvme_rdma_poll_queue(&ctrl->queues[i]))
+			nvme_rdma_abort_queue(&ctrl->queues[i]);
+	if (set)
+		blk_mq_tagset_wait_completed_request(set);
+	for (i = first; i < end; i++)
+		nvme_rdma_abort_queue(&ctrl->queues[i]);
+}
+
 nvme_rdma_free_io_queues(struct nvme_rdma_ctrl *ctrl)
 { ... }

// After each call of nvme_rdma_stop_io_queues(), the requests are cancelled. This rule does not
// match the cancellation, because in one place a label is between the call and the cancellation.
@ abort_io @
identifier ctrl;
@@
 nvme_rdma_stop_io_queues(ctrl);
+nvme_rdma_abort_queues(ctrl, 1, ctrl->ctrl.queue_count, ctrl->ctrl.tagset);

@ abort_admin @
identifier ctrl;
@@
 nvme_rdma_stop_queue(&ctrl->queues[0]);
+nvme_rdma_abort_queues(ctrl, 0, 1, ctrl->ctrl.admin_tagset);
 nvme_cancel_admin_tagset(&ctrl->ctrl);

@ timed_out @
identifier rq, req, queue;
@@
 nvme_rdma_complete_timed_out(struct request *rq)
 {
 	struct nvme_rdma_request *req = blk_mq_rq_to_pdu(rq);
 	struct nvme_rdma_queue *queue = req->queue;
+	enum nvme_ctrl_state state = nvme_ctrl_state(&queue->ctrl->ctrl);
+	/* the deletion of the controller waits for this request before it aborts the queue */
+	bool drain = req->use_frwr && rq->cmd_flags & REQ_POLLED &&
+		     (state == NVME_CTRL_DELETING || state == NVME_CTRL_DELETING_NOIO);
 	...
+	if (READ_ONCE(queue->aborted))
+		return;		/* nvme_cancel_tagset() completes the request */
+	/* a queue that connects is not stopped, and its QP may retry a SEND without limit */
+	if (req->use_frwr && test_bit(NVME_RDMA_Q_ALLOCATED, &queue->flags))
+		rdma_disconnect(queue->cm_id);
 	nvme_rdma_stop_queue(queue);
 	nvmf_complete_timed_out_request(rq);
+	if (drain)
+		nvme_rdma_drain_polled(queue);
 }

// ---- a device that is removed while a controller connects ----
//
// nvme_rdma_remove_one() removes the controllers in the list, and a controller that is being
// created is not in the list. The removal must wait for the queues of such a controller, too: the
// RDMA core destroys the pool of CQs when the remove functions of all clients have returned. A
// queue without a QP waits for an event of its CM identifier, and RDMA_CM_EVENT_DEVICE_REMOVAL is
// the last event.

@ gone_member @
@@
 struct nvme_rdma_device {
 	...
 	struct ib_pd		*pd;
+	struct completion	*gone;
 	...
 };

@ gone_functions @
identifier ref;
symbol ndev, device_list_mutex;
@@
+static struct ib_client nvme_rdma_ib_client;
+
+/* Return: true if the device is being removed; the removal waits for the device's queues */
+static bool nvme_rdma_is_going(struct nvme_rdma_device *ndev)
+{
+	return READ_ONCE(ndev->gone);
+}
+
 nvme_rdma_free_dev(struct kref *ref)
 {
 	struct nvme_rdma_device *ndev = container_of(ref, struct nvme_rdma_device, ref);
+	struct completion *gone;
 	mutex_lock(&device_list_mutex);
 	list_del(&ndev->entry);
+	gone = ndev->gone;
 	mutex_unlock(&device_list_mutex);
 	...
 	kfree(ndev);
+	if (gone)
+		complete(gone);
 }

@ refuse_device @
identifier id;
symbol device_list_mutex;
@@
 nvme_rdma_find_get_device(struct rdma_cm_id *id)
 {
 	...
 	mutex_lock(&device_list_mutex);
+	if (!ib_get_client_data(id->device, &nvme_rdma_ib_client))
+		goto out_err;
 	...
 }

@ removal_event @
identifier id, ev, queue, err;
statement S;
@@
 nvme_rdma_cm_handler(struct rdma_cm_id *id, struct rdma_cm_event *ev)
 {
 	struct nvme_rdma_queue *queue = id->context;
 	int err = 0;
 	<...
+	if (ev->event == RDMA_CM_EVENT_DEVICE_REMOVAL)
+		err = -ENODEV;
 	if (err)
 		S
 	...>
 }

@ going_in_setup @
identifier ctrl, new, changed;
symbol ret;
@@
 nvme_rdma_setup_ctrl(struct nvme_rdma_ctrl *ctrl, bool new)
 {
 	<...
+	if (nvme_rdma_is_going(ctrl->device)) {
+		ret = -ENODEV;
+		goto destroy_io;
+	}
 	changed = nvme_change_ctrl_state(&ctrl->ctrl, NVME_CTRL_LIVE);
 	...>
 }

@ going_when_listed @
symbol ctrl;
@@
 list_add_tail(&ctrl->list, &nvme_rdma_ctrl_list);
+if (nvme_rdma_is_going(ctrl->device))
+	nvme_delete_ctrl(&ctrl->ctrl);

@ delete_remove_one @
identifier remove =~ "^nvme_rdma_remove_one$";
@@
-static void remove(...) { ... }

@ client_functions @
identifier dev, opts;
iterator name list_for_each_entry;
@@
+static int nvme_rdma_add_one(struct ib_device *ib_device)
+{
+	ib_set_client_data(ib_device, &nvme_rdma_ib_client, ib_device);
+	return 0;
+}
+
+static void nvme_rdma_del_one(struct ib_device *ib_device, void *client_data)
+{
+	struct nvme_rdma_device *found = NULL;
+	struct nvme_rdma_device *ndev;
+	DECLARE_COMPLETION_ONSTACK(gone);
+	struct nvme_rdma_ctrl *ctrl;
+
+	mutex_lock(&device_list_mutex);
+	/* from now on, no queue finds the device */
+	ib_set_client_data(ib_device, &nvme_rdma_ib_client, NULL);
+	list_for_each_entry(ndev, &device_list, entry)
+		if (ndev->dev == ib_device)
+			found = ndev;
+	if (found)
+		WRITE_ONCE(found->gone, &gone);
+	mutex_unlock(&device_list_mutex);
+	if (!found)
+		return;
+
+	/* ctrl->device of a controller that reconnects may be freed: compare only the pointer */
+	mutex_lock(&nvme_rdma_ctrl_mutex);
+	list_for_each_entry(ctrl, &nvme_rdma_ctrl_list, list)
+		if (ctrl->device == found)
+			nvme_delete_ctrl(&ctrl->ctrl);
+	mutex_unlock(&nvme_rdma_ctrl_mutex);
+	flush_workqueue(nvme_delete_wq);
+	wait_for_completion(&gone);
+}
+
 nvme_rdma_create_ctrl(struct device *dev, struct nvmf_ctrl_options *opts)
 { ... }

@ del_one @
@@
-nvme_rdma_remove_one
+nvme_rdma_del_one

@ add_one @
symbol ret;
@@
+nvme_rdma_ib_client.add = nvme_rdma_add_one;
 ret = ib_register_client(&nvme_rdma_ib_client);
