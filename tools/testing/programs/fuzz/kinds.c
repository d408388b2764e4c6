// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Less common verbs. A thread has one object of each kind: XRC, DC, memory windows, AHs, multicast,
 * MRs of dma-bufs, mkeys, thread domains. Imports of objects by their handles, and queries.
 */
#include <string.h>

#include "fuzz.h"

#define FUZZ_DC_KEY	0x1122334455667788ull

static __thread struct {
	struct ibv_xrcd *xrcd;
	struct ibv_srq *xsrq;
	struct ibv_qp *xrc[2];
	struct ibv_qp *opened;
	struct ibv_qp *dc[2];
	struct ibv_mw *mw[2];
	struct ibv_mr *mr;
	struct ibv_mr *dmabuf_mr;
	struct ibv_ah *ah;
	struct ibv_td *td;
	struct mlx5dv_mkey *mkey;
	int dmabuf;
} k = { .dmabuf = -1 };

static void change_xrcd(struct end *e)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1,
	};

	if (!k.xrcd)
		k.xrcd = ibv_open_xrcd(e->ctx, &attr);
	else if (in_percent(10) && !ibv_close_xrcd(k.xrcd))
		k.xrcd = NULL;
}

static void change_xsrq(struct end *e)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 1 + below(64), .max_sge = 1 }, .srq_type = IBV_SRQT_XRC,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.pd = e->pd, .xrcd = k.xrcd, .cq = any_cq(),
	};

	if (!k.xsrq && attr.xrcd && attr.cq)
		k.xsrq = ibv_create_srq_ex(e->ctx, &attr);
	else if (k.xsrq && in_percent(30) && !ibv_destroy_srq(k.xsrq))
		k.xsrq = NULL;
}

static void use_qp(struct ibv_qp *qp)
{
	u8 in[BYTES(query_qp_in)] = {}, out[BYTES(query_qp_out)];
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp_init_attr init;

	SET(query_qp_in, in, opcode, MLX5_CMD_OP_QUERY_QP);
	SET(query_qp_in, in, qpn, in_percent(80) ? qp->qp_num : any_number(QP));
	switch (below(3)) {
	case 0:
		mlx5dv_devx_qp_query(qp, in, sizeof(in), out, sizeof(out));
		break;
	case 1:
		ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
		break;
	default:
		ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			      IBV_QP_ACCESS_FLAGS);
	}
}

static struct ibv_qp *create_xrc(struct end *e, bool target)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = target ? IBV_QPT_XRC_RECV : IBV_QPT_XRC_SEND,
		.send_cq = any_cq(), .recv_cq = any_cq(),
		.cap = { .max_send_wr = 1 + below(16), .max_send_sge = 1 },
		.comp_mask = target ? IBV_QP_INIT_ATTR_XRCD : IBV_QP_INIT_ATTR_PD,
		.pd = e->pd, .xrcd = k.xrcd,
	};

	if (target ? !attr.xrcd : !attr.send_cq)
		return NULL;
	return ibv_create_qp_ex(e->ctx, &attr);
}

static void change_qp(struct end *e, struct ibv_qp **qp, struct ibv_qp *(*make)(struct end *e,
										bool second))
{
	bool second = in_percent(50);

	qp += second;
	if (!*qp) {
		*qp = make(e, second);
		if (*qp)
			note_number(QP, (*qp)->qp_num);
	} else if (in_percent(70)) {
		use_qp(*qp);
	} else if (!ibv_destroy_qp(*qp)) {
		*qp = NULL;
	}
}

/* opens a second handle of an XRC target QP */
static void open_target(struct end *e)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = k.xrc[1] && in_percent(80) ? k.xrc[1]->qp_num : any_number(QP),
		.xrcd = k.xrcd, .qp_type = IBV_QPT_XRC_RECV,
	};

	if (!k.opened && attr.xrcd)
		k.opened = ibv_open_qp(e->ctx, &attr);
	else if (k.opened && in_percent(60))
		use_qp(k.opened);
	else if (k.opened && !ibv_destroy_qp(k.opened))
		k.opened = NULL;
}

static struct ibv_qp *create_dc(struct end *e, bool target)
{
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = {
			.dc_type = target ? MLX5DV_DCTYPE_DCT : MLX5DV_DCTYPE_DCI,
		},
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER, .send_cq = any_cq(), .recv_cq = any_cq(),
		.cap = { .max_send_wr = 1 + below(16), .max_send_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD, .pd = e->pd,
	};

	if (target) {
		dv.dc_init_attr.dct_access_key = FUZZ_DC_KEY;
		attr.srq = any_srq();
	} else {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE;
	}
	if (!attr.send_cq || !attr.recv_cq || (target && !attr.srq))
		return NULL;
	return mlx5dv_create_qp(e->ctx, &attr, &dv);
}

static void bind_mw(struct end *e, struct ibv_mw *mw)
{
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = k.mr, .addr = (uintptr_t)e->mem, .length = 1 + below(PAGE),
			.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
		},
	};
	struct ibv_qp *qp = any_qp();

	if (qp && k.mr && mw->type == IBV_MW_TYPE_1)
		ibv_bind_mw(qp, mw, &bind);
}

static void change_mw(struct end *e)
{
	u32 i = below(2);

	if (!k.mr)
		k.mr = ibv_reg_mr(e->pd, e->mem, MEM_BYTES, IBV_ACCESS_LOCAL_WRITE |
				  IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND);
	else if (in_percent(10) && !ibv_dereg_mr(k.mr))
		k.mr = NULL;
	if (!k.mw[i])
		k.mw[i] = ibv_alloc_mw(e->pd, i ? IBV_MW_TYPE_2 : IBV_MW_TYPE_1);
	else if (in_percent(60))
		bind_mw(e, k.mw[i]);
	else if (!ibv_dealloc_mw(k.mw[i]))
		k.mw[i] = NULL;
}

static void change_dmabuf(struct end *e)
{
	u8 *mem;

	if (k.dmabuf < 0)
		k.dmabuf = open_dmabuf(MEM_BYTES, &mem);
	if (!k.dmabuf_mr)
		k.dmabuf_mr = ibv_reg_dmabuf_mr(e->pd, below(2) * PAGE, 1 + below(MEM_BYTES),
						below(2) * PAGE, k.dmabuf, below(16));
	else if (in_percent(30))
		ibv_rereg_mr(k.dmabuf_mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, below(16));
	else if (!ibv_dereg_mr(k.dmabuf_mr))
		k.dmabuf_mr = NULL;
}

static void change_ah(struct end *e)
{
	struct ibv_ah_attr attr = {
		.is_global = in_percent(90), .port_num = 1,
		.grh = { .dgid.raw = { [10] = 0xff, 0xff, 192, 168, 77, 2 },
			 .sgid_index = below(4), .hop_limit = 64 },
	};

	if (!k.ah)
		k.ah = ibv_create_ah(e->pd, &attr);
	else if (!ibv_destroy_ah(k.ah))
		k.ah = NULL;
}

static void change_group(void)
{
	union ibv_gid group = { .raw = { [10] = 0xff, 0xff, 239, 77, 0, 1 } };
	struct ibv_qp *qp = any_qp();

	group.raw[15] = below(4);
	if (qp && in_percent(60))
		ibv_attach_mcast(qp, &group, 0);
	else if (qp)
		ibv_detach_mcast(qp, &group, 0);
}

static void change_mkey(struct end *e)
{
	struct mlx5dv_mkey_init_attr attr = {
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, .max_entries = 1 + below(16),
		.pd = e->pd,
	};

	if (!k.mkey) {
		k.mkey = mlx5dv_create_mkey(&attr);
		if (k.mkey)
			note_number(MKEY, k.mkey->lkey >> 8);
	} else if (!mlx5dv_destroy_mkey(k.mkey)) {
		k.mkey = NULL;
	}
}

/* imports a PD and an MR by random handles; other threads may own these objects */
static void import(struct end *e)
{
	struct ibv_pd *pd = ibv_import_pd(e->ctx, below(24));
	struct ibv_mr *mr = ibv_import_mr(e->pd, below(24));

	if (mr)
		ibv_unimport_mr(mr);
	if (pd)
		ibv_unimport_pd(pd);
}

static void query_any(struct end *e)
{
	struct ibv_device_attr_ex device;
	struct ibv_td_init_attr td = {};
	struct ibv_async_event event;
	struct mlx5dv_port dv = {};
	struct ibv_port_attr port;

	switch (below(5)) {
	case 0:
		mlx5dv_query_port(e->ctx, in_percent(90) ? 1 : below(4), &dv);
		break;
	case 1:
		ibv_query_device_ex(e->ctx, NULL, &device);
		break;
	case 2:
		ibv_query_port(e->ctx, in_percent(90) ? 1 : below(4), &port);
		break;
	case 3:
		if (!ibv_get_async_event(e->ctx, &event))
			ibv_ack_async_event(&event);
		break;
	default:
		if (!k.td)
			k.td = ibv_alloc_td(e->ctx, &td);
		else if (!ibv_dealloc_td(k.td))
			k.td = NULL;
	}
}

/* One random call. */
void kinds_step(struct end *e)
{
	switch (below(12)) {
	case 0:
		change_xrcd(e);
		break;
	case 1:
		change_xsrq(e);
		break;
	case 2:
		change_qp(e, k.xrc, create_xrc);
		break;
	case 3:
		open_target(e);
		break;
	case 4:
		change_qp(e, k.dc, create_dc);
		break;
	case 5:
		change_mw(e);
		break;
	case 6:
		change_dmabuf(e);
		break;
	case 7:
		change_ah(e);
		break;
	case 8:
		change_group();
		break;
	case 9:
		change_mkey(e);
		break;
	case 10:
		import(e);
		break;
	default:
		query_any(e);
	}
}
