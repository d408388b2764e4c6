// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Commands that the driver or the device must refuse. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "devx.h"

/* Expects that the device refused to create @m and returned a status. */
static void want_refused(const char *what, struct made *m)
{
	if (m->obj)
		tell("%s: was created", what);
	else
		want_errno(what, m->err, EREMOTEIO);
	if (m->obj)
		destroy(m, what);
	/* the script test.sh counts the lines "refused" */
	printf("refused %s status %#x syndrome %#x\n", what, m->status, m->syndrome);
}

/*
 * Expects that the driver or the device refused to create @m. Some drivers
 * leave the check to the device.
 */
static void want_refused_by_any(const char *what, struct made *m)
{
	if (m->obj)
		tell("%s: was created", what);
	else if (m->err != EINVAL && m->err != EREMOTEIO)
		tell("%s: %s", what, strerror(m->err));
	if (m->obj)
		destroy(m, what);
}

/* one object of each kind, in two contexts */
struct all {
	struct end e;
	struct want w;
	struct made pd, cq, qp, rmp, dct, mkey, counters;
};

static void make_all(struct all *a, const char *device)
{
	open_end(&a->e, device);
	a->w = want_of(&a->e);
	a->pd = create_plain(&a->e, MLX5_CMD_OP_ALLOC_PD);
	a->counters = create_plain(&a->e, MLX5_CMD_OP_ALLOC_Q_COUNTER);
	a->cq = create_cq(&a->e, &a->w);
	a->w.cqn = a->cq.nr;
	a->qp = create_qp(&a->e, &a->w);
	a->rmp = create_rmp(&a->e, &a->w);
	a->w.srqn = a->rmp.nr;
	a->dct = create_dct(&a->e, &a->w);
	a->w.mode = 1;
	a->mkey = create_mkey(&a->e, &a->w);
	a->w.mode = 0;
}

static void destroy_all(struct all *a)
{
	destroy(&a->mkey, "mkey");
	destroy(&a->dct, "DCT");
	destroy(&a->rmp, "RMP");
	destroy(&a->qp, "QP");
	destroy(&a->cq, "CQ");
	destroy(&a->counters, "counters");
	destroy(&a->pd, "PD");
	close_end(&a->e);
}

/*
 * creates objects in one context; one field of each command has the number of
 * an object of the other context
 */
static void try_numbers(struct all *me, const struct all *other)
{
	struct made m;
	struct want w;

	m = create_psv(&me->e, other->pd.nr, 1);
	want_refused("PSV of its PD", &m);

#define WITH(field, from, fn, what)	do {			\
		w = me->w;					\
		w.field = from;					\
		m = fn(&me->e, &w);				\
		want_refused(what, &m);				\
	} while (0)

	WITH(uar, other->w.uar, create_cq, "CQ of its UAR");
	WITH(ring, other->w.ring, create_cq, "CQ in its UMEM");
	WITH(dbr, other->w.dbr, create_cq, "doorbell of a CQ in its UMEM");
	WITH(pdn, other->w.pdn, create_qp, "QP of its PD");
	WITH(cqn, other->w.cqn, create_qp, "QP of its CQ");
	WITH(uar, other->w.uar, create_qp, "QP of its UAR");
	WITH(ring, other->w.ring, create_qp, "QP in its UMEM");
	WITH(dbr, other->w.dbr, create_qp, "doorbell of a QP in its UMEM");
	WITH(pdn, other->w.pdn, create_rmp, "RMP of its PD");
	WITH(ring, other->w.ring, create_rmp, "RMP in its UMEM");
	WITH(dbr, other->w.dbr, create_rmp, "doorbell of an RMP in its UMEM");
	WITH(pdn, other->w.pdn, create_dct, "DCT of its PD");
	WITH(cqn, other->w.cqn, create_dct, "DCT of its CQ");
	WITH(srqn, other->w.srqn, create_dct, "DCT of its RMP");
	me->w.mode = 1;
	WITH(pdn, other->w.pdn, create_mkey, "mkey of its PD");
	WITH(ring, other->w.ring, create_mkey, "mkey on its UMEM");
	me->w.mode = 0;
#undef WITH
}

/* the driver refuses a command whose number is not the number of the object in the handle */
static void try_handles(struct all *me, struct all *other)
{
	static const struct {
		const char *what;
		u32 opcode;
		u32 at;
		size_t mine;
	} commands[] = {
		{ "QUERY_QP", MLX5_CMD_OP_QUERY_QP, 0x48, offsetof(struct all, qp) },
		{ "QUERY_CQ", MLX5_CMD_OP_QUERY_CQ, 0x48, offsetof(struct all, cq) },
		{ "QUERY_RMP", MLX5_CMD_OP_QUERY_RMP, 0x48, offsetof(struct all, rmp) },
		{ "QUERY_DCT", MLX5_CMD_OP_QUERY_DCT, 0x48, offsetof(struct all, dct) },
		{ "QUERY_MKEY", MLX5_CMD_OP_QUERY_MKEY, 0x48, offsetof(struct all, mkey) },
		{ "QUERY_Q_COUNTER", MLX5_CMD_OP_QUERY_Q_COUNTER, 0xe8,
		  offsetof(struct all, counters) },
	};
	u8 in[64], out[1024];
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		for (j = 0; j < ARRAY_SIZE(commands); j++) {
			struct made *theirs = (void *)((u8 *)other + commands[i].mine);
			struct made *handle = (void *)((u8 *)me + commands[j].mine);

			memset(in, 0, sizeof(in));
			put_bits(in, 0, 16, commands[i].opcode);
			put_bits(in, commands[i].at, 24, theirs->nr);
			want_errno(commands[i].what, query(handle, in, 32, out, sizeof(out)),
				   EINVAL);
		}
}

static void isolation(const char *device)
{
	u8 in[BYTES(rst2init_qp_in)] = {};
	struct all a, b;

	make_all(&a, device);
	make_all(&b, device);
	try_numbers(&b, &a);
	try_numbers(&a, &b);
	try_handles(&b, &a);
	try_handles(&a, &b);
	SET(rst2init_qp_in, in, opcode, MLX5_CMD_OP_RST2INIT_QP);
	SET(rst2init_qp_in, in, qpn, a.qp.nr);
	want_errno("RST2INIT_QP", modify(&b.qp, in, sizeof(in)), EINVAL);
	SET(qp_2err_in, in, opcode, MLX5_CMD_OP_2ERR_QP);
	want_errno("2ERR_QP", modify(&b.qp, in, BYTES(qp_2err_in)), EINVAL);
	destroy_all(&b);
	destroy_all(&a);
}

/* commands that DEVX does not have, by each method */
static void not_listed(const char *device)
{
	static const u32 opcodes[] = {
		0, MLX5_CMD_OP_ENABLE_HCA, MLX5_CMD_OP_TEARDOWN_HCA, MLX5_CMD_OP_MANAGE_PAGES,
		MLX5_CMD_OP_SET_HCA_CAP, MLX5_CMD_OP_CREATE_EQ, MLX5_CMD_OP_DESTROY_MKEY,
		MLX5_CMD_OP_DESTROY_QP, MLX5_CMD_OP_DEALLOC_PD, MLX5_CMD_OP_ALLOC_UAR,
		MLX5_CMD_OP_ACCESS_REG, MLX5_CMD_OP_CREATE_UCTX, MLX5_CMD_OP_DESTROY_UCTX,
		MLX5_CMD_OP_CREATE_UMEM, MLX5_CMD_OP_DESTROY_UMEM, MLX5_CMD_OP_SET_ROCE_ADDRESS,
		MLX5_CMD_OP_GENERAL_START - 1, MLX5_CMD_OP_GENERAL_END, 0xffff,
	};
	u8 in[512] = {}, out[512] = {};
	struct made pd, m;
	struct end e;
	unsigned int i;

	open_end(&e, device);
	pd = create_plain(&e, MLX5_CMD_OP_ALLOC_PD);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		put_bits(in, 0, 16, opcodes[i]);
		put_bits(in, 0x48, 24, pd.nr);
		want_errno("general", mlx5dv_devx_general_cmd(e.ctx, in, 64, out, sizeof(out)),
			   EINVAL);
		m = create(&e, in, 64, 0x48);
		want_errno("create", m.err, EINVAL);
		want_errno("query", query(&pd, in, 64, out, sizeof(out)), EINVAL);
		want_errno("modify", modify(&pd, in, 64), EINVAL);
	}
	/* commands that DEVX has, but not for this method */
	put_bits(in, 0, 16, MLX5_CMD_OP_ALLOC_PD);
	want_errno("ALLOC_PD", mlx5dv_devx_general_cmd(e.ctx, in, 16, out, sizeof(out)), EINVAL);
	put_bits(in, 0, 16, MLX5_CMD_OP_QUERY_QP);
	m = create(&e, in, 16, 0x48);
	want_errno("QUERY_QP", m.err, EINVAL);
	/* vhca_tunnel_id, the number of another PCI function, is not 0 */
	put_bits(in, 0, 16, MLX5_CMD_OP_ALLOC_PD);
	put_bits(in, 32, 16, 1);
	m = create(&e, in, 16, 0x48);
	want_errno("vhca_tunnel_id", m.err, EINVAL);
	m = create_psv(&e, e.pdn, 2);
	want_errno("two PSVs", m.err, EINVAL);
	destroy(&pd, "PD");
	close_end(&e);
}

static void lengths(const char *device)
{
	static const struct {
		size_t in, out;
		int err;
	} tries[] = {
		{ 0, 112, EINVAL }, { 15, 112, EINVAL }, { 16, 0, EINVAL }, { 16, 15, EINVAL },
		{ 16, 112, 0 }, { 16, 113, 0 }, { 16, 1001, 0 }, { 16, BOX_MAX, 0 },
		{ 17, 112, EREMOTEIO }, { 1001, 112, EREMOTEIO }, { BOX_MAX, 112, EREMOTEIO },
		{ 16, 16, EREMOTEIO }, { BOX_MAX, BOX_MAX, EREMOTEIO },
		{ BOX_MAX + 1, 112, EINVAL }, { 16, BOX_MAX + 1, EINVAL },
	};
	u8 *in = calloc(2, BOX_MAX + 1), *out = in + BOX_MAX + 1;
	struct end e;
	unsigned int i;
	int err;

	open_end(&e, device);
	SET(query_issi_in, in, opcode, MLX5_CMD_OP_QUERY_ISSI);
	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		memset(out, 0, BOX_MAX + 1);
		err = mlx5dv_devx_general_cmd(e.ctx, in, tries[i].in, out, tries[i].out);
		if (err != tries[i].err)
			tell("%zu bytes, space for %zu: errno %d, expected %d", tries[i].in,
			     tries[i].out, err, tries[i].err);
		if (err == EREMOTEIO && !GET(query_issi_out, out, status))
			tell("%zu bytes: refused without a status", tries[i].in);
		if (!err && !GET(query_issi_out, out, supported_issi_dw0))
			tell("space for %zu: no response", tries[i].out);
	}
	free(in);
	close_end(&e);
}

/*
 * Commands that end before the fields that the driver must check. mlx5_ibx
 * refuses them; mlx5_ib passes them on.
 */
static void short_commands(const char *device)
{
	static const struct {
		u32 opcode;
		size_t whole;
	} cut[] = {
		{ MLX5_CMD_OP_CREATE_CQ, BYTES(create_cq_in) },
		{ MLX5_CMD_OP_CREATE_QP, BYTES(create_qp_in) },
		{ MLX5_CMD_OP_CREATE_RMP, BYTES(create_rmp_in) },
		{ MLX5_CMD_OP_CREATE_MKEY, BYTES(create_mkey_in) },
		{ MLX5_CMD_OP_CREATE_XRC_SRQ, 0x300 / 8 },
		{ MLX5_CMD_OP_CREATE_PSV, BYTES(create_psv_in) },
	};
	static u8 in[1024];
	struct made m;
	struct end e;
	unsigned int i;
	size_t len;

	open_end(&e, device);
	for (i = 0; i < ARRAY_SIZE(cut); i++) {
		memset(in, 0, sizeof(in));
		put_bits(in, 0, 16, cut[i].opcode);
		for (len = 16; len < cut[i].whole && len < 96; len += 5) {
			m = create(&e, in, len, 0x48);
			if (m.err != EINVAL)
				tell("opcode %#x of %zu bytes: errno %d", cut[i].opcode, len,
				     m.err);
		}
	}
	close_end(&e);
}

static void in_use(const char *device)
{
	struct all a;
	int err;

	make_all(&a, device);
	err = mlx5dv_devx_umem_dereg(a.e.umem);
	if (!err)
		die("a UMEM in use was destroyed");
	want_errno("a UMEM in use", err, EBUSY);
	err = mlx5dv_devx_obj_destroy(a.cq.obj);
	want_errno("a CQ in use", err, EBUSY);
	want_errno("the PD of the verbs", ibv_dealloc_pd(a.e.pd) ? EBUSY : 0, EBUSY);
	exit(faults ? 1 : 0);
}

/* a QP of DEVX uses a CQ of the verbs; uverbs has no record of this use */
static void verbs_in_use(const char *device)
{
	struct mlx5dv_cq dv_cq = {};
	struct mlx5dv_obj obj = {};
	struct made qp;
	struct want w;
	struct end e;

	open_end(&e, device);
	w = want_of(&e);
	obj.cq.in = ibv_create_cq(e.ctx, 8, NULL, NULL, 0);
	obj.cq.out = &dv_cq;
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ))
		die("no CQ of the verbs");
	w.cqn = dv_cq.cqn;
	qp = create_qp(&e, &w);
	want_errno("a CQ of the verbs in use", ibv_destroy_cq(obj.cq.in), EBUSY);
	destroy(&qp, "QP");
	want_errno("the CQ", ibv_destroy_cq(obj.cq.in), 0);
	close_end(&e);
}

static void bad_umems(const char *device)
{
	struct mlx5dv_devx_umem_in in = { .access = IBV_ACCESS_LOCAL_WRITE };
	struct end e;
	u8 *read_only;

	open_end(&e, device);
	read_only = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(e.mem + 7 * PAGE, PAGE);
#define REG(what, addr, len, want) do {						\
		errno = 0;							\
		if (mlx5dv_devx_umem_reg(e.ctx, addr, len, IBV_ACCESS_LOCAL_WRITE))	\
			tell("%s: was registered", what);			\
		else								\
			want_errno(what, errno, want);				\
	} while (0)
	REG("no bytes", e.mem, 0, EINVAL);
	REG("memory that is not there", (void *)(16ul * PAGE), PAGE, EFAULT);
	REG("memory that ends too early", e.mem + 6 * PAGE, 2 * PAGE, EFAULT);
	REG("memory that wraps", (void *)-4096l, 2 * PAGE, EINVAL);
	REG("memory that cannot be written", read_only, PAGE, EFAULT);
#undef REG
	in.addr = e.mem;
	in.size = PAGE;
	in.pgsz_bitmap = 2048;
	errno = 0;
	if (mlx5dv_devx_umem_reg_ex(e.ctx, &in))
		tell("pages of 2 KiB: was registered");
	want_errno("pages of 2 KiB", errno, EINVAL);
	close_end(&e);
}

/* objects with which a process would access memory of other processes */
static void all_memory(const char *device)
{
	struct made cq, m;
	struct want w;
	struct end e;

	open_end(&e, device);
	w = want_of(&e);
	w.pas = true;
	m = create_cq(&e, &w);
	want_refused_by_any("a CQ at bus addresses", &m);
	w.pas = false;
	w.mode = 0;
	m = create_mkey(&e, &w);
	want_refused_by_any("an mkey of all memory", &m);
	w.mode = 1;
	w.umr = true;
	m = create_mkey(&e, &w);
	want_refused_by_any("an mkey with pages of a work request", &m);
	w.umr = false;
	cq = create_cq(&e, &w);
	w.cqn = cq.nr;
	w.mode = 0;
	w.rlky = true;
	m = create_qp(&e, &w);
	want_refused_by_any("a QP with the reserved key", &m);
	w.rlky = false;
	w.fre = true;
	m = create_qp(&e, &w);
	want_refused_by_any("a QP that may register memory", &m);
	w.fre = false;
	w.mode = 0xc;
	m = create_qp(&e, &w);
	want_refused_by_any("a QP of UMRs", &m);
	destroy(&cq, "CQ");
	close_end(&e);
}

/*
 * No public header defines the offset of the UMEM numbers in CREATE_XRC_SRQ.
 * Without a valid UMEM number the device refuses the command.
 */
static void xrc_srq(const char *device)
{
	u8 in[0x880 / 8] = {};
	struct made m;
	struct end e;

	open_end(&e, device);
	put_bits(in, 0, 16, MLX5_CMD_OP_CREATE_XRC_SRQ);
	m = create(&e, in, sizeof(in), 0x48);
	want_refused("XRC SRQ", &m);
	close_end(&e);
}

/* test.sh makes the device fail the first CREATE_PSV */
static void failing(const char *device)
{
	struct made m;
	struct end e;

	open_end(&e, device);
	m = create_psv(&e, e.pdn, 1);
	want_refused("PSV", &m);
	m = create_psv(&e, e.pdn, 1);
	destroy(&m, "PSV");
	close_end(&e);
}

/* Return: errno of QUERY_QP with the handle @qp and the number @qpn */
static int query_qp_of(struct ibv_qp *qp, u32 qpn)
{
	u8 in[BYTES(query_qp_in)] = {}, out[BYTES(query_qp_out)] = {};

	SET(query_qp_in, in, opcode, MLX5_CMD_OP_QUERY_QP);
	SET(query_qp_in, in, qpn, qpn);
	return mlx5dv_devx_qp_query(qp, in, sizeof(in), out, sizeof(out));
}

/*
 * The ib_qp of an XRC target QP belongs to the core. The driver compares the number in the command
 * with the QP. The device refuses the command because the QP has no user context.
 */
static void xrc_target(const char *device)
{
	struct ibv_xrcd_init_attr xrcd_attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1,
		.oflags = O_CREAT,
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD,
	};
	struct ibv_qp_open_attr open = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_TYPE,
		.qp_type = IBV_QPT_XRC_RECV,
	};
	struct ibv_qp *qp, *opened;
	struct end e;

	open_end(&e, device);
	attr.xrcd = ibv_open_xrcd(e.ctx, &xrcd_attr);
	qp = ibv_create_qp_ex(e.ctx, &attr);
	if (!qp)
		die("no XRC target: %s", strerror(errno));
	open.qp_num = qp->qp_num;
	open.xrcd = attr.xrcd;
	opened = ibv_open_qp(e.ctx, &open);
	if (!opened)
		die("the XRC target is not opened: %s", strerror(errno));
	want_errno("QUERY_QP of an XRC target", query_qp_of(qp, qp->qp_num), EREMOTEIO);
	want_errno("QUERY_QP of the opened one", query_qp_of(opened, qp->qp_num), EREMOTEIO);
	want_errno("QUERY_QP of another", query_qp_of(qp, qp->qp_num + 1), EINVAL);
	want_errno("QUERY_QP of another by the opened one", query_qp_of(opened, 0), EINVAL);
	ibv_destroy_qp(qp);
	/*
	 * libmlx5 44 crashes when it destroys an opened QP; the exit destroys the other objects
	 */
	_exit(faults ? 1 : 0);
}

const struct test bad_tests[] = {
	{ "xrc_target", xrc_target },
	{ "isolation", isolation },
	{ "not_listed", not_listed },
	{ "lengths", lengths },
	{ "short_commands", short_commands },
	{ "in_use", in_use },
	{ "verbs_in_use", verbs_in_use },
	{ "bad_umems", bad_umems },
	{ "all_memory", all_memory },
	{ "xrc_srq", xrc_srq },
	{ "failing", failing },
	{}
};
