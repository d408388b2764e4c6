// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about the device: bringing it up and down, its capabilities, its
 * identity, and access to its registers.
 *
 * A driver must execute the commands in this order: ENABLE_HCA, SET_HCA_CAP and
 * MANAGE_PAGES for the boot and init pages (cmd/pages.c) in any order,
 * INIT_HCA, commands for objects, TEARDOWN_HCA, MANAGE_PAGES to reclaim all
 * pages, DISABLE_HCA. An object that exists at a graceful TEARDOWN_HCA, or a
 * page that the device has at DISABLE_HCA, is a violation and is freed.
 */
#include <linux/mlx5/driver.h>
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/caps.h"
#include "obj/obj.h"

#define SIM_VENDOR_ID		0x02c9
#define SIM_ISSI_SUPPORTED	(BIT(0) | BIT(1))
#define SIM_HOST_ENDIANNESS_LEN	16
#define SIM_NODE_DESC_LEN	64
#define SIM_PTYS_ETH		BIT(2)
#define SIM_SPEED_100G_CR4	BIT(20)	/* eth_proto_* */

u8 sim_cmd_enable_hca(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	if (sdev->hca_enabled)
		return sim_cmd_bad_state(sdev, cmd, "already enabled");
	sdev->hca_enabled = true;
	sim_pages_enable(sdev);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_disable_hca(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	if (!sdev->hca_enabled || sdev->hca_inited)
		return sim_cmd_bad_state(sdev, cmd, "enabled %d inited %d", sdev->hca_enabled,
					 sdev->hca_inited);
	if (sim_pages_count(sdev))
		sim_cmd_bad_state(sdev, cmd, "%u pages of the host not reclaimed",
				  sim_pages_count(sdev));
	sim_pages_reset(sdev);
	sdev->hca_enabled = false;
	sim_caps_reset(sdev);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_issi(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	MLX5_SET(query_issi_out, cmd->out, current_issi, sdev->issi);
	MLX5_SET(query_issi_out, cmd->out, supported_issi_dw0, SIM_ISSI_SUPPORTED);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_set_issi(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 issi = MLX5_GET(set_issi_in, cmd->in, current_issi);

	if (issi >= 32 || !(SIM_ISSI_SUPPORTED & BIT(issi)))
		return sim_cmd_bad_param(sdev, cmd, "issi %u", issi);
	sdev->issi = issi;
	return MLX5_CMD_STAT_OK;
}

/*
 * Returns as many bytes of the page as the output has space for. Unrefereed:
 * U-124.
 */
u8 sim_cmd_query_hca_cap(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const void *page = sim_caps_page(sdev, cmd->op_mod >> 1, !(cmd->op_mod & 1));

	/*
	 * no violation: drivers query a page to detect whether the device
	 * supports the page
	 */
	if (!page)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	memcpy(MLX5_ADDR_OF(query_hca_cap_out, cmd->out, capability), page,
	       min_t(u32, MLX5_UN_SZ_BYTES(hca_cap_union),
		     cmd->out_len - MLX5_BYTE_OFF(query_hca_cap_out, capability)));
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_set_hca_cap(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	if (!sdev->hca_enabled || sdev->hca_inited)
		return sim_cmd_bad_state(sdev, cmd, "enabled %d inited %d", sdev->hca_enabled,
					 sdev->hca_inited);
	if (MLX5_GET(set_hca_cap_in, cmd->in, other_function) ||
	    MLX5_GET(set_hca_cap_in, cmd->in, function_id))
		return sim_cmd_bad_param(sdev, cmd, "another function");
	return sim_caps_set(sdev, cmd, cmd->op_mod >> 1,
			    MLX5_ADDR_OF(set_hca_cap_in, cmd->in, capability));
}

/* Unrefereed: U-90. */
u8 sim_cmd_init_hca(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	if (!sdev->hca_enabled || sdev->hca_inited)
		return sim_cmd_bad_state(sdev, cmd, "enabled %d inited %d", sdev->hca_enabled,
					 sdev->hca_inited);
	if (!sim_pages_ready(sdev))
		return sim_cmd_bad_state(sdev, cmd, "only %u pages of the host",
					 sim_pages_count(sdev));
	sdev->hca_inited = true;
	return MLX5_CMD_STAT_OK;
}

/*
 * Records a violation for each object that the driver has not destroyed, and
 * tears the device down.
 */
static u8 sim_teardown_graceful(struct sim_dev *sdev)
{
	struct sim_obj *obj;
	unsigned long id;
	int type;

	for (type = 0; type < SIM_OBJ_MAX; type++)
		xa_for_each(&sdev->objs->xa[type], id, obj)
			sim_violation(sdev, SIM_VIO_obj_leak,
				      "object %#lx of type %d left at teardown", id, type);
	sim_objs_reset(sdev);
	sdev->hca_inited = false;
	return MLX5_CMD_STAT_OK;
}

/*
 * When the machine shuts down, a driver executes TEARDOWN_HCA with the profile
 * FORCE_CLOSE or PREPARE_FAST_TEARDOWN, without destroying its objects or
 * reclaiming its pages. The driver waits for the completion event of
 * PREPARE_FAST_TEARDOWN, so the EQs and their doorbell pages exist until the
 * driver disables the interface in the init segment (sim_power_disable()). The
 * state in the output is 0, success, for both profiles. Unrefereed: U-194.
 */
static u8 sim_teardown_forced(struct sim_dev *sdev)
{
	sim_objs_reset(sdev);
	sdev->hca_inited = false;
	return MLX5_CMD_STAT_OK;
}

static u8 sim_teardown_fast(struct sim_dev *sdev)
{
	sim_objs_stop(sdev);
	sdev->fast_teardown = true;
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_teardown_hca(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 profile = MLX5_GET(teardown_hca_in, cmd->in, profile);

	if (!sdev->hca_inited)
		return sim_cmd_bad_state(sdev, cmd, "not inited");
	sim_trace(sdev, "teardown with profile %u", profile);
	if (profile == MLX5_TEARDOWN_HCA_IN_PROFILE_GRACEFUL_CLOSE)
		return sim_teardown_graceful(sdev);
	if (profile == MLX5_TEARDOWN_HCA_IN_PROFILE_FORCE_CLOSE && SIM_CAP(sdev, force_teardown))
		return sim_teardown_forced(sdev);
	if (profile == MLX5_TEARDOWN_HCA_IN_PROFILE_PREPARE_FAST_TEARDOWN &&
	    SIM_CAP(sdev, fast_teardown))
		return sim_teardown_fast(sdev);
	return sim_cmd_bad_param(sdev, cmd, "profile %u", profile);
}

u8 sim_cmd_query_adapter(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *blk = MLX5_ADDR_OF(query_adapter_out, cmd->out, query_adapter_struct);

	MLX5_SET(query_adapter_param_block, blk, ieee_vendor_id, SIM_VENDOR_ID);
	MLX5_SET(query_adapter_param_block, blk, vsd_vendor_id, SIM_VENDOR_ID);
	strscpy(MLX5_ADDR_OF(query_adapter_param_block, blk, vsd_contd_psid),
		sim_model()->board_id,
		MLX5_FLD_SZ_BYTES(query_adapter_param_block, vsd_contd_psid));
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_nop(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	return MLX5_CMD_STAT_OK;
}

static u8 sim_reg_ptys(struct sim_dev *sdev, struct sim_cmd *cmd, const void *in, void *out,
		       bool write)
{
	u32 port = MLX5_GET(ptys_reg, in, local_port);
	u32 oper = sdev->port_up ? SIM_SPEED_100G_CR4 : 0;

	if (port > 1)
		return sim_cmd_bad_param(sdev, cmd, "PTYS of port %u", port);
	if (write)
		return MLX5_CMD_STAT_BAD_OP_ERR;
	MLX5_SET(ptys_reg, out, local_port, port);
	MLX5_SET(ptys_reg, out, proto_mask, SIM_PTYS_ETH);
	MLX5_SET(ptys_reg, out, eth_proto_capability, SIM_SPEED_100G_CR4);
	MLX5_SET(ptys_reg, out, eth_proto_admin, SIM_SPEED_100G_CR4);
	MLX5_SET(ptys_reg, out, eth_proto_oper, oper);
	return MLX5_CMD_STAT_OK;
}

static u8 sim_reg_host_endianness(struct sim_dev *sdev, struct sim_cmd *cmd, const u8 *in,
				  bool write)
{
	/*
	 * drivers use only this value: big-endian commands, little-endian host
	 */
	if (write && in[0] != MLX5_SET_HOST_ENDIANNESS)
		return sim_cmd_bad_param(sdev, cmd, "host endianness %#x", in[0]);
	return MLX5_CMD_STAT_OK;
}

/* The node description: "mlx5sim0" and so on. */
static u8 sim_reg_node_desc(struct sim_dev *sdev, char *out, bool write)
{
	/*
	 * a write (the driver's description of the node) has no effect: no node
	 * of this fabric reads the description
	 */
	if (!write)
		snprintf(out, SIM_NODE_DESC_LEN, "%s%d", SIM_NAME, sdev->index);
	return MLX5_CMD_STAT_OK;
}

/*
 * The counters of an InfiniBand port. On a link without losses only
 * link_downed_counter counts. All counters of this group stop at their largest
 * value.
 */
static u8 sim_reg_ppcnt(struct sim_dev *sdev, struct sim_cmd *cmd, const void *in, void *out,
			bool write)
{
	u8 grp = MLX5_GET(ppcnt_reg, in, grp);
	void *cnt = MLX5_ADDR_OF(ppcnt_reg, out, counter_set);

	if (MLX5_GET(ppcnt_reg, in, local_port) != 1)
		return sim_cmd_bad_param(sdev, cmd, "PPCNT of port %u",
					 MLX5_GET(ppcnt_reg, in, local_port));
	if (write || grp != MLX5_INFINIBAND_PORT_COUNTERS_GROUP)
		return MLX5_CMD_STAT_BAD_OP_ERR;
	MLX5_SET(ppcnt_reg, out, local_port, 1);
	MLX5_SET(ppcnt_reg, out, grp, grp);
	MLX5_SET(ib_port_cntrs_grp_data_layout, cnt, link_downed_counter,
		 min_t(u64, sdev->ctr[SIM_CTR_link_downs], U8_MAX));
	return MLX5_CMD_STAT_OK;
}

/*
 * Default timeouts of the device. A driver reads them if the init segment
 * contains a command timeout (sim_cmd_timeout). All are 0: the driver uses its
 * own defaults.
 */
static u8 sim_reg_dtor(bool write)
{
	return write ? MLX5_CMD_STAT_BAD_OP_ERR : MLX5_CMD_STAT_OK;
}

static u32 sim_reg_len(u16 id)
{
	switch (id) {
	case MLX5_REG_DTOR:
		return sim_cmd_timeout ? MLX5_ST_SZ_BYTES(dtor_reg) : 0;
	case MLX5_REG_PTYS:
		return MLX5_ST_SZ_BYTES(ptys_reg);
	case MLX5_REG_PPCNT:
		return MLX5_ST_SZ_BYTES(ppcnt_reg);
	case MLX5_REG_HOST_ENDIANNESS:
		return SIM_HOST_ENDIANNESS_LEN;
	case MLX5_REG_NODE_DESC:
		return SIM_NODE_DESC_LEN;
	default:
		return 0;
	}
}

u8 sim_cmd_access_reg(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const void *in = MLX5_ADDR_OF(access_register_in, cmd->in, register_data);
	void *out = MLX5_ADDR_OF(access_register_out, cmd->out, register_data);
	u32 in_len = cmd->in_len - MLX5_ST_SZ_BYTES(access_register_in);
	u32 out_len = cmd->out_len - MLX5_ST_SZ_BYTES(access_register_out);
	u16 id = MLX5_GET(access_register_in, cmd->in, register_id);
	bool write = !cmd->op_mod;

	if (cmd->op_mod > 1)
		return sim_cmd_bad_param(sdev, cmd, "op_mod %#x", cmd->op_mod);
	if (!sim_reg_len(id)) {
		sim_trace(sdev, "register %#x is not there", id);
		return MLX5_CMD_STAT_BAD_OP_ERR;
	}
	if (in_len != sim_reg_len(id) || out_len < sim_reg_len(id))
		return sim_cmd_size(sdev, cmd, "register %#x: %u bytes in, %u out, want %u", id,
				    in_len, out_len, sim_reg_len(id));
	switch (id) {
	case MLX5_REG_PTYS:
		return sim_reg_ptys(sdev, cmd, in, out, write);
	case MLX5_REG_PPCNT:
		return sim_reg_ppcnt(sdev, cmd, in, out, write);
	case MLX5_REG_HOST_ENDIANNESS:
		return sim_reg_host_endianness(sdev, cmd, in, write);
	case MLX5_REG_DTOR:
		return sim_reg_dtor(write);
	default:
		return sim_reg_node_desc(sdev, out, write);
	}
}
