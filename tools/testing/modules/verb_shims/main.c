// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * verb_shims: makes the verbs of one RDMA device support less than its driver
 * does, as the verbs of other drivers do.
 *
 * The module replaces verbs of one device while it is loaded:
 *
 *	modprobe verb_shims device=mlx5_0 no_inline=1
 *
 * no_inline	QPs have no inline data, and post_send ignores IB_SEND_INLINE, as on mlx4
 * no_send_inv	IB_WR_SEND_WITH_INV is posted as IB_WR_SEND, as by a peer that never invalidates
 *	cut=N		of each Nth chain that begins with REG_MR, only the REG_MR is posted
 * lose_recvs	post_recv posts nothing, as by a peer that never is ready to receive
 * hold=N	the Nth deregistration of an MR while hold is set waits until hold is 0
 * slow_err=N	modify_qp to ERR takes N milliseconds longer
 *
 * The device must have no user when the module is loaded and when it is removed. lose_recvs, hold
 * and slow_err can be changed later. The parameters inlined, plain, refused, lost and held are
 * read-only counters of the changed work requests and calls.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "find_device.h"

static char *device = "";
module_param(device, charp, 0400);
MODULE_PARM_DESC(device, "name of the RDMA device");

static bool no_inline;
module_param(no_inline, bool, 0400);
MODULE_PARM_DESC(no_inline, "QPs have no inline data");

static bool no_send_inv;
module_param(no_send_inv, bool, 0400);
MODULE_PARM_DESC(no_send_inv, "SENDs do not invalidate");

static unsigned int cut;
module_param(cut, uint, 0400);
MODULE_PARM_DESC(cut, "refuse each Nth chain behind its registration; 0: none");

static bool lose_recvs;
module_param(lose_recvs, bool, 0600);
MODULE_PARM_DESC(lose_recvs, "receives are lost");

static unsigned int hold;
module_param(hold, uint, 0600);
MODULE_PARM_DESC(hold, "let the Nth deregistration wait; 0: none, and end the wait");

static unsigned int slow_err;
module_param(slow_err, uint, 0600);
MODULE_PARM_DESC(slow_err, "milliseconds that modify_qp to ERR takes longer");

static atomic_t s_inlined, s_plain, s_refused, s_lost, s_held, s_chains, s_deregs;

static int s_get_count(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read((atomic_t *)kp->arg));
}

static const struct kernel_param_ops s_count_ops = {
	.get = s_get_count,
};

module_param_cb(inlined, &s_count_ops, &s_inlined, 0400);
MODULE_PARM_DESC(inlined, "work requests with IB_SEND_INLINE on QPs without inline data");
module_param_cb(plain, &s_count_ops, &s_plain, 0400);
MODULE_PARM_DESC(plain, "SENDs that were to invalidate");
module_param_cb(refused, &s_count_ops, &s_refused, 0400);
MODULE_PARM_DESC(refused, "chains that were refused behind their registration");
module_param_cb(lost, &s_count_ops, &s_lost, 0400);
MODULE_PARM_DESC(lost, "calls of post_recv that posted nothing");
module_param_cb(held, &s_count_ops, &s_held, 0400);
MODULE_PARM_DESC(held, "deregistrations that wait, or did");

static struct ib_device *s_dev;
static int (*s_real_create_qp)(struct ib_qp *qp, struct ib_qp_init_attr *attr,
			       struct ib_udata *udata);
static int (*s_real_post_send)(struct ib_qp *qp, const struct ib_send_wr *wr,
			       const struct ib_send_wr **bad_wr);
static int (*s_real_post_recv)(struct ib_qp *qp, const struct ib_recv_wr *wr,
			       const struct ib_recv_wr **bad_wr);
static int (*s_real_dereg_mr)(struct ib_mr *mr, struct ib_udata *udata);
static int (*s_real_modify_qp)(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			       struct ib_udata *udata);

static int s_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	int err = s_real_create_qp(qp, attr, udata);

	if (!err && no_inline)
		attr->cap.max_inline_data = 0;
	return err;
}

/* Remove the features of work requests that the device lacks. */
static void s_reduce(struct ib_send_wr *wr)
{
	for (; wr; wr = wr->next) {
		if (no_inline && wr->send_flags & IB_SEND_INLINE) {
			wr->send_flags &= ~IB_SEND_INLINE;
			atomic_inc(&s_inlined);
		}
		if (no_send_inv && wr->opcode == IB_WR_SEND_WITH_INV) {
			wr->opcode = IB_WR_SEND;
			atomic_inc(&s_plain);
		}
	}
}

/* Posts only the registration at the start of a chain, and refuses the rest. */
static int s_post_cut(struct ib_qp *qp, struct ib_send_wr *reg, const struct ib_send_wr **bad_wr)
{
	struct ib_send_wr *rest = reg->next;
	int err;

	reg->next = NULL;
	err = s_real_post_send(qp, reg, bad_wr);
	reg->next = rest;
	if (err)
		return err;
	atomic_inc(&s_refused);
	*bad_wr = rest;
	return -ENOMEM;
}

static int s_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad_wr)
{
	/* ULPs in the kernel have their work requests in writable memory, so the cast is safe */
	struct ib_send_wr *first = (struct ib_send_wr *)wr;

	s_reduce(first);
	if (cut && first && first->opcode == IB_WR_REG_MR && first->next &&
	    atomic_inc_return(&s_chains) % cut == 0)
		return s_post_cut(qp, first, bad_wr);
	return s_real_post_send(qp, wr, bad_wr);
}

static int s_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad_wr)
{
	if (!READ_ONCE(lose_recvs))
		return s_real_post_recv(qp, wr, bad_wr);
	atomic_inc(&s_lost);
	return 0;
}

static int s_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	unsigned int nr = READ_ONCE(hold);

	if (nr && atomic_inc_return(&s_deregs) == nr) {
		atomic_inc(&s_held);
		while (READ_ONCE(hold))
			msleep(20);
	}
	return s_real_dereg_mr(mr, udata);
}

static int s_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata)
{
	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_ERR)
		msleep(READ_ONCE(slow_err));
	return s_real_modify_qp(qp, attr, mask, udata);
}

static int __init s_init(void)
{
	s_dev = t_find_device(device);
	if (!s_dev)
		return -ENODEV;
	s_real_create_qp = s_dev->ops.create_qp;
	s_real_post_send = s_dev->ops.post_send;
	s_real_post_recv = s_dev->ops.post_recv;
	s_real_dereg_mr = s_dev->ops.dereg_mr;
	s_real_modify_qp = s_dev->ops.modify_qp;
	s_dev->ops.create_qp = s_create_qp;
	s_dev->ops.post_send = s_post_send;
	s_dev->ops.post_recv = s_post_recv;
	s_dev->ops.dereg_mr = s_dereg_mr;
	s_dev->ops.modify_qp = s_modify_qp;
	return 0;
}

static void __exit s_exit(void)
{
	s_dev->ops.modify_qp = s_real_modify_qp;
	s_dev->ops.dereg_mr = s_real_dereg_mr;
	s_dev->ops.post_recv = s_real_post_recv;
	s_dev->ops.post_send = s_real_post_send;
	s_dev->ops.create_qp = s_real_create_qp;
	ib_device_put(s_dev);
}

module_init(s_init);
module_exit(s_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Verbs that do less");
