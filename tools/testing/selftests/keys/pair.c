// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A pair of connected QPs, and what every case does with it.
 *
 * Creation goes end by end, and within an end in the order of struct t_end;
 * t_pair_destroy() undoes whatever part of that is there, so it is also the
 * error path. The QP goes first: nothing may move when memory is unmapped.
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>

#include "ibx_test.h"

static int t_find_gid(struct t_end *e)
{
	const struct ib_gid_attr *attr;
	struct ib_port_attr port;
	int i, ret;

	ret = ib_query_port(e->dev, 1, &port);
	if (ret)
		return ret;
	for (i = 0; i < port.gid_tbl_len; i++) {
		attr = rdma_get_gid_attr(e->dev, 1, i);
		if (IS_ERR(attr))
			continue;
		ret = -EAGAIN;
		if (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		    ipv6_addr_v4mapped((struct in6_addr *)&attr->gid)) {
			e->gid = attr->gid;
			e->gid_index = i;
			ret = rdma_read_gid_l2_fields(attr, NULL, e->mac);
		}
		rdma_put_gid_attr(attr);
		if (ret != -EAGAIN)
			return ret;
	}
	return -ENOENT;
}

static int t_create_queue(struct t_queue *q, struct ib_device *dev)
{
	struct ib_cq_init_attr attr = { .cqe = 4 * T_DEPTH };
	struct ib_cq *cq;

	cq = ib_create_cq(dev, NULL, NULL, NULL, &attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	q->cq = cq;
	return 0;
}

static int t_create_qp(struct t_end *e)
{
	struct ib_qp_init_attr attr = {
		.send_cq = e->sq.cq,
		.recv_cq = e->rq.cq,
		.cap = {
			.max_send_wr = T_DEPTH,
			.max_recv_wr = T_DEPTH,
			.max_send_sge = 2,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	struct ib_qp *qp;

	qp = ib_create_qp(e->pd, &attr);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	e->qp = qp;
	return 0;
}

static int t_create_memory(struct t_end *e)
{
	struct ib_mr *mr;
	u64 dma;
	int i;

	e->buf = kzalloc(T_BUF_SIZE, GFP_KERNEL);
	if (!e->buf)
		return -ENOMEM;
	dma = ib_dma_map_single(e->dev, e->buf, T_BUF_SIZE, DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(e->dev, dma))
		return -ENOMEM;
	e->dma = dma;
	sg_init_table(e->sgl, T_PAGES);
	for (i = 0; i < T_PAGES; i++) {
		sg_set_buf(&e->sgl[i], e->buf + i * PAGE_SIZE, PAGE_SIZE);
		sg_dma_address(&e->sgl[i]) = dma + i * PAGE_SIZE;
		sg_dma_len(&e->sgl[i]) = PAGE_SIZE;
	}
	mr = ib_alloc_mr(e->pd, IB_MR_TYPE_MEM_REG, T_PAGES);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	e->mr = mr;
	return 0;
}

static int t_create_end(struct t_end *e, struct ib_device *dev)
{
	struct ib_pd *pd;
	int ret;

	e->dev = dev;
	ret = t_find_gid(e);
	if (ret)
		return ret;
	pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	e->pd = pd;
	ret = t_create_queue(&e->sq, dev);
	if (ret)
		return ret;
	ret = t_create_queue(&e->rq, dev);
	if (ret)
		return ret;
	ret = t_create_qp(e);
	if (ret)
		return ret;
	return t_create_memory(e);
}

static void t_destroy_end(struct t_end *e)
{
	if (e->qp)
		ib_destroy_qp(e->qp);
	if (e->mr)
		ib_dereg_mr(e->mr);
	if (e->dma)
		ib_dma_unmap_single(e->dev, e->dma, T_BUF_SIZE, DMA_BIDIRECTIONAL);
	kfree(e->buf);
	if (e->rq.cq)
		ib_destroy_cq(e->rq.cq);
	if (e->sq.cq)
		ib_destroy_cq(e->sq.cq);
	if (e->pd)
		ib_dealloc_pd(e->pd);
}

/**
 * t_pair_destroy - undo t_pair_create(), however far it came
 * @p: the pair, zeroed before t_pair_create()
 */
void t_pair_destroy(struct t_pair *p)
{
	t_destroy_end(&p->end[1]);
	t_destroy_end(&p->end[0]);
}

/**
 * t_pair_create - two unconnected ends
 * @p: zeroed
 * @a: device of end 0
 * @b: device of end 1, may be the same
 *
 * Return: 0, or the errno of the verb that failed, with nothing left.
 */
int t_pair_create(struct t_pair *p, struct ib_device *a, struct ib_device *b)
{
	int ret;

	ret = t_create_end(&p->end[0], a);
	if (!ret)
		ret = t_create_end(&p->end[1], b);
	if (ret)
		t_pair_destroy(p);
	return ret;
}

static int t_to_init(struct t_end *e)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ,
	};

	return ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			    IB_QP_PORT | IB_QP_ACCESS_FLAGS);
}

static int t_to_rtr(struct t_end *e, struct t_end *peer)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = peer->qp->qp_num,
		.rq_psn = 0x1234,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
	};

	attr.ah_attr.type = rdma_ah_find_type(e->dev, 1);
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_ah_set_grh(&attr.ah_attr, &peer->gid, 0, e->gid_index, 64, 0);
	memcpy(attr.ah_attr.roce.dmac, peer->mac, ETH_ALEN);
	return ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU |
			    IB_QP_DEST_QPN | IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
			    IB_QP_MIN_RNR_TIMER);
}

static int t_to_rts(struct t_end *e)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.sq_psn = 0x1234,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};

	return ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_TIMEOUT |
			    IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC);
}

/**
 * t_pair_connect - bring both ends to RTS
 * @p: the pair
 *
 * Return: 0 or the errno of ib_modify_qp().
 */
int t_pair_connect(struct t_pair *p)
{
	int i, ret;

	for (i = 0; i < 2; i++) {
		ret = t_to_init(&p->end[i]);
		if (ret)
			return ret;
	}
	for (i = 0; i < 2; i++) {
		ret = t_to_rtr(&p->end[i], &p->end[!i]);
		if (ret)
			return ret;
	}
	for (i = 0; i < 2; i++) {
		ret = t_to_rts(&p->end[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * t_modify_err - move an end's QP to the error state
 * @e: the end
 *
 * Return: what ib_modify_qp() returns.
 */
int t_modify_err(struct t_end *e)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	return ib_modify_qp(e->qp, &attr, IB_QP_STATE);
}

/**
 * t_state - ask for the state of an end's QP
 * @e: the end
 *
 * Return: IB_QPS_* or a negative errno.
 */
int t_state(struct t_end *e)
{
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr;
	int ret;

	ret = ib_query_qp(e->qp, &attr, IB_QP_STATE, &init_attr);
	return ret ? ret : attr.qp_state;
}

/**
 * t_post_recv - post the end's whole buffer for receiving
 * @e: the end
 * @id: wr_id
 *
 * Return: what ib_post_recv() returns.
 */
int t_post_recv(struct t_end *e, u64 id)
{
	struct ib_sge sge = {
		.addr = e->dma,
		.length = T_BUF_SIZE,
		.lkey = e->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 };

	return ib_post_recv(e->qp, &wr, NULL);
}

/**
 * t_post_reg - map the end's buffer to an MR and register it, signaled
 * @e: the end
 * @id: wr_id
 * @mr: of the end's device; gets a new key
 * @access: IB_ACCESS_*
 *
 * Return: 0, -EIO when the MR does not take the whole list, or what
 * ib_post_send() returns.
 */
int t_post_reg(struct t_end *e, u64 id, struct ib_mr *mr, int access)
{
	struct ib_reg_wr wr = {
		.wr = {
			.wr_id = id,
			.opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = mr,
		.access = access,
	};

	if (ib_map_mr_sg(mr, e->sgl, T_PAGES, NULL, PAGE_SIZE) != T_PAGES)
		return -EIO;
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	wr.key = mr->rkey;
	return ib_post_send(e->qp, &wr.wr, NULL);
}

/**
 * t_post_inv - invalidate a key, signaled
 * @e: the end
 * @id: wr_id
 * @rkey: the key
 *
 * Return: what ib_post_send() returns.
 */
int t_post_inv(struct t_end *e, u64 id, u32 rkey)
{
	struct ib_send_wr wr = {
		.wr_id = id,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = rkey,
	};

	return ib_post_send(e->qp, &wr, NULL);
}

/**
 * t_write_wr - fill in a signaled RDMA WRITE of one page to the peer's MR
 * @wr: remote_addr and rkey are left 0
 * @sge: for it
 * @e: the end that will post it
 * @id: wr_id
 */
void t_write_wr(struct ib_rdma_wr *wr, struct ib_sge *sge, struct t_end *e, u64 id)
{
	*sge = (struct ib_sge) {
		.addr = e->dma,
		.length = PAGE_SIZE,
		.lkey = e->pd->local_dma_lkey,
	};
	*wr = (struct ib_rdma_wr) {
		.wr = {
			.wr_id = id,
			.opcode = IB_WR_RDMA_WRITE,
			.send_flags = IB_SEND_SIGNALED,
			.sg_list = sge,
			.num_sge = 1,
		},
	};
}

static int t_collect(struct t_queue *q)
{
	struct ib_wc wc;
	int ret;

	ret = ib_poll_cq(q->cq, 1, &wc);
	if (ret <= 0)
		return ret;
	if (wc.wr_id >= T_WRS || q->nr == ARRAY_SIZE(q->order))
		return T_FAIL("completion %u has wr_id %llu", q->nr, wc.wr_id);
	q->wc[wc.wr_id] = wc;
	q->seen[wc.wr_id]++;
	q->order[q->nr++] = wc.wr_id;
	return 1;
}

/**
 * t_wait - wait for the completion of a work request
 * @q: where it was posted
 * @id: its wr_id
 *
 * Return: the completion's status (0 is success), or -EIO when there is none.
 */
int t_wait(struct t_queue *q, u64 id)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);
	int ret;

	while (!q->seen[id]) {
		ret = t_collect(q);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		if (time_after(jiffies, end))
			return T_FAIL("no completion of wr_id %llu", id);
		usleep_range(100, 200);
	}
	return q->wc[id].status;
}

/**
 * t_settle - collect until nothing more comes
 * @q: a queue
 *
 * Return: 0 or -EIO for a completion nobody asked for.
 */
int t_settle(struct t_queue *q)
{
	int quiet, ret;

	for (quiet = 0; quiet < 100; quiet++) {
		ret = t_collect(q);
		if (ret < 0)
			return ret;
		if (ret)
			quiet = 0;
		usleep_range(1000, 2000);
	}
	return 0;
}

/**
 * t_expect_flushed - each of these was flushed, once, in order, nothing else after them
 * @q: a queue
 * @from: first wr_id
 * @to: last wr_id
 *
 * Return: 0 or -EIO.
 */
int t_expect_flushed(struct t_queue *q, u64 from, u64 to)
{
	u64 id;

	T_EXPECT(t_wait(q, to), IB_WC_WR_FLUSH_ERR);
	T_TRY(t_settle(q));
	for (id = from; id <= to; id++) {
		T_EXPECT(q->seen[id], 1);
		T_EXPECT(q->wc[id].status, IB_WC_WR_FLUSH_ERR);
		T_EXPECT(q->order[q->nr - 1 - (to - id)], id);
	}
	return 0;
}
