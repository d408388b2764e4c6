// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * State changes of a QP. Attributes are checked and stored here; qpc.c builds
 * the context and chooses the command.
 *
 * qp->mutex serializes the changes. qp->state is set after the device has
 * changed the state, with two exceptions. RESET is set first, because posting
 * must stop before the rings are cleared. A QP of a CQ in error is stopped: it
 * is in ERR in qp->state, and in RESET on the device (stop_qp()). When the
 * device moves a QP to ERR without a command, qp->state is old until the QP is
 * queried; the device flushes WRs posted meanwhile.
 */
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "cmd/cmd.h"
#include "enc/qpc.h"
#include "enc/rate.h"
#include "verbs/verbs.h"
#include "xrc.h"

#define UNSUPPORTED_MASK	(IB_QP_ALT_PATH | IB_QP_CAP | IB_QP_EN_SQD_ASYNC_NOTIFY | \
				 IB_QP_RATE_LIMIT)

static int encode_rate(struct ibx_dev *dev, const struct rdma_ah_attr *ah)
{
	return ibx_rate(MLX5_CAP_GEN(dev->mdev, stat_rate_support), rdma_ah_get_static_rate(ah));
}

static int check_path(struct ibx_dev *dev, const struct rdma_ah_attr *ah)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);

	if (ah->type != RDMA_AH_ATTR_TYPE_ROCE || !(rdma_ah_get_ah_flags(ah) & IB_AH_GRH) ||
	    !grh->sgid_attr)
		return -EINVAL;
	if (grh->sgid_index >= MLX5_CAP_ROCE(dev->mdev, roce_address_table_size))
		return -EINVAL;
	return encode_rate(dev, ah) < 0 ? -EINVAL : 0;
}

/*
 * maximum number of outstanding READs and atomics of a QP. In capabilities,
 * ra_res is the limit of the requester, and ra_req the limit of the responder
 */
static u32 max_rd_atomic(const struct ibx_dev *dev, u8 st)
{
	return BIT(st == MLX5_QP_ST_DCI ? MLX5_CAP_GEN(dev->mdev, log_max_ra_res_dc) :
					  MLX5_CAP_GEN(dev->mdev, log_max_ra_res_qp));
}

static int check_ranges(struct ibx_dev *dev, u8 st, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_PORT && attr->port_num != IBX_PORT)
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index)
		return -EINVAL;
	if (mask & IB_QP_PATH_MTU &&
	    (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096))
		return -EINVAL;
	if (mask & IB_QP_DEST_QPN && attr->dest_qp_num > 0xffffff)
		return -EINVAL;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC &&
	    attr->max_rd_atomic > max_rd_atomic(dev, st))
		return -EINVAL;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	    attr->max_dest_rd_atomic > BIT(MLX5_CAP_GEN(dev->mdev, log_max_ra_req_qp)))
		return -EINVAL;
	if (mask & IB_QP_RNR_RETRY && attr->rnr_retry > 7)
		return -EINVAL;
	if (mask & IB_QP_RETRY_CNT && attr->retry_cnt > 7)
		return -EINVAL;
	if (mask & IB_QP_TIMEOUT && attr->timeout > 31)
		return -EINVAL;
	if (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31)
		return -EINVAL;
	return 0;
}

static int qp_check_attr(struct ibx_dev *dev, u8 st,
			 const struct ib_qp_attr *attr, int mask)
{
	int err;

	if (mask & (UNSUPPORTED_MASK | ~IB_QP_ATTR_STANDARD_BITS))
		return -EOPNOTSUPP;
	if (mask & IB_QP_PATH_MIG_STATE && attr->path_mig_state != IB_MIG_MIGRATED)
		return -EOPNOTSUPP;
	/*
	 * Access flags that a QP of the device does not have (FLUSH, MW_BIND
	 * and the like) are ignored, as in mlx5_ib, because libraries set them
	 * for each QP. The operations that they would allow fail.
	 */
	if (mask & IB_QP_ACCESS_FLAGS && attr->qp_access_flags & ~IB_ACCESS_SUPPORTED)
		return -EOPNOTSUPP;
	err = check_ranges(dev, st, attr, mask);
	if (!err && mask & IB_QP_AV)
		err = check_path(dev, &attr->ah_attr);
	return err;
}

/* counter set that a QP is to use */
static u8 counter_set(const struct ibx_dev *dev, const struct ibx_qp *qp)
{
	return qp->ibqp.counter ? qp->ibqp.counter->id : dev->counters.set;
}

static void set_mod_params(struct ibx_dev *dev, struct ibx_qp *qp,
			   const struct ib_qp_attr *attr, int mask, struct ibx_qpc_mod *p)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(&attr->ah_attr);

	p->attr = attr;
	p->mask = mask;
	p->st = qp->st;
	p->pdn = qp->ibqp.pd ? to_ipd(qp->ibqp.pd)->pdn : dev->xrc->pd.pdn;
	p->scqn = qp->ibqp.send_cq ? to_icq(qp->ibqp.send_cq)->mcq.cqn : 0;
	p->rcqn = qp->ibqp.recv_cq ? to_icq(qp->ibqp.recv_cq)->mcq.cqn : 0;
	p->qpn = qp->qpn;
	p->port = qp->port;
	p->access = mask & IB_QP_ACCESS_FLAGS ? attr->qp_access_flags : qp->access;
	p->resp_depth = mask & IB_QP_MAX_DEST_RD_ATOMIC ? attr->max_dest_rd_atomic :
							  qp->resp_depth;
	p->atomics = ibx_has_atomics(dev);
	p->log_max_msg = MLX5_CAP_GEN(dev->mdev, log_max_msg);
	p->user = ibx_qp_of_process(qp);
	p->qset = counter_set(dev, qp);
	if (mask & IB_QP_AV) {
		p->rate = encode_rate(dev, &attr->ah_attr);
		p->roce_v2 = grh->sgid_attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP;
	}
}

static int enable_drain(struct ibx_dev *dev, struct ibx_qp *qp)
{
	u32 *qpc;
	int err;

	qpc = kzalloc(MLX5_ST_SZ_BYTES(qpc), GFP_KERNEL);
	if (!qpc)
		return -ENOMEM;
	MLX5_SET(qpc, qpc, drain_sigerr, 1);
	err = ibx_cmd_step_qp(dev, MLX5_CMD_OP_INIT2INIT_QP, qp, IBX_QP_OPT_DRAIN_SIGERR, qpc);
	kfree(qpc);
	return err;
}

/* features that only a QP in INIT can enable */
static int enable_features(struct ibx_dev *dev, struct ibx_qp *qp)
{
	int err = 0;

	if (qp->mmo)
		err = ibx_cmd_extend_qp(dev, MLX5_CMD_OP_INIT2INIT_QP, qp, IBX_QP_EXT_MMO, 1);
	if (!err && qp->drain_sigerr)
		err = enable_drain(dev, qp);
	return err;
}

/* changes to INIT, RTR and RTS, whose commands carry a context */
static int step_up(struct ibx_dev *dev, struct ibx_qp *qp, const struct ibx_qp_step *step,
		   struct ibx_qpc_mod *p)
{
	u32 *qpc;
	int err;

	qpc = kzalloc(MLX5_ST_SZ_BYTES(qpc), GFP_KERNEL);
	if (!qpc)
		return -ENOMEM;
	ibx_qpc_modify(qpc, p);
	err = ibx_cmd_step_qp(dev, step->opcode, qp, step->opt_mask, qpc);
	kfree(qpc);
	if (err)
		return err;

	if (p->init) {
		err = enable_features(dev, qp);
		if (err) {
			/* qp->state is still RESET, even if this command fails */
			ibx_cmd_reset_qp(dev, qp);
			return err;
		}
	}

	qp->access = p->access;
	qp->resp_depth = p->resp_depth;
	return 0;
}

static void set_state(struct ibx_qp *qp, enum ib_qp_state state)
{
	unsigned long flags;

	/* posting reads the state under one of these locks */
	spin_lock_irqsave(&qp->sq.lock, flags);
	spin_lock(&qp->rq.lock);
	WRITE_ONCE(qp->state, state);
	spin_unlock(&qp->rq.lock);
	spin_unlock_irqrestore(&qp->sq.lock, flags);
}

/*
 * a QP in RESET drops posted WRs without completions, as the IBTA specification
 * requires. The rings of a process are emptied by the process.
 */
static void reset_wrs(struct ibx_qp *qp)
{
	if (!ibx_qp_of_process(qp))
		ibx_qp_drop_wrs(qp);
	WRITE_ONCE(qp->stopping, false);
	WRITE_ONCE(qp->last_wqe_told, false);
	qp->access = 0;
	qp->resp_depth = 0;
}

/*
 * After a fatal error, to_reset() and to_error() change the state even if the
 * command failed: a command that was in progress at the error can time out, and
 * consumers that drain the QP rely on the change.
 */

static int to_reset(struct ibx_dev *dev, struct ibx_qp *qp)
{
	enum ib_qp_state old = qp->state;
	int err = 0;

	set_state(qp, IB_QPS_RESET);
	if (!qp->stopped)
		err = ibx_cmd_reset_qp(dev, qp);
	if (err && !ibx_dead(dev)) {
		set_state(qp, old);
		return err;
	}
	reset_wrs(qp);
	return 0;
}

/*
 * A CQ in error gets no CQEs, so the end of a WR is unknown: in ERR, the device
 * may still access the memory of the WR. So the QP is moved to RESET on the
 * device, which ends all accesses, and stays in ERR for its owner.
 */
static int stop_qp(struct ibx_dev *dev, struct ibx_qp *qp)
{
	int err;

	lockdep_assert_held(&qp->mutex);
	if (qp->stopped || !ibx_qp_cq_failed(qp))
		return 0;
	err = ibx_cmd_reset_qp(dev, qp);
	if (err && !ibx_dead(dev))
		return err;
	ibx_qp_set_stopped(qp);
	return 0;
}

static int to_error(struct ibx_dev *dev, struct ibx_qp *qp)
{
	int err = 0;

	if (!qp->stopped)
		err = ibx_cmd_error_qp(dev, qp);
	if (err && !ibx_dead(dev))
		return err;
	set_state(qp, IB_QPS_ERR);
	WRITE_ONCE(qp->stopping, true);
	return stop_qp(dev, qp);
}

/**
 * ibx_qp_stop() - stop a QP of a CQ in error
 * @qp: QP
 *
 * Does nothing unless the owner has moved the QP to ERR. If the device refuses
 * to reset the QP, the kernel log has the error, and the QP is stopped the next
 * time that its owner moves it to ERR.
 *
 * Context: may sleep.
 */
void ibx_qp_stop(struct ibx_qp *qp)
{
	struct ibx_dev *dev = to_idev(qp->ibqp.device);
	int err = 0;

	mutex_lock(&qp->mutex);
	if (qp->stopping && qp->state == IB_QPS_ERR)
		err = stop_qp(dev, qp);
	if (err) {
		ibx_err(dev, "QP 0x%x cannot be stopped: error %d\n", qp->qpn, err);
		WRITE_ONCE(qp->stopping, false);
	}
	mutex_unlock(&qp->mutex);
}

/*
 * bind the set of a QP that entered RTS. A failure is only logged: the change
 * to RTS succeeds
 */
static void settle_counter(struct ibx_dev *dev, struct ibx_qp *qp)
{
	int err = ibx_cmd_bind_counter(dev, qp, counter_set(dev, qp));

	if (err)
		ibx_warn(dev, "QP 0x%x stays with its counter set: %d\n", qp->qpn, err);
	else
		qp->counter_pending = false;
}

/*
 * Queries a QP and updates qp->state: the device may have moved the QP to ERR,
 * or to RESET although the command reported an error.
 */
static int sync_state(struct ibx_dev *dev, struct ibx_qp *qp, u32 *qpc, bool *draining)
{
	enum ib_qp_state state;
	int err;

	lockdep_assert_held(&qp->mutex);
	err = ibx_cmd_query_qp(dev, qp->qpn, qpc);
	if (!err)
		err = ibx_qpc_state(qpc, &state, draining);
	if (err || qp->stopped || state == qp->state)
		return err;
	set_state(qp, state);
	if (state == IB_QPS_RESET)
		reset_wrs(qp);
	return 0;
}

/*
 * a process may have enabled draining by a command of DEVX, which the driver
 * does not record
 */
static bool may_drain(const struct ibx_dev *dev, struct ibx_qp *qp)
{
	return qp->drain_sigerr ||
	       (ibx_qp_of_process(qp) && MLX5_CAP_GEN(dev->mdev, drain_sigerr));
}

/*
 * Get the state from which a change starts. After a signature error, the device
 * itself moves a QP with drain_sigerr from RTS to SQD.
 */
static int current_state(struct ibx_dev *dev, struct ibx_qp *qp, enum ib_qp_state *cur)
{
	bool draining;
	u32 *qpc;
	int err = 0;

	if (may_drain(dev, qp) && qp->state == IB_QPS_RTS) {
		qpc = kzalloc(MLX5_ST_SZ_BYTES(qpc), GFP_KERNEL);
		if (!qpc)
			return -ENOMEM;
		err = sync_state(dev, qp, qpc, &draining);
		kfree(qpc);
	}
	*cur = qp->state;
	return err;
}

static bool step_is_ok(const struct ibx_qp *qp, enum ib_qp_state cur, enum ib_qp_state next,
		       int mask)
{
	if (qp->ibqp.qp_type == IB_QPT_DRIVER)
		return ibx_mlx5_step_is_ok(qp->st, cur, next, mask);
	return ib_modify_qp_is_ok(cur, next, qp->ibqp.qp_type, mask);
}

static int modify_dct(struct ibx_dev *dev, struct ibx_qp *qp, const struct ib_qp_attr *attr,
		      enum ib_qp_state next)
{
	int err = ibx_dct_modify(dev, qp, attr, next, counter_set(dev, qp));

	if (!err)
		set_state(qp, next);
	return err;
}

/*
 * ib_mad moves the GSI QP from SQE to RTS after a failed send. After a fatal
 * error of the device, sends fail in RTS (flush_send() in poll.c), and every
 * command fails: so the change of state succeeds without a command.
 */
static bool is_resumed_dead_gsi(const struct ibx_dev *dev, const struct ibx_qp *qp,
				enum ib_qp_state cur, enum ib_qp_state next)
{
	return ibx_dead(dev) && qp->ibqp.qp_type == IB_QPT_GSI && qp->state == IB_QPS_RTS &&
	       cur == IB_QPS_SQE && next == IB_QPS_RTS;
}

static int modify_locked(struct ibx_dev *dev, struct ibx_qp *qp, const struct ib_qp_attr *attr,
			 int mask)
{
	enum ib_qp_state cur = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : qp->state;
	enum ib_qp_state next = mask & IB_QP_STATE ? attr->qp_state : cur;
	struct ibx_qpc_mod p = { .init = cur == IB_QPS_RESET };
	struct ibx_qp_step step;
	int err;

	lockdep_assert_held(&qp->mutex);
	if (next == IB_QPS_RTS && !(mask & IB_QP_CUR_STATE)) {
		err = current_state(dev, qp, &cur);
		if (err)
			return err;
	}
	if (!step_is_ok(qp, cur, next, mask))
		return -EINVAL;
	err = qp_check_attr(dev, qp->st, attr, mask);
	if (err)
		return err;
	if (qp->st == MLX5_QP_ST_DCT)
		return modify_dct(dev, qp, attr, next);
	if (cur == IB_QPS_RESET && next == IB_QPS_RESET)
		return 0;
	if (is_resumed_dead_gsi(dev, qp, cur, next))
		return 0;
	err = ibx_qp_step(qp->st, cur, next, mask, &step);
	if (err)
		return err;

	if (next == IB_QPS_RESET)
		return to_reset(dev, qp);
	if (next == IB_QPS_ERR)
		return to_error(dev, qp);

	set_mod_params(dev, qp, attr, mask, &p);
	err = step_up(dev, qp, &step, &p);
	if (err)
		return err;
	set_state(qp, next);
	if (p.init)
		qp->counter_pending = false;
	else if (next == IB_QPS_RTS && qp->counter_pending)
		settle_counter(dev, qp);
	return 0;
}

/**
 * ibx_modify_qp() - verb modify_qp
 * @ibqp: the QP
 * @attr: attributes
 * @mask: IB_QP_*: attributes that are set in @attr
 * @udata: NULL; user space is not supported
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the IBTA specification does not allow the transition, or a value
 *   is out of range
 * * -EOPNOTSUPP: user space, alternate paths, resizing, rate limits, or a
 *   transition that the device does not support
 * * -ENOMEM
 * * an errno from cmd.h
 *
 * After an error the QP is unchanged, unless the device moved it to ERR.
 */
int ibx_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct ibx_qp *qp = to_iqp(ibqp);
	int err;

	if (udata)
		return -EOPNOTSUPP;
	mutex_lock(&qp->mutex);
	err = modify_locked(to_idev(ibqp->device), qp, attr, mask);
	mutex_unlock(&qp->mutex);
	return err;
}

static int set_counter(struct ibx_dev *dev, struct ibx_qp *qp, struct rdma_counter *counter)
{
	u8 set = counter ? counter->id : dev->counters.set;
	bool draining;
	u32 *qpc;
	int err;

	/*
	 * a DCT gets its counter set when the device creates it, and has no
	 * number before its creation
	 */
	if (qp->st == MLX5_QP_ST_DCT)
		return -EOPNOTSUPP;
	if (qp->state != IB_QPS_RESET) {
		if (!MLX5_CAP_GEN(dev->mdev, rts2rts_qp_counters_set_id))
			return -EOPNOTSUPP;
		/*
		 * The device may have moved the QP to ERR. A command to bind
		 * its counter set would fail, and mlx5_core would log this
		 */
		qpc = kzalloc(MLX5_ST_SZ_BYTES(qpc), GFP_KERNEL);
		if (!qpc)
			return -ENOMEM;
		err = sync_state(dev, qp, qpc, &draining);
		kfree(qpc);
		if (err)
			return err;
	}

	if (qp->state == IB_QPS_RTS) {
		err = ibx_cmd_bind_counter(dev, qp, set);
		if (err)
			return err;
	} else {
		qp->counter_pending = true;
	}
	/* set last: readers rely on the device counting in this set */
	qp->ibqp.counter = counter;
	return 0;
}

/**
 * ibx_qp_set_counter() - move a QP to another counter set
 * @ibqp: the QP
 * @counter: counter that has the other set; NULL for the port's set
 *
 * The move takes effect at once for a QP in RTS, with the change to INIT for a
 * QP in RESET, and otherwise when the QP enters RTS.
 *
 * Context: may sleep; the core holds counter->lock.
 * Return:
 * * 0
 * * -EOPNOTSUPP: the QP is a DCT; or the QP has left RESET, and the device
 *   cannot change the set of such a QP
 * * -EIO: the state of the QP is unknown
 * * -ENOMEM
 * * an errno from cmd.h
 *
 * After an error the QP keeps its counter set.
 */
int ibx_qp_set_counter(struct ib_qp *ibqp, struct rdma_counter *counter)
{
	struct ibx_qp *qp = to_iqp(ibqp);
	int err;

	mutex_lock(&qp->mutex);
	err = set_counter(to_idev(ibqp->device), qp, counter);
	mutex_unlock(&qp->mutex);
	return err;
}

static int query_attr(struct ibx_dev *dev, struct ibx_qp *qp, struct ib_qp_attr *attr)
{
	bool draining;
	u32 *qpc;
	int err;

	if (qp->st == MLX5_QP_ST_DCT) {
		ibx_dct_query(qp, attr);
		return 0;
	}
	qpc = kzalloc(MLX5_ST_SZ_BYTES(qpc), GFP_KERNEL);
	if (!qpc)
		return -ENOMEM;
	err = sync_state(dev, qp, qpc, &draining);
	if (!err) {
		ibx_qpc_to_attr(qpc, attr);
		attr->sq_draining = draining;
	}
	kfree(qpc);
	return err;
}

/**
 * ibx_query_qp() - verb query_qp
 * @ibqp: the QP
 * @attr: gets the attributes of the QP
 * @mask: ignored: all attributes are filled in
 * @init: gets the attributes with which the QP was created
 *
 * qp->state is set to the state that the device reports.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EIO: the QP is in a state that verbs do not have
 * * -ENOMEM
 * * an errno from cmd.h
 */
int ibx_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct ibx_qp *qp = to_iqp(ibqp);
	int err;

	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	mutex_lock(&qp->mutex);
	err = query_attr(to_idev(ibqp->device), qp, attr);
	if (err)
		goto unlock;

	attr->qp_state = qp->state;
	attr->cur_qp_state = attr->qp_state;
	attr->cap = qp->cap;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->port_num = qp->port;
unlock:
	mutex_unlock(&qp->mutex);
	return err;
}

/**
 * ibx_qp_drained_at() - find where a drained send queue has stopped
 * @qp: QP
 * @block: gets the index of the block of the next WQE, not masked
 *
 * Context: may sleep; qp->mutex is held, so that the queue stays drained.
 * Return:
 * * 0
 * * -EINVAL: the QP is not in SQD, or not drained yet
 * * -EIO: the QP is in a state that verbs do not have
 * * -ENOMEM
 * * an errno from cmd.h
 */
int ibx_qp_drained_at(struct ibx_qp *qp, u16 *block)
{
	struct ibx_dev *dev = to_idev(qp->ibqp.device);
	bool draining;
	u32 *qpc;
	int err;

	qpc = kzalloc(MLX5_ST_SZ_BYTES(qpc), GFP_KERNEL);
	if (!qpc)
		return -ENOMEM;
	err = sync_state(dev, qp, qpc, &draining);
	if (!err && (draining || qp->state != IB_QPS_SQD))
		err = -EINVAL;
	*block = MLX5_GET(qpc, qpc, hw_sq_wqebb_counter);
	kfree(qpc);
	return err;
}
