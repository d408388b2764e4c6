// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* the driver states the size of its counters, and initializes each of them */
#include <rdma/ib_verbs.h>

int probe(const struct ib_device_ops *ops, struct rdma_counter *counter);
int probe(const struct ib_device_ops *ops, struct rdma_counter *counter)
{
	ops->counter_init(counter);
	return ops->size_rdma_counter;
}
