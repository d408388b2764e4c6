// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Encryption: the cipher, crypto BSFs, the engine, and messages through mkeys
 * with encryption.
 *
 * The vectors are 4 to 14 of IEEE 1619-2007, annex B, which have data units of
 * 512 bytes. The plaintext of the first vector of each AES key size is 00 to
 * ff, twice, and the ciphertext of a vector is the plaintext of the next
 * vector. Rows A to J are rows of the table in mlx5dv_wr_set_mkey_crypto(3).
 */
#include <kunit/test.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "core/core.h"
#include "dp/dp.h"
#include "obj/caps.h"
#include "obj/obj.h"
#include "tests/flow.h"

#define UNIT		512
#define CRYPTO_KEY	0x301
#define PLAIN		2080	/* bytes of memory that the mkey covers */
#define SIGNALED	MLX5_WQE_CTRL_CQ_UPDATE

static const u8 keys_128[] = {
	0x27, 0x18, 0x28, 0x18, 0x28, 0x45, 0x90, 0x45, 0x23, 0x53, 0x60, 0x28, 0x74, 0x71, 0x35,
	0x26, 0x31, 0x41, 0x59, 0x26, 0x53, 0x58, 0x97, 0x93, 0x23, 0x84, 0x62, 0x64, 0x33, 0x83,
	0x27, 0x95,
};

static const u8 keys_256[] = {
	0x27, 0x18, 0x28, 0x18, 0x28, 0x45, 0x90, 0x45, 0x23, 0x53, 0x60, 0x28, 0x74, 0x71, 0x35,
	0x26, 0x62, 0x49, 0x77, 0x57, 0x24, 0x70, 0x93, 0x69, 0x99, 0x59, 0x57, 0x49, 0x66, 0x96,
	0x76, 0x27, 0x31, 0x41, 0x59, 0x26, 0x53, 0x58, 0x97, 0x93, 0x23, 0x84, 0x62, 0x64, 0x33,
	0x83, 0x27, 0x95, 0x02, 0x88, 0x41, 0x97, 0x16, 0x93, 0x99, 0x37, 0x51, 0x05, 0x82, 0x09,
	0x74, 0x94, 0x45, 0x92,
};

static const struct vector {
	u8 nr;
	bool big;
	u64 tweak;
	u64 first;	/* first and last 8 bytes of the ciphertext */
	u64 last;
} vectors[] = {
	{ 4, false, 0, 0x27a7479befa1d476, 0xbe421ee5319d0568 },
	{ 5, false, 1, 0x264d3ca8512194fe, 0x03a867b187f225dd },
	{ 6, false, 2, 0xfa762a3680b76007, 0xc5e236171a2d01d6 },
	{ 7, false, 0xfd, 0x476dbd88f79c207e, 0x969e6e6249a721e9 },
	{ 8, false, 0xfe, 0x11d0926fc8ff047c, 0x0d17476bc74b2970 },
	{ 9, false, 0xff, 0xb6c9a1cc64efa120, 0x32ece4674b9000c1 },
	{ 10, true, 0xff, 0x1c3b3a102f770386, 0xb9c6e693e148c151 },
	{ 11, true, 0xffff, 0xed866cc0ba843275, 0x6a0c1371016cc252 },
	{ 12, true, 0xffffff, 0x8aec559aba3a60e1, 0x04c4d13b5edac248 },
	{ 13, true, 0xffffffff, 0xf9f88860cf63263f, 0x974214203992fc3b },
	{ 14, true, 0xffffffffff, 0x2651cc60515599ba, 0x8d6b8fed99f6aa18 },
};

struct crypto_ctx {
	struct flow *f;
	struct sim_mkey key;
	struct sim_bsf bsf;
	struct sim_crypto crypto;
	struct sim_dek dek;
	struct sim_psv psv[2];
	struct sim_crypto_bsf raw;
	u8 *in;
	u8 *out;
};

/*
 * Creates a DEK with two AES keys of 256 bits and without a keytag, and an mkey
 * for the memory of end a, with encryption on the wire.
 */
static int crypto_init(struct kunit *test)
{
	struct crypto_ctx *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->in = kunit_kzalloc(test, SZ_16K, GFP_KERNEL);
	c->out = kunit_kzalloc(test, SZ_16K, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, c->in && c->out);
	flow_init(test);
	c->f = test->priv;
	test->priv = c;
	KUNIT_ASSERT_EQ(test, sim_xts_init(&c->dek.xts, keys_256, sizeof(keys_256)), 0);
	c->dek.obj.id = 3;
	c->dek.pd = &c->f->a.pd;
	c->dek.serial = 9;
	sim_dp_stub.dek = &c->dek;
	for (i = 0; i < 2; i++) {
		c->psv[i].obj.id = i + 1;
		c->psv[i].pd = &c->f->a.pd;
		sim_dp_stub.psv[i] = &c->psv[i];
	}
	c->bsf.raw_size = U32_MAX;
	c->crypto = (struct sim_crypto) {
		.set = true, .order = SIM_CRYPTO_WIRE_SIG, .unit = UNIT, .tweak = { 0xfe },
		.raw_size = U32_MAX, .dek = 3, .serial = 9,
	};
	c->key = (struct sim_mkey) {
		.obj.id = CRYPTO_KEY >> 8, .variant = CRYPTO_KEY & 0xff, .mode = SIM_MKEY_PA,
		.start = (uintptr_t)c->f->a.mem, .len = PLAIN, .access = 0x1f,
		.qpn = SIM_ANY_QPN, .pdn = 7, .bsf = &c->bsf, .bsf_octwords = 4,
		.crypto = &c->crypto, .bsf_en = true,
	};
	c->f->a.sdev->bsf_mkeys = 1;
	sim_dp_stub.mkey[2] = &c->key;
	for (i = 0; i < SZ_4K; i++) {
		c->f->a.mem[i] = i * 7 + i / 256;
		c->f->b.mem[i] = i * 5;
	}
	return 0;
}

static void crypto_exit(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	if (!c)
		return;
	sim_xts_exit(&c->dek.xts);
	test->priv = c->f;
	flow_exit(test);
}

/* Encrypts or decrypts data units one by one, without the engine. */
static void reference(struct kunit *test, bool encrypt, u8 *buf, u32 len)
{
	struct crypto_ctx *c = test->priv;
	u8 tweak[SIM_XTS_TWEAK];
	u32 k, n;

	for (n = 0; len; len -= k, buf += k, n++) {
		k = min_t(u32, len, c->crypto.unit);
		sim_xts_tweak(tweak, c->crypto.tweak, n);
		sim_xts_unit(&c->dek.xts, encrypt, tweak, buf, k);
	}
}

static void ieee_1619(struct kunit *test)
{
	u8 buf[UNIT], was[UNIT], tweak[SIM_XTS_TWEAK] = {};
	const struct vector *v;
	struct sim_xts xts;
	u32 i;

	for (v = vectors; v < vectors + ARRAY_SIZE(vectors); v++) {
		if (v->nr == 4 || v->nr == 10)
			for (i = 0; i < UNIT; i++)
				buf[i] = i;
		KUNIT_ASSERT_EQ(test, sim_xts_init(&xts, v->big ? keys_256 : keys_128,
						   v->big ? 64 : 32), 0);
		put_unaligned_le64(v->tweak, tweak);
		memcpy(was, buf, UNIT);
		sim_xts_unit(&xts, true, tweak, buf, UNIT);
		KUNIT_EXPECT_EQ_MSG(test, get_unaligned_be64(buf), v->first, "vector %u", v->nr);
		KUNIT_EXPECT_EQ_MSG(test, get_unaligned_be64(buf + UNIT - 8), v->last,
				    "vector %u", v->nr);
		sim_xts_unit(&xts, false, tweak, buf, UNIT);
		KUNIT_EXPECT_MEMEQ(test, buf, was, UNIT);
		sim_xts_unit(&xts, true, tweak, buf, UNIT);
		sim_xts_exit(&xts);
	}
}

/* Vectors 15 to 18: data units that end 1 to 4 bytes after a block */
static void ieee_1619_stealing(struct kunit *test)
{
	static const u8 first[] = {
		0x6c, 0x16, 0x25, 0xdb, 0x46, 0x71, 0x52, 0x2d, 0x3d, 0x75, 0x99, 0x60, 0x1d, 0xe7,
		0xca, 0x09, 0xed,
	}, last[] = {
		0x9d, 0x84, 0xc8, 0x13, 0xf7, 0x19, 0xaa, 0x2c, 0x7b, 0xe3, 0xf6, 0x61, 0x71, 0xc7,
		0xc5, 0xc2, 0xed, 0xbf, 0x9d, 0xac,
	};
	u8 tweak[SIM_XTS_TWEAK] = { 0x9a, 0x78, 0x56, 0x34, 0x12 };
	u8 key[32], plain[20], buf[20];
	struct sim_xts xts;
	u32 i, len;

	for (i = 0; i < 16; i++) {
		key[i] = 0xff - i;
		key[16 + i] = 0xbf - i;
	}
	for (i = 0; i < sizeof(plain); i++)
		plain[i] = i;
	KUNIT_ASSERT_EQ(test, sim_xts_init(&xts, key, sizeof(key)), 0);
	for (len = 16; len <= sizeof(plain); len++) {
		memcpy(buf, plain, sizeof(buf));
		sim_xts_unit(&xts, true, tweak, buf, len);
		if (len == sizeof(first))
			KUNIT_EXPECT_MEMEQ(test, buf, first, len);
		if (len == sizeof(last))
			KUNIT_EXPECT_MEMEQ(test, buf, last, len);
		KUNIT_EXPECT_MEMEQ(test, buf + len, plain + len, sizeof(buf) - len);
		sim_xts_unit(&xts, false, tweak, buf, len);
		KUNIT_EXPECT_MEMEQ_MSG(test, buf, plain, sizeof(buf), "%u bytes", len);
	}
	sim_xts_exit(&xts);
}

static void xts_lengths(struct kunit *test)
{
	u8 key[SIM_XTS_MAX_KEY] = {};
	struct sim_xts xts;
	u32 len;

	for (len = 0; len <= SIM_XTS_MAX_KEY; len++)
		KUNIT_EXPECT_EQ_MSG(test, sim_xts_init(&xts, key, len),
				    len == 32 || len == 64 ? 0 : -EINVAL, "%u bytes", len);
}

static void tweak_carries(struct kunit *test)
{
	u8 first[16], out[16];

	memset(first, 0xff, 8);
	memset(first + 8, 0, 8);
	sim_xts_tweak(out, first, 2);
	KUNIT_EXPECT_EQ(test, get_unaligned_le64(out), 1);
	KUNIT_EXPECT_EQ(test, get_unaligned_le64(out + 8), 1);
	memset(first, 0xff, 16);
	sim_xts_tweak(out, first, 1);
	KUNIT_EXPECT_EQ(test, get_unaligned_le64(out), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_le64(out + 8), 0);
}

/*
 * RFC 3394, 4.1 and 4.6: the bytes of the KEK are 00, 01 and so on. The bytes
 * of the key after the first 16 bytes are also 00, 01 and so on.
 */
static void rfc_3394(struct kunit *test)
{
	static const struct {
		u32 kek_len;
		u32 len;
		u64 wrapped[5];
	} cases[] = {
		{ 16, 24, { 0x1fa68b0a8112b447, 0xaef34bd8fb5a7b82, 0x9d3e862371d2cfe5 } },
		{ 32, 40, { 0x28c9f404c4b810f4, 0xcbccb35cfb87f826, 0x3f5786e2d80ed326,
			    0xcbc7f0e71a99f43b, 0xfb988b9b7a02dd21 } },
	};
	u8 kek[32], in[40], key[32], out[32];
	u32 i, k;

	for (i = 0; i < 16; i++) {
		key[i] = i * 0x11;
		key[16 + i] = i;
	}
	for (i = 0; i < sizeof(kek); i++)
		kek[i] = i;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const u32 len = cases[i].len;

		for (k = 0; k < len / 8; k++)
			put_unaligned_be64(cases[i].wrapped[k], in + 8 * k);
		KUNIT_EXPECT_EQ(test, sim_unwrap(kek, cases[i].kek_len, in, len, out), 0);
		KUNIT_EXPECT_MEMEQ(test, out, key, len - 8);
		/* a byte at any place was changed; the output is cleared */
		for (k = 0; k < len; k++) {
			in[k] ^= 1;
			KUNIT_EXPECT_EQ_MSG(test,
					    sim_unwrap(kek, cases[i].kek_len, in, len, out),
					    -EBADMSG, "byte %u", k);
			KUNIT_EXPECT_PTR_EQ(test, memchr_inv(out, 0, len - 8), NULL);
			in[k] ^= 1;
		}
	}
	kek[0] ^= 1;
	KUNIT_EXPECT_EQ(test, sim_unwrap(kek, 32, in, 40, out), -EBADMSG);
}

/* ---- crypto BSFs ---- */

static void raw_good(struct sim_crypto_bsf *raw)
{
	memset(raw, 0, sizeof(*raw));
	raw->size_type = 0x81;
	raw->raw_size = cpu_to_be32(U32_MAX);
	raw->unit = 4;
	raw->tweak[15] = 0x12;
	raw->dek = cpu_to_be32(3);
	raw->keytag[0] = 5;
}

static int decode(struct crypto_ctx *c, bool behind)
{
	const char *why;

	return sim_crypto_decode(c->f->a.sdev, &c->raw, behind, &c->crypto, &why);
}

static void bsf_decodes(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	raw_good(&c->raw);
	c->raw.order = 2;
	c->crypto.set = false;
	KUNIT_ASSERT_EQ(test, decode(c, false), 0);
	KUNIT_EXPECT_TRUE(test, c->crypto.set);
	KUNIT_EXPECT_EQ(test, c->crypto.order, SIM_CRYPTO_RAW_WIRE);
	KUNIT_EXPECT_EQ(test, c->crypto.unit, 4160);
	KUNIT_EXPECT_EQ(test, c->crypto.dek, 3);
	/* the device supports several data units: the tweak is big-endian */
	KUNIT_EXPECT_EQ(test, c->crypto.tweak[0], 0x12);
	KUNIT_EXPECT_EQ(test, c->crypto.keytag[0], 5);
	KUNIT_EXPECT_EQ(test, decode(c, true), -EINVAL);
	c->raw.size_type = 0xc1;
	KUNIT_EXPECT_EQ(test, decode(c, true), 0);
}

static void bsf_little_endian(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	sim_bits_set(sim_caps_page(c->f->a.sdev, MLX5_CAP_GENERAL, false),
		     (struct sim_field)SIM_CAP_XTS_MULTI, 0);
	raw_good(&c->raw);
	KUNIT_ASSERT_EQ(test, decode(c, false), 0);
	KUNIT_EXPECT_EQ(test, c->crypto.tweak[15], 0x12);
}

static void crypto_bsf_refused(struct kunit *test)
{
	static const struct {
		u8 at;
		u8 value;
	} bad[] = {
		{ 0, 0x80 }, { 0, 0x91 }, { 0, 0x41 }, { 1, 4 }, { 2, 1 }, { 3, 1 }, { 8, 0 },
		{ 8, 5 }, { 9, 1 }, { 15, 1 }, { 32, 1 }, { 36, 1 }, { 39, 1 }, { 48, 1 },
		{ 63, 1 },
	};
	struct crypto_ctx *c = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		raw_good(&c->raw);
		((u8 *)&c->raw)[bad[i].at] = bad[i].value;
		KUNIT_EXPECT_EQ_MSG(test, decode(c, false), -EINVAL, "byte %u", bad[i].at);
	}
}

/* ---- the engine ---- */

/* The sizes of the pieces do not affect the data units. */
static void engine_takes_pieces(struct kunit *test)
{
	static const u16 units[] = { 512, 520, 4048, 4096, 4160 };
	static const u16 pieces[] = { 1, 37, 5000 };
	struct crypto_ctx *c = test->priv;
	struct sim_crypt *crypt = kunit_kzalloc(test, sizeof(*crypt), GFP_KERNEL);
	u32 piece, at, made, n, i;

	KUNIT_ASSERT_NOT_NULL(test, crypt);
	for (i = 0; i < ARRAY_SIZE(units) * 3; i++) {
		const u32 len = 2 * units[i / 3] + (i & 1 ? 0 : (units[i / 3] / 2) & ~15);
		const u32 good = len % units[i / 3] ? len & ~15 : len;

		piece = pieces[i % 3];
		c->crypto.unit = units[i / 3];
		for (n = 0; n < good; n++)
			c->in[n] = n * 11 + n / 256;
		KUNIT_ASSERT_EQ(test, sim_crypt_init(crypt, c->f->a.sdev, &c->key, 0, false), 0);
		for (at = 0, made = 0; at < good; at += n) {
			n = min(piece, good - at);
			made += sim_crypt_feed(crypt, c->in + at, n, c->out + made);
		}
		made += sim_crypt_end(crypt, c->out + made);
		KUNIT_EXPECT_EQ(test, made, good);
		reference(test, true, c->in, good);
		KUNIT_EXPECT_MEMEQ(test, c->out, c->in, good);
	}
}

static void engine_refuses_lengths(struct kunit *test)
{
	static const u16 bad[] = { 1, 15, 47, 504, 520, 511, 1024 + 8 };
	struct crypto_ctx *c = test->priv;
	struct sim_crypt *crypt = kunit_kzalloc(test, sizeof(*crypt), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, crypt);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_ASSERT_EQ(test, sim_crypt_init(crypt, c->f->a.sdev, &c->key, 0, false), 0);
		sim_crypt_feed(crypt, c->in, bad[i], c->out);
		KUNIT_EXPECT_EQ_MSG(test, sim_crypt_end(crypt, c->out), -ERANGE, "%u", bad[i]);
	}
	KUNIT_EXPECT_EQ(test, sim_crypt_init(crypt, c->f->a.sdev, &c->key, 16, false), -EFAULT);
}

/* ---- messages ---- */

static void use_lkey(struct flow_end *e)
{
	u8 *wqe = e->ring + ((e->posted - 1) % FLOW_RING) * MLX5_SEND_WQE_BB;

	((struct mlx5_wqe_data_seg *)(wqe + 16))->lkey = cpu_to_be32(CRYPTO_KEY);
}

static void use_rkey(struct flow_end *e)
{
	u8 *wqe = e->ring + ((e->posted - 1) % FLOW_RING) * MLX5_SEND_WQE_BB;

	((struct mlx5_wqe_raddr_seg *)(wqe + 16))->rkey = cpu_to_be32(CRYPTO_KEY);
}

/* SENDs @len bytes, counted as in a work request; @wire bytes arrive. */
static void send_through(struct kunit *test, u32 len, u32 wire)
{
	struct crypto_ctx *c = test->priv;
	struct flow *f = c->f;
	u32 next = 0;

	flow_post_recv(&f->b, f->b.mem, wire);
	flow_post(&f->a, MLX5_OPCODE_SEND, SIGNALED, f->a.mem, len, NULL);
	use_lkey(&f->a);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sim_dp_stub.cqe[0].byte_cnt), wire);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_no_more(test, next);
}

/* Rows A and F: encrypted on the wire, without signatures */
static void send_encrypts(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	memcpy(c->in, c->f->a.mem, 1536);
	send_through(test, 1536, 1536);
	reference(test, true, c->in, 1536);
	KUNIT_EXPECT_MEMEQ(test, c->f->b.mem, c->in, 1536);
	KUNIT_EXPECT_EQ(test, c->f->b.mem[1536], (1536 * 5) & 0xff);
}

static void send_decrypts(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	c->crypto.order = SIM_CRYPTO_MEM_SIG;
	memcpy(c->in, c->f->a.mem, 1536);
	send_through(test, 1536, 1536);
	reference(test, false, c->in, 1536);
	KUNIT_EXPECT_MEMEQ(test, c->f->b.mem, c->in, 1536);
}

static void write_by_peer_decrypts(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;
	struct flow *f = c->f;
	u32 next = 0;

	/* end b has the key, and end a is the requester */
	f->b.sdev->bsf_mkeys = 1;
	c->key.start = (uintptr_t)f->b.mem;
	memcpy(c->in, f->a.mem, 1024);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, SIGNALED, f->a.mem, 1024, f->b.mem);
	use_rkey(&f->a);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	reference(test, false, c->in, 1024);
	KUNIT_EXPECT_MEMEQ(test, f->b.mem, c->in, 1024);
}

/* Sets T10-DIF in a domain. The initial values in the PSVs are 0. */
static void sign(struct sim_sig_domain *dom, u32 psv, u16 block)
{
	*dom = (struct sim_sig_domain) {
		.type = SIM_SIG_T10DIF, .block = block, .psv = psv, .app_mask = 0xffff,
	};
}

/* Writes 1024 bytes of data to @out, with T10-DIF after each 512 bytes. */
static void make_signed(struct crypto_ctx *c, const u8 *data, u8 *out)
{
	struct sim_guard guard;
	int i;

	for (i = 0; i < 2; i++) {
		sim_guard_start(&guard, c->bsf.mem.type ? &c->bsf.mem : &c->bsf.wire, 0);
		sim_guard_add(&guard, data + i * 512, 512);
		memcpy(out + i * 520, data + i * 512, 512);
		sim_sig_put(SIM_SIG_T10DIF, sim_guard_end(&guard), out + i * 520 + 512);
	}
}

/* Row B: the wire has signatures of the ciphertext */
static void row_b(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	c->crypto.order = SIM_CRYPTO_RAW_WIRE;
	sign(&c->bsf.wire, 2, 512);
	memcpy(c->in, c->f->a.mem, 1024);
	reference(test, true, c->in, 1024);
	make_signed(c, c->in, c->out);
	send_through(test, 1024, 1040);
	KUNIT_EXPECT_MEMEQ(test, c->f->b.mem, c->out, 1040);
}

/* Row C: the wire has data and signatures, encrypted */
static void row_c(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	sign(&c->bsf.wire, 2, 512);
	c->crypto.unit = 520;
	make_signed(c, c->f->a.mem, c->out);
	reference(test, true, c->out, 1040);
	send_through(test, 1024, 1040);
	KUNIT_EXPECT_MEMEQ(test, c->f->b.mem, c->out, 1040);
}

/*
 * A message may end before a signature, as in the test
 * test_mlx5_crypto_signature_mkey of rdma-core.
 */
static void ends_before_signature(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	sim_sig_count = SIM_SIG_COUNT_WIRE;
	sign(&c->bsf.wire, 2, 512);
	memcpy(c->in, c->f->a.mem, 512);
	reference(test, true, c->in, 512);
	send_through(test, 512, 512);
	KUNIT_EXPECT_MEMEQ(test, c->f->b.mem, c->in, 512);
}

/*
 * A READ of a peer, which counts bytes on the wire, may end before a signature.
 */
static void read_ends_before_signature(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;
	struct flow *f = c->f;
	u32 next = 0;

	f->b.sdev->bsf_mkeys = 1;
	c->key.start = (uintptr_t)f->b.mem;
	sign(&c->bsf.wire, 2, 512);
	memcpy(c->in, f->b.mem, 512);
	reference(test, true, c->in, 512);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, SIGNALED, f->a.mem, 512, f->b.mem);
	use_rkey(&f->a);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_MEMEQ(test, f->a.mem, c->in, 512);
}

/* Row H: the memory has encrypted data and signatures, which are checked */
static void row_h(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	c->crypto.order = SIM_CRYPTO_MEM_SIG;
	c->crypto.unit = 520;
	sign(&c->bsf.mem, 1, 512);
	c->bsf.check_mask = 0xff;
	memcpy(c->in, c->f->a.mem, 1024);
	make_signed(c, c->in, c->f->a.mem);
	reference(test, true, c->f->a.mem, 1040);
	send_through(test, 1024, 1024);
	KUNIT_EXPECT_MEMEQ(test, c->f->b.mem, c->in, 1024);
	KUNIT_EXPECT_FALSE(test, c->psv[0].error);
}

/* Row J: the memory has ciphertext, and signatures of the ciphertext */
static void row_j(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	c->crypto.order = SIM_CRYPTO_RAW_MEM;
	sign(&c->bsf.mem, 1, 512);
	c->bsf.check_mask = 0xff;
	memcpy(c->in, c->f->a.mem, 1024);
	make_signed(c, c->in, c->f->a.mem);
	reference(test, false, c->in, 1024);
	send_through(test, 1024, 1024);
	KUNIT_EXPECT_MEMEQ(test, c->f->b.mem, c->in, 1024);
	KUNIT_EXPECT_FALSE(test, c->psv[0].error);
}

/*
 * Posts a UMR with both BSFs: CRC32 in memory, CRC32C (@wire) or no signature
 * on the wire, and encryption.
 */
static void post_both(struct crypto_ctx *c, enum sim_crypto_order order, bool wire)
{
	struct flow_end *e = &c->f->a;
	u8 *wqe = e->ring + (e->posted % FLOW_RING) * MLX5_SEND_WQE_BB;
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)wqe;
	struct mlx5_wqe_umr_ctrl_seg *umr = (void *)(ctrl + 1);
	struct mlx5_mkey_seg *seg = (void *)(umr + 1);
	struct mlx5_bsf *bsf = (void *)(seg + 1);
	struct sim_crypto_bsf *crypto = (void *)(bsf + 1);

	memset(wqe, 0, 4 * MLX5_SEND_WQE_BB);
	ctrl->opmod_idx_opcode = cpu_to_be32((u32)e->posted << 8 | MLX5_OPCODE_UMR);
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(e->qp) << 8 | 16);
	ctrl->fm_ce_se = SIGNALED;
	ctrl->imm = cpu_to_be32(CRYPTO_KEY);
	umr->flags = MLX5_UMR_INLINE;
	umr->bsf_octowords = cpu_to_be16(2 * MLX5_MKEY_BSF_OCTO_SIZE);
	umr->mkey_mask = cpu_to_be64(MLX5_MKEY_MASK_BSF_EN);
	seg->flags_pd = cpu_to_be32(MLX5_MKEY_BSF_EN);
	bsf->basic.bsf_size_sbs = 0xc0;
	bsf->basic.check_byte_mask = 0xf0;
	bsf->basic.raw_data_size = cpu_to_be32(U32_MAX);
	bsf->basic.mem.bs_selector = 1;
	bsf->basic.m_bfs_psv = cpu_to_be32(0x22 << 24 | 1);
	if (wire) {
		bsf->basic.wire.bs_selector = 1;
		bsf->basic.w_bfs_psv = cpu_to_be32(0x42 << 24 | 2);
	}
	raw_good(crypto);
	crypto->size_type = 0xc1;
	crypto->order = order;
	crypto->unit = 1;
	crypto->keytag[0] = 0;
	e->posted += 4;
	e->dbr[MLX5_SND_DBR] = cpu_to_be32(e->posted);
	c->key.umr_en = true;
	c->key.bsf_octwords = 8;
	c->key.bsf_en = false;
	c->crypto = (struct sim_crypto) {};
}

static void umr_sets_both(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;
	u32 next = 0;

	post_both(c, SIM_CRYPTO_WIRE_SIG, true);
	sim_qp_poll(c->f->a.sdev);
	flow_expect(test, &next, &c->f->a.scq, 0, 0);
	KUNIT_EXPECT_TRUE(test, c->key.bsf_en);
	KUNIT_EXPECT_EQ(test, c->bsf.mem.type, SIM_SIG_CRC32);
	KUNIT_EXPECT_EQ(test, c->bsf.wire.type, SIM_SIG_CRC32C);
	KUNIT_EXPECT_TRUE(test, c->crypto.set);
	KUNIT_EXPECT_EQ(test, c->crypto.order, SIM_CRYPTO_WIRE_SIG);
	KUNIT_EXPECT_EQ(test, c->crypto.unit, UNIT);
	KUNIT_EXPECT_EQ(test, c->crypto.serial, 9);
	/* signatures of ciphertext in one domain */
	post_both(c, SIM_CRYPTO_RAW_MEM, false);
	sim_qp_poll(c->f->a.sdev);
	flow_expect(test, &next, &c->f->a.scq, 4, 0);
	KUNIT_EXPECT_EQ(test, c->crypto.order, SIM_CRYPTO_RAW_MEM);
}

/* signatures of ciphertext in both domains are refused */
static void both_signed_refused(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;
	u32 next = 0;

	post_both(c, SIM_CRYPTO_RAW_WIRE, true);
	sim_qp_poll(c->f->a.sdev);
	flow_expect(test, &next, &c->f->a.scq, 0, MLX5_CQE_SYNDROME_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_sig_bsf], 1);
	KUNIT_EXPECT_FALSE(test, c->key.bsf_en);
}

static void send_refused(struct kunit *test, u32 len, enum sim_vio vio)
{
	struct crypto_ctx *c = test->priv;
	struct flow *f = c->f;
	u32 next = 0;

	flow_post_recv(&f->b, f->b.mem, 2048);
	flow_post(&f->a, MLX5_OPCODE_SEND, SIGNALED, f->a.mem, len, NULL);
	use_lkey(&f->a);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[vio], 1);
	/* no plaintext arrives */
	KUNIT_EXPECT_EQ(test, f->b.mem[512], 512 * 5 % 256);
}

static void refuses_unset(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	c->crypto.set = false;
	send_refused(test, 512, SIM_VIO_mkey_access);
}

static void refuses_disabled(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	c->key.bsf_en = false;
	send_refused(test, 512, SIM_VIO_mkey_access);
}

static void refuses_dead_dek(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	c->dek.serial++;
	send_refused(test, 512, SIM_VIO_crypto_dek);
}

static void refuses_foreign_dek(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	c->dek.pd = &c->f->b.pd;
	c->f->b.pd.obj.id = 8;
	send_refused(test, 512, SIM_VIO_crypto_dek);
}

static void refuses_keytag(struct kunit *test)
{
	struct crypto_ctx *c = test->priv;

	c->dek.has_keytag = true;
	c->dek.keytag[7] = 1;
	send_refused(test, 512, SIM_VIO_crypto_dek);
}

static void refuses_raw_length(struct kunit *test)
{
	send_refused(test, 47, SIM_VIO_mkey_range);
}

static struct kunit_case crypto_cases[] = {
	KUNIT_CASE(ieee_1619),
	KUNIT_CASE(ieee_1619_stealing),
	KUNIT_CASE(xts_lengths),
	KUNIT_CASE(tweak_carries),
	KUNIT_CASE(rfc_3394),
	KUNIT_CASE(bsf_decodes),
	KUNIT_CASE(bsf_little_endian),
	KUNIT_CASE(crypto_bsf_refused),
	KUNIT_CASE(engine_takes_pieces),
	KUNIT_CASE(engine_refuses_lengths),
	KUNIT_CASE(send_encrypts),
	KUNIT_CASE(send_decrypts),
	KUNIT_CASE(write_by_peer_decrypts),
	KUNIT_CASE(row_b),
	KUNIT_CASE(row_c),
	KUNIT_CASE(ends_before_signature),
	KUNIT_CASE(read_ends_before_signature),
	KUNIT_CASE(row_h),
	KUNIT_CASE(row_j),
	KUNIT_CASE(umr_sets_both),
	KUNIT_CASE(both_signed_refused),
	KUNIT_CASE(refuses_unset),
	KUNIT_CASE(refuses_disabled),
	KUNIT_CASE(refuses_dead_dek),
	KUNIT_CASE(refuses_foreign_dek),
	KUNIT_CASE(refuses_keytag),
	KUNIT_CASE(refuses_raw_length),
	{}
};

static struct kunit_suite crypto_suite = {
	.name = "sim_crypto",
	.init = crypto_init,
	.exit = crypto_exit,
	.test_cases = crypto_cases,
};

kunit_test_suite(crypto_suite);

MODULE_DESCRIPTION("KUnit tests of encryption in mlx5sim");
MODULE_LICENSE("Dual BSD/GPL");
