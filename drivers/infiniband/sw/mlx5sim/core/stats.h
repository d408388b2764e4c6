/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of the simulated device, and the classes of violations: rules of the
 * device that a driver can break and the device checks.
 *
 * Each simulated function has its own counters and violations; debugfs shows
 * them (mlx5sim/<pci address>/). Only the hardware thread writes counters, so
 * they need no lock; readers may read values that are slightly old.
 */
#ifndef MLX5SIM_STATS_H
#define MLX5SIM_STATS_H

/* Counters; stats.c has their names */
enum sim_counter {
	SIM_CTR_commands,	/* firmware commands executed */
	SIM_CTR_commands_bad_op,	/* commands completed with BAD_OP */
	SIM_CTR_commands_failed,	/* commands with another error */
	SIM_CTR_interrupts,	/* MSI-X messages raised */
	SIM_CTR_eqes,	/* event queue entries written */
	SIM_CTR_cqes,	/* completion queue entries written */
	SIM_CTR_cqes_error,	/* completion queue entries with an error opcode */
	SIM_CTR_doorbells_seen,	/* UAR writes observed, a lower bound */
	SIM_CTR_dma_reads,	/* DMA read transactions */
	SIM_CTR_dma_read_lines,	/* 64-byte lines touched by DMA reads */
	SIM_CTR_dma_writes,	/* DMA write transactions */
	SIM_CTR_dma_write_lines,	/* 64-byte lines touched by DMA writes */
	SIM_CTR_wqes,	/* send WQEs executed without an immediate error */
	SIM_CTR_wqe_bbs,	/* 64-byte send WQE basic blocks fetched */
	SIM_CTR_rwqes,	/* receive WQEs consumed */
	SIM_CTR_wqes_flushed,	/* WQEs flushed by QPs and streams in error */
	SIM_CTR_sends,	/* SEND messages transmitted */
	SIM_CTR_rdma_writes,	/* RDMA WRITE messages transmitted */
	SIM_CTR_rdma_reads,	/* RDMA READ messages requested */
	SIM_CTR_nops,	/* NOP WQEs executed */
	SIM_CTR_umrs,	/* UMR WQEs executed */
	SIM_CTR_psvs_set,	/* SET_PSV WQEs executed */
	SIM_CTR_sig_blocks_checked,	/* signatures compared */
	SIM_CTR_sig_blocks_generated,	/* signatures written to memory or to the wire */
	SIM_CTR_sig_errors,	/* transfers with a signature error */
	SIM_CTR_sig_errors_reported,	/* signature errors reported by a CQE */
	SIM_CTR_crypto_units,	/* data units encrypted or decrypted */
	SIM_CTR_registrations,	/* UMRs that made a free mkey valid */
	SIM_CTR_registrations_remote_read,	/* with remote READ, no WRITE */
	SIM_CTR_registrations_remote_write,	/* with remote WRITE, no READ */
	SIM_CTR_registrations_remote_both,	/* with remote READ and WRITE */
	SIM_CTR_invalidations,	/* mkeys freed by a local or remote invalidate */
	SIM_CTR_invalidations_remote,	/* mkeys freed by a peer's SEND with invalidate */
	SIM_CTR_desc_inline,	/* UMR translation lists carried in the WQE */
	SIM_CTR_desc_fetched,	/* UMR translation lists fetched from memory */
	SIM_CTR_desc_entries,	/* MTT and KLM entries written by UMRs */
	SIM_CTR_copies,	/* memory copies executed */
	SIM_CTR_copied_bytes,	/* bytes moved by memory copies */
	SIM_CTR_tx_bytes,	/* RDMA payload bytes sent to the fabric */
	SIM_CTR_rx_bytes,	/* RDMA payload bytes received from the fabric */
	SIM_CTR_tx_packets,	/* RDMA packets sent, counted by the path MTU */
	SIM_CTR_rx_packets,	/* RDMA packets received */
	SIM_CTR_rnr_naks,	/* receiver-not-ready NAKs sent */
	SIM_CTR_retries,	/* messages sent again after a timeout */
	SIM_CTR_link_downs,	/* times the port went down */
	SIM_CTR_netdev_tx,	/* Ethernet frames sent by the netdev */
	SIM_CTR_netdev_rx,	/* Ethernet frames delivered to the netdev */
	SIM_CTR_MAX
};

/* Classes of violations; stats.c has their names */
enum sim_vio {
	SIM_VIO_dma_unmapped,	/* access or unmap that matches no mapping */
	SIM_VIO_dma_direction,	/* access against the mapped direction */
	SIM_VIO_dma_leak,	/* DMA mappings left when the device was removed */
	SIM_VIO_page_written,	/* page written by the host while it belongs to the device */
	SIM_VIO_cmd_signature,	/* command entry or mailbox signature or token wrong */
	SIM_VIO_cmd_size,	/* command input or output length wrong */
	SIM_VIO_cmd_reserved,	/* reserved field of a command not zero */
	SIM_VIO_cmd_bad_param,	/* command parameter out of range */
	SIM_VIO_cmd_bad_resource,	/* command for an unknown object */
	SIM_VIO_cmd_bad_state,	/* command not allowed in the object's state */
	SIM_VIO_cmd_in_use,	/* object destroyed while in use */
	SIM_VIO_cmd_uid,	/* object used under a uid that does not own it */
	SIM_VIO_obj_leak,	/* objects left at TEARDOWN_HCA */
	SIM_VIO_doorbell,	/* doorbell on a wrong page, or bad EQ index */
	SIM_VIO_cq_overrun,	/* completion queue overrun */
	SIM_VIO_cq_consumer,	/* CQ consumer index beyond the producer */
	SIM_VIO_sq_counter,	/* SQ doorbell record beyond the ring */
	SIM_VIO_rq_counter,	/* RQ doorbell record beyond the ring */
	SIM_VIO_srq_list,	/* SRQ linked list malformed */
	SIM_VIO_wqe_opcode,	/* WQE opcode unknown or not allowed on this QP */
	SIM_VIO_wqe_reserved,	/* reserved field of a WQE not zero */
	SIM_VIO_wqe_size,	/* WQE size (ds) does not fit its segments */
	SIM_VIO_wqe_index,	/* WQE index does not match its place in the ring */
	SIM_VIO_wqe_qpn,	/* WQE contains the number of another QP */
	SIM_VIO_wqe_segment,	/* WQE segment malformed */
	SIM_VIO_fence_missing,	/* no fence on a WQE after a UMR or SET_PSV */
	SIM_VIO_umr_mask,	/* UMR mask bits not allowed or not supported */
	SIM_VIO_umr_state,	/* mkey state or QP does not permit the UMR */
	SIM_VIO_umr_entries,	/* UMR writes more entries than the mkey holds */
	SIM_VIO_umr_list_align,	/* list, or its place in the mkey, not aligned */
	SIM_VIO_sig_bsf,	/* BSF malformed, or beyond the capabilities */
	SIM_VIO_sig_psv,	/* PSV that does not exist, or of another PD */
	SIM_VIO_crypto_dek,	/* DEK that does not exist, of another PD, or with another keytag */
	SIM_VIO_mkey_lookup,	/* local access or UMR: mkey free or unknown */
	SIM_VIO_mkey_pd,	/* local access or UMR: mkey of another PD */
	SIM_VIO_mkey_access,	/* local access without the right in the mkey */
	SIM_VIO_mkey_range,	/* local access out of range; misaligned page */
	SIM_VIO_MAX
};

/* Hardware thread. sim_ctr_add() is in core/sim.h */
#define sim_count(sdev, name)		sim_ctr_add(sdev, SIM_CTR_##name, 1)
#define sim_count_add(sdev, name, n)	sim_ctr_add(sdev, SIM_CTR_##name, n)

#endif /* MLX5SIM_STATS_H */
