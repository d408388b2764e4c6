// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues: life cycle, limit and events. The ring is in
 * srq_ring.c.
 *
 * An SRQ is an RMP of the device. A QP is created with its SRQ, and the core
 * keeps the SRQ until all its QPs are destroyed. The events of an SRQ ("limit
 * reached" and errors) come from mlx5_core in hard interrupt context and go
 * through the work queue of the QP events. Each event holds a reference to its
 * SRQ, and destroying the SRQ waits for its events.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "cmd/xrc.h"
#include "enc/geom.h"
#include "trace.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

/**
 * ibx_srq_event() - handle an event of an SRQ
 * @dev: device
 * @srqn: number of the SRQ; ignored if there is no such SRQ
 * @type: MLX5_EVENT_TYPE_SRQ_RQ_LIMIT or _SRQ_CATAS_ERROR
 *
 * Context: any, hard interrupts too.
 */
void ibx_srq_event(struct ibx_dev *dev, u32 srqn, u8 type)
{
	struct ib_event event = { .device = &dev->ibdev, .event = IB_EVENT_SRQ_LIMIT_REACHED };
	struct ibx_srq *srq;
	unsigned long flags;

	xa_lock_irqsave(&dev->srqs, flags);
	srq = xa_load(&dev->srqs, srqn);
	if (srq)
		refcount_inc(&srq->ref.refs);
	xa_unlock_irqrestore(&dev->srqs, flags);
	if (!srq)
		return;
	if (type == MLX5_EVENT_TYPE_SRQ_CATAS_ERROR) {
		event.event = IB_EVENT_SRQ_ERR;
		ibx_err(dev, "SRQ 0x%x is in error\n", srqn);
	}
	trace_ibx_event_srq(dev, event.event, srqn);

	event.element.srq = &srq->ibsrq;
	if (!ibx_event_queue(dev, &srq->ref, &event, srq->ibsrq.event_handler,
			     srq->ibsrq.srq_context))
		ibx_ref_put(&srq->ref);
}

/* allocate the memory and the software state of the ring */
static int alloc_ring(struct ibx_dev *dev, struct ibx_srq *srq, const struct ibx_srq_geom *g)
{
	struct ibx_srq_ring_params p = {
		.wqe_cnt = g->wqe_cnt,
		.wqe_shift = g->wqe_shift,
		.term_lkey = dev->term_lkey,
		.node = dev->mdev->priv.numa_node,
	};
	int err;

	err = mlx5_db_alloc(dev->mdev, &srq->db);
	if (err)
		return err;
	err = ibx_buf_alloc(dev, &srq->buf, (size_t)g->wqe_cnt << g->wqe_shift);
	if (err)
		goto free_db;
	p.buf = srq->buf.va;
	p.dbr = srq->db.db;
	err = ibx_srq_ring_init(&srq->ring, &p);
	if (err)
		goto free_buf;
	return 0;

free_buf:
	ibx_buf_free(dev, &srq->buf);
free_db:
	mlx5_db_free(dev->mdev, &srq->db);
	return err;
}

static void free_ring(struct ibx_dev *dev, struct ibx_srq *srq)
{
	ibx_srq_ring_fini(&srq->ring);
	ibx_buf_free(dev, &srq->buf);
	mlx5_db_free(dev->mdev, &srq->db);
}

static int srq_create_fw(struct ibx_dev *dev, struct ibx_srq *srq,
			 const struct ibx_srq_geom *g)
{
	const struct ibx_rmp_params p = {
		.buf = &srq->buf,
		.log_size = ilog2(g->wqe_cnt),
		.log_stride = g->wqe_shift,
		.pdn = to_ipd(srq->ibsrq.pd)->pdn,
		.dbr = srq->db.dma,
	};

	return ibx_cmd_create_rmp(dev, &p, srq);
}

/* @leak: the device may still use the memory */
static void drop_ring(struct ibx_dev *dev, struct ibx_srq *srq, bool leak)
{
	if (leak) {
		ibx_srq_ring_fini(&srq->ring);
		ibx_buf_leak(&srq->buf);
	} else {
		free_ring(dev, srq);
	}
}

/*
 * No QP uses the SRQ any more, so the ring is freed even if the device keeps
 * the RMP. Exception: the device keeps a QP or DCT that uses the SRQ (exposed),
 * and may still write to the ring.
 */
static void srq_destroy_fw(struct ibx_dev *dev, struct ibx_srq *srq)
{
	int err = ibx_cmd_destroy_rmp(dev, srq);

	ibx_cmd_left(dev, "RMP", srq->srqn, err);
	drop_ring(dev, srq, err && srq->exposed);
}

/**
 * ibx_create_srq() - verb create_srq
 * @ibsrq: SRQ with its pd set by the core
 * @init: attributes wanted; gets the actual max_wr and max_sge. srq_limit is
 *	ignored: only modify_srq arms a limit
 * @udata: NULL; user space is not supported
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: user space, a type other than IB_SRQT_BASIC, or the device has
 *   no RMPs
 * * -EINVAL: a size is out of range
 * * -ENOMEM
 * * an errno from cmd.h
 */
int ibx_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibsrq->device);
	struct ibx_srq *srq = to_isrq(ibsrq);
	const struct ibx_srq_limits lim = {
		.max_wqes = ibx_ring_max(MLX5_CAP_GEN(dev->mdev, log_max_srq_sz)),
		.max_wqe = MLX5_CAP_GEN(dev->mdev, max_wqe_sz_rq),
	};
	struct ibx_srq_geom geom;
	int err;

	if (udata || init->srq_type != IB_SRQT_BASIC || !dev->ibdev.attrs.max_srq)
		return -EOPNOTSUPP;
	err = ibx_srq_geometry(&init->attr, &lim, &geom);
	if (err)
		return err;

	ibx_ref_init(&srq->ref);
	err = alloc_ring(dev, srq, &geom);
	if (err)
		return err;
	err = srq_create_fw(dev, srq, &geom);
	if (err) {
		drop_ring(dev, srq, ibx_cmd_lost(err));
		return err;
	}
	err = xa_err(xa_store_irq(&dev->srqs, srq->srqn, srq, GFP_KERNEL));
	if (err) {
		srq_destroy_fw(dev, srq);
		return err;
	}

	init->attr.max_wr = geom.wqe_cnt - 1;
	init->attr.max_sge = geom.sges;
	return 0;
}

/**
 * ibx_modify_srq() - verb modify_srq: arm or disarm the limit
 * @ibsrq: the SRQ
 * @attr: srq_limit: IB_EVENT_SRQ_LIMIT_REACHED is reported once, as soon as the
 *	number of posted WRs is below srq_limit; 0 disarms
 * @mask: IB_SRQ_LIMIT
 * @udata: NULL; user space is not supported
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: user space, or resizing
 * * -EINVAL: another bit of the mask, or a limit above max_wr
 * * -ENOMEM
 * * an errno from cmd.h
 *
 * After an error the SRQ is unchanged.
 */
int ibx_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct ibx_srq *srq = to_isrq(ibsrq);

	if (udata || mask & IB_SRQ_MAX_WR)
		return -EOPNOTSUPP;
	if (mask & ~IB_SRQ_LIMIT)
		return -EINVAL;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit >= srq->ring.wqe_cnt)
		return -EINVAL;
	if (srq->xrc)
		return ibx_cmd_arm_xrc_srq(to_idev(ibsrq->device), srq, attr->srq_limit);
	return ibx_cmd_arm_rmp(to_idev(ibsrq->device), srq, attr->srq_limit);
}

static int query_limit(struct ibx_dev *dev, const struct ibx_srq *srq, u32 *limit)
{
	u32 xrc_srqc[MLX5_ST_SZ_DW(xrc_srqc)];
	u32 rmpc[MLX5_ST_SZ_DW(rmpc)];
	int err;

	if (srq->xrc) {
		err = ibx_cmd_query_xrc_srq(dev, srq->srqn, xrc_srqc);
		if (!err)
			*limit = MLX5_GET(xrc_srqc, xrc_srqc, lwm);
		return err;
	}
	err = ibx_cmd_query_rmp(dev, srq->srqn, rmpc);
	if (!err)
		*limit = MLX5_GET(rmpc, rmpc, wq.lwm);
	return err;
}

/**
 * ibx_query_srq() - verb query_srq
 * @ibsrq: the SRQ
 * @attr: gets the actual sizes, and the limit: 0 when it is not armed
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct ibx_srq *srq = to_isrq(ibsrq);
	int err;

	err = query_limit(to_idev(ibsrq->device), srq, &attr->srq_limit);
	if (err)
		return err;
	attr->max_wr = srq->ring.wqe_cnt - 1;
	attr->max_sge = srq->ring.max_gs;
	return 0;
}

/**
 * ibx_destroy_srq() - verb destroy_srq
 * @ibsrq: SRQ that no QP uses
 * @udata: unused
 *
 * Context: may sleep. When this returns, posted WRs are dropped and no event
 * will be reported.
 * Return: 0. An RMP that the device refuses to destroy is reported in the
 * kernel log.
 */
int ibx_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibsrq->device);
	struct ibx_srq *srq = to_isrq(ibsrq);

	xa_erase_irq(&dev->srqs, srq->srqn);
	ibx_ref_last(&srq->ref);
	srq_destroy_fw(dev, srq);
	return 0;
}

/**
 * ibx_post_srq_recv() - ib_post_srq_recv()
 * @ibsrq: SRQ
 * @wr: list of WRs
 * @bad_wr: on error, gets the first WR that was not posted
 *
 * Context: any; takes the ring's lock.
 * Return: 0; -EIO after a fatal error; or an errno of ibx_srq_ring_post().
 */
int ibx_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	int err = -EIO;

	if (likely(!ibx_dead(to_idev(ibsrq->device))))
		err = ibx_srq_ring_post(&to_isrq(ibsrq)->ring, &wr);
	if (unlikely(err))
		*bad_wr = wr;
	return err;
}
