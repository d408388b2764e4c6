/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: PDs and CQs of verbs in firmware commands of kernel ULPs (DEVX)
 *
 * Included by <rdma/mlx5dv.h>. mlx5dv_init_obj(3) applies.
 *
 * A ULP that changes from verbs to firmware commands step by step creates a QP by a command, in
 * the PD of its MRs, and lets it complete in the CQ that it has already: one poller, one order of
 * completions. In userspace that works in any context. In the kernel the device refuses it in a
 * context of mlx5dv_devx_open(): objects of verbs have another uid than those of the context. So
 * such a ULP opens a context without a uid by mlx5dv_devx_open_verbs(), takes the numbers of PD and
 * CQ from mlx5dv_init_obj(), and attaches the CQ:
 *
 * ::
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
 * The QP must be gone before mlx5dv_devx_detach_cq(), which precedes ib_free_cq() or
 * ib_destroy_cq(); ib_dealloc_pd() comes last.
 *
 * What the device does not check
 * ------------------------------
 *
 * The device allows a command without a uid any object. The driver checks that a QP completes in
 * attached CQs only, and, as in all contexts, that a command that modifies or queries names the
 * object of its handle. All other numbers in commands, of PDs for example, are the
 * responsibility of the ULP, like the addresses that it writes to WQEs.
 *
 * Completions
 * -----------
 *
 * ib_poll_cq(), and so the poller of a CQ of ib_alloc_cq(), passes each CQE of such a QP to the
 * function of mlx5dv_devx_attach_cq(), in the order of the ring, among the completions of QPs of
 * verbs. It is no struct ib_wc and does not count as one: a call of ib_poll_cq() that finds nothing
 * else returns 0. ib_req_notify_cq() and the handler of the CQ work for the CQEs of all QPs. The
 * ULP creates the CQ with entries for the CQEs of the QP, too.
 *
 * After a fatal error of the device no CQE is passed any more: work requests of QPs of DEVX are not
 * flushed, unlike those of verbs.
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
 * Userspace also has QPs, whose number is ib_qp.qp_num here; SRQs, in which the driver counts the
 * receives that a QP of DEVX would consume; and others that the kernel does not have.
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
 * Unlike in userspace, there are no addresses: the driver polls the ring and resizes it.
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
 * struct mlx5dv_obj - objects, and what mlx5dv_init_obj() tells of them
 * @cq: a CQ of ib_create_cq() or ib_alloc_cq(), with MLX5DV_OBJ_CQ
 * @cq.in: CQ
 * @cq.out: gets its attributes
 * @pd: a PD of ib_alloc_pd(), with MLX5DV_OBJ_PD
 * @pd.in: PD
 * @pd.out: gets its attributes
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
 * mlx5dv_init_obj() - numbers of objects of verbs
 * @obj: objects, and where their attributes go
 * @obj_type: one or more of enum mlx5dv_obj_type
 *
 * The numbers are valid until the objects are destroyed. A CQ keeps its number when it is resized.
 *
 * Context: any.
 * Return: 0; -EOPNOTSUPP for other bits in @obj_type or none, and for objects of a device of
 * another driver; -EINVAL for an object of a process.
 */
int mlx5dv_init_obj(struct mlx5dv_obj *obj, u64 obj_type);

/**
 * mlx5dv_devx_open_verbs() - open a context whose commands may name objects of verbs
 * @ibdev: device of mlx5_ibx
 *
 * libmlx5 has no such call. A context like that of mlx5dv_devx_open(), closed by
 * mlx5dv_devx_close(), but without a user context: its objects have the uid of those of verbs. It
 * has no UMEMs, whose creation the device allows user contexts only (-EOPNOTSUPP): commands name
 * memory by bus addresses. A command that creates a CQ is -EINVAL, and so is a QP that completes in
 * a CQ that is not attached.
 *
 * mlx5dv_devx_obj_destroy() moves a QP to RESET first, where the QP stays when the device refuses
 * to destroy it, and drops its CQEs that were not polled.
 *
 * Context: may sleep.
 * Return: the context; ERR_PTR(-EOPNOTSUPP) for a device of another driver; or ERR_PTR(-ENOMEM).
 */
struct mlx5dv_devx_ctx *mlx5dv_devx_open_verbs(struct ib_device *ibdev);

/**
 * typedef mlx5dv_devx_cqe_cb - function that gets a CQE
 * @arg: argument of mlx5dv_devx_attach_cq()
 * @cqe: struct mlx5_cqe64 of <linux/mlx5/device.h>, valid until the function returns. The low 24
 *	bits of sop_drop_qpn are the number of the QP
 *
 * Context: that of ib_poll_cq(), with a lock of the CQ held and interrupts off. The function must
 * not call verbs on CQs and QPs; it may write to rings and ring doorbells of QPs of DEVX.
 */
typedef void (*mlx5dv_devx_cqe_cb)(void *arg, const void *cqe);

/**
 * mlx5dv_devx_attach_cq() - let QPs of a context complete in a CQ of verbs
 * @ctx: context of mlx5dv_devx_open_verbs()
 * @cq: CQ of ib_create_cq(), ib_alloc_cq() or ib_cq_pool_get(). Of a CQ from the pool, other ULPs
 *	have completions, too, and reserve the entries for theirs only
 * @cb: function that gets the CQEs of all QPs of DEVX that complete in @cq; NULL to drop them
 * @arg: first argument of @cb
 *
 * Context: may sleep.
 * Return: 0; -EINVAL for another context, and for a CQ of another device or of a process; -EBUSY
 * for a CQ that is attached; or -ENOMEM.
 */
int mlx5dv_devx_attach_cq(struct mlx5dv_devx_ctx *ctx, struct ib_cq *cq, mlx5dv_devx_cqe_cb cb,
			  void *arg);

/**
 * mlx5dv_devx_detach_cq() - undo mlx5dv_devx_attach_cq()
 * @ctx: context
 * @cq: CQ. Its function is not running when this returns, and is not called again
 *
 * Context: may sleep.
 * Return: 0; -EINVAL for a CQ that the context has not attached; -EBUSY when a QP of the context
 * completes in it, and nothing is changed.
 */
int mlx5dv_devx_detach_cq(struct mlx5dv_devx_ctx *ctx, struct ib_cq *cq);

#endif /* RDMA_MLX5DV_DEVX_VERBS_H */
