// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibx_faults: make an allocation of this task fail.
 */
#include <linux/sched.h>

#include "ibx_faults.h"

static u32 f_nth;

/**
 * f_arm() - let an allocation of this task fail
 * @arg: "N": the Nth allocation from now on fails; "0": no allocation
 *
 * Return:
 * * 0
 * * -EINVAL: @arg is no number
 * * -EOPNOTSUPP: the number is not 0, and the kernel has no fault injection
 */
int f_arm(char *arg)
{
	if (!arg || kstrtou32(arg, 0, &f_nth))
		return -EINVAL;
	if (!f_nth)
		return 0;
#ifdef CONFIG_FAULT_INJECTION
	WRITE_ONCE(current->fail_nth, f_nth);
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}

/**
 * f_disarm() - undo f_arm(), and log the remaining count
 */
void f_disarm(void)
{
#ifdef CONFIG_FAULT_INJECTION
	u32 left = READ_ONCE(current->fail_nth);

	WRITE_ONCE(current->fail_nth, 0);
	if (f_nth)
		f_log("left %u\n", left);
#endif
}
