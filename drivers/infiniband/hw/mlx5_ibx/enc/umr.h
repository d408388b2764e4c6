/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: UMR control segments and mkey contexts. Included by enc.h.
 *
 * A UMR changes an mkey from inside the send queue. The mask in its control
 * segment selects the fields of the mkey context that follows. A registration
 * needs a free mkey and sets every field of a registration; an invalidation
 * sets the mkey free; an invalidation by a builder also clears access and
 * length. The access mode is not in the mask: an mkey keeps the mode with which
 * it was created.
 *
 * The functions are inline, because registrations are the most frequent WQEs:
 * their parameters need not pass through memory.
 */
#ifndef MLX5_IBX_ENC_UMR_H
#define MLX5_IBX_ENC_UMR_H

#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/qp.h>
#include <rdma/ib_verbs.h>

#define IBX_MTT_PRESENT		(MLX5_EN_RD | MLX5_EN_WR)
/* entries in 64 bytes, the unit in which the device reads lists */
#define IBX_MTT_ALIGN		MLX5_UMR_MTT_NUM_ENTRIES_ALIGNMENT	/* 8 */
#define IBX_KLM_ALIGN		MLX5_UMR_KLM_NUM_ENTRIES_ALIGNMENT	/* 4 */

/**
 * struct ibx_enc_reg - parameters of a registration
 * @iova: address of the first byte in work requests
 * @length: bytes
 * @mkey: key: index in the upper 24 bits, variant in the lower 8
 * @list_octwords: size of the UMR's list, in units of 16 bytes; a multiple of 4
 * @key_octwords: translation size in the mkey context, in units of 16 bytes
 * @page_shift: log2 of the page size; 0 for KLMs
 * @mode: MLX5_MKC_ACCESS_MODE_MTT or _KLMS, as the key was created
 * @access: IB_ACCESS_*
 * @inlined: the list is in the WQE; otherwise the device fetches it
 * @replace: the mkey may be registered or free; otherwise the mkey must be free
 * @mask: fields that the UMR sets, from ibx_reg_mask()
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
	bool replace;
	__be64 mask;
};

/* access flags of registrations, on a device that supports all flags */
#define IBX_REG_ACCESS								\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |	\
	 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_OPTIONAL)

/* bytes of a list of @n MTTs, padded to the unit in which the device reads */
static inline u32 ibx_mtt_bytes(u32 n)
{
	return ALIGN(n, IBX_MTT_ALIGN) * sizeof(struct mlx5_mtt);
}

/* bytes of a list of @n KLMs, padded to the unit in which the device reads */
static inline u32 ibx_klm_bytes(u32 n)
{
	return ALIGN(n, IBX_KLM_ALIGN) * sizeof(struct mlx5_klm);
}

/* translation size of an mkey of @n KLMs, in 16-byte units: a multiple of 8 */
static inline u32 ibx_klm_key_octwords(u32 n)
{
	return ALIGN(n, 2 * IBX_KLM_ALIGN);
}

/* fields that every registration sets; remote atomic access is not among them */
#define IBX_UMR_REG_MASK						\
	(MLX5_MKEY_MASK_LEN | MLX5_MKEY_MASK_PAGE_SIZE |		\
	 MLX5_MKEY_MASK_START_ADDR | MLX5_MKEY_MASK_EN_RINVAL |		\
	 MLX5_MKEY_MASK_KEY | MLX5_MKEY_MASK_LR | MLX5_MKEY_MASK_LW |	\
	 MLX5_MKEY_MASK_RR | MLX5_MKEY_MASK_RW |			\
	 MLX5_MKEY_MASK_SMALL_FENCE | MLX5_MKEY_MASK_FREE)

/* fields that a registration sets; @atomic: a UMR may change remote atomic access */
static inline __be64 ibx_reg_mask(bool atomic)
{
	return cpu_to_be64(IBX_UMR_REG_MASK | (atomic ? MLX5_MKEY_MASK_A : 0));
}

/*
 * fields of the access flags and the PD of an MR of a process; @more: other
 * fields that UMRs of the device can change
 */
static inline u64 ibx_rights_mask(u64 more)
{
	return MLX5_MKEY_MASK_LR | MLX5_MKEY_MASK_LW | MLX5_MKEY_MASK_RR | MLX5_MKEY_MASK_RW |
	       MLX5_MKEY_MASK_PD | more;
}

/* bits of qpn_mkey7_0: any QP of the PD may use the mkey; variant of the key */
#define IBX_MKEY_ANY_QPN	0xffffff00
#define IBX_MKEY_VARIANT	0xff

/* elements of a table with an index of four bits: @of(index) for each index */
#define IBX_TABLE16(of)								\
	{									\
		of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7),	\
		of(8), of(9), of(10), of(11), of(12), of(13), of(14), of(15)	\
	}

/*
 * Permissions of an mkey for IB_ACCESS_*. Bits 0 to 3 of @access are local
 * write, remote write, remote read and atomic; MLX5_PERM_* have another order.
 * Local read is always allowed.
 */
static __always_inline u8 ibx_mkey_perms(u8 access)
{
#define PERMS_OF(access)							\
	(((access) & IB_ACCESS_LOCAL_WRITE ? MLX5_PERM_LOCAL_WRITE : 0) |	\
	 ((access) & IB_ACCESS_REMOTE_WRITE ? MLX5_PERM_REMOTE_WRITE : 0) |	\
	 ((access) & IB_ACCESS_REMOTE_READ ? MLX5_PERM_REMOTE_READ : 0) |	\
	 ((access) & IB_ACCESS_REMOTE_ATOMIC ? MLX5_PERM_ATOMIC : 0) |		\
	 MLX5_PERM_LOCAL_READ | MLX5_PERM_UMR_EN)
	static const u8 perms[] = IBX_TABLE16(PERMS_OF);
#undef PERMS_OF
	static_assert(ARRAY_SIZE(perms) > (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
					   IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC));

	return perms[access & (ARRAY_SIZE(perms) - 1)];
}

/*
 * Segments are written as big-endian words of 64 bits: most of their fields are
 * zero, and the ring, which may be slow to read, is never read.
 */
static __always_inline void ibx_put(void *seg, unsigned int word, u64 value)
{
	((__be64 *)seg)[word] = cpu_to_be64(value);
}

/* zero words @from (at least 1) to @last (at most 7); both are constants */
static __always_inline void ibx_put_zero(void *seg, unsigned int from, unsigned int last)
{
#define PUT_ZERO(word)								\
	do {									\
		if (from <= (word) && (word) <= last)				\
			ibx_put(seg, word, 0);					\
	} while (0)
	PUT_ZERO(1);
	PUT_ZERO(2);
	PUT_ZERO(3);
	PUT_ZERO(4);
	PUT_ZERO(5);
	PUT_ZERO(6);
	PUT_ZERO(7);
#undef PUT_ZERO
}

/* @value, shifted to the position of @field in its 64-bit word of @type */
#define IBX_FIELD(type, field, value)						\
	((u64)(value) <<							\
	 (64 - 8 * (offsetof(type, field) % 8 + sizeof_field(type, field))))

/* @field is in word @word, and does not reach into the next */
#define IBX_ASSERT_WORD(type, field, word)					\
	static_assert(offsetof(type, field) / 8 == (word) &&			\
		      (offsetofend(type, field) - 1) / 8 == (word))

#define UMR_FIELD(field, value)	IBX_FIELD(struct mlx5_wqe_umr_ctrl_seg, field, value)
#define MKEY_FIELD(field, value)	IBX_FIELD(struct mlx5_mkey_seg, field, value)

IBX_ASSERT_WORD(struct mlx5_wqe_umr_ctrl_seg, flags, 0);
IBX_ASSERT_WORD(struct mlx5_wqe_umr_ctrl_seg, xlt_octowords, 0);
IBX_ASSERT_WORD(struct mlx5_wqe_umr_ctrl_seg, mkey_mask, 1);
static_assert(sizeof(struct mlx5_wqe_umr_ctrl_seg) == 6 * 8);

/* xlt_octowords is in the lower half of its word: a u32 can be shifted */
#define UMR_OCTOWORDS_SHIFT	16
static_assert(offsetofend(struct mlx5_wqe_umr_ctrl_seg, xlt_octowords) ==
	      8 - UMR_OCTOWORDS_SHIFT / 8);

static __always_inline void ibx_put_umr(struct mlx5_wqe_umr_ctrl_seg *umr, u8 flags,
					u16 octowords, __be64 mask)
{
	ibx_put(umr, 0, UMR_FIELD(flags, flags) | (u32)octowords << UMR_OCTOWORDS_SHIFT);
	((__be64 *)umr)[1] = mask;
	ibx_put_zero(umr, 2, 5);
}

/**
 * ibx_enc_umr_reg() - write the UMR control segment of a registration
 * @umr: segment; every byte is written
 * @p: registration
 *
 * The device refuses the UMR unless the mkey is free, or @p->replace is set.
 *
 * Context: any.
 */
static __always_inline void ibx_enc_umr_reg(struct mlx5_wqe_umr_ctrl_seg *umr,
					    const struct ibx_enc_reg *p)
{
	ibx_put_umr(umr, (p->replace ? 0 : MLX5_UMR_CHECK_NOT_FREE) |
			 (p->inlined ? MLX5_UMR_INLINE : 0),
		    p->list_octwords, p->mask);
}

/**
 * ibx_enc_umr_inv() - write the UMR control segment of a local invalidation
 * @umr: segment; every byte is written
 * @clear: fields to write in addition to the state, flags MLX5_MKEY_MASK_*
 *
 * Context: any.
 */
static __always_inline void ibx_enc_umr_inv(struct mlx5_wqe_umr_ctrl_seg *umr, __be64 clear)
{
	ibx_put_umr(umr, MLX5_UMR_INLINE, 0, cpu_to_be64(MLX5_MKEY_MASK_FREE) | clear);
}

/**
 * ibx_enc_umr_rights() - write the UMR control segment of a change of access flags
 * @umr: segment; every byte is written
 * @mask: fields that change, flags MLX5_MKEY_MASK_*
 *
 * The device refuses the UMR if the mkey is free.
 *
 * Context: any.
 */
static inline void ibx_enc_umr_rights(struct mlx5_wqe_umr_ctrl_seg *umr, __be64 mask)
{
	ibx_put_umr(umr, MLX5_UMR_CHECK_FREE | MLX5_UMR_INLINE, 0, mask);
}

IBX_ASSERT_WORD(struct mlx5_mkey_seg, status, 0);
IBX_ASSERT_WORD(struct mlx5_mkey_seg, flags, 0);
IBX_ASSERT_WORD(struct mlx5_mkey_seg, qpn_mkey7_0, 0);
static_assert(offsetofend(struct mlx5_mkey_seg, qpn_mkey7_0) == 8);
IBX_ASSERT_WORD(struct mlx5_mkey_seg, flags_pd, 1);
IBX_ASSERT_WORD(struct mlx5_mkey_seg, start_addr, 2);
IBX_ASSERT_WORD(struct mlx5_mkey_seg, len, 3);
IBX_ASSERT_WORD(struct mlx5_mkey_seg, xlt_oct_size, 6);
IBX_ASSERT_WORD(struct mlx5_mkey_seg, log2_page_size, 7);

/* mkey context of a registration; @flags_pd: number of the PD, flags MLX5_MKEY_* */
static __always_inline void ibx_put_mkey(struct mlx5_mkey_seg *seg, const struct ibx_enc_reg *p,
					 u32 flags_pd)
{
	u8 flags = ibx_mkey_perms(p->access) | p->mode;

	ibx_put(seg, 0, MKEY_FIELD(flags, flags) | IBX_MKEY_ANY_QPN | (p->mkey & IBX_MKEY_VARIANT));
	ibx_put(seg, 1, MKEY_FIELD(flags_pd, flags_pd));
	ibx_put(seg, 2, p->iova);
	ibx_put(seg, 3, p->length);
	ibx_put_zero(seg, 4, 5);
	ibx_put(seg, 6, MKEY_FIELD(xlt_oct_size, p->key_octwords));
	ibx_put(seg, 7, MKEY_FIELD(log2_page_size, p->page_shift));
}

/**
 * ibx_enc_mkey_reg() - write the mkey context of a registration
 * @seg: segment; every byte is written
 * @p: registration
 *
 * Context: any.
 */
static __always_inline void ibx_enc_mkey_reg(struct mlx5_mkey_seg *seg,
					     const struct ibx_enc_reg *p)
{
	ibx_put_mkey(seg, p, MLX5_MKEY_REMOTE_INVAL);
}

/**
 * ibx_enc_mkey_mr() - write the mkey context of an MR of a process
 * @seg: segment; every byte is written
 * @p: registration, with MLX5_MKEY_MASK_PD in its mask
 * @pdn: number of the PD
 *
 * No peer may invalidate the mkey.
 *
 * Context: any.
 */
static inline void ibx_enc_mkey_mr(struct mlx5_mkey_seg *seg, const struct ibx_enc_reg *p, u32 pdn)
{
	ibx_put_mkey(seg, p, pdn);
}

/**
 * ibx_enc_mkey_inv() - write the mkey context of a local invalidation
 * @seg: segment; every byte is written, all fields but the state as 0
 *
 * Context: any.
 */
static __always_inline void ibx_enc_mkey_inv(struct mlx5_mkey_seg *seg)
{
	ibx_put(seg, 0, MKEY_FIELD(status, MLX5_MKEY_STATUS_FREE));
	ibx_put_zero(seg, 1, 7);
}

/**
 * ibx_enc_mkey_free() - write the mkey context of an mkey that leaves its PD
 * @seg: segment; every byte is written
 * @pdn: number of the new PD
 *
 * Context: any.
 */
static inline void ibx_enc_mkey_free(struct mlx5_mkey_seg *seg, u32 pdn)
{
	ibx_put(seg, 0, MKEY_FIELD(status, MLX5_MKEY_STATUS_FREE));
	ibx_put(seg, 1, MKEY_FIELD(flags_pd, pdn));
	ibx_put_zero(seg, 2, 7);
}

/*
 * mkc.relaxed_ordering_write and _read, as bits of 64-bit words of the segment
 */
#define IBX_MKEY_RO_WRITE	BIT_ULL(63 - __mlx5_bit_off(mkc, relaxed_ordering_write) % 64)
#define IBX_MKEY_RO_READ	BIT_ULL(63 - __mlx5_bit_off(mkc, relaxed_ordering_read) % 64)
static_assert(__mlx5_bit_off(mkc, relaxed_ordering_write) / 64 == 0);
static_assert(__mlx5_bit_off(mkc, relaxed_ordering_read) / 64 == 7);

/**
 * ibx_enc_mkey_rights() - write the mkey context of a change of access flags
 * @seg: segment; every byte is written
 * @key: key, which does not change
 * @access: IB_ACCESS_*
 * @pdn: number of the PD
 * @mask: fields that change, flags MLX5_MKEY_MASK_*
 *
 * Context: any.
 */
static inline void ibx_enc_mkey_rights(struct mlx5_mkey_seg *seg, u32 key, u32 access, u32 pdn,
				       u64 mask)
{
	bool relaxed = access & IB_ACCESS_RELAXED_ORDERING;
	u64 write = relaxed && mask & MLX5_MKEY_MASK_RELAXED_ORDERING_WRITE ? IBX_MKEY_RO_WRITE : 0;
	u64 read = relaxed && mask & MLX5_MKEY_MASK_RELAXED_ORDERING_READ ? IBX_MKEY_RO_READ : 0;

	ibx_put(seg, 0, MKEY_FIELD(flags, ibx_mkey_perms(access)) | write | IBX_MKEY_ANY_QPN |
			(key & IBX_MKEY_VARIANT));
	ibx_put(seg, 1, MKEY_FIELD(flags_pd, pdn));
	ibx_put_zero(seg, 2, 6);
	ibx_put(seg, 7, read);
}

#endif /* MLX5_IBX_ENC_UMR_H */
