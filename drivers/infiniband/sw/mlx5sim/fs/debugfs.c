// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * debugfs: mlx5sim/devices (the list of simulated functions), mlx5sim/thread
 * (counters of the hardware thread), and one directory per simulated function,
 * whose name is the PCI address. The files in a directory:
 *
 *  counters	"name value" lines (core/stats.h describes the counters)
 *  violations	"total N", one line per class that occurred, then the lines of
 *		the last violations; any write clears the file
 *  ignored	"total N", then the last reserved fields that were set and
 *		ignored; any write clears the file
 *  commands	number of executions of each firmware command
 *  trace	actions of the device, oldest first; any write clears the file
 *  trace_on	0 or 1
 *  info	identity and state
 *  plug	writing any number plugs the simulated function
 *  unplug	writing a number unplugs the simulated function; the bus is
 *		notified that many milliseconds later
 *  objects	number of existing objects by type
 *  mkeys	memory keys and their translations (mkeys.c)
 *  officer	0 deletes import KEK and credential, 1 stores them again
 *  faults/	errors that the device produces on request (faults.c)
 *
 * The directories exist from load to unload, whether the simulated function is
 * plugged or not. Counters and other single values are read in the context of
 * the reader. Lists and tables of the hardware thread are read on that thread.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "cmd/cmd.h"
#include "core/core.h"
#include "device/device.h"
#include "fs/fs.h"
#include "host/host.h"
#include "net/net.h"
#include "obj/obj.h"

static struct dentry *sim_debugfs_root;

/* ---- counters ---- */

static int counters_show(struct seq_file *m, void *unused)
{
	struct sim_dev *sdev = m->private;
	u64 netdev_tx, netdev_rx;
	int i;

	sim_netdev_stats(sdev, &netdev_tx, &netdev_rx);
	for (i = 0; i < SIM_CTR_MAX; i++) {
		u64 val = READ_ONCE(sdev->ctr[i]);

		if (i == SIM_CTR_netdev_tx)
			val = netdev_tx;
		else if (i == SIM_CTR_netdev_rx)
			val = netdev_rx;
		seq_printf(m, "%s %llu\n", sim_counter_name(i), val);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

/* ---- violations ---- */

static int violations_show(struct seq_file *m, void *unused)
{
	struct sim_dev *sdev = m->private;
	struct sim_vio_log *log;
	unsigned long flags;
	u64 i;

	log = kvmalloc(sizeof(*log), GFP_KERNEL);
	if (!log)
		return -ENOMEM;
	spin_lock_irqsave(&sdev->vio.lock, flags);
	log->total = sdev->vio.total;
	memcpy(log->count, sdev->vio.count, sizeof(log->count));
	memcpy(log->vio, sdev->vio.vio, sizeof(log->vio));
	memcpy(log->line, sdev->vio.line, sizeof(log->line));
	spin_unlock_irqrestore(&sdev->vio.lock, flags);

	seq_printf(m, "total %llu\n", log->total);
	for (i = 0; i < SIM_VIO_MAX; i++)
		if (log->count[i])
			seq_printf(m, "%s %llu\n", sim_vio_name(i), log->count[i]);
	for (i = log->total > SIM_VIO_LINES ? log->total - SIM_VIO_LINES : 0; i < log->total; i++)
		seq_printf(m, "  %s: %s\n", sim_vio_name(log->vio[i % SIM_VIO_LINES]),
			   log->line[i % SIM_VIO_LINES]);
	kvfree(log);
	return 0;
}

static int violations_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, violations_show, inode->i_private,
				(SIM_VIO_LINES + SIM_VIO_MAX) * (SIM_TRACE_LEN + 32));
}

static ssize_t violations_write(struct file *file, const char __user *buf, size_t len,
				loff_t *pos)
{
	struct sim_dev *sdev = ((struct seq_file *)file->private_data)->private;
	unsigned long flags;

	spin_lock_irqsave(&sdev->vio.lock, flags);
	sdev->vio.total = 0;
	memset(sdev->vio.count, 0, sizeof(sdev->vio.count));
	spin_unlock_irqrestore(&sdev->vio.lock, flags);
	return len;
}

static const struct file_operations violations_fops = {
	.owner		= THIS_MODULE,
	.open		= violations_open,
	.read		= seq_read,
	.write		= violations_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* ---- ignored ---- */

struct sim_ignored_copy {
	struct sim_dev *sdev;
	struct sim_ignored_log log;
};

static int sim_ignored_get(void *arg)
{
	struct sim_ignored_copy *copy = arg;

	copy->log = copy->sdev->ignored;
	return 0;
}

static int ignored_show(struct seq_file *m, void *unused)
{
	struct sim_ignored_copy *copy = kvmalloc(sizeof(*copy), GFP_KERNEL);
	u64 i;

	if (!copy)
		return -ENOMEM;
	copy->sdev = m->private;
	sim_hw_call(sim_ignored_get, copy);
	seq_printf(m, "total %llu\n", copy->log.total);
	for (i = copy->log.total - min_t(u64, copy->log.total, SIM_IGNORED_LINES);
	     i < copy->log.total; i++)
		seq_printf(m, "  %s\n", copy->log.line[i % SIM_IGNORED_LINES]);
	kvfree(copy);
	return 0;
}

static int ignored_open(struct inode *inode, struct file *file)
{
	return single_open(file, ignored_show, inode->i_private);
}

static int sim_ignored_clear(void *arg)
{
	struct sim_dev *sdev = arg;

	sdev->ignored.total = 0;
	return 0;
}

static ssize_t ignored_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct sim_dev *sdev = ((struct seq_file *)file->private_data)->private;

	sim_hw_call(sim_ignored_clear, sdev);
	return len;
}

static const struct file_operations ignored_fops = {
	.owner		= THIS_MODULE,
	.open		= ignored_open,
	.read		= seq_read,
	.write		= ignored_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* ---- commands ---- */

static int commands_show(struct seq_file *m, void *unused)
{
	struct sim_dev *sdev = m->private;
	const struct sim_cmd_desc *desc;
	int i;

	for (i = 0; i < ARRAY_SIZE(sdev->cmd_count); i++) {
		u64 n = READ_ONCE(sdev->cmd_count[i]);

		if (!n)
			continue;
		desc = sim_cmd_find(i);
		seq_printf(m, "%#05x %s %llu\n", i, desc ? desc->name : "-", n);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(commands);

/* ---- trace ---- */

struct sim_trace_copy {
	struct sim_dev *sdev;
	u64 head;
	char (*line)[SIM_TRACE_LEN];
};

static int sim_trace_get(void *arg)
{
	struct sim_trace_copy *copy = arg;
	struct sim_trace_ring *trace = &copy->sdev->trace;

	copy->head = trace->line ? trace->head : 0;
	if (copy->head)
		memcpy(copy->line, trace->line, SIM_TRACE_LINES * SIM_TRACE_LEN);
	return 0;
}

static int trace_show(struct seq_file *m, void *unused)
{
	struct sim_trace_copy copy = { .sdev = m->private };
	u64 i;

	copy.line = kvmalloc_array(SIM_TRACE_LINES, SIM_TRACE_LEN, GFP_KERNEL);
	if (!copy.line)
		return -ENOMEM;
	sim_hw_call(sim_trace_get, &copy);
	for (i = copy.head > SIM_TRACE_LINES ? copy.head - SIM_TRACE_LINES : 0; i < copy.head; i++)
		seq_printf(m, "%s\n", copy.line[i % SIM_TRACE_LINES]);
	kvfree(copy.line);
	return 0;
}

static int trace_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, trace_show, inode->i_private,
				SIM_TRACE_LINES * SIM_TRACE_LEN);
}

static int sim_trace_clear(void *arg)
{
	struct sim_dev *sdev = arg;

	sdev->trace.head = 0;
	return 0;
}

static ssize_t trace_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct sim_dev *sdev = ((struct seq_file *)file->private_data)->private;

	sim_hw_call(sim_trace_clear, sdev);
	return len;
}

static const struct file_operations trace_fops = {
	.owner		= THIS_MODULE,
	.open		= trace_open,
	.read		= seq_read,
	.write		= trace_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int sim_trace_start(void *arg)
{
	struct sim_dev *sdev = arg;
	struct sim_trace_ring *trace = &sdev->trace;

	if (!trace->line)
		trace->line = kvmalloc_array(SIM_TRACE_LINES, SIM_TRACE_LEN, GFP_KERNEL);
	if (!trace->line)
		return -ENOMEM;
	trace->on = true;
	return 0;
}

static int sim_trace_stop(void *arg)
{
	struct sim_dev *sdev = arg;

	sdev->trace.on = false;
	return 0;
}

static int trace_on_get(void *data, u64 *val)
{
	struct sim_dev *sdev = data;

	*val = READ_ONCE(sdev->trace.on);
	return 0;
}

static int trace_on_set(void *data, u64 val)
{
	if (val > 1)
		return -EINVAL;
	return sim_hw_call(val ? sim_trace_start : sim_trace_stop, data);
}
DEFINE_DEBUGFS_ATTRIBUTE(trace_on_fops, trace_on_get, trace_on_set, "%llu\n");

/* ---- info and objects ---- */

/* Pages of the host, and the DMA mappings that do not belong to these pages */
struct sim_info_pages {
	struct sim_dev *sdev;
	u32 n;
	u32 used;
	long other;
};

static int sim_info_pages(void *arg)
{
	struct sim_info_pages *pages = arg;

	pages->n = sim_pages_count(pages->sdev);
	pages->used = sim_pages_needed(pages->sdev);
	pages->other = sim_strict_dma ? sim_dma_count(pages->sdev) - pages->n : 0;
	return 0;
}

static int info_show(struct seq_file *m, void *unused)
{
	struct sim_info_pages pages = { .sdev = m->private };
	struct sim_dev *sdev = m->private;
	phys_addr_t bar = sim_bar_phys(sdev);
	char name[32];

	seq_printf(m, "index %d\n", sdev->index);
	seq_printf(m, "pci %s\n", sim_pci_name(sdev, name, sizeof(name)));
	seq_printf(m, "model %s\n", sim_model()->name);
	seq_printf(m, "bar %pa\n", &bar);
	seq_printf(m, "mac %pM\n", sdev->mac);
	seq_printf(m, "node_guid %016llx\n", sdev->node_guid);
	seq_printf(m, "strict_dma %d\n", sim_strict_dma);
	seq_printf(m, "present %d\n", READ_ONCE(sdev->present));
	seq_printf(m, "device %s\n", sim_power_name(sdev));
	seq_printf(m, "hca_enabled %d\n", READ_ONCE(sdev->hca_enabled));
	seq_printf(m, "hca_inited %d\n", READ_ONCE(sdev->hca_inited));
	seq_printf(m, "roce_enabled %d\n", READ_ONCE(sdev->roce_enabled));
	seq_printf(m, "port_up %d\n", READ_ONCE(sdev->port_up));
	seq_printf(m, "mtu %u\n", sim_netdev_mtu(sdev));
	sim_hw_call(sim_info_pages, &pages);
	seq_printf(m, "pages %u\n", pages.n);
	seq_printf(m, "pages_used %u\n", pages.used);
	seq_printf(m, "dma_mappings %ld\n", pages.other);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(info);

static const char * const sim_obj_names[SIM_OBJ_MAX] = {
	[SIM_OBJ_UAR]	= "uar",
	[SIM_OBJ_PD]	= "pd",
	[SIM_OBJ_TD]	= "td",
	[SIM_OBJ_XRCD]	= "xrcd",
	[SIM_OBJ_UCTX]	= "uctx",
	[SIM_OBJ_EQ]	= "eq",
	[SIM_OBJ_CQ]	= "cq",
	[SIM_OBJ_MKEY]	= "mkey",
	[SIM_OBJ_SRQ]	= "srq",
	[SIM_OBJ_QSET]	= "q_counter",
	[SIM_OBJ_QP]	= "qp",
	[SIM_OBJ_DCT]	= "dct",
	[SIM_OBJ_PSV]	= "psv",
	[SIM_OBJ_UMEM]	= "umem",
	[SIM_OBJ_DEK]	= "dek",
	[SIM_OBJ_LOGIN]	= "crypto_login",
	[SIM_OBJ_FLOW_COUNTER] = "flow_counter",
	[SIM_OBJ_MCG]	= "mcg",
};

struct sim_obj_tally {
	struct sim_dev *sdev;
	u32 count[SIM_OBJ_MAX];
};

static int sim_obj_tally(void *arg)
{
	struct sim_obj_tally *tally = arg;
	int i;

	for (i = 0; i < SIM_OBJ_MAX; i++)
		tally->count[i] = sim_obj_count(tally->sdev, i);
	return 0;
}

static int objects_show(struct seq_file *m, void *unused)
{
	struct sim_obj_tally tally = { .sdev = m->private };
	int i;

	sim_hw_call(sim_obj_tally, &tally);
	for (i = 0; i < SIM_OBJ_MAX; i++)
		seq_printf(m, "%s %u\n", sim_obj_names[i], tally.count[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(objects);

DEFINE_SHOW_ATTRIBUTE(sim_mkeys);

/* ---- the crypto officer ---- */

static int officer_get(void *data, u64 *val)
{
	struct sim_dev *sdev = data;

	*val = !READ_ONCE(sdev->officer.deleted);
	return 0;
}

static int officer_set(void *data, u64 val)
{
	if (val > 1)
		return -EINVAL;
	return sim_hw_call(val ? sim_officer_store : sim_officer_delete, data);
}
DEFINE_DEBUGFS_ATTRIBUTE(officer_fops, officer_get, officer_set, "%llu\n");

/* ---- plug and unplug ---- */

static int plug_set(void *data, u64 val)
{
	return sim_plug(data);
}
DEFINE_DEBUGFS_ATTRIBUTE(plug_fops, NULL, plug_set, "%llu\n");

#define SIM_UNPLUG_MAX_MS	60000

static int unplug_set(void *data, u64 val)
{
	return val > SIM_UNPLUG_MAX_MS ? -EINVAL : sim_unplug(data, val);
}
DEFINE_DEBUGFS_ATTRIBUTE(unplug_fops, NULL, unplug_set, "%llu\n");

/* ---- the tree ---- */

static int devices_show(struct seq_file *m, void *unused)
{
	struct net_device *dev;
	struct sim_dev *sdev;
	char name[32];
	int i;

	for (i = 0; i < sim_num_devs(); i++) {
		sdev = sim_get_dev(i);
		dev = sim_netdev_get(sdev);
		seq_printf(m, "%d %s %s %s\n", i, sim_pci_name(sdev, name, sizeof(name)),
			   READ_ONCE(sdev->present) ? "present" : "absent",
			   dev ? netdev_name(dev) : "-");
		dev_put(dev);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(devices);

static int thread_show(struct seq_file *m, void *unused)
{
	struct sim_hw_stats stats;

	sim_hw_get_stats(&stats);
	seq_printf(m, "sleeps %llu\nlongest_sleep_us %llu\nlongest_gap_us %llu\n", stats.sleeps,
		   stats.longest_sleep / NSEC_PER_USEC, stats.longest_gap / NSEC_PER_USEC);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(thread);

static void sim_debugfs_add(struct sim_dev *sdev)
{
	struct dentry *dir;
	char name[32];

	dir = debugfs_create_dir(sim_pci_name(sdev, name, sizeof(name)), sim_debugfs_root);
	sdev->debugfs = dir;
	debugfs_create_file("counters", 0444, dir, sdev, &counters_fops);
	debugfs_create_file("violations", 0644, dir, sdev, &violations_fops);
	debugfs_create_file("ignored", 0644, dir, sdev, &ignored_fops);
	debugfs_create_file("commands", 0444, dir, sdev, &commands_fops);
	debugfs_create_file("trace", 0644, dir, sdev, &trace_fops);
	debugfs_create_file_unsafe("trace_on", 0644, dir, sdev, &trace_on_fops);
	debugfs_create_file_unsafe("plug", 0200, dir, sdev, &plug_fops);
	debugfs_create_file_unsafe("unplug", 0200, dir, sdev, &unplug_fops);
	debugfs_create_file("info", 0444, dir, sdev, &info_fops);
	debugfs_create_file("objects", 0444, dir, sdev, &objects_fops);
	debugfs_create_file_unsafe("officer", 0644, dir, sdev, &officer_fops);
	debugfs_create_file("mkeys", 0400, dir, sdev, &sim_mkeys_fops);
	sim_fault_debugfs(sdev, dir);
}

/**
 * sim_debugfs_init() - create all debugfs files
 *
 * Context: process; the hardware thread runs.
 * Return: 0; a kernel without debugfs has no files.
 */
int sim_debugfs_init(void)
{
	int i;

	sim_debugfs_root = debugfs_create_dir(SIM_NAME, NULL);
	debugfs_create_file("devices", 0444, sim_debugfs_root, NULL, &devices_fops);
	debugfs_create_file("thread", 0444, sim_debugfs_root, NULL, &thread_fops);
	for (i = 0; i < sim_num_devs(); i++)
		sim_debugfs_add(sim_get_dev(i));
	return 0;
}

/**
 * sim_debugfs_exit() - remove all debugfs files
 *
 * Context: process; waits for readers.
 */
void sim_debugfs_exit(void)
{
	debugfs_remove_recursive(sim_debugfs_root);
}
