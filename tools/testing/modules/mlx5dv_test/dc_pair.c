// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A DCI at end 1 and a DCT at end 0, in addition to the RC QPs of a pair.
 */
#include "dc_pair.h"

#define DC_OPS								\
	(IB_QP_EX_WITH_SEND | IB_QP_EX_WITH_SEND_WITH_IMM |		\
	 IB_QP_EX_WITH_RDMA_WRITE | IB_QP_EX_WITH_RDMA_WRITE_WITH_IMM |	\
	 IB_QP_EX_WITH_RDMA_READ | IB_QP_EX_WITH_ATOMIC_CMP_AND_SWP |	\
	 IB_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |				\
	 IB_QP_EX_WITH_LOCAL_INV | IB_QP_EX_WITH_SEND_WITH_INV)

/**
 * dv_create_dct() - create a DCT
 * @to: end that gets the DCT and has an SRQ
 * @key: access key
 *
 * Return: as mlx5dv_create_qp().
 */
struct ib_qp *dv_create_dct(struct t_end *to, u64 key)
{
	struct ib_qp_init_attr_ex ex = {
		.base = { .send_cq = to->rq.cq, .recv_cq = to->rq.cq, .srq = to->srq,
			  .qp_type = IB_QPT_DRIVER },
	};
	const struct mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = key },
	};

	return mlx5dv_create_qp(to->pd, &ex, &mlx5);
}

/**
 * dv_create_dci() - create a DCI that supports DC_OPS
 * @e: end of the DCI
 * @cq: CQ of sends and receives
 * @streams: streams of the DCI, or NULL
 * @len: bytes of inline data
 * @mlx5_ops: further operations, MLX5DV_QP_EX_WITH_*
 *
 * Return: as mlx5dv_create_qp().
 */
struct ib_qp *dv_create_dci(struct t_end *e, struct ib_cq *cq,
			    const struct mlx5dv_dci_streams *streams, u32 len, u64 mlx5_ops)
{
	struct ib_qp_init_attr_ex ex = {
		.base = { .send_cq = cq, .recv_cq = cq, .qp_type = IB_QPT_DRIVER,
			  .cap = { .max_send_wr = T_DEPTH, .max_send_sge = 2,
				   .max_inline_data = len } },
		.comp_mask = IB_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = DC_OPS,
	};
	struct mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI },
		.send_ops_flags = mlx5_ops,
	};

	if (streams) {
		mlx5.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
		mlx5.dc_init_attr.dci_streams = *streams;
	}
	return mlx5dv_create_qp(e->pd, &ex, &mlx5);
}

static void path_to(struct rdma_ah_attr *attr, struct t_end *e, const struct t_end *peer)
{
	memset(attr, 0, sizeof(*attr));
	attr->type = rdma_ah_find_type(e->dev, 1);
	rdma_ah_set_port_num(attr, 1);
	rdma_ah_set_grh(attr, (union ib_gid *)&peer->gid, 0, e->gid_index, 64, 0);
	memcpy(attr->roce.dmac, peer->mac, ETH_ALEN);
}

/**
 * dv_connect_dct() - move a DCT from RESET to RTR
 * @dc: ends of the DCT (@dc->to) and of the DCI that sends to it (@dc->e)
 * @dct: DCT
 * @access: IB_ACCESS_REMOTE_*
 *
 * Return: 0, or -EIO if a step fails.
 */
int dv_connect_dct(const struct dc *dc, struct ib_qp *dct, int access)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT, .port_num = 1, .qp_access_flags = access,
	};

	T_EXPECT(dct->qp_num, 0);
	T_TRY(ib_modify_qp(dct, &attr,
			   IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS));
	attr.qp_state = IB_QPS_RTR;
	attr.path_mtu = IB_MTU_1024;
	attr.min_rnr_timer = 12;
	path_to(&attr.ah_attr, dc->to, dc->e);
	T_TRY(ib_modify_qp(dct, &attr,
			   IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_MIN_RNR_TIMER));
	T_EXPECT(dct->qp_num > 0, 1);
	return 0;
}

/**
 * dv_connect_dci() - move a DCI from RESET to RTS
 * @dci: DCI
 * @rd_atomic: maximum number of outstanding READs and atomics
 *
 * Return: result of ib_modify_qp() to RTS, or -EIO if an earlier step fails.
 */
int dv_connect_dci(struct ib_qp *dci, u8 rd_atomic)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1 };

	T_TRY(ib_modify_qp(dci, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT));
	attr.qp_state = IB_QPS_RTR;
	attr.path_mtu = IB_MTU_1024;
	T_TRY(ib_modify_qp(dci, &attr, IB_QP_STATE | IB_QP_PATH_MTU));
	attr.qp_state = IB_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 1;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = rd_atomic;
	return ib_modify_qp(dci, &attr,
			    IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			    IB_QP_MAX_QP_RD_ATOMIC | IB_QP_SQ_PSN);
}

/**
 * dv_dc_state() - query the state of a QP
 * @qp: any QP
 *
 * Return: IB_QPS_*, or a negative errno.
 */
int dv_dc_state(struct ib_qp *qp)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int ret = ib_query_qp(qp, &attr, IB_QP_STATE, &init);

	return ret ? ret : attr.qp_state;
}

/**
 * dv_dc_close() - destroy the DCI, DCT and AH that exist
 * @dc: DCI and DCT
 */
void dv_dc_close(struct dc *dc)
{
	if (!IS_ERR_OR_NULL(dc->ah))
		rdma_destroy_ah(dc->ah, RDMA_DESTROY_AH_SLEEPABLE);
	if (!IS_ERR_OR_NULL(dc->dci))
		mlx5dv_destroy_qp(dc->dci);
	if (!IS_ERR_OR_NULL(dc->dct))
		mlx5dv_destroy_qp(dc->dct);
}

static int dc_create(struct dc *dc, struct t_pair *p, const struct mlx5dv_dci_streams *streams)
{
	struct rdma_ah_attr attr;

	dc->p = p;
	dc->to = &p->end[0];
	dc->e = &p->end[1];
	dc->dct = dv_create_dct(dc->to, DV_DC_KEY);
	dc->dci = dv_create_dci(dc->e, dc->e->sq.cq, streams, 60, MLX5DV_QP_EX_WITH_MEMCPY);
	path_to(&attr, dc->e, dc->to);
	dc->ah = rdma_create_ah(dc->e->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(dc->dct) || IS_ERR(dc->dci) || IS_ERR(dc->ah))
		return T_FAIL("no DCT, DCI or AH: %ld %ld %ld", PTR_ERR(dc->dct),
			      PTR_ERR(dc->dci), PTR_ERR(dc->ah));
	return 0;
}

/**
 * dv_dc_open() - create and connect a DCI and a DCT
 * @dc: zeroed
 * @p: pair, whose end 0 has an SRQ
 * @streams: streams of the DCI, or NULL
 * @access: IB_ACCESS_REMOTE_* of the DCT
 *
 * Return: 0 or a negative errno.
 */
int dv_dc_open(struct dc *dc, struct t_pair *p, const struct mlx5dv_dci_streams *streams,
	       int access)
{
	T_TRY(dc_create(dc, p, streams));
	T_TRY(dv_connect_dct(dc, dc->dct, access));
	T_TRY(dv_connect_dci(dc->dci, 1));
	T_TRY(t_open(p, DV_REMOTE_RW | IB_ACCESS_REMOTE_ATOMIC));
	t_clear_counts(&dc->to->sq);
	return 0;
}

/**
 * dv_dc_with() - call a function with a connected DCI and DCT, which are destroyed afterwards
 * @p: pair, whose end 0 has an SRQ
 * @streams: streams of the DCI, or NULL
 * @run: the function
 *
 * Return: the result of @run, or a negative errno.
 */
int dv_dc_with(struct t_pair *p, const struct mlx5dv_dci_streams *streams,
	       int (*run)(struct dc *dc))
{
	struct dc dc = {};
	int ret;

	ret = dv_dc_open(&dc, p, streams, DV_REMOTE_RW | IB_ACCESS_REMOTE_ATOMIC);
	if (!ret)
		ret = run(&dc);
	dv_dc_close(&dc);
	return ret;
}

/**
 * dv_dc_run() - run a case with a DCI and a DCT
 * @p: pair of the case, whose @arg is a struct dv_dc_case
 *
 * Return: as dv_dc_with().
 */
int dv_dc_run(struct t_pair *p)
{
	const struct dv_dc_case *c = p->arg;

	return dv_dc_with(p, c->streams, c->run);
}
