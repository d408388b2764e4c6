// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The sender of dynamically connected transport: DCIs.
 *
 * A DCI has no peer. Each WQE names one, by the address vector behind its control
 * segment: the way there, the number of a DCT (dct.c) and the key that opens it. A
 * connection is made for the message and nobody sees it; reliability is that of
 * RC, except that sequence numbers begin anew with each connection, so none are
 * looked at.
 *
 * Streams. A DCI may have 2^n of them; a WQE says which one it belongs to, by an
 * id of which the low n bits count. They share the one send queue and its order. A
 * WQE that fails at the peer or in its own memory takes its stream with it: what
 * follows on the stream is flushed, until the driver resets the stream, and the
 * others go on. When 2^m streams are in error, the QP is. A DCI without streams
 * is one with n = m = 0. A WQE that is malformed takes the QP in any case.
 */
#include <linux/bitmap.h>

#include "cmd.h"
#include "dp.h"
#include "qcounter.h"

#define SIM_DCI_LOG_MAX		16	/* a stream id has 16 bits */

/* ---- streams ---- */

/**
 * sim_dci_init - give a DCI its streams
 * @dci: zeroed
 * @log_streams: log2 of how many, at most 16
 * @log_errored: log2 of how many in error the QP stands
 *
 * Return: 0 or -ENOMEM.
 */
int sim_dci_init(struct sim_dci *dci, u8 log_streams, u8 log_errored)
{
	dci->bad = bitmap_zalloc(BIT(log_streams), GFP_KERNEL);
	if (!dci->bad)
		return -ENOMEM;
	dci->log_streams = log_streams;
	dci->log_errored = log_errored;
	return 0;
}

/**
 * sim_dci_exit - undo sim_dci_init()
 * @dci: of any QP
 */
void sim_dci_exit(struct sim_dci *dci)
{
	bitmap_free(dci->bad);
	dci->bad = NULL;
}

/**
 * sim_dci_reset - all streams are good
 * @dci: of any QP
 */
void sim_dci_reset(struct sim_dci *dci)
{
	if (dci->bad)
		bitmap_zero(dci->bad, BIT(dci->log_streams));
	dci->nbad = 0;
}

static u32 sim_dci_index(const struct sim_dci *dci, u16 stream)
{
	return stream & (BIT(dci->log_streams) - 1);
}

/**
 * sim_dci_bad - is a stream in error?
 * @dci: of any QP
 * @stream: its id in the WQE
 *
 * Return: true if so; without streams never.
 */
bool sim_dci_bad(const struct sim_dci *dci, u16 stream)
{
	return dci->nbad && test_bit(sim_dci_index(dci, stream), dci->bad);
}

/**
 * sim_dci_takes - may a WQE say that it belongs to this stream?
 * @dci: of any QP
 * @stream: its id in the WQE
 *
 * A QP that has not been given streams has the one that need not be named.
 *
 * Return: true if so.
 */
bool sim_dci_takes(const struct sim_dci *dci, u16 stream)
{
	return !stream || dci->log_streams || dci->log_errored;
}

/**
 * sim_dci_fail - put a stream in error
 * @dci: of any QP
 * @stream: its id in the WQE, not in error
 *
 * Return: true if the QP goes on, false when that was one too many or it has no
 * streams.
 */
bool sim_dci_fail(struct sim_dci *dci, u16 stream)
{
	if (!dci->bad)
		return false;
	__set_bit(sim_dci_index(dci, stream), dci->bad);
	dci->nbad++;
	return dci->nbad < BIT_ULL(dci->log_errored);
}

/**
 * sim_dci_recover - a stream may be used again
 * @dci: of any QP
 * @stream: its id in a WQE
 *
 * Return: 0, or -EINVAL when it is not in error.
 */
int sim_dci_recover(struct sim_dci *dci, u16 stream)
{
	if (!sim_dci_bad(dci, stream))
		return -EINVAL;
	__clear_bit(sim_dci_index(dci, stream), dci->bad);
	dci->nbad--;
	return 0;
}

/**
 * sim_dci_parse - check the streams a CREATE_QP asks for and make them
 * @sdev: the function
 * @cmd: the command
 * @qpc: its context
 * @qp: its type is set
 *
 * Hardware thread.
 *
 * Return: MLX5_CMD_STAT_*; with MLX5_CMD_STAT_OK sim_dci_exit() undoes it.
 */
u8 sim_dci_parse(struct sim_dev *sdev, struct sim_cmd *cmd, const void *qpc, struct sim_qp *qp)
{
	u32 streams = MLX5_GET(qpc, qpc, log_num_dci_stream_channels);
	u32 errored = MLX5_GET(qpc, qpc, log_num_dci_errored_streams);

	if (qp->st != MLX5_QP_ST_DCI) {
		if (streams || errored)
			return sim_cmd_reserved(sdev, cmd, "streams of a QP of type %#x", qp->st);
		return MLX5_CMD_STAT_OK;
	}
	if (streams > min(SIM_CAP(sdev, log_max_dci_stream_channels), SIM_DCI_LOG_MAX) ||
	    errored > SIM_CAP(sdev, log_max_dci_errored_streams))
		return sim_cmd_bad_param(sdev, cmd, "2^%u streams, 2^%u in error", streams,
					 errored);
	return sim_cmd_errno_ok(sim_dci_init(&qp->dci, streams, errored));
}

/* ---- messages ---- */

/**
 * sim_dct_fill - what the data path needs of a DCT context
 * @dct: zeroed
 * @dctc: the context
 * @log_reads: log2 of the reads each sender may have outstanding
 *
 * Pure.
 */
void sim_dct_fill(struct sim_dct *dct, const void *dctc, u8 log_reads)
{
	struct sim_qp *qp = &dct->qp;

	memcpy(dct->dctc, dctc, sizeof(dct->dctc));
	dct->state = MLX5_DCTC_STATE_ACTIVE;
	dct->key = MLX5_GET64(dctc, dctc, dc_access_key);
	INIT_LIST_HEAD(&qp->active);
	qp->st = MLX5_QP_ST_DCT;
	qp->state = MLX5_QP_STATE_RTR;
	qp->rq_type = MLX5_SRQ_RQ;
	qp->no_sq = true;
	qp->user_index = MLX5_GET(dctc, dctc, user_index);
	qp->qset = MLX5_GET(dctc, dctc, counter_set_id);
	qp->mtu = MLX5_GET(dctc, dctc, mtu);
	qp->min_rnr_nak = MLX5_GET(dctc, dctc, min_rnr_nak);
	qp->rre = MLX5_GET(dctc, dctc, rre);
	qp->rwe = MLX5_GET(dctc, dctc, rwe);
	qp->rae = MLX5_GET(dctc, dctc, rae);
	qp->max_dest_rd_atomic = BIT(log_reads);
	qp->path.sgid_index = MLX5_GET(dctc, dctc, my_addr_index);
}

/**
 * sim_dc_send - send a message of a DCI
 * @m: the message, all but its way; its gather list has passed sim_access_check()
 * @src: the DCI's function
 * @av: address vector of the WQE
 *
 * Hardware thread. A key that does not open the DCT is a remote access error. A
 * DCT that is not there, or draining, does not answer.
 *
 * Return: what comes back.
 */
enum sim_verdict sim_dc_send(struct sim_msg *m, struct sim_dev *src, const struct mlx5_av *av)
{
	u8 sgid_index = be32_to_cpu(av->grh_gid_fl) >> 20;
	struct sim_dct *dct;

	if (!sim_fabric_route(&m->rt, src, sgid_index, av->rmac, av->rgid))
		return SIM_LOST;
	dct = sim_obj_find(m->rt.dst, SIM_OBJ_DCT, be32_to_cpu(av->dqp_dct) & 0xffffff);
	if (!dct || dct->state != MLX5_DCTC_STATE_ACTIVE || m->sqp->path.pkey_index)
		return SIM_LOST;
	m->dqp = &dct->qp;
	if (be64_to_cpu(av->key.dc_key) != dct->key) {
		dct->key_violations++;
		sim_trace(m->rt.dst, "DCT 0x%x: QP 0x%x has another access key",
			  sim_qp_qpn(&dct->qp), sim_qp_qpn(m->sqp));
		return SIM_NAK_ACCESS;
	}
	if (dct->qp.rcq->error)
		return SIM_NAK_OP;
	if (sim_packet_too_long(m)) {
		sim_qcount(m->rt.dst, m->dqp, resp_remote_invalid_request);
		return SIM_NAK_INVALID;
	}
	return sim_responder(m);
}
