// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Operations on objects of <rdma/mlx5dv_devx.h>. As in dv.c, symbol_get() finds the functions.
 */
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "ibx_faults.h"

static int open_ctx(struct f_obj *obj)
{
	typeof(mlx5dv_devx_open) *open = symbol_get(mlx5dv_devx_open);
	struct mlx5dv_devx_ctx *ctx;

	if (!open)
		return -EOPNOTSUPP;
	ctx = open(obj->env->dev);
	symbol_put(mlx5dv_devx_open);
	F_NEW(obj->devx, ctx);
	return 0;
}

/**
 * f_make_umem() - operation: register a UMEM in a new context of DEVX
 * @obj: receives the context and the UMEM
 * @bytes: bytes of the UMEM
 *
 * Return: 0, -EOPNOTSUPP without mlx5_ibx, or the errno of the call.
 */
int f_make_umem(struct f_obj *obj, u32 bytes)
{
	typeof(mlx5dv_devx_umem_reg) *reg;
	struct mlx5dv_devx_umem *umem;

	F_TRY(open_ctx(obj));
	obj->umem_mem = vmalloc(bytes);
	if (!obj->umem_mem)
		return -ENOMEM;
	/* mlx5_ibx stays loaded as long as the context exists */
	reg = symbol_get(mlx5dv_devx_umem_reg);
	umem = reg(obj->devx, obj->umem_mem, bytes, IB_ACCESS_LOCAL_WRITE);
	symbol_put(mlx5dv_devx_umem_reg);
	F_NEW(obj->umem, umem);
	return 0;
}

/*
 * Deregisters the UMEM a second time after a failure: a UMEM that the device did not destroy still
 * exists.
 */
static int drop_umem(struct f_obj *obj)
{
	typeof(mlx5dv_devx_umem_dereg) *dereg = symbol_get(mlx5dv_devx_umem_dereg);
	int ret = dereg(obj->umem);

	if (ret)
		f_log("mlx5dv_devx_umem_dereg: %d\n", ret);
	if (ret)
		ret = dereg(obj->umem);
	symbol_put(mlx5dv_devx_umem_dereg);
	return ret;
}

/**
 * f_devx_drop() - destroy objects of DEVX, like f_obj_drop()
 * @obj: objects; each may be missing
 *
 * Return: 0, or the errno of a UMEM whose destruction failed twice; the UMEM
 * and its context then still exist.
 */
int f_devx_drop(struct f_obj *obj)
{
	typeof(mlx5dv_devx_close) *close;
	int ret = obj->umem ? drop_umem(obj) : 0;

	if (!ret && obj->devx) {
		close = symbol_get(mlx5dv_devx_close);
		close(obj->devx);
		symbol_put(mlx5dv_devx_close);
	}
	if (!ret)
		vfree(obj->umem_mem);
	return ret;
}
