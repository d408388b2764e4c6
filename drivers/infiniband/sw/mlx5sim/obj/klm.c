// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Indirect keys: from a position in a key to the key and address of its memory.
 *
 * The translations of a KLM key are a list of pieces of other keys, one after
 * the other. In a KSM key, the length of each piece is the page size of the
 * key. A KLM list may also be a strided pattern. The first entry of a pattern,
 * the head, contains an operation instead of a key; no key has the number of
 * the operation. Each entry after the head describes a block: the length of the
 * block, and the stride from the start of the block to its start in the next
 * lap. A lap consists of one block of each entry. The head contains the number
 * of laps and the number of blocks in each lap.
 *
 *	struct sim_klm	entry of a list	head of a pattern	block of a pattern
 *	byte_count	bytes		bytes of one lap	stride, bytes
 *	key		key		MLX5_STRIDE_BLOCK_OP	key
 *	va		address		laps, 0, blocks		first address
 *
 * All functions in this file depend on their arguments only. A pattern is
 * checked completely before it comes into force (sim_klm_check()). Before a
 * list comes into force, only the lengths of its entries are checked: an entry
 * has at most 2^31 bytes. Key and address of an entry are checked when the
 * entry is used, since the key may change until then.
 */
#include <kunit/visibility.h>
#include <linux/math64.h>
#include <linux/mlx5/qp.h>
#include <linux/sizes.h>

#include "core/core.h"
#include "obj/klm.h"
#include "obj/obj.h"

static bool sim_is_pattern(const struct sim_klm *klm)
{
	return klm->key == MLX5_STRIDE_BLOCK_OP;
}

/**
 * sim_klm_pattern() - check whether a key has a strided pattern in force
 * @mkey: the key
 *
 * Return: true if the entries in use are a strided pattern.
 */
bool sim_klm_pattern(const struct sim_mkey *mkey)
{
	return mkey->mode == SIM_MKEY_KLM && mkey->klm && mkey->xlt_used &&
	       sim_is_pattern(mkey->klm);
}
EXPORT_SYMBOL_IF_KUNIT(sim_klm_pattern);

/**
 * sim_klm_decode() - convert entries of a command or a WQE to CPU byte order
 * @klm: filled in
 * @ent: entries, as in a command or a WQE
 * @nent: number of entries
 */
void sim_klm_decode(struct sim_klm *klm, const struct mlx5_klm *ent, u32 nent)
{
	for (; nent; nent--, klm++, ent++) {
		klm->byte_count = be32_to_cpu(ent->bcount);
		klm->key = be32_to_cpu(ent->key);
		klm->va = be64_to_cpu(ent->va);
	}
}
EXPORT_SYMBOL_IF_KUNIT(sim_klm_decode);

/* Does the address of the last byte of the last lap wrap? */
static bool sim_block_wraps(const struct sim_klm *block, u32 laps)
{
	u64 last = (u64)(laps - 1) * sim_klm_stride(block) + sim_klm_block_len(block) - 1;

	return check_add_overflow(block->va, last, &last);
}

/**
 * sim_klm_check_list() - check entries of a list before they come into force
 * @ent: entries, as in a command or a WQE
 * @nent: number of entries
 * @why: set to the reason of an error
 *
 * libmlx5 binds windows of up to 2^31 bytes with one entry each, "because KLM
 * support only 2GB". mlx5_core limits DMA segments, for each of which mlx5_ib
 * writes an entry, to the same length.
 *
 * Return: 0; -EINVAL when an entry has more than 2^31 bytes.
 */
int sim_klm_check_list(const struct mlx5_klm *ent, u32 nent, const char **why)
{
	for (; nent; nent--, ent++) {
		if (be32_to_cpu(ent->bcount) <= SZ_2G)
			continue;
		*why = "entry of more than 2^31 bytes";
		return -EINVAL;
	}
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(sim_klm_check_list);

/**
 * sim_klm_check() - check new entries of a KLM key
 * @ent: entries from the first on, as in a command or a WQE
 * @nent: number of entries
 * @why: set to the reason of an error
 *
 * A list is valid if no entry has more than 2^31 bytes. A pattern is valid if
 * all its entries are present and agree with the head, its blocks do not
 * overlap from lap to lap, and its addresses do not wrap. Entries after the
 * last block are padding and are not checked. The reserved field of the head is
 * not checked because mlx5_ib does not clear it for IB_WR_REG_MR_INTEGRITY.
 *
 * Unrefereed: U-29, U-37.
 *
 * Return: 0; -EINVAL for an invalid list or pattern.
 */
int sim_klm_check(const struct mlx5_klm *ent, u32 nent, const char **why)
{
	struct sim_klm head, block;
	u32 sum = 0, n;

	if (!nent)
		return 0;
	sim_klm_decode(&head, ent, 1);
	if (!sim_is_pattern(&head))
		return sim_klm_check_list(ent, nent, why);
	*why = "pattern without laps or blocks, or with more blocks than entries";
	n = sim_klm_blocks(&head);
	if (!sim_klm_laps(&head) || !n || n >= nent)
		return -EINVAL;
	while (n--) {
		sim_klm_decode(&block, ++ent, 1);
		*why = "blocks of a pattern overlap";
		if (sim_klm_stride(&block) < sim_klm_block_len(&block))
			return -EINVAL;
		*why = "a pattern wraps round the address space";
		if (sim_klm_block_len(&block) && sim_block_wraps(&block, sim_klm_laps(&head)))
			return -EINVAL;
		sum += sim_klm_block_len(&block);	/* stays below 2^32 */
	}
	*why = "length of a lap is not the sum of its blocks";
	return sum && sum == head.byte_count ? 0 : -EINVAL;
}
EXPORT_SYMBOL_IF_KUNIT(sim_klm_check);

static int sim_pattern_find(const struct sim_mkey *mkey, u64 pos, struct sim_piece *piece)
{
	const struct sim_klm *head = mkey->klm, *block = head + 1;
	u32 n = sim_klm_blocks(head), in_lap;
	u64 lap;

	if (!head->byte_count || n >= mkey->xlt_used)
		return -ERANGE;
	lap = div_u64_rem(pos, head->byte_count, &in_lap);
	if (lap >= sim_klm_laps(head))
		return -ERANGE;
	for (; n; n--, block++) {
		if (in_lap < sim_klm_block_len(block)) {
			piece->key = block->key;
			piece->va = block->va + lap * sim_klm_stride(block) + in_lap;
			piece->len = sim_klm_block_len(block) - in_lap;
			return 0;
		}
		in_lap -= sim_klm_block_len(block);
	}
	return -ERANGE;
}

static int sim_ksm_find(const struct sim_mkey *mkey, u64 pos, struct sim_piece *piece)
{
	u64 size = BIT_ULL(mkey->log_page_size);
	const struct sim_klm *klm;

	if (mkey->log_page_size > 31 || pos >> mkey->log_page_size >= mkey->xlt_used)
		return -ERANGE;
	klm = &mkey->klm[pos >> mkey->log_page_size];
	piece->key = klm->key;
	piece->len = size - (pos & (size - 1));
	return check_add_overflow(klm->va, pos & (size - 1), &piece->va) ? -ERANGE : 0;
}

static int sim_list_find(const struct sim_mkey *mkey, u64 pos, struct sim_klm_pos *at,
			 struct sim_piece *piece)
{
	const struct sim_klm *klm;

	if (at->mkey != mkey || pos < at->base)
		*at = (struct sim_klm_pos) { .mkey = mkey };
	for (; at->klm < mkey->xlt_used; at->klm++) {
		klm = &mkey->klm[at->klm];
		if (pos - at->base < klm->byte_count) {
			piece->key = klm->key;
			piece->len = klm->byte_count - (pos - at->base);
			return check_add_overflow(klm->va, pos - at->base, &piece->va) ?
			       -ERANGE : 0;
		}
		at->base += klm->byte_count;
	}
	at->mkey = NULL;
	return -ERANGE;
}

/**
 * sim_klm_find() - find the memory at a position of an indirect key
 * @mkey: KLM or KSM key
 * @pos: bytes from the start of the key
 * @at: in: end of the previous lookup, zeros for the first lookup; out: end of
 *	the lookup
 * @piece: set to key and address of the memory, and the number of bytes from
 *	the address to the end of the entry
 *
 * No key may have changed since the lookup that @at comes from.
 *
 * Return: 0; -ERANGE when the entries end before @pos, or the address in the
 * entry wraps.
 */
int sim_klm_find(const struct sim_mkey *mkey, u64 pos, struct sim_klm_pos *at,
		 struct sim_piece *piece)
{
	if (!mkey->klm || !mkey->xlt_used)
		return -ERANGE;
	if (mkey->mode == SIM_MKEY_KSM)
		return sim_ksm_find(mkey, pos, piece);
	if (sim_klm_pattern(mkey))
		return sim_pattern_find(mkey, pos, piece);
	return sim_list_find(mkey, pos, at, piece);
}
EXPORT_SYMBOL_IF_KUNIT(sim_klm_find);
