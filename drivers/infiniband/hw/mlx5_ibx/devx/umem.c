// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about UMEMs: memory that objects of DEVX name by a number and an offset. The rules
 * of cmd.h apply.
 */
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "devx/obj.h"

/**
 * ibx_cmd_create_umem() - CREATE_UMEM
 * @dev: device
 * @uid: user context that is to own the UMEM
 * @mem: its memory, which must stay mapped until the UMEM is destroyed
 * @id: gets the number of the UMEM
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the memory fits no allowed page size, or is empty
 * * -ENOMEM
 * * an errno from cmd.h
 */
int ibx_cmd_create_umem(struct ibx_dev *dev, u16 uid, const struct ibx_umem_mem *mem, u32 *id)
{
	u32 out[MLX5_ST_SZ_DW(create_umem_out)] = {};
	struct ibx_umem_pages p;
	void *in, *umem;
	u64 inlen;
	int err;

	err = ibx_umem_choose_pages(mem, &p);
	if (err)
		return err;
	inlen = MLX5_ST_SZ_BYTES(create_umem_in) + p.n * sizeof(__be64);
	if (inlen > INT_MAX)
		return -ENOMEM;
	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	umem = MLX5_ADDR_OF(create_umem_in, in, umem);
	MLX5_SET(create_umem_in, in, opcode, MLX5_CMD_OP_CREATE_UMEM);
	MLX5_SET(create_umem_in, in, uid, uid);
	MLX5_SET(umem, umem, log_page_size, p.shift - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET(umem, umem, page_offset, p.offset);
	MLX5_SET64(umem, umem, num_of_mtt, p.n);
	ibx_umem_list_pages(mem, &p, MLX5_ADDR_OF(umem, umem, mtt));
	err = ibx_cmd_exec(dev, in, inlen, out, sizeof(out));
	if (!err)
		*id = MLX5_GET(create_umem_out, out, umem_id);
	kvfree(in);
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
