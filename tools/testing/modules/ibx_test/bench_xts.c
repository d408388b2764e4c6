// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cost of a WRITE of encrypted blocks for a ULP that encrypts the blocks on the CPU, by xts(aes) of
 * the kernel. The measurement begins before the first block and ends after ib_post_send(). The ULP
 * must not change the data, so the ciphertext is in other memory, as with dm-crypt.
 * mlx5dv_test/bench_dv.c measures the same WRITE with encryption by the device. See bench.c.
 *
 * Lines in the log: "bench write_xts ulp BYTES INSTRUCTIONS".
 */
#include <crypto/skcipher.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/timex.h>
#include <linux/unaligned.h>

#include "crc.h"

#define T_ROUNDS	16

/**
 * struct t_xts - writes of encrypted blocks
 * @c: memory and peer of the writes; @c->data is the ciphertext
 * @plain: data, T_CRC_MAX bytes
 * @tfm: cipher, with a key of 256 bits
 * @req: request of the cipher
 * @wait: completion of @req, if the cipher works asynchronously
 */
struct t_xts {
	struct t_crc c;
	u8 *plain;
	struct crypto_skcipher *tfm;
	struct skcipher_request *req;
	struct crypto_wait wait;
};

#if IS_ENABLED(CONFIG_CRYPTO_XTS)
/* one request for each block, which is a data unit with a separate tweak */
static int t_xts_encrypt(struct t_xts *x, u32 bytes)
{
	struct scatterlist from, to;
	u8 iv[16] = {};
	u32 i;
	int err;

	for (i = 0; i < bytes / T_CRC_BLOCK; i++) {
		put_unaligned_le64(i, iv);
		sg_init_one(&from, x->plain + i * T_CRC_BLOCK, T_CRC_BLOCK);
		sg_init_one(&to, x->c.data + i * T_CRC_BLOCK, T_CRC_BLOCK);
		skcipher_request_set_crypt(x->req, &from, &to, T_CRC_BLOCK, iv);
		err = crypto_wait_req(crypto_skcipher_encrypt(x->req), &x->wait);
		if (err)
			return err;
	}
	return 0;
}

static int t_xts_write(struct t_xts *x, u32 bytes)
{
	struct t_crc *c = &x->c;
	struct ib_sge sge = {
		.addr = c->dma, .length = bytes, .lkey = c->e->pd->local_dma_lkey,
	};
	const struct ib_rdma_wr wr = {
		.wr = {
			.opcode = IB_WR_RDMA_WRITE, .send_flags = IB_SEND_SIGNALED,
			.sg_list = &sge, .num_sge = 1,
		},
		.remote_addr = c->remote->iova,
		.rkey = c->remote->rkey,
	};

	return t_xts_encrypt(x, bytes) ?: ib_post_send(c->e->qp, &wr.wr, NULL);
}

static int t_xts_measure(struct t_xts *x, u32 bytes)
{
	u64 best = U64_MAX, start, end;
	int i, ret;

	for (i = 0; i < T_ROUNDS; i++) {
		start = get_cycles();
		ret = t_xts_write(x, bytes);
		end = get_cycles();
		T_EXPECT(ret, 0);
		T_EXPECT(t_wait(&x->c.e->sq, 0), IB_WC_SUCCESS);
		t_clear_counts(&x->c.e->sq);
		best = min(best, end - start);
	}
	t_log("bench write_xts ulp %u %llu\n", bytes, best);
	return 0;
}

static int t_xts_all(struct t_xts *x)
{
	static const u32 lengths[] = T_CRC_LENGTHS;
	u8 key[64];
	int i, ret;

	for (i = 0; i < sizeof(key); i++)
		key[i] = i;
	crypto_init_wait(&x->wait);
	skcipher_request_set_callback(x->req, CRYPTO_TFM_REQ_MAY_SLEEP, crypto_req_done, &x->wait);
	ret = crypto_skcipher_setkey(x->tfm, key, sizeof(key));
	for (i = 0; i < ARRAY_SIZE(lengths) && !ret; i++)
		ret = t_xts_measure(x, lengths[i]);
	return ret;
}

static int bench_xts(struct t_pair *p)
{
	struct t_xts x;
	int ret = -ENOMEM;

	x.tfm = crypto_alloc_skcipher("xts(aes)", 0, 0);
	if (IS_ERR(x.tfm))
		return PTR_ERR(x.tfm);
	t_log("# xts(aes) is %s\n", crypto_skcipher_driver_name(x.tfm));
	x.req = skcipher_request_alloc(x.tfm, GFP_KERNEL);
	x.plain = kzalloc(T_CRC_MAX, GFP_KERNEL);
	if (x.req && x.plain)
		ret = t_crc_open(p, &x.c);
	if (!ret) {
		ret = t_xts_all(&x);
		t_crc_close(&x.c);
	}
	kfree(x.plain);
	skcipher_request_free(x.req);
	crypto_free_skcipher(x.tfm);
	return ret;
}
#endif

const struct t_case t_bench_xts_cases[] = {
#if IS_ENABLED(CONFIG_CRYPTO_XTS)
	{ "bench_xts", bench_xts },
#endif
	{ }
};
