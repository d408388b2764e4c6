/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: mlx5 direct verbs for kernel ULPs
 *
 * This header has the calls of userspace's <infiniband/mlx5dv.h>, with the same names,
 * arguments and meaning. The calls are for devices with direct verbs: devices that
 * mlx5_ibx drives, and devices that mlx5_ib drives while mlx5dv_ib is loaded. The section
 * "On mlx5_ib" of Documentation/infiniband/mlx5dv.rst lists the differences between the
 * two. These manual pages apply:
 * mlx5dv_create_qp(3), mlx5dv_create_mkey(3), mlx5dv_wr_post(3),
 * mlx5dv_wr_mkey_configure(3), mlx5dv_dci_stream_id_reset(3) and
 * mlx5dv_query_device(3).
 *
 * ``struct ib_`` replaces ``struct ibv_``, and ``ib_wr_`` replaces ``ibv_wr_``.
 * A function that returns a pointer returns an ERR_PTR() on failure, and NULL
 * only if its description says so. An errno is negative. Each call documents
 * further differences.
 *
 * <rdma/ib_wr.h> explains how work requests are built and posted. The function
 * of this example configures an mkey over two pieces of memory, which the peer
 * may then read and write by the rkey as if they were contiguous::
 *
 *	static int join_two(struct ib_qp *qp, struct mlx5dv_mkey *mkey,
 *			    const struct ib_sge pieces[2])
 *	{
 *		struct mlx5dv_qp_ex *mqpx = mlx5dv_qp_ex_from_ib_qp(qp);
 *		struct mlx5dv_mkey_conf_attr attr = {};
 *		int ret;
 *
 *		ret = ib_wr_start(&mqpx->qp_ex);
 *		if (ret)
 *			return ret;
 *		mqpx->qp_ex.wr_id = 1;
 *		mqpx->qp_ex.wr_flags = IB_SEND_INLINE | IB_SEND_SIGNALED;
 *		mlx5dv_wr_mkey_configure(mqpx, mkey, 2, &attr);
 *		mlx5dv_wr_set_mkey_access_flags(mqpx, IB_ACCESS_REMOTE_READ |
 *						      IB_ACCESS_REMOTE_WRITE);
 *		mlx5dv_wr_set_mkey_layout_list(mqpx, 2, pieces);
 *		return ib_wr_complete(&mqpx->qp_ex);
 *	}
 *
 * samples/mkey_layouts.c is a port of the examples of mlx5dv_wr_mkey_configure(3),
 * and Documentation/infiniband/mlx5dv.rst compares the calls one by one.
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
#include <rdma/ib_wr.h>
#include <rdma/mlx5dv_crypto.h>
#include <rdma/mlx5dv_devx.h>
#include <rdma/mlx5dv_devx_event.h>
#include <rdma/mlx5dv_devx_umem.h>
#include <rdma/mlx5dv_devx_verbs.h>
#include <rdma/mlx5dv_sig.h>

/*
 * opcodes in completions of mlx5_ibx and of a patched mlx5_ib: mkey
 * configurations, raw WQEs, and memory copies. With an unchanged mlx5_ib, the
 * completion of a configuration without signature attributes has the opcode
 * IB_WC_REG_MR, that of a raw WQE has the opcode of the WQE, and that of a memory
 * copy has no valid opcode
 */
#define MLX5DV_WC_UMR		IB_WC_DRIVER1
#define MLX5DV_WC_RAW_WQE	IB_WC_DRIVER2
#define MLX5DV_WC_MEMCPY	IB_WC_DRIVER3

/* ---- devices ---- */

/**
 * enum mlx5dv_context_comp_mask - fields of struct mlx5dv_context
 * @MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD: sig_caps
 * @MLX5DV_CONTEXT_MASK_DCI_STREAMS: dci_streams_caps
 * @MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH: max_wr_memcpy_length
 * @MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD: crypto_caps
 * @MLX5DV_CONTEXT_MASK_MKEY: max_mkey_entries, which userspace does not have
 */
enum mlx5dv_context_comp_mask {
	MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD	= BIT(10),
	MLX5DV_CONTEXT_MASK_DCI_STREAMS		= BIT(11),
	MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH	= BIT(12),
	MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD	= BIT(13),
	MLX5DV_CONTEXT_MASK_MKEY		= BIT_ULL(63),
};

/**
 * struct mlx5dv_dci_streams_caps - limits of the streams of a DCI
 * @max_log_num_concurent: maximum of log_num_concurent in struct mlx5dv_dci_streams
 * @max_log_num_errored: maximum of log_num_errored in struct mlx5dv_dci_streams
 */
struct mlx5dv_dci_streams_caps {
	u8 max_log_num_concurent;
	u8 max_log_num_errored;
};

/**
 * struct mlx5dv_context - capabilities of a device
 * @comp_mask: the caller sets bits of enum mlx5dv_context_comp_mask for the
 *	fields to query; mlx5dv_query_device() clears the bits of fields that it
 *	has not set
 * @sig_caps: block signatures; all 0 on a device without block signatures
 * @dci_streams_caps: limits of DCI streams; all 0 when the device has no streams
 * @max_wr_memcpy_length: maximum length of mlx5dv_wr_memcpy() in bytes; 0 when the
 *	device does not copy memory
 * @crypto_caps: encryption; all 0 on a device without encryption
 * @max_mkey_entries: maximum number of entries of an mkey; an interleaved
 *	layout of n entries needs n + 1. 0 when mkeys cannot be created
 */
struct mlx5dv_context {
	u64 comp_mask;
	struct mlx5dv_sig_caps sig_caps;
	struct mlx5dv_dci_streams_caps dci_streams_caps;
	size_t max_wr_memcpy_length;
	struct mlx5dv_crypto_caps crypto_caps;
	u32 max_mkey_entries;
};

/**
 * mlx5dv_query_device() - query the capabilities of a device
 * @device: any RDMA device
 * @attrs: capabilities; attrs->comp_mask selects the fields to be set
 *
 * Context: any.
 * Return: 0; or -EOPNOTSUPP when @device has no direct verbs.
 */
int mlx5dv_query_device(struct ib_device *device, struct mlx5dv_context *attrs);

/* ---- QPs ---- */

/**
 * enum mlx5dv_qp_create_flags - flags of QPs to create
 * @MLX5DV_QP_CREATE_SIG_PIPELINING: a signature error drains the send queue: a
 *	later work request with IB_SEND_FENCE is not executed before the QP is
 *	moved from SQD to RTS. See mlx5dv_qp_cancel_posted_send_wrs(). Only RC QPs
 *	support the flag
 */
enum mlx5dv_qp_create_flags {
	MLX5DV_QP_CREATE_SIG_PIPELINING		= BIT(6),
};

/**
 * enum mlx5dv_qp_init_attr_mask - fields of struct mlx5dv_qp_init_attr that are set
 * @MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS: create_flags
 * @MLX5DV_QP_INIT_ATTR_MASK_DC: dc_init_attr.dc_type, and for a DCT
 *	dc_init_attr.dct_access_key
 * @MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS: send_ops_flags
 * @MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS: dc_init_attr.dci_streams
 */
enum mlx5dv_qp_init_attr_mask {
	MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS	= BIT(0),
	MLX5DV_QP_INIT_ATTR_MASK_DC			= BIT(1),
	MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS		= BIT(2),
	MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS		= BIT(3),
};

/**
 * enum mlx5dv_dc_type - the two kinds of QP of the dynamically connected transport
 * @MLX5DV_DCTYPE_DCT: DC target; receives from all DCIs that have its access key
 * @MLX5DV_DCTYPE_DCI: DC initiator; each work request has the address of a DCT
 */
enum mlx5dv_dc_type {
	MLX5DV_DCTYPE_DCT	= 1,
	MLX5DV_DCTYPE_DCI,
};

/**
 * struct mlx5dv_dci_streams - streams of a DCI to create
 * @log_num_concurent: log2 of the number of streams
 * @log_num_errored: log2 of the number of streams in error that moves the DCI to ERR
 *
 * A work request that fails puts only its own stream in error: see
 * mlx5dv_dci_stream_id_reset().
 */
struct mlx5dv_dci_streams {
	u8 log_num_concurent;
	u8 log_num_errored;
};

/**
 * struct mlx5dv_dc_init_attr - attributes of a DCI or a DCT to create
 * @dc_type: DCI or DCT
 * @dct_access_key: access key of a DCT
 * @dci_streams: streams of a DCI, with MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS
 */
struct mlx5dv_dc_init_attr {
	enum mlx5dv_dc_type dc_type;
	union {
		u64 dct_access_key;
		struct mlx5dv_dci_streams dci_streams;
	};
};

/**
 * enum mlx5dv_qp_create_send_ops_flags - builders of mlx5 that a QP is created for
 * @MLX5DV_QP_EX_WITH_MR_INTERLEAVED: mlx5dv_wr_mr_interleaved(), on RC QPs
 * @MLX5DV_QP_EX_WITH_MR_LIST: mlx5dv_wr_mr_list(), on RC QPs
 * @MLX5DV_QP_EX_WITH_MKEY_CONFIGURE: mlx5dv_wr_mkey_configure() and its setters, on RC QPs
 * @MLX5DV_QP_EX_WITH_RAW_WQE: mlx5dv_wr_raw_wqe(), on RC, UC and UD QPs and DCIs
 * @MLX5DV_QP_EX_WITH_MEMCPY: mlx5dv_wr_memcpy(), on RC QPs and DCIs
 */
enum mlx5dv_qp_create_send_ops_flags {
	MLX5DV_QP_EX_WITH_MR_INTERLEAVED	= BIT(0),
	MLX5DV_QP_EX_WITH_MR_LIST		= BIT(1),
	MLX5DV_QP_EX_WITH_MKEY_CONFIGURE	= BIT(2),
	MLX5DV_QP_EX_WITH_RAW_WQE		= BIT(3),
	MLX5DV_QP_EX_WITH_MEMCPY		= BIT(4),
};

/**
 * struct mlx5dv_qp_init_attr - attributes of a QP to create that only mlx5 has
 * @comp_mask: bits of the fields that are set, of enum mlx5dv_qp_init_attr_mask
 * @create_flags: flags of enum mlx5dv_qp_create_flags
 * @dc_init_attr: attributes of a DCI or a DCT, whose qp_type is IB_QPT_DRIVER
 * @send_ops_flags: builders to be used, of enum mlx5dv_qp_create_send_ops_flags
 */
struct mlx5dv_qp_init_attr {
	u64 comp_mask;
	u32 create_flags;
	struct mlx5dv_dc_init_attr dc_init_attr;
	u64 send_ops_flags;
};

/**
 * struct mlx5dv_qp_ex - a QP as the builders and setters of mlx5 see it
 * @qp_ex: the same QP for the calls of <rdma/ib_wr.h>
 */
struct mlx5dv_qp_ex {
	struct ib_qp_ex qp_ex;
};

/**
 * mlx5dv_create_qp_kernel() - mlx5dv_create_qp() with the name of the caller
 * @pd: as for mlx5dv_create_qp()
 * @attr: as for mlx5dv_create_qp()
 * @mlx5_attr: as for mlx5dv_create_qp()
 * @caller: KBUILD_MODNAME of the caller, which "rdma resource show qp" prints
 *
 * Context: process context, may sleep.
 * Return: as mlx5dv_create_qp().
 */
struct ib_qp *mlx5dv_create_qp_kernel(struct ib_pd *pd, struct ib_qp_init_attr_ex *attr,
				      const struct mlx5dv_qp_init_attr *mlx5_attr,
				      const char *caller);

/**
 * mlx5dv_create_qp() - create a QP for builders
 * @pd: PD of a device with direct verbs
 * @attr: attributes of an RC, UC or UD QP, or of a DCI or a DCT (IB_QPT_DRIVER).
 *	attr->base.cap returns the granted sizes
 * @mlx5_attr: attributes that only mlx5 has, or NULL
 *
 * The QP is destroyed by mlx5dv_destroy_qp(). ib_post_send() can be used on it as well,
 * except on a DCI. ib_drain_qp() works on all types but a DCT.
 *
 * The requested max_inline_data reserves space for mkey layouts, too. A layout of n
 * entries that is inline in the work request needs n * 16 bytes, rounded up to
 * 64. An interleaved layout counts one more entry. A layout of 16 entries
 * always fits. The granted max_inline_data is the limit for data; the limit for
 * layouts is 92 bytes less on mlx5_ibx.
 *
 * A DCI sends and does not receive: it has no SRQ, and max_recv_wr is ignored.
 * ib_modify_qp() of a DCI requires IB_QP_STATE, and for the new state:
 *
 * * INIT: IB_QP_PKEY_INDEX and IB_QP_PORT
 * * RTR: IB_QP_PATH_MTU
 * * RTS: IB_QP_TIMEOUT, IB_QP_RETRY_CNT, IB_QP_RNR_RETRY, IB_QP_MAX_QP_RD_ATOMIC
 *   and IB_QP_SQ_PSN
 * * RESET and ERR: no other attribute
 *
 * A DCT receives and does not send: it needs an SRQ for receives, and both CQs;
 * recv_cq gets the completions. cap is ignored, and no builder may be
 * requested. ib_modify_qp() of a DCT requires IB_QP_STATE, and for the new state:
 *
 * * INIT: IB_QP_PKEY_INDEX, IB_QP_PORT and IB_QP_ACCESS_FLAGS
 * * RTR: IB_QP_AV (for the source GID), IB_QP_PATH_MTU and IB_QP_MIN_RNR_TIMER
 *
 * A DCT receives in RTR. Its qp_num is valid from RTR on, and 0 before. RESET, INIT
 * and RTR are the only states of a DCT. So ib_drain_qp() does not support a DCT, and
 * ib_destroy_qp() drains the DCT. A message that arrives before ib_modify_qp() to
 * RTR has returned completes like a later message.
 *
 * Context: process context, may sleep.
 * Return:
 * * the QP in RESET
 * * ERR_PTR(-EOPNOTSUPP): the device has no direct verbs, base.create_flags is
 *   set, create_flags has unknown bits, a QP of this type or the device does
 *   not support a flag or a builder, the device does not support DC, or the
 *   type is IB_QPT_DRIVER without MLX5DV_QP_INIT_ATTR_MASK_DC
 * * ERR_PTR(-EINVAL): a comp_mask has unknown bits, a QP other than a DCI or
 *   DCT has DC attributes, dci_streams is above the limits of the device, a DCT
 *   has no SRQ, or a DCI has an SRQ
 * * an ERR_PTR() of ib_create_qp()
 */
static inline struct ib_qp *mlx5dv_create_qp(struct ib_pd *pd, struct ib_qp_init_attr_ex *attr,
					     const struct mlx5dv_qp_init_attr *mlx5_attr)
{
	return mlx5dv_create_qp_kernel(pd, attr, mlx5_attr, KBUILD_MODNAME);
}

/**
 * mlx5dv_destroy_qp() - destroy a QP of mlx5dv_create_qp()
 * @qp: QP that no other object uses
 *
 * On a device of mlx5_ib, ib_destroy_qp() returns -EBUSY for such a QP, because
 * mlx5_ib does not report to direct verbs that a QP is destroyed. On a device of
 * mlx5_ibx, both functions do the same. A QP of ib_create_qp() may be passed, too.
 *
 * On a device of mlx5_ib, the QP is moved to ERR first, so that signature errors
 * that were not polled are kept (mlx5dv_mkey_check()).
 *
 * Context: process context, may sleep.
 * Return: 0, or an errno of ib_destroy_qp(); nothing is destroyed then.
 */
int mlx5dv_destroy_qp(struct ib_qp *qp);

/**
 * mlx5dv_qp_add_builders() - let builders be used on a QP of ib_create_qp() or rdma_create_qp()
 * @qp: RC, UC or UD QP of a ULP, on which no other thread uses builders
 * @send_ops_flags: builders to add, of enum ib_qp_create_send_ops_flags
 * @mlx5_send_ops_flags: builders to add, of enum mlx5dv_qp_create_send_ops_flags
 *
 * libmlx5 has no such function: a QP gets its builders when it is created. A QP of
 * rdma_create_qp() has none, and a ULP that uses rdma_cm calls this function.
 * Work requests are as long as ib_create_qp() has made them for its attributes.
 * With a max_inline_data of 248, a layout of 16 entries fits on each device.
 *
 * MLX5DV_QP_EX_WITH_MEMCPY may require that the QP is in INIT, in which
 * rdma_create_qp() leaves an RC QP. On a device of mlx5_ib, the call must be
 * repeated after each move of the QP from RESET to INIT. On these devices,
 * mlx5dv_create_qp() may refuse memory copies with -EOPNOTSUPP, and this function
 * adds them.
 *
 * Before ib_destroy_qp() or rdma_destroy_qp(), drain the QP and call
 * mlx5dv_qp_remove_builders(); or destroy the QP by mlx5dv_destroy_qp(). On a
 * device of mlx5_ib, ib_destroy_qp() returns -EBUSY for a QP with builders, and
 * rdma_destroy_qp() ignores that errno, so the QP leaks.
 *
 * Context: process context, may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: the device has no direct verbs, a QP of this type has no
 *   builders, or a QP of this type or the device does not support a builder
 * * -EINVAL: the QP is not in INIT, which MLX5DV_QP_EX_WITH_MEMCPY requires; or
 *   the send queue of a QP of mlx5_ib has another form than expected
 * * -ENOMEM
 * * an errno of ib_query_qp(), or of the command that enables memory copies
 */
int mlx5dv_qp_add_builders(struct ib_qp *qp, u64 send_ops_flags, u64 mlx5_send_ops_flags);

/**
 * mlx5dv_qp_remove_builders() - remove all builders of a QP
 * @qp: any QP on which no thread uses builders, and which has no outstanding
 *	work request of a builder
 *
 * Context: process context, may sleep.
 */
void mlx5dv_qp_remove_builders(struct ib_qp *qp);

/**
 * mlx5dv_qp_ex_from_ib_qp() - get the QP that builders and setters need
 * @qp: any QP
 *
 * A QP of ib_create_qp() supports no builder before mlx5dv_qp_add_builders().
 *
 * Context: any.
 * Return: the QP, valid until @qp is destroyed or mlx5dv_qp_remove_builders() is
 * called; or NULL when the device of @qp has no direct verbs, or @qp is a QP of
 * mlx5_ib without builders.
 */
struct mlx5dv_qp_ex *mlx5dv_qp_ex_from_ib_qp(struct ib_qp *qp);

/* ---- mkeys ---- */

/**
 * enum mlx5dv_mkey_init_attr_flags - features of an mkey to create
 * @MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT: the layout consists of pieces of
 *	memory of other keys; required
 * @MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE: block signatures, see
 *	mlx5dv_wr_set_mkey_sig_block()
 * @MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO: encryption, see mlx5dv_wr_set_mkey_crypto(); also together
 *	with signatures
 * @MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG: the owner may change the low byte of lkey and
 *	rkey; the next configuration makes the new keys valid
 * @MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE: the peer may invalidate the mkey
 */
enum mlx5dv_mkey_init_attr_flags {
	MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT		= BIT(0),
	MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE	= BIT(1),
	MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO		= BIT(2),
	MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG		= BIT(3),
	MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE	= BIT(4),
};

/**
 * struct mlx5dv_mkey_init_attr - attributes of an mkey to create
 * @pd: PD of the mkey and of the QPs that configure it
 * @create_flags: features, of enum mlx5dv_mkey_init_attr_flags
 * @max_entries: number of entries of the longest layout, at least 1; an
 *	interleaved layout of n entries needs n + 1. Returns the granted number,
 *	which may be higher
 */
struct mlx5dv_mkey_init_attr {
	struct ib_pd *pd;
	u32 create_flags;
	u16 max_entries;
};

/**
 * struct mlx5dv_mkey - an indirect mkey
 * @lkey: key for local work requests
 * @rkey: key for work requests of the peer
 */
struct mlx5dv_mkey {
	u32 lkey;
	u32 rkey;
};

/**
 * mlx5dv_create_mkey() - create an mkey
 * @attr: attributes; attr->max_entries returns the granted number
 *
 * The mkey cannot be used before it is configured with a layout. The addresses in a
 * configured mkey begin at 0. The mkey must be destroyed before its PD is deallocated.
 *
 * Context: process context, may sleep.
 * Return:
 * * the mkey
 * * ERR_PTR(-EOPNOTSUPP): the device has no direct verbs, or does not support
 *   mkeys, or the block signatures or the encryption of attr->create_flags
 * * ERR_PTR(-EINVAL): unknown flags, no MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
 *   or 0 entries or more than the device supports
 * * ERR_PTR(-ENOMEM)
 * * the ERR_PTR() of the firmware command: an mkey with block signatures also
 *   needs two of the device's signature contexts (PSVs)
 */
struct mlx5dv_mkey *mlx5dv_create_mkey(struct mlx5dv_mkey_init_attr *attr);

/**
 * mlx5dv_destroy_mkey() - destroy an mkey, configured or not
 * @mkey: mkey of mlx5dv_create_mkey() that no outstanding work request uses
 *
 * Unlike in userspace, this function does not fail. If the firmware refuses to
 * destroy the mkey, @mkey is freed, the kernel log names the mkey that stays in
 * the device, and a peer that has the rkey can still access the memory of the
 * layout. Invalidate the mkey first to prevent such accesses. Signature errors
 * that are still in a CQ are dropped.
 *
 * Context: process context, may sleep.
 */
void mlx5dv_destroy_mkey(struct mlx5dv_mkey *mkey);

/**
 * DOC: Pools of mkeys
 *
 * A struct mlx5dv_mkey_pool has mkeys for contexts that cannot sleep. Userspace
 * has no such pools. The pool creates its first mkeys at once, and more, up to
 * a limit, when mlx5dv_get_mkey() finds the pool empty.
 *
 * An mkey comes out of the pool as it was put back: it keeps its layout, access flags and
 * signature attributes, and peers can use its rkey, until it is invalidated or configured
 * again. Invalidate it by ib_wr_local_inv() before it is put, or set both access flags and
 * layout in the first configuration after mlx5dv_get_mkey(). In both cases, set or
 * reset signature attributes in the first configuration. A signature error that
 * mlx5dv_mkey_check() has not returned is dropped when the mkey is put.
 */
struct mlx5dv_mkey_pool;

/**
 * mlx5dv_create_mkey_pool() - create a pool of mkeys
 * @attr: attributes of each mkey, as for mlx5dv_create_mkey(); not changed
 * @min: number of mkeys to create now, at least 1
 * @max: number of mkeys that the pool never exceeds, at least @min
 *
 * The pool must be destroyed before the PD of its mkeys is deallocated.
 *
 * Context: process context, may sleep.
 * Return:
 * * the pool
 * * ERR_PTR(-EINVAL): @min or @max is out of range
 * * ERR_PTR(-ENOMEM)
 * * an ERR_PTR() of mlx5dv_create_mkey()
 */
struct mlx5dv_mkey_pool *mlx5dv_create_mkey_pool(const struct mlx5dv_mkey_init_attr *attr,
						 u32 min, u32 max);

/**
 * mlx5dv_destroy_mkey_pool() - destroy a pool and its mkeys
 * @pool: pool without mkeys in use; an mkey that was not put back leaks, with a
 *	warning
 *
 * Context: process context, may sleep.
 */
void mlx5dv_destroy_mkey_pool(struct mlx5dv_mkey_pool *pool);

/**
 * mlx5dv_get_mkey() - get an mkey from a pool
 * @pool: pool of mlx5dv_create_mkey_pool()
 *
 * Context: any but NMI.
 * Return:
 * * the mkey
 * * ERR_PTR(-EAGAIN): the pool is empty and creates more mkeys: a later call
 *   may succeed
 * * ERR_PTR(-ENOSPC): the pool has created the maximum number of mkeys, and all
 *   are in use
 * * the ERR_PTR() with which the last attempt to create mkeys failed: the pool is
 *   empty, and another attempt is under way
 */
struct mlx5dv_mkey *mlx5dv_get_mkey(struct mlx5dv_mkey_pool *pool);

/**
 * mlx5dv_put_mkey() - put an mkey back into its pool
 * @pool: pool that @mkey came from
 * @mkey: mkey that no outstanding work request uses; the low byte of its keys
 *	is not reset
 *
 * Before the call, poll the completion that follows the transfer: a signature
 * error that is still in a CQ is reported to the next owner. An error that was
 * polled is dropped, and the next owner can configure the mkey, also if a
 * configuration by the previous owner was refused with -EIO.
 *
 * Context: any but NMI.
 */
void mlx5dv_put_mkey(struct mlx5dv_mkey_pool *pool, struct mlx5dv_mkey *mkey);

/* ---- configuring mkeys ---- */

/**
 * enum mlx5dv_mkey_conf_flags - actions of a configuration in addition to its
 * setters
 * @MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR: removes the signature attributes; no effect on
 *	an mkey without MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE
 */
enum mlx5dv_mkey_conf_flags {
	MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR	= BIT(0),
};

/**
 * struct mlx5dv_mkey_conf_attr - attributes of a configuration
 * @conf_flags: actions, of enum mlx5dv_mkey_conf_flags
 * @comp_mask: reserved, 0
 */
struct mlx5dv_mkey_conf_attr {
	u32 conf_flags;
	u64 comp_mask;
};

/**
 * struct mlx5dv_mr_interleaved - an entry of an interleaved layout
 * @addr: address of the first block, in the memory of @lkey
 * @bytes_count: length of each block in bytes, 1 to 65535
 * @bytes_skip: distance from the end of a block to the next block in bytes.
 *	@bytes_count + @bytes_skip is at most 65535; libmlx5 truncates a larger
 *	sum
 * @lkey: lkey of the memory
 */
struct mlx5dv_mr_interleaved {
	u64 addr;
	u32 bytes_count;
	u32 bytes_skip;
	u32 lkey;
};

/**
 * mlx5dv_wr_mkey_configure() - begin the configuration of an mkey
 * @mqp: QP of type RC whose send queue is open
 * @mkey: mkey of the QP's PD
 * @num_setters: number of setters that follow
 * @attr: attributes of the configuration
 *
 * Setters: @num_setters of mlx5dv_wr_set_mkey_access_flags(), one layout setter,
 * mlx5dv_wr_set_mkey_sig_block() and mlx5dv_wr_set_mkey_crypto(), in any order. Attributes of the
 * mkey for which no setter follows are not changed.
 *
 * ib_wr_local_inv() clears access flags and layout, and keeps signature attributes; crypto
 * attributes have to be set again after an invalidation of any kind. After an
 * invalidation by ib_post_send() or by the peer the mkey cannot be used either, but it is not
 * known whether every device clears access flags and layout: set both in the next
 * configuration.
 *
 * A layout that is not a struct mlx5dv_layout needs IB_SEND_INLINE in wr_flags when this
 * builder is called (else: -EOPNOTSUPP). The completion has the opcode MLX5DV_WC_UMR
 * (IB_WC_REG_MR with an unchanged mlx5_ib). Work requests that are posted later on the same
 * QP may use the mkey at once.
 *
 * Do not configure an mkey before the work requests that use the mkey as an lkey have
 * completed: SEND, RDMA WRITE, RDMA READ, atomics and memory copies. When packets or
 * acknowledgments are lost, the QP executes a part of a work request again, and then
 * reads or writes the memory of the new layout. The driver does not track which work
 * requests use an mkey, and does not refuse the configuration.
 */
void mlx5dv_wr_mkey_configure(struct mlx5dv_qp_ex *mqp, struct mlx5dv_mkey *mkey,
			      u8 num_setters, const struct mlx5dv_mkey_conf_attr *attr);

/**
 * mlx5dv_wr_set_mkey_access_flags() - set the access flags of an mkey
 * @mqp: QP on which mlx5dv_wr_mkey_configure() was called
 * @access_flags: IB_ACCESS_LOCAL_WRITE, IB_ACCESS_REMOTE_WRITE, IB_ACCESS_REMOTE_READ and
 *	IB_ACCESS_REMOTE_ATOMIC; local reads are always allowed
 */
void mlx5dv_wr_set_mkey_access_flags(struct mlx5dv_qp_ex *mqp, u32 access_flags);

/**
 * mlx5dv_wr_set_mkey_layout_list() - set the layout of an mkey: pieces in a row
 * @mqp: QP on which mlx5dv_wr_mkey_configure() was called
 * @num_sges: number of pieces, at least 1; -ENOMEM when the mkey or a work
 *	request does not have enough space
 * @sge: the pieces, each of at least 1 byte
 */
void mlx5dv_wr_set_mkey_layout_list(struct mlx5dv_qp_ex *mqp, u16 num_sges,
				    const struct ib_sge *sge);

/**
 * mlx5dv_wr_set_mkey_layout_interleaved() - set the layout of an mkey: blocks in turn
 * @mqp: QP on which mlx5dv_wr_mkey_configure() was called
 * @repeat_count: number of blocks of each entry, at least 1
 * @num_interleaved: number of entries, at least 1; -ENOMEM when the mkey or a work
 *	request does not have space for @num_interleaved + 1 entries
 * @data: the entries; no entry may reach beyond 2^64
 *
 * The memory of the mkey is the first block of each entry, then the second
 * block of each entry, and so on.
 */
void mlx5dv_wr_set_mkey_layout_interleaved(struct mlx5dv_qp_ex *mqp, u32 repeat_count,
					   u16 num_interleaved,
					   const struct mlx5dv_mr_interleaved *data);

/**
 * mlx5dv_wr_mr_list() - configure access flags and a list in one call
 * @mqp: QP of type RC whose send queue is open
 * @mkey: mkey of the QP's PD
 * @access_flags: as for mlx5dv_wr_set_mkey_access_flags()
 * @num_sges: as for mlx5dv_wr_set_mkey_layout_list()
 * @sge: as for mlx5dv_wr_set_mkey_layout_list()
 *
 * Needs IB_SEND_INLINE in wr_flags (else: -EOPNOTSUPP). Setters: none.
 */
void mlx5dv_wr_mr_list(struct mlx5dv_qp_ex *mqp, struct mlx5dv_mkey *mkey, u32 access_flags,
		       u16 num_sges, const struct ib_sge *sge);

/**
 * mlx5dv_wr_mr_interleaved() - configure access flags and an interleaved layout in one call
 * @mqp: QP of type RC whose send queue is open
 * @mkey: mkey of the QP's PD
 * @access_flags: as for mlx5dv_wr_set_mkey_access_flags()
 * @repeat_count: as for mlx5dv_wr_set_mkey_layout_interleaved()
 * @num_interleaved: as for mlx5dv_wr_set_mkey_layout_interleaved()
 * @data: as for mlx5dv_wr_set_mkey_layout_interleaved()
 *
 * Needs IB_SEND_INLINE in wr_flags (else: -EOPNOTSUPP). Setters: none.
 */
void mlx5dv_wr_mr_interleaved(struct mlx5dv_qp_ex *mqp, struct mlx5dv_mkey *mkey,
			      u32 access_flags, u32 repeat_count, u16 num_interleaved,
			      const struct mlx5dv_mr_interleaved *data);

/* ---- layouts in memory, which userspace does not have ---- */

/**
 * DOC: Layouts in memory
 *
 * A layout can have thousands of entries, too many to write while the send
 * queue is open. A struct mlx5dv_layout is written before the queue is opened.
 * The work request contains the address of the layout, or with IB_SEND_INLINE a
 * copy.
 *
 * The caller owns the layout. Any number of work requests on QPs of the same
 * device may use the layout. From posting such a work request until its
 * completion, or the completion of a later work request on the same QP, the
 * layout must be neither written nor freed.
 *
 * A layout of mlx5dv_layout_biovec() also owns the DMA mapping of its memory:
 * keep the layout until no mkey uses the memory, see mlx5dv_layout_unmap().
 *
 * A layout must be freed before its device is removed: at the latest in the remove callback
 * of the caller's struct ib_client. The driver warns of a layout that is left.
 *
 * Locking is up to the caller: calls on the same layout must not run at the
 * same time.
 */
struct mlx5dv_layout;

/**
 * mlx5dv_alloc_layout() - allocate a layout
 * @device: device with direct verbs
 * @max_entries: entries that the layout has space for, at least 1; an interleaved layout
 *	of n entries needs n + 1
 * @gfp: allocation flags
 *
 * Context: may sleep if @gfp allows it.
 * Return:
 * * an empty layout, which cannot be posted
 * * ERR_PTR(-EOPNOTSUPP): the device has no direct verbs, or does not support
 *   mkeys
 * * ERR_PTR(-EINVAL): 0 entries or more than the device supports
 * * ERR_PTR(-ENOMEM)
 */
struct mlx5dv_layout *mlx5dv_alloc_layout(struct ib_device *device, u32 max_entries, gfp_t gfp);

/**
 * mlx5dv_free_layout() - free a layout
 * @layout: layout that no outstanding work request uses. No mkey may use memory
 *	that mlx5dv_layout_biovec() has mapped: see mlx5dv_layout_unmap()
 *
 * Context: process or softirq context, with interrupts enabled.
 */
void mlx5dv_free_layout(struct mlx5dv_layout *layout);

/**
 * mlx5dv_layout_list() - write a list into a layout
 * @layout: layout to write
 * @num_sges: number of pieces, at least 1
 * @sge: the pieces, each of at least 1 byte
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: an argument is out of range
 * * -ENOSPC: the layout does not have space for all pieces
 *
 * After an error the layout is empty.
 */
int mlx5dv_layout_list(struct mlx5dv_layout *layout, u32 num_sges, const struct ib_sge *sge);

/**
 * mlx5dv_layout_interleaved() - write an interleaved layout
 * @layout: layout to write
 * @repeat_count: as for mlx5dv_wr_set_mkey_layout_interleaved()
 * @num_interleaved: number of entries, at least 1
 * @data: the entries; no entry may reach beyond 2^64
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: an argument is out of range
 * * -ENOSPC: the layout does not have space for @num_interleaved entries and
 *   one more
 *
 * After an error the layout is empty.
 */
int mlx5dv_layout_interleaved(struct mlx5dv_layout *layout, u32 repeat_count,
			      u16 num_interleaved, const struct mlx5dv_mr_interleaved *data);

/**
 * mlx5dv_layout_sg() - write a scatterlist into a layout
 * @layout: layout to write
 * @sg: scatterlist, mapped for DMA
 * @nents: number of mapped elements, as returned by ib_dma_map_sg()
 * @lkey: lkey of all elements, such as pd->local_dma_lkey
 *
 * Elements that are adjacent in memory become one entry.
 *
 * Context: any.
 * Return: as mlx5dv_layout_list().
 */
int mlx5dv_layout_sg(struct mlx5dv_layout *layout, struct scatterlist *sg, u32 nents, u32 lkey);

/**
 * mlx5dv_layout_biovec() - map bio_vecs for DMA and write them into a layout
 * @layout: layout to write, which then owns the mapping
 * @bvec: the bio_vecs, each of at least 1 byte
 * @bi_vcnt: number of bio_vecs, at least 1
 * @dir: direction of the DMA mapping
 * @lkey: lkey of all memory, such as pd->local_dma_lkey
 *
 * bio_vecs that are adjacent in memory become one entry. The bio_vecs stay mapped until
 * mlx5dv_layout_unmap() is called, or the layout is freed or written again.
 *
 * The call allocates no memory, so that a caller that writes pages back does not wait
 * for memory that is freed only after these pages are written. But the driver of an
 * IOMMU may allocate memory for the mapping.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: an argument is out of range
 * * -ENOSPC: the layout does not have space for all pieces
 * * the error of the DMA mapping
 *
 * After an error the layout is empty.
 */
int mlx5dv_layout_biovec(struct mlx5dv_layout *layout, const struct bio_vec *bvec, u32 bi_vcnt,
			 enum dma_data_direction dir, u32 lkey);

/**
 * mlx5dv_layout_unmap() - unmap the memory of mlx5dv_layout_biovec()
 * @layout: layout, which is empty afterwards; a layout that was not written by
 *	mlx5dv_layout_biovec() is not changed
 *
 * Call it only when the memory can no longer be accessed through an mkey: each mkey that
 * was configured with @layout must have been destroyed, or a work request that
 * invalidates it or configures another layout must have completed.
 *
 * Context: any.
 */
void mlx5dv_layout_unmap(struct mlx5dv_layout *layout);

/**
 * mlx5dv_wr_set_mkey_layout() - set the layout of an mkey: a layout in memory
 * @mqp: QP on which mlx5dv_wr_mkey_configure() was called
 * @layout: layout of the QP's device, not empty; -ENOMEM when it has more entries than
 *	the mkey
 *
 * With IB_SEND_INLINE in wr_flags when the builder was called, the layout is copied into the
 * work request, and -ENOMEM also means that the copy does not fit. Otherwise
 * the device reads the layout when it executes the work request.
 */
void mlx5dv_wr_set_mkey_layout(struct mlx5dv_qp_ex *mqp, const struct mlx5dv_layout *layout);

/* ---- dynamically connected transport ---- */

/**
 * mlx5dv_wr_set_dc_addr() - set the address of a work request on a DCI
 * @mqp: DCI whose send queue is open
 * @ah: address handle of the QP's PD
 * @remote_dctn: number of the DCT
 * @remote_dc_key: access key of the DCT
 *
 * On a DCI each builder that needs data needs this setter, too, or
 * mlx5dv_wr_set_dc_addr_stream(). This setter sets the stream to 0.
 *
 * A work request with a wrong access key completes with IB_WC_REM_ACCESS_ERR. A
 * DCT that does not exist does not answer.
 */
void mlx5dv_wr_set_dc_addr(struct mlx5dv_qp_ex *mqp, struct ib_ah *ah, u32 remote_dctn,
			   u64 remote_dc_key);

/**
 * mlx5dv_wr_set_dc_addr_stream() - set the address and the stream of a work request
 * @mqp: DCI that was created with streams and whose send queue is open
 * @ah: as for mlx5dv_wr_set_dc_addr()
 * @remote_dctn: as for mlx5dv_wr_set_dc_addr()
 * @remote_dc_key: as for mlx5dv_wr_set_dc_addr()
 * @stream_id: number of the stream; the device uses only the low
 *	log_num_concurent bits of the number
 */
void mlx5dv_wr_set_dc_addr_stream(struct mlx5dv_qp_ex *mqp, struct ib_ah *ah, u32 remote_dctn,
				  u64 remote_dc_key, u16 stream_id);

/**
 * mlx5dv_dci_stream_id_reset() - make a stream in error usable again
 * @qp: DCI in RTS
 * @stream_id: number of the stream, all of whose work requests have completed
 *
 * After a work request failed, ib_query_qp() returns whether the DCI is in ERR
 * (see struct mlx5dv_dci_streams) or only the stream.
 *
 * Context: process context, may sleep.
 * Return:
 * * 0
 * * -EINVAL: @qp is not a DCI
 * * -EOPNOTSUPP: mlx5_ibx does not drive the device, the device cannot reset
 *   streams or supports no streams in error, or the DCI has no streams or is not
 *   in RTS
 * * the error of the firmware command, which fails when the stream is not in
 *   error
 */
int mlx5dv_dci_stream_id_reset(struct ib_qp *qp, u16 stream_id);

/* ---- memory copies ---- */

/**
 * mlx5dv_wr_memcpy() - copy local memory
 * @mqp: QP of type RC or DCI whose send queue is open
 * @dest_lkey: lkey of the destination, with IB_ACCESS_LOCAL_WRITE
 * @dest_addr: address of the destination
 * @src_lkey: lkey of the source
 * @src_addr: address of the source
 * @length: bytes to copy, 1 to max_wr_memcpy_length of struct mlx5dv_context
 *
 * The device copies; the peer of the QP is not involved. Both keys belong to the QP's PD
 * and may be mkeys. If source and destination overlap, the result is undefined.
 *
 * The device may begin the next work request before the copy is complete. A
 * work request that depends on the copy must have IB_SEND_FENCE, or be posted
 * after the completion.
 *
 * The completion has the opcode MLX5DV_WC_MEMCPY, and no valid opcode with an
 * unchanged mlx5_ib; a copy with a key that does not allow the access completes with
 * IB_WC_LOC_PROT_ERR. Setters: none.
 */
void mlx5dv_wr_memcpy(struct mlx5dv_qp_ex *mqp, u32 dest_lkey, u64 dest_addr, u32 src_lkey,
		      u64 src_addr, size_t length);

/* ---- raw WQEs ---- */

/**
 * mlx5dv_wr_raw_wqe() - add a WQE that the caller encoded
 * @mqp: QP whose send queue is open
 * @wqe: WQE. The control segment contains the length of the WQE in units of 16 bytes.
 *	wqe_index and signature are set in the copy; nothing else is checked or changed
 *
 * wr_flags are ignored, and fences are the caller's responsibility: if the WQE
 * before a raw WQE configures an mkey that the raw WQE uses, the raw WQE must
 * have a fence. The fence of the WQE after a raw WQE depends only on wr_flags.
 * The completion has the opcode MLX5DV_WC_RAW_WQE (with an unchanged mlx5_ib, the
 * opcode of the WQE). Setters: none.
 *
 * As in userspace, this is the only builder that returns an errno. An error
 * spoils the chain as with any builder, so the caller may ignore the errno
 * here: ib_wr_complete() returns it again.
 *
 * Return:
 * * 0
 * * -EINVAL: the length in the control segment is 0 or longer than a work request of this QP
 *   may be, or as by ib_wr_complete()
 * * another errno of ib_wr_complete(), for an error of this call or of an earlier call
 */
int mlx5dv_wr_raw_wqe(struct mlx5dv_qp_ex *mqp, const void *wqe);

#endif /* RDMA_MLX5DV_H */
