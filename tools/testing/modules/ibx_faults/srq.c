// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Operations on SRQs
 */
#include "ibx_faults.h"

/**
 * f_make_srq() - operation: create and use an SRQ
 * @obj: receives the SRQ
 * @unused: not used
 *
 * Return: 0 or the errno of a verb.
 */
int f_make_srq(struct f_obj *obj, u32 unused)
{
	struct ib_srq_init_attr init = {
		.attr = { .max_wr = F_WRS, .max_sge = 1 },
		.srq_type = IB_SRQT_BASIC,
	};
	struct ib_srq_attr attr = { .srq_limit = F_WRS / 2 };
	struct ib_recv_wr wr = {};
	int i;

	F_NEW(obj->srq, ib_create_srq(obj->env->pd, &init));
	for (i = 0; i < F_WRS; i++)
		F_TRY(ib_post_srq_recv(obj->srq, &wr, NULL));
	F_TRY(ib_modify_srq(obj->srq, &attr, IB_SRQ_LIMIT));
	F_TRY(ib_query_srq(obj->srq, &attr));
	return 0;
}

/**
 * f_make_large_srq() - operation: create an SRQ, without using the SRQ
 * @obj: receives the SRQ
 * @wrs: number of WRs of the SRQ
 *
 * Return: 0 or the errno of the verb.
 */
int f_make_large_srq(struct f_obj *obj, u32 wrs)
{
	struct ib_srq_init_attr init = {
		.attr = { .max_wr = wrs, .max_sge = 15 },
		.srq_type = IB_SRQT_BASIC,
	};

	F_NEW(obj->srq, ib_create_srq(obj->env->pd, &init));
	return 0;
}
