// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: BSFs, the signature attributes of mkeys. See enc/bsf.h.
 */
#include "enc/bsf.h"
#include "enc/psv.h"

/* bsf_size_sbs: the BSF has its inline segments; both domains have the same structure */
#define BSF_WITH_INLINE		(2 << 6)
#define BSF_SAME_STRUCTURE	BIT(4)

/* bits 31:24 of the word with the PSV: format of a CRC. T10-DIF has an inline segment */
#define BSF_CRC32		0x20
#define BSF_CRC32C		0x40
#define BSF_CRC64		0x50
#define BSF_CRC_REPEAT		0x02	/* each block has a signature */
#define BSF_CRC_SEED_0		0x01	/* the seed has all bits 0, not 1 */
#define BSF_CRC_SHIFT		24

/* inline segment of T10-DIF */
#define INL_VALID		BIT(15)
#define INL_REFRESH		BIT(14)	/* the next transfer starts with the values of the BSF */
#define INL_REPEAT		BIT(7)	/* each block has a signature */
#define INL_SEED		BIT(3)	/* the seed has all bits 1, not 0 */
#define INL_INC_REF		BIT(6)
#define INL_APP_ESCAPE		BIT(0)
#define INL_APP_REF_ESCAPE	BIT(1)
#define INL_APP_MASK		0xffff

/**
 * ibx_sig_kind() - find where a domain has its guard
 * @domain: valid attributes of the domain; NULL without signature
 *
 * Context: any.
 * Return: kind of the domain.
 */
enum ibx_sig_kind ibx_sig_kind(const struct mlx5dv_sig_block_domain *domain)
{
	if (!domain)
		return IBX_SIG_NONE;
	if (domain->sig_type == MLX5DV_SIG_TYPE_T10DIF)
		return IBX_SIG_T10DIF;
	return domain->sig.crc->type == MLX5DV_SIG_CRC_TYPE_CRC64_XP10 ? IBX_SIG_CRC8 :
									 IBX_SIG_CRC4;
}

/**
 * ibx_sig_same_structure() - compare block size, type and CRC of the domains
 * @attr: valid attributes, except for copy_mask
 *
 * Context: any.
 * Return: true if both domains have signatures, of the same structure.
 */
bool ibx_sig_same_structure(const struct mlx5dv_sig_block_attr *attr)
{
	const struct mlx5dv_sig_block_domain *mem = attr->mem, *wire = attr->wire;

	if (!mem || !wire || mem->sig_type != wire->sig_type ||
	    mem->block_size != wire->block_size)
		return false;
	return mem->sig_type == MLX5DV_SIG_TYPE_T10DIF ||
	       mem->sig.crc->type == wire->sig.crc->type;
}

/**
 * ibx_block_selector() - code of a block size in BSFs
 * @size: valid block size
 *
 * Context: any.
 * Return: the code.
 */
u8 ibx_block_selector(enum mlx5dv_block_size size)
{
	static const u8 selectors[] = {
		[MLX5DV_BLOCK_SIZE_512] = 1,
		[MLX5DV_BLOCK_SIZE_520] = 2,
		[MLX5DV_BLOCK_SIZE_4048] = 6,
		[MLX5DV_BLOCK_SIZE_4096] = 3,
		[MLX5DV_BLOCK_SIZE_4160] = 4,
	};

	return selectors[size];
}

/* bits of check_mask and copy_mask for the bytes that a signature has */
static u8 signature_bytes(const struct mlx5dv_sig_block_domain *domain)
{
	switch (ibx_sig_kind(domain)) {
	case IBX_SIG_NONE:
		return 0;
	case IBX_SIG_CRC4:
		return MLX5DV_SIG_MASK_CRC32;
	default:
		return MLX5DV_SIG_MASK_CRC64_XP10;
	}
}

/* bytes of T10-DIF that are configured alike */
static u8 common_t10dif(const struct mlx5dv_sig_t10dif *mem, const struct mlx5dv_sig_t10dif *wire)
{
	u8 mask = 0;

	if (mem->bg_type == wire->bg_type && mem->bg == wire->bg)
		mask |= MLX5DV_SIG_MASK_T10DIF_GUARD;
	if (mem->app_tag == wire->app_tag)
		mask |= MLX5DV_SIG_MASK_T10DIF_APPTAG;
	if (mem->ref_tag == wire->ref_tag &&
	    !((mem->flags ^ wire->flags) & MLX5DV_SIG_T10DIF_FLAG_REF_REMAP))
		mask |= MLX5DV_SIG_MASK_T10DIF_REFTAG;
	return mask;
}

/* bytes to copy, if both domains have the same structure */
static u8 find_copy_mask(const struct mlx5dv_sig_block_attr *attr)
{
	const u8 bytes = signature_bytes(attr->mem);

	if (attr->flags & MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK)
		return attr->copy_mask & bytes;
	if (attr->mem->sig_type == MLX5DV_SIG_TYPE_T10DIF)
		return common_t10dif(attr->mem->sig.dif, attr->wire->sig.dif);
	/* a CRC that was calculated with another seed would be bad in the output domain */
	return ibx_sig_start(attr->mem) == ibx_sig_start(attr->wire) ? bytes : 0;
}

static void put_t10dif(struct mlx5_bsf_inl *inl, const struct mlx5dv_sig_t10dif *dif)
{
	inl->vld_refresh = cpu_to_be16(INL_VALID | INL_REFRESH);
	inl->dif_apptag = cpu_to_be16(dif->app_tag);
	inl->dif_reftag = cpu_to_be32(dif->ref_tag);
	inl->sig_type = dif->bg_type == MLX5DV_SIG_T10DIF_CRC ? MLX5_DIF_CRC : MLX5_DIF_IPCS;
	inl->rp_inv_seed = INL_REPEAT | (dif->bg ? INL_SEED : 0);
	if (dif->flags & MLX5DV_SIG_T10DIF_FLAG_REF_REMAP)
		inl->dif_inc_ref_guard_check |= INL_INC_REF;
	if (dif->flags & MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE)
		inl->dif_inc_ref_guard_check |= INL_APP_REF_ESCAPE;
	else if (dif->flags & MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE)
		inl->dif_inc_ref_guard_check |= INL_APP_ESCAPE;
	inl->dif_app_bitmask_check = cpu_to_be16(INL_APP_MASK);
}

static u32 crc_format(const struct mlx5dv_sig_block_domain *domain)
{
	static const u8 formats[] = {
		[MLX5DV_SIG_CRC_TYPE_CRC32] = BSF_CRC32,
		[MLX5DV_SIG_CRC_TYPE_CRC32C] = BSF_CRC32C,
		[MLX5DV_SIG_CRC_TYPE_CRC64_XP10] = BSF_CRC64,
	};
	u32 format = formats[domain->sig.crc->type] | BSF_CRC_REPEAT;

	if (!ibx_sig_start(domain))
		format |= BSF_CRC_SEED_0;
	return format << BSF_CRC_SHIFT;
}

/* writes what T10-DIF has in @inl; the word with format and PSV of a domain */
static __be32 put_domain(struct mlx5_bsf_inl *inl, const struct mlx5dv_sig_block_domain *domain,
			 u32 psv)
{
	if (!domain)
		return 0;
	psv &= IBX_PSV_MASK;
	if (domain->sig_type == MLX5DV_SIG_TYPE_T10DIF)
		put_t10dif(inl, domain->sig.dif);
	else
		psv |= crc_format(domain);
	return cpu_to_be32(psv);
}

/**
 * ibx_enc_bsf() - write the BSF of an mkey
 * @bsf: BSF; every byte is written
 * @attr: valid attributes
 * @psv: numbers of the PSVs, by enum ibx_sig_domain
 *
 * Context: any.
 */
void ibx_enc_bsf(struct mlx5_bsf *bsf, const struct mlx5dv_sig_block_attr *attr, const u32 *psv)
{
	struct mlx5_bsf_basic *basic = &bsf->basic;

	ibx_put(bsf, 0, 0);
	ibx_put_zero(bsf, 1, 7);
	basic->bsf_size_sbs = BSF_WITH_INLINE;
	basic->check_byte_mask = attr->check_mask &
				 (signature_bytes(attr->mem) | signature_bytes(attr->wire));
	basic->raw_data_size = cpu_to_be32(IBX_SIG_MAX_LENGTH);
	basic->m_bfs_psv = put_domain(&bsf->m_inl, attr->mem, psv[IBX_SIG_MEM]);
	basic->w_bfs_psv = put_domain(&bsf->w_inl, attr->wire, psv[IBX_SIG_WIRE]);
	if (attr->mem)
		basic->mem.bs_selector = ibx_block_selector(attr->mem->block_size);
	if (ibx_sig_same_structure(attr)) {
		basic->bsf_size_sbs |= BSF_SAME_STRUCTURE;
		basic->wire.copy_byte_mask = find_copy_mask(attr);
	} else if (attr->wire) {
		basic->wire.bs_selector = ibx_block_selector(attr->wire->block_size);
	}
}
