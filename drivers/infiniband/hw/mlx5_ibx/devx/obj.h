/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: user contexts, commands, objects and UMEMs of DEVX (devx/obj.c,
 * devx/umem.c).
 */
#ifndef MLX5_IBX_DEVX_OBJ_H
#define MLX5_IBX_DEVX_OBJ_H

#include <linux/ktime.h>

#include "devx/pages.h"
#include "devx/table.h"
#include "ibx.h"

/**
 * struct ibx_devx_obj - an object that a command of DEVX has created
 * @dev: device
 * @id: identity of the object
 * @uid: user context that owns the object
 * @left: the command that destroys the object has failed, and is not repeated:
 *	ibx_devx_destroy() only waits until mlx5_core does not use @mcq
 * @mcq: mlx5_core's part of a CQ; the caller sets mcq.comp()
 * @stopped: the object is a DCT that is drained, and can be destroyed
 * @sources: its events with subscriptions (devx/event.c)
 */
struct ibx_devx_obj {
	struct ibx_dev *dev;
	struct ibx_devx_id id;
	u16 uid;
	bool left;
	struct mlx5_core_cq mcq;
	bool stopped;
	struct list_head sources;
};

/**
 * struct ibx_devx_async - a command whose caller does not wait
 * @work: mlx5_core's part
 * @dev: device, set by the caller
 * @done: called with the result, in hard interrupt context; set by the caller
 * @opcode: MLX5_CMD_OP_*
 * @start: ibx_cmd_start() before the command
 */
struct ibx_devx_async {
	struct mlx5_async_work work;
	struct ibx_dev *dev;
	void (*done)(struct ibx_devx_async *cmd, int err);
	u16 opcode;
	ktime_t start;
};

/* IB_ACCESS_* that a UMEM may have */
#define IBX_UMEM_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_RELAXED_ORDERING)

/* ---- obj.c ---- */
int ibx_cmd_create_uctx(struct ibx_dev *dev, u16 *uid);
int ibx_cmd_try_destroy_uctx(struct ibx_dev *dev, u16 uid);
void ibx_cmd_destroy_uctx(struct ibx_dev *dev, u16 uid);
int ibx_devx_exec(struct ibx_dev *dev, u16 uid, const struct ibx_devx_box *box);
int ibx_devx_exec_async(struct mlx5_async_ctx *ctx, u16 uid, const struct ibx_devx_box *box,
			struct ibx_devx_async *cmd);
int ibx_devx_create(struct ibx_dev *dev, u16 uid, const struct ibx_devx_row *row,
		    const struct ibx_devx_box *box, struct ibx_devx_obj *obj);
int ibx_devx_destroy(struct ibx_dev *dev, struct ibx_devx_obj *obj);
int ibx_devx_access(struct ibx_dev *dev, u16 uid, const struct ibx_devx_row *row,
		    const struct ibx_devx_box *box, const struct ibx_devx_id *id);

/* ---- umem.c ---- */
int ibx_cmd_create_umem(struct ibx_dev *dev, u16 uid, const struct ibx_umem_mem *mem, u32 *id);
int ibx_cmd_destroy_umem(struct ibx_dev *dev, u16 uid, u32 id);

#endif /* MLX5_IBX_DEVX_OBJ_H */
