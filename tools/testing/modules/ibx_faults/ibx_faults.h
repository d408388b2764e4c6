/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ibx_faults: the operations that a sweep of faults runs.
 * Directory and module ibx_faults, prefix f_.
 *
 * One case is one operation: an
 * object of a kind is made, moved through its states, and destroyed, on public
 * verbs; or a driver is bound to a function or unbound from it. The test arms a
 * fault of a firmware command before the case, or has the case arm a failing
 * allocation (fail-nth of the kernel's fault injection) for its own task.
 *
 * The case "hold" creates a PD, a CQ, an address and a buffer for the objects,
 * which are not swept. The case "release", or the removal of the device,
 * destroys them.
 */
#ifndef IBX_FAULTS_H
#define IBX_FAULTS_H

#include <rdma/ib_verbs.h>
#include <rdma/mlx5dv.h>

#include "../test_debugfs/test_debugfs.h"

#define F_WRS		8	/* of a queue that is not large */

/**
 * struct f_env - PD, CQ, address and buffer for the objects of a device
 * @dev: the device; NULL when nothing is held
 * @pd: of all objects
 * @cq: of all QPs
 * @path: from the device to itself
 * @buf: to send from
 * @dma: its address for the device
 * @mapped: true while @dma is valid
 */
struct f_env {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct rdma_ah_attr path;
	void *buf;
	u64 dma;
	bool mapped;
};

/**
 * struct f_obj - objects of an operation; NULL for those not created
 * @env: device, CQ and memory of the operation
 * @pd: protection domain
 * @cq: CQ that is polled
 * @pool_cq: CQ of ib_alloc_cq(), polled by the core
 * @srq: shared receive queue
 * @qp: QP, on @env's CQ
 * @mr: memory region
 * @ah: address handle
 * @mkey: of mlx5dv
 * @pool: pool of mkeys
 * @layout: layout of an mkey
 * @page: page mapped by @layout
 * @devx: context of DEVX
 * @umem: UMEM in it
 * @umem_mem: memory of @umem
 */
struct f_obj {
	const struct f_env *env;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_cq *pool_cq;
	struct ib_srq *srq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	struct ib_ah *ah;
	struct mlx5dv_mkey *mkey;
	struct mlx5dv_mkey_pool *pool;
	struct mlx5dv_layout *layout;
	struct page *page;
	struct mlx5dv_devx_ctx *devx;
	struct mlx5dv_devx_umem *umem;
	void *umem_mem;
};

/**
 * struct f_op - an operation
 * @name: unique
 * @make: makes objects in *obj and uses them; keeps the existing objects on
 *	failure
 * @arg: for @make
 */
struct f_op {
	const char *name;
	int (*make)(struct f_obj *obj, u32 arg);
	u32 arg;
};

extern const struct f_op f_ops[];

/* F_NEW(place, call): the object into @place, or leave with the errno */
#define F_NEW(place, call)						\
	do {								\
		typeof(place) __obj = (call);				\
									\
		if (IS_ERR(__obj)) {					\
			f_log("%s: %ld\n", #call, PTR_ERR(__obj));	\
			return PTR_ERR(__obj);				\
		}							\
		(place) = __obj;					\
	} while (0)

extern struct test_debugfs f_debugfs;

#define f_log(fmt, ...)	test_debugfs_log(&f_debugfs, fmt, ##__VA_ARGS__)

/* F_TRY(call): leave with its errno, which the log then has */
#define F_TRY(call)							\
	do {								\
		int __ret = (call);					\
									\
		if (__ret < 0) {					\
			f_log("%s: %d\n", #call, __ret);		\
			return __ret;					\
		}							\
	} while (0)

/* objs.c */
int f_env_make(struct f_env *env, struct ib_device *dev);
void f_env_drop(struct f_env *env);
int f_obj_drop(struct f_obj *obj);

/* srq.c */
int f_make_srq(struct f_obj *obj, u32 unused);
int f_make_large_srq(struct f_obj *obj, u32 wrs);

/* dv.c */
int f_make_mkey(struct f_obj *obj, u32 entries);
int f_make_pool(struct f_obj *obj, u32 mkeys);
int f_make_layout(struct f_obj *obj, u32 entries);
int f_make_dct(struct f_obj *obj, u32 unused);
int f_make_dci(struct f_obj *obj, u32 log_streams);
int f_make_memcpy_qp(struct f_obj *obj, u32 unused);
void f_dv_drop(struct f_obj *obj);

/* devx.c */
int f_make_umem(struct f_obj *obj, u32 bytes);
int f_devx_drop(struct f_obj *obj);

/* bind.c */
int f_bind(char *args);
int f_unbind(char *args);

/* arm.c */
int f_arm(char *arg);
void f_disarm(void);

#endif /* IBX_FAULTS_H */
