// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the address vector of an address handle.
 *
 * Built once per handle and copied into every UD WQE, where destination QP and
 * Q_Key are filled in (ibx_enc_datagram()). RoCE only: there is always a GRH.
 */

#include <linux/etherdevice.h>

#include "enc/enc.h"

#define AV_GRH			BIT(30)
#define AV_SGID_SHIFT		20
#define AV_FLOW_LABEL_MASK	0xfffff

/**
 * ibx_enc_av() - address vector of a RoCE destination
 * @av: where; every byte is written
 * @p: what it says, in range
 *
 * Context: any.
 */
void ibx_enc_av(struct mlx5_av *av, const struct ibx_enc_av *p)
{
	memset(av, 0, sizeof(*av));
	av->stat_rate_sl = p->rate << 4 | (p->sl & 7) << 1;
	av->udp_sport = cpu_to_be16(p->udp_sport);
	ether_addr_copy(av->rmac, p->dmac);
	av->tclass = p->tclass;
	av->hop_limit = p->hop_limit;
	av->grh_gid_fl = cpu_to_be32(AV_GRH | (u32)p->sgid_index << AV_SGID_SHIFT |
				     (p->flow_label & AV_FLOW_LABEL_MASK));
	memcpy(av->rgid, p->dgid, sizeof(av->rgid));
}
