// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* functions for hexadecimal digits have a header of their own */
#include <linux/hex.h>
