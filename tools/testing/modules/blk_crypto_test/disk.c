// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The disk of samples/crypto_disk.c. Data that are written with a key are ciphertext at the peer,
 * identical to the output of the kernel's cipher. Data that are read are plaintext. The case
 * disk_hold keeps the disk while the shell test uses the block device.
 */
#include <linux/delay.h>
#include <linux/part_stat.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "blk_crypto_test.h"

#define MANY		24		/* I/Os at a time */
#define MANY_KEYS	(CRYPTO_DISK_SLOTS + 2)
#define HOLD_MS		600000

/* write, compare the complete store, and read */
static int go_round(struct bt_run *r, struct bt_io *io)
{
	const u64 at = io->sector << SECTOR_SHIFT;

	memset(r->store, T_GUARD, BT_STORE);
	T_TRY(bt_write(r, io));
	T_EXPECT(!!memchr_inv(r->store, T_GUARD, at), 0);
	T_EXPECT(!!memchr_inv(r->store + at + io->len, T_GUARD, BT_STORE - at - io->len), 0);
	/* the peer has the plaintext if, and only if, there is no key */
	T_EXPECT(!memcmp(r->store + at, io->data, io->len), !io->key);
	return bt_read(r, io);
}

/* go_round() with new memory */
static int try_io(struct bt_run *r, const struct bt_io *attr, u32 seed)
{
	struct bt_io io = *attr;
	int ret = bt_alloc(&io, seed) ?: go_round(r, &io);

	bt_free(&io);
	return ret;
}

/* both data unit sizes, bios of pages and of parts of pages, DUNs of more than 32 and 64 bits */
static int disk_units(struct bt_run *r)
{
	static const struct {
		u32 unit, piece;
	} shapes[] = { { 512, PAGE_SIZE }, { 512, 512 }, { 4096, PAGE_SIZE } };
	static const u64 duns[][2] = {
		{ 0, 0 }, { 77, 0 }, { 0xfffffffe, 0 }, { 0x123456789abc, 0 }, { ~0ull, 7 },
	};
	struct blk_crypto_key key;
	int i;

	for (i = 0; i < ARRAY_SIZE(shapes) * ARRAY_SIZE(duns); i++) {
		const u64 *dun = duns[i % ARRAY_SIZE(duns)];
		struct bt_io io = {
			.sector = 3 + i, .len = SZ_8K, .piece = shapes[i / ARRAY_SIZE(duns)].piece,
			.key = &key, .dun = { dun[0], dun[1] },
		};
		int ret;

		bt_key(&key, shapes[i / ARRAY_SIZE(duns)].unit, i);
		ret = try_io(r, &io, i);
		/* the key must be evicted before its memory is used for the next key */
		blk_crypto_evict_key(r->bdev, &key);
		if (ret)
			return ret;
	}
	return 0;
}

/* a bio without a key is not encrypted */
static int disk_plain(struct bt_run *r)
{
	const struct bt_io io = { .sector = 40, .len = SZ_64K + SZ_4K, .piece = 2048 };

	return try_io(r, &io, 1);
}

static u64 writes_of(const struct bt_run *r)
{
	return part_stat_read(r->bdev, ios[STAT_WRITE]);
}

/*
 * Bios that are longer, or in more pieces, than a request may be. The block
 * layer splits them. Each part must be encrypted with the DUN of its first unit.
 */
static int disk_split(struct bt_run *r)
{
	static const struct {
		u32 unit, piece, len;
	} shapes[] = { { 4096, PAGE_SIZE, SZ_256K }, { 512, 512, SZ_32K } };
	struct blk_crypto_key key;
	int i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		const struct bt_io io = {
			.sector = 9, .len = shapes[i].len, .piece = shapes[i].piece, .key = &key,
			.dun = { 0xffffffe0, 0 },
		};
		const u64 before = writes_of(r);
		int ret;

		bt_key(&key, shapes[i].unit, i);
		ret = try_io(r, &io, i);
		blk_crypto_evict_key(r->bdev, &key);
		if (ret)
			return ret;
		/* the last of the four requests may be counted later */
		if (writes_of(r) < before + 3)
			return T_FAIL("the bio was not split");
	}
	return 0;
}

static int count_deks(const struct bt_run *r)
{
	int i, n = 0;

	for (i = 0; i < CRYPTO_DISK_SLOTS; i++)
		n += !!READ_ONCE(r->d->dek[i]);
	return n;
}

/*
 * I/Os of 4 KiB to successive sectors. Groups of three I/Os have the same key and successive DUNs.
 */
static int alloc_many(struct bt_io *io, const struct blk_crypto_key *keys)
{
	int i;

	for (i = 0; i < MANY; i++) {
		io[i].sector = 8 * i;
		io[i].len = SZ_4K;
		io[i].piece = PAGE_SIZE;
		io[i].key = &keys[i / 3 % MANY_KEYS];
		io[i].dun[0] = 1000 + i * (SZ_4K / io[i].key->crypto_cfg.data_unit_size);
		T_TRY(bt_alloc(&io[i], i));
	}
	return 0;
}

/* submits all I/Os before it waits; the block layer may have merged some */
static int move_many(struct bt_run *r, struct bt_io *io, enum req_op op)
{
	struct blk_plug plug;
	int i, err = 0;

	blk_start_plug(&plug);
	for (i = 0; i < MANY; i++)
		bt_submit(r, &io[i], op);
	blk_finish_plug(&plug);
	for (i = 0; i < MANY; i++)
		err = bt_wait(&io[i]) ?: err;
	T_EXPECT(err, 0);
	return 0;
}

static int many_with(struct bt_run *r, struct bt_io *io, const struct blk_crypto_key *keys)
{
	int i;

	T_TRY(alloc_many(io, keys));
	T_TRY(move_many(r, io, REQ_OP_WRITE));
	for (i = 0; i < MANY; i++)
		T_TRY(bt_check_store(r, &io[i]));
	T_TRY(move_many(r, io, REQ_OP_READ));
	for (i = 0; i < MANY; i++)
		T_TRY(bt_check_data(&io[i]));
	T_EXPECT(count_deks(r), CRYPTO_DISK_SLOTS);
	return 0;
}

/* more keys than slots, at the same time; after eviction no DEK is left */
static int disk_many(struct bt_run *r)
{
	struct blk_crypto_key *keys = kcalloc(MANY_KEYS, sizeof(*keys), GFP_KERNEL);
	struct bt_io *io = kcalloc(MANY, sizeof(*io), GFP_KERNEL);
	int i, ret = -ENOMEM;

	if (keys && io) {
		for (i = 0; i < MANY_KEYS; i++)
			bt_key(&keys[i], i & 1 ? 512 : 4096, i);
		ret = many_with(r, io, keys);
		for (i = 0; i < MANY_KEYS; i++)
			blk_crypto_evict_key(r->bdev, &keys[i]);
		for (i = 0; i < MANY; i++)
			bt_free(&io[i]);
	}
	kfree(io);
	kfree_sensitive(keys);
	if (!ret)
		T_EXPECT(count_deks(r), 0);
	return ret;
}

/* a key that was evicted can be used again */
static int evict_and_use(struct bt_run *r, struct bt_io *io)
{
	int i;

	T_TRY(bt_write(r, io));
	T_EXPECT(count_deks(r), 1);
	for (i = 0; i < 3; i++) {
		blk_crypto_evict_key(r->bdev, io->key);
		T_EXPECT(count_deks(r), 0);
		T_TRY(bt_read(r, io));
		T_EXPECT(count_deks(r), 1);
	}
	return 0;
}

/*
 * Reads with another key, another DUN or no key do not fail. They return the
 * bytes that decryption with these parameters yields.
 */
static int read_wrong(struct bt_run *r, struct bt_io *io)
{
	struct blk_crypto_key other;
	struct bt_io bad = *io;
	int ret;

	T_TRY(bt_write(r, io));
	bad.dun[0]++;
	T_TRY(bt_read(r, &bad));
	bad.key = NULL;
	T_TRY(bt_read(r, &bad));
	bt_key(&other, 4096, 99);
	bad = *io;
	bad.key = &other;
	ret = bt_read(r, &bad);
	blk_crypto_evict_key(r->bdev, &other);
	return ret ?: bt_read(r, io);
}

static int with_io(struct bt_run *r, int (*run)(struct bt_run *r, struct bt_io *io))
{
	struct blk_crypto_key key;
	struct bt_io io = {
		.sector = 16, .len = SZ_16K, .piece = PAGE_SIZE, .key = &key, .dun = { 3 },
	};
	int ret;

	bt_key(&key, 4096, 5);
	ret = bt_alloc(&io, 8) ?: run(r, &io);
	blk_crypto_evict_key(r->bdev, &key);
	bt_free(&io);
	return ret;
}

static int disk_evict(struct bt_run *r)
{
	return with_io(r, evict_and_use);
}

static int disk_wrong(struct bt_run *r)
{
	return with_io(r, read_wrong);
}

/*
 * The key is not evicted, so its DEK exists until the disk is destroyed. A DEK that exists when the
 * device is torn down is a violation (obj_leak).
 */
static int disk_leave(struct bt_run *r)
{
	static struct blk_crypto_key key;
	const struct bt_io io = {
		.sector = 1, .len = SZ_4K, .piece = PAGE_SIZE, .key = &key,
	};

	bt_key(&key, 512, 6);
	T_TRY(try_io(r, &io, 2));
	T_EXPECT(count_deks(r), 1);
	return 0;
}

static int disk_hold(struct bt_run *r)
{
	int ms;

	for (ms = 0; ms < HOLD_MS; ms += 20) {
		if (!bt_holds())
			return 0;
		msleep(20);
	}
	return T_FAIL("the disk was not released");
}

const struct t_case bt_disk_cases[] = {
	BT_CASE(disk_units),
	BT_CASE(disk_plain),
	BT_CASE(disk_split),
	BT_CASE(disk_many),
	BT_CASE(disk_evict),
	BT_CASE(disk_wrong),
	BT_CASE(disk_leave),
	BT_CASE(disk_hold),
	{ }
};
