// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: calls of <rdma/mlx5dv.h> on QPs.
 *
 * The RDMA core creates a QP from a struct ib_qp_init_attr, which has no fields
 * for builders and DC. mlx5dv_create_qp() copies it into a struct ibx_qp_init,
 * which has these fields and is in the list ibx_dev.qp_inits during the call.
 * ibx_create_qp() looks for the struct ibx_qp_init whose copy is the argument
 * of ibx_create_qp(), and reads the fields.
 */
#include <linux/export.h>

#include "cmd/cmd.h"
#include "dv/companion.h"
#include "dv/dv.h"
#include "dv/wr.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

#define OPS_UD		(IB_QP_EX_WITH_SEND | IB_QP_EX_WITH_SEND_WITH_IMM)
#define OPS_UC									\
	(OPS_UD | IB_QP_EX_WITH_RDMA_WRITE | IB_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
#define OPS_ATOMIC								\
	(IB_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IB_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
#define OPS_RC									\
	(OPS_UC | IB_QP_EX_WITH_RDMA_READ | IB_QP_EX_WITH_LOCAL_INV |		\
	 IB_QP_EX_WITH_SEND_WITH_INV)
#define OPS_MKEY								\
	(MLX5DV_QP_EX_WITH_MR_INTERLEAVED | MLX5DV_QP_EX_WITH_MR_LIST |		\
	 MLX5DV_QP_EX_WITH_MKEY_CONFIGURE)

/*
 * Bytes of inline data for which mlx5_ib reserves IBX_RC_WQE_MIN bytes for each
 * WR of an RC QP: mlx5_ib adds 136 bytes to the inline data.
 */
#define BACKEND_INLINE_MIN	(IBX_RC_WQE_MIN - 136U)

/* builders that both RC QPs and DCIs support on this device */
static u64 reliable_ops(const struct ibx_dev *dev)
{
	return OPS_RC | (ibx_has_atomics(dev) ? OPS_ATOMIC : 0) |
	       IBX_OPS_DV(MLX5DV_QP_EX_WITH_RAW_WQE |
			  (dev->mmo.max ? MLX5DV_QP_EX_WITH_MEMCPY : 0));
}

/* builders that QPs of a type support on this device */
static u64 supported_ops(const struct ibx_dev *dev, enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return reliable_ops(dev) | IBX_OPS_DV(ibx_mkey_max_entries(dev) ? OPS_MKEY : 0);
	case IB_QPT_DRIVER:
		return reliable_ops(dev);
	case IB_QPT_UC:
		return OPS_UC | IBX_OPS_DV(MLX5DV_QP_EX_WITH_RAW_WQE);
	case IB_QPT_UD:
		return OPS_UD | IBX_OPS_DV(MLX5DV_QP_EX_WITH_RAW_WQE);
	default:
		return 0;
	}
}

static bool is_ring_type(enum ib_qp_type type)
{
	return type == IB_QPT_RC || type == IB_QPT_UC || type == IB_QPT_UD;
}

/*
 * must INIT2INIT enable memory copies on a QP? For QPs of mlx5_ibx, the move to
 * INIT does so.
 */
static bool needs_enable(const struct ibx_dev *dev, u64 ops)
{
	return dev->mmo.per_qp && ops & IBX_OPS_DV(MLX5DV_QP_EX_WITH_MEMCPY);
}

/* check the masks of the attributes, and collect the builders that are requested */
static int requested_ops(const struct ib_qp_init_attr_ex *attr,
			 const struct mlx5dv_qp_init_attr *mlx5_attr, u64 *ops)
{
	*ops = 0;
	if (attr->comp_mask & ~IB_QP_INIT_ATTR_SEND_OPS_FLAGS)
		return -EINVAL;
	if (attr->comp_mask & IB_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		if (upper_32_bits(attr->send_ops_flags))
			return -EOPNOTSUPP;
		*ops = attr->send_ops_flags;
	}
	if (!mlx5_attr)
		return 0;
	if (mlx5_attr->comp_mask & ~(MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS |
				     MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS |
				     MLX5DV_QP_INIT_ATTR_MASK_DC |
				     MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS))
		return -EINVAL;
	if (mlx5_attr->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS) {
		if (upper_32_bits(mlx5_attr->send_ops_flags))
			return -EOPNOTSUPP;
		*ops |= IBX_OPS_DV(mlx5_attr->send_ops_flags);
	}
	return 0;
}

static int request_flags(const struct ibx_dev *dev, const struct mlx5dv_qp_init_attr *mlx5_attr,
			 struct ibx_qp_init *init)
{
	if (!mlx5_attr || !(mlx5_attr->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS))
		return 0;
	if (mlx5_attr->create_flags & ~MLX5DV_QP_CREATE_SIG_PIPELINING)
		return -EOPNOTSUPP;
	init->drain_sigerr = mlx5_attr->create_flags & MLX5DV_QP_CREATE_SIG_PIPELINING;
	if (init->drain_sigerr && (init->base.qp_type != IB_QPT_RC || dev->backend ||
				   !dev->sig_caps.block_prot ||
				   !MLX5_CAP_GEN(dev->mdev, drain_sigerr)))
		return -EOPNOTSUPP;
	return 0;
}

static int request_streams(const struct ibx_dev *dev, const struct mlx5dv_dci_streams *streams,
			   struct ibx_qp_init *init)
{
	if (streams->log_num_concurent > MLX5_CAP_GEN(dev->mdev, log_max_dci_stream_channels) ||
	    streams->log_num_errored > MLX5_CAP_GEN(dev->mdev, log_max_dci_errored_streams))
		return -EINVAL;
	init->has_streams = true;
	init->streams = *streams;
	return 0;
}

/* DC attributes are required for IB_QPT_DRIVER, and refused for other types */
static int request_dc(const struct ibx_dev *dev, const struct mlx5dv_qp_init_attr *mlx5_attr,
		      struct ibx_qp_init *init)
{
	const struct mlx5dv_dc_init_attr *dc = mlx5_attr ? &mlx5_attr->dc_init_attr : NULL;
	const u64 mask = mlx5_attr ? mlx5_attr->comp_mask : 0;

	if (!(mask & MLX5DV_QP_INIT_ATTR_MASK_DC)) {
		if (mask & MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS)
			return -EINVAL;
		return init->base.qp_type == IB_QPT_DRIVER ? -EOPNOTSUPP : 0;
	}
	if (init->base.qp_type != IB_QPT_DRIVER)
		return -EINVAL;
	if (!MLX5_CAP_GEN(dev->mdev, dct))
		return -EOPNOTSUPP;
	init->dc_type = dc->dc_type;
	switch (dc->dc_type) {
	case MLX5DV_DCTYPE_DCT:
		init->dct_key = dc->dct_access_key;
		/* a DCT does not send, and receives only through an SRQ */
		if (init->ops)
			return -EOPNOTSUPP;
		return init->base.srq && !(mask & MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS) ?
			       0 : -EINVAL;
	case MLX5DV_DCTYPE_DCI:
		if (init->base.srq)
			return -EINVAL;
		return mask & MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS ?
			       request_streams(dev, &dc->dci_streams, init) : 0;
	default:
		return -EINVAL;
	}
}

static struct ib_qp *create_listed(struct ibx_dev *dev, struct ib_pd *pd,
				   struct ibx_qp_init *init, const char *caller)
{
	struct ib_qp *qp;

	xa_lock_irq(&dev->qps);
	list_add(&init->link, &dev->qp_inits);
	xa_unlock_irq(&dev->qps);
	qp = ib_create_qp_kernel(pd, &init->base, caller);
	xa_lock_irq(&dev->qps);
	list_del(&init->link);
	xa_unlock_irq(&dev->qps);
	return qp;
}

/*
 * create a QP of mlx5_ib and its stand-in. If the QP configures mkeys, its WQEs
 * have space for an inline layout
 */
static struct ib_qp *create_on_backend(struct ibx_dev *dev, struct ib_pd *pd,
				       struct ibx_qp_init *init, const char *caller)
{
	struct ib_qp_cap *cap = &init->base.cap;
	struct ibx_qp *stand_in;
	struct ib_qp *qp;

	if (init->layouts)
		cap->max_inline_data = max(cap->max_inline_data, BACKEND_INLINE_MIN);
	qp = ib_create_qp_kernel(pd, &init->base, caller);
	if (IS_ERR(qp))
		return qp;
	stand_in = ibx_stand_in_create(dev, qp, init->ops);
	if (IS_ERR(stand_in)) {
		ib_destroy_qp(qp);
		return ERR_CAST(stand_in);
	}
	cap->max_send_sge = stand_in->sq.max_gs;
	cap->max_inline_data = stand_in->sq.max_inline;
	return qp;
}

static struct ib_qp *create_qp(struct ibx_dev *dev, struct ib_pd *pd,
			       struct ib_qp_init_attr_ex *attr,
			       const struct mlx5dv_qp_init_attr *mlx5_attr,
			       const char *caller)
{
	struct ibx_qp_init init = { .base = attr->base };
	struct ib_qp *qp;
	int err;

	if (attr->base.create_flags)
		return ERR_PTR(-EOPNOTSUPP);
	err = requested_ops(attr, mlx5_attr, &init.ops);
	if (err)
		return ERR_PTR(err);
	err = request_flags(dev, mlx5_attr, &init);
	if (err)
		return ERR_PTR(err);
	err = request_dc(dev, mlx5_attr, &init);
	if (err)
		return ERR_PTR(err);
	if (init.ops & ~supported_ops(dev, attr->base.qp_type))
		return ERR_PTR(-EOPNOTSUPP);
	/* mlx5_ib has no DC QPs for the kernel; other types have no builders */
	if (dev->backend &&
	    (!is_ring_type(attr->base.qp_type) || needs_enable(dev, init.ops)))
		return ERR_PTR(-EOPNOTSUPP);

	init.layouts = init.ops & IBX_OPS_DV(OPS_MKEY);
	qp = dev->backend ? create_on_backend(dev, pd, &init, caller) :
			   create_listed(dev, pd, &init, caller);
	if (!IS_ERR(qp))
		attr->base.cap = init.base.cap;
	return qp;
}

struct ib_qp *mlx5dv_create_qp_kernel(struct ib_pd *pd, struct ib_qp_init_attr_ex *attr,
				      const struct mlx5dv_qp_init_attr *mlx5_attr,
				      const char *caller)
{
	struct ibx_dev *dev = ibx_dv_get(pd->device);
	struct ib_qp *qp;

	if (!dev)
		return ERR_PTR(-EOPNOTSUPP);
	qp = create_qp(dev, pd, attr, mlx5_attr, caller);
	if (IS_ERR(qp))
		ibx_dv_put(dev);
	return qp;
}
EXPORT_SYMBOL_GPL(mlx5dv_create_qp_kernel);

struct mlx5dv_qp_ex *mlx5dv_qp_ex_from_ib_qp(struct ib_qp *qp)
{
	struct ibx_qp *stand_in;

	if (ibx_is_ours(qp->device))
		return &to_iqp(qp)->dv;
	stand_in = ibx_stand_in_find(qp);
	return stand_in ? &stand_in->dv : NULL;
}
EXPORT_SYMBOL_GPL(mlx5dv_qp_ex_from_ib_qp);

/* fails with -EINVAL unless the QP is in INIT */
static int enable_copies(struct ibx_dev *dev, struct ibx_qp *qp)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int err;

	err = ib_query_qp(qp->dv.qp_ex.qp, &attr, IB_QP_STATE, &init);
	if (err)
		return err;
	if (attr.qp_state != IB_QPS_INIT)
		return -EINVAL;
	return ibx_cmd_extend_qp(dev, MLX5_CMD_OP_INIT2INIT_QP, qp, IBX_QP_EXT_MMO, 1);
}

static int add_to_claimed(struct ibx_dev *dev, struct ibx_qp *qp, u64 ops)
{
	int err = 0;

	if (needs_enable(dev, ops))
		err = enable_copies(dev, qp);
	if (err)
		return err;
	mutex_lock(&qp->mutex);
	qp->wr.ops |= ops;
	qp->mmo |= needs_enable(dev, ops);
	if (ops & IBX_OPS_DV(MLX5DV_QP_EX_WITH_MEMCPY | MLX5DV_QP_EX_WITH_RAW_WQE))
		ibx_sq_allow_copies(&qp->sq);
	mutex_unlock(&qp->mutex);
	return 0;
}

/* returns 1 if the QP got a stand-in, 0 if it had a stand-in */
static int add_to_backend(struct ibx_dev *dev, struct ib_qp *ibqp, u64 ops)
{
	struct ibx_qp *old = ibx_stand_in_find(ibqp), *qp = old;
	int err = 0;

	if (!qp)
		qp = ibx_stand_in_create(dev, ibqp, 0);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	if (needs_enable(dev, ops))
		err = enable_copies(dev, qp);
	if (!err)
		qp->wr.ops |= ops;
	else if (!old)
		ibx_stand_in_destroy(qp);
	return err ?: !old;
}

int mlx5dv_qp_add_builders(struct ib_qp *qp, u64 send_ops_flags, u64 mlx5_send_ops_flags)
{
	const u64 ops = send_ops_flags | IBX_OPS_DV(mlx5_send_ops_flags);
	struct ibx_dev *dev = ibx_dv_get(qp->device);
	int ret;

	if (!dev)
		return -EOPNOTSUPP;
	if (!is_ring_type(qp->qp_type) || upper_32_bits(send_ops_flags | mlx5_send_ops_flags) ||
	    ops & ~supported_ops(dev, qp->qp_type))
		ret = -EOPNOTSUPP;
	else
		ret = dev->backend ? add_to_backend(dev, qp, ops) :
				     add_to_claimed(dev, to_iqp(qp), ops);
	/* a stand-in keeps the reference */
	if (ret != 1)
		ibx_dv_put(dev);
	return min(ret, 0);
}
EXPORT_SYMBOL_GPL(mlx5dv_qp_add_builders);

static void remove_from_claimed(struct ibx_qp *qp)
{
	mutex_lock(&qp->mutex);
	qp->wr.ops = 0;
	/* the next move to INIT does not enable memory copies */
	qp->mmo = false;
	mutex_unlock(&qp->mutex);
}

void mlx5dv_qp_remove_builders(struct ib_qp *qp)
{
	struct ibx_qp *stand_in;
	struct ibx_dev *dev;

	if (ibx_is_ours(qp->device)) {
		remove_from_claimed(to_iqp(qp));
		return;
	}
	stand_in = ibx_stand_in_find(qp);
	if (!stand_in)
		return;
	dev = stand_in->dev;
	ibx_stand_in_destroy(stand_in);
	ibx_dv_put(dev);
}
EXPORT_SYMBOL_GPL(mlx5dv_qp_remove_builders);

int mlx5dv_destroy_qp(struct ib_qp *qp)
{
	struct ibx_qp *stand_in;
	struct ibx_dev *dev;
	int err;

	stand_in = ibx_is_ours(qp->device) ? NULL : ibx_stand_in_find(qp);
	if (!stand_in)
		return ib_destroy_qp(qp);
	dev = stand_in->dev;
	err = ibx_stand_in_destroy_qp(stand_in);
	if (!err)
		ibx_dv_put(dev);
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_destroy_qp);

int mlx5dv_dci_stream_id_reset(struct ib_qp *ibqp, u16 stream_id)
{
	struct ibx_qp *qp;
	struct ibx_dev *dev;
	int err;

	if (!ibx_is_ours(ibqp->device))
		return -EOPNOTSUPP;
	qp = to_iqp(ibqp);
	dev = to_idev(ibqp->device);
	if (qp->st != MLX5_QP_ST_DCI)
		return -EINVAL;
	if (!qp->dc.streams || !MLX5_CAP_GEN(dev->mdev, qpc_extension) ||
	    !MLX5_CAP_GEN(dev->mdev, log_max_dci_errored_streams))
		return -EOPNOTSUPP;
	mutex_lock(&qp->mutex);
	err = qp->state == IB_QPS_RTS ?
		ibx_cmd_extend_qp(dev, MLX5_CMD_OP_RTS2RTS_QP, qp, IBX_QP_EXT_STREAM,
				  stream_id) : -EOPNOTSUPP;
	mutex_unlock(&qp->mutex);
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_dci_stream_id_reset);

int mlx5dv_qp_cancel_posted_send_wrs(struct mlx5dv_qp_ex *mqp, u64 wr_id)
{
	struct ibx_qp *qp = container_of(mqp, struct ibx_qp, dv);
	u16 block;
	int ret;

	if (!qp->drain_sigerr)
		return -EOPNOTSUPP;
	mutex_lock(&qp->mutex);
	ret = ibx_qp_drained_at(qp, &block);
	if (!ret) {
		spin_lock_irq(&qp->sq.lock);
		ret = ibx_sq_cancel(&qp->sq, block, wr_id);
		spin_unlock_irq(&qp->sq.lock);
	}
	mutex_unlock(&qp->mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(mlx5dv_qp_cancel_posted_send_wrs);
