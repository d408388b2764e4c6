// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * test_front: the debugfs front end that the test modules share.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "test_debugfs.h"

#define FRONT_MAX_LINE	256

/**
 * front_log - add to the log of the running case
 * @front: the front end
 * @fmt: printf format
 *
 * Any context.
 */
void front_log(struct front *front, const char *fmt, ...)
{
	unsigned long flags;
	va_list args;

	va_start(args, fmt);
	spin_lock_irqsave(&front->log_lock, flags);
	front->log_len += vscnprintf(front->log + front->log_len, FRONT_LOG_SIZE - front->log_len,
				     fmt, args);
	spin_unlock_irqrestore(&front->log_lock, flags);
	va_end(args);
}
EXPORT_SYMBOL_GPL(front_log);

static int front_find(const struct front *front, const char *name)
{
	const char *nth;
	int i;

	for (i = 0; (nth = front->case_name(i)); i++)
		if (!strcmp(nth, name))
			return i;
	return -ENOENT;
}

/* the line is consumed */
static int front_run(struct front *front, char *line)
{
	char *args = strim(line);
	char *name = strsep(&args, " ");
	int nth, ret;

	mutex_lock(&front->lock);
	front->log_len = 0;
	front->log[0] = '\0';
	nth = front_find(front, name);
	if (nth < 0) {
		front_log(front, "no case %s\n", name);
		ret = nth;
	} else {
		ret = front->run(nth, args ? args : "");
	}
	mutex_unlock(&front->lock);
	return ret;
}

static ssize_t front_run_write(struct file *file, const char __user *ubuf, size_t len, loff_t *pos)
{
	char *line;
	int ret;

	if (len > FRONT_MAX_LINE)
		return -EINVAL;
	line = memdup_user_nul(ubuf, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	ret = front_run(file->private_data, line);
	kfree(line);
	return ret < 0 ? ret : len;
}

static const struct file_operations front_run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = front_run_write,
};

static int front_log_show(struct seq_file *s, void *unused)
{
	struct front *front = s->private;

	mutex_lock(&front->lock);
	seq_puts(s, front->log);
	mutex_unlock(&front->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(front_log);

static int front_cases_show(struct seq_file *s, void *unused)
{
	const struct front *front = s->private;
	const char *name;
	int i;

	for (i = 0; (name = front->case_name(i)); i++)
		seq_printf(s, "%s\n", name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(front_cases);

/**
 * front_open - make the files
 * @front: made with FRONT_INIT()
 *
 * Last in the module's init: cases may run at once.
 */
void front_open(struct front *front)
{
	front->dir = debugfs_create_dir(front->name, NULL);
	debugfs_create_file("run", 0200, front->dir, front, &front_run_fops);
	debugfs_create_file("log", 0400, front->dir, front, &front_log_fops);
	debugfs_create_file("cases", 0400, front->dir, front, &front_cases_fops);
}
EXPORT_SYMBOL_GPL(front_open);

/**
 * front_close - remove the files
 * @front: the front end
 *
 * First in the module's exit: waits for the case that runs, none runs after it.
 */
void front_close(struct front *front)
{
	debugfs_remove_recursive(front->dir);
}
EXPORT_SYMBOL_GPL(front_close);

MODULE_DESCRIPTION("Front end of selftest modules");
MODULE_LICENSE("Dual BSD/GPL");
