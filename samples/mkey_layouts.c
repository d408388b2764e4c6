// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Example of <rdma/mlx5dv.h>: a port of the examples of mlx5dv_wr_mkey_configure(3),
 * line by line. The manual page registers memory. Here the caller passes addresses and
 * the lkey of memory, such as pd->local_dma_lkey for memory that is mapped for DMA.
 */
#include "mkey_layouts.h"

#define MY_WR_ID_1	1
#define MY_WR_ID_2	2

/**
 * mkey_layouts_qp() - create a QP that can configure mkeys
 * @pd: PD of the QP
 * @cq: send and receive CQ of the QP
 *
 * Context: process context, may sleep.
 * Return: the QP in RESET, to be connected like any RC QP; or ERR_PTR().
 */
struct ib_qp *mkey_layouts_qp(struct ib_pd *pd, struct ib_cq *cq)
{
	struct ib_qp_init_attr_ex attr_ex = {
		.base = {
			.qp_type = IB_QPT_RC,
			.send_cq = cq,
			.recv_cq = cq,
			.cap = { .max_send_wr = 16, .max_recv_wr = 16,
				 .max_send_sge = 1, .max_recv_sge = 1 },
		},
	};
	struct mlx5dv_qp_init_attr attr_dv = {};

	attr_ex.comp_mask |= IB_QP_INIT_ATTR_SEND_OPS_FLAGS;
	attr_ex.send_ops_flags |= IB_QP_EX_WITH_RDMA_WRITE;

	attr_dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
	attr_dv.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE;

	return mlx5dv_create_qp(pd, &attr_ex, &attr_dv);
}

/**
 * mkey_layouts_mkey() - create an mkey for layouts of up to 4 entries
 * @pd: PD of the mkey
 *
 * Context: process context, may sleep.
 * Return: the mkey, or ERR_PTR().
 */
struct mlx5dv_mkey *mkey_layouts_mkey(struct ib_pd *pd)
{
	struct mlx5dv_mkey_init_attr mkey_attr = { .pd = pd, .max_entries = 4 };

	mkey_attr.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT;
	return mlx5dv_create_mkey(&mkey_attr);
}

/**
 * mkey_layouts_list() - join 64 bytes of one piece of memory and 4096 of another
 * @qp: QP of mkey_layouts_qp(), in RTS
 * @mkey: mkey of mkey_layouts_mkey()
 * @mr1: memory of at least 64 bytes
 * @mr2: memory of at least 4096 bytes
 *
 * Context: any but NMI.
 * Return: 0; or as ib_wr_start() and ib_wr_complete().
 */
int mkey_layouts_list(struct ib_qp *qp, struct mlx5dv_mkey *mkey, const struct ib_sge *mr1,
		      const struct ib_sge *mr2)
{
	struct mlx5dv_qp_ex *mqpx = mlx5dv_qp_ex_from_ib_qp(qp);
	struct mlx5dv_mkey_conf_attr mkey_attr = {};
	struct ib_qp_ex *qpx = &mqpx->qp_ex;
	struct ib_sge sgl[2];
	int ret;

	ret = ib_wr_start(qpx);
	if (ret)
		return ret;
	qpx->wr_id = MY_WR_ID_1;
	qpx->wr_flags = IB_SEND_INLINE;

	mlx5dv_wr_mkey_configure(mqpx, mkey, 2, &mkey_attr);
	mlx5dv_wr_set_mkey_access_flags(mqpx, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	sgl[0].addr = mr1->addr;
	sgl[0].length = 64;
	sgl[0].lkey = mr1->lkey;
	sgl[1].addr = mr2->addr;
	sgl[1].length = 4096;
	sgl[1].lkey = mr2->lkey;
	mlx5dv_wr_set_mkey_layout_list(mqpx, 2, sgl);
	return ib_wr_complete(qpx);
}

/**
 * mkey_layouts_interleaved() - alternate 512 bytes of one piece of memory with 8 of another
 * @qp: QP of mkey_layouts_qp(), in RTS
 * @mkey: mkey of mkey_layouts_mkey()
 * @mr1: memory of at least 1028 bytes; two blocks of 512 with a gap of 4 are used
 * @mr2: memory of at least 16 bytes; two blocks of 8 are used
 *
 * Context: any but NMI.
 * Return: 0; or as ib_wr_start() and ib_wr_complete().
 */
int mkey_layouts_interleaved(struct ib_qp *qp, struct mlx5dv_mkey *mkey,
			     const struct ib_sge *mr1, const struct ib_sge *mr2)
{
	struct mlx5dv_qp_ex *mqpx = mlx5dv_qp_ex_from_ib_qp(qp);
	struct mlx5dv_mkey_conf_attr mkey_attr = {};
	struct ib_qp_ex *qpx = &mqpx->qp_ex;
	struct mlx5dv_mr_interleaved data[2];
	int ret;

	ret = ib_wr_start(qpx);
	if (ret)
		return ret;
	qpx->wr_id = MY_WR_ID_2;
	qpx->wr_flags = IB_SEND_INLINE;

	mlx5dv_wr_mkey_configure(mqpx, mkey, 2, &mkey_attr);
	mlx5dv_wr_set_mkey_access_flags(mqpx, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	data[0].addr = mr1->addr;
	data[0].bytes_count = 512;
	data[0].bytes_skip = 4;
	data[0].lkey = mr1->lkey;
	data[1].addr = mr2->addr;
	data[1].bytes_count = 8;
	data[1].bytes_skip = 0;
	data[1].lkey = mr2->lkey;
	mlx5dv_wr_set_mkey_layout_interleaved(mqpx, 2, 2, data);
	return ib_wr_complete(qpx);
}
