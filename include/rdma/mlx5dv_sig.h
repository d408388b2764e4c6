/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: Block signatures of mkeys
 *
 * Included by <rdma/mlx5dv.h>. These manual pages apply: mlx5dv_wr_set_mkey_sig_block(3),
 * mlx5dv_mkey_check(3) and mlx5dv_qp_cancel_posted_send_wrs(3).
 *
 * An mkey with signature attributes has two domains. The memory domain
 * describes the bytes that the layout of the mkey leads to, the wire domain the
 * bytes of messages. In each domain the data are blocks, and each block is
 * followed by its signature, if the domain has signatures. A transfer has an
 * input and an output domain: memory and wire when the mkey is read, wire and
 * memory when it is written. The device checks the signatures of the input
 * domain. The device removes these signatures, copies them, or generates
 * others, as the output domain needs.
 *
 * Example 1 of mlx5dv_wr_set_mkey_sig_block(3) has CRC32 in memory and no
 * signature on the wire::
 *
 *	static const struct mlx5dv_sig_crc crc32 = {
 *		.type = MLX5DV_SIG_CRC_TYPE_CRC32, .seed = U32_MAX,
 *	};
 *	static const struct mlx5dv_sig_block_domain mem = {
 *		.sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc32,
 *		.block_size = MLX5DV_BLOCK_SIZE_512,
 *	};
 *	static const struct mlx5dv_sig_block_attr sig = {
 *		.mem = &mem, .check_mask = MLX5DV_SIG_MASK_CRC32,
 *	};
 *
 *	mlx5dv_wr_mkey_configure(mqpx, mkey, 3, &conf_attr);
 *	mlx5dv_wr_set_mkey_access_flags(mqpx, IB_ACCESS_LOCAL_WRITE);
 *	mlx5dv_wr_set_mkey_layout_list(mqpx, 1, &sge);
 *	mlx5dv_wr_set_mkey_sig_block(mqpx, &sig);
 *
 * A bad signature does not fail the transfer. The ULP calls mlx5dv_mkey_check()
 * after the last completion or message of the transfer, before it configures
 * the mkey again.
 *
 * Size of queues
 * ~~~~~~~~~~~~~~
 *
 * A configuration that sets signature attributes counts as one work request of
 * max_send_wr, and as one more for each domain with signatures. The ULP polls
 * at most one completion of the configuration, even if the configuration is
 * flushed. But a flushed configuration takes an entry of the CQ for each of these
 * work requests.
 *
 * A signature error takes a CQ entry that max_send_wr and max_recv_wr do not
 * count. It is an entry of the send CQ if the mkey is used by the requester of
 * the transfer, and of the receive CQ if it is used by the responder. Add one
 * entry to each of these CQs for each mkey with signature attributes. A CQ that
 * is too small overruns: the CQ is then in error, and all of its QPs are moved
 * to ERR.
 */
#ifndef RDMA_MLX5DV_SIG_H
#define RDMA_MLX5DV_SIG_H

#include <linux/bits.h>
#include <linux/types.h>

struct mlx5dv_mkey;
struct mlx5dv_qp_ex;

/**
 * enum mlx5dv_sig_type - types of signature
 * @MLX5DV_SIG_TYPE_T10DIF: T10-DIF, 8 bytes: guard, application tag, reference tag
 * @MLX5DV_SIG_TYPE_CRC: a CRC of 4 or 8 bytes
 */
enum mlx5dv_sig_type {
	MLX5DV_SIG_TYPE_T10DIF,
	MLX5DV_SIG_TYPE_CRC,
};

/**
 * enum mlx5dv_sig_prot_caps - types of signature that a device supports
 * @MLX5DV_SIG_PROT_CAP_T10DIF: T10-DIF
 * @MLX5DV_SIG_PROT_CAP_CRC: CRCs
 */
enum mlx5dv_sig_prot_caps {
	MLX5DV_SIG_PROT_CAP_T10DIF	= BIT(MLX5DV_SIG_TYPE_T10DIF),
	MLX5DV_SIG_PROT_CAP_CRC		= BIT(MLX5DV_SIG_TYPE_CRC),
};

/**
 * enum mlx5dv_sig_t10dif_bg_type - block guards of T10-DIF
 * @MLX5DV_SIG_T10DIF_CRC: CRC-16 of the T10 specification
 * @MLX5DV_SIG_T10DIF_CSUM: IP checksum
 */
enum mlx5dv_sig_t10dif_bg_type {
	MLX5DV_SIG_T10DIF_CRC,
	MLX5DV_SIG_T10DIF_CSUM,
};

/**
 * enum mlx5dv_sig_t10dif_bg_caps - block guards that a device supports
 * @MLX5DV_SIG_T10DIF_BG_CAP_CRC: CRC-16
 * @MLX5DV_SIG_T10DIF_BG_CAP_CSUM: IP checksum
 */
enum mlx5dv_sig_t10dif_bg_caps {
	MLX5DV_SIG_T10DIF_BG_CAP_CRC	= BIT(MLX5DV_SIG_T10DIF_CRC),
	MLX5DV_SIG_T10DIF_BG_CAP_CSUM	= BIT(MLX5DV_SIG_T10DIF_CSUM),
};

/**
 * enum mlx5dv_sig_crc_type - CRCs
 * @MLX5DV_SIG_CRC_TYPE_CRC32: CRC-32 of FC-PH, 4 bytes
 * @MLX5DV_SIG_CRC_TYPE_CRC32C: Castagnoli CRC of RFC 3720, 4 bytes
 * @MLX5DV_SIG_CRC_TYPE_CRC64_XP10: CRC-64 of XP10, 8 bytes
 */
enum mlx5dv_sig_crc_type {
	MLX5DV_SIG_CRC_TYPE_CRC32,
	MLX5DV_SIG_CRC_TYPE_CRC32C,
	MLX5DV_SIG_CRC_TYPE_CRC64_XP10,
};

/**
 * enum mlx5dv_sig_crc_type_caps - CRCs that a device supports
 * @MLX5DV_SIG_CRC_TYPE_CAP_CRC32: CRC-32
 * @MLX5DV_SIG_CRC_TYPE_CAP_CRC32C: CRC-32C
 * @MLX5DV_SIG_CRC_TYPE_CAP_CRC64_XP10: CRC-64
 */
enum mlx5dv_sig_crc_type_caps {
	MLX5DV_SIG_CRC_TYPE_CAP_CRC32		= BIT(MLX5DV_SIG_CRC_TYPE_CRC32),
	MLX5DV_SIG_CRC_TYPE_CAP_CRC32C		= BIT(MLX5DV_SIG_CRC_TYPE_CRC32C),
	MLX5DV_SIG_CRC_TYPE_CAP_CRC64_XP10	= BIT(MLX5DV_SIG_CRC_TYPE_CRC64_XP10),
};

/**
 * enum mlx5dv_block_size - size of the blocks of signatures, and of the data units of encryption
 * @MLX5DV_BLOCK_SIZE_512: 512 bytes
 * @MLX5DV_BLOCK_SIZE_520: 520 bytes
 * @MLX5DV_BLOCK_SIZE_4048: 4048 bytes
 * @MLX5DV_BLOCK_SIZE_4096: 4096 bytes
 * @MLX5DV_BLOCK_SIZE_4160: 4160 bytes
 */
enum mlx5dv_block_size {
	MLX5DV_BLOCK_SIZE_512,
	MLX5DV_BLOCK_SIZE_520,
	MLX5DV_BLOCK_SIZE_4048,
	MLX5DV_BLOCK_SIZE_4096,
	MLX5DV_BLOCK_SIZE_4160,
};

/**
 * enum mlx5dv_block_size_caps - block sizes that a device supports
 * @MLX5DV_BLOCK_SIZE_CAP_512: 512 bytes
 * @MLX5DV_BLOCK_SIZE_CAP_520: 520 bytes
 * @MLX5DV_BLOCK_SIZE_CAP_4048: 4048 bytes
 * @MLX5DV_BLOCK_SIZE_CAP_4096: 4096 bytes
 * @MLX5DV_BLOCK_SIZE_CAP_4160: 4160 bytes
 */
enum mlx5dv_block_size_caps {
	MLX5DV_BLOCK_SIZE_CAP_512	= BIT(MLX5DV_BLOCK_SIZE_512),
	MLX5DV_BLOCK_SIZE_CAP_520	= BIT(MLX5DV_BLOCK_SIZE_520),
	MLX5DV_BLOCK_SIZE_CAP_4048	= BIT(MLX5DV_BLOCK_SIZE_4048),
	MLX5DV_BLOCK_SIZE_CAP_4096	= BIT(MLX5DV_BLOCK_SIZE_4096),
	MLX5DV_BLOCK_SIZE_CAP_4160	= BIT(MLX5DV_BLOCK_SIZE_4160),
};

/**
 * struct mlx5dv_sig_caps - signatures that a device supports; all 0 without
 * signatures
 * @block_size: block sizes, of enum mlx5dv_block_size_caps
 * @block_prot: types, of enum mlx5dv_sig_prot_caps
 * @t10dif_bg: block guards, of enum mlx5dv_sig_t10dif_bg_caps
 * @crc_type: CRCs, of enum mlx5dv_sig_crc_type_caps
 */
struct mlx5dv_sig_caps {
	u64 block_size;
	u32 block_prot;
	u16 t10dif_bg;
	u16 crc_type;
};

/**
 * enum mlx5dv_sig_t10dif_flags - flags of T10-DIF
 * @MLX5DV_SIG_T10DIF_FLAG_REF_REMAP: the reference tag increases by 1 with each block
 * @MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE: a block whose application tag is 0xffff is not
 *	checked
 * @MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE: a block whose application tag is
 *	0xffff and whose reference tag is 0xffffffff is not checked; if both
 *	flags are set, APP_REF_ESCAPE applies
 */
enum mlx5dv_sig_t10dif_flags {
	MLX5DV_SIG_T10DIF_FLAG_REF_REMAP	= BIT(0),
	MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE	= BIT(1),
	MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE	= BIT(2),
};

/**
 * struct mlx5dv_sig_t10dif - T10-DIF of a domain
 * @bg_type: block guard
 * @bg: seed of the block guard, 0 or 0xffff
 * @app_tag: application tag to generate and to check
 * @ref_tag: reference tag to generate and to check, of the first block that is transferred
 * @flags: of enum mlx5dv_sig_t10dif_flags
 */
struct mlx5dv_sig_t10dif {
	enum mlx5dv_sig_t10dif_bg_type bg_type;
	u16 bg;
	u16 app_tag;
	u32 ref_tag;
	u16 flags;
};

/**
 * struct mlx5dv_sig_crc - CRC of a domain
 * @type: the CRC
 * @seed: seed of each block: all bits 0 or all bits 1. A CRC of 4 bytes has a seed of 32
 *	bits, and the high bits are ignored
 */
struct mlx5dv_sig_crc {
	enum mlx5dv_sig_crc_type type;
	u64 seed;
};

/**
 * struct mlx5dv_sig_block_domain - signatures of a domain
 * @sig_type: type of signature
 * @sig: attributes of the signature: @dif of T10-DIF, @crc of a CRC
 * @sig.dif: attributes of T10-DIF
 * @sig.crc: attributes of a CRC
 * @block_size: block size
 * @comp_mask: reserved, 0
 */
struct mlx5dv_sig_block_domain {
	enum mlx5dv_sig_type sig_type;
	union {
		const struct mlx5dv_sig_t10dif *dif;
		const struct mlx5dv_sig_crc *crc;
	} sig;
	enum mlx5dv_block_size block_size;
	u64 comp_mask;
};

/**
 * enum mlx5dv_sig_mask - usual values of check_mask and copy_mask
 * @MLX5DV_SIG_MASK_T10DIF_GUARD: block guard
 * @MLX5DV_SIG_MASK_T10DIF_APPTAG: application tag
 * @MLX5DV_SIG_MASK_T10DIF_REFTAG: reference tag
 * @MLX5DV_SIG_MASK_CRC32: CRC-32
 * @MLX5DV_SIG_MASK_CRC32C: CRC-32C
 * @MLX5DV_SIG_MASK_CRC64_XP10: CRC-64
 *
 * Bit 7 is the first byte of a signature. A CRC of 4 bytes has bits 7 to 4.
 */
enum mlx5dv_sig_mask {
	MLX5DV_SIG_MASK_T10DIF_GUARD	= 0xc0,
	MLX5DV_SIG_MASK_T10DIF_APPTAG	= 0x30,
	MLX5DV_SIG_MASK_T10DIF_REFTAG	= 0x0f,
	MLX5DV_SIG_MASK_CRC32		= 0xf0,
	MLX5DV_SIG_MASK_CRC32C		= MLX5DV_SIG_MASK_CRC32,
	MLX5DV_SIG_MASK_CRC64_XP10	= 0xff,
};

/**
 * enum mlx5dv_sig_block_attr_flags - flags of signature attributes
 * @MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK: copy_mask is set
 */
enum mlx5dv_sig_block_attr_flags {
	MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK	= BIT(0),
};

/**
 * struct mlx5dv_sig_block_attr - signature attributes of an mkey
 * @mem: memory domain; NULL if it has no signatures
 * @wire: wire domain; NULL if it has no signatures. At least one domain must
 *	have signatures
 * @flags: of enum mlx5dv_sig_block_attr_flags
 * @check_mask: bytes of the signature that are checked in the input domain, as in enum
 *	mlx5dv_sig_mask; bits of bytes that the signature does not have are
 *	ignored
 * @copy_mask: bytes of the signature that are copied from the input to the
 *	output domain, with MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK. Both
 *	domains must then have the same structure: the same block size, type
 *	of signature and, for CRCs, the same CRC. Else the chain fails with
 *	-EINVAL. The chain also fails if only one domain has signatures
 *	(libmlx5 ignores the flag then). Without the flag, the device copies the
 *	fields that two domains of the same structure configure alike: the
 *	CRC, if its seed is the same; for T10-DIF the guard (same type and
 *	seed), the application tag, and the reference tag (same tag and
 *	REF_REMAP)
 * @comp_mask: reserved, 0
 */
struct mlx5dv_sig_block_attr {
	const struct mlx5dv_sig_block_domain *mem;
	const struct mlx5dv_sig_block_domain *wire;
	u32 flags;
	u8 check_mask;
	u8 copy_mask;
	u64 comp_mask;
};

/**
 * mlx5dv_wr_set_mkey_sig_block() - set the signature attributes of an mkey
 * @mqp: QP on which mlx5dv_wr_mkey_configure() was called
 * @attr: signature attributes; not used after the call
 *
 * The mkey must have been created with MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE. A
 * configuration without this setter keeps the attributes, and
 * MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR removes them.
 *
 * The work request counts as one of the max_send_wr of the QP, and as one more
 * for each domain with signatures. A configuration that keeps the attributes
 * counts in the same way if it is the first after a signature error, because it
 * restarts the checks (see mlx5dv_mkey_check()). With this setter, the maximum
 * number of layout entries that fit in the work request is lower by 4 (see
 * mlx5dv_create_qp()).
 *
 * After a signature error was polled, chains with a configuration of the mkey fail,
 * with this setter or without:
 *
 * * -EBUSY: mlx5dv_mkey_check() was not called since the error was polled
 * * -EIO: the mkey was configured more than once between two calls of
 *   mlx5dv_mkey_check(). This error persists after a call of mlx5dv_mkey_check()
 *
 * The chain also fails with one of these errors:
 *
 * * -EINVAL: the mkey has no signatures, the attributes have no domain, a value is
 *   malformed or unknown, or the layout is longer than 2^32 - 1 bytes
 * * -EOPNOTSUPP: the device does not support the type of signature, the block size,
 *   the block guard or the CRC; or the work request also sets a layout that the device
 *   has to fetch from memory, because it is not inline in the WQE; or the mkey has
 *   signatures, an unchanged mlx5_ib drives its device, and ib_alloc_cq() has not
 *   created the send CQ of the QP
 * * -ENOMEM: the send queue does not have enough free entries, or the work request is
 *   too long
 * * -EBUSY: the mkey is part of an open chain of another QP
 *
 * After a failed chain and after ib_wr_abort(), the signature attributes are
 * the same as before the chain; libmlx5 leaves the attributes undefined. After a
 * posted configuration that completes with an error, set or reset the attributes.
 *
 * With an unchanged mlx5_ib, the completion of a work request that sets the attributes
 * has no valid opcode. If the work request fails, its status may be
 * IB_WC_WR_FLUSH_ERR instead of the reason. An ib_poll_cq() of the ULP may return
 * completions of parts of the work request then, whose wr_cqe has a callback that
 * does nothing.
 */
void mlx5dv_wr_set_mkey_sig_block(struct mlx5dv_qp_ex *mqp,
				  const struct mlx5dv_sig_block_attr *attr);

/**
 * enum mlx5dv_mkey_err_type - errors of mkeys
 * @MLX5DV_MKEY_NO_ERR: no error
 * @MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD: block guard of T10-DIF, or CRC
 * @MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG: reference tag
 * @MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG: application tag
 */
enum mlx5dv_mkey_err_type {
	MLX5DV_MKEY_NO_ERR,
	MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD,
	MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG,
	MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG,
};

/**
 * struct mlx5dv_sig_err - a signature error
 * @actual_value: value calculated from the transferred data
 * @expected_value: value found in the signature
 * @offset: offset in the transfer, at the start of a block
 */
struct mlx5dv_sig_err {
	u64 actual_value;
	u64 expected_value;
	u64 offset;
};

/**
 * struct mlx5dv_mkey_err - error of an mkey
 * @err_type: type of error
 * @err: details of the error, by type; undefined with MLX5DV_MKEY_NO_ERR
 * @err.sig: details of a signature error
 */
struct mlx5dv_mkey_err {
	enum mlx5dv_mkey_err_type err_type;
	union {
		struct mlx5dv_sig_err sig;
	} err;
};

/**
 * mlx5dv_mkey_check() - get the signature error of an mkey
 * @mkey: mkey with signatures
 * @err_info: gets the error, or MLX5DV_MKEY_NO_ERR, if the call returns 0
 *
 * Call this function after the end of the transfer: after the ULP has polled
 * the completion of the transfer, or of the receive with the message that
 * reports its end. The CQE of an error precedes the CQE of that completion.
 *
 * The result covers all transfers since the last call. If there was an error,
 * the first call returns 0 and stores the first error in @err_info. If several
 * parts of a block are wrong, the error is the first of guard, application tag
 * and reference tag; with an unchanged mlx5_ib, the first of guard, reference tag and
 * application tag.
 *
 * mlx5_ib drops errors that were not polled when their QP is moved to RESET, or
 * is destroyed by another function than mlx5dv_destroy_qp(). The QP is the QP of
 * the transfer, also if a peer has started the transfer. Then the device checks
 * no further transfer of the mkey, and this function reports no error. So poll the
 * CQs of such a QP until they are empty; otherwise destroy the mkeys of the
 * transfers that were in progress.
 *
 * After an error, the device checks no transfer of the mkey until a
 * configuration restarts the checks, with or without attributes. So calls after
 * the first return -EIO until the mkey is configured.
 *
 * A configuration that is built before an error of the previous configuration
 * was polled does not restart the checks. An mkey may be configured more than
 * once between two calls of this function, for example by a chain of
 * configurations and transfers. If such an mkey has an error, the first call
 * returns 0 and stores the error, or returns -EIO if the configurations set
 * signatures of different kinds. All further calls return -EIO, and all further
 * configurations fail with -EIO. The ULP must then destroy the mkey, or put it
 * back into its pool, when no transfer of the mkey is outstanding. libmlx5 does
 * not return -EIO then: it does not report errors in the transfers that the
 * device has not checked.
 *
 * Context: any but NMI.
 * Return:
 * * 0: @err_info is set
 * * -EINVAL: the mkey has no signatures
 * * -EIO: the device reported an error that is not known; or an error was
 *   reported before, and the device may not have checked the transfers after it
 */
int mlx5dv_mkey_check(struct mlx5dv_mkey *mkey, struct mlx5dv_mkey_err *err_info);

/**
 * mlx5dv_qp_cancel_posted_send_wrs() - cancel work requests after a signature error
 * @mqp: QP created with MLX5DV_QP_CREATE_SIG_PIPELINING, whose send queue is drained:
 *	IB_EVENT_SQ_DRAINED was reported
 * @wr_id: wr_id of the work requests to cancel
 *
 * The device does not execute the cancelled work requests. Signalled work
 * requests among them complete with success and with their own opcodes. Work
 * requests that the device has executed already are not affected. After the
 * call, move the QP from SQD to RTS by ib_modify_qp(). An mkey whose
 * configuration is cancelled needs another configuration, with all attributes.
 *
 * Context: process context, may sleep.
 * Return:
 * * the number of work requests that are cancelled, which may be 0
 * * -EINVAL: the send queue is not drained
 * * -EOPNOTSUPP: the QP was created without MLX5DV_QP_CREATE_SIG_PIPELINING
 * * -ENOMEM
 * * the error of the firmware command
 */
int mlx5dv_qp_cancel_posted_send_wrs(struct mlx5dv_qp_ex *mqp, u64 wr_id);

#endif /* RDMA_MLX5DV_SIG_H */
