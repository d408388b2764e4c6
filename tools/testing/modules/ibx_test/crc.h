/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Writes of blocks with a CRC32C each, for comparing two benchmarks: the CPU calculates the CRCs,
 * or the device does (mlx5dv_test).
 */
#ifndef IBX_TEST_CRC_H
#define IBX_TEST_CRC_H

#include "ibx_test.h"

#define T_CRC_MAX	65536			/* bytes of the longest write */
#define T_CRC_BLOCK	4096
#define T_CRC_SUMS	(T_CRC_MAX / T_CRC_BLOCK * 4)

/* lengths of writes */
#define T_CRC_LENGTHS	{ 4096, T_CRC_MAX }

/**
 * struct t_crc - memory of writes from end 0 to end 1
 * @e: end 0
 * @data: T_CRC_MAX bytes of data, and T_CRC_SUMS bytes for CRCs behind them, mapped for DMA
 * @dma: bus address of @data
 * @remote: registered MR of end 1 with space for data and CRCs
 */
struct t_crc {
	struct t_end *e;
	u8 *data;
	u64 dma;
	struct ib_mr *remote;
};

int t_crc_open(struct t_pair *p, struct t_crc *c);
void t_crc_close(struct t_crc *c);

#endif /* IBX_TEST_CRC_H */
