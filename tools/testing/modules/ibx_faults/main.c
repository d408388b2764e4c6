// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibx_faults: the module. debugfs ibx_faults/run takes
 *
 *	hold DEVICE		create the objects that the operations need
 *	OPERATION NTH		run an operation, then destroy all objects that it created
 *	keep OPERATION NTH	run an operation, and keep its objects unless it fails
 *	drop NTH		destroy the objects of "keep"
 *	release			undo hold
 *	bind PCI DRIVER NTH	bind a driver to the RDMA part of a function
 *	unbind PCI NTH		unbind the driver
 *
 * NTH is the number of the allocation that fails, or 0. The last line of the log of a case is
 * "result ERRNO", with its return value. If NTH is not 0, the line before is "left N", with the
 * number of allocations until the failure. N is 0 if the allocation has failed.
 *
 * A case runs under f_debugfs.lock. Devices are added and removed under f_lock, because the removal
 * of a device must not wait for the case that unbinds the device.
 */
#include <linux/module.h>

#include "ibx_faults.h"

#define F_MAX_DEVS	8

static DEFINE_MUTEX(f_lock);	/* protects the three variables below */
static struct ib_device *f_devs[F_MAX_DEVS];
static struct f_env f_env;
static struct f_obj f_kept;

/* ---- cases ---- */

static struct ib_device *f_find_dev(const char *name)
{
	int i;

	for (i = 0; i < F_MAX_DEVS; i++)
		if (f_devs[i] && !strcmp(dev_name(&f_devs[i]->dev), name))
			return f_devs[i];
	return NULL;
}

static int f_release(char *unused)
{
	int ret = f_obj_drop(&f_kept);

	f_env_drop(&f_env);
	return ret;
}

static int f_hold(char *args)
{
	struct ib_device *dev = f_find_dev(args);

	if (!dev)
		return -ENODEV;
	if (f_env.dev)
		return -EBUSY;
	return f_env_make(&f_env, dev);
}

static const struct f_op *f_find_op(const char *name)
{
	const struct f_op *op;

	for (op = f_ops; op->name; op++)
		if (!strcmp(op->name, name))
			return op;
	return NULL;
}

static int f_operate(const struct f_op *op, bool keep, char *nth)
{
	struct f_obj obj = { .env = &f_env };
	int ret, err;

	if (!f_env.dev || !op)
		return -ENODEV;
	ret = f_arm(nth);
	if (ret)
		return ret;
	ret = op->make(&obj, op->arg);
	if (!ret && keep) {
		f_kept = obj;
	} else {
		err = f_obj_drop(&obj);
		ret = err ? err : ret;
	}
	f_disarm();
	return ret;
}

static int f_keep(char *args)
{
	const struct f_op *op = f_find_op(strsep(&args, " "));

	return f_operate(op, true, args);
}

static int f_drop(char *args)
{
	int ret = f_arm(args);

	if (ret)
		return ret;
	ret = f_obj_drop(&f_kept);
	f_disarm();
	return ret;
}

/**
 * struct f_verb - a case that is not an operation
 * @name: name of the case
 * @run: runs the case; its argument is the rest of the line
 * @unlocked: the case adds and removes devices, so it runs without f_lock
 */
struct f_verb {
	const char *name;
	int (*run)(char *args);
	bool unlocked;
};

static const struct f_verb f_verbs[] = {
	{ "hold", f_hold },
	{ "release", f_release },
	{ "keep", f_keep },
	{ "drop", f_drop },
	{ "bind", f_bind, true },
	{ "unbind", f_unbind, true },
};

static const char *f_case_name(unsigned int nth, const char **suite)
{
	if (nth < ARRAY_SIZE(f_verbs)) {
		*suite = "control";
		return f_verbs[nth].name;
	}
	*suite = "operations";
	/* the last entry of f_ops has no name, and no caller requests a later one */
	return f_ops[nth - ARRAY_SIZE(f_verbs)].name;
}

static int f_run(unsigned int nth, char *args)
{
	const struct f_verb *verb = nth < ARRAY_SIZE(f_verbs) ? &f_verbs[nth] : NULL;
	int ret;

	if (verb && verb->unlocked) {
		ret = verb->run(args);
	} else {
		mutex_lock(&f_lock);
		ret = verb ? verb->run(args) :
			     f_operate(&f_ops[nth - ARRAY_SIZE(f_verbs)], false, args);
		mutex_unlock(&f_lock);
	}
	f_log("result %d\n", ret);
	return ret;
}

/* ---- devices ---- */

static int f_add_one(struct ib_device *dev)
{
	int i, ret = -ENOSPC;

	mutex_lock(&f_lock);
	for (i = 0; i < F_MAX_DEVS; i++) {
		if (f_devs[i])
			continue;
		f_devs[i] = dev;
		ret = 0;
		break;
	}
	mutex_unlock(&f_lock);
	return ret;
}

static void f_remove_one(struct ib_device *dev, void *data)
{
	int i;

	mutex_lock(&f_lock);
	if (f_env.dev == dev)
		f_release(NULL);
	for (i = 0; i < F_MAX_DEVS; i++)
		if (f_devs[i] == dev)
			f_devs[i] = NULL;
	mutex_unlock(&f_lock);
}

static struct ib_client f_client = {
	.name = "ibx_faults",
	.add = f_add_one,
	.remove = f_remove_one,
};

static int __init f_init(void)
{
	int ret;

	ret = ib_register_client(&f_client);
	if (ret)
		return ret;
	test_debugfs_open(&f_debugfs, f_case_name, f_run);
	return 0;
}
module_init(f_init);

static void __exit f_exit(void)
{
	test_debugfs_close(&f_debugfs);
	ib_unregister_client(&f_client);
}
module_exit(f_exit);

MODULE_DESCRIPTION("Selftest: what a sweep of faults is tried on");
MODULE_LICENSE("Dual BSD/GPL");
