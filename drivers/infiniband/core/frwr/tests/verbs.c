// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: verbs for the KUnit suites on a kernel without the RDMA core.
 */
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

struct ib_mr *ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg)
{
	struct ib_mr *mr = pd->device->ops.alloc_mr(pd, mr_type, max_num_sg);

	if (IS_ERR(mr))
		return mr;
	mr->device = pd->device;
	mr->pd = pd;
	mr->uobject = NULL;
	mr->sig_attrs = NULL;
	mr->type = mr_type;
	return mr;
}

struct ib_mr *ib_alloc_mr_integrity(struct ib_pd *pd, u32 max_num_data_sg, u32 max_num_meta_sg)
{
	struct ib_sig_attrs *sig_attrs = kzalloc(sizeof(*sig_attrs), GFP_KERNEL);
	struct ib_mr *mr;

	if (!sig_attrs)
		return ERR_PTR(-ENOMEM);
	mr = pd->device->ops.alloc_mr_integrity(pd, max_num_data_sg, max_num_meta_sg);
	if (IS_ERR(mr)) {
		kfree(sig_attrs);
		return mr;
	}
	mr->device = pd->device;
	mr->pd = pd;
	mr->uobject = NULL;
	mr->sig_attrs = sig_attrs;
	mr->type = IB_MR_TYPE_INTEGRITY;
	return mr;
}

int ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata)
{
	struct ib_sig_attrs *sig_attrs = mr->sig_attrs;
	int err = mr->device->ops.dereg_mr(mr, udata);

	if (!err)
		kfree(sig_attrs);
	return err;
}

int ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents, unsigned int *sg_offset,
		 unsigned int page_size)
{
	mr->page_size = page_size;
	return mr->device->ops.map_mr_sg(mr, sg, sg_nents, sg_offset);
}

int ib_map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data_sg, int data_sg_nents,
		    unsigned int *data_sg_offset, struct scatterlist *meta_sg, int meta_sg_nents,
		    unsigned int *meta_sg_offset, unsigned int page_size)
{
	mr->page_size = page_size;
	return mr->device->ops.map_mr_sg_pi(mr, data_sg, data_sg_nents, data_sg_offset, meta_sg,
					    meta_sg_nents, meta_sg_offset);
}

int ib_check_mr_status(struct ib_mr *mr, u32 check_mask, struct ib_mr_status *mr_status)
{
	return mr->device->ops.check_mr_status(mr, check_mask, mr_status);
}
