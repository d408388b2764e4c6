// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Resources that a CQ, QP or SRQ of a process holds: memory of its rings, the page
 * with its doorbell records, and its UAR.
 *
 * Rings are pinned per object. Doorbell records of many objects are in one page, so
 * a context pins that page once, and counts its users.
 */
#include <linux/mm.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "abi/abi.h"

/**
 * struct ibx_db_page - a pinned page with doorbell records
 * @link: entry in ibx_uctx.db_pages
 * @umem: the page
 * @mm: address space in which the page was pinned
 * @addr: address of the page in @mm
 * @users: number of objects with records in the page
 */
struct ibx_db_page {
	struct list_head link;
	struct ib_umem *umem;
	struct mm_struct *mm;
	u64 addr;
	refcount_t users;
};

/* find a pinned page, and count one more user */
static struct ibx_db_page *find_db_page(struct ibx_uctx *uctx, u64 addr)
{
	struct ibx_db_page *page;

	list_for_each_entry(page, &uctx->db_pages, link) {
		if (page->mm == current->mm && page->addr == addr) {
			refcount_inc(&page->users);
			return page;
		}
	}
	return NULL;
}

static struct ibx_db_page *pin_db_page(struct ibx_uctx *uctx, u64 addr)
{
	struct ibx_db_page *page;
	int err;

	page = kzalloc(sizeof(*page), GFP_KERNEL);
	if (!page)
		return ERR_PTR(-ENOMEM);
	page->umem = ib_umem_get_va(uctx->ibuc.device, addr, PAGE_SIZE, 0);
	if (IS_ERR(page->umem)) {
		err = PTR_ERR(page->umem);
		kfree(page);
		return ERR_PTR(err);
	}
	refcount_set(&page->users, 1);
	page->addr = addr;
	page->mm = current->mm;
	/*
	 * the reference keeps another address space from getting the same
	 * pointer
	 */
	mmgrab(page->mm);
	list_add(&page->link, &uctx->db_pages);
	return page;
}

static int get_db(struct ibx_uctx *uctx, u64 addr, struct ibx_pins *pins)
{
	u64 page_addr = addr & PAGE_MASK;
	struct ibx_db_page *page;

	/* two records of 4 bytes, which must not be in two pages */
	if (!IS_ALIGNED(addr, 8))
		return -EINVAL;
	mutex_lock(&uctx->db_lock);
	page = find_db_page(uctx, page_addr) ?: pin_db_page(uctx, page_addr);
	if (!IS_ERR(page)) {
		pins->db_page = page;
		pins->db = sg_dma_address(page->umem->sgt_append.sgt.sgl) + offset_in_page(addr);
	}
	mutex_unlock(&uctx->db_lock);
	return PTR_ERR_OR_ZERO(page);
}

static void put_db(struct ibx_pins *pins)
{
	struct ibx_db_page *page = pins->db_page;

	if (!page || !refcount_dec_and_mutex_lock(&page->users, &pins->uctx->db_lock))
		return;
	list_del(&page->link);
	mmdrop(page->mm);
	ib_umem_release(page->umem);
	kfree(page);
	mutex_unlock(&pins->uctx->db_lock);
}

/* fill in rings->buf.pages, the bus addresses of the pages of rings->umem */
static int list_pages(struct ibx_rings *rings)
{
	size_t npages = ib_umem_num_pages(rings->umem);
	struct ib_block_iter it;
	dma_addr_t *out;

	out = rings->few;
	if (npages > ARRAY_SIZE(rings->few))
		out = kvcalloc(npages, sizeof(*out), GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	rings->buf.pages = out;
	rdma_umem_for_each_dma_block(rings->umem, &it, PAGE_SIZE) {
		*out = rdma_block_iter_dma_address(&it);
		out++;
	}
	return 0;
}

/**
 * ibx_rings_pin() - pin the memory of rings of the calling process
 * @uctx: context of the process
 * @req: buf, align, bytes and access are used
 * @rings: zeroed, or unpinned; gets the memory
 *
 * The first device page of the rings is the page that contains @req->buf. If
 * PAGE_SIZE is larger than a device page, buf.skip is the number of bytes from
 * the start of the PAGE_SIZE page to the first device page.
 *
 * Context: process.
 * Return:
 * * 0
 * * -EINVAL: the address is not aligned or wraps
 * * -EFAULT: the process does not have the memory
 * * -EPERM: the process must not pin memory
 * * -ENOMEM: no memory, or the process would exceed RLIMIT_MEMLOCK
 *
 * On failure nothing is pinned.
 */
int ibx_rings_pin(struct ibx_uctx *uctx, const struct ibx_pin_req *req, struct ibx_rings *rings)
{
	size_t offset = req->buf & (BIT(IBX_PAGE_SHIFT) - 1);
	struct ib_umem *umem;
	int err;

	if (!req->bytes)
		return 0;
	if (!IS_ALIGNED(req->buf, req->align))
		return -EINVAL;
	umem = ib_umem_get_va(uctx->ibuc.device, req->buf, req->bytes, req->access);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	rings->umem = umem;
	rings->buf.offset = offset;
	rings->buf.skip = offset_in_page(req->buf) - offset;
	rings->buf.size = ALIGN(offset + req->bytes, 1 << IBX_PAGE_SHIFT);
	err = list_pages(rings);
	if (err)
		ibx_rings_unpin(rings);
	return err;
}

/**
 * ibx_rings_settle() - free the list of bus addresses
 * @rings: rings whose bus addresses no further command needs
 *
 * Context: may sleep.
 */
void ibx_rings_settle(struct ibx_rings *rings)
{
	if (rings->buf.pages && rings->buf.pages != rings->few)
		kvfree(rings->buf.pages);
	rings->buf.pages = NULL;
}

/**
 * ibx_rings_unpin() - unpin the memory of rings, if there are any
 * @rings: rings that the device no longer uses; without memory afterwards
 *
 * Context: may sleep.
 */
void ibx_rings_unpin(struct ibx_rings *rings)
{
	if (!rings->umem)
		return;
	ibx_rings_settle(rings);
	ib_umem_release(rings->umem);
	rings->umem = NULL;
}

static int get_uar(struct ibx_uctx *uctx, const struct ibx_pin_req *req, struct ibx_pins *pins)
{
	struct ibx_uar *uar;

	if (!req->has_uar)
		return 0;
	uar = ibx_uar_get(uctx, req->uar);
	if (IS_ERR(uar))
		return PTR_ERR(uar);
	pins->uar = uar;
	return 0;
}

/**
 * ibx_pins_get() - get the resources of an object of the calling process
 * @uctx: context of the process
 * @req: resources
 * @pins: zeroed; holds the resources on success
 *
 * Context: process.
 * Return:
 * * 0
 * * -EINVAL: the doorbell records are not aligned to 8 bytes, or the context
 *   has no such UAR
 * * an errno of ibx_rings_pin(), for the rings or the doorbell records
 *
 * On failure nothing is held.
 */
int ibx_pins_get(struct ibx_uctx *uctx, const struct ibx_pin_req *req, struct ibx_pins *pins)
{
	int err;

	pins->uctx = uctx;
	err = get_uar(uctx, req, pins);
	if (!err)
		err = get_db(uctx, req->db, pins);
	if (!err)
		err = ibx_rings_pin(uctx, req, &pins->rings);
	if (err)
		ibx_pins_put(pins);
	return err;
}

/**
 * ibx_pins_put() - put the resources of an object
 * @pins: resources that the device no longer uses; a member may be 0
 *
 * Context: may sleep.
 */
void ibx_pins_put(struct ibx_pins *pins)
{
	ibx_rings_unpin(&pins->rings);
	put_db(pins);
	if (pins->uar)
		ibx_uar_put(pins->uar);
}
