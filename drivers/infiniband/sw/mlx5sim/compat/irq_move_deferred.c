// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * interrupts may move at any time unless IRQCHIP_MOVE_DEFERRED is set; in older
 * kernels it is the other way round: a flag permits it
 */
#include <linux/irq.h>

unsigned int probe(void);
unsigned int probe(void)
{
	return IRQCHIP_MOVE_DEFERRED;
}
