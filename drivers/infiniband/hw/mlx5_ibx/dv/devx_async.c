// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queries that do not wait for their answers: <rdma/mlx5dv_devx.h>.
 *
 * The device completes a query by an interrupt, in which the answer is put in a list. A lock
 * that interrupts take protects the list.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "dv/devx.h"

#define MAX_BYTES	SZ_1M	/* of answers that were not fetched, and of those under way */

/**
 * struct mlx5dv_devx_cmd_comp - where answers arrive
 * @ctx: its context
 * @async: mlx5_core's part: counts the queries under way
 * @lock: protects @answers
 * @answers: answers that were not fetched
 * @arrived: wakes those that wait for an answer
 * @bytes: bytes of answers, of @answers and under way
 */
struct mlx5dv_devx_cmd_comp {
	struct mlx5dv_devx_ctx *ctx;
	struct mlx5_async_ctx async;
	spinlock_t lock;	/* answers */
	struct list_head answers;
	wait_queue_head_t arrived;
	atomic_t bytes;
};

/**
 * struct answer - an answer, or room for one
 * @link: entry in mlx5dv_devx_cmd_comp.answers
 * @cmd: the query
 * @comp: where it arrives
 * @in: the command
 * @err: errno of the query
 * @len: bytes of @out
 * @wr_id: number that the caller gave to the query
 * @out: the answer
 */
struct answer {
	struct list_head link;
	struct ibx_devx_async cmd;
	struct mlx5dv_devx_cmd_comp *comp;
	void *in;
	int err;
	u32 len;
	u64 wr_id;
	u8 out[] __aligned(8);
};

struct mlx5dv_devx_cmd_comp *mlx5dv_devx_create_cmd_comp(struct mlx5dv_devx_ctx *ctx)
{
	struct mlx5dv_devx_cmd_comp *comp = kzalloc(sizeof(*comp), GFP_KERNEL);

	if (!comp)
		return ERR_PTR(-ENOMEM);
	comp->ctx = ctx;
	spin_lock_init(&comp->lock);
	INIT_LIST_HEAD(&comp->answers);
	init_waitqueue_head(&comp->arrived);
	mlx5_cmd_init_async_ctx(ctx->dev->mdev, &comp->async);
	atomic_inc(&ctx->users);
	return comp;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_create_cmd_comp);

static void free_answer(struct answer *a)
{
	atomic_sub(a->len, &a->comp->bytes);
	kvfree(a->in);
	kvfree(a);
}

void mlx5dv_devx_destroy_cmd_comp(struct mlx5dv_devx_cmd_comp *cmd_comp)
{
	struct answer *a, *next;

	mlx5_cmd_cleanup_async_ctx(&cmd_comp->async);
	list_for_each_entry_safe(a, next, &cmd_comp->answers, link)
		free_answer(a);
	atomic_dec(&cmd_comp->ctx->users);
	kfree(cmd_comp);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_destroy_cmd_comp);

static void answer_arrived(struct ibx_devx_async *cmd, int err)
{
	struct answer *a = container_of(cmd, struct answer, cmd);
	struct mlx5dv_devx_cmd_comp *comp = a->comp;
	unsigned long flags;

	a->err = err;
	spin_lock_irqsave(&comp->lock, flags);
	list_add_tail(&a->link, &comp->answers);
	/* under the lock: then @comp cannot go before this has ended */
	wake_up(&comp->arrived);
	spin_unlock_irqrestore(&comp->lock, flags);
}

static struct answer *alloc_answer(struct mlx5dv_devx_cmd_comp *comp,
				   const struct ibx_devx_box *box)
{
	struct answer *a;

	if (atomic_add_return(box->outlen, &comp->bytes) > MAX_BYTES) {
		atomic_sub(box->outlen, &comp->bytes);
		return ERR_PTR(-EAGAIN);
	}
	a = kvzalloc(struct_size(a, out, box->outlen), GFP_KERNEL);
	if (!a) {
		atomic_sub(box->outlen, &comp->bytes);
		return ERR_PTR(-ENOMEM);
	}
	a->comp = comp;
	a->len = box->outlen;
	a->in = kvmemdup(box->in, box->inlen, GFP_KERNEL);
	if (!a->in) {
		free_answer(a);
		return ERR_PTR(-ENOMEM);
	}
	return a;
}

int mlx5dv_devx_obj_query_async(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen,
				size_t outlen, u64 wr_id, struct mlx5dv_devx_cmd_comp *cmd_comp)
{
	struct ibx_devx_box box = { .in = (void *)in, .inlen = inlen, .outlen = outlen };
	const struct ibx_devx_row *row = ibx_devx_check(&box, IBX_DEVX_QUERY);
	struct ibx_devx_id named;
	struct answer *a;
	int err;

	if (IS_ERR(row))
		return PTR_ERR(row);
	ibx_devx_named(row, in, &named);
	if (obj->ctx != cmd_comp->ctx || !ibx_devx_same(&named, &obj->obj.id))
		return -EINVAL;
	a = alloc_answer(cmd_comp, &box);
	if (IS_ERR(a))
		return PTR_ERR(a);
	a->wr_id = wr_id;
	a->cmd.dev = obj->ctx->dev;
	a->cmd.done = answer_arrived;
	box.in = a->in;
	box.out = a->out;
	err = ibx_devx_exec_async(&cmd_comp->async, obj->ctx->uid, &box, &a->cmd);
	if (err)
		free_answer(a);
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_obj_query_async);

static bool has_answer(struct mlx5dv_devx_cmd_comp *comp)
{
	bool has;

	spin_lock_irq(&comp->lock);
	has = !list_empty(&comp->answers);
	spin_unlock_irq(&comp->lock);
	return has;
}

/* the first answer if there is one that fits */
static struct answer *take_answer(struct mlx5dv_devx_cmd_comp *comp, size_t room)
{
	struct answer *a;

	spin_lock_irq(&comp->lock);
	a = list_first_entry_or_null(&comp->answers, struct answer, link);
	if (a && sizeof(struct mlx5dv_devx_async_cmd_hdr) + a->len > room)
		a = ERR_PTR(-ENOSPC);
	else if (a)
		list_del(&a->link);
	spin_unlock_irq(&comp->lock);
	return a;
}

int mlx5dv_devx_get_async_cmd_comp(struct mlx5dv_devx_cmd_comp *cmd_comp,
				   struct mlx5dv_devx_async_cmd_hdr *cmd_resp,
				   size_t cmd_resp_len)
{
	struct answer *a;
	int err;

	do {
		err = wait_event_killable(cmd_comp->arrived, has_answer(cmd_comp));
		if (err)
			return err;
		/* another caller may have been faster */
		a = take_answer(cmd_comp, cmd_resp_len);
	} while (!a);
	if (IS_ERR(a))
		return PTR_ERR(a);
	cmd_resp->wr_id = a->wr_id;
	memcpy(cmd_resp->out_data, a->out, a->len);
	/* the status in the answer says that the device refused the query */
	err = a->err == -EREMOTEIO ? 0 : a->err;
	free_answer(a);
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_get_async_cmd_comp);
