// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs that are created or connected in a way that no driver may, force loopback,
 * and doorbell pages that are deallocated before their users.
 */
#include <linux/mlx5/vport.h>

#include "sim_violations.h"

#define V_NO_KEY	0xabcd00

/* CREATE_QP of an RC QP, refused for one field */
static int v_bad_qp(struct v_set *s, u32 ts_format, u32 log_msg_max)
{
	u32 in[MLX5_ST_SZ_DW(create_qp_in) + 2] = {};
	u32 out[MLX5_ST_SZ_DW(create_qp_out)] = {};
	void *qpc = MLX5_ADDR_OF(create_qp_in, in, qpc);

	MLX5_SET(create_qp_in, in, opcode, MLX5_CMD_OP_CREATE_QP);
	MLX5_SET(qpc, qpc, st, MLX5_QP_ST_RC);
	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	MLX5_SET(qpc, qpc, pd, s->pdn);
	MLX5_SET(qpc, qpc, uar_page, s->uar->index);
	MLX5_SET(qpc, qpc, cqn_snd, s->scq.num);
	MLX5_SET(qpc, qpc, cqn_rcv, s->rcq.num);
	MLX5_SET(qpc, qpc, rq_type, MLX5_ZERO_LEN_RQ);
	MLX5_SET(qpc, qpc, ts_format, ts_format);
	MLX5_SET(qpc, qpc, log_msg_max, log_msg_max);
	MLX5_SET64(qpc, qpc, dbr_addr, s->qp.db.dma);
	*(__be64 *)MLX5_ADDR_OF(create_qp_in, in, pas) = cpu_to_be64(s->qp.dma);
	return v_refused(s, in, sizeof(in), out, sizeof(out));
}

/* the timestamp formats are 0 to 2 */
static int bad_ts_format(struct v_set *s)
{
	return v_bad_qp(s, 3, 30);
}

static int bad_log_msg_max(struct v_set *s)
{
	return v_bad_qp(s, MLX5_TIMESTAMP_FORMAT_DEFAULT, 31);
}

/* From RTS to INIT, so that the case can issue INIT2RTR_QP */
static int v_back_to_init(struct v_set *s)
{
	u32 in[MLX5_ST_SZ_DW(qp_2rst_in)] = {};
	u32 out[MLX5_ST_SZ_DW(qp_2rst_out)] = {};
	int ret;

	MLX5_SET(qp_2rst_in, in, opcode, MLX5_CMD_OP_2RST_QP);
	MLX5_SET(qp_2rst_in, in, qpn, s->qp.num);
	ret = v_cmd(s, in, sizeof(in), out, sizeof(out));
	if (ret)
		return ret;
	/* cleared after 2RST_QP: the device may read the doorbell record while the QP is in RTS */
	s->pi = 0;
	s->qp.db.db[MLX5_SND_DBR] = 0;
	return v_modify(s, MLX5_CMD_OP_RST2INIT_QP);
}

static int v_bad_path(struct v_set *s)
{
	int ret = v_back_to_init(s);

	if (ret)
		return ret;
	ret = v_modify(s, MLX5_CMD_OP_INIT2RTR_QP);
	if (ret == -EREMOTEIO)
		return 0;
	v_log("INIT2RTR_QP returned %d\n", ret);
	return -EPROTO;
}

/* the UDP source ports that drivers may choose begin at 0xc000 */
static int bad_sport(struct v_set *s)
{
	s->sport = 0xbfff;
	return v_bad_path(s);
}

/* force loopback for a DCI, which has no address path in its context */
static int dci_loop(struct v_set *s)
{
	s->loop = true;
	return v_bad_path(s);
}

static int v_loop_write(struct v_set *s)
{
	struct mlx5_cqe64 cqe;
	u8 *data = s->data;
	int ret;

	memset(data, 0, PAGE_SIZE);
	memset(data, 0x5a, 64);
	v_write_wqe(s, s->mkey, s->dma, 64, s->dma + 1024);
	ret = v_wait_cqe(s, &cqe);
	if (ret)
		return ret;
	if (cqe.op_own >> 4 != MLX5_CQE_REQ || memcmp(data, data + 1024, 64)) {
		v_log("completion %#x, byte %#x\n", cqe.op_own >> 4, data[1024]);
		return -EPROTO;
	}
	return 0;
}

/* With force loopback, a WRITE needs neither an address nor RoCE. An unknown lkey is an error. */
static int loop_lkey(struct v_set *s)
{
	int ret, err;

	ret = v_loop_write(s);
	if (ret)
		return ret;
	ret = mlx5_nic_vport_disable_roce(s->mdev);
	if (ret)
		return ret;
	ret = v_back_to_init(s) ?: v_modify(s, MLX5_CMD_OP_INIT2RTR_QP) ?:
	      v_modify(s, MLX5_CMD_OP_RTR2RTS_QP);
	ret = ret ?: v_loop_write(s);
	err = mlx5_nic_vport_enable_roce(s->mdev);
	if (ret || err)
		return ret ?: err;
	v_write_wqe(s, V_NO_KEY, s->dma, 64, s->dma + 1024);
	return v_expect_error(s, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

/* Executes a command for one object. The number is at the same place in all these commands. */
static int v_named(struct v_set *s, u16 opcode, u16 uid, u32 num, u32 *id)
{
	u32 in[MLX5_ST_SZ_DW(dealloc_uar_in)] = {};
	u32 out[MLX5_ST_SZ_DW(alloc_uar_out)] = {};
	int ret;

	MLX5_SET(dealloc_uar_in, in, opcode, opcode);
	*((__be16 *)in + 1) = cpu_to_be16(uid);
	MLX5_SET(dealloc_uar_in, in, uar, num);
	ret = v_cmd(s, in, sizeof(in), out, sizeof(out));
	if (!ret && id)
		*id = MLX5_GET(alloc_uar_out, out, uar);
	return ret;
}

static int v_create_uctx(struct v_set *s, u16 *uid)
{
	u32 in[MLX5_ST_SZ_DW(create_uctx_in)] = {};
	u32 out[MLX5_ST_SZ_DW(create_uctx_out)] = {};
	int ret;

	MLX5_SET(create_uctx_in, in, opcode, MLX5_CMD_OP_CREATE_UCTX);
	ret = v_cmd(s, in, sizeof(in), out, sizeof(out));
	*uid = MLX5_GET(create_uctx_out, out, uid);
	return ret;
}

static int v_destroy_uctx(struct v_set *s, u16 uid)
{
	u32 in[MLX5_ST_SZ_DW(destroy_uctx_in)] = {};
	u32 out[MLX5_ST_SZ_DW(destroy_uctx_out)] = {};

	MLX5_SET(destroy_uctx_in, in, opcode, MLX5_CMD_OP_DESTROY_UCTX);
	MLX5_SET(destroy_uctx_in, in, uid, uid);
	return v_cmd(s, in, sizeof(in), out, sizeof(out));
}

static int v_uctx_cq(struct v_set *s, u16 uid, u32 uar, u32 *cqn)
{
	u32 in[MLX5_ST_SZ_DW(create_cq_in) + 2] = {};
	u32 out[MLX5_ST_SZ_DW(create_cq_out)] = {};
	void *cqc = MLX5_ADDR_OF(create_cq_in, in, cq_context);
	int ret;

	MLX5_SET(create_cq_in, in, opcode, MLX5_CMD_OP_CREATE_CQ);
	MLX5_SET(create_cq_in, in, uid, uid);
	MLX5_SET(cqc, cqc, log_cq_size, V_LOG_CQ);
	MLX5_SET(cqc, cqc, uar_page, uar);
	MLX5_SET(cqc, cqc, c_eqn_or_apu_element, s->eqn);
	MLX5_SET64(cqc, cqc, dbr_addr, s->srq.db.dma);
	*(__be64 *)MLX5_ADDR_OF(create_cq_in, in, pas) = cpu_to_be64(s->srq.dma);
	ret = v_cmd(s, in, sizeof(in), out, sizeof(out));
	*cqn = MLX5_GET(create_cq_out, out, cqn);
	return ret;
}

/*
 * libmlx5 deallocates its doorbell page when a process closes the device. After
 * that, the kernel destroys the CQ of the process, and then the user context.
 * The device permits this order. It refuses only a second DEALLOC_UAR.
 */
static int uar_before_cq(struct v_set *s)
{
	u32 uar, cqn;
	u16 uid;
	int ret;

	ret = v_create_uctx(s, &uid);
	ret = ret ?: v_named(s, MLX5_CMD_OP_ALLOC_UAR, uid, 0, &uar);
	ret = ret ?: v_uctx_cq(s, uid, uar, &cqn);
	ret = ret ?: v_named(s, MLX5_CMD_OP_DEALLOC_UAR, uid, uar, NULL);
	if (ret) {
		v_log("the first commands returned %d\n", ret);
		return ret;
	}
	if (v_named(s, MLX5_CMD_OP_DEALLOC_UAR, uid, uar, NULL) != -EREMOTEIO)
		return -EPROTO;
	ret = v_named(s, MLX5_CMD_OP_DESTROY_CQ, uid, cqn, NULL);
	return ret ?: v_destroy_uctx(s, uid);
}

const struct v_case v_conn_cases[] = {
	{ "cmd_bad_param-ts_format", bad_ts_format },
	{ "cmd_bad_param-log_msg_max", bad_log_msg_max },
	{ "cmd_bad_param-sport", bad_sport },
	{ "cmd_reserved-dci_loop", dci_loop, V_DCI },
	{ "mkey_lookup-loop", loop_lkey, V_LOOP },
	{ "cmd_bad_resource-uar_before_cq", uar_before_cq },
	{ }
};
