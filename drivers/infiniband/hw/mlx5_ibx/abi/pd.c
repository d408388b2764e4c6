// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains of processes. They have no DMA MR.
 *
 * A process that imports a PD of another process has the handle of the PD, and
 * queries its number, which libmlx5 needs for objects of DEVX.
 */
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/uverbs_std_types.h>
#include <uapi/rdma/mlx5-abi.h>

#define UVERBS_MODULE_NAME mlx5_ibx
#include <rdma/uverbs_named_ioctl.h>

#include "abi/abi.h"
#include "abi/keep.h"
#include "cmd/cmd.h"
#include "verbs/verbs.h"

static void name_pd(const struct ibx_pd *pd, struct ibx_keep *keep)
{
	*keep = (struct ibx_keep) { .what = "PD" };
	ibx_cmd_fill_undo(keep->undo, MLX5_CMD_OP_DEALLOC_PD, pd->uid, pd->pdn);
}

/*
 * Destroy a new PD whose response cannot be written. If another thread of the
 * process has guessed the number of the PD and uses the PD, the PD is kept.
 */
static void undo_pd(struct ibx_uctx *uctx, struct ibx_dev *dev, const struct ibx_pd *pd)
{
	struct ibx_keep keep;

	name_pd(pd, &keep);
	ibx_keep_undestroyed(uctx, &keep, ibx_cmd_dealloc_pd(dev, pd));
}

static int keep_pd(struct ibx_uctx *uctx, struct ib_pd *ibpd, int err)
{
	struct ibx_keep keep;

	name_pd(to_ipd(ibpd), &keep);
	keep.must = ibx_uobj_is_new(ibpd->uobject);
	/* no further command names the number of a held PD */
	return ibx_keep_refused(uctx, &keep, to_ipd(ibpd)->held ? -ETIMEDOUT : err);
}

/**
 * ibx_user_alloc_pd() - verb alloc_pd
 * @ibpd: the PD
 * @udata: NULL for a kernel PD; else space for struct mlx5_ib_alloc_pd_resp
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: the request is not 0
 * * -EINVAL: there is no space for the number of the PD
 * * -EFAULT
 * * an errno of ibx_alloc_pd()
 */
int ibx_user_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct mlx5_ib_alloc_pd_resp resp = {};
	int err;

	if (udata && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	if (udata)
		to_ipd(ibpd)->uid = udata_to_uctx(udata)->uid;
	err = ibx_alloc_pd(ibpd, NULL);
	if (!udata)
		return err;
	if (err) {
		ibx_keep_note(udata_to_uctx(udata), err);
		return err;
	}
	resp.pdn = to_ipd(ibpd)->pdn;
	err = ibx_udata_write(udata, &resp, sizeof(resp), sizeof(resp));
	if (err)
		undo_pd(udata_to_uctx(udata), to_idev(ibpd->device), to_ipd(ibpd));
	return err;
}

/**
 * ibx_user_dealloc_pd() - verb dealloc_pd
 * @ibpd: PD that no object of the verbs uses
 * @udata: context of the process; unused for a PD of the kernel
 *
 * Objects of DEVX may use a PD of a process. The device refuses to destroy such
 * a PD; in the cases of abi/keep.c this function returns 0 nevertheless.
 *
 * Context: may sleep.
 * Return: 0, or for a PD of a process an errno from cmd.h.
 */
int ibx_user_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	int err;

	if (!ibpd->uobject)
		return ibx_dealloc_pd(ibpd, udata);
	err = ibx_cmd_dealloc_pd(to_idev(ibpd->device), to_ipd(ibpd));
	return err ? keep_pd(udata_to_uctx(udata), ibpd, err) : 0;
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_PD_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_pd *ibpd = uverbs_attr_get_obj(attrs, MLX5_IB_ATTR_QUERY_PD_HANDLE);
	u32 pdn = to_ipd(ibpd)->pdn;

	return uverbs_copy_to(attrs, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, &pdn, sizeof(pdn));
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_PD_QUERY,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_QUERY_PD_HANDLE, UVERBS_OBJECT_PD,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_QUERY_PD_RESP_PDN,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

ADD_UVERBS_METHODS(pd_query_tree, UVERBS_OBJECT_PD, &UVERBS_METHOD(MLX5_IB_METHOD_PD_QUERY));

/* method of the mlx5 namespace */
const struct uapi_definition ibx_pd_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_PD, &pd_query_tree),
	{}
};
