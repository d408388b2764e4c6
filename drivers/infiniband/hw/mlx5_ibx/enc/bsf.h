/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: BSFs (byte stream formats), the signature attributes of mkeys.
 * Pure functions, as in enc.h.
 *
 * <linux/mlx5/qp.h> has the structure. Its codes of block sizes and CRCs are
 * not public in the kernel; they are from wqe.h in providers/mlx5 of rdma-core.
 */
#ifndef MLX5_IBX_ENC_BSF_H
#define MLX5_IBX_ENC_BSF_H

#include <linux/mlx5/qp.h>

#include "conf.h"
#include "enc/umr.h"
#include "sig.h"

static_assert(sizeof(struct mlx5_bsf) == 64);
static_assert(offsetof(struct mlx5_bsf, w_inl) == 32);

/* size of a BSF, in units of 16 bytes */
#define IBX_BSF_OCTWORDS	(sizeof(struct mlx5_bsf) / 16)
/*
 * bit of the size in the first byte of a BSF: if a crypto BSF follows a
 * signature BSF, both BSFs have this bit, in addition to the bits of a single
 * BSF
 */
#define IBX_BSF_BOTH		BIT(6)
/* the BSF has 32 bits for the length of the mkey */
#define IBX_SIG_MAX_LENGTH	U32_MAX
/* position of the number of errors, modulo 2, in flags_pd of an mkey context */
#define IBX_SIG_ERRS_SHIFT	26

/* bsf_size_sbs: the BSF has its inline segments; both domains have the same structure */
#define IBX_BSF_WITH_INLINE	(2 << 6)
#define IBX_BSF_SAME_STRUCTURE	BIT(4)

/* codes of block sizes; 0 is no valid code */
enum ibx_bsf_block {
	IBX_BSF_BLOCK_512 = 1,
	IBX_BSF_BLOCK_520 = 2,
	IBX_BSF_BLOCK_4096 = 3,
	IBX_BSF_BLOCK_4160 = 4,
	IBX_BSF_BLOCK_4048 = 6,
};

/* inline segment of T10-DIF */
#define IBX_INL_VALID		BIT(15)
#define IBX_INL_REFRESH		BIT(14)	/* the next transfer starts with the values of the BSF */
#define IBX_INL_REPEAT		BIT(7)	/* each block has a signature */
#define IBX_INL_SEED		BIT(3)	/* the seed has all bits 1, not 0 */
#define IBX_INL_INC_REF		BIT(6)
#define IBX_INL_APP_ESCAPE	BIT(0)
#define IBX_INL_APP_REF_ESCAPE	BIT(1)

#define BSF_FIELD(field, value)	IBX_FIELD(struct mlx5_bsf, field, value)

IBX_ASSERT_WORD(struct mlx5_bsf, basic.raw_data_size, 0);
IBX_ASSERT_WORD(struct mlx5_bsf, basic.w_bfs_psv, 1);
IBX_ASSERT_WORD(struct mlx5_bsf, basic.m_bfs_psv, 1);
IBX_ASSERT_WORD(struct mlx5_bsf, w_inl.dif_reftag, 4);
IBX_ASSERT_WORD(struct mlx5_bsf, w_inl.dif_app_bitmask_check, 5);
IBX_ASSERT_WORD(struct mlx5_bsf, m_inl.dif_reftag, 6);
IBX_ASSERT_WORD(struct mlx5_bsf, m_inl.dif_app_bitmask_check, 7);

/**
 * struct ibx_bsf_domain - a domain in a BSF
 * @tags: first word of the inline segment; 0 unless the domain has T10-DIF
 * @rules: second word of the inline segment; 0 unless the domain has T10-DIF
 * @start: value of the PSV at the start of a transfer
 * @psv: number of the PSV; for a CRC, its format in bits 31:24; 0: no signature
 *
 * All members are calculated before a byte of the BSF is written, so that they
 * stay in registers.
 */
struct ibx_bsf_domain {
	u64 tags;
	u64 rules;
	u64 start;
	u32 psv;
};

/**
 * struct ibx_bsf_dif - T10-DIF of a domain, valid and in the terms of the device
 * @app_tag: application tag
 * @app_mask: bits of the application tag that are checked
 * @ref_tag: reference tag
 * @seed: seed of the guard, 0 or 0xffff
 * @guard: MLX5_DIF_CRC or MLX5_DIF_IPCS
 * @check: IBX_INL_INC_REF or 0, and one of IBX_INL_*_ESCAPE or 0
 */
struct ibx_bsf_dif {
	u16 app_tag;
	u16 app_mask;
	u32 ref_tag;
	u16 seed;
	u8 guard;
	u8 check;
};

/**
 * ibx_bsf_put_dif() - find the values of a domain with T10-DIF
 * @to: gets the values; @to->psv does not change
 * @dif: T10-DIF of the domain
 *
 * Context: any.
 */
static __always_inline void ibx_bsf_put_dif(struct ibx_bsf_domain *to,
					    const struct ibx_bsf_dif *dif)
{
	const u64 tags = (u64)dif->app_tag << 32 | dif->ref_tag;

	/*
	 * w_inl and m_inl have the same format, so the fields of w_inl serve
	 * both domains
	 */
	to->tags = BSF_FIELD(w_inl.vld_refresh, IBX_INL_VALID | IBX_INL_REFRESH) | tags;
	to->rules = BSF_FIELD(w_inl.sig_type, dif->guard) |
		    BSF_FIELD(w_inl.rp_inv_seed, IBX_INL_REPEAT | (dif->seed & IBX_INL_SEED)) |
		    BSF_FIELD(w_inl.dif_inc_ref_guard_check, dif->check) |
		    BSF_FIELD(w_inl.dif_app_bitmask_check, dif->app_mask);
	to->start = (u64)dif->seed << 48 | tags;
}

/**
 * ibx_bsf_common_dif() - find the bytes of T10-DIF that are equal in two
 * domains
 * @mem: memory domain
 * @wire: wire domain
 *
 * Context: any.
 * Return: bits MLX5DV_SIG_MASK_T10DIF_* of these bytes, which can be copied.
 */
static __always_inline u8 ibx_bsf_common_dif(const struct ibx_bsf_domain *mem,
					     const struct ibx_bsf_domain *wire)
{
	const u64 tags = mem->tags ^ wire->tags, rules = mem->rules ^ wire->rules;
	const u64 guard = BSF_FIELD(w_inl.sig_type, U8_MAX) | BSF_FIELD(w_inl.rp_inv_seed, U8_MAX);
	const u64 remap = BSF_FIELD(w_inl.dif_inc_ref_guard_check, IBX_INL_INC_REF);
	u8 mask = 0;

	if (!(rules & guard))
		mask |= MLX5DV_SIG_MASK_T10DIF_GUARD;
	if (!(tags & BSF_FIELD(w_inl.dif_apptag, U16_MAX)))
		mask |= MLX5DV_SIG_MASK_T10DIF_APPTAG;
	if (!(lower_32_bits(tags) | (rules & remap)))
		mask |= MLX5DV_SIG_MASK_T10DIF_REFTAG;
	return mask;
}

/**
 * ibx_bsf_write() - write a BSF
 * @bsf: BSF; every byte is written
 * @basic: its first word
 * @mem: memory domain
 * @wire: wire domain
 *
 * Context: any.
 */
static __always_inline void ibx_bsf_write(struct mlx5_bsf *bsf, u64 basic,
					  const struct ibx_bsf_domain *mem,
					  const struct ibx_bsf_domain *wire)
{
	ibx_put(bsf, 0, basic);
	ibx_put(bsf, 1, BSF_FIELD(basic.w_bfs_psv, wire->psv) |
			BSF_FIELD(basic.m_bfs_psv, mem->psv));
	ibx_put_zero(bsf, 2, 3);
	ibx_put(bsf, 4, wire->tags);
	ibx_put(bsf, 5, wire->rules);
	ibx_put(bsf, 6, mem->tags);
	ibx_put(bsf, 7, mem->rules);
}

/**
 * ibx_sig_same_structure() - compare block size, type and CRC of the domains
 * @attr: valid attributes, except for copy_mask
 *
 * Context: any.
 * Return: true if both domains have signatures, of the same structure.
 */
static __always_inline bool ibx_sig_same_structure(const struct mlx5dv_sig_block_attr *attr)
{
	const struct mlx5dv_sig_block_domain *mem = attr->mem, *wire = attr->wire;

	if (!mem || !wire || mem->sig_type != wire->sig_type ||
	    mem->block_size != wire->block_size)
		return false;
	return mem->sig_type == MLX5DV_SIG_TYPE_T10DIF ||
	       mem->sig.crc->type == wire->sig.crc->type;
}

u8 ibx_block_selector(enum mlx5dv_block_size size);
void ibx_enc_bsf(struct ibx_sig_set *set, const struct mlx5dv_sig_block_attr *attr,
		 const u32 *psv);
void ibx_enc_bsf_none(struct mlx5_bsf *bsf);

/**
 * ibx_copy_bsf() - copy a BSF, in fewer instructions than memcpy() of this size takes
 * @to: memory for a BSF, aligned to 8 bytes
 * @from: BSF, of signatures or encryption
 *
 * Context: any.
 */
static inline void ibx_copy_bsf(void *to, const void *from)
{
	const u64 *f = from;
	u64 *t = to;

	/*
	 * WRITE_ONCE(): otherwise the compiler calls memcpy()
	 */
	WRITE_ONCE(t[0], f[0]);
	WRITE_ONCE(t[1], f[1]);
	WRITE_ONCE(t[2], f[2]);
	WRITE_ONCE(t[3], f[3]);
	WRITE_ONCE(t[4], f[4]);
	WRITE_ONCE(t[5], f[5]);
	WRITE_ONCE(t[6], f[6]);
	WRITE_ONCE(t[7], f[7]);
}

/**
 * ibx_enc_conf_bsf() - add BSFs to a configuration, or disable the BSFs of the
 * mkey
 * @umr: segment from ibx_enc_umr_conf()
 * @seg: segment from ibx_enc_mkey_conf()
 * @octwords: size of the BSFs behind the layout, in units of 16 bytes; 0
 *	disables the BSFs of the mkey
 *
 * Context: any.
 */
static inline void ibx_enc_conf_bsf(struct mlx5_wqe_umr_ctrl_seg *umr, struct mlx5_mkey_seg *seg,
				    u16 octwords)
{
	umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_BSF_EN);
	if (!octwords)
		return;
	umr->bsf_octowords = cpu_to_be16(octwords);
	seg->flags_pd |= cpu_to_be32(MLX5_MKEY_BSF_EN);
}

/**
 * ibx_enc_conf_sig_errs() - add the number of signature errors to a configuration
 * @umr: segment from ibx_enc_umr_conf()
 * @seg: segment from ibx_enc_mkey_conf()
 * @errs: one more than the number of errors that the device reported. The
 *	device reports a further error only after a configuration with another
 *	low bit
 *
 * Context: any.
 */
static inline void ibx_enc_conf_sig_errs(struct mlx5_wqe_umr_ctrl_seg *umr,
					 struct mlx5_mkey_seg *seg, u32 errs)
{
	umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_EN_SIGERR);
	seg->flags_pd |= cpu_to_be32((errs & 1) << IBX_SIG_ERRS_SHIFT);
}

#endif /* MLX5_IBX_ENC_BSF_H */
