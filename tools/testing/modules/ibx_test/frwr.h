/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ibx_test: common functions of suites about <rdma/ib_frwr.h>.
 *
 * End 0 of the pair owns a block of pages and an MR; end 1 is the peer, which
 * writes from the first half of its buffer and reads to the second.
 */
#ifndef IBX_TEST_FRWR_H
#define IBX_TEST_FRWR_H

#include <rdma/ib_frwr.h>

#include "ibx_test.h"

#define T_BLOCK_PAGES	16
#define T_BLOCK_SIZE	(T_BLOCK_PAGES * PAGE_SIZE)
#define T_HALF		(T_BUF_SIZE / 2)
#define T_PIECES	8
#define T_KEY_USES	600

/* part of the block */
struct t_part {
	u32 offset;
	u32 len;
};

/* a list of parts, of at most T_HALF bytes; the last part has a length of 0 */
struct t_list {
	const char *name;
	bool of_pages;		/* complete pages, except at the ends of the list */
	bool adjoining;		/* parts are adjacent; T_FORM_SG maps each part separately */
	struct t_part part[T_PIECES + 1];
};

/* the forms in which memory is passed to ib_frwr */
enum t_form {
	T_FORM_SG,
	T_FORM_PAGES,
	T_FORM_BIOVEC,
	T_FORM_BIO,
	T_FORMS,
};

/**
 * struct t_frwr - MR and memory of a case
 * @p: the pair
 * @arg: t_frwr_case.arg of the case
 * @owner: end 0
 * @peer: end 1
 * @mr: MR of ib_create_mr(), or NULL
 * @block: T_BLOCK_PAGES contiguous pages, zeroed, not mapped
 * @mem: virtual address of @block
 * @sgl: the list as a scatterlist, for T_FORM_SG
 * @sg_nents: number of elements of @sgl that are mapped, or 0
 * @dir: direction in which the list is mapped
 * @driver_mapped: number of mappings of the driver for the MR itself
 * @dma: the owner's DMA device while mappings are counted, or NULL
 * @ops: DMA operations of @dma while mappings are counted
 */
struct t_frwr {
	struct t_pair *p;
	int arg;
	struct t_end *owner;
	struct t_end *peer;
	struct ib_mr *mr;
	struct page *block;
	u8 *mem;
	struct scatterlist sgl[T_PIECES];
	int sg_nents;
	enum dma_data_direction dir;
	int driver_mapped;
	struct device *dma;
	void *ops;
};

/**
 * struct t_frwr_case - a case with memory and an MR
 * @run: runs the case; may leave the MR in any state
 * @max: length of the longest list of the MR; 0 is no MR
 * @flags: flags of enum ib_mr_create_flags; with IB_MR_REG_ARB_SG on a device without SG_GAPS,
 *	the case only checks that ib_create_mr() returns -EOPNOTSUPP
 * @arg: distinguishes cases that have the same @run
 */
struct t_frwr_case {
	int (*run)(struct t_frwr *t);
	u32 max;
	u32 flags;
	int arg;
};

int t_frwr_run(struct t_pair *p);

/* T_FRWR(name, max, flags): entry of a table of cases, for the function @name */
#define T_FRWR(name, max, flags)	T_FRWR_OF(name, max, flags, name, 0)

/* T_FRWR_OF(name, max, flags, run, value): the same for @run, with @value in t_frwr.arg */
#define T_FRWR_OF(name, max, flags, run, value)				\
	{ #name, t_frwr_run, .arg = &(const struct t_frwr_case){ run, max, flags, value } }

u32 t_list_len(const struct t_list *l);
int t_list_set(struct t_frwr *t, enum t_form form, const struct t_list *l,
	       enum dma_data_direction dir);
void t_list_unmap(struct t_frwr *t);
void t_list_fill(struct t_frwr *t, const struct t_list *l, u32 seed);
int t_list_check(struct t_frwr *t, const struct t_list *l, u32 len, u32 seed);
int t_list_beyond_untouched(struct t_frwr *t, const struct t_list *l, u32 len);
int t_list_untouched(struct t_frwr *t);

int t_frwr_register(struct t_frwr *t, u64 iova, u64 length, int access);
int t_frwr_open(struct t_frwr *t);
int t_frwr_close(struct t_frwr *t);
int t_frwr_rdma(struct t_frwr *t, enum ib_wr_opcode op, u64 addr, u32 rkey, u32 len);
int t_peer_reads(struct t_frwr *t, u32 len, u32 seed);
int t_peer_writes(struct t_frwr *t, u32 len, u32 seed);
int t_expect_mapped(struct t_frwr *t, int nr);
bool t_fail_maps(struct t_frwr *t, int err);

#endif /* IBX_TEST_FRWR_H */
