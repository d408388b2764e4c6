// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This probe compiles on every kernel. If it does not, the results of the other
 * probes are not valid.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

int probe(struct ib_device *dev);
int probe(struct ib_device *dev)
{
	return dev->num_comp_vectors;
}
