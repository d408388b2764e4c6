/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: interface to the back end for mlx5_ib. The back end is the module
 * that reads the objects of mlx5_ib, for direct verbs on devices that mlx5_ib
 * drives.
 */
#ifndef MLX5_IBX_BACKEND_H
#define MLX5_IBX_BACKEND_H

#include <linux/mlx5/device.h>
#include <linux/types.h>
#include <rdma/signature.h>

struct ib_ah;
struct ib_cq;
struct ib_device;
struct ib_pd;
struct ib_qp;
struct ibx_chain;
struct mlx5_av;
struct mlx5_core_dev;
struct mlx5_core_sig_ctx;
struct module;

/**
 * struct ibx_backend_sq - send queue of a QP of mlx5_ib
 * @qpn: number of the QP in the device
 * @wqe_cnt: number of blocks of 64 bytes, a power of two
 * @max_post: most outstanding WRs
 * @max_gs: most scatter/gather entries of a WR
 * @max_inline: most bytes of inline data of a WR
 * @sig_all: every WR is signalled
 */
struct ibx_backend_sq {
	u32 qpn;
	u32 wqe_cnt;
	u32 max_post;
	u32 max_gs;
	u32 max_inline;
	bool sig_all;
};

/**
 * struct ibx_backend_err - signature error of an mkey
 * @item: what mlx5_ib has decoded. An err_type that is no enum ib_sig_err_type is
 *	an error whose meaning is not known
 * @cqe: CQE of the error; valid if mlx5_ib is patched
 */
struct ibx_backend_err {
	struct ib_sig_err item;
	struct mlx5_sig_err_cqe cqe;
};

/**
 * struct ibx_backend - functions of the back end for mlx5_ib
 * @owner: module of the back end; stays loaded while a ULP has an object
 * @mdev: device of mlx5_core of a device of mlx5_ib; or NULL if the module does
 *	not support the device
 * @is_patched: is the mlx5_ib of the device patched (tools/ulps/mlx5_ib_dv)?
 * @pdn: number of a PD of mlx5_ib
 * @cqn: number of a CQ of mlx5_ib
 * @cqe_size: bytes of an entry of a CQ of mlx5_ib
 * @av: address vector of an address handle of mlx5_ib
 * @get_sq: send queue of a QP of mlx5_ib
 * @may_post: may WRs be posted to a QP? Returns 0; -EINVAL in a state that does
 *	not allow posting, or -EIO after a fatal error of the device
 * @lock_sq: lock the send queue of a QP to post @nr WRs. Returns 0 and the queue
 *	locked; or an errno of @may_post, or -ENOMEM without space
 * @post_sq: post the WRs of a chain, after @lock_sq, and unlock the queue. The
 *	chain may be empty. Each WQE counts as a WR. If a WR of several WQEs fails
 *	or is flushed, an unchanged mlx5_ib completes each of the WQEs; only the
 *	last has the wr_id of the WR, and the others have a wr_cqe whose callback
 *	does nothing
 * @add_sig: let mlx5_ib store the signature errors of an mkey. Returns the
 *	storage; or ERR_PTR(-ENOMEM)
 * @drop_sig_errors: remove the CQEs of the signature errors of an mkey from the
 *	CQs, while the storage belongs to the mkey
 * @remove_sig: undo @add_sig for an mkey that the device has destroyed and whose
 *	CQEs were removed, or when the device is removed
 * @take_sig_errors: store the signature errors whose CQEs of a QP were not
 *	polled, and remove the CQEs. The device must write no more CQEs for the QP
 * @read_sig: number of signature errors that mlx5_ib has polled, modulo 2^32. If
 *	it differs from @seen, the last error is copied to @err
 *
 * @mdev, @add_sig and @remove_sig may sleep. The other functions are called in
 * any context, for objects of a device that has a companion. @may_post, @lock_sq
 * and @post_sq are called with interrupts off, or, with PREEMPT_RT, with a spin
 * lock held.
 */
struct ibx_backend {
	struct module *owner;
	struct mlx5_core_dev *(*mdev)(struct ib_device *ibdev);
	bool (*is_patched)(struct ib_device *ibdev);
	u32 (*pdn)(const struct ib_pd *pd);
	u32 (*cqn)(const struct ib_cq *cq);
	u32 (*cqe_size)(const struct ib_cq *cq);
	const struct mlx5_av *(*av)(const struct ib_ah *ah);
	void (*get_sq)(struct ib_qp *qp, struct ibx_backend_sq *sq);
	int (*may_post)(struct ib_qp *qp);
	int (*lock_sq)(struct ib_qp *qp, u32 nr);
	void (*post_sq)(struct ib_qp *qp, const struct ibx_chain *c);
	struct mlx5_core_sig_ctx *(*add_sig)(struct ib_device *ibdev, u32 key);
	void (*drop_sig_errors)(struct ib_device *ibdev, u32 key, struct mlx5_core_sig_ctx *sig);
	void (*remove_sig)(struct ib_device *ibdev, u32 key, struct mlx5_core_sig_ctx *sig);
	void (*take_sig_errors)(struct ib_qp *qp);
	u32 (*read_sig)(struct ib_device *ibdev, struct mlx5_core_sig_ctx *sig, u32 seen,
			struct ibx_backend_err *err);
};

#endif /* MLX5_IBX_BACKEND_H */
