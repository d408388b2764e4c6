// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Data between the two ends: move_data() uses the QPs of the cycle of main.c; a
 * second thread (pump) writes continuously, with contexts that it owns.
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "kill.h"

#define ROUNDS		3
#define PUMP_DEPTH	8u
#define PUMP_BYTES	(64u << 10)
#define POLL_US		20

static void post_receive(struct end *e, struct ibv_srq *srq, struct ibv_qp *qp)
{
	struct ibv_sge sge = { (uintptr_t)e->mem + RECV_AT, RECV_BYTES, e->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	errno = srq ? ibv_post_srq_recv(srq, &wr, &bad) : ibv_post_recv(qp, &wr, &bad);
	if (errno)
		die("receive");
}

static void post(struct end *e, struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	wr->send_flags |= IBV_SEND_SIGNALED;
	errno = ibv_post_send(qp, wr, &bad);
	if (errno)
		die("work request");
	e->sent++;
}

/* waits until all posted send work requests have completed with success */
static void reap(struct end *e)
{
	struct ibv_wc wc;
	int n;

	while (e->sent) {
		n = ibv_poll_cq(e->cq, 1, &wc);
		if (n < 0)
			die("poll");
		if (!n) {
			usleep(POLL_US);
			continue;
		}
		if (wc.status) {
			errno = EIO;
			die(ibv_wc_status_str(wc.status));
		}
		e->sent--;
	}
	while (ibv_poll_cq(e->rcq, 1, &wc) > 0)
		if (wc.status) {
			errno = EIO;
			die(ibv_wc_status_str(wc.status));
		}
}

static void post_dc(struct end *e, struct end *peer, struct ibv_sge *sge)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(e->qp[DCI]);

	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qpx, peer->mr->rkey, (uintptr_t)peer->mem);
	ibv_wr_set_sge(qpx, sge->lkey, sge->addr, sge->length);
	mlx5dv_wr_set_dc_addr(mlx5dv_qp_ex_from_ibv_qp_ex(qpx), e->ah, peer->qp[DCT]->qp_num,
			      DC_KEY);
	errno = ibv_wr_complete(qpx);
	if (errno)
		die("DCI");
	e->sent++;
}

/* posts on the QPs of one end: WRITEs, a READ, SENDs with a receive at the peer, an atomic */
static void post_all(struct end *e, struct end *peer)
{
	struct ibv_sge sge = { (uintptr_t)e->mem, 1 + draw(DATA_MAX), e->mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { (uintptr_t)peer->mem, peer->mr->rkey },
	};

	/* a work request of an XRC QP needs the number of an SRQ of the peer */
	errno = ibv_get_srq_num(peer->xsrq, &wr.qp_type.xrc.remote_srqn);
	if (errno)
		die("number of an SRQ");
	post(e, e->qp[RC], &wr);
	post(e, e->qp[UC], &wr);
	post(e, e->qp[XRC_SEND], &wr);
	post_dc(e, peer, &sge);
	wr.opcode = IBV_WR_RDMA_READ;
	post(e, e->qp[RC], &wr);
	sge.length = 1 + draw(1000);
	wr.opcode = IBV_WR_SEND;
	post_receive(peer, peer->srq, NULL);
	post(e, e->qp[RC], &wr);
	post_receive(peer, NULL, peer->qp[UC]);
	post(e, e->qp[UC], &wr);
	post_receive(peer, peer->xsrq, NULL);
	post(e, e->qp[XRC_SEND], &wr);
	wr.wr.ud.ah = e->ah;
	wr.wr.ud.remote_qpn = peer->qp[UD]->qp_num;
	wr.wr.ud.remote_qkey = QKEY;
	post_receive(peer, NULL, peer->qp[UD]);
	post(e, e->qp[UD], &wr);
	sge.length = 8;
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	wr.wr.atomic.remote_addr = (uintptr_t)peer->mem;
	wr.wr.atomic.compare_add = 1;
	wr.wr.atomic.rkey = peer->mr->rkey;
	post(e, e->qp[RC], &wr);
}

static void bind_windows(struct end *e)
{
	struct ibv_mw_bind_info info = {
		.mr = e->mr, .addr = (uintptr_t)e->mem, .length = 4096,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_mw_bind bind = { .send_flags = IBV_SEND_SIGNALED, .bind_info = info };
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW };

	errno = ibv_bind_mw(e->qp[RC], e->mw[0], &bind);
	if (errno)
		die("window of type 1");
	e->sent++;
	wr.bind_mw.mw = e->mw[1];
	wr.bind_mw.rkey = ibv_inc_rkey(e->mw[1]->rkey);
	wr.bind_mw.bind_info = info;
	post(e, e->qp[RC], &wr);
}

/*
 * Posts and polls a few rounds of work requests. Work requests of the last round may be outstanding
 * when move_data() returns.
 */
void move_data(struct end *a, struct end *b)
{
	int i;

	step("windows");
	bind_windows(a);
	bind_windows(b);
	for (i = 0; i < ROUNDS; i++) {
		step("completions");
		reap(a);
		reap(b);
		errno = ibv_req_notify_cq(a->cq, 0);
		if (errno)
			die("request of an event");
		step("data");
		post_all(a, b);
		step("data");
		post_all(b, a);
	}
	if (draw(2)) {
		reap(a);
		reap(b);
	}
}

static struct end pumps[2];

static void pump_end(struct end *e)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .cap = { PUMP_DEPTH, 0, 1, 0, 0 },
	};

	e->pd = ibv_alloc_pd(e->ctx);
	e->cq = ibv_create_cq(e->ctx, PUMP_DEPTH, NULL, NULL, 0);
	if (!e->pd || !e->cq)
		die("PD or CQ");
	e->rcq = e->cq;
	e->mr = ibv_reg_mr(e->pd, e->mem, MEM_BYTES, IBV_ACCESS_LOCAL_WRITE |
			   IBV_ACCESS_REMOTE_WRITE);
	attr.send_cq = e->cq;
	attr.recv_cq = e->cq;
	e->qp[RC] = ibv_create_qp(e->pd, &attr);
	if (!e->mr || !e->qp[RC])
		die("MR or QP");
}

static void *pump(void *arg)
{
	struct end *a = &pumps[0], *b = &pumps[1];
	struct ibv_sge sge = { (uintptr_t)a->mem, PUMP_BYTES, a->mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { (uintptr_t)b->mem, b->mr->rkey },
	};
	struct ibv_wc wc;

	for (;;) {
		while (a->sent < PUMP_DEPTH)
			post(a, a->qp[RC], &wr);
		while (ibv_poll_cq(a->cq, 1, &wc) > 0) {
			if (wc.status) {
				errno = EIO;
				die(ibv_wc_status_str(wc.status));
			}
			a->sent--;
		}
		usleep(POLL_US);
	}
	return arg;
}

/* Starts a thread that writes from one device to the other until the process ends. */
void start_pump(const struct end *a, const struct end *b)
{
	pthread_t thread;

	pumps[0] = *a;
	pumps[1] = *b;
	open_end(&pumps[0]);
	open_end(&pumps[1]);
	forget_all();
	pump_end(&pumps[0]);
	pump_end(&pumps[1]);
	connect_kind(&pumps[0], &pumps[1], RC);
	errno = pthread_create(&thread, NULL, pump, NULL);
	if (errno)
		die("thread");
}
