/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A message between two simulated functions, and its response.
 */
#ifndef MLX5SIM_DP_MSG_H
#define MLX5SIM_DP_MSG_H

#include <linux/bits.h>
#include <linux/types.h>

#include "net/net.h"

struct sim_seg;

#define SIM_MAX_MSG		BIT(30)
#define SIM_GRH_LEN		40
#define SIM_PSN_MASK		0xffffff

/**
 * struct sim_msg - a message
 * @rt: route from the sender to the receiver
 * @sqp: sending QP
 * @dqp: receiving QP
 * @opcode: MLX5_OPCODE_* of the request
 * @se: solicited event requested
 * @imm: immediate data, or key to invalidate
 * @raddr: remote address
 * @rkey: remote key
 * @xrc_srqn: number of the receiver's SRQ (XRC)
 * @swap_add: swap or add operand of an atomic
 * @compare: compare operand of an atomic
 * @len: payload bytes
 * @reach: number of bytes, from the start of @seg, in the packets that the
 *	sender's keys allow; @len if the keys allow all packets
 * @psn: sequence number of the first packet
 * @packets: number of packets on the path
 * @old: value that an atomic read, in the byte order of the response
 * @reads: number of reads and atomics that the sender already has outstanding
 * @seg: gather list, or scatter list of a read or atomic, in the sender's
 *     memory
 * @nseg: number of elements of @seg
 * @src_qpn: number of the sending QP in the datagram
 * @prio: VLAN priority of the frame, if it has a VLAN tag (datagrams)
 */
struct sim_msg {
	struct sim_route rt;
	struct sim_qp *sqp;
	struct sim_qp *dqp;
	u8 opcode;
	bool se;
	__be32 imm;
	u64 raddr;
	u32 rkey;
	u32 xrc_srqn;
	u64 swap_add;
	u64 compare;
	u64 old;
	u32 len;
	u32 reach;
	u32 psn;
	u32 packets;
	u32 reads;
	const struct sim_seg *seg;
	u32 nseg;
	u32 src_qpn;
	u8 prio;
};

/* The response to a message */
enum sim_verdict {
	SIM_ACK,
	SIM_LOST,		/* no response */
	SIM_RNR,		/* receiver not ready */
	SIM_NAK_SEQ,		/* sequence error */
	SIM_NAK_INVALID,	/* invalid request */
	SIM_NAK_ACCESS,		/* remote access error */
	SIM_NAK_OP,		/* remote operational error */
	SIM_SRC_FAULT,		/* the sender's memory was inaccessible */
};

#endif /* MLX5SIM_DP_MSG_H */
