// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: WQEs of the driver's own UMR QP (keys/umr_qp.c): a UMR sets an mkey
 * for an MR of a process, changes the PD and the access flags of the MR, or
 * sets the mkey free. Only a QP of type REG_UMR may move an mkey to another PD.
 */

#include "enc/enc.h"
#include "trace.h"
#include "wq/wqe.h"

/* segments and list of a registration, after the control segment */
static void put_mr(struct ibx_wqe *w, const struct ibx_umr_mr *mr)
{
	const struct ibx_enc_reg reg = {
		.iova = mr->iova,
		.length = mr->length,
		.mkey = mr->key,
		.list_octwords = mr->list_bytes / IBX_DS,
		.key_octwords = mr->list_bytes / IBX_DS,
		.page_shift = mr->page_shift,
		.mode = MLX5_MKC_ACCESS_MODE_MTT,
		.access = mr->access,
		.inlined = ibx_umr_is_inline(w->sq, mr->list_bytes),
		.mask = w->sq->reg_mask | cpu_to_be64(MLX5_MKEY_MASK_PD),
	};

	ibx_enc_umr_reg(w->seg, &reg);
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_umr_ctrl_seg));
	ibx_enc_mkey_mr(w->seg, &reg, mr->pdn);
	ibx_wqe_advance(w, sizeof(struct mlx5_mkey_seg));
	if (reg.inlined)
		ibx_wqe_list(w, mr->list, mr->list_bytes);
	else
		ibx_wqe_last_data(w, mr->list_dma, mr->list_bytes, be32_to_cpu(w->sq->dma_lkey));
}

/* segments that set an mkey free, after the control segment */
static void put_free(struct ibx_wqe *w, u32 pdn)
{
	ibx_enc_umr_inv(w->seg, cpu_to_be64(MLX5_MKEY_MASK_PD));
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_umr_ctrl_seg));
	ibx_enc_mkey_free(w->seg, pdn);
	ibx_wqe_advance(w, sizeof(struct mlx5_mkey_seg));
}

/* segments that change PD and access flags, after the control segment */
static void put_rights(struct ibx_wqe *w, const struct ibx_umr_rights *r)
{
	u64 mask = ibx_rights_mask(r->more);

	ibx_enc_umr_rights(w->seg, cpu_to_be64(mask));
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_umr_ctrl_seg));
	ibx_enc_mkey_rights(w->seg, r->key, r->access, r->pdn, mask);
	ibx_wqe_advance(w, sizeof(struct mlx5_mkey_seg));
}

/*
 * A UMR of one of three kinds. With @mr, the UMR sets an MR. With @rights, the
 * UMR changes the PD and the access flags of an MR. If both are NULL, the UMR
 * sets @key free in the PD @pdn.
 */
struct umr_change {
	const struct ibx_umr_mr *mr;
	const struct ibx_umr_rights *rights;
	u32 key;
	u32 pdn;
};

static void put_change(struct ibx_wqe *w, const struct umr_change *ch)
{
	if (ch->mr)
		put_mr(w, ch->mr);
	else if (ch->rights)
		put_rights(w, ch->rights);
	else
		put_free(w, ch->pdn);
}

static int post_umr(struct ibx_qp *qp, const struct umr_change *ch, struct ib_cqe *cqe)
{
	/* the trace shows this WR */
	const struct ib_reg_wr wr = {
		.wr = {
			.wr_cqe = cqe,
			.opcode = ch->mr || ch->rights ? IB_WR_REG_MR : IB_WR_LOCAL_INV,
			.ex.invalidate_rkey = ch->key,
		},
		.key = ch->key,
	};
	struct ibx_wqe_fin fin = {
		.wr_id = wr.wr.wr_id,
		.imm = cpu_to_be32(ch->key),
		.opcode = MLX5_OPCODE_UMR,
		.wc_opcode = MLX5DV_WC_UMR,
		.next_fence = MLX5_FENCE_MODE_INITIATOR_SMALL,
	};
	struct ibx_sq *sq = &qp->sq;
	struct ibx_chain c;
	unsigned long flags;
	struct ibx_wqe w;
	int err;

	spin_lock_irqsave(&sq->lock, flags);
	ibx_chain_init(&c, sq);
	err = ibx_may_post(qp, IBX_SEND_STATES);
	if (!err && !ibx_chain_has_space(&c))
		err = -ENOMEM;
	if (!err) {
		fin.fm_ce_se = MLX5_WQE_CTRL_CQ_UPDATE | ibx_reg_fence(&c, 0);
		w = ibx_wqe_begin(&c);
		put_change(&w, ch);
		ibx_wqe_finish(&c, &w, &fin);
		trace_ibx_post_send(qp, &wr.wr, c.last, c.head);
		ibx_chain_post(&c);
	}
	spin_unlock_irqrestore(&sq->lock, flags);
	return err;
}

/**
 * ibx_post_umr_mr() - set a free mkey for an MR of a process
 * @qp: UMR QP
 * @mr: the MR; a list that is not inline stays mapped until the WR completes
 * @cqe: called at the completion
 *
 * Context: any; takes the lock of the send ring.
 * Return:
 * * 0
 * * -ENOMEM: the ring is full
 * * -EINVAL: the state does not allow posting
 * * -EIO: after a fatal error of the device, unless the QP is in ERR
 */
int ibx_post_umr_mr(struct ibx_qp *qp, const struct ibx_umr_mr *mr, struct ib_cqe *cqe)
{
	const struct umr_change ch = { .mr = mr, .key = mr->key };

	return post_umr(qp, &ch, cqe);
}

/**
 * ibx_post_umr_rights() - change the PD and the access flags of an MR of a process
 * @qp: UMR QP
 * @rights: PD and access flags
 * @cqe: called at the completion
 *
 * Context: any; takes the lock of the send ring.
 * Return: 0, or an errno of ibx_post_umr_mr().
 */
int ibx_post_umr_rights(struct ibx_qp *qp, const struct ibx_umr_rights *rights,
			struct ib_cqe *cqe)
{
	const struct umr_change ch = { .rights = rights, .key = rights->key };

	return post_umr(qp, &ch, cqe);
}

/**
 * ibx_post_umr_free() - set the mkey of an MR of a process free
 * @qp: UMR QP
 * @key: key of the mkey
 * @pdn: number of the new PD of the mkey
 * @cqe: called at the completion, after which the device no longer uses the memory behind the mkey
 *
 * Context: any; takes the lock of the send ring.
 * Return: 0, or an errno of ibx_post_umr_mr().
 */
int ibx_post_umr_free(struct ibx_qp *qp, u32 key, u32 pdn, struct ib_cqe *cqe)
{
	const struct umr_change ch = { .key = key, .pdn = pdn };

	return post_umr(qp, &ch, cqe);
}
