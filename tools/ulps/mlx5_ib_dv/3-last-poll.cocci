// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// file: cq.c
// adds: wq->last_poll.=.wq->w_list.idx..next;$
//
//| RDMA/mlx5: Advance last_poll behind a failed work request
//|
//| After a fatal error, sw_comp() completes the outstanding work requests,
//| and begins at last_poll. Only completions with success advance
//| last_poll. If the last polled completion was an error, sw_comp()
//| completes work requests again that were completed before, and never
//| completes the last ones. A drain then waits forever.

@@
expression opcode;
identifier wc, wq, idx;
@@
 if (opcode == MLX5_CQE_REQ_ERR) {
 	...
 	wc->wr_id = wq->wrid[idx];
 	wq->tail = wq->wqe_head[idx] + 1;
+	wq->last_poll = wq->w_list[idx].next;
 } else {
 	...
 }
