/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: encoders, the only code that knows how a WQE looks in memory, and
 * the decoder of CQEs.
 *
 * Values in, bytes out: no locks, no allocation, no device, nothing that
 * sleeps, callable from anywhere. Each encoder writes every byte of its
 * segment, reserved ones as zero, so that what a ring held before never
 * reaches the device. None of them checks its input beyond what the format
 * cannot express; that is for the callers, who know what the user may ask.
 *
 * Small fixed segments are inline, the others are in enc_*.c. Sizes are those
 * of the structures in <linux/mlx5/qp.h> and <linux/mlx5/device.h>, pinned
 * below.
 */
#ifndef MLX5_IBX_ENC_H
#define MLX5_IBX_ENC_H

#include <linux/build_bug.h>
#include <linux/mlx5/cq.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/qp.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <rdma/ib_verbs.h>

#include "enc/umr.h"

static_assert(sizeof(struct mlx5_wqe_ctrl_seg) == 16);
static_assert(offsetof(struct mlx5_wqe_ctrl_seg, fm_ce_se) == 11);
static_assert(offsetof(struct mlx5_wqe_ctrl_seg, rsvd) == 9);
static_assert(sizeof(struct mlx5_wqe_data_seg) == 16);
static_assert(sizeof(struct mlx5_wqe_raddr_seg) == 16);
static_assert(sizeof(struct mlx5_wqe_atomic_seg) == 16);
static_assert(sizeof(struct mlx5_wqe_datagram_seg) == 48);
static_assert(sizeof(struct mlx5_wqe_umr_ctrl_seg) == 48);
static_assert(sizeof(struct mlx5_mkey_seg) == 64);
static_assert(sizeof(struct mlx5_mtt) == 8);
static_assert(sizeof(struct mlx5_klm) == 16);
static_assert(offsetof(struct mlx5_klm, va) == 8);
static_assert(sizeof(struct mlx5_cqe64) == 64);
static_assert(sizeof(struct mlx5_err_cqe) == 64);

/* scatter lengths have 31 bits; a zero stands for 2^31 */
#define IBX_SGE_MAX	BIT(31)

/* of an opcode in the control segment */
#define IBX_OPMOD_SHIFT		24

/* memory copies, which <linux/mlx5/device.h> does not know */
#define IBX_OPCODE_MMO		0x2f
#define IBX_OPMOD_MMO_DMA	1
#define IBX_OPAQUE_LEN		64

/* the segment of a memory copy that names memory for the device to work with */
struct ibx_opaque_seg {
	__be32 control;
	__be32 lkey;
	__be64 addr;
};

static_assert(sizeof(struct ibx_opaque_seg) == 16);

/**
 * ibx_enc_ctrl_what() - control segment of a send WQE, but for its size
 * @c: where
 * @opcode: MLX5_OPCODE_*, and its modifier << IBX_OPMOD_SHIFT
 * @index: block the WQE starts at, modulo 2^16
 * @fm_ce_se: fence mode, completion and solicited bits
 * @imm: immediate, rkey to invalidate, or mkey of a UMR
 */
static __always_inline void ibx_enc_ctrl_what(struct mlx5_wqe_ctrl_seg *c, u32 opcode, u16 index,
					      u8 fm_ce_se, __be32 imm)
{
	c->opmod_idx_opcode = cpu_to_be32((u32)index << 8 | opcode);
	/* signature and reserved bytes are zero */
	((__be32 *)c)[2] = cpu_to_be32(fm_ce_se);
	c->imm = imm;
}

/**
 * ibx_enc_ctrl_size() - the rest of it
 * @c: where
 * @qpn_ds: QP number << 8 | 16-byte units of the WQE, this segment included,
 *	at most 63
 */
static __always_inline void ibx_enc_ctrl_size(struct mlx5_wqe_ctrl_seg *c, u32 qpn_ds)
{
	c->qpn_ds = cpu_to_be32(qpn_ds);
}

/**
 * ibx_enc_ctrl() - both
 * @c: as above
 * @opcode: as above
 * @index: as above
 * @qpn_ds: as above
 * @fm_ce_se: as above
 * @imm: as above
 */
static __always_inline void ibx_enc_ctrl(struct mlx5_wqe_ctrl_seg *c, u32 opcode, u16 index,
					 u32 qpn_ds, u8 fm_ce_se, __be32 imm)
{
	ibx_enc_ctrl_what(c, opcode, index, fm_ce_se, imm);
	ibx_enc_ctrl_size(c, qpn_ds);
}

/**
 * ibx_enc_data() - pointer to data
 * @d: where
 * @addr: bus or virtual address, as @lkey has it
 * @len: bytes, 1 to IBX_SGE_MAX
 * @lkey: local key
 */
static inline void ibx_enc_data(struct mlx5_wqe_data_seg *d, u64 addr, u32 len, u32 lkey)
{
	d->byte_count = cpu_to_be32(len & (IBX_SGE_MAX - 1));
	d->lkey = cpu_to_be32(lkey);
	d->addr = cpu_to_be64(addr);
}

/**
 * ibx_enc_data_end() - ends the list of a receive WQE that is not full
 * @d: where
 * @term_lkey: the device's terminator
 */
static inline void ibx_enc_data_end(struct mlx5_wqe_data_seg *d, __be32 term_lkey)
{
	d->byte_count = 0;
	d->lkey = term_lkey;
	d->addr = 0;
}

/**
 * ibx_enc_scatter() - the list of a receive WQE
 * @d: where
 * @room: entries the WQE holds
 * @wr: its elements, at most @room; those of length 0 are left out
 * @term_lkey: the device's terminator, for a list that leaves room
 *
 * Return: 0, or -EINVAL for an element that is too long.
 */
static __always_inline int ibx_enc_scatter(struct mlx5_wqe_data_seg *d, u32 room,
					   const struct ib_recv_wr *wr, __be32 term_lkey)
{
	const struct mlx5_wqe_data_seg *end = d + room;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (unlikely(sge->length - 1 >= IBX_SGE_MAX)) {
			if (!sge->length)
				continue;
			return -EINVAL;
		}
		ibx_enc_data(d++, sge->addr, sge->length, sge->lkey);
	}
	if (d < end)
		ibx_enc_data_end(d, term_lkey);
	return 0;
}

/**
 * ibx_enc_inline_hdr() - header of inline data
 * @s: where
 * @len: bytes that follow it, at most 1023
 */
static inline void ibx_enc_inline_hdr(struct mlx5_wqe_inline_seg *s, u32 len)
{
	s->byte_count = cpu_to_be32(len | MLX5_INLINE_SEG);
}

/**
 * ibx_enc_raddr() - remote address of a READ or WRITE
 * @r: where
 * @raddr: remote address
 * @rkey: remote key
 */
static inline void ibx_enc_raddr(struct mlx5_wqe_raddr_seg *r, u64 raddr, u32 rkey)
{
	r->raddr = cpu_to_be64(raddr);
	r->rkey = cpu_to_be32(rkey);
	r->reserved = 0;
}

/**
 * ibx_enc_atomic() - operands of an atomic
 * @a: where
 * @swap_add: what to put there, or to add
 * @compare: what must be there, of a compare and swap; else 0
 */
static inline void ibx_enc_atomic(struct mlx5_wqe_atomic_seg *a, u64 swap_add, u64 compare)
{
	a->swap_add = cpu_to_be64(swap_add);
	a->compare = cpu_to_be64(compare);
}

/**
 * ibx_enc_opaque() - opaque segment of a memory copy
 * @o: where
 * @addr: bus address of IBX_OPAQUE_LEN bytes
 * @lkey: key of them
 */
static inline void ibx_enc_opaque(struct ibx_opaque_seg *o, u64 addr, __be32 lkey)
{
	o->control = 0;
	o->lkey = lkey;
	o->addr = cpu_to_be64(addr);
}

/**
 * ibx_enc_raw_ctrl() - control segment of a WQE that somebody else built
 * @c: where
 * @from: what they have
 * @index: block the WQE starts at, modulo 2^16
 *
 * Sets the index and the signature, which no ring of ours uses.
 */
static inline void ibx_enc_raw_ctrl(struct mlx5_wqe_ctrl_seg *c,
				    const struct mlx5_wqe_ctrl_seg *from, u16 index)
{
	u32 word = be32_to_cpu(from->opmod_idx_opcode) & ~MLX5_WQE_CTRL_WQE_INDEX_MASK;

	c->opmod_idx_opcode = cpu_to_be32(word | (u32)index << MLX5_WQE_CTRL_WQE_INDEX_SHIFT);
	c->signature = 0;
}

/**
 * ibx_enc_datagram() - address vector of a UD WQE
 * @d: where
 * @av: the address handle's, from ibx_enc_av()
 * @qpn: destination QP
 * @qkey: destination Q_Key
 */
static inline void ibx_enc_datagram(struct mlx5_wqe_datagram_seg *d, const struct mlx5_av *av,
				    u32 qpn, u32 qkey)
{
	d->av = *av;
	d->av.key.qkey.qkey = cpu_to_be32(qkey);
	d->av.key.qkey.reserved = 0;
	d->av.dqp_dct = cpu_to_be32((qpn & 0xffffff) | MLX5_EXTENDED_UD_AV);
}

/**
 * ibx_enc_stream() - the stream of a DCI, in the control segment
 * @c: of ibx_enc_ctrl_what(), which leaves stream 0
 * @stream: its number
 */
static inline void ibx_enc_stream(struct mlx5_wqe_ctrl_seg *c, u16 stream)
{
	put_unaligned_be16(stream, c->rsvd);
}

/**
 * ibx_enc_dc() - address vector of a WQE of a DCI
 * @d: where
 * @av: the address handle's, from ibx_enc_av()
 * @dctn: destination DCT
 * @key: its access key
 */
static inline void ibx_enc_dc(struct mlx5_wqe_datagram_seg *d, const struct mlx5_av *av,
			      u32 dctn, u64 key)
{
	d->av = *av;
	d->av.key.dc_key = cpu_to_be64(key);
	d->av.dqp_dct = cpu_to_be32((dctn & 0xffffff) | MLX5_EXTENDED_UD_AV);
}

/**
 * struct ibx_enc_av - what an address handle on RoCE says
 * @dgid: destination GID
 * @sgid_index: source GID
 * @flow_label: 20 bits
 * @udp_sport: of RoCE v2
 * @dmac: destination MAC
 * @rate: static rate as the device counts, 0 for any
 * @sl: service level, 3 bits
 * @tclass: traffic class, with ECN bits where wanted
 * @hop_limit: hop limit
 */
struct ibx_enc_av {
	const u8 *dgid;
	u8 sgid_index;
	u32 flow_label;
	u16 udp_sport;
	const u8 *dmac;
	u8 rate;
	u8 sl;
	u8 tclass;
	u8 hop_limit;
};

void ibx_enc_av(struct mlx5_av *av, const struct ibx_enc_av *p);

/* ---- CQEs ---- */

enum ib_wc_status ibx_dec_syndrome(u8 syndrome);
void ibx_dec_ud(struct ib_wc *wc, const struct mlx5_cqe64 *cqe);

#endif /* MLX5_IBX_ENC_H */
