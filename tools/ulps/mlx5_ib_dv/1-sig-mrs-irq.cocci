// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// file: mr.c main.c
// adds: xa_store_irq xa_cmpxchg_irq XA_FLAGS_LOCK_IRQ
//
//| RDMA/mlx5: Disable interrupts while sig_mrs is locked
//|
//| mlx5_ib_poll_cq() locks sig_mrs when it finds the CQE of a signature
//| error. Pollers of IB_POLL_SOFTIRQ call it in softirqs, with the lock of
//| the CQ held. mr.c locks sig_mrs with softirqs enabled, when it creates
//| and destroys integrity MRs. If a softirq interrupts mr.c there and polls
//| a signature error, the CPU deadlocks. lockdep reports the order of locks
//| at the first signature error that is polled in a softirq.
//|
//| Disable interrupts in mr.c while the lock is held, and initialize the
//| xarray with this type of lock.

@@
expression dev, index, entry, gfp;
@@
-xa_store
+xa_store_irq
 (&dev->sig_mrs, index, entry, gfp)

@@
expression dev, index, old, new, gfp;
@@
-xa_cmpxchg(&dev->sig_mrs, index, old, new, gfp)
+xa_cmpxchg_irq(&dev->sig_mrs, index, old, new, gfp)

@@
expression dev;
@@
-xa_init(&dev->sig_mrs)
+xa_init_flags(&dev->sig_mrs, XA_FLAGS_LOCK_IRQ)
