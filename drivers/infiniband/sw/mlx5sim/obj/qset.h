/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue counter sets. A set counts events of the QPs whose context contains the
 * number of the set.
 *
 * The counters are fields of query_q_counter_out. Only events that can happen
 * on this device have a counter; the other fields of query_q_counter_out are
 * zero.
 */
#ifndef MLX5SIM_QCOUNTER_H
#define MLX5SIM_QCOUNTER_H

#include "obj/objects.h"

/*
 * The counters of a set.
 *
 * A flushed WQE counts as a completion in error, too. A failed attempt is
 * counted when its retry is scheduled. The last attempt has no retry: it is
 * counted as the failure of the WQE.
 */
enum sim_qctr {
	/* responder: requests accepted */
	SIM_QCTR_rx_write_requests,
	SIM_QCTR_rx_read_requests,
	SIM_QCTR_rx_atomic_requests,
	/* responder: messages not accepted */
	SIM_QCTR_out_of_buffer,		/* no receive WQE */
	SIM_QCTR_out_of_sequence,	/* ahead of the expected sequence number */
	SIM_QCTR_duplicate_request,	/* behind the expected sequence number */
	SIM_QCTR_resp_local_length_error,	/* longer than the receive WQE */
	SIM_QCTR_resp_local_protection,	/* receive WQE with a bad key */
	SIM_QCTR_resp_remote_invalid_request,	/* NAKed as invalid request */
	SIM_QCTR_resp_remote_access_errors,	/* NAKed as remote access error */
	/* responder: receive WQEs */
	SIM_QCTR_resp_cqe_error,	/* completed in error */
	SIM_QCTR_resp_cqe_flush_error,	/* flushed */
	/* requester: responses that cause a retry */
	SIM_QCTR_rnr_nak_retry_err,	/* RNR NAK */
	SIM_QCTR_packet_seq_err,	/* sequence NAK */
	SIM_QCTR_local_ack_timeout_err,	/* no response before the timeout */
	/* requester: failed send WQEs, by syndrome */
	SIM_QCTR_req_rnr_retries_exceeded,
	SIM_QCTR_req_transport_retries_exceeded,
	SIM_QCTR_req_local_length_error,
	SIM_QCTR_local_operation_error,
	SIM_QCTR_req_local_protection,
	SIM_QCTR_req_mw_binding,
	SIM_QCTR_req_remote_invalid_request,
	SIM_QCTR_req_remote_access_errors,
	SIM_QCTR_req_remote_operation_errors,
	SIM_QCTR_req_cqe_error,		/* completed in error */
	SIM_QCTR_req_cqe_flush_error,	/* flushed */
	/* both */
	SIM_QCTR_cq_overflow,		/* CQEs dropped by a CQ in error */
	SIM_QCTR_MAX
};

/**
 * struct sim_qset - a counter set
 * @obj: obj.id is the number in QP contexts
 * @n: counters by enum sim_qctr; they wrap at 32 bits, their width in the
 *	command
 */
struct sim_qset {
	struct sim_obj obj;
	u32 n[SIM_QCTR_MAX];
};

#define sim_qcount(sdev, qp, name)	sim_qcount_add(sdev, qp, SIM_QCTR_##name)

#endif /* MLX5SIM_QCOUNTER_H */
