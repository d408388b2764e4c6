// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * INTEGRITY MRs: ib_alloc_mr_integrity() and ib_check_mr_status(). See integrity.h for their parts.
 *
 * The mkeys of the list give no remote access, and no consumer gets their keys.
 * So their registrations are not invalidated: the next registration replaces
 * the list.
 */
#include <linux/slab.h>

#include "enc/bsf.h"
#include "enc/mkc.h"
#include "enc/pi.h"
#include "integrity.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

/*
 * create an SG_GAPS MR without a record in the core; its memory holds two lists
 */
static int pi_create_list(struct ib_pd *ibpd, struct ibx_mr *mr, u32 max_ents)
{
	mr->ibmr.device = ibpd->device;
	mr->gaps = true;
	mr->max_ents = max_ents;
	/* IBX_BB: map_pi.c pads the second list separately */
	return ibx_mr_create_list(ibpd, mr, ibx_klm_bytes(max_ents) + IBX_BB);
}

static int create_pi(struct ib_pd *ibpd, struct ibx_mr *mr, u32 max_ents)
{
	const struct ibx_mkey_params p = {
		.mode = MLX5_MKC_ACCESS_MODE_KLMS,
		.pdn = to_ipd(ibpd)->pdn,
		.octwords = IBX_PI_OCTWORDS,
		.bsf_octwords = IBX_BSF_OCTWORDS,
		.free = true,
	};
	struct ibx_dev *dev = to_idev(ibpd->device);
	struct ibx_pi *pi;
	int err;

	pi = kzalloc(sizeof(*pi), GFP_KERNEL);
	if (!pi)
		return -ENOMEM;
	err = pi_create_list(ibpd, &pi->list, max_ents);
	if (err)
		goto free_pi;
	pi->sig = ibx_sig_create_mkey(dev, &p, &pi->key);
	if (IS_ERR(pi->sig)) {
		err = PTR_ERR(pi->sig);
		goto destroy_list;
	}
	/*
	 * errors are decoded as T10-DIF; the device reports no error before a
	 * registration
	 */
	pi->sig->state.kind[IBX_SIG_MEM] = IBX_SIG_T10DIF;
	pi->sig->state.kind[IBX_SIG_WIRE] = IBX_SIG_T10DIF;
	mr->pi = pi;
	return 0;

destroy_list:
	ibx_mr_destroy_list(dev, &pi->list);
free_pi:
	kfree(pi);
	return err;
}

/**
 * ibx_alloc_mr_integrity() - verb alloc_mr_integrity
 * @ibpd: PD of the MR
 * @max_num_data_sg: elements of the longest list of data
 * @max_num_meta_sg: elements of the longest list of protection information
 *
 * Context: may sleep.
 * Return:
 * * the MR
 * * ERR_PTR(-EOPNOTSUPP): the device has no T10-DIF
 * * ERR_PTR(-EINVAL): a list has no element, or both lists together have more
 *   elements than ibx_mr_max_mtt()
 * * ERR_PTR(-ENOMEM)
 * * an ERR_PTR() from cmd.h
 */
struct ib_mr *ibx_alloc_mr_integrity(struct ib_pd *ibpd, u32 max_num_data_sg,
				     u32 max_num_meta_sg)
{
	struct ibx_dev *dev = to_idev(ibpd->device);
	const u32 max = ibx_mr_max_mtt(dev);
	struct ibx_mr *mr;
	int err;

	if (!ibx_has_integrity(dev))
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_data_sg || !max_num_meta_sg || max_num_data_sg > max ||
	    max_num_meta_sg > max - max_num_data_sg)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = create_pi(ibpd, mr, max_num_data_sg + max_num_meta_sg);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	mr->mkey = mr->pi->key;
	mr->ibmr.lkey = mr->mkey;
	mr->ibmr.rkey = mr->mkey;
	return &mr->ibmr;
}

/**
 * ibx_pi_destroy() - destroy the parts of an INTEGRITY MR
 * @dev: device
 * @pi: the parts, freed here; no outstanding WR uses the MR
 *
 * Context: may sleep.
 */
void ibx_pi_destroy(struct ibx_dev *dev, struct ibx_pi *pi)
{
	ibx_sig_destroy_mkey(dev, pi->sig, pi->key);
	ibx_mr_destroy_list(dev, &pi->list);
	kfree(pi);
}

/**
 * ibx_check_mr_status() - ib_check_mr_status()
 * @ibmr: MR
 * @check_mask: IB_MR_CHECK_SIG_STATUS, or 0
 * @status: gets fail_status; unless 0, also sig_err, the first error of the MR
 *
 * As in mlx5_ib, a registration of the MR is refused until this function was
 * called after the previous registration. The details of an error are reported
 * once; further calls return -EIO until the MR is registered again, because the
 * device has checked nothing after the error (wq/sig.c). As in mlx5_ib, the
 * offset of an error includes the protection information of all earlier blocks.
 *
 * Context: any but NMI.
 * Return:
 * * 0
 * * -EINVAL: @check_mask has another bit, or the MR is no INTEGRITY MR
 * * -EIO: the device reported an error whose meaning is not known, or an
 *   earlier call has returned the error
 */
int ibx_check_mr_status(struct ib_mr *ibmr, u32 check_mask, struct ib_mr_status *status)
{
	static const u8 types[] = {
		[MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD] = IB_SIG_BAD_GUARD,
		[MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG] = IB_SIG_BAD_REFTAG,
		[MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG] = IB_SIG_BAD_APPTAG,
	};
	const struct ibx_mr *mr = to_imr(ibmr);
	struct mlx5dv_mkey_err found;
	int err;

	if (check_mask & ~IB_MR_CHECK_SIG_STATUS)
		return -EINVAL;
	status->fail_status = 0;
	if (!check_mask)
		return 0;
	if (!mr->pi)
		return -EINVAL;
	err = ibx_sig_take_error(mr->pi->sig, &found);
	if (err || found.err_type == MLX5DV_MKEY_NO_ERR)
		return err;
	status->fail_status = IB_MR_CHECK_SIG_STATUS;
	status->sig_err = (struct ib_sig_err){
		.err_type = types[found.err_type],
		.expected = found.err.sig.expected_value,
		.actual = found.err.sig.actual_value,
		.sig_err_offset = found.err.sig.offset,
		.key = ibmr->lkey,
	};
	return 0;
}
