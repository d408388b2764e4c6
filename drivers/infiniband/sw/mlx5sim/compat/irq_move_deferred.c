// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Interrupts may move at any time unless IRQCHIP_MOVE_DEFERRED is set. In older
 * kernels, interrupts may move at any time only if IRQ_MOVE_PCNTXT is set.
 */
#include <linux/irq.h>

unsigned int probe(void);
unsigned int probe(void)
{
	return IRQCHIP_MOVE_DEFERRED;
}
