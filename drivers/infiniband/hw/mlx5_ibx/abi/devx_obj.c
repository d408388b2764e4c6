// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DEVX: objects that a process creates, modifies, queries and destroys by its
 * commands.
 *
 * MODIFY and QUERY also accept the handle of a CQ, QP or SRQ of the verbs. With
 * such a handle, libmlx5 sets and reads attributes that the verbs do not have.
 *
 * When a process ends, uverbs destroys the remaining objects, last object
 * first. If the device refuses because an object is in use, uverbs retries.
 */
#include <linux/slab.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME mlx5_ibx
#include <rdma/uverbs_named_ioctl.h>

#include "abi/devx.h"
#include "abi/keep.h"
#include "devx/event.h"

static int keep_obj(struct ibx_uctx *uctx, struct ibx_devx_obj *obj, bool must, int err)
{
	struct ibx_keep keep = { .what = "DEVX object", .must = must };

	ibx_devx_undo(&obj->id, obj->uid, keep.undo);
	err = ibx_keep_refused(uctx, &keep, err);
	if (err)
		return err;
	obj->left = true;
	return ibx_devx_obj_destroy(obj->dev, obj);
}

static int obj_cleanup(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs)
{
	struct ibx_uctx *uctx = to_uctx(attrs->context);
	struct ibx_devx_obj *obj = uobj->object;
	int err = ibx_devx_obj_destroy(obj->dev, obj);

	if (err)
		err = keep_obj(uctx, obj, why == RDMA_REMOVE_ABORT, err);
	else
		/* kept objects may have been in use by the destroyed object */
		ibx_keep_retry(uctx);
	if (err)
		ibx_devx_obj_show(obj);
	else
		kfree(obj);
	return err;
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_OBJ_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE);
	struct ibx_uctx *uctx = ibx_devx_uctx(attrs);
	const struct ibx_devx_row *row;
	struct ibx_devx_box box;
	struct ibx_devx_obj *obj;
	int err;

	if (IS_ERR(uctx))
		return PTR_ERR(uctx);
	err = ibx_devx_get_box(attrs, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN,
			       MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, &box);
	if (err)
		return err;
	row = ibx_devx_check(&box, IBX_DEVX_CREATE);
	if (IS_ERR(row))
		return PTR_ERR(row);
	err = ibx_devx_guard(row, &box);
	if (err)
		return err;
	obj = kzalloc(sizeof(*obj), GFP_KERNEL);
	if (!obj)
		return -ENOMEM;
	err = ibx_devx_obj_create(to_idev(uctx->ibuc.device), uctx->uid, row, &box, obj);
	if (err) {
		/*
		 * the device may have the object, which uses the UMEMs and
		 * objects that the command names
		 */
		if (ibx_cmd_cq_lost(&obj->mcq, err))
			WRITE_ONCE(uctx->lost, true);
		kfree(obj);
	} else {
		uobj->object = obj;
		/* an error from here on makes the core call obj_cleanup() */
		uverbs_finalize_uobj_create(attrs, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE);
	}
	return ibx_devx_answer(attrs, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, &box, err);
}

/* get the creating command and the number of the object of a handle */
static int id_of(const struct ib_uobject *uobj, struct ibx_devx_id *id)
{
	const struct ibx_qp *qp;

	id->type = 0;
	switch (uobj_get_object_id((struct ib_uobject *)uobj)) {
	case UVERBS_OBJECT_CQ:
		id->creator = MLX5_CMD_OP_CREATE_CQ;
		id->nr = to_icq(uobj->object)->mcq.cqn;
		return 0;
	case UVERBS_OBJECT_QP:
		/* the handle of an XRC target refers to a QP of the core */
		qp = to_iqp(((struct ib_qp *)uobj->object)->real_qp);
		id->creator = qp->st == MLX5_QP_ST_DCT ? MLX5_CMD_OP_CREATE_DCT :
							 MLX5_CMD_OP_CREATE_QP;
		id->nr = READ_ONCE(qp->qpn);
		/* a DCT has no number before it enters RTR */
		return id->nr ? 0 : -EINVAL;
	case UVERBS_OBJECT_SRQ:
		id->creator = to_isrq(uobj->object)->xrc ? MLX5_CMD_OP_CREATE_XRC_SRQ :
							   MLX5_CMD_OP_CREATE_RMP;
		id->nr = to_isrq(uobj->object)->srqn;
		return 0;
	case MLX5_IB_OBJECT_DEVX_OBJ:
		*id = ((struct ibx_devx_obj *)uobj->object)->id;
		return 0;
	default:
		return -EINVAL;
	}
}

/* attributes of OBJ_MODIFY and of OBJ_QUERY */
struct access_attrs {
	u16 handle;
	u16 in;
	u16 out;
};

static int user_obj_access(struct uverbs_attr_bundle *attrs,
			   const struct access_attrs *a,
			   enum ibx_devx_kind kind)
{
	struct ibx_uctx *uctx = ibx_devx_uctx(attrs);
	const struct ibx_devx_row *row;
	struct ibx_devx_box box;
	struct ibx_devx_id id;
	int err;

	if (IS_ERR(uctx))
		return PTR_ERR(uctx);
	err = id_of(uverbs_attr_get_uobject(attrs, a->handle), &id);
	if (!err)
		err = ibx_devx_get_box(attrs, a->in, a->out, &box);
	if (err)
		return err;
	row = ibx_devx_check(&box, kind);
	if (IS_ERR(row))
		return PTR_ERR(row);
	err = ibx_devx_guard(row, &box);
	if (err)
		return err;
	err = ibx_devx_access(to_idev(uctx->ibuc.device), uctx->uid, row, &box, &id);
	if (kind == IBX_DEVX_MODIFY)
		ibx_keep_note(uctx, err);
	return ibx_devx_answer(attrs, a->out, &box, err);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_OBJ_MODIFY)(struct uverbs_attr_bundle *attrs)
{
	static const struct access_attrs a = {
		MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN,
		MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT,
	};

	return user_obj_access(attrs, &a, IBX_DEVX_MODIFY);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_OBJ_QUERY)(struct uverbs_attr_bundle *attrs)
{
	static const struct access_attrs a = {
		MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN,
		MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT,
	};

	return user_obj_access(attrs, &a, IBX_DEVX_QUERY);
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *file =
		uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD);
	struct ibx_uctx *uctx = ibx_devx_uctx(attrs);
	struct ibx_devx_box box = {};
	struct ibx_devx_id id;
	u64 wr_id;
	u16 len;
	int err;

	if (IS_ERR(uctx))
		return PTR_ERR(uctx);
	err = id_of(uverbs_attr_get_uobject(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE), &id);
	if (!err)
		err = uverbs_get_const(&len, attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN);
	if (!err)
		err = uverbs_copy_from(&wr_id, attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID);
	if (err)
		return err;
	box.in = uverbs_attr_get_alloced_ptr(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN);
	box.inlen = uverbs_attr_get_len(attrs, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN);
	box.outlen = len;
	return ibx_devx_query_async(&container_of(file, struct ibx_devx_cmd_file, uobj)->answers,
				    &box, &id, wr_id);
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_OBJ_CREATE,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE,
					    MLX5_IB_OBJECT_DEVX_OBJ, UVERBS_ACCESS_NEW,
					    UA_MANDATORY),
			    IBX_ATTR_CMD_IN(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN),
			    IBX_ATTR_CMD_OUT(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(MLX5_IB_METHOD_DEVX_OBJ_DESTROY,
				    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE,
						    MLX5_IB_OBJECT_DEVX_OBJ,
						    UVERBS_ACCESS_DESTROY, UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_OBJ_MODIFY,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE,
					    UVERBS_IDR_ANY_OBJECT, UVERBS_ACCESS_READ,
					    UA_MANDATORY),
			    IBX_ATTR_CMD_IN(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN),
			    IBX_ATTR_CMD_OUT(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_OBJ_QUERY,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE,
					    UVERBS_IDR_ANY_OBJECT, UVERBS_ACCESS_READ,
					    UA_MANDATORY),
			    IBX_ATTR_CMD_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN),
			    IBX_ATTR_CMD_OUT(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT));

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE,
					    UVERBS_IDR_ANY_OBJECT, UVERBS_ACCESS_READ,
					    UA_MANDATORY),
			    IBX_ATTR_CMD_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN),
			    UVERBS_ATTR_CONST_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN, u16,
						 UA_MANDATORY),
			    UVERBS_ATTR_FD(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD,
					   MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, UVERBS_ACCESS_READ,
					   UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID,
					       UVERBS_ATTR_TYPE(u64), UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_DEVX_OBJ, UVERBS_TYPE_ALLOC_IDR(obj_cleanup),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OBJ_CREATE),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OBJ_DESTROY),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OBJ_MODIFY),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OBJ_QUERY),
			    &UVERBS_METHOD(MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY));

/* objects of the mlx5 namespace */
const struct uapi_definition ibx_devx_obj_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_DEVX_OBJ),
	{}
};
