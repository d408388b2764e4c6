/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: Work requests by builders and setters, for kernel ULPs
 *
 * This is the work request API of ibv_wr_post(3), with the same names, arguments
 * and meaning: ``ib_`` replaces ``ibv_``, ``IB_`` replaces ``IBV_``, and an errno
 * is negative. A builder begins a work request, and its setters supply the address
 * and the data. The ULP does not fill in a struct ib_send_wr. For example::
 *
 *	// write to the peer's memory, then send a message to the peer
 *	static int write_and_tell(struct ib_qp_ex *qpx, struct ib_cqe *cqe,
 *				  const struct ib_sge *sge, u32 rkey, u64 remote_addr)
 *	{
 *		int ret;
 *
 *		ret = ib_wr_start(qpx);
 *		if (ret)
 *			return ret;
 *		qpx->wr_cqe = cqe;
 *
 *		qpx->wr_flags = 0;
 *		ib_wr_rdma_write(qpx, rkey, remote_addr);
 *		ib_wr_set_sge_list(qpx, 1, sge);
 *
 *		qpx->wr_flags = IB_SEND_SIGNALED;
 *		ib_wr_send(qpx);
 *		ib_wr_set_inline_data(qpx, &remote_addr, sizeof(remote_addr));
 *
 *		return ib_wr_complete(qpx);
 *	}
 *
 * mlx5_ibx exports these functions, and only QPs of devices with direct verbs
 * (<rdma/mlx5dv.h>) have a struct ib_qp_ex: see mlx5dv_create_qp() and mlx5dv_qp_ex_from_ib_qp() in
 * <rdma/mlx5dv.h>. There is no ib_qp_to_qp_ex(): the struct ib_qp_ex of a QP is the
 * member qp_ex of the struct mlx5dv_qp_ex.
 *
 * The open send queue
 * ~~~~~~~~~~~~~~~~~~~
 *
 * ib_wr_start() opens a send queue; ib_wr_complete() or ib_wr_abort() closes it.
 * In between the caller holds a spin lock of the QP with interrupts disabled, and
 * must not sleep. Other callers that post to the QP, by ib_post_send() too, wait
 * for the lock, so the section should be short.
 *
 * A CPU, or with PREEMPT_RT a task, can have a single send queue open at a time.
 * While the queue is open:
 *
 *  - ib_wr_start() on another QP returns -EBUSY and does nothing. Builders and
 *    setters on that QP do nothing either, and ib_wr_complete() returns -EINVAL.
 *  - ib_wr_start() on the same QP returns -EBUSY and spoils the open chain. The
 *    driver cannot distinguish the calls of a caller that ignores -EBUSY from
 *    the calls of the caller that opened the queue, so neither may build or
 *    post any more: the next ib_wr_complete() returns -EBUSY, posts nothing and
 *    closes the queue; a later call returns -EINVAL.
 *  - ib_post_send() on the same QP returns -EBUSY and does nothing. On a device of
 *    mlx5_ib, ib_post_send() succeeds: its work requests are posted at once, before
 *    the work requests of the open chain.
 *  - ib_post_send() on another QP is a bug, which lockdep reports.
 *
 * PREEMPT_RT
 * ~~~~~~~~~~
 *
 * With PREEMPT_RT spin locks sleep. The task that calls ib_wr_start() then owns the
 * open send queue, and makes all calls until ib_wr_complete() or ib_wr_abort().
 * Interrupts stay on, and other tasks may run on the CPU meanwhile. These tasks may
 * open other queues, or wait for the open queue. The rules for ULPs:
 *
 *  - ib_wr_start() may be called where spin_lock() may be called: in tasks,
 *    softirqs and threaded interrupt handlers, and under spin locks. It must not
 *    be called under a raw_spinlock_t, with interrupts or preemption disabled
 *    (local_irq_disable(), preempt_disable()), or in hard interrupt context
 *    (IRQF_NO_THREAD, hard timers and irq_work). The same is true for ib_post_send()
 *    and for all functions of mlx5_ibx and ib_frwr with the context "any".
 *  - While the queue is open the caller holds a spin lock: it must not sleep, but
 *    it may wait for another spin lock.
 *  - While the queue is open the caller must not call local_bh_enable(), which
 *    would run softirqs in the task that owns the queue.
 *
 * Chains and errors
 * ~~~~~~~~~~~~~~~~~
 *
 * The work requests that are built while the send queue is open are a chain.
 * ib_wr_complete() posts the complete chain, with one doorbell, or no work
 * request.
 *
 * Builders and setters return nothing. The first error spoils the chain: calls
 * that follow do nothing, and ib_wr_complete() returns the error and posts
 * nothing. The rules:
 *
 *  - Each setter that a builder needs is called once, in any order, before the
 *    next builder or ib_wr_complete(). No other setter is called.
 *  - The QP was created for the builder.
 *  - The send queue has space for all work requests of the chain.
 *  - The state of the QP allows posting when ib_wr_start() is called.
 *
 * Builders of ibv_wr_post(3) that are not here
 * ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
 *
 *  - ibv_wr_bind_mw(): the kernel has no memory windows for ULPs. Only uverbs
 *    calls ib_device_ops.alloc_mw, and ib_post_send() of IB_WR_BIND_MW
 *    returns -EOPNOTSUPP. To give the peer access to a part of an MR under a
 *    separate key, configure an mkey over that part:
 *    mlx5dv_wr_mkey_configure().
 *  - ibv_wr_flush() and ibv_wr_atomic_write(): neither mlx5_ib of Linux 6.12
 *    nor libmlx5 supports them, and <linux/mlx5/mlx5_ifc.h> has no capability
 *    and no opcode for these operations. ib_post_send() of IB_WR_FLUSH and
 *    IB_WR_ATOMIC_WRITE returns -EOPNOTSUPP.
 *  - ibv_wr_send_tso(), and the setter ibv_wr_set_xrc_srqn(): mlx5_ibx has no
 *    raw packet QPs, and has XRC QPs for processes only.
 *
 * Creating a QP for one of these builders, by its bit of ibv_create_qp_ex(3),
 * fails with -EOPNOTSUPP.
 */
#ifndef RDMA_IB_WR_H
#define RDMA_IB_WR_H

#include <linux/bits.h>
#include <linux/compiler_attributes.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* opcodes in completions of work requests that only one provider has */
#define IB_WC_DRIVER1		((enum ib_wc_opcode)0x7d)
#define IB_WC_DRIVER2		((enum ib_wc_opcode)0x7e)
#define IB_WC_DRIVER3		((enum ib_wc_opcode)0x7f)

/**
 * enum ib_qp_create_send_ops_flags - builders that a QP is created for
 * @IB_QP_EX_WITH_RDMA_WRITE: ib_wr_rdma_write()
 * @IB_QP_EX_WITH_RDMA_WRITE_WITH_IMM: ib_wr_rdma_write_imm()
 * @IB_QP_EX_WITH_SEND: ib_wr_send()
 * @IB_QP_EX_WITH_SEND_WITH_IMM: ib_wr_send_imm()
 * @IB_QP_EX_WITH_RDMA_READ: ib_wr_rdma_read()
 * @IB_QP_EX_WITH_ATOMIC_CMP_AND_SWP: ib_wr_atomic_cmp_swp()
 * @IB_QP_EX_WITH_ATOMIC_FETCH_AND_ADD: ib_wr_atomic_fetch_add()
 * @IB_QP_EX_WITH_LOCAL_INV: ib_wr_local_inv()
 * @IB_QP_EX_WITH_SEND_WITH_INV: ib_wr_send_inv()
 */
enum ib_qp_create_send_ops_flags {
	IB_QP_EX_WITH_RDMA_WRITE		= BIT(0),
	IB_QP_EX_WITH_RDMA_WRITE_WITH_IMM	= BIT(1),
	IB_QP_EX_WITH_SEND			= BIT(2),
	IB_QP_EX_WITH_SEND_WITH_IMM		= BIT(3),
	IB_QP_EX_WITH_RDMA_READ			= BIT(4),
	IB_QP_EX_WITH_ATOMIC_CMP_AND_SWP	= BIT(5),
	IB_QP_EX_WITH_ATOMIC_FETCH_AND_ADD	= BIT(6),
	IB_QP_EX_WITH_LOCAL_INV			= BIT(7),
	IB_QP_EX_WITH_SEND_WITH_INV		= BIT(9),
};

/**
 * enum ib_qp_init_attr_mask - fields of struct ib_qp_init_attr_ex that are set
 * @IB_QP_INIT_ATTR_SEND_OPS_FLAGS: send_ops_flags
 */
enum ib_qp_init_attr_mask {
	IB_QP_INIT_ATTR_SEND_OPS_FLAGS	= BIT(6),
};

/**
 * struct ib_qp_init_attr_ex - attributes of a QP to create
 * @base: attributes as for ib_create_qp(); base.cap returns the granted sizes
 * @comp_mask: bits of the fields below that are set, of enum
 *	ib_qp_init_attr_mask
 * @send_ops_flags: builders to be used, of enum ib_qp_create_send_ops_flags
 */
struct ib_qp_init_attr_ex {
	struct ib_qp_init_attr base;
	u32 comp_mask;
	u64 send_ops_flags;
};

/**
 * struct ib_qp_ex - a QP as builders and setters see it
 * @qp: the QP
 * @wr_id: returned in the completion of each work request that is built from now on
 * @wr_cqe: replaces @wr_id if the send CQ is from ib_alloc_cq():
 *	@wr_cqe->done() is called at each completion, also if an unsignaled work
 *	request fails
 * @wr_flags: IB_SEND_FENCE, IB_SEND_SIGNALED, IB_SEND_SOLICITED. IB_SEND_INLINE
 *	applies to mkey layouts only: ib_wr_set_inline_data() sets inline data
 *
 * Builders read @wr_id and @wr_flags, and setters do not. So a change between a
 * builder and its setters applies to the next builder. @wr_id and @wr_flags
 * keep their values until the caller changes them, and may be changed only
 * while the send queue is open.
 */
struct ib_qp_ex {
	struct ib_qp *qp;
	union {
		u64 wr_id;
		struct ib_cqe *wr_cqe;
	};
	unsigned int wr_flags;
};

/* ---- opening and closing a send queue ---- */

/**
 * ib_wr_start() - open a send queue
 * @qp: QP to post to
 *
 * Unlike ibv_wr_start(), this function can fail.
 *
 * Context: any but NMI; with PREEMPT_RT, any that may take a spin lock. On success
 * interrupts are disabled (not with PREEMPT_RT) and a spin lock is held until
 * ib_wr_complete() or ib_wr_abort() is called on the same CPU, by the same task.
 * Return:
 * * 0
 * * -EBUSY: the caller has a send queue open already. No queue was opened, and if
 *   the open queue belongs to @qp, its chain is spoiled
 */
int __must_check ib_wr_start(struct ib_qp_ex *qp);

/**
 * ib_wr_complete() - post the chain and close the send queue
 * @qp: QP whose send queue is open
 *
 * Context: as left by ib_wr_start(); restores interrupts.
 * Return:
 * * 0: the chain, which may be empty, was posted. After an error, no work
 *   request was posted
 * * -EBUSY: ib_wr_start() was called again while the queue was open
 * * -EINVAL: the caller does not have the send queue open, a setter was missing,
 *   repeated or out of place, an argument was out of range, wr_flags has unknown
 *   flags, or the state of the QP does not allow posting
 * * -EOPNOTSUPP: the QP was not created for a builder, or the device does not
 *   support the access flags of an mkey
 * * -ENOMEM: the send queue is full, or a work request is too long. (For a work
 *   request that is too long, ib_post_send() returns -EINVAL.)
 * * -EIO: after a fatal error of the device
 * * an errno that a builder or setter of <rdma/mlx5dv.h> documents
 */
int ib_wr_complete(struct ib_qp_ex *qp);

/**
 * ib_wr_abort() - drop the chain and close the send queue
 * @qp: QP whose send queue is open
 *
 * No work request of the chain is posted. Does nothing when the caller does not
 * have the send queue open.
 *
 * Context: as ib_wr_complete().
 */
void ib_wr_abort(struct ib_qp_ex *qp);

/* ---- builders ---- */

/**
 * ib_wr_send() - begin a SEND
 * @qp: QP of type RC, UC, UD or DCI
 *
 * Setters: data; on UD and DCI also the address.
 */
void ib_wr_send(struct ib_qp_ex *qp);

/**
 * ib_wr_send_imm() - begin a SEND with immediate data
 * @qp: QP of type RC, UC, UD or DCI
 * @imm_data: immediate data for the receiver's completion
 *
 * Setters: data; on UD and DCI also the address.
 */
void ib_wr_send_imm(struct ib_qp_ex *qp, __be32 imm_data);

/**
 * ib_wr_send_inv() - begin a SEND that invalidates a key of the receiver
 * @qp: QP of type RC or DCI
 * @invalidate_rkey: rkey to invalidate
 *
 * Setters: data; on a DCI also the address.
 */
void ib_wr_send_inv(struct ib_qp_ex *qp, u32 invalidate_rkey);

/**
 * ib_wr_rdma_write() - begin an RDMA WRITE
 * @qp: QP of type RC, UC or DCI
 * @rkey: rkey of the peer's memory
 * @remote_addr: address in that memory
 *
 * Setters: data; on a DCI also the address.
 */
void ib_wr_rdma_write(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr);

/**
 * ib_wr_rdma_write_imm() - begin an RDMA WRITE with immediate data
 * @qp: QP of type RC, UC or DCI
 * @rkey: rkey of the peer's memory
 * @remote_addr: address in that memory
 * @imm_data: immediate data for the completion of the peer's receive
 *
 * Setters: data; on a DCI also the address.
 */
void ib_wr_rdma_write_imm(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr, __be32 imm_data);

/**
 * ib_wr_rdma_read() - begin an RDMA READ
 * @qp: QP of type RC or DCI
 * @rkey: rkey of the peer's memory
 * @remote_addr: address in that memory
 *
 * Setters: data, not inline; on a DCI also the address.
 */
void ib_wr_rdma_read(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr);

/**
 * ib_wr_atomic_cmp_swp() - begin an atomic compare and swap
 * @qp: QP of type RC or DCI
 * @rkey: rkey of the peer's memory
 * @remote_addr: address of 8 bytes in that memory, a multiple of 8
 * @compare: value to compare the 8 bytes with
 * @swap: value that replaces the 8 bytes if the 8 bytes are equal to @compare
 *
 * Setters: data, not inline, of 8 bytes, which receive the old value; on a DCI also
 * the address.
 */
void ib_wr_atomic_cmp_swp(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr, u64 compare,
			  u64 swap);

/**
 * ib_wr_atomic_fetch_add() - begin an atomic fetch and add
 * @qp: QP of type RC or DCI
 * @rkey: rkey of the peer's memory
 * @remote_addr: address of 8 bytes in that memory, a multiple of 8
 * @add: value to add to the 8 bytes
 *
 * Setters: data, not inline, of 8 bytes, which receive the old value; on a DCI also
 * the address.
 */
void ib_wr_atomic_fetch_add(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr, u64 add);

/**
 * ib_wr_local_inv() - begin the invalidation of a local key
 * @qp: QP of type RC or DCI
 * @invalidate_rkey: rkey of an MR or an mkey
 *
 * The work request also clears the access flags and the layout of an mkey, because
 * a device may keep both in an invalidated mkey. There are no setters.
 */
void ib_wr_local_inv(struct ib_qp_ex *qp, u32 invalidate_rkey);

/* ---- setters ---- */

/**
 * struct ib_data_buf - a piece of inline data
 * @addr: kernel virtual address of the piece
 * @length: bytes in the piece
 */
struct ib_data_buf {
	void *addr;
	size_t length;
};

/**
 * ib_wr_set_sge() - set the data, one piece of memory
 * @qp: QP whose send queue is open
 * @lkey: lkey of the memory
 * @addr: address in that memory
 * @length: bytes in the piece, up to 2^31; 0 for no data
 */
void ib_wr_set_sge(struct ib_qp_ex *qp, u32 lkey, u64 addr, u32 length);

/**
 * ib_wr_set_sge_list() - set the data, several pieces of memory
 * @qp: QP whose send queue is open
 * @num_sge: number of pieces, up to max_send_sge of the QP; 0 for no data
 * @sg_list: the pieces, each as for ib_wr_set_sge()
 */
void ib_wr_set_sge_list(struct ib_qp_ex *qp, size_t num_sge, const struct ib_sge *sg_list);

/**
 * ib_wr_set_inline_data() - copy the data into the work request
 * @qp: QP whose send queue is open
 * @addr: kernel virtual address of the data, which may be freed after the call
 * @length: bytes of data, up to max_inline_data of the QP
 */
void ib_wr_set_inline_data(struct ib_qp_ex *qp, const void *addr, size_t length);

/**
 * ib_wr_set_inline_data_list() - copy several pieces of data into the work request
 * @qp: QP whose send queue is open
 * @num_buf: number of pieces
 * @buf_list: the pieces, of up to max_inline_data bytes in total
 */
void ib_wr_set_inline_data_list(struct ib_qp_ex *qp, size_t num_buf,
				const struct ib_data_buf *buf_list);

/**
 * ib_wr_set_ud_addr() - set the address of a datagram
 * @qp: QP of type UD whose send queue is open
 * @ah: address handle of the QP's PD
 * @remote_qpn: number of the receiving QP, of 24 bits
 * @remote_qkey: Q_Key of the receiving QP
 */
void ib_wr_set_ud_addr(struct ib_qp_ex *qp, struct ib_ah *ah, u32 remote_qpn, u32 remote_qkey);

#endif /* RDMA_IB_WR_H */
