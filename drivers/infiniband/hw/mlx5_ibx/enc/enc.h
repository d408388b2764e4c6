/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: encoders, the only code with the layout of WQEs in memory, and the
 * decoder of CQEs.
 *
 * Encoders and decoders may be called from any context: no locks, no
 * allocation, no access to the device, nothing that sleeps. An encoder writes
 * every byte of its segment, reserved bytes as zero, so that old contents of a
 * ring never reach the device. The descriptions of the few encoders that write
 * only a part of a segment name the part. Encoders refuse only values that the
 * format cannot express; callers check the requests of consumers.
 *
 * This header has the small segments and the prototypes of av.c and cqe.c. UMRs
 * are in umr.h, lists of memory in sg_list.h, layouts of indirect mkeys in
 * layout.h, QP contexts in qpc.h. The sizes are taken from the structures in
 * <linux/mlx5/qp.h> and <linux/mlx5/device.h>, checked below.
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

/* the length field of a data segment has 31 bits; 0 means 2^31 bytes */
#define IBX_SGE_MAX	BIT(31)

/* position of the modifier of an opcode in the control segment */
#define IBX_OPMOD_SHIFT		24
#define IBX_QPN_MASK		0xffffff

/* memory copies; <linux/mlx5/device.h> does not define them */
#define IBX_OPCODE_MMO		0x2f
#define IBX_OPMOD_MMO_DMA	1
#define IBX_OPAQUE_LEN		64

/* segment of a memory copy: address of memory for the state of the device */
struct ibx_opaque_seg {
	__be32 control;
	__be32 lkey;
	__be64 addr;
};

static_assert(sizeof(struct ibx_opaque_seg) == 16);

/**
 * ibx_enc_ctrl_what() - write the control segment of a send WQE, except its size
 * @c: segment
 * @opcode: MLX5_OPCODE_*, with the modifier << IBX_OPMOD_SHIFT
 * @index: number of the first basic block of the WQE, modulo 2^16
 * @fm_ce_se: fence mode, completion and solicited bits
 * @imm: immediate data, rkey to invalidate, or mkey of a UMR
 *
 * Context: any.
 */
static __always_inline void ibx_enc_ctrl_what(struct mlx5_wqe_ctrl_seg *c, u32 opcode, u16 index,
					      u8 fm_ce_se, __be32 imm)
{
	c->opmod_idx_opcode =
		cpu_to_be32((u32)index << MLX5_WQE_CTRL_WQE_INDEX_SHIFT | opcode);
	/* the word that ends in fm_ce_se; signature and reserved bytes are zero */
	((__be32 *)c)[2] = cpu_to_be32(fm_ce_se);
	c->imm = imm;
}

/**
 * ibx_enc_ctrl_size() - write the size in the control segment of a send WQE
 * @c: segment
 * @qpn_ds: QP number << 8 | size of the WQE in units of 16 bytes, at most 63,
 *	this segment included
 *
 * Context: any.
 */
static __always_inline void ibx_enc_ctrl_size(struct mlx5_wqe_ctrl_seg *c, u32 qpn_ds)
{
	c->qpn_ds = cpu_to_be32(qpn_ds);
}

/**
 * ibx_enc_ctrl() - write the control segment of a send WQE
 * @c: segment; every byte is written
 * @opcode: as for ibx_enc_ctrl_what()
 * @index: as for ibx_enc_ctrl_what()
 * @qpn_ds: as for ibx_enc_ctrl_size()
 * @fm_ce_se: as for ibx_enc_ctrl_what()
 * @imm: as for ibx_enc_ctrl_what()
 *
 * Context: any.
 */
static __always_inline void ibx_enc_ctrl(struct mlx5_wqe_ctrl_seg *c, u32 opcode, u16 index,
					 u32 qpn_ds, u8 fm_ce_se, __be32 imm)
{
	ibx_enc_ctrl_what(c, opcode, index, fm_ce_se, imm);
	ibx_enc_ctrl_size(c, qpn_ds);
}

/**
 * ibx_enc_data() - write a data segment
 * @d: segment
 * @addr: address of the data in the address space of @lkey
 * @len: bytes, 1 to IBX_SGE_MAX
 * @lkey: local key
 *
 * Context: any.
 */
static inline void ibx_enc_data(struct mlx5_wqe_data_seg *d, u64 addr, u32 len, u32 lkey)
{
	d->byte_count = cpu_to_be32(len & (IBX_SGE_MAX - 1));
	d->lkey = cpu_to_be32(lkey);
	d->addr = cpu_to_be64(addr);
}

/**
 * ibx_enc_data_end() - write the data segment that ends a list
 * @d: segment
 * @term_lkey: key that marks the end of a list for the device
 *
 * Only a list that does not fill its receive WQE has such an end.
 *
 * Context: any.
 */
static inline void ibx_enc_data_end(struct mlx5_wqe_data_seg *d, __be32 term_lkey)
{
	d->byte_count = 0;
	d->lkey = term_lkey;
	d->addr = 0;
}

/**
 * ibx_enc_scatter() - write the list of a receive WQE
 * @d: first data segment
 * @max: number of data segments of the WQE
 * @wr: receive WR of at most @max elements; elements of length 0 are left out
 * @term_lkey: key that ends a list of fewer than @max segments
 *
 * Context: any.
 * Return: 0, or -EINVAL for an element of more than IBX_SGE_MAX bytes.
 */
static __always_inline int ibx_enc_scatter(struct mlx5_wqe_data_seg *d, u32 max,
					   const struct ib_recv_wr *wr, __be32 term_lkey)
{
	const struct mlx5_wqe_data_seg *end = d + max;
	const struct ib_sge *sge = wr->sg_list, *stop = sge + wr->num_sge;

	for (; sge < stop; sge++) {
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
 * ibx_enc_inline_hdr() - write the header of inline data
 * @s: header
 * @len: bytes of data behind the header, at most 1023
 *
 * Context: any.
 */
static inline void ibx_enc_inline_hdr(struct mlx5_wqe_inline_seg *s, u32 len)
{
	s->byte_count = cpu_to_be32(len | MLX5_INLINE_SEG);
}

/**
 * ibx_enc_raddr() - write the remote address segment of a READ or a WRITE
 * @r: segment
 * @raddr: remote address
 * @rkey: remote key
 *
 * Context: any.
 */
static inline void ibx_enc_raddr(struct mlx5_wqe_raddr_seg *r, u64 raddr, u32 rkey)
{
	r->raddr = cpu_to_be64(raddr);
	r->rkey = cpu_to_be32(rkey);
	r->reserved = 0;
}

/**
 * ibx_enc_atomic() - write the operands of an atomic operation
 * @a: segment
 * @swap_add: value to store or to add
 * @compare: value to compare with; 0 for a fetch and add
 *
 * Context: any.
 */
static inline void ibx_enc_atomic(struct mlx5_wqe_atomic_seg *a, u64 swap_add, u64 compare)
{
	a->swap_add = cpu_to_be64(swap_add);
	a->compare = cpu_to_be64(compare);
}

/**
 * ibx_enc_opaque() - write the opaque segment of a memory copy
 * @o: segment
 * @addr: bus address of IBX_OPAQUE_LEN bytes for the device
 * @lkey: local key of these bytes
 *
 * Context: any.
 */
static inline void ibx_enc_opaque(struct ibx_opaque_seg *o, u64 addr, __be32 lkey)
{
	o->control = 0;
	o->lkey = lkey;
	o->addr = cpu_to_be64(addr);
}

/**
 * ibx_enc_raw_ctrl() - complete the control segment of a raw WQE
 * @c: segment in the ring, a copy of @from
 * @from: segment that the consumer built
 * @index: number of the first basic block of the WQE, modulo 2^16
 *
 * Writes the index and clears the WQE signature: the QPs of this driver do not
 * use WQE signatures.
 *
 * Context: any.
 */
static inline void ibx_enc_raw_ctrl(struct mlx5_wqe_ctrl_seg *c,
				    const struct mlx5_wqe_ctrl_seg *from, u16 index)
{
	u32 word = be32_to_cpu(from->opmod_idx_opcode) & ~MLX5_WQE_CTRL_WQE_INDEX_MASK;

	c->opmod_idx_opcode = cpu_to_be32(word | (u32)index << MLX5_WQE_CTRL_WQE_INDEX_SHIFT);
	c->signature = 0;
}

/**
 * ibx_enc_datagram() - write the address vector of a UD WQE
 * @d: segment
 * @av: address vector of the address handle, from ibx_enc_av()
 * @qpn: destination QP
 * @qkey: destination Q_Key
 *
 * Context: any.
 */
static inline void ibx_enc_datagram(struct mlx5_wqe_datagram_seg *d, const struct mlx5_av *av,
				    u32 qpn, u32 qkey)
{
	d->av = *av;
	d->av.key.qkey.qkey = cpu_to_be32(qkey);
	d->av.key.qkey.reserved = 0;
	d->av.dqp_dct = cpu_to_be32((qpn & IBX_QPN_MASK) | MLX5_EXTENDED_UD_AV);
}

/**
 * ibx_enc_stream() - write the stream of a DCI into a control segment
 * @c: segment from ibx_enc_ctrl_what(), which writes stream 0
 * @stream: number of the stream
 *
 * Context: any.
 */
static inline void ibx_enc_stream(struct mlx5_wqe_ctrl_seg *c, u16 stream)
{
	put_unaligned_be16(stream, c->rsvd);
}

/**
 * ibx_enc_dc() - write the address vector of a WQE of a DCI
 * @d: segment
 * @av: address vector of the address handle, from ibx_enc_av()
 * @dctn: destination DCT
 * @key: access key of the DCT
 *
 * Context: any.
 */
static inline void ibx_enc_dc(struct mlx5_wqe_datagram_seg *d, const struct mlx5_av *av,
			      u32 dctn, u64 key)
{
	d->av = *av;
	d->av.key.dc_key = cpu_to_be64(key);
	d->av.dqp_dct = cpu_to_be32((dctn & IBX_QPN_MASK) | MLX5_EXTENDED_UD_AV);
}

/**
 * struct ibx_enc_av - parameters of an address vector on RoCE
 * @dgid: destination GID
 * @sgid_index: index of the source GID
 * @flow_label: flow label, 20 bits
 * @udp_sport: UDP source port, for RoCE v2
 * @dmac: destination MAC address
 * @rate: static rate as a number of the device, 0 for no limit
 * @sl: service level, 3 bits
 * @tclass: traffic class, with the ECN bits
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

/* ---- av.c ---- */

void ibx_enc_av(struct mlx5_av *av, const struct ibx_enc_av *p);

/* ---- cqe.c ---- */

enum ib_wc_status ibx_dec_syndrome(u8 syndrome);
int ibx_dec_qp_event(unsigned long type);
void ibx_dec_ud(struct ib_wc *wc, const struct mlx5_cqe64 *cqe);

#endif /* MLX5_IBX_ENC_H */
