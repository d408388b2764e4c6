// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: registrations of INTEGRITY MRs. See enc/pi.h.
 *
 * Signature attributes of the core become those of <rdma/mlx5dv_sig.h>, of which they are a
 * subset but for the mask of the application tag: one function writes the BSF of both.
 */
#include "enc/pi.h"
#include "enc/psv.h"

/* block size of <rdma/mlx5dv_sig.h>; -1 for one that no device has */
static int block_size(u16 interval)
{
	switch (interval) {
	case 512:
		return MLX5DV_BLOCK_SIZE_512;
	case 520:
		return MLX5DV_BLOCK_SIZE_520;
	case 4096:
		return MLX5DV_BLOCK_SIZE_4096;
	case 4160:
		return MLX5DV_BLOCK_SIZE_4160;
	default:
		return -1;
	}
}

static bool domain_ok(const struct ib_sig_domain *domain)
{
	const struct ib_t10_dif_domain *dif = &domain->sig.dif;

	if (domain->sig_type == IB_SIG_TYPE_NONE)
		return true;
	return domain->sig_type == IB_SIG_TYPE_T10_DIF && block_size(dif->pi_interval) >= 0 &&
	       (dif->bg_type == IB_T10DIF_CRC || dif->bg_type == IB_T10DIF_CSUM) &&
	       (!dif->bg || dif->bg == U16_MAX);
}

/**
 * ibx_pi_check() - check signature attributes against the memory of an MR
 * @attrs: attributes
 * @data: bytes of data; of data and protection information in turn, if @meta is 0 and the
 *	memory domain has a signature
 * @meta: bytes of protection information in memory of its own, or 0
 *
 * Context: any.
 * Return: 0; -EINVAL for a type, a guard, a seed or an interval that does not exist, without
 * a signature in either domain, and when @meta is not what @data needs.
 */
int ibx_pi_check(const struct ib_sig_attrs *attrs, u64 data, u64 meta)
{
	const u32 block = attrs->mem.sig.dif.pi_interval;

	if (!domain_ok(&attrs->mem) || !domain_ok(&attrs->wire))
		return -EINVAL;
	if (attrs->mem.sig_type == IB_SIG_TYPE_NONE)
		return meta || attrs->wire.sig_type == IB_SIG_TYPE_NONE ? -EINVAL : 0;
	/* without a remainder of data, for which there is no signature */
	return !meta || meta * block == data * IBX_PI_BYTES ? 0 : -EINVAL;
}

/**
 * ibx_enc_pi_umr() - write the UMR control segment
 * @umr: segment; every byte is written
 *
 * The device refuses the UMR unless the mkey is free.
 *
 * Context: any.
 */
void ibx_enc_pi_umr(struct mlx5_wqe_umr_ctrl_seg *umr)
{
	ibx_put_umr(umr, MLX5_UMR_CHECK_NOT_FREE | MLX5_UMR_INLINE, IBX_PI_OCTWORDS,
		    cpu_to_be64(IBX_UMR_PI_MASK));
	umr->bsf_octowords = cpu_to_be16(IBX_BSF_OCTWORDS);
}

IBX_ASSERT_WORD(struct mlx5_mkey_seg, bsfs_octo_size, 4);

/**
 * ibx_enc_pi_mkey() - write the mkey context
 * @seg: segment; every byte is written
 * @p: registration
 *
 * The mkey begins at address 0.
 *
 * Context: any.
 */
void ibx_enc_pi_mkey(struct mlx5_mkey_seg *seg, const struct ibx_enc_pi *p)
{
	const u32 flags_pd = MLX5_MKEY_REMOTE_INVAL | MLX5_MKEY_BSF_EN |
			     (p->errs & 1) << IBX_SIG_ERRS_SHIFT;

	ibx_put(seg, 0, MKEY_FIELD(flags, ibx_mkey_perms(p->access) | MLX5_MKC_ACCESS_MODE_KLMS) |
			IBX_MKEY_ANY_QPN | (p->mkey & IBX_MKEY_VARIANT));
	ibx_put(seg, 1, MKEY_FIELD(flags_pd, flags_pd));
	ibx_put(seg, 2, 0);
	ibx_put(seg, 3, p->length);
	ibx_put(seg, 4, MKEY_FIELD(bsfs_octo_size, IBX_BSF_OCTWORDS));
	ibx_put(seg, 5, 0);
	ibx_put(seg, 6, MKEY_FIELD(xlt_oct_size, IBX_PI_OCTWORDS));
	ibx_put(seg, 7, 0);
}

static void put_span(struct mlx5_stride_block_entry *entry, const struct ibx_pi_span *span,
		     u32 lkey, u16 bytes)
{
	ibx_put(entry, 0, STRIDE_FIELD(stride, bytes) | STRIDE_FIELD(bcount, bytes) |
			  STRIDE_FIELD(key, lkey));
	ibx_put(entry, 1, span->addr);
}

/**
 * ibx_enc_pi_layout() - write the layout of a signature mkey
 * @layout: memory for IBX_PI_OCTWORDS entries; every byte is written
 * @pi: MR that was mapped
 * @block: bytes of data that each signature follows, if there is memory for signatures
 *
 * Context: any.
 */
void ibx_enc_pi_layout(void *layout, const struct ibx_pi *pi, u16 block)
{
	struct mlx5_stride_block_ctrl_seg *ctrl = layout;
	struct mlx5_stride_block_entry *entry = layout + sizeof(*ctrl);

	static_assert(sizeof(*ctrl) + 2 * sizeof(*entry) == 3 * IBX_DS && IBX_PI_OCTWORDS == 4);
	ibx_put_zero(layout, 6, 7);
	if (pi->meta.length) {
		ibx_enc_stride_ctrl(ctrl, 2, pi->data.length / block, block + IBX_PI_BYTES);
		put_span(entry, &pi->data, pi->lkey, block);
		put_span(entry + 1, &pi->meta, pi->lkey, IBX_PI_BYTES);
		return;
	}
	ibx_put(layout, 0, IBX_FIELD(struct mlx5_klm, bcount, pi->data.length) |
			   IBX_FIELD(struct mlx5_klm, key, pi->lkey));
	ibx_put(layout, 1, pi->data.addr);
	ibx_put_zero(layout, 2, 5);
}

/* @to gets pointers to @dif; NULL for no signature */
static const struct mlx5dv_sig_block_domain *
convert_domain(const struct ib_sig_domain *domain, struct mlx5dv_sig_block_domain *to,
	       struct mlx5dv_sig_t10dif *dif)
{
	const struct ib_t10_dif_domain *from = &domain->sig.dif;

	if (domain->sig_type == IB_SIG_TYPE_NONE)
		return NULL;
	dif->bg_type = from->bg_type == IB_T10DIF_CRC ? MLX5DV_SIG_T10DIF_CRC :
							MLX5DV_SIG_T10DIF_CSUM;
	dif->bg = from->bg;
	dif->app_tag = from->app_tag;
	dif->ref_tag = from->ref_tag;
	dif->flags = from->ref_remap ? MLX5DV_SIG_T10DIF_FLAG_REF_REMAP : 0;
	if (from->app_escape)
		dif->flags |= from->ref_escape ? MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE :
						 MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE;
	to->sig_type = MLX5DV_SIG_TYPE_T10DIF;
	to->sig.dif = dif;
	to->block_size = block_size(from->pi_interval);
	to->comp_mask = 0;
	return to;
}

/**
 * ibx_enc_pi_bsf() - write the BSF of an INTEGRITY MR
 * @bsf: BSF; every byte is written
 * @attrs: attributes that ibx_pi_check() accepts
 * @psv: numbers of the PSVs, by enum ibx_sig_domain
 * @length: bytes of data
 *
 * Context: any.
 */
void ibx_enc_pi_bsf(struct mlx5_bsf *bsf, const struct ib_sig_attrs *attrs, const u32 *psv,
		    u32 length)
{
	struct mlx5dv_sig_block_domain mem, wire;
	struct mlx5dv_sig_t10dif mem_dif, wire_dif;
	const struct mlx5dv_sig_block_attr attr = {
		.mem = convert_domain(&attrs->mem, &mem, &mem_dif),
		.wire = convert_domain(&attrs->wire, &wire, &wire_dif),
		.check_mask = attrs->check_mask,
	};

	ibx_enc_bsf(bsf, &attr, psv);
	bsf->basic.raw_data_size = cpu_to_be32(length);
	if (attr.mem)
		bsf->m_inl.dif_app_bitmask_check =
			cpu_to_be16(attrs->mem.sig.dif.apptag_check_mask);
	if (attr.wire)
		bsf->w_inl.dif_app_bitmask_check =
			cpu_to_be16(attrs->wire.sig.dif.apptag_check_mask);
}

/**
 * ibx_pi_start() - value of the PSV of a domain at the start of a transfer
 * @domain: domain with T10-DIF
 *
 * Context: any.
 * Return: the value, as it is in a SET_PSV WQE.
 */
u64 ibx_pi_start(const struct ib_sig_domain *domain)
{
	const struct ib_t10_dif_domain *dif = &domain->sig.dif;

	return (u64)dif->bg << 48 | (u64)dif->app_tag << 32 | dif->ref_tag;
}
