/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: layouts of indirect mkeys, and the UMR that configures such an mkey.
 * Pure functions, as in enc.h.
 *
 * A layout is a list of 16-byte entries: KLMs, or the header of a repeat block
 * followed by its entries. A repeat block has a number of turns. In each turn,
 * every entry adds one block of memory. The length of the block is the count of
 * the entry. The block begins one stride after the entry's block in the turn
 * before.
 *
 * The device reads a layout in units of 64 bytes. Callers write zeroes after
 * the last entry up to the end of its unit. The format is from
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

/* op of a repeat block: each turn uses all entries, one after the other */
#define IBX_REPEAT_OP		0x400
/* largest stride and largest count of an entry of a repeat block: 16-bit fields */
#define IBX_STRIDE_MAX		0xffff
/* entries of the longest layout: 16 bits in a UMR, a multiple of 8 in an mkey */
#define IBX_LAYOUT_MAX		65528

/* access that a configuration may change, except atomics; local read is always allowed */
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
 * ibx_enc_klms() - write SGEs as KLMs
 * @klm: memory for @n KLMs
 * @sge: array of @n SGEs
 * @n: number of SGEs
 *
 * Context: any.
 * Return: bytes of all SGEs; 0 if @n is 0, or an SGE has length 0 or more than
 * IBX_SGE_MAX.
 */
static __always_inline u64 ibx_enc_klms(struct mlx5_klm *klm, const struct ib_sge *sge, u32 n)
{
	const struct ib_sge *end = sge + n;
	u64 length = 0;

	for (; sge != end; sge++, klm++) {
		if (unlikely(sge->length - 1 >= IBX_SGE_MAX))
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
 * struct ibx_strides - values combined from all entries of a repeat block
 * @wide: bitwise OR of each stride and each (count - 1): above IBX_STRIDE_MAX if a
 *	stride does not fit its field, or a count is 0 or does not fit its field
 * @high: bitwise OR of the addresses
 * @cycle: sum of the counts: bytes of one turn
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
/* shift from the count to the stride, the field before the count */
#define STRIDE_SHIFT	(8 * sizeof_field(struct mlx5_stride_block_entry, bcount))
static_assert(offsetofend(struct mlx5_stride_block_entry, stride) ==
	      offsetof(struct mlx5_stride_block_entry, bcount));

static __always_inline void ibx_enc_stride(struct mlx5_stride_block_entry *entry,
					   const struct mlx5dv_mr_interleaved *d,
					   struct ibx_strides *s)
{
	const u64 count = d->bytes_count, stride = count + d->bytes_skip;

	/* count - 1 is above IBX_STRIDE_MAX also for a count of 0 */
	s->wide |= stride | (count - 1);
	s->high |= d->addr;
	s->cycle += count;
	/* writing stride and count as one value saves an instruction for each entry */
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
 * Return: bytes of one turn; 0 if @n is 0, or an entry has a count of 0, a stride
 * above IBX_STRIDE_MAX, or a last block that ends beyond the address space. The
 * contents of @entry are undefined after 0.
 */
static __always_inline u32 ibx_enc_strides(struct mlx5_stride_block_entry *entry,
					   const struct mlx5dv_mr_interleaved *data, u32 n,
					   u32 repeat)
{
	const struct mlx5dv_mr_interleaved *d = data, *end = data + n;
	struct ibx_strides s = {};

	/* two entries per iteration save a tenth of the instructions */
	if (n & 1)
		ibx_enc_stride(entry++, d++, &s);
	for (; d != end; d += 2, entry += 2) {
		ibx_enc_stride(entry, d, &s);
		ibx_enc_stride(entry + 1, d + 1, &s);
	}
	if (unlikely(s.wide > IBX_STRIDE_MAX))
		return 0;
	/* 2^32 strides of 2^16 bytes from an address below 2^63 end below 2^64 */
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
 * An empty configuration makes the mkey valid, sets the low byte of its key and
 * changes neither access nor layout; ibx_enc_conf_access() and ibx_enc_conf_layout()
 * add these. The mkey may be free or valid before; for a registration it must be free.
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
 * @mask: IBX_UMR_ACCESS_MASK, with MLX5_MKEY_MASK_A if the device lets a UMR change
 *	atomic access
 * @perms: access to set, flags MLX5_PERM_*
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
 * @octwords: size of the layout in units of 16 bytes, from ibx_layout_octwords()
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
