// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5dv_ib: signature errors of mkeys.
 *
 * When mlx5_ib polls the CQE of a signature error, it looks for the mkey in
 * mlx5_ib_dev.sig_mrs, and stores the error there. It does not check that the
 * mkey is found. So each mkey that may cause such a CQE is in sig_mrs, from its
 * creation until none of its CQEs is left in a CQ. A patched mlx5_ib stores the
 * CQE, too (mlx5_ib_dv.h).
 */
#include <linux/slab.h>

#include "mlx5dv_ib.h"
#include "mlx5_ib_dv.h"
#include "sig.h"

/* err_type of ib_sig_err that mlx5_ib never stores */
#define NO_TYPE		((enum ib_sig_err_type)-1)

/* may sleep; interrupts are off while sig_mrs is locked, because softirqs poll CQs */
static int store_sig(struct mlx5_ib_dev *dev, u32 key, struct mlx5_ib_dv_sig *sig)
{
	XA_STATE(xas, &dev->sig_mrs, mlx5_base_mkey(key));
	unsigned long flags;

	do {
		xas_lock_irqsave(&xas, flags);
		xas_store(&xas, &sig->ctx);
		xas_unlock_irqrestore(&xas, flags);
	} while (xas_nomem(&xas, GFP_KERNEL));
	return xas_error(&xas);
}

struct mlx5_core_sig_ctx *mlx5dv_ib_add_sig(struct ib_device *ibdev, u32 key)
{
	struct mlx5_ib_dv_sig *sig = kzalloc(sizeof(*sig), GFP_KERNEL);
	int err;

	if (!sig)
		return ERR_PTR(-ENOMEM);
	sig->ctx.psv_memory.psv_idx = MLX5_IB_DV_SIG;
	sig->ctx.err_item.err_type = NO_TYPE;
	err = store_sig(to_mdev(ibdev), key, sig);
	if (err) {
		kfree(sig);
		return ERR_PTR(err);
	}
	return &sig->ctx;
}

static struct mlx5_cqe64 *get_cqe(struct mlx5_ib_cq *cq, u32 index)
{
	void *cqe = mlx5_frag_buf_get_wqe(&cq->buf.fbc, index & cq->ibcq.cqe);

	/* an entry of 128 bytes ends with the CQE */
	return cqe + cq->mcq.cqe_sz - sizeof(struct mlx5_cqe64);
}

/* the bit of the owner changes each time the device writes to the entry again */
static bool is_written(struct mlx5_cqe64 *cqe, const struct mlx5_ib_cq *cq, u32 index)
{
	const u8 owner = index & (cq->ibcq.cqe + 1) ? MLX5_CQE_OWNER_MASK : 0;

	return get_cqe_opcode(cqe) != MLX5_CQE_INVALID &&
	       (cqe->op_own & MLX5_CQE_OWNER_MASK) == owner;
}

/**
 * struct selection - CQEs of signature errors to remove
 * @dev: device
 * @key: key of an mkey, if @sig is not NULL
 * @sig: storage of the errors of @key; or NULL for the CQEs of a QP, which are
 *	stored
 * @qpn: number of the QP
 */
struct selection {
	struct mlx5_ib_dev *dev;
	u32 key;
	struct mlx5_core_sig_ctx *sig;
	u32 qpn;
};

static bool is_selected(const struct selection *s, struct mlx5_cqe64 *cqe)
{
	const struct mlx5_sig_err_cqe *err = (const struct mlx5_sig_err_cqe *)cqe;
	const u32 base = mlx5_base_mkey(be32_to_cpu(err->mkey));

	if (get_cqe_opcode(cqe) != MLX5_CQE_SIG_ERR)
		return false;
	if (!s->sig)
		return (be32_to_cpu(cqe->sop_drop_qpn) & MLX5_24BIT_MASK) == s->qpn;
	/* mlx5_ib stores an MR with the same index before the MR has a CQE */
	return base == mlx5_base_mkey(s->key) && xa_load(&s->dev->sig_mrs, base) == s->sig;
}

/* T10-DIF: the guard is the high half of a word, the application tag the low half */
static void decode_error(struct ib_sig_err *item, const struct mlx5_sig_err_cqe *err)
{
	const u32 expected = be32_to_cpu(err->expected_trans_sig);
	const u32 actual = be32_to_cpu(err->actual_trans_sig);
	const u16 syndrome = be16_to_cpu(err->syndrome);

	item->sig_err_offset = be64_to_cpu(err->err_offset);
	item->key = be32_to_cpu(err->mkey);
	item->err_type = NO_TYPE;
	if (syndrome & IBX_SIGERR_GUARD) {
		item->err_type = IB_SIG_BAD_GUARD;
		item->expected = expected >> 16;
		item->actual = actual >> 16;
	} else if (syndrome & IBX_SIGERR_REF_TAG) {
		item->err_type = IB_SIG_BAD_REFTAG;
		item->expected = be32_to_cpu(err->expected_reftag);
		item->actual = be32_to_cpu(err->actual_reftag);
	} else if (syndrome & IBX_SIGERR_APP_TAG) {
		item->err_type = IB_SIG_BAD_APPTAG;
		item->expected = expected & 0xffff;
		item->actual = actual & 0xffff;
	}
}

/* store an error as mlx5_ib does when it polls the CQE; interrupts are off */
static void store_error(struct mlx5_ib_dev *dev, const struct mlx5_cqe64 *cqe)
{
	const struct mlx5_sig_err_cqe *err = (const struct mlx5_sig_err_cqe *)cqe;
	struct mlx5_core_sig_ctx *sig;

	xa_lock(&dev->sig_mrs);
	sig = xa_load(&dev->sig_mrs, mlx5_base_mkey(be32_to_cpu(err->mkey)));
	if (sig) {
		mlx5_ib_dv_store_cqe(sig, err);
		decode_error(&sig->err_item, err);
		sig->sig_err_exists = true;
		sig->sigerr_count++;
	}
	xa_unlock(&dev->sig_mrs);
}

/* copy an entry to another index, which keeps its owner bit */
static void move_cqe(struct mlx5_ib_cq *cq, u32 from, u32 to)
{
	const u32 offset = cq->mcq.cqe_sz - sizeof(struct mlx5_cqe64);
	struct mlx5_cqe64 *dest = get_cqe(cq, to);
	const u8 owner = dest->op_own & MLX5_CQE_OWNER_MASK;

	memcpy((void *)dest - offset, (void *)get_cqe(cq, from) - offset, cq->mcq.cqe_sz);
	dest->op_own = (dest->op_own & ~MLX5_CQE_OWNER_MASK) | owner;
}

/*
 * Remove the selected CQEs that were written but not polled. The older CQEs move
 * to later entries, as when mlx5_ib removes the CQEs of a QP. No ULP resizes CQs:
 * the CQEs in the new buffer of a CQ that is being resized stay.
 */
static void remove_cqes(struct mlx5_ib_cq *cq, const struct selection *s)
{
	u32 index = cq->mcq.cons_index, removed = 0;

	lockdep_assert_held(&cq->lock);
	while (index - cq->mcq.cons_index <= cq->ibcq.cqe &&
	       is_written(get_cqe(cq, index), cq, index))
		index++;
	/* read the CQEs after their owner bits */
	rmb();
	while (index != cq->mcq.cons_index) {
		struct mlx5_cqe64 *cqe = get_cqe(cq, --index);

		if (is_selected(s, cqe)) {
			if (!s->sig)
				store_error(s->dev, cqe);
			removed++;
		} else if (removed) {
			move_cqe(cq, index, index + removed);
		}
	}
	if (!removed)
		return;
	cq->mcq.cons_index += removed;
	/* the CQEs must have moved before the device may write to the entries */
	wmb();
	mlx5_cq_set_ci(&cq->mcq);
}

static void remove_cqes_of_cq(struct ib_cq *ibcq, const struct selection *s)
{
	struct mlx5_ib_cq *cq;
	unsigned long flags;

	if (!ibcq)
		return;
	cq = to_mcq(ibcq);
	spin_lock_irqsave(&cq->lock, flags);
	remove_cqes(cq, s);
	spin_unlock_irqrestore(&cq->lock, flags);
}

/*
 * the QPs of the kernel are in qp_list until mlx5_ib has removed their CQEs from
 * their CQs
 */
void mlx5dv_ib_drop_sig_errors(struct ib_device *ibdev, u32 key, struct mlx5_core_sig_ctx *sig)
{
	const struct selection s = { .dev = to_mdev(ibdev), .key = key, .sig = sig };
	struct ib_cq *scq = NULL, *rcq = NULL;
	struct mlx5_ib_qp *qp;
	unsigned long flags;

	spin_lock_irqsave(&s.dev->reset_flow_resource_lock, flags);
	list_for_each_entry(qp, &s.dev->qp_list, qps_list) {
		/* QPs with the same CQs often follow each other */
		if (qp->ibqp.uobject || (qp->ibqp.send_cq == scq && qp->ibqp.recv_cq == rcq))
			continue;
		scq = qp->ibqp.send_cq;
		rcq = qp->ibqp.recv_cq;
		remove_cqes_of_cq(scq, &s);
		if (rcq != scq)
			remove_cqes_of_cq(rcq, &s);
	}
	spin_unlock_irqrestore(&s.dev->reset_flow_resource_lock, flags);
}

void mlx5dv_ib_take_sig_errors(struct ib_qp *qp)
{
	const struct selection s = {
		.dev = to_mdev(qp->device), .qpn = to_mqp(qp)->trans_qp.base.mqp.qpn,
	};

	remove_cqes_of_cq(qp->send_cq, &s);
	if (qp->recv_cq != qp->send_cq)
		remove_cqes_of_cq(qp->recv_cq, &s);
}

void mlx5dv_ib_remove_sig(struct ib_device *ibdev, u32 key, struct mlx5_core_sig_ctx *sig)
{
	struct mlx5_ib_dev *dev = to_mdev(ibdev);
	unsigned long flags;

	xa_lock_irqsave(&dev->sig_mrs, flags);
	/* the index may already belong to an MR of mlx5_ib */
	__xa_cmpxchg(&dev->sig_mrs, mlx5_base_mkey(key), sig, NULL, GFP_ATOMIC);
	xa_unlock_irqrestore(&dev->sig_mrs, flags);
	kfree(container_of(sig, struct mlx5_ib_dv_sig, ctx));
}

u32 mlx5dv_ib_read_sig(struct ib_device *ibdev, struct mlx5_core_sig_ctx *sig, u32 seen,
		       struct ibx_backend_err *err)
{
	struct mlx5_ib_dev *dev = to_mdev(ibdev);
	unsigned long flags;
	u32 count;

	/*
	 * The error was counted before the completion that the caller has polled.
	 * The lock is taken only after an error: mlx5_ib takes it with interrupts
	 * on when it creates and destroys MRs.
	 */
	if (READ_ONCE(sig->sigerr_count) == seen)
		return seen;
	xa_lock_irqsave(&dev->sig_mrs, flags);
	err->item = sig->err_item;
	err->cqe = container_of(sig, struct mlx5_ib_dv_sig, ctx)->cqe;
	sig->err_item.err_type = NO_TYPE;
	count = sig->sigerr_count;
	xa_unlock_irqrestore(&dev->sig_mrs, flags);
	return count;
}
