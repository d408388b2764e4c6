// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the owner of an open send queue. The rules are in open.h. Without
 * PREEMPT_RT the functions are inline.
 */
#include "wq/open.h"

#ifndef CONFIG_PREEMPT_RT

/* send queue that is open on a CPU, or NULL */
DEFINE_PER_CPU(struct ibx_sq *, ibx_open_sq);

#else

/* queues that tasks on a CPU have open */
static DEFINE_PER_CPU(struct ibx_wr *, ibx_open_wrs);

/*
 * A task with an open queue cannot migrate. So a task that migrates during the
 * call is in no list, and the list of either CPU gives the right answer.
 */
static bool task_has_open_sq(void)
{
	const struct ibx_wr *wr;

	preempt_disable();
	wr = __this_cpu_read(ibx_open_wrs);
	while (wr && wr->owner != current)
		wr = wr->next;
	preempt_enable();
	return wr;
}

/* described in open.h */
bool ibx_sq_open(struct ibx_sq *sq, struct ibx_wr *wr)
{
	if (unlikely(task_has_open_sq()))
		return false;
	/* disables migration, too */
	spin_lock(&sq->lock);
	preempt_disable();
	WRITE_ONCE(wr->owner, current);
	wr->next = __this_cpu_read(ibx_open_wrs);
	__this_cpu_write(ibx_open_wrs, wr);
	preempt_enable();
	/* for sparse only: the lock is held until ibx_sq_close() */
	__release(&sq->lock);
	return true;
}

/* described in open.h */
void ibx_sq_close(struct ibx_sq *sq, struct ibx_wr *wr)
{
	struct ibx_wr **link;

	__acquire(&sq->lock);
	preempt_disable();
	link = this_cpu_ptr(&ibx_open_wrs);
	while (*link != wr)
		link = &(*link)->next;
	*link = wr->next;
	WRITE_ONCE(wr->owner, NULL);
	preempt_enable();
	spin_unlock(&sq->lock);
}

#endif /* CONFIG_PREEMPT_RT */
