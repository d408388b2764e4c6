/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * sim_violations: breaks the rules of the simulated device, one at a time.
 * Directory and module sim_violations, prefix v_. Suites are listed in suites.h.
 *
 * The module binds to mlx5_core.rdma in the place of a provider. It uses the
 * commands that mlx5_core exports and rings of its own, because a correct
 * provider does not break the rules of the device.
 *
 * Each case gets new objects (struct v_set): a PD, a key for all of memory, two CQs, an SRQ and a
 * QP in RTS that is connected to itself, or a DCI that may post memory copies. A case provokes one
 * violation and returns 0 when the device reacted as expected (an error status, an error
 * completion). The shell test checks the counters of the device. Cases run in process context, one
 * at a time.
 */
#ifndef SIM_VIOLATIONS_H
#define SIM_VIOLATIONS_H

#include <linux/mlx5/cq.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/qp.h>

#include "../test_debugfs/test_debugfs.h"

#define V_LOG_CQ	2		/* log2 of the CQ entries */
#define V_LOG_SQ	4		/* log2 of the basic blocks in the send ring */
#define V_LOG_RQ	2		/* log2 of the WQEs (basic blocks) in the receive ring */
#define V_TIMEOUT_MS	60000

/* an unused bus address: the devices' address space starts far above it */
#define V_NO_ADDR	0x5000

/* The QP of a case */
enum v_kind {
	V_RC,		/* with a receive queue, which is empty */
	V_SRQ,		/* RC, receives from the SRQ */
	V_DCI,		/* DCI of 4 streams; enters ERR when 2 streams are in error */
	V_LOOP,		/* RC with force loopback, without an address */
	V_NO_FRE,	/* V_RC without fast registration, like QPs of processes */
};

/**
 * struct v_ring - a page of queue memory and a doorbell record
 * @va: the page
 * @dma: bus address of @va
 * @db: doorbell records
 * @num: number of the object that uses the ring
 * @made: the object exists
 */
struct v_ring {
	void *va;
	dma_addr_t dma;
	struct mlx5_db db;
	u32 num;
	bool made;
};

/**
 * struct v_set - the objects of a case
 * @mdev: the function
 * @arg: v_case.arg of the case
 * @uar: doorbell page
 * @eqn: event queue of the CQs, which are never armed
 * @pdn: PD of the objects
 * @pd_made: the PD exists
 * @mkey: mkey of physical addresses with all rights, for the complete address space
 * @scq: completions of sends
 * @scq_ci: number of entries of @scq that were read
 * @rcq: completions of receives
 * @srq: an RMP with its ring initialised and one WQE posted
 * @qp: the QP
 * @sq_off: offset of the send ring in the page of the QP
 * @pi: number of send basic blocks written
 * @loop: force loopback at INIT2RTR_QP
 * @sport: UDP source port of the path
 * @data: a page mapped both ways
 * @dma: bus address of @data
 */
struct v_set {
	struct mlx5_core_dev *mdev;
	const void *arg;
	struct mlx5_uars_page *uar;
	int eqn;
	u32 pdn;
	bool pd_made;
	u32 mkey;
	struct v_ring scq;
	u32 scq_ci;
	struct v_ring rcq;
	struct v_ring srq;
	struct v_ring qp;
	u32 sq_off;
	u16 pi;
	bool loop;
	u16 sport;
	void *data;
	dma_addr_t dma;
};

/**
 * struct v_case - a case
 * @name: name of the violation that the case provokes, optionally with -VARIANT
 * @run: provokes the violation; 0 or a negative errno
 * @kind: kind of the QP that the case needs
 * @arg: stored in s->arg for @run
 */
struct v_case {
	const char *name;
	int (*run)(struct v_set *s);
	enum v_kind kind;
	const void *arg;
};

extern struct test_debugfs v_debugfs;

/* v_log(fmt, ...): add to the log of the running case */
#define v_log(fmt, ...)	test_debugfs_log(&v_debugfs, fmt, ##__VA_ARGS__)

#define T_SUITE(suite)	extern const struct v_case v_##suite##_cases[];
#include "suites.h"
#undef T_SUITE

int v_set_create(struct v_set *s, struct mlx5_core_dev *mdev, enum v_kind kind);
void v_set_destroy(struct v_set *s);

int v_modify(struct v_set *s, u16 opcode);
int v_cmd(struct v_set *s, void *in, int inlen, void *out, int outlen);
int v_refused(struct v_set *s, void *in, int inlen, void *out, int outlen);

/* V_EXT_STREAM and V_EXT_MMO are bits of @mask of v_ext(), V_EXT_MMO_ON is a bit of @word */
#define V_EXT_STREAM	BIT(0)
#define V_EXT_MMO	BIT(3)
#define V_EXT_MMO_ON	BIT(29)
#define V_EXT_IN_LEN	0x1d0	/* bytes of a state change with an extension */
void v_ext(struct v_set *s, u16 opcode, u32 mask, u32 word, void *in);
int v_create_mkey(struct v_set *s, u32 *mkey, u32 mode, u32 rights, u32 pdn);
#define V_RIGHTS_ALL	0xf	/* lr, lw, rr, rw from bit 0 */

void *v_wqe(struct v_set *s, u8 opcode, u8 ds);
void v_ring_sq(struct v_set *s);
void v_av(struct v_set *s, struct mlx5_av *av, u32 dctn, u64 key);
void v_data_seg(void *seg, u32 len, u32 lkey, u64 addr);
void v_write_wqe(struct v_set *s, u32 lkey, u64 addr, u32 len, u64 raddr);
int v_wait_cqe(struct v_set *s, struct mlx5_cqe64 *cqe);
int v_expect_error(struct v_set *s, u8 syndrome);

#endif /* SIM_VIOLATIONS_H */
