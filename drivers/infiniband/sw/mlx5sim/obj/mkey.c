// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory keys of a device.
 *
 * A key consists of an index, which identifies the object, and a variant byte,
 * which changes with each registration so that the use of a stale key is
 * detected. Each access depends on the state of the object at the time of the
 * access: UMR and invalidate work requests change this state when they execute.
 *
 * Translations are kept in CPU byte order. Their array has the size that
 * CREATE_MKEY requested and is allocated when the first translation is written:
 * drivers keep large pools of keys that are never used.
 *
 * Keys belong to the hardware thread.
 */
#include <linux/mlx5/qp.h>
#include <linux/slab.h>

#include "obj/klm.h"
#include "obj/obj.h"

#define SIM_MTT_ADDR	(~7ULL)	/* the three low bits are flags, not stored */

/**
 * sim_mkey_find() - find a memory key
 * @sdev: simulated function
 * @key: the key
 *
 * Context: hardware thread.
 * Return: the object; NULL when no key has this index, or the variant byte
 * differs.
 */
struct sim_mkey *sim_mkey_find(struct sim_dev *sdev, u32 key)
{
	struct sim_mkey *mkey = sim_obj_find(sdev, SIM_OBJ_MKEY, key >> 8);

	return mkey && mkey->variant == (key & 0xff) ? mkey : NULL;
}

/**
 * sim_mkey_set_mtt() - replace page addresses of a key
 * @mkey: the key
 * @first: index of the first entry to replace
 * @ent: new entries, as in a command or a UMR
 * @nent: number of entries
 *
 * Context: hardware thread.
 * Return:
 * * 0
 * * -ENOSPC: the key has no space for the entries, or is not an MTT key
 * * -ENOMEM
 */
int sim_mkey_set_mtt(struct sim_mkey *mkey, u32 first, const __be64 *ent, u32 nent)
{
	u64 space = (u64)sim_mkey_entries(mkey) * 2;	/* 8 bytes each */
	u32 i;

	if (mkey->mode != SIM_MKEY_MTT || (u64)first + nent > space)
		return -ENOSPC;
	if (!mkey->mtt && nent) {
		mkey->mtt = kvcalloc(space, sizeof(*mkey->mtt), GFP_KERNEL);
		if (!mkey->mtt)
			return -ENOMEM;
	}
	for (i = 0; i < nent; i++)
		mkey->mtt[first + i] = be64_to_cpu(ent[i]) & SIM_MTT_ADDR;
	return 0;
}

/**
 * sim_mkey_set_klm() - replace entries of an indirect key
 * @mkey: the key
 * @first: index of the first entry to replace
 * @ent: new entries, as in a command or a UMR
 * @nent: number of entries
 *
 * Context: hardware thread.
 * Return:
 * * 0
 * * -ENOSPC: the key has no space for the entries, or is not an indirect key
 * * -ENOMEM
 */
int sim_mkey_set_klm(struct sim_mkey *mkey, u32 first, const struct mlx5_klm *ent, u32 nent)
{
	if ((mkey->mode != SIM_MKEY_KLM && mkey->mode != SIM_MKEY_KSM) ||
	    (u64)first + nent > sim_mkey_entries(mkey))
		return -ENOSPC;
	if (!mkey->klm && nent) {
		mkey->klm = kvcalloc(sim_mkey_entries(mkey), sizeof(*mkey->klm), GFP_KERNEL);
		if (!mkey->klm)
			return -ENOMEM;
	}
	sim_klm_decode(mkey->klm + first, ent, nent);
	return 0;
}

/**
 * sim_mkey_invalidate() - free a key, by a local or remote invalidation
 * @mkey: the key, valid or free
 *
 * The rights, length, translations, signatures and encryption that UMRs have
 * set are no longer in force; the next UMR sets them again. PD, QP, start
 * address, page size, the permission of remote invalidation, and the rights of
 * CREATE_MKEY are kept.
 *
 * Unrefereed: U-26.
 *
 * Context: hardware thread.
 */
void sim_mkey_invalidate(struct sim_mkey *mkey)
{
	mkey->free = true;
	mkey->access = mkey->access_made;
	mkey->len = 0;
	mkey->len64 = false;
	mkey->xlt_used = 0;
	mkey->bsf_en = false;
}
