/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: common code of the suites that compare mkey configurations with
 * those that libmlx5 (rdma-core 44) wrote, with signatures, encryption or both.
 *
 * tools/testing/programs/libmlx5/probe.c makes the calls on stock mlx5_ib
 * (Linux 6.12.117), and record.sh there prints the bytes, which are unchanged
 * here. A configuration of signatures is a UMR with the BSF behind the layout,
 * and a SET_PSV WQE for each domain.
 *
 * mlx5_ibx differs in three points:
 *
 *  - the fence of a UMR, which the common code sets to the value of libmlx5;
 *  - the number of errors: mlx5_ibx writes this field whenever it sets
 *    signature attributes, libmlx5 only after an error. The common code checks
 *    the field and clears it;
 *  - the fourth word of a SET_PSV WQE, which is reserved: libmlx5 does not
 *    write the word, mlx5_ibx clears it.
 */
#ifndef MLX5_IBX_TESTS_RECORDED_H
#define MLX5_IBX_TESTS_RECORDED_H

#include "dv/crypto.h"
#include "dv/mkey.h"
#include "enc/bsf.h"
#include "kunit.h"

#define REC_LKEY	0x1300
#define REC_BUF		0x700000000000
#define REC_ENTRIES	48
#define REC_DEK		1
#define REC_SERIAL	7

/**
 * struct rec - an mkey, and a QP that configures the mkey
 * @kt: device and QP
 * @mqp: the QP, for mlx5dv_wr_*()
 * @qpx: the QP, for ib_wr_*()
 * @mkey: the mkey
 * @sig: signatures of @mkey, if it has signatures
 * @both: BSFs of @mkey, if it has signatures and encryption
 * @dek: a DEK with a keytag
 * @sge: entries of a list
 * @data: entries of an interleaved layout
 */
struct rec {
	struct kt *kt;
	struct mlx5dv_qp_ex *mqp;
	struct ib_qp_ex *qpx;
	struct ibx_mkey mkey;
	struct ibx_sig sig;
	struct ibx_both both;
	struct mlx5dv_dek dek;
	struct ib_sge sge[REC_ENTRIES];
	struct mlx5dv_mr_interleaved data[REC_ENTRIES];
};

/**
 * struct rec_case - a recorded work request
 * @name: name in probe.c
 * @build: makes the calls between ib_wr_start() and ib_wr_complete()
 * @n: argument of @build
 * @hex: bytes of the UMR
 * @psv: bytes of the SET_PSV WQEs behind the UMR
 * @on: the mkey has signature attributes before this configuration
 * @first: this is the first configuration of the mkey
 */
struct rec_case {
	const char *name;
	void (*build)(struct rec *r, int n);
	int n;
	const char *hex;
	const char *psv[IBX_SIG_DOMAINS];
	bool on;
	bool first;
};

/*
 * Signature domains, as probe.c writes them. A comp_mask other than 0 means
 * that the domain has no signature.
 */
#define T10(size, type, seed, app, ref, f)	{ MLX5DV_SIG_TYPE_T10DIF, {		\
	.dif = &(const struct mlx5dv_sig_t10dif){					\
		MLX5DV_SIG_T10DIF_##type, seed, app, ref, f } },			\
	MLX5DV_BLOCK_SIZE_##size, 0 }
#define CRC(size, type, seed)	{ MLX5DV_SIG_TYPE_CRC, {				\
	.crc = &(const struct mlx5dv_sig_crc){ MLX5DV_SIG_CRC_TYPE_##type, seed } },	\
	MLX5DV_BLOCK_SIZE_##size, 0 }
#define NO_DOMAIN	{ .comp_mask = 1 }

#define REMAP		MLX5DV_SIG_T10DIF_FLAG_REF_REMAP
#define ESC_APP		MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE
#define ESC_REF		MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE

/* crypto attributes of probe.c */
extern const struct mlx5dv_crypto_attr rec_cryptos[5];

void rec_desc(const struct rec_case *c, char *desc);
struct rec *rec_create(struct kunit *test, u32 key, u32 flags);
int rec_post_at(struct rec *r, u16 cur, void (*build)(struct rec *r, int n), int n);
void rec_expect(struct rec *r, const struct rec_case *c);

/* calls of probe.c */
void rec_begin(struct rec *r, u8 setters, u32 conf_flags);
void rec_set_list(struct rec *r);
void rec_set_sig(struct rec *r, int n);
void rec_set_crypto(struct rec *r, int n);
void rec_sig_alone(struct rec *r, int n);
void rec_crypto_alone(struct rec *r, int n);
void rec_keep(struct rec *r, int n);
void rec_reset(struct rec *r, int n);

#endif /* MLX5_IBX_TESTS_RECORDED_H */
