/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ib_frwr is written for the newest kernel. This file defines the functions
 * that older kernels lack.
 */
#ifndef IB_FRWR_COMPAT_H
#define IB_FRWR_COMPAT_H

#include <linux/bvec.h>
#include <linux/mm.h>

#include "compat/features.h"

#ifndef HAVE_BVEC_ITER_OFFSET
#define bi_offset bi_bvec_done
#endif

/*
 * Page @n after @page in contiguous memory. In kernels with nth_page(), the
 * array of struct pages may have holes.
 */
static inline struct page *frwr_nth_page(struct page *page, unsigned long n)
{
#ifdef nth_page
	return nth_page(page, n);
#else
	return page + n;
#endif
}

#endif /* IB_FRWR_COMPAT_H */
