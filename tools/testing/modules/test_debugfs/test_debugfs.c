// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * test_debugfs: the directory in debugfs through which a shell test drives a test module. Directory
 * and module test_debugfs, prefix test_debugfs_.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "test_debugfs.h"

#define TEST_DEBUGFS_MAX_LINE	256

/**
 * test_debugfs_log() - add to the log of the running case
 * @tdfs: directory of the module that the case is in
 * @fmt: printf format
 *
 * Context: any. Takes the lock of the log.
 */
void test_debugfs_log(struct test_debugfs *tdfs, const char *fmt, ...)
{
	unsigned long flags;
	va_list args;

	va_start(args, fmt);
	spin_lock_irqsave(&tdfs->log_lock, flags);
	tdfs->log_len += vscnprintf(tdfs->log + tdfs->log_len,
				    TEST_DEBUGFS_LOG_SIZE - tdfs->log_len, fmt, args);
	spin_unlock_irqrestore(&tdfs->log_lock, flags);
	va_end(args);
}
EXPORT_SYMBOL_GPL(test_debugfs_log);

static int test_debugfs_find(const struct test_debugfs *tdfs, const char *name)
{
	const char *suite, *nth;
	int i;

	for (i = 0; (nth = tdfs->case_name(i, &suite)); i++)
		if (!strcmp(nth, name))
			return i;
	return -ENOENT;
}

/* runs the case that @line names, and writes NULs into @line */
static int test_debugfs_run(struct test_debugfs *tdfs, char *line)
{
	char *args = strim(line);
	char *name = strsep(&args, " ");
	int nth, ret;

	mutex_lock(&tdfs->lock);
	tdfs->log_len = 0;
	tdfs->log[0] = '\0';
	nth = test_debugfs_find(tdfs, name);
	if (nth < 0) {
		test_debugfs_log(tdfs, "no case %s\n", name);
		ret = nth;
	} else {
		ret = tdfs->run(nth, args ? args : "");
	}
	mutex_unlock(&tdfs->lock);
	return ret;
}

static ssize_t test_debugfs_run_write(struct file *file, const char __user *ubuf, size_t len,
				      loff_t *pos)
{
	char *line;
	int ret;

	if (len > TEST_DEBUGFS_MAX_LINE)
		return -EINVAL;
	line = memdup_user_nul(ubuf, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	ret = test_debugfs_run(file->private_data, line);
	kfree(line);
	return ret < 0 ? ret : len;
}

static const struct file_operations test_debugfs_run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = test_debugfs_run_write,
};

static int test_debugfs_log_show(struct seq_file *s, void *unused)
{
	struct test_debugfs *tdfs = s->private;

	mutex_lock(&tdfs->lock);
	seq_puts(s, tdfs->log);
	mutex_unlock(&tdfs->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(test_debugfs_log);

static int test_debugfs_cases_show(struct seq_file *s, void *unused)
{
	struct test_debugfs *tdfs = s->private;
	const char *suite, *name;
	int i;

	mutex_lock(&tdfs->lock);
	for (i = 0; (name = tdfs->case_name(i, &suite)); i++)
		seq_printf(s, "%s %s\n", suite, name);
	mutex_unlock(&tdfs->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(test_debugfs_cases);

/**
 * test_debugfs_open() - create the files
 * @tdfs: initialised with TEST_DEBUGFS_INIT()
 * @case_name: see struct test_debugfs
 * @run: see struct test_debugfs
 *
 * The last step of the module's init: a case may run before this function
 * returns.
 */
void test_debugfs_open(struct test_debugfs *tdfs,
		       const char *(*case_name)(unsigned int nth, const char **suite),
		       int (*run)(unsigned int nth, char *args))
{
	tdfs->case_name = case_name;
	tdfs->run = run;
	tdfs->dir = debugfs_create_dir(tdfs->name, NULL);
	debugfs_create_file("run", 0200, tdfs->dir, tdfs, &test_debugfs_run_fops);
	debugfs_create_file("log", 0400, tdfs->dir, tdfs, &test_debugfs_log_fops);
	debugfs_create_file("cases", 0400, tdfs->dir, tdfs, &test_debugfs_cases_fops);
}
EXPORT_SYMBOL_GPL(test_debugfs_open);

/**
 * test_debugfs_close() - remove the files
 * @tdfs: directory of the module
 *
 * The first step of the module's exit. Waits for the running case. No case runs after the return.
 */
void test_debugfs_close(struct test_debugfs *tdfs)
{
	debugfs_remove_recursive(tdfs->dir);
}
EXPORT_SYMBOL_GPL(test_debugfs_close);

MODULE_DESCRIPTION("debugfs files of selftest modules");
MODULE_LICENSE("Dual BSD/GPL");
