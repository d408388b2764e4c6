// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* users in the kernel can resize a CQ */
#include <rdma/ib_verbs.h>

int probe(struct ib_cq *cq);
int probe(struct ib_cq *cq)
{
	return ib_resize_cq(cq, 1);
}
