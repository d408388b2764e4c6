// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queries of DEVX that do not wait for their answers, of processes and of ULPs.
 *
 * The completion interrupt of a query puts the answer in a queue, which an irq
 * safe lock protects.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "devx/async.h"

#define MAX_BYTES	SZ_1M	/* queries and answers in progress, and answers not fetched */

/**
 * ibx_devx_answers_init() - initialize a queue of answers
 * @q: queue, zeroed
 * @dev: device
 * @uid: user context of the queries
 *
 * Context: any.
 */
void ibx_devx_answers_init(struct ibx_devx_answers *q, struct ibx_dev *dev, u16 uid)
{
	q->dev = dev;
	q->uid = uid;
	spin_lock_init(&q->lock);
	INIT_LIST_HEAD(&q->queue);
	init_waitqueue_head(&q->arrived);
	mlx5_cmd_init_async_ctx(dev->mdev, &q->async);
}

/**
 * ibx_devx_answer_free() - free an answer
 * @a: answer that is in no queue
 *
 * Context: any, hard interrupts too.
 */
void ibx_devx_answer_free(struct ibx_devx_answer *a)
{
	atomic_sub(a->cmd_len + a->len, &a->q->bytes);
	kvfree(a);
}

/*
 * subtract the command from q->bytes: mlx5_core frees its copy of the command
 * after the callback
 */
static void uncount_command(struct ibx_devx_answer *a)
{
	atomic_sub(a->cmd_len, &a->q->bytes);
	a->cmd_len = 0;
}

static void answer_arrived(struct ibx_devx_async *cmd, int err)
{
	struct ibx_devx_answer *a = container_of(cmd, struct ibx_devx_answer, cmd);
	struct ibx_devx_answers *q = a->q;
	unsigned long flags;

	a->err = err;
	uncount_command(a);
	/* the query was not answered: a process detects that by this status */
	if (err && err != -EREMOTEIO)
		MLX5_SET(general_obj_out_cmd_hdr, a->out, status, MLX5_CMD_STAT_INT_ERR);
	if (q->done) {
		q->done(q, a);
		return;
	}
	spin_lock_irqsave(&q->lock, flags);
	list_add_tail(&a->link, &q->queue);
	/*
	 * under the lock, so that @q is not freed before wake_up() has returned
	 */
	wake_up(&q->arrived);
	spin_unlock_irqrestore(&q->lock, flags);
}

static struct ibx_devx_answer *alloc_answer(struct ibx_devx_answers *q,
					    const struct ibx_devx_box *box)
{
	u32 bytes = box->inlen + box->outlen;
	struct ibx_devx_answer *a;

	if (atomic_add_return(bytes, &q->bytes) > MAX_BYTES) {
		atomic_sub(bytes, &q->bytes);
		return ERR_PTR(-EAGAIN);
	}
	a = kvzalloc(struct_size(a, out, box->outlen), GFP_KERNEL_ACCOUNT);
	if (!a) {
		atomic_sub(bytes, &q->bytes);
		return ERR_PTR(-ENOMEM);
	}
	a->q = q;
	a->cmd_len = box->inlen;
	a->len = box->outlen;
	return a;
}

/**
 * ibx_devx_query_async() - send a query, and do not wait for its answer
 * @q: queue that gets the answer
 * @box: command, whose uid the function sets, and length of the answer
 * @id: object that the command must name
 * @wr_id: returned with the answer
 *
 * Context: may sleep.
 * Return:
 * * 0: an answer will arrive, also if the device refuses the query
 * * -EINVAL: the command is no query, or names another object
 * * -EAGAIN: the queries in progress, their answers, and the answers that were
 *   not fetched would have more than 1 MiB
 * * -ENOMEM
 * * an errno of mlx5_cmd_exec_cb()
 */
int ibx_devx_query_async(struct ibx_devx_answers *q, const struct ibx_devx_box *box,
			 const struct ibx_devx_id *id, u64 wr_id)
{
	const struct ibx_devx_row *row = ibx_devx_check(box, IBX_DEVX_QUERY);
	struct ibx_devx_box cmd = *box;
	struct ibx_devx_answer *a;
	struct ibx_devx_id named;
	int err;

	if (IS_ERR(row))
		return PTR_ERR(row);
	ibx_devx_named(row, box->in, &named);
	if (!ibx_devx_same(&named, id))
		return -EINVAL;
	a = alloc_answer(q, box);
	if (IS_ERR(a))
		return PTR_ERR(a);
	a->wr_id = wr_id;
	a->cmd.dev = q->dev;
	a->cmd.done = answer_arrived;
	cmd.out = a->out;
	err = ibx_devx_exec_async(&q->async, q->uid, &cmd, &a->cmd);
	if (err)
		ibx_devx_answer_free(a);
	return err;
}

/**
 * ibx_devx_answers_get() - fetch the answer that arrived first
 * @q: queue of the answers
 * @buf_len: length of the buffer of the caller in bytes, wr_id included
 *
 * Context: any but hard interrupts.
 * Return:
 * * the answer, for ibx_devx_answer_free()
 * * ERR_PTR(-EAGAIN): no answer has arrived
 * * ERR_PTR(-ENOSPC): the answer has more bytes than @buf_len, and stays in the
 *   queue
 * * ERR_PTR(-EIO): @q is closed
 */
struct ibx_devx_answer *ibx_devx_answers_get(struct ibx_devx_answers *q, size_t buf_len)
{
	struct ibx_devx_answer *a;

	spin_lock_irq(&q->lock);
	a = list_first_entry_or_null(&q->queue, struct ibx_devx_answer, link);
	if (q->closed)
		a = ERR_PTR(-EIO);
	else if (!a)
		a = ERR_PTR(-EAGAIN);
	else if (sizeof(a->wr_id) + a->len > buf_len)
		a = ERR_PTR(-ENOSPC);
	else
		list_del(&a->link);
	spin_unlock_irq(&q->lock);
	return a;
}

/**
 * ibx_devx_answers_ready() - check whether there is an answer, or an error, to
 * fetch
 * @q: queue of the answers
 *
 * Context: any but hard interrupts.
 * Return: true if ibx_devx_answers_get() does not return ERR_PTR(-EAGAIN).
 */
bool ibx_devx_answers_ready(struct ibx_devx_answers *q)
{
	bool ready;

	spin_lock_irq(&q->lock);
	ready = !list_empty(&q->queue) || q->closed;
	spin_unlock_irq(&q->lock);
	return ready;
}

/**
 * ibx_devx_answers_close() - free the answers that were not fetched, and close
 *	their queue
 * @q: queue; the caller frees it after the last thread has stopped waiting
 *
 * Context: may sleep: waits for the queries that are under way.
 */
void ibx_devx_answers_close(struct ibx_devx_answers *q)
{
	struct ibx_devx_answer *a, *next;
	LIST_HEAD(left);

	mlx5_cmd_cleanup_async_ctx(&q->async);
	spin_lock_irq(&q->lock);
	q->closed = true;
	list_splice_init(&q->queue, &left);
	wake_up(&q->arrived);
	spin_unlock_irq(&q->lock);
	list_for_each_entry_safe(a, next, &left, link)
		ibx_devx_answer_free(a);
}
