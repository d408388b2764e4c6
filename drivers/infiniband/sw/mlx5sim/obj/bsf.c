// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * BSFs: decoding, and the lengths of a transfer in the two domains of a key.
 *
 * The device supports BSFs (byte stream format, the signature attributes of an
 * mkey) of 64 bytes. A BSF has a basic section, an extended section and inline
 * sections of T10-DIF. The extended section is for signatures of complete
 * transactions and must be 0.
 *
 * Data and signatures alternate in a domain that has signatures. The length of
 * a message is the number of its bytes on the wire. The module parameter
 * sig_count defines what the byte count of a work request counts: "wire" and
 * "memory" count all bytes of that domain. "data" counts only the data or, if
 * both domains have signatures, all bytes in memory.
 */
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/mlx5/qp.h>
#include <linux/string.h>

#include "core/core.h"
#include "obj/caps.h"
#include "obj/obj.h"

/* bsf_size_sbs */
#define BSF_SIZE_MASK		0xc0
#define BSF_SIZE_INLINE		0x80
#define BSF_SIZE_CRYPTO		0xc0	/* a crypto BSF follows (cbsf.c) */
#define BSF_SBS			0x10
/* format of the blocks: the high byte of m_bfs_psv and w_bfs_psv */
#define BFS_SEED_ZERO		0x1
#define BFS_REPEAT		0x2
#define BFS_CRC32		0x20
#define BFS_CRC32C		0x40
#define BFS_CRC64		0x50
/* fields of an inline section of T10-DIF */
#define INL_VALID_REFRESH	0xc000
#define INL_REPEAT		0x80
#define INL_SEED		0x08
#define INL_INC_REF		0x40
#define INL_REF_ESCAPE		0x02
#define INL_APP_ESCAPE		0x01

/**
 * sim_bsf_block() - size of the data block of a signature, or of a data unit of
 * encryption
 * @sdev: simulated function, for its capabilities
 * @selector: block size selector of a BSF, or unit size of a crypto BSF
 *
 * Context: hardware thread; pure.
 * Return: bytes; 0 for an unknown selector.
 */
u16 sim_bsf_block(struct sim_dev *sdev, u8 selector)
{
	switch (selector) {
	case 1:
		return 512;
	case 2:
		return 520;
	case 3:
		return 4096;
	case 4:
		return 4160;
	case 6:
		return SIM_CAP_AT(sdev, SIM_CAP_SIG_BLOCK_4048) ? 4048 : 0;
	default:
		return 0;
	}
}

static enum sim_sig_type bsf_crc(struct sim_dev *sdev, u8 format)
{
	switch (format & ~(BFS_SEED_ZERO | BFS_REPEAT)) {
	case BFS_CRC32:
		return SIM_SIG_CRC32;
	case BFS_CRC32C:
		return SIM_CAP_AT(sdev, SIM_CAP_SIG_CRC32C) ? SIM_SIG_CRC32C : SIM_SIG_NONE;
	case BFS_CRC64:
		return SIM_CAP_AT(sdev, SIM_CAP_SIG_CRC64_XP10) ? SIM_SIG_CRC64 : SIM_SIG_NONE;
	default:
		return SIM_SIG_NONE;
	}
}

static bool bsf_decode_t10dif(const struct mlx5_bsf_inl *inl, struct sim_sig_domain *dom)
{
	u8 flags = inl->dif_inc_ref_guard_check;

	if (be16_to_cpu(inl->vld_refresh) != INL_VALID_REFRESH ||
	    (inl->sig_type != MLX5_DIF_CRC && inl->sig_type != MLX5_DIF_IPCS) ||
	    (inl->rp_inv_seed & ~INL_SEED) != INL_REPEAT ||
	    memchr_inv(inl->rsvd, 0, sizeof(inl->rsvd)) ||
	    flags & ~(INL_INC_REF | INL_REF_ESCAPE | INL_APP_ESCAPE))
		return false;
	dom->type = SIM_SIG_T10DIF;
	dom->csum = inl->sig_type == MLX5_DIF_IPCS;
	dom->ref_inc = flags & INL_INC_REF;
	dom->ref_escape = flags & INL_REF_ESCAPE;
	dom->app_escape = flags & INL_APP_ESCAPE;
	dom->app_mask = be16_to_cpu(inl->dif_app_bitmask_check);
	return true;
}

/* Decodes one domain, except its block size. */
static int bsf_decode_domain(struct sim_dev *sdev, __be32 bfs_psv,
			     const struct mlx5_bsf_inl *inl, struct sim_sig_domain *dom,
			     const char **why)
{
	u8 format = be32_to_cpu(bfs_psv) >> 24;

	dom->psv = be32_to_cpu(bfs_psv) & 0xffffff;
	if (!format) {
		*why = "inline section of T10-DIF";
		return bsf_decode_t10dif(inl, dom) ? 0 : -EINVAL;
	}
	dom->type = bsf_crc(sdev, format);
	*why = "format of the blocks";
	if (!dom->type || !(format & BFS_REPEAT))
		return -EINVAL;
	*why = "inline section with a CRC";
	return memchr_inv(inl, 0, sizeof(*inl)) ? -EINVAL : 0;
}

/* Are all fields that describe a domain 0? */
static bool bsf_no_domain(__be32 bfs_psv, const struct mlx5_bsf_inl *inl)
{
	return !bfs_psv && !memchr_inv(inl, 0, sizeof(*inl));
}

static int bsf_decode_mem(struct sim_dev *sdev, const struct mlx5_bsf *raw, struct sim_bsf *bsf,
			  const char **why)
{
	if (!raw->basic.mem.bs_selector) {
		*why = "signature of the memory without a block size";
		return bsf_no_domain(raw->basic.m_bfs_psv, &raw->m_inl) ? 0 : -EINVAL;
	}
	bsf->mem.block = sim_bsf_block(sdev, raw->basic.mem.bs_selector);
	*why = "block size in memory";
	if (!bsf->mem.block)
		return -EINVAL;
	return bsf_decode_domain(sdev, raw->basic.m_bfs_psv, &raw->m_inl, &bsf->mem, why);
}

static int bsf_decode_wire(struct sim_dev *sdev, const struct mlx5_bsf *raw, struct sim_bsf *bsf,
			   const char **why)
{
	bool sbs = raw->basic.bsf_size_sbs & BSF_SBS;
	int err;

	if (!sbs && !raw->basic.wire.bs_selector) {
		*why = "signature of the wire without a block size";
		return bsf_no_domain(raw->basic.w_bfs_psv, &raw->w_inl) ? 0 : -EINVAL;
	}
	bsf->wire.block = sbs ? bsf->mem.block : sim_bsf_block(sdev, raw->basic.wire.bs_selector);
	*why = "block size on the wire";
	if (!bsf->wire.block)
		return -EINVAL;
	err = bsf_decode_domain(sdev, raw->basic.w_bfs_psv, &raw->w_inl, &bsf->wire, why);
	if (err || !sbs)
		return err;
	bsf->copy_mask = raw->basic.wire.copy_byte_mask;
	*why = "same block structure, and different signatures";
	return bsf->wire.type == bsf->mem.type ? 0 : -EINVAL;
}

/**
 * sim_bsf_decode() - decode and check a BSF
 * @sdev: simulated function, for its capabilities
 * @raw: BSF as in a UMR
 * @with_crypto: a crypto BSF follows the BSF
 * @bsf: out: decoded
 * @why: out: reason of a failure
 *
 * Unrefereed: U-97.
 *
 * Context: hardware thread; pure.
 * Return: 0, or -EINVAL for a BSF that is malformed or that the device does not
 * support.
 */
int sim_bsf_decode(struct sim_dev *sdev, const struct mlx5_bsf *raw, bool with_crypto,
		   struct sim_bsf *bsf, const char **why)
{
	int err;

	memset(bsf, 0, sizeof(*bsf));
	*why = "size of the BSF";
	if ((raw->basic.bsf_size_sbs & BSF_SIZE_MASK) !=
	    (with_crypto ? BSF_SIZE_CRYPTO : BSF_SIZE_INLINE) ||
	    raw->basic.bsf_size_sbs & ~(BSF_SIZE_MASK | BSF_SBS))
		return -EINVAL;
	*why = "signature of a transaction";
	if (memchr_inv(&raw->ext, 0, sizeof(raw->ext)))
		return -EINVAL;
	bsf->check_mask = raw->basic.check_byte_mask;
	bsf->raw_size = be32_to_cpu(raw->basic.raw_data_size);
	err = bsf_decode_mem(sdev, raw, bsf, why);
	return err ?: bsf_decode_wire(sdev, raw, bsf, why);
}

/**
 * sim_sig_data() - number of bytes of data in the first @bytes bytes of a
 * domain
 * @dom: domain
 * @bytes: bytes of data and signatures
 *
 * Context: any; pure.
 * Return: bytes of data.
 */
u32 sim_sig_data(const struct sim_sig_domain *dom, u32 bytes)
{
	u32 both = dom->block + sim_sig_len(dom->type);

	if (!dom->type)
		return bytes;
	return bytes / both * dom->block + min_t(u32, bytes % both, dom->block);
}

/**
 * sim_sig_bytes() - length of data and its signatures in a domain
 * @dom: domain
 * @data: bytes of data
 *
 * A block that is not complete has no signature.
 *
 * Context: any; pure.
 * Return: bytes of data and signatures.
 */
u32 sim_sig_bytes(const struct sim_sig_domain *dom, u32 data)
{
	return dom->type ? data + data / dom->block * sim_sig_len(dom->type) : data;
}

/* The domain whose bytes a work request counts; NULL if it counts data only. */
static const struct sim_sig_domain *sig_counted(const struct sim_bsf *bsf)
{
	switch (sim_sig_count) {
	case SIM_SIG_COUNT_WIRE:
		return &bsf->wire;
	case SIM_SIG_COUNT_MEMORY:
		return &bsf->mem;
	default:
		return bsf->mem.type && bsf->wire.type ? &bsf->mem : NULL;
	}
}

/**
 * sim_sig_wire_len() - bytes on the wire for a byte count of a work request
 * @bsf: signatures of the key
 * @count: byte count of the data segment
 * @wire: out: bytes on the wire
 *
 * If bytes on the wire are counted, a message may end before the signature of
 * its last block. That block then has no signature.
 *
 * Unrefereed: U-98.
 *
 * Context: any; pure.
 * Return:
 * * 0
 * * -ERANGE: @count ends inside a signature; @count counts bytes in memory and
 *   ends between a complete block and its signature; or the data is longer than
 *   the BSF permits
 */
int sim_sig_wire_len(const struct sim_bsf *bsf, u32 count, u32 *wire)
{
	const struct sim_sig_domain *dom = sig_counted(bsf);
	const bool is_wire = dom == &bsf->wire;
	u32 data = dom ? sim_sig_data(dom, count) : count;
	u32 full = dom ? sim_sig_bytes(dom, data) : count;

	if (full != count && !(is_wire && full == count + sim_sig_len(dom->type)))
		return -ERANGE;
	if (data > bsf->raw_size)
		return -ERANGE;
	*wire = is_wire ? count : sim_sig_bytes(&bsf->wire, data);
	return 0;
}

/**
 * sim_sig_mem_len() - bytes in memory for the first bytes on the wire
 * @bsf: signatures of the key
 * @wire: bytes on the wire
 *
 * Context: any; pure.
 * Return: bytes in memory, signatures of all complete blocks included.
 */
u32 sim_sig_mem_len(const struct sim_bsf *bsf, u32 wire)
{
	return sim_sig_bytes(&bsf->mem, sim_sig_data(&bsf->wire, wire));
}

/**
 * sim_sig_block() - number of data bytes before an offset where a block begins
 * @bsf: signatures of the key
 * @off: offset in memory from the start of the key
 * @data: out: bytes of data, without signatures, before @off
 *
 * Unrefereed: U-99.
 *
 * Context: any; pure.
 * Return: 0; -ERANGE unless a block begins at @off in both domains.
 */
int sim_sig_block(const struct sim_bsf *bsf, u64 off, u32 *data)
{
	if (off > U32_MAX)
		return -ERANGE;
	*data = sim_sig_data(&bsf->mem, off);
	if (bsf->mem.type && (off % (bsf->mem.block + sim_sig_len(bsf->mem.type))))
		return -ERANGE;
	return bsf->wire.type && *data % bsf->wire.block ? -ERANGE : 0;
}
