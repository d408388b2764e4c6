/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Decoded work queue entries.
 */
#ifndef MLX5SIM_DP_WQE_H
#define MLX5SIM_DP_WQE_H

#include <linux/mlx5/qp.h>

#include "dp/access.h"

#define SIM_WQE_MAX_DS		63
#define SIM_WQE_MAX_BYTES	1024
#define SIM_RWQE_MAX_BYTES	2048
#define SIM_WQE_MAX_SEGS	(SIM_WQE_MAX_DS + 1)	/* one spare for a GRH */
#define SIM_RWQE_MAX_SEGS	(SIM_RWQE_MAX_BYTES / 16)

/* as in libmlx5; <linux/mlx5/device.h> does not define the two values */
#define SIM_OPCODE_MMO		0x2f
#define SIM_OPMOD_MMO_DMA	1

/* values of the CE field, bits 3:2 of fm_ce_se */
enum sim_ce {
	SIM_CE_ERROR,		/* completion only on errors */
	SIM_CE_FIRST_ERROR,	/* completion only on errors except a flush */
	SIM_CE_ALWAYS,
	SIM_CE_RESERVED,	/* different meanings in DPDK and SPDK */
};

enum sim_fence {
	SIM_FENCE_NONE,
	SIM_FENCE_SMALL,	/* after UMRs, SET_PSVs and memory copies */
	SIM_FENCE_READS,	/* after reads and atomics */
	SIM_FENCE_STRONG,	/* after all of the above */
	SIM_FENCE_SMALL_READS,	/* the same as STRONG */
};

/**
 * struct sim_wqe - a decoded send WQE
 * @counter: index of its first basic block
 * @bbs: number of basic blocks it occupies
 * @ds: size in 16-byte units
 * @opcode: MLX5_OPCODE_*
 * @opmod: opcode modifier
 * @stream: stream id (DCI)
 * @fence: enum sim_fence
 * @cqe: completion requested
 * @no_flush: no completion if the WQE is flushed
 * @se: solicited event requested at the peer
 * @imm: immediate data, key to invalidate, or mkey that a UMR changes
 * @raddr: remote address
 * @rkey: remote key, or PSV of a SET_PSV
 * @xrc_srqn: number of the receiver's SRQ (XRC)
 * @swap_add: swap or add operand of an atomic, or signature of a SET_PSV
 * @compare: compare operand of an atomic
 * @av: address vector of a datagram or of a message of a DCI
 * @umr: UMR control segment, followed by the mkey segment
 * @xlt: first byte after the mkey segment of a UMR
 * @xlt_len: bytes from @xlt to the end of the WQE
 * @ignored: name of a reserved field that is set and that real devices ignore;
 *	or NULL
 * @len: bytes described by all data segments
 * @nseg: number of data segments, which start at seg[1]; seg[0] is spare
 * @seg: data segments
 * @buf: the fetched WQE, contiguous
 */
struct sim_wqe {
	u16 counter;
	u8 bbs;
	u8 ds;
	u8 opcode;
	u8 opmod;
	u16 stream;
	u8 fence;
	bool cqe;
	bool no_flush;
	bool se;
	__be32 imm;
	u64 raddr;
	u32 rkey;
	u32 xrc_srqn;
	u64 swap_add;
	u64 compare;
	const struct mlx5_av *av;
	const struct mlx5_wqe_umr_ctrl_seg *umr;
	void *xlt;
	u32 xlt_len;
	const char *ignored;
	u64 len;
	u32 nseg;
	struct sim_seg seg[SIM_WQE_MAX_SEGS];
	u8 buf[SIM_WQE_MAX_BYTES] __aligned(64);
};

#define SIM_WQE_OK	(-1)	/* valid WQE; other results: enum sim_vio */

/**
 * struct sim_rwqe - a receive WQE at the head of its queue
 * @index: index in the ring
 * @counter: wqe_counter of its CQE
 * @next: index of the next WQE in the linked list of an SRQ
 * @space: bytes on the wire, signatures included, that fit in @seg
 * @nseg: number of elements of @seg
 * @seg: scatter list
 * @buf: the fetched WQE
 */
struct sim_rwqe {
	u16 index;
	u16 counter;
	u16 next;
	u64 space;
	u32 nseg;
	struct sim_seg seg[SIM_RWQE_MAX_SEGS];
	u8 buf[SIM_RWQE_MAX_BYTES] __aligned(64);
};

#endif /* MLX5SIM_DP_WQE_H */
