/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * For RDMA drivers: registering lists without ib_map_mr_sg().
 *
 * ib_frwr works on every driver through ib_map_mr_sg(), which takes lists in part,
 * in pages of one given size. A driver that can do better with a list that is
 * known as a whole says so here. ib_frwr checks arguments and states, makes
 * scatterlists of pages and bio_vecs, maps and unmaps them, and rolls keys. ULPs
 * include <rdma/ib_frwr.h> and see no difference.
 */
#ifndef RDMA_IB_FRWR_PROVIDER_H
#define RDMA_IB_FRWR_PROVIDER_H

#include <linux/list.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

struct module;

/**
 * struct ib_frwr_provider - hook of a driver
 * @owner: the module that ib_device_ops.owner of its devices names
 * @set_sg: attach a mapped scatterlist of at least one element
 * @entry: private to ib_frwr
 *
 * The hook sets iova, length and page_size of the MR and picks its key, whose low
 * byte ib_frwr has rolled already. It returns 0; -EINVAL for a list the MR cannot
 * take as it is: a gap, an empty element, one that wraps; or -ENOSPC for one too
 * long. When it fails, or ib_frwr finds that the list has more pages than the MR
 * was made for, ib_frwr puts iova, length, page_size and the low byte of the key
 * back; a hook that picked another key must have picked the old one again if it
 * wants to have failed without a trace. ib_frwr does not call it while the MR's
 * key may be valid. It runs in any context and must not sleep or allocate.
 */
struct ib_frwr_provider {
	struct module *owner;
	int (*set_sg)(struct ib_mr *mr, struct scatterlist *sg, int sg_nents);
	struct list_head entry;
};

/**
 * ib_frwr_register_provider() - offer a hook for a driver's devices
 * @p: all members set; stays until ib_frwr_unregister_provider()
 *
 * MRs that were created before go on without it. To be called before the driver
 * registers a device.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL without a hook or an owner: a driver that is built in has
 * none that would tell it apart; -EEXIST when the owner has one already.
 */
int ib_frwr_register_provider(struct ib_frwr_provider *p);

/**
 * ib_frwr_unregister_provider() - undo ib_frwr_register_provider()
 * @p: registered; the driver has no device any more
 *
 * Context: may sleep.
 */
void ib_frwr_unregister_provider(struct ib_frwr_provider *p);

#endif /* RDMA_IB_FRWR_PROVIDER_H */
