// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* the blocks of an ib_umem have a separate header */
#include <rdma/iter.h>
