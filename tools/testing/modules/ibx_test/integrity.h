/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ibx_test: blocks of data with T10-DIF, for suites about integrity MRs. See integrity.c.
 */
#ifndef IBX_TEST_INTEGRITY_H
#define IBX_TEST_INTEGRITY_H

#include <linux/t10-pi.h>

#include "ibx_test.h"

#define T_PI_BLOCK	512
#define T_PI_BLOCKS	4
#define T_PI_DATA	(T_PI_BLOCKS * T_PI_BLOCK)
#define T_PI_META	(T_PI_BLOCKS * sizeof(struct t10_pi_tuple))
#define T_PI_STREAM	(T_PI_DATA + T_PI_META)
#define T_PI_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

/**
 * struct t_pi - a transfer
 * @mem: protection information in the memory of end 0
 * @between: protection information in memory is between the blocks of data, not
 *	in a second list
 * @wire: protection information on the wire
 * @op: RDMA WRITE or READ of end 0, or the opposite operation of end 1
 * @pieces: number of elements of the lists of data and of metadata
 * @gaps: the pieces begin and end at any byte
 * @spoil: part of a block in which a byte is changed before the transfer
 * @block: index of the block
 */
struct t_pi {
	bool mem;
	bool between;
	bool wire;
	enum ib_wr_opcode op;
	int pieces;
	bool gaps;
	enum { T_PI_GOOD, T_PI_GUARD, T_PI_APP_TAG, T_PI_REF_TAG, T_PI_BYTE } spoil;
	u32 block;
};

/**
 * struct t_pi_lists - lists of a transfer
 * @data: data of end 0
 * @meta: protection information of @data
 * @data_nents: elements of @data
 * @meta_nents: elements of @meta; 0 if there is no second list with protection
 *	information
 */
struct t_pi_lists {
	struct scatterlist data[T_PI_BLOCKS];
	struct scatterlist meta[T_PI_BLOCKS];
	int data_nents;
	int meta_nents;
};

extern const struct t_opts t_pi_opts;

u32 t_pi_prepare(struct t_pair *p, const struct t_pi *k, u8 *stream);
void t_pi_attrs(struct ib_sig_attrs *attrs, const struct t_pi *k);
void t_pi_lists(struct t_end *e, const struct t_pi *k, struct t_pi_lists *l);
int t_pi_check_status(const struct ib_mr_status *st, const struct t_pi *k);
int t_pi_arrived(struct t_pair *p, const struct t_pi *k, const u8 *stream, u32 len);
void t_pi_log(const struct t_pi *k);
int t_pi_open(struct t_pair *p);

#endif /* IBX_TEST_INTEGRITY_H */
