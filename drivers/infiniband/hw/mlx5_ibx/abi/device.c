// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of the device for processes.
 */
#include <uapi/rdma/mlx5-abi.h>

#include "abi/abi.h"
#include "verbs/verbs.h"

/**
 * ibx_user_query_device() - verb query_device, for processes too
 * @ibdev: device
 * @attr: gets the attributes
 * @udata: empty for the core. Else the request must be empty, and
 *	struct mlx5_ib_query_device_resp is the response
 *
 * All offloads in the response are 0: they are those of raw packet QPs and of
 * compressed CQEs, which the driver does not have.
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP for a request that is not 0; -EINVAL for a response
 * without response_length; -EFAULT; or an errno of ibx_query_device().
 */
int ibx_user_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			  struct ib_udata *udata)
{
	struct mlx5_ib_query_device_resp resp = {};
	int err;

	err = ibx_query_device(ibdev, attr, NULL);
	if (err || !udata || (!udata->inlen && !udata->outlen))
		return err;
	if (!ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	/* ib_post_send() has no atomics, libmlx5 has */
	if (ibx_has_atomics(to_idev(ibdev)))
		attr->atomic_cap = IB_ATOMIC_HCA;
	if (!udata->outlen)
		return 0;
	resp.response_length = min(udata->outlen, sizeof(resp));
	return ibx_udata_write(udata, &resp, sizeof(resp),
			       offsetofend(typeof(resp), response_length));
}
