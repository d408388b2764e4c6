/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Cases with a QP on a CQ of ib_alloc_cq(). work.c has the function.
 */
#ifndef IBX_TEST_ON_CQ_H
#define IBX_TEST_ON_CQ_H

#include "ibx_test.h"

/**
 * struct t_on_cq_case - a case with a QP of end 0 on a CQ that the core polls
 * @run: runs the case; the QP is in RESET, and its work requests have a wr_cqe
 */
struct t_on_cq_case {
	int (*run)(struct t_pair *p, struct ib_qp *qp);
};

int t_on_cq(struct t_pair *p);

/* T_ON_CQ(name, ...): entry of a table of cases, for the function @name */
#define T_ON_CQ(name, ...)						\
	{ #name, t_on_cq, .arg = &(const struct t_on_cq_case){ name }, ##__VA_ARGS__ }

#endif /* IBX_TEST_ON_CQ_H */
