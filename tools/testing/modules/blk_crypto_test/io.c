// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bios with encryption contexts, their data, and the kernel's cipher to compare with.
 *
 * bio_crypt_set_ctx() is not exported to modules. The block layer allocates a
 * context for a clone of a bio, so the submitted bio is a clone of a bio whose
 * context is on the stack.
 */
#include <crypto/skcipher.h>
#include <linux/blkdev.h>
#include <linux/log2.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>

#include "blk_crypto_test.h"
#include "compat.h"

static void fill_bytes(u8 *buf, u32 len, u32 x)
{
	u32 i;

	for (i = 0; i < len; i++) {
		x = x * 1103515245 + 12345;
		buf[i] = x >> 16;
	}
}

/**
 * bt_key() - make a key, because blk_crypto_init_key() is not exported
 * @key: receives the key, for DUNs of 16 bytes
 * @unit: bytes of a data unit
 * @seed: seed of the key
 */
void bt_key(struct blk_crypto_key *key, u32 unit, u32 seed)
{
	*key = (struct blk_crypto_key){
		.crypto_cfg = {
			.crypto_mode = BLK_ENCRYPTION_MODE_AES_256_XTS,
			.data_unit_size = unit,
			.dun_bytes = 16,
			T_BLK_KEY_IS_RAW
			T_BLK_KEY_ALLOWS_HW
		},
		.data_unit_size_bits = ilog2(unit),
		.size = 64,
	};
	fill_bytes(t_blk_key_bytes(key), 64, seed * 7 + unit);
}

/**
 * bt_alloc() - allocate memory of an I/O
 * @io: I/O with @io->len, @io->piece, @io->key and @io->dun
 * @seed: seed of the plaintext
 *
 * Return: 0 or a negative errno, after which bt_free() frees the rest.
 */
int bt_alloc(struct bt_io *io, u32 seed)
{
	io->mem = vzalloc(DIV_ROUND_UP(io->len, io->piece) * PAGE_SIZE);
	io->data = kmalloc(io->len, GFP_KERNEL);
	io->want = kmalloc(io->len, GFP_KERNEL);
	if (!io->mem || !io->data || !io->want)
		return -ENOMEM;
	fill_bytes(io->data, io->len, seed);
	memcpy(io->want, io->data, io->len);
	return io->key ? bt_reference(io, true, io->want) : 0;
}

/**
 * bt_free() - free memory of an I/O
 * @io: I/O, zeroed before bt_alloc()
 */
void bt_free(struct bt_io *io)
{
	kfree(io->want);
	kfree(io->data);
	vfree(io->mem);
}

static int crypt_units(struct skcipher_request *req, const struct bt_io *io, bool encrypt, u8 *buf)
{
	const u32 unit = io->key->crypto_cfg.data_unit_size;
	u64 low = io->dun[0], high = io->dun[1];
	struct scatterlist sg;
	u8 iv[16];
	int err = 0;
	u32 at;

	for (at = 0; at < io->len && !err; at += unit) {
		put_unaligned_le64(low, iv);
		put_unaligned_le64(high, iv + 8);
		sg_init_one(&sg, buf + at, unit);
		skcipher_request_set_callback(req, CRYPTO_TFM_REQ_MAY_SLEEP, NULL, NULL);
		skcipher_request_set_crypt(req, &sg, &sg, unit, iv);
		err = encrypt ? crypto_skcipher_encrypt(req) : crypto_skcipher_decrypt(req);
		if (!++low)
			high++;
	}
	return err;
}

/**
 * bt_reference() - encrypt or decrypt in place, as blk-crypto-fallback does
 * @io: I/O with a key
 * @encrypt: encrypt, otherwise decrypt
 * @buf: @io->len bytes, in memory of kmalloc()
 *
 * Return: 0 or a negative errno.
 */
int bt_reference(const struct bt_io *io, bool encrypt, u8 *buf)
{
	struct crypto_skcipher *tfm = crypto_alloc_skcipher("xts(aes)", 0, CRYPTO_ALG_ASYNC);
	struct skcipher_request *req;
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = crypto_skcipher_setkey(tfm, t_blk_key_bytes(io->key), 64);
	req = skcipher_request_alloc(tfm, GFP_KERNEL);
	if (!err)
		err = req ? crypt_units(req, io, encrypt, buf) : -ENOMEM;
	skcipher_request_free(req);
	crypto_free_skcipher(tfm);
	return err;
}

static void end_bio(struct bio *bio)
{
	struct bt_io *io = bio->bi_private;

	io->err = blk_status_to_errno(bio->bi_status);
	complete(&io->done);
}

/* copy between @io->data and the pages of the bio */
static void copy_data(const struct bt_io *io, bool to_mem)
{
	u32 at, n;

	for (at = 0; at < io->len; at += n) {
		u8 *page = io->mem + at / io->piece * PAGE_SIZE;

		n = min(io->piece, io->len - at);
		if (to_mem)
			memcpy(page, io->data + at, n);
		else
			memcpy(io->data + at, page, n);
	}
}

static void make_bios(struct bt_run *r, struct bt_io *io)
{
	const u32 pages = DIV_ROUND_UP(io->len, io->piece);
	struct bio_crypt_ctx ctx = { .bc_key = io->key };
	struct bio *src;
	u32 i;

	src = bio_alloc(r->bdev, pages, io->op, GFP_KERNEL);
	src->bi_iter.bi_sector = io->sector;
	for (i = 0; i < pages; i++)
		__bio_add_page(src, vmalloc_to_page(io->mem + i * PAGE_SIZE),
			       min(io->piece, io->len - i * io->piece), 0);
	memcpy(ctx.bc_dun, io->dun, sizeof(ctx.bc_dun));
	src->bi_crypt_context = io->key ? &ctx : NULL;
	io->bio[0] = bio_alloc_clone(r->bdev, src, GFP_KERNEL, &fs_bio_set);
	src->bi_crypt_context = NULL;
	io->bio[1] = src;
}

/**
 * bt_submit() - submit a bio
 * @r: the run
 * @io: I/O of bt_alloc()
 * @op: REQ_OP_READ, or REQ_OP_WRITE, which writes @io->data
 */
void bt_submit(struct bt_run *r, struct bt_io *io, enum req_op op)
{
	io->op = op;
	if (op == REQ_OP_WRITE)
		copy_data(io, true);
	else
		memset(io->mem, T_GUARD, DIV_ROUND_UP(io->len, io->piece) * PAGE_SIZE);
	init_completion(&io->done);
	make_bios(r, io);
	io->bio[0]->bi_private = io;
	io->bio[0]->bi_end_io = end_bio;
	submit_bio(io->bio[0]);
}

/**
 * bt_wait() - wait for the bio of bt_submit()
 * @io: I/O; after a READ, @io->data are the data read
 *
 * Return: 0, or the errno of the bio.
 */
int bt_wait(struct bt_io *io)
{
	wait_for_completion_io(&io->done);
	bio_put(io->bio[0]);
	bio_put(io->bio[1]);
	if (io->op == REQ_OP_READ)
		copy_data(io, false);
	return io->err;
}

/**
 * bt_check_store() - compare the sectors of an I/O, at the peer, with @io->want
 * @r: the run
 * @io: I/O
 *
 * Return: 0 or -EIO.
 */
int bt_check_store(struct bt_run *r, const struct bt_io *io)
{
	const u8 *sectors = r->store + (io->sector << SECTOR_SHIFT);
	u32 i;

	ib_dma_sync_single_for_cpu(r->p->end[1].dev, sg_dma_address(&r->sg), BT_STORE,
				   DMA_BIDIRECTIONAL);
	for (i = 0; i < io->len; i++)
		if (sectors[i] != io->want[i])
			return T_FAIL("sector %llu, byte %u: %02x at the peer, expected %02x",
				      io->sector, i, sectors[i], io->want[i]);
	return 0;
}

/**
 * bt_check_data() - compare the bytes read with the plaintext of @io->want
 * @io: I/O
 *
 * Return: 0 or a negative errno.
 */
int bt_check_data(const struct bt_io *io)
{
	u8 *plain = kmemdup(io->want, io->len, GFP_KERNEL);
	int ret;

	if (!plain)
		return -ENOMEM;
	ret = io->key ? bt_reference(io, false, plain) : 0;
	if (!ret && memcmp(plain, io->data, io->len))
		ret = T_FAIL("sector %llu: %u bytes are not the plaintext", io->sector, io->len);
	kfree(plain);
	return ret;
}

/**
 * bt_write() - write, and compare the sectors of the peer
 * @r: the run
 * @io: I/O of bt_alloc()
 *
 * Return: 0 or a negative errno.
 */
int bt_write(struct bt_run *r, struct bt_io *io)
{
	bt_submit(r, io, REQ_OP_WRITE);
	T_EXPECT(bt_wait(io), 0);
	return bt_check_store(r, io);
}

/**
 * bt_read() - read, and compare with the plaintext
 * @r: the run
 * @io: I/O of bt_alloc(), which was written
 *
 * Return: 0 or a negative errno.
 */
int bt_read(struct bt_run *r, struct bt_io *io)
{
	bt_submit(r, io, REQ_OP_READ);
	T_EXPECT(bt_wait(io), 0);
	return bt_check_data(io);
}
