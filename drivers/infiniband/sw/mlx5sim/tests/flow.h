/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two simulated functions with one connected QP each, for suites that send
 * messages between the functions. Requester and responder are the code of the
 * device; the stubs record completions instead of writing CQs.
 */
#ifndef MLX5SIM_TESTS_FLOW_H
#define MLX5SIM_TESTS_FLOW_H

#include <kunit/test.h>

#include "core/core.h"
#include "tests/dp_stubs.h"

#define FLOW_RING	8	/* basic blocks, and receive WQEs of 16 bytes */
#define FLOW_RQ		(FLOW_RING * MLX5_SEND_WQE_BB)
#define FLOW_PA_KEY	0x101
#define FLOW_MR_KEY	0x201
#define FLOW_SRQ_WQES	4	/* of 32 bytes */

/**
 * struct flow_end - one of the two ends
 * @sdev: simulated function
 * @qp: QP of @sdev
 * @scq: send CQ of @qp
 * @rcq: receive CQ of @qp
 * @pd: PD of @qp
 * @ring: send ring, then receive ring
 * @pas: address of @ring
 * @dbr: doorbell record
 * @posted: number of basic blocks posted
 * @mem: one page of memory
 */
struct flow_end {
	struct sim_dev *sdev;
	struct sim_qp *qp;
	struct sim_cq scq, rcq;
	struct sim_pd pd;
	u8 *ring;
	u64 pas;
	__be32 dbr[2];
	u16 posted;
	u8 *mem;
};

/**
 * struct flow - the two ends, and their objects
 * @a: the end that sends
 * @b: the end that receives
 * @pa: key of all memory, local rights
 * @mr: key of all memory, all rights
 * @srq: SRQ of end b, after flow_make_srq()
 * @srq_pd: PD of @srq
 * @srq_pas: address of @srq_ring
 * @srq_ring: WQEs of @srq
 * @srq_dbr: doorbell record of @srq
 */
struct flow {
	struct flow_end a, b;
	struct sim_mkey pa, mr;
	struct sim_srq srq;
	struct sim_pd srq_pd;
	u64 srq_pas;
	u8 srq_ring[FLOW_SRQ_WQES * 32];
	__be32 srq_dbr;
};

int flow_init(struct kunit *test);
void flow_exit(struct kunit *test);
void flow_post(struct flow_end *e, u8 opcode, u8 fm, void *at, u32 len, void *remote);
void flow_post_recv(struct flow_end *e, void *at, u32 len);
void flow_expect(struct kunit *test, u32 *next, const struct sim_cq *cq, u16 counter, u8 synd);
void flow_no_more(struct kunit *test, u32 next);
void flow_make_srq(struct flow *f);
void flow_post_srq(struct flow *f, u16 index, void *at, u32 len);

#endif /* MLX5SIM_TESTS_FLOW_H */
