// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A ULP that uses verbs and DEVX: <rdma/mlx5dv_devx_verbs.h>. A firmware command creates a QP in a
 * PD of verbs. The QP writes to memory of an MR of verbs, and completes in the CQ of a QP of verbs.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/mlx5/cq.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/mlx5/qp.h>
#include <linux/slab.h>

#include "dv.h"

#define LOG_WQES	4
#define WQE_BYTES	64
#define DBR_AT		(BIT(LOG_WQES) * WQE_BYTES)
#define MEM_BYTES	SZ_4K
#define HALF		(T_BUF_SIZE / 2)
#define LEN		1000
#define MOVES		40	/* more than the entries of the ring */

/**
 * struct dv_half - a QP of DEVX, and its completions
 * @e: end whose PD, CQ and memory the QP uses
 * @ctx: DEVX context without a uid
 * @uar: doorbell register
 * @qp: the QP
 * @qpn: number of the QP
 * @mem: ring and doorbell record of the QP
 * @dma: bus address of @mem
 * @posted: number of posted WQEs
 * @cqes: number of CQEs that were passed to the callback
 * @bad: number of CQEs that are of another QP, in error, or out of order
 * @done: completed for each CQE
 */
struct dv_half {
	struct t_end *e;
	struct mlx5dv_devx_ctx *ctx;
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_obj *qp;
	u32 qpn;
	void *mem;
	dma_addr_t dma;
	u32 posted;
	atomic_t cqes;
	atomic_t bad;
	struct completion done;
};

static void on_cqe(void *arg, const void *cqe)
{
	const struct mlx5_cqe64 *c = cqe;
	struct dv_half *h = arg;

	if ((be32_to_cpu(c->sop_drop_qpn) & 0xffffff) != h->qpn || c->op_own >> 4 != MLX5_CQE_REQ ||
	    be16_to_cpu(c->wqe_counter) != (u16)atomic_read(&h->cqes))
		atomic_inc(&h->bad);
	atomic_inc(&h->cqes);
	complete(&h->done);
}

/* gets the numbers of the PD of the end and of @cq */
static int get_numbers(struct t_end *e, struct ib_cq *cq, struct mlx5dv_pd *pd,
		       struct mlx5dv_cq *dv_cq)
{
	struct mlx5dv_obj obj = {
		.cq = { .in = cq, .out = dv_cq },
		.pd = { .in = e->pd, .out = pd },
	};

	return mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD | MLX5DV_OBJ_CQ);
}

/* creates a QP in @ctx by CREATE_QP, with the PD of the end and a CQ of verbs */
static struct mlx5dv_devx_obj *create_qp(struct dv_half *h, struct mlx5dv_devx_ctx *ctx,
					 struct ib_cq *cq, u32 *out)
{
	const size_t inlen = MLX5_ST_SZ_BYTES(create_qp_in) + sizeof(u64);
	u32 *in = kzalloc(inlen, GFP_KERNEL);
	struct mlx5dv_devx_obj *qp;
	struct mlx5dv_cq dv_cq;
	struct mlx5dv_pd pd;
	void *qpc;

	if (!in || get_numbers(h->e, cq, &pd, &dv_cq)) {
		kfree(in);
		return ERR_PTR(-ENOMEM);
	}
	qpc = MLX5_ADDR_OF(create_qp_in, in, qpc);
	MLX5_SET(create_qp_in, in, opcode, MLX5_CMD_OP_CREATE_QP);
	MLX5_SET(qpc, qpc, st, MLX5_QP_ST_RC);
	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	MLX5_SET(qpc, qpc, pd, pd.pdn);
	MLX5_SET(qpc, qpc, rq_type, MLX5_ZERO_LEN_RQ);
	MLX5_SET(qpc, qpc, log_sq_size, LOG_WQES);
	MLX5_SET(qpc, qpc, ts_format, MLX5_TIMESTAMP_FORMAT_DEFAULT);
	MLX5_SET(qpc, qpc, user_index, 0xffffff);
	MLX5_SET(qpc, qpc, uar_page, h->uar->page_id);
	MLX5_SET(qpc, qpc, cqn_snd, dv_cq.cqn);
	MLX5_SET(qpc, qpc, cqn_rcv, dv_cq.cqn);
	MLX5_SET64(qpc, qpc, dbr_addr, h->dma + DBR_AT);
	*(__be64 *)MLX5_ADDR_OF(create_qp_in, in, pas) = cpu_to_be64(h->dma);
	qp = mlx5dv_devx_obj_create(ctx, in, inlen, out, MLX5_ST_SZ_BYTES(create_qp_out));
	kfree(in);
	return qp;
}

/* changes the state of the QP, which is connected to itself; the 3 commands have the same layout */
static int step_qp(struct dv_half *h, u16 opcode)
{
	const size_t inlen = MLX5_ST_SZ_BYTES(rst2init_qp_in);
	u32 out[MLX5_ST_SZ_DW(rst2init_qp_out)];
	u32 *in = kzalloc(inlen, GFP_KERNEL);
	void *qpc;
	int err;

	if (!in)
		return -ENOMEM;
	qpc = MLX5_ADDR_OF(rst2init_qp_in, in, qpc);
	MLX5_SET(rst2init_qp_in, in, opcode, opcode);
	MLX5_SET(rst2init_qp_in, in, qpn, h->qpn);
	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	MLX5_SET(qpc, qpc, primary_address_path.vhca_port_num, 1);
	MLX5_SET(qpc, qpc, rwe, 1);
	if (opcode == MLX5_CMD_OP_INIT2RTR_QP) {
		MLX5_SET(qpc, qpc, mtu, IB_MTU_1024);
		MLX5_SET(qpc, qpc, log_msg_max, 30);
		MLX5_SET(qpc, qpc, remote_qpn, h->qpn);
		MLX5_SET(qpc, qpc, primary_address_path.fl, 1);
	} else if (opcode == MLX5_CMD_OP_RTR2RTS_QP) {
		MLX5_SET(qpc, qpc, retry_count, 7);
		MLX5_SET(qpc, qpc, primary_address_path.ack_timeout, 14);
	}
	err = mlx5dv_devx_obj_modify(h->qp, in, inlen, out, sizeof(out));
	kfree(in);
	return err;
}

static int open_qp(struct dv_half *h, struct ib_cq *cq)
{
	u32 out[MLX5_ST_SZ_DW(create_qp_out)];

	h->qp = create_qp(h, h->ctx, cq, out);
	if (IS_ERR(h->qp))
		return T_FAIL("no QP: %ld, status %#x syndrome %#x", PTR_ERR(h->qp),
			      MLX5_GET(create_qp_out, out, status),
			      MLX5_GET(create_qp_out, out, syndrome));
	h->qpn = MLX5_GET(create_qp_out, out, qpn);
	h->posted = 0;
	/* clear the doorbell record of the previous QP */
	memset(h->mem, 0, MEM_BYTES);
	T_TRY(step_qp(h, MLX5_CMD_OP_RST2INIT_QP));
	T_TRY(step_qp(h, MLX5_CMD_OP_INIT2RTR_QP));
	T_TRY(step_qp(h, MLX5_CMD_OP_RTR2RTS_QP));
	return 0;
}

/* writes @len bytes from offset @at of the end's buffer to address @to of its MR */
static void post_write(struct dv_half *h, u32 at, u64 to, u32 len)
{
	struct mlx5_wqe_ctrl_seg *ctrl = h->mem + h->posted % BIT(LOG_WQES) * WQE_BYTES;
	struct mlx5_wqe_raddr_seg *raddr = (void *)(ctrl + 1);
	struct mlx5_wqe_data_seg *data = (void *)(raddr + 1);
	__be32 *dbr = h->mem + DBR_AT;

	memset(ctrl, 0, WQE_BYTES);
	ctrl->opmod_idx_opcode = cpu_to_be32((h->posted & 0xffff) << 8 | MLX5_OPCODE_RDMA_WRITE);
	ctrl->qpn_ds = cpu_to_be32(h->qpn << 8 | 3);
	ctrl->fm_ce_se = MLX5_WQE_CTRL_CQ_UPDATE;
	raddr->raddr = cpu_to_be64(to);
	raddr->rkey = cpu_to_be32(h->e->mr[0]->rkey);
	data->byte_count = cpu_to_be32(len);
	data->lkey = cpu_to_be32(h->e->pd->local_dma_lkey);
	data->addr = cpu_to_be64(h->e->dma + at);
	/* the WQE before the doorbell record */
	dma_wmb();
	WRITE_ONCE(dbr[MLX5_SND_DBR], cpu_to_be32(++h->posted & 0xffff));
	/* the record before the doorbell */
	wmb();
	mlx5_write64((__be32 *)ctrl, h->uar->reg_addr);
}

static int half_init(struct dv_half *h, struct t_pair *p, struct ib_cq *cq, mlx5dv_devx_cqe_cb cb)
{
	struct device *dma = p->end[0].dev->dma_device;

	memset(h, 0, sizeof(*h));
	h->e = &p->end[0];
	init_completion(&h->done);
	h->mem = dma_alloc_coherent(dma, MEM_BYTES, &h->dma, GFP_KERNEL);
	T_EXPECT(!h->mem, 0);
	h->ctx = mlx5dv_devx_open_verbs(h->e->dev);
	T_TRY(PTR_ERR_OR_ZERO(h->ctx));
	h->uar = mlx5dv_devx_alloc_uar(h->ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	T_TRY(PTR_ERR_OR_ZERO(h->uar));
	T_TRY(mlx5dv_devx_attach_cq(h->ctx, cq, cb, h));
	return 0;
}

static int half_exit(struct dv_half *h, struct ib_cq *cq)
{
	if (!IS_ERR_OR_NULL(h->qp))
		T_EXPECT(mlx5dv_devx_obj_destroy(h->qp), 0);
	T_EXPECT(mlx5dv_devx_detach_cq(h->ctx, cq), 0);
	mlx5dv_devx_free_uar(h->ctx, h->uar);
	mlx5dv_devx_close(h->ctx);
	dma_free_coherent(h->e->dev->dma_device, MEM_BYTES, h->mem, h->dma);
	return 0;
}

/* the QP of verbs registers the MR of the buffer; both QPs are in the PD of the MR */
static int register_mr(struct dv_half *h, u64 id)
{
	T_TRY(t_post_reg(h->e, id, h->e->mr[0], DV_REMOTE_RW));
	T_EXPECT(t_wait(&h->e->sq, id), IB_WC_SUCCESS);
	return 0;
}

static int wait_cqes(struct dv_half *h, u32 n)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);

	while (atomic_read(&h->cqes) < n && time_before(jiffies, end)) {
		t_collect(&h->e->sq);
		cpu_relax();
		cond_resched();
	}
	T_EXPECT(atomic_read(&h->cqes), n);
	T_EXPECT(atomic_read(&h->bad), 0);
	return 0;
}

/* the QP of DEVX posts WRITEs, each together with a WRITE of the QP of verbs */
static int move_all(struct dv_half *h)
{
	const u64 to = h->e->mr[0]->iova + HALF;
	struct ib_rdma_wr write;
	struct ib_sge sge;
	u32 n;

	for (n = 0; n < MOVES; n++) {
		t_fill(h->e, 0, LEN, n);
		t_write_wr(&write, &sge, h->e, 2 + n);
		write.wr.num_sge = 0;
		T_TRY(ib_post_send(h->e->qp, &write.wr, NULL));
		post_write(h, 0, to, LEN);
		T_TRY(wait_cqes(h, n + 1));
		T_EXPECT(t_wait(&h->e->sq, 2 + n), IB_WC_SUCCESS);
		t_sync(h->e);
		T_EXPECT(memcmp(h->e->buf, h->e->buf + HALF, LEN), 0);
	}
	T_EXPECT(h->e->sq.nr, MOVES + 1);
	return 0;
}

static int devx_verbs_moves(struct t_pair *p)
{
	struct ib_cq *cq = p->end[0].sq.cq;
	struct dv_half h;

	T_TRY(half_init(&h, p, cq, on_cqe));
	T_TRY(register_mr(&h, 1));
	T_TRY(open_qp(&h, cq));
	T_TRY(move_all(&h));
	/* a CQ cannot be detached while a QP of DEVX completes in it */
	T_EXPECT(mlx5dv_devx_detach_cq(h.ctx, cq), -EBUSY);
	return half_exit(&h, cq);
}

/* the event of a CQE of DEVX wakes the poller of a CQ of ib_alloc_cq(), which calls the callback */
static int devx_verbs_poller(struct t_pair *p)
{
	static const enum ib_poll_context kinds[] = { IB_POLL_SOFTIRQ, IB_POLL_WORKQUEUE };
	struct dv_half h;
	struct ib_cq *cq;
	int i, n;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		cq = ib_alloc_cq(p->end[0].dev, NULL, 64, 0, kinds[i]);
		T_TRY(PTR_ERR_OR_ZERO(cq));
		T_TRY(half_init(&h, p, cq, on_cqe));
		if (!i)
			T_TRY(register_mr(&h, 1));
		T_TRY(open_qp(&h, cq));
		for (n = 0; n < MOVES; n++) {
			t_fill(h.e, 0, LEN, n);
			post_write(&h, 0, h.e->mr[0]->iova + HALF, LEN);
			T_EXPECT(!wait_for_completion_timeout(&h.done,
							      msecs_to_jiffies(T_TIMEOUT_MS)), 0);
			t_sync(h.e);
			T_EXPECT(memcmp(h.e->buf, h.e->buf + HALF, LEN), 0);
		}
		T_EXPECT(atomic_read(&h.cqes), MOVES);
		T_EXPECT(atomic_read(&h.bad), 0);
		T_TRY(half_exit(&h, cq));
		ib_free_cq(cq);
	}
	return 0;
}

/* waits until all bytes of a WRITE are written, without polling the CQ */
static int wait_written(struct dv_half *h, u32 seed)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);

	while (time_before(jiffies, end)) {
		t_sync(h->e);
		if (!memcmp(h->e->buf, h->e->buf + HALF, LEN))
			return 0;
		cond_resched();
	}
	return T_FAIL("nothing was written, seed %u", seed);
}

/*
 * CQEs that are not polled when their QP is destroyed are dropped: they are passed neither to the
 * ULP nor to a later QP with the same number. Their entries are free again, so no CQ overruns.
 */
static int devx_verbs_dropped(struct t_pair *p)
{
	struct ib_cq *cq = ib_alloc_cq(p->end[0].dev, NULL, 15, 0, IB_POLL_DIRECT);
	struct dv_half h;
	int lap, n;

	T_TRY(PTR_ERR_OR_ZERO(cq));
	T_TRY(half_init(&h, p, cq, on_cqe));
	T_TRY(register_mr(&h, 1));
	for (lap = 0; lap < 4; lap++) {
		T_TRY(open_qp(&h, cq));
		for (n = 0; n < 12; n++) {
			t_fill(h.e, 0, LEN, 20 * lap + n);
			post_write(&h, 0, h.e->mr[0]->iova + HALF, LEN);
			T_TRY(wait_written(&h, n));
		}
		T_EXPECT(mlx5dv_devx_obj_destroy(h.qp), 0);
		h.qp = NULL;
		T_EXPECT(ib_process_cq_direct(cq, -1), 0);
		T_EXPECT(atomic_read(&h.cqes), 0);
	}
	T_TRY(half_exit(&h, cq));
	ib_free_cq(cq);
	return 0;
}

/* without a callback, CQEs are skipped: polling ends, and their entries are free again */
static int devx_verbs_no_cb(struct t_pair *p)
{
	struct ib_cq *cq = ib_alloc_cq(p->end[0].dev, NULL, 15, 0, IB_POLL_DIRECT);
	struct dv_half h;
	struct ib_wc wc;
	int n;

	T_TRY(PTR_ERR_OR_ZERO(cq));
	T_TRY(half_init(&h, p, cq, NULL));
	T_TRY(register_mr(&h, 1));
	T_TRY(open_qp(&h, cq));
	for (n = 0; n < MOVES; n++) {
		t_fill(h.e, 0, LEN, n);
		post_write(&h, 0, h.e->mr[0]->iova + HALF, LEN);
		T_TRY(wait_written(&h, n));
		T_EXPECT(ib_poll_cq(cq, 1, &wc), 0);
	}
	T_TRY(half_exit(&h, cq));
	ib_free_cq(cq);
	return 0;
}

/*
 * the driver refuses commands that create a CQ, and commands that create an object
 * whose context names a CQ
 */
static int expect_no_creator(struct dv_half *h, u16 opcode)
{
	u32 in[128] = {}, out[MLX5_ST_SZ_DW(create_qp_out)];

	MLX5_SET(general_obj_in_cmd_hdr, in, opcode, opcode);
	T_EXPECT(PTR_ERR_OR_ZERO(mlx5dv_devx_obj_create(h->ctx, in, sizeof(in), out, sizeof(out))),
		 -EINVAL);
	return 0;
}

/* calls that the driver refuses without a command */
static int devx_verbs_refused(struct t_pair *p)
{
	struct mlx5dv_devx_ctx *plain = mlx5dv_devx_open(p->end[0].dev), *other;
	struct ib_cq *cq = p->end[0].sq.cq, *far = p->end[1].sq.cq;
	u32 out[MLX5_ST_SZ_DW(create_qp_out)];
	struct mlx5dv_cq dv_cq;
	struct mlx5dv_obj obj = { .cq = { .in = cq, .out = &dv_cq } };
	struct dv_half h;

	T_TRY(PTR_ERR_OR_ZERO(plain));
	T_EXPECT(mlx5dv_init_obj(&obj, 0), -EOPNOTSUPP);
	T_EXPECT(mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ | BIT(2)), -EOPNOTSUPP);
	T_EXPECT(mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ), 0);
	T_EXPECT(dv_cq.cqe_cnt, cq->cqe + 1);
	T_EXPECT(dv_cq.cqe_size, 64);
	T_EXPECT(mlx5dv_devx_attach_cq(plain, cq, NULL, NULL), -EINVAL);
	T_EXPECT(mlx5dv_devx_detach_cq(plain, cq), -EINVAL);

	T_TRY(half_init(&h, p, cq, on_cqe));
	other = mlx5dv_devx_open_verbs(h.e->dev);
	T_TRY(PTR_ERR_OR_ZERO(other));
	T_EXPECT(mlx5dv_devx_attach_cq(h.ctx, cq, on_cqe, &h), -EBUSY);
	T_EXPECT(mlx5dv_devx_attach_cq(other, cq, on_cqe, &h), -EBUSY);
	T_EXPECT(mlx5dv_devx_attach_cq(h.ctx, far, on_cqe, &h), -EINVAL);
	T_EXPECT(mlx5dv_devx_detach_cq(other, cq), -EINVAL);
	/* the CQ is attached in another context only, or in no context */
	T_EXPECT(PTR_ERR_OR_ZERO(create_qp(&h, other, cq, out)), -EINVAL);
	T_EXPECT(PTR_ERR_OR_ZERO(create_qp(&h, h.ctx, h.e->rq.cq, out)), -EINVAL);
	T_TRY(expect_no_creator(&h, MLX5_CMD_OP_CREATE_CQ));
	T_TRY(expect_no_creator(&h, MLX5_CMD_OP_CREATE_DCT));
	T_TRY(expect_no_creator(&h, MLX5_CMD_OP_CREATE_XRC_SRQ));
	T_EXPECT(PTR_ERR_OR_ZERO(mlx5dv_devx_umem_reg(h.ctx, h.e->buf, PAGE_SIZE, 0)),
		 -EOPNOTSUPP);
	mlx5dv_devx_close(other);
	mlx5dv_devx_close(plain);
	return half_exit(&h, cq);
}

/* in a context with a uid, the device refuses the CQ and the PD of verbs */
static int devx_verbs_uid(struct t_pair *p)
{
	struct mlx5dv_devx_ctx *plain = mlx5dv_devx_open(p->end[0].dev);
	struct ib_cq *cq = p->end[0].sq.cq;
	u32 out[MLX5_ST_SZ_DW(create_qp_out)];
	struct dv_half h;

	T_TRY(PTR_ERR_OR_ZERO(plain));
	T_TRY(half_init(&h, p, cq, on_cqe));
	T_EXPECT(PTR_ERR_OR_ZERO(create_qp(&h, plain, cq, out)), -EREMOTEIO);
	T_EXPECT(MLX5_GET(create_qp_out, out, status), MLX5_CMD_STAT_BAD_RES_ERR);
	mlx5dv_devx_close(plain);
	return half_exit(&h, cq);
}

static void count_event(void *arg, u16 event, const void *eqe)
{
	atomic_inc(arg);
}

static int state_of(struct ib_qp *qp)
{
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr;
	int ret = ib_query_qp(qp, &attr, IB_QP_STATE, &init_attr);

	return ret ? ret : attr.qp_state;
}

/*
 * The simulated device has one command slot. While the command in the slot has timed
 * out and was not executed, newer mlx5_core returns -EAGAIN for other commands; older
 * mlx5_core waits.
 */
static struct ib_qp *create_qp_when_executed(struct t_end *e, const struct t_opts *opts)
{
	struct ib_qp *qp;
	int i;

	for (i = 0; i < 200; i++) {
		qp = t_qp_create(e, e->sq.cq, e->sq.cq, opts);
		if (PTR_ERR_OR_ZERO(qp) != -EAGAIN)
			break;
		msleep(50);
	}
	return qp;
}

/* a QP of verbs gets the number of the old QP of DEVX: calls for the old QP must not affect it */
static int use_number(struct t_pair *p, struct dv_half *h, atomic_t *events)
{
	struct t_end *e = &p->end[0];
	struct ib_qp *qp = create_qp_when_executed(e, p->opts);

	T_TRY(PTR_ERR_OR_ZERO(qp));
	T_EXPECT(qp->qp_num, h->qpn);
	T_TRY(t_to_init(qp, &t_default_path));
	T_TRY(t_move(qp, IB_QPS_ERR));
	T_TRY(t_wait_event(e, IB_EVENT_QP_LAST_WQE_REACHED));
	T_EXPECT(mlx5dv_devx_obj_destroy(h->qp), 0);
	h->qp = NULL;
	T_EXPECT(state_of(qp), IB_QPS_ERR);
	T_EXPECT(atomic_read(events), 0);
	return t_qp_destroy(qp, p->opts);
}

/*
 * The device executes DESTROY_QP after mlx5_core has given up, and uses the lowest
 * free number first. The second call of mlx5dv_devx_obj_destroy() issues no command.
 */
static int devx_verbs_late(struct t_pair *p)
{
	struct mlx5dv_devx_event_channel *ch;
	struct ib_cq *cq = p->end[0].sq.cq;
	atomic_t events = ATOMIC_INIT(0);
	struct dv_half h;

	T_TRY(half_init(&h, p, cq, on_cqe));
	T_TRY(open_qp(&h, cq));
	ch = mlx5dv_devx_create_event_channel(h.ctx, 0);
	T_TRY(PTR_ERR_OR_ZERO(ch));
	T_TRY(mlx5dv_devx_subscribe_devx_event_cb(ch, h.qp, MLX5_EVENT_TYPE_SRQ_LAST_WQE,
						  count_event, &events));
	T_EXPECT(mlx5dv_devx_obj_destroy(h.qp), -ETIMEDOUT);
	T_EXPECT(mlx5dv_devx_detach_cq(h.ctx, cq), -EBUSY);
	/* other calls for the QP issue no command either */
	T_EXPECT(step_qp(&h, MLX5_CMD_OP_RST2INIT_QP), -EINVAL);
	T_EXPECT(mlx5dv_devx_subscribe_devx_event_cb(ch, h.qp, MLX5_EVENT_TYPE_SRQ_LAST_WQE,
						     count_event, &events), -EINVAL);
	T_TRY(use_number(p, &h, &events));
	mlx5dv_devx_destroy_event_channel(ch);
	return half_exit(&h, cq);
}

static const struct t_opts with_srq = { .srq_depth = T_DEPTH };

const struct t_case dv_devx_verbs_cases[] = {
	{ "devx_verbs_moves", devx_verbs_moves },
	{ "devx_verbs_poller", devx_verbs_poller },
	{ "devx_verbs_dropped", devx_verbs_dropped },
	{ "devx_verbs_no_cb", devx_verbs_no_cb },
	{ "devx_verbs_refused", devx_verbs_refused },
	{ "devx_verbs_uid", devx_verbs_uid },
	{ "devx_verbs_late", devx_verbs_late, &with_srq },
	{ }
};
