// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Refused and failed requests: no data of a bio with a key reach the peer in plaintext. For the
 * cases whose names begin with disk_caps, the shell test loads the simulator with other
 * capabilities.
 */
#include <linux/string.h>

#include "blk_crypto_test.h"

/* a bio that must fail; no byte of its data may arrive */
static int expect_refused(struct bt_run *r, struct bt_io *io, int err)
{
	memset(r->store, T_GUARD, BT_STORE);
	bt_submit(r, io, REQ_OP_WRITE);
	T_EXPECT(bt_wait(io), err);
	T_EXPECT(!!memchr_inv(r->store, T_GUARD, BT_STORE), 0);
	return 0;
}

/*
 * keys that the disk does not support, one of each kind; no such key gets a slot
 */
static int disk_bad_keys(struct bt_run *r, struct bt_io *io)
{
	const struct blk_crypto_key *good = io->key;
	struct blk_crypto_key bad;

	io->key = &bad;
#define BAD(field, value, err)							\
	do {									\
		bad = *good;							\
		bad.field = (value);						\
		T_TRY(expect_refused(r, io, err));				\
	} while (0)
	BAD(crypto_cfg.crypto_mode, BLK_ENCRYPTION_MODE_ADIANTUM, -EOPNOTSUPP);
	BAD(crypto_cfg.crypto_mode, BLK_ENCRYPTION_MODE_AES_128_CBC_ESSIV, -EOPNOTSUPP);
	BAD(crypto_cfg.data_unit_size, 1024, -EOPNOTSUPP);
	BAD(crypto_cfg.data_unit_size, 2048, -EOPNOTSUPP);
	BAD(crypto_cfg.dun_bytes, 17, -EOPNOTSUPP);
	/* the configuration of these keys is supported, but the disk creates no DEK of this size */
	BAD(size, 32, -EINVAL);
	BAD(size, 0, -EINVAL);
#undef BAD
	io->key = good;
	return 0;
}

static int disk_bad_bios(struct bt_run *r, struct bt_io *io)
{
	/* the length is not a multiple of the data unit */
	io->len -= 512;
	T_TRY(expect_refused(r, io, -EINVAL));
	io->len += 512;
	/* the DUN has more than 128 bits */
	io->dun[2] = 1;
	T_TRY(expect_refused(r, io, -EIO));
	io->dun[2] = 0;
	/* the first sector is beyond the end of the disk */
	io->sector = BT_STORE >> SECTOR_SHIFT;
	T_TRY(expect_refused(r, io, -EIO));
	io->sector = 0;
	T_TRY(bt_write(r, io));
	return bt_read(r, io);
}

/* the device refuses the first DEK, and creates the second one */
static int disk_no_dek(struct bt_run *r, struct bt_io *io)
{
	memset(r->store, T_GUARD, BT_STORE);
	bt_submit(r, io, REQ_OP_WRITE);
	if (!bt_wait(io))
		return T_FAIL("written without a DEK");
	T_EXPECT(!!memchr_inv(r->store, T_GUARD, BT_STORE), 0);
	T_TRY(bt_write(r, io));
	return bt_read(r, io);
}

/* a bio with a key, and one without, on a QP in error */
static int disk_in_error(struct bt_run *r, struct bt_io *io)
{
	T_TRY(bt_write(r, io));
	T_TRY(t_move(r->d->qp, IB_QPS_ERR));
	T_TRY(expect_refused(r, io, -EIO));
	bt_submit(r, io, REQ_OP_READ);
	T_EXPECT(bt_wait(io), -EIO);
	io->key = NULL;
	return expect_refused(r, io, -EIO);
}

/* the peer does not respond, so the write fails while data move */
static int disk_no_answer(struct bt_run *r, struct bt_io *io)
{
	T_TRY(bt_write(r, io));
	T_TRY(t_move(r->p->end[1].qp, IB_QPS_ERR));
	T_TRY(expect_refused(r, io, -EIO));
	/* the QP of the disk is in error from here on */
	return expect_refused(r, io, -EIO);
}

struct io_case {
	int (*run)(struct bt_run *r, struct bt_io *io);
};

static int with_io(struct bt_run *r)
{
	const struct io_case *c = r->p->arg;
	struct blk_crypto_key key;
	struct bt_io io = { .len = SZ_8K, .piece = PAGE_SIZE, .key = &key, .dun = { 3 } };
	int ret;

	bt_key(&key, 4096, 7);
	ret = bt_alloc(&io, 9) ?: c->run(r, &io);
	blk_crypto_evict_key(r->bdev, &key);
	bt_free(&io);
	return ret;
}

static int run_io(struct t_pair *p)
{
	return bt_with(p, with_io);
}

/* entry of the table of cases, for the function @name */
#define BT_IO(name)	{ #name, run_io, &bt_opts, &(const struct io_case){ name } }

/*
 * the device does not support encryption, or not the kind that the disk needs: the disk is not
 * created
 */
static int no_disk(struct t_pair *p)
{
	struct crypto_disk *d = crypto_disk_create(p->end[0].pd);

	if (!IS_ERR(d)) {
		crypto_disk_destroy(d);
		return T_FAIL("there is a disk");
	}
	T_EXPECT(PTR_ERR(d), -EOPNOTSUPP);
	return 0;
}

const struct t_case bt_disk_bad_cases[] = {
	BT_IO(disk_bad_keys),
	BT_IO(disk_bad_bios),
	BT_IO(disk_no_dek),
	BT_IO(disk_in_error),
	BT_IO(disk_no_answer),
	{ "disk_caps_none", no_disk, &bt_opts },
	{ "disk_caps_single", no_disk, &bt_opts },
	{ "disk_caps_wrapped", no_disk, &bt_opts },
	{ }
};
