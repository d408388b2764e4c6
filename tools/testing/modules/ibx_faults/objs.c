// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The operations: each creates one object of a kind and calls a few verbs for the object.
 */
#include <linux/delay.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/driver.h>
#include <net/ipv6.h>
#include <net/netlink.h>
#include <rdma/ib_cache.h>

#include "compat.h"
#include "ibx_faults.h"

#define F_CQE		64
#define F_QKEY		0x1ee7
#define F_PSN		0x55
#define F_WAITS		1000		/* each of a millisecond or more */
#define F_BUF		8192		/* longer than a packet */
/*
 * The ring is one page, including the entry that stays free. If the allocation of one page fails,
 * a driver has no other way to allocate the ring.
 */
#define F_SMALL_CQE	(PAGE_SIZE / 64 - 1)
/* entries of queues of 64 KiB or more; in fragmented memory drivers allocate single pages */
#define F_LARGE_CQE	1000
#define F_LARGE_WRS	200
/*
 * entries of a short list, and of a list that drivers with pools allocate
 * separately
 */
#define F_MR_SHORT	16
#define F_MR_LONG	1024
#define F_UMEM		(5 * PAGE_SIZE)

/* ---- objects that operations need ---- */

static int find_path(struct f_env *env)
{
	const struct ib_gid_attr *attr;
	struct ib_port_attr port;
	int i, ret;

	F_TRY(ib_query_port(env->dev, 1, &port));
	for (i = 0; i < port.gid_tbl_len; i++) {
		attr = rdma_get_gid_attr(env->dev, 1, i);
		if (IS_ERR(attr))
			continue;
		ret = -EAGAIN;
		if (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		    ipv6_addr_v4mapped((struct in6_addr *)&attr->gid)) {
			env->path.type = RDMA_AH_ATTR_TYPE_ROCE;
			rdma_ah_set_port_num(&env->path, 1);
			rdma_ah_set_grh(&env->path, (union ib_gid *)&attr->gid, 0, i, 64, 0);
			ret = rdma_read_gid_l2_fields(attr, NULL, env->path.roce.dmac);
		}
		rdma_put_gid_attr(attr);
		if (ret != -EAGAIN)
			return ret;
	}
	return -ENOENT;
}

static int make_env(struct f_env *env)
{
	struct ib_cq_init_attr attr = { .cqe = F_CQE };

	F_TRY(find_path(env));
	F_NEW(env->pd, ib_alloc_pd(env->dev, 0));
	F_NEW(env->cq, ib_create_cq(env->dev, NULL, NULL, NULL, &attr));
	env->buf = kmalloc(F_BUF, GFP_KERNEL);
	if (!env->buf)
		return -ENOMEM;
	env->dma = ib_dma_map_single(env->dev, env->buf, F_BUF, DMA_TO_DEVICE);
	env->mapped = !ib_dma_mapping_error(env->dev, env->dma);
	return env->mapped ? 0 : -ENOMEM;
}

/**
 * f_env_make() - create the objects that all operations need
 * @env: all zero, also after a failure
 * @dev: device of the objects
 *
 * Return: 0, -ENOENT without a RoCE v2 GID of an IPv4 address, or the errno of the verb.
 */
int f_env_make(struct f_env *env, struct ib_device *dev)
{
	int ret;

	env->dev = dev;
	ret = make_env(env);
	if (ret)
		f_env_drop(env);
	return ret;
}

/**
 * f_env_drop() - undo f_env_make()
 * @env: the objects that exist
 */
void f_env_drop(struct f_env *env)
{
	if (env->mapped)
		ib_dma_unmap_single(env->dev, env->dma, F_BUF, DMA_TO_DEVICE);
	kfree(env->buf);
	if (env->cq)
		ib_destroy_cq(env->cq);
	if (env->pd)
		ib_dealloc_pd(env->pd);
	memset(env, 0, sizeof(*env));
}

/**
 * f_obj_drop() - destroy the objects of an operation
 * @obj: objects of any kind, or none; empty afterwards
 *
 * A driver must destroy an object of the kernel even if the device refuses the command, so the case
 * fails if a verb returns an errno. If a verb without a return value fails, the core warns. The CQ
 * must not contain a CQE of a destroyed QP.
 *
 * Return: 0, the errno of a verb, or -ENOTEMPTY when the CQ contains a completion.
 */
int f_obj_drop(struct f_obj *obj)
{
	struct ib_wc wc;
	int ret = f_devx_drop(obj);

	f_dv_drop(obj);
	if (obj->ah)
		rdma_destroy_ah(obj->ah, RDMA_DESTROY_AH_SLEEPABLE);
	if (obj->qp) {
		ret = f_destroy_qp(obj->qp) ?: ret;
		if (ib_poll_cq(obj->env->cq, 1, &wc))
			ret = -ENOTEMPTY;
	}
	if (obj->srq)
		ib_destroy_srq(obj->srq);
	if (obj->mr)
		ret = ib_dereg_mr(obj->mr) ?: ret;
	if (obj->pool_cq)
		ib_free_cq(obj->pool_cq);
	if (obj->cq)
		ib_destroy_cq(obj->cq);
	if (obj->pd)
		ib_dealloc_pd(obj->pd);
	memset(obj, 0, sizeof(*obj));
	if (ret)
		f_log("drop: %d\n", ret);
	return ret;
}

/* ---- PD, CQ, MR, AH, device ---- */

static int make_pd(struct f_obj *obj, u32 unused)
{
	F_NEW(obj->pd, ib_alloc_pd(obj->env->dev, 0));
	return 0;
}

static int make_cq(struct f_obj *obj, u32 entries)
{
	struct ib_cq_init_attr attr = { .cqe = entries };

	F_NEW(obj->cq, ib_create_cq(obj->env->dev, NULL, NULL, NULL, &attr));
	F_TRY(rdma_set_cq_moderation(obj->cq, 4, 16));
	return 0;
}

static int make_pool_cq(struct f_obj *obj, u32 unused)
{
	F_NEW(obj->pool_cq, ib_alloc_cq(obj->env->dev, NULL, F_CQE, 0, IB_POLL_SOFTIRQ));
	return 0;
}

/* the number of entries in the device's context of a CQ, or an errno */
static int device_entries(struct ib_cq *cq)
{
	struct sk_buff *msg = nlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	int ret;

	if (!msg)
		return -ENOMEM;
	ret = cq->device->ops.fill_res_cq_entry_raw(msg, cq);
	if (!ret)
		ret = 1 << MLX5_GET(cqc, nla_data((struct nlattr *)msg->data), log_cq_size);
	nlmsg_free(msg);
	return ret;
}

/*
 * Resizes a CQ from @entries / 4 to @entries entries. After the resize, the
 * device and struct ib_cq must have the same size.
 */
static int resize_cq(struct f_obj *obj, u32 entries)
{
	struct ib_cq_init_attr attr = { .cqe = entries / 4 };
	int found;

	F_NEW(obj->cq, ib_create_cq(obj->env->dev, NULL, NULL, NULL, &attr));
	F_TRY(t_ib_resize_cq(obj->cq, entries));
	if (obj->cq->cqe < entries)
		return -ENOSPC;
	found = device_entries(obj->cq);
	if (found < 0)
		return found;
	return found == roundup_pow_of_two(obj->cq->cqe) ? 0 : -ENOSPC;
}

static int make_mr(struct f_obj *obj, u32 entries)
{
	F_NEW(obj->mr, ib_alloc_mr(obj->env->pd, IB_MR_TYPE_MEM_REG, entries));
	return 0;
}

static int make_gaps_mr(struct f_obj *obj, u32 entries)
{
	F_NEW(obj->mr, ib_alloc_mr(obj->env->pd, IB_MR_TYPE_SG_GAPS, entries));
	return 0;
}

static int make_pi_mr(struct f_obj *obj, u32 entries)
{
	F_NEW(obj->mr, ib_alloc_mr_integrity(obj->env->pd, entries, entries));
	return 0;
}

static int make_ah(struct f_obj *obj, u32 unused)
{
	struct rdma_ah_attr attr = obj->env->path;

	F_NEW(obj->ah, rdma_create_ah(obj->env->pd, &attr, RDMA_CREATE_AH_SLEEPABLE));
	return 0;
}

static int query_qp(struct f_obj *obj, u32 unused)
{
	struct ib_device *dev = obj->env->dev;
	struct ib_device_attr *attr;
	struct ib_port_attr port;
	int ret;

	F_TRY(ib_query_port(dev, 1, &port));
	attr = kzalloc(sizeof(*attr), GFP_KERNEL);
	if (!attr)
		return -ENOMEM;
	ret = dev->ops.query_device(dev, attr, NULL);
	kfree(attr);
	return ret;
}

/* sets the node description that the device has already */
static int set_node_desc(struct f_obj *obj, u32 unused)
{
	struct ib_device *dev = obj->env->dev;
	struct ib_device_modify modify = {};

	memcpy(modify.node_desc, dev->node_desc, sizeof(modify.node_desc));
	F_TRY(ib_modify_device(dev, IB_DEVICE_MODIFY_NODE_DESC, &modify));
	return 0;
}

/* ---- QPs, connected to themselves ---- */

static int to_init(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE,
		.qkey = F_QKEY,
	};

	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			    (qp->qp_type == IB_QPT_UD ? IB_QP_QKEY : IB_QP_ACCESS_FLAGS));
}

static int to_rtr(const struct f_env *env, struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = qp->qp_num,
		.rq_psn = F_PSN,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = env->path,
	};
	int mask = IB_QP_STATE;

	if (qp->qp_type != IB_QPT_UD)
		mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	return ib_modify_qp(qp, &attr, mask);
}

static int to_rts(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.sq_psn = F_PSN,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(qp, &attr, mask);
}

/* INIT to INIT or RTS to RTS, with a new Q_Key for UD, else with no access rights */
static int change_state(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state, .qkey = F_QKEY + 1 };

	return ib_modify_qp(qp, &attr, IB_QP_STATE |
			    (qp->qp_type == IB_QPT_UD ? IB_QP_QKEY : IB_QP_ACCESS_FLAGS));
}

static int move_qp(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

/* -EPROTO if the QP is not in @state */
static int query_state(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int ret = ib_query_qp(qp, &attr, IB_QP_STATE, &init);

	return ret || attr.qp_state == state ? ret : -EPROTO;
}

static int connect_qp(const struct f_env *env, struct ib_qp *qp)
{
	F_TRY(to_init(qp));
	F_TRY(change_state(qp, IB_QPS_INIT));
	F_TRY(to_rtr(env, qp));
	F_TRY(to_rts(qp));
	return 0;
}

static int wait_for_error(struct ib_qp *qp, enum ib_wc_status status)
{
	struct ib_wc wc;
	int i, n;

	for (i = 0; i < F_WAITS; i++) {
		n = ib_poll_cq(qp->send_cq, 1, &wc);
		if (n)
			return n < 0 || wc.qp != qp || wc.status != status ? -EPROTO : 0;
		usleep_range(1000, 2000);
	}
	return -ETIMEDOUT;
}

/* a datagram that is too long puts the QP in SQE; RTS starts sending again */
static int stop_and_go(struct f_obj *obj)
{
	struct rdma_ah_attr attr = obj->env->path;
	struct ib_sge sge = {
		.addr = obj->env->dma, .length = F_BUF, .lkey = obj->env->pd->local_dma_lkey,
	};
	struct ib_ud_wr wr = {
		.wr = { .opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED,
			.sg_list = &sge, .num_sge = 1 },
		.remote_qpn = obj->qp->qp_num,
		.remote_qkey = F_QKEY,
	};

	F_NEW(obj->ah, rdma_create_ah(obj->env->pd, &attr, RDMA_CREATE_AH_SLEEPABLE));
	wr.ah = obj->ah;
	F_TRY(ib_post_send(obj->qp, &wr.wr, NULL));
	F_TRY(wait_for_error(obj->qp, IB_WC_LOC_LEN_ERR));
	/* drivers get the notification from here on */
	F_TRY(query_state(obj->qp, IB_QPS_SQE));
	F_TRY(move_qp(obj->qp, IB_QPS_RTS));
	return 0;
}

/*
 * Moves the QP through every state, and leaves the QP in RTS with posted receives. The driver must
 * reset the QP when it is destroyed: otherwise the receives are flushed to the CQ, and
 * f_obj_drop() fails.
 */
static int use_qp(struct f_obj *obj)
{
	struct ib_recv_wr wr = {};
	int i;

	F_TRY(connect_qp(obj->env, obj->qp));
	F_TRY(change_state(obj->qp, IB_QPS_RTS));
	F_TRY(query_state(obj->qp, IB_QPS_RTS));
	if (obj->qp->qp_type == IB_QPT_UD)
		F_TRY(stop_and_go(obj));
	F_TRY(move_qp(obj->qp, IB_QPS_ERR));
	F_TRY(move_qp(obj->qp, IB_QPS_RESET));
	F_TRY(connect_qp(obj->env, obj->qp));
	for (i = 0; i < F_WRS && !obj->srq; i++)
		F_TRY(ib_post_recv(obj->qp, &wr, NULL));
	return 0;
}

static int make_qp(struct f_obj *obj, u32 type)
{
	struct ib_qp_init_attr attr = {
		.send_cq = obj->env->cq,
		.recv_cq = obj->env->cq,
		.srq = obj->srq,
		.cap = {
			.max_send_wr = F_WRS,
			.max_recv_wr = obj->srq ? 0 : F_WRS,
			.max_send_sge = 1,
			.max_recv_sge = obj->srq ? 0 : 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = type,
	};

	F_NEW(obj->qp, ib_create_qp(obj->env->pd, &attr));
	return use_qp(obj);
}

static int make_large_qp(struct f_obj *obj, u32 wrs)
{
	struct ib_qp_init_attr attr = {
		.send_cq = obj->env->cq,
		.recv_cq = obj->env->cq,
		.cap = {
			.max_send_wr = wrs,
			.max_recv_wr = wrs,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};

	F_NEW(obj->qp, ib_create_qp(obj->env->pd, &attr));
	return connect_qp(obj->env, obj->qp);
}

static int make_srq_qp(struct f_obj *obj, u32 type)
{
	int ret = f_make_srq(obj, 0);

	return ret ? ret : make_qp(obj, type);
}

const struct f_op f_ops[] = {
	{ "query", query_qp },
	{ "node_desc", set_node_desc },
	{ "pd", make_pd },
	{ "cq", make_cq, F_CQE },
	{ "large_cq", make_cq, F_LARGE_CQE },
	{ "pool_cq", make_pool_cq },
	{ "resize_cq", resize_cq, 4 * F_CQE },
	{ "small_resize_cq", resize_cq, F_SMALL_CQE },
	{ "large_resize_cq", resize_cq, F_LARGE_CQE },
	{ "mr", make_mr, F_MR_SHORT },
	{ "long_mr", make_mr, F_MR_LONG },
	{ "gaps_mr", make_gaps_mr, F_MR_SHORT },
	{ "long_gaps_mr", make_gaps_mr, F_MR_LONG },
	{ "pi_mr", make_pi_mr, F_MR_SHORT },
	{ "long_pi_mr", make_pi_mr, F_MR_LONG },
	{ "ah", make_ah },
	{ "qp_rc", make_qp, IB_QPT_RC },
	{ "large_qp", make_large_qp, F_LARGE_WRS },
	{ "qp_uc", make_qp, IB_QPT_UC },
	{ "qp_ud", make_qp, IB_QPT_UD },
	{ "srq", f_make_srq },
	{ "large_srq", f_make_large_srq, F_LARGE_WRS },
	{ "srq_qp", make_srq_qp, IB_QPT_RC },
	{ "mkey", f_make_mkey, F_MR_SHORT },
	{ "sig_mkey", f_make_sig_mkey, F_MR_SHORT },
	{ "mkey_pool", f_make_pool, 2 },
	{ "layout", f_make_layout, F_MR_LONG },
	{ "dct", f_make_dct },
	{ "dci", f_make_dci },
	{ "dci_streams", f_make_dci, 2 },
	{ "memcpy_qp", f_make_memcpy_qp },
	{ "builders", f_make_builders },
	{ "umem", f_make_umem, F_UMEM },
	{ }
};
