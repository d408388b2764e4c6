// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The objects for the work requests of probe.c. If an object cannot be created, the program ends.
 * On a device without signatures or encryption, the program omits the objects that need these and
 * prints a line.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ends.h"

#define BUF_AT		((void *)0x700000000000)	/* the same in every recording */
#define RECV_AT		(BUF_SIZE / 2)
#define RECV_SIZE	4096
#define RECEIVES	4
#define ALL_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | \
			 IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)
#define SEND_OPS	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define RDMA_OPS	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
			 IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | \
			 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
#define RC_OPS		(SEND_OPS | RDMA_OPS | IBV_QP_EX_WITH_SEND_WITH_INV | \
			 IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW)
#define RC_DV_OPS	(MLX5DV_QP_EX_WITH_MKEY_CONFIGURE | MLX5DV_QP_EX_WITH_MR_LIST | \
			 MLX5DV_QP_EX_WITH_MR_INTERLEAVED | MLX5DV_QP_EX_WITH_MEMCPY | \
			 MLX5DV_QP_EX_WITH_RAW_WQE)

void die(const char *what)
{
	fprintf(stderr, "probe: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void open_device(struct ends *e, const char *name)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			e->ctx = mlx5dv_open_device(list[i], &attr);
	if (!e->ctx)
		die(name);
}

static void left_out(const char *what)
{
	fprintf(stderr, "probe: the device has no %s: its calls are left out\n", what);
}

/* Does the device support signatures and encryption? */
static void find_caps(struct ends *e, bool *sig, bool *crypto)
{
	struct mlx5dv_context dv = {
		.comp_mask = MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD |
			     MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD,
	};

	OR_DIE(mlx5dv_query_device(e->ctx, &dv));
	*sig = dv.comp_mask & MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD && dv.sig_caps.block_prot;
	*crypto = dv.comp_mask & MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD &&
		  dv.crypto_caps.crypto_engines;
	if (*crypto && dv.crypto_caps.wrapped_import_method &
		       MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS) {
		left_out("encryption with keys in plaintext");
		*crypto = false;
	} else if (!*crypto) {
		left_out("encryption");
	}
	if (!*sig)
		left_out("signatures");
}

static void create_crypto(struct ends *e, bool sig)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = e->pd, .max_entries = MAX_ENTRIES,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO,
	};
	struct mlx5dv_dek_init_attr dek = {
		.key_size = MLX5DV_CRYPTO_KEY_SIZE_128, .has_keytag = true, .pd = e->pd,
		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
		.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN,
	};

	memcpy(dek.key, "0123456789abcdefFEDCBA9876543210keytag!", 40);
	e->dek = mlx5dv_dek_create(e->ctx, &dek);
	if (!e->dek)
		die("mlx5dv_dek_create");
	e->crypto = mlx5dv_create_mkey(&attr);
	if (!e->crypto)
		die("mlx5dv_create_mkey with encryption");
	if (!sig)
		return;
	attr.max_entries = MAX_ENTRIES;
	attr.create_flags |= MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE;
	e->both = mlx5dv_create_mkey(&attr);
	if (!e->both)
		die("mlx5dv_create_mkey with encryption and signatures");
}

static void create_memory(struct ends *e)
{
	struct mlx5dv_mkey_init_attr attr = {
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = MAX_ENTRIES,
	};
	bool sig, crypto;
	int i;

	e->buf = mmap(BUF_AT, BUF_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (e->buf == MAP_FAILED)
		die("mmap");
	for (i = 0; i < BUF_SIZE; i++)
		e->buf[i] = i * 7 + 1;
	e->pd = ibv_alloc_pd(e->ctx);
	if (!e->pd)
		die("ibv_alloc_pd");
	e->mr = ibv_reg_mr(e->pd, e->buf, BUF_SIZE, ALL_ACCESS | IBV_ACCESS_MW_BIND);
	e->mw = ibv_alloc_mw(e->pd, IBV_MW_TYPE_2);
	attr.pd = e->pd;
	e->mkey = mlx5dv_create_mkey(&attr);
	if (!e->mr || !e->mw || !e->mkey)
		die("ibv_reg_mr, ibv_alloc_mw or mlx5dv_create_mkey");
	find_caps(e, &sig, &crypto);
	if (sig) {
		attr.max_entries = MAX_ENTRIES;
		attr.create_flags |= MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE;
		e->sig = mlx5dv_create_mkey(&attr);
		if (!e->sig)
			die("mlx5dv_create_mkey with signatures");
	}
	if (crypto)
		create_crypto(e, sig);
}

static void receive(struct ends *e)
{
	struct ibv_sge sge = { (uintptr_t)e->buf + RECV_AT, RECV_SIZE, e->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	OR_DIE(ibv_post_srq_recv(e->srq, &wr, &bad));
}

static void create_queues(struct ends *e)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = RECEIVES, .max_sge = 1 } };
	int i;

	e->cq = ibv_create_cq(e->ctx, 64, NULL, NULL, 0);
	e->rcq = ibv_create_cq(e->ctx, 64, NULL, NULL, 0);
	e->srq = ibv_create_srq(e->pd, &attr);
	if (!e->cq || !e->rcq || !e->srq)
		die("ibv_create_cq or ibv_create_srq");
	for (i = 0; i < RECEIVES; i++)
		receive(e);
}

/* finds a GID of RoCE v2 that is a v4-mapped address */
static void find_gid(struct ends *e, union ibv_gid *gid)
{
	struct ibv_gid_entry g;
	int i;

	for (i = 0; i < 256; i++) {
		if (ibv_query_gid_ex(e->ctx, 1, i, &g, 0) || g.gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    g.gid.global.subnet_prefix)
			continue;
		*gid = g.gid;
		e->sgid_index = i;
		return;
	}
	errno = ENOENT;
	die("GID");
}

static struct ibv_ah_attr address(struct ends *e)
{
	struct ibv_ah_attr a = {
		.is_global = 1, .port_num = 1, .sl = 3,
		.grh = { .hop_limit = 64, .traffic_class = 0x20, .flow_label = 0x12345 },
	};

	find_gid(e, &a.grh.dgid);
	a.grh.sgid_index = e->sgid_index;
	return a;
}

/*
 * @ops: IBV_QP_EX_WITH_ flags of the operations that the QP must support
 * @dv: contains the DC type if @type is IBV_QPT_DRIVER (DCI or DCT)
 */
static struct ibv_qp *create_qp(struct ends *e, enum ibv_qp_type type, uint64_t ops,
				struct mlx5dv_qp_init_attr *dv)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = type, .send_cq = e->cq, .recv_cq = e->rcq, .pd = e->pd,
		.cap = { .max_send_wr = 8, .max_send_sge = 4,
			 .max_inline_data = type == IBV_QPT_RC ? MAX_ENTRIES * 16 : 64 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
	};
	struct ibv_qp *qp;

	if (ops) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = ops;
		dv->comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS;
		dv->create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE;
	}
	if (dv->dc_init_attr.dc_type != MLX5DV_DCTYPE_DCI)
		attr.srq = e->srq;
	qp = mlx5dv_create_qp(e->ctx, &attr, dv);
	if (!qp)
		die("mlx5dv_create_qp");
	return qp;
}

static void create_end(struct ends *e, struct end *end, enum ibv_qp_type type, uint64_t ops,
		       struct mlx5dv_qp_init_attr *dv)
{
	struct mlx5dv_obj obj = {};

	end->qp = create_qp(e, type, ops, dv);
	end->qpx = ibv_qp_to_qp_ex(end->qp);
	end->mqp = mlx5dv_qp_ex_from_ibv_qp_ex(end->qpx);
	obj.qp.in = end->qp;
	obj.qp.out = &end->dv;
	OR_DIE(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
}

/* modifies a QP to INIT; @mask: attributes that QPs of this type have */
static void to_init(struct ibv_qp *qp, int mask)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY,
		.qp_access_flags = ALL_ACCESS & ~IBV_ACCESS_LOCAL_WRITE,
	};

	OR_DIE(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | mask));
}

static void to_rtr(struct ends *e, struct ibv_qp *qp, int mask)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = qp->qp_num,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 12, .ah_attr = address(e),
	};

	OR_DIE(ibv_modify_qp(qp, &a, IBV_QP_STATE | mask));
}

static void to_rts(struct ibv_qp *qp, int mask)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS, .timeout = 17, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = 1,
	};

	OR_DIE(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | mask));
}

#define RETRY_MASK	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | \
			 IBV_QP_MAX_QP_RD_ATOMIC)

static void create_rc(struct ends *e)
{
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = RC_DV_OPS,
	};

	create_end(e, &e->rc, IBV_QPT_RC, RC_OPS, &dv);
	to_init(e->rc.qp, IBV_QP_ACCESS_FLAGS);
	to_rtr(e, e->rc.qp, IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
	       IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	to_rts(e->rc.qp, RETRY_MASK);
}

static void create_ud(struct ends *e)
{
	struct mlx5dv_qp_init_attr dv = {};

	create_end(e, &e->ud, IBV_QPT_UD, SEND_OPS, &dv);
	to_init(e->ud.qp, IBV_QP_QKEY);
	to_rtr(e, e->ud.qp, 0);
	to_rts(e->ud.qp, 0);
}

static void create_dc(struct ends *e)
{
	struct mlx5dv_qp_init_attr dci = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS |
			     MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI,
				  .dci_streams = { .log_num_concurent = 2 } },
		.send_ops_flags = MLX5DV_QP_EX_WITH_MEMCPY,
	};
	struct mlx5dv_qp_init_attr dct = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = DC_KEY },
	};

	e->dct = create_qp(e, IBV_QPT_DRIVER, 0, &dct);
	to_init(e->dct, IBV_QP_ACCESS_FLAGS);
	to_rtr(e, e->dct, IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER);
	create_end(e, &e->dci, IBV_QPT_DRIVER, SEND_OPS | RDMA_OPS, &dci);
	to_init(e->dci.qp, 0);
	to_rtr(e, e->dci.qp, IBV_QP_PATH_MTU);
	to_rts(e->dci.qp, RETRY_MASK);
}

/* Creates all objects on the device with the name @device, and connects the QPs. */
void ends_create(struct ends *e, const char *device)
{
	struct ibv_ah_attr to;

	open_device(e, device);
	create_memory(e);
	create_queues(e);
	to = address(e);
	e->ah = ibv_create_ah(e->pd, &to);
	if (!e->ah)
		die("ibv_create_ah");
	create_rc(e);
	create_ud(e);
	create_dc(e);
}

/*
 * Waits for a completion with success. If @of is the CQ of receives, posts the
 * next receive.
 */
void ends_wait(struct ends *e, struct ibv_cq *of, uint64_t id)
{
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(of, 1, &wc)))
		;
	errno = EIO;
	if (n < 0 || wc.status || (of == e->cq && wc.wr_id != id)) {
		fprintf(stderr, "probe: completion %llu: %s\n", (unsigned long long)wc.wr_id,
			ibv_wc_status_str(wc.status));
		die("completion");
	}
	if (of == e->rcq)
		receive(e);
}
