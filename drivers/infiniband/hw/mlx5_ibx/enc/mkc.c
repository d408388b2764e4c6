// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: contexts of mkeys to create.
 *
 * Every mkey of the kernel has relaxed ordering if the device and its PCI path
 * support it, as in mlx5_ib: consumers in the kernel wait for a completion
 * before they use data, and the core has no access flag with which they could
 * choose. UMRs for the kernel do not change relaxed ordering. A process chooses
 * for each of its MRs. If the device supports address translation services
 * (ATS), an mkey of the kernel that translates to bus addresses of host memory
 * uses ATS; an mkey of a process uses ATS only if it needs ATS (abi/mr.c).
 */
#include <linux/mlx5/device.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <rdma/ib_verbs.h>

#include "enc/mkc.h"

/* crypto_en; not in <linux/mlx5/mlx5_ifc.h>: the position is from rdma-core */
#define MKC_CRYPTO_WORD	15
#define MKC_CRYPTO_EN	BIT(27)	/* low bit of a field of two bits */

static void mkc_set_access(void *mkc, u32 access)
{
	MLX5_SET(mkc, mkc, lr, 1);
	MLX5_SET(mkc, mkc, lw, !!(access & IB_ACCESS_LOCAL_WRITE));
	MLX5_SET(mkc, mkc, rr, !!(access & IB_ACCESS_REMOTE_READ));
	MLX5_SET(mkc, mkc, rw, !!(access & IB_ACCESS_REMOTE_WRITE));
	MLX5_SET(mkc, mkc, a, !!(access & IB_ACCESS_REMOTE_ATOMIC));
}

static void mkc_set_pci(void *mkc, const struct ibx_mkey_params *p,
			const struct ibx_mkey_caps *caps)
{
	if (!p->strict) {
		MLX5_SET(mkc, mkc, relaxed_ordering_write, caps->ro_write);
		MLX5_SET(mkc, mkc, relaxed_ordering_read,
			 caps->ro_read || (caps->ro_read_pci && caps->pci_ro));
	}
	if (!p->no_ats && (p->mode == MLX5_MKC_ACCESS_MODE_PA ||
			   p->mode == MLX5_MKC_ACCESS_MODE_MTT))
		MLX5_SET(mkc, mkc, ma_translation_mode, caps->ats);
}

/**
 * ibx_mkc_create() - write the context of an mkey to create
 * @mkc: context, zeroed
 * @p: parameters of the mkey
 * @caps: capabilities of the device
 * @variant: low byte of the key
 *
 * Context: any.
 */
void ibx_mkc_create(void *mkc, const struct ibx_mkey_params *p, const struct ibx_mkey_caps *caps,
		    u8 variant)
{
	mkc_set_access(mkc, p->access);
	mkc_set_pci(mkc, p, caps);
	MLX5_SET(mkc, mkc, access_mode_1_0, p->mode & 0x3);
	MLX5_SET(mkc, mkc, access_mode_4_2, (p->mode >> 2) & 0x7);
	MLX5_SET(mkc, mkc, mkey_7_0, variant);
	MLX5_SET(mkc, mkc, qpn, 0xffffff);
	MLX5_SET(mkc, mkc, pd, p->pdn);
	MLX5_SET(mkc, mkc, length64, p->length64);
	MLX5_SET64(mkc, mkc, start_addr, p->start);
	MLX5_SET64(mkc, mkc, len, p->length);
	MLX5_SET(mkc, mkc, free, p->free);
	MLX5_SET(mkc, mkc, umr_en, p->free || p->umr);
	MLX5_SET(mkc, mkc, en_rinval, p->rinval);
	MLX5_SET(mkc, mkc, translations_octword_size, p->octwords);
	MLX5_SET(mkc, mkc, bsf_en, !!p->bsf_octwords);
	MLX5_SET(mkc, mkc, bsf_octword_size, p->bsf_octwords);
	if (p->crypto)
		((__be32 *)mkc)[MKC_CRYPTO_WORD] |= cpu_to_be32(MKC_CRYPTO_EN);
	if (p->mode == MLX5_MKC_ACCESS_MODE_MTT)
		MLX5_SET(mkc, mkc, log_page_size, p->page_shift ?: PAGE_SHIFT);
}
