/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ibx_test: registration contexts of end 0, which lends parts of its buffer to end 1.
 */
#ifndef IBX_TEST_FRWR_CTX_H
#define IBX_TEST_FRWR_CTX_H

#include <rdma/ib_frwr.h>

#include "ibx_test.h"

#define T_LENT		4
#define T_VECS		2		/* bio_vecs of each request */
#define T_PIECE		(2 * PAGE_SIZE - 1000)

/**
 * struct t_lent - a registration request
 * @req: request; request i maps pages 2 i and 2 i + 1 of the buffer, without the first
 *	600 and the last 400 bytes
 * @given_back: the case has called ib_frwr_release()
 * @released: the release is complete
 */
struct t_lent {
	struct ib_frwr_req req;
	bool given_back;
	bool released;
};

/**
 * struct t_ctx - a registration context
 * @e: end 0
 * @frwr: the context
 * @lent: requests of the context
 * @available: number of calls of ib_frwr_attr.available
 */
struct t_ctx {
	struct t_end *e;
	struct ib_frwr *frwr;
	struct t_lent lent[T_LENT];
	atomic_t available;
};

void t_vecs(struct t_end *e, int i, struct bio_vec *bv);
int t_lend(struct t_ctx *c, int i, enum dma_data_direction dir);
void t_give_back(struct t_ctx *c, int i);
int t_post_and_wait(struct t_ctx *c, int i);
int t_wait_released(struct t_ctx *c, int i);
int t_wait_available(struct t_ctx *c);
int t_ctx_rdma(struct t_pair *p, const struct ib_frwr_req *req, u64 id, enum ib_wr_opcode op);
int t_read_elsewhere(struct t_pair *p, const struct ib_frwr_req *req);
int t_lent_reads(struct t_pair *p, struct t_ctx *c, int i, u64 id);
int t_with_ctx(struct t_pair *p, u32 min, u32 max, int (*run)(struct t_pair *p, struct t_ctx *c));

/**
 * struct t_ctx_case - a case with a registration context of end 0
 * @run: runs the case
 * @min: ib_frwr_attr.min_mrs
 * @max: ib_frwr_attr.max_mrs
 * @arg: distinguishes cases that have the same @run
 */
struct t_ctx_case {
	int (*run)(struct t_pair *p, struct t_ctx *c);
	u32 min;
	u32 max;
	int arg;
};

int t_ctx_run(struct t_pair *p);

/* T_CTX(name, min, max, ...): entry of a table of cases, for the function @name */
#define T_CTX(name, min, max, ...)					\
	{ #name, t_ctx_run, .arg = &(const struct t_ctx_case){ name, min, max }, ##__VA_ARGS__ }

/* T_CTX_OF(name, min, max, run, value): the same for @run, with @value in t_ctx_case.arg */
#define T_CTX_OF(name, min, max, run, value)				\
	{ #name, t_ctx_run, .arg = &(const struct t_ctx_case){ run, min, max, value } }

#endif /* IBX_TEST_FRWR_CTX_H */
