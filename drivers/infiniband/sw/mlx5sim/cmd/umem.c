// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about UMEMs: memory that other commands of the same user context
 * refer to by number. CQs, QPs, RMPs and mkeys are users of their UMEMs
 * (cmd/buf.c).
 *
 * Unrefereed: U-121.
 */
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "host/host.h"
#include "obj/caps.h"
#include "obj/obj.h"

#define SIM_MTT_RIGHTS	3	/* low bits of an entry: read, write */

static void sim_umem_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	struct sim_umem *umem = container_of(obj, struct sim_umem, obj);

	sim_obj_del(sdev, obj);
	sim_buf_free(&umem->buf);
	kfree(umem);
}

/* Checks a CREATE_UMEM and copies its list of pages. */
static u8 sim_umem_parse(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_umem *umem)
{
	u32 head = MLX5_ST_SZ_BYTES(create_umem_in);
	void *ctx = MLX5_ADDR_OF(create_umem_in, cmd->in, umem);
	u32 shift = MLX5_GET(umem, ctx, log_page_size) + MLX5_ADAPTER_PAGE_SHIFT;
	u64 n = MLX5_GET64(umem, ctx, num_of_mtt);
	u32 offset = MLX5_GET(umem, ctx, page_offset);
	const __be64 *mtt = MLX5_ADDR_OF(umem, ctx, mtt);
	int err;
	u64 i;

	if (MLX5_GET(umem, ctx, ats))
		return sim_cmd_bad_param(sdev, cmd, "address translation service");
	if (shift > SIM_BUF_MAX_SHIFT || offset >> shift)
		return sim_cmd_bad_param(sdev, cmd, "page_offset %#x, log_page_size %u", offset,
					 shift - MLX5_ADAPTER_PAGE_SHIFT);
	if (!n || n != (cmd->in_len - head) / sizeof(*mtt) || cmd->in_len % sizeof(*mtt))
		return sim_cmd_size(sdev, cmd, "%u bytes for %llu pages", cmd->in_len, n);
	for (i = 0; i < n; i++)
		if (!(be64_to_cpu(mtt[i]) & SIM_MTT_RIGHTS))
			return sim_cmd_bad_param(sdev, cmd, "page %llu without rights", i);
	err = sim_buf_init(&umem->buf, mtt, n, shift, offset);
	if (err == -EINVAL)
		return sim_cmd_bad_param(sdev, cmd, "addresses that no page of %#llx begins at",
					 BIT_ULL(shift));
	return sim_cmd_errno_ok(err);
}

u8 sim_cmd_create_umem(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_umem *umem;
	u8 status;

	if (!SIM_CAP(sdev, log_max_umem))
		return MLX5_CMD_STAT_BAD_OP_ERR;
	if (!cmd->uid)
		return sim_cmd_bad_uid(sdev, cmd, "a UMEM of the kernel");
	umem = kzalloc(sizeof(*umem), GFP_KERNEL);
	if (!umem)
		return sim_cmd_errno(-ENOMEM);
	status = sim_umem_parse(sdev, cmd, umem);
	if (status)
		goto free;
	status = sim_cmd_errno_ok(sim_obj_add(sdev, &umem->obj, SIM_OBJ_UMEM, cmd->uid,
					      sim_umem_free));
	if (status)
		goto free_buf;
	MLX5_SET(create_umem_out, cmd->out, umem_id, umem->obj.id);
	return MLX5_CMD_STAT_OK;

free_buf:
	sim_buf_free(&umem->buf);
free:
	kfree(umem);
	return status;
}

u8 sim_cmd_destroy_umem(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_umem *umem;
	u8 status;

	umem = sim_cmd_obj(sdev, cmd, SIM_OBJ_UMEM, MLX5_GET(destroy_umem_in, cmd->in, umem_id),
			   &status);
	if (!umem || !sim_cmd_unused(sdev, cmd, &umem->obj, &status))
		return status;
	sim_umem_free(sdev, &umem->obj);
	return MLX5_CMD_STAT_OK;
}
