// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about UMEMs: memory that objects of DEVX name by a number and an offset. The rules
 * of cmd.h apply.
 */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "cmd/devx.h"

#define HEAD_BYTES	MLX5_ST_SZ_BYTES(create_umem_in)

/**
 * ibx_umem_cmd_alloc() - allocate the input of CREATE_UMEM
 * @p: parameters
 * @mtt: gets the address of the list of pages, in which the caller puts bus addresses with
 *	IBX_MTT_READ and IBX_MTT_WRITE
 *
 * Context: may sleep.
 * Return: the input, for kvfree(); or NULL.
 */
void *ibx_umem_cmd_alloc(const struct ibx_umem_params *p, __be64 **mtt)
{
	void *in = kvzalloc(HEAD_BYTES + size_mul(p->npages, sizeof(**mtt)), GFP_KERNEL);

	if (in)
		*mtt = in + HEAD_BYTES;
	return in;
}

/**
 * ibx_cmd_create_umem() - CREATE_UMEM
 * @dev: device
 * @uid: user context that is to own the UMEM
 * @p: parameters
 * @in: from ibx_umem_cmd_alloc(), with its list of pages filled
 * @id: gets the number of the UMEM
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_create_umem(struct ibx_dev *dev, u16 uid, const struct ibx_umem_params *p, void *in,
			u32 *id)
{
	void *umem = MLX5_ADDR_OF(create_umem_in, in, umem);
	u32 out[MLX5_ST_SZ_DW(create_umem_out)] = {};
	int err;

	MLX5_SET(create_umem_in, in, opcode, MLX5_CMD_OP_CREATE_UMEM);
	MLX5_SET(create_umem_in, in, uid, uid);
	MLX5_SET(umem, umem, log_page_size, p->page_shift - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET(umem, umem, page_offset, p->offset);
	MLX5_SET64(umem, umem, num_of_mtt, p->npages);
	err = ibx_cmd_exec(dev, in, HEAD_BYTES + p->npages * sizeof(__be64), out, sizeof(out));
	if (!err)
		*id = MLX5_GET(create_umem_out, out, umem_id);
	return err;
}

/**
 * ibx_cmd_destroy_umem() - DESTROY_UMEM
 * @dev: device
 * @uid: user context that owns the UMEM
 * @id: number of a UMEM that no object uses
 *
 * Context: may sleep.
 * Return: 0, -EBUSY when an object uses the UMEM, or an errno from cmd.h.
 */
int ibx_cmd_destroy_umem(struct ibx_dev *dev, u16 uid, u32 id)
{
	u32 in[MLX5_ST_SZ_DW(destroy_umem_in)] = {};

	MLX5_SET(destroy_umem_in, in, opcode, MLX5_CMD_OP_DESTROY_UMEM);
	MLX5_SET(destroy_umem_in, in, uid, uid);
	MLX5_SET(destroy_umem_in, in, umem_id, id);
	return ibx_cmd_exec_in(dev, destroy_umem, in);
}
