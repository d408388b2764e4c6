/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5 direct verbs for kernel ULPs.
 *
 * What userspace has in <infiniband/mlx5dv.h> and in the work request API of
 * <infiniband/verbs.h>, with the same names, arguments and meaning: the manual
 * pages ibv_wr_post(3), mlx5dv_create_qp(3), mlx5dv_create_mkey(3),
 * mlx5dv_wr_post(3), mlx5dv_wr_mkey_configure(3) and mlx5dv_query_device(3) apply.
 * "struct ibv_" reads "struct ib_", "ibv_wr_" reads "ib_wr_", a pointer returned
 * is an ERR_PTR() on failure and never NULL, and an errno is negative. What is
 * different beyond that is said here, call by call.
 *
 * For QPs of devices that mlx5_ibx drives. samples/mkey_layouts.c has the
 * examples of the manual pages.
 *
 * Posting
 * -------
 *
 *	ret = ib_wr_start(qpx);
 *	if (ret)
 *		return ret;
 *	qpx->wr_id = ...;
 *	qpx->wr_flags = IB_SEND_SIGNALED;
 *	ib_wr_rdma_write(qpx, rkey, remote_addr);	a builder
 *	ib_wr_set_sge(qpx, lkey, addr, length);		its setters
 *	... more work requests ...
 *	ret = ib_wr_complete(qpx);
 *
 * Between ib_wr_start() and ib_wr_complete() or ib_wr_abort() a send queue is
 * open: a critical section that other posters of the same QP, those of
 * ib_post_send() too, wait for. It holds a spin lock with interrupts disabled,
 * so keep it short, and do not sleep in it. Long layouts are therefore prepared
 * before it (struct mlx5dv_layout). A CPU opens one send queue at a time:
 * opening a second, or the same again, is -EBUSY and not a deadlock, and so is
 * ib_post_send() on the QP whose queue it has open. Posting to another QP from
 * inside is a bug that lockdep reports.
 *
 * Builders and setters return nothing. The first mistake spoils the chain:
 * ib_wr_complete() returns its errno, and nothing of the chain was posted, nor
 * does the device ring. The rules:
 *
 *  - what a builder needs, its setters, must all follow it before the next
 *    builder or ib_wr_complete(), in any order, each once and no others;
 *  - a builder must be among those that the QP was created for;
 *  - all work requests of a chain must fit the send queue.
 *
 * One doorbell is rung for a chain, of whatever length.
 */
#ifndef RDMA_MLX5DV_H
#define RDMA_MLX5DV_H

#include <linux/bits.h>
#include <linux/bvec.h>
#include <linux/dma-direction.h>
#include <linux/gfp_types.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/*
 * Opcodes of completions, beyond those of enum ib_wc_opcode. The third is for
 * what mlx5dv_wr_memcpy() posted.
 */
#define IB_WC_DRIVER1		((enum ib_wc_opcode)0x7d)
#define IB_WC_DRIVER2		((enum ib_wc_opcode)0x7e)
#define IB_WC_DRIVER3		((enum ib_wc_opcode)0x7f)
#define MLX5DV_WC_UMR		IB_WC_DRIVER1
#define MLX5DV_WC_RAW_WQE	IB_WC_DRIVER2
#define MLX5DV_WC_MEMCPY	IB_WC_DRIVER3

/**
 * enum ib_qp_create_send_ops_flags - work requests that a QP is to take
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

/* struct ib_qp_init_attr_ex.comp_mask */
enum ib_qp_init_attr_mask {
	IB_QP_INIT_ATTR_SEND_OPS_FLAGS	= BIT(6),
};

/**
 * struct ib_qp_init_attr_ex - a QP to create
 * @base: as for ib_create_qp(). cap gets what was granted
 * @comp_mask: which of the fields below count, of enum ib_qp_init_attr_mask
 * @send_ops_flags: of enum ib_qp_create_send_ops_flags
 */
struct ib_qp_init_attr_ex {
	struct ib_qp_init_attr base;
	u32 comp_mask;
	u64 send_ops_flags;
};

/* struct mlx5dv_qp_init_attr.comp_mask */
enum mlx5dv_qp_init_attr_mask {
	MLX5DV_QP_INIT_ATTR_MASK_DC		= BIT(1),
	MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS	= BIT(2),
	MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS	= BIT(3),
};

/**
 * enum mlx5dv_dc_type - ends of dynamically connected transport
 * @MLX5DV_DCTYPE_DCT: receives from all DCIs that have its key
 * @MLX5DV_DCTYPE_DCI: sends; each work request names its DCT
 */
enum mlx5dv_dc_type {
	MLX5DV_DCTYPE_DCT	= 1,
	MLX5DV_DCTYPE_DCI,
};

/**
 * struct mlx5dv_dci_streams - streams of a DCI
 * @log_num_concurent: log2 of their number
 * @log_num_errored: log2 of how many in error put the DCI in error
 *
 * A work request that fails takes its stream with it, and no other: see
 * mlx5dv_dci_stream_id_reset().
 */
struct mlx5dv_dci_streams {
	u8 log_num_concurent;
	u8 log_num_errored;
};

/**
 * struct mlx5dv_dc_init_attr - a DCI or a DCT to create
 * @dc_type: which
 * @dct_access_key: of a DCT: what its DCIs must show
 * @dci_streams: of a DCI, with MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS
 */
struct mlx5dv_dc_init_attr {
	enum mlx5dv_dc_type dc_type;
	union {
		u64 dct_access_key;
		struct mlx5dv_dci_streams dci_streams;
	};
};

/**
 * enum mlx5dv_qp_create_send_ops_flags - work requests of mlx5 that a QP is to take
 * @MLX5DV_QP_EX_WITH_MR_INTERLEAVED: mlx5dv_wr_mr_interleaved(); RC
 * @MLX5DV_QP_EX_WITH_MR_LIST: mlx5dv_wr_mr_list(); RC
 * @MLX5DV_QP_EX_WITH_MKEY_CONFIGURE: mlx5dv_wr_mkey_configure() and its setters; RC
 * @MLX5DV_QP_EX_WITH_RAW_WQE: mlx5dv_wr_raw_wqe(); RC, UC, UD and DCI
 * @MLX5DV_QP_EX_WITH_MEMCPY: mlx5dv_wr_memcpy(); RC and DCI
 */
enum mlx5dv_qp_create_send_ops_flags {
	MLX5DV_QP_EX_WITH_MR_INTERLEAVED	= BIT(0),
	MLX5DV_QP_EX_WITH_MR_LIST		= BIT(1),
	MLX5DV_QP_EX_WITH_MKEY_CONFIGURE	= BIT(2),
	MLX5DV_QP_EX_WITH_RAW_WQE		= BIT(3),
	MLX5DV_QP_EX_WITH_MEMCPY		= BIT(4),
};

/**
 * struct mlx5dv_qp_init_attr - what of a QP to create is mlx5's
 * @comp_mask: which of the fields count, of enum mlx5dv_qp_init_attr_mask
 * @dc_init_attr: of a DCI or a DCT, which have qp_type IB_QPT_DRIVER
 * @send_ops_flags: of enum mlx5dv_qp_create_send_ops_flags
 */
struct mlx5dv_qp_init_attr {
	u64 comp_mask;
	struct mlx5dv_dc_init_attr dc_init_attr;
	u64 send_ops_flags;
};

/**
 * struct ib_qp_ex - a QP, for builders
 * @qp: the QP
 * @wr_id: what the completions of the next work requests say
 * @wr_cqe: the same as struct ib_send_wr has it, and what a send CQ of ib_alloc_cq()
 *	must get: it calls @wr_cqe->done(), for unsignalled work requests too if they
 *	fail
 * @wr_flags: IB_SEND_FENCE, _SIGNALED, _SOLICITED and, for layouts, _INLINE
 *
 * They are read by builders, and stay as they are until they are set anew. They
 * belong to whoever has the send queue open.
 */
struct ib_qp_ex {
	struct ib_qp *qp;
	union {
		u64 wr_id;
		struct ib_cqe *wr_cqe;
	};
	unsigned int wr_flags;
};

/**
 * struct mlx5dv_qp_ex - a QP, for the builders of mlx5
 * @qp_ex: the same for the others
 */
struct mlx5dv_qp_ex {
	struct ib_qp_ex qp_ex;
};

/* struct mlx5dv_context.comp_mask */
enum mlx5dv_context_comp_mask {
	MLX5DV_CONTEXT_MASK_DCI_STREAMS		= BIT(11),
	MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH	= BIT(12),
	MLX5DV_CONTEXT_MASK_MKEY		= BIT_ULL(63),
};

/**
 * struct mlx5dv_dci_streams_caps - streams that a DCI may have
 * @max_log_num_concurent: most of log_num_concurent
 * @max_log_num_errored: most of log_num_errored
 */
struct mlx5dv_dci_streams_caps {
	u8 max_log_num_concurent;
	u8 max_log_num_errored;
};

/**
 * struct mlx5dv_context - what a device can do
 * @comp_mask: in: which fields below are wanted; out: which of those were set,
 *	of enum mlx5dv_context_comp_mask
 * @dci_streams_caps: streams of a DCI; all 0, there are none
 * @max_wr_memcpy_length: bytes that mlx5dv_wr_memcpy() copies at most; 0, it does
 *	not
 * @max_mkey_entries: entries that an mkey holds at most, an interleaved layout
 *	with one less; 0, no mkeys can be created (MLX5DV_CONTEXT_MASK_MKEY,
 *	which only the kernel has)
 */
struct mlx5dv_context {
	u64 comp_mask;
	struct mlx5dv_dci_streams_caps dci_streams_caps;
	size_t max_wr_memcpy_length;
	u32 max_mkey_entries;
};

/**
 * mlx5dv_query_device() - what a device can do
 * @device: the device
 * @attrs: gets it. Bits of comp_mask that this version does not know are cleared
 *
 * Context: any.
 * Return: 0; or -EOPNOTSUPP for a device that mlx5_ibx does not drive.
 */
int mlx5dv_query_device(struct ib_device *device, struct mlx5dv_context *attrs);

/* of mlx5dv_create_qp(), which tells who calls */
struct ib_qp *mlx5dv_create_qp_kernel(struct ib_pd *pd, struct ib_qp_init_attr_ex *attr,
				      const struct mlx5dv_qp_init_attr *mlx5_attr,
				      const char *caller);

/**
 * mlx5dv_create_qp() - create a QP for builders
 * @pd: its PD, of a device that mlx5_ibx drives
 * @attr: RC, UC or UD, or IB_QPT_DRIVER for a DCI or a DCT. cap.max_inline_data, as it
 *	is asked for, makes room for layouts too: one of n entries that is inline in the
 *	work request takes n * 16 bytes, rounded up to 64, an interleaved one n + 1
 *	entries. 16 entries always fit. What is granted is for data; layouts have 92
 *	bytes less of it
 * @mlx5_attr: what is mlx5's, or NULL
 *
 * ib_destroy_qp() destroys it. ib_post_send() may be used on it as well, but not on
 * a DCI.
 *
 * A DCI sends by builders, and receives nothing: it has no SRQ, and max_recv_wr does
 * not count. ib_modify_qp() takes beside the state: to INIT IB_QP_PKEY_INDEX
 * and _PORT; to RTR _PATH_MTU; to RTS _TIMEOUT, _RETRY_CNT, _RNR_RETRY,
 * _MAX_QP_RD_ATOMIC and _SQ_PSN; to RESET and ERR nothing.
 *
 * A DCT receives: it needs an SRQ, where receives are posted, and both CQs, of which
 * the one for receives gets their completions; cap does not count, and it takes no
 * builder. ib_modify_qp() takes: to INIT IB_QP_PKEY_INDEX, _PORT and
 * _ACCESS_FLAGS; to RTR _AV (its source GID counts), _PATH_MTU and _MIN_RNR_TIMER.
 * In RTR it receives, and its number is in qp_num, which is 0 before. It is never in
 * another state: ib_drain_qp() is not for it, destroying it drains it.
 *
 * Context: process context, may sleep.
 * Return: the QP in RESET; or ERR_PTR() of -EOPNOTSUPP for another driver's
 * device, for create_flags, when the device has no DC, for IB_QPT_DRIVER without
 * MLX5DV_QP_INIT_ATTR_MASK_DC, or when a QP of this type does not take all the work
 * requests asked for; -EINVAL for unknown bits in either comp_mask, for what is said
 * of DC where it does not belong, for more streams than the device has, for a DCT
 * without an SRQ and a DCI with one; or as ib_create_qp().
 */
static inline struct ib_qp *mlx5dv_create_qp(struct ib_pd *pd, struct ib_qp_init_attr_ex *attr,
					     const struct mlx5dv_qp_init_attr *mlx5_attr)
{
	return mlx5dv_create_qp_kernel(pd, attr, mlx5_attr, KBUILD_MODNAME);
}

/**
 * mlx5dv_qp_ex_from_ib_qp() - the builders' side of a QP
 * @qp: any QP
 *
 * Of a QP of ib_create_qp() it takes no builder, as none was asked for.
 *
 * Context: any.
 * Return: it, as long as the QP lives; or NULL for another driver's QP.
 */
struct mlx5dv_qp_ex *mlx5dv_qp_ex_from_ib_qp(struct ib_qp *qp);

/* ---- opening and closing ---- */

/**
 * ib_wr_start() - open a send queue; ibv_wr_post(3)
 * @qp: QP
 *
 * Unlike ibv_wr_start() it can fail. Who does not look is told by
 * ib_wr_complete().
 *
 * Context: any but NMI. On success returns with interrupts disabled and a spin
 * lock held, until ib_wr_complete() or ib_wr_abort() on the same CPU.
 * Return: 0; or -EBUSY when this CPU has a send queue open, this or another:
 * nothing was opened then.
 */
int ib_wr_start(struct ib_qp_ex *qp);

/**
 * ib_wr_complete() - post what was built, and close the send queue
 * @qp: QP
 *
 * Context: as ib_wr_start() left it; restores interrupts.
 * Return: 0 and all is posted, an empty chain too; else nothing is:
 * -EINVAL, no such send queue is open on this CPU, a setter was missing, repeated
 * or out of place, an argument of a builder or setter is out of range, or the QP is
 * in a state in which it takes no work requests; -EOPNOTSUPP, a builder that the
 * QP was not created for, or one that cannot do what wr_flags ask; -ENOMEM, the send
 * queue or the room of a work request is too small; -EIO, the device died.
 */
int ib_wr_complete(struct ib_qp_ex *qp);

/**
 * ib_wr_abort() - forget what was built, and close the send queue
 * @qp: QP
 *
 * Nothing of the chain was posted, and mkeys are as they were. Without a send
 * queue open on this CPU it does nothing.
 *
 * Context: as ib_wr_complete().
 */
void ib_wr_abort(struct ib_qp_ex *qp);

/* ---- builders: each begins a work request; ibv_wr_post(3) ---- */

/**
 * ib_wr_send() - send a message
 * @qp: QP; RC, UC, UD or DCI
 *
 * Setters: data; on UD and DCI the address.
 */
void ib_wr_send(struct ib_qp_ex *qp);

/**
 * ib_wr_send_imm() - send a message with an immediate
 * @qp: QP; RC, UC, UD or DCI
 * @imm_data: what the receiver's completion carries
 *
 * Setters: as ib_wr_send().
 */
void ib_wr_send_imm(struct ib_qp_ex *qp, __be32 imm_data);

/**
 * ib_wr_send_inv() - send a message and invalidate a key of the receiver's
 * @qp: QP; RC or DCI
 * @invalidate_rkey: the key
 *
 * Setters: data; on a DCI the address.
 */
void ib_wr_send_inv(struct ib_qp_ex *qp, u32 invalidate_rkey);

/**
 * ib_wr_rdma_write() - write to the peer's memory
 * @qp: QP; RC, UC or DCI
 * @rkey: key of that memory
 * @remote_addr: its address
 *
 * Setters: data; on a DCI the address.
 */
void ib_wr_rdma_write(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr);

/**
 * ib_wr_rdma_write_imm() - write to the peer's memory and consume a receive
 * @qp: QP; RC, UC or DCI
 * @rkey: key of that memory
 * @remote_addr: its address
 * @imm_data: what the receiver's completion carries
 *
 * Setters: data; on a DCI the address.
 */
void ib_wr_rdma_write_imm(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr, __be32 imm_data);

/**
 * ib_wr_rdma_read() - read the peer's memory
 * @qp: QP; RC or DCI
 * @rkey: key of that memory
 * @remote_addr: its address
 *
 * Setters: data, not inline; on a DCI the address.
 */
void ib_wr_rdma_read(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr);

/**
 * ib_wr_atomic_cmp_swp() - compare and swap 64 bits of the peer's memory
 * @qp: QP; RC or DCI
 * @rkey: key of that memory
 * @remote_addr: its address, a multiple of 8
 * @compare: if this is there
 * @swap: then this shall be
 *
 * Setters: data, not inline: the 8 bytes that get what was there; on a DCI the
 * address.
 */
void ib_wr_atomic_cmp_swp(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr, u64 compare,
			  u64 swap);

/**
 * ib_wr_atomic_fetch_add() - add to 64 bits of the peer's memory
 * @qp: QP; RC or DCI
 * @rkey: key of that memory
 * @remote_addr: its address, a multiple of 8
 * @add: what to add
 *
 * Setters: data, not inline: the 8 bytes that get what was there; on a DCI the
 * address.
 */
void ib_wr_atomic_fetch_add(struct ib_qp_ex *qp, u32 rkey, u64 remote_addr, u64 add);

/**
 * ib_wr_local_inv() - invalidate a key of ours
 * @qp: QP; RC or DCI
 * @invalidate_rkey: of an MR or an mkey
 *
 * Clears all that an mkey was configured with: access, layout and signature.
 *
 * Setters: none.
 */
void ib_wr_local_inv(struct ib_qp_ex *qp, u32 invalidate_rkey);

/* ---- setters ---- */

/**
 * struct ib_data_buf - data to copy into a work request
 * @addr: where it is, in the kernel's address space
 * @length: bytes
 */
struct ib_data_buf {
	void *addr;
	size_t length;
};

/**
 * ib_wr_set_sge() - the data, in one piece
 * @qp: QP
 * @lkey: key
 * @addr: address, as the key has it
 * @length: bytes, up to 2^31; 0, there is no data
 */
void ib_wr_set_sge(struct ib_qp_ex *qp, u32 lkey, u64 addr, u32 length);

/**
 * ib_wr_set_sge_list() - the data, in pieces
 * @qp: QP
 * @num_sge: pieces, up to max_send_sge of the QP
 * @sg_list: them
 */
void ib_wr_set_sge_list(struct ib_qp_ex *qp, size_t num_sge, const struct ib_sge *sg_list);

/**
 * ib_wr_set_inline_data() - the data, which is copied now
 * @qp: QP
 * @addr: where it is, in the kernel's address space
 * @length: bytes, up to max_inline_data of the QP
 */
void ib_wr_set_inline_data(struct ib_qp_ex *qp, const void *addr, size_t length);

/**
 * ib_wr_set_inline_data_list() - the data, in pieces, which are copied now
 * @qp: QP
 * @num_buf: pieces
 * @buf_list: them; up to max_inline_data bytes in all
 */
void ib_wr_set_inline_data_list(struct ib_qp_ex *qp, size_t num_buf,
				const struct ib_data_buf *buf_list);

/**
 * ib_wr_set_ud_addr() - the address, on a UD QP
 * @qp: QP
 * @ah: address handle, of the QP's PD
 * @remote_qpn: QP number
 * @remote_qkey: its Q_Key
 */
void ib_wr_set_ud_addr(struct ib_qp_ex *qp, struct ib_ah *ah, u32 remote_qpn, u32 remote_qkey);

/* ---- mkeys ---- */

/**
 * enum mlx5dv_mkey_init_attr_flags - what an mkey is for
 * @MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT: layouts over other keys; must be set
 * @MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE: block signatures; not yet
 * @MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO: encryption; not yet
 * @MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG: lkey and rkey may be given another low
 *	byte by the owner, which the next configuration makes valid
 * @MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE: the peer may invalidate it
 */
enum mlx5dv_mkey_init_attr_flags {
	MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT		= BIT(0),
	MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE	= BIT(1),
	MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO		= BIT(2),
	MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG		= BIT(3),
	MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE	= BIT(4),
};

/**
 * struct mlx5dv_mkey_init_attr - an mkey to create
 * @pd: its PD; the QPs it is configured on must be of the same
 * @create_flags: of enum mlx5dv_mkey_init_attr_flags
 * @max_entries: longest layout, at least 1; an interleaved one takes an entry more
 *	than it has. Gets what was granted, which may be more
 */
struct mlx5dv_mkey_init_attr {
	struct ib_pd *pd;
	u32 create_flags;
	u16 max_entries;
};

/**
 * struct mlx5dv_mkey - an indirect mkey
 * @lkey: for work requests of our own
 * @rkey: for those of the peer
 */
struct mlx5dv_mkey {
	u32 lkey;
	u32 rkey;
};

/**
 * mlx5dv_create_mkey() - create an mkey; mlx5dv_create_mkey(3)
 * @attr: what it is like
 *
 * It can be used once it was configured with a layout, by addresses that count
 * from 0.
 *
 * Context: process context, may sleep.
 * Return: the mkey; or ERR_PTR() of -EOPNOTSUPP for another driver's PD, a device
 * without mkeys, block signatures and encryption; -EINVAL for unknown flags, without
 * _INDIRECT, or for 0 entries or more than the device has; -ENOMEM; or what the device
 * says.
 */
struct mlx5dv_mkey *mlx5dv_create_mkey(struct mlx5dv_mkey_init_attr *attr);

/**
 * mlx5dv_destroy_mkey() - destroy an mkey, whatever it is configured with
 * @mkey: of mlx5dv_create_mkey(). No work request that names it is outstanding
 *
 * Context: process context, may sleep.
 * Return: 0; or what the device says: then @mkey is gone all the same, but the device
 * still has it, and those who know the key may still reach what it leads to. The kernel log
 * names it.
 */
int mlx5dv_destroy_mkey(struct mlx5dv_mkey *mkey);

/*
 * struct mlx5dv_mkey_pool: mkeys at hand where nobody may sleep. Only the kernel has it.
 *
 * It has so many from the beginning, and more when it is found empty, up to a limit. An
 * mkey comes as it was put: what it was configured with is still there, and its peers
 * still reach it by its rkey, until it is invalidated or configured anew.
 */
struct mlx5dv_mkey_pool;

/**
 * mlx5dv_create_mkey_pool() - create a pool of mkeys
 * @attr: what its mkeys are like; as for mlx5dv_create_mkey(), but it stays as it is
 * @min: mkeys to have now; at least 1
 * @max: mkeys to have ever; not below @min
 *
 * Context: process, may sleep.
 * Return: the pool; or ERR_PTR() of -EINVAL for a bad @min or @max, or as
 * mlx5dv_create_mkey().
 */
struct mlx5dv_mkey_pool *mlx5dv_create_mkey_pool(const struct mlx5dv_mkey_init_attr *attr,
						 u32 min, u32 max);

/**
 * mlx5dv_destroy_mkey_pool() - destroy a pool and its mkeys
 * @pool: pool that all mkeys were put back to; those that were not are lost, with a
 *	warning
 *
 * Context: process, may sleep.
 */
void mlx5dv_destroy_mkey_pool(struct mlx5dv_mkey_pool *pool);

/**
 * mlx5dv_get_mkey() - take an mkey out of a pool
 * @pool: pool
 *
 * Context: any but NMI.
 * Return: the mkey; or ERR_PTR() of -EAGAIN when there is none and more are being made,
 * so that another call finds one later; -ENOSPC when all of max are out; or why making more
 * failed the last time: it is tried again.
 */
struct mlx5dv_mkey *mlx5dv_get_mkey(struct mlx5dv_mkey_pool *pool);

/**
 * mlx5dv_put_mkey() - put an mkey back
 * @pool: pool it is from
 * @mkey: mkey that no work request uses any more; its owner may have given it another
 *	tag, which it keeps
 *
 * Context: any but NMI.
 */
void mlx5dv_put_mkey(struct mlx5dv_mkey_pool *pool, struct mlx5dv_mkey *mkey);

/**
 * enum mlx5dv_mkey_conf_flags - what a configuration does beside its setters
 * @MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR: the mkey has no signature attributes
 *	then. On an mkey without _BLOCK_SIGNATURE that changes nothing
 */
enum mlx5dv_mkey_conf_flags {
	MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR	= BIT(0),
};

/**
 * struct mlx5dv_mkey_conf_attr - a configuration
 * @conf_flags: of enum mlx5dv_mkey_conf_flags
 * @comp_mask: 0
 */
struct mlx5dv_mkey_conf_attr {
	u32 conf_flags;
	u64 comp_mask;
};

/**
 * struct mlx5dv_mr_interleaved - one entry of an interleaved layout
 * @addr: where its first block begins, as @lkey has it
 * @bytes_count: bytes of a block, 1 to 65535
 * @bytes_skip: bytes from the end of a block to the beginning of the next;
 *	@bytes_count + @bytes_skip is 65535 at most, where libmlx5 cuts off
 * @lkey: key of the memory
 */
struct mlx5dv_mr_interleaved {
	u64 addr;
	u32 bytes_count;
	u32 bytes_skip;
	u32 lkey;
};

/**
 * mlx5dv_wr_mkey_configure() - configure an mkey; mlx5dv_wr_mkey_configure(3)
 * @mqp: QP; RC
 * @mkey: mkey of the QP's PD
 * @num_setters: setters that follow
 * @attr: what else
 *
 * Setters: mlx5dv_wr_set_mkey_access_flags(), and one of the layouts; as many as
 * @num_setters says. What no setter follows for stays as it was.
 *
 * wr_flags must have IB_SEND_INLINE for a layout that is not a prepared one
 * (-EOPNOTSUPP): see mlx5dv_wr_set_mkey_layout(). The completion says MLX5DV_WC_UMR.
 * Later work requests of the same QP may use the mkey right away.
 */
void mlx5dv_wr_mkey_configure(struct mlx5dv_qp_ex *mqp, struct mlx5dv_mkey *mkey,
			      u8 num_setters, const struct mlx5dv_mkey_conf_attr *attr);

/**
 * mlx5dv_wr_set_mkey_access_flags() - who may do what by the mkey
 * @mqp: QP
 * @access_flags: IB_ACCESS_LOCAL_WRITE, _REMOTE_WRITE, _REMOTE_READ and
 *	_REMOTE_ATOMIC; 0 leaves local reading
 */
void mlx5dv_wr_set_mkey_access_flags(struct mlx5dv_qp_ex *mqp, u32 access_flags);

/**
 * mlx5dv_wr_set_mkey_layout_list() - the mkey is these pieces, one after the other
 * @mqp: QP
 * @num_sges: pieces, at least 1; more than the mkey or a work request holds are
 *	-ENOMEM
 * @sge: them; each has at least 1 byte
 */
void mlx5dv_wr_set_mkey_layout_list(struct mlx5dv_qp_ex *mqp, u16 num_sges,
				    const struct ib_sge *sge);

/**
 * mlx5dv_wr_set_mkey_layout_interleaved() - the mkey takes a block of each in turn
 * @mqp: QP
 * @repeat_count: turns, at least 1
 * @num_interleaved: entries, at least 1; more than the mkey (less one) or a work
 *	request holds are -ENOMEM
 * @data: them; none may reach beyond 2^64
 */
void mlx5dv_wr_set_mkey_layout_interleaved(struct mlx5dv_qp_ex *mqp, u32 repeat_count,
					   u16 num_interleaved,
					   const struct mlx5dv_mr_interleaved *data);

/**
 * mlx5dv_wr_mr_list() - access and layout in one call; mlx5dv_wr_post(3)
 * @mqp: QP; RC
 * @mkey: mkey of the QP's PD
 * @access_flags: as mlx5dv_wr_set_mkey_access_flags()
 * @num_sges: as mlx5dv_wr_set_mkey_layout_list()
 * @sge: as mlx5dv_wr_set_mkey_layout_list()
 *
 * Setters: none.
 */
void mlx5dv_wr_mr_list(struct mlx5dv_qp_ex *mqp, struct mlx5dv_mkey *mkey, u32 access_flags,
		       u16 num_sges, const struct ib_sge *sge);

/**
 * mlx5dv_wr_mr_interleaved() - access and layout in one call; mlx5dv_wr_post(3)
 * @mqp: QP; RC
 * @mkey: mkey of the QP's PD
 * @access_flags: as mlx5dv_wr_set_mkey_access_flags()
 * @repeat_count: as mlx5dv_wr_set_mkey_layout_interleaved()
 * @num_interleaved: as mlx5dv_wr_set_mkey_layout_interleaved()
 * @data: as mlx5dv_wr_set_mkey_layout_interleaved()
 *
 * Setters: none.
 */
void mlx5dv_wr_mr_interleaved(struct mlx5dv_qp_ex *mqp, struct mlx5dv_mkey *mkey,
			      u32 access_flags, u32 repeat_count, u16 num_interleaved,
			      const struct mlx5dv_mr_interleaved *data);

/* ---- layouts prepared before: only the kernel has these ---- */

/*
 * struct mlx5dv_layout: a layout in memory that the device reads.
 *
 * The layout of an mkey can be long: thousands of entries. It is written outside
 * the send queue, where nobody waits and interrupts stay enabled, and the work
 * request only says where it is. It is the owner's, and may be used by any number of
 * work requests on QPs of the same device; between the posting of one and its
 * completion (or that of a later one on the same QP) it must neither change nor go.
 * One of bio_vecs has them mapped for DMA, so it stays as long as an mkey leads to them: see
 * mlx5dv_layout_unmap().
 *
 * Locking: none. Calls on one layout must not run at the same time.
 */
struct mlx5dv_layout;

/**
 * mlx5dv_alloc_layout() - allocate a layout
 * @device: device that mlx5_ibx drives
 * @max_entries: entries, at least 1; an interleaved one takes one more
 * @gfp: how to allocate
 *
 * Context: as @gfp.
 * Return: an empty layout, which cannot be posted; or ERR_PTR() of -EOPNOTSUPP for
 * another driver's device and for one without mkeys; -EINVAL for 0 entries or more than
 * the device has; -ENOMEM.
 */
struct mlx5dv_layout *mlx5dv_alloc_layout(struct ib_device *device, u32 max_entries, gfp_t gfp);

/**
 * mlx5dv_free_layout() - free a layout
 * @layout: of mlx5dv_alloc_layout()
 *
 * Context: not in hard interrupts, and with interrupts enabled.
 */
void mlx5dv_free_layout(struct mlx5dv_layout *layout);

/**
 * mlx5dv_layout_list() - write a list
 * @layout: layout
 * @num_sges: pieces
 * @sge: them; each has at least 1 byte
 *
 * Context: any.
 * Return: 0; or -EINVAL for no piece or an empty one, -ENOSPC for more than the
 * layout holds: then it is empty.
 */
int mlx5dv_layout_list(struct mlx5dv_layout *layout, u32 num_sges, const struct ib_sge *sge);

/**
 * mlx5dv_layout_interleaved() - write an interleaved layout
 * @layout: layout
 * @repeat_count: as mlx5dv_wr_set_mkey_layout_interleaved()
 * @num_interleaved: entries, at least 1
 * @data: them
 *
 * Context: any.
 * Return: 0; or -EINVAL for an argument out of range, -ENOSPC for more entries than
 * the layout holds: then it is empty.
 */
int mlx5dv_layout_interleaved(struct mlx5dv_layout *layout, u32 repeat_count,
			      u16 num_interleaved, const struct mlx5dv_mr_interleaved *data);

/**
 * mlx5dv_layout_sg() - write a scatterlist
 * @layout: layout
 * @sg: list, mapped for DMA
 * @nents: its elements, as ib_dma_map_sg() returned
 * @lkey: key that covers them, such as pd->local_dma_lkey
 *
 * Elements that follow one another in memory take one entry.
 *
 * Context: any.
 * Return: as mlx5dv_layout_list().
 */
int mlx5dv_layout_sg(struct mlx5dv_layout *layout, struct scatterlist *sg, u32 nents, u32 lkey);

/**
 * mlx5dv_layout_biovec() - map bio_vecs for DMA, and write them
 * @layout: layout
 * @bvec: pieces
 * @bi_vcnt: their number
 * @dir: direction of the data
 * @lkey: key that covers all memory, as the PD's local_dma_lkey
 *
 * Pieces that follow one another become one entry. They stay mapped until
 * mlx5dv_layout_unmap(), which freeing the layout or writing it anew, in any way, does too.
 *
 * Context: process, may sleep.
 * Return: as mlx5dv_layout_list(), -EINVAL for a @dir that is none, too; or -ENOMEM, or what the
 * DMA layer says.
 */
int mlx5dv_layout_biovec(struct mlx5dv_layout *layout, const struct bio_vec *bvec, u32 bi_vcnt,
			 enum dma_data_direction dir, u32 lkey);

/**
 * mlx5dv_layout_unmap() - end what mlx5dv_layout_biovec() began
 * @layout: layout; empty afterwards if it was of bio_vecs, else as it was
 *
 * Not as long as somebody can reach the memory: the mkeys that were configured with the layout
 * have been invalidated, configured with another or destroyed, and that has completed.
 *
 * Context: any.
 */
void mlx5dv_layout_unmap(struct mlx5dv_layout *layout);

/**
 * mlx5dv_wr_set_mkey_layout() - the mkey's layout is one prepared before
 * @mqp: QP
 * @layout: not empty, on the QP's device; more entries than the mkey holds are
 *	-ENOMEM
 *
 * A layout setter of mlx5dv_wr_mkey_configure(). With IB_SEND_INLINE in wr_flags it
 * is copied into the work request, and must fit it (-ENOMEM). Without, the device
 * reads it when it gets there.
 */
void mlx5dv_wr_set_mkey_layout(struct mlx5dv_qp_ex *mqp, const struct mlx5dv_layout *layout);

/* ---- dynamically connected transport ---- */

/**
 * mlx5dv_wr_set_dc_addr() - the address, on a DCI; mlx5dv_wr_post(3)
 * @mqp: QP; DCI
 * @ah: address handle, of the QP's PD
 * @remote_dctn: number of the DCT
 * @remote_dc_key: its access key
 *
 * A setter that every builder which carries data needs there, beside that of the
 * data. The stream is 0. A wrong key is IB_WC_REM_ACCESS_ERR; a DCT that is not there
 * does not answer.
 */
void mlx5dv_wr_set_dc_addr(struct mlx5dv_qp_ex *mqp, struct ib_ah *ah, u32 remote_dctn,
			   u64 remote_dc_key);

/**
 * mlx5dv_wr_set_dc_addr_stream() - the address and the stream; mlx5dv_wr_post(3)
 * @mqp: QP; DCI that was created with streams
 * @ah: as mlx5dv_wr_set_dc_addr()
 * @remote_dctn: as mlx5dv_wr_set_dc_addr()
 * @remote_dc_key: as mlx5dv_wr_set_dc_addr()
 * @stream_id: stream, of which the device looks at as many low bits as it needs
 *
 * Instead of mlx5dv_wr_set_dc_addr().
 */
void mlx5dv_wr_set_dc_addr_stream(struct mlx5dv_qp_ex *mqp, struct ib_ah *ah, u32 remote_dctn,
				  u64 remote_dc_key, u16 stream_id);

/**
 * mlx5dv_dci_stream_id_reset() - a stream in error may be used again
 * @qp: DCI
 * @stream_id: stream, all of whose work requests have completed
 *
 * When a work request failed, ib_query_qp() tells whether the DCI is in error (see
 * struct mlx5dv_dci_streams) or only the stream.
 *
 * Context: process context, may sleep.
 * Return: 0; -EINVAL for what is no DCI; -EOPNOTSUPP for another driver's QP, a DCI
 * without streams or not in RTS, and a device that cannot; or what the device says,
 * as when the stream is not in error.
 */
int mlx5dv_dci_stream_id_reset(struct ib_qp *qp, u16 stream_id);

/* ---- memory copies ---- */

/**
 * mlx5dv_wr_memcpy() - copy from memory to memory; mlx5dv_wr_post(3)
 * @mqp: QP; RC or DCI
 * @dest_lkey: key of where to, which allows IB_ACCESS_LOCAL_WRITE
 * @dest_addr: address, as the key has it
 * @src_lkey: key of where from
 * @src_addr: address, as the key has it
 * @length: bytes, 1 to max_wr_memcpy_length of mlx5dv_query_device()
 *
 * The device copies; the peer of the QP has no part in it. Both keys are of the QP's
 * PD, and may be mkeys. Where the two pieces overlap, what is there afterwards is
 * undefined. A later work request that depends on the copy, best one by a builder,
 * must carry IB_SEND_FENCE, or wait for the completion, which says MLX5DV_WC_MEMCPY: the
 * device does not finish a copy before it begins what follows.
 *
 * A key that does not allow it is IB_WC_LOC_PROT_ERR. Setters: none.
 */
void mlx5dv_wr_memcpy(struct mlx5dv_qp_ex *mqp, u32 dest_lkey, u64 dest_addr, u32 src_lkey,
		      u64 src_addr, size_t length);

/* ---- raw ---- */

/**
 * mlx5dv_wr_raw_wqe() - post a WQE as it is; mlx5dv_wr_post(3)
 * @mqp: QP
 * @wqe: WQE, of as many units of 16 bytes as its control segment says. Its index and
 *	its signature are set, nothing else is looked at
 *
 * wr_flags do not count: behind the configuration of an mkey that it uses, the fence
 * must be in the WQE, and the one after it has none that it did not ask for. The
 * completion says MLX5DV_WC_RAW_WQE. Setters: none.
 *
 * Return: 0; or what ib_wr_complete() will say as well: -EINVAL when the WQE is
 * shorter than its control segment or longer than a work request of this QP may be.
 */
int mlx5dv_wr_raw_wqe(struct mlx5dv_qp_ex *mqp, const void *wqe);

#endif /* RDMA_MLX5DV_H */
