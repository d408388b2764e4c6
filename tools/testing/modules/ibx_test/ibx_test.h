/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ibx_test: cases that run in the kernel, use public verbs, and run on any RDMA device.
 * Directory and module ibx_test, prefix t_.
 *
 * A suite is one file with a table of cases, listed in suites.h. A case gets a pair: two connected
 * QPs, end [0] on the first device and end [1] on the second device. Each end has a PD, CQs, a
 * buffer mapped for DMA, and MRs. struct t_opts selects the attributes of these objects. The pair
 * is created before the case and destroyed after the case. A case runs in process context with
 * t_debugfs.lock held. Completions are polled; only the case arms a CQ.
 *
 * Cases post, then collect: each work request has a separate index as wr_id, and an end counts the
 * completions of each index, so a case can check that each work request completed exactly once. A
 * completion with a wr_cqe is not counted: t_collect() calls its done(). A case returns 0, or
 * a negative errno after one line in the log (T_FAIL, T_EXPECT). A case may leave a QP in any
 * state.
 */
#ifndef IBX_TEST_H
#define IBX_TEST_H

#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

#include "../test_debugfs/test_debugfs.h"

#define T_WRS		256		/* wr_id 0 .. T_WRS - 1 on each queue */
#define T_DEPTH		32		/* requested send/receive depth */
#define T_PAGES		8
#define T_BUF_SIZE	(T_PAGES * PAGE_SIZE)
#define T_MRS		4
#define T_QKEY		0x1ee7
#define T_SL		5
#define T_TCLASS	0x68		/* of paths and address handles; ECN bits are zero */
#define T_NO_VLAN	0xffff
#define T_GUARD		0xee		/* each byte of a buffer where no data may arrive */
#define T_MTU		1024		/* bytes of a packet of t_default_path */
#define T_TIMEOUT_MS	120000
#define T_EVENTS	32		/* above every IB_EVENT_* of a queue */

/* addresses of a pair */
enum t_gid_kind {
	T_GID_IPV4,		/* RoCE v2 */
	T_GID_IPV6,		/* RoCE v2 */
	T_GID_V1,		/* RoCE v1 */
	T_GID_VLAN,		/* RoCE v2 over IPv4 on a VLAN; frames have priority T_SL */
};

/**
 * struct t_opts - attributes of the pair of a case; 0 selects the usual value of an attribute
 * @type: type of the QPs; 0 is IB_QPT_RC
 * @sq_depth: work requests of the send queue; 0 is T_DEPTH
 * @rq_depth: work requests of the receive queue; 0 is T_DEPTH
 * @send_sges: SGEs of a send; 0 is 2
 * @recv_sges: SGEs of a receive; 0 is 1
 * @inline_size: bytes of a send that may be inline
 * @cqe: entries of each CQ; 0 is four times T_DEPTH
 * @srq_depth: receives come from an SRQ of this depth; 0 is no SRQ
 * @mr_type: type of the MRs; 0 is IB_MR_TYPE_MEM_REG
 * @mr_entries: maximum pages, or elements, of each MR; 0 is T_PAGES
 * @nr_mrs: number of MRs of each end, up to T_MRS; 0 is 1
 * @one_cq: receives complete on the CQ of the sends, and are counted in t_end.sq
 * @all_signaled: every send has a completion
 * @unconnected: the QPs are in RESET
 * @gid: kind of the addresses
 * @create_qp: called instead of ib_create_qp()
 * @destroy_qp: called instead of ib_destroy_qp() by t_qp_destroy()
 * @in_init: called when t_qp_connect() has moved a QP to INIT
 * @post: called by t_message() instead of ib_post_send(), with one work request
 */
struct t_opts {
	enum ib_qp_type type;
	u32 sq_depth;
	u32 rq_depth;
	u32 send_sges;
	u32 recv_sges;
	u32 inline_size;
	u32 cqe;
	u32 srq_depth;
	enum ib_mr_type mr_type;
	u32 mr_entries;
	u32 nr_mrs;
	bool one_cq;
	bool all_signaled;
	bool unconnected;
	enum t_gid_kind gid;
	struct ib_qp *(*create_qp)(struct ib_pd *pd, struct ib_qp_init_attr *attr);
	int (*destroy_qp)(struct ib_qp *qp);
	int (*in_init)(struct ib_qp *qp);
	int (*post)(struct ib_qp *qp, const struct ib_send_wr *wr);
};

/**
 * struct t_path - attributes of a connection of two QPs
 * @mtu: MTU of the path
 * @access: IB_ACCESS_REMOTE_* that the peer has
 * @rd_atomic: outstanding READs, both as requester and as responder
 * @psn: first packet sequence number, in both directions
 * @timeout: time without an acknowledgment after which the QP retries, coded
 * @retry_cnt: retries after a timeout
 * @rnr_retry: retries after receiver not ready; 7 is no limit
 * @min_rnr_timer: time that the peer waits after receiver not ready before it retries, coded
 */
struct t_path {
	enum ib_mtu mtu;
	int access;
	u8 rd_atomic;
	u32 psn;
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 min_rnr_timer;
};

/**
 * struct t_queue - completions of one work queue
 * @cq: CQ of the queue
 * @seen: number of completions of each wr_id
 * @wc: last completion of each wr_id
 * @order: wr_ids in the order of completion
 * @nr: number of completions that were counted
 * @called: number of completions with a wr_cqe, which are not in @seen, @order and @nr
 */
struct t_queue {
	struct ib_cq *cq;
	unsigned int seen[T_WRS];
	struct ib_wc wc[T_WRS];
	u64 order[2 * T_WRS];
	unsigned int nr;
	unsigned int called;
};

/**
 * struct t_end - one end of a pair
 * @dev: the device
 * @pd: PD of all objects of the end
 * @srq: SRQ of the QP, or NULL
 * @qp: the QP
 * @ah: address handle of the other end, for UD only
 * @sq: completions of sends of @qp
 * @rq: completions of receives of @qp; has no CQ with t_opts.one_cq
 * @gid: GID of the port, of the kind t_opts.gid
 * @gid_index: index of @gid in the table of the port
 * @vlan: VLAN of @gid, or T_NO_VLAN
 * @mac: MAC address of the port
 * @buf: T_BUF_SIZE bytes
 * @dma: DMA address of @buf
 * @mr: MRs, not registered; t_post_reg() registers one with @buf
 * @sgl: scatterlist of @buf, one element for each page, mapped
 * @events: number of times each IB_EVENT_* was reported for a QP or the SRQ
 * @in_init: t_opts.in_init
 */
struct t_end {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_srq *srq;
	struct ib_qp *qp;
	struct ib_ah *ah;
	struct t_queue sq;
	struct t_queue rq;
	union ib_gid gid;
	int gid_index;
	u16 vlan;
	u8 mac[ETH_ALEN];
	void *buf;
	u64 dma;
	struct ib_mr *mr[T_MRS];
	struct scatterlist sgl[T_PAGES];
	atomic_t events[T_EVENTS];
	int (*in_init)(struct ib_qp *qp);
};

/**
 * struct t_pair - two ends
 * @end: [0] on the first device, [1] on the second
 * @opts: options of the case
 * @arg: t_case.arg of the case
 */
struct t_pair {
	struct t_end end[2];
	const struct t_opts *opts;
	const void *arg;
};

/**
 * struct t_msg - one message from end 1 to end 0, or read by end 1 from end 0
 * @op: SEND*, RDMA WRITE* or READ
 * @len: bytes
 * @seed: seed of the pattern
 * @flags: further IB_SEND_* flags
 * @imm: immediate data, for opcodes with immediate data
 * @inv_rkey: key that SEND with invalidate invalidates
 */
struct t_msg {
	enum ib_wr_opcode op;
	u32 len;
	u32 seed;
	int flags;
	__be32 imm;
	u32 inv_rkey;
};

/**
 * struct t_case - a case
 * @name: unique among all suites
 * @run: runs the case on a pair
 * @opts: attributes of the pair, NULL for the usual ones
 * @arg: stored in p->arg for @run
 */
struct t_case {
	const char *name;
	int (*run)(struct t_pair *p);
	const struct t_opts *opts;
	const void *arg;
};

/**
 * struct t_suite - a suite
 * @name: name of its C file
 * @cases: cases of the suite; the last entry has no name
 */
struct t_suite {
	const char *name;
	const struct t_case *cases;
};

#define T_SUITE(suite)	extern const struct t_case t_##suite##_cases[];
#include "suites.h"
#undef T_SUITE

extern struct test_debugfs t_debugfs;

/* t_log(fmt, ...): add to the log of the running case */
#define t_log(fmt, ...)	test_debugfs_log(&t_debugfs, fmt, ##__VA_ARGS__)

#define T_FAIL(fmt, ...)						\
	({								\
		t_log("%s:%d: " fmt "\n", __func__, __LINE__, ##__VA_ARGS__); \
		-EIO;							\
	})

/* T_EXPECT(found, expected): if the values differ, log both and return -EIO to the caller */
#define T_EXPECT(found, expected)					\
	do {								\
		long long __f = (found), __e = (expected);		\
									\
		if (__f != __e)						\
			return T_FAIL("%s is %lld, expected %s (%lld)",	\
				      #found, __f, #expected, __e);	\
	} while (0)

/* T_TRY(call): if @call returns an error, log it and return -EIO to the caller */
#define T_TRY(call)							\
	do {								\
		int __ret = (call);					\
									\
		if (__ret < 0)						\
			return T_FAIL("%s: %d", #call, __ret);		\
	} while (0)

/* main.c: suites of another module */
int t_suites_add(const struct t_suite *suites);
void t_suites_remove(const struct t_suite *suites);

/* pair.c */
int t_pair_create(struct t_pair *p, struct ib_device *a, struct ib_device *b,
		  const struct t_opts *opts);
void t_pair_destroy(struct t_pair *p);
struct ib_qp *t_qp_create(struct t_end *e, struct ib_cq *scq, struct ib_cq *rcq,
			  const struct t_opts *opts);
int t_qp_destroy(struct ib_qp *qp, const struct t_opts *opts);

/* integrity.c */
struct ib_qp *t_create_pi_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr);

/* connect.c */
extern const struct t_path t_default_path;

int t_to_init(struct ib_qp *qp, const struct t_path *path);
int t_to_rtr(struct t_end *e, struct ib_qp *qp, const struct t_end *peer, u32 peer_qpn,
	     const struct t_path *path);
int t_to_rts(struct ib_qp *qp, const struct t_path *path);
int t_qp_connect(struct t_end *e, struct ib_qp *qp, const struct t_end *peer, u32 peer_qpn,
		 const struct t_path *path);
int t_pair_connect(struct t_pair *p);
int t_pair_connect_path(struct t_pair *p, const struct t_path *path);
int t_pair_connect_qp(struct t_pair *p, struct ib_qp *qp);
int t_move(struct ib_qp *qp, enum ib_qp_state state);
int t_state(struct t_end *e);

/* connect_iw.c */
int t_iw_connect(struct ib_qp *qp, const struct ib_device *peer, u32 peer_qpn);
void t_iw_end(void);

static inline bool t_is_iwarp(const struct t_end *e)
{
	return rdma_protocol_iwarp(e->dev, 1);
}

/* events.c */
void t_events_file(struct dentry *dir);
void t_listen(struct ib_event_handler *handler, struct ib_device *dev);
void t_listen_end(struct ib_event_handler *handler);

/* fragment.c */
void t_fragment_file(struct dentry *dir);
void t_fragment_end(void);

/* work.c */
struct ib_sge t_sge(const struct t_end *e, u32 offset, u32 length);
int t_post_recv_sges(struct t_end *e, u64 id, struct ib_sge *sges, int nr);
int t_post_recv(struct t_end *e, u64 id);
int t_post_reg(struct t_end *e, u64 id, struct ib_mr *mr, int access);
int t_post_inv(struct t_end *e, u64 id, u32 rkey);
int t_rdma(struct t_end *e, u64 id, enum ib_wr_opcode op, const struct ib_sge *sge, u64 addr,
	   u32 rkey);
void t_write_wr(struct ib_rdma_wr *wr, struct ib_sge *sge, struct t_end *e, u64 id);
void t_send_wr(struct ib_send_wr *wr, struct ib_sge *sge, u64 id);

int t_collect(struct t_queue *q);
int t_wait(struct t_queue *q, u64 id);
int t_wait_set(struct t_queue *q, const bool *flag);
int t_settle(struct t_queue *q);
int t_expect_flushed(struct t_queue *q, u64 from, u64 to);
void t_clear_counts(struct t_queue *q);

int t_wait_event(struct t_end *e, enum ib_event_type event);

/* frwr_mem.c */
u32 t_create_flags(const struct ib_device *dev);

/* uc.c */
int t_open_uc(struct t_pair *p, int access);

/* data.c */
void t_sync(struct t_end *e);
void t_set(struct t_end *e, u8 byte);
int t_untouched(struct t_end *e, u8 byte);
void t_fill(struct t_end *e, u32 offset, u32 len, u32 seed);
int t_check(struct t_end *e, u32 offset, u32 len, u32 seed);
int t_check_only(struct t_end *e, u32 offset, u32 len, u32 seed);
int t_check_packets(struct t_end *e, u32 from, u32 offset, u32 len, u32 seed);

int t_open(struct t_pair *p, int access);
int t_message(struct t_pair *p, const struct t_msg *m);

#endif /* IBX_TEST_H */
