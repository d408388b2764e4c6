// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: mlx5dv_query_device() of <rdma/mlx5dv.h>.
 */
#include <linux/export.h>

#include "dv/dv.h"
#include "verbs/verbs.h"

static void get_dci_streams(struct mlx5_core_dev *mdev, struct mlx5dv_dci_streams_caps *caps)
{
	memset(caps, 0, sizeof(*caps));
	if (!MLX5_CAP_GEN(mdev, dct))
		return;
	caps->max_log_num_concurent = MLX5_CAP_GEN(mdev, log_max_dci_stream_channels);
	caps->max_log_num_errored = MLX5_CAP_GEN(mdev, log_max_dci_errored_streams);
}

int mlx5dv_query_device(struct ib_device *device, struct mlx5dv_context *attrs)
{
	u64 wanted = attrs->comp_mask;

	if (!ibx_is_ours(device))
		return -EOPNOTSUPP;
	attrs->comp_mask = 0;
	if (wanted & MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD) {
		attrs->sig_caps = to_idev(device)->sig_caps;
		attrs->comp_mask |= MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD;
	}
	if (wanted & MLX5DV_CONTEXT_MASK_DCI_STREAMS) {
		get_dci_streams(to_idev(device)->mdev, &attrs->dci_streams_caps);
		attrs->comp_mask |= MLX5DV_CONTEXT_MASK_DCI_STREAMS;
	}
	if (wanted & MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH) {
		attrs->max_wr_memcpy_length = to_idev(device)->mmo.max;
		attrs->comp_mask |= MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH;
	}
	if (wanted & MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD) {
		attrs->crypto_caps = to_idev(device)->crypto_caps;
		attrs->comp_mask |= MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD;
	}
	if (wanted & MLX5DV_CONTEXT_MASK_MKEY) {
		attrs->max_mkey_entries = ibx_mkey_max_entries(to_idev(device));
		attrs->comp_mask |= MLX5DV_CONTEXT_MASK_MKEY;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(mlx5dv_query_device);
