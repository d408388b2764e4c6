// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the debugfs file "mkeys" of a device.
 *
 * The file has a line of "name value" pairs for each mkey of <rdma/mlx5dv.h>,
 * with attributes as queried from the device. "entries" is the number of
 * entries that the mkey has space for: the device does not report the number of
 * entries in use. "rdma resource show mr" lists MRs.
 */
#include <linux/debugfs.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>

#include "cmd/cmd.h"
#include "dv/dv.h"
#include "dv/mkey.h"

static const char *mode_name(u8 mode)
{
	switch (mode) {
	case MLX5_MKC_ACCESS_MODE_PA:
		return "pa";
	case MLX5_MKC_ACCESS_MODE_MTT:
		return "mtt";
	case MLX5_MKC_ACCESS_MODE_KLMS:
		return "klm";
	case MLX5_MKC_ACCESS_MODE_KSM:
		return "ksm";
	default:
		return "?";
	}
}

static void show_mkc(struct seq_file *m, const void *mkc)
{
	const u8 mode = MLX5_GET(mkc, mkc, access_mode_4_2) << 2 |
			MLX5_GET(mkc, mkc, access_mode_1_0);
	const u32 sig = MLX5_GET(mkc, mkc, bsf_en) ? MLX5_GET(mkc, mkc, bsf_octword_size) : 0;

	seq_printf(m, "pd %u state %s mode %s access %s%s%s%s%s ", MLX5_GET(mkc, mkc, pd),
		   MLX5_GET(mkc, mkc, free) ? "free" : "valid", mode_name(mode),
		   MLX5_GET(mkc, mkc, lr) ? "r" : "-", MLX5_GET(mkc, mkc, lw) ? "w" : "-",
		   MLX5_GET(mkc, mkc, rr) ? "R" : "-", MLX5_GET(mkc, mkc, rw) ? "W" : "-",
		   MLX5_GET(mkc, mkc, a) ? "A" : "-");
	seq_printf(m, "start %#llx length %llu ", MLX5_GET64(mkc, mkc, start_addr),
		   MLX5_GET64(mkc, mkc, len));
	seq_printf(m, "entries %u signature %u\n",
		   MLX5_GET(mkc, mkc, translations_octword_size), sig);
}

static void *mkeys_start(struct seq_file *m, loff_t *pos)
{
	struct ibx_dev *dev = m->private;

	mutex_lock(&dev->mkeys_lock);
	return seq_list_start(&dev->mkeys, *pos);
}

static void *mkeys_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct ibx_dev *dev = m->private;

	return seq_list_next(v, &dev->mkeys, pos);
}

static void mkeys_stop(struct seq_file *m, void *v)
{
	struct ibx_dev *dev = m->private;

	mutex_unlock(&dev->mkeys_lock);
}

static int mkeys_show(struct seq_file *m, void *v)
{
	const struct ibx_mkey *mkey = list_entry(v, struct ibx_mkey, dev_entry);
	u32 mkc[MLX5_ST_SZ_DW(mkc)];
	unsigned int flags;
	int err;

	seq_printf(m, "mkey %#x ", mkey->dv.lkey);
	/*
	 * the allocations of the query must not wait for I/O: I/O may wait for
	 * an mkey, and no mkey can be created while the list is locked
	 */
	flags = memalloc_noio_save();
	err = ibx_cmd_query_mkey(m->private, mkey->key, mkc);
	memalloc_noio_restore(flags);
	if (err)
		seq_printf(m, "error %d\n", err);
	else
		show_mkc(m, mkc);
	return 0;
}

static const struct seq_operations mkeys_sops = {
	.start	= mkeys_start,
	.next	= mkeys_next,
	.stop	= mkeys_stop,
	.show	= mkeys_show,
};
DEFINE_SEQ_ATTRIBUTE(mkeys);

/**
 * ibx_mkeys_show_init() - probe stage: create the file of mkeys
 * @dev: device with a debugfs directory
 *
 * Context: may sleep.
 * Return: 0, also when the file could not be created.
 */
int ibx_mkeys_show_init(struct ibx_dev *dev)
{
	debugfs_create_file("mkeys", 0400, dev->debugfs, dev, &mkeys_fops);
	return 0;
}

/**
 * ibx_mkeys_show_exit() - undo ibx_mkeys_show_init()
 * @dev: device that is being removed
 *
 * Context: may sleep; waits for readers.
 */
void ibx_mkeys_show_exit(struct ibx_dev *dev)
{
	debugfs_lookup_and_remove("mkeys", dev->debugfs);
}
