/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef FRWR_TARGET_H
#define FRWR_TARGET_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <rdma/ib_frwr.h>

/* what the peer is told, big endian; it answers by a SEND with invalidate of rkey */
struct frwr_invitation {
	__be64 iova;
	__be32 rkey;
	__be32 length;
};

struct frwr_target {
	struct ib_frwr_req req;
	struct ib_cqe sent;
	struct ib_cqe answered;
	struct completion done;
	struct frwr_invitation *inv;	/* in memory that inv_sge names */
	struct ib_sge inv_sge;
	atomic_t pending;		/* of sent and answered */
	int status;
};

int frwr_target_lend(struct frwr_target *t, struct ib_frwr *frwr, struct ib_qp *qp,
		     const struct bio_vec *bvec, unsigned int bi_vcnt,
		     enum dma_data_direction dir);

#endif /* FRWR_TARGET_H */
