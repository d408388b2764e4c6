/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: queries of DEVX that do not wait for their answers (devx/async.c).
 */
#ifndef MLX5_IBX_DEVX_ASYNC_H
#define MLX5_IBX_DEVX_ASYNC_H

#include <linux/wait.h>

#include "devx/obj.h"

struct ibx_devx_answer;

/**
 * struct ibx_devx_answers - a queue of the answers to queries
 * @dev: device
 * @uid: user context of the queries
 * @async: mlx5_core's part: counts the queries under way
 * @done: gets and frees each answer, in hard interrupt context; NULL if answers
 *	are put in @queue
 * @bytes: bytes of the answers in @queue, and of the queries in progress with
 *	their answers
 * @lock: protects @queue and @closed
 * @queue: answers that were not fetched
 * @closed: no answer arrives any more
 * @arrived: wakes threads that wait for an answer
 */
struct ibx_devx_answers {
	struct ibx_dev *dev;
	u16 uid;
	struct mlx5_async_ctx async;
	void (*done)(struct ibx_devx_answers *q, struct ibx_devx_answer *a);
	atomic_t bytes;
	spinlock_t lock;	/* queue, closed */
	struct list_head queue;
	bool closed;
	wait_queue_head_t arrived;
};

/**
 * struct ibx_devx_answer - an answer, or space for one
 * @link: entry in ibx_devx_answers.queue
 * @cmd: the query
 * @q: queue of the answer
 * @err: 0; -EREMOTEIO if the device refuses the query; or the errno of a query
 *	that was not answered: the status in @out is MLX5_CMD_STAT_INT_ERR
 * @cmd_len: bytes of the query; 0 after its completion
 * @len: bytes of @out
 * @wr_id: number that the caller gave to the query
 * @out: the answer; follows @wr_id, as in struct mlx5_ib_uapi_devx_async_cmd_hdr
 */
struct ibx_devx_answer {
	struct list_head link;
	struct ibx_devx_async cmd;
	struct ibx_devx_answers *q;
	int err;
	u32 cmd_len;
	u32 len;
	u64 wr_id;
	u8 out[] __aligned(8);
};

void ibx_devx_answers_init(struct ibx_devx_answers *q, struct ibx_dev *dev, u16 uid);
int ibx_devx_query_async(struct ibx_devx_answers *q, const struct ibx_devx_box *box,
			 const struct ibx_devx_id *id, u64 wr_id);
struct ibx_devx_answer *ibx_devx_answers_get(struct ibx_devx_answers *q, size_t buf_len);
bool ibx_devx_answers_ready(struct ibx_devx_answers *q);
void ibx_devx_answers_close(struct ibx_devx_answers *q);
void ibx_devx_answer_free(struct ibx_devx_answer *a);

#endif /* MLX5_IBX_DEVX_ASYNC_H */
