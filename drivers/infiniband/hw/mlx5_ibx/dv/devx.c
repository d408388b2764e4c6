// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Firmware commands of ULPs: <rdma/mlx5dv_devx.h>, and contexts of <rdma/mlx5dv_devx_verbs.h>.
 *
 * The driver writes the number of the user context into a copy of each command.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/mlx5dv.h>

#include "cmd/cmd.h"
#include "devx/event.h"
#include "dv/companion.h"
#include "dv/devx.h"

/* @verbs: open a context with uid 0, the uid of objects of verbs */
static struct mlx5dv_devx_ctx *open_ctx(struct ib_device *ibdev, bool verbs)
{
	struct ibx_dev *dev = ibx_dv_get(ibdev);
	struct mlx5dv_devx_ctx *ctx;
	int err = -ENOMEM;

	if (!dev)
		return ERR_PTR(-EOPNOTSUPP);
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	if (!ctx)
		goto put_dev;
	ctx->dev = dev;
	mutex_init(&ctx->mutex);
	INIT_LIST_HEAD(&ctx->cqs);
	err = verbs ? 0 : ibx_cmd_create_uctx(dev, &ctx->uid);
	if (err)
		goto free_ctx;
	return ctx;

free_ctx:
	kfree(ctx);
put_dev:
	ibx_dv_put(dev);
	return ERR_PTR(err);
}

struct mlx5dv_devx_ctx *mlx5dv_devx_open(struct ib_device *ibdev)
{
	return open_ctx(ibdev, false);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_open);

struct mlx5dv_devx_ctx *mlx5dv_devx_open_verbs(struct ib_device *ibdev)
{
	return open_ctx(ibdev, true);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_open_verbs);

void mlx5dv_devx_close(struct mlx5dv_devx_ctx *ctx)
{
	WARN_ON(atomic_read(&ctx->users));
	if (READ_ONCE(ctx->lost) && !ibx_dead(ctx->dev))
		ibx_cmd_left(ctx->dev, "user context", ctx->uid, -EBUSY);
	else
		ibx_cmd_destroy_uctx(ctx->dev, ctx->uid);
	ibx_dv_put(ctx->dev);
	kfree(ctx);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_close);

/* copy a command, and zero its answer; free_cmd() frees the copy */
static const struct ibx_devx_row *copy_cmd(struct ibx_devx_box *box, const void *in,
					   enum ibx_devx_kind kind)
{
	const struct ibx_devx_row *row;

	box->in = (void *)in;
	row = ibx_devx_check(box, kind);
	if (IS_ERR(row))
		return row;
	box->in = kvmemdup(in, box->inlen, GFP_KERNEL);
	if (!box->in)
		return ERR_PTR(-ENOMEM);
	memset(box->out, 0, box->outlen);
	return row;
}

/*
 * Zero and free the copy: the command may contain a key, for example of an
 * encryption key object.
 */
static void free_cmd(const struct ibx_devx_box *box)
{
	kvfree_sensitive(box->in, box->inlen);
}

static int create_obj(struct mlx5dv_devx_ctx *ctx, const struct ibx_devx_row *row,
		      const struct ibx_devx_box *box, struct mlx5dv_devx_obj *obj)
{
	int err;

	obj->ctx = ctx;
	err = ibx_dv_get_cqs(obj, row, box);
	if (err)
		return err;
	err = ibx_devx_obj_create(ctx->dev, ctx->uid, row, box, &obj->obj);
	if (err)
		ibx_dv_put_cqs(obj);
	return err;
}

struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct mlx5dv_devx_ctx *ctx, const void *in,
					       size_t inlen, void *out, size_t outlen)
{
	struct ibx_devx_box box = { .inlen = inlen, .out = out, .outlen = outlen };
	const struct ibx_devx_row *row;
	struct mlx5dv_devx_obj *obj;
	int err;

	row = copy_cmd(&box, in, IBX_DEVX_CREATE);
	if (IS_ERR(row))
		return ERR_CAST(row);
	obj = kzalloc(sizeof(*obj), GFP_KERNEL);
	err = obj ? create_obj(ctx, row, &box, obj) : -ENOMEM;
	free_cmd(&box);
	if (err) {
		if (obj && ibx_cmd_cq_lost(&obj->obj.mcq, err))
			WRITE_ONCE(ctx->lost, true);
		kfree(obj);
		return ERR_PTR(err);
	}
	atomic_inc(&ctx->users);
	return obj;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_obj_create);

/*
 * After a lost command, the user context is not destroyed, so that its uid is
 * not reused.
 */
static void note_lost(struct mlx5dv_devx_ctx *ctx, int err)
{
	if (ibx_cmd_lost(err))
		WRITE_ONCE(ctx->lost, true);
}

static int dv_devx_access(struct mlx5dv_devx_obj *obj, enum ibx_devx_kind kind,
			  const void *in, struct ibx_devx_box *box)
{
	const struct ibx_devx_row *row;
	int err;

	if (obj->obj.left)
		return -EINVAL;
	row = copy_cmd(box, in, kind);
	if (IS_ERR(row))
		return PTR_ERR(row);
	err = ibx_devx_access(obj->ctx->dev, obj->ctx->uid, row, box, &obj->obj.id);
	if (kind == IBX_DEVX_MODIFY)
		note_lost(obj->ctx, err);
	free_cmd(box);
	return err;
}

int mlx5dv_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
			  size_t outlen)
{
	struct ibx_devx_box box = { .inlen = inlen, .out = out, .outlen = outlen };

	return dv_devx_access(obj, IBX_DEVX_QUERY, in, &box);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_obj_query);

int mlx5dv_devx_obj_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
			   size_t outlen)
{
	struct ibx_devx_box box = { .inlen = inlen, .out = out, .outlen = outlen };

	return dv_devx_access(obj, IBX_DEVX_MODIFY, in, &box);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_obj_modify);

int mlx5dv_devx_obj_destroy(struct mlx5dv_devx_obj *obj)
{
	int err = ibx_dv_clean_cqs(obj);

	if (!err)
		err = ibx_devx_obj_destroy(obj->ctx->dev, &obj->obj);
	if (ibx_cmd_lost(err)) {
		/*
		 * The device may have executed the lost command and given the
		 * number of the object to another object. So no command may
		 * name this object again, and its subscriptions get no more
		 * events.
		 */
		note_lost(obj->ctx, err);
		obj->obj.left = true;
	} else if (err) {
		ibx_devx_obj_show(&obj->obj);
	}
	if (err)
		return err;
	ibx_dv_put_cqs(obj);
	atomic_dec(&obj->ctx->users);
	kfree(obj);
	return 0;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_obj_destroy);

int mlx5dv_devx_general_cmd(struct mlx5dv_devx_ctx *ctx, const void *in, size_t inlen, void *out,
			    size_t outlen)
{
	struct ibx_devx_box box = { .inlen = inlen, .out = out, .outlen = outlen };
	const struct ibx_devx_row *row = copy_cmd(&box, in, IBX_DEVX_GENERAL);
	int err;

	if (IS_ERR(row))
		return PTR_ERR(row);
	err = ibx_devx_exec(ctx->dev, ctx->uid, &box);
	note_lost(ctx, err);
	free_cmd(&box);
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_general_cmd);
