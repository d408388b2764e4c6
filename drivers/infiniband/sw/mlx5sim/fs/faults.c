// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * debugfs mlx5sim/<pci>/faults/: files that arm faults, and files that cause a
 * fault at once.
 *
 *  command	"fail OP NTH STATUS", "lie OP NTH STATUS", "delay OP NTH MS",
 *		"hang OP NTH", "clear"; reads list armed and fired faults
 *		(core/fault.c)
 *  interrupt	"drop VECTOR N", "drop any N", "clear"; reads list armed drops
 *		and the number of interrupts dropped
 *  device	"fatal", "stall", "resume"; reads return the power state
 *		(device/power.c)
 *  signature	"spoil NTH BYTE", "clear"; inverts byte BYTE (from 0) of the NTH
 *		transfer (from 1) with a signature to check; reads list the
 *		armed fault and the number of fired faults
 *  umr		"fail NTH SYNDROME", "clear"; the NTH UMR (from 1) completes with
 *		the syndrome (1 to 255, MLX5_CQE_SYNDROME_*) and changes nothing;
 *		reads list the armed fault and the number of fired faults
 *  port	"down" keeps the link down; after "up" the link has the state
 *		of the netdev; reads return "down" or "up"
 *  qp, cq, srq	a number: the object with this number is put in error, as
 *		after a catastrophic error, and raises the event of this error;
 *		-EINVAL for a QP in RESET. qp also accepts "stall N", in any
 *		state of the QP: QP N executes and flushes no WQE until
 *		"resume N"
 *
 * A write is one line. An invalid line returns -EINVAL and has no effect. A
 * simulated function that is not plugged has no faults: writes return -ENODEV.
 * Writes to qp, cq and srq return -ENODEV when the object does not exist, and
 * -EBUSY when the device is stopped. The line is copied in the context of the
 * writer and executed on the hardware thread.
 */
#include <linux/debugfs.h>
#include <linux/mlx5/cq.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/core.h"
#include "device/device.h"
#include "dp/dp.h"
#include "fs/fs.h"
#include "net/net.h"
#include "obj/obj.h"

static_assert(SIM_FAULT_VECTORS == SIM_MAX_VECTORS);

/* ---- a line from user space to the hardware thread ---- */

struct sim_fault_line {
	struct sim_dev *sdev;
	int (*act)(struct sim_dev *sdev, const char *line);
	char text[SIM_FAULT_LINE];
};

static int sim_fault_do(void *arg)
{
	struct sim_fault_line *line = arg;

	if (!line->sdev->present)
		return -ENODEV;
	return line->act(line->sdev, line->text);
}

/*
 * Process context. Copies one line, with or without a newline, and calls the
 * hardware thread to execute it.
 */
static ssize_t sim_fault_write(struct file *file, const char __user *buf, size_t len,
			       int (*act)(struct sim_dev *sdev, const char *line))
{
	struct sim_fault_line line = {
		.sdev = ((struct seq_file *)file->private_data)->private,
		.act = act,
	};
	int ret;

	if (!len || len >= sizeof(line.text))
		return -EINVAL;
	if (copy_from_user(line.text, buf, len))
		return -EFAULT;
	if (strlen(line.text) != len)
		return -EINVAL;
	if (line.text[len - 1] == '\n')
		line.text[len - 1] = 0;
	if (strchr(line.text, '\n'))
		return -EINVAL;
	ret = sim_hw_call(sim_fault_do, &line);
	return ret ?: len;
}

/* A file: reads call _show(), writes pass one line to _name##_line() */
#define SIM_FAULT_FILE(_name, _show)						\
static int _name##_open(struct inode *inode, struct file *file)			\
{										\
	return single_open(file, _show, inode->i_private);			\
}										\
static ssize_t _name##_write(struct file *file, const char __user *buf,		\
			     size_t len, loff_t *pos)				\
{										\
	return sim_fault_write(file, buf, len, _name##_line);			\
}										\
static const struct file_operations _name##_fops = {				\
	.owner		= THIS_MODULE,						\
	.open		= _name##_open,						\
	.read		= seq_read,						\
	.write		= _name##_write,					\
	.llseek		= seq_lseek,						\
	.release	= single_release,					\
}

/* ---- command ---- */

struct sim_faults_copy {
	struct sim_dev *sdev;
	struct sim_faults faults;
};

static int sim_faults_get(void *arg)
{
	struct sim_faults_copy *copy = arg;

	copy->faults = *copy->sdev->faults;
	return 0;
}

/*
 * Returns a copy of the faults, armed and fired, to be freed with kfree(); NULL
 * when out of memory.
 */
static struct sim_faults_copy *sim_faults_read(struct sim_dev *sdev)
{
	struct sim_faults_copy *copy = kmalloc(sizeof(*copy), GFP_KERNEL);

	if (copy) {
		copy->sdev = sdev;
		sim_hw_call(sim_faults_get, copy);
	}
	return copy;
}

static int fault_command_show(struct seq_file *m, void *unused)
{
	struct sim_faults_copy *copy = sim_faults_read(m->private);
	char line[SIM_FAULT_LINE];
	u32 i;

	if (!copy)
		return -ENOMEM;
	for (i = 0; i < copy->faults.n; i++) {
		sim_fault_print(&copy->faults.cmd[i], line, sizeof(line));
		seq_printf(m, "%s\n", line);
	}
	kfree(copy);
	return 0;
}

static int fault_command_line(struct sim_dev *sdev, const char *line)
{
	struct sim_fault_cmd f;
	int ret;

	if (sysfs_streq(line, "clear")) {
		sdev->faults->n = 0;
		return 0;
	}
	ret = sim_fault_parse(line, &f);
	return ret ?: sim_fault_arm(sdev->faults, &f);
}

SIM_FAULT_FILE(fault_command, fault_command_show);

/* ---- interrupt ---- */

static int fault_interrupt_show(struct seq_file *m, void *unused)
{
	struct sim_faults_copy *copy = sim_faults_read(m->private);
	const struct sim_fault_irq *irq;
	u32 i;

	if (!copy)
		return -ENOMEM;
	irq = &copy->faults.irq;
	if (irq->left[SIM_FAULT_VECTORS])
		seq_printf(m, "drop any %u\n", irq->left[SIM_FAULT_VECTORS]);
	for (i = 0; i < SIM_FAULT_VECTORS; i++)
		if (irq->left[i])
			seq_printf(m, "drop %u %u\n", i, irq->left[i]);
	for (i = 0; i < SIM_FAULT_VECTORS; i++)
		if (irq->dropped[i])
			seq_printf(m, "dropped %u %u\n", i, irq->dropped[i]);
	kfree(copy);
	return 0;
}

static int fault_interrupt_line(struct sim_dev *sdev, const char *line)
{
	return sim_fault_irq_write(&sdev->faults->irq, line);
}

SIM_FAULT_FILE(fault_interrupt, fault_interrupt_show);

/* ---- signature ---- */

static int fault_signature_show(struct seq_file *m, void *unused)
{
	struct sim_faults_copy *copy = sim_faults_read(m->private);
	const struct sim_fault_sig *sig;

	if (!copy)
		return -ENOMEM;
	sig = &copy->faults.sig;
	if (sig->left)
		seq_printf(m, "spoil %u %u\n", sig->left, sig->byte);
	seq_printf(m, "fired %u\n", sig->fired);
	kfree(copy);
	return 0;
}

static int fault_signature_line(struct sim_dev *sdev, const char *line)
{
	struct sim_fault_sig *sig = &sdev->faults->sig;
	u32 nth, byte;
	char end;

	if (sysfs_streq(line, "clear")) {
		sig->left = 0;
		return 0;
	}
	if (sscanf(line, "spoil %u %u%c", &nth, &byte, &end) != 2 || !nth)
		return -EINVAL;
	sig->left = nth;
	sig->byte = byte;
	return 0;
}

SIM_FAULT_FILE(fault_signature, fault_signature_show);

/* ---- umr ---- */

static int fault_umr_show(struct seq_file *m, void *unused)
{
	struct sim_faults_copy *copy = sim_faults_read(m->private);
	const struct sim_fault_umr *umr;

	if (!copy)
		return -ENOMEM;
	umr = &copy->faults.umr;
	if (umr->left)
		seq_printf(m, "fail %u %u\n", umr->left, umr->syndrome);
	seq_printf(m, "fired %u\n", umr->fired);
	kfree(copy);
	return 0;
}

static int fault_umr_line(struct sim_dev *sdev, const char *line)
{
	struct sim_fault_umr *umr = &sdev->faults->umr;
	u32 nth, syndrome;
	char end;

	if (sysfs_streq(line, "clear")) {
		umr->left = 0;
		return 0;
	}
	if (sscanf(line, "fail %u %u%c", &nth, &syndrome, &end) != 2 || !nth ||
	    !syndrome || syndrome > U8_MAX)
		return -EINVAL;
	umr->left = nth;
	umr->syndrome = syndrome;
	return 0;
}

SIM_FAULT_FILE(fault_umr, fault_umr_show);

/* ---- device and port ---- */

static int fault_device_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%s\n", sim_power_name(m->private));
	return 0;
}

static int fault_device_line(struct sim_dev *sdev, const char *line)
{
	if (!strcmp(line, "fatal"))
		return sim_power_fatal(sdev);
	if (!strcmp(line, "stall"))
		return sim_power_stall(sdev);
	if (!strcmp(line, "resume"))
		return sim_power_resume(sdev);
	return -EINVAL;
}

SIM_FAULT_FILE(fault_device, fault_device_show);

static int fault_port_show(struct seq_file *m, void *unused)
{
	struct sim_dev *sdev = m->private;

	seq_printf(m, "%s\n", READ_ONCE(sdev->link_down) ? "down" : "up");
	return 0;
}

static int fault_port_line(struct sim_dev *sdev, const char *line)
{
	if (strcmp(line, "down") && strcmp(line, "up"))
		return -EINVAL;
	WRITE_ONCE(sdev->link_down, !strcmp(line, "down"));
	sim_netdev_poll(sdev);
	return 0;
}

SIM_FAULT_FILE(fault_port, fault_port_show);

/* ---- objects ---- */

/* Find the object of a line. Return: the object, or an errno as a pointer. */
static void *sim_fault_obj(struct sim_dev *sdev, enum sim_obj_type type, const char *line)
{
	void *obj;
	u32 id;

	if (kstrtou32(line, 0, &id))
		return ERR_PTR(-EINVAL);
	if (sdev->stopped)
		return ERR_PTR(-EBUSY);
	obj = sim_obj_find(sdev, type, id);
	return obj ?: ERR_PTR(-ENODEV);
}

/* "N", "stall N" or "resume N" */
static int fault_qp_line(struct sim_dev *sdev, const char *line)
{
	bool stall = str_has_prefix(line, "stall "), resume = str_has_prefix(line, "resume ");
	struct sim_qp *qp;

	qp = sim_fault_obj(sdev, SIM_OBJ_QP, stall || resume ? strchr(line, ' ') + 1 : line);
	if (!IS_ERR(qp) && (stall || resume)) {
		sim_qp_stall(qp, stall);
		return 0;
	}
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	if (qp->state == MLX5_QP_STATE_RST)
		return -EINVAL;
	sim_qp_fail(sdev, qp, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
	return 0;
}

static int fault_cq_line(struct sim_dev *sdev, const char *line)
{
	struct sim_cq *cq = sim_fault_obj(sdev, SIM_OBJ_CQ, line);

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	if (!cq->error)
		sim_cq_fail(sdev, cq, MLX5_CQ_ERROR_SYNDROME_CQ_ACCESS_VIOLATION_ERROR);
	return 0;
}

static int fault_srq_line(struct sim_dev *sdev, const char *line)
{
	struct sim_srq *srq = sim_fault_obj(sdev, SIM_OBJ_SRQ, line);

	if (IS_ERR(srq))
		return PTR_ERR(srq);
	if (!srq->error)
		sim_srq_fail(sdev, srq);
	return 0;
}

/* The files qp, cq and srq are write-only. */
static int fault_no_show(struct seq_file *m, void *unused)
{
	return 0;
}

SIM_FAULT_FILE(fault_qp, fault_no_show);
SIM_FAULT_FILE(fault_cq, fault_no_show);
SIM_FAULT_FILE(fault_srq, fault_no_show);

/**
 * sim_fault_debugfs() - create the fault files
 * @sdev: simulated function
 * @parent: debugfs directory of @sdev
 *
 * Context: process; the hardware thread runs.
 */
void sim_fault_debugfs(struct sim_dev *sdev, struct dentry *parent)
{
	struct dentry *dir = debugfs_create_dir("faults", parent);

	debugfs_create_file("command", 0600, dir, sdev, &fault_command_fops);
	debugfs_create_file("interrupt", 0600, dir, sdev, &fault_interrupt_fops);
	debugfs_create_file("signature", 0600, dir, sdev, &fault_signature_fops);
	debugfs_create_file("umr", 0600, dir, sdev, &fault_umr_fops);
	debugfs_create_file("device", 0600, dir, sdev, &fault_device_fops);
	debugfs_create_file("port", 0600, dir, sdev, &fault_port_fops);
	debugfs_create_file("qp", 0200, dir, sdev, &fault_qp_fops);
	debugfs_create_file("cq", 0200, dir, sdev, &fault_cq_fops);
	debugfs_create_file("srq", 0200, dir, sdev, &fault_srq_fops);
}
