// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One thread creates objects whose responses cannot be written, one after the
 * other. Other threads use the numbers of these objects (hunt_step()). Each
 * object has the number of the object that was created before it, plus 1.
 */
#include "fuzz.h"

#define TRIES	12	/* in one of this many calls, bar_step() reads the current numbers */

static void count_cqs(struct end *e)
{
	struct ibv_cq *cq = ibv_create_cq(e->ctx, 15, NULL, NULL, 0);
	struct mlx5dv_cq dv = {};
	struct mlx5dv_obj obj = { .cq = { cq, &dv } };

	if (!cq)
		return;
	if (!mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ))
		set_last(CQ, dv.cqn);
	ibv_destroy_cq(cq);
}

static void count_srqs(struct end *e, struct ibv_srq_init_attr *attr)
{
	struct ibv_srq *srq = ibv_create_srq(e->pd, attr);
	struct mlx5dv_srq dv = { .comp_mask = MLX5DV_SRQ_MASK_SRQN };
	struct mlx5dv_obj obj = { .srq = { srq, &dv } };

	if (!srq)
		return;
	if (!mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ))
		set_last(RMP, dv.srqn);
	ibv_destroy_srq(srq);
}

/* Creates a CQ or an SRQ while the kernel cannot write the response. */
void bar_step(struct end *e)
{
	static __thread u32 tries;
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 15, .max_sge = 1 } };
	bool srq = in_percent(40);

	percent = 0;
	if (tries++ % TRIES == 0) {
		count_cqs(e);
		count_srqs(e, &attr);
	}
	bar_next = true;
	if (srq)
		ibv_create_srq(e->pd, &attr);
	else
		ibv_create_cq(e->ctx, 15, NULL, NULL, 0);
	bar_next = false;
	/* the object, which is destroyed again, had the next number */
	skip_number(srq ? RMP : CQ);
}
