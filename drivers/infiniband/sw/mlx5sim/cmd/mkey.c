// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about memory keys.
 *
 * A key contains the number of its PD and is not a user of the PD
 * (sim_obj_use()), since a UMR may move the key to another PD. Each access
 * compares this number with the number of the PD of the access.
 */
#include <linux/mlx5/qp.h>
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/caps.h"
#include "obj/obj.h"

#define SIM_MTT_PER_OCTWORD	2
/*
 * An MTT key has at most 2^27 pages. This limit bounds the memory of the
 * simulation. The limit of KLM and KSM keys is a capability
 * (log_max_klm_list_size), because the simulation walks their lists.
 * Unrefereed: U-195.
 */
#define SIM_LOG_MAX_MTT_OCTWORDS	26

static void sim_mkey_release(struct sim_mkey *mkey)
{
	kvfree(mkey->mtt);
	kvfree(mkey->klm);
	kfree_sensitive(mkey->crypto);
	kfree(mkey->bsf);
	kfree(mkey);
}

static void sim_mkey_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	struct sim_mkey *mkey = container_of(obj, struct sim_mkey, obj);

	sim_obj_del(sdev, obj);
	sim_obj_unuse(mkey->umem ? &mkey->umem->obj : NULL);
	if (mkey->bsf_set)
		sdev->bsf_mkeys--;
	sim_mkey_release(mkey);
}

static void sim_mkey_fill(struct sim_mkey *mkey, void *mkc)
{
	mkey->variant = MLX5_GET(mkc, mkc, mkey_7_0);
	mkey->mode = MLX5_GET(mkc, mkc, access_mode_4_2) << 2 |
		     MLX5_GET(mkc, mkc, access_mode_1_0);
	mkey->free = MLX5_GET(mkc, mkc, free);
	mkey->umr_en = MLX5_GET(mkc, mkc, umr_en);
	mkey->rinval_en = MLX5_GET(mkc, mkc, en_rinval);
	mkey->len64 = MLX5_GET(mkc, mkc, length64);
	mkey->access = (MLX5_GET(mkc, mkc, lr) ? SIM_MKEY_LR : 0) |
		       (MLX5_GET(mkc, mkc, lw) ? SIM_MKEY_LW : 0) |
		       (MLX5_GET(mkc, mkc, rr) ? SIM_MKEY_RR : 0) |
		       (MLX5_GET(mkc, mkc, rw) ? SIM_MKEY_RW : 0) |
		       (MLX5_GET(mkc, mkc, a) ? SIM_MKEY_A : 0);
	mkey->access_made = mkey->access;
	mkey->pci = (MLX5_GET(mkc, mkc, relaxed_ordering_write) ? SIM_MKEY_RO_WRITE : 0) |
		    (MLX5_GET(mkc, mkc, relaxed_ordering_read) ? SIM_MKEY_RO_READ : 0) |
		    (MLX5_GET(mkc, mkc, ma_translation_mode) ? SIM_MKEY_ATS : 0);
	mkey->qpn = MLX5_GET(mkc, mkc, qpn);
	mkey->pdn = MLX5_GET(mkc, mkc, pd);
	mkey->start = MLX5_GET64(mkc, mkc, start_addr);
	mkey->len = MLX5_GET64(mkc, mkc, len);
	mkey->log_page_size = MLX5_GET(mkc, mkc, log_page_size);
	mkey->xlt_octwords = MLX5_GET(mkc, mkc, translations_octword_size);
	mkey->bsf_en = MLX5_GET(mkc, mkc, bsf_en);
}

/* Refuse bits of the context that need a capability which the device lacks. */
static u8 sim_mkey_check_caps(struct sim_dev *sdev, struct sim_cmd *cmd, void *mkc)
{
	if (MLX5_GET(mkc, mkc, relaxed_ordering_write) && !SIM_CAP(sdev, relaxed_ordering_write))
		return sim_cmd_bad_param(sdev, cmd, "relaxed ordering of writes");
	if (MLX5_GET(mkc, mkc, relaxed_ordering_read) && !SIM_CAP(sdev, relaxed_ordering_read) &&
	    !SIM_CAP(sdev, relaxed_ordering_read_pci_enabled))
		return sim_cmd_bad_param(sdev, cmd, "relaxed ordering of reads");
	if (MLX5_GET(mkc, mkc, ma_translation_mode) && !SIM_CAP(sdev, ats))
		return sim_cmd_bad_param(sdev, cmd, "address translation service");
	return MLX5_CMD_STAT_OK;
}

static u8 sim_mkey_check(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_mkey *mkey)
{
	u8 status, max;

	if (mkey->mode > SIM_MKEY_KSM)
		return sim_cmd_bad_param(sdev, cmd, "access mode %u", mkey->mode);
	/* Unrefereed: U-123. */
	if (mkey->mode == SIM_MKEY_PA && cmd->uid)
		return sim_cmd_bad_uid(sdev, cmd, "all of memory for uid %#x", cmd->uid);
	if (mkey->len64 && (mkey->start || mkey->len))
		return sim_cmd_bad_param(sdev, cmd, "length64 with start %#llx length %#llx",
					 mkey->start, mkey->len);
	if (mkey->start + mkey->len < mkey->start)
		return sim_cmd_bad_param(sdev, cmd, "start %#llx length %#llx wrap", mkey->start,
					 mkey->len);
	if (mkey->log_page_size > SIM_MAX_PAGE_SHIFT)
		return sim_cmd_bad_param(sdev, cmd, "log_page_size %u", mkey->log_page_size);
	if (mkey->mode == SIM_MKEY_MTT && !mkey->free &&
	    mkey->log_page_size < MLX5_ADAPTER_PAGE_SHIFT)
		return sim_cmd_bad_param(sdev, cmd, "log_page_size %u", mkey->log_page_size);
	if (mkey->mode != SIM_MKEY_PA && !mkey->xlt_octwords)
		return sim_cmd_bad_param(sdev, cmd, "no space for translations");
	max = mkey->mode == SIM_MKEY_MTT || mkey->mode == SIM_MKEY_PA ?
		      SIM_LOG_MAX_MTT_OCTWORDS : SIM_CAP(sdev, log_max_klm_list_size);
	if (mkey->xlt_octwords > BIT(max))
		return sim_cmd_bad_param(sdev, cmd, "%u octwords of translations",
					 mkey->xlt_octwords);
	if (mkey->free && !mkey->umr_en)
		return sim_cmd_bad_param(sdev, cmd, "free, and no UMR may ever change that");
	if (mkey->qpn != SIM_ANY_QPN &&
	    !sim_cmd_obj(sdev, cmd, SIM_OBJ_QP, mkey->qpn, &status))
		return status;
	if (!sim_cmd_obj(sdev, cmd, SIM_OBJ_PD, mkey->pdn, &status))
		return status;
	return MLX5_CMD_STAT_OK;
}

/*
 * Checks the space that the command requests for BSFs, whose sizes are fixed,
 * and allocates the BSFs. Unrefereed: U-97, U-125.
 */
static u8 sim_mkey_bsf(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_mkey *mkey, void *mkc)
{
	u32 crypto = sim_bits_get(mkc, (struct sim_field)SIM_MKC_CRYPTO_EN(0));
	u32 octwords = MLX5_GET(mkc, mkc, bsf_octword_size);
	u32 sig = octwords - (crypto ? MLX5_MKEY_BSF_OCTO_SIZE : 0);

	if (crypto > 1 || (crypto && !SIM_CAP(sdev, crypto)))
		return sim_cmd_bad_param(sdev, cmd, "crypto_en %u", crypto);
	if ((sig && !SIM_CAP(sdev, sho)) || (sig && sig != MLX5_MKEY_BSF_OCTO_SIZE) ||
	    (mkey->bsf_en && !octwords))
		return sim_cmd_bad_param(sdev, cmd, "BSF of %u octwords, enabled %d", octwords,
					 mkey->bsf_en);
	mkey->bsf_octwords = octwords;
	if (!octwords)
		return MLX5_CMD_STAT_OK;
	mkey->bsf = kzalloc(sizeof(*mkey->bsf), GFP_KERNEL);
	if (crypto)
		mkey->crypto = kzalloc(sizeof(*mkey->crypto), GFP_KERNEL);
	return sim_cmd_errno_ok(mkey->bsf && (mkey->crypto || !crypto) ? 0 : -ENOMEM);
}

/*
 * Copy the translations of an MTT key from a UMEM. The command contains the
 * offset in the UMEM at which the key begins. A UMEM consists of pages of a
 * process, so no UMR may replace the pages of the key. Unrefereed: U-122.
 */
static u8 sim_mkey_from_umem(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_mkey *mkey)
{
	u32 id = sim_bits_get(cmd->in, (struct sim_field)SIM_MKEY_UMEM_ID);
	u64 off = sim_cmd_get64(cmd, (struct sim_field)SIM_MKEY_UMEM_OFFSET);
	u64 page = BIT_ULL(mkey->log_page_size), n = sim_mkey_pages(mkey), i;
	const struct sim_umem *umem;
	__be64 *mtt;
	u8 status;

	if (mkey->mode != SIM_MKEY_MTT || mkey->umr_en || mkey->free || !n)
		return sim_cmd_bad_param(sdev, cmd, "mode %u of %llu pages, umr_en %d, on a umem",
					 mkey->mode, n, mkey->umr_en);
	mkey->umem = sim_cmd_umem(sdev, cmd, id, off, mkey->len, &status);
	umem = mkey->umem;
	if (!umem)
		return status;
	off += umem->buf.offset;
	if (mkey->log_page_size > umem->buf.page_shift || (off ^ mkey->start) & (page - 1) ||
	    n > (u64)mkey->xlt_octwords * SIM_MTT_PER_OCTWORD)
		return sim_cmd_bad_param(sdev, cmd, "start %#llx page %#llx at %#llx of umem %#x",
					 mkey->start, page, off, id);
	mtt = kvcalloc(n, sizeof(*mtt), GFP_KERNEL);
	if (!mtt)
		return sim_cmd_errno(-ENOMEM);
	off = round_down(off, page);
	for (i = 0; i < n; i++, off += page)
		mtt[i] = cpu_to_be64(umem->buf.pas[off >> umem->buf.page_shift] +
				     (off & (BIT_ULL(umem->buf.page_shift) - 1)));
	mkey->xlt_used = DIV_ROUND_UP_ULL(n, SIM_MTT_PER_OCTWORD);
	status = sim_cmd_errno_ok(sim_mkey_set_mtt(mkey, 0, mtt, n));
	kvfree(mtt);
	return status;
}

/* Checks and copies the translations, from the command or from a UMEM. */
static u8 sim_mkey_list(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_mkey *mkey)
{
	const void *list = MLX5_ADDR_OF(create_mkey_in, cmd->in, klm_pas_mtt);
	u32 bytes = cmd->in_len - MLX5_ST_SZ_BYTES(create_mkey_in);
	u32 n = MLX5_GET(create_mkey_in, cmd->in, translations_octword_actual_size);
	const char *why;
	int err;

	if (MLX5_GET(create_mkey_in, cmd->in, mkey_umem_valid))
		return sim_mkey_from_umem(sdev, cmd, mkey);
	if (sim_bits_get(cmd->in, (struct sim_field)SIM_MKEY_UMEM_ID) ||
	    sim_cmd_get64(cmd, (struct sim_field)SIM_MKEY_UMEM_OFFSET))
		return sim_cmd_reserved(sdev, cmd, "a umem, which is not valid");
	if (bytes % SIM_OCTWORD || bytes / SIM_OCTWORD < n)
		return sim_cmd_size(sdev, cmd, "list of %u bytes for %u octwords", bytes, n);
	if (n > mkey->xlt_octwords)
		return sim_cmd_bad_param(sdev, cmd, "%u octwords, space for %u", n,
					 mkey->xlt_octwords);
	if (!mkey->free && mkey->mode == SIM_MKEY_MTT && !mkey->len64 &&
	    sim_mkey_pages(mkey) > (u64)n * SIM_MTT_PER_OCTWORD)
		return sim_cmd_bad_param(sdev, cmd, "%llu pages, list has %u octwords",
					 sim_mkey_pages(mkey), n);
	mkey->xlt_used = n;
	if (!n)
		return MLX5_CMD_STAT_OK;
	if (mkey->mode == SIM_MKEY_KLM && sim_klm_check(list, n, &why))
		return sim_cmd_bad_param(sdev, cmd, "%s", why);
	if (mkey->mode == SIM_MKEY_MTT)
		err = sim_mkey_set_mtt(mkey, 0, list, n * SIM_MTT_PER_OCTWORD);
	else
		err = sim_mkey_set_klm(mkey, 0, list, n);
	return sim_cmd_errno_ok(err);
}

/* Unrefereed: U-39, U-42. */
u8 sim_cmd_create_mkey(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *mkc = MLX5_ADDR_OF(create_mkey_in, cmd->in, memory_key_mkey_entry);
	struct sim_mkey *mkey;
	u8 status;

	status = sim_mkey_check_caps(sdev, cmd, mkc);
	if (status)
		return status;
	mkey = kzalloc(sizeof(*mkey), GFP_KERNEL);
	if (!mkey)
		return sim_cmd_errno(-ENOMEM);
	sim_mkey_fill(mkey, mkc);
	status = sim_mkey_check(sdev, cmd, mkey);
	if (status)
		goto free;
	status = sim_mkey_bsf(sdev, cmd, mkey, mkc);
	if (status)
		goto free;
	status = sim_mkey_list(sdev, cmd, mkey);
	if (status)
		goto free;
	status = sim_cmd_errno_ok(sim_obj_add(sdev, &mkey->obj, SIM_OBJ_MKEY, cmd->uid,
					      sim_mkey_free));
	if (status)
		goto free;
	sim_obj_use(mkey->umem ? &mkey->umem->obj : NULL);
	MLX5_SET(create_mkey_out, cmd->out, mkey_index, mkey->obj.id);
	return MLX5_CMD_STAT_OK;

free:
	sim_mkey_release(mkey);
	return status;
}

u8 sim_cmd_destroy_mkey(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_mkey *mkey;
	u8 status;

	mkey = sim_cmd_obj(sdev, cmd, SIM_OBJ_MKEY,
			   MLX5_GET(destroy_mkey_in, cmd->in, mkey_index), &status);
	if (!mkey || !sim_cmd_unused(sdev, cmd, &mkey->obj, &status))
		return status;
	sim_mkey_free(sdev, &mkey->obj);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_mkey(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *mkc = MLX5_ADDR_OF(query_mkey_out, cmd->out, memory_key_mkey_entry);
	struct sim_mkey *mkey;
	u8 status;

	mkey = sim_cmd_obj(sdev, cmd, SIM_OBJ_MKEY, MLX5_GET(query_mkey_in, cmd->in, mkey_index),
			   &status);
	if (!mkey)
		return status;
	MLX5_SET(mkc, mkc, free, mkey->free);
	MLX5_SET(mkc, mkc, access_mode_1_0, mkey->mode & 3);
	MLX5_SET(mkc, mkc, access_mode_4_2, mkey->mode >> 2);
	MLX5_SET(mkc, mkc, umr_en, mkey->umr_en);
	MLX5_SET(mkc, mkc, en_rinval, mkey->rinval_en);
	MLX5_SET(mkc, mkc, length64, mkey->len64);
	MLX5_SET(mkc, mkc, lr, !!(mkey->access & SIM_MKEY_LR));
	MLX5_SET(mkc, mkc, lw, !!(mkey->access & SIM_MKEY_LW));
	MLX5_SET(mkc, mkc, rr, !!(mkey->access & SIM_MKEY_RR));
	MLX5_SET(mkc, mkc, rw, !!(mkey->access & SIM_MKEY_RW));
	MLX5_SET(mkc, mkc, a, !!(mkey->access & SIM_MKEY_A));
	MLX5_SET(mkc, mkc, relaxed_ordering_write, !!(mkey->pci & SIM_MKEY_RO_WRITE));
	MLX5_SET(mkc, mkc, relaxed_ordering_read, !!(mkey->pci & SIM_MKEY_RO_READ));
	MLX5_SET(mkc, mkc, ma_translation_mode, !!(mkey->pci & SIM_MKEY_ATS));
	MLX5_SET(mkc, mkc, qpn, mkey->qpn);
	MLX5_SET(mkc, mkc, mkey_7_0, mkey->variant);
	MLX5_SET(mkc, mkc, pd, mkey->pdn);
	MLX5_SET64(mkc, mkc, start_addr, mkey->start);
	MLX5_SET64(mkc, mkc, len, mkey->len);
	MLX5_SET(mkc, mkc, log_page_size, mkey->log_page_size);
	MLX5_SET(mkc, mkc, translations_octword_size, mkey->xlt_octwords);
	MLX5_SET(mkc, mkc, bsf_en, mkey->bsf_en);
	MLX5_SET(mkc, mkc, bsf_octword_size, mkey->bsf_octwords);
	sim_bits_set(mkc, (struct sim_field)SIM_MKC_CRYPTO_EN(0), !!mkey->crypto);
	MLX5_SET(mkc, mkc, expected_sigerr_count, mkey->sigerr_expected);
	return MLX5_CMD_STAT_OK;
}
