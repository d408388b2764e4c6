// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: BSFs of the signature attributes of <rdma/mlx5dv_sig.h>. See enc/bsf.h.
 */
#include "enc/bsf.h"
#include "enc/psv.h"

/* bits 31:24 of the word with the PSV: format of a CRC; 0 for T10-DIF */
#define BSF_CRC32		0x20
#define BSF_CRC32C		0x40
#define BSF_CRC64		0x50
#define BSF_CRC_REPEAT		0x02	/* each block has a signature */
#define BSF_CRC_SEED_0		0x01	/* the seed has all bits 0, not 1 */
#define BSF_CRC_SHIFT		24

/**
 * ibx_block_selector() - code of a block size in BSFs
 * @size: valid block size
 *
 * Context: any.
 * Return: the code, of enum ibx_bsf_block.
 */
u8 ibx_block_selector(enum mlx5dv_block_size size)
{
	static const u8 selectors[] = {
		[MLX5DV_BLOCK_SIZE_512] = IBX_BSF_BLOCK_512,
		[MLX5DV_BLOCK_SIZE_520] = IBX_BSF_BLOCK_520,
		[MLX5DV_BLOCK_SIZE_4048] = IBX_BSF_BLOCK_4048,
		[MLX5DV_BLOCK_SIZE_4096] = IBX_BSF_BLOCK_4096,
		[MLX5DV_BLOCK_SIZE_4160] = IBX_BSF_BLOCK_4160,
	};

	return selectors[size];
}

/* find the values of a domain with T10-DIF */
static __always_inline void find_t10dif(struct ibx_bsf_domain *to,
					const struct mlx5dv_sig_t10dif *dif)
{
	/* indexed by a set of enum mlx5dv_sig_t10dif_flags */
	static const u8 checks[] = {
		0,
		IBX_INL_INC_REF,
		IBX_INL_APP_ESCAPE,
		IBX_INL_APP_ESCAPE | IBX_INL_INC_REF,
		IBX_INL_APP_REF_ESCAPE,
		IBX_INL_APP_REF_ESCAPE | IBX_INL_INC_REF,
		IBX_INL_APP_REF_ESCAPE,
		IBX_INL_APP_REF_ESCAPE | IBX_INL_INC_REF,
	};
	const struct ibx_bsf_dif of_device = {
		.app_tag = dif->app_tag,
		.app_mask = U16_MAX,
		.ref_tag = dif->ref_tag,
		.seed = dif->bg,
		.guard = dif->bg_type + MLX5_DIF_CRC,
		.check = checks[dif->flags],
	};

	static_assert(MLX5DV_SIG_T10DIF_CRC + MLX5_DIF_CRC == MLX5_DIF_CRC &&
		      MLX5DV_SIG_T10DIF_CSUM + MLX5_DIF_CRC == MLX5_DIF_IPCS);
	static_assert(MLX5DV_SIG_T10DIF_FLAG_REF_REMAP == 1 &&
		      MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE == 2 &&
		      MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE == 4);
	ibx_bsf_put_dif(to, &of_device);
}

/* find the values of a domain, or of no domain. Return: enum ibx_sig_kind */
static __always_inline u8 find_domain(struct ibx_bsf_domain *to,
				      const struct mlx5dv_sig_block_domain *domain, u32 psv)
{
	static const struct {
		u8 format;
		u8 kind;
	} crcs[] = {
		[MLX5DV_SIG_CRC_TYPE_CRC32] = { BSF_CRC32 | BSF_CRC_REPEAT, IBX_SIG_CRC4 },
		[MLX5DV_SIG_CRC_TYPE_CRC32C] = { BSF_CRC32C | BSF_CRC_REPEAT, IBX_SIG_CRC4 },
		[MLX5DV_SIG_CRC_TYPE_CRC64_XP10] = { BSF_CRC64 | BSF_CRC_REPEAT, IBX_SIG_CRC8 },
	};
	const struct mlx5dv_sig_crc *crc;

	*to = (struct ibx_bsf_domain){};
	if (!domain)
		return IBX_SIG_NONE;
	to->psv = psv & IBX_PSV_MASK;
	if (domain->sig_type == MLX5DV_SIG_TYPE_T10DIF) {
		find_t10dif(to, domain->sig.dif);
		return IBX_SIG_T10DIF;
	}
	crc = domain->sig.crc;
	to->start = ibx_sig_crc_start(crc);
	to->psv |= (u32)crcs[crc->type].format << BSF_CRC_SHIFT;
	if (!to->start)
		to->psv |= BSF_CRC_SEED_0 << BSF_CRC_SHIFT;
	return crcs[crc->type].kind;
}

/* bits of check_mask and copy_mask for the bytes of a signature, by enum ibx_sig_kind */
static const u8 signature_bytes[] = {
	[IBX_SIG_NONE] = 0,
	[IBX_SIG_T10DIF] = MLX5DV_SIG_MASK_CRC64_XP10,
	[IBX_SIG_CRC4] = MLX5DV_SIG_MASK_CRC32,
	[IBX_SIG_CRC8] = MLX5DV_SIG_MASK_CRC64_XP10,
};

/* bytes to copy between domains of the same structure and @kind */
static __always_inline u8 find_copy_mask(const struct mlx5dv_sig_block_attr *attr, u8 kind,
					 const struct ibx_bsf_domain *mem,
					 const struct ibx_bsf_domain *wire)
{
	if (attr->flags & MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK)
		return attr->copy_mask & signature_bytes[kind];
	if (kind == IBX_SIG_T10DIF)
		return ibx_bsf_common_dif(mem, wire);
	/* with different seeds, a copied CRC would be wrong */
	return mem->start == wire->start ? signature_bytes[kind] : 0;
}

/**
 * ibx_enc_bsf() - write the BSF of an mkey
 * @set: gets the BSF, with every byte written, and the values of its PSVs
 * @attr: valid attributes
 * @psv: numbers of the PSVs, by enum ibx_sig_domain
 *
 * Context: any.
 */
void ibx_enc_bsf(struct ibx_sig_set *set, const struct mlx5dv_sig_block_attr *attr,
		 const u32 *psv)
{
	struct ibx_bsf_domain mem, wire;
	const u8 mem_kind = find_domain(&mem, attr->mem, psv[IBX_SIG_MEM]);
	const u8 wire_kind = find_domain(&wire, attr->wire, psv[IBX_SIG_WIRE]);
	const u8 bytes = signature_bytes[mem_kind] | signature_bytes[wire_kind];
	u64 basic = BSF_FIELD(basic.bsf_size_sbs, IBX_BSF_WITH_INLINE) |
		    BSF_FIELD(basic.check_byte_mask, attr->check_mask & bytes) |
		    BSF_FIELD(basic.raw_data_size, IBX_SIG_MAX_LENGTH);

	if (attr->mem)
		basic |= BSF_FIELD(basic.mem.bs_selector,
				   ibx_block_selector(attr->mem->block_size));
	if (ibx_sig_same_structure(attr))
		basic |= BSF_FIELD(basic.bsf_size_sbs, IBX_BSF_SAME_STRUCTURE) |
			 BSF_FIELD(basic.wire.copy_byte_mask,
				   find_copy_mask(attr, mem_kind, &mem, &wire));
	else if (attr->wire)
		basic |= BSF_FIELD(basic.wire.bs_selector,
				   ibx_block_selector(attr->wire->block_size));
	set->kind[IBX_SIG_MEM] = mem_kind;
	set->kind[IBX_SIG_WIRE] = wire_kind;
	/* each word is written at once, as in ibx_copy_bsf() */
	WRITE_ONCE(set->start[IBX_SIG_MEM], mem.start);
	WRITE_ONCE(set->start[IBX_SIG_WIRE], wire.start);
	ibx_bsf_write(&set->bsf, basic, &mem, &wire);
}

/**
 * ibx_enc_bsf_none() - write a BSF without signatures
 * @bsf: BSF; every byte is written
 *
 * Context: any.
 */
void ibx_enc_bsf_none(struct mlx5_bsf *bsf)
{
	ibx_put(bsf, 0, BSF_FIELD(basic.bsf_size_sbs, IBX_BSF_WITH_INLINE) |
			BSF_FIELD(basic.raw_data_size, IBX_SIG_MAX_LENGTH));
	ibx_put_zero(bsf, 1, 7);
}
