// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* <rdma/iter.h>: iterators over the blocks of an ib_umem */
#include <rdma/iter.h>
