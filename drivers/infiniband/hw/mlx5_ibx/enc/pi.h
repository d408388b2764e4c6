/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the UMR that registers the signature mkey of an INTEGRITY MR, with
 * a BSF from struct ib_sig_attrs. Pure functions, as in enc.h.
 *
 * struct ib_sig_attrs has a subset of the attributes of <rdma/mlx5dv_sig.h>,
 * and a mask of the application tag. The ULP may change the attributes before
 * each registration. So each registration checks and converts the attributes,
 * in one pass, before the WQE is written.
 *
 * The functions are inline, as in umr.h.
 */
#ifndef MLX5_IBX_ENC_PI_H
#define MLX5_IBX_ENC_PI_H

#include <rdma/ib_verbs.h>
#include <rdma/signature.h>

#include "enc/bsf.h"
#include "enc/layout.h"
#include "enc/psv.h"
#include "integrity.h"

/* entries of the signature mkey: header, data and protection information, padded */
#define IBX_PI_OCTWORDS		4
/* basic blocks of the UMR: control, UMR segment, mkey context, layout, BSF */
#define IBX_PI_UMR_BBS		4

/* fields that the UMR sets */
#define IBX_UMR_PI_MASK								\
	(MLX5_MKEY_MASK_LEN | MLX5_MKEY_MASK_PAGE_SIZE |			\
	 MLX5_MKEY_MASK_START_ADDR | MLX5_MKEY_MASK_EN_SIGERR |			\
	 MLX5_MKEY_MASK_EN_RINVAL | MLX5_MKEY_MASK_KEY |			\
	 MLX5_MKEY_MASK_LR | MLX5_MKEY_MASK_LW | MLX5_MKEY_MASK_RR |		\
	 MLX5_MKEY_MASK_RW | MLX5_MKEY_MASK_SMALL_FENCE | MLX5_MKEY_MASK_FREE |	\
	 MLX5_MKEY_MASK_BSF_EN)

/**
 * struct ibx_pi_attrs - signature attributes of a registration, checked and converted
 * @mem: memory domain, without the number of its PSV
 * @wire: wire domain, without the number of its PSV
 * @basic: first word of the BSF, without the bytes of data
 * @blocks: number of data blocks whose protection information is in separate
 *	memory
 * @in_mem: the memory domain has a signature
 * @on_wire: the wire domain has a signature
 */
struct ibx_pi_attrs {
	struct ibx_bsf_domain mem;
	struct ibx_bsf_domain wire;
	u64 basic;
	u32 blocks;
	bool in_mem;
	bool on_wire;
};

/* enum ibx_bsf_block for a block size in bytes; 0 for a size without a code */
static __always_inline u8 ibx_pi_block(u16 interval)
{
	/* first the two sizes that most block devices have */
	if (likely(interval == 512))
		return IBX_BSF_BLOCK_512;
	if (interval == 4096)
		return IBX_BSF_BLOCK_4096;
	if (interval == 520)
		return IBX_BSF_BLOCK_520;
	return interval == 4160 ? IBX_BSF_BLOCK_4160 : 0;
}

/* convert a domain, except its PSV; false for a wrong type, guard or seed */
static __always_inline bool ibx_pi_convert_domain(struct ibx_bsf_domain *to,
						  const struct ib_sig_domain *domain)
{
	const struct ib_t10_dif_domain *from = &domain->sig.dif;
	const struct ibx_bsf_dif dif = {
		.app_tag = from->app_tag,
		.app_mask = from->apptag_check_mask,
		.ref_tag = from->ref_tag,
		.seed = from->bg,
		.guard = from->bg_type + MLX5_DIF_CRC,
		.check = (from->ref_remap ? IBX_INL_INC_REF : 0) |
			 /*
			  * bit 0 is IBX_INL_APP_ESCAPE; with ref_escape, bit 1
			  * is IBX_INL_APP_REF_ESCAPE
			  */
			 (u8)from->app_escape << from->ref_escape,
	};

	static_assert(IB_T10DIF_CRC + MLX5_DIF_CRC == MLX5_DIF_CRC &&
		      IB_T10DIF_CSUM + MLX5_DIF_CRC == MLX5_DIF_IPCS);
	static_assert(IBX_INL_APP_ESCAPE << 1 == IBX_INL_APP_REF_ESCAPE && IBX_INL_APP_ESCAPE == 1);
	ibx_bsf_put_dif(to, &dif);
	return domain->sig_type == IB_SIG_TYPE_T10_DIF && (u32)from->bg_type <= IB_T10DIF_CSUM &&
	       (!dif.seed || dif.seed == U16_MAX);
}

/* first word of a BSF; @mem, @wire: enum ibx_bsf_block; 0 for no signature */
static __always_inline u64 ibx_pi_basic(const struct ibx_pi_attrs *a, u8 check_mask, u8 mem,
					u8 wire)
{
	u64 basic = BSF_FIELD(basic.bsf_size_sbs, IBX_BSF_WITH_INLINE) |
		    BSF_FIELD(basic.check_byte_mask, check_mask) |
		    BSF_FIELD(basic.mem.bs_selector, mem);

	if (mem == wire)
		return basic | BSF_FIELD(basic.bsf_size_sbs, IBX_BSF_SAME_STRUCTURE) |
		       BSF_FIELD(basic.wire.copy_byte_mask, ibx_bsf_common_dif(&a->mem, &a->wire));
	return basic | BSF_FIELD(basic.wire.bs_selector, wire);
}

/**
 * ibx_pi_convert() - check signature attributes against the memory of an MR, and convert them
 * @a: gets the attributes; undefined after an error
 * @attrs: signature attributes of the ULP
 * @data: bytes of data; if @meta is 0 and the memory domain has a signature,
 *	bytes of data and protection information in turn
 * @meta: bytes of protection information in separate memory, or 0
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: a type, a guard, a seed or an interval is not supported; neither
 *   domain has a signature; or @meta is not the length of the protection
 *   information of @data
 */
static __always_inline int ibx_pi_convert(struct ibx_pi_attrs *a, const struct ib_sig_attrs *attrs,
					  u32 data, u32 meta)
{
	const u16 interval = attrs->mem.sig.dif.pi_interval;
	u8 mem = 0, wire = 0;

	*a = (struct ibx_pi_attrs){
		.in_mem = attrs->mem.sig_type != IB_SIG_TYPE_NONE,
		.on_wire = attrs->wire.sig_type != IB_SIG_TYPE_NONE,
		.blocks = meta / IBX_PI_BYTES,
	};
	if (likely(a->in_mem)) {
		mem = ibx_pi_block(interval);
		if (unlikely(!ibx_pi_convert_domain(&a->mem, &attrs->mem) || !mem))
			return -EINVAL;
		/* otherwise, part of a block would have no signature */
		if (meta && unlikely((u64)a->blocks * interval != data || meta % IBX_PI_BYTES))
			return -EINVAL;
	} else if (meta || !a->on_wire) {
		return -EINVAL;
	}
	if (likely(a->on_wire)) {
		wire = ibx_pi_block(attrs->wire.sig.dif.pi_interval);
		if (unlikely(!ibx_pi_convert_domain(&a->wire, &attrs->wire) || !wire))
			return -EINVAL;
	}
	a->basic = ibx_pi_basic(a, attrs->check_mask, mem, wire);
	return 0;
}

/**
 * ibx_enc_pi_umr() - write the UMR control segment
 * @umr: segment; every byte is written
 *
 * The device refuses the UMR unless the mkey is free.
 *
 * Context: any.
 */
static __always_inline void ibx_enc_pi_umr(struct mlx5_wqe_umr_ctrl_seg *umr)
{
	ibx_put(umr, 0, UMR_FIELD(flags, MLX5_UMR_CHECK_NOT_FREE | MLX5_UMR_INLINE) |
			UMR_FIELD(xlt_octowords, IBX_PI_OCTWORDS) |
			UMR_FIELD(bsf_octowords, IBX_BSF_OCTWORDS));
	ibx_put(umr, 1, IBX_UMR_PI_MASK);
	ibx_put_zero(umr, 2, 5);
}

IBX_ASSERT_WORD(struct mlx5_wqe_umr_ctrl_seg, bsf_octowords, 0);
IBX_ASSERT_WORD(struct mlx5_mkey_seg, bsfs_octo_size, 4);

/**
 * struct ibx_enc_pi - parameters of a registration of a signature mkey
 * @length: bytes of data and protection information
 * @mkey: key: index in the upper 24 bits, variant in the lower 8
 * @errs: see ibx_enc_conf_sig_errs()
 * @access: IB_ACCESS_*
 */
struct ibx_enc_pi {
	u64 length;
	u32 mkey;
	u32 errs;
	u8 access;
};

/**
 * ibx_enc_pi_mkey() - write the mkey context
 * @seg: segment; every byte is written
 * @p: registration
 *
 * The mkey begins at address 0.
 *
 * Context: any.
 */
static __always_inline void ibx_enc_pi_mkey(struct mlx5_mkey_seg *seg, const struct ibx_enc_pi *p)
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

static __always_inline void ibx_pi_put_span(struct mlx5_stride_block_entry *entry, u64 addr,
					    u32 lkey, u16 bytes)
{
	ibx_put(entry, 0, STRIDE_FIELD(stride, bytes) | STRIDE_FIELD(bcount, bytes) |
			  STRIDE_FIELD(key, lkey));
	ibx_put(entry, 1, addr);
}

/**
 * ibx_enc_pi_layout() - write the layout of a signature mkey
 * @layout: memory for IBX_PI_OCTWORDS entries; every byte is written
 * @pi: MR that was mapped
 * @blocks: number of data blocks whose protection information is in separate
 *	memory; or 0
 * @block: bytes of such a block
 *
 * Context: any.
 */
static __always_inline void ibx_enc_pi_layout(void *layout, const struct ibx_pi *pi, u32 blocks,
					      u16 block)
{
	struct mlx5_stride_block_ctrl_seg *ctrl = layout;
	struct mlx5_stride_block_entry *entry = layout + sizeof(*ctrl);
	const u64 data = pi->data.addr, meta = pi->meta.addr;
	const u32 lkey = pi->lkey, length = pi->data.length;

	static_assert(sizeof(*ctrl) + 2 * sizeof(*entry) == 3 * IBX_DS && IBX_PI_OCTWORDS == 4);
	ibx_put_zero(layout, 6, 7);
	if (blocks) {
		ibx_enc_stride_ctrl(ctrl, 2, blocks, block + IBX_PI_BYTES);
		ibx_pi_put_span(entry, data, lkey, block);
		ibx_pi_put_span(entry + 1, meta, lkey, IBX_PI_BYTES);
		return;
	}
	ibx_put(layout, 0, IBX_FIELD(struct mlx5_klm, bcount, length) |
			   IBX_FIELD(struct mlx5_klm, key, lkey));
	ibx_put(layout, 1, data);
	ibx_put_zero(layout, 2, 5);
}

/**
 * ibx_enc_pi_bsf() - write the BSF of an INTEGRITY MR
 * @bsf: BSF; every byte is written
 * @a: attributes from ibx_pi_convert(); the PSVs are added here
 * @psv: numbers of the PSVs, by enum ibx_sig_domain
 * @length: bytes of data
 *
 * Context: any.
 */
static __always_inline void ibx_enc_pi_bsf(struct mlx5_bsf *bsf, struct ibx_pi_attrs *a,
					   const u32 *psv, u32 length)
{
	if (a->in_mem)
		a->mem.psv = psv[IBX_SIG_MEM] & IBX_PSV_MASK;
	if (a->on_wire)
		a->wire.psv = psv[IBX_SIG_WIRE] & IBX_PSV_MASK;
	ibx_bsf_write(bsf, a->basic | length, &a->mem, &a->wire);
}

#endif /* MLX5_IBX_ENC_PI_H */
