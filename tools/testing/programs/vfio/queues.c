// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A CQ, and an RC QP that is connected to itself in force loopback
 */
#include <assert.h>
#include <string.h>

#include "referee.h"

/* offsets in the UAR page */
#define REG_CQ		0x20
#define REG_BF		0x800
#define BF_SIZE		0x100

#define CQE_BYTES	64
#define WQE_BYTES	64
#define CQE_OWNER	63		/* byte of the opcode and the owner bit */
#define CQE_COUNTER	60
#define CQE_SYNDROME	55
#define CQE_REQ		0x0
#define OP_RDMA_WRITE	0x08
#define WRITE_DS	3
#define CE_ALWAYS	(2 << 2)
#define ZERO_LEN_RQ	3		/* rq_type */
#define MTU_1024	3
#define RNR_TIMER	12
#define ACK_TIMEOUT	14
#define WAIT_MS		60000u

/* ---- objects ----------------------------------------------------------------------------- */

static void create_pd_mkey(struct referee *r)
{
	u8 in[BYTES(create_mkey_in)] = {}, out[BYTES(create_mkey_out)];
	u8 *mkc = PTR(create_mkey_in, in, memory_key_mkey_entry);
	u8 pd_in[BYTES(alloc_pd_in)] = {}, pd_out[BYTES(alloc_pd_out)];

	SET(alloc_pd_in, pd_in, opcode, MLX5_CMD_OP_ALLOC_PD);
	cmd_exec(r, pd_in, sizeof(pd_in), pd_out, sizeof(pd_out));
	r->pdn = GET(alloc_pd_out, pd_out, pd);

	SET(create_mkey_in, in, opcode, MLX5_CMD_OP_CREATE_MKEY);
	SET(mkc, mkc, access_mode_1_0, 0);	/* physical addresses */
	SET(mkc, mkc, length64, 1);
	SET(mkc, mkc, pd, r->pdn);
	SET(mkc, mkc, qpn, 0xffffff);
	SET(mkc, mkc, lr, 1);
	SET(mkc, mkc, lw, 1);
	SET(mkc, mkc, rr, 1);
	SET(mkc, mkc, rw, 1);
	cmd_exec(r, in, sizeof(in), out, sizeof(out));
	r->mkey = GET(create_mkey_out, out, mkey_index) << 8;
}

static void create_cq(struct referee *r)
{
	u8 in[BYTES(create_cq_in) + 8] = {}, out[BYTES(create_cq_out)];
	u8 *cqc = PTR(create_cq_in, in, cq_context);
	unsigned int i;

	r->cq = memory_get(CQ_ENTRIES * CQE_BYTES, CQE_BYTES);
	r->cq_record = memory_get(8, 64);
	for (i = 0; i < CQ_ENTRIES; i++)
		r->cq[i * CQE_BYTES + CQE_OWNER] = 0xf1;
	SET(create_cq_in, in, opcode, MLX5_CMD_OP_CREATE_CQ);
	SET(cqc, cqc, log_cq_size, LOG_CQ_ENTRIES);
	SET(cqc, cqc, uar_page, r->uar);
	SET(cqc, cqc, c_eqn_or_apu_element, r->msi.eqn);
	SET(cqc, cqc, page_offset, memory_bus(r->cq) % HW_PAGE / 64);
	SET(cqc, cqc, dbr_addr, memory_bus(r->cq_record));
	put_bits(in + BYTES(create_cq_in), 0, 64, memory_bus(r->cq) / HW_PAGE * HW_PAGE);
	cmd_exec(r, in, sizeof(in), out, sizeof(out));
	r->cqn = GET(create_cq_out, out, cqn);
}

static void create_qp(struct referee *r)
{
	u8 in[BYTES(create_qp_in) + 8] = {}, out[BYTES(create_qp_out)];
	u8 *qpc = PTR(create_qp_in, in, qpc);

	r->sq = memory_get(SQ_ENTRIES * WQE_BYTES, WQE_BYTES);
	r->qp_record = memory_get(8, 64);
	r->bf = REG_BF;
	SET(create_qp_in, in, opcode, MLX5_CMD_OP_CREATE_QP);
	SET(qpc, qpc, st, MLX5_QPC_ST_RC);
	SET(qpc, qpc, pm_state, MLX5_QPC_PM_STATE_MIGRATED);
	SET(qpc, qpc, pd, r->pdn);
	SET(qpc, qpc, uar_page, r->uar);
	SET(qpc, qpc, cqn_snd, r->cqn);
	SET(qpc, qpc, cqn_rcv, r->cqn);
	SET(qpc, qpc, log_sq_size, LOG_SQ_ENTRIES);
	SET(qpc, qpc, log_msg_max, r->log_max_msg);
	SET(qpc, qpc, rq_type, ZERO_LEN_RQ);
	SET(qpc, qpc, ts_format, MLX5_TIMESTAMP_FORMAT_DEFAULT);
	SET(qpc, qpc, page_offset, memory_bus(r->sq) % HW_PAGE / 64);
	SET(qpc, qpc, dbr_addr, memory_bus(r->qp_record));
	put_bits(in + BYTES(create_qp_in), 0, 64, memory_bus(r->sq) / HW_PAGE * HW_PAGE);
	cmd_exec(r, in, sizeof(in), out, sizeof(out));
	r->qpn = GET(create_qp_out, out, qpn);
}

static_assert(BYTES(init2rtr_qp_in) == BYTES(rst2init_qp_in) &&
	      BYTES(rtr2rts_qp_in) == BYTES(rst2init_qp_in) &&
	      BIT_OFF(init2rtr_qp_in, qpc) == BIT_OFF(rst2init_qp_in, qpc) &&
	      BIT_OFF(rtr2rts_qp_in, qpc) == BIT_OFF(rst2init_qp_in, qpc), "one layout");

/* The layouts of RST2INIT_QP, INIT2RTR_QP and RTR2RTS_QP are equal. */
static void modify_qp(struct referee *r, unsigned int opcode, u8 *in)
{
	u8 out[BYTES(rst2init_qp_out)];

	SET(rst2init_qp_in, in, opcode, opcode);
	SET(rst2init_qp_in, in, qpn, r->qpn);
	cmd_exec(r, in, BYTES(rst2init_qp_in), out, sizeof(out));
}

static void connect_qp(struct referee *r)
{
	u8 in[BYTES(rst2init_qp_in)] = {}, *qpc = PTR(rst2init_qp_in, in, qpc);

	SET(qpc, qpc, primary_address_path.vhca_port_num, 1);
	SET(qpc, qpc, pm_state, MLX5_QPC_PM_STATE_MIGRATED);
	SET(qpc, qpc, rre, 1);
	SET(qpc, qpc, rwe, 1);
	modify_qp(r, MLX5_CMD_OP_RST2INIT_QP, in);

	memset(in, 0, sizeof(in));
	SET(qpc, qpc, mtu, MTU_1024);
	SET(qpc, qpc, log_msg_max, r->log_max_msg);
	SET(qpc, qpc, remote_qpn, r->qpn);
	SET(qpc, qpc, min_rnr_nak, RNR_TIMER);
	SET(qpc, qpc, primary_address_path.vhca_port_num, 1);
	SET(qpc, qpc, primary_address_path.fl, 1);
	modify_qp(r, MLX5_CMD_OP_INIT2RTR_QP, in);

	memset(in, 0, sizeof(in));
	SET(qpc, qpc, retry_count, 7);
	SET(qpc, qpc, rnr_retry, 7);
	SET(qpc, qpc, primary_address_path.ack_timeout, ACK_TIMEOUT);
	modify_qp(r, MLX5_CMD_OP_RTR2RTS_QP, in);
}

void datapath_create(struct referee *r)
{
	create_pd_mkey(r);
	create_cq(r);
	create_qp(r);
	connect_qp(r);
}

static_assert(BIT_OFF(destroy_cq_in, cqn) == BIT_OFF(destroy_qp_in, qpn) &&
	      BIT_OFF(destroy_mkey_in, mkey_index) == BIT_OFF(destroy_qp_in, qpn) &&
	      BIT_OFF(dealloc_pd_in, pd) == BIT_OFF(destroy_qp_in, qpn), "one layout");

/* Destroys all objects. DESTROY_QP needs no state change: the QP is still in RTS. */
void datapath_destroy(struct referee *r)
{
	static const struct { unsigned int opcode; size_t at; } objs[] = {
		{ MLX5_CMD_OP_DESTROY_QP, offsetof(struct referee, qpn) },
		{ MLX5_CMD_OP_DESTROY_CQ, offsetof(struct referee, cqn) },
		{ MLX5_CMD_OP_DESTROY_MKEY, offsetof(struct referee, mkey) },
		{ MLX5_CMD_OP_DEALLOC_PD, offsetof(struct referee, pdn) },
	};
	unsigned int i;

	r->mkey >>= 8;
	for (i = 0; i < sizeof(objs) / sizeof(*objs); i++) {
		u8 in[BYTES(destroy_qp_in)] = {}, out[BYTES(destroy_qp_out)];

		/* the object's number has the same offset in all these commands */
		SET(destroy_qp_in, in, opcode, objs[i].opcode);
		SET(destroy_qp_in, in, qpn, *(u32 *)((u8 *)r + objs[i].at));
		cmd_exec(r, in, sizeof(in), out, sizeof(out));
	}
}

/* ---- data -------------------------------------------------------------------------------- */

/* Arms the CQ: writes the doorbell record, and then the doorbell register. */
void cq_arm(struct referee *r)
{
	u32 word = (r->cq_sn & 3) << 28 | (r->cq_ci & 0xffffff);

	store_be32(&r->cq_record[1], word);
	reg_write64(r, uar_reg(r, REG_CQ), (u64)word << 32 | r->cqn);
	r->cq_sn++;
}

void post_write(struct referee *r, const void *from, void *to, u32 len, bool signaled)
{
	u8 *wqe = r->sq + r->sq_pi % SQ_ENTRIES * WQE_BYTES;
	u64 first;

	memset(wqe, 0, WQE_BYTES);
	put_bits(wqe, 8, 16, r->sq_pi);
	put_bits(wqe, 24, 8, OP_RDMA_WRITE);
	put_bits(wqe, 32, 24, r->qpn);
	put_bits(wqe, 56, 8, WRITE_DS);
	put_bits(wqe, 88, 8, signaled ? CE_ALWAYS : 0);
	put_bits(wqe + 16, 0, 64, memory_bus(to));
	put_bits(wqe + 16, 64, 32, r->mkey);
	put_bits(wqe + 32, 0, 32, len);
	put_bits(wqe + 32, 32, 32, r->mkey);
	put_bits(wqe + 32, 64, 64, memory_bus(from));
	r->sq_pi++;
	store_be32(&r->qp_record[1], r->sq_pi);
	memcpy(&first, wqe, sizeof(first));
	reg_write64(r, uar_reg(r, r->bf), be64toh(first));
	r->bf ^= BF_SIZE;
}

/* Waits for the next completion. The program ends if it is not that of WQE @index. */
void wait_completion(struct referee *r, u16 index)
{
	u8 *cqe = r->cq + r->cq_ci % CQ_ENTRIES * CQE_BYTES;
	u64 end = now_ms() + WAIT_MS;
	unsigned int found;

	while ((load_byte(cqe + CQE_OWNER) & 1) != (r->cq_ci >> LOG_CQ_ENTRIES & 1)) {
		events_poll(r);
		if (now_ms() > end)
			die("no completion of WQE %u", index);
	}
	__sync_synchronize();
	if (cqe[CQE_OWNER] >> 4 != CQE_REQ)
		die("completion %#x, syndrome %#x", cqe[CQE_OWNER] >> 4, cqe[CQE_SYNDROME]);
	found = get_bits(cqe + CQE_COUNTER, 0, 16);
	if (found != index)
		die("completion of WQE %u, not %u", found, index);
	r->cq_ci++;
	store_be32(&r->cq_record[0], r->cq_ci & 0xffffff);
}
