// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory without large free blocks, as on a host that has been busy for weeks. Writing N to the
 * file "fragment" allocates most of the free memory, and then the first page of each block of 2^N
 * pages in the rest. Writing 0 frees all allocated pieces. Reading the file returns their number.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/mm.h>

#include "ibx_test.h"

#define T_LEFT		(512UL << (20 - PAGE_SHIFT))	/* pages to leave free */
#define T_TRIES		20				/* attempts to allocate a block */
#define T_TRY_MS	50

/* under t_fragment_lock; each entry is the first page of a piece of 2^page_private() pages */
static LIST_HEAD(t_pieces);
static u64 t_nr_pieces;
static DEFINE_MUTEX(t_fragment_lock);

static struct page *t_take(unsigned int order, gfp_t effort)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_NOWARN | effort, order);

	if (!page)
		return NULL;
	set_page_private(page, order);
	list_add(&page->lru, &t_pieces);
	t_nr_pieces++;
	return page;
}

/* allocates a block and frees all its pages but the first, so that they cannot merge again */
static bool t_take_first(unsigned int order)
{
	struct page *page = t_take(order, __GFP_RETRY_MAYFAIL);
	int i;

	if (!page)
		return false;
	set_page_private(page, 0);
	split_page(page, order);
	for (i = 1; i < 1 << order; i++)
		__free_page(page + i);
	return true;
}

/*
 * A failed allocation does not prove fragmentation: compaction is deferred
 * after a failure, and memory is freed late (KASAN's quarantine).
 */
static void t_take_pieces(unsigned int order)
{
	struct sysinfo info;
	int tries = 0;

	for (si_meminfo(&info); info.freeram > T_LEFT; si_meminfo(&info))
		if (!t_take(MAX_PAGE_ORDER, __GFP_NORETRY))
			break;
	while (tries < T_TRIES) {
		if (t_take_first(order)) {
			tries = 0;
			cond_resched();
		} else {
			tries++;
			msleep(T_TRY_MS);
		}
	}
}

static void t_free_pieces(void)
{
	struct page *page, *next;
	unsigned int order;

	list_for_each_entry_safe(page, next, &t_pieces, lru) {
		order = page_private(page);
		set_page_private(page, 0);
		list_del(&page->lru);
		__free_pages(page, order);
	}
	t_nr_pieces = 0;
}

static int t_fragment_set(void *unused, u64 val)
{
	if (val > MAX_PAGE_ORDER)
		return -EINVAL;
	mutex_lock(&t_fragment_lock);
	t_free_pieces();
	if (val)
		t_take_pieces(val);
	mutex_unlock(&t_fragment_lock);
	return 0;
}

static int t_fragment_get(void *unused, u64 *val)
{
	*val = READ_ONCE(t_nr_pieces);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(t_fragment_fops, t_fragment_get, t_fragment_set, "%llu\n");

/**
 * t_fragment_file() - create the file, which is removed with its directory
 * @dir: directory of the module in debugfs
 */
void t_fragment_file(struct dentry *dir)
{
	debugfs_create_file_unsafe("fragment", 0600, dir, NULL, &t_fragment_fops);
}

/**
 * t_fragment_end() - free the pieces, after the file was removed
 */
void t_fragment_end(void)
{
	t_free_pieces();
}
