// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A CQ, a QP and an mkey of DEVX. The QP is connected to itself, and writes (RDMA WRITE) from one
 * page of a UMEM to the next page. events.c waits for the events of this CQ and QP.
 */
#include <string.h>
#include <time.h>

#include "devx.h"

#define OP_WRITE	0x08
#define SIGNALED	0x08
#define WAIT_SECONDS	120
#define CQE_BYTES	64
#define MTU_1024	3
#define MANY_MOVES	5000
#define CQ_DOORBELL	0x20	/* bytes from the start of the UAR page */

/* Changes the state of a QP; fill() sets the fields of the QP context. Return: errno, or 0 */
int step_qp(struct made *qp, u32 opcode, void (*fill)(u8 *qpc, u32 qpn))
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

/* the remote QP is the QP itself; fl (force loopback) replaces the address vector */
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

/* Connects a QP to itself, and modifies it from RESET to RTS. */
void connect_qp(struct made *qp)
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
		err = step_qp(qp, steps[i].opcode, steps[i].fill);
		if (err)
			die("%s: errno %d status %#x syndrome %#x", steps[i].what, err, qp->status,
			    qp->syndrome);
	}
}

/* posts a WRITE in one basic block: control, remote address and data segment */
static void post_write(struct mover *m, u32 rkey, u32 len)
{
	struct end *e = &m->e;
	u32 index = m->posted;
	u64 from = (u64)(uintptr_t)e->mem + AT_DATA;
	u8 *wqe = e->mem + AT_SQ + index % (1 << LOG_SQ_BBS) * 64;

	memset(wqe, 0, 64);
	put_bits(wqe, 0, 32, index << 8 | OP_WRITE);
	put_bits(wqe, 32, 32, m->qp.nr << 8 | 3);
	put_bits(wqe, 64, 32, SIGNALED);
	put_bits(wqe, 128, 64, from + PAGE);
	put_bits(wqe, 192, 32, rkey);
	put_bits(wqe, 256, 32, len);
	put_bits(wqe, 288, 32, key_of(m));
	put_bits(wqe, 320, 64, from);
	store_be32(e->mem + AT_DBR_QP + 4, index + 1);
	store_be64(e->uar->reg_addr, get_bits(wqe, 0, 64));
}

/* Waits for completion number @index. Return: its opcode */
static u32 poll_cq(struct end *e, u32 index)
{
	u8 *last = e->mem + AT_CQ + index % (1 << LOG_CQES) * CQE_BYTES + CQE_BYTES - 1, op_own;
	u8 owner = index >> LOG_CQES & 1;
	time_t end = time(NULL) + WAIT_SECONDS;

	do {
		if (time(NULL) > end)
			die("no completion");
		op_own = __atomic_load_n(last, __ATOMIC_ACQUIRE);
	} while ((op_own & 1) != owner || op_own >> 4 == 0xf);
	store_be32(e->mem + AT_DBR_CQ, index + 1);
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

/* Creates a QP in RTS that is connected to itself, with a CQ and an mkey. */
void open_mover(struct mover *m, const char *device)
{
	struct want w;

	memset(m, 0, sizeof(*m));
	open_end(&m->e, device);
	w = want_of(&m->e);
	m->cq = create_cq(&m->e, &w);
	w.cqn = m->cq.nr;
	m->qp = create_qp(&m->e, &w);
	w.mode = 1;
	m->mkey = create_mkey(&m->e, &w);
	if (!m->cq.obj || !m->qp.obj || !m->mkey.obj)
		die("CQ: errno %d status %#x, QP: %d %#x, mkey: %d %#x", m->cq.err, m->cq.status,
		    m->qp.err, m->qp.status, m->mkey.err, m->mkey.status);
	check_state(&m->qp, 0);
	connect_qp(&m->qp);
	check_state(&m->qp, 3);
}

void close_mover(struct mover *m)
{
	if (m->qp.obj)
		destroy(&m->qp, "QP");
	destroy(&m->mkey, "mkey");
	if (m->cq.obj)
		destroy(&m->cq, "CQ");
	close_end(&m->e);
}

/* Arms the CQ for the next completion. */
void arm_cq(struct mover *m)
{
	u32 word = (m->events & 3) << 28 | m->posted;

	store_be32(m->e.mem + AT_DBR_CQ + 4, word);
	store_be64((u8 *)m->e.uar->base_addr + CQ_DOORBELL, (u64)word << 32 | m->cq.nr);
	m->events++;
}

/* Executes a WRITE of @len bytes. Return: opcode of its completion; 0 is success */
u32 move(struct mover *m, u32 rkey, u32 len)
{
	u32 op;

	post_write(m, rkey, len);
	op = poll_cq(&m->e, m->posted);
	m->posted++;
	return op;
}

void move_data(const char *device)
{
	static const u32 lens[] = { 1, 64, 1000, PAGE };
	unsigned int i, j;
	struct mover m;
	u8 *data;

	open_mover(&m, device);
	data = m.e.mem + AT_DATA;
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		memset(data + PAGE, 0, PAGE);
		for (j = 0; j < PAGE; j++)
			data[j] = j * 7 + i + 1;
		if (move(&m, key_of(&m), lens[i]))
			die("completion %u with an error", i);
		if (memcmp(data, data + PAGE, lens[i]))
			tell("%u bytes arrived wrong", lens[i]);
		if (lens[i] < PAGE && data[PAGE + lens[i]])
			tell("more than %u bytes arrived", lens[i]);
	}
	close_mover(&m);
}

/*
 * WRITEs one by one, each with a new value in every doorbell record. The device may read a record
 * at any time. If the CPU stored a record in parts, the device would read the index of a WQE that
 * was not posted.
 */
void move_many(const char *device)
{
	struct mover m;
	unsigned int i;

	open_mover(&m, device);
	for (i = 0; i < MANY_MOVES; i++) {
		arm_cq(&m);
		if (move(&m, key_of(&m), 1))
			die("completion %u with an error", i);
	}
	close_mover(&m);
}
