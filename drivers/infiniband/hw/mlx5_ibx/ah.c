// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles: an address vector in memory, no firmware object. Made once
 * and read by posting without a lock. The core resolved the destination MAC and
 * holds the source GID while the handle lives.
 */
#include "enc.h"
#include "ibx.h"

#define ECN_CAPABLE		BIT(1)
#define RATE_OFFSET		5	/* of the classic rates in the device's numbering */

/* the device's number of a rate */
static u8 rate_to_hw(u8 rate)
{
	switch (rate) {
	case IB_RATE_56_GBPS:
		return 1;
	case IB_RATE_25_GBPS:
		return 2;
	case IB_RATE_100_GBPS:
		return 3;
	case IB_RATE_200_GBPS:
		return 4;
	case IB_RATE_50_GBPS:
		return 5;
	case IB_RATE_400_GBPS:
		return 6;
	default:
		return rate + RATE_OFFSET;
	}
}

/**
 * ibx_rate - static rate as the device counts it
 * @dev: the function
 * @rate: enum ib_rate
 *
 * Picks the fastest rate the device has that is not faster than @rate. The
 * values of enum ib_rate are in no order of speed.
 *
 * Return: the number, 0 for no limit (also when the device has no rate that
 * slow), or -EINVAL for a rate that does not exist.
 */
int ibx_rate(const struct ibx_dev *dev, u8 rate)
{
	u32 has = MLX5_CAP_GEN(dev->mdev, stat_rate_support);
	int limit = ib_rate_to_mbps(rate), best = 0, mbps;
	u8 r, hw = 0;

	if (rate == IB_RATE_PORT_CURRENT || rate == IB_RATE_800_GBPS)
		return 0;
	if (limit < 0)
		return -EINVAL;

	for (r = IB_RATE_2_5_GBPS; r < IB_RATE_800_GBPS; r++) {
		mbps = ib_rate_to_mbps(r);
		if (!(has & BIT(rate_to_hw(r))) || mbps > limit || mbps <= best)
			continue;
		best = mbps;
		hw = rate_to_hw(r);
	}
	return hw;
}

static u16 udp_sport(const struct ibx_dev *dev, const struct ib_global_route *grh)
{
	if (grh->sgid_attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return 0;
	if (grh->flow_label & IB_GRH_FLOWLABEL_MASK)
		return rdma_flow_label_to_udp_sport(grh->flow_label);
	return MLX5_CAP_ROCE(dev->mdev, r_roce_min_src_udp_port);
}

/**
 * ibx_create_ah - verb create_ah
 * @ibah: the handle
 * @init: where to
 * @udata: of a user's call; there are none
 *
 * Context: any; does not sleep.
 * Return: 0, -EOPNOTSUPP for users, -EINVAL without a GRH (RoCE needs one), or
 * for a rate or GID index that does not exist.
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
	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE ||
	    !(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) || !grh->sgid_attr)
		return -EINVAL;
	if (grh->sgid_index >= MLX5_CAP_ROCE(dev->mdev, roce_address_table_size))
		return -EINVAL;
	rate = ibx_rate(dev, rdma_ah_get_static_rate(attr));
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
 * ibx_query_ah - verb query_ah
 * @ibah: the handle
 * @attr: gets what it was made of, the source GID by index only
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
 * ibx_destroy_ah - verb destroy_ah
 * @ibah: the handle
 * @flags: unused
 *
 * Context: any. No WR that names the handle may be outstanding; a posted WQE
 * holds a copy.
 * Return: 0.
 */
int ibx_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	return 0;
}
