/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ibx_faults: operations for a test that makes each command and each allocation of an operation
 * fail, one at a time. Directory and module ibx_faults, prefix f_.
 *
 * One case is one operation. An operation uses public verbs: it creates an object of a kind, moves
 * the object through its states, and destroys the object. Other cases bind a driver to a PCI
 * function, or unbind the driver. The test arms a fault of a firmware command before the case, or
 * the case arms a failing allocation (fail-nth of the kernel's fault injection) for its task.
 *
 * The case "hold" creates a PD, a CQ, an address and a buffer that all operations
 * share; no faults are armed for "hold". The case "release", or the removal of the
 * device, destroys these objects.
 */
#ifndef IBX_FAULTS_H
#define IBX_FAULTS_H

#include <rdma/ib_verbs.h>
#include <rdma/mlx5dv.h>

#include "../test_debugfs/test_debugfs.h"

#define F_WRS		8	/* WRs of a queue that is not large */

/**
 * struct f_env - PD, CQ, address and buffer for the objects of a device
 * @dev: the device; NULL when nothing is held
 * @pd: PD of all objects
 * @cq: CQ of all QPs
 * @path: address vector of the device itself, the destination of all messages
 * @buf: F_BUF bytes to send from
 * @dma: DMA address of @buf
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
 * struct f_obj - objects of an operation; NULL for an object that was not created
 * @env: device, CQ and memory of the operation
 * @pd: protection domain
 * @cq: CQ that is polled
 * @pool_cq: CQ of ib_alloc_cq(), polled by the core
 * @srq: shared receive queue
 * @qp: QP, on @env's CQ
 * @mr: memory region
 * @ah: address handle
 * @mkey: mkey of mlx5dv
 * @pool: pool of mkeys
 * @layout: layout of an mkey
 * @page: page mapped by @layout
 * @devx: context of DEVX
 * @umem: UMEM of @devx
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
 * @make: creates objects in *obj and uses the objects; on failure, the objects
 *	that exist stay in *obj
 * @arg: second argument of @make
 */
struct f_op {
	const char *name;
	int (*make)(struct f_obj *obj, u32 arg);
	u32 arg;
};

extern const struct f_op f_ops[];

/* F_NEW(place, call): store the object that @call returns, or return its errno to the caller */
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

/* F_TRY(call): if @call fails, log its errno and return it to the caller */
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
int f_make_sig_mkey(struct f_obj *obj, u32 entries);
int f_make_pool(struct f_obj *obj, u32 mkeys);
int f_make_layout(struct f_obj *obj, u32 entries);
int f_make_dct(struct f_obj *obj, u32 unused);
int f_make_dci(struct f_obj *obj, u32 log_streams);
int f_make_memcpy_qp(struct f_obj *obj, u32 unused);
int f_make_builders(struct f_obj *obj, u32 unused);
int f_destroy_qp(struct ib_qp *qp);
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
