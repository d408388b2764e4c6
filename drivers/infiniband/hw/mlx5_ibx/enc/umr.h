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
#include <linux/build_bug.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/qp.h>
#include <rdma/ib_verbs.h>

#define IBX_MTT_PRESENT		(MLX5_EN_RD | MLX5_EN_WR)
/* lists are read and written in units of 64 bytes */
#define IBX_MTT_ALIGN		MLX5_UMR_MTT_NUM_ENTRIES_ALIGNMENT	/* 8 */
#define IBX_KLM_ALIGN		MLX5_UMR_KLM_NUM_ENTRIES_ALIGNMENT	/* 4 */

/**
 * struct ibx_enc_reg - a registration
 * @iova: address at which the memory appears
 * @length: bytes
 * @mkey: key: index in the upper 24 bits, variant in the lower 8
 * @list_octwords: 16-byte units of the list, in the 64-byte grain the device reads
 * @key_octwords: those that the key then has
 * @page_shift: log2 of what an entry maps; 0 for KLMs
 * @mode: MLX5_MKC_ACCESS_MODE_MTT or _KLMS: what the key is
 * @access: IB_ACCESS_*
 * @inlined: the list follows in the WQE, else it is fetched
 * @mask: of ibx_reg_mask()
 */
struct ibx_enc_reg {
	u64 iova;
	u64 length;
	u32 mkey;
	u32 list_octwords;
	u32 key_octwords;
	u8 page_shift;
	u8 mode;
	u8 access;
	bool inlined;
	__be64 mask;
};

/* access that a registration can give where the device has it all */
#define IBX_REG_ACCESS								\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |	\
	 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_OPTIONAL)

/* bytes of a list of @n MTTs as the device takes it */
static inline u32 ibx_mtt_bytes(u32 n)
{
	return ALIGN(n, IBX_MTT_ALIGN) * sizeof(struct mlx5_mtt);
}

/* bytes of a list of @n KLMs likewise */
static inline u32 ibx_klm_bytes(u32 n)
{
	return ALIGN(n, IBX_KLM_ALIGN) * sizeof(struct mlx5_klm);
}

/* size of a KLM key: it counts in units of 8, the list of a UMR in units of 4 */
static inline u32 ibx_klm_key_octwords(u32 n)
{
	return ALIGN(n, 2 * IBX_KLM_ALIGN);
}

/* all that a registration sets, but remote atomic access */
#define IBX_UMR_REG_MASK						\
	(MLX5_MKEY_MASK_LEN | MLX5_MKEY_MASK_PAGE_SIZE |		\
	 MLX5_MKEY_MASK_START_ADDR | MLX5_MKEY_MASK_EN_RINVAL |		\
	 MLX5_MKEY_MASK_KEY | MLX5_MKEY_MASK_LR | MLX5_MKEY_MASK_LW |	\
	 MLX5_MKEY_MASK_RR | MLX5_MKEY_MASK_RW |			\
	 MLX5_MKEY_MASK_SMALL_FENCE | MLX5_MKEY_MASK_FREE)

/* what a registration sets, where the device lets remote atomic access change or not */
static inline __be64 ibx_reg_mask(bool atomic)
{
	return cpu_to_be64(IBX_UMR_REG_MASK | (atomic ? MLX5_MKEY_MASK_A : 0));
}

/* the mkey may be used by any QP of its protection domain */
#define IBX_MKEY_ANY_QPN	0xffffff00

/*
 * IB_ACCESS_* bits 0 to 3 are local write, remote write, remote read, atomic; the
 * mkey has them in another order. Local read is always allowed.
 */
static __always_inline u8 ibx_mkey_perms(u8 access)
{
#define PERMS_OF(access)							\
	(((access) & IB_ACCESS_LOCAL_WRITE ? MLX5_PERM_LOCAL_WRITE : 0) |	\
	 ((access) & IB_ACCESS_REMOTE_WRITE ? MLX5_PERM_REMOTE_WRITE : 0) |	\
	 ((access) & IB_ACCESS_REMOTE_READ ? MLX5_PERM_REMOTE_READ : 0) |	\
	 ((access) & IB_ACCESS_REMOTE_ATOMIC ? MLX5_PERM_ATOMIC : 0) |		\
	 MLX5_PERM_LOCAL_READ | MLX5_PERM_UMR_EN)
	static const u8 perms[] = {
		PERMS_OF(0), PERMS_OF(1), PERMS_OF(2), PERMS_OF(3),
		PERMS_OF(4), PERMS_OF(5), PERMS_OF(6), PERMS_OF(7),
		PERMS_OF(8), PERMS_OF(9), PERMS_OF(10), PERMS_OF(11),
		PERMS_OF(12), PERMS_OF(13), PERMS_OF(14), PERMS_OF(15),
	};
#undef PERMS_OF
	static_assert(ARRAY_SIZE(perms) > (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
					   IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC));

	return perms[access & (ARRAY_SIZE(perms) - 1)];
}

/*
 * Both segments are written as 64-bit words: a ring is not worth reading, and
 * most of what they hold is zero. The fields of a word are in the order of the
 * structures, most significant first.
 */
static __always_inline void ibx_put(void *seg, unsigned int word, u64 value)
{
	((__be64 *)seg)[word] = cpu_to_be64(value);
}

/* words of struct mlx5_wqe_umr_ctrl_seg: control, mask, four that stay zero */
static_assert(offsetof(struct mlx5_wqe_umr_ctrl_seg, flags) == 0);
static_assert(offsetof(struct mlx5_wqe_umr_ctrl_seg, xlt_octowords) == 4);
static_assert(offsetof(struct mlx5_wqe_umr_ctrl_seg, xlt_offset) == 6);
static_assert(offsetof(struct mlx5_wqe_umr_ctrl_seg, mkey_mask) == 8);
static_assert(sizeof(struct mlx5_wqe_umr_ctrl_seg) == 6 * 8);

static __always_inline void ibx_put_umr(struct mlx5_wqe_umr_ctrl_seg *umr, u8 flags,
					u16 octowords, __be64 mask)
{
	ibx_put(umr, 0, (u64)flags << 56 | (u32)octowords << 16);
	((__be64 *)umr)[1] = mask;
	ibx_put(umr, 2, 0);
	ibx_put(umr, 3, 0);
	ibx_put(umr, 4, 0);
	ibx_put(umr, 5, 0);
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
	ibx_put_umr(umr, MLX5_UMR_CHECK_NOT_FREE | (p->inlined ? MLX5_UMR_INLINE : 0),
		    p->list_octwords, p->mask);
}

/**
 * ibx_enc_umr_inv() - UMR control segment of a local invalidation
 * @umr: where; every byte is written
 *
 * Context: any.
 */
static __always_inline void ibx_enc_umr_inv(struct mlx5_wqe_umr_ctrl_seg *umr)
{
	ibx_put_umr(umr, MLX5_UMR_INLINE, 0, cpu_to_be64(MLX5_MKEY_MASK_FREE));
}

/* words of struct mlx5_mkey_seg */
static_assert(offsetof(struct mlx5_mkey_seg, status) == 0);
static_assert(offsetof(struct mlx5_mkey_seg, flags) == 2);
static_assert(offsetof(struct mlx5_mkey_seg, qpn_mkey7_0) == 4);
static_assert(offsetof(struct mlx5_mkey_seg, flags_pd) == 12);
static_assert(offsetof(struct mlx5_mkey_seg, start_addr) == 16);
static_assert(offsetof(struct mlx5_mkey_seg, len) == 24);
static_assert(offsetof(struct mlx5_mkey_seg, xlt_oct_size) == 52);
static_assert(offsetof(struct mlx5_mkey_seg, log2_page_size) == 59);

/**
 * ibx_enc_mkey_reg() - mkey context of a registration
 * @seg: where; every byte is written
 * @p: the registration
 *
 * Context: any.
 */
static __always_inline void ibx_enc_mkey_reg(struct mlx5_mkey_seg *seg,
					     const struct ibx_enc_reg *p)
{
	u8 flags = ibx_mkey_perms(p->access) | p->mode;

	ibx_put(seg, 0, (u64)flags << 40 | IBX_MKEY_ANY_QPN | (p->mkey & 0xff));
	ibx_put(seg, 1, MLX5_MKEY_REMOTE_INVAL);
	ibx_put(seg, 2, p->iova);
	ibx_put(seg, 3, p->length);
	ibx_put(seg, 4, 0);
	ibx_put(seg, 5, 0);
	ibx_put(seg, 6, p->key_octwords);
	ibx_put(seg, 7, (u64)p->page_shift << 32);
}

/**
 * ibx_enc_mkey_inv() - mkey context of a local invalidation
 * @seg: where; every byte is written
 *
 * Context: any.
 */
static __always_inline void ibx_enc_mkey_inv(struct mlx5_mkey_seg *seg)
{
	ibx_put(seg, 0, (u64)MLX5_MKEY_STATUS_FREE << 56);
	ibx_put(seg, 1, 0);
	ibx_put(seg, 2, 0);
	ibx_put(seg, 3, 0);
	ibx_put(seg, 4, 0);
	ibx_put(seg, 5, 0);
	ibx_put(seg, 6, 0);
	ibx_put(seg, 7, 0);
}

#endif /* MLX5_IBX_ENC_UMR_H */
