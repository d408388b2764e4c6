/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: PDs and CQs of verbs in firmware commands of kernel ULPs (DEVX)
 *
 * Included by <rdma/mlx5dv.h>. mlx5dv_init_obj(3) applies.
 *
 * A ULP can change from verbs to firmware commands step by step: a command creates
 * a QP in the PD of the MRs, and the QP completes in a CQ of verbs, so that a
 * single poller gets all completions in order. In userspace any context permits
 * such a QP. In the kernel, the device refuses the command in a context of
 * mlx5dv_devx_open(), because the uid of objects of verbs differs from the uid of
 * the context. So the ULP opens a context without a uid by
 * mlx5dv_devx_open_verbs(), gets the numbers of PD and CQ by mlx5dv_init_obj(), and
 * attaches the CQ::
 *
 *	ctx = mlx5dv_devx_open_verbs(pd->device);
 *	obj.pd.in = pd;
 *	obj.pd.out = &dv_pd;
 *	obj.cq.in = cq;
 *	obj.cq.out = &dv_cq;
 *	mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD | MLX5DV_OBJ_CQ);
 *	mlx5dv_devx_attach_cq(ctx, cq, my_cqe, my_data);
 *	MLX5_SET(qpc, qpc, pd, dv_pd.pdn);
 *	MLX5_SET(qpc, qpc, cqn_snd, dv_cq.cqn);
 *	MLX5_SET(qpc, qpc, cqn_rcv, dv_cq.cqn);
 *	qp = mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out));
 *
 * Destroy the QP before mlx5dv_devx_detach_cq(), which precedes ib_free_cq() or
 * ib_destroy_cq(); ib_dealloc_pd() is the last call.
 *
 * What the device does not check
 * ------------------------------
 *
 * A command without a uid may name any object of the device. The driver checks
 * that a QP completes in attached CQs only, and, as in all contexts, that a
 * command that modifies or queries names the object of its handle. The ULP is
 * responsible for all other numbers in commands, of PDs for example, and for
 * the addresses in its WQEs.
 *
 * Completions
 * -----------
 *
 * ib_poll_cq(), and so the poller of a CQ of ib_alloc_cq(), passes each CQE of
 * such a QP to the function of mlx5dv_devx_attach_cq(), in the order of the
 * ring, among the completions of QPs of verbs. Such a CQE is not reported as a
 * struct ib_wc: ib_poll_cq() returns 0 if it polls no other CQE. A CQE of a
 * signature error is passed, too, if the mkey is one of DEVX. If the mkey is
 * one of mlx5dv_create_mkey() or ib_alloc_mr_integrity(), mlx5dv_mkey_check()
 * or ib_check_mr_status() returns the error, and the CQE is not passed.
 * ib_req_notify_cq() and the handler of the CQ work for the CQEs of all QPs.
 * The size of the CQ must include the CQEs of the QP.
 *
 * After a fatal error of the device, no CQE is passed: work requests of QPs of
 * DEVX are not flushed, unlike work requests of QPs of verbs.
 */
#ifndef RDMA_MLX5DV_DEVX_VERBS_H
#define RDMA_MLX5DV_DEVX_VERBS_H

#include <linux/bits.h>
#include <linux/types.h>

struct ib_cq;
struct ib_device;
struct ib_pd;
struct mlx5dv_devx_ctx;

/**
 * enum mlx5dv_obj_type - objects of mlx5dv_init_obj()
 * @MLX5DV_OBJ_CQ: struct mlx5dv_obj.cq
 * @MLX5DV_OBJ_PD: struct mlx5dv_obj.pd
 *
 * Userspace has more objects. The number of a QP is ib_qp.qp_num, so QPs need no
 * entry here. SRQs are not supported: the driver counts the receives of an SRQ, and
 * could not count the receives that a QP of DEVX consumes. The kernel does not have
 * the other objects of userspace.
 */
enum mlx5dv_obj_type {
	MLX5DV_OBJ_CQ	= BIT(1),
	MLX5DV_OBJ_PD	= BIT(6),
};

/**
 * struct mlx5dv_cq - a CQ of verbs
 * @cqe_cnt: number of entries
 * @cqe_size: bytes of a CQE
 * @cqn: number of the CQ, for firmware commands
 * @comp_mask: 0
 *
 * Unlike in userspace, there are no addresses, because the driver polls and
 * resizes the ring.
 */
struct mlx5dv_cq {
	u32 cqe_cnt;
	u32 cqe_size;
	u32 cqn;
	u64 comp_mask;
};

/**
 * struct mlx5dv_pd - a PD of verbs
 * @pdn: number of the PD, for firmware commands
 * @comp_mask: 0
 */
struct mlx5dv_pd {
	u32 pdn;
	u64 comp_mask;
};

/**
 * struct mlx5dv_obj - objects, and their attributes from mlx5dv_init_obj()
 * @cq: a CQ of ib_create_cq() or ib_alloc_cq(), with MLX5DV_OBJ_CQ
 * @cq.in: CQ
 * @cq.out: gets the attributes of the CQ
 * @pd: a PD of ib_alloc_pd(), with MLX5DV_OBJ_PD
 * @pd.in: PD
 * @pd.out: gets the attributes of the PD
 */
struct mlx5dv_obj {
	struct {
		struct ib_cq *in;
		struct mlx5dv_cq *out;
	} cq;
	struct {
		struct ib_pd *in;
		struct mlx5dv_pd *out;
	} pd;
};

/**
 * mlx5dv_init_obj() - get the numbers of objects of verbs
 * @obj: objects, and structures that get their attributes
 * @obj_type: one or more of enum mlx5dv_obj_type
 *
 * The numbers are valid until the objects are destroyed. A CQ keeps its number when it is resized.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EOPNOTSUPP: @obj_type is 0 or has other bits, or the device of an object has
 *   no direct verbs
 * * -EINVAL: an object belongs to a process
 */
int mlx5dv_init_obj(struct mlx5dv_obj *obj, u64 obj_type);

/**
 * mlx5dv_devx_open_verbs() - open a context whose commands may name objects of verbs
 * @ibdev: device with direct verbs (<rdma/mlx5dv.h>)
 *
 * libmlx5 has no such call. Unlike a context of mlx5dv_devx_open(), the context has
 * no user context of the device. So its objects have uid 0, the uid of objects of
 * verbs. mlx5dv_devx_close() closes the context. UMEMs are refused with
 * -EOPNOTSUPP, because the device creates UMEMs for user contexts only: commands
 * name memory by bus addresses. A command that creates a CQ, a DCT or an XRC SRQ
 * fails with -EINVAL, as does a command that creates a QP with a CQ that is not
 * attached.
 *
 * mlx5dv_devx_obj_destroy() first moves a QP to RESET, and drops its CQEs that
 * were not polled. If the device refuses to destroy the QP, the QP stays in
 * RESET.
 *
 * Context: may sleep.
 * Return:
 * * the context
 * * ERR_PTR(-EOPNOTSUPP): the device has no direct verbs
 * * ERR_PTR(-ENOMEM)
 */
struct mlx5dv_devx_ctx *mlx5dv_devx_open_verbs(struct ib_device *ibdev);

/**
 * typedef mlx5dv_devx_cqe_cb - function that gets a CQE
 * @arg: argument of mlx5dv_devx_attach_cq()
 * @cqe: struct mlx5_cqe64 of <linux/mlx5/device.h>, valid until the function returns. The low 24
 *	bits of sop_drop_qpn are the number of the QP
 *
 * Context: as in ib_poll_cq(), with a lock of the CQ held and, without PREEMPT_RT,
 * interrupts off. The function must not call verbs on CQs and QPs; it may write to rings and
 * ring doorbells of QPs of DEVX.
 */
typedef void (*mlx5dv_devx_cqe_cb)(void *arg, const void *cqe);

/**
 * mlx5dv_devx_attach_cq() - let QPs of a context complete in a CQ of verbs
 * @ctx: context of mlx5dv_devx_open_verbs()
 * @cq: CQ of ib_create_cq(), ib_alloc_cq() or ib_cq_pool_get(). Other ULPs
 *	share a CQ from the pool, and each ULP has reserved entries for its own
 *	completions only
 * @cb: function that gets the CQEs of all QPs of DEVX that complete in @cq; NULL to drop them
 * @arg: first argument of @cb
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: mlx5_ib drives the device of the CQ
 * * -EINVAL: @ctx was not opened by mlx5dv_devx_open_verbs(), or the CQ is of
 *   another device or of a process
 * * -EBUSY: the CQ is already attached
 * * -ENOMEM
 */
int mlx5dv_devx_attach_cq(struct mlx5dv_devx_ctx *ctx, struct ib_cq *cq, mlx5dv_devx_cqe_cb cb,
			  void *arg);

/**
 * mlx5dv_devx_detach_cq() - undo mlx5dv_devx_attach_cq()
 * @ctx: context
 * @cq: CQ. The function of mlx5dv_devx_attach_cq() does not run after this call
 *	has returned
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the context has not attached the CQ
 * * -EBUSY: a QP of the context completes in the CQ, which stays attached
 */
int mlx5dv_devx_detach_cq(struct mlx5dv_devx_ctx *ctx, struct ib_cq *cq);

#endif /* RDMA_MLX5DV_DEVX_VERBS_H */
