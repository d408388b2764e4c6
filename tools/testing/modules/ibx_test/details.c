// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Details that mlx5_ibx adds to `rdma resource`, and the contexts of the device in `rdma -r
 * resource`, of objects in a known state. The driver's verbs are called as the core calls them for
 * a netlink message.
 */
#include <linux/mlx5/device.h>
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>

#include "ibx_test.h"

#define T_SENDS		2
#define T_RECVS		5

/* an object whose details are read; all pointers but one are NULL */
struct t_object {
	const struct ib_device *dev;
	struct ib_qp *qp;
	struct ib_cq *cq;
	struct ib_mr *mr;
	struct ib_srq *srq;
	bool raw;
};

static int t_call(const struct t_object *o, struct sk_buff *msg)
{
	const struct ib_device_ops *ops = &o->dev->ops;

	if (o->qp)
		return o->raw ? ops->fill_res_qp_entry_raw(msg, o->qp) :
				ops->fill_res_qp_entry(msg, o->qp);
	if (o->cq)
		return o->raw ? ops->fill_res_cq_entry_raw(msg, o->cq) :
				ops->fill_res_cq_entry(msg, o->cq);
	if (o->mr)
		return o->raw ? ops->fill_res_mr_entry_raw(msg, o->mr) :
				ops->fill_res_mr_entry(msg, o->mr);
	return o->raw ? ops->fill_res_srq_entry_raw(msg, o->srq) :
			ops->fill_res_srq_entry(msg, o->srq);
}

/* the attribute of type @type that the driver appends to an empty message, or NULL */
static struct nlattr *t_attr(const struct t_object *o, int type, struct sk_buff **msg)
{
	struct nlattr *attr;

	*msg = nlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!*msg)
		return NULL;
	if (!t_call(o, *msg) && (*msg)->len) {
		attr = (struct nlattr *)(*msg)->data;
		if (nla_type(attr) == type && nla_ok(attr, (*msg)->len))
			return attr;
	}
	nlmsg_free(*msg);
	return NULL;
}

/* the value of a detail, or -ENOENT */
static s64 t_detail(const struct t_object *o, const char *name)
{
	struct nlattr *nest, *a;
	bool found = false;
	struct sk_buff *msg;
	s64 value = -ENOENT;
	int left;

	nest = t_attr(o, RDMA_NLDEV_ATTR_DRIVER, &msg);
	if (!nest)
		return -EIO;
	nla_for_each_nested(a, nest, left) {
		if (nla_type(a) == RDMA_NLDEV_ATTR_DRIVER_STRING)
			found = !nla_strcmp(a, name);
		else if (found && nla_type(a) == RDMA_NLDEV_ATTR_DRIVER_U32)
			value = nla_get_u32(a);
	}
	nlmsg_free(msg);
	return value;
}

/* copies the context that the device has for the object to @context */
static int t_context(struct t_object o, void *context, u32 bytes)
{
	struct nlattr *attr;
	struct sk_buff *msg;
	int err = 0;

	o.raw = true;
	attr = t_attr(&o, RDMA_NLDEV_ATTR_RES_RAW, &msg);
	if (!attr)
		return -EIO;
	if (nla_len(attr) == bytes)
		nla_memcpy(context, attr, bytes);
	else
		err = -EMSGSIZE;
	nlmsg_free(msg);
	return err;
}

/* if the message has no space, the verb fails and leaves the message unchanged */
static int t_no_room(struct t_object o)
{
	struct sk_buff *msg;
	int i, err, len;

	for (i = 0; i < 2; i++) {
		msg = alloc_skb(64, GFP_KERNEL);
		if (!msg)
			return -ENOMEM;
		skb_put(msg, skb_tailroom(msg) - 24);
		len = msg->len;
		o.raw = i;
		err = t_call(&o, msg);
		len -= msg->len;
		kfree_skb(msg);
		T_EXPECT(err, -EMSGSIZE);
		T_EXPECT(len, 0);
	}
	return 0;
}

static int t_sends(struct t_end *e)
{
	struct ib_sge sge = t_sge(e, 0, 64);
	struct ib_send_wr wr;
	int i;

	for (i = 0; i < T_SENDS; i++) {
		t_send_wr(&wr, &sge, i);
		T_TRY(ib_post_send(e->qp, &wr, NULL));
		T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
	}
	return 0;
}

static int t_exchange(struct t_pair *p)
{
	int i;

	for (i = 0; i < T_RECVS; i++)
		T_TRY(t_post_recv(&p->end[0], i));
	T_TRY(t_sends(&p->end[1]));
	for (i = 0; i < T_SENDS; i++)
		T_EXPECT(t_wait(&p->end[0].rq, i), IB_WC_SUCCESS);
	return 0;
}

static int details_of_qps(struct t_pair *p)
{
	struct t_object rx = { .dev = p->end[0].dev, .qp = p->end[0].qp };
	struct t_object tx = { .dev = p->end[1].dev, .qp = p->end[1].qp };
	u32 qpc[MLX5_ST_SZ_DW(qpc)];

	T_TRY(t_exchange(p));
	T_EXPECT(t_detail(&rx, "hw_qpn"), rx.qp->qp_num);
	T_EXPECT(t_detail(&rx, "rq_wqe_cnt"), T_DEPTH);
	T_EXPECT(t_detail(&rx, "rq_head"), T_RECVS);
	T_EXPECT(t_detail(&rx, "rq_tail"), T_SENDS);
	T_EXPECT(t_detail(&rx, "sq_head"), 0);
	T_EXPECT(t_detail(&rx, "sq_cur_post"), 0);
	T_EXPECT(t_detail(&tx, "sq_head"), T_SENDS);
	T_EXPECT(t_detail(&tx, "sq_tail"), T_SENDS);
	T_EXPECT(t_detail(&tx, "sq_cur_post"), T_SENDS);
	T_EXPECT(t_detail(&tx, "sq_max_post") >= T_DEPTH, 1);
	T_EXPECT(t_detail(&tx, "sq_wqe_cnt") >= T_DEPTH, 1);
	T_EXPECT(is_power_of_2(t_detail(&tx, "sq_wqe_cnt")), 1);
	T_EXPECT(t_detail(&tx, "rq_head"), 0);
	T_TRY(t_context(tx, qpc, sizeof(qpc)));
	T_EXPECT(MLX5_GET(qpc, qpc, state), 3);		/* RTS */
	T_EXPECT(MLX5_GET(qpc, qpc, remote_qpn), rx.qp->qp_num);
	T_EXPECT(1 << MLX5_GET(qpc, qpc, log_sq_size), t_detail(&tx, "sq_wqe_cnt"));
	return t_no_room(tx);
}

/* a moderation that is refused is not shown */
static int details_of_cqs(struct t_pair *p)
{
	struct t_object cq = { .dev = p->end[0].dev, .cq = p->end[0].rq.cq };
	u32 cqc[MLX5_ST_SZ_DW(cqc)];

	T_TRY(t_exchange(p));
	T_EXPECT(t_detail(&cq, "hw_cqn") > 0, 1);
	T_EXPECT(t_detail(&cq, "vector"), cq.cq->comp_vector);
	T_EXPECT(t_detail(&cq, "ci"), T_SENDS);
	T_EXPECT(t_detail(&cq, "period"), 0);
	T_EXPECT(t_detail(&cq, "count"), 0);
	T_TRY(rdma_set_cq_moderation(cq.cq, 3, 77));
	T_EXPECT(rdma_set_cq_moderation(cq.cq, 4, 0x1000), -EINVAL);
	T_EXPECT(t_detail(&cq, "period"), 77);
	T_EXPECT(t_detail(&cq, "count"), 3);
	T_TRY(t_context(cq, cqc, sizeof(cqc)));
	T_EXPECT(MLX5_GET(cqc, cqc, cq_period), 77);
	T_EXPECT(MLX5_GET(cqc, cqc, cq_max_count), 3);
	T_EXPECT(1 << MLX5_GET(cqc, cqc, log_cq_size) > cq.cq->cqe, 1);
	return t_no_room(cq);
}

static int details_of_mrs(struct t_pair *p)
{
	struct t_object mr = { .dev = p->end[0].dev, .mr = p->end[0].mr[0] };
	u32 mkc[MLX5_ST_SZ_DW(mkc)];

	T_EXPECT(t_detail(&mr, "mkey") >> 8, mr.mr->lkey >> 8);
	T_EXPECT(t_detail(&mr, "max_pages"), T_PAGES);
	T_EXPECT(t_detail(&mr, "pages"), 0);
	T_TRY(t_open(p, IB_ACCESS_REMOTE_WRITE));
	T_EXPECT(t_detail(&mr, "pages"), T_PAGES);
	T_TRY(t_context(mr, mkc, sizeof(mkc)));
	T_EXPECT(MLX5_GET(mkc, mkc, qpn), 0xffffff);
	T_EXPECT(MLX5_GET64(mkc, mkc, len), T_BUF_SIZE);
	T_EXPECT(MLX5_GET64(mkc, mkc, start_addr), mr.mr->iova);
	return t_no_room(mr);
}

static const struct t_opts shared = { .srq_depth = 64 };

static int details_of_srqs(struct t_pair *p)
{
	struct t_object srq = { .dev = p->end[0].dev, .srq = p->end[0].srq };
	u32 rmpc[MLX5_ST_SZ_DW(rmpc)];

	T_TRY(t_exchange(p));
	T_EXPECT(t_detail(&srq, "hw_srqn") >= 0, 1);
	T_EXPECT(t_detail(&srq, "wqe_cnt") >= 64, 1);
	T_EXPECT(t_detail(&srq, "max_sge") >= 1, 1);
	T_EXPECT(t_detail(&srq, "posted"), T_RECVS);
	T_EXPECT(t_detail(&srq, "head") == t_detail(&srq, "tail"), 0);
	T_TRY(t_context(srq, rmpc, sizeof(rmpc)));
	T_EXPECT(MLX5_GET(rmpc, rmpc, state), MLX5_RMPC_STATE_RDY);
	T_EXPECT(1 << MLX5_GET(rmpc, rmpc, wq.log_wq_sz), t_detail(&srq, "wqe_cnt"));
	return t_no_room(srq);
}

const struct t_case t_details_cases[] = {
	{ "details_of_qps", details_of_qps },
	{ "details_of_cqs", details_of_cqs },
	{ "details_of_mrs", details_of_mrs },
	{ "details_of_srqs", details_of_srqs, &shared },
	{ }
};
