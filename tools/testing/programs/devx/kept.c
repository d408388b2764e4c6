// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Kept objects: the device refuses to destroy them, or did not respond in time to the command that
 * creates or destroys them. The memory that the device may use stays pinned, and counts as pinned
 * memory of the process.
 *
 * The environment variable FAULTS is the debugfs file that makes the simulated device fail
 * commands.
 */
#include <fcntl.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "devx.h"

#define SIGNALED	0x08
#define OP_WRITE	0x08
#define OP_SEND		0x0a
#define SRQ_RQ		1	/* rq_type */
#define TS_DEFAULT	1
#define MIGRATED	3
#define QP_DBR_UMEM	0x7e0	/* in CREATE_QP */
#define NR		0x48
#define GUESSES		8u
#define SETTLE_US	500000
#define MR_PAGES	32u
#define RESIZED_KB	256u	/* kilobytes of the new ring of a resized CQ */

/* Return: kilobytes that the process has pinned */
static unsigned long pinned(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long kb = 0;
	char line[256];

	if (!f)
		die("no /proc");
	while (fgets(line, sizeof(line), f))
		sscanf(line, "VmPin: %lu", &kb);
	fclose(f);
	return kb;
}

static void want_pinned(const char *what, unsigned long least, unsigned long most)
{
	unsigned long kb = pinned();

	if (kb < least || kb > most)
		tell("%s: %lu kB are pinned, expected %lu to %lu", what, kb, least, most);
}

static void command_fault(const char *fmt, const char *command)
{
	const char *path = getenv("FAULTS");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		die("no file for faults");
	fprintf(f, fmt, command);
	if (fclose(f))
		die("fault of %s: %s", command, strerror(errno));
}

/* ---- objects of the verbs ---- */

static void *make_cq(struct end *e)
{
	return ibv_create_cq(e->ctx, 15, NULL, NULL, 0);
}

static void *make_srq(struct end *e)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 15, .max_sge = 1 } };

	return ibv_create_srq(e->pd, &attr);
}

static struct ibv_cq *some_cq;

static void *make_qp_of(struct end *e, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = some_cq,
		.recv_cq = some_cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = type,
	};

	return ibv_create_qp(e->pd, &attr);
}

static void *make_qp(struct end *e) { return make_qp_of(e, IBV_QPT_RC); }
static void *make_ud(struct end *e) { return make_qp_of(e, IBV_QPT_UD); }

static struct ibv_xrcd *xrcd;

static void *make_target(struct end *e)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = xrcd,
	};

	return ibv_create_qp_ex(e->ctx, &attr);
}

static void *make_xrc_srq(struct end *e)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 15, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_CQ |
			     IBV_SRQ_INIT_ATTR_XRCD,
		.srq_type = IBV_SRQT_XRC,
		.pd = e->pd,
		.cq = some_cq,
		.xrcd = xrcd,
	};

	return ibv_create_srq_ex(e->ctx, &attr);
}

static void *make_pd(struct end *e)
{
	return ibv_alloc_pd(e->ctx);
}

static void *make_mw(struct end *e)
{
	return ibv_alloc_mw(e->pd, IBV_MW_TYPE_1);
}

static u8 *umem_mem;

static u8 *get_pages(unsigned int n)
{
	u8 *mem = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		die("no memory");
	memset(mem, 0, n * PAGE);
	return mem;
}

static struct mlx5dv_devx_umem *reg_umem(struct end *e, u8 *mem)
{
	return mlx5dv_devx_umem_reg(e->ctx, mem, PAGE, IBV_ACCESS_LOCAL_WRITE);
}

static void *make_umem(struct end *e)
{
	return reg_umem(e, umem_mem);
}

static void *make_devx_cq(struct end *e)
{
	struct want w = want_of(e);
	struct made cq = create_cq(e, &w);

	errno = cq.err;
	return cq.obj;
}

static u32 number_of_cq(struct ibv_cq *cq)
{
	struct mlx5dv_cq dv = {};
	struct mlx5dv_obj obj = { .cq = { .in = cq, .out = &dv } };

	if (!cq || mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ))
		die("no CQ of the verbs: %s", strerror(errno));
	return dv.cqn;
}

static u32 number_of_srq(struct ibv_srq *srq)
{
	struct mlx5dv_srq dv = { .comp_mask = MLX5DV_SRQ_MASK_SRQN };
	struct mlx5dv_obj obj = { .srq = { .in = srq, .out = &dv } };

	if (!srq || mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ))
		die("no SRQ of the verbs: %s", strerror(errno));
	return dv.srqn;
}

/*
 * Creates and destroys a CQ. The device assigns increasing numbers, so the next CQ has one of the
 * next numbers. last_srq() and last_umem() do the same for an SRQ and a UMEM.
 *
 * Return: number of the CQ.
 */
static u32 last_cq(struct end *e)
{
	struct ibv_cq *cq = make_cq(e);
	u32 nr = number_of_cq(cq);

	want_errno("the CQ", ibv_destroy_cq(cq), 0);
	return nr;
}

static u32 last_srq(struct end *e)
{
	struct ibv_srq *srq = make_srq(e);
	u32 nr = number_of_srq(srq);

	want_errno("the SRQ", ibv_destroy_srq(srq), 0);
	return nr;
}

static u32 last_umem(struct end *e)
{
	struct mlx5dv_devx_umem *umem;
	u32 nr;

	umem_mem = get_pages(1);
	umem = make_umem(e);
	if (!umem)
		die("no UMEM: %s", strerror(errno));
	nr = umem->umem_id;
	want_errno("the UMEM", mlx5dv_devx_umem_dereg(umem), 0);
	return nr;
}

/* ---- QPs of DEVX that use objects of the verbs ---- */

/* create a QP of DEVX with an SRQ */
static struct made create_srq_qp(struct mover *m, u32 srqn)
{
	struct want w = want_of(&m->e);
	u8 in[BYTES(create_qp_in)] = {};
	u8 *qpc = PTR(create_qp_in, in, qpc);

	SET(create_qp_in, in, opcode, MLX5_CMD_OP_CREATE_QP);
	SET(create_qp_in, in, wq_umem_valid, 1);
	SET(create_qp_in, in, wq_umem_id, w.ring);
	SET(create_qp_in, in, wq_umem_offset, AT_SQ);
	SET(qpc, qpc, pm_state, MIGRATED);
	SET(qpc, qpc, pd, w.pdn);
	SET(qpc, qpc, rq_type, SRQ_RQ);
	SET(qpc, qpc, srqn_rmpn_xrqn, srqn);
	SET(qpc, qpc, log_sq_size, LOG_SQ_BBS);
	SET(qpc, qpc, ts_format, TS_DEFAULT);
	SET(qpc, qpc, uar_page, w.uar);
	SET(qpc, qpc, user_index, 5);
	SET(qpc, qpc, cqn_snd, m->cq.nr);
	SET(qpc, qpc, cqn_rcv, m->cq.nr);
	SET(qpc, qpc, dbr_umem_valid, 1);
	put_bits(in, QP_DBR_UMEM, 32, w.dbr);
	SET(qpc, qpc, dbr_addr, AT_DBR_QP);
	return create(&m->e, in, sizeof(in), NR);
}

/* post a message of 64 bytes from AT_DATA; @raddr and @rkey are for a WRITE */
static void post_one(struct mover *m, u32 opcode, u64 raddr, u32 rkey)
{
	struct end *e = &m->e;
	u8 *wqe = e->mem + AT_SQ, *data = wqe + (opcode == OP_WRITE ? 32 : 16);
	u64 first;

	memset(e->mem + AT_SQ, 0, 64);
	put_bits(wqe, 0, 32, opcode);
	put_bits(wqe, 32, 32, m->qp.nr << 8 | (opcode == OP_WRITE ? 3 : 2));
	put_bits(wqe, 64, 32, SIGNALED);
	if (opcode == OP_WRITE) {
		put_bits(wqe, 128, 64, raddr);
		put_bits(wqe, 192, 32, rkey);
	}
	put_bits(data, 0, 32, 64);
	put_bits(data, 32, 32, key_of(m));
	put_bits(data, 64, 64, (u64)(uintptr_t)e->mem + AT_DATA);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n((u32 *)(e->mem + AT_DBR_QP + 4), htobe32(1), __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	memcpy(&first, wqe, sizeof(first));
	__atomic_store_n((u64 *)e->uar->reg_addr, first, __ATOMIC_RELAXED);
}

/*
 * Set the doorbell records of a new QP to 0, send its first message, and wait SETTLE_US until the
 * message is complete.
 */
static void send_one(struct mover *m, u32 opcode, u64 raddr, u32 rkey)
{
	if (!m->qp.obj)
		die("no QP: errno %d status %#x syndrome %#x", m->qp.err, m->qp.status,
		    m->qp.syndrome);
	memset(m->e.mem + AT_DBR_QP, 0, 8);
	connect_qp(&m->qp);
	post_one(m, opcode, raddr, rkey);
	usleep(SETTLE_US);
}

static void write_one(struct mover *m)
{
	u8 *data = m->e.mem + AT_DATA;

	memset(data, 0x5a, 64);
	memset(data + PAGE, 0, 64);
	send_one(m, OP_WRITE, (u64)(uintptr_t)data + PAGE, key_of(m));
	if (memcmp(data, data + PAGE, 64))
		tell("nothing was written");
}

static u32 last_nr;

static void use_cq(void *arg)
{
	struct mover *m = arg;
	struct want w = want_of(&m->e);
	u32 i;

	for (i = 1; i <= GUESSES && !m->qp.obj; i++) {
		w.cqn = last_nr + i;
		m->qp = create_qp(&m->e, &w);
	}
}

static void use_srq(void *arg)
{
	struct mover *m = arg;
	u32 i;

	for (i = 1; i <= GUESSES && !m->qp.obj; i++)
		m->qp = create_srq_qp(m, last_nr + i);
}

static struct made umem_cq;

static void use_umem(void *arg)
{
	struct mover *m = arg;
	struct want w = want_of(&m->e);
	u32 i;

	for (i = 1; i <= GUESSES && !umem_cq.obj; i++) {
		w.ring = last_nr + i;
		umem_cq = create_cq(&m->e, &w);
	}
	w = want_of(&m->e);
	w.cqn = umem_cq.nr;
	if (umem_cq.obj)
		m->qp = create_qp(&m->e, &w);
}

static void open_user(struct mover *m, const char *device)
{
	struct want w;

	memset(m, 0, sizeof(*m));
	open_end(&m->e, device);
	w = want_of(&m->e);
	m->cq = create_cq(&m->e, &w);
	w.mode = 1;
	m->mkey = create_mkey(&m->e, &w);
	if (!m->cq.obj || !m->mkey.obj)
		die("CQ: errno %d, mkey: errno %d", m->cq.err, m->mkey.err);
}

/* ---- the device refuses, because a QP uses the object ---- */

/**
 * struct kind - a kind of kept objects
 * @create: creates the object
 * @last: creates and destroys an object of this kind, and returns its number
 * @use: creates a QP that uses the object
 * @opcode: OP_WRITE or OP_SEND: opcode of the message that the QP of @use sends
 * @attr: attribute of the response that cannot be written; 0 for the response of the driver
 * @kb: kilobytes of memory that the object pins
 */
struct kind {
	void *(*create)(struct end *e);
	u32 (*last)(struct end *e);
	void (*use)(void *arg);
	u32 opcode;
	unsigned int attr;
	unsigned long kb;
};

/* 8 kB: a page of the ring, and a page of doorbell records */
static const struct kind cq_kind = { make_cq, last_cq, use_cq, OP_WRITE, 0, 8 };

static const struct kind srq_kind = { make_srq, last_srq, use_srq, OP_SEND, 0, 8 };

static const struct kind cq_core_kind = {
	make_cq, last_cq, use_cq, OP_WRITE, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 8,
};

static const struct kind srq_core_kind = {
	make_srq, last_srq, use_srq, OP_SEND, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 8,
};

/* a CQ of DEVX, whose ring is in a UMEM that is pinned before */
static const struct kind devx_kind = {
	make_devx_cq, last_cq, use_cq, OP_WRITE, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, 0,
};

static const struct kind umem_kind = {
	make_umem, last_umem, use_umem, OP_WRITE, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4,
};

/* Return: kilobytes that were pinned before the object was created */
static unsigned long keep_by_qp(struct mover *m, const char *device, const struct kind *kind)
{
	unsigned long kb;

	open_user(m, device);
	last_nr = kind->last(&m->e);
	kb = pinned();
	fail_response(&m->e, kind->create, kind->attr, kind->use, m);
	if (!m->qp.obj)
		die("no QP has got the object");
	want_pinned("an object that the device keeps", kb + kind->kb, kb + kind->kb);
	if (kind->opcode == OP_WRITE)
		write_one(m);
	else
		send_one(m, OP_SEND, 0, 0);
	return kb;
}

static void keep_and_close(const char *device, const struct kind *kind)
{
	struct mover m;
	unsigned long kb = keep_by_qp(&m, device, kind);

	destroy(&m.qp, "QP");
	if (umem_cq.obj)
		destroy(&umem_cq, "CQ");
	want_pinned("without the QP", kb, kb);
	close_mover(&m);
}

static void keep_and_exit(const char *device, const struct kind *kind)
{
	struct mover m;

	keep_by_qp(&m, device, kind);
	exit(faults ? 1 : 0);
}

static void kept_cq(const char *device) { keep_and_close(device, &cq_kind); }
static void kept_srq(const char *device) { keep_and_close(device, &srq_kind); }
static void kept_cq_core(const char *device) { keep_and_close(device, &cq_core_kind); }
static void kept_srq_core(const char *device) { keep_and_close(device, &srq_core_kind); }
static void kept_devx(const char *device) { keep_and_close(device, &devx_kind); }
static void kept_umem(const char *device) { keep_and_close(device, &umem_kind); }
static void kept_cq_exit(const char *device) { keep_and_exit(device, &cq_kind); }
static void kept_srq_exit(const char *device) { keep_and_exit(device, &srq_kind); }

/* ---- the device refuses once, because of a fault ---- */

static void open_more(struct end *e)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};

	xrcd = ibv_open_xrcd(e->ctx, &attr);
	some_cq = make_cq(e);
	if (!xrcd || !some_cq)
		die("no XRC domain or no CQ: %s", strerror(errno));
}

static u8 *mr_mem;

static struct ibv_mr *reg_mr(struct end *e, u8 *mem, unsigned int n)
{
	/* IBV_ACCESS_MW_BIND: the MR has a separate mkey, and so takes a command */
	return ibv_reg_mr(e->pd, mem, n * PAGE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_MW_BIND);
}

static void *make_small_mr(struct end *e) { return reg_mr(e, mr_mem, 1); }

/* ibv_rereg_mr() with more pages creates another MR; the device does not destroy the old MR */
static void replace_mr(struct end *e)
{
	unsigned long kb = pinned();
	struct ibv_mr *mr = make_small_mr(e);
	struct made other;

	if (!mr)
		die("no MR: %s", strerror(errno));
	command_fault("fail %s 1 INT_ERR", "DESTROY_MKEY");
	want_errno("ibv_rereg_mr()", ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
						  get_pages(2), 2 * PAGE, 0), 0);
	want_pinned("both MRs", kb + 12, kb + 12);
	other = create_plain(e, MLX5_CMD_OP_ALLOC_PD);
	destroy(&other, "PD");
	want_pinned("the new MR", kb + 8, kb + 8);
	want_errno("the new MR", ibv_dereg_mr(mr), 0);
	want_pinned("no MR", kb, kb);
}

static void kept_refused(const char *device)
{
	static const struct {
		const char *command;
		void *(*create)(struct end *e);
		unsigned int attr;	/* of the response: see struct kind */
		bool pins;
	} kinds[] = {
		{ "DESTROY_CQ", make_cq, 0, true },
		{ "DESTROY_RMP", make_srq, 0, true },
		{ "DESTROY_QP", make_qp, 0, true },
		{ "DESTROY_XRC_SRQ", make_xrc_srq, 0, true },
		{ "DEALLOC_PD", make_pd, 0, false },
		{ "DESTROY_MKEY", make_small_mr, UVERBS_ATTR_CORE_OUT, true },
		{ "DESTROY_MKEY", make_mw, UVERBS_ATTR_CORE_OUT, false },
	};
	struct end e;
	unsigned int i;

	open_end(&e, device);
	open_more(&e);
	mr_mem = get_pages(1);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		unsigned long kb = pinned();
		struct made other;

		command_fault("fail %s 1 INT_ERR", kinds[i].command);
		fail_response(&e, kinds[i].create, kinds[i].attr, NULL, NULL);
		if (kinds[i].pins)
			want_pinned(kinds[i].command, kb + 4, kb + 64);
		/* the driver retries when the process destroys an object of DEVX */
		other = create_plain(&e, MLX5_CMD_OP_ALLOC_PD);
		destroy(&other, "PD");
		want_pinned(kinds[i].command, kb, kb);
	}
	replace_mr(&e);
	want_errno("the CQ", ibv_destroy_cq(some_cq), 0);
	want_errno("the XRC domain", ibv_close_xrcd(xrcd), 0);
	close_end(&e);
}

/* ---- the device does not respond in time, and executes the command later ---- */

static struct ibv_qp *dct;
static struct ibv_srq *some_srq;

static void *make_mr(struct end *e) { return reg_mr(e, mr_mem, MR_PAGES); }

static void make_dct(struct end *e)
{
	struct mlx5dv_qp_init_attr dv_attr = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = 1 },
	};
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = some_cq,
		.recv_cq = some_cq,
		.srq = some_srq,
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = e->pd,
	};
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	dct = mlx5dv_create_qp(e->ctx, &attr, &dv_attr);
	if (!dct || ibv_modify_qp(dct, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				  IBV_QP_ACCESS_FLAGS))
		die("no DCT: %s", strerror(errno));
}

/* move the DCT to RTR: the driver then creates the DCT on the device */
static void *start_dct(struct end *e)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = 1 } },
	};

	(void)e;
	errno = ibv_modify_qp(dct, &attr, IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV |
			      IBV_QP_PATH_MTU);
	return errno ? NULL : dct;
}

/**
 * struct late - a call whose command times out
 * @fault: line for the file of faults, without the time
 * @call: function that makes the call; returns NULL and sets errno on failure
 * @err: expected errno, 0 for success
 */
struct late {
	const char *fault;
	void *(*call)(struct end *e);
	int err;
};

/*
 * The calls are made one after the other: the simulated device executes one command at a time, and
 * a late command occupies the only slot until it is executed.
 */
static void all_late(struct end *e, const struct late *list, unsigned int n)
{
	const char *seconds = getenv("LATE");
	unsigned int i;
	char fault[64];
	time_t until;

	if (!seconds)
		die("how late?");
	for (i = 0; i < n; i++) {
		snprintf(fault, sizeof(fault), "%s %s000", list[i].fault, seconds);
		command_fault("%s", fault);
		until = time(NULL) + atoi(seconds);
		errno = 0;
		want_errno(list[i].fault, list[i].call(e) ? 0 : errno, list[i].err);
		if (time(NULL) >= until)
			die("too slow: the command is executed already");
		sleep(until + 2 - time(NULL));
	}
}

static unsigned long least_kb;

/* make all late calls, and check that the memory is still pinned */
static void memory_stays(struct end *e, const struct late *list, unsigned int n)
{
	all_late(e, list, n);
	want_pinned("objects of commands that were late", least_kb, least_kb + 128);
}

/* the device assigns increasing numbers: the late object has the number before the next object */
static void use_late_mr(struct mover *m, u32 variant)
{
	struct want w = want_of(&m->e);
	struct ibv_mr *mr = reg_mr(&m->e, get_pages(1), 1);
	u8 *data = m->e.mem + AT_DATA;
	u32 key;

	if (!mr)
		die("no MR: %s", strerror(errno));
	key = ((mr->rkey >> 8) - 1) << 8 | (variant & 0xff);
	w.cqn = m->cq.nr;
	m->qp = create_qp(&m->e, &w);
	memset(data, 0xa5, 64);
	send_one(m, OP_WRITE, (u64)(uintptr_t)mr_mem, key);
	if (memcmp(data, mr_mem, 64))
		tell("the late mkey does not reach its memory: it has another key than %#x", key);
	destroy(&m->qp, "QP");
}

static void use_late_cqs(struct mover *m)
{
	u32 i, nr = number_of_cq(make_cq(&m->e));
	struct want w = want_of(&m->e);

	for (i = 1; i <= 2; i++) {
		w.cqn = nr - i;
		m->qp = create_qp(&m->e, &w);
		if (!m->qp.obj)
			die("CQ %#x is not there", w.cqn);
		write_one(m);
		destroy(&m->qp, "QP");
	}
}

static void use_late_srq(struct mover *m)
{
	m->qp = create_srq_qp(m, number_of_srq(make_srq(&m->e)) - 1);
	if (!m->qp.obj)
		die("no SRQ is there");
	send_one(m, OP_SEND, 0, 0);
	destroy(&m->qp, "QP");
}

static void use_late_umem(struct mover *m)
{
	struct mlx5dv_devx_umem *umem = reg_umem(&m->e, get_pages(1));
	struct want w = want_of(&m->e);
	struct made cq;
	u32 i, bits = 0;

	if (!umem)
		die("no UMEM: %s", strerror(errno));
	w.ring = umem->umem_id - 1;
	cq = create_cq(&m->e, &w);
	if (!cq.obj)
		die("no late UMEM: errno %d status %#x", cq.err, cq.status);
	w = want_of(&m->e);
	w.cqn = cq.nr;
	m->qp = create_qp(&m->e, &w);
	write_one(m);
	for (i = 0; i < 64; i++)
		bits |= umem_mem[i];
	if (!bits)
		tell("the late UMEM does not reach its memory");
	destroy(&m->qp, "QP");
	destroy(&cq, "CQ");
}

static void late_create(const char *device)
{
	static const struct late list[] = {
		/* first: with this QP, the driver also creates its internal CQ and SRQ */
		{ "delay CREATE_QP 1", make_target, ETIMEDOUT },
		{ "delay CREATE_MKEY 1", make_mr, ETIMEDOUT },
		{ "delay CREATE_CQ 1", make_cq, ETIMEDOUT },
		{ "delay CREATE_CQ 1", make_devx_cq, ETIMEDOUT },
		{ "delay CREATE_XRC_SRQ 1", make_xrc_srq, ETIMEDOUT },
		{ "delay CREATE_RMP 1", make_srq, ETIMEDOUT },
		{ "delay CREATE_QP 1", make_qp, ETIMEDOUT },
		{ "delay CREATE_UMEM 1", make_umem, ETIMEDOUT },
		{ "delay CREATE_DCT 1", start_dct, ETIMEDOUT },
	};
	struct ibv_mr *mr;
	struct mover m;
	u32 variant;

	open_user(&m, device);
	open_more(&m.e);
	some_srq = make_srq(&m.e);
	make_dct(&m.e);
	mr_mem = get_pages(MR_PAGES);
	umem_mem = get_pages(1);
	mr = reg_mr(&m.e, umem_mem, 1);
	if (!mr)
		die("no MR: %s", strerror(errno));
	variant = mr->rkey + 1;
	want_errno("the MR", ibv_dereg_mr(mr), 0);
	/* pages of the MR and of the UMEM, and a page of each of four rings */
	least_kb = pinned() + (MR_PAGES + 1 + 4) * 4;
	memory_stays(&m.e, list, ARRAY_SIZE(list));
	use_late_mr(&m, variant);
	use_late_cqs(&m);
	use_late_srq(&m);
	use_late_umem(&m);
	/*
	 * the late objects stay, because the driver does not have their
	 * numbers; when the process ends, the kernel destroys its other objects
	 */
	exit(faults ? 1 : 0);
}

static struct {
	struct ibv_cq *cq, *resized;
	struct ibv_srq *srq, *xrc_srq;
	struct ibv_qp *qp, *target;
	struct ibv_mr *mr;
	struct mlx5dv_devx_umem *umem;
	struct made counters;
} going;

/* Return: NULL with errno set to @err; for an @err of 0 a pointer that is not NULL */
static void *as_pointer(int err)
{
	errno = err;
	return err ? NULL : &going;
}

static void *end_cq(struct end *e) { (void)e; return as_pointer(ibv_destroy_cq(going.cq)); }
static void *end_srq(struct end *e) { (void)e; return as_pointer(ibv_destroy_srq(going.srq)); }
static void *end_qp(struct end *e) { (void)e; return as_pointer(ibv_destroy_qp(going.qp)); }
static void *end_mr(struct end *e) { (void)e; return as_pointer(ibv_dereg_mr(going.mr)); }

static void *resize_cq(struct end *e)
{
	(void)e;
	return as_pointer(ibv_resize_cq(going.resized, RESIZED_KB * 1024 / 64 - 1));
}

/* the QP belongs to the kernel, which ignores the failed destruction */
static void *end_target(struct end *e)
{
	(void)e;
	return as_pointer(ibv_destroy_qp(going.target));
}

static void *end_xrc_srq(struct end *e)
{
	(void)e;
	return as_pointer(ibv_destroy_srq(going.xrc_srq));
}

static void *end_umem(struct end *e)
{
	(void)e;
	return as_pointer(mlx5dv_devx_umem_dereg(going.umem));
}

static void *end_counters(struct end *e)
{
	(void)e;
	return as_pointer(mlx5dv_devx_obj_destroy(going.counters.obj));
}

/*
 * The handles of the objects are destroyed. The memory stays pinned: no further command names the
 * objects, because their numbers may belong to other objects.
 */
static void late_destroy(const char *device)
{
	static const struct late list[] = {
		{ "delay MODIFY_CQ 1", resize_cq, ETIMEDOUT },
		{ "delay DESTROY_CQ 1", end_cq, 0 },
		{ "delay DESTROY_RMP 1", end_srq, 0 },
		{ "delay DESTROY_XRC_SRQ 1", end_xrc_srq, 0 },
		{ "delay DESTROY_QP 1", end_qp, 0 },
		{ "delay DESTROY_QP 1", end_target, 0 },
		{ "delay DESTROY_MKEY 1", end_mr, 0 },
		{ "delay DESTROY_UMEM 1", end_umem, 0 },
		{ "delay DEALLOC_Q_COUNTER 1", end_counters, 0 },
	};
	struct mover m;

	open_user(&m, device);
	open_more(&m.e);
	mr_mem = get_pages(MR_PAGES);
	umem_mem = get_pages(1);
	going.cq = make_cq(&m.e);
	going.resized = make_cq(&m.e);
	going.srq = make_srq(&m.e);
	going.xrc_srq = make_xrc_srq(&m.e);
	going.qp = make_qp(&m.e);
	going.target = make_target(&m.e);
	going.mr = make_mr(&m.e);
	going.umem = make_umem(&m.e);
	going.counters = create_plain(&m.e, MLX5_CMD_OP_ALLOC_Q_COUNTER);
	if (!going.cq || !going.resized || !going.srq || !going.xrc_srq || !going.qp ||
	    !going.target || !going.mr || !going.umem || !going.counters.obj)
		die("objects are missing: %s", strerror(errno));
	least_kb = pinned() + RESIZED_KB;
	memory_stays(&m.e, list, ARRAY_SIZE(list));
	/*
	 * the new ring stays pinned: the late resize may be executed on another
	 * CQ with the same number. The first ring is unpinned
	 */
	want_errno("the resized CQ", ibv_destroy_cq(going.resized), 0);
	want_pinned("after the resized CQ", least_kb - 8, least_kb + 128);
	/* this succeeds although the device may still have the XRC SRQ and the target */
	want_errno("the XRC domain", ibv_close_xrcd(xrcd), 0);
	exit(faults ? 1 : 0);
}

static int to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_ACCESS_FLAGS);
}

static struct ibv_qp *begun, *joiner;

static void *begin_qp(struct end *e)
{
	(void)e;
	return as_pointer(to_init(begun));
}

static void *join_group(struct end *e)
{
	static const union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = 1 } };

	(void)e;
	return as_pointer(ibv_attach_mcast(joiner, &group, 0));
}

/* check that no QP number of @nrs is free; the device assigns the lowest free number first */
static void want_in_use(struct end *e, const u32 *nrs, unsigned int n)
{
	struct ibv_qp *qp = make_qp(e);
	unsigned int i;

	if (!qp)
		die("no QP: %s", strerror(errno));
	for (i = 0; i < n; i++)
		if (qp->qp_num == nrs[i])
			tell("QP number %#x of a late command is used again", nrs[i]);
	want_errno("the QP", ibv_destroy_qp(qp), 0);
}

/*
 * Commands that change a QP are late. Only the handle of the QP is destroyed. The QP stays, so that
 * its number is not used again: the late command would change the next QP with that number.
 */
static void late_modify(const char *device)
{
	static const struct late list[] = {
		{ "delay 2RST_QP 1", end_qp, 0 },
		{ "delay RST2INIT_QP 1", begin_qp, ETIMEDOUT },
		{ "delay 2RST_QP 1", end_target, 0 },
		{ "delay ATTACH_TO_MCG 1", join_group, ETIMEDOUT },
	};
	struct mover m;
	u32 nrs[4];

	open_user(&m, device);
	open_more(&m.e);
	going.qp = make_qp(&m.e);
	going.target = make_target(&m.e);
	begun = make_qp(&m.e);
	joiner = make_ud(&m.e);
	if (!going.qp || !going.target || !begun || !joiner || to_init(going.qp) ||
	    to_init(going.target))
		die("QPs are missing: %s", strerror(errno));
	nrs[0] = going.qp->qp_num;
	nrs[1] = begun->qp_num;
	nrs[2] = going.target->qp_num;
	nrs[3] = joiner->qp_num;
	least_kb = pinned();
	memory_stays(&m.e, list, ARRAY_SIZE(list));
	want_errno("the QP", ibv_destroy_qp(begun), 0);
	want_errno("the UD QP", ibv_destroy_qp(joiner), 0);
	want_pinned("QPs with late commands", least_kb, least_kb + 128);
	want_in_use(&m.e, nrs, ARRAY_SIZE(nrs));
	want_errno("the XRC domain", ibv_close_xrcd(xrcd), 0);
	exit(faults ? 1 : 0);
}

/*
 * The device executes DRAIN_DCT after the driver has ceased to wait for the event. The driver does
 * not destroy the DCT: the late command would drain the next DCT with the same number.
 */
static void late_drain(const char *device)
{
	struct mover m;
	time_t until;
	u32 nr;

	open_user(&m, device);
	open_more(&m.e);
	some_srq = make_srq(&m.e);
	make_dct(&m.e);
	if (!some_srq || !start_dct(&m.e))
		die("no DCT: %s", strerror(errno));
	nr = dct->qp_num;
	command_fault("delay %s 1 110000", "DRAIN_DCT");
	until = time(NULL) + 110;
	want_errno("the DCT", ibv_destroy_qp(dct), 0);
	if (time(NULL) >= until)
		die("too slow: the command is executed already");
	/* the late command occupies the only slot */
	sleep(until + 2 - time(NULL));
	make_dct(&m.e);
	if (!start_dct(&m.e))
		die("no second DCT: %s", strerror(errno));
	if (dct->qp_num == nr)
		tell("the number %#x of a DCT that may be drained is used again", nr);
	want_errno("the second DCT", ibv_destroy_qp(dct), 0);
	want_errno("the XRC domain", ibv_close_xrcd(xrcd), 0);
	exit(faults ? 1 : 0);
}

const struct test kept_tests[] = {
	{ "kept_cq", kept_cq },
	{ "kept_srq", kept_srq },
	{ "kept_cq_core", kept_cq_core },
	{ "kept_srq_core", kept_srq_core },
	{ "kept_devx", kept_devx },
	{ "kept_umem", kept_umem },
	{ "kept_cq_exit", kept_cq_exit },
	{ "kept_srq_exit", kept_srq_exit },
	{ "kept_refused", kept_refused },
	{ "late_create", late_create },
	{ "late_destroy", late_destroy },
	{ "late_modify", late_modify },
	{ "late_drain", late_drain },
	{}
};
