// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: life cycle and events. Polling is in wq/poll.c.
 *
 * mlx5_core's interrupt handler of the completion vector calls comp_handler
 * directly, in hard interrupt context. A CQ error arrives on the async event
 * queue, in hard interrupt context too. mlx5_core holds a reference to the CQ
 * during each call; destroying the CQ waits for that reference. notifier.c
 * describes how the QPs of a CQ in error are handled.
 *
 * Resizing. MODIFY_CQ names a second ring, while the device and consumers go on
 * with the first. The device ends the first ring with a RESIZE_CQ entry, and
 * only then answers the command. A consumer that polls that entry changes to
 * the second ring. If no consumer has polled that entry when the command is
 * answered, this file moves the remaining CQEs to the second ring, under the
 * CQ's lock. The first ring is not used afterwards.
 *
 * The size of a CQ, as its consumer sees it, counts the completions of work
 * requests. The ring may be larger, for CQEs that complete no work request
 * (ibx_cq_reserve()).
 *
 * A device that does not answer MODIFY_CQ may change to the second ring at any
 * time, so both rings are kept. Consumers change to the second ring when the
 * device does. The CQ cannot be resized again before that.
 */
#include "cmd/cmd.h"
#include "trace.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

static void cq_comp_event(struct mlx5_core_cq *mcq, struct mlx5_eqe *eqe)
{
	struct ib_cq *ibcq = &container_of(mcq, struct ibx_cq, mcq)->ibcq;

	if (ibcq->comp_handler)
		ibcq->comp_handler(ibcq, ibcq->cq_context);
}

static void cq_async_event(struct mlx5_core_cq *mcq, enum mlx5_event type)
{
	struct ibx_cq *cq = container_of(mcq, struct ibx_cq, mcq);
	struct ibx_dev *dev = to_idev(cq->ibcq.device);
	struct ib_cq *ibcq = &cq->ibcq;
	struct ib_event event = {
		.device = ibcq->device,
		.event = IB_EVENT_CQ_ERR,
		.element.cq = ibcq,
	};
	void (*handler)(struct ib_event *event, void *context);

	if (type != MLX5_EVENT_TYPE_CQ_ERROR) {
		ibx_warn(dev, "event 0x%x on CQ 0x%x is unknown\n", type, mcq->cqn);
		return;
	}
	trace_ibx_event_cq(dev, event.event, mcq->cqn);
	ibx_err(dev, "CQ 0x%x is in error\n", mcq->cqn);
	WRITE_ONCE(cq->failed, true);
	WRITE_ONCE(cq->silent, true);
	/*
	 * the core's pool must not use the CQ again: the CQ raises no more
	 * events
	 */
	WRITE_ONCE(ibcq->comp_vector, U32_MAX);
	ibx_event_watch(dev);
	/*
	 * cq->failed is stored before the handler is read: pairs with smp_mb()
	 * in ibx_umr_qp_create(), which sets the handler and then reads failed
	 */
	smp_mb();
	handler = READ_ONCE(ibcq->event_handler);
	if (handler)
		handler(&event, ibcq->cq_context);
}

static void cq_init(struct ibx_cq *cq, u32 entries)
{
	spin_lock_init(&cq->lock);
	mutex_init(&cq->mutex);
	INIT_LIST_HEAD(&cq->send_qps);
	INIT_LIST_HEAD(&cq->recv_qps);
	ibx_cqb_init(&cq->cqb, cq->buf.va, entries, cq->db.db);
	cq->mcq.cqe_sz = sizeof(struct mlx5_cqe64);
	cq->mcq.set_ci_db = cq->db.db;
	cq->mcq.arm_db = cq->db.db + 1;
	*cq->mcq.set_ci_db = 0;
	cq->mcq.comp = cq_comp_event;
	cq->mcq.event = cq_async_event;
	cq->ibcq.cqe = entries - 1;
}

/**
 * ibx_create_cq() - verb create_cq
 * @ibcq: CQ; its cqe gets the actual number of entries
 * @attr: number of entries and completion vector
 * @attrs: NULL; user space is not supported
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: user space, or @attr has flags
 * * -EINVAL: a size or a vector is out of range
 * * -ENOMEM
 * * an errno from cmd.h
 *
 * The ring is leaked if the device may have the CQ, or may still create it
 * (ibx_cmd_cq_lost()).
 */
int ibx_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *attrs)
{
	struct ibx_dev *dev = to_idev(ibcq->device);
	u32 max = BIT(MLX5_CAP_GEN(dev->mdev, log_max_cq_sz));
	struct ibx_cq *cq = to_icq(ibcq);
	struct ibx_cq_params p = {};
	u32 entries;
	int err;

	if (attrs || attr->flags)
		return -EOPNOTSUPP;
	/* one entry stays free, so that full and empty differ */
	if (!attr->cqe || attr->cqe > max - 1 ||
	    attr->comp_vector >= (u32)ibcq->device->num_comp_vectors)
		return -EINVAL;
	entries = roundup_pow_of_two(attr->cqe + 1);

	err = mlx5_comp_eqn_get(dev->mdev, attr->comp_vector, &p.eqn);
	if (err)
		return err;
	err = mlx5_db_alloc(dev->mdev, &cq->db);
	if (err)
		return err;
	err = ibx_buf_alloc(dev, &cq->buf, (size_t)entries * sizeof(struct mlx5_cqe64));
	if (err)
		goto free_db;

	cq_init(cq, entries);
	cq->vector = attr->comp_vector;
	p.buf = &cq->buf;
	p.log_size = ilog2(entries);
	p.uar = dev->bfreg.up->index;
	p.dbr = cq->db.dma;
	err = ibx_cmd_create_cq(dev, &cq->mcq, &p);
	if (err)
		goto free_buf;
	return 0;

free_buf:
	if (ibx_cmd_cq_lost(&cq->mcq, err)) {
		/*
		 * the ring and the doorbell records are never freed: the device
		 * may still use them
		 */
		ibx_buf_leak(&cq->buf);
		return err;
	}
	ibx_buf_free(dev, &cq->buf);
free_db:
	mlx5_db_free(dev->mdev, &cq->db);
	return err;
}

/**
 * ibx_pre_destroy_cq() - verb pre_destroy_cq: destroy a CQ on the device
 * @ibcq: CQ that no QP uses
 *
 * The core calls this before it stops its poller, so that no completion event
 * restarts the poller later. The core's adaptive moderation, a separate work
 * item, is stopped even later. ibx_modify_cq() returns -ENODEV from here on,
 * because the number of the CQ may be used again. A poller that runs may still
 * write the number to the doorbell that arms CQs. This is harmless, even if
 * another CQ has the number by then: the device takes the state from the
 * doorbell record of the CQ.
 *
 * Context: may sleep. When this returns, comp_handler is not running and will
 * not be called again; the CQ may still be polled.
 * Return: 0. A CQ that the device refuses to destroy is reported in the kernel
 * log.
 */
int ibx_pre_destroy_cq(struct ib_cq *ibcq)
{
	struct ibx_dev *dev = to_idev(ibcq->device);
	struct ibx_cq *cq = to_icq(ibcq);
	int err;

	/* the owner must have called mlx5dv_devx_detach_cq() */
	WARN_ON(cq->attached);
	mutex_lock(&cq->mutex);
	cq->gone = true;
	mutex_unlock(&cq->mutex);
	WRITE_ONCE(cq->silent, true);
	err = ibx_cmd_destroy_cq(dev, &cq->mcq);
	ibx_cmd_left(dev, "CQ", cq->mcq.cqn, err);
	cq->left = err;
	return 0;
}

/**
 * ibx_post_destroy_cq() - verb post_destroy_cq: free the memory of a CQ
 * @ibcq: CQ after ibx_pre_destroy_cq(), no longer polled
 *
 * The device writes nothing to a CQ without QPs, so the ring is freed even if
 * the device refused to destroy the CQ. The exceptions are a CQ of a QP that
 * could not be stopped, and both rings of a CQ whose resize was never answered.
 * If the device has destroyed the CQ, only the new ring of an unanswered resize
 * is leaked: the resize may still be executed, on the next CQ of that number.
 *
 * Context: may sleep.
 */
void ibx_post_destroy_cq(struct ib_cq *ibcq)
{
	struct ibx_dev *dev = to_idev(ibcq->device);
	struct ibx_cq *cq = to_icq(ibcq);

	if (cq->left && (cq->exposed || cq->next_buf.va)) {
		ibx_buf_leak(&cq->next_buf);
		ibx_buf_leak(&cq->buf);
		return;
	}
	if (cq->next_buf.va && !ibx_dead(dev))
		ibx_buf_leak(&cq->next_buf);
	else
		ibx_buf_free(dev, &cq->next_buf);
	ibx_buf_free(dev, &cq->buf);
	mlx5_db_free(dev->mdev, &cq->db);
}

/**
 * ibx_destroy_cq() - verb destroy_cq
 * @ibcq: CQ that no QP uses and no consumer polls
 * @udata: unused
 *
 * Context: may sleep.
 * Return: 0.
 */
int ibx_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	ibx_pre_destroy_cq(ibcq);
	ibx_post_destroy_cq(ibcq);
	return 0;
}

/**
 * ibx_modify_cq() - verb modify_cq: event moderation
 * @ibcq: the CQ
 * @count: number of completions after which an event is raised
 * @period: time in us after which an event is raised at the latest
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: the device has no moderation
 * * -EINVAL: the period is above MLX5_MAX_CQ_PERIOD
 * * -ENODEV: after ibx_pre_destroy_cq()
 * * an errno from cmd.h
 */
int ibx_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct ibx_dev *dev = to_idev(ibcq->device);
	struct ibx_cq *cq = to_icq(ibcq);
	int err = -ENODEV;

	if (!MLX5_CAP_GEN(dev->mdev, cq_moderation))
		return -EOPNOTSUPP;
	if (period > MLX5_MAX_CQ_PERIOD)
		return -EINVAL;

	mutex_lock(&cq->mutex);
	if (!cq->gone)
		err = ibx_cmd_moderate_cq(dev, &cq->mcq, period, count);
	if (!err) {
		cq->period = period;
		cq->count = count;
	}
	mutex_unlock(&cq->mutex);
	return err;
}

/* free the old ring after consumers have changed to the new ring */
static void drop_old_ring(struct ibx_dev *dev, struct ibx_cq *cq)
{
	ibx_buf_free(dev, &cq->buf);
	swap(cq->buf, cq->next_buf);
	cq->ibcq.cqe = cq->next_cqe;
}

static void offer_ring(struct ibx_cq *cq, void *buf, u32 entries)
{
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->cqb.next_buf = buf;
	cq->cqb.next_cnt = entries;
	spin_unlock_irqrestore(&cq->lock, flags);
}

static bool change_over(struct ibx_cq *cq)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&cq->lock, flags);
	done = !cq->cqb.next_buf || ibx_cqb_move(&cq->cqb);
	spin_unlock_irqrestore(&cq->lock, flags);
	return done;
}

/* @cqe: ibcq.cqe after the resize */
static int cq_resize_ring(struct ibx_dev *dev, struct ibx_cq *cq, u32 entries,
			  u32 cqe)
{
	const struct ibx_cq_params p = { .buf = &cq->next_buf, .log_size = ilog2(entries) };
	bool unknown;
	int err;

	err = ibx_buf_alloc(dev, &cq->next_buf, (size_t)entries * sizeof(struct mlx5_cqe64));
	if (err)
		return err;
	cq->next_cqe = cqe;
	ibx_cqb_fill(cq->next_buf.va, entries);
	offer_ring(cq, cq->next_buf.va, entries);

	err = ibx_cmd_resize_cq(dev, &cq->mcq, &p, &unknown);
	if (err && !unknown) {
		offer_ring(cq, NULL, 0);
		ibx_buf_free(dev, &cq->next_buf);
		return err;
	}
	if (!change_over(cq)) {
		ibx_err(dev, "CQ 0x%x: no end of the ring that was replaced\n", cq->mcq.cqn);
		return err ?: -EIO;
	}
	drop_old_ring(dev, cq);
	return 0;
}

/*
 * end an unanswered resize if the device has changed to the new ring. Return: 0
 * if the CQ can be resized, or an errno
 */
static int settle_resize(struct ibx_dev *dev, struct ibx_cq *cq)
{
	lockdep_assert_held(&cq->mutex);
	if (READ_ONCE(cq->failed))
		return -EIO;
	if (!cq->next_buf.va)
		return 0;
	if (!change_over(cq))
		return -EBUSY;
	drop_old_ring(dev, cq);
	return 0;
}

/**
 * ibx_resize_cq() - verb resize_cq
 * @ibcq: CQ; its cqe gets the actual number of entries
 * @cqe: number of entries wanted
 * @udata: NULL; user space is not supported
 *
 * CQEs are written and polled during the resize; no CQE is lost, repeated or
 * reordered.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: user space, or the device cannot resize
 * * -EINVAL: the size is out of range, or below the number of outstanding CQEs
 * * -EBUSY: the device has not answered an earlier resize
 * * -EIO: the CQ is in error, or the device reported success, but wrote no
 *   RESIZE_CQ entry
 * * -ENOMEM
 * * an errno from cmd.h
 *
 * Reserved entries are not part of the size. On failure the size does not
 * change, but the device may still execute a resize that it has not answered
 * (see the top of this file).
 */
int ibx_resize_cq(struct ib_cq *ibcq, ibx_resize_t cqe, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibcq->device);
	u32 max = BIT(MLX5_CAP_GEN(dev->mdev, log_max_cq_sz));
	struct ibx_cq *cq = to_icq(ibcq);
	u32 entries;
	int err;

	if (udata || !MLX5_CAP_GEN(dev->mdev, cq_resize))
		return -EOPNOTSUPP;
	if (cqe < 1)
		return -EINVAL;

	mutex_lock(&cq->mutex);
	err = settle_resize(dev, cq);
	if (err)
		goto unlock;
	/* one entry stays free, so that full and empty differ */
	if ((u64)cqe + cq->reserved > max - 1) {
		err = -EINVAL;
		goto unlock;
	}
	entries = roundup_pow_of_two(cqe + cq->reserved + 1);
	if (entries != cq->cqb.cqe_cnt)
		err = cq_resize_ring(dev, cq, entries,
				     entries - 1 - cq->reserved);
	else
		ibcq->cqe = entries - 1 - cq->reserved;
unlock:
	mutex_unlock(&cq->mutex);
	return err;
}

/**
 * ibx_cq_reserve() - reserve entries of a CQ for CQEs that complete no work request
 * @ibcq: CQ
 * @n: number of entries
 *
 * Consumers count one CQE for a work request, but a work request of several
 * WQEs takes one CQE for each WQE when it is flushed. Consumers do not count
 * signature errors. The ring is resized if necessary; ibcq.cqe does not change.
 * CQEs may be written and polled during the call.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: the device cannot resize CQs
 * * -ENOSPC: no CQ of the device can have so many entries
 * * -EBUSY, -EIO, -ENOMEM, or an errno from cmd.h: see ibx_resize_cq(); no
 *   entry is reserved
 */
int ibx_cq_reserve(struct ib_cq *ibcq, u32 n)
{
	struct ibx_dev *dev = to_idev(ibcq->device);
	struct ibx_cq *cq = to_icq(ibcq);
	u32 entries;
	u64 cqe;
	int err;

	if (!MLX5_CAP_GEN(dev->mdev, cq_resize))
		return -EOPNOTSUPP;

	mutex_lock(&cq->mutex);
	err = settle_resize(dev, cq);
	if (err)
		goto unlock;
	cqe = (u64)ibcq->cqe + cq->reserved + n;
	if (cqe > BIT(MLX5_CAP_GEN(dev->mdev, log_max_cq_sz)) - 1) {
		err = -ENOSPC;
		goto unlock;
	}
	entries = roundup_pow_of_two(cqe + 1);
	if (entries > cq->cqb.cqe_cnt)
		err = cq_resize_ring(dev, cq, entries, ibcq->cqe);
	if (!err)
		cq->reserved += n;
unlock:
	mutex_unlock(&cq->mutex);
	return err;
}

/**
 * ibx_cq_unreserve() - undo ibx_cq_reserve()
 * @ibcq: CQ
 * @n: number of entries
 *
 * The size of the ring does not change.
 *
 * Context: may sleep.
 */
void ibx_cq_unreserve(struct ib_cq *ibcq, u32 n)
{
	struct ibx_cq *cq = to_icq(ibcq);

	mutex_lock(&cq->mutex);
	cq->reserved -= n;
	mutex_unlock(&cq->mutex);
}

/**
 * ibx_cqs_lock() - lock both CQs of a QP
 * @a: CQ
 * @b: the other CQ; may be @a
 *
 * The CQ with the lower number is locked first.
 *
 * Context: interrupts off. Takes both locks.
 */
void ibx_cqs_lock(struct ibx_cq *a, struct ibx_cq *b)
	__acquires(&a->lock) __acquires(&b->lock)
{
	ibx_assert_irqs_off();
	if (a == b) {
		spin_lock(&a->lock);
		__acquire(&b->lock);
		return;
	}
	if (a->mcq.cqn > b->mcq.cqn)
		swap(a, b);
	spin_lock(&a->lock);
	spin_lock_nested(&b->lock, SINGLE_DEPTH_NESTING);
}

/**
 * ibx_cqs_unlock() - unlock both CQs of a QP
 * @a: CQ
 * @b: the other CQ; may be @a
 */
void ibx_cqs_unlock(struct ibx_cq *a, struct ibx_cq *b)
	__releases(&a->lock) __releases(&b->lock)
{
	if (a == b)
		__release(&b->lock);
	else
		spin_unlock(&b->lock);
	spin_unlock(&a->lock);
}

/**
 * ibx_cqs_lock_irq() - lock both CQs of a QP, and disable interrupts
 * @a: CQ
 * @b: the other CQ; may be @a
 *
 * Context: interrupts on. Takes both locks (ibx_cqs_lock()). With PREEMPT_RT
 * the locks sleep, so interrupts stay on (ibx.h).
 */
void ibx_cqs_lock_irq(struct ibx_cq *a, struct ibx_cq *b)
	__acquires(&a->lock) __acquires(&b->lock)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		local_irq_disable();
	ibx_cqs_lock(a, b);
}

/**
 * ibx_cqs_unlock_irq() - undo ibx_cqs_lock_irq()
 * @a: CQ
 * @b: the other CQ; may be @a
 */
void ibx_cqs_unlock_irq(struct ibx_cq *a, struct ibx_cq *b)
	__releases(&a->lock) __releases(&b->lock)
{
	ibx_cqs_unlock(a, b);
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		local_irq_enable();
}
