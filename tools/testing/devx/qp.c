// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A CQ, a QP and mkeys of DEVX that move data: a WRITE from one page of a UMEM to the other, by a
 * QP that is connected to itself.
 */
#include <string.h>
#include <time.h>

#include "devx.h"

#define OP_WRITE	0x08
#define SIGNALED	0x08
#define WAIT_SECONDS	20
#define CQE_BYTES	64
#define MTU_1024	3

static int step(struct made *qp, u32 opcode, void (*fill)(u8 *qpc, u32 qpn))
{
	u8 in[BYTES(rst2init_qp_in)] = {};
	u8 *qpc = PTR(rst2init_qp_in, in, qpc);

	SET(rst2init_qp_in, in, opcode, opcode);
	SET(rst2init_qp_in, in, qpn, qp->nr);
	SET(qpc, qpc, pm_state, 3);
	SET(qpc, qpc, primary_address_path.vhca_port_num, 1);
	fill(qpc, qp->nr);
	return modify(qp, in, sizeof(in));
}

static void fill_init(u8 *qpc, u32 qpn)
{
	(void)qpn;
	SET(qpc, qpc, rwe, 1);
}

/* to itself, without an address */
static void fill_rtr(u8 *qpc, u32 qpn)
{
	SET(qpc, qpc, mtu, MTU_1024);
	SET(qpc, qpc, log_msg_max, 30);
	SET(qpc, qpc, remote_qpn, qpn);
	SET(qpc, qpc, min_rnr_nak, 12);
	SET(qpc, qpc, rwe, 1);
	SET(qpc, qpc, primary_address_path.fl, 1);
}

static void fill_rts(u8 *qpc, u32 qpn)
{
	(void)qpn;
	SET(qpc, qpc, retry_count, 7);
	SET(qpc, qpc, rnr_retry, 7);
	SET(qpc, qpc, primary_address_path.ack_timeout, 14);
}

static void connect_qp(struct made *qp)
{
	static const struct {
		const char *what;
		u32 opcode;
		void (*fill)(u8 *qpc, u32 qpn);
	} steps[] = {
		{ "RST2INIT", MLX5_CMD_OP_RST2INIT_QP, fill_init },
		{ "INIT2RTR", MLX5_CMD_OP_INIT2RTR_QP, fill_rtr },
		{ "RTR2RTS", MLX5_CMD_OP_RTR2RTS_QP, fill_rts },
	};
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		err = step(qp, steps[i].opcode, steps[i].fill);
		if (err)
			die("%s: errno %d status %#x syndrome %#x", steps[i].what, err, qp->status,
			    qp->syndrome);
	}
}

/* one basic block: the control, remote address and data segments */
static void post_write(struct end *e, u32 qpn, u32 index, u32 key, u32 len)
{
	u64 from = (u64)(uintptr_t)e->mem + AT_DATA;
	u8 *wqe = e->mem + AT_SQ + index % (1 << LOG_SQ_BBS) * 64;

	memset(wqe, 0, 64);
	put_bits(wqe, 0, 32, index << 8 | OP_WRITE);
	put_bits(wqe, 32, 32, qpn << 8 | 3);
	put_bits(wqe, 64, 32, SIGNALED);
	put_bits(wqe, 128, 64, from + PAGE);
	put_bits(wqe, 192, 32, key);
	put_bits(wqe, 256, 32, len);
	put_bits(wqe, 288, 32, key);
	put_bits(wqe, 320, 64, from);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	put_bits(e->mem + AT_DBR_QP + 4, 0, 32, index + 1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n((u64 *)e->uar->reg_addr, *(u64 *)wqe, __ATOMIC_RELAXED);
}

/* Return: opcode of the completion */
static u32 poll_cq(struct end *e, u32 index)
{
	u8 *last = e->mem + AT_CQ + index * CQE_BYTES + CQE_BYTES - 1, op_own;
	time_t end = time(NULL) + WAIT_SECONDS;

	do {
		if (time(NULL) > end)
			die("no completion");
		op_own = __atomic_load_n(last, __ATOMIC_ACQUIRE);
	} while ((op_own & 1) || op_own >> 4 == 0xf);
	put_bits(e->mem + AT_DBR_CQ, 0, 32, index + 1);
	return op_own >> 4;
}

static void check_state(struct made *qp, u32 want)
{
	u8 in[BYTES(query_qp_in)] = {}, out[BYTES(query_qp_out)] = {};
	u32 state;
	int err;

	SET(query_qp_in, in, opcode, MLX5_CMD_OP_QUERY_QP);
	SET(query_qp_in, in, qpn, qp->nr);
	err = query(qp, in, sizeof(in), out, sizeof(out));
	if (err)
		die("QUERY_QP: errno %d status %#x", err, qp->status);
	state = GET(query_qp_out, out, qpc.state);
	if (state != want)
		tell("QP in state %u, expected %u", state, want);
}

void move_data(const char *device)
{
	static const u32 lens[] = { 1, 64, 1000, PAGE };
	struct made cq, qp, mkey;
	struct want w;
	struct end e;
	unsigned int i, j;

	open_end(&e, device);
	w = want_of(&e);
	cq = create_cq(&e, &w);
	w.cqn = cq.nr;
	qp = create_qp(&e, &w);
	w.mode = 1;
	mkey = create_mkey(&e, &w);
	if (!cq.obj || !qp.obj || !mkey.obj)
		die("CQ: errno %d status %#x, QP: %d %#x, mkey: %d %#x", cq.err, cq.status, qp.err,
		    qp.status, mkey.err, mkey.status);
	check_state(&qp, 0);
	connect_qp(&qp);
	check_state(&qp, 3);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		memset(e.mem + AT_DATA + PAGE, 0, PAGE);
		for (j = 0; j < PAGE; j++)
			e.mem[AT_DATA + j] = j * 7 + i + 1;
		post_write(&e, qp.nr, i, mkey.nr << 8 | 0x42, lens[i]);
		if (poll_cq(&e, i))
			die("completion %u with an error", i);
		if (memcmp(e.mem + AT_DATA, e.mem + AT_DATA + PAGE, lens[i]))
			tell("%u bytes arrived wrong", lens[i]);
		if (lens[i] < PAGE && e.mem[AT_DATA + PAGE + lens[i]])
			tell("more than %u bytes arrived", lens[i]);
	}
	destroy(&qp, "QP");
	destroy(&mkey, "mkey");
	destroy(&cq, "CQ");
	close_end(&e);
}
