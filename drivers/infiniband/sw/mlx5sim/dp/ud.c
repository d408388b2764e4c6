// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams: UD and the general services QP.
 *
 * A datagram goes to the receiver in its address vector, or to the QPs of a
 * multicast group. The send completes without error whether or not the datagram
 * was delivered. The receiver gets 40 bytes before the payload: a GRH for RoCE
 * v1, the IPv6 header for RoCE v2 over IPv6, and for RoCE v2 over IPv4 20
 * unused bytes and the IPv4 header.
 */
#include <kunit/visibility.h>
#include <linux/etherdevice.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/ip.h>

#include "core/core.h"
#include "dp/dp.h"
#include "net/net.h"
#include "obj/obj.h"

#define SIM_GRH_NEXT_HDR	0x1b
#define SIM_BTH_DETH_ICRC	(12 + 8 + 4)
#define SIM_UD_UDP_LEN		8
#define SIM_QKEY_FROM_QP	BIT(31)

static void sim_ud_ipv4(u8 *grh, const struct sim_route *rt, const struct mlx5_av *av,
			u32 payload)
{
	struct iphdr *ip = (struct iphdr *)(grh + SIM_GRH_LEN - sizeof(*ip));

	ip->version = 4;
	ip->ihl = sizeof(*ip) / 4;
	ip->tos = av->tclass;
	ip->tot_len = cpu_to_be16(sizeof(*ip) + SIM_UD_UDP_LEN + SIM_BTH_DETH_ICRC + payload);
	ip->frag_off = cpu_to_be16(IP_DF);
	ip->ttl = av->hop_limit;
	ip->protocol = IPPROTO_UDP;
	memcpy(&ip->saddr, rt->sgid->raw + 12, sizeof(ip->saddr));
	memcpy(&ip->daddr, av->rgid + 12, sizeof(ip->daddr));
	ip->check = ip_fast_csum(ip, ip->ihl);
}

/**
 * sim_ud_grh() - build the header that precedes the payload at the receiver
 * @grh: out: SIM_GRH_LEN bytes, 4-byte aligned
 * @rt: route of the datagram
 * @av: address vector of the datagram
 * @payload: payload bytes
 *
 * Context: any; pure.
 * Return: MLX5_CQE_ROCE_L3_HEADER_TYPE_* for the completion.
 */
u8 sim_ud_grh(u8 *grh, const struct sim_route *rt, const struct mlx5_av *av, u32 payload)
{
	struct ipv6hdr *ip6 = (struct ipv6hdr *)grh;
	u32 padded = ALIGN(payload, 4);		/* on the wire */
	bool v2 = rt->sgid->roce_version == MLX5_ROCE_VERSION_2;
	u32 fl = be32_to_cpu(av->grh_gid_fl) & 0xfffff;

	BUILD_BUG_ON(sizeof(*ip6) != SIM_GRH_LEN);
	memset(grh, 0, SIM_GRH_LEN);
	if (v2 && rt->sgid->l3_type == MLX5_ROCE_L3_TYPE_IPV4) {
		sim_ud_ipv4(grh, rt, av, padded);
		return MLX5_CQE_ROCE_L3_HEADER_TYPE_IPV4;
	}

	*(__be32 *)grh = cpu_to_be32(6U << 28 | (u32)av->tclass << 20 | fl);
	ip6->payload_len = cpu_to_be16((v2 ? SIM_UD_UDP_LEN : 0) + SIM_BTH_DETH_ICRC + padded);
	ip6->nexthdr = v2 ? IPPROTO_UDP : SIM_GRH_NEXT_HDR;
	ip6->hop_limit = av->hop_limit;
	memcpy(&ip6->saddr, rt->sgid->raw, sizeof(ip6->saddr));
	memcpy(&ip6->daddr, av->rgid, sizeof(ip6->daddr));
	return v2 ? MLX5_CQE_ROCE_L3_HEADER_TYPE_IPV6 : MLX5_CQE_ROCE_L3_HEADER_TYPE_GRH;
}
EXPORT_SYMBOL_IF_KUNIT(sim_ud_grh);

static u32 sim_ud_src_qpn(const struct sim_qp *qp)
{
	return qp->st == MLX5_QP_ST_QP1 ? 1 : sim_qp_qpn(qp);
}

static u8 sim_ud_sgid_index(const struct mlx5_av *av)
{
	return be32_to_cpu(av->grh_gid_fl) >> 20;
}

static u32 sim_ud_dqpn(const struct mlx5_av *av)
{
	return be32_to_cpu(av->dqp_dct) & 0xffffff;
}

/*
 * Does the receiving QP accept the P_Key and the Q_Key of the datagram? @dqp
 * may be NULL.
 */
static bool sim_ud_keys_match(const struct sim_qp *qp, const struct sim_qp *dqp,
			      const struct mlx5_av *av)
{
	u32 qkey = be32_to_cpu(av->key.qkey.qkey);

	if (!dqp || qp->path.pkey_index || dqp->path.pkey_index)
		return false;
	if (qkey & SIM_QKEY_FROM_QP)
		qkey = qp->qkey;
	return qkey == dqp->qkey;
}

/* Return: true if a QP received the datagram. */
static bool sim_ud_unicast(struct sim_msg *m, const struct mlx5_av *av)
{
	static __be32 grh[SIM_GRH_LEN / 4];	/* hardware thread only */
	u8 l3_type;

	if (!sim_fabric_route(&m->rt, m->rt.src, sim_ud_sgid_index(av), av->rmac, av->rgid) ||
	    !sim_fabric_fits(&m->rt, m->len))
		return false;
	m->dqp = sim_fabric_ud_target(&m->rt, sim_ud_dqpn(av));
	if (!sim_ud_keys_match(m->sqp, m->dqp, av))
		return false;
	l3_type = sim_ud_grh((u8 *)grh, &m->rt, av, m->len);
	sim_responder_ud(m, grh, l3_type);
	return true;
}

/*
 * Send to the QPs of the group on one device. Return: true if a QP received the
 * datagram.
 */
static bool sim_ud_to_members(const struct sim_msg *m, const struct mlx5_av *av)
{
	static __be32 grh[SIM_GRH_LEN / 4];	/* hardware thread only */
	struct sim_mcg *mcg;
	bool found = false;
	unsigned long id;
	u8 l3_type;

	l3_type = sim_ud_grh((u8 *)grh, &m->rt, av, m->len);
	xa_for_each(&m->rt.dst->objs->xa[SIM_OBJ_MCG], id, mcg) {
		struct sim_msg copy = *m;

		if (mcg->qp == m->sqp || memcmp(mcg->gid, av->rgid, sizeof(mcg->gid)))
			continue;
		copy.dqp = sim_fabric_ud_target(&copy.rt, sim_qp_qpn(mcg->qp));
		if (!sim_ud_keys_match(copy.sqp, copy.dqp, av))
			continue;
		sim_responder_ud(&copy, grh, l3_type);
		found = true;
	}
	return found;
}

/*
 * Send to all QPs of the group except the sender. The MAC must be a multicast
 * address.
 *
 * Unrefereed: U-170.
 */
static bool sim_ud_multicast(struct sim_msg *m, const struct mlx5_av *av)
{
	bool found = false;
	int i;

	if (!is_multicast_ether_addr(av->rmac))
		return false;
	for (i = 0; i < sim_num_devs(); i++)
		if (sim_fabric_group(&m->rt, m->rt.src, sim_ud_sgid_index(av), i) &&
		    sim_fabric_fits(&m->rt, m->len))
			found |= sim_ud_to_members(m, av);
	return found;
}

static bool sim_ud_deliver(struct sim_msg *m, const struct mlx5_av *av)
{
	if (sim_ud_dqpn(av) == SIM_MCAST_QPN)
		return sim_ud_multicast(m, av);
	return sim_ud_unicast(m, av);
}

/**
 * sim_ud_send() - execute a SEND on a datagram QP
 * @sdev: simulated function
 * @qp: UD or general services QP
 * @wqe: decoded WQE
 *
 * Return: 0 when the datagram was sent, delivered or not; else the
 * MLX5_CQE_SYNDROME_* that the WQE completes with.
 */
int sim_ud_send(struct sim_dev *sdev, struct sim_qp *qp, struct sim_wqe *wqe)
{
	struct sim_msg m = {
		.rt.src = sdev,
		.sqp = qp,
		.opcode = wqe->opcode,
		.se = wqe->se,
		.imm = wqe->imm,
		.len = wqe->len,
		.packets = 1,
		.seg = &wqe->seg[1],
		.nseg = wqe->nseg,
		.src_qpn = sim_ud_src_qpn(qp),
		.prio = wqe->av->stat_rate_sl >> 1 & 7,
	};
	struct sim_acc acc;

	if (wqe->len > BIT_ULL(qp->log_msg_max) || wqe->len > sim_mtu_bytes(5))
		return MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR;
	sim_qp_acc(&acc, sdev, qp, SIM_MKEY_LR);
	if (sim_access_check(&acc, m.seg, m.nseg, m.len))
		return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;

	sim_count(sdev, sends);
	sim_count_add(sdev, tx_bytes, m.len);
	sim_count(sdev, tx_packets);
	if (!sim_ud_deliver(&m, wqe->av))
		sim_trace(sdev, "QP 0x%x: datagram to %pM QP 0x%x lost", sim_qp_qpn(qp),
			  wqe->av->rmac, sim_ud_dqpn(wqe->av));
	return 0;
}
