// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting chains of known composition, for a test that checks the doorbells.
 *
 * The log lists the posted chains: "qpn N", then "chain WQES OPCODE" for each call of
 * ib_post_send(), OPCODE being the opcode of the chain's last WQE on mlx5.
 */
#include <linux/mlx5/device.h>

#include "ibx_test.h"

static int t_post_sends(struct t_end *e, u64 id, int n)
{
	struct ib_rdma_wr wr[5];
	struct ib_sge sge[5];
	int i;

	for (i = 0; i < n; i++) {
		t_write_wr(&wr[i], &sge[i], e, id + i);
		wr[i].wr.opcode = IB_WR_SEND;
		wr[i].wr.next = i + 1 < n ? &wr[i + 1].wr : NULL;
	}
	T_TRY(ib_post_send(e->qp, &wr[0].wr, NULL));
	t_log("chain %d %#x\n", n, MLX5_OPCODE_SEND);
	return 0;
}

/* posts a registration and the SEND that carries its key in one chain, as a ULP does */
static int t_post_reg_send(struct t_end *e, u64 id)
{
	struct ib_reg_wr reg = {
		.wr = {
			.wr_id = id,
			.opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = e->mr[0],
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};
	struct ib_rdma_wr send;
	struct ib_sge sge;

	T_EXPECT(ib_map_mr_sg(e->mr[0], e->sgl, T_PAGES, NULL, PAGE_SIZE), T_PAGES);
	ib_update_fast_reg_key(e->mr[0], ib_inc_rkey(e->mr[0]->rkey));
	reg.key = e->mr[0]->rkey;
	t_write_wr(&send, &sge, e, id + 1);
	send.wr.opcode = IB_WR_SEND;
	reg.wr.next = &send.wr;
	T_TRY(ib_post_send(e->qp, &reg.wr, NULL));
	t_log("chain 2 %#x\n", MLX5_OPCODE_SEND);
	return 0;
}

/* uses wr_ids 0 to 15; 12 of these are SENDs */
static int chain_doorbells(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	int i;

	t_log("qpn %u\n", e->qp->qp_num);
	for (i = 0; i < 12; i++)
		T_TRY(t_post_recv(&p->end[0], i));
	T_TRY(t_post_sends(e, 0, 1));
	T_TRY(t_post_sends(e, 1, 5));
	T_TRY(t_post_reg(e, 6, e->mr[0], IB_ACCESS_LOCAL_WRITE));
	t_log("chain 1 %#x\n", MLX5_OPCODE_UMR);
	T_TRY(t_post_inv(e, 7, e->mr[0]->rkey));
	t_log("chain 1 %#x\n", MLX5_OPCODE_UMR);
	T_TRY(t_post_reg_send(e, 8));
	T_TRY(t_post_inv(e, 10, e->mr[0]->rkey));
	t_log("chain 1 %#x\n", MLX5_OPCODE_UMR);
	T_TRY(t_post_sends(e, 11, 4));
	T_TRY(t_post_sends(e, 15, 1));
	for (i = 0; i < 16; i++)
		T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
	return 0;
}

const struct t_case t_chains_cases[] = {
	{ "doorbells", chain_doorbells },
	{ }
};
