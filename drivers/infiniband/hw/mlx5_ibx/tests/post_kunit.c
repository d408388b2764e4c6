// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of complete send and receive WQEs: posts WRs and compares the
 * ring with vectors.
 *
 * Each vector is posted at each block of the ring, so that it wraps at each
 * possible place. The two index bytes of the control segment are checked first,
 * and then set to 0, as in the vector. Bytes outside the WQE must not change. A
 * vector has the length that is in the WQE, so it has each byte that the device
 * reads.
 *
 * To prove that the vectors detect errors, each field of a WR is changed in
 * turn. The WQE must then differ from the vector at the byte that contains the
 * field.
 */

#include "kunit.h"

#define QP_H		"linux/mlx5/qp.h "
#define PAGES		16

/* a WR and all objects that it may refer to */
struct wr {
	union {
		struct ib_send_wr send;
		struct ib_rdma_wr rdma;
		struct ib_ud_wr ud;
		struct ib_reg_wr reg;
	};
	struct ib_sge sge[KT_MAX_GS + 1];
	struct ibx_mr mr;
	struct ibx_ah ah;
	__be64 mtt[PAGES];
	u8 data[128];
};

struct wqe_case {
	const char *name;
	const char *source;
	enum ib_qp_type type;
	void (*set)(struct wr *wr);
	const char *hex;
};

static void set_sge(struct wr *wr, int i, u64 addr, u32 len, u32 lkey)
{
	wr->sge[i] = (struct ib_sge){ .addr = addr, .length = len, .lkey = lkey };
	wr->send.sg_list = wr->sge;
	wr->send.num_sge = i + 1;
}

static void set_send(struct wr *wr)
{
	wr->send.opcode = IB_WR_SEND;
	wr->send.send_flags = IB_SEND_SIGNALED;
	set_sge(wr, 0, 0x1122334455667788, 0x1000, 0xabcdef);
}

static void set_send_empty(struct wr *wr)
{
	wr->send.opcode = IB_WR_SEND;
}

static void set_send_holes(struct wr *wr)
{
	wr->send.opcode = IB_WR_SEND;
	wr->send.send_flags = IB_SEND_SOLICITED;
	set_sge(wr, 0, 0x1000, 0, 1);
	set_sge(wr, 1, 0x2000, 1, 2);
	set_sge(wr, 2, 0x3000, 0, 3);
	set_sge(wr, 3, 0x4000, IBX_SGE_MAX, 4);
}

static void set_send_imm(struct wr *wr)
{
	set_send(wr);
	wr->send.opcode = IB_WR_SEND_WITH_IMM;
	wr->send.ex.imm_data = cpu_to_be32(0xdeadbeef);
}

static void set_send_inv(struct wr *wr)
{
	set_send(wr);
	wr->send.opcode = IB_WR_SEND_WITH_INV;
	wr->send.ex.invalidate_rkey = 0x00c0ffee;
}

static void set_inline(struct wr *wr, u32 first, u32 second)
{
	int i;

	for (i = 0; i < sizeof(wr->data); i++)
		wr->data[i] = i;
	wr->send.opcode = IB_WR_SEND;
	wr->send.send_flags = IB_SEND_INLINE;
	set_sge(wr, 0, (uintptr_t)wr->data, first, 0);
	set_sge(wr, 1, (uintptr_t)wr->data + first, second, 0);
}

static void set_inline_1(struct wr *wr)
{
	set_inline(wr, 1, 0);
}

static void set_inline_12(struct wr *wr)
{
	set_inline(wr, 5, 7);
}

/* one element, which is copied in units of 16 bytes unless it wraps */
static void set_inline_64(struct wr *wr)
{
	set_inline(wr, 64, 0);
	wr->send.num_sge = 1;
}

static void set_inline_max(struct wr *wr)
{
	set_inline(wr, 30, KT_MAX_INLINE - 30);
}

static void set_inline_none(struct wr *wr)
{
	set_inline(wr, 0, 0);
}

static void set_rdma(struct wr *wr, enum ib_wr_opcode opcode)
{
	set_send(wr);
	wr->send.opcode = opcode;
	wr->send.ex.imm_data = cpu_to_be32(0xdeadbeef);
	wr->rdma.remote_addr = 0x8877665544332211;
	wr->rdma.rkey = 0x00c0ffee;
	set_sge(wr, 1, 0x99, 0x10, 0x11);
}

static void set_write(struct wr *wr)
{
	set_rdma(wr, IB_WR_RDMA_WRITE);
}

static void set_write_imm(struct wr *wr)
{
	set_rdma(wr, IB_WR_RDMA_WRITE_WITH_IMM);
}

static void set_read(struct wr *wr)
{
	set_rdma(wr, IB_WR_RDMA_READ);
	wr->send.send_flags |= IB_SEND_FENCE;
}

static void set_reg(struct wr *wr, u32 pages)
{
	u32 i;

	memset(wr->mtt, 0, sizeof(wr->mtt));
	for (i = 0; i < pages; i++)
		wr->mtt[i] = cpu_to_be64(0x100000000 + 0x10000 * i + IBX_MTT_PRESENT);
	kt_set_pages(&wr->mr, wr->mtt, 0x7766554433221800, pages);
	wr->mr.mkey = KT_MKEY | 0x01;
	wr->mr.ibmr.iova = 0x0000700012345678;
	wr->mr.start = wr->mr.ibmr.iova;
	wr->mr.ibmr.length = 0x2a00;
	wr->send.opcode = IB_WR_REG_MR;
	wr->send.send_flags = IB_SEND_SIGNALED;
	wr->reg.mr = &wr->mr.ibmr;
	wr->reg.key = KT_MKEY | 0x17;
	wr->reg.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE;
}

static void set_reg_inline(struct wr *wr)
{
	set_reg(wr, 3);
}

static void set_reg_inline_full(struct wr *wr)
{
	set_reg(wr, 8);
}

static void set_reg_fetched(struct wr *wr)
{
	set_reg(wr, 9);
}

static void set_inv(struct wr *wr)
{
	wr->send.opcode = IB_WR_LOCAL_INV;
	wr->send.send_flags = IB_SEND_SIGNALED | IB_SEND_FENCE;
	wr->send.ex.invalidate_rkey = KT_MKEY | 0x17;
}

static void set_datagram(struct wr *wr)
{
	static const u8 mac[6] = { 2, 0x11, 0x22, 0x33, 0x44, 0x55 };
	static const u8 gid[16] = { 0xfe, 0x80, [15] = 1 };

	set_send(wr);
	ibx_enc_av(&wr->ah.av, &(struct ibx_enc_av){
		.dgid = gid, .dmac = mac, .hop_limit = 64, .udp_sport = 0xc000,
	});
	wr->ud.ah = &wr->ah.ibah;
	wr->ud.remote_qpn = 1;
	wr->ud.remote_qkey = 0x80010000;
}

#define UMR_SOURCE	QP_H "mlx5_wqe_umr_ctrl_seg, linux/mlx5/device.h mlx5_mkey_seg"

static const struct wqe_case wqe_cases[] = {
	{ "SEND", QP_H "mlx5_wqe_data_seg", IB_QPT_RC, set_send,
	  HEX(0000000a 12345602 00000008 00000000 00001000 00abcdef 1122334455667788) },
	{ "SEND of nothing", QP_H "mlx5_wqe_ctrl_seg", IB_QPT_RC, set_send_empty,
	  HEX(0000000a 12345601 00000000 00000000) },
	{ "SEND with empty elements", "rdma-core providers/mlx5/qp.c: none for no bytes",
	  IB_QPT_RC, set_send_holes,
	  HEX(0000000a 12345603 00000002 00000000 00000001 00000002 0000000000002000
	      00000000 00000004 0000000000004000) },
	{ "SEND with immediate", QP_H "mlx5_wqe_ctrl_seg", IB_QPT_RC, set_send_imm,
	  HEX(0000000b 12345602 00000008 deadbeef 00001000 00abcdef 1122334455667788) },
	{ "SEND with invalidate", QP_H "mlx5_wqe_ctrl_seg", IB_QPT_RC, set_send_inv,
	  HEX(00000001 12345602 00000008 00c0ffee 00001000 00abcdef 1122334455667788) },
	{ "inline, 1 byte", QP_H "mlx5_wqe_inline_seg", IB_QPT_RC, set_inline_1,
	  HEX(0000000a 12345602 00000000 00000000 80000001 00000000 0000000000000000) },
	{ "inline, 12 bytes of two elements", QP_H "mlx5_wqe_inline_seg", IB_QPT_RC,
	  set_inline_12,
	  HEX(0000000a 12345602 00000000 00000000 8000000c 000102030405060708090a0b) },
	{ "inline, as much as fits", QP_H "mlx5_wqe_inline_seg", IB_QPT_RC, set_inline_max,
	  HEX(0000000a 12345607 00000000 00000000 8000005c 000102030405060708090a0b
	      0c0d0e0f101112131415161718191a1b 1c1d1e1f202122232425262728292a2b
	      2c2d2e2f303132333435363738393a3b 3c3d3e3f404142434445464748494a4b
	      4c4d4e4f505152535455565758595a5b) },
	{ "inline, a command", QP_H "mlx5_wqe_inline_seg", IB_QPT_RC, set_inline_64,
	  HEX(0000000a 12345606 00000000 00000000 80000040 000102030405060708090a0b
	      0c0d0e0f101112131415161718191a1b 1c1d1e1f202122232425262728292a2b
	      2c2d2e2f303132333435363738393a3b 3c3d3e3f000000000000000000000000) },
	{ "inline, nothing", QP_H "mlx5_wqe_ctrl_seg", IB_QPT_RC, set_inline_none,
	  HEX(0000000a 12345601 00000000 00000000) },
	{ "RDMA WRITE", QP_H "mlx5_wqe_raddr_seg", IB_QPT_RC, set_write,
	  HEX(00000008 12345604 00000008 00000000 8877665544332211 00c0ffee 00000000
	      00001000 00abcdef 1122334455667788 00000010 00000011 0000000000000099) },
	{ "RDMA WRITE with immediate", QP_H "mlx5_wqe_raddr_seg", IB_QPT_RC, set_write_imm,
	  HEX(00000009 12345604 00000008 deadbeef 8877665544332211 00c0ffee 00000000
	      00001000 00abcdef 1122334455667788 00000010 00000011 0000000000000099) },
	{ "RDMA READ, fenced", QP_H "mlx5_wqe_raddr_seg", IB_QPT_RC, set_read,
	  HEX(00000010 12345604 00000048 00000000 8877665544332211 00c0ffee 00000000
	      00001000 00abcdef 1122334455667788 00000010 00000011 0000000000000099) },
	{ "REG_MR, 3 pages inline", UMR_SOURCE, IB_QPT_RC, set_reg_inline,
	  HEX(00000025 1234560c 00000068 00abcd17 a0 000000 0004 0000
	      0000000020be2143 00000000
	      00000000 000000000000000000000000000000000000000000000000
	      00 00 bd 00 ffffff17 00000000 01000000 0000700012345678 0000000000002a00
	      00000000 00000000000000000000000000000000 00000004 000000 0c 00000000
	      0000000100000003 0000000100010003 0000000100020003 0000000000000000
	      0000000000000000 0000000000000000 0000000000000000 0000000000000000) },
	{ "REG_MR, 8 pages inline", UMR_SOURCE, IB_QPT_RC, set_reg_inline_full,
	  HEX(00000025 1234560c 00000068 00abcd17 a0 000000 0004 0000
	      0000000020be2143 00000000
	      00000000 000000000000000000000000000000000000000000000000
	      00 00 bd 00 ffffff17 00000000 01000000 0000700012345678 0000000000002a00
	      00000000 00000000000000000000000000000000 00000004 000000 0c 00000000
	      0000000100000003 0000000100010003 0000000100020003 0000000100030003
	      0000000100040003 0000000100050003 0000000100060003 0000000100070003) },
	{ "REG_MR, 9 pages fetched", UMR_SOURCE, IB_QPT_RC, set_reg_fetched,
	  HEX(00000025 12345609 00000068 00abcd17 20 000000 0008 0000
	      0000000020be2143 00000000
	      00000000 000000000000000000000000000000000000000000000000
	      00 00 bd 00 ffffff17 00000000 01000000 0000700012345678 0000000000002a00
	      00000000 00000000000000000000000000000000 00000008 000000 0c 00000000
	      00000080 00010203 7766554433221800) },
	{ "LOCAL_INV, fenced", UMR_SOURCE, IB_QPT_RC, set_inv,
	  HEX(00000025 12345608 00000048 00abcd17
	      80 000000 0000 0000 0000000020000000 00000000
	      00000000 000000000000000000000000000000000000000000000000
	      40 00 00 00 00000000 00000000 00000000 0000000000000000 0000000000000000
	      00000000 00000000000000000000000000000000 00000000 000000 00 00000000) },
	{ "UC SEND", QP_H "mlx5_wqe_data_seg", IB_QPT_UC, set_send,
	  HEX(0000000a 12345602 00000008 00000000 00001000 00abcdef 1122334455667788) },
	{ "UC RDMA WRITE with immediate", QP_H "mlx5_wqe_raddr_seg", IB_QPT_UC, set_write_imm,
	  HEX(00000009 12345604 00000008 deadbeef 8877665544332211 00c0ffee 00000000
	      00001000 00abcdef 1122334455667788 00000010 00000011 0000000000000099) },
	{ "UD SEND", QP_H "mlx5_wqe_datagram_seg", IB_QPT_UD, set_datagram,
	  HEX(0000000a 12345605 00000008 00000000 80010000 00000000 80000001 00 00 c000
	      00000000 021122334455 00 40 40000000 fe800000000000000000000000000001
	      00001000 00abcdef 1122334455667788) },
	{ "GSI SEND", QP_H "mlx5_wqe_datagram_seg", IB_QPT_GSI, set_datagram,
	  HEX(0000000a 12345605 00000008 00000000 80010000 00000000 80000001 00 00 c000
	      00000000 021122334455 00 40 40000000 fe800000000000000000000000000001
	      00001000 00abcdef 1122334455667788) },
};

static void wqe_desc(const struct wqe_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s (%s)", c->name, c->source);
}

KUNIT_ARRAY_PARAM(wqe, wqe_cases, wqe_desc);

static struct wr *new_wr(struct kunit *test)
{
	struct wr *wr = kunit_kzalloc(test, sizeof(*wr), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, wr);
	wr->send.wr_id = 0x1234;
	return wr;
}

static int post(struct kt *kt, struct wr *wr)
{
	const struct ib_send_wr *bad = NULL;
	int err = ibx_post_send(&kt->qp->ibqp, &wr->send, &bad);

	KUNIT_EXPECT_PTR_EQ(kt->test, bad, err ? &wr->send : NULL);
	return err;
}

static void wqe(struct kunit *test)
{
	const struct wqe_case *c = test->param_value;
	struct kt *kt = kt_create(test, c->type);
	struct wr *wr = new_wr(test);
	u32 pos;

	c->set(wr);
	for (pos = 0; pos < KT_BBS; pos++) {
		kt_rewind(kt, pos);
		KUNIT_ASSERT_EQ(test, post(kt, wr), 0);
		kt_expect_wqe(kt, c->name, c->hex, pos);
	}
	/* the 16-bit index wraps too */
	kt_rewind(kt, 0xffff);
	KUNIT_ASSERT_EQ(test, post(kt, wr), 0);
	kt_expect_wqe(kt, c->name, c->hex, 0xffff);
}

/* a WR with a vector, a field of the WR, and the WQE byte with the field */
struct spoil_case {
	const char *name;
	void (*set)(struct wr *wr);
	struct {
		size_t offset;
		size_t size;
	} at;
	u64 flip;
	size_t byte;
};

#define AT(member)	{ offsetof(struct wr, member), sizeof_field(struct wr, member) }
/* values whose bits are the same in both byte orders */
#define ENDS_32		0x01000001
#define ENDS_64		0x0100000000000001

static const struct spoil_case spoil_cases[] = {
	{ "opcode", set_send, AT(send.opcode), IB_WR_SEND ^ IB_WR_SEND_WITH_IMM, 3 },
	{ "number of elements", set_send, AT(send.num_sge), 1, 7 },
	{ "signaled", set_send, AT(send.send_flags), IB_SEND_SIGNALED, 11 },
	{ "solicited", set_send, AT(send.send_flags), IB_SEND_SOLICITED, 11 },
	{ "fence", set_send, AT(send.send_flags), IB_SEND_FENCE, 11 },
	{ "length", set_send, AT(sge[0].length), 1, 19 },
	{ "lkey", set_send, AT(sge[0].lkey), 1, 23 },
	{ "address", set_send, AT(sge[0].addr), 1, 31 },
	{ "address, high end", set_send, AT(sge[0].addr), 1ULL << 63, 24 },
	{ "address after empty elements", set_send_holes, AT(sge[3].addr), 1, 47 },
	{ "immediate", set_send_imm, AT(send.ex.imm_data), ENDS_32, 12 },
	{ "key to invalidate", set_send_inv, AT(send.ex.invalidate_rkey), 1, 15 },
	{ "inline length", set_inline_12, AT(sge[1].length), 1, 19 },
	{ "inline byte", set_inline_12, AT(data[11]), 1, 31 },
	{ "last byte of an inline command", set_inline_64, AT(data[63]), 1, 83 },
	{ "last inline byte", set_inline_max, AT(data[KT_MAX_INLINE - 1]), 1, 111 },
	{ "remote address", set_write, AT(rdma.remote_addr), 1, 23 },
	{ "rkey", set_write, AT(rdma.rkey), 1, 27 },
	{ "immediate of a WRITE", set_write_imm, AT(send.ex.imm_data), ENDS_32, 12 },
	{ "second lkey of a READ", set_read, AT(sge[1].lkey), 1, 55 },
	{ "key of a registration", set_reg_inline, AT(reg.key), 1, 15 },
	{ "access", set_reg_inline, AT(reg.access), IB_ACCESS_REMOTE_WRITE, 66 },
	{ "start", set_reg_inline, AT(mr.ibmr.iova), 0x1000, 86 },
	{ "length of a region", set_reg_inline, AT(mr.ibmr.length), 1, 95 },
	{ "page size", set_reg_inline, AT(mr.page_shift), 1, 123 },
	{ "third page", set_reg_inline, AT(mtt[2]), ENDS_64, 144 },
	{ "last page", set_reg_inline_full, AT(mtt[7]), ENDS_64, 184 },
	{ "address of the list", set_reg_fetched, AT(mr.list_dma), 0x800, 142 },
	{ "key of an invalidation", set_inv, AT(send.ex.invalidate_rkey), 1, 15 },
	{ "Q_Key", set_datagram, AT(ud.remote_qkey), 1, 19 },
	{ "QP number", set_datagram, AT(ud.remote_qpn), 2, 27 },
	{ "destination MAC", set_datagram, AT(ah.av.rmac[5]), 1, 41 },
	{ "destination GID", set_datagram, AT(ah.av.rgid[15]), 1, 63 },
};

KUNIT_ARRAY_PARAM_DESC(spoil, spoil_cases, name);

static const struct wqe_case *vector_of(void (*set)(struct wr *wr))
{
	int i;

	for (i = 0; i < ARRAY_SIZE(wqe_cases); i++)
		if (wqe_cases[i].set == set)
			return &wqe_cases[i];
	return NULL;
}

static void flip(void *p, size_t size, u64 bits)
{
	if (size == sizeof(u8))
		*(u8 *)p ^= bits;
	else if (size == sizeof(u32))
		*(u32 *)p ^= bits;
	else
		*(u64 *)p ^= bits;
}

static void spoil(struct kunit *test)
{
	u8 want[512], *flat = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);
	const struct spoil_case *s = test->param_value;
	const struct wqe_case *c = vector_of(s->set);
	struct wr *wr = new_wr(test);
	struct kt *kt;
	size_t n;

	KUNIT_ASSERT_NOT_NULL(test, flat);
	KUNIT_ASSERT_NOT_NULL(test, c);
	n = kt_parse_hex(test, c->hex, want, sizeof(want));
	kt = kt_create(test, c->type);

	s->set(wr);
	KUNIT_ASSERT_EQ(test, post(kt, wr), 0);
	kt_unroll(kt, 0, flat);
	KUNIT_EXPECT_EQ(test, kt_first_diff(flat, want, n), n);

	flip((void *)wr + s->at.offset, s->at.size, s->flip);
	kt_rewind(kt, 0);
	KUNIT_ASSERT_EQ(test, post(kt, wr), 0);
	kt_unroll(kt, 0, flat);
	KUNIT_EXPECT_EQ(test, kt_first_diff(flat, want, n), s->byte);
}

struct refuse_case {
	const char *name;
	enum ib_qp_type type;
	void (*set)(struct wr *wr);
	int err;
};

static void bad_opcode(struct wr *wr)
{
	set_send(wr);
	wr->send.opcode = 0x7f;
}

static void bad_hole_in_opcodes(struct wr *wr)
{
	set_send(wr);
	wr->send.opcode = 0x1f;
}

static void bad_atomic(struct wr *wr)
{
	set_send(wr);
	wr->send.opcode = IB_WR_ATOMIC_CMP_AND_SWP;
}

static void bad_integrity(struct wr *wr)
{
	set_reg(wr, 3);
	wr->send.opcode = IB_WR_REG_MR_INTEGRITY;
}

static void bad_flag(struct wr *wr)
{
	set_send(wr);
	wr->send.send_flags = IB_SEND_IP_CSUM;
}

static void bad_num_sge(struct wr *wr)
{
	set_send(wr);
	wr->send.num_sge = KT_MAX_GS + 1;
}

static void bad_negative_sge(struct wr *wr)
{
	set_send(wr);
	wr->send.num_sge = -1;
}

static void bad_length(struct wr *wr)
{
	set_send(wr);
	wr->sge[0].length = IBX_SGE_MAX + 1;
}

static void bad_inline(struct wr *wr)
{
	set_inline(wr, 30, KT_MAX_INLINE - 30 + 1);
}

static void bad_inline_sum(struct wr *wr)
{
	set_inline(wr, 0xffffffff, 2);
}

static void bad_inline_read(struct wr *wr)
{
	set_read(wr);
	wr->send.send_flags |= IB_SEND_INLINE;
}

static void bad_key(struct wr *wr)
{
	set_reg(wr, 3);
	wr->reg.key += 0x100;
}

static void bad_access(struct wr *wr)
{
	set_reg(wr, 3);
	wr->reg.access |= IB_ACCESS_MW_BIND;
}

static void bad_unmapped(struct wr *wr)
{
	set_reg(wr, 0);
}

static void bad_reg_inline(struct wr *wr)
{
	set_reg(wr, 3);
	wr->send.send_flags |= IB_SEND_INLINE;
}

static void bad_no_ah(struct wr *wr)
{
	set_datagram(wr);
	wr->ud.ah = NULL;
}

static const struct refuse_case refuse_cases[] = {
	{ "opcode out of range", IB_QPT_RC, bad_opcode, -EINVAL },
	{ "opcode between opcodes", IB_QPT_RC, bad_hole_in_opcodes, -EINVAL },
	{ "atomic", IB_QPT_RC, bad_atomic, -EOPNOTSUPP },
	{ "integrity", IB_QPT_RC, bad_integrity, -EOPNOTSUPP },
	{ "unknown flag", IB_QPT_RC, bad_flag, -EINVAL },
	{ "too many elements", IB_QPT_RC, bad_num_sge, -EINVAL },
	{ "negative elements", IB_QPT_RC, bad_negative_sge, -EINVAL },
	{ "element too long", IB_QPT_RC, bad_length, -EINVAL },
	{ "inline too long", IB_QPT_RC, bad_inline, -EINVAL },
	{ "inline sum overflows", IB_QPT_RC, bad_inline_sum, -EINVAL },
	{ "inline READ", IB_QPT_RC, bad_inline_read, -EINVAL },
	{ "key of another MR", IB_QPT_RC, bad_key, -EINVAL },
	{ "access unknown to MRs", IB_QPT_RC, bad_access, -EINVAL },
	{ "MR without a list", IB_QPT_RC, bad_unmapped, -EINVAL },
	{ "REG_MR inline", IB_QPT_RC, bad_reg_inline, -EINVAL },
	{ "READ on UC", IB_QPT_UC, set_read, -EINVAL },
	{ "atomic on UC", IB_QPT_UC, bad_atomic, -EINVAL },
	{ "REG_MR on UC", IB_QPT_UC, set_reg_inline, -EINVAL },
	{ "LOCAL_INV on UC", IB_QPT_UC, set_inv, -EINVAL },
	{ "SEND_WITH_INV on UC", IB_QPT_UC, set_send_inv, -EINVAL },
	{ "WRITE on UD", IB_QPT_UD, set_write, -EINVAL },
	{ "READ on UD", IB_QPT_UD, set_read, -EINVAL },
	{ "REG_MR on UD", IB_QPT_UD, set_reg_inline, -EINVAL },
	{ "SEND_WITH_INV on GSI", IB_QPT_GSI, set_send_inv, -EINVAL },
	{ "no address handle", IB_QPT_UD, bad_no_ah, -EINVAL },
};

static void refuse_desc(const struct refuse_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(refuse, refuse_cases, refuse_desc);

/*
 * A refused WR rings no doorbell if it is alone. In a chain, only the WRs
 * before it are posted.
 */
static void refuse(struct kunit *test)
{
	const struct refuse_case *c = test->param_value;
	struct kt *kt = kt_create(test, c->type);
	struct wr *good = new_wr(test), *bad = new_wr(test), *after = new_wr(test);
	const struct ib_send_wr *bad_wr;

	c->set(bad);
	KUNIT_EXPECT_EQ(test, post(kt, bad), c->err);
	KUNIT_EXPECT_EQ(test, kt->reg[0], 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), 0);
	KUNIT_EXPECT_EQ(test, kt->qp->sq.cur_post, 0);

	if (c->type == IB_QPT_RC || c->type == IB_QPT_UC)
		set_send(good);
	else
		set_datagram(good);
	memcpy(&after->ud, &good->ud, sizeof(good->ud));
	good->send.next = &bad->send;
	bad->send.next = &after->send;
	KUNIT_EXPECT_EQ(test, ibx_post_send(&kt->qp->ibqp, &good->send, &bad_wr), c->err);
	KUNIT_EXPECT_PTR_EQ(test, bad_wr, &bad->send);
	KUNIT_EXPECT_EQ(test, kt->qp->sq.head, 1);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), kt->qp->sq.cur_post);
	KUNIT_EXPECT_MEMEQ(test, kt->reg, kt->sq_ring, 8);
}

/* an inline list of several blocks that wraps around the end of the ring */
static void inline_list_wraps(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_sq *sq = &kt->qp->sq;
	struct wr *wr = new_wr(test);

	set_reg(wr, 9);
	sq->max_umr_inline = wr->mr.list_bytes;
	sq->cur_post = KT_BBS - 3;
	KUNIT_ASSERT_EQ(test, post(kt, wr), 0);
	KUNIT_EXPECT_EQ(test, sq->cur_post, KT_BBS + 1);
	KUNIT_EXPECT_MEMEQ(test, kt->sq_ring + (KT_BBS - 1) * IBX_BB, wr->mtt, IBX_BB);
	KUNIT_EXPECT_MEMEQ(test, kt->sq_ring, &wr->mtt[8], IBX_BB);
}

/* remote atomic access is refused on a device whose UMR cannot change it */
static void refuse_atomic_access(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct wr *wr = new_wr(test);

	set_reg(wr, 3);
	wr->reg.access |= IB_ACCESS_REMOTE_ATOMIC;
	KUNIT_EXPECT_EQ(test, post(kt, wr), 0);
	kt->qp->sq.reg_access &= ~IB_ACCESS_REMOTE_ATOMIC;
	KUNIT_EXPECT_EQ(test, post(kt, wr), -EOPNOTSUPP);
}

static void states(struct kunit *test)
{
	static const struct {
		enum ib_qp_state state;
		int send, recv, dead_send;
	} rows[] = {
		{ IB_QPS_RESET, -EINVAL, -EINVAL, -EINVAL },
		{ IB_QPS_INIT, -EINVAL, 0, -EINVAL },
		{ IB_QPS_RTR, -EINVAL, 0, -EINVAL },
		{ IB_QPS_RTS, 0, 0, -EIO },
		{ IB_QPS_SQD, 0, 0, -EIO },
		{ IB_QPS_SQE, 0, 0, -EIO },
		{ IB_QPS_ERR, 0, 0, 0 },
	};
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_recv_wr recv = {};
	const struct ib_recv_wr *bad_recv;
	struct wr *wr = new_wr(test);
	int i;

	set_send(wr);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		kt_rewind(kt, 0);
		ibx_rq_reset(&kt->qp->rq);
		kt->qp->state = rows[i].state;
		kt->mdev->state = MLX5_DEVICE_STATE_UP;
		KUNIT_EXPECT_EQ(test, post(kt, wr), rows[i].send);
		KUNIT_EXPECT_EQ(test, ibx_post_recv(&kt->qp->ibqp, &recv, &bad_recv),
				rows[i].recv);
		kt->mdev->state = MLX5_DEVICE_STATE_INTERNAL_ERROR;
		KUNIT_EXPECT_EQ(test, post(kt, wr), rows[i].dead_send);
	}
}

/* the ring has space for exactly max_post WRs of the largest size */
static void full(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct wr *wr[KT_MAX_POST + 2];
	const struct ib_send_wr *bad = NULL;
	int i;

	for (i = 0; i < ARRAY_SIZE(wr); i++) {
		wr[i] = new_wr(test);
		set_reg_inline_full(wr[i]);
		if (i)
			wr[i - 1]->send.next = &wr[i]->send;
	}
	kt_rewind(kt, 7);
	KUNIT_EXPECT_EQ(test, ibx_post_send(&kt->qp->ibqp, &wr[0]->send, &bad), -ENOMEM);
	KUNIT_EXPECT_PTR_EQ(test, bad, &wr[KT_MAX_POST]->send);
	KUNIT_EXPECT_EQ(test, kt->qp->sq.head, KT_MAX_POST);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), 7 + KT_MAX_POST * 3);

	kt->qp->sq.tail = 1;
	KUNIT_EXPECT_EQ(test, ibx_post_send(&kt->qp->ibqp, bad, &bad), -ENOMEM);
	KUNIT_EXPECT_PTR_EQ(test, bad, &wr[KT_MAX_POST + 1]->send);
}

/* one doorbell for each chain, in the two halves of the register in turn */
static void doorbell(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct wr *a = new_wr(test), *b = new_wr(test);

	set_send(a);
	set_inv(b);
	a->send.next = &b->send;
	KUNIT_EXPECT_EQ(test, post(kt, a), 0);
	KUNIT_EXPECT_MEMEQ(test, kt->reg, kt->sq_ring + IBX_BB, 8);
	KUNIT_EXPECT_EQ(test, kt->reg[KT_TOGGLE / 8], 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), 3);

	kt->reg[0] = 0;
	KUNIT_EXPECT_EQ(test, post(kt, b), 0);
	KUNIT_EXPECT_EQ(test, kt->reg[0], 0);
	KUNIT_EXPECT_MEMEQ(test, &kt->reg[KT_TOGGLE / 8], kt->sq_ring + 3 * IBX_BB, 8);
}

/* the fence of each WQE of a chain: MLX5_FENCE_MODE_* of linux/mlx5/qp.h */
static void fences(struct kunit *test)
{
	enum { STRONG, SMALL, NONE };
	static const struct {
		void (*set)(struct wr *wr);
		int flags;
		u8 bits;
		u8 umr;			/* fence of a UMR: index in modes[] */
	} rows[] = {
		{ set_send, 0, 0x00 },
		{ set_send, IB_SEND_FENCE, 0x40 },
		{ set_reg_inline, 0, 0x60 },
		{ set_send, 0, 0x20 },
		{ set_send, 0, 0x00 },
		{ set_inv, 0, 0x00 },
		{ set_reg_inline, 0, 0x60 },
		{ set_read, IB_SEND_FENCE, 0x80 },
		{ set_inv, IB_SEND_FENCE, 0x40 },
		{ set_inv, 0, 0x20 },
		{ set_reg_inline, IB_SEND_FENCE, 0x60 },
		{ set_send, IB_SEND_SIGNALED, 0x28 },
		{ set_reg_inline, 0, 0x20, SMALL },
		{ set_reg_inline, 0, 0x20, SMALL },
		{ set_reg_inline, IB_SEND_FENCE, 0x80, SMALL },
		{ set_send, 0, 0x20, SMALL },
		{ set_reg_inline, IB_SEND_FENCE, 0x80, SMALL },
		{ set_reg_inline, 0, 0x00, NONE },
		{ set_reg_inline, IB_SEND_FENCE, 0x80, NONE },
		{ set_send, 0, 0x20, NONE },
		{ set_reg_inline, IB_SEND_FENCE, 0x40, NONE },
	};
	static const u8 modes[] = {
		MLX5_FENCE_MODE_STRONG_ORDERING, MLX5_FENCE_MODE_INITIATOR_SMALL,
		MLX5_FENCE_MODE_NONE,
	};
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_sq *sq = &kt->qp->sq;
	struct wr *wr = new_wr(test);
	struct mlx5_wqe_ctrl_seg *ctrl;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i].set(wr);
		wr->send.send_flags = rows[i].flags;
		sq->umr_fence = modes[rows[i].umr];
		ctrl = sq->buf + (sq->cur_post & sq->mask) * IBX_BB;
		KUNIT_EXPECT_EQ(test, post(kt, wr), 0);
		KUNIT_EXPECT_EQ_MSG(test, ctrl->fm_ce_se, rows[i].bits, "WR %d", i);
		sq->tail = sq->head;
	}
}

/*
 * On a QP for memory copies, IB_SEND_FENCE waits for copies too. The value is
 * MLX5_WQE_CTRL_FENCE of libmlx5, 4 << 5.
 */
static void fences_with_copies(struct kunit *test)
{
	static const struct {
		void (*set)(struct wr *wr);
		int flags;
		u8 bits;
	} rows[] = {
		{ set_send, 0, 0x00 },
		{ set_send, IB_SEND_FENCE, 0x80 },
		{ set_inv, IB_SEND_FENCE, 0x80 },
		{ set_send, 0, 0x20 },
		{ set_reg_inline, IB_SEND_FENCE, 0x80 },
	};
	struct ibx_sq_params p = {
		.wqe_cnt = KT_BBS, .max_wqe = KT_MAX_WQE, .max_post = KT_MAX_POST,
		.max_gs = KT_MAX_GS, .copies = true, .node = NUMA_NO_NODE,
	};
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_sq *sq = &kt->qp->sq;
	struct wr *wr = new_wr(test);
	struct mlx5_wqe_ctrl_seg *ctrl;
	struct ibx_sq copies = {};
	int i;

	KUNIT_ASSERT_EQ(test, ibx_sq_init(&copies, &p), 0);
	sq->fence = copies.fence;
	ibx_sq_fini(&copies);
	sq->umr_fence = MLX5_FENCE_MODE_NONE;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i].set(wr);
		wr->send.send_flags = rows[i].flags;
		ctrl = sq->buf + (sq->cur_post & sq->mask) * IBX_BB;
		KUNIT_EXPECT_EQ(test, post(kt, wr), 0);
		KUNIT_EXPECT_EQ_MSG(test, ctrl->fm_ce_se, rows[i].bits, "WR %d", i);
		sq->tail = sq->head;
	}
}

static void signal_all(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct wr *wr = new_wr(test);

	kt->qp->sq.fm_ce_se = MLX5_WQE_CTRL_CQ_UPDATE;
	set_send(wr);
	wr->send.send_flags = 0;
	KUNIT_EXPECT_EQ(test, post(kt, wr), 0);
	kt_expect_bytes(test, "ctrl", kt->sq_ring, HEX(0000000a 12345602 00000008 00000000));
}

/* mlx5_wqe_data_seg; a list shorter than the WQE ends with an end entry */
static void recv(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_sge sge[] = {
		{ 0x1122334455667788, 0x1000, 0xabcdef }, { 1, 0, 2 }, { 3, IBX_SGE_MAX, 4 },
	};
	struct ib_recv_wr wr[KT_RQ_WQES + 1] = {};
	const struct ib_recv_wr *bad = NULL;
	int i;

	for (i = 0; i < ARRAY_SIZE(wr) - 1; i++)
		wr[i].next = &wr[i + 1];
	wr[0].sg_list = sge;
	wr[0].num_sge = 3;
	KUNIT_EXPECT_EQ(test, ibx_post_recv(&kt->qp->ibqp, wr, &bad), -ENOMEM);
	KUNIT_EXPECT_PTR_EQ(test, bad, &wr[KT_RQ_WQES]);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_RCV_DBR]), KT_RQ_WQES);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), 0);
	kt_expect_bytes(test, "two elements", kt->rq_ring,
			HEX(00001000 00abcdef 1122334455667788 00000000 00000004 0000000000000003
			00000000 00000100 0000000000000000));
	kt_expect_bytes(test, "none", kt->rq_ring + (1 << KT_RQ_SHIFT),
			HEX(00000000 00000100 0000000000000000));

	kt->qp->rq.tail = KT_RQ_WQES;
	wr[0].num_sge = KT_RQ_GS + 1;
	KUNIT_EXPECT_EQ(test, ibx_post_recv(&kt->qp->ibqp, wr, &bad), -EINVAL);
	wr[0].num_sge = 1;
	sge[0].length = IBX_SGE_MAX + 1;
	KUNIT_EXPECT_EQ(test, ibx_post_recv(&kt->qp->ibqp, wr, &bad), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, bad, &wr[0]);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_RCV_DBR]), KT_RQ_WQES);
}

/* invalid parameters of a ring are refused; a ring without WQEs is full */
static void geometry(struct kunit *test)
{
	static const struct ibx_sq_params bad_sq[] = {
		{ .wqe_cnt = 3, .max_wqe = 64, .max_post = 1 },
		{ .wqe_cnt = 65536, .max_wqe = 64, .max_post = 1 },
		{ .wqe_cnt = 16, .max_wqe = 32, .max_post = 1 },
		{ .wqe_cnt = 16, .max_wqe = 1024, .max_post = 1 },
		{ .wqe_cnt = 16, .max_wqe = 192, .max_post = 6 },
		{ .wqe_cnt = 16, .max_wqe = 192, .max_post = 0 },
	};
	static const struct ibx_rq_params bad_rq[] = {
		{ .wqe_cnt = 3, .wqe_shift = 4, .max_gs = 1 },
		{ .wqe_cnt = 65536, .wqe_shift = 4, .max_gs = 1 },
		{ .wqe_cnt = 4, .wqe_shift = 3, .max_gs = 0 },
		{ .wqe_cnt = 4, .wqe_shift = 4, .max_gs = 2 },
	};
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_qp *qp = kt->qp;
	struct wr *wr = new_wr(test);
	struct ibx_sq sq = {};
	struct ibx_rq rq = {};
	int i;

	for (i = 0; i < ARRAY_SIZE(bad_sq); i++)
		KUNIT_EXPECT_EQ_MSG(test, ibx_sq_init(&sq, &bad_sq[i]), -EINVAL, "row %d", i);
	for (i = 0; i < ARRAY_SIZE(bad_rq); i++)
		KUNIT_EXPECT_EQ_MSG(test, ibx_rq_init(&rq, &bad_rq[i]), -EINVAL, "row %d", i);

	ibx_sq_fini(&qp->sq);
	memset(&qp->sq, 0, sizeof(qp->sq));
	KUNIT_EXPECT_EQ(test, ibx_sq_init(&qp->sq, &(struct ibx_sq_params){}), 0);
	set_send(wr);
	KUNIT_EXPECT_EQ(test, post(kt, wr), -ENOMEM);
}

static void nop_done(struct ib_cq *cq, struct ib_wc *wc)
{
}

/* QPs of all types write the same NOP as mlx5_ib_test_wc() of mlx5_ib */
static void nops(struct kunit *test)
{
	static const enum ib_qp_type types[] = { IB_QPT_RC, IB_QPT_UC, IB_QPT_UD, IB_QPT_DRIVER };
	struct ib_cqe cqe = { .done = nop_done };
	struct kt *kt;
	int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		kt = kt_create(test, types[i]);
		kt->qp->state = IB_QPS_RESET;
		KUNIT_EXPECT_EQ(test, ibx_post_nop(kt->qp, &cqe), -EINVAL);
		kt->qp->state = IB_QPS_ERR;
		KUNIT_EXPECT_EQ(test, ibx_post_nop(kt->qp, &cqe), 0);
		kt_expect_bytes(test, "NOP", kt->sq_ring, HEX(00000000 12345601 00000008 00000000));
		KUNIT_EXPECT_EQ(test, kt->qp->sq.cur_post, 1);
		KUNIT_EXPECT_EQ(test, kt->qp->sq.shadow[0].wr_id, (u64)(uintptr_t)&cqe);
		kt->mdev->state = MLX5_DEVICE_STATE_INTERNAL_ERROR;
		while (kt->qp->sq.head != KT_MAX_POST)
			KUNIT_ASSERT_EQ(test, ibx_post_nop(kt->qp, &cqe), 0);
		KUNIT_EXPECT_EQ(test, ibx_post_nop(kt->qp, &cqe), -ENOMEM);
		kt->qp->state = IB_QPS_RTS;
		KUNIT_EXPECT_EQ(test, ibx_post_nop(kt->qp, &cqe), -EIO);
	}
}

static struct kunit_case post_tests[] = {
	KUNIT_CASE_PARAM(wqe, wqe_gen_params),
	KUNIT_CASE_PARAM(spoil, spoil_gen_params),
	KUNIT_CASE_PARAM(refuse, refuse_gen_params),
	KUNIT_CASE(inline_list_wraps),
	KUNIT_CASE(refuse_atomic_access),
	KUNIT_CASE(states),
	KUNIT_CASE(full),
	KUNIT_CASE(doorbell),
	KUNIT_CASE(fences),
	KUNIT_CASE(fences_with_copies),
	KUNIT_CASE(signal_all),
	KUNIT_CASE(recv),
	KUNIT_CASE(geometry),
	KUNIT_CASE(nops),
	{}
};

static struct kunit_suite post_suite = {
	.name = "mlx5_ibx_post",
	.test_cases = post_tests,
};

kunit_test_suite(post_suite);
