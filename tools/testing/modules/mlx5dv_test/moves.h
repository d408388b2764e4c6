/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Transfers between an mkey at end 0, whose memory is in pieces, and plain memory at end 1.
 */
#ifndef MLX5DV_TEST_MOVES_H
#define MLX5DV_TEST_MOVES_H

#include "dv.h"

#define MOVE_AT		256	/* offset of the mkey's memory in the owner's buffer */
#define MOVE_GAP	48	/* bytes between pieces of that memory */
#define MOVE_FAR	64	/* offset of the bytes of the wire in the peer's buffer */
#define MOVE_PIECES	3

/* operations on the mkey, by its owner and by the peer */
enum move_op {
	MOVE_SEND,		/* memory to wire */
	MOVE_WRITE,
	MOVE_READ_BY_PEER,
	MOVE_RECV,		/* wire to memory */
	MOVE_READ,
	MOVE_WRITE_BY_PEER,
	MOVE_OPS,
};

/**
 * struct move - a transfer
 * @p: the pair; the peer's MR is registered
 * @mkey: mkey of end 0
 * @pieces: number of pieces of the mkey's memory, 1 or MOVE_PIECES
 * @mem: bytes in memory
 * @wire: bytes on the wire
 * @local: byte count in a work request of the owner
 */
struct move {
	struct t_pair *p;
	struct mlx5dv_mkey *mkey;
	u8 pieces;
	u32 mem;
	u32 wire;
	u32 local;
};

int move_register_peer(struct t_pair *p);
int move_cut(const struct t_end *e, u8 pieces, u32 len, struct ib_sge *sge);
int move_bytes(const struct move *m, enum move_op op, const u8 *in);
int move_compare(const struct move *m, enum move_op op, const u8 *out);

static inline bool move_to_memory(enum move_op op)
{
	return op >= MOVE_RECV;
}

#endif /* MLX5DV_TEST_MOVES_H */
