// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: the module.
 */
#include <linux/module.h>
#include <linux/workqueue.h>

#include "pool.h"

/* WQ_MEM_RECLAIM: writing back dirty pages may wait for its work items */
struct workqueue_struct *frwr_wq;

static int __init frwr_init(void)
{
	frwr_wq = alloc_workqueue("ib_frwr", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return frwr_wq ? 0 : -ENOMEM;
}

static void __exit frwr_exit(void)
{
	destroy_workqueue(frwr_wq);
}

module_init(frwr_init);
module_exit(frwr_exit);

MODULE_DESCRIPTION("Fast memory registration for kernel ULPs");
MODULE_LICENSE("Dual BSD/GPL");
