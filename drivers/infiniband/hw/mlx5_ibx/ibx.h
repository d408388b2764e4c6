/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: what its files share.
 *
 * Layers, calls in one direction only:
 *
 *  1. main.c, claim.c, ops.c: module, probe stages, table of verbs
 *  2. verbs: pd.c cq.c qp.c qp_modify.c dct.c mmo.c srq.c ah.c mr.c port.c
 *     query.c event.c restrack.c counters.c mad.c
 *  3. cmd_*.c: one function per firmware command (cmd.h)
 *  4. wq.h, sq.c, rq.c, lrq.c, post.c, builder.c, poll.c, map.c: rings
 *     and hot paths
 *  5. enc.h, enc_*.c: pure encoders, no locks, no device
 *
 * Verbs never write descriptors. Layers 4 and 5 never issue commands.
 *
 * Locks, outermost first:
 *
 *   qp->mutex             one state change of a QP at a time
 *   cq->mutex             one change of a CQ's size or moderation at a time
 *   dev->flush_lock       membership of the lists of QPs (device, CQ); irq safe
 *   sq.lock or rq.lock    posting on one side of a QP; irq safe
 *   cq->lock              consuming a CQ; with two of them the lower number
 *                         first (ibx_cqs_lock()); irq safe
 *   lrq.lock              posting to an SRQ, and completing from it; irq safe
 *   xa_lock(&dev->qps)    table of QPs; taken in hard interrupts by events
 *   xa_lock(&dev->srqs)   table of SRQs; likewise
 *
 * A QP found in dev->qps by a completion is used only under the lock of that
 * CQ; destroying a QP erases it from the table and cleans its CQs in one go
 * under the same lock, or a completion between the two would be lost, and with
 * it a WQE of an SRQ. A QP or SRQ found by an event is held by its reference
 * count.
 */
#ifndef MLX5_IBX_H
#define MLX5_IBX_H

#include <linux/mlx5/cq.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/qp.h>
#include <rdma/ib_frwr_provider.h>
#include <rdma/ib_verbs.h>
#include <rdma/mlx5dv.h>

#include "dev.h"
#include "ring.h"
#include "wq/key_marks.h"
#include "wq/srq_ring.h"
#include "wq/wq.h"
#include "dv/wr.h"

#ifdef CONFIG_PREEMPT_RT
#error "mlx5_ibx takes locks in sections with interrupts off: not for PREEMPT_RT"
#endif

struct ibx_pd {
	struct ib_pd ibpd;
	u32 pdn;
};

/**
 * struct ibx_cq - a completion queue
 * @ibcq: ibcq.cqe is one less than the ring's entries
 * @mcq: mlx5_core's part: number, doorbell records, consumer index, events
 * @lock: consuming
 * @cqb: ring and its consumer (wq.h)
 * @send_qps: QPs sending to this CQ (ibx_qp.send_link), under flush_lock+lock
 * @recv_qps: QPs receiving to this CQ (ibx_qp.recv_link)
 * @buf: the ring's memory
 * @next_buf: that of the ring that takes over, if any (cq_resize.c)
 * @mutex: one change of size or moderation at a time
 * @db: doorbell records: consumer index, arming
 * @period: event moderation, us
 * @count: event moderation, completions
 * @vector: completion vector
 * @exposed: a QP that the device does not give up may still write to @buf
 * @failed: the device writes nothing to @buf any more (event.c)
 * @silent: nor reports anything: failed, or about to be destroyed
 * @gone: the device has it no more, or not for long
 * @left: the device did not give it up
 */
struct ibx_cq {
	struct ib_cq ibcq;
	struct mlx5_core_cq mcq;
	spinlock_t lock;	/* consuming */
	struct ibx_cqb cqb;
	struct ibx_buf buf;
	struct ibx_buf next_buf;
	struct mutex mutex;	/* buf, next_buf, gone */
	struct mlx5_db db;
	u16 period;
	u16 count;
	u32 vector;
	bool exposed;
	bool failed;
	bool silent;
	bool gone;
	bool left;
	struct list_head send_qps;
	struct list_head recv_qps;
};

/**
 * struct ibx_ref - keeps an object while events about it are on their way
 * @refs: 1 for existing, 1 per event
 * @freed: fires when @refs gets to 0
 */
struct ibx_ref {
	refcount_t refs;
	struct completion freed;
};

/**
 * struct ibx_dc - what a DCI or a DCT has beyond a QP
 * @streams: a DCI was created with streams
 * @key: access key of a DCT
 * @mtu: of a DCT, as set
 * @min_rnr_timer: of a DCT, as set
 * @link: in ibx_dev.draining, of a DCT
 * @drained: nothing is under way to a DCT any more
 */
struct ibx_dc {
	bool streams;
	u64 key;
	enum ib_mtu mtu;
	u8 min_rnr_timer;
	struct list_head link;
	struct completion drained;
};

/**
 * struct ibx_qp - a queue pair
 * @ibqp: ibqp.qp_num is 1 for the GSI QP, whatever @qpn is
 * @qpn: hardware number: WQEs, CQEs and commands use this one
 * @st: MLX5_QP_ST_*
 * @state: as last set by us; changes under both ring locks, one of which
 *	posting holds. The device may be in error already: it flushes
 * @sig_all: IB_SIGNAL_ALL_WR
 * @sq: send ring (wq.h)
 * @rq: receive ring (wq.h)
 * @lrq: receive ring of its SRQ; @rq is empty then. NULL without SRQ
 * @buf: both rings, receive first
 * @db: doorbell records [MLX5_RCV_DBR], [MLX5_SND_DBR]
 * @mutex: one state change at a time
 * @access: IB_ACCESS_* as last set
 * @resp_depth: max_dest_rd_atomic as last set
 * @mmo: made for memory copies on a device that wants to be told
 * @counter_pending: bound to another counter set, which the device learns in RTS
 * @port: 1
 * @cap: as granted
 * @dev_link: in ibx_dev.qp_list
 * @send_link: in ibx_cq.send_qps
 * @recv_link: in ibx_cq.recv_qps
 * @last_wqe_told: since RESET the consumer was told that no receive of the SRQ
 *	will complete on this QP any more
 * @ref: held by events
 * @dc: if it is a DCI or a DCT; a DCT's @qpn is 0 before RTR
 * @dv: what ULPs that use <rdma/mlx5dv.h> see
 * @wr: its send queue while that is open (wr.h)
 */
struct ibx_qp {
	struct ib_qp ibqp;
	u32 qpn;
	u8 st;
	enum ib_qp_state state;
	bool sig_all;
	struct ibx_sq sq;
	struct ibx_rq rq;
	struct ibx_lrq *lrq;
	struct ibx_buf buf;
	struct mlx5_db db;
	struct mutex mutex;	/* state changes */
	u32 access;
	u8 resp_depth;
	bool mmo;
	bool counter_pending;
	u32 port;
	struct ib_qp_cap cap;
	struct list_head dev_link;
	struct list_head send_link;
	struct list_head recv_link;
	bool last_wqe_told;
	struct ibx_ref ref;
	struct ibx_dc dc;
	struct mlx5dv_qp_ex dv;
	struct ibx_wr wr;
};

/**
 * struct ibx_srq - a shared receive queue
 * @ibsrq: what the core sees
 * @srqn: number of the RMP
 * @lrq: ring (lrq.h)
 * @buf: the ring's memory
 * @db: doorbell record
 * @ref: held by events
 * @exposed: a QP that the device does not give up may still write to @buf
 */
struct ibx_srq {
	struct ib_srq ibsrq;
	u32 srqn;
	struct ibx_lrq lrq;
	struct ibx_buf buf;
	struct mlx5_db db;
	struct ibx_ref ref;
	bool exposed;
};

/**
 * struct ibx_mr - a memory region
 * @ibmr: lkey and rkey change in their low byte as ULPs ask
 * @mkey: as created; of an SG_GAPS MR the one the last map picked
 * @other: the one it did not pick, if @gaps
 * @gaps: an SG_GAPS MR: there are two mkeys, MTT and KLM
 * @mode: MLX5_MKC_ACCESS_MODE_*: what @mkey is
 * @page_shift: of the last map's entries; 0 for KLMs
 * @start: bus address of the first byte of the last map
 * @length: bytes of the last map, of which ibmr.length may be fewer
 * @list: descriptor list the UMR fetches, big endian, coherent; NULL if DMA MR
 * @list_dma: its bus address
 * @list_alloc: its allocation
 * @list_bytes: what of it the UMR of the last map reads
 * @key_octwords: what the mkey then holds, in units of 16 bytes
 * @max_ents: entries that the list and each mkey hold
 * @nents: entries of the last map (map.c)
 */
struct ibx_mr {
	struct ib_mr ibmr;
	u32 mkey;
	u32 other;
	bool gaps;
	u8 mode;
	u8 page_shift;
	u64 start;
	u64 length;
	void *list;
	dma_addr_t list_dma;
	u32 list_alloc;
	u32 list_bytes;
	u32 key_octwords;
	u32 max_ents;
	u32 nents;
};

/**
 * struct ibx_ah - an address handle
 * @ibah: what the core sees
 * @av: as WQEs carry it
 * @attr: as it was asked for, without the reference to the source GID
 */
struct ibx_ah {
	struct ib_ah ibah;
	struct mlx5_av av;
	struct rdma_ah_attr attr;
};

static inline struct ibx_dev *to_idev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct ibx_dev, ibdev);
}

static inline struct ibx_pd *to_ipd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct ibx_pd, ibpd);
}

static inline struct ibx_cq *to_icq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct ibx_cq, ibcq);
}

static inline struct ibx_qp *to_iqp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct ibx_qp, ibqp);
}

static inline struct ibx_srq *to_isrq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct ibx_srq, ibsrq);
}

static inline struct ibx_mr *to_imr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct ibx_mr, ibmr);
}

static inline struct ibx_ah *to_iah(struct ib_ah *ibah)
{
	return container_of(ibah, struct ibx_ah, ibah);
}

/* true once mlx5_core gave the device up: nothing completes any more */
static inline bool ibx_dead(const struct ibx_dev *dev)
{
	return READ_ONCE(dev->mdev->state) == MLX5_DEVICE_STATE_INTERNAL_ERROR;
}

/* true if what the QP owes this CQ of its is completed in software: the device will not */
static inline bool ibx_owed(const struct ibx_cq *cq, const struct ibx_qp *qp)
{
	return ibx_dead(to_idev(cq->ibcq.device)) ||
	       (READ_ONCE(cq->failed) && READ_ONCE(qp->state) == IB_QPS_ERR);
}

#define ibx_dbg(dev, fmt, ...)	ibdev_dbg(&(dev)->ibdev, fmt, ##__VA_ARGS__)
#define ibx_warn(dev, fmt, ...)	ibdev_warn(&(dev)->ibdev, fmt, ##__VA_ARGS__)
#define ibx_err(dev, fmt, ...)	ibdev_err(&(dev)->ibdev, fmt, ##__VA_ARGS__)

/* ---- ops.c ---- */
void ibx_set_ops(struct ibx_dev *dev);
bool ibx_is_ours(const struct ib_device *ibdev);

/* ---- claim.c ---- */
int ibx_claim_start(struct device_driver *drv);
void ibx_claim_stop(void);
bool ibx_claimed(struct device *dev);

/* ---- main.c ---- */
bool ibx_is_rdma_adev(struct device *dev);
int ibx_check_fn(struct mlx5_core_dev *mdev);

/* ---- buf.c ---- */
int ibx_buf_alloc(struct ibx_dev *dev, struct ibx_buf *buf, size_t size);
void ibx_buf_free(struct ibx_dev *dev, struct ibx_buf *buf);
u32 ibx_buf_npages(const struct ibx_buf *buf);
void ibx_buf_fill_pas(const struct ibx_buf *buf, __be64 *pas);

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

/* ---- port.c ---- */
int ibx_roce_init(struct ibx_dev *dev);
void ibx_roce_exit(struct ibx_dev *dev);
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

/* ---- cq.c, cq_resize.c ---- */
int ibx_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *attrs);
int ibx_pre_destroy_cq(struct ib_cq *ibcq);
void ibx_post_destroy_cq(struct ib_cq *ibcq);
int ibx_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int ibx_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);
int ibx_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata);
void ibx_cqs_lock(struct ibx_cq *a, struct ibx_cq *b);
void ibx_cqs_unlock(struct ibx_cq *a, struct ibx_cq *b);

/* ---- qp.c, qp_modify.c ---- */
int ibx_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata);
int ibx_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int ibx_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int ibx_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int ibx_qp_set_counter(struct ib_qp *ibqp, struct rdma_counter *counter);
void ibx_qp_forget(struct ibx_qp *qp);
int ibx_qp_publish(struct ibx_dev *dev, struct ibx_qp *qp);
void ibx_qp_unpublish(struct ibx_dev *dev, struct ibx_qp *qp);
void ibx_qp_leak(struct ibx_dev *dev, struct ibx_qp *qp);

/* ---- dct.c ---- */
int ibx_dct_create(struct ibx_qp *qp, u64 key);
int ibx_dct_modify(struct ibx_dev *dev, struct ibx_qp *qp, const struct ib_qp_attr *attr,
		   enum ib_qp_state next, u8 set);
void ibx_dct_query(const struct ibx_qp *qp, struct ib_qp_attr *attr);
void ibx_dct_destroy(struct ibx_dev *dev, struct ibx_qp *qp);
void ibx_dct_drained(struct ibx_dev *dev, u32 dctn);

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
u32 ibx_mr_max_mtt(const struct ibx_dev *dev);
bool ibx_mr_has_gaps(const struct ibx_dev *dev);
void ibx_mr_exit(struct ibx_dev *dev);
struct ib_mr *ibx_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *ibx_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_num_sg);
int ibx_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
struct ib_mr *ibx_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 va,
			      int access, struct ib_udata *udata);

/* ---- mmo.c ---- */
int ibx_mmo_init(struct ibx_dev *dev);
void ibx_mmo_exit(struct ibx_dev *dev);
int ibx_mmo_enable(struct ibx_dev *dev, u32 qpn);

/* ---- mkey.c ---- */
u32 ibx_mkey_max_entries(const struct ibx_dev *dev);

/* ---- mkey_fs.c ---- */
int ibx_debugfs_init(struct ibx_dev *dev);
void ibx_debugfs_exit(struct ibx_dev *dev);

/* ---- event.c ---- */
static inline void ibx_ref_init(struct ibx_ref *ref)
{
	refcount_set(&ref->refs, 1);
	init_completion(&ref->freed);
}

/* the last one lets whoever destroys the object go on */
static inline void ibx_ref_put(struct ibx_ref *ref)
{
	if (refcount_dec_and_test(&ref->refs))
		complete(&ref->freed);
}

/* for whoever destroys the object: nobody finds it any more */
static inline void ibx_ref_last(struct ibx_ref *ref)
{
	ibx_ref_put(ref);
	wait_for_completion(&ref->freed);
}

bool ibx_event_queue(struct ibx_dev *dev, struct ibx_ref *ref, const struct ib_event *event,
		     void (*handler)(struct ib_event *event, void *context), void *context);
int ibx_event_init(struct ibx_dev *dev);
void ibx_event_watch(struct ibx_dev *dev);
void ibx_event_exit(struct ibx_dev *dev);
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

/* ---- post.c ---- */
int ibx_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int ibx_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

/* ---- poll.c ---- */
int ibx_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int ibx_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
/* drop the completions of a QP that goes to RESET or away; cq->lock is held */
void ibx_cq_clean(struct ibx_cq *cq, u32 qpn, struct ibx_lrq *lrq);

/* ---- map.c ---- */
extern struct ib_frwr_provider ibx_frwr;

int ibx_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *offset);
int ibx_mr_resplit(struct ibx_mr *mr);

/* do the pages of the MR's list begin where its iova does? */
static inline bool ibx_mr_in_place(const struct ibx_mr *mr)
{
	const u64 moved = mr->ibmr.iova ^ mr->start;

	return likely(!moved) || !(moved & ((1ULL << mr->page_shift) - 1));
}

#endif /* MLX5_IBX_H */
