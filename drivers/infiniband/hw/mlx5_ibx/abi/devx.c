// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DEVX: methods without an object. A process sends commands that name no
 * object, and queries the number of an event queue for a CQ of DEVX.
 */
#include <linux/mlx5/driver.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME mlx5_ibx
#include <rdma/uverbs_named_ioctl.h>

#include "abi/abi.h"
#include "abi/devx.h"
#include "abi/keep.h"
#include "devx/obj.h"

/**
 * ibx_devx_uctx() - find the context of a call of DEVX
 * @attrs: attributes of the call
 *
 * Context: process.
 * Return: the context; ERR_PTR(-EINVAL) for a context without a user context;
 * an ERR_PTR() of ib_uverbs_get_ucontext().
 */
struct ibx_uctx *ibx_devx_uctx(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ibuc = ib_uverbs_get_ucontext(attrs);

	if (IS_ERR(ibuc))
		return ERR_CAST(ibuc);
	return to_uctx(ibuc)->uid ? to_uctx(ibuc) : ERR_PTR(-EINVAL);
}

/**
 * ibx_devx_get_box() - get a call's command of DEVX, and space for the answer
 * @attrs: attributes of the call
 * @in: attribute of the command
 * @out: attribute of the answer
 * @box: gets the command and the space, which uverbs frees after the call
 *
 * Context: process.
 * Return: 0, or -ENOMEM.
 */
int ibx_devx_get_box(struct uverbs_attr_bundle *attrs, u16 in, u16 out, struct ibx_devx_box *box)
{
	box->in = uverbs_attr_get_alloced_ptr(attrs, in);
	box->inlen = uverbs_attr_get_len(attrs, in);
	box->outlen = uverbs_attr_get_len(attrs, out);
	/* zeroed: mlx5_core reads the status even without an answer */
	box->out = uverbs_zalloc(attrs, box->outlen);
	return PTR_ERR_OR_ZERO(box->out);
}

/**
 * ibx_devx_answer() - copy the answer to a command to a process
 * @attrs: attributes of the call
 * @out: attribute of the answer
 * @box: the answer
 * @err: return value of the function that executed the command. The answer is
 *	copied if @err is 0 or -EREMOTEIO
 *
 * Context: process.
 * Return: @err; -EFAULT if the memory of the process cannot be written.
 */
int ibx_devx_answer(struct uverbs_attr_bundle *attrs, u16 out, const struct ibx_devx_box *box,
		    int err)
{
	int err2;

	if (err && err != -EREMOTEIO)
		return err;
	err2 = uverbs_copy_to(attrs, out, box->out, box->outlen);
	return err2 ?: err;
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_OTHER)(struct uverbs_attr_bundle *attrs)
{
	struct ibx_uctx *uctx = ibx_devx_uctx(attrs);
	const struct ibx_devx_row *row;
	struct ibx_devx_box box;
	int err;

	if (IS_ERR(uctx))
		return PTR_ERR(uctx);
	err = ibx_devx_get_box(attrs, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN,
			       MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, &box);
	if (err)
		return err;
	row = ibx_devx_check(&box, IBX_DEVX_GENERAL);
	if (IS_ERR(row))
		return PTR_ERR(row);
	err = ibx_devx_exec(to_idev(uctx->ibuc.device), uctx->uid, &box);
	ibx_keep_note(uctx, err);
	return ibx_devx_answer(attrs, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, &box, err);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_QUERY_EQN)(struct uverbs_attr_bundle *attrs)
{
	struct ibx_uctx *uctx = ibx_devx_uctx(attrs);
	int vector, eqn, err;

	if (IS_ERR(uctx))
		return PTR_ERR(uctx);
	err = uverbs_copy_from(&vector, attrs, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC);
	if (err)
		return err;
	if (vector < 0 || vector >= uctx->ibuc.device->num_comp_vectors)
		return -EINVAL;
	err = mlx5_comp_eqn_get(to_idev(uctx->ibuc.device)->mdev, vector, &eqn);
	if (err)
		return err;
	return uverbs_copy_to(attrs, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, &eqn, sizeof(eqn));
}

/*
 * the method queries the registers that a driver has allocated for a context;
 * this driver allocates no registers
 */
static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_QUERY_UAR)(struct uverbs_attr_bundle *attrs)
{
	return -EINVAL;
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_OTHER,
			    IBX_ATTR_CMD_IN(MLX5_IB_ATTR_DEVX_OTHER_CMD_IN),
			    IBX_ATTR_CMD_OUT(MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_QUERY_EQN,
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC,
					       UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_QUERY_UAR,
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_QUERY_UAR_USER_IDX,
					       UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_DEVX_QUERY_UAR_DEV_IDX,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_GLOBAL_METHODS(MLX5_IB_OBJECT_DEVX,
			      &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OTHER),
			      &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_QUERY_EQN),
			      &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_QUERY_UAR));

/* objects of the mlx5 namespace */
const struct uapi_definition ibx_devx_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_DEVX),
	{}
};
