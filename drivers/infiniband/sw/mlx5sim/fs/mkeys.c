// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * debugfs: the memory keys of a device and their translations.
 *
 * Each key has a line, in the order of key numbers; "pci" shows relaxed
 * ordering of writes (w) and reads (r), and ATS (a). A key with signatures then
 * has a line about the signatures, and a key with encryption has a line about
 * the encryption without key material.
 *
 * An indirect key then has a line for each of the first ENTRIES entries, except
 * for entries with a byte count of 0. A strided pattern has a line about the
 * pattern, and a line for each of the first ENTRIES blocks.
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
	seq_printf(m, "start %#llx length %llu entries %u used %u ", mkey->start,
		   mkey->len64 ? U64_MAX : mkey->len, mkey->xlt_octwords, mkey->xlt_used);
	seq_printf(m, "pci %s%s%s\n", mkey->pci & SIM_MKEY_RO_WRITE ? "w" : "-",
		   mkey->pci & SIM_MKEY_RO_READ ? "r" : "-", mkey->pci & SIM_MKEY_ATS ? "a" : "-");
}

static const char * const sig_names[] = {
	[SIM_SIG_NONE]	 = "none",
	[SIM_SIG_T10DIF] = "t10dif",
	[SIM_SIG_CRC32]	 = "crc32",
	[SIM_SIG_CRC32C] = "crc32c",
	[SIM_SIG_CRC64]	 = "crc64",
};

static void sig_show(struct seq_file *m, const struct sim_mkey *mkey)
{
	const struct sim_bsf *bsf = mkey->bsf;

	if (!sim_mkey_signs(mkey))
		return;
	seq_printf(m, "  memory %s/%u psv %u wire %s/%u psv %u check %#x copy %#x errors %u armed %d\n",
		   sig_names[bsf->mem.type], bsf->mem.block, bsf->mem.psv,
		   sig_names[bsf->wire.type], bsf->wire.block, bsf->wire.psv, bsf->check_mask,
		   bsf->copy_mask, mkey->sigerrs, (mkey->sigerrs & 1) != mkey->sigerr_expected);
}

static void crypto_show(struct seq_file *m, const struct sim_mkey *mkey)
{
	const struct sim_crypto *c = mkey->crypto;

	if (c && !sim_mkey_encrypts(mkey))
		seq_puts(m, "  encryption not configured\n");
	else if (c)
		seq_printf(m, "  encryption in %s order %u unit %u dek %#x\n",
			   sim_crypto_encrypts_tx(c) ? "wire" : "memory", c->order, c->unit,
			   c->dek);
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
		sig_show(ctx->m, mkey);
		crypto_show(ctx->m, mkey);
		if (sim_klm_pattern(mkey))
			pattern_show(ctx->m, mkey);
		else if (mkey->klm)
			list_show(ctx->m, mkey);
	}
	return 0;
}

/**
 * sim_mkeys_show() - show the file "mkeys" of a simulated function
 * @m: seq_file whose private member is the simulated function
 * @unused: not used
 *
 * Context: process; the hardware thread reads the keys.
 * Return: 0.
 */
int sim_mkeys_show(struct seq_file *m, void *unused)
{
	struct mkeys_ctx ctx = { .sdev = m->private, .m = m };

	return sim_hw_call(keys_show, &ctx);
}
