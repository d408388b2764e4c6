// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Firmware commands of the kernel: <rdma/mlx5dv_devx.h>.
 */
#include <linux/mlx5/device.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/slab.h>

#include "dv.h"

#define QUERIES		32
#define BIG		65000
#define BIG_ANSWERS	16	/* 16 responses have less than 1 MiB */

struct devx_run {
	struct t_pair *p;
	struct mlx5dv_devx_ctx *ctx;
};

/* runs a case with a new DEVX context on the first device */
static int with_ctx(struct t_pair *p, int (*run)(struct devx_run *r))
{
	struct devx_run r = { .p = p, .ctx = mlx5dv_devx_open(p->end[0].dev) };
	int ret;

	if (IS_ERR(r.ctx))
		return T_FAIL("no context: %ld", PTR_ERR(r.ctx));
	ret = run(&r);
	mlx5dv_devx_close(r.ctx);
	return ret;
}

struct async_run;

/* @async: called by with_comp() */
struct ctx_case {
	int (*run)(struct devx_run *r);
	int (*async)(struct async_run *a);
};

static int run_ctx(struct t_pair *p)
{
	return with_ctx(p, ((const struct ctx_case *)p->arg)->run);
}

/* entry of the table of cases, for the function @name */
#define DV_CTX(name)	{ #name, run_ctx, .arg = &(const struct ctx_case){ name } }

static struct mlx5dv_devx_obj *create_plain(struct mlx5dv_devx_ctx *ctx, u16 opcode, u32 *nr)
{
	u32 out[MLX5_ST_SZ_DW(alloc_pd_out)], in[MLX5_ST_SZ_DW(alloc_pd_in)] = {};
	struct mlx5dv_devx_obj *obj;

	MLX5_SET(alloc_pd_in, in, opcode, opcode);
	obj = mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out));
	*nr = MLX5_GET(alloc_pd_out, out, pd);
	return obj;
}

static struct mlx5dv_devx_obj *create_psv(struct mlx5dv_devx_ctx *ctx, u32 pdn, u32 *out)
{
	u32 in[MLX5_ST_SZ_DW(create_psv_in)] = {};

	MLX5_SET(create_psv_in, in, opcode, MLX5_CMD_OP_CREATE_PSV);
	MLX5_SET(create_psv_in, in, pd, pdn);
	MLX5_SET(create_psv_in, in, num_psv, 1);
	return mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, MLX5_ST_SZ_BYTES(create_psv_out));
}

static void fill_query(u32 *in, u32 set)
{
	memset(in, 0, MLX5_ST_SZ_BYTES(query_q_counter_in));
	MLX5_SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_QUERY_Q_COUNTER);
	MLX5_SET(query_q_counter_in, in, counter_set_id, set);
}

static int devx_objects(struct devx_run *r)
{
	static const u16 ops[] = {
		MLX5_CMD_OP_ALLOC_PD, MLX5_CMD_OP_ALLOC_TRANSPORT_DOMAIN, MLX5_CMD_OP_ALLOC_XRCD,
		MLX5_CMD_OP_ALLOC_Q_COUNTER,
	};
	u32 in[MLX5_ST_SZ_DW(query_q_counter_in)], out[MLX5_ST_SZ_DW(query_q_counter_out)];
	struct mlx5dv_devx_obj *obj[ARRAY_SIZE(ops)], *psv;
	u32 nr[ARRAY_SIZE(ops)], psv_out[MLX5_ST_SZ_DW(create_psv_out)];
	int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		obj[i] = create_plain(r->ctx, ops[i], &nr[i]);
		T_EXPECT(PTR_ERR_OR_ZERO(obj[i]), 0);
	}
	psv = create_psv(r->ctx, nr[0], psv_out);
	T_EXPECT(PTR_ERR_OR_ZERO(psv), 0);
	fill_query(in, nr[3]);
	T_EXPECT(mlx5dv_devx_obj_query(obj[3], in, sizeof(in), out, sizeof(out)), 0);
	T_EXPECT(mlx5dv_devx_obj_destroy(psv), 0);
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		T_EXPECT(mlx5dv_devx_obj_destroy(obj[i]), 0);
	return 0;
}

/* creates an RMP whose ring is in the buffer of end 0, given by bus addresses */
static struct mlx5dv_devx_obj *create_rmp(struct devx_run *r, u32 pdn, u32 *nr)
{
	u32 in[MLX5_ST_SZ_DW(create_rmp_in) + 2] = {}, out[MLX5_ST_SZ_DW(create_rmp_out)];
	void *rmpc = MLX5_ADDR_OF(create_rmp_in, in, ctx), *wq = MLX5_ADDR_OF(rmpc, rmpc, wq);
	struct mlx5dv_devx_obj *rmp;

	MLX5_SET(create_rmp_in, in, opcode, MLX5_CMD_OP_CREATE_RMP);
	MLX5_SET(rmpc, rmpc, state, MLX5_RMPC_STATE_RDY);
	MLX5_SET(wq, wq, wq_type, MLX5_WQ_TYPE_LINKED_LIST);
	MLX5_SET(wq, wq, pd, pdn);
	MLX5_SET64(wq, wq, dbr_addr, r->p->end[0].dma + PAGE_SIZE);
	MLX5_SET(wq, wq, log_wq_stride, 6);
	MLX5_SET(wq, wq, log_wq_sz, 5);
	*(__be64 *)MLX5_ADDR_OF(wq, wq, pas) = cpu_to_be64(r->p->end[0].dma);
	rmp = mlx5dv_devx_obj_create(r->ctx, in, sizeof(in), out, sizeof(out));
	*nr = MLX5_GET(create_rmp_out, out, rmpn);
	return rmp;
}

static int devx_modify(struct devx_run *r)
{
	const size_t inlen = MLX5_ST_SZ_BYTES(modify_rmp_in);
	u32 out[MLX5_ST_SZ_DW(modify_rmp_out)];
	struct mlx5dv_devx_obj *pd, *rmp;
	u32 pdn, rmpn;
	void *rmpc;
	u32 *in;

	pd = create_plain(r->ctx, MLX5_CMD_OP_ALLOC_PD, &pdn);
	T_EXPECT(PTR_ERR_OR_ZERO(pd), 0);
	rmp = create_rmp(r, pdn, &rmpn);
	T_EXPECT(PTR_ERR_OR_ZERO(rmp), 0);
	in = kzalloc(inlen, GFP_KERNEL);
	T_EXPECT(!in, 0);
	MLX5_SET(modify_rmp_in, in, opcode, MLX5_CMD_OP_MODIFY_RMP);
	MLX5_SET(modify_rmp_in, in, rmp_state, MLX5_RMPC_STATE_RDY);
	MLX5_SET(modify_rmp_in, in, rmpn, rmpn);
	MLX5_SET(modify_rmp_in, in, bitmask.lwm, 1);
	rmpc = MLX5_ADDR_OF(modify_rmp_in, in, ctx);
	MLX5_SET(rmpc, rmpc, state, MLX5_RMPC_STATE_RDY);
	MLX5_SET(rmpc, rmpc, wq.lwm, 3);
	T_EXPECT(mlx5dv_devx_obj_modify(rmp, in, inlen, out, sizeof(out)), 0);
	T_EXPECT(mlx5dv_devx_obj_modify(pd, in, inlen, out, sizeof(out)), -EINVAL);
	MLX5_SET(modify_rmp_in, in, rmpn, rmpn + 1);
	T_EXPECT(mlx5dv_devx_obj_modify(rmp, in, inlen, out, sizeof(out)), -EINVAL);
	kfree(in);
	T_EXPECT(mlx5dv_devx_obj_destroy(rmp), 0);
	T_EXPECT(mlx5dv_devx_obj_destroy(pd), 0);
	return 0;
}

static int devx_general(struct devx_run *r)
{
	u32 in[MLX5_ST_SZ_DW(query_hca_cap_in)] = {};
	const size_t len = MLX5_ST_SZ_BYTES(query_hca_cap_out);
	u32 *out = kzalloc(len, GFP_KERNEL);
	u32 log;

	T_EXPECT(!out, 0);
	MLX5_SET(query_hca_cap_in, in, opcode, MLX5_CMD_OP_QUERY_HCA_CAP);
	MLX5_SET(query_hca_cap_in, in, op_mod, 1);
	T_EXPECT(mlx5dv_devx_general_cmd(r->ctx, in, sizeof(in), out, len), 0);
	log = MLX5_GET(query_hca_cap_out, out, capability.cmd_hca_cap.log_max_uctx);
	kfree(out);
	T_EXPECT(!log, 0);
	return 0;
}

/*
 * The driver issues each command of the general ranges. The device does not support these commands,
 * and returns the status BAD_OP.
 */
static int devx_general_range(struct devx_run *r)
{
	static const u16 ops[] = { 0xb00, 0xb7f, 0xc00, 0xcff };
	u32 in[4] = {}, out[8];
	int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		MLX5_SET(general_obj_in_cmd_hdr, in, opcode, ops[i]);
		memset(out, 0, sizeof(out));
		T_EXPECT(mlx5dv_devx_general_cmd(r->ctx, in, sizeof(in), out, sizeof(out)),
			 -EREMOTEIO);
		T_EXPECT(MLX5_GET(general_obj_out_cmd_hdr, out, status), MLX5_CMD_STAT_BAD_OP_ERR);
	}
	MLX5_SET(general_obj_in_cmd_hdr, in, opcode, 0xaff);
	T_EXPECT(mlx5dv_devx_general_cmd(r->ctx, in, sizeof(in), out, sizeof(out)), -EINVAL);
	MLX5_SET(general_obj_in_cmd_hdr, in, opcode, 0xd00);
	T_EXPECT(mlx5dv_devx_general_cmd(r->ctx, in, sizeof(in), out, sizeof(out)), -EINVAL);
	return 0;
}

/* calls that the driver refuses without a command */
static int devx_refused(struct devx_run *r)
{
	static const u16 ops[] = { 0, MLX5_CMD_OP_CREATE_EQ, MLX5_CMD_OP_DESTROY_QP,
				   MLX5_CMD_OP_ENABLE_HCA, 0xffff };
	static const struct { size_t in, out; } lens[] = {
		{ 0, 112 }, { 15, 112 }, { 16, 0 }, { 16, 15 }, { 65536, 112 }, { 16, 65536 },
	};
	u32 in[32] = {}, out[32];
	struct mlx5dv_devx_obj *pd;
	u32 pdn;
	int i;

	pd = create_plain(r->ctx, MLX5_CMD_OP_ALLOC_PD, &pdn);
	T_EXPECT(PTR_ERR_OR_ZERO(pd), 0);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		MLX5_SET(alloc_pd_in, in, opcode, ops[i]);
		T_EXPECT(PTR_ERR(mlx5dv_devx_obj_create(r->ctx, in, 32, out, 32)), -EINVAL);
		T_EXPECT(mlx5dv_devx_general_cmd(r->ctx, in, 32, out, 32), -EINVAL);
		T_EXPECT(mlx5dv_devx_obj_query(pd, in, 32, out, 32), -EINVAL);
		T_EXPECT(mlx5dv_devx_obj_modify(pd, in, 32, out, 32), -EINVAL);
	}
	MLX5_SET(query_issi_in, in, opcode, MLX5_CMD_OP_QUERY_ISSI);
	for (i = 0; i < ARRAY_SIZE(lens); i++)
		T_EXPECT(mlx5dv_devx_general_cmd(r->ctx, in, lens[i].in, out, lens[i].out),
			 -EINVAL);
	/* a query of another object, of a type that is not the type of @pd */
	fill_query(in, pdn);
	T_EXPECT(mlx5dv_devx_obj_query(pd, in, 32, out, 32), -EINVAL);
	T_EXPECT(mlx5dv_devx_obj_destroy(pd), 0);
	return 0;
}

/* the PD of another context cannot be used: the device refuses the command with a status */
static int devx_isolated(struct devx_run *r)
{
	struct mlx5dv_devx_ctx *other = mlx5dv_devx_open(r->p->end[0].dev);
	u32 out[MLX5_ST_SZ_DW(create_psv_out)], pdn;
	struct mlx5dv_devx_obj *pd, *psv;

	T_EXPECT(PTR_ERR_OR_ZERO(other), 0);
	pd = create_plain(other, MLX5_CMD_OP_ALLOC_PD, &pdn);
	T_EXPECT(PTR_ERR_OR_ZERO(pd), 0);
	psv = create_psv(r->ctx, pdn, out);
	T_EXPECT(PTR_ERR_OR_ZERO(psv), -EREMOTEIO);
	T_EXPECT(MLX5_GET(create_psv_out, out, status), MLX5_CMD_STAT_BAD_RES_ERR);
	T_EXPECT(mlx5dv_devx_obj_destroy(pd), 0);
	mlx5dv_devx_close(other);
	return 0;
}

static int devx_in_use(struct devx_run *r)
{
	u32 out[MLX5_ST_SZ_DW(create_psv_out)], pdn;
	struct mlx5dv_devx_obj *pd, *psv;

	pd = create_plain(r->ctx, MLX5_CMD_OP_ALLOC_PD, &pdn);
	T_EXPECT(PTR_ERR_OR_ZERO(pd), 0);
	psv = create_psv(r->ctx, pdn, out);
	T_EXPECT(PTR_ERR_OR_ZERO(psv), 0);
	T_EXPECT(mlx5dv_devx_obj_destroy(pd), -EBUSY);
	T_EXPECT(mlx5dv_devx_obj_destroy(psv), 0);
	T_EXPECT(mlx5dv_devx_obj_destroy(pd), 0);
	return 0;
}

/* ---- queries that do not wait ---- */

struct async_run {
	struct devx_run *r;
	struct mlx5dv_devx_cmd_comp *comp;
	struct mlx5dv_devx_obj *set;
	struct mlx5dv_devx_async_cmd_hdr *resp;
	u32 nr;
};

static int with_comp(struct devx_run *r)
{
	const struct ctx_case *c = r->p->arg;
	struct async_run a = { .r = r };
	int ret;

	a.set = create_plain(r->ctx, MLX5_CMD_OP_ALLOC_Q_COUNTER, &a.nr);
	T_EXPECT(PTR_ERR_OR_ZERO(a.set), 0);
	a.comp = mlx5dv_devx_create_cmd_comp(r->ctx);
	T_EXPECT(PTR_ERR_OR_ZERO(a.comp), 0);
	a.resp = kvzalloc(sizeof(*a.resp) + BIG, GFP_KERNEL);
	T_EXPECT(!a.resp, 0);
	ret = c->async(&a);
	mlx5dv_devx_destroy_cmd_comp(a.comp);
	kvfree(a.resp);
	T_EXPECT(mlx5dv_devx_obj_destroy(a.set), 0);
	return ret;
}

/* entry of the table of cases, for the function @name */
#define DV_COMP(name)	{ #name, run_ctx, .arg = &(const struct ctx_case){ with_comp, name } }

static int send_query(struct async_run *a, u64 wr_id, size_t outlen)
{
	u32 in[MLX5_ST_SZ_DW(query_q_counter_in)];

	fill_query(in, a->nr);
	return mlx5dv_devx_obj_query_async(a->set, in, sizeof(in), outlen, wr_id, a->comp);
}

static int devx_async(struct async_run *a)
{
	const size_t len = MLX5_ST_SZ_BYTES(query_q_counter_out);
	u32 in[MLX5_ST_SZ_DW(query_q_counter_in)];
	u64 seen = 0;
	int i;

	for (i = 0; i < QUERIES; i++)
		T_EXPECT(send_query(a, 1000 + i, len), 0);
	/* a buffer that is too small for the first response: the response stays queued */
	T_EXPECT(mlx5dv_devx_get_async_cmd_comp(a->comp, a->resp, sizeof(*a->resp) + len - 1),
		 -ENOSPC);
	for (i = 0; i < QUERIES; i++) {
		T_EXPECT(mlx5dv_devx_get_async_cmd_comp(a->comp, a->resp,
							sizeof(*a->resp) + len), 0);
		T_EXPECT(MLX5_GET(query_q_counter_out, a->resp->out_data, status), 0);
		T_EXPECT(a->resp->wr_id - 1000 < QUERIES, 1);
		seen |= BIT_ULL(a->resp->wr_id - 1000);
	}
	T_EXPECT(seen == GENMASK_ULL(QUERIES - 1, 0), 1);
	/* a command about another object, and a command that is no query */
	fill_query(in, a->nr + 1);
	T_EXPECT(mlx5dv_devx_obj_query_async(a->set, in, sizeof(in), len, 0, a->comp), -EINVAL);
	MLX5_SET(alloc_pd_in, in, opcode, MLX5_CMD_OP_ALLOC_PD);
	T_EXPECT(mlx5dv_devx_obj_query_async(a->set, in, sizeof(in), len, 0, a->comp), -EINVAL);
	return 0;
}

/*
 * responses of more than 1 MiB: further queries are refused until some
 * responses are fetched
 */
static int devx_overflow(struct async_run *a)
{
	int i;

	for (i = 0; i < BIG_ANSWERS; i++)
		T_EXPECT(send_query(a, i, BIG), 0);
	T_EXPECT(send_query(a, i, BIG), -EAGAIN);
	T_EXPECT(mlx5dv_devx_get_async_cmd_comp(a->comp, a->resp, sizeof(*a->resp) + BIG), 0);
	T_EXPECT(send_query(a, i, BIG), 0);
	T_EXPECT(send_query(a, i, BIG), -EAGAIN);
	/*
	 * destroying the channel drops the other responses, some before they
	 * arrive
	 */
	return 0;
}

/* the device refuses the query: the response contains the status */
static int devx_refused_query(struct async_run *a)
{
	T_EXPECT(send_query(a, 7, 16), 0);
	T_EXPECT(mlx5dv_devx_get_async_cmd_comp(a->comp, a->resp, sizeof(*a->resp) + 16), 0);
	T_EXPECT(a->resp->wr_id, 7);
	T_EXPECT(MLX5_GET(query_q_counter_out, a->resp->out_data, status),
		 MLX5_CMD_STAT_BAD_OUTP_LEN_ERR);
	return 0;
}

/* a query of an object in one context cannot use the channel of another context */
static int devx_foreign_comp(struct devx_run *r)
{
	struct mlx5dv_devx_ctx *other = mlx5dv_devx_open(r->p->end[0].dev);
	u32 in[MLX5_ST_SZ_DW(query_q_counter_in)], nr;
	struct mlx5dv_devx_cmd_comp *comp;
	struct mlx5dv_devx_obj *set;

	T_EXPECT(PTR_ERR_OR_ZERO(other), 0);
	comp = mlx5dv_devx_create_cmd_comp(other);
	T_EXPECT(PTR_ERR_OR_ZERO(comp), 0);
	set = create_plain(r->ctx, MLX5_CMD_OP_ALLOC_Q_COUNTER, &nr);
	T_EXPECT(PTR_ERR_OR_ZERO(set), 0);
	fill_query(in, nr);
	T_EXPECT(mlx5dv_devx_obj_query_async(set, in, sizeof(in), 256, 0, comp), -EINVAL);
	T_EXPECT(mlx5dv_devx_obj_destroy(set), 0);
	mlx5dv_devx_destroy_cmd_comp(comp);
	mlx5dv_devx_close(other);
	return 0;
}

const struct t_case dv_devx_cases[] = {
	DV_CTX(devx_objects),
	DV_CTX(devx_modify),
	DV_CTX(devx_general),
	DV_CTX(devx_general_range),
	DV_CTX(devx_refused),
	DV_CTX(devx_isolated),
	DV_CTX(devx_in_use),
	DV_COMP(devx_async),
	DV_COMP(devx_overflow),
	DV_COMP(devx_refused_query),
	DV_CTX(devx_foreign_comp),
	{ }
};
