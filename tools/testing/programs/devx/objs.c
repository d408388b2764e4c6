// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands that create objects. A test can make a command invalid only by the
 * values in struct want.
 *
 * Fields that mlx5_ifc.h of the kernel lacks are set by offset.
 */
#include <string.h>

#include "devx.h"

#define CQ_DBR_UMEM	0xa0	/* in CREATE_CQ; all offsets are in bits */
#define CQ_UMEM_OFFSET	0x280
#define CQ_UMEM_ID	0x2c0
#define QP_DBR_UMEM	0x7e0	/* in CREATE_QP */
#define MKEY_UMEM_ID	0x320	/* in CREATE_MKEY */
#define MKEY_UMEM_OFF	0x340
#define NR		0x48	/* number of the object, in nearly every response */
#define PSV_NR		0x88
#define ZERO_LEN_RQ	3
#define MIGRATED	3
#define TS_DEFAULT	1

/* Return: values that make every create command valid, except @cqn and @srqn */
struct want want_of(const struct end *e)
{
	struct want w = {
		.pdn = e->pdn,
		.uar = e->uar->page_id,
		.ring = e->umem->umem_id,
		.dbr = e->umem->umem_id,
	};

	return w;
}

/* Creates an object that has no properties besides its number. */
struct made create_plain(struct end *e, u32 opcode)
{
	u8 in[BYTES(alloc_pd_in)] = {};

	SET(alloc_pd_in, in, opcode, opcode);
	return create(e, in, sizeof(in), NR);
}

struct made create_psv(struct end *e, u32 pdn, u32 num)
{
	u8 in[BYTES(create_psv_in)] = {};

	SET(create_psv_in, in, opcode, MLX5_CMD_OP_CREATE_PSV);
	SET(create_psv_in, in, pd, pdn);
	SET(create_psv_in, in, num_psv, num);
	return create(e, in, sizeof(in), PSV_NR);
}

struct made create_cq(struct end *e, const struct want *w)
{
	u8 in[BYTES(create_cq_in) + 8] = {};
	u8 *cqc = PTR(create_cq_in, in, cq_context);
	u32 i;

	/* opcode 15 and ownership bit 1: the device has not written this CQE */
	for (i = 0; i < 1 << LOG_CQES; i++)
		e->mem[AT_CQ + i * 64 + 63] = 0xf1;
	SET(create_cq_in, in, opcode, MLX5_CMD_OP_CREATE_CQ);
	SET(cqc, cqc, log_cq_size, LOG_CQES);
	SET(cqc, cqc, uar_page, w->uar);
	SET(cqc, cqc, c_eqn_or_apu_element, e->eqn);
	if (w->pas) {
		SET(cqc, cqc, dbr_addr, 0x100000);
		put_bits(in + BYTES(create_cq_in), 0, 64, 0x100000);
		return create(e, in, sizeof(in), NR);
	}
	SET(create_cq_in, in, cq_umem_valid, 1);
	put_bits(in, CQ_UMEM_ID, 32, w->ring);
	put_bits(in, CQ_UMEM_OFFSET, 64, AT_CQ);
	SET(cqc, cqc, dbr_umem_valid, 1);
	put_bits(in, CQ_DBR_UMEM, 32, w->dbr);
	SET(cqc, cqc, dbr_addr, AT_DBR_CQ);
	return create(e, in, BYTES(create_cq_in), NR);
}

struct made create_qp(struct end *e, const struct want *w)
{
	u8 in[BYTES(create_qp_in)] = {};
	u8 *qpc = PTR(create_qp_in, in, qpc);

	SET(create_qp_in, in, opcode, MLX5_CMD_OP_CREATE_QP);
	SET(create_qp_in, in, wq_umem_valid, 1);
	SET(create_qp_in, in, wq_umem_id, w->ring);
	SET(create_qp_in, in, wq_umem_offset, AT_SQ);
	SET(qpc, qpc, st, w->mode);
	SET(qpc, qpc, pm_state, MIGRATED);
	SET(qpc, qpc, pd, w->pdn);
	SET(qpc, qpc, rq_type, ZERO_LEN_RQ);
	SET(qpc, qpc, log_sq_size, LOG_SQ_BBS);
	SET(qpc, qpc, ts_format, TS_DEFAULT);
	SET(qpc, qpc, rlky, w->rlky);
	SET(qpc, qpc, fre, w->fre);
	SET(qpc, qpc, uar_page, w->uar);
	SET(qpc, qpc, user_index, 5);
	SET(qpc, qpc, cqn_snd, w->cqn);
	SET(qpc, qpc, cqn_rcv, w->cqn);
	SET(qpc, qpc, dbr_umem_valid, 1);
	put_bits(in, QP_DBR_UMEM, 32, w->dbr);
	SET(qpc, qpc, dbr_addr, AT_DBR_QP);
	return create(e, in, sizeof(in), NR);
}

struct made create_rmp(struct end *e, const struct want *w)
{
	u8 in[BYTES(create_rmp_in) + BYTES(wq)] = {};
	u8 *rmpc = PTR(create_rmp_in, in, ctx), *wq = PTR(rmpc, rmpc, wq);

	SET(create_rmp_in, in, opcode, MLX5_CMD_OP_CREATE_RMP);
	SET(rmpc, rmpc, state, 1);
	SET(rmpc, rmpc, basic_cyclic_rcv_wqe, w->basic);
	SET(wq, wq, wq_type, w->mode);
	SET(wq, wq, pd, w->pdn);
	SET(wq, wq, log_wq_stride, 6);
	SET(wq, wq, log_wq_sz, LOG_RMP_WQES);
	SET(wq, wq, wq_umem_valid, 1);
	SET(wq, wq, wq_umem_id, w->ring);
	SET(wq, wq, wq_umem_offset, AT_RMP);
	SET(wq, wq, dbr_umem_valid, 1);
	SET(wq, wq, dbr_umem_id, w->dbr);
	SET(wq, wq, dbr_addr, AT_DBR_QP + 64);
	return create(e, in, BYTES(create_rmp_in), NR);
}

/* Creates a DCT as UCX does. The context is w->more bytes longer than in mlx5_ifc.h. */
struct made create_dct(struct end *e, const struct want *w)
{
	u8 in[BYTES(create_dct_in) + 64] = {};
	u8 *dctc = PTR(create_dct_in, in, dct_context_entry);

	SET(create_dct_in, in, opcode, MLX5_CMD_OP_CREATE_DCT);
	SET(dctc, dctc, pd, w->pdn);
	SET(dctc, dctc, cqn, w->cqn);
	SET(dctc, dctc, srqn_xrqn, w->srqn);
	SET(dctc, dctc, rlky, w->rlky);
	SET(dctc, dctc, dc_access_key, DC_KEY);
	SET(dctc, dctc, rre, 1);
	SET(dctc, dctc, rwe, 1);
	SET(dctc, dctc, port, 1);
	SET(dctc, dctc, mtu, 3);
	SET(dctc, dctc, min_rnr_nak, 12);
	SET(dctc, dctc, hop_limit, 64);
	SET(dctc, dctc, user_index, 6);
	return create(e, in, BYTES(create_dct_in) + w->more, NR);
}

static u8 *start_mkey(u8 *in, u32 pdn, u32 mode)
{
	u8 *mkc = PTR(create_mkey_in, in, memory_key_mkey_entry);

	SET(create_mkey_in, in, opcode, MLX5_CMD_OP_CREATE_MKEY);
	SET(mkc, mkc, access_mode_1_0, mode);
	SET(mkc, mkc, lr, 1);
	SET(mkc, mkc, lw, 1);
	SET(mkc, mkc, rr, 1);
	SET(mkc, mkc, rw, 1);
	SET(mkc, mkc, qpn, ANY_QPN);
	SET(mkc, mkc, mkey_7_0, 0x42);
	SET(mkc, mkc, pd, pdn);
	return mkc;
}

/* Creates an mkey of two pages from AT_DATA on; its addresses are those in the process. */
struct made create_mkey(struct end *e, const struct want *w)
{
	u8 in[BYTES(create_mkey_in)] = {};
	u8 *mkc = start_mkey(in, w->pdn, w->mode);

	SET(mkc, mkc, umr_en, w->umr);
	SET(mkc, mkc, start_addr, (u64)(uintptr_t)e->mem + AT_DATA);
	SET(mkc, mkc, len, 2 * PAGE);
	SET(mkc, mkc, log_page_size, 12);
	SET(mkc, mkc, translations_octword_size, 1);
	SET(create_mkey_in, in, translations_octword_actual_size, 1);
	SET(create_mkey_in, in, mkey_umem_valid, 1);
	put_bits(in, MKEY_UMEM_ID, 32, w->ring);
	put_bits(in, MKEY_UMEM_OFF, 64, AT_DATA);
	return create(e, in, sizeof(in), NR);
}

/* Creates an mkey with one KLM, which refers to another mkey. */
struct made create_klm(struct end *e, u32 pdn, u32 lkey)
{
	u8 in[BYTES(create_mkey_in) + 64] = {};
	u8 *mkc = start_mkey(in, pdn, 2), *klm = in + BYTES(create_mkey_in);

	SET(mkc, mkc, len, PAGE);
	SET(mkc, mkc, translations_octword_size, 4);
	SET(create_mkey_in, in, translations_octword_actual_size, 1);
	put_bits(klm, 0, 32, PAGE);
	put_bits(klm, 32, 32, lkey);
	put_bits(klm, 64, 64, (u64)(uintptr_t)e->mem + AT_DATA);
	return create(e, in, sizeof(in), NR);
}
