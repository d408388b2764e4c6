// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receives of QPs, RMPs and DCTs of DEVX, which send to themselves.
 *
 * The CQE of a receive contains a counter of 16 bits if the ring is consumed in order (ring of a
 * QP, or cyclic RMP), and the index of the WQE if the ring is a chain. UCX uses both kinds: its RC
 * QPs and DCTs receive from cyclic RMPs.
 */
#include <string.h>
#include <time.h>

#include "devx.h"

#define OP_SEND		0x0a
#define SIGNALED	0x08
#define NO_KEY		0x100u	/* lkey that ends a list of data segments */
#define WAIT_SECONDS	20
#define LOG_RQ_WQES	2
#define LOG_RWQE	6	/* bytes */
#define LOG_RECV_SQ	4	/* basic blocks, after the receive ring in the same page */
#define SQ_AT		(AT_SQ + (1u << (LOG_RQ_WQES + LOG_RWQE)))
#define QP_DBR_UMEM	0x7e0	/* in CREATE_QP */
#define RC		0
#define DCI		5
#define CYCLIC		1
#define CQE_BYTES	64
#define CQE_RESP_SEND	2
#define ROUNDS		3
#define MESSAGE		100u
#define DCT_MORE	48u	/* bytes of UCX's DCT context after those of mlx5_ifc.h */

/* kind of the receive ring */
enum ring { OWN, CHAIN, LINKED_CYCLIC, BASIC_CYCLIC, RINGS };

static const char * const ring_names[RINGS] = {
	"ring of a QP", "chain", "cyclic RMP", "cyclic RMP of basic WQEs",
};

/**
 * struct loop - a sender and a receiver in one context
 * @e: the context
 * @ring: kind of the receive ring
 * @cq: CQ of the sender and the receiver
 * @rmp: RMP, if there is one
 * @qp: RC QP that sends to itself, or DCI
 * @dct: DCT, if there is one
 * @mkey: mkey of the data
 * @key: key of @mkey
 * @posted: number of receives
 * @blocks: number of basic blocks of the posted sends
 * @cqes: number of polled completions
 */
struct loop {
	struct end e;
	enum ring ring;
	struct made cq, rmp, qp, dct, mkey;
	u32 key;
	u32 posted, blocks, cqes;
};

static void put_record(u8 *p, u32 v)
{
	__atomic_store_n((u32 *)p, htobe32(v), __ATOMIC_RELEASE);
}

static void make_qp(struct loop *l, u32 st)
{
	u8 in[BYTES(create_qp_in)] = {};
	u8 *qpc = PTR(create_qp_in, in, qpc);
	bool own = st == RC && l->ring == OWN;

	SET(create_qp_in, in, opcode, MLX5_CMD_OP_CREATE_QP);
	SET(create_qp_in, in, wq_umem_valid, 1);
	SET(create_qp_in, in, wq_umem_id, l->e.umem->umem_id);
	SET(create_qp_in, in, wq_umem_offset, own ? AT_SQ : SQ_AT);
	SET(qpc, qpc, st, st);
	SET(qpc, qpc, pm_state, 3);
	SET(qpc, qpc, pd, l->e.pdn);
	SET(qpc, qpc, rq_type, own ? 0 : st == RC ? 1 : 3);
	SET(qpc, qpc, log_rq_size, own ? LOG_RQ_WQES : 0);
	SET(qpc, qpc, log_rq_stride, own ? LOG_RWQE - 4 : 0);
	SET(qpc, qpc, srqn_rmpn_xrqn, own || st != RC ? 0 : l->rmp.nr);
	SET(qpc, qpc, log_sq_size, LOG_RECV_SQ);
	SET(qpc, qpc, ts_format, 1);
	SET(qpc, qpc, uar_page, l->e.uar->page_id);
	SET(qpc, qpc, user_index, 5);
	SET(qpc, qpc, cqn_snd, l->cq.nr);
	SET(qpc, qpc, cqn_rcv, l->cq.nr);
	SET(qpc, qpc, dbr_umem_valid, 1);
	put_bits(in, QP_DBR_UMEM, 32, l->e.umem->umem_id);
	SET(qpc, qpc, dbr_addr, AT_DBR_QP);
	l->qp = create(&l->e, in, sizeof(in), 0x48);
}

static void fill_none(u8 *qpc, u32 qpn)
{
	(void)qpc;
	(void)qpn;
}

static void fill_dci_rtr(u8 *qpc, u32 qpn)
{
	(void)qpn;
	SET(qpc, qpc, mtu, 3);
	SET(qpc, qpc, log_msg_max, 30);
}

static void fill_dci_rts(u8 *qpc, u32 qpn)
{
	(void)qpn;
	SET(qpc, qpc, retry_count, 7);
	SET(qpc, qpc, rnr_retry, 7);
	SET(qpc, qpc, primary_address_path.ack_timeout, 14);
}

static void connect_dci(struct made *qp)
{
	if (step_qp(qp, MLX5_CMD_OP_RST2INIT_QP, fill_none) ||
	    step_qp(qp, MLX5_CMD_OP_INIT2RTR_QP, fill_dci_rtr) ||
	    step_qp(qp, MLX5_CMD_OP_RTR2RTS_QP, fill_dci_rts))
		die("DCI: status %#x syndrome %#x", qp->status, qp->syndrome);
}

static void open_loop(struct loop *l, const char *device, enum ring ring, bool dc)
{
	struct want w;

	memset(l, 0, sizeof(*l));
	open_end(&l->e, device);
	l->ring = ring;
	w = want_of(&l->e);
	l->cq = create_cq(&l->e, &w);
	w.mode = ring >= LINKED_CYCLIC ? CYCLIC : 0;
	w.basic = ring == BASIC_CYCLIC;
	if (ring != OWN)
		l->rmp = create_rmp(&l->e, &w);
	if (!l->cq.obj || (ring != OWN && !l->rmp.obj))
		die("%s: errno %d status %#x", ring_names[ring], l->rmp.err, l->rmp.status);
	w.cqn = l->cq.nr;
	w.srqn = l->rmp.nr;
	w.more = DCT_MORE;
	if (dc)
		l->dct = create_dct(&l->e, &w);
	make_qp(l, dc ? DCI : RC);
	w.mode = 1;
	l->mkey = create_mkey(&l->e, &w);
	l->key = l->mkey.nr << 8 | 0x42;
	if (!l->qp.obj || !l->mkey.obj || (dc && !l->dct.obj))
		die("QP: errno %d status %#x, DCT: %d %#x", l->qp.err, l->qp.status, l->dct.err,
		    l->dct.status);
	if (dc)
		connect_dci(&l->qp);
	else
		connect_qp(&l->qp);
}

static void close_loop(struct loop *l)
{
	destroy(&l->qp, "QP");
	if (l->dct.obj)
		destroy(&l->dct, "DCT");
	if (l->rmp.obj)
		destroy(&l->rmp, "RMP");
	destroy(&l->mkey, "mkey");
	destroy(&l->cq, "CQ");
	close_end(&l->e);
}

static void put_data(u8 *seg, u32 len, u32 key, const void *at)
{
	put_bits(seg, 0, 32, len);
	put_bits(seg, 32, 32, key);
	put_bits(seg, 64, 64, (u64)(uintptr_t)at);
}

/* number of WQEs in the receive ring */
static u32 ring_size(const struct loop *l)
{
	return 1u << (l->ring == OWN ? LOG_RQ_WQES : LOG_RMP_WQES);
}

static void post_recv(struct loop *l)
{
	u32 index = l->posted++ % ring_size(l);
	u8 *wqe = l->e.mem + (l->ring == OWN ? AT_SQ : AT_RMP) + (index << LOG_RWQE);
	u8 *seg = wqe;

	memset(wqe, 0, 1 << LOG_RWQE);
	if (l->ring == CHAIN || l->ring == LINKED_CYCLIC) {
		put_bits(wqe, 16, 16, (index + 1) % ring_size(l));
		seg += 16;
	}
	put_data(seg, PAGE, l->key, l->e.mem + AT_DATA + PAGE);
	put_data(seg + 16, 0, NO_KEY, NULL);
	put_record(l->e.mem + AT_DBR_QP + (l->ring == OWN ? 0 : 64), l->posted);
}

/* writes the address vector of a DCT: GID 0 of the port, and the MAC address derived from it */
static void put_av(struct loop *l, u8 *av)
{
	union ibv_gid gid;

	if (ibv_query_gid(l->e.ctx, 1, 0, &gid))
		die("no GID");
	put_bits(av, 0, 64, DC_KEY);
	put_bits(av, 64, 32, 1u << 31 | l->dct.nr);
	memcpy(av + 20, gid.raw + 8, 3);
	memcpy(av + 23, gid.raw + 13, 3);
	av[20] ^= 2;
	av[27] = 64;
	put_bits(av, 224, 32, 1u << 30);
	memcpy(av + 32, gid.raw, 16);
}

/* posts a SEND: one basic block on an RC QP; two on a DCI, and the ring has an even number */
static void post_send(struct loop *l)
{
	u8 *wqe = l->e.mem + SQ_AT + (l->blocks % (1 << LOG_RECV_SQ)) * 64, *seg = wqe + 16;

	memset(wqe, 0, l->dct.obj ? 128 : 64);
	put_bits(wqe, 0, 32, l->blocks << 8 | OP_SEND);
	put_bits(wqe, 32, 32, l->qp.nr << 8 | (l->dct.obj ? 5 : 2));
	put_bits(wqe, 64, 32, SIGNALED);
	if (l->dct.obj) {
		put_av(l, seg);
		seg += 48;
	}
	put_data(seg, MESSAGE, l->key, l->e.mem + AT_DATA);
	l->blocks += l->dct.obj ? 2 : 1;
	put_record(l->e.mem + AT_DBR_QP + 4, l->blocks);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n((u64 *)l->e.uar->reg_addr, *(u64 *)wqe, __ATOMIC_RELAXED);
}

/* Waits for the next completion. Return: its CQE in the ring */
static const u8 *next_cqe(struct loop *l)
{
	const u8 *cqe = l->e.mem + AT_CQ + l->cqes % (1 << LOG_CQES) * CQE_BYTES;
	u8 owner = l->cqes >> LOG_CQES & 1, op_own;
	time_t end = time(NULL) + WAIT_SECONDS;

	do {
		if (time(NULL) > end)
			die("no completion %u", l->cqes);
		op_own = __atomic_load_n(cqe + CQE_BYTES - 1, __ATOMIC_ACQUIRE);
	} while ((op_own & 1) != owner || op_own >> 4 == 0xf);
	put_record(l->e.mem + AT_DBR_CQ, ++l->cqes);
	return cqe;
}

/* Expects the completions of a SEND and of a receive, in any order; the receive has @counter. */
static void expect_both(struct loop *l, u32 counter)
{
	unsigned int i, received = 0;

	for (i = 0; i < 2; i++) {
		const u8 *cqe = next_cqe(l);
		u8 op = cqe[CQE_BYTES - 1] >> 4;

		if (op && op != CQE_RESP_SEND)
			die("%s: completion %u with opcode %u syndrome %#x", ring_names[l->ring],
			    l->cqes - 1, op, cqe[55]);
		if (!op)
			continue;
		received++;
		if (get_bits(cqe, 480, 16) != counter)
			tell("%s: receive %u has the number %u, expected %u", ring_names[l->ring],
			     l->posted - 1, (u32)get_bits(cqe, 480, 16), counter);
		if (get_bits(cqe, 352, 32) != MESSAGE)
			tell("%u bytes arrived", (u32)get_bits(cqe, 352, 32));
	}
	if (received != 1)
		die("%u receives", received);
}

/* sends messages one by one until the receive ring was used ROUNDS times */
static void round_and_round(const char *device, enum ring ring, bool dc)
{
	struct loop l;
	u32 i, j;
	u8 *data;

	open_loop(&l, device, ring, dc);
	data = l.e.mem + AT_DATA;
	for (i = 0; i < ROUNDS * ring_size(&l); i++) {
		for (j = 0; j < MESSAGE; j++)
			data[j] = i + j * 3;
		memset(data + PAGE, 0, PAGE);
		post_recv(&l);
		post_send(&l);
		expect_both(&l, ring == CHAIN ? i % ring_size(&l) : i);
		if (memcmp(data, data + PAGE, MESSAGE) || data[PAGE + MESSAGE])
			tell("%s: message %u arrived wrong", ring_names[ring], i);
	}
	close_loop(&l);
}

static void recv_own(const char *device)
{
	round_and_round(device, OWN, false);
}

static void recv_chain(const char *device)
{
	round_and_round(device, CHAIN, false);
}

static void recv_cyclic(const char *device)
{
	round_and_round(device, LINKED_CYCLIC, false);
	round_and_round(device, BASIC_CYCLIC, false);
}

static void recv_dct(const char *device)
{
	round_and_round(device, LINKED_CYCLIC, true);
	round_and_round(device, CHAIN, true);
}

/* checks the type of the ring in the response of QUERY_RMP */
static void rmp_types(const char *device)
{
	u8 in[BYTES(query_rmp_in)] = {}, out[BYTES(query_rmp_out)] = {};
	u32 cyclic, basic;
	enum ring ring;
	struct loop l;

	for (ring = CHAIN; ring < RINGS; ring++) {
		open_loop(&l, device, ring, false);
		SET(query_rmp_in, in, opcode, MLX5_CMD_OP_QUERY_RMP);
		SET(query_rmp_in, in, rmpn, l.rmp.nr);
		want_errno("QUERY_RMP", query(&l.rmp, in, sizeof(in), out, sizeof(out)), 0);
		cyclic = ring != CHAIN;
		basic = ring == BASIC_CYCLIC;
		if (GET(query_rmp_out, out, rmp_context.wq.wq_type) != cyclic ||
		    GET(query_rmp_out, out, rmp_context.basic_cyclic_rcv_wqe) != basic)
			tell("%s: of another type", ring_names[ring]);
		close_loop(&l);
	}
}

/**
 * struct dct_base - a context with the objects that a DCT names
 * @e: the context
 * @w: values for create_dct(), with the numbers of @cq and @rmp
 * @cq: CQ
 * @rmp: RMP
 */
struct dct_base {
	struct end e;
	struct want w;
	struct made cq, rmp;
};

static void open_dct_base(struct dct_base *b, const char *device)
{
	open_end(&b->e, device);
	b->w = want_of(&b->e);
	b->cq = create_cq(&b->e, &b->w);
	b->rmp = create_rmp(&b->e, &b->w);
	b->w.cqn = b->cq.nr;
	b->w.srqn = b->rmp.nr;
}

static void close_dct_base(struct dct_base *b)
{
	destroy(&b->rmp, "RMP");
	destroy(&b->cq, "CQ");
	close_end(&b->e);
}

/* creates DCTs with the context of mlx5_ifc.h, and with the longer context of UCX */
static void dct_lengths(const char *device)
{
	u8 in[BYTES(query_dct_in)] = {}, out[BYTES(query_dct_out)] = {};
	static const u32 more[] = { 0, DCT_MORE };
	struct dct_base b;
	struct made dct;
	unsigned int i;

	open_dct_base(&b, device);
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		b.w.more = more[i];
		dct = create_dct(&b.e, &b.w);
		if (!dct.obj) {
			tell("DCT of %u bytes more: errno %d status %#x", more[i], dct.err,
			     dct.status);
			continue;
		}
		SET(query_dct_in, in, opcode, MLX5_CMD_OP_QUERY_DCT);
		SET(query_dct_in, in, dctn, dct.nr);
		want_errno("QUERY_DCT", query(&dct, in, sizeof(in), out, sizeof(out)), 0);
		if (GET(query_dct_out, out, dct_context_entry.dc_access_key) != DC_KEY ||
		    GET(query_dct_out, out, dct_context_entry.srqn_xrqn) != b.rmp.nr)
			tell("the DCT is another one");
		destroy(&dct, "DCT");
	}
	close_dct_base(&b);
}

/*
 * The first DRAIN_DCT drains the DCT but returns an error. The device refuses the second DRAIN_DCT
 * and executes DESTROY_DCT.
 */
static void dct_drained(const char *device)
{
	struct dct_base b;
	struct made dct;

	open_dct_base(&b, device);
	dct = create_dct(&b.e, &b.w);
	destroy(&dct, "DCT");
	close_dct_base(&b);
}

/* expect the responses of a card without link aggregation, whose link is up */
static void lag_and_port(const char *device)
{
	u8 in[BYTES(query_vport_state_in)] = {}, out[BYTES(query_vport_state_out)] = {};
	u8 lag_in[BYTES(query_lag_in)] = {}, lag_out[BYTES(query_lag_out)] = {};
	struct end e;
	u32 mod;

	open_end(&e, device);
	SET(query_lag_in, lag_in, opcode, MLX5_CMD_OP_QUERY_LAG);
	want_errno("QUERY_LAG", mlx5dv_devx_general_cmd(e.ctx, lag_in, sizeof(lag_in), lag_out,
							sizeof(lag_out)), 0);
	if (GET(query_lag_out, lag_out, ctx.lag_state))
		tell("the port is in a LAG");
	for (mod = 0; mod < 3; mod++) {
		SET(query_vport_state_in, in, opcode, MLX5_CMD_OP_QUERY_VPORT_STATE);
		SET(query_vport_state_in, in, op_mod, mod);
		want_errno("QUERY_VPORT_STATE",
			   mlx5dv_devx_general_cmd(e.ctx, in, sizeof(in), out, sizeof(out)), 0);
		if (GET(query_vport_state_out, out, state) != 1)
			tell("the port is down: modifier %u", mod);
	}
	close_end(&e);
}

const struct test recv_tests[] = {
	{ "recv_own", recv_own },
	{ "recv_chain", recv_chain },
	{ "recv_cyclic", recv_cyclic },
	{ "recv_dct", recv_dct },
	{ "rmp_types", rmp_types },
	{ "dct_lengths", dct_lengths },
	{ "dct_drained", dct_drained },
	{ "lag_and_port", lag_and_port },
	{}
};
