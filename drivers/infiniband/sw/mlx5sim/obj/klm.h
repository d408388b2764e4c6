/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Lists of indirect keys: their entries, and positions in a list. klm.c
 * describes strided patterns.
 */
#ifndef MLX5SIM_OBJ_KLM_H
#define MLX5SIM_OBJ_KLM_H

#include <linux/limits.h>
#include <linux/types.h>

struct sim_mkey;

/* Largest number of indirect keys that are followed from a key to memory */
#define SIM_MAX_INDIRECTION	4

/**
 * struct sim_klm - an entry of an indirect key, in CPU byte order
 * @byte_count: number of bytes that the entry describes; in a block of a
 *	pattern: stride << 16 | number of bytes
 * @key: mkey of the memory
 * @va: address within @key; in the head of a pattern: laps << 32 | blocks
 */
struct sim_klm {
	u32 byte_count;
	u32 key;
	u64 va;
};

/* Number of laps of a pattern, and number of blocks in each lap */
static inline u32 sim_klm_laps(const struct sim_klm *head)
{
	return head->va >> 32;
}

static inline u32 sim_klm_blocks(const struct sim_klm *head)
{
	return head->va & U16_MAX;
}

/*
 * Bytes from the start of a block to its start in the next lap, and bytes of
 * the block
 */
static inline u32 sim_klm_stride(const struct sim_klm *block)
{
	return block->byte_count >> 16;
}

static inline u32 sim_klm_block_len(const struct sim_klm *block)
{
	return block->byte_count & U16_MAX;
}

/**
 * struct sim_klm_pos - position in a list at which the last lookup ended
 * @mkey: key with the list
 * @klm: index of the entry
 * @base: number of bytes described by the entries before @klm
 */
struct sim_klm_pos {
	const struct sim_mkey *mkey;
	u32 klm;
	u64 base;
};

/**
 * struct sim_piece - memory at a position of an indirect key
 * @key: mkey of the memory
 * @va: address within @key
 * @len: number of bytes from @va on that the same entry describes
 */
struct sim_piece {
	u32 key;
	u64 va;
	u64 len;
};

#endif /* MLX5SIM_OBJ_KLM_H */
