/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: type of dynamically connected transport (DC).
 */
#ifndef MLX5_IBX_DC_H
#define MLX5_IBX_DC_H

#include <linux/completion.h>
#include <rdma/ib_verbs.h>

/**
 * struct ibx_dc - fields of a DCI or DCT
 * @streams: a DCI was created with streams
 * @key: access key of a DCT
 * @user_index: user index of CQEs of version 1 of a DCT
 * @mtu: path MTU of a DCT
 * @min_rnr_timer: minimum RNR timer of a DCT
 * @link: entry of a DCT in ibx_dev.draining
 * @left: the device keeps a DCT of a process, which has failed to enter RTR
 * @drained: completed when no message to a DCT is in progress
 */
struct ibx_dc {
	bool streams;
	u64 key;
	u32 user_index;
	enum ib_mtu mtu;
	u8 min_rnr_timer;
	bool left;
	struct list_head link;
	struct completion drained;
};

#endif /* MLX5_IBX_DC_H */
