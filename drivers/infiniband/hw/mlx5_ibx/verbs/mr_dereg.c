// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Destruction of MRs of all types.
 */
#include <linux/slab.h>

#include "verbs/verbs.h"

/**
 * ibx_dereg_mr() - verb dereg_mr
 * @ibmr: MR, freed here; no outstanding WR uses it
 * @udata: unused
 *
 * Context: may sleep.
 * Return: 0. An mkey that the device refuses to destroy is reported in the
 * kernel log: unless it was invalidated, peers can still use it. The other mkey
 * of an SG_GAPS MR is destroyed nevertheless. The descriptor list is read by
 * registrations only and always freed.
 */
int ibx_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibmr->device);
	struct ibx_mr *mr = to_imr(ibmr);

	if (mr->pi)
		ibx_pi_destroy(dev, mr->pi);
	else
		ibx_mr_destroy_list(dev, mr);
	kfree(mr);
	return 0;
}
