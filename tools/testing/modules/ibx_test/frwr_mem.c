// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Suites about <rdma/ib_frwr.h>: memory, lists of memory, and accesses of the peer.
 */
#include <linux/blk_types.h>
#include <linux/dma-map-ops.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "frwr.h"

/* a byte of the pattern is never 0, because memory that was not written holds 0 */
static u8 t_byte(u32 n, u32 seed)
{
	return 1 + (n * 7 + seed) % 250;
}

/* ---- counting mappings of the owner's device ---- */

static const struct dma_map_ops *t_real_ops;	/* cases run one at a time */
static atomic_t t_mapped;
static int t_map_err;			/* error of the next mappings, or 0 */

static dma_addr_t t_map_phys(struct device *dev, T_MAP_PARAM, size_t size,
			     enum dma_data_direction dir, unsigned long attrs)
{
	dma_addr_t addr = DMA_MAPPING_ERROR;

	if (!t_map_err)
		addr = t_real_ops->map_phys(dev, T_MAP_ARG, size, dir, attrs);
	if (addr != DMA_MAPPING_ERROR)
		atomic_inc(&t_mapped);
	return addr;
}

static void t_unmap_phys(struct device *dev, dma_addr_t addr, size_t size,
			 enum dma_data_direction dir, unsigned long attrs)
{
	t_real_ops->unmap_phys(dev, addr, size, dir, attrs);
	atomic_dec(&t_mapped);
}

static int t_map_sg(struct device *dev, struct scatterlist *sg, int nents,
		    enum dma_data_direction dir, unsigned long attrs)
{
	int ret = t_map_err ?: t_real_ops->map_sg(dev, sg, nents, dir, attrs);

	if (ret > 0)
		atomic_add(nents, &t_mapped);
	return ret;
}

static void t_unmap_sg(struct device *dev, struct scatterlist *sg, int nents,
		       enum dma_data_direction dir, unsigned long attrs)
{
	t_real_ops->unmap_sg(dev, sg, nents, dir, attrs);
	atomic_sub(nents, &t_mapped);
}

static void t_copy_ops(const struct dma_map_ops *real, struct dma_map_ops *mine)
{
	*mine = *real;
	mine->map_phys = t_map_phys;
	mine->unmap_phys = t_unmap_phys;
	mine->map_sg = t_map_sg;
	mine->unmap_sg = t_unmap_sg;
}

/*
 * Counts the mappings of a device: its DMA operations are replaced. Simulated PCI functions have
 * DMA operations; rxe and siw have no DMA device.
 */
static int t_count_start(struct t_frwr *t)
{
	struct device *dma = t->owner->dev->dma_device;
	const struct dma_map_ops *ops = dma ? get_dma_ops(dma) : NULL;

	if (!dma)
		return 0;
	if (!ops || !ops->map_phys || !ops->map_sg)
		return T_FAIL("the mappings of this device cannot be counted");
	t->ops = kmalloc(sizeof(*ops), GFP_KERNEL);
	if (!t->ops)
		return -ENOMEM;
	atomic_set(&t_mapped, 0);
	t_real_ops = ops;
	t_copy_ops(ops, t->ops);
	t->dma = dma;
	set_dma_ops(dma, t->ops);
	return 0;
}

static void t_count_end(struct t_frwr *t)
{
	t_map_err = 0;
	if (t->dma)
		set_dma_ops(t->dma, t_real_ops);
	t->dma = NULL;
	kfree(t->ops);
}

/**
 * t_expect_mapped() - check the number of mappings of lists
 * @t: the case
 * @nr: expected number of mapped pages and mapped elements of scatterlists, without the mappings
 *	that the driver has made for the MR itself
 *
 * Return: 0, also for a device whose mappings cannot be counted, or -EIO.
 */
int t_expect_mapped(struct t_frwr *t, int nr)
{
	if (t->dma)
		T_EXPECT(atomic_read(&t_mapped), t->driver_mapped + nr);
	return 0;
}

/**
 * t_fail_maps() - make mappings of pages and of scatterlists fail, or succeed again
 * @t: the case
 * @err: error of the DMA operation for scatterlists, or 0
 *
 * Return: true if the DMA operations of the device are replaced, so that mappings can fail.
 */
bool t_fail_maps(struct t_frwr *t, int err)
{
	t_map_err = t->dma ? err : 0;
	return t->dma;
}

/* ---- a case ---- */

/**
 * t_create_flags() - flags that the device needs in ib_mr_init_attr.create_flags
 * @dev: the device
 *
 * Return: flags of enum ib_mr_create_flags.
 */
u32 t_create_flags(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_SIW ? IB_MR_REG_PEER_MAY_READ : 0;
}

static int t_frwr_init(struct t_frwr *t, u32 max, u32 flags)
{
	struct ib_mr_init_attr attr = {
		.mr_type = IB_MR_TYPE_FAST_REG,
		.max_reg_descs = max,
		.create_flags = flags | t_create_flags(t->owner->dev),
	};
	struct ib_mr *mr;

	t->block = alloc_pages(GFP_KERNEL | __GFP_ZERO, get_order(T_BLOCK_SIZE));
	if (!t->block)
		return -ENOMEM;
	t->mem = page_address(t->block);
	if (!max)
		return 0;
	mr = ib_create_mr(t->owner->pd, &attr);
	if (IS_ERR(mr))
		return T_FAIL("cannot create an MR: %ld", PTR_ERR(mr));
	t->mr = mr;
	t->driver_mapped = atomic_read(&t_mapped);
	return 0;
}

/* moves the QP to ERR first: after a failed case, work requests may still use the MR */
static int t_frwr_fini(struct t_frwr *t)
{
	int ret = 0;

	if (t->mr) {
		t_move(t->owner->qp, IB_QPS_ERR);
		t_settle(&t->owner->sq);
		ret = ib_destroy_mr(t->mr);
		t->driver_mapped = 0;
	}
	t_list_unmap(t);
	if (t->block)
		__free_pages(t->block, get_order(T_BLOCK_SIZE));
	return ret;
}

/**
 * t_frwr_run() - run a case with memory and an MR
 * @p: pair of the case, whose @arg is a struct t_frwr_case
 *
 * Context: process context; sleeps.
 *
 * Return: 0 or a negative errno.
 */
int t_frwr_run(struct t_pair *p)
{
	const struct t_frwr_case *c = p->arg;
	struct t_frwr t = {
		.p = p, .arg = c->arg, .owner = &p->end[0], .peer = &p->end[1],
	};
	int ret, err;

	if (c->flags & IB_MR_REG_ARB_SG &&
	    !(t.owner->dev->attrs.kernel_cap_flags & IBK_SG_GAPS_REG)) {
		struct ib_mr_init_attr attr = {
			.mr_type = IB_MR_TYPE_FAST_REG,
			.max_reg_descs = c->max,
			.create_flags = c->flags | t_create_flags(t.owner->dev),
		};

		T_EXPECT(PTR_ERR(ib_create_mr(t.owner->pd, &attr)), -EOPNOTSUPP);
		return 0;
	}
	ret = t_count_start(&t);
	if (ret)
		return ret;
	ret = t_frwr_init(&t, c->max, c->flags);
	if (!ret)
		ret = c->run(&t);
	err = t_frwr_fini(&t);
	if (err)
		t_log("cannot destroy the MR: %d\n", err);
	if (!ret && !err)
		err = t_expect_mapped(&t, 0);
	t_count_end(&t);
	return ret ? ret : err;
}

/**
 * t_list_len() - calculate the length of a list
 * @l: the list
 *
 * Return: the number of bytes of the list.
 */
u32 t_list_len(const struct t_list *l)
{
	const struct t_part *part;
	u32 len = 0;

	for (part = l->part; part->len; part++)
		len += part->len;
	return len;
}

static int t_set_sg(struct t_frwr *t, const struct t_list *l, enum dma_data_direction dir)
{
	int nr, ret;

	for (nr = 0; l->part[nr].len; nr++)
		;
	sg_init_table(t->sgl, nr);
	for (nr = 0; l->part[nr].len; nr++)
		sg_set_buf(&t->sgl[nr], t->mem + l->part[nr].offset, l->part[nr].len);
	ret = ib_dma_map_sg(t->owner->dev, t->sgl, nr, dir);
	T_EXPECT(ret, nr);
	t->sg_nents = nr;
	ret = ib_mr_set_sg(t->mr, t->sgl, nr);
	if (ret)
		t_list_unmap(t);
	return ret;
}

static int t_set_pages(struct t_frwr *t, const struct t_list *l, enum dma_data_direction dir)
{
	struct page *pages[T_BLOCK_PAGES];
	const struct t_part *part;
	unsigned int n = 0;
	u32 at;

	for (part = l->part; part->len; part++)
		for (at = part->offset & PAGE_MASK; at < part->offset + part->len; at += PAGE_SIZE)
			pages[n++] = t->block + at / PAGE_SIZE;
	return ib_mr_set_pages(t->mr, pages, n, offset_in_page(l->part[0].offset), t_list_len(l),
			       dir);
}

static int t_set_biovec(struct t_frwr *t, const struct t_list *l, enum dma_data_direction dir)
{
	struct bio_vec bv[T_PIECES];
	int n;

	for (n = 0; l->part[n].len; n++)
		bvec_set_page(&bv[n], t->block + l->part[n].offset / PAGE_SIZE, l->part[n].len,
			      offset_in_page(l->part[n].offset));
	return ib_mr_set_biovec(t->mr, bv, n, dir);
}

/*
 * Passes a bio for each part. The iterator of the bio covers the end of one bio_vec, as the rest of
 * a split bio does.
 */
static int t_set_bio(struct t_frwr *t, const struct t_list *l, enum dma_data_direction dir)
{
	struct bio *bio = kcalloc(T_PIECES, sizeof(*bio), GFP_KERNEL);
	struct bio_vec bv[T_PIECES][2];
	u32 done, from;
	int n, ret;

	if (!bio)
		return -ENOMEM;
	for (n = 0; l->part[n].len; n++) {
		done = min(l->part[n].offset, 100U);
		from = l->part[n].offset - done;
		bvec_set_page(&bv[n][0], t->block, PAGE_SIZE, 0);
		bvec_set_page(&bv[n][1], t->block + from / PAGE_SIZE, done + l->part[n].len + 100,
			      offset_in_page(from));
		bio[n].bi_io_vec = bv[n];
		bio[n].bi_iter.bi_idx = 1;
		bio[n].bi_iter.bi_offset = done;
		bio[n].bi_iter.bi_size = l->part[n].len;
		if (n)
			bio[n - 1].bi_next = &bio[n];
	}
	ret = ib_mr_set_bio(t->mr, bio, dir);
	kfree(bio);
	return ret;
}

/**
 * t_list_set() - attach a list to the MR
 * @t: the case
 * @form: form of the list; T_FORM_PAGES only if the list consists of pages
 * @l: the list
 * @dir: DMA direction of the mapping, which this function or ib_frwr makes
 *
 * Return: the result of ib_mr_set_*().
 */
int t_list_set(struct t_frwr *t, enum t_form form, const struct t_list *l,
	       enum dma_data_direction dir)
{
	t->dir = dir;
	switch (form) {
	case T_FORM_SG:
		return t_set_sg(t, l, dir);
	case T_FORM_PAGES:
		return t_set_pages(t, l, dir);
	case T_FORM_BIO:
		return t_set_bio(t, l, dir);
	default:
		return t_set_biovec(t, l, dir);
	}
}

/**
 * t_list_unmap() - unmap a scatterlist that t_list_set() mapped
 * @t: the case; its MR is idle or was destroyed
 */
void t_list_unmap(struct t_frwr *t)
{
	if (t->sg_nents)
		ib_dma_unmap_sg(t->owner->dev, t->sgl, t->sg_nents, t->dir);
	t->sg_nents = 0;
}

/**
 * t_list_fill() - write the bytes of a message to a list that is not mapped
 * @t: the case
 * @l: the list
 * @seed: seed of the pattern
 */
void t_list_fill(struct t_frwr *t, const struct t_list *l, u32 seed)
{
	const struct t_part *part;
	u32 n = 0, i;

	for (part = l->part; part->len; part++)
		for (i = 0; i < part->len; i++)
			t->mem[part->offset + i] = t_byte(n++, seed);
}

/**
 * t_list_check() - check that the block has the bytes of a message in a list, and 0 elsewhere
 * @t: the case; the list is not mapped; the block is 0 afterwards
 * @l: the list
 * @len: bytes of the message, which is at the start of the list
 * @seed: seed of the pattern
 *
 * Return: 0 or -EIO.
 */
int t_list_check(struct t_frwr *t, const struct t_list *l, u32 len, u32 seed)
{
	const struct t_part *part;
	u32 n = 0, i;

	for (part = l->part; part->len; part++)
		for (i = 0; i < part->len && n < len; i++, n++) {
			u8 *byte = t->mem + part->offset + i;

			if (*byte != t_byte(n, seed))
				return T_FAIL("%s: byte %u is %#x, expected %#x", l->name, n,
					      *byte, t_byte(n, seed));
			*byte = 0;
		}
	T_EXPECT(n, len);
	return t_list_untouched(t);
}

/**
 * t_list_beyond_untouched() - check that the block is 0, except in the first bytes of a list
 * @t: the case; the block is 0 afterwards
 * @l: the list
 * @len: bytes of the list that may have any value
 *
 * A device may execute the packets of a message that come before the failing packet.
 *
 * Return: 0 or -EIO.
 */
int t_list_beyond_untouched(struct t_frwr *t, const struct t_list *l, u32 len)
{
	const struct t_part *part;
	u32 n;

	for (part = l->part; part->len && len; part++, len -= n) {
		n = min(part->len, len);
		memset(t->mem + part->offset, 0, n);
	}
	return t_list_untouched(t);
}

/**
 * t_list_untouched() - check that the block is 0
 * @t: the case
 *
 * Return: 0 or -EIO.
 */
int t_list_untouched(struct t_frwr *t)
{
	T_EXPECT(memchr_inv(t->mem, 0, T_BLOCK_SIZE) ? 1 : 0, 0);
	return 0;
}

/**
 * t_frwr_register() - register the list of an MR that is SET
 * @t: the case
 * @iova: I/O virtual address of the MR
 * @length: number of bytes to register
 * @access: IB_ACCESS_*
 *
 * Return: 0 when the registration has completed, or -EIO.
 */
int t_frwr_register(struct t_frwr *t, u64 iova, u64 length, int access)
{
	struct ib_fast_reg_wr wr;

	t_clear_counts(&t->owner->sq);
	T_TRY(ib_init_fast_reg_wr(&wr, t->mr, iova, length, access));
	T_EXPECT(t->mr->iova, iova);
	T_EXPECT(t->mr->length, length);
	wr.reg.wr.send_flags = IB_SEND_SIGNALED;
	T_EXPECT(ib_mr_posted(t->mr), 0);
	T_TRY(ib_post_send(t->owner->qp, &wr.reg.wr, NULL));
	T_EXPECT(t_wait(&t->owner->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t->owner->sq.wc[0].opcode, IB_WC_REG_MR);
	return 0;
}

/**
 * t_frwr_open() - register all bytes of the list for accesses of the peer
 * @t: the case
 *
 * Return: 0 or -EIO.
 */
int t_frwr_open(struct t_frwr *t)
{
	return t_frwr_register(t, t->mr->iova, t->mr->length,
			       ib_mr_access(t->mr, IB_MR_REMOTE, t->dir));
}

/**
 * t_frwr_close() - invalidate the key and unmap the list; the MR is idle afterwards
 * @t: the case
 *
 * Return: 0 or -EIO.
 */
int t_frwr_close(struct t_frwr *t)
{
	T_TRY(t_post_inv(t->owner, 1, t->mr->rkey));
	T_EXPECT(t_wait(&t->owner->sq, 1), IB_WC_SUCCESS);
	T_EXPECT(ib_mr_invalidated(t->mr), 0);
	t_list_unmap(t);
	return 0;
}

/**
 * t_frwr_rdma() - RDMA by the peer
 * @t: state of the case
 * @op: WRITE from the first half of the peer's buffer, or READ to the second half
 * @addr: address of the owner's memory
 * @rkey: key of the owner's memory
 * @len: bytes
 *
 * Return: the completion's status, or -EIO.
 */
int t_frwr_rdma(struct t_frwr *t, enum ib_wr_opcode op, u64 addr, u32 rkey, u32 len)
{
	struct ib_sge sge = t_sge(t->peer, op == IB_WR_RDMA_READ ? T_HALF : 0, len);

	t_clear_counts(&t->peer->sq);
	return t_rdma(t->peer, 0, op, &sge, addr, rkey);
}

/**
 * t_peer_reads() - the peer READs the beginning of the MR and checks the bytes
 * @t: the case
 * @len: bytes
 * @seed: seed of the pattern
 *
 * Return: 0 or -EIO.
 */
int t_peer_reads(struct t_frwr *t, u32 len, u32 seed)
{
	u8 *got = t->peer->buf + T_HALF;
	u32 i;

	t_set(t->peer, 0);
	T_EXPECT(t_frwr_rdma(t, IB_WR_RDMA_READ, t->mr->iova, t->mr->rkey, len), IB_WC_SUCCESS);
	t_sync(t->peer);
	for (i = 0; i < len; i++)
		if (got[i] != t_byte(i, seed))
			return T_FAIL("byte %u of %u is %#x, expected %#x", i, len, got[i],
				      t_byte(i, seed));
	return 0;
}

/**
 * t_peer_writes() - the peer WRITEs bytes of a pattern to the beginning of the MR
 * @t: the case
 * @len: bytes
 * @seed: seed of the pattern
 *
 * Return: 0 or -EIO.
 */
int t_peer_writes(struct t_frwr *t, u32 len, u32 seed)
{
	u8 *bytes = t->peer->buf;
	u32 i;

	for (i = 0; i < len; i++)
		bytes[i] = t_byte(i, seed);
	ib_dma_sync_single_for_device(t->peer->dev, t->peer->dma, T_BUF_SIZE, DMA_BIDIRECTIONAL);
	T_EXPECT(t_frwr_rdma(t, IB_WR_RDMA_WRITE, t->mr->iova, t->mr->rkey, len), IB_WC_SUCCESS);
	return 0;
}
