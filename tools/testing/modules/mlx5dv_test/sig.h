/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Suites about block signatures. End 0 has an mkey with signatures, end 1 plain memory.
 */
#ifndef MLX5DV_TEST_SIG_H
#define MLX5DV_TEST_SIG_H

#include "moves.h"

#define SIG_MAX_LEN	8	/* bytes of a signature */

/**
 * struct sig_dom - attributes of a domain
 * @on: the domain has signatures
 * @type: sig_type of mlx5dv_sig_block_domain
 * @size: block_size of mlx5dv_sig_block_domain
 * @dif: attributes of T10-DIF
 * @crc: attributes of CRCs
 */
struct sig_dom {
	bool on;
	enum mlx5dv_sig_type type;
	enum mlx5dv_block_size size;
	struct mlx5dv_sig_t10dif dif;
	struct mlx5dv_sig_crc crc;
};

/**
 * struct sig_case - a configuration and the data of its transfers
 * @mem: memory domain
 * @wire: wire domain
 * @check_mask: check_mask of mlx5dv_sig_block_attr
 * @copy_mask: copy_mask of mlx5dv_sig_block_attr
 * @flags: flags of mlx5dv_sig_block_attr
 * @data: bytes of data, without signatures
 */
struct sig_case {
	struct sig_dom mem;
	struct sig_dom wire;
	u8 check_mask;
	u8 copy_mask;
	u32 flags;
	u32 data;
};

/**
 * struct sig_run - mkey and buffers of a case
 * @p: the pair
 * @mkey: mkey with signatures, of end 0
 * @c: the configuration
 * @in: bytes of the input domain
 * @out: expected bytes of the output domain
 * @in_len: bytes of @in
 * @out_len: bytes of @out
 * @no_crc: the device has T10-DIF only
 */
struct sig_run {
	struct t_pair *p;
	struct mlx5dv_mkey *mkey;
	struct sig_case c;
	u8 *in;
	u8 *out;
	u32 in_len;
	u32 out_len;
	bool no_crc;
};

/* bytes that the byte count of a data segment includes, selected by the parameter sig_count */
enum sig_reading {
	SIG_BY_DATA,		/* data; or bytes in memory, if both domains have signatures */
	SIG_BY_WIRE,
	SIG_BY_MEMORY,
	SIG_READINGS,
};

/* sig_ref.c */
u32 sig_block(const struct sig_dom *d);
u32 sig_len(const struct sig_dom *d);
u32 sig_bytes(const struct sig_dom *d, u32 data);
u32 sig_encode(const struct sig_dom *d, const u8 *data, u32 len, u8 *out);
u8 sig_mask_bit(const struct sig_dom *d, u32 byte);
u64 sig_value(const struct sig_dom *d, const u8 *sig, enum mlx5dv_mkey_err_type type);

/* sig_run.c */
int sig_query(struct sig_run *r);
int sig_with(struct t_pair *p, int (*run)(struct sig_run *r));
int sig_with_peer(struct t_pair *p, int (*run)(struct sig_run *r));

/**
 * struct dv_sig_case - a case with an mkey and two buffers
 * @with: sig_with() or sig_with_peer()
 * @run: runs the case
 */
struct dv_sig_case {
	int (*with)(struct t_pair *p, int (*run)(struct sig_run *r));
	int (*run)(struct sig_run *r);
};

int dv_sig_run(struct t_pair *p);

/* DV_SIG(name, with, opts): entry of a table of cases, for the function @name */
#define DV_SIG(name, with, opts)					\
	{ #name, dv_sig_run, opts, &(const struct dv_sig_case){ with, name } }

struct sig_dom sig_fit(const struct sig_run *r, const struct sig_dom *d);
void sig_fit_case(struct sig_run *r);
u32 sig_stride(void);
enum sig_reading sig_reading(void);
u32 sig_local_len(const struct sig_case *c);
void sig_build(struct t_end *e, const struct sig_case *c);
int sig_try(struct t_end *e, struct mlx5dv_mkey *mkey, const struct sig_case *c);
void sig_set_layout(const struct sig_run *r);
int sig_configure(struct sig_run *r);
void sig_make(struct sig_run *r, bool to_memory, u32 seed);
int sig_move(struct sig_run *r, enum move_op op);
int sig_compare(struct sig_run *r, enum move_op op);
int sig_check_stopped(struct sig_run *r);
int sig_check(struct sig_run *r, enum mlx5dv_mkey_err_type type, struct mlx5dv_sig_err *err);

/* sig_err.c */
int sig_left(struct t_pair *p);

/* sig_full.c */
int sig_full(struct t_pair *p);
int sig_full_refused(struct t_pair *p);

#endif /* MLX5DV_TEST_SIG_H */
