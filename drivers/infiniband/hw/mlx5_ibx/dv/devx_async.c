// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queries that do not wait for their answers: <rdma/mlx5dv_devx.h>.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "devx/async.h"
#include "dv/devx.h"

/**
 * struct mlx5dv_devx_cmd_comp - a queue of the answers to queries of a ULP
 * @ctx: context of the queries
 * @answers: the queue
 * @cb: called with each answer; NULL if the ULP fetches the answers
 * @arg: argument of @cb
 */
struct mlx5dv_devx_cmd_comp {
	struct mlx5dv_devx_ctx *ctx;
	struct ibx_devx_answers answers;
	mlx5dv_devx_cmd_cb cb;
	void *arg;
};

static void call_back(struct ibx_devx_answers *q, struct ibx_devx_answer *a)
{
	struct mlx5dv_devx_cmd_comp *comp =
		container_of(q, struct mlx5dv_devx_cmd_comp, answers);

	comp->cb(comp->arg, a->wr_id, a->err, a->out, a->len);
	ibx_devx_answer_free(a);
}

struct mlx5dv_devx_cmd_comp *mlx5dv_devx_create_cmd_comp_cb(struct mlx5dv_devx_ctx *ctx,
							    mlx5dv_devx_cmd_cb cb, void *arg)
{
	struct mlx5dv_devx_cmd_comp *comp = kzalloc(sizeof(*comp), GFP_KERNEL);

	if (!comp)
		return ERR_PTR(-ENOMEM);
	comp->ctx = ctx;
	comp->cb = cb;
	comp->arg = arg;
	ibx_devx_answers_init(&comp->answers, ctx->dev, ctx->uid);
	comp->answers.done = cb ? call_back : NULL;
	atomic_inc(&ctx->users);
	return comp;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_create_cmd_comp_cb);

struct mlx5dv_devx_cmd_comp *mlx5dv_devx_create_cmd_comp(struct mlx5dv_devx_ctx *ctx)
{
	return mlx5dv_devx_create_cmd_comp_cb(ctx, NULL, NULL);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_create_cmd_comp);

void mlx5dv_devx_destroy_cmd_comp(struct mlx5dv_devx_cmd_comp *cmd_comp)
{
	ibx_devx_answers_close(&cmd_comp->answers);
	atomic_dec(&cmd_comp->ctx->users);
	kfree(cmd_comp);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_destroy_cmd_comp);

int mlx5dv_devx_obj_query_async(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen,
				size_t outlen, u64 wr_id, struct mlx5dv_devx_cmd_comp *cmd_comp)
{
	struct ibx_devx_box box = { .inlen = inlen, .outlen = outlen };
	int err;

	if (obj->ctx != cmd_comp->ctx || obj->obj.left)
		return -EINVAL;
	if (inlen < IBX_DEVX_MIN || inlen > IBX_DEVX_MAX)
		return -EINVAL;
	box.in = kvmemdup(in, inlen, GFP_KERNEL);
	if (!box.in)
		return -ENOMEM;
	err = ibx_devx_query_async(&cmd_comp->answers, &box, &obj->obj.id, wr_id);
	kvfree(box.in);
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_obj_query_async);

int mlx5dv_devx_get_async_cmd_comp(struct mlx5dv_devx_cmd_comp *cmd_comp,
				   struct mlx5dv_devx_async_cmd_hdr *cmd_resp,
				   size_t cmd_resp_len)
{
	struct ibx_devx_answers *q = &cmd_comp->answers;
	struct ibx_devx_answer *a;
	int err;

	if (cmd_comp->cb)
		return -EINVAL;
	/* another caller may fetch the answer first */
	while ((a = ibx_devx_answers_get(q, cmd_resp_len)) == ERR_PTR(-EAGAIN)) {
		err = wait_event_killable(q->arrived, ibx_devx_answers_ready(q));
		if (err)
			return err;
	}
	if (IS_ERR(a))
		return PTR_ERR(a);
	cmd_resp->wr_id = a->wr_id;
	memcpy(cmd_resp->out_data, a->out, a->len);
	/* a refused query is no error here: the answer has the status */
	err = a->err == -EREMOTEIO ? 0 : a->err;
	ibx_devx_answer_free(a);
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_get_async_cmd_comp);
