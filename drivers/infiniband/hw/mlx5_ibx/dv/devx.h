/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: types that the files of DEVX in dv/ share.
 */
#ifndef MLX5_IBX_DV_DEVX_H
#define MLX5_IBX_DV_DEVX_H

#include <linux/list.h>
#include <linux/mutex.h>

#include "devx/obj.h"

/**
 * struct mlx5dv_devx_ctx - a context of a ULP
 * @dev: device
 * @uid: user context in the device; 0 for a context of mlx5dv_devx_open_verbs()
 * @lost: the device may still execute a command of the context that it has not
 *	answered: the user context is not destroyed
 * @users: number of objects, UMEMs, UARs, queues of answers, event channels and
 *	attached CQs of the context
 * @mutex: protects @cqs
 * @cqs: attached CQs of verbs (dv/devx_verbs.c)
 * @quota: counts the subscriptions to events
 */
struct mlx5dv_devx_ctx {
	struct ibx_dev *dev;
	u16 uid;
	bool lost;
	atomic_t users;
	struct mutex mutex;	/* cqs */
	struct list_head cqs;
	struct ibx_devx_quota quota;
};

/**
 * struct ibx_dv_cq - a CQ of verbs in which QPs of a context complete
 * @link: entry of mlx5dv_devx_ctx.cqs
 * @cq: CQ
 * @users: number of send and receive queues that complete in @cq, under
 *	mlx5dv_devx_ctx.mutex
 */
struct ibx_dv_cq {
	struct list_head link;
	struct ibx_cq *cq;
	unsigned int users;
};

/**
 * struct mlx5dv_devx_obj - an object of a ULP
 * @ctx: context of the object
 * @send_cq: CQ of the sends of a QP of mlx5dv_devx_open_verbs(), else NULL
 * @recv_cq: CQ of the receives of such a QP, else NULL
 * @obj: the object
 */
struct mlx5dv_devx_obj {
	struct mlx5dv_devx_ctx *ctx;
	struct ibx_dv_cq *send_cq;
	struct ibx_dv_cq *recv_cq;
	struct ibx_devx_obj obj;
};

/* was a context opened by mlx5dv_devx_open_verbs()? */
static inline bool ibx_dv_is_verbs(const struct mlx5dv_devx_ctx *ctx)
{
	return !ctx->uid;
}

/* ---- devx_verbs.c ---- */
int ibx_dv_get_cqs(struct mlx5dv_devx_obj *obj, const struct ibx_devx_row *row,
		   const struct ibx_devx_box *box);
void ibx_dv_put_cqs(struct mlx5dv_devx_obj *obj);
int ibx_dv_clean_cqs(struct mlx5dv_devx_obj *obj);

#endif /* MLX5_IBX_DV_DEVX_H */
