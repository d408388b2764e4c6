// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* interrupts move at any time unless IRQCHIP_MOVE_DEFERRED is set; it was the opposite */
#include <linux/irq.h>

unsigned int probe(void);
unsigned int probe(void)
{
	return IRQCHIP_MOVE_DEFERRED;
}
