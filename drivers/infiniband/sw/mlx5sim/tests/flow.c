// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The two ends of flow.h.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"
#include "tests/flow.h"

static void end_init(struct kunit *test, struct flow_end *e, int i)
{
	struct sim_gid *gid;

	e->sdev = kunit_kzalloc(test, sizeof(*e->sdev), GFP_KERNEL);
	e->qp = kunit_kzalloc(test, sizeof(*e->qp), GFP_KERNEL);
	e->ring = kunit_kzalloc(test, FLOW_RQ + FLOW_RING * 16, GFP_KERNEL);
	e->mem = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, e->sdev);
	KUNIT_ASSERT_NOT_NULL(test, e->qp);
	KUNIT_ASSERT_NOT_NULL(test, e->ring);
	KUNIT_ASSERT_NOT_NULL(test, e->mem);

	*e->sdev = (struct sim_dev) {
		.index = i, .present = true, .hca_inited = true, .roce_enabled = true,
		.port_up = true,
	};
	KUNIT_ASSERT_EQ(test, sim_caps_init(e->sdev), 0);
	INIT_LIST_HEAD(&e->sdev->qps);
	INIT_LIST_HEAD(&e->sdev->all_qps);
	gid = &e->sdev->gid[0];
	gid->valid = true;
	gid->roce_version = MLX5_ROCE_VERSION_2;
	gid->raw[15] = i + 1;
	gid->mac[5] = i + 1;

	e->pd.obj.id = 7;
	e->pas = (uintptr_t)e->ring;
	*e->qp = (struct sim_qp) {
		.obj.id = 0x40 + i, .st = MLX5_QP_ST_RC, .state = MLX5_QP_STATE_RTS,
		.rq_type = MLX5_NON_ZERO_RQ, .pd = &e->pd, .scq = &e->scq, .rcq = &e->rcq,
		.buf = { .pas = &e->pas, .npages = 1 }, .dbr_addr = (uintptr_t)e->dbr,
		.sq = { .log_size = 3 }, .rq = { .off = FLOW_RQ, .log_size = 3, .log_stride = 4 },
		.user_index = 0xffffff, .qset = 1,
		.remote_qpn = 0x41 - i, .mtu = 3, .log_msg_max = 30,
		.retry_count = 1, .rnr_retry = 1, .min_rnr_nak = 12, .max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.rre = true, .rwe = true, .rae = true, .fre = true,
		.path = { .ack_timeout = 14, .rgid = { [15] = 2 - i }, .rmac = { [5] = 2 - i } },
		.send_psn = 0xffffff, .recv_psn = 0xffffff,
	};
	sim_dp_stub.dev[i] = e->sdev;
	sim_dp_stub.qp[i] = e->qp;
	KUNIT_ASSERT_EQ(test, sim_dp_qp_create(e->sdev, e->qp), 0);
	sim_dp_qp_rts(e->sdev, e->qp);
}

/**
 * flow_init() - create both ends, before each case of a suite
 * @test: the case; its priv is set to the struct flow
 *
 * Return: 0.
 */
int flow_init(struct kunit *test)
{
	struct flow *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	sim_dp_stub_reset();
	end_init(test, &f->a, 0);
	end_init(test, &f->b, 1);
	f->pa = (struct sim_mkey) {
		.obj.id = FLOW_PA_KEY >> 8, .variant = 1, .mode = SIM_MKEY_PA, .len64 = true,
		.access = SIM_MKEY_LR | SIM_MKEY_LW, .qpn = SIM_ANY_QPN, .pdn = 7,
	};
	f->mr = f->pa;
	f->mr.obj.id = FLOW_MR_KEY >> 8;
	f->mr.access |= SIM_MKEY_RR | SIM_MKEY_RW | SIM_MKEY_A;
	f->mr.rinval_en = true;
	sim_dp_stub.mkey[0] = &f->pa;
	sim_dp_stub.mkey[1] = &f->mr;
	test->priv = f;
	return 0;
}

/**
 * flow_exit() - undo flow_init()
 * @test: the case
 */
void flow_exit(struct kunit *test)
{
	struct flow *f = test->priv;

	if (!f)
		return;
	sim_dp_qp_destroy(f->a.sdev, f->a.qp);
	sim_dp_qp_destroy(f->b.sdev, f->b.qp);
	sim_caps_exit(f->a.sdev);
	sim_caps_exit(f->b.sdev);
}

/**
 * flow_post() - post a WQE of one basic block
 * @e: the end
 * @opcode: MLX5_OPCODE_*
 * @fm: fence and completion bits
 * @at: address of the only data segment
 * @len: bytes of the data segment
 * @remote: remote address, NULL for opcodes without a remote address
 */
void flow_post(struct flow_end *e, u8 opcode, u8 fm, void *at, u32 len, void *remote)
{
	u8 *wqe = e->ring + (e->posted % FLOW_RING) * MLX5_SEND_WQE_BB;
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)wqe;
	struct mlx5_wqe_raddr_seg *raddr = (struct mlx5_wqe_raddr_seg *)(ctrl + 1);
	struct mlx5_wqe_data_seg *data = (struct mlx5_wqe_data_seg *)(remote ? raddr + 1 : raddr);

	memset(wqe, 0, MLX5_SEND_WQE_BB);
	ctrl->opmod_idx_opcode = cpu_to_be32((u32)e->posted << 8 | opcode);
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(e->qp) << 8 | (remote ? 3 : 2));
	ctrl->fm_ce_se = fm;
	if (remote) {
		raddr->raddr = cpu_to_be64((uintptr_t)remote);
		raddr->rkey = cpu_to_be32(FLOW_MR_KEY);
	}
	data->byte_count = cpu_to_be32(len);
	data->lkey = cpu_to_be32(FLOW_PA_KEY);
	data->addr = cpu_to_be64((uintptr_t)at);
	e->dbr[MLX5_SND_DBR] = cpu_to_be32(++e->posted);
}

/**
 * flow_post_recv() - post a receive WQE
 * @e: the end
 * @at: address of the only data segment
 * @len: bytes of the data segment
 */
void flow_post_recv(struct flow_end *e, void *at, u32 len)
{
	u32 n = be32_to_cpu(e->dbr[MLX5_RCV_DBR]);
	struct mlx5_wqe_data_seg *data = (void *)(e->ring + FLOW_RQ + (n % FLOW_RING) * 16);

	data->byte_count = cpu_to_be32(len);
	data->lkey = cpu_to_be32(FLOW_PA_KEY);
	data->addr = cpu_to_be64((uintptr_t)at);
	e->dbr[MLX5_RCV_DBR] = cpu_to_be32(n + 1);
}

/**
 * flow_expect() - check the next completion
 * @test: the case
 * @next: number of completions checked so far; increased by one
 * @cq: CQ of the completion
 * @counter: wqe_counter of the completion
 * @synd: syndrome of the completion, 0 = success
 */
void flow_expect(struct kunit *test, u32 *next, const struct sim_cq *cq, u16 counter, u8 synd)
{
	struct mlx5_cqe64 *cqe = &sim_dp_stub.cqe[*next];
	u8 opcode = cqe->op_own >> 4;
	bool bad = opcode == MLX5_CQE_REQ_ERR || opcode == MLX5_CQE_RESP_ERR;

	KUNIT_ASSERT_LT(test, *next, sim_dp_stub.cqes);
	KUNIT_EXPECT_PTR_EQ(test, sim_dp_stub.cqe_cq[*next], (struct sim_cq *)cq);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(cqe->wqe_counter), counter);
	KUNIT_EXPECT_EQ(test, bad ? ((struct mlx5_err_cqe *)cqe)->syndrome : 0, synd);
	++*next;
}

/**
 * flow_no_more() - check that no completion is left, now and after a pass
 * @test: the case
 * @next: number of completions checked so far
 */
void flow_no_more(struct kunit *test, u32 next)
{
	KUNIT_EXPECT_EQ(test, sim_dp_stub.cqes, next);
	sim_qp_poll(sim_dp_stub.dev[0]);
	sim_qp_poll(sim_dp_stub.dev[1]);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.cqes, next);
}

/**
 * flow_make_srq() - create the SRQ of end b
 * @f: both ends
 *
 * WQE n is followed by WQE n + 1.
 */
void flow_make_srq(struct flow *f)
{
	struct mlx5_wqe_srq_next_seg *link;
	int i;

	for (i = 0; i < FLOW_SRQ_WQES; i++) {
		link = (void *)(f->srq_ring + i * 32);
		link->next_wqe_index = cpu_to_be16((i + 1) % FLOW_SRQ_WQES);
	}
	f->srq_pas = (uintptr_t)f->srq_ring;
	f->srq_pd.obj.id = 7;
	f->srq = (struct sim_srq) {
		.obj.id = 0x77, .kind = SIM_SRQ_RMP, .pd = &f->srq_pd,
		.buf = { .pas = &f->srq_pas, .npages = 1 },
		.log_size = 2, .log_stride = 5, .dbr_addr = (uintptr_t)&f->srq_dbr,
	};
	f->b.qp->rq_type = MLX5_SRQ_RQ;
	f->b.qp->srq = &f->srq;
}

/**
 * flow_post_srq() - post a WQE of the SRQ
 * @f: both ends
 * @index: index of the WQE
 * @at: address of the only data segment
 * @len: bytes of the data segment
 */
void flow_post_srq(struct flow *f, u16 index, void *at, u32 len)
{
	struct mlx5_wqe_data_seg *data = (void *)(f->srq_ring + index * 32 + 16);

	data->byte_count = cpu_to_be32(len);
	data->lkey = cpu_to_be32(FLOW_PA_KEY);
	data->addr = cpu_to_be64((uintptr_t)at);
	f->srq_dbr = cpu_to_be32(be32_to_cpu(f->srq_dbr) + 1);
}
