// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What libmlx5 makes of the calls that <rdma/mlx5dv.h> has for the kernel.
 *
 *	probe record DEVICE	the WQE of each call, as it is in the send queue
 *	probe cost DEVICE	time stamp counter units that each call takes, from
 *				ibv_wr_start() to ibv_wr_complete(), the best of some;
 *				instructions, in a VM that counts those
 *
 * Both post for real, on a QP that is connected to itself, and check that every WQE
 * completes with success.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#define BUF_SIZE	65536
#define MAX_ENTRIES	48		/* of a layout inside a WQE of libmlx5 */
#define ROUNDS		16
#define BB		64

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_qp_ex *qpx;
static struct mlx5dv_qp_ex *mqp;
static struct mlx5dv_mkey *mkey;
static struct mlx5dv_qp sq;
static struct ibv_mr *mr;
static char *buf;

static void die(const char *what)
{
	fprintf(stderr, "probe: %s: %s\n", what, strerror(errno));
	exit(1);
}

#define OR_DIE(call)	do { if ((errno = (call))) die(#call); } while (0)

/* ---- what is posted ---- */

static struct ibv_sge sges[MAX_ENTRIES];
static struct mlx5dv_mr_interleaved data[MAX_ENTRIES];
static const int access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;

static void conf_list(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(mqp, access_flags);
	mlx5dv_wr_set_mkey_layout_list(mqp, n, sges);
}

static void conf_interleaved(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(mqp, mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(mqp, access_flags);
	mlx5dv_wr_set_mkey_layout_interleaved(mqp, 2, n, data);
}

static void conf_access(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	(void)n;
	mlx5dv_wr_mkey_configure(mqp, mkey, 1, &attr);
	mlx5dv_wr_set_mkey_access_flags(mqp, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
}

static void conf_nothing(int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	(void)n;
	mlx5dv_wr_mkey_configure(mqp, mkey, 0, &attr);
}

static void mr_list(int n)
{
	mlx5dv_wr_mr_list(mqp, mkey, access_flags, n, sges);
}

static void mr_interleaved(int n)
{
	mlx5dv_wr_mr_interleaved(mqp, mkey, access_flags, 2, n, data);
}

static void local_inv(int n)
{
	(void)n;
	ibv_wr_local_inv(qpx, mkey->lkey);
}

static void rdma_write(int n)
{
	ibv_wr_rdma_write(qpx, mr->rkey, (uintptr_t)buf + 4096);
	ibv_wr_set_sge_list(qpx, n, sges);
}

static void rdma_write_inline(int n)
{
	ibv_wr_rdma_write(qpx, mr->rkey, (uintptr_t)buf + 4096);
	ibv_wr_set_inline_data(qpx, buf, n);
}

static void rdma_read(int n)
{
	(void)n;
	ibv_wr_rdma_read(qpx, mr->rkey, (uintptr_t)buf + 4096);
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)buf, 64);
}

static void cmp_swp(int n)
{
	(void)n;
	ibv_wr_atomic_cmp_swp(qpx, mr->rkey, (uintptr_t)buf + 4096, 0x0102030405060708,
			      0x1112131415161718);
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)buf, 8);
}

static void fetch_add(int n)
{
	(void)n;
	ibv_wr_atomic_fetch_add(qpx, mr->rkey, (uintptr_t)buf + 4096, 0x1112131415161718);
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)buf, 8);
}

struct call {
	const char *name;
	void (*build)(int n);
	int n;
};

static const struct call recorded[] = {
	{ "mkey_configure_list", conf_list, 1 },
	{ "mkey_configure_list", conf_list, 2 },
	{ "mkey_configure_list", conf_list, 4 },
	{ "mkey_configure_list", conf_list, 5 },
	{ "mkey_configure_list", conf_list, MAX_ENTRIES },
	{ "mkey_configure_interleaved", conf_interleaved, 1 },
	{ "mkey_configure_interleaved", conf_interleaved, 2 },
	{ "mkey_configure_interleaved", conf_interleaved, 3 },
	{ "mkey_configure_interleaved", conf_interleaved, 4 },
	{ "mkey_configure_access", conf_access, 0 },
	{ "mkey_configure", conf_nothing, 0 },
	{ "mr_list", mr_list, 3 },
	{ "mr_interleaved", mr_interleaved, 3 },
	{ "local_inv", local_inv, 0 },
	{ "rdma_write", rdma_write, 2 },
	{ "rdma_write_inline", rdma_write_inline, 21 },
	{ "rdma_read", rdma_read, 0 },
	{ "atomic_cmp_swp", cmp_swp, 0 },
	{ "atomic_fetch_add", fetch_add, 0 },
};

static const struct call costs[] = {
	{ "mkey_configure_list", conf_list, 1 },
	{ "mkey_configure_list", conf_list, 4 },
	{ "mkey_configure_list", conf_list, 16 },
	{ "mkey_configure_list", conf_list, MAX_ENTRIES },
	{ "mkey_configure_interleaved", conf_interleaved, 1 },
	{ "mkey_configure_interleaved", conf_interleaved, 4 },
	{ "mkey_configure_interleaved", conf_interleaved, 16 },
	{ "mkey_configure_interleaved", conf_interleaved, MAX_ENTRIES - 1 },
};

/* ---- the QP ---- */

static int gid_of(struct ibv_context *c, union ibv_gid *gid)
{
	struct ibv_gid_entry e;
	int i;

	/* a v4-mapped one of RoCE v2 */
	for (i = 0; i < 256; i++)
		if (!ibv_query_gid_ex(c, 1, i, &e, 0) && e.gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    !e.gid.global.subnet_prefix) {
			*gid = e.gid;
			return i;
		}
	errno = ENOENT;
	die("GID");
	return -1;
}

static void connect_qp(void)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	OR_DIE(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX |
			     IBV_QP_ACCESS_FLAGS));
	memset(&a, 0, sizeof(a));
	a.qp_state = IBV_QPS_RTR;
	a.path_mtu = IBV_MTU_1024;
	a.dest_qp_num = qp->qp_num;
	a.max_dest_rd_atomic = 1;
	a.min_rnr_timer = 12;
	a.ah_attr.is_global = 1;
	a.ah_attr.port_num = 1;
	a.ah_attr.grh.hop_limit = 64;
	a.ah_attr.grh.sgid_index = gid_of(ctx, &a.ah_attr.grh.dgid);
	OR_DIE(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER));
	memset(&a, 0, sizeof(a));
	a.qp_state = IBV_QPS_RTS;
	a.timeout = 17;
	a.retry_cnt = 7;
	a.rnr_retry = 7;
	a.max_rd_atomic = 1;
	OR_DIE(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void create_qp(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .pd = pd,
		.cap = { .max_send_wr = 8, .max_recv_wr = 1, .max_send_sge = 4,
			 .max_recv_sge = 1, .max_inline_data = MAX_ENTRIES * 16 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ |
				  IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
				  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS |
			     MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		.create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE | MLX5DV_QP_EX_WITH_MR_LIST |
				  MLX5DV_QP_EX_WITH_MR_INTERLEAVED,
	};
	struct mlx5dv_obj obj = {};

	qp = mlx5dv_create_qp(ctx, &attr, &dv);
	if (!qp)
		die("mlx5dv_create_qp");
	qpx = ibv_qp_to_qp_ex(qp);
	mqp = mlx5dv_qp_ex_from_ibv_qp_ex(qpx);
	obj.qp.in = qp;
	obj.qp.out = &sq;
	OR_DIE(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
}

static void create_all(const char *name)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct mlx5dv_mkey_init_attr mattr = {
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = MAX_ENTRIES,
	};
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = mlx5dv_open_device(list[i], &attr);
	if (!ctx)
		die(name);
	pd = ibv_alloc_pd(ctx);
	buf = aligned_alloc(4096, BUF_SIZE);
	if (!pd || !buf)
		die("ibv_alloc_pd");
	mr = ibv_reg_mr(pd, buf, BUF_SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	cq = ibv_create_cq(ctx, 64, NULL, NULL, 0);
	mattr.pd = pd;
	mkey = mlx5dv_create_mkey(&mattr);
	if (!mr || !cq || !mkey)
		die("ibv_reg_mr, ibv_create_cq or mlx5dv_create_mkey");
	create_qp();
	connect_qp();
	for (i = 0; i < MAX_ENTRIES; i++) {
		sges[i].addr = (uintptr_t)buf + 512 * i;
		sges[i].length = 64 + i;
		sges[i].lkey = mr->lkey;
		data[i].addr = (uintptr_t)buf + 512 * i;
		data[i].bytes_count = 128 + i;
		data[i].bytes_skip = i;
		data[i].lkey = mr->lkey;
	}
}

/* ---- posting ---- */

static void wait_for(uint64_t id)
{
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc)))
		;
	errno = EIO;
	if (n < 0 || wc.status || wc.wr_id != id) {
		fprintf(stderr, "probe: completion %llu: %s\n", (unsigned long long)wc.wr_id,
			ibv_wc_status_str(wc.status));
		die("completion");
	}
}

static uint32_t posted;		/* blocks so far */

static void *post(const struct call *c, uint64_t *cost)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)((char *)sq.sq.buf +
						  posted % sq.sq.wqe_cnt * BB);
	uint64_t start = __rdtsc();

	ibv_wr_start(qpx);
	qpx->wr_id = posted;
	qpx->wr_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED;
	c->build(c->n);
	OR_DIE(ibv_wr_complete(qpx));
	*cost = __rdtsc() - start;
	wait_for(posted);
	posted += ((ntohl(ctrl->qpn_ds) & 0x3f) + 3) / 4;
	return ctrl;
}

static void record(const struct call *c)
{
	const char *end = (char *)sq.sq.buf + sq.sq.wqe_cnt * BB;
	uint64_t cost;
	unsigned char *p = post(c, &cost);
	int i, n = (p[7] & 0x3f) * 16;

	printf("wqe %s %d ", c->name, c->n);
	for (i = 0; i < n; i++, p++) {
		if ((char *)p == end)
			p = sq.sq.buf;
		printf("%02x", *p);
	}
	printf("\n");
}

static void measure(const struct call *c)
{
	uint64_t best = UINT64_MAX, none = UINT64_MAX, cost;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		cost = __rdtsc();
		cost = __rdtsc() - cost;
		none = cost < none ? cost : none;
		post(c, &cost);
		best = cost < best ? cost : best;
	}
	printf("bench %s dv %d %llu\n", c->name, c->n, (unsigned long long)(best - none));
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 3) {
		fprintf(stderr, "probe record|cost DEVICE\n");
		return 1;
	}
	create_all(argv[2]);
	if (!strcmp(argv[1], "record")) {
		printf("qpn %#x lkey %#x mkey %#x buf %p\n", qp->qp_num, mr->lkey, mkey->lkey, buf);
		for (i = 0; i < sizeof(recorded) / sizeof(*recorded); i++)
			record(&recorded[i]);
	} else {
		for (i = 0; i < sizeof(costs) / sizeof(*costs); i++)
			measure(&costs[i]);
	}
	return 0;
}
