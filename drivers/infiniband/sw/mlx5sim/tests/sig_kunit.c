// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Signatures: their calculation, and the engine on streams.
 *
 * The vectors are published in: T10 SBC-3; RFC 3720, appendix B.4, with the
 * bytes in the order in which they are sent; the CRC catalogue (check values
 * of "123456789"); the NVMe specification for CRC64/NVMe; RFC 1071, section 3.
 *
 * The engine is compared with a stream that is built block by block with
 * functions of the kernel's library.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/crc-t10dif.h>
#include <linux/slab.h>
#include <linux/unaligned.h>
#include <net/checksum.h>

#include "core/compat.h"
#include "core/core.h"
#include "dp/dp.h"
#include "tests/dp_stubs.h"

enum fill { DIGITS, ZEROES, ONES, UP, DOWN, ONES_2, RFC1071, ISCSI };

static const u8 rfc1071[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };
static const u8 iscsi_read[48] = {
	0x01, 0xc0, [16] = 0x14, [22] = 0x04, [27] = 0x14, [31] = 0x18, [32] = 0x28, [40] = 0x02,
};

static const struct vector {
	const char *name;
	enum sim_sig_type type;
	bool csum;
	enum fill fill;
	u32 len;
	u64 sig;
} vectors[] = {
	{ "T10: 123456789", SIM_SIG_T10DIF, false, DIGITS, 9, 0xd0dbull << 48 },
	{ "T10: 32 of 00", SIM_SIG_T10DIF, false, ZEROES, 32, 0 },
	{ "T10: 32 of ff", SIM_SIG_T10DIF, false, ONES, 32, 0xa293ull << 48 },
	{ "T10: 00 to 1f", SIM_SIG_T10DIF, false, UP, 32, 0x0224ull << 48 },
	{ "T10: ff ff, 30 of 00", SIM_SIG_T10DIF, false, ONES_2, 32, 0x21b8ull << 48 },
	{ "T10: ff to e0", SIM_SIG_T10DIF, false, DOWN, 32, 0xa0b7ull << 48 },
	{ "RFC 1071", SIM_SIG_T10DIF, true, RFC1071, 8, 0x220dull << 48 },
	{ "CRC-32: 123456789", SIM_SIG_CRC32, false, DIGITS, 9, 0xcbf43926ull << 32 },
	{ "CRC-32C: 123456789", SIM_SIG_CRC32C, false, DIGITS, 9, 0xe3069283ull << 32 },
	{ "RFC 3720: 32 of 00", SIM_SIG_CRC32C, false, ZEROES, 32, 0x8a9136aaull << 32 },
	{ "RFC 3720: 32 of ff", SIM_SIG_CRC32C, false, ONES, 32, 0x62a8ab43ull << 32 },
	{ "RFC 3720: 00 to 1f", SIM_SIG_CRC32C, false, UP, 32, 0x46dd794eull << 32 },
	{ "RFC 3720: READ command", SIM_SIG_CRC32C, false, ISCSI, 48, 0xd9963a56ull << 32 },
	{ "CRC-64/NVMe: 123456789", SIM_SIG_CRC64, false, DIGITS, 9, 0xae8b14860a799888 },
	{ "NVMe: 4 KiB of 00", SIM_SIG_CRC64, false, ZEROES, 4096, 0x6482d367eb22b64e },
	{ "NVMe: 4 KiB of ff", SIM_SIG_CRC64, false, ONES, 4096, 0xc0ddba7302eca3ac },
	{ "NVMe: 4 KiB up", SIM_SIG_CRC64, false, UP, 4096, 0x3e729f5f6750449c },
	{ "NVMe: 4 KiB down", SIM_SIG_CRC64, false, DOWN, 4096, 0x9a2df64b8e9e517e },
};

KUNIT_ARRAY_PARAM_DESC(vector, vectors, name);

static void fill_buf(u8 *buf, enum fill fill, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++) {
		switch (fill) {
		case DIGITS:
			buf[i] = '1' + i;
			break;
		case ZEROES:
			buf[i] = 0;
			break;
		case ONES:
			buf[i] = 0xff;
			break;
		case UP:
			buf[i] = i;
			break;
		case DOWN:
			buf[i] = 0xff - i;
			break;
		case ONES_2:
			buf[i] = i < 2 ? 0xff : 0;
			break;
		case RFC1071:
			buf[i] = rfc1071[i];
			break;
		default:
			buf[i] = iscsi_read[i];
			break;
		}
	}
}

/* The initial value is 0 for guards of T10-DIF, and ones for CRCs. */
static u64 seed_of(enum sim_sig_type type)
{
	return type == SIM_SIG_T10DIF ? 0 : U64_MAX;
}

static u64 guard_of(const struct sim_sig_domain *dom, const u8 *buf, u32 len, u32 step)
{
	struct sim_guard guard;
	u32 n;

	sim_guard_start(&guard, dom, seed_of(dom->type));
	for (; len; len -= n, buf += n) {
		n = min(len, step);
		sim_guard_add(&guard, buf, n);
	}
	return sim_guard_end(&guard);
}

static void published(struct kunit *test)
{
	const struct vector *v = test->param_value;
	struct sim_sig_domain dom = { .type = v->type, .csum = v->csum };
	u8 *buf = kunit_kzalloc(test, v->len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buf);
	fill_buf(buf, v->fill, v->len);
	KUNIT_EXPECT_EQ(test, guard_of(&dom, buf, v->len, v->len), v->sig);
	KUNIT_EXPECT_EQ(test, guard_of(&dom, buf, v->len, 3), v->sig);
}

/* RFC 3720 shows the bytes of the digest in the order of transmission. */
static void bytes_of_signatures(struct kunit *test)
{
	static const u8 zeroes[] = { 0xaa, 0x36, 0x91, 0x8a };
	static const u8 t10[] = { 0xd0, 0xdb, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc };
	u8 buf[8];

	sim_sig_put(SIM_SIG_CRC32C, 0x8a9136aaull << 32, buf);
	KUNIT_EXPECT_MEMEQ(test, buf, zeroes, 4);
	KUNIT_EXPECT_EQ(test, sim_sig_get(SIM_SIG_CRC32C, buf), 0x8a9136aaull << 32);
	sim_sig_put(SIM_SIG_T10DIF, 0xd0db123456789abc, buf);
	KUNIT_EXPECT_MEMEQ(test, buf, t10, 8);
	KUNIT_EXPECT_EQ(test, sim_sig_get(SIM_SIG_T10DIF, buf), 0xd0db123456789abc);
	sim_sig_put(SIM_SIG_CRC64, 0xae8b14860a799888, buf);
	KUNIT_EXPECT_EQ(test, buf[7], 0xae);
	KUNIT_EXPECT_EQ(test, sim_sig_get(SIM_SIG_CRC64, buf), 0xae8b14860a799888);
}

/* ---- the engine ---- */

#define DATA_MAX	(3 * 4160)
#define STREAM_MAX	(DATA_MAX + DATA_MAX / 512 * 8)
#define T10_SEED	0x0000aabb01234567ull

struct sig_ctx {
	struct sim_dev *sdev;
	struct sim_mkey mkey;
	struct sim_bsf bsf;
	struct sim_psv psv[2];
	u8 data[DATA_MAX];
	u8 in[STREAM_MAX], out[STREAM_MAX + 64], want[STREAM_MAX];
};

static int sig_init(struct kunit *test)
{
	struct sig_ctx *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->sdev = kunit_kzalloc(test, sizeof(*c->sdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c->sdev);
	sim_dp_stub_reset();
	for (i = 0; i < 2; i++) {
		c->psv[i].obj.id = i + 1;
		sim_dp_stub.psv[i] = &c->psv[i];
	}
	for (i = 0; i < DATA_MAX; i++)
		c->data[i] = i * 7 + (i >> 8);
	c->mkey.bsf = &c->bsf;
	c->mkey.bsf_en = true;
	test->priv = c;
	return 0;
}

/* The signature of a block, by the functions of the kernel's library */
static u32 ref_sig(const struct sim_sig_domain *dom, const u8 *data, u32 index, u8 *sig)
{
	switch (dom->type) {
	case SIM_SIG_T10DIF:
		if (dom->csum)
			*(__force __sum16 *)sig = ip_compute_csum(data, dom->block);
		else
			put_unaligned_be16(crc_t10dif(data, dom->block), sig);
		put_unaligned_be16(0xaabb, sig + 2);
		put_unaligned_be32(0x01234567 + (dom->ref_inc ? index : 0), sig + 4);
		return 8;
	case SIM_SIG_CRC32:
		put_unaligned_le32(~crc32_le(~0, data, dom->block), sig);
		return 4;
	case SIM_SIG_CRC32C:
		put_unaligned_le32(~crc32c(~0, data, dom->block), sig);
		return 4;
	case SIM_SIG_CRC64:
		put_unaligned_le64(crc64_nvme(0, data, dom->block), sig);
		return 8;
	default:
		return 0;
	}
}

/*
 * Writes data to @to, with the signatures of a domain. Returns the number of
 * bytes.
 */
static u32 ref_stream(const struct sim_sig_domain *dom, const u8 *data, u32 len, u8 *to)
{
	u32 n, at = 0, index = 0;

	for (; len; len -= n, data += n) {
		n = dom->type ? min_t(u32, len, dom->block) : len;
		memcpy(to + at, data, n);
		at += n;
		if (dom->type && n == dom->block)
			at += ref_sig(dom, data, index++, to + at);
	}
	return at;
}

static void set_domains(struct sig_ctx *c, enum sim_sig_type mem, enum sim_sig_type wire,
			u16 mem_block, u16 wire_block)
{
	c->bsf = (struct sim_bsf) {
		.mem = { .type = mem, .block = mem_block, .psv = 1, .ref_inc = true,
			 .app_mask = 0xffff },
		.wire = { .type = wire, .block = wire_block, .psv = 2, .ref_inc = true,
			  .app_mask = 0xffff },
		.check_mask = 0xff, .raw_size = U32_MAX,
	};
	c->psv[0].sig = mem == SIM_SIG_T10DIF ? T10_SEED : U64_MAX;
	c->psv[1].sig = wire == SIM_SIG_T10DIF ? T10_SEED : U64_MAX;
}

/* Feed c->in in steps. Returns the number of bytes in c->out. */
static u32 feed(struct sig_ctx *c, struct sim_sig *sig, u32 len, u32 step, bool write)
{
	u32 n, at = 0, done;

	sim_sig_init(sig, c->sdev, &c->mkey, 0, write);
	for (done = 0; done < len; done += n) {
		n = min(step, len - done);
		at += sim_sig_feed(sig, c->in + done, n, c->out + at);
	}
	return at;
}

static void stream_matches(struct kunit *test, u32 len, u32 step, bool write)
{
	struct sig_ctx *c = test->priv;
	const struct sim_sig_domain *in = write ? &c->bsf.wire : &c->bsf.mem;
	const struct sim_sig_domain *out = write ? &c->bsf.mem : &c->bsf.wire;
	struct sim_sig sig;
	u32 n, want;

	n = ref_stream(in, c->data, len, c->in);
	want = ref_stream(out, c->data, len, c->want);
	KUNIT_ASSERT_EQ(test, feed(c, &sig, n, step, write), want);
	KUNIT_ASSERT_MEMEQ(test, c->out, c->want, want);
	KUNIT_ASSERT_EQ(test, sig.err.syndrome, 0);
	KUNIT_ASSERT_EQ(test, sig.checked, in->type ? len / in->block : 0);
	KUNIT_ASSERT_EQ(test, sig.generated, out->type ? len / out->block : 0);
}

/* Every type in memory with every type on the wire, in every size of block */
static void all_pairs(struct kunit *test)
{
	static const u16 blocks[] = { 512, 520, 4048, 4096, 4160 };
	struct sig_ctx *c = test->priv;
	u32 mem, wire, i, j, write, cases = 0;

	for (mem = SIM_SIG_NONE; mem <= SIM_SIG_CRC64; mem++)
		for (wire = SIM_SIG_NONE; wire <= SIM_SIG_CRC64; wire++)
			for (i = 0; i < ARRAY_SIZE(blocks); i++)
				for (j = 0; j < ARRAY_SIZE(blocks); j++)
					for (write = 0; write < 2; write++, cases++) {
						set_domains(c, mem, wire, blocks[i], blocks[j]);
						stream_matches(test, DATA_MAX, 1000, write);
						stream_matches(test, 2 * blocks[i] + 5, 4096,
							       write);
					}
	kunit_info(test, "%u pairs", cases);
}

static void by_single_bytes(struct kunit *test)
{
	struct sig_ctx *c = test->priv;

	set_domains(c, SIM_SIG_T10DIF, SIM_SIG_CRC64, 512, 520);
	stream_matches(test, 4 * 520, 1, false);
	stream_matches(test, 4 * 520, 1, true);
}

static void checksum_guard(struct kunit *test)
{
	struct sig_ctx *c = test->priv;

	set_domains(c, SIM_SIG_T10DIF, SIM_SIG_T10DIF, 512, 512);
	c->bsf.mem.csum = true;
	stream_matches(test, 4 * 512, 77, false);
	stream_matches(test, 4 * 512, 77, true);
}

/*
 * A byte in each part of each block is changed. A second error in a later block
 * is not reported.
 */
static void finds_each_error(struct kunit *test)
{
	static const struct { u32 at; u16 syndrome; } bytes[] = {
		{ 0, SIM_SIGERR_GUARD }, { 300, SIM_SIGERR_GUARD }, { 511, SIM_SIGERR_GUARD },
		{ 512, SIM_SIGERR_GUARD }, { 513, SIM_SIGERR_GUARD }, { 514, SIM_SIGERR_APPTAG },
		{ 515, SIM_SIGERR_APPTAG }, { 516, SIM_SIGERR_REFTAG }, { 519, SIM_SIGERR_REFTAG },
	};
	struct sig_ctx *c = test->priv;
	struct sim_sig sig;
	u32 i, block, n;

	set_domains(c, SIM_SIG_T10DIF, SIM_SIG_NONE, 512, 0);
	for (block = 0; block < 8; block++) {
		for (i = 0; i < ARRAY_SIZE(bytes); i++) {
			n = ref_stream(&c->bsf.mem, c->data, 8 * 512, c->in);
			c->in[block * 520 + bytes[i].at] ^= 0x40;
			c->in[7 * 520 + 512] ^= block == 7 ? 0 : 1;	/* a second error */
			feed(c, &sig, n, 600, false);
			KUNIT_ASSERT_EQ(test, sig.err.syndrome, bytes[i].syndrome);
			KUNIT_ASSERT_EQ(test, sig.err.offset, block * 520);
			KUNIT_ASSERT_TRUE(test, sig.err.memory);
			KUNIT_ASSERT_EQ(test, sig.err.expected,
					get_unaligned_be64(c->in + block * 520 + 512));
		}
	}
}

/*
 * Only the bytes in the check mask, and the bits in the mask of the application
 * tag, are compared.
 */
static void masks_what_is_checked(struct kunit *test)
{
	struct sig_ctx *c = test->priv;
	struct sim_sig sig;
	u32 byte, n;

	for (byte = 0; byte < 8; byte++) {
		set_domains(c, SIM_SIG_T10DIF, SIM_SIG_NONE, 512, 0);
		n = ref_stream(&c->bsf.mem, c->data, 512, c->in);
		c->in[512 + byte] ^= 0x10;
		c->bsf.check_mask = ~BIT(7 - byte);
		feed(c, &sig, n, n, false);
		KUNIT_EXPECT_EQ(test, sig.err.syndrome, 0);
		c->bsf.check_mask = BIT(7 - byte);
		feed(c, &sig, n, n, false);
		KUNIT_EXPECT_NE(test, sig.err.syndrome, 0);
	}
	set_domains(c, SIM_SIG_T10DIF, SIM_SIG_NONE, 512, 0);
	n = ref_stream(&c->bsf.mem, c->data, 512, c->in);
	c->in[515] ^= 0x10;
	c->bsf.mem.app_mask = 0xffef;
	feed(c, &sig, n, n, false);
	KUNIT_EXPECT_EQ(test, sig.err.syndrome, 0);
}

static void escapes(struct kunit *test)
{
	struct sig_ctx *c = test->priv;
	struct sim_sig sig;
	u32 n;

	set_domains(c, SIM_SIG_T10DIF, SIM_SIG_NONE, 512, 0);
	n = ref_stream(&c->bsf.mem, c->data, 512, c->in);
	put_unaligned_be16(0xffff, c->in + 514);
	feed(c, &sig, n, n, false);
	KUNIT_EXPECT_EQ(test, sig.err.syndrome, SIM_SIGERR_APPTAG);
	c->bsf.mem.app_escape = true;
	feed(c, &sig, n, n, false);
	KUNIT_EXPECT_EQ(test, sig.err.syndrome, 0);
	KUNIT_EXPECT_EQ(test, sig.checked, 0);
	c->bsf.mem.app_escape = false;
	c->bsf.mem.ref_escape = true;
	feed(c, &sig, n, n, false);
	KUNIT_EXPECT_EQ(test, sig.err.syndrome, SIM_SIGERR_APPTAG);
	put_unaligned_be32(0xffffffff, c->in + 516);
	feed(c, &sig, n, n, false);
	KUNIT_EXPECT_EQ(test, sig.err.syndrome, 0);
}

/*
 * The bytes of the copy mask come from the input, the other bytes are
 * calculated.
 */
static void copies_bytes(struct kunit *test)
{
	struct sig_ctx *c = test->priv;
	struct sim_sig sig;
	u32 byte, i, n;

	set_domains(c, SIM_SIG_T10DIF, SIM_SIG_T10DIF, 512, 512);
	c->bsf.check_mask = 0;
	for (byte = 0; byte < 8; byte++) {
		n = ref_stream(&c->bsf.mem, c->data, 2 * 512, c->in);
		memcpy(c->want, c->in, n);
		for (i = 0; i < 8; i++)
			c->in[520 + 512 + i] ^= 0x5a;
		c->want[520 + 512 + byte] ^= 0x5a;
		c->bsf.copy_mask = BIT(7 - byte);
		KUNIT_ASSERT_EQ(test, feed(c, &sig, n, 100, false), n);
		KUNIT_ASSERT_MEMEQ(test, c->out, c->want, n);
	}
}

static void reference_tag_wraps(struct kunit *test)
{
	struct sig_ctx *c = test->priv;
	struct sim_sig sig;

	set_domains(c, SIM_SIG_NONE, SIM_SIG_T10DIF, 0, 512);
	c->psv[1].sig = 0xffffffff;
	memcpy(c->in, c->data, 1024);
	feed(c, &sig, 1024, 1024, false);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(c->out + 516), 0xffffffff);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(c->out + 520 + 516), 0);
	c->bsf.wire.ref_inc = false;
	feed(c, &sig, 1024, 1024, false);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(c->out + 520 + 516), 0xffffffff);
}

static void psv_in_error_checks_nothing(struct kunit *test)
{
	struct sig_ctx *c = test->priv;
	struct sim_sig sig;

	set_domains(c, SIM_SIG_CRC32, SIM_SIG_NONE, 512, 0);
	memset(c->in, 1, 516);
	c->psv[0].error = true;
	KUNIT_EXPECT_EQ(test, feed(c, &sig, 516, 516, false), 512);
	KUNIT_EXPECT_EQ(test, sig.err.syndrome, 0);
	KUNIT_EXPECT_EQ(test, sig.checked, 0);
}

static struct kunit_case sig_cases[] = {
	KUNIT_CASE_PARAM(published, vector_gen_params),
	KUNIT_CASE(bytes_of_signatures),
	KUNIT_CASE(all_pairs),
	KUNIT_CASE(by_single_bytes),
	KUNIT_CASE(checksum_guard),
	KUNIT_CASE(finds_each_error),
	KUNIT_CASE(masks_what_is_checked),
	KUNIT_CASE(escapes),
	KUNIT_CASE(copies_bytes),
	KUNIT_CASE(reference_tag_wraps),
	KUNIT_CASE(psv_in_error_checks_nothing),
	{}
};

static struct kunit_suite sig_suite = {
	.name = "sim_sig",
	.init = sig_init,
	.test_cases = sig_cases,
};

kunit_test_suite(sig_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's signatures");
MODULE_LICENSE("Dual BSD/GPL");
