// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of the device for processes.
 */
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <uapi/rdma/mlx5-abi.h>

#define UVERBS_MODULE_NAME mlx5_ibx
#include <rdma/uverbs_named_ioctl.h>

#include "abi/abi.h"
#include "verbs/verbs.h"

/*
 * Set the capabilities that only processes can use: XRC and memory windows.
 * libmlx5 posts their work requests. ib_post_send() supports neither XRC nor
 * memory windows, because no ULP of the kernel needs them.
 */
static void add_user_verbs(const struct ibx_dev *dev, struct ib_device_attr *attr)
{
	if (MLX5_CAP_GEN(dev->mdev, xrc))
		attr->device_cap_flags |= IB_DEVICE_XRC;
	if (ibx_has_mw(dev)) {
		attr->device_cap_flags |= IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B;
		attr->max_mw = BIT(MLX5_CAP_GEN(dev->mdev, log_max_mkey));
	}
}

/**
 * ibx_user_query_device() - verb query_device, for the core and for processes
 * @ibdev: device
 * @attr: gets the attributes
 * @udata: NULL or empty for the core. For a process, all bytes of the request
 *	must be 0, and the response is struct mlx5_ib_query_device_resp
 *
 * Of the offloads in the response, only the streams of DCIs are set. The others
 * are of raw packet QPs and compressed CQEs, which the driver does not support.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: the request is not 0
 * * -EINVAL: the buffer of the response has no space for response_length
 * * -EFAULT
 * * an errno of ibx_query_device()
 */
int ibx_user_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			  struct ib_udata *udata)
{
	const struct mlx5_core_dev *mdev = to_idev(ibdev)->mdev;
	struct mlx5_ib_query_device_resp resp = {};
	int err;

	err = ibx_query_device(ibdev, attr, NULL);
	if (err)
		return err;
	/*
	 * a query of the core (without udata) gets these attributes, too: the
	 * core stores the attributes, and returns them to ibv_query_device()
	 */
	add_user_verbs(to_idev(ibdev), attr);
	if (!udata || (!udata->inlen && !udata->outlen))
		return 0;
	if (!ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	if (!udata->outlen)
		return 0;
	if (MLX5_CAP_GEN(mdev, dct)) {
		resp.dci_streams_caps.max_log_num_concurent =
			MLX5_CAP_GEN(mdev, log_max_dci_stream_channels);
		resp.dci_streams_caps.max_log_num_errored =
			MLX5_CAP_GEN(mdev, log_max_dci_errored_streams);
	}
	resp.response_length = min(udata->outlen, sizeof(resp));
	return ibx_udata_write(udata, &resp, sizeof(resp),
			       offsetofend(typeof(resp), response_length));
}

/*
 * The response describes the place of the port in an eswitch. It is all 0,
 * because the port belongs to no eswitch.
 */
static int UVERBS_HANDLER(MLX5_IB_METHOD_QUERY_PORT)(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ibuc = ib_uverbs_get_ucontext(attrs);
	const struct mlx5_ib_uapi_query_port resp = {};
	u32 port;
	int err;

	if (IS_ERR(ibuc))
		return PTR_ERR(ibuc);
	err = uverbs_copy_from(&port, attrs, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM);
	if (err)
		return err;
	if (!rdma_is_port_valid(ibuc->device, port))
		return -EINVAL;
	return uverbs_copy_to_struct_or_zero(attrs, MLX5_IB_ATTR_QUERY_PORT, &resp, sizeof(resp));
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_QUERY_PORT,
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_QUERY_PORT_PORT_NUM,
					       UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_QUERY_PORT,
						UVERBS_ATTR_STRUCT(struct mlx5_ib_uapi_query_port,
								   reg_c0), UA_MANDATORY));

ADD_UVERBS_METHODS(query_port_tree, UVERBS_OBJECT_DEVICE,
		   &UVERBS_METHOD(MLX5_IB_METHOD_QUERY_PORT));

/* the method QUERY_PORT, which mlx5 adds to the device object */
const struct uapi_definition ibx_device_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &query_port_tree),
	{}
};
