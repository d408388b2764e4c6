// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// file: cq.c
// adds: mlx5_ib_dv.h mlx5_ib_dv_set_opcode is_send.&&.mlx5_ib_dv_take_part
// adds: if.(mlx5_ib_dv_take_part
// adds: mlx5_ib_dv_store_cqe
//
// Completions of direct verbs (mlx5dv_ib/mlx5_ib_dv.h). A completion has the opcode of its builder.
// A work request of several WQEs completes once, with the status of the WQE that failed first. The
// CQE of a signature error is stored.
//
//| RDMA/mlx5: Complete work requests of direct verbs
//|
//| A module outside of mlx5_ib posts work requests of several WQEs to the
//| send queue of a QP. Complete each such work request once, with the
//| status of the WQE that failed first, and with the opcode that the
//| module has stored. Keep the CQE of a signature error, which has more
//| bits of a CRC than struct ib_sig_err.

@ header @
@@
 #include "mlx5_ib.h"
+#include "mlx5_ib_dv.h"

@ good @
expression wc, cqe, wq, idx;
@@
 handle_good_req(wc, cqe, wq, idx);
+mlx5_ib_dv_set_opcode(wc, wq, idx);

@ failed @
symbol cq;
expression opcode;
identifier wc, wq, idx;
@@
 if (opcode == MLX5_CQE_REQ_ERR) {
 	...
 	wc->wr_id = wq->wrid[idx];
 	wq->tail = wq->wqe_head[idx] + 1;
 	wq->last_poll = wq->w_list[idx].next;
+	if (mlx5_ib_dv_take_part(wc, wq, idx)) {
+		/* the poll may return nothing else */
+		mlx5_cq_set_ci(&cq->mcq);
+		goto repoll;
+	}
 } else {
 	...
 }

@ fatal @
symbol wc;
identifier wq, idx, np, is_send;
@@
 if (is_send)
 	wq->last_poll = wq->w_list[idx].next;
+if (is_send && mlx5_ib_dv_take_part(wc, wq, idx))
+	continue;
 np++;

@ signature @
identifier sig, cqe;
@@
 get_sig_err_item(cqe, &sig->err_item);
+mlx5_ib_dv_store_cqe(sig, cqe);
