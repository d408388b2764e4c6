/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * blk_crypto_test: suites of ibx_test on samples/crypto_disk.c. Directory and module
 * blk_crypto_test, prefix bt_.
 *
 * The disk is at end 0. Its sectors are memory of end 1, which the cases read.
 * The pair is created unconnected: bt_with() connects the QP of the disk to the
 * QP of end 1; the QP of end 0 is not used.
 */
#ifndef BLK_CRYPTO_TEST_H
#define BLK_CRYPTO_TEST_H

#include <linux/bio.h>
#include <linux/completion.h>
#include <linux/sizes.h>

#include "../../../../samples/crypto_disk.h"
#include "../ibx_test/ibx_test.h"

#define BT_STORE	SZ_2M		/* bytes of the disk */
#define BT_DISK		"cryptdisk"

/**
 * struct bt_run - disk and memory of a case
 * @p: the pair
 * @d: the disk, at end 0
 * @bdev: block device of @d
 * @store: sectors of @d, in memory of end 1
 * @sg: @store, mapped for DMA
 * @mr: MR of @store
 */
struct bt_run {
	struct t_pair *p;
	struct crypto_disk *d;
	struct block_device *bdev;
	u8 *store;
	struct scatterlist sg;
	struct ib_mr *mr;
};

/**
 * struct bt_io - a bio and its data
 * @op: REQ_OP_READ or REQ_OP_WRITE
 * @sector: first sector
 * @len: bytes
 * @piece: bytes of each page that belong to the bio
 * @key: key, or NULL
 * @dun: data unit number of the first data unit
 * @mem: one page for each @piece, from vmalloc()
 * @data: plaintext, @len contiguous bytes
 * @want: @len contiguous bytes that the sectors must hold
 * @bio: [0] the submitted bio; [1] the bio that it was cloned from
 * @done: completed when the bio ends
 * @err: result of the bio: 0 or a negative errno
 */
struct bt_io {
	enum req_op op;
	u64 sector;
	u32 len;
	u32 piece;
	const struct blk_crypto_key *key;
	u64 dun[BLK_CRYPTO_DUN_ARRAY_SIZE];
	u8 *mem;
	u8 *data;
	u8 *want;
	struct bio *bio[2];
	struct completion done;
	int err;
};

/* disk_run.c */
extern const struct t_opts bt_opts;
int bt_with(struct t_pair *p, int (*run)(struct bt_run *r));

/**
 * struct bt_case - a case with a disk
 * @run: runs the case
 */
struct bt_case {
	int (*run)(struct bt_run *r);
};

int bt_case_run(struct t_pair *p);

/* BT_CASE(name): entry of a table of cases, for the function @name */
#define BT_CASE(name)	{ #name, bt_case_run, &bt_opts, &(const struct bt_case){ name } }

/* io.c */
void bt_key(struct blk_crypto_key *key, u32 unit, u32 seed);
int bt_alloc(struct bt_io *io, u32 seed);
void bt_free(struct bt_io *io);
int bt_reference(const struct bt_io *io, bool encrypt, u8 *buf);
void bt_submit(struct bt_run *r, struct bt_io *io, enum req_op op);
int bt_wait(struct bt_io *io);
int bt_check_store(struct bt_run *r, const struct bt_io *io);
int bt_check_data(const struct bt_io *io);
int bt_write(struct bt_run *r, struct bt_io *io);
int bt_read(struct bt_run *r, struct bt_io *io);

/* disk.c, disk_bad.c */
extern const struct t_case bt_disk_cases[];
extern const struct t_case bt_disk_bad_cases[];

/* main.c: the case disk_hold keeps the disk while bt_holds() is true (module parameter hold=Y) */
bool bt_holds(void);

#endif /* BLK_CRYPTO_TEST_H */
