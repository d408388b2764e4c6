// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * `rdma resource show`: details that the core does not show, and with -r the
 * context of the object in the device.
 *
 * The core holds a reference to the object during the call. Values are read
 * without locks, and may change at any time.
 */
#include <linux/slab.h>
#include <net/netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "cmd/xrc.h"
#include "verbs/verbs.h"

struct detail {
	const char *name;
	u32 value;
	bool hex;
};

static int put_details(struct sk_buff *msg, const struct detail *d, int n)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	int err = 0;
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < n && !err; i++)
		err = d[i].hex ? rdma_nl_put_driver_u32_hex(msg, d[i].name, d[i].value) :
				 rdma_nl_put_driver_u32(msg, d[i].name, d[i].value);
	if (err) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}

/**
 * ibx_res_qp() - verb fill_res_qp_entry
 * @msg: netlink message to append to
 * @ibqp: the QP
 *
 * Return: 0, or -EMSGSIZE when @msg is full.
 */
int ibx_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	const struct ibx_qp *qp = to_iqp(ibqp);
	const struct detail d[] = {
		{ "hw_qpn", qp->qpn, true },
		{ "sq_wqe_cnt", qp->sq.buf ? qp->sq.mask + 1 : 0 },
		{ "sq_max_post", qp->sq.max_post },
		{ "sq_head", READ_ONCE(qp->sq.head) },
		{ "sq_tail", READ_ONCE(qp->sq.tail) },
		{ "sq_cur_post", READ_ONCE(qp->sq.cur_post) },
		{ "rq_wqe_cnt", qp->rq.wqe_cnt },
		{ "rq_head", READ_ONCE(qp->rq.head) },
		{ "rq_tail", READ_ONCE(qp->rq.tail) },
	};

	return put_details(msg, d, ARRAY_SIZE(d));
}

/**
 * ibx_res_cq() - verb fill_res_cq_entry
 * @msg: netlink message to append to
 * @ibcq: the CQ
 *
 * Return: 0, or -EMSGSIZE when @msg is full.
 */
int ibx_res_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	const struct ibx_cq *cq = to_icq(ibcq);
	const struct detail d[] = {
		{ "hw_cqn", cq->mcq.cqn, true },
		{ "vector", cq->vector },
		{ "ci", READ_ONCE(cq->cqb.ci) },
		{ "arm_sn", READ_ONCE(cq->mcq.arm_sn) },
		{ "period", cq->period },
		{ "count", cq->count },
	};

	return put_details(msg, d, ARRAY_SIZE(d));
}

/**
 * ibx_res_mr() - verb fill_res_mr_entry
 * @msg: netlink message to append to
 * @ibmr: the MR
 *
 * Return: 0, or -EMSGSIZE when @msg is full.
 */
int ibx_res_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct ibx_mr *mr = to_imr(ibmr);
	const struct detail d[] = {
		{ "mkey", mr->mkey, true },
		{ "max_pages", mr->max_ents },
		{ "pages", READ_ONCE(mr->nents) },
	};

	return put_details(msg, d, ARRAY_SIZE(d));
}

/**
 * ibx_res_qp_raw() - verb fill_res_qp_entry_raw
 * @msg: netlink message to append to
 * @ibqp: the QP
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -ENOMEM
 * * -EMSGSIZE: the netlink message is full
 * * an errno from cmd.h
 */
int ibx_res_qp_raw(struct sk_buff *msg, struct ib_qp *ibqp)
{
	u32 *qpc = kzalloc(MLX5_ST_SZ_BYTES(qpc), GFP_KERNEL);
	int err;

	if (!qpc)
		return -ENOMEM;
	err = ibx_cmd_query_qp(to_idev(ibqp->device), to_iqp(ibqp)->qpn, qpc);
	if (!err)
		err = nla_put(msg, RDMA_NLDEV_ATTR_RES_RAW, MLX5_ST_SZ_BYTES(qpc), qpc);
	kfree(qpc);
	return err;
}

/**
 * ibx_res_cq_raw() - verb fill_res_cq_entry_raw
 * @msg: netlink message to append to
 * @ibcq: the CQ
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -ENOMEM
 * * -EMSGSIZE: the netlink message is full
 * * an errno from cmd.h
 */
int ibx_res_cq_raw(struct sk_buff *msg, struct ib_cq *ibcq)
{
	u32 cqc[MLX5_ST_SZ_DW(cqc)];
	int err;

	err = ibx_cmd_query_cq(to_idev(ibcq->device), &to_icq(ibcq)->mcq, cqc);
	return err ?: nla_put(msg, RDMA_NLDEV_ATTR_RES_RAW, sizeof(cqc), cqc);
}

/**
 * ibx_res_mr_raw() - verb fill_res_mr_entry_raw
 * @msg: netlink message to append to
 * @ibmr: the MR
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -ENOMEM
 * * -EMSGSIZE: the netlink message is full
 * * an errno from cmd.h
 */
int ibx_res_mr_raw(struct sk_buff *msg, struct ib_mr *ibmr)
{
	u32 mkc[MLX5_ST_SZ_DW(mkc)];
	int err;

	err = ibx_cmd_query_mkey(to_idev(ibmr->device), to_imr(ibmr)->mkey, mkc);
	return err ?: nla_put(msg, RDMA_NLDEV_ATTR_RES_RAW, sizeof(mkc), mkc);
}

/**
 * ibx_res_srq() - verb fill_res_srq_entry
 * @msg: netlink message to append to
 * @ibsrq: the SRQ
 *
 * Return: 0, or -EMSGSIZE when @msg is full.
 */
int ibx_res_srq(struct sk_buff *msg, struct ib_srq *ibsrq)
{
	const struct ibx_srq *srq = to_isrq(ibsrq);
	const struct detail d[] = {
		{ "hw_srqn", srq->srqn, true },
		{ "wqe_cnt", srq->ring.wqe_cnt },
		{ "max_sge", srq->ring.max_gs },
		{ "head", READ_ONCE(srq->ring.head) },
		{ "tail", READ_ONCE(srq->ring.tail) },
		{ "posted", READ_ONCE(srq->ring.posted) },
	};

	return put_details(msg, d, ARRAY_SIZE(d));
}

/**
 * ibx_res_srq_raw() - verb fill_res_srq_entry_raw
 * @msg: netlink message to append to
 * @ibsrq: the SRQ
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -ENOMEM
 * * -EMSGSIZE: the netlink message is full
 * * an errno from cmd.h
 */
int ibx_res_srq_raw(struct sk_buff *msg, struct ib_srq *ibsrq)
{
	u32 xrc_srqc[MLX5_ST_SZ_DW(xrc_srqc)];
	u32 rmpc[MLX5_ST_SZ_DW(rmpc)];
	int err;

	if (to_isrq(ibsrq)->xrc) {
		err = ibx_cmd_query_xrc_srq(to_idev(ibsrq->device), to_isrq(ibsrq)->srqn, xrc_srqc);
		return err ?: nla_put(msg, RDMA_NLDEV_ATTR_RES_RAW, sizeof(xrc_srqc), xrc_srqc);
	}
	err = ibx_cmd_query_rmp(to_idev(ibsrq->device), to_isrq(ibsrq)->srqn, rmpc);
	return err ?: nla_put(msg, RDMA_NLDEV_ATTR_RES_RAW, sizeof(rmpc), rmpc);
}
