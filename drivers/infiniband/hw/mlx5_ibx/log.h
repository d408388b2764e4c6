/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: messages.
 */
#ifndef MLX5_IBX_LOG_H
#define MLX5_IBX_LOG_H

#include <linux/device.h>
#include <linux/ratelimit.h>
#include <rdma/ib_verbs.h>

#define ibx_dbg(dev, fmt, ...)	ibdev_dbg((dev)->ib, fmt, ##__VA_ARGS__)

/*
 * Processes and peers can cause most messages. The rate limit of each message
 * is below the limit of the kernel's ..._ratelimited(), with a larger burst.
 */
#define IBX_LOG_INTERVAL	(60 * HZ)
#define IBX_LOG_BURST		100
#define ibx_log(level, dev, fmt, ...)						\
	do {									\
		static DEFINE_RATELIMIT_STATE(_rs, IBX_LOG_INTERVAL, IBX_LOG_BURST);	\
										\
		if (__ratelimit(&_rs))						\
			ibdev_##level((dev)->ib, fmt, ##__VA_ARGS__);	\
	} while (0)
#define ibx_warn(dev, fmt, ...)	ibx_log(warn, dev, fmt, ##__VA_ARGS__)
#define ibx_err(dev, fmt, ...)	ibx_log(err, dev, fmt, ##__VA_ARGS__)

/*
 * Messages of code that runs before the ib_device has a name, and of code that
 * the KUnit suites link without ib_core.
 */
#define ibx_mdev_err(mdev, fmt, ...)						\
	dev_err((mdev)->device, KBUILD_MODNAME ": " fmt, ##__VA_ARGS__)
#define ibx_mdev_warn(mdev, fmt, ...)						\
	dev_warn((mdev)->device, KBUILD_MODNAME ": " fmt, ##__VA_ARGS__)
#define ibx_mdev_warn_ratelimited(mdev, fmt, ...)				\
	dev_warn_ratelimited((mdev)->device, KBUILD_MODNAME ": " fmt, ##__VA_ARGS__)

#endif /* MLX5_IBX_LOG_H */
