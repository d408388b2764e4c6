// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ib_umem_get_va(); older kernels: ib_umem_get() */
#include <rdma/ib_umem.h>

struct ib_umem *probe(struct ib_device *dev);
struct ib_umem *probe(struct ib_device *dev)
{
	return ib_umem_get_va(dev, 0, 1, 0);
}
