// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of the table of DEVX commands (devx/table.c).
 *
 * The positions of numbers, and the commands that destroy objects, are stated
 * here a second time, with structures of <linux/mlx5/mlx5_ifc.h>. Each row of
 * the table has a test.
 */
#include <kunit/test.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/mlx5/qp.h>

#include "devx/table.h"

#define BOX_BYTES	1024
#define NR		0x5a
#define UID		0x1234

struct boxes {
	u32 in[BOX_BYTES / sizeof(u32)];
	u32 out[BOX_BYTES / sizeof(u32)];
	struct ibx_devx_box box;
};

static struct boxes *new_boxes(struct kunit *test, u16 opcode)
{
	struct boxes *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	MLX5_SET(general_obj_in_cmd_hdr, b->in, opcode, opcode);
	b->box.in = b->in;
	b->box.inlen = sizeof(b->in);
	b->box.out = b->out;
	b->box.outlen = sizeof(b->out);
	return b;
}

/*
 * ---- objects: the position of the number in the answer, and the destroying
 * command ----
 */

struct made_case {
	const char *name;
	u16 opcode;
	u16 undo;
	u16 out_off;	/* bit offset and length of the number in the answer */
	u8 out_len;
	u16 in_off;	/* the same in the command that destroys the object */
	u8 in_len;
};

#define MADE(op, typ, fld, _undo, utyp, ufld)						\
	{ #op, MLX5_CMD_OP_##op, MLX5_CMD_OP_##_undo,					\
	  __mlx5_bit_off(typ##_out, fld), __mlx5_bit_sz(typ##_out, fld),			\
	  __mlx5_bit_off(utyp##_in, ufld), __mlx5_bit_sz(utyp##_in, ufld) }

static const struct made_case made_cases[] = {
	MADE(CREATE_MKEY, create_mkey, mkey_index, DESTROY_MKEY, destroy_mkey, mkey_index),
	MADE(CREATE_CQ, create_cq, cqn, DESTROY_CQ, destroy_cq, cqn),
	MADE(CREATE_QP, create_qp, qpn, DESTROY_QP, destroy_qp, qpn),
	MADE(CREATE_PSV, create_psv, psv0_index, DESTROY_PSV, destroy_psv, psvn),
	MADE(CREATE_XRC_SRQ, create_xrc_srq, xrc_srqn, DESTROY_XRC_SRQ, destroy_xrc_srq,
	     xrc_srqn),
	MADE(CREATE_DCT, create_dct, dctn, DESTROY_DCT, destroy_dct, dctn),
	MADE(ALLOC_Q_COUNTER, alloc_q_counter, counter_set_id, DEALLOC_Q_COUNTER,
	     dealloc_q_counter, counter_set_id),
	MADE(ALLOC_PD, alloc_pd, pd, DEALLOC_PD, dealloc_pd, pd),
	MADE(ALLOC_XRCD, alloc_xrcd, xrcd, DEALLOC_XRCD, dealloc_xrcd, xrcd),
	MADE(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain, transport_domain,
	     DEALLOC_TRANSPORT_DOMAIN, dealloc_transport_domain, transport_domain),
	MADE(CREATE_RMP, create_rmp, rmpn, DESTROY_RMP, destroy_rmp, rmpn),
	MADE(ALLOC_FLOW_COUNTER, alloc_flow_counter, flow_counter_id, DEALLOC_FLOW_COUNTER,
	     dealloc_flow_counter, flow_counter_id),
	{ "CREATE_GENERAL_OBJECT", MLX5_CMD_OP_CREATE_GENERAL_OBJECT,
	  MLX5_CMD_OP_DESTROY_GENERAL_OBJECT, 64, 32, 64, 32 },
};

KUNIT_ARRAY_PARAM_DESC(made, made_cases, name);

static void put(void *box, u16 off, u8 len, u32 v)
{
	__be32 *word = (__be32 *)box + off / 32;

	*word |= cpu_to_be32(v << (32 - off % 32 - len));
}

static u32 get(const void *box, u16 off, u8 len)
{
	return be32_to_cpu(((const __be32 *)box)[off / 32]) >> (32 - off % 32 - len) &
	       GENMASK(len - 1, 0);
}

static void destroy_what_was_made(struct kunit *test)
{
	const struct made_case *c = test->param_value;
	struct boxes *b = new_boxes(test, c->opcode);
	u32 undo[IBX_DEVX_MIN / sizeof(u32)];
	const struct ibx_devx_row *row;
	struct ibx_devx_id id;

	MLX5_SET(create_psv_in, b->in, num_psv, c->opcode == MLX5_CMD_OP_CREATE_PSV);
	if (c->opcode == MLX5_CMD_OP_CREATE_GENERAL_OBJECT)
		MLX5_SET(general_obj_in_cmd_hdr, b->in, obj_type, 0xc);
	row = ibx_devx_check(&b->box, IBX_DEVX_CREATE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, row);
	put(b->out, c->out_off, c->out_len, NR);
	ibx_devx_created(row, &b->box, &id);
	KUNIT_EXPECT_EQ(test, id.creator, c->opcode);
	KUNIT_EXPECT_EQ(test, id.nr, NR);
	memset(undo, 0xff, sizeof(undo));
	ibx_devx_undo(&id, UID, undo);
	KUNIT_EXPECT_EQ(test, MLX5_GET(general_obj_in_cmd_hdr, undo, opcode), c->undo);
	KUNIT_EXPECT_EQ(test, MLX5_GET(general_obj_in_cmd_hdr, undo, uid), UID);
	KUNIT_EXPECT_EQ(test, MLX5_GET(general_obj_in_cmd_hdr, undo, obj_type),
			c->opcode == MLX5_CMD_OP_CREATE_GENERAL_OBJECT ? 0xc : 0);
	KUNIT_EXPECT_EQ(test, get(undo, c->in_off, c->in_len), NR);
	KUNIT_EXPECT_EQ(test, undo[3], 0);
}

/* ---- commands for objects: the position of the number in the command ---- */

struct named_case {
	const char *name;
	u16 opcode;
	u16 kind;
	u16 creator;
	u16 off;
	u8 len;
};

#define NAMED(op, k, typ, fld, by)							\
	{ #op, MLX5_CMD_OP_##op, IBX_DEVX_##k, MLX5_CMD_OP_##by,				\
	  __mlx5_bit_off(typ##_in, fld), __mlx5_bit_sz(typ##_in, fld) }

static const struct named_case named_cases[] = {
	NAMED(MODIFY_CQ, MODIFY, modify_cq, cqn, CREATE_CQ),
	NAMED(RST2INIT_QP, MODIFY, rst2init_qp, qpn, CREATE_QP),
	NAMED(INIT2RTR_QP, MODIFY, init2rtr_qp, qpn, CREATE_QP),
	NAMED(RTR2RTS_QP, MODIFY, rtr2rts_qp, qpn, CREATE_QP),
	NAMED(RTS2RTS_QP, MODIFY, rts2rts_qp, qpn, CREATE_QP),
	NAMED(SQERR2RTS_QP, MODIFY, sqerr2rts_qp, qpn, CREATE_QP),
	NAMED(INIT2INIT_QP, MODIFY, init2init_qp, qpn, CREATE_QP),
	NAMED(2ERR_QP, MODIFY, qp_2err, qpn, CREATE_QP),
	NAMED(2RST_QP, MODIFY, qp_2rst, qpn, CREATE_QP),
	NAMED(ARM_XRC_SRQ, MODIFY, arm_xrc_srq, xrc_srqn, CREATE_XRC_SRQ),
	NAMED(MODIFY_RMP, MODIFY, modify_rmp, rmpn, CREATE_RMP),
	{ "MODIFY_GENERAL_OBJECT", MLX5_CMD_OP_MODIFY_GENERAL_OBJECT, IBX_DEVX_MODIFY,
	  MLX5_CMD_OP_CREATE_GENERAL_OBJECT, 64, 32 },
	NAMED(QUERY_MKEY, QUERY, query_mkey, mkey_index, CREATE_MKEY),
	NAMED(QUERY_CQ, QUERY, query_cq, cqn, CREATE_CQ),
	NAMED(QUERY_QP, QUERY, query_qp, qpn, CREATE_QP),
	NAMED(QUERY_XRC_SRQ, QUERY, query_xrc_srq, xrc_srqn, CREATE_XRC_SRQ),
	NAMED(QUERY_DCT, QUERY, query_dct, dctn, CREATE_DCT),
	NAMED(QUERY_Q_COUNTER, QUERY, query_q_counter, counter_set_id, ALLOC_Q_COUNTER),
	NAMED(QUERY_RMP, QUERY, query_rmp, rmpn, CREATE_RMP),
	NAMED(QUERY_FLOW_COUNTER, QUERY, query_flow_counter, flow_counter_id, ALLOC_FLOW_COUNTER),
	{ "QUERY_GENERAL_OBJECT", MLX5_CMD_OP_QUERY_GENERAL_OBJECT, IBX_DEVX_QUERY,
	  MLX5_CMD_OP_CREATE_GENERAL_OBJECT, 64, 32 },
};

KUNIT_ARRAY_PARAM_DESC(named, named_cases, name);

static void name_the_object(struct kunit *test)
{
	const struct named_case *c = test->param_value;
	const struct ibx_devx_id right = { .creator = c->creator, .nr = NR };
	struct boxes *b = new_boxes(test, c->opcode);
	const struct ibx_devx_row *row;
	struct ibx_devx_id id;

	put(b->in, c->off, c->len, NR);
	row = ibx_devx_check(&b->box, c->kind);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, row);
	ibx_devx_named(row, b->in, &id);
	KUNIT_EXPECT_TRUE(test, ibx_devx_same(&id, &right));
	/*
	 * the command ends one byte before the end of the word with the number,
	 * or one byte before IBX_DEVX_MIN, if that is longer
	 */
	b->box.inlen = max_t(size_t, (c->off / 32 + 1) * 4 - 1, IBX_DEVX_MIN - 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, c->kind)), -EINVAL);
	b->box.inlen++;
	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, ibx_devx_check(&b->box, c->kind));
}

/* general objects of different types may have the same number */
static void tell_types_apart(struct kunit *test)
{
	struct boxes *b = new_boxes(test, MLX5_CMD_OP_QUERY_GENERAL_OBJECT);
	const struct ibx_devx_row *row = ibx_devx_row(MLX5_CMD_OP_QUERY_GENERAL_OBJECT);
	struct ibx_devx_id one, two;

	MLX5_SET(general_obj_in_cmd_hdr, b->in, obj_type, 1);
	ibx_devx_named(row, b->in, &one);
	MLX5_SET(general_obj_in_cmd_hdr, b->in, obj_type, 2);
	ibx_devx_named(row, b->in, &two);
	KUNIT_EXPECT_FALSE(test, ibx_devx_same(&one, &two));
	two.type = 1;
	KUNIT_EXPECT_TRUE(test, ibx_devx_same(&one, &two));
	two.nr++;
	KUNIT_EXPECT_FALSE(test, ibx_devx_same(&one, &two));
}

/* the tables here and devx/table.c have the same rows, one for each opcode */
static void know_every_row(struct kunit *test)
{
	unsigned int i, j, n[4] = {};
	const struct ibx_devx_row *row;

	for (i = 0; (row = ibx_devx_row_at(i)); i++) {
		KUNIT_ASSERT_LT(test, row->kind, ARRAY_SIZE(n));
		n[row->kind]++;
		KUNIT_EXPECT_PTR_EQ(test, ibx_devx_row(row->opcode), row);
		for (j = 0; j < ARRAY_SIZE(row->set); j++)
			KUNIT_EXPECT_LE(test, row->set[j].len, 1);
		if (row->kind == IBX_DEVX_GENERAL)
			KUNIT_EXPECT_EQ(test, row->nr.len, 0);
		else
			KUNIT_EXPECT_NOT_NULL(test, ibx_devx_row(row->creator));
	}
	KUNIT_EXPECT_EQ(test, n[IBX_DEVX_CREATE], ARRAY_SIZE(made_cases));
	KUNIT_EXPECT_EQ(test, n[IBX_DEVX_MODIFY] + n[IBX_DEVX_QUERY], ARRAY_SIZE(named_cases));
	KUNIT_EXPECT_EQ(test, n[IBX_DEVX_GENERAL], 16);
}

/*
 * Commands of the general ranges are accepted as general commands only. Most
 * have no name in public headers.
 */
static void pass_general_range(struct kunit *test)
{
	static const u16 in_range[] = { 0xb00, MLX5_CMD_OP_SYNC_CRYPTO, 0xbff, 0xc00, 0xcff };
	static const u16 beside[] = { 0xaff, 0xd00 };
	const struct ibx_devx_row *row;
	struct boxes *b;
	int i, kind;

	for (i = 0; i < ARRAY_SIZE(in_range); i++) {
		b = new_boxes(test, in_range[i]);
		row = ibx_devx_check(&b->box, IBX_DEVX_GENERAL);
		KUNIT_EXPECT_NOT_ERR_OR_NULL(test, row);
		for (kind = IBX_DEVX_CREATE; kind < IBX_DEVX_GENERAL; kind++)
			KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, kind)), -EINVAL);
		b->box.inlen = IBX_DEVX_MIN - 1;
		KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, IBX_DEVX_GENERAL)),
				-EINVAL);
		b->box.inlen = IBX_DEVX_MIN;
		MLX5_SET(general_obj_in_cmd_hdr, b->in, vhca_tunnel_id, 1);
		KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, IBX_DEVX_GENERAL)),
				-EINVAL);
	}
	for (i = 0; i < ARRAY_SIZE(beside); i++) {
		b = new_boxes(test, beside[i]);
		KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, IBX_DEVX_GENERAL)),
				-EINVAL);
	}
}

/* ---- refused commands ---- */

static void refuse_others(struct kunit *test)
{
	static const u16 others[] = {
		0, MLX5_CMD_OP_ENABLE_HCA, MLX5_CMD_OP_MANAGE_PAGES, MLX5_CMD_OP_SET_HCA_CAP,
		MLX5_CMD_OP_CREATE_EQ, MLX5_CMD_OP_DESTROY_MKEY, MLX5_CMD_OP_DESTROY_CQ,
		MLX5_CMD_OP_DESTROY_QP, MLX5_CMD_OP_CREATE_SRQ, MLX5_CMD_OP_DRAIN_DCT,
		MLX5_CMD_OP_DEALLOC_PD, MLX5_CMD_OP_ALLOC_UAR, MLX5_CMD_OP_ACCESS_REG,
		MLX5_CMD_OP_CREATE_UCTX, MLX5_CMD_OP_CREATE_UMEM, MLX5_CMD_OP_SET_ROCE_ADDRESS,
		U16_MAX,
	};
	struct boxes *b;
	int i, kind;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		b = new_boxes(test, others[i]);
		for (kind = IBX_DEVX_CREATE; kind <= IBX_DEVX_GENERAL; kind++)
			KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, kind)), -EINVAL);
	}
	b = new_boxes(test, MLX5_CMD_OP_ALLOC_PD);
	for (kind = IBX_DEVX_MODIFY; kind <= IBX_DEVX_GENERAL; kind++)
		KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, kind)), -EINVAL);
	MLX5_SET(general_obj_in_cmd_hdr, b->in, vhca_tunnel_id, 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, IBX_DEVX_CREATE)), -EINVAL);
	b = new_boxes(test, MLX5_CMD_OP_CREATE_PSV);
	MLX5_SET(create_psv_in, b->in, num_psv, 2);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, IBX_DEVX_CREATE)), -EINVAL);
}

static void refuse_bulks(struct kunit *test)
{
	struct boxes *b = new_boxes(test, MLX5_CMD_OP_ALLOC_FLOW_COUNTER);

	MLX5_SET(alloc_flow_counter_in, b->in, flow_counter_bulk, 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, IBX_DEVX_CREATE)), -EINVAL);
	MLX5_SET(alloc_flow_counter_in, b->in, flow_counter_bulk, 0);
	MLX5_SET(alloc_flow_counter_in, b->in, flow_counter_bulk_log_size, 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, IBX_DEVX_CREATE)), -EINVAL);
	b = new_boxes(test, MLX5_CMD_OP_QUERY_FLOW_COUNTER);
	MLX5_SET(query_flow_counter_in, b->in, num_of_counters, 1);
	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, ibx_devx_check(&b->box, IBX_DEVX_QUERY));
	MLX5_SET(query_flow_counter_in, b->in, num_of_counters, 2);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, IBX_DEVX_QUERY)), -EINVAL);
}

static void refuse_lengths(struct kunit *test)
{
	static const struct { size_t in, out; bool ok; } lens[] = {
		{ 0, 16, false }, { 15, 16, false }, { 16, 15, false }, { 16, 0, false },
		{ 16, 16, true }, { 17, 17, true }, { 16, 65536, false }, { 65536, 16, false },
		{ 16, 65535, true }, { SIZE_MAX, 16, false }, { 16, SIZE_MAX, false },
	};
	struct boxes *b = new_boxes(test, MLX5_CMD_OP_ALLOC_PD);
	int i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		b->box.inlen = lens[i].in;
		b->box.outlen = lens[i].out;
		KUNIT_EXPECT_EQ_MSG(test, !IS_ERR(ibx_devx_check(&b->box, IBX_DEVX_CREATE)),
				    lens[i].ok, "%zu, %zu", lens[i].in, lens[i].out);
	}
	/* the number in the answer ends at byte 20: 19 bytes are refused */
	b = new_boxes(test, MLX5_CMD_OP_CREATE_PSV);
	MLX5_SET(create_psv_in, b->in, num_psv, 1);
	b->box.outlen = 19;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ibx_devx_check(&b->box, IBX_DEVX_CREATE)), -EINVAL);
	b->box.outlen = 20;
	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, ibx_devx_check(&b->box, IBX_DEVX_CREATE));
}

/* ---- memory: the bits that are set for each command with memory ---- */

struct memory_case {
	const char *name;
	u16 opcode;
	u16 set[2];
};

#define MEMORY(op, typ, a, b)								\
	{ #op, MLX5_CMD_OP_##op, { __mlx5_bit_off(typ##_in, a), __mlx5_bit_off(typ##_in, b) } }

static const struct memory_case memory_cases[] = {
	MEMORY(CREATE_CQ, create_cq, cq_umem_valid, cq_context.dbr_umem_valid),
	MEMORY(CREATE_QP, create_qp, wq_umem_valid, qpc.dbr_umem_valid),
	MEMORY(CREATE_XRC_SRQ, create_xrc_srq, xrc_srq_umem_valid,
	       xrc_srq_context_entry.dbr_umem_valid),
	MEMORY(CREATE_RMP, create_rmp, ctx.wq.wq_umem_valid, ctx.wq.dbr_umem_valid),
	MEMORY(MODIFY_CQ, modify_cq, cq_umem_valid, cq_umem_valid),
};

KUNIT_ARRAY_PARAM_DESC(memory, memory_cases, name);

static void name_memory_by_umems(struct kunit *test)
{
	const struct memory_case *c = test->param_value;
	struct boxes *b = new_boxes(test, c->opcode);
	const struct ibx_devx_row *row = ibx_devx_row(c->opcode);
	u16 last = max(c->set[0], c->set[1]);
	u32 *want;

	KUNIT_ASSERT_EQ(test, ibx_devx_guard(row, &b->box), 0);
	want = kunit_kzalloc(test, sizeof(b->in), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, want);
	MLX5_SET(general_obj_in_cmd_hdr, want, opcode, c->opcode);
	put(want, c->set[0], 1, 1);
	put(want, c->set[1], 1, 1);
	KUNIT_EXPECT_MEMEQ(test, b->in, want, sizeof(b->in));
	/* the command ends before one of the bits */
	b->box.inlen = last / 8;
	KUNIT_EXPECT_EQ(test, ibx_devx_guard(row, &b->box), -EINVAL);
}

static int guard_mkey_of(struct boxes *b, u8 mode, bool umr)
{
	void *mkc = MLX5_ADDR_OF(create_mkey_in, b->in, memory_key_mkey_entry);

	MLX5_SET(create_mkey_in, b->in, mkey_umem_valid, 0);
	MLX5_SET(mkc, mkc, access_mode_1_0, mode & 3);
	MLX5_SET(mkc, mkc, access_mode_4_2, mode >> 2);
	MLX5_SET(mkc, mkc, umr_en, umr);
	return ibx_devx_guard(ibx_devx_row(MLX5_CMD_OP_CREATE_MKEY), &b->box);
}

static void guard_mkeys(struct kunit *test)
{
	struct boxes *b = new_boxes(test, MLX5_CMD_OP_CREATE_MKEY);
	int mode;

	KUNIT_EXPECT_EQ(test, guard_mkey_of(b, MLX5_MKC_ACCESS_MODE_MTT, false), 0);
	KUNIT_EXPECT_EQ(test, MLX5_GET(create_mkey_in, b->in, mkey_umem_valid), 1);
	KUNIT_EXPECT_EQ(test, guard_mkey_of(b, MLX5_MKC_ACCESS_MODE_MTT, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, guard_mkey_of(b, MLX5_MKC_ACCESS_MODE_KLMS, true), 0);
	KUNIT_EXPECT_EQ(test, MLX5_GET(create_mkey_in, b->in, mkey_umem_valid), 0);
	KUNIT_EXPECT_EQ(test, guard_mkey_of(b, MLX5_MKC_ACCESS_MODE_KSM, false), 0);
	KUNIT_EXPECT_EQ(test, guard_mkey_of(b, MLX5_MKC_ACCESS_MODE_PA, false), -EINVAL);
	for (mode = 4; mode < 32; mode++)
		KUNIT_EXPECT_EQ(test, guard_mkey_of(b, mode, false), -EINVAL);
	b->box.inlen = MLX5_ST_SZ_BYTES(create_mkey_in) - 1;
	KUNIT_EXPECT_EQ(test, guard_mkey_of(b, MLX5_MKC_ACCESS_MODE_KLMS, false), -EINVAL);
}

static void guard_qps(struct kunit *test)
{
	static const u8 allowed[] = { MLX5_QP_ST_RC, MLX5_QP_ST_UC, MLX5_QP_ST_UD, MLX5_QP_ST_XRC,
				      MLX5_QP_ST_DCI };
	const struct ibx_devx_row *row = ibx_devx_row(MLX5_CMD_OP_CREATE_QP);
	struct boxes *b = new_boxes(test, MLX5_CMD_OP_CREATE_QP);
	int st, i;

	for (st = 0; st < 256; st++) {
		bool ok = false;

		for (i = 0; i < ARRAY_SIZE(allowed); i++)
			ok |= st == allowed[i];
		MLX5_SET(create_qp_in, b->in, qpc.st, st);
		KUNIT_EXPECT_EQ(test, ibx_devx_guard(row, &b->box), ok ? 0 : -EINVAL);
	}
	MLX5_SET(create_qp_in, b->in, qpc.st, MLX5_QP_ST_RC);
	MLX5_SET(create_qp_in, b->in, qpc.rlky, 1);
	KUNIT_EXPECT_EQ(test, ibx_devx_guard(row, &b->box), -EINVAL);
	MLX5_SET(create_qp_in, b->in, qpc.rlky, 0);
	MLX5_SET(create_qp_in, b->in, qpc.fre, 1);
	KUNIT_EXPECT_EQ(test, ibx_devx_guard(row, &b->box), -EINVAL);
	b = new_boxes(test, MLX5_CMD_OP_RTS2RTS_QP);
	row = ibx_devx_row(MLX5_CMD_OP_RTS2RTS_QP);
	KUNIT_EXPECT_EQ(test, ibx_devx_guard(row, &b->box), 0);
	MLX5_SET(rts2rts_qp_in, b->in, qpc.rlky, 1);
	KUNIT_EXPECT_EQ(test, ibx_devx_guard(row, &b->box), -EINVAL);
	MLX5_SET(rts2rts_qp_in, b->in, qpc.rlky, 0);
	MLX5_SET(rts2rts_qp_in, b->in, qpc.fre, 1);
	KUNIT_EXPECT_EQ(test, ibx_devx_guard(row, &b->box), -EINVAL);
}

static void stamp_uid(struct kunit *test)
{
	struct boxes *b = new_boxes(test, MLX5_CMD_OP_NOP);

	MLX5_SET(general_obj_in_cmd_hdr, b->in, uid, 0xffff);
	ibx_devx_stamp(b->in, UID);
	KUNIT_EXPECT_EQ(test, MLX5_GET(general_obj_in_cmd_hdr, b->in, uid), UID);
	KUNIT_EXPECT_EQ(test, MLX5_GET(general_obj_in_cmd_hdr, b->in, opcode), MLX5_CMD_OP_NOP);
}

static struct kunit_case devx_cases[] = {
	KUNIT_CASE_PARAM(destroy_what_was_made, made_gen_params),
	KUNIT_CASE_PARAM(name_the_object, named_gen_params),
	KUNIT_CASE(tell_types_apart),
	KUNIT_CASE(know_every_row),
	KUNIT_CASE(pass_general_range),
	KUNIT_CASE(refuse_others),
	KUNIT_CASE(refuse_bulks),
	KUNIT_CASE(refuse_lengths),
	KUNIT_CASE_PARAM(name_memory_by_umems, memory_gen_params),
	KUNIT_CASE(guard_mkeys),
	KUNIT_CASE(guard_qps),
	KUNIT_CASE(stamp_uid),
	{}
};

static struct kunit_suite devx_suite = {
	.name = "mlx5_ibx_devx",
	.test_cases = devx_cases,
};

kunit_test_suite(devx_suite);
