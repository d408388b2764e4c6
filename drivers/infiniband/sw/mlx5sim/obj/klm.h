/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Lists of indirect keys: what an entry says, and positions in a list.
 */
#ifndef MLX5SIM_OBJ_KLM_H
#define MLX5SIM_OBJ_KLM_H

#include <linux/limits.h>
#include <linux/types.h>

struct sim_mkey;

/* Levels of indirect keys that are followed from a key to memory */
#define SIM_MAX_INDIRECTION	4

/**
 * struct sim_klm - an entry of an indirect key, in host order
 * @byte_count: bytes it describes; of a block of a pattern, stride and bytes
 * @key: key behind it
 * @va: address within @key; of the head of a pattern, laps and blocks
 */
struct sim_klm {
	u32 byte_count;
	u32 key;
	u64 va;
};

/* of the head of a pattern: laps, blocks in each */
static inline u32 sim_klm_laps(const struct sim_klm *head)
{
	return head->va >> 32;
}

static inline u32 sim_klm_blocks(const struct sim_klm *head)
{
	return head->va & U16_MAX;
}

/* of a block: from its start to that of the next one, and its bytes */
static inline u32 sim_klm_stride(const struct sim_klm *block)
{
	return block->byte_count >> 16;
}

static inline u32 sim_klm_block_len(const struct sim_klm *block)
{
	return block->byte_count & U16_MAX;
}

/**
 * struct sim_klm_pos - where in a list the last lookup ended
 * @mkey: whose list it is
 * @klm: entry
 * @base: bytes described by the entries before it
 */
struct sim_klm_pos {
	const struct sim_mkey *mkey;
	u32 klm;
	u64 base;
};

/**
 * struct sim_piece - what an indirect key has at a position
 * @key: key behind it
 * @va: address within @key
 * @len: bytes from there that one entry describes
 */
struct sim_piece {
	u32 key;
	u64 va;
	u64 len;
};

#endif /* MLX5SIM_OBJ_KLM_H */
