/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef FRWR_INITIATOR_H
#define FRWR_INITIATOR_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_frwr.h>

/* sent to the peer, big endian; the peer answers with a SEND that invalidates @rkey */
struct frwr_command {
	__be64 iova;
	__be32 rkey;
	__be32 length;
};

/*
 * an initiator on one QP: initialized by frwr_initiator_open(); or by
 * frwr_initiator_init(), with @frwr and @qp set and all other members 0
 */
struct frwr_initiator {
	struct ib_frwr *frwr;		/* registration context of @qp */
	struct ib_qp *qp;		/* RC QP */
	struct ib_cqe recv_cqe;		/* callback of all receives */
	spinlock_t lock;		/* protects the members below */
	struct list_head unanswered;	/* requests whose answer has not arrived */
	int spare_recvs;		/* receives posted for requests that were not sent */
};

struct frwr_request {
	struct list_head entry;		/* entry in frwr_initiator.unanswered */
	struct ib_frwr_req reg;
	struct ib_cqe send_cqe;
	struct completion done;
	struct frwr_command *cmd;	/* in the memory of cmd_sge */
	struct ib_sge cmd_sge;
	atomic_t pending;		/* completions that the request waits for */
	int status;
};

u32 frwr_initiator_slots(u32 requests);
int frwr_initiator_open(struct frwr_initiator *in, struct ib_qp *qp, u32 requests, u32 pages,
			u32 flags);
int frwr_initiator_close(struct frwr_initiator *in);
void frwr_initiator_init(struct frwr_initiator *in);
int frwr_initiator_lend(struct frwr_initiator *in, struct frwr_request *rq,
			const struct bio_vec *bvec, unsigned int bi_vcnt,
			enum dma_data_direction dir);

#endif /* FRWR_INITIATOR_H */
