// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Crypto BSFs: decoding, and the DEK that a key uses.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "core/core.h"
#include "obj/caps.h"
#include "obj/crypto.h"
#include "obj/obj.h"

/* size_type */
#define CBSF_TYPE	0x01
#define CBSF_ALONE	0x80
#define CBSF_BEHIND_SIG	0xc0

static_assert(sizeof(struct sim_crypto_bsf) == SIM_BSF_SIZE);

/*
 * The tweak of a BSF is big-endian with the capability
 * aes_xts_multi_block_be_tweak, little-endian without the capability.
 */
static void decode_tweak(struct sim_dev *sdev, const u8 *raw, u8 *tweak)
{
	int i;

	for (i = 0; i < SIM_XTS_TWEAK; i++)
		tweak[i] = SIM_CAP_AT(sdev, SIM_CAP_XTS_MULTI) ? raw[SIM_XTS_TWEAK - 1 - i] :
								  raw[i];
}

/**
 * sim_crypto_decode() - decode and check a crypto BSF
 * @sdev: simulated function, for its capabilities
 * @raw: BSF as in a UMR
 * @behind_sig: the BSF follows a BSF of signatures
 * @c: out: decoded, except for the serial number of the DEK
 * @why: out: reason of a failure
 *
 * Unrefereed: U-125.
 *
 * Context: hardware thread; pure.
 * Return: 0, or -EINVAL for a BSF that is malformed or that the device does not
 * support.
 */
int sim_crypto_decode(struct sim_dev *sdev, const struct sim_crypto_bsf *raw, bool behind_sig,
		      struct sim_crypto *c, const char **why)
{
	*why = "size or type of the crypto BSF";
	if (raw->size_type != (CBSF_TYPE | (behind_sig ? CBSF_BEHIND_SIG : CBSF_ALONE)))
		return -EINVAL;
	*why = "reserved field of the crypto BSF";
	if (raw->rsvd0 || memchr_inv(raw->rsvd1, 0, sizeof(raw->rsvd1)) ||
	    be32_to_cpu(raw->dek) >> 24 || memchr_inv(raw->rsvd2, 0, sizeof(raw->rsvd2)) ||
	    memchr_inv(raw->rsvd3, 0, sizeof(raw->rsvd3)))
		return -EINVAL;
	*why = "order or standard of encryption";
	if (raw->order >= SIM_CRYPTO_ORDERS || raw->standard)
		return -EINVAL;
	*why = "size of the data unit";
	c->unit = sim_bsf_block(sdev, raw->unit);
	if (!c->unit)
		return -EINVAL;
	c->set = true;
	c->order = raw->order;
	c->raw_size = be32_to_cpu(raw->raw_size);
	c->dek = be32_to_cpu(raw->dek);
	decode_tweak(sdev, raw->tweak, c->tweak);
	memcpy(c->keytag, raw->keytag, sizeof(c->keytag));
	return 0;
}

/**
 * sim_crypto_dek() - find the DEK of a key
 * @sdev: simulated function
 * @mkey: key with encryption
 * @why: out: reason of a failure
 *
 * Unrefereed: U-126.
 *
 * Context: hardware thread.
 * Return: the DEK; NULL when it was destroyed, or has another PD or keytag than
 * the key.
 */
struct sim_dek *sim_crypto_dek(struct sim_dev *sdev, const struct sim_mkey *mkey,
			       const char **why)
{
	struct sim_dek *dek = sim_obj_find(sdev, SIM_OBJ_DEK, mkey->crypto->dek);

	*why = "DEK does not exist";
	if (!dek || dek->serial != mkey->crypto->serial)
		return NULL;
	*why = "DEK of another PD";
	if (dek->pd->obj.id != mkey->pdn)
		return NULL;
	*why = "keytag of another DEK";
	return dek->has_keytag && memcmp(dek->keytag, mkey->crypto->keytag, SIM_KEYTAG) ? NULL :
											dek;
}
