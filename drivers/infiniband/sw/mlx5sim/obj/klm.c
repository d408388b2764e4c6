// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Indirect keys: what lies behind a position.
 *
 * The translations of a KLM key are a list of pieces of other keys, which follow
 * one another. Those of a KSM key all have the size of its page. A KLM list may
 * also be a strided pattern: in place of the first entry's key it has an
 * operation that no key has the number of, then so many entries, each a block of
 * bytes and the distance from its start to that of the next one. One lap takes
 * one block of each entry; the whole is so many laps.
 *
 *	struct sim_klm	entry of a list	head of a pattern	block of a pattern
 *	byte_count	bytes		bytes of one lap	distance, bytes
 *	key		key		MLX5_STRIDE_BLOCK_OP	key
 *	va		address		laps, 0, blocks		first address
 *
 * Everything here is pure. A pattern is checked as a whole before it comes into
 * force (sim_klm_check()), a list entry by entry when it is used: the key behind
 * an entry may change in between.
 */
#include <kunit/visibility.h>
#include <linux/math64.h>
#include <linux/mlx5/qp.h>

#include "core/core.h"
#include "obj/klm.h"
#include "obj/obj.h"

static bool sim_is_pattern(const struct sim_klm *klm)
{
	return klm->key == MLX5_STRIDE_BLOCK_OP;
}

/* Is a strided pattern in force in a KLM key? Pure. */
bool sim_klm_pattern(const struct sim_mkey *mkey)
{
	return mkey->mode == SIM_MKEY_KLM && mkey->klm && mkey->xlt_used &&
	       sim_is_pattern(mkey->klm);
}
EXPORT_SYMBOL_IF_KUNIT(sim_klm_pattern);

/**
 * sim_klm_take - read entries as a command or a WQE has them
 * @klm: out
 * @ent: entries
 * @nent: how many
 *
 * Pure.
 */
void sim_klm_take(struct sim_klm *klm, const struct mlx5_klm *ent, u32 nent)
{
	for (; nent; nent--, klm++, ent++) {
		klm->byte_count = be32_to_cpu(ent->bcount);
		klm->key = be32_to_cpu(ent->key);
		klm->va = be64_to_cpu(ent->va);
	}
}
EXPORT_SYMBOL_IF_KUNIT(sim_klm_take);

/* The last byte of the last lap must have an address. */
static bool sim_block_wraps(const struct sim_klm *block, u32 laps)
{
	u64 last = (u64)(laps - 1) * sim_klm_stride(block) + sim_klm_block_len(block) - 1;

	return check_add_overflow(block->va, last, &last);
}

/**
 * sim_klm_check - is a list of entries one that can come into force?
 * @ent: from the first entry on, as a command or a WQE has them
 * @nent: entries there are
 * @why: out: what is wrong
 *
 * Pure. A list is; so is a pattern whose entries are all there and agree with its
 * head, whose blocks do not overlap from lap to lap, and whose addresses do not
 * wrap. Entries behind the last block are padding and may be anything.
 * Return: 0 or -EINVAL.
 */
int sim_klm_check(const struct mlx5_klm *ent, u32 nent, const char **why)
{
	struct sim_klm head, block;
	u32 sum = 0, n;

	if (!nent)
		return 0;
	sim_klm_take(&head, ent, 1);
	if (!sim_is_pattern(&head))
		return 0;
	*why = "pattern without laps or blocks, or with more blocks than entries";
	n = sim_klm_blocks(&head);
	if (!sim_klm_laps(&head) || !n || n >= nent)
		return -EINVAL;
	*why = "reserved field of a pattern";
	if (head.va >> 16 & U16_MAX)
		return -EINVAL;
	while (n--) {
		sim_klm_take(&block, ++ent, 1);
		*why = "blocks of a pattern overlap";
		if (sim_klm_stride(&block) < sim_klm_block_len(&block))
			return -EINVAL;
		*why = "a pattern wraps round the address space";
		if (sim_klm_block_len(&block) && sim_block_wraps(&block, sim_klm_laps(&head)))
			return -EINVAL;
		sum += sim_klm_block_len(&block);	/* of 65535 blocks fits */
	}
	*why = "a lap of a pattern is not what its blocks add up to";
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
 * sim_klm_find - what an indirect key has at a position
 * @mkey: KLM or KSM key
 * @pos: offset from the start of the key
 * @at: in: where the last lookup ended, zeros for the first; out: where this one did
 * @piece: out: key, address, and bytes that are described together
 *
 * Pure. No key may have changed since the lookup that @at comes from.
 *
 * Return: 0, or -ERANGE when the entries end before @pos.
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
