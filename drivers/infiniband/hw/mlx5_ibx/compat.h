/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx is written for the newest kernel; this header adds the definitions
 * that older kernels lack.
 */
#ifndef MLX5_IBX_COMPAT_H
#define MLX5_IBX_COMPAT_H

#include <linux/mlx5/vport.h>
#include <linux/workqueue.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>

#include "compat/features.h"

#ifdef HAVE_LINUX_HEX_H
#include <linux/hex.h>
#endif
#ifdef HAVE_RDMA_ITER_H
#include <rdma/iter.h>
#endif

#ifndef HAVE_IB_UMEM_GET_VA
#define ib_umem_get_va ib_umem_get
#endif

#ifndef HAVE_SYSTEM_PERCPU_WQ
#define system_percpu_wq system_wq
#endif

#ifndef HAVE_MLX5_VPORT_NODE_GUID
#define mlx5_query_nic_vport_node_guid(mdev, vport, other, guid)	\
	mlx5_query_nic_vport_node_guid(mdev, guid)
#endif

/* bytes of a raw key of blk-crypto; without key types, all keys are raw */
#ifdef HAVE_BLK_CRYPTO_KEY_TYPE
#define ibx_blk_key_bytes(key) ((key)->bytes)
#define ibx_blk_key_is_raw(cfg) ((cfg)->key_type == BLK_CRYPTO_KEY_TYPE_RAW)
#else
#define ibx_blk_key_bytes(key) ((key)->raw)
#define ibx_blk_key_is_raw(cfg) true
#endif

/*
 * Type of the number of CQEs in the verb that resizes a CQ. Newer kernels call
 * this verb for CQs of processes only.
 */
#ifdef HAVE_IB_RESIZE_USER_CQ
typedef unsigned int ibx_resize_t;
#else
#define resize_user_cq resize_cq
typedef int ibx_resize_t;
#endif

/* the two steps of destroying a CQ, in struct ib_device_ops */
#ifdef HAVE_IB_PRE_DESTROY_CQ
#define IBX_DESTROY_CQ_STEPS(pre, post) .pre_destroy_cq = pre, .post_destroy_cq = post,
#else
#define IBX_DESTROY_CQ_STEPS(pre, post)
#endif

/* report_port_event, in struct ib_device_ops */
#ifdef HAVE_IB_REPORT_PORT_EVENT
#define IBX_REPORT_PORT_EVENT(op) .report_port_event = op,
#else
#define IBX_REPORT_PORT_EVENT(op)
#endif

/* size and initialization of counters, in struct ib_device_ops */
#ifdef HAVE_IB_COUNTER_INIT
#define IBX_COUNTER_INIT(op) .counter_init = op, .size_rdma_counter = sizeof(struct rdma_counter),
#else
#define IBX_COUNTER_INIT(op)
#endif

/*
 * Each macro IBX_DEFINE_*() defines a verb @name that calls @op with the
 * arguments of the newest kernel.
 */
#ifdef HAVE_IB_DMAH
#define IBX_DMAH_PARAM struct ib_dmah *dmah,
#define IBX_DMAH dmah
#else
struct ib_dmah;
#define IBX_DMAH_PARAM
#define IBX_DMAH NULL
#endif

#define IBX_DEFINE_REG_USER_MR(name, op)						\
static struct ib_mr *name(struct ib_pd *pd, u64 start, u64 length, u64 va, int access,	\
			  IBX_DMAH_PARAM struct ib_udata *udata)			\
{											\
	return op(pd, start, length, va, access, IBX_DMAH, udata);			\
}

#define IBX_DEFINE_REG_USER_MR_DMABUF(name, op)						\
static struct ib_mr *name(struct ib_pd *pd, u64 offset, u64 length, u64 va, int fd,	\
			  int access, IBX_DMAH_PARAM struct uverbs_attr_bundle *attrs)	\
{											\
	return op(pd, offset, length, va, fd, access, IBX_DMAH, attrs);			\
}

/* @op has no port argument: a device of this driver has a single port */
#ifdef HAVE_RDMA_COUNTER_PORT
#define IBX_PORT_PARAM , u32 port
#else
#define IBX_PORT_PARAM
#endif

#define IBX_DEFINE_COUNTER_BIND_QP(name, op)						\
static int name(struct rdma_counter *counter, struct ib_qp *qp IBX_PORT_PARAM)		\
{											\
	return op(counter, qp);						\
}

#define IBX_DEFINE_COUNTER_UNBIND_QP(name, op)						\
static int name(struct ib_qp *qp IBX_PORT_PARAM)					\
{											\
	return op(qp);							\
}

#endif /* MLX5_IBX_COMPAT_H */
