/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stubs of the rest of the device for the suites of the data path: a table of
 * mkeys, host memory whose bus addresses are kernel addresses, contiguous queue
 * buffers, and a record of completions, events and violations.
 */
#ifndef MLX5SIM_TESTS_DP_STUBS_H
#define MLX5SIM_TESTS_DP_STUBS_H

#include "dp/dp.h"
#include "obj/obj.h"

#define STUB_MKEYS	8
#define STUB_DEVS	2
#define STUB_CQES	32
#define STUB_PSVS	4

struct sim_dp_stub {
	struct sim_mkey *mkey[STUB_MKEYS];
	struct sim_dev *dev[STUB_DEVS];	/* on the fabric */
	struct sim_qp *qp[STUB_DEVS];	/* one per device */
	struct sim_dct *dct;		/* of the last device */
	struct sim_pd *pd;		/* the only PD, or NULL */
	struct sim_srq *srq;		/* the only SRQ, or NULL */
	struct sim_psv *psv[STUB_PSVS];
	struct sim_dek *dek;		/* the only DEK, or NULL */
	struct sim_qset qset[STUB_DEVS];	/* one per device, any number */
	struct sim_cq *cqe_cq[STUB_CQES];	/* completions, in order */
	struct mlx5_cqe64 cqe[STUB_CQES];
	bool solicited[STUB_CQES];
	u32 cqes;
	u32 events;
	u8 event;			/* type of the last event */
	u32 vio[SIM_VIO_MAX];
	u32 ignored;			/* reserved fields set and ignored */
	u64 time;			/* device time */
	u32 mtu;			/* MTU of all ports */
	u64 hole;			/* unmapped bus address, or 0 */
};

extern struct sim_dp_stub sim_dp_stub;

void sim_dp_stub_reset(void);

#endif /* MLX5SIM_TESTS_DP_STUBS_H */
