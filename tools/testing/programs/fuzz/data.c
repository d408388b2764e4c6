// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Data of a QP of DEVX that is connected to itself, with completions and errors. Some work requests
 * are changed at random. The CQ of the QP belongs to this or to another thread. While hunting, the
 * context of the QP names the number that the next CQ may get: the device may then write to a CQ
 * whose creation fails.
 */
#include <string.h>

#include "fuzz.h"

#define OPCODE_WRITE	0x08
#define OPCODE_SEND	0x0a
#define OPCODE_UMR	0x25
#define SIGNALED	0x08
#define CQ_DOORBELL	0x20
#define MTU_1024	3
#define STEPS		3
#define ROUNDS		8	/* rounds of data, per QP */
#define QP_DBR_UMEM	0x7e0	/* offsets in CREATE_QP and its response */
#define NR		0x48
#define RQ_OF_SRQ	1
#define MIGRATED	3
#define TS_DEFAULT	1

__thread bool hunts;

static __thread struct made cq, qp, mkey;
static __thread bool has_srq;
static __thread u32 posted, armed, state;

static int change_state(struct made *m, u32 nr)
{
	static const u16 opcodes[STEPS] = {
		MLX5_CMD_OP_RST2INIT_QP, MLX5_CMD_OP_INIT2RTR_QP, MLX5_CMD_OP_RTR2RTS_QP,
	};
	u8 in[BYTES(rst2init_qp_in)] = {};
	u8 *qpc = PTR(rst2init_qp_in, in, qpc);

	SET(rst2init_qp_in, in, opcode, opcodes[nr]);
	SET(rst2init_qp_in, in, qpn, m->nr);
	SET(qpc, qpc, pm_state, 3);
	SET(qpc, qpc, primary_address_path.vhca_port_num, 1);
	SET(qpc, qpc, rwe, 1);
	if (nr == 1) {
		SET(qpc, qpc, mtu, MTU_1024);
		SET(qpc, qpc, log_msg_max, 30);
		SET(qpc, qpc, remote_qpn, m->nr);
		SET(qpc, qpc, min_rnr_nak, 12);
		SET(qpc, qpc, primary_address_path.fl, 1);
	} else if (nr == 2) {
		SET(qpc, qpc, retry_count, 7);
		SET(qpc, qpc, rnr_retry, 7);
		SET(qpc, qpc, primary_address_path.ack_timeout, 14);
	}
	return modify(m, in, sizeof(in));
}

static void ring(struct end *e, u32 offset, u64 value)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n((u64 *)((u8 *)e->uar->base_addr + offset), value, __ATOMIC_RELAXED);
}

static void put_data(u8 *seg, u32 key, u64 from)
{
	put_bits(seg, 0, 32, 1 + below(PAGE));
	put_bits(seg, 32, 32, key);
	put_bits(seg, 64, 64, from);
}

static void post_one(struct end *e)
{
	u32 key = hunts || in_percent(85) ? mkey.nr << 8 | 0x42 : any_number(MKEY) << 8 | 0x42;
	u8 *wqe = e->mem + AT_SQ + posted % (1 << LOG_SQ_BBS) * 64;
	u64 from = (u64)(uintptr_t)e->mem + AT_DATA, first;

	memset(wqe, 0, 64);
	if (has_srq) {
		put_bits(wqe, 0, 32, posted << 8 | OPCODE_SEND);
		put_bits(wqe, 32, 32, qp.nr << 8 | 2);
		put_data(wqe + 16, key, from);
	} else {
		put_bits(wqe, 0, 32, posted << 8 | (in_percent(90) ? OPCODE_WRITE : OPCODE_UMR));
		put_bits(wqe, 32, 32, qp.nr << 8 | 3);
		put_bits(wqe, 128, 64, from + PAGE);
		put_bits(wqe, 192, 32, key);
		put_data(wqe + 32, key, from);
	}
	put_bits(wqe, 64, 32, SIGNALED);
	if (!hunts && in_percent(10))
		mutate_bytes(wqe, 64);
	posted++;
	memcpy(&first, wqe, sizeof(first));
	__atomic_thread_fence(__ATOMIC_RELEASE);
	store_be32(e->mem + AT_DBR_QP + 4, posted & 0xffff);
	ring(e, e->uar->reg_addr - e->uar->base_addr, first);
}

static void arm_some_cq(struct end *e)
{
	u32 words[2] = { __builtin_bswap32((armed & 3) << 28 | (posted & 0xffffff)),
			 __builtin_bswap32(in_percent(90) ? cq.nr : any_number(CQ)) };
	u64 both;

	memcpy(&both, words, sizeof(both));
	store_be32(e->mem + AT_DBR_CQ, posted & 0xffffff);
	__atomic_store_n((u32 *)(e->mem + AT_DBR_CQ + 4), words[0], __ATOMIC_RELEASE);
	ring(e, CQ_DOORBELL, both);
	armed++;
}

/* creates a QP that receives from the SRQ @srqn */
static struct made create_srq_qp(struct end *e, const struct want *w, u32 srqn)
{
	u8 in[BYTES(create_qp_in)] = {};
	u8 *qpc = PTR(create_qp_in, in, qpc);

	SET(create_qp_in, in, opcode, MLX5_CMD_OP_CREATE_QP);
	SET(create_qp_in, in, wq_umem_valid, 1);
	SET(create_qp_in, in, wq_umem_id, w->ring);
	SET(create_qp_in, in, wq_umem_offset, AT_SQ);
	SET(qpc, qpc, pm_state, MIGRATED);
	SET(qpc, qpc, pd, w->pdn);
	SET(qpc, qpc, rq_type, RQ_OF_SRQ);
	SET(qpc, qpc, srqn_rmpn_xrqn, srqn);
	SET(qpc, qpc, log_sq_size, LOG_SQ_BBS);
	SET(qpc, qpc, ts_format, TS_DEFAULT);
	SET(qpc, qpc, uar_page, w->uar);
	SET(qpc, qpc, cqn_snd, w->cqn);
	SET(qpc, qpc, cqn_rcv, w->cqn);
	SET(qpc, qpc, dbr_umem_valid, 1);
	put_bits(in, QP_DBR_UMEM, 32, w->dbr);
	SET(qpc, qpc, dbr_addr, AT_DBR_QP);
	return create(e, in, sizeof(in), NR);
}

/* creates the CQ and the mkey of a QP if they do not exist, and clears its doorbell record */
static void create_parts(struct end *e)
{
	struct want w = want_of(e);

	/* the last QP and CQ left values in the doorbell records */
	memset(e->mem + AT_DBR_QP, 0, 8);
	if (!cq.obj) {
		memset(e->mem + AT_DBR_CQ, 0, 8);
		cq = create_cq(e, &w);
		if (cq.obj)
			note_number(CQ, cq.nr);
		armed = 0;
	}
	if (!mkey.obj) {
		w.mode = 1;
		w.umr = !hunts && in_percent(30);
		mkey = create_mkey(e, &w);
		if (mkey.obj)
			note_number(MKEY, mkey.nr);
	}
}

/* creates a QP with its CQ and mkey; if the QP is refused, the next QP uses the CQ and the mkey */
static void create_mover(struct end *e)
{
	struct want w = want_of(e);

	create_parts(e);
	w.cqn = in_percent(40) ? cq.nr : any_number(CQ);
	has_srq = in_percent(20);
	qp = has_srq ? create_srq_qp(e, &w, any_number(RMP)) : create_qp(e, &w);
	if (qp.obj)
		note_number(QP, qp.nr);
	posted = 0;
	state = 0;
}

/*
 * Tries to create a QP whose CQ or SRQ another thread creates at the same time. The device refuses
 * nearly all such QPs. After a success, the next steps use the QP.
 */
void hunt_step(struct end *e)
{
	struct want w = want_of(e);

	if (qp.obj) {
		data_step(e);
		return;
	}
	create_parts(e);
	has_srq = in_percent(40);
	w.cqn = has_srq ? cq.nr : next_number(CQ);
	qp = has_srq ? create_srq_qp(e, &w, next_number(RMP)) : create_qp(e, &w);
	posted = 0;
	state = 0;
}

static void destroy_object(struct made *m)
{
	if (m->obj && !mlx5dv_devx_obj_destroy(m->obj))
		m->obj = NULL;
}

/* Creates the QP, changes its state, posts a few work requests, or destroys the QP. */
void data_step(struct end *e)
{
	u32 n;

	if (!qp.obj) {
		create_mover(e);
	} else if (state < STEPS) {
		if (!change_state(&qp, state))
			state++;
		else if (in_percent(30))
			destroy_object(&qp);
	} else if (state++ < STEPS + ROUNDS) {
		arm_some_cq(e);
		for (n = 1 + below(8); n; n--)
			post_one(e);
	} else {
		destroy_object(&qp);
		if (in_percent(30))
			destroy_object(&cq);
		if (in_percent(10))
			destroy_object(&mkey);
	}
}
