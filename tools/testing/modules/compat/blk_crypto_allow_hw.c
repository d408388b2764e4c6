// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * a key of blk-crypto is used in hardware only if its configuration allows it
 */
#include <linux/blk-crypto.h>

int probe(struct blk_crypto_config *cfg);
int probe(struct blk_crypto_config *cfg)
{
	cfg->flags = BLK_CRYPTO_CFG_ALLOW_HW;
	return cfg->flags;
}
