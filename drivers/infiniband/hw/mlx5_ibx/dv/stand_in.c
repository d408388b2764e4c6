// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: QPs of mlx5_ib for builders.
 *
 * The send ring of a QP of mlx5_ib is in fragments, and ib_post_send() takes
 * the lock of the ring. So builders write into the ring of a stand-in, a struct
 * ibx_qp that only builders and setters use. ib_wr_complete() passes the chain
 * to the back end for mlx5_ib, which copies the WQEs to the ring of the QP and
 * rings the doorbell. Each chain starts at block 0 of the stand-in's ring, and
 * never wraps.
 *
 * Each WQE fits in the space that mlx5_ib reserves for a WR. So mlx5_ib completes
 * a WR of one WQE like a WR of ib_post_send(). struct ibx_backend describes WRs of
 * several WQEs.
 *
 * The stand-in counts as a user of its QP. So ib_destroy_qp() fails with
 * -EBUSY. mlx5dv_destroy_qp() destroys the QP and its stand-in;
 * mlx5dv_qp_remove_builders() destroys only the stand-in.
 */
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "dv/companion.h"
#include "dv/dv.h"
#include "dv/register.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

static void ignore_completion(struct ib_cq *cq, struct ib_wc *wc)
{
}

/*
 * wr_cqe of each WQE of a WR but the last, in the arrays of mlx5_ib. It is here,
 * and not in the module of the back end, because a ULP that has a QP of mlx5_ib
 * keeps this module loaded.
 */
struct ib_cqe ibx_part_cqe = { .done = ignore_completion };
EXPORT_SYMBOL_GPL(ibx_part_cqe);

/* stand-ins by the address of their QP */
static DEFINE_HASHTABLE(stand_ins, 10);
static DEFINE_SPINLOCK(table_lock);	/* changes of stand_ins */

/* bytes of a WQE before its data */
static u32 header_bytes(u8 st)
{
	return st == MLX5_QP_ST_UD ? IBX_UD_OVERHEAD : IBX_RC_OVERHEAD;
}

static int init_ring(struct ibx_qp *qp, const struct ibx_backend_sq *from)
{
	const u32 blocks = min_t(u32, from->wqe_cnt / from->max_post, IBX_SQ_WQE_MAX / IBX_BB);
	const u32 max_wqe = blocks * IBX_BB;
	const u32 max_data = max_wqe - header_bytes(qp->st);
	struct ibx_sq_params p = {
		.wqe_cnt = from->wqe_cnt,
		.max_wqe = max_wqe,
		.max_post = from->max_post,
		.max_gs = min(from->max_gs, max_data / IBX_DS),
		.max_inline = min(from->max_inline, max_data - IBX_INLINE_HDR),
		.dma_lkey = qp->ibqp.pd->local_dma_lkey,
		.umr_fence = qp->dev->umr_fence,
		.key_marks = &qp->dev->key_marks,
		.umr_atomic = ibx_umr_has_atomic(qp->dev),
		.sig_all = from->sig_all,
		.node = qp->dev->mdev->priv.numa_node,
	};
	int err;

	qp->buf.va = kvcalloc(from->wqe_cnt, IBX_BB, GFP_KERNEL);
	if (!qp->buf.va)
		return -ENOMEM;
	p.buf = qp->buf.va;
	err = ibx_sq_init(&qp->sq, &p);
	if (err)
		kvfree(qp->buf.va);
	return err;
}

static void free_stand_in(struct ibx_qp *qp)
{
	ibx_sq_fini(&qp->sq);
	kvfree(qp->buf.va);
	kfree(qp);
}

static u8 transport_of(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return MLX5_QP_ST_RC;
	case IB_QPT_UC:
		return MLX5_QP_ST_UC;
	default:
		return MLX5_QP_ST_UD;
	}
}

static struct ibx_qp *alloc_stand_in(struct ibx_dev *dev, struct ib_qp *ibqp, u64 ops)
{
	struct ibx_backend_sq from = {};
	struct ibx_qp *qp;
	int err;

	dev->backend->get_sq(ibqp, &from);
	if (!from.max_post)
		return ERR_PTR(-EOPNOTSUPP);
	qp = kzalloc(sizeof(*qp), GFP_KERNEL);
	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp->dev = dev;
	qp->ibqp.device = ibqp->device;
	qp->ibqp.pd = ibqp->pd;
	qp->qpn = from.qpn;
	qp->st = transport_of(ibqp->qp_type);
	err = init_ring(qp, &from);
	if (err) {
		kfree(qp);
		return ERR_PTR(err);
	}
	ibx_sq_set_qpn(&qp->sq, from.qpn);
	qp->dv.qp_ex.qp = ibqp;
	qp->wr.chain.sq = &qp->sq;
	qp->wr.ops = ops;
	qp->wr.backend = dev->backend;
	return qp;
}

static void publish_stand_in(struct ibx_qp *qp)
{
	spin_lock(&table_lock);
	hash_add_rcu(stand_ins, &qp->stand_in, (unsigned long)qp->dv.qp_ex.qp);
	spin_unlock(&table_lock);
}

static void unpublish_stand_in(struct ibx_qp *qp)
{
	spin_lock(&table_lock);
	hash_del_rcu(&qp->stand_in);
	spin_unlock(&table_lock);
	/* ibx_stand_in_find() may still read the entry */
	synchronize_rcu();
}

/**
 * ibx_stand_in_create() - create the stand-in of a QP
 * @dev: companion of the QP's device
 * @ibqp: RC, UC or UD QP of mlx5_ib
 * @ops: builders that the QP supports
 *
 * Context: may sleep.
 * Return:
 * * the stand-in
 * * ERR_PTR(-EOPNOTSUPP): the QP has no send queue
 * * ERR_PTR(-EINVAL): the send queue has another form than expected
 * * ERR_PTR(-ENOMEM)
 */
struct ibx_qp *ibx_stand_in_create(struct ibx_dev *dev, struct ib_qp *ibqp, u64 ops)
{
	struct ibx_qp *qp = alloc_stand_in(dev, ibqp, ops);

	if (IS_ERR(qp))
		return qp;
	atomic_inc(&ibqp->usecnt);
	publish_stand_in(qp);
	return qp;
}

/**
 * ibx_stand_in_find() - find the stand-in of a QP
 * @ibqp: QP of mlx5_ib that the caller owns
 *
 * Context: any.
 * Return: the stand-in, or NULL.
 */
struct ibx_qp *ibx_stand_in_find(const struct ib_qp *ibqp)
{
	struct ibx_qp *qp;

	rcu_read_lock();
	hash_for_each_possible_rcu(stand_ins, qp, stand_in, (unsigned long)ibqp)
		if (qp->dv.qp_ex.qp == ibqp)
			break;
	rcu_read_unlock();
	return qp;
}

/**
 * ibx_stand_in_destroy() - undo ibx_stand_in_create()
 * @qp: stand-in
 *
 * Context: may sleep.
 */
void ibx_stand_in_destroy(struct ibx_qp *qp)
{
	unpublish_stand_in(qp);
	atomic_dec(&qp->dv.qp_ex.qp->usecnt);
	free_stand_in(qp);
}

/*
 * mlx5_ib drops the signature errors that were not polled when it destroys their
 * QP. Then the device checks no transfer of the mkey, and mlx5dv_mkey_check()
 * would not know.
 */
static void take_sig_errors(const struct ibx_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct ib_qp *ibqp = qp->dv.qp_ex.qp;

	/* a QP in RESET cannot be moved to ERR, and has no CQE */
	if (!ib_modify_qp(ibqp, &attr, IB_QP_STATE))
		qp->dev->backend->take_sig_errors(ibqp);
}

/**
 * ibx_stand_in_destroy_qp() - destroy a QP and its stand-in
 * @qp: stand-in
 *
 * If the device has signatures, the QP is moved to ERR first.
 *
 * Context: may sleep.
 * Return: 0, or an errno of ib_destroy_qp(); nothing is destroyed then.
 */
int ibx_stand_in_destroy_qp(struct ibx_qp *qp)
{
	struct ib_qp *ibqp = qp->dv.qp_ex.qp;
	int err;

	/*
	 * ib_destroy_qp() would fail, and nothing may change then. The stand-in
	 * is one of the users
	 */
	if (atomic_read(&ibqp->usecnt) > 1)
		return -EBUSY;
	if (qp->dev->sig_caps.block_prot)
		take_sig_errors(qp);
	/* first: a new QP may get the address of the QP that is destroyed */
	unpublish_stand_in(qp);
	atomic_dec(&ibqp->usecnt);
	err = ib_destroy_qp(ibqp);
	if (err) {
		atomic_inc(&ibqp->usecnt);
		publish_stand_in(qp);
		return err;
	}
	free_stand_in(qp);
	return 0;
}
