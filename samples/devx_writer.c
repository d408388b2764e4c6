// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This sample moves data with objects of DEVX. Firmware commands create a PD, an
 * mkey, a CQ and a QP, and connect the QP. Completions raise events. All memory is
 * registered as UMEMs, so memory of vmalloc() can be used, too.
 *
 * Commands have the layouts of <linux/mlx5/mlx5_ifc.h>, WQEs and CQEs the
 * layouts of <linux/mlx5/qp.h> and <linux/mlx5/device.h>.
 */
#include <linux/mlx5/cq.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/mlx5/qp.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "devx_writer.h"

#define LOG_ENTRIES	6	/* log2 of entries per ring, 64 bytes each */
#define RING_BYTES	4096
#define AT_CQ		0
#define AT_SQ		RING_BYTES
#define AT_CQ_DBR	(2 * RING_BYTES)
#define AT_QP_DBR	(2 * RING_BYTES + 64)
#define ALL_BYTES	(3 * RING_BYTES)
#define ACCESS		(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE)
#define ANY_QPN		0xffffff
#define CQ_DBR_CI	0	/* words of a CQ's doorbell record: consumer index, arming */
#define CQ_DBR_ARM	1
#define WAIT_MS		60000

/* words of commands that <linux/mlx5/mlx5_ifc.h> does not define */
#define CREATE_CQ_DBR_UMEM_ID	5
#define CREATE_CQ_UMEM_OFFSET	21	/* low half */
#define CREATE_CQ_UMEM_ID	22
#define CREATE_QP_DBR_UMEM_ID	63
#define CREATE_MKEY_UMEM_ID	25

static void put_word(void *in, u32 word, u32 value)
{
	((__be32 *)in)[word] = cpu_to_be32(value);
}

/*
 * Register the rings, in pages of any size, and the caller's memory, in pages
 * of the mkey's size.
 */
static int create_umems(struct devx_writer *w)
{
	const struct mlx5dv_devx_umem_in data = {
		.addr = w->mem,
		.size = w->bytes,
		.access = ACCESS,
		.pgsz_bitmap = SZ_4K,
	};

	w->ring_umem = mlx5dv_devx_umem_reg(w->ctx, w->rings, ALL_BYTES, IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(w->ring_umem))
		return PTR_ERR(w->ring_umem);
	w->data_umem = mlx5dv_devx_umem_reg_ex(w->ctx, &data);
	return PTR_ERR_OR_ZERO(w->data_umem);
}

static int create_pd(struct devx_writer *w)
{
	u32 in[MLX5_ST_SZ_DW(alloc_pd_in)] = {}, out[MLX5_ST_SZ_DW(alloc_pd_out)];

	MLX5_SET(alloc_pd_in, in, opcode, MLX5_CMD_OP_ALLOC_PD);
	w->pd = mlx5dv_devx_obj_create(w->ctx, in, sizeof(in), out, sizeof(out));
	w->pdn = MLX5_GET(alloc_pd_out, out, pd);
	return PTR_ERR_OR_ZERO(w->pd);
}

/**
 * devx_writer_map() - create an mkey that the writer can write to
 * @w: writer
 * @umem: UMEM with pages of 4 KiB
 * @start: address of the first byte of the mkey. Its offset in a page is the offset
 *	of the UMEM's memory in the first page
 * @bytes: length of the mkey in bytes; the mkey begins at the start of the UMEM
 * @key: gets the key, which is both lkey and rkey
 *
 * Context: may sleep.
 * Return: the mkey, or an ERR_PTR() of mlx5dv_devx_obj_create().
 */
struct mlx5dv_devx_obj *devx_writer_map(struct devx_writer *w, const struct mlx5dv_devx_umem *umem,
					u64 start, u32 bytes, u32 *key)
{
	u32 in[MLX5_ST_SZ_DW(create_mkey_in)] = {}, out[MLX5_ST_SZ_DW(create_mkey_out)];
	void *mkc = MLX5_ADDR_OF(create_mkey_in, in, memory_key_mkey_entry);
	/* an octword of the translation list holds two pages */
	u32 octwords = DIV_ROUND_UP(DIV_ROUND_UP(start % SZ_4K + bytes, SZ_4K), 2);
	struct mlx5dv_devx_obj *mkey;

	MLX5_SET(create_mkey_in, in, opcode, MLX5_CMD_OP_CREATE_MKEY);
	MLX5_SET(create_mkey_in, in, translations_octword_actual_size, octwords);
	MLX5_SET(create_mkey_in, in, mkey_umem_valid, 1);
	put_word(in, CREATE_MKEY_UMEM_ID, umem->umem_id);
	MLX5_SET(mkc, mkc, access_mode_1_0, MLX5_MKC_ACCESS_MODE_MTT);
	MLX5_SET(mkc, mkc, translations_octword_size, octwords);
	MLX5_SET(mkc, mkc, log_page_size, ilog2(SZ_4K));
	MLX5_SET64(mkc, mkc, start_addr, start);
	MLX5_SET64(mkc, mkc, len, bytes);
	MLX5_SET(mkc, mkc, lr, 1);
	MLX5_SET(mkc, mkc, lw, 1);
	MLX5_SET(mkc, mkc, rw, 1);
	MLX5_SET(mkc, mkc, qpn, ANY_QPN);
	MLX5_SET(mkc, mkc, pd, w->pdn);
	mkey = mlx5dv_devx_obj_create(w->ctx, in, sizeof(in), out, sizeof(out));
	*key = MLX5_GET(create_mkey_out, out, mkey_index) << 8;
	return mkey;
}

static struct mlx5_cqe64 *cqe_of(struct devx_writer *w, u32 index)
{
	return w->rings + AT_CQ + index % BIT(LOG_ENTRIES) * sizeof(struct mlx5_cqe64);
}

static int create_cq(struct devx_writer *w)
{
	u32 in[MLX5_ST_SZ_DW(create_cq_in)] = {}, out[MLX5_ST_SZ_DW(create_cq_out)];
	void *cqc = MLX5_ADDR_OF(create_cq_in, in, cq_context);
	u32 eqn, i;
	int err;

	err = mlx5dv_devx_query_eqn(w->ctx, 0, &eqn);
	if (err)
		return err;
	/* mark each CQE as not written by the device */
	for (i = 0; i < BIT(LOG_ENTRIES); i++)
		cqe_of(w, i)->op_own = MLX5_CQE_INVALID << 4 | MLX5_CQE_OWNER_MASK;
	MLX5_SET(create_cq_in, in, opcode, MLX5_CMD_OP_CREATE_CQ);
	MLX5_SET(create_cq_in, in, cq_umem_valid, 1);
	put_word(in, CREATE_CQ_UMEM_ID, w->ring_umem->umem_id);
	put_word(in, CREATE_CQ_UMEM_OFFSET, AT_CQ);
	MLX5_SET(cqc, cqc, log_cq_size, LOG_ENTRIES);
	MLX5_SET(cqc, cqc, uar_page, w->uar->page_id);
	MLX5_SET(cqc, cqc, c_eqn_or_apu_element, eqn);
	MLX5_SET(cqc, cqc, dbr_umem_valid, 1);
	put_word(in, CREATE_CQ_DBR_UMEM_ID, w->ring_umem->umem_id);
	MLX5_SET64(cqc, cqc, dbr_addr, AT_CQ_DBR);
	w->cq = mlx5dv_devx_obj_create(w->ctx, in, sizeof(in), out, sizeof(out));
	w->cqn = MLX5_GET(create_cq_out, out, cqn);
	return PTR_ERR_OR_ZERO(w->cq);
}

/* create a QP with a send ring and without a receive ring */
static int create_qp(struct devx_writer *w)
{
	u32 in[MLX5_ST_SZ_DW(create_qp_in)] = {}, out[MLX5_ST_SZ_DW(create_qp_out)];
	void *qpc = MLX5_ADDR_OF(create_qp_in, in, qpc);

	MLX5_SET(create_qp_in, in, opcode, MLX5_CMD_OP_CREATE_QP);
	MLX5_SET(create_qp_in, in, wq_umem_valid, 1);
	MLX5_SET(create_qp_in, in, wq_umem_id, w->ring_umem->umem_id);
	MLX5_SET64(create_qp_in, in, wq_umem_offset, AT_SQ);
	MLX5_SET(qpc, qpc, st, MLX5_QP_ST_RC);
	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	MLX5_SET(qpc, qpc, pd, w->pdn);
	MLX5_SET(qpc, qpc, rq_type, MLX5_ZERO_LEN_RQ);
	MLX5_SET(qpc, qpc, log_sq_size, LOG_ENTRIES);
	MLX5_SET(qpc, qpc, ts_format, MLX5_TIMESTAMP_FORMAT_DEFAULT);
	MLX5_SET(qpc, qpc, uar_page, w->uar->page_id);
	MLX5_SET(qpc, qpc, cqn_snd, w->cqn);
	MLX5_SET(qpc, qpc, cqn_rcv, w->cqn);
	MLX5_SET(qpc, qpc, dbr_umem_valid, 1);
	put_word(in, CREATE_QP_DBR_UMEM_ID, w->ring_umem->umem_id);
	MLX5_SET64(qpc, qpc, dbr_addr, AT_QP_DBR);
	w->qp = mlx5dv_devx_obj_create(w->ctx, in, sizeof(in), out, sizeof(out));
	w->qpn = MLX5_GET(create_qp_out, out, qpn);
	return PTR_ERR_OR_ZERO(w->qp);
}

/*
 * Take one step to RTS. RST2INIT_QP, INIT2RTR_QP and RTR2RTS_QP have these fields in
 * the same places.
 */
static int modify_qp(struct devx_writer *w, u16 opcode)
{
	u32 in[MLX5_ST_SZ_DW(rst2init_qp_in)] = {}, out[MLX5_ST_SZ_DW(rst2init_qp_out)];
	void *qpc = MLX5_ADDR_OF(rst2init_qp_in, in, qpc);

	MLX5_SET(rst2init_qp_in, in, opcode, opcode);
	MLX5_SET(rst2init_qp_in, in, qpn, w->qpn);
	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	MLX5_SET(qpc, qpc, primary_address_path.vhca_port_num, 1);
	MLX5_SET(qpc, qpc, rwe, 1);
	if (opcode == MLX5_CMD_OP_INIT2RTR_QP) {
		MLX5_SET(qpc, qpc, mtu, IB_MTU_1024);
		MLX5_SET(qpc, qpc, log_msg_max, 30);
		MLX5_SET(qpc, qpc, remote_qpn, w->qpn);
		/* the path has no address vector: force loopback */
		MLX5_SET(qpc, qpc, primary_address_path.fl, 1);
	} else if (opcode == MLX5_CMD_OP_RTR2RTS_QP) {
		MLX5_SET(qpc, qpc, retry_count, 7);
		MLX5_SET(qpc, qpc, primary_address_path.ack_timeout, 14);
	}
	return mlx5dv_devx_obj_modify(w->qp, in, sizeof(in), out, sizeof(out));
}

static int connect_qp(struct devx_writer *w)
{
	int err = modify_qp(w, MLX5_CMD_OP_RST2INIT_QP);

	if (!err)
		err = modify_qp(w, MLX5_CMD_OP_INIT2RTR_QP);
	if (!err)
		err = modify_qp(w, MLX5_CMD_OP_RTR2RTS_QP);
	return err;
}

/* called in hard interrupt context */
static void cq_event(void *arg, u16 event_num, const void *eqe)
{
	struct devx_writer *w = arg;

	complete(&w->completed);
}

/* completions call a function; errors of the QP arrive in the channel */
static int subscribe_events(struct devx_writer *w)
{
	static const u16 errors[] = { MLX5_EVENT_TYPE_WQ_ACCESS_ERROR,
				      MLX5_EVENT_TYPE_WQ_INVAL_REQ_ERROR };
	int err;

	w->channel = mlx5dv_devx_create_event_channel(w->ctx, 0);
	if (IS_ERR(w->channel))
		return PTR_ERR(w->channel);
	err = mlx5dv_devx_subscribe_devx_event_cb(w->channel, w->cq, MLX5_EVENT_TYPE_COMP,
						  cq_event, w);
	if (err)
		return err;
	return mlx5dv_devx_subscribe_devx_event(w->channel, w->qp, sizeof(errors), errors, w->qpn);
}

static int create_all(struct devx_writer *w)
{
	int err = create_umems(w);

	if (!err)
		err = create_pd(w);
	if (err)
		return err;
	w->mkey = devx_writer_map(w, w->data_umem, (uintptr_t)w->mem, w->bytes, &w->key);
	err = PTR_ERR_OR_ZERO(w->mkey);
	if (!err)
		err = create_cq(w);
	if (!err)
		err = create_qp(w);
	if (!err)
		err = connect_qp(w);
	if (!err)
		err = subscribe_events(w);
	return err;
}

/**
 * devx_writer_open() - create a writer
 * @w: gets the writer
 * @ibdev: device of mlx5_ibx
 * @mem: memory to write and read, of kmalloc() or vmalloc()
 * @bytes: length of @mem, below 2^31
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno of <rdma/mlx5dv_devx.h> and <rdma/mlx5dv_devx_umem.h>.
 */
int devx_writer_open(struct devx_writer *w, struct ib_device *ibdev, void *mem, u32 bytes)
{
	int err;

	memset(w, 0, sizeof(*w));
	w->mem = mem;
	w->bytes = bytes;
	init_completion(&w->completed);
	w->rings = vzalloc(ALL_BYTES);
	if (!w->rings)
		return -ENOMEM;
	w->ctx = mlx5dv_devx_open(ibdev);
	if (IS_ERR(w->ctx)) {
		err = PTR_ERR(w->ctx);
		goto free;
	}
	w->uar = mlx5dv_devx_alloc_uar(w->ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	err = PTR_ERR_OR_ZERO(w->uar);
	if (!err)
		err = create_all(w);
	if (!err)
		return 0;
	devx_writer_close(w);
	return err;

free:
	vfree(w->rings);
	return err;
}

static void destroy(struct mlx5dv_devx_obj *obj)
{
	if (!IS_ERR_OR_NULL(obj))
		WARN_ON(mlx5dv_devx_obj_destroy(obj));
}

static void dereg(struct mlx5dv_devx_umem *umem)
{
	if (!IS_ERR_OR_NULL(umem))
		WARN_ON(mlx5dv_devx_umem_dereg(umem));
}

/**
 * devx_writer_close() - destroy a writer
 * @w: writer, completely or partly created by devx_writer_open()
 *
 * Context: may sleep.
 */
void devx_writer_close(struct devx_writer *w)
{
	if (!IS_ERR_OR_NULL(w->channel))
		mlx5dv_devx_destroy_event_channel(w->channel);
	destroy(w->qp);
	destroy(w->cq);
	destroy(w->mkey);
	destroy(w->pd);
	dereg(w->data_umem);
	dereg(w->ring_umem);
	if (!IS_ERR_OR_NULL(w->uar))
		mlx5dv_devx_free_uar(w->ctx, w->uar);
	mlx5dv_devx_close(w->ctx);
	vfree(w->rings);
}

/* arm the CQ: the device raises an event for the next completion */
static void arm(struct devx_writer *w)
{
	__be32 db[2] = { cpu_to_be32((w->posted & 3) << 28 | w->posted), cpu_to_be32(w->cqn) };
	__be32 *dbr = w->rings + AT_CQ_DBR;

	WRITE_ONCE(dbr[CQ_DBR_ARM], db[0]);
	/* write the doorbell record before the doorbell register */
	wmb();
	mlx5_write64(db, w->uar->base_addr + MLX5_CQ_DOORBELL);
}

static void post(struct devx_writer *w, u64 to, u32 rkey, const void *from, u32 len)
{
	struct mlx5_wqe_ctrl_seg *ctrl = w->rings + AT_SQ + w->posted % BIT(LOG_ENTRIES) * 64;
	struct mlx5_wqe_raddr_seg *raddr = (void *)(ctrl + 1);
	struct mlx5_wqe_data_seg *data = (void *)(raddr + 1);
	__be32 *dbr = w->rings + AT_QP_DBR;

	memset(ctrl, 0, 64);
	ctrl->opmod_idx_opcode = cpu_to_be32(w->posted << 8 | MLX5_OPCODE_RDMA_WRITE);
	ctrl->qpn_ds = cpu_to_be32(w->qpn << 8 | 3);
	ctrl->fm_ce_se = MLX5_WQE_CTRL_CQ_UPDATE;
	raddr->raddr = cpu_to_be64(to);
	raddr->rkey = cpu_to_be32(rkey);
	data->byte_count = cpu_to_be32(len);
	data->lkey = cpu_to_be32(w->key);
	data->addr = cpu_to_be64((uintptr_t)from);
	/* write the WQE before the doorbell record */
	dma_wmb();
	WRITE_ONCE(dbr[MLX5_SND_DBR], cpu_to_be32(w->posted + 1));
	/* write the doorbell record before the doorbell register */
	wmb();
	mlx5_write64((__be32 *)ctrl, w->uar->reg_addr);
}

/**
 * devx_writer_write() - WRITE memory to memory, and wait for the completion
 * @w: writer
 * @to: address to write to
 * @rkey: w->key, or another key of devx_writer_map()
 * @from: address to read from, in the writer's memory
 * @len: number of bytes, below 2^31
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EIO: the WRITE completed in error
 * * -ETIMEDOUT: the WRITE did not complete
 */
int devx_writer_write(struct devx_writer *w, u64 to, u32 rkey, const void *from, u32 len)
{
	struct mlx5_cqe64 *cqe = cqe_of(w, w->posted);
	u32 lap = w->posted >> LOG_ENTRIES & 1;
	__be32 *dbr = w->rings + AT_CQ_DBR;

	arm(w);
	post(w, to, rkey, from, len);
	if (!wait_for_completion_timeout(&w->completed, msecs_to_jiffies(WAIT_MS)))
		return -ETIMEDOUT;
	if ((READ_ONCE(cqe->op_own) & MLX5_CQE_OWNER_MASK) != lap)
		return -ETIMEDOUT;
	dma_rmb();
	w->posted++;
	WRITE_ONCE(dbr[CQ_DBR_CI], cpu_to_be32(w->posted & 0xffffff));
	return get_cqe_opcode(cqe) == MLX5_CQE_REQ ? 0 : -EIO;
}
