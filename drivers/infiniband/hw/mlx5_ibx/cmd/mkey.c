// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory key commands. A key consists of an index that the device assigns and a
 * variant byte that software chooses. One counter per device sets the variant
 * of new mkeys, so that a reused index does not match its old key. The counter
 * also advances when an mkey of MRs of processes gets its next variant
 * (keys/mr_key.c). The rules of cmd.h apply.
 */
#include "cmd/cmd.h"

/**
 * ibx_cmd_create_mtt_mkey() - CREATE_MKEY with its translations
 * @dev: device
 * @p: parameters; p->octwords counts the translations in @mtt
 * @mtt: page addresses, 2 in each octword, big endian; NULL without translations
 * @key: gets the key: index << 8 | variant
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_create_mtt_mkey(struct ibx_dev *dev, const struct ibx_mkey_params *p,
			    const __be64 *mtt, u32 *key)
{
	u32 out[MLX5_ST_SZ_DW(create_mkey_out)] = {};
	u32 octwords = mtt ? p->octwords : 0;
	size_t inlen;
	void *mkc;
	u32 *in;
	int err;

	/*
	 * kvzalloc() fails above INT_MAX bytes; a process chooses p->octwords
	 */
	inlen = MLX5_ST_SZ_BYTES(create_mkey_in) + (size_t)octwords * IBX_DS;
	in = kvzalloc(inlen, GFP_KERNEL | __GFP_NOWARN);
	if (!in)
		return -ENOMEM;

	mkc = MLX5_ADDR_OF(create_mkey_in, in, memory_key_mkey_entry);
	ibx_mkc_create(mkc, p, &dev->mkey_caps, atomic_inc_return(&dev->mkey_variant));
	MLX5_SET(create_mkey_in, in, opcode, MLX5_CMD_OP_CREATE_MKEY);
	MLX5_SET(create_mkey_in, in, translations_octword_actual_size, octwords);
	if (octwords)
		memcpy(MLX5_ADDR_OF(create_mkey_in, in, klm_pas_mtt), mtt, octwords * IBX_DS);
	err = ibx_cmd_exec(dev, in, inlen, out, sizeof(out));
	if (!err)
		*key = mlx5_idx_to_mkey(MLX5_GET(create_mkey_out, out, mkey_index)) |
		       MLX5_GET(mkc, mkc, mkey_7_0);
	kvfree(in);
	return err;
}

/**
 * ibx_cmd_create_mkey() - CREATE_MKEY without translations
 * @dev: device
 * @p: parameters
 * @key: gets the key: index << 8 | variant
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_create_mkey(struct ibx_dev *dev, const struct ibx_mkey_params *p, u32 *key)
{
	return ibx_cmd_create_mtt_mkey(dev, p, NULL, key);
}

/**
 * ibx_cmd_destroy_mkey() - DESTROY_MKEY
 * @dev: device
 * @key: key of the mkey, with any variant
 *
 * After success the device accesses neither the translations of the mkey nor
 * the memory behind it.
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_destroy_mkey(struct ibx_dev *dev, u32 key)
{
	u32 in[MLX5_ST_SZ_DW(destroy_mkey_in)] = {};

	MLX5_SET(destroy_mkey_in, in, opcode, MLX5_CMD_OP_DESTROY_MKEY);
	MLX5_SET(destroy_mkey_in, in, mkey_index, mlx5_mkey_to_idx(key));
	return ibx_cmd_exec_in(dev, destroy_mkey, in);
}

/**
 * ibx_cmd_query_mkey() - QUERY_MKEY
 * @dev: device
 * @key: key of the mkey, with any variant
 * @mkc: MLX5_ST_SZ_DW(mkc) words for its context
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_query_mkey(struct ibx_dev *dev, u32 key, u32 *mkc)
{
	u32 in[MLX5_ST_SZ_DW(query_mkey_in)] = {};

	MLX5_SET(query_mkey_in, in, opcode, MLX5_CMD_OP_QUERY_MKEY);
	MLX5_SET(query_mkey_in, in, mkey_index, mlx5_mkey_to_idx(key));
	return ibx_cmd_query_ctx(dev, query_mkey, in, memory_key_mkey_entry, mkc, mkc);
}
