/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * For RDMA drivers: attach complete lists to MRs without ib_map_mr_sg().
 *
 * ib_frwr works on every driver through ib_map_mr_sg(), which takes partial lists
 * and pages of one given size. A driver that can do better with a complete list
 * registers a hook here. ib_frwr checks arguments and states, builds scatterlists
 * from pages, bio_vecs and bios, maps and unmaps them, cuts lists to the part that an MR
 * can hold, and rolls keys. ULPs include <rdma/ib_frwr.h> and see no difference.
 */
#ifndef RDMA_IB_FRWR_PROVIDER_H
#define RDMA_IB_FRWR_PROVIDER_H

#include <linux/list.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

struct module;

/**
 * struct ib_frwr_provider - hook of a driver
 * @owner: module that is ib_device_ops.owner of the driver's devices
 * @set_sg: attach a complete scatterlist, mapped for DMA, of at least one element. It may
 *	be chained (sg_next()); only DMA addresses and lengths of its elements
 *	are valid
 * @entry: private to ib_frwr
 *
 * set_sg() sets iova and length of the MR. mr->page_size is the page size of
 * the MR, and max_num_sg of ib_alloc_mr() counts pages of this size. There is a
 * gap between two elements that are not contiguous, unless the first ends and the
 * second begins at a multiple of the page size. The ULP may move mr->iova by
 * multiples of the page size later. The hook does not change mr->page_size, even
 * if the device gets another page size. set_sg() may replace the upper 24 bits of
 * the key; ib_frwr has rolled the low byte before the call. set_sg() returns 0;
 * -EINVAL for a list with an empty element or an element that wraps, or with a gap
 * that the MR does not permit; or -ENOSPC for a list that is too long.
 *
 * The ULP may also reduce mr->length after set_sg(). The driver reads iova and length
 * from the MR when the registration is posted, and registers no byte behind length.
 *
 * When set_sg() has returned -ENOSPC, ib_frwr may call ib_map_mr_sg() with a
 * larger page size. ib_frwr restores mr->page_size before the registration is
 * posted.
 *
 * When set_sg() fails, or the list has more pages than the MR was created for,
 * ib_frwr restores iova, length and the low byte of the key. ib_frwr does not restore
 * the upper bits of the key: a set_sg() that fails restores these bits.
 *
 * Context: any; set_sg() must not sleep or allocate memory. It is not called while
 * the key of the MR may be valid.
 */
struct ib_frwr_provider {
	struct module *owner;
	int (*set_sg)(struct ib_mr *mr, struct scatterlist *sg, int sg_nents);
	struct list_head entry;
};

/**
 * ib_frwr_register_provider() - register the hook of a driver
 * @p: hook, with @owner and @set_sg set; it must stay until ib_frwr_unregister_provider()
 *
 * Call it before the driver registers a device: MRs that exist already do not use
 * the hook.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: @set_sg or @owner is NULL (a built-in driver has no owner and
 *   cannot have a hook)
 * * -EEXIST: the owner has registered a hook already
 */
int ib_frwr_register_provider(struct ib_frwr_provider *p);

/**
 * ib_frwr_unregister_provider() - undo ib_frwr_register_provider()
 * @p: registered hook of a driver that has no devices any more
 *
 * Context: may sleep.
 */
void ib_frwr_unregister_provider(struct ib_frwr_provider *p);

/**
 * ib_frwr_begin_reg() - prepare the registration of a work request IB_WR_FAST_REG_MR
 * @qp: QP on which @wr is posted
 * @wr: work request IB_WR_FAST_REG_MR of ib_post_send(), which is part of a
 *	struct ib_fast_reg_wr. It is not changed
 * @reg: gets the registration that the driver posts, with wr_id, send_flags and next of @wr
 *
 * For drivers whose post_send() supports IB_WR_FAST_REG_MR. The MR is POSTED
 * after success, with the iova and the length of the work request. A driver
 * that does not post @reg calls ib_frwr_cancel_reg().
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: there is no MR, or the MR is of another device
 * * an error of ib_init_fast_reg_wr(); the MR is unchanged
 */
int ib_frwr_begin_reg(const struct ib_qp *qp, const struct ib_send_wr *wr, struct ib_reg_wr *reg);

/**
 * ib_frwr_cancel_reg() - undo ib_frwr_begin_reg()
 * @reg: registration that was not posted; its MR is SET again
 *
 * Context: any.
 */
void ib_frwr_cancel_reg(const struct ib_reg_wr *reg);

#endif /* RDMA_IB_FRWR_PROVIDER_H */
