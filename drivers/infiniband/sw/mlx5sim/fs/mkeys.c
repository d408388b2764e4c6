// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * debugfs: what memory keys are and what they lead to, as the device has it.
 *
 * A line per key, in the order of their numbers; below it what an indirect key has, a line per
 * entry, or per block of a pattern, the first ENTRIES of them.
 */
#include <linux/seq_file.h>

#include "core/core.h"
#include "fs/fs.h"
#include "obj/klm.h"
#include "obj/obj.h"

#define ENTRIES		64

static const char * const mode_names[] = {
	[SIM_MKEY_PA]	= "pa",
	[SIM_MKEY_MTT]	= "mtt",
	[SIM_MKEY_KLM]	= "klm",
	[SIM_MKEY_KSM]	= "ksm",
};

static void key_show(struct seq_file *m, const struct sim_mkey *mkey)
{
	seq_printf(m, "mkey %#x pd %u state %s mode %s access %s%s%s%s%s ",
		   mkey->obj.id << 8 | mkey->variant, mkey->pdn, mkey->free ? "free" : "valid",
		   mode_names[mkey->mode], mkey->access & SIM_MKEY_LR ? "r" : "-",
		   mkey->access & SIM_MKEY_LW ? "w" : "-", mkey->access & SIM_MKEY_RR ? "R" : "-",
		   mkey->access & SIM_MKEY_RW ? "W" : "-", mkey->access & SIM_MKEY_A ? "A" : "-");
	seq_printf(m, "start %#llx length %llu entries %u used %u\n", mkey->start,
		   mkey->len64 ? U64_MAX : mkey->len, mkey->xlt_octwords, mkey->xlt_used);
}

static void list_show(struct seq_file *m, const struct sim_mkey *mkey)
{
	const struct sim_klm *klm = mkey->klm;
	u32 i, n = min_t(u32, mkey->xlt_used, ENTRIES);

	for (i = 0; i < n; i++, klm++)
		if (klm->byte_count)
			seq_printf(m, "  key %#x address %#llx bytes %u\n", klm->key, klm->va,
				   klm->byte_count);
}

static void pattern_show(struct seq_file *m, const struct sim_mkey *mkey)
{
	const struct sim_klm *head = mkey->klm, *block = head + 1;
	u32 i, n = min_t(u32, sim_klm_blocks(head), ENTRIES);

	seq_printf(m, "  laps %u blocks %u bytes %u\n", sim_klm_laps(head),
		   sim_klm_blocks(head), head->byte_count);
	for (i = 0; i < n; i++, block++)
		seq_printf(m, "  key %#x address %#llx bytes %u every %u\n", block->key,
			   block->va, sim_klm_block_len(block), sim_klm_stride(block));
}

struct mkeys_ctx {
	struct sim_dev *sdev;
	struct seq_file *m;
};

static int keys_show(void *arg)
{
	struct mkeys_ctx *ctx = arg;
	const struct sim_mkey *mkey;
	struct sim_obj *obj;
	unsigned long id;

	if (!ctx->sdev->objs)
		return 0;
	xa_for_each(&ctx->sdev->objs->xa[SIM_OBJ_MKEY], id, obj) {
		mkey = container_of(obj, struct sim_mkey, obj);
		key_show(ctx->m, mkey);
		if (sim_klm_pattern(mkey))
			pattern_show(ctx->m, mkey);
		else if (mkey->klm)
			list_show(ctx->m, mkey);
	}
	return 0;
}

/**
 * sim_mkeys_show - what the file "mkeys" of a function has
 * @m: the file; private is the function
 * @unused: none
 *
 * Process context. Runs on the hardware thread, to which keys belong.
 *
 * Return: 0.
 */
int sim_mkeys_show(struct seq_file *m, void *unused)
{
	struct mkeys_ctx ctx = { .sdev = m->private, .m = m };

	return sim_hw_call(keys_show, &ctx);
}
