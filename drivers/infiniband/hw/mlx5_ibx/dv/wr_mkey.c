// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: builders and setters of <rdma/mlx5dv.h> that configure mkeys, and raw WQEs.
 * wr.h explains how they work together.
 *
 * A configuration is a UMR: control segment and UMR control segment in one
 * block, the mkey context in the next, then the layout. The builder writes a
 * UMR that changes nothing. Each setter adds its attribute to the UMR control
 * segment and the mkey context. The setter of a layout also writes the layout,
 * or a data segment with its address. Signature and crypto attributes follow
 * the layout, and are written after the last setter (wr_sig.c, wr_crypto.c).
 */
#include <linux/export.h>

#include "enc/layout.h"
#include "dv/mkey.h"
#include "dv/wr.h"

/* setters of a configuration */
#define CONF_SETTERS	(IBX_SET_ACCESS | IBX_SET_LAYOUT | IBX_SET_SIG | IBX_SET_CRYPTO)
#define CONF_ACCESS								\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |	\
	 IB_ACCESS_REMOTE_ATOMIC)

static struct ib_qp_ex *qpx_of(struct mlx5dv_qp_ex *mqp)
{
	return &mqp->qp_ex;
}

static struct ibx_wr *wr_of(struct mlx5dv_qp_ex *mqp)
{
	return &ibx_qp_of(&mqp->qp_ex)->wr;
}

/*
 * may the mkey be configured on this QP, with the low byte that its key has
 * now?
 */
static int check_mkey(const struct ib_qp_ex *qp, const struct ibx_mkey *mkey)
{
	u32 changed = mkey->dv.lkey ^ mkey->key;

	if (mkey->pd != qp->qp->pd || changed & ~0xff)
		return -EINVAL;
	if (changed && !(mkey->has.flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG))
		return -EINVAL;
	return 0;
}

static __always_inline bool begin_conf(struct ibx_wr *wr, struct mlx5dv_qp_ex *mqp, u64 op,
				       struct mlx5dv_mkey *dv)
{
	const struct ibx_mkey *mkey = to_imkey(dv);
	const struct ibx_wr_op what = {
		.op = IBX_OPS_DV(op),
		.opcode = MLX5_OPCODE_UMR,
		.wc_opcode = MLX5DV_WC_UMR,
		.imm = cpu_to_be32(mkey->dv.lkey),
		.next_fence = MLX5_FENCE_MODE_INITIATOR_SMALL,
		.reg = true,
	};
	struct ibx_wqe *w = &wr->w;
	int err;

	if (unlikely(!ibx_wr_begin(wr, qpx_of(mqp), &what)))
		return false;
	err = check_mkey(qpx_of(mqp), mkey);
	if (unlikely(err)) {
		ibx_wr_fail(wr, err);
		return false;
	}
	ibx_enc_umr_conf(ibx_wr_umr(wr));
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_umr_ctrl_seg));
	ibx_enc_mkey_conf(w->seg, mkey->dv.lkey);
	wr->conf.has = mkey->has;
	wr->conf.sig = mkey->sig;
	wr->conf.unit = mkey->unit;
	wr->conf.inlined = qpx_of(mqp)->wr_flags & IB_SEND_INLINE;
	wr->conf.seg = w->seg;
	ibx_wqe_advance(w, sizeof(struct mlx5_mkey_seg));
	return true;
}

void mlx5dv_wr_mkey_configure(struct mlx5dv_qp_ex *mqp, struct mlx5dv_mkey *mkey,
			      u8 num_setters, const struct mlx5dv_mkey_conf_attr *attr)
{
	struct ibx_wr *wr = wr_of(mqp);

	if (unlikely(!begin_conf(wr, mqp, MLX5DV_QP_EX_WITH_MKEY_CONFIGURE, mkey)))
		return;
	if (unlikely(attr->conf_flags | attr->comp_mask)) {
		if (attr->conf_flags != MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR || attr->comp_mask)
			return ibx_wr_fail(wr, -EOPNOTSUPP);
		wr->conf.sig_reset = wr->conf.sig;
	}
	if (unlikely(num_setters > hweight32(CONF_SETTERS)))
		return ibx_wr_fail(wr, -EINVAL);
	wr->allowed = CONF_SETTERS;
	wr->left = num_setters;
	if (!num_setters)
		ibx_wr_finish_conf(wr);
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_mkey_configure);

static __always_inline int mkey_set_access(struct ibx_wr *wr, u32 access_flags)
{
	const __be64 mask = wr->chain.sq->reg_mask &
			    cpu_to_be64(IBX_UMR_ACCESS_MASK | MLX5_MKEY_MASK_A);

	if (unlikely(access_flags & ~wr->chain.sq->reg_access || access_flags & ~CONF_ACCESS))
		return access_flags & ~CONF_ACCESS ? -EINVAL : -EOPNOTSUPP;
	ibx_enc_conf_access(ibx_wr_umr(wr), wr->conf.seg, mask,
			    ibx_mkey_perms(access_flags) &
			    ~(MLX5_PERM_LOCAL_READ | MLX5_PERM_UMR_EN));
	return 0;
}

void mlx5dv_wr_set_mkey_access_flags(struct mlx5dv_qp_ex *mqp, u32 access_flags)
{
	struct ibx_wr *wr = wr_of(mqp);

	if (ibx_wr_setter_begin(wr, IBX_SET_ACCESS, IBX_SET_ACCESS))
		ibx_wr_conf_setter_end(wr, mkey_set_access(wr, access_flags));
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_set_mkey_access_flags);

/* is there space for @entries in the mkey and in the WQE? */
static __always_inline int check_inline(const struct ibx_wr *wr, u32 entries)
{
	if (unlikely(!wr->conf.inlined))
		return -EOPNOTSUPP;
	if (unlikely(entries > wr->conf.has.max_entries ||
		     ibx_klm_bytes(entries) > wr->w.sq->max_umr_inline))
		return -ENOMEM;
	return 0;
}

/*
 * zero the rest of the last block of a layout of @n entries; the block ends at
 * @end
 */
static __always_inline void pad_layout(void *end, u32 n)
{
	void *seg = end - IBX_BB;

	if (!(n % (IBX_BB / IBX_DS)))
		return;
	/* the first entry is in use; other entries in use are written later */
	ibx_put(seg, 2, 0);
	ibx_put(seg, 3, 0);
	ibx_put(seg, 4, 0);
	ibx_put(seg, 5, 0);
	ibx_put(seg, 6, 0);
	ibx_put(seg, 7, 0);
}

/* end of the last block of a layout of @n entries, if it does not wrap */
static __always_inline void *layout_end(const struct ibx_wqe *w, u32 n)
{
	return w->seg + ibx_klm_bytes(n);
}

/* does a layout of @n entries wrap? It starts at a block, so it wraps between two blocks */
static __always_inline bool layout_wraps(const struct ibx_wqe *w, u32 n)
{
	return unlikely(layout_end(w, n) > w->sq->end);
}

/* describe the layout of @n entries in the segments before the layout */
static __always_inline void describe_layout(struct ibx_wr *wr, u32 n, u64 length)
{
	const u32 octwords = ibx_layout_octwords(n);

	wr->w.ds += octwords;
	ibx_enc_conf_layout(ibx_wr_umr(wr), wr->conf.seg, octwords, length);
}

static noinline u64 write_wrapped_list(const struct ibx_wqe *w, u32 n, const struct ib_sge *sge)
{
	const u32 first = (w->sq->end - w->seg) / IBX_DS;
	u64 length, rest;

	pad_layout(layout_end(w, n) - (w->sq->end - w->sq->buf), n);
	length = ibx_enc_klms(w->seg, sge, first);
	rest = ibx_enc_klms(w->sq->buf, sge + first, n - first);
	return length && rest ? length + rest : 0;
}

static __always_inline int mkey_set_list(struct ibx_wr *wr, u32 n,
					 const struct ib_sge *sge)
{
	struct ibx_wqe *w = &wr->w;
	int err = check_inline(wr, n);
	u64 length;

	if (unlikely(err))
		return err;
	if (layout_wraps(w, n)) {
		length = write_wrapped_list(w, n, sge);
	} else {
		pad_layout(layout_end(w, n), n);
		length = ibx_enc_klms(w->seg, sge, n);
	}
	if (unlikely(!length))
		return -EINVAL;
	describe_layout(wr, n, length);
	return 0;
}

static noinline u32 write_wrapped_strides(const struct ibx_wqe *w, u32 n,
					  const struct mlx5dv_mr_interleaved *data, u32 repeat)
{
	const u32 first = (w->sq->end - w->seg) / IBX_DS - 1;
	u32 cycle, rest;

	pad_layout(layout_end(w, n + 1) - (w->sq->end - w->sq->buf), n + 1);
	cycle = ibx_enc_strides(w->seg + IBX_DS, data, first, repeat);
	rest = ibx_enc_strides(w->sq->buf, data + first, n - first, repeat);
	return cycle && rest ? cycle + rest : 0;
}

static __always_inline int set_interleaved(struct ibx_wr *wr, u32 repeat, u32 n,
					   const struct mlx5dv_mr_interleaved *data)
{
	struct ibx_wqe *w = &wr->w;
	int err = check_inline(wr, n + 1);
	u32 cycle;

	if (unlikely(err))
		return err;
	if (unlikely(!repeat))
		return -EINVAL;
	if (layout_wraps(w, n + 1)) {
		cycle = write_wrapped_strides(w, n, data, repeat);
	} else {
		pad_layout(layout_end(w, n + 1), n + 1);
		cycle = ibx_enc_strides(w->seg + IBX_DS, data, n, repeat);
	}
	if (unlikely(!cycle))
		return -EINVAL;
	describe_layout(wr, n + 1, ibx_enc_stride_ctrl(w->seg, n, repeat, cycle));
	return 0;
}

void mlx5dv_wr_set_mkey_layout_list(struct mlx5dv_qp_ex *mqp, u16 num_sges,
				    const struct ib_sge *sge)
{
	struct ibx_wr *wr = wr_of(mqp);

	if (ibx_wr_setter_begin(wr, IBX_SET_LAYOUT, IBX_SET_LAYOUT))
		ibx_wr_conf_setter_end(wr, mkey_set_list(wr, num_sges, sge));
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_set_mkey_layout_list);

void mlx5dv_wr_set_mkey_layout_interleaved(struct mlx5dv_qp_ex *mqp, u32 repeat_count,
					   u16 num_interleaved,
					   const struct mlx5dv_mr_interleaved *data)
{
	struct ibx_wr *wr = wr_of(mqp);

	if (ibx_wr_setter_begin(wr, IBX_SET_LAYOUT, IBX_SET_LAYOUT))
		ibx_wr_conf_setter_end(wr, set_interleaved(wr, repeat_count, num_interleaved,
							   data));
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_set_mkey_layout_interleaved);

/* copy a prepared layout into the WQE, or let the device read it from memory */
static int set_prepared(struct ibx_wr *wr, const struct ib_qp_ex *qp,
			const struct mlx5dv_layout *layout)
{
	const u32 bytes = ibx_klm_bytes(layout->n);
	struct ibx_wqe *w = &wr->w;

	if (unlikely(!layout->n || layout->dev->ib != qp->qp->device))
		return -EINVAL;
	if (unlikely(layout->n > wr->conf.has.max_entries))
		return -ENOMEM;
	if (wr->conf.inlined) {
		if (unlikely(bytes > w->sq->max_umr_inline))
			return -ENOMEM;
		ibx_wqe_list(w, layout->buf, bytes);
	} else {
		ibx_wr_umr(wr)->flags = 0;
		ibx_wqe_last_data(w, layout->dma, bytes, be32_to_cpu(w->sq->dma_lkey));
	}
	ibx_enc_conf_layout(ibx_wr_umr(wr), wr->conf.seg, bytes / IBX_DS, layout->length);
	return 0;
}

void mlx5dv_wr_set_mkey_layout(struct mlx5dv_qp_ex *mqp, const struct mlx5dv_layout *layout)
{
	struct ibx_wr *wr = wr_of(mqp);

	if (ibx_wr_setter_begin(wr, IBX_SET_LAYOUT, IBX_SET_LAYOUT))
		ibx_wr_conf_setter_end(wr, set_prepared(wr, qpx_of(mqp), layout));
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_set_mkey_layout);

void mlx5dv_wr_mr_list(struct mlx5dv_qp_ex *mqp, struct mlx5dv_mkey *mkey, u32 access_flags,
		       u16 num_sges, const struct ib_sge *sge)
{
	struct ibx_wr *wr = wr_of(mqp);
	int err;

	if (unlikely(!begin_conf(wr, mqp, MLX5DV_QP_EX_WITH_MR_LIST, mkey)))
		return;
	err = mkey_set_access(wr, access_flags);
	if (likely(!err))
		err = mkey_set_list(wr, num_sges, sge);
	if (unlikely(err))
		return ibx_wr_fail(wr, err);
	ibx_wr_finish_conf(wr);
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_mr_list);

void mlx5dv_wr_mr_interleaved(struct mlx5dv_qp_ex *mqp, struct mlx5dv_mkey *mkey,
			      u32 access_flags, u32 repeat_count, u16 num_interleaved,
			      const struct mlx5dv_mr_interleaved *data)
{
	struct ibx_wr *wr = wr_of(mqp);
	int err;

	if (unlikely(!begin_conf(wr, mqp, MLX5DV_QP_EX_WITH_MR_INTERLEAVED, mkey)))
		return;
	err = mkey_set_access(wr, access_flags);
	if (likely(!err))
		err = set_interleaved(wr, repeat_count, num_interleaved, data);
	if (unlikely(err))
		return ibx_wr_fail(wr, err);
	ibx_wr_finish_conf(wr);
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_mr_interleaved);

int mlx5dv_wr_raw_wqe(struct mlx5dv_qp_ex *mqp, const void *wqe)
{
	const struct mlx5_wqe_ctrl_seg *from = wqe;
	const u32 ds = be32_to_cpu(from->qpn_ds) & MLX5_WQE_CTRL_DS_MASK;
	struct ibx_wr *wr = wr_of(mqp);
	struct ibx_wqe w;

	if (unlikely(!ibx_wr_may_begin(wr, IBX_OPS_DV(MLX5DV_QP_EX_WITH_RAW_WQE))))
		return ibx_wr_is_open(wr) ? wr->err : -EINVAL;
	if (unlikely(!ds || ds > wr->chain.sq->max_ds)) {
		ibx_wr_fail(wr, -EINVAL);
		return wr->err;
	}
	wr->allowed = 0;
	w = ibx_wqe_begin(&wr->chain);
	ibx_ring_copy(w.sq, w.ctrl, wqe, ds * IBX_DS);
	ibx_enc_raw_ctrl(w.ctrl, from, w.cur);
	w.ds = ds;
	ibx_sqe_what(ibx_sqe_of(&w), mqp->qp_ex.wr_id, MLX5DV_WC_RAW_WQE);
	ibx_chain_link(&wr->chain, &w, ibx_sqe_of(&w), MLX5_FENCE_MODE_NONE);
	return 0;
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_raw_wqe);
