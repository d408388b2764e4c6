// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// file: cq.c
// adds: if.(!sig)
//
//| RDMA/mlx5: Ignore signature errors of unknown mkeys
//|
//| If the device reports a signature error, mlx5_ib_poll_cq() looks up the
//| mkey in sig_mrs, and does not check that it is found. An integrity MR is
//| removed from sig_mrs when it is destroyed, but the CQE of its last error
//| may still be in the CQ of a QP. The poller then writes through a NULL
//| pointer.
//|
//| Ignore the CQE: the owner of the MR has destroyed it without asking for
//| the error.

@@
symbol dev;
identifier sig, cqe;
@@
+if (!sig) {
+	xa_unlock(&dev->sig_mrs);
+	goto repoll;
+}
 get_sig_err_item(cqe, &sig->err_item);
