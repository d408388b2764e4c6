/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * For RDMA drivers: registering lists without ib_map_mr_sg().
 *
 * ib_frwr works on every driver through ib_map_mr_sg(). A driver that can do
 * better says so here: its hooks get the list as the ULP has it and write the
 * device's descriptors while they walk it. ib_frwr checks arguments and states,
 * keeps what must be unmapped, rolls keys, and unmaps. ULPs include
 * <rdma/ib_frwr.h> and see no difference.
 */
#ifndef RDMA_IB_FRWR_PROVIDER_H
#define RDMA_IB_FRWR_PROVIDER_H

#include <linux/bvec.h>
#include <linux/dma-direction.h>
#include <linux/list.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

struct module;

/**
 * struct ib_frwr_run - memory that was mapped for DMA in one piece
 * @addr: its bus address
 * @len: its bytes
 */
struct ib_frwr_run {
	dma_addr_t addr;
	u32 len;
};

/**
 * struct ib_frwr_runs - what a list of pages or bio_vecs was mapped to
 * @run: room for @max of them, in the order of the list
 * @nr: those that are mapped
 * @max: at least one for each page or piece the MR takes
 * @dir: how they are mapped
 */
struct ib_frwr_runs {
	struct ib_frwr_run *run;
	u32 nr;
	u32 max;
	enum dma_data_direction dir;
};

/**
 * struct ib_frwr_provider - hooks of a driver
 * @owner: the module that ib_device_ops.owner of its devices names
 * @set_sg: attach a mapped scatterlist of at least one element
 * @set_pages: map and attach @length bytes that begin @offset bytes into the
 *	first page; ib_frwr made sure that the pages have them
 * @set_biovec: map and attach at least one bio_vec
 * @entry: private to ib_frwr
 *
 * A hook sets iova, length and page_size of the MR and picks its key, whose low
 * byte ib_frwr has rolled already. It returns 0; -EINVAL for a list the MR cannot
 * take as it is: a gap, an empty element or bio_vec, one that wraps; -ENOSPC for
 * one too long; or -ENOMEM when a piece cannot be mapped. When it fails, or
 * ib_frwr finds that the list has more pages than the MR was made for, ib_frwr
 * puts iova, length, page_size and the low byte of the key back and unmaps what
 * @runs says; a hook that picked another key must have picked the old one again
 * if it wants to have failed without a trace. ib_frwr does not call a hook while
 * the MR's key may be valid. Hooks run in any context and must not sleep or
 * allocate.
 */
struct ib_frwr_provider {
	struct module *owner;
	int (*set_sg)(struct ib_mr *mr, struct scatterlist *sg, int sg_nents);
	int (*set_pages)(struct ib_mr *mr, struct page **pages, size_t offset, size_t length,
			 struct ib_frwr_runs *runs);
	int (*set_biovec)(struct ib_mr *mr, const struct bio_vec *bvec, unsigned int bi_vcnt,
			  struct ib_frwr_runs *runs);
	struct list_head entry;
};

/**
 * ib_frwr_register_provider() - offer hooks for a driver's devices
 * @p: all members set; stays until ib_frwr_unregister_provider()
 *
 * MRs that were created before go on without them. To be called before the driver
 * registers a device.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL without a hook or an owner: a driver that is built in has
 * none that would tell it apart; -EEXIST when the owner has hooks already.
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
