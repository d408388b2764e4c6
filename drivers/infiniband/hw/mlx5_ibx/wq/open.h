/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the owner of an open send queue.
 *
 * A send queue is open from ib_wr_start() to ib_wr_complete() or ib_wr_abort(),
 * and its lock is held. An owner has at most one queue open: if it had two,
 * another owner could open the same two in the other order, and both would
 * deadlock.
 *
 * Without PREEMPT_RT the owner is a CPU. Interrupts are off, so only the code
 * that opened the queue runs on this CPU. ibx_open_sq is the queue that a CPU
 * has open.
 *
 * With PREEMPT_RT the owner is a task. The lock sleeps and interrupts stay on:
 * another task may run on the CPU meanwhile, and open another queue. The lock
 * disables migration, so ibx_open_wrs lists the queues that the tasks of a CPU
 * have open. Only tasks on this CPU read and change the list, with preemption
 * off. The list is short: each entry but one belongs to a task that was
 * preempted.
 */
#ifndef MLX5_IBX_OPEN_H
#define MLX5_IBX_OPEN_H

#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "ring.h"

/* ---- open.c ---- */
#ifdef CONFIG_PREEMPT_RT

/* the kernel-doc of the inline functions below is for these functions, too */
bool ibx_sq_open(struct ibx_sq *sq, struct ibx_wr *wr);
void ibx_sq_close(struct ibx_sq *sq, struct ibx_wr *wr);

static __always_inline const struct ibx_sq *
ibx_caller_sq(const struct ibx_wr *wr)
{
	return READ_ONCE(wr->owner) == current ? wr->chain.sq : NULL;
}

#else

DECLARE_PER_CPU(struct ibx_sq *, ibx_open_sq);

/**
 * ibx_sq_open() - lock a send queue, and make the caller its owner
 * @sq: send ring of the queue
 * @wr: state of the queue for builders
 *
 * Context: any; with PREEMPT_RT, any that may take a spin lock. On success the
 * lock of the ring is held until ibx_sq_close(), and without PREEMPT_RT
 * interrupts are off.
 * Return: true; false, and nothing is changed, if the caller has this queue or
 * another one open.
 */
static __always_inline bool ibx_sq_open(struct ibx_sq *sq, struct ibx_wr *wr)
{
	unsigned long flags;

	local_irq_save(flags);
	if (unlikely(__this_cpu_read(ibx_open_sq))) {
		local_irq_restore(flags);
		return false;
	}
	spin_lock(&sq->lock);
	__this_cpu_write(ibx_open_sq, sq);
	wr->irq_flags = flags;
	/* for sparse only: the lock is held until ibx_sq_close() */
	__release(&sq->lock);
	return true;
}

/**
 * ibx_sq_close() - unlock a send queue that the caller has open
 * @sq: send ring of the queue
 * @wr: state of the queue for builders
 *
 * Context: as ibx_sq_open() left it; releases the lock of the ring.
 */
static __always_inline void ibx_sq_close(struct ibx_sq *sq, struct ibx_wr *wr)
{
	__acquire(&sq->lock);
	__this_cpu_write(ibx_open_sq, NULL);
	spin_unlock_irqrestore(&sq->lock, wr->irq_flags);
}

/**
 * ibx_caller_sq() - the send queue that the caller has open
 * @wr: queue to look for, with PREEMPT_RT; unused without
 *
 * A CPU on which a queue is open has interrupts disabled. A caller that can
 * migrate has interrupts enabled, so no queue is open on the CPU it leaves or
 * on the CPU it enters. this_cpu_read() cannot mix the two CPUs.
 *
 * Context: any.
 * Return: send ring of the open queue, or NULL. With PREEMPT_RT, NULL also if
 * the open queue is not @wr.
 */
static __always_inline const struct ibx_sq *
ibx_caller_sq(const struct ibx_wr *wr)
{
	return this_cpu_read(ibx_open_sq);
}

#endif /* CONFIG_PREEMPT_RT */

#endif /* MLX5_IBX_OPEN_H */
