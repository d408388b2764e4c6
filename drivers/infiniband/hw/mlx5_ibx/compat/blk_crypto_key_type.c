// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* keys of blk-crypto have a type, and member "bytes" instead of "raw" */
#include <linux/blk-crypto.h>

const u8 *probe(const struct blk_crypto_key *key);
const u8 *probe(const struct blk_crypto_key *key)
{
	return key->crypto_cfg.key_type == BLK_CRYPTO_KEY_TYPE_RAW ? key->bytes : NULL;
}
