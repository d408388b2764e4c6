// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: address vectors.
 *
 * The address vector of an address handle is written once. Each WQE gets a copy
 * with the destination QP and the Q_Key (ibx_enc_datagram()), or with the
 * destination DCT and its access key (ibx_enc_dc()). On RoCE every address vector
 * has a GRH.
 */

#include <linux/etherdevice.h>

#include "enc/enc.h"

/* bits of mlx5_av.stat_rate_sl */
#define AV_RATE_SHIFT		4
#define AV_SL_SHIFT		1
#define AV_SL_MASK		7
/* bits of mlx5_av.grh_gid_fl */
#define AV_GRH			BIT(30)
#define AV_SGID_SHIFT		20
#define AV_FLOW_LABEL_MASK	0xfffff

/**
 * ibx_enc_av() - write the address vector of a RoCE destination
 * @av: address vector; every byte is written
 * @p: parameters, each in the range that struct ibx_enc_av names
 *
 * Context: any.
 */
void ibx_enc_av(struct mlx5_av *av, const struct ibx_enc_av *p)
{
	memset(av, 0, sizeof(*av));
	av->stat_rate_sl = p->rate << AV_RATE_SHIFT | (p->sl & AV_SL_MASK) << AV_SL_SHIFT;
	av->udp_sport = cpu_to_be16(p->udp_sport);
	ether_addr_copy(av->rmac, p->dmac);
	av->tclass = p->tclass;
	av->hop_limit = p->hop_limit;
	av->grh_gid_fl = cpu_to_be32(AV_GRH | (u32)p->sgid_index << AV_SGID_SHIFT |
				     (p->flow_label & AV_FLOW_LABEL_MASK));
	memcpy(av->rgid, p->dgid, sizeof(av->rgid));
}
