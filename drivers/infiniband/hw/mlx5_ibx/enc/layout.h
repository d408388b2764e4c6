/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: layouts of indirect mkeys and the UMR that configures one. Pure, like
 * enc.h.
 *
 * A layout is a list of 16-byte entries: KLMs, or a repeat block followed by the
 * entries it repeats. It is read in units of 64 bytes, so zeroes follow it up to
 * there. The format is that of mlx5_wqe_umr_klm_seg and
 * mlx5_wqe_umr_repeat_block_seg in rdma-core's mlx5dv.h; the kernel's twins are in
 * <linux/mlx5/qp.h>.
 */
#ifndef MLX5_IBX_ENC_LAYOUT_H
#define MLX5_IBX_ENC_LAYOUT_H

#include <rdma/mlx5dv.h>

#include "enc/enc.h"
#include "ring.h"

static_assert(sizeof(struct mlx5_stride_block_ctrl_seg) == IBX_DS);
static_assert(sizeof(struct mlx5_stride_block_entry) == IBX_DS);

/* a repeat block's operation: the entries in turn */
#define IBX_REPEAT_OP		0x400
/* what the 16-bit fields of a repeated entry hold */
#define IBX_STRIDE_MAX		0xffff
/* entries of the longest layout: a UMR counts them in 16 bits, a key in units of 8 */
#define IBX_LAYOUT_MAX		65528

/* who may do what by a key, but for atomics; it may always be read from here */
#define IBX_UMR_ACCESS_MASK							\
	(MLX5_MKEY_MASK_LW | MLX5_MKEY_MASK_RR | MLX5_MKEY_MASK_RW)

/* units of 16 bytes of a layout of @n entries as the device reads it */
static inline u32 ibx_layout_octwords(u32 n)
{
	return ibx_klm_bytes(n) / IBX_DS;
}

bool ibx_strides_fit(const struct mlx5dv_mr_interleaved *data, u32 n, u32 repeat);
int ibx_enc_klms_sg(struct mlx5_klm *klm, u32 max, struct scatterlist *sg, u32 nents, u32 lkey,
		    u64 *length);

/**
 * ibx_enc_klms() - pieces of memory as KLMs
 * @klm: where; room for @n
 * @sge: pieces
 * @n: their number
 *
 * Return: their bytes; 0 if there is no piece or one of them is empty.
 */
static __always_inline u64 ibx_enc_klms(struct mlx5_klm *klm, const struct ib_sge *sge, u32 n)
{
	const struct ib_sge *end = sge + n;
	u64 length = 0;

	for (; sge != end; sge++, klm++) {
		if (unlikely(!sge->length))
			return 0;
		length += sge->length;
		ibx_put(klm, 0, (u64)sge->length << 32 | sge->lkey);
		ibx_put(klm, 1, sge->addr);
	}
	return length;
}

/* what the entries of a repeat block have in common */
struct ibx_strides {
	u64 wide;	/* has a bit above IBX_STRIDE_MAX if one does not fit its fields */
	u64 high;	/* addresses, or-ed */
	u32 cycle;	/* bytes of a turn */
};

static __always_inline void ibx_enc_stride(struct mlx5_stride_block_entry *entry,
					   const struct mlx5dv_mr_interleaved *d,
					   struct ibx_strides *s)
{
	const u64 count = d->bytes_count, stride = count + d->bytes_skip;

	/* 0 - 1 has a bit there as well */
	s->wide |= stride | (count - 1);
	s->high |= d->addr;
	s->cycle += count;
	ibx_put(entry, 0, (stride << 16 | count) << 32 | d->lkey);
	ibx_put(entry, 1, d->addr);
}

/**
 * ibx_enc_strides() - what a repeat block repeats
 * @entry: where; room for @n
 * @data: entries
 * @n: their number
 * @repeat: how often; not 0
 *
 * Return: the bytes of one turn; 0 if there is no entry, or one has no bytes, does not
 * fit its 16-bit fields or reaches beyond the address space. Then what was written is of
 * no use.
 */
static __always_inline u32 ibx_enc_strides(struct mlx5_stride_block_entry *entry,
					   const struct mlx5dv_mr_interleaved *data, u32 n,
					   u32 repeat)
{
	const struct mlx5dv_mr_interleaved *d = data, *end = data + n;
	struct ibx_strides s = {};

	/* by twos: a tenth less to do */
	if (n & 1)
		ibx_enc_stride(entry++, d++, &s);
	for (; d != end; d += 2, entry += 2) {
		ibx_enc_stride(entry, d, &s);
		ibx_enc_stride(entry + 1, d + 1, &s);
	}
	if (unlikely(s.wide > IBX_STRIDE_MAX))
		return 0;
	/* 2^32 turns of 2^16 bytes from the lower half end within the upper */
	if (unlikely(s.high & BIT_ULL(63)) && !ibx_strides_fit(data, n, repeat))
		return 0;
	return s.cycle;
}

/**
 * ibx_enc_stride_ctrl() - a repeat block
 * @ctrl: where
 * @n: entries, at most IBX_LAYOUT_MAX - 1
 * @repeat: how often; not 0
 * @cycle: of ibx_enc_strides()
 *
 * Return: the bytes of all turns.
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
 * ibx_enc_umr_conf() - UMR control segment of a configuration of nothing
 * @umr: where; every byte is written
 *
 * Unlike a registration it takes a key that is free or not.
 */
static __always_inline void ibx_enc_umr_conf(struct mlx5_wqe_umr_ctrl_seg *umr)
{
	ibx_put_umr(umr, MLX5_UMR_INLINE, 0,
		    cpu_to_be64(MLX5_MKEY_MASK_FREE | MLX5_MKEY_MASK_KEY));
}

/**
 * ibx_enc_mkey_conf() - mkey context of a configuration of nothing
 * @seg: where; every byte is written
 * @tag: low byte of the key
 */
static __always_inline void ibx_enc_mkey_conf(struct mlx5_mkey_seg *seg, u8 tag)
{
	ibx_put(seg, 0, IBX_MKEY_ANY_QPN | tag);
	ibx_put(seg, 1, 0);
	ibx_put(seg, 2, 0);
	ibx_put(seg, 3, 0);
	ibx_put(seg, 4, 0);
	ibx_put(seg, 5, 0);
	ibx_put(seg, 6, 0);
	ibx_put(seg, 7, 0);
}

/**
 * ibx_enc_conf_access() - it sets access, too
 * @umr: of ibx_enc_umr_conf()
 * @seg: of ibx_enc_mkey_conf()
 * @mask: IBX_UMR_ACCESS_MASK, and MLX5_MKEY_MASK_A if the device lets that change
 * @perms: MLX5_PERM_*
 */
static __always_inline void ibx_enc_conf_access(struct mlx5_wqe_umr_ctrl_seg *umr,
						struct mlx5_mkey_seg *seg, __be64 mask, u8 perms)
{
	umr->mkey_mask |= mask;
	seg->flags = perms;
}

/**
 * ibx_enc_conf_layout() - it sets a layout, too
 * @umr: of ibx_enc_umr_conf()
 * @seg: of ibx_enc_mkey_conf()
 * @octwords: of the layout, with what pads it
 * @length: bytes that it leads to
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
