// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* system_percpu_wq; older kernels: system_wq */
#include <linux/workqueue.h>

struct workqueue_struct *probe(void);
struct workqueue_struct *probe(void)
{
	return system_percpu_wq;
}
