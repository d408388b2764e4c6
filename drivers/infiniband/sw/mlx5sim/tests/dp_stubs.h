/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the data path suites put in place of the rest of the device: a table of
 * mkeys, host memory whose bus addresses are kernel addresses, queue buffers in one piece,
 * and a record of completions, events and violations.
 */
#ifndef MLX5SIM_TESTS_DP_STUBS_H
#define MLX5SIM_TESTS_DP_STUBS_H

#include "dp/dp.h"
#include "obj/obj.h"

#define STUB_MKEYS	8
#define STUB_DEVS	2
#define STUB_CQES	32

struct sim_dp_stub {
	struct sim_mkey *mkey[STUB_MKEYS];
	struct sim_dev *dev[STUB_DEVS];	/* on the fabric */
	struct sim_qp *qp[STUB_DEVS];	/* one each */
	struct sim_dct *dct;		/* of the last function */
	struct sim_pd *pd;		/* there is one, or none */
	struct sim_qset qset[STUB_DEVS];	/* likewise, of any number */
	struct sim_cq *cqe_cq[STUB_CQES];	/* completions, as they came */
	struct mlx5_cqe64 cqe[STUB_CQES];
	bool solicited[STUB_CQES];
	u32 cqes;
	u32 events;
	u8 event;			/* the last one */
	u32 vio[SIM_VIO_MAX];
	u64 hole;			/* bus address that is not mapped, 0 = none */
};

extern struct sim_dp_stub sim_dp_stub;

void sim_dp_stub_reset(void);

#endif /* MLX5SIM_TESTS_DP_STUBS_H */
