/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: layouts of indirect mkeys, and the UMR that configures such an mkey.
 * Pure, like enc.h.
 *
 * A layout is a list of 16-byte entries: KLMs, or a repeat block followed by the
 * entries that it repeats. The device reads it in units of 64 bytes, so zeroes
 * follow the last entry up to a multiple of that. The format is that of
 * mlx5_wqe_umr_klm_seg and mlx5_wqe_umr_repeat_block_seg in mlx5dv.h of
 * rdma-core; <linux/mlx5/qp.h> has the same structures with other names.
 */
#ifndef MLX5_IBX_ENC_LAYOUT_H
#define MLX5_IBX_ENC_LAYOUT_H

#include <rdma/mlx5dv.h>

#include "enc/enc.h"
#include "ring.h"

static_assert(sizeof(struct mlx5_stride_block_ctrl_seg) == IBX_DS);
static_assert(sizeof(struct mlx5_stride_block_entry) == IBX_DS);

/* operation of a repeat block: all entries, one after the other */
#define IBX_REPEAT_OP		0x400
/* largest value of the 16-bit fields of a repeated entry */
#define IBX_STRIDE_MAX		0xffff
/* entries of the longest layout: a UMR has 16 bits for them, a key counts in units of 8 */
#define IBX_LAYOUT_MAX		65528

/* access that a configuration may change, other than atomics; local read is always allowed */
#define IBX_UMR_ACCESS_MASK							\
	(MLX5_MKEY_MASK_LW | MLX5_MKEY_MASK_RR | MLX5_MKEY_MASK_RW)

/* size of a layout of @n entries, padded, in units of 16 bytes */
static inline u32 ibx_layout_octwords(u32 n)
{
	return ibx_klm_bytes(n) / IBX_DS;
}

bool ibx_strides_fit(const struct mlx5dv_mr_interleaved *data, u32 n, u32 repeat);
int ibx_enc_klms_sg(struct mlx5_klm *klm, u32 max, struct scatterlist *sg, u32 nents, u32 lkey,
		    u64 *length);

/**
 * ibx_enc_klms() - write pieces of memory as KLMs
 * @klm: memory for @n KLMs
 * @sge: pieces
 * @n: number of pieces
 *
 * Context: any.
 * Return: bytes of all pieces; 0 if there is no piece or one of them is empty.
 */
static __always_inline u64 ibx_enc_klms(struct mlx5_klm *klm, const struct ib_sge *sge, u32 n)
{
	const struct ib_sge *end = sge + n;
	u64 length = 0;

	for (; sge != end; sge++, klm++) {
		if (unlikely(!sge->length))
			return 0;
		length += sge->length;
		ibx_put(klm, 0, IBX_FIELD(struct mlx5_klm, bcount, sge->length) |
				IBX_FIELD(struct mlx5_klm, key, sge->lkey));
		ibx_put(klm, 1, sge->addr);
	}
	return length;
}

IBX_ASSERT_WORD(struct mlx5_klm, bcount, 0);
IBX_ASSERT_WORD(struct mlx5_klm, key, 0);
IBX_ASSERT_WORD(struct mlx5_klm, va, 1);

/**
 * struct ibx_strides - sums over the entries of a repeat block
 * @wide: strides and counts less one, or-ed: above IBX_STRIDE_MAX if one of them
 *	does not fit its field
 * @high: addresses, or-ed
 * @cycle: bytes of one turn
 */
struct ibx_strides {
	u64 wide;
	u64 high;
	u32 cycle;
};

IBX_ASSERT_WORD(struct mlx5_stride_block_entry, stride, 0);
IBX_ASSERT_WORD(struct mlx5_stride_block_entry, bcount, 0);
IBX_ASSERT_WORD(struct mlx5_stride_block_entry, key, 0);
IBX_ASSERT_WORD(struct mlx5_stride_block_entry, va, 1);

#define STRIDE_FIELD(field, value)						\
	IBX_FIELD(struct mlx5_stride_block_entry, field, value)
/* position of the stride relative to the count, which is behind it */
#define STRIDE_SHIFT	(8 * sizeof_field(struct mlx5_stride_block_entry, bcount))
static_assert(offsetofend(struct mlx5_stride_block_entry, stride) ==
	      offsetof(struct mlx5_stride_block_entry, bcount));

static __always_inline void ibx_enc_stride(struct mlx5_stride_block_entry *entry,
					   const struct mlx5dv_mr_interleaved *d,
					   struct ibx_strides *s)
{
	const u64 count = d->bytes_count, stride = count + d->bytes_skip;

	/* a count of 0 less one is above IBX_STRIDE_MAX, too */
	s->wide |= stride | (count - 1);
	s->high |= d->addr;
	s->cycle += count;
	/* stride and count at once save an instruction for each entry */
	ibx_put(entry, 0, STRIDE_FIELD(bcount, stride << STRIDE_SHIFT | count) |
			  STRIDE_FIELD(key, d->lkey));
	ibx_put(entry, 1, d->addr);
}

/**
 * ibx_enc_strides() - write the entries of a repeat block
 * @entry: memory for @n entries
 * @data: entries
 * @n: number of entries
 * @repeat: number of turns, not 0
 *
 * Context: any.
 * Return: bytes of one turn; 0 if there is no entry, or one has no bytes, does not
 * fit its 16-bit fields or ends beyond the address space. Then @entry is undefined.
 */
static __always_inline u32 ibx_enc_strides(struct mlx5_stride_block_entry *entry,
					   const struct mlx5dv_mr_interleaved *data, u32 n,
					   u32 repeat)
{
	const struct mlx5dv_mr_interleaved *d = data, *end = data + n;
	struct ibx_strides s = {};

	/* two at a time saves a tenth of the instructions */
	if (n & 1)
		ibx_enc_stride(entry++, d++, &s);
	for (; d != end; d += 2, entry += 2) {
		ibx_enc_stride(entry, d, &s);
		ibx_enc_stride(entry + 1, d + 1, &s);
	}
	if (unlikely(s.wide > IBX_STRIDE_MAX))
		return 0;
	/* 2^32 turns of 2^16 bytes that start in the lower half cannot wrap */
	if (unlikely(s.high & BIT_ULL(63)) && !ibx_strides_fit(data, n, repeat))
		return 0;
	return s.cycle;
}

/**
 * ibx_enc_stride_ctrl() - write the header of a repeat block
 * @ctrl: header; every byte is written
 * @n: number of entries, at most IBX_LAYOUT_MAX - 1
 * @repeat: number of turns, not 0
 * @cycle: bytes of one turn, from ibx_enc_strides()
 *
 * Context: any.
 * Return: bytes of all turns.
 */
static __always_inline u64 ibx_enc_stride_ctrl(struct mlx5_stride_block_ctrl_seg *ctrl, u32 n,
					       u32 repeat, u32 cycle)
{
	ctrl->bcount_per_cycle = cpu_to_be32(cycle);
	ctrl->op = cpu_to_be32(IBX_REPEAT_OP);
	ctrl->repeat_count = cpu_to_be32(repeat);
	ctrl->rsvd = 0;
	ctrl->num_entries = cpu_to_be16(n);
	return (u64)cycle * repeat;
}

/**
 * ibx_enc_umr_conf() - write the UMR control segment of an empty configuration
 * @umr: segment; every byte is written
 *
 * Unlike for a registration, the key may be free or not.
 *
 * Context: any.
 */
static __always_inline void ibx_enc_umr_conf(struct mlx5_wqe_umr_ctrl_seg *umr)
{
	ibx_put_umr(umr, MLX5_UMR_INLINE, 0,
		    cpu_to_be64(MLX5_MKEY_MASK_FREE | MLX5_MKEY_MASK_KEY));
}

/**
 * ibx_enc_mkey_conf() - write the mkey context of an empty configuration
 * @seg: segment; every byte is written
 * @tag: low byte of the key
 *
 * Context: any.
 */
static __always_inline void ibx_enc_mkey_conf(struct mlx5_mkey_seg *seg, u8 tag)
{
	ibx_put(seg, 0, MKEY_FIELD(qpn_mkey7_0, IBX_MKEY_ANY_QPN | tag));
	ibx_put_zero(seg, 1, 7);
}

/**
 * ibx_enc_conf_access() - add access to a configuration
 * @umr: segment from ibx_enc_umr_conf()
 * @seg: segment from ibx_enc_mkey_conf()
 * @mask: IBX_UMR_ACCESS_MASK, with MLX5_MKEY_MASK_A if a UMR may change that
 * @perms: MLX5_PERM_*
 *
 * Context: any.
 */
static __always_inline void ibx_enc_conf_access(struct mlx5_wqe_umr_ctrl_seg *umr,
						struct mlx5_mkey_seg *seg, __be64 mask, u8 perms)
{
	umr->mkey_mask |= mask;
	seg->flags = perms;
}

/**
 * ibx_enc_conf_layout() - add a layout to a configuration
 * @umr: segment from ibx_enc_umr_conf()
 * @seg: segment from ibx_enc_mkey_conf()
 * @octwords: size of the layout, from ibx_layout_octwords()
 * @length: bytes of memory that the layout describes
 *
 * Context: any.
 */
static __always_inline void ibx_enc_conf_layout(struct mlx5_wqe_umr_ctrl_seg *umr,
						struct mlx5_mkey_seg *seg, u16 octwords,
						u64 length)
{
	umr->mkey_mask |= cpu_to_be64(MLX5_MKEY_MASK_LEN);
	umr->xlt_octowords = cpu_to_be16(octwords);
	seg->len = cpu_to_be64(length);
}

#endif /* MLX5_IBX_ENC_LAYOUT_H */
