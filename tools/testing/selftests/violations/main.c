// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * sim_vio: the module. debugfs sim_vio/run takes "CASE PCI-ADDRESS" and runs the
 * case before write() returns; sim_vio/cases lists the names.
 *
 * The functions are kept in a list from probe to remove, under the mutex that is
 * also held while a case runs, so none goes away under one.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mlx5/vport.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "sim_vio.h"

struct v_dev {
	struct list_head list;
	struct mlx5_core_dev *mdev;
};

static DEFINE_MUTEX(v_lock);
static LIST_HEAD(v_devs);
static struct dentry *v_dir;

static const struct v_case *v_find_case(const char *name)
{
	const struct v_case *lists[] = { v_cmd_cases, v_wqe_cases, v_queue_cases };
	const struct v_case *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		for (c = lists[i]; c->name; c++)
			if (!strcmp(c->name, name))
				return c;
	return NULL;
}

static struct mlx5_core_dev *v_find_dev(const char *name)
{
	struct v_dev *vdev;

	list_for_each_entry(vdev, &v_devs, list)
		if (!strcmp(dev_name(vdev->mdev->device), name))
			return vdev->mdev;
	return NULL;
}

static int v_run(const struct v_case *c, struct mlx5_core_dev *mdev)
{
	struct v_set *s;
	int ret;

	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	ret = v_set_create(s, mdev, c->use_srq);
	if (ret) {
		pr_info("sim_vio: no objects for %s: %d\n", c->name, ret);
	} else {
		ret = c->run(s);
		if (ret)
			pr_info("sim_vio: %s: %d\n", c->name, ret);
	}
	v_set_destroy(s);
	kfree(s);
	return ret;
}

static ssize_t v_run_write(struct file *file, const char __user *ubuf, size_t len, loff_t *pos)
{
	struct mlx5_core_dev *mdev;
	const struct v_case *c;
	char *buf, *words, *name;
	int ret = -ENOENT;

	if (len > 256)
		return -EINVAL;
	buf = memdup_user_nul(ubuf, len);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	words = strim(buf);
	name = strsep(&words, " ");

	mutex_lock(&v_lock);
	c = v_find_case(name);
	mdev = words ? v_find_dev(words) : NULL;
	if (c && mdev)
		ret = v_run(c, mdev);
	mutex_unlock(&v_lock);
	kfree(buf);
	return ret ? ret : len;
}

static const struct file_operations v_run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = v_run_write,
};

static int v_cases_show(struct seq_file *s, void *unused)
{
	const struct v_case *lists[] = { v_cmd_cases, v_wqe_cases, v_queue_cases };
	const struct v_case *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		for (c = lists[i]; c->name; c++)
			seq_printf(s, "%s\n", c->name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(v_cases);

static int v_probe(struct auxiliary_device *adev, const struct auxiliary_device_id *id)
{
	struct mlx5_adev *madev = container_of(adev, struct mlx5_adev, adev);
	struct v_dev *vdev;
	int ret;

	vdev = kzalloc(sizeof(*vdev), GFP_KERNEL);
	if (!vdev)
		return -ENOMEM;
	vdev->mdev = madev->mdev;
	ret = mlx5_nic_vport_enable_roce(vdev->mdev);
	if (ret) {
		kfree(vdev);
		return ret;
	}
	auxiliary_set_drvdata(adev, vdev);
	mutex_lock(&v_lock);
	list_add_tail(&vdev->list, &v_devs);
	mutex_unlock(&v_lock);
	return 0;
}

static void v_remove(struct auxiliary_device *adev)
{
	struct v_dev *vdev = auxiliary_get_drvdata(adev);

	mutex_lock(&v_lock);
	list_del(&vdev->list);
	mutex_unlock(&v_lock);
	mlx5_nic_vport_disable_roce(vdev->mdev);
	kfree(vdev);
}

static const struct auxiliary_device_id v_id_table[] = {
	{ .name = MLX5_ADEV_NAME ".rdma" },
	{ }
};

static struct auxiliary_driver v_driver = {
	.name = "rdma",
	.probe = v_probe,
	.remove = v_remove,
	.id_table = v_id_table,
};

static int __init v_init(void)
{
	int ret;

	ret = auxiliary_driver_register(&v_driver);
	if (ret)
		return ret;
	v_dir = debugfs_create_dir("sim_vio", NULL);
	debugfs_create_file("run", 0200, v_dir, NULL, &v_run_fops);
	debugfs_create_file("cases", 0400, v_dir, NULL, &v_cases_fops);
	return 0;
}
module_init(v_init);

static void __exit v_exit(void)
{
	debugfs_remove_recursive(v_dir);
	auxiliary_driver_unregister(&v_driver);
}
module_exit(v_exit);

MODULE_DESCRIPTION("Selftest: breaks the rules of the simulated ConnectX");
MODULE_LICENSE("Dual BSD/GPL");
