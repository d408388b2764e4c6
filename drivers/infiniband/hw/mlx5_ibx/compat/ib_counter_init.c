// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* struct ib_device_ops has counter_init and size_rdma_counter */
#include <rdma/ib_verbs.h>

int probe(const struct ib_device_ops *ops, struct rdma_counter *counter);
int probe(const struct ib_device_ops *ops, struct rdma_counter *counter)
{
	ops->counter_init(counter);
	return ops->size_rdma_counter;
}
