/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The data path: from a send doorbell record to bytes in a peer's memory.
 *
 *	requester.c	schedules send queues, executes WQEs, completes them in order
 *	  wqe.c		fetches and decodes one send WQE
 *	  umr.c		executes a UMR on the mkey table
 *	  mmo.c		copies memory for a QP
 *	  ud.c		sends datagrams
 *	  dc.c		sends messages of DCIs
 *	  fabric.c	finds the peer's function and QP
 *	responder.c	what the peer does with a message
 *	  recv.c	its receive and shared receive rings
 *	access.c	memory keys: who may touch what, and where it is
 *	  indirect.c	what lies behind a position of an indirect key
 *	cqe.c		completion queue entries
 *
 * All of it runs on the hardware thread, for every function, so a message is
 * executed synchronously from one function into another and nothing here takes
 * a lock. No object can be created, changed or destroyed by a command while a
 * send queue is being run; pointers are good until sim_qp_poll() returns.
 *
 * Nothing a driver or a peer wrote is believed before it is checked. A breach
 * by the local driver answers with the error completion hardware would give and
 * is counted as a violation; what a peer asks for and may not have is answered
 * to the peer, and is no violation: upper layers race with their own invalidations.
 */
#ifndef MLX5SIM_DP_H
#define MLX5SIM_DP_H

#include <linux/ktime.h>
#include <linux/mlx5/cq.h>
#include <linux/mlx5/qp.h>

#include "obj/objects.h"

#define SIM_WQE_MAX_DS		63
#define SIM_WQE_MAX_BYTES	1024
#define SIM_RWQE_MAX_BYTES	2048
#define SIM_WQE_MAX_SEGS	(SIM_WQE_MAX_DS + 1)	/* one spare for a GRH */
#define SIM_RWQE_MAX_SEGS	(SIM_RWQE_MAX_BYTES / 16)
#define SIM_MAX_MSG		BIT(30)
#define SIM_GRH_LEN		40
#define SIM_PSN_MASK		0xffffff

/* <linux/mlx5/device.h> knows neither; libmlx5 does */
#define SIM_OPCODE_MMO		0x2f
#define SIM_OPMOD_MMO_DMA	1

/**
 * struct sim_seg - a piece of a gather or scatter list
 * @va: address within @key
 * @key: memory key
 * @len: bytes, 1 to 2^31
 * @kmem: the bytes themselves, when they are inline in a WQE or the device's own
 */
struct sim_seg {
	u64 va;
	u32 key;
	u32 len;
	void *kmem;
};

/**
 * struct sim_acc - who wants to access memory, and how
 * @sdev: the function whose memory it is
 * @pdn: protection domain of whoever asks
 * @any_pd: @pdn is not compared (REG_UMR QPs)
 * @qpn: QP that asks
 * @rights: SIM_MKEY_* all of which the key must grant
 * @local: asked by the function's own driver, so a breach is a violation
 */
struct sim_acc {
	struct sim_dev *sdev;
	u32 pdn;
	bool any_pd;
	u32 qpn;
	u8 rights;
	bool local;
};

/* of the head of a pattern: laps, blocks in each */
static inline u32 sim_klm_laps(const struct sim_klm *head)
{
	return head->va >> 32;
}

static inline u32 sim_klm_blocks(const struct sim_klm *head)
{
	return head->va & U16_MAX;
}

/* of a block: from its start to that of the next one, and its bytes */
static inline u32 sim_klm_stride(const struct sim_klm *block)
{
	return block->byte_count >> 16;
}

static inline u32 sim_klm_block_len(const struct sim_klm *block)
{
	return block->byte_count & U16_MAX;
}

/**
 * struct sim_klm_pos - where in a list the last lookup ended
 * @mkey: whose list it is
 * @klm: entry
 * @base: bytes described by the entries before it
 */
struct sim_klm_pos {
	const struct sim_mkey *mkey;
	u32 klm;
	u64 base;
};

/**
 * struct sim_piece - what an indirect key has at a position
 * @key: key behind it
 * @va: address within @key
 * @len: bytes from there that one entry describes
 */
struct sim_piece {
	u32 key;
	u64 va;
	u64 len;
};

/**
 * struct sim_iter - walks a list of segments piece by piece
 * @sdev: the function whose memory it is
 * @seg: current segment
 * @nseg: segments left, the current one included
 * @off: bytes of the current segment already handed out
 * @write: memory is written
 * @mkey: key of the current segment, NULL when not looked up yet
 * @at: where the last lookup ended, on each level of indirect keys
 * @p: the piece at hand
 * @bus: bus address of @p
 * @left: bytes left in @p
 */
struct sim_iter {
	struct sim_dev *sdev;
	const struct sim_seg *seg;
	u32 nseg;
	u32 off;
	bool write;
	const struct sim_mkey *mkey;
	struct sim_klm_pos at[SIM_MAX_INDIRECTION];
	u8 *p;
	u64 bus;
	u32 left;
};

enum sim_copy_result {
	SIM_COPIED,
	SIM_COPY_SRC,		/* the source could not be read */
	SIM_COPY_DST,		/* the destination could not be written */
};

/* ---- access.c ---- */

int sim_access_check(const struct sim_acc *acc, const struct sim_seg *seg, u32 nseg, u32 len);
void sim_iter_init(struct sim_iter *it, struct sim_dev *sdev, const struct sim_seg *seg,
		   u32 nseg, bool write);
enum sim_copy_result sim_copy(struct sim_iter *dst, struct sim_iter *src, u32 len);
enum sim_copy_result sim_copy_line(void *buf, struct sim_iter *src, u32 len);
u32 sim_mtt_span(const struct sim_mkey *mkey, u64 va, u32 want, u64 *bus);

/* ---- indirect.c ---- */

bool sim_klm_pattern(const struct sim_mkey *mkey);
int sim_klm_find(const struct sim_mkey *mkey, u64 pos, struct sim_klm_pos *at,
		 struct sim_piece *piece);

/* ---- wqe.c ---- */

enum sim_fence {
	SIM_FENCE_NONE,
	SIM_FENCE_SMALL,
	SIM_FENCE_READS,	/* after all outstanding reads */
	SIM_FENCE_STRONG,
	SIM_FENCE_SMALL_READS,
};

/**
 * struct sim_wqe - a send WQE, decoded
 * @counter: basic block it starts at
 * @bbs: basic blocks it occupies
 * @ds: its size in 16-byte units
 * @opcode: MLX5_OPCODE_*
 * @opmod: its modifier
 * @stream: of a DCI
 * @fence: enum sim_fence
 * @cqe: completion wanted
 * @se: solicited event wanted at the peer
 * @imm: immediate data, key to invalidate, or key of the mkey a UMR changes
 * @raddr: remote address
 * @rkey: remote key
 * @swap_add: operand of an atomic
 * @compare: likewise
 * @av: address vector of a datagram, or of a message of a DCI
 * @umr: UMR control segment, followed by the mkey segment
 * @xlt: what follows the mkey segment of a UMR
 * @xlt_len: bytes of @xlt within the WQE
 * @len: bytes of all data segments
 * @nseg: number of data segments; seg[0] is spare, they start at seg[1]
 * @seg: data segments
 * @buf: the WQE as fetched, made contiguous
 */
struct sim_wqe {
	u16 counter;
	u8 bbs;
	u8 ds;
	u8 opcode;
	u8 opmod;
	u16 stream;
	u8 fence;
	bool cqe;
	bool se;
	__be32 imm;
	u64 raddr;
	u32 rkey;
	u64 swap_add;
	u64 compare;
	const struct mlx5_av *av;
	const struct mlx5_wqe_umr_ctrl_seg *umr;
	void *xlt;
	u32 xlt_len;
	u64 len;
	u32 nseg;
	struct sim_seg seg[SIM_WQE_MAX_SEGS];
	u8 buf[SIM_WQE_MAX_BYTES] __aligned(64);
};

#define SIM_WQE_OK	(-1)	/* else an enum sim_vio */

int sim_wqe_fetch(struct sim_dev *sdev, struct sim_qp *qp, u16 avail, struct sim_wqe *wqe);
int sim_wqe_decode_ctrl(struct sim_wqe *wqe, u32 qpn, u16 counter, const char **why);
int sim_wqe_decode(struct sim_wqe *wqe, u8 st, const char **why);

/* ---- cqe.c ---- */

void sim_cqe_req(struct mlx5_cqe64 *cqe, const struct sim_qp *qp, u8 opcode, u16 counter,
		 u32 bytes);
void sim_cqe_resp(struct mlx5_cqe64 *cqe, const struct sim_qp *qp, u8 cqe_opcode, u16 index,
		  u32 bytes);
void sim_cqe_err(struct mlx5_cqe64 *cqe, const struct sim_qp *qp, bool req, u16 counter,
		 u8 opcode, u8 syndrome);

/* ---- recv.c ---- */

/**
 * struct sim_rwqe - a receive WQE at the head of its queue
 * @index: within the ring
 * @next: index of the one after it (SRQ)
 * @space: bytes its scatter list takes
 * @nseg: its segments
 * @seg: the scatter list
 * @buf: as fetched
 */
struct sim_rwqe {
	u16 index;
	u16 next;
	u64 space;
	u32 nseg;
	struct sim_seg seg[SIM_RWQE_MAX_SEGS];
	u8 buf[SIM_RWQE_MAX_BYTES] __aligned(64);
};

int sim_recv_peek(struct sim_dev *sdev, struct sim_qp *qp, struct sim_rwqe *rwqe);
void sim_srq_fail(struct sim_dev *sdev, struct sim_srq *srq);
void sim_recv_consume(struct sim_dev *sdev, struct sim_qp *qp, const struct sim_rwqe *rwqe);
bool sim_recv_flush(struct sim_dev *sdev, struct sim_qp *qp, u32 budget);
int sim_dbr_read(struct sim_dev *sdev, u64 addr, u16 *val);

int sim_rwqe_decode(struct sim_rwqe *rwqe, u32 off, u32 size);	/* wqe.c */

static inline u32 sim_qp_pdn(const struct sim_qp *qp)
{
	return qp->pd ? qp->pd->obj.id : U32_MAX;
}

static inline bool sim_qp_has_srq(const struct sim_qp *qp)
{
	return qp->rq_type == MLX5_SRQ_RQ && qp->srq;
}

/* ---- fabric.c ---- */

/**
 * struct sim_route - from one port to another
 * @src: sending function
 * @dst: receiving function
 * @sgid: entry of the sender's table
 * @dgid: entry of the receiver's table
 */
struct sim_route {
	struct sim_dev *src;
	struct sim_dev *dst;
	const struct sim_gid *sgid;
	const struct sim_gid *dgid;
};

bool sim_fabric_route(struct sim_route *rt, struct sim_dev *src, u8 sgid_index,
		      const u8 *rmac, const u8 *rgid);
struct sim_qp *sim_fabric_conn_target(const struct sim_route *rt, const struct sim_qp *qp);
struct sim_qp *sim_fabric_ud_target(const struct sim_route *rt, u32 qpn);
u32 sim_mtu_bytes(u8 mtu);
u32 sim_packets(u64 len, u8 mtu);
u64 sim_rnr_ns(u8 code);
u64 sim_ack_timeout_ns(u8 code);

/* ---- responder.c ---- */

/**
 * struct sim_msg - one message on its way
 * @rt: from where to where
 * @sqp: sending QP
 * @dqp: receiving QP
 * @opcode: MLX5_OPCODE_* of the request
 * @se: solicited
 * @imm: immediate data or key to invalidate
 * @raddr: remote address
 * @rkey: remote key
 * @swap_add: operand of an atomic
 * @compare: likewise
 * @len: payload bytes
 * @psn: of its first packet
 * @packets: it takes on the path
 * @old: what an atomic found, as it goes back
 * @reads: reads and atomics the sender has outstanding already
 * @seg: gather list, or scatter list of a read or atomic, in the sender's memory
 * @nseg: its length
 * @src_qpn: as the receiver shall see it (datagrams)
 * @prio: of the frame, if it has a VLAN tag (datagrams)
 */
struct sim_msg {
	struct sim_route rt;
	struct sim_qp *sqp;
	struct sim_qp *dqp;
	u8 opcode;
	bool se;
	__be32 imm;
	u64 raddr;
	u32 rkey;
	u64 swap_add;
	u64 compare;
	u64 old;
	u32 len;
	u32 psn;
	u32 packets;
	u32 reads;
	const struct sim_seg *seg;
	u32 nseg;
	u32 src_qpn;
	u8 prio;
};

/* What comes back */
enum sim_verdict {
	SIM_ACK,
	SIM_LOST,		/* nothing does */
	SIM_RNR,		/* receiver not ready */
	SIM_NAK_SEQ,		/* sequence error */
	SIM_NAK_INVALID,	/* invalid request */
	SIM_NAK_ACCESS,		/* remote access error */
	SIM_NAK_OP,		/* remote operational error */
	SIM_SRC_FAULT,		/* the sender's own memory failed */
};

bool sim_packet_too_long(const struct sim_msg *m);
enum sim_verdict sim_responder(struct sim_msg *m);
enum sim_verdict sim_responder_read(struct sim_msg *m);
enum sim_verdict sim_responder_atomic(struct sim_msg *m);
u64 sim_atomic_result(u8 opcode, u64 old, u64 swap_add, u64 compare);
void sim_responder_ud(struct sim_msg *m, void *grh, u8 l3_type);

/* ---- ud.c ---- */

int sim_ud_send(struct sim_dev *sdev, struct sim_qp *qp, struct sim_wqe *wqe);
u8 sim_ud_grh(u8 *grh, const struct sim_route *rt, const struct mlx5_av *av, u32 payload);

/* ---- umr.c ---- */

int sim_umr_init(struct sim_dev *sdev);
void sim_umr_exit(struct sim_dev *sdev);
int sim_umr(struct sim_dev *sdev, struct sim_qp *qp, struct sim_wqe *wqe);
int sim_umr_check_seg(const struct mlx5_wqe_umr_ctrl_seg *umr, const struct mlx5_mkey_seg *seg,
		      const char **why);

/* ---- dc.c ---- */

int sim_dci_init(struct sim_dci *dci, u8 log_streams, u8 log_errored);
void sim_dci_exit(struct sim_dci *dci);
void sim_dci_reset(struct sim_dci *dci);
bool sim_dci_takes(const struct sim_dci *dci, u16 stream);
bool sim_dci_bad(const struct sim_dci *dci, u16 stream);
bool sim_dci_fail(struct sim_dci *dci, u16 stream);
int sim_dci_recover(struct sim_dci *dci, u16 stream);
enum sim_verdict sim_dc_send(struct sim_msg *m, struct sim_dev *src, const struct mlx5_av *av);
void sim_dct_fill(struct sim_dct *dct, const void *dctc, u8 log_reads);

/* ---- mmo.c ---- */

int sim_mmo_decode(struct sim_wqe *wqe, u8 *p, const u8 *end, const char **why);
int sim_mmo_check(struct sim_dev *sdev, const struct sim_qp *qp, const struct sim_wqe *wqe);
int sim_mmo_copy(struct sim_dev *sdev, const struct sim_qp *qp, const struct sim_seg *seg,
		 u32 len);

/* ---- requester.c ---- */

/**
 * struct sim_qp_dp - run-time state of a QP
 * @all: in sim_dev.all_qps
 * @qp: whose it is
 * @sq_dead: the send ring cannot be believed; nothing more is read from it
 * @rq_dead: nor the receive ring
 * @failed: in error; stays so until reset
 * @waiting: for @wait_until, to send the WQE at sq.ci again
 * @wait_until: end of an RNR or retry timer
 * @retry_left: transport retries left for the WQE at sq.ci
 * @rnr_left: RNR retries left, not counted when the QP retries for ever
 * @established: the first message has come in
 * @seq_nak: a sequence NAK was sent, and nothing with the right number came since
 */
struct sim_qp_dp {
	struct list_head all;
	struct sim_qp *qp;
	bool sq_dead;
	bool rq_dead;
	bool failed;
	bool waiting;
	ktime_t wait_until;
	u8 retry_left;
	u8 rnr_left;
	bool established;
	bool seq_nak;
};

/* One record has both counters; it is reported once and not looked at again. */
static inline void sim_qp_dbr_broken(struct sim_qp *qp)
{
	qp->dp->sq_dead = true;
	qp->dp->rq_dead = true;
}

void sim_retry_reset(struct sim_qp *qp);
void sim_qp_fail(struct sim_dev *sdev, struct sim_qp *qp, u8 event);
void sim_dp_post_cqe(struct sim_dev *sdev, struct sim_qp *qp, struct sim_cq *cq,
		     struct mlx5_cqe64 *cqe, bool solicited);
void sim_qp_acc(struct sim_acc *acc, struct sim_dev *sdev, const struct sim_qp *qp, u8 rights);

#endif /* MLX5SIM_DP_H */
