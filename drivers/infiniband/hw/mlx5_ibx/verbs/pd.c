// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains. The core gives every kernel PD a DMA MR (mr.c), whose
 * lkey is the PD's local_dma_lkey.
 */
#include "cmd/cmd.h"
#include "verbs/verbs.h"

/**
 * ibx_alloc_pd - verb alloc_pd
 * @ibpd: the PD
 * @udata: of a user's call; there are none
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP for users, or as cmd.h says.
 */
int ibx_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	if (udata)
		return -EOPNOTSUPP;
	return ibx_cmd_alloc_pd(to_idev(ibpd->device), &to_ipd(ibpd)->pdn);
}

/**
 * ibx_dealloc_pd - verb dealloc_pd
 * @ibpd: a PD that nothing uses
 * @udata: unused
 *
 * Context: may sleep.
 * Return: 0. A PD that the device does not give up, perhaps because it kept an
 * mkey of it too, is reported in the kernel log.
 */
int ibx_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibpd->device);
	u32 pdn = to_ipd(ibpd)->pdn;

	ibx_cmd_left(dev, "PD", pdn, ibx_cmd_dealloc_pd(dev, pdn));
	return 0;
}
