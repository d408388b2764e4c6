// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The objects of a pair.
 *
 * The ends are created one after the other, each in the order of struct t_end.
 * t_pair_destroy() destroys the objects that exist, so it is the error path too. It
 * destroys the QP of an end first: no data may move when memory is unmapped.
 */
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>

#include "ibx_test.h"

static bool t_gid_fits(const struct ib_gid_attr *attr, u16 vlan, enum t_gid_kind kind)
{
	bool ipv4 = ipv6_addr_v4mapped((const struct in6_addr *)&attr->gid);
	bool v2 = attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP;
	bool tagged = vlan != T_NO_VLAN;
	bool wanted = kind == T_GID_VLAN;

	if (tagged != wanted)
		return false;
	switch (kind) {
	case T_GID_IPV4:
	case T_GID_VLAN:
		return v2 && ipv4;
	case T_GID_IPV6:
		return v2 && !ipv4;
	case T_GID_V1:
		return attr->gid_type == IB_GID_TYPE_ROCE;
	}
	return false;
}

static int t_find_gid(struct t_end *e, enum t_gid_kind kind)
{
	const struct ib_gid_attr *attr;
	struct ib_port_attr port;
	bool fits;
	int i, ret;

	ret = ib_query_port(e->dev, 1, &port);
	if (ret)
		return ret;
	for (i = 0; i < port.gid_tbl_len; i++) {
		attr = rdma_get_gid_attr(e->dev, 1, i);
		if (IS_ERR(attr))
			continue;
		e->gid = attr->gid;
		e->gid_index = i;
		/*
		 * an entry has no VLAN and MAC address while its netdev is
		 * being removed
		 */
		fits = !rdma_read_gid_l2_fields(attr, &e->vlan, e->mac) &&
		       t_gid_fits(attr, e->vlan, kind);
		rdma_put_gid_attr(attr);
		if (fits)
			return 0;
	}
	return -ENOENT;
}

static int t_create_cq(struct t_queue *q, struct ib_device *dev, const struct t_opts *opts)
{
	struct ib_cq_init_attr attr = { .cqe = opts->cqe ?: 4 * T_DEPTH };
	struct ib_cq *cq;

	/* on mlx5_ib, some direct verbs require a CQ of ib_alloc_cq() */
	cq = opts->create_qp ? ib_alloc_cq(dev, NULL, attr.cqe, 0, IB_POLL_DIRECT) :
			       ib_create_cq(dev, NULL, NULL, NULL, &attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	q->cq = cq;
	return 0;
}

static void t_destroy_cq(struct ib_cq *cq)
{
	/* only ib_alloc_cq() sets wc */
	if (cq->wc)
		ib_free_cq(cq);
	else
		ib_destroy_cq(cq);
}

static void t_event(struct ib_event *event, void *context)
{
	struct t_end *e = context;

	if (event->event < T_EVENTS)
		atomic_inc(&e->events[event->event]);
}

static int t_create_srq(struct t_end *e, const struct t_opts *opts)
{
	struct ib_srq_init_attr attr = {
		.event_handler = t_event,
		.srq_context = e,
		.attr = { .max_wr = opts->srq_depth, .max_sge = opts->recv_sges ?: 1 },
		.srq_type = IB_SRQT_BASIC,
	};
	struct ib_srq *srq;

	srq = ib_create_srq(e->pd, &attr);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	e->srq = srq;
	return 0;
}

/**
 * t_qp_create() - create a QP with the PD and the SRQ of an end
 * @e: the end
 * @scq: CQ of the sends
 * @rcq: CQ of the receives
 * @opts: type and sizes of the QP
 *
 * Return: the QP, in RESET, for the caller to destroy; or the result of ib_create_qp().
 */
struct ib_qp *t_qp_create(struct t_end *e, struct ib_cq *scq, struct ib_cq *rcq,
			  const struct t_opts *opts)
{
	struct ib_qp_init_attr attr = {
		.event_handler = t_event,
		.qp_context = e,
		.send_cq = scq,
		.recv_cq = rcq,
		.srq = e->srq,
		.cap = {
			.max_send_wr = opts->sq_depth ?: T_DEPTH,
			.max_recv_wr = e->srq ? 0 : opts->rq_depth ?: T_DEPTH,
			.max_send_sge = opts->send_sges ?: 2,
			.max_recv_sge = e->srq ? 0 : opts->recv_sges ?: 1,
			.max_inline_data = opts->inline_size,
		},
		.sq_sig_type = opts->all_signaled ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = opts->type ?: IB_QPT_RC,
	};

	return opts->create_qp ? opts->create_qp(e->pd, &attr) : ib_create_qp(e->pd, &attr);
}
EXPORT_SYMBOL_GPL(t_qp_create);

/**
 * t_qp_destroy() - destroy a QP of t_qp_create()
 * @qp: the QP
 * @opts: options that t_qp_create() was called with
 *
 * Return: as ib_destroy_qp().
 */
int t_qp_destroy(struct ib_qp *qp, const struct t_opts *opts)
{
	return opts->destroy_qp ? opts->destroy_qp(qp) : ib_destroy_qp(qp);
}
EXPORT_SYMBOL_GPL(t_qp_destroy);

static int t_create_mrs(struct t_end *e, const struct t_opts *opts)
{
	u32 nr = min_t(u32, opts->nr_mrs ?: 1, T_MRS);
	struct ib_mr *mr;
	int i;

	for (i = 0; i < nr; i++) {
		mr = ib_alloc_mr(e->pd, opts->mr_type, opts->mr_entries ?: T_PAGES);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		e->mr[i] = mr;
	}
	return 0;
}

static int t_create_buf(struct t_end *e)
{
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
	return 0;
}

static int t_create_end(struct t_end *e, struct ib_device *dev, const struct t_opts *opts)
{
	struct ib_pd *pd;
	struct ib_qp *qp;
	int ret;

	e->dev = dev;
	e->in_init = opts->in_init;
	ret = t_is_iwarp(e) ? 0 : t_find_gid(e, opts->gid);
	if (ret)
		return ret;
	pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	e->pd = pd;
	ret = t_create_cq(&e->sq, dev, opts);
	if (!ret && !opts->one_cq)
		ret = t_create_cq(&e->rq, dev, opts);
	if (!ret && opts->srq_depth)
		ret = t_create_srq(e, opts);
	if (ret)
		return ret;
	qp = t_qp_create(e, e->sq.cq, e->rq.cq ? e->rq.cq : e->sq.cq, opts);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	e->qp = qp;
	ret = t_create_buf(e);
	return ret ? ret : t_create_mrs(e, opts);
}

static void t_destroy_end(struct t_end *e, const struct t_opts *opts)
{
	int i;

	if (e->ah)
		rdma_destroy_ah(e->ah, RDMA_DESTROY_AH_SLEEPABLE);
	if (e->qp)
		t_qp_destroy(e->qp, opts);
	if (e->srq)
		ib_destroy_srq(e->srq);
	for (i = 0; i < T_MRS; i++)
		if (e->mr[i])
			ib_dereg_mr(e->mr[i]);
	if (e->dma)
		ib_dma_unmap_single(e->dev, e->dma, T_BUF_SIZE, DMA_BIDIRECTIONAL);
	kfree(e->buf);
	if (e->rq.cq)
		t_destroy_cq(e->rq.cq);
	if (e->sq.cq)
		t_destroy_cq(e->sq.cq);
	if (e->pd)
		ib_dealloc_pd(e->pd);
}

/**
 * t_pair_destroy() - destroy the objects of a pair that exist
 * @p: the pair, zeroed before t_pair_create()
 */
void t_pair_destroy(struct t_pair *p)
{
	t_destroy_end(&p->end[1], p->opts);
	t_destroy_end(&p->end[0], p->opts);
	t_iw_end();
}

/**
 * t_pair_create() - create two ends, which are not connected
 * @p: zeroed
 * @a: device of end 0
 * @b: device of end 1, may be the same device
 * @opts: attributes of both ends; must exist as long as the pair
 *
 * Return: 0, or the errno of the verb that failed, after which no object exists.
 */
int t_pair_create(struct t_pair *p, struct ib_device *a, struct ib_device *b,
		  const struct t_opts *opts)
{
	int ret;

	p->opts = opts;
	ret = t_create_end(&p->end[0], a, opts);
	if (!ret)
		ret = t_create_end(&p->end[1], b, opts);
	if (ret)
		t_pair_destroy(p);
	return ret;
}
