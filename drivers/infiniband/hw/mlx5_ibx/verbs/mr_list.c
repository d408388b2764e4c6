// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Descriptor lists of MRs, and the mkeys that registrations set from these
 * lists.
 *
 * A list is coherent and aligned to IBX_DESC_ALIGN, as UMRs require. Lists of
 * up to IBX_DESC_ALIGN bytes share pages; a longer list has its own allocation.
 * A page is freed with its last list, so that the memory is freed with the MRs.
 * A dma_pool would keep the memory until the device is removed.
 *
 * dev->lists_lock protects the list of pages with free slots, and the slots.
 */
#include <linux/bitmap.h>
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "enc/enc.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

#define MAX_KLMS	65528	/* octwords of the mkey, a multiple of 8 below 2^16 */
#define SLOTS		(PAGE_SIZE / IBX_DESC_ALIGN)

/**
 * struct ibx_list_page - a page of short lists
 * @link: entry in ibx_dev.list_pages; empty if all slots are used
 * @va: the page
 * @dma: bus address of the page
 * @used: slots that are used
 */
struct ibx_list_page {
	struct list_head link;
	void *va;
	dma_addr_t dma;
	unsigned long used;
};

static_assert(SLOTS && SLOTS <= BITS_PER_LONG);

static struct ibx_list_page *list_page_alloc(struct ibx_dev *dev)
{
	struct ibx_list_page *page = kzalloc(sizeof(*page), GFP_KERNEL);

	if (!page)
		return NULL;
	page->va = dma_alloc_coherent(dev->mdev->device, PAGE_SIZE, &page->dma,
				      GFP_KERNEL | __GFP_NOWARN);
	if (!page->va) {
		kfree(page);
		return NULL;
	}
	return page;
}

static void list_page_free(struct ibx_dev *dev, struct ibx_list_page *page)
{
	dma_free_coherent(dev->mdev->device, PAGE_SIZE, page->va, page->dma);
	kfree(page);
}

/* takes a slot of a page in dev->list_pages; false if there is no such page */
static bool slot_get(struct ibx_dev *dev, struct ibx_mr *mr)
{
	struct ibx_list_page *page;
	unsigned long slot;

	lockdep_assert_held(&dev->lists_lock);
	page = list_first_entry_or_null(&dev->list_pages, struct ibx_list_page, link);
	if (!page)
		return false;
	slot = ffz(page->used);
	__set_bit(slot, &page->used);
	if (bitmap_full(&page->used, SLOTS))
		list_del_init(&page->link);
	mr->list_page = page;
	mr->list = page->va + slot * IBX_DESC_ALIGN;
	mr->list_dma = page->dma + slot * IBX_DESC_ALIGN;
	return true;
}

static int slot_alloc(struct ibx_dev *dev, struct ibx_mr *mr)
{
	struct ibx_list_page *page;
	bool got;

	spin_lock(&dev->lists_lock);
	got = slot_get(dev, mr);
	spin_unlock(&dev->lists_lock);
	if (!got) {
		page = list_page_alloc(dev);
		if (!page)
			return -ENOMEM;
		spin_lock(&dev->lists_lock);
		list_add(&page->link, &dev->list_pages);
		slot_get(dev, mr);
		spin_unlock(&dev->lists_lock);
	}
	memset(mr->list, 0, IBX_DESC_ALIGN);
	return 0;
}

static void slot_free(struct ibx_dev *dev, struct ibx_mr *mr)
{
	struct ibx_list_page *page = mr->list_page;
	bool empty;

	spin_lock(&dev->lists_lock);
	__clear_bit((mr->list - page->va) / IBX_DESC_ALIGN, &page->used);
	empty = !page->used;
	if (empty)
		list_del(&page->link);
	else if (list_empty(&page->link))
		list_add(&page->link, &dev->list_pages);
	spin_unlock(&dev->lists_lock);
	if (empty)
		list_page_free(dev, page);
}

/* sets list, list_dma and list_alloc of an MR; the list is zeroed */
static int list_alloc(struct ibx_dev *dev, struct ibx_mr *mr, u32 bytes)
{
	mr->list_alloc = bytes;
	if (bytes <= IBX_DESC_ALIGN)
		return slot_alloc(dev, mr);
	mr->list = dma_alloc_coherent(dev->mdev->device, bytes, &mr->list_dma,
				      GFP_KERNEL | __GFP_NOWARN);
	return mr->list ? 0 : -ENOMEM;
}

/* the caller has destroyed the mkeys of the MR, if any; a DMA MR has no list */
static void list_free(struct ibx_dev *dev, struct ibx_mr *mr)
{
	if (!mr->list)
		return;
	if (mr->list_alloc <= IBX_DESC_ALIGN)
		slot_free(dev, mr);
	else
		dma_free_coherent(dev->mdev->device, mr->list_alloc, mr->list, mr->list_dma);
}

/**
 * ibx_mr_has_gaps() - does a device support SG_GAPS MRs?
 * @dev: device
 *
 * Return: true if a UMR can register indirect mkeys.
 */
bool ibx_mr_has_gaps(const struct ibx_dev *dev)
{
	return MLX5_CAP_GEN(dev->mdev, imaicl) &&
	       !MLX5_CAP_GEN(dev->mdev, umr_indirect_mkey_disabled) &&
	       !MLX5_CAP_GEN(dev->mdev, umr_modify_entity_size_disabled);
}

/*
 * Number of entries in the longest list of an MR. Device attributes have one
 * limit for both types of MRs.
 */
u32 ibx_mr_max_mtt(const struct ibx_dev *dev)
{
	u32 max = BIT(min_t(u32, MLX5_CAP_GEN(dev->mdev, log_max_klm_list_size), 16));

	return ibx_mr_has_gaps(dev) ? min_t(u32, max, MAX_KLMS) : max;
}

static void destroy_key(struct ibx_dev *dev, u32 key)
{
	ibx_cmd_left(dev, "mkey", key, ibx_cmd_destroy_mkey(dev, key));
}

/*
 * create an mkey that registrations set, with a mark if the MR has two mkeys
 * (wq/key_marks.c)
 */
static int create_free_key(struct ibx_dev *dev, struct ibx_mr *mr, u8 mode, u32 *key)
{
	struct ibx_mkey_params p = {
		.mode = mode,
		.pdn = to_ipd(mr->ibmr.pd)->pdn,
		.octwords = mode == MLX5_MKC_ACCESS_MODE_MTT ?
				    ibx_mtt_bytes(mr->max_ents) / IBX_DS :
				    ibx_klm_key_octwords(mr->max_ents),
		.free = true,
	};
	int err;

	err = ibx_cmd_create_mkey(dev, &p, key);
	if (err || !mr->gaps)
		return err;
	err = ibx_key_mark_add(&dev->key_marks, *key);
	if (err)
		destroy_key(dev, *key);
	return err;
}

static int create_keys(struct ibx_dev *dev, struct ibx_mr *mr)
{
	int err;

	mr->mode = MLX5_MKC_ACCESS_MODE_MTT;
	err = create_free_key(dev, mr, MLX5_MKC_ACCESS_MODE_MTT, &mr->mkey);
	if (err || !mr->gaps)
		return err;
	err = create_free_key(dev, mr, MLX5_MKC_ACCESS_MODE_KLMS, &mr->other);
	if (err)
		destroy_key(dev, mr->mkey);
	return err;
}

/**
 * ibx_mr_create_list() - create the list of an MR, and its mkeys
 * @ibpd: PD of the MR
 * @mr: zeroed except gaps, which selects the mkeys, and max_ents
 * @bytes: bytes of the longest list
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM or an errno from cmd.h. The list is zeroed.
 */
int ibx_mr_create_list(struct ib_pd *ibpd, struct ibx_mr *mr, u32 bytes)
{
	struct ibx_dev *dev = to_idev(ibpd->device);
	int err;

	mr->ibmr.pd = ibpd;
	mr->max_shift = dev->max_page_shift;
	err = list_alloc(dev, mr, bytes);
	if (err)
		return err;
	err = create_keys(dev, mr);
	if (err)
		list_free(dev, mr);
	return err;
}

/**
 * ibx_mr_destroy_list() - destroy the mkeys and the list of an MR
 * @dev: device
 * @mr: any MR except an INTEGRITY MR; or ibx_pi.list of an INTEGRITY MR
 *
 * Context: may sleep.
 */
void ibx_mr_destroy_list(struct ibx_dev *dev, struct ibx_mr *mr)
{
	destroy_key(dev, mr->mkey);
	if (mr->gaps)
		destroy_key(dev, mr->other);
	list_free(dev, mr);
}
