/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work queue entries, decoded.
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

/* <linux/mlx5/device.h> knows neither; libmlx5 does */
#define SIM_OPCODE_MMO		0x2f
#define SIM_OPMOD_MMO_DMA	1

enum sim_fence {
	SIM_FENCE_NONE,
	SIM_FENCE_SMALL,
	SIM_FENCE_READS,	/* after all outstanding reads */
	SIM_FENCE_STRONG,
	SIM_FENCE_SMALL_READS,
};

/**
 * struct sim_wqe - a send WQE, decoded
 * @counter: basic block it starts at
 * @bbs: basic blocks it occupies
 * @ds: its size in 16-byte units
 * @opcode: MLX5_OPCODE_*
 * @opmod: its modifier
 * @stream: of a DCI
 * @fence: enum sim_fence
 * @cqe: completion wanted
 * @se: solicited event wanted at the peer
 * @imm: immediate data, key to invalidate, or key of the mkey a UMR changes
 * @raddr: remote address
 * @rkey: remote key
 * @swap_add: operand of an atomic
 * @compare: likewise
 * @av: address vector of a datagram, or of a message of a DCI
 * @umr: UMR control segment, followed by the mkey segment
 * @xlt: what follows the mkey segment of a UMR
 * @xlt_len: bytes of @xlt within the WQE
 * @len: bytes of all data segments
 * @nseg: number of data segments; seg[0] is spare, they start at seg[1]
 * @seg: data segments
 * @buf: the WQE as fetched, made contiguous
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
	bool se;
	__be32 imm;
	u64 raddr;
	u32 rkey;
	u64 swap_add;
	u64 compare;
	const struct mlx5_av *av;
	const struct mlx5_wqe_umr_ctrl_seg *umr;
	void *xlt;
	u32 xlt_len;
	u64 len;
	u32 nseg;
	struct sim_seg seg[SIM_WQE_MAX_SEGS];
	u8 buf[SIM_WQE_MAX_BYTES] __aligned(64);
};

#define SIM_WQE_OK	(-1)	/* else an enum sim_vio */

/**
 * struct sim_rwqe - a receive WQE at the head of its queue
 * @index: within the ring
 * @next: index of the one after it (SRQ)
 * @space: bytes its scatter list takes
 * @nseg: its segments
 * @seg: the scatter list
 * @buf: as fetched
 */
struct sim_rwqe {
	u16 index;
	u16 next;
	u64 space;
	u32 nseg;
	struct sim_seg seg[SIM_RWQE_MAX_SEGS];
	u8 buf[SIM_RWQE_MAX_BYTES] __aligned(64);
};

#endif /* MLX5SIM_DP_WQE_H */
