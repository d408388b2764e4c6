// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: signature errors of mkeys, which wq/sig.c stores.
 */
#include <linux/export.h>

#include "dv/dv.h"
#include "dv/mkey.h"

/**
 * ibx_sig_drop_error() - clear the stored error of an mkey that returns to its pool
 * @sig: signatures of the mkey
 *
 * Context: any but NMI.
 */
void ibx_sig_drop_error(struct ibx_sig *sig)
{
	unsigned long flags;

	spin_lock_irqsave(&sig->lock, flags);
	sig->has_err = false;
	spin_unlock_irqrestore(&sig->lock, flags);
}

int mlx5dv_mkey_check(struct mlx5dv_mkey *dv, struct mlx5dv_mkey_err *err_info)
{
	struct ibx_sig *sig = to_imkey(dv)->sig;
	unsigned long flags;
	int err = 0;

	if (!sig)
		return -EINVAL;
	spin_lock_irqsave(&sig->lock, flags);
	if (!sig->has_err)
		err_info->err_type = MLX5DV_MKEY_NO_ERR;
	else if (sig->bad_err)
		err = -EIO;
	else
		*err_info = sig->err;
	sig->has_err = false;
	spin_unlock_irqrestore(&sig->lock, flags);
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_mkey_check);
