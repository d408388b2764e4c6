/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef FRWR_INITIATOR_H
#define FRWR_INITIATOR_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <rdma/ib_frwr.h>

/* sent to the peer, big endian; the peer answers with a SEND that invalidates @rkey */
struct frwr_command {
	__be64 iova;
	__be32 rkey;
	__be32 length;
};

struct frwr_request {
	struct ib_frwr_req reg;
	struct ib_cqe send_cqe;
	struct ib_cqe recv_cqe;
	struct completion done;
	struct frwr_command *cmd;	/* in the memory of cmd_sge */
	struct ib_sge cmd_sge;
	atomic_t pending;		/* completions that the request waits for */
	int status;
};

int frwr_initiator_lend(struct frwr_request *rq, struct ib_frwr *frwr, struct ib_qp *qp,
			const struct bio_vec *bvec, unsigned int bi_vcnt,
			enum dma_data_direction dir);

#endif /* FRWR_INITIATOR_H */
