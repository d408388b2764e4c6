// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send WQEs that the device must not execute: malformed ones, UMRs it must
 * refuse, and accesses with keys that do not allow them.
 */
#include "sim_violations.h"

static int v_malformed(struct v_set *s)
{
	v_ring_sq(s);
	return v_expect_error(s, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static int wqe_opcode(struct v_set *s)
{
	v_wqe(s, 0x3f, 1);
	return v_malformed(s);
}

static int wqe_reserved(struct v_set *s)
{
	struct mlx5_wqe_ctrl_seg *ctrl = v_wqe(s, MLX5_OPCODE_NOP, 1);

	ctrl->fm_ce_se |= 0x10;
	return v_malformed(s);
}

/* a completion mode that no driver uses */
static int wqe_reserved_ce(struct v_set *s)
{
	struct mlx5_wqe_ctrl_seg *ctrl = v_wqe(s, MLX5_OPCODE_NOP, 1);

	ctrl->fm_ce_se |= 3 << 2;
	return v_malformed(s);
}

static int wqe_size(struct v_set *s)
{
	v_wqe(s, MLX5_OPCODE_NOP, 0);
	return v_malformed(s);
}

/* the WQE is longer than the posted part of the ring */
static int wqe_size_beyond(struct v_set *s)
{
	struct mlx5_wqe_ctrl_seg *ctrl = v_wqe(s, MLX5_OPCODE_NOP, 1);

	ctrl->qpn_ds |= cpu_to_be32(8);
	return v_malformed(s);
}

static int wqe_index(struct v_set *s)
{
	struct mlx5_wqe_ctrl_seg *ctrl = v_wqe(s, MLX5_OPCODE_NOP, 1);

	ctrl->opmod_idx_opcode |= cpu_to_be32(5 << 8);
	return v_malformed(s);
}

static int wqe_qpn(struct v_set *s)
{
	struct mlx5_wqe_ctrl_seg *ctrl = v_wqe(s, MLX5_OPCODE_NOP, 1);

	ctrl->qpn_ds ^= cpu_to_be32(0x10000);
	return v_malformed(s);
}

/* inline data of more bytes than the length field can hold */
static int wqe_segment(struct v_set *s)
{
	__be32 *wqe = v_wqe(s, MLX5_OPCODE_SEND, 2);

	wqe[4] = cpu_to_be32(MLX5_INLINE_SEG | 0x800);
	return v_malformed(s);
}

/* Writes a UMR of a key with inline translations, correct except for the fault of the case */
static void *v_umr_wqe(struct v_set *s, u32 mkey, u16 octwords, u8 flags, u64 mask)
{
	void *wqe = v_wqe(s, MLX5_OPCODE_UMR, (16 + 48 + 64) / 16 + octwords);
	struct mlx5_wqe_ctrl_seg *ctrl = wqe;
	struct mlx5_wqe_umr_ctrl_seg *umr = wqe + 16;

	ctrl->imm = cpu_to_be32(mkey);
	umr->flags = flags | (octwords ? MLX5_UMR_INLINE : 0);
	umr->xlt_octowords = cpu_to_be16(octwords);
	umr->mkey_mask = cpu_to_be64(mask);
	return wqe;
}

struct v_umr_case {
	u16 octwords;
	u8 flags;
	u64 mask;
};

static int v_bad_umr(struct v_set *s)
{
	const struct v_umr_case *c = s->arg;
	struct mlx5_cqe64 cqe;
	u32 mkey;
	int ret;

	ret = v_create_mkey(s, &mkey, MLX5_MKC_ACCESS_MODE_MTT, V_RIGHTS_ALL, s->pdn);
	if (ret)
		return ret;
	v_umr_wqe(s, mkey, c->octwords, c->flags, c->mask);
	v_ring_sq(s);
	ret = v_wait_cqe(s, &cqe);
	if (!ret && cqe.op_own >> 4 != MLX5_CQE_REQ_ERR)
		ret = -EPROTO;
	mlx5_core_destroy_mkey(s->mdev, mkey);
	return ret;
}

/* V_UMR(name, kind, ...): entry of the table of cases */
#define V_UMR(name, kind, ...)						\
	{ name, v_bad_umr, kind, &(const struct v_umr_case){ __VA_ARGS__ } }

/* A list of 8 page addresses that begins 64 bytes behind a boundary of 2 KiB */
static int umr_list_align(struct v_set *s)
{
	struct mlx5_wqe_umr_ctrl_seg *umr;
	struct mlx5_cqe64 cqe;
	u32 mkey;
	void *wqe;
	int ret;

	ret = v_create_mkey(s, &mkey, MLX5_MKC_ACCESS_MODE_MTT, V_RIGHTS_ALL, s->pdn);
	if (ret)
		return ret;
	wqe = v_umr_wqe(s, mkey, 1, 0, MLX5_MKEY_MASK_LEN);
	umr = wqe + 16;
	umr->flags = 0;
	umr->xlt_octowords = cpu_to_be16(4);
	v_data_seg(wqe + 16 + 48 + 64, 64, s->mkey, s->dma + 2048 + 64);
	v_ring_sq(s);
	ret = v_wait_cqe(s, &cqe);
	if (!ret && cqe.op_own >> 4 != MLX5_CQE_REQ_ERR)
		ret = -EPROTO;
	mlx5_core_destroy_mkey(s->mdev, mkey);
	return ret;
}

/* Waits for the next completion, which must be a success. */
static int v_expect_umr(struct v_set *s)
{
	struct mlx5_cqe64 cqe;
	int ret;

	ret = v_wait_cqe(s, &cqe);
	return ret ?: cqe.op_own >> 4 == MLX5_CQE_REQ ? 0 : -EPROTO;
}

/*
 * A UMR and a WRITE that does not wait for the UMR, posted together. The WRITE is executed: it does
 * not use the key of the UMR.
 */
static int fence_missing(struct v_set *s)
{
	u32 mkey;
	int ret;

	ret = v_create_mkey(s, &mkey, MLX5_MKC_ACCESS_MODE_MTT, V_RIGHTS_ALL, s->pdn);
	if (ret)
		return ret;
	v_umr_wqe(s, mkey, 0, 0, MLX5_MKEY_MASK_RW);
	v_write_wqe(s, s->mkey, s->dma, 64, s->dma + 2048);
	ret = v_expect_umr(s);
	if (!ret)
		ret = v_expect_umr(s);
	mlx5_core_destroy_mkey(s->mdev, mkey);
	return ret;
}

/* Creates PSVs in a PD. */
static int v_create_psv(struct v_set *s, u32 pdn, u32 num, u32 *psvn)
{
	u32 out[MLX5_ST_SZ_DW(create_psv_out)] = {};
	u32 in[MLX5_ST_SZ_DW(create_psv_in)] = {};
	int ret;

	MLX5_SET(create_psv_in, in, opcode, MLX5_CMD_OP_CREATE_PSV);
	MLX5_SET(create_psv_in, in, pd, pdn);
	MLX5_SET(create_psv_in, in, num_psv, num);
	ret = v_cmd(s, in, sizeof(in), out, sizeof(out));
	*psvn = MLX5_GET(create_psv_out, out, psv0_index);
	return ret;
}

/* 5 PSVs in one command, whose output has fields for 4 */
static int cmd_bad_param_psvs(struct v_set *s)
{
	u32 psvn;

	return v_create_psv(s, s->pdn, 5, &psvn) == -EREMOTEIO ? 0 : -EPROTO;
}

/* A BSF for a key that was created without space for BSFs */
static int sig_bsf(struct v_set *s)
{
	struct mlx5_wqe_umr_ctrl_seg *umr;
	struct mlx5_cqe64 cqe;
	u32 mkey;
	int ret;

	ret = v_create_mkey(s, &mkey, MLX5_MKC_ACCESS_MODE_MTT, V_RIGHTS_ALL, s->pdn);
	if (ret)
		return ret;
	umr = v_umr_wqe(s, mkey, 4, 0, MLX5_MKEY_MASK_BSF_EN) + 16;
	umr->xlt_octowords = 0;
	umr->bsf_octowords = cpu_to_be16(MLX5_MKEY_BSF_OCTO_SIZE);
	v_ring_sq(s);
	ret = v_wait_cqe(s, &cqe);
	if (!ret && cqe.op_own >> 4 != MLX5_CQE_REQ_ERR)
		ret = -EPROTO;
	mlx5_core_destroy_mkey(s->mdev, mkey);
	return ret;
}

/*
 * crypto_en in the context of a key; <linux/mlx5/mlx5_ifc.h> does not define it
 */
#define MKC_CRYPTO_WORD	15
#define MKC_CRYPTO_EN	BIT(27)

static int create_crypto_mkey(struct v_set *s, u32 *mkey)
{
	u32 in[MLX5_ST_SZ_DW(create_mkey_in)] = {};
	void *mkc = MLX5_ADDR_OF(create_mkey_in, in, memory_key_mkey_entry);

	MLX5_SET(mkc, mkc, access_mode_1_0, MLX5_MKC_ACCESS_MODE_KLMS);
	MLX5_SET(mkc, mkc, free, 1);
	MLX5_SET(mkc, mkc, umr_en, 1);
	MLX5_SET(mkc, mkc, qpn, 0xffffff);
	MLX5_SET(mkc, mkc, pd, s->pdn);
	MLX5_SET(mkc, mkc, translations_octword_size, 4);
	MLX5_SET(mkc, mkc, bsf_en, 1);
	MLX5_SET(mkc, mkc, bsf_octword_size, MLX5_MKEY_BSF_OCTO_SIZE);
	((__be32 *)mkc)[MKC_CRYPTO_WORD] |= cpu_to_be32(MKC_CRYPTO_EN);
	return mlx5_core_create_mkey(s->mdev, mkey, in, sizeof(in));
}

/*
 * A valid crypto BSF, for data units of 512 bytes, with a DEK that does not
 * exist
 */
static int crypto_dek(struct v_set *s)
{
	struct mlx5_wqe_umr_ctrl_seg *umr;
	struct mlx5_cqe64 cqe;
	u32 mkey;
	u8 *bsf;
	int ret;

	ret = create_crypto_mkey(s, &mkey);
	if (ret)
		return ret;
	umr = v_umr_wqe(s, mkey, 4, 0, MLX5_MKEY_MASK_BSF_EN) + 16;
	umr->xlt_octowords = 0;
	umr->bsf_octowords = cpu_to_be16(MLX5_MKEY_BSF_OCTO_SIZE);
	bsf = (u8 *)umr + 48 + 64;
	bsf[0] = 0x81;
	bsf[8] = 1;
	bsf[35] = 0x55;
	v_ring_sq(s);
	ret = v_wait_cqe(s, &cqe);
	if (!ret && cqe.op_own >> 4 != MLX5_CQE_REQ_ERR)
		ret = -EPROTO;
	mlx5_core_destroy_mkey(s->mdev, mkey);
	return ret;
}

static int v_set_psv(struct v_set *s, u32 psvn)
{
	struct mlx5_seg_set_psv *seg = v_wqe(s, MLX5_OPCODE_SET_PSV, 2) + 16;

	seg->psv_num = cpu_to_be32(psvn);
	return v_malformed(s);
}

static int sig_psv(struct v_set *s)
{
	return v_set_psv(s, 0xffff);
}

static int sig_psv_pd(struct v_set *s)
{
	u32 pdn, psvn;
	int ret;

	ret = mlx5_core_alloc_pd(s->mdev, &pdn);
	if (ret)
		return ret;
	ret = v_create_psv(s, pdn, 1, &psvn);
	if (!ret) {
		ret = v_set_psv(s, psvn);
		mlx5_core_destroy_psv(s->mdev, psvn);
	}
	mlx5_core_dealloc_pd(s->mdev, pdn);
	return ret;
}

static int wqe_size_psv(struct v_set *s)
{
	v_wqe(s, MLX5_OPCODE_SET_PSV, 3);
	return v_malformed(s);
}

static int wqe_reserved_psv(struct v_set *s)
{
	struct mlx5_seg_set_psv *seg = v_wqe(s, MLX5_OPCODE_SET_PSV, 2) + 16;

	seg->status = cpu_to_be16(1);
	return v_malformed(s);
}

static int v_no_access(struct v_set *s, u32 lkey, u64 addr, u32 len)
{
	v_write_wqe(s, lkey, addr, len, s->dma + 2048);
	return v_expect_error(s, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static int mkey_lookup(struct v_set *s)
{
	return v_no_access(s, 0xabcdef00, s->dma, 64);
}

static int mkey_pd(struct v_set *s)
{
	u32 pdn, mkey;
	int ret;

	ret = mlx5_core_alloc_pd(s->mdev, &pdn);
	if (ret)
		return ret;
	ret = v_create_mkey(s, &mkey, MLX5_MKC_ACCESS_MODE_PA, V_RIGHTS_ALL, pdn);
	if (!ret) {
		ret = v_no_access(s, mkey, s->dma, 64);
		mlx5_core_destroy_mkey(s->mdev, mkey);
	}
	mlx5_core_dealloc_pd(s->mdev, pdn);
	return ret;
}

/* an mkey with all rights except local read */
static int mkey_access(struct v_set *s)
{
	u32 mkey;
	int ret;

	ret = v_create_mkey(s, &mkey, MLX5_MKC_ACCESS_MODE_PA, V_RIGHTS_ALL & ~1, s->pdn);
	if (ret)
		return ret;
	ret = v_no_access(s, mkey, s->dma, 64);
	mlx5_core_destroy_mkey(s->mdev, mkey);
	return ret;
}

static int mkey_range(struct v_set *s)
{
	u32 mkey;
	int ret;

	ret = v_create_mkey(s, &mkey, MLX5_MKC_ACCESS_MODE_MTT, V_RIGHTS_ALL, s->pdn);
	if (ret)
		return ret;
	ret = v_no_access(s, mkey, s->dma + PAGE_SIZE - 32, 64);
	mlx5_core_destroy_mkey(s->mdev, mkey);
	return ret;
}

const struct v_case v_wqes_cases[] = {
	{ "wqe_opcode", wqe_opcode },
	{ "wqe_reserved", wqe_reserved },
	{ "wqe_reserved-ce", wqe_reserved_ce },
	{ "wqe_size", wqe_size },
	{ "wqe_size-beyond", wqe_size_beyond },
	{ "wqe_index", wqe_index },
	{ "wqe_qpn", wqe_qpn },
	{ "wqe_segment", wqe_segment },
	{ "fence_missing", fence_missing },
	V_UMR("umr_mask", V_RC, .mask = BIT_ULL(62)),
	/* the UMR requires a free mkey, and the mkey is not free */
	V_UMR("umr_state", V_RC, .flags = MLX5_UMR_CHECK_NOT_FREE, .mask = MLX5_MKEY_MASK_LEN),
	/* a UMR of an mkey of pages, on a QP without fast registration */
	V_UMR("umr_state-fre", V_NO_FRE, .mask = MLX5_MKEY_MASK_LEN),
	/* 8 octwords into a key with space for 4 */
	V_UMR("umr_entries", V_RC, .octwords = 8, .mask = MLX5_MKEY_MASK_LEN),
	{ "umr_list_align", umr_list_align },
	{ "cmd_bad_param-psvs", cmd_bad_param_psvs },
	{ "sig_bsf", sig_bsf },
	{ "crypto_dek", crypto_dek },
	{ "sig_psv", sig_psv },
	{ "sig_psv-pd", sig_psv_pd },
	{ "wqe_size-psv", wqe_size_psv },
	{ "wqe_reserved-psv", wqe_reserved_psv },
	{ "mkey_lookup", mkey_lookup },
	{ "mkey_pd", mkey_pd },
	{ "mkey_access", mkey_access },
	{ "mkey_range", mkey_range },
	{ }
};
