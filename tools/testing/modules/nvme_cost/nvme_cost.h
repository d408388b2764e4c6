/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * nvme_cost: cost of a request for the CPU of an NVMe over RDMA host. Directory
 * and module nvme_cost, prefix c_.
 *
 * test_debugfs.h describes the files in debugfs. "run" takes
 *
 *	read DEVICE BLOCK-DEVICE BYTES DEPTH NUMBER
 *	write DEVICE BLOCK-DEVICE BYTES DEPTH NUMBER
 *
 * and reads or writes BYTES bytes NUMBER times, with DEPTH requests in flight. The
 * block device is a namespace that an NVMe host has connected through DEVICE.
 */
#ifndef NVME_COST_H
#define NVME_COST_H

#include <linux/blk-mq.h>
#include <rdma/ib_verbs.h>

#include "../test_debugfs/test_debugfs.h"

/* parts of the cost of a request */
enum c_part {
	C_QUEUE,		/* queue_rq() of the host */
	C_IRQ,			/* handler of a completion interrupt */
	C_POLL,			/* polling of a CQ, with everything that completions lead to */
	C_PARTS
};

/* calls that are counted */
enum c_call {
	C_POST_SEND,
	C_POST_RECV,
	C_NOTIFY,		/* ib_req_notify_cq() */
	C_REGISTRATIONS,	/* IB_WR_REG_MR */
	C_COMPLETIONS,
	C_CALLS
};

/**
 * struct c_sums - measurements since c_hooks_reset()
 * @cost: time stamp counts of each part
 * @runs: number of runs of each part
 * @calls: number of calls of each function
 * @disturbed: code in a part has enabled interrupts, so the counts are not
 *	valid
 */
struct c_sums {
	u64 cost[C_PARTS];
	u64 runs[C_PARTS];
	u64 calls[C_CALLS];
	bool disturbed;
};

extern struct test_debugfs c_debugfs;

#define c_log(fmt, ...)		test_debugfs_log(&c_debugfs, fmt, ##__VA_ARGS__)

int c_hooks_attach(struct ib_device *dev, struct request_queue *q);
void c_hooks_detach(void);
void c_hooks_count_calls(bool on);
void c_hooks_take_off(u64 cost);
void c_hooks_reset(void);
const struct c_sums *c_hooks_sums(void);

#endif /* NVME_COST_H */
