// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CREATE_QP: the streams of a DCI.
 */
#include "cmd/handlers.h"
#include "core/core.h"
#include "dp/dp.h"
#include "obj/caps.h"
#include "obj/obj.h"

#define SIM_DCI_LOG_MAX		16	/* a stream id has 16 bits */

/**
 * sim_dci_parse() - check and create the streams that a CREATE_QP requests
 * @sdev: simulated function
 * @cmd: the command
 * @qpc: QP context in the command
 * @qp: QP with its service type set
 *
 * Context: hardware thread.
 * Return: MLX5_CMD_STAT_*; after MLX5_CMD_STAT_OK, sim_dci_exit() frees the
 * streams.
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
