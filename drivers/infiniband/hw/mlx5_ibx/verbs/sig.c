// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Block signatures of mkeys: capabilities, creation and destruction of PSVs.
 *
 * Mkeys of <rdma/mlx5dv.h> and INTEGRITY MRs (mr_pi.c) have signatures.
 * wq/sig.c stores and returns errors.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "backend.h"
#include "cmd/cmd.h"
#include "enc/bsf.h"
#include "verbs/verbs.h"

/*
 * <linux/mlx5/mlx5_ifc.h> does not have these capabilities. The positions are
 * from rdma-core's mlx5_ifc.h.
 */
static const struct ibx_cap_at sig_crc64_xp10 = { 0x147, 1 };
static const struct ibx_cap_at sig_crc32c = { 0x148, 1 };
static const struct ibx_cap_at sig_block_4048 = { 0x1f0, 1 };
static const struct ibx_cap_at sigerr_domain_and_sig_type = { 0x480, 1 };

/**
 * ibx_sig_init() - probe stage: find the block signatures that a device supports
 * @dev: device that is being probed
 *
 * A device that does not report the domain of an error has no signatures, as in
 * libmlx5. An unchanged mlx5_ib ignores the domain, and stores 16 bits of a guard:
 * its devices have T10-DIF only.
 *
 * Context: may sleep.
 * Return: 0.
 */
int ibx_sig_init(struct ibx_dev *dev)
{
	struct mlx5dv_sig_caps *caps = &dev->sig_caps;

	xa_init(&dev->sigs);
	init_rwsem(&dev->sigs_sem);
	if (!MLX5_CAP_GEN(dev->mdev, sho) || !ibx_cap_get(dev, sigerr_domain_and_sig_type) ||
	    !ibx_mr_has_gaps(dev))
		return 0;
	caps->block_prot = MLX5DV_SIG_PROT_CAP_T10DIF;
	caps->block_size = MLX5DV_BLOCK_SIZE_CAP_512 | MLX5DV_BLOCK_SIZE_CAP_520 |
			   MLX5DV_BLOCK_SIZE_CAP_4096 | MLX5DV_BLOCK_SIZE_CAP_4160;
	caps->t10dif_bg = MLX5DV_SIG_T10DIF_BG_CAP_CRC | MLX5DV_SIG_T10DIF_BG_CAP_CSUM;
	if (ibx_cap_get(dev, sig_block_4048))
		caps->block_size |= MLX5DV_BLOCK_SIZE_CAP_4048;
	if (dev->backend && !dev->is_patched)
		return 0;
	caps->block_prot |= MLX5DV_SIG_PROT_CAP_CRC;
	caps->crc_type = MLX5DV_SIG_CRC_TYPE_CAP_CRC32;
	if (ibx_cap_get(dev, sig_crc32c))
		caps->crc_type |= MLX5DV_SIG_CRC_TYPE_CAP_CRC32C;
	if (ibx_cap_get(dev, sig_crc64_xp10))
		caps->crc_type |= MLX5DV_SIG_CRC_TYPE_CAP_CRC64_XP10;
	return 0;
}

/*
 * A device of mlx5_ib has refused to destroy an mkey, and may still report its
 * errors: mlx5_ib keeps the storage of the errors until the companion is
 * released
 */
static void keep_storage(struct ibx_dev *dev, u32 key, struct mlx5_core_sig_ctx *ctx)
{
	__module_get(dev->backend->owner);
	/* without an entry, the storage and the reference are never released */
	xa_store(&dev->sigs, mlx5_mkey_to_idx(key), ctx, GFP_KERNEL | __GFP_NOWARN);
}

static void release_kept(struct ibx_dev *dev)
{
	unsigned long index;
	void *ctx;

	xa_for_each(&dev->sigs, index, ctx) {
		xa_erase(&dev->sigs, index);
		dev->backend->drop_sig_errors(dev->ib, mlx5_idx_to_mkey(index), ctx);
		dev->backend->remove_sig(dev->ib, mlx5_idx_to_mkey(index), ctx);
		module_put(dev->backend->owner);
	}
}

/**
 * ibx_sig_exit() - undo ibx_sig_init()
 * @dev: device that has no mkeys any more
 *
 * Context: may sleep.
 */
void ibx_sig_exit(struct ibx_dev *dev)
{
	if (dev->backend)
		release_kept(dev);
	WARN_ON(!xa_empty(&dev->sigs));
	xa_destroy(&dev->sigs);
}

/**
 * ibx_has_integrity() - does a device support INTEGRITY MRs?
 * @dev: device
 *
 * T10-DIF is the only signature of INTEGRITY MRs, so the device need not report
 * the domain of an error. The send ring must have space for a registration. CQs
 * must be resizable, because a registration needs more entries
 * (ibx_cq_reserve()).
 *
 * Context: any.
 * Return: true if the device supports INTEGRITY MRs.
 */
bool ibx_has_integrity(const struct ibx_dev *dev)
{
	return MLX5_CAP_GEN(dev->mdev, sho) && MLX5_CAP_GEN(dev->mdev, cq_resize) &&
	       ibx_mr_has_gaps(dev) &&
	       MLX5_CAP_GEN(dev->mdev, max_wqe_sz_sq) >= IBX_PI_WR_MAX;
}

static void destroy_psvs(struct ibx_dev *dev, const struct ibx_sig *sig)
{
	int i;

	for (i = IBX_SIG_DOMAINS - 1; i >= 0; i--)
		ibx_cmd_left(dev, "PSV", sig->psv[i], ibx_cmd_destroy_psv(dev, sig->psv[i]));
}

static void free_sig(struct ibx_sig *sig)
{
	kfree(sig->foreign);
	kfree(sig->both);
	kfree(sig);
}

static int alloc_parts(struct ibx_dev *dev, struct ibx_sig *sig, bool crypto)
{
	if (crypto) {
		sig->both = kzalloc(sizeof(*sig->both), GFP_KERNEL);
		if (!sig->both)
			return -ENOMEM;
		ibx_enc_bsf_none(&sig->both->state.sig);
	}
	if (dev->backend) {
		sig->foreign = kzalloc(sizeof(*sig->foreign), GFP_KERNEL);
		if (!sig->foreign)
			return -ENOMEM;
		sig->foreign->dev = dev;
	}
	sig->is_special = sig->both || sig->foreign;
	return 0;
}

static struct ibx_sig *alloc_sig(struct ibx_dev *dev, bool crypto)
{
	struct ibx_sig *sig = kzalloc(sizeof(*sig), GFP_KERNEL);

	if (sig && alloc_parts(dev, sig, crypto)) {
		free_sig(sig);
		return NULL;
	}
	return sig;
}

static struct ibx_sig *create_sig(struct ibx_dev *dev, const struct ibx_mkey_params *p)
{
	struct ibx_sig *sig;
	int err;

	sig = alloc_sig(dev, p->crypto);
	if (!sig)
		return ERR_PTR(-ENOMEM);
	sig->caps = &dev->sig_caps;
	spin_lock_init(&sig->lock);
	/*
	 * one more than the number of reported errors. The low bit of a new
	 * mkey is 0, so the first configuration lets the device report an error
	 */
	atomic_set(&sig->errs, 1);
	err = ibx_cmd_create_psvs(dev, p->pdn, sig->psv);
	if (err) {
		free_sig(sig);
		return ERR_PTR(err);
	}
	return sig;
}

/* after a grace period, because polling may still read @sig */
static void free_sig_rcu(struct ibx_sig *sig)
{
	kfree(sig->foreign);
	kfree(sig->both);
	kfree_rcu(sig, rcu);
}

/* destroys the PSVs of an mkey that does not exist any more, and frees @sig */
static void destroy_sig(struct ibx_dev *dev, struct ibx_sig *sig)
{
	destroy_psvs(dev, sig);
	free_sig_rcu(sig);
}

/* let polling find the signatures by the key */
static int add_mkey(struct ibx_dev *dev, struct ibx_sig *sig, u32 key)
{
	if (!dev->backend)
		return xa_err(xa_store(&dev->sigs, mlx5_mkey_to_idx(key), sig, GFP_KERNEL));
	sig->foreign->ctx = dev->backend->add_sig(dev->ib, key);
	return PTR_ERR_OR_ZERO(sig->foreign->ctx);
}

static void destroy_mkey(struct ibx_dev *dev, u32 key)
{
	/* before the command, which frees the index for another mkey */
	xa_erase(&dev->sigs, mlx5_mkey_to_idx(key));
	ibx_cmd_left(dev, "mkey", key, ibx_cmd_destroy_mkey(dev, key));
	/* the device writes no more CQEs of this mkey. Unrefereed: U-150 */
	ibx_qps_drop_sig_errors(dev, key);
}

/*
 * The CQEs are removed before and after the command. After the command, the
 * index may belong to an MR of mlx5_ib, whose CQEs stay. An mkey without
 * attributes has no CQE. Returns true if the device still has the mkey, which
 * uses its PSVs.
 */
static bool destroy_foreign_mkey(struct ibx_dev *dev, const struct ibx_sig *sig, u32 key)
{
	const struct ibx_backend *backend = dev->backend;
	struct mlx5_core_sig_ctx *ctx = sig->foreign->ctx;
	const bool used = sig->state.confs;
	int err;

	if (used)
		backend->drop_sig_errors(dev->ib, key, ctx);
	err = ibx_cmd_destroy_mkey(dev, key);
	ibx_cmd_left(dev, "mkey", key, err);
	if (err && !ibx_cmd_is_over(dev)) {
		keep_storage(dev, key, ctx);
		return true;
	}
	if (used)
		backend->drop_sig_errors(dev->ib, key, ctx);
	backend->remove_sig(dev->ib, key, ctx);
	return false;
}

/*
 * Under sigs_sem, an mkey with signatures is not created while another is being
 * destroyed. So an index is not used again before the CQEs of its last mkey are
 * dropped. Allocations under sigs_sem do not wait for I/O, because a pool of
 * mkeys may grow for I/O for which memory reclaim waits.
 */
static int store_mkey(struct ibx_dev *dev, const struct ibx_mkey_params *p, struct ibx_sig *sig,
		      u32 *key)
{
	unsigned int noio = memalloc_noio_save();
	int err;

	down_read(&dev->sigs_sem);
	err = ibx_cmd_create_mkey(dev, p, key);
	if (err)
		goto unlock;
	err = add_mkey(dev, sig, *key);
	if (err)
		ibx_cmd_left(dev, "mkey", *key, ibx_cmd_destroy_mkey(dev, *key));
unlock:
	up_read(&dev->sigs_sem);
	memalloc_noio_restore(noio);
	return err;
}

static bool erase_mkey(struct ibx_dev *dev, struct ibx_sig *sig, u32 key)
{
	unsigned int noio = memalloc_noio_save();
	bool left = false;

	down_write(&dev->sigs_sem);
	if (dev->backend)
		left = destroy_foreign_mkey(dev, sig, key);
	else
		destroy_mkey(dev, key);
	up_write(&dev->sigs_sem);
	memalloc_noio_restore(noio);
	return left;
}

/**
 * ibx_sig_create_mkey() - create a free mkey with signatures
 * @dev: device
 * @p: parameters: a free mkey with space for a BSF of signatures
 * @key: gets the key
 *
 * Polling finds the signatures by the key afterwards.
 *
 * Context: may sleep.
 * Return: the signatures; or ERR_PTR() of -ENOMEM or an errno from cmd.h.
 */
struct ibx_sig *ibx_sig_create_mkey(struct ibx_dev *dev, const struct ibx_mkey_params *p,
				    u32 *key)
{
	struct ibx_sig *sig = create_sig(dev, p);
	int err;

	if (IS_ERR(sig))
		return sig;
	err = store_mkey(dev, p, sig, key);
	if (err) {
		destroy_sig(dev, sig);
		return ERR_PTR(err);
	}
	return sig;
}

/**
 * ibx_sig_destroy_mkey() - undo ibx_sig_create_mkey()
 * @dev: device
 * @sig: signatures of the mkey
 * @key: key of the mkey
 *
 * Errors of the mkey that were not polled yet are dropped.
 *
 * Context: may sleep.
 */
void ibx_sig_destroy_mkey(struct ibx_dev *dev, struct ibx_sig *sig, u32 key)
{
	if (erase_mkey(dev, sig, key))
		free_sig_rcu(sig);
	else
		destroy_sig(dev, sig);
}
