// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands that the device must refuse, and objects left behind.
 *
 * A refused command has a status other than OK; mlx5_cmd_do() then returns
 * -EREMOTEIO, which these cases expect.
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "sim_violations.h"

/**
 * v_refused() - execute a command that the device must refuse
 * @s: the set
 * @in: input
 * @inlen: length of @in
 * @out: output
 * @outlen: length of @out
 *
 * Return: 0 when the device refused the command, -EPROTO otherwise.
 */
int v_refused(struct v_set *s, void *in, int inlen, void *out, int outlen)
{
	int ret = v_cmd(s, in, inlen, out, outlen);

	if (ret == -EREMOTEIO)
		return 0;
	v_log("the command returned %d\n", ret);
	return -EPROTO;
}

static int cmd_size(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(alloc_pd_in) + 4] = {};
	u32 out[MLX5_ST_SZ_DW(alloc_pd_out)] = {};

	MLX5_SET(alloc_pd_in, in, opcode, MLX5_CMD_OP_ALLOC_PD);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

static int cmd_reserved(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(alloc_pd_in)] = {};
	u32 out[MLX5_ST_SZ_DW(alloc_pd_out)] = {};

	MLX5_SET(alloc_pd_in, in, opcode, MLX5_CMD_OP_ALLOC_PD);
	*((u8 *)in + 12) = 1;
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

static int cmd_bad_param(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(alloc_pd_in)] = {};
	u32 out[MLX5_ST_SZ_DW(alloc_pd_out)] = {};

	MLX5_SET(alloc_pd_in, in, opcode, MLX5_CMD_OP_ALLOC_PD);
	MLX5_SET(alloc_pd_in, in, op_mod, 1);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

/* creating a CQ of one page, of @log_page_size and at @addr, must be refused */
static int v_bad_cq(struct v_set *s, u32 log_page_size, u64 addr)
{
	u32 in[MLX5_ST_SZ_DW(create_cq_in) + 2] = {};
	u32 out[MLX5_ST_SZ_DW(create_cq_out)] = {};
	void *cqc = MLX5_ADDR_OF(create_cq_in, in, cq_context);

	MLX5_SET(create_cq_in, in, opcode, MLX5_CMD_OP_CREATE_CQ);
	MLX5_SET(cqc, cqc, log_cq_size, V_LOG_CQ);
	MLX5_SET(cqc, cqc, log_page_size, log_page_size);
	MLX5_SET(cqc, cqc, uar_page, s->uar->index);
	MLX5_SET(cqc, cqc, c_eqn_or_apu_element, s->eqn);
	MLX5_SET64(cqc, cqc, dbr_addr, s->scq.db.dma);
	*(__be64 *)MLX5_ADDR_OF(create_cq_in, in, pas) = cpu_to_be64(addr);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

/* a page size of 4 GiB, which is too large for a queue, and for 32 bits */
static int cmd_bad_param_page_size(struct v_set *s)
{
	return v_bad_cq(s, 20, s->scq.dma);
}

/* a page of 64 KiB whose address is not aligned to 64 KiB */
static int cmd_bad_param_page(struct v_set *s)
{
	return v_bad_cq(s, 4, ALIGN_DOWN(s->scq.dma, SZ_64K) + SZ_4K);
}

static int cmd_bad_resource(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(dealloc_pd_in)] = {};
	u32 out[MLX5_ST_SZ_DW(dealloc_pd_out)] = {};

	MLX5_SET(dealloc_pd_in, in, opcode, MLX5_CMD_OP_DEALLOC_PD);
	MLX5_SET(dealloc_pd_in, in, pd, 0xfffff0);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

/* ATTACH_TO_MCG for a QP whose type is not UD */
static int cmd_bad_param_mcg(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(attach_to_mcg_in)] = {};
	u32 out[MLX5_ST_SZ_DW(attach_to_mcg_out)] = {};

	MLX5_SET(attach_to_mcg_in, in, opcode, MLX5_CMD_OP_ATTACH_TO_MCG);
	MLX5_SET(attach_to_mcg_in, in, qpn, s->qp.num);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

/* DETACH_FROM_MCG for a QP that is in no multicast group */
static int cmd_bad_resource_mcg(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(detach_from_mcg_in)] = {};
	u32 out[MLX5_ST_SZ_DW(detach_from_mcg_out)] = {};

	MLX5_SET(detach_from_mcg_in, in, opcode, MLX5_CMD_OP_DETACH_FROM_MCG);
	MLX5_SET(detach_from_mcg_in, in, qpn, s->qp.num);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

/* RST2INIT_QP for a QP in RTS */
static int cmd_bad_state(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(rst2init_qp_in)] = {};
	u32 out[MLX5_ST_SZ_DW(rst2init_qp_out)] = {};
	void *qpc = MLX5_ADDR_OF(rst2init_qp_in, in, qpc);

	MLX5_SET(rst2init_qp_in, in, opcode, MLX5_CMD_OP_RST2INIT_QP);
	MLX5_SET(rst2init_qp_in, in, qpn, s->qp.num);
	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	MLX5_SET(qpc, qpc, primary_address_path.vhca_port_num, 1);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

static int cmd_in_use(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(destroy_cq_in)] = {};
	u32 out[MLX5_ST_SZ_DW(destroy_cq_out)] = {};

	MLX5_SET(destroy_cq_in, in, opcode, MLX5_CMD_OP_DESTROY_CQ);
	MLX5_SET(destroy_cq_in, in, cqn, s->scq.num);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

static int cmd_in_use_uar(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(dealloc_uar_in)] = {};
	u32 out[MLX5_ST_SZ_DW(dealloc_uar_out)] = {};

	MLX5_SET(dealloc_uar_in, in, opcode, MLX5_CMD_OP_DEALLOC_UAR);
	MLX5_SET(dealloc_uar_in, in, uar, s->uar->index);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

static int cmd_uid(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(alloc_pd_in)] = {};
	u32 out[MLX5_ST_SZ_DW(alloc_pd_out)] = {};

	MLX5_SET(alloc_pd_in, in, opcode, MLX5_CMD_OP_ALLOC_PD);
	MLX5_SET(alloc_pd_in, in, uid, 0x7ff0);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

static u8 v_slot_xor(const struct mlx5_cmd_layout *lay)
{
	const u8 *p = (const u8 *)lay;
	u8 sum = 0;
	int i;

	for (i = 0; i < sizeof(*lay); i++)
		sum ^= p[i];
	return sum;
}

/*
 * Passes the last command slot to the device, and waits until the device
 * returns the slot with an error.
 */
static int v_give_slot(struct v_set *s, struct mlx5_cmd_layout *lay, int slot)
{
	unsigned long end = jiffies + msecs_to_jiffies(V_TIMEOUT_MS);

	lay->status_own = 1;
	wmb(); /* the slot before the doorbell */
	while (READ_ONCE(lay->status_own) & 1) {
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		/*
		 * repeated, because the doorbell of another command may
		 * overwrite ours
		 */
		iowrite32be(1U << slot, &s->mdev->iseg->cmd_dbell);
		usleep_range(100, 200);
	}
	return lay->status_own >> 1 ? 0 : -EPROTO;
}

/* A NOP with a wrong signature */
static int v_unsigned_slot(struct v_set *s, struct mlx5_cmd_layout *lay, int slot)
{
	lay->inlen = cpu_to_be32(16);
	lay->sig = 0x5a;
	return v_give_slot(s, lay, slot);
}

/*
 * A NOP that is too long and has two mailboxes; the address of the second is
 * not a multiple of 1 KiB.
 */
static int v_misplaced_mailbox(struct v_set *s, struct mlx5_cmd_layout *lay, int slot)
{
	struct mlx5_cmd_prot_block *blk = s->data;

	blk->next = cpu_to_be64(s->dma + 1536);
	blk = s->data + 1536;
	blk->block_num = cpu_to_be32(1);
	lay->inlen = cpu_to_be32(16 + MLX5_CMD_DATA_BLOCK_SIZE + 16);
	lay->in_ptr = cpu_to_be64(s->dma);
	lay->sig = ~(v_slot_xor(lay) ^ 1);	/* with status_own as v_give_slot() sets it */
	return v_give_slot(s, lay, slot);
}

/*
 * mlx5_core owns the command slots, so this case needs one that is not in use: the
 * slot reserved for MANAGE_PAGES, whose semaphore the case holds. mlx5_core gets the
 * completion event of the slot and looks up its entry in ent_arr, so the case adds
 * one, and mlx5_core logs an unexpected completion.
 */
static int v_bad_slot(struct v_set *s, int (*give)(struct v_set *s, struct mlx5_cmd_layout *lay,
						   int slot))
{
	struct mlx5_cmd *cmd = &s->mdev->cmd;
	int slot = cmd->vars.max_reg_cmds;
	struct mlx5_cmd_layout *lay = cmd->cmd_buf + (slot << cmd->vars.log_stride);
	struct mlx5_cmd_work_ent *ent, *old;
	int ret;

	ent = kzalloc(sizeof(*ent), GFP_KERNEL);
	if (!ent)
		return -ENOMEM;
	ent->cmd = cmd;
	ent->idx = slot;
	refcount_set(&ent->refcnt, 2);
	down(&cmd->vars.pages_sem);
	old = cmd->ent_arr[slot];
	cmd->ent_arr[slot] = ent;
	memset(lay, 0, sizeof(*lay));
	lay->type = 7;
	lay->outlen = cpu_to_be32(16);
	*(__be32 *)lay->in = cpu_to_be32(MLX5_CMD_OP_NOP << 16);
	ret = give(s, lay, slot);
	msleep(100);
	cmd->ent_arr[slot] = old;
	up(&cmd->vars.pages_sem);
	kfree(ent);
	return ret;
}

static int cmd_signature(struct v_set *s)
{
	return v_bad_slot(s, v_unsigned_slot);
}

static int cmd_signature_mailbox(struct v_set *s)
{
	return v_bad_slot(s, v_misplaced_mailbox);
}

/* Reclaims the last unused page from the device, or gives the device the page at *addr. */
static int v_manage_page(struct v_set *s, u16 op_mod, u64 *addr)
{
	u32 in[MLX5_ST_SZ_DW(manage_pages_in) + 2] = {};
	u32 out[MLX5_ST_SZ_DW(manage_pages_out) + 2] = {};
	bool give = op_mod == MLX5_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_SUCCESS;
	u32 list = sizeof(u64);
	int ret;

	MLX5_SET(manage_pages_in, in, opcode, MLX5_CMD_OP_MANAGE_PAGES);
	MLX5_SET(manage_pages_in, in, op_mod, op_mod);
	MLX5_SET(manage_pages_in, in, input_num_entries, 1);
	if (give)
		MLX5_SET64(manage_pages_in, in, pas[0], *addr);
	ret = v_cmd(s, in, sizeof(in) - (give ? 0 : list), out, sizeof(out) - (give ? list : 0));
	if (ret || give)
		return ret;
	*addr = MLX5_GET64(manage_pages_out, out, pas[0]);
	return MLX5_GET(manage_pages_out, out, output_num_entries) == 1 ? 0 : -ENOSPC;
}

/*
 * Reclaims a page of mlx5_core from the device, gives the device page @dma instead, and writes to
 * page @dma. The device must detect the write. Then reclaims page @dma, and gives the device the
 * page of mlx5_core again.
 */
static int v_write_page(struct v_set *s, u64 dma, u32 *data)
{
	u64 theirs, back = 0;
	int ret;

	ret = v_manage_page(s, MLX5_MANAGE_PAGES_IN_OP_MOD_HCA_RETURN_PAGES, &theirs);
	if (ret)
		return ret;
	ret = v_manage_page(s, MLX5_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_SUCCESS, &dma);
	if (!ret) {
		data[100]++;
		ret = v_manage_page(s, MLX5_MANAGE_PAGES_IN_OP_MOD_HCA_RETURN_PAGES, &back);
	}
	if (!ret && back != dma) {
		v_log("page %#llx came back, not %#llx\n", back, dma);
		ret = -EPROTO;
	}
	return v_manage_page(s, MLX5_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_SUCCESS, &theirs) ?: ret;
}

/* Gives the device the data page of the set, and reclaims the page. */
static int page_written(struct v_set *s)
{
	return v_write_page(s, s->dma, s->data);
}

/* Gives the device one page twice. The second time is refused, and the device keeps the page. */
static int cmd_bad_param_page_twice(struct v_set *s)
{
	u64 one, two;
	int ret;

	ret = v_manage_page(s, MLX5_MANAGE_PAGES_IN_OP_MOD_HCA_RETURN_PAGES, &one);
	if (ret)
		return ret;
	ret = v_manage_page(s, MLX5_MANAGE_PAGES_IN_OP_MOD_HCA_RETURN_PAGES, &two);
	if (!ret)
		ret = v_manage_page(s, MLX5_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_SUCCESS, &one);
	if (ret)
		return ret;
	ret = v_manage_page(s, MLX5_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_SUCCESS, &one);
	if (ret != -EREMOTEIO) {
		v_log("given twice: %d\n", ret);
		return -EPROTO;
	}
	return v_manage_page(s, MLX5_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_SUCCESS, &two);
}

/* A PD that is not deallocated: counted when mlx5_core tears the function down. */
static int obj_leak(struct v_set *s)
{
	u32 pdn;

	return mlx5_core_alloc_pd(s->mdev, &pdn);
}

/* A mapping that is not unmapped: counted when the function is removed. */
static int dma_leak(struct v_set *s)
{
	static char page[64];
	dma_addr_t dma;

	dma = dma_map_page(s->mdev->device, vmalloc_to_page(page), offset_in_page(page), 1,
			   DMA_TO_DEVICE);
	return dma_mapping_error(s->mdev->device, dma);
}

const struct v_case v_cmds_cases[] = {
	{ "cmd_size", cmd_size },
	{ "cmd_reserved", cmd_reserved },
	{ "cmd_bad_param", cmd_bad_param },
	{ "cmd_bad_param-page_size", cmd_bad_param_page_size },
	{ "cmd_bad_param-page", cmd_bad_param_page },
	{ "cmd_bad_param-page_twice", cmd_bad_param_page_twice },
	{ "cmd_bad_param-mcg", cmd_bad_param_mcg },
	{ "page_written", page_written },
	{ "cmd_bad_resource", cmd_bad_resource },
	{ "cmd_bad_resource-mcg", cmd_bad_resource_mcg },
	{ "cmd_bad_state", cmd_bad_state },
	{ "cmd_in_use", cmd_in_use },
	{ "cmd_in_use-uar", cmd_in_use_uar },
	{ "cmd_uid", cmd_uid },
	{ "cmd_signature", cmd_signature },
	{ "cmd_signature-mailbox", cmd_signature_mailbox },
	{ "obj_leak", obj_leak },
	{ "dma_leak", dma_leak },
	{ }
};
