/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The test modules are written for the newest kernel. This file defines interfaces that older
 * kernels lack. The Kbuild file of a module lists the features that the module needs. HAVE_* is
 * not defined for features that are not listed.
 */
#ifndef TEST_MODULES_COMPAT_H
#define TEST_MODULES_COMPAT_H

#include <linux/bio.h>
#include <linux/blk-mq.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "compat/features.h"

#ifndef HAVE_BVEC_ITER_OFFSET
#define bi_offset bi_bvec_done
#endif

/* crc32c() exists; older kernels define it in libcrc32c.ko */
#if defined(HAVE_CRC32C_LIB) || IS_ENABLED(CONFIG_LIBCRC32C)
#define T_HAS_CRC32C
#endif

#ifndef HAVE_BIO_INLINE_VECS
#define bio_inline_vecs(bio) ((bio)->bi_inline_vecs)
#endif

/* bytes of a raw key of blk-crypto, and the initializer of its type */
#ifdef HAVE_BLK_CRYPTO_KEY_TYPE
#define t_blk_key_bytes(key) ((key)->bytes)
#define T_BLK_KEY_IS_RAW .key_type = BLK_CRYPTO_KEY_TYPE_RAW,
#else
#define t_blk_key_bytes(key) ((key)->raw)
#define T_BLK_KEY_IS_RAW
#endif

/* the initializer that allows a key to be used in hardware; older kernels always allow it */
#ifdef HAVE_BLK_CRYPTO_ALLOW_HW
#define T_BLK_KEY_ALLOWS_HW .flags = BLK_CRYPTO_CFG_ALLOW_HW,
#else
#define T_BLK_KEY_ALLOWS_HW
#endif

/* the parameters and arguments of a DMA map operation that describe the memory */
#ifdef HAVE_DMA_MAP_PHYS
#define T_MAP_PARAM phys_addr_t phys
#define T_MAP_ARG phys
#else
#define T_MAP_PARAM struct page *page, unsigned long offset
#define T_MAP_ARG page, offset
#define map_phys map_page
#define unmap_phys unmap_page
#endif

/* t_freeze_queue() returns flags for t_unfreeze_queue() */
#ifdef HAVE_BLK_MQ_FREEZE_MEMFLAGS
#define t_freeze_queue(q) blk_mq_freeze_queue(q)
#define t_unfreeze_queue(q, memflags) blk_mq_unfreeze_queue(q, memflags)
#else
#define t_freeze_queue(q) ({ blk_mq_freeze_queue(q); 0; })
#define t_unfreeze_queue(q, memflags) ({ (void)(memflags); blk_mq_unfreeze_queue(q); })
#endif

/*
 * Newer kernels resize only CQs of processes, with the verb resize_user_cq(). resize_user_cq() of
 * mlx5_ibx also accepts CQs of the kernel. For other drivers, t_ib_resize_cq() does not call the
 * verb and returns -EOPNOTSUPP.
 */
static inline int t_ib_resize_cq(struct ib_cq *cq, int cqe)
{
#ifdef HAVE_IB_RESIZE_CQ
	return ib_resize_cq(cq, cqe);
#elif defined(HAVE_IB_RESIZE_USER_CQ)
	if (strcmp(module_name(cq->device->ops.owner), "mlx5_ibx"))
		return -EOPNOTSUPP;
	return cq->device->ops.resize_user_cq(cq, cqe, NULL);
#else
	return -EOPNOTSUPP;
#endif
}

/* a row for a table of refused attributes; newer kernels warn if a ULP creates a CQ of 0 CQEs */
#ifdef HAVE_IB_RESIZE_CQ
#define T_CQ_OF_0_CQES	{ .cqe = 0 },
#else
#define T_CQ_OF_0_CQES
#endif

#endif /* TEST_MODULES_COMPAT_H */
