// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_drain_qp() of a DCI. When it returns, each work request has completed, and the device does
 * not use the memory of work requests any longer. During dc_drain_dead, a script causes a fatal
 * error of the second device.
 */
#include <linux/delay.h>

#include "../ibx_test/on_cq.h"
#include "dc_pair.h"

#define WRITES	16

/**
 * struct drained - a DCI whose CQ was created by ib_alloc_cq()
 * @cqe: ib_cqe of each WRITE
 * @called: number of completions of @cqe, with or without error
 * @failed: number of completions with an error
 * @dci: DCI
 */
struct drained {
	struct ib_cqe cqe;
	atomic_t called;
	atomic_t failed;
	struct ib_qp *dci;
};

static void write_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct drained *d = container_of(wc->wr_cqe, struct drained, cqe);

	atomic_inc(&d->called);
	if (wc->status)
		atomic_inc(&d->failed);
}

/* posts WRITEs to @dctn in one chain; unsignaled WRITEs complete only with an error */
static int post_writes(const struct dc *dc, struct drained *d, u32 dctn)
{
	struct mlx5dv_qp_ex *mqp = mlx5dv_qp_ex_from_ib_qp(d->dci);
	struct ib_qp_ex *qpx = &mqp->qp_ex;
	int i;

	T_TRY(ib_wr_start(qpx));
	for (i = 0; i < WRITES; i++) {
		qpx->wr_cqe = &d->cqe;
		qpx->wr_flags = i % 2 ? IB_SEND_SIGNALED : 0;
		ib_wr_rdma_write(qpx, dc->to->mr[0]->rkey, dc->to->mr[0]->iova);
		mlx5dv_wr_set_dc_addr(mqp, dc->ah, dctn, DV_DC_KEY);
		ib_wr_set_sge(qpx, dc->e->pd->local_dma_lkey, dc->e->dma, 64);
	}
	return ib_wr_complete(qpx);
}

/* no DCT has the number 0xfffff0: WRITEs are retried until the drain flushes them */
static int drain_outstanding(const struct dc *dc, struct drained *d)
{
	/* in RESET, ib_drain_qp() has no work requests to drain */
	ib_drain_qp(d->dci);
	T_EXPECT(dv_dc_state(d->dci), IB_QPS_RESET);
	T_TRY(dv_connect_dci(d->dci, 1));
	T_EXPECT(post_writes(dc, d, 0xfffff0), 0);
	ib_drain_qp(d->dci);
	T_EXPECT(atomic_read(&d->called), WRITES);
	T_EXPECT(atomic_read(&d->failed), WRITES);
	T_EXPECT(dv_dc_state(d->dci), IB_QPS_ERR);
	/* the DCI is in ERR, and no work request is outstanding */
	ib_drain_qp(d->dci);
	T_EXPECT(atomic_read(&d->called), WRITES);
	T_EXPECT(post_writes(dc, d, dc->dct->qp_num), 0);
	ib_drain_sq(d->dci);
	T_EXPECT(atomic_read(&d->called), 2 * WRITES);
	/* a DCT has no queues */
	ib_drain_sq(dc->dct);
	ib_drain_rq(dc->dct);
	return 0;
}

/* the device has a fatal error while WRITEs are outstanding */
static int drain_dead(const struct dc *dc, struct drained *d)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);
	int ret, posted = 0;

	T_TRY(dv_connect_dci(d->dci, 1));
	do {
		ret = post_writes(dc, d, dc->dct->qp_num);
		if (time_after(jiffies, end))
			return T_FAIL("the device does not die");
		if (!ret)
			posted += WRITES;
		msleep(20);
	} while (ret != -EIO);
	ib_drain_qp(d->dci);
	/* unsignaled WRITEs without an error have no completion */
	T_EXPECT(atomic_read(&d->called) >= posted / 2, 1);
	T_EXPECT(atomic_read(&d->called) <= posted, 1);
	return 0;
}

struct drain_case {
	int (*run)(const struct dc *dc, struct drained *d);
	enum ib_poll_context ctx;
};

static int on_cq(struct dc *dc)
{
	const struct drain_case *c = dc->p->arg;
	struct ib_cq *cq = ib_alloc_cq(dc->e->dev, NULL, 64, 0, c->ctx);
	/* the CQ may call write_done() until the QP is destroyed */
	static struct drained d;
	int ret;

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	memset(&d, 0, sizeof(d));
	d.cqe.done = write_done;
	d.dci = dv_create_dci(dc->e, cq, NULL, 0, 0);
	ret = PTR_ERR_OR_ZERO(d.dci);
	if (!ret) {
		ret = c->run(dc, &d);
		mlx5dv_destroy_qp(d.dci);
	}
	ib_free_cq(cq);
	return ret;
}

static int run_on_cq(struct t_pair *p)
{
	return dv_dc_with(p, NULL, on_cq);
}

/* entry of the table of cases, for a CQ that is polled in context @ctx */
#define DV_DRAIN(name, run, ctx)					\
	{ #name, run_on_cq, &drain_opts, &(const struct drain_case){ run, ctx } }

/* a UD QP, for which ib_drain_qp() of the core cannot post its RDMA WRITE */
static int ud_drain(struct t_pair *p, struct ib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1, .qkey = T_QKEY };
	struct ib_qp_init_attr init;

	T_TRY(ib_modify_qp(qp, &attr,
			   IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY));
	ib_drain_qp(qp);
	T_TRY(ib_query_qp(qp, &attr, IB_QP_STATE, &init));
	T_EXPECT(attr.qp_state, IB_QPS_ERR);
	return 0;
}

static const struct t_opts drain_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .srq_depth = T_DEPTH,
};

static const struct t_opts ud_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .type = IB_QPT_UD, .unconnected = true,
};

const struct t_case dv_dc_drain_cases[] = {
	DV_DRAIN(dc_drain, drain_outstanding, IB_POLL_WORKQUEUE),
	DV_DRAIN(dc_drain_softirq, drain_outstanding, IB_POLL_SOFTIRQ),
	DV_DRAIN(dc_drain_direct, drain_outstanding, IB_POLL_DIRECT),
	T_ON_CQ(ud_drain, .opts = &ud_opts),
	DV_DRAIN(dc_drain_dead, drain_dead, IB_POLL_WORKQUEUE),
	{ }
};
