/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: types of the verbs objects. This header and the headers that it
 * includes have no prototypes. Prototypes are in the headers of each folder.
 *
 * Folders, lowest first. A file uses its own folder and those before it here:
 *
 *   ibx.h compat.h conf.h dc.h dev.h integrity.h log.h ring.h sig.h xrc.h
 *                         types
 *   trace.[ch]            tracepoints
 *   enc/                  encoders and decoders: no locks, no device
 *   wq/                   rings and hot paths; issues no command
 *   cmd/                  firmware commands, one function each; does not use wq/
 *   verbs/                verbs; writes no descriptors
 *   devx/                 objects and events of DEVX; does not use keys/
 *   keys/                 mkeys of MRs of processes, set by UMRs of the driver
 *   dv/                   direct verbs: <rdma/mlx5dv.h>
 *   abi/                  contexts and objects of processes; does not use dv/
 *   main.h and the rest   module, probe stages, events of mlx5_core, table of verbs
 *
 * Locks, outermost first:
 *
 *   dev->xrc_lock         objects that all XRC QPs name
 *   dev->closed_lock      closed contexts with kept objects (abi/keep.c)
 *   uctx->keep_lock       kept objects of a context
 *   uctx->db_lock         doorbell pages of a process
 *   umr->repair_lock      one repair of the UMR QP at a time
 *   dev->sigs_sem         creating or destroying an mkey with signatures
 *   qp->mutex             one state change of a QP at a time
 *   cq->mutex             one change of a CQ's size or moderation at a time
 *   dev->flush_lock       membership of the lists of QPs (device, CQ); irq safe
 *   sq.lock or rq.lock    posting on one side of a QP; irq safe
 *   cq->lock              consuming a CQ; with two of them the lower number
 *                         first (ibx_cqs_lock()); irq safe
 *   srq->ring.lock        posting to an SRQ, and completing from it; irq safe
 *   sig->lock             signature error of an mkey; irq safe
 *   umr->lock             WRs of the UMR QP; irq safe
 *   keys->lock            free mkeys of MRs of processes
 *   xa_lock(&dev->...)    tables of QPs and SRQs; irq safe, for events
 *
 * With PREEMPT_RT spin locks sleep, interrupts stay on, and interrupt handlers
 * are threads. "Interrupts are off" then means that a spin lock was taken with
 * spin_lock_irq() or spin_lock_irqsave().
 *
 * A completion that finds its QP in dev->qps uses the QP only under the lock of
 * its CQ. Destroying a QP erases it from the table and cleans its CQs in one
 * critical section of the same lock; otherwise a completion between the two
 * steps would be lost, and also its WQE of an SRQ. An event that finds a QP or
 * SRQ takes a reference.
 */
#ifndef MLX5_IBX_H
#define MLX5_IBX_H

#include <linux/mlx5/cq.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/qp.h>
#include <rdma/ib_frwr_provider.h>
#include <rdma/ib_verbs.h>
#include <rdma/mlx5dv.h>

#include "dc.h"
#include "dev.h"
#include "log.h"
#include "ring.h"
#include "sig.h"

#ifndef CONFIG_64BIT
#error "mlx5_ibx rings doorbells with one store of 64 bits: not for 32-bit kernels"
#endif

/**
 * struct ibx_pd - a protection domain
 * @ibpd: PD of the core
 * @pdn: number of the PD
 * @uid: user context of the PD, and of its QPs and SRQs; 0 for the kernel
 * @held: a CREATE_MKEY or UMR that was not answered may still put an mkey in
 *	the PD: the PD is not deallocated, so that its number is not used again
 */
struct ibx_pd {
	struct ib_pd ibpd;
	u32 pdn;
	u16 uid;
	bool held;
};

/**
 * struct ibx_cq - a completion queue
 * @ibcq: CQ of the core; ibcq.cqe is the number of entries for its consumers:
 *	at most the entries of the ring, less one, less @reserved
 * @mcq: mlx5_core's part: number, doorbell records, consumer index, events
 * @lock: held while the CQ is polled, armed or cleaned
 * @cqb: ring and its consumer (wq/wq.h)
 * @send_qps: QPs whose sends complete here (ibx_qp.send_link), under flush_lock
 *	and lock
 * @recv_qps: QPs whose receives complete here (ibx_qp.recv_link), under the
 *	same locks
 * @buf: memory of the ring
 * @next_buf: memory of the new ring during a resize (cq.c)
 * @mutex: one change of size or moderation at a time
 * @reserved: entries for CQEs that complete no WR (ibx_cq_reserve()), under @mutex
 * @next_cqe: ibcq.cqe after a resize in progress
 * @db: doorbell records: consumer index, arming
 * @period: event moderation, us
 * @count: event moderation, completions
 * @vector: completion vector
 * @exposed: a QP or DCT that the device keeps may still write to @buf
 * @failed: CQ in error: the device writes no more CQEs (notifier.c)
 * @flushes: the CQ may have QPs whose WRs are flushed in software
 *	(ibx_qp.stopped); under @lock
 * @silent: the device raises no more events: in error, or about to be destroyed
 * @gone: the CQ is destroyed on the device, or about to be destroyed
 * @left: the device has refused to destroy the CQ
 * @dcts_new: number of DCTs that are being created with this CQ, under @lock
 * @attached: a context of DEVX has attached the CQ (dv/devx_verbs.c); this and
 *	the next two members under @lock
 * @cqe_cb: function for the CQEs of QPs that are not in ibx_dev.qps; or NULL
 * @cqe_arg: first argument of @cqe_cb
 */
struct ibx_cq {
	struct ib_cq ibcq;
	struct mlx5_core_cq mcq;
	spinlock_t lock;	/* consuming */
	struct ibx_cqb cqb;
	struct ibx_buf buf;
	struct ibx_buf next_buf;
	struct mutex mutex;	/* buf, next_buf, reserved, gone */
	u32 reserved;
	u32 next_cqe;
	struct mlx5_db db;
	u16 period;
	u16 count;
	u32 vector;
	bool exposed;
	bool failed;
	bool flushes;
	bool silent;
	bool gone;
	bool left;
	unsigned int dcts_new;
	bool attached;
	void (*cqe_cb)(void *arg, const void *cqe);
	void *cqe_arg;
	struct list_head send_qps;
	struct list_head recv_qps;
};

/**
 * struct ibx_ref - keeps an object while its events are queued
 * @refs: 1 for the object itself and 1 per queued event
 * @freed: completed when @refs reaches 0
 */
struct ibx_ref {
	refcount_t refs;
	struct completion freed;
};

/**
 * struct ibx_qp - a queue pair
 * @ibqp: QP of the core; ibqp.qp_num of the GSI QP is 1 and differs from @qpn
 * @qpn: hardware number, used in WQEs, CQEs and commands
 * @uid: user context
 * @st: MLX5_QP_ST_*
 * @state: state last set by software; written under both ring locks, read under
 *	one by posting. The device may have moved the QP to ERR already
 * @sig_all: IB_SIGNAL_ALL_WR
 * @sq: send ring (wq/wq.h)
 * @rq: receive ring (wq/wq.h)
 * @srq_ring: receive ring of the SRQ, or NULL without SRQ; with an SRQ, @rq is
 *	empty
 * @buf: memory of both rings, receive ring first
 * @db: doorbell records [MLX5_RCV_DBR], [MLX5_SND_DBR]
 * @mutex: one state change at a time
 * @reserved: send WRs for which entries of its CQs are reserved
 * @stopping: a modify_qp of the owner has moved the QP to ERR since RESET; written
 *	under mutex
 * @stopped: in ERR for consumers, and in RESET on the device, which completes no
 *	more WRs; written under the locks of both CQs
 * @lost: a command that changes the QP was not answered (verbs/qp.c, abi/qp.c)
 * @access: IB_ACCESS_* as last set
 * @resp_depth: max_dest_rd_atomic as last set
 * @mmo: created for memory copies on a device where a QP must enable them
 * @drain_sigerr: created so that a signature error drains the send queue
 * @counter_pending: the device gets the new counter set once the QP is in RTS
 * @port: port number, always 1
 * @cap: actual capabilities
 * @dev_link: entry in ibx_dev.qp_list
 * @send_link: entry in ibx_cq.send_qps
 * @recv_link: entry in ibx_cq.recv_qps
 * @last_wqe_told: IB_EVENT_QP_LAST_WQE_REACHED was reported since RESET
 * @ref: references of queued events
 * @dc: fields of a DCI or DCT; @qpn of a DCT is 0 before RTR
 * @dev: device; for the stand-in of a QP of mlx5_ib (dv/stand_in.c), the
 *	companion. A stand-in uses only @ibqp (device and pd), @qpn, @st, @sq,
 *	@buf, @dev, @stand_in, @dv and @wr
 * @stand_in: for a stand-in, entry in the table of stand-ins
 * @dv: part of the QP that <rdma/mlx5dv.h> shows to ULPs
 * @wr: state of the send queue while it is open for builders (dv/wr.c)
 */
struct ibx_qp {
	struct ib_qp ibqp;
	u32 qpn;
	u16 uid;
	u8 st;
	enum ib_qp_state state;
	bool sig_all;
	struct ibx_sq sq;
	struct ibx_rq rq;
	struct ibx_srq_ring *srq_ring;
	struct ibx_buf buf;
	struct mlx5_db db;
	struct mutex mutex;	/* state changes */
	u32 reserved;
	bool stopping;
	bool stopped;
	bool lost;
	u32 access;
	u8 resp_depth;
	bool mmo;
	bool drain_sigerr;
	bool counter_pending;
	u32 port;
	struct ib_qp_cap cap;
	struct list_head dev_link;
	struct list_head send_link;
	struct list_head recv_link;
	bool last_wqe_told;
	struct ibx_ref ref;
	struct ibx_dc dc;
	struct ibx_dev *dev;
	struct hlist_node stand_in;
	struct mlx5dv_qp_ex dv;
	struct ibx_wr wr;
};

/**
 * struct ibx_srq - a shared receive queue
 * @ibsrq: SRQ of the core
 * @srqn: number of the SRQ's RMP
 * @uid: user context
 * @xrc: an XRC SRQ of a process: @srqn is the number of an SRQ, not of an RMP
 * @ring: receive ring (wq/srq_ring.c)
 * @buf: memory of the ring
 * @db: doorbell record
 * @ref: references of queued events
 * @exposed: a QP or DCT that the device keeps may still write to @buf
 */
struct ibx_srq {
	struct ib_srq ibsrq;
	u32 srqn;
	u16 uid;
	bool xrc;
	struct ibx_srq_ring ring;
	struct ibx_buf buf;
	struct mlx5_db db;
	struct ibx_ref ref;
	bool exposed;
};

/**
 * struct ibx_mr - a memory region
 * @ibmr: MR of the core; ULPs change the low byte of lkey and rkey
 * @mkey: mkey with its variant at creation; for an SG_GAPS MR, the mkey of the
 *	last map
 * @other: for an SG_GAPS MR, the mkey that the last map does not use
 * @gaps: an SG_GAPS MR: there are two mkeys, MTT and KLM
 * @mode: access mode of @mkey, MLX5_MKC_ACCESS_MODE_*
 * @page_shift: log2 of the bytes of an entry of the last map; 0 for KLMs
 * @max_shift: log2 of the largest page that @mkey may have
 * @start: bus address of the first byte of the last map
 * @length: number of bytes of the last map; ibmr.length may be smaller
 * @list: descriptor list that the UMR reads, big endian, coherent; NULL for a
 *	DMA MR
 * @list_dma: bus address of @list
 * @list_alloc: bytes allocated for @list
 * @list_bytes: bytes of @list that the UMR of the last map reads
 * @key_octwords: translation size of @mkey after the last map, in 16-byte units
 * @max_ents: capacity of the list and of each mkey, in entries
 * @nents: number of entries of the last map (map.c)
 * @list_page: page that contains @list, if @list is short (verbs/mr_list.c)
 * @pi: set for an INTEGRITY MR, whose @list is unused (integrity.h)
 */
struct ibx_mr {
	struct ib_mr ibmr;
	u32 mkey;
	u32 other;
	bool gaps;
	u8 mode;
	u8 page_shift;
	u8 max_shift;
	u64 start;
	u64 length;
	void *list;
	dma_addr_t list_dma;
	u32 list_alloc;
	u32 list_bytes;
	u32 key_octwords;
	u32 max_ents;
	u32 nents;
	struct ibx_list_page *list_page;
	struct ibx_pi *pi;
};

/**
 * struct ibx_ah - an address handle
 * @ibah: address handle of the core
 * @av: address vector in the format of WQEs
 * @attr: attributes at creation, without the reference to the source GID
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

#endif /* MLX5_IBX_H */
