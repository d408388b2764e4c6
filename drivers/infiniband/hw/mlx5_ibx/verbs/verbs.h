/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: functions that verbs/ exports.
 */
#ifndef MLX5_IBX_VERBS_H
#define MLX5_IBX_VERBS_H

#include <rdma/ib_verbs.h>
#include <rdma/mlx5dv.h>

#include "ibx.h"

struct ibx_mkey_params;

/**
 * struct ibx_qp_init - attributes of a QP for builders
 * @base: attributes of ib_create_qp()
 * @link: entry in ibx_dev.qp_inits, in which ibx_create_qp() finds this struct
 *	by the address of @base
 * @ops: builders to allow: enum ib_qp_create_send_ops_flags and IBX_OPS_DV()
 * @layouts: a WR has space for a layout of max_inline_data bytes
 * @drain_sigerr: a signature error drains the send queue
 * @umr: a QP for UMRs of the driver itself; the core has no record of the QP
 * @dc_type: DCI or DCT; 0 for other QPs
 * @has_streams: create a DCI with streams
 * @streams: numbers of streams, if @has_streams
 * @dct_key: access key of a DCT
 */
struct ibx_qp_init {
	struct ib_qp_init_attr base;
	struct list_head link;
	u64 ops;
	bool layouts;
	bool drain_sigerr;
	bool umr;
	enum mlx5dv_dc_type dc_type;
	bool has_streams;
	struct mlx5dv_dci_streams streams;
	u64 dct_key;
};

/**
 * struct ibx_cap_at - place of a general capability that mlx5_ifc.h lacks
 * @bit: first bit; bit 0 is the most significant bit of the first byte
 * @width: number of bits, all in one word of 32 bits
 */
struct ibx_cap_at {
	u16 bit;
	u8 width;
};

/* value of a capability, from the words that mlx5_core has read */
static inline u32 ibx_cap_get(const struct ibx_dev *dev, struct ibx_cap_at at)
{
	const __be32 *caps = (const __be32 *)dev->mdev->caps.hca[MLX5_CAP_GENERAL]->cur;
	u32 word = be32_to_cpu(caps[at.bit / 32]);

	return word >> (32 - at.bit % 32 - at.width) & (BIT(at.width) - 1);
}

/* can a UMR change remote atomic access? */
static inline bool ibx_umr_has_atomic(const struct ibx_dev *dev)
{
	return MLX5_CAP_GEN(dev->mdev, atomic) &&
	       !MLX5_CAP_GEN(dev->mdev, umr_modify_atomic_disabled);
}

/*
 * can a UMR change relaxed ordering of reads and of writes, as far as the
 * device supports it at all?
 */
static inline bool ibx_umr_has_relaxed(const struct ibx_dev *dev)
{
	const struct ibx_mkey_caps *caps = &dev->mkey_caps;

	return (!caps->ro_write || MLX5_CAP_GEN(dev->mdev, relaxed_ordering_write_umr)) &&
	       (!(caps->ro_read || caps->ro_read_pci) ||
		MLX5_CAP_GEN(dev->mdev, relaxed_ordering_read_umr));
}

/* ---- query.c ---- */
int ibx_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		     struct ib_udata *udata);
int ibx_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
int ibx_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr);
int ibx_port_immutable(struct ib_device *ibdev, u32 port, struct ib_port_immutable *imm);
enum rdma_link_layer ibx_link_layer(struct ib_device *ibdev, u32 port);
void ibx_dev_fw_str(struct ib_device *ibdev, char *str);
int ibx_modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *modify);
bool ibx_has_atomics(const struct ibx_dev *dev);
bool ibx_is_ours(const struct ib_device *ibdev);

/* ---- sysfs.c ---- */
extern const struct attribute_group ibx_attr_group;

/* ---- mcast.c ---- */
int ibx_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int ibx_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/* ---- port.c ---- */
void ibx_report_port_event(struct ib_device *ibdev, struct net_device *ndev,
			   unsigned long event);
int ibx_roce_init(struct ibx_dev *dev);
void ibx_roce_exit(struct ibx_dev *dev);
int ibx_netdev_start(void);
void ibx_netdev_stop(void);
int ibx_netdev_init(struct ibx_dev *dev);
void ibx_netdev_announce(struct ibx_dev *dev);
void ibx_netdev_exit(struct ibx_dev *dev);
int ibx_add_gid(const struct ib_gid_attr *attr, void **context);
int ibx_del_gid(const struct ib_gid_attr *attr, void **context);

/* ---- pd.c, ah.c ---- */
int ibx_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int ibx_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int ibx_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int ibx_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int ibx_destroy_ah(struct ib_ah *ibah, u32 flags);

/* ---- cq.c ---- */
int ibx_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *attrs);
int ibx_pre_destroy_cq(struct ib_cq *ibcq);
void ibx_post_destroy_cq(struct ib_cq *ibcq);
int ibx_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int ibx_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);
int ibx_resize_cq(struct ib_cq *ibcq, ibx_resize_t cqe, struct ib_udata *udata);
int ibx_cq_reserve(struct ib_cq *ibcq, u32 n);
void ibx_cq_unreserve(struct ib_cq *ibcq, u32 n);
void ibx_cqs_lock(struct ibx_cq *a, struct ibx_cq *b);
void ibx_cqs_unlock(struct ibx_cq *a, struct ibx_cq *b);
void ibx_cqs_lock_irq(struct ibx_cq *a, struct ibx_cq *b);
void ibx_cqs_unlock_irq(struct ibx_cq *a, struct ibx_cq *b);

/* ---- qp.c, qp_modify.c ---- */
int ibx_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata);
int ibx_create_umr_qp(struct ib_qp *ibqp, struct ibx_qp_init *init);
int ibx_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int ibx_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int ibx_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int ibx_qp_set_counter(struct ib_qp *ibqp, struct rdma_counter *counter);
void ibx_qp_stop(struct ibx_qp *qp);
int ibx_qp_drained_at(struct ibx_qp *qp, u16 *block);

/* ---- qp_table.c ---- */
int ibx_qp_publish(struct ibx_dev *dev, struct ibx_qp *qp);
void ibx_qp_unpublish(struct ibx_dev *dev, struct ibx_qp *qp);
void ibx_qp_clean_cqs(struct ibx_qp *qp);
void ibx_qp_drop_wrs(struct ibx_qp *qp);
void ibx_qps_drop_sig_errors(struct ibx_dev *dev, u32 key);
void ibx_qp_leak(struct ibx_dev *dev, struct ibx_qp *qp);
void ibx_qp_set_stopped(struct ibx_qp *qp);

/* is a CQ of the kernel in error? false for CQs of processes (abi/cq.c) */
static inline bool ibx_cq_failed(struct ib_cq *ibcq)
{
	return ibcq && READ_ONCE(to_icq(ibcq)->failed);
}

/* true if a CQ of the QP is in error; XRC QPs lack one or both */
static inline bool ibx_qp_cq_failed(const struct ibx_qp *qp)
{
	return ibx_cq_failed(qp->ibqp.send_cq) || ibx_cq_failed(qp->ibqp.recv_cq);
}

/*
 * true if the driver has no rings of the QP: a QP of a process, or an XRC
 * target, which the core owns
 */
static inline bool ibx_qp_of_process(const struct ibx_qp *qp)
{
	return qp->ibqp.uobject || qp->ibqp.qp_type == IB_QPT_XRC_TGT;
}

/* ---- dct.c ---- */
int ibx_dct_create(struct ibx_qp *qp, u64 key, u32 user_index);
int ibx_dct_modify(struct ibx_dev *dev, struct ibx_qp *qp, const struct ib_qp_attr *attr,
		   enum ib_qp_state next, u8 set);
void ibx_dct_query(const struct ibx_qp *qp, struct ib_qp_attr *attr);
int ibx_dct_destroy(struct ibx_dev *dev, struct ibx_qp *qp);
void ibx_dct_drained(struct ibx_dev *dev, u32 dctn);
int ibx_dct_stop(struct ibx_dev *dev, u32 dctn, u16 uid);

/* ---- drain.c ---- */
void ibx_drain_sq(struct ib_qp *ibqp);
void ibx_drain_rq(struct ib_qp *ibqp);

/* ---- srq.c ---- */
int ibx_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata);
int ibx_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata);
int ibx_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int ibx_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
int ibx_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);
void ibx_srq_event(struct ibx_dev *dev, u32 srqn, u8 type);

/* ---- mr.c ---- */
int ibx_mr_init(struct ibx_dev *dev);
void ibx_mr_exit(struct ibx_dev *dev);
struct ib_mr *ibx_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *ibx_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_num_sg);
int ibx_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
struct ib_mr *ibx_no_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 va,
			     int access, struct ib_dmah *dmah, struct ib_udata *udata);

/* ---- mr_list.c ---- */
bool ibx_mr_has_gaps(const struct ibx_dev *dev);
u32 ibx_mr_max_mtt(const struct ibx_dev *dev);
int ibx_mr_create_list(struct ib_pd *ibpd, struct ibx_mr *mr, u32 bytes);
void ibx_mr_destroy_list(struct ibx_dev *dev, struct ibx_mr *mr);

/* ---- mr_pi.c ---- */
struct ib_mr *ibx_alloc_mr_integrity(struct ib_pd *ibpd, u32 max_num_data_sg,
				     u32 max_num_meta_sg);
void ibx_pi_destroy(struct ibx_dev *dev, struct ibx_pi *pi);
int ibx_check_mr_status(struct ib_mr *ibmr, u32 check_mask, struct ib_mr_status *status);

/* ---- sig.c ---- */
int ibx_sig_init(struct ibx_dev *dev);
void ibx_sig_exit(struct ibx_dev *dev);
bool ibx_has_integrity(const struct ibx_dev *dev);
struct ibx_sig *ibx_sig_create_mkey(struct ibx_dev *dev, const struct ibx_mkey_params *p,
				    u32 *key);
void ibx_sig_destroy_mkey(struct ibx_dev *dev, struct ibx_sig *sig, u32 key);

/* ---- event.c ---- */
static inline void ibx_ref_init(struct ibx_ref *ref)
{
	refcount_set(&ref->refs, 1);
	init_completion(&ref->freed);
}

/* the last put lets ibx_ref_last() return */
static inline void ibx_ref_put(struct ibx_ref *ref)
{
	if (refcount_dec_and_test(&ref->refs))
		complete(&ref->freed);
}

/*
 * put the initial reference, and wait for the queued events of the object. The
 * object is in no table any more, so no further event gets a reference
 */
static inline void ibx_ref_last(struct ibx_ref *ref)
{
	ibx_ref_put(ref);
	wait_for_completion(&ref->freed);
}

bool ibx_event_queue(struct ibx_dev *dev, struct ibx_ref *ref, const struct ib_event *event,
		     void (*handler)(struct ib_event *event, void *context), void *context);
void ibx_event_watch(struct ibx_dev *dev);
void ibx_dispatch_port(struct ibx_dev *dev, enum ib_event_type type);

/* ---- counters.c, mad.c ---- */
int ibx_counters_init(struct ibx_dev *dev);
void ibx_counters_exit(struct ibx_dev *dev);
int ibx_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
		    const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index);

/* ---- restrack.c ---- */
int ibx_res_qp(struct sk_buff *msg, struct ib_qp *ibqp);
int ibx_res_cq(struct sk_buff *msg, struct ib_cq *ibcq);
int ibx_res_mr(struct sk_buff *msg, struct ib_mr *ibmr);
int ibx_res_qp_raw(struct sk_buff *msg, struct ib_qp *ibqp);
int ibx_res_cq_raw(struct sk_buff *msg, struct ib_cq *ibcq);
int ibx_res_mr_raw(struct sk_buff *msg, struct ib_mr *ibmr);
int ibx_res_srq(struct sk_buff *msg, struct ib_srq *ibsrq);
int ibx_res_srq_raw(struct sk_buff *msg, struct ib_srq *ibsrq);

#endif /* MLX5_IBX_VERBS_H */
