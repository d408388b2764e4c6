// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibx_test: the module. debugfs ibx_test/run takes "CASE DEVICE DEVICE" and runs
 * that case before write() returns: 0 bytes short of success is an errno, and
 * ibx_test/log then says why. ibx_test/cases lists the names.
 *
 * One mutex is held while a case runs; a device that goes away waits for it,
 * so a case never sees its device die under it.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "ibx_test.h"

#define T_MAX_DEVS	8
#define T_LOG_SIZE	4096

static DEFINE_MUTEX(t_lock);	/* devices, log, the running case */
static struct ib_device *t_devs[T_MAX_DEVS];
static char t_log_buf[T_LOG_SIZE];
static size_t t_log_len;
static struct dentry *t_dir;

/**
 * t_log - add to the log of the running case
 * @fmt: printf format
 *
 * Case context. What does not fit is lost.
 */
void t_log(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	t_log_len += vscnprintf(t_log_buf + t_log_len, T_LOG_SIZE - t_log_len, fmt, args);
	va_end(args);
}

static const struct t_case *t_find_case(const char *name)
{
	const struct t_case *lists[] = { t_key_cases, t_bad_cases, t_post_cases };
	const struct t_case *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		for (c = lists[i]; c->name; c++)
			if (!strcmp(c->name, name))
				return c;
	return NULL;
}

static struct ib_device *t_find_dev(const char *name)
{
	int i;

	for (i = 0; i < T_MAX_DEVS; i++)
		if (t_devs[i] && !strcmp(dev_name(&t_devs[i]->dev), name))
			return t_devs[i];
	return NULL;
}

static int t_run(const struct t_case *c, struct ib_device *a, struct ib_device *b)
{
	struct t_pair *p;
	int ret;

	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	ret = t_pair_create(p, a, b);
	if (ret) {
		t_log("cannot make a pair: %d\n", ret);
		goto free;
	}
	ret = t_pair_connect(p);
	if (ret)
		t_log("cannot connect the pair: %d\n", ret);
	else
		ret = c->run(p);
	t_pair_destroy(p);
free:
	kfree(p);
	return ret;
}

static ssize_t t_run_write(struct file *file, const char __user *ubuf, size_t len, loff_t *pos)
{
	char *buf, *words, *name, *dev_a, *dev_b;
	struct ib_device *a, *b;
	const struct t_case *c;
	int ret = -EINVAL;

	if (len > 256)
		return -EINVAL;
	buf = memdup_user_nul(ubuf, len);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	words = strim(buf);
	name = strsep(&words, " ");
	dev_a = strsep(&words, " ");
	dev_b = strsep(&words, " ");

	mutex_lock(&t_lock);
	t_log_len = 0;
	t_log_buf[0] = '\0';
	if (!dev_b)
		goto unlock;
	c = t_find_case(name);
	a = t_find_dev(dev_a);
	b = t_find_dev(dev_b);
	if (c && a && b)
		ret = t_run(c, a, b);
	else
		t_log("no case %s, or no device %s or %s\n", name, dev_a, dev_b);
unlock:
	mutex_unlock(&t_lock);
	kfree(buf);
	return ret ? ret : len;
}

static const struct file_operations t_run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = t_run_write,
};

static int t_log_show(struct seq_file *s, void *unused)
{
	mutex_lock(&t_lock);
	seq_puts(s, t_log_buf);
	mutex_unlock(&t_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(t_log);

static int t_cases_show(struct seq_file *s, void *unused)
{
	const struct t_case *c;

	for (c = t_key_cases; c->name; c++)
		seq_printf(s, "keys %s\n", c->name);
	for (c = t_bad_cases; c->name; c++)
		seq_printf(s, "badinput %s\n", c->name);
	for (c = t_post_cases; c->name; c++)
		seq_printf(s, "post %s\n", c->name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(t_cases);

static int t_add_one(struct ib_device *dev)
{
	int i, ret = -ENOSPC;

	mutex_lock(&t_lock);
	for (i = 0; i < T_MAX_DEVS; i++) {
		if (t_devs[i])
			continue;
		t_devs[i] = dev;
		ret = 0;
		break;
	}
	mutex_unlock(&t_lock);
	return ret;
}

static void t_remove_one(struct ib_device *dev, void *data)
{
	int i;

	mutex_lock(&t_lock);
	for (i = 0; i < T_MAX_DEVS; i++)
		if (t_devs[i] == dev)
			t_devs[i] = NULL;
	mutex_unlock(&t_lock);
}

static struct ib_client t_client = {
	.name = "ibx_test",
	.add = t_add_one,
	.remove = t_remove_one,
};

static int __init t_init(void)
{
	int ret;

	ret = ib_register_client(&t_client);
	if (ret)
		return ret;
	t_dir = debugfs_create_dir("ibx_test", NULL);
	debugfs_create_file("run", 0200, t_dir, NULL, &t_run_fops);
	debugfs_create_file("log", 0400, t_dir, NULL, &t_log_fops);
	debugfs_create_file("cases", 0400, t_dir, NULL, &t_cases_fops);
	return 0;
}
module_init(t_init);

static void __exit t_exit(void)
{
	debugfs_remove_recursive(t_dir);
	ib_unregister_client(&t_client);
}
module_exit(t_exit);

MODULE_DESCRIPTION("Selftests of RDMA providers on public verbs");
MODULE_LICENSE("Dual BSD/GPL");
