/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Example of <rdma/mlx5dv_blk_crypto.h>: a block device with inline encryption, whose blocks are
 * memory of a peer.
 */
#ifndef CRYPTO_DISK_H
#define CRYPTO_DISK_H

#include <linux/blk-crypto-profile.h>
#include <linux/blk-mq.h>
#include <rdma/mlx5dv_blk_crypto.h>

#define CRYPTO_DISK_SLOTS	4	/* keys that are on the device at a time */
#define CRYPTO_DISK_DEPTH	16	/* requests under way */
#define CRYPTO_DISK_SEGMENTS	16	/* pieces of memory of a request */

/* memory of the peer, which the peer has registered for RDMA READ and WRITE */
struct crypto_disk_peer {
	u64 addr;
	u64 size;			/* bytes; a part of a sector at the end is not used */
	u32 rkey;
};

struct crypto_disk {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;		/* RC; the caller connects it */
	struct crypto_disk_peer peer;
	struct blk_crypto_profile profile;
	struct mlx5dv_dek *dek[CRYPTO_DISK_SLOTS];	/* by keyslot; NULL in an empty keyslot */
	struct mlx5dv_mkey *mkey[CRYPTO_DISK_DEPTH];	/* by tag of the request */
	struct blk_mq_tag_set tags;
	struct gendisk *disk;		/* NULL before crypto_disk_add() */
};

struct crypto_disk *crypto_disk_create(struct ib_pd *pd);
int crypto_disk_add(struct crypto_disk *d, const char *name, const struct crypto_disk_peer *peer);
void crypto_disk_destroy(struct crypto_disk *d);

#endif /* CRYPTO_DISK_H */
