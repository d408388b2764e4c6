// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ranges of the attributes of a QP: the largest value of each is accepted, the next one is refused
 * by the driver, and the QP stays in its state. mlx5_ibx only, because mlx5_ib writes some
 * attributes to fields of the device that are too narrow.
 */
#include "ibx_test.h"

static const struct t_opts unconnected = { .unconnected = true };

/* the largest values; the device's attributes determine the READ depths */
static const struct t_path t_largest = {
	.mtu = IB_MTU_4096,
	.access = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ,
	.psn = 0xffffff,
	.timeout = 31,
	.retry_cnt = 7,
	.rnr_retry = 7,
	.min_rnr_timer = 31,
};

/* Expects @err to be -EINVAL, and the QP to be in @state. */
static int t_expect_refused(struct t_end *e, enum ib_qp_state state, int err)
{
	T_EXPECT(err, -EINVAL);
	T_EXPECT(t_state(e), state);
	return 0;
}

/*
 * Calls the driver directly for a bad port number, because the core reads the data
 * of the port before it checks the number.
 */
static int t_refuses_init(struct t_end *e)
{
	struct t_path bad = t_largest;
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 2 };
	const int mask = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS;

	T_TRY(t_expect_refused(e, IB_QPS_RESET, e->dev->ops.modify_qp(e->qp, &attr, mask, NULL)));
	attr.port_num = 1;
	attr.pkey_index = 1;
	T_TRY(t_expect_refused(e, IB_QPS_RESET, ib_modify_qp(e->qp, &attr, mask)));
	bad.access = ~IB_ACCESS_SUPPORTED & BIT(30);
	T_EXPECT(t_to_init(e->qp, &bad), -EOPNOTSUPP);
	T_EXPECT(t_state(e), IB_QPS_RESET);
	return 0;
}

static int t_refuses_rtr(struct t_end *e, const struct t_end *peer, const struct t_path *good)
{
	struct t_path bad[] = { *good, *good, *good, *good };
	u32 qpn = peer->qp->qp_num;
	int i;

	bad[0].mtu = 0;
	bad[1].mtu = IB_MTU_4096 + 1;
	bad[2].min_rnr_timer = 32;
	bad[3].rd_atomic++;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		T_TRY(t_expect_refused(e, IB_QPS_INIT, t_to_rtr(e, e->qp, peer, qpn, &bad[i])));
	return t_expect_refused(e, IB_QPS_INIT, t_to_rtr(e, e->qp, peer, 1 << 24, good));
}

static int t_refuses_rts(struct t_end *e, const struct t_path *good)
{
	struct t_path bad[] = { *good, *good, *good, *good };
	int i;

	bad[0].timeout = 32;
	bad[1].retry_cnt = 8;
	bad[2].rnr_retry = 8;
	bad[3].rd_atomic++;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		T_TRY(t_expect_refused(e, IB_QPS_RTR, t_to_rts(e->qp, &bad[i])));
	return 0;
}

static int ranges_of_attributes(struct t_pair *p)
{
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct t_path in = t_largest, out = t_largest;
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	in.rd_atomic = e->dev->attrs.max_qp_rd_atom;
	out.rd_atomic = e->dev->attrs.max_qp_init_rd_atom;
	T_TRY(t_refuses_init(e));
	T_TRY(t_to_init(e->qp, &in));
	T_TRY(t_refuses_rtr(e, peer, &in));
	T_TRY(t_to_rtr(e, e->qp, peer, 0xffffff, &in));
	T_TRY(t_refuses_rts(e, &out));
	T_TRY(t_to_rts(e->qp, &out));

	T_TRY(ib_query_qp(e->qp, &attr, IB_QP_ATTR_STANDARD_BITS, &init));
	T_EXPECT(attr.path_mtu, t_largest.mtu);
	T_EXPECT(attr.qp_access_flags, t_largest.access);
	T_EXPECT(attr.dest_qp_num, 0xffffff);
	T_EXPECT(attr.rq_psn, t_largest.psn);
	T_EXPECT(attr.min_rnr_timer, t_largest.min_rnr_timer);
	T_EXPECT(attr.max_dest_rd_atomic, in.rd_atomic);
	T_EXPECT(attr.timeout, t_largest.timeout);
	T_EXPECT(attr.retry_cnt, t_largest.retry_cnt);
	T_EXPECT(attr.rnr_retry, t_largest.rnr_retry);
	T_EXPECT(attr.max_rd_atomic, out.rd_atomic);
	return 0;
}

/* a static rate that is not in enum ib_rate is refused */
static int ranges_of_paths(struct t_pair *p)
{
	struct rdma_ah_attr attr = {
		.type = rdma_ah_find_type(p->end[0].dev, 1),
		.port_num = 1,
	};
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct ib_ah *ah;

	rdma_ah_set_grh(&attr, (union ib_gid *)&peer->gid, 0, e->gid_index, 64, 0);
	rdma_ah_set_static_rate(&attr, IB_RATE_PORT_CURRENT + 1);
	ah = rdma_create_ah(e->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (!IS_ERR(ah)) {
		rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
		return T_FAIL("an address handle with a rate of %d", IB_RATE_PORT_CURRENT + 1);
	}
	T_EXPECT(PTR_ERR(ah), -EINVAL);
	return 0;
}

const struct t_case t_ranges_cases[] = {
	{ "ranges_of_attributes", ranges_of_attributes, &unconnected },
	{ "ranges_of_paths", ranges_of_paths },
	{ }
};
