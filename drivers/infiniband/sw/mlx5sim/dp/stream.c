// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The streams of a DCI.
 *
 * A DCI may have 2^n streams. The low n bits of the stream id of a WQE select
 * its stream. All streams share the send queue and its order. A WQE that fails
 * at the peer or in the memory of the sender puts its stream in error: the
 * later WQEs of the stream are flushed until the driver resets the stream, and
 * the other streams continue. When 2^m streams are in error, the QP goes to
 * ERR. A DCI without streams has n = m = 0 and ignores the stream id: libmlx5
 * sets the stream id of such DCIs, too (mlx5dv_wr_set_dc_addr_stream(), which
 * ib_send_bw -c DC calls). A malformed WQE moves the QP to ERR in any case.
 */
#include <linux/bitmap.h>

#include "dp/dp.h"

/**
 * sim_dci_init() - create the streams of a DCI
 * @dci: out: streams, zeroed by the caller
 * @log_streams: log2 of the number of streams, at most 16
 * @log_errored: log2 of the number of streams in error at which the QP goes to
 *     ERR
 *
 * Return: 0 or -ENOMEM.
 */
int sim_dci_init(struct sim_dci *dci, u8 log_streams, u8 log_errored)
{
	dci->bad = bitmap_zalloc(BIT(log_streams), GFP_KERNEL);
	if (!dci->bad)
		return -ENOMEM;
	dci->log_streams = log_streams;
	dci->log_errored = log_errored;
	return 0;
}

/**
 * sim_dci_exit() - undo sim_dci_init()
 * @dci: streams of any QP
 */
void sim_dci_exit(struct sim_dci *dci)
{
	bitmap_free(dci->bad);
	dci->bad = NULL;
}

/**
 * sim_dci_reset() - take all streams out of error
 * @dci: streams of any QP
 */
void sim_dci_reset(struct sim_dci *dci)
{
	if (dci->bad)
		bitmap_zero(dci->bad, BIT(dci->log_streams));
	dci->nbad = 0;
}

/* Unrefereed: U-83. */
static u32 sim_dci_index(const struct sim_dci *dci, u16 stream)
{
	return stream & (BIT(dci->log_streams) - 1);
}

/**
 * sim_dci_bad() - check whether a stream is in error
 * @dci: streams of any QP
 * @stream: stream id of a WQE
 *
 * Unrefereed: U-87.
 *
 * Return: true if the stream is in error; always false for a QP that is not a
 * DCI.
 */
bool sim_dci_bad(const struct sim_dci *dci, u16 stream)
{
	return dci->nbad && test_bit(sim_dci_index(dci, stream), dci->bad);
}

/**
 * sim_dci_fail() - put a stream in error
 * @dci: streams of any QP
 * @stream: stream id of a WQE, not in error
 *
 * Unrefereed: U-86.
 *
 * Return: true if the QP stays in its state; false if it must go to ERR,
 * because too many streams are in error or the QP is not a DCI.
 */
bool sim_dci_fail(struct sim_dci *dci, u16 stream)
{
	if (!dci->bad)
		return false;
	__set_bit(sim_dci_index(dci, stream), dci->bad);
	dci->nbad++;
	return dci->nbad < BIT_ULL(dci->log_errored);
}

/**
 * sim_dci_recover() - take a stream out of error
 * @dci: streams of any QP
 * @stream: stream id of a WQE
 *
 * Unrefereed: U-85.
 *
 * Return: 0, or -EINVAL when the stream is not in error.
 */
int sim_dci_recover(struct sim_dci *dci, u16 stream)
{
	if (!sim_dci_bad(dci, stream))
		return -EINVAL;
	__clear_bit(sim_dci_index(dci, stream), dci->bad);
	dci->nbad--;
	return 0;
}
