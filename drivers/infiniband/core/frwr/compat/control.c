// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* compiles on every kernel, or the results of the other probes mean nothing */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

int probe(struct ib_device *dev);
int probe(struct ib_device *dev)
{
	return dev->num_comp_vectors;
}
