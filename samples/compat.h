/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The samples are written for the newest kernel. This file defines interfaces
 * that older kernels lack.
 */
#ifndef MLX5_FRWR_SAMPLES_COMPAT_H
#define MLX5_FRWR_SAMPLES_COMPAT_H

#include <linux/blk-crypto-profile.h>
#include <linux/blk-mq.h>

#include "compat/features.h"

#ifndef HAVE_BLK_RQ_MAP_SG
#define blk_rq_map_sg(rq, sgl) blk_rq_map_sg((rq)->q, rq, sgl)
#define CRYPTO_DISK_TAG_FLAGS BLK_MQ_F_SHOULD_MERGE
#else
#define CRYPTO_DISK_TAG_FLAGS 0
#endif

/* accept only raw keys; older kernels have no other type of key, and no field for types */
static inline void crypto_disk_take_raw_keys(struct blk_crypto_profile *profile)
{
#ifdef HAVE_BLK_CRYPTO_KEY_TYPE
	profile->key_types_supported = BLK_CRYPTO_KEY_TYPE_RAW;
#endif
}

#endif /* MLX5_FRWR_SAMPLES_COMPAT_H */
