/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The data path: from a send doorbell record to bytes in a peer's memory.
 *
 *	requester.c	schedules send queues, executes WQEs, completes them in order
 *	  wqe.c		fetches and decodes one send WQE
 *	  umr.c		executes a UMR on the mkey table
 *	    umr_check.c	checks the UMR first
 *	  psv.c		executes a SET_PSV on a PSV
 *	  mmo.c		copies memory for a QP
 *	  ud.c		sends datagrams
 *	  dc.c		sends messages of DCIs
 *	responder.c	executes a message at the receiving QP
 *	  recv.c	receive and shared receive rings
 *	qp_run.c	run-time state of QPs
 *	  stream.c	the streams of a DCI
 *	  dct.c		a DCT as a QP that only receives
 *	wire.c		moves bytes from one end to the other
 *	  sig.c		checks, removes, inserts signatures on the way
 *	    guard.c	calculates signatures
 *	  crypt.c	encrypts and decrypts bytes on the way
 *	  sigerr.c	reports wrong signatures
 *	access.c	memory keys: checks accesses and finds the memory
 *	cqe.c		completion queue entries
 *	uar.c		doorbell registers
 *
 * The data path runs on the hardware thread, which executes every simulated
 * device. So a message moves synchronously from one device to another, and the
 * data path takes no lock. No command creates, changes or destroys an object
 * while a send queue runs: pointers stay valid until sim_qp_poll() returns.
 *
 * Data that a driver or a peer wrote is checked before it is used. If the local
 * driver breaks a rule, the WQE completes with the error that hardware would
 * report, and a violation is counted. A request of a peer without the necessary
 * rights gets a NAK and is not a violation: the request may have raced with a
 * correct invalidation.
 */
#ifndef MLX5SIM_DP_DP_H
#define MLX5SIM_DP_DP_H

#include <linux/mlx5/cq.h>
#include <linux/mlx5/qp.h>

#include "dp/access.h"
#include "dp/crypt.h"
#include "dp/msg.h"
#include "dp/qp_run.h"
#include "dp/sig.h"
#include "dp/wqe.h"

/* ---- access.c ---- */

int sim_access_check(const struct sim_acc *acc, const struct sim_seg *seg, u32 nseg, u32 len);
u32 sim_access_reach(const struct sim_acc *acc, const struct sim_seg *seg, u32 nseg, u32 len,
		     u32 packet);
struct sim_mkey *sim_seg_key(struct sim_dev *sdev, const struct sim_seg *seg);
int sim_access_wire(const struct sim_acc *acc, const struct sim_seg *seg, u32 nseg, u64 len,
		    u64 *wire);
u32 sim_mtt_span(const struct sim_mkey *mkey, u64 va, u32 want, u64 *bus);
void sim_iter_init(struct sim_iter *it, struct sim_dev *sdev, const struct sim_seg *seg,
		   u32 nseg, bool write);
enum sim_copy_result sim_copy(struct sim_iter *dst, struct sim_iter *src, u32 len);
enum sim_copy_result sim_copy_line(void *buf, struct sim_iter *src, u32 len);

/* ---- cqe.c ---- */

void sim_cqe_req(struct mlx5_cqe64 *cqe, const struct sim_qp *qp, u8 opcode, u16 counter,
		 u32 bytes);
void sim_cqe_resp(struct mlx5_cqe64 *cqe, const struct sim_qp *qp, u8 cqe_opcode, u16 counter,
		  u32 bytes);
void sim_cqe_err(struct mlx5_cqe64 *cqe, const struct sim_qp *qp, bool req, u16 counter,
		 u8 opcode, u8 syndrome);

/* ---- crypt.c ---- */

int sim_crypt_init(struct sim_crypt *crypt, struct sim_dev *sdev, const struct sim_mkey *mkey,
		   u32 off, bool write);
u32 sim_crypt_feed(struct sim_crypt *crypt, const u8 *in, u32 n, u8 *out);
int sim_crypt_end(struct sim_crypt *crypt, u8 *out);

/* ---- dc.c ---- */

enum sim_verdict sim_dc_send(struct sim_msg *m, struct sim_dev *src, const struct mlx5_av *av);

/* ---- dct.c ---- */

void sim_dct_fill(struct sim_dct *dct, const void *dctc, u8 log_reads);

/* ---- guard.c ---- */

void sim_guard_start(struct sim_guard *guard, const struct sim_sig_domain *dom, u64 seed);
void sim_guard_add(struct sim_guard *guard, const u8 *buf, u32 len);
u64 sim_guard_end(const struct sim_guard *guard);
void sim_sig_put(enum sim_sig_type type, u64 sig, u8 *buf);
u64 sim_sig_get(enum sim_sig_type type, const u8 *buf);

/* ---- mmo.c ---- */

int sim_mmo_decode(struct sim_wqe *wqe, u8 *p, const u8 *end, const char **why);
int sim_mmo_check(struct sim_dev *sdev, const struct sim_qp *qp, const struct sim_wqe *wqe);
int sim_mmo_copy(struct sim_dev *sdev, struct sim_qp *qp, const struct sim_seg *seg, u32 len);

/* ---- psv.c ---- */

int sim_psv_decode(struct sim_wqe *wqe, const u8 *p, const u8 *end, const char **why);
int sim_psv_set(struct sim_dev *sdev, const struct sim_qp *qp, u32 psvn, u64 sig);

/* ---- qp_run.c ---- */

int sim_dp_qp_create(struct sim_dev *sdev, struct sim_qp *qp);
void sim_dp_qp_destroy(struct sim_dev *sdev, struct sim_qp *qp);
void sim_dp_qp_reset(struct sim_dev *sdev, struct sim_qp *qp);
void sim_retry_reset(struct sim_qp *qp);
void sim_dp_qp_rts(struct sim_dev *sdev, struct sim_qp *qp);
void sim_dp_qp_error(struct sim_dev *sdev, struct sim_qp *qp);
void sim_dp_cq_error(struct sim_dev *sdev, struct sim_cq *cq);
void sim_qp_fail(struct sim_dev *sdev, struct sim_qp *qp, u8 event);
void sim_qp_stall(struct sim_qp *qp, bool stalled);
void sim_qp_acc(struct sim_acc *acc, struct sim_dev *sdev, const struct sim_qp *qp, u8 rights);
void sim_dp_post_cqe(struct sim_dev *sdev, struct sim_qp *qp, struct sim_cq *cq,
		     struct mlx5_cqe64 *cqe, bool solicited);

/* ---- recv.c ---- */

int sim_dbr_read(struct sim_dev *sdev, u64 addr, u16 *val);
void sim_srq_fail(struct sim_dev *sdev, struct sim_srq *srq);
int sim_recv_peek(struct sim_dev *sdev, struct sim_qp *qp, struct sim_rwqe *rwqe);
void sim_dp_srq_limit(struct sim_dev *sdev, struct sim_srq *srq);
void sim_recv_consume(struct sim_dev *sdev, struct sim_qp *qp, const struct sim_rwqe *rwqe);
bool sim_recv_flush(struct sim_dev *sdev, struct sim_qp *qp, u32 budget);

/* ---- requester.c ---- */

void sim_dp_sq_flush(struct sim_dev *sdev, struct sim_qp *qp);
bool sim_qp_poll(struct sim_dev *sdev);

/* ---- responder.c ---- */

u64 sim_atomic_result(u8 opcode, u64 old, u64 swap_add, u64 compare);
bool sim_packet_too_long(const struct sim_msg *m);
bool sim_msg_fits(const struct sim_msg *m);
enum sim_verdict sim_responder(struct sim_msg *m);
enum sim_verdict sim_responder_read(struct sim_msg *m);
enum sim_verdict sim_responder_atomic(struct sim_msg *m);
void sim_responder_ud(struct sim_msg *m, void *grh, u8 l3_type);

/* ---- sig.c ---- */

void sim_sig_init(struct sim_sig *sig, struct sim_dev *sdev, struct sim_mkey *mkey, u32 data,
		  bool write);
void sim_sig_spoil(struct sim_sig *sig, u8 *buf, u32 n);
u32 sim_sig_feed(struct sim_sig *sig, const u8 *in, u32 n, u8 *out);

/* ---- sigerr.c ---- */

void sim_cqe_sigerr(struct mlx5_cqe64 *cqe, const struct sim_qp *qp,
		    const struct sim_sig_err *err, bool where);
void sim_sigerr_report(const struct sim_end *end, const struct sim_sig_err *err);
void sim_sq_drained(struct sim_dev *sdev, struct sim_qp *qp);

/* ---- stream.c ---- */

int sim_dci_init(struct sim_dci *dci, u8 log_streams, u8 log_errored);
void sim_dci_exit(struct sim_dci *dci);
void sim_dci_reset(struct sim_dci *dci);
bool sim_dci_bad(const struct sim_dci *dci, u16 stream);
bool sim_dci_fail(struct sim_dci *dci, u16 stream);
int sim_dci_recover(struct sim_dci *dci, u16 stream);

/* ---- uar.c ---- */

bool sim_uar_poll(struct sim_dev *sdev);

/* ---- ud.c ---- */

u8 sim_ud_grh(u8 *grh, const struct sim_route *rt, const struct mlx5_av *av, u32 payload);
int sim_ud_send(struct sim_dev *sdev, struct sim_qp *qp, struct sim_wqe *wqe);

/* ---- umr.c ---- */

int sim_umr_init(struct sim_dev *sdev);
void sim_umr_exit(struct sim_dev *sdev);
bool sim_umr_frees(const struct sim_wqe *wqe);
int sim_umr(struct sim_dev *sdev, struct sim_qp *qp, struct sim_wqe *wqe);

/* ---- wire.c ---- */

enum sim_copy_result sim_wire_copy(const struct sim_end *dst, const struct sim_end *src, u32 len,
				   bool whole);
void sim_wire_commit(void);

/* ---- wqe.c ---- */

int sim_wqe_decode_ctrl(struct sim_wqe *wqe, u32 qpn, u16 counter, const char **why);
int sim_wqe_decode(struct sim_wqe *wqe, u8 st, const char **why);
int sim_rwqe_decode(struct sim_rwqe *rwqe, u32 off, u32 size, u32 term);
int sim_wqe_fetch(struct sim_dev *sdev, struct sim_qp *qp, u16 avail, struct sim_wqe *wqe);
struct sim_wqe *sim_wqe_dup(const struct sim_wqe *wqe);

#endif /* MLX5SIM_DP_DP_H */
