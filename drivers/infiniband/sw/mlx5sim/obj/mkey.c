// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory keys as the device keeps them.
 *
 * A key is an index, which names the object, and a variant byte, which changes
 * with each registration so that a stale key is noticed. The state of the object decides
 * about each access: UMR and invalidate work requests change it as they execute.
 *
 * Translations are kept in host order. Their array has the size that
 * CREATE_MKEY asked for and is allocated when the first one is written: drivers
 * keep large pools of keys that never get any.
 *
 * Keys belong to the hardware thread.
 */
#include <linux/mlx5/qp.h>
#include <linux/slab.h>

#include "obj/klm.h"
#include "obj/obj.h"

#define SIM_MTT_ADDR	(~7ULL)	/* the low bits are flags of features not here */

/**
 * sim_mkey_find() - find a memory key
 * @sdev: the function
 * @key: the key
 *
 * Hardware thread.
 *
 * Return: the object, NULL when there is none of this index or its variant byte differs.
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
 * @ent: the new entries, as in a command or a UMR
 * @nent: number of them
 *
 * Hardware thread.
 *
 * Return: 0, -ENOSPC when the key has no space for them or is not an MTT key, or -ENOMEM.
 */
int sim_mkey_set_mtt(struct sim_mkey *mkey, u32 first, const __be64 *ent, u32 nent)
{
	u64 room = (u64)sim_mkey_room(mkey) * 2;	/* 8 bytes each */
	u32 i;

	if (mkey->mode != SIM_MKEY_MTT || (u64)first + nent > room)
		return -ENOSPC;
	if (!mkey->mtt && nent) {
		mkey->mtt = kvcalloc(room, sizeof(*mkey->mtt), GFP_KERNEL);
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
 * @ent: the new entries, as in a command or a UMR
 * @nent: number of them
 *
 * Hardware thread.
 *
 * Return: 0, -ENOSPC when the key has no space for them or is not an indirect key, or -ENOMEM.
 */
int sim_mkey_set_klm(struct sim_mkey *mkey, u32 first, const struct mlx5_klm *ent, u32 nent)
{
	if ((mkey->mode != SIM_MKEY_KLM && mkey->mode != SIM_MKEY_KSM) ||
	    (u64)first + nent > sim_mkey_room(mkey))
		return -ENOSPC;
	if (!mkey->klm && nent) {
		mkey->klm = kvcalloc(sim_mkey_room(mkey), sizeof(*mkey->klm), GFP_KERNEL);
		if (!mkey->klm)
			return -ENOMEM;
	}
	sim_klm_take(mkey->klm + first, ent, nent);
	return 0;
}

/**
 * sim_mkey_invalidate() - free a key, by a local or remote invalidation
 * @mkey: the key; may be free already
 *
 * The configuration that UMRs made is gone: the next one has to set rights and layout
 * again and inherits none. PD, QP, base address, and the rights the key was created with
 * stay, as no configuration contains them.
 */
void sim_mkey_invalidate(struct sim_mkey *mkey)
{
	mkey->free = true;
	mkey->access = mkey->access_made;
	mkey->len = 0;
	mkey->len64 = false;
	mkey->xlt_used = 0;
}
