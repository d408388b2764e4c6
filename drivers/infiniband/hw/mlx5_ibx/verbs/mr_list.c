// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of the descriptor lists of MRs.
 *
 * A list is coherent and aligned to IBX_DESC_ALIGN, as UMRs require. Lists of up to
 * IBX_DESC_ALIGN bytes share pages, longer ones have their own allocation. A page is
 * freed with its last list, so the memory goes with the MRs. A dma_pool would keep
 * it until the device is removed.
 *
 * dev->lists_lock protects the list of pages with free slots, and the slots.
 */
#include <linux/bitmap.h>
#include <linux/slab.h>

#include "verbs/verbs.h"

#define SLOTS	(PAGE_SIZE / IBX_DESC_ALIGN)

/**
 * struct ibx_list_page - a page of short lists
 * @link: entry in ibx_dev.list_pages; empty if all slots are used
 * @va: the page
 * @dma: its bus address
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

/**
 * ibx_mr_list_alloc() - allocate the descriptor list of an MR
 * @dev: device
 * @mr: MR; gets list, list_dma and list_alloc
 * @bytes: bytes of its longest list
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM. The list is zeroed.
 */
int ibx_mr_list_alloc(struct ibx_dev *dev, struct ibx_mr *mr, u32 bytes)
{
	mr->list_alloc = bytes;
	if (bytes <= IBX_DESC_ALIGN)
		return slot_alloc(dev, mr);
	mr->list = dma_alloc_coherent(dev->mdev->device, bytes, &mr->list_dma,
				      GFP_KERNEL | __GFP_NOWARN);
	return mr->list ? 0 : -ENOMEM;
}

/**
 * ibx_mr_list_free() - free the descriptor list of an MR
 * @dev: device
 * @mr: MR whose mkeys are destroyed; a DMA MR has no list
 *
 * Context: may sleep.
 */
void ibx_mr_list_free(struct ibx_dev *dev, struct ibx_mr *mr)
{
	if (!mr->list)
		return;
	if (mr->list_alloc <= IBX_DESC_ALIGN)
		slot_free(dev, mr);
	else
		dma_free_coherent(dev->mdev->device, mr->list_alloc, mr->list, mr->list_dma);
}
