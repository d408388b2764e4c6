// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * sim_violations: the module. debugfs sim_violations/run takes "CASE PCI-ADDRESS".
 *
 * Devices are in a list from probe to remove, under the mutex that is also held
 * while a case runs, so the device of a case exists until the case returns.
 */
#include <linux/module.h>
#include <linux/mlx5/vport.h>

#include "sim_violations.h"

struct v_dev {
	struct list_head list;
	struct mlx5_core_dev *mdev;
};

static LIST_HEAD(v_devs);	/* under v_debugfs.lock */

static const struct {
	const char *name;
	const struct v_case *cases;
} v_suites[] = {
#define T_SUITE(suite)	{ #suite, v_##suite##_cases },
#include "suites.h"
#undef T_SUITE
};

static const struct v_case *v_case(unsigned int nth, const char **suite)
{
	const struct v_case *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(v_suites); i++)
		for (c = v_suites[i].cases; c->name; c++)
			if (!nth--) {
				*suite = v_suites[i].name;
				return c;
			}
	return NULL;
}

static const char *v_case_name(unsigned int nth, const char **suite)
{
	const struct v_case *c = v_case(nth, suite);

	return c ? c->name : NULL;
}

static struct mlx5_core_dev *v_find_dev(const char *name)
{
	struct v_dev *vdev;

	list_for_each_entry(vdev, &v_devs, list)
		if (!strcmp(dev_name(vdev->mdev->device), name))
			return vdev->mdev;
	return NULL;
}

static int v_run(unsigned int nth, char *args)
{
	struct mlx5_core_dev *mdev = v_find_dev(args);
	const char *suite;
	const struct v_case *c = v_case(nth, &suite);
	struct v_set *s;
	int ret;

	if (!mdev) {
		v_log("no device %s\n", args);
		return -ENODEV;
	}
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	s->arg = c->arg;
	ret = v_set_create(s, mdev, c->kind);
	if (ret) {
		v_log("no objects for %s: %d\n", c->name, ret);
	} else {
		ret = c->run(s);
		if (ret)
			v_log("%s: %d\n", c->name, ret);
	}
	v_set_destroy(s);
	kfree(s);
	return ret;
}

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
	mutex_lock(&v_debugfs.lock);
	list_add_tail(&vdev->list, &v_devs);
	mutex_unlock(&v_debugfs.lock);
	return 0;
}

static void v_remove(struct auxiliary_device *adev)
{
	struct v_dev *vdev = auxiliary_get_drvdata(adev);

	mutex_lock(&v_debugfs.lock);
	list_del(&vdev->list);
	mutex_unlock(&v_debugfs.lock);
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
	test_debugfs_open(&v_debugfs, v_case_name, v_run);
	return 0;
}
module_init(v_init);

static void __exit v_exit(void)
{
	test_debugfs_close(&v_debugfs);
	auxiliary_driver_unregister(&v_driver);
}
module_exit(v_exit);

MODULE_DESCRIPTION("Selftest: breaks the rules of the simulated ConnectX");
MODULE_LICENSE("Dual BSD/GPL");
