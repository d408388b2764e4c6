// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: how the device writes their entries and raises their
 * events.
 *
 * The ownership bit of an entry is 0 in the first lap round the ring and
 * toggles with each lap. The bit is in the last byte of the entry, which is
 * written last. The consumer index is in the doorbell record of the CQ. The
 * device reads the index only when the ring seems full.
 *
 * Completion events are one-shot. The driver arms a CQ by writing the arm word
 * of the doorbell record: a 2-bit serial number, the kind of completion to wait
 * for, and the consumer index of the driver. The word is valid while its serial
 * number equals the number of events that the CQ has raised, modulo 4; an event
 * makes the word stale. A CQ with entries that no event has reported is on the
 * pending list, and sim_cq_poll_pending() reads its arm word in each pass. So a
 * CQ that is armed after the completion raises its event at once.
 *
 * Moderation delays an event until cq_max_count entries are written or
 * cq_period microseconds have passed since the first entry after the last
 * event.
 */
#include <linux/build_bug.h>
#include <linux/mlx5/cq.h>

#include "core/core.h"
#include "host/host.h"
#include "obj/obj.h"

static_assert(sizeof(struct mlx5_cqe64) == 64);
static_assert(offsetof(struct mlx5_cqe64, op_own) == 63);

static void sim_cq_pend(struct sim_dev *sdev, struct sim_cq *cq)
{
	if (!list_empty(&cq->pending))
		return;
	cq->first_unnotified = cq->cq_period ? ktime_get() : 0;
	cq->looked = false;
	list_add_tail(&cq->pending, &sdev->cqs_pending);
}

/**
 * sim_cq_fail() - put a CQ in error
 * @sdev: simulated function
 * @cq: the CQ, not in error yet
 * @syndrome: MLX5_CQ_ERROR_SYNDROME_*
 *
 * Raises a CQ_ERROR event. The CQ raises no more completion events. Its QPs go
 * to error, each with an event.
 *
 * Unrefereed: U-48.
 *
 * Context: hardware thread.
 */
void sim_cq_fail(struct sim_dev *sdev, struct sim_cq *cq, u8 syndrome)
{
	union ev_data data = {};

	cq->error = true;
	list_del_init(&cq->pending);
	data.cq_err.cqn = cpu_to_be32(cq->obj.id);
	data.cq_err.syndrome = syndrome;
	sim_event(sdev, MLX5_EVENT_TYPE_CQ_ERROR, 0, &data);
	if (cq->on_error)
		cq->on_error(sdev, cq);
}

/*
 * Check that the ring has space for an entry. Read the consumer index only when
 * the ring seems full. Record a violation when the ring is full, or the
 * consumer index is beyond the producer index. Return: 0, or the syndrome of
 * the error.
 */
static u8 sim_cq_space(struct sim_dev *sdev, struct sim_cq *cq)
{
	u32 ci, used;

	if (cq->oi || cq->pi - cq->ci < BIT(cq->log_size))
		return 0;
	if (sim_dma_read_be32(sdev, cq->dbr_addr, &ci))
		return MLX5_CQ_ERROR_SYNDROME_CQ_ACCESS_VIOLATION_ERROR;
	used = (cq->pi - ci) & SIM_CQ_IDX_MASK;
	if (used > BIT(cq->log_size)) {
		sim_violation(sdev, SIM_VIO_cq_consumer, "cq %#x: consumer %#x, producer %#x",
			      cq->obj.id, ci, cq->pi);
		return MLX5_CQ_ERROR_SYNDROME_CQ_OVERRUN;
	}
	cq->ci = cq->pi - used;
	if (used < BIT(cq->log_size))
		return 0;
	sim_violation(sdev, SIM_VIO_cq_overrun, "cq %#x of %lu entries, producer %#x",
		      cq->obj.id, BIT(cq->log_size), cq->pi);
	return MLX5_CQ_ERROR_SYNDROME_CQ_OVERRUN;
}

/**
 * sim_cq_write() - write an entry at the producer index
 * @sdev: simulated function
 * @cq: CQ with space for the entry
 * @cqe: the entry; its ownership bit is set here
 *
 * The producer index does not change.
 *
 * Context: hardware thread.
 * Return: 0; -EFAULT when the entry is not completely mapped for writing. A
 * violation is recorded, unless only the end of the entry is not mapped.
 */
int sim_cq_write(struct sim_dev *sdev, struct sim_cq *cq, const struct mlx5_cqe64 *cqe)
{
	u64 off = (u64)(cq->pi & (BIT(cq->log_size) - 1)) * cq->cqe_size;
	u64 addr = sim_buf_addr(&cq->buf, off + cq->cqe_size - sizeof(*cqe));
	u32 len = sizeof(*cqe);
	struct mlx5_cqe64 *to;

	to = sim_dma_span(sdev, addr, &len, true);
	if (IS_ERR(to) || len != sizeof(*cqe))
		return -EFAULT;
	memcpy(to, cqe, offsetof(struct mlx5_cqe64, op_own));
	/*
	 * The owner bit is written last: after the rest of the CQE, after
	 * writes to buffers, and after reads of WQEs and buffers, because the
	 * driver may then reuse them. Pairs with dma_rmb() in is_ready() of
	 * mlx5_ibx, and with rmb() in mlx5_poll_one() of mlx5_ib
	 */
	smp_store_release(&to->op_own, (cqe->op_own & ~1) |
				       sim_cqe_owner(cq->pi, cq->log_size));
	sim_dma_account(sdev, addr, sizeof(*cqe), true);
	return 0;
}

/**
 * sim_cq_post() - write a completion
 * @sdev: simulated function
 * @cq: the CQ
 * @cqe: the entry; its ownership bit is set here
 * @solicited: the completion is solicited; error completions always are
 *
 * An overrun, or a ring or record that is not mapped, puts the CQ in error
 * (sim_cq_fail()) and drops the entry.
 *
 * Context: hardware thread.
 * Return: 0; -EIO when the CQ is in error or enters it (the caller moves the QP
 * to error).
 */
int sim_cq_post(struct sim_dev *sdev, struct sim_cq *cq, struct mlx5_cqe64 *cqe, bool solicited)
{
	u8 opcode = cqe->op_own >> 4;
	u8 syndrome;

	if (cq->error)
		return -EIO;
	syndrome = sim_cq_space(sdev, cq);
	if (syndrome) {
		sim_cq_fail(sdev, cq, syndrome);
		return -EIO;
	}
	if (sim_cq_write(sdev, cq, cqe)) {
		sim_cq_fail(sdev, cq, MLX5_CQ_ERROR_SYNDROME_CQ_ACCESS_VIOLATION_ERROR);
		return -EIO;
	}
	cq->pi++;
	sim_count(sdev, cqes);
	if (opcode == MLX5_CQE_REQ_ERR || opcode == MLX5_CQE_RESP_ERR) {
		sim_count(sdev, cqes_error);
		solicited = true;
	}
	if (solicited)
		cq->solicited_pi = cq->pi;
	sim_cq_pend(sdev, cq);
	return 0;
}

/* Does the moderation of the CQ permit an event now? */
static bool sim_cq_due(const struct sim_cq *cq)
{
	if (!cq->cq_period || !cq->cq_max_count)
		return true;
	if (cq->pi - cq->notified_pi >= cq->cq_max_count)
		return true;
	return ktime_us_delta(ktime_get(), cq->first_unnotified) >= cq->cq_period;
}

static void sim_cq_fire(struct sim_dev *sdev, struct sim_cq *cq, u32 arm)
{
	union ev_data data = {};

	sim_trace(sdev, "cq %#x uar %#x event arm %08x", cq->obj.id, cq->uar->obj.id, arm);
	data.comp.cqn = cpu_to_be32(cq->obj.id);
	cq->arm_sn++;
	cq->notified_pi = cq->pi;
	list_del_init(&cq->pending);
	sim_eq_post(sdev, cq->eq, MLX5_EVENT_TYPE_COMP, &data);
}

/*
 * A real device reads the arm word once, when the arm doorbell arrives. This
 * device reads it in each pass, so the read does not count as a transaction.
 * Unrefereed: U-49.
 */
static int sim_cq_read_arm(struct sim_dev *sdev, struct sim_cq *cq, u32 *arm)
{
	u32 len = sizeof(__be32);
	const __be32 *word = sim_dma_span(sdev, cq->dbr_addr + sizeof(*word), &len, false);

	if (IS_ERR(word) || len != sizeof(*word))
		return -EFAULT;
	/*
	 * No barrier: the CQ stays on the list of pending CQs until its event
	 * is raised. So if the word is read too early, it is read again
	 */
	*arm = be32_to_cpu(READ_ONCE(*word));
	return 0;
}

/**
 * sim_cq_init_arm() - store the arm word of a CQ, and the number of writes to
 * the arm register of its page, at creation
 * @sdev: simulated function
 * @cq: CQ that was just created
 *
 * Context: hardware thread.
 */
void sim_cq_init_arm(struct sim_dev *sdev, struct sim_cq *cq)
{
	cq->uar_initial = cq->uar->cq_arms;
	if (sim_dma_mapped(sdev, cq->dbr_addr))
		sim_cq_read_arm(sdev, cq, &cq->arm_initial);
}

/*
 * Has an event been requested since the creation of the CQ? The arm word of a
 * CQ of user space is 0 at creation, and its first request may have the arm
 * word 0, too. So any write to the CQ register of the doorbell page counts as a
 * request: even a write for another CQ may have hidden a write for this CQ.
 * Unrefereed: U-53.
 */
static bool sim_cq_asked(struct sim_cq *cq, u32 arm)
{
	if (!cq->asked)
		cq->asked = arm != cq->arm_initial || cq->uar->cq_arms != cq->uar_initial;
	return cq->asked;
}

/**
 * sim_cq_poll_pending() - raise the completion events of armed CQs
 * @sdev: simulated function
 *
 * A CQ stays on the pending list until its event is raised, since it may be
 * armed at any time. A CQ that is never armed stays there until it is
 * destroyed; this costs one read per pass. A real device reads the arm word
 * once. So it is no violation to unmap the doorbell record after the first
 * read: the CQ then leaves the list.
 *
 * Context: hardware thread.
 * Return: true if an event was raised.
 */
bool sim_cq_poll_pending(struct sim_dev *sdev)
{
	struct sim_cq *cq, *next;
	bool any = false;
	u32 arm;

	list_for_each_entry_safe(cq, next, &sdev->cqs_pending, pending) {
		if (cq->looked && !sim_dma_mapped(sdev, cq->dbr_addr)) {
			list_del_init(&cq->pending);
			continue;
		}
		cq->looked = true;
		if (sim_cq_read_arm(sdev, cq, &arm)) {
			sim_cq_fail(sdev, cq,
				    MLX5_CQ_ERROR_SYNDROME_CQ_ACCESS_VIOLATION_ERROR);
			continue;
		}
		if (!sim_cq_asked(cq, arm) ||
		    !sim_cq_armed(arm, cq->arm_sn, cq->pi, cq->solicited_pi) || !sim_cq_due(cq))
			continue;
		sim_cq_fire(sdev, cq, arm);
		any = true;
	}
	return any;
}
