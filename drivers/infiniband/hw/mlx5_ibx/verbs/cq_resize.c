// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Resizing a completion queue.
 *
 * The device is given a second ring while it and consumers go on with the
 * first. When it changes over it ends the first ring with an entry that says
 * so, and only then answers. Consumers that poll to that entry change over too;
 * if none did by the time the device has answered, the rest of the first ring
 * is moved here, under the CQ's lock, and nobody looks at it any more.
 *
 * A device that was asked and does not answer may change over at any time. Then
 * both rings stay: consumers still change over if it does, and the CQ takes no
 * other size until it did.
 */
#include "cmd/cmd.h"
#include "ibx.h"

/* consumers are in the new ring */
static void drop_old_ring(struct ibx_dev *dev, struct ibx_cq *cq)
{
	ibx_buf_free(dev, &cq->buf);
	swap(cq->buf, cq->next_buf);
	cq->ibcq.cqe = cq->cqb.cqe_cnt - 1;
}

static void offer_ring(struct ibx_cq *cq, void *buf, u32 entries)
{
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->cqb.next_buf = buf;
	cq->cqb.next_cnt = entries;
	spin_unlock_irqrestore(&cq->lock, flags);
}

static bool change_over(struct ibx_cq *cq)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&cq->lock, flags);
	done = !cq->cqb.next_buf || ibx_cqb_move(&cq->cqb);
	spin_unlock_irqrestore(&cq->lock, flags);
	return done;
}

static int resize(struct ibx_dev *dev, struct ibx_cq *cq, u32 entries)
{
	bool unknown;
	int err;

	err = ibx_buf_alloc(dev, &cq->next_buf, (size_t)entries * sizeof(struct mlx5_cqe64));
	if (err)
		return err;
	ibx_cqb_fill(cq->next_buf.va, entries);
	offer_ring(cq, cq->next_buf.va, entries);

	err = ibx_cmd_resize_cq(dev, &cq->mcq, &cq->next_buf, ilog2(entries), &unknown);
	if (err && !unknown) {
		offer_ring(cq, NULL, 0);
		ibx_buf_free(dev, &cq->next_buf);
		return err;
	}
	if (!change_over(cq)) {
		ibx_err(dev, "CQ 0x%x: no end of the ring that was replaced\n", cq->mcq.cqn);
		return err ?: -EIO;
	}
	drop_old_ring(dev, cq);
	return 0;
}

/**
 * ibx_resize_cq - verb resize_cq
 * @ibcq: the CQ; gets the number of entries it really has
 * @cqe: entries wanted
 * @udata: of a user's call; there are none
 *
 * Completions go on meanwhile; none is lost, repeated or out of order.
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP for users, or if the device cannot; -EINVAL for a size
 * out of range, or for less than is outstanding; -EBUSY if an earlier resize
 * was never answered; -EIO if the device says it did and did not; -ENOMEM; or
 * as cmd.h says. On failure the CQ is as before.
 */
int ibx_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibcq->device);
	u32 max = BIT(MLX5_CAP_GEN(dev->mdev, log_max_cq_sz));
	struct ibx_cq *cq = to_icq(ibcq);
	u32 entries;
	int err = 0;

	if (udata || !MLX5_CAP_GEN(dev->mdev, cq_resize))
		return -EOPNOTSUPP;
	/* one entry stays free, so that full and empty differ */
	if (cqe < 1 || cqe > max - 1)
		return -EINVAL;
	entries = roundup_pow_of_two(cqe + 1);

	mutex_lock(&cq->mutex);
	if (cq->next_buf.va) {
		if (!change_over(cq)) {
			err = -EBUSY;
			goto unlock;
		}
		drop_old_ring(dev, cq);
	}
	if (entries != ibcq->cqe + 1)
		err = resize(dev, cq, entries);
unlock:
	mutex_unlock(&cq->mutex);
	return err;
}
