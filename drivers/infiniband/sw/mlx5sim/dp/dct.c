// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DCTs in the data path: QPs that only receive and never enter ERR.
 */
#include "dp/dp.h"

/**
 * sim_dct_fill() - read the fields of a DCT context that the data path uses
 * @dct: out: DCT, zeroed by the caller
 * @dctc: DCT context
 * @log_reads: log2 of the number of reads and atomics that a sender may have
 *     outstanding
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
