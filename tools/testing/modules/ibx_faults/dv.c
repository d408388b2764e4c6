// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Operations on objects of <rdma/mlx5dv.h>. The functions of mlx5_ibx are looked up by
 * symbol_get(), so that this module loads without mlx5_ibx.
 */
#include <linux/bvec.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "ibx_faults.h"

#define DC_KEY		0x1122334455667788
#define PIECES		3

static int make_mkey(struct f_obj *obj, u32 entries, u32 flags)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = obj->env->pd, .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | flags,
		.max_entries = entries,
	};
	struct mlx5dv_mkey *mkey;
	typeof(mlx5dv_create_mkey) *create = symbol_get(mlx5dv_create_mkey);

	if (!create)
		return -EOPNOTSUPP;
	mkey = create(&attr);
	symbol_put(mlx5dv_create_mkey);
	F_NEW(obj->mkey, mkey);
	return 0;
}

/**
 * f_make_mkey() - operation: create an indirect mkey
 * @obj: receives the mkey
 * @entries: number of entries of the mkey
 *
 * Return: 0, -EOPNOTSUPP without mlx5_ibx, or the errno of the call.
 */
int f_make_mkey(struct f_obj *obj, u32 entries)
{
	return make_mkey(obj, entries, 0);
}

/**
 * f_make_sig_mkey() - operation: create an indirect mkey with signatures
 * @obj: receives the mkey
 * @entries: number of entries of the mkey
 *
 * Return: as f_make_mkey().
 */
int f_make_sig_mkey(struct f_obj *obj, u32 entries)
{
	return make_mkey(obj, entries, MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE);
}

/**
 * f_make_pool() - operation: create a pool of mkeys
 * @obj: receives the pool
 * @mkeys: number of mkeys in the pool
 *
 * Return: as f_make_mkey().
 */
int f_make_pool(struct f_obj *obj, u32 mkeys)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = obj->env->pd, .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = 4,
	};
	struct mlx5dv_mkey_pool *pool;
	typeof(mlx5dv_create_mkey_pool) *create = symbol_get(mlx5dv_create_mkey_pool);

	if (!create)
		return -EOPNOTSUPP;
	pool = create(&attr, mkeys, mkeys);
	symbol_put(mlx5dv_create_mkey_pool);
	F_NEW(obj->pool, pool);
	return 0;
}

/* writes a layout of separate pieces of a page twice; the second write unmaps the first */
static int write_layout(struct f_obj *obj, struct page *page)
{
	typeof(mlx5dv_layout_biovec) *write = symbol_get(mlx5dv_layout_biovec);
	struct bio_vec bvec[PIECES];
	int i, ret = 0;

	if (!write)
		return -EOPNOTSUPP;
	for (i = 0; i < PIECES; i++)
		bvec_set_page(&bvec[i], page, 100, 200 * i);
	for (i = 0; i < 2 && !ret; i++)
		ret = write(obj->layout, bvec, PIECES, DMA_TO_DEVICE, 0);
	symbol_put(mlx5dv_layout_biovec);
	return ret;
}

/**
 * f_make_layout() - operation: allocate a layout, and write pieces of a page to the layout
 * @obj: receives the layout
 * @entries: number of entries of the layout
 *
 * Return: as f_make_mkey().
 */
int f_make_layout(struct f_obj *obj, u32 entries)
{
	struct mlx5dv_layout *layout;
	typeof(mlx5dv_alloc_layout) *alloc = symbol_get(mlx5dv_alloc_layout);

	if (!alloc)
		return -EOPNOTSUPP;
	layout = alloc(obj->env->dev, entries, GFP_KERNEL);
	symbol_put(mlx5dv_alloc_layout);
	F_NEW(obj->layout, layout);
	obj->page = alloc_page(GFP_KERNEL);
	if (!obj->page)
		return -ENOMEM;
	F_TRY(write_layout(obj, obj->page));
	return 0;
}

static int create_qp(struct f_obj *obj, struct ib_qp_init_attr_ex *attr,
		     const struct mlx5dv_qp_init_attr *mlx5)
{
	struct ib_qp *qp;
	typeof(mlx5dv_create_qp_kernel) *create = symbol_get(mlx5dv_create_qp_kernel);

	if (!create)
		return -EOPNOTSUPP;
	attr->base.send_cq = obj->env->cq;
	attr->base.recv_cq = obj->env->cq;
	attr->base.srq = obj->srq;
	attr->base.sq_sig_type = IB_SIGNAL_REQ_WR;
	qp = create(obj->env->pd, attr, mlx5, KBUILD_MODNAME);
	symbol_put(mlx5dv_create_qp_kernel);
	F_NEW(obj->qp, qp);
	return 0;
}

static int move_dct(struct f_obj *obj, enum ib_qp_state state, int mask)
{
	struct ib_qp_attr attr = {
		.qp_state = state, .port_num = 1, .path_mtu = IB_MTU_1024,
		.ah_attr = obj->env->path, .min_rnr_timer = 12, .timeout = 14, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 1, .max_dest_rd_atomic = 1,
		.dest_qp_num = obj->qp->qp_num,
	};

	return ib_modify_qp(obj->qp, &attr, IB_QP_STATE | mask);
}

static int query_dct(struct f_obj *obj)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	return ib_query_qp(obj->qp, &attr, IB_QP_STATE, &init);
}

/**
 * f_make_dct() - operation: create an SRQ and a DCT, and change the state of the DCT
 * @obj: receives the DCT and the SRQ
 * @unused: not used
 *
 * Return: as f_make_mkey().
 */
int f_make_dct(struct f_obj *obj, u32 unused)
{
	struct ib_qp_init_attr_ex attr = { .base.qp_type = IB_QPT_DRIVER };
	const struct mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = DC_KEY },
	};

	F_TRY(f_make_srq(obj, 0));
	F_TRY(create_qp(obj, &attr, &mlx5));
	F_TRY(move_dct(obj, IB_QPS_INIT, IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS));
	F_TRY(move_dct(obj, IB_QPS_RTR, IB_QP_AV | IB_QP_PATH_MTU | IB_QP_MIN_RNR_TIMER));
	F_TRY(query_dct(obj));
	return 0;
}

static int dci_to_rts(struct f_obj *obj)
{
	F_TRY(move_dct(obj, IB_QPS_INIT, IB_QP_PKEY_INDEX | IB_QP_PORT));
	F_TRY(move_dct(obj, IB_QPS_RTR, IB_QP_PATH_MTU));
	F_TRY(move_dct(obj, IB_QPS_RTS, IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
		   IB_QP_MAX_QP_RD_ATOMIC | IB_QP_SQ_PSN));
	return 0;
}

/**
 * f_make_dci() - operation: create a DCI, and change its state
 * @obj: receives the DCI
 * @log_streams: log2 of the number of streams; 0: a DCI without streams
 *
 * Return: as f_make_mkey().
 */
int f_make_dci(struct f_obj *obj, u32 log_streams)
{
	struct ib_qp_init_attr_ex attr = {
		.base = {
			.qp_type = IB_QPT_DRIVER,
			.cap = { .max_send_wr = 8, .max_send_sge = 1 },
		},
		.comp_mask = IB_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IB_QP_EX_WITH_SEND,
	};
	struct mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI },
	};

	if (log_streams) {
		mlx5.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
		mlx5.dc_init_attr.dci_streams.log_num_concurent = log_streams;
		mlx5.dc_init_attr.dci_streams.log_num_errored = 1;
	}
	F_TRY(create_qp(obj, &attr, &mlx5));
	F_TRY(dci_to_rts(obj));
	F_TRY(query_dct(obj));
	F_TRY(move_dct(obj, IB_QPS_ERR, 0));
	F_TRY(move_dct(obj, IB_QPS_RESET, 0));
	return dci_to_rts(obj);
}

/**
 * f_make_memcpy_qp() - operation: create a QP that may copy memory
 * @obj: receives the QP
 * @unused: not used
 *
 * Return: as f_make_mkey().
 */
int f_make_memcpy_qp(struct f_obj *obj, u32 unused)
{
	struct ib_qp_init_attr_ex attr = {
		.base = {
			.qp_type = IB_QPT_RC,
			.cap = {
				.max_send_wr = 8, .max_recv_wr = 8,
				.max_send_sge = 1, .max_recv_sge = 1,
			},
		},
	};
	const struct mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MEMCPY,
	};

	F_TRY(create_qp(obj, &attr, &mlx5));
	F_TRY(move_dct(obj, IB_QPS_INIT, IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS));
	F_TRY(move_dct(obj, IB_QPS_RTR, IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
		   IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER));
	F_TRY(move_dct(obj, IB_QPS_RTS, IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
		   IB_QP_MAX_QP_RD_ATOMIC | IB_QP_SQ_PSN));
	return 0;
}

/**
 * f_make_builders() - operation: add builders and memory copies to a QP of ib_create_qp()
 * @obj: receives the QP
 * @unused: not used
 *
 * Return: as f_make_mkey().
 */
int f_make_builders(struct f_obj *obj, u32 unused)
{
	struct ib_qp_init_attr attr = {
		.send_cq = obj->env->cq, .recv_cq = obj->env->cq, .qp_type = IB_QPT_RC,
		.cap = { .max_send_wr = 8, .max_send_sge = 1 },
	};
	typeof(mlx5dv_qp_add_builders) *add;
	int ret;

	F_NEW(obj->qp, ib_create_qp(obj->env->pd, &attr));
	F_TRY(move_dct(obj, IB_QPS_INIT, IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS));
	add = symbol_get(mlx5dv_qp_add_builders);
	if (!add)
		return -EOPNOTSUPP;
	ret = add(obj->qp, IB_QP_EX_WITH_SEND, MLX5DV_QP_EX_WITH_MEMCPY);
	symbol_put(mlx5dv_qp_add_builders);
	return ret;
}

/* symbol_get() succeeds: mlx5_ibx stays loaded as long as the object exists */
#define DROP(what, f)							\
	do {								\
		typeof(f) *__drop = (what) ? symbol_get(f) : NULL;	\
									\
		if (__drop) {						\
			__drop(what);					\
			symbol_put(f);					\
		}							\
	} while (0)

/**
 * f_destroy_qp() - destroy a QP that may have builders
 * @qp: the QP
 *
 * Return: 0 or a negative errno.
 */
int f_destroy_qp(struct ib_qp *qp)
{
	typeof(mlx5dv_destroy_qp) *destroy = symbol_get(mlx5dv_destroy_qp);
	int ret;

	if (!destroy)
		return ib_destroy_qp(qp);
	ret = destroy(qp);
	symbol_put(mlx5dv_destroy_qp);
	return ret;
}

/**
 * f_dv_drop() - destroy the objects of mlx5dv, for f_obj_drop()
 * @obj: objects of any kind, or none
 *
 * mlx5dv_destroy_mkey() returns nothing: if the device refuses to destroy the mkey, the
 * kernel log names it.
 */
void f_dv_drop(struct f_obj *obj)
{
	DROP(obj->layout, mlx5dv_free_layout);
	if (obj->page)
		put_page(obj->page);
	DROP(obj->pool, mlx5dv_destroy_mkey_pool);
	DROP(obj->mkey, mlx5dv_destroy_mkey);
}
