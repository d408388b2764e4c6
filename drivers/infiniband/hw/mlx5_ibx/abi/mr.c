// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * MRs of processes: pinned memory behind an MTT mkey that the device gets with all
 * its pages in one command. No work request can change the mkey.
 *
 * If the device refuses to destroy the mkey, the verb fails and the memory stays
 * pinned, because the device may access it.
 */
#include <linux/slab.h>

#include "abi/abi.h"
#include "cmd/cmd.h"
#include "verbs/verbs.h"

#define MR_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_RELAXED_ORDERING)

/* bus addresses of the pages, two in each octword */
static __be64 *list_pages(struct ib_umem *umem, u8 shift, u32 octwords)
{
	struct ib_block_iter it;
	__be64 *mtt, *out;

	mtt = kvcalloc(octwords, IBX_DS, GFP_KERNEL);
	if (!mtt)
		return NULL;
	out = mtt;
	rdma_umem_for_each_dma_block(umem, &it, BIT_ULL(shift)) {
		*out = cpu_to_be64(rdma_block_iter_dma_address(&it));
		out++;
	}
	return mtt;
}

static int create_key(struct ibx_dev *dev, struct ibx_umr *umr, struct ib_pd *ibpd, u64 va,
		      int access)
{
	struct ibx_mkey_params p = {
		.mode = MLX5_MKC_ACCESS_MODE_MTT,
		.pdn = to_ipd(ibpd)->pdn,
		.access = access,
		.strict = !(access & IB_ACCESS_RELAXED_ORDERING),
		.start = va,
		.length = umr->umem->length,
	};
	unsigned long page;
	__be64 *mtt;
	u64 n;
	int err;

	page = ib_umem_find_best_pgsz(umr->umem, GENMASK(dev->max_page_shift, PAGE_SHIFT), va);
	if (!page)
		return -EINVAL;
	p.page_shift = ilog2(page);
	n = ib_umem_num_dma_blocks(umr->umem, page);
	p.octwords = DIV_ROUND_UP_ULL(n, 2);
	mtt = list_pages(umr->umem, p.page_shift, p.octwords);
	if (!mtt)
		return -ENOMEM;
	err = ibx_cmd_create_mtt_mkey(dev, &p, mtt, &umr->mr.mkey);
	kvfree(mtt);
	umr->mr.mode = p.mode;
	umr->mr.page_shift = p.page_shift;
	umr->mr.max_ents = n;
	umr->mr.nents = n;
	return err;
}

/**
 * ibx_user_reg_mr() - verb reg_user_mr
 * @ibpd: PD
 * @start: address of the memory in the calling process
 * @length: number of bytes
 * @va: address by which work requests name the first byte; has the same offset in
 *	its page as @start
 * @access: IB_ACCESS_*
 * @udata: request of the process, which must be 0
 *
 * Context: process.
 * Return: the MR; -EOPNOTSUPP for a caller in the kernel, and for access flags that
 * need memory windows or on-demand paging; -EINVAL for a length of 0 and for
 * addresses that wrap; -EFAULT for memory that the process does not have, or not
 * for writing; -EPERM if the process must not pin memory; -ENOMEM, also above
 * RLIMIT_MEMLOCK; or an errno from cmd.h.
 */
struct ib_mr *ibx_user_reg_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 va, int access,
			      struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibpd->device);
	struct ibx_umr *umr;
	int err;

	if (!udata || access & ~MR_ACCESS || !ib_is_udata_cleared(udata, 0, udata->inlen))
		return ERR_PTR(-EOPNOTSUPP);
	umr = kzalloc(sizeof(*umr), GFP_KERNEL);
	if (!umr)
		return ERR_PTR(-ENOMEM);
	umr->umem = ib_umem_get(ibpd->device, start, length, access);
	if (IS_ERR(umr->umem)) {
		err = PTR_ERR(umr->umem);
		goto free_mr;
	}
	err = create_key(dev, umr, ibpd, va, access);
	if (err)
		goto unpin;
	umr->mr.ibmr.lkey = umr->mr.mkey;
	umr->mr.ibmr.rkey = umr->mr.mkey;
	return &umr->mr.ibmr;

unpin:
	ib_umem_release(umr->umem);
free_mr:
	kfree(umr);
	return ERR_PTR(err);
}

/**
 * ibx_user_dereg_mr() - verb dereg_mr
 * @ibmr: MR, freed here on success
 * @udata: unused
 *
 * Context: may sleep.
 * Return: 0, or for an MR of a process an errno from cmd.h: the MR is as before.
 */
int ibx_user_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct ibx_umr *umr = to_umr(ibmr);
	int err;

	if (ibmr->type != IB_MR_TYPE_USER)
		return ibx_dereg_mr(ibmr, udata);
	err = ibx_cmd_destroy_mkey(to_idev(ibmr->device), umr->mr.mkey);
	if (err)
		return err;
	ib_umem_release(umr->umem);
	kfree(umr);
	return 0;
}
