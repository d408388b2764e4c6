/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory keys of a device. */
#ifndef MLX5SIM_OBJ_MKEY_H
#define MLX5SIM_OBJ_MKEY_H

#include "obj/crypto.h"
#include "obj/objects.h"
#include "obj/sig.h"

#define SIM_MAX_PAGE_SHIFT	62	/* largest log_page_size of an mkey */
#define SIM_OCTWORD		16	/* bytes per unit of translations */
#define SIM_ANY_QPN		0xffffff	/* any QP may use the mkey */

enum sim_mkey_mode {
	SIM_MKEY_PA = 0,
	SIM_MKEY_MTT = 1,
	SIM_MKEY_KLM = 2,
	SIM_MKEY_KSM = 3,
};

#define SIM_MKEY_LR	BIT(0)
#define SIM_MKEY_LW	BIT(1)
#define SIM_MKEY_RR	BIT(2)
#define SIM_MKEY_RW	BIT(3)
#define SIM_MKEY_A	BIT(4)

#define SIM_MKEY_RO_WRITE	BIT(0)
#define SIM_MKEY_RO_READ	BIT(1)
#define SIM_MKEY_ATS		BIT(2)

struct sim_klm;

/*
 * struct sim_mkey - a memory key
 * @obj: obj.id is the index; the key is id << 8 | @variant
 * @free: no access is allowed until a UMR makes the key valid
 * @access: rights, SIM_MKEY_*
 * @pci: attributes of accesses to the host, SIM_MKEY_RO_* and _ATS; without
 *	effect
 * @access_made: rights set by CREATE_MKEY, restored by an invalidation
 * @qpn: number of the only QP that may use the key, SIM_ANY_QPN = any QP
 * @len64: the length is 2^64, and the start address 0
 * @log_page_size: log2 of the bytes described by an entry of @mtt, or of a KSM
 *	list
 * @xlt_octwords: capacity for translations in 16-byte units, fixed at creation
 * @xlt_used: translations in force, in 16-byte units
 * @umem: MTT mode: UMEM whose pages @mtt contains; NULL if CREATE_MKEY had a
 *	page list
 * @mtt: MTT mode: bus address per page, low bits masked
 * @klm: KLM and KSM mode: entries; a KLM list may be a strided pattern (klm.c)
 * @bsf_octwords: space for BSFs in 16-byte units, may be 0; the BSF of
 *	signatures is first
 * @bsf: signatures of the two domains; NULL if @bsf_octwords is 0. Its types
 *	are 0 if the space is only for a crypto BSF
 * @crypto: encryption; NULL if the key was created without encryption
 * @bsf_en: @bsf and @crypto are in force
 * @bsf_set: a UMR has written a BSF since the key was created
 * @sigerr_expected: bit that the last UMR for signature errors contained
 *	(dp/sigerr.c)
 * @sigerrs: number of signature errors that were reported
 */
struct sim_mkey {
	struct sim_obj obj;
	u8 variant;
	enum sim_mkey_mode mode;
	bool free;
	bool umr_en;
	bool rinval_en;
	bool len64;
	u8 access;
	u8 access_made;
	u8 pci;
	u32 qpn;
	u32 pdn;
	u64 start;
	u64 len;
	u8 log_page_size;
	u32 xlt_octwords;
	u32 xlt_used;
	struct sim_umem *umem;
	u64 *mtt;
	struct sim_klm *klm;
	u8 bsf_octwords;
	struct sim_bsf *bsf;
	struct sim_crypto *crypto;
	bool bsf_en;
	bool bsf_set;
	bool sigerr_expected;
	u32 sigerrs;
};

/*
 * Space for translations in a key, in 16-byte units, rounded up to 64 bytes.
 * UMRs write units of 64 bytes: stock drivers write a complete unit even to a
 * smaller key, and the rest of the unit is padding.
 */
static inline u32 sim_mkey_entries(const struct sim_mkey *mkey)
{
	return ALIGN(mkey->xlt_octwords, 4);
}

/* Number of pages in the range of an MTT key with a valid log_page_size */
static inline u64 sim_mkey_pages(const struct sim_mkey *mkey)
{
	u64 page = BIT_ULL(mkey->log_page_size);

	if (!mkey->len)
		return 0;
	return ((mkey->start & (page - 1)) + mkey->len - 1) / page + 1;
}

/* Has the key signatures? */
static inline bool sim_mkey_signs(const struct sim_mkey *mkey)
{
	return mkey->bsf_en && mkey->bsf && (mkey->bsf->mem.type || mkey->bsf->wire.type);
}

/*
 * Does the key encrypt? A key that was created with encryption permits no
 * access before a UMR enables its encryption.
 */
static inline bool sim_mkey_encrypts(const struct sim_mkey *mkey)
{
	return mkey->bsf_en && mkey->crypto && mkey->crypto->set;
}

/* Does the key transform the bytes between memory and wire? */
static inline bool sim_mkey_transforms(const struct sim_mkey *mkey)
{
	return sim_mkey_signs(mkey) || sim_mkey_encrypts(mkey);
}

#endif /* MLX5SIM_OBJ_MKEY_H */
