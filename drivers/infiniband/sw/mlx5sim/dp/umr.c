// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UMR: a WQE that changes an mkey.
 *
 * One opcode is used for fast registration, local invalidation, and the updates
 * of the UMR QP of a driver. The control segment contains a mask, which selects
 * the fields of the mkey segment that apply, the required state of the mkey,
 * and the number of translations. The translations follow in the WQE (inline),
 * or are in memory that a data segment describes. The complete UMR is checked
 * before it changes the mkey (umr_check.c). Then the translations are written,
 * then the fields. The checks and writes are done when the UMR takes effect
 * (requester.c): the next WQE uses the changed mkey if it has a fence.
 *
 * A UMR that frees an mkey clears its configuration, as described in
 * mlx5dv_wr_mkey_configure(3). Bit 26 of flags_pd acknowledges signature errors
 * (sigerr.c).
 */
#include <linux/slab.h>

#include "core/core.h"
#include "dp/dp.h"
#include "dp/umr.h"
#include "obj/crypto.h"
#include "obj/obj.h"

#define SIM_UMR_SIGERR	BIT(26)		/* in flags_pd; as in mlx5_ib and libmlx5 */

/* The longest translation list: the control segment counts octwords in 16 bits. */
#define SIM_XLT_BUF_SIZE	(U16_MAX * SIM_OCTWORD)

/**
 * sim_umr_init() - allocate the buffer for translations fetched from memory
 * @sdev: simulated function
 *
 * Return: 0 or -ENOMEM.
 */
int sim_umr_init(struct sim_dev *sdev)
{
	sdev->xlt_buf = kvmalloc(SIM_XLT_BUF_SIZE, GFP_KERNEL);
	return sdev->xlt_buf ? 0 : -ENOMEM;
}

/**
 * sim_umr_exit() - undo sim_umr_init()
 * @sdev: simulated function
 */
void sim_umr_exit(struct sim_dev *sdev)
{
	kvfree(sdev->xlt_buf);
	sdev->xlt_buf = NULL;
}

/*
 * Fetch the translations, in units of 64 bytes. Stock drivers map only the
 * entries that they use, so only a part of the last unit may be mapped.
 * Unrefereed: U-31.
 */
static enum sim_copy_result sim_umr_read(struct sim_iter *src, u32 bytes)
{
	struct sim_seg to = { .kmem = src->sdev->xlt_buf, .len = SIM_XLT_BUF_SIZE };
	u32 line = MLX5_UMR_FLEX_ALIGNMENT;
	enum sim_copy_result res;
	struct sim_iter dst;

	sim_iter_init(&dst, src->sdev, &to, 1, true);
	res = sim_copy(&dst, src, bytes - line);
	if (res == SIM_COPIED)
		res = sim_copy_line(src->sdev->xlt_buf + bytes - line, src, line);
	return res;
}

static int sim_umr_fetch(struct sim_dev *sdev, struct sim_qp *qp,
			 const struct mlx5_wqe_data_seg *dseg)
{
	struct sim_seg from = {
		.va = be64_to_cpu(dseg->addr),
		.key = be32_to_cpu(dseg->lkey),
		.len = be32_to_cpu(dseg->byte_count),
	};
	struct sim_iter src;
	struct sim_acc acc;

	sim_qp_acc(&acc, sdev, qp, SIM_MKEY_LR);
	if (sim_access_check(&acc, &from, 1, from.len))
		return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	sim_iter_init(&src, sdev, &from, 1, false);
	if (sim_umr_read(&src, from.len) != SIM_COPIED)
		return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	sim_count(sdev, desc_fetched);
	return 0;
}

static int sim_umr_store(struct sim_dev *sdev, const struct sim_umr *u, const void *list)
{
	struct sim_mkey *mkey = u->mkey;
	u32 used = sim_umr_used(u);
	int err;

	if (mkey->mode == SIM_MKEY_MTT)
		err = sim_mkey_set_mtt(mkey, 2 * u->first, list, 2 * u->noct);
	else
		err = sim_mkey_set_klm(mkey, u->first, list, u->noct);
	if (err)
		return MLX5_CQE_SYNDROME_MW_BIND_ERR;
	mkey->xlt_used = used;
	sim_count_add(sdev, desc_entries, mkey->mode == SIM_MKEY_MTT ? 2 * u->noct : u->noct);
	return 0;
}

static void sim_umr_rights(const struct sim_umr *u)
{
	static const struct {
		u64 mask;
		u8 perm;
		u8 right;
	} map[] = {
		{ MLX5_MKEY_MASK_LR, MLX5_PERM_LOCAL_READ, SIM_MKEY_LR },
		{ MLX5_MKEY_MASK_LW, MLX5_PERM_LOCAL_WRITE, SIM_MKEY_LW },
		{ MLX5_MKEY_MASK_RR, MLX5_PERM_REMOTE_READ, SIM_MKEY_RR },
		{ MLX5_MKEY_MASK_RW, MLX5_PERM_REMOTE_WRITE, SIM_MKEY_RW },
		{ MLX5_MKEY_MASK_A, MLX5_PERM_ATOMIC, SIM_MKEY_A },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(map); i++) {
		if (!(u->mask & map[i].mask))
			continue;
		if (u->seg->flags & map[i].perm)
			u->mkey->access |= map[i].right;
		else
			u->mkey->access &= ~map[i].right;
	}
}

static void sim_umr_ordering(const struct sim_umr *u)
{
	struct sim_mkey *mkey = u->mkey;

	if (u->mask & MLX5_MKEY_MASK_RELAXED_ORDERING_WRITE) {
		mkey->pci &= ~SIM_MKEY_RO_WRITE;
		if (MLX5_GET(mkc, u->seg, relaxed_ordering_write))
			mkey->pci |= SIM_MKEY_RO_WRITE;
	}
	if (u->mask & MLX5_MKEY_MASK_RELAXED_ORDERING_READ) {
		mkey->pci &= ~SIM_MKEY_RO_READ;
		if (MLX5_GET(mkc, u->seg, relaxed_ordering_read))
			mkey->pci |= SIM_MKEY_RO_READ;
	}
}

static void sim_umr_count_registration(struct sim_dev *sdev, u8 access)
{
	sim_count(sdev, registrations);
	switch (access & (SIM_MKEY_RR | SIM_MKEY_RW)) {
	case SIM_MKEY_RR:
		sim_count(sdev, registrations_remote_read);
		break;
	case SIM_MKEY_RW:
		sim_count(sdev, registrations_remote_write);
		break;
	case SIM_MKEY_RR | SIM_MKEY_RW:
		sim_count(sdev, registrations_remote_both);
		break;
	}
}

static void sim_umr_fields(struct sim_dev *sdev, const struct sim_umr *u)
{
	u32 qpn_key = be32_to_cpu(u->seg->qpn_mkey7_0);
	u32 flags_pd = be32_to_cpu(u->seg->flags_pd);
	struct sim_mkey *mkey = u->mkey;
	bool was_free = mkey->free;

	sim_umr_rights(u);
	sim_umr_ordering(u);
	if (u->mask & MLX5_MKEY_MASK_KEY)
		mkey->variant = qpn_key;
	if (u->mask & MLX5_MKEY_MASK_QPN)
		mkey->qpn = sim_umr_qpn(u);
	if (u->mask & MLX5_MKEY_MASK_PD)
		mkey->pdn = flags_pd & 0xffffff;
	if (u->mask & MLX5_MKEY_MASK_EN_RINVAL)
		mkey->rinval_en = flags_pd & MLX5_MKEY_REMOTE_INVAL;
	if (u->mask & MLX5_MKEY_MASK_START_ADDR)
		mkey->start = be64_to_cpu(u->seg->start_addr);
	if (u->mask & MLX5_MKEY_MASK_LEN) {
		mkey->len = be64_to_cpu(u->seg->len);
		mkey->len64 = flags_pd >> 31;
	}
	mkey->log_page_size = sim_umr_page_size(u);
	if (u->raw) {
		*mkey->bsf = u->bsf;
		if (mkey->crypto)
			*mkey->crypto = u->crypto;
		sdev->bsf_mkeys += !mkey->bsf_set;
		mkey->bsf_set = true;
	}
	if (u->mask & MLX5_MKEY_MASK_BSF_EN)
		mkey->bsf_en = flags_pd & MLX5_MKEY_BSF_EN;
	if (u->mask & MLX5_MKEY_MASK_EN_SIGERR)
		mkey->sigerr_expected = flags_pd & SIM_UMR_SIGERR;
	if (u->mask & MLX5_MKEY_MASK_FREE) {
		mkey->free = u->seg->status & MLX5_MKEY_STATUS_FREE;
		if (mkey->free)
			sim_mkey_invalidate(mkey);
	}

	if (was_free && !mkey->free)
		sim_umr_count_registration(sdev, mkey->access);
	else if (!was_free && mkey->free)
		sim_count(sdev, invalidations);
}

/* Unrefereed: U-03. */
static int sim_umr_refuse(struct sim_dev *sdev, struct sim_qp *qp, const struct sim_wqe *wqe,
			  int vio, const char *why)
{
	sim_violation(sdev, vio, "QP 0x%x WQE 0x%x: UMR on key 0x%x: %s", sim_qp_qpn(qp),
		      wqe->counter, be32_to_cpu(wqe->imm), why);
	return vio == SIM_VIO_wqe_reserved || vio == SIM_VIO_wqe_size ?
		       MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR :
		       MLX5_CQE_SYNDROME_MW_BIND_ERR;
}

/* Store the translations, from the WQE or from memory, in the mkey. */
static int sim_umr_translations(struct sim_dev *sdev, struct sim_qp *qp,
				const struct sim_umr *u, const struct sim_wqe *wqe)
{
	const void *list = wqe->xlt;
	const char *why = "";
	int synd, vio;

	if (!u->noct)
		return 0;
	if (!(u->flags & MLX5_UMR_INLINE)) {
		synd = sim_umr_fetch(sdev, qp, wqe->xlt);
		if (synd)
			return synd;
		list = sdev->xlt_buf;
	}
	vio = sim_umr_check_list(u, list, &why);
	if (vio != SIM_WQE_OK)
		return sim_umr_refuse(sdev, qp, wqe, vio, why);
	if (list == wqe->xlt)
		sim_count(sdev, desc_inline);
	return sim_umr_store(sdev, u, list);
}

/**
 * sim_umr_frees() - check whether a UMR frees its mkey
 * @wqe: decoded UMR
 *
 * Return: true if the mkey is free after the UMR; false if the UMR makes the
 * mkey valid or does not change its state.
 */
bool sim_umr_frees(const struct sim_wqe *wqe)
{
	const struct mlx5_mkey_seg *seg = (const struct mlx5_mkey_seg *)(wqe->umr + 1);

	return be64_to_cpu(wqe->umr->mkey_mask) & MLX5_MKEY_MASK_FREE &&
	       seg->status & MLX5_MKEY_STATUS_FREE;
}

/* Count a UMR for an armed fault. Return: the syndrome if the fault fires, else 0 */
static u8 sim_umr_fault(struct sim_faults *faults)
{
	if (!faults || !faults->umr.left || --faults->umr.left)
		return 0;
	faults->umr.fired++;
	return faults->umr.syndrome;
}

/**
 * sim_umr() - execute a UMR
 * @sdev: simulated function
 * @qp: RC, DCI or REG_UMR QP
 * @wqe: decoded WQE
 *
 * A breach is recorded as a violation. A breach, a fault, a failed access to
 * memory and a failed allocation leave the mkey unchanged.
 *
 * Context: hardware thread; may reschedule.
 * Return: 0, or the MLX5_CQE_SYNDROME_* that the WQE completes with.
 */
int sim_umr(struct sim_dev *sdev, struct sim_qp *qp, struct sim_wqe *wqe)
{
	u32 key = be32_to_cpu(wqe->imm);
	struct sim_umr u = {
		.mkey = sim_obj_find(sdev, SIM_OBJ_MKEY, key >> 8),
		.seg = (const struct mlx5_mkey_seg *)(wqe->umr + 1),
		.flags = wqe->umr->flags,
		.mask = be64_to_cpu(wqe->umr->mkey_mask),
		.noct = be16_to_cpu(wqe->umr->xlt_octowords),
	};
	const char *why = "";
	int vio, synd = sim_umr_fault(sdev->faults);

	if (synd)
		return synd;
	if (u.flags & MLX5_UMR_TRANSLATION_OFFSET_EN) {
		u.first = (u64)be32_to_cpu(wqe->umr->xlt_offset_47_16) << 16 |
			  be16_to_cpu(wqe->umr->xlt_offset);
	} else if (wqe->umr->bsf_octowords) {
		u.raw = wqe->xlt + u.noct * SIM_OCTWORD;
		u.raw_len = be16_to_cpu(wqe->umr->bsf_octowords) * SIM_OCTWORD;
	}

	vio = sim_umr_check(sdev, qp, &u, wqe, &why);
	if (vio != SIM_WQE_OK)
		return sim_umr_refuse(sdev, qp, wqe, vio, why);

	synd = sim_umr_translations(sdev, qp, &u, wqe);
	if (synd)
		return synd;
	sim_umr_fields(sdev, &u);
	sim_count(sdev, umrs);
	return 0;
}
