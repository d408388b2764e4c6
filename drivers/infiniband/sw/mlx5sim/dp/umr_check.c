// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The checks of a UMR. They do not change the mkey.
 *
 * The index in the key of the control segment selects the mkey. The low byte of
 * the key must be the current low byte of the mkey, unless the mask changes the
 * key: registration sets a new low byte in the same step. The access mode is
 * fixed at creation: it has no mask bit, so the mkey segment has the mode of
 * the mkey or 0.
 *
 * State checks: bit 5 requires a free mkey, bit 6 requires an mkey that is not
 * free. The kernel calls bit 5 CHECK_NOT_FREE, and rdma-core calls it
 * CHECK_FREE, but both use it alike. Bit 3, which libmlx5 sets to invalidate,
 * requires an mkey that is not bound to another QP. A UMR may free an mkey that
 * is free, because stock drivers rely on this.
 *
 * BSFs follow the translations in the WQE: a BSF of signatures, a crypto BSF,
 * or both in this order. The number of their octwords is in the field of the
 * control segment that is the translation offset in other UMRs.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "dp/umr.h"
#include "obj/caps.h"
#include "obj/crypto.h"
#include "obj/obj.h"

#define SIM_UMR_CHECK_QPN	BIT(3)
#define SIM_UMR_FLAGS	(MLX5_UMR_INLINE | MLX5_UMR_CHECK_FREE | MLX5_UMR_CHECK_NOT_FREE | \
			 MLX5_UMR_TRANSLATION_OFFSET_EN | SIM_UMR_CHECK_QPN)
#define SIM_UMR_RIGHTS	(MLX5_MKEY_MASK_LR | MLX5_MKEY_MASK_LW | MLX5_MKEY_MASK_RR | \
			 MLX5_MKEY_MASK_RW | MLX5_MKEY_MASK_A)
#define SIM_UMR_MODE_1_0	0x3	/* access mode in the flags of the mkey segment */
#define SIM_UMR_MODE_4_2	0x1c	/* high bits, in the status */
#define SIM_UMR_MTT_BITS	(MLX5_EN_RD | MLX5_EN_WR)
#define SIM_UMR_LIST_ALIGN	2048	/* alignment of a fetched list */
#define SIM_UMR_XLT_UNIT	(MLX5_UMR_FLEX_ALIGNMENT / SIM_OCTWORD)	/* in octwords */
/*
 * Supported mask bits. The small fence has no effect. Relaxed ordering is
 * stored but has no effect, because the DMA of this device is ordered.
 */
#define SIM_UMR_MASK	(MLX5_MKEY_MASK_LEN | MLX5_MKEY_MASK_PAGE_SIZE | \
			 MLX5_MKEY_MASK_START_ADDR | MLX5_MKEY_MASK_PD | \
			 MLX5_MKEY_MASK_EN_RINVAL | MLX5_MKEY_MASK_EN_SIGERR | \
			 MLX5_MKEY_MASK_BSF_EN | MLX5_MKEY_MASK_KEY | MLX5_MKEY_MASK_QPN | \
			 SIM_UMR_RIGHTS | MLX5_MKEY_MASK_SMALL_FENCE | \
			 MLX5_MKEY_MASK_RELAXED_ORDERING_WRITE | \
			 MLX5_MKEY_MASK_RELAXED_ORDERING_READ | MLX5_MKEY_MASK_FREE | \
			 MLX5_MKEY_MASK_PAGE_SIZE_5)
#define SIM_UMR_PAGE_SIZE	(MLX5_MKEY_MASK_PAGE_SIZE | MLX5_MKEY_MASK_PAGE_SIZE_5)

/* Check the two segments separately. Unrefereed: U-28, U-36. */
static int sim_umr_check_seg(const struct mlx5_wqe_umr_ctrl_seg *umr,
			     const struct mlx5_mkey_seg *seg, const char **why)
{
	u64 mask = be64_to_cpu(umr->mkey_mask);

	if (umr->flags & ~SIM_UMR_FLAGS || memchr_inv(umr->rsvd0, 0, sizeof(umr->rsvd0)) ||
	    memchr_inv(umr->rsvd1, 0, sizeof(umr->rsvd1))) {
		*why = "reserved field of the UMR control segment";
		return SIM_VIO_wqe_reserved;
	}
	/*
	 * reserved fields may be set in a UMR with an offset: libmlx5 binds and
	 * frees windows with offset 0 and sets only the fields of the mask
	 */
	if (seg->status & 0x80 ||
	    (!(umr->flags & MLX5_UMR_TRANSLATION_OFFSET_EN) &&
	     (memchr_inv(seg->rsvd1, 0, sizeof(seg->rsvd1)) ||
	      (seg->bsfs_octo_size &&
	       be32_to_cpu(seg->bsfs_octo_size) != be16_to_cpu(umr->bsf_octowords)) ||
	      memchr_inv(seg->rsvd2, 0, sizeof(seg->rsvd2)) ||
	      memchr_inv(seg->rsvd3, 0, sizeof(seg->rsvd3)) ||
	      memchr_inv(seg->rsvd4, 0, sizeof(seg->rsvd4))))) {
		*why = "reserved field of the mkey segment";
		return SIM_VIO_wqe_reserved;
	}
	if (mask & ~SIM_UMR_MASK) {
		*why = "mask bits not supported";
		return SIM_VIO_umr_mask;
	}
	if (!(umr->flags & MLX5_UMR_TRANSLATION_OFFSET_EN) && umr->xlt_offset_47_16) {
		*why = "translation offset without being enabled";
		return SIM_VIO_umr_mask;
	}
	if (!(umr->flags & MLX5_UMR_TRANSLATION_OFFSET_EN) && umr->bsf_octowords &&
	    be16_to_cpu(umr->bsf_octowords) != MLX5_MKEY_BSF_OCTO_SIZE &&
	    be16_to_cpu(umr->bsf_octowords) != 2 * MLX5_MKEY_BSF_OCTO_SIZE) {
		*why = "BSF is not 64 or 128 bytes";
		return SIM_VIO_sig_bsf;
	}
	if ((umr->flags & MLX5_UMR_CHECK_FREE) && (umr->flags & MLX5_UMR_CHECK_NOT_FREE)) {
		*why = "both state checks are set";
		return SIM_VIO_umr_mask;
	}
	if (be16_to_cpu(umr->xlt_octowords) % SIM_UMR_XLT_UNIT) {
		*why = "translations not in units of 64 bytes";
		return SIM_VIO_umr_entries;
	}
	if (umr->flags & MLX5_UMR_TRANSLATION_OFFSET_EN &&
	    be16_to_cpu(umr->xlt_offset) % SIM_UMR_XLT_UNIT) {
		*why = "translation offset not in units of 64 bytes";
		return SIM_VIO_umr_list_align;
	}
	return SIM_WQE_OK;
}

/*
 * Does the UMR contain another access mode? The mode is not checked in a UMR
 * with an offset, in which libmlx5 sets only the fields of the mask.
 */
static bool sim_umr_other_mode(const struct sim_umr *u)
{
	u8 mode = (u->seg->status & SIM_UMR_MODE_4_2) | (u->seg->flags & SIM_UMR_MODE_1_0);

	return mode && mode != u->mkey->mode && !(u->flags & MLX5_UMR_TRANSLATION_OFFSET_EN);
}

/*
 * Without the capability aes_xts_multi_block_be_tweak, a key has at most one
 * data unit. Unrefereed: U-125.
 */
static bool sim_umr_one_unit(struct sim_dev *sdev, const struct sim_umr *u, u64 len)
{
	const struct sim_crypto *c = u->raw ? &u->crypto : u->mkey->crypto;

	return !u->mkey->crypto || !c->set || SIM_CAP_AT(sdev, SIM_CAP_XTS_MULTI) ||
	       len <= c->unit;
}

/*
 * If the mkey is valid after the UMR, check its fields as CREATE_MKEY does.
 */
static int sim_umr_check_result(struct sim_dev *sdev, const struct sim_umr *u, const char **why)
{
	struct sim_mkey left = *u->mkey;
	u64 last;

	if (u->mask & MLX5_MKEY_MASK_FREE)
		left.free = u->seg->status & MLX5_MKEY_STATUS_FREE;
	if (u->mask & MLX5_MKEY_MASK_START_ADDR)
		left.start = be64_to_cpu(u->seg->start_addr);
	if (u->mask & MLX5_MKEY_MASK_LEN) {
		left.len = be64_to_cpu(u->seg->len);
		left.len64 = be32_to_cpu(u->seg->flags_pd) >> 31;
	}
	left.log_page_size = sim_umr_page_size(u);
	if (left.free || left.len64 || !left.len)
		return SIM_WQE_OK;
	if (check_add_overflow(left.start, left.len - 1, &last)) {
		*why = "a range that wraps";
		return SIM_VIO_umr_mask;
	}
	if (!sim_umr_one_unit(sdev, u, left.len)) {
		*why = "several data units";
		return SIM_VIO_sig_bsf;
	}
	if (left.mode != SIM_MKEY_MTT)
		return SIM_WQE_OK;
	if (left.log_page_size < MLX5_ADAPTER_PAGE_SHIFT ||
	    left.log_page_size > SIM_MAX_PAGE_SHIFT) {
		*why = "unsupported page size";
		return SIM_VIO_umr_mask;
	}
	if (sim_mkey_pages(&left) > 2ULL * sim_umr_used(u)) {
		*why = "a range of more pages than there are translations";
		return SIM_VIO_umr_entries;
	}
	return SIM_WQE_OK;
}

/*
 * Refuse changes that the capabilities exclude, and changes of the access mode,
 * which no device supports.
 */
static int sim_umr_check_caps(struct sim_dev *sdev, const struct sim_umr *u, const char **why)
{
	if (sim_umr_other_mode(u)) {
		*why = "access mode differs from the mode of the mkey";
		return SIM_VIO_umr_mask;
	}
	*why = "not among the capabilities";
	if ((u->raw || u->mask & (MLX5_MKEY_MASK_BSF_EN | MLX5_MKEY_MASK_EN_SIGERR)) &&
	    !SIM_CAP(sdev, sho) && !u->mkey->crypto)
		return SIM_VIO_umr_mask;
	if ((u->mask & SIM_UMR_PAGE_SIZE && SIM_CAP(sdev, umr_modify_entity_size_disabled)) ||
	    (u->mask & MLX5_MKEY_MASK_A && SIM_CAP(sdev, umr_modify_atomic_disabled)) ||
	    (u->mask & MLX5_MKEY_MASK_RELAXED_ORDERING_WRITE &&
	     !SIM_CAP(sdev, relaxed_ordering_write_umr)) ||
	    (u->mask & MLX5_MKEY_MASK_RELAXED_ORDERING_READ &&
	     !SIM_CAP(sdev, relaxed_ordering_read_umr)))
		return SIM_VIO_umr_mask;
	if (u->noct && u->mkey->mode == SIM_MKEY_KLM && SIM_CAP(sdev, umr_indirect_mkey_disabled))
		return SIM_VIO_umr_entries;
	return SIM_WQE_OK;
}

/*
 * The mkey must exist and be in the requested state, and the QP must be allowed
 * to change it. A QP without fast registration (a QP of a process) may change
 * only mkeys whose translations are other mkeys: translations to pages would
 * give the process access to all memory.
 * Unrefereed: U-24, U-25, U-27, U-180.
 */
static int sim_umr_check_mkey(struct sim_dev *sdev, struct sim_qp *qp, const struct sim_umr *u,
			      u32 key, const char **why)
{
	const struct sim_mkey *mkey = u->mkey;

	if (!mkey) {
		*why = "no such mkey";
		return SIM_VIO_mkey_lookup;
	}
	if (!(u->mask & MLX5_MKEY_MASK_KEY) && mkey->variant != (key & 0xff)) {
		*why = "mkey has another low byte by now";
		return SIM_VIO_mkey_lookup;
	}
	if (qp->st != MLX5_QP_ST_REG_UMR && mkey->pdn != sim_qp_pdn(qp)) {
		*why = "mkey of another PD";
		return SIM_VIO_mkey_pd;
	}
	if (!mkey->umr_en) {
		*why = "mkey not enabled for UMR";
		return SIM_VIO_umr_state;
	}
	if (!qp->fre && (mkey->mode == SIM_MKEY_MTT || mkey->mode == SIM_MKEY_PA)) {
		*why = "mkey of pages, and a QP without fast registration";
		return SIM_VIO_umr_state;
	}
	if (u->flags & MLX5_UMR_CHECK_FREE && mkey->free) {
		*why = "mkey is free";
		return SIM_VIO_umr_state;
	}
	if (u->flags & MLX5_UMR_CHECK_NOT_FREE && !mkey->free) {
		*why = "mkey is not free";
		return SIM_VIO_umr_state;
	}
	if (u->flags & SIM_UMR_CHECK_QPN && mkey->qpn != SIM_ANY_QPN &&
	    mkey->qpn != sim_qp_qpn(qp)) {
		*why = "mkey is bound to another QP";
		return SIM_VIO_umr_state;
	}
	if (u->mask & MLX5_MKEY_MASK_PD && qp->st != MLX5_QP_ST_REG_UMR) {
		*why = "PD change on a QP other than the UMR QP";
		return SIM_VIO_umr_mask;
	}
	if (u->mask & MLX5_MKEY_MASK_QPN && qp->st != MLX5_QP_ST_REG_UMR &&
	    sim_umr_qpn(u) != SIM_ANY_QPN && sim_umr_qpn(u) != sim_qp_qpn(qp)) {
		*why = "bound to another QP than this";
		return SIM_VIO_umr_mask;
	}
	if (u->mask & MLX5_MKEY_MASK_PD &&
	    !sim_obj_find(sdev, SIM_OBJ_PD, be32_to_cpu(u->seg->flags_pd) & 0xffffff)) {
		*why = "no such PD";
		return SIM_VIO_umr_mask;
	}
	return SIM_WQE_OK;
}

/* A PSV of the BSF must exist, in the PD of the mkey. */
static bool sim_umr_psv_ok(struct sim_dev *sdev, const struct sim_umr *u,
			   const struct sim_sig_domain *dom)
{
	const struct sim_psv *psv;

	if (!dom->type)
		return true;
	psv = sim_obj_find(sdev, SIM_OBJ_PSV, dom->psv);
	return psv && psv->pd->obj.id == u->mkey->pdn;
}

/*
 * Check the crypto BSF at @raw; u->bsf is decoded. Unrefereed: U-125, U-126,
 * U-140.
 */
static int sim_umr_check_crypto(struct sim_dev *sdev, struct sim_umr *u,
				const struct sim_crypto_bsf *raw, bool behind_sig,
				const char **why)
{
	const struct sim_dek *dek;

	if (sim_crypto_decode(sdev, raw, behind_sig, &u->crypto, why))
		return SIM_VIO_sig_bsf;
	*why = "signatures of the ciphertext in both domains";
	if (sim_crypto_signed(&u->crypto) && u->bsf.mem.type && u->bsf.wire.type)
		return SIM_VIO_sig_bsf;
	dek = sim_obj_find(sdev, SIM_OBJ_DEK, u->crypto.dek);
	*why = "BSF with a DEK that does not exist or has another PD";
	if (!dek || dek->pd->obj.id != u->mkey->pdn)
		return SIM_VIO_crypto_dek;
	*why = "BSF with a keytag for a DEK without a keytag";
	if (!dek->has_keytag && memchr_inv(u->crypto.keytag, 0, SIM_KEYTAG))
		return SIM_VIO_sig_bsf;
	u->crypto.serial = dek->serial;
	u->has_crypto = true;
	if (!behind_sig)
		u->bsf.raw_size = u->crypto.raw_size;
	return SIM_WQE_OK;
}

/*
 * The BSFs must be supported. The BSFs of a key for signatures begin with a BSF
 * of signatures.
 */
static int sim_umr_check_parts(struct sim_dev *sdev, struct sim_umr *u, const char **why)
{
	const u32 bsf_bytes = u->mkey->bsf_octwords * SIM_OCTWORD;
	const u32 sig_bytes = bsf_bytes - (u->mkey->crypto ? SIM_BSF_SIZE : 0);
	const bool crypto = u->raw_len > sig_bytes;

	if (sig_bytes) {
		if (sim_bsf_decode(sdev, u->raw, crypto, &u->bsf, why))
			return SIM_VIO_sig_bsf;
		*why = "BSF with a PSV that does not exist or has another PD";
		if (!sim_umr_psv_ok(sdev, u, &u->bsf.mem) || !sim_umr_psv_ok(sdev, u, &u->bsf.wire))
			return SIM_VIO_sig_psv;
	}
	return crypto ? sim_umr_check_crypto(sdev, u, u->raw + sig_bytes, sig_bytes, why) :
			SIM_WQE_OK;
}

/* The BSFs must be complete and fit the mkey. Unrefereed: U-97. */
static int sim_umr_check_bsf(struct sim_dev *sdev, struct sim_umr *u, const struct sim_wqe *wqe,
			     const char **why)
{
	bool enable = u->mask & MLX5_MKEY_MASK_BSF_EN &&
		      be32_to_cpu(u->seg->flags_pd) & MLX5_MKEY_BSF_EN;

	if ((u->raw || enable) && u->raw_len > u->mkey->bsf_octwords * SIM_OCTWORD) {
		*why = "BSF for an mkey without space for a BSF";
		return SIM_VIO_sig_bsf;
	}
	if (enable && !u->mkey->bsf_octwords) {
		*why = "BSF for an mkey without space for a BSF";
		return SIM_VIO_sig_bsf;
	}
	if (!u->raw)
		return SIM_WQE_OK;
	if (u->noct && !(u->flags & MLX5_UMR_INLINE)) {
		*why = "BSF with translations in memory";
		return SIM_VIO_sig_bsf;
	}
	if (wqe->xlt_len != u->noct * SIM_OCTWORD + u->raw_len) {
		*why = "translations and BSF do not fill the WQE";
		return SIM_VIO_wqe_size;
	}
	return sim_umr_check_parts(sdev, u, why);
}

/* The translations must be complete and fit the mkey. Unrefereed: U-33, U-34. */
static int sim_umr_check_xlt(const struct sim_umr *u, const struct sim_wqe *wqe,
			     const char **why)
{
	const struct mlx5_wqe_data_seg *dseg = wqe->xlt;
	u32 bytes = u->noct * SIM_OCTWORD;
	u32 space = sim_mkey_entries(u->mkey);

	if (!u->noct) {
		if (wqe->xlt_len == u->raw_len)
			return SIM_WQE_OK;
		*why = "WQE continues after the mkey segment or the BSF";
		return SIM_VIO_wqe_size;
	}
	if (u->mkey->mode == SIM_MKEY_PA) {
		*why = "translations for a physical mkey";
		return SIM_VIO_umr_entries;
	}
	if (u->first > u->mkey->xlt_used) {
		*why = "translations missing before these";
		return SIM_VIO_umr_entries;
	}
	if (u->first > space || u->noct > space - u->first) {
		*why = "more translations than the mkey holds";
		return SIM_VIO_umr_entries;
	}
	if (u->flags & MLX5_UMR_INLINE) {
		if (wqe->xlt_len == bytes + u->raw_len)
			return SIM_WQE_OK;
		*why = "inline translations do not fill the WQE";
		return SIM_VIO_wqe_size;
	}
	if (wqe->xlt_len != sizeof(*dseg)) {
		*why = "one data segment expected";
		return SIM_VIO_wqe_size;
	}
	if (be32_to_cpu(dseg->byte_count) != bytes) {
		*why = "data segment and translation count differ";
		return SIM_VIO_umr_entries;
	}
	if (!IS_ALIGNED(be64_to_cpu(dseg->addr), SIM_UMR_LIST_ALIGN)) {
		*why = "list that does not begin on 2 KiB";
		return SIM_VIO_umr_list_align;
	}
	return SIM_WQE_OK;
}

/**
 * sim_umr_check() - check all of a UMR except the entries of its list
 * @sdev: simulated function
 * @qp: QP of the UMR
 * @u: UMR, whose BSFs are decoded here
 * @wqe: decoded WQE
 * @why: out: reason of a failure
 *
 * Context: hardware thread.
 * Return: SIM_WQE_OK, or the enum sim_vio of the rule that the UMR breaks.
 */
int sim_umr_check(struct sim_dev *sdev, struct sim_qp *qp, struct sim_umr *u,
		  const struct sim_wqe *wqe, const char **why)
{
	int vio;

	vio = sim_umr_check_seg(wqe->umr, u->seg, why);
	if (vio == SIM_WQE_OK)
		vio = sim_umr_check_mkey(sdev, qp, u, be32_to_cpu(wqe->imm), why);
	if (vio == SIM_WQE_OK)
		vio = sim_umr_check_caps(sdev, u, why);
	if (vio == SIM_WQE_OK)
		vio = sim_umr_check_bsf(sdev, u, wqe, why);
	if (vio == SIM_WQE_OK)
		vio = sim_umr_check_xlt(u, wqe, why);
	if (vio == SIM_WQE_OK)
		vio = sim_umr_check_result(sdev, u, why);
	return vio;
}

/*
 * A page address must have the bits that permit reads and writes of the page.
 * An entry without a page is 0.
 */
static int sim_umr_check_pages(const __be64 *mtt, u32 n, const char **why)
{
	u64 entry;

	for (; n; n--, mtt++) {
		entry = be64_to_cpu(*mtt);
		if (!entry || (entry & 7) == SIM_UMR_MTT_BITS)
			continue;
		*why = "page address without its read and write bits";
		return SIM_VIO_umr_entries;
	}
	return SIM_WQE_OK;
}

/*
 * Number of entries that the range of the mkey needs after the UMR, from the
 * first entry of the list on. A list is rounded up; the additional entries may
 * have any value, since mlx5_ib leaves previous contents of the ring there.
 */
static u32 sim_umr_needed(const struct sim_umr *u)
{
	u64 start = u->mask & MLX5_MKEY_MASK_START_ADDR ? be64_to_cpu(u->seg->start_addr) :
							  u->mkey->start;
	u64 len = u->mask & MLX5_MKEY_MASK_LEN ? be64_to_cpu(u->seg->len) : u->mkey->len;
	u8 shift = sim_umr_page_size(u);
	u64 n = len ? (((start & (BIT_ULL(shift) - 1)) + len - 1) >> shift) + 1 : 0;

	return n > 2 * u->first ? min_t(u64, n - 2 * u->first, U32_MAX) : 0;
}

/*
 * The same number for KLMs. mlx5_ib rounds an inline list up to four entries;
 * the additional entries may have any value. For a pattern, all entries count:
 * its head contains the number of blocks.
 */
static u32 sim_umr_needed_klms(const struct sim_umr *u, const struct mlx5_klm *list, u32 n)
{
	u64 len = u->mask & MLX5_MKEY_MASK_LEN ? be64_to_cpu(u->seg->len) : u->mkey->len;
	u64 covered = 0;
	u32 i;

	if (!u->first && be32_to_cpu(list->key) == MLX5_STRIDE_BLOCK_OP)
		return n;
	for (i = 0; i < u->first; i++)
		covered += u->mkey->klm[i].byte_count;
	for (i = 0; i < n && covered < len; i++)
		covered += be32_to_cpu(list[i].bcount);
	return i;
}

/**
 * sim_umr_check_list() - check the entries of the list of a UMR
 * @u: UMR that sim_umr_check() has accepted
 * @list: translations, in the WQE or fetched from memory
 * @why: out: reason of a failure
 *
 * A list that begins at the first entry may be a strided pattern. A pattern in
 * force cannot be changed in part.
 *
 * Unrefereed: U-35.
 *
 * Context: any; pure.
 * Return: SIM_WQE_OK, or SIM_VIO_umr_entries.
 */
int sim_umr_check_list(const struct sim_umr *u, const void *list, const char **why)
{
	u32 n = min(u->noct, u->mkey->xlt_octwords);

	if (u->mkey->mode == SIM_MKEY_MTT)
		return sim_umr_check_pages(list, min(2 * n, sim_umr_needed(u)), why);
	if (u->mkey->mode != SIM_MKEY_KLM)
		return SIM_WQE_OK;
	n = sim_umr_needed_klms(u, list, n);
	if (!u->first)
		return sim_klm_check(list, n, why) ? SIM_VIO_umr_entries : SIM_WQE_OK;
	if (!sim_klm_pattern(u->mkey))
		return sim_klm_check_list(list, n, why) ? SIM_VIO_umr_entries : SIM_WQE_OK;
	*why = "part of a pattern";
	return SIM_VIO_umr_entries;
}
