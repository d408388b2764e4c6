/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fields of capability pages, and access to their current values.
 */
#ifndef MLX5SIM_OBJ_CAPS_H
#define MLX5SIM_OBJ_CAPS_H

#include <linux/mlx5/device.h>
#include <linux/mlx5/mlx5_ifc.h>

#include "core/bits.h"

/**
 * struct sim_cap_def - a capability field
 * @type: MLX5_CAP_* of its page
 * @rw: SET_HCA_CAP may change the field
 * @name: name in the module parameter caps=
 * @f: position in the page
 * @cur: value after power-on
 * @max: largest value
 */
struct sim_cap_def {
	u16 type;
	bool rw;
	const char *name;
	struct sim_field f;
	u32 cur;
	u32 max;
};

/* Values of cmdif_checksum: mailboxes are unsigned or signed */
#define SIM_CMDIF_UNSIGNED	0
#define SIM_CMDIF_SIGNED	3

#define SIM_CAPS_PAGE_SIZE	MLX5_UN_SZ_BYTES(hca_cap_union)

/* Current value of a field of the GENERAL page; hardware thread */
#define SIM_CAP(sdev, f)							\
	MLX5_GET(cmd_hca_cap, sim_caps_page(sdev, MLX5_CAP_GENERAL, false), f)

/* Fields of the GENERAL page without a name in <linux/mlx5/mlx5_ifc.h> */
#define SIM_CAP_LOG_DMA_MMO_MAX_SIZE	{ 0x6b, 5 }
#define SIM_CAP_SIG_CRC64_XP10		{ 0x147, 1 }
#define SIM_CAP_SIG_CRC32C		{ 0x148, 1 }
#define SIM_CAP_DMA_MMO_SQ		{ 0x153, 1 }
#define SIM_CAP_SIG_BLOCK_4048		{ 0x1f0, 1 }
#define SIM_CAP_XTS_SINGLE		{ 0x3f1, 1 }
#define SIM_CAP_XTS_MULTI		{ 0x3f2, 1 }
#define SIM_CAP_OBJ_LOGIN		{ 0x420, 1 }	/* bit 0x1f of general_obj_types */
#define SIM_CAP_OBJ_DEK			{ 0x433, 1 }	/* bit 0xc of general_obj_types */
#define SIM_CAP_SIGERR_DOMAIN		{ 0x480, 1 }
#define SIM_CAP_DMA_MMO_QP		{ 0x748, 1 }

#define SIM_CAP_AT(sdev, field)							\
	sim_bits_get(sim_caps_page(sdev, MLX5_CAP_GENERAL, false), (struct sim_field)field)

/*
 * Fields of the DEV_EVENT page: bits 0 to 31 of its two masks, one bit per
 * event type
 */
#define SIM_EVENT_OF_OBJECTS		{ 0x20, 32 }
#define SIM_EVENT_OF_DEVICE		{ 0x120, 32 }
#define SIM_EVENT(name)			BIT(MLX5_EVENT_TYPE_##name)

/* Fields of the CRYPTO page for AES-XTS, as in libmlx5 */
#define SIM_CRYPTO_WRAPPED_WORKS	{ 0x0, 1 }
#define SIM_CRYPTO_WRAPPED_GOES		{ 0x1, 1 }
#define SIM_CRYPTO_WRAPPED_METHOD	{ 0x18, 8 }
#define SIM_CRYPTO_WRAPPED_XTS		BIT(2)
#define SIM_CRYPTO_LOG_MAX_DEKS		{ 0x2b, 5 }
#define SIM_CRYPTO_FAILED_TESTS		{ 0x40, 16 }

/* Current value of a field of the CRYPTO page, on a device with this page */
#define SIM_CAP_CRYPTO(sdev, field)						\
	sim_bits_get(sim_caps_page(sdev, MLX5_CAP_CRYPTO, false), (struct sim_field)field)

/* The lkey that ends a scatter list; no key has one of the two numbers. */
#define SIM_TERMINATE_LKEY	0x100		/* MLX5_TERMINATE_SCATTER_LIST_LKEY */
#define SIM_TERMINATE_LKEY_CAP	0xffffff00	/* with terminate_scatter_list_mkey */

#endif /* MLX5SIM_OBJ_CAPS_H */
