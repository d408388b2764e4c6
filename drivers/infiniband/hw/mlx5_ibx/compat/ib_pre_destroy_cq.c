// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* CQs are destroyed in two steps */
#include <rdma/ib_verbs.h>

int probe(const struct ib_device_ops *ops);
int probe(const struct ib_device_ops *ops)
{
	ops->post_destroy_cq(NULL);
	return ops->pre_destroy_cq(NULL);
}
