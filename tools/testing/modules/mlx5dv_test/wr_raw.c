// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Raw WQEs of up to 15 blocks, at each position of the ring: SENDs with inline data. The received
 * data are compared. Builders post work requests between the raw WQEs: such a work request would
 * overwrite a raw WQE if the ring did not count the length of the raw WQE.
 */
#include <linux/mlx5/qp.h>

#include "dv.h"

#define ROUNDS		60
#define BLOCK		64

/**
 * dv_raw_send() - encode a SEND with inline data
 * @wqe: memory of 960 bytes for the WQE
 * @qp: QP to post it to
 * @av: address vector of a datagram or a DCI, or NULL
 * @data: data
 * @len: bytes of @data
 *
 * The ring replaces the index and the signature of the WQE, which are wrong here.
 */
void dv_raw_send(void *wqe, const struct ib_qp *qp, const struct mlx5_av *av, const void *data,
		 u32 len)
{
	struct mlx5_wqe_ctrl_seg *ctrl = wqe;
	struct mlx5_wqe_inline_seg *seg;
	void *p = ctrl + 1;
	u32 ds;

	memset(wqe, 0, 960);
	if (av) {
		memcpy(p, av, sizeof(*av));
		p += sizeof(*av);
	}
	seg = p;
	seg->byte_count = cpu_to_be32(MLX5_INLINE_SEG | len);
	memcpy(seg + 1, data, len);
	ds = DIV_ROUND_UP((void *)(seg + 1) + len - wqe, MLX5_SEND_WQE_DS);
	ctrl->opmod_idx_opcode = cpu_to_be32(0x00abcd00 | MLX5_OPCODE_SEND);
	ctrl->qpn_ds = cpu_to_be32(qp->qp_num << 8 | ds);
	ctrl->signature = 0x77;
	ctrl->fm_ce_se = MLX5_WQE_CTRL_CQ_UPDATE;
}

/**
 * dv_raw_av() - encode an address vector
 * @av: memory for the address vector; its key is 0
 * @e: end that sends
 * @peer: end that receives
 * @number: number of the receiving QP or DCT
 */
void dv_raw_av(struct mlx5_av *av, const struct t_end *e, const struct t_end *peer, u32 number)
{
	memset(av, 0, sizeof(*av));
	av->dqp_dct = cpu_to_be32(MLX5_EXTENDED_UD_AV | number);
	av->udp_sport = cpu_to_be16(0xc001);
	memcpy(av->rmac, peer->mac, ETH_ALEN);
	av->hop_limit = 64;
	av->grh_gid_fl = cpu_to_be32(BIT(30) | e->gid_index << 20);
	memcpy(av->rgid, peer->gid.raw, sizeof(av->rgid));
}

/* posts a raw SEND and a SEND of a builder with the same data */
static int post_both(struct t_pair *p, const struct mlx5_av *av, void *wqe, u32 len)
{
	struct t_end *e = &p->end[1];
	struct ib_qp_ex *qpx = dv_qpx(e);
	int ret;

	dv_raw_send(wqe, e->qp, av, e->buf, len);
	T_TRY(dv_start(e, 0, 0));
	ret = mlx5dv_wr_raw_wqe(dv_of(e), wqe);
	dv_next(e, 1, IB_SEND_SIGNALED);
	ib_wr_send(qpx);
	if (av)
		ib_wr_set_ud_addr(qpx, e->ah, p->end[0].qp->qp_num, T_QKEY);
	ib_wr_set_sge(qpx, e->pd->local_dma_lkey, e->dma, len);
	T_EXPECT(ib_wr_complete(qpx), 0);
	T_EXPECT(ret, 0);
	return 0;
}

static int send_both(struct t_pair *p, const struct mlx5_av *av, u32 len, u32 seed)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	const u32 grh = av ? 40 : 0;
	struct ib_sge into[2] = { t_sge(to, 0, 2048), t_sge(to, 2048, 2048) };
	static u8 wqe[960] __aligned(BLOCK);
	int i;

	t_set(to, T_GUARD);
	t_fill(e, 0, len, seed);
	for (i = 0; i < 2; i++)
		T_TRY(t_post_recv_sges(to, i, &into[i], 1));
	T_TRY(post_both(p, av, wqe, len));
	for (i = 0; i < 2; i++) {
		T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&to->rq, i), IB_WC_SUCCESS);
		T_EXPECT(e->sq.wc[i].opcode, i ? IB_WC_SEND : dv_wc_raw_send(e));
		T_EXPECT(to->rq.wc[i].byte_len, grh + len);
		T_TRY(t_check(to, 2048 * i + grh, len, seed));
		T_EXPECT(memchr_inv(to->buf + 2048 * i + grh + len, T_GUARD, 64) ? 1 : 0, 0);
	}
	t_clear_counts(&e->sq);
	t_clear_counts(&to->rq);
	return 0;
}

/* lengths that fill 2 to 15 blocks, except a few bytes of the last block */
static int raw_blocks(struct t_pair *p)
{
	struct t_end *to = &p->end[0], *e = &p->end[1];
	const bool ud = e->qp->qp_type == IB_QPT_UD;
	const u32 head = 16 + (ud ? 48 : 0) + 4;
	struct mlx5_av av;
	u32 i, blocks;

	dv_raw_av(&av, e, to, to->qp->qp_num);
	av.key.qkey.qkey = cpu_to_be32(T_QKEY);
	for (i = 0; i < ROUNDS; i++) {
		blocks = 2 + i * 5 % 14;
		T_TRY(send_both(p, ud ? &av : NULL, blocks * BLOCK - head - i % 7, i));
	}
	return 0;
}

/* @longest: the longest data that fit in 15 blocks; on RC, bytes of the longest layout */
#define RAW_OPTS(qpt, longest)						\
	{								\
		.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,	\
		.post = dv_post, .type = qpt,	\
		.sq_depth = 4, .inline_size = longest,			\
	}

static const struct t_opts rc_opts = RAW_OPTS(IB_QPT_RC, 15 * BLOCK - 128);
static const struct t_opts uc_opts = RAW_OPTS(IB_QPT_UC, 15 * BLOCK - 36);
static const struct t_opts ud_opts = RAW_OPTS(IB_QPT_UD, 15 * BLOCK - 68);

const struct t_case dv_wr_raw_cases[] = {
	{ "raw_blocks_rc", raw_blocks, &rc_opts },
	{ "raw_blocks_uc", raw_blocks, &uc_opts },
	{ "raw_blocks_ud", raw_blocks, &ud_opts },
	{ }
};
