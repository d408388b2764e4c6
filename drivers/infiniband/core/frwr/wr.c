// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: access flags, and the work request of a registration.
 */
#include <linux/export.h>
#include <linux/overflow.h>

#include "frwr.h"

#define FRWR_REMOTE_WRITES	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)
#define FRWR_WRITES		(IB_ACCESS_LOCAL_WRITE | FRWR_REMOTE_WRITES)
#define FRWR_REMOTE_READS	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

/*
 * Minimal access flags of a role and a direction. frwr_min_flags() adds the
 * flags that iWARP needs.
 */
static const int frwr_min_access[][DMA_NONE + 1] = {
	[IB_MR_LOCAL] = {
		[DMA_FROM_DEVICE] = IB_ACCESS_LOCAL_WRITE,
		[DMA_BIDIRECTIONAL] = IB_ACCESS_LOCAL_WRITE,
	},
	[IB_MR_REMOTE] = {
		[DMA_TO_DEVICE] = IB_ACCESS_REMOTE_READ,
		[DMA_FROM_DEVICE] = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
		[DMA_BIDIRECTIONAL] = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
				      IB_ACCESS_REMOTE_READ,
	},
};

/**
 * frwr_min_flags() - minimal access flags for a use of memory
 * @dev: RDMA device
 * @role: IB_MR_LOCAL or IB_MR_REMOTE
 * @dir: direction of the accesses; not DMA_NONE
 *
 * Context: any.
 * Return: flags IB_ACCESS_* that every device supports.
 */
int frwr_min_flags(struct ib_device *dev, enum ib_mr_role role, enum dma_data_direction dir)
{
	int access = frwr_min_access[role][dir];

	/* on iWARP the peer writes the data of a READ, so the sink needs remote writes */
	if (access & IB_ACCESS_LOCAL_WRITE && rdma_protocol_iwarp(dev, rdma_start_port(dev)))
		access |= IB_ACCESS_REMOTE_WRITE;
	return access;
}

int ib_mr_access(const struct ib_mr *mr, enum ib_mr_role role, enum dma_data_direction dir)
{
	return frwr_min_flags(mr->device, role, dir);
}
EXPORT_SYMBOL_GPL(ib_mr_access);

/* returns 0 if a registration on @dev can grant @access, or an errno */
static int frwr_check_access(const struct ib_device *dev, int access)
{
	int can = FRWR_WRITES | IB_ACCESS_REMOTE_READ | IB_ACCESS_OPTIONAL;

	if (access & FRWR_REMOTE_WRITES && !(access & IB_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if (dev->attrs.atomic_cap == IB_ATOMIC_NONE)
		can &= ~IB_ACCESS_REMOTE_ATOMIC;
	if (dev->attrs.device_cap_flags & IB_DEVICE_FLUSH_GLOBAL)
		can |= IB_ACCESS_FLUSH_GLOBAL;
	if (dev->attrs.device_cap_flags & IB_DEVICE_FLUSH_PERSISTENT)
		can |= IB_ACCESS_FLUSH_PERSISTENT;
	return access & ~can ? -EOPNOTSUPP : 0;
}

/* does @access permit writes or remote reads that @dir excludes? */
static bool frwr_contradicts_dir(enum dma_data_direction dir, int access)
{
	return (dir == DMA_TO_DEVICE && access & FRWR_WRITES) ||
	       (dir == DMA_FROM_DEVICE && access & FRWR_REMOTE_READS);
}

/* May the iova differ from the address of the list in the bits @moved? */
static bool frwr_iova_fits(const struct frwr_mr *f, u64 moved)
{
	const bool is_long = frwr_is_long(f, f->iova, f->length);

	return !(moved & (BIT_ULL(is_long ? f->large_shift : f->page_shift) - 1));
}

static int frwr_check_reg(const struct frwr_mr *f, u64 iova, u64 length, int access)
{
	u64 end;

	if (f->state != FRWR_SET)
		return f->state == FRWR_POSTED ? -EBUSY : -EINVAL;
	if (iova != f->iova && !frwr_iova_fits(f, iova ^ f->iova))
		return -EINVAL;
	if (!length || length > f->length || check_add_overflow(iova, length, &end))
		return -EINVAL;
	if (frwr_contradicts_dir(f->dir, access))
		return -EINVAL;
	/* without a hook, the driver may register all bytes of the list */
	if (length != f->length && !f->provider)
		return -EOPNOTSUPP;
	/*
	 * ocrdma uses iova minus page address as the offset of the first byte
	 */
	if (iova != f->iova && f->dev->ops.driver_id == RDMA_DRIVER_OCRDMA)
		return -EOPNOTSUPP;
	return frwr_check_access(f->dev, access);
}

/**
 * frwr_init_reg() - check and initialize the work request of a registration
 * @reg: work request
 * @mr: MR of ib_create_mr()
 * @iova: first address of the registration
 * @length: number of bytes
 * @access: flags IB_ACCESS_*
 *
 * Sets mr, key, access and the opcode of @reg, and iova and length of @mr. All are
 * unchanged after an error.
 *
 * Context: any.
 * Return: 0 or an error of ib_init_fast_reg_wr().
 */
int frwr_init_reg(struct ib_reg_wr *reg, struct ib_mr *mr, u64 iova, u64 length, int access)
{
	const struct frwr_mr *f = frwr_mr_from(mr);
	int err;

	if (unlikely(!f))
		return -EINVAL;
	err = frwr_check_reg(f, iova, length, access);
	if (unlikely(err))
		return err;
	mr->iova = iova;
	mr->length = length;
	frwr_fill_reg(reg, mr, access);
	return 0;
}

int ib_init_fast_reg_wr(struct ib_fast_reg_wr *wr, struct ib_mr *mr, u64 iova, u64 length,
			int access_flags)
{
	struct ib_reg_wr reg = { };
	int err;

	err = frwr_init_reg(&reg, mr, iova, length, access_flags);
	if (unlikely(err))
		return err;
	*wr = (struct ib_fast_reg_wr) {
		.reg = reg,
		.fast_reg = {
			.mr = mr,
			.iova = iova,
			.length = length,
			.access_flags = access_flags,
		},
	};
	return 0;
}
EXPORT_SYMBOL_GPL(ib_init_fast_reg_wr);

/* ---- posting ---- */

static struct ib_fast_reg_wr *frwr_fast_reg_wr(struct ib_send_wr *wr)
{
	return container_of(wr, struct ib_fast_reg_wr, wr);
}

/* Is @wr an IB_WR_REG_MR, posted or not, of an MR of ib_create_mr()? */
static bool frwr_is_reg(struct ib_send_wr *wr)
{
	return wr->opcode == IB_WR_REG_MR && frwr_mr_from(frwr_fast_reg_wr(wr)->reg.mr);
}

static int frwr_begin_post(struct ib_fast_reg_wr *wr)
{
	int err;

	if (unlikely(!wr->fast_reg.mr))
		return -EINVAL;
	err = frwr_init_reg(&wr->reg, wr->fast_reg.mr, wr->fast_reg.iova, wr->fast_reg.length,
			    wr->fast_reg.access_flags);
	if (likely(!err))
		err = ib_mr_posted(wr->fast_reg.mr);
	return err;
}

/*
 * Set the registrations from @wr up to @stop, which were not posted, back to
 * SET.
 */
static void frwr_undo_post(struct ib_send_wr *wr, const struct ib_send_wr *stop)
{
	for (; wr != stop; wr = wr->next)
		if (frwr_is_reg(wr))
			frwr_mr_from(frwr_fast_reg_wr(wr)->reg.mr)->state = FRWR_SET;
}

int ib_fast_reg_post_send(struct ib_qp *qp, struct ib_send_wr *wr,
			  const struct ib_send_wr **bad_wr)
{
	const struct ib_send_wr *bad = NULL;
	struct ib_send_wr *w;
	int err;

	for (w = wr; w; w = w->next) {
		if (w->opcode != IB_WR_FAST_REG_MR && !frwr_is_reg(w))
			continue;
		err = frwr_begin_post(frwr_fast_reg_wr(w));
		if (unlikely(err)) {
			frwr_undo_post(wr, w);
			bad = wr;
			goto out;
		}
	}
	err = ib_post_send(qp, wr, &bad);
	/*
	 * The WRs before bad were posted. The loop must not read these WRs,
	 * because the ULP may have freed WRs that have completed.
	 */
	if (unlikely(err))
		frwr_undo_post((struct ib_send_wr *)bad, NULL);
out:
	if (unlikely(err) && bad_wr)
		*bad_wr = bad;
	return err;
}
EXPORT_SYMBOL_GPL(ib_fast_reg_post_send);

/* ---- drivers with the opcode IB_WR_FAST_REG_MR ---- */

int ib_frwr_begin_reg(const struct ib_qp *qp, const struct ib_send_wr *wr, struct ib_reg_wr *reg)
{
	const struct ib_fast_reg_wr *fast = container_of(wr, struct ib_fast_reg_wr, wr);
	struct ib_mr *mr = fast->fast_reg.mr;
	int err;

	if (unlikely(!mr || mr->device != qp->device))
		return -EINVAL;
	*reg = (struct ib_reg_wr){ .wr = *wr };
	err = frwr_init_reg(reg, mr, fast->fast_reg.iova, fast->fast_reg.length,
			    fast->fast_reg.access_flags);
	return likely(!err) ? ib_mr_posted(mr) : err;
}
EXPORT_SYMBOL_GPL(ib_frwr_begin_reg);

void ib_frwr_cancel_reg(const struct ib_reg_wr *reg)
{
	frwr_mr_from(reg->mr)->state = FRWR_SET;
}
EXPORT_SYMBOL_GPL(ib_frwr_cancel_reg);
