// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Dynamically connected transport. End 1 has a DCI, and end 0 a DCT, in addition to the RC QPs of
 * the pair, which register memory. The QPs of an end share CQs; at end 0 they share the SRQ.
 */
#include <rdma/restrack.h>

#include "dc_pair.h"

#define KEY	DV_DC_KEY
#define IMM	cpu_to_be32(0xc0ffee11)
#define FROM	(PAGE_SIZE + 24)
#define TO	(2 * PAGE_SIZE - 104)

static void set_addr(const struct dc *dc)
{
	mlx5dv_wr_set_dc_addr(dc_mqp(dc), dc->ah, dc->dct->qp_num, KEY);
}

static void set_data(const struct dc *dc, u32 at, u32 len)
{
	ib_wr_set_sge(dc_qpx(dc), dc->e->pd->local_dma_lkey, dc->e->dma + at, len);
}

static void dc_begin(const struct dc *dc, enum ib_wr_opcode op)
{
	const u64 addr = dc->to->mr[0]->iova + TO;
	const u32 rkey = dc->to->mr[0]->rkey;

	switch (op) {
	case IB_WR_SEND:
		return ib_wr_send(dc_qpx(dc));
	case IB_WR_SEND_WITH_IMM:
		return ib_wr_send_imm(dc_qpx(dc), IMM);
	case IB_WR_RDMA_WRITE:
		return ib_wr_rdma_write(dc_qpx(dc), rkey, addr);
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return ib_wr_rdma_write_imm(dc_qpx(dc), rkey, addr, IMM);
	default:
		return ib_wr_rdma_read(dc_qpx(dc), rkey, addr);
	}
}

static int dc_post(const struct dc *dc, u64 id, enum ib_wr_opcode op, u32 len, u32 flags)
{
	T_TRY(dc_start(dc, id, IB_SEND_SIGNALED | flags));
	dc_begin(dc, op);
	if (id & 1)
		set_addr(dc);
	if (flags & IB_SEND_INLINE)
		ib_wr_set_inline_data(dc_qpx(dc), dc->e->buf + FROM, len);
	else
		set_data(dc, FROM, len);
	if (!(id & 1))
		set_addr(dc);
	return ib_wr_complete(dc_qpx(dc));
}

static int check_recv(const struct dc *dc, enum ib_wr_opcode op, u32 len)
{
	const struct ib_wc *wc = &dc->to->rq.wc[0];

	T_EXPECT(t_wait(&dc->to->rq, 0), IB_WC_SUCCESS);
	T_EXPECT(wc->qp == dc->dct, 1);
	T_EXPECT(wc->byte_len, len);
	T_EXPECT(wc->opcode, op == IB_WR_RDMA_WRITE_WITH_IMM ? IB_WC_RECV_RDMA_WITH_IMM :
							       IB_WC_RECV);
	T_EXPECT(wc->wc_flags, op == IB_WR_SEND ? 0 : IB_WC_WITH_IMM);
	T_EXPECT(wc->wc_flags && wc->ex.imm_data != IMM, 0);
	return 0;
}

/* end 1 sends one message to end 0, or READs one; data and completions are checked */
static int dc_message(const struct dc *dc, enum ib_wr_opcode op, u32 len, u32 flags)
{
	struct t_end *from = op == IB_WR_RDMA_READ ? dc->to : dc->e;
	struct t_end *to = op == IB_WR_RDMA_READ ? dc->e : dc->to;
	const u32 from_at = op == IB_WR_RDMA_READ ? TO : FROM;
	const u32 to_at = op == IB_WR_RDMA_READ ? FROM : TO;
	const bool recv = op != IB_WR_RDMA_WRITE && op != IB_WR_RDMA_READ;
	const u64 id = len & 1;
	struct ib_sge into = t_sge(to, TO, len + 8);

	t_set(to, T_GUARD);
	t_fill(from, from_at, len, len + op);
	if (recv)
		T_TRY(t_post_recv_sges(to, 0, &into, 1));
	T_EXPECT(dc_post(dc, id, op, len, flags), 0);
	T_EXPECT(t_wait(&dc->e->sq, id), IB_WC_SUCCESS);
	T_EXPECT(dc->e->sq.wc[id].qp == dc->dci, 1);
	if (recv)
		T_TRY(check_recv(dc, op, len));
	T_TRY(t_check_only(to, to_at, len, len + op));
	T_EXPECT(dc->e->sq.nr, 1);
	T_EXPECT(dc->to->rq.nr, recv);
	t_clear_counts(&dc->e->sq);
	t_clear_counts(&dc->to->rq);
	return 0;
}

static const enum ib_wr_opcode dc_opcodes[] = {
	IB_WR_SEND, IB_WR_SEND_WITH_IMM, IB_WR_RDMA_WRITE, IB_WR_RDMA_WRITE_WITH_IMM,
	IB_WR_RDMA_READ,
};

static int dc_messages(struct dc *dc)
{
	static const u32 lens[] = { 1, 64, 1023, 1024, 4096, 9000 };
	int i, k;

	for (i = 0; i < ARRAY_SIZE(dc_opcodes); i++)
		for (k = 0; k < ARRAY_SIZE(lens); k++)
			T_TRY(dc_message(dc, dc_opcodes[i], lens[k], 0));
	return 0;
}

static int dc_inline(struct dc *dc)
{
	u32 len;
	int i;

	for (i = 0; i < 4; i++)
		for (len = 1; len <= 60; len += 7)
			T_TRY(dc_message(dc, dc_opcodes[i], len, IB_SEND_INLINE));
	return 0;
}

static int dc_atomics(struct dc *dc)
{
	const u64 addr = dc->to->mr[0]->iova + 1000;
	const u32 rkey = dc->to->mr[0]->rkey;
	u64 *word = dc->to->buf + 1000, *found = dc->e->buf + 64;

	*word = 0x0102030405060708;
	T_TRY(dc_start(dc, 0, IB_SEND_SIGNALED));
	ib_wr_atomic_fetch_add(dc_qpx(dc), rkey, addr, 0x1000000000000001);
	set_addr(dc);
	set_data(dc, 64, 8);
	T_EXPECT(ib_wr_complete(dc_qpx(dc)), 0);
	T_EXPECT(t_wait(&dc->e->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(*found, 0x0102030405060708);
	T_EXPECT(*word, 0x1102030405060709);
	T_TRY(dc_start(dc, 1, IB_SEND_SIGNALED));
	ib_wr_atomic_cmp_swp(dc_qpx(dc), rkey, addr, 0x1102030405060709, 5);
	set_data(dc, 64, 8);
	set_addr(dc);
	T_EXPECT(ib_wr_complete(dc_qpx(dc)), 0);
	T_EXPECT(t_wait(&dc->e->sq, 1), IB_WC_SUCCESS);
	T_EXPECT(*found, 0x1102030405060709);
	T_EXPECT(*word, 5);
	return 0;
}

static int dc_memcpy(struct dc *dc)
{
	const u32 lkey = dc->e->pd->local_dma_lkey;

	t_set(dc->e, T_GUARD);
	t_fill(dc->e, 0, 300, 7);
	T_TRY(dc_start(dc, 0, IB_SEND_SIGNALED));
	mlx5dv_wr_memcpy(dc_mqp(dc), lkey, dc->e->dma + FROM, lkey, dc->e->dma, 300);
	T_EXPECT(ib_wr_complete(dc_qpx(dc)), 0);
	T_EXPECT(t_wait(&dc->e->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(dc->e->sq.wc[0].opcode, MLX5DV_WC_MEMCPY);
	return t_check(dc->e, FROM, 300, 7);
}

/* end 1 invalidates a key of end 0, and then its own key, which the RC peer has used */
static int dc_inv(struct dc *dc)
{
	struct t_end *to = dc->to, *e = dc->e;
	struct ib_sge sge = t_sge(to, 0, 8);

	T_TRY(t_post_recv(to, 0));
	T_TRY(dc_start(dc, 0, IB_SEND_SIGNALED));
	ib_wr_send_inv(dc_qpx(dc), to->mr[0]->rkey);
	set_addr(dc);
	set_data(dc, 0, 8);
	T_EXPECT(ib_wr_complete(dc_qpx(dc)), 0);
	T_EXPECT(t_wait(&to->rq, 0), IB_WC_SUCCESS);
	T_EXPECT(to->rq.wc[0].wc_flags, IB_WC_WITH_INVALIDATE);
	T_EXPECT(to->rq.wc[0].ex.invalidate_rkey, to->mr[0]->rkey);

	T_TRY(t_post_reg(e, 1, e->mr[0], DV_REMOTE_RW));
	T_EXPECT(t_wait(&e->sq, 1), IB_WC_SUCCESS);
	T_EXPECT(dv_rdma(to, 0, IB_WR_RDMA_WRITE, &sge, e->mr[0]->iova, e->mr[0]->rkey),
		 IB_WC_SUCCESS);
	T_TRY(dc_start(dc, 2, IB_SEND_SIGNALED));
	ib_wr_local_inv(dc_qpx(dc), e->mr[0]->rkey);
	T_EXPECT(ib_wr_complete(dc_qpx(dc)), 0);
	T_EXPECT(t_wait(&e->sq, 2), IB_WC_SUCCESS);
	T_EXPECT(e->sq.wc[2].opcode, IB_WC_LOCAL_INV);
	T_EXPECT(dv_rdma(to, 1, IB_WR_RDMA_WRITE, &sge, e->mr[0]->iova, e->mr[0]->rkey),
		 IB_WC_REM_ACCESS_ERR);

	T_EXPECT(dc_post(dc, 3, IB_WR_RDMA_WRITE, 8, 0), 0);
	T_EXPECT(t_wait(&e->sq, 3), IB_WC_REM_ACCESS_ERR);
	return 0;
}

/* more messages than the SRQ has entries: each receive is posted again */
static int dc_many(struct dc *dc)
{
	int i;

	for (i = 0; i < 4 * T_DEPTH; i++)
		T_TRY(dc_message(dc, IB_WR_SEND, 1 + i, 0));
	return 0;
}

/* one chain sends to two DCTs in turn, with the access key of each DCT */
static int send_to_two(struct dc *dc, struct ib_qp *other)
{
	struct ib_sge into[8];
	int i, mine = 0;

	for (i = 0; i < 8; i++) {
		into[i] = t_sge(dc->to, 100 * i, 64);
		T_TRY(t_post_recv_sges(dc->to, i, &into[i], 1));
	}
	t_fill(dc->e, 0, 64, 3);
	T_TRY(dc_start(dc, 0, IB_SEND_SIGNALED));
	for (i = 0; i < 8; i++) {
		dc_qpx(dc)->wr_id = i;
		ib_wr_send(dc_qpx(dc));
		mlx5dv_wr_set_dc_addr(dc_mqp(dc), dc->ah, i & 1 ? other->qp_num : dc->dct->qp_num,
				      i & 1 ? ~KEY : KEY);
		set_data(dc, 0, 64);
	}
	T_EXPECT(ib_wr_complete(dc_qpx(dc)), 0);
	for (i = 0; i < 8; i++) {
		T_EXPECT(t_wait(&dc->e->sq, i), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&dc->to->rq, i), IB_WC_SUCCESS);
		T_TRY(t_check(dc->to, 100 * i, 64, 3));
		mine += dc->to->rq.wc[i].qp == dc->dct;
	}
	T_EXPECT(mine, 4);
	return 0;
}

/* `rdma resource` looks up QPs by number. Before RTR, a DCT has no number and is not found. */
static int expect_no_qp_zero(struct ib_device *dev)
{
	struct rdma_restrack_entry *res = rdma_restrack_get_byid(dev, RDMA_RESTRACK_QP, 0);

	if (IS_ERR(res))
		return 0;
	rdma_restrack_put(res);
	return T_FAIL("QP 0 is listed");
}

static int dc_two(struct dc *dc)
{
	struct ib_qp *other = dv_create_dct(dc->to, ~KEY);
	int ret;

	if (IS_ERR(other))
		return T_FAIL("no DCT: %ld", PTR_ERR(other));
	ret = expect_no_qp_zero(dc->to->dev);
	if (!ret)
		ret = dv_connect_dct(dc, other, 0);
	if (!ret)
		ret = send_to_two(dc, other);
	mlx5dv_destroy_qp(other);
	return ret;
}

/* an access key that is not the DCT's: the WRITE fails, and later work requests are flushed */
static int dc_wrong_key(struct dc *dc)
{
	T_TRY(dc_start(dc, 0, IB_SEND_SIGNALED));
	ib_wr_rdma_write(dc_qpx(dc), dc->to->mr[0]->rkey, dc->to->mr[0]->iova);
	mlx5dv_wr_set_dc_addr(dc_mqp(dc), dc->ah, dc->dct->qp_num, KEY + 1);
	set_data(dc, 0, 8);
	dc_qpx(dc)->wr_id = 1;
	dc_begin(dc, IB_WR_RDMA_WRITE);
	set_addr(dc);
	set_data(dc, 0, 8);
	T_EXPECT(ib_wr_complete(dc_qpx(dc)), 0);
	T_EXPECT(t_wait(&dc->e->sq, 0), IB_WC_REM_ACCESS_ERR);
	T_EXPECT(t_wait(&dc->e->sq, 1), IB_WC_WR_FLUSH_ERR);
	T_EXPECT(dv_dc_state(dc->dci), IB_QPS_ERR);
	T_EXPECT(dv_dc_state(dc->dct), IB_QPS_RTR);

	/* a DCI works again after RESET */
	t_clear_counts(&dc->e->sq);
	T_TRY(t_move(dc->dci, IB_QPS_RESET));
	T_TRY(dv_connect_dci(dc->dci, 1));
	return dc_message(dc, IB_WR_SEND, 100, 0);
}

/* a DCT whose access flags do not allow WRITEs */
static int dc_rights(struct t_pair *p)
{
	struct dc dc = {};
	int ret;

	ret = dv_dc_open(&dc, p, NULL, IB_ACCESS_REMOTE_READ);
	if (!ret)
		ret = dc_message(&dc, IB_WR_RDMA_READ, 64, 0);
	if (!ret)
		ret = dc_post(&dc, 1, IB_WR_RDMA_WRITE, 8, 0);
	if (!ret)
		ret = t_wait(&dc.e->sq, 1);
	dv_dc_close(&dc);
	/*
	 * as for an RC QP, the DCT does not accept the opcode, with any rkey
	 */
	T_EXPECT(ret, IB_WC_REM_INV_REQ_ERR);
	return 0;
}

/* a destroyed DCT does not respond, and its completions that were not polled are removed */
static int dc_gone(struct dc *dc)
{
	int i;

	for (i = 0; i < 4; i++) {
		T_TRY(t_post_recv(dc->to, i));
		T_EXPECT(dc_post(dc, i, IB_WR_SEND, 8, 0), 0);
		T_EXPECT(t_wait(&dc->e->sq, i), IB_WC_SUCCESS);
	}
	T_TRY(mlx5dv_destroy_qp(dc->dct));
	dc->dct = dv_create_dct(dc->to, KEY);
	if (IS_ERR(dc->dct))
		return T_FAIL("no DCT: %ld", PTR_ERR(dc->dct));
	T_TRY(t_settle(&dc->to->rq));
	T_EXPECT(dc->to->rq.nr, 0);
	T_TRY(dv_connect_dct(dc, dc->dct, DV_REMOTE_RW));
	t_clear_counts(&dc->e->sq);
	T_TRY(dc_many(dc));

	T_TRY(dc_start(dc, 0, IB_SEND_SIGNALED));
	ib_wr_send(dc_qpx(dc));
	mlx5dv_wr_set_dc_addr(dc_mqp(dc), dc->ah, 0xfffff0, KEY);
	set_data(dc, 0, 8);
	T_EXPECT(ib_wr_complete(dc_qpx(dc)), 0);
	T_EXPECT(t_wait(&dc->e->sq, 0), IB_WC_RETRY_EXC_ERR);
	return 0;
}

#define ON_STREAM	700	/* bytes of a WRITE on a stream */

/* a WRITE on a stream, whose data must arrive if it succeeds; if @bad, with a wrong rkey */
static int write_on(const struct dc *dc, u64 id, u16 stream, bool bad)
{
	const u32 at = 100 + ON_STREAM * stream;
	int status;

	t_set(dc->to, T_GUARD);
	t_fill(dc->e, FROM, ON_STREAM, id);
	T_TRY(dc_start(dc, id, IB_SEND_SIGNALED));
	ib_wr_rdma_write(dc_qpx(dc), dc->to->mr[0]->rkey ^ (bad ? 0x5500 : 0),
			 dc->to->mr[0]->iova + at);
	mlx5dv_wr_set_dc_addr_stream(dc_mqp(dc), dc->ah, dc->dct->qp_num, KEY, stream);
	set_data(dc, FROM, ON_STREAM);
	T_EXPECT(ib_wr_complete(dc_qpx(dc)), 0);
	status = t_wait(&dc->e->sq, id);
	if (status)
		T_TRY(t_untouched(dc->to, T_GUARD));
	else
		T_TRY(t_check_only(dc->to, at, ON_STREAM, id));
	return status;
}

static int run_streams(struct dc *dc)
{
	T_EXPECT(write_on(dc, 0, 1, false), IB_WC_SUCCESS);
	T_EXPECT(write_on(dc, 1, 2, false), IB_WC_SUCCESS);
	T_EXPECT(write_on(dc, 2, 1, true), IB_WC_REM_ACCESS_ERR);
	/* the other streams still work */
	T_EXPECT(dv_dc_state(dc->dci), IB_QPS_RTS);
	T_EXPECT(write_on(dc, 3, 2, false), IB_WC_SUCCESS);
	T_EXPECT(write_on(dc, 4, 1, false), IB_WC_WR_FLUSH_ERR);
	T_EXPECT(write_on(dc, 5, 0, false), IB_WC_SUCCESS);
	T_EXPECT(mlx5dv_dci_stream_id_reset(dc->dci, 1), 0);
	T_EXPECT(write_on(dc, 6, 1, false), IB_WC_SUCCESS);
	/* with two streams in error, the DCI enters ERR */
	T_EXPECT(write_on(dc, 7, 2, true), IB_WC_REM_ACCESS_ERR);
	T_EXPECT(dv_dc_state(dc->dci), IB_QPS_RTS);
	T_EXPECT(write_on(dc, 8, 3, true), IB_WC_REM_ACCESS_ERR);
	T_EXPECT(dv_dc_state(dc->dci), IB_QPS_ERR);
	T_EXPECT(mlx5dv_dci_stream_id_reset(dc->dci, 2), -EOPNOTSUPP);
	return 0;
}

static int dc_streams(struct t_pair *p)
{
	const struct mlx5dv_dci_streams streams = { .log_num_concurent = 2, .log_num_errored = 1 };

	return dv_dc_with(p, &streams, run_streams);
}

/* one chain has messages on all streams in turn; the data of each message arrive */
static int run_stream_chain(struct dc *dc)
{
	struct ib_sge into[12];
	int i, k;

	t_set(dc->to, T_GUARD);
	for (i = 0; i < ARRAY_SIZE(into); i++) {
		into[i] = t_sge(dc->to, 1000 * i, 1000);
		T_TRY(t_post_recv_sges(dc->to, i, &into[i], 1));
		t_fill(dc->e, 1000 * i, 900, i);
	}
	T_TRY(dc_start(dc, 0, 0));
	for (i = 0; i < ARRAY_SIZE(into); i++) {
		dc_qpx(dc)->wr_id = i;
		dc_qpx(dc)->wr_flags = IB_SEND_SIGNALED;
		ib_wr_send(dc_qpx(dc));
		mlx5dv_wr_set_dc_addr_stream(dc_mqp(dc), dc->ah, dc->dct->qp_num, KEY, i);
		set_data(dc, 1000 * i, 900);
	}
	T_EXPECT(ib_wr_complete(dc_qpx(dc)), 0);
	for (i = 0; i < ARRAY_SIZE(into); i++) {
		T_EXPECT(t_wait(&dc->e->sq, i), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&dc->to->rq, i), IB_WC_SUCCESS);
	}
	t_sync(dc->to);
	/* messages of different streams can arrive in any order, so each may be in any receive */
	for (i = 0; i < ARRAY_SIZE(into); i++) {
		for (k = 0; k < ARRAY_SIZE(into); k++)
			if (!memcmp(dc->to->buf + 1000 * k, dc->e->buf + 1000 * i, 900))
				break;
		T_EXPECT(k < ARRAY_SIZE(into), 1);
	}
	return 0;
}

static int dc_stream_chain(struct t_pair *p)
{
	const struct mlx5dv_dci_streams streams = { .log_num_concurent = 2, .log_num_errored = 1 };

	return dv_dc_with(p, &streams, run_stream_chain);
}

/* WQEs of 2 to 15 blocks, built by the case, at all positions of the ring */
static int send_raw(struct dc *dc, const struct mlx5_av *av, u32 len, u32 seed)
{
	static u8 wqe[960] __aligned(64);
	struct ib_sge into = t_sge(dc->to, 0, 2048);
	int ret;

	t_set(dc->to, T_GUARD);
	t_fill(dc->e, 0, len, seed);
	T_TRY(t_post_recv_sges(dc->to, 0, &into, 1));
	dv_raw_send(wqe, dc->dci, av, dc->e->buf, len);
	T_TRY(dc_start(dc, 0, 0));
	ret = mlx5dv_wr_raw_wqe(dc_mqp(dc), wqe);
	T_EXPECT(ib_wr_complete(dc_qpx(dc)), 0);
	T_EXPECT(ret, 0);
	T_EXPECT(t_wait(&dc->e->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(dc->e->sq.wc[0].opcode, MLX5DV_WC_RAW_WQE);
	T_EXPECT(t_wait(&dc->to->rq, 0), IB_WC_SUCCESS);
	T_TRY(t_check_only(dc->to, 0, len, seed));
	t_clear_counts(&dc->e->sq);
	t_clear_counts(&dc->to->rq);
	return 0;
}

#define RAW_HEAD	(16 + 48 + 4)

static int dc_raw(struct dc *dc)
{
	struct mlx5_av av;
	u32 i, blocks;

	T_TRY(mlx5dv_destroy_qp(dc->dci));
	dc->dci = dv_create_dci(dc->e, dc->e->sq.cq, NULL, 15 * 64 - RAW_HEAD - 16,
				MLX5DV_QP_EX_WITH_RAW_WQE);
	if (IS_ERR(dc->dci))
		return T_FAIL("no DCI: %ld", PTR_ERR(dc->dci));
	T_TRY(dv_connect_dci(dc->dci, 1));
	dv_raw_av(&av, dc->e, dc->to, dc->dct->qp_num);
	av.key.dc_key = cpu_to_be64(KEY);
	for (i = 0; i < 100; i++) {
		blocks = 2 + i * 5 % 14;
		T_TRY(send_raw(dc, &av, blocks * 64 - RAW_HEAD - i % 7, i));
	}
	return 0;
}

/* the device refuses to reset a stream once: the stream stays in error until the second reset */
static int run_reset_refused(struct dc *dc)
{
	T_EXPECT(write_on(dc, 0, 1, true), IB_WC_REM_ACCESS_ERR);
	T_EXPECT(mlx5dv_dci_stream_id_reset(dc->dci, 1), -EIO);
	T_EXPECT(write_on(dc, 1, 1, false), IB_WC_WR_FLUSH_ERR);
	T_EXPECT(write_on(dc, 2, 2, false), IB_WC_SUCCESS);
	T_EXPECT(mlx5dv_dci_stream_id_reset(dc->dci, 1), 0);
	T_EXPECT(write_on(dc, 3, 1, false), IB_WC_SUCCESS);
	return 0;
}

static int dc_reset_refused(struct t_pair *p)
{
	const struct mlx5dv_dci_streams streams = { .log_num_concurent = 2, .log_num_errored = 1 };

	return dv_dc_with(p, &streams, run_reset_refused);
}

/* builds a chain with one mistake in it */
typedef void (*mistake)(const struct dc *dc);

static void no_addr(const struct dc *dc)
{
	ib_wr_send(dc_qpx(dc));
	set_data(dc, 0, 8);
}

static void no_addr_write(const struct dc *dc)
{
	dc_begin(dc, IB_WR_RDMA_WRITE);
	set_data(dc, 0, 8);
}

static void no_data(const struct dc *dc)
{
	ib_wr_send(dc_qpx(dc));
	set_addr(dc);
}

static void addr_twice(const struct dc *dc)
{
	ib_wr_send(dc_qpx(dc));
	set_addr(dc);
	set_addr(dc);
	set_data(dc, 0, 8);
}

static void addr_of_copy(const struct dc *dc)
{
	const u32 lkey = dc->e->pd->local_dma_lkey;

	mlx5dv_wr_memcpy(dc_mqp(dc), lkey, dc->e->dma, lkey, dc->e->dma + FROM, 8);
	set_addr(dc);
}

static void ud_addr(const struct dc *dc)
{
	ib_wr_send(dc_qpx(dc));
	ib_wr_set_ud_addr(dc_qpx(dc), dc->ah, 1, 1);
	set_data(dc, 0, 8);
}

static void no_ah(const struct dc *dc)
{
	ib_wr_send(dc_qpx(dc));
	mlx5dv_wr_set_dc_addr(dc_mqp(dc), NULL, dc->dct->qp_num, KEY);
	set_data(dc, 0, 8);
}

static void long_dctn(const struct dc *dc)
{
	ib_wr_send(dc_qpx(dc));
	mlx5dv_wr_set_dc_addr(dc_mqp(dc), dc->ah, BIT(24), KEY);
	set_data(dc, 0, 8);
}

static void stream_of_none(const struct dc *dc)
{
	ib_wr_send(dc_qpx(dc));
	mlx5dv_wr_set_dc_addr_stream(dc_mqp(dc), dc->ah, dc->dct->qp_num, KEY, 1);
	set_data(dc, 0, 8);
}

static void not_enabled(const struct dc *dc)
{
	static const __be32 wqe[16] = { 0, cpu_to_be32(1) };

	mlx5dv_wr_raw_wqe(dc_mqp(dc), wqe);
}

static const struct {
	mistake build;
	const char *name;
	int err;
} bad[] = {
	{ no_addr, "no address", -EINVAL },
	{ no_addr_write, "no address of a WRITE", -EINVAL },
	{ no_data, "no data", -EINVAL },
	{ addr_twice, "address twice", -EINVAL },
	{ addr_of_copy, "address of a copy", -EINVAL },
	{ ud_addr, "UD address", -EINVAL },
	{ no_ah, "no AH", -EINVAL },
	{ long_dctn, "DCT number of 25 bits", -EINVAL },
	{ stream_of_none, "stream of a DCI without", -EINVAL },
	{ not_enabled, "builder not enabled", -EOPNOTSUPP },
};

/* DC setters for an RC QP, and DC verbs for a QP that is no DCI, are refused */
static int bad_on_rc(const struct dc *dc)
{
	struct t_end *e = dc->e;

	T_TRY(dv_start(e, 0, 0));
	ib_wr_send(dv_qpx(e));
	mlx5dv_wr_set_dc_addr(dv_of(e), dc->ah, dc->dct->qp_num, KEY);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	T_TRY(dv_start(e, 0, 0));
	ib_wr_send(dv_qpx(e));
	mlx5dv_wr_set_dc_addr_stream(dv_of(e), dc->ah, dc->dct->qp_num, KEY, 1);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), -EINVAL);
	T_EXPECT(mlx5dv_dci_stream_id_reset(e->qp, 0), -EINVAL);
	T_EXPECT(mlx5dv_dci_stream_id_reset(dc->dct, 0), -EINVAL);
	T_EXPECT(mlx5dv_dci_stream_id_reset(dc->dci, 0), -EOPNOTSUPP);
	return 0;
}

static int bad_verbs(const struct dc *dc)
{
	struct ib_sge sge = t_sge(dc->e, 0, 8);
	struct ib_recv_wr recv = {};
	struct ib_send_wr wr;

	t_send_wr(&wr, &sge, 5);
	T_EXPECT(ib_post_send(dc->dci, &wr, NULL), -EINVAL);
	T_EXPECT(ib_post_send(dc->dct, &wr, NULL), -EINVAL);
	T_EXPECT(ib_post_recv(dc->dci, &recv, NULL), -EINVAL);
	T_EXPECT(ib_post_recv(dc->dct, &recv, NULL), -EINVAL);
	T_EXPECT(t_move(dc->dct, IB_QPS_ERR), -EINVAL);
	T_EXPECT(t_move(dc->dct, IB_QPS_RESET), -EINVAL);
	T_EXPECT(t_move(dc->dci, IB_QPS_SQD), -EINVAL);
	return 0;
}

static int dc_bad(struct dc *dc)
{
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		T_TRY(dc_start(dc, 0, IB_SEND_SIGNALED));
		bad[i].build(dc);
		ret = ib_wr_complete(dc_qpx(dc));
		if (ret != bad[i].err)
			return T_FAIL("%s: %d, expected %d", bad[i].name, ret, bad[i].err);
		T_TRY(t_settle(&dc->e->sq));
		T_EXPECT(dc->e->sq.nr, 0);
	}
	T_TRY(bad_on_rc(dc));
	T_TRY(bad_verbs(dc));
	return dc_message(dc, IB_WR_SEND, 100, 0);
}

/* attributes with which no QP can be created */
static int dc_bad_create(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_qp_init_attr_ex ex = {
		.base = { .send_cq = e->sq.cq, .recv_cq = e->sq.cq, .qp_type = IB_QPT_DRIVER,
			  .cap = { .max_send_wr = 1, .max_send_sge = 1 } },
	};
	struct mlx5dv_context ctx = { .comp_mask = MLX5DV_CONTEXT_MASK_DCI_STREAMS };
	struct mlx5dv_qp_init_attr mlx5 = {};

	T_TRY(mlx5dv_query_device(e->dev, &ctx));
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EOPNOTSUPP);
	T_EXPECT(PTR_ERR(ib_create_qp(e->pd, &ex.base)), -EOPNOTSUPP);
	mlx5.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EINVAL);
	mlx5.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCT;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EINVAL);
	mlx5.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
	ex.base.srq = e->srq;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EINVAL);
	ex.base.srq = NULL;
	ex.base.qp_type = IB_QPT_RC;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EINVAL);
	ex.base.qp_type = IB_QPT_DRIVER;
	mlx5.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EINVAL);
	mlx5.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DC;
	mlx5.dc_init_attr.dci_streams.log_num_concurent =
		ctx.dci_streams_caps.max_log_num_concurent + 1;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EINVAL);
	mlx5.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
	mlx5.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE;
	T_EXPECT(PTR_ERR(mlx5dv_create_qp(e->pd, &ex, &mlx5)), -EOPNOTSUPP);
	return 0;
}

/* the numbers of streams that the device reports are accepted, and no larger ones */
static int dc_most_streams(struct t_pair *p)
{
	struct mlx5dv_context ctx = { .comp_mask = MLX5DV_CONTEXT_MASK_DCI_STREAMS };
	struct mlx5dv_dci_streams streams;
	struct t_end *e = &p->end[1];
	struct ib_qp *dci;
	int i;

	T_TRY(mlx5dv_query_device(e->dev, &ctx));
	for (i = 0; i < 3; i++) {
		streams.log_num_concurent =
			ctx.dci_streams_caps.max_log_num_concurent + (i == 0);
		streams.log_num_errored = ctx.dci_streams_caps.max_log_num_errored + (i == 1);
		dci = dv_create_dci(e, e->sq.cq, &streams, 60, 0);
		if (!IS_ERR(dci))
			mlx5dv_destroy_qp(dci);
		T_EXPECT(PTR_ERR_OR_ZERO(dci), i < 2 ? -EINVAL : 0);
	}
	return 0;
}

static const struct t_opts dc_opts = {
	.create_qp = dv_create_qp,
	.destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post,
	.inline_size = 60,
	.srq_depth = T_DEPTH,
};

const struct t_case dv_dc_cases[] = {
	DV_DC(dc_messages, NULL, &dc_opts),
	DV_DC(dc_inline, NULL, &dc_opts),
	DV_DC(dc_atomics, NULL, &dc_opts),
	DV_DC(dc_memcpy, NULL, &dc_opts),
	DV_DC(dc_inv, NULL, &dc_opts),
	DV_DC(dc_many, NULL, &dc_opts),
	DV_DC(dc_two, NULL, &dc_opts),
	DV_DC(dc_wrong_key, NULL, &dc_opts),
	{ "dc_rights", dc_rights, &dc_opts },
	DV_DC(dc_gone, NULL, &dc_opts),
	{ "dc_streams", dc_streams, &dc_opts },
	{ "dc_stream_chain", dc_stream_chain, &dc_opts },
	DV_DC(dc_raw, NULL, &dc_opts),
	{ "dc_reset_refused", dc_reset_refused, &dc_opts },
	DV_DC(dc_bad, NULL, &dc_opts),
	{ "dc_bad_create", dc_bad_create, &dc_opts },
	{ "dc_most_streams", dc_most_streams, &dc_opts },
	{ }
};
