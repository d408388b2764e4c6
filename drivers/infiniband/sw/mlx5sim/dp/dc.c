// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages of the dynamically connected transport.
 *
 * A DCI has no fixed peer. The address vector after the control segment of each
 * WQE contains the peer: the path, the number of a DCT (dct.c) and the access
 * key of that DCT. Each message uses a new connection, which is not visible to
 * the driver. Messages are as reliable as on RC. Sequence numbers are not
 * checked: each connection, and so each message, has a new first number.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "net/net.h"
#include "obj/obj.h"

/**
 * sim_dc_send() - send a message of a DCI
 * @m: message, complete except for route and receiver; the first @m->reach
 *     bytes of its segment list have passed sim_access_reach()
 * @src: simulated function of the DCI
 * @av: address vector of the WQE
 *
 * A wrong access key is a remote access error. A DCT that does not exist or
 * drains does not send a response.
 *
 * Unrefereed: U-78, U-79, U-80.
 *
 * Context: hardware thread.
 * Return: the response of the receiver.
 */
enum sim_verdict sim_dc_send(struct sim_msg *m, struct sim_dev *src, const struct mlx5_av *av)
{
	u8 sgid_index = be32_to_cpu(av->grh_gid_fl) >> 20;
	struct sim_dct *dct;

	if (!sim_fabric_route(&m->rt, src, sgid_index, av->rmac, av->rgid) ||
	    !sim_msg_fits(m))
		return SIM_LOST;
	dct = sim_obj_find(m->rt.dst, SIM_OBJ_DCT, be32_to_cpu(av->dqp_dct) & 0xffffff);
	if (!dct || dct->state != MLX5_DCTC_STATE_ACTIVE || m->sqp->path.pkey_index)
		return SIM_LOST;
	m->dqp = &dct->qp;
	if (be64_to_cpu(av->key.dc_key) != dct->key) {
		dct->key_violations++;
		sim_trace(m->rt.dst, "DCT 0x%x: QP 0x%x has another access key",
			  sim_qp_qpn(&dct->qp), sim_qp_qpn(m->sqp));
		return SIM_NAK_ACCESS;
	}
	if (dct->qp.rcq->error)
		return SIM_NAK_OP;
	if (sim_packet_too_long(m)) {
		sim_qcount(m->rt.dst, m->dqp, resp_remote_invalid_request);
		return SIM_NAK_INVALID;
	}
	return sim_responder(m);
}
