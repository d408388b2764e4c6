// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the table of the firmware commands of DEVX, and the facts that
 * follow from a command: the identity of its object, the command that destroys
 * the object, and the fields that a process must not set.
 *
 * A command without a row is refused, unless its opcode is in the range of
 * general commands: these create no object that must be destroyed later, and
 * the uid protects the objects that they name. The table has the transport
 * objects of the device, and flow counters. It has no objects of Ethernet and
 * flow steering, and no objects whose memory can be named by bus addresses only
 * (the SRQ of interface revision 0). The driver drains a DCT before it is
 * destroyed (devx/event.c). Documentation/infiniband/devx.rst has the same
 * table, and tools/testing/stages/devx_table.py compares the two tables.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/mlx5/qp.h>
#include <linux/string.h>

#include "devx/table.h"

#define FLD(typ, fld)	{ __mlx5_bit_off(typ, fld), __mlx5_bit_sz(typ, fld) }

#define CREATE(op, typ, fld, _undo, ...)					\
	{ .opcode = MLX5_CMD_OP_##op, .kind = IBX_DEVX_CREATE,			\
	  .creator = MLX5_CMD_OP_##op, .undo = MLX5_CMD_OP_##_undo,		\
	  .nr = FLD(typ##_out, fld), ##__VA_ARGS__ }
#define MODIFY(op, typ, fld, by, ...)						\
	{ .opcode = MLX5_CMD_OP_##op, .kind = IBX_DEVX_MODIFY,			\
	  .creator = MLX5_CMD_OP_##by, .nr = FLD(typ##_in, fld), ##__VA_ARGS__ }
#define QUERY(op, typ, fld, by, ...)						\
	{ .opcode = MLX5_CMD_OP_##op, .kind = IBX_DEVX_QUERY,			\
	  .creator = MLX5_CMD_OP_##by, .nr = FLD(typ##_in, fld), ##__VA_ARGS__ }
#define GENERAL(op)								\
	{ .opcode = MLX5_CMD_OP_##op, .kind = IBX_DEVX_GENERAL }
/* general_in and general_out: the header of commands of general objects */
#define mlx5_ifc_general_in_bits	mlx5_ifc_general_obj_in_cmd_hdr_bits
#define mlx5_ifc_general_out_bits	mlx5_ifc_general_obj_out_cmd_hdr_bits
#define TYPED	.typed = true
#define SET1(typ, fld)		.set = { FLD(typ, fld) }
#define SET2(typ, a, b)		.set = { FLD(typ, a), FLD(typ, b) }
#define ZERO(typ, fld)		.zero = { FLD(typ, fld) }

/*
 * a QP with rlky (use of the reserved lkey) could access all memory, and a QP
 * with fre (fast registration) could register any page
 */
#define NO_RIGHTS(typ)		.zero = { FLD(typ, qpc.rlky), FLD(typ, qpc.fre) }
#define STEP(op, typ)		MODIFY(op, typ, qpn, CREATE_QP, NO_RIGHTS(typ##_in))

static const struct ibx_devx_row rows[] = {
	CREATE(CREATE_MKEY, create_mkey, mkey_index, DESTROY_MKEY),
	CREATE(CREATE_CQ, create_cq, cqn, DESTROY_CQ,
	       SET2(create_cq_in, cq_umem_valid, cq_context.dbr_umem_valid)),
	CREATE(CREATE_QP, create_qp, qpn, DESTROY_QP,
	       SET2(create_qp_in, wq_umem_valid, qpc.dbr_umem_valid), NO_RIGHTS(create_qp_in)),
	CREATE(CREATE_PSV, create_psv, psv0_index, DESTROY_PSV),
	CREATE(CREATE_XRC_SRQ, create_xrc_srq, xrc_srqn, DESTROY_XRC_SRQ,
	       SET2(create_xrc_srq_in, xrc_srq_umem_valid, xrc_srq_context_entry.dbr_umem_valid),
	       ZERO(create_xrc_srq_in, xrc_srq_context_entry.rlky)),
	CREATE(CREATE_DCT, create_dct, dctn, DESTROY_DCT,
	       ZERO(create_dct_in, dct_context_entry.rlky)),
	CREATE(ALLOC_Q_COUNTER, alloc_q_counter, counter_set_id, DEALLOC_Q_COUNTER),
	CREATE(ALLOC_PD, alloc_pd, pd, DEALLOC_PD),
	CREATE(ALLOC_XRCD, alloc_xrcd, xrcd, DEALLOC_XRCD),
	CREATE(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain, transport_domain,
	       DEALLOC_TRANSPORT_DOMAIN),
	CREATE(CREATE_RMP, create_rmp, rmpn, DESTROY_RMP,
	       SET2(create_rmp_in, ctx.wq.wq_umem_valid, ctx.wq.dbr_umem_valid)),
	CREATE(ALLOC_FLOW_COUNTER, alloc_flow_counter, flow_counter_id, DEALLOC_FLOW_COUNTER),
	CREATE(CREATE_GENERAL_OBJECT, general, obj_id, DESTROY_GENERAL_OBJECT, TYPED),

	MODIFY(MODIFY_CQ, modify_cq, cqn, CREATE_CQ, SET1(modify_cq_in, cq_umem_valid)),
	STEP(RST2INIT_QP, rst2init_qp),
	STEP(INIT2RTR_QP, init2rtr_qp),
	STEP(RTR2RTS_QP, rtr2rts_qp),
	STEP(RTS2RTS_QP, rts2rts_qp),
	STEP(SQERR2RTS_QP, sqerr2rts_qp),
	STEP(INIT2INIT_QP, init2init_qp),
	MODIFY(2ERR_QP, qp_2err, qpn, CREATE_QP),
	MODIFY(2RST_QP, qp_2rst, qpn, CREATE_QP),
	MODIFY(ARM_XRC_SRQ, arm_xrc_srq, xrc_srqn, CREATE_XRC_SRQ),
	MODIFY(MODIFY_RMP, modify_rmp, rmpn, CREATE_RMP),
	MODIFY(MODIFY_GENERAL_OBJECT, general, obj_id, CREATE_GENERAL_OBJECT, TYPED),

	QUERY(QUERY_MKEY, query_mkey, mkey_index, CREATE_MKEY),
	QUERY(QUERY_CQ, query_cq, cqn, CREATE_CQ),
	QUERY(QUERY_QP, query_qp, qpn, CREATE_QP),
	QUERY(QUERY_XRC_SRQ, query_xrc_srq, xrc_srqn, CREATE_XRC_SRQ),
	QUERY(QUERY_DCT, query_dct, dctn, CREATE_DCT),
	QUERY(QUERY_Q_COUNTER, query_q_counter, counter_set_id, ALLOC_Q_COUNTER),
	QUERY(QUERY_RMP, query_rmp, rmpn, CREATE_RMP),
	QUERY(QUERY_FLOW_COUNTER, query_flow_counter, flow_counter_id, ALLOC_FLOW_COUNTER),
	QUERY(QUERY_GENERAL_OBJECT, general, obj_id, CREATE_GENERAL_OBJECT, TYPED),

	GENERAL(QUERY_HCA_CAP),
	GENERAL(QUERY_ADAPTER),
	GENERAL(QUERY_ISSI),
	GENERAL(QUERY_VPORT_STATE),
	GENERAL(QUERY_ESW_VPORT_CONTEXT),
	GENERAL(QUERY_NIC_VPORT_CONTEXT),
	GENERAL(QUERY_ROCE_ADDRESS),
	GENERAL(QUERY_HCA_VPORT_CONTEXT),
	GENERAL(QUERY_VNIC_ENV),
	GENERAL(QUERY_VPORT_COUNTER),
	GENERAL(QUERY_ESW_FUNCTIONS),
	GENERAL(NOP),
	GENERAL(QUERY_CONG_STATUS),
	GENERAL(QUERY_CONG_PARAMS),
	GENERAL(QUERY_CONG_STATISTICS),
	GENERAL(QUERY_LAG),
};

/*
 * Row of all commands from MLX5_CMD_OP_GENERAL_START up to, but not including,
 * MLX5_CMD_OP_GENERAL_END. mlx5_ib accepts these commands, too: a new general
 * command of the firmware needs no further row.
 */
static const struct ibx_devx_row general_range = { .kind = IBX_DEVX_GENERAL };

static u32 get_field(const void *box, struct ibx_devx_field f)
{
	u32 word = be32_to_cpu(((const __be32 *)box)[f.off / 32]);

	return word >> (32 - f.off % 32 - f.len) & GENMASK(f.len - 1, 0);
}

/* set a field of one bit */
static void set_bit_of(void *box, struct ibx_devx_field f)
{
	((__be32 *)box)[f.off / 32] |= cpu_to_be32(BIT(31 - f.off % 32));
}

static bool has_field(size_t len, struct ibx_devx_field f)
{
	return !f.len || (f.off / 32 + 1) * sizeof(u32) <= len;
}

/**
 * ibx_devx_row_at() - get a row of the table of commands
 * @i: number of the row
 *
 * Context: any.
 * Return: the row; NULL beyond the last.
 */
const struct ibx_devx_row *ibx_devx_row_at(unsigned int i)
{
	return i < ARRAY_SIZE(rows) ? &rows[i] : NULL;
}

/**
 * ibx_devx_row() - find a command in the table
 * @opcode: MLX5_CMD_OP_*
 *
 * Context: any.
 * Return: the row of the command; the row with opcode 0 for a general command
 * without a row; NULL if DEVX does not have the command.
 */
const struct ibx_devx_row *ibx_devx_row(u16 opcode)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	if (opcode >= MLX5_CMD_OP_GENERAL_START && opcode < MLX5_CMD_OP_GENERAL_END)
		return &general_range;
	return NULL;
}

/*
 * Commands with a restricted form. A command creates a single PSV, because the
 * command that destroys the object destroys one PSV only. Flow counters are not
 * created in bulk. A command reads a single counter, because the next counters
 * may belong to another caller.
 */
static bool form_is_ok(const void *in, size_t inlen, u16 opcode)
{
	switch (opcode) {
	case MLX5_CMD_OP_CREATE_PSV:
		return inlen >= MLX5_ST_SZ_BYTES(create_psv_in) &&
		       MLX5_GET(create_psv_in, in, num_psv) == 1;
	case MLX5_CMD_OP_ALLOC_FLOW_COUNTER:
		return !MLX5_GET(alloc_flow_counter_in, in, flow_counter_bulk_log_size) &&
		       !MLX5_GET(alloc_flow_counter_in, in, flow_counter_bulk);
	case MLX5_CMD_OP_QUERY_FLOW_COUNTER:
		return MLX5_GET(query_flow_counter_in, in, num_of_counters) <= 1;
	default:
		return true;
	}
}

/**
 * ibx_devx_check() - check a command, without access to the device
 * @box: command and space for its answer, of any length
 * @kind: the method that is to execute the command
 *
 * Context: any.
 * Return:
 * * the row of the command
 * * ERR_PTR(-EINVAL): the command is not in the table, belongs to another
 *   method, names another device (vhca_tunnel_id), creates more than one PSV or
 *   flow counter, or queries more than one flow counter; the command or the
 *   space for its answer ends before the number of the object; or a length is
 *   below IBX_DEVX_MIN or above IBX_DEVX_MAX
 */
const struct ibx_devx_row *ibx_devx_check(const struct ibx_devx_box *box, enum ibx_devx_kind kind)
{
	const struct ibx_devx_row *row;

	if (box->inlen < IBX_DEVX_MIN || box->inlen > IBX_DEVX_MAX ||
	    box->outlen < IBX_DEVX_MIN || box->outlen > IBX_DEVX_MAX)
		return ERR_PTR(-EINVAL);
	row = ibx_devx_row(MLX5_GET(general_obj_in_cmd_hdr, box->in, opcode));
	if (!row || row->kind != kind ||
	    MLX5_GET(general_obj_in_cmd_hdr, box->in, vhca_tunnel_id) ||
	    !has_field(kind == IBX_DEVX_CREATE ? box->outlen : box->inlen, row->nr) ||
	    !form_is_ok(box->in, box->inlen, row->opcode))
		return ERR_PTR(-EINVAL);
	return row;
}

/*
 * The memory of an mkey is a UMEM (MTT), or consists of other mkeys of the same
 * PD (KLMs, KSM). An mkey of another mode could give access to all memory. So
 * could an MTT mkey whose pages a UMR may change (umr_en).
 */
static int guard_mkey(const struct ibx_devx_box *box)
{
	void *mkc = MLX5_ADDR_OF(create_mkey_in, box->in, memory_key_mkey_entry);
	u8 mode;

	if (box->inlen < MLX5_ST_SZ_BYTES(create_mkey_in))
		return -EINVAL;
	mode = MLX5_GET(mkc, mkc, access_mode_4_2) << 2 | MLX5_GET(mkc, mkc, access_mode_1_0);
	switch (mode) {
	case MLX5_MKC_ACCESS_MODE_KLMS:
	case MLX5_MKC_ACCESS_MODE_KSM:
		return 0;
	case MLX5_MKC_ACCESS_MODE_MTT:
		if (MLX5_GET(mkc, mkc, umr_en))
			return -EINVAL;
		MLX5_SET(create_mkey_in, box->in, mkey_umem_valid, 1);
		return 0;
	default:
		return -EINVAL;
	}
}

/*
 * Only the kernel may have QPs of other types, which manage the port, send raw
 * packets, or execute UMRs of mkeys of all PDs.
 */
static bool may_have_st(const struct ibx_devx_box *box)
{
	if (box->inlen < MLX5_ST_SZ_BYTES(create_qp_in))
		return false;
	switch (MLX5_GET(create_qp_in, box->in, qpc.st)) {
	case MLX5_QP_ST_RC:
	case MLX5_QP_ST_UC:
	case MLX5_QP_ST_UD:
	case MLX5_QP_ST_XRC:
	case MLX5_QP_ST_DCI:
		return true;
	default:
		return false;
	}
}

/**
 * ibx_devx_guard() - refuse a command that could access memory of others
 * @row: row of the command
 * @box: the command; the function may set bits in it
 *
 * Context: any.
 * Return: 0; -EINVAL for a command that a process must not send, and for a
 * command that ends before the checked fields.
 */
int ibx_devx_guard(const struct ibx_devx_row *row, const struct ibx_devx_box *box)
{
	unsigned int i;

	if (row->opcode == MLX5_CMD_OP_CREATE_MKEY)
		return guard_mkey(box);
	if (row->opcode == MLX5_CMD_OP_CREATE_QP && !may_have_st(box))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(row->zero); i++)
		if (!has_field(box->inlen, row->zero[i]) ||
		    (row->zero[i].len && get_field(box->in, row->zero[i])))
			return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(row->set); i++) {
		if (!has_field(box->inlen, row->set[i]))
			return -EINVAL;
		if (row->set[i].len)
			set_bit_of(box->in, row->set[i]);
	}
	return 0;
}

/**
 * ibx_devx_stamp() - set the user context of a command
 * @in: command of at least IBX_DEVX_MIN bytes
 * @uid: number of the user context, whose objects the command may name
 *
 * Context: any.
 */
void ibx_devx_stamp(void *in, u16 uid)
{
	MLX5_SET(general_obj_in_cmd_hdr, in, uid, uid);
}

static u16 type_of(const struct ibx_devx_row *row, const void *in)
{
	return row->typed ? MLX5_GET(general_obj_in_cmd_hdr, in, obj_type) : 0;
}

/**
 * ibx_devx_named() - get the object that a command modifies or queries
 * @row: row of the command, of IBX_DEVX_MODIFY or IBX_DEVX_QUERY
 * @in: the command, which ibx_devx_check() has accepted
 * @id: gets the object
 *
 * Context: any.
 */
void ibx_devx_named(const struct ibx_devx_row *row, const void *in, struct ibx_devx_id *id)
{
	id->creator = row->creator;
	id->type = type_of(row, in);
	id->nr = get_field(in, row->nr);
}

/**
 * ibx_devx_created() - get the object that a command has created
 * @row: row of the command, of IBX_DEVX_CREATE
 * @box: the command, which ibx_devx_check() has accepted, and its answer
 * @id: gets the object
 *
 * Context: any.
 */
void ibx_devx_created(const struct ibx_devx_row *row, const struct ibx_devx_box *box,
		      struct ibx_devx_id *id)
{
	id->creator = row->creator;
	id->type = type_of(row, box->in);
	id->nr = get_field(box->out, row->nr);
}

/**
 * ibx_devx_undo() - build the command that destroys an object
 * @id: object that ibx_devx_created() has returned
 * @uid: user context that created the object
 * @in: gets a command of IBX_DEVX_MIN bytes
 *
 * All commands that destroy an object have its number in the same place.
 *
 * Context: any.
 */
void ibx_devx_undo(const struct ibx_devx_id *id, u16 uid, void *in)
{
	memset(in, 0, IBX_DEVX_MIN);
	MLX5_SET(general_obj_in_cmd_hdr, in, opcode, ibx_devx_row(id->creator)->undo);
	MLX5_SET(general_obj_in_cmd_hdr, in, uid, uid);
	MLX5_SET(general_obj_in_cmd_hdr, in, obj_type, id->type);
	MLX5_SET(general_obj_in_cmd_hdr, in, obj_id, id->nr);
}

/**
 * ibx_devx_same() - check whether two identities name the same object
 * @a: first identity
 * @b: second identity
 *
 * Context: any.
 * Return: true if both name the same object.
 */
bool ibx_devx_same(const struct ibx_devx_id *a, const struct ibx_devx_id *b)
{
	return a->creator == b->creator && a->type == b->type && a->nr == b->nr;
}
