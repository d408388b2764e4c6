// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reliable connections: each kind of message, with sizes around multiples of the
 * MTU, on rings that wrap. Data are compared byte by byte.
 */
#include "ibx_test.h"

#define T_RW	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

static int send_data(struct t_pair *p)
{
	const struct t_msg m = { .op = IB_WR_SEND, .len = 3000, .seed = 1 };

	return t_message(p, &m);
}

static int send_imm(struct t_pair *p)
{
	const struct t_msg m = {
		.op = IB_WR_SEND_WITH_IMM, .len = 1500, .seed = 2, .imm = htonl(0x12345678),
	};

	return t_message(p, &m);
}

/* SEND with invalidate invalidates the key; the MR can be registered again with another key */
static int send_inv(struct t_pair *p)
{
	struct t_msg m = { .op = IB_WR_SEND_WITH_INV, .len = 64, .seed = 3 };
	struct t_msg write = { .op = IB_WR_RDMA_WRITE, .len = 5000, .seed = 4 };

	T_TRY(t_open(p, T_RW));
	m.inv_rkey = p->end[0].mr[0]->rkey;
	T_TRY(t_message(p, &m));
	T_TRY(t_open(p, T_RW));
	T_EXPECT(p->end[0].mr[0]->rkey != m.inv_rkey, 1);
	return t_message(p, &write);
}

static int write_data(struct t_pair *p)
{
	const struct t_msg m = { .op = IB_WR_RDMA_WRITE, .len = 9000, .seed = 5 };

	T_TRY(t_open(p, T_RW));
	return t_message(p, &m);
}

static int write_imm(struct t_pair *p)
{
	const struct t_msg m = {
		.op = IB_WR_RDMA_WRITE_WITH_IMM, .len = 700, .seed = 6, .imm = htonl(0xfedcba98),
	};
	const struct t_msg empty = {
		.op = IB_WR_RDMA_WRITE_WITH_IMM, .imm = htonl(1),
	};

	T_TRY(t_open(p, T_RW));
	T_TRY(t_message(p, &m));
	return t_message(p, &empty);
}

static int read_data(struct t_pair *p)
{
	const struct t_msg m = { .op = IB_WR_RDMA_READ, .len = 9000, .seed = 7 };

	T_TRY(t_open(p, T_RW));
	return t_message(p, &m);
}

/* one SEND, WRITE and READ, between addresses that the options of the case select */
static int each_way(struct t_pair *p)
{
	const enum ib_wr_opcode ops[] = { IB_WR_SEND, IB_WR_RDMA_WRITE, IB_WR_RDMA_READ };
	struct t_msg m = { .len = 9000 };

	T_TRY(t_open(p, T_RW));
	for (m.seed = 0; m.seed < ARRAY_SIZE(ops); m.seed++) {
		m.op = ops[m.seed];
		T_TRY(t_message(p, &m));
	}
	return 0;
}

/* sizes around each multiple of the MTU, by SEND, WRITE and READ */
static int t_sizes(struct t_pair *p, u32 mtu)
{
	const u32 sizes[] = {
		0, 1, 2, mtu - 1, mtu, mtu + 1, 2 * mtu - 1, 2 * mtu, 2 * mtu + 1, 3 * mtu + 17,
	};
	const enum ib_wr_opcode ops[] = { IB_WR_SEND, IB_WR_RDMA_WRITE, IB_WR_RDMA_READ };
	struct t_msg m = {};
	int i, j;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			m.op = ops[i];
			m.len = sizes[j];
			m.seed++;
			if (t_message(p, &m))
				return T_FAIL("opcode %d of %u bytes, MTU %u", m.op, m.len, mtu);
		}
	}
	return 0;
}

static int sizes_around_mtu(struct t_pair *p)
{
	struct t_path path = t_default_path;
	int i;

	for (path.mtu = IB_MTU_256; path.mtu <= IB_MTU_4096; path.mtu++) {
		T_TRY(t_pair_connect_path(p, &path));
		T_TRY(t_open(p, T_RW));
		T_TRY(t_sizes(p, ib_mtu_enum_to_int(path.mtu)));
		T_TRY(t_post_inv(&p->end[0], 0, p->end[0].mr[0]->rkey));
		T_EXPECT(t_wait(&p->end[0].sq, 0), IB_WC_SUCCESS);
		t_clear_counts(&p->end[0].sq);
		for (i = 0; i < 2; i++)
			T_TRY(t_move(p->end[i].qp, IB_QPS_RESET));
	}
	return 0;
}

#define T_INLINE	220

/* the caller may change inline data immediately after posting */
static int inline_data(struct t_pair *p)
{
	const u32 sizes[] = { 0, 1, 3, 4, 12, 13, 28, 29, 44, 60, 61, 124, 188, 200, T_INLINE };
	struct t_msg m = { .flags = IB_SEND_INLINE };
	int i, j;

	T_TRY(t_open(p, T_RW));
	/* three rounds, so that long WQEs wrap around the end of the ring */
	for (i = 0; i < 3; i++) {
		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			m.op = (i + j) % 2 ? IB_WR_RDMA_WRITE : IB_WR_SEND;
			m.len = sizes[j];
			m.seed++;
			if (t_message(p, &m))
				return T_FAIL("%u bytes inline", m.len);
		}
	}
	return 0;
}

/* inline data that are too long are refused, and later work requests succeed */
static int inline_too_long(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	const struct ib_send_wr *bad = NULL;
	const struct t_msg m = { .op = IB_WR_SEND, .len = 100, .flags = IB_SEND_INLINE };
	struct ib_send_wr wr;
	struct ib_sge sge = { .addr = (uintptr_t)e->buf, .length = 4096 };
	int ret;

	t_send_wr(&wr, &sge, 0);
	wr.send_flags |= IB_SEND_INLINE;
	ret = ib_post_send(e->qp, &wr, &bad);
	T_EXPECT(ret == -EINVAL || ret == -ENOMEM, 1);
	T_EXPECT(bad == &wr, 1);
	T_TRY(t_settle(&e->sq));
	T_EXPECT(e->sq.nr, 0);
	return t_message(p, &m);
}

#define T_SGES	16

/*
 * The SGEs of the SEND have odd sizes, one is empty. The SGEs of the receive have other sizes.
 */
static int many_sges(struct t_pair *p)
{
	struct ib_sge from[T_SGES], to[T_SGES];
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_send_wr wr;
	u32 len = 0, at, i;

	t_set(rx, T_GUARD);
	for (i = 0; i < T_SGES; i++) {
		from[i] = t_sge(tx, PAGE_SIZE + len, i == 5 ? 0 : 37 * i + 1);
		len += from[i].length;
	}
	t_fill(tx, PAGE_SIZE, len, 8);
	/* the pieces go backwards through the buffer, with gaps */
	for (i = 0; i < T_SGES; i++)
		to[i] = t_sge(rx, T_BUF_SIZE - (i + 1) * 1000, i == 3 ? 1 : 301);
	T_TRY(t_post_recv_sges(rx, 0, to, T_SGES));
	t_send_wr(&wr, from, 0);
	wr.num_sge = T_SGES;
	T_TRY(ib_post_send(tx->qp, &wr, NULL));
	T_EXPECT(t_wait(&tx->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&rx->rq, 0), IB_WC_SUCCESS);
	T_EXPECT(rx->rq.wc[0].byte_len, len);
	/* copies the pieces to the front of the buffer, and sets their bytes to T_GUARD */
	t_sync(rx);
	for (i = 0, at = 0; at < len; i++) {
		u32 n = min(to[i].length, len - at);
		void *piece = rx->buf + (to[i].addr - rx->dma);

		memcpy(rx->buf + at, piece, n);
		memset(piece, T_GUARD, n);
		at += n;
	}
	return t_check_only(rx, 0, len, 8);
}

#define T_LAPS	600	/* number of work requests; the rings have some dozens of entries */

/* posts WQEs of one to four blocks in turn; every eighth WQE is signaled */
static int t_wrap_post(struct t_end *e, u32 i)
{
	struct ib_sge sge[2] = { t_sge(e, 64 * (i % 64), 32), t_sge(e, 64 * (i % 64) + 32, 32) };
	struct ib_send_wr wr;

	t_fill(e, 64 * (i % 64), 64, i);
	t_send_wr(&wr, sge, i % T_WRS);
	wr.num_sge = 2;
	if (i % 8 != 7)
		wr.send_flags = 0;
	if (i % 3 == 0) {
		wr.send_flags |= IB_SEND_INLINE;
		sge[0].addr = (uintptr_t)e->buf + 64 * (i % 64);
		sge[1].addr = sge[0].addr + 32;
	}
	return ib_post_send(e->qp, &wr, NULL);
}

static int t_wrap_recv(struct t_end *e, u32 i)
{
	struct ib_sge sge = t_sge(e, 64 * (i % T_DEPTH), 64);

	return t_post_recv_sges(e, i % T_WRS, &sge, 1);
}

/* waits for completion @i, which must be the only new completion */
static int t_wrap_next(struct t_queue *q, u32 i)
{
	T_EXPECT(t_wait(q, i % T_WRS), IB_WC_SUCCESS);
	T_EXPECT(q->nr, 1);
	t_clear_counts(q);
	return 0;
}

/* posts a SEND; if signaled, waits for the SEND posted 16 before: at most 24 are outstanding */
static int t_wrap_send(struct t_end *e, u32 *sent)
{
	T_TRY(t_wrap_post(e, *sent));
	++*sent;
	if (*sent % 8 || *sent < 24)
		return 0;
	return t_wrap_next(&e->sq, *sent - 17);
}

/*
 * Both rings wrap many times, and the receive queue is never empty. The messages must
 * arrive in order, each exactly once.
 */
static int rings_wrap(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	u32 sent = 0, got;

	for (got = 0; got < T_DEPTH; got++)
		T_TRY(t_wrap_recv(rx, got));
	for (got = 0; got < T_LAPS; got++) {
		while (sent < T_LAPS && sent < got + 24)
			T_TRY(t_wrap_send(tx, &sent));
		T_TRY(t_wrap_next(&rx->rq, got));
		if (t_check(rx, 64 * (got % T_DEPTH), 64, got))
			return T_FAIL("message %u", got);
		T_TRY(t_wrap_recv(rx, got + T_DEPTH));
	}
	return 0;
}

/* ---- the device counts 64-byte blocks of the send queue in 16 bits ---- */

#define T_BIG_INLINE	(12 * 64)	/* bytes; 13 blocks with the other segments */
#define T_BATCH		16
#define T_LAP_BATCHES	((1 << 16) / (13 * T_BATCH) + 2)

static int t_lap_recvs(struct t_end *e)
{
	struct ib_sge sge = t_sge(e, 0, 1024);
	struct ib_recv_wr wr[T_BATCH];
	int i;

	for (i = 0; i < T_BATCH; i++)
		wr[i] = (struct ib_recv_wr) {
			.next = i + 1 < T_BATCH ? &wr[i + 1] : NULL,
			.wr_id = i,
			.sg_list = &sge,
			.num_sge = 1,
		};
	return ib_post_recv(e->qp, wr, NULL);
}

/* posts one chain of T_BATCH SENDs; the last SEND is signaled */
static int t_lap_sends(struct t_end *e, u32 len)
{
	struct ib_sge sge = { .addr = (uintptr_t)e->buf, .length = len };
	struct ib_send_wr wr[T_BATCH];
	int i;

	for (i = 0; i < T_BATCH; i++) {
		t_send_wr(&wr[i], &sge, i);
		wr[i].send_flags = IB_SEND_INLINE;
		wr[i].next = i + 1 < T_BATCH ? &wr[i + 1] : NULL;
	}
	wr[T_BATCH - 1].send_flags |= IB_SEND_SIGNALED;
	return ib_post_send(e->qp, wr, NULL);
}

static int t_lap(struct t_pair *p, u32 len)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];

	T_TRY(t_lap_recvs(rx));
	T_TRY(t_lap_sends(tx, len));
	T_EXPECT(t_wait(&rx->rq, T_BATCH - 1), IB_WC_SUCCESS);
	T_EXPECT(rx->rq.nr, T_BATCH);
	T_EXPECT(rx->rq.wc[T_BATCH - 1].byte_len, len);
	T_EXPECT(t_wait(&tx->sq, T_BATCH - 1), IB_WC_SUCCESS);
	t_clear_counts(&rx->rq);
	t_clear_counts(&tx->sq);
	return 0;
}

static int send_counter_wraps(struct t_pair *p)
{
	const struct t_msg m = {
		.op = IB_WR_SEND, .len = T_BIG_INLINE, .seed = 12, .flags = IB_SEND_INLINE,
	};
	int i;

	for (i = 0; i < T_LAP_BATCHES; i++)
		if (t_lap(p, T_BIG_INLINE))
			return T_FAIL("batch %d", i);
	return t_message(p, &m);
}

static const struct t_opts t_unconnected = { .unconnected = true };
static const struct t_opts t_ipv6 = { .gid = T_GID_IPV6 };
static const struct t_opts t_v1 = { .gid = T_GID_V1 };
static const struct t_opts t_vlan = { .gid = T_GID_VLAN };
static const struct t_opts t_inline = { .inline_size = T_INLINE };
static const struct t_opts t_sges = { .send_sges = T_SGES, .recv_sges = T_SGES };
static const struct t_opts t_wrap = { .inline_size = 64 };
static const struct t_opts t_big = { .inline_size = T_BIG_INLINE };

/*
 * Posts in one chain a READ and a SEND of the data that were read. With a fence,
 * the SEND waits for the READ.
 */
static int read_and_send(struct t_pair *p, int flags, u8 *sent)
{
	struct t_end *owner = &p->end[0], *e = &p->end[1];
	struct ib_sge sge, into = t_sge(owner, PAGE_SIZE, 64);
	struct ib_send_wr send;
	struct ib_rdma_wr read;

	t_set(e, T_GUARD);
	t_fill(owner, 0, 64, 7);
	T_TRY(t_post_recv_sges(owner, 0, &into, 1));
	t_write_wr(&read, &sge, e, 0);
	read.wr.opcode = IB_WR_RDMA_READ;
	read.remote_addr = owner->mr[0]->iova;
	read.rkey = owner->mr[0]->rkey;
	sge.length = 64;
	t_send_wr(&send, &sge, 1);
	send.send_flags |= flags;
	read.wr.next = &send;
	T_TRY(ib_post_send(e->qp, &read.wr, NULL));
	T_EXPECT(t_wait(&e->sq, 1), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&owner->rq, 0), IB_WC_SUCCESS);
	T_TRY(t_check(e, 0, 64, 7));
	t_sync(owner);
	memcpy(sent, owner->buf + PAGE_SIZE, 64);
	t_clear_counts(&e->sq);
	t_clear_counts(&owner->rq);
	return 0;
}

static int rc_fence(struct t_pair *p)
{
	u8 sent[64];

	T_TRY(t_open(p, T_RW));
	T_TRY(read_and_send(p, IB_SEND_FENCE, sent));
	T_EXPECT(memcmp(sent, p->end[0].buf, 64), 0);
	return 0;
}

/*
 * Without the fence, the simulated device sends the old data, because it delays
 * READs. Otherwise the case with the fence would prove nothing.
 */
static int no_fence(struct t_pair *p)
{
	u8 sent[64];

	T_TRY(t_open(p, T_RW));
	T_TRY(read_and_send(p, 0, sent));
	T_EXPECT(memchr_inv(sent, T_GUARD, 64) ? 1 : 0, 0);
	return 0;
}

const struct t_case t_rc_cases[] = {
	{ "send_data", send_data },
	{ "send_imm", send_imm },
	{ "send_inv", send_inv },
	{ "write_data", write_data },
	{ "write_imm", write_imm },
	{ "read_data", read_data },
	{ "ipv6", each_way, &t_ipv6 },
	{ "roce_v1", each_way, &t_v1 },
	{ "vlan", each_way, &t_vlan },
	{ "sizes_around_mtu", sizes_around_mtu, &t_unconnected },
	{ "fence", rc_fence },
	{ "no_fence", no_fence },
	{ "inline_data", inline_data, &t_inline },
	{ "inline_too_long", inline_too_long, &t_inline },
	{ "many_sges", many_sges, &t_sges },
	{ "rings_wrap", rings_wrap, &t_wrap },
	{ "send_counter_wraps", send_counter_wraps, &t_big },
	{ }
};
