// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about the port: link state, LAG, the NIC vport context, RoCE
 * addresses (the GID table), special contexts, P_Keys, and counters of the
 * vport. There is one port and one vport.
 */
#include <linux/etherdevice.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "net/net.h"
#include "obj/caps.h"
#include "obj/obj.h"

#define SIM_DEFAULT_PKEY	0xffff
#define SIM_VPORT_STATES	3	/* op_mod: vport, eswitch, uplink */

/*
 * There is only one port, so the states of the vport, of the eswitch and of the
 * uplink are all the state of its link.
 * Unrefereed: U-193.
 */
u8 sim_cmd_query_vport_state(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	if (cmd->op_mod >= SIM_VPORT_STATES)
		return sim_cmd_bad_param(sdev, cmd, "op_mod %#x", cmd->op_mod);
	MLX5_SET(query_vport_state_out, cmd->out, admin_state, MLX5_VPORT_ADMIN_STATE_AUTO);
	MLX5_SET(query_vport_state_out, cmd->out, state,
		 READ_ONCE(sdev->port_up) ? VPORT_STATE_UP : VPORT_STATE_DOWN);
	return MLX5_CMD_STAT_OK;
}

/* The device has no LAG: its state is 0, disabled. Unrefereed: U-193. */
u8 sim_cmd_query_lag(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_nic_vport(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *ctx = MLX5_ADDR_OF(query_nic_vport_context_out, cmd->out, nic_vport_context);
	u8 *mac = MLX5_ADDR_OF(nic_vport_context, ctx, permanent_address.mac_addr_47_32);

	MLX5_SET(nic_vport_context, ctx, roce_en, sdev->roce_enabled);
	MLX5_SET(nic_vport_context, ctx, mtu, sim_netdev_mtu(sdev));
	MLX5_SET64(nic_vport_context, ctx, system_image_guid, sdev->sys_image_guid);
	MLX5_SET64(nic_vport_context, ctx, port_guid, sdev->node_guid);
	MLX5_SET64(nic_vport_context, ctx, node_guid, sdev->node_guid);
	ether_addr_copy(mac, sdev->mac);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_modify_nic_vport(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *in = cmd->in;

	if (MLX5_GET(modify_nic_vport_context_in, in, field_select.roce_en))
		sdev->roce_enabled = MLX5_GET(modify_nic_vport_context_in, in,
					      nic_vport_context.roce_en);
	/*
	 * only the driver changes this context, so an armed change event never
	 * fires
	 */
	return MLX5_CMD_STAT_OK;
}

static u8 sim_gid_check(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_gid *gid)
{
	if (gid->roce_version != 0 && gid->roce_version != 2)
		return sim_cmd_bad_param(sdev, cmd, "roce_version %u", gid->roce_version);
	if (gid->l3_type > 1)
		return sim_cmd_bad_param(sdev, cmd, "roce_l3_type %u", gid->l3_type);
	if (!gid->vlan_valid && gid->vlan_id)
		return sim_cmd_bad_param(sdev, cmd, "vlan_id %#x without vlan_valid",
					 gid->vlan_id);
	if (gid->valid && !is_valid_ether_addr(gid->mac))
		return sim_cmd_bad_param(sdev, cmd, "mac %pM", gid->mac);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_set_roce_address(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *ra = MLX5_ADDR_OF(set_roce_address_in, cmd->in, roce_address);
	u32 index = MLX5_GET(set_roce_address_in, cmd->in, roce_address_index);
	struct sim_gid gid = {};
	u8 status;

	if (index >= SIM_GID_TABLE_LEN)
		return sim_cmd_bad_param(sdev, cmd, "index %u", index);
	memcpy(gid.raw, MLX5_ADDR_OF(roce_addr_layout, ra, source_l3_address), sizeof(gid.raw));
	ether_addr_copy(gid.mac, MLX5_ADDR_OF(roce_addr_layout, ra, source_mac_47_32));
	gid.roce_version = MLX5_GET(roce_addr_layout, ra, roce_version);
	gid.l3_type = MLX5_GET(roce_addr_layout, ra, roce_l3_type);
	gid.vlan_valid = MLX5_GET(roce_addr_layout, ra, vlan_valid);
	gid.vlan_id = MLX5_GET(roce_addr_layout, ra, vlan_id);
	/*
	 * a GID of 0 clears the entry: version and type need not be 0, because
	 * drivers that clear an entry may leave both set
	 */
	gid.valid = memchr_inv(gid.raw, 0, sizeof(gid.raw));
	status = sim_gid_check(sdev, cmd, &gid);
	if (status)
		return status;
	sdev->gid[index] = gid;
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_roce_address(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *ra = MLX5_ADDR_OF(query_roce_address_out, cmd->out, roce_address);
	u32 index = MLX5_GET(query_roce_address_in, cmd->in, roce_address_index);
	const struct sim_gid *gid;

	if (index >= SIM_GID_TABLE_LEN)
		return sim_cmd_bad_param(sdev, cmd, "index %u", index);
	gid = &sdev->gid[index];
	memcpy(MLX5_ADDR_OF(roce_addr_layout, ra, source_l3_address), gid->raw, sizeof(gid->raw));
	ether_addr_copy(MLX5_ADDR_OF(roce_addr_layout, ra, source_mac_47_32), gid->mac);
	MLX5_SET(roce_addr_layout, ra, roce_version, gid->roce_version);
	MLX5_SET(roce_addr_layout, ra, roce_l3_type, gid->l3_type);
	MLX5_SET(roce_addr_layout, ra, vlan_valid, gid->vlan_valid);
	MLX5_SET(roce_addr_layout, ra, vlan_id, gid->vlan_id);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_special_contexts(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	/*
	 * no reserved lkey, no dump_fill key and no null key: their
	 * capabilities are 0
	 */
	MLX5_SET(query_special_contexts_out, cmd->out, terminate_scatter_list_mkey,
		 sim_terminate_lkey(sdev));
	return MLX5_CMD_STAT_OK;
}

/*
 * The P_Key table of a RoCE port contains only the default key, but drivers
 * query it. Index 0xffff means the complete table.
 */
u8 sim_cmd_query_pkey(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 index = MLX5_GET(query_hca_vport_pkey_in, cmd->in, pkey_index);
	u32 len = 128 << SIM_CAP(sdev, pkey_table_size);
	u32 want = index == 0xffff ? len : 1;
	u32 space = (cmd->out_len - MLX5_ST_SZ_BYTES(query_hca_vport_pkey_out)) /
		   MLX5_ST_SZ_BYTES(pkey);
	void *first = MLX5_ADDR_OF(query_hca_vport_pkey_out, cmd->out, pkey);

	if (index != 0xffff && index >= len)
		return sim_cmd_bad_param(sdev, cmd, "index %u of %u", index, len);
	if (space < want)
		return sim_cmd_size(sdev, cmd, "space for %u keys, want %u", space, want);
	if (!index || index == 0xffff)
		MLX5_SET(pkey, first, pkey, SIM_DEFAULT_PKEY);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_vport_counter(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *out = cmd->out;

	MLX5_SET64(query_vport_counter_out, out, received_ib_unicast.packets,
		   sdev->ctr[SIM_CTR_rx_packets]);
	MLX5_SET64(query_vport_counter_out, out, received_ib_unicast.octets,
		   sdev->ctr[SIM_CTR_rx_bytes]);
	MLX5_SET64(query_vport_counter_out, out, transmitted_ib_unicast.packets,
		   sdev->ctr[SIM_CTR_tx_packets]);
	MLX5_SET64(query_vport_counter_out, out, transmitted_ib_unicast.octets,
		   sdev->ctr[SIM_CTR_tx_bytes]);
	return MLX5_CMD_STAT_OK;
}
