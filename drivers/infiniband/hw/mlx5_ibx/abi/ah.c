// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles of processes. The process builds the address vector. The
 * kernel resolves the destination MAC, and holds the source GID.
 */
#include <linux/etherdevice.h>
#include <uapi/rdma/mlx5-abi.h>

#include "abi/abi.h"
#include "verbs/verbs.h"

/**
 * ibx_user_create_ah() - verb create_user_ah
 * @ibah: address handle
 * @init: address vector of the destination
 * @udata: empty, or space for struct mlx5_ib_create_ah_resp
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: the request is not 0
 * * -EINVAL: the response has no space for dmac
 * * -EFAULT
 * * an errno of ibx_create_ah()
 */
int ibx_user_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		       struct ib_udata *udata)
{
	struct mlx5_ib_create_ah_resp resp = {};
	int err;

	if (!ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	err = ibx_create_ah(ibah, init, NULL);
	if (err || !udata->outlen)
		return err;
	resp.response_length = min(udata->outlen, sizeof(resp));
	ether_addr_copy(resp.dmac, init->ah_attr->roce.dmac);
	return ibx_udata_write(udata, &resp, sizeof(resp), offsetofend(typeof(resp), dmac));
}
