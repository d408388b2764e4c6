// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Calls that must succeed. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "devx.h"

#define FLOW_COUNTER_OUT	32u	/* packets and octets of a counter */
#define BAD_OP			2u	/* MLX5_CMD_STAT_BAD_OP_ERR of <linux/mlx5/device.h> */

static void general(const char *device)
{
	u8 in[BYTES(query_hca_cap_in)] = {}, out[BYTES(query_hca_cap_out)] = {}, cut[2064] = {};
	u8 nop[BYTES(nop_in)] = {}, done[BYTES(nop_out)] = {};
	struct end e;

	open_end(&e, device);
	SET(query_hca_cap_in, in, opcode, MLX5_CMD_OP_QUERY_HCA_CAP);
	SET(query_hca_cap_in, in, op_mod, 1);
	want_errno("QUERY_HCA_CAP",
		   mlx5dv_devx_general_cmd(e.ctx, in, sizeof(in), out, sizeof(out)), 0);
	if (!GET(query_hca_cap_out, out, capability.cmd_hca_cap.log_max_uctx))
		tell("no user contexts");
	/* the first version of the capability structure was shorter */
	want_errno("QUERY_HCA_CAP of 2064 bytes",
		   mlx5dv_devx_general_cmd(e.ctx, in, sizeof(in), cut, sizeof(cut)), 0);
	if (memcmp(out, cut, sizeof(cut)))
		tell("a part of the capabilities is other than the whole");
	want_errno("QUERY_HCA_CAP of 16 bytes",
		   mlx5dv_devx_general_cmd(e.ctx, in, sizeof(in), cut, 16), 0);
	SET(nop_in, nop, opcode, MLX5_CMD_OP_NOP);
	want_errno("NOP", mlx5dv_devx_general_cmd(e.ctx, nop, sizeof(nop), done, sizeof(done)), 0);
	close_end(&e);
}

/*
 * The driver passes commands of the general range to the device. The device refuses these opcodes
 * with the status BAD_OP.
 */
static void general_range(const char *device)
{
	static const u32 opcodes[] = { 0xb00, 0xb7f, 0xc00, 0xcff };
	u8 in[16] = {}, out[32];
	struct end e;
	unsigned int i;

	open_end(&e, device);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		memset(out, 0, sizeof(out));
		put_bits(in, 0, 16, opcodes[i]);
		want_errno("general range",
			   mlx5dv_devx_general_cmd(e.ctx, in, sizeof(in), out, sizeof(out)),
			   EREMOTEIO);
		if (GET(general_obj_out_cmd_hdr, out, status) != BAD_OP)
			tell("opcode %#x: status %u", opcodes[i],
			     (u32)GET(general_obj_out_cmd_hdr, out, status));
	}
	close_end(&e);
}

static void plain_objects(const char *device)
{
	static const struct {
		const char *what;
		u32 opcode;
	} plain[] = {
		{ "PD", MLX5_CMD_OP_ALLOC_PD },
		{ "transport domain", MLX5_CMD_OP_ALLOC_TRANSPORT_DOMAIN },
		{ "XRC domain", MLX5_CMD_OP_ALLOC_XRCD },
		{ "queue counters", MLX5_CMD_OP_ALLOC_Q_COUNTER },
		{ "flow counter", MLX5_CMD_OP_ALLOC_FLOW_COUNTER },
	};
	u8 in[BYTES(query_q_counter_in)] = {}, out[BYTES(query_q_counter_out)] = {};
	u8 flow_in[BYTES(query_flow_counter_in)] = {};
	struct made m[ARRAY_SIZE(plain)], psv;
	struct end e;
	unsigned int i;

	open_end(&e, device);
	for (i = 0; i < ARRAY_SIZE(plain); i++)
		m[i] = create_plain(&e, plain[i].opcode);
	psv = create_psv(&e, m[0].nr, 1);
	SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_QUERY_Q_COUNTER);
	SET(query_q_counter_in, in, counter_set_id, m[3].nr);
	want_errno("QUERY_Q_COUNTER", query(&m[3], in, sizeof(in), out, sizeof(out)), 0);
	SET(query_flow_counter_in, flow_in, opcode, MLX5_CMD_OP_QUERY_FLOW_COUNTER);
	SET(query_flow_counter_in, flow_in, flow_counter_id, m[4].nr);
	want_errno("QUERY_FLOW_COUNTER",
		   query(&m[4], flow_in, sizeof(flow_in), out, FLOW_COUNTER_OUT), 0);
	SET(query_flow_counter_in, flow_in, flow_counter_id, m[4].nr + 1);
	want_errno("QUERY_FLOW_COUNTER of another",
		   query(&m[4], flow_in, sizeof(flow_in), out, FLOW_COUNTER_OUT), EINVAL);
	destroy(&psv, "PSV");
	for (i = 0; i < ARRAY_SIZE(plain); i++)
		destroy(&m[i], plain[i].what);
	close_end(&e);
}

static void mkeys(const char *device)
{
	u8 in[BYTES(query_mkey_in)] = {}, out[BYTES(query_mkey_out)] = {};
	struct made mkey, klm;
	struct ibv_mr *mr;
	struct want w;
	struct end e;

	open_end(&e, device);
	w = want_of(&e);
	w.mode = 1;
	mkey = create_mkey(&e, &w);
	mr = ibv_reg_mr(e.pd, e.mem + AT_DATA, PAGE, IBV_ACCESS_LOCAL_WRITE);
	klm = create_klm(&e, e.pdn, mr->lkey);
	SET(query_mkey_in, in, opcode, MLX5_CMD_OP_QUERY_MKEY);
	SET(query_mkey_in, in, mkey_index, mkey.nr);
	want_errno("QUERY_MKEY", query(&mkey, in, sizeof(in), out, sizeof(out)), 0);
	if (GET(query_mkey_out, out, memory_key_mkey_entry.pd) != e.pdn)
		tell("the mkey has another PD");
	destroy(&klm, "KLM mkey");
	want_errno("dereg of an MR", ibv_dereg_mr(mr), 0);
	destroy(&mkey, "MTT mkey");
	close_end(&e);
}

static void umems(const char *device)
{
	struct mlx5dv_devx_umem_in in = {
		.access = IBV_ACCESS_LOCAL_WRITE, .pgsz_bitmap = PAGE,
	};
	static const struct { u32 at, len; } odd[] = {
		{ 0, 1 }, { 1, 1 }, { 4095, 2 }, { 64, PAGE }, { 0, MEM_BYTES },
	};
	struct mlx5dv_devx_umem *umem;
	struct end e;
	unsigned int i;

	open_end(&e, device);
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		umem = mlx5dv_devx_umem_reg(e.ctx, e.mem + odd[i].at, odd[i].len,
					    IBV_ACCESS_LOCAL_WRITE);
		if (!umem)
			tell("UMEM of %u bytes at %u: %s", odd[i].len, odd[i].at, strerror(errno));
		else
			want_errno("dereg", mlx5dv_devx_umem_dereg(umem), 0);
	}
	in.addr = e.mem;
	in.size = 3 * PAGE;
	umem = mlx5dv_devx_umem_reg_ex(e.ctx, &in);
	if (!umem)
		tell("UMEM of 4 KiB pages: %s", strerror(errno));
	else
		want_errno("dereg", mlx5dv_devx_umem_dereg(umem), 0);
	want_errno("EQN of a vector that is not there",
		   mlx5dv_devx_query_eqn(e.ctx, 100000, &e.eqn) ? errno : 0, EINVAL);
	close_end(&e);
}

static int query_verbs_qp(struct ibv_qp *qp, u32 qpn)
{
	u8 in[BYTES(query_qp_in)] = {}, out[BYTES(query_qp_out)] = {};

	SET(query_qp_in, in, opcode, MLX5_CMD_OP_QUERY_QP);
	SET(query_qp_in, in, qpn, qpn);
	return mlx5dv_devx_qp_query(qp, in, sizeof(in), out, sizeof(out));
}

static int query_verbs_cq(struct ibv_cq *cq, u32 cqn)
{
	u8 in[BYTES(query_cq_in)] = {}, out[BYTES(query_cq_out)] = {};

	SET(query_cq_in, in, opcode, MLX5_CMD_OP_QUERY_CQ);
	SET(query_cq_in, in, cqn, cqn);
	return mlx5dv_devx_cq_query(cq, in, sizeof(in), out, sizeof(out));
}

static int query_verbs_srq(struct ibv_srq *srq, u32 rmpn)
{
	u8 in[BYTES(query_rmp_in)] = {}, out[BYTES(query_rmp_out)] = {};

	SET(query_rmp_in, in, opcode, MLX5_CMD_OP_QUERY_RMP);
	SET(query_rmp_in, in, rmpn, rmpn);
	return mlx5dv_devx_srq_query(srq, in, sizeof(in), out, sizeof(out));
}

static struct ibv_srq_init_attr srq_init(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 8, .max_sge = 1 } };

	return init;
}

/* commands of DEVX query objects of the verbs */
static void verbs_objects(const char *device)
{
	struct ibv_srq_init_attr srq_attr = srq_init();
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct mlx5dv_srq dv_srq = { .comp_mask = MLX5DV_SRQ_MASK_SRQN };
	struct mlx5dv_cq dv_cq = {};
	struct mlx5dv_obj obj = {};
	struct end e;

	open_end(&e, device);
	attr.send_cq = ibv_create_cq(e.ctx, 8, NULL, NULL, 0);
	attr.recv_cq = attr.send_cq;
	obj.qp.in = ibv_create_qp(e.pd, &attr);
	obj.srq.in = ibv_create_srq(e.pd, &srq_attr);
	obj.srq.out = &dv_srq;
	obj.cq.in = attr.send_cq;
	obj.cq.out = &dv_cq;
	if (!obj.qp.in || !obj.srq.in || mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ | MLX5DV_OBJ_CQ))
		die("no objects of the verbs: %s", strerror(errno));
	want_errno("QUERY_QP", query_verbs_qp(obj.qp.in, obj.qp.in->qp_num), 0);
	want_errno("QUERY_QP of another", query_verbs_qp(obj.qp.in, obj.qp.in->qp_num + 1), EINVAL);
	want_errno("QUERY_CQ", query_verbs_cq(obj.cq.in, dv_cq.cqn), 0);
	want_errno("QUERY_CQ of another", query_verbs_cq(obj.cq.in, dv_cq.cqn + 1), EINVAL);
	want_errno("QUERY_RMP", query_verbs_srq(obj.srq.in, dv_srq.srqn), 0);
	want_errno("QUERY_RMP of another", query_verbs_srq(obj.srq.in, dv_srq.srqn + 1), EINVAL);
	ibv_destroy_srq(obj.srq.in);
	ibv_destroy_qp(obj.qp.in);
	ibv_destroy_cq(attr.send_cq);
	close_end(&e);
}

/*
 * the driver refuses a command of DEVX that does not match the type of the
 * verbs object in its handle
 */
static void verbs_kinds(const char *device)
{
	struct ibv_xrcd_init_attr xrcd_attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1,
		.oflags = O_CREAT,
	};
	struct ibv_srq_init_attr_ex srq_attr = {
		.attr = { .max_wr = 8, .max_sge = 1 }, .srq_type = IBV_SRQT_XRC,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
	};
	struct mlx5dv_qp_init_attr dv_attr = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = 1 },
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER, .comp_mask = IBV_QP_INIT_ATTR_PD,
	};
	struct ibv_srq_init_attr basic = srq_init();
	struct ibv_srq *xrc;
	struct ibv_qp *dct;
	struct end e;
	u32 srqn;

	open_end(&e, device);
	srq_attr.cq = ibv_create_cq(e.ctx, 8, NULL, NULL, 0);
	srq_attr.pd = e.pd;
	srq_attr.xrcd = ibv_open_xrcd(e.ctx, &xrcd_attr);
	xrc = ibv_create_srq_ex(e.ctx, &srq_attr);
	attr.pd = e.pd;
	attr.send_cq = srq_attr.cq;
	attr.recv_cq = srq_attr.cq;
	attr.srq = ibv_create_srq(e.pd, &basic);
	dct = mlx5dv_create_qp(e.ctx, &attr, &dv_attr);
	if (!xrc || !dct || ibv_get_srq_num(xrc, &srqn))
		die("no XRC SRQ and no DCT: %s", strerror(errno));
	want_errno("QUERY_RMP of an XRC SRQ", query_verbs_srq(xrc, srqn), EINVAL);
	want_errno("QUERY_QP of a DCT", query_verbs_qp(dct, 0), EINVAL);
	ibv_destroy_qp(dct);
	ibv_destroy_srq(attr.srq);
	ibv_destroy_srq(xrc);
	ibv_close_xrcd(srq_attr.xrcd);
	ibv_destroy_cq(srq_attr.cq);
	close_end(&e);
}

/*
 * creates one object of each kind; the kernel destroys the objects when the
 * process is killed or ends
 */
static void make_all(const char *device)
{
	struct made cq, m[5];
	struct want w;
	static struct end e;
	unsigned int i;

	open_end(&e, device);
	w = want_of(&e);
	cq = create_cq(&e, &w);
	w.cqn = cq.nr;
	m[0] = create_qp(&e, &w);
	m[1] = create_rmp(&e, &w);
	m[2] = create_psv(&e, e.pdn, 1);
	w.mode = 1;
	m[3] = create_mkey(&e, &w);
	m[4] = create_plain(&e, MLX5_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	for (i = 0; i < ARRAY_SIZE(m); i++)
		if (!m[i].obj || !cq.obj)
			die("object %u: errno %d status %#x", i, m[i].err, m[i].status);
	puts("ready");
	fflush(stdout);
}

static void leave_all(const char *device)
{
	make_all(device);
	_exit(0);
}

static void wait_for_kill(const char *device)
{
	make_all(device);
	pause();
}

const struct test good_tests[] = {
	{ "general", general },
	{ "general_range", general_range },
	{ "plain_objects", plain_objects },
	{ "mkeys", mkeys },
	{ "umems", umems },
	{ "move_data", move_data },
	{ "move_many", move_many },
	{ "verbs_objects", verbs_objects },
	{ "verbs_kinds", verbs_kinds },
	{ "leave_all", leave_all },
	{ "wait_for_kill", wait_for_kill },
	{}
};
