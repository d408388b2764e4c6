// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: mlx5dv_query_device() of <rdma/mlx5dv.h>.
 */
#include <linux/export.h>

#include "dv/companion.h"
#include "dv/dv.h"

static void get_dci_streams(struct mlx5_core_dev *mdev, struct mlx5dv_dci_streams_caps *caps)
{
	memset(caps, 0, sizeof(*caps));
	if (!MLX5_CAP_GEN(mdev, dct))
		return;
	caps->max_log_num_concurent = MLX5_CAP_GEN(mdev, log_max_dci_stream_channels);
	caps->max_log_num_errored = MLX5_CAP_GEN(mdev, log_max_dci_errored_streams);
}

static void query_dev(const struct ibx_dev *dev, struct mlx5dv_context *attrs)
{
	u64 wanted = attrs->comp_mask;

	attrs->comp_mask = 0;
	if (wanted & MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD) {
		attrs->sig_caps = dev->sig_caps;
		attrs->comp_mask |= MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD;
	}
	if (wanted & MLX5DV_CONTEXT_MASK_DCI_STREAMS) {
		get_dci_streams(dev->mdev, &attrs->dci_streams_caps);
		attrs->comp_mask |= MLX5DV_CONTEXT_MASK_DCI_STREAMS;
	}
	if (wanted & MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH) {
		attrs->max_wr_memcpy_length = dev->mmo.max;
		attrs->comp_mask |= MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH;
	}
	if (wanted & MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD) {
		attrs->crypto_caps = dev->crypto_caps;
		attrs->comp_mask |= MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD;
	}
	if (wanted & MLX5DV_CONTEXT_MASK_MKEY) {
		attrs->max_mkey_entries = ibx_mkey_max_entries(dev);
		attrs->comp_mask |= MLX5DV_CONTEXT_MASK_MKEY;
	}
}

int mlx5dv_query_device(struct ib_device *device, struct mlx5dv_context *attrs)
{
	struct ibx_dev *dev = ibx_dv_get(device);

	if (!dev)
		return -EOPNOTSUPP;
	query_dev(dev, attrs);
	ibx_dv_put(dev);
	return 0;
}
EXPORT_SYMBOL_GPL(mlx5dv_query_device);
