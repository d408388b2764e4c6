/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: type of dynamically connected transport (DC).
 */
#ifndef MLX5_IBX_DC_H
#define MLX5_IBX_DC_H

#include <linux/completion.h>
#include <rdma/ib_verbs.h>

/**
 * struct ibx_dct_drain - a DCT that is being drained
 * @link: entry in ibx_dev.draining
 * @done: completed when no message to the DCT is in progress
 * @dctn: number of the DCT
 * @uid: user context of the DCT
 */
struct ibx_dct_drain {
	struct list_head link;
	struct completion done;
	u32 dctn;
	u16 uid;
};

/**
 * struct ibx_dc - fields of a DCI or DCT
 * @streams: a DCI was created with streams
 * @key: access key of a DCT
 * @user_index: user index of CQEs of version 1 of a DCT
 * @mtu: path MTU of a DCT
 * @min_rnr_timer: minimum RNR timer of a DCT
 * @left: a DCT of a process has failed to enter RTR, and the device refused to
 *	destroy the DCT
 */
struct ibx_dc {
	bool streams;
	u64 key;
	u32 user_index;
	enum ib_mtu mtu;
	u8 min_rnr_timer;
	bool left;
};

#endif /* MLX5_IBX_DC_H */
