// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of QPs. Attributes that are set are read back. Attributes that may change in a state
 * change, and other changes are refused. The state that is read is the state in the device, which
 * can move a QP to ERR. The table of ib_modify_qp_is_ok() (IBTA volume 1, 11.2.5.2) has the
 * attributes that may change in each transition.
 */
#include <net/inet_ecn.h>
#include <rdma/ib_mad.h>

#include "ibx_test.h"

static const struct t_opts unconnected = { .unconnected = true };

static int t_query(struct t_end *e, struct ib_qp_attr *attr, struct ib_qp_init_attr *init)
{
	return ib_query_qp(e->qp, attr, IB_QP_ATTR_STANDARD_BITS, init);
}

/* attributes that differ from the defaults and from each other */
static void t_odd_rtr(struct ib_qp_attr *attr, struct t_end *e, const struct t_end *peer)
{
	*attr = (struct ib_qp_attr) {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_2048,
		.dest_qp_num = peer->qp->qp_num,
		.rq_psn = 0xabcdef,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 9,
	};
	attr->ah_attr.type = rdma_ah_find_type(e->dev, 1);
	rdma_ah_set_port_num(&attr->ah_attr, 1);
	rdma_ah_set_sl(&attr->ah_attr, 3);
	rdma_ah_set_grh(&attr->ah_attr, (union ib_gid *)&peer->gid, 0x12345, e->gid_index, 33,
			0x68);
	memcpy(attr->ah_attr.roce.dmac, peer->mac, ETH_ALEN);
}

static const struct ib_qp_attr t_odd_init = {
	.qp_state = IB_QPS_INIT,
	.port_num = 1,
	.qp_access_flags = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ,
};

static const struct ib_qp_attr t_odd_rts = {
	.qp_state = IB_QPS_RTS,
	.sq_psn = 0x654321,
	.timeout = 17,
	.retry_cnt = 5,
	.rnr_retry = 3,
	.max_rd_atomic = 8,
};

#define T_INIT_MASK	(IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS)
#define T_RTR_MASK	(IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |	\
			 IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER)
#define T_RTS_MASK	(IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_TIMEOUT | IB_QP_RETRY_CNT |	\
			 IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC)

static int t_expect_path(const struct rdma_ah_attr *ah, struct t_end *e, const struct t_end *peer)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);

	T_EXPECT(ah->type, RDMA_AH_ATTR_TYPE_ROCE);
	T_EXPECT(rdma_ah_get_ah_flags(ah), IB_AH_GRH);
	T_EXPECT(rdma_ah_get_static_rate(ah), IB_RATE_PORT_CURRENT);
	T_EXPECT(memcmp(&grh->dgid, &peer->gid, sizeof(grh->dgid)), 0);
	T_EXPECT(grh->sgid_index, e->gid_index);
	T_EXPECT(grh->flow_label, 0x12345);
	T_EXPECT(grh->hop_limit, 33);
	/* mlx5_ib reports the traffic class with the ECN bits that it adds */
	T_EXPECT(grh->traffic_class & ~INET_ECN_MASK, 0x68);
	return 0;
}

static int t_expect_odd(const struct ib_qp_attr *attr, struct t_end *e, const struct t_end *peer)
{
	T_EXPECT(attr->qp_state, IB_QPS_RTS);
	T_EXPECT(attr->cur_qp_state, IB_QPS_RTS);
	T_EXPECT(attr->sq_draining, 0);
	T_EXPECT(attr->port_num, 1);
	T_EXPECT(attr->pkey_index, 0);
	T_EXPECT(attr->path_mig_state, IB_MIG_MIGRATED);
	T_EXPECT(attr->qp_access_flags, t_odd_init.qp_access_flags);
	T_EXPECT(attr->path_mtu, IB_MTU_2048);
	T_EXPECT(attr->dest_qp_num, peer->qp->qp_num);
	T_EXPECT(attr->rq_psn, 0xabcdef);
	T_EXPECT(attr->max_dest_rd_atomic, 4);
	T_EXPECT(attr->min_rnr_timer, 9);
	T_EXPECT(attr->sq_psn, t_odd_rts.sq_psn);
	T_EXPECT(attr->timeout, t_odd_rts.timeout);
	T_EXPECT(attr->retry_cnt, t_odd_rts.retry_cnt);
	T_EXPECT(attr->rnr_retry, t_odd_rts.rnr_retry);
	T_EXPECT(attr->max_rd_atomic, t_odd_rts.max_rd_atomic);
	T_EXPECT(rdma_ah_get_port_num(&attr->ah_attr), 1);
	return t_expect_path(&attr->ah_attr, e, peer);
}

/* each transition sets attributes; a query in RTS returns the attributes of all transitions */
static int attrs_read_back(struct t_pair *p)
{
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = t_odd_init;

	T_TRY(ib_modify_qp(e->qp, &attr, T_INIT_MASK));
	T_TRY(t_query(e, &attr, &init));
	T_EXPECT(attr.qp_state, IB_QPS_INIT);
	T_EXPECT(attr.port_num, 1);
	t_odd_rtr(&attr, e, peer);
	T_TRY(ib_modify_qp(e->qp, &attr, T_RTR_MASK));
	T_TRY(t_query(e, &attr, &init));
	T_EXPECT(attr.qp_state, IB_QPS_RTR);
	T_EXPECT(attr.qp_access_flags, t_odd_init.qp_access_flags);
	attr = t_odd_rts;
	T_TRY(ib_modify_qp(e->qp, &attr, T_RTS_MASK));
	T_TRY(t_query(e, &attr, &init));
	return t_expect_odd(&attr, e, peer);
}

/* an address handle has the attributes that it was created with */
static int attrs_of_ah(struct t_pair *p)
{
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct rdma_ah_attr ah_attr;
	struct ib_qp_attr attr;
	struct ib_ah *ah;
	int err;

	t_odd_rtr(&attr, e, peer);
	ah = rdma_create_ah(e->pd, &attr.ah_attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ah))
		return T_FAIL("rdma_create_ah: %ld", PTR_ERR(ah));
	memset(&ah_attr, 0, sizeof(ah_attr));
	err = rdma_query_ah(ah, &ah_attr);
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	T_TRY(err);
	T_EXPECT(!rdma_ah_read_grh(&ah_attr)->sgid_attr, 1);
	return t_expect_path(&ah_attr, e, peer);
}

/* the attributes at creation are read back, with the granted sizes */
static int attrs_of_creation(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	T_TRY(t_query(e, &attr, &init));
	T_EXPECT(init.qp_context == e, 1);
	T_EXPECT(init.send_cq == e->sq.cq, 1);
	T_EXPECT(init.recv_cq == e->rq.cq, 1);
	T_EXPECT(!init.srq, 1);
	T_EXPECT(init.qp_type, IB_QPT_RC);
	T_EXPECT(init.sq_sig_type, IB_SIGNAL_REQ_WR);
	T_EXPECT(init.cap.max_send_wr >= T_DEPTH, 1);
	T_EXPECT(init.cap.max_recv_wr >= T_DEPTH, 1);
	T_EXPECT(init.cap.max_send_sge >= 2, 1);
	T_EXPECT(init.cap.max_recv_sge >= 1, 1);
	T_EXPECT(memcmp(&init.cap, &attr.cap, sizeof(attr.cap)), 0);
	return 0;
}

/*
 * the receive queue has the granted depth, which may exceed the requested one
 */
static int attrs_of_depth(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int i, err = 0;

	T_TRY(t_query(e, &attr, &init));
	T_EXPECT(init.cap.max_recv_wr >= p->opts->rq_depth, 1);
	for (i = 0; i < T_WRS; i++) {
		err = t_post_recv(e, i);
		if (err)
			break;
	}
	T_EXPECT(err, -ENOMEM);
	T_EXPECT(i, init.cap.max_recv_wr);
	return 0;
}

static const struct t_opts odd_depth = { .rq_depth = 20 };

static int t_expect_rights(struct t_end *e, int access, int timer)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	T_TRY(t_query(e, &attr, &init));
	T_EXPECT(attr.qp_access_flags, access);
	T_EXPECT(attr.min_rnr_timer, timer);
	return 0;
}

/* INIT to INIT may change the rights; INIT to RTR may remove rights */
static int attrs_change_in_init(struct t_pair *p)
{
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct ib_qp_attr attr = t_odd_init;

	T_TRY(ib_modify_qp(e->qp, &attr, T_INIT_MASK));
	attr.qp_access_flags = IB_ACCESS_REMOTE_WRITE;
	T_TRY(ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS));
	t_odd_rtr(&attr, e, peer);
	T_TRY(ib_modify_qp(e->qp, &attr, T_RTR_MASK));
	T_TRY(t_expect_rights(e, IB_ACCESS_REMOTE_WRITE, 9));
	T_TRY(t_move(e->qp, IB_QPS_RESET));

	attr = t_odd_init;
	T_TRY(ib_modify_qp(e->qp, &attr, T_INIT_MASK));
	t_odd_rtr(&attr, e, peer);
	attr.qp_access_flags = IB_ACCESS_REMOTE_READ;
	T_TRY(ib_modify_qp(e->qp, &attr, T_RTR_MASK | IB_QP_ACCESS_FLAGS));
	return t_expect_rights(e, IB_ACCESS_REMOTE_READ, 9);
}

/* the rights and the RNR timer may change from RTR to RTS, and from RTS to RTS */
static int attrs_change_in_rts(struct t_pair *p)
{
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct ib_qp_attr attr = t_odd_init;

	T_TRY(ib_modify_qp(e->qp, &attr, T_INIT_MASK));
	t_odd_rtr(&attr, e, peer);
	T_TRY(ib_modify_qp(e->qp, &attr, T_RTR_MASK));
	attr = t_odd_rts;
	attr.cur_qp_state = IB_QPS_RTR;
	attr.qp_access_flags = IB_ACCESS_REMOTE_WRITE;
	attr.min_rnr_timer = 21;
	T_TRY(ib_modify_qp(e->qp, &attr, T_RTS_MASK | IB_QP_CUR_STATE | IB_QP_ACCESS_FLAGS |
			   IB_QP_MIN_RNR_TIMER));
	T_TRY(t_expect_rights(e, IB_ACCESS_REMOTE_WRITE, 21));

	attr.qp_state = IB_QPS_RTS;
	attr.qp_access_flags = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ;
	attr.min_rnr_timer = 2;
	T_TRY(ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS |
			   IB_QP_MIN_RNR_TIMER));
	return t_expect_rights(e, attr.qp_access_flags, 2);
}

static int t_write(struct t_pair *p, u64 id)
{
	struct t_end *e = &p->end[1];
	struct ib_rdma_wr wr;
	struct ib_sge sge;

	t_write_wr(&wr, &sge, e, id);
	wr.remote_addr = p->end[0].mr[0]->iova;
	wr.rkey = p->end[0].mr[0]->rkey;
	T_TRY(ib_post_send(e->qp, &wr.wr, NULL));
	return t_wait(&e->sq, id);
}

/* a right that is removed in RTS is not granted any longer: a WRITE is refused */
static int attrs_rights_count(struct t_pair *p)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS };
	struct t_end *e = &p->end[0];

	T_TRY(t_post_reg(e, 0, e->mr[0], IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_write(p, 0), IB_WC_SUCCESS);
	attr.qp_access_flags = IB_ACCESS_REMOTE_READ;
	T_TRY(ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS));
	T_EXPECT(t_write(p, 1), IB_WC_REM_INV_REQ_ERR);
	return 0;
}

/* changes that are not allowed in RTS are refused: no attribute changes, and a WRITE succeeds */
static int attrs_refused(struct t_pair *p)
{
	static const struct {
		enum ib_qp_state to;
		int mask;
	} rows[] = {
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_AV },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_TIMEOUT },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_RETRY_CNT },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_RNR_RETRY },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_MAX_QP_RD_ATOMIC },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_MAX_DEST_RD_ATOMIC },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_PATH_MTU },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_DEST_QPN },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_PKEY_INDEX },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_QKEY },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_CAP },
		{ IB_QPS_INIT, T_INIT_MASK },
		{ IB_QPS_RTR, T_RTR_MASK },
		/* verbs have the state SQD, the device does not */
		{ IB_QPS_SQD, IB_QP_STATE },
	};
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct ib_qp_init_attr init;
	struct ib_qp_attr before, after, attr;
	int i, ret;

	T_TRY(t_post_reg(e, 0, e->mr[0], IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	T_TRY(t_query(e, &before, &init));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		t_odd_rtr(&attr, e, peer);
		attr.qp_state = rows[i].to;
		attr.port_num = 1;
		ret = ib_modify_qp(e->qp, &attr, rows[i].mask);
		if (ret != -EINVAL && ret != -EOPNOTSUPP)
			return T_FAIL("row %d: %d", i, ret);
		T_TRY(t_query(e, &after, &init));
		if (memcmp(&before, &after, sizeof(after)))
			return T_FAIL("row %d changed something", i);
	}
	T_EXPECT(t_write(p, 0), IB_WC_SUCCESS);
	return 0;
}

/* a refused WRITE moves both ends to ERR */
static int attrs_error_seen(struct t_pair *p)
{
	int i;

	T_TRY(t_post_recv(&p->end[1], 0));
	T_EXPECT(t_write(p, 0), IB_WC_REM_ACCESS_ERR);
	T_EXPECT(t_state(&p->end[0]), IB_QPS_ERR);
	T_EXPECT(t_state(&p->end[1]), IB_QPS_ERR);
	T_TRY(t_expect_flushed(&p->end[1].rq, 0, 0));
	/* work requests that are posted now are flushed */
	T_TRY(t_post_recv(&p->end[1], 1));
	T_TRY(t_expect_flushed(&p->end[1].rq, 1, 1));
	T_EXPECT(t_write(p, 1), IB_WC_WR_FLUSH_ERR);

	for (i = 0; i < 2; i++)
		T_TRY(t_move(p->end[i].qp, IB_QPS_RESET));
	T_TRY(t_pair_connect(p));
	T_TRY(t_post_reg(&p->end[0], 2, p->end[0].mr[0],
			 IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE));
	T_EXPECT(t_wait(&p->end[0].sq, 2), IB_WC_SUCCESS);
	T_EXPECT(t_write(p, 2), IB_WC_SUCCESS);
	return 0;
}

/* a change from RTS fails if the device has moved the QP to ERR; the QP can then be reset */
static int attrs_error_unseen(struct t_pair *p)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.qp_access_flags = IB_ACCESS_REMOTE_READ,
	};

	T_EXPECT(t_write(p, 0), IB_WC_REM_ACCESS_ERR);
	T_EXPECT(ib_modify_qp(p->end[0].qp, &attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS), -EINVAL);
	T_TRY(t_move(p->end[0].qp, IB_QPS_RESET));
	T_EXPECT(t_state(&p->end[0]), IB_QPS_RESET);
	return 0;
}

static const struct t_opts datagrams = { .type = IB_QPT_UD };

static int t_datagram(struct t_pair *p, u64 id, u32 len)
{
	struct t_end *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, len);
	struct ib_ud_wr wr = {
		.ah = e->ah,
		.remote_qpn = p->end[0].qp->qp_num,
		.remote_qkey = T_QKEY,
	};

	t_send_wr(&wr.wr, &sge, id);
	T_TRY(ib_post_send(e->qp, &wr.wr, NULL));
	return t_wait(&e->sq, id);
}

/* a datagram that is too long moves the QP to SQE; RTS starts sending again */
static int attrs_send_queue_error(struct t_pair *p)
{
	struct t_end *e = &p->end[1];

	T_EXPECT(t_datagram(p, 0, 2 * PAGE_SIZE), IB_WC_LOC_LEN_ERR);
	T_EXPECT(t_state(e), IB_QPS_SQE);
	T_EXPECT(t_datagram(p, 1, 64), IB_WC_WR_FLUSH_ERR);
	T_TRY(t_move(e->qp, IB_QPS_RTS));
	T_EXPECT(t_state(e), IB_QPS_RTS);
	T_TRY(t_post_recv(&p->end[0], 0));
	T_EXPECT(t_datagram(p, 2, 64), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&p->end[0].rq, 0), IB_WC_SUCCESS);
	return 0;
}

/* the Q_Key of a UD QP is read back, and may change in RTS */
static int attrs_of_datagrams(struct t_pair *p)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS, .qkey = 0x5eed };
	struct t_end *e = &p->end[0];
	struct ib_qp_init_attr init;

	T_TRY(ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_QKEY));
	T_TRY(t_query(e, &attr, &init));
	T_EXPECT(attr.qp_state, IB_QPS_RTS);
	T_EXPECT(attr.qkey, 0x5eed);
	T_EXPECT(attr.port_num, 1);
	T_EXPECT(attr.sq_psn, t_default_path.psn);
	T_EXPECT(init.qp_type, IB_QPT_UD);
	return 0;
}

/* the attributes of model cx6dx are those that mlx5_ib reports */
static int attrs_of_device(struct t_pair *p)
{
	const struct ib_device *dev = p->end[0].dev;
	const struct ib_device_attr *attr = &dev->attrs;
	const u64 flags = IB_DEVICE_CHANGE_PHY_PORT | IB_DEVICE_PORT_ACTIVE_EVENT |
			  IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN |
			  IB_DEVICE_MEM_MGT_EXTENSIONS;

	T_EXPECT(attr->vendor_id, 0x2c9);
	T_EXPECT(attr->vendor_part_id, 0x101d);
	T_EXPECT(attr->hw_ver, 0);
	T_EXPECT(attr->fw_ver, 22ULL << 32 | 41 << 16 | 1000);
	T_EXPECT(attr->sys_image_guid == dev->node_guid, 1);
	T_EXPECT(attr->device_cap_flags & flags, flags);
	T_EXPECT(attr->kernel_cap_flags & IBK_VIRTUAL_FUNCTION, 0);
	T_EXPECT(attr->local_ca_ack_delay, 16);
	T_EXPECT(attr->hca_core_clock, 1000000);
	T_EXPECT(attr->cq_caps.max_cq_moderation_count, 0xffff);
	T_EXPECT(attr->cq_caps.max_cq_moderation_period, 0xfff);
	T_EXPECT(attr->max_mr_size, U64_MAX);
	T_EXPECT(attr->max_qp, 1 << 18);
	T_EXPECT(attr->max_cq, 1 << 16);
	T_EXPECT(attr->max_mr, 1 << 22);
	T_EXPECT(attr->max_pd, 1 << 16);
	return 0;
}

static int attrs_of_port(struct t_pair *p)
{
	const u32 flags = RDMA_CORE_PORT_IBA_ROCE | RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	struct ib_device *dev = p->end[0].dev;
	struct ib_port_attr attr;
	u16 pkey;

	T_TRY(ib_query_port(dev, 1, &attr));
	T_EXPECT(attr.state, IB_PORT_ACTIVE);
	T_EXPECT(attr.phys_state, IB_PORT_PHYS_STATE_LINK_UP);
	T_EXPECT(attr.max_mtu, IB_MTU_4096);
	T_EXPECT(attr.active_mtu, IB_MTU_1024);
	T_EXPECT(attr.port_cap_flags, IB_PORT_CM_SUP);
	T_EXPECT(attr.ip_gids, 1);
	T_EXPECT(attr.gid_tbl_len, 128);
	T_EXPECT(attr.pkey_tbl_len, 1);
	T_EXPECT(attr.max_msg_sz, 1U << 30);
	T_EXPECT(attr.qkey_viol_cntr, 0);
	T_EXPECT(attr.active_speed, IB_SPEED_EDR);
	T_EXPECT(attr.active_width, IB_WIDTH_4X);
	T_EXPECT(dev->port_data[1].immutable.core_cap_flags & flags, flags);
	T_EXPECT(dev->port_data[1].immutable.max_mad_size, IB_MGMT_MAD_SIZE);
	T_EXPECT(dev->port_data[1].immutable.gid_tbl_len, 128);
	T_TRY(ib_query_pkey(dev, 1, 0, &pkey));
	T_EXPECT(pkey, 0xffff);
	return 0;
}

const struct t_case t_attrs_cases[] = {
	{ "attrs_of_device", attrs_of_device },
	{ "attrs_of_port", attrs_of_port },
	{ "attrs_read_back", attrs_read_back, &unconnected },
	{ "attrs_of_creation", attrs_of_creation },
	{ "attrs_of_depth", attrs_of_depth, &odd_depth },
	{ "attrs_of_ah", attrs_of_ah },
	{ "attrs_change_in_init", attrs_change_in_init, &unconnected },
	{ "attrs_change_in_rts", attrs_change_in_rts, &unconnected },
	{ "attrs_rights_count", attrs_rights_count },
	{ "attrs_refused", attrs_refused },
	{ "attrs_error_seen", attrs_error_seen },
	{ "attrs_error_unseen", attrs_error_unseen },
	{ "attrs_send_queue_error", attrs_send_queue_error, &datagrams },
	{ "attrs_of_datagrams", attrs_of_datagrams, &datagrams },
	{ }
};
