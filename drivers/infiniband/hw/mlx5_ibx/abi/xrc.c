// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Extended reliable connections (XRC): domains, and the objects that XRC QPs name.
 *
 * An initiator (IB_QPT_XRC_INI) sends, and its WQE names an SRQ of the peer. A
 * target (IB_QPT_XRC_TGT) receives into the XRC SRQs of its domain, which may
 * belong to many processes. A target belongs to its domain, not to a process:
 * the core creates it without udata, PD and CQs. Objects of XRC have uid 0,
 * because all processes that have opened the domain can use them, and an object
 * with another uid can name only objects of that uid.
 *
 * The context of an XRC QP must name objects that the device does not use: an
 * XRC SRQ, CQs, the PD of a target and the domain of an initiator. The driver
 * creates these objects (the base, dev->xrc) with the first XRC QP of a device,
 * and destroys them with the last.
 */
#include <linux/kmemleak.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "abi/abi.h"
#include "abi/keep.h"
#include "cmd/xrc.h"
#include "enc/qpc.h"

#define BASE_LOG_SIZE	1	/* log2 of the entries of rings that stay empty */
#define BASE_LOG_STRIDE	6	/* log2 of the bytes of a WQE of the SRQ */

static void base_comp(struct mlx5_core_cq *mcq, struct mlx5_eqe *eqe)
{
}

static void base_event(struct mlx5_core_cq *mcq, enum mlx5_event type)
{
}

static int create_base_cq(struct ibx_dev *dev, struct ibx_xrc *xrc)
{
	struct ibx_cq_params p = {
		.buf = &xrc->cq_buf,
		.log_size = BASE_LOG_SIZE,
		.uar = dev->bfreg.up->index,
	};
	int err;

	err = mlx5_comp_eqn_get(dev->mdev, 0, &p.eqn);
	if (err)
		return err;
	err = mlx5_db_alloc(dev->mdev, &xrc->cq_db);
	if (err)
		return err;
	p.dbr = xrc->cq_db.dma;
	err = ibx_buf_alloc(dev, &xrc->cq_buf, sizeof(struct mlx5_cqe64) << BASE_LOG_SIZE);
	if (err)
		goto free_db;
	xrc->cq.comp = base_comp;
	xrc->cq.event = base_event;
	err = ibx_cmd_create_cq(dev, &xrc->cq, &p);
	if (err)
		goto free_buf;
	return 0;

free_buf:
	if (ibx_cmd_cq_lost(&xrc->cq, err)) {
		ibx_buf_leak(&xrc->cq_buf);
		return err;
	}
	ibx_buf_free(dev, &xrc->cq_buf);
free_db:
	mlx5_db_free(dev->mdev, &xrc->cq_db);
	return err;
}

static void destroy_base_cq(struct ibx_dev *dev, struct ibx_xrc *xrc)
{
	ibx_cmd_left(dev, "CQ", xrc->cq.cqn, ibx_cmd_destroy_cq(dev, &xrc->cq));
	ibx_buf_free(dev, &xrc->cq_buf);
	mlx5_db_free(dev->mdev, &xrc->cq_db);
}

static int create_base_srq(struct ibx_dev *dev, struct ibx_xrc *xrc)
{
	struct ibx_xrc_srq_params p = {
		.ring = {
			.buf = &xrc->srq.buf,
			.log_size = BASE_LOG_SIZE,
			.log_stride = BASE_LOG_STRIDE,
			.pdn = xrc->pd.pdn,
		},
		.xrcdn = xrc->xrcdn,
		.cqn = xrc->cq.cqn,
		.cqe_v1 = MLX5_CAP_GEN(dev->mdev, cqe_version) == 1,
		.user_index = IBX_NO_USER_INDEX,
	};
	int err;

	err = mlx5_db_alloc(dev->mdev, &xrc->srq.db);
	if (err)
		return err;
	p.ring.dbr = xrc->srq.db.dma;
	err = ibx_buf_alloc(dev, &xrc->srq.buf, BIT(BASE_LOG_SIZE + BASE_LOG_STRIDE));
	if (err)
		goto free_db;
	err = ibx_cmd_create_xrc_srq(dev, &p, &xrc->srq);
	if (err)
		goto free_buf;
	return 0;

free_buf:
	if (ibx_cmd_lost(err)) {
		ibx_buf_leak(&xrc->srq.buf);
		return err;
	}
	ibx_buf_free(dev, &xrc->srq.buf);
free_db:
	mlx5_db_free(dev->mdev, &xrc->srq.db);
	return err;
}

static void destroy_base_srq(struct ibx_dev *dev, struct ibx_xrc *xrc)
{
	ibx_cmd_left(dev, "XRC SRQ", xrc->srq.srqn, ibx_cmd_destroy_xrc_srq(dev, &xrc->srq));
	ibx_buf_free(dev, &xrc->srq.buf);
	mlx5_db_free(dev->mdev, &xrc->srq.db);
}

static void destroy_xrcd(struct ibx_dev *dev, u32 xrcdn)
{
	ibx_cmd_left(dev, "XRC domain", xrcdn, ibx_cmd_dealloc_xrcd(dev, xrcdn));
}

static void xrc_destroy_pd(struct ibx_dev *dev, struct ibx_pd *pd)
{
	ibx_cmd_left(dev, "PD", pd->pdn, ibx_cmd_dealloc_pd(dev, pd));
}

static int create_base(struct ibx_dev *dev, struct ibx_xrc *xrc)
{
	int err;

	err = ibx_cmd_alloc_pd(dev, &xrc->pd);
	if (err)
		return err;
	err = ibx_cmd_alloc_xrcd(dev, &xrc->xrcdn);
	if (err)
		goto dealloc_pd;
	err = create_base_cq(dev, xrc);
	if (err)
		goto dealloc_xrcd;
	err = create_base_srq(dev, xrc);
	if (err)
		goto destroy_cq;
	return 0;

destroy_cq:
	destroy_base_cq(dev, xrc);
dealloc_xrcd:
	destroy_xrcd(dev, xrc->xrcdn);
dealloc_pd:
	xrc_destroy_pd(dev, &xrc->pd);
	return err;
}

static void destroy_base(struct ibx_dev *dev, struct ibx_xrc *xrc)
{
	destroy_base_srq(dev, xrc);
	destroy_base_cq(dev, xrc);
	destroy_xrcd(dev, xrc->xrcdn);
	xrc_destroy_pd(dev, &xrc->pd);
}

static int new_base(struct ibx_dev *dev)
{
	struct ibx_xrc *xrc;
	int err;

	lockdep_assert_held(&dev->xrc_lock);
	xrc = kzalloc(sizeof(*xrc), GFP_KERNEL);
	if (!xrc)
		return -ENOMEM;
	err = create_base(dev, xrc);
	if (err)
		kfree(xrc);
	else
		dev->xrc = xrc;
	return err;
}

/**
 * ibx_xrc_get() - get the objects in dev->xrc, which an XRC QP must name
 * @dev: device
 *
 * Context: may sleep; takes dev->xrc_lock.
 * Return:
 * * 0
 * * -EOPNOTSUPP: the device has no XRC
 * * -ENOMEM
 * * an errno from cmd.h
 */
int ibx_xrc_get(struct ibx_dev *dev)
{
	int err = 0;

	if (!MLX5_CAP_GEN(dev->mdev, xrc))
		return -EOPNOTSUPP;
	mutex_lock(&dev->xrc_lock);
	if (!dev->xrc)
		err = new_base(dev);
	if (!err)
		dev->xrc->users++;
	mutex_unlock(&dev->xrc_lock);
	return err;
}

/**
 * ibx_xrc_put() - undo ibx_xrc_get(), when the QP is destroyed
 * @dev: device
 *
 * Context: may sleep; takes dev->xrc_lock.
 */
void ibx_xrc_put(struct ibx_dev *dev)
{
	mutex_lock(&dev->xrc_lock);
	if (!--dev->xrc->users && !dev->xrc->left) {
		destroy_base(dev, dev->xrc);
		kfree(dev->xrc);
		dev->xrc = NULL;
	}
	mutex_unlock(&dev->xrc_lock);
}

/**
 * ibx_xrc_leave() - keep the objects and the domain of an XRC QP that is never
 *	destroyed
 * @dev: device
 * @ibxrcd: XRC domain of a target; NULL for an initiator, whose domain is in
 *	dev->xrc
 *
 * From then on, ibx_xrc_put() does not destroy the objects in dev->xrc, and
 * ibx_dealloc_xrcd() does not deallocate the domain.
 *
 * Context: may sleep; takes dev->xrc_lock.
 */
void ibx_xrc_leave(struct ibx_dev *dev, struct ib_xrcd *ibxrcd)
{
	mutex_lock(&dev->xrc_lock);
	dev->xrc->left = true;
	if (ibxrcd)
		to_xrcd(ibxrcd)->held = true;
	mutex_unlock(&dev->xrc_lock);
}

/**
 * ibx_xrc_exit() - give up dev->xrc if XRC QPs that are never destroyed use it
 * @dev: device without contexts
 * @keep: there may be XRC QPs among the kept objects
 *
 * The memory of the objects is freed if ibx_cmd_is_over(); else it is leaked.
 *
 * Context: may sleep.
 */
void ibx_xrc_exit(struct ibx_dev *dev, bool keep)
{
	struct ibx_xrc *xrc = dev->xrc;

	if (!xrc || (!keep && !xrc->left))
		return;
	dev->xrc = NULL;
	if (!ibx_cmd_is_over(dev)) {
		kmemleak_not_leak(xrc);
		return;
	}
	destroy_base(dev, xrc);
	kfree(xrc);
}

/**
 * ibx_alloc_xrcd() - verb alloc_xrcd
 * @ibxrcd: the XRC domain
 * @udata: request of the process, which must be 0
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: the device has no XRC, or the request is not 0
 * * an errno from cmd.h
 */
int ibx_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibxrcd->device);

	if (!MLX5_CAP_GEN(dev->mdev, xrc) ||
	    (udata && !ib_is_udata_cleared(udata, 0, udata->inlen)))
		return -EOPNOTSUPP;
	return ibx_cmd_alloc_xrcd(dev, &to_xrcd(ibxrcd)->xrcdn);
}

/**
 * ibx_dealloc_xrcd() - verb dealloc_xrcd
 * @ibxrcd: XRC domain without QPs and SRQs of the verbs
 * @udata: context of the process
 *
 * If the device refuses, an object that was kept uses the domain, and the
 * domain is kept, too (abi/keep.c). Objects of DEVX cannot use an XRC domain.
 *
 * Context: may sleep.
 * Return: 0.
 */
int ibx_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct ibx_keep keep = { .what = "XRC domain", .must = true };
	struct ibx_dev *dev = to_idev(ibxrcd->device);
	struct ibx_xrcd *xrcd = to_xrcd(ibxrcd);
	int err = -ETIMEDOUT;

	if (!xrcd->held)
		err = ibx_cmd_dealloc_xrcd(dev, xrcd->xrcdn);
	if (!err)
		return 0;
	ibx_cmd_fill_undo(keep.undo, MLX5_CMD_OP_DEALLOC_XRCD, 0, xrcd->xrcdn);
	return ibx_keep_refused(udata_to_uctx(udata), &keep, err);
}
