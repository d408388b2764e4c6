// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: fixture of the KUnit suites. Its objects are KUnit resources of the
 * test that creates the fixture.
 */
#include <kunit/static_stub.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/restrack.h>

#include "kunit.h"

/* device of the current test; suites run one after the other */
static struct ft *ft;

/* ---- the driver ---- */

static struct ib_mr *ft_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	struct ib_mr *mr;

	ft->type = type;
	ft->max_num_sg = max_num_sg;
	if (ft->alloc_err)
		return ERR_PTR(ft->alloc_err);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	/* the core cannot track an MR of a device that is not registered */
	rdma_restrack_no_track(&mr->res);
	mr->lkey = FT_KEY | 0x11;
	mr->rkey = FT_KEY | 0x22;
	ft->mrs++;
	return mr;
}

static int ft_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	ft->dereg_mapped = ft->mapped;
	if (mr->uobject)
		return -EUCLEAN;
	if (ft->dereg_err)
		return ft->dereg_err;
	ft->mrs--;
	kfree(mr);
	return 0;
}

static void ft_record_elem(u64 addr, u32 len)
{
	if (ft->nr < FT_ELEMS)
		ft->elem[ft->nr] = (struct ft_elem){ addr - ft->base - FT_BUS, len };
	ft->nr++;
}

static int ft_map_mr_sg(struct ib_mr *mr, struct scatterlist *sgl, int nents, unsigned int *offset)
{
	struct scatterlist *sg;
	int i;

	ft->page_size = mr->page_size;
	ft->keys = mr->lkey;
	ft->nr = 0;
	mr->iova = sg_dma_address(sgl);
	mr->length = 0;
	for_each_sg(sgl, sg, nents, i) {
		ft_record_elem(sg_dma_address(sg), sg_dma_len(sg));
		mr->length += sg_dma_len(sg);
	}
	if (ft->map_says == FT_NONE)
		return 0;
	return ft->map_says ? ft->map_says : nents;
}

/* ---- protection information ---- */

static struct ib_mr *ft_alloc_mr_integrity(struct ib_pd *pd, u32 data, u32 meta)
{
	ft->metas = meta;
	return ft_alloc_mr(pd, IB_MR_TYPE_INTEGRITY, data);
}

static int ft_map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data, int data_nents,
			   unsigned int *data_offset, struct scatterlist *meta, int meta_nents,
			   unsigned int *meta_offset)
{
	struct scatterlist *sg;
	int i;

	KUNIT_EXPECT_NULL(ft->test, data_offset);
	KUNIT_EXPECT_NULL(ft->test, meta_offset);
	ft_map_mr_sg(mr, data, data_nents, NULL);
	for_each_sg(meta, sg, meta_nents, i)
		mr->length += sg_dma_len(sg);
	mr->iova = 0;
	ft->metas = meta_nents;
	ft->sig = *mr->sig_attrs;
	return ft->pi_err;
}

static int ft_check_mr_status(struct ib_mr *mr, u32 mask, struct ib_mr_status *status)
{
	if (ft->status_err)
		return ft->status_err;
	status->fail_status = 0;
	if (!ft->sig_errs)
		return 0;
	status->fail_status = mask & IB_MR_CHECK_SIG_STATUS;
	status->sig_err.err_type = IB_SIG_BAD_APPTAG;
	status->sig_err.sig_err_offset = 520 * ft->sig_errs--;
	return 0;
}

/* ---- the hook ---- */

static int ft_run_hook(struct ib_mr *mr, u64 iova, u64 length)
{
	ft->hooks++;
	ft->keys = mr->lkey;
	mr->iova = iova;
	mr->length = ft->hook_len ? ft->hook_len : length;
	ft->page_size = mr->page_size;
	return ft->hook_err;
}

static int ft_hook_set_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents)
{
	u64 iova = sg_dma_address(sg), length = 0;

	ft->nr = 0;
	for (; sg_nents--; sg = sg_next(sg)) {
		ft_record_elem(sg_dma_address(sg), sg_dma_len(sg));
		length += sg_dma_len(sg);
	}
	return ft_run_hook(mr, iova, length);
}

static struct ib_frwr_provider hooks = {
	.set_sg = ft_hook_set_sg,
};

static void ft_remove_hooks(void *unused)
{
	ib_frwr_unregister_provider(&hooks);
}

/**
 * ft_add_hooks() - register the hook for MRs that are created after the call
 * @ft: device
 *
 * Return: return value of ib_frwr_register_provider().
 */
int ft_add_hooks(struct ft *ft)
{
	int err;

	hooks.owner = ft->dev->ops.owner;
	err = ib_frwr_register_provider(&hooks);
	return err ? err : kunit_add_action_or_reset(ft->test, ft_remove_hooks, NULL);
}

/* ---- the send queue ---- */

static int ft_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			const struct ib_send_wr **bad_wr)
{
	for (ft->posts++; wr; wr = wr->next) {
		if (ft->post_err && wr == ft->post_bad) {
			if (!ft->post_mute)
				*bad_wr = wr;
			return ft->post_err;
		}
		if (wr->opcode == IB_WR_REG_MR)
			ft->reg[ft->regs++ % FT_REGS] = *reg_wr(wr);
		else
			ft->others++;
	}
	return 0;
}

/* ---- mapping for DMA: stubs of the functions in dma.c ---- */

static u32 ft_dma_max_seg(struct ib_device *dev)
{
	return ft->max_seg;
}

static int ft_dma_map(struct frwr_mr *f, u32 nents, enum dma_data_direction dir)
{
	struct scatterlist *sg;
	u32 i = 0;

	if (ft->dma_err)
		return ft->dma_err;
	ft->mapped++;
	ft->dir = dir;
	f->nents = nents;
	f->dir = dir;
	/* iterate to the end mark, like DMA layers */
	for (sg = f->sgl; sg; sg = sg_next(sg), i++) {
		sg_dma_address(sg) = sg_phys(sg) + FT_BUS;
		sg_dma_len(sg) = sg->length;
		if (i && ft->dma_merges)
			sg_dma_len(f->sgl) += sg->length;
	}
	KUNIT_EXPECT_EQ(ft->test, i, nents);
	return ft->dma_merges ? 1 : nents;
}

static void ft_dma_unmap(struct frwr_mr *f)
{
	if (f->dir == DMA_NONE)
		return;
	KUNIT_EXPECT_EQ(ft->test, f->dir, ft->dir);
	ft->mapped--;
	f->dir = DMA_NONE;
	if (f->meta)
		ft_dma_unmap(f->meta);
}

static void ft_activate_stubs(struct kunit *test)
{
	kunit_activate_static_stub(test, frwr_dma_max_seg, ft_dma_max_seg);
	kunit_activate_static_stub(test, frwr_dma_map, ft_dma_map);
	kunit_activate_static_stub(test, frwr_dma_unmap, ft_dma_unmap);
}

/* ---- creating the fixture ---- */

static void *ft_zalloc(struct kunit *test, size_t size)
{
	void *p = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

static void ft_free_block(void *page)
{
	__free_pages(page, get_order(FT_PAGES * PAGE_SIZE));
}

static void ft_alloc_block(struct kunit *test)
{
	ft->page = alloc_pages(GFP_KERNEL, get_order(FT_PAGES * PAGE_SIZE));
	KUNIT_ASSERT_NOT_NULL(test, ft->page);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, ft_free_block, ft->page), 0);
	ft->base = page_to_phys(ft->page);
}

/* at the end of a test there is no MR and no mapping */
static void ft_check_end(void *unused)
{
	KUNIT_EXPECT_EQ(ft->test, ft->mrs, 0);
	KUNIT_EXPECT_EQ(ft->test, ft->mapped, 0);
}

/**
 * ft_create() - create a device with fast registration
 * @test: test that the device belongs to
 *
 * The device lacks IBK_SG_GAPS_REG, IBK_INTEGRITY_HANDOVER and atomics.
 * Its port has no protocol until the test sets core_cap_flags.
 *
 * Return: the device; the test is aborted if it cannot be created.
 */
struct ft *ft_create(struct kunit *test)
{
	struct ib_device *dev;

	ft = ft_zalloc(test, sizeof(*ft));
	ft->test = test;
	ft->max_seg = UINT_MAX;
	ft->port = ft_zalloc(test, 2 * sizeof(*ft->port));
	dev = ft_zalloc(test, sizeof(*dev));
	dev->ops.owner = ft_zalloc(test, 1);	/* only its address is used */
	dev->ops.alloc_mr = ft_alloc_mr;
	dev->ops.dereg_mr = ft_dereg_mr;
	dev->ops.map_mr_sg = ft_map_mr_sg;
	dev->ops.post_send = ft_post_send;
	dev->ops.alloc_mr_integrity = ft_alloc_mr_integrity;
	dev->ops.map_mr_sg_pi = ft_map_mr_sg_pi;
	dev->ops.check_mr_status = ft_check_mr_status;
	dev->port_data = ft->port;
	dev->attrs.device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
	dev->attrs.max_fast_reg_page_list_len = FT_LIMIT;
	dev->attrs.atomic_cap = IB_ATOMIC_NONE;
	ft->dev = dev;
	ft->pd.device = dev;
	ft_alloc_block(test);
	ft_activate_stubs(test);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, ft_check_end, NULL), 0);
	return ft;
}

static void ft_destroy_mr(void *mr)
{
	ib_destroy_mr(mr);
}

/**
 * ft_mr() - create an MR that is destroyed at the end of the test
 * @ft: device
 * @max: max_reg_descs of the MR
 * @flags: flags of enum ib_mr_create_flags; IB_MR_REG_ARB_SG also sets
 *	IBK_SG_GAPS_REG of the device
 *
 * Return: the MR; the test is aborted if it cannot be created.
 */
struct ib_mr *ft_mr(struct ft *ft, u32 max, u32 flags)
{
	struct ib_mr_init_attr attr = { IB_MR_TYPE_FAST_REG, max, flags };
	struct ib_mr *mr;

	if (flags & IB_MR_REG_ARB_SG)
		ft->dev->attrs.kernel_cap_flags |= IBK_SG_GAPS_REG;
	mr = ib_create_mr(&ft->pd, &attr);
	KUNIT_ASSERT_FALSE(ft->test, IS_ERR(mr));
	KUNIT_ASSERT_EQ(ft->test, kunit_add_action_or_reset(ft->test, ft_destroy_mr, mr), 0);
	return mr;
}

/**
 * ft_set_page() - attach the first page of the block to an MR
 * @ft: device
 * @mr: MR
 * @dir: direction for ib_mr_set_pages(); DMA_NONE for ib_mr_set_sg() with a mapped
 *	scatterlist
 *
 * Return: return value of ib_mr_set_pages() or ib_mr_set_sg().
 */
int ft_set_page(struct ft *ft, struct ib_mr *mr, enum dma_data_direction dir)
{
	struct scatterlist sg;

	if (dir != DMA_NONE)
		return ib_mr_set_pages(mr, &ft->page, 1, 0, PAGE_SIZE, dir);
	sg_init_table(&sg, 1);
	sg_dma_address(&sg) = ft->base + FT_BUS;
	sg_dma_len(&sg) = PAGE_SIZE;
	return ib_mr_set_sg(mr, &sg, 1);
}
