// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: signature errors of mkeys, which wq/sig.c stores.
 */
#include <linux/export.h>

#include "dv/dv.h"
#include "dv/mkey.h"
#include "wq/wq.h"

int mlx5dv_mkey_check(struct mlx5dv_mkey *dv, struct mlx5dv_mkey_err *err_info)
{
	struct ibx_sig *sig = to_imkey(dv)->sig;

	return sig ? ibx_sig_take_error(sig, err_info) : -EINVAL;
}
EXPORT_SYMBOL_GPL(mlx5dv_mkey_check);
