// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains. The core gives every kernel PD a DMA MR (mr.c), whose
 * lkey is the PD's local_dma_lkey.
 */
#include "cmd/cmd.h"
#include "verbs/verbs.h"

/**
 * ibx_alloc_pd() - verb alloc_pd
 * @ibpd: the PD
 * @udata: NULL; user space is not supported
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP for user space, or an errno from cmd.h.
 */
int ibx_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	if (udata)
		return -EOPNOTSUPP;
	return ibx_cmd_alloc_pd(to_idev(ibpd->device), to_ipd(ibpd));
}

/**
 * ibx_dealloc_pd() - verb dealloc_pd
 * @ibpd: PD that no object uses
 * @udata: unused
 *
 * Context: may sleep.
 * Return: 0. A PD that the device refuses to free, for example because the
 * device still has an mkey of the PD, is reported in the kernel log.
 */
int ibx_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibpd->device);
	struct ibx_pd *pd = to_ipd(ibpd);

	ibx_cmd_left(dev, "PD", pd->pdn, ibx_cmd_dealloc_pd(dev, pd));
	return 0;
}
