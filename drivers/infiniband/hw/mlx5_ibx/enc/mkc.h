/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: contexts of mkeys to create. A pure function: no locks, no access to
 * the device.
 */
#ifndef MLX5_IBX_MKC_H
#define MLX5_IBX_MKC_H

#include "dev.h"

/**
 * struct ibx_mkey_params - an mkey to create
 * @mode: MLX5_MKC_ACCESS_MODE_*
 * @pdn: number of its PD
 * @access: IB_ACCESS_*
 * @strict: no relaxed ordering, even if the device supports it
 * @no_ats: no address translation services, even if the device supports them
 * @start: first address of a valid mkey with translations
 * @length: number of bytes of a valid mkey with translations
 * @page_shift: log2 of the bytes of a page of an MTT mkey; 0 for PAGE_SHIFT
 * @octwords: space for translations, in units of 16 bytes; 0 for PA
 * @free: the mkey is created free: a UMR must set it, and UMRs may change it
 * @umr: the mkey is created valid, and UMRs may change it
 * @length64: the mkey covers all of memory
 * @bsf_octwords: space for BSFs, in units of 16 bytes; 0 without BSFs
 * @crypto: some of @bsf_octwords are for encryption
 * @rinval: the peer may invalidate the mkey; not needed for IB_WR_REG_MR, whose
 *	UMR sets this permission
 */
struct ibx_mkey_params {
	u8 mode;
	u32 pdn;
	u32 access;
	bool strict;
	bool no_ats;
	u64 start;
	u64 length;
	u8 page_shift;
	u32 octwords;
	u32 bsf_octwords;
	bool free;
	bool umr;
	bool length64;
	bool crypto;
	bool rinval;
};

void ibx_mkc_create(void *mkc, const struct ibx_mkey_params *p, const struct ibx_mkey_caps *caps,
		    u8 variant);

#endif /* MLX5_IBX_MKC_H */
