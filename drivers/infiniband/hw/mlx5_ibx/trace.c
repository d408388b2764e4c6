// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* mlx5_ibx: the values that the tracepoints of trace.h record. */

#include <rdma/mlx5dv.h>

#include "ibx.h"

/*
 * Return: the key in a WR: a local key for registrations and LOCAL_INV, a key
 * of the peer for other opcodes; 0 for an opcode without a key
 */
static u32 ibx_wr_key(const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_REG_MR:
	case IB_WR_REG_MR_INTEGRITY:
		return reg_wr(wr)->key;
	case IB_WR_LOCAL_INV:
	case IB_WR_SEND_WITH_INV:
		return wr->ex.invalidate_rkey;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		return rdma_wr(wr)->rkey;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return atomic_wr(wr)->rkey;
	default:
		return 0;
	}
}

static u64 ibx_sge_bytes(const struct ib_sge *sge, int n)
{
	u64 bytes = 0;

	while (n-- > 0)
		bytes += sge++->length;
	return bytes;
}

static u64 ibx_wr_bytes(const struct ib_send_wr *wr)
{
	if (wr->opcode == IB_WR_REG_MR || wr->opcode == IB_WR_REG_MR_INTEGRITY ||
	    wr->opcode == IB_WR_LOCAL_INV)
		return 0;
	return ibx_sge_bytes(wr->sg_list, wr->num_sge);
}

#define CREATE_TRACE_POINTS

#include "trace.h"

static_assert(IBX_WC_UMR == MLX5DV_WC_UMR);
static_assert(IBX_WC_RAW_WQE == MLX5DV_WC_RAW_WQE);
static_assert(IBX_WC_MEMCPY == MLX5DV_WC_MEMCPY);
