// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* verb resize_user_cq; older kernels: resize_cq, also for CQs of the kernel */
#include <rdma/ib_verbs.h>

int probe(const struct ib_device_ops *ops);
int probe(const struct ib_device_ops *ops)
{
	return ops->resize_user_cq(NULL, 1u, NULL);
}
