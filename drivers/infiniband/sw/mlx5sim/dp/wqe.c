// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * WQEs: from the send ring to struct sim_wqe, and the scatter list of receive
 * WQEs.
 *
 * Fetching copies a WQE out of the ring, once, and undoes the wrap at the end
 * of the ring. Decoding then works on private contiguous bytes that the driver
 * can no longer change. Decoding is pure: it reads only the copy, and returns
 * the rule that the WQE breaks, if any.
 *
 * Messages of datagram QPs and of DCIs begin with an address vector. Messages
 * of XRC QPs begin with the number of the receiver's SRQ.
 *
 * Supported: NOP, SEND (immediate, invalidate), RDMA WRITE (immediate), RDMA
 * READ, compare and swap, fetch and add, UMR, SET_PSV, and MMO (memory copy),
 * each on the QP types in the table below. Any other opcode completes with a
 * local QP operation error, as on real devices.
 */

#include <kunit/visibility.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "core/core.h"
#include "dp/dp.h"
#include "host/host.h"
#include "obj/caps.h"
#include "obj/obj.h"

#define SIM_ST_DCI	BIT(MLX5_QP_ST_DCI)
#define SIM_ST_XRC	BIT(MLX5_QP_ST_XRC)
#define SIM_ST_REL	(BIT(MLX5_QP_ST_RC) | SIM_ST_DCI | SIM_ST_XRC)
#define SIM_ST_CONN	(SIM_ST_REL | BIT(MLX5_QP_ST_UC))
#define SIM_ST_DGRAM	(BIT(MLX5_QP_ST_UD) | BIT(MLX5_QP_ST_QP1))
#define SIM_ST_AV	(SIM_ST_DGRAM | SIM_ST_DCI)	/* with an address vector */
#define SIM_ST_UMR	BIT(MLX5_QP_ST_REG_UMR)

enum sim_layout {
	SIM_LAYOUT_NONE = 1,	/* the rest of the WQE is ignored */
	SIM_LAYOUT_DATA,	/* data segments */
	SIM_LAYOUT_RDMA,	/* remote address, data segments */
	SIM_LAYOUT_ATOMIC,	/* remote address, operands, data segments for the reply */
	SIM_LAYOUT_UMR,		/* UMR control, mkey, translations */
	SIM_LAYOUT_PSV,		/* number and signature */
	SIM_LAYOUT_MMO,		/* opaque segment, source, destination */
};

struct sim_opcode {
	u8 layout;
	u16 st;
	u8 opmod;
};

static const struct sim_opcode sim_opcodes[] = {
	[MLX5_OPCODE_NOP] = { SIM_LAYOUT_NONE, SIM_ST_CONN | SIM_ST_DGRAM | SIM_ST_UMR },
	[MLX5_OPCODE_SEND] = { SIM_LAYOUT_DATA, SIM_ST_CONN | SIM_ST_DGRAM },
	[MLX5_OPCODE_SEND_IMM] = { SIM_LAYOUT_DATA, SIM_ST_CONN | SIM_ST_DGRAM },
	[MLX5_OPCODE_SEND_INVAL] = { SIM_LAYOUT_DATA, SIM_ST_REL },
	[MLX5_OPCODE_RDMA_WRITE] = { SIM_LAYOUT_RDMA, SIM_ST_CONN },
	[MLX5_OPCODE_RDMA_WRITE_IMM] = { SIM_LAYOUT_RDMA, SIM_ST_CONN },
	[MLX5_OPCODE_RDMA_READ] = { SIM_LAYOUT_RDMA, SIM_ST_REL },
	[MLX5_OPCODE_ATOMIC_CS] = { SIM_LAYOUT_ATOMIC, SIM_ST_REL },
	[MLX5_OPCODE_ATOMIC_FA] = { SIM_LAYOUT_ATOMIC, SIM_ST_REL },
	[MLX5_OPCODE_UMR] = { SIM_LAYOUT_UMR, SIM_ST_REL | SIM_ST_UMR },
	[MLX5_OPCODE_SET_PSV] = { SIM_LAYOUT_PSV, SIM_ST_REL & ~SIM_ST_XRC },
	[SIM_OPCODE_MMO] = { SIM_LAYOUT_MMO, SIM_ST_REL & ~SIM_ST_XRC, SIM_OPMOD_MMO_DMA },
};

/*
 * Decode the data segments in [@p, @end) into seg[1] and on. @scatter: the list
 * is a scatter list.
 */
static int sim_decode_data(struct sim_wqe *wqe, u8 *p, const u8 *end, bool scatter,
			   const char **why)
{
	const struct mlx5_wqe_data_seg *dseg;
	struct sim_seg *seg;
	u32 count, len;

	for (; p < end; p += ALIGN(len, MLX5_WQE_DS_UNITS)) {
		dseg = (const struct mlx5_wqe_data_seg *)p;
		count = be32_to_cpu(dseg->byte_count);
		seg = &wqe->seg[1 + wqe->nseg];
		memset(seg, 0, sizeof(*seg));

		if (scatter && count & MLX5_INLINE_SEG) {
			*why = "inline data as destination";
			return SIM_VIO_wqe_segment;
		}
		if (count & MLX5_INLINE_SEG) {
			seg->len = count & ~MLX5_INLINE_SEG;
			if (seg->len > MLX5_WQE_INLINE_SEG_BYTE_COUNT_MASK) {
				*why = "inline data too long";
				return SIM_VIO_wqe_segment;
			}
			seg->kmem = p + sizeof(dseg->byte_count);
			len = sizeof(dseg->byte_count) + seg->len;
		} else {
			/* the field has 31 bits, and 0 means 2^31 bytes */
			seg->len = count ?: MLX5_INLINE_SEG;
			seg->key = be32_to_cpu(dseg->lkey);
			seg->va = be64_to_cpu(dseg->addr);
			len = sizeof(*dseg);
		}
		if (len > end - p) {
			*why = "segment runs beyond the WQE";
			return SIM_VIO_wqe_size;
		}
		if (!seg->len)
			continue;
		wqe->len += seg->len;
		wqe->nseg++;
	}
	return SIM_WQE_OK;
}

static int sim_decode_umr(struct sim_wqe *wqe, u8 *p, const u8 *end, const char **why)
{
	const u32 fixed = sizeof(struct mlx5_wqe_umr_ctrl_seg) + sizeof(struct mlx5_mkey_seg);

	if (end - p < fixed) {
		*why = "UMR without control or mkey segment";
		return SIM_VIO_wqe_size;
	}
	wqe->umr = (const struct mlx5_wqe_umr_ctrl_seg *)p;
	wqe->xlt = p + fixed;
	wqe->xlt_len = end - (p + fixed);
	return SIM_WQE_OK;
}

/* Unrefereed: U-19. */
static int sim_decode_av(struct sim_wqe *wqe, u8 **p, const u8 *end, const char **why)
{
	const struct mlx5_wqe_datagram_seg *dg = (const struct mlx5_wqe_datagram_seg *)*p;

	if (end - *p < sizeof(*dg)) {
		*why = "no address vector";
		return SIM_VIO_wqe_size;
	}
	if (!(be32_to_cpu(dg->av.dqp_dct) & MLX5_EXTENDED_UD_AV)) {
		*why = "short address vector on Ethernet";
		return SIM_VIO_wqe_segment;
	}
	/* UCX leaves the contents of an earlier WQE in this field */
	if (memchr_inv(dg->av.reserved0, 0, sizeof(dg->av.reserved0)))
		wqe->ignored = "reserved bytes before the MAC of the address vector";
	if (be32_to_cpu(dg->av.dqp_dct) & 0x7f000000) {
		*why = "reserved field of the address vector";
		return SIM_VIO_wqe_reserved;
	}
	wqe->av = &dg->av;
	*p += sizeof(*dg);
	return SIM_WQE_OK;
}

static int sim_decode_xrc(struct sim_wqe *wqe, u8 **p, const u8 *end, const char **why)
{
	const struct mlx5_wqe_xrc_seg *xrc = (const struct mlx5_wqe_xrc_seg *)*p;

	if (end - *p < sizeof(*xrc)) {
		*why = "no XRC segment";
		return SIM_VIO_wqe_size;
	}
	wqe->xrc_srqn = be32_to_cpu(xrc->xrc_srqn);
	if (wqe->xrc_srqn >> 24) {
		*why = "SRQ number of more than 24 bits";
		return SIM_VIO_wqe_reserved;
	}
	/* libmlx5 leaves the contents of an earlier WQE in this field */
	if (memchr_inv(xrc->rsvd, 0, sizeof(xrc->rsvd)))
		wqe->ignored = "reserved bytes of the XRC segment";
	*p += sizeof(*xrc);
	return SIM_WQE_OK;
}

static int sim_decode_raddr(struct sim_wqe *wqe, u8 **p, const u8 *end, const char **why)
{
	const struct mlx5_wqe_raddr_seg *rseg = (const struct mlx5_wqe_raddr_seg *)*p;

	if (end - *p < sizeof(*rseg)) {
		*why = "no remote address segment";
		return SIM_VIO_wqe_size;
	}
	if (rseg->reserved) {
		*why = "reserved field of the remote address segment";
		return SIM_VIO_wqe_reserved;
	}
	wqe->raddr = be64_to_cpu(rseg->raddr);
	wqe->rkey = be32_to_cpu(rseg->rkey);
	*p += sizeof(*rseg);
	return SIM_WQE_OK;
}

static bool sim_is_message(u8 layout)
{
	return layout == SIM_LAYOUT_DATA || layout == SIM_LAYOUT_RDMA ||
	       layout == SIM_LAYOUT_ATOMIC;
}

/*
 * Decode the address vector or XRC segment of a message, on QPs whose messages
 * begin with such a segment.
 */
static int sim_decode_receiver(struct sim_wqe *wqe, u8 st, u8 **p, const u8 *end,
			       const char **why)
{
	if (BIT(st) & SIM_ST_AV)
		return sim_decode_av(wqe, p, end, why);
	if (BIT(st) & SIM_ST_XRC)
		return sim_decode_xrc(wqe, p, end, why);
	return SIM_WQE_OK;
}

/*
 * Decode an atomic: operands, and data segments of exactly 8 bytes for the old
 * value.
 */
static int sim_decode_atomic(struct sim_wqe *wqe, u8 *p, const u8 *end, const char **why)
{
	const struct mlx5_wqe_atomic_seg *aseg = (const struct mlx5_wqe_atomic_seg *)p;
	int vio;

	if (end - p < sizeof(*aseg)) {
		*why = "no atomic segment";
		return SIM_VIO_wqe_size;
	}
	wqe->swap_add = be64_to_cpu(aseg->swap_add);
	wqe->compare = be64_to_cpu(aseg->compare);
	vio = sim_decode_data(wqe, p + sizeof(*aseg), end, true, why);
	if (vio == SIM_WQE_OK && wqe->len != sizeof(u64)) {
		*why = "reply of an atomic is 8 bytes";
		return SIM_VIO_wqe_segment;
	}
	return vio;
}

/**
 * sim_wqe_decode_ctrl() - decode the control segment of a fetched WQE
 * @wqe: WQE with its first 16 bytes in @wqe->buf; all other members are
 *     overwritten
 * @qpn: number of the QP of the ring
 * @counter: index of its first basic block
 * @why: out: reason of a failure
 *
 * Unrefereed: U-11, U-12.
 *
 * Context: any; pure.
 * Return: SIM_WQE_OK, or the enum sim_vio of the rule that the WQE breaks.
 * @wqe->opcode, @wqe->ds and @wqe->bbs are valid in either case, and @wqe->bbs
 * is at least 1.
 */
int sim_wqe_decode_ctrl(struct sim_wqe *wqe, u32 qpn, u16 counter, const char **why)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const struct mlx5_wqe_ctrl_seg *)wqe->buf;
	u32 op = be32_to_cpu(ctrl->opmod_idx_opcode);
	u32 qpn_ds = be32_to_cpu(ctrl->qpn_ds);
	u8 ce = ctrl->fm_ce_se >> 2 & 3;

	wqe->counter = counter;
	wqe->stream = get_unaligned_be16(ctrl->rsvd);
	wqe->opcode = op & MLX5_WQE_CTRL_OPCODE_MASK;
	wqe->opmod = op >> 24;
	wqe->ds = qpn_ds & MLX5_WQE_CTRL_DS_MASK;
	wqe->bbs = max(1, DIV_ROUND_UP(wqe->ds, MLX5_SEND_WQEBB_NUM_DS));
	wqe->fence = ctrl->fm_ce_se >> 5;
	wqe->cqe = ce == SIM_CE_ALWAYS;
	wqe->no_flush = ce == SIM_CE_FIRST_ERROR;
	wqe->se = ctrl->fm_ce_se & MLX5_WQE_CTRL_SOLICITED;
	wqe->imm = ctrl->imm;
	wqe->raddr = 0;
	wqe->rkey = 0;
	wqe->xrc_srqn = 0;
	wqe->swap_add = 0;
	wqe->compare = 0;
	wqe->av = NULL;
	wqe->umr = NULL;
	wqe->xlt = NULL;
	wqe->xlt_len = 0;
	wqe->ignored = NULL;
	wqe->len = 0;
	wqe->nseg = 0;

	if ((op & MLX5_WQE_CTRL_WQE_INDEX_MASK) >> MLX5_WQE_CTRL_WQE_INDEX_SHIFT != counter) {
		*why = "index";
		return SIM_VIO_wqe_index;
	}
	if (qpn_ds >> MLX5_WQE_CTRL_QPN_SHIFT != qpn) {
		*why = "QP number";
		return SIM_VIO_wqe_qpn;
	}
	if (!wqe->ds) {
		*why = "size 0";
		return SIM_VIO_wqe_size;
	}
	if (qpn_ds & 0xc0 || ctrl->fm_ce_se & 0x11 || ce == SIM_CE_RESERVED ||
	    wqe->fence > SIM_FENCE_SMALL_READS) {
		*why = "reserved field of the control segment";
		return SIM_VIO_wqe_reserved;
	}
	return SIM_WQE_OK;
}
EXPORT_SYMBOL_IF_KUNIT(sim_wqe_decode_ctrl);

/**
 * sim_wqe_decode() - decode the rest of a WQE
 * @wqe: completely fetched WQE with a decoded control segment
 * @st: service type of its QP, MLX5_QP_ST_*
 * @why: out: reason of a failure
 *
 * Unrefereed: U-38.
 *
 * Context: any; pure.
 * Return: SIM_WQE_OK, or the enum sim_vio of the rule that the WQE breaks.
 */
int sim_wqe_decode(struct sim_wqe *wqe, u8 st, const char **why)
{
	u8 *p = wqe->buf + sizeof(struct mlx5_wqe_ctrl_seg);
	const u8 *end = wqe->buf + wqe->ds * MLX5_WQE_DS_UNITS;
	const struct sim_opcode *op;
	int vio;

	op = wqe->opcode < ARRAY_SIZE(sim_opcodes) ? &sim_opcodes[wqe->opcode] : NULL;
	if (!op || !op->layout) {
		*why = "opcode unknown or not supported";
		return SIM_VIO_wqe_opcode;
	}
	if (!(op->st & BIT(st))) {
		*why = "opcode not allowed on this type of QP";
		return SIM_VIO_wqe_opcode;
	}
	if (wqe->opmod != op->opmod) {
		*why = "opcode modifier";
		return SIM_VIO_wqe_opcode;
	}
	if (wqe->stream && st != MLX5_QP_ST_DCI) {
		*why = "stream on a QP without streams";
		return SIM_VIO_wqe_reserved;
	}
	if (sim_is_message(op->layout)) {
		vio = sim_decode_receiver(wqe, st, &p, end, why);
		if (vio != SIM_WQE_OK)
			return vio;
	}

	switch (op->layout) {
	case SIM_LAYOUT_UMR:
		return sim_decode_umr(wqe, p, end, why);
	case SIM_LAYOUT_PSV:
		return sim_psv_decode(wqe, p, end, why);
	case SIM_LAYOUT_MMO:
		return sim_mmo_decode(wqe, p, end, why);
	case SIM_LAYOUT_RDMA:
	case SIM_LAYOUT_ATOMIC:
		vio = sim_decode_raddr(wqe, &p, end, why);
		if (vio != SIM_WQE_OK)
			return vio;
		if (op->layout == SIM_LAYOUT_ATOMIC)
			return sim_decode_atomic(wqe, p, end, why);
		return sim_decode_data(wqe, p, end, wqe->opcode == MLX5_OPCODE_RDMA_READ, why);
	case SIM_LAYOUT_DATA:
		return sim_decode_data(wqe, p, end, false, why);
	default:
		return SIM_WQE_OK;
	}
}
EXPORT_SYMBOL_IF_KUNIT(sim_wqe_decode);

/**
 * sim_rwqe_decode() - decode the scatter list of a fetched receive WQE
 * @rwqe: fetched WQE; its space, nseg and seg are filled in
 * @off: bytes from the start of @rwqe->buf to the first data segment
 * @size: bytes of the WQE in @rwqe->buf
 * @term: lkey that ends the list, sim_terminate_lkey()
 *
 * The list ends at @size or at @term. A byte count of 0 means 2^31
 * bytes, as in send WQEs.
 *
 * Context: any; pure.
 * Return: 0, or -EINVAL for an inline segment.
 */
int sim_rwqe_decode(struct sim_rwqe *rwqe, u32 off, u32 size, u32 term)
{
	const struct mlx5_wqe_data_seg *dseg;
	struct sim_seg *seg;
	u32 count;

	rwqe->nseg = 0;
	rwqe->space = 0;
	for (; off + sizeof(*dseg) <= size; off += sizeof(*dseg)) {
		dseg = (const struct mlx5_wqe_data_seg *)(rwqe->buf + off);
		if (be32_to_cpu(dseg->lkey) == term)
			break;
		count = be32_to_cpu(dseg->byte_count);
		if (count & MLX5_INLINE_SEG)
			return -EINVAL;
		seg = &rwqe->seg[rwqe->nseg++];
		seg->len = count ?: MLX5_INLINE_SEG;
		seg->key = be32_to_cpu(dseg->lkey);
		seg->va = be64_to_cpu(dseg->addr);
		seg->kmem = NULL;
		rwqe->space += seg->len;
	}
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(sim_rwqe_decode);

/* Bytes of the longest send WQE */
static u32 sim_wqe_max(struct sim_dev *sdev, const struct sim_qp *qp)
{
	return qp->st == MLX5_QP_ST_DCI ? SIM_CAP(sdev, max_wqe_sz_sq_dc) :
					  SIM_CAP(sdev, max_wqe_sz_sq);
}

/**
 * sim_wqe_fetch() - fetch and decode the WQE at the head of a send queue
 * @sdev: simulated function
 * @qp: QP
 * @avail: number of basic blocks posted, at least 1
 * @wqe: out: decoded WQE
 *
 * A rule that the WQE breaks is recorded as a violation.
 *
 * Context: hardware thread.
 * Return:
 * * 0
 * * -EINVAL: the WQE must not be executed; @wqe->counter, opcode and bbs are
 *   valid, bbs is at most @avail
 * * -EFAULT: the ring cannot be read
 */
int sim_wqe_fetch(struct sim_dev *sdev, struct sim_qp *qp, u16 avail, struct sim_wqe *wqe)
{
	u32 ring = MLX5_SEND_WQE_BB << qp->sq.log_size;
	u32 pos = (qp->sq.ci * MLX5_SEND_WQE_BB) & (ring - 1);
	u32 have = MLX5_SEND_WQE_BB, size, n;
	const char *why = "";
	int vio;

	if (sim_buf_read(sdev, &qp->buf, qp->sq.off + pos, wqe->buf, have))
		return -EFAULT;
	vio = sim_wqe_decode_ctrl(wqe, sim_qp_qpn(qp), qp->sq.ci, &why);
	sim_count_add(sdev, wqe_bbs, wqe->bbs);
	if (vio == SIM_WQE_OK && wqe->ds * MLX5_WQE_DS_UNITS > sim_wqe_max(sdev, qp)) {
		vio = SIM_VIO_wqe_size;
		why = "WQE longer than the capability";
	}
	if (wqe->bbs > avail) {
		if (vio == SIM_WQE_OK)
			vio = SIM_VIO_wqe_size;
		why = "WQE longer than the posted basic blocks";
		wqe->bbs = avail;
	}
	if (vio != SIM_WQE_OK)
		goto bad;

	n = have;
	for (size = wqe->ds * MLX5_WQE_DS_UNITS; have < size; have += n) {
		pos = (pos + n) & (ring - 1);
		n = min(size - have, ring - pos);
		if (sim_buf_read(sdev, &qp->buf, qp->sq.off + pos, wqe->buf + have, n))
			return -EFAULT;
	}
	vio = sim_wqe_decode(wqe, qp->st, &why);
	if (vio != SIM_WQE_OK)
		goto bad;
	if (wqe->ignored)
		sim_ignored(sdev, "QP 0x%x WQE 0x%x: %s", sim_qp_qpn(qp), qp->sq.ci, wqe->ignored);
	return 0;

bad:
	sim_violation(sdev, vio, "QP 0x%x WQE 0x%x opcode 0x%x ds %u: %s", sim_qp_qpn(qp),
		      qp->sq.ci, wqe->opcode, wqe->ds, why);
	return -EINVAL;
}

/**
 * sim_wqe_dup() - copy a UMR
 * @wqe: decoded UMR
 *
 * Context: hardware thread.
 * Return: the copy, to be freed with kfree().
 */
struct sim_wqe *sim_wqe_dup(const struct sim_wqe *wqe)
{
	struct sim_wqe *dup = kmalloc(sizeof(*dup), GFP_KERNEL | __GFP_NOFAIL);

	*dup = *wqe;
	dup->umr = (void *)(dup->buf + ((u8 *)wqe->umr - wqe->buf));
	dup->xlt = dup->buf + ((u8 *)wqe->xlt - wqe->buf);
	return dup;
}
