/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: functions of the source files in this folder: module, probe stages,
 * events of mlx5_core, table of verbs, claimed devices.
 */
#ifndef MLX5_IBX_MAIN_H
#define MLX5_IBX_MAIN_H

#include <linux/types.h>

struct device;
struct device_driver;
struct ibx_dev;
struct mlx5_core_dev;

/* name of the auxiliary devices for RDMA, before a dot and a number */
#define IBX_ADEV_NAME	MLX5_ADEV_NAME ".rdma"

/* ---- caps.c ---- */
bool ibx_is_rdma_adev(struct device *dev);
int ibx_check_mdev(struct mlx5_core_dev *mdev);
int ibx_check_fn(struct mlx5_core_dev *mdev);

/* ---- claim.c ---- */
int ibx_claim_start(struct device_driver *drv);
void ibx_claim_stop(void);
bool ibx_claimed(struct device *dev);

/* ---- claim_list.c ---- */

#define IBX_CLAIM_MAX	64

struct ibx_claim_addr {
	u32 domain;
	u8 bus;
	u8 devfn;
};

/**
 * struct ibx_claim_list - a parsed list of devices
 * @all: every device is in the list
 * @n: number of addresses in @addr
 * @addr: PCI addresses of the devices
 * @bad: after an error, the position of the faulty entry in the text
 */
struct ibx_claim_list {
	bool all;
	int n;
	struct ibx_claim_addr addr[IBX_CLAIM_MAX];
	const char *bad;
};

int ibx_claim_parse(const char *text, struct ibx_claim_list *list);
bool ibx_claim_has(const struct ibx_claim_list *list, u32 domain, u8 bus, u8 devfn);
int ibx_claim_format(const struct ibx_claim_list *list, char *buf, size_t size);

/* ---- debugfs.c ---- */
int ibx_debugfs_init(struct ibx_dev *dev);
void ibx_debugfs_exit(struct ibx_dev *dev);

/* ---- notifier.c ---- */
int ibx_notifier_init(struct ibx_dev *dev);
void ibx_notifier_exit(struct ibx_dev *dev);

/* ---- ops.c ---- */
void ibx_set_ops(struct ibx_dev *dev);

#endif /* MLX5_IBX_MAIN_H */
