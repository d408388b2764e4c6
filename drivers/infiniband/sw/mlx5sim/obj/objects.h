/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The objects that firmware commands create.
 *
 * Objects belong to the hardware thread (core/sim.h). Every object starts with
 * struct sim_obj. An object that depends on another object (a QP on its PD
 * and CQs, a CQ on its EQ) is a user of the other object (sim_obj_use()). A
 * command to destroy an object with users is refused and is a violation, so
 * pointers between objects never dangle.
 */
#ifndef MLX5SIM_OBJECTS_H
#define MLX5SIM_OBJECTS_H

#include <linux/ktime.h>
#include <linux/xarray.h>

#include "core/sim.h"
#include "host/dma.h"

enum sim_obj_type {
	SIM_OBJ_UAR,
	SIM_OBJ_PD,
	SIM_OBJ_TD,		/* transport domain */
	SIM_OBJ_XRCD,
	SIM_OBJ_UCTX,
	SIM_OBJ_EQ,
	SIM_OBJ_CQ,
	SIM_OBJ_MKEY,
	SIM_OBJ_SRQ,		/* RMP, SRQ and XRC SRQ share one number space */
	SIM_OBJ_QSET,		/* queue counter set */
	SIM_OBJ_QP,
	SIM_OBJ_DCT,
	SIM_OBJ_PSV,
	SIM_OBJ_UMEM,
	SIM_OBJ_DEK,
	SIM_OBJ_LOGIN,		/* crypto login */
	SIM_OBJ_FLOW_COUNTER,
	SIM_OBJ_MCG,		/* a QP in a multicast group */
	SIM_OBJ_MAX
};

struct sim_obj;

typedef void (*sim_obj_free_fn)(struct sim_dev *sdev, struct sim_obj *obj);

/**
 * struct sim_obj - the common part of all objects
 * @type: type of the object
 * @id: number (of an mkey: the index without the variant byte)
 * @uid: user context that created the object, 0 = kernel
 * @users: number of objects that depend on the object
 * @free: removes and frees the object; ignores @users
 */
struct sim_obj {
	enum sim_obj_type type;
	u32 id;
	u16 uid;
	u32 users;
	sim_obj_free_fn free;
};

static inline void sim_obj_use(struct sim_obj *obj)
{
	if (obj)
		obj->users++;
}

static inline void sim_obj_unuse(struct sim_obj *obj)
{
	if (obj)
		obj->users--;
}

struct sim_pd { struct sim_obj obj; };
struct sim_xrcd { struct sim_obj obj; };
/*
 * A doorbell page. @left: number of users of a deallocated page; @cq_arms:
 * number of writes that the device has read from the arm register of CQs
 */
struct sim_uar { struct sim_obj obj; u32 left; u32 cq_arms; };

struct sim_eq {
	struct sim_obj obj;
	struct sim_uar *uar;
	struct sim_buf buf;
	u8 log_size;
	u32 vector;
	u32 pi;			/* entries written so far */
	bool armed;		/* the next entry raises the interrupt */
	u32 fired_pi;		/* pi at the last interrupt */
	u64 events[4];		/* subscribed types, bit per type */
};

/*
 * Memory that objects of user contexts refer to by a number and an offset,
 * instead of a page list
 */
struct sim_umem {
	struct sim_obj obj;
	struct sim_buf buf;
};

/*
 * The UMEMs of the ring and of the doorbell record of a queue; NULL if the
 * command had a page list or a bus address
 */
struct sim_umems {
	struct sim_umem *ring;
	struct sim_umem *dbr;
};

struct sim_cq {
	struct sim_obj obj;
	struct sim_buf buf;
	struct sim_eq *eq;
	struct sim_uar *uar;
	u8 log_size;
	u8 cqe_size;		/* 64 or 128 */
	bool oi;		/* overrun ignored */
	bool error;
	struct sim_umems umems;
	u64 dbr_addr;		/* [0] consumer index, [1] arm */
	u32 pi;			/* CQEs written so far */
	u32 ci;			/* consumer index when last read */
	u32 arm_sn;		/* events raised so far; mod 4 in the arm word */
	u32 notified_pi;	/* pi when the last event was raised */
	u32 solicited_pi;	/* pi after the last solicited or error CQE */
	u16 cq_period;		/* us */
	u16 cq_max_count;
	ktime_t first_unnotified;
	struct list_head pending;	/* in sim_dev.cqs_pending */
	bool looked;		/* arm word was read while pending */
	bool asked;		/* an event was requested since the CQ was created */
	u32 arm_initial, uar_initial;	/* arm word, and cq_arms of the page, at creation */
	/* moves the QPs of the CQ to error, once the CQ is in error */
	void (*on_error)(struct sim_dev *sdev, struct sim_cq *cq);
};

#define SIM_EQE_SIZE		64
#define SIM_CQ_IDX_MASK		0xffffff	/* indices of a CQ or EQ */

enum sim_srq_kind { SIM_SRQ_BASIC, SIM_SRQ_RMP, SIM_SRQ_XRC };

/*
 * A shared receive queue. Each WQE begins with a mlx5_wqe_srq_next_seg, which
 * contains the index of the next WQE. The WQEs of a cyclic RMP are consumed in
 * order; with @basic, these WQEs do not begin with the segment.
 */
struct sim_srq {
	struct sim_obj obj;
	enum sim_srq_kind kind;
	bool cyclic;
	bool basic;
	struct sim_pd *pd;
	struct sim_cq *cq;		/* XRC SRQ: CQ of its messages */
	struct sim_xrcd *xrcd;		/* XRC only */
	struct sim_buf buf;
	u8 log_size;
	u8 log_stride;			/* bytes */
	struct sim_umems umems;
	u64 dbr_addr;
	u16 counter;			/* WQEs consumed, modulo 2^16 */
	u16 next;			/* index of the next WQE to consume */
	bool error;
	u16 lwm;			/* limit, 0 = not armed */
	u32 user_index;
};

/* A receive queue of a QP */
struct sim_rq {
	u64 off;			/* bytes from the start of the QP's buffer */
	u8 log_size;			/* in WQEs */
	u8 log_stride;			/* in bytes */
	u32 ci;				/* WQEs consumed so far */
};

/* The send queue of a QP */
struct sim_sq {
	u64 off;			/* bytes from the start of the QP's buffer */
	u8 log_size;			/* in basic blocks */
	u16 ci;				/* next basic block to execute (hw_sq_wqebb_counter) */
	u16 pi;				/* last doorbell record read */
};

/* Address that the packets of a QP are sent to */
struct sim_path {
	bool fl;			/* force loopback: rgid, rmac, sgid_index are unused */
	u8 rgid[16];
	u8 rmac[ETH_ALEN];
	u8 sgid_index;
	u8 hop_limit;
	u8 tclass;
	u32 flow_label;
	u16 pkey_index;
	u8 ack_timeout;
	u16 udp_sport;
	u8 sl;
	u8 port;
};

/**
 * struct sim_dci - the streams of a DCI (dp/stream.c)
 * @log_streams: log2 of the number of streams
 * @log_errored: log2 of the number of streams in error at which the QP goes to
 *	error
 * @nbad: number of streams in error
 * @bad: one bit per stream, set while it is in error; NULL when the QP is no
 *	DCI
 */
struct sim_dci {
	u8 log_streams;
	u8 log_errored;
	u32 nbad;
	unsigned long *bad;
};

struct sim_qp_dp;	/* run-time state of the data path (dp/qp_run.h) */

/*
 * struct sim_qp - a queue pair
 * @qpc: the QP context as the driver last set it, in wire form, for QUERY_QP
 *	 (MLX5_GET(qpc, qp->qpc, ...))
 * @st: service type, MLX5_QP_ST_*
 * @state: MLX5_QP_STATE_*
 * @rq_type: as in the context; @srq is set for an SRQ or RMP
 * @xrcd: XRC domain of an XRC QP. An XRC QP without a send queue is a target:
 *	@srq is the XRC SRQ of the message that it executes, NULL between messages
 * @qset: number of the counter set, 0 = not set (obj/qset.h)
 * @mmo: memory copies are enabled
 * @drain_sigerr: a signature error drains the send queue
 * @dci: streams of a DCI
 * @active: entry of sim_dev.qps, from RTS or ERR until RESET or destruction
 */
struct sim_qp {
	struct sim_obj obj;
	u8 st;
	u8 state;
	u8 rq_type;
	bool no_sq;
	struct sim_pd *pd;
	struct sim_cq *scq;
	struct sim_cq *rcq;
	struct sim_srq *srq;
	struct sim_xrcd *xrcd;
	struct sim_uar *uar;		/* of the send queue */
	struct sim_buf buf;
	struct sim_umems umems;
	u64 dbr_addr;			/* [0] receive, [1] send */
	struct sim_sq sq;
	struct sim_rq rq;
	u32 user_index;
	u8 qset;
	u32 remote_qpn;
	u32 qkey;
	u8 mtu;				/* as in the context: 1 = 256 ... 5 = 4096 */
	u8 log_msg_max;
	u8 retry_count;
	u8 rnr_retry;
	u8 min_rnr_nak;
	u8 max_rd_atomic;		/* initiator depth, 1 << log_sra_max */
	u8 max_dest_rd_atomic;		/* responder depth, 1 << log_rra_max */
	bool rre, rwe, rae;
	bool fre;			/* may register memory */
	bool mmo;
	bool drain_sigerr;
	struct sim_dci dci;
	struct sim_path path;
	u32 send_psn, recv_psn;
	struct list_head active;
	struct sim_qp_dp *dp;
	u32 qpc[MLX5_ST_SZ_DW(qpc)];
};

#define sim_qp_qpn(qp)	((qp)->obj.id)

#define SIM_MCAST_QPN	0xffffff	/* destination QPN of multicast */

/*
 * A QP in a multicast group; a group consists of all QPs with the same address
 */
struct sim_mcg {
	struct sim_obj obj;
	u8 gid[16];
	struct sim_qp *qp;
};

/**
 * struct sim_dct - a dynamically connected target
 * @qp: the DCT as a QP, for the responder; @qp.obj is the object of the DCT,
 *	@qp.state is always RTR
 * @state: MLX5_DCTC_STATE_*
 * @key: access key that a message must have
 * @key_violations: number of messages with another access key
 * @dctc: the context as the driver set it, in wire form
 */
struct sim_dct {
	struct sim_qp qp;
	u8 state;
	u64 key;
	u32 key_violations;
	u32 dctc[MLX5_ST_SZ_DW(dctc)];
};

/**
 * struct sim_objs - the number spaces of one simulated function
 * @xa: objects by number, per type
 * @next: number from which the cyclic search for a free number continues, per
 *	type
 * @count: number of objects, per type
 * @gsi: the GSI QP, which receives messages to QP 1; NULL before its creation
 */
struct sim_objs {
	struct xarray xa[SIM_OBJ_MAX];
	u32 next[SIM_OBJ_MAX];
	u32 count[SIM_OBJ_MAX];
	struct sim_qp *gsi;
};

#endif /* MLX5SIM_OBJECTS_H */
