/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: objects of the verbs layer. Like dev.h and ring.h, which it includes,
 * it holds types and no prototypes: those are in one header per folder.
 *
 * Folders, lowest first; a file uses its own and those before it:
 *
 *   ibx.h dev.h ring.h    types
 *   trace.[ch]            tracepoints
 *   enc/                  encoders and decoders: no locks, no device
 *   wq/                   rings and hot paths; issues no command
 *   cmd/                  firmware commands, one function each; does not use wq/
 *   verbs/                verbs; writes no descriptors
 *   dv/                   direct verbs: <rdma/mlx5dv.h>
 *   main.h and the rest   module, probe stages, events of mlx5_core, table of verbs
 *
 * Locks, outermost first:
 *
 *   qp->mutex             one state change of a QP at a time
 *   cq->mutex             one change of a CQ's size or moderation at a time
 *   dev->flush_lock       membership of the lists of QPs (device, CQ); irq safe
 *   sq.lock or rq.lock    posting on one side of a QP; irq safe
 *   cq->lock              consuming a CQ; with two of them the lower number
 *                         first (ibx_cqs_lock()); irq safe
 *   srq->ring.lock        posting to an SRQ, and completing from it; irq safe
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
 * @cqb: ring and its consumer (wq/wq.h)
 * @send_qps: QPs sending to this CQ (ibx_qp.send_link), under flush_lock+lock
 * @recv_qps: QPs receiving to this CQ (ibx_qp.recv_link)
 * @buf: the ring's memory
 * @next_buf: that of the ring that takes over, if any (cq.c)
 * @mutex: one change of size or moderation at a time
 * @db: doorbell records: consumer index, arming
 * @period: event moderation, us
 * @count: event moderation, completions
 * @vector: completion vector
 * @exposed: a QP that the device does not give up may still write to @buf
 * @failed: the device writes nothing to @buf any more (notifier.c)
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
 * @sq: send ring (wq/wq.h)
 * @rq: receive ring (wq/wq.h)
 * @srq_ring: receive ring of its SRQ; @rq is empty then. NULL without SRQ
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
 * @wr: its send queue while that is open (dv/wr.c)
 */
struct ibx_qp {
	struct ib_qp ibqp;
	u32 qpn;
	u8 st;
	enum ib_qp_state state;
	bool sig_all;
	struct ibx_sq sq;
	struct ibx_rq rq;
	struct ibx_srq_ring *srq_ring;
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
 * @ring: receive ring (wq/srq_ring.c)
 * @buf: the ring's memory
 * @db: doorbell record
 * @ref: held by events
 * @exposed: a QP that the device does not give up may still write to @buf
 */
struct ibx_srq {
	struct ib_srq ibsrq;
	u32 srqn;
	struct ibx_srq_ring ring;
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

#define ibx_dbg(dev, fmt, ...)	ibdev_dbg(&(dev)->ibdev, fmt, ##__VA_ARGS__)
#define ibx_warn(dev, fmt, ...)	ibdev_warn(&(dev)->ibdev, fmt, ##__VA_ARGS__)
#define ibx_err(dev, fmt, ...)	ibdev_err(&(dev)->ibdev, fmt, ##__VA_ARGS__)

/* without the ib_device: before it has a name, and in code that KUnit links without ib_core */
#define ibx_mdev_err(mdev, fmt, ...)						\
	dev_err((mdev)->device, KBUILD_MODNAME ": " fmt, ##__VA_ARGS__)
#define ibx_mdev_warn_ratelimited(mdev, fmt, ...)				\
	dev_warn_ratelimited((mdev)->device, KBUILD_MODNAME ": " fmt, ##__VA_ARGS__)

#endif /* MLX5_IBX_H */
