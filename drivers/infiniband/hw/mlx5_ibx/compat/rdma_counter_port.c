// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* verbs of counters have the port as an argument */
#include <rdma/ib_verbs.h>

int probe(const struct ib_device_ops *ops, struct ib_qp *qp);
int probe(const struct ib_device_ops *ops, struct ib_qp *qp)
{
	return ops->counter_bind_qp(NULL, qp, 1) ?: ops->counter_unbind_qp(qp, 1);
}
