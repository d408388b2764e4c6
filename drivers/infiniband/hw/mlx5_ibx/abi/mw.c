// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows of processes. A window is an mkey that is created free. The process binds it
 * by a UMR in its own send queue, which names the MR, the range and the rights.
 */
#include <uapi/rdma/mlx5-abi.h>

#include "abi/abi.h"
#include "abi/keep.h"
#include "cmd/cmd.h"

/* the device fetches the entries of a list of KLMs in groups of this size */
#define KLMS_TOGETHER	4

static int umw_read_cmd(struct ib_udata *udata, struct mlx5_ib_alloc_mw *cmd)
{
	int err = ibx_udata_read(udata, cmd, sizeof(*cmd), 0);

	if (err)
		return err;
	return cmd->comp_mask || cmd->reserved1 || cmd->reserved2 ? -EOPNOTSUPP : 0;
}

/* response of alloc_mw in mlx5_ib; <rdma/mlx5-abi.h> does not define it */
struct alloc_mw_resp {
	__u32 comp_mask;
	__u32 response_length;
};

static int umw_write_resp(struct ib_udata *udata)
{
	struct alloc_mw_resp resp = { .response_length = min(udata->outlen, sizeof(resp)) };

	return ibx_udata_write(udata, &resp, sizeof(resp), 0);
}

static void name_mw(u32 key, struct ibx_keep *keep)
{
	*keep = (struct ibx_keep) { .what = "mkey" };
	ibx_cmd_fill_undo(keep->undo, MLX5_CMD_OP_DESTROY_MKEY, 0, mlx5_mkey_to_idx(key));
}

/*
 * Destroy a new window whose response cannot be written. The device may refuse,
 * for example if another thread of the process has guessed the key.
 */
static void undo_mw(struct ibx_uctx *uctx, struct ibx_dev *dev, u32 key)
{
	struct ibx_keep keep;

	name_mw(key, &keep);
	ibx_keep_undestroyed(uctx, &keep, ibx_cmd_destroy_mkey(dev, key));
}

/**
 * ibx_alloc_mw() - verb alloc_mw
 * @ibmw: memory window of type 1 or 2, with its pd set by the core; gets its rkey
 * @udata: empty or struct mlx5_ib_alloc_mw, and any space for the response
 *
 * A window of type 1 belongs to its PD. A window of type 2 belongs to the QP
 * that binds it, and the peer may invalidate it.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: a reserved field is set, or the device has no indirect mkeys
 * * -EFAULT
 * * -ENOMEM
 * * an errno from cmd.h
 */
int ibx_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibmw->device);
	struct ibx_mkey_params p = {
		.mode = MLX5_MKC_ACCESS_MODE_KLMS,
		.pdn = to_ipd(ibmw->pd)->pdn,
		.free = true,
		.strict = true,
		.rinval = ibmw->type == IB_MW_TYPE_2,
	};
	struct mlx5_ib_alloc_mw cmd;
	int err;

	if (!ibx_has_mw(dev))
		return -EOPNOTSUPP;
	err = umw_read_cmd(udata, &cmd);
	if (err)
		return err;
	p.octwords = roundup(max_t(u32, cmd.num_klms, 1), KLMS_TOGETHER);
	err = ibx_cmd_create_mkey(dev, &p, &ibmw->rkey);
	if (err) {
		ibx_keep_hold_pd(to_ipd(ibmw->pd), 0, err);
		return err;
	}
	err = umw_write_resp(udata);
	if (err)
		undo_mw(udata_to_uctx(udata), dev, ibmw->rkey);
	return err;
}

static int keep_mw(const struct ib_mw *ibmw, int err)
{
	struct ibx_keep keep;

	name_mw(ibmw->rkey, &keep);
	keep.must = ibx_uobj_is_new(ibmw->uobject);
	return ibx_keep_refused(to_uctx(ibmw->uobject->context), &keep, err);
}

/**
 * ibx_dealloc_mw() - verb dealloc_mw
 * @ibmw: memory window, bound or not
 *
 * After binding, a process has further keys of the window; all have the index
 * of @ibmw->rkey.
 *
 * Context: may sleep.
 * Return:
 * * 0; also if the mkey is kept (abi/keep.c), or the device has not answered.
 *   An unanswered command is not retried, because the index may belong to
 *   another mkey
 * * an errno from cmd.h: the window is not destroyed
 */
int ibx_dealloc_mw(struct ib_mw *ibmw)
{
	struct ibx_dev *dev = to_idev(ibmw->device);
	int err = ibx_cmd_destroy_mkey(dev, ibmw->rkey);

	return err ? keep_mw(ibmw, err) : 0;
}
