// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
//
// Semantic patch for Coccinelle: turns drivers/nvme/host/rdma.c of Linux into an NVMe host that
// registers memory with ib_frwr. The page "nvme-rdma on ib_frwr" of the documentation explains it.
//
// Registrations with protection information keep their MR pool.

@ headers @
@@
 #include <rdma/rdma_cm.h>
+#include <rdma/ib_frwr.h>

// ---- data of requests and queues ----

@ request_members @
@@
 struct nvme_rdma_request {
 	...
+	struct ib_frwr_req	reg;
+	bool			use_frwr;
+	atomic_t		reg_ended;
 	struct nvme_rdma_qe	sqe;
 	...
 };

@ queue_members @
@@
 struct nvme_rdma_queue {
 	...
 	struct ib_qp		*qp;
+	struct ib_frwr		*frwr;
 	...
 };

// ---- a registration context for each queue ----

@ queue_entries @
identifier queue, factor;
@@
 nvme_rdma_create_qp(struct nvme_rdma_queue *queue, const int
-	factor
+	slots
 	)
 {
 	...
 	init_attr.cap.max_send_wr =
-		factor * queue->queue_size
+		queue->queue_size + slots
 		+ 1;
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
+		.mr.create_flags = IB_MR_REG_SG_ONLY,
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
+	queue->cq_size = 2 * queue->queue_size + slots + 1;
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
+	queue->frwr = ib_frwr_create(queue->qp, &attr);
+	ret = PTR_ERR_OR_ZERO(queue->frwr);
+	if (ret)
 	S

@ destroy_context @
identifier queue;
@@
-	ib_mr_pool_destroy(queue->qp, &queue->qp->rdma_mrs);
+	ib_frwr_destroy(queue->frwr);
+	queue->frwr = NULL;

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
identifier queue, rq, c, req, count;
@@
+static int nvme_rdma_map_sg_frwr(struct nvme_rdma_queue *queue,
+		struct nvme_rdma_request *req, struct nvme_command *c,
+		int count)
+{
+	struct nvme_keyed_sgl_desc *sg = &c->common.dptr.ksgl;
+	int ret;
+
+	ret = ib_frwr_map_sg(queue->frwr, &req->reg, req->data_sgl.sg_table.sgl, count,
+			     rq_dma_dir(blk_mq_rq_from_pdu(req)));
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
 nvme_rdma_map_data(struct nvme_rdma_queue *queue, struct request *rq, struct nvme_command *c)
 {
 	...
 	req->num_sge = 1;
+	req->use_frwr = false;
 	...
-	ret = nvme_rdma_map_sg_fr(queue, req, c, count);
+	ret = nvme_rdma_map_sg_frwr(queue, req, c, count);
 	...
 }

@ post_send @
identifier queue, qe, sge, num_sge, first;
@@
 nvme_rdma_post_send(struct nvme_rdma_queue *queue, struct nvme_rdma_qe *qe, struct ib_sge *sge,
-	u32 num_sge, struct ib_send_wr *first
+	u32 num_sge, struct ib_send_wr *first, struct ib_frwr_req *reg
 	)
 {
 	...
-	ret = ib_post_send(queue->qp, first, NULL);
+	if (reg)
+		ret = ib_frwr_post(reg, first, NULL);
+	else
+		ret = ib_post_send(queue->qp, first, NULL);
 	...
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
+/* for a request that was completed while its key may have been valid */
+static void nvme_rdma_rq_released(struct ib_frwr_req *reg)
+{
+	struct nvme_rdma_request *req = container_of(reg, struct nvme_rdma_request, reg);
+
+	req->use_frwr = false;
+	nvme_rdma_complete_rq(blk_mq_rq_from_pdu(req));
+}
+
+/* for a request with a key that the target has not invalidated itself */
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
+ * False when a callback will complete the request. Of nvme_rdma_rsp_released() and the
+ * completion of a request by its timeout or the error recovery, the later one does.
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
+	req->reg.released = NULL;
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
identifier rq, req, ibdev, queue;
@@
 nvme_rdma_complete_rq(struct request *rq)
 {
 	struct nvme_rdma_request *req = blk_mq_rq_to_pdu(rq);
 	struct nvme_rdma_queue *queue = req->queue;
 	struct ib_device *ibdev = queue->device->dev;
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
-	req->mr ? first : NULL
+	req->mr ? first : NULL, req->use_frwr ? &req->reg : NULL
 	)

@ queue_rq_failure @
identifier hctx, bd;
@@
 nvme_rdma_queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
 {
 	<...
+	/* as nvme_host_path_error() does, in case that a callback completes it */
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
+static void nvme_rdma_abort_queue(struct nvme_rdma_queue *queue)
+{
+	if (!IS_ERR_OR_NULL(queue->frwr))
+		ib_frwr_abort(queue->frwr);
+}
+
+static void nvme_rdma_abort_io_queues(struct nvme_rdma_ctrl *ctrl)
+{
+	int i;
+
+	for (i = 1; i < ctrl->ctrl.queue_count; i++)
+		nvme_rdma_abort_queue(&ctrl->queues[i]);
+}
+
 nvme_rdma_free_io_queues(struct nvme_rdma_ctrl *ctrl)
 { ... }

@ abort_io @
expression nctrl;
identifier ctrl;
@@
 nvme_rdma_stop_io_queues(ctrl);
+nvme_rdma_abort_io_queues(ctrl);
 nvme_cancel_tagset(nctrl);

@ abort_admin @
identifier ctrl;
@@
 nvme_rdma_stop_queue(&ctrl->queues[0]);
+nvme_rdma_abort_queue(&ctrl->queues[0]);
 nvme_cancel_admin_tagset(&ctrl->ctrl);
