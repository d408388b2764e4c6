/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ibx_test: cases run in the kernel on public verbs, on any RDMA device.
 *
 * A case gets a pair: two connected RC QPs, end [0] on the first device and end
 * [1] on the second, each with a PD, two CQs, a buffer mapped for DMA and one
 * MR. It is made for the case and gone after it. A case is single threaded
 * process context; completions are polled, nothing is armed.
 *
 * Cases post, then collect: every work request carries an index of its own as
 * wr_id, and an end counts the completions of each, so that "exactly once" is
 * a fact about an array. A case returns 0, or a negative errno after one line
 * in the log (T_FAIL, T_EXPECT). Tests may leave a QP in any state.
 */
#ifndef IBX_TEST_H
#define IBX_TEST_H

#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

#define T_WRS		256		/* wr_id 0 .. T_WRS - 1 on each queue */
#define T_DEPTH		32		/* of send and receive queue, as asked for */
#define T_PAGES		8
#define T_BUF_SIZE	(T_PAGES * PAGE_SIZE)
#define T_TIMEOUT_MS	20000

/**
 * struct t_queue - what one work queue's completions said
 * @cq: its completion queue, not shared
 * @seen: completions of each wr_id
 * @wc: the last one of each
 * @order: wr_ids in the order of completion
 * @nr: completions so far
 */
struct t_queue {
	struct ib_cq *cq;
	unsigned int seen[T_WRS];
	struct ib_wc wc[T_WRS];
	u64 order[2 * T_WRS];
	unsigned int nr;
};

/**
 * struct t_end - one end of a pair
 * @dev: the device
 * @pd: protection domain of everything here
 * @qp: the QP
 * @sq: completions of its sends
 * @rq: completions of its receives
 * @gid: of the port, RoCE v2 over IPv4
 * @gid_index: its place in the table
 * @mac: of the port
 * @buf: T_BUF_SIZE bytes
 * @dma: their address for the device
 * @mr: MEM_REG MR over @buf, not registered yet
 * @sgl: @buf page by page, mapped
 */
struct t_end {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_qp *qp;
	struct t_queue sq;
	struct t_queue rq;
	union ib_gid gid;
	int gid_index;
	u8 mac[ETH_ALEN];
	void *buf;
	u64 dma;
	struct ib_mr *mr;
	struct scatterlist sgl[T_PAGES];
};

struct t_pair {
	struct t_end end[2];
};

/**
 * struct t_case - a case
 * @name: unique
 * @run: gets a connected pair
 */
struct t_case {
	const char *name;
	int (*run)(struct t_pair *p);
};

extern const struct t_case t_key_cases[];
extern const struct t_case t_bad_cases[];
extern const struct t_case t_post_cases[];

__printf(1, 2)
void t_log(const char *fmt, ...);

#define T_FAIL(fmt, ...)						\
	({								\
		t_log("%s:%d: " fmt "\n", __func__, __LINE__, ##__VA_ARGS__); \
		-EIO;							\
	})

/* T_EXPECT(found, expected): leave the case when they differ */
#define T_EXPECT(found, expected)					\
	do {								\
		long long __f = (found), __e = (expected);		\
									\
		if (__f != __e)						\
			return T_FAIL("%s is %lld, expected %s (%lld)",	\
				      #found, __f, #expected, __e);	\
	} while (0)

/* T_TRY(call): leave the case when it returns an error */
#define T_TRY(call)							\
	do {								\
		int __ret = (call);					\
									\
		if (__ret < 0)						\
			return T_FAIL("%s: %d", #call, __ret);		\
	} while (0)

int t_pair_create(struct t_pair *p, struct ib_device *a, struct ib_device *b);
int t_pair_connect(struct t_pair *p);
void t_pair_destroy(struct t_pair *p);

int t_modify_err(struct t_end *e);
int t_state(struct t_end *e);

int t_post_recv(struct t_end *e, u64 id);
int t_post_reg(struct t_end *e, u64 id, struct ib_mr *mr, int access);
int t_post_inv(struct t_end *e, u64 id, u32 rkey);
void t_write_wr(struct ib_rdma_wr *wr, struct ib_sge *sge, struct t_end *e, u64 id);

int t_wait(struct t_queue *q, u64 id);
int t_settle(struct t_queue *q);
int t_expect_flushed(struct t_queue *q, u64 from, u64 to);

#endif /* IBX_TEST_H */
