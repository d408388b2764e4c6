// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Names of counters and violations, and three logs: violations, ignored fields
 * and the trace.
 *
 * A violation may be recorded in any context: sim_vio_log.lock, taken with
 * interrupts disabled, protects a count per class and the last lines. Only the
 * hardware thread uses the other two logs, without a lock; debugfs reads them
 * with sim_hw_call(). The ring of the trace is allocated when the trace is
 * first switched on. The log of ignored fields is always on.
 */
#include <linux/sched/clock.h>

#include "core/core.h"

static const char * const sim_counter_names[SIM_CTR_MAX] = {
	[SIM_CTR_commands] = "commands",
	[SIM_CTR_commands_bad_op] = "commands_bad_op",
	[SIM_CTR_commands_failed] = "commands_failed",
	[SIM_CTR_interrupts] = "interrupts",
	[SIM_CTR_eqes] = "eqes",
	[SIM_CTR_cqes] = "cqes",
	[SIM_CTR_cqes_error] = "cqes_error",
	[SIM_CTR_doorbells_seen] = "doorbells_seen",
	[SIM_CTR_dma_reads] = "dma_reads",
	[SIM_CTR_dma_read_lines] = "dma_read_lines",
	[SIM_CTR_dma_writes] = "dma_writes",
	[SIM_CTR_dma_write_lines] = "dma_write_lines",
	[SIM_CTR_wqes] = "wqes",
	[SIM_CTR_wqe_bbs] = "wqe_bbs",
	[SIM_CTR_rwqes] = "rwqes",
	[SIM_CTR_wqes_flushed] = "wqes_flushed",
	[SIM_CTR_sends] = "sends",
	[SIM_CTR_rdma_writes] = "rdma_writes",
	[SIM_CTR_rdma_reads] = "rdma_reads",
	[SIM_CTR_nops] = "nops",
	[SIM_CTR_umrs] = "umrs",
	[SIM_CTR_psvs_set] = "psvs_set",
	[SIM_CTR_sig_blocks_checked] = "sig_blocks_checked",
	[SIM_CTR_sig_blocks_generated] = "sig_blocks_generated",
	[SIM_CTR_sig_errors] = "sig_errors",
	[SIM_CTR_sig_errors_reported] = "sig_errors_reported",
	[SIM_CTR_crypto_units] = "crypto_units",
	[SIM_CTR_registrations] = "registrations",
	[SIM_CTR_registrations_remote_read] = "registrations_remote_read",
	[SIM_CTR_registrations_remote_write] = "registrations_remote_write",
	[SIM_CTR_registrations_remote_both] = "registrations_remote_both",
	[SIM_CTR_invalidations] = "invalidations",
	[SIM_CTR_invalidations_remote] = "invalidations_remote",
	[SIM_CTR_desc_inline] = "desc_inline",
	[SIM_CTR_desc_fetched] = "desc_fetched",
	[SIM_CTR_desc_entries] = "desc_entries",
	[SIM_CTR_copies] = "copies",
	[SIM_CTR_copied_bytes] = "copied_bytes",
	[SIM_CTR_tx_bytes] = "tx_bytes",
	[SIM_CTR_rx_bytes] = "rx_bytes",
	[SIM_CTR_tx_packets] = "tx_packets",
	[SIM_CTR_rx_packets] = "rx_packets",
	[SIM_CTR_rnr_naks] = "rnr_naks",
	[SIM_CTR_retries] = "retries",
	[SIM_CTR_link_downs] = "link_downs",
	[SIM_CTR_netdev_tx] = "netdev_tx",
	[SIM_CTR_netdev_rx] = "netdev_rx",
};

static const char * const sim_vio_names[SIM_VIO_MAX] = {
	[SIM_VIO_dma_unmapped] = "dma_unmapped",
	[SIM_VIO_dma_direction] = "dma_direction",
	[SIM_VIO_dma_leak] = "dma_leak",
	[SIM_VIO_page_written] = "page_written",
	[SIM_VIO_cmd_signature] = "cmd_signature",
	[SIM_VIO_cmd_size] = "cmd_size",
	[SIM_VIO_cmd_reserved] = "cmd_reserved",
	[SIM_VIO_cmd_bad_param] = "cmd_bad_param",
	[SIM_VIO_cmd_bad_resource] = "cmd_bad_resource",
	[SIM_VIO_cmd_bad_state] = "cmd_bad_state",
	[SIM_VIO_cmd_in_use] = "cmd_in_use",
	[SIM_VIO_cmd_uid] = "cmd_uid",
	[SIM_VIO_obj_leak] = "obj_leak",
	[SIM_VIO_doorbell] = "doorbell",
	[SIM_VIO_cq_overrun] = "cq_overrun",
	[SIM_VIO_cq_consumer] = "cq_consumer",
	[SIM_VIO_sq_counter] = "sq_counter",
	[SIM_VIO_rq_counter] = "rq_counter",
	[SIM_VIO_srq_list] = "srq_list",
	[SIM_VIO_wqe_opcode] = "wqe_opcode",
	[SIM_VIO_wqe_reserved] = "wqe_reserved",
	[SIM_VIO_wqe_size] = "wqe_size",
	[SIM_VIO_wqe_index] = "wqe_index",
	[SIM_VIO_wqe_qpn] = "wqe_qpn",
	[SIM_VIO_wqe_segment] = "wqe_segment",
	[SIM_VIO_fence_missing] = "fence_missing",
	[SIM_VIO_umr_mask] = "umr_mask",
	[SIM_VIO_umr_state] = "umr_state",
	[SIM_VIO_umr_entries] = "umr_entries",
	[SIM_VIO_umr_list_align] = "umr_list_align",
	[SIM_VIO_sig_bsf] = "sig_bsf",
	[SIM_VIO_sig_psv] = "sig_psv",
	[SIM_VIO_crypto_dek] = "crypto_dek",
	[SIM_VIO_mkey_lookup] = "mkey_lookup",
	[SIM_VIO_mkey_pd] = "mkey_pd",
	[SIM_VIO_mkey_access] = "mkey_access",
	[SIM_VIO_mkey_range] = "mkey_range",
};

/**
 * sim_counter_name() - name of a counter in debugfs
 * @ctr: the counter
 *
 * Context: any.
 * Return: name of the counter.
 */
const char *sim_counter_name(enum sim_counter ctr)
{
	return sim_counter_names[ctr];
}

/**
 * sim_vio_name() - name of a class of violations in debugfs
 * @vio: the class
 *
 * Context: any.
 * Return: name of the class.
 */
const char *sim_vio_name(enum sim_vio vio)
{
	return sim_vio_names[vio];
}

/**
 * sim_violation() - record that the driver has violated a rule of the device
 * @sdev: simulated function
 * @vio: class of the violation
 * @fmt: printf format of one line without newline: the object, the value found,
 *	the value expected
 *
 * Counts the violation and stores the line in a ring, which debugfs shows. The
 * caller then responds as a device would (error status, error CQE).
 *
 * Context: any.
 */
void sim_violation(struct sim_dev *sdev, enum sim_vio vio, const char *fmt, ...)
{
	struct sim_vio_log *log = &sdev->vio;
	unsigned long flags;
	va_list args;
	char *line;

	spin_lock_irqsave(&log->lock, flags);
	line = log->line[log->total % SIM_VIO_LINES];
	log->total++;
	log->count[vio]++;
	va_start(args, fmt);
	vscnprintf(line, SIM_TRACE_LEN, fmt, args);
	va_end(args);
	log->vio[(log->total - 1) % SIM_VIO_LINES] = vio;
	spin_unlock_irqrestore(&log->lock, flags);
}

/**
 * sim_ignored() - record that a driver set a reserved field that silicon ignores
 * @sdev: simulated function
 * @fmt: printf format of one line without newline: the object and the field
 *
 * Used only for fields that existing software sets on real cards. The use of
 * such a field is not a violation: the caller continues as if the field were 0.
 *
 * Context: hardware thread.
 */
void sim_ignored(struct sim_dev *sdev, const char *fmt, ...)
{
	struct sim_ignored_log *log = &sdev->ignored;
	va_list args;

	va_start(args, fmt);
	vscnprintf(log->line[log->total++ % SIM_IGNORED_LINES], SIM_TRACE_LEN, fmt, args);
	va_end(args);
}

/**
 * sim_trace_add() - add a line to the trace ring; for sim_trace()
 * @sdev: simulated function whose trace is on
 * @fmt: printf format of one line without newline
 *
 * Context: hardware thread.
 */
void sim_trace_add(struct sim_dev *sdev, const char *fmt, ...)
{
	struct sim_trace_ring *trace = &sdev->trace;
	char *line = trace->line[trace->head % SIM_TRACE_LINES];
	u64 us = div_u64(local_clock(), NSEC_PER_USEC);
	va_list args;
	int n;

	n = scnprintf(line, SIM_TRACE_LEN, "%llu.%06llu ", us / USEC_PER_SEC, us % USEC_PER_SEC);
	va_start(args, fmt);
	vscnprintf(line + n, SIM_TRACE_LEN - n, fmt, args);
	va_end(args);
	trace->head++;
}
