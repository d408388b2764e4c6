// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* <linux/hex.h>: functions for hexadecimal digits */
#include <linux/hex.h>
