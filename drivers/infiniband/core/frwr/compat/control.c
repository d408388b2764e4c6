// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file uses no optional feature of the kernel. If it does not compile, the
 * build is broken, and the results of the probes (features.mk) are not valid.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

int probe(struct ib_device *dev);
int probe(struct ib_device *dev)
{
	return dev->num_comp_vectors;
}
