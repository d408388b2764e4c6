// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* functions for hexadecimal digits have a separate header */
#include <linux/hex.h>
