// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * An address handle is an address vector in memory, not a firmware object. The
 * address vector never changes, so posting reads it without a lock. The core
 * has resolved the destination MAC, and holds the source GID while the handle
 * exists.
 */
#include "enc/enc.h"
#include "enc/rate.h"
#include "verbs/verbs.h"

#define ECN_CAPABLE		BIT(1)

static u16 udp_sport(const struct ibx_dev *dev, const struct ib_global_route *grh)
{
	if (grh->sgid_attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return 0;
	if (grh->flow_label & IB_GRH_FLOWLABEL_MASK)
		return rdma_flow_label_to_udp_sport(grh->flow_label);
	return MLX5_CAP_ROCE(dev->mdev, r_roce_min_src_udp_port);
}

/**
 * ibx_create_ah() - verb create_ah
 * @ibah: address handle
 * @init: address vector of the destination
 * @udata: NULL; user space is not supported
 *
 * Context: any; does not sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: user space
 * * -EINVAL: the address is not of RoCE
 * * an errno of ibx_rate()
 */
int ibx_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	const struct rdma_ah_attr *attr = init->ah_attr;
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);
	struct ibx_dev *dev = to_idev(ibah->device);
	struct ibx_enc_av p = {};
	int rate;

	if (udata)
		return -EOPNOTSUPP;
	/* with this type, the core requires a GRH and has looked up its source GID */
	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE)
		return -EINVAL;
	rate = ibx_rate(MLX5_CAP_GEN(dev->mdev, stat_rate_support),
			rdma_ah_get_static_rate(attr));
	if (rate < 0)
		return rate;

	p.dgid = grh->dgid.raw;
	p.sgid_index = grh->sgid_index;
	p.flow_label = grh->flow_label;
	p.udp_sport = udp_sport(dev, grh);
	p.dmac = attr->roce.dmac;
	p.rate = rate;
	p.sl = rdma_ah_get_sl(attr) & 0x7;
	p.hop_limit = grh->hop_limit;
	p.tclass = grh->traffic_class;
	if (grh->sgid_attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP)
		p.tclass |= ECN_CAPABLE;
	ibx_enc_av(&to_iah(ibah)->av, &p);
	to_iah(ibah)->attr = *attr;
	/* the core owns the reference to the source GID */
	to_iah(ibah)->attr.grh.sgid_attr = NULL;
	return 0;
}

/**
 * ibx_query_ah() - verb query_ah
 * @ibah: address handle
 * @attr: gets the attributes at creation; the source GID only as an index
 *
 * Context: any.
 * Return: 0.
 */
int ibx_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_iah(ibah)->attr;
	return 0;
}

/**
 * ibx_destroy_ah() - verb destroy_ah
 * @ibah: address handle
 * @flags: unused
 *
 * Context: any. No WR that names the handle may be outstanding: its WQE holds a
 * copy of the address vector, but the core then puts the reference to the
 * source GID.
 * Return: 0.
 */
int ibx_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	return 0;
}
