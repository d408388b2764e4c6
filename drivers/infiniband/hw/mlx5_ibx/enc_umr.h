/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: UMR control segments and mkey contexts. Included by enc.h.
 *
 * A UMR changes an mkey from inside the send queue: the control segment's mask
 * says which fields of the mkey context that follows count. A registration
 * takes a free mkey and sets all that a registration means; an invalidation
 * sets the mkey free again and nothing else. The mask knows no access mode: a
 * key stays what it was created as.
 *
 * Inline, because a registration is the most frequent WQE there is and its
 * description need not pass through memory.
 */
#ifndef MLX5_IBX_ENC_UMR_H
#define MLX5_IBX_ENC_UMR_H

#include <linux/align.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/qp.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#define IBX_MTT_PRESENT		(MLX5_EN_RD | MLX5_EN_WR)
/* lists are read and written in units of 64 bytes */
#define IBX_MTT_ALIGN		MLX5_UMR_MTT_NUM_ENTRIES_ALIGNMENT	/* 8 */

/**
 * struct ibx_enc_reg - a registration
 * @iova: address at which the memory appears
 * @length: bytes
 * @mkey: key: index in the upper 24 bits, variant in the lower 8
 * @ndesc: entries of the list
 * @page_shift: log2 of what an entry maps
 * @access: IB_ACCESS_*
 * @inlined: the list follows in the WQE, else it is fetched
 * @atomic: device lets remote atomic access change
 */
struct ibx_enc_reg {
	u64 iova;
	u64 length;
	u32 mkey;
	u32 ndesc;
	u8 page_shift;
	u8 access;
	bool inlined;
	bool atomic;
};

/* bytes of a list of @n MTTs as the device takes it */
static inline u32 ibx_mtt_bytes(u32 n)
{
	return ALIGN(n, IBX_MTT_ALIGN) * sizeof(struct mlx5_mtt);
}

/* all that a registration sets, but remote atomic access */
#define IBX_UMR_REG_MASK						\
	(MLX5_MKEY_MASK_LEN | MLX5_MKEY_MASK_PAGE_SIZE |		\
	 MLX5_MKEY_MASK_START_ADDR | MLX5_MKEY_MASK_EN_RINVAL |		\
	 MLX5_MKEY_MASK_KEY | MLX5_MKEY_MASK_LR | MLX5_MKEY_MASK_LW |	\
	 MLX5_MKEY_MASK_RR | MLX5_MKEY_MASK_RW |			\
	 MLX5_MKEY_MASK_SMALL_FENCE | MLX5_MKEY_MASK_FREE)

/* the mkey may be used by any QP of its protection domain */
#define IBX_MKEY_ANY_QPN	0xffffff00

/* 16-byte units of a list of MTTs, in the 64-byte grain the device reads */
static inline u32 ibx_mtt_octowords(u32 ndesc)
{
	return ALIGN(ndesc, IBX_MTT_ALIGN) / 2;
}

/*
 * IB_ACCESS_* bits 0 to 3 are local write, remote write, remote read, atomic;
 * the mkey has them at bits 3, 5, 4, 6. Local read is always allowed.
 */
static __always_inline u8 ibx_mkey_perms(u8 access)
{
	static_assert(IB_ACCESS_LOCAL_WRITE << 3 == MLX5_PERM_LOCAL_WRITE);
	static_assert(IB_ACCESS_REMOTE_ATOMIC << 3 == MLX5_PERM_ATOMIC);
	static_assert(IB_ACCESS_REMOTE_WRITE << 4 == MLX5_PERM_REMOTE_WRITE);
	static_assert(IB_ACCESS_REMOTE_READ << 2 == MLX5_PERM_REMOTE_READ);

	return (access & (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_ATOMIC)) << 3 |
	       (access & IB_ACCESS_REMOTE_WRITE) << 4 |
	       (access & IB_ACCESS_REMOTE_READ) << 2 |
	       MLX5_PERM_LOCAL_READ | MLX5_PERM_UMR_EN;
}

/* the part of the segment that neither of the two below uses */
static __always_inline void ibx_zero_umr_rest(struct mlx5_wqe_umr_ctrl_seg *umr)
{
	memset(umr->rsvd0, 0, sizeof(umr->rsvd0));
	umr->xlt_offset = 0;
	umr->xlt_offset_47_16 = 0;
	memset(umr->rsvd1, 0, sizeof(umr->rsvd1));
}

/* likewise for the mkey context */
static __always_inline void ibx_zero_mkey_rest(struct mlx5_mkey_seg *seg)
{
	seg->pcie_control = 0;
	seg->version = 0;
	memset(seg->rsvd1, 0, sizeof(seg->rsvd1));
	seg->bsfs_octo_size = 0;
	memset(seg->rsvd2, 0, sizeof(seg->rsvd2));
	memset(seg->rsvd3, 0, sizeof(seg->rsvd3));
	memset(seg->rsvd4, 0, sizeof(seg->rsvd4));
}

/**
 * ibx_enc_umr_reg() - UMR control segment of a registration
 * @umr: where; every byte is written
 * @p: the registration
 *
 * The device refuses it unless the mkey is free.
 *
 * Context: any.
 */
static __always_inline void ibx_enc_umr_reg(struct mlx5_wqe_umr_ctrl_seg *umr,
					    const struct ibx_enc_reg *p)
{
	ibx_zero_umr_rest(umr);
	umr->flags = MLX5_UMR_CHECK_NOT_FREE | (p->inlined ? MLX5_UMR_INLINE : 0);
	umr->xlt_octowords = cpu_to_be16(ibx_mtt_octowords(p->ndesc));
	umr->mkey_mask = cpu_to_be64(IBX_UMR_REG_MASK | (p->atomic ? MLX5_MKEY_MASK_A : 0));
}

/**
 * ibx_enc_mkey_reg() - mkey context of a registration
 * @seg: where; every byte is written
 * @p: the registration
 *
 * Context: any.
 */
static __always_inline void ibx_enc_mkey_reg(struct mlx5_mkey_seg *seg, const struct ibx_enc_reg *p)
{
	ibx_zero_mkey_rest(seg);
	seg->status = 0;
	seg->flags = ibx_mkey_perms(p->access) | MLX5_MKC_ACCESS_MODE_MTT;
	seg->qpn_mkey7_0 = cpu_to_be32(IBX_MKEY_ANY_QPN | (p->mkey & 0xff));
	seg->flags_pd = cpu_to_be32(MLX5_MKEY_REMOTE_INVAL);
	seg->start_addr = cpu_to_be64(p->iova);
	seg->len = cpu_to_be64(p->length);
	seg->xlt_oct_size = cpu_to_be32(ibx_mtt_octowords(p->ndesc));
	seg->log2_page_size = p->page_shift;
}

/**
 * ibx_enc_umr_inv() - UMR control segment of a local invalidation
 * @umr: where; every byte is written
 *
 * Context: any.
 */
static __always_inline void ibx_enc_umr_inv(struct mlx5_wqe_umr_ctrl_seg *umr)
{
	ibx_zero_umr_rest(umr);
	umr->flags = MLX5_UMR_INLINE;
	umr->xlt_octowords = 0;
	umr->mkey_mask = cpu_to_be64(MLX5_MKEY_MASK_FREE);
}

/**
 * ibx_enc_mkey_inv() - mkey context of a local invalidation
 * @seg: where; every byte is written
 *
 * Context: any.
 */
static __always_inline void ibx_enc_mkey_inv(struct mlx5_mkey_seg *seg)
{
	ibx_zero_mkey_rest(seg);
	seg->status = MLX5_MKEY_STATUS_FREE;
	seg->flags = 0;
	seg->qpn_mkey7_0 = 0;
	seg->flags_pd = 0;
	seg->start_addr = 0;
	seg->len = 0;
	seg->xlt_oct_size = 0;
	seg->log2_page_size = 0;
}

#endif /* MLX5_IBX_ENC_UMR_H */
